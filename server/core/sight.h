/// core/sight.h - line of sight between players.
//
// Players see each other if a line between them is clear of the world and of opaque brush models at
// rest. It starts where an eye may be when its client shows the other player. It ends where the box
// of the other player may be until the next test. interest.h says which times these are.
//
//   eye      PM_VIEW_HEIGHT above the origin, at least SIGHT_DROP below the top of the box
//   moves    along the velocity, more or less by what a player accelerates, and by a jump; at most
//            as far as its speed allows. A wall along an axis limits them if it covers the box of
//            all moves.
//   lines    from a rectangle across the moves of the eye to one across those of the box. The line
//            in the middle of a set is tested. The brush that blocks it cuts the set into the lines
//            on both sides of it; otherwise the set is split at an edge of it. Gaps narrower than
//            0.3 qu hide. A clear line counts if it passes the moves of the eye and the box
//            within 16 qu, and if a sweep from the eye reaches it there. If the eye may pass a
//            brush that blocks a line, lines that start after it are searched, too.
//   limit    a search that takes SIGHT_MAX_STEPS finds nothing, so the players are hidden. With a
//            long lead, sets are larger, so it may take twice as many steps and halves more sets.
//   exits    a player who may soon touch a teleporter also sees from its exit (exits.h)
//
// See-through: water, and brush models that moved in this tick or have a key of see_through.c.
// An eye in solid sees everything. A teleport ends the hold. Players without collisions are tested
// in each tick, because they pass walls.

#ifndef EDICTD_CORE_SIGHT_H
#define EDICTD_CORE_SIGHT_H

#include "collide/cmodel.h"
#include "core/exits.h"
#include "world/world.h"

#define SIGHT_DROP        2.0f // qu
#define SIGHT_MAX_STEPS   128  // of a search
#define SIGHT_FAR_LEAD_MS 240  // if the lead is longer, a search may take twice the steps
#define OCCLUDERS         2    // brushes that are tested before the world

struct server_s;

/// Boxes of the brushes around an eye, along each axis, on both sides. Without a brush, the box
/// covers nothing.
typedef struct {
    bounds_t low[3], high[3];
} sight_walls_t;

typedef struct {
    vec3_t eye;
    bounds_t box;
    vec3_t velocity;
    sight_walls_t walls; ///< Sight_FindWalls
    bool in_solid;       ///< the eye is in solid, so it sees everything; Sight_FindWalls
} sight_body_t;

/// Exits that a player may soon reach, and the bodies of the player at these exits.
typedef struct {
    int32_t count;
    vec3_t origins[EXITS_NEAR];
    sight_body_t bodies[EXITS_NEAR];
} exits_near_t;

/// An opaque brush model at rest.
typedef struct {
    bounds_t box;
    cm_object_t object;
} sight_blocker_t;

/// Places that an eye may reach.
typedef struct {
    bounds_t box; ///< around them; Sight_LimitMoves
    float level;  ///< their maximum horizontal distance from the eye, qu
} sight_places_t;

typedef struct {
    const cmap_t *map;
    const sight_blocker_t *blockers;
    int32_t num_blockers;
    const sight_body_t *bodies[2];
    sight_places_t ahead[2];      ///< of the eyes until their clients show the other player
    sight_places_t drift[2];      ///< of the eyes until the next test
    int32_t occluders[OCCLUDERS]; ///< brush + 1 that blocked a ray; 0 = none
    int32_t max_steps;            ///< of a search
    bool is_far;                  ///< the lead is longer than SIGHT_FAR_LEAD_MS
    bool is_long;                 ///< result of a search that needs more
    int32_t num_rays;             ///< counts traces of the world, and the work of steps
    bool was_model;               ///< set if a brush model alone blocked a ray
} sight_query_t;

/// Finds the walls around an eye, and sets body->in_solid.
void Sight_FindWalls(sight_query_t *query, sight_body_t *body);

/// Returns a box around the places that an eye reaches with its moves. A wall that covers the box
/// blocks every path to places behind it, so the box ends there.
bounds_t Sight_LimitMoves(const sight_body_t *body, const bounds_t *moves);

/// Returns true if the eyes of two players see each other.
bool Sight_EyesMeet(sight_query_t *query);

/// Returns true if the first of two players may soon see the second one.
bool Sight_SeesSoon(sight_query_t *query);

/// Returns true if one of two players may soon see the other.
bool Sight_IsClear(sight_query_t *query);

typedef struct sight_s sight_t;

sight_t *Sight_Create(int32_t max_clients);
void Sight_Free(sight_t *sight);
void Sight_StartMap(sight_t *sight, const cmap_t *map);

/// Sets `see_through` of the brush models of a map that hide nothing, by model number.
void Sight_FindSeeThrough(const cmap_t *map, bool see_through[MAX_MAP_MODELS]);

/// Begins a tick. Call Sight_AddModel for all edicts at rest, then Sight_EndTick.
void Sight_Tick(struct server_s *server, sight_t *sight);
void Sight_AddModel(sight_t *sight, const sv_context_t *sv, const edict_t *edict);
void Sight_EndTick(sight_t *sight);

/// Returns the reach of a player for its own client, or as a target for any client.
float Sight_Reach(const sight_t *sight, int32_t slot, bool of_target);

/// Writes the boxes of a player at the exits that it may soon reach. Returns their number.
int32_t Sight_Exits(const sight_t *sight, int32_t slot, bounds_t boxes[EXITS_NEAR]);

/// Returns true if nothing is between a place and the eye of the player in `slot`, or if the eye is
/// in solid. Costs a ray, for which no tick lacks time.
bool Sight_SeesPlace(struct server_s *server, const sight_t *sight, int32_t slot, vec3_t place);

/// Returns true if the player in `slot` may soon see another one, as of their last test.
bool Sight_Sees(struct server_s *server, sight_t *sight, int32_t slot, int32_t other);

#endif
