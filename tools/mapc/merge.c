// Merges the polygons of a node, and splits polygons that are too large for light maps.
#include "mapc/polygons.h"

/// Maximum distance of two corners that count as one, and of a corner from a straight line.
#define MC_MERGE_EPSILON 1e-3 // qu
/// Maximum corners of a merged polygon. Engines reject faces with more than about 60.
#define MC_MAX_MERGED 32
/// Maximum pairs of polygons that are tried. Beyond it, polygons stay apart.
#define MC_MAX_PAIRS_TRIED 50000000
/// Maximum pieces of a polygon. A larger polygon stays whole, as a special face.
#define MC_MAX_PIECES 1024.0
/// Texels of one sample of a light map. Engines allow MC_MAX_GRAINS along a face.
#define MC_GRAIN      16.0
#define MC_MAX_GRAINS 16.0
#define MC_PIECE      ((MC_MAX_GRAINS - 1.0) * MC_GRAIN) // texels
#define MC_ROUNDING   0.1                                // texels

static bool same_point(dvec_t a, dvec_t b) {
    return fabs(a.x - b.x) <= MC_MERGE_EPSILON && fabs(a.y - b.y) <= MC_MERGE_EPSILON &&
           fabs(a.z - b.z) <= MC_MERGE_EPSILON;
}

static int32_t next_of(const winding_t *w, int32_t i) {
    return i + 1 < w->num_points ? i + 1 : 0;
}

static int32_t before(const winding_t *w, int32_t i) {
    return i > 0 ? i - 1 : w->num_points - 1;
}

/// Finds an edge of `a` that is an edge of `b` in the opposite direction. Writes the edges' first
/// corners.
static bool find_common_edge(const winding_t *a, const winding_t *b, int32_t *in_a, int32_t *in_b) {
    for (int32_t i = 0; i < a->num_points; i++) {
        for (int32_t k = 0; k < b->num_points; k++) {
            if (same_point(a->points[i], b->points[next_of(b, k)]) &&
                same_point(a->points[next_of(a, i)], b->points[k])) {
                *in_a = i;
                *in_b = k;
                return true;
            }
        }
    }
    return false;
}

/// Returns how far a corner is outside the line between its neighbours; 0 = straight.
static double bulge(dvec_t from, dvec_t corner, dvec_t to, dvec_t normal) {
    dvec_t out = DV_Cross(DV_Sub(to, from), normal);
    double length = DV_Length(out);
    return length > 0.0 ? DV_Dot(DV_Sub(corner, from), out) / length : 0.0;
}

/// Appends the corners of `w` from `first` to the one before `last`.
static void add_points(winding_t *to, const winding_t *w, int32_t first, int32_t last) {
    for (int32_t i = first; i != last; i = next_of(w, i)) {
        to->points[to->num_points++] = w->points[i];
    }
}

/// Returns the union of two polygons in the plane, or NULL if they have no common edge or the union
/// is not convex.
static const winding_t *merge(mc_pool_t *pool, const winding_t *a, const winding_t *b,
                              dvec_t normal) {
    int32_t i, k;
    if (!find_common_edge(a, b, &i, &k)) {
        return NULL;
    }
    int32_t ia = next_of(a, i);
    int32_t kb = next_of(b, k);
    // The edge runs from a[i] = b[kb] to a[ia] = b[k].
    double at_start =
        bulge(a->points[before(a, i)], a->points[i], b->points[next_of(b, kb)], normal);
    double at_end = bulge(b->points[before(b, k)], b->points[k], a->points[next_of(a, ia)], normal);
    if (at_start < -MC_MERGE_EPSILON || at_end < -MC_MERGE_EPSILON ||
        a->num_points + b->num_points - 2 > MC_MAX_MERGED) {
        return NULL;
    }
    size_t room = (size_t)a->num_points + (size_t)b->num_points;
    winding_t *merged = MC_Alloc(pool, 1, sizeof *merged + room * sizeof(dvec_t));
    // From the end of the edge around `a` to its start, then around `b`. Straight corners go.
    add_points(merged, a, at_end > MC_MERGE_EPSILON ? ia : next_of(a, ia), i);
    add_points(merged, b, at_start > MC_MERGE_EPSILON ? kb : next_of(b, kb), k);
    return merged->num_points >= 3 ? merged : NULL;
}

/// Merges the polygons `first` to `end` - 1, which are of one node. Returns the new end.
static size_t merge_node(mc_polygons_t *list, mc_pools_t *pools, const mc_planes_t *table,
                         size_t first, size_t end, int64_t *tried) {
    mc_polygon_t *p = list->polygons;
    for (size_t i = first; i < end; i++) {
        dvec_t normal = MC_PlaneOf(table, p[i].plane).normal;
        for (size_t k = i + 1; k < end && *tried < MC_MAX_PAIRS_TRIED; k++) {
            ++*tried;
            const winding_t *merged = NULL;
            if (p[i].plane == p[k].plane && p[i].texinfo == p[k].texinfo) {
                merged = merge(&pools->keep, p[i].winding, p[k].winding, normal);
            }
            if (merged) {
                p[i].winding = merged;
                for (size_t m = k + 1; m < end; m++) {
                    p[m - 1] = p[m];
                }
                end--;
                k = i; // a larger polygon may meet others
            }
        }
    }
    return end;
}

void MC_MergePolygons(mc_polygons_t *list, mc_pools_t *pools, const mc_planes_t *table) {
    int64_t tried = 0;
    size_t kept = 0;
    for (size_t first = 0; first < list->count;) {
        size_t next = first + 1;
        while (next < list->count && list->polygons[next].node == list->polygons[first].node) {
            next++;
        }
        size_t end = merge_node(list, pools, table, first, next, &tried);
        for (size_t i = first; i < end; i++) {
            list->polygons[kept++] = list->polygons[i];
        }
        first = next;
    }
    list->count = kept;
}

/// Returns the smallest and largest texel of a polygon along axis 0 or 1.
static void texel_range(const winding_t *w, const mc_texinfo_t *info, int32_t axis, double *lo,
                        double *hi) {
    dplane_t texels = {info->axes[axis], -info->offset[axis]};
    MC_WindingRange(w, &texels, lo, hi);
}

typedef struct {
    mc_polygons_t *out;
    mc_pools_t *pools;
    const mc_texinfo_t *info;
} splitter_t;

/// Adds a polygon, cut along `axis` and the axes after it.
static void cut(splitter_t *s, mc_polygon_t polygon, int32_t axis) {
    if (axis == 2) {
        mc_polygons_t *out = s->out;
        out->polygons =
            MC_Grow(&s->pools->keep, out->polygons, out->count, &out->room, sizeof *out->polygons);
        out->polygons[out->count++] = polygon;
        return;
    }
    double length = DV_Length(s->info->axes[axis]);
    for (;;) {
        double lo, hi;
        texel_range(polygon.winding, s->info, axis, &lo, &hi);
        // Engines round the range outward to grains, after rounding errors of their own.
        double first = floor((lo - MC_ROUNDING) / MC_GRAIN);
        double grains = ceil((hi + MC_ROUNDING) / MC_GRAIN) - first;
        // A cut near the end would leave a thin piece, so the last two pieces are equally long.
        double step = grains < 2.0 * MC_MAX_GRAINS ? floor(grains * 0.5) : MC_MAX_GRAINS - 1.0;
        double at = (first + step) * MC_GRAIN;
        dplane_t plane = {DV_Scale(s->info->axes[axis], 1.0 / length),
                          (at - s->info->offset[axis]) / length};
        const winding_t *parts[2] = {NULL, NULL};
        if (grains > MC_MAX_GRAINS) {
            MC_SplitWinding(&s->pools->keep, polygon.winding, &plane, MC_MERGE_EPSILON, parts);
        }
        if (!parts[0] || !parts[1]) {
            cut(s, polygon, axis + 1);
            return;
        }
        polygon.winding = parts[1];
        cut(s, polygon, axis + 1);
        polygon.winding = parts[0];
    }
}

void MC_SubdividePolygons(mc_polygons_t *list, mc_pools_t *pools, mc_texinfos_t *texinfos) {
    mc_polygons_t out = {0};
    for (size_t i = 0; i < list->count; i++) {
        mc_polygon_t polygon = list->polygons[i];
        mc_texinfo_t info = texinfos->infos[polygon.texinfo];
        double lo[2], hi[2];
        for (int32_t axis = 0; axis < 2; axis++) {
            texel_range(polygon.winding, &info, axis, &lo[axis], &hi[axis]);
        }
        double pieces = ((hi[0] - lo[0]) / MC_PIECE + 1.0) * ((hi[1] - lo[1]) / MC_PIECE + 1.0);
        if (!info.special && pieces > MC_MAX_PIECES) {
            polygon.texinfo = MC_SpecialTexinfo(texinfos, polygon.texinfo);
        }
        splitter_t s = {&out, pools, &info};
        cut(&s, polygon, info.special || pieces > MC_MAX_PIECES ? 2 : 0);
    }
    *list = out;
}
