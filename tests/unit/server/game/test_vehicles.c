// The buggy: getting in and out, where there is room and where there is none; its driver dies,
// leaves, looks on; whom it runs over.

#include "lib/test_arena.h"
#include "lib/testing.h"

#include "core/core_local.h"

#include <string.h>

#define BUGGY  "{ \"classname\" \"misc_buggy\" \"origin\" \"0 0 20\" \"angle\" \"90\" }"
#define BESIDE ((vec3_t){-60.0f, 0.0f, ARENA_FLOOR})

static void set_up(test_world_t *test) {
    TestArena_Init(test, 3, BUGGY, NULL, NULL);
    TestArena_Join(test, 0, "ann", BESIDE);
    TestArena_Join(test, 1, "bob", Vector(0.0f, -400.0f, ARENA_FLOOR));
    TestArena_Run(test, 200, "");
}

static edict_t *buggy_of(const test_world_t *test) {
    edict_t *buggy = TestArena_Find(test, "misc_buggy");
    assert_non_null(buggy);
    return buggy;
}

static const player_state_t *state_of(const test_world_t *test, int32_t slot) {
    return &World_Client(test->world, slot)->player;
}

static bool drives(const test_world_t *test, int32_t slot) {
    return state_of(test, slot)->pm_type == PM_DRIVING;
}

static void press_use(test_world_t *test, int32_t slot) {
    TestArena_Press(test, slot, 48, BUTTON_USE, 0, "");
    TestArena_Press(test, slot, 48, 0, 0, "");
}

// Full throttle of player 0's for so long; prints that match are counted.
static int32_t throttle(test_world_t *test, int32_t ms, int16_t forward, uint8_t buttons,
                        const char *print) {
    int32_t count = 0;
    for (int32_t at = 0; at < ms; at += ARENA_TICK_MS) {
        for (int32_t i = 0; i < test->world->max_clients; i++) {
            if (World_Client(test->world, i)->inuse) {
                usercmd_t cmd = {.msec = ARENA_TICK_MS};
                cmd.forward = i == 0 ? forward : 0;
                cmd.buttons = i == 0 ? buttons : 0;
                TestWorld_Cmd(test, i, cmd);
            }
        }
        TestWorld_Tick(test);
        count += TestWorld_CountEvents(test, EVENT_PRINT, print);
    }
    assert_int_equal(test->world->counters.quarantined, 0);
    return count;
}

static void test_in_and_out(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    edict_t *buggy = buggy_of(&test);
    const edict_t *ann = World_Edict(test.world, 1);
    assert_int_equal(buggy->solid, SOLID_BBOX);
    vec3_t place = buggy->origin;
    TestArena_Press(&test, 0, 500, BUTTON_USE, 0, ""); // held: once
    assert_true(drives(&test, 0));
    assert_true(state_of(&test, 0)->heading == 90.0f);
    assert_true(ann->maxs.x == 32.0f && ann->maxs.z == 20.0f);
    assert_true(VectorCompare(ann->origin, place));
    assert_int_equal(buggy->solid, SOLID_NOT);
    assert_int_equal(buggy->movetype, MOVETYPE_FOLLOW);
    // He drives where it heads, not where he looks, and does not shoot.
    int32_t shells = TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS];
    throttle(&test, 800, 320, BUTTON_ATTACK, "");
    assert_true(ann->origin.y > 80.0f && fabsf(ann->origin.x - place.x) < 1.0f);
    assert_int_equal(TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS], shells);
    assert_true(VectorCompare(buggy->origin, ann->origin));
    assert_true(buggy->angles.y == 90.0f);
    throttle(&test, 800, -320, 0, "");
    throttle(&test, 800, 0, BUTTON_JUMP, ""); // stands
    place = ann->origin;
    press_use(&test, 0);
    assert_false(drives(&test, 0));
    assert_int_equal(state_of(&test, 0)->pm_type, PM_NORMAL);
    assert_true(ann->maxs.x == 16.0f && ann->maxs.z == 32.0f);
    assert_true(ann->origin.x < place.x - 48.0f); // to the left of it
    assert_int_equal(buggy->solid, SOLID_BBOX);
    assert_true(fabsf(buggy->origin.y - place.y) < 2.0f && buggy->angles.y == 90.0f);
    assert_int_equal(test.world->counters.unstuck, 0);
    TestArena_Run(&test, 500, "");
    assert_true((ann->flags & FL_ONGROUND) && (buggy->flags & FL_ONGROUND));
    // It shoots again, and gets in again.
    TestArena_Press(&test, 0, 32, BUTTON_ATTACK, 0, "");
    assert_int_equal(TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS], shells - 1);
    press_use(&test, 0);
    assert_true(drives(&test, 0));
    TestWorld_Free(&test);
}

static void test_who_does_not_get_in(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    press_use(&test, 1); // too far away
    assert_false(drives(&test, 1));
    press_use(&test, 0);
    TestArena_Put(&test, 1, Vector(60.0f, 0.0f, ARENA_FLOOR));
    TestArena_Run(&test, 48, "");
    press_use(&test, 1); // it has a driver
    assert_false(drives(&test, 1));
    assert_true(drives(&test, 0));
    TestArena_Run(&test, 100, "");
    TestWorld_Free(&test);
    set_up(&test);
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 32, "");
    press_use(&test, 0); // the dead
    assert_int_equal(state_of(&test, 0)->pm_type, PM_DEAD);
    TestWorld_Free(&test);
}

// Between two walls he gets out behind it; shut in on all sides, on its roof; under a low ceiling
// he is told that there is no room, and stays.
static void test_where_there_is_no_room(void **state) {
    (void)state;
    static const test_block_t blocks[] = {
        {.box = {{-80, -100, 0}, {-40, 100, 128}}, .contents = CONTENTS_SOLID},
        {.box = {{40, -100, 0}, {80, 100, 128}}, .contents = CONTENTS_SOLID},
        {.box = {{-40, 40, 0}, {40, 100, 128}}, .contents = CONTENTS_SOLID},
        {.box = {{-40, -100, 0}, {40, -40, 128}}, .contents = CONTENTS_SOLID},
        {.box = {{-80, -100, 60}, {80, 100, 128}}, .contents = CONTENTS_SOLID},
    };
    for (int32_t walls = 2; walls <= 5; walls++) {
        const test_map_t map = {
            .room = {{-500, -500, 0}, {500, 500, 400}},
            .blocks = blocks,
            .num_blocks = walls,
            .entities = "{ \"classname\" \"worldspawn\" }"
                        "{ \"classname\" \"info_player_start\" \"origin\" \"300 0 25\" }" BUGGY,
            .brush_list = true};
        test_world_t test;
        TestWorld_Init(&test, &map, 2);
        TestArena_Join(&test, 0, "ann", Vector(0.0f, 0.0f, 300.0f));
        TestArena_Run(&test, 200, "");
        sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
        edict_t *ann = World_Edict(test.world, 1);
        TestArena_Put(&test, 0, Vector(0.0f, 0.0f, 66.0f)); // on its roof
        ann->absmin = VectorAdd(ann->origin, ann->mins);
        ann->absmax = VectorAdd(ann->origin, ann->maxs);
        const usercmd_t use = {.buttons = BUTTON_USE};
        const usercmd_t none = {.buttons = 0};
        client_t *client = World_Client(test.world, 0);
        Game_VehicleStep(&sv, ann, client, &use);
        assert_true(drives(&test, 0));
        Game_VehicleStep(&sv, ann, client, &none);
        Game_VehicleStep(&sv, ann, client, &use);
        assert_true(drives(&test, 0) == (walls == 5));
        int32_t told = 0;
        for (int32_t i = 0; i < test.events->count; i++) {
            told += strstr(test.events->list[i].text, "no room to get out") ? 1 : 0;
        }
        assert_int_equal(told, walls == 5 ? 1 : 0);
        const vec3_t at = ann->origin;
        assert_true(walls != 2 || (at.y < -48.0f && at.z < 40.0f)); // behind it
        assert_true(walls != 3 || (at.y < -48.0f && at.z < 40.0f));
        assert_true(walls != 4 || at.z > 60.0f);
        TestArena_Run(&test, 500, "");
        assert_int_equal(test.world->counters.unstuck, 0);
        TestWorld_Free(&test);
    }
}

// Killed, gone, or looking on: the buggy stands there for the next one.
static void test_without_its_driver(void **state) {
    (void)state;
    for (int how = 0; how < 4; how++) {
        test_world_t test;
        set_up(&test);
        press_use(&test, 0);
        throttle(&test, 500, 320, 0, "");
        float at = World_Edict(test.world, 1)->origin.y;
        if (how == 1) {
            Inputs_Add(test.inputs, INPUT_LEAVE, 0);
        } else {
            TestArena_Tell(&test, 0, how == 0 ? "kill" : "spectate");
        }
        if (how == 3) { // the match ends
            TestArena_Vars(&test)->fraglimit = 1;
            TestArena_Fields(&test, 0)->frags = 5;
        }
        TestWorld_Tick(&test);
        TestArena_Run(&test, 2000, "");
        edict_t *buggy = buggy_of(&test);
        assert_int_equal(buggy->solid, SOLID_BBOX);
        assert_int_equal(buggy->movetype, MOVETYPE_STEP);
        assert_int_equal(buggy->hidden, 0);
        assert_true(buggy->origin.y > at - 1.0f && buggy->origin.y < at + 120.0f); // it rolls out
        assert_true(buggy->flags & FL_ONGROUND);
        assert_true(how == 1 || state_of(&test, 0)->maxs.x == 16.0f);
        if (how != 3) {
            TestArena_Put(&test, 1, VectorAdd(buggy->origin, Vector(60.0f, 0.0f, 4.0f)));
            TestArena_Run(&test, 48, "");
            press_use(&test, 1);
            assert_true(drives(&test, 1));
        }
        TestArena_Run(&test, 2000, "");
        assert_int_equal(test.world->counters.unstuck, 0);
        assert_int_equal(test.world->counters.quarantined, 0);
        TestWorld_Free(&test);
    }
}

// Fast enough it kills; slowly it only shoves; friends are spared.
static void test_running_over(void **state) {
    (void)state;
    static const struct {
        int32_t run_up; // qu before him
        int32_t teamplay, least, most;
    } cases[] = {
        {0, 0, 0, 0}, {100, 0, 30, 60}, {300, 0, 60, 60}, {400, 0, 100, 100}, {300, 1, 0, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        set_up(&test);
        press_use(&test, 0);
        TestArena_Vars(&test)->teamplay = cases[i].teamplay;
        TestArena_Fields(&test, 0)->team = TestArena_Fields(&test, 1)->team = 1;
        TestArena_Put(&test, 1, Vector(0.0f, 52.0f + (float)cases[i].run_up, ARENA_FLOOR));
        TestArena_Run(&test, 32, "");
        int32_t deaths = throttle(&test, 1500, 320, 0, "bob was run over by ann");
        int32_t lost = 100 - TestArena_Health(&test, 1);
        print_message("after %d qu: %d points\n", cases[i].run_up, lost);
        assert_in_range(lost, cases[i].least, cases[i].most);
        assert_int_equal(deaths, lost == 100 ? 1 : 0);
        assert_int_equal(TestArena_Fields(&test, 0)->frags, deaths);
        TestWorld_Free(&test);
    }
}

// However his input is cut into commands, he gets in and out at the same sub-step.
static void test_cuts_change_nothing(void **state) {
    (void)state;
    player_state_t end[2];
    for (int32_t cut = 0; cut < 2; cut++) {
        test_world_t test;
        set_up(&test);
        for (int32_t tick = 0; tick < 200; tick++) {
            usercmd_t cmd = {.forward = 320, .side = (int16_t)(tick % 5 * 60 - 120)};
            cmd.buttons = tick == 3 || tick == 150 ? BUTTON_USE : 0;
            for (int32_t part = 0; part < 1 + cut; part++) {
                cmd.msec = (uint8_t)(ARENA_TICK_MS / (1 + cut));
                TestWorld_Cmd(&test, 0, cmd);
            }
            TestWorld_Tick(&test);
        }
        end[cut] = *state_of(&test, 0);
        TestWorld_Free(&test);
    }
    assert_int_equal(end[0].pm_type, PM_NORMAL);
    assert_memory_equal(&end[0], &end[1], sizeof end[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_and_out),
        cmocka_unit_test(test_who_does_not_get_in),
        cmocka_unit_test(test_where_there_is_no_room),
        cmocka_unit_test(test_without_its_driver),
        cmocka_unit_test(test_running_over),
        cmocka_unit_test(test_cuts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
