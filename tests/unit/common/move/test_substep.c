// Tests that no bit changes if the same input is cut into usercmds and calls otherwise.
//
// Random players run through the hall. View, movement and buttons change in the middle of
// sub-steps; the hooks push and teleport. Each input is cut in many random ways. The test compares
// the player at the end, and a hash of the player and the hooks' arguments after each sub-step.

#include "base/limits.h"
#include "lib/scene_fixture.h"
#include "lib/testing.h"
#include "move/profiles.h"

#include <string.h>

enum { TOTAL_MS = 800, MAX_HOLDS = TOTAL_MS };

static test_scene_t scene;

static int setup(void **state) {
    (void)state;
    return TestScene_Build(&scene) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    CM_FreeMap(&scene.map);
    return 0;
}

typedef enum { CUT_LONGEST, CUT_MS, CUT_SHORT, CUT_ANY, NUM_CUTS } cut_t;

static int32_t cut_ms(rng_t *rng, cut_t cut) {
    switch (cut) {
    case CUT_MS:
        return 1;
    case CUT_SHORT:
        return 1 + (int32_t)Rng_Below(rng, 12);
    case CUT_ANY:
        return 1 + (int32_t)Rng_Below(rng, MAX_CMD_MSEC);
    default:
        return MAX_CMD_MSEC;
    }
}

/// Runs the input as commands of random lengths, each command in one call or in several.
static player_state_t run_cut(rng_t *rng, cut_t cut, int32_t spot, const test_hold_t *holds,
                              int32_t count, const movevars_t *vars) {
    player_state_t player = TestScene_PlayerAt(spot);
    scene.seen = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t left_ms = holds[i].ms; left_ms > 0;) {
            usercmd_t cmd = holds[i].cmd;
            int32_t cmd_ms = Q_MinI(cut_ms(rng, cut), left_ms);
            cmd.msec = (uint8_t)cmd_ms;
            // Is used once per command, not per sub-step.
            cmd.impulse = (uint8_t)Rng_Below(rng, 256);
            cmd.tick = (int64_t)Rng_Below(rng, 1000);
            for (int32_t cmd_left_ms = cmd_ms; cmd_left_ms > 0;) {
                int32_t call_ms = cut == CUT_ANY ? 1 + (int32_t)Rng_Below(rng, 30) : cmd_left_ms;
                call_ms = Q_MinI(call_ms, cmd_left_ms);
                PM_RunCommand(&player, &cmd, call_ms, vars, &scene.world, &scene.hooks);
                cmd_left_ms -= call_ms;
            }
            left_ms -= cmd_ms;
        }
    }
    return player;
}

static void compare_cuts(uint64_t seed, int32_t num_cuts, const movevars_t *vars) {
    static test_hold_t holds[MAX_HOLDS];
    rng_t rng = {seed};
    int32_t spot = (int32_t)(seed % TEST_SCENE_SPOTS);
    int32_t count = TestScene_RandomInput(&rng, spot, TOTAL_MS, holds, MAX_HOLDS);
    if (scene.has_extras) {
        TestScene_AddDucks(&rng, holds, count);
    }
    player_state_t expected = run_cut(&rng, CUT_LONGEST, spot, holds, count, vars);
    uint64_t expected_seen = scene.seen;
    for (int32_t i = 0; i < num_cuts; i++) {
        cut_t cut = i == 0 ? CUT_MS : i % 2 ? CUT_SHORT : CUT_ANY;
        player_state_t found = run_cut(&rng, cut, spot, holds, count, vars);
        if (memcmp(&found, &expected, sizeof found) != 0 || scene.seen != expected_seen) {
            fail_msg("seed %llu, cut %d, pm_step_ms %d: expected %a %a %a, found %a %a %a",
                     (unsigned long long)seed, i, vars->pm_step_ms, (double)expected.origin.x,
                     (double)expected.origin.y, (double)expected.origin.z, (double)found.origin.x,
                     (double)found.origin.y, (double)found.origin.z);
        }
    }
}

static void test_cuts_change_nothing(void **state) {
    (void)state;
    static const int32_t steps_ms[] = {8, 8, 8, 1, 5, 10, 16, 100};
    const int32_t num_inputs = Test_IsLong() ? 10000 : Test_IsSlow() ? 80 : 160;
    const int32_t num_cuts = 40;
    movevars_t vars = MoveVars_Default();
    for (int32_t i = 0; i < num_inputs; i++) {
        vars.pm_step_ms = steps_ms[i / TEST_SCENE_SPOTS % (int32_t)COUNTOF(steps_ms)];
        compare_cuts(1000 + (uint64_t)i, num_cuts, &vars);
    }
    printf("seeds 1000..%d, %d cuts; %lld sub-steps, %lld in water, %lld above the floor, "
           "%lld jumps, %lld pushes, %lld teleports\n",
           1000 + num_inputs - 1, num_inputs * num_cuts, (long long)scene.num_steps,
           (long long)scene.num_wet, (long long)scene.num_steps_up, (long long)scene.num_jumps,
           (long long)scene.num_pushes, (long long)scene.num_teleports);
    // The runs must meet water, steps, jumps, pushes and teleports, or they prove little.
    assert_true(scene.num_wet > scene.num_steps / 100);
    assert_true(scene.num_steps_up > scene.num_steps / 100);
    assert_true(scene.num_jumps > num_inputs);
    assert_true(scene.num_pushes > num_inputs);
    assert_true(scene.num_teleports > num_inputs);
}

static void clear_counts(void) {
    scene.num_steps = scene.num_ducked = scene.num_climbing = 0;
    scene.num_on_belt = scene.num_in_stream = 0;
}

/// Tests the same with everything that other games have: ducking, a ladder, a belt and a current.
static void test_cuts_change_nothing_in_any_profile(void **state) {
    (void)state;
    const int32_t num_inputs = Test_IsLong() ? 4000 : 40;
    TestScene_AddExtras(&scene);
    for (int32_t p = 0; PM_ProfileName(p); p++) {
        movevars_t vars;
        assert_true(PM_Profile(PM_ProfileName(p), &vars));
        PM_FitBody(&vars, false);
        clear_counts();
        for (int32_t i = 0; i < num_inputs; i++) {
            compare_cuts(5000 + (uint64_t)i, 20, &vars);
        }
        printf("%s: seeds 5000..%d; %lld sub-steps, %lld ducked, %lld climbing, %lld on the belt, "
               "%lld in the stream\n",
               PM_ProfileName(p), 5000 + num_inputs - 1, (long long)scene.num_steps,
               (long long)scene.num_ducked, (long long)scene.num_climbing,
               (long long)scene.num_on_belt, (long long)scene.num_in_stream);
        assert_true(scene.num_ducked > scene.num_steps / 20 || vars.sv_duckmode == 0);
        assert_true(scene.num_climbing > scene.num_steps / 500);
        assert_true(scene.num_on_belt > scene.num_steps / 20);
        assert_true(scene.num_in_stream > scene.num_steps / 50);
    }
    scene.has_extras = false;
    scene.world.volume = NULL;
    scene.world.surface = NULL;
}

/// Tests whole commands without fixed sub-steps: cutting them does change the move, so the result
/// compared above is no constant.
static void test_whole_commands_depend_on_cuts(void **state) {
    (void)state;
    test_hold_t hold = {.cmd = {.forward = 400, .buttons = BUTTON_JUMP}, .ms = 600};
    movevars_t vars = MoveVars_Default();
    rng_t rng = {1};
    vars.pm_step_ms = 0;
    player_state_t longest = run_cut(&rng, CUT_LONGEST, 5, &hold, 1, &vars);
    player_state_t finest = run_cut(&rng, CUT_MS, 5, &hold, 1, &vars);
    assert_memory_not_equal(&longest.origin, &finest.origin, sizeof longest.origin);
}

/// Tests a press shorter than a sub-step: it is not lost, and counts only for the sub-steps it
/// overlaps.
static void test_short_press(void **state) {
    (void)state;
    movevars_t vars = MoveVars_Default();
    player_state_t player = TestScene_PlayerAt(8);
    usercmd_t idle = {.msec = 50};
    usercmd_t jump = {.msec = 1, .buttons = BUTTON_JUMP};
    PM_RunCommand(&player, &idle, 50, &vars, &scene.world, NULL); // 6 sub-steps and 2 ms
    assert_int_equal(player.step_ms, 2);
    PM_RunCommand(&player, &jump, 1, &vars, &scene.world, NULL);
    assert_int_equal(player.step_ms, 3);
    assert_int_equal(player.step_buttons, BUTTON_JUMP);
    assert_int_equal(player.jump_ms, 0);
    PM_RunCommand(&player, &idle, 5, &vars, &scene.world, NULL);
    assert_int_equal(player.step_ms, 0);
    assert_int_equal(player.step_buttons, 0);
    assert_int_equal(player.jump_ms, 8); // jumped
    PM_RunCommand(&player, &idle, 8, &vars, &scene.world, NULL);
    assert_false(player.flags & PMF_JUMP_HELD); // the button was released
}

/// Tests that a sub-step takes the view of the command in which it ends.
static void test_view_of_the_end(void **state) {
    (void)state;
    movevars_t vars = MoveVars_Default();
    player_state_t player = TestScene_PlayerAt(8);
    usercmd_t first = {.msec = 7, .yaw = 0x4000};
    usercmd_t second = {.msec = 1, .yaw = 0x8000};
    PM_RunCommand(&player, &first, 7, &vars, &scene.world, NULL);
    assert_true(player.angles.y == 90.0f); // no sub-step has ended yet
    PM_RunCommand(&player, &second, 1, &vars, &scene.world, NULL);
    assert_true(player.angles.y == 180.0f);
}

static bool stop_after_two(void *context, player_state_t *player, const usercmd_t *cmd,
                           int32_t step_ms, const pm_touch_t *touch) {
    int32_t *calls = context;
    (void)player;
    (void)touch;
    assert_int_equal(step_ms, 8);
    assert_int_equal(cmd->msec, 8);
    assert_int_equal(cmd->impulse, 0);
    return ++*calls < 2;
}

static void test_hook_stops_the_rest(void **state) {
    (void)state;
    int32_t calls = 0;
    movevars_t vars = MoveVars_Default();
    player_state_t player = TestScene_PlayerAt(8);
    usercmd_t cmd = {.msec = 100, .impulse = 7};
    pm_hooks_t hooks = {&calls, stop_after_two};
    PM_RunCommand(&player, &cmd, 100, &vars, &scene.world, &hooks);
    assert_int_equal(calls, 2);
}

/// Tests a change of the cvar during a sub-step: no time is lost or added.
static void test_step_length_changes(void **state) {
    (void)state;
    movevars_t vars = MoveVars_Default();
    player_state_t player = TestScene_PlayerAt(9);
    usercmd_t cmd = {.msec = 15};
    vars.pm_step_ms = 16;
    PM_RunCommand(&player, &cmd, 15, &vars, &scene.world, &scene.hooks);
    assert_int_equal(player.step_ms, 15);
    vars.pm_step_ms = 4;
    int64_t before = scene.num_steps;
    PM_RunCommand(&player, &cmd, 2, &vars, &scene.world, &scene.hooks);
    assert_int_equal(scene.num_steps - before, 4);
    assert_int_equal(player.step_ms, 1);
    vars.pm_step_ms = 0;
    PM_RunCommand(&player, &cmd, 15, &vars, &scene.world, &scene.hooks);
    assert_int_equal(scene.num_steps - before, 6); // 1 ms, then 15 ms
    assert_int_equal(player.step_ms, 0);
    // The player fell for 32 ms in all.
    assert_true(fabsf(player.velocity.z + 800.0f * 0.032f) < 0.01f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts_change_nothing),
        cmocka_unit_test(test_cuts_change_nothing_in_any_profile),
        cmocka_unit_test(test_whole_commands_depend_on_cuts),
        cmocka_unit_test(test_short_press),
        cmocka_unit_test(test_view_of_the_end),
        cmocka_unit_test(test_hook_stops_the_rest),
        cmocka_unit_test(test_step_length_changes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
