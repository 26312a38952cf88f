// Map entities that move: doors, buttons, lifts, trains, rotating entities. Each follows its keys.

#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "game/players.h"

#include <math.h>
#include <string.h>

#define FAR_AWAY Vector(-400.0f, 0.0f, 24.03125f)

static void assert_near(float found, float expected, float within) {
    if (!(fabsf(found - expected) <= within)) {
        fail_msg("found %g, expected %g +- %g", (double)found, (double)expected, (double)within);
    }
}

static void use(test_world_t *test, edict_t *edict) {
    sv_context_t sv = TestMachines_Context(test);
    edict_t *player = World_Edict(test->world, 1);
    edict_t *who = player->inuse ? player : edict;
    sv.engine->use(&sv, edict, who, who);
}

static void shoot(test_world_t *test, edict_t *edict, int32_t damage) {
    sv_context_t sv = TestMachines_Context(test);
    Game_Damage(&sv, edict, World_Edict(test->world, 1), damage, "was shot");
}

static edict_t *start(test_world_t *test, const char *entities, const char *classname) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 64, NULL);
    return classname ? TestMachines_Class(test, classname) : NULL;
}

// ---- doors ----

#define LEAVES                                                                                     \
    "{\"classname\" \"func_door\" \"model\" \"*2\" \"angle\" \"270\" \"speed\" \"100\" %s}\n"      \
    "{\"classname\" \"func_door\" \"model\" \"*3\" \"angle\" \"90\" \"speed\" \"100\" %s}\n"

static edict_t *start_leaves(test_world_t *test, const char *first, const char *second) {
    char text[1024];
    snprintf(text, sizeof text, LEAVES, first, second);
    return start(test, text, "func_door");
}

static void test_leaves_open_together(void **state) {
    (void)state;
    test_world_t test;
    edict_t *left = start_leaves(&test, "", "");
    edict_t *right = left + 1;
    TestMachines_Put(&test, Vector(50.0f, -100.0f, 24.03125f)); // near the left leaf only
    (void)TestMachines_Run(&test, 320, NULL);
    assert_true(left->origin.y < -20.0f);
    assert_near(left->origin.y, -right->origin.y, 0.001f);
    TestMachines_Put(&test, FAR_AWAY);
    (void)TestMachines_Run(&test, 320, NULL);
    assert_near(left->origin.y, -56.0f, 0.001f); // 64 wide; 8 of it stay visible
    assert_near(right->origin.y, 56.0f, 0.001f);
    (void)TestMachines_Run(&test, 2400, NULL);
    assert_near(left->origin.y, -56.0f, 0.001f); // the door waits 3 s
    (void)TestMachines_Run(&test, 1200, NULL);
    assert_near(left->origin.y, 0.0f, 0.001f);
    assert_near(right->origin.y, 0.0f, 0.001f);
    TestWorld_Free(&test);
}

static void test_leaves_that_do_not_link(void **state) {
    (void)state;
    test_world_t test;
    edict_t *left = start_leaves(&test, "\"spawnflags\" \"4\"", "\"spawnflags\" \"4\"");
    use(&test, left);
    (void)TestMachines_Run(&test, 800, NULL);
    assert_near(left->origin.y, -56.0f, 0.001f);
    assert_near((left + 1)->origin.y, 0.0f, 0.0f);
    TestWorld_Free(&test);
}

static void test_a_team_is_one_wherever_it_is(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door =
        start(&test,
              "{\"classname\" \"func_door\" \"model\" \"*2\" \"angle\" \"-1\" \"team\" \"t\"}"
              "{\"classname\" \"func_door\" \"model\" \"*5\" \"angle\" \"-1\" \"team\" \"t\"}",
              "func_door");
    use(&test, door + 1);
    (void)TestMachines_Run(&test, 400, NULL);
    assert_true(door->origin.z > 30.0f);
    assert_near((door + 1)->origin.z, door->origin.z, 0.0f);
    TestWorld_Free(&test);
}

static void test_a_door_that_stays_open(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start_leaves(&test, "\"wait\" \"-1\"", "\"wait\" \"-1\"");
    use(&test, door);
    (void)TestMachines_Run(&test, 30000, NULL);
    assert_near(door->origin.y, -56.0f, 0.001f);
    TestWorld_Free(&test);
}

static void test_a_door_that_toggles(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start(&test,
                          "{\"classname\" \"func_door\" \"model\" \"*2\" \"angle\" \"-1\" "
                          "\"spawnflags\" \"32\" \"targetname\" \"d\" \"lip\" \"28\"}",
                          "func_door");
    for (int32_t i = 0; i < 4; i++) {
        use(&test, door);
        (void)TestMachines_Run(&test, 5000, NULL);
        assert_near(door->origin.z, i % 2 == 0 ? 100.0f : 0.0f, 0.001f);
    }
    TestWorld_Free(&test);
}

static void test_a_door_that_starts_open(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start(&test,
                          "{\"classname\" \"func_door\" \"model\" \"*2\" \"angle\" \"-1\" "
                          "\"spawnflags\" \"1\" \"targetname\" \"d\"}",
                          "func_door");
    assert_near(door->origin.z, 120.0f, 0.001f);
    use(&test, door);
    (void)TestMachines_Run(&test, 2000, NULL);
    assert_near(door->origin.z, 0.0f, 0.001f); // closed
    (void)TestMachines_Run(&test, 4000, NULL);
    assert_near(door->origin.z, 120.0f, 0.001f);
    TestWorld_Free(&test);
}

static void test_a_door_with_a_lock(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start(&test,
                          "{\"classname\" \"func_door\" \"model\" \"*2\" \"angle\" \"-1\" "
                          "\"spawnflags\" \"16\"}",
                          "func_door");
    usercmd_t forward = {.msec = 16, .forward = 300};
    for (int32_t try = 0; try < 2; try++) {
        Game_PlayerFields(World_Client(test.world, 0))->keys = try == 0 ? KEY_GOLD : KEY_SILVER;
        TestMachines_Put(&test, Vector(70.0f, -32.0f, 24.03125f));
        int32_t told = 0;
        for (int32_t i = 0; i < 60; i++) {
            TestWorld_Cmd(&test, 0, forward);
            TestWorld_Tick(&test);
            told += TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "You need the silver key");
        }
        assert_int_equal(told, try == 0 ? 1 : 0);
        assert_true(try == 0 ? door->origin.z == 0.0f : door->origin.z > 20.0f);
    }
    TestWorld_Free(&test);
}

static void test_a_door_that_is_shot(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start_leaves(&test, "\"health\" \"30\"", "");
    TestMachines_Put(&test, Vector(60.0f, 0.0f, 24.03125f)); // standing near does not open it
    (void)TestMachines_Run(&test, 500, NULL);
    shoot(&test, door + 1, 29); // the group has one health
    (void)TestMachines_Run(&test, 100, NULL);
    assert_near(door->origin.y, 0.0f, 0.0f);
    shoot(&test, door, 1);
    (void)TestMachines_Run(&test, 700, NULL);
    assert_near(door->origin.y, -56.0f, 0.001f);
    assert_int_equal(Game_Fields(door)->health, 30); // health is restored
    TestWorld_Free(&test);
}

// A door crushes a player that blocks it, even one with its key; then it closes.
static void test_a_door_crushes(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start(&test,
                          "{\"classname\" \"func_door\" \"model\" \"*1\" \"angle\" \"-1\" "
                          "\"spawnflags\" \"8\" \"dmg\" \"40\" \"lip\" \"-400\" "
                          "\"wait\" \"-1\"}",
                          "func_door");
    client_t *client = World_Client(test.world, 0);
    Game_PlayerFields(client)->keys = KEY_GOLD;
    TestMachines_Put(&test, Vector(0.0f, 0.0f, 40.03125f));
    use(&test, door);
    assert_int_equal(TestMachines_Run(&test, 6000, "ann was crushed"), 1);
    assert_int_equal(test.world->counters.quarantined, 0);
    assert_true(door->origin.z > 370.0f);
    TestWorld_Free(&test);
}

static void test_a_door_on_hinges(void **state) {
    (void)state;
    test_world_t test;
    edict_t *door = start(&test,
                          "{\"classname\" \"func_door_rotating\" \"model\" \"*2\" "
                          "\"distance\" \"60\" \"speed\" \"60\" \"targetname\" \"d\"}",
                          "func_door_rotating");
    use(&test, door);
    (void)TestMachines_Run(&test, 496, NULL);
    assert_near(door->angles.y, 29.0f, 1.5f);
    (void)TestMachines_Run(&test, 640, NULL);
    assert_near(door->angles.y, 60.0f, 0.001f);
    (void)TestMachines_Run(&test, 5000, NULL);
    assert_near(door->angles.y, 0.0f, 0.001f);
    TestWorld_Free(&test);
}

static void test_a_secret_door(void **state) {
    (void)state;
    test_world_t test;
    // Angle 90: moves first 16 to its right, which is +x, then its length of 64 along +y.
    edict_t *door = start(&test,
                          "{\"classname\" \"func_door_secret\" \"model\" \"*5\" "
                          "\"angle\" \"90\" \"wait\" \"2\"}",
                          "func_door_secret");
    shoot(&test, door, 1);
    (void)TestMachines_Run(&test, 800, NULL);
    assert_near(door->origin.x, 16.0f, 0.001f);
    assert_near(door->origin.y, 0.0f, 0.001f);
    (void)TestMachines_Run(&test, 2300, NULL);
    assert_near(door->origin.y, 64.0f, 0.001f);
    (void)TestMachines_Run(&test, 6000, NULL);
    assert_near(VectorLength(door->origin), 0.0f, 0.001f);
    TestWorld_Free(&test);
}

// ---- buttons ----

static void test_a_button_is_walked_into(void **state) {
    (void)state;
    test_world_t test;
    edict_t *button = start(&test,
                            "{\"classname\" \"func_button\" \"model\" \"*4\" \"angle\" \"0\" "
                            "\"target\" \"d\" \"wait\" \"0.5\"}"
                            "{\"classname\" \"func_door\" \"model\" \"*5\" \"angle\" \"-1\" "
                            "\"targetname\" \"d\"}",
                            "func_button");
    edict_t *door = TestMachines_Class(&test, "func_door");
    TestMachines_Put(&test, Vector(170.0f, 0.0f, 24.03125f));
    for (int32_t i = 0; i < 20; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = 16, .forward = 200});
        TestWorld_Tick(&test);
    }
    assert_near(button->origin.x, 4.0f, 0.001f); // 8 deep; 4 stay visible
    assert_int_equal(button->effects & 1, 1);
    assert_true(door->origin.z > 5.0f);
    TestMachines_Put(&test, FAR_AWAY);
    (void)TestMachines_Run(&test, 1000, NULL);
    assert_near(button->origin.x, 0.0f, 0.001f);
    assert_int_equal(button->effects & 1, 0);
    TestWorld_Free(&test);
}

static void test_a_button_that_works_once_and_is_shot(void **state) {
    (void)state;
    test_world_t test;
    edict_t *button = start(&test,
                            "{\"classname\" \"func_button\" \"model\" \"*4\" \"angle\" \"0\" "
                            "\"wait\" \"-1\" \"health\" \"5\" \"message\" \"click\" "
                            "\"delay\" \"0.5\"}",
                            "func_button");
    shoot(&test, button, 5);
    assert_int_equal(TestMachines_Run(&test, 450, "click"), 0);
    assert_int_equal(TestMachines_Run(&test, 400, "click"), 1);
    shoot(&test, button, 5);
    assert_int_equal(TestMachines_Run(&test, 3000, "click"), 0);
    assert_near(button->origin.x, 4.0f, 0.001f);
    TestWorld_Free(&test);
}

// ---- lifts and trains ----

static void test_a_lift_goes_up_with_who_steps_on(void **state) {
    (void)state;
    test_world_t test;
    edict_t *plat = start(&test,
                          "{\"classname\" \"func_plat\" \"model\" \"*1\" \"height\" \"-150\" "
                          "\"speed\" \"100\"}",
                          "func_plat");
    // With a height of -150, the lower position is 150 above the position where the lift is drawn.
    assert_near(plat->origin.z, 150.0f, 0.001f);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
    plat = start(&test,
                 "{\"classname\" \"func_plat\" \"model\" \"*1\" \"origin\" \"0 0 150\" "
                 "\"height\" \"150\" \"speed\" \"100\" \"wait\" \"2\"}",
                 "func_plat");
    const edict_t *player = World_Edict(test.world, 1);
    assert_near(plat->origin.z, 0.0f, 0.001f);
    TestMachines_Put(&test, Vector(0.0f, 0.0f, 41.0f));
    (void)TestMachines_Run(&test, 1700, NULL);
    assert_near(plat->origin.z, 150.0f, 0.001f);
    assert_near(player->origin.z, 150.0f + 16.0f + 24.0f, 0.1f);
    TestMachines_Put(&test, FAR_AWAY);
    (void)TestMachines_Run(&test, 900, NULL);
    assert_near(plat->origin.z, 150.0f, 0.001f); // waits a second for the player that stood on it
    (void)TestMachines_Run(&test, 3000, NULL);
    assert_near(plat->origin.z, 0.0f, 0.001f);
    TestWorld_Free(&test);
}

static void test_a_lift_with_a_name_waits_above(void **state) {
    (void)state;
    test_world_t test;
    edict_t *plat = start(&test,
                          "{\"classname\" \"func_plat\" \"model\" \"*1\" \"origin\" \"0 0 150\" "
                          "\"height\" \"150\" \"targetname\" \"p\"}",
                          "func_plat");
    (void)TestMachines_Run(&test, 5000, NULL);
    assert_near(plat->origin.z, 150.0f, 0.001f);
    use(&test, plat);
    (void)TestMachines_Run(&test, 1500, NULL);
    assert_near(plat->origin.z, 0.0f, 0.001f);
    TestWorld_Free(&test);
}

#define CORNERS                                                                                    \
    "{\"classname\" \"path_corner\" \"origin\" \"100 100 100\" \"targetname\" \"a\" "              \
    "\"target\" \"b\"}"                                                                            \
    "{\"classname\" \"path_corner\" \"origin\" \"300 100 100\" \"targetname\" \"b\" "              \
    "\"target\" \"c\" \"wait\" \"1\" \"speed\" \"400\" \"angles\" \"0 90 0\"}"                     \
    "{\"classname\" \"path_corner\" \"origin\" \"300 300 100\" \"targetname\" \"c\" "              \
    "\"target\" \"a\"}"

static void test_a_train_goes_round(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test,
                           "{\"classname\" \"func_train\" \"model\" \"*1\" \"target\" \"a\" "
                           "\"speed\" \"200\" \"spawnflags\" \"8\"}" CORNERS,
                           "func_train");
    (void)TestMachines_Run(&test, 112, NULL); // its lowest corner is at the path corner
    assert_near(train->origin.x, 132.0f, 0.1f);
    assert_near(train->origin.y, 132.0f, 0.1f);
    (void)TestMachines_Run(&test, 1120, NULL); // a second later at b, rotated
    assert_near(train->origin.x, 332.0f, 0.001f);
    assert_near(train->angles.y, 90.0f, 0.001f);
    (void)TestMachines_Run(&test, 800, NULL);
    assert_near(train->origin.y, 132.0f, 0.001f); // waits there for a second
    (void)TestMachines_Run(&test, 464, NULL);     // half a second to c
    assert_true(train->origin.y > 200.0f);
    TestWorld_Free(&test);
}

static void test_a_train_with_a_name_waits(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test,
                           "{\"classname\" \"func_train\" \"model\" \"*1\" \"target\" \"a\" "
                           "\"targetname\" \"t\"}" CORNERS,
                           "func_train");
    (void)TestMachines_Run(&test, 3000, NULL);
    assert_near(train->origin.x, 132.0f, 0.001f);
    use(&test, train);
    (void)TestMachines_Run(&test, 1000, NULL);
    assert_true(train->origin.x > 200.0f);
    TestWorld_Free(&test);
}

// ---- rotating and swinging entities ----

static void test_what_turns(void **state) {
    (void)state;
    test_world_t test;
    edict_t *wheel = start(&test,
                           "{\"classname\" \"func_rotating\" \"model\" \"*1\" \"speed\" \"90\" "
                           "\"spawnflags\" \"1\"}",
                           "func_rotating");
    float before = wheel->angles.y;
    (void)TestMachines_Run(&test, 992, NULL);
    assert_near(wheel->angles.y - before, 90.0f * 0.992f, 0.1f);
    use(&test, wheel);
    before = wheel->angles.y;
    (void)TestMachines_Run(&test, 500, NULL);
    assert_near(wheel->angles.y, before, 0.001f);
    use(&test, wheel);
    (void)TestMachines_Run(&test, 500, NULL);
    assert_true(wheel->angles.y > before + 30.0f);
    TestWorld_Free(&test);
}

// Checks that the leaf *2, whose middle was (108, -32, 64), has turned about `pivot`, and that a
// sweep from above stops on it there.
static void expect_turned_about(test_world_t *test, const edict_t *leaf, vec3_t pivot) {
    sv_context_t sv = TestMachines_Context(test);
    float yaw = leaf->angles.y * 3.14159265f / 180.0f;
    float x = 108.0f - pivot.x;
    float y = -32.0f - pivot.y;
    vec3_t middle = {pivot.x + x * cosf(yaw) - y * sinf(yaw),
                     pivot.y + x * sinf(yaw) + y * cosf(yaw), 64.0f};
    vec3_t above = {middle.x, middle.y, 300.0f};
    vec3_t found = VectorScale(VectorAdd(leaf->absmin, leaf->absmax), 0.5f);
    assert_near(found.x, middle.x, 0.01f);
    assert_near(found.y, middle.y, 0.01f);
    trace_t trace = sv.engine->trace(&sv, above, vec3_zero, vec3_zero, middle, true, NULL);
    assert_int_equal(trace.entnum, World_EdictNumber(test->world, leaf));
    assert_near(trace.endpos.z, 128.0f, 0.1f);
}

static void test_what_turns_without_an_origin_brush(void **state) {
    (void)state;
    static const struct {
        const char *class, *key;
        vec3_t pivot;
        bool warned;
    } cases[] = {
        {"func_rotating", "", {108, -32, 64}, true},
        {"func_rotating", "\"turn_about\" \"middle\"", {108, -32, 64}, false},
        {"func_rotating", "\"turn_about\" \"map\"", {0, 0, 0}, false},
        {"func_rotating", "\"turn_about\" \"here\"", {108, -32, 64}, false},
        {"func_rotating", "\"origin\" \"0 0 0\"", {0, 0, 0}, false},
        {"func_door_rotating", "", {108, -32, 64}, true},
        {"func_pendulum", "", {108, -32, 64}, true},
        {"func_train", "", {0, 0, 0}, false},
        {"func_train", "\"turn_about\" \"middle\" \"origin\" \"0 0 0\"", {0, 0, 0}, false},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        char text[256];
        snprintf(text, sizeof text, "{\"classname\" \"%s\" \"model\" \"*2\" %s \"speed\" \"90\"}",
                 cases[i].class, cases[i].key);
        TestMachines_Init(&test, text, 0);
        int32_t warned = TestWorld_CountEvents(
            &test, EVENT_LOG, "at 108 -32 64): expected an ORIGIN brush in an entity that turns");
        int32_t bad = TestWorld_CountEvents(&test, EVENT_LOG,
                                            "turn_about: expected middle or map, found \"here\"");
        assert_int_equal(warned, cases[i].warned);
        assert_int_equal(bad, i == 3);
        assert_int_equal(
            TestWorld_CountEvents(&test, EVENT_LOG, "turn_about middle has no effect: the"),
            i == 8);
        edict_t *leaf = TestMachines_Class(&test, cases[i].class);
        assert_true(VectorCompare(leaf->origin, cases[i].pivot));
        expect_turned_about(&test, leaf, cases[i].pivot);
        if (i < 6) {
            use(&test, leaf);
            (void)TestMachines_Run(&test, 600, NULL);
            assert_true(leaf->angles.y > 40.0f);
            expect_turned_about(&test, leaf, cases[i].pivot);
        }
        TestWorld_Free(&test);
    }
}

// A second user of a turning model keeps its place: its origin is relative to the map.
static void test_what_shares_a_turning_model(void **state) {
    (void)state;
    static const char *const wheel = "{\"classname\" \"func_rotating\" \"model\" \"*2\"}";
    static const char *const wall =
        "{\"classname\" \"func_wall\" \"model\" \"*2\" \"origin\" \"-300 0 0\"}";
    for (int32_t i = 0; i < 2; i++) {
        test_world_t test;
        char text[256];
        snprintf(text, sizeof text, "%s%s", i == 0 ? wheel : wall, i == 0 ? wall : wheel);
        TestMachines_Init(&test, text, 0);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "expected an ORIGIN brush"), 1);
        const edict_t *turning = TestMachines_Class(&test, "func_rotating");
        expect_turned_about(&test, turning, Vector(108.0f, -32.0f, 64.0f));
        const edict_t *still = TestMachines_Class(&test, "func_wall");
        assert_near(still->absmin.x, turning->absmin.x - 300.0f, 0.01f);
        assert_near(still->absmin.y, turning->absmin.y, 0.01f);
        assert_near(still->absmin.z, turning->absmin.z, 0.01f);
        TestWorld_Free(&test);
    }
}

static void test_what_swings(void **state) {
    (void)state;
    static const struct {
        const char *text, *classname;
        float reach;
    } cases[] = {{"{\"classname\" \"func_pendulum\" \"model\" \"*5\" \"origin\" \"0 0 200\" "
                  "\"distance\" \"30\" \"speed\" \"60\"}",
                  "func_pendulum", 30.0f},
                 {"{\"classname\" \"func_bobbing\" \"model\" \"*5\" \"origin\" \"0 0 200\" "
                  "\"height\" \"50\" \"speed\" \"2\"}",
                  "func_bobbing", 50.0f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        edict_t *edict = start(&test, cases[i].text, cases[i].classname);
        float low = 0.0f;
        float high = 0.0f;
        for (int32_t k = 0; k < 300; k++) {
            (void)TestMachines_Run(&test, 16, NULL);
            float at = i == 0 ? edict->angles.y : edict->origin.z - 200.0f;
            low = fminf(low, at);
            high = fmaxf(high, at);
        }
        assert_near(high, cases[i].reach, 0.1f);
        assert_near(low, -cases[i].reach, 0.1f);
        TestWorld_Free(&test);
    }
}

// ---- riding entities ----

static void test_a_button_rides_on_a_train(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test,
                           "{\"classname\" \"func_train\" \"model\" \"*1\" \"target\" \"a\" "
                           "\"targetname\" \"t\"}"
                           "{\"classname\" \"func_button\" \"model\" \"*4\" \"angle\" \"0\" "
                           "\"movewith\" \"t\" \"wait\" \"-1\"}"
                           "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" \"parent\" "
                           "\"t\"}" CORNERS,
                           "func_train");
    edict_t *button = TestMachines_Class(&test, "func_button");
    edict_t *trigger = TestMachines_Class(&test, "trigger_multiple");
    (void)TestMachines_Run(&test, 500, NULL);
    vec3_t apart = VectorSubtract(button->origin, train->origin);
    vec3_t area = VectorSubtract(trigger->origin, train->origin);
    use(&test, train);
    (void)TestMachines_Run(&test, 500, NULL);
    use(&test, button);
    (void)TestMachines_Run(&test, 1000, NULL);
    assert_true(train->origin.x > 250.0f);
    vec3_t now = VectorSubtract(button->origin, train->origin);
    assert_near(now.x - apart.x, 4.0f, 0.01f); // pressed, still moving in
    assert_near(now.y, apart.y, 0.01f);
    now = VectorSubtract(trigger->origin, train->origin);
    assert_near(VectorLength(VectorSubtract(now, area)), 0.0f, 0.01f);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves_open_together),
        cmocka_unit_test(test_leaves_that_do_not_link),
        cmocka_unit_test(test_a_team_is_one_wherever_it_is),
        cmocka_unit_test(test_a_door_that_stays_open),
        cmocka_unit_test(test_a_door_that_toggles),
        cmocka_unit_test(test_a_door_that_starts_open),
        cmocka_unit_test(test_a_door_with_a_lock),
        cmocka_unit_test(test_a_door_that_is_shot),
        cmocka_unit_test(test_a_door_crushes),
        cmocka_unit_test(test_a_door_on_hinges),
        cmocka_unit_test(test_a_secret_door),
        cmocka_unit_test(test_a_button_is_walked_into),
        cmocka_unit_test(test_a_button_that_works_once_and_is_shot),
        cmocka_unit_test(test_a_lift_goes_up_with_who_steps_on),
        cmocka_unit_test(test_a_lift_with_a_name_waits_above),
        cmocka_unit_test(test_a_train_goes_round),
        cmocka_unit_test(test_a_train_with_a_name_waits),
        cmocka_unit_test(test_what_turns),
        cmocka_unit_test(test_what_turns_without_an_origin_brush),
        cmocka_unit_test(test_what_shares_a_turning_model),
        cmocka_unit_test(test_what_swings),
        cmocka_unit_test(test_a_button_rides_on_a_train),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
