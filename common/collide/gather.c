#include "collide/gather.h"

#include "collide/cells.h"
#include "collide/hull_local.h"
#include "collide/piece.h"

enum {
    MAX_WAITING = MAX_GATHER_NODES, // no more than there may be nodes
    MAX_LOOKS = 256,                // at nodes; beyond it the map is asked
};

// How far the surroundings go: more costs more to collect, less has to be collected more often.
#define GATHER_REACH 40.0f // qu around the origin
// A step of a running player, and where it looks for the ground.
#define STEP_REACH 8.0f // qu

static void hold_nothing(gathered_hull_t *hull) {
    hull->mins = Float4_All(1.0f);
    hull->maxs = Float4_All(-1.0f);
}

static bool holds(const gathered_hull_t *hull, float4_t p1, float4_t p2) {
    return Float4_Bits((p1 >= hull->mins) & (p1 <= hull->maxs) & (p2 >= hull->mins) &
                       (p2 <= hull->maxs)) == 15;
}

/// Collects what is around a point of the hull's space.
static void gather_hull(gathered_hull_t *gathered, const hull_t *hull, vec3_t point) {
    piece_side_t waiting[MAX_WAITING];
    const vec3_t reach = {GATHER_REACH, GATHER_REACH, GATHER_REACH};
    const hull_cells_t *cells = hull->cells;
    bounds_t box = {VectorSubtract(point, reach), VectorAdd(point, reach)};
    piece_cut_t cut = {.from = hull->nodes,
                       .planes = hull->planes,
                       .root = hull->root,
                       .nodes = gathered->nodes,
                       .max_nodes = MAX_GATHER_NODES,
                       .waiting = waiting,
                       .max_waiting = MAX_WAITING,
                       .looks_left = MAX_LOOKS};
    int32_t at[3];
    int32_t cell = cells ? CM_CellAt(cells, point, at) : CELL_NONE;
    if (cell != CELL_NONE && cells->roots[cell] != CELL_NONE) {
        const int32_t next[3] = {at[0] + 1, at[1] + 1, at[2] + 1};
        bounds_t around = CM_CellsBox(cells, at, next);
        box = (bounds_t){VectorMax(box.mins, around.mins), VectorMin(box.maxs, around.maxs)};
        cut.from = cells->nodes;
        cut.root = cells->roots[cell];
    }
    cut.slack = CM_PieceSlack(fabsf(point.x) + fabsf(point.y) + fabsf(point.z));
    gathered->root = CM_CutPiece(&cut, box);
    gathered->num_nodes = cut.num_nodes;
    gathered->planes = hull->planes;
    if (gathered->root == PIECE_NONE) {
        hold_nothing(gathered);
        return;
    }
    gathered->mins = (float4_t){box.mins.x, box.mins.y, box.mins.z, 0.0f};
    gathered->maxs = (float4_t){box.maxs.x, box.maxs.y, box.maxs.z, 1.0f};
}

/// The origin has not come near the edge of what was collected. Where sweeps are asked of the map,
/// points may not be.
static bool is_around(const cm_gather_t *gather, vec3_t origin) {
    const float4_t p = {origin.x, origin.y, origin.z, 0.0f};
    const float4_t reach = {STEP_REACH, STEP_REACH, STEP_REACH, 0.0f};
    const gathered_hull_t *hull = &gather->hull;
    hull = hull->mins[3] > hull->maxs[3] ? &gather->points : hull;
    return holds(hull, p - reach, p + reach);
}

void CM_GatherBegin(cm_gather_t *gather, const cmap_t *map, int32_t solids) {
    gather->map = map;
    gather->solids = solids;
    gather->mins = Vector(0.0f, 0.0f, 0.0f);
    gather->maxs = gather->mins;
    hold_nothing(&gather->hull);
    hold_nothing(&gather->points);
}

void CM_Gather(cm_gather_t *gather, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
               vec3_t maxs) {
    const cmodel_t *world = &map->models[0];
    vec3_t offset;
    if (gather->map == map && gather->solids == solids && VectorCompare(mins, gather->mins) &&
        VectorCompare(maxs, gather->maxs) && is_around(gather, origin)) {
        return;
    }
    CM_GatherBegin(gather, map, solids);
    gather->mins = mins;
    gather->maxs = maxs;
    if (world->kind != MODEL_BSP || !VectorWithin(origin, MAX_WORLD_COORD)) {
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

trace_t CM_GatherTrace(const cm_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins,
                       vec3_t maxs) {
    const gathered_hull_t *hull = &gather->hull;
    // 0 + x: no negative zeros in answers.
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    const segment_t whole = Segment_Whole(VectorAdd(start, zero), VectorAdd(end, zero));
    if (holds(hull, whole.p1.v, whole.p2.v) && VectorCompare(mins, gather->mins) &&
        VectorCompare(maxs, gather->maxs)) {
        return CM_TraceTree((hull_tree_t){hull->nodes, hull->planes, hull->root}, &whole);
    }
    const cm_place_t world = {.model = 0, .solids = gather->solids};
    return CM_BoxTrace(gather->map, &world, start, end, mins, maxs);
}

contents_t CM_GatherContents(const cm_gather_t *gather, vec3_t point) {
    const gathered_hull_t *hull = &gather->points;
    const sweep_point_t p = {{point.x, point.y, point.z, 0.0f}};
    if (holds(hull, p.v, p.v)) {
        return CM_TreeContents((hull_tree_t){hull->nodes, hull->planes, hull->root}, &p);
    }
    return CM_PointContents(gather->map, 0, point);
}
