// Monsters with the movers step, ray, sweep and drop walk to and fro on maps/movers.map: over
// stairs, a slope, ridges, a bank and a mound of triangles. No monster gets stuck, leaves its tilt
// limits or enters something solid.

#include "bsp/map.h"
#include "collide/cmap.h"
#include "core/core_local.h"
#include "game/game.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/body.h"
#include "world/block.h"
#include "world/move.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EAST    900.0f // qu; farther east, a monster has arrived at its eastern corner
#define WEST    (-410.0f)
#define TICKS   9000 // 144 s
#define IDLE    200  // ticks; a monster that rests longer is stuck
#define SHELF   60.0f
#define EPSILON 0.01f

typedef struct {
    cmap_t *map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    sv_context_t sv;
} match_t;

typedef struct {
    const char *name;
    pm_mover_t mover;
    float max_pitch, max_roll;
    // results
    int32_t arrivals, idle, longest_idle, solid;
    bool goes_west;
    float pitch, roll, top;
} lane_t;

static void start(match_t *match) {
    char path[512];
    err_t err = {{0}};
    snprintf(path, sizeof(path), "%s/maps/movers.bsp", Test_BuildFolder());
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not compiled (make maps)\n", path);
        skip();
    }
    *match =
        (match_t){.inputs = calloc(1, sizeof(inputs_t)), .events = calloc(1, sizeof(events_t))};
    match->map = Map_Load(path, &err);
    if (!match->map) {
        fail_msg("movers: %s", err.text);
    }
    const world_params_t params = {.max_edicts = 256,
                                   .max_clients = 1,
                                   .seed = 7,
                                   .map_hash = match->map->hash,
                                   .bounds = match->map->models[0].bounds};
    match->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_true(SV_BindGame(match->world, Game_Export(), &match->game, &err));
    ((game_vars_t *)(void *)match->world->game)->monsters = 1;
    if (!SV_SpawnEntities(match->world, match->map, &match->game, match->events, &err)) {
        fail_msg("movers: %s", err.text);
    }
    match->sv = SV_Context(match->world, match->map, &match->game, match->events);
}

static void end(match_t *match) {
    Map_Free(match->map);
    free(match->world);
    free(match->inputs);
    free(match->events);
}

static edict_t *walker(const match_t *match, const char *lane) {
    char name[64];
    snprintf(name, sizeof name, "%s_walker", lane);
    edict_t *edict = match->sv.engine->find_target(&match->sv, NULL, name);
    assert_non_null(edict);
    return edict;
}

static void look(match_t *match, lane_t *lane, vec3_t before) {
    edict_t *edict = walker(match, lane->name);
    bool rests = VectorCompare(before, edict->origin);
    lane->idle = rests ? lane->idle + 1 : 0;
    lane->longest_idle = Q_MaxI(lane->longest_idle, lane->idle);
    if (lane->goes_west ? edict->origin.x < WEST : edict->origin.x > EAST) {
        lane->arrivals++;
        lane->goes_west = !lane->goes_west;
    }
    float pitch = fabsf(AngleNormalize180(edict->angles.x));
    float roll = fabsf(AngleNormalize180(edict->angles.z));
    lane->pitch = pitch > lane->pitch ? pitch : lane->pitch;
    lane->roll = roll > lane->roll ? roll : lane->roll;
    lane->top = edict->origin.z > lane->top ? edict->origin.z : lane->top;
    // The ray mover moves a point: its box may enter slopes.
    bool is_box = lane->mover != MOVER_RAY;
    lane->solid += is_box && SV_TestEdictPosition(&match->sv, edict) ? 1 : 0;
}

static void test_side_by_side(void **state) {
    (void)state;
    lane_t lanes[] = {{.name = "step", .mover = MOVER_STEP},
                      {.name = "ray", .mover = MOVER_RAY, .max_pitch = 35.0f, .max_roll = 25.0f},
                      {.name = "upright", .mover = MOVER_RAY},
                      {.name = "sweep", .mover = MOVER_SWEEP},
                      {.name = "drop", .mover = MOVER_DROP}};
    match_t match;
    start(&match);
    assert_int_equal(match.map->num_models, 2); // the mound is loaded
    for (int32_t tick = 0; tick < TICKS; tick++) {
        vec3_t before[COUNTOF(lanes)];
        for (size_t i = 0; i < COUNTOF(lanes); i++) {
            before[i] = walker(&match, lanes[i].name)->origin;
        }
        Events_Clear(match.events);
        SV_Frame(match.world, match.map, &match.game, match.inputs, match.events);
        for (size_t i = 0; i < COUNTOF(lanes); i++) {
            look(&match, &lanes[i], before[i]);
        }
    }
    for (size_t i = 0; i < COUNTOF(lanes); i++) {
        const lane_t *lane = &lanes[i];
        print_message("%s: %d arrivals, rests at most %d ticks, %d ticks in solid, pitch %.1f, "
                      "roll %.1f, top %.1f\n",
                      lane->name, lane->arrivals, lane->longest_idle, lane->solid,
                      (double)lane->pitch, (double)lane->roll, (double)lane->top);
    }
    for (size_t i = 0; i < COUNTOF(lanes); i++) {
        const lane_t *lane = &lanes[i];
        assert_int_equal(walker(&match, lane->name)->mover, lane->mover);
        assert_true(lane->arrivals >= 4 && lane->longest_idle < IDLE);
        assert_int_equal(lane->solid, 0);
        assert_true(lane->pitch <= lane->max_pitch + EPSILON);
        assert_true(lane->roll <= lane->max_roll + EPSILON);
        assert_true(lane->top > SHELF); // it climbed the stairs
    }
    assert_true(lanes[1].pitch > 20.0f && lanes[1].roll > 2.0f);
    assert_int_equal(match.world->counters.quarantined, 0);
    end(&match);
}

// ---- invalid values ----

static int32_t warnings(const match_t *match, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < match->events->count; i++) {
        count += strstr(match->events->list[i].text, text) != NULL;
    }
    return count;
}

static void test_invalid_values(void **state) {
    (void)state;
    match_t match;
    start(&match);
    edict_t *edict = walker(&match, "ray");
    const sv_context_t *sv = &match.sv;
    Events_Clear(match.events);
    assert_false(sv->engine->set_mover(&match.sv, edict, "teleport",
                                       &(mover_limits_t){NAN, -1.0f, 1e9f, true}));
    assert_int_equal(edict->mover, MOVER_STEP);
    assert_true(edict->max_pitch == 0.0f && edict->max_roll == 0.0f && edict->step_height == 0.0f);
    assert_int_equal(warnings(&match, "mover: expected step, ray, sweep or drop"), 1);
    assert_int_equal(warnings(&match, "max_pitch: expected 0 (default) to below 89"), 1);
    assert_int_equal(warnings(&match, "max_roll: "), 1);
    assert_int_equal(warnings(&match, "step_height: "), 1);
    assert_true(sv->engine->set_mover(&match.sv, edict, "drop", &(mover_limits_t){0}));
    assert_int_equal(edict->mover, MOVER_DROP);
    assert_int_equal(edict->flags & FL_UPRIGHT, 0);
    end(&match);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_invalid_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
