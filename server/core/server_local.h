/// core/server_local.h - private declarations of the server: state, sessions, chat, sending.

#ifndef EDICTD_CORE_SERVER_LOCAL_H
#define EDICTD_CORE_SERVER_LOCAL_H

#include "base/cvar.h"
#include "collide/vis.h"
#include "core/addresses.h"
#include "core/auth.h"
#include "core/core_local.h"
#include "core/download.h"
#include "core/event_queue.h"
#include "core/priority.h"
#include "core/rate.h"
#include "core/sent_fields.h"
#include "core/server.h"
#include "core/views.h"
#include "proto/control.h"
#include "proto/snapshot_codec.h"
#include "proto/usercmd_codec.h"
#include "state/names.h"
#include "world/running.h"

typedef enum {
    SESSION_FREE,
    SESSION_NEW,     ///< connected, no HELLO yet
    SESSION_LOADING, ///< has a slot; MAP was sent, READY not yet received
    SESSION_ACTIVE,  ///< plays
    SESSION_LEAVING, ///< was dropped; the transport has not closed the connection yet
    SESSION_LOST     ///< has a slot, but no connection: sessions[max_sessions + slot], see rejoin.c
} session_state_t;

/// Which clients receive an entity state.
typedef enum {
    AUDIENCE_ALL,
    AUDIENCE_SEES,  ///< clients that may see the edict
    AUDIENCE_BLIND, ///< clients that may not see the edict, but need it for prediction
    AUDIENCE_FAR,   ///< clients too far from a crate to push it
    AUDIENCE_NEAR,  ///< clients that may push a crate and predict it
} audience_t;

/// What send_order.c compares an edict's next state with.
typedef struct {
    int32_t origin[3], velocity[3]; ///< as in entity_state_t
    int32_t health;                 ///< of a player
    int32_t news;                   ///< need of changes; fades by 1 per tick
} moved_t;

/// An info record of which some clients receive other words.
typedef struct {
    int32_t index; ///< in shared_infos
    uint8_t words; ///< why
} private_info_t;

/// A class or text that all clients may know.
typedef struct {
    int64_t tick; ///< ticks that had run when it was first used
    names_table_t table;
    int32_t number;
} public_name_t;

#define NAMES_MADE     (NAMES_TABLES - NAMES_OF_GAME) // tables that the server makes
#define NAME_IS_PUBLIC 0x8000                         // added to a number

/// Tables of names that the server makes from string ids when it first sends them: NAMES_CLASSES
/// and NAMES_TEXTS.
typedef struct {
    int32_t counts[NAMES_MADE];
    uint16_t ids[NAMES_MADE][NAMES_MAX]; ///< string ids by number
    /// Numbers by string id, with NAME_IS_PUBLIC; 0 = not sent yet, NAMES_MAX = refused.
    uint16_t numbers[NAMES_MADE][MAX_STRINGS_BYTES];
    int32_t bytes; ///< sum of Names_Cost
    int32_t num_publics;
    public_name_t publics[NAMES_MADE * NAMES_MAX]; ///< in the order of their ticks
    log_burst_t burst;
} made_names_t;

/// Names that a session has received.
typedef struct {
    int32_t sent[NAMES_TABLES];                 ///< numbers of each table
    int32_t num_publics;                        ///< of made_names_t
    int32_t num_known;                          ///< bits in `known`
    uint64_t known[NAMES_MADE][NAMES_MAX / 64]; ///< numbers that are not placeholders
} session_names_t;

/// The state of one connection. The members that each usercmd packet or tick uses come first.
typedef struct {
    session_state_t state;
    int32_t slot; ///< client slot, -1 = none
    bool joined;  ///< the client's player is in the world, or joins in the next tick
    bool spectator;
    bool is_bot;       ///< gave the bots' password: yields its slot to people
    bool has_acted;    ///< the player was active after the join, see idle.c
    uint16_t follows;  ///< slot + 1 of the past player that a delayed spectator follows; 0 = none
    uint16_t next_seq; ///< sequence number of the next new usercmd; wraps
    uint16_t sent_snapshots, cmd_packets; ///< of this map, for the report; wrap
    int32_t num_cmds;                     ///< usercmds received in cmds_tick, at most MAX_CMD_QUEUE
    int64_t cmds_tick;                    ///< server tick in which num_cmds counts
    int64_t active_ms;                    ///< last time at which the player was not idle
    uint64_t bytes_in;                    ///< bytes of messages received
    int64_t since_ms;                     ///< time at which the state began, for timeouts
    int64_t ticket_ms;                    ///< time of the next ticket
    snapshot_ring_t *ring;                ///< owned; NULL without a slot
    int32_t ping_ms;                      ///< as last measured; -1 = not yet
    usercmd_t last_cmd;                   ///< last usercmd, for idle.c
    usercmd_memory_t last_packet;         ///< of usercmds
    rate_t rate;                          ///< of snapshots. Each tick uses `rate` to `names`:
    views_t views;                        ///< snapshots that it may show
    snapshot_report_t report;             ///< last one
    char infos[CLIENT_INFOS][MAX_INFO_BYTES]; ///< as in client_t
    session_names_t names;
    int64_t texts_empty_ms;  ///< leaky bucket of all texts
    int64_t chat_empty_ms;   ///< leaky bucket of the lines that others see
    int64_t infos_empty_ms;  ///< leaky bucket of changed settings
    int64_t events_empty_ms; ///< leaky bucket of reliable sounds and effects
    int64_t muted_until_ms;  ///< see address_t
    log_burst_t refusals;    ///< refused lines, reported to the client
    netaddr_t address;
    int64_t connected_ms;
    download_t download;      ///< of the running map
    arrival_t from;           ///< how the player left the map before
    int32_t num_kept;         ///< bytes in `kept`
    uint8_t kept[KEEP_BYTES]; ///< fields that survive the change of map, for INPUT_JOIN
    char id[PLAYER_ID_BYTES]; ///< of a token or ticket; "" = none
    bool is_sealed;
    rejoin_key_t rejoin;      ///< zeros = the player does not wait
    rejoin_key_t used_rejoin; ///< the key that the client gave, until it has the new one
    char name[MAX_NAME_BYTES];
    char token_name[MAX_NAME_BYTES]; ///< in the token or ticket; "" = the player chooses
    int32_t info_size;               ///< bytes of `info`; 0 = too long to keep
    uint8_t info[112];               ///< the PLAYER_INFO, for those who join
} session_t;

/// A point that two maps have in common.
typedef struct {
    char name[MAX_LANDMARK_BYTES]; ///< filled with zeros; "" = none
    vec3_t origin;                 ///< in the old map
} landmark_t;

/// Limits the number of log lines of one kind in a time window.
typedef struct {
    int64_t until_ms; ///< end of the window
    int32_t lines;    ///< lines written in the window
    int32_t hidden;   ///< lines skipped in the window
} log_window_t;

/// Times of the ticks of the last second, 1/10 ms, and sums of the current one. In the mean, a tick
/// counts as at most four of its lengths (pace.c).
typedef struct {
    uint16_t mean, worst;
    int64_t sum_ns, worked_ns, sending_ns, worst_ns, count;
} tick_times_t;

#define PACE_WINDOWS 4 // of a second; all must afford a shorter interval before one is set

/// What pace.c knows of the interval of snapshots. All zero = nothing yet.
typedef struct {
    int32_t affordable[PACE_WINDOWS]; ///< by each of the last windows; 0 = none yet
    uint32_t windows;                 ///< counts them
    int32_t ticks_before;             ///< interval until the last window, if it changed; or 0
    float sending_before;             ///< ns of a tick then
    float fixed; ///< cost of sending in a tick that no interval changes, as a share of the cost of
                 ///< one snapshot for each client
} pace_t;

/// An edict whose state depended on nothing else in `tick`.
typedef struct {
    int64_t tick;
    uint64_t hash; ///< of the edict, see send_states.c
    uint32_t epoch;
} settled_t;

struct server_s {
    server_config_t config;
    tick_times_t tick_times;
    int32_t snapshot_ticks; ///< as config.snapshot_ticks; more while ticks take too long (pace.c)
    pace_t pace;
    log_burst_t pace_burst;
    char map_path[CVAR_STRING_BYTES];
    char hostname[CVAR_STRING_BYTES];
    char download_url[MAX_URL_BYTES]; ///< sv_downloadurl with a slash at its end; "" = none
    download_pack_t pack;
    char password[CTL_PASSWORD_BYTES]; ///< filled with zeros; "" = none
    char bot_password[CTL_PASSWORD_BYTES];
    auth_t auth;
    addresses_t addresses;
    int32_t max_sessions;  ///< with a connection; those of lost ones follow, by slot
    int32_t num_sessions;  ///< those from here on are free
    int32_t num_clients;   ///< sessions that are not free
    session_t *sessions;   ///< by peer number, then lost ones
    int32_t *peer_of_slot; ///< index of a session, -1 = free
    game_cvars_t cvars;    ///< values from the next tick or map on; world->cvars has those in use
    cmap_t *map;           ///< owned; NULL before the first map
    char map_arg[MAX_PATH_BYTES];                      ///< name or path that started the map
    char next_map[MAX_PATH_BYTES];                     ///< map that the game requested in this tick
    landmark_t next_landmark;                          ///< of next_map
    bool is_shutting_down;                             ///< joins are refused
    bool wants_map;                                    ///< the game requested a map
    bool wants_list;                                   ///< try map_list before next_map
    char map_list[CVAR_STRING_BYTES];                  ///< sv_maplist
    int32_t map_turn;                                  ///< index of the next map in map_list
    _Alignas(8) uint8_t game_values[WORLD_GAME_BYTES]; ///< the game's own cvars, like `cvars`
    world_t *world;                                    ///< owned; NULL before the first map
    game_binding_t game;
    sent_tables_t sent;
    struct pose_cache_s *poses; ///< owned; `game` points to it, too
    struct cm_cache_s *caches;  ///< owned; one for each client slot; map NULL = not used yet
    sv_running_t running;       ///< which function of the game runs now
    struct gamecheck_s *check;  ///< owned; NULL = sv_gamecheck is off
    made_names_t made_names;
    uint32_t epoch;   ///< number of the map, counted from 1
    inputs_t *inputs; ///< inputs of the next tick
    events_t *events;
    event_log_t *event_log;
    event_queue_t *event_queues; ///< by slot
    struct delay_s *delay;       ///< owned; NULL = spectators have no delay
    struct interest_s *interest; ///< owned
    state_pool_t *pool;          ///< of the clients' snapshot rings
    entity_state_t *states;      ///< entity states of this tick, [2 * max_edicts]
    uint16_t *numbers;           ///< edict number of each state
    uint32_t *versions;          ///< of each of them, as in snapshot_parts_t; 0 = not for all
    uint8_t *audiences;          ///< audience_t of each of them
    spot_t *spots;               ///< of each of them
    moved_t *moved;              ///< by edict number
    settled_t *settled;          ///< by edict number; a zero epoch is of no map
    /// Edicts unchanged since the last tick; interest.c and send_order.c skip them.
    uint64_t kept[MAX_EDICTS / 64];
    priority_t *priorities; ///< by slot
    round_t round;          ///< of all crowds
    int32_t *candidates;    ///< indexes of states for one client, [max_edicts]
    const entity_state_t *order[MAX_SNAPSHOT_ENTS]; ///< states for one client, by number
    spot_t turn_spots[MAX_SNAPSHOT_ENTS];           ///< of each of them
    int32_t num_states; ///< sorted by number; an edict has at most one of each audience
    int32_t num_spots;  ///< number of spots that the last tick used
    /// Range of the last tick's states not yet reused; only within SendStates_Build.
    int32_t next_last, end_last;
    uint32_t last_version;           ///< the newest
    uint8_t *private_words;          ///< of each state: why some clients receive other words
    bool has_private_words;          ///< some are not 0
    int32_t own_states[MAX_CLIENTS]; ///< by slot: index of its player's state, -1 = none
    int32_t num_private, num_copies;
    entity_state_t infos[MAX_SNAPSHOT_INFOS]; ///< states of shared_infos
    shared_infos_t shared_infos;
    private_info_t private_infos[MAX_SNAPSHOT_INFOS];
    const entity_state_t *info_order[MAX_SNAPSHOT_INFOS]; ///< copies for one client
    entity_state_t copies[MAX_SNAPSHOT_RECORDS];          ///< states with the words of one client
    uint64_t reported[64];                                ///< world counters as last logged
    int64_t next_report_ms;
    void (*reply)(void *context, const char *line); ///< of the last Server_Command; NULL = none
    void *reply_context;
    log_burst_t cvars_burst;
    log_burst_t downloads_burst, download_burst; ///< of those that begin, and of refused GETs
    log_burst_t oob_burst, bad_burst, pool_burst, flood_burst, wait_burst, clamped_burst,
        fields_burst, events_burst, prints_burst;
    log_burst_t refused_bursts[NET_REASON_COUNT]; ///< so that one reason hides no other
    log_window_t visits, match_lines;
    int64_t prints_empty_us; ///< leaky bucket of prints for everybody
    int64_t prints_noted_ms; ///< time of the last line that counts those that were left out
    int32_t prints_left_out; ///< since then, on this map
    int64_t now_ms;
    server_stats_t stats;
};

_Static_assert(MAX_EDICTS <= 65536, "server_s.numbers has space for each edict number");

_Static_assert(sizeof(world_counters_t) / sizeof(uint64_t) <= 64,
               "reported[] must hold every counter");

// server.c
/// Returns the movevars of the next tick.
movevars_t Server_NextMoveVars(const server_t *server);

// server_cvars.c
/// Copies the values that the game has set in the last tick to server->game_values. Restores a
/// value that is not valid in the next tick.
void Cvars_Adopt(server_t *server);
/// Keeps the values of the cvars that both games have, if valid in the next game.
void Cvars_Carry(server_t *server, const game_export_t *next);

// keep.c
/// Reads the clients' fields with FIELD_KEEP from the world that ends. `landmark`: NULL = none.
void Keep_Read(server_t *server, const landmark_t *landmark);
/// Copies the world fields with FIELD_KEEP from the world that ends to the next one.
void Keep_World(const server_t *server, world_t *next);

// rotation.c
int32_t Rotation_Count(const char *list);
/// Copies name `index` (from 0) of a list of maps. Returns false if the list is shorter.
bool Rotation_Entry(const char *list, int32_t index, char name[CVAR_STRING_BYTES]);
/// Returns true if a map is in the list, by name or by path.
bool Rotation_Has(const char *list, const char *name);
/// Sets the list of maps. The next map is the one after the running map.
void Rotation_Set(server_t *server, const char *list);
/// Records that a map was started. The next map is the one after it in the list.
void Rotation_Started(server_t *server, const char *name);

// session.c
void Session_Event(server_t *server, const net_event_t *event);
/// Drops clients that did not send HELLO or READY in time.
void Session_CheckTimeouts(server_t *server);
/// Refuses the join of a peer with a reason, and disconnects it.
void Session_Refuse(server_t *server, int32_t peer, net_reason_t reason, const char *text);
/// Sends MAP to every client with a slot. A client answers READY when it has loaded the map.
void Session_MapChanged(server_t *server);
void Session_Drop(server_t *server, int32_t peer, net_reason_t reason, const char *text);
void Session_Send(server_t *server, int32_t peer, const control_msg_t *msg);
/// Sends a message that CTL_Write has written.
void Session_SendBytes(server_t *server, int32_t peer, const uint8_t *data, size_t size);
/// Sends a message to every client that has a slot.
void Session_Broadcast(server_t *server, const control_msg_t *msg);

/// Sends a player's name and settings to every client that has a slot.
void Session_SendInfo(server_t *server, session_t *about);
/// Raises num_sessions, so that it includes a session.
void Session_Include(server_t *server, int32_t index);
/// Marks a session as free.
void Session_Free(server_t *server, int32_t index);

// download.c
/// Writes the download of the running map into a MAP.
void Download_Describe(const server_t *server, ctl_map_t *map);
/// Begins the download of a client, or confirms its bytes.
void Download_Get(server_t *server, int32_t peer, const ctl_get_t *get);

// rejoin.c
/// Gives a session a new key. A bot has none.
void Rejoin_NewKey(const server_t *server, session_t *session);
/// Lets the player of a lost connection wait for its client. Returns false if it does not wait.
bool Rejoin_Wait(server_t *server, int32_t peer, net_reason_t reason);
/// Returns true if an address has less than sv_maxperaddress players, connected or waiting.
/// Otherwise refuses the join of the peer.
bool Rejoin_HasRoom(server_t *server, int32_t peer);
/// Lets the waiting players fall and stand still where sv_input_timeout_ms 0 fills no time.
void Rejoin_AddInputs(server_t *server);
/// Returns the session that the key of a HELLO opens, or -1.
int32_t Rejoin_Find(const server_t *server, int32_t peer, const rejoin_key_t *key);
/// Moves the session that `key` opens to another peer. Drops the older connection, if any.
void Rejoin_Take(server_t *server, int32_t from, int32_t peer, const rejoin_key_t *key);

// auth.c
/// Checks the password, token or ticket of a join, and the rate of wrong ones. Refuses a client
/// that may not join. *token receives the player, without id if the server needs no token.
/// `before`: the session that Rejoin_Find returned, which needs no token; NULL = none.
bool Auth_Admit(server_t *server, int32_t peer, const ctl_hello_t *hello, const session_t *before,
                token_t *token);

// match_log.c
/// Logs a join, a leave or a rename. `key`, `text`: another field; NULL = none.
void MatchLog_Visit(server_t *server, const session_t *session, const char *event, const char *key,
                    const char *text);
/// Logs an accepted chat line.
void MatchLog_Chat(server_t *server, const session_t *session, const char *text, bool to_team);
/// Logs that the server's map starts or ends.
void MatchLog_Map(server_t *server, bool is_start);
/// Logs an event of the game, a line of Log_FormatEvent.
void MatchLog_Game(server_t *server, const char *line);
/// Logs how many lines were skipped in a window that has ended.
void MatchLog_Report(server_t *server);

// idle.c
/// Ends a player's idle time.
void Idle_NoteAction(const server_t *server, session_t *session);
/// Ends a player's idle time if the usercmd shows that the player is active.
void Idle_NoteCmd(const server_t *server, session_t *session, const usercmd_t *cmd);
/// Drops the player with the longest idle time for a newcomer from `host` and returns the slot.
/// Returns -1 if no player has been idle for sv_idle_s. Also returns -1 if a player from `host` has
/// done nothing since its join: an address cannot keep slots by joining again and again.
int32_t Idle_FreeSlot(server_t *server, uint32_t host);

/// Counts and logs that a client sends too many messages. `what`: for example "texts".
void Session_NoteFlood(server_t *server, const session_t *session, const char *what);

// infos.c
/// Applies a player's USERINFO. Refuses settings that are unknown, not valid or above the rate.
void Infos_Message(server_t *server, session_t *session, const ctl_infos_t *message);
/// Adds the settings that are not the defaults to the inputs, after an INPUT_JOIN.
void Infos_AddInputs(server_t *server, const session_t *session);
/// Gives every session the settings of another game. Keys of both games keep their values.
void Infos_GameChanged(server_t *server, const game_export_t *before);
/// Measures pings. Sends which players the game has made spectators, or players again, at the rate
/// of settings.
void Infos_AfterTick(server_t *server);
/// Writes the settings that other players receive.
void Infos_Write(const game_export_t *game, const session_t *session, ctl_infos_t *out);

// names.c
/// Gives a player a unique name. If "bob" is taken, the name is "bob(1)". A blank name becomes
/// "player N" with N = slot + 1.
void Names_Choose(const server_t *server, session_t *session, const char *wanted);

// chat.c
/// Queues a client's chat line or command for the next tick. Ignores texts above the rate limit,
/// blank chat lines, and chat lines of a muted client.
void Chat_Text(server_t *server, session_t *session, input_type_t type, const ctl_text_t *text);
/// Counts texts of any kind. Returns false above the rate.
bool Chat_ChargeTexts(server_t *server, session_t *session, int32_t count);
/// Sends a player the reason of a refusal, once per burst.
void Chat_Refuse(server_t *server, session_t *session, const char *why);
/// Counts a line that other players will see. Returns false if the client is muted or sends too
/// many.
bool Chat_ChargeLine(server_t *server, session_t *session, const char *text);
/// Load and store the mute and chat limits of a client's address.
void Chat_Join(server_t *server, session_t *session);
void Chat_Leave(server_t *server, const session_t *session);
/// Ends the mutes that last until the map changes.
void Chat_MapChanged(server_t *server);

// name_tables.c
/// Returns the number of a string in NAMES_CLASSES or NAMES_TEXTS, for a snapshot. Adds a new one.
/// `is_public`: all clients may know the string. Returns 0 for the string id 0. If clients cannot
/// receive the string, returns 0 and logs it once a burst.
int32_t NameTables_Number(server_t *server, names_table_t table, int32_t string_id, bool is_public);
/// Sends the names that a peer has not received, after MAP. `parts`: records that the peer receives
/// next, so that it may know their names; NULL = none.
void NameTables_Send(server_t *server, int32_t peer, const snapshot_parts_t *parts);
/// Calls NameTables_Send for every client that has a slot.
void NameTables_SendAll(server_t *server);

// send_fields.c
/// Sets the fields of a state or info record, as clients receive them that are neither the owner
/// nor of its team. `is_public`: all clients receive the record. Returns its private_words.
uint8_t SendFields_Public(server_t *server, entity_state_t *state, bool is_public);
/// Sets the fields of the state that a client receives of its own edict.
void SendFields_Own(server_t *server, entity_state_t *state);
/// Makes the info records of this tick: the fields of clients and the world.
void SendFields_Build(server_t *server);

/// Empties the info records.
void SendFields_StartMap(server_t *server);
/// Adds the info records for one client to the parts of a snapshot. Records with other words for
/// this client are copies, valid until the next call.
void SendFields_Infos(server_t *server, int32_t slot, snapshot_parts_t *parts);
/// Replaces entities in server->order, but not `own`, that have other words for this client by
/// copies, valid until the next SendFields_Infos.
void SendFields_Entities(server_t *server, int32_t slot, int32_t count, int32_t own);

// send_events.c
/// Sends the texts of a tick to clients, and queues or sends its sounds and effects. Writes at most
/// `max_lines` log lines of each level.
void Send_Events(server_t *server, int32_t max_lines);
/// Queues or sends a sound or an effect to an active client, if a player at `origin` hears or sees
/// it.
void Send_Emission(server_t *server, int32_t peer, struct emission_s *emission, vec3_t origin);
/// Writes the sounds and effects to send to a client in the next snapshot, as the client may know
/// them, and their places in its queue. `turn`: entities of the snapshot.
void Send_ChooseEvents(server_t *server, const session_t *session, const turn_t *turn,
                       snapshot_events_t *events, queued_event_t *chosen[MAX_SNAPSHOT_EVENTS]);

// send_states.c
/// Makes server->states: what clients receive of each edict in this tick.
void SendStates_Build(server_t *server);
/// Returns true if a state is of an edict that everybody may see.
bool SendStates_IsPublic(audience_t audience);
/// Returns true if the player in `slot` is so near to a crate that it may soon push it.
bool SendStates_MayPush(const world_t *world, const edict_t *crate, int32_t slot);
/// Returns what a client receives of its own edict, however visible: all that its player lacks.
entity_state_t SendStates_Own(server_t *server, int32_t number);
/// Counts and logs states that were clamped to the protocol's range: a fault of game or map.
void SendStates_NoteClamped(server_t *server, const char *whose, int32_t count);

// send_order.c
/// Finds where the entities of this tick are and how they changed, after SendStates_Build.
void SendOrder_Build(server_t *server);
/// Lists the entities that a client receives in server->order, by number, and sets their order in
/// the turn. `view`: SV_ViewSlot. `turn`: eye, forward, ticks and rate are set.
void SendOrder_List(server_t *server, const session_t *session, int32_t view,
                    const entity_state_t *own, turn_t *turn);

// send.c
/// Finds what all clients may receive of a tick, whether it is their turn or not.
void Send_Prepare(server_t *server);
/// Sends the snapshots of a tick, after Send_Prepare.
void Send_Snapshots(server_t *server);

#endif
