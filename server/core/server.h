/// core/server.h - one server: a world, its map, and the connected clients.
//
// Uses no sockets, clock or signals: the caller passes a transport and the time.
// Memory:  the server owns what Server_Create allocates; the caller owns the transport and the log.
// Repeat:  the same transport events at the same times give the same hashes.

#ifndef EDICTD_CORE_SERVER_H
#define EDICTD_CORE_SERVER_H

#include "base/cmd.h"
#include "base/log.h"
#include "core/frame.h"
#include "core/rate.h"
#include "net/ranges.h"
#include "net/transport.h"

typedef struct server_s server_t;

/// Peers that the transport must accept beyond max_clients, to refuse joins with a reason.
#define SERVER_SPARE_PEERS 32

/// sv_send_bones: the edicts whose skeletons and animations are sent to clients.
typedef enum {
    SEND_NO_BONES,
    SEND_BONES,        ///< all edicts but players
    SEND_PLAYERS_BONES ///< players too; their animations change often and cost bandwidth
} send_bones_t;

/// sv_auth: what a join needs.
typedef enum {
    AUTH_PASSWORD, ///< the password, if there is one
    AUTH_OPEN,     ///< nothing
    AUTH_TOKEN     ///< a token or a ticket, in a sealed session
} auth_mode_t;

/// Returns NET_REASON_NONE if a player id may join, otherwise the reason of the refusal.
typedef net_reason_t server_allow_fn(void *context, const char *id);

typedef struct {
    const game_export_t *game;
    transport_t *net;
    const netranges_t *exempt; ///< sv_proxies, see Net_IsExempt; may change while the server runs
    const log_t *log;
    int32_t max_clients;    ///< 1..MAX_CLIENTS
    int32_t max_edicts;     ///< max_clients + 1..MAX_EDICTS
    int32_t snapshot_ticks; ///< ticks from one snapshot to the next, 1..32
    int32_t send_bones;     ///< send_bones_t
    rate_bounds_t rates;    ///< of clients
    bool allow_download;    ///< see Server_SetDownload
    int32_t download_rate;
    const char *download_url; ///< NULL = none
    bool cull_los;            ///< see Server_SetCullLos
    int32_t idle_s;           ///< see Server_SetIdle
    int32_t grace_ms;         ///< see Server_SetGrace
    int32_t max_per_address;  ///< players of one address, also those who wait; 0 = no limit
    uint64_t seed;            ///< seed of each world's random numbers
    const char *hostname;
    const char *password; ///< sv_password; NULL or "" = none
    auth_mode_t auth;
    const char *auth_keys;     ///< sv_authkeys: public keys that sign tokens; NULL = none
    const uint8_t *ticket_key; ///< KEY_BYTES that a restart keeps; NULL without AUTH_TOKEN
    int32_t ticket_s;          ///< see Server_SetAuth
    server_allow_fn *allows;   ///< NULL = every player id may join
    void *allow_context;
    const char *map_path; ///< folders with compiled maps, separated by ':'
    const char *map_list; ///< sv_maplist: names or paths of maps, separated by spaces; NULL = none
    game_cvars_t cvars;   ///< values for the first world
    const uint8_t *game_values; ///< WORLD_GAME_BYTES with the game's own cvars; NULL = defaults
} server_config_t;

/// X(name, help): counters of a server, besides world_counters_t.
#define SERVER_STATS(X)                                                                            \
    X(ticks, "ticks run on all maps")                                                              \
    X(snapshots, "snapshots sent")                                                                 \
    X(snapshots_skipped, "snapshots not sent because the client's byte budget was used up")        \
    X(snapshots_slowed, "times that the interval of snapshots grew because ticks were slow")       \
    X(snapshot_bytes, "bytes of snapshots sent")                                                   \
    X(entities_deferred, "entity states that a full packet lacks; unchanged ones may count")       \
    X(sight_rays, "rays for sv_cull_los, sweeps counted")                                          \
    X(sight_over, "players sent without a test of sv_cull_los because the rays of a tick ran out") \
    X(exits_left_out, "exits near a player whose views were not sent: more than 2, or no time")    \
    X(longest_wait_ms, "longest time that a changed entity waited for a snapshot with room, ms")   \
    X(baselines_dropped, "baselines dropped because clients acknowledged nothing newer in time")   \
    X(states_unstored, "entity states deferred because the pool of all clients' states was full")  \
    X(events_sent, "sounds and effects sent in snapshots, repeats counted")                        \
    X(event_bytes, "bytes of sounds and effects in snapshots")                                     \
    X(events_dropped, "sounds and effects dropped because a list was full")                        \
    X(delayed_dropped, "snapshots, texts and events dropped because sv_spectate_delay_s was full") \
    X(events_stale, "sounds and effects not acknowledged in 500 ms, or before 16,384 newer ones")  \
    X(states_clamped, "entity states clamped to the range of the protocol")                        \
    X(fields_clamped, "field values clamped to the range that the game declares")                  \
    X(bad_packets, "messages that did not decode; the sender was dropped")                         \
    X(refused, "joins refused")                                                                    \
    X(refused_full, "joins refused because every slot was taken")                                  \
    X(refused_password, "joins refused for a wrong password, or none")                             \
    X(refused_token, "joins refused for a token or ticket, or none")                               \
    X(tokens_full, "joins refused because the table of used tokens was full")                      \
    X(refused_rate, "joins refused above the rate of an address")                                  \
    X(views_refused, "usercmds that named snapshots as shown which the client cannot have shown")  \
    X(views_old,                                                                                   \
      "usercmds whose view is older than sv_maxunlag_ms: a newer one judges their shots")          \
    X(muted_lines, "chat lines of muted players")                                                  \
    X(floods, "texts and usercmds ignored above a client's rate")                                  \
    X(joins, "clients that received a slot")                                                       \
    X(leaves, "clients that left their slot")                                                      \
    X(lost, "players who waited for their client after a lost connection")                         \
    X(lost_above, "players who did not wait: too many of their address wait already")              \
    X(refused_waiting, "joins refused because players of the address wait for their clients")      \
    X(returns, "clients that returned to their player")                                            \
    X(downloads, "downloads of the map that began")                                                \
    X(download_bytes, "bytes of maps sent to clients, without headers")                            \
    X(downloads_refused, "requests for bytes of the map at the wrong time; ignored")               \
    X(stale_packets, "messages ignored: of an earlier map, before the join, or repeated")          \
    X(unknown_oob, "out-of-band datagrams with an unknown word")                                   \
    X(idle_removed, "idle players removed because a slot was needed")                              \
    X(duplicate_cmds, "usercmds received again as backup copies")

typedef struct {
#define SERVER_STAT_FIELD(name, help) uint64_t name;
    SERVER_STATS(SERVER_STAT_FIELD)
#undef SERVER_STAT_FIELD
} server_stats_t;

/// Creates a server without a map. Returns NULL with the reason: memory, or a value of `config`.
server_t *Server_Create(const server_config_t *config, err_t *err);

/// Loads a map by name or path and starts a new world on it. Connected clients stay. On failure,
/// returns false with the reason, and the old map continues.
bool Server_StartMap(server_t *server, const char *name, err_t *err);

/// Starts the next map of sv_maplist, in a circle. Logs and skips a map that cannot be started. If
/// no map can be started, returns false, and the old map continues.
bool Server_NextMap(server_t *server, err_t *err);

/// Handles all waiting network events: connects, messages, disconnects.
void Server_Drain(server_t *server, int64_t now_ms);

/// If no client is connected, runs one tick when inputs wait. Otherwise a changed cvar would have
/// no effect until a client joins.
void Server_Settle(server_t *server);

/// Runs one tick of the world and sends its events. Needs a map. Server_Send must follow.
void Server_Run(server_t *server, int64_t now_ms);

/// Sends the snapshots of the tick. Changes the map if the game requested it.
void Server_Send(server_t *server);

/// Calls Server_Run and Server_Send.
void Server_Tick(server_t *server, int64_t now_ms);

/// Notes how long a tick took, for what clients show of the server. `worked_ns`: the same without
/// waiting for an earlier late tick. `sending_ns`: of that, in Server_Send. While ticks work more
/// than 85 % of their length, clients receive fewer snapshots, at most 200 ms and 15 ticks apart.
void Server_NoteTick(server_t *server, int64_t took_ns, int64_t worked_ns, int64_t sending_ns);

/// Replaces the game by another build. Clients stay. `restart`: starts the map again. Without it,
/// the new build needs the same fields, models and callbacks. On failure, returns false with the
/// reason and keeps the old game. On success, the caller may unload the old game.
bool Server_SetGame(server_t *server, const game_export_t *game, bool restart, err_t *err);

const game_export_t *Server_Game(const server_t *server);

/// Returns the game's cvar values for the next tick or map.
const uint8_t *Server_GameValues(const server_t *server);

/// Returns the record of the game function that runs now. Valid until Server_Destroy.
const struct sv_running_s *Server_Running(const server_t *server);

/// Returns the number of connected clients in any state.
int32_t Server_NumClients(const server_t *server);

/// Returns the number of clients that have a slot, at most max_clients.
int32_t Server_NumPlayers(const server_t *server);

/// Returns the length of the running world's next tick in ms.
int32_t Server_TickMs(const server_t *server);

/// Sets a game cvar from the next tick on. A CVAR_LATCH cvar changes with the next map. Returns
/// false and changes nothing if the name or value is invalid.
bool Server_SetCvar(server_t *server, const char *name, const char *value, err_t *err);

/// Runs an operator's command of the game in the next tick. `print` receives the game's replies,
/// until the next call; before the first, they are logged. Returns false with the reason if the
/// arguments are not valid.
bool Server_Command(server_t *server, const cmd_args_t *args,
                    void (*print)(void *context, const char *line), void *context, err_t *err);

/// Returns the engine's cvar values for the next tick or map.
const game_cvars_t *Server_Cvars(const server_t *server);

/// Sends a line of text to every player in the next tick.
void Server_Say(server_t *server, const char *text);

/// Drops the client in a slot and sends it the reason. Returns false for an empty slot.
bool Server_Kick(server_t *server, int32_t slot, const char *reason);

/// Drops every connection from an address that `allows` refuses, with the reason `text`. Returns
/// the number of dropped connections.
int32_t Server_DropWhere(server_t *server, net_allow_fn *allows, void *context, const char *text);

/// Values for for_ms of Server_Mute.
#define MUTE_THIS_MAP 0
#define MUTE_END      (-1)

/// Mutes the player in `slot`, or every player from address `host` if slot is -1. Also mutes
/// players who join from `host` later, unless `slot` names a player at an exempt address. Returns
/// false if too many addresses are muted.
bool Server_Mute(server_t *server, int32_t slot, uint32_t host, int64_t for_ms);

/// Prints one line per muted address.
void Server_PrintMutes(const server_t *server, void (*print)(void *context, const char *line),
                       void *context);

/// Returns the name ("" for an empty slot) and the address of the player in a slot.
const char *Server_PlayerName(const server_t *server, int32_t slot);
netaddr_t Server_PlayerAddress(const server_t *server, int32_t slot);

/// Returns the player id of a slot, "" without token.
const char *Server_PlayerId(const server_t *server, int32_t slot);

/// Sets the password that a join needs; "" = none. At most CTL_PASSWORD_BYTES - 1 bytes count.
void Server_SetPassword(server_t *server, const char *password);

/// Sets sv_authkeys, the public keys that sign tokens, and sv_ticket_s, the time until a ticket
/// expires (0 = no tickets). Returns false if a key is not valid; the old ones continue.
bool Server_SetAuth(server_t *server, const char *keys, int32_t ticket_s, err_t *err);

/// Sets the wall time, s since 1970 (UTC), for tokens and tickets.
void Server_SetTime(server_t *server, int64_t now_s);

/// Sets the password that joins a client as a bot; "" = no bots. Bots yield to people on a full
/// server.
void Server_SetBotPassword(server_t *server, const char *password);

/// Returns the number of clients with a slot that are not bots. *playing receives how many of them
/// are no spectators.
int32_t Server_NumPeople(const server_t *server, int32_t *playing);

/// Returns true for the name of a client's command that needs sv_cheats.
bool Server_IsCheat(const char *name);

/// Disconnects every client with `reason` and refuses new joins. Continue to call Server_Drain
/// until Server_NumClients returns 0.
void Server_Shutdown(server_t *server, const char *reason);

/// Changes settings of server_config_t while the server runs. Logs every map of a new list that
/// cannot be found.
void Server_SetHost(server_t *server, const char *hostname, const char *map_path,
                    const char *map_list, int32_t snapshot_ticks);

/// Sets sv_idle_s, the idle time after which a player may lose the slot; 0 = never.
void Server_SetIdle(server_t *server, int32_t idle_s);

/// Sets sv_grace_ms, how long a player whose connection was lost waits for its client; 0 = not.
void Server_SetGrace(server_t *server, int32_t grace_ms);

/// Sets sv_send_bones, a send_bones_t: the edicts whose bones are sent, from the next snapshot on.
void Server_SetSendBones(server_t *server, int32_t send_bones);

/// Sets sv_minrate and sv_maxrate, from the next snapshot on.
void Server_SetRates(server_t *server, rate_bounds_t rates);

/// Sets sv_allowdownload from the next map on, sv_download_rate at once, and sv_downloadurl from
/// the next MAP message on; an address that Download_CheckUrl refuses counts as none.
void Server_SetDownload(server_t *server, bool is_allowed, int32_t rate, const char *url);

/// Sets sv_cull_los: players out of sight are not sent, from the next snapshot on (interest.h).
void Server_SetCullLos(server_t *server, bool is_on);

/// Sets sv_gamecheck: checks what the game writes (world/gamecheck.h). Returns false if out of
/// memory; the check is then off.
bool Server_SetGameCheck(server_t *server, bool is_on, err_t *err);

/// Sets sv_spectate_delay_s; 0 = no delay. A change begins the delay anew. Returns false if out of
/// memory; the old delay continues.
bool Server_SetSpectateDelay(server_t *server, int32_t delay_s, err_t *err);

/// Returns the running world; NULL before the first map.
const world_t *Server_World(const server_t *server);
const cmap_t *Server_Map(const server_t *server);
server_stats_t Server_Stats(const server_t *server);
net_counters_t Server_NetCounters(const server_t *server);

/// Returns the i-th reason for network drops and sets *count. Returns NULL after the last reason.
const char *Server_NetDrops(const server_t *server, int32_t i, uint64_t *count);

/// Returns the server's public key, or NULL without the seal.
const uint8_t *Server_Key(const server_t *server);

/// Writes the game's one-line description of the match. Returns false if there is none.
bool Server_Describe(server_t *server, char *line, size_t bytes);

/// Prints one line per client through `print`: slot, name, address, seal, ping, counters, scores.
void Server_PrintClients(const server_t *server, void (*print)(void *context, const char *line),
                         void *context);

/// A client with a slot, for the operator.
typedef struct {
    const char *name;
    const char *id; ///< of a token; "" = none
    netaddr_t address;
    int32_t ping_ms;
    uint32_t filled_ms, late, over_credit_ms;
    int32_t rate;    ///< bytes/s of snapshots at most
    int32_t wait_ms; ///< longest wait of a changed entity on this map
    int32_t team;
    int32_t follows; ///< slot; its own = follows nobody
    bool is_bot, is_spectator, is_muted, is_sealed;
    bool is_lost;        ///< lost the connection, and waits for its client
    const uint8_t *game; ///< the game's fields
} server_client_t;

/// Returns false for an empty slot.
bool Server_Client(const server_t *server, int32_t slot, server_client_t *client);

/// A connection that has not joined, or is not complete.
typedef struct {
    netaddr_t address;
    int64_t half_open_ms; ///< age of an incomplete connection; -1 = it is complete
    int64_t connected_ms; ///< age of a complete one
    uint64_t bytes_in;
    bool is_leaving;
} server_peer_t;

/// Returns the next such connection from number *peer on, and moves *peer behind it. Returns false
/// after the last.
bool Server_NextPeer(const server_t *server, int32_t *peer, server_peer_t *found);

/// Prints one line per connection that Server_NextPeer returns.
void Server_PrintPeers(const server_t *server, void (*print)(void *context, const char *line),
                       void *context);

void Server_Destroy(server_t *server);

#endif
