/// world/edict.h - the edict: one entity of the world. Edict 0 stands for the map.
//
// A game includes it through core/game_api.h.
// Units:   qu, qu/s, degrees, ms of world time.
// Memory:  plain data without padding or pointers, in the world block. Use a pointer to an edict
//          only within one function; across calls and ticks use an edict_ref_t.

#ifndef EDICTD_WORLD_EDICT_H
#define EDICTD_WORLD_EDICT_H

#include "base/limits.h"
#include "math/bounds.h"
#include "state/contents.h"
#include "state/motion.h"
#include "state/movetype.h"

/// A handle: the number and generation of an edict. All zero = none. {0, 1} = the map.
typedef struct {
    uint32_t index;
    uint32_t generation;
} edict_ref_t;

#define EDICT_WORLD 0 // edict number of the map; clients follow as 1..maxclients

#define FL_ONGROUND      (1u << 0)
#define FL_ITEM          (1u << 1) // linked with a margin of 15 qu instead of 1 in x and y
#define FL_MONSTER       (1u << 2)
#define FL_CLIENT        (1u << 3)
#define FL_FLY           (1u << 4)
#define FL_SWIM          (1u << 5)
#define FL_INWATER       (1u << 6)
#define FL_KILLME        (1u << 7)   // freed at the end of the tick
#define FL_QUARANTINED   (1u << 8)   // impossible state: not linked, does not think or move
#define FL_PLAYERTOUCH   (1u << 9)   // a trigger that only clients touch
#define FL_PARTIALGROUND (1u << 10)  // a monster at an edge: it may step off
#define FL_PUSHABLE      (1u << 11)  // a crate: players push it by walking into it
#define FL_CORPSE        (1u << 12)  // never blocks a pusher: if it cannot be pushed, it stays
#define FL_GODMODE       (1u << 13)  // cheat: the game does no damage to the player
#define FL_NOTARGET      (1u << 14)  // cheat: monsters do not notice the player
#define FL_UPRIGHT       (1u << 15)  // MOVER_RAY: keeps pitch and roll on slopes
#define FL_TELEPORTED    (1u << 16)  // FL_TELEPORT has counted in this tick
#define FL_VEHICLE       (1u << 17)  // clients predict that the use button gets in and out
#define FL_TELEPORT      (63u << 18) // counts ticks with a teleport, as PMF_TELEPORT does

#define FL_TELEPORT_STEP (1u << 18)

static_assert(FL_ONGROUND + FL_ITEM + FL_MONSTER + FL_CLIENT + FL_FLY + FL_SWIM + FL_INWATER +
                      FL_KILLME + FL_QUARANTINED + FL_PLAYERTOUCH + FL_PARTIALGROUND + FL_PUSHABLE +
                      FL_CORPSE + FL_GODMODE + FL_NOTARGET + FL_UPRIGHT + FL_TELEPORTED +
                      FL_VEHICLE + FL_TELEPORT ==
                  (1u << 24) - 1,
              "each flag has a bit of its own");

/// Which clients an edict is sent to. A follower is sent only to clients that may also see its
/// leader. Clients predict volumes and pushers that carry others, so these are always sent.
typedef enum {
    VISIBLE_ALL,
    VISIBLE_NOBODY,     ///< as any number that is not in this list
    VISIBLE_CLIENT,     ///< to the client in slot `visible_to`
    VISIBLE_BUT_CLIENT, ///< to all but that client
    VISIBLE_TEAM        ///< to the clients of team `visible_to`, which is not 0
} visibility_t;

/// Bytes of one edict for the fields of the game, which the game's field table declares.
#define EDICT_GAME_BYTES 320

/// The data of an edict. The fields used most often come first.
typedef struct {
    uint32_t generation; ///< counts the edicts that used the slot; 0 = never used
    uint32_t inuse;      ///< 1 = in use
    uint32_t flags;      ///< FL_*
    int32_t solid;       ///< solid_t
    vec3_t origin;
    vec3_t mins, maxs;     ///< box around origin
    vec3_t absmin, absmax; ///< linked box in the world; written by SV_LinkEdict
    int32_t model;         ///< brush model number; 0 = none: the shape is the box
    int64_t nextthink_ms;  ///< time of the next think; 0 = never. For a pusher, in its local time.
                           ///< Set by SV_SetNextThink
    int32_t movetype;      ///< movetype_t
    int32_t timers;        ///< first timer (edict_timers.h), 0 = none; set by SV_SetTimer
    vec3_t velocity, angles, avelocity;
    vec3_t oldorigin;           ///< last position that was not stuck (SV_CheckStuck)
    float gravity;              ///< multiplier of sv_gravity; 0 counts as 1
    float friction;             ///< multiplier of sv_friction for edicts on it, and of a crate's
                                ///< own; 0 counts as 1
    float bounce;               ///< BOUNCE, BOUNCEMISSILE: speed off a surface divided by speed
                                ///< into it, up to 2; 0 = as sv_tossrules say (docs/physics.md)
    vec3_t surface_velocity;    ///< conveyor: velocity given to riders; volume: current
    vec3_t basevelocity;        ///< velocity added for one tick, then 0
    int16_t mover;              ///< STEP: pm_mover_t (move/body.h); set by SV_SetMover
    int16_t type;               ///< entity_type_t, for clients
    float max_pitch, max_roll;  ///< MOVER_RAY: maximum tilt, degrees; 0 = 45.57
    int32_t follow_bone;        ///< FOLLOW: string id of the leader's bone, 0 = none; ~id = the
                                ///< leader lost it, and this was logged
    float ideal_yaw, yaw_speed; ///< STEP: yaw to turn to; degrees per turn (SV_ChangeYaw)
    int32_t contents;           ///< contents_t of a volume, a trigger with a brush model; 0 = none.
                                ///< CONTENTS_PUSH: its touch gives players its surface_velocity,
                                ///< which clients predict. CONTENTS_CONTROLS: find_controls.
                                ///< CONTENTS_MONSTERCLIP, of SOLID_BSP: stops only monsters' boxes
    int32_t effects;            ///< bits of the game, shown to clients
    int32_t modelindex;         ///< model that clients draw: a number of the game; 0 = none. Not
                                ///< used for ENTITY_BRUSH
    int16_t visibility;         ///< visibility_t
    uint16_t visible_to;        ///< slot of a client, or a team; see visibility_t
    int16_t waterlevel;         ///< WALK, STEP: 0..3; TOSS, BOUNCE, missiles: 0 or 1
    int16_t watertype;          ///< contents_t; 0 = not tested yet
    edict_ref_t owner;          ///< does not collide with this edict
    edict_ref_t groundentity;   ///< the edict it rests on, if FL_ONGROUND
    int32_t pusher_set;         ///< PUSH: set that it belongs to, 0 = none; -1 = a follower
    int32_t pusher_up;          ///< PUSH: number of the pusher that it rides on, 0 = none
    int32_t chain_prev, chain_next;      ///< chain.h
    edict_ref_t aiment;                  ///< FOLLOW: the leader
    vec3_t follow_offset, follow_angles; ///< FOLLOW: pose in the leader's space
    int32_t think, touch, use, blocked;  ///< callback ids; 0 = none
    int32_t classname;                   ///< string id; 0 = none
    /// String id; 0 = none. send_states.c hashes what is before this member: put fields that
    /// clients receive, or that place an edict, above.
    int32_t targetname;
    int32_t target; ///< string id; 0 = none
    union {
        int32_t spawn_tick_lo; ///< low 31 bits of the tick in which it was spawned
        int32_t next_free;     ///< while not in use: next edict of the free list
    };
    vec3_t pushed_velocity, pushed_avelocity; ///< PUSH: the velocities of its motion
    float landing_speed;                      ///< STEP: fastest landing since the game zeroed it
    float step_height;                        ///< STEP: highest step, qu; 0 = default (move/body.h)
    int64_t lag_ms;  ///< PUSH: time it was blocked; local time = world time - lag
    motion_t motion; ///< PUSH
    leg_t next;      ///< PUSH: what the game starts after `motion`, for clients; SV_PusherNext
    // Bones for MOVE_HITBOXES sweeps. The game sets these fields; any value is safe.
    int32_t skeleton; ///< model number: of the game, from FIRST_MAP_SKELETON of the map; 0 = none
    int32_t animations[2];    ///< numbers of the model's animations; out of range = bind pose
    float anim_blend;         ///< weight of the second animation, [0, 1]
    int64_t anim_start_ms[2]; ///< start times; before its start, an animation shows the first frame
    float controllers[4];     ///< values of the model's bone controllers: degrees or qu
    uint8_t game[EDICT_GAME_BYTES];
} edict_t;

#endif
