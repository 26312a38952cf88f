#include "predict_fixture.h"

#include "lib/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOIN_MS  20000
#define BEGIN_MS 500

const test_line_t test_predict_lines[TEST_PREDICT_LINES] = {
    {40, 30, 0, 200},  {150, 240, 0, -200}, {100, 60, 16, 0},  {60, 144, 5, 200},
    {0, 120, 0, -200}, {150, 60, 33, 200},  {80, 75, 0, -100}, {120, 240, 11, 200}};

static void add_client(test_predict_t *run, int32_t i) {
    test_net_t *net = &run->net;
    const char *name = i == 0 ? "one" : "two";
    err_t err;
    TestNet_AddClient(net, name);
    CL_Disconnect(net->clients[i]);
    CL_Destroy(net->clients[i]);
    net->clients[i] = NULL; // step() runs the client by its own clock
    run->clients[i] = CL_Create(
        &(cl_config_t){.net = net->client_nets[i], .maps = net->maps, .cmd_ms = run->line->cmd_ms});
    assert_non_null(run->clients[i]);
    assert_true(CL_Connect(run->clients[i], TestNet_ServerAddress(), name, false, &err));
}

void TestPredict_Init(test_predict_t *run, const test_predict_config_t *config,
                      const test_scene_t *scene, const test_line_t *line, uint64_t seed) {
    char path[512];
    test_map_t map = config->room ? *config->room : (test_map_t){0};
    map.entities = scene->entities ? scene->entities : map.entities;
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(),
             scene->file ? scene->file : "");
    const test_net_config_t net = {.seed = seed,
                                   .conditions = {.delay_ms = line->round_trip_ms / 2},
                                   .max_clients = 2,
                                   .map = scene->file ? NULL : &map,
                                   .map_file = scene->file ? path : NULL};
    memset(run, 0, sizeof *run);
    run->config = *config;
    run->config.num_clients = config->num_clients > 0 ? config->num_clients : 1;
    run->scene = scene;
    run->line = line;
    run->seed = seed;
    run->rng = (rng_t){seed};
    TestNet_Init(&run->net, &net);
    const server_t *server = run->net.server;
    run->sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < run->config.num_clients; i++) {
        add_client(run, i);
    }
}

// Runs a frame of a client.
static void frame(test_predict_t *run, int32_t i) {
    const test_predict_config_t *config = &run->config;
    const int64_t now_ms = run->net.now_ms;
    player_state_t predicted = {0};
    cl_stats_t stats;
    config->choose(run, i, &run->inputs[i]);
    CL_SetInput(run->clients[i], &run->inputs[i]);
    CL_Frame(run->clients[i], now_ms + now_ms * run->line->drift_ppm / 1000000);
    const bool is_predicted = CL_Predicted(run->clients[i], &predicted);
    CL_Stats(run->clients[i], &stats);
    *(now_ms < run->excused_ms ? &run->excused : &run->wrong) +=
        stats.corrected - run->corrected[i];
    run->corrected[i] = stats.corrected;
    if (is_predicted && config->draw) {
        config->draw(run, i, &predicted);
    }
}

// Runs 1 ms: the network, the server with its ticks, the clients with their frames.
static void step(test_predict_t *run) {
    test_net_t *net = &run->net;
    const test_predict_config_t *config = &run->config;
    net->now_ms++;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    if (net->now_ms >= net->next_tick_ms) {
        Server_Tick(net->server, net->now_ms);
        net->next_tick_ms += Server_TickMs(net->server);
        if (config->look) {
            config->look(run);
        }
    }
    if (net->now_ms * run->line->frames_s / 1000 > run->frames) {
        run->frames = net->now_ms * run->line->frames_s / 1000;
        for (int32_t i = 0; i < config->num_clients; i++) {
            frame(run, i);
        }
    }
}

void TestPredict_Play(test_predict_t *run, int64_t ms) {
    for (int64_t end = run->net.now_ms + ms; run->net.now_ms < end;) {
        step(run);
    }
}

void TestPredict_WaitActive(test_predict_t *run) {
    for (int32_t i = 0; i < run->config.num_clients; i++) {
        while (CL_State(run->clients[i]) != CL_ACTIVE && run->net.now_ms < JOIN_MS) {
            step(run);
        }
        assert_int_equal(CL_State(run->clients[i]), CL_ACTIVE);
    }
}

void TestPredict_Join(test_predict_t *run) {
    TestPredict_WaitActive(run);
    TestPredict_Play(run, TEST_PREDICT_SETTLE);
}

void TestPredict_Count(test_predict_t *run) {
    run->wrong = run->excused = 0;
    for (int32_t i = 0; i < run->config.num_clients; i++) {
        CL_Stats(run->clients[i], &run->before[i]);
    }
}

test_predicted_t TestPredict_Sum(test_predict_t *run) {
    test_predicted_t sum = {.wrong = run->wrong, .excused = run->excused};
    for (int32_t i = 0; i < run->config.num_clients; i++) {
        cl_stats_t after;
        CL_Stats(run->clients[i], &after);
        sum.all += after.predictions - run->before[i].predictions;
        sum.error = run->wrong > 0 ? fmaxf(sum.error, after.error_max) : 0.0f;
    }
    return sum;
}

void TestPredict_Add(test_predict_t *run, test_predicted_t *sum) {
    const test_line_t *line = run->line;
    const test_predicted_t found = TestPredict_Sum(run);
    sum->wrong += found.wrong;
    sum->excused += found.excused;
    sum->all += found.all;
    sum->error = fmaxf(sum->error, found.error);
    if (found.wrong > 0) {
        print_message("%s, seed %llu, round trip %d ms, %d frames/s, commands of %d ms, %d ppm: "
                      "%llu of %llu predictions differ, by at most %g qu; %llu more are excused\n",
                      run->scene->name, (unsigned long long)run->seed, line->round_trip_ms,
                      line->frames_s, line->cmd_ms, line->drift_ppm,
                      (unsigned long long)found.wrong, (unsigned long long)found.all,
                      (double)found.error, (unsigned long long)found.excused);
    }
}

void TestPredict_Run(test_predict_t *run, const test_predict_config_t *config,
                     const test_scene_t *scene, const test_line_t *line, uint64_t seed,
                     int64_t ms) {
    TestPredict_Init(run, config, scene, line, seed);
    TestPredict_Join(run);
    if (config->begin) {
        config->begin(run);
        TestPredict_Play(run, BEGIN_MS);
    }
    TestPredict_Count(run);
    TestPredict_Play(run, ms);
}

void TestPredict_Free(test_predict_t *run) {
    for (int32_t i = 0; i < run->config.num_clients; i++) {
        CL_Destroy(run->clients[i]);
    }
    TestNet_Free(&run->net);
}

const edict_t *TestPredict_Any(test_predict_t *run, const char *classname) {
    const edict_t *found = NULL;
    const edict_t *edict = NULL;
    uint32_t seen = 0;
    while ((edict = run->sv.engine->find_class(&run->sv, edict, classname)) != NULL) {
        if (Rng_Below(&run->rng, ++seen) == 0) {
            found = edict;
        }
    }
    return found;
}

const player_state_t *TestPredict_Player(const test_predict_t *run, int32_t client) {
    return &World_Client(run->sv.world, CL_Slot(run->clients[client]))->player;
}

edict_t *TestPredict_Edict(const test_predict_t *run, int32_t client) {
    return World_Edict(run->sv.world, CL_Slot(run->clients[client]) + 1);
}
