// SV_Frame: joins, the time budget of clients, cutting of input, the map's triggers.

#include "lib/test_golden.h"
#include "lib/test_world.h"
#include "lib/testing.h"

#include "math/angles.h"

#include <string.h>

#define TICK_MS 16

static const char course[] =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 0 24\" \"angle\" \"0\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 200 24\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 -200 24\" }\n"
    "{ \"classname\" \"trigger_push\" \"model\" \"*1\" \"angle\" \"-1\" \"speed\" \"40\" }\n"
    "{ \"classname\" \"trigger_teleport\" \"model\" \"*2\" \"target\" \"back\" }\n"
    "{ \"classname\" \"info_teleport_destination\" \"origin\" \"-300 0 0\" \"angle\" \"90\""
    " \"targetname\" \"back\" }\n"
    "{ \"classname\" \"trigger_multiple\" \"model\" \"*3\" \"message\" \"tripped\" \"wait\" \"1\" "
    "}\n"
    "{ \"classname\" \"trigger_hurt\" \"model\" \"*4\" \"dmg\" \"40\" }\n"
    "{ \"classname\" \"monster_that_nobody_knows\" \"origin\" \"0 0 0\" }\n";

// Along +x: a step, a push pad, a pool; a teleporter across the far end, a hurt field to the side.
static void build(test_world_t *test) {
    static const test_block_t blocks[] = {
        {.box = {{-250, -100, 0}, {-200, 100, 16}}, .contents = CONTENTS_SOLID},
        {.box = {{100, -500, 0}, {300, 500, 60}}, .contents = CONTENTS_WATER},
        {.box = {{-100, -64, 0}, {-60, 64, 8}}, .contents = CONTENTS_SOLID, .model = 1},
        {.box = {{400, -500, 0}, {420, 500, 128}}, .contents = CONTENTS_SOLID, .model = 2},
        {.box = {{-330, -500, 0}, {-320, 500, 64}}, .contents = CONTENTS_SOLID, .model = 3},
        {.box = {{-450, 300, 0}, {-350, 400, 64}}, .contents = CONTENTS_SOLID, .model = 4},
    };
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .entities = course};
    TestWorld_Init(test, &map, 4);
}

static usercmd_t forward_cmd(int32_t msec) {
    return (usercmd_t){.msec = (uint8_t)msec, .forward = 400};
}

static void test_join_spawns_and_leave_frees(void **state) {
    (void)state;
    test_world_t test;
    build(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const edict_t *edict = World_Edict(test.world, 1);
    assert_true(edict->inuse && edict->origin.x == -400.0f && edict->absmin.x < -416.0f);
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    TestWorld_Join(&test, 0, "bob");         // the slot is taken
    Inputs_Add(test.inputs, INPUT_LEAVE, 3); // nobody there
    TestWorld_Tick(&test);
    assert_string_equal(World_Client(test.world, 0)->name, "ann");
    Inputs_Add(test.inputs, INPUT_LEAVE, 0);
    TestWorld_Tick(&test);
    assert_int_equal(edict->inuse, 0);
    assert_int_equal(World_Client(test.world, 0)->inuse, 0);
    assert_int_equal(test.world->counters.unknown_classes, 1);
    TestWorld_Free(&test);
}

static void test_a_player_falls_lands_and_walks(void **state) {
    (void)state;
    test_world_t test;
    build(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    float start = client->player.origin.x;
    for (int i = 0; i < 125; i++) { // 2 s, the pad throws him up on the way
        usercmd_t cmd = forward_cmd(TICK_MS);
        cmd.yaw = (uint16_t)-client->player.delta_yaw;
        TestWorld_Cmd(&test, 0, cmd);
        TestWorld_Tick(&test);
    }
    assert_true(client->player.origin.x > start + 250.0f);
    assert_int_equal(client->dropped_credit_ms, 0);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

// 1000 commands at once, 100 ms each 16 ms: nobody moves faster than time passes.
static void test_time_credit_bounds_speed(void **state) {
    (void)state;
    test_world_t honest, greedy;
    build(&honest);
    build(&greedy);
    TestWorld_Join(&honest, 0, "ann");
    TestWorld_Join(&greedy, 0, "eve");
    TestWorld_Tick(&honest);
    TestWorld_Tick(&greedy);
    for (int i = 0; i < 30; i++) {
        usercmd_t cmd = forward_cmd(TICK_MS);
        TestWorld_Cmd(&honest, 0, cmd);
        for (int n = 0; n < (i == 0 ? 1000 : 2); n++) {
            TestWorld_Cmd(&greedy, 0, forward_cmd(100));
        }
        TestWorld_Tick(&honest);
        TestWorld_Tick(&greedy);
    }
    const client_t *eve = World_Client(greedy.world, 0);
    float gained = eve->player.origin.x - World_Client(honest.world, 0)->player.origin.x;
    assert_true(gained <= 320.0f * 0.032f); // the credit of the join tick at most
    assert_true(eve->dropped_credit_ms > 5000 && eve->dropped_queue > 900);
    assert_true(greedy.world->counters.cmds_over_credit_ms == eve->dropped_credit_ms);
    TestWorld_Free(&honest);
    TestWorld_Free(&greedy);
}

static void test_far_and_late_commands_are_refused(void **state) {
    (void)state;
    test_world_t test;
    build(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    usercmd_t far = forward_cmd(TICK_MS);
    far.tick = 1000000;
    TestWorld_Cmd(&test, 0, far);
    TestWorld_Tick(&test);
    assert_int_equal(client->dropped_queue, 1);
    assert_int_equal(client->queue_count, 0);
    for (int i = 0; i < 20; i++) { // over the input timeout: his time is filled
        TestWorld_Tick(&test);
    }
    assert_true(client->filled_ms >= 200 && client->floor_tick == test.world->tick - 1);
    usercmd_t late = forward_cmd(TICK_MS);
    late.tick = client->floor_tick;
    TestWorld_Cmd(&test, 0, late);
    TestWorld_Tick(&test);
    assert_int_equal(client->dropped_late, 1);
    TestWorld_Free(&test);
}

// A player whose commands stop in the air comes down, and his time is as long as everybody's.
static void test_nobody_hangs_in_the_air(void **state) {
    (void)state;
    test_world_t test;
    build(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 10; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS});
        TestWorld_Tick(&test);
    }
    usercmd_t jump = {.msec = TICK_MS, .buttons = BUTTON_JUMP};
    TestWorld_Cmd(&test, 0, jump);
    TestWorld_Tick(&test);
    assert_false(client->player.flags & PMF_ONGROUND);
    for (int i = 0; i < 60; i++) {
        TestWorld_Tick(&test);
    }
    assert_true(client->player.flags & PMF_ONGROUND);
    TestWorld_Free(&test);
}

static void test_synchronous_clients_fill_at_once(void **state) {
    (void)state;
    test_world_t test;
    build(&test);
    test.world->cvars.sv_synchronousclients = 1;
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 10; i++) {
        TestWorld_Cmd(&test, 0, forward_cmd(5));
        TestWorld_Tick(&test);
        assert_int_equal(client->credit_ms, 0);
    }
    assert_int_equal(client->filled_ms, 16 + 10 * 11);
    TestWorld_Free(&test);
}

// ---- cutting ----

typedef struct {
    int32_t until_ms;
    usercmd_t cmd;
} stretch_t;

// Random input over time; stretches end anywhere, in the middle of sub-steps.
static int32_t random_input(rng_t *rng, stretch_t *list, int32_t total_ms) {
    int32_t count = 0;
    int32_t at = 0;
    while (at < total_ms) {
        at += 1 + (int32_t)Rng_Below(rng, 120);
        list[count].until_ms = at;
        list[count].cmd = (usercmd_t){.forward = (int16_t)(Rng_Below(rng, 5) ? 400 : -400),
                                      .side = (int16_t)((int32_t)Rng_Below(rng, 800) - 400),
                                      .up = (int16_t)(Rng_Below(rng, 3) ? 0 : 200),
                                      .yaw = (uint16_t)(Rng_Below(rng, 16384) - 8192u),
                                      .pitch = (uint16_t)(Rng_Below(rng, 8192) - 4096u),
                                      .buttons = Rng_Below(rng, 4) ? 0 : BUTTON_JUMP};
        count++;
    }
    return count;
}

// Plays the input cut into random commands; the commands of a tick's time are given in that tick.
static player_state_t play_cut(const stretch_t *input, int32_t total_ms, rng_t *rng) {
    test_world_t test;
    build(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    int32_t at = 0;
    int32_t stretch = 0;
    for (int32_t end = TICK_MS; end <= total_ms; end += TICK_MS) {
        while (at < end) {
            while (input[stretch].until_ms <= at) {
                stretch++;
            }
            int32_t limit = Q_MinI(end, input[stretch].until_ms) - at;
            int32_t msec = rng ? 1 + (int32_t)Rng_Below(rng, (uint32_t)limit) : limit;
            usercmd_t cmd = input[stretch].cmd;
            cmd.msec = (uint8_t)msec;
            TestWorld_Cmd(&test, 0, cmd);
            at += msec;
        }
        TestWorld_Tick(&test);
    }
    player_state_t player = World_Client(test.world, 0)->player;
    assert_int_equal(test.world->counters.cmds_over_credit_ms, 0);
    TestWorld_Free(&test);
    return player;
}

static void test_cutting_input_changes_no_bit(void **state) {
    (void)state;
    const int32_t total_ms = 6400;
    const uint64_t seeds = Test_IsLong() ? 400 : 12;
    stretch_t *input = calloc(8000, sizeof *input);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        rng_t rng = {seed};
        random_input(&rng, input, total_ms);
        player_state_t whole = play_cut(input, total_ms, NULL);
        for (int32_t n = 0; n < 4; n++) {
            player_state_t cut = play_cut(input, total_ms, &rng);
            if (memcmp(&whole, &cut, sizeof whole) != 0) {
                print_message("seed %llu, cut %d\n", (unsigned long long)seed, n);
            }
            assert_memory_equal(&whole, &cut, sizeof whole);
        }
    }
    free(input);
}

// ---- the game's triggers ----

static int32_t count_events(const test_world_t *test, event_type_t type, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < test->events->count; i++) {
        count += test->events->list[i].type == type && !strcmp(test->events->list[i].text, text);
    }
    return count;
}

static void put(test_world_t *test, vec3_t origin) {
    edict_t *edict = World_Edict(test->world, 1);
    edict->origin = origin;
    edict->oldorigin = origin;
    edict->velocity = Vector(0, 0, 0);
}

static void test_triggers_do_their_work(void **state) {
    (void)state;
    test_world_t test;
    build(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    usercmd_t still = {.msec = TICK_MS};

    put(&test, Vector(-325, 100, 24.03125f));
    int32_t tripped = 0;
    for (int i = 0; i < 130; i++) { // just over 2 s in a trigger that waits 1 s
        TestWorld_Cmd(&test, 0, still);
        TestWorld_Tick(&test);
        tripped += count_events(&test, EVENT_PRINT, "tripped");
    }
    assert_int_equal(tripped, 3);

    put(&test, Vector(-80, 0, 24.03125f));
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true(client->player.velocity.z > 350.0f); // 40 * 10, less gravity

    put(&test, Vector(410, 300, 24.03125f));
    uint32_t before = client->player.flags & PMF_TELEPORT;
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true((client->player.flags & PMF_TELEPORT) != before);
    assert_true(fabsf(client->player.origin.x + 300.0f) < 10.0f);
    assert_true(client->player.velocity.y > 200.0f); // out of the exit, along its angle
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true(client->player.angles.y == 90.0f); // the same command looks along the exit now

    put(&test, Vector(-400, 350, 24.03125f));
    int32_t deaths = 0;
    for (int i = 0; i < 200; i++) { // 40 a second: dead after the third
        TestWorld_Cmd(&test, 0, still);
        TestWorld_Tick(&test);
        deaths += count_events(&test, EVENT_EFFECT, "death");
    }
    assert_int_equal(deaths, 1);
    TestWorld_Free(&test);
}

static void test_two_worlds_and_a_copy_agree(void **state) {
    (void)state;
    test_world_t a, b;
    build(&a);
    build(&b);
    rng_t rng = {7};
    for (int i = 0; i < 3; i++) {
        TestWorld_Join(&a, i, "x");
        TestWorld_Join(&b, i, "x");
    }
    world_t *saved = NULL;
    for (int i = 0; i < 400; i++) {
        for (int n = 0; n < 3; n++) {
            usercmd_t cmd = forward_cmd(TICK_MS);
            cmd.yaw = (uint16_t)Rng_Next(&rng);
            TestWorld_Cmd(&a, n, cmd);
            TestWorld_Cmd(&b, n, cmd);
        }
        TestWorld_Tick(&a);
        if (i == 200) { // b goes on from a copy of itself
            saved = malloc(b.world->bytes);
            memcpy(saved, b.world, b.world->bytes);
            memset(b.world, 0xa5, b.world->bytes);
            free(b.world);
            b.world = saved;
        }
        TestWorld_Tick(&b);
        assert_true(a.world->tick_hash == b.world->tick_hash);
    }
    assert_true(World_Hash(a.world) == World_Hash(b.world));
    assert_memory_equal(a.world, b.world, a.world->bytes);
    TestWorld_Free(&a);
    TestWorld_Free(&b);
}

// Three players at random on the whole course: every tick's hash, and where they end, to the bit.
static void test_a_scripted_match_is_golden(void **state) {
    (void)state;
    test_world_t test;
    test_golden_t golden = {NULL, 0, 0};
    rng_t rng = {11};
    build(&test);
    for (int i = 0; i < 3; i++) {
        TestWorld_Join(&test, i, "x");
    }
    usercmd_t cmds[3] = {{.msec = TICK_MS}, {.msec = TICK_MS}, {.msec = TICK_MS}};
    for (int tick = 0; tick < 1500; tick++) {
        for (int n = 0; n < 3; n++) {
            if (Rng_Below(&rng, 20) == 0) {
                cmds[n].yaw = (uint16_t)Rng_Next(&rng);
                cmds[n].forward = (int16_t)(Rng_Below(&rng, 6) ? 400 : -200);
                cmds[n].buttons = Rng_Below(&rng, 3) ? 0 : BUTTON_JUMP;
            }
            if (Rng_Below(&rng, 50) != 0) { // a lost one now and then
                TestWorld_Cmd(&test, n, cmds[n]);
            }
        }
        TestWorld_Tick(&test);
        if (tick % 50 == 49) {
            TestGolden_Print(&golden, "tick %d hash %016llx\n", tick,
                             (unsigned long long)test.world->tick_hash);
        }
    }
    for (int n = 0; n < 3; n++) {
        const player_state_t *player = &World_Client(test.world, n)->player;
        TestGolden_Vector(&golden, "at", player->origin);
        TestGolden_Vector(&golden, "v", player->velocity);
        TestGolden_Print(&golden, " health %d\n", player->health);
    }
    TestWorld_Free(&test);
    assert_true(TestGolden_Check(&golden, "frame.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join_spawns_and_leave_frees),
        cmocka_unit_test(test_a_player_falls_lands_and_walks),
        cmocka_unit_test(test_time_credit_bounds_speed),
        cmocka_unit_test(test_far_and_late_commands_are_refused),
        cmocka_unit_test(test_nobody_hangs_in_the_air),
        cmocka_unit_test(test_synchronous_clients_fill_at_once),
        cmocka_unit_test(test_cutting_input_changes_no_bit),
        cmocka_unit_test(test_triggers_do_their_work),
        cmocka_unit_test(test_two_worlds_and_a_copy_agree),
        cmocka_unit_test(test_a_scripted_match_is_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
