// Tests of meshes made of bad triangles, and of mesh arrays modified after the build.

#include "collide/mesh/mesh_layout.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"
#include "state/contents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const cm_pose_t unturned = {.origin = {0.0f, 0.0f, 0.0f}};

static mesh_source_t source_of(const test_mesh_t *mesh) {
    return (mesh_source_t){.vertices = mesh->vertices,
                           .indices = (const int32_t(*)[3])mesh->indices,
                           .num_vertices = mesh->num_vertices,
                           .num_triangles = mesh->num_triangles,
                           .contents = CONTENTS_SOLID};
}

/// Expects that the build fails, with an error that contains the text.
static void expect_refused(const mesh_source_t *source, const char *text) {
    built_mesh_t built;
    err_t err;
    assert_false(Mesh_Build(&built, source, &err));
    assert_null(built.arena.base);
    if (!strstr(err.text, text)) {
        fail_msg("\"%s\" has no \"%s\"", err.text, text);
    }
}

static void test_refused(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    TestMesh_Box(&mesh, (bounds_t){{0.0f, 0.0f, 0.0f}, {8.0f, 8.0f, 8.0f}});
    mesh_source_t source = source_of(&mesh);
    float x = mesh.vertices[3].x;
    mesh.vertices[3].x = NAN;
    expect_refused(&source, "vertex 3");
    mesh.vertices[3].x = INFINITY;
    expect_refused(&source, "vertex 3");
    mesh.vertices[3].x = 65537.0f;
    expect_refused(&source, "vertex 3");
    mesh.vertices[3].x = x;
    mesh.indices[5][1] = 8;
    expect_refused(&source, "triangle 5: expected vertices 0..7, found 8");
    mesh.indices[5][1] = -1;
    expect_refused(&source, "triangle 5: expected vertices 0..7, found -1");
    mesh.indices[5][1] = 0;
    source.num_triangles = 0;
    expect_refused(&source, "expected 1..4194304 triangles, found 0");
    source.num_triangles = MAX_MESH_TRIANGLES + 1;
    expect_refused(&source, "found 4194305");
    TestMesh_Free(&mesh);
}

/// Tests triangles without area: they are left out; the others keep their order.
static void test_no_area(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    vec3_t a = {0.0f, 0.0f, 0.0f};
    vec3_t b = {64.0f, 0.0f, 0.0f};
    vec3_t c = {0.0f, 64.0f, 0.0f};
    TestMesh_Add(&mesh, a, b, VectorScale(b, 0.5f)); // three points on a line
    TestMesh_Add(&mesh, a, a, c);
    mesh_source_t source = source_of(&mesh);
    expect_refused(&source, "none of the 2 triangles has an area");
    TestMesh_Add(&mesh, a, b, c);
    TestMesh_Add(&mesh, b, b, b);
    TestMesh_Add(&mesh, a, c, Vector(-64.0f, 0.0f, 0.0f));
    source = source_of(&mesh);
    built_mesh_t built;
    err_t err;
    assert_true(Mesh_Build(&built, &source, &err));
    assert_int_equal(built.num_dropped, 3);
    assert_int_equal(built.mesh.num_triangles, 2);
    assert_memory_equal(built.mesh.indices[0], mesh.indices[2], sizeof mesh.indices[2]);
    assert_memory_equal(built.mesh.indices[1], mesh.indices[4], sizeof mesh.indices[4]);
    assert_true(Mesh_Check(&built.mesh, &err));
    Mesh_Free(&built);
    TestMesh_Free(&mesh);
}

/// Tests many triangles at one point or nearly: the depth, memory and build time of the tree must
/// stay within limits.
static void test_one_place(void **state) {
    (void)state;
    // Small meshes get better trees than large ones.
    const int32_t counts[2] = {20000, Test_IsLong() ? 1000000 : 100000};
    for (int32_t i = 0; i < 6; i++) {
        int32_t kind = i / 2;
        int32_t count = counts[i % 2];
        test_mesh_t mesh = {0};
        rng_t rng = {31};
        for (int32_t n = 0; n < count; n++) {
            // Kinds: equal triangles; almost equal ones; each half as large as the one before, down
            // to nothing.
            float size = kind == 2 ? 1000.0f * powf(0.5f, (float)(n % 60)) : 8.0f;
            float off = kind == 1 ? Rng_Range(&rng, 0.0f, 1e-4f) : 0.0f;
            TestMesh_Add(&mesh, Vector(off, 0.0f, 0.0f), Vector(size, off, 0.0f),
                         Vector(0.0f, size, off));
        }
        mesh_source_t source = source_of(&mesh);
        built_mesh_t built;
        err_t err;
        clock_t start = clock();
        assert_true(Mesh_Build(&built, &source, &err));
        double s = (double)(clock() - start) / CLOCKS_PER_SEC;
        // Expected: 0.1 s for a million, without Mesh_Check; the limit allows for sanitizers.
        assert_true(s < 10.0);
        if (!Mesh_Check(&built.mesh, &err)) { // includes a check of the depth
            fail_msg("%s", err.text);
        }
        assert_true(built.mesh.num_blocks <= count / 2);
        assert_true(built.arena.size / (size_t)count < 260);
        mesh_hit_t hit = CM_MeshSweep(&built.mesh, &unturned, Vector(1.0f, 1.0f, 10.0f),
                                      Vector(1.0f, 1.0f, -10.0f), Vector(-0.5f, -0.5f, -0.5f),
                                      Vector(0.5f, 0.5f, 0.5f));
        assert_true(fabsf(hit.fraction - 0.475f) < 1e-3f);
        Mesh_Free(&built);
        TestMesh_Free(&mesh);
    }
}

/// Returns the seconds to build a small mesh with a share of its triangles in one spot and the rest
/// anywhere.
static double seconds_of_pile(float share) {
    enum { COUNT = 32768 };
    test_mesh_t mesh = {0};
    rng_t rng = {32};
    for (int32_t n = 0; n < COUNT; n++) {
        vec3_t corners[3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.1f}};
        for (int32_t i = 0; i < 3 && (float)n >= share * (float)COUNT; i++) {
            corners[i] = Vector(Rng_Range(&rng, 0.0f, 3000.0f), Rng_Range(&rng, 0.0f, 3000.0f),
                                Rng_Range(&rng, 0.0f, 3000.0f));
        }
        TestMesh_Add(&mesh, corners[0], corners[1], corners[2]);
    }
    mesh_source_t source = source_of(&mesh);
    built_mesh_t built;
    err_t err;
    clock_t start = clock();
    assert_true(Mesh_Build(&built, &source, &err));
    double s = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(Mesh_Check(&built.mesh, &err));
    Mesh_Free(&built);
    TestMesh_Free(&mesh);
    return s;
}

/// Tests triangles piled in one spot: they sink below the rest of the tree, so the build takes
/// about as long as without the pile.
static void test_pile(void **state) {
    (void)state;
    // Before the fix, 40 times as long.
    assert_true(seconds_of_pile(0.9375f) < 5.0 * seconds_of_pile(0.0f));
}

// ---- insides ----

/// Adds a ball of triangles around (0, 0, 0). Many of its corners are exactly above each other, on
/// the lines along which the engine tells inside from outside.
static void add_ball(test_mesh_t *mesh, float radius) {
    enum { RINGS = 8, SIDES = 12 };
    for (int32_t i = 0; i <= RINGS; i++) {
        for (int32_t j = 0; j < SIDES; j++) {
            float up = 3.14159265f * (float)i / RINGS;
            float around = 2.0f * 3.14159265f * (float)j / SIDES;
            float level = i == 0 || i == RINGS ? 0.0f : sinf(up);
            TestMesh_Vertex(mesh, Vector(radius * level * cosf(around),
                                         radius * level * sinf(around), radius * cosf(up)));
        }
    }
    for (int32_t i = 0; i < RINGS; i++) {
        for (int32_t j = 0; j < SIDES; j++) {
            int32_t a = i * SIDES + j;
            int32_t b = i * SIDES + (j + 1) % SIDES;
            TestMesh_Triangle(mesh, a, a + SIDES, b);
            TestMesh_Triangle(mesh, b, a + SIDES, b + SIDES);
        }
    }
}

static void test_inside(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    rng_t rng = {37};
    add_ball(&mesh, 100.0f);
    built_mesh_t built = TestMesh_Build(&mesh, MESH_VOLUME, CONTENTS_WATER);
    built_mesh_t open = TestMesh_Build(&mesh, 0, CONTENTS_WATER);
    int inside = 0;
    int outside = 0;
    for (int i = 0; i < 40000; i++) {
        vec3_t p = mesh.vertices[Rng_Below(&rng, (uint32_t)mesh.num_vertices)];
        if (i % 2) { // otherwise: straight below or above a corner
            p.x = Rng_Range(&rng, -120.0f, 120.0f);
            p.y = Rng_Below(&rng, 4) ? Rng_Range(&rng, -120.0f, 120.0f) : p.y;
        }
        p.z = Rng_Range(&rng, -120.0f, 120.0f);
        float distance = VectorLength(p);
        contents_t contents = CM_MeshContents(&built.mesh, &unturned, p);
        assert_int_equal(CM_MeshContents(&open.mesh, &unturned, p), CONTENTS_EMPTY);
        if (distance < 88.0f) { // inside of all flat faces
            assert_int_equal(contents, CONTENTS_WATER);
            assert_true(CM_MeshTouches(&built.mesh, &unturned, p, Vector(-1.0f, -1.0f, -1.0f),
                                       Vector(1.0f, 1.0f, 1.0f)));
            inside++;
        } else if (distance > 100.1f) {
            assert_int_equal(contents, CONTENTS_EMPTY);
            outside++;
        }
    }
    assert_true(inside > 5000);
    assert_true(outside > 5000);
    Mesh_Free(&built);
    Mesh_Free(&open);
    TestMesh_Free(&mesh);
}

/// Tests a trace that starts inside of a solid volume: it starts solid, and may leave the volume.
static void test_solid_volume(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    TestMesh_Box(&mesh, (bounds_t){{-50.0f, -50.0f, -50.0f}, {50.0f, 50.0f, 50.0f}});
    TestMesh_Box(&mesh, (bounds_t){{150.0f, -50.0f, -50.0f}, {160.0f, 50.0f, 50.0f}});
    built_mesh_t built = TestMesh_Build(&mesh, MESH_VOLUME, CONTENTS_SOLID);
    const vec3_t sizes[] = {{8.0f, 8.0f, 8.0f}, {0.0f, 0.0f, 0.0f}};
    for (size_t i = 0; i < COUNTOF(sizes); i++) {
        vec3_t mins = VectorNegate(sizes[i]);
        trace_t stays = CM_MeshTrace(&built.mesh, &unturned, Vector(0.0f, 1.0f, 2.0f),
                                     Vector(20.0f, 1.0f, 2.0f), mins, sizes[i]);
        assert_true(stays.startsolid);
        assert_true(stays.allsolid);
        assert_true(stays.fraction == 0.0f);
        trace_t leaves = CM_MeshTrace(&built.mesh, &unturned, Vector(0.0f, 1.0f, 2.0f),
                                      Vector(100.0f, 1.0f, 2.0f), mins, sizes[i]);
        assert_true(leaves.startsolid);
        assert_false(leaves.allsolid);
        assert_true(leaves.fraction == 1.0f);
        trace_t hits = CM_MeshTrace(&built.mesh, &unturned, Vector(0.0f, 1.0f, 2.0f),
                                    Vector(200.0f, 1.0f, 2.0f), mins, sizes[i]);
        assert_true(hits.startsolid);
        assert_false(hits.allsolid);
        assert_true(fabsf(hits.endpos.x - (150.0f - sizes[i].x - CM_DIST_EPSILON)) < 1e-3f);
        assert_true(hits.plane.normal.x == -1.0f);
    }
    Mesh_Free(&built);
    TestMesh_Free(&mesh);
}

/// Tests one-sided triangles: they stop only sweeps that come from their front.
static void test_one_sided(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    TestMesh_Add(&mesh, Vector(-99.0f, -99.0f, 0.0f), Vector(99.0f, -99.0f, 0.0f),
                 Vector(0.0f, 99.0f, 0.0f));
    const vec3_t sizes[] = {{8.0f, 8.0f, 8.0f}, {0.0f, 0.0f, 0.0f}};
    for (uint32_t flags = 0; flags <= MESH_ONE_SIDED; flags++) {
        built_mesh_t built = TestMesh_Build(&mesh, flags, CONTENTS_SOLID);
        for (size_t i = 0; i < COUNTOF(sizes); i++) {
            vec3_t mins = VectorNegate(sizes[i]);
            vec3_t over = {0.0f, 0.0f, 40.0f};
            vec3_t under = {0.0f, 0.0f, -40.0f};
            trace_t down = CM_MeshTrace(&built.mesh, &unturned, over, under, mins, sizes[i]);
            trace_t up = CM_MeshTrace(&built.mesh, &unturned, under, over, mins, sizes[i]);
            assert_true(down.fraction < 1.0f);
            assert_true(down.plane.normal.z == 1.0f);
            assert_true(down.plane.type == PLANE_Z);
            assert_int_equal(up.fraction < 1.0f, flags == 0);
        }
        Mesh_Free(&built);
    }
    TestMesh_Free(&mesh);
}

// ---- arrays out of a file ----

/// Stores a mesh whose arrays may be written.
typedef struct {
    mesh_t mesh;
    uint8_t *bytes[4];
    size_t sizes[4];
} copy_t;

static void copy_mesh(copy_t *copy, const mesh_t *mesh) {
    const void *from[4] = {mesh->vertices, mesh->indices, mesh->nodes, mesh->blocks};
    const size_t sizes[4] = {(size_t)mesh->num_vertices * sizeof *mesh->vertices,
                             (size_t)mesh->num_triangles * sizeof *mesh->indices,
                             (size_t)mesh->num_nodes * sizeof *mesh->nodes,
                             (size_t)mesh->num_blocks * sizeof *mesh->blocks};
    copy->mesh = *mesh;
    for (int i = 0; i < 4; i++) {
        copy->sizes[i] = sizes[i];
        copy->bytes[i] = realloc(copy->bytes[i], sizes[i]);
        assert_non_null(copy->bytes[i]);
        memcpy(copy->bytes[i], from[i], sizes[i]);
    }
    copy->mesh.vertices = (const vec3_t *)(const void *)copy->bytes[0];
    copy->mesh.indices = (const int32_t(*)[3])(void *)copy->bytes[1];
    copy->mesh.nodes = (const mesh_node_t *)(const void *)copy->bytes[2];
    copy->mesh.blocks = (const mesh_block_t *)(const void *)copy->bytes[3];
}

static void change(copy_t *copy, rng_t *rng) {
    static const uint32_t values[] = {0,          1,          2,          0xffffffff, 0x80000000,
                                      0x7fffffff, 0x7f800000, 0x7fc00000, 0xff800000};
    uint32_t array = Rng_Below(rng, 4);
    uint32_t words = (uint32_t)(copy->sizes[array] / 4);
    uint8_t *at = copy->bytes[array] + (size_t)Rng_Below(rng, words) * 4;
    uint32_t value = 0;
    memcpy(&value, at, sizeof value);
    uint32_t kind = Rng_Below(rng, 3);
    value = kind == 0   ? value ^ (1u << Rng_Below(rng, 32))
            : kind == 1 ? values[Rng_Below(rng, COUNTOF(values))]
                        : value + Rng_Below(rng, 5) - 2;
    memcpy(at, &value, sizeof value);
}

/// Tests meshes with random changes: either Mesh_Check refuses the mesh with a reason, or queries
/// read nothing outside of it, which the sanitizers check.
static void test_changed(void **state) {
    (void)state;
    rng_t rng = {41};
    test_mesh_t source = {0};
    TestMesh_Random(&source, &rng, 300, 150.0f, 60.0f);
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    copy_t copy = {0};
    int refused = 0;
    int taken = 0;
    for (int i = 0; i < (Test_IsLong() ? 200000 : 4000); i++) {
        err_t err = {.text = ""};
        copy_mesh(&copy, &built.mesh);
        for (uint32_t j = 0; j <= Rng_Below(&rng, 3); j++) {
            change(&copy, &rng);
        }
        if (!Mesh_Check(&copy.mesh, &err)) {
            assert_true(strlen(err.text) > 10);
            refused++;
            continue;
        }
        taken++;
        cm_contact_t contacts[8];
        vec3_t box = {10.0f, 10.0f, 10.0f};
        vec3_t start = {Rng_Range(&rng, -150.0f, 150.0f), 0.0f, 99.0f};
        CM_MeshTrace(&copy.mesh, &unturned, start, VectorNegate(start), VectorNegate(box), box);
        CM_MeshOverlap(&copy.mesh, &unturned, (bounds_t){VectorNegate(box), box}, contacts, 8);
    }
    print_message("changed arrays: %d refused, %d as good as before\n", refused, taken);
    assert_true(refused > taken);
    for (int i = 0; i < 4; i++) {
        free(copy.bytes[i]);
    }
    Mesh_Free(&built);
    TestMesh_Free(&source);
}

static void expect_unsound(const mesh_t *mesh, const char *text) {
    err_t err = {.text = ""};
    assert_false(Mesh_Check(mesh, &err));
    if (!strstr(err.text, text)) {
        fail_msg("\"%s\" has no \"%s\"", err.text, text);
    }
}

static void test_unsound(void **state) {
    (void)state;
    rng_t rng = {43};
    test_mesh_t source = {0};
    copy_t copy = {0};
    TestMesh_Random(&source, &rng, 600, 150.0f, 60.0f);
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    const mesh_t *mesh = &built.mesh;
    assert_true(mesh->num_nodes > 4);
    assert_true(mesh->nodes[0].children[0] > 0);

    copy_mesh(&copy, mesh);
    mesh_node_t *nodes = (mesh_node_t *)(void *)copy.bytes[2];
    nodes[mesh->nodes[0].children[0]].children[0] = 0; // loop
    expect_unsound(&copy.mesh, "expected children");
    copy_mesh(&copy, mesh);
    nodes = (mesh_node_t *)(void *)copy.bytes[2];
    nodes[0].children[1] = nodes[0].children[0]; // node with two parents
    expect_unsound(&copy.mesh, "mesh: ");
    copy_mesh(&copy, mesh);
    nodes = (mesh_node_t *)(void *)copy.bytes[2];
    nodes[0].bounds[3][0] = NAN;
    expect_unsound(&copy.mesh, "is not within");
    copy_mesh(&copy, mesh);
    nodes = (mesh_node_t *)(void *)copy.bytes[2];
    nodes[0].bounds[3][0] -= 1.0f;
    expect_unsound(&copy.mesh, "exceeds the node's box");
    copy_mesh(&copy, mesh);
    nodes = (mesh_node_t *)(void *)copy.bytes[2];
    int32_t last = mesh->num_nodes - 1;
    assert_true(nodes[last].children[0] < 0); // the last node is a leaf with a block
    nodes[last].bounds[3][0] -= 1.0f;
    expect_unsound(&copy.mesh, "outside of the node's box");
    copy_mesh(&copy, mesh);
    mesh_block_t *blocks = (mesh_block_t *)(void *)copy.bytes[3];
    blocks[2].triangles[0] = mesh->num_triangles;
    expect_unsound(&copy.mesh, "block 2: expected triangle");
    copy_mesh(&copy, mesh);
    copy.mesh.num_blocks--;
    expect_unsound(&copy.mesh, "expected blocks");
    copy_mesh(&copy, mesh);
    copy.mesh.num_triangles = 0;
    expect_unsound(&copy.mesh, "found 0");
    for (int i = 0; i < 4; i++) {
        free(copy.bytes[i]);
    }
    Mesh_Free(&built);
    TestMesh_Free(&source);
}

/// Tests trees of a file that are a chain: as deep as the walks allow, one level deeper, and with a
/// node that has no parent.
static void test_deep(void **state) {
    (void)state;
    enum { MOST = MESH_MAX_DEPTH + 2 };
    static mesh_node_t nodes[MOST];
    static mesh_block_t blocks[MOST];
    static int32_t indices[MOST][3];
    static const vec3_t vertices[3] = {{0.0f, 0.0f, 0.0f}, {8.0f, 0.0f, 0.0f}, {0.0f, 8.0f, 0.0f}};
    const bounds_t box = {{0.0f, 0.0f, 0.0f}, {8.0f, 8.0f, 0.0f}};
    for (int32_t num = MESH_MAX_DEPTH - 1; num <= MOST; num++) {
        for (int32_t i = 0; i < num; i++) {
            memcpy(indices[i], (int32_t[3]){0, 1, 2}, sizeof indices[i]);
            for (int32_t lane = 0; lane < MESH_WIDTH; lane++) {
                bool used = lane < 2 && (lane == 0 || i + 1 < num);
                float lo = used ? 0.0f : MESH_EMPTY_LANE;
                float hi = used ? 8.0f : -MESH_EMPTY_LANE;
                for (int32_t axis = 0; axis < 3; axis++) {
                    nodes[i].bounds[axis][lane] = lo;
                    nodes[i].bounds[3 + axis][lane] = axis == 2 && used ? 0.0f : hi;
                    for (int32_t corner = 0; corner < 3; corner++) {
                        blocks[i].corners[corner][axis][lane] = VectorAxis(vertices[corner], axis);
                    }
                    blocks[i].normals[axis][lane] = axis == 2 ? 64.0f : 0.0f;
                }
                nodes[i].children[lane] = !used ? MESH_NO_CHILD : lane == 0 ? -1 - i : i + 1;
                blocks[i].triangles[lane] = lane == 0 ? i : -1;
            }
        }
        mesh_t mesh = {.bounds = box,
                       .contents = CONTENTS_SOLID,
                       .num_vertices = 3,
                       .num_triangles = num,
                       .num_nodes = num,
                       .num_blocks = num,
                       .vertices = vertices,
                       .indices = (const int32_t(*)[3])indices,
                       .nodes = nodes,
                       .blocks = blocks};
        if (num > MESH_MAX_DEPTH) {
            expect_unsound(&mesh, "at most 48 levels");
            continue;
        }
        err_t err = {.text = ""};
        assert_true(Mesh_Check(&mesh, &err));
        vec3_t half = {1.0f, 1.0f, 1.0f};
        trace_t trace = CM_MeshTrace(&mesh, &unturned, Vector(2.0f, 2.0f, 9.0f),
                                     Vector(2.0f, 2.0f, -9.0f), VectorNegate(half), half);
        assert_true(trace.fraction < 1.0f);
        assert_true(trace.plane.normal.z == 1.0f);
        char text[64];
        nodes[num - 2].children[1] = -num; // the block itself, so the last node has no parent
        snprintf(text, sizeof text, "found %d of %d nodes, %d of %d", num - 1, num, num, num);
        expect_unsound(&mesh, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_no_area),
        cmocka_unit_test(test_one_place), cmocka_unit_test(test_pile),
        cmocka_unit_test(test_inside),    cmocka_unit_test(test_solid_volume),
        cmocka_unit_test(test_one_sided), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_deep),      cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
