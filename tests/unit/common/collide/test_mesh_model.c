// Tests of a mesh as a model of a map: all queries of cmodel.h, unturned, turned and moved.

#include "collide/cmap.h"
#include "collide/mesh/mesh_build.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"

// Corners of a closed block of 64 x 32 x 16 around the origin; the triangles are counter-clockwise
// from outside.
static const vec3_t corners[8] = {{-32, -16, -8}, {32, -16, -8}, {32, 16, -8}, {-32, 16, -8},
                                  {-32, -16, 8},  {32, -16, 8},  {32, 16, 8},  {-32, 16, 8}};
static const int32_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                     {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                     {1, 2, 6}, {1, 6, 5}, {3, 0, 4}, {3, 4, 7}};

typedef struct {
    built_mesh_t built;
    cmodel_t model;
    cmap_t map;
} block_t;

static void build(block_t *block, uint32_t flags, contents_t contents) {
    const mesh_source_t source = {corners, faces, 8, 12, flags, (int32_t)contents};
    err_t err = {{0}};
    if (!Mesh_Build(&block->built, &source, &err)) {
        fail_msg("%s", err.text);
    }
    block->model = (cmodel_t){
        .kind = MODEL_MESH, .mesh = &block->built.mesh, .bounds = block->built.mesh.bounds};
    block->map = (cmap_t){.models = &block->model, .num_models = 1};
}

static void test_sweeps(void **state) {
    (void)state;
    static block_t block;
    build(&block, 0, CONTENTS_SOLID);
    const vec3_t half = {4.0f, 4.0f, 4.0f};
    cm_object_t place = {.origin = {100.0f, 0.0f, 0.0f}};
    trace_t trace = CM_BoxTrace(&block.map, &place, Vector(0.0f, 0.0f, 0.0f),
                                Vector(200.0f, 0.0f, 0.0f), VectorNegate(half), half);
    assert_true(fabsf(trace.endpos.x - (64.0f - CM_DIST_EPSILON)) < 0.001f);
    assert_true(trace.plane.normal.x == -1.0f);
    assert_false(trace.startsolid);
    place.angles.y = 90.0f; // now the block is 32 wide along x
    trace = CM_BoxTrace(&block.map, &place, Vector(0.0f, 0.0f, 0.0f), Vector(200.0f, 0.0f, 0.0f),
                        VectorNegate(half), half);
    assert_true(fabsf(trace.endpos.x - (80.0f - CM_DIST_EPSILON)) < 0.01f);
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    trace = CM_BoxTrace(&block.map, &place, Vector(100.0f, 0.0f, 50.0f),
                        Vector(100.0f, 0.0f, -50.0f), point, point);
    assert_true(fabsf(trace.endpos.z - 8.0f) < 0.1f);
    assert_true(trace.plane.normal.z > 0.999f);
    Mesh_Free(&block.built);
}

static void test_touching_and_contents(void **state) {
    (void)state;
    static block_t block;
    build(&block, MESH_VOLUME, CONTENTS_WATER);
    const vec3_t half = {1.0f, 1.0f, 1.0f};
    const cm_object_t place = {.origin = {0.0f, 0.0f, 100.0f}, .angles = {0.0f, 45.0f, 0.0f}};
    assert_true(CM_BoxTouches(&block.map, &place, Vector(0.0f, 0.0f, 100.0f), VectorNegate(half),
                              half)); // the box is inside of the block and touches no triangle
    assert_true(
        CM_BoxTouches(&block.map, &place, Vector(20.0f, 20.0f, 100.0f), VectorNegate(half), half));
    assert_false(
        CM_BoxTouches(&block.map, &place, Vector(20.0f, -20.0f, 100.0f), VectorNegate(half), half));
    assert_int_equal(CM_Contents(&block.map, &place, Vector(20.0f, 20.0f, 104.0f)), CONTENTS_WATER);
    assert_int_equal(CM_Contents(&block.map, &place, Vector(20.0f, -20.0f, 104.0f)),
                     CONTENTS_EMPTY);
    Mesh_Free(&block.built);
}

static void test_overlap(void **state) {
    (void)state;
    static block_t block;
    build(&block, 0, CONTENTS_SOLID);
    const cm_object_t place = {.origin = {0.0f, 0.0f, 0.0f}};
    cm_contact_t contacts[MAX_CONTACTS];
    const bounds_t stands_in_top = {{-4.0f, -4.0f, 7.0f}, {4.0f, 4.0f, 20.0f}};
    int32_t count = CM_Overlap(&block.map, &place, stands_in_top, contacts, MAX_CONTACTS);
    assert_true(count > 0);
    assert_true(contacts[0].normal.z == 1.0f);
    assert_true(fabsf(contacts[0].depth - 1.0f) < 1e-5f);
    const bounds_t above = {{-4.0f, -4.0f, 8.5f}, {4.0f, 4.0f, 20.0f}};
    assert_int_equal(CM_Overlap(&block.map, &place, above, contacts, MAX_CONTACTS), 0);
    Mesh_Free(&block.built);
}

// Tests a model of several meshes: each has its own contents, and queries reach all of them.
static void test_parts(void **state) {
    (void)state;
    static block_t parts[3];
    static const contents_t contents[3] = {CONTENTS_CLIP, CONTENTS_WATER, CONTENTS_SOLID};
    mesh_t meshes[3];
    for (int i = 0; i < 3; i++) {
        build(&parts[i], MESH_VOLUME, contents[i]);
        meshes[i] = parts[i].built.mesh;
    }
    const vec3_t half = {2.0f, 2.0f, 2.0f};
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    const vec3_t above = {0.0f, 0.0f, 20.0f};
    const bounds_t box = {{-2.0f, -2.0f, 6.0f}, {2.0f, 2.0f, 10.0f}};
    const cm_object_t place = {.model = 0};
    for (int num = 1; num <= 3; num++) {
        cmodel_t model = {.kind = MODEL_MESH,
                          .mesh = meshes,
                          .num_more_meshes = num - 1,
                          .bounds = meshes[0].bounds};
        const cmap_t map = {.models = &model, .num_models = 1};
        assert_int_equal(CM_Contents(&map, &place, point), num == 1   ? CONTENTS_EMPTY
                                                           : num == 2 ? CONTENTS_WATER
                                                                      : CONTENTS_SOLID);
        // A sweep of a point ends in the water, or on top of solid.
        trace_t trace = CM_BoxTrace(&map, &place, above, point, point, point);
        assert_true((trace.fraction < 1.0f) == (num == 3));
        assert_int_equal(trace.contents, num == 2 ? CONTENTS_WATER : CONTENTS_EMPTY);
        cm_contact_t contacts[MAX_CONTACTS];
        int32_t count = CM_Overlap(&map, &place, box, contacts, MAX_CONTACTS);
        assert_int_equal(count, num == 3 ? 4 : 2); // the two triangles on top of each solid mesh
        assert_true(CM_BoxTrace(&map, &place, above, point, VectorNegate(half), half).fraction <
                    1.0f);
        // A trace of a box does not report the contents at its end.
        model.mesh = &meshes[1];
        model.num_more_meshes = 0;
        trace = CM_BoxTrace(&map, &place, above, point, VectorNegate(half), half);
        assert_true(trace.fraction == 1.0f);
        assert_true(trace.contents == CONTENTS_EMPTY);
    }
    for (int i = 0; i < 3; i++) {
        Mesh_Free(&parts[i].built);
    }
}

/// Splits hills into two parts, with every other triangle in the second part.
static void split_hills(uint64_t seed, built_mesh_t built[2], rng_t *rng) {
    test_mesh_t hills = {0};
    rng->state = seed;
    TestMesh_Hills(&hills, rng, 6, 48.0f);
    for (int32_t part = 0; part < 2; part++) {
        test_mesh_t half = {0};
        for (int32_t i = part; i < hills.num_triangles; i += 2) {
            const int32_t *t = hills.indices[i];
            TestMesh_Add(&half, hills.vertices[t[0]], hills.vertices[t[1]], hills.vertices[t[2]]);
        }
        built[part] = TestMesh_Build(&half, 0, part == 0 ? CONTENTS_SOLID : CONTENTS_CLIP);
        TestMesh_Free(&half);
    }
    TestMesh_Free(&hills);
}

// Half the size of a box that walks among the hills. Hills of an even seed are turned.
static const vec3_t walker = {4.0f, 4.0f, 8.0f};

static cm_object_t hills_at(uint64_t seed) {
    return (cm_object_t){.model = 0,
                         .origin = {12000.0f, -9000.0f, 500.0f},
                         .angles = {0.0f, seed % 2 == 0 ? 30.0f : 0.0f, 0.0f}};
}

// Tests seeds that the long run below found: one part stopped the box, and rounding put it into the
// other part.
static void test_found_ends(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        vec3_t start, end;
    } cases[] = {{2,
                  {0x1.765bfap+13f, -0x1.174372p+13f, 0x1.0b6b84p+9f},
                  {0x1.76bc8cp+13f, -0x1.16e1f8p+13f, 0x1.08cd28p+9f}},
                 {4,
                  {0x1.75a014p+13f, -0x1.16ca88p+13f, 0x1.08aaf8p+9f},
                  {0x1.75e31cp+13f, -0x1.1679fap+13f, 0x1.05ef64p+9f}}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        built_mesh_t built[2];
        rng_t rng;
        split_hills(cases[i].seed, built, &rng);
        const mesh_t meshes[2] = {built[0].mesh, built[1].mesh};
        cmodel_t model = {.kind = MODEL_MESH, .mesh = meshes, .num_more_meshes = 1};
        const cmap_t map = {.models = &model, .num_models = 1};
        const cm_object_t place = hills_at(cases[i].seed);
        const vec3_t mins = VectorNegate(walker);
        trace_t trace = CM_BoxTrace(&map, &place, cases[i].start, cases[i].end, mins, walker);
        assert_true(trace.fraction > 0.0f);
        assert_true(trace.fraction < 1.0f);
        assert_false(trace.startsolid);
        trace = CM_BoxTrace(&map, &place, trace.endpos, trace.endpos, mins, walker);
        assert_false(trace.startsolid);
        Mesh_Free(&built[0]);
        Mesh_Free(&built[1]);
    }
}

// Tests that a trace never ends in solid, whichever part stopped it. Boxes slide over hills, across
// edges where the parts meet.
static void test_ends_are_free_of_all_parts(void **state) {
    (void)state;
    const int32_t steps = Test_IsLong() ? 2000000 : Test_IsSlow() ? 20000 : 100000;
    int32_t hits = 0;
    int32_t stuck = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        built_mesh_t built[2];
        rng_t rng;
        split_hills(seed, built, &rng);
        const mesh_t meshes[2] = {built[0].mesh, built[1].mesh};
        cmodel_t model = {.kind = MODEL_MESH, .mesh = meshes, .num_more_meshes = 1};
        const cmap_t map = {.models = &model, .num_models = 1};
        const cm_object_t place = hills_at(seed);
        const vec3_t top = {12000.0f, -9000.0f, 600.0f};
        vec3_t at = top;
        vec3_t normal = {0.0f, 0.0f, 1.0f};
        for (int32_t i = 0; i < steps / 10; i++) {
            vec3_t way = {Rng_Range(&rng, -12.0f, 12.0f), Rng_Range(&rng, -12.0f, 12.0f),
                          Rng_Range(&rng, -12.0f, 4.0f)};
            if (Rng_Below(&rng, 4) != 0) { // slide along the last plane that was hit
                way = VectorMA(way, -DotProduct(way, normal), normal);
            }
            trace_t trace =
                CM_BoxTrace(&map, &place, at, VectorAdd(at, way), VectorNegate(walker), walker);
            stuck += trace.startsolid;
            hits += trace.fraction < 1.0f;
            normal = trace.fraction < 1.0f ? trace.plane.normal : normal;
            bool gone = !VectorWithin(VectorSubtract(trace.endpos, top), 200.0f);
            at = trace.startsolid || gone ? top : trace.endpos;
        }
        Mesh_Free(&built[0]);
        Mesh_Free(&built[1]);
    }
    print_message("%d sweeps, %d hits, %d started in what the last one ended in\n", steps, hits,
                  stuck);
    assert_true(hits > steps / 4);
    assert_int_equal(stuck, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),     cmocka_unit_test(test_touching_and_contents),
        cmocka_unit_test(test_overlap),    cmocka_unit_test(test_parts),
        cmocka_unit_test(test_found_ends), cmocka_unit_test(test_ends_are_free_of_all_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
