/// client/client.h - the client library: joins a server, sends input, receives snapshots, predicts.
/// docs/client.md is the guide.
//
// Units:   qu, qu/s, degrees, ms of the monotonic clock of the caller.
// Memory:  a client is one block. A process may have any number of clients. The caller owns the
//          transport and the maps.
// Errors:  invalid bytes end the session with CL_EVENT_DROPPED and a reason.
//
//     CL_Resolve("example.org", 27500, &address, &err);
//     transport_t *net = EnetTransport_Create(...);
//     cl_t *cl = CL_Create(&(cl_config_t){.net = net, .maps = CL_MapsCreate("maps")});
//     CL_Connect(cl, address, "name", false, &err);
//     for (;;) {
//         CL_Frame(cl, clock_ms());                     // receives, sends commands when due
//         while (CL_NextEvent(cl, &event)) { ... }
//         CL_SetInput(cl, &(cl_input_t){.forward = 320.0f, .yaw = 90.0f});
//     }

#ifndef EDICTD_CLIENT_CLIENT_H
#define EDICTD_CLIENT_CLIENT_H

#include "base/err.h"
#include "base/limits.h"
#include "base/log.h"
#include "net/transport.h"
#include "state/entity_state.h"
#include "state/game_event.h"
#include "state/player_state.h"
#include "state/ticks.h"
#include "state/usercmd.h"

EXTERN_C_BEGIN

typedef struct cl_s cl_t;

/// Loaded maps, which the clients of one thread share.
typedef struct cl_maps_s cl_maps_t;

/// Creates an empty list of maps. `folders`: paths separated by ':', searched in order for NAME.bsp
/// and NAME.emesh. Returns NULL if out of memory.
cl_maps_t *CL_MapsCreate(const char *folders);

/// Frees the maps. Destroy the clients that use them first. NULL is allowed.
void CL_MapsDestroy(cl_maps_t *maps);

#define CL_SILENCE_MS 2800
#define CL_SMOOTH_MS  100

typedef struct {
    transport_t *net; ///< used by this client only; must outlive the client
    cl_maps_t *maps;  ///< NULL = no prediction: CL_Predicted equals CL_Self
    const log_t *log; ///< NULL = silent
    int32_t cmd_ms;   ///< duration of a usercmd, 1..MAX_CMD_MSEC; 0 = one server tick
    /// Delay of the shown world behind the newest snapshot, ms, for interpolation. 0 = adaptive:
    /// as long as the jitter of the network needs; negative = none.
    int32_t interp_ms;
    /// The session ends after this silence of the server, ms; 0 = CL_SILENCE_MS. While the server
    /// loads a map, the limit is NET_BUSY_MS.
    int32_t silence_ms;
    int32_t smooth_ms; ///< duration in which CL_Smoothed fades a correction out; 0 = CL_SMOOTH_MS
    /// After a lost connection, the session ends at once. By default, the client tries to return to
    /// its player, for as long as the server keeps it (sv_grace_ms).
    bool no_reconnect;
    /// Returns a loaded model of CL_SkeletonName, or NULL. CL_EntityPose uses it for entities that
    /// follow a bone; models of the map are found without it. NULL = none.
    const struct model_s *(*find_skeleton)(void *context, const char *name, uint64_t hash);
    void *find_context;
} cl_config_t;

/// Creates a disconnected client, or NULL if out of memory.
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
bool CL_Resolve(const char *text, uint16_t default_port, netaddr_t *server, err_t *err);

/// Starts to join a server. Returns false with the reason, such as a name that is too long.
bool CL_Connect(cl_t *cl, netaddr_t server, const char *name, bool spectator, err_t *err);

/// Sets how later joins are sealed. By default, the client uses the seal that the server offers.
/// `server_key`: the public key that the server must have, as text; it requires the seal. NULL =
/// any. Without it, somebody in the middle can pose as the server. Returns false with the reason if
/// the text is no key.
bool CL_SetSeal(cl_t *cl, net_seal_t seal, const char *server_key, err_t *err);

/// Returns true if the session is sealed.
bool CL_IsSealed(const cl_t *cl);

/// Sets the password for later joins; "" = none. Only a sealed session encrypts it. Maximum
/// length: 63 bytes.
bool CL_SetPassword(cl_t *cl, const char *password, err_t *err);

/// Sets the token or ticket for the next join; "" = none. It is sent only in a sealed session, to
/// the server whose key the transport expects; without such a key, returns false. A token can be
/// used once: after the join, the server's ticket (CL_EVENT_TICKET) takes its place.
bool CL_SetToken(cl_t *cl, const char *token, err_t *err);

/// Sets a setting of the own player: "name", "colour" (RRGGBB), "rate" (wished bytes per second, 0
/// = any), or one of the game. Sends it if joined, and after each later join. The server may refuse
/// it with a CL_EVENT_PRINT; CL_Info returns the valid one. Limits: 31 bytes of key, 63 of value,
/// 16 keys.
bool CL_SetInfo(cl_t *cl, const char *key, const char *value, err_t *err);

/// Leaves the server. The next CL_Frame sends the disconnect.
void CL_Disconnect(cl_t *cl);

/// Receives messages and sends due commands. Call it at least once per server tick.
void CL_Frame(cl_t *cl, int64_t now_ms);

cl_state_t CL_State(const cl_t *cl);

/// Returns why the client is disconnected or reconnects, or "".
const char *CL_Reason(const cl_t *cl);

/// Input of the player until the next CL_SetInput.
typedef struct {
    float forward, side, up; ///< wished speed along the view, qu/s, +-MAX_WISH_SPEED
    float pitch, yaw;        ///< degrees
    uint8_t buttons;         ///< BUTTON_*
    uint8_t impulse;         ///< sent with one command, then reset to 0
} cl_input_t;

/// Sets the input. Clamps numbers; NaN becomes the lower limit.
void CL_SetInput(cl_t *cl, const cl_input_t *input);

/// Returns the client slot, or -1 before the server accepts. Edict slot + 1 is the player.
int32_t CL_Slot(const cl_t *cl);

/// Returns the server tick of the newest snapshot, or 0 if there is none.
int64_t CL_ServerTick(const cl_t *cl);

/// Returns the server's ticks in 1,000 s, or 0 before the first map. state/ticks.h computes times.
int32_t CL_TickRate(const cl_t *cl);

/// Returns the player's maximum wished speed, qu/s, or 0 before the first map. It is sv_maxspeed,
/// or sv_spectatormaxspeed for a spectator.
float CL_MaxSpeed(const cl_t *cl);

/// Returns the name of the map, or "" before the first map.
const char *CL_MapName(const cl_t *cl);

/// Returns true if the server's map is loaded. Otherwise nothing is predicted.
bool CL_HasMap(const cl_t *cl);

/// Writes the player state of the newest snapshot. Returns false before the first snapshot.
bool CL_Self(const cl_t *cl, player_state_t *player);

/// Writes the predicted player: the newest snapshot plus all commands that the server has not run.
/// Equals CL_Self without a map. While the client follows a player, interpolates that player at
/// CL_ViewTime. Returns false before the first snapshot.
bool CL_Predicted(cl_t *cl, player_state_t *player);

/// Like CL_Predicted, for drawing: if a snapshot corrects the predicted origin, the error fades out
/// linearly within smooth_ms. Teleports, respawns and corrections above 64 qu show at once.
bool CL_Smoothed(cl_t *cl, player_state_t *player);

/// Returns the slot of the player whose view the client receives (command "follow"), or -1 for its
/// own. CL_Self and CL_Predicted then return that player. Do not draw its entity, slot + 1.
int32_t CL_Followed(const cl_t *cl);

/// Copies at most `max` entities of the newest snapshot, sorted by number, without the own player.
/// Returns their count.
int32_t CL_Entities(const cl_t *cl, entity_state_t *list, int32_t max);

/// Copies an entity of the newest snapshot. The own player has only a class, model, skeleton,
/// effects, generation, type, owner and fields. Returns false if the snapshot lacks the entity.
bool CL_Entity(const cl_t *cl, int32_t number, entity_state_t *entity);

/// Writes the time of the shown world: a server tick, and a fraction of the next in 1/65536.
/// Returns false before the first snapshot.
bool CL_ViewTime(const cl_t *cl, int64_t *tick, uint16_t *frac);

/// Writes the pose of an entity at a time. Interpolates entities without a motion record. Poses a
/// follower by its leader at that time, or by the own player of the last CL_Predicted. If the model
/// of its bone is unknown, a follower is at the leader's origin. Returns false for the own player,
/// and if the two nearest snapshots lack the entity or its leader.
bool CL_EntityPose(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, pose_t *pose);

/// The animation of an entity at a time. Input of Pose_Evaluate (model/model.h).
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

/// Returns the name of a skeleton's model, or "" if unknown. Below FIRST_MAP_SKELETON, the game
/// defines the name; otherwise it is a file below the map's folder. `*hash`: hash of the model, 0
/// if unknown; may be NULL.
const char *CL_SkeletonName(const cl_t *cl, int32_t skeleton, uint64_t *hash);

/// Return the name of an entity's class and of its model, or "" if it has none or the name has not
/// arrived. Brush models have no name.
const char *CL_ClassName(const cl_t *cl, const entity_state_t *entity);
const char *CL_ModelName(const cl_t *cl, const entity_state_t *entity);

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
    bool is_lost;    ///< lost the connection, and waits for its client
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
    CL_EVENT_RETURNED,     ///< like CL_EVENT_CONNECTED; the player had waited
    CL_EVENT_DROPPED       ///< the session ended: text = reason
} cl_event_type_t;

typedef struct {
    cl_event_type_t type;
    int32_t number;
    int64_t tick;    ///< server tick; of a text, that of the newest snapshot. 0 = unknown
    bool team;       ///< CL_EVENT_CHAT: only for the own team
    int32_t entity;  ///< sound, effect: the edict that causes it, 0 = none or unknown
    bool has_origin; ///< sound, effect: false = it happens nowhere, or at an unknown entity
    vec3_t origin;
    int32_t range; ///< qu; 0 = everywhere
    float volume;  ///< [0, 1]
    int32_t num_args;
    int32_t args[GAME_EVENT_ARGS];
    char text[MAX_TEXT_BYTES];
    char name[MAX_NAME_BYTES]; ///< CL_EVENT_CHAT: the speaker, who may have left since.
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
    uint64_t cmds_skipped;   ///< commands not created, because CL_Frame was called too late
    uint64_t filled_ms;      ///< time in which the server repeated the last command
    uint64_t dropped_cmds;   ///< commands that the server dropped
    uint64_t predictions;    ///< predicted states compared with the server's
    uint64_t mispredictions; ///< predictions that differ in more than health
    float error_max;         ///< largest error of a predicted origin, qu
    uint64_t events_lost;
    int32_t rtt_ms;  ///< round trip time
    int32_t lead_ms; ///< minimum spare time of commands at the server, over a second
    net_counters_t net;
} cl_stats_t;

void CL_Stats(cl_t *cl, cl_stats_t *stats);

EXTERN_C_END

#endif
