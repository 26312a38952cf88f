// Tests of mesh queries against the golden file: the bits must be the same with four lanes and with
// eight, on every compiler, and for any order of the triangles. The approximate arithmetic of the
// tree walk must miss no box.

#include "collide/mesh/mesh_walk.h"
#include "lib/mesh_fixture.h"
#include "lib/mesh_runs_fixture.h"
#include "lib/testing.h"

static void test_four_lanes(void **state) {
    (void)state;
    test_golden_t golden = {0};
    assert_true(TestMeshRuns_Print(&golden, &CM_MeshOps4));
    assert_true(TestGolden_Check(&golden, "mesh.txt"));
}

static void test_eight_lanes(void **state) {
    (void)state;
#ifdef __x86_64__
    if (CM_MeshOps() == &CM_MeshOps8) {
        test_golden_t golden = {0};
        assert_true(TestMeshRuns_Print(&golden, &CM_MeshOps8));
        assert_true(TestGolden_Check(&golden, "mesh.txt"));
        return;
    }
#endif
    skip();
}

static vec3_t random_vector(rng_t *rng, float extent) {
    float x = Rng_Range(rng, -extent, extent);
    float y = Rng_Range(rng, -extent, extent);
    return Vector(x, y, Rng_Range(rng, -extent, extent));
}

/// Tests the same triangles in another order: the tree differs, the fractions do not.
static void test_order(void **state) {
    (void)state;
    rng_t rng = {29};
    for (int i = 0; i < 6; i++) {
        test_mesh_t source = {0};
        test_mesh_t other = {0};
        TestMesh_Random(&source, &rng, 200, 150.0f, 90.0f);
        for (int32_t j = 0; j < source.num_vertices; j++) {
            TestMesh_Vertex(&other, source.vertices[j]);
        }
        for (int32_t j = source.num_triangles; j > 0; j--) {
            const int32_t *t = source.indices[j - 1];
            TestMesh_Triangle(&other, t[0], t[1], t[2]);
        }
        built_mesh_t a = TestMesh_Build(&source, 0, CONTENTS_SOLID);
        built_mesh_t b = TestMesh_Build(&other, 0, CONTENTS_SOLID);
        int hits = 0;
        for (int j = 0; j < 4000; j++) {
            cm_object_t place = {.angles = j % 2 ? random_vector(&rng, 180.0f)
                                                 : Vector(0.0f, 0.0f, 0.0f)};
            cm_pose_t pose = CM_MakePose(&place);
            vec3_t start = random_vector(&rng, 250.0f);
            vec3_t end = random_vector(&rng, 250.0f);
            float size = Rng_Below(&rng, 3) ? Rng_Range(&rng, 0.0f, 20.0f) : 0.0f;
            vec3_t half = Vector(size, size * 0.5f, size * 1.5f);
            mesh_hit_t x = CM_MeshSweep(&a.mesh, &pose, start, end, VectorNegate(half), half);
            mesh_hit_t y = CM_MeshSweep(&b.mesh, &pose, start, end, VectorNegate(half), half);
            assert_memory_equal(&x.fraction, &y.fraction, sizeof x.fraction);
            assert_int_equal(x.startsolid, y.startsolid);
            assert_int_equal(x.triangle < 0, y.triangle < 0);
            hits += x.triangle >= 0;
        }
        assert_true(hits > 500);
        Mesh_Free(&a);
        Mesh_Free(&b);
        TestMesh_Free(&source);
        TestMesh_Free(&other);
    }
}

static float multiply_subtract(float a, float b, float c) {
    return Lanes_MultiplySubtract(Lanes_All(a), Lanes_All(b), Lanes_All(c))[0];
}

/// Expects that with the walk's approximate arithmetic, with one rounding or two, a sweep enters a
/// box no later than its exact enter time, and leaves it no earlier than its exact leave time.
static void expect_no_later(const walk_t *walk, int32_t axis, float x) {
    const float inverse = walk->inverse[axis];
    const float enter = (x - walk->low[axis]) * inverse;
    const float leave = (x - walk->high[axis]) * inverse;
    if (enter >= 0.0f && enter <= 1.0f) {
        assert_true(multiply_subtract(x, inverse, walk->in[axis]) <= enter);
        assert_true(fmaf(x, inverse, -walk->in[axis]) <= enter);
    }
    if (leave >= 0.0f && leave <= 1.0f) {
        assert_true(multiply_subtract(x, inverse, walk->out[axis]) >= leave);
        assert_true(fmaf(x, inverse, -walk->out[axis]) >= leave);
    }
}

/// Tests sweeps far out and near, long and short, along axes and slanted.
static void test_rough_walk(void **state) {
    (void)state;
    rng_t rng = {31};
    const mesh_t mesh = {.flags = 0};
    const cm_pose_t pose = CM_MakePose(&(cm_object_t){.model = 0});
    for (int32_t i = 0; i < 100000; i++) {
        vec3_t start = random_vector(&rng, i % 3 ? 32768.0f : 100.0f);
        vec3_t way = random_vector(&rng, i % 5 ? 1000.0f : i % 2 ? 1.0f : 32768.0f);
        way.x = i % 7 ? way.x : 0.0f;
        way.y = i % 11 ? way.y : 1e-21f;
        vec3_t half =
            i % 2 ? Vector(16.0f, 16.0f, Rng_Range(&rng, 0.0f, 64.0f)) : Vector(0.0f, 0.0f, 0.0f);
        mesh_query_t q;
        walk_t walk;
        CM_MeshSweepQuery(&q, &mesh, &pose, &(bounds_t){start, VectorAdd(start, way)},
                          &(bounds_t){VectorNegate(half), half});
        prepare_walk(&walk, &q);
        const float d[3] = {q.end.x - q.start.x, q.end.y - q.start.y, q.end.z - q.start.z};
        for (int32_t axis = 0; axis < 3; axis++) {
            float share = i % 13 ? Rng_Range(&rng, 0.0f, 1.0f) : (float)(i % 2);
            expect_no_later(&walk, axis, walk.low[axis] + d[axis] * share);
            expect_no_later(&walk, axis, walk.high[axis] + d[axis] * share);
            expect_no_later(&walk, axis, floorf(walk.low[axis] + d[axis] * share));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_lanes),
        cmocka_unit_test(test_eight_lanes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_rough_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
