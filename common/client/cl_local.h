/// client/cl_local.h - structs and functions that several files of the client library use.
//
// Memory:  one block per client, and the block of its snapshot ring.

#ifndef EDICTD_CLIENT_CL_LOCAL_H
#define EDICTD_CLIENT_CL_LOCAL_H

#include "base/limits.h"
#include "client/clock.h"
#include "client/maps.h"
#include "client/world.h"
#include "edict/client.h"
#include "move/pmove.h"
#include "net/transport.h"
#include "proto/control.h"
#include "proto/event_codec.h"
#include "proto/snapshot_codec.h"
#include "proto/usercmd_codec.h"
#include "state/entity_state.h"
#include "state/game_event.h"
#include "state/player_state.h"
#include "state/ticks.h"
#include "state/usercmd.h"

#define CL_MAX_CMDS       256 // commands kept until the server has run them
#define CL_BACKUP_PACKETS 8   // packets that repeat a command that has not run
#define CL_MAX_EVENTS     256

/// A command, and the predicted player after it.
typedef struct {
    usercmd_t cmd;
    player_state_t after;
    uint64_t first_hash; ///< of `after` as predicted first
    uint32_t packet;     ///< number of the first packet with the command
    bool predicted;
    bool acked; ///< complete in a snapshot
} cl_cmd_t;

/// Commands first..made-1; command n is list[n % CL_MAX_CMDS].
typedef struct {
    cl_cmd_t list[CL_MAX_CMDS];
    uint32_t first, made;
    uint32_t packet_starts[CL_BACKUP_PACKETS]; ///< `made` before each of the newest packets
    uint32_t packets;
} cl_cmds_t;

/// The player predicted from a snapshot, after every command before `upto`.
typedef struct {
    int64_t tick; ///< tick of the snapshot, 0 = none
    uint32_t upto;
    int32_t ran_ms; ///< duration of the commands for the snapshot's cmd_tick that had run, ms
    player_state_t player;
} cl_prediction_t;

/// The correction that CL_Smoothed still hides.
typedef struct {
    vec3_t error;     ///< shown origin less predicted origin, at the start
    int64_t start_ms; ///< time of the newest correction
} cl_smooth_t;

#define CL_ACKS 64 // acknowledgements whose round trip can be measured

/// The round trip time: from the acknowledgement of a snapshot to its first use as baseline.
typedef struct {
    int64_t ticks[CL_ACKS];   ///< acknowledged tick, by tick % CL_ACKS
    int64_t sent_ms[CL_ACKS]; ///< time of the first acknowledgement
    int64_t acked, measured;  ///< newest acknowledged and newest measured tick
    int32_t eighths_ms;       ///< smoothed round trip, ms * 8; -1 = not measured yet
} cl_round_trip_t;

/// The shown time. It lags the newest snapshot, for interpolation.
typedef struct {
    bool running;
    int64_t offset_us;     ///< median difference of world time and the caller's time at arrivals
    int64_t late_since_ms; ///< time of the first of the late snapshots; INT64_MAX = not late
    int64_t frame_ms;      ///< time of the last frame
    int32_t gap_us;        ///< between the last two snapshots; 0 = unknown
    int32_t interval_us;   ///< between two that the server sends
    int32_t jitter_us;     ///< nearly all arrive so long after an interval, or earlier
    int32_t delay_us;      ///< in use; follows interval_us + jitter_us slowly
    int64_t time_ms;       ///< shown world time; decreases only if it jumps
    int64_t arrived;       ///< first snapshot after the own player's last teleport; 0 = none
    int64_t cmd_tick;      ///< view_tick, view_frac and view_span of the next commands: as
    uint16_t cmd_frac;     ///< shown when the player acts
    uint8_t cmd_span;
} cl_view_t;

#define CL_LINK_SAMPLES 6

/// Counters at the arrival of a report of the server.
typedef struct {
    int64_t now_ms;
    uint32_t sent_down, got_up; ///< as in the report
    uint32_t sent_up, got_down, snapshots, full;
    uint64_t bytes, up_bytes, filled_ms, skipped;
} cl_sample_t;

/// Measurements for CL_NetGraph.
typedef struct {
    uint32_t snapshots; ///< received of this map
    uint32_t packets;   ///< sent for this map
    uint32_t full;      ///< snapshots that lacked space
    int64_t heard_ms;   ///< arrival of the last snapshot
    int64_t transit_ms; ///< its arrival less its time
    int32_t jitter_us;
    int64_t report_tick; ///< of the last report
    int32_t num_samples; ///< ever; the last is samples[(num_samples - 1) % CL_LINK_SAMPLES]
    cl_sample_t samples[CL_LINK_SAMPLES];
} cl_link_t;

typedef struct {
    bool inuse;
    bool is_spectator;
    bool is_lost;  ///< waits for its client
    bool is_stale; ///< not confirmed since this client was lost
    int32_t num_settings;
    char name[MAX_NAME_BYTES];
} cl_player_t;

/// Tables of names of this map.
typedef struct {
    int32_t counts[NAMES_TABLES];
    int32_t used;                              ///< bytes in `texts`
    int32_t cost;                              ///< sum of Names_Cost
    uint16_t offsets[NAMES_TABLES][NAMES_MAX]; ///< into texts, by number; 0 = a placeholder
    char texts[NAMES_BYTES];                   ///< texts[0] is the NUL of number 0
} cl_names_t;

#define SNAPSHOT_TIMEOUT_MS 30000 // from READY to the first snapshot

typedef enum {
    DOWNLOAD_OFF,   ///< not asked for
    DOWNLOAD_WAITS, ///< for CL_GiveMap
    DOWNLOAD_RUNS,  ///< pieces arrive
    DOWNLOAD_ENDED  ///< READY was sent
} download_phase_t;

/// The download of the server's map.
typedef struct {
    download_phase_t phase;
    uint64_t hash; ///< hash and sizes as in ctl_map_t: an equal MAP continues the download
    int32_t packed, size;
    uint8_t *data; ///< owned; the received bytes
    size_t room;
    int32_t received, confirmed;
    int32_t late;        ///< bytes received since the end
    int64_t deadline_ms; ///< of the phase
    err_t fault;         ///< why the map was not stored; "" = it was
} cl_download_state_t;

/// The return of a client that lost the connection to its player.
typedef struct {
    netaddr_t server;
    rejoin_key_t key; ///< of the last WELCOME; zeros = none
    int32_t grace_ms; ///< how long the player waits
    bool was_sealed;  ///< the key came sealed
    int32_t tries;
    int64_t end_ms; ///< the player waits no longer
} cl_return_t;

struct cl_s {
    cl_config_t config;
    cl_state_t state;
    int32_t peer; ///< the server in the transport; -1 = none
    int32_t slot; ///< client slot; -1 = not accepted yet
    bool spectator;
    bool has_map_info; ///< a CTL_MAP was received
    bool is_busy;      ///< the server loads a map
    bool is_back;      ///< returned to its player, and has not received the map yet
    int32_t known_map; ///< after a return to the same map: number of the last CL_EVENT_MAP; else -1
    bool wants_full;   ///< the baseline is lost: acknowledge 0 to get a full snapshot
    int64_t now_ms;
    int64_t drained_ms;  ///< last time at which no message was left to read
    int32_t waited_us;   ///< cl_net_event_t.waited_us of the message being read
    int64_t deadline_ms; ///< deadline for the welcome or the first snapshot
    cl_return_t back;
    char name[MAX_NAME_BYTES];
    char password[CTL_PASSWORD_BYTES];
    char token[CTL_TOKEN_BYTES]; ///< a token or a ticket; "" = none
    char reason[MAX_TEXT_BYTES];
    ctl_map_t map;
    int64_t maps_empty_ms; ///< leaky bucket of map searches: time at which it is empty
    const cmap_t *cmap;    ///< the loaded map; NULL = none
    cl_download_state_t download;
    err_t map_fault;   ///< why there is none; "" = nobody looked for it
    ctl_infos_t infos; ///< own settings; sent after each HELLO
    cl_player_t players[PROTO_MAX_CLIENTS];
    /// By index, then by slot: few settings of many players use few pages.
    ctl_info_t settings[MAX_INFO_KEYS][PROTO_MAX_CLIENTS];
    ctl_skeletons_t skeletons;
    cl_names_t names;
    field_schema_t schema, next_schema; ///< of this map, and of the MAP that follows
    snapshot_ring_t *ring;
    cl_input_t input;
    uint8_t pressed; ///< buttons pressed since the last command
    cl_clock_t clock;
    cl_round_trip_t round_trip;
    cl_view_t view;
    cl_link_t link;
    cl_cmds_t cmds;
    cl_prediction_t prediction;
    cl_smooth_t smooth;
    cl_world_t world; ///< world of the prediction
    cl_event_t events[CL_MAX_EVENTS];
    int32_t first_event, num_events;
    event_window_t received_events;             ///< of the snapshots of this map
    uint32_t last_filled_ms, last_dropped_cmds; ///< totals in the newest snapshot
    cl_stats_t stats;
};

/// Returns the newest snapshot, NULL before the first.
const snapshot_t *Client_Newest(const cl_t *cl);

/// Appends an event and returns it. If the list is full, counts it as lost and returns NULL.
cl_event_t *Client_Event(cl_t *cl, cl_event_type_t type, int32_t number, const char *text);

/// Appends a sound or an effect, unless the list is nearly full.
void Client_GameEvent(cl_t *cl, const game_event_t *event, int64_t tick);

/// Appends the sounds and effects of the newest snapshot that were not received before.
void Client_SnapshotEvents(cl_t *cl, const snapshot_events_t *events);

/// Disconnects and appends CL_EVENT_DROPPED with `text`.
void Client_Drop(cl_t *cl, net_reason_t reason, const char *text);

/// Tries to return to the player after a lost connection, or ends the session.
void Client_Lose(cl_t *cl, net_reason_t reason, const char *text);

/// Sends a reliable message. Returns false if the transport refuses it.
bool Client_Send(cl_t *cl, const control_msg_t *msg);

/// Adds the names of a message. Returns false if a name neither continues its table nor replaces a
/// placeholder, or if all tables exceed NAMES_BYTES.
bool Client_AddNames(cl_t *cl, const ctl_names_t *message);

void Client_ResetNames(cl_t *cl);

/// Returns a name, or "" if the number is unknown.
const char *Client_Name(const cl_t *cl, names_table_t table, int32_t number);

/// Ends the use of the map; the client then has none.
void Client_ReleaseMap(cl_t *cl);

/// Sends READY, with the map that was found or without, and appends CL_EVENT_MAP.
void Client_MapFound(cl_t *cl);

/// Begins or continues the download of the map of MAP. Returns false if there is none.
bool Client_StartDownload(cl_t *cl);

/// Takes the next bytes of the map. Returns false if they do not follow the last ones.
bool Client_Piece(cl_t *cl, const ctl_piece_t *piece);

/// Confirms received bytes, and ends a wait that is over.
void Client_DownloadFrame(cl_t *cl);

/// Forgets the download.
void Client_EndDownload(cl_t *cl);

void Client_Message(cl_t *cl, uint8_t channel, const uint8_t *data, size_t size);

/// Discards all commands. If `anew` is true, command numbers restart at 0.
void Client_ResetCmds(cl_t *cl, bool anew);

/// Discards the commands that the server has run, and compares the predicted player with the
/// server's.
void Client_AckCmds(cl_t *cl, const snapshot_t *snapshot);

/// Resets the measurement of the round trip for a new session or map.
void Client_ResetRoundTrip(cl_t *cl);

/// Notes the time at which a packet that acknowledges the snapshot of `tick` is sent.
void Client_NoteAck(cl_t *cl, int64_t tick);

void Client_MeasureRoundTrip(cl_t *cl);

/// Returns the round trip time, ms. Before the first measurement, uses the transport's.
int32_t Client_RoundTrip(const cl_t *cl);

void Client_SendCmds(cl_t *cl);

/// Measures a new snapshot for CL_NetGraph.
void Client_LinkSnapshot(cl_t *cl);

/// Resets the shown time for a new session or map.
void Client_ViewReset(cl_t *cl);

/// Adjusts the shown time to the snapshot of `tick`. `before`: tick of the previous snapshot.
void Client_ViewSnapshot(cl_t *cl, int64_t tick, int64_t before);

/// Advances the shown time; called by CL_Frame.
void Client_ViewFrame(cl_t *cl);

/// Writes the followed player, interpolated at the shown time.
void Client_Followed(const cl_t *cl, player_state_t *player);

cl_cmd_t *Client_Cmd(cl_t *cl, uint32_t n);

/// Returns the hash of all that is predicted of a player.
uint64_t Client_HashPlayer(const player_state_t *player);

#endif
