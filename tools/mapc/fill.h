/// mapc/fill.h - makes the outside of a map solid, or finds the path of a leak.
//
// Memory:  from the pools given.

#ifndef EDICTD_MAPC_FILL_H
#define EDICTD_MAPC_FILL_H

#include "mapc/portal.h"

/// The origin of an entity, where the flood of the map's inside starts.
typedef struct {
    dvec_t origin;
    const mc_entity_t *entity;
    int32_t number; ///< number of the entity in the compiled map; 0 is worldspawn
    bool enclosed;  ///< the origin is between walls but reaches the void; set by MC_TakeOutside
} mc_seed_t;

/// Enclosed seeds that reach the void are a leak if they are at least 1/MC_LEAK_SHARE of the seeds
/// inside. Fewer are taken for entities outside the map.
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

/// Moves the seeds of entities outside the map from `seeds` to `outside`, which must have room for
/// all of them. Returns how many were moved.
/// A seed that reaches the void is outside the map or in a room that leaks. It counts as a leak if
/// it is enclosed (at most one of the six axis directions is open) and enclosed seeds are at least
/// 1/MC_LEAK_SHARE of the seeds inside. Leaking seeds stay in `seeds`. If no seed is inside, all
/// stay.
int32_t MC_TakeOutside(mc_seeds_t *seeds, mc_seed_t *outside, mc_pools_t *pools,
                       const mc_tree_t *tree, const mc_portals_t *portals);

/// Floods from the seeds through every leaf that is neither solid nor sky. *leak receives the path
/// if the flood reaches the void. Otherwise every leaf that was not reached becomes solid, even
/// closed rooms without entities; sky stays sky. Without a seed inside, only leafs that the void
/// reaches become solid.
void MC_FillOutside(mc_leak_t *leak, mc_pools_t *pools, mc_tree_t *tree,
                    const mc_portals_t *portals, const mc_seeds_t *seeds);

#endif
