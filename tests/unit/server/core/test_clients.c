// Step 3 of the tick: usercmds within the time credit, filling of missing time, cutting of input.

#include "lib/test_course.h"
#include "lib/testing.h"

#include <string.h>

// 1000 commands at once, 100 ms each 16 ms: nobody moves faster than time passes.
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
    assert_true(gained <= 320.0f * 0.032f); // the credit of the join tick at most
    assert_true(eve->dropped_credit_ms > 5000 && eve->dropped_queue > 900);
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
    for (int i = 0; i < 20; i++) { // over the input timeout: his time is filled
        TestWorld_Tick(&test);
    }
    assert_true(client->filled_ms >= 200 && client->floor_tick == test.world->tick - 1);
    usercmd_t late = TestCourse_Forward(COURSE_TICK_MS);
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
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    int32_t at = 0;
    int32_t stretch = 0;
    for (int32_t end = COURSE_TICK_MS; end <= total_ms; end += COURSE_TICK_MS) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_credit_bounds_speed),
        cmocka_unit_test(test_far_and_late_commands_are_refused),
        cmocka_unit_test(test_nobody_hangs_in_the_air),
        cmocka_unit_test(test_synchronous_clients_fill_at_once),
        cmocka_unit_test(test_cutting_input_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
