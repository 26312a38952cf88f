// A player drives a func_tracktrain of the reference game through its func_traincontrols, on the
// simulated network, with a rider. At constant speed on a straight, the prediction of both equals
// the server's result, bit for bit. With round trips that the train's delay of its driver's keys
// covers, so it does while the speed changes and in bends. Otherwise a change reaches the clients
// late; the correction is at most the change of speed times the round trip. In a bend, they
// continue the last motion record meanwhile.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"
#include "game/game.h"

#include <math.h>
#include <string.h>

#define DRIVER     0
#define RIDER      1
#define SLACK_MS   350    // the train's delay, and until a client predicts with news it received
#define SPEED      200.0f // of the train, qu/s
#define STEP       50.0f  // a quarter of it
#define BEND_JUMPS 800.0f // qu per second of round trip; clients that stop at records have twice it
#define KNOWN_MS   75     // from client to server: the delay of the driver's keys covers it
#define QUANTUM    0.0325f // s; a client's prediction advances by at most this much at once

static const test_block_t blocks[] = {
    {.box = {{-96, -96, -8}, {96, 96, 8}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{-96, -96, 8}, {96, 96, 104}}, .contents = CONTENTS_SOLID, .model = 2},
};

// A straight of 2,800 qu, then a bend, a slope and a straight.
static const char entities[] =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-1800 -1000 25\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-1800 -1200 25\" }\n"
    "{ \"classname\" \"func_tracktrain\" \"model\" \"*1\" \"targetname\" \"train\" "
    "\"target\" \"p0\" \"speed\" \"200\" \"wheels\" \"100\" \"dmg\" \"10\" }\n"
    "{ \"classname\" \"func_traincontrols\" \"model\" \"*2\" \"target\" \"train\" }\n"
    "{ \"classname\" \"path_track\" \"targetname\" \"p0\" \"target\" \"p1\" "
    "\"origin\" \"-1800 0 200\" }\n"
    "{ \"classname\" \"path_track\" \"targetname\" \"p1\" \"target\" \"p2\" "
    "\"origin\" \"1000 0 200\" }\n"
    "{ \"classname\" \"path_track\" \"targetname\" \"p2\" \"target\" \"p3\" "
    "\"origin\" \"1400 400 300\" }\n"
    "{ \"classname\" \"path_track\" \"targetname\" \"p3\" \"origin\" \"1400 1400 300\" }\n";

static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 1024}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .entities = entities,
                               .brush_list = true};

typedef struct {
    uint64_t predictions, wrong;
    float jump;   ///< largest change of a predicted position beyond the train's own, qu
    double jumps; ///< their sum
} count_t;

typedef struct {
    test_net_t net;
    sv_context_t sv;
    edict_t *train;
    int64_t round_trip_ms; ///< with slack
} run_t;

static edict_t *player(run_t *run, int32_t client) {
    return World_Edict(run->sv.world, CL_Slot(run->net.clients[client]) + 1);
}

static void play(run_t *run, int64_t ms, cl_input_t input, count_t *count) {
    test_net_t *net = &run->net;
    player_state_t was[2], now[2];
    cl_stats_t before, after;
    for (int32_t i = 0; i < 2; i++) {
        assert_true(CL_Predicted(net->clients[i], &was[i]));
        CL_Stats(net->clients[i], &before);
        count->wrong -= before.mispredictions;
        count->predictions -= before.predictions;
    }
    for (int64_t end = net->now_ms + ms; net->now_ms < end;) {
        CL_SetInput(net->clients[DRIVER], &input);
        CL_SetInput(net->clients[RIDER], &(cl_input_t){0});
        TestNet_Step(net);
        for (int32_t i = 0; i < 2; i++) {
            assert_true(CL_Predicted(net->clients[i], &now[i]));
            float moved = VectorLength(VectorSubtract(now[i].origin, was[i].origin));
            float jump = fmaxf(moved - SPEED * QUANTUM, 0.0f);
            count->jump = fmaxf(count->jump, jump);
            count->jumps += (double)jump;
            was[i] = now[i];
        }
    }
    for (int32_t i = 0; i < 2; i++) {
        CL_Stats(net->clients[i], &after);
        count->wrong += after.mispredictions;
        count->predictions += after.predictions;
    }
}

static void init(run_t *run, int32_t delay_ms) {
    const test_net_config_t config = {
        .seed = 3, .conditions = {.delay_ms = delay_ms}, .max_clients = 2, .map = &map};
    memset(run, 0, sizeof *run);
    TestNet_Init(&run->net, &config);
    server_t *server = run->net.server;
    run->sv = SV_Context(server->world, server->map, &server->game, server->events);
    run->round_trip_ms = 2 * delay_ms + SLACK_MS;
    TestNet_AddClient(&run->net, "driver");
    TestNet_AddClient(&run->net, "rider");
    assert_true(TestNet_WaitActive(&run->net, 20000));
    run->train = run->sv.engine->find_class(&run->sv, NULL, "func_tracktrain");
    assert_non_null(run->train);
    for (int32_t i = 0; i < 400 / TEST_NET_STEP_MS; i++) {
        TestNet_Step(&run->net); // the train goes to its track
    }
    for (int32_t i = 0; i < 2; i++) {
        vec3_t seat = {-30.0f, i == DRIVER ? 30.0f : -30.0f, 33.0f};
        run->sv.engine->teleport(&run->sv, player(run, i), VectorAdd(run->train->origin, seat),
                                 Vector(0.0f, 0.0f, 0.0f), Vector(0.0f, 0.0f, 0.0f));
    }
}

static float pace(const run_t *run) {
    return Game_Fields(run->train)->pace;
}

static void assert_aboard(run_t *run) {
    for (int32_t i = 0; i < 2; i++) {
        const edict_t *edict = player(run, i);
        assert_ptr_equal(World_Deref(run->sv.world, edict->groundentity), run->train);
        assert_int_equal(World_Client(run->sv.world, i)->player.health, 100);
    }
}

// Presses a key for 100 ms and plays until all clients know of the new speed.
static void press(run_t *run, float forward, uint8_t buttons, count_t *news) {
    play(run, 100, (cl_input_t){.forward = forward, .buttons = buttons}, news);
    play(run, run->round_trip_ms, (cl_input_t){0}, news);
}

// Drives along the straight at six speeds, then through the bend to the end of the track.
static void drive(run_t *run, count_t *known, count_t *news, count_t *bend) {
    static const float keys[] = {300, 300, 300, 300, -300, -300};
    static const float paces[] = {50, 100, 150, 200, 150, 100};
    for (size_t i = 0; i < COUNTOF(keys); i++) {
        press(run, keys[i], 0, news);
        assert_true(pace(run) == paces[i]);
        play(run, 1000, (cl_input_t){0}, known);
    }
    assert_true(run->train->origin.x < 900.0f); // still on the straight
    assert_aboard(run);
    press(run, 300, 0, news);
    press(run, 300, 0, news);
    for (int32_t i = 0; i < 40 && pace(run) > 0.0f; i++) {
        play(run, 500, (cl_input_t){0}, bend);
    }
    assert_true(pace(run) == 0.0f);
    assert_aboard(run);
    play(run, run->round_trip_ms, (cl_input_t){0}, news);
    play(run, 1000, (cl_input_t){0}, known);
}

static void print(const char *name, const count_t *count) {
    print_message("  %s: %llu of %llu predictions differ, jumps of up to %.1f qu, %.0f in all\n",
                  name, (unsigned long long)count->wrong, (unsigned long long)count->predictions,
                  (double)count->jump, count->jumps);
}

static void test_driver_and_rider_are_predicted(void **state) {
    (void)state;
    static const int32_t delays_ms[] = {0, 25, 100, 200};
    for (size_t d = 0; d < COUNTOF(delays_ms); d++) {
        run_t run;
        count_t known = {0}, news = {0}, bend = {0};
        init(&run, delays_ms[d]);
        play(&run, 1500, (cl_input_t){0}, &news);
        news = (count_t){0};
        press(&run, 0, BUTTON_USE, &news);
        assert_int_equal(player(&run, DRIVER)->movetype, MOVETYPE_TOSS);
        drive(&run, &known, &news, &bend);
        press(&run, 0, BUTTON_USE, &news);
        assert_int_equal(player(&run, DRIVER)->movetype, MOVETYPE_WALK);
        print_message("%d ms from client to server:\n", delays_ms[d]);
        print("constant speed", &known);
        print("change of speed", &news);
        print("bend", &bend);
        float round_trip_s = (float)run.round_trip_ms / 1000.0f;
        assert_int_equal(known.wrong, 0);
        if (delays_ms[d] <= KNOWN_MS) {
            assert_int_equal(news.wrong + bend.wrong, 0);
            assert_true(news.jump == 0.0f && bend.jump == 0.0f);
        }
        assert_true(known.predictions > 500);
        assert_true(news.jump <= STEP * round_trip_s);
        assert_true(bend.jump <= SPEED * round_trip_s);
        assert_true(bend.jumps <= (double)(BEND_JUMPS * round_trip_s));
        TestNet_Free(&run.net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driver_and_rider_are_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
