// Spawnflags and defaults that differ between Quake's and Half-Life's maps: the same entity in
// files of both formats, and with worldspawn's key flags_of.

#include "core/core_local.h"
#include "game/players.h"
#include "game/pushers.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include <math.h>
#include <stdio.h>

#define TICK_MS  16
#define FAR_AWAY Vector(-400.0f, 0.0f, 24.03125f)

static const struct {
    const char *format, *keys;
    bool is_halflife;
} kinds[] = {
    {"BSP29", "", false},
    {"BSP2", "", false},
    {"BSP30", "", true},
    {"BSP29", "\"flags_of\" \"halflife\"", true},
    {"BSP30", "\"flags_of\" \"quake\"", false},
};

static edict_t *player_of(test_world_t *test) {
    return World_Edict(test->world, 1);
}

// Builds map number `kind` with one entity of the class, and a player far away. Returns the entity.
static edict_t *start(test_world_t *test, size_t kind, const char *classname, const char *keys) {
    char text[1024];
    snprintf(text, sizeof text, "{\"classname\" \"%s\" %s}", classname, keys);
    TestMachines_InitAs(test, kinds[kind].format, kinds[kind].keys, text);
    assert_int_equal(TestWorld_CountEvents(test, EVENT_LOG, "flags_of"), 0);
    (void)TestMachines_Run(test, 320, NULL);
    return TestMachines_Class(test, classname);
}

static void use(test_world_t *test, edict_t *edict) {
    sv_context_t sv = TestMachines_Context(test);
    sv.engine->use(&sv, edict, player_of(test), player_of(test));
}

static void press_use(test_world_t *test) {
    for (int32_t i = 0; i < 4; i++) {
        TestWorld_Cmd(test, 0,
                      (usercmd_t){.msec = TICK_MS, .buttons = i < 2 ? (uint8_t)BUTTON_USE : 0});
        TestWorld_Tick(test);
    }
}

// Puts something with these flags at a position, where it touches triggers.
static edict_t *put_thing(test_world_t *test, uint32_t flags, vec3_t origin) {
    sv_context_t sv = TestMachines_Context(test);
    edict_t *thing = sv.engine->spawn(&sv);
    thing->solid = SOLID_SLIDEBOX;
    thing->movetype = MOVETYPE_STEP;
    thing->flags |= flags;
    Game_BeBox(thing, Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 24.0f));
    thing->origin = origin;
    sv.engine->link(&sv, thing, true);
    return thing;
}

#define DOOR(flags) "\"model\" \"*2\" \"angle\" \"-1\" \"spawnflags\" \"" flags "\""

static void test_door_flag_8(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        edict_t *door = start(&test, i, "func_door", DOOR("8"));
        assert_int_equal(door->solid, kinds[i].is_halflife ? SOLID_NOT : SOLID_BSP);
        // Quake: a lock for the gold key.
        TestMachines_Put(&test, Vector(83.9f, -32.0f, 24.03125f));
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .forward = 300});
        TestWorld_Tick(&test);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_CENTERPRINT, "gold key"),
                         kinds[i].is_halflife ? 0 : 1);
        TestWorld_Free(&test);
    }
}

static void test_door_flag_256(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        edict_t *door = start(&test, i, "func_door", DOOR("256"));
        TestMachines_Put(&test, Vector(70.0f, -32.0f, 24.03125f));
        (void)TestMachines_Run(&test, 160, NULL);
        assert_int_equal(Game_Fields(door)->state != PUSHER_AT_BOTTOM, !kinds[i].is_halflife);
        press_use(&test);
        assert_int_not_equal(Game_Fields(door)->state, PUSHER_AT_BOTTOM);
        TestWorld_Free(&test);
    }
}

static void test_door_flag_512(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        static const char *const classes[] = {"func_door", "func_door_rotating"};
        for (size_t c = 0; c < COUNTOF(classes); c++) {
            test_world_t test;
            edict_t *door = start(&test, i, classes[c], DOOR("512"));
            (void)put_thing(&test, FL_MONSTER, Vector(70.0f, -32.0f, 25.0f));
            assert_int_equal(Game_Fields(door)->state != PUSHER_AT_BOTTOM, !kinds[i].is_halflife);
            (void)TestMachines_Run(&test, 1600, NULL);
            TestMachines_Put(&test, Vector(150.0f, -32.0f, 24.03125f));
            (void)TestMachines_Run(&test, 160, NULL);
            assert_int_not_equal(Game_Fields(door)->state, PUSHER_AT_BOTTOM);
            TestWorld_Free(&test);
        }
    }
}

// A door of Half-Life turns away from its user, except with flag 16.
static void test_rotating_door_flag_16(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        for (int32_t run = 0; run < 4; run++) {
            test_world_t test;
            bool one_way = run >= 2;
            bool is_west = run % 2 == 0;
            // The hinge is at the south end of *2.
            edict_t *door =
                start(&test, i, "func_door_rotating",
                      one_way ? "\"model\" \"*2\" \"targetname\" \"d\" \"spawnflags\" \"16\""
                              : "\"model\" \"*2\" \"targetname\" \"d\" \"wait\" \"1\"");
            door->origin = Vector(108.0f, -64.0f, 0.0f);
            door->mins = Vector(-8.0f, 0.0f, 0.0f);
            door->maxs = Vector(8.0f, 64.0f, 128.0f);
            door->absmin = VectorAdd(door->origin, door->mins);
            door->absmax = VectorAdd(door->origin, door->maxs);
            TestMachines_Put(&test, Vector(is_west ? 0.0f : 250.0f, -32.0f, 24.03125f));
            use(&test, door);
            float turn = Game_Fields(door)->turn2.y;
            bool flips = kinds[i].is_halflife && !one_way && is_west;
            assert_true(turn == (flips ? -90.0f : 90.0f));
            TestWorld_Free(&test);
        }
    }
}

static void test_button_flag_256(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        for (int32_t touches = 0; touches < 2; touches++) {
            test_world_t test;
            edict_t *button =
                start(&test, i, "func_button",
                      touches ? "\"model\" \"*4\" \"spawnflags\" \"256\"" : "\"model\" \"*4\"");
            assert_true(Game_Fields(button)->wait == (kinds[i].is_halflife ? 3.0f : 1.0f));
            TestMachines_Put(&test, Vector(170.0f, 0.0f, 24.03125f));
            for (int32_t t = 0; t < 10; t++) { // walks against it
                TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .forward = 300});
                TestWorld_Tick(&test);
            }
            assert_int_equal(Game_Fields(button)->state != PUSHER_AT_BOTTOM,
                             !kinds[i].is_halflife || touches);
            press_use(&test);
            assert_int_not_equal(Game_Fields(button)->state, PUSHER_AT_BOTTOM);
            TestWorld_Free(&test);
        }
    }
}

// In Quake's maps, the use button presses nothing.
static void test_buttons_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        edict_t *button = start(&test, i, "func_button", "\"model\" \"*4\"");
        TestMachines_Put(&test, Vector(165.0f, 0.0f, 24.03125f));
        press_use(&test);
        assert_int_equal(Game_Fields(button)->state != PUSHER_AT_BOTTOM, kinds[i].is_halflife);
        TestWorld_Free(&test);
    }
}

// The button in view is pressed, and none behind a wall.
static void test_which_button_is_pressed(void **state) {
    (void)state;
    for (int32_t right = 0; right < 2; right++) {
        test_world_t test;
        TestMachines_InitAs(&test, "BSP29", "\"flags_of\" \"halflife\"",
                            "{\"classname\" \"func_button\" \"model\" \"*2\"}"
                            "{\"classname\" \"func_button\" \"model\" \"*3\"}");
        edict_t *button = TestMachines_Class(&test, "func_button");
        (void)TestMachines_Run(&test, 64, NULL);
        TestMachines_Put(&test, Vector(70.0f, 0.0f, 24.03125f));
        TestWorld_Cmd(&test, 0,
                      (usercmd_t){.msec = TICK_MS,
                                  .yaw = (uint16_t)(right ? 65536 - 8192 : 8192),
                                  .buttons = BUTTON_USE});
        TestWorld_Tick(&test);
        assert_int_equal(Game_Fields(button)->state != PUSHER_AT_BOTTOM, right); // *2 is south
        assert_int_equal(Game_Fields(button + 1)->state != PUSHER_AT_BOTTOM, !right);
        TestWorld_Free(&test);
    }
    for (int32_t wall = 0; wall < 2; wall++) {
        test_world_t test;
        edict_t *button = start(&test, 3, "func_button",
                                wall ? "\"model\" \"*4\" \"origin\" \"-65 32 0\"}"
                                       "{\"classname\" \"func_wall\" \"model\" \"*3\""
                                     : "\"model\" \"*4\" \"origin\" \"-65 32 0\"");
        TestMachines_Put(&test, Vector(83.0f, 32.0f, 24.03125f));
        press_use(&test);
        assert_int_equal(Game_Fields(button)->state == PUSHER_AT_BOTTOM, wall);
        TestWorld_Free(&test);
    }
}

#define TELEPORT(flags)                                                                            \
    "\"model\" \"*6\" \"target\" \"t\" \"spawnflags\" \"" flags "\"}"                              \
    "{\"classname\" \"info_teleport_destination\" \"targetname\" \"t\" \"origin\" \"0 -300 8\""

static void test_teleport_flags(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        bool quake[3], halflife[3]; // players, monsters, crates
    } rows[] = {
        {TELEPORT("0"), {true, true, false}, {true, false, false}},
        {TELEPORT("1"), {true, false, false}, {true, true, false}},
        {TELEPORT("2"), {true, true, false}, {false, false, false}},
        {TELEPORT("4"), {true, true, true}, {true, false, true}},
        {TELEPORT("7"), {true, false, true}, {false, true, true}},
    };
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        for (size_t row = 0; row < COUNTOF(rows); row++) {
            const bool *goes = kinds[i].is_halflife ? rows[row].halflife : rows[row].quake;
            test_world_t test;
            (void)start(&test, i, "trigger_teleport", rows[row].keys);
            TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
            (void)TestMachines_Run(&test, 64, NULL);
            assert_int_equal(player_of(&test)->origin.y < 0.0f, goes[0]);
            TestMachines_Put(&test, FAR_AWAY);
            for (int32_t kind = 1; kind < 3; kind++) {
                edict_t *thing = put_thing(&test, kind == 1 ? FL_MONSTER : FL_PUSHABLE,
                                           Vector(-350.0f, 250.0f, 25.0f));
                assert_int_equal(thing->origin.y < 0.0f, goes[kind]);
                sv_context_t sv = TestMachines_Context(&test);
                sv.engine->remove(&sv, thing);
                (void)TestMachines_Run(&test, TICK_MS, NULL);
            }
            TestWorld_Free(&test);
        }
    }
}

// A crate arrives with its bottom at the destination, wherever its origin is.
static void test_a_crate_arrives(void **state) {
    (void)state;
    test_world_t test;
    edict_t *crate = start(&test, 0, "func_pushable",
                           "\"model\" \"*7\"}{\"classname\" \"trigger_teleport\" " TELEPORT("4"));
    sv_context_t sv = TestMachines_Context(&test);
    crate->origin = Vector(0.0f, 500.0f, 1.0f); // into the trigger
    sv.engine->link(&sv, crate, true);
    assert_true(fabsf(crate->absmin.z - 8.0f) < 2.5f);
    assert_true(fabsf(0.5f * (crate->absmin.x + crate->absmax.x)) < 1.0f);
    assert_true(fabsf(0.5f * (crate->absmin.y + crate->absmax.y) + 300.0f) < 1.0f);
    TestWorld_Free(&test);
}

static void test_plat_flag_1(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        bool toggles = kinds[i].is_halflife;
        TestMachines_InitAs(&test, kinds[i].format, kinds[i].keys,
                            "{\"classname\" \"func_plat\" \"model\" \"*1\" \"origin\" \"0 0 100\" "
                            "\"height\" \"100\" \"spawnflags\" \"1\" \"targetname\" \"p\"}");
        edict_t *plat = TestMachines_Class(&test, "func_plat");
        assert_true(Game_Fields(plat)->speed == (toggles ? 50.0f : 150.0f));
        (void)TestMachines_Run(&test, 64, NULL);
        use(&test, plat);
        (void)TestMachines_Run(&test, 3000, NULL);
        assert_true(plat->origin.z == 0.0f);
        TestMachines_Put(&test, Vector(0.0f, 0.0f, 40.1f));
        (void)TestMachines_Run(&test, 1000, NULL);
        assert_int_equal(plat->origin.z > 10.0f, !toggles);
        TestMachines_Put(&test, FAR_AWAY);
        if (toggles) {
            use(&test, plat);
        }
        (void)TestMachines_Run(&test, 8000, NULL);
        assert_true(plat->origin.z == (toggles ? 100.0f : 0.0f)); // it stays there
        TestWorld_Free(&test);
    }
}

static void test_plat_height_below_0(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        TestMachines_InitAs(&test, kinds[i].format, kinds[i].keys,
                            "{\"classname\" \"func_plat\" \"model\" \"*1\" \"height\" \"-50\"}");
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "height: expected more than 0"),
                         kinds[i].is_halflife ? 0 : 1);
        TestWorld_Free(&test);
    }
}

static void test_train_flag_8(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        edict_t *train =
            start(&test, i, "func_train",
                  "\"model\" \"*5\" \"spawnflags\" \"8\" \"target\" \"a\"}"
                  "{\"classname\" \"path_corner\" \"targetname\" \"a\" \"target\" \"b\"}"
                  "{\"classname\" \"path_corner\" \"targetname\" \"b\" \"target\" \"a\" "
                  "\"origin\" \"0 64 0\" \"angle\" \"90\"");
        bool is_halflife = kinds[i].is_halflife;
        assert_int_equal(train->solid, is_halflife ? SOLID_NOT : SOLID_BSP);
        assert_true(Game_Fields(train)->speed == (is_halflife ? 64.0f : 100.0f));
        (void)TestMachines_Run(&test, 640, NULL);
        assert_int_equal(train->angles.y != 0.0f, !is_halflife);
        TestWorld_Free(&test);
    }
}

static void test_push_speed(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        edict_t *push = start(&test, i, "trigger_push", "\"model\" \"*6\" \"angle\" \"-1\"");
        assert_true(Game_Fields(push)->speed == (kinds[i].is_halflife ? 40.0f : 1000.0f));
        TestWorld_Free(&test);
        (void)start(&test, i, "trigger_push",
                    "\"model\" \"*6\" \"angle\" \"-1\" \"speed\" \"70\" \"spawnflags\" \"1\"");
        TestMachines_Put(&test, Vector(-350.0f, 250.0f, 50.0f)); // above the floor in both formats
        (void)TestMachines_Run(&test, TICK_MS, NULL);
        float speed = player_of(&test)->velocity.z;
        assert_true(fabsf(speed - (kinds[i].is_halflife ? 70.0f : 700.0f)) < 30.0f);
        TestWorld_Free(&test);
    }
}

static void test_formats_of_quake_2_and_3(void **state) {
    (void)state;
    static const struct {
        const char *name;
        map_format_t format;
    } rows[] = {{"BSP29", MAP_QUAKE},   {"2PSB", MAP_QUAKE},    {"BSP30", MAP_HALFLIFE},
                {"IBSP38", MAP_QUAKE2}, {"IBSP46", MAP_QUAKE3}, {"EMESH", MAP_QUAKE}};
    test_world_t test;
    TestMachines_Init(&test, "", 0);
    sv_context_t sv = TestMachines_Context(&test);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        snprintf(test.map.format, sizeof test.map.format, "%s", rows[i].name);
        assert_int_equal(sv.engine->map_format(&sv), rows[i].format);
    }
    TestWorld_Free(&test);
}

// A level push of Half-Life is a current, in which players walk, and which can be switched off.
static void test_a_push_is_a_current(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        test_world_t test;
        edict_t *push =
            start(&test, i, "trigger_push", "\"model\" \"*6\" \"angle\" \"90\" \"speed\" \"100\"");
        TestMachines_Put(&test, Vector(-350.0f, 200.0f, 37.0f));
        (void)TestMachines_Run(&test, 320, NULL);
        float y = player_of(&test)->origin.y - 200.0f;
        if (!kinds[i].is_halflife) {
            assert_true(y > 100.0f); // thrown with 1000
            TestWorld_Free(&test);
            continue;
        }
        assert_true(fabsf(y - 32.0f) < 4.0f);
        for (int32_t t = 0; t < 10; t++) { // walks against it
            TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .yaw = 49152, .forward = 320});
            TestWorld_Tick(&test);
        }
        assert_true(player_of(&test)->origin.y - 200.0f < y - 5.0f);
        use(&test, push);
        TestMachines_Put(&test, Vector(-350.0f, 250.0f, 37.0f));
        (void)TestMachines_Run(&test, 320, NULL);
        assert_true(fabsf(player_of(&test)->origin.y - 250.0f) < 2.0f);
        TestWorld_Free(&test);
    }
}

static void test_a_bad_flags_of(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_InitAs(&test, "BSP30", "\"flags_of\" \"doom\"", "");
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "expected quake or halflife, found \"doom\""), 1);
    sv_context_t sv = TestMachines_Context(&test);
    assert_true(Game_IsHalfLife(&sv)); // as its format
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_door_flag_8),
        cmocka_unit_test(test_door_flag_256),
        cmocka_unit_test(test_door_flag_512),
        cmocka_unit_test(test_rotating_door_flag_16),
        cmocka_unit_test(test_button_flag_256),
        cmocka_unit_test(test_buttons_by_hand),
        cmocka_unit_test(test_which_button_is_pressed),
        cmocka_unit_test(test_teleport_flags),
        cmocka_unit_test(test_a_crate_arrives),
        cmocka_unit_test(test_plat_flag_1),
        cmocka_unit_test(test_plat_height_below_0),
        cmocka_unit_test(test_train_flag_8),
        cmocka_unit_test(test_push_speed),
        cmocka_unit_test(test_formats_of_quake_2_and_3),
        cmocka_unit_test(test_a_push_is_a_current),
        cmocka_unit_test(test_a_bad_flags_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
