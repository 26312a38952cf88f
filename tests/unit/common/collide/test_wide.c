// Long sweeps: through a wide tree they have the bits of the same sweep through the hull's own
// nodes, with four lanes and with eight; in random trees, in real maps, in trees that are too deep,
// too large or have no end. And they differ from other sweeps by rounding only.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "collide/hull/cells.h"
#include "collide/hull/wide_local.h"
#include "lib/testing.h"
#include "lib/trace_fixture.h"

#include <stdlib.h>
#include <string.h>

#define DATA "../shared/data/"

static vec3_t random_vector(rng_t *rng, vec3_t mins, vec3_t maxs) {
    float x = Rng_Range(rng, mins.x, maxs.x);
    float y = Rng_Range(rng, mins.y, maxs.y);
    return Vector(x, y, Rng_Range(rng, mins.z, maxs.z));
}

static vec3_t random_offset(rng_t *rng, float size) {
    return random_vector(rng, Vector(-size, -size, -size), Vector(size, size, size));
}

static vec3_t to_grid(vec3_t v) {
    return Vector(floorf(v.x * 32.0f) / 32.0f, floorf(v.y * 32.0f) / 32.0f,
                  floorf(v.z * 32.0f) / 32.0f);
}

/// Some ends lie on a plane, or 1/32 before it, as those of sweeps that were stopped do; some on a
/// grid, as those of maps do.
static vec3_t random_end(rng_t *rng, const hull_t *hull, int32_t num_planes, vec3_t point) {
    const plane_t *plane = &hull->planes[Rng_Below(rng, (uint32_t)num_planes)];
    uint32_t how = Rng_Below(rng, 8);
    if (how < 3) {
        float d = PlaneDiff(point, plane);
        return VectorMA(point, (how == 0 ? 0.0f : CM_DIST_EPSILON) - d, plane->normal);
    }
    return how < 6 ? to_grid(point) : point;
}

static bool is_long(const hull_t *hull, vec3_t start, vec3_t end) {
    const vec3_t way = VectorSubtract(end, start);
    const float longest_other = hull->wide->longest_other;
    return fabsf(way.x) > longest_other || fabsf(way.y) > longest_other ||
           fabsf(way.z) > longest_other;
}

/// What answers, and how many sweeps it left to the hull's own nodes.
typedef struct {
    wide_trace_t trace;
    int32_t left;
} answerer_t;

static int32_t find_answerers(answerer_t answerers[2]) {
    answerers[0] = (answerer_t){CM_WideTrace4, 0};
    answerers[1] = (answerer_t){CM_WideTrace(), 0};
    return answerers[1].trace == CM_WideTrace4 ? 1 : 2;
}

/// How many sweeps were compared, met something, and were left to the hull's own nodes.
typedef struct {
    int64_t count, hits, left;
    int64_t others; // that differ from hull.c's by more than rounding: at corners
} tally_t;

/// What stops a sweep that starts in the open leaves it there, and says where that is.
static bool is_open(hull_tree_t tree, const trace_t *trace) {
    const sweep_point_t at = {{trace->endpos.x, trace->endpos.y, trace->endpos.z, 0.0f}};
    return trace->fraction == 1.0f || trace->startsolid ||
           (trace->contents != CONTENTS_SOLID && trace->contents == CM_TreeContents(tree, &at));
}

static bool about_same(const hull_t *hull, vec3_t start, vec3_t end, const trace_t *trace) {
    hull_t plain = *hull;
    plain.cells = NULL;
    plain.wide = NULL;
    const trace_t expected = CM_HullTrace(&plain, start, end);
    return VectorLength(VectorSubtract(trace->endpos, expected.endpos)) < 0.01f &&
           VectorCompare(trace->plane.normal, expected.plane.normal) &&
           trace->contents == expected.contents && trace->startsolid == expected.startsolid &&
           trace->allsolid == expected.allsolid;
}

static void print_tally(const tally_t *tally) {
    print_message("%lld sweeps, %lld hits, %lld left to the nodes, %lld unlike hull.c's\n",
                  (long long)tally->count, (long long)tally->hits, (long long)tally->left,
                  (long long)tally->others);
}

/// Compares sweeps of all lengths.
static void compare_sweeps(const hull_t *hull, bounds_t bounds, int32_t num_planes, int32_t count,
                           uint64_t seed, tally_t *tally) {
    rng_t rng = {seed};
    const hull_tree_t tree = {hull->nodes, hull->planes, hull->root};
    answerer_t answerers[2];
    const int32_t num_answerers = find_answerers(answerers);
    assert_non_null(hull->wide);
    for (int32_t i = 0; i < count; i++) {
        vec3_t start = random_vector(&rng, bounds.mins, bounds.maxs);
        start = random_end(&rng, hull, num_planes, start);
        vec3_t end = i % 4 == 0 ? VectorAdd(start, random_offset(&rng, i % 8 == 0 ? 500.0f : 16.0f))
                                : random_vector(&rng, bounds.mins, bounds.maxs);
        end = i % 16 == 1   ? Vector(start.x, start.y, end.z)
              : i % 16 == 2 ? Vector(start.x, end.y, start.z)
              : i % 64 == 3 ? start
                            : random_end(&rng, hull, num_planes, end);
        const segment_t whole = Segment_Whole(start, end);
        const trace_t without = CM_LongTrace(tree, &whole);
        trace_t with = CM_HullTrace(hull, start, end);
        bool good = Test_SameTrace(&with, &without) || !is_long(hull, start, end);
        good = good && is_open(tree, &without);
        for (int32_t a = 0; a < num_answerers; a++) {
            const bool answered = answerers[a].trace(hull, &whole, &with);
            answerers[a].left += !answered;
            good = good && (!answered || Test_SameTrace(&with, &without));
        }
        if (!good) {
            print_error("seed %llu, sweep %d: (%a %a %a) to (%a %a %a)\n", (unsigned long long)seed,
                        i, (double)start.x, (double)start.y, (double)start.z, (double)end.x,
                        (double)end.y, (double)end.z);
            fail();
        }
        tally->hits += without.fraction < 1.0f;
        tally->others += !about_same(hull, start, end, &without);
    }
    assert_true(num_answerers == 1 || answerers[0].left == answerers[1].left);
    tally->count += count;
    tally->left += answerers[0].left;
}

// ---- random trees ----

enum { TREE_NODES = 255 };

static vec3_t random_normal(rng_t *rng) {
    static const vec3_t axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    return Rng_Below(rng, 3) > 0 ? axes[Rng_Below(rng, 3)]
                                 : VectorNormalize(random_offset(rng, 1.0f), NULL);
}

static contents_t random_fill(rng_t *rng) {
    static const contents_t fills[4] = {CONTENTS_EMPTY, CONTENTS_SOLID, CONTENTS_EMPTY,
                                        CONTENTS_WATER};
    return fills[Rng_Below(rng, 4)];
}

/// A tree of random planes through random places of the bounds: balanced, or straight: all its
/// nodes one below the other.
static void random_tree(rng_t *rng, bounds_t bounds, bool straight, plane_t *planes,
                        clipnode_t *nodes) {
    for (int32_t i = 0; i < TREE_NODES; i++) {
        vec3_t normal = random_normal(rng);
        float dist = DotProduct(normal, random_vector(rng, bounds.mins, bounds.maxs));
        dist = Rng_Below(rng, 2) ? floorf(dist * 32.0f) / 32.0f : dist;
        planes[i] = (plane_t){normal, dist, CM_PlaneType(normal)};
        int32_t children[2];
        const int32_t deep = (int32_t)Rng_Below(rng, 2);
        for (int32_t side = 0; side < 2; side++) {
            int32_t child = !straight ? 2 * i + 1 + side : side == deep ? i + 1 : TREE_NODES;
            children[side] = child < TREE_NODES ? child : (int32_t)random_fill(rng);
        }
        nodes[i] = CM_ClipNode(planes, i, children[0], children[1]);
    }
}

static void test_random_trees(void **state) {
    (void)state;
    static plane_t planes[TREE_NODES];
    static clipnode_t nodes[TREE_NODES];
    const int32_t trees = Test_IsLong() ? 4000 : 40;
    tally_t tally = {0};
    for (int32_t i = 0; i < trees; i++) {
        rng_t rng = {(uint64_t)i};
        // Small and crowded, or as large and far away as a world may be.
        float size = i % 3 == 0 ? 150.0f : i % 3 == 1 ? 500.0f : 3000.0f;
        vec3_t middle = random_offset(&rng, i % 2 ? 60000.0f : 1000.0f);
        vec3_t half = {size, size, size};
        bounds_t bounds = {VectorSubtract(middle, half), VectorAdd(middle, half)};
        random_tree(&rng, bounds, i % 4 == 0, planes, nodes);
        hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
        hull_t *hulls[1] = {&hull};
        arena_t arena = {0};
        assert_true(CM_BuildWide(&arena, hulls, 1, TREE_NODES, bounds));
        assert_true(hull.wide && hull.wide->num_nodes >= TREE_NODES / WIDE_PLANES);
        assert_true(hull.wide->num_nodes <= TREE_NODES);
        compare_sweeps(&hull, bounds, TREE_NODES, 5000, (uint64_t)i, &tally);
        Arena_Free(&arena);
    }
    assert_true(tally.hits > tally.count / 4 && tally.hits < tally.count);
    // Through these hundreds of planes in places far from the origin many ways pass a corner.
    assert_true(tally.others < tally.count / 500);
    print_tally(&tally);
}

// ---- what a hostile map may ask for ----

enum { MANY = 1 << 20 };

/// nodes[] one below the other, or each of them both children of the one above.
static hull_t deep_hull(plane_t *planes, clipnode_t *nodes, int32_t count, bool shared) {
    rng_t rng = {3};
    for (int32_t i = 0; i < count; i++) {
        vec3_t normal = VectorNormalize(random_offset(&rng, 1.0f), NULL);
        planes[i] = (plane_t){normal, DotProduct(normal, random_offset(&rng, 400.0f)), PLANE_ANY};
        int32_t child = i + 1 < count ? i + 1 : CONTENTS_EMPTY;
        nodes[i] = CM_ClipNode(planes, i, child,
                               shared && i + 1 < count ? child
                               : i % 2                 ? CONTENTS_SOLID
                                                       : CONTENTS_EMPTY);
    }
    return (hull_t){.nodes = nodes, .planes = planes, .root = 0};
}

static void test_deep_trees(void **state) {
    (void)state;
    static plane_t planes[MAX_HULL_DEPTH];
    static clipnode_t nodes[MAX_HULL_DEPTH];
    const bounds_t bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}};
    for (int32_t shared = 0; shared < 2; shared++) {
        tally_t tally = {0};
        // Shared, sweeps may be cut more often than MAX_HULL_SPLITS.
        const int32_t count = shared ? 200 : MAX_HULL_DEPTH;
        hull_t hull = deep_hull(planes, nodes, count, shared == 1);
        hull_t *hulls[1] = {&hull};
        arena_t arena = {0};
        assert_true(CM_BuildWide(&arena, hulls, 1, count, bounds));
        assert_true(hull.wide->num_nodes <= count);
        compare_sweeps(&hull, bounds, count, shared ? 1000 : 20000, 7, &tally);
        Arena_Free(&arena);
    }
}

/// All in front of each other: the way down is longer than a wide tree follows, and the hull's own
/// nodes answer.
static void test_too_deep(void **state) {
    (void)state;
    static plane_t planes[MAX_HULL_DEPTH];
    static clipnode_t nodes[MAX_HULL_DEPTH];
    const bounds_t bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}};
    for (int32_t i = 0; i < MAX_HULL_DEPTH; i++) {
        planes[i] = (plane_t){{0.0f, 0.0f, 1.0f}, -1000.0f - (float)i, PLANE_Z};
        nodes[i] =
            CM_ClipNode(planes, i, i + 1 < MAX_HULL_DEPTH ? i + 1 : CONTENTS_WATER, CONTENTS_SOLID);
    }
    hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
    hull_t *hulls[1] = {&hull};
    arena_t arena = {0};
    assert_true(CM_BuildWide(&arena, hulls, 1, MAX_HULL_DEPTH, bounds));
    const segment_t whole = Segment_Whole(bounds.mins, bounds.maxs);
    answerer_t answerers[2];
    const int32_t num_answerers = find_answerers(answerers);
    trace_t trace;
    for (int32_t i = 0; i < num_answerers; i++) {
        assert_false(answerers[i].trace(&hull, &whole, &trace));
    }
    assert_int_equal(CM_HullTrace(&hull, bounds.mins, bounds.maxs).contents, CONTENTS_WATER);
    Arena_Free(&arena);
}

enum { NUM_CUTS = 16383 };

/// Planes x = from..to - 1, halved again and again; the node that they begin with.
static int32_t halve(plane_t *planes, clipnode_t *nodes, int32_t *num, int32_t from, int32_t to) {
    if (from == to) {
        return CONTENTS_EMPTY;
    }
    const int32_t node = (*num)++;
    const int32_t middle = (from + to) / 2;
    planes[node] = (plane_t){{1.0f, 0.0f, 0.0f}, (float)middle, PLANE_X};
    const int32_t front = halve(planes, nodes, num, middle + 1, to);
    nodes[node] = CM_ClipNode(planes, node, front, halve(planes, nodes, num, from, middle));
    return node;
}

/// A sweep that is cut more often than any may be ends at that plane, as if in solid.
static void test_too_many_cuts(void **state) {
    (void)state;
    static plane_t planes[NUM_CUTS];
    static clipnode_t nodes[NUM_CUTS];
    const bounds_t bounds = {{-9.0f, -9.0f, -9.0f}, {20000.0f, 9.0f, 9.0f}};
    int32_t num = 0;
    hull_t hull = {.nodes = nodes, .planes = planes};
    hull.root = halve(planes, nodes, &num, 1, NUM_CUTS + 1);
    hull_t *hulls[1] = {&hull};
    arena_t arena = {0};
    for (int32_t wide = 0; wide < 2; wide++) {
        if (wide) {
            assert_true(CM_BuildWide(&arena, hulls, 1, num, bounds));
        }
        const trace_t trace =
            CM_HullTrace(&hull, Vector(0.0f, 0.0f, 0.0f), Vector(17000.0f, 0.0f, 0.0f));
        assert_true(trace.plane.dist == -(MAX_HULL_SPLITS + 1.0f) && !trace.startsolid);
        assert_true(fabsf(trace.endpos.x - (MAX_HULL_SPLITS + 1.0f)) < 0.1f);
    }
    Arena_Free(&arena);
}

/// More than there may be: the hull goes without, and its neighbour has its own.
static void test_too_large(void **state) {
    (void)state;
    plane_t *planes = calloc(MANY, sizeof *planes);
    clipnode_t *nodes = calloc(MANY, sizeof *nodes);
    assert_true(planes && nodes);
    for (int32_t i = 0; i < MANY; i++) {
        planes[i] = (plane_t){{0.0f, 0.0f, 1.0f}, (float)(i % 4096), PLANE_Z};
        nodes[i] = CM_ClipNode(planes, i, 2 * i + 1 < MANY ? 2 * i + 1 : CONTENTS_EMPTY,
                               2 * i + 2 < MANY ? 2 * i + 2 : CONTENTS_SOLID);
    }
    hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
    hull_t part = {.nodes = nodes, .planes = planes, .root = 1023};
    hull_t solid = {.root = CONTENTS_SOLID};
    hull_t *hulls[3] = {&hull, &part, &solid};
    arena_t arena = {0};
    const bounds_t bounds = {{-99.0f, -99.0f, -99.0f}, {99.0f, 99.0f, 99.0f}};
    assert_true(CM_BuildWide(&arena, hulls, 3, MANY, bounds));
    assert_null(hull.wide);
    assert_null(solid.wide); // nothing to walk through
    assert_non_null(part.wide);
    assert_true(part.wide->num_nodes < 1023);
    Arena_Free(&arena);
    free(planes);
    free(nodes);
}

// ---- stops ----

/// Where a sweep down to a floor is to stop: 1/32 before it, and while that is solid tenths back of
/// what the floor cuts: from `first` on.
static sweep_point_t expected_stop(hull_tree_t tree, const segment_t *whole, float floor,
                                   float first, contents_t *contents) {
    float share = Segment_NearShare(whole->p1.f[2] - floor, whole->p2.f[2] - floor);
    sweep_point_t stop = Segment_At(whole, share);
    while ((*contents = CM_TreeContents(tree, &stop)) == CONTENTS_SOLID && share > first) {
        const float step = 0.1f * (1.0f - first);
        share = share - step > first ? share - step : first;
        stop = Segment_At(whole, share);
    }
    if (*contents == CONTENTS_SOLID) {
        *contents = CM_TreeContents(tree, &whole->p1);
        return whole->p1;
    }
    return stop;
}

enum { NUM_BESIDE = 3 + WIDE_PLANES };

/// A slanted plane, below that a floor, above both a plane 1 above the floor; and as many as fill a
/// wide node, far away.
typedef struct {
    plane_t planes[NUM_BESIDE];
    clipnode_t nodes[NUM_BESIDE];
} beside_t;

static void make_beside(beside_t *beside, vec3_t normal, vec3_t near, contents_t behind) {
    const vec3_t up = {0.0f, 0.0f, 1.0f};
    plane_t *planes = beside->planes;
    planes[0] = (plane_t){normal, DotProduct(normal, near), PLANE_ANY};
    planes[1] = (plane_t){up, near.z, PLANE_Z};
    planes[2] = (plane_t){up, near.z + 1.0f, PLANE_Z};
    beside->nodes[0] = CM_ClipNode(planes, 0, 1, (int32_t)behind);
    beside->nodes[1] = CM_ClipNode(planes, 1, CONTENTS_EMPTY, CONTENTS_SOLID);
    beside->nodes[2] = CM_ClipNode(planes, 2, CONTENTS_EMPTY, 0);
    for (int32_t i = 3; i < NUM_BESIDE; i++) {
        planes[i] = (plane_t){{1.0f, 0.0f, 0.0f}, -70000.0f - (float)i, PLANE_X};
        beside->nodes[i] = CM_ClipNode(planes, i, i + 1 < NUM_BESIDE ? i + 1 : 1, CONTENTS_LAVA);
    }
}

/// Through a wide tree: the same, or it is left to the nodes. Returns whether it is.
static bool check_wide(hull_tree_t tree, const segment_t *whole, const trace_t *expected) {
    const bounds_t all = {{-1e5f, -1e5f, -1e5f}, {1e5f, 1e5f, 1e5f}};
    hull_t hull = {.nodes = tree.nodes, .planes = tree.planes, .root = tree.root};
    hull_t *hulls[1] = {&hull};
    arena_t arena = {0};
    answerer_t answerers[2];
    const int32_t num_answerers = find_answerers(answerers);
    bool answered = false;
    assert_true(CM_BuildWide(&arena, hulls, 1, NUM_BESIDE, all));
    for (int32_t i = 0; i < num_answerers; i++) {
        trace_t trace;
        answered = answerers[i].trace(&hull, whole, &trace);
        assert_true(!answered || Test_SameTrace(&trace, expected));
    }
    Arena_Free(&arena);
    return !answered;
}

/// Down to the floor along a slanted plane with water or solid behind it: both ends are in front
/// of it, but rounding puts the stop behind it. It is looked up there, and is never solid.
static void test_stops(void **state) {
    (void)state;
    int32_t back = 0;
    int32_t water = 0;
    int32_t left = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rng_t rng = {seed};
        vec3_t normal = VectorNormalize(random_offset(&rng, 1.0f), NULL);
        normal.z *= 0.25f;
        normal = VectorNormalize(normal, NULL);
        const vec3_t level = {normal.x, normal.y, 0.0f};
        const float floor = floorf(Rng_Range(&rng, -8000.0f, 8000.0f));
        const vec3_t near = random_vector(&rng, Vector(25000.0f, 25000.0f, floor),
                                          Vector(32700.0f, 32700.0f, floor));
        beside_t beside;
        make_beside(&beside, normal, near, seed % 2 ? CONTENTS_SOLID : CONTENTS_WATER);
        const clipnode_t *nodes = beside.nodes;
        const plane_t *planes = beside.planes;
        // Without the third plane, or below it; the second in the same wide node, or in another.
        beside.nodes[0].children[0] = Rng_Below(&rng, 2) ? 1 : 3;
        const hull_tree_t tree = {nodes, planes, Rng_Below(&rng, 2) ? 2 : 0};
        vec3_t ends[2] = {near, near};
        ends[0].z += Rng_Range(&rng, 2.0f, 200.0f);
        ends[1].z -= Rng_Range(&rng, 0.0f, 200.0f);
        for (int32_t i = 0; i < 2; i++) {
            const float apart = Rng_Below(&rng, 2) ? 0.0f : Rng_Range(&rng, 0.0f, 0.01f);
            const float by = (apart - PlaneDiff(ends[i], &planes[0])) / DotProduct(level, level);
            ends[i] = VectorMA(ends[i], by, level);
        }
        const segment_t whole = Segment_Whole(ends[0], ends[1]);
        if (Hull_NodeDiff(&nodes[0], planes, &whole.p1) < 0.0f ||
            Hull_NodeDiff(&nodes[0], planes, &whole.p2) < 0.0f) {
            continue;
        }
        contents_t contents = CONTENTS_SOLID;
        const float t1 = whole.p1.f[2] - (floor + 1.0f);
        const float t2 = whole.p2.f[2] - (floor + 1.0f);
        const float first = tree.root == 2 ? t1 / (t1 - t2) : 0.0f;
        const sweep_point_t stop = expected_stop(tree, &whole, floor, first, &contents);
        const trace_t trace = CM_LongTrace(tree, &whole);
        if (trace.fraction != stop.f[3] || trace.endpos.x != stop.f[0] ||
            trace.endpos.y != stop.f[1] || trace.endpos.z != stop.f[2] ||
            trace.contents != contents || contents == CONTENTS_SOLID || trace.startsolid) {
            fail_msg("seed %llu: %a, expected %a", (unsigned long long)seed, (double)trace.fraction,
                     (double)stop.f[3]);
        }
        left += check_wide(tree, &whole, &trace);
        back += stop.f[3] < Segment_NearShare(whole.p1.f[2] - floor, whole.p2.f[2] - floor);
        water += contents == CONTENTS_WATER;
    }
    assert_true(back > 100 && water > 100 && left > 200);
}

// ---- beside cells ----

/// How much wider than `most` the box of a cell is, where that is most.
static double wider_than(const hull_cells_t *cells, const int32_t at[3], float most) {
    const vec3_t middle = {(float)at[0] + 0.5f, (float)at[1] + 0.5f, (float)at[2] + 0.5f};
    bounds_t box;
    CM_CellAround(cells, VectorMA(cells->mins, cells->size, middle), &box);
    const double x = (double)box.maxs.x - (double)box.mins.x;
    const double y = (double)box.maxs.y - (double)box.mins.y;
    const double z = (double)box.maxs.z - (double)box.mins.z;
    return (x > y ? x > z ? x : z : y > z ? y : z) - (double)most;
}

/// In maps so large that cells are wider than HULL_LONG, what a cell or a cache answers is not
/// long either: no box that they are good for is wider than that. Rounding makes some of them wider
/// than a cell and its reach.
static void test_beside_cells(void **state) {
    (void)state;
    static const float extents[] = {4000.0f,   9000.3f,    60000.7f,   300001.3f, 777777.3f,
                                    912345.6f, 1000003.1f, 1040000.1f, 1048575.0f};
    double widest = 0.0;
    for (size_t i = 0; i < COUNTOF(extents); i++) {
        static const plane_t planes[1] = {{{0.0f, 0.0f, 1.0f}, 0.0f, PLANE_Z}};
        static const clipnode_t nodes[1] = {{PLANE_Z, 0.0f, {CONTENTS_EMPTY, CONTENTS_SOLID}}};
        const float e = extents[i];
        const bounds_t bounds = {{-e, -e, -0.3f * e}, {e, 0.9f * e, e}};
        hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
        hull_t *hulls[1] = {&hull};
        arena_t cells = {0};
        arena_t wide = {0};
        assert_true(CM_BuildCells(&cells, hulls, 1, bounds));
        assert_true(CM_BuildWide(&wide, hulls, 1, 1, bounds));
        const int32_t *count = hull.cells->count;
        const float in_cells = hull.cells->size + 2.0f * CELL_REACH;
        assert_true(in_cells > HULL_LONG);
        int32_t at[3];
        for (at[2] = 0; at[2] < count[2]; at[2]++) {
            for (at[1] = 0; at[1] < count[1]; at[1]++) {
                for (at[0] = 0; at[0] < count[0]; at[0]++) {
                    const double wider = wider_than(hull.cells, at, in_cells);
                    assert_true(wider_than(hull.cells, at, hull.wide->longest_other) <= 0.0);
                    widest = wider > widest ? wider : widest;
                }
            }
        }
        Arena_Free(&cells);
        Arena_Free(&wide);
    }
    assert_true(widest > 0.1 && widest < 0.25);
}

// ---- real maps ----

static void test_real_maps(void **state) {
    (void)state;
    static const char *const names[] = {"lqdm2",   "lqdm4", "lqdm11",   "lqdm12",
                                        "lq_e0m1", "lqdm9", "lqdm4_hl", "lq_e0m9"};
    tally_t tally = {0};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        char path[256];
        err_t err;
        cmap_t map;
        snprintf(path, sizeof path, DATA "bsp/%s.bsp", names[i]);
        if (!BSP_Load(&map, path, &err)) {
            printf("SKIPPED: %s\n", err.text);
            continue;
        }
        for (int32_t h = 0; h < CM_NumHulls(map.hullset); h++) {
            // Two programs with other lengths would move players to other places.
            const hull_t *hull = &map.models[0].hulls[h];
            const float in_cells = hull->cells->size + 49.0f;
            assert_true(hull->wide->longest_other == (in_cells > 128.0f ? in_cells : 128.0f));
            compare_sweeps(&map.models[0].hulls[h], map.models[0].bounds, map.num_planes,
                           Test_IsLong() ? 1000000 : 20000, i * 10 + (uint64_t)h, &tally);
        }
        CM_FreeMap(&map);
    }
    if (tally.count > 0) {
        assert_true(tally.hits > tally.count / 4 && tally.hits < tally.count);
        // Hardly ever does rounding decide.
        assert_true(tally.left < tally.count / 500 && tally.others < tally.count / 10000);
        print_tally(&tally);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),  cmocka_unit_test(test_deep_trees),
        cmocka_unit_test(test_too_large),     cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_too_many_cuts), cmocka_unit_test(test_stops),
        cmocka_unit_test(test_beside_cells),  cmocka_unit_test(test_real_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
