// The buggy: getting in and out with and without room, a driver that dies, leaves or spectates, and
// players that the buggy runs over.

#include "base/rng.h"
#include "lib/arena_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "game/players.h"
#include "game/vehicles.h"

#include <string.h>

#define BUGGY "{ \"classname\" \"misc_buggy\" \"origin\" \"0 0 20\" \"angle\" \"90\" }"
enum { NUM_DRIVERS = 6 };

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

// Player 0 drives at full throttle for `ms`. Returns how many prints contain `print`.
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
    TestArena_Press(&test, 0, 500, BUTTON_USE, 0, ""); // a held button acts once
    assert_true(drives(&test, 0));
    assert_true(state_of(&test, 0)->heading == 90.0f);
    assert_true(ann->maxs.x == 32.0f);
    assert_true(ann->maxs.z == 20.0f);
    assert_true(VectorCompare(ann->origin, place));
    assert_int_equal(buggy->solid, SOLID_NOT);
    assert_int_equal(buggy->movetype, MOVETYPE_FOLLOW);
    // The buggy drives where it points, not where the driver looks, and the driver does not shoot.
    int32_t shells = TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS];
    throttle(&test, 800, 320, BUTTON_ATTACK, "");
    assert_true(ann->origin.y > 80.0f);
    assert_true(fabsf(ann->origin.x - place.x) < 1.0f);
    assert_int_equal(TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS], shells);
    assert_true(VectorCompare(buggy->origin, ann->origin));
    assert_true(buggy->angles.y == 90.0f);
    throttle(&test, 800, -320, 0, "");
    throttle(&test, 800, 0, BUTTON_JUMP, ""); // until the buggy stands
    place = ann->origin;
    press_use(&test, 0);
    assert_false(drives(&test, 0));
    assert_int_equal(state_of(&test, 0)->pm_type, PM_NORMAL);
    assert_true(ann->maxs.x == 16.0f);
    assert_true(ann->maxs.z == 32.0f);
    assert_true(ann->origin.x < place.x - 48.0f); // to the left of it
    assert_int_equal(buggy->solid, SOLID_BBOX);
    assert_true(fabsf(buggy->origin.y - place.y) < 2.0f);
    assert_true(buggy->angles.y == 90.0f);
    assert_int_equal(test.world->counters.unstuck, 0);
    TestArena_Run(&test, 500, "");
    assert_true((ann->flags & FL_ONGROUND));
    assert_true((buggy->flags & FL_ONGROUND));
    // After getting out, the player can shoot and get in again.
    TestArena_Press(&test, 0, 32, BUTTON_ATTACK, 0, "");
    assert_int_equal(TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS], shells - 1);
    press_use(&test, 0);
    assert_true(drives(&test, 0));
    TestWorld_Free(&test);
}

// A game that takes a player out of the vehicle of another.
static void test_the_vehicle_of_another(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    edict_t *buggy = buggy_of(&test);
    press_use(&test, 0);
    assert_true(drives(&test, 0));
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    Events_Clear(test.events);
    assert_true(sv.engine->leave_vehicle(&sv, World_Edict(test.world, 2), buggy, true));
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "expected the vehicle that player 2"),
                     1);
    assert_true(drives(&test, 0));
    assert_int_equal(buggy->movetype, MOVETYPE_FOLLOW);
    assert_ptr_equal(World_Deref(test.world, buggy->aiment), World_Edict(test.world, 1));
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
    press_use(&test, 1); // the buggy has a driver
    assert_false(drives(&test, 1));
    assert_true(drives(&test, 0));
    TestArena_Run(&test, 100, "");
    TestWorld_Free(&test);
    set_up(&test);
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 32, "");
    press_use(&test, 0); // a dead player cannot get in
    assert_int_equal(state_of(&test, 0)->pm_type, PM_DEAD);
    TestWorld_Free(&test);
}

// A player cannot get in through a wall, however thin; next to the wall it can.
static void test_not_through_walls(void **state) {
    (void)state;
    static const test_block_t wall = {.box = {{-36, -60, 0}, {-34, 60, 128}},
                                      .contents = CONTENTS_SOLID};
    const test_map_t map = {
        .room = {{-500, -500, 0}, {500, 500, 400}},
        .blocks = &wall,
        .num_blocks = 1,
        .entities = "{ \"classname\" \"worldspawn\" }"
                    "{ \"classname\" \"info_player_start\" \"origin\" \"300 0 25\" }" BUGGY,
        .brush_list = true};
    test_world_t test;
    TestWorld_Init(&test, &map, 2);
    TestArena_Join(&test, 0, "ann", Vector(-53.0f, 0.0f, ARENA_FLOOR));
    TestArena_Run(&test, 200, "");
    press_use(&test, 0);
    assert_false(drives(&test, 0));
    TestArena_Put(&test, 0, Vector(0.0f, -60.0f, ARENA_FLOOR));
    press_use(&test, 0);
    assert_true(drives(&test, 0));
    TestWorld_Free(&test);
}

// The driver gets out to the left. If a thin wall or a deep drop is there, the driver gets out to
// the right.
static void test_where_he_gets_out(void **state) {
    (void)state;
    static const test_block_t blocks[] = {
        {.box = {{-32.8f, -100, 0}, {-32.3f, 100, 128}}, .contents = CONTENTS_SOLID},
        {.box = {{-32.5f, -200, 0}, {300, 200, 199}}, .contents = CONTENTS_SOLID}};
    for (int i = 0; i < 3; i++) {
        const test_map_t map = {
            .room = {{-500, -500, 0}, {500, 500, 400}},
            .blocks = i == 0 ? NULL : &blocks[i - 1],
            .num_blocks = i == 0 ? 0 : 1,
            .entities = "{ \"classname\" \"worldspawn\" }"
                        "{ \"classname\" \"info_player_start\" \"origin\" \"0 300 25\" }"
                        "{ \"classname\" \"misc_buggy\" \"origin\" \"0 0 220\" \"angle\" \"90\" }",
            .brush_list = true};
        test_world_t test;
        TestWorld_Init(&test, &map, 2);
        TestArena_Join(&test, 0, "ann", Vector(0.0f, 300.0f, ARENA_FLOOR));
        TestArena_Run(&test, 1000, "");
        const edict_t *buggy = buggy_of(&test);
        TestArena_Put(&test, 0, VectorAdd(buggy->origin, Vector(0.0f, 60.0f, 6.0f)));
        press_use(&test, 0);
        assert_true(drives(&test, 0));
        press_use(&test, 0);
        const edict_t *ann = World_Edict(test.world, 1);
        assert_false(drives(&test, 0));
        assert_true(i == 0 ? ann->origin.x < -48.0f : ann->origin.x > 48.0f);
        TestWorld_Free(&test);
    }
}

// A buggy that is left while driving rolls on, at half its speed.
static void test_rolls_out(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    edict_t *buggy = buggy_of(&test);
    press_use(&test, 0);
    throttle(&test, 800, 320, 0, "");
    float speed = World_Edict(test.world, 1)->velocity.y;
    float y = buggy->origin.y;
    press_use(&test, 0);
    assert_false(drives(&test, 0));
    assert_true(speed > 200.0f);
    assert_true(buggy->velocity.y > 0.2f * speed);
    assert_true(buggy->velocity.y < 0.6f * speed);
    TestArena_Run(&test, 1000, "");
    assert_true(buggy->origin.y > y + 20.0f);
    assert_true(VectorLength(buggy->velocity) < 1.0f);
    TestWorld_Free(&test);
}

// A fall continues if the player gets in or out during it, and still hurts.
static void test_falls_go_on(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    TestArena_Put(&test, 0, Vector(0.0f, 0.0f, 700.0f));
    for (int i = 0; i < 200 && TestArena_Health(&test, 0) == 100; i++) {
        TestArena_Press(&test, 0, 16, i % 2 ? BUTTON_USE : 0, 0, "");
        assert_true(!drives(&test, 0) || TestArena_Health(&test, 0) < 100);
    }
    assert_true(TestArena_Health(&test, 0) < 100);
    TestWorld_Free(&test);
    set_up(&test);
    press_use(&test, 0);
    edict_t *ann = World_Edict(test.world, 1);
    TestArena_Put(&test, 0, Vector(0.0f, 0.0f, 700.0f));
    while (ann->origin.z > 80.0f) {
        TestArena_Run(&test, 16, "");
    }
    press_use(&test, 0);
    TestArena_Run(&test, 500, "");
    assert_false(drives(&test, 0));
    assert_true(TestArena_Health(&test, 0) < 100);
    TestWorld_Free(&test);
}

// Between two walls the driver gets out behind the buggy; with walls on all sides, onto its roof.
// Under a low ceiling the driver gets the message "no room" and stays in.
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
        assert_true(walls != 2 || (at.y < -48.0f && at.z < 40.0f)); // behind the buggy
        assert_true(walls != 3 || (at.y < -48.0f && at.z < 40.0f));
        assert_true(walls != 4 || at.z > 60.0f);
        TestArena_Run(&test, 500, "");
        assert_int_equal(test.world->counters.unstuck, 0);
        TestWorld_Free(&test);
    }
}

// If the driver is killed, leaves or spectates, the buggy stays for the next one.
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
        assert_int_equal(buggy->visibility, VISIBLE_ALL);
        assert_true(buggy->origin.y > at - 1.0f);
        assert_true(buggy->origin.y < at + 120.0f); // it rolls on
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

// A fast buggy kills, a slow one pushes. Team mates are not hurt.
static void test_running_over(void **state) {
    (void)state;
    static const struct {
        int32_t run_up; // qu in front of the victim
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

// A player gets in and out in the same sub-step, however its input is cut into usercmds.
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

// Every driver has exactly one buggy, which follows its driver; all other buggies exist once.
static void check_buggies(const test_world_t *test, int32_t tick) {
    world_t *world = test->world;
    for (int32_t i = 0; i < world->max_clients; i++) {
        client_t *client = World_Client(world, i);
        const edict_t *edict = World_Edict(world, i + 1);
        if (!client->inuse) {
            continue;
        }
        const edict_t *buggy = World_Deref(world, Game_PlayerFields(client)->vehicle);
        bool is_driver = client->player.pm_type == PM_DRIVING;
        if (is_driver != (buggy != NULL) || (edict->maxs.x == 32.0f) != is_driver ||
            (buggy &&
             World_Deref(world, Game_Fields((edict_t *)(uintptr_t)buggy)->activator) != edict)) {
            fail_msg("tick %d: client %d: type %d, box %g", tick, i, client->player.pm_type,
                     (double)edict->maxs.x);
        }
    }
    for (int32_t i = world->max_clients + 1; i < world->num_edicts; i++) {
        edict_t *edict = World_Edict(world, i);
        if (!edict->inuse || strcmp(World_Text(world, edict->classname), "misc_buggy") != 0) {
            continue;
        }
        const edict_t *driver = World_Deref(world, Game_Fields(edict)->activator);
        bool follows = edict->movetype == MOVETYPE_FOLLOW;
        assert_int_equal(driver != NULL, follows);
        assert_int_equal(edict->solid, follows ? SOLID_NOT : SOLID_BBOX);
        assert_true(VectorWithin(edict->origin, 520.0f));
    }
}

static void random_second(test_world_t *test, rng_t *rng, int32_t slot, usercmd_t *cmd) {
    static const char *const tells[] = {"kill", "spectate", "join"};
    cmd->forward = (int16_t)(320 * ((int32_t)Rng_Below(rng, 3) - 1));
    cmd->side = (int16_t)(320 * ((int32_t)Rng_Below(rng, 3) - 1));
    cmd->yaw = (uint16_t)Rng_Below(rng, 65536);
    cmd->buttons = Rng_Below(rng, 3) == 0 ? BUTTON_JUMP : 0;
    cmd->buttons |= Rng_Below(rng, 4) == 0 ? BUTTON_ATTACK : 0;
    uint32_t what = Rng_Below(rng, 60);
    if (what < COUNTOF(tells)) {
        TestArena_Tell(test, slot, tells[what]);
    } else if (what == 5) {
        Inputs_Add(test->inputs, INPUT_LEAVE, slot);
    }
}

// Six players in a small room with buggies, a lift, doors, a rotating entity, water, hazards and
// jump pads, with minutes of random input.
static void test_random_drivers(void **state) {
    (void)state;
    static const char entities[] =
        "{ \"classname\" \"worldspawn\" }"
        "{ \"classname\" \"func_plat\" \"model\" \"*1\" \"height\" \"100\" }"
        "{ \"classname\" \"func_door\" \"model\" \"*2\" \"angle\" \"90\" \"wait\" \"1\" }"
        "{ \"classname\" \"func_door\" \"model\" \"*3\" \"angle\" \"270\" \"wait\" \"1\" }"
        "{ \"classname\" \"func_rotating\" \"model\" \"*4\" \"speed\" \"90\" }"
        "{ \"classname\" \"trigger_hurt\" \"model\" \"*5\" \"dmg\" \"15\" }"
        "{ \"classname\" \"trigger_push\" \"model\" \"*6\" \"angle\" \"-1\" \"speed\" \"60\" }"
        "{ \"classname\" \"info_player_start\" \"origin\" \"-420 0 24\" }"
        "{ \"classname\" \"info_player_start\" \"origin\" \"400 0 24\" }"
        "{ \"classname\" \"info_player_start\" \"origin\" \"0 420 24\" }"
        "{ \"classname\" \"misc_buggy\" \"origin\" \"0 0 60\" }"
        "{ \"classname\" \"misc_buggy\" \"origin\" \"200 200 20\" }"
        "{ \"classname\" \"misc_buggy\" \"origin\" \"-350 60 20\" }"
        "{ \"classname\" \"misc_buggy\" \"origin\" \"350 -60 20\" }"
        "{ \"classname\" \"misc_buggy\" \"origin\" \"60 350 20\" }";
    static const test_block_t models[] = {
        {.box = {{-32, -32, 0}, {32, 32, 16}}, .contents = CONTENTS_SOLID, .model = 1},
        {.box = {{100, -64, 0}, {116, 0, 128}}, .contents = CONTENTS_SOLID, .model = 2},
        {.box = {{100, 0, 0}, {116, 64, 128}}, .contents = CONTENTS_SOLID, .model = 3},
        {.box = {{-200, -32, 0}, {-184, 32, 96}}, .contents = CONTENTS_SOLID, .model = 4},
        {.box = {{-400, 200, 0}, {-300, 300, 64}}, .contents = CONTENTS_SOLID, .model = 5},
        {.box = {{-400, -300, 0}, {-300, -200, 64}}, .contents = CONTENTS_SOLID, .model = 6},
        {.box = {{250, 250, 0}, {500, 500, 90}}, .contents = CONTENTS_WATER},
    };
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = models,
                            .num_blocks = (int32_t)COUNTOF(models),
                            .entities = entities,
                            .brush_list = true};
    const int32_t seconds = Test_IsLong() ? 3600 : 200;
    test_world_t test;
    rng_t rng = {4004};
    usercmd_t cmds[NUM_DRIVERS] = {{0}};
    int32_t driven_ticks = 0;
    TestWorld_Init(&test, &map, NUM_DRIVERS);
    for (int32_t tick = 0; tick < seconds * 1000 / ARENA_TICK_MS; tick++) {
        for (int32_t i = 0; i < NUM_DRIVERS; i++) {
            usercmd_t *cmd = &cmds[i];
            if (!World_Client(test.world, i)->inuse) {
                TestWorld_Join(&test, i, "somebody");
                continue;
            }
            if (Rng_Below(&rng, 60) == 0) {
                random_second(&test, &rng, i, cmd);
            }
            cmd->msec = ARENA_TICK_MS;
            usercmd_t now = *cmd;
            now.buttons |= Rng_Below(&rng, drives(&test, i) ? 200 : 10) == 0 ? BUTTON_USE : 0;
            TestWorld_Cmd(&test, i, now);
            driven_ticks += drives(&test, i) ? 1 : 0;
        }
        TestWorld_Tick(&test);
        check_buggies(&test, tick);
        assert_int_equal(test.world->counters.quarantined, 0);
    }
    print_message("%d s: driven %d ms, %d times unstuck\n", seconds, driven_ticks * ARENA_TICK_MS,
                  (int)test.world->counters.unstuck);
    assert_true(driven_ticks > seconds * 5);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_and_out),          cmocka_unit_test(test_the_vehicle_of_another),
        cmocka_unit_test(test_who_does_not_get_in), cmocka_unit_test(test_not_through_walls),
        cmocka_unit_test(test_where_he_gets_out),   cmocka_unit_test(test_rolls_out),
        cmocka_unit_test(test_falls_go_on),         cmocka_unit_test(test_where_there_is_no_room),
        cmocka_unit_test(test_without_its_driver),  cmocka_unit_test(test_random_drivers),
        cmocka_unit_test(test_running_over),        cmocka_unit_test(test_cuts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
