// Tests that the lanes of one cell give the same bits as the tree walk: in every lane if rounding
// decides the side of a plane; and in random trees, with ends on planes and edges, near the origin
// and far out.

#include "base/rng.h"
#include "collide/hull/cells.h"
#include "lib/testing.h"
#include "lib/trace_fixture.h"

#include <string.h>

enum { MAX_NODES = 24 };

/// Stores a tree and its lanes.
typedef struct {
    plane_t planes[MAX_NODES];
    clipnode_t nodes[MAX_NODES];
    int32_t num_nodes;
    cell_group_t groups[MAX_CELL_GROUPS];
} tree_t;

static vec3_t random_offset(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static vec3_t random_normal(rng_t *rng) {
    return VectorNormalize(random_offset(rng, 1.0f), NULL);
}

static void add_node(tree_t *tree, vec3_t normal, float dist, int32_t front, int32_t back) {
    const int32_t i = tree->num_nodes++;
    tree->planes[i] = (plane_t){normal, dist, PlaneType(normal)};
    tree->nodes[i] = CM_ClipNode(tree->planes, i, front, back);
}

static hull_tree_t as_hull(const tree_t *tree) {
    return (hull_tree_t){tree->nodes, tree->planes, 0};
}

/// Makes the lanes of the tree below `root` for a box of this size, which every plane cuts.
static bool lay_root(tree_t *tree, int32_t root) {
    const hull_t hull = {.nodes = tree->nodes, .planes = tree->planes, .root = root};
    const vec3_t far = {20000.0f, 20000.0f, 20000.0f};
    int32_t looks = 4096;
    return CM_LayOutCell(tree->groups, &hull, root, (bounds_t){VectorNegate(far), far}, &looks) > 0;
}

static bool lay(tree_t *tree) {
    return lay_root(tree, 0);
}

/// Returns the trace, after comparing it with the tree walk.
static trace_t checked(tree_t *tree, vec3_t start, vec3_t end, uint64_t seed) {
    const segment_t whole = Segment_Whole(start, end);
    const trace_t walked = CM_TraceTree(as_hull(tree), &whole);
    const trace_t trace = CM_GroupTrace(tree->groups, as_hull(tree), &whole);
    if (!Test_SameTrace(&trace, &walked) ||
        CM_GroupContents(tree->groups, &whole.p1) != CM_TreeContents(as_hull(tree), &whole.p1)) {
        fail_msg("seed %llu: (%a %a %a) to (%a %a %a)", (unsigned long long)seed, (double)start.x,
                 (double)start.y, (double)start.z, (double)end.x, (double)end.y, (double)end.z);
    }
    return walked;
}

/// Returns the normal of a slanted plane, which stays slanted below axial planes.
static vec3_t far_normal(int32_t i) {
    return VectorNormalize(Vector(1.0f, 0.01f * (float)(i + 1), 0.0f), NULL);
}

/// Makes `above` planes far away, so that the next planes get the lanes after them. Then makes a
/// plane with water behind it. In front of it is the floor: z = `floor`, solid below.
static void make_beside(tree_t *tree, int32_t above, vec3_t normal, float dist, float floor) {
    tree->num_nodes = 0;
    for (int32_t i = 0; i < above; i++) {
        add_node(tree, far_normal(i), -15000.0f, i + 1, CONTENTS_LAVA);
    }
    add_node(tree, normal, dist, above + 1, CONTENTS_WATER);
    add_node(tree, Vector(0.0f, 0.0f, 1.0f), floor, CONTENTS_EMPTY, CONTENTS_SOLID);
    assert_true(lay(tree));
    assert_true(tree->groups->num_lanes == above + 2);
}

/// Returns a point on height `z` whose distance from a slanted plane is `apart`, as far as rounding
/// allows.
static vec3_t place_beside(vec3_t near, const plane_t *plane, float z, float apart) {
    vec3_t p = {near.x, near.y, z};
    // Move level: along the plane's normal without its z.
    const vec3_t level = {plane->normal.x, plane->normal.y, 0.0f};
    return VectorMA(p, (apart - PlaneDiff(p, plane)) / DotProduct(level, level), level);
}

/// Tests sweeps down to the floor along a slanted plane. Both ends are in front of the plane, so
/// the plane does not cut the sweep, but rounding puts the stop between them behind the plane. If
/// one end is clearly in front and the stop is near the other end, the plane still decides. So far
/// out, this happens in about one of thirty sweeps.
static void test_beside_slanted(void **state) {
    (void)state;
    int32_t behind[3] = {0};
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        rng_t rng = {seed};
        tree_t tree;
        const int32_t above = (int32_t)(seed % (MAX_CELL_LANES - 1));
        // End that is clear of the plane: none, start, end.
        const int32_t which = (int32_t)Rng_Below(&rng, 3);
        vec3_t normal = random_normal(&rng);
        normal.z *= 0.25f;
        normal = VectorNormalize(normal, NULL);
        const float floor = floorf(Rng_Range(&rng, -8000.0f, 8000.0f));
        const float x = Rng_Range(&rng, 4100.0f, 8000.0f);
        const vec3_t near = {x, Rng_Range(&rng, 4100.0f, 8000.0f), floor};
        make_beside(&tree, above, normal, DotProduct(normal, near), floor);
        const plane_t *plane = &tree.planes[above];
        const float clear = Rng_Range(&rng, 1.1f, 1.6f) * CM_GRAZING;
        const vec3_t start =
            place_beside(near, plane, floor + (which == 2 ? 0.033f : Rng_Range(&rng, 1.0f, 20.0f)),
                         which == 1 ? clear : 0.0f);
        const vec3_t end =
            place_beside(near, plane, floor - (which == 1 ? 0.01f : Rng_Range(&rng, 1.0f, 20.0f)),
                         which == 2 ? clear : 0.0f);
        const trace_t trace = checked(&tree, start, end, seed);
        const sweep_point_t p = {{start.x, start.y, start.z, 0.0f}};
        behind[which] += trace.contents == CONTENTS_WATER && trace.plane.normal.z == 1.0f &&
                         CM_TreeContents(as_hull(&tree), &p) == CONTENTS_EMPTY;
    }
    assert_true(behind[0] > 100);
    assert_true(behind[1] > 20);
    assert_true(behind[2] > 20);
}

/// Tests sweeps that end at a wall. Distances from an axial plane are exact, but the crossing with
/// the floor is rounded to a point behind the wall.
static void test_beside_axial(void **state) {
    (void)state;
    int32_t behind = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng_t rng = {seed};
        tree_t tree;
        const int32_t above = (int32_t)(seed % (MAX_CELL_LANES - 1));
        const float wall = Rng_Range(&rng, 0.0f, 0.25f);
        tree.num_nodes = 0;
        for (int32_t i = 0; i < above; i++) {
            add_node(&tree, far_normal(i), -15000.0f, i + 1, CONTENTS_LAVA);
        }
        add_node(&tree, Vector(0.0f, 0.0f, 1.0f), 0.0f, above + 1, CONTENTS_SOLID);
        add_node(&tree, Vector(0.0f, 1.0f, 0.0f), wall, CONTENTS_EMPTY, CONTENTS_SOLID);
        assert_true(lay(&tree));
        const vec3_t start = {0.0f, Rng_Range(&rng, 20.0f, 40.0f), 30.0f};
        const trace_t trace = checked(&tree, start, Vector(0.0f, wall, -1e-7f), seed);
        behind += trace.plane.normal.y == 1.0f;
    }
    assert_true(behind > 100);
}

/// Tests a slanted floor that one end or both are as near to as possible: the floor itself is cut,
/// so its side is clear.
static void test_across_slanted(void **state) {
    (void)state;
    static const float nearest[] = {0.0f, 1e-6f, 0.001f, 0.01f, 0.02f, 0.03f, 0.04f, 10.0f};
    int32_t hits = 0;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        rng_t rng = {seed};
        tree_t tree = {.num_nodes = 0};
        const float size = seed % 2 ? 8100.0f : 100.0f;
        const vec3_t near = random_offset(&rng, size);
        const vec3_t normal = random_normal(&rng);
        const float dist = DotProduct(normal, near);
        const bool back = Rng_Below(&rng, 2);
        add_node(&tree, Vector(0.0f, 1.0f, 0.0f), near.y - 60.0f, 1, CONTENTS_WATER);
        add_node(&tree, normal, dist, back ? CONTENTS_SOLID : 2, back ? 2 : CONTENTS_SOLID);
        // Both sides are equal, so this node needs no lane.
        add_node(&tree, random_normal(&rng), dist, CONTENTS_EMPTY, CONTENTS_EMPTY);
        assert_true(lay(&tree));
        assert_true(tree.groups->num_lanes == 2);
        const plane_t *plane = &tree.planes[1];
        const float sign = back ? -1.0f : 1.0f;
        vec3_t start = VectorAdd(near, random_offset(&rng, 30.0f));
        vec3_t end = VectorAdd(near, random_offset(&rng, 30.0f));
        start = VectorMA(start, sign * nearest[Rng_Below(&rng, 8)] - PlaneDiff(start, plane),
                         plane->normal);
        end = VectorMA(end, -sign * nearest[Rng_Below(&rng, 8)] - PlaneDiff(end, plane),
                       plane->normal);
        hits += checked(&tree, start, end, seed).fraction < 1.0f;
    }
    assert_true(hits > 1000);
    assert_true(hits < 6000);
}

/// Tests contents that do not fit in a byte: such a leaf or root gets no lanes.
static void test_contents(void **state) {
    (void)state;
    const vec3_t up = {0.0f, 0.0f, 1.0f};
    for (int32_t contents = INT8_MIN - 1; contents < 0; contents++) {
        tree_t tree = {.num_nodes = 0};
        const hull_tree_t all = {NULL, NULL, contents};
        const segment_t whole = Segment_Whole(up, up);
        assert_int_equal(lay_root(&tree, contents), contents >= INT8_MIN);
        if (contents >= INT8_MIN) {
            assert_int_equal(CM_GroupTrace(tree.groups, all, &whole).contents, contents);
            assert_int_equal(CM_GroupContents(tree.groups, &whole.p1), contents);
        }
        for (int32_t side = 0; side < 2; side++) {
            tree.num_nodes = 0;
            add_node(&tree, up, 0.0f, side ? CONTENTS_EMPTY : contents,
                     side ? contents : CONTENTS_EMPTY);
            assert_int_equal(lay(&tree), contents >= INT8_MIN);
        }
    }
}

// ---- random trees ----

static int32_t random_fill(rng_t *rng) {
    static const contents_t fills[4] = {CONTENTS_EMPTY, CONTENTS_SOLID, CONTENTS_EMPTY,
                                        CONTENTS_WATER};
    return (int32_t)fills[Rng_Below(rng, 4)];
}

/// Up to as many nodes as there are: the next one below either side of one that has room.
static void random_tree(tree_t *tree, rng_t *rng, vec3_t near) {
    const int32_t num_nodes = 1 + (int32_t)Rng_Below(rng, MAX_NODES);
    tree->num_nodes = 0;
    for (int32_t i = 0; i < num_nodes; i++) {
        vec3_t normal = random_normal(rng);
        switch (Rng_Below(rng, 5)) {
        case 0:
            normal = Vector(1.0f, 0.0f, 0.0f);
            break;
        case 1:
            normal = Vector(0.0f, 1.0f, 0.0f);
            break;
        case 2:
            normal = Vector(0.0f, 0.0f, 1.0f);
            break;
        default:
            break;
        }
        const float spread = Rng_Below(rng, 2) ? 20.0f : 0.02f; // some pass the same places
        const float dist = DotProduct(normal, VectorAdd(near, random_offset(rng, spread)));
        const int32_t front = random_fill(rng);
        add_node(tree, normal, dist, front, random_fill(rng));
        for (int32_t tries = 0; i > 0 && tries < 100; tries++) {
            clipnode_t *parent = &tree->nodes[Rng_Below(rng, (uint32_t)i)];
            int32_t *child = &parent->children[Rng_Below(rng, 2)];
            if (*child < 0) {
                *child = i;
                break;
            }
        }
    }
}

/// Often on one plane or on two, or 1/32 before them, or next to that.
static vec3_t random_place(const tree_t *tree, rng_t *rng, vec3_t near) {
    static const float apart[] = {0.0f, 0.0f, CM_DIST_EPSILON, -CM_DIST_EPSILON, CM_GRAZING, 1e-4f};
    vec3_t p = VectorAdd(near, random_offset(rng, Rng_Below(rng, 2) ? 24.0f : 0.1f));
    for (uint32_t i = Rng_Below(rng, 4); i > 0; i--) {
        const plane_t *plane = &tree->planes[Rng_Below(rng, (uint32_t)tree->num_nodes)];
        p = VectorMA(p, apart[Rng_Below(rng, 6)] - PlaneDiff(p, plane), plane->normal);
    }
    switch (Rng_Below(rng, 12)) {
    case 0:
        return Vector(nextafterf(p.x, 0.0f), nextafterf(p.y, 9e9f), nextafterf(p.z, -9e9f));
    case 1:
        return Vector(-0.0f, p.y, p.z);
    default:
        return p;
    }
}

static void test_random_trees(void **state) {
    (void)state;
    const uint64_t num_trees = Test_IsLong() ? 2000000 : 6000;
    int32_t laid = 0;
    int32_t hits = 0;
    for (uint64_t seed = 1; seed <= num_trees; seed++) {
        rng_t rng = {seed};
        tree_t tree;
        static const float far[4] = {0.0f, 30.0f, 1000.0f, 8100.0f};
        const vec3_t near = random_offset(&rng, far[Rng_Below(&rng, 4)]);
        random_tree(&tree, &rng, near);
        if (!lay(&tree)) {
            assert_true(tree.num_nodes > MAX_CELL_LANES);
            continue;
        }
        laid++;
        vec3_t start = random_place(&tree, &rng, near);
        for (int32_t i = 0; i < 20; i++) {
            const vec3_t end = i % 8 == 7 ? start : random_place(&tree, &rng, near);
            const trace_t trace = checked(&tree, start, end, seed);
            hits += trace.fraction < 1.0f && !trace.startsolid;
            start = i % 4 == 3 ? random_place(&tree, &rng, near) : trace.endpos;
        }
    }
    assert_true(laid > (int32_t)num_trees / 2);
    assert_true(hits > laid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside_slanted), cmocka_unit_test(test_beside_axial),
        cmocka_unit_test(test_across_slanted), cmocka_unit_test(test_contents),
        cmocka_unit_test(test_random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
