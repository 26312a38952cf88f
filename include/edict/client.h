/// edict/client.h - the client library: joins a server, sends input, receives snapshots, predicts.
/// docs/client.md is the guide. Link with the flags of `pkg-config edict_client`.
//
// Units:   qu, qu/s, degrees, ms of the monotonic clock of the caller.
// Memory:  a client is one block. A process may have any number of clients; each is used by one
//          thread at a time. The caller owns the transport and the maps.
// Errors:  a function that fails returns false, NULL or -1 and writes the reason; `err` may be
//          NULL. Invalid bytes end the session with CL_EVENT_DROPPED and a reason that begins with
//          CL_BAD_DATA.
//
// The library starts no thread and prints nothing. No byte from outside ends the program.

#ifndef EDICT_CLIENT_H
#define EDICT_CLIENT_H

#include "edict/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cl_s cl_t;

/// Returns the version of the library, as "1.2.3".
const char *CL_Version(void);

// ---- limits and defaults ----

#define CL_FIRST_MAP_SKELETON 16    // lower numbers of models with bones are the game's
#define CL_MAX_WISH_SPEED     8191  // maximum of |forward|, |side| and |up|, qu/s
#define CL_MAX_CMD_MS         100   // maximum duration of a usercmd, ms
#define CL_SILENCE_MS         2800  // silence of the server that ends a session, ms
#define CL_BUSY_MS            30000 // the same while the server loads a map, ms
#define CL_MAX_INTERP_MS      1000  // maximum of cl_config_t.interp_ms
#define CL_SMOOTH_MS          100   // duration in which CL_Smoothed fades a correction out, ms
#define CL_BAD_DATA           "bad data from the server" // begins a reason: CL_EVENT_DROPPED

// ---- network and maps ----

typedef struct {
    cl_address_t local; ///< address to send from; 0 = any
    int32_t max_peers;  ///< maximum of connections, including those that end; 0 = 4
    /// A simulated bad network: "PRESET", "KEY=VALUE,..." or both, as --network of edict-relay(1).
    /// NULL = off.
    const char *network;
    uint64_t seed; ///< seed of the random numbers of `network`
} cl_net_config_t;

/// Opens a UDP socket and returns a transport. `config`: NULL = all zero. The clients of all such
/// transports of a process need the same clock and thread. Returns NULL with the reason.
cl_transport_t *CL_NetCreate(const cl_net_config_t *config, cl_err_t *err);

/// Loaded maps, which the clients of one thread share.
typedef struct cl_maps_s cl_maps_t;

/// Creates an empty list of maps. `folders`: paths separated by ':', searched in order for NAME.bsp
/// and NAME.emesh. Returns NULL if out of memory.
cl_maps_t *CL_MapsCreate(const char *folders);

/// Files of a program, such as those of an archive or a download.
typedef struct {
    /// Returns the bytes of a file, or NULL if there is none. `path`: "arena.bsp", or
    /// "meshes/rock.emesh", which a map names; never with ".." or a leading "/".
    const void *(*open)(void *context, const char *path, size_t *size);
    void (*close)(void *context, const void *data); ///< ends the use of the bytes; may be NULL
    void *context;
} cl_storage_t;

/// Like CL_MapsCreate, with maps from a storage, which must outlive them.
cl_maps_t *CL_MapsCreateFrom(const cl_storage_t *storage);

/// Allows downloads of maps that the folders lack. Creates `folder`, stores each map in it as
/// HASH/NAME.bsp with the hash of the map, and searches it last. A list stores at most 1 GiB.
/// Returns false with the reason.
bool CL_MapsDownload(cl_maps_t *maps, const char *folder, cl_err_t *err);

/// Stores a downloaded file. `path`: as in cl_storage_t, such as "0123456789abcdef/arena.bsp".
/// Returns false if that fails.
typedef bool cl_store_t(void *context, const char *path, const void *data, size_t size);

/// Like CL_MapsDownload, with a function that stores the file, for maps of CL_MapsCreateFrom. Its
/// storage should find the file later. NULL = no downloads.
void CL_MapsDownloadTo(cl_maps_t *maps, cl_store_t *store, void *context);

/// Frees the maps. Destroy the clients that use them first. NULL is allowed.
void CL_MapsDestroy(cl_maps_t *maps);

/// A model with bones, read by CL_ModelRead.
typedef struct model_s cl_model_t;

// ---- a client ----

typedef struct {
    cl_transport_t *net; ///< used by this client only; must outlive the client
    cl_maps_t *maps;     ///< NULL = no prediction: CL_Predicted equals CL_Self
    int32_t cmd_ms;      ///< duration of a usercmd, 1..CL_MAX_CMD_MS; 0 = one server tick
    /// Delay of the shown world behind the newest snapshot, ms, for interpolation, at most
    /// CL_MAX_INTERP_MS. 0 = adaptive: the interval of snapshots and jitter; negative = none.
    int32_t interp_ms;
    /// Silence of the server that ends the session, ms; 0 = CL_SILENCE_MS. While the server loads a
    /// map, the limit is CL_BUSY_MS.
    int32_t silence_ms;
    int32_t smooth_ms; ///< duration in which CL_Smoothed fades a correction out; 0 = CL_SMOOTH_MS
    /// Ends the session at once if the connection is lost. By default, the client tries to return
    /// to its player while the server keeps the player (sv_grace_ms).
    bool no_reconnect;
    /// Time for CL_GiveMap if the server names an address of its map, ms. After it, the download
    /// from the server begins. 0 = at once. Sensible maximum: 40,000.
    int32_t url_ms;
    /// Returns a loaded model of CL_SkeletonName, or NULL. CL_EntityPose uses it for entities that
    /// follow a bone; models of the map are found without it. NULL = none.
    const cl_model_t *(*find_skeleton)(void *context, const char *name, uint64_t hash);
    void *find_context;
} cl_config_t;

/// Creates a disconnected client. Returns NULL if out of memory, or if a field is out of range.
cl_t *CL_Create(const cl_config_t *config);

/// Frees a client without disconnecting. NULL is allowed.
void CL_Destroy(cl_t *cl);

typedef enum {
    CL_DISCONNECTED, ///< not connected; CL_Reason returns why
    CL_CONNECTING,   ///< waits for the server's welcome
    CL_LOADING,      ///< accepted; waits for the map and the first snapshot
    CL_ACTIVE,       ///< in the game
    CL_RECONNECTING  ///< lost the connection; tries to return to the player, which waits
} cl_state_t;

/// Finds the address of a server. `text`: "HOST" or "HOST:PORT", with an IPv4 address or the name
/// of a host. If a name has several addresses, writes the resolver's first. A name blocks the
/// caller, maybe for seconds: resolve before CL_Connect, not between frames. Any thread may call
/// it. Returns false with the reason: an unknown host, no answer, or only IPv6 addresses.
bool CL_Resolve(const char *text, uint16_t default_port, cl_address_t *server, cl_err_t *err);

/// Starts to join a server. Returns false with the reason, such as a name that is too long.
bool CL_Connect(cl_t *cl, cl_address_t server, const char *name, bool spectator, cl_err_t *err);

/// Sets how later joins are sealed: CL_SEAL_*. By default, as the server offers. `server_key`: the
/// public key that the server must have, as text; it requires the seal. NULL = any. Without it,
/// somebody in the middle can pose as the server. Returns false with the reason if the text is no
/// key.
bool CL_SetSeal(cl_t *cl, uint32_t seal, const char *server_key, cl_err_t *err);

/// Returns true if the session is sealed.
bool CL_IsSealed(const cl_t *cl);

/// Sets the password for later joins; "" = none. Only a sealed session encrypts it. Maximum
/// length: 63 bytes.
bool CL_SetPassword(cl_t *cl, const char *password, cl_err_t *err);

/// Sets the token or ticket for the next join; "" = none. It is sent only in a sealed session, to
/// the server whose key the transport expects; without such a key, returns false. A token can be
/// used once: after the join, the server's ticket (CL_EVENT_TICKET) takes its place.
bool CL_SetToken(cl_t *cl, const char *token, cl_err_t *err);

/// Sets a setting of the own player: "name", "colour" (RRGGBB), "rate" (wished bytes per second, 0
/// = any), or one of the game. Sends it if joined, and after each later join. The server may refuse
/// it with a CL_EVENT_PRINT; CL_Info returns the valid one. Limits: 31 bytes of key, 63 of value,
/// 16 keys.
bool CL_SetInfo(cl_t *cl, const char *key, const char *value, cl_err_t *err);

/// Leaves the server. The next CL_Frame sends the disconnect.
void CL_Disconnect(cl_t *cl);

/// Receives messages and sends due commands. Call it at least once per server tick. A clock that
/// runs backwards counts as stopped.
void CL_Frame(cl_t *cl, int64_t now_ms);

cl_state_t CL_State(const cl_t *cl);

/// Returns why the client is disconnected or reconnects, or "".
const char *CL_Reason(const cl_t *cl);

/// Input of the player until the next CL_SetInput.
typedef struct {
    float forward, side, up; ///< wished speed along the view, qu/s, +-CL_MAX_WISH_SPEED
    float pitch, yaw;        ///< degrees
    uint8_t buttons;         ///< CL_BUTTON_*
    uint8_t impulse;         ///< sent with one command, then reset to 0
} cl_input_t;

/// Sets the input. Clamps numbers; NaN becomes the lower limit.
void CL_SetInput(cl_t *cl, const cl_input_t *input);

/// Returns the client slot, or -1 before the server accepts. Edict slot + 1 is the player.
int32_t CL_Slot(const cl_t *cl);

/// Returns the server tick of the newest snapshot, or 0 if there is none.
int64_t CL_ServerTick(const cl_t *cl);

/// Returns the server's ticks in 1,000 s, or 0 before the first map.
int32_t CL_TickRate(const cl_t *cl);

/// Returns the player's maximum wished speed, qu/s, or 0 before the first map. It is sv_maxspeed,
/// or sv_spectatormaxspeed for a spectator.
float CL_MaxSpeed(const cl_t *cl);

/// Returns the world time at frac / 65536 of a tick, ms. Tick n ends at floor(1000 n / rate) ms.
int64_t CL_TickMs(const cl_t *cl, int64_t tick, uint16_t frac);

/// Returns the name of the map, or "" before the first map.
const char *CL_MapName(const cl_t *cl);

/// Returns true if the server's map is loaded. Otherwise nothing is predicted.
bool CL_HasMap(const cl_t *cl);

/// Returns why the server's map is not loaded, or "".
const char *CL_MapFault(const cl_t *cl);

/// The download of the server's map.
typedef struct {
    int32_t received, total; ///< bytes as sent, compressed
    const char *url;         ///< http or https address of the map's file; "" = none
    const char *fault;       ///< why the downloaded map was not stored; "" = it was
} cl_download_t;

/// Writes the progress of the last download. Returns true while it runs or waits for CL_GiveMap.
/// The texts are valid until the next CL_Frame.
bool CL_Download(const cl_t *cl, cl_download_t *download);

/// Passes the bytes of the map's file from the address of CL_EVENT_DOWNLOAD, which are copied.
/// Returns false with the reason if they are not the server's map; the download continues.
bool CL_GiveMap(cl_t *cl, const void *data, size_t size, cl_err_t *err);

/// Writes the player state of the newest snapshot. Returns false before the first snapshot.
bool CL_Self(const cl_t *cl, cl_player_state_t *player);

/// Writes the predicted player: the newest snapshot plus all commands that the server has not run.
/// Equals CL_Self without a map. While the client follows a player, interpolates that player at
/// CL_ViewTime. Returns false before the first snapshot.
bool CL_Predicted(cl_t *cl, cl_player_state_t *player);

/// Like CL_Predicted, for drawing: if a snapshot corrects the predicted origin, the error fades out
/// linearly within smooth_ms. Teleports, respawns and corrections above 64 qu show at once.
bool CL_Smoothed(cl_t *cl, cl_player_state_t *player);

/// Returns the height of a player's eyes above its origin, qu; the player may be ducking.
float CL_ViewHeight(const cl_t *cl, const cl_player_state_t *player);

/// Returns the slot of the player whose view the client receives (command "follow"), or -1 for its
/// own. CL_Self and CL_Predicted then return that player. Do not draw its entity, slot + 1.
int32_t CL_Followed(const cl_t *cl);

/// Returns the number of entities that CL_Entities can copy.
int32_t CL_NumEntities(const cl_t *cl);

/// Copies at most `max` entities of the newest snapshot, sorted by number, without the own player.
/// Returns their count.
int32_t CL_Entities(const cl_t *cl, cl_entity_state_t *list, int32_t max);

/// Copies an entity of the newest snapshot. The own player has only a class, model, skeleton,
/// effects, generation, type, owner and fields. Returns false if the snapshot lacks the entity.
bool CL_Entity(const cl_t *cl, int32_t number, cl_entity_state_t *entity);

/// Writes the time of the shown world: a server tick, and a fraction of the next in 1/65536.
/// Returns false before the first snapshot.
bool CL_ViewTime(const cl_t *cl, int64_t *tick, uint16_t *frac);

/// Writes the pose of an entity at a time. Interpolates entities without a motion record. Poses a
/// follower by its leader at that time, or by the own player of the last CL_Predicted. If the model
/// of its bone is unknown, a follower is at the leader's origin. Returns false for the own player,
/// and if the two nearest snapshots lack the entity or its leader.
bool CL_EntityPose(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, cl_pose_t *pose);

/// Returns the tick of the newest command, to which CL_Predicted predicts.
int64_t CL_CmdTick(const cl_t *cl);

/// Writes the pose of an entity as the server judges shots of a command of `cmd_tick` made now:
/// pushers at that tick, riders at their place on the pusher at CL_ViewTime, all else like
/// CL_EntityPose at CL_ViewTime. Draw with CL_CmdTick; aim the next command with CL_CmdTick + 1.
bool CL_ShownPose(const cl_t *cl, int32_t number, int64_t cmd_tick, cl_pose_t *pose);

/// Writes the box of an entity at a time, relative to its pose, qu. Returns false if the two
/// nearest snapshots lack the entity.
bool CL_EntityBox(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, cl_vec3_t *mins,
                  cl_vec3_t *maxs);

/// The animation of an entity at a time. Input of CL_ModelPose.
typedef struct {
    int32_t skeleton;      ///< skeleton number, for CL_SkeletonName
    int32_t animations[2]; ///< two blended animations; -1 or out of range = bind pose
    int64_t times_ms[2];   ///< time since each animation started; may exceed its length
    float blend;           ///< weight of the second animation, [0, 1]
    float controllers[4];  ///< degrees or qu, before clamping to the model's limits
} cl_bones_t;

/// Writes the animation of an entity at a time. For a player's model, set pitch and roll of
/// CL_EntityPose to 0. Returns false if the entity has no skeleton or the two nearest snapshots
/// lack the entity. sv_send_bones limits which skeletons are sent.
bool CL_EntityBones(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, cl_bones_t *bones);

/// Returns the name of a skeleton's model, or "" if unknown. Below CL_FIRST_MAP_SKELETON, the game
/// defines the name; otherwise it is a file below the map's folder. `*hash`: hash of the model, 0
/// if unknown; may be NULL.
const char *CL_SkeletonName(const cl_t *cl, int32_t skeleton, uint64_t *hash);

/// Returns true if an entity has a brush model of the map, "*n": `model` is n.
bool CL_IsBrush(const cl_entity_state_t *entity);

/// Return the name of an entity's class and of its model, or "" if it has none or the name has not
/// arrived. Brush models have no name.
const char *CL_ClassName(const cl_t *cl, const cl_entity_state_t *entity);
const char *CL_ModelName(const cl_t *cl, const cl_entity_state_t *entity);

/// Return the name of a sound or effect of the game; "" if unknown.
const char *CL_SoundName(const cl_t *cl, int32_t sound);
const char *CL_EffectName(const cl_t *cl, int32_t effect);

/// Returns the name of the player in a slot, or "" for an empty slot.
const char *CL_PlayerName(const cl_t *cl, int32_t slot);

/// Player in a slot, for a list of players.
typedef struct {
    int32_t slot;
    const char *name; ///< valid until the next CL_Frame
    bool is_spectator;
    bool is_lost;    ///< lost the connection; waits for its client
    int32_t team;    ///< 0 = none
    int32_t ping_ms; ///< round trip time that the server measures; smoothed
    int32_t score;   ///< the game's CL_ScoreField; 0 if it has none
} cl_player_row_t;

/// Writes the player in a slot. Returns false for an empty slot.
bool CL_Player(const cl_t *cl, int32_t slot, cl_player_row_t *row);

/// Writes at most `max` players, by slot, also the own one. Returns their count.
int32_t CL_Players(const cl_t *cl, cl_player_row_t *list, int32_t max);

/// Returns a setting of the player in a slot, such as "colour". Returns "" if it is unknown, and
/// for "rate", which is not sent to players.
const char *CL_Info(const cl_t *cl, int32_t slot, const char *key);

/// Which fields: of entities, of players, or of the world (the match).
typedef enum { CL_SCOPE_ENTITY, CL_SCOPE_PLAYER, CL_SCOPE_WORLD } cl_scope_t;

/// Return the number of fields that the game declares for a scope, and the name of one; "" if the
/// index is invalid. Players always have "ping" (ms), "team" and "spectator".
int32_t CL_NumFields(const cl_t *cl, cl_scope_t scope);
const char *CL_Field(const cl_t *cl, cl_scope_t scope, int32_t index);

/// Returns the name of the players' field that is the score, or "".
const char *CL_ScoreField(const cl_t *cl);

typedef enum { CL_VALUE_INT, CL_VALUE_FLOAT, CL_VALUE_TEXT, CL_VALUE_ENTITY } cl_value_type_t;

/// Value of a field. `number` and `real` hold every number, rounded if necessary.
typedef struct {
    cl_value_type_t type;
    int32_t number; ///< also the number of an entity; 0 = none, or not visible
    float real;
    const char *text; ///< "" if the field is no text; valid until the map changes
} cl_value_t;

/// Write a field of the newest snapshot. 0 or "" if it was not received: the entity is not visible,
/// or the field is sent to its owner only. Return false if there is no field of this name.
bool CL_EntityField(const cl_t *cl, int32_t number, const char *name, cl_value_t *value);
bool CL_PlayerField(const cl_t *cl, int32_t slot, const char *name, cl_value_t *value);
bool CL_WorldField(const cl_t *cl, const char *name, cl_value_t *value);

typedef enum {
    CL_EVENT_CONNECTED,    ///< the server accepted: text = server name, number = own slot
    CL_EVENT_MAP,          ///< a new map: text = its name, number = 1 if it is loaded
    CL_EVENT_ACTIVE,       ///< the first snapshot of the map arrived
    CL_EVENT_PRINT,        ///< text for the screen
    CL_EVENT_CENTER,       ///< text for the middle of the screen; may have several lines
    CL_EVENT_CHAT,         ///< number = slot of the speaker, -1 = the operator
    CL_EVENT_SOUND,        ///< text = name; entity, origin, range, volume, args
    CL_EVENT_EFFECT,       ///< like CL_EVENT_SOUND: something to draw, or another event of the game
    CL_EVENT_JOINED,       ///< number = slot, text = name
    CL_EVENT_LEFT,         ///< number = slot, text = former name
    CL_EVENT_INFO,         ///< settings of a player changed: number = slot, text = name now
    CL_EVENT_TICKET,       ///< text = a ticket for later joins, also of a restarted client
    CL_EVENT_LOST,         ///< a player lost the connection, and waits: number = slot, text = name
    CL_EVENT_BACK,         ///< a lost player is back: number = slot, text = name
    CL_EVENT_RECONNECTING, ///< the own connection was lost: text = reason
    CL_EVENT_RETURNED,     ///< like CL_EVENT_CONNECTED; the player had waited. CL_EVENT_MAP follows
                           ///< only if the map has changed, CL_EVENT_ACTIVE always
    CL_EVENT_DROPPED,      ///< the session ended: text = reason
    CL_EVENT_DOWNLOAD      ///< the map is downloaded: number = bytes, text = address or "".
                           ///< CL_EVENT_MAP follows
} cl_event_type_t;

typedef struct {
    cl_event_type_t type;
    int32_t number;
    int64_t tick;    ///< server tick; of a text, that of the newest snapshot. 0 = unknown
    bool team;       ///< CL_EVENT_CHAT: only for the own team
    int32_t entity;  ///< sound, effect: the edict that causes it, 0 = none or unknown
    bool has_origin; ///< sound, effect: false = it happens nowhere, or at an unknown entity
    cl_vec3_t origin;
    int32_t range; ///< qu; 0 = everywhere
    float volume;  ///< [0, 1]
    int32_t num_args;
    int32_t args[CL_EVENT_ARGS];
    char text[CL_TEXT_BYTES];
    char name[CL_NAME_BYTES]; ///< CL_EVENT_CHAT: the speaker, who may have left since.
                              ///< CL_EVENT_INFO: the name before
} cl_event_t;

/// Removes the oldest event and writes it. Returns false if there is none. At most 256 events wait;
/// the last 64 places are for events that are no sounds or effects.
bool CL_NextEvent(cl_t *cl, cl_event_t *event);

/// Sends a chat line. Returns false if not joined, or if the transport refuses it.
bool CL_Say(cl_t *cl, const char *text);

/// Like CL_Say, to the own team. Players without a team are one, and spectators are one.
bool CL_SayTeam(cl_t *cl, const char *text);

/// Sends a game command. Returns false if not joined, or if the transport refuses it.
bool CL_Command(cl_t *cl, const char *text);

/// Counters since CL_Create.
typedef struct {
    uint64_t snapshots;         ///< snapshots received and decoded
    uint64_t snapshots_stale;   ///< ignored: too old, for another map, or without baseline
    uint64_t snapshots_missed;  ///< ticks without a snapshot
    uint64_t snapshot_bytes;    ///< bytes of snapshot messages
    uint64_t deferred_entities; ///< entity states postponed by the server for lack of space
    uint64_t cmds;              ///< commands created
    uint64_t cmd_packets, cmd_bytes;
    uint64_t cmds_skipped;    ///< commands not created, because CL_Frame was called too late
    uint64_t filled_ms;       ///< time in which the server repeated the last command
    uint64_t dropped_cmds;    ///< commands that the server dropped
    uint64_t predictions;     ///< predicted states compared with the server's
    uint64_t mispredictions;  ///< predictions that differ in more than health
    uint64_t corrected;       ///< predictions that differed when they were first made and shown
    float error_max;          ///< largest error of a predicted origin, qu
    uint64_t crates_left_out; ///< crates and vehicles of all snapshots that are not predicted,
                              ///< because 32 others are nearer to the player
    uint64_t events_lost;
    uint64_t download_bytes; ///< bytes of maps received from servers, compressed
    int32_t rtt_ms;          ///< round trip time
    int32_t lead_ms;         ///< minimum spare time of commands at the server, over a second
    cl_traffic_t net;
} cl_stats_t;

void CL_Stats(cl_t *cl, cl_stats_t *stats);

#define CL_WHY_BYTES 96

/// The state of the connection over the last five seconds, to draw.
typedef struct {
    int32_t rtt_ms;
    int32_t jitter_ms;                 ///< mean difference of the delays of two snapshots
    float loss_down, loss_up;          ///< share of lost snapshots and usercmd packets, [0, 1]
    int32_t bytes_s, up_bytes_s;       ///< bytes of snapshots and of usercmd packets per second
    int32_t rate_bytes_s;              ///< wished bytes per second of CL_SetInfo; 0 = any
    float full;                        ///< share of snapshots without space for all, [0, 1]
    int32_t queued_ms;                 ///< time of commands that wait at the server
    int32_t filled_ms, skipped;        ///< time that the server filled; commands skipped
    int32_t delay_ms;                  ///< of the shown world, for interpolation
    int32_t silence_ms;                ///< time since the last snapshot
    int32_t left_out;                  ///< crates and vehicles that are too many to be predicted
    float tick_ms;                     ///< length of a server tick
    float tick_mean_ms, tick_worst_ms; ///< time that ticks took, over a second; 0 = unknown
    char why[CL_WHY_BYTES];            ///< CL_WhyLag
} cl_net_graph_t;

/// Writes the state of the connection. Zeros before the first snapshot.
void CL_NetGraph(const cl_t *cl, cl_net_graph_t *graph);

/// Writes one sentence about the worst cause of lag, such as "your uplink lost 3 %"; "" if nothing
/// is wrong. Reads only the numbers of `graph`.
void CL_WhyLag(const cl_net_graph_t *graph, char *text, size_t size);

// ---- models with bones ----

enum { CL_MAX_BONES = 128, CL_MODEL_NAME_BYTES = 32 };

/// Axes and origin of a bone, relative to the model.
typedef struct {
    cl_vec3_t axes[3], origin;
} cl_bone_t;

/// Reads an .emesh file with a skeleton from its bytes, which are copied. `name`: for errors.
/// Returns NULL with the reason.
cl_model_t *CL_ModelRead(const char *name, const void *data, size_t size, cl_err_t *err);

/// Frees a model. NULL is allowed.
void CL_ModelFree(cl_model_t *model);

/// Returns the hash that CL_SkeletonName gives for the same model.
uint64_t CL_ModelHash(const cl_model_t *model);

/// Return the number of bones, and the name of one, "" if there is none. `*parent`: the bone above
/// it, -1 = none; may be NULL.
int32_t CL_ModelBones(const cl_model_t *model);
const char *CL_ModelBone(const cl_model_t *model, int32_t bone, int32_t *parent);

/// Returns the name of an animation, or "". `*length_ms`: its length; may be NULL.
const char *CL_ModelAnimation(const cl_model_t *model, int32_t animation, int32_t *length_ms);

/// Computes all bones of a model as CL_EntityBones gave them, bit-identical to the server.
void CL_ModelPose(const cl_model_t *model, const cl_bones_t *bones, cl_bone_t list[CL_MAX_BONES]);

// ---- the loaded map ----

/// The result of CL_MapTrace. Without a hit, fraction is 1 and normal is zero.
typedef struct {
    float fraction;   ///< fraction of the path before the hit, [0, 1]
    cl_vec3_t end;    ///< origin of the box at the hit, qu
    cl_vec3_t normal; ///< unit normal of the surface
    bool startsolid;  ///< the start is in solid
} cl_trace_t;

/// Sweeps a box through the world model; entities do not stop it. `mins`, `maxs`: box relative to
/// its origin, qu; both zero = a ray. Returns false if no map is loaded.
bool CL_MapTrace(const cl_t *cl, cl_vec3_t start, cl_vec3_t end, cl_vec3_t mins, cl_vec3_t maxs,
                 cl_trace_t *trace);

/// Returns the CL_CONTENTS_* of the world model at a point, CL_CONTENTS_EMPTY if no map is loaded.
int32_t CL_MapContents(const cl_t *cl, cl_vec3_t point);

/// CL_ROUTE_JUMP: a running jump, or out of water. CL_ROUTE_CARRIED: a walk into a teleporter or
/// push pad, which moves the player on.
enum { CL_ROUTE_WALK, CL_ROUTE_JUMP, CL_ROUTE_CARRIED };

/// A corner of a route.
typedef struct {
    cl_vec3_t origin;
    int32_t kind; ///< CL_ROUTE_* of the path to this corner
    float yaw;    ///< direction of the first step to it, degrees
} cl_corner_t;

/// The places that players can reach on a map. One graph serves all clients of a thread.
typedef struct cl_routes_s cl_routes_t;

/// Returns an empty graph, or NULL if out of memory. CL_RoutesDestroy frees it; NULL is allowed.
cl_routes_t *CL_RoutesCreate(void);
void CL_RoutesDestroy(cl_routes_t *routes);

/// Writes the fastest route between two origins of a player, at most `max` corners, in order of
/// travel. It avoids lava and traps, and ignores pushers. Returns the number of corners, 0 if there
/// is no route or no map. Returns -1 while the graph is incomplete: each call extends it for 10 ms.
int32_t CL_Route(cl_routes_t *routes, const cl_t *cl, cl_vec3_t from, cl_vec3_t to,
                 cl_corner_t *list, int32_t max);

// ---- angles ----

/// Writes the unit vectors of a view.
void CL_AngleVectors(cl_vec3_t angles, cl_vec3_t *forward, cl_vec3_t *right, cl_vec3_t *up);

/// Returns the view that looks along a vector; roll is 0.
cl_vec3_t CL_VectorAngles(cl_vec3_t vector);

#ifdef __cplusplus
}
#endif

#endif
