/// client/world.h - the world as the player's prediction meets it: the map, and what a snapshot
/// told, moved on tick by tick.
//
// Floor:   client.
// Units:   qu, degrees, ms. When n ticks have run it is n * tick_ms.
// Memory:  one struct, part of a client; pointers only to its map and movevars.
// Repeat:  pushers are where the server has them, to the bit, as long as their motions go on and
//          nothing blocks them.

#ifndef EDICTD_CLIENT_WORLD_H
#define EDICTD_CLIENT_WORLD_H

#include "collide/cache.h"
#include "move/pmove.h"
#include "move/pusher.h"
#include "proto/snapshot_ring.h"

/// Most pushers that ride on each other; beyond it is taken for a circle.
#define CL_MAX_RIDING 64

/// Something to bump into, stand on or be in.
typedef struct {
    int32_t number; ///< edict
    int32_t solid;  ///< solid_t
    int32_t model;
    int32_t contents; ///< of a volume, else 0
    int32_t parent;   ///< index of what it rides on, -1 = nothing
    bool is_fixed;    ///< its pose never changes
    bool is_moved;    ///< it did in the last tick ...
    bool is_near;     ///< ... and came near the player
    motion_t motion;
    pose_t before, pose; ///< a tick ago, now
    vec3_t velocity, avelocity;
    bounds_t shape; ///< around its origin
    bounds_t box;   ///< in the world, around all of its shape
    vec3_t surface_velocity;
    float friction;
} cl_solid_t;

typedef struct {
    const cmap_t *map;
    const movevars_t *vars;
    int64_t tick; ///< so many have run
    int32_t tick_ms;
    cm_cache_t cache; ///< of the map around the player
    bool has_pushers; ///< something may move in the next tick
    int32_t count;
    cl_solid_t list[MAX_SNAPSHOT_ENTS]; ///< by number
} cl_world_t;

/// The world of a snapshot of the ring, for the player whose edict is `own`.
void Client_WorldSet(cl_world_t *world, const snapshot_ring_t *ring, int64_t tick, int32_t own);

/// Step 2 of the server's next tick: pushers go on, and the player is carried and turned by what he
/// stands on and pushed by what comes his way.
void Client_WorldNextTick(cl_world_t *world, player_state_t *player);

/// What pmove asks of it.
pm_world_t Client_WorldForMove(cl_world_t *world);

/// The pose of entity `index` of a snapshot's list at a time; false when it has no record.
bool Client_PoseOfRecord(const entity_state_t *const *list, int32_t count, int32_t index,
                         int64_t time_ms, pose_t *pose);

/// The index of an entity of a list sorted by number, -1 = not in it.
int32_t Client_FindEntity(const entity_state_t *const *list, int32_t count, int32_t number);

#endif
