#include "mapc/polygons.h"

#include "mapc/portal.h"
#include "mapc/texture.h"

/// Minimum cosine of the angle between two planes that count as one.
#define MC_SAME_NORMAL 0.999

/// A part of the current surface, and the contents in front of it.
typedef struct {
    const winding_t *winding;
    contents_t front;
} part_t;

/// The search for the polygons of one surface.
typedef struct {
    mc_polygons_t *out;
    mc_pools_t *pools;
    const mc_tree_t *tree;
    int32_t plane; ///< of the surface
    dvec_t normal; ///< of the side
    contents_t own;
    int32_t texinfo;
    part_t *parts;
    size_t num_parts, part_room;
} finder_t;

static bool is_liquid(contents_t contents) {
    return MC_ContentsRank(contents) == MC_ContentsRank(CONTENTS_WATER);
}

static bool is_visible(const finder_t *f, contents_t front) {
    return front != CONTENTS_SOLID && front != CONTENTS_SKY && front != f->own;
}

static void take_part(void *context, int32_t leaf, const winding_t *winding) {
    finder_t *f = context;
    f->parts = MC_Grow(&f->pools->temp, f->parts, f->num_parts, &f->part_room, sizeof *f->parts);
    f->parts[f->num_parts++] = (part_t){winding, f->tree->leafs[leaf].contents};
}

/// Returns a polygon with the points in reverse order.
static const winding_t *flip(mc_pool_t *pool, const winding_t *w) {
    winding_t *flipped = MC_CopyWinding(pool, w);
    for (int32_t i = 0; i < w->num_points; i++) {
        flipped->points[i] = w->points[w->num_points - 1 - i];
    }
    return flipped;
}

static void add_polygon(finder_t *f, int32_t node, bool along, part_t part) {
    mc_pool_t *keep = &f->pools->keep;
    bool mirrored = is_liquid(f->own) && !is_liquid(part.front);
    for (int32_t back = 0; back <= mirrored; back++) {
        mc_polygons_t *out = f->out;
        out->polygons = MC_Grow(keep, out->polygons, out->count, &out->room, sizeof *out->polygons);
        planeref_t plane = f->tree->nodes[node].plane * 2 + (along == (back == 0) ? 0 : 1);
        const winding_t *w = back ? flip(keep, part.winding) : MC_CopyWinding(keep, part.winding);
        out->polygons[out->count++] = (mc_polygon_t){w, plane, node, f->texinfo};
    }
}

/// Adds the visible parts of a polygon in a node's plane; the whole polygon if all are alike.
static void add_visible(finder_t *f, int32_t node, const winding_t *w) {
    const mc_node_t *at = &f->tree->nodes[node];
    bool along = DV_Dot(f->tree->table->planes[at->plane].normal, f->normal) > 0.0;
    f->num_parts = 0;
    mc_descent_t descent = {f->tree, &f->pools->temp, f->normal, take_part, f, MC_MIN_PORTAL_WIDTH};
    MC_Descend(&descent, at->children[along ? 0 : 1], w);
    bool alike = true;
    for (size_t i = 1; i < f->num_parts; i++) {
        alike = alike && is_visible(f, f->parts[i].front) == is_visible(f, f->parts[0].front) &&
                is_liquid(f->parts[i].front) == is_liquid(f->parts[0].front);
    }
    if (alike && f->num_parts > 0) {
        f->parts[0].winding = w;
        f->num_parts = 1;
    }
    for (size_t i = 0; i < f->num_parts; i++) {
        if (is_visible(f, f->parts[i].front)) {
            add_polygon(f, node, along, f->parts[i]);
        }
    }
}

static bool is_in_plane(const finder_t *f, int32_t number, const winding_t *w) {
    const dplane_t *plane = &f->tree->table->planes[number];
    return number == f->plane || (fabs(DV_Dot(plane->normal, f->normal)) > MC_SAME_NORMAL &&
                                  MC_WindingSide(w, plane, MC_SPLIT_EPSILON) == MC_SIDE_ON);
}

/// Moves a polygon down the tree to the nodes whose planes contain it. A polygon that reaches a
/// leaf has equal contents on both sides.
static void sort_down(finder_t *f, int32_t child, const winding_t *w) {
    while (child >= 0 && w) {
        const mc_node_t *node = &f->tree->nodes[child];
        if (is_in_plane(f, node->plane, w)) {
            add_visible(f, child, w);
            return;
        }
        const winding_t *parts[2];
        MC_SplitWinding(&f->pools->temp, w, &f->tree->table->planes[node->plane], MC_SPLIT_EPSILON,
                        parts);
        if (parts[0] && parts[1]) {
            sort_down(f, node->children[0], parts[0]);
        }
        child = node->children[parts[1] ? 1 : 0];
        w = parts[1] ? parts[1] : parts[0];
    }
}

/// Returns the side of a brush that a surface is a part of.
static const mc_side_poly_t *side_of(const mc_brush_t *brush, int32_t plane) {
    for (int32_t i = 0; i < brush->num_sides; i++) {
        if (brush->sides[i].plane / 2 == plane) {
            return &brush->sides[i];
        }
    }
    return NULL;
}

static void find_parts(finder_t *f, mc_texinfos_t *texinfos, const mc_solid_t *solid,
                       const mc_surface_t *surface) {
    const mc_brush_t *brush = &solid->brushes[surface->brush];
    const mc_side_poly_t *side = side_of(brush, surface->plane);
    if (!side || !side->source || !MC_IsDrawn(side->source->texture)) {
        return;
    }
    mc_mark_t mark = MC_Mark(&f->pools->temp);
    f->parts = NULL;
    f->part_room = 0;
    f->plane = surface->plane;
    f->normal = MC_PlaneOf(f->tree->table, side->plane).normal;
    f->own = brush->contents;
    size_t before = f->out->count;
    sort_down(f, f->tree->root, surface->winding);
    int32_t texinfo = f->out->count > before
                          ? MC_FindTexinfo(texinfos, side->source, f->normal, solid->origin)
                          : 0;
    for (size_t i = before; i < f->out->count; i++) {
        f->out->polygons[i].texinfo = texinfo;
    }
    MC_Release(&f->pools->temp, mark);
}

/// Sorts polygons by node. Polygons of one node keep their order.
static void sort_by_node(mc_polygons_t *list, mc_pools_t *pools, size_t num_nodes) {
    mc_mark_t mark = MC_Mark(&pools->temp);
    size_t *starts = MC_Alloc(&pools->temp, num_nodes + 1, sizeof *starts);
    mc_polygon_t *sorted = MC_Alloc(&pools->keep, list->count, sizeof *sorted);
    for (size_t i = 0; i < list->count; i++) {
        starts[list->polygons[i].node + 1]++;
    }
    for (size_t i = 1; i <= num_nodes; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t i = 0; i < list->count; i++) {
        sorted[starts[list->polygons[i].node]++] = list->polygons[i];
    }
    list->polygons = sorted;
    list->room = list->count;
    MC_Release(&pools->temp, mark);
}

void MC_FindPolygons(mc_polygons_t *out, mc_pools_t *pools, mc_texinfos_t *texinfos,
                     const mc_solid_t *solid) {
    *out = (mc_polygons_t){0};
    finder_t f = {.out = out, .pools = pools, .tree = solid->tree};
    for (int32_t i = 0; i < solid->surfaces.count; i++) {
        find_parts(&f, texinfos, solid, &solid->surfaces.surfaces[i]);
    }
    sort_by_node(out, pools, solid->tree->num_nodes);
}
