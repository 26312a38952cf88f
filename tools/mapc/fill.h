/// mapc/fill.h - fills the outside of a map with solid, or finds the path of a leak.
//
// Memory:  the pools given.

#ifndef EDICTD_MAPC_FILL_H
#define EDICTD_MAPC_FILL_H

#include "mapc/portal.h"

/// An entity's origin, from which the inside of the map is flooded.
typedef struct {
    dvec_t origin;
    const mc_entity_t *entity;
    int32_t number; ///< of the entity in the compiled map; 0 is the worldspawn
    bool enclosed;  ///< reaches the void from between walls; set by MC_TakeOutside
} mc_seed_t;

#define MC_LEAK_SHARE 20

typedef struct {
    mc_seed_t *seeds;
    int32_t count;
} mc_seeds_t;

/// A leak: the shortest path, in leafs, from a seed to the void.
typedef struct {
    const mc_seed_t *seed; ///< NULL: the map is sealed
    dvec_t *points;
    int32_t num_points;
    int32_t num_inside; ///< seeds in leafs that are not solid
} mc_leak_t;

/// Moves the seeds of entities that stand outside the map to `outside`, which needs room for all of
/// them. Returns how many were moved.
/// A seed that reaches the void counts as a leak only if walls surround it, which means that at
/// most one of the six axis directions is open. Such seeds stay in `seeds` if they are at least one
/// in MC_LEAK_SHARE of the seeds inside; if no seed is inside, all stay. Otherwise they are moved,
/// marked as `enclosed`.
int32_t MC_TakeOutside(mc_seeds_t *seeds, mc_seed_t *outside, mc_pools_t *pools,
                       const mc_tree_t *tree, const mc_portals_t *portals);

/// Floods from the seeds through every leaf that is neither solid nor sky, and reports in `leak`
/// whether the flood reaches the void. If it does not, each leaf that the flood did not reach
/// becomes solid, closed rooms without entities too; sky stays sky. If no seed is inside, only the
/// leafs that the void reaches become solid.
void MC_FillOutside(mc_leak_t *leak, mc_pools_t *pools, mc_tree_t *tree,
                    const mc_portals_t *portals, const mc_seeds_t *seeds);

#endif
