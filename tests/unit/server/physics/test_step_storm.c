// Monsters, crates, followers and tossed edicts, in a game that breaks rules. The world stays
// valid, and a repeated run gives the same world.

#include "physics/actions.h"
#include "physics/physics.h"

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

#define NUM_EDICTS 120

static uint32_t below(sv_context_t *sv, uint32_t n) {
    return Rng_Below(&sv->world->rng, n);
}

static edict_t *any_edict(sv_context_t *sv) {
    return World_Edict(sv->world, 1 + (int32_t)below(sv, NUM_EDICTS));
}

// Returns a mostly valid value; sometimes one that no game should write.
static float any_float(sv_context_t *sv, float reach) {
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e-40f, 0.0f};
    return below(sv, 60) == 0 ? bad[below(sv, COUNTOF(bad))]
                              : Rng_Range(&sv->world->rng, -reach, reach);
}

static vec3_t any_vector(sv_context_t *sv, float reach) {
    float x = any_float(sv, reach);
    float y = any_float(sv, reach);
    return Vector(x, y, any_float(sv, reach));
}

static void set_any_field(sv_context_t *sv, edict_t *edict) {
    switch (below(sv, 12)) {
    case 0:
        edict->friction = any_float(sv, 3.0f);
        break;
    case 1:
        edict->surface_velocity = any_vector(sv, 300.0f);
        break;
    case 2:
        edict->basevelocity = any_vector(sv, 300.0f);
        break;
    case 3:
        edict->ideal_yaw = any_float(sv, 400.0f);
        break;
    case 4:
        edict->yaw_speed = any_float(sv, 100.0f);
        break;
    case 5:
        edict->angles = any_vector(sv, 400.0f);
        break;
    case 6:
        edict->avelocity = any_vector(sv, 400.0f);
        break;
    case 7:
        edict->gravity = any_float(sv, 2.0f);
        break;
    case 8:
        edict->visibility = (int16_t)below(sv, VISIBLE_TEAM + 2);
        break;
    case 9:
        edict->follow_offset = any_vector(sv, 50.0f);
        edict->follow_bone = (int32_t)below(sv, 65536) - 32768;
        break;
    default:
        edict->velocity = any_vector(sv, 500.0f);
        break;
    }
}

static void randomize(sv_context_t *sv, edict_t *edict) {
    static const uint32_t flags[] = {0,      FL_MONSTER, FL_MONSTER, FL_PUSHABLE, FL_PUSHABLE,
                                     FL_FLY, FL_SWIM,    FL_CLIENT,  FL_ITEM,     FL_PARTIALGROUND};
    float half = Rng_Range(&sv->world->rng, 0.0f, 30.0f);
    edict->movetype = below(sv, 2) ? (int32_t)MOVETYPE_STEP : (int32_t)below(sv, MOVETYPE_COUNT);
    edict->solid = (int32_t)below(sv, SOLID_BSP);
    edict->flags |= flags[below(sv, COUNTOF(flags))] | flags[below(sv, COUNTOF(flags))];
    edict->mins = Vector(-half, -half, -half);
    edict->maxs = Vector(half, half, half);
    edict->yaw_speed = 45.0f;
    edict->think = Callbacks_Find(sv->world, "chaos");
    edict->touch = below(sv, 3) ? Callbacks_Find(sv->world, "bump") : 0;
    SV_SetNextThink(sv, edict, SV_Time(sv) + (int64_t)below(sv, 200));
    SV_LinkEdict(sv, edict, below(sv, 2) == 0);
}

static void spawn_one(sv_context_t *sv) {
    edict_t *edict = SV_SpawnEdict(sv);
    if (edict) {
        edict->origin = Vector(Rng_Range(&sv->world->rng, -500.0f, 500.0f),
                               Rng_Range(&sv->world->rng, -500.0f, 500.0f),
                               Rng_Range(&sv->world->rng, 30.0f, 400.0f));
        randomize(sv, edict);
    }
}

static void chaos_think(sv_context_t *sv, edict_t *self) {
    edict_t *other = any_edict(sv);
    trace_t blocked;
    SV_SetNextThink(sv, self, SV_Time(sv) + 1 + (int64_t)below(sv, 150));
    switch (below(sv, 14)) {
    case 0:
        SV_RemoveEdict(sv, other);
        spawn_one(sv);
        break;
    case 1:
        SV_Follow(sv, self, other->inuse ? other : NULL, any_vector(sv, 40.0f),
                  any_vector(sv, 90.0f));
        break;
    case 2:
        if (other->inuse && other != self) {
            SV_Follow(sv, other, self, any_vector(sv, 40.0f), any_vector(sv, 90.0f));
        }
        break;
    case 3:
        SV_WalkMove(sv, self, any_float(sv, 360.0f), any_float(sv, 40.0f), NULL);
        break;
    case 4:
        SV_StepDirection(sv, self, any_float(sv, 360.0f), 10.0f, NULL);
        break;
    case 5:
        SV_MoveStep(sv, self, any_vector(sv, 40.0f), true, &blocked);
        assert_in_range(blocked.entnum + 1, 0, sv->world->num_edicts);
        break;
    case 6:
        self->movetype = (int32_t)below(sv, MOVETYPE_COUNT);
        SV_LinkEdict(sv, self, false);
        break;
    case 7:
        if (other->inuse) {
            set_any_field(sv, other);
            SV_LinkEdict(sv, other, true);
        }
        break;
    case 8:
        SV_SetGround(sv, self, NULL);
        self->velocity = any_vector(sv, 500.0f);
        break;
    case 9:
        if (self->movetype == MOVETYPE_PUSH && other->inuse && other->movetype == MOVETYPE_PUSH) {
            SV_PusherTeam(sv, self, other);
        }
        break;
    default:
        if (other->inuse) {
            SV_MoveToGoal(sv, self, other, any_float(sv, 20.0f), NULL);
        }
        break;
    }
}

static void bump_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    switch (below(sv, 20)) {
    case 0:
        SV_RemoveEdict(sv, self);
        break;
    case 1:
        SV_RemoveEdict(sv, other);
        break;
    case 2:
        other->velocity = any_vector(sv, 400.0f);
        break;
    case 3:
        SV_Follow(sv, other, self, any_vector(sv, 20.0f), any_vector(sv, 20.0f));
        break;
    case 4:
        SV_WalkMove(sv, other, 90.0f, 8.0f, NULL);
        break;
    default:
        break;
    }
}

static const callback_t functions[] = {
    {.name = "chaos", .think = chaos_think},
    {.name = "bump", .touch = bump_touch},
};

static void start(test_sim_t *sim, uint64_t seed) {
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){-600.0f, -600.0f, 0.0f}, (vec3_t){-200.0f, 600.0f, 16.0f}),
        TestMap_Box((vec3_t){-600.0f, -600.0f, 0.0f}, (vec3_t){-400.0f, 600.0f, 32.0f}),
        TestMap_RampX((vec3_t){100.0f, -600.0f, 0.0f}, (vec3_t){400.0f, -100.0f, 200.0f}),
        {.box = {{0.0f, 200.0f, 0.0f}, {600.0f, 600.0f, 150.0f}}, .contents = CONTENTS_CURRENT_180},
    };
    const test_map_t map = {.room = {{-600.0f, -600.0f, 0.0f}, {600.0f, 600.0f, 500.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks),
                            .brush_list = seed % 2 == 0};
    TestSim_Init(sim, &map, NUM_EDICTS + 8);
    TestSim_Bind(sim, functions, COUNTOF(functions));
    sim->world->rng.state = seed;
    sim->world->cvars.move.sv_tossrules = seed % 4 >= 2;
    for (int32_t i = 0; i < NUM_EDICTS - 4; i++) {
        spawn_one(&sim->sv);
    }
}

static uint64_t tick(test_sim_t *sim) {
    if (sim->world->tick % 8 == 0) {
        spawn_one(&sim->sv); // replaces quarantined edicts
    }
    SV_Pushers(&sim->sv);
    uint64_t hash = TestSim_Tick(sim);
    SV_Followers(&sim->sv);
    SV_FreeRemoved(&sim->sv);
    return hash;
}

static void clear_quarantined(test_sim_t *sim) {
    for (int32_t i = 2; i < sim->world->num_edicts; i++) {
        edict_t *edict = World_Edict(sim->world, i);
        if (edict->inuse && (edict->flags & FL_QUARANTINED)) {
            SV_RemoveEdict(&sim->sv, edict);
        }
    }
    SV_FreeRemoved(&sim->sv);
}

static void storm(uint64_t seed, int32_t ticks) {
    test_sim_t sim;
    err_t err = {{0}};
    start(&sim, seed);
    int64_t followers = 0;
    for (int32_t i = 0; i < ticks; i++) {
        tick(&sim);
        if (!World_Check(sim.world, sim.world->bytes, &err)) {
            fail_msg("seed %llu, tick %d: %s", (unsigned long long)seed, i, err.text);
        }
        for (int32_t n = 2; n < sim.world->num_edicts; n++) {
            const edict_t *edict = World_Edict(sim.world, n);
            followers += edict->inuse && edict->movetype == MOVETYPE_FOLLOW;
            if (edict->inuse && !VectorWithin(edict->origin, MAX_WORLD_COORD)) {
                fail_msg("seed %llu, tick %d: edict %d is nowhere", (unsigned long long)seed, i, n);
            }
        }
        if (i % 16 == 0) {
            clear_quarantined(&sim);
        }
    }
    assert_true(sim.world->counters.quarantined > 0);
    assert_true(followers > ticks);
    TestSim_Free(&sim);
}

static void test_storms(void **state) {
    (void)state;
    int32_t count = Test_IsLong() ? 400 : 12;
    for (int32_t i = 0; i < count; i++) {
        storm((uint64_t)(5000 + i), 400);
    }
}

static void test_the_same_again(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        test_sim_t sim;
        uint64_t hashes[150];
        start(&sim, seed);
        for (int32_t i = 0; i < 100; i++) {
            tick(&sim);
        }
        world_t *copy = TestSim_Copy(&sim);
        for (int32_t i = 0; i < 150; i++) {
            hashes[i] = tick(&sim);
        }
        uint64_t at_end = World_Hash(sim.world);
        memcpy(sim.world, copy, copy->bytes);
        for (int32_t i = 0; i < 150; i++) {
            assert_int_equal(tick(&sim), hashes[i]);
        }
        assert_int_equal(World_Hash(sim.world), at_end);
        free(copy);
        TestSim_Free(&sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storms),
        cmocka_unit_test(test_the_same_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
