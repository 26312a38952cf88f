/// client/world.h - the world of prediction: the map and the solid entities of a snapshot.
//
// Units:   qu, degrees, ms. After n ticks the time is Ticks_EndMs.
// Memory:  one struct in a client; its pointers refer to the client's map and movevars.
// Repeat:  pushers have the server's exact poses until they are blocked or change their motion.

#ifndef EDICTD_CLIENT_WORLD_H
#define EDICTD_CLIENT_WORLD_H

#include "collide/cache.h"
#include "move/loose.h"
#include "move/pmove.h"
#include "move/pusher.h"
#include "proto/snapshot_ring.h"

/// Maximum number of pushers that carry each other.
#define CL_MAX_RIDING 64

/// Maximum number of crates and vehicles that are predicted: the nearest. Others stay where they
/// are, and are counted.
#define CL_MAX_CRATES 32

typedef struct {
    int32_t number; ///< number of its edict
    int32_t solid;  ///< a value of solid_t
    int32_t model;
    int32_t contents; ///< contents of a volume; 0 = none
    int32_t parent;   ///< index of the pusher that carries it, -1 = none
    int32_t ground;   ///< other players and monsters: number of the pusher below; 0 = none
    bool is_fixed;    ///< no motion moves it
    bool is_moved;    ///< during a push: it is a part, its pose changes
    motion_t motion;
    motion_t next;       ///< the leg after `motion`; kind MOTION_NONE = none
    pose_t before, pose; ///< pose before the last push, and now
    vec3_t velocity, avelocity;
    bounds_t shape;       ///< box relative to the origin
    bounds_t box;         ///< bounds in the world; a brush model may exceed them
    bounds_t linked;      ///< PM_LinkedBox of `box`
    bounds_t path;        ///< if is_moved: union of `linked` before and after the move
    int32_t first_of_set; ///< of the last pusher of a chain: first of those that move with it
    int32_t next_of_set;  ///< index, -1 = none
    int32_t crate;        ///< 1 + index of its crate; 0 = none
    vec3_t surface_velocity;
    float friction;
} cl_solid_t;

/// A crate that the player may push, or a vehicle. One that the player drives is not solid.
typedef struct {
    int32_t index; ///< of its solid
    bool carries;  ///< what rests on it loses its ground when it moves
    bool is_vehicle;
    float yaw;      ///< of a vehicle
    float distance; ///< squared, from the player in the snapshot; -1 = the player drives it
    pm_loose_t body;
} cl_crate_t;

typedef struct {
    const cmap_t *map;
    const movevars_t *vars;
    int64_t tick; ///< number of ticks that have run
    int32_t rate_mhz;
    cm_cache_t cache; ///< map geometry around the player
    bool has_pushers; ///< a solid may move in a later tick
    bool has_run;     ///< a tick has run since the snapshot
    int32_t own;      ///< number of the player's edict
    int32_t own_solid;
    int32_t passed;    ///< number of the edict whose traces these are
    bounds_t own_box;  ///< the player's box, if `passed` is another edict
    vec3_t own_origin; ///< of the player in the snapshot
    int32_t num_crates;
    int32_t left_out; ///< crates and vehicles beyond CL_MAX_CRATES
    cl_crate_t crates[CL_MAX_CRATES];
    int32_t count;
    cl_solid_t list[MAX_SNAPSHOT_ENTS]; ///< sorted by number
} cl_world_t;

/// Fills the world from a snapshot. `own`: number of the player's edict, which is skipped, as are
/// followers but its own vehicle. `own_origin`: the player's origin in the snapshot.
void Client_WorldSet(cl_world_t *world, const snapshot_ring_t *ring, int64_t tick, int32_t own,
                     vec3_t own_origin);

/// Moves all pushers by one tick, which may carry or push the player.
void Client_WorldNextTick(cl_world_t *world, player_state_t *player);

/// Throws the player by the push pads that it touches. Call it after each sub-step.
void Client_WorldTouch(cl_world_t *world, player_state_t *player);

/// Lets the player shove the crates of `touch`. Call it after Client_WorldTouch.
void Client_ShoveCrates(cl_world_t *world, player_state_t *player, const usercmd_t *cmd,
                        const pm_touch_t *touch);

/// Lets the player take or leave the controls of a pusher, or get in or out of a vehicle, if the
/// use button went down. Call it last after each sub-step.
void Client_UseVehicle(cl_world_t *world, player_state_t *player, uint32_t buttons);

/// Returns the callbacks for pmove.
pm_world_t Client_WorldForMove(cl_world_t *world);

/// Computes the pose of an entity from its motion record. `tick`: of the entity's snapshot. Returns
/// false without a motion record.
bool Client_PoseOfRecord(const snapshot_ring_t *ring, int64_t tick, const entity_state_t *state,
                         int64_t time_ms, pose_t *pose);

#endif
