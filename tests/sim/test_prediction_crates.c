// A client's prediction of the crates that it pushes, on the simulated network. It equals the
// server's result, bit for bit, at round trips of 0 to 150 ms, 30 to 240 frames a second and a
// clock that drifts by 200 ppm.

#include "lib/predict_fixture.h"
#include "lib/testing.h"

#include "game/game.h"
#include "math/angles.h"

#include <string.h>

#define PLAY_MS 12000
#define NEWS_MS 120 // maximum from a tick to its prediction or comparison, without the round trip

typedef struct {
    test_predict_t base;
    int64_t next_input_ms;
    const edict_t *goal;   ///< crate that the player walks to
    int64_t pushed, stood; ///< ticks, seen on the server
    bool died;
    float gravity;
} run_t;

#define CRATE(model) "{\n\"classname\" \"func_pushable\"\n\"model\" \"*" model "\"\n}\n"

#define START                                                                                      \
    "{\n\"classname\" \"worldspawn\"\n}\n"                                                         \
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"0 -300 30\"\n}\n"

// Crates 1 to 4, a pair in a row 5 and 6, a stack 7 and 8; a conveyor 9; a train 10.
static const test_block_t blocks[] = {
    {.box = {{-150, -200, 1}, {-102, -152, 49}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{100, -180, 1}, {148, -132, 49}}, .contents = CONTENTS_SOLID, .model = 2},
    {.box = {{-20, -120, 1}, {28, -72, 49}}, .contents = CONTENTS_SOLID, .model = 3},
    {.box = {{-330, -60, 1}, {-290, -20, 41}}, .contents = CONTENTS_SOLID, .model = 4},
    {.box = {{200, -60, 1}, {240, -20, 41}}, .contents = CONTENTS_SOLID, .model = 5},
    {.box = {{200, -18, 1}, {240, 22, 41}}, .contents = CONTENTS_SOLID, .model = 6},
    {.box = {{-220, -350, 1}, {-172, -302, 33}}, .contents = CONTENTS_SOLID, .model = 7},
    {.box = {{-216, -346, 34}, {-176, -306, 66}}, .contents = CONTENTS_SOLID, .model = 8},
    {.box = {{-100, 60, 0}, {100, 120, 4}}, .contents = CONTENTS_SOLID, .model = 9},
    {.box = {{-250, -250, 0}, {-200, -100, 40}}, .contents = CONTENTS_SOLID, .model = 10},
};

static const test_map_t room = {.room = {{-400, -400, 0}, {400, 400, 500}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

static const test_scene_t scenes[] = {
    {"free crates", START CRATE("1") CRATE("2") CRATE("3"), NULL},
    {"two in a row", START CRATE("5") CRATE("6"), NULL},
    {"a stack", START CRATE("7") CRATE("8") CRATE("1"), NULL},
    {"a conveyor",
     START CRATE("1") CRATE("3") "{\n\"classname\" \"func_conveyor\"\n\"model\" \"*9\"\n"
                                 "\"angle\" \"0\"\n\"speed\" \"70\"\n}\n",
     NULL},
    {"foundry", NULL, "foundry"},
    {"volumes", NULL, "volumes"},
};

// ---- a run ----

// Chooses new random input every 20 to 600 ms: mostly towards a crate, from any side.
static void choose(void *context, int32_t client, cl_input_t *input) {
    run_t *run = context;
    rng_t *rng = &run->base.rng;
    const int64_t now_ms = run->base.net.now_ms;
    (void)client;
    if (now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = now_ms + 20 + (int64_t)Rng_Below(rng, 580);
    if (!run->goal || Rng_Below(rng, 12) == 0) {
        run->goal = TestPredict_Any(&run->base, "func_pushable");
    }
    const edict_t *player = World_Edict(run->base.sv.world, 1);
    const vec3_t middle = VectorScale(VectorAdd(run->goal->absmin, run->goal->absmax), 0.5f);
    const vec3_t to = VectorSubtract(middle, player->origin);
    bool is_random = Rng_Below(rng, 5) == 0;
    *input =
        (cl_input_t){.yaw = is_random ? Rng_Range(rng, 0.0f, 360.0f) : AngleMod(Atan2(to.y, to.x)),
                     .forward = Rng_Range(rng, 0.0f, 400.0f),
                     .side = Rng_Range(rng, -100.0f, 100.0f),
                     .buttons = Rng_Below(rng, 6) == 0 ? BUTTON_JUMP : 0u};
}

static void look(void *context) {
    run_t *run = context;
    const world_t *world = run->base.sv.world;
    const player_state_t *player = &World_Client(world, 0)->player;
    const edict_t *ground = World_Edict(world, Q_MaxI(player->groundentity, 0));
    const edict_t *crate = NULL;
    while ((crate = run->base.sv.engine->find_class(&run->base.sv, crate, "func_pushable"))) {
        run->pushed += fabsf(crate->velocity.x) + fabsf(crate->velocity.y) > 1.0f;
    }
    run->stood += player->groundentity > 0 && (ground->flags & FL_PUSHABLE);
    run->died |= player->pm_type == PM_DEAD;
    if (player->gravity != run->gravity) { // by a trigger_gravity: the game decides about that
        run->base.excused_ms =
            run->base.net.now_ms + run->base.line->round_trip_ms * 3 / 2 + NEWS_MS;
    }
    run->gravity = player->gravity;
}

static const test_predict_config_t config = {.room = &room, .look = look, .choose = choose};

/// Counts of all runs of a scene.
typedef struct {
    test_predicted_t predicted;
    int64_t pushed, stood;
} sum_t;

static void run_scene(const test_scene_t *scene, const test_line_t *line, uint64_t seed,
                      sum_t *sum) {
    run_t run = {.goal = NULL};
    TestPredict_Run(&run.base, &config, scene, line, seed, PLAY_MS);
    if (!run.died) {
        TestPredict_Add(&run.base, &sum->predicted);
        sum->pushed += run.pushed;
        sum->stood += run.stood;
    }
    TestPredict_Free(&run.base);
}

static void test_pushed_crates_are_predicted(void **state) {
    (void)state;
    const size_t count = Test_IsLong() ? 5 * TEST_PREDICT_LINES : 1;
    for (size_t s = 0; s < COUNTOF(scenes); s++) {
        sum_t sum = {0};
        for (size_t i = 0; i < count; i++) {
            run_scene(&scenes[s], &test_predict_lines[(i + s) % TEST_PREDICT_LINES], i + 1, &sum);
        }
        const test_predicted_t *predicted = &sum.predicted;
        print_message("%s: %llu of %llu predictions differ, by at most %g qu, %llu more before "
                      "the news of a gravity; crates slid in %lld ticks, the player stood on them "
                      "in %lld\n",
                      scenes[s].name, (unsigned long long)predicted->wrong,
                      (unsigned long long)predicted->all, (double)predicted->error,
                      (unsigned long long)predicted->excused, (long long)sum.pushed,
                      (long long)sum.stood);
        assert_true(predicted->all * 4 > count * PLAY_MS / 40);
        assert_true(sum.pushed > 20);
        assert_int_equal(predicted->wrong, 0);
    }
}

#define CORNER(name, next, origin)                                                                 \
    "{\n\"classname\" \"path_corner\"\n\"targetname\" \"" name "\"\n\"target\" \"" next            \
    "\"\n\"origin\" \"" origin "\"\n}\n"

static const test_scene_t on_the_way = {
    "a crate in the way of a train",
    START CRATE("1") "{\n\"classname\" \"func_train\"\n\"model\" \"*10\"\n\"target\" \"a\"\n"
                     "\"speed\" \"60\"\n\"targetname\" \"t\"\n}\n" CORNER("a", "b", "-250 -250 1")
                         CORNER("b", "a", "50 -250 1"),
    NULL};

// Puts the player on the crate, and starts the train.
static void climb(void *context) {
    sv_context_t *sv = &((run_t *)context)->base.sv;
    edict_t *player = World_Edict(sv->world, 1);
    const edict_t *crate = sv->engine->find_class(sv, NULL, "func_pushable");
    const vec3_t middle = VectorScale(VectorAdd(crate->absmin, crate->absmax), 0.5f);
    sv->engine->teleport(sv, player, VectorAdd(middle, Vector(0, 0, 49.0f)), vec3_zero, vec3_zero);
    sv->engine->use(sv, sv->engine->find_class(sv, NULL, "func_train"), player, player);
}

static void stand(void *context, int32_t client, cl_input_t *input) {
    (void)context, (void)client;
    *input = (cl_input_t){0};
}

// A train pushes a crate, on which the player stands. Both move, but a player whose usercmds are
// longer than a tick slides off.
static void test_the_load_of_a_pushed_crate(void **state) {
    (void)state;
    const test_predict_config_t ride = {
        .room = &room, .begin = climb, .look = look, .choose = stand};
    for (size_t i = 0; i < TEST_PREDICT_LINES; i += Test_IsSlow() ? 4 : 1) {
        run_t run = {.goal = NULL};
        test_predicted_t sum = {0};
        TestPredict_Run(&run.base, &ride, &on_the_way, &test_predict_lines[i], 1, 6000);
        TestPredict_Add(&run.base, &sum);
        assert_int_equal(sum.wrong, 0);
        const bool is_aboard = TestPredict_Player(&run.base, 0)->origin.x > 0.0f;
        assert_true((run.stood > 300 && is_aboard) || test_predict_lines[i].cmd_ms > 16);
        TestPredict_Free(&run.base);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushed_crates_are_predicted),
        cmocka_unit_test(test_the_load_of_a_pushed_crate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
