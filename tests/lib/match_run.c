#include "lib/match_run.h"

#include "base/hash.h"
#include "client/cl_local.h"
#include "core/server_local.h"
#include "game/game.h"
#include "lib/testing.h"
#include "world/block.h"

#include <stdarg.h>
#include <string.h>

#define HEAL_MS             60000 // maximum time after the healing until every client is in
#define STABLE_MS           300   // for so long
#define EMPTY_MS            60000 // maximum time until the server has forgotten all clients
#define AGAIN_MS            300   // from a lost session to the next attempt to join
#define MAX_EDICTS_OF_MATCH 192
#define MAX_BEHIND_MS       250
#define MAX_STEPS           40000 // of 5 ms: more than the longest match, its healing and its end
#define KICK_TEXT           "out you go"

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test matches: %s\n", what);
        abort();
    }
}

void Match_Fault(match_t *match, const char *format, ...) {
    if (match->fault[0] != '\0') {
        return;
    }
    va_list args;
    va_start(args, format);
    const int32_t used =
        snprintf(match->fault, sizeof match->fault, "at %lld ms: ", (long long)match->now_ms);
    vsnprintf(match->fault + used, sizeof match->fault - (size_t)used, format, args);
    va_end(args);
}

// ---- start ----

static void log_line(void *context, log_level_t level, const char *line) {
    match_t *match = context;
    if (match->house->is_loud) {
        printf("%7lld ms %s: %s\n", (long long)match->now_ms, Log_LevelName(level), line);
    }
    if (level == LOG_ERROR) {
        Match_Fault(match, "the server logged an error: %s", line);
    }
}

static void set_cvar(match_t *match, const char *name, double value) {
    char text[32];
    err_t err = {{0}};
    snprintf(text, sizeof text, "%g", value);
    if (!Server_SetCvar(match->server, name, text, &err)) {
        Match_Fault(match, "%s", err.text);
    }
}

static void start_map(match_t *match, const char *name) {
    err_t err = {{0}};
    if (match->server->world) {
        match->hash = match->hash * 31 + World_Hash(match->server->world);
    }
    if (!Server_StartMap(match->server, name, &err)) {
        Match_Fault(match, "%s", err.text);
    }
    match->house->counts.maps++;
}

static void start(match_t *match) {
    const plan_t *plan = match->plan;
    char folders[512];
    int32_t count = 0;
    err_t err = {{0}};
    match->log = (log_t){log_line, match, match->house->is_loud ? LOG_DEBUG : LOG_ERROR};
    match->sim = SimNet_Create(plan->seed, (sim_conditions_t){0});
    match->server_net = SimNet_Transport(match->sim, TestNet_ServerAddress(),
                                         plan->num_slots + SERVER_SPARE_PEERS, true);
    snprintf(folders, sizeof folders, "%s:%s/maps", match->house->folder, Test_BuildFolder());
    server_config_t config = {.game = match->house->game,
                              .net = match->server_net,
                              .log = &match->log,
                              .max_clients = plan->num_slots,
                              .max_edicts = MAX_EDICTS_OF_MATCH,
                              .snapshot_ticks = plan->snapshot_ticks,
                              .rates = {plan->min_rate, plan->max_rate},
                              .cull_los = plan->cull_los,
                              .grace_ms = plan->grace_ms,
                              .seed = plan->seed,
                              .allow_download = plan->allows_downloads,
                              .download_rate = 200000,
                              .hostname = "test",
                              .map_path = folders};
    const cvar_def_t *defs = GameCvars_Defs(&count);
    Cvar_Reset(defs, count, &config.cvars);
    config.cvars.sv_tickrate = plan->rate_hz;
    config.cvars.sv_maxunlag_ms = plan->maxunlag_ms;
    match->server = Server_Create(&config, &err);
    must(match->server != NULL, err.text);
    Server_SetSpectateDelay(match->server, plan->delay_s, &err);
    start_map(match, Matches_Map(plan->map));
}

// ---- clients ----

static void set_network(match_t *match, int32_t n, const char *network) {
    net_conditions_t conditions;
    err_t err = {{0}};
    match_client_t *client = &match->clients[n];
    if (!network) {
        SimNet_SetNetwork(match->sim, client->address, NULL);
        return;
    }
    must(Net_Conditions(network, match->plan->seed * PLAN_CLIENTS + (uint64_t)n, &conditions, &err),
         err.text);
    SimNet_SetNetwork(match->sim, client->address, &conditions);
}

// Gives a client the network that it has without a cut.
static void usual_network(match_t *match, int32_t n) {
    const plan_client_t *plan = &match->plan->clients[n];
    const bool is_bad = plan->network_ms >= 0 && match->now_ms >= plan->network_ms;
    set_network(match, n, is_bad && !match->is_healed ? plan->network : NULL);
}

static void create(match_t *match, int32_t n) {
    const plan_client_t *plan = &match->plan->clients[n];
    match_client_t *client = &match->clients[n];
    client->net = SimNet_Transport(match->sim, client->address, 4, false);
    if (plan->lacks_maps) {
        Match_OpenDownloads(client);
    }
    client->cl = CL_Create(&(cl_config_t){.net = client->net,
                                          .maps = plan->has_no_map   ? NULL
                                                  : plan->lacks_maps ? client->maps
                                                                     : match->house->maps,
                                          .silence_ms = plan->silence_ms});
    must(client->net && client->cl, "no memory for a client");
    if (plan->rate > 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", plan->rate);
        (void)CL_SetInfo(client->cl, "rate", text, NULL);
    }
}

static void destroy(match_client_t *client) {
    if (client->cl) {
        CL_Destroy(client->cl);
        client->net->destroy(client->net);
        client->cl = NULL;
        Match_CloseDownloads(client);
    }
}

static void join(match_t *match, int32_t n) {
    const plan_client_t *plan = &match->plan->clients[n];
    match_client_t *client = &match->clients[n];
    char name[16];
    err_t err;
    client->wanted = WANTED_IN;
    if (match->is_shut || (client->cl && CL_State(client->cl) != CL_DISCONNECTED)) {
        return;
    }
    if (!client->cl) {
        if (client->has_joined && Rng_Below(&match->rng, 2) == 0) {
            SimNet_SetNetwork(match->sim, client->address, NULL);
            client->address.port++;
        }
        create(match, n);
        usual_network(match, n);
    }
    client->has_joined = true;
    client->epoch = 0;
    snprintf(name, sizeof name, "p%d", n % 3); // some names are taken
    // Fails while old connections end; the next frame tries again.
    (void)CL_Connect(client->cl, TestNet_ServerAddress(), name, plan->is_spectator, &err);
}

static bool has_reason(const char *reason) {
    static const char *const known[] = {"left",
                                        KICK_TEXT,
                                        "the server sent nothing for",
                                        "no attempt to reconnect",
                                        "did not accept the connection in time",
                                        "sent no snapshot in time",
                                        "the server is full",
                                        "the client sent no HELLO in time",
                                        "the client took too long",
                                        "lost the connection",
                                        "the server shuts down",
                                        "the server is shutting down",
                                        "timed out",
                                        "connection lost",
                                        "kicked",
                                        "the server shut down",
                                        "you have joined again elsewhere"};
    for (size_t i = 0; i < COUNTOF(known); i++) {
        if (strstr(reason, known[i])) {
            return true;
        }
    }
    return false;
}

// Keeps the key that a client returned with: it must not be good again.
static void note_key(match_client_t *client, cl_event_type_t type) {
    if (type == CL_EVENT_RETURNED) {
        client->old_key = client->key;
    }
    if (type == CL_EVENT_RETURNED || type == CL_EVENT_CONNECTED) {
        client->key = client->cl->back.key;
    }
}

static void hear(match_t *match, int32_t n) {
    match_client_t *client = &match->clients[n];
    cl_event_t event;
    for (int32_t i = 0; CL_NextEvent(client->cl, &event); i++) {
        if (i > CL_MAX_EVENTS) {
            Match_Fault(match, "the events of client %d do not end", n);
            return;
        }
        match_counts_t *counts = &match->house->counts;
        counts->joins += event.type == CL_EVENT_CONNECTED;
        counts->returns += event.type == CL_EVENT_RETURNED;
        note_key(client, event.type);
        counts->lost += event.type == CL_EVENT_RECONNECTING;
        counts->drops += event.type == CL_EVENT_DROPPED;
        if (match->house->is_loud && event.type != CL_EVENT_SOUND &&
            event.type != CL_EVENT_EFFECT) {
            printf("%7lld ms client %d: event %d, %d: %s\n", (long long)match->now_ms, n,
                   event.type, event.number, event.text);
        }
        if (event.type == CL_EVENT_DROPPED && !has_reason(event.text)) {
            Match_Fault(match, "client %d was dropped: %s", n, event.text);
        }
        Match_HearEvent(match, n, &event);
        int32_t from = 0, line = 0;
        if (event.type == CL_EVENT_CHAT && sscanf(event.text, "line %d %d", &from, &line) == 2) {
            if (line <= client->heard[from]) {
                Match_Fault(match, "client %d heard line %d of client %d after line %d", n, line,
                            from, client->heard[from]);
            }
            client->heard[from] = line;
        }
    }
}

static void act(match_t *match, int32_t n) {
    match_client_t *client = &match->clients[n];
    rng_t *rng = &match->rng;
    if (match->now_ms < client->next_input_ms) {
        return;
    }
    client->next_input_ms = match->now_ms + 50 + Rng_Below(rng, 400);
    cl_input_t input = {.forward = (float)((int32_t)Rng_Below(rng, 3) - 1) * 320.0f,
                        .side = (float)((int32_t)Rng_Below(rng, 3) - 1) * 320.0f,
                        .yaw = (float)Rng_Below(rng, 360),
                        .pitch = (float)((int32_t)Rng_Below(rng, 60) - 30)};
    input.buttons = (uint8_t)((Rng_Below(rng, 3) == 0 ? BUTTON_ATTACK : 0) |
                              (Rng_Below(rng, 4) == 0 ? BUTTON_JUMP : 0) |
                              (Rng_Below(rng, 8) == 0 ? BUTTON_DUCK : 0) |
                              (Rng_Below(rng, 8) == 0 ? BUTTON_USE : 0));
    input.impulse = (uint8_t)(Rng_Below(rng, 4) == 0 ? Rng_Below(rng, 9) : 0);
    CL_SetInput(client->cl, match->is_healed ? &(cl_input_t){0} : &input);
}

static void frame(match_t *match, int32_t n) {
    const plan_client_t *plan = &match->plan->clients[n];
    match_client_t *client = &match->clients[n];
    if (!client->cl || match->now_ms < client->next_frame_ms) {
        return;
    }
    const bool is_late = client->network_until_ms > 0 && match->now_ms >= client->network_until_ms;
    if (is_late) {
        client->network_until_ms = 0;
        usual_network(match, n);
    }
    player_state_t self;
    const int64_t drift_ms = match->now_ms * plan->drift_ppm / 1000000;
    client->next_frame_ms = match->now_ms + plan->frame_ms;
    act(match, n);
    Match_Lie(match, n);
    CL_Frame(client->cl, match->now_ms + plan->offset_ms + drift_ms);
    (void)CL_Smoothed(client->cl, &self);
    hear(match, n);
    Match_CheckReceived(match, n);
    if (CL_State(client->cl) == CL_DISCONNECTED && client->wanted != WANTED_OUT &&
        !match->is_shut) {
        client->next_frame_ms = match->now_ms + AGAIN_MS;
        snprintf(client->reason, sizeof client->reason, "%s", CL_Reason(client->cl));
        join(match, n);
    }
}

// ---- events ----

static void cut(match_t *match, const plan_event_t *event) {
    char network[64];
    const int32_t up = event->act == ACT_CUT_DOWN ? 0 : 100;
    const int32_t down = event->act == ACT_CUT_UP ? 0 : 100;
    snprintf(network, sizeof network, "up-loss=%d,down-loss=%d", up, down);
    set_network(match, event->client, network);
    match->clients[event->client].network_until_ms = match->now_ms + event->value;
}

static void leave(match_t *match, match_client_t *client, bool is_sudden) {
    (void)match;
    client->wanted = WANTED_OUT;
    if (client->cl && is_sudden) {
        destroy(client);
    } else if (client->cl) {
        CL_Disconnect(client->cl);
    }
}

static void kick(match_t *match, match_client_t *client) {
    const int32_t slot = client->cl ? CL_Slot(client->cl) : -1;
    if (slot >= 0 && Server_Kick(match->server, slot, KICK_TEXT)) {
        client->wanted = client->wanted == WANTED_IN ? WANTED_ANY : client->wanted;
    }
}

static void say(match_client_t *client, int32_t n) {
    char text[64];
    snprintf(text, sizeof text, "line %d %d", n, ++client->num_lines);
    if (client->cl) {
        (void)CL_Say(client->cl, text);
    }
}

static void run_server_event(match_t *match, const plan_event_t *event) {
    server_t *server = match->server;
    const int32_t value = event->value;
    err_t err = {{0}};
    switch (event->act) {
    case ACT_OVERRUN:
        match->asleep_until_ms = match->now_ms + value;
        break;
    case ACT_MAP:
        start_map(match, Matches_Map(value));
        break;
    case ACT_RESTART:
        start_map(match, server->map_arg);
        break;
    case ACT_RATE:
        set_cvar(match, "sv_tickrate", value);
        break;
    case ACT_GRAVITY:
        set_cvar(match, "sv_gravity", value);
        break;
    case ACT_RELOAD:
        if (!Server_SetGame(server, match->house->game, value == 1, &err)) {
            Match_Fault(match, "%s", err.text);
        }
        break;
    case ACT_SNAPSHOTS:
        server->config.snapshot_ticks = value;
        break;
    case ACT_CULL:
        Server_SetCullLos(server, value == 1);
        break;
    case ACT_DELAY:
        Server_SetSpectateDelay(server, value, &err);
        break;
    case ACT_GRACE:
        Server_SetGrace(server, value);
        break;
    case ACT_RATES:
        Server_SetRates(server, (rate_bounds_t){value / 2, value});
        break;
    default:
        break;
    }
}

static void run_event(match_t *match, const plan_event_t *event) {
    static const char *const commands[] = {"spectate", "join",    "follow p1", "kill",
                                           "team red", "follow",  "spectate",  "follow p0",
                                           "score",    "nonsense"};
    match_client_t *client = &match->clients[event->client];
    char name[16];
    match->house->counts.acts[event->act]++;
    switch (event->act) {
    case ACT_LEAVE:
    case ACT_VANISH:
        leave(match, client, event->act == ACT_VANISH);
        break;
    case ACT_JOIN:
        join(match, event->client);
        break;
    case ACT_CUT:
    case ACT_CUT_UP:
    case ACT_CUT_DOWN:
        cut(match, event);
        break;
    case ACT_NETWORK:
        set_network(match, event->client, match->plan->clients[event->client].network);
        break;
    case ACT_HANG:
        client->next_frame_ms = match->now_ms + event->value;
        break;
    case ACT_KICK:
        kick(match, client);
        break;
    case ACT_NAME:
        snprintf(name, sizeof name, "n%d", event->value % 4);
        (void)(client->cl && CL_SetInfo(client->cl, "name", name, NULL));
        break;
    case ACT_SAY:
        say(client, event->client);
        break;
    case ACT_COMMAND:
        (void)(client->cl && CL_Command(client->cl, commands[event->value]));
        break;
    default:
        run_server_event(match, event);
        break;
    }
}

// ---- time ----

static void run_due(match_t *match) {
    const plan_t *plan = match->plan;
    while (match->next_event < plan->num_events &&
           plan->events[match->next_event].at_ms <= match->now_ms) {
        run_event(match, &plan->events[match->next_event++]);
    }
    for (int32_t n = 0; n < plan->num_clients; n++) {
        const plan_client_t *client = &plan->clients[n];
        const int64_t before_ms = match->now_ms - plan->step_ms;
        if (client->join_ms <= match->now_ms && client->join_ms > before_ms) {
            join(match, n);
        }
        if (client->network_ms > before_ms && client->network_ms <= match->now_ms) {
            usual_network(match, n);
        }
    }
}

static void step(match_t *match, int32_t step_ms) {
    match->now_ms += step_ms;
    if (++match->num_steps > MAX_STEPS) {
        Match_Fault(match, "the match does not end: %d steps", match->num_steps);
    }
    SimNet_Advance(match->sim, match->now_ms);
    if (match->now_ms >= match->asleep_until_ms) {
        Server_Drain(match->server, match->now_ms);
        Match_CheckAcked(match);
        Match_CheckSessions(match);
        for (int32_t i = 0; i < 2 && match->now_ms >= match->next_tick_ms; i++) {
            Server_Tick(match->server, match->now_ms);
            match->next_tick_ms += Server_TickMs(match->server);
            match->house->counts.ticks++;
            Match_CountQueued(match);
            Match_CheckTruth(match);
        }
        if (match->next_tick_ms < match->now_ms - MAX_BEHIND_MS) {
            match->next_tick_ms = match->now_ms - MAX_BEHIND_MS; // after an overrun
        }
    }
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        frame(match, n);
    }
}

static void play(match_t *match) {
    while (match->now_ms < match->plan->end_ms && match->fault[0] == '\0') {
        run_due(match);
        step(match, match->plan->step_ms);
    }
}

static void report_stuck(match_t *match) {
    char text[400] = "";
    size_t used = 0;
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        const match_client_t *client = &match->clients[n];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 " %d: wanted %d, state %d \"%.30s\";", n, client->wanted,
                                 client->cl ? (int)CL_State(client->cl) : -1, client->reason);
        used = used < sizeof text ? used : sizeof text - 1;
    }
    Match_Fault(match, "not every client came in:%s", text);
}

// Heals all networks, and runs until every client that should be in is in.
static void heal(match_t *match) {
    const int64_t start_ms = match->now_ms;
    int64_t stable_ms = 0;
    match->is_healed = true;
    match->asleep_until_ms = 0;
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        match_client_t *client = &match->clients[n];
        client->network_until_ms = 0;
        client->next_input_ms = client->next_frame_ms = 0;
        SimNet_SetNetwork(match->sim, client->address, NULL);
    }
    while (stable_ms < STABLE_MS && match->fault[0] == '\0') {
        if (match->now_ms - start_ms > HEAL_MS) {
            report_stuck(match);
            return;
        }
        step(match, match->plan->step_ms);
        stable_ms = Match_IsSettled(match) ? stable_ms + match->plan->step_ms : 0;
    }
    match->house->counts.settled_ms += (uint64_t)(match->now_ms - start_ms);
}

static void finish(match_t *match) {
    err_t err = {{0}};
    if (match->plan->shuts_down) {
        match->is_shut = true;
        Server_Shutdown(match->server, "the server shuts down");
    }
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        match_client_t *client = &match->clients[n];
        cl_stats_t stats;
        if (client->cl) {
            CL_Stats(client->cl, &stats);
            match->house->counts.predictions += stats.predictions;
            match->house->counts.mispredictions += stats.mispredictions;
        }
        if (client->cl && !match->is_shut) {
            leave(match, client, false);
        }
    }
    const int64_t end_ms = match->now_ms + EMPTY_MS;
    for (int32_t i = 0;
         match->now_ms < end_ms && Server_NumClients(match->server) > 0 && match->fault[0] == '\0';
         i++) {
        step(match, i < 20 ? 20 : 100);
    }
    Server_Settle(match->server); // the last leaves
    Match_CheckEmpty(match);
    match->hash = match->hash * 31 + World_Hash(match->server->world);
    if (!World_Check(match->server->world, match->server->world->bytes, &err)) {
        Match_Fault(match, "%s", err.text);
    }
}

bool Matches_Run(match_house_t *house, uint64_t seed, uint64_t *hash) {
    static match_t match;
    plan_t plan;
    Plan_Draw(&plan, seed);
    match = (match_t){.plan = &plan, .house = house, .rng = {Hash_Bytes(&seed, sizeof seed, 1)}};
    if (house->is_loud) {
        Plan_Print(&plan);
    }
    for (int32_t n = 0; n < plan.num_clients; n++) {
        match.clients[n].address = TestNet_ClientAddress(n);
        match.clients[n].wanted = WANTED_OUT;
    }
    start(&match);
    play(&match);
    if (match.fault[0] == '\0') {
        heal(&match);
    }
    if (match.fault[0] == '\0') {
        Match_CheckSettled(&match);
    }
    if (match.fault[0] == '\0') {
        finish(&match);
    }
    house->counts.matches++;
    for (int32_t n = 0; n < plan.num_clients; n++) {
        destroy(&match.clients[n]);
    }
    Server_Destroy(match.server);
    SimNet_Destroy(match.sim);
    if (match.fault[0] != '\0') {
        printf("FAULT %s\n", match.fault);
        Plan_Print(&plan);
        printf(match.house->game == Game_Export()
                   ? "run it alone: MATCH_SEED=%llu %s/tests/sim/test_matches\n"
                   : "run it alone: MATCH_COUNT=0 KOTH_COUNT=1 KOTH_FIRST=%llu "
                     "%s/tests/sim/test_matches\n",
               (unsigned long long)seed, Test_BuildFolder());
    }
    if (hash) {
        *hash = match.hash;
    }
    return match.fault[0] == '\0';
}
