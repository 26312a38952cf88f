// Tests of cached queries of triangles: they return the same bits as uncached ones, with four lanes
// and with eight.

#include "collide/cache.h"
#include "collide/cmap.h"
#include "collide/mesh/mesh_ray.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"

enum { MAX_KEPT = 16 };

enum { MAX_OPS = 2 };

/// Lists the kernels that this CPU runs. Returns their number.
static int32_t list_ops(const mesh_ops_t *ops[MAX_OPS]) {
    int32_t count = 0;
    ops[count++] = &CM_MeshOps4;
    if (CM_MeshOps() != &CM_MeshOps4) {
        ops[count++] = CM_MeshOps();
    }
    return count;
}

static const cm_pose_t unmoved = {.origin = {0.0f, 0.0f, 0.0f}};
static const vec3_t none = {0.0f, 0.0f, 0.0f};

static vec3_t random_vector(rng_t *rng, float extent) {
    float x = Rng_Range(rng, -extent, extent);
    float y = Rng_Range(rng, -extent, extent);
    return Vector(x, y, Rng_Range(rng, -extent, extent));
}

static bool same_trace(const trace_t *a, const trace_t *b) {
    return memcmp(&a->fraction, &b->fraction, sizeof a->fraction) == 0 &&
           memcmp(&a->endpos, &b->endpos, sizeof a->endpos) == 0 &&
           memcmp(&a->plane, &b->plane, sizeof a->plane) == 0 && a->contents == b->contents &&
           a->entnum == b->entnum && a->startsolid == b->startsolid && a->allsolid == b->allsolid;
}

static bool same_hit(const mesh_hit_t *a, const mesh_hit_t *b) {
    return memcmp(&a->fraction, &b->fraction, sizeof a->fraction) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->triangle == b->triangle &&
           a->startsolid == b->startsolid;
}

static bool same_contacts(const cm_contact_t *a, const cm_contact_t *b, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (memcmp(&a[i].normal, &b[i].normal, sizeof a[i].normal) != 0 ||
            memcmp(&a[i].depth, &b[i].depth, sizeof a[i].depth) != 0 ||
            a[i].surface != b[i].surface) {
            return false;
        }
    }
    return true;
}

/// Describes a sweep, or a resting box if both ends are equal.
typedef struct {
    vec3_t start, end;
    bounds_t size;
} question_t;

/// Returns a question that starts mostly inside of the box `around`: short, long, level, downwards
/// or at rest, with a box or a point.
static question_t random_question(rng_t *rng, bounds_t around, float length) {
    question_t q = {.start = {Rng_Range(rng, around.mins.x, around.maxs.x),
                              Rng_Range(rng, around.mins.y, around.maxs.y),
                              Rng_Range(rng, around.mins.z, around.maxs.z)}};
    q.end = VectorAdd(q.start, random_vector(rng, length));
    switch (Rng_Below(rng, 5)) {
    case 0:
        q.end.z = q.start.z;
        break;
    case 1:
        q.end = Vector(q.start.x, q.start.y, q.end.z);
        break;
    case 2:
        q.end = Rng_Below(rng, 3) ? q.end : q.start;
        break;
    default:
        break;
    }
    if (Rng_Below(rng, 4)) {
        float thin = Rng_Below(rng, 8) ? 1.0f : 0.0f; // some boxes have no width
        vec3_t v = random_vector(rng, 20.0f);
        q.size.maxs = Vector(fabsf(v.x) + thin, thin * (fabsf(v.y) + 1.0f), fabsf(v.z) + thin);
        q.size.mins = Vector(-q.size.maxs.x, -q.size.maxs.y, thin * Rng_Range(rng, -30.0f, 0.0f));
    }
    return q;
}

/// Compares all cached queries with the uncached ones.
static bool agrees(triangle_cache_t *cache, const question_t *q) {
    const mesh_t *mesh = cache->mesh;
    vec3_t mins = q->size.mins;
    vec3_t maxs = q->size.maxs;
    const bounds_t box = {VectorAdd(q->end, mins), VectorAdd(q->end, maxs)};
    cm_contact_t contacts[2][MAX_KEPT];
    mesh_hit_t a = CM_MeshSweep(mesh, &unmoved, q->start, q->end, mins, maxs);
    mesh_hit_t b = CM_CachedMeshSweep(cache, q->start, q->end, mins, maxs);
    trace_t c = CM_MeshTrace(mesh, &unmoved, q->start, q->end, mins, maxs);
    trace_t d = CM_CachedMeshTrace(cache, q->start, q->end, mins, maxs);
    trace_t again = CM_CachedMeshTrace(cache, q->start, q->end, mins, maxs);
    int32_t e = CM_MeshOverlap(mesh, &unmoved, box, contacts[0], MAX_KEPT);
    int32_t f = CM_CachedMeshOverlap(cache, box, contacts[1], MAX_KEPT);
    return same_hit(&a, &b) && same_trace(&c, &d) && same_trace(&c, &again) && e == f &&
           same_contacts(contacts[0], contacts[1], e);
}

/// Returns true if a kernel finds the same in the cache as in the tree: sweeps, contacts, overlaps.
static bool agrees_by(const mesh_ops_t *ops, const triangle_cache_t *cache, const question_t *q) {
    const bounds_t box = {VectorAdd(q->end, q->size.mins), VectorAdd(q->end, q->size.maxs)};
    mesh_hit_t expected =
        CM_MeshSweep(cache->mesh, &unmoved, q->start, q->end, q->size.mins, q->size.maxs);
    cm_contact_t contacts[2][MAX_KEPT];
    mesh_query_t query;
    CM_MeshSweepQuery(&query, cache->mesh, &unmoved, &(bounds_t){q->start, q->end}, &q->size);
    query.cache = cache;
    mesh_hit_t hit = CM_MeshRunSweep(ops, &query);
    CM_MeshRestQuery(&query, cache->mesh, &unmoved, none, &box);
    bool overlaps = ops->overlap(&query, NULL, 0) > 0;
    query.cache = cache;
    int32_t a = CM_MeshOverlap(cache->mesh, &unmoved, box, contacts[0], MAX_KEPT);
    int32_t b = ops->overlap(&query, contacts[1], MAX_KEPT);
    return same_hit(&hit, &expected) && a == b && same_contacts(contacts[0], contacts[1], a) &&
           (ops->overlap(&query, NULL, 0) > 0) == overlaps && overlaps == (a > 0);
}

static bool same_cache(const triangle_cache_t *a, const triangle_cache_t *b) {
    bool same = a->num_blocks == b->num_blocks;
    for (int32_t i = 0; same && i < a->num_blocks; i++) {
        same = a->blocks[i] == b->blocks[i] &&
               memcmp(a->bounds[i], b->bounds[i], sizeof a->bounds[i]) == 0;
    }
    return same;
}

/// Checks that every kernel collects the same blocks.
static void collect_by_all(const triangle_cache_t *cache) {
    static triangle_cache_t made[MAX_OPS];
    const mesh_ops_t *ops[MAX_OPS];
    int32_t count = list_ops(ops);
    for (int32_t i = 0; i < count; i++) {
        CM_EmptyTriangleCache(&made[i], cache->mesh);
        assert_true(ops[i]->collect(&made[i], cache->region, 0.015625f));
        assert_true(same_cache(&made[0], &made[i]));
    }
}

typedef struct {
    int32_t asked, held, hits, too_many;
} counts_t;

static bool is_held(const triangle_cache_t *cache, const question_t *q) {
    bounds_t swept = BoundsOfSweep(q->start, q->end, q->size.mins, q->size.maxs, 0.0f);
    return VectorCompare(VectorMin(swept.mins, cache->region.mins), cache->region.mins) &&
           VectorCompare(VectorMax(swept.maxs, cache->region.maxs), cache->region.maxs);
}

/// Fills caches anywhere in a mesh, and queries inside them, at their edges, and outside.
static void ask_mesh(const mesh_t *mesh, uint64_t seed, int32_t num_caches, counts_t *counts) {
    rng_t rng = {seed};
    static triangle_cache_t cache;
    const mesh_ops_t *ops[MAX_OPS];
    int32_t num_ops = list_ops(ops);
    CM_EmptyTriangleCache(&cache, NULL);
    for (int32_t i = 0; i < num_caches; i++) {
        const bounds_t all = mesh->bounds;
        vec3_t at = {Rng_Range(&rng, all.mins.x, all.maxs.x),
                     Rng_Range(&rng, all.mins.y, all.maxs.y),
                     Rng_Range(&rng, all.mins.z, all.maxs.z)};
        vec3_t reach = random_vector(&rng, 80.0f);
        reach = Vector(fabsf(reach.x), fabsf(reach.y), fabsf(reach.z));
        const bounds_t box = {VectorSubtract(at, reach), VectorAdd(at, reach)};
        bool fits = CM_FillTriangleCache(&cache, mesh, box);
        counts->too_many += !fits;
        if (fits && i % 16 == 0) {
            collect_by_all(&cache);
        }
        for (int32_t k = 0; k < 12; k++) {
            question_t q = random_question(&rng, box, k % 2 ? 12.0f : 60.0f);
            if (!agrees(&cache, &q)) {
                fail_msg("seed %llu, cache %d, question %d: other bits", (unsigned long long)seed,
                         i, k);
            }
            bool held = is_held(&cache, &q);
            counts->asked++;
            counts->held += held;
            counts->hits +=
                held &&
                CM_MeshSweep(mesh, &unmoved, q.start, q.end, q.size.mins, q.size.maxs).fraction <
                    1.0f;
            for (int32_t n = 0; held && n < num_ops; n++) {
                if (!agrees_by(ops[n], &cache, &q)) {
                    fail_msg("seed %llu, cache %d, question %d: lanes differ",
                             (unsigned long long)seed, i, k);
                }
            }
        }
    }
}

static void test_same_bits(void **state) {
    (void)state;
    static const uint32_t flags[] = {0, MESH_ONE_SIDED, MESH_VOLUME};
    const int32_t num_caches = Test_IsLong() ? 200000 : Test_IsSlow() ? 600 : 2500;
    rng_t rng = {71};
    for (size_t i = 0; i < COUNTOF(flags); i++) {
        test_mesh_t sources[3] = {0};
        TestMesh_Random(&sources[0], &rng, 400, 200.0f, 120.0f);
        TestMesh_Hills(&sources[1], &rng, 8, 80.0f);
        for (int32_t k = 0; k < 30; k++) {
            vec3_t at = random_vector(&rng, 150.0f);
            TestMesh_Box(&sources[2], (bounds_t){at, VectorAdd(at, Vector(40.0f, 50.0f, 30.0f))});
        }
        for (size_t k = 0; k < COUNTOF(sources); k++) {
            counts_t counts = {0};
            built_mesh_t built = TestMesh_Build(&sources[k], flags[i], CONTENTS_SOLID);
            ask_mesh(&built.mesh, 100 * i + k, num_caches, &counts);
            assert_true(counts.held > counts.asked / 10);
            assert_true(counts.hits > counts.held / 20);
            assert_true(counts.too_many < num_caches / 2);
            Mesh_Free(&built);
            TestMesh_Free(&sources[k]);
        }
    }
}

/// Tests where a point meets the plane of a triangle after rounding: either in the triangle's box,
/// made 1/64 wider, or not at all.
static void test_meets_in_box(void **state) {
    (void)state;
    static const struct {
        vec3_t start, end;
        float at, expected;
    } cases[] = {
        {{0.5f, 0.5f, 10.0f}, {0.5f, 0.5f, -10.0f}, 0.5f, 0.5f},
        {{0.5f, 0.5f, 10.0f}, {0.5f, 0.5f, -10.0f}, 0.4f, 0.44922f},   // above the box
        {{0.5f, 0.5f, 10.0f}, {0.5f, 0.5f, -10.0f}, 0.502f, 0.50078f}, // below the box
        {{0.5f, 0.5f, -10.0f}, {0.5f, 0.5f, 10.0f}, 0.552f, 0.55078f},
        {{0.5f, 0.5f, -0.5f}, {0.5f, 0.5f, -10.0f}, 0.0f, -0.051f},   // behind the start
        {{0.5f, 0.5f, 12.0f}, {0.5f, 0.5f, 2.0f}, 1.0f, 1.0984f},     // after the end
        {{1.5f, 0.5f, 10.0f}, {1.5f, 0.5f, -10.0f}, 0.5f, MESH_HUGE}, // beside the box
        {{0.5f, -0.5f, 10.0f}, {0.5f, -0.5f, -10.0f}, 0.5f, MESH_HUGE},
    };
    test_mesh_t source = {0};
    TestMesh_Add(&source, Vector(0.0f, 0.0f, 0.0f), Vector(1.0f, 0.0f, 0.0f),
                 Vector(1.0f, 1.0f, 1.0f));
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const bounds_t way = {cases[i].start, cases[i].end};
        mesh_query_t q;
        walk_t walk;
        ray_t ray;
        CM_MeshSweepQuery(&q, &built.mesh, &unmoved, &way, &(bounds_t){none, none});
        prepare_walk(&walk, &q);
        prepare_ray(&ray, &q, &walk);
        // If the value is far from what the plane gives, it is kept unchanged.
        const float at = refined(&ray, &walk, &built.mesh.blocks[0], 0, Lanes_All(cases[i].at),
                                 Lanes_All(1e-9f))[0];
        assert_true(fabsf(at - cases[i].expected) < 1e-4f || at == cases[i].expected);
    }
    Mesh_Free(&built);
    TestMesh_Free(&source);
}

/// Tests a box that grazes the edges and corners of a square, and starts and ends on it: its
/// overlap along one direction starts exactly when that along another ends.
static void test_grazing(void **state) {
    (void)state;
    test_mesh_t source = {0};
    static triangle_cache_t cache;
    const mesh_ops_t *ops[MAX_OPS];
    const int32_t num_ops = list_ops(ops);
    int32_t hits = 0;
    TestMesh_Add(&source, Vector(0.0f, 0.0f, 0.0f), Vector(0.0f, 8.0f, 0.0f),
                 Vector(0.0f, 8.0f, 8.0f));
    TestMesh_Add(&source, Vector(0.0f, 0.0f, 0.0f), Vector(0.0f, 8.0f, 8.0f),
                 Vector(0.0f, 0.0f, 8.0f));
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    const bounds_t box = {{-64.0f, -64.0f, -64.0f}, {64.0f, 64.0f, 64.0f}};
    CM_EmptyTriangleCache(&cache, NULL);
    assert_true(CM_FillTriangleCache(&cache, &built.mesh, box));
    for (int32_t i = 0; i < 5 * 5 * 5 * 27; i++) {
        const vec3_t start = {(float)(i % 5 * 8 - 16), (float)(i / 5 % 5 * 8 - 16),
                              (float)(i / 25 % 5 * 8 - 16)};
        const vec3_t way = {(float)(i / 125 % 3 * 16 - 16), (float)(i / 375 % 3 * 16 - 16),
                            (float)(i / 1125 * 16 - 16)};
        const question_t q = {start, VectorAdd(start, way), {none, {8.0f, 8.0f, 8.0f}}};
        assert_true(agrees(&cache, &q));
        for (int32_t n = 0; n < num_ops; n++) {
            assert_true(agrees_by(ops[n], &cache, &q));
        }
        hits +=
            CM_MeshSweep(&built.mesh, &unmoved, q.start, q.end, none, q.size.maxs).fraction < 1.0f;
    }
    assert_true(hits > 100);
    Mesh_Free(&built);
    TestMesh_Free(&source);
}

/// If the cache cannot hold all triangles, the query goes to the mesh.
static void test_too_many(void **state) {
    (void)state;
    rng_t rng = {72};
    test_mesh_t source = {0};
    counts_t counts = {0};
    TestMesh_Random(&source, &rng, 3000, 100.0f, 10.0f);
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    ask_mesh(&built.mesh, 73, 300, &counts);
    assert_true(counts.too_many > 30);
    assert_true(counts.too_many < 300);
    Mesh_Free(&built);
    TestMesh_Free(&source);
}

/// If a coordinate is NaN, the query goes to the mesh.
static void test_no_numbers(void **state) {
    (void)state;
    rng_t rng = {76};
    test_mesh_t source = {0};
    static triangle_cache_t cache;
    TestMesh_Hills(&source, &rng, 4, 80.0f);
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    const bounds_t box = {{-90.0f, -90.0f, -90.0f}, {90.0f, 90.0f, 90.0f}};
    static const float strange[] = {NAN, INFINITY, -INFINITY, -0.0f};
    CM_EmptyTriangleCache(&cache, NULL);
    assert_true(CM_FillTriangleCache(&cache, &built.mesh, box));
    assert_true(cache.num_blocks > 0);
    for (size_t i = 0; i < COUNTOF(strange); i++) {
        for (int32_t k = 0; k < 200; k++) {
            question_t q = random_question(&rng, box, 20.0f);
            float *const at[] = {&q.start.x, &q.start.y,     &q.start.z,    &q.end.x,
                                 &q.end.z,   &q.size.mins.y, &q.size.maxs.z};
            *at[k % (int32_t)COUNTOF(at)] = strange[i];
            if (!agrees(&cache, &q)) {
                fail_msg("%g, question %d: other bits", (double)strange[i], k);
            }
        }
    }
    Mesh_Free(&built);
    TestMesh_Free(&source);
}

/// Tests the repeated last sweep: only the same query of the same mesh gets it.
static void test_last_sweep(void **state) {
    (void)state;
    rng_t rng = {77};
    test_mesh_t source = {0};
    static triangle_cache_t cache;
    built_mesh_t built[2];
    TestMesh_Hills(&source, &rng, 4, 80.0f);
    built[0] = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    TestMesh_Free(&source);
    TestMesh_Hills(&source, &rng, 4, 80.0f); // hills of other shape
    built[1] = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    const bounds_t box = {{-90.0f, -90.0f, -90.0f}, {90.0f, 90.0f, 90.0f}};
    CM_EmptyTriangleCache(&cache, NULL);
    for (int32_t i = 0; i < 400; i++) {
        const question_t q = random_question(&rng, box, 20.0f);
        question_t others[5] = {q, q, q, q, q};
        others[1].size.mins.z -= 1.0f;
        others[2].size.maxs.x += 1.0f;
        others[3].start.z += 1.0f;
        others[4].end.x += 1.0f;
        for (int32_t k = 0; k < 10; k++) {
            CM_FillTriangleCache(&cache, &built[k % 2].mesh, box);
            assert_true(cache.mesh == &built[k % 2].mesh);
            assert_true(agrees(&cache, &q));
            assert_true(agrees(&cache, &others[k / 2]));
            assert_true(agrees(&cache, &q)); // also after a fill from another mesh
        }
    }
    Mesh_Free(&built[0]);
    Mesh_Free(&built[1]);
    TestMesh_Free(&source);
}

/// Tests that a new fill replaces the old one: with another mesh, and if it has too many triangles.
static void test_forgets(void **state) {
    (void)state;
    rng_t rng = {80};
    test_mesh_t sources[2] = {0};
    built_mesh_t built[2];
    static triangle_cache_t cache;
    for (int32_t i = 0; i < 2; i++) {
        TestMesh_Random(&sources[i], &rng, 3000, 100.0f, 10.0f);
        built[i] = TestMesh_Build(&sources[i], 0, CONTENTS_SOLID);
    }
    const bounds_t all = {{-100.0f, -100.0f, -100.0f}, {100.0f, 100.0f, 100.0f}};
    const vec3_t around = {12.0f, 12.0f, 12.0f};
    CM_EmptyTriangleCache(&cache, NULL);
    for (int32_t i = 0; i < 200; i++) {
        const vec3_t at = random_vector(&rng, 90.0f);
        const bounds_t box = {VectorSubtract(at, around), VectorAdd(at, around)};
        CM_FillTriangleCache(&cache, &built[0].mesh, box);
        if (i % 2) {
            CM_EmptyTriangleCache(&cache, &built[1].mesh);
        } else {
            assert_false(CM_FillTriangleCache(&cache, &built[0].mesh, all));
        }
        for (int32_t k = 0; k < 10; k++) {
            const question_t q = random_question(&rng, box, 12.0f);
            assert_true(agrees(&cache, &q));
        }
    }
    for (int32_t i = 0; i < 2; i++) {
        Mesh_Free(&built[i]);
        TestMesh_Free(&sources[i]);
    }
}

// ---- a world ----

typedef struct {
    built_mesh_t built[3];
    mesh_t meshes[3];
    cmodel_t model;
    cmap_t map;
} world_t;

/// Makes a world of hills, a pond of water in them, and clip that stops only boxes; or of the first
/// `num_meshes` of these.
static void open_world(world_t *world, bool clip_first, int32_t num_meshes) {
    rng_t rng = {74};
    test_mesh_t sources[3] = {0};
    TestMesh_Hills(&sources[0], &rng, 12, 60.0f);
    TestMesh_Box(&sources[1], (bounds_t){{-200.0f, -200.0f, -50.0f}, {150.0f, 150.0f, 20.0f}});
    TestMesh_Box(&sources[2], (bounds_t){{100.0f, -300.0f, -90.0f}, {110.0f, 300.0f, 90.0f}});
    static const uint32_t flags[3] = {0, MESH_VOLUME, 0};
    static const contents_t contents[3] = {CONTENTS_SOLID, CONTENTS_WATER, CONTENTS_CLIP};
    for (int32_t i = 0; i < 3; i++) {
        int32_t at = clip_first ? 2 - i : i;
        world->built[at] = TestMesh_Build(&sources[i], flags[i], (int32_t)contents[i]);
        world->meshes[at] = world->built[at].mesh;
        TestMesh_Free(&sources[i]);
    }
    world->model = (cmodel_t){.kind = MODEL_MESH,
                              .mesh = world->meshes,
                              .num_more_meshes = num_meshes - 1,
                              .bounds = {{-400.0f, -400.0f, -100.0f}, {400.0f, 400.0f, 100.0f}}};
    world->map = (cmap_t){.models = &world->model, .num_models = 1};
}

static void close_world(world_t *world) {
    for (int32_t i = 0; i < 3; i++) {
        Mesh_Free(&world->built[i]);
    }
}

/// Makes one step of a walk with all queries it may need. Returns its end.
static vec3_t step(const cmap_t *map, cm_cache_t *cache, vec3_t at, bounds_t size, rng_t *rng) {
    const cm_object_t place = {.model = 0};
    const vec3_t ways[4] = {{Rng_Range(rng, -8.0f, 8.0f), Rng_Range(rng, -8.0f, 8.0f), 0.0f},
                            {0.0f, 0.0f, -1.0f},
                            {0.0f, 0.0f, 18.0f},
                            {0.0f, 0.0f, Rng_Range(rng, -60.0f, 0.0f)}};
    vec3_t next = at;
    for (int32_t i = 0; i < 4; i++) {
        for (int32_t k = 0; k < 2; k++) { // the box, then the point
            vec3_t mins = k ? none : size.mins;
            vec3_t maxs = k ? none : size.maxs;
            vec3_t start = k ? VectorAdd(at, random_vector(rng, 30.0f)) : at;
            vec3_t end = VectorAdd(start, ways[i]);
            trace_t a = CM_BoxTrace(map, &place, start, end, mins, maxs);
            trace_t b = CM_CacheTrace(cache, start, end, mins, maxs);
            assert_true(same_trace(&a, &b));
            assert_int_equal(CM_PointContents(map, 0, end), CM_CacheContents(cache, end));
            next = i == 0 && k == 0 ? a.endpos : next;
        }
    }
    cm_contact_t contacts[2][MAX_CONTACTS];
    const bounds_t box = {VectorAdd(next, size.mins), VectorAdd(next, size.maxs)};
    int32_t a = CM_Overlap(map, &place, box, contacts[0], MAX_CONTACTS);
    int32_t b = CM_CacheOverlap(cache, box, contacts[1], MAX_CONTACTS);
    assert_true(a == b);
    assert_true(same_contacts(contacts[0], contacts[1], a));
    return next;
}

static void test_walks(void **state) {
    (void)state;
    static world_t world;
    static cm_cache_t cache;
    const bounds_t size = {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}};
    const cm_object_t place = {.model = 0};
    const int32_t num_steps = Test_IsLong() ? 400000 : 6000;
    for (int32_t run = 0; run < 4; run++) {
        rng_t rng = {(uint64_t)(75 + run)};
        vec3_t at = none;
        int32_t collected = 0;
        // Runs: all meshes; all, with the clip first; hills and pond, where only hills stop boxes;
        // only clip.
        open_world(&world, run % 2 == 1, run < 2 ? 3 : 4 - run);
        CM_CacheBegin(&cache, &world.map, CM_SOLIDS_AUTO);
        for (int32_t i = 0; i < num_steps; i++) {
            if (i % 64 == 0) { // puts the box down at another spot
                at = Vector(Rng_Range(&rng, -380.0f, 380.0f), Rng_Range(&rng, -380.0f, 380.0f),
                            130.0f);
                at = CM_BoxTrace(&world.map, &place, at, Vector(at.x, at.y, -200.0f), size.mins,
                                 size.maxs)
                         .endpos;
            }
            bounds_t before = cache.mesh.origins;
            CM_CacheFill(&cache, &world.map, CM_SOLIDS_AUTO, at, size.mins, size.maxs);
            collected += memcmp(&before, &cache.mesh.origins, sizeof before) != 0;
            at = step(&world.map, &cache, at, size, &rng);
        }
        // The cache is used, and collects only every few steps.
        assert_true(cache.mesh.triangles.mesh);
        assert_true(collected < num_steps / 3);
        assert_true(collected > 10);
        close_world(&world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_meets_in_box),
        cmocka_unit_test(test_grazing),    cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_no_numbers), cmocka_unit_test(test_last_sweep),
        cmocka_unit_test(test_forgets),    cmocka_unit_test(test_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
