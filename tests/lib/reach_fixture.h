/// reach_fixture.h - questions about the graph of places of a map, for tests.

#ifndef EDICTD_TESTS_REACH_FIXTURE_H
#define EDICTD_TESTS_REACH_FIXTURE_H

#include "client/reach.h"

/// Finds places from which place `to` cannot be reached (dying leads to it, because the player
/// spawns again). Writes the first `max` of them into list and returns how many there are.
int32_t TestReach_DeadEnds(const reach_t *reach, int32_t to, int32_t *list, int32_t max);

/// Like TestReach_DeadEnds, but finds the spawns that cannot be reached from place `from`.
int32_t TestReach_Unreached(const reach_t *reach, int32_t from, int32_t *list, int32_t max);

/// Returns how many places of a kind have their feet within z_min..z_max.
int32_t TestReach_CountPlaces(const reach_t *reach, reach_kind_t kind, float z_min, float z_max);

/// Returns how many class names begin with `prefix`.
int32_t TestEntities_Count(const map_entities_t *entities, const char *prefix);

#endif
