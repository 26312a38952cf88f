/// client/reach.h - where a player can go on a map: a graph of places, from all spawns, and routes.
//
// Places are on a grid of REACH_GRID in x and y, one for each floor, and one above the other in
// water. The search is conservative: an edge that it finds exists, but it may miss a trick jump.
// It ignores pushers.
// Memory:  a graph owns its lists. Free it with Reach_Free.

#ifndef EDICTD_CLIENT_REACH_H
#define EDICTD_CLIENT_REACH_H

#include "client/map_entities.h"
#include "edict/client.h"

#define REACH_GRID 16 // qu

typedef enum { REACH_STAND, REACH_SWIM, REACH_DIE } reach_kind_t;

typedef struct {
    vec3_t origin; ///< of a player there
    reach_kind_t kind;
    bool hurts;   ///< in lava or slime, or in a trigger_hurt
    bool is_open; ///< a walk leads away in all 8 directions
} reach_place_t;

typedef enum {
    REACH_WALK,   ///< walking, swimming, a step up of 18, a drop of any depth
    REACH_JUMP,   ///< a jump 45 high, as far as a running jump goes; out of the water
    REACH_CARRIED ///< a walk in `direction` to a teleporter or push pad, which does the rest
} reach_edge_kind_t;

typedef struct {
    int32_t from, to;
    int16_t kind;      ///< reach_edge_kind_t
    int16_t direction; ///< 0..8: 3 * (dy + 1) + dx + 1, the first step on the grid
} reach_edge_t;

/// A graph; read only.
typedef struct {
    const cmap_t *map; ///< needed only while exploring, like `entities`
    const map_entities_t *entities;
    bounds_t box; ///< of a player
    reach_place_t *places;
    reach_edge_t *edges; ///< sorted by `from`
    int32_t *table;      ///< hash table of places by position
    int32_t num_places, num_edges;
    int32_t num_expanded;             ///< places whose edges are in the list
    int32_t spawns[MAX_MAP_ENTITIES]; ///< place of every info_player_*, in order
    int32_t num_spawns;
    bool overflow; ///< too many places or edges: the graph lacks the far ones
} reach_t;

/// Explores a map from all its spawns. Returns false if out of memory or if something overflowed.
/// Call Reach_Free even after false.
bool Reach_Explore(reach_t *reach, const cmap_t *map, const map_entities_t *entities);

/// Does the same in parts: begins with the spawns, then expands at most `max` places a call.
/// Reach_Begin returns false if out of memory, Reach_Continue true when the graph is complete. The
/// map and the entities must stay until then.
bool Reach_Begin(reach_t *reach, const cmap_t *map, const map_entities_t *entities);
bool Reach_Continue(reach_t *reach, int32_t max);

void Reach_Free(reach_t *reach);

/// Finds the fastest route between the places nearest to two origins of players. Avoids what hurts.
/// Writes at most `max` corners. Returns their number, 0 if there is no route.
int32_t Reach_Route(const reach_t *reach, vec3_t from, vec3_t to, cl_corner_t *list, int32_t max);

/// Returns true if a player's box is free at `origin`, in the world and brush entities that stop
/// players.
bool Reach_IsFree(const cmap_t *map, const map_entities_t *entities, vec3_t origin);

/// Sweeps a player's box through the world and brush entities that stop players.
trace_t Reach_Trace(const cmap_t *map, const map_entities_t *entities, vec3_t start, vec3_t end);

#endif
