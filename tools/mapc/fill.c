#include "mapc/fill.h"

#include <string.h>

/// Offsets that are tried for a seed whose origin is exactly on a surface, qu.
static const dvec_t NUDGES[] = {{0, 0, 0},  {0, 0, 1}, {0, 0, -1}, {1, 0, 0},
                                {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};

/// Height of a player's origin above a teleport destination on the floor, qu.
#define MC_ARRIVAL_HEIGHT 27.0

/// The leafs as a graph. Node 0 is the void, node 1 + n is leaf n. The portals of node p are
/// links[first[p]] .. links[first[p + 1] - 1].
typedef struct {
    int32_t *first;
    int32_t *links; ///< portal numbers
    int32_t num_places;
    const mc_portals_t *portals;
    const mc_tree_t *tree;
} graph_t;

/// A flood through the graph, with the path by which it reached each node.
typedef struct {
    int32_t *via;  ///< per node: portal that led to it; -1: a start, -2: not reached
    int32_t *seed; ///< per node: the seed where the flood started
    int32_t *queue;
    int32_t queued;
} flood_t;

static bool is_open(const graph_t *g, int32_t place) {
    if (place == 0) {
        return true;
    }
    contents_t contents = g->tree->leafs[place - 1].contents;
    return contents != CONTENTS_SOLID && contents != CONTENTS_SKY;
}

static void make_graph(graph_t *g, mc_pool_t *pool, const mc_tree_t *tree,
                       const mc_portals_t *portals) {
    *g = (graph_t){.portals = portals, .tree = tree, .num_places = (int32_t)tree->num_leafs + 1};
    size_t places = (size_t)g->num_places;
    g->first = MC_Alloc(pool, places + 2, sizeof *g->first);
    g->links = MC_Alloc(pool, portals->count * 2, sizeof *g->links);
    // Count node p's links in first[p + 2], so that the sums make first[p + 1] its first link.
    // Filling in the links advances first[p + 1] to the first link of node p + 1.
    for (size_t i = 0; i < portals->count; i++) {
        g->first[portals->portals[i].leafs[0] + 3]++;
        g->first[portals->portals[i].leafs[1] + 3]++;
    }
    for (size_t i = 2; i < places + 2; i++) {
        g->first[i] += g->first[i - 1];
    }
    for (size_t i = 0; i < portals->count; i++) {
        for (int32_t h = 0; h < 2; h++) {
            int32_t place = portals->portals[i].leafs[h] + 1;
            g->links[g->first[place + 1]++] = (int32_t)i;
        }
    }
}

static void start_flood(flood_t *f, mc_pool_t *pool, int32_t num_places) {
    size_t places = (size_t)num_places;
    f->via = MC_Alloc(pool, places, sizeof *f->via);
    f->seed = MC_Alloc(pool, places, sizeof *f->seed);
    f->queue = MC_Alloc(pool, places, sizeof *f->queue);
    f->queued = 0;
    for (int32_t i = 0; i < num_places; i++) {
        f->via[i] = -2;
    }
}

static void reach(flood_t *f, int32_t place, int32_t via, int32_t seed) {
    if (f->via[place] == -2) {
        f->via[place] = via;
        f->seed[place] = seed;
        f->queue[f->queued++] = place;
    }
}

static int32_t other_place(const mc_portal_t *portal, int32_t place) {
    return portal->leafs[portal->leafs[0] + 1 == place ? 1 : 0] + 1;
}

/// Floods breadth first, which finds the shortest paths.
static void run_flood(flood_t *f, const graph_t *g) {
    for (int32_t at = 0; at < f->queued; at++) {
        int32_t place = f->queue[at];
        if (place == 0 && at > 0) {
            continue; // a path ends when it reaches the void
        }
        for (int32_t i = g->first[place]; i < g->first[place + 1]; i++) {
            int32_t next = other_place(&g->portals->portals[g->links[i]], place);
            if (is_open(g, next)) {
                reach(f, next, g->links[i], f->seed[place]);
            }
        }
    }
}

/// Returns the node of a seed: the seed's leaf, or an open leaf beside it. Returns -1 in solid.
static int32_t seed_place(const graph_t *g, const mc_seed_t *seed) {
    for (size_t i = 0; i < COUNTOF(NUDGES); i++) {
        int32_t place = 1 + MC_PointLeaf(g->tree, DV_Add(seed->origin, NUDGES[i]));
        if (is_open(g, place)) {
            return place;
        }
    }
    if (strcmp(MC_ClassOf(seed->entity), "info_teleport_destination") == 0) {
        dvec_t arrival = DV_Add(seed->origin, DV(0, 0, MC_ARRIVAL_HEIGHT));
        int32_t place = 1 + MC_PointLeaf(g->tree, arrival);
        return is_open(g, place) ? place : -1;
    }
    return -1;
}

/// Returns true if the segment from a to b crosses no closed leaf of a subtree.
static bool segment_is_open(const graph_t *g, int32_t child, dvec_t a, dvec_t b) {
    if (child < 0) {
        return is_open(g, -child); // leaf -1 - child is node -child
    }
    const mc_node_t *node = &g->tree->nodes[child];
    const dplane_t *plane = &g->tree->table->planes[node->plane];
    double from = DV_Dot(plane->normal, a) - plane->dist;
    double to = DV_Dot(plane->normal, b) - plane->dist;
    if ((from >= 0.0) == (to >= 0.0)) {
        return segment_is_open(g, node->children[from >= 0.0 ? 0 : 1], a, b);
    }
    dvec_t middle = DV_MA(a, from / (from - to), DV_Sub(b, a));
    return segment_is_open(g, node->children[from >= 0.0 ? 0 : 1], a, middle) &&
           segment_is_open(g, node->children[from >= 0.0 ? 1 : 0], middle, b);
}

/// Returns true if walls surround a point: at most one axis direction leads out of the map.
static bool is_enclosed(const graph_t *g, dvec_t point) {
    const dbounds_t *box = &g->tree->bounds;
    int32_t open = 0;
    for (int32_t axis = 0; axis < 3; axis++) {
        double at = DV_Axis(point, axis);
        double far[2] = {DV_Axis(box->mins, axis), DV_Axis(box->maxs, axis)};
        for (int32_t h = 0; h < 2; h++) {
            dvec_t end = DV_MA(point, far[h] - at, DV_AxisVector(axis, 1.0));
            bool beyond = h == 0 ? at <= far[h] : at >= far[h];
            open += beyond || segment_is_open(g, g->tree->root, point, end);
        }
    }
    return open <= 1;
}

int32_t MC_TakeOutside(mc_seeds_t *seeds, mc_seed_t *outside, mc_pools_t *pools,
                       const mc_tree_t *tree, const mc_portals_t *portals) {
    enum { IN_SOLID, INSIDE, OUTSIDE, ENCLOSED, NUM_KINDS };
    int32_t counts[NUM_KINDS] = {0};
    mc_mark_t mark = MC_Mark(&pools->temp);
    graph_t g;
    flood_t flood;
    make_graph(&g, &pools->temp, tree, portals);
    start_flood(&flood, &pools->temp, g.num_places);
    reach(&flood, 0, -1, -1);
    run_flood(&flood, &g);
    uint8_t *kinds = MC_Alloc(&pools->temp, (size_t)seeds->count, sizeof *kinds);
    for (int32_t i = 0; i < seeds->count; i++) {
        int32_t place = seed_place(&g, &seeds->seeds[i]);
        bool is_out = place >= 0 && flood.via[place] != -2;
        kinds[i] = place < 0                                 ? IN_SOLID
                   : !is_out                                 ? INSIDE
                   : is_enclosed(&g, seeds->seeds[i].origin) ? ENCLOSED
                                                             : OUTSIDE;
        seeds->seeds[i].enclosed = kinds[i] == ENCLOSED;
        counts[kinds[i]]++;
    }
    bool leaks = (int64_t)counts[ENCLOSED] * MC_LEAK_SHARE >= counts[INSIDE];
    int32_t taken = 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < seeds->count; i++) {
        bool take = counts[INSIDE] > 0 && (kinds[i] == OUTSIDE || (kinds[i] == ENCLOSED && !leaks));
        *(take ? &outside[taken++] : &seeds->seeds[kept++]) = seeds->seeds[i];
    }
    seeds->count = kept;
    MC_Release(&pools->temp, mark);
    return taken;
}

/// Writes the points from the seed to the void by following the flood backwards.
static void trace_leak(mc_leak_t *leak, mc_pool_t *pool, const graph_t *g, const flood_t *f,
                       const mc_seeds_t *seeds) {
    int32_t steps = 0;
    for (int32_t place = 0; f->via[place] >= 0; steps++) {
        place = other_place(&g->portals->portals[f->via[place]], place);
    }
    leak->seed = &seeds->seeds[f->seed[0]];
    leak->num_points = steps + 1;
    leak->points = MC_Alloc(pool, (size_t)steps + 1, sizeof *leak->points);
    leak->points[0] = leak->seed->origin;
    for (int32_t place = 0, i = steps; f->via[place] >= 0; i--) {
        const mc_portal_t *portal = &g->portals->portals[f->via[place]];
        leak->points[i] = MC_WindingCenter(portal->winding);
        place = other_place(portal, place);
    }
}

void MC_FillOutside(mc_leak_t *leak, mc_pools_t *pools, mc_tree_t *tree,
                    const mc_portals_t *portals, const mc_seeds_t *seeds) {
    *leak = (mc_leak_t){0};
    mc_mark_t mark = MC_Mark(&pools->temp);
    graph_t g;
    flood_t inside;
    make_graph(&g, &pools->temp, tree, portals);
    start_flood(&inside, &pools->temp, g.num_places);
    for (int32_t i = 0; i < seeds->count; i++) {
        int32_t place = seed_place(&g, &seeds->seeds[i]);
        if (place >= 0) {
            leak->num_inside++;
            reach(&inside, place, -1, i);
        }
    }
    run_flood(&inside, &g);
    if (inside.via[0] != -2) {
        trace_leak(leak, &pools->keep, &g, &inside, seeds);
        MC_Release(&pools->temp, mark);
        return;
    }
    flood_t outside = {0};
    if (leak->num_inside == 0) {
        start_flood(&outside, &pools->temp, g.num_places);
        reach(&outside, 0, -1, -1);
        run_flood(&outside, &g);
    }
    for (int32_t place = 1; place < g.num_places; place++) {
        bool fill = leak->num_inside ? inside.via[place] == -2 : outside.via[place] != -2;
        if (fill && is_open(&g, place)) {
            tree->leafs[place - 1].contents = CONTENTS_SOLID;
        }
    }
    MC_Release(&pools->temp, mark);
}
