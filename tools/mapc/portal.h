/// mapc/portal.h - the openings between the leafs of a tree.
//
// Floor:   tool. tree.
// Units:   qu.
// Memory:  the keep pool given.

#ifndef EDICTD_MAPC_PORTAL_H
#define EDICTD_MAPC_PORTAL_H

#include "mapc/tree.h"

/// A number that stands for the endless outside of the tree's box.
#define MC_VOID_LEAF (-1)

/// Openings narrower than this are where brushes do not quite meet; they count as closed.
#define MC_MIN_PORTAL_WIDTH 0.1 // qu

typedef struct {
    int32_t leafs[2]; ///< in front and behind; MC_VOID_LEAF is the outside
    int32_t plane;    ///< of the table of planes, -1 for the box's own sides
    const winding_t *winding;
} mc_portal_t;

typedef struct {
    mc_portal_t *portals;
    size_t count, room;
} mc_portals_t;

/// Finds all openings, also between solid leafs.
void MC_FindPortals(mc_portals_t *portals, mc_pools_t *pools, const mc_tree_t *tree);

#endif
