// Players that the sweep and drop movers move: a push upwards lifts them from the ground.

#include "move/pmove.h"
#include "move/profiles.h"

#include "lib/testing.h"
#include "state/trace_make.h"

#include <string.h>

// Endless floor at z 0.
static trace_t trace_floor(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    (void)context, (void)maxs;
    trace_t trace = {.fraction = 1.0f, .endpos = end, .contents = CONTENTS_EMPTY, .entnum = -1};
    float from = start.z + mins.z - CM_DIST_EPSILON;
    float to = end.z + mins.z - CM_DIST_EPSILON;
    if (to < 0.0f && to < from) {
        trace.fraction = from > 0.0f ? from / (from - to) : 0.0f;
        trace.endpos = VectorLerp(start, end, trace.fraction);
        trace.plane.normal = Vector(0.0f, 0.0f, 1.0f);
        trace.entnum = 0;
    }
    return trace;
}

static int32_t overlap_floor(void *context, bounds_t box, cm_contact_t *contacts, int32_t *numbers,
                             int32_t max) {
    (void)context;
    if (box.mins.z >= 0.0f || max < 1) {
        return 0;
    }
    contacts[0] = (cm_contact_t){.normal = {0.0f, 0.0f, 1.0f}, .depth = -box.mins.z, .surface = -1};
    numbers[0] = 0;
    return 1;
}

static contents_t contents_of_air(void *context, vec3_t point) {
    (void)context, (void)point;
    return CONTENTS_EMPTY;
}

static pm_volume_t volume_of_current(void *context, vec3_t absmin, vec3_t absmax) {
    (void)context, (void)absmin, (void)absmax;
    return (pm_volume_t){.current = {0.0f, 0.0f, 400.0f}};
}

static void test_an_upward_current_lifts(void **state) {
    (void)state;
    static const char *const names[] = {"quake", "sweep", "drop"};
    const pm_world_t world = {.trace = trace_floor,
                              .point_contents = contents_of_air,
                              .overlap = overlap_floor,
                              .volume = volume_of_current};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        movevars_t vars = MoveVars_Default();
        assert_true(PM_Profile(names[i], &vars));
        bounds_t box = PM_PlayerBox(&vars, false);
        player_state_t player = {.mins = box.mins,
                                 .maxs = box.maxs,
                                 .groundentity = 0,
                                 .flags = PMF_ONGROUND,
                                 .movetype = MOVETYPE_WALK};
        player.origin.z = CM_DIST_EPSILON - box.mins.z;
        for (int32_t tick = 0; tick < 50; tick++) {
            usercmd_t cmd = {.tick = tick, .msec = 16};
            PM_RunCommand(&player, &cmd, 16, &vars, &world, NULL);
        }
        if (player.origin.z + box.mins.z < 20.0f) {
            fail_msg("%s: feet at %g", names[i], (double)(player.origin.z + box.mins.z));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_an_upward_current_lifts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
