/// core/server_local.h - what server.c, session.c and send.c share.
//
// Floor:   core.

#ifndef EDICTD_CORE_SERVER_LOCAL_H
#define EDICTD_CORE_SERVER_LOCAL_H

#include "base/cvar.h"
#include "collide/cache.h"
#include "core/core_local.h"
#include "core/server.h"
#include "model/pose.h"
#include "proto/control.h"
#include "proto/snapshot_codec.h"
#include "world/running.h"

typedef enum {
    SESSION_FREE,
    SESSION_NEW,     ///< connected, no HELLO yet
    SESSION_LOADING, ///< has a slot, was sent the map
    SESSION_ACTIVE,  ///< plays
    SESSION_LEAVING  ///< was dropped; the transport has not let go yet
} session_state_t;

/// Where an entity stands in the order for one client.
typedef struct {
    float weight;  ///< less is more important
    int32_t index; ///< into server->states
} priority_t;

/// A connected peer.
typedef struct {
    session_state_t state;
    int32_t slot; ///< client slot, -1 = none
    bool joined;  ///< the world has (or is about to get) his player
    bool spectator;
    uint16_t next_seq; ///< usercmds before this number were queued already; wraps
    int64_t since_ms;  ///< of the state, for timeouts
    int64_t budget_at_ms;
    int64_t cmds_tick;     ///< server tick that num_cmds counts for
    int32_t num_cmds;      ///< usercmds of his in that tick: at most MAX_CMD_QUEUE
    int32_t budget;        ///< texts he may send now
    snapshot_ring_t *ring; ///< owned; NULL without a slot
    char name[MAX_NAME_BYTES];
} session_t;

/// Lines about joins and leaves in a window of time: a crowd does not flood the log.
typedef struct {
    int64_t until_ms; ///< end of the window
    int32_t lines;    ///< written in it
    int32_t hidden;   ///< left out in it
} visits_t;

struct server_s {
    server_config_t config;
    char map_path[CVAR_STRING_BYTES];
    char hostname[CVAR_STRING_BYTES];
    int32_t num_sessions;
    session_t *sessions;   ///< by peer number
    int32_t *peer_of_slot; ///< -1 = free
    game_cvars_t cvars;    ///< as they will be; latched ones differ from the world's
    cmap_t map;
    char map_arg[MAX_PATH_BYTES];  ///< name or path the map was started by
    char next_map[MAX_PATH_BYTES]; ///< the game wants it after this tick
    bool is_shutting_down;         ///< joins are refused
    bool wants_map;
    bool wants_list;                                   ///< ... but first what the list of maps says
    char map_list[CVAR_STRING_BYTES];                  ///< rotation.c
    int32_t map_turn;                                  ///< entry of map_list that comes next
    int32_t (*told)[CTL_MAX_STATS];                    ///< of each slot: stats.c
    _Alignas(8) uint8_t game_values[WORLD_GAME_BYTES]; ///< the game's cvars, as they will be
    world_t *world;                                    ///< owned block, NULL before the first map
    game_binding_t game;
    pose_cache_t *poses;  ///< owned; the game's binding has it, too
    cm_cache_t *caches;   ///< the same; one for each client slot, begun anew with each map
    sv_running_t running; ///< which function of the game runs now
    uint32_t epoch;       ///< of the map; up by one each
    inputs_t *inputs;     ///< of the next tick
    events_t *events;
    entity_state_t *states;       ///< of this tick, [max_edicts]
    const entity_state_t **order; ///< for one client, [max_edicts]
    priority_t *priorities;       ///< [max_edicts]
    int32_t num_states;
    uint64_t reported[64]; ///< world counters as last logged
    int64_t next_report_ms;
    log_burst_t bad_burst, refused_burst, flood_burst, clamped_burst;
    visits_t visits;
    int64_t now_ms;
    server_stats_t stats;
};

_Static_assert(sizeof(world_counters_t) / sizeof(uint64_t) <= 64, "reported[] holds them");

// server.c
/// The movevars as they will be in the next tick.
movevars_t Server_NextMoveVars(const server_t *server);

// rotation.c
/// Names in a list of maps.
int32_t Rotation_Count(const char *list);
/// One of them, from 0. False when there are not so many.
bool Rotation_Entry(const char *list, int32_t index, char name[CVAR_STRING_BYTES]);
/// True when a map is in the list, by name or as a path.
bool Rotation_Has(const char *list, const char *name);
/// Takes another list; it goes on behind the map that runs, if that is in it.
void Rotation_Set(server_t *server, const char *list);
/// A map was started by this name or path: the list goes on behind it.
void Rotation_Started(server_t *server, const char *name);

// session.c
/// One event of the transport.
void Session_Event(server_t *server, const net_event_t *event);
/// Drops those that never say hello or never load.
void Session_CheckTimeouts(server_t *server);
/// Tells everybody with a slot about the new map; they load it and come back.
void Session_MapChanged(server_t *server);
void Session_Drop(server_t *server, int32_t peer, net_reason_t reason, const char *text);
void Session_Send(server_t *server, int32_t peer, const control_msg_t *msg);
/// A message to everybody that has a slot.
void Session_Broadcast(server_t *server, const control_msg_t *msg);

/// Logs how many lines about joins and leaves were left out, once their window is over.
void Session_ReportVisits(server_t *server);

// stats.c
/// Which numbers the game tells: to one peer, after its MAP.
void Stats_SendNames(server_t *server, int32_t peer);
/// All that were told so far: to one peer that begins to play.
void Stats_SendAll(server_t *server, int32_t peer);
/// What changed, to those who may see it.
void Stats_Send(server_t *server);
/// The player of a slot left: clients forget his numbers with him.
void Stats_Forget(server_t *server, int32_t slot);
/// A map or another game begins: all start at 0.
void Stats_ForgetAll(server_t *server);

// send.c
/// Sends what the tick said to the clients it is for; log lines (at most so many) to the log.
void Send_Events(server_t *server, int32_t max_lines);
/// Builds and sends a snapshot for every active client.
void Send_Snapshots(server_t *server);

#endif
