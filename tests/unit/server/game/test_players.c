// The reference game: spawn points, deaths, spectators, player commands.

#include "game/game.h"
#include "lib/course_fixture.h"
#include "lib/events_fixture.h"
#include "lib/testing.h"

#include <string.h>

static void tell(test_world_t *test, int32_t client, const char *text) {
    input_t *input = Inputs_Add(test->inputs, INPUT_TEXT, client);
    snprintf(input->text, sizeof input->text, "%s", text);
}

static void run_ms(test_world_t *test, int32_t ms, uint8_t buttons) {
    for (int32_t at = 0; at < ms; at += COURSE_TICK_MS) {
        TestWorld_Cmd(test, 0, (usercmd_t){.msec = COURSE_TICK_MS, .buttons = buttons});
        TestWorld_Tick(test);
    }
}

// A dead player stays dead for one second if a button is pressed, for three otherwise; then it
// respawns with full health.
static void test_the_dead_come_back(void **state) {
    (void)state;
    for (uint8_t buttons = 0; buttons <= BUTTON_ATTACK; buttons++) {
        test_world_t test;
        TestCourse_Init(&test);
        TestWorld_Join(&test, 0, "ann");
        TestWorld_Tick(&test);
        const player_state_t *player = &World_Client(test.world, 0)->player;
        const edict_t *edict = World_Edict(test.world, 1);
        tell(&test, 0, "kill");
        TestWorld_Tick(&test);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "ann gave up"), 1);
        assert_int_equal(player->pm_type, PM_DEAD);
        assert_int_equal(edict->solid, SOLID_NOT);
        tell(&test, 0, "kill"); // already dead
        run_ms(&test, buttons ? 950 : 2950, buttons);
        assert_int_equal(player->pm_type, PM_DEAD);
        run_ms(&test, 100, buttons);
        assert_int_equal(player->pm_type, PM_NORMAL);
        assert_int_equal(player->health, 100);
        assert_int_equal(edict->solid, SOLID_SLIDEBOX);
        TestWorld_Free(&test);
    }
}

static void test_unknown_commands_are_answered(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    tell(&test, 0, "dance");
    tell(&test, 1, "nobody says this");
    TestWorld_Tick(&test);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "unknown command \"dance\""), 1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_PRINT, "unknown command \"nobody says this\""), 0);
    TestWorld_Free(&test);
}

static void test_spectators_start_at_a_spawn_point_and_touch_nothing(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test); // this map has no info_player_start
    Inputs_Add(test.inputs, INPUT_JOIN, 0)->value = 1;
    TestWorld_Tick(&test);
    const edict_t *edict = World_Edict(test.world, 1);
    assert_true(VectorCompare(edict->origin, Vector(-400, 0, 24)));
    assert_int_equal(edict->visibility, VISIBLE_NOBODY);
    TestCourse_Put(&test, Vector(410, 0, 30)); // inside a teleporter
    tell(&test, 0, "kill");
    run_ms(&test, 200, 0);
    assert_true(edict->origin.x == 410.0f);
    assert_int_equal(TestEvents_Effects(test.world, test.events, "death"), 0);
    TestWorld_Free(&test);
}

// With more players than spawn points, some wait, invisible and non-solid, and spawn when others
// leave.
static void test_a_crowd_waits_for_places(void **state) {
    (void)state;
    enum { CROWD = 64 };
    const test_map_t map = {.room = {{-60, -60, 0}, {60, 60, 128}},
                            .entities =
                                "{ \"classname\" \"worldspawn\" }"
                                "{ \"classname\" \"info_player_start\" \"origin\" \"0 0 24\" }"};
    test_world_t test;
    TestWorld_Init(&test, &map, CROWD);
    for (int i = 0; i < CROWD; i++) {
        TestWorld_Join(&test, i, "one of many");
    }
    int32_t first_in = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 40; i++) {
            TestWorld_Tick(&test);
        }
        int32_t in = 0;
        for (int i = 0; i < CROWD; i++) {
            const edict_t *edict = World_Edict(test.world, i + 1);
            bool waits = edict->solid == SOLID_NOT;
            in += edict->inuse && !waits ? 1 : 0;
            assert_true(!waits || (edict->visibility == VISIBLE_NOBODY || !edict->inuse));
        }
        assert_true(in >= 5);
        assert_true(in <= 9); // players are 32 wide, on 120 by 120
        first_in = round == 0 ? in : first_in;
        assert_int_equal(in, first_in);
        for (int i = 0; i < CROWD && round == 0; i++) {
            if (World_Edict(test.world, i + 1)->solid != SOLID_NOT) {
                Inputs_Add(test.inputs, INPUT_LEAVE, i);
            }
        }
    }
    assert_int_equal(test.world->counters.unstuck, 0); // no player is inside another
    TestWorld_Free(&test);
}

// Maps made for smaller players, or carelessly, have spawn points inside the floor.
static void test_spawn_points_in_the_floor_are_raised(void **state) {
    (void)state;
    static const struct {
        const char *origin;
        int32_t told;
    } cases[] = {{"0 0 24", 0}, {"0 0 12", 0}, {"0 0 6", 0}, {"0 0 5", 1}, {"55 0 24", 1}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{ \"classname\" \"worldspawn\" }"
                 "{ \"classname\" \"info_player_start\" \"origin\" \"%s\" }",
                 cases[i].origin);
        const test_map_t map = {.room = {{-60, -60, 0}, {60, 60, 128}}, .entities = text};
        test_world_t test;
        TestWorld_Init(&test, &map, 2);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "no player can appear there"),
                         cases[i].told);
        TestWorld_Join(&test, 0, "ann");
        for (int32_t tick = 0; tick < 30; tick++) {
            TestWorld_Cmd(&test, 0, TestCourse_Forward(COURSE_TICK_MS));
            TestWorld_Tick(&test);
        }
        int32_t type = cases[i].told ? PM_FROZEN : PM_NORMAL;
        assert_int_equal(World_Client(test.world, 0)->player.pm_type, type);
        float z = World_Edict(test.world, 1)->origin.z;
        assert_true(cases[i].told || (z >= 24.0f && z < 24.1f));
        TestWorld_Free(&test);
    }
}

static void test_a_map_without_spawn_points(void **state) {
    (void)state;
    const test_map_t map = {.room = {{-60, -60, 0}, {60, 60, 128}},
                            .entities = "{ \"classname\" \"worldspawn\" }"};
    test_world_t test;
    TestWorld_Init(&test, &map, 2);
    TestWorld_Join(&test, 0, "ann");
    for (int i = 0; i < 100; i++) {
        TestWorld_Cmd(&test, 0, TestCourse_Forward(COURSE_TICK_MS));
        TestWorld_Tick(&test);
    }
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_FROZEN);
    assert_int_equal(World_Edict(test.world, 1)->visibility, VISIBLE_NOBODY);
    TestWorld_Free(&test);
}

/// `setpos X Y Z [YAW]` teleports a living player if sv_cheats is 1. Every refusal has a reason.
static void test_place(void **state) {
    (void)state;
    static const struct {
        const char *command, *refusal;
    } refused[] = {
        {"setpos 1 2", "setpos: expected a position in the world"},
        {"setpos 1 2 3 4 5", "setpos: expected a position in the world"},
        {"setpos 1 2 nan", "setpos: expected a position in the world"},
        {"setpos 1 2 1e9", "setpos: expected a position in the world"},
        {"setpos 0 0 10", "setpos: the player's box would be inside something solid there"},
    };
    test_world_t test;
    const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 256}},
                            .entities = "{ \"classname\" \"worldspawn\" }"
                                        "{ \"classname\" \"info_player_start\" "
                                        "\"origin\" \"0 0 24\" \"angle\" \"90\" }"};
    TestWorld_Init(&test, &map, 2);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const edict_t *edict = World_Edict(test.world, 1);
    const player_state_t *player = &World_Client(test.world, 0)->player;
    const vec3_t start = edict->origin;
    tell(&test, 0, "setpos 200 100 64");
    TestWorld_Tick(&test);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_PRINT, "setpos: needs sv_cheats 1 on the server"), 1);
    test.world->cvars.sv_cheats = 1;
    for (size_t i = 0; i < COUNTOF(refused); i++) {
        tell(&test, 0, refused[i].command);
        TestWorld_Tick(&test);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, refused[i].refusal), 1);
        assert_true(edict->origin.x == start.x);
        assert_true(edict->origin.y == start.y);
    }
    unsigned flags = player->flags;
    float yaw = player->angles.y;
    tell(&test, 0, "setpos 200 -100.5 64");
    TestWorld_Tick(&test);
    assert_true(edict->origin.x == 200.0f);
    assert_true(edict->origin.y == -100.5f);
    assert_int_equal((player->flags - flags) & PMF_TELEPORT, PMF_TELEPORT_STEP);
    assert_true(player->angles.y == yaw);
    tell(&test, 0, "kill");
    tell(&test, 0, "setpos 0 0 64");
    TestWorld_Tick(&test);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "setpos: only a living player"), 1);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_dead_come_back),
        cmocka_unit_test(test_unknown_commands_are_answered),
        cmocka_unit_test(test_spectators_start_at_a_spawn_point_and_touch_nothing),
        cmocka_unit_test(test_a_crowd_waits_for_places),
        cmocka_unit_test(test_spawn_points_in_the_floor_are_raised),
        cmocka_unit_test(test_a_map_without_spawn_points),
        cmocka_unit_test(test_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
