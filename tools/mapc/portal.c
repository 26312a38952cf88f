#include "mapc/portal.h"

#include "base/assert.h"

#define MC_PORTAL_EPSILON 1e-3 // qu

/// The state of the search. `walls`: planes above the current node, facing out of its cell.
typedef struct {
    mc_portals_t *out;
    mc_pools_t *pools;
    const mc_tree_t *tree;
    dplane_t *walls;
    size_t num_walls, wall_room;
    dplane_t wanted; ///< plane of the current portal
    int32_t wanted_plane;
    int32_t node;  ///< node of the current portal
    int32_t front; ///< leaf in front of the current portal
    double min_width;
} finder_t;

void MC_Descend(const mc_descent_t *d, int32_t child, const winding_t *w) {
    if (child < 0) {
        if (MC_WindingWidth(w) >= d->min_width) {
            d->visit(d->context, -1 - child, w);
        }
        return;
    }
    const mc_node_t *node = &d->tree->nodes[child];
    int32_t children[2] = {node->children[0], node->children[1]};
    dplane_t plane = d->tree->table->planes[node->plane];
    const winding_t *parts[2];
    if (MC_SplitWinding(d->pool, w, &plane, MC_PORTAL_EPSILON, parts) == MC_SIDE_ON) {
        parts[DV_Dot(plane.normal, d->toward) > 0.0 ? 0 : 1] = w;
    }
    for (int32_t h = 0; h < 2; h++) {
        if (parts[h]) {
            MC_Descend(d, children[h], parts[h]);
        }
    }
}

static void descend(finder_t *f, int32_t child, const winding_t *w, dvec_t toward,
                    mc_visit_t visit) {
    mc_descent_t descent = {f->tree, &f->pools->temp, toward, visit, f, f->min_width};
    MC_Descend(&descent, child, w);
}

static void make_portal(void *context, int32_t back, const winding_t *w) {
    finder_t *f = context;
    mc_portals_t *out = f->out;
    out->portals =
        MC_Grow(&f->pools->keep, out->portals, out->count, &out->room, sizeof *out->portals);
    out->portals[out->count++] = (mc_portal_t){.leafs = {f->front, back},
                                               .plane = f->wanted_plane,
                                               .winding = MC_CopyWinding(&f->pools->keep, w)};
}

/// Moves a polygon from `leaf`, in front of a node's plane, down the node's back subtree. Makes a
/// portal for each leaf there.
static void arrive_front(void *context, int32_t leaf, const winding_t *w) {
    finder_t *f = context;
    f->front = leaf;
    descend(f, f->tree->nodes[f->node].children[1], w, DV_Scale(f->wanted.normal, -1.0),
            make_portal);
}

/// Returns the part of a node's plane inside the node's cell, or NULL.
static const winding_t *node_winding(finder_t *f, const dplane_t *plane) {
    const winding_t *w = MC_PlaneWinding(&f->pools->temp, plane);
    // The nearest walls come first, because they cut off most.
    for (size_t i = f->num_walls; i > 0 && w; i--) {
        w = MC_ClipWinding(&f->pools->temp, w, &f->walls[i - 1], MC_BRUSH_EPSILON);
    }
    return w;
}

static void push_wall(finder_t *f, dplane_t wall) {
    ASSERT(f->num_walls < f->wall_room);
    f->walls[f->num_walls++] = wall;
}

static void find_at_node(finder_t *f, int32_t node) {
    int32_t number = f->tree->nodes[node].plane;
    dplane_t plane = f->tree->table->planes[number];
    mc_mark_t mark = MC_Mark(&f->pools->temp);
    const winding_t *w = node_winding(f, &plane);
    if (w) {
        f->wanted = plane;
        f->wanted_plane = number;
        f->node = node;
        descend(f, f->tree->nodes[node].children[0], w, plane.normal, arrive_front);
    }
    MC_Release(&f->pools->temp, mark);
    for (int32_t h = 0; h < 2; h++) {
        int32_t child = f->tree->nodes[node].children[h];
        if (child >= 0) {
            push_wall(f, h == 0 ? DP_Flip(plane) : plane);
            find_at_node(f, child);
            f->num_walls--;
        }
    }
}

static dplane_t box_wall(const dbounds_t *box, int32_t which) {
    int32_t axis = which / 2;
    return which & 1 ? (dplane_t){DV_AxisVector(axis, -1.0), -DV_Axis(box->mins, axis)}
                     : (dplane_t){DV_AxisVector(axis, 1.0), DV_Axis(box->maxs, axis)};
}

/// Finds the portals to the void, through the six sides of the tree's bounds.
static void find_at_box(finder_t *f) {
    for (int32_t i = 0; i < 6; i++) {
        mc_mark_t mark = MC_Mark(&f->pools->temp);
        dplane_t wall = f->walls[i];
        const winding_t *w = MC_PlaneWinding(&f->pools->temp, &wall);
        for (int32_t k = 0; k < 6 && w; k++) {
            w = k == i ? w : MC_ClipWinding(&f->pools->temp, w, &f->walls[k], MC_BRUSH_EPSILON);
        }
        if (w) {
            f->wanted = wall;
            f->wanted_plane = -1;
            f->front = MC_VOID_LEAF;
            descend(f, f->tree->root, w, DV_Scale(wall.normal, -1.0), make_portal);
        }
        MC_Release(&f->pools->temp, mark);
    }
}

void MC_FindPortals(mc_portals_t *portals, mc_pools_t *pools, const mc_tree_t *tree,
                    double min_width) {
    *portals = (mc_portals_t){0};
    mc_mark_t mark = MC_Mark(&pools->temp);
    finder_t f = {.out = portals, .pools = pools, .tree = tree, .min_width = min_width};
    f.wall_room = MC_MAX_TREE_DEPTH + 8;
    // Allocated at full size, because an array must not grow after a mark.
    f.walls = MC_Alloc(&pools->temp, f.wall_room, sizeof *f.walls);
    for (int32_t i = 0; i < 6; i++) {
        push_wall(&f, box_wall(&tree->bounds, i));
    }
    find_at_box(&f);
    if (tree->root >= 0) {
        find_at_node(&f, tree->root);
    }
    MC_Release(&pools->temp, mark);
}
