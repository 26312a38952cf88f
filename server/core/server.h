/// core/server.h - one server: a world, its map, the clients that are connected to it.
//
// Floor:   core. No sockets, no clock, no signals: a transport and times come in, so a whole server
//          runs inside a test.
// Memory:  Server_Create owns all it makes; the transport and the log are the caller's.
// Repeat:  same transport events at the same times = same hashes.

#ifndef EDICTD_CORE_SERVER_H
#define EDICTD_CORE_SERVER_H

#include "base/log.h"
#include "core/frame.h"
#include "net/transport.h"

typedef struct server_s server_t;

/// Peers the transport must hold beyond max_clients: those who are told that the server is full.
#define SERVER_SPARE_PEERS 8

/// sv_tell_bones: whose models with bones, and what these do, clients are told.
typedef enum {
    TELL_NO_BONES,
    TELL_BONES,        ///< of all but players
    TELL_PLAYERS_BONES ///< of players, too, who change what they do all the time
} tell_bones_t;

typedef struct {
    const game_export_t *game;
    transport_t *net;
    const log_t *log;
    int32_t max_clients;    ///< 1..MAX_CLIENTS
    int32_t max_edicts;     ///< max_clients + 1..MAX_EDICTS
    int32_t snapshot_ticks; ///< a snapshot to each client every so many ticks, 1..32
    int32_t tell_bones;     ///< tell_bones_t
    uint64_t seed;          ///< of the worlds' random numbers
    const char *hostname;
    const char *map_path; ///< folders with compiled maps, joined by ':'
    const char *map_list; ///< sv_maplist: names or paths of maps, joined by spaces; NULL = none
    game_cvars_t cvars;   ///< what the first world starts with
    const uint8_t *game_values; ///< WORLD_GAME_BYTES with the game's own cvars; NULL = defaults
} server_config_t;

/// X(name, help): what a server counted, besides world_counters_t.
#define SERVER_STATS(X)                                                                            \
    X(ticks, "ticks run, of all maps")                                                             \
    X(snapshots, "snapshots given to the transport")                                               \
    X(snapshot_bytes, "bytes of them")                                                             \
    X(entities_deferred, "states that waited for room in a packet")                                \
    X(states_clamped, "states beyond what the wire can say: held within it")                       \
    X(bad_packets, "messages that did not decode: their sender was dropped")                       \
    X(refused, "joins turned away: full, another version")                                         \
    X(floods, "texts and usercmds beyond a client's rate")                                         \
    X(joins, "clients that got a slot")                                                            \
    X(leaves, "clients that lost theirs")                                                          \
    X(stale_packets, "messages out of turn: of an earlier map, before the join, said twice")       \
    X(duplicate_cmds, "usercmds that came again, as a backup")

typedef struct {
#define SERVER_STAT_FIELD(name, help) uint64_t name;
    SERVER_STATS(SERVER_STAT_FIELD)
#undef SERVER_STAT_FIELD
} server_stats_t;

/// A server without a map. NULL with the reason (no memory, a value out of range).
server_t *Server_Create(const server_config_t *config, err_t *err);

/// Finds a map by name or path, loads it and starts a new world on it. Connected clients stay and
/// are told. On false the old map goes on.
bool Server_StartMap(server_t *server, const char *name, err_t *err);

/// Goes on to the next map of sv_maplist, from the first again behind the last. One that cannot be
/// started is logged and left out. False when the list is empty or none of it can be started: the
/// old map goes on.
bool Server_NextMap(server_t *server, err_t *err);

/// Takes in all that waits at the transport.
void Server_Drain(server_t *server, int64_t now_ms);

/// Runs one tick when inputs wait and no client is connected (no tick runs then), so that a cvar that
/// an operator set is in force.
void Server_Settle(server_t *server);

/// One tick of the world; afterwards its events and snapshots are sent. Needs a map.
void Server_Tick(server_t *server, int64_t now_ms);

/// Another build of the game takes over between two ticks, and the clients stay. Without restart the
/// running world goes on: its layout and its models must be the same and no callback it knows may be
/// missing. With restart the map begins anew. On false (with the reason) the old game goes on; on
/// true nothing of it is used any more.
bool Server_SetGame(server_t *server, const game_export_t *game, bool restart, err_t *err);

/// The game, and the values of its own cvars as they will be at the next tick or map.
const game_export_t *Server_Game(const server_t *server);
const uint8_t *Server_GameValues(const server_t *server);

/// Returns what the simulation runs now; for signal handlers, valid until Server_Destroy.
const struct sv_running_s *Server_Running(const server_t *server);

/// Clients connected, in whatever state.
int32_t Server_NumClients(const server_t *server);

/// Those of them that have a slot: at most max_clients.
int32_t Server_NumPlayers(const server_t *server);

/// Length of a tick of the running world.
int32_t Server_TickMs(const server_t *server);

/// Sets a game cvar from the next tick on (a latched one: from the next map on). On false nothing
/// changes.
bool Server_SetCvar(server_t *server, const char *name, const char *value, err_t *err);

/// The game cvars as they will be at the next tick or map.
const game_cvars_t *Server_Cvars(const server_t *server);

/// Tells everybody a line.
void Server_Say(server_t *server, const char *text);

/// Drops a client by slot; false when nobody plays there.
bool Server_Kick(server_t *server, int32_t slot, const char *reason);

/// Sends every client a goodbye with the reason; the next drains remove them. From now on joins are
/// refused.
void Server_Shutdown(server_t *server, const char *reason);

/// Changes what the operator may change while it runs: see server_config_t. What of a new list of
/// maps is not found is logged now, not only when its turn comes.
void Server_SetHost(server_t *server, const char *hostname, const char *map_path,
                    const char *map_list, int32_t snapshot_ticks);

/// From the next snapshot on; see tell_bones_t.
void Server_TellBones(server_t *server, int32_t tell_bones);

/// The running world, NULL before the first map.
const world_t *Server_World(const server_t *server);
const cmap_t *Server_Map(const server_t *server);
server_stats_t Server_Stats(const server_t *server);
net_counters_t Server_NetCounters(const server_t *server);

/// What the game says about the match, in one line. False: nothing, or no map is running.
bool Server_Describe(server_t *server, char *line, size_t bytes);

/// Prints a line per client (slot, name, ping, address, what the game tells everybody of him, as
/// scores, counters) through `print`.
void Server_PrintClients(const server_t *server, void (*print)(void *context, const char *line),
                         void *context);

void Server_Destroy(server_t *server);

#endif
