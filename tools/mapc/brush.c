#include "mapc/brush.h"

#include "base/assert.h"
#include "mapc/texture.h"

/// Minimum width of a side. Narrower sides are rounding errors and are dropped.
#define MC_MIN_SIDE_WIDTH 1e-3 // qu

bool MC_PlaneFromPoints(const dvec_t points[3], dplane_t *plane) {
    dvec_t a = DV_Sub(points[0], points[1]);
    dvec_t b = DV_Sub(points[2], points[1]);
    dvec_t n = DV_Cross(a, b);
    double length = DV_Length(n);
    double product = DV_Length(a) * DV_Length(b);
    // If the sine of the angle between the edges is below 1e-9, the normal is only rounding error.
    if (!(length > product * 1e-9) || !(length > 1e-9)) {
        return false;
    }
    plane->normal = DV_Scale(n, 1.0 / length);
    plane->dist = DV_Dot(points[1], plane->normal);
    return true;
}

/// Returns the polygon of plane `which`: its part behind all other planes; NULL if there is none.
static const winding_t *side_winding(mc_pool_t *pool, const mc_planes_t *table,
                                     const planeref_t *planes, int32_t num_planes, int32_t which) {
    dplane_t plane = MC_PlaneOf(table, planes[which]);
    const winding_t *w = MC_PlaneWinding(pool, &plane);
    for (int32_t i = 0; i < num_planes && w; i++) {
        if (i == which) {
            continue;
        }
        dplane_t other = MC_PlaneOf(table, planes[i]);
        const winding_t *parts[2];
        if (MC_SplitWinding(pool, w, &other, MC_BRUSH_EPSILON, parts) != MC_SIDE_ON) {
            w = parts[1];
        } else if (DV_Dot(plane.normal, other.normal) < 0.0) {
            w = NULL; // two opposite planes at the same position enclose nothing
        }
    }
    return w && MC_WindingWidth(w) >= MC_MIN_SIDE_WIDTH ? w : NULL;
}

mc_brush_fault_t MC_ShapeBrush(mc_pools_t *pools, const mc_planes_t *table, mc_brush_t *brush,
                               const planeref_t *planes, int32_t num_planes) {
    brush->sides = MC_Alloc(&pools->keep, (size_t)num_planes, sizeof *brush->sides);
    brush->num_sides = 0;
    brush->bounds = DB_Empty();
    for (int32_t i = 0; i < num_planes; i++) {
        mc_mark_t mark = MC_Mark(&pools->temp);
        const winding_t *w = side_winding(&pools->temp, table, planes, num_planes, i);
        if (w) {
            w = MC_CopyWinding(&pools->keep, w);
            brush->sides[brush->num_sides++] = (mc_side_poly_t){planes[i], w, NULL};
            for (int32_t k = 0; k < w->num_points; k++) {
                DB_AddPoint(&brush->bounds, w->points[k]);
            }
        }
        MC_Release(&pools->temp, mark);
    }
    if (brush->num_sides < 4) {
        return BRUSH_NO_VOLUME;
    }
    dvec_t lo = brush->bounds.mins;
    dvec_t hi = brush->bounds.maxs;
    bool open = lo.x < -MC_MAX_COORD || lo.y < -MC_MAX_COORD || lo.z < -MC_MAX_COORD ||
                hi.x > MC_MAX_COORD || hi.y > MC_MAX_COORD || hi.z > MC_MAX_COORD;
    return open ? BRUSH_OPEN : BRUSH_GOOD;
}

/// Returns the index of a plane in a list, or -1.
static int32_t index_of_plane(const planeref_t *planes, int32_t count, planeref_t plane) {
    for (int32_t i = 0; i < count; i++) {
        if (planes[i] == plane) {
            return i;
        }
    }
    return -1;
}

/// The fault of a brush side as text; NULL: no fault.
typedef const char *fault_t;

/// Planes of a brush, each with its side in the source, and the faults of sides without a plane.
typedef struct {
    planeref_t planes[MC_MAX_FACES];
    const mc_face_t *sources[MC_MAX_FACES];
    fault_t faults[MC_MAX_FACES];
} taken_t;

/// Takes the planes of a brush's sides. Returns the number of planes.
static int32_t take_planes(mc_planes_t *table, const mc_mapbrush_t *source, dvec_t origin,
                           taken_t *taken) {
    int32_t count = 0;
    fault_t *faults = taken->faults;
    for (int32_t i = 0; i < source->num_faces; i++) {
        dplane_t plane;
        faults[i] = NULL;
        if (!MC_PlaneFromPoints(source->faces[i].points, &plane)) {
            faults[i] = "the three points are on one line and define no plane";
            continue;
        }
        plane.dist -= DV_Dot(plane.normal, origin);
        planeref_t ref = MC_FindPlane(table, plane);
        if (index_of_plane(taken->planes, count, ref) >= 0) {
            faults[i] = "another side of the brush has the same plane";
            continue;
        }
        taken->sources[count] = &source->faces[i];
        taken->planes[count++] = ref;
    }
    return count;
}

static void warn_sides(mc_report_t *report, const mc_mapbrush_t *source, const fault_t *faults) {
    for (int32_t i = 0; i < source->num_faces; i++) {
        if (faults[i]) {
            MC_Warn(report, source->faces[i].line, "%s; side ignored", faults[i]);
        }
    }
}

bool MC_MakeBrush(mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_mapbrush_t *source, dvec_t origin, mc_brush_t *brush) {
    taken_t taken = {0};
    int32_t count = take_planes(table, source, origin, &taken);
    brush->line = source->line;
    mc_brush_fault_t shape = MC_ShapeBrush(pools, table, brush, taken.planes, count);
    for (int32_t i = 0; i < brush->num_sides; i++) {
        mc_side_poly_t *side = &brush->sides[i];
        int32_t number = index_of_plane(taken.planes, count, side->plane);
        ASSERT(number >= 0);
        side->source = taken.sources[number];
    }
    if (shape == BRUSH_NO_VOLUME) { // one warning for the brush is enough
        MC_Warn(report, source->line, "brush ignored: its %d planes enclose no volume", count);
        return false;
    }
    warn_sides(report, source, taken.faults);
    if (shape == BRUSH_OPEN) {
        MC_Warn(report, source->line,
                "brush ignored: it is open or reaches beyond +-%.0f; close or shrink it",
                MC_MAX_COORD);
        return false;
    }
    return true;
}

contents_t MC_BrushContents(mc_report_t *report, const mc_mapbrush_t *source, bool halflife) {
    contents_t first = CONTENTS_SOLID;
    const mc_face_t *differs = NULL;
    for (int32_t i = 0; i < source->num_faces; i++) {
        contents_t contents = MC_TextureContents(source->faces[i].texture, halflife);
        if (contents == CONTENTS_EMPTY || contents == CONTENTS_ORIGIN) {
            return contents;
        }
        if (i == 0) {
            first = contents;
        } else if (contents != first && !differs) {
            differs = &source->faces[i];
        }
    }
    if (differs) {
        MC_Warn(report, differs->line,
                "textures \"%s\" and \"%s\" have different contents; the first "
                "side decides",
                differs->texture, source->faces[0].texture);
    }
    return first;
}
