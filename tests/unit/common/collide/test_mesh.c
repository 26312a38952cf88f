// Tests of meshes against geometry in double: the reference clips triangles to boxes and intersects
// rays with planes.

#include "collide/mesh/mesh_build.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "state/contents.h"

// Error of the engine's floats in qu, with coordinates up to some hundreds.
#define SLACK 4e-3

typedef struct {
    double x, y, z;
} dvec_t;

/// Stores a placed mesh, and its triangles in world space.
typedef struct {
    built_mesh_t built;
    cm_pose_t pose;
    dvec_t (*corners)[3];
} scene_t;

static double component(dvec_t v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static dvec_t lerp(dvec_t a, dvec_t b, double t) {
    return (dvec_t){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

static dvec_t exactly(vec3_t v) {
    return (dvec_t){(double)v.x, (double)v.y, (double)v.z};
}

static dvec_t to_world(const cm_pose_t *pose, vec3_t v) {
    dvec_t o = exactly(pose->origin);
    dvec_t p = exactly(v);
    if (!pose->turned) {
        return (dvec_t){o.x + p.x, o.y + p.y, o.z + p.z};
    }
    dvec_t f = exactly(pose->axes[0]);
    dvec_t l = exactly(pose->axes[1]);
    dvec_t u = exactly(pose->axes[2]);
    return (dvec_t){o.x + f.x * p.x + l.x * p.y + u.x * p.z,
                    o.y + f.y * p.x + l.y * p.y + u.y * p.z,
                    o.z + f.z * p.x + l.z * p.y + u.z * p.z};
}

static void open_scene(scene_t *scene, const test_mesh_t *source, uint32_t flags,
                       cm_object_t place) {
    scene->built = TestMesh_Build(source, flags, CONTENTS_SOLID);
    scene->pose = CM_MakePose(&place);
    const mesh_t *mesh = &scene->built.mesh;
    scene->corners = calloc((size_t)mesh->num_triangles, sizeof *scene->corners);
    assert_non_null(scene->corners);
    for (int32_t i = 0; i < mesh->num_triangles; i++) {
        for (int j = 0; j < 3; j++) {
            scene->corners[i][j] = to_world(&scene->pose, mesh->vertices[mesh->indices[i][j]]);
        }
    }
}

static void close_scene(scene_t *scene) {
    Mesh_Free(&scene->built);
    free(scene->corners);
}

/// Returns true if the triangle has a point in the box, which is made `grow` larger on every side.
static bool clips(const dvec_t corners[3], dvec_t middle, vec3_t half, double grow) {
    dvec_t polygon[16] = {corners[0], corners[1], corners[2]};
    int count = 3;
    for (int side = 0; side < 6 && count > 0; side++) {
        int axis = side / 2;
        double sign = side % 2 ? -1.0 : 1.0;
        double reach = (double)VectorAxis(half, axis) + grow;
        dvec_t kept[16];
        int num_kept = 0;
        for (int i = 0; i < count; i++) {
            dvec_t a = polygon[i];
            dvec_t b = polygon[(i + 1) % count];
            double da = sign * (component(a, axis) - component(middle, axis)) - reach;
            double db = sign * (component(b, axis) - component(middle, axis)) - reach;
            if (da <= 0.0) {
                kept[num_kept++] = a;
            }
            if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) {
                kept[num_kept++] = lerp(a, b, da / (da - db));
            }
        }
        count = num_kept;
        for (int i = 0; i < count; i++) {
            polygon[i] = kept[i];
        }
    }
    return count > 0;
}

/// Returns the first triangle that a box overlaps, or -1.
static int32_t overlapped(const scene_t *scene, dvec_t middle, vec3_t half, double grow) {
    for (int32_t i = 0; i < scene->built.mesh.num_triangles; i++) {
        if (clips(scene->corners[i], middle, half, grow)) {
            return i;
        }
    }
    return -1;
}

typedef struct {
    vec3_t start, end, half;
} query_t;

typedef struct {
    int hits, starts, misses, stops;
} tally_t;

static vec3_t random_vector(rng_t *rng, float extent) {
    float x = Rng_Range(rng, -extent, extent);
    float y = Rng_Range(rng, -extent, extent);
    return Vector(x, y, Rng_Range(rng, -extent, extent));
}

static query_t random_query(rng_t *rng, float extent) {
    query_t q;
    q.start = random_vector(rng, extent);
    q.half = Vector(Rng_Range(rng, 0.5f, 20.0f), Rng_Range(rng, 0.5f, 20.0f),
                    Rng_Range(rng, 0.5f, 30.0f));
    q.end = VectorAdd(q.start, random_vector(rng, Rng_Below(rng, 2) ? 20.0f : 2.0f * extent));
    if (Rng_Below(rng, 4) == 0) {
        q.end.z = q.start.z; // moves level
    } else if (Rng_Below(rng, 4) == 0) {
        q.end.x = q.start.x; // falls straight down
        q.end.y = q.start.y;
    }
    return q;
}

static dvec_t place_on(const query_t *q, double t) {
    return lerp(exactly(q->start), exactly(q->end), t);
}

static void check_sweep(const scene_t *scene, const query_t *q, rng_t *rng, tally_t *tally) {
    const mesh_t *mesh = &scene->built.mesh;
    vec3_t mins = VectorNegate(q->half);
    mesh_hit_t hit = CM_MeshSweep(mesh, &scene->pose, q->start, q->end, mins, q->half);
    dvec_t start = exactly(q->start);
    assert_int_equal(CM_MeshTouches(mesh, &scene->pose, q->start, mins, q->half), hit.startsolid);
    if (hit.startsolid) {
        tally->starts++;
        assert_true(overlapped(scene, start, q->half, SLACK) >= 0);
        return;
    }
    assert_int_equal(overlapped(scene, start, q->half, -SLACK), -1);
    for (int i = 0; i < 8; i++) {
        double t = (double)hit.fraction * (i == 0 ? 1.0 : (double)Rng_Float(rng));
        assert_int_equal(overlapped(scene, place_on(q, t), q->half, -SLACK), -1);
    }
    if (hit.fraction == 1.0f && hit.triangle < 0) {
        tally->misses++;
        return;
    }
    tally->hits++;
    assert_true(
        clips(scene->corners[hit.triangle], place_on(q, (double)hit.fraction), q->half, SLACK));
    assert_true(fabsf(VectorLength(hit.normal) - 1.0f) < 1e-5f);
    assert_true(DotProduct(hit.normal, VectorSubtract(q->end, q->start)) <= 0.0f);
    // At the hit, the box must be outside of the triangle along the normal.
    float reach = q->half.x * fabsf(hit.normal.x) + q->half.y * fabsf(hit.normal.y) +
                  q->half.z * fabsf(hit.normal.z);
    dvec_t at = place_on(q, (double)hit.fraction);
    double most = -1e30;
    for (int i = 0; i < 3; i++) {
        dvec_t c = scene->corners[hit.triangle][i];
        double d = (double)hit.normal.x * (c.x - at.x) + (double)hit.normal.y * (c.y - at.y) +
                   (double)hit.normal.z * (c.z - at.z);
        most = d > most ? d : most;
    }
    assert_true(fabs(most + (double)reach) < SLACK * 2.0);
}

/// Checks the rules for a trace that a sweep alone does not have.
static void check_trace(const scene_t *scene, const query_t *q, tally_t *tally) {
    const mesh_t *mesh = &scene->built.mesh;
    vec3_t mins = VectorNegate(q->half);
    trace_t trace = CM_MeshTrace(mesh, &scene->pose, q->start, q->end, mins, q->half);
    mesh_hit_t hit = CM_MeshSweep(mesh, &scene->pose, q->start, q->end, mins, q->half);
    assert_int_equal(trace.startsolid, hit.startsolid);
    if (trace.allsolid) {
        assert_true(trace.startsolid);
        assert_true(trace.fraction == 0.0f);
        assert_true(VectorCompare(trace.endpos, q->start));
        return;
    }
    if (trace.fraction == 1.0f) {
        assert_true(VectorCompare(trace.endpos, q->end));
    }
    bool stuck = CM_MeshTouches(mesh, &scene->pose, trace.endpos, mins, q->half);
    if (stuck) {
        // A trace may end in the mesh only if it starts in it and found no free push out.
        assert_true(trace.startsolid || VectorCompare(trace.endpos, q->start));
        assert_true(trace.fraction == 0.0f);
    }
    tally->stops += trace.fraction < 1.0f && !stuck;
    if (!hit.startsolid) {
        assert_true(trace.fraction <= hit.fraction);
        assert_int_equal(trace.fraction < 1.0f || hit.triangle < 0, true);
    }
}

static cm_object_t random_place(rng_t *rng, bool turned) {
    cm_object_t place = {.origin = random_vector(rng, 64.0f)};
    if (turned) {
        place.angles = random_vector(rng, 180.0f);
    }
    return place;
}

static void check_random(bool turned) {
    rng_t rng = {turned ? 7u : 5u};
    tally_t tally = {0};
    int scenes = Test_IsLong() ? 400 : Test_IsSlow() ? 4 : 12;
    for (int i = 0; i < scenes; i++) {
        test_mesh_t source = {0};
        scene_t scene;
        TestMesh_Random(&source, &rng, 20 + (int32_t)Rng_Below(&rng, 80), 150.0f, 90.0f);
        open_scene(&scene, &source, 0, random_place(&rng, turned));
        for (int j = 0; j < 1500; j++) {
            query_t q = random_query(&rng, 200.0f);
            check_sweep(&scene, &q, &rng, &tally);
            check_trace(&scene, &q, &tally);
        }
        close_scene(&scene);
        TestMesh_Free(&source);
    }
    print_message("%d scenes: %d hits, %d start overlapping, %d misses; %d traces stop\n", scenes,
                  tally.hits, tally.starts, tally.misses, tally.stops);
    assert_true(tally.hits > 100 * scenes);
    assert_true(tally.starts > 100 * scenes);
    assert_true(tally.misses > 100 * scenes);
    assert_true(tally.stops > 100 * scenes);
}

static void test_sweeps(void **state) {
    (void)state;
    check_random(false);
}

static void test_turned(void **state) {
    (void)state;
    check_random(true);
}

// ---- points ----

/// Returns the fraction at which a ray meets a triangle, or 2. *edge tells how clearly it passes or
/// misses the edges.
static double ray_meets(const dvec_t c[3], dvec_t s, dvec_t e, double *edge) {
    dvec_t d = {e.x - s.x, e.y - s.y, e.z - s.z};
    dvec_t u = {c[1].x - c[0].x, c[1].y - c[0].y, c[1].z - c[0].z};
    dvec_t v = {c[2].x - c[0].x, c[2].y - c[0].y, c[2].z - c[0].z};
    dvec_t w = {s.x - c[0].x, s.y - c[0].y, s.z - c[0].z};
    dvec_t n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    dvec_t r = {w.y * d.z - w.z * d.y, w.z * d.x - w.x * d.z, w.x * d.y - w.y * d.x};
    double along = n.x * d.x + n.y * d.y + n.z * d.z;
    *edge = 0.0;
    if (fabs(along) < 1e-9) {
        return 2.0;
    }
    double t = -(n.x * w.x + n.y * w.y + n.z * w.z) / along;
    double a = -(v.x * r.x + v.y * r.y + v.z * r.z) / along;
    double b = (u.x * r.x + u.y * r.y + u.z * r.z) / along;
    double least = a < b ? a : b;
    least = 1.0 - a - b < least ? 1.0 - a - b : least;
    double ends = t < 1.0 - t ? t : 1.0 - t;
    least = ends < least ? ends : least;
    *edge = fabs(least);
    return least >= 0.0 ? t : 2.0;
}

static void test_points(void **state) {
    (void)state;
    rng_t rng = {11};
    int hits = 0;
    int misses = 0;
    int unclear = 0;
    for (int i = 0; i < (Test_IsLong() ? 200 : 10); i++) {
        test_mesh_t source = {0};
        scene_t scene;
        TestMesh_Random(&source, &rng, 60, 150.0f, 90.0f);
        open_scene(&scene, &source, 0, random_place(&rng, i % 2 == 1));
        for (int j = 0; j < 3000; j++) {
            query_t q = random_query(&rng, 200.0f);
            const vec3_t none = {0.0f, 0.0f, 0.0f};
            mesh_hit_t hit =
                CM_MeshSweep(&scene.built.mesh, &scene.pose, q.start, q.end, none, none);
            double first = 2.0;
            double clear = 1.0;
            for (int32_t k = 0; k < scene.built.mesh.num_triangles; k++) {
                double edge = 0.0;
                double t = ray_meets(scene.corners[k], exactly(q.start), exactly(q.end), &edge);
                first = t < first ? t : first;
                clear = edge < clear ? edge : clear;
            }
            assert_false(hit.startsolid);
            if (clear < 1e-4) {
                unclear++;
                continue;
            }
            hits += first <= 1.0;
            misses += first > 1.0;
            assert_int_equal(hit.triangle >= 0, first <= 1.0);
            assert_true(first > 1.0 || fabs(first - (double)hit.fraction) < 2e-5);
        }
        close_scene(&scene);
        TestMesh_Free(&source);
    }
    print_message("points: %d hits, %d misses, %d too near to an edge to tell\n", hits, misses,
                  unclear);
    assert_true(hits > 2000);
    assert_true(misses > 3000);
    assert_true(unclear < 6000);
}

/// Tests points and thin boxes that fall on edges and corners shared by triangles of a field: none
/// falls through.
static void test_watertight(void **state) {
    (void)state;
    rng_t rng = {13};
    test_mesh_t source = {0};
    scene_t scene;
    TestMesh_Hills(&source, &rng, 24, 90.0f);
    open_scene(&scene, &source, 0, (cm_object_t){.origin = {0.0f, 0.0f, 0.0f}});
    const mesh_t *mesh = &scene.built.mesh;
    for (int i = 0; i < (Test_IsSlow() ? 10000 : 40000); i++) {
        int32_t triangle = (int32_t)Rng_Below(&rng, (uint32_t)mesh->num_triangles);
        uint32_t from = Rng_Below(&rng, 3);
        vec3_t a = mesh->vertices[mesh->indices[triangle][from]];
        vec3_t b = mesh->vertices[mesh->indices[triangle][(from + 1) % 3]];
        vec3_t on = VectorLerp(a, b, Rng_Below(&rng, 3) ? Rng_Float(&rng) : 0.0f);
        vec3_t aside = Rng_Below(&rng, 2) ? random_vector(&rng, 200.0f) : Vector(0.0f, 0.0f, 0.0f);
        vec3_t start = VectorAdd(on, Vector(aside.x, aside.y, 250.0f));
        vec3_t end = VectorSubtract(on, Vector(aside.x, aside.y, 250.0f));
        if (!VectorWithin(Vector(end.x, end.y, 0.0f), 700.0f) ||
            !VectorWithin(Vector(start.x, start.y, 0.0f), 700.0f)) {
            continue;
        }
        float width = Rng_Below(&rng, 2) ? 0.0f : Rng_Range(&rng, 0.0f, 0.01f);
        vec3_t half = Vector(width, width, width * Rng_Float(&rng));
        mesh_hit_t hit = CM_MeshSweep(mesh, &scene.pose, start, end, VectorNegate(half), half);
        assert_true(hit.triangle >= 0);
        mesh_hit_t back = CM_MeshSweep(mesh, &scene.pose, end, start, VectorNegate(half), half);
        assert_true(back.triangle >= 0);
    }
    close_scene(&scene);
    TestMesh_Free(&source);
}

// ---- contacts ----

static void check_contacts(bool turned) {
    rng_t rng = {turned ? 19u : 17u};
    int checked = 0;
    int normals = 0;
    for (int i = 0; i < (Test_IsLong() ? 200 : 10); i++) {
        test_mesh_t source = {0};
        scene_t scene;
        TestMesh_Random(&source, &rng, 100, 100.0f, 90.0f);
        open_scene(&scene, &source, 0, random_place(&rng, turned));
        for (int j = 0; j < 500; j++) {
            query_t q = random_query(&rng, 150.0f);
            cm_contact_t contacts[128];
            cm_contact_t deepest[3];
            bounds_t box = {VectorSubtract(q.start, q.half), VectorAdd(q.start, q.half)};
            int32_t count =
                CM_MeshOverlap(&scene.built.mesh, &scene.pose, box, contacts, COUNTOF(contacts));
            int32_t few = CM_MeshOverlap(&scene.built.mesh, &scene.pose, box, deepest, 3);
            assert_int_equal(few, count < 3 ? count : 3);
            assert_memory_equal(deepest, contacts, (size_t)few * sizeof *deepest);
            assert_int_equal(count > 0, CM_MeshTouches(&scene.built.mesh, &scene.pose, q.start,
                                                       VectorNegate(q.half), q.half));
            bool *found = calloc((size_t)scene.built.mesh.num_triangles, sizeof *found);
            assert_non_null(found);
            for (int32_t k = 0; k < count; k++) {
                const cm_contact_t *c = &contacts[k];
                assert_true(k == 0 || c->depth <= contacts[k - 1].depth);
                assert_true(c->depth >= 0.0f);
                assert_true(fabsf(VectorLength(c->normal) - 1.0f) < 1e-5f);
                assert_false(found[c->surface]);
                found[c->surface] = true;
                const dvec_t *corners = (const dvec_t *)scene.corners[c->surface];
                vec3_t out = VectorMA(q.start, c->depth, c->normal);
                assert_true(clips(corners, exactly(q.start), q.half, SLACK));
                assert_false(clips(corners, exactly(out), q.half, -SLACK));
                checked++;
                normals += fabsf(c->normal.x) < 0.999f && fabsf(c->normal.y) < 0.999f &&
                           fabsf(c->normal.z) < 0.999f;
            }
            for (int32_t k = 0; k < scene.built.mesh.num_triangles; k++) {
                assert_true(found[k] || !clips(scene.corners[k], exactly(q.start), q.half, -SLACK));
            }
            free(found);
        }
        close_scene(&scene);
        TestMesh_Free(&source);
    }
    print_message("contacts: %d, %d of them slanted\n", checked, normals);
    assert_true(checked > 2000);
    assert_true(normals > 1000);
}

static void test_contacts(void **state) {
    (void)state;
    check_contacts(false);
}

static void test_contacts_turned(void **state) {
    (void)state;
    check_contacts(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),   cmocka_unit_test(test_turned),
        cmocka_unit_test(test_points),   cmocka_unit_test(test_watertight),
        cmocka_unit_test(test_contacts), cmocka_unit_test(test_contacts_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
