/// test_reach.h - where a player can get on a map: a graph of places, from all spawns on.
//
// Places lie on a grid of REACH_GRID in x and y, one for each floor, and in the water one above
// the other. Ways between them: walking, steps up of 18, dropping any depth, jumping 45 high and as
// far as a running jump goes, swimming and the water jump, teleporters, push pads. It is careful
// rather than clever: a way it finds exists, a trick jump it may miss.

#ifndef EDICTD_TESTS_TEST_REACH_H
#define EDICTD_TESTS_TEST_REACH_H

#include "lib/entities_fixture.h"

#define REACH_GRID 16 // qu

typedef enum { REACH_STAND, REACH_SWIM, REACH_DIE } reach_kind_t;

typedef struct {
    vec3_t origin; ///< of a player there
    reach_kind_t kind;
} reach_place_t;

typedef struct {
    int32_t from, to;
} reach_way_t;

/// A graph. Opaque but for reading.
typedef struct {
    const cmap_t *map;
    const test_entities_t *entities;
    reach_place_t *places;
    reach_way_t *ways;
    int32_t *table; ///< places by where they are
    int32_t num_places, num_ways;
    int32_t spawns[TEST_MAX_ENTITIES]; ///< the place of every info_player_*, in their order
    int32_t num_spawns;
    bool overflow; ///< too many places or ways: nothing that follows is right
} reach_t;

/// Explores a map from all its spawns. False when there is no memory or something overflowed.
bool TestReach_Explore(reach_t *reach, const cmap_t *map, const test_entities_t *entities);

void TestReach_Free(reach_t *reach);

/// Places from which place `to` cannot be reached (dying leads to it: one spawns again). Writes the
/// first `max` of them into list and returns how many there are.
int32_t TestReach_DeadEnds(const reach_t *reach, int32_t to, int32_t *list, int32_t max);

/// Spawns that cannot be reached from place `from`: as TestReach_DeadEnds, but spawn numbers.
int32_t TestReach_Unreached(const reach_t *reach, int32_t from, int32_t *list, int32_t max);

/// How many places of a kind have their feet within z_min..z_max.
int32_t TestReach_CountPlaces(const reach_t *reach, reach_kind_t kind, float z_min, float z_max);

/// A player's box is free at `origin`: of the world and of brush entities that stop players.
bool TestReach_IsFree(const cmap_t *map, const test_entities_t *entities, vec3_t origin);

/// Sweeps a player's box through the world and brush entities that stop players.
trace_t TestReach_Trace(const cmap_t *map, const test_entities_t *entities, vec3_t start,
                        vec3_t end);

#endif
