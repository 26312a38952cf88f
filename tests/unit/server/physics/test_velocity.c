// Valid velocities: clamps, NaN, impossible states.

#include "lib/sim_fixture.h"
#include "lib/testing.h"

static void set_up(test_sim_t *sim) {
    TestSim_InitRoom(sim, 64);
}

static edict_t *add(test_sim_t *sim, movetype_t movetype) {
    edict_t *edict = TestSim_Spawn(sim, movetype, SOLID_BBOX, Vector(0.0f, 0.0f, 500.0f), 4.0f);
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static void test_clamped_per_axis(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *edict = add(&sim, MOVETYPE_FLY);
    edict->velocity = Vector(2000.0f, -2000.0f, 1999.0f);
    assert_true(SV_CheckVelocity(&sim.sv, edict));
    assert_true(VectorCompare(edict->velocity, Vector(2000.0f, -2000.0f, 1999.0f)));
    assert_int_equal(sim.world->counters.velocity_clamped, 0);
    edict->velocity = Vector(2001.0f, -1e30f, 5.0f);
    assert_true(SV_CheckVelocity(&sim.sv, edict));
    assert_true(VectorCompare(edict->velocity, Vector(2000.0f, -2000.0f, 5.0f)));
    assert_int_equal(sim.world->counters.velocity_clamped, 1);
    sim.world->cvars.move.sv_maxvelocity = 100.0f;
    assert_true(SV_CheckVelocity(&sim.sv, edict));
    assert_true(VectorCompare(edict->velocity, Vector(100.0f, -100.0f, 5.0f)));
    TestSim_Free(&sim);
}

// One impossible number quarantines one edict, whatever its movetype; all others continue.
static void test_impossible_states(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *witness = add(&sim, MOVETYPE_TOSS);
    witness->origin.x = 100.0f;
    SV_LinkEdict(&sim.sv, witness, false);
    const movetype_t movetypes[] = {MOVETYPE_NOCLIP, MOVETYPE_WALK, MOVETYPE_TOSS,
                                    MOVETYPE_BOUNCE, MOVETYPE_FLY,  MOVETYPE_FLYMISSILE};
    for (size_t i = 0; i < COUNTOF(movetypes) * 7; i++) {
        edict_t *edict = add(&sim, movetypes[i / 7]);
        edict->velocity = Vector(1.0f, 0.0f, 0.0f);
        switch (i % 7) {
        case 0:
            edict->velocity.z = NAN;
            break;
        case 1:
            edict->velocity.x = -INFINITY;
            break;
        case 2:
            edict->avelocity.y = NAN;
            break;
        case 3:
            edict->avelocity.y = 1e30f;
            break;
        case 4:
            edict->gravity = INFINITY;
            break;
        case 5:
            edict->origin.x = NAN;
            break;
        default:
            edict->angles.x = NAN;
            break;
        }
        TestSim_Tick(&sim);
        TestSim_Tick(&sim);
        assert_true(edict->flags & FL_QUARANTINED);
        assert_true(VectorWithin(edict->velocity, 1e9f));
        assert_true(VectorWithin(edict->origin, 1e9f));
        assert_true(VectorWithin(edict->avelocity, 1e9f));
        assert_true(VectorWithin(edict->angles, 1e9f));
        assert_true(fabsf(edict->gravity) < 1e9f);
        assert_int_equal(sim.world->counters.quarantined, i + 1);
        SV_FreeEdict(&sim.sv, edict);
    }
    assert_false(witness->flags & FL_QUARANTINED);
    assert_true(witness->origin.z < 500.0f);
    TestSim_Free(&sim);
}

static void test_impossible_movetype(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    const int32_t wrong[] = {99, -1, MOVETYPE_COUNT, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        edict_t *edict = add(&sim, MOVETYPE_TOSS);
        edict->movetype = wrong[i];
        TestSim_Tick(&sim);
        // Not visited in the tick in which it was spawned.
        assert_false(edict->flags & FL_QUARANTINED);
        TestSim_Tick(&sim);
        assert_true(edict->flags & FL_QUARANTINED);
        assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "edict"), 1);
    }
    TestSim_Free(&sim);
}

static void test_leaving_the_world(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *edict = add(&sim, MOVETYPE_NOCLIP);
    edict->velocity = Vector(2000.0f, 0.0f, 0.0f);
    for (int32_t tick = 0; tick < 3000; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(edict->flags & FL_QUARANTINED);
    assert_true(edict->origin.x > 65000.0f);
    assert_true(edict->origin.x < 66000.0f);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clamped_per_axis),
        cmocka_unit_test(test_impossible_states),
        cmocka_unit_test(test_impossible_movetype),
        cmocka_unit_test(test_leaving_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
