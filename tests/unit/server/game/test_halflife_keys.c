// Keys and flags of Half-Life's maps: friction, masters, buttons, doors, pads.

#include "core/core_local.h"
#include "game/pushers.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include <math.h>
#include <stdio.h>

#define TICK_MS 16

static void start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 320, NULL);
}

static edict_t *player_of(test_world_t *test) {
    return World_Edict(test->world, 1);
}

static void use(test_world_t *test, const char *name) {
    sv_context_t sv = TestMachines_Context(test);
    sv.engine->use(&sv, TestMachines_Named(test, name), player_of(test), player_of(test));
}

// ---- friction ----

// Returns the speed of a player that started at 300 qu/s inside the model *6, after 160 ms.
static float speed_inside(const char *entities) {
    test_world_t test;
    start(&test, entities);
    TestMachines_Put(&test, Vector(-350.0f, 230.0f, 24.03125f));
    (void)TestMachines_Run(&test, 160, NULL);
    player_of(&test)->velocity = Vector(0.0f, 300.0f, 0.0f);
    (void)TestMachines_Run(&test, 160, NULL);
    float speed = player_of(&test)->velocity.y;
    assert_int_equal(player_of(&test)->waterlevel, 0);
    TestWorld_Free(&test);
    return speed;
}

#define FRICTION(keys) "{\"classname\" \"func_friction\" \"model\" \"*6\" " keys "}"

static void test_friction_inside_a_volume(void **state) {
    (void)state;
    float plain = speed_inside("");
    float ice = speed_inside(FRICTION("\"modifier\" \"15\""));
    float mud = speed_inside(FRICTION("\"modifier\" \"300\""));
    print_message("after 160 ms: %g on ice, %g on the floor, %g in mud\n", (double)ice,
                  (double)plain, (double)mud);
    assert_true(plain < 200.0f && ice > 250.0f && mud < 50.0f);
    assert_true(speed_inside(FRICTION("")) == ice); // the default
    assert_true(speed_inside(FRICTION("\"modifier\" \"100\"")) == plain);
    // The smallest factor of several counts.
    assert_true(speed_inside(FRICTION("\"modifier\" \"300\"") FRICTION("")) == ice);
    static const char *const bad[] = {"0", "-15", "1e30", "10001", "nan"};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        char text[256];
        snprintf(text, sizeof text, FRICTION("\"modifier\" \"%s\""), bad[i]);
        assert_true(speed_inside(text) == ice);
    }
}

// Returns how far a crate slides that starts at 200 qu/s.
static float slide(const char *entities) {
    test_world_t test;
    start(&test, entities);
    edict_t *crate = TestMachines_Class(&test, "func_pushable");
    sv_context_t sv = TestMachines_Context(&test);
    crate->velocity = Vector(100.0f, 0.0f, 0.0f);
    sv.engine->link(&sv, crate, false);
    (void)TestMachines_Run(&test, 2000, NULL);
    float way = crate->origin.x;
    TestWorld_Free(&test);
    return way;
}

static void test_a_crate_slides_on_ice(void **state) {
    (void)state;
    const char *crate = "{\"classname\" \"func_pushable\" \"model\" \"*6\"}";
    char text[512];
    snprintf(text, sizeof text, "%s" FRICTION("\"modifier\" \"25\""), crate);
    float plain = slide(crate);
    float ice = slide(text);
    print_message("a crate slides %g qu, on ice %g qu\n", (double)plain, (double)ice);
    assert_true(plain > 1.0f && ice > 1.5f * plain);
}

// ---- masters ----

#define SOURCE(name, keys)                                                                         \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"" name "\" \"target\" \"m\" " keys "}"
#define MULTI "{\"classname\" \"multisource\" \"targetname\" \"m\" \"target\" \"c\"}"
#define COUNTER                                                                                    \
    "{\"classname\" \"trigger_counter\" \"targetname\" \"c\" \"count\" \"99\" \"target\" \"x\"}"

static void test_a_multisource_needs_all_its_sources(void **state) {
    (void)state;
    test_world_t test;
    start(&test, MULTI COUNTER SOURCE("a", "") SOURCE("b", "\"delay\" \"0.1\""));
    const fields_t *multi = Game_Fields(TestMachines_Named(&test, "m"));
    const fields_t *counter = Game_Fields(TestMachines_Named(&test, "c"));
    assert_int_equal(multi->count, 2);
    use(&test, "a");
    use(&test, "m"); // not one of its sources
    assert_int_equal(multi->state, 1);
    use(&test, "a");
    use(&test, "b");
    (void)TestMachines_Run(&test, 160, NULL);
    assert_int_equal(multi->state, 1); // b alone
    assert_int_equal(counter->count, 99);
    use(&test, "a");
    assert_int_equal(multi->state, 2);
    assert_int_equal(counter->count, 98);
    use(&test, "b");
    (void)TestMachines_Run(&test, 160, NULL);
    assert_int_equal(multi->state, 1); // the delayed source is off again
    TestWorld_Free(&test);
}

static void test_a_master_locks(void **state) {
    (void)state;
    test_world_t test;
    start(&test,
          MULTI COUNTER SOURCE(
              "a", "") "{\"classname\" \"func_door\" \"model\" \"*5\" \"targetname\" \"d\" "
                       "\"angle\" \"-1\" "
                       "\"master\" \"m\"}"
                       "{\"classname\" \"func_button\" \"model\" \"*4\" \"targetname\" \"b\" "
                       "\"master\" \"m\"}"
                       "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" \"targetname\" \"t\" "
                       "\"target\" \"c\" \"master\" \"m\"}"
                       "{\"classname\" \"func_door\" \"model\" \"*1\" \"targetname\" \"free\" "
                       "\"angle\" \"-1\" \"master\" \"nobody\"}");
    static const char *const names[] = {"d", "b", "free"};
    const fields_t *counter = Game_Fields(TestMachines_Named(&test, "c"));
    for (int32_t on = 0; on < 2; on++) {
        for (size_t i = 0; i < COUNTOF(names); i++) {
            use(&test, names[i]);
        }
        use(&test, "t");
        (void)TestMachines_Run(&test, 64, NULL);
        for (size_t i = 0; i < 2; i++) {
            const fields_t *fields = Game_Fields(TestMachines_Named(&test, names[i]));
            assert_int_equal(fields->state != PUSHER_AT_BOTTOM, on);
        }
        assert_int_equal(counter->count, on ? 97 : 99); // by m, then by t
        assert_int_not_equal(Game_Fields(TestMachines_Named(&test, "free"))->state,
                             PUSHER_AT_BOTTOM); // no entity has that name
        use(&test, "a");
    }
    TestWorld_Free(&test);
}

static void test_masters_that_lock_themselves(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"multisource\"}"
                 "{\"classname\" \"multisource\" \"targetname\" \"m\" \"target\" \"m\" "
                 "\"master\" \"m\"}"
                 "{\"classname\" \"multisource\" \"targetname\" \"m\" \"target\" \"m\"}"
                 "{\"classname\" \"trigger_relay\" \"targetname\" \"a\" \"target\" \"m\" "
                 "\"target2\" \"m\" \"delay\" \"0.1\"}"
                 "{\"classname\" \"func_door\" \"model\" \"*5\" \"targetname\" \"m\" "
                 "\"target\" \"m\" \"master\" \"m\"}");
    for (int32_t i = 0; i < 5; i++) {
        use(&test, "a");
        (void)TestMachines_Run(&test, 320, NULL);
    }
    const fields_t *multi = Game_Fields(TestMachines_Named(&test, "m"));
    assert_true(multi->state >= 0 && multi->state <= multi->count);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

static void test_a_button_that_toggles_in_place(void **state) {
    (void)state;
    test_world_t test;
    start(&test, COUNTER "{\"classname\" \"func_button\" \"model\" \"*4\" \"targetname\" \"b\" "
                         "\"target\" \"c\" \"wait\" \"0.1\" \"spawnflags\" \"33\"}");
    edict_t *button = TestMachines_Named(&test, "b");
    const vec3_t at = button->origin;
    for (int32_t i = 1; i <= 4; i++) {
        use(&test, "b");
        (void)TestMachines_Run(&test, 800, NULL);
        assert_int_equal(Game_Fields(button)->state, i % 2 ? PUSHER_AT_TOP : PUSHER_AT_BOTTOM);
        assert_int_equal(Game_Fields(TestMachines_Named(&test, "c"))->count, 99 - i);
        assert_true(VectorCompare(button->origin, at));
    }
    TestWorld_Free(&test);
}

static void test_a_push_that_starts_off(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"trigger_push\" \"model\" \"*6\" \"targetname\" \"p\" "
                 "\"angle\" \"-1\" \"speed\" \"50\" \"spawnflags\" \"2\"}");
    for (int32_t i = 0; i < 4; i++) {
        TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
        (void)TestMachines_Run(&test, 80, NULL);
        assert_int_equal(player_of(&test)->velocity.z > 100.0f, i % 2);
        use(&test, "p");
    }
    TestWorld_Free(&test);
}

// ---- triggerstate ----

static bool is_solid(const edict_t *edict) {
    return edict->solid != SOLID_NOT;
}
static bool is_lit(const edict_t *edict) {
    return !(edict->effects & 1);
}
static bool runs(const edict_t *edict) {
    return edict->effects & 1;
}
static bool spins(const edict_t *edict) {
    return edict->motion.kind == MOTION_SPIN;
}
static bool swings(const edict_t *edict) {
    return edict->motion.kind == MOTION_SWING;
}
static bool is_open(const edict_t *edict) { // a path_track that is not disabled
    return !(((const fields_t *)(const void *)edict->game)->spawnflags & 1);
}
static bool branches(const edict_t *edict) {
    return ((const fields_t *)(const void *)edict->game)->state != 0;
}
static bool drives(const edict_t *edict) {
    return ((const fields_t *)(const void *)edict->game)->pace != 0.0f;
}

#define X(classname, keys)                                                                         \
    "{\"classname\" \"" classname "\" \"targetname\" \"x\" \"turn_about\" \"map\" " keys "}"

static const struct {
    const char *entities;
    bool (*is_on)(const edict_t *edict);
} switches[] = {
    {X("func_wall_toggle", "\"model\" \"*5\""), is_solid},
    {X("trigger_push", "\"model\" \"*6\""), is_solid},
    {X("light", ""), is_lit},
    {X("func_conveyor", "\"model\" \"*5\""), runs},
    {X("func_rotating", "\"model\" \"*5\""), spins},
    {X("func_rotating", "\"model\" \"*5\" \"spawnflags\" \"16\" \"fanfriction\" \"100\""), spins},
    {X("func_pendulum", "\"model\" \"*5\""), swings},
    {X("path_track", ""), is_open},
    {X("path_track", "\"altpath\" \"t\"") "{\"classname\" \"path_track\" \"targetname\" \"t\"}",
     branches},
    {X("func_tracktrain", "\"model\" \"*5\" \"target\" \"t\"") "{\"classname\" \"path_track\" "
                                                               "\"targetname\" \"t\" "
                                                               "\"target\" \"u\"}"
                                                               "{\"classname\" \"path_track\" "
                                                               "\"targetname\" \"u\" "
                                                               "\"origin\" \"0 400 0\"}",
     drives},
};

// Relays that turn the entity "x" on, off, or the other way.
#define RELAYS                                                                                     \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"off\" \"target\" \"x\" \"triggerstate\" "   \
    "\"0\"}"                                                                                       \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"on\" \"target\" \"x\" \"triggerstate\" "    \
    "\"1\"}"                                                                                       \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"flip\" \"target\" \"x\" \"triggerstate\" "  \
    "\"2\"}"                                                                                       \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"plain\" \"target\" \"x\"}"                  \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"through\" \"target\" \"plain\" "            \
    "\"triggerstate\" \"1\"}"                                                                      \
    "{\"classname\" \"trigger_relay\" \"targetname\" \"later\" \"target\" \"x\" \"delay\" "        \
    "\"0.1\" "                                                                                     \
    "\"triggerstate\" \"1\"}"

static void test_relays_with_a_state(void **state) {
    (void)state;
    static const struct {
        const char *relay;
        bool from_off, from_on; // the state afterwards
    } rows[] = {{"off", false, false},  {"on", true, true},       {"flip", true, false},
                {"plain", true, false}, {"through", true, false}, {"later", true, true}};
    for (size_t c = 0; c < COUNTOF(switches); c++) {
        for (size_t i = 0; i < COUNTOF(rows); i++) {
            for (int32_t on = 0; on < 2; on++) {
                char text[2048];
                test_world_t test;
                snprintf(text, sizeof text, RELAYS "%s", switches[c].entities);
                start(&test, text);
                const edict_t *x = TestMachines_Named(&test, "x");
                if (switches[c].is_on(x) != (on != 0)) {
                    use(&test, "plain");
                }
                (void)TestMachines_Run(&test, 160, NULL);
                assert_int_equal(switches[c].is_on(x), on);
                use(&test, rows[i].relay);
                (void)TestMachines_Run(&test, 320, NULL);
                bool expected = on ? rows[i].from_on : rows[i].from_off;
                if (switches[c].is_on(x) != expected) {
                    fail_msg("%s: %s from %d: %d", switches[c].entities, rows[i].relay, on,
                             !expected);
                }
                TestWorld_Free(&test);
            }
        }
    }
}

// ---- corners of trains ----

#define CORNER(name, next, origin, keys)                                                           \
    "{\"classname\" \"path_corner\" \"targetname\" \"" name "\" \"target\" \"" next                \
    "\" \"origin\" \"" origin "\" " keys "}"
#define TRAIN(keys)                                                                                \
    COUNTER "{\"classname\" \"func_train\" \"model\" \"*1\" \"target\" \"1\" \"speed\" "           \
            "\"200\"}" CORNER("1", "2", "-32 -32 0", "") CORNER("2", "3", "-32 -132 0", keys)      \
                CORNER("3", "1", "-32 -232 0", "")

// Returns where the train is after `ms`, and how often the corner fired.
static float run_train(const char *entities, int32_t ms, int32_t *fired) {
    test_world_t test;
    start(&test, entities);
    (void)TestMachines_Run(&test, ms - 320, NULL);
    *fired = 99 - Game_Fields(TestMachines_Named(&test, "c"))->count;
    float y = TestMachines_Class(&test, "func_train")->origin.y;
    TestWorld_Free(&test);
    return y;
}

static void test_flags_of_corners(void **state) {
    (void)state;
    int32_t fired;
    // 0.2 s to the first corner; 0.5 s to each of the next two, 1 s back.
    assert_true(fabsf(run_train(TRAIN(""), 1000, &fired) + 160.0f) < 15.0f && fired == 0);
    (void)run_train(TRAIN("\"message\" \"c\""), 5000, &fired);
    assert_int_equal(fired, 3);
    (void)run_train(TRAIN("\"message\" \"c\" \"spawnflags\" \"4\""), 5000, &fired);
    assert_int_equal(fired, 1);
    float waits = run_train(TRAIN("\"message\" \"c\" \"spawnflags\" \"1\""), 5000, &fired);
    assert_true(waits == -100.0f && fired == 1);
    assert_true(fabsf(run_train(TRAIN("\"spawnflags\" \"2\""), 300, &fired) + 100.0f) < 30.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_inside_a_volume),
        cmocka_unit_test(test_a_crate_slides_on_ice),
        cmocka_unit_test(test_a_multisource_needs_all_its_sources),
        cmocka_unit_test(test_a_master_locks),
        cmocka_unit_test(test_a_button_that_toggles_in_place),
        cmocka_unit_test(test_a_push_that_starts_off),
        cmocka_unit_test(test_relays_with_a_state),
        cmocka_unit_test(test_flags_of_corners),
        cmocka_unit_test(test_masters_that_lock_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
