// Edict slots: handles, reuse, removal, a full world, awake edicts.

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/area.h"
#include "world/block.h"

#include <string.h>

static void test_handles(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict = SV_SpawnEdict(&sim.sv);
    edict_ref_t ref = World_Ref(sim.world, edict);
    assert_ptr_equal(World_Deref(sim.world, ref), edict);
    assert_int_equal(ref.index, 2);
    assert_int_equal(ref.generation, 1);
    SV_FreeEdict(&sim.sv, edict);
    assert_null(World_Deref(sim.world, ref));
    assert_ptr_equal(SV_SpawnEdict(&sim.sv), edict);
    assert_null(World_Deref(sim.world, ref));
    assert_int_equal(edict->generation, 2);
    assert_null(World_Deref(sim.world, (edict_ref_t){15, 1})); // never used
    assert_null(World_Deref(sim.world, (edict_ref_t){16, 1}));
    assert_null(World_Deref(sim.world, (edict_ref_t){UINT32_MAX, UINT32_MAX}));
    TestSim_Free(&sim);
}

static void test_generation_never_is_none(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict = SV_SpawnEdict(&sim.sv);
    edict->generation = UINT32_MAX;
    SV_FreeEdict(&sim.sv, edict);
    assert_int_equal(SV_SpawnEdict(&sim.sv)->generation, 1);
    TestSim_Free(&sim);
}

static void test_freed_slot_is_zeroed(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(1.0f, 2.0f, 3.0f), 4.0f);
    memset(edict->game, 0xaa, sizeof edict->game);
    SV_LinkEdict(&sim.sv, edict, false);
    SV_SetNextThink(&sim.sv, edict, 99);
    SV_FreeEdict(&sim.sv, edict);
    edict_t expected = {.generation = 2, .next_free = -1};
    assert_memory_equal(edict, &expected, sizeof expected);
    assert_int_equal(sim.world->num_timers, 0);
    TestSim_Free(&sim);
}

static void test_full_world(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err;
    TestSim_InitRoom(&sim, MAX_EDICTS);
    int32_t spawned = 0;
    while (SV_SpawnEdict(&sim.sv)) {
        spawned++;
    }
    assert_int_equal(spawned, MAX_EDICTS - 2);
    assert_null(SV_SpawnEdict(&sim.sv));
    assert_int_equal(sim.world->counters.edicts_full, 2);
    assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "no free edict"), 1);
    SV_FreeEdict(&sim.sv, World_Edict(sim.world, 777));
    assert_ptr_equal(SV_SpawnEdict(&sim.sv), World_Edict(sim.world, 777));
    assert_true(World_Check(sim.world, sim.world->bytes, &err));
    for (int32_t tick = 0; tick < 3; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(World_NextActive(sim.world, -1), -1); // all edicts rest
    TestSim_Free(&sim);
}

static void test_client_slots_are_kept_apart(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *player = SV_SpawnEdictAt(&sim.sv, 1);
    edict_ref_t ref = World_Ref(sim.world, player);
    assert_int_equal(SV_SpawnEdictAt(&sim.sv, 1)->generation, ref.generation + 1);
    assert_null(World_Deref(sim.world, ref));
    SV_FreeEdict(&sim.sv, player);
    assert_int_equal(World_EdictNumber(sim.world, SV_SpawnEdict(&sim.sv)), 2);
    TestSim_Free(&sim);
}

static void test_removal_is_deferred(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict =
        TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(0.0f, 0.0f, 500.0f), 8.0f);
    edict_ref_t ref = World_Ref(sim.world, edict);
    SV_LinkEdict(&sim.sv, edict, false);
    SV_SetNextThink(&sim.sv, edict, 5);
    SV_RemoveEdict(&sim.sv, edict);
    SV_RemoveEdict(&sim.sv, edict);
    assert_int_equal(sim.world->num_killed, 1);
    assert_non_null(World_Deref(sim.world, ref)); // valid until the end of the tick
    assert_int_equal(sim.world->num_timers, 0);
    int32_t list[4];
    bounds_t all = {{-9e9f, -9e9f, -9e9f}, {9e9f, 9e9f, 9e9f}};
    assert_int_equal(SV_AreaEdicts(sim.world, all, AREA_SOLID, list, 4, NULL), 0);
    SV_LinkEdict(&sim.sv, edict, true); // a quarantined edict stays quarantined
    SV_SetNextThink(&sim.sv, edict, 9);
    SV_WakeEdict(&sim.sv, edict);
    assert_int_equal(SV_AreaEdicts(sim.world, all, AREA_SOLID, list, 4, NULL), 0);
    assert_int_equal(sim.world->num_timers, 0);
    SV_FreeRemoved(&sim.sv);
    assert_null(World_Deref(sim.world, ref));
    assert_int_equal(sim.world->num_killed, 0);
    TestSim_Free(&sim);
}

static void test_removed_ones_are_found_without_the_list(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict = SV_SpawnEdict(&sim.sv);
    SV_RemoveEdict(&sim.sv, edict);
    World_TickHash(sim.world); // empties the list of written edicts
    SV_FreeRemoved(&sim.sv);
    assert_int_equal(edict->inuse, 0);
    TestSim_Free(&sim);
}

static void test_map_cannot_be_removed(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *map = World_Edict(sim.world, EDICT_WORLD);
    SV_RemoveEdict(&sim.sv, map);
    SV_QuarantineEdict(&sim.sv, map, "test");
    SV_LinkEdict(&sim.sv, map, true);
    assert_int_equal(map->flags, 0);
    assert_false(Area_IsLinked(sim.world, EDICT_WORLD));
    TestSim_Free(&sim);
}

// Compares the used slots with a list of the test, through thousands of spawns and frees.
static void test_storm(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err;
    bool live[64] = {false};
    uint32_t generations[64] = {0};
    rng_t rng = {3};
    TestSim_InitRoom(&sim, 64);
    for (int32_t round = 0; round < 20000; round++) {
        int32_t pick = 2 + (int32_t)Rng_Below(&rng, 62);
        edict_t *edict = World_Edict(sim.world, pick);
        if (live[pick] && Rng_Below(&rng, 2) == 0) {
            SV_FreeEdict(&sim.sv, edict);
            live[pick] = false;
        } else if (live[pick]) {
            SV_RemoveEdict(&sim.sv, edict);
            SV_FreeRemoved(&sim.sv);
            live[pick] = false;
        } else {
            edict = SV_SpawnEdict(&sim.sv);
            int32_t number = edict ? World_EdictNumber(sim.world, edict) : 0;
            assert_false(live[number]);
            assert_true(number >= 2);
            assert_true(edict->generation > generations[number]);
            generations[number] = edict->generation;
            live[number] = true;
        }
        for (int32_t i = 2; i < sim.world->num_edicts; i++) {
            assert_int_equal(World_Edict(sim.world, i)->inuse, live[i] ? 1 : 0);
        }
    }
    assert_true(World_Check(sim.world, sim.world->bytes, &err));
    TestSim_Free(&sim);
}

static void test_awake_in_order(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 400);
    for (int32_t i = 0; i < 300; i++) {
        SV_SpawnEdict(&sim.sv);
    }
    TestSim_Tick(&sim);
    TestSim_Tick(&sim);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    const int32_t awake[] = {2, 63, 64, 127, 128, 301};
    for (size_t i = 0; i < COUNTOF(awake); i++) {
        SV_WakeEdict(&sim.sv, World_Edict(sim.world, awake[i]));
    }
    int32_t number = -1;
    for (size_t i = 0; i < COUNTOF(awake); i++) {
        number = World_NextActive(sim.world, number);
        assert_int_equal(number, awake[i]);
    }
    assert_int_equal(World_NextActive(sim.world, number), -1);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_generation_never_is_none),
        cmocka_unit_test(test_freed_slot_is_zeroed),
        cmocka_unit_test(test_full_world),
        cmocka_unit_test(test_client_slots_are_kept_apart),
        cmocka_unit_test(test_removal_is_deferred),
        cmocka_unit_test(test_removed_ones_are_found_without_the_list),
        cmocka_unit_test(test_map_cannot_be_removed),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_awake_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
