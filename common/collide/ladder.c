/// collide/ladder.c - finds the side of a ladder that faces a climber.
//
// Source:  Half-Life: a sweep from climber to the ladder's middle finds the side.

#include "collide/cmap.h"
#include "collide/hull/hull_local.h"
#include "math/angles.h"

#define LEVEL 0.7f // a plane with more normal.z is not a side

static vec3_t middle_of(bounds_t box) {
    return VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
}

// Returns the direction along the ladder's thin axis.
static vec3_t across(vec3_t size, vec3_t forward, vec3_t right, vec3_t direction) {
    vec3_t axis = size.x <= size.y ? forward : right;
    return DotProduct(direction, axis) < 0.0f ? VectorScale(axis, -1.0f) : axis;
}

vec3_t CM_LadderNormal(const cmap_t *map, const cm_object_t *object, bounds_t box) {
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    bounds_t model = CM_ModelBounds(map, object->model);
    vec3_t forward;
    vec3_t right;
    vec3_t up;
    AngleVectors(object->angles, &forward, &right, &up);
    vec3_t local = middle_of(model);
    vec3_t middle = VectorMA(object->origin, local.x, forward);
    middle = VectorMA(VectorMA(middle, -local.y, right), local.z, up);
    vec3_t from = middle_of(box);
    from.z = from.z > middle.z ? from.z : middle.z; // sweep level or down
    vec3_t to = {middle.x, middle.y, from.z};
    trace_t trace = CM_BoxTrace(map, object, middle_of(box), to, point, point);
    vec3_t normal = trace.plane.normal;
    if (trace.startsolid || trace.fraction == 1.0f || fabsf(normal.z) > LEVEL) {
        // No side found: inside or above the ladder, or it is not solid.
        return across(VectorSubtract(model.maxs, model.mins), forward, right,
                      VectorSubtract(middle_of(box), middle));
    }
    return normal;
}

// ---- ladders of the world model ----

/// A ladder side: the upright plane with the largest distance to a point.
typedef struct {
    vec3_t place;
    vec3_t normal;
    float before;
    bool found;
} side_t;

static void try_side(side_t *side, vec3_t normal, float dist) {
    float before = DotProduct(normal, side->place) - dist;
    if (fabsf(normal.z) <= LEVEL && (!side->found || before > side->before)) {
        side->normal = normal;
        side->before = before;
        side->found = true;
    }
}

static void try_brush(side_t *side, const brush_list_t *list, const cbrush_t *brush) {
    const brush_plane_t *planes = &list->planes[brush->first_plane];
    try_side(side, Vector(1.0f, 0.0f, 0.0f), brush->bounds.maxs.x);
    try_side(side, Vector(-1.0f, 0.0f, 0.0f), -brush->bounds.mins.x);
    try_side(side, Vector(0.0f, 1.0f, 0.0f), brush->bounds.maxs.y);
    try_side(side, Vector(0.0f, -1.0f, 0.0f), -brush->bounds.mins.y);
    for (int32_t i = 0; i < brush->num_faces; i++) {
        try_side(side, planes[i].normal, planes[i].dist);
    }
}

/// A walk through the nodes around a box.
typedef struct {
    const hull_t *hull;
    side_t *side;
    int32_t nodes_left, looks_left;
} ladder_walk_t;

/// Tries the planes with a ladder on one side only. Returns true for a ladder leaf below `num`.
/// Recursion is at most walk->nodes_left deep.
static bool try_node(ladder_walk_t *walk, int32_t num, hull_box_t box) {
    const hull_t *hull = walk->hull;
    while (num >= 0) {
        const clipnode_t *node = &hull->nodes[num];
        const hull_span_t span = Hull_BoxSpan(node, hull->planes, &box);
        walk->looks_left--;
        if (span.lo < 0.0f && span.hi >= 0.0f) {
            break;
        }
        num = node->children[span.lo >= 0.0f ? 0 : 1];
    }
    if (num < 0) {
        return num == CONTENTS_LADDER;
    }
    if (--walk->nodes_left < 0 || walk->looks_left < 0) {
        return false;
    }
    const clipnode_t *node = &hull->nodes[num];
    const plane_t *plane = &hull->planes[CM_ClipNodePlane(node)];
    hull_box_t behind = box;
    Hull_CutBox(node, 0.0f, &box, &behind);
    const bool in_back = try_node(walk, node->children[1], behind);
    const bool in_front = try_node(walk, node->children[0], box);
    if (in_back && !in_front) {
        try_side(walk->side, plane->normal, plane->dist);
    } else if (in_front && !in_back) {
        try_side(walk->side, VectorSubtract(Vector(0.0f, 0.0f, 0.0f), plane->normal), -plane->dist);
    }
    return in_back || in_front;
}

static void try_hull(side_t *side, const hull_t *hull, bounds_t box) {
    enum { MAX_NODES = 64, MAX_LOOKS = 1024 };
    ladder_walk_t walk = {hull, side, MAX_NODES, MAX_LOOKS};
    try_node(&walk, hull->root, Hull_Box(box));
    side->found = side->found && walk.nodes_left >= 0 && walk.looks_left >= 0;
}

bool CM_WorldLadder(const cmap_t *map, bounds_t box, vec3_t *normal) {
    if (!map->has_ladders) {
        return false;
    }
    const cmodel_t *world = &map->models[0];
    side_t side = {.place = middle_of(box)};
    if (world->brushes.exists) {
        const cbrush_t *brush = CM_BrushAround(&world->brushes, box, CONTENTS_LADDER);
        if (brush) {
            try_brush(&side, &world->brushes, brush);
        }
    } else {
        try_hull(&side, &world->hulls[0], box);
    }
    *normal = side.normal;
    return side.found;
}

bool CM_FindLadders(const cmap_t *map) {
    for (int32_t i = 0; i < map->num_brushes; i++) {
        if (map->brushes[i].contents == CONTENTS_LADDER) {
            return true;
        }
    }
    for (int32_t i = 0; i < map->num_leafs; i++) {
        if (map->leafs[i].contents == CONTENTS_LADDER) {
            return true;
        }
    }
    return false;
}
