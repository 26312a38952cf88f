// A client's prediction of buggies, on the simulated network: getting in, driving, getting out, and
// the buggy that rolls on. It equals the server's result, bit for bit, at round trips of 0 to
// 150 ms, 30 to 240 frames a second and a clock that drifts by 200 ppm.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "game/game.h"
#include "math/angles.h"

#include <stdio.h>
#include <string.h>

#define JOIN_MS   20000
#define SETTLE_MS 3000 // until the clock of usercmds is settled

typedef struct {
    const char *name;
    const char *entities; ///< in a room of 800 x 800 qu
    const char *file;     ///< name of a map of maps/; NULL = the room
} scene_t;

typedef struct {
    int32_t round_trip_ms, frames_s, cmd_ms, drift_ppm;
} line_t;

typedef struct {
    test_net_t net;
    sv_context_t sv;
    rng_t rng;
    cl_t *client;
    cl_input_t input;
    int64_t next_input_ms, release_ms, frames;
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

static const scene_t scenes[] = {
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

static void init(run_t *run, const scene_t *scene, const line_t *line, uint64_t seed) {
    char path[512];
    test_map_t map = room;
    map.entities = scene->entities;
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(),
             scene->file ? scene->file : "");
    const test_net_config_t config = {.seed = seed,
                                      .conditions = {.delay_ms = line->round_trip_ms / 2},
                                      .max_clients = 2,
                                      .map = scene->file ? NULL : &map,
                                      .map_file = scene->file ? path : NULL};
    memset(run, 0, sizeof *run);
    run->rng = (rng_t){seed};
    TestNet_Init(&run->net, &config);
    test_net_t *net = &run->net;
    server_t *server = net->server;
    run->sv = SV_Context(server->world, server->map, &server->game, server->events);
    TestNet_AddClient(net, "one");
    CL_Disconnect(net->clients[0]);
    CL_Destroy(net->clients[0]);
    net->clients[0] = NULL; // step() runs the client by its own clock
    run->client = CL_Create(
        &(cl_config_t){.net = net->client_nets[0], .maps = net->maps, .cmd_ms = line->cmd_ms});
    assert_non_null(run->client);
    err_t err;
    assert_true(CL_Connect(run->client, TestNet_ServerAddress(), "one", false, &err));
}

static const edict_t *random_buggy(run_t *run) {
    const edict_t *found = NULL;
    const edict_t *buggy = NULL;
    uint32_t seen = 0;
    while ((buggy = run->sv.engine->find_class(&run->sv, buggy, "misc_buggy")) != NULL) {
        if (Rng_Below(&run->rng, ++seen) == 0) {
            found = buggy;
        }
    }
    return found;
}

static cl_input_t drive_input(rng_t *rng) {
    return (cl_input_t){.yaw = Rng_Range(rng, 0.0f, 360.0f),
                        .forward = Rng_Below(rng, 4) == 0 ? -300.0f : 320.0f,
                        .side = Rng_Range(rng, -320.0f, 320.0f),
                        .buttons = Rng_Below(rng, 8) == 0 ? BUTTON_JUMP : 0u};
}

// Returns input to walk to a buggy, sometimes in another direction.
static cl_input_t walk_input(run_t *run) {
    rng_t *rng = &run->rng;
    const vec3_t middle = VectorScale(VectorAdd(run->goal->absmin, run->goal->absmax), 0.5f);
    const vec3_t to = VectorSubtract(middle, World_Edict(run->sv.world, 1)->origin);
    bool is_random = Rng_Below(rng, 6) == 0;
    return (cl_input_t){.yaw =
                            is_random ? Rng_Range(rng, 0.0f, 360.0f) : AngleMod(Atan2(to.y, to.x)),
                        .forward = Rng_Range(rng, 100.0f, 400.0f),
                        .side = Rng_Range(rng, -100.0f, 100.0f),
                        .buttons = Rng_Below(rng, 5) == 0 ? BUTTON_JUMP : 0u};
}

// Chooses new random input every 20 to 600 ms, and often presses the use button.
static void choose_input(run_t *run) {
    rng_t *rng = &run->rng;
    if (run->net.now_ms >= run->release_ms) {
        run->input.buttons &= (uint8_t)~BUTTON_USE;
    }
    if (run->net.now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = run->net.now_ms + 20 + (int64_t)Rng_Below(rng, 580);
    if (!run->goal || Rng_Below(rng, 12) == 0) {
        run->goal = random_buggy(run);
    }
    run->input = run->drove ? drive_input(rng) : walk_input(run);
    if (Rng_Below(rng, run->drove ? 6 : 2) == 0) {
        run->input.buttons |= BUTTON_USE;
        run->release_ms = run->net.now_ms + 10 + (int64_t)Rng_Below(rng, 200);
    }
}

static void look(run_t *run) {
    const player_state_t *player = &World_Client(run->sv.world, 0)->player;
    const bool drives = player->pm_type == PM_DRIVING;
    const edict_t *buggy = NULL;
    while ((buggy = run->sv.engine->find_class(&run->sv, buggy, "misc_buggy")) != NULL) {
        run->rolled += buggy->solid != SOLID_NOT && VectorLength(buggy->velocity) > 1.0f;
    }
    run->got_in += drives && !run->drove;
    run->got_out += !drives && run->drove;
    run->driven += drives;
    run->drove = drives;
    run->died |= player->pm_type == PM_DEAD;
}

// Runs 1 ms: the network, the server with its ticks, the client with its frames.
static void step(run_t *run, const line_t *line) {
    test_net_t *net = &run->net;
    net->now_ms++;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    if (net->now_ms >= net->next_tick_ms) {
        Server_Tick(net->server, net->now_ms);
        net->next_tick_ms += Server_TickMs(net->server);
        look(run);
    }
    if (net->now_ms * line->frames_s / 1000 > run->frames) {
        run->frames = net->now_ms * line->frames_s / 1000;
        choose_input(run);
        CL_SetInput(run->client, &run->input);
        CL_Frame(run->client, net->now_ms + net->now_ms * line->drift_ppm / 1000000);
        player_state_t predicted;
        (void)CL_Predicted(run->client, &predicted);
    }
}

static void put_beside_buggy(run_t *run) {
    const edict_t *buggy = run->sv.engine->find_class(&run->sv, NULL, "misc_buggy");
    const vec3_t beside = VectorAdd(buggy->origin, Vector(0.0f, 60.0f, 6.0f));
    run->goal = buggy;
    run->sv.engine->teleport(&run->sv, World_Edict(run->sv.world, 1), beside, vec3_zero, vec3_zero);
}

/// Counts of all runs of a scene.
typedef struct {
    uint64_t wrong, all;
    int64_t got_in, got_out, driven, rolled;
    float error;
} sum_t;

static void run_scene(const scene_t *scene, const line_t *line, uint64_t seed, sum_t *sum) {
    run_t run;
    cl_stats_t before, after;
    init(&run, scene, line, seed);
    while (CL_State(run.client) != CL_ACTIVE && run.net.now_ms < JOIN_MS) {
        step(&run, line);
    }
    for (int64_t end = run.net.now_ms + SETTLE_MS; run.net.now_ms < end;) {
        step(&run, line);
    }
    if (scene->file) {
        put_beside_buggy(&run);
        for (int64_t end = run.net.now_ms + 500; run.net.now_ms < end;) {
            step(&run, line);
        }
    }
    CL_Stats(run.client, &before);
    for (int64_t end = run.net.now_ms + 12000; run.net.now_ms < end;) {
        step(&run, line);
    }
    CL_Stats(run.client, &after);
    if (!run.died) {
        const uint64_t wrong = after.corrected - before.corrected;
        sum->wrong += wrong;
        sum->all += after.predictions - before.predictions;
        sum->got_in += run.got_in;
        sum->got_out += run.got_out;
        sum->driven += run.driven;
        sum->rolled += run.rolled;
        if (wrong > 0) {
            sum->error = fmaxf(sum->error, after.error_max);
            print_message("%s, seed %llu, %d ms, %d frames/s, commands of %d ms: %llu differ\n",
                          scene->name, (unsigned long long)seed, line->round_trip_ms,
                          line->frames_s, line->cmd_ms, (unsigned long long)wrong);
        }
    }
    CL_Destroy(run.client);
    TestNet_Free(&run.net);
}

static const line_t lines[] = {{40, 30, 0, 200},  {150, 240, 0, -200}, {100, 60, 16, 0},
                               {60, 144, 5, 200}, {0, 120, 0, -200},   {150, 60, 33, 200},
                               {80, 75, 0, -100}, {120, 240, 11, 200}};

static void test_buggies_are_predicted(void **state) {
    (void)state;
    const size_t count = Test_IsLong() ? 5 * COUNTOF(lines) : Test_IsSlow() ? 1 : 2;
    for (size_t s = 0; s < COUNTOF(scenes); s++) {
        sum_t sum = {0};
        for (size_t i = 0; i < count; i++) {
            run_scene(&scenes[s], &lines[(2 * i + s) % COUNTOF(lines)], i + 1, &sum);
        }
        print_message("%s: %llu of %llu predictions differ, by at most %g qu; got in %lld times, "
                      "out %lld, drove in %lld ticks; buggies rolled in %lld\n",
                      scenes[s].name, (unsigned long long)sum.wrong, (unsigned long long)sum.all,
                      (double)sum.error, (long long)sum.got_in, (long long)sum.got_out,
                      (long long)sum.driven, (long long)sum.rolled);
        assert_true(sum.all * 4 > count * 12000 / 40);
        assert_true(sum.got_in > 0 && sum.got_out > 0);
        assert_true(sum.driven > 50 * (int64_t)count);
        assert_true(sum.rolled > 20);
        assert_int_equal(sum.wrong, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buggies_are_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
