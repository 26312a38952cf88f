/// client/world.h - the world of the player's prediction: the map and the solids of a snapshot,
/// moved forward tick by tick.
//
// Units:   qu, degrees, ms. After n ticks the time is n * tick_ms.
// Memory:  one struct, part of a client; points only to the client's map and movevars.
// Repeat:  poses of pushers equal the server's bit for bit, while their motions do not change and
//          nothing blocks them.

#ifndef EDICTD_CLIENT_WORLD_H
#define EDICTD_CLIENT_WORLD_H

#include "collide/cache.h"
#include "move/pmove.h"
#include "move/pusher.h"
#include "proto/snapshot_ring.h"

/// Maximum length of a chain of pushers that ride on each other; a longer one counts as a circle.
#define CL_MAX_RIDING 64

/// A solid or volume of the snapshot.
typedef struct {
    int32_t number; ///< of its edict
    int32_t solid;  ///< solid_t
    int32_t model;
    int32_t contents; ///< of a volume, else 0
    int32_t parent;   ///< index of the pusher that it rides on, -1 = none
    bool is_fixed;    ///< its pose never changes
    bool is_moved;    ///< its pose changed in the last tick ...
    bool is_near;     ///< ... and it came near the player
    motion_t motion;
    pose_t before, pose; ///< a tick ago, now
    vec3_t velocity, avelocity;
    bounds_t shape; ///< box relative to its origin
    bounds_t box;   ///< bounds in the world
    vec3_t surface_velocity;
    float friction;
} cl_solid_t;

typedef struct {
    const cmap_t *map;
    const movevars_t *vars;
    int64_t tick; ///< number of ticks that have run
    int32_t tick_ms;
    cm_cache_t cache; ///< of the map around the player
    bool has_pushers; ///< a solid may move in the next tick
    int32_t count;
    cl_solid_t list[MAX_SNAPSHOT_ENTS]; ///< sorted by number
} cl_world_t;

/// Fills the world from a snapshot of the ring. `own`: the player's edict, which is left out.
void Client_WorldSet(cl_world_t *world, const snapshot_ring_t *ring, int64_t tick, int32_t own);

/// Runs step 2 of the server's next tick: moves the pushers. The player's ground carries and turns
/// the player; other pushers push it away.
void Client_WorldNextTick(cl_world_t *world, player_state_t *player);

/// Returns the world as callbacks for pmove.
pm_world_t Client_WorldForMove(cl_world_t *world);

/// Computes the pose of entity `index` of a snapshot's list at a time. Returns false when the
/// entity has no motion record.
bool Client_PoseOfRecord(const entity_state_t *const *list, int32_t count, int32_t index,
                         int64_t time_ms, pose_t *pose);

/// Returns the index of an entity in a list sorted by number, -1 = not found.
int32_t Client_FindEntity(const entity_state_t *const *list, int32_t count, int32_t number);

#endif
