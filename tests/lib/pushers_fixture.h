/// pushers_fixture.h - a hall with pushers, and the helpers that every test of pushers needs.
//
// Header only, because each test program has its own hall.

#ifndef EDICTD_TESTS_PUSHERS_FIXTURE_H
#define EDICTD_TESTS_PUSHERS_FIXTURE_H

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "move/pusher.h"
#include "world/block.h"
#include "world/pushers.h"

#include <string.h>

#define EPS 0.03125f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

enum { PLATFORM = 1, DOOR, CEILING, PILLAR };

// Each model in its own space, around 0 0 0. The room is 1024 x 1024 x 512, with a wall across at x
// = 400 and a ceiling of 80 above part of it.
static const test_block_t blocks[] = {
    {.box = {{400, -512, 0}, {432, 512, 512}}, .contents = CONTENTS_SOLID},
    {.box = {{-512, 300, 80}, {-300, 512, 128}}, .contents = CONTENTS_SOLID},
    {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = PLATFORM},
    {.box = {{-8, -64, 0}, {8, 64, 128}}, .contents = CONTENTS_SOLID, .model = DOOR},
    {.box = {{-64, -64, 0}, {64, 64, 16}}, .contents = CONTENTS_SOLID, .model = CEILING},
    {.box = {{-16, -16, 0}, {16, 16, 64}}, .contents = CONTENTS_SOLID, .model = PILLAR},
};

static const test_map_t hall = {.room = {{-512, -512, 0}, {512, 512, 512}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

static inline void count_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)sv;
    self->effects++;
    memcpy(self->game, &(int32_t){World_EdictNumber(sv->world, obstacle)}, 4);
}

static inline void remove_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    self->effects++;
    SV_RemoveEdict(sv, obstacle);
}

static inline void reverse_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)obstacle;
    self->effects++;
    SV_PusherMoveTo(sv, self, (pose_t){{0.0f, 0.0f, 300.0f}, {0, 0, 0}}, 1000);
}

static inline void note_think(sv_context_t *sv, edict_t *self) {
    int64_t times[2] = {SV_PusherTime(sv, self), SV_Time(sv)};
    memcpy(self->game + 8, times, sizeof times);
    self->effects++;
}

static inline void trigger_touch(sv_context_t *sv, edict_t *self, edict_t *other,
                                 const trace_t *trace) {
    (void)sv;
    (void)other;
    (void)trace;
    self->effects++;
}

static const callback_t functions[] = {
    {.name = "count", .blocked = count_blocked},     {.name = "remove", .blocked = remove_blocked},
    {.name = "reverse", .blocked = reverse_blocked}, {.name = "think", .think = note_think},
    {.name = "trigger", .touch = trigger_touch},
};

static test_sim_t sim;

static inline int setup(void **state) {
    (void)state;
    TestSim_Init(&sim, &hall, 512);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    return 0;
}

static inline int teardown(void **state) {
    (void)state;
    err_t err = {{0}};
    if (!World_Check(sim.world, sim.world->bytes, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    TestSim_Free(&sim);
    return 0;
}

static inline edict_t *spawn_pusher(int32_t model, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_PUSH, SOLID_BSP, origin, 0.0f);
    edict->model = model;
    edict->mins = sim.map.models[model].bounds.mins;
    edict->maxs = sim.map.models[model].bounds.maxs;
    edict->blocked = Callbacks_Find(sim.world, "count");
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static inline edict_t *spawn_walker(vec3_t feet) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_WALK, SOLID_SLIDEBOX,
                                   VectorAdd(feet, Vector(0.0f, 0.0f, 24.0f + EPS)), 0.0f);
    edict->mins = PM_PLAYER_MINS;
    edict->maxs = PM_PLAYER_MAXS;
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static inline edict_t *spawn_crate(vec3_t feet) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX,
                                   VectorAdd(feet, Vector(0.0f, 0.0f, 16.0f + EPS)), 16.0f);
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static inline void ticks(int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        TestSim_Tick(&sim);
    }
}

static inline void move_to(edict_t *pusher, vec3_t origin, float yaw, int32_t ms) {
    assert_true(SV_PusherMoveTo(&sim.sv, pusher, (pose_t){origin, {0.0f, yaw, 0.0f}}, ms));
}

static inline void assert_place(vec3_t found, float x, float y, float z, float within) {
    if (!(VectorLength(VectorSubtract(found, Vector(x, y, z))) <= within)) {
        fail_msg("found %.9g %.9g %.9g, expected %g %g %g", (double)found.x, (double)found.y,
                 (double)found.z, (double)x, (double)y, (double)z);
    }
}

static inline bool rests_on(const edict_t *edict, const edict_t *ground) {
    return (edict->flags & FL_ONGROUND) && World_Deref(sim.world, edict->groundentity) == ground;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
