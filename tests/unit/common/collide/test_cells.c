// Tests of the cells of hulls: a short sweep through a cell's tree has the same bits as the sweep
// through the whole hull, in random trees, in real maps, outside of all cells, and in a tree with a
// cycle.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "collide/hull/cells.h"
#include "lib/testing.h"
#include "lib/trace_fixture.h"

#include <string.h>

#define DATA "../shared/data/"

enum { TREE_NODES = 255 };

static vec3_t random_vector(rng_t *rng, vec3_t mins, vec3_t maxs) {
    float x = Rng_Range(rng, mins.x, maxs.x);
    float y = Rng_Range(rng, mins.y, maxs.y);
    return Vector(x, y, Rng_Range(rng, mins.z, maxs.z));
}

static vec3_t random_offset(rng_t *rng, float size) {
    return random_vector(rng, Vector(-size, -size, -size), Vector(size, size, size));
}

static float to_grid(float v) {
    return floorf(v * 32.0f) / 32.0f;
}

/// Moves some points onto a plane, or 1/32 in front of it, like the stops of earlier sweeps.
static vec3_t maybe_on_plane(rng_t *rng, const hull_t *hull, int32_t num_planes, vec3_t point) {
    const plane_t *plane = &hull->planes[Rng_Below(rng, (uint32_t)num_planes)];
    uint32_t how = Rng_Below(rng, 8);
    float d = PlaneDiff(point, plane);
    if (how < 3 && fabsf(d) < 40.0f) {
        return VectorMA(point, (how == 0 ? 0.0f : CM_DIST_EPSILON) - d, plane->normal);
    }
    return how < 6 ? Vector(to_grid(point.x), to_grid(point.y), to_grid(point.z)) : point;
}

/// Returns a corner of the box that the sweeps of some cell stay in, or a point close to the
/// corner.
static vec3_t random_corner(rng_t *rng, bounds_t bounds, float size) {
    vec3_t p = random_vector(rng, bounds.mins, bounds.maxs);
    const float mins[3] = {bounds.mins.x, bounds.mins.y, bounds.mins.z};
    float v[3] = {p.x, p.y, p.z};
    for (int32_t i = 0; i < 3; i++) {
        float reach = Rng_Below(rng, 2) ? CELL_REACH : -CELL_REACH;
        v[i] = mins[i] + floorf((v[i] - mins[i]) / size) * size + reach;
        v[i] += Rng_Below(rng, 2) ? Rng_Range(rng, -0.02f, 0.02f) : 0.0f;
    }
    return Vector(v[0], v[1], v[2]);
}

/// Returns a point as far from the corner as a cell reaches, or half as far.
static vec3_t across_cell(rng_t *rng, vec3_t corner) {
    float v[3] = {corner.x, corner.y, corner.z};
    for (int32_t i = 0; i < 3; i++) {
        static const float ways[4] = {2.0f * CELL_REACH, -2.0f * CELL_REACH, CELL_REACH, 0.0f};
        v[i] += ways[Rng_Below(rng, 4)];
    }
    return Vector(v[0], v[1], v[2]);
}

/// Compares sweeps of all lengths, most of them short, with cells and without.
static void compare_sweeps(const hull_t *hull, bounds_t bounds, int32_t num_planes, int32_t count,
                           uint64_t seed) {
    rng_t rng = {seed};
    hull_t plain = *hull;
    plain.cells = NULL;
    int32_t hits = 0;
    for (int32_t i = 0; i < count; i++) {
        vec3_t start = random_vector(&rng, bounds.mins, bounds.maxs);
        start = maybe_on_plane(&rng, hull, num_planes, start);
        float reach = i % 8 == 0 ? 500.0f : i % 8 < 3 ? 2.0f : 2.0f * CELL_REACH;
        vec3_t end = VectorAdd(start, random_offset(&rng, reach));
        end = i % 16 == 1   ? start
              : i % 16 == 2 ? Vector(start.x, start.y, end.z)
                            : maybe_on_plane(&rng, hull, num_planes, end);
        if (hull->cells && i % 4 == 3) {
            start = random_corner(&rng, bounds, 1.0f / hull->cells->scale);
            end = across_cell(&rng, start);
        }
        trace_t with = CM_HullTrace(hull, start, end);
        trace_t without = CM_HullTrace(&plain, start, end);
        contents_t at = CM_HullPointContents(hull, start);
        if (!Test_SameTrace(&with, &without) || at != CM_HullPointContents(&plain, start)) {
            print_error("seed %llu, sweep %d: (%a %a %a) to (%a %a %a)\n", (unsigned long long)seed,
                        i, (double)start.x, (double)start.y, (double)start.z, (double)end.x,
                        (double)end.y, (double)end.z);
            fail();
        }
        hits += with.fraction < 1.0f;
    }
    assert_true(hits > count / 2000);
    assert_true(hits < count);
}

// ---- random trees ----

static vec3_t random_normal(rng_t *rng) {
    static const vec3_t axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    return Rng_Below(rng, 3) > 0 ? axes[Rng_Below(rng, 3)]
                                 : VectorNormalize(random_offset(rng, 1.0f), NULL);
}

/// Makes a balanced tree of random planes through random points of the bounds; node n has plane n.
static void random_tree(rng_t *rng, bounds_t bounds, plane_t *planes, clipnode_t *nodes) {
    static const contents_t fills[4] = {CONTENTS_EMPTY, CONTENTS_SOLID, CONTENTS_EMPTY,
                                        CONTENTS_WATER};
    for (int32_t i = 0; i < TREE_NODES; i++) {
        vec3_t normal = random_normal(rng);
        vec3_t through = Rng_Below(rng, 2) ? random_corner(rng, bounds, CELL_SIZE)
                                           : random_vector(rng, bounds.mins, bounds.maxs);
        float dist = DotProduct(normal, through);
        dist = Rng_Below(rng, 2) ? to_grid(dist) : dist;
        planes[i] = (plane_t){normal, dist, PlaneType(normal)};
        int32_t children[2];
        for (int32_t side = 0; side < 2; side++) {
            int32_t child = 2 * i + 1 + side;
            children[side] = child < TREE_NODES ? child : (int32_t)fills[Rng_Below(rng, 4)];
        }
        nodes[i] = CM_ClipNode(planes, i, children[0], children[1]);
    }
}

static void test_random_trees(void **state) {
    (void)state;
    static plane_t planes[TREE_NODES];
    static clipnode_t nodes[TREE_NODES];
    const int32_t trees = Test_IsLong() ? 2000 : 30;
    for (int32_t i = 0; i < trees; i++) {
        rng_t rng = {(uint64_t)i};
        // Trees are small and crowded, or as large and far away as a world may be.
        float size = i % 3 == 0 ? 150.0f : i % 3 == 1 ? 500.0f : 3000.0f;
        vec3_t middle = random_offset(&rng, i % 2 ? 60000.0f : 1000.0f);
        vec3_t half = {size, size, size};
        bounds_t bounds = {VectorSubtract(middle, half), VectorAdd(middle, half)};
        random_tree(&rng, bounds, planes, nodes);
        hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
        hull_t *hulls[1] = {&hull};
        arena_t arena = {0};
        assert_true(CM_BuildCells(&arena, hulls, 1, bounds));
        assert_true(hull.cells);
        // Some sweeps leave the bounds, where no cells are.
        bounds_t around = {VectorSubtract(bounds.mins, half), VectorAdd(bounds.maxs, half)};
        compare_sweeps(&hull, i % 5 == 0 ? around : bounds, TREE_NODES, 20000, (uint64_t)i);
        Arena_Free(&arena);
    }
}

// ---- hostile maps ----

/// Tests a tree whose every node has its child twice, so that 2^200 paths lead down. It must not
/// take long, and the answers must be the hull's.
static void test_endless_tree(void **state) {
    (void)state;
    enum { DEPTH = 200 };
    static plane_t planes[DEPTH];
    static clipnode_t nodes[DEPTH];
    rng_t rng = {3};
    bounds_t bounds = {{-2000.0f, -2000.0f, -500.0f}, {2000.0f, 2000.0f, 500.0f}};
    for (int32_t i = 0; i < DEPTH; i++) {
        vec3_t normal = VectorNormalize(random_offset(&rng, 1.0f), NULL);
        planes[i] = (plane_t){normal, DotProduct(normal, random_offset(&rng, 1.0f)), PLANE_ANY};
        int32_t child = i + 1 < DEPTH ? i + 1 : CONTENTS_EMPTY;
        nodes[i] = CM_ClipNode(planes, i, child, i + 1 < DEPTH ? child : CONTENTS_SOLID);
    }
    hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
    hull_t *hulls[1] = {&hull};
    arena_t arena = {0};
    assert_true(CM_BuildCells(&arena, hulls, 1, bounds));
    assert_true(hull.cells);
    int32_t none = 0;
    const int32_t *count = hull.cells->count;
    for (int32_t i = 0; i < count[0] * count[1] * count[2]; i++) {
        none += hull.cells->refs[i].group == CELL_NONE;
    }
    assert_true(none > 0);
    bounds_t near = {{-100.0f, -100.0f, -100.0f}, {100.0f, 100.0f, 100.0f}};
    compare_sweeps(&hull, near, DEPTH, 5000, 4);
    Arena_Free(&arena);
}

/// Checks that only cells within CELL_FARTHEST have lanes.
static void check_far(const hull_cells_t *cells) {
    const cell_ref_t *near = CM_CellAt(cells, Vector(0.0f, 4000.0f, 0.0f));
    const cell_ref_t *far = CM_CellAt(cells, Vector(0.0f, 9000.0f, 0.0f));
    assert_true(near);
    assert_true(near->group >= 0);
    assert_true(cells->groups[near->group].num_lanes == 1);
    assert_true(far);
    assert_true(far->group == CELL_NONE);
}

/// Tests bounds that are empty or far too large: the number of cells must stay within its limit.
static void test_bounds(void **state) {
    (void)state;
    static const plane_t planes[1] = {{{0.0f, 0.0f, 1.0f}, 0.0f, PLANE_Z}};
    static const clipnode_t nodes[1] = {{PLANE_Z, 0.0f, {CONTENTS_EMPTY, CONTENTS_SOLID}}};
    static const float sizes[] = {0.0f, 1.0f, 63.0f, 64.0f, 5000.0f, 131072.0f, 1e6f};
    for (size_t i = 0; i < COUNTOF(sizes); i++) {
        for (size_t j = 0; j < COUNTOF(sizes); j++) {
            hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
            hull_t solid = {.root = CONTENTS_SOLID};
            hull_t *hulls[2] = {&solid, &hull};
            arena_t arena = {0};
            bounds_t bounds = {{-sizes[i], 0.0f, -sizes[j]}, {sizes[i], sizes[j], 8.0f}};
            assert_true(CM_BuildCells(&arena, hulls, 2, bounds));
            assert_null(solid.cells); // a hull without nodes needs no cells
            const int32_t *count = hull.cells->count;
            assert_true(count[0] * count[1] * count[2] <= MAX_HULL_CELLS);
            bounds_t near = {{-90.0f, -90.0f, -90.0f}, {90.0f, 90.0f, 90.0f}};
            compare_sweeps(&hull, near, 1, 1000, i * 10 + j);
            if (sizes[i] > 0.0f && sizes[i] < 1e4f && sizes[j] > 9000.0f && sizes[j] < 1e6f) {
                check_far(hull.cells);
            }
            Arena_Free(&arena);
        }
    }
}

// ---- real maps ----

/// Counts the cells that have neither lanes nor parts.
static int32_t count_walked(const hull_cells_t *cells) {
    int32_t walked = 0;
    for (int32_t i = 0; i < cells->num_cells; i++) {
        walked += cells->refs[i].group == CELL_NONE;
    }
    return walked;
}

static void test_real_maps(void **state) {
    (void)state;
    static const char *const names[] = {"lqdm2",   "lqdm4", "lqdm11",   "lqdm12",
                                        "lq_e0m1", "lqdm9", "lqdm4_hl", "lq_e0m9"};
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
            const hull_t *hull = &map.models[0].hulls[h];
            assert_non_null(hull->cells);
            assert_int_equal(count_walked(hull->cells), 0);
            assert_true(hull->cells->num_splits > 0);
            compare_sweeps(hull, map.models[0].bounds, map.num_planes,
                           Test_IsLong() ? 4000000 : 40000, i * 10 + (uint64_t)h);
        }
        CM_FreeMap(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_endless_tree),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_real_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
