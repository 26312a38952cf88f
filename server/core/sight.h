/// core/sight.h - line of sight between players.
//
// Players see each other if a ray from an eye of one to a target line of the other is clear of the
// world and of opaque brush models at rest. interest.h says what reach and drift are.
//
//   eye      PM_VIEW_HEIGHT above the origin, at least SIGHT_DROP below the top of the box
//   feet     SIGHT_DROP above the bottom
//   eyes     all from reach left to reach right of the eye, as the other player sees it; one above;
//            one along the velocity, and one below that; four aslant. Sweeps stop them
//   targets  two lines, at the eye and at the feet, from left to right: half the box + drift
//
// See-through: water, and brush models that moved in this tick or have a key of sight.c.
// An eye in solid sees everything. A teleport ends the hold.

#ifndef EDICTD_CORE_SIGHT_H
#define EDICTD_CORE_SIGHT_H

#include "collide/cmodel.h"
#include "world/world.h"

#define SIGHT_DROP 2.0f // qu
#define SIGHT_EYES 9
#define OCCLUDERS  3 // brushes that are tested before the world

struct server_s;

typedef struct {
    vec3_t eye, feet;
    float half; ///< half the width of the box
    vec3_t velocity;
    float speed; ///< that the player may have
    float reach; ///< distance that the eye may move until the client shows it
    float drift; ///< distance that the box may move until the next test
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
    int32_t occluders[OCCLUDERS]; ///< brush + 1 that blocked a ray; 0 = none
    int32_t num_rays;             ///< counts traces of the world
    bool is_now;                  ///< set if the ray is clear without any movement
    bool was_model;               ///< set if a brush model alone blocked a ray
} sight_query_t;

/// Returns true if the eyes of two players see each other.
bool Sight_EyesMeet(sight_query_t *query);

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
