/// mapc/vis.h - finds which leafs of a tree can be seen from which.
//
// Memory:  from the caller's pools; the frames of a walk are malloc'ed and freed.
// Repeat:  the same result with any number of threads, on every supported compiler.
// Source:  the published idea of portals and separating planes (docs below).
//
//   source   pass    A leaf sees through its portals. A plane that separates two portals, along
//   leaf |     |  .  an edge of one and a corner of the other, bounds what is seen through both.
//        |\    |.    Base visibility only tests which side of each other's planes two portals
//        |  \ .|     are on.
//        |  . \|
//
// Solid and sky stop sight; a leaf of sky sees all, but is not seen. Liquids do not stop it. Brush
// entities have no part in the world's tree, so they do not stop sight either.

#ifndef EDICTD_MAPC_VIS_H
#define EDICTD_MAPC_VIS_H

#include "mapc/portal.h"
#include "mapc/report.h"

#define MC_MAX_VIS_STEPS 4000000000 // of all portals; the work of some minutes
#define MC_MAX_THREADS   64

typedef struct {
    bool fast; ///< base visibility only
    int32_t threads;
    int64_t max_steps; ///< 0 = MC_MAX_VIS_STEPS
} mc_vis_options_t;

/// Leaf n + 1 of the tree is cluster n. A row has a bit for each cluster.
typedef struct {
    int32_t num_clusters; ///< 0 = too many portals for the memory: everything is visible
    size_t row_bytes;
    uint8_t *rows;
    int32_t num_portals; ///< each counts twice, once a direction
    int32_t num_limited; ///< portals with too many steps, for which base visibility is used
} mc_vis_t;

/// Finds the visibility of a pruned tree, whose leaf 0 is solid. Reports the progress.
void MC_FindVis(mc_vis_t *vis, mc_pools_t *pools, const mc_tree_t *tree,
                const mc_vis_options_t *options, const mc_report_t *report);

/// Returns true if the leaf stops sight.
static inline bool MC_IsOpaque(contents_t contents) {
    return contents == CONTENTS_SOLID || contents == CONTENTS_SKY;
}

#endif
