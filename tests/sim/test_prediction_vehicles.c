// A client's prediction of buggies, on the simulated network: getting in, driving, getting out, and
// the buggy that rolls on. It equals the server's result, bit for bit, at round trips of 0 to
// 150 ms, 30 to 240 frames a second and a clock that drifts by 200 ppm.

#include "lib/predict_fixture.h"
#include "lib/testing.h"

#include "game/game.h"
#include "math/angles.h"

#include <string.h>

#define PLAY_MS 12000

typedef struct {
    test_predict_t base;
    int64_t next_input_ms, release_ms;
    const edict_t *goal; ///< buggy that the player walks to
    bool drove;          ///< in the last tick
    int64_t got_in, got_out;
    int64_t driven, rolled; ///< ticks; `rolled`: a buggy without driver moved
    bool died;
} run_t;

#define BUGGY(origin, angle)                                                                       \
    "{\n\"classname\" \"misc_buggy\"\n\"origin\" \"" origin "\"\n\"angle\" \"" angle "\"\n}\n"
#define CRATE(model) "{\n\"classname\" \"func_pushable\"\n\"model\" \"*" model "\"\n}\n"

#define START                                                                                      \
    "{\n\"classname\" \"worldspawn\"\n}\n"                                                         \
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"0 -500 30\"\n}\n"

// A ramp of steps, crates 1 and 2, a conveyor 3, a push pad 4, a train 5.
static const test_block_t blocks[] = {
    {.box = {{200, 200, 0}, {500, 500, 16}}, .contents = CONTENTS_SOLID},
    {.box = {{260, 260, 16}, {500, 500, 32}}, .contents = CONTENTS_SOLID},
    {.box = {{320, 320, 32}, {500, 500, 48}}, .contents = CONTENTS_SOLID},
    {.box = {{-150, -200, 1}, {-102, -152, 49}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{100, -180, 1}, {148, -132, 49}}, .contents = CONTENTS_SOLID, .model = 2},
    {.box = {{-100, 160, 0}, {100, 320, 4}}, .contents = CONTENTS_SOLID, .model = 3},
    {.box = {{-500, 300, 0}, {-400, 400, 24}}, .contents = CONTENTS_SOLID, .model = 4},
    {.box = {{-500, -500, -16}, {-300, -300, 0}}, .contents = CONTENTS_SOLID, .model = 5},
};

static const test_map_t room = {.room = {{-600, -600, 0}, {600, 600, 500}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

#define TRAIN 3 // index of "a train"

static const test_scene_t scenes[] = {
    {"two buggies", START BUGGY("0 -400 20", "90") BUGGY("150 -450 20", "200"), NULL},
    {"buggies and crates",
     START BUGGY("0 -400 20", "90") BUGGY("-100 -300 20", "33") CRATE("1") CRATE("2"), NULL},
    {"a conveyor and a pad",
     START BUGGY("0 0 20", "90")
         BUGGY("0 230 30", "10") "{\n\"classname\" \"func_conveyor\"\n"
                                 "\"model\" \"*3\"\n\"angle\" \"0\"\n\"speed\" \"70\"\n}\n"
                                 "{\n\"classname\" \"trigger_push\"\n\"model\" \"*4\"\n\"angle\" "
                                 "\"-1\"\n\"speed\" \"40\"\n}\n",
     NULL},
    {"a train",
     START BUGGY("-400 -400 40", "90")
         BUGGY("-250 -250 30",
               "10") "{\n\"classname\" \"func_train\"\n\"model\" \"*5\"\n\"target\" "
                     "\"a\"\n\"speed\" \"60\"\n}\n"
                     "{\n\"classname\" \"path_corner\"\n\"targetname\" \"a\"\n\"target\" \"b\"\n"
                     "\"origin\" \"-500 -500 1\"\n}\n"
                     "{\n\"classname\" \"path_corner\"\n\"targetname\" \"b\"\n\"target\" \"a\"\n"
                     "\"origin\" \"-300 -400 30\"\n}\n",
     NULL},
    {"map buggy", NULL, "buggy"},
};

// ---- a run ----

static cl_input_t drive_input(rng_t *rng) {
    return (cl_input_t){.yaw = Rng_Range(rng, 0.0f, 360.0f),
                        .forward = Rng_Below(rng, 4) == 0 ? -300.0f : 320.0f,
                        .side = Rng_Range(rng, -320.0f, 320.0f),
                        .buttons = Rng_Below(rng, 8) == 0 ? BUTTON_JUMP : 0u};
}

// Returns input to walk to a buggy, sometimes in another direction.
static cl_input_t walk_input(run_t *run) {
    rng_t *rng = &run->base.rng;
    const vec3_t middle = VectorScale(VectorAdd(run->goal->absmin, run->goal->absmax), 0.5f);
    const vec3_t to = VectorSubtract(middle, World_Edict(run->base.sv.world, 1)->origin);
    bool is_random = Rng_Below(rng, 6) == 0;
    return (cl_input_t){.yaw =
                            is_random ? Rng_Range(rng, 0.0f, 360.0f) : AngleMod(Atan2(to.y, to.x)),
                        .forward = Rng_Range(rng, 100.0f, 400.0f),
                        .side = Rng_Range(rng, -100.0f, 100.0f),
                        .buttons = Rng_Below(rng, 5) == 0 ? BUTTON_JUMP : 0u};
}

// Chooses new random input every 20 to 600 ms, and often presses the use button.
static void choose(void *context, int32_t client, cl_input_t *input) {
    run_t *run = context;
    rng_t *rng = &run->base.rng;
    const int64_t now_ms = run->base.net.now_ms;
    (void)client;
    if (now_ms >= run->release_ms) {
        input->buttons &= (uint8_t)~BUTTON_USE;
    }
    if (now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = now_ms + 20 + (int64_t)Rng_Below(rng, 580);
    if (!run->goal || Rng_Below(rng, 12) == 0) {
        run->goal = TestPredict_Any(&run->base, "misc_buggy");
    }
    *input = run->drove ? drive_input(rng) : walk_input(run);
    if (Rng_Below(rng, run->drove ? 6 : 2) == 0) {
        input->buttons |= BUTTON_USE;
        run->release_ms = now_ms + 10 + (int64_t)Rng_Below(rng, 200);
    }
}

static void look(void *context) {
    run_t *run = context;
    const player_state_t *player = &World_Client(run->base.sv.world, 0)->player;
    const bool drives = player->pm_type == PM_DRIVING;
    const edict_t *buggy = NULL;
    while ((buggy = run->base.sv.engine->find_class(&run->base.sv, buggy, "misc_buggy"))) {
        run->rolled += buggy->solid != SOLID_NOT && VectorLength(buggy->velocity) > 1.0f;
    }
    run->got_in += drives && !run->drove;
    run->got_out += !drives && run->drove;
    run->driven += drives;
    run->drove = drives;
    run->died |= player->pm_type == PM_DEAD;
}

// On a real map, puts the player beside a buggy.
static void begin(void *context) {
    run_t *run = context;
    sv_context_t *sv = &run->base.sv;
    if (run->base.scene->file) {
        run->goal = sv->engine->find_class(sv, NULL, "misc_buggy");
        const vec3_t beside = VectorAdd(run->goal->origin, Vector(0.0f, 60.0f, 6.0f));
        sv->engine->teleport(sv, World_Edict(sv->world, 1), beside, vec3_zero, vec3_zero);
    }
}

static const test_predict_config_t config = {
    .room = &room, .begin = begin, .look = look, .choose = choose};

/// Counts of all runs of a scene.
typedef struct {
    test_predicted_t predicted;
    int64_t got_in, got_out, driven, rolled;
} sum_t;

static void run_scene(const test_scene_t *scene, const test_line_t *line, uint64_t seed,
                      sum_t *sum) {
    run_t run = {.goal = NULL};
    TestPredict_Run(&run.base, &config, scene, line, seed, PLAY_MS);
    if (!run.died) {
        TestPredict_Add(&run.base, &sum->predicted);
        sum->got_in += run.got_in;
        sum->got_out += run.got_out;
        sum->driven += run.driven;
        sum->rolled += run.rolled;
    }
    TestPredict_Free(&run.base);
}

static void test_buggies_are_predicted(void **state) {
    (void)state;
    const size_t count = Test_IsLong() ? 5 * TEST_PREDICT_LINES : Test_IsSlow() ? 1 : 2;
    for (size_t s = 0; s < COUNTOF(scenes); s++) {
        sum_t sum = {0};
        for (size_t i = 0; i < count; i++) {
            run_scene(&scenes[s], &test_predict_lines[(2 * i + s) % TEST_PREDICT_LINES], i + 1,
                      &sum);
        }
        const test_predicted_t *predicted = &sum.predicted;
        print_message("%s: %llu of %llu predictions differ, by at most %g qu; got in %lld times, "
                      "out %lld, drove in %lld ticks; buggies rolled in %lld\n",
                      scenes[s].name, (unsigned long long)predicted->wrong,
                      (unsigned long long)predicted->all, (double)predicted->error,
                      (long long)sum.got_in, (long long)sum.got_out, (long long)sum.driven,
                      (long long)sum.rolled);
        assert_true(predicted->all * 4 > count * PLAY_MS / 40);
        assert_true(sum.got_in > 0 && sum.got_out > 0);
        assert_true(sum.driven > 50 * (int64_t)count);
        assert_true(sum.rolled > 20);
        assert_int_equal(predicted->wrong, 0);
    }
}

// Players who jump onto a buggy that a train carries.
static void test_train_below_buggy(void **state) {
    (void)state;
    const uint64_t seeds[] = {6, 9};
    sum_t sum = {0};
    for (size_t i = 0; i < COUNTOF(seeds); i++) {
        const size_t line = (2 * seeds[i] + TRAIN - 2) % TEST_PREDICT_LINES;
        run_scene(&scenes[TRAIN], &test_predict_lines[line], seeds[i], &sum);
    }
    assert_true(sum.predicted.all > 0);
    assert_int_equal(sum.predicted.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buggies_are_predicted),
        cmocka_unit_test(test_train_below_buggy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
