#include "mapc/fragments.h"

#include <string.h>

/// Minimum thickness of a fragment. Thinner fragments do not decide the contents of a cell.
#define MC_MIN_THICKNESS 0.1 // qu
/// Distance behind a fragment's side at which the next contents are tested.
#define MC_BEYOND 0.05 // qu

static void bound_fragment(mc_fragment_t *fragment) {
    fragment->bounds = DB_Empty();
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        const winding_t *w = fragment->sides[i].winding;
        for (int32_t k = 0; k < w->num_points; k++) {
            DB_AddPoint(&fragment->bounds, w->points[k]);
        }
    }
}

static mc_fragment_t *fragment_of_brush(mc_pool_t *pool, const mc_brush_t *brush) {
    size_t sides = (size_t)brush->num_sides;
    mc_fragment_t *fragment =
        MC_Alloc(pool, 1, sizeof *fragment + sides * sizeof(mc_fragment_side_t));
    fragment->brush = brush;
    fragment->num_sides = brush->num_sides;
    fragment->bounds = brush->bounds;
    for (int32_t i = 0; i < brush->num_sides; i++) {
        fragment->sides[i] =
            (mc_fragment_side_t){brush->sides[i].plane, false, brush->sides[i].winding};
    }
    return fragment;
}

mc_fragments_t MC_FragmentBrushes(mc_pool_t *pool, const mc_brush_t *brushes, int32_t num_brushes) {
    mc_fragments_t all = {MC_Alloc(pool, (size_t)num_brushes, sizeof *all.fragments), num_brushes};
    for (int32_t i = 0; i < num_brushes; i++) {
        all.fragments[i] = fragment_of_brush(pool, &brushes[i]);
    }
    return all;
}

static bool fills_cell(const mc_fragment_t *fragment) {
    return fragment->num_sides == 0;
}

/// Returns the fragment. Drops the sides if all sides are used, because the fragment fills the
/// cell.
static mc_fragment_t *settle(mc_pool_t *pool, mc_fragment_t *fragment) {
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        if (!fragment->sides[i].used) {
            return fragment;
        }
    }
    mc_fragment_t *full = MC_Alloc(pool, 1, sizeof *full);
    full->brush = fragment->brush;
    return full;
}

/// Computes the smallest and largest distance of a fragment from a plane.
static void fragment_range(const mc_fragment_t *fragment, const dplane_t *plane, double *lo,
                           double *hi) {
    *lo = 1e30;
    *hi = -1e30;
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        double l, h;
        MC_WindingRange(fragment->sides[i].winding, plane, &l, &h);
        *lo = fmin(*lo, l);
        *hi = fmax(*hi, h);
    }
}

mc_side_t MC_FragmentSide(const mc_planes_t *table, const mc_fragment_t *fragment, int32_t number) {
    dplane_t plane = table->planes[number];
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        if (fragment->sides[i].plane / 2 == number) {
            return fragment->sides[i].plane & 1 ? MC_SIDE_FRONT : MC_SIDE_BACK;
        }
    }
    double lo, hi;
    DB_PlaneRange(&fragment->bounds, &plane, &lo, &hi);
    // The range of the bounds is exact for an axial plane. For other planes the range may be too
    // large.
    if (MC_PlaneType(&plane) > 2 && lo < -MC_SPLIT_EPSILON && hi > MC_SPLIT_EPSILON) {
        fragment_range(fragment, &plane, &lo, &hi);
    }
    if (lo >= -MC_SPLIT_EPSILON) {
        return hi <= MC_SPLIT_EPSILON ? MC_SIDE_ON : MC_SIDE_FRONT;
    }
    return hi <= MC_SPLIT_EPSILON ? MC_SIDE_BACK : MC_SIDE_CROSS;
}

/// Returns a copy in which the side in the plane is marked used. If no side is in the plane,
/// returns `fragment`.
static mc_fragment_t *mark_used(mc_pool_t *pool, mc_fragment_t *fragment, int32_t number) {
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        if (fragment->sides[i].plane / 2 == number && !fragment->sides[i].used) {
            size_t bytes =
                sizeof *fragment + (size_t)fragment->num_sides * sizeof(mc_fragment_side_t);
            mc_fragment_t *copy = MC_Alloc(pool, 1, bytes);
            memcpy(copy, fragment, bytes);
            copy->sides[i].used = true;
            return settle(pool, copy);
        }
    }
    return fragment;
}

/// Returns the part of a plane inside a fragment, or NULL if there is none.
static const winding_t *cut_winding(mc_pool_t *pool, const mc_planes_t *table,
                                    const mc_fragment_t *fragment, const dplane_t *plane) {
    const winding_t *w = MC_PlaneWinding(pool, plane);
    for (int32_t i = 0; i < fragment->num_sides && w; i++) {
        dplane_t side = MC_PlaneOf(table, fragment->sides[i].plane);
        w = MC_ClipWinding(pool, w, &side, MC_BRUSH_EPSILON);
    }
    return w;
}

static void add_side(mc_fragment_t *fragment, planeref_t plane, bool used,
                     const winding_t *winding) {
    fragment->sides[fragment->num_sides++] = (mc_fragment_side_t){plane, used, winding};
}

void MC_SplitFragment(mc_pool_t *pool, const mc_planes_t *table, const mc_fragment_t *fragment,
                      int32_t number, mc_fragment_t *halves[2]) {
    dplane_t plane = table->planes[number];
    const winding_t *cut = cut_winding(pool, table, fragment, &plane);
    size_t bytes =
        sizeof *fragment + ((size_t)fragment->num_sides + 1) * sizeof(mc_fragment_side_t);
    for (int32_t h = 0; h < 2; h++) {
        halves[h] = MC_Alloc(pool, 1, bytes);
        halves[h]->brush = fragment->brush;
    }
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        const mc_fragment_side_t *side = &fragment->sides[i];
        const winding_t *parts[2];
        MC_SplitWinding(pool, side->winding, &plane, MC_BRUSH_EPSILON, parts);
        for (int32_t h = 0; h < 2; h++) {
            if (parts[h]) {
                add_side(halves[h], side->plane, side->used, parts[h]);
            }
        }
    }
    for (int32_t h = 0; h < 2; h++) {
        if (cut) {
            // The front half is in front of the plane, so its side in the plane faces back.
            add_side(halves[h], number * 2 + (h == 0 ? 1 : 0), true, cut);
        }
        bound_fragment(halves[h]);
        halves[h] = halves[h]->num_sides < 3 ? NULL : halves[h];
    }
}

void MC_SplitFragments(mc_pool_t *pool, const mc_planes_t *table, const mc_fragments_t *fragments,
                       int32_t plane, mc_fragments_t halves[2]) {
    for (int32_t h = 0; h < 2; h++) {
        halves[h].fragments = MC_Alloc(pool, (size_t)fragments->count, sizeof *halves[h].fragments);
        halves[h].count = 0;
    }
    for (int32_t i = 0; i < fragments->count; i++) {
        mc_fragment_t *fragment = fragments->fragments[i];
        mc_fragment_t *parts[2] = {NULL, NULL};
        mc_side_t side =
            fills_cell(fragment) ? MC_SIDE_CROSS : MC_FragmentSide(table, fragment, plane);
        if (fills_cell(fragment)) {
            parts[0] = parts[1] = fragment;
        } else if (side == MC_SIDE_CROSS) {
            MC_SplitFragment(pool, table, fragment, plane, parts);
            parts[0] = parts[0] ? settle(pool, parts[0]) : NULL;
            parts[1] = parts[1] ? settle(pool, parts[1]) : NULL;
        } else if (side != MC_SIDE_ON) {
            parts[side == MC_SIDE_FRONT ? 0 : 1] = mark_used(pool, fragment, plane);
        }
        for (int32_t h = 0; h < 2; h++) {
            if (parts[h]) {
                halves[h].fragments[halves[h].count++] = parts[h];
            }
        }
    }
}

const mc_brush_t *MC_FillingBrush(const mc_fragments_t *fragments) {
    const mc_brush_t *filling = NULL;
    for (int32_t i = 0; i < fragments->count; i++) {
        const mc_fragment_t *fragment = fragments->fragments[i];
        if (fills_cell(fragment) && (!filling || MC_IsStronger(fragment->brush, filling))) {
            filling = fragment->brush;
        }
    }
    return filling;
}

void MC_DropWeaker(mc_fragments_t *fragments, const mc_brush_t *filling) {
    int32_t kept = 0;
    for (int32_t i = 0; i < fragments->count; i++) {
        if (!MC_IsStronger(filling, fragments->fragments[i]->brush)) {
            fragments->fragments[kept++] = fragments->fragments[i];
        }
    }
    fragments->count = kept;
}

/// Returns true if a fragment is thin along the normal of a side.
static bool is_thin(const mc_planes_t *table, const mc_fragment_t *fragment) {
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(table, fragment->sides[i].plane);
        double lo, hi;
        fragment_range(fragment, &plane, &lo, &hi);
        if (lo > -MC_MIN_THICKNESS) {
            return true;
        }
    }
    return false;
}

static bool brush_holds(const mc_planes_t *table, const mc_brush_t *brush, dvec_t point) {
    for (int32_t i = 0; i < brush->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(table, brush->sides[i].plane);
        if (DP_Distance(&plane, point) > MC_SPLIT_EPSILON) {
            return false;
        }
    }
    return true;
}

/// Returns the strongest brush at a point of the cell, or NULL.
static const mc_brush_t *brush_at(const mc_planes_t *table, const mc_fragments_t *fragments,
                                  dvec_t point) {
    const mc_brush_t *best = NULL;
    for (int32_t i = 0; i < fragments->count; i++) {
        const mc_fragment_t *fragment = fragments->fragments[i];
        if ((!best || MC_IsStronger(fragment->brush, best)) &&
            (fills_cell(fragment) || brush_holds(table, fragment->brush, point))) {
            best = fragment->brush;
        }
    }
    return best;
}

/// Returns the plane of a side behind which other contents begin, or -1.
static int32_t open_side(const mc_planes_t *table, const mc_fragments_t *fragments,
                         const mc_fragment_t *fragment) {
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        const mc_fragment_side_t *side = &fragment->sides[i];
        if (side->used || MC_WindingWidth(side->winding) < MC_MIN_THICKNESS) {
            continue;
        }
        dvec_t normal = MC_PlaneOf(table, side->plane).normal;
        dvec_t beyond = DV_MA(MC_WindingCenter(side->winding), MC_BEYOND, normal);
        const mc_brush_t *next = brush_at(table, fragments, beyond);
        if (!next || next->contents != fragment->brush->contents) {
            return side->plane / 2;
        }
    }
    return -1;
}

int32_t MC_SettleCell(const mc_planes_t *table, const mc_fragments_t *fragments,
                      const mc_brush_t **winner, int64_t *work) {
    const mc_fragment_t *strongest = NULL;
    for (int32_t i = 0; i < fragments->count; i++) {
        const mc_fragment_t *fragment = fragments->fragments[i];
        if ((!strongest || MC_IsStronger(fragment->brush, strongest->brush)) &&
            (fills_cell(fragment) || !is_thin(table, fragment))) {
            strongest = fragment;
        }
    }
    *winner = strongest ? strongest->brush : NULL;
    MC_CountWork(table->pool->fail, work, fragments->count);
    if (!strongest || fills_cell(strongest)) {
        return -1;
    }
    for (int32_t i = 0; i < fragments->count; i++) {
        const mc_fragment_t *fragment = fragments->fragments[i];
        MC_CountWork(table->pool->fail, work, (int64_t)fragments->count * fragment->num_sides);
        bool same = fragment->brush->contents == strongest->brush->contents;
        int32_t plane =
            same && !is_thin(table, fragment) ? open_side(table, fragments, fragment) : -1;
        if (plane >= 0) {
            return plane;
        }
    }
    return -1;
}
