// A client walks, jumps, swims, rides and uses at random on our maps, on the simulated
// network. Its predictions, as they were first shown, equal the server's result, bit for bit, at
// round trips of 40 to 150 ms, 30 to 240 frames a second and clocks that drift by 200 ppm. Excused
// are those shortly after something that no client could know: the game moved, hurt or killed the
// player, another edict came near, or the game started a pusher.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "game/game.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <string.h>

#define JOIN_MS    20000
#define SETTLE_MS  3000   // until the clock of usercmds is settled
#define EXCUSE_MS  200    // added to the round trip
#define NEAR       400.0f // qu; edicts and pushers further away do not move the player
#define MAX_MOVERS 512

typedef struct {
    int32_t round_trip_ms, frames_s, cmd_ms, drift_ppm;
} line_t;

/// State of a pusher in the last tick.
typedef struct {
    motion_t motion;
    leg_t next;
    int32_t solid;
} mover_t;

typedef struct {
    test_net_t net;
    sv_context_t sv;
    rng_t rng;
    cl_t *client;
    cl_input_t input;
    const line_t *line;
    int64_t next_input_ms, frames;
    int64_t excused_ms; ///< predictions until then are excused
    mover_t movers[MAX_MOVERS];
    player_state_t player; ///< after the last tick
    uint64_t corrected;
    uint64_t wrong, excused, rode, swam;
} run_t;

static const line_t lines[] = {{40, 30, 0, 200},   {150, 240, 0, -200}, {100, 60, 16, 200},
                               {60, 144, 5, -200}, {40, 144, 0, -200},  {150, 60, 33, 200},
                               {100, 240, 11, 200}};

// ---- what no client can know ----

// Returns true if a pusher's motion is not the one that clients knew.
static bool is_news(const run_t *run, const edict_t *edict, const mover_t *was) {
    const motion_t *now = &edict->motion;
    const int64_t tick_ms = World_TickMs(run->sv.world);
    bool goes_on = now->start_ms == was->motion.start_ms && now->kind == was->motion.kind;
    bool is_next = was->next.wait_ms > 0 && now->kind == MOTION_MOVE &&
                   now->start_ms == was->motion.start_ms + was->next.wait_ms;
    bool has_ended = now->kind == MOTION_NONE && was->motion.kind == MOTION_MOVE &&
                     run->sv.world->time_ms - tick_ms >=
                         was->motion.start_ms + was->motion.duration_ms + edict->lag_ms - tick_ms;
    return edict->solid != was->solid || !(goes_on || is_next || has_ended);
}

static bool is_near(const edict_t *edict, const edict_t *player) {
    const vec3_t reach = {NEAR, NEAR, NEAR};
    return BoundsTouch(
        (bounds_t){edict->absmin, edict->absmax},
        (bounds_t){VectorSubtract(player->absmin, reach), VectorAdd(player->absmax, reach)});
}

static bool edict_is_news(run_t *run, int32_t number, const edict_t *player) {
    const edict_t *edict = World_Edict(run->sv.world, number);
    mover_t *was = &run->movers[number];
    const bool is_pusher = edict->movetype == MOVETYPE_PUSH;
    bool news = is_pusher ? is_news(run, edict, was) : edict->solid != was->solid;
    *was = (mover_t){edict->motion, edict->next, edict->solid};
    if (!is_near(edict, player)) {
        return false;
    }
    return news || (edict->flags & FL_MONSTER) || edict->type == ENTITY_PROJECTILE;
}

static bool player_is_news(const run_t *run, const player_state_t *now) {
    const player_state_t *was = &run->player;
    return now->pm_type == PM_DEAD || now->pm_type == PM_FROZEN || now->health != was->health ||
           now->gravity != was->gravity || ((now->flags ^ was->flags) & PMF_TELEPORT) ||
           now->movetype != was->movetype;
}

static void look(run_t *run) {
    const world_t *world = run->sv.world;
    const player_state_t *now = &World_Client(world, 0)->player;
    const edict_t *player = World_Edict(world, 1);
    const edict_t *ground = World_Edict(world, Q_MaxI(now->groundentity, 0));
    bool news = player_is_news(run, now);
    for (int32_t i = 3; i < world->num_edicts && i < MAX_MOVERS; i++) {
        const bool is_used = World_Edict(world, i)->inuse != 0;
        news |= is_used && edict_is_news(run, i, player);
    }
    if (news) {
        run->excused_ms = run->net.now_ms + run->line->round_trip_ms + EXCUSE_MS;
    }
    run->rode += now->groundentity > 0 && ground->movetype == MOVETYPE_PUSH;
    run->swam += now->waterlevel > 1;
    run->player = *now;
}

// ---- a run ----

static void init(run_t *run, const char *name, const line_t *line, uint64_t seed) {
    char path[512];
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(), name);
    const test_net_config_t config = {.seed = seed,
                                      .conditions = {.delay_ms = line->round_trip_ms / 2},
                                      .max_clients = 2,
                                      .map_file = path};
    memset(run, 0, sizeof *run);
    run->rng = (rng_t){seed};
    run->line = line;
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

// Chooses new random input every 20 to 900 ms; mostly walks on.
static void choose_input(run_t *run) {
    rng_t *rng = &run->rng;
    if (run->net.now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = run->net.now_ms + 20 + (int64_t)Rng_Below(rng, 880);
    run->input = (cl_input_t){.yaw = Rng_Range(rng, 0.0f, 360.0f),
                              .pitch = Rng_Range(rng, -40.0f, 40.0f),
                              .forward = Rng_Range(rng, -50.0f, 400.0f),
                              .side = Rng_Range(rng, -150.0f, 150.0f),
                              .buttons = (uint8_t)((Rng_Below(rng, 5) == 0 ? BUTTON_JUMP : 0) |
                                                   (Rng_Below(rng, 10) == 0 ? BUTTON_DUCK : 0) |
                                                   (Rng_Below(rng, 6) == 0 ? BUTTON_USE : 0))};
}

// Runs 1 ms: the network, the server with its ticks, the client with its frames.
static void step(run_t *run) {
    test_net_t *net = &run->net;
    const line_t *line = run->line;
    net->now_ms++;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    if (net->now_ms >= net->next_tick_ms) {
        Server_Tick(net->server, net->now_ms);
        net->next_tick_ms += Server_TickMs(net->server);
        look(run);
    }
    if (net->now_ms * line->frames_s / 1000 > run->frames) {
        cl_stats_t stats;
        player_state_t predicted;
        run->frames = net->now_ms * line->frames_s / 1000;
        choose_input(run);
        CL_SetInput(run->client, &run->input);
        CL_Frame(run->client, net->now_ms + net->now_ms * line->drift_ppm / 1000000);
        (void)CL_Predicted(run->client, &predicted);
        CL_Stats(run->client, &stats);
        const uint64_t more = stats.corrected - run->corrected;
        *(net->now_ms < run->excused_ms ? &run->excused : &run->wrong) += more;
        run->corrected = stats.corrected;
    }
}

static void play(run_t *run, int64_t ms) {
    for (int64_t end = run->net.now_ms + ms; run->net.now_ms < end;) {
        step(run);
    }
}

static uint64_t run_map(const char *name, const line_t *line, uint64_t seed, run_t *sum) {
    run_t run;
    cl_stats_t before, after;
    init(&run, name, line, seed);
    while (CL_State(run.client) != CL_ACTIVE && run.net.now_ms < JOIN_MS) {
        step(&run);
    }
    play(&run, SETTLE_MS);
    assert_int_equal(CL_Slot(run.client), 0);
    CL_Stats(run.client, &before);
    run.wrong = run.excused = run.rode = run.swam = 0;
    const int64_t ms = Test_IsLong() ? 60000 : 6000;
    play(&run, ms);
    CL_Stats(run.client, &after);
    const uint64_t all = after.predictions - before.predictions;
    if (run.wrong > 0) {
        print_message("%s, seed %llu: round trip %d ms, %d frames/s, commands of %d ms, %d ppm: "
                      "%llu of %llu predictions differ, %llu more are excused\n",
                      name, (unsigned long long)seed, line->round_trip_ms, line->frames_s,
                      line->cmd_ms, line->drift_ppm, (unsigned long long)run.wrong,
                      (unsigned long long)all, (unsigned long long)run.excused);
    }
    assert_true(all * 45 > (uint64_t)ms);
    sum->wrong += run.wrong;
    sum->excused += run.excused;
    sum->rode += run.rode;
    sum->swam += run.swam;
    CL_Destroy(run.client);
    TestNet_Free(&run.net);
    return all;
}

// All of maps/ but those with monsters or models.
static const char *const maps[] = {"arena",  "buggy",   "clip",     "doors",  "foundry", "hurt",
                                   "lift",   "link_a",  "link_b",   "push",   "sight",   "slopes",
                                   "spawns", "stairs",  "teleport", "tracks", "train",   "trigger",
                                   "turn",   "volumes", "walk1",    "wall",   "water"};

static void test_each_map_is_predicted(void **state) {
    (void)state;
    run_t sum = {.wrong = 0};
    uint64_t all = 0;
    const size_t rounds = Test_IsLong() ? COUNTOF(lines) : 1;
    const size_t step_maps = Test_IsSlow() ? 6 : 1;
    for (size_t i = 0; i < rounds; i++) {
        for (size_t m = 0; m < COUNTOF(maps); m += step_maps) {
            all += run_map(maps[m], &lines[(i + m) % COUNTOF(lines)], 1 + i * 100 + m, &sum);
        }
    }
    print_message(
        "%llu of %llu predictions differ, %llu more are excused; the players rode in %llu "
        "ticks and swam in %llu\n",
        (unsigned long long)sum.wrong, (unsigned long long)all, (unsigned long long)sum.excused,
        (unsigned long long)sum.rode, (unsigned long long)sum.swam);
    assert_true(sum.excused * 20 < all);
    // In long runs, arms of the maps turn and tracks that push a player along a wall differ.
    assert_true(sum.wrong * 1000 <= (Test_IsLong() ? all : 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_map_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
