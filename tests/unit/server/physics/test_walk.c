// A walking edict without a client, and a noclip edict.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "state/player_state.h"
#include "world/block.h"

static edict_t *add(test_sim_t *sim, movetype_t movetype, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(sim, movetype, SOLID_SLIDEBOX, origin, 0.0f);
    edict->mins = PM_PLAYER_MINS;
    edict->maxs = PM_PLAYER_MAXS;
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static void run(test_sim_t *sim, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        TestSim_Tick(sim);
    }
}

static void test_falls_slides_and_rests(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *edict = add(&sim, MOVETYPE_WALK, Vector(0.0f, 0.0f, 100.0f));
    edict->velocity = Vector(300.0f, 0.0f, 0.0f);
    run(&sim, 200);
    assert_true(edict->flags & FL_ONGROUND);
    assert_int_equal(edict->groundentity.index, EDICT_WORLD);
    assert_true(fabsf(edict->origin.z - 24.0f) < 0.1f);
    assert_true(edict->origin.x > 100.0f);
    assert_true(edict->origin.x < 400.0f);
    assert_true(edict->velocity.x == 0.0f);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

static void test_gravity_scale(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *light = add(&sim, MOVETYPE_WALK, Vector(0.0f, 0.0f, 500.0f));
    edict_t *heavy = add(&sim, MOVETYPE_WALK, Vector(100.0f, 0.0f, 500.0f));
    light->gravity = 0.5f;
    run(&sim, 11); // 10 moves
    assert_true(fabsf(light->velocity.z + 64.0f) < 0.01f);
    assert_true(fabsf(heavy->velocity.z + 128.0f) < 0.01f);
    TestSim_Free(&sim);
}

static void test_stands_on_an_edict_until_it_goes(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *crate =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 40.0f), 40.0f);
    SV_LinkEdict(&sim.sv, crate, false);
    edict_t *edict = add(&sim, MOVETYPE_WALK, Vector(0.0f, 0.0f, 150.0f));
    run(&sim, 100);
    assert_true(fabsf(edict->origin.z - 104.0f) < 0.1f);
    assert_int_equal(edict->groundentity.index, World_EdictNumber(sim.world, crate));
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    SV_RemoveEdict(&sim.sv, crate);
    run(&sim, 100);
    assert_true(fabsf(edict->origin.z - 24.0f) < 0.1f);
    TestSim_Free(&sim);
}

static void test_stuck_in_the_air_until_freed(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *box =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 500.0f), 64.0f);
    SV_LinkEdict(&sim.sv, box, false);
    edict_t *edict = add(&sim, MOVETYPE_WALK, Vector(0.0f, 0.0f, 500.0f));
    run(&sim, 50);
    assert_true(edict->origin.z == 500.0f);
    SV_RemoveEdict(&sim.sv, box);
    run(&sim, 200);
    assert_true(fabsf(edict->origin.z - 24.0f) < 0.1f);
    TestSim_Free(&sim);
}

static void count_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)other;
    (void)trace;
    self->effects++;
}

static const callback_t functions[] = {{.name = "count", .touch = count_touch}};

static void test_touches_what_it_walks_into(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    edict_t *box =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(60.0f, 0.0f, 30.0f), 30.0f);
    edict_t *trigger =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0.0f, 0.0f, 30.0f), 30.0f);
    box->touch = Callbacks_Find(sim.world, "count");
    trigger->touch = Callbacks_Find(sim.world, "count");
    SV_LinkEdict(&sim.sv, box, false);
    SV_LinkEdict(&sim.sv, trigger, false);
    edict_t *edict = add(&sim, MOVETYPE_WALK, Vector(0.0f, 0.0f, 25.0f));
    edict->velocity = Vector(320.0f, 0.0f, 0.0f);
    run(&sim, 20);
    assert_true(box->effects > 0);
    assert_true(trigger->effects > 0);
    assert_true(edict->origin.x < 15.0f);
    TestSim_Free(&sim);
}

static void test_noclip(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    edict_t *trigger =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(50.0f, 0.0f, 30.0f), 30.0f);
    trigger->touch = Callbacks_Find(sim.world, "count");
    SV_LinkEdict(&sim.sv, trigger, false);
    edict_t *edict = add(&sim, MOVETYPE_NOCLIP, Vector(0.0f, 0.0f, 30.0f));
    edict->velocity = Vector(1000.0f, 0.0f, -1000.0f);
    edict->avelocity = Vector(0.0f, 100.0f, 0.0f);
    run(&sim, 11); // 10 moves
    assert_true(fabsf(edict->origin.x - 160.0f) < 0.01f);
    assert_true(fabsf(edict->origin.z + 130.0f) < 0.01f); // through the floor
    assert_true(fabsf(edict->angles.y - 16.0f) < 0.01f);
    assert_true(edict->absmin.x == edict->origin.x + edict->mins.x - 1.0f);
    assert_int_equal(trigger->effects, 0);
    edict->velocity = Vector(0.0f, 0.0f, 0.0f);
    run(&sim, 5);
    assert_true(fabsf(edict->angles.y - 24.0f) < 0.01f); // still turning
    edict->avelocity = Vector(0.0f, 0.0f, 0.0f);
    run(&sim, 5);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_slides_and_rests),
        cmocka_unit_test(test_gravity_scale),
        cmocka_unit_test(test_stands_on_an_edict_until_it_goes),
        cmocka_unit_test(test_stuck_in_the_air_until_freed),
        cmocka_unit_test(test_touches_what_it_walks_into),
        cmocka_unit_test(test_noclip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
