#include "lib/brushes_fixture.h"

#include "base/assert.h"

static void add_plane(test_brush_t *brush, vec3_t normal, float dist) {
    ASSERT(brush->num_planes < TEST_MAX_PLANES);
    brush->planes[brush->num_planes++] = (plane_t){normal, dist, PLANE_ANY};
}

test_brush_t *TestBrushes_Box(test_brushes_t *world, vec3_t mins, vec3_t maxs,
                              contents_t contents) {
    ASSERT(world->num_brushes < TEST_MAX_BRUSHES);
    test_brush_t *brush = &world->brushes[world->num_brushes++];
    *brush = (test_brush_t){.bounds = {mins, maxs}, .contents = contents};
    add_plane(brush, Vector(1.0f, 0.0f, 0.0f), maxs.x);
    add_plane(brush, Vector(-1.0f, 0.0f, 0.0f), -mins.x);
    add_plane(brush, Vector(0.0f, 1.0f, 0.0f), maxs.y);
    add_plane(brush, Vector(0.0f, -1.0f, 0.0f), -mins.y);
    add_plane(brush, Vector(0.0f, 0.0f, 1.0f), maxs.z);
    add_plane(brush, Vector(0.0f, 0.0f, -1.0f), -mins.z);
    return brush;
}

void TestBrushes_Cut(test_brush_t *brush, vec3_t normal, vec3_t point) {
    vec3_t unit = VectorNormalize(normal, NULL);
    add_plane(brush, unit, DotProduct(unit, point));
}

test_brush_t *TestBrushes_Ramp(test_brushes_t *world, vec3_t mins, vec3_t maxs) {
    test_brush_t *brush = TestBrushes_Box(world, mins, maxs, CONTENTS_SOLID);
    TestBrushes_Cut(brush, Vector(mins.z - maxs.z, 0.0f, maxs.x - mins.x), mins);
    return brush;
}

/// Returns how far the plane moves out for a box around the moving point.
static float push_out(vec3_t normal, vec3_t mins, vec3_t maxs) {
    vec3_t corner = {normal.x > 0.0f ? mins.x : maxs.x, normal.y > 0.0f ? mins.y : maxs.y,
                     normal.z > 0.0f ? mins.z : maxs.z};
    return -DotProduct(normal, corner);
}

static trace_t trace_brush(const test_brush_t *brush, vec3_t start, vec3_t end, bounds_t box) {
    trace_t trace = {.fraction = 1.0f, .endpos = end, .entnum = TRACE_NOTHING};
    float enter = -1.0f;
    float leave = 1.0f;
    bool starts_out = false;
    bool ends_out = false;
    for (int32_t i = 0; i < brush->num_planes; i++) {
        const plane_t *plane = &brush->planes[i];
        float dist = plane->dist + push_out(plane->normal, box.mins, box.maxs);
        float d1 = DotProduct(start, plane->normal) - dist;
        float d2 = DotProduct(end, plane->normal) - dist;
        starts_out = starts_out || d1 >= 0.0f;
        ends_out = ends_out || d2 >= 0.0f;
        if (d1 >= 0.0f && d2 >= d1) {
            return trace;
        }
        if (d1 >= 0.0f && d2 >= 0.0f) {
            return trace;
        }
        if (d1 > d2) {
            float at = (d1 - CM_DIST_EPSILON) / (d1 - d2);
            if (at > enter) {
                enter = at;
                trace.plane = *plane;
            }
        } else if (d2 > d1) {
            float at = d1 / (d1 - d2);
            leave = at < leave ? at : leave;
        }
    }
    trace.startsolid = !starts_out;
    trace.allsolid = !starts_out && !ends_out;
    if (!starts_out || enter > leave) {
        trace.plane = (plane_t){0};
    } else {
        trace.fraction = enter > 0.0f ? enter : 0.0f;
        trace.endpos = VectorLerp(start, end, trace.fraction);
    }
    if (trace.fraction < 1.0f || trace.startsolid) {
        trace.entnum = brush->entnum;
    }
    return trace;
}

static trace_t trace_world(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    test_brushes_t *world = context;
    trace_t total = {.fraction = 1.0f, .endpos = end, .entnum = TRACE_NOTHING};
    bounds_t sweep = BoundsOfSweep(start, end, mins, maxs, 1.0f);
    world->num_traces++;
    for (int32_t i = 0; i < world->num_brushes; i++) {
        const test_brush_t *brush = &world->brushes[i];
        if (brush->contents != CONTENTS_SOLID || !BoundsTouch(sweep, brush->bounds)) {
            continue;
        }
        trace_t trace = trace_brush(brush, start, end, (bounds_t){mins, maxs});
        bool startsolid = total.startsolid || trace.startsolid;
        bool allsolid = total.allsolid || trace.allsolid;
        if (trace.fraction < total.fraction || trace.allsolid) {
            total = trace;
        }
        total.startsolid = startsolid;
        total.allsolid = allsolid;
    }
    if (total.allsolid) {
        total.fraction = 0.0f;
        total.endpos = start;
    }
    return total;
}

static contents_t contents_of(void *context, vec3_t point) {
    test_brushes_t *world = context;
    contents_t found = CONTENTS_EMPTY;
    world->num_contents++;
    for (int32_t i = 0; i < world->num_brushes && found != CONTENTS_SOLID; i++) {
        const test_brush_t *brush = &world->brushes[i];
        int32_t j = 0;
        while (j < brush->num_planes && PlaneDiff(point, &brush->planes[j]) < 0.0f) {
            j++;
        }
        if (j == brush->num_planes) {
            found = brush->contents;
        }
    }
    return found;
}

pm_world_t TestBrushes_World(test_brushes_t *world) {
    return (pm_world_t){.context = world, .trace = trace_world, .point_contents = contents_of};
}
