// Clients on the simulated network. With the profiles quake, sweep and drop, players climb slopes
// of brushes, stand on them and descend. A player rides a turning brush without an ORIGIN brush.
// The predictions equal the server's results, bit for bit.

#include "lib/playing_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"
#include "move/profiles.h"

#include <string.h>

#define LANE 200.0f // qu, width of a slope
#define RUN  320.0f // qu/s
#define FEET 24.0f  // below the origin of a player

typedef struct {
    float y;        // middle of the lane
    float run;      // length, qu
    float rise;     // qu
    bool climbable; // normal.z is at least 0.7
} slope_t;

static const slope_t slopes[] = {{-400.0f, 240.0f, 64.0f, true},   // 15 degrees
                                 {-200.0f, 240.0f, 160.0f, true},  // 34 degrees
                                 {0.0f, 160.0f, 160.0f, true},     // 45 degrees
                                 {200.0f, 120.0f, 160.0f, false}}; // 53 degrees

static const char *const profiles[] = {"quake", "sweep", "drop"};

static void set_up(test_playing_t *play, const test_map_t *map, const char *profile) {
    movevars_t vars;
    char value[16];
    err_t err;
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net,
                 &(test_net_config_t){
                     .seed = 7, .conditions = {.delay_ms = 30}, .max_clients = 2, .map = map});
    assert_true(PM_Profile(profile, &vars));
    snprintf(value, sizeof value, "%d", vars.sv_movemode);
    assert_true(Server_SetCvar(play->net.server, "sv_movemode", value, &err));
    TestNet_AddClient(&play->net, "ann");
    assert_true(TestNet_WaitActive(&play->net, 20000));
    TestPlaying_Run(play, 1000);
}

// Runs; the client predicts in each step.
static void run(test_playing_t *play, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        player_state_t predicted;
        TestPlaying_Run(play, TEST_NET_STEP_MS);
        assert_true(CL_Predicted(play->net.clients[0], &predicted));
    }
}

// Puts the player somewhere and waits until its client knows it.
static void put(test_playing_t *play, vec3_t origin) {
    server_t *server = play->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    TestPlaying_Press(play, 0, (cl_input_t){.yaw = 0.0f});
    sv.engine->teleport(&sv, World_Edict(server->world, 1), origin, vec3_zero, vec3_zero);
    run(play, 500);
}

static uint64_t wrong(const test_playing_t *play) {
    cl_stats_t stats;
    CL_Stats(play->net.clients[0], &stats);
    assert_true(stats.predictions > 10);
    return stats.mispredictions;
}

static const player_state_t *player_of(const test_playing_t *play) {
    return &TestPlaying_Client(play, 0)->player;
}

// Holds an input. Returns the share of the steps on the ground.
static float hold(test_playing_t *play, cl_input_t input, int32_t ms) {
    int32_t grounded = 0;
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        TestPlaying_Press(play, 0, input);
        run(play, TEST_NET_STEP_MS);
        grounded += (player_of(play)->flags & PMF_ONGROUND) != 0;
    }
    return (float)(grounded * TEST_NET_STEP_MS) / (float)ms;
}

static void climb(test_playing_t *play, const slope_t *slope, bool hugs) {
    const float top = FEET + slope->rise;
    put(play, Vector(-150.0f, slope->y, FEET + 1.0f));
    uint64_t before = wrong(play);
    float grounded = hold(play, (cl_input_t){.forward = RUN}, 2500);
    if (slope->climbable) {
        assert_float_equal(player_of(play)->origin.z, top, 1.0f);
        assert_true(grounded > 0.95f);
        assert_int_equal(wrong(play), before);
        put(play, Vector(0.5f * slope->run, slope->y, top));
        before = wrong(play); // the client cannot predict that it was put there
        run(play, 500);
        vec3_t rests = player_of(play)->origin; // on the slope
        run(play, 1000);
        assert_true(rests.z > FEET + 0.3f * slope->rise && rests.z < top - 8.0f);
        assert_true(VectorLength(VectorSubtract(player_of(play)->origin, rests)) < 0.1f);
        grounded = hold(play, (cl_input_t){.forward = RUN, .yaw = 180.0f}, 1000);
        assert_float_equal(player_of(play)->origin.z, FEET, 1.0f);
        assert_true(grounded > 0.95f || !hugs);
    } else {
        assert_true(player_of(play)->origin.z < FEET + 0.7f * slope->rise);
    }
    assert_int_equal(wrong(play), before);
    assert_int_equal(play->net.server->world->counters.unstuck, 0);
}

static void test_slopes(void **state) {
    (void)state;
    static test_playing_t play;
    test_block_t blocks[2 * COUNTOF(slopes)];
    for (size_t i = 0; i < COUNTOF(slopes); i++) {
        const slope_t *slope = &slopes[i];
        float lo = slope->y - 0.5f * LANE;
        float hi = slope->y + 0.5f * LANE;
        blocks[2 * i] = TestMap_RampX(Vector(0.0f, lo, 0.0f), Vector(slope->run, hi, slope->rise));
        blocks[2 * i + 1] =
            TestMap_Box(Vector(slope->run, lo, 0.0f), Vector(512.0f, hi, slope->rise));
    }
    for (int32_t lists = 0; lists < 2; lists++) {
        const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 512}},
                                .blocks = blocks,
                                .num_blocks = (int32_t)COUNTOF(blocks),
                                .entities = "{ \"classname\" \"worldspawn\" }"
                                            "{ \"classname\" \"info_player_deathmatch\" "
                                            "\"origin\" \"-300 0 25\" }",
                                .brush_list = lists == 1};
        for (size_t p = 0; p < COUNTOF(profiles); p++) {
            set_up(&play, &map, profiles[p]);
            for (size_t i = 0; i < COUNTOF(slopes); i++) {
                climb(&play, &slopes[i], strcmp(profiles[p], "drop") == 0);
            }
            TestNet_Free(&play.net);
        }
    }
}

// The brush entity has no origin, so it turns about its middle. Its client turns it there too.
static void test_turntable_without_an_origin_brush(void **state) {
    (void)state;
    static test_playing_t play;
    static const test_block_t plate = {
        .box = {{100, 100, 0}, {300, 300, 8}}, .contents = CONTENTS_SOLID, .model = 1};
    static const test_map_t map = {
        .room = {{-512, -512, 0}, {512, 512, 512}},
        .blocks = &plate,
        .num_blocks = 1,
        .entities = "{ \"classname\" \"worldspawn\" }"
                    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-300 0 25\" }"
                    "{ \"classname\" \"func_rotating\" \"model\" \"*1\" \"speed\" \"60\" "
                    "\"spawnflags\" \"1\" }",
        .brush_list = true};
    for (size_t p = 0; p < COUNTOF(profiles); p++) {
        set_up(&play, &map, profiles[p]);
        put(&play, Vector(270.0f, 200.0f, 8.0f + FEET + 1.0f));
        vec3_t start = player_of(&play)->origin;
        uint64_t before = wrong(&play);
        float farthest = 0.0f;
        for (int32_t i = 0; i < 300; i++) {
            run(&play, 10);
            vec3_t at = player_of(&play)->origin;
            float away = VectorLength(VectorSubtract(at, start));
            farthest = away > farthest ? away : farthest;
            assert_float_equal(VectorLength(VectorSubtract(at, Vector(200.0f, 200.0f, at.z))),
                               70.0f, 2.0f);
            assert_float_equal(at.z, 8.0f + FEET, 0.5f);
        }
        assert_true(farthest > 130.0f); // half a turn
        (void)hold(&play, (cl_input_t){.forward = 60.0f, .yaw = 45.0f}, 500);
        assert_int_equal(wrong(&play), before);
        TestNet_Free(&play.net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_turntable_without_an_origin_brush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
