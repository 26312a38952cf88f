// SV_Physics as a whole: random storms of all features, restored and repeated; the list of visited
// edicts; full worlds; no allocation in a tick.

#include "physics/physics.h"

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "world/block.h"
#include "world/history.h"

#include <malloc.h>
#include <string.h>

// ---- a game that breaks every rule ----

static float random_in(sv_context_t *sv, float lo, float hi) {
    return Rng_Range(&sv->world->rng, lo, hi);
}

static void randomize(sv_context_t *sv, edict_t *edict) {
    rng_t *rng = &sv->world->rng;
    float half = random_in(sv, 0.0f, 24.0f);
    edict->movetype = (int32_t)Rng_Below(rng, MOVETYPE_COUNT);
    edict->solid = (int32_t)Rng_Below(rng, SOLID_BSP); // this edict has no brush model
    edict->flags |= Rng_Below(rng, 4) == 0 ? FL_MONSTER : Rng_Below(rng, 4) == 0 ? FL_ITEM : 0;
    edict->mins = Vector(-half, -half, -half);
    edict->maxs = Vector(half, half, half);
    edict->velocity = Vector(random_in(sv, -600.0f, 600.0f), random_in(sv, -600.0f, 600.0f),
                             random_in(sv, -600.0f, 600.0f));
    edict->avelocity.y = random_in(sv, -90.0f, 90.0f);
    edict->gravity = Rng_Below(rng, 3) == 0 ? 0.5f : 0.0f;
    edict->think = Callbacks_Find(sv->world, Rng_Below(rng, 2) ? "chaos_think" : "remove_think");
    edict->touch = Callbacks_Find(sv->world, "chaos_touch");
    SV_SetNextThink(sv, edict, SV_Time(sv) + (int64_t)Rng_Below(rng, 300));
    SV_LinkEdict(sv, edict, Rng_Below(rng, 2) == 0);
}

static void remove_think(sv_context_t *sv, edict_t *self) {
    SV_RemoveEdict(sv, self);
}

static void chaos_think(sv_context_t *sv, edict_t *self) {
    rng_t *rng = &sv->world->rng;
    switch (Rng_Below(rng, 8)) {
    case 0:
        SV_RemoveEdict(sv, World_Edict(sv->world, 2 + (int32_t)Rng_Below(rng, 100)));
        break;
    case 1:
        self->origin = Vector(random_in(sv, -900.0f, 900.0f), random_in(sv, -900.0f, 900.0f),
                              random_in(sv, 10.0f, 900.0f));
        SV_LinkEdict(sv, self, true);
        break;
    case 2:
        self->velocity.z = Rng_Below(rng, 10) == 0 ? NAN : 300.0f;
        break;
    case 3:
        self->movetype = Rng_Below(rng, 20) == 0 ? 99 : (int32_t)Rng_Below(rng, MOVETYPE_COUNT);
        break;
    default:
        for (int32_t i = 0; i < 2; i++) {
            edict_t *edict = SV_SpawnEdict(sv);
            if (edict) {
                edict->origin = self->origin;
                edict->owner = World_Ref(sv->world, self);
                randomize(sv, edict);
            }
        }
        break;
    }
    if (World_IsLive(self)) {
        SV_SetNextThink(sv, self, SV_Time(sv) + (int64_t)Rng_Below(rng, 40));
    }
}

static void chaos_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    rng_t *rng = &sv->world->rng;
    switch (Rng_Below(rng, 16)) {
    case 0:
        SV_RemoveEdict(sv, self);
        break;
    case 1:
        SV_RemoveEdict(sv, other);
        break;
    case 2:
        SV_LinkEdict(sv, other, true);
        break;
    case 3:
        self->solid = SOLID_TRIGGER;
        SV_LinkEdict(sv, self, true);
        break;
    default:
        break;
    }
}

static const callback_t functions[] = {
    {.name = "chaos_think", .think = chaos_think},
    {.name = "remove_think", .think = remove_think},
    {.name = "chaos_touch", .touch = chaos_touch},
};

static void start_chaos(test_sim_t *sim, uint64_t seed) {
    const test_block_t blocks[] = {
        TestMap_RampX((vec3_t){100.0f, -200.0f, 0.0f}, (vec3_t){500.0f, 200.0f, 160.0f}),
        {.box = {{-400.0f, 300.0f, 0.0f}, {400.0f, 700.0f, 128.0f}}, .contents = CONTENTS_WATER},
        TestMap_Box((vec3_t){-300.0f, -300.0f, 100.0f}, (vec3_t){-100.0f, -100.0f, 120.0f}),
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks)};
    TestSim_Init(sim, &map, 500);
    TestSim_Bind(sim, functions, COUNTOF(functions));
    sim->world->rng.state = seed;
    for (int32_t i = 0; i < 40; i++) {
        edict_t *edict = SV_SpawnEdict(&sim->sv);
        edict->origin = Vector(random_in(&sim->sv, -900.0f, 900.0f),
                               random_in(&sim->sv, -900.0f, 900.0f), 500.0f);
        randomize(&sim->sv, edict);
        edict->think = Callbacks_Find(sim->world, "chaos_think");
        edict->solid = SOLID_NOT; // these edicts last longer
    }
}

// ---- storms ----

static void storm(uint64_t seed, int32_t ticks) {
    test_sim_t sim;
    err_t err = {{0}};
    print_message("storm of seed %llu\n", (unsigned long long)seed);
    start_chaos(&sim, seed);
    for (int32_t tick = 0; tick < ticks; tick++) {
        TestSim_Tick(&sim);
        if (!World_Check(sim.world, sim.world->bytes, &err)) {
            print_message("tick %d: %s\n", tick, err.text);
        }
        assert_true(World_Check(sim.world, sim.world->bytes, &err));
    }
    assert_true(sim.world->counters.quarantined > 0);
    assert_true(sim.world->num_edicts > 100);
    // No NaN appears, and no edict leaves the world unless it is quarantined.
    for (int32_t i = 2; i < sim.world->num_edicts; i++) {
        const edict_t *edict = World_Edict(sim.world, i);
        assert_true(VectorWithin(edict->origin, 70000.0f));
        assert_true(VectorWithin(edict->velocity, 10000.0f) || edict->inuse);
    }
    TestSim_Free(&sim);
}

static void test_storms(void **state) {
    (void)state;
    int32_t count = Test_IsLong() ? 100 : 4;
    for (int32_t i = 0; i < count; i++) {
        storm((uint64_t)(1000 + i), 300);
    }
}

static void test_restored_and_run_again(void **state) {
    (void)state;
    test_sim_t sim;
    uint64_t hashes[200];
    start_chaos(&sim, 5);
    for (int32_t tick = 0; tick < 150; tick++) {
        TestSim_Tick(&sim);
    }
    world_t *copy = TestSim_Copy(&sim);
    for (int32_t tick = 0; tick < 200; tick++) {
        hashes[tick] = TestSim_Tick(&sim);
    }
    uint64_t end = World_Hash(sim.world);
    memcpy(sim.world, copy, copy->bytes);
    for (int32_t tick = 0; tick < 200; tick++) {
        assert_int_equal(TestSim_Tick(&sim), hashes[tick]);
    }
    assert_int_equal(World_Hash(sim.world), end);
    free(copy);
    TestSim_Free(&sim);
}

static void test_no_allocation_in_a_tick(void **state) {
    (void)state;
    test_sim_t sim;
    start_chaos(&sim, 9);
    size_t before = mallinfo2().uordblks;
    for (int32_t tick = 0; tick < 100; tick++) {
        TestSim_Tick(&sim);
        assert_int_equal(mallinfo2().uordblks, before);
    }
    TestSim_Free(&sim);
}

// ---- visited edicts ----

static void test_what_rests_is_not_visited(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 4096);
    for (int32_t i = 0; i < 3000; i++) {
        vec3_t at = {(float)(i % 50) * 40.0f - 980.0f, (float)(i / 50) * 33.0f - 980.0f, 9.0f};
        SV_LinkEdict(&sim.sv, TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, at, 8.0f), false);
    }
    for (int32_t tick = 0; tick < 20; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    uint64_t before = World_Hash(sim.world);
    int64_t time_ms = sim.world->time_ms;
    int64_t ticks = sim.world->tick;
    uint64_t hash = sim.world->tick_hash;
    history_head_t *head = (history_head_t *)((uintptr_t)sim.world + sim.world->ofs_history);
    const history_head_t clock = *head; // the period of the ticks is in it
    for (int32_t tick = 0; tick < 100; tick++) {
        TestSim_Tick(&sim);
    }
    head->period = clock.period;
    sim.world->time_ms = time_ms;
    sim.world->tick = ticks;
    sim.world->tick_hash = hash;
    assert_int_equal(World_Hash(sim.world), before); // no byte was written
    TestSim_Free(&sim);
}

static void test_each_moves_once_a_tick(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *edicts[10];
    for (int32_t i = 0; i < 10; i++) {
        edicts[i] = TestSim_Spawn(&sim, MOVETYPE_FLY, SOLID_BBOX,
                                  Vector(0.0f, (float)i * 50.0f, 500.0f), 4.0f);
        edicts[i]->velocity = Vector(100.0f, 0.0f, 0.0f);
        SV_LinkEdict(&sim.sv, edicts[i], false);
    }
    TestSim_Tick(&sim);
    for (int32_t tick = 1; tick <= 20; tick++) {
        for (int32_t i = 0; i < 10; i++) {
            SV_WakeEdict(&sim.sv, edicts[i]);
        }
        TestSim_Tick(&sim);
        for (int32_t i = 0; i < 10; i++) {
            assert_true(fabsf(edicts[i]->origin.x - 1.6f * (float)tick) < 0.001f);
        }
    }
    TestSim_Free(&sim);
}

// 65,534 edicts all move: no limit of the world's data blocks them.
static void test_full_world_in_motion(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err;
    TestSim_InitRoom(&sim, MAX_EDICTS);
    int32_t count = 0;
    edict_t *edict = NULL;
    while ((edict = SV_SpawnEdict(&sim.sv)) != NULL) {
        edict->movetype = MOVETYPE_FLY;
        edict->solid = SOLID_TRIGGER;
        edict->origin = Vector((float)(count % 1000) * 2.0f - 1000.0f,
                               (float)(count / 1000) * 20.0f - 1000.0f, 500.0f);
        edict->velocity = Vector(0.0f, 0.0f, 10.0f);
        SV_LinkEdict(&sim.sv, edict, false);
        count++;
    }
    assert_int_equal(count, MAX_EDICTS - 2);
    for (int32_t tick = 0; tick < 3; tick++) {
        TestSim_Tick(&sim);
    }
    for (int32_t i = 2; i < MAX_EDICTS; i++) {
        assert_true(World_Edict(sim.world, i)->origin.z > 500.3f);
    }
    assert_true(World_Check(sim.world, sim.world->bytes, &err));
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storms),
        cmocka_unit_test(test_restored_and_run_again),
        cmocka_unit_test(test_no_allocation_in_a_tick),
        cmocka_unit_test(test_what_rests_is_not_visited),
        cmocka_unit_test(test_each_moves_once_a_tick),
        cmocka_unit_test(test_full_world_in_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
