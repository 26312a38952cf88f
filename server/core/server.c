#include "core/server.h"

#include "base/file.h"
#include "bsp/map.h"
#include "collide/cache.h"
#include "core/delay.h"
#include "core/game_models.h"
#include "core/game_tables.h"
#include "core/interest.h"
#include "core/map_file.h"
#include "core/server_local.h"
#include "model/pose.h"
#include "move/profiles.h"
#include "world/block.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SNAPSHOT_TICKS 32
#define WORLD_ALIGN        64        // bytes; a cache line
#define MAX_LOG_LINES_TICK 16        // log lines of the simulation per tick; more are only counted
#define NUM_ANNOUNCEMENTS  3         // of the silence while a map is loaded
#define REPORT_EVERY_MS    5000      // minimum interval between two reports of world counters
#define MAX_POOL_STATES    (1 << 19) // of all clients; an entity's states of 128 ticks are shared
#define MAX_SETTLE_TICKS   4         // a tick may add inputs for the next one

static bool check_range(const char *name, int32_t value, int32_t lo, int32_t hi, err_t *err) {
    return (value >= lo && value <= hi) ||
           Err_Set(err, "%s %d: expected %d..%d", name, value, lo, hi);
}

static bool check_config(const server_config_t *config, err_t *err) {
    int32_t min_edicts = config->max_clients + 1;
    if (!check_range("sv_maxclients", config->max_clients, 1, MAX_CLIENTS, err)) {
        return false;
    }
    if (config->max_edicts < min_edicts || config->max_edicts > MAX_EDICTS) {
        return Err_Set(err, "sv_maxedicts %d: expected %d..%d (sv_maxclients is %d)",
                       config->max_edicts, min_edicts, MAX_EDICTS, config->max_clients);
    }
    return check_range("sv_snapshot_ticks", config->snapshot_ticks, 1, MAX_SNAPSHOT_TICKS, err);
}

server_t *Server_Create(const server_config_t *config, err_t *err) {
    if (!check_config(config, err)) {
        return NULL;
    }
    server_t *server = calloc(1, sizeof *server);
    size_t edicts = (size_t)config->max_edicts;
    if (!server) {
        Err_Set(err, "no memory for a server");
        return NULL;
    }
    if (!SV_CheckGame(config->game, err)) {
        free(server);
        return NULL;
    }
    server->config = *config;
    Cvar_Reset(config->game->cvars.list, config->game->cvars.count, server->game_values);
    if (config->game_values) {
        SV_CopyGameCvars(config->game, server->game_values, config->game_values);
    }
    if (!Auth_Init(&server->auth, config, err)) {
        free(server);
        return NULL;
    }
    server->cvars = config->cvars;
    server->max_sessions = config->max_clients + SERVER_SPARE_PEERS;
    server->sessions =
        calloc((size_t)(server->max_sessions + config->max_clients), sizeof *server->sessions);
    server->peer_of_slot = malloc((size_t)config->max_clients * sizeof *server->peer_of_slot);
    server->inputs = calloc(1, sizeof *server->inputs);
    server->events = calloc(1, sizeof *server->events);
    server->event_log = calloc(1, sizeof *server->event_log);
    server->event_queues = EventQueues_Create(config->max_clients);
    server->poses = calloc(1, sizeof *server->poses);
    server->caches = calloc((size_t)config->max_clients, sizeof *server->caches);
    server->interest = Interest_Create(config->max_clients, config->max_edicts);
    // Rings of few clients take at most half of it: a fuller pool keeps snapshots less long.
    const int32_t states = 2 * config->max_clients * RING_STATES;
    server->pool = StatePool_Create(Q_MinI(states, MAX_POOL_STATES));
    server->states = calloc(2 * edicts, sizeof *server->states);
    server->numbers = calloc(2 * edicts, sizeof *server->numbers);
    server->versions = calloc(2 * edicts, sizeof *server->versions);
    server->audiences = calloc(2 * edicts, sizeof *server->audiences);
    server->private_words = calloc(2 * edicts, sizeof *server->private_words);
    server->spots = calloc(2 * edicts, sizeof *server->spots);
    server->moved = calloc(edicts, sizeof *server->moved);
    server->settled = calloc(edicts, sizeof *server->settled);
    server->candidates = calloc(edicts, sizeof *server->candidates);
    server->priorities = calloc((size_t)config->max_clients, sizeof *server->priorities);
    Server_SetHost(server, config->hostname, config->map_path,
                   config->map_list ? config->map_list : "", config->snapshot_ticks);
    Server_SetPassword(server, config->password ? config->password : "");
    Server_SetDownload(server, config->allow_download, config->download_rate,
                       config->download_url ? config->download_url : "");
    if (!server->sessions || !server->peer_of_slot || !server->inputs || !server->events ||
        !server->pool || !server->states || !server->numbers || !server->versions ||
        !server->spots || !server->moved || !server->settled || !server->candidates ||
        !server->interest || !server->priorities || !server->poses || !server->caches ||
        !server->audiences || !server->private_words || !server->event_log ||
        !server->event_queues) {
        Err_Set(err, "no memory for %d clients and %d edicts", config->max_clients,
                config->max_edicts);
        Server_Destroy(server);
        return NULL;
    }
    for (int32_t i = 0; i < config->max_clients; i++) {
        server->peer_of_slot[i] = -1;
    }
    return server;
}

void Server_Destroy(server_t *server) {
    if (!server) {
        return;
    }
    for (int32_t i = 0; server->sessions && i < server->num_sessions; i++) {
        SnapshotRing_Destroy(server->sessions[i].ring);
    }
    StatePool_Destroy(server->pool);
    Delay_Free(server);
    Download_Free(server);
    Auth_Free(&server->auth);
    Interest_Free(server->interest);
    Map_Free(server->map);
    free(server->world);
    free(server->sessions);
    free(server->peer_of_slot);
    free(server->inputs);
    free(server->events);
    free(server->private_words);
    free(server->event_log);
    free(server->event_queues);
    free(server->poses);
    free(server->caches);
    free(server->check);
    free(server->states);
    free(server->numbers);
    free(server->versions);
    free(server->audiences);
    free(server->spots);
    free(server->moved);
    free(server->settled);
    free(server->candidates);
    free(server->priorities);
    free(server);
}

// ---- maps ----

// Reads the map's .map file, if any, for the line numbers in warnings.
static uint8_t *read_source(const server_t *server, const cmap_t *map) {
    char path[MAX_PATH_BYTES];
    size_t size = 0;
    return MapFile_FindSource(CM_Info(map).name, server->map_path, path)
               ? File_Read(path, MAX_MAP_BYTES, &size, NULL)
               : NULL;
}

static world_t *make_world(server_t *server, const cmap_t *map, game_binding_t *game, err_t *err) {
    const world_params_t params = {.max_edicts = server->config.max_edicts,
                                   .max_clients = server->config.max_clients,
                                   .seed = server->config.seed,
                                   .map_hash = CM_Info(map).hash,
                                   .bounds = CM_ModelBounds(map, 0)};
    void *block = aligned_alloc(WORLD_ALIGN, World_Bytes(&params));
    if (!block) {
        Err_Set(err, "no memory for a world of %d edicts", params.max_edicts);
        return NULL;
    }
    world_t *world = World_Init(block, &params);
    world->cvars = server->cvars;
    PM_FitBody(&world->cvars.move, CM_Info(map).hullset == HULLSET_HALFLIFE);
    Events_Clear(server->events);
    memset(&server->events->faults, 0, sizeof server->events->faults); // time starts anew
    if (SV_BindGame(world, server->config.game, game, err)) {
        game->running = &server->running;
        SV_BindCheck(game, server->check);
        SV_CopyGameCvars(game->game, world->game, server->game_values);
        Keep_World(server, world);
    } else {
        free(block);
        return NULL;
    }
    uint8_t *source = read_source(server, map);
    game->map_source = (const char *)source;
    bool good = SV_SpawnEntities(world, map, game, server->events, err);
    game->map_source = NULL;
    free(source);
    if (!good) {
        free(block);
        return NULL;
    }
    return world;
}

// Marks the query caches that were used as not begun, because they point into the old map.
static void end_caches(server_t *server) {
    for (int32_t i = 0; i < server->config.max_clients; i++) {
        if (server->caches[i].map) {
            server->caches[i].map = NULL;
        }
    }
}

/// Announces the silence while a map is loaded, so that clients do not time out. Sends several
/// copies, because nothing is resent during the loading.
static void announce_silence(server_t *server) {
    transport_t *net = server->config.net;
    if (!server->map) {
        return; // nobody plays yet, or the map is only checked
    }
    const uint8_t busy[SNAPSHOT_BUSY_BYTES] = {(uint8_t)server->epoch};
    for (int32_t i = 0; i < NUM_ANNOUNCEMENTS; i++) {
        for (int32_t peer = 0; peer < server->num_sessions; peer++) {
            session_state_t state = server->sessions[peer].state;
            if (state == SESSION_NEW || state == SESSION_LOADING || state == SESSION_ACTIVE) {
                net->send(net, peer, NET_CHANNEL_SNAPSHOT, false, busy, sizeof busy);
            }
        }
        net->flush(net);
    }
}

static bool run_map(server_t *server, const char *name, const landmark_t *landmark,
                    map_pack_t *pack, err_t *err) {
    game_binding_t game;
    announce_silence(server);
    cmap_t *map =
        MapFile_Load(name, server->map_path, server->config.allow_download ? pack : NULL, err);
    if (!map) {
        return false;
    }
    world_t *world = make_world(server, map, &game, err);
    if (!world) {
        if (server->world) {
            SV_BindCheck(&server->game, server->check); // of the game that continues
        }
        Map_Free(map);
        return false;
    }
    Keep_Read(server, landmark);
    if (server->map) {
        MatchLog_Map(server, false);
    }
    Map_Free(server->map);
    free(server->world);
    server->map = map;
    server->world = world;
    PM_FitBody(&server->cvars.move, CM_Info(map).hullset == HULLSET_HALFLIFE);
    server->game = game;
    SentFields_List(game.game, &server->sent);
    server->game.poses = server->poses;
    server->game.caches = server->caches;
    end_caches(server);
    server->epoch++;
    server->made_names = (made_names_t){.burst = server->made_names.burst};
    if (name != server->map_arg) {
        snprintf(server->map_arg, sizeof server->map_arg, "%s", name);
    }
    server->wants_map = false;
    Rotation_Started(server, server->map_arg);
    Inputs_ClearWorld(server->inputs);
    Cvars_Adopt(server);
    memset(server->reported, 0, sizeof server->reported);
    // The spawn has logged these classes.
    server->reported[offsetof(world_counters_t, unknown_classes) / sizeof(uint64_t)] =
        world->counters.unknown_classes;
    const cm_info_t info = CM_Info(map);
    MatchLog_Map(server, true);
    if (info.num_recovered > 0) {
        Log_Print(server->config.log, LOG_INFO,
                  "map %s: no complete brush list in the file: recovered %d brushes from its hulls",
                  info.name, info.num_recovered);
    }
    if (info.remark[0]) {
        Log_Print(server->config.log, LOG_WARN, "map %s: %s", info.name, info.remark);
    }
    Interest_StartMap(server);
    SendFields_StartMap(server);
    Delay_StartMap(server);
    Download_StartMap(server, pack);
    Session_MapChanged(server);
    server->prints_left_out = 0;     // those of the last map
    Send_Events(server, MAX_EVENTS); // after MAP, so that clients no longer have the old names
    return true;
}

static bool start_map(server_t *server, const char *name, const landmark_t *landmark, err_t *err) {
    map_pack_t pack = {0};
    const bool good = run_map(server, name, landmark, &pack, err);
    MapPack_Free(&pack);
    return good;
}

bool Server_StartMap(server_t *server, const char *name, err_t *err) {
    return start_map(server, name, NULL, err);
}

// ---- the tick ----

void Server_Drain(server_t *server, int64_t now_ms) {
    transport_t *net = server->config.net;
    net_event_t event;
    server->now_ms = now_ms;
    for (;;) {
        net->poll(net, now_ms, &event);
        if (event.type == NET_NONE) {
            return;
        }
        Session_Event(server, &event);
    }
}

// Returns true for a counter whose causes have log lines of their own.
static bool has_own_line(size_t counter) {
#define IS(name) (counter == offsetof(world_counters_t, name) / sizeof(uint64_t))
    return IS(edicts_full) || IS(strings_full) || IS(quarantined) || IS(thinks_over_budget) ||
           IS(names_refused);
#undef IS
}

// Logs each world counter that increased, at most every REPORT_EVERY_MS.
static void report_counters(server_t *server) {
    static const char *const helps[] = {
#define COUNTER_HELP(name, help) help,
        WORLD_COUNTERS(COUNTER_HELP)
#undef COUNTER_HELP
    };
    uint64_t now[COUNTOF(helps)];
    if (server->now_ms < server->next_report_ms) {
        return;
    }
    server->next_report_ms = server->now_ms + REPORT_EVERY_MS;
    memcpy(now, &server->world->counters, sizeof now);
    for (size_t i = 0; i < COUNTOF(helps); i++) {
        if (now[i] > server->reported[i] && !has_own_line(i)) {
            Log_Print(server->config.log, LOG_WARN, "%s: %llu new, %llu in total", helps[i],
                      (unsigned long long)(now[i] - server->reported[i]),
                      (unsigned long long)now[i]);
            server->reported[i] = now[i];
        }
    }
}

// Starts the map that the game requested. If sv_maplist lacks that map, starts the next map of
// sv_maplist. If none can be started, logs the reason and keeps the running map.
static void change_map(server_t *server) {
    err_t err = {{0}};
    bool is_same = server->next_map[0] == '\0';
    bool by_list =
        server->map_list[0] != '\0' &&
        (server->wants_list || (!is_same && !Rotation_Has(server->map_list, server->next_map)));
    server->wants_map = false;
    if (by_list) {
        if (Server_NextMap(server, &err)) {
            return;
        }
        Log_Print(server->config.log, LOG_WARN, "%s", err.text);
    }
    bool good = is_same || CTL_MapNameIsSafe(server->next_map) ||
                Err_Set(&err, "\"%.200s\" is not a map name", server->next_map);
    const landmark_t *landmark = server->next_landmark.name[0] ? &server->next_landmark : NULL;
    if (!good || !start_map(server, is_same ? server->map_arg : server->next_map, landmark, &err)) {
        Log_Print(server->config.log, LOG_WARN,
                  "the map requested by the game cannot start: %s; %s continues", err.text,
                  CM_Info(server->map).name);
    }
}

void Server_Run(server_t *server, int64_t now_ms) {
    ASSERT(server->world);
    server->now_ms = now_ms;
    Rejoin_AddInputs(server);
    SV_Frame(server->world, server->map, &server->game, server->inputs, server->events);
    Inputs_Clear(server->inputs);
    Cvars_Adopt(server);
    server->stats.ticks++;
    Send_Events(server, MAX_LOG_LINES_TICK);
    Infos_AfterTick(server);
    Send_Prepare(server);
}

void Server_Send(server_t *server) {
    Send_Snapshots(server);
    Download_Send(server); // after all snapshots, so that it delays none
    server->config.net->flush(server->config.net);
    Session_CheckTimeouts(server);
    MatchLog_Report(server);
    report_counters(server);
    if (server->wants_map) {
        change_map(server);
    }
}

void Server_Tick(server_t *server, int64_t now_ms) {
    Server_Run(server, now_ms);
    Server_Send(server);
}

void Server_Settle(server_t *server) {
    for (int32_t i = 0; i < MAX_SETTLE_TICKS && server->world && server->inputs->count > 0 &&
                        Server_NumClients(server) == 0;
         i++) {
        Server_Tick(server, server->now_ms);
    }
}

// ---- the game ----

static bool restart_with(server_t *server, const game_export_t *next, err_t *err) {
    const game_export_t *before = server->config.game;
    uint8_t values[WORLD_GAME_BYTES];
    memcpy(values, server->game_values, sizeof values);
    Cvars_Carry(server, next);
    server->config.game = next;
    if (Server_StartMap(server, server->map_arg, err)) {
        return true;
    }
    server->config.game = before;
    memcpy(server->game_values, values, sizeof values);
    return false;
}

bool Server_SetGame(server_t *server, const game_export_t *game, bool restart, err_t *err) {
    game_binding_t binding;
    err_t why = {{0}};
    if (!server->world) {
        return Err_Set(err, "no map is running yet");
    }
    if (!SV_CheckGame(game, err)) {
        return false;
    }
    if (restart) {
        return restart_with(server, game, err);
    }
    if (!SV_SameLayout(server->config.game, game, &why) ||
        !SV_SameModels(server->config.game, game, &why) ||
        !SV_BindGame(server->world, game, &binding, &why)) {
        return Err_Set(err,
                       "%.400s; this build needs a restart of the map: use \"game reload restart\"",
                       why.text);
    }
    server->config.game = game;
    server->game = binding;
    SentFields_List(game, &server->sent);
    for (int32_t i = 0; i < server->world->num_edicts; i++) {
        server->settled[i].epoch = 0; // the new game may send another part of the fields
    }
    server->game.poses = server->poses;
    server->game.caches = server->caches;
    server->game.running = &server->running;
    SV_BindCheck(&server->game, server->check);
    return true;
}

const game_export_t *Server_Game(const server_t *server) {
    return server->config.game;
}

const sv_running_t *Server_Running(const server_t *server) {
    return &server->running;
}

const uint8_t *Server_GameValues(const server_t *server) {
    return server->game_values;
}

// ---- the operator ----

void Server_Say(server_t *server, const char *text) {
    input_t *input = Inputs_Add(server->inputs, INPUT_SAY, -1);
    if (input) {
        snprintf(input->text, sizeof input->text, "%s", text);
        const log_field_t field = {.key = "text", .text = text};
        Log_Event(server->config.log, "say", &field, 1);
    }
}

void Server_Shutdown(server_t *server, const char *reason) {
    server->is_shutting_down = true;
    if (server->map) {
        MatchLog_Map(server, false);
    }
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        session_state_t state = server->sessions[peer].state;
        if (state != SESSION_FREE && state != SESSION_LEAVING) {
            Session_Drop(server, peer, NET_REASON_SHUTDOWN, reason);
        }
    }
    server->config.net->flush(server->config.net);
}

int32_t Server_NumClients(const server_t *server) {
    return server->num_clients;
}

int32_t Server_NumPlayers(const server_t *server) {
    int32_t count = 0;
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        count += server->peer_of_slot[slot] >= 0 ? 1 : 0;
    }
    return count;
}

int32_t Server_TickMs(const server_t *server) {
    return server->world ? World_TickMs(server->world)
                         : Ticks_MaxMs(Ticks_Rate(server->cvars.sv_tickrate));
}

void Server_SetHost(server_t *server, const char *hostname, const char *map_path,
                    const char *map_list, int32_t snapshot_ticks) {
    snprintf(server->hostname, sizeof server->hostname, "%s", hostname);
    snprintf(server->map_path, sizeof server->map_path, "%s", map_path);
    snapshot_ticks = Q_ClampI(snapshot_ticks, 1, MAX_SNAPSHOT_TICKS);
    if (snapshot_ticks != server->config.snapshot_ticks || server->snapshot_ticks == 0) {
        server->config.snapshot_ticks = server->snapshot_ticks = snapshot_ticks;
        server->pace = (pace_t){.fixed = 0.0f};
    }
    Rotation_Set(server, map_list);
}

void Server_SetIdle(server_t *server, int32_t idle_s) {
    server->config.idle_s = idle_s;
}

void Server_SetGrace(server_t *server, int32_t grace_ms) {
    server->config.grace_ms = Q_ClampI(grace_ms, 0, CTL_MAX_GRACE_MS);
}

static void set_password(char to[CTL_PASSWORD_BYTES], const char *password) {
    memset(to, 0, CTL_PASSWORD_BYTES);
    strlcpy(to, password, CTL_PASSWORD_BYTES);
}

void Server_SetPassword(server_t *server, const char *password) {
    set_password(server->password, password);
}

void Server_SetBotPassword(server_t *server, const char *password) {
    set_password(server->bot_password, password);
}

int32_t Server_NumPeople(const server_t *server, int32_t *playing) {
    int32_t people = 0;
    *playing = 0;
    for (int32_t slot = 0; slot < server->config.max_clients && server->world; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        if (peer >= 0 && !server->sessions[peer].is_bot) {
            people++;
            *playing += World_Client(server->world, slot)->spectator ? 0 : 1;
        }
    }
    return people;
}

void Server_SetSendBones(server_t *server, int32_t send_bones) {
    server->config.send_bones = Q_ClampI(send_bones, SEND_NO_BONES, SEND_PLAYERS_BONES);
}

void Server_SetRates(server_t *server, rate_bounds_t rates) {
    server->config.rates = rates;
}

void Server_SetCullLos(server_t *server, bool is_on) {
    server->config.cull_los = is_on;
}

const world_t *Server_World(const server_t *server) {
    return server->world;
}

const cmap_t *Server_Map(const server_t *server) {
    return server->map;
}

server_stats_t Server_Stats(const server_t *server) {
    return server->stats;
}

net_counters_t Server_NetCounters(const server_t *server) {
    return server->config.net->more->counters(server->config.net);
}

const uint8_t *Server_Key(const server_t *server) {
    return server->config.net->server_key(server->config.net);
}

const char *Server_NetDrops(const server_t *server, int32_t i, uint64_t *count) {
    return server->config.net->more->drops(server->config.net, i, count);
}
