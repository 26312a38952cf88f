// A client's prediction near push pads, conveyors, trains and crates, on the simulated network. It
// equals the server's result, bit for bit, at round trips of 40 to 150 ms, 30 to 240 frames a
// second and a clock that drifts by 200 ppm. Corrections of what nobody could predict fade out.

#include "lib/predict_fixture.h"
#include "lib/testing.h"

#include "game/game.h"
#include "math/angles.h"

typedef struct {
    test_scene_t base;
    const test_map_t *map;
    int32_t ms;  ///< duration
    float speed; ///< fastest walk
    bool aboard; ///< starts on the func_train
} scene_t;

typedef struct {
    test_predict_t base;
    float speed; ///< fastest walk
    int64_t next_input_ms;
    int64_t thrown, conveyed, rode; ///< ticks, seen on the server
    bool died;                      ///< the game decides about that
    int64_t blocked;                ///< runs in which the player blocked the train for a tick
} run_t;

// ---- the maps ----

#define START                                                                                      \
    "{\n\"classname\" \"worldspawn\"\n}\n"                                                         \
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"0 -300 30\"\n}\n"

static const test_block_t pad_blocks[] = {
    {.box = {{-64, -64, 0}, {64, 64, 24}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{200, -100, 0}, {330, 300, 40}}, .contents = CONTENTS_SOLID, .model = 2},
    {.box = {{-330, 0, 0}, {-200, 130, 20}}, .contents = CONTENTS_SOLID, .model = 3},
    {.box = {{-400, -330, 0}, {-40, -120, 16}}, .contents = CONTENTS_SOLID, .model = 4},
    {.box = {{100, 320, 0}, {140, 360, 30}}, .contents = CONTENTS_SOLID, .model = 5},
    {.box = {{-140, 220, 0}, {-60, 300, 30}}, .contents = CONTENTS_SOLID, .model = 6},
    {.box = {{-400, -110, 0}, {-384, 0, 200}}, .contents = CONTENTS_SOLID, .model = 7},
    {.box = {{100, -300, 0}, {200, -200, 60}}, .contents = CONTENTS_SOLID, .model = 8},
};

static const test_map_t pads = {
    .room = {{-400, -400, 0}, {400, 400, 800}},
    .blocks = pad_blocks,
    .num_blocks = COUNTOF(pad_blocks),
    .entities = START
    "{\n\"classname\" \"trigger_push\"\n\"model\" \"*1\"\n\"angle\" \"-1\"\n\"speed\" \"55\"\n}\n"
    "{\n\"classname\" \"trigger_push\"\n\"model\" \"*2\"\n\"angle\" \"180\"\n\"speed\" \"40\"\n}\n"
    "{\n\"classname\" \"trigger_push\"\n\"model\" \"*3\"\n\"target\" \"high\"\n}\n"
    "{\n\"classname\" \"target_position\"\n\"targetname\" \"high\"\n\"origin\" \"90 33 377\"\n}\n"
    "{\n\"classname\" \"func_conveyor\"\n\"model\" \"*4\"\n\"angle\" \"90\"\n\"speed\" \"130\"\n}\n"
    "{\n\"classname\" \"trigger_push\"\n\"model\" \"*5\"\n\"angle\" \"-1\"\n\"spawnflags\" \"1\"\n"
    "}\n"
    "{\n\"classname\" \"trigger_push\"\n\"model\" \"*6\"\n\"angle\" \"-1\"\n\"speed\" \"30\"\n"
    "\"targetname\" \"switched\"\n}\n"
    "{\n\"classname\" \"func_ladder\"\n\"model\" \"*7\"\n}\n"
    "{\n\"classname\" \"func_friction\"\n\"model\" \"*8\"\n\"modifier\" \"20\"\n}\n",
    .brush_list = true};

#define CORNER(name, target, origin, more)                                                         \
    "{\n\"classname\" \"path_corner\"\n\"targetname\" \"" name "\"\n\"target\" \"" target          \
    "\"\n\"origin\" \"" origin "\"\n" more "}\n"

static const test_block_t train_blocks[] = {
    {.box = {{-300, -300, -16}, {300, 300, 0}}, .contents = CONTENTS_SOLID, .model = 1},
};

static const test_map_t trains = {
    .room = {{-2048, -2048, 0}, {2048, 2048, 2048}},
    .blocks = train_blocks,
    .num_blocks = COUNTOF(train_blocks),
    .entities = START
    "{\n\"classname\" \"func_train\"\n\"model\" \"*1\"\n\"target\" \"a\"\n\"speed\" \"150\"\n"
    "\"spawnflags\" \"1\"\n}\n" CORNER("a", "b", "0 0 500", "")
        CORNER("b", "c", "201 33 510.3", "\"wait\" \"0.3\"\n")
            CORNER("c", "d", "300.1 400 600", "\"angles\" \"0 40 0\"\n\"speed\" \"300\"\n")
                CORNER("d", "e", "20 300 650", "\"bend\" \"0 90 40\"\n")
                    CORNER("e", "a", "-120 10 700", "\"angles\" \"0 -30 0\"\n\"speed\" \"180\"\n"),
    .brush_list = true};

#define TRACK(name, target, origin, more)                                                          \
    "{\n\"classname\" \"path_track\"\n\"targetname\" \"" name "\"\n\"target\" \"" target           \
    "\"\n\"origin\" \"" origin "\"\n" more "}\n"

// A floor with walls, so that riders stay on it.
static const test_block_t tub_blocks[] = {
    {.box = {{-200, -200, -16}, {200, 200, 0}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{-200, -200, 0}, {-184, 200, 90}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{184, -200, 0}, {200, 200, 90}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{-184, -200, 0}, {184, -184, 90}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{-184, 184, 0}, {184, 200, 90}}, .contents = CONTENTS_SOLID, .model = 1},
};

// A loop with turns, slopes and five speeds; the yaw grows by 360 degrees in each lap.
static const test_map_t tracks = {
    .room = {{-2048, -2048, 0}, {2048, 2048, 2048}},
    .blocks = tub_blocks,
    .num_blocks = COUNTOF(tub_blocks),
    .entities = START
    "{\n\"classname\" \"func_tracktrain\"\n\"model\" \"*1\"\n\"target\" \"a\"\n\"speed\" \"150\"\n"
    "\"startspeed\" \"150\"\n\"wheels\" \"90\"\n\"bank\" \"8\"\n\"height\" \"20\"\n"
    "}\n" TRACK("a", "b", "-500 -300 500", "")
        TRACK("b", "c", "203 -300 500", "\"speed\" \"220\"\n") TRACK("c", "d", "390 -255.5 520", "")
            TRACK("d", "e", "490 -90 540", "\"speed\" \"300\"\n") TRACK("e", "f", "500 30 540", "")
                TRACK("f", "g", "430 150 531", "")
                    TRACK("g", "h", "300 222 500", "\"speed\" \"120\"\n")
                        TRACK("h", "i", "100 240 480", "")
                            TRACK("i", "j", "-300 233 470", "\"speed\" \"90\"\n")
                                TRACK("j", "a", "-620 0 490", "\"speed\" \"260\"\n"),
    .brush_list = true};

// A track with two ends and a stop.
static const test_map_t line_of_tracks = {
    .room = {{-2048, -2048, 0}, {2048, 2048, 2048}},
    .blocks = tub_blocks,
    .num_blocks = COUNTOF(tub_blocks),
    .entities = START
    "{\n\"classname\" \"func_tracktrain\"\n\"model\" \"*1\"\n\"target\" \"a\"\n\"speed\" \"150\"\n"
    "\"startspeed\" \"150\"\n\"wheels\" \"120\"\n\"height\" \"20\"\n"
    "}\n" TRACK("a", "b", "-500 -300 500", "") TRACK("b", "c", "-200.3 -300 560", "")
        TRACK("c", "d", "-150 100 540.7", "\"speed\" \"77\"\n")
            TRACK("d", "e", "200 200 500",
                  "\"speed\" \"210\"\n") "{\n\"classname\" \"path_track\"\n\"targetname\" "
                                         "\"e\"\n\"origin\" \"700 0 520\"\n}\n",
    .brush_list = true};

static const scene_t scenes[] = {
    {{"pads and a conveyor", NULL, NULL}, &pads, 12000, 400.0f, false},
    {{"a train with corners", NULL, NULL}, &trains, 12000, 110.0f, true},
    {{"a track in a loop", NULL, NULL}, &tracks, 30000, 110.0f, true},
    {{"a track with an end", NULL, NULL}, &line_of_tracks, 14000, 110.0f, true}};

// ---- a run ----

// Chooses new random input every 20 to 400 ms. Often walks on.
static void choose(void *context, int32_t client, cl_input_t *input) {
    run_t *run = context;
    rng_t *rng = &run->base.rng;
    (void)client;
    if (run->base.net.now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = run->base.net.now_ms + 20 + (int64_t)Rng_Below(rng, 380);
    *input = (cl_input_t){.yaw = Rng_Range(rng, 0.0f, 360.0f),
                          .forward = Rng_Range(rng, 0.0f, run->speed),
                          .side = Rng_Range(rng, -100.0f, 100.0f),
                          .buttons = (Rng_Below(rng, 8) == 0 ? BUTTON_JUMP : 0u) |
                                     (Rng_Below(rng, 8) == 0 ? BUTTON_DUCK : 0u)};
}

static void look(void *context) {
    run_t *run = context;
    const world_t *world = run->base.sv.world;
    const player_state_t *player = &World_Client(world, 0)->player;
    const edict_t *ground = World_Edict(world, Q_MaxI(player->groundentity, 0));
    run->thrown += player->velocity.z > 280.0f || VectorLength(player->velocity) > 390.0f;
    run->conveyed += player->groundentity > 0 && ground->surface_velocity.y != 0.0f;
    run->died |= player->pm_type == PM_DEAD;
    run->rode += player->groundentity > 0 && ground->movetype == MOVETYPE_PUSH;
}

static edict_t *train_of(sv_context_t *sv) {
    edict_t *train = sv->engine->find_class(sv, NULL, "func_train");
    return train ? train : sv->engine->find_class(sv, NULL, "func_tracktrain");
}

static void board(sv_context_t *sv) {
    const vec3_t at = VectorAdd(train_of(sv)->origin, Vector(0.0f, 0.0f, 30.0f));
    sv->engine->teleport(sv, World_Edict(sv->world, 1), at, vec3_zero, vec3_zero);
}

static void run_scene(const scene_t *scene, const test_line_t *line, uint64_t seed, run_t *sum) {
    const test_predict_config_t config = {.room = scene->map, .look = look, .choose = choose};
    run_t run = {.speed = scene->speed};
    test_predicted_t predicted = {0};
    TestPredict_Init(&run.base, &config, &scene->base, line, seed);
    TestPredict_WaitActive(&run.base);
    if (scene->aboard) {
        board(&run.base.sv);
    }
    TestPredict_Play(&run.base, TEST_PREDICT_SETTLE);
    TestPredict_Count(&run.base);
    TestPredict_Play(&run.base, scene->ms);
    TestPredict_Add(&run.base, &predicted);
    assert_int_equal(CL_Slot(run.base.clients[0]), 0);
    assert_true(predicted.wrong == 0 || run.died);
    assert_true(predicted.all * 40 > (uint64_t)scene->ms);
    const edict_t *train = train_of(&run.base.sv);
    sum->blocked += train && train->lag_ms > 0;
    sum->thrown += run.thrown;
    sum->conveyed += run.conveyed;
    sum->rode += run.rode;
    TestPredict_Free(&run.base);
}

static void run_lines(const scene_t *scene, run_t *sum) {
    const size_t count = Test_IsLong() ? 40 * TEST_PREDICT_LINES : 3;
    for (size_t i = 0; i < count; i++) {
        run_scene(scene, &test_predict_lines[i % TEST_PREDICT_LINES], i + 1, sum);
    }
}

static void test_pads_and_conveyors(void **state) {
    (void)state;
    run_t sum = {0};
    run_lines(&scenes[0], &sum);
    assert_true(sum.thrown > 20);
    assert_true(sum.conveyed > 20);
}

static vec3_t smoothed(run_t *run) {
    player_state_t shown;
    assert_true(CL_Smoothed(run->base.clients[0], &shown));
    return shown.origin;
}

static vec3_t predicted(run_t *run) {
    player_state_t player;
    assert_true(CL_Predicted(run->base.clients[0], &player));
    return player.origin;
}

// The game moves a player: what is shown never jumps, and equals the prediction after 100 ms. A
// teleport shows at once.
static void test_corrections_fade_out(void **state) {
    (void)state;
    const test_line_t line = {80, 1000, 0, 0};
    const test_predict_config_t config = {.room = &pads, .choose = choose};
    run_t run = {.next_input_ms = INT64_MAX}; // stands
    TestPredict_Init(&run.base, &config, &scenes[0].base, &line, 1);
    TestPredict_Join(&run.base);
    sv_context_t *sv = &run.base.sv;
    edict_t *edict = World_Edict(sv->world, 1);
    vec3_t before = smoothed(&run);
    assert_true(VectorCompare(before, predicted(&run)));
    edict->origin.x += 20.0f;
    sv->engine->link(sv, edict, false);
    int64_t since_ms = 0;
    float fastest = 0.0f;
    for (int32_t ms = 0; ms < 400; ms++) {
        TestPredict_Play(&run.base, 1);
        vec3_t shown = smoothed(&run);
        float moved = VectorLength(VectorSubtract(shown, before));
        fastest = moved > fastest ? moved : fastest;
        since_ms = since_ms == 0 && predicted(&run).x > 19.0f ? run.base.net.now_ms : since_ms;
        assert_true(since_ms > 0 || VectorCompare(shown, predicted(&run)));
        assert_true(since_ms == 0 || run.base.net.now_ms < since_ms + CL_SMOOTH_MS ||
                    VectorCompare(shown, predicted(&run)));
        before = shown;
    }
    assert_true(since_ms > 0);
    assert_true(fastest > 0.1f && fastest < 0.3f); // 20 qu in 100 ms
    sv->engine->teleport(sv, edict, Vector(40.0f, -300.0f, 24.1f), vec3_zero, vec3_zero);
    for (int32_t ms = 0; ms < 200; ms++) {
        TestPredict_Play(&run.base, 1);
        assert_true(VectorCompare(smoothed(&run), predicted(&run)));
    }
    assert_true(smoothed(&run).x > 39.0f);
    TestPredict_Free(&run.base);
}

static void test_trains_with_corners(void **state) {
    (void)state;
    run_t sum = {0};
    run_lines(&scenes[1], &sum);
    assert_true(sum.rode > 500);
    assert_true(sum.blocked > 0 || !Test_IsLong());
}

static void test_track_trains(void **state) {
    (void)state;
    for (size_t i = 2; i <= 3; i++) {
        run_t sum = {0};
        run_lines(&scenes[i], &sum);
        print_message("%s: rode in %lld ticks; blocked in %lld runs\n", scenes[i].base.name,
                      (long long)sum.rode, (long long)sum.blocked);
        assert_true(sum.rode > 1000);
    }
}

static void begin(void *context) {
    board(&((run_t *)context)->base.sv);
}

// A train that arrives between two usercmds carries its rider after the first one. That is no error
// of the prediction.
static void test_an_arrival_between_two_usercmds(void **state) {
    (void)state;
    const test_predict_config_t config = {
        .room = &line_of_tracks, .begin = begin, .look = look, .choose = choose};
    run_t run = {.speed = scenes[3].speed};
    test_predicted_t sum = {0};
    TestPredict_Run(&run.base, &config, &scenes[3].base, &test_predict_lines[5], 182, 14000);
    TestPredict_Add(&run.base, &sum);
    assert_true(sum.all > 300 && run.rode > 100);
    assert_int_equal(sum.wrong, 0);
    TestPredict_Free(&run.base);
}

// Visible maps without crates and teleporters.
static void test_visible_maps(void **state) {
    (void)state;
    static const char *const names[] = {"push",  "water", "stairs", "slopes",
                                        "walk1", "clip",  "wall",   "sight"};
    size_t count = Test_IsLong() ? 20 * COUNTOF(names) : Test_IsSlow() ? 1 : 2;
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i % COUNTOF(names)];
        const scene_t scene = {{name, NULL, name}, NULL, 20000, 400.0f, false};
        run_t sum = {0};
        run_scene(&scene, &test_predict_lines[(i + 3) % TEST_PREDICT_LINES], 4 + i, &sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corrections_fade_out),
        cmocka_unit_test(test_pads_and_conveyors),
        cmocka_unit_test(test_trains_with_corners),
        cmocka_unit_test(test_track_trains),
        cmocka_unit_test(test_visible_maps),
        cmocka_unit_test(test_an_arrival_between_two_usercmds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
