/// mapc/portal.h - finds the portals of a BSP tree: the openings between neighbouring leafs.
//
// Memory:  allocated from pools->keep.

#ifndef EDICTD_MAPC_PORTAL_H
#define EDICTD_MAPC_PORTAL_H

#include "mapc/tree.h"

/// Leaf number of the void, the space outside the tree's bounds.
#define MC_VOID_LEAF (-1)

/// Minimum width of a portal. Narrower gaps between brushes count as closed.
#define MC_MIN_PORTAL_WIDTH 0.1 // qu

typedef struct {
    int32_t leafs[2]; ///< leaf in front and leaf behind; either may be MC_VOID_LEAF
    int32_t plane;    ///< number in the table of planes; -1 for the sides of the tree's bounds
    const winding_t *winding;
} mc_portal_t;

typedef struct {
    mc_portal_t *portals;
    size_t count, room;
} mc_portals_t;

typedef void (*mc_visit_t)(void *context, int32_t leaf, const winding_t *winding);

/// A polygon's descent through a subtree. In a node's plane, it takes the child in direction
/// `toward`. `visit` receives the part in each leaf, except narrow parts.
typedef struct {
    const mc_tree_t *tree;
    mc_pool_t *pool; ///< for the parts
    dvec_t toward;
    mc_visit_t visit;
    void *context;
    double min_width; ///< of a part, qu
} mc_descent_t;

void MC_Descend(const mc_descent_t *descent, int32_t child, const winding_t *winding);

/// Finds all portals that are `min_width` wide, including those of solid leafs.
void MC_FindPortals(mc_portals_t *portals, mc_pools_t *pools, const mc_tree_t *tree,
                    double min_width);

#endif
