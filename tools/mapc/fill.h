/// mapc/fill.h - what is outside the map becomes solid; where it is open, the way out is found.
//
// Floor:   tool. portal.
// Units:   qu.
// Memory:  the pools given.

#ifndef EDICTD_MAPC_FILL_H
#define EDICTD_MAPC_FILL_H

#include "mapc/portal.h"

/// A point that must be inside the map.
typedef struct {
    dvec_t origin;
    const mc_entity_t *entity;
} mc_seed_t;

typedef struct {
    mc_seed_t *seeds;
    int32_t count;
} mc_seeds_t;

/// A way out: points from a seed to the void.
typedef struct {
    const mc_seed_t *seed; ///< NULL: the map is sealed
    dvec_t *points;
    int32_t num_points;
    int32_t num_inside; ///< seeds that lie in a leaf that is not solid
} mc_leak_t;

/// Floods from the seeds through everything that is neither solid nor sky. `leak` tells the
/// shortest way (in leafs) from a seed to the void, if there is one.
/// Otherwise every leaf that no seed reaches becomes solid (sky stays sky), also a closed room with
/// nothing in it. With no seed inside at all, that would be everything: then only what the void
/// reaches becomes solid.
void MC_FillOutside(mc_leak_t *leak, mc_pools_t *pools, mc_tree_t *tree,
                    const mc_portals_t *portals, const mc_seeds_t *seeds);

#endif
