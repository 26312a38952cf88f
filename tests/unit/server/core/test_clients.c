// Step 3 of the tick: usercmds within the time credit, filling of missing time, cutting of input.

#include "lib/course_fixture.h"
#include "lib/testing.h"
#include "world/tick_time.h"

#include <string.h>

// Commands of 100 ms each in a tick of 16 ms: no player moves faster than time passes.
static void test_time_credit_bounds_speed(void **state) {
    (void)state;
    test_world_t honest, greedy;
    TestCourse_Init(&honest);
    TestCourse_Init(&greedy);
    TestWorld_Join(&honest, 0, "ann");
    TestWorld_Join(&greedy, 0, "eve");
    TestWorld_Tick(&honest);
    TestWorld_Tick(&greedy);
    for (int i = 0; i < 30; i++) {
        usercmd_t cmd = TestCourse_Forward(COURSE_TICK_MS);
        TestWorld_Cmd(&honest, 0, cmd);
        for (int n = 0; n < (i == 0 ? 1000 : 2); n++) {
            TestWorld_Cmd(&greedy, 0, TestCourse_Forward(100));
        }
        TestWorld_Tick(&honest);
        TestWorld_Tick(&greedy);
    }
    const client_t *eve = World_Client(greedy.world, 0);
    float gained = eve->player.origin.x - World_Client(honest.world, 0)->player.origin.x;
    assert_true(gained <= 0.01f);
    assert_true(eve->dropped_credit_ms > 5000);
    assert_true(eve->dropped_queue > 900);
    assert_true(greedy.world->counters.cmds_over_credit_ms == eve->dropped_credit_ms);
    TestWorld_Free(&honest);
    TestWorld_Free(&greedy);
}

static void test_far_and_late_commands_are_refused(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    usercmd_t far = TestCourse_Forward(COURSE_TICK_MS);
    far.tick = 1000000;
    TestWorld_Cmd(&test, 0, far);
    TestWorld_Tick(&test);
    assert_int_equal(client->dropped_queue, 1);
    assert_int_equal(client->queue_count, 0);
    for (int i = 0; i < 20; i++) { // beyond the input timeout, the server fills the time
        TestWorld_Tick(&test);
    }
    assert_true(client->filled_ms >= 200);
    assert_true(client->floor_tick == test.world->tick - 1);
    usercmd_t late = TestCourse_Forward(COURSE_TICK_MS);
    late.tick = client->floor_tick;
    TestWorld_Cmd(&test, 0, late);
    TestWorld_Tick(&test);
    assert_int_equal(client->dropped_late, 1);
    TestWorld_Free(&test);
}

// A player in the air without usercmds falls, and its time passes like every other player's.
static void test_nobody_hangs_in_the_air(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 10; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = COURSE_TICK_MS});
        TestWorld_Tick(&test);
    }
    usercmd_t jump = {.msec = COURSE_TICK_MS, .buttons = BUTTON_JUMP};
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
    TestCourse_Init(&test);
    test.world->cvars.sv_synchronousclients = 1;
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 10; i++) {
        TestWorld_Cmd(&test, 0, TestCourse_Forward(5));
        TestWorld_Tick(&test);
        assert_int_equal(client->credit_ms, 0);
    }
    assert_int_equal(client->filled_ms, 10 * 11);
    TestWorld_Free(&test);
}

// ---- basevelocity ----

static float carried_by(test_world_t *test, vec3_t basevelocity, int32_t cut_ms, int32_t ticks) {
    edict_t *edict = World_Edict(test->world, 1);
    TestCourse_Put(test, Vector(-450, -450, 24.03125f));
    edict->velocity = Vector(0.0f, 0.0f, 0.0f);
    for (int32_t i = 0; i < ticks; i++) {
        edict->basevelocity = basevelocity;
        for (int32_t ms = 0; ms < COURSE_TICK_MS; ms += cut_ms) {
            TestWorld_Cmd(test, 0, (usercmd_t){.msec = (uint8_t)cut_ms});
        }
        TestWorld_Tick(test);
        assert_true(VectorCompare(edict->basevelocity, Vector(0.0f, 0.0f, 0.0f)));
    }
    return edict->origin.y + 450.0f;
}

// A basevelocity that a game writes carries the player in that tick, however its input is cut into
// usercmds. Afterwards it is not part of the player's own velocity.
static void test_basevelocity_carries_for_a_tick(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    const float tick_s = (float)COURSE_TICK_MS / 1000.0f;
    float one = carried_by(&test, Vector(0.0f, 100.0f, 0.0f), COURSE_TICK_MS, 1);
    assert_true(fabsf(one - 100.0f * tick_s) < 0.01f);
    assert_true(VectorLength(client->player.velocity) < 0.01f);
    float ten = carried_by(&test, Vector(0.0f, 100.0f, 0.0f), COURSE_TICK_MS, 10);
    assert_true(fabsf(ten - 1000.0f * tick_s) < 0.05f);
    assert_true(carried_by(&test, Vector(0.0f, 100.0f, 0.0f), 4, 10) == ten);
    assert_true(carried_by(&test, Vector(0.0f, NAN, 0.0f), COURSE_TICK_MS, 1) == 0.0f);
    // Without a command, basevelocity waits for one.
    TestCourse_Put(&test, Vector(-450, -450, 24.03125f));
    edict_t *edict = World_Edict(test.world, 1);
    edict->basevelocity = Vector(0.0f, 100.0f, 0.0f);
    TestWorld_Tick(&test);
    assert_true(edict->origin.y == -450.0f);
    assert_true(edict->basevelocity.y == 100.0f);
    TestWorld_Cmd(&test, 0, (usercmd_t){.msec = COURSE_TICK_MS});
    TestWorld_Tick(&test);
    assert_true(edict->origin.y > -450.0f);
    assert_true(edict->basevelocity.y == 0.0f);
    TestWorld_Free(&test);
}

// ---- stalls ----

static void command(test_world_t *test, int64_t tick) {
    usercmd_t cmd = TestCourse_Forward(COURSE_TICK_MS);
    cmd.tick = tick;
    cmd.yaw = 16384; // along +y the path is free
    TestWorld_Cmd(test, 0, cmd);
}

// Joins a player that walks for a second.
static void walk_in(test_world_t *test) {
    TestCourse_Init(test);
    TestWorld_Join(test, 0, "ann");
    TestWorld_Tick(test);
    TestCourse_Put(test, Vector(-450, -450, 24.03125f));
    for (int i = 0; i < 60; i++) {
        command(test, test->world->tick);
        TestWorld_Tick(test);
    }
}

// Sends no packets for `stalled` ticks, then all their commands at once; then ten normal ticks.
static void stall(test_world_t *test, int32_t stalled) {
    int64_t first = test->world->tick;
    for (int32_t i = 0; i < stalled; i++) {
        TestWorld_Tick(test);
    }
    for (int32_t i = 0; i < stalled; i++) {
        command(test, first + i);
    }
    for (int32_t i = 0; i < 10; i++) {
        command(test, test->world->tick);
        TestWorld_Tick(test);
    }
}

static void test_a_short_stall_costs_nothing(void **state) {
    (void)state;
    test_world_t smooth, stalled;
    walk_in(&smooth);
    walk_in(&stalled);
    stall(&smooth, 0);
    for (int i = 0; i < 6; i++) {
        command(&smooth, smooth.world->tick);
        TestWorld_Tick(&smooth);
    }
    stall(&stalled, 6); // 96 ms
    const client_t *client = World_Client(stalled.world, 0);
    assert_memory_equal(&client->player, &World_Client(smooth.world, 0)->player,
                        sizeof client->player);
    assert_int_equal(client->filled_ms + client->dropped_credit_ms + client->dropped_late, 0);
    TestWorld_Free(&smooth);
    TestWorld_Free(&stalled);
}

// The player loses exactly the time that the server filled in, and never gains a ms.
static void test_a_long_stall_costs_what_was_filled(void **state) {
    (void)state;
    test_world_t test;
    walk_in(&test);
    const client_t *client = World_Client(test.world, 0);
    assert_int_equal(client->credit_ms, 0);
    stall(&test, 10); // 160 ms: 112 ms are filled at once, the rest tick by tick
    assert_int_equal(client->filled_ms, 160);
    assert_int_equal(client->dropped_late, 10);
    assert_int_equal(client->credit_ms, 0);
    assert_int_equal(client->dropped_credit_ms, 0);
    assert_true(VectorLength(client->player.velocity) > 300.0f); // at full speed again
    TestWorld_Free(&test);
}

// Time credit that was saved earlier does not count as time without a command.
static void test_filling_goes_tick_by_tick(void **state) {
    (void)state;
    test_world_t test;
    walk_in(&test);
    const client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 10; i++) { // every second packet is lost
        if (i % 2 == 0) {
            command(&test, test.world->tick);
        }
        TestWorld_Tick(&test);
    }
    command(&test, test.world->tick);
    TestWorld_Tick(&test);
    assert_int_equal(client->credit_ms, 80);
    for (int i = 1; i <= 12; i++) {
        TestWorld_Tick(&test);
        assert_int_equal(client->filled_ms, i < 7 ? 0 : i * COURSE_TICK_MS);
    }
    assert_int_equal(client->credit_ms, 80);
    TestWorld_Free(&test);
}

static void test_without_a_timeout_nothing_is_filled(void **state) {
    (void)state;
    test_world_t test;
    walk_in(&test);
    test.world->cvars.sv_input_timeout_ms = 0;
    client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 1000; i++) {
        TestWorld_Tick(&test);
    }
    assert_int_equal(client->filled_ms, 0);
    assert_int_equal(client->credit_ms, test.world->cvars.sv_maxcredit_ms);
    client->starved_ms = INT32_MAX - 20; // as after some weeks
    for (int i = 0; i < 4; i++) {
        TestWorld_Tick(&test);
        assert_true(client->starved_ms > 10000);
    }
    command(&test, test.world->tick); // the next command runs
    TestWorld_Tick(&test);
    assert_int_equal(client->starved_ms, 0);
    TestWorld_Free(&test);
}

// With synchronous clients, a late command is dropped, because its time has been filled.
static void test_synchronous_clients_drop_late_commands(void **state) {
    (void)state;
    test_world_t test;
    walk_in(&test);
    test.world->cvars.sv_synchronousclients = 1;
    const client_t *client = World_Client(test.world, 0);
    stall(&test, 3);
    assert_int_equal(client->filled_ms, 3 * COURSE_TICK_MS);
    assert_int_equal(client->dropped_late, 3);
    assert_int_equal(client->credit_ms, 0);
    TestWorld_Free(&test);
}

// ---- hostile clients ----

// Commands of an old tick that was never filled may come again and again; the sum of their time is
// bounded.
static void test_one_tick_for_ever_is_bounded(void **state) {
    (void)state;
    test_world_t test;
    walk_in(&test);
    client_t *client = World_Client(test.world, 0);
    int64_t old = test.world->tick - 5;
    command(&test, old);
    TestWorld_Tick(&test);
    client->ran_ms = INT32_MAX - 10; // as after some hours
    for (int i = 0; i < 3; i++) {
        command(&test, old);
        TestWorld_Tick(&test);
        assert_true(client->ran_ms >= MAX_CMD_QUEUE * MAX_CMD_MSEC);
    }
    TestWorld_Free(&test);
}

static void test_times_that_cannot_be(void **state) {
    (void)state;
    test_world_t test;
    walk_in(&test);
    const client_t *client = World_Client(test.world, 0);
    const int64_t ticks[] = {INT64_MIN, -1, 0, INT64_MAX, test.world->tick + 65};
    for (size_t i = 0; i < COUNTOF(ticks); i++) {
        usercmd_t cmd = TestCourse_Forward(COURSE_TICK_MS);
        TestWorld_Cmd(&test, 0, cmd);
        test.inputs->list[test.inputs->count - 1].cmd.tick = ticks[i];
        test.inputs->list[test.inputs->count - 1].cmd.view_tick = ~ticks[i];
    }
    for (int32_t msec = 0; msec < 256; msec += 101) { // 0, 101, 202
        TestWorld_Cmd(&test, 0, TestCourse_Forward(msec));
    }
    TestWorld_Tick(&test);
    // Tick 0 is late, but it was never filled: it may run.
    assert_int_equal(client->dropped_late, 2);
    assert_int_equal(client->dropped_queue, 2);
    assert_int_equal(client->queue_count, 0);
    assert_int_equal(client->last_cmd_tick, 0);
    TestWorld_Free(&test);
}

// Single usercmds of 1 ms do not count as input: a client that sends them now and then still falls.
static void test_a_trickle_does_not_hold_time_up(void **state) {
    (void)state;
    for (int32_t every = 1; every <= 6; every++) {
        test_world_t test;
        walk_in(&test);
        TestCourse_Put(&test, Vector(-450, -450, 324));
        const client_t *client = World_Client(test.world, 0);
        for (int i = 0; i < 70; i++) { // 1.1 s; it takes 0.87 s down
            usercmd_t cmd = {.msec = 1};
            if (i % every == 0) {
                TestWorld_Cmd(&test, 0, cmd);
            }
            TestWorld_Tick(&test);
        }
        assert_true(client->player.flags & PMF_ONGROUND);
        assert_true(client->filled_ms > 900);
        assert_true(client->dropped_late == 0);
        TestWorld_Free(&test);
    }
}

// A player that flies or falls out of the world stops at its bounds.
static void test_the_world_ends_with_a_wall(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    input_t *join = Inputs_Add(test.inputs, INPUT_JOIN, 0);
    join->value = 1; // a spectator
    TestWorld_Tick(&test);
    const edict_t *edict = World_Edict(test.world, 1);
    TestCourse_Put(&test, Vector(MAX_WORLD_COORD - 50.0f, 0, 0));
    for (int i = 0; i < 60; i++) {
        TestWorld_Cmd(&test, 0, TestCourse_Forward(COURSE_TICK_MS));
        TestWorld_Tick(&test);
    }
    assert_int_equal(test.world->counters.quarantined, 0);
    assert_true(edict->origin.x > MAX_WORLD_COORD - 50.0f);
    assert_true(edict->origin.x <= MAX_WORLD_COORD);
    for (int i = 0; i < 60; i++) {
        usercmd_t back = TestCourse_Forward(COURSE_TICK_MS);
        back.forward = -400;
        TestWorld_Cmd(&test, 0, back);
        TestWorld_Tick(&test);
    }
    assert_true(edict->origin.x < MAX_WORLD_COORD - 100.0f);
    TestWorld_Free(&test);
}

// ---- ticks ----

// A player that joins in a tick first moves in the next tick.
static void test_a_player_moves_from_the_tick_after_his_join(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Cmd(&test, 0, TestCourse_Forward(COURSE_TICK_MS));
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    assert_int_equal(client->queue_count, 1);
    assert_int_equal(client->credit_ms, 0);
    assert_true(client->player.origin.x == -400.0f);
    assert_true(client->player.velocity.x == 0.0f);
    TestWorld_Tick(&test);
    assert_int_equal(client->queue_count, 0);
    assert_true(client->player.velocity.x > 0.0f);
    TestWorld_Free(&test);
}

// The time of one tick is always allowed, even if it exceeds the maximum credit.
static void test_long_ticks_with_little_credit(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    test.world->cvars.sv_tickrate = 20.0f;
    test.world->cvars.sv_maxcredit_ms = 16;
    test.world->cvars.move.pm_step_ms = 10;
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    for (int i = 0; i < 10; i++) {
        TestWorld_Cmd(&test, 0, TestCourse_Forward(50));
        TestWorld_Tick(&test);
    }
    assert_int_equal(client->dropped_credit_ms, 0);
    assert_int_equal(client->filled_ms, 0);
    TestWorld_Free(&test);
}

// ---- cutting ----

typedef struct {
    int32_t until_ms;
    usercmd_t cmd;
} stretch_t;

typedef struct {
    float rate_hz;
    int32_t step_ms;
    int32_t max_wait_ticks; // commands of at most so many ticks come at once
} cut_case_t;

#define CUT_TOTAL_MS 6400

// Makes random input over time. Stretches end anywhere, also within sub-steps.
static void random_input(rng_t *rng, stretch_t *list) {
    for (int32_t at = 0; at < CUT_TOTAL_MS; list++) {
        at += 1 + (int32_t)Rng_Below(rng, 120);
        list->until_ms = at;
        list->cmd = (usercmd_t){.forward = (int16_t)(Rng_Below(rng, 5) ? 400 : -400),
                                .side = (int16_t)((int32_t)Rng_Below(rng, 800) - 400),
                                .up = (int16_t)(Rng_Below(rng, 3) ? 0 : 200),
                                .yaw = (uint16_t)(Rng_Below(rng, 16384) - 8192u),
                                .pitch = (uint16_t)(Rng_Below(rng, 8192) - 4096u),
                                .buttons = Rng_Below(rng, 4) ? 0 : BUTTON_JUMP};
    }
}

// Gives the input from from_ms to to_ms in this tick: cut into random commands, or (rng NULL) into
// few.
static void give(test_world_t *test, const stretch_t *input, int32_t from_ms, int32_t to_ms,
                 rng_t *rng) {
    for (int32_t at = from_ms; at < to_ms;) {
        while (input->until_ms <= at) {
            input++;
        }
        int32_t limit = Q_MinI(Q_MinI(to_ms, input->until_ms) - at, MAX_CMD_MSEC);
        int32_t msec = rng ? 1 + (int32_t)Rng_Below(rng, (uint32_t)limit) : limit;
        usercmd_t cmd = input->cmd;
        cmd.msec = (uint8_t)msec;
        TestWorld_Cmd(test, 0, cmd);
        at += msec;
    }
}

// Plays the input in packets of 1..max_wait_ticks ticks (`seed`), cut into commands by `rng`.
static player_state_t play_cut(const cut_case_t *cut, const stretch_t *input, uint64_t seed,
                               rng_t *rng) {
    test_world_t test;
    rng_t waits = {seed};
    TestCourse_Init(&test);
    test.world->cvars.sv_tickrate = cut->rate_hz;
    test.world->cvars.move.pm_step_ms = cut->step_ms;
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    int64_t start_ms = test.world->time_ms;
    for (int32_t at = 0; at < CUT_TOTAL_MS;) {
        int32_t ticks = 1 + (int32_t)Rng_Below(&waits, (uint32_t)cut->max_wait_ticks);
        for (int32_t i = 1; i < ticks; i++) {
            TestWorld_Tick(&test);
        }
        int64_t end_ms = Ticks_EndMs(World_TickRate(test.world), test.world->tick + 1) - start_ms;
        int32_t end = end_ms < CUT_TOTAL_MS ? (int32_t)end_ms : CUT_TOTAL_MS;
        give(&test, input, at, end, rng);
        TestWorld_Tick(&test);
        at = end;
    }
    player_state_t player = World_Client(test.world, 0)->player;
    assert_int_equal(test.world->counters.cmds_over_credit_ms, 0);
    assert_int_equal(test.world->counters.cmds_queue_full, 0);
    assert_int_equal(test.world->counters.filled_ms, 0);
    TestWorld_Free(&test);
    return player;
}

// Runs over steps, a push pad, water and teleporters with commands of 1..100 ms.
static void check_cuts(const cut_case_t *cut, const stretch_t *input, uint64_t seed) {
    rng_t rng = {seed};
    player_state_t whole = play_cut(cut, input, seed, NULL);
    for (int32_t n = 0; n < 3; n++) {
        player_state_t other = play_cut(cut, input, seed, &rng);
        if (memcmp(&whole, &other, sizeof whole) != 0) {
            print_message("seed %llu, cut %d, %g Hz, steps of %d ms\n", (unsigned long long)seed, n,
                          (double)cut->rate_hz, cut->step_ms);
        }
        assert_memory_equal(&whole, &other, sizeof whole);
    }
}

static void test_cutting_input_changes_no_bit(void **state) {
    (void)state;
    static const cut_case_t cases[] = {{20, 8, 1},    {20, 100, 1},  {30, 8, 2},   {60, 8, 5},
                                       {62.5f, 8, 1}, {62.5f, 8, 6}, {64, 16, 6},  {72, 8, 6},
                                       {77, 11, 6},   {100, 8, 9},   {128, 8, 12}, {59.94f, 7, 4}};
    const uint64_t seeds = Test_IsLong() ? 200 : Test_IsSlow() ? 2 : 5;
    stretch_t *input = calloc(CUT_TOTAL_MS, sizeof *input);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        rng_t rng = {seed};
        random_input(&rng, input);
        for (size_t i = 0; i < COUNTOF(cases); i++) {
            check_cuts(&cases[i], input, seed);
        }
    }
    free(input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_credit_bounds_speed),
        cmocka_unit_test(test_far_and_late_commands_are_refused),
        cmocka_unit_test(test_nobody_hangs_in_the_air),
        cmocka_unit_test(test_synchronous_clients_fill_at_once),
        cmocka_unit_test(test_basevelocity_carries_for_a_tick),
        cmocka_unit_test(test_a_short_stall_costs_nothing),
        cmocka_unit_test(test_a_long_stall_costs_what_was_filled),
        cmocka_unit_test(test_filling_goes_tick_by_tick),
        cmocka_unit_test(test_without_a_timeout_nothing_is_filled),
        cmocka_unit_test(test_synchronous_clients_drop_late_commands),
        cmocka_unit_test(test_one_tick_for_ever_is_bounded),
        cmocka_unit_test(test_times_that_cannot_be),
        cmocka_unit_test(test_a_trickle_does_not_hold_time_up),
        cmocka_unit_test(test_the_world_ends_with_a_wall),
        cmocka_unit_test(test_a_player_moves_from_the_tick_after_his_join),
        cmocka_unit_test(test_long_ticks_with_little_credit),
        cmocka_unit_test(test_cutting_input_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
