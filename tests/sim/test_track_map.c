// maps/tracks.map: a player drives the train over slopes and around the curve to the end of the
// line, back, and into the siding; a platform takes the train down to another track; the lift
// turns, and the gate follows the valve.

#include "core/core_local.h"
#include "game/game.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 16

static void assert_near(float found, float expected, float within) {
    if (!(fabsf(found - expected) <= within)) {
        fail_msg("found %g, expected %g +- %g", (double)found, (double)expected, (double)within);
    }
}

static void start(test_world_t *test) {
    char path[512];
    snprintf(path, sizeof path, "%s/maps/tracks.bsp", Test_BuildFolder());
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not compiled (make maps)\n", path);
        skip();
    }
    TestWorld_InitFile(test, path, 1);
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    Game_Vars(&sv)->train_react_ms = 250;
    assert_int_equal(TestWorld_CountEvents(test, EVENT_LOG, ""), 0); // nothing to complain about
    TestWorld_Join(test, 0, "ann");
    TestWorld_Tick(test);
}

static void run(test_world_t *test, int32_t ms, int16_t forward, uint8_t buttons) {
    for (int32_t at = 0; at < ms; at += TICK_MS) {
        TestWorld_Cmd(test, 0,
                      (usercmd_t){.msec = TICK_MS, .forward = forward, .buttons = buttons});
        TestWorld_Tick(test);
    }
}

static edict_t *find(test_world_t *test, const char *classname) {
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    edict_t *edict = sv.engine->find_class(&sv, NULL, classname);
    assert_non_null(edict);
    return edict;
}

static void put(test_world_t *test, vec3_t origin) {
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    edict_t *player = World_Edict(test->world, 1);
    sv.engine->teleport(&sv, player, origin, vec3_zero, vec3_zero);
}

// Drives from one end of the line to the other. Returns when the train stands.
static void drive(test_world_t *test, edict_t *train, int16_t forward) {
    const edict_t *player = World_Edict(test->world, 1);
    for (int32_t i = 0; i < 4; i++) {
        run(test, TICK_MS, forward, 0);
        run(test, TICK_MS, 0, 0);
    }
    for (int32_t i = 0; i < 1500 && train->nextthink_ms != 0; i++) {
        run(test, TICK_MS, 0, 0);
        assert_ptr_equal(World_Deref(test->world, player->groundentity), train);
    }
    assert_near(Game_Fields(train)->pace, 0.0f, 0.0f);
}

static void test_a_player_drives_the_train(void **state) {
    (void)state;
    test_world_t test;
    start(&test);
    run(&test, 400, 0, 0);
    edict_t *train = find(&test, "func_tracktrain");
    assert_near(train->origin.x, -600.0f, 0.01f);
    put(&test, Vector(-560.0f, -400.0f, 44.0f));
    run(&test, 320, 0, 0);
    run(&test, TICK_MS, 0, BUTTON_USE);
    drive(&test, train, 300);
    assert_near(train->origin.x, 400.0f, 0.1f);
    assert_near(train->origin.y, 480.0f, 0.1f);
    assert_near(train->origin.z, 60.0f, 0.1f);
    drive(&test, train, -300);
    assert_near(train->origin.x, -600.0f, 0.1f);
    assert_near(train->origin.y, -400.0f, 0.1f);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *button = find(&test, "func_button");
    sv.engine->use(&sv, button, button, NULL); // switches the points
    run(&test, 640, 0, 0);
    drive(&test, train, 300);
    assert_near(train->origin.x, 200.0f, 0.1f);
    assert_near(train->origin.y, 300.0f, 0.1f);
    assert_near(train->origin.z, 110.0f, 0.1f);
    edict_t *lever = find(&test, "func_rot_button");
    sv.engine->use(&sv, lever, lever, NULL);
    run(&test, 2400, 0, 0);
    assert_near(lever->angles.z, 0.0f, 0.1f); // it has returned
    assert_near(find(&test, "func_trackchange")->angles.y, 20.0f, 0.1f);
    assert_near(train->origin.z, 30.0f, 0.1f);
    assert_ptr_equal(World_Deref(test.world, World_Edict(test.world, 1)->groundentity), train);
    drive(&test, train, 300);
    assert_near(train->origin.x, -200.0f, 0.1f);
    assert_near(train->origin.z, 30.0f, 0.1f);
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

// The lever answers the use button of a player in front of it, not a touch.
static void test_the_lever(void **state) {
    (void)state;
    test_world_t test;
    start(&test);
    put(&test, Vector(-730.0f, -160.0f, 25.0f));
    edict_t *lever = find(&test, "func_rot_button");
    run(&test, 160, -320, 0); // against it
    assert_near(lever->angles.z, 0.0f, 0.0f);
    run(&test, TICK_MS, 0, BUTTON_USE);
    run(&test, 640, 0, 0);
    assert_near(lever->angles.z, 45.0f, 0.1f);
    run(&test, 1000, 0, 0);
    assert_near(find(&test, "func_trackchange")->angles.y, 20.0f, 5.0f);
    TestWorld_Free(&test);
}

static void test_lift_valve_and_pendulum(void **state) {
    (void)state;
    test_world_t test;
    start(&test);
    put(&test, Vector(-600.0f, 300.0f, 42.0f));
    const edict_t *lift = find(&test, "func_platrot");
    float low = lift->origin.z;
    run(&test, 2400, 0, 0);
    assert_near(lift->origin.z - low, 84.0f, 0.1f);
    assert_near(lift->angles.y, 90.0f, 0.1f);
    assert_near(World_Edict(test.world, 1)->origin.z, 100.0f + 24.0f, 0.5f);
    put(&test, Vector(-728.0f, 56.0f, 25.0f));
    edict_t *gate = find(&test, "momentary_door");
    float travel = Game_Fields(gate)->pos2.z;
    assert_near(travel, 118.0f, 2.0f);
    run(&test, 1600, 0, BUTTON_USE);
    assert_near(gate->origin.z, travel * 1.6f * 60.0f / 180.0f, 2.0f);
    run(&test, 320, 0, 0);
    assert_near(gate->origin.z, find(&test, "momentary_rot_button")->angles.z / 180.0f * travel,
                0.05f);
    float most = 0.0f;
    for (int32_t i = 0; i < 400; i++) {
        run(&test, TICK_MS, 0, 0);
        most = fmaxf(most, fabsf(find(&test, "func_pendulum")->angles.z));
    }
    assert_near(most, 30.0f, 0.1f);
    TestWorld_Free(&test);
}

// A driver whose train is removed walks again.
static void test_the_train_is_removed(void **state) {
    (void)state;
    test_world_t test;
    start(&test);
    run(&test, 400, 0, 0);
    edict_t *train = find(&test, "func_tracktrain");
    put(&test, Vector(-560.0f, -400.0f, 44.0f));
    run(&test, 320, 0, 0);
    run(&test, TICK_MS, 0, BUTTON_USE);
    const edict_t *player = World_Edict(test.world, 1);
    assert_int_equal(player->movetype, MOVETYPE_TOSS);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    sv.engine->remove(&sv, train);
    vec3_t was = player->origin;
    run(&test, 1000, 300, 0);
    assert_int_equal(player->movetype, MOVETYPE_WALK);
    assert_true(fabsf(player->origin.x - was.x) + fabsf(player->origin.y - was.y) > 100.0f);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_player_drives_the_train),
        cmocka_unit_test(test_the_lever),
        cmocka_unit_test(test_lift_valve_and_pendulum),
        cmocka_unit_test(test_the_train_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
