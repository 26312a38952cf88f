#include "lib/mesh_runs_fixture.h"

#include "base/hash.h"
#include "lib/mesh_fixture.h"
#include "state/contents.h"

#include <stdio.h>
#include <string.h>

enum { NUM_QUERIES = 4000, MAX_KEPT = 16, SAMPLE_EVERY = 400 };

/// Results as words without padding.
typedef struct {
    uint32_t words[160];
    int32_t count;
} answer_t;

static void add_int(answer_t *answer, int32_t value) {
    answer->words[answer->count++] = (uint32_t)value;
}

static void add_float(answer_t *answer, float value) {
    memcpy(&answer->words[answer->count++], &value, sizeof value);
}

static void add_vector(answer_t *answer, vec3_t v) {
    add_float(answer, v.x);
    add_float(answer, v.y);
    add_float(answer, v.z);
}

static void add_hit(answer_t *answer, const mesh_hit_t *hit) {
    add_float(answer, hit->fraction);
    add_vector(answer, hit->normal);
    add_int(answer, hit->triangle);
    add_int(answer, hit->startsolid);
}

static void add_trace(answer_t *answer, const trace_t *trace) {
    add_float(answer, trace->fraction);
    add_vector(answer, trace->endpos);
    add_vector(answer, trace->plane.normal);
    add_float(answer, trace->plane.dist);
    add_int(answer, trace->plane.type);
    add_int(answer, trace->startsolid);
    add_int(answer, trace->allsolid);
}

static void add_contacts(answer_t *answer, const cm_contact_t *contacts, int32_t count) {
    add_int(answer, count);
    for (int32_t i = 0; i < count; i++) {
        add_vector(answer, contacts[i].normal);
        add_float(answer, contacts[i].depth);
        add_int(answer, contacts[i].surface);
    }
}

/// A query and its mesh.
typedef struct {
    const mesh_t *mesh;
    cm_pose_t pose;
    vec3_t start, end;
    bounds_t size;
} question_t;

/// Runs the internal queries with one set of kernels.
static answer_t ask_by(const mesh_ops_t *ops, const question_t *q) {
    answer_t answer = {.count = 0};
    cm_contact_t contacts[MAX_KEPT];
    mesh_query_t query;
    CM_MeshSweepQuery(&query, q->mesh, &q->pose, &(bounds_t){q->start, q->end}, &q->size);
    mesh_hit_t hit = CM_MeshRunSweep(ops, &query);
    add_hit(&answer, &hit);
    CM_MeshSweepQuery(&query, q->mesh, &q->pose, &(bounds_t){q->start, q->start}, &q->size);
    query.move = Vector(0.0f, 0.0f, 0.0f);
    add_int(&answer, ops->overlap(&query, NULL, 0));
    add_int(&answer, ops->inside(&query));
    add_contacts(&answer, contacts, ops->overlap(&query, contacts, MAX_KEPT));
    return answer;
}

/// Runs the public queries.
static answer_t ask(const question_t *q) {
    answer_t answer = {.count = 0};
    cm_contact_t contacts[MAX_KEPT];
    vec3_t mins = q->size.mins;
    vec3_t maxs = q->size.maxs;
    mesh_hit_t hit = CM_MeshSweep(q->mesh, &q->pose, q->start, q->end, mins, maxs);
    trace_t trace = CM_MeshTrace(q->mesh, &q->pose, q->start, q->end, mins, maxs);
    bounds_t box = {VectorAdd(q->end, mins), VectorAdd(q->end, maxs)};
    add_hit(&answer, &hit);
    add_trace(&answer, &trace);
    add_int(&answer, CM_MeshTouches(q->mesh, &q->pose, q->end, mins, maxs));
    add_int(&answer, (int32_t)CM_MeshContents(q->mesh, &q->pose, q->end));
    add_contacts(&answer, contacts, CM_MeshOverlap(q->mesh, &q->pose, box, contacts, MAX_KEPT));
    return answer;
}

static vec3_t random_vector(rng_t *rng, float extent) {
    float x = Rng_Range(rng, -extent, extent);
    float y = Rng_Range(rng, -extent, extent);
    return Vector(x, y, Rng_Range(rng, -extent, extent));
}

static question_t random_question(const mesh_t *mesh, rng_t *rng, bool turned, float extent) {
    cm_object_t place = {.origin = random_vector(rng, 64.0f)};
    if (turned) {
        place.angles = random_vector(rng, 180.0f);
    }
    question_t q = {.mesh = mesh, .pose = CM_MakePose(&place)};
    q.start = VectorAdd(place.origin, random_vector(rng, extent));
    q.end = VectorAdd(q.start, random_vector(rng, Rng_Below(rng, 2) ? 20.0f : 2.0f * extent));
    q.end.z = Rng_Below(rng, 4) ? q.end.z : q.start.z;
    if (Rng_Below(rng, 4)) {
        q.size.maxs = random_vector(rng, 20.0f);
        q.size.maxs = Vector(fabsf(q.size.maxs.x) + 1.0f, fabsf(q.size.maxs.y) + 1.0f,
                             fabsf(q.size.maxs.z) * 2.0f + 1.0f);
        q.size.mins = Vector(-q.size.maxs.x, -q.size.maxs.y, Rng_Range(rng, -30.0f, 0.0f));
    }
    return q;
}

static void print_sample(test_golden_t *golden, int32_t number, const answer_t *answer) {
    float fraction;
    vec3_t normal;
    memcpy(&fraction, &answer->words[0], sizeof fraction);
    memcpy(&normal, &answer->words[1], sizeof normal);
    TestGolden_Print(golden, "  query %d: fraction %a triangle %d startsolid %u", number,
                     (double)fraction, (int32_t)answer->words[4], answer->words[5]);
    TestGolden_Vector(golden, "normal", normal);
    TestGolden_Print(golden, "\n");
}

/// Runs many queries on one mesh.
static bool print_mesh(test_golden_t *golden, const mesh_ops_t *ops, const char *name,
                       const mesh_t *mesh, rng_t *rng) {
    uint64_t hash = 0;
    bool good = true;
    uint64_t tree = Hash_Bytes(mesh->nodes, (size_t)mesh->num_nodes * sizeof *mesh->nodes, 1);
    tree = Hash_Bytes(mesh->blocks, (size_t)mesh->num_blocks * sizeof *mesh->blocks, tree);
    TestGolden_Print(golden, "%s: %d triangles, %d nodes, %d blocks, tree %016llx\n", name,
                     mesh->num_triangles, mesh->num_nodes, mesh->num_blocks,
                     (unsigned long long)tree);
    for (int32_t i = 0; i < NUM_QUERIES; i++) {
        question_t q = random_question(mesh, rng, i % 2 == 1, 200.0f);
        answer_t answer = ask(&q);
        hash = Hash_Bytes(answer.words, (size_t)answer.count * sizeof answer.words[0], hash);
        if (i % SAMPLE_EVERY == 0) {
            print_sample(golden, i, &answer);
        }
        answer_t fast = ask_by(CM_MeshOps(), &q);
        answer_t other = ask_by(ops, &q);
        if (fast.count != other.count ||
            memcmp(fast.words, other.words, (size_t)fast.count * sizeof fast.words[0]) != 0) {
            if (good) {
                fprintf(stderr, "%s query %d: other bits\n", name, i);
            }
            good = false;
        }
    }
    TestGolden_Print(golden, "  %d queries: %016llx\n", NUM_QUERIES, (unsigned long long)hash);
    return good;
}

bool TestMeshRuns_Print(test_golden_t *golden, const mesh_ops_t *ops) {
    static const struct {
        const char *name;
        uint32_t flags;
    } runs[] = {
        {"random", 0},
        {"random one-sided", MESH_ONE_SIDED},
        {"hills", 0},
        {"boxes", MESH_VOLUME},
    };
    rng_t rng = {23};
    bool good = true;
    for (size_t i = 0; i < COUNTOF(runs); i++) {
        test_mesh_t source = {0};
        if (i < 2) {
            TestMesh_Random(&source, &rng, 400, 180.0f, 90.0f);
        } else if (i == 2) {
            TestMesh_Hills(&source, &rng, 12, 120.0f);
        } else {
            for (int32_t j = 0; j < 12; j++) {
                vec3_t low = random_vector(&rng, 180.0f);
                vec3_t size = random_vector(&rng, 40.0f);
                size = Vector(fabsf(size.x) + 20.0f, fabsf(size.y) + 20.0f, fabsf(size.z) + 20.0f);
                TestMesh_Box(&source, (bounds_t){low, VectorAdd(low, size)});
            }
        }
        built_mesh_t built = TestMesh_Build(&source, runs[i].flags, CONTENTS_SOLID);
        good = print_mesh(golden, ops, runs[i].name, &built.mesh, &rng) && good;
        Mesh_Free(&built);
        TestMesh_Free(&source);
    }
    return good;
}
