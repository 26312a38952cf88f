// Hostile or careless maps: nothing hangs, nothing is quarantined, and the log names each fault
// once.

#include "core/core_local.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Builds a map with these entities and runs `ms`. Returns how many log lines since the start
// contained `text`.
static int32_t play(test_world_t *test, const char *entities, int32_t ms, const char *text) {
    TestMachines_Init(test, entities, 0);
    int32_t count = TestWorld_CountEvents(test, EVENT_LOG, text);
    count += TestMachines_Run(test, ms, text);
    assert_int_equal(test->world->counters.quarantined, 0);
    return count;
}

// ---- numbers ----

static void test_any_speed_and_any_way(void **state) {
    (void)state;
    static const char *const classes[] = {
        "func_door",      "func_door_rotating",  "func_door_secret", "func_button",
        "func_plat",      "func_train",          "func_rotating",    "func_pendulum",
        "func_bobbing",   "func_water",          "func_conveyor",    "func_platrot",
        "momentary_door", "momentary_rot_button"};
    static const char *const keys[] = {"speed", "wait",    "lip",      "height", "distance",
                                       "dmg",   "t_width", "t_length", "damp",   "returnspeed"};
    static const char *const values[] = {"0", "-1", "-1000", "1e30", "1e-30", "-1e30", "99999"};
    for (size_t c = 0; c < COUNTOF(classes); c++) {
        for (size_t v = 0; v < COUNTOF(values); v++) {
            char text[2048];
            int at = snprintf(text, sizeof text,
                              "{\"classname\" \"%s\" \"model\" \"*1\" \"target\" \"a\" "
                              "\"spawnflags\" \"1\" ",
                              classes[c]);
            for (size_t k = 0; k < COUNTOF(keys); k++) {
                at += snprintf(text + at, sizeof text - (size_t)at, "\"%s\" \"%s\" ", keys[k],
                               values[v]);
            }
            snprintf(text + at, sizeof text - (size_t)at,
                     "}{\"classname\" \"path_corner\" \"origin\" \"50 0 0\" \"targetname\" \"a\" "
                     "\"target\" \"b\" \"speed\" \"%s\" \"bend\" \"%s 0 0\"}"
                     "{\"classname\" \"path_corner\" \"origin\" \"90 0 9\" \"targetname\" \"b\" "
                     "\"target\" \"a\" \"speed\" \"%s\"}",
                     values[v], values[v], values[v]);
            test_world_t test;
            TestMachines_Init(&test, text, 0);
            (void)TestMachines_Run(&test, 200, NULL);
            sv_context_t sv = TestMachines_Context(&test);
            edict_t *edict = TestMachines_Class(&test, classes[c]);
            if (edict->use) {
                sv.engine->use(&sv, edict, edict, NULL);
            }
            (void)TestMachines_Run(&test, 1000, NULL);
            if (test.world->counters.quarantined != 0) {
                fail_msg("%s with all keys %s was quarantined", classes[c], values[v]);
            }
            TestWorld_Free(&test);
        }
    }
}

static void test_pushers_without_a_model(void **state) {
    (void)state;
    test_world_t test;
    int32_t said = play(&test,
                        "{\"classname\" \"func_door\"}{\"classname\" \"func_plat\"}"
                        "{\"classname\" \"trigger_multiple\"}{\"classname\" \"func_water\"}",
                        200, "has no model of brushes or triangles");
    assert_int_equal(said, 4);
    TestWorld_Free(&test);
}

// ---- trains ----

#define TRAIN(target) "{\"classname\" \"func_train\" \"model\" \"*1\" \"target\" \"" target "\"}"

static void test_a_corner_that_leads_to_itself(void **state) {
    (void)state;
    test_world_t test;
    int32_t said = play(&test,
                        TRAIN("a") "{\"classname\" \"path_corner\" \"origin\" \"0 0 9\" "
                                   "\"targetname\" \"a\" \"target\" \"a\"}",
                        5000, "all path_corners are at one position");
    assert_int_equal(said, 1);
    assert_true(test.world->counters.thinks_over_budget < 8);
    TestWorld_Free(&test);
}

static void test_corners_in_one_place(void **state) {
    (void)state;
    test_world_t test;
    int32_t said = play(&test,
                        TRAIN("a") "{\"classname\" \"path_corner\" \"origin\" \"0 0 9\" "
                                   "\"targetname\" \"a\" \"target\" \"b\"}"
                                   "{\"classname\" \"path_corner\" \"origin\" \"0 0 9\" "
                                   "\"targetname\" \"b\" \"target\" \"a\"}",
                        5000, "all path_corners are at one position");
    assert_int_equal(said, 1);
    TestWorld_Free(&test);
    // A wait at the corner makes the loop valid, so nothing is logged.
    said = play(&test,
                TRAIN("a") "{\"classname\" \"path_corner\" \"origin\" \"0 0 9\" "
                           "\"targetname\" \"a\" \"target\" \"a\" \"wait\" \"0.01\"}",
                5000, "its path_corners");
    assert_int_equal(said, 0);
    TestWorld_Free(&test);
}

// A train that waits at each of its corners may be fired any number of times.
static void test_a_train_that_waits_to_be_fired(void **state) {
    (void)state;
    test_world_t test;
    int32_t said = play(&test,
                        TRAIN("a") "{\"classname\" \"path_corner\" \"origin\" \"0 0 9\" "
                                   "\"targetname\" \"a\" \"target\" \"a\" \"wait\" \"-1\"}",
                        1000, "its path_corners");
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *train = sv.engine->find_class(&sv, NULL, "func_train");
    assert_non_null(train);
    for (int i = 0; i < 100; i++) {
        sv.engine->use(&sv, train, train, NULL);
        TestWorld_Tick(&test);
        said += TestWorld_CountEvents(&test, EVENT_LOG, "its path_corners");
    }
    assert_int_equal(said, 0);
    assert_true(train->use != 0);
    TestWorld_Free(&test);
}

static void test_a_train_without_corners(void **state) {
    (void)state;
    test_world_t test;
    assert_int_equal(play(&test, TRAIN("nowhere"), 5000, "no path_corner has the targetname"), 1);
    TestWorld_Free(&test);
    int32_t said = play(&test,
                        TRAIN("a") "{\"classname\" \"path_corner\" \"origin\" \"0 0 9\" "
                                   "\"targetname\" \"a\" \"target\" \"gone\"}",
                        5000, "no path_corner has the targetname");
    assert_int_equal(said, 1);
    TestWorld_Free(&test);
}

// ---- chains ----

// Forty relays that each fire all forty without delay: 40^16 calls without a limit.
static void test_chains_that_fire_themselves(void **state) {
    (void)state;
    static char text[16384];
    int at = snprintf(text, sizeof text,
                      "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" \"target\" \"x\"}");
    for (int32_t i = 0; i < 40; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "{\"classname\" \"trigger_relay\" \"targetname\" \"x\" \"target\" \"x\"}");
    }
    test_world_t test;
    TestMachines_Init(&test, text, 0);
    (void)TestMachines_Run(&test, 64, NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    double before = seconds();
    int32_t said = TestMachines_Run(&test, 2000, "check for a chain that fires itself");
    double took = seconds() - before;
    print_message("2 s of a chain that fires itself took %g s\n", took);
    assert_int_equal(said, 1);
    assert_true(took < 20.0); // in any build; without a limit it would take years
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

// Two relays fire each other in the same call down to the maximum depth, then through thinks,
// without end.
static void test_two_relays_fire_each_other(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"trigger_once\" \"model\" \"*6\" \"target\" \"x\"}"
                      "{\"classname\" \"trigger_relay\" \"targetname\" \"x\" \"target\" \"y\"}"
                      "{\"classname\" \"trigger_relay\" \"targetname\" \"y\" \"target\" \"x\"}",
                      0);
    (void)TestMachines_Run(&test, 64, NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    int32_t edicts = test.world->num_edicts;
    (void)TestMachines_Run(&test, 3000, NULL);
    assert_true(test.world->num_edicts <= edicts + 4);
    TestWorld_Free(&test);
}

static void test_hundreds_of_one_name_are_all_fired(void **state) {
    (void)state;
    enum { COUNT = 400 };
    static char text[64 * 1024];
    int at = snprintf(text, sizeof text,
                      "{\"classname\" \"trigger_once\" \"model\" \"*6\" \"target\" \"x\"}");
    for (int32_t i = 0; i < COUNT; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "{\"classname\" \"trigger_relay\" \"targetname\" \"x\" "
                       "\"message\" \"fired\"}");
    }
    test_world_t test;
    TestMachines_Init(&test, text, COUNT + 128);
    (void)TestMachines_Run(&test, 64, NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    assert_int_equal(TestMachines_Run(&test, 1000, "fired"), COUNT);
    TestWorld_Free(&test);
}

static void test_killtarget_on_itself(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" \"targetname\" \"k\" "
                      "\"killtarget\" \"k\" \"target\" \"k\" \"message\" \"once\"}"
                      "{\"classname\" \"trigger_once\" \"model\" \"*7\" \"targetname\" \"l\" "
                      "\"killtarget\" \"l\" \"delay\" \"0.1\" \"message\" \"later\"}",
                      0);
    (void)TestMachines_Run(&test, 64, NULL);
    int32_t multiple = World_EdictNumber(test.world, TestMachines_Named(&test, "k"));
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    assert_int_equal(TestMachines_Run(&test, 2000, "once"), 1);
    assert_int_equal(World_Edict(test.world, multiple)->inuse, 0);
    TestMachines_Put(&test, Vector(-350.0f, -250.0f, 24.03125f));
    assert_int_equal(TestMachines_Run(&test, 2000, "later"), 1);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

// ---- crowds ----

static void test_ten_thousand_triggers_in_one_spot(void **state) {
    (void)state;
    enum { COUNT = 10000 };
    static const char one[] = "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" "
                              "\"target\" \"nobody\" \"wait\" \"0.2\"}\n";
    char *text = malloc(COUNT * sizeof one);
    assert_non_null(text);
    size_t at = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        memcpy(text + at, one, sizeof one - 1);
        at += sizeof one - 1;
    }
    text[at] = '\0';
    test_world_t test;
    TestMachines_Init(&test, text, COUNT + 64);
    free(text);
    (void)TestMachines_Run(&test, 64, NULL);
    assert_true(test.world->num_edicts > COUNT);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    double before = seconds();
    (void)TestMachines_Run(&test, 320, NULL);
    print_message("10,000 triggers: %g ms a tick, %llu touches dropped\n",
                  (seconds() - before) * 1000.0 / 20.0,
                  (unsigned long long)test.world->counters.touches_dropped);
    assert_int_equal(test.world->counters.quarantined, 0);
    assert_true(World_Client(test.world, 0)->player.health > 0);
    TestWorld_Free(&test);
}

// Returns the text `one` `count` times, followed by `rest`.
static char *repeat(const char *one, int32_t count, const char *rest) {
    size_t length = strlen(one);
    char *text = malloc((size_t)count * length + strlen(rest) + 1);
    assert_non_null(text);
    for (int32_t i = 0; i < count; i++) {
        memcpy(text + (size_t)i * length, one, length);
    }
    memcpy(text + (size_t)count * length, rest, strlen(rest) + 1);
    return text;
}

// Two doors find each other among more walls than an area query returns.
static void test_doors_among_many_walls(void **state) {
    (void)state;
    enum { WALLS = 600 };
    char *text = repeat("{\"classname\" \"func_wall\" \"model\" \"*2\"}\n", WALLS,
                        "{\"classname\" \"func_door\" \"model\" \"*2\"}"
                        "{\"classname\" \"func_door\" \"model\" \"*2\"}");
    test_world_t test;
    TestMachines_Init(&test, text, WALLS + 64);
    free(text);
    (void)TestMachines_Run(&test, 64, NULL);
    edict_t *first = TestMachines_Class(&test, "func_door");
    int32_t number = World_EdictNumber(test.world, first);
    assert_true(number > WALLS);
    assert_int_equal(Game_Fields(first)->chain.index, number + 1);
    assert_int_equal(Game_Fields(first + 1)->master.index, number);
    TestWorld_Free(&test);
}

static void test_too_many_spawn_points_are_told(void **state) {
    (void)state;
    static const char *const classes[] = {"info_player_deathmatch", "team_CTF_redplayer"};
    for (size_t i = 0; i < COUNTOF(classes); i++) {
        char one[128];
        char line[128];
        snprintf(one, sizeof one, "{\"classname\" \"%s\" \"origin\" \"0 0 30\"}\n", classes[i]);
        snprintf(line, sizeof line, "%s: a map can use at most 1024; the others are ignored",
                 classes[i]);
        char *text = repeat(one, 1100, "");
        test_world_t test;
        TestMachines_Init(&test, text, 1200);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, line), 1);
        (void)TestMachines_Run(&test, 500, NULL);
        assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_NORMAL);
        TestWorld_Free(&test);
        free(text);
    }
}

// ---- riding ----

static void test_rides_that_cannot_be(void **state) {
    (void)state;
    static const struct {
        const char *text, *log;
        int32_t lines;
    } cases[] = {
        {"{\"classname\" \"func_door\" \"model\" \"*2\" \"targetname\" \"a\" \"movewith\" \"a\"}",
         "that is the entity itself", 1},
        {"{\"classname\" \"func_door\" \"model\" \"*2\" \"movewith\" \"ghost\"}",
         "movewith \"ghost\": no entity has that targetname", 1},
        {"{\"classname\" \"func_door\" \"model\" \"*2\" \"movewith\" \"p\"}"
         "{\"classname\" \"info_notnull\" \"targetname\" \"p\"}",
         "that entity is not a pusher", 1},
        {"{\"classname\" \"func_plat\" \"model\" \"*2\" \"targetname\" \"a\" \"movewith\" \"c\"}"
         "{\"classname\" \"func_plat\" \"model\" \"*4\" \"targetname\" \"b\" \"movewith\" \"a\"}"
         "{\"classname\" \"func_plat\" \"model\" \"*5\" \"targetname\" \"c\" \"movewith\" \"b\"}",
         "each would ride on the other", 1},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        int32_t said = play(&test, cases[i].text, 1000, cases[i].log);
        if (said != cases[i].lines) {
            fail_msg("\"%s\": found %d lines, expected %d", cases[i].log, said, cases[i].lines);
        }
        sv_context_t sv = TestMachines_Context(&test);
        for (int32_t k = 3; k < test.world->num_edicts; k++) {
            edict_t *edict = World_Edict(test.world, k);
            if (edict->inuse && edict->use) {
                sv.engine->use(&sv, edict, edict, NULL);
            }
        }
        (void)TestMachines_Run(&test, 3000, NULL);
        assert_int_equal(test.world->counters.quarantined, 0);
        TestWorld_Free(&test);
    }
}

// Parts are killed while other edicts are attached to them.
static void test_parts_that_are_killed(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(
        &test,
        "{\"classname\" \"func_door\" \"model\" \"*2\" \"targetname\" \"a\" \"angle\" \"-1\"}"
        "{\"classname\" \"func_door\" \"model\" \"*3\" \"targetname\" \"b\" \"angle\" \"-1\"}"
        "{\"classname\" \"func_button\" \"model\" \"*4\" \"movewith\" \"a\"}"
        "{\"classname\" \"func_plat\" \"model\" \"*1\"}"
        "{\"classname\" \"trigger_relay\" \"targetname\" \"go\" \"killtarget\" \"a\" "
        "\"target\" \"b\"}",
        0);
    (void)TestMachines_Run(&test, 64, NULL);
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *door = TestMachines_Named(&test, "b");
    sv.engine->use(&sv, door, door, NULL);
    (void)TestMachines_Run(&test, 200, NULL);
    edict_t *relay = TestMachines_Named(&test, "go");
    sv.engine->use(&sv, relay, relay, NULL);
    sv.engine->remove(&sv, TestMachines_Class(&test, "func_plat"));
    TestMachines_Put(&test, Vector(0.0f, 0.0f, 24.03125f)); // where a removed lift was
    (void)TestMachines_Run(&test, 6000, NULL);
    assert_int_equal(test.world->counters.quarantined, 0);
    for (int32_t i = 3; i < test.world->num_edicts; i++) {
        const edict_t *edict = World_Edict(test.world, i);
        assert_true(!edict->inuse ||
                    strcmp(World_Text(test.world, edict->classname), "func_plat") != 0);
    }
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_speed_and_any_way),
        cmocka_unit_test(test_pushers_without_a_model),
        cmocka_unit_test(test_doors_among_many_walls),
        cmocka_unit_test(test_too_many_spawn_points_are_told),
        cmocka_unit_test(test_a_corner_that_leads_to_itself),
        cmocka_unit_test(test_corners_in_one_place),
        cmocka_unit_test(test_a_train_that_waits_to_be_fired),
        cmocka_unit_test(test_a_train_without_corners),
        cmocka_unit_test(test_chains_that_fire_themselves),
        cmocka_unit_test(test_two_relays_fire_each_other),
        cmocka_unit_test(test_hundreds_of_one_name_are_all_fired),
        cmocka_unit_test(test_killtarget_on_itself),
        cmocka_unit_test(test_ten_thousand_triggers_in_one_spot),
        cmocka_unit_test(test_rides_that_cannot_be),
        cmocka_unit_test(test_parts_that_are_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
