/// mapc/portal.h - the portals (openings) between the leafs of a tree.
//
// Memory:  the keep pool given.

#ifndef EDICTD_MAPC_PORTAL_H
#define EDICTD_MAPC_PORTAL_H

#include "mapc/tree.h"

/// The leaf number of the void around the tree's box.
#define MC_VOID_LEAF (-1)

/// Narrower openings are gaps between brushes that do not quite meet; they count as closed.
#define MC_MIN_PORTAL_WIDTH 0.1 // qu

typedef struct {
    int32_t leafs[2]; ///< in front and behind; MC_VOID_LEAF is the void
    int32_t plane;    ///< of the table of planes; -1 for the sides of the box
    const winding_t *winding;
} mc_portal_t;

typedef struct {
    mc_portal_t *portals;
    size_t count, room;
} mc_portals_t;

/// Finds all portals, between solid leafs too.
void MC_FindPortals(mc_portals_t *portals, mc_pools_t *pools, const mc_tree_t *tree);

#endif
