// STEP edicts with a mover of their own: they fall, walk, meet each other, sleep and wake, and an
// impossible mover takes out only its edict.

#include "lib/test_sim.h"
#include "lib/testing.h"

#include "collide/contact.h"
#include "move/body.h"

static const bounds_t box = {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}};

static edict_t *add(test_sim_t *sim, pm_mover_t mover, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_STEP, SOLID_SLIDEBOX, origin, 0.0f);
    edict->mins = box.mins;
    edict->maxs = box.maxs;
    edict->mover = (int32_t)mover;
    edict->flags |= FL_MONSTER;
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static void run(test_sim_t *sim, edict_t *edict, float x, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        edict->velocity.x = x;
        SV_WakeEdict(&sim->sv, edict);
        TestSim_Tick(sim);
    }
}

static void test_falls_walks_and_rests(void **state) {
    (void)state;
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        edict_t *edict = add(&sim, mover, Vector(0.0f, 0.0f, 200.0f));
        run(&sim, edict, 0.0f, 60);
        assert_true(edict->flags & FL_ONGROUND);
        assert_int_equal(edict->groundentity.index, EDICT_WORLD);
        assert_true(edict->origin.z >= 24.0f && edict->origin.z < 24.1f);
        run(&sim, edict, 200.0f, 50);
        assert_true(fabsf(edict->origin.x - 200.0f * 50.0f * 0.016f) < 1.0f);
        edict->velocity.x = 0.0f;
        TestSim_Tick(&sim);
        TestSim_Tick(&sim);
        int32_t number = World_EdictNumber(sim.world, edict);
        assert_true(World_NextActive(sim.world, number - 1) != number); // asleep
        run(&sim, edict, 2000.0f, 100);                                 // to the wall of the room
        assert_true(edict->origin.x < 1024.0f && edict->origin.x > 1000.0f);
        assert_int_equal(sim.world->counters.quarantined, 0);
        TestSim_Free(&sim);
    }
}

// One stands in the other's way; the box movers stop at it, and stand on it.
static void test_meets_other_edicts(void **state) {
    (void)state;
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        edict_t *other = add(&sim, MOVER_STEP, Vector(200.0f, 0.0f, 24.1f));
        edict_t *edict = add(&sim, mover, Vector(0.0f, 0.0f, 24.1f));
        run(&sim, edict, 200.0f, 80);
        assert_true(edict->origin.x <= 168.0f && edict->origin.x > 160.0f);
        edict_t *falls = add(&sim, mover, Vector(205.0f, 3.0f, 150.0f));
        run(&sim, falls, 0.0f, 60);
        assert_true(falls->flags & FL_ONGROUND);
        assert_int_equal(falls->groundentity.index, World_EdictNumber(sim.world, other));
        assert_true(fabsf(falls->origin.z - (other->origin.z + 56.0f)) < 0.1f);
        TestSim_Free(&sim);
    }
}

static void test_overlap(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *other = add(&sim, MOVER_STEP, Vector(0.0f, 0.0f, 124.0f));
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t entnums[MAX_CONTACTS];
    const bounds_t at = {{10.0f, -4.0f, 110.0f}, {30.0f, 4.0f, 130.0f}};
    assert_int_equal(SV_Overlap(&sim.sv, at, MOVE_NORMAL, NULL, contacts, entnums), 1);
    assert_int_equal(entnums[0], World_EdictNumber(sim.world, other));
    assert_true(contacts[0].normal.x == 1.0f && contacts[0].depth == 6.0f);
    assert_int_equal(SV_Overlap(&sim.sv, at, MOVE_NORMAL, other, contacts, entnums), 0);
    assert_int_equal(SV_Overlap(&sim.sv, at, MOVE_NOMONSTERS, NULL, contacts, entnums), 0);
    const bounds_t low = {{-10.0f, -10.0f, -3.0f}, {10.0f, 10.0f, 101.0f}};
    assert_int_equal(SV_Overlap(&sim.sv, low, MOVE_NORMAL, NULL, contacts, entnums), 2);
    assert_true(entnums[0] == 0 && fabsf(contacts[0].depth - 3.0f) < 0.1f); // the floor, deepest
    assert_true(entnums[1] != 0 && contacts[1].normal.z == -1.0f && contacts[1].depth == 1.0f);
    const bounds_t nowhere = {{NAN, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    assert_int_equal(SV_Overlap(&sim.sv, nowhere, MOVE_NORMAL, NULL, contacts, entnums), 0);
    TestSim_Free(&sim);
}

static void test_impossible_mover(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *bad = add(&sim, (pm_mover_t)77, Vector(0.0f, 0.0f, 100.0f));
    edict_t *good = add(&sim, MOVER_DROP, Vector(200.0f, 0.0f, 100.0f));
    run(&sim, good, 0.0f, 60);
    assert_int_equal(sim.world->counters.quarantined, 1);
    assert_true(good->flags & FL_ONGROUND);
    assert_true(bad->origin.z == 100.0f);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_walks_and_rests),
        cmocka_unit_test(test_meets_other_edicts),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_impossible_mover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
