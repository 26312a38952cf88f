// bench_peers.c - `make bench-peers`: compares triangle meshes of this project and of the libraries
// that Debian has, alternately in one run with the same queries (those of the benchmark data's
// README).
//
// Lines: bench,case,value,unit,peer,peer_value; ns per query, the lowest of the rounds, and a line
// of ratios (this project / peer). Sweeps that start overlapping are left out, because Bullet
// counts fewer of them. Exit status 1 unless the shares of hits agree within 0.001 (for the
// article's move, which has several queries, within 0.02).

#include "bench_peers.h"

#include "collide/mesh/triangle_cache.h"
#include "lib/mesh_fixture.h"
#include "state/contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DATA "../shared/data/bench/"

enum { NUM_QUERIES = 20000, NUM_ENGINES = 4, NUM_MESHES = 3, NUM_SETS = 12, MAX_KEPT = 64 };

// ---- this project ----

static const cm_pose_t unturned = {.origin = {0.0f, 0.0f, 0.0f}};
static const bounds_t player = {
    {-PEER_HALF_X, -PEER_HALF_Y, PEER_RAISED - PEER_HALF_Z},
    {PEER_HALF_X, PEER_HALF_Y, PEER_RAISED + PEER_HALF_Z},
};
static const vec3_t none = {0.0f, 0.0f, 0.0f};

static void *build_ours(const peer_mesh_t *mesh) {
    built_mesh_t *built = malloc(sizeof *built);
    err_t err;
    const mesh_source_t source = {.vertices = (const vec3_t *)(const void *)mesh->vertices,
                                  .indices = mesh->indices,
                                  .num_vertices = mesh->num_vertices,
                                  .num_triangles = mesh->num_triangles,
                                  .contents = CONTENTS_SOLID};
    if (!built || !Mesh_Build(built, &source, &err)) {
        abort();
    }
    return built;
}

static void free_ours(void *world) {
    Mesh_Free(world);
    free(world);
}

static int answers_ours(peer_question_t question) {
    (void)question;
    return 1;
}

static vec3_t vector(const float v[3]) {
    return Vector(v[0], v[1], v[2]);
}

/// Runs one cache fill, four rays and three boxes.
static int64_t move_of_article(const mesh_t *mesh, vec3_t start, vec3_t end) {
    cm_contact_t contacts[MAX_KEPT];
    triangle_cache_t cache;
    int64_t found = 0;
    const vec3_t below = {0.0f, 0.0f, 56.0f};
    vec3_t lo = VectorAdd(VectorMin(start, end), Vector(player.mins.x, player.mins.y, 0.0f));
    vec3_t hi = VectorAdd(VectorMax(start, end), VectorAdd(player.maxs, Vector(0.0f, 0.0f, 1.0f)));
    CM_EmptyTriangleCache(&cache, mesh);
    CM_FillTriangleCache(&cache, mesh, (bounds_t){VectorSubtract(lo, below), hi});
    for (int i = 0; i < 4; i++) {
        vec3_t from = Vector(end.x + (i & 1 ? PEER_HALF_X : -PEER_HALF_X),
                             end.y + (i & 2 ? PEER_HALF_Y : -PEER_HALF_Y), end.z);
        vec3_t to = VectorSubtract(from, below);
        found += CM_CachedMeshSweep(&cache, from, to, none, none).fraction < 1.0f;
    }
    const vec3_t places[3] = {end, {end.x, start.y, start.z}, {start.x, end.y, start.z}};
    for (int i = 0; i < 3; i++) {
        vec3_t at = Vector(places[i].x, places[i].y, places[i].z + 0.1f);
        bounds_t box = {VectorAdd(at, player.mins), VectorAdd(at, player.maxs)};
        found += CM_CachedMeshOverlap(&cache, box, contacts, MAX_KEPT) > 0;
    }
    return found;
}

static int64_t run_ours(void *world, peer_question_t question, const peer_query_t *queries,
                        int32_t count, double *sum) {
    const mesh_t *mesh = &((const built_mesh_t *)world)->mesh;
    int64_t hits = 0;
    for (int32_t i = 0; i < count; i++) {
        vec3_t s = vector(queries[i].start);
        vec3_t e = vector(queries[i].end);
        if (question == PEER_ARTICLE) {
            hits += move_of_article(mesh, s, e);
        } else if (question == PEER_OVERLAP) {
            hits += CM_MeshTouches(mesh, &unturned, s, player.mins, player.maxs);
        } else {
            mesh_hit_t hit = question == PEER_RAY
                                 ? CM_MeshSweep(mesh, &unturned, s, e, none, none)
                                 : CM_MeshSweep(mesh, &unturned, s, e, player.mins, player.maxs);
            hits += hit.fraction < 1.0f;
            *sum += (double)hit.fraction;
        }
    }
    return hits;
}

static const peer_t Peer_Ours = {"edictd", build_ours, free_ours, answers_ours, run_ours};

static const peer_t *const engines[NUM_ENGINES] = {&Peer_Ours, &Peer_Embree, &Peer_Ode,
                                                   &Peer_Bullet};

// ---- queries ----

typedef struct {
    const char *name, *file;
    int mesh;
    peer_question_t question;
} set_t;

static const char *const mesh_names[NUM_MESHES] = {"level", "terrain", "boxes"};

static const set_t sets[NUM_SETS] = {
    {"ray_level", "lq_e0m1.h0.ray_long", 0, PEER_RAY},
    {"ray_terrain", "terrain.ray_long", 1, PEER_RAY},
    {"ray_boxes", "boxes.ray_long", 2, PEER_RAY},
    {"short_level", "lq_e0m1.h1.short", 0, PEER_SWEEP},
    {"short_terrain", "terrain.short", 1, PEER_SWEEP},
    {"short_boxes", "boxes.short", 2, PEER_SWEEP},
    {"m500_level", "lq_e0m1.h1.m500", 0, PEER_SWEEP},
    {"overlap_level", "level.overlap", 0, PEER_OVERLAP},
    {"overlap_terrain", "terrain.overlap", 1, PEER_OVERLAP},
    {"overlap_boxes", "boxes.overlap", 2, PEER_OVERLAP},
    {"article004_worst_level", "lq_e0m1.h1.short", 0, PEER_ARTICLE},
    {"article004_worst_terrain", "terrain.short", 1, PEER_ARTICLE},
};

typedef struct {
    peer_query_t queries[NUM_QUERIES];
    int32_t count; // queries that every engine answers
    double ns[NUM_ENGINES], share[NUM_ENGINES], mean[NUM_ENGINES];
} run_t;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bool read_queries(run_t *run, const char *name) {
    char command[256];
    char line[256];
    snprintf(command, sizeof command, "zcat " DATA "%s.csv.gz", name);
    FILE *in = popen(command, "r");
    while (in && run->count < NUM_QUERIES && fgets(line, sizeof line, in)) {
        peer_query_t *q = &run->queries[run->count];
        run->count += sscanf(line, "%*d,%f,%f,%f,%f,%f,%f", &q->start[0], &q->start[1],
                             &q->start[2], &q->end[0], &q->end[1], &q->end[2]) == 6;
    }
    return in && pclose(in) == 0 && run->count == NUM_QUERIES;
}

/// Leaves out the sweeps that start overlapping.
static void keep_free_starts(run_t *run, const mesh_t *mesh) {
    int32_t kept = 0;
    for (int32_t i = 0; i < run->count; i++) {
        if (!CM_MeshTouches(mesh, &unturned, vector(run->queries[i].start), player.mins,
                            player.maxs)) {
            run->queries[kept++] = run->queries[i];
        }
    }
    run->count = kept;
}

static void ask(run_t *run, const set_t *set, int engine, void *world) {
    double sum = 0.0;
    double start = now_ns();
    int64_t hits = engines[engine]->run(world, set->question, run->queries, run->count, &sum);
    double ns = (now_ns() - start) / run->count;
    run->ns[engine] = run->ns[engine] == 0.0 || ns < run->ns[engine] ? ns : run->ns[engine];
    run->share[engine] = (double)hits / run->count;
    run->mean[engine] = sum / run->count;
}

/// Prints the results. Returns true if the engines agree.
static bool print_run(const run_t *run, const set_t *set) {
    bool good = true;
    for (int i = 0; i < NUM_ENGINES; i++) {
        if (!engines[i]->answers(set->question)) {
            continue;
        }
        if (i > 0) {
            printf("peers,%s,%.1f,ns,%s,%.1f\n", set->name, run->ns[0], engines[i]->name,
                   run->ns[i]);
            printf("peers,%s.ratio,%.3f,ours/peer,%s,1\n", set->name, run->ns[0] / run->ns[i],
                   engines[i]->name);
        }
        printf("peers,%s.hits,%.4f,share,%s,%.4f\n", set->name, run->share[0], engines[i]->name,
               run->share[i]);
        printf("peers,%s.mean_fraction,%.6f,share,%s,%.6f\n", set->name, run->mean[0],
               engines[i]->name, run->mean[i]);
        double most = set->question == PEER_ARTICLE ? 0.02 : 0.001;
        if (fabs(run->share[i] - run->share[0]) > most) {
            fprintf(stderr, "bench_peers: %s: hits %.4f, %s has %.4f\n", set->name, run->share[0],
                    engines[i]->name, run->share[i]);
            good = false;
        }
    }
    return good;
}

// ---- meshes ----

static bool read_mesh(test_mesh_t *source, int mesh) {
    char text[512];
    const char *build = getenv("BUILD");
    build = build ? build : "build";
    if (mesh == 0) {
        return TestMesh_ReadObj(source, DATA "level.obj.gz");
    }
    snprintf(text, sizeof text,
             "test -e '%s/bench-meshes/terrain.obj' || "
             "{ mkdir -p '%s/bench-meshes' && python3 " DATA
             "make_meshes.py '%s/bench-meshes' >/dev/null; }",
             build, build, build);
    if (system(text) != 0) {
        return false;
    }
    snprintf(text, sizeof text, "%s/bench-meshes/%s.obj", build, mesh_names[mesh]);
    return TestMesh_ReadObj(source, text);
}

static void build_worlds(const test_mesh_t *source, int mesh, void *worlds[NUM_ENGINES]) {
    const peer_mesh_t from = {.vertices = &source->vertices[0].x,
                              .indices = (const int32_t(*)[3])source->indices,
                              .num_vertices = source->num_vertices,
                              .num_triangles = source->num_triangles};
    double ms[NUM_ENGINES] = {0};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < NUM_ENGINES; i++) {
            if (worlds[i]) {
                engines[i]->free(worlds[i]);
            }
            double start = now_ns();
            worlds[i] = engines[i]->build(&from);
            double took = (now_ns() - start) / 1e6;
            ms[i] = round == 0 || took < ms[i] ? took : ms[i];
        }
    }
    for (int i = 1; i < NUM_ENGINES; i++) {
        printf("peers,build_%s,%.2f,ms,%s,%.2f\n", mesh_names[mesh], ms[0], engines[i]->name,
               ms[i]);
    }
}

/// Runs all sets of one mesh.
static bool bench_mesh(int mesh, int rounds) {
    test_mesh_t source = {0};
    void *worlds[NUM_ENGINES] = {NULL};
    run_t *runs = calloc(NUM_SETS, sizeof *runs);
    bool good = runs && read_mesh(&source, mesh);
    if (good) {
        build_worlds(&source, mesh, worlds);
    }
    for (int i = 0; good && i < NUM_SETS; i++) {
        good = sets[i].mesh != mesh || read_queries(&runs[i], sets[i].file);
        if (good && sets[i].mesh == mesh && sets[i].question == PEER_SWEEP) {
            keep_free_starts(&runs[i], &((const built_mesh_t *)worlds[0])->mesh);
        }
    }
    for (int round = 0; good && round < rounds; round++) {
        for (int i = 0; i < NUM_SETS; i++) {
            for (int k = 0; k < NUM_ENGINES && sets[i].mesh == mesh; k++) {
                if (engines[k]->answers(sets[i].question)) {
                    ask(&runs[i], &sets[i], k, worlds[k]);
                }
            }
        }
    }
    bool agree = good;
    for (int i = 0; good && i < NUM_SETS; i++) {
        agree = (sets[i].mesh != mesh || print_run(&runs[i], &sets[i])) && agree;
    }
    for (int i = 0; i < NUM_ENGINES; i++) {
        if (worlds[i]) {
            engines[i]->free(worlds[i]);
        }
    }
    TestMesh_Free(&source);
    free(runs);
    return agree;
}

int main(void) {
    FILE *probe = fopen(DATA "README.md", "rb");
    if (!probe) {
        fprintf(stderr, "bench_peers: SKIPPED: no " DATA "\n");
        return 0;
    }
    fclose(probe);
    const char *wanted = getenv("ROUNDS");
    int rounds = wanted ? atoi(wanted) : 5;
    bool good = true;
    for (int i = 0; i < NUM_MESHES; i++) {
        good = bench_mesh(i, rounds) && good;
    }
    return good ? 0 : 1;
}
