// Tests of the invariants of movement (docs/physics.md, "Invariants") that a caller can violate:
// each must trip its ASSERT.

#include "base/limits.h"
#include "lib/player_fixture.h"
#include "lib/trips.h"
#include "move/body.h"

static player_state_t player;
static pm_world_t world;

static int set_up(void **state) {
    (void)state;
    player = stand_on_floor();
    world = TestBrushes_World(&room);
    return 0;
}

static void test_a_step_has_a_length(void **state) {
    (void)state;
    const pm_input_t input = {.forward = 320.0f};
    assert_trips("step_ms >= 1", PM_Move(&player, &input, 0, &vars, &world, &touch));
    assert_trips("step_ms <= MAX_CMD_MSEC",
                 PM_Move(&player, &input, MAX_CMD_MSEC + 1, &vars, &world, &touch));
    PM_Move(&player, &input, MAX_CMD_MSEC, &vars, &world, &touch);
}

// Traces a floor that belongs to no edict.
static trace_t trace_without_edict(void *context, vec3_t start, vec3_t mins, vec3_t maxs,
                                   vec3_t end) {
    trace_t trace = TestBrushes_World(&room).trace(context, start, mins, maxs, end);
    trace.entnum = TRACE_NOTHING;
    return trace;
}

static void test_ground_is_an_edict(void **state) {
    (void)state;
    const pm_input_t input = {.forward = 0.0f};
    world.trace = trace_without_edict;
    assert_trips("groundentity", PM_Move(&player, &input, STEP_MS, &vars, &world, &touch));
}

static int32_t too_many_contacts(void *context, bounds_t box, cm_contact_t *contacts,
                                 int32_t *entnums, int32_t max) {
    (void)context;
    (void)box;
    (void)contacts;
    (void)entnums;
    return max + 1;
}

static void test_bodies(void **state) {
    (void)state;
    pm_body_t body = {.origin = player.origin, .mins = player.mins, .maxs = player.maxs};
    assert_trips("mover", PM_MoveBody(&body, MOVER_STEP, 0.016f, &vars, &world));
    assert_trips("mover", PM_MoveBody(&body, MOVER_COUNT, 0.016f, &vars, &world));
    assert_trips("dt", PM_MoveBody(&body, MOVER_RAY, 0.0f, &vars, &world));
    world.overlap = NULL;
    assert_trips("overlap", PM_MoveBody(&body, MOVER_DROP, 0.016f, &vars, &world));
    world.overlap = too_many_contacts;
    assert_trips("MAX_CONTACTS", PM_MoveBody(&body, MOVER_DROP, 0.016f, &vars, &world));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_step_has_a_length, set_up),
        cmocka_unit_test_setup(test_ground_is_an_edict, set_up),
        cmocka_unit_test_setup(test_bodies, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
