#include "mapc/faces.h"

#include "mapc/grid.h"
#include "mapc/texture.h"

/// Minimum width of a surface. Narrower remains of a side are dropped.
#define MC_MIN_SURFACE_WIDTH 0.01 // qu

/// Polygons of one side. Each cut makes a new list.
typedef struct {
    const winding_t **windings;
    size_t count, room;
} scraps_t;

typedef struct {
    mc_pools_t *pools;
    const mc_planes_t *table;
    mc_surfaces_t *out;
    size_t out_room;
    int64_t *work;
} seeker_t;

bool MC_IsStronger(const mc_brush_t *b, const mc_brush_t *a) {
    int32_t mine = MC_ContentsRank(b->contents);
    int32_t theirs = MC_ContentsRank(a->contents);
    return mine > theirs || (mine == theirs && b->order > a->order);
}

mc_surface_t MC_MakeSurface(int32_t plane, const winding_t *winding) {
    mc_surface_t surface = {.plane = plane, .winding = winding, .bounds = DB_Empty()};
    for (int32_t i = 0; i < winding->num_points; i++) {
        DB_AddPoint(&surface.bounds, winding->points[i]);
    }
    return surface;
}

static void add_scrap(seeker_t *s, scraps_t *scraps, const winding_t *w) {
    scraps->windings = MC_Grow(&s->pools->temp, (void *)scraps->windings, scraps->count,
                               &scraps->room, sizeof *scraps->windings);
    scraps->windings[scraps->count++] = w;
}

/// The position of a polygon of one brush relative to another brush.
typedef enum { LIES_APART, LIES_INSIDE, LIES_ON_SAME, LIES_ON_OPPOSITE } lie_t;

/// Returns LIES_APART for a polygon in front of a side of the other brush. Returns LIES_ON_* for a
/// polygon in the plane of a side, otherwise LIES_INSIDE.
static lie_t find_lie(const seeker_t *s, const winding_t *w, dvec_t normal,
                      const mc_brush_t *other) {
    lie_t lie = LIES_INSIDE;
    for (int32_t i = 0; i < other->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(s->table, other->sides[i].plane);
        mc_side_t side = MC_WindingSide(w, &plane, MC_SPLIT_EPSILON);
        if (side == MC_SIDE_FRONT) {
            return LIES_APART;
        }
        if (side == MC_SIDE_ON) {
            lie = DV_Dot(plane.normal, normal) > 0.0 ? LIES_ON_SAME : LIES_ON_OPPOSITE;
        }
    }
    return lie;
}

/// Returns true if a polygon of `own` in this position is no surface, because `other` hides it.
static bool is_hidden(const mc_brush_t *own, const mc_brush_t *other, lie_t lie) {
    bool same = own->contents == other->contents;
    switch (lie) {
    case LIES_INSIDE:
        return same || MC_IsStronger(other, own);
    case LIES_ON_SAME:
        return MC_IsStronger(other, own); // of two coinciding sides, the stronger brush's stays
    case LIES_ON_OPPOSITE:
        return same;
    case LIES_APART:
    default:
        return false;
    }
}

/// Cuts away the part of `w` that is inside the other brush. Adds the remaining parts to `rest`.
static void cut_out(seeker_t *s, const winding_t *w, const mc_brush_t *other, scraps_t *rest) {
    // A polygon without a part inside stays whole.
    const winding_t *inside = w;
    for (int32_t i = 0; i < other->num_sides && inside; i++) {
        dplane_t plane = MC_PlaneOf(s->table, other->sides[i].plane);
        inside = MC_ClipWinding(&s->pools->temp, inside, &plane, MC_SPLIT_EPSILON);
    }
    if (!inside || MC_WindingWidth(inside) < MC_MIN_SURFACE_WIDTH) {
        add_scrap(s, rest, w);
        return;
    }
    for (int32_t i = 0; i < other->num_sides && w; i++) {
        dplane_t plane = MC_PlaneOf(s->table, other->sides[i].plane);
        const winding_t *parts[2];
        if (MC_SplitWinding(&s->pools->temp, w, &plane, MC_SPLIT_EPSILON, parts) == MC_SIDE_ON) {
            continue;
        }
        if (parts[0]) {
            add_scrap(s, rest, parts[0]);
        }
        w = parts[1];
    }
}

static void put_surface(seeker_t *s, int32_t plane, const winding_t *w) {
    if (MC_WindingWidth(w) < MC_MIN_SURFACE_WIDTH) {
        return;
    }
    mc_surfaces_t *out = s->out;
    out->surfaces = MC_Grow(&s->pools->keep, out->surfaces, (size_t)out->count, &s->out_room,
                            sizeof *out->surfaces);
    out->surfaces[out->count++] = MC_MakeSurface(plane, MC_CopyWinding(&s->pools->keep, w));
}

/// Finds the surfaces of one side. `neighbours`: the brushes with bounds that touch `own`.
static void seek_side(seeker_t *s, const mc_brush_t *own, int32_t side,
                      const mc_brush_t *const *neighbours, int32_t num_neighbours) {
    mc_mark_t mark = MC_Mark(&s->pools->temp);
    int32_t number = own->sides[side].plane / 2;
    dvec_t normal = MC_PlaneOf(s->table, own->sides[side].plane).normal;
    scraps_t now = {0};
    add_scrap(s, &now, own->sides[side].winding);
    dbounds_t box = MC_MakeSurface(number, own->sides[side].winding).bounds;
    for (int32_t i = 0; i < num_neighbours && now.count > 0; i++) {
        const mc_brush_t *other = neighbours[i];
        if (!MC_BoxesTouch(&box, &other->bounds, MC_SPLIT_EPSILON)) {
            continue;
        }
        scraps_t rest = {0};
        MC_CountWork(s->pools->keep.fail, s->work, (int64_t)now.count * other->num_sides);
        for (size_t k = 0; k < now.count; k++) {
            lie_t lie = find_lie(s, now.windings[k], normal, other);
            if (is_hidden(own, other, lie)) {
                cut_out(s, now.windings[k], other, &rest);
            } else {
                add_scrap(s, &rest, now.windings[k]);
            }
        }
        now = rest;
    }
    for (size_t k = 0; k < now.count; k++) {
        put_surface(s, number, now.windings[k]);
    }
    MC_Release(&s->pools->temp, mark);
}

mc_surfaces_t MC_FindSurfaces(mc_pools_t *pools, const mc_planes_t *table,
                              const mc_brush_t *brushes, int32_t num_brushes, int64_t *work) {
    mc_surfaces_t out = {0};
    seeker_t s = {.pools = pools, .table = table, .out = &out, .work = work};
    mc_mark_t mark = MC_Mark(&pools->temp);
    mc_grid_t grid;
    MC_MakeGrid(&grid, &pools->temp, brushes, num_brushes);
    const mc_brush_t **neighbours = MC_Alloc(&pools->temp, (size_t)num_brushes, sizeof *neighbours);
    for (int32_t i = 0; i < num_brushes; i++) {
        const mc_brush_t *own = &brushes[i];
        MC_CountWork(pools->keep.fail, work, grid.num_large);
        int32_t num_neighbours = MC_Neighbours(&grid, i, MC_SPLIT_EPSILON, neighbours);
        int32_t first = out.count;
        for (int32_t side = 0; side < own->num_sides; side++) {
            seek_side(&s, own, side, neighbours, num_neighbours);
        }
        for (int32_t k = first; k < out.count; k++) {
            out.surfaces[k].brush = i;
        }
    }
    MC_Release(&pools->temp, mark);
    return out;
}
