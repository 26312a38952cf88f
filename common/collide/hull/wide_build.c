#include "base/assert.h"
#include "base/limits.h"
#include "collide/hull/cells.h"
#include "collide/hull/wide.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64

/// A node of the hull that stands at the top of a wide node, or is to be looked at; and how likely
/// it is to be asked about something: the volume that it divides, where axial planes bound it.
typedef struct {
    int32_t num;
    bounds_t box;
    float slanted; // halved by every slanted plane
} wide_top_t;

/// Being made for one hull.
typedef struct {
    const hull_t *hull;
    wide_node_t *nodes; // NULL until there are some
    wide_top_t *tops;   // of the nodes, in the same order
    int32_t *wide_of;   // for each of the hull's nodes, the wide node that begins with it; -1: none
    int32_t num_nodes, max_nodes;
} wide_builder_t;

/// A wide node being filled: its children so far.
typedef struct {
    wide_top_t child[WIDE_CHILDREN];
    uint8_t way[WIDE_CHILDREN], behind[WIDE_CHILDREN];
    int32_t num_children, num_planes;
    int32_t planes[WIDE_PLANES];
} wide_fill_t;

static float likelihood(const wide_top_t *top) {
    vec3_t size = VectorSubtract(top->box.maxs, top->box.mins);
    return size.x > 0.0f && size.y > 0.0f && size.z > 0.0f ? size.x * size.y * size.z * top->slanted
                                                           : 0.0f;
}

/// What is left of a place on one side of a node.
static wide_top_t side_of(const clipnode_t *node, const wide_top_t *top, int32_t side) {
    wide_top_t part = *top;
    float *mins[3] = {&part.box.mins.x, &part.box.mins.y, &part.box.mins.z};
    float *maxs[3] = {&part.box.maxs.x, &part.box.maxs.y, &part.box.maxs.z};
    const int32_t type = node->plane & 3;
    part.num = node->children[side];
    if (type == PLANE_ANY) {
        part.slanted *= 0.5f;
    } else if (side == 0) {
        *mins[type] = *mins[type] < node->dist ? node->dist : *mins[type];
    } else {
        *maxs[type] = *maxs[type] > node->dist ? node->dist : *maxs[type];
    }
    return part;
}

/// Puts node after node of the hull into a wide node, always the likeliest of those below it.
static void fill_node(wide_fill_t *fill, const hull_t *hull, const wide_top_t *top) {
    *fill = (wide_fill_t){.child = {*top}, .num_children = 1};
    while (fill->num_planes < WIDE_PLANES) {
        int32_t best = -1;
        for (int32_t i = 0; i < fill->num_children; i++) {
            if (fill->child[i].num >= 0 &&
                (best < 0 || likelihood(&fill->child[i]) > likelihood(&fill->child[best]))) {
                best = i;
            }
        }
        if (best < 0) {
            return;
        }
        const wide_top_t above = fill->child[best];
        const clipnode_t *node = &hull->nodes[above.num];
        const uint8_t bit = (uint8_t)(1u << fill->num_planes);
        const int32_t back = fill->num_children++;
        fill->planes[fill->num_planes++] = above.num;
        fill->way[best] |= bit;
        fill->way[back] = fill->way[best];
        fill->behind[back] = fill->behind[best] | bit;
        fill->child[best] = side_of(node, &above, 0);
        fill->child[back] = side_of(node, &above, 1);
    }
}

/// The wide node that begins with a node of the hull; a new one is filled later. -1: too many, or
/// no memory.
static int32_t wide_node_of(wide_builder_t *builder, const wide_top_t *top) {
    int32_t *known = &builder->wide_of[top->num];
    if (*known >= 0) {
        return *known; // a hull may share its parts
    }
    if (builder->num_nodes == MAX_WIDE_NODES) {
        return -1;
    }
    if (builder->num_nodes == builder->max_nodes) {
        const int32_t more = Q_MaxI(builder->max_nodes * 2, 256);
        wide_node_t *nodes = realloc(builder->nodes, (size_t)more * sizeof *nodes);
        builder->nodes = nodes ? nodes : builder->nodes;
        wide_top_t *tops = realloc(builder->tops, (size_t)more * sizeof *tops);
        builder->tops = tops ? tops : builder->tops;
        if (!nodes || !tops) {
            return -1;
        }
        builder->max_nodes = more;
    }
    builder->tops[builder->num_nodes] = *top;
    *known = builder->num_nodes++;
    return *known;
}

static void lay_planes(wide_node_t *to, const hull_t *hull, const wide_fill_t *fill) {
    for (int32_t i = 0; i < WIDE_PLANES; i++) {
        if (i >= fill->num_planes) {
            to->dist[i] = -1.0f;
            continue;
        }
        const clipnode_t *node = &hull->nodes[fill->planes[i]];
        const vec3_t normal = hull->planes[CM_ClipNodePlane(node)].normal;
        to->normal[0][i] = normal.x;
        to->normal[1][i] = normal.y;
        to->normal[2][i] = normal.z;
        to->dist[i] = node->dist;
        to->type[i] = (uint8_t)(node->plane & 3);
    }
}

/// False: too many, or no memory.
static bool build_node(wide_builder_t *builder, int32_t num) {
    wide_fill_t fill;
    const wide_top_t top = builder->tops[num];
    fill_node(&fill, builder->hull, &top);
    wide_node_t node = {.unused = {0}};
    lay_planes(&node, builder->hull, &fill);
    for (int32_t i = 0; i < WIDE_CHILD_LANES; i++) {
        if (i >= fill.num_children) {
            node.behind[i] = 1; // of no planes: nothing
            continue;
        }
        const int32_t child = fill.child[i].num;
        node.way[i] = fill.way[i];
        node.behind[i] = fill.behind[i];
        node.child[i] = child < 0 ? child : wide_node_of(builder, &fill.child[i]);
        if (child >= 0 && node.child[i] < 0) {
            return false;
        }
    }
    builder->nodes[num] = node;
    return true;
}

/// A hull without a tree, or with too large a one, gets no nodes.
static bool build_hull(wide_builder_t *builder, int32_t num_nodes, bounds_t bounds) {
    const wide_top_t root = {builder->hull->root, bounds, 1.0f};
    if (root.num < 0) {
        return true;
    }
    builder->wide_of = malloc((size_t)num_nodes * sizeof *builder->wide_of);
    if (!builder->wide_of) {
        return false;
    }
    memset(builder->wide_of, -1, (size_t)num_nodes * sizeof *builder->wide_of);
    bool good = wide_node_of(builder, &root) == 0;
    for (int32_t i = 0; good && i < builder->num_nodes; i++) {
        good = build_node(builder, i);
    }
    if (!good && builder->num_nodes == MAX_WIDE_NODES) {
        builder->num_nodes = 0;
        return true;
    }
    return good;
}

/// Moves what was built into the map's memory.
static void move_wide(arena_t *arena, const wide_builder_t *builder, hull_t *hull) {
    const size_t bytes = (size_t)builder->num_nodes * sizeof(wide_node_t);
    hull_wide_t *wide = Arena_Alloc(arena, 1, sizeof *wide);
    uint8_t *at = Arena_Alloc(arena, bytes + CACHE_LINE, 1);
    ASSERT(wide && at); // the arena was made for them
    at += (CACHE_LINE - (uintptr_t)at % CACHE_LINE) % CACHE_LINE;
    memcpy(at, builder->nodes, bytes);
    // The cells of large maps are large; 1 more than the box of one, whose corners are rounded: as
    // far out as maps go, 2^20, to 1/8 each.
    const float in_cells = hull->cells ? hull->cells->size + 2.0f * CELL_REACH + 1.0f : 0.0f;
    *wide = (hull_wide_t){(const wide_node_t *)(void *)at, builder->num_nodes,
                          in_cells > HULL_LONG ? in_cells : HULL_LONG};
    hull->wide = wide;
}

bool CM_BuildWide(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, int32_t num_nodes,
                  bounds_t bounds) {
    wide_builder_t builders[MAX_MAP_HULLS] = {{.nodes = NULL}};
    size_t bytes = 16;
    bool good = true;
    ASSERT(num_hulls <= MAX_MAP_HULLS);
    for (int32_t i = 0; i < num_hulls && good; i++) {
        builders[i].hull = hulls[i];
        good = build_hull(&builders[i], num_nodes, bounds);
        bytes += sizeof(hull_wide_t) + (size_t)builders[i].num_nodes * sizeof(wide_node_t) +
                 CACHE_LINE + 2 * 16;
    }
    good = good && Arena_Init(arena, bytes);
    for (int32_t i = 0; i < num_hulls; i++) {
        if (good && builders[i].num_nodes > 0) {
            move_wide(arena, &builders[i], hulls[i]);
        }
        free(builders[i].nodes);
        free(builders[i].tops);
        free(builders[i].wide_of);
    }
    return good;
}
