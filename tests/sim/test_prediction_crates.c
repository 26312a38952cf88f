// A client's prediction of the crates that it pushes, on the simulated network. It equals the
// server's result, bit for bit, at round trips of 40 to 150 ms, 30 to 240 frames a second and a
// clock that drifts by 200 ppm.

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
    int64_t next_input_ms, frames;
    const edict_t *goal;   ///< crate that the player walks to
    int64_t pushed, stood; ///< ticks, seen on the server
    bool died;
    float gravity;
    uint64_t changed; ///< times that a trigger_gravity changed it: the game decides about that
} run_t;

#define CRATE(model) "{\n\"classname\" \"func_pushable\"\n\"model\" \"*" model "\"\n}\n"

#define START                                                                                      \
    "{\n\"classname\" \"worldspawn\"\n}\n"                                                         \
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"0 -300 30\"\n}\n"

// Crates 1 to 4, a pair in a row 5 and 6, a stack 7 and 8; a conveyor 9.
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
};

static const test_map_t room = {.room = {{-400, -400, 0}, {400, 400, 500}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

static const scene_t scenes[] = {
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

static const edict_t *random_crate(run_t *run) {
    const edict_t *found = NULL;
    const edict_t *crate = NULL;
    uint32_t seen = 0;
    while ((crate = run->sv.engine->find_class(&run->sv, crate, "func_pushable")) != NULL) {
        if (Rng_Below(&run->rng, ++seen) == 0) {
            found = crate;
        }
    }
    return found;
}

// Chooses new random input every 20 to 600 ms: mostly towards a crate, from any side.
static void choose_input(run_t *run) {
    rng_t *rng = &run->rng;
    if (run->net.now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = run->net.now_ms + 20 + (int64_t)Rng_Below(rng, 580);
    if (!run->goal || Rng_Below(rng, 12) == 0) {
        run->goal = random_crate(run);
    }
    const edict_t *player = World_Edict(run->sv.world, 1);
    const vec3_t middle = VectorScale(VectorAdd(run->goal->absmin, run->goal->absmax), 0.5f);
    const vec3_t to = VectorSubtract(middle, player->origin);
    bool is_random = Rng_Below(rng, 5) == 0;
    run->input =
        (cl_input_t){.yaw = is_random ? Rng_Range(rng, 0.0f, 360.0f) : AngleMod(Atan2(to.y, to.x)),
                     .forward = Rng_Range(rng, 0.0f, 400.0f),
                     .side = Rng_Range(rng, -100.0f, 100.0f),
                     .buttons = Rng_Below(rng, 6) == 0 ? BUTTON_JUMP : 0u};
}

static void look(run_t *run) {
    const world_t *world = run->sv.world;
    const player_state_t *player = &World_Client(world, 0)->player;
    const edict_t *ground = World_Edict(world, Q_MaxI(player->groundentity, 0));
    const edict_t *crate = NULL;
    while ((crate = run->sv.engine->find_class(&run->sv, crate, "func_pushable")) != NULL) {
        run->pushed += fabsf(crate->velocity.x) + fabsf(crate->velocity.y) > 1.0f;
    }
    run->stood += player->groundentity > 0 && (ground->flags & FL_PUSHABLE);
    run->died |= player->pm_type == PM_DEAD;
    run->changed += player->gravity != run->gravity;
    run->gravity = player->gravity;
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

/// Counts of all runs of a scene.
typedef struct {
    uint64_t wrong, all, changed;
    int64_t pushed, stood;
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
    CL_Stats(run.client, &before);
    for (int64_t end = run.net.now_ms + 12000; run.net.now_ms < end;) {
        step(&run, line);
    }
    CL_Stats(run.client, &after);
    if (!run.died) {
        const uint64_t wrong = after.corrected - before.corrected;
        sum->wrong += wrong;
        sum->all += after.predictions - before.predictions;
        sum->pushed += run.pushed;
        sum->stood += run.stood;
        sum->changed += run.changed;
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
                               {60, 144, 5, 200}, {40, 120, 0, -200},  {150, 60, 33, 200},
                               {80, 75, 0, -100}, {120, 240, 11, 200}};

static void test_pushed_crates_are_predicted(void **state) {
    (void)state;
    const size_t count = Test_IsLong() ? 5 * COUNTOF(lines) : 1;
    for (size_t s = 0; s < COUNTOF(scenes); s++) {
        sum_t sum = {0};
        for (size_t i = 0; i < count; i++) {
            run_scene(&scenes[s], &lines[(i + s) % COUNTOF(lines)], i + 1, &sum);
        }
        print_message("%s: %llu of %llu predictions differ, by at most %g qu; crates slid in %lld "
                      "ticks, the player stood on them in %lld\n",
                      scenes[s].name, (unsigned long long)sum.wrong, (unsigned long long)sum.all,
                      (double)sum.error, (long long)sum.pushed, (long long)sum.stood);
        assert_true(sum.all * 4 > count * 12000 / 40);
        assert_true(sum.pushed > 20);
        assert_true(sum.wrong <= sum.changed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushed_crates_are_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
