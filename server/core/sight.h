/// core/sight.h - line of sight between players.
//
// Two players see each other if a ray from a point of one to a point of the other is clear of the
// world and of opaque brush models at rest. The points of a player:
//
//   eye    PM_VIEW_HEIGHT above the origin, at least SIGHT_DROP below the top of the box
//   feet   SIGHT_DROP above the bottom
//   sides  from the eye to the left and to the right of the other player: half the box + reach
//   above  from the eye upwards: reach; sides and above end where a sweep from the eye stops
//
// See-through: water, and brush models that move, or whose entity has a key of sight.c.
// An eye in solid sees everything. A teleport ends the hold.

#ifndef EDICTD_CORE_SIGHT_H
#define EDICTD_CORE_SIGHT_H

#include "collide/cmodel.h"
#include "world/world.h"

#define SIGHT_DROP   2.0f // qu
#define SIGHT_POINTS 5

struct server_s;

typedef struct {
    vec3_t eye, feet;
    float half, reach; ///< half the width of the box; distance that the player may move
} sight_body_t;

/// An opaque brush model at rest.
typedef struct {
    bounds_t box;
    cm_object_t object;
} sight_blocker_t;

typedef struct {
    const cmap_t *map;
    const sight_blocker_t *blockers;
    int32_t num_blockers;
    sight_body_t bodies[2];
    int32_t ray;      ///< the first ray to test; receives the clear one
    int32_t num_rays; ///< counts traces of the world
    bool was_model;   ///< receives true if a brush model alone blocked a ray
} sight_query_t;

/// Returns true if one of two players may soon see the other.
bool Sight_IsClear(sight_query_t *query);

typedef struct sight_s sight_t;

sight_t *Sight_Create(int32_t max_clients);
void Sight_Free(sight_t *sight);
void Sight_StartMap(sight_t *sight, const cmap_t *map);

/// Begins a tick. Call Sight_AddModel for all edicts at rest, then Sight_EndTick.
void Sight_Tick(struct server_s *server, sight_t *sight);
void Sight_AddModel(sight_t *sight, const sv_context_t *sv, const edict_t *edict);
void Sight_EndTick(sight_t *sight);

/// Returns the reach of a player for its own client, or as a target for any client.
float Sight_Reach(const sight_t *sight, int32_t slot, bool of_target);

/// Returns true if two players see each other, or did so within INTEREST_HOLD_MS.
bool Sight_Sees(struct server_s *server, sight_t *sight, int32_t slot, int32_t other);

#endif
