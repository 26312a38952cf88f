/// edict/types.h - plain data of the client library, and the transport that a program may bring.
//
// The server and the library use these structs, too. Installed as a part of edict/client.h.
// Units:   qu, qu/s, degrees, ms. cl_entity_state_t has the units of the wire, beside its fields.

#ifndef EDICT_TYPES_H
#define EDICT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_NAME_BYTES 32  // a player's name with its NUL
#define CL_TEXT_BYTES 256 // a chat line, print or command with its NUL
#define CL_EVENT_ARGS 4   // numbers in a sound or effect
#define CL_MAX_FIELDS 32  // fields that the game sends of an entity, a player or the world

/// The reason of a failure: one line without newline.
typedef struct {
    char text[512];
} cl_err_t;

typedef struct {
    float x, y, z;
} cl_vec3_t;

/// Position and orientation. Angles: x = pitch (down is positive), y = yaw, z = roll.
typedef struct {
    cl_vec3_t origin, angles;
} cl_pose_t;

// ---- players and entities ----

/// State of a player, exactly as the server has it.
typedef struct {
    cl_vec3_t origin;       ///< qu
    cl_vec3_t velocity;     ///< qu/s
    cl_vec3_t mins, maxs;   ///< box relative to origin, qu
    cl_vec3_t angles;       ///< view, degrees
    int32_t pm_type;        ///< CL_PM_*
    uint32_t flags;         ///< CL_FLAG_*
    int32_t groundentity;   ///< edict below; 0 = the world, -1 = in the air
    int32_t waterlevel;     ///< 0 none, 1 feet, 2 waist, 3 eyes
    int32_t watertype;      ///< CL_CONTENTS_* at the feet
    int32_t waterjump_ms;   ///< remaining time of a jump out of water
    int32_t jump_ms;        ///< time since the last jump; 0 = no longer needed
    int32_t step_ms;        ///< command time left for the next sub-step
    uint32_t step_buttons;  ///< buttons pressed during step_ms
    int32_t delta_yaw;      ///< added to each command's yaw, 0..65535 (teleports, pushers)
    float gravity;          ///< factor of sv_gravity; 0 counts as 1
    cl_vec3_t basevelocity; ///< velocity of the carrier, qu/s; added on leaving it
    int32_t carrier;        ///< carrying edict or leader; 0 = the world, -1 = in the air
    int32_t duck_ms;        ///< time since the start of ducking
    float heading;          ///< CL_PM_DRIVING: direction, degrees
    float steer;            ///< CL_PM_DRIVING: angle of the wheels, degrees; + = left
    int32_t health;         ///< for display; 0 or less = dead
    int32_t movetype;       ///< CL_MOVETYPE_*
} cl_player_state_t;

/// State of an entity as it was sent, in the units of the wire. CL_EntityPose returns its pose.
typedef struct {
    int32_t number;      ///< edict number, 1..65535
    uint32_t field_mask; ///< bit i is set if fields[i] is not 0
    int32_t velocity[3]; ///< qu/s, +-16,383
    int32_t origin[3];   ///< 1/16 qu, +-65,536 qu
    int32_t angles[3];   ///< 65,536 are 360 degrees
    int32_t mins[3];     ///< 1/16 qu
    int32_t maxs[3];     ///< 1/16 qu
    int32_t generation;  ///< CL_GENERATION: a change means another entity; and CL_TELEPORT
    int32_t type;        ///< CL_ENTITY_*
    uint16_t model;      ///< of a brush entity: model "*n" of the map; otherwise CL_ModelName
    uint16_t skeleton;   ///< model with bones (CL_SkeletonName); 0 = none, or not sent
    int32_t solid;       ///< CL_SOLID_*
    int32_t effects;     ///< bits of the game
    int32_t owner;       ///< client slot + 1 of a player; 0 = none
    int32_t classname;   ///< for CL_ClassName; 0 = none
    int32_t ground;      ///< number of the pusher that it rides; 0 = none
    // Exact values: clients predict pushers, brush models and volumes.
    int32_t contents;           ///< CL_CONTENTS_* of a volume; 0 = none
    cl_vec3_t surface_velocity; ///< qu/s; moves players on the surface or in the volume
    float friction;             ///< factor of the surface; 0 counts as 1
    // Motion. Unless `motion` is CL_MOTION_NONE or CL_MOTION_LOOSE, origin and angles are zero.
    int32_t motion;      ///< CL_MOTION_*
    int32_t duration_ms; ///< of a pusher's motion
    int32_t start_lo;    ///< low half of the start, ms of world time
    int32_t start_hi;    ///< high half of the start
    cl_pose_t base;      ///< pose at the start; of a follower: offset from its leader
    cl_vec3_t delta, delta_angles, bend;
    int32_t parent; ///< number of the carrying pusher, or leader; 0 = none
    cl_pose_t parent_base;
    int32_t bone; ///< of a follower: 1 + bone of the leader's skeleton; 0 = its origin
    // The motion 2 after a motion 2: starts next_wait_ms after its start. All 0 = none.
    int32_t next_wait_ms, next_duration_ms;
    cl_vec3_t next_delta, next_delta_angles, next_bend;
    // Animation, zero without a skeleton. CL_EntityBones returns it at a time.
    int32_t animations[2];         ///< 1 + number; 0 = bind pose or unused
    int32_t anim_start_lo[2];      ///< low halves of the starts, ms; 0 if unused
    int32_t anim_start_hi[2];      ///< high halves
    int32_t anim_blend;            ///< weight of animations[1], 0..255
    int32_t controllers[4];        ///< 1/32 degree or qu
    int32_t fields[CL_MAX_FIELDS]; ///< words of the game, for CL_EntityField
} cl_entity_state_t;

// ---- numbers in the structs ----

/// cl_player_state_t.pm_type.
enum {
    CL_PM_NORMAL,    ///< moves by its movetype
    CL_PM_SPECTATOR, ///< flies through everything
    CL_PM_DEAD,      ///< moves by its movetype, but ignores input
    CL_PM_FROZEN,    ///< does not move at all, nor does its view
    CL_PM_DRIVING    ///< is a vehicle; view and heading are independent
};

/// cl_player_state_t.flags.
enum {
    CL_FLAG_JUMP_HELD = 1, ///< the jump button is held since the last jump
    CL_FLAG_ONGROUND = 2,
    CL_FLAG_DUCKED = 8,   ///< has the ducked box
    CL_FLAG_DUCKING = 16, ///< is ducking, with the standing box
    CL_FLAG_ONLADDER = 32,
    CL_FLAG_WATCHED = 64,    ///< the state of another player, edict `carrier` (CL_Followed)
    CL_FLAG_USE_HELD = 128,  ///< the use button was held in the last sub-step
    CL_FLAG_TELEPORT = 16128 ///< bits 8..13 count teleports; do not interpolate between two counts
};

enum {
    CL_MOVETYPE_NONE,          ///< never moves
    CL_MOVETYPE_NOCLIP,        ///< moves through everything
    CL_MOVETYPE_WALK,          ///< a player
    CL_MOVETYPE_TOSS,          ///< falls, rests on floors
    CL_MOVETYPE_BOUNCE,        ///< gravity, bounces
    CL_MOVETYPE_FLY,           ///< no gravity
    CL_MOVETYPE_FLYMISSILE,    ///< no gravity; larger box against monsters and players
    CL_MOVETYPE_BOUNCEMISSILE, ///< no gravity, bounces without loss
    CL_MOVETYPE_STEP,          ///< monsters, crates
    CL_MOVETYPE_PUSH,          ///< a pusher
    CL_MOVETYPE_FOLLOW         ///< copies a leader's position
};

/// cl_entity_state_t.type.
enum {
    CL_ENTITY_GENERAL, ///< a point or box
    CL_ENTITY_PLAYER,
    CL_ENTITY_BRUSH, ///< a brush model of the map
    CL_ENTITY_PROJECTILE
};

enum {
    CL_SOLID_NOT,      ///< stops and touches nothing
    CL_SOLID_TRIGGER,  ///< stops nothing, but is touched
    CL_SOLID_BBOX,     ///< its box stops others
    CL_SOLID_SLIDEBOX, ///< like CL_SOLID_BBOX, but others slide along (players)
    CL_SOLID_BSP       ///< its brush model stops others
};

/// cl_entity_state_t.generation.
enum {
    CL_GENERATION = 127, ///< mask of the low bits of the edict's generation
    CL_TELEPORT = 8064   ///< mask of bits 7..12, which count teleports and respawns
};

/// cl_entity_state_t.motion.
enum {
    CL_MOTION_NONE,    ///< the entity has a pose, not a motion record
    CL_MOTION_STANDS,  ///< rests at the base pose
    CL_MOTION_MOVES,   ///< moves from base by delta and delta_angles, then rests
    CL_MOTION_SPINS,   ///< turns by delta_angles per duration, without end
    CL_MOTION_SWINGS,  ///< base + sine * delta, one period per duration
    CL_MOTION_FOLLOWS, ///< follows its leader, `parent`
    CL_MOTION_LOOSE    ///< a crate or vehicle within reach: has a pose, and exact values
};

enum {
    CL_CONTENTS_EMPTY = -1,
    CL_CONTENTS_SOLID = -2,
    CL_CONTENTS_WATER = -3,
    CL_CONTENTS_SLIME = -4,
    CL_CONTENTS_LAVA = -5,
    CL_CONTENTS_SKY = -6,
    CL_CONTENTS_CLIP = -8,
    CL_CONTENTS_CURRENT_0 = -9, ///< water that flows along +x
    CL_CONTENTS_CURRENT_90 = -10,
    CL_CONTENTS_CURRENT_180 = -11,
    CL_CONTENTS_CURRENT_270 = -12,
    CL_CONTENTS_CURRENT_UP = -13,
    CL_CONTENTS_CURRENT_DOWN = -14,
    CL_CONTENTS_TRANSLUCENT = -15, ///< stops nothing
    CL_CONTENTS_LADDER = -16,
    CL_CONTENTS_PUSH = -18,      ///< triggers: throws the players that touch it
    CL_CONTENTS_PUSH_ONCE = -19, ///< the same, then it is removed
    CL_CONTENTS_CONTROLS = -20,  ///< triggers: controls of the pusher that carries it, free
    CL_CONTENTS_MANNED = -21     ///< the same, with a player at them
};

/// cl_input_t.buttons.
enum { CL_BUTTON_ATTACK = 1, CL_BUTTON_JUMP = 2, CL_BUTTON_USE = 4, CL_BUTTON_DUCK = 8 };

/// How a session is encrypted: as the server offers it, always, or not.
enum { CL_SEAL_OFFERED, CL_SEAL_REQUIRED, CL_SEAL_OFF };

/// cl_net_event_t.type.
enum {
    CL_NET_NONE,      ///< no event left
    CL_NET_CONNECTED, ///< `peer` is connected
    CL_NET_MESSAGE,   ///< `data` on `channel`
    CL_NET_LEFT       ///< `peer` is gone, for `reason`
};

// ---- the network ----

/// An IPv4 address in host byte order (127.0.0.1 = 0x7f000001).
typedef struct {
    uint32_t host;
    uint16_t port;
    uint16_t zero;
} cl_address_t;

typedef struct {
    uint32_t type; ///< CL_NET_*
    int32_t peer;
    uint8_t channel;
    uint32_t reason;   ///< of CL_NET_LEFT, as the server gave it; 0 = time-out or unknown
    cl_address_t from; ///< not used by clients
    const uint8_t *data;
    size_t size;
    int32_t waited_us; ///< of CL_NET_MESSAGE: time since it arrived; 0 = unknown, or more than 1 s
} cl_net_event_t;

typedef struct {
    uint64_t packets_in, packets_out, bytes_in, bytes_out;
} cl_traffic_t;

typedef struct cl_transport_s cl_transport_t;

/// A transport carries messages between a client and its server. CL_NetCreate makes one; a program
/// may bring another, such as WebSockets through a gateway, or a server in the same process.
///
/// Channel 0 delivers all messages in order; 1 (to the server) and 2 (to the client) may lose some,
/// but deliver none after a newer one. Each message arrives whole: at most 1,200 bytes, and 8,192
/// on channel 0 to the client. The library calls these functions in the thread of CL_Frame only,
/// and polls before it sends.
struct cl_transport_s {
    /// Receives, and writes the next event; CL_NET_NONE if there is none. `now_ms`: clock of
    /// CL_Frame. The event's data are valid until the next poll.
    void (*poll)(cl_transport_t *net, int64_t now_ms, cl_net_event_t *event);
    /// Queues a message. Returns false if the peer is gone or its queue is full.
    bool (*send)(cl_transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                 const void *data, size_t size);
    /// Disconnects after delivery of the queued messages. `reason`: a number for the server. The
    /// peer's number stays in use until the poll of its CL_NET_LEFT, if that follows.
    void (*drop)(cl_transport_t *net, int32_t peer, uint32_t reason);
    /// Sends all queued messages; called at the end of CL_Frame.
    void (*flush)(cl_transport_t *net);
    /// Starts to connect. Returns the peer, any number from 0, or -1 with the reason. Later,
    /// CL_NET_CONNECTED follows, or CL_NET_LEFT within 10 s.
    int32_t (*connect)(cl_transport_t *net, cl_address_t to, cl_err_t *err);
    /// Return the round trip time, and the time since the last sign of life, ms.
    int32_t (*rtt_ms)(cl_transport_t *net, int32_t peer);
    int64_t (*silence_ms)(cl_transport_t *net, int32_t peer);
    /// Sets how later connects are encrypted: CL_SEAL_*. `server_key`: 32 bytes, or NULL = any.
    void (*set_seal)(cl_transport_t *net, uint32_t seal, const uint8_t *server_key);
    /// Returns true if everything to this peer is encrypted.
    bool (*is_sealed)(cl_transport_t *net, int32_t peer);
    /// Returns the key that the server must have, 32 bytes, or NULL.
    const uint8_t *(*server_key)(cl_transport_t *net);
    /// Returns a descriptor that is readable when a datagram waits, or -1. The library does not
    /// call it.
    int (*descriptor)(cl_transport_t *net);
    /// Writes what was received and sent.
    void (*traffic)(cl_transport_t *net, cl_traffic_t *traffic);
    /// Frees the transport. The library does not call it.
    void (*destroy)(cl_transport_t *net);
    /// NULL: only the server's transports have more functions.
    const struct transport_more_s *more;
};

#endif
