/// step_fixture.h - a room with a step, a ledge and water, and monsters in it.

#ifndef EDICTD_TESTS_STEP_FIXTURE_H
#define EDICTD_TESTS_STEP_FIXTURE_H

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#define STEP_X   200.0f // x at which the floor rises
#define LEDGE_X  -200.0f
#define LEDGE_UP 100.0f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};
static const vec3_t monster_mins = {-16.0f, -16.0f, -24.0f};
static const vec3_t monster_maxs = {16.0f, 16.0f, 32.0f};

// A step of `height` at x > STEP_X, a ledge LEDGE_UP high at x < LEDGE_X, water at y > 500.
static inline void set_up(test_sim_t *sim, float height) {
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){STEP_X, -1024.0f, 0.0f}, (vec3_t){1024.0f, 400.0f, height}),
        TestMap_Box((vec3_t){-1024.0f, -1024.0f, 0.0f}, (vec3_t){LEDGE_X, 400.0f, LEDGE_UP}),
        {.box = {{-1024.0f, 500.0f, 0.0f}, {1024.0f, 1024.0f, 200.0f}}, .contents = CONTENTS_WATER},
        {.box = {{-64.0f, -64.0f, -16.0f}, {64.0f, 64.0f, 16.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks),
                            .brush_list = true};
    TestSim_Init(sim, &map, 64);
}

static inline edict_t *add(test_sim_t *sim, vec3_t origin, uint32_t flags) {
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_STEP, SOLID_SLIDEBOX, origin, 0.0f);
    edict->mins = monster_mins;
    edict->maxs = monster_maxs;
    edict->flags |= FL_MONSTER | flags;
    edict->yaw_speed = 360.0f;
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static inline edict_t *add_standing(test_sim_t *sim, vec3_t origin) {
    edict_t *edict = add(sim, origin, 0);
    for (int32_t i = 0; i < 100 && !(edict->flags & FL_ONGROUND); i++) {
        TestSim_Tick(sim);
    }
    assert_true(edict->flags & FL_ONGROUND);
    return edict;
}

#endif
