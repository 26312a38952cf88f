// Entities that act on edicts inside or on them; breakable and exploding entities; traps; and the
// triggers that test_triggers.c does not test.

#include "game/players.h"
#include "lib/events_fixture.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include "world/link.h"
#include "world/move.h"

#include <math.h>
#include <string.h>

static edict_t *start(test_world_t *test, const char *entities, const char *classname) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 64, NULL);
    return classname ? TestMachines_Class(test, classname) : NULL;
}

static void use(test_world_t *test, edict_t *edict) {
    sv_context_t sv = TestMachines_Context(test);
    edict_t *player = World_Edict(test->world, 1);
    sv.engine->use(&sv, edict, player, player);
}

static int32_t count_class(const test_world_t *test, const char *classname) {
    int32_t count = 0;
    for (int32_t i = 1; i < test->world->num_edicts; i++) {
        const edict_t *edict = World_Edict(test->world, i);
        count += edict->inuse && strcmp(World_Text(test->world, edict->classname), classname) == 0
                     ? 1
                     : 0;
    }
    return count;
}

static const player_state_t *ann(const test_world_t *test) {
    return &World_Client(test->world, 0)->player;
}

// ---- volumes ----

static void test_water_that_rises(void **state) {
    (void)state;
    test_world_t test;
    edict_t *water = start(&test,
                           "{\"classname\" \"func_water\" \"model\" \"*6\" \"angle\" \"-1\" "
                           "\"lip\" \"-36\" \"speed\" \"100\" \"skin\" \"-4\"}",
                           "func_water");
    sv_context_t sv = TestMachines_Context(&test);
    const vec3_t place = {-350.0f, 250.0f, 80.0f};
    assert_int_equal(SV_PointContents(&sv, place), CONTENTS_EMPTY);
    use(&test, water);
    (void)TestMachines_Run(&test, 1200, NULL);
    assert_true(water->origin.z == 100.0f); // 64 high, plus 36
    sv = TestMachines_Context(&test);
    assert_int_equal(SV_PointContents(&sv, VectorAdd(place, Vector(0, 0, 60))), CONTENTS_SLIME);
    (void)TestMachines_Run(&test, 20000, NULL);
    assert_true(water->origin.z == 100.0f); // waits until it is fired again
    TestWorld_Free(&test);
}

static void test_a_ladder_is_climbed(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test, "{\"classname\" \"func_ladder\" \"model\" \"*6\"}", "func_ladder");
    sv_context_t sv = TestMachines_Context(&test);
    assert_int_equal(SV_PointContents(&sv, Vector(-350, 250, 30)), CONTENTS_LADDER);
    TestWorld_Free(&test);
}

static void test_a_conveyor_carries(void **state) {
    (void)state;
    test_world_t test;
    edict_t *belt = start(&test,
                          "{\"classname\" \"func_conveyor\" \"model\" \"*6\" \"angle\" \"90\" "
                          "\"speed\" \"40\"}",
                          "func_conveyor");
    TestMachines_Put(&test, Vector(-350.0f, 230.0f, 88.03125f));
    (void)TestMachines_Run(&test, 1008, NULL);
    float y = World_Edict(test.world, 1)->origin.y;
    assert_true(y > 250.0f);
    assert_true(y < 275.0f);
    use(&test, belt); // switched off
    (void)TestMachines_Run(&test, 500, NULL);
    y = World_Edict(test.world, 1)->origin.y;
    (void)TestMachines_Run(&test, 500, NULL);
    assert_true(fabsf(World_Edict(test.world, 1)->origin.y - y) < 1.0f);
    TestWorld_Free(&test);
}

static void test_a_lower_gravity(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test, "{\"classname\" \"trigger_gravity\" \"model\" \"*6\" \"gravity\" \"0.25\"}",
                NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    (void)TestMachines_Run(&test, 64, NULL);
    assert_true(World_Edict(test.world, 1)->gravity == 0.25f);
    TestWorld_Free(&test);
}

// ---- breakable entities ----

static void test_what_breaks(void **state) {
    (void)state;
    test_world_t test;
    edict_t *crate = start(&test,
                           "{\"classname\" \"func_breakable\" \"model\" \"*6\" \"health\" \"30\" "
                           "\"target\" \"r\"}"
                           "{\"classname\" \"trigger_relay\" \"targetname\" \"r\" \"message\" "
                           "\"broken\"}",
                           "func_breakable");
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *player = World_Edict(test.world, 1);
    Game_Damage(&sv, crate, player, 29, "");
    (void)TestMachines_Run(&test, 64, NULL);
    assert_int_equal(count_class(&test, "func_breakable"), 1);
    Events_Clear(test.events);
    Game_Damage(&sv, crate, player, 1, "");
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "broken"), 1);
    (void)TestMachines_Run(&test, 64, NULL);
    assert_int_equal(count_class(&test, "func_breakable"), 0);
    TestWorld_Free(&test);
}

static void test_what_only_a_use_breaks(void **state) {
    (void)state;
    test_world_t test;
    edict_t *crate = start(&test,
                           "{\"classname\" \"func_breakable\" \"model\" \"*6\" \"spawnflags\" "
                           "\"1\" \"health\" \"30\"}",
                           "func_breakable");
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *player = World_Edict(test.world, 1);
    Game_Damage(&sv, crate, player, 1000, "");
    (void)TestMachines_Run(&test, 64, NULL);
    assert_int_equal(count_class(&test, "func_breakable"), 1);
    sv.engine->use(&sv, crate, player, player);
    (void)TestMachines_Run(&test, 64, NULL);
    assert_int_equal(count_class(&test, "func_breakable"), 0);
    TestWorld_Free(&test);
}

// A box that is shot sets off the next one. Players near them are hurt; players behind a wall are
// not.
static void test_boxes_that_blow_up(void **state) {
    (void)state;
    test_world_t test;
    edict_t *box = start(&test,
                         "{\"classname\" \"misc_explobox\" \"origin\" \"-300 100 50\"}"
                         "{\"classname\" \"misc_explobox2\" \"origin\" \"-250 100 0\"}"
                         "{\"classname\" \"misc_explobox\" \"origin\" \"-160 0 0\"}"
                         "{\"classname\" \"func_wall\" \"model\" \"*5\"}",
                         "misc_explobox");
    assert_true(fabsf(box->origin.z) < 0.1f); // resting on the floor
    TestMachines_Put(&test, Vector(-300.0f, 0.0f, 24.03125f));
    (void)TestMachines_Run(&test, 64, NULL);
    sv_context_t sv = TestMachines_Context(&test);
    Game_Damage(&sv, box, World_Edict(test.world, 1), 20, "");
    assert_int_equal(TestMachines_Run(&test, 500, "explode"), 3); // also around the corner
    assert_int_equal(count_class(&test, "misc_explobox"), 0);
    assert_int_equal(count_class(&test, "misc_explobox2"), 0);
    assert_true(ann(&test)->health < PLAYER_HEALTH);
    TestWorld_Free(&test);
    // A player behind the wall.
    box = start(&test,
                "{\"classname\" \"misc_explobox2\" \"origin\" \"-160 -16 0\"}"
                "{\"classname\" \"func_wall\" \"model\" \"*5\"}",
                "misc_explobox2");
    TestMachines_Put(&test, Vector(-230.0f, 0.0f, 24.03125f));
    (void)TestMachines_Run(&test, 64, NULL);
    sv = TestMachines_Context(&test);
    Game_Damage(&sv, box, World_Edict(test.world, 1), 20, "");
    assert_int_equal(TestMachines_Run(&test, 500, "explode"), 1);
    assert_int_equal(ann(&test)->health, PLAYER_HEALTH);
    TestWorld_Free(&test);
}

// ---- traps ----

static void test_a_spike_hits(void **state) {
    (void)state;
    test_world_t test;
    edict_t *trap = start(&test,
                          "{\"classname\" \"trap_spikeshooter\" \"origin\" \"-200 0 30\" "
                          "\"angle\" \"180\" \"spawnflags\" \"1\"}",
                          "trap_spikeshooter");
    use(&test, trap);
    (void)TestMachines_Run(&test, 64, NULL);
    assert_int_equal(count_class(&test, "spike"), 1);
    (void)TestMachines_Run(&test, 600, NULL);
    assert_int_equal(count_class(&test, "spike"), 0);
    assert_int_equal(ann(&test)->health, PLAYER_HEALTH - 18);
    TestWorld_Free(&test);
}

static void test_lava_and_shooters_go_on(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test,
                "{\"classname\" \"misc_fireball\" \"origin\" \"300 300 30\" \"speed\" \"300\"}"
                "{\"classname\" \"trap_shooter\" \"origin\" \"-300 -400 30\" \"wait\" \"1\"}",
                NULL);
    int32_t balls = 0;
    int32_t spikes = 0;
    for (int32_t i = 0; i < 1250; i++) { // 20 s
        (void)TestMachines_Run(&test, 16, NULL);
        balls = Q_MaxI(balls, count_class(&test, "fireball"));
        spikes += TestEvents_Effects(test.world, test.events, "spike");
    }
    assert_true(balls >= 1);
    assert_true(spikes >= 15);
    assert_true(spikes <= 20);
    assert_true(test.world->num_edicts < 40);
    TestWorld_Free(&test);
}

// ---- triggers ----

static void test_one_with_an_angle_is_for_who_looks_along_it(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test,
                "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" \"angle\" \"180\" "
                "\"message\" \"seen\" \"wait\" \"0.1\"}",
                NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    assert_int_equal(TestMachines_Run(&test, 500, "seen"), 0); // the player looks along +x
    int32_t seen = 0;
    for (int32_t i = 0; i < 20; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = 16, .yaw = 32768});
        TestWorld_Tick(&test);
        seen += TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "seen");
    }
    assert_true(seen >= 2);
    TestWorld_Free(&test);
}

static void test_one_that_waits_for_the_use_button(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test,
                "{\"classname\" \"trigger_interact\" \"model\" \"*6\" \"message\" \"used\\nup\" "
                "\"target2\" \"r\"}"
                "{\"classname\" \"trigger_relay\" \"targetname\" \"r\" \"message\" \"second\"}",
                NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    assert_int_equal(TestMachines_Run(&test, 500, "used"), 0);
    int32_t used = 0;
    int32_t second = 0;
    for (int32_t i = 0; i < 4; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = 16, .buttons = BUTTON_USE});
        TestWorld_Tick(&test);
        used += TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "used\nup");
        second += TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "second");
    }
    assert_int_equal(used, 1);
    assert_int_equal(second, 1);
    TestWorld_Free(&test);
}

static void test_a_counter_counts(void **state) {
    (void)state;
    test_world_t test;
    edict_t *counter = start(&test,
                             "{\"classname\" \"trigger_counter\" \"count\" \"3\" \"target\" \"d\" "
                             "\"targetname\" \"c\"}"
                             "{\"classname\" \"light\" \"targetname\" \"d\"}",
                             "trigger_counter");
    const edict_t *light = TestMachines_Class(&test, "light");
    for (int32_t i = 0; i < 5; i++) {
        use(&test, counter);
        assert_int_equal(light->effects & 1, i >= 2 ? 1 : 0); // once, at the third use
    }
    TestWorld_Free(&test);
}

static void test_the_next_map(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test, "{\"classname\" \"trigger_changelevel\" \"model\" \"*6\" \"map\" \"next\"}",
                NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    TestWorld_Cmd(&test, 0, (usercmd_t){.msec = 16});
    TestWorld_Tick(&test);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_CHANGEMAP, "next"), 1);
    assert_int_equal(TestMachines_Run(&test, 500, "next"), 0); // only once
    TestWorld_Free(&test);
}

static void test_secrets_are_counted(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test,
                "{\"classname\" \"trigger_secret\" \"model\" \"*6\"}"
                "{\"classname\" \"trigger_secret\" \"model\" \"*7\"}",
                NULL);
    sv_context_t sv = TestMachines_Context(&test);
    assert_int_equal(Game_Vars(&sv)->total_secrets, 2);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    assert_int_equal(TestMachines_Run(&test, 500, "You found a secret"), 1);
    assert_int_equal(Game_Vars(&sv)->found_secrets, 1);
    TestWorld_Free(&test);
}

// It throws only monsters.
static void test_monsters_jump(void **state) {
    (void)state;
    test_world_t test;
    (void)start(&test,
                "{\"classname\" \"trigger_monsterjump\" \"model\" \"*6\" \"angle\" \"90\" "
                "\"speed\" \"150\" \"height\" \"250\"}",
                NULL);
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *monster = sv.engine->spawn(&sv);
    monster->movetype = MOVETYPE_STEP;
    monster->solid = SOLID_SLIDEBOX;
    monster->flags |= FL_MONSTER;
    monster->mins = Vector(-16.0f, -16.0f, -24.0f);
    monster->maxs = Vector(16.0f, 16.0f, 32.0f);
    monster->origin = Vector(-350.0f, 210.0f, 60.0f); // falls onto the floor first
    sv.engine->link(&sv, monster, false);
    float high = 0.0f;
    for (int32_t i = 0; i < 60; i++) {
        (void)TestMachines_Run(&test, 16, NULL);
        high = fmaxf(high, monster->velocity.z);
    }
    assert_true(high > 200.0f);
    assert_true(monster->origin.y > 240.0f);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    (void)TestMachines_Run(&test, 200, NULL);
    assert_true(World_Edict(test.world, 1)->velocity.z < 1.0f);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_water_that_rises),
        cmocka_unit_test(test_a_ladder_is_climbed),
        cmocka_unit_test(test_a_conveyor_carries),
        cmocka_unit_test(test_a_lower_gravity),
        cmocka_unit_test(test_what_breaks),
        cmocka_unit_test(test_what_only_a_use_breaks),
        cmocka_unit_test(test_boxes_that_blow_up),
        cmocka_unit_test(test_a_spike_hits),
        cmocka_unit_test(test_lava_and_shooters_go_on),
        cmocka_unit_test(test_one_with_an_angle_is_for_who_looks_along_it),
        cmocka_unit_test(test_one_that_waits_for_the_use_button),
        cmocka_unit_test(test_a_counter_counts),
        cmocka_unit_test(test_the_next_map),
        cmocka_unit_test(test_secrets_are_counted),
        cmocka_unit_test(test_monsters_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
