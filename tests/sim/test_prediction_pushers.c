// Players on pushers, on the simulated network. After every acknowledged usercmd, the client's
// prediction equals the server's result, bit for bit. Lifts up and down, trains on a bend, turning
// platforms, pushers on pushers. Players idle, walk and jump; usercmds of any length; round trips
// up to 200 ms.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "math/angles.h"
#include "physics/actions.h"
#include "physics/physics.h"

#include <string.h>
#include <unistd.h>

#define SETTLE_MS 1500 // until the usercmd clock is settled and all players stand
#define SLACK_MS  150  // added to the round trip until a client predicts with news it received

static const test_block_t blocks[] = {
    {.box = {{-128, -128, -16}, {128, 128, 0}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{-64, -64, 0}, {64, 64, 16}}, .contents = CONTENTS_SOLID, .model = 2},
};

static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 2048}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .brush_list = true};

typedef enum {
    ON_LIFT,
    ON_SWING,
    ON_TRAIN,
    ON_TURN,
    ON_SPIN,
    ON_TURN_ON_LIFT,
    ON_LIFT_ON_TURN,
    ON_COUNT
} ride_t;

static const char *const names[ON_COUNT] = {"lift, up and down",
                                            "lift that swings",
                                            "train on a bend",
                                            "turning platform",
                                            "fast turntable",
                                            "turning platform on a lift",
                                            "swinging lift on a turntable"};

typedef struct {
    ride_t ride;
    int32_t delay_ms;
    int32_t cmd_ms;
    bool moves;    ///< the player walks in circles and hops; otherwise it stands
    float rate_hz; ///< sv_tickrate; 0 = the default
} scene_t;

typedef struct {
    test_net_t net;
    sv_context_t sv;
    edict_t *pusher, *top;
    bool is_up;
} run_t;

static const vec3_t base = {256.0f, -256.0f, 512.0f};

// ---- the server's side ----

static edict_t *add_pusher(sv_context_t *sv, int32_t model, vec3_t origin) {
    edict_t *edict = sv->engine->spawn(sv);
    assert_non_null(edict);
    edict->origin = origin;
    edict->movetype = MOVETYPE_PUSH;
    edict->solid = SOLID_BSP;
    edict->type = ENTITY_BRUSH;
    assert_true(sv->engine->set_model(sv, edict, model));
    sv->engine->link(sv, edict, false);
    return edict;
}

static void start(run_t *run, edict_t *edict, motion_t motion) {
    motion.base = (pose_t){edict->origin, edict->angles};
    assert_true(SV_PusherStart(&run->sv, edict, &motion));
}

static bool is_trip(ride_t ride) {
    return ride == ON_LIFT || ride == ON_TRAIN;
}

// Starts a trip from one end to the other.
static void start_trip(run_t *run, ride_t ride) {
    float sign = run->is_up ? -1.0f : 1.0f;
    motion_t motion = {.kind = MOTION_MOVE, .duration_ms = 2000, .delta = {0, 0, 320.0f * sign}};
    if (ride == ON_TRAIN) {
        motion.delta = Vector(600.0f * sign, 100.0f * sign, 0.0f);
        motion.delta_angles.y = 90.0f * sign;
        motion.bend = Vector(0.0f, 200.0f, 40.0f);
    }
    run->is_up = !run->is_up;
    start(run, run->pusher, motion);
}

static void start_for_ever(run_t *run, ride_t ride) {
    const motion_t lift = {.kind = MOTION_SWING, .duration_ms = 5000, .delta = {0, 0, 200.0f}};
    const motion_t turn = {
        .kind = MOTION_SPIN, .duration_ms = 7000, .delta_angles = {0, 360.0f, 0}};
    const motion_t fast = {
        .kind = MOTION_SPIN, .duration_ms = 1300, .delta_angles = {0, -360.0f, 0}};
    const motion_t up = {.kind = MOTION_SWING, .duration_ms = 3000, .delta = {0, 0, 60.0f}};
    bool is_nested = ride == ON_TURN_ON_LIFT || ride == ON_LIFT_ON_TURN;
    if (is_nested) {
        float height = ride == ON_TURN_ON_LIFT ? 0.0f : 130.0f; // room for a player below it
        run->top = add_pusher(&run->sv, 2, VectorAdd(base, Vector(32.0f, 0.0f, height)));
        assert_true(SV_PusherGlue(&run->sv, run->top, run->pusher));
        start(run, run->pusher, ride == ON_TURN_ON_LIFT ? lift : turn);
        start(run, run->top, ride == ON_TURN_ON_LIFT ? turn : up);
    } else {
        start(run, run->pusher, ride == ON_SWING ? lift : ride == ON_TURN ? turn : fast);
    }
}

static void init(run_t *run, const scene_t *scene, uint64_t seed) {
    const test_net_config_t config = {.seed = seed,
                                      .conditions = {.delay_ms = scene->delay_ms},
                                      .max_clients = 2,
                                      .map = &map,
                                      .rate_hz = scene->rate_hz};
    memset(run, 0, sizeof *run);
    TestNet_Init(&run->net, &config);
    server_t *server = run->net.server;
    run->sv = SV_Context(server->world, server->map, &server->game, server->events);
    run->pusher = add_pusher(&run->sv, 1, base);
    run->top = run->pusher;
    TestNet_AddClient(&run->net, "rider");
    // Each client has its own usercmd length.
    test_net_t *net = &run->net;
    CL_Destroy(net->clients[0]);
    err_t err;
    net->clients[0] = CL_Create(
        &(cl_config_t){.net = net->client_nets[0], .maps = net->maps, .cmd_ms = scene->cmd_ms});
    assert_non_null(net->clients[0]);
    assert_true(CL_Connect(net->clients[0], TestNet_ServerAddress(), "rider", false, &err));
    assert_true(TestNet_WaitActive(net, 5000));
}

static void board(run_t *run) {
    edict_t *player = World_Edict(run->sv.world, 1);
    float height = run->top == run->pusher ? 0.0f : 16.0f;
    vec3_t at = VectorAdd(run->top->origin, Vector(10.0f, 20.0f, height + 25.0f));
    run->sv.engine->teleport(&run->sv, player, at, Vector(0.0f, 0.0f, 0.0f),
                             Vector(0.0f, 0.0f, 0.0f));
}

// ---- the client's side ----

static void play(run_t *run, const scene_t *scene, int64_t ms) {
    test_net_t *net = &run->net;
    player_state_t predicted;
    for (int64_t end = net->now_ms + ms; net->now_ms < end;) {
        float seconds = (float)net->now_ms / 1000.0f;
        cl_input_t input = {.yaw = AngleMod(seconds * 360.0f)};
        if (scene->moves) {
            input.forward = 80.0f; // a circle of about 13 qu
            input.buttons = net->now_ms % 1200 < 100 ? BUTTON_JUMP : 0;
        }
        CL_SetInput(net->clients[0], &input);
        TestNet_Step(net);
        assert_true(CL_Predicted(net->clients[0], &predicted));
    }
}

typedef struct {
    uint64_t predictions, wrong;
} count_t;

static void add_counts(run_t *run, const cl_stats_t *before, count_t *count) {
    cl_stats_t stats;
    CL_Stats(run->net.clients[0], &stats);
    count->predictions += stats.predictions - before->predictions;
    count->wrong += stats.mispredictions - before->mispredictions;
}

static bool is_aboard(const run_t *run) {
    const client_t *client = World_Client(run->sv.world, 0);
    return client->player.groundentity == World_EdictNumber(run->sv.world, run->top);
}

// Runs one ride. `news` counts predictions made before the client could know of a new motion,
// `known` all others.
static void ride(const scene_t *scene, uint64_t seed, count_t *known, count_t *news) {
    run_t run;
    cl_stats_t before;
    int64_t round_trip_ms = 2 * scene->delay_ms + SLACK_MS;
    init(&run, scene, seed);
    if (!is_trip(scene->ride)) {
        start_for_ever(&run, scene->ride);
    }
    play(&run, scene, 200);
    board(&run);
    play(&run, scene, SETTLE_MS);
    assert_true(scene->moves || is_aboard(&run));
    int32_t trips = Test_IsLong() ? 40 : 2;
    for (int32_t i = 0; i < trips; i++) {
        if (is_trip(scene->ride)) {
            CL_Stats(run.net.clients[0], &before);
            start_trip(&run, scene->ride);
            play(&run, scene, round_trip_ms);
            add_counts(&run, &before, news);
        }
        CL_Stats(run.net.clients[0], &before);
        play(&run, scene, 2600 - round_trip_ms);
        add_counts(&run, &before, known);
    }
    assert_true(scene->moves || is_aboard(&run)); // the player rode to the end
    assert_int_equal(run.sv.world->counters.unstuck, 0);
    TestNet_Free(&run.net);
}

static void test_rides_are_predicted_to_the_bit(void **state) {
    (void)state;
    static const int32_t delays_ms[] = {0, 30, 100};
    static const int32_t cmd_ms[] = {0, 5, 11, 33};
    uint64_t seed = 1;
    count_t all = {0};
    for (int32_t r = 0; r < ON_COUNT; r++) {
        for (int32_t moves = 0; moves < 2; moves++) {
            count_t known = {0};
            count_t news = {0};
            for (size_t w = 0; w < COUNTOF(delays_ms); w++) {
                for (size_t c = 0; c < COUNTOF(cmd_ms); c++, seed++) {
                    if (Test_IsLong() || (w + c + (size_t)r) % 3 == 0) {
                        const scene_t scene = {(ride_t)r, delays_ms[w], cmd_ms[c], moves == 1,
                                               0.0f};
                        ride(&scene, seed, &known, &news);
                    }
                }
            }
            print_message(
                "%s, %s: %llu of %llu predictions differ; %llu of %llu before the news of "
                "a start\n",
                names[r], moves ? "walking and hopping" : "idle", (unsigned long long)known.wrong,
                (unsigned long long)known.predictions, (unsigned long long)news.wrong,
                (unsigned long long)news.predictions);
            assert_true(known.predictions > 500);
            assert_true(news.wrong * 4 <= news.predictions);
            all.wrong += known.wrong;
        }
    }
    assert_int_equal(all.wrong, 0);
}

// Rides at tick rates whose ticks differ by 1 ms, with sub-steps that span ticks.
static void test_rides_at_every_rate(void **state) {
    (void)state;
    static const float rates_hz[] = {20, 30, 60, 64, 72, 77, 100, 128};
    static const int32_t cmd_ms[] = {0, 16, 0, 5};
    for (size_t i = 0; i < COUNTOF(rates_hz); i += Test_IsSlow() ? 3 : 1) {
        count_t known = {0};
        count_t news = {0};
        for (uint64_t r = 0; r < ON_COUNT; r++) {
            const scene_t scene = {(ride_t)r, 30, cmd_ms[(r + i) % 4], r % 2 == 1, rates_hz[i]};
            ride(&scene, r + 1, &known, &news);
        }
        print_message("%g Hz: %llu of %llu predictions differ; %llu of %llu before the news\n",
                      (double)rates_hz[i], (unsigned long long)known.wrong,
                      (unsigned long long)known.predictions, (unsigned long long)news.wrong,
                      (unsigned long long)news.predictions);
        assert_int_equal(known.wrong, 0);
        assert_true(known.predictions > 500);
    }
}

// Measures the bytes of a real map full of pushers: at the join, and after it.
static void test_what_pushers_cost(void **state) {
    (void)state;
    const char *path = "../shared/data/bsp/lqdm12.bsp";
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not there\n", path);
        return;
    }
    test_net_t net;
    const test_net_config_t config = {
        .seed = 1, .conditions = {.delay_ms = 20}, .max_clients = 2, .map_file = path};
    TestNet_Init(&net, &config);
    TestNet_ShowAll(&net);
    TestNet_AddClient(&net, "one");
    assert_true(TestNet_WaitActive(&net, 5000));
    cl_stats_t joined, later, last;
    entity_state_t seen[MAX_SNAPSHOT_ENTS];
    int32_t records = 0;
    CL_Stats(net.clients[0], &joined);
    for (int32_t i = 0; i < 250; i++) {
        TestNet_Step(&net);
    }
    CL_Stats(net.clients[0], &later);
    for (int32_t i = 0; i < 1250; i++) {
        TestNet_Step(&net);
    }
    CL_Stats(net.clients[0], &last);
    int32_t count = CL_Entities(net.clients[0], seen, MAX_SNAPSHOT_ENTS);
    for (int32_t i = 0; i < count; i++) {
        records += seen[i].motion != ENTITY_NO_MOTION ? 1 : 0;
    }
    double steady = (double)(last.snapshot_bytes - later.snapshot_bytes) /
                    (double)(last.snapshots - later.snapshots);
    print_message("lqdm12: %d entities, %d of them with a record; %llu bytes in the first second, "
                  "then %.1f bytes a snapshot\n",
                  count, records, (unsigned long long)later.snapshot_bytes, steady);
    assert_true(records >= 20);
    assert_true(later.snapshot_bytes < 100000);
    assert_true(steady < 60.0);
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rides_are_predicted_to_the_bit),
        cmocka_unit_test(test_rides_at_every_rate),
        cmocka_unit_test(test_what_pushers_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
