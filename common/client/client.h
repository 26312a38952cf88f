/// client/client.h - the client library: join a server, send input, read snapshots, predict.
/// docs/client.md is the guide.
//
// Units:   qu, qu/s, degrees, ms of the monotonic clock of the caller.
// Memory:  a client owns one block. There are no globals, so a process may have any number of
//          clients. The caller owns the transport and the maps.
// Errors:  bytes from the server are checked to the last bit. Invalid ones end the session with
//          CL_EVENT_DROPPED and a reason.
//
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
#include "state/player_state.h"
#include "state/usercmd.h"

EXTERN_C_BEGIN

typedef struct cl_s cl_t;

/// Maps found in folders, loaded once and shared by the clients of a thread.
typedef struct cl_maps_s cl_maps_t;

/// Creates the list of maps. `folders`: paths separated by ':', searched in order for NAME.bsp and
/// NAME.emesh. Returns NULL if out of memory.
cl_maps_t *CL_MapsCreate(const char *folders);

/// Frees the maps, which no client may use afterwards. NULL is allowed.
void CL_MapsDestroy(cl_maps_t *maps);

typedef struct {
    transport_t *net; ///< a transport for this client only; must outlive it
    cl_maps_t *maps;  ///< NULL = no maps; CL_Predicted then equals CL_Self
    const log_t *log; ///< NULL = silent
    int32_t cmd_ms;   ///< length of a usercmd, 1..MAX_CMD_MSEC; 0 = a server tick
    /// Delay of the shown time after the newest snapshot, ms, so that entities are shown between
    /// two snapshots. 0 = the time between two snapshots; negative = show the newest at once.
    int32_t interp_ms;
} cl_config_t;

/// Creates a disconnected client. Returns NULL if out of memory.
cl_t *CL_Create(const cl_config_t *config);

/// Frees a client without disconnecting from its server. NULL is allowed.
void CL_Destroy(cl_t *cl);

typedef enum {
    CL_DISCONNECTED, ///< CL_Reason returns why
    CL_CONNECTING,   ///< waits for the server's welcome
    CL_LOADING,      ///< has a slot; waits for the map and the first snapshot
    CL_ACTIVE        ///< plays
} cl_state_t;

/// Starts to join a server. Returns false with the reason: not disconnected, no free peer in the
/// transport, or a name that is too long.
bool CL_Connect(cl_t *cl, netaddr_t server, const char *name, bool spectator, err_t *err);

/// Leaves the server. The state is CL_DISCONNECTED at once; later CL_Frames send the disconnect.
void CL_Disconnect(cl_t *cl);

/// Receives messages and sends the commands that are due. Call it at least once per server tick.
void CL_Frame(cl_t *cl, int64_t now_ms);

cl_state_t CL_State(const cl_t *cl);

/// Returns why the client is disconnected; "" while connected, or before the first connection.
const char *CL_Reason(const cl_t *cl);

/// Input of the player; it holds until changed.
typedef struct {
    float forward, side, up; ///< wished speed along the view, qu/s, +-MAX_WISH_SPEED
    float pitch, yaw;        ///< degrees
    uint8_t buttons;         ///< BUTTON_*
    uint8_t impulse;         ///< sent with one command, then reset to 0
} cl_input_t;

/// Sets the input. Clamps numbers out of range; NaN becomes the lower limit.
void CL_SetInput(cl_t *cl, const cl_input_t *input);

/// Returns the client slot, -1 before the server accepts. The player's edict is slot + 1.
int32_t CL_Slot(const cl_t *cl);

/// Returns the tick of the newest snapshot, which is the number of ticks run; 0 = none.
int64_t CL_ServerTick(const cl_t *cl);

/// Returns the length of a server tick, ms; 0 before the first map.
int32_t CL_TickMs(const cl_t *cl);

/// Returns the highest useful wished speed, qu/s: sv_maxspeed, or sv_spectatormaxspeed for a
/// spectator; 0 before the first map.
float CL_MaxSpeed(const cl_t *cl);

/// Returns the name of the map, "" before the first.
const char *CL_MapName(const cl_t *cl);

/// Returns true if the map with the server's hash is loaded, so that prediction has geometry.
bool CL_HasMap(const cl_t *cl);

/// Writes the player state of the newest snapshot. Returns false before the first.
bool CL_Self(const cl_t *cl, player_state_t *player);

/// Writes the predicted player: the state of the newest snapshot after all commands that the server
/// had not run. Without a map this is the state of CL_Self. Returns false before the first
/// snapshot.
bool CL_Predicted(cl_t *cl, player_state_t *player);

/// Copies at most `max` entities of the newest snapshot, sorted by number, and returns their count.
/// Pushers have their origin, velocity and angles at its tick. The player is not in the list.
int32_t CL_Entities(const cl_t *cl, entity_state_t *list, int32_t max);

/// Writes the time to show: ticks run, and 1/65536 of the next tick. The server receives it with
/// the commands (view_tick) and compensates hits for it. Returns false before the first snapshot.
bool CL_ViewTime(const cl_t *cl, int64_t *tick, uint16_t *frac);

/// Writes the pose of an entity at a time. Pushers follow their motion record exactly, at any time.
/// Others are interpolated between the two nearest snapshots. Returns false if neither has the
/// entity.
bool CL_EntityPose(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, pose_t *pose);

/// Animation of an entity at a time. With the model of that number (model/model.h), Pose_Evaluate
/// gives the bone pose, and Hitbox_Place the hitboxes that the server uses.
typedef struct {
    int32_t skeleton;      ///< number of its model
    int32_t animations[2]; ///< numbers in that model; -1 or out of range = bind pose
    int64_t times_ms[2];   ///< time each has run; may exceed its length
    float blend;           ///< share of the second, [0, 1]
    float controllers[4];  ///< degrees or qu, before the model's limits
} cl_bones_t;

/// Writes the animation of an entity with a skeleton. CL_EntityPose gives the pose of its model;
/// that of a player stays upright and uses the yaw only. A new animation applies from its start,
/// controllers and blends from the snapshot that brings them. Returns false without skeleton, or if
/// the entity is in neither of the two nearest snapshots. The cvar sv_send_bones limits which
/// skeletons are sent.
bool CL_EntityBones(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, cl_bones_t *bones);

/// Returns the name of a model with bones; `*hash` (may be NULL) receives the hash of Model_Read.
/// Below FIRST_MAP_SKELETON the name is the game's, otherwise a file below the map's folder.
/// Returns "" and 0 for an unknown number, or for a skeleton of a map that is not loaded.
const char *CL_SkeletonName(const cl_t *cl, int32_t skeleton, uint64_t *hash);

/// Returns the name of the player in a slot, "" for an empty slot.
const char *CL_PlayerName(const cl_t *cl, int32_t slot);

/// Writes a stat of the player in a slot ("score", "armour"); 0 until received. Returns false if
/// the game has no stat of that name.
bool CL_Stat(const cl_t *cl, int32_t slot, const char *name, int32_t *value);

/// Return the number of stats of each player, and the name of one; "" for an index out of range.
int32_t CL_NumStats(const cl_t *cl);
const char *CL_StatName(const cl_t *cl, int32_t index);

typedef enum {
    CL_EVENT_CONNECTED, ///< accepted: text = server name, number = own slot
    CL_EVENT_MAP,       ///< new map: text = its name, number = 1 if it is loaded
    CL_EVENT_ACTIVE,    ///< first snapshot of that map
    CL_EVENT_PRINT,     ///< text for the screen
    CL_EVENT_CENTER,    ///< text for the middle of the screen
    CL_EVENT_CHAT,      ///< number = slot of the speaker, -1 = the operator
    CL_EVENT_EFFECT,    ///< text = name, number = edict, at origin
    CL_EVENT_JOINED,    ///< number = slot, text = name
    CL_EVENT_LEFT,      ///< number = slot, text = former name
    CL_EVENT_DROPPED    ///< the session ended: text = reason
} cl_event_type_t;

typedef struct {
    cl_event_type_t type;
    int32_t number;
    int64_t tick; ///< server tick of the event, if known
    vec3_t origin;
    char text[MAX_TEXT_BYTES];
} cl_event_t;

/// Removes the oldest event. Returns false if there is none. At most 256 events wait; further ones
/// are lost and counted.
bool CL_NextEvent(cl_t *cl, cl_event_t *event);

/// Sends a chat line. Returns false while not joined, or if it cannot be sent.
bool CL_Say(cl_t *cl, const char *text);

/// Sends a command to the game. Returns false while not joined, or if it cannot be sent.
bool CL_Command(cl_t *cl, const char *text);

/// Counters since CL_Create.
typedef struct {
    uint64_t snapshots;         ///< received and decoded
    uint64_t snapshots_stale;   ///< too old, of the previous map, or without baseline
    uint64_t snapshots_missed;  ///< ticks without a snapshot
    uint64_t snapshot_bytes;    ///< payload
    uint64_t deferred_entities; ///< entity states that did not fit
    uint64_t cmds;              ///< commands created
    uint64_t cmd_packets, cmd_bytes;
    uint64_t cmds_skipped;   ///< not created because CL_Frame was not called in time
    uint64_t filled_ms;      ///< time without a command, filled by the server
    uint64_t dropped_cmds;   ///< commands that the server dropped
    uint64_t predictions;    ///< predicted states compared with the server's
    uint64_t mispredictions; ///< of those, different in any bit but the health
    float error_max;         ///< qu, largest difference of origin
    uint64_t events_lost;
    int32_t rtt_ms;  ///< round trip
    int32_t lead_ms; ///< how early commands reach the server; minimum of about a second
    net_counters_t net;
} cl_stats_t;

void CL_Stats(cl_t *cl, cl_stats_t *stats);

EXTERN_C_END

#endif
