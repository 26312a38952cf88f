#include "mapc/hull.h"

/// Maximum distance of a brush corner in front of a bevel plane. Beyond it the bevel is dropped.
#define MC_BEVEL_EPSILON 1e-3 // qu
/// Minimum sine of the angle between an edge and an axis. Below it, no bevel is needed.
#define MC_BEVEL_SINE 1e-4
#define MC_MAX_GROWN  2048 // maximum sides of an expanded brush

int32_t MC_NumHulls(bool halflife) {
    return halflife ? 4 : 3;
}

dbounds_t MC_HullBox(bool halflife, int32_t hull) {
    static const dbounds_t quake[] = {
        {{0, 0, 0}, {0, 0, 0}}, {{-16, -16, -24}, {16, 16, 32}}, {{-32, -32, -24}, {32, 32, 64}}};
    static const dbounds_t half[] = {{{0, 0, 0}, {0, 0, 0}},
                                     {{-16, -16, -36}, {16, 16, 36}},
                                     {{-32, -32, -32}, {32, 32, 32}},
                                     {{-16, -16, -18}, {16, 16, 18}}};
    return halflife ? half[hull] : quake[hull];
}

typedef struct {
    mc_planes_t *table;
    const mc_brush_t *brush;
    dbounds_t box;
    planeref_t planes[MC_MAX_GROWN];
    int32_t count;
} grower_t;

/// Returns how far the mirrored box reaches along a direction.
static double box_reach(const dbounds_t *box, dvec_t n) {
    return -(n.x * (n.x > 0.0 ? box->mins.x : box->maxs.x) +
             n.y * (n.y > 0.0 ? box->mins.y : box->maxs.y) +
             n.z * (n.z > 0.0 ? box->mins.z : box->maxs.z));
}

/// Adds a plane, moved outward by the reach of the box. Ignores a duplicate.
static void add_side(grower_t *g, dplane_t plane) {
    plane.dist += box_reach(&g->box, plane.normal);
    planeref_t ref = MC_FindPlane(g->table, plane);
    for (int32_t i = 0; i < g->count; i++) {
        if (g->planes[i] == ref) {
            return;
        }
    }
    if (g->count == MC_MAX_GROWN) {
        MC_Fail(
            g->table->pool->fail,
            "brush in line %d: expected at most %d sides in a clip hull, found more; simplify it",
            g->brush->line, MC_MAX_GROWN);
    }
    g->planes[g->count++] = ref;
}

/// Returns true if no corner of the brush is in front of the plane.
static bool supports(const mc_brush_t *brush, const dplane_t *plane) {
    for (int32_t i = 0; i < brush->num_sides; i++) {
        double lo, hi;
        MC_WindingRange(brush->sides[i].winding, plane, &lo, &hi);
        if (hi > MC_BEVEL_EPSILON) {
            return false;
        }
    }
    return true;
}

/// Adds the bevel planes of an edge: planes through it, parallel to an axis, with the brush behind
/// them.
static void add_edge(grower_t *g, dvec_t from, dvec_t to) {
    dvec_t edge = DV_Sub(to, from);
    double length = DV_Length(edge);
    if (length < MC_BRUSH_EPSILON) {
        return;
    }
    edge = DV_Scale(edge, 1.0 / length);
    for (int32_t axis = 0; axis < 3; axis++) {
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            dvec_t n = DV_Cross(edge, DV_AxisVector(axis, (double)sign));
            double sine = DV_Length(n);
            if (sine < MC_BEVEL_SINE) {
                continue;
            }
            dplane_t plane = {DV_Scale(n, 1.0 / sine), 0.0};
            plane.dist = fmax(DV_Dot(plane.normal, from), DV_Dot(plane.normal, to));
            if (supports(g->brush, &plane)) {
                add_side(g, plane);
            }
        }
    }
}

bool MC_GrowBrush(mc_pools_t *pools, mc_planes_t *table, const mc_brush_t *brush, dbounds_t box,
                  mc_brush_t *grown) {
    grower_t g = {.table = table, .brush = brush, .box = box};
    for (int32_t i = 0; i < brush->num_sides; i++) {
        add_side(&g, MC_PlaneOf(table, brush->sides[i].plane));
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        add_side(&g, (dplane_t){DV_AxisVector(axis, 1.0), DV_Axis(brush->bounds.maxs, axis)});
        add_side(&g, (dplane_t){DV_AxisVector(axis, -1.0), -DV_Axis(brush->bounds.mins, axis)});
    }
    for (int32_t i = 0; i < brush->num_sides; i++) {
        const winding_t *w = brush->sides[i].winding;
        for (int32_t k = 0; k < w->num_points; k++) {
            add_edge(&g, w->points[k], w->points[k + 1 < w->num_points ? k + 1 : 0]);
        }
    }
    grown->order = brush->order;
    grown->line = brush->line;
    grown->contents = brush->contents;
    return MC_ShapeBrush(pools, table, grown, g.planes, g.count) != BRUSH_NO_VOLUME;
}
