// Clients' prediction of a train that one of them drives, on the simulated network: taking and
// leaving the controls, and the steps of the speed, also in bends, on slopes and at the ends of the
// track. Driver and rider equal the server's result, bit for bit, at round trips of 0 to 150 ms, 30
// to 240 frames a second and clocks that drift by 200 ppm.

#include "lib/predict_fixture.h"
#include "lib/testing.h"

#include "game/game.h"
#include "math/angles.h"

#include <string.h>

#define DRIVER  0
#define RIDER   1
#define PLAY_MS 12000
#define WIDTH   32.03125f // of a player and the gap that sweeps keep, qu

typedef struct {
    test_predict_t base;
    edict_t *train;
    const vec3_t *seats; ///< places of the players: forward, right and up from the train's origin
    int64_t boarded_ms, next_input_ms, release_ms;
    bool drove; ///< in the last tick
    float pace; ///< after the last tick
    int64_t took, left, steps, driven, stops;
    bool fell;  ///< a player is not aboard any more
    float near; ///< least distance of both players, qu
} run_t;

static const test_block_t blocks[] = {
    {.box = {{-96, -96, -8}, {96, 96, 8}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{0, -96, 8}, {96, 96, 104}}, .contents = CONTENTS_SOLID, .model = 2},
};

static const test_map_t room = {.room = {{-2048, -2048, 0}, {2048, 2048, 1024}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

#define TRACK(name, next, origin, keys)                                                            \
    "{\n\"classname\" \"path_track\"\n\"targetname\" \"" name "\"\n\"target\" \"" next             \
    "\"\n\"origin\" \"" origin "\"\n" keys "}\n"
#define TRAIN(keys)                                                                                \
    "{\n\"classname\" \"worldspawn\"\n}\n"                                                         \
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-1800 -1000 25\"\n}\n"              \
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-1800 -1200 25\"\n}\n"              \
    "{\n\"classname\" \"func_tracktrain\"\n\"model\" \"*1\"\n\"targetname\" \"train\"\n"           \
    "\"target\" \"a\"\n\"wheels\" \"100\"\n" keys "}\n"                                            \
    "{\n\"classname\" \"func_traincontrols\"\n\"model\" \"*2\"\n\"target\" \"train\"\n}\n"

static const test_scene_t scenes[] = {
    {"a straight",
     TRAIN("\"speed\" \"200\"\n") TRACK("a", "b", "-1800 0 200", "")
         TRACK("b", "c", "1800 0 200", "") TRACK("c", "", "1810 0 200", ""),
     NULL},
    {"a short track",
     TRAIN("\"speed\" \"150\"\n") TRACK("a", "b", "-600 0 200", "")
         TRACK("b", "c", "-300 0 200", "") TRACK("c", "", "0 0 200", ""),
     NULL},
    {"a loop",
     TRAIN("\"speed\" \"240\"\n\"bank\" \"5\"\n") TRACK("a", "b", "-800 -400 200", "")
         TRACK("b", "c", "400 -400 200", "") TRACK("c", "d", "800 0 240", "")
             TRACK("d", "e", "400 400 280", "") TRACK("e", "f", "-800 400 240", "")
                 TRACK("f", "a", "-1000 0 200", ""),
     NULL},
    {"a slow loop",
     TRAIN("\"speed\" \"60\"\n") TRACK("a", "b", "-200 -200 200", "")
         TRACK("b", "c", "200 -200 200", "") TRACK("c", "d", "200 200 220", "")
             TRACK("d", "a", "-200 200 220", ""),
     NULL},
};

// ---- a run ----

// Returns the place of a player on the train, in the world.
static vec3_t seat_of(const run_t *run, int32_t client) {
    vec3_t forward, right, up;
    const vec3_t seat = run->seats[client];
    AngleVectors(run->train->angles, &forward, &right, &up);
    vec3_t at = VectorMA(run->train->origin, seat.x, forward);
    at = VectorMA(at, seat.y, right);
    return VectorMA(at, seat.z, up);
}

// Presses a key of the driver, the use button or jump every 60 to 900 ms. Away from the controls,
// walks about its seat, so that it never meets the rider: the input of others is not predicted.
// The rider stands.
static void choose(void *context, int32_t client, cl_input_t *input) {
    run_t *run = context;
    rng_t *rng = &run->base.rng;
    const int64_t now_ms = run->base.net.now_ms;
    if (client == RIDER || !run->train) {
        *input = (cl_input_t){0};
        return;
    }
    if (now_ms >= run->release_ms) {
        *input = (cl_input_t){.yaw = input->yaw};
    }
    if (now_ms < run->next_input_ms) {
        return;
    }
    run->release_ms = now_ms + 20 + (int64_t)Rng_Below(rng, 200);
    run->next_input_ms = run->release_ms + 40 + (int64_t)Rng_Below(rng, 700);
    const uint32_t kind = Rng_Below(rng, 10);
    if (run->drove && kind < 8) {
        input->forward = kind < 5 ? 320.0f : -320.0f;
    } else if (run->drove && kind == 8) {
        input->buttons = BUTTON_JUMP;
    } else if (run->drove || kind < 6) {
        input->buttons = BUTTON_USE;
    } else {
        const vec3_t from = TestPredict_Edict(&run->base, DRIVER)->origin;
        const vec3_t to = VectorSubtract(seat_of(run, DRIVER), from);
        input->yaw = AngleMod(Atan2(to.y, to.x) + Rng_Range(rng, -30.0f, 30.0f));
        input->forward = 40.0f;
    }
}

// Takes the controls, then drives faster and faster. The rider stands.
static void choose_row(void *context, int32_t client, cl_input_t *input) {
    const run_t *run = context;
    const int64_t ms = run->base.net.now_ms - run->boarded_ms;
    *input = (cl_input_t){0};
    if (client == DRIVER && run->train && ms > 100) {
        input->buttons = ms < 200 ? BUTTON_USE : 0;
        input->forward = ms > 800 && ms % 400 < 100 ? 320.0f : 0.0f;
    }
}

static void look(void *context) {
    run_t *run = context;
    if (!run->train) {
        return;
    }
    const bool drives = TestPredict_Edict(&run->base, DRIVER)->movetype == MOVETYPE_TOSS;
    const float pace = Game_Fields(run->train)->pace;
    run->took += drives && !run->drove;
    run->left += !drives && run->drove;
    run->driven += drives;
    run->steps += pace != run->pace;
    run->stops += pace == 0.0f && run->pace != 0.0f;
    run->drove = drives;
    run->pace = pace;
    for (int32_t i = 0; i < 2; i++) {
        const edict_t *player = TestPredict_Edict(&run->base, i);
        run->fell |= VectorLength(VectorSubtract(player->origin, run->train->origin)) > 200.0f;
    }
    const vec3_t apart = VectorSubtract(TestPredict_Edict(&run->base, DRIVER)->origin,
                                        TestPredict_Edict(&run->base, RIDER)->origin);
    run->near = fminf(run->near, fmaxf(fabsf(apart.x), fabsf(apart.y)));
}

static void board(void *context) {
    run_t *run = context;
    sv_context_t *sv = &run->base.sv;
    run->train = sv->engine->find_class(sv, NULL, "func_tracktrain");
    assert_non_null(run->train);
    for (int32_t i = 0; i < 2; i++) {
        sv->engine->teleport(sv, TestPredict_Edict(&run->base, i), seat_of(run, i), vec3_zero,
                             vec3_zero);
    }
    run->boarded_ms = run->base.net.now_ms;
    run->near = 1000.0f;
}

/// Counts of all runs of a scene.
typedef struct {
    test_predicted_t predicted;
    int64_t took, left, steps, driven, stops, fell;
    float near;
} sum_t;

static const vec3_t apart[2] = {{50.0f, -40.0f, 33.0f}, {-30.0f, 40.0f, 33.0f}};
static const vec3_t in_a_row[2] = {{10.0f, 0.0f, 33.0f}, {50.0f, 0.0f, 33.0f}};

static void run_scene(const test_scene_t *scene, const test_line_t *line, uint64_t seed,
                      const vec3_t seats[2], sum_t *sum) {
    const test_predict_config_t config = {.room = &room,
                                          .num_clients = 2,
                                          .begin = board,
                                          .look = look,
                                          .choose = seats == apart ? choose : choose_row};
    run_t run = {.seats = seats};
    TestPredict_Run(&run.base, &config, scene, line, seed, PLAY_MS);
    TestPredict_Add(&run.base, &sum->predicted);
    sum->took += run.took;
    sum->left += run.left;
    sum->steps += run.steps;
    sum->driven += run.driven;
    sum->stops += run.stops;
    sum->fell += run.fell;
    sum->near = sum->near > 0.0f ? fminf(sum->near, run.near) : run.near;
    TestPredict_Free(&run.base);
}

static void test_driver_and_rider_are_predicted(void **state) {
    (void)state;
    const size_t count = Test_IsLong() ? 5 * TEST_PREDICT_LINES : Test_IsSlow() ? 1 : 4;
    for (size_t s = 0; s < COUNTOF(scenes); s++) {
        sum_t sum = {0};
        for (size_t i = 0; i < count; i++) {
            run_scene(&scenes[s], &test_predict_lines[(i + 2 * s) % TEST_PREDICT_LINES], i + 1,
                      apart, &sum);
        }
        const test_predicted_t *predicted = &sum.predicted;
        print_message("%s: %llu of %llu predictions differ, by at most %g qu; took the controls "
                      "%lld times, left %lld, drove in %lld ticks, %lld changes of speed, %lld "
                      "stops; players at least %.0f qu apart\n",
                      scenes[s].name, (unsigned long long)predicted->wrong,
                      (unsigned long long)predicted->all, (double)predicted->error,
                      (long long)sum.took, (long long)sum.left, (long long)sum.driven,
                      (long long)sum.steps, (long long)sum.stops, (double)sum.near);
        assert_true(predicted->all * 4 > 2 * count * PLAY_MS / 40);
        assert_true(sum.took > 0 && sum.left > 0);
        assert_true(sum.driven > 100 * (int64_t)count && sum.steps > 4 * (int64_t)count);
        assert_int_equal(sum.fell, 0);
        assert_true(sum.near > WIDTH);
        assert_int_equal(predicted->wrong, 0);
    }
}

// The train carries the driver to where the rider before it was in the last snapshot. The client
// must carry the rider, too.
static void test_players_in_a_row_are_predicted(void **state) {
    (void)state;
    for (size_t i = 0; i < TEST_PREDICT_LINES; i += Test_IsSlow() ? 4 : 1) {
        sum_t sum = {0};
        run_scene(&scenes[0], &test_predict_lines[i], i + 1, in_a_row, &sum);
        assert_int_equal(sum.took, 1);
        assert_int_equal(sum.fell, 0);
        assert_true(sum.steps >= 4 && sum.driven > 600);
        assert_true(sum.near > WIDTH && sum.near < WIDTH + 10.0f);
        assert_int_equal(sum.predicted.wrong, 0);
    }
}

// A driver that jumps off in a bend comes near the place that the rider had in the last snapshot.
static void test_a_jump_before_the_rider_is_predicted(void **state) {
    (void)state;
    sum_t sum = {0};
    run_scene(&scenes[2], &test_predict_lines[1], 14, apart, &sum);
    assert_true(sum.near > WIDTH && sum.near < 60.0f);
    assert_int_equal(sum.predicted.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driver_and_rider_are_predicted),
        cmocka_unit_test(test_players_in_a_row_are_predicted),
        cmocka_unit_test(test_a_jump_before_the_rider_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
