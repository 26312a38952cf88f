#include "collide/gather.h"

#include "collide/kind.h"

// How far triangles around a pusher go: places of the origin, and how far from those a move asks:
// ahead for where it runs and for edges, down for those and for steps, up for steps.
#define TRIANGLE_REACH 20.0f // qu
#define ASKED_AHEAD    20.0f // qu
#define ASKED_BELOW    60.0f // qu
#define ASKED_ABOVE    20.0f // qu
// A step of a running player, and where it looks for the ground.
#define STEP_REACH 8.0f // qu

static void hold_nothing(gathered_hull_t *hull) {
    hull->mins = Float4_All(1.0f);
    hull->maxs = Float4_All(-1.0f);
}

static int4_t holds(const gathered_hull_t *hull, float4_t p1, float4_t p2) {
    return (p1 >= hull->mins) & (p1 <= hull->maxs) & (p2 >= hull->mins) & (p2 <= hull->maxs);
}

/// Finds what is around a point of the hull's space.
static void gather_hull(gathered_hull_t *gathered, const hull_t *hull, vec3_t point) {
    const hull_cells_t *cells = hull->cells;
    if (!cells || !CM_CellTree(cells, point)) {
        hold_nothing(gathered);
        return;
    }
    bounds_t box;
    gathered->few = CM_CellAround(cells, point, &box);
    gathered->cells = cells;
    gathered->planes = hull->planes;
    gathered->mins = (float4_t){box.mins.x, box.mins.y, box.mins.z, 0.0f};
    gathered->maxs = (float4_t){box.maxs.x, box.maxs.y, box.maxs.z, 1.0f};
}

static bool gather_near(cm_gather_t *gather, const mesh_t *mesh, vec3_t origin, float reach) {
    const vec3_t r = {reach, reach, reach};
    const vec3_t low = {ASKED_AHEAD, ASKED_AHEAD, ASKED_BELOW};
    const vec3_t high = {ASKED_AHEAD, ASKED_AHEAD, ASKED_ABOVE};
    gather->places = (bounds_t){VectorSubtract(origin, r), VectorAdd(origin, r)};
    vec3_t mins = VectorAdd(VectorSubtract(gather->places.mins, low), gather->mins);
    vec3_t maxs = VectorAdd(VectorAdd(gather->places.maxs, high), gather->maxs);
    return CM_MeshGather(&gather->triangles, mesh, (bounds_t){mins, maxs});
}

/// Collects triangles for some steps from an origin, or, where those are too many, for this one;
/// where those are, too, none, and that for so long.
static void gather_triangles(cm_gather_t *gather, vec3_t origin) {
    const cmodel_t *world = &gather->map->models[0];
    const mesh_t *mesh = CM_SolidMesh(world, &gather->is_sole, &gather->is_dry);
    if (mesh && !gather_near(gather, mesh, origin, TRIANGLE_REACH)) {
        gather_near(gather, mesh, origin, 0.0f);
    }
}

static float4_t in_lanes(vec3_t v) {
    return (float4_t){v.x, v.y, v.z, 0.0f};
}

/// It was begun for such a box, which has not come near its edge. Where sweeps are asked of the
/// map, points may not be.
static bool is_around(const cm_gather_t *gather, vec3_t origin, vec3_t mins, vec3_t maxs) {
    const float4_t p = in_lanes(origin);
    const float4_t reach = {STEP_REACH, STEP_REACH, STEP_REACH, 0.0f};
    const gathered_hull_t *hull = &gather->hull;
    if (Float4_Bits((in_lanes(mins) == gather->box_mins) & (in_lanes(maxs) == gather->box_maxs)) !=
        15) {
        return false;
    }
    if (gather->map->models[0].kind == MODEL_MESH) {
        return BoundsTouch(gather->places, (bounds_t){origin, origin});
    }
    hull = hull->mins[3] > hull->maxs[3] ? &gather->points : hull;
    return Float4_Bits(holds(hull, p - reach, p + reach)) == 15;
}

static void begin(cm_gather_t *gather, const cmap_t *map, int32_t solids, bounds_t box) {
    gather->map = map;
    gather->solids = solids;
    gather->mins = box.mins;
    gather->maxs = box.maxs;
    gather->box_mins = in_lanes(box.mins);
    gather->box_maxs = in_lanes(box.maxs);
    hold_nothing(&gather->hull);
    hold_nothing(&gather->points);
    gather->asked.p1.v = Float4_All(2.0f); // no start has that fraction
    gather->asked.p2.v = gather->asked.p1.v;
    gather->places = (bounds_t){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
    CM_MeshGatherBegin(&gather->triangles, NULL);
}

void CM_GatherBegin(cm_gather_t *gather, const cmap_t *map, int32_t solids) {
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    begin(gather, map, solids, (bounds_t){none, none});
}

void CM_Gather(cm_gather_t *gather, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
               vec3_t maxs) {
    const cmodel_t *world = &map->models[0];
    vec3_t offset;
    if (gather->map == map && gather->solids == solids && is_around(gather, origin, mins, maxs)) {
        return;
    }
    begin(gather, map, solids, (bounds_t){mins, maxs});
    if (!VectorWithin(origin, MAX_WORLD_COORD)) {
        return;
    }
    if (world->kind == MODEL_MESH) {
        gather_triangles(gather, origin);
        return;
    }
    const hull_t *hull = CM_HullForBox(map, 0, mins, maxs, &offset, NULL);
    if (VectorCompare(offset, Vector(0.0f, 0.0f, 0.0f)) &&
        !CM_UsesBrushes(map, solids, mins, maxs)) {
        gather_hull(&gather->hull, hull, origin);
    }
    if (!map->brushes_only) {
        gather_hull(&gather->points, &world->hulls[0], origin);
    }
}

bool CM_GatherTriangles(cm_gather_t *gather, const cmap_t *map, int32_t solids, bounds_t box) {
    const cmodel_t *world = &map->models[0];
    if (world->kind != MODEL_MESH) {
        return false;
    }
    CM_GatherBegin(gather, map, solids);
    const mesh_t *mesh = CM_SolidMesh(world, &gather->is_sole, &gather->is_dry);
    return mesh && CM_MeshGather(&gather->triangles, mesh, box);
}

/// Of a world of triangles. (Apart, so that hulls need not wait for arguments put into memory.)
__attribute__((noinline)) static trace_t trace_triangles(cm_gather_t *gather, vec3_t start,
                                                         vec3_t end, vec3_t mins, vec3_t maxs) {
    const mesh_t *mesh = gather->triangles.mesh;
    bool is_point = VectorCompare(mins, maxs);
    if (gather->is_sole && (!is_point || (gather->is_dry && mesh->contents == CONTENTS_SOLID))) {
        return CM_MeshGatherTrace(&gather->triangles, start, end, mins, maxs);
    }
    const cm_place_t world = {.model = 0, .solids = gather->solids};
    return CM_TraceMeshes(gather->map, &world, &gather->triangles, (bounds_t){start, end},
                          (bounds_t){mins, maxs});
}

trace_t CM_GatherTrace(cm_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs) {
    const gathered_hull_t *hull = &gather->hull;
    if (gather->triangles.mesh) {
        return trace_triangles(gather, start, end, mins, maxs);
    }
    // 0 + x: no negative zeros in answers.
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    const segment_t whole = Segment_Whole(VectorAdd(start, zero), VectorAdd(end, zero));
    const int4_t same_box =
        (in_lanes(mins) == gather->box_mins) & (in_lanes(maxs) == gather->box_maxs);
    const int4_t again =
        (whole.p1.v == gather->asked.p1.v) & (whole.p2.v == gather->asked.p2.v) & same_box;
    if (Float4_Bits(again) == 15) {
        return gather->answer;
    }
    if (Float4_Bits(holds(hull, whole.p1.v, whole.p2.v) & same_box) == 15) {
        gather->asked = whole;
        gather->answer = CM_CellTrace(hull->cells, hull->planes, hull->few, &whole);
        return gather->answer;
    }
    const cm_place_t world = {.model = 0, .solids = gather->solids};
    return CM_BoxTrace(gather->map, &world, start, end, mins, maxs);
}

contents_t CM_GatherContents(const cm_gather_t *gather, vec3_t point) {
    const gathered_hull_t *hull = &gather->points;
    if (gather->triangles.mesh && gather->is_dry) {
        return CONTENTS_EMPTY;
    }
    const sweep_point_t p = {in_lanes(point)};
    if (Float4_Bits(holds(hull, p.v, p.v)) == 15) {
        return CM_CellContents(hull->cells, hull->planes, hull->few, &p);
    }
    return CM_PointContents(gather->map, 0, point);
}

int32_t CM_GatherOverlap(const cm_gather_t *gather, bounds_t box, cm_contact_t *contacts,
                         int32_t max) {
    const cm_place_t world = {.model = 0, .solids = gather->solids};
    if (gather->triangles.mesh) {
        return CM_OverlapMeshes(gather->map, &world, &gather->triangles, box, contacts, max);
    }
    return CM_Overlap(gather->map, &world, box, contacts, max);
}
