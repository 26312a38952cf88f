/// client/client.h - the client library: join a server, play, see what it sees. This page is all
/// a program needs.
//
// Floor:   client.
// Units:   qu, qu/s, degrees, ms. Time comes from the caller and never goes back.
// Memory:  a client owns its own block; no globals, so any number of clients live in one process
//          (one thread each, or all in one). The transport and the maps belong to the caller.
// Errors:  bytes from the server are checked to the last bit; what does not decode ends the
//          session with CL_EVENT_DROPPED and a reason, and nothing else.
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

/// `folders`: paths with ':' between them, searched in order for NAME.bsp and NAME.emesh. NULL
/// without memory.
cl_maps_t *CL_MapsCreate(const char *folders);

/// Frees it and its maps; no client may use it any more. NULL is fine.
void CL_MapsDestroy(cl_maps_t *maps);

typedef struct {
    transport_t *net; ///< a client transport of this client's own; must outlive it
    cl_maps_t *maps;  ///< NULL = no maps: CL_Predicted then gives what the server said last
    const log_t *log; ///< NULL = silent
    int32_t cmd_ms;   ///< length of a usercmd, 1..MAX_CMD_MSEC; 0 = the server's tick
    /// How far what is shown lies behind the newest snapshot, ms, so that entities can be put
    /// between two; 0 = as long as from one snapshot to the next; negative = the newest as it
    /// comes.
    int32_t interp_ms;
} cl_config_t;

/// A client that is connected to nothing. NULL without memory.
cl_t *CL_Create(const cl_config_t *config);

/// Frees it, without a goodbye. NULL is fine.
void CL_Destroy(cl_t *cl);

typedef enum {
    CL_DISCONNECTED, ///< CL_Reason says why
    CL_CONNECTING,   ///< waits for the server's welcome
    CL_LOADING,      ///< has the slot; waits for the map and the first snapshot
    CL_ACTIVE        ///< plays
} cl_state_t;

/// Starts to join. False with the reason (not disconnected, no slot in the transport, a bad name).
bool CL_Connect(cl_t *cl, netaddr_t server, const char *name, bool spectator, err_t *err);

/// Says goodbye; the state is CL_DISCONNECTED at once. The goodbye goes out with later CL_Frames.
void CL_Disconnect(cl_t *cl);

/// Receives what came, sends the commands that are due. Call it at least once per server tick.
void CL_Frame(cl_t *cl, int64_t now_ms);

cl_state_t CL_State(const cl_t *cl);

/// Why it is disconnected, "" while it is not (or never was connected).
const char *CL_Reason(const cl_t *cl);

/// What the player does from now on, until changed.
typedef struct {
    float forward, side, up; ///< qu/s wished along the view, +-MAX_WISH_SPEED
    float pitch, yaw;        ///< degrees
    uint8_t buttons;         ///< BUTTON_*
    uint8_t impulse;         ///< sent with one command, then 0 again
} cl_input_t;

/// Numbers out of range, and NaN, are held within it.
void CL_SetInput(cl_t *cl, const cl_input_t *input);

/// Client slot, -1 before the welcome. The player's edict is slot + 1.
int32_t CL_Slot(const cl_t *cl);

/// Tick of the newest snapshot (ticks the world has run), 0 = none yet.
int64_t CL_ServerTick(const cl_t *cl);

/// Length of a server tick, 0 before the first map.
int32_t CL_TickMs(const cl_t *cl);

/// The highest speed that can be wished for (sv_maxspeed, for a spectator sv_spectatormaxspeed),
/// qu/s; 0 before the first map.
float CL_MaxSpeed(const cl_t *cl);

/// Name of the map, "" before the first.
const char *CL_MapName(const cl_t *cl);

/// True when the server's very map is loaded: prediction has geometry.
bool CL_HasMap(const cl_t *cl);

/// The player as the server's newest snapshot has him. False before the first.
bool CL_Self(const cl_t *cl, player_state_t *player);

/// The player after all commands given so far: the server's state with the commands run on it that
/// the server had not seen. Without a map it is CL_Self's. False before the first snapshot.
bool CL_Predicted(cl_t *cl, player_state_t *player);

/// What else he sees in the newest snapshot, sorted by number; at most `max` are copied. The count.
/// Pushers, too, have origin, velocity and angles as they are at its tick.
int32_t CL_Entities(const cl_t *cl, entity_state_t *list, int32_t max);

/// The time to show: so many ticks have run, and 1/65536 of the next. It goes out with the commands
/// (usercmd_t view_tick), so that the server knows what the player saw. False before the first
/// snapshot.
bool CL_ViewTime(const cl_t *cl, int64_t *tick, uint16_t *frac);

/// Where to draw an entity at a time: pushers by their motion, exactly and at any time; the others
/// between the snapshots around it, or as in the nearest. False when it is in neither.
bool CL_EntityPose(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, pose_t *pose);

/// What an entity's bones do at a time. With the model of that number, read from its file
/// (model/model.h), Pose_Evaluate gives the bones and Hitbox_Place the boxes that the server hits.
typedef struct {
    int32_t skeleton;      ///< number of its model
    int32_t animations[2]; ///< numbers in that model; -1, or more than it has = the bind pose
    int64_t times_ms[2];   ///< each has run: more than its length where it loops, or has ended
    float blend;           ///< share of the second, [0, 1]
    float controllers[4];  ///< degrees or qu, before the model's limits
} cl_bones_t;

/// Of an entity with a skeleton, as entity_state_t says it. The model stands where CL_EntityPose
/// puts it, but a player's upright: only the yaw of his angles counts. A new animation holds from
/// its start on, controllers and blends from the snapshot in which they come. False when it has
/// none, or is in neither snapshot around the time. (The server may tell of no players', or of
/// none: sv_tell_bones.)
bool CL_EntityBones(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, cl_bones_t *bones);

/// The name of a model with bones, and the hash that Model_Read gives for it (NULL = no matter):
/// below FIRST_MAP_SKELETON as the game names it, from there on its file below the map's folder. ""
/// and 0 for a number that is none's, or of the map while that is not loaded here.
const char *CL_SkeletonName(const cl_t *cl, int32_t skeleton, uint64_t *hash);

/// The name of the player in a slot, "" when it is empty.
const char *CL_PlayerName(const cl_t *cl, int32_t slot);

/// A number that the game tells of the player in a slot ("score", "armour"), 0 until it is told.
/// False when the game has none of that name.
bool CL_Stat(const cl_t *cl, int32_t slot, const char *name, int32_t *value);

/// How many numbers the game tells of each player, and the name of one of them ("" for a number out
/// of range).
int32_t CL_NumStats(const cl_t *cl);
const char *CL_StatName(const cl_t *cl, int32_t index);

typedef enum {
    CL_EVENT_CONNECTED, ///< welcomed: text = the server's name, number = own slot
    CL_EVENT_MAP,       ///< a map began: text = its name, number = 1 when it is loaded here
    CL_EVENT_ACTIVE,    ///< the first snapshot of that map came
    CL_EVENT_PRINT,     ///< text for the screen
    CL_EVENT_CENTER,    ///< text for the middle of the screen
    CL_EVENT_CHAT,      ///< number = slot that said text, -1 = the operator
    CL_EVENT_EFFECT,    ///< text names it, number = edict, at origin
    CL_EVENT_JOINED,    ///< number = slot, text = name
    CL_EVENT_LEFT,      ///< number = slot, text = name he had
    CL_EVENT_DROPPED    ///< the session ended: text = reason
} cl_event_type_t;

typedef struct {
    cl_event_type_t type;
    int32_t number;
    int64_t tick; ///< server tick it belongs to, as far as known
    vec3_t origin;
    char text[MAX_TEXT_BYTES];
} cl_event_t;

/// The oldest event not taken yet. False when there is none. At most 256 wait; of more the newest
/// are lost and counted.
bool CL_NextEvent(cl_t *cl, cl_event_t *event);

/// Says something to everybody. False while not joined, or when it cannot be sent.
bool CL_Say(cl_t *cl, const char *text);

/// A command for the game. False while not joined, or when it cannot be sent.
bool CL_Command(cl_t *cl, const char *text);

/// Counted since CL_Create.
typedef struct {
    uint64_t snapshots;         ///< received and decoded
    uint64_t snapshots_stale;   ///< too old, of the last map, or without their baseline
    uint64_t snapshots_missed;  ///< ticks between two snapshots received
    uint64_t snapshot_bytes;    ///< payload
    uint64_t deferred_entities; ///< entity states that the server put off
    uint64_t cmds;              ///< commands made
    uint64_t cmd_packets, cmd_bytes;
    uint64_t cmds_skipped;   ///< not made: this program was not called for too long
    uint64_t filled_ms;      ///< time the server had to make up for lack of commands
    uint64_t dropped_cmds;   ///< commands that the server dropped
    uint64_t predictions;    ///< compared with what the server then said ...
    uint64_t mispredictions; ///< ... and found different in a bit, but for the health
    float error_max;         ///< qu, largest difference of origin
    uint64_t events_lost;
    int32_t rtt_ms;  ///< round trip, by the transport
    int32_t lead_ms; ///< how early commands reach the server, least of the last second or so
    net_counters_t net;
} cl_stats_t;

void CL_Stats(cl_t *cl, cl_stats_t *stats);

EXTERN_C_END

#endif
