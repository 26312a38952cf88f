// The reference game: triggers, targets and teleporters.

#include "core/core_local.h"
#include "game/game.h"
#include "lib/course_fixture.h"
#include "lib/events_fixture.h"
#include "lib/testing.h"

#include <string.h>

static void test_triggers_do_their_work(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    usercmd_t still = {.msec = COURSE_TICK_MS};

    TestCourse_Put(&test, Vector(-325, 100, 24.03125f));
    int32_t tripped = 0;
    for (int i = 0; i < 130; i++) { // just over 2 s in a trigger with a wait of 1 s
        TestWorld_Cmd(&test, 0, still);
        TestWorld_Tick(&test);
        tripped += TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "tripped");
    }
    assert_int_equal(tripped, 3);

    TestCourse_Put(&test, Vector(-80, 0, 24.03125f));
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true(client->player.velocity.z > 350.0f); // 40 * 10, less gravity

    TestCourse_Put(&test, Vector(410, 300, 24.03125f));
    uint32_t before = client->player.flags & PMF_TELEPORT;
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true((client->player.flags & PMF_TELEPORT) != before);
    assert_true(fabsf(client->player.origin.x + 300.0f) < 10.0f);
    assert_true(client->player.velocity.y > 200.0f); // out of the exit, along its angle
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true(client->player.angles.y == 90.0f); // the same usercmd now looks along the exit

    TestCourse_Put(&test, Vector(-400, 350, 24.03125f));
    int32_t deaths = 0;
    for (int i = 0; i < 200; i++) { // 40 points a second: dead in the third second
        TestWorld_Cmd(&test, 0, still);
        TestWorld_Tick(&test);
        deaths += TestEvents_Effects(test.world, test.events, "death");
    }
    assert_int_equal(deaths, 1);
    TestWorld_Free(&test);
}

// ---- a chain of triggers ----

static const test_block_t chain_blocks[] = {
    {.box = {{-100, -100, 0}, {-50, 100, 64}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{300, 300, 0}, {350, 350, 64}}, .contents = CONTENTS_SOLID, .model = 2},
    {.box = {{300, -350, 0}, {350, -300, 64}}, .contents = CONTENTS_SOLID, .model = 3},
};

// Builds a room with these entities.
static void build_room(test_world_t *test, const char *entities) {
    char text[4096];
    snprintf(text, sizeof text,
             "{ \"classname\" \"worldspawn\" }\n"
             "{ \"classname\" \"info_player_start\" \"origin\" \"-400 0 24\" }\n%s",
             entities);
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = chain_blocks,
                            .num_blocks = (int32_t)COUNTOF(chain_blocks),
                            .entities = text};
    TestWorld_Init(test, &map, 4);
}

// Builds a room with a player inside model *1.
static void build_chain(test_world_t *test, const char *entities) {
    build_room(test, entities);
    TestWorld_Join(test, 0, "ann");
    TestWorld_Tick(test);
    TestCourse_Put(test, Vector(-75, 0, 24.03125f));
}

// Runs `ms` with a player that does nothing; returns how many prints contained `text`.
static int32_t run_ms(test_world_t *test, int32_t ms, const char *text) {
    int32_t count = 0;
    for (int32_t at = 0; at < ms; at += COURSE_TICK_MS) {
        TestWorld_Cmd(test, 0, (usercmd_t){.msec = COURSE_TICK_MS});
        TestWorld_Tick(test);
        count += TestWorld_CountEvents(test, EVENT_PRINT, text) +
                 TestWorld_CountEvents(test, EVENT_CENTERPRINT, text);
    }
    return count;
}

static void test_a_trigger_waits_a_fifth_of_a_second(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test, "{\"classname\" \"trigger_multiple\" \"model\" \"*1\" \"message\" \"m\"}");
    int32_t count = run_ms(&test, 2000, "m");
    assert_true(count >= 9);
    assert_true(count <= 10);
    TestWorld_Free(&test);
}

static void test_once_is_once(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"classname\" \"trigger_once\" \"model\" \"*1\" \"message\" \"m\"}",
        "{\"classname\" \"trigger_multiple\" \"model\" \"*1\" \"message\" \"m\" \"wait\" \"-1\"}",
    };
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        test_world_t test;
        build_chain(&test, texts[i]);
        assert_int_equal(run_ms(&test, 2000, "m"), 1);
        TestWorld_Free(&test);
    }
}

// Spawnflag 1: the trigger can only be fired as a target.
static void test_a_trigger_that_is_not_touched(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test, "{\"classname\" \"trigger_multiple\" \"model\" \"*1\" \"message\" \"m\" "
                       "\"spawnflags\" \"1\"}");
    assert_int_equal(run_ms(&test, 1000, "m"), 0);
    TestWorld_Free(&test);
    build_chain(&test, "{\"classname\" \"trigger_once\" \"model\" \"*1\" \"target\" \"t\"}"
                       "{\"classname\" \"trigger_multiple\" \"model\" \"*2\" \"message\" \"m\" "
                       "\"targetname\" \"t\" \"spawnflags\" \"1\"}");
    assert_int_equal(run_ms(&test, 1000, "m"), 1);
    TestWorld_Free(&test);
}

// A delayed firing still happens if its trigger is removed, and knows its activator.
static void test_delay_and_killtarget(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test, "{\"classname\" \"trigger_once\" \"model\" \"*1\" \"target\" \"t\" "
                       "\"killtarget\" \"victim\" \"delay\" \"0.5\" \"message\" \"later\"}"
                       "{\"classname\" \"trigger_multiple\" \"model\" \"*2\" \"targetname\" \"t\" "
                       "\"message\" \"chained\"}"
                       "{\"classname\" \"func_wall\" \"model\" \"*3\" \"targetname\" \"victim\"}"
                       "{\"classname\" \"info_player_start\" \"targetname\" \"victim\"}");
    const int32_t wall = test.world->max_clients + 4;
    assert_int_equal(World_Edict(test.world, wall)->solid, SOLID_BSP);
    assert_int_equal(run_ms(&test, 480, "later"), 0);
    assert_int_equal(World_Edict(test.world, wall)->inuse, 1);
    int32_t chained = 0;
    for (int i = 0; i < 4; i++) {
        TestWorld_Tick(&test);
        chained += TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "chained");
    }
    assert_int_equal(chained, 1);
    assert_int_equal(World_Edict(test.world, wall)->inuse, 0);
    assert_int_equal(World_Edict(test.world, wall + 1)->inuse, 0);
    TestWorld_Free(&test);
}

// Triggers fire each other, and a trigger kills itself: the tick ends.
static void test_loops_end(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test,
                "{\"classname\" \"trigger_multiple\" \"model\" \"*1\" \"target\" \"t\" "
                "\"targetname\" \"t\" \"wait\" \"0.001\" \"message\" \"a\"}"
                "{\"classname\" \"trigger_multiple\" \"model\" \"*2\" \"target\" \"t\" "
                "\"targetname\" \"t\" \"wait\" \"0.001\" \"message\" \"b\" \"delay\" \"0.001\"}"
                "{\"classname\" \"trigger_once\" \"model\" \"*3\" \"target\" \"t\" "
                "\"targetname\" \"t\" \"killtarget\" \"t\" \"delay\" \"0.3\"}");
    int32_t edicts = test.world->num_edicts;
    (void)run_ms(&test, 2000, "a");
    assert_true(test.world->num_edicts < edicts + 16);
    for (int32_t i = test.world->max_clients + 2; i < edicts; i++) {
        assert_int_equal(World_Edict(test.world, i)->inuse, 0); // t killed all of them
    }
    TestWorld_Free(&test);
}

// ---- teleporters ----

static void test_a_named_teleporter_works_when_fired(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test, "{\"classname\" \"trigger_teleport\" \"model\" \"*1\" \"target\" \"exit\" "
                       "\"targetname\" \"gate\"}"
                       "{\"classname\" \"info_teleport_destination\" \"origin\" \"200 200 0\" "
                       "\"targetname\" \"exit\" \"angle\" \"180\"}"
                       "{\"classname\" \"trigger_multiple\" \"model\" \"*2\" \"target\" \"gate\"}");
    const edict_t *ann = World_Edict(test.world, 1);
    (void)run_ms(&test, 500, "");
    assert_true(ann->origin.x < 0.0f);
    TestWorld_Join(&test, 1, "bob");
    TestWorld_Tick(&test);
    edict_t *bob = World_Edict(test.world, 2);
    bob->origin = Vector(325, 325, 24.03125f); // bob stands in the door's trigger
    bob->oldorigin = bob->origin;
    TestWorld_Cmd(&test, 1, (usercmd_t){.msec = COURSE_TICK_MS});
    (void)run_ms(&test, 100, "");
    const client_t *client = World_Client(test.world, 0);
    assert_true(ann->origin.x > 150.0f);
    assert_true(ann->origin.x < 200.0f);
    assert_true(ann->origin.y == 200.0f);
    assert_true(client->player.velocity.x < -250.0f); // 300 out of the exit, less friction
    assert_true(client->player.angles.y == 180.0f);
    TestWorld_Free(&test);
}

static void test_a_teleporter_without_exit_is_reported(void **state) {
    (void)state;
    test_world_t test;
    const char *text = "{\"classname\" \"trigger_teleport\" \"model\" \"*1\" \"target\" \"x\"}";
    build_room(&test, text);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "leads nowhere: no entity has the targetname \"x\""),
                     1);
    TestWorld_Free(&test);
    build_chain(&test, text);
    (void)run_ms(&test, 500, "");
    assert_true(World_Edict(test.world, 1)->origin.x == -75.0f);
    TestWorld_Free(&test);
}

static void test_who_stands_in_the_exit_dies(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test, "{\"classname\" \"trigger_teleport\" \"model\" \"*1\" \"target\" \"exit\"}"
                       "{\"classname\" \"info_teleport_destination\" \"origin\" \"-400 0 -3\" "
                       "\"targetname\" \"exit\"}");
    TestWorld_Join(&test, 1, "bob"); // at the spawn point, which is the exit
    TestWorld_Tick(&test);
    assert_int_equal(run_ms(&test, 100, "bob was telefragged by "), 1);
    assert_int_equal(World_Client(test.world, 1)->player.health, 0);
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    TestWorld_Free(&test);
}

// A monster in the exit dies like a player.
static void test_a_monster_in_the_exit_dies(void **state) {
    (void)state;
    test_world_t test;
    build_chain(&test, "{\"classname\" \"trigger_teleport\" \"model\" \"*1\" \"target\" \"exit\"}"
                       "{\"classname\" \"info_teleport_destination\" \"origin\" \"300 0 0\" "
                       "\"targetname\" \"exit\"}");
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    Game_Vars(&sv)->monsters = 1;
    edict_t *ogre = sv.engine->spawn(&sv);
    ogre->classname = sv.engine->string(&sv, "monster_ogre");
    ogre->origin = Vector(300, 10, 24.03125f);
    Game_SpawnMonster(&sv, ogre);
    run_ms(&test, 32, "");
    assert_false(World_IsLive(ogre)); // gibbed
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    assert_true(World_Edict(test.world, 1)->origin.x > 250.0f);
    assert_int_equal(test.world->counters.unstuck, 0);
    TestWorld_Free(&test);
}

// If several traps overlap, only the strongest hurts, once per second, in any order of touches.
// Traps hurt monsters, too.
static void test_traps_in_one_place(void **state) {
    (void)state;
    static const char *const damages[2][2] = {{"5", "30"}, {"30", "5"}};
    for (int i = 0; i < 2; i++) {
        char text[512];
        test_world_t test;
        snprintf(text, sizeof text,
                 "{\"classname\" \"trigger_hurt\" \"model\" \"*1\" \"dmg\" \"%s\"}"
                 "{\"classname\" \"trigger_hurt\" \"model\" \"*1\" \"dmg\" \"%s\"}",
                 damages[i][0], damages[i][1]);
        build_chain(&test, text);
        run_ms(&test, 960, "");
        assert_int_equal(World_Client(test.world, 0)->player.health, 70);
        run_ms(&test, 1000, "");
        assert_int_equal(World_Client(test.world, 0)->player.health, 40);
        TestWorld_Free(&test);
    }
    test_world_t test;
    build_room(&test, "{\"classname\" \"trigger_hurt\" \"model\" \"*1\" \"dmg\" \"30\"}");
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    Game_Vars(&sv)->monsters = 1;
    edict_t *ogre = sv.engine->spawn(&sv);
    ogre->classname = sv.engine->string(&sv, "monster_ogre");
    ogre->origin = Vector(-75, 0, 24.03125f);
    Game_SpawnMonster(&sv, ogre);
    sv.engine->link(&sv, ogre, true);
    sv.engine->link(&sv, ogre, true);
    assert_int_equal(Game_Fields(ogre)->health, 170);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triggers_do_their_work),
        cmocka_unit_test(test_a_trigger_waits_a_fifth_of_a_second),
        cmocka_unit_test(test_once_is_once),
        cmocka_unit_test(test_a_trigger_that_is_not_touched),
        cmocka_unit_test(test_delay_and_killtarget),
        cmocka_unit_test(test_loops_end),
        cmocka_unit_test(test_a_named_teleporter_works_when_fired),
        cmocka_unit_test(test_a_teleporter_without_exit_is_reported),
        cmocka_unit_test(test_who_stands_in_the_exit_dies),
        cmocka_unit_test(test_a_monster_in_the_exit_dies),
        cmocka_unit_test(test_traps_in_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
