/// reach_fixture.h - computes where a player can go on a map: a graph of places, from all spawns.
//
// Places are on a grid of REACH_GRID in x and y, one for each floor, and one above the other in
// water. Edges between them: walking, steps up of 18, drops of any depth, jumps 45 high and as far
// as a running jump goes, swimming and the water jump, teleporters, push pads. The search is
// conservative: an edge that it finds exists, but it may miss a trick jump.

#ifndef EDICTD_TESTS_REACH_FIXTURE_H
#define EDICTD_TESTS_REACH_FIXTURE_H

#include "lib/entities_fixture.h"

#define REACH_GRID 16 // qu

typedef enum { REACH_STAND, REACH_SWIM, REACH_DIE } reach_kind_t;

typedef struct {
    vec3_t origin; ///< of a player there
    reach_kind_t kind;
} reach_place_t;

typedef struct {
    int32_t from, to;
} reach_edge_t;

/// A graph; read only.
typedef struct {
    const cmap_t *map;
    const test_entities_t *entities;
    reach_place_t *places;
    reach_edge_t *edges;
    int32_t *table; ///< hash table of places by position
    int32_t num_places, num_edges;
    int32_t spawns[TEST_MAX_ENTITIES]; ///< place of every info_player_*, in order
    int32_t num_spawns;
    bool overflow; ///< too many places or edges: the results are invalid
} reach_t;

/// Explores a map from all its spawns. Returns false if out of memory or if something overflowed.
bool TestReach_Explore(reach_t *reach, const cmap_t *map, const test_entities_t *entities);

void TestReach_Free(reach_t *reach);

/// Finds places from which place `to` cannot be reached (dying leads to it, because the player
/// spawns again). Writes the first `max` of them into list and returns how many there are.
int32_t TestReach_DeadEnds(const reach_t *reach, int32_t to, int32_t *list, int32_t max);

/// Like TestReach_DeadEnds, but finds the spawns that cannot be reached from place `from`.
int32_t TestReach_Unreached(const reach_t *reach, int32_t from, int32_t *list, int32_t max);

/// Returns how many places of a kind have their feet within z_min..z_max.
int32_t TestReach_CountPlaces(const reach_t *reach, reach_kind_t kind, float z_min, float z_max);

/// Returns true if a player's box is free at `origin`, in the world and brush entities that stop
/// players.
bool TestReach_IsFree(const cmap_t *map, const test_entities_t *entities, vec3_t origin);

/// Sweeps a player's box through the world and brush entities that stop players.
trace_t TestReach_Trace(const cmap_t *map, const test_entities_t *entities, vec3_t start,
                        vec3_t end);

#endif
