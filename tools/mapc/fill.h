/// mapc/fill.h - makes the outside of a map solid, or finds a leak: a hole through which an entity
/// reaches the void.
//
// Memory:  from the caller's pools.

#ifndef EDICTD_MAPC_FILL_H
#define EDICTD_MAPC_FILL_H

#include "mapc/portal.h"

/// The origin of an entity. The inside of the map is the space that can be reached from it.
typedef struct {
    dvec_t origin;
    const mc_entity_t *entity;
    int32_t number; ///< number of the entity in the compiled map; 0 is worldspawn
    bool enclosed;  ///< walls are around the origin, but it reaches the void (MC_TakeOutside)
} mc_seed_t;

/// Minimum share of seeds that make a leak: 1/MC_LEAK_SHARE of the seeds inside. See
/// MC_TakeOutside.
#define MC_LEAK_SHARE 20

typedef struct {
    mc_seed_t *seeds;
    int32_t count;
} mc_seeds_t;

/// A leak: the shortest path, leaf by leaf, from a seed to the void.
typedef struct {
    const mc_seed_t *seed; ///< NULL: the map is sealed
    dvec_t *points;
    int32_t num_points;
    int32_t num_inside; ///< number of seeds in leafs that are not solid
} mc_leak_t;

/// Moves the seeds of entities outside the map from `seeds` to `outside`. `outside` must have room
/// for all seeds. Returns the number of moved seeds.
///
/// A seed that reaches the void is outside the map, or in a room that leaks. A seed is enclosed if
/// at most one of the six axis directions is open. Enclosed seeds count as a leak if they are at
/// least 1/MC_LEAK_SHARE of the seeds inside. Leaking seeds stay in `seeds`. If no seed is inside,
/// all seeds stay.
int32_t MC_TakeOutside(mc_seeds_t *seeds, mc_seed_t *outside, mc_pools_t *pools,
                       const mc_tree_t *tree, const mc_portals_t *portals);

/// Makes every leaf solid that no seed can reach, except sky. If a seed reaches the void, only
/// writes the path to *leak. Without a seed inside the map, fills only leafs that the void reaches.
void MC_FillOutside(mc_leak_t *leak, mc_pools_t *pools, mc_tree_t *tree,
                    const mc_portals_t *portals, const mc_seeds_t *seeds);

#endif
