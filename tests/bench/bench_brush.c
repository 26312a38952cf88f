// bench_brush.c - sweeps a player's box and points through Quake III maps: brushes, curved patches.
//
// Lines: bench,case,value,unit,peer,peer_value; ns per sweep, the lowest of several rounds. The
// peer's figures (lowest rounds; docs/performance.md) were measured on another machine. They are
// scaled by the speed of a chain of dependent additions (0.289 ns on that machine).
// The queries are those of that measurement: long = between two random points above something where
// the box is free; m500 = 500 units in a random direction from such a point; short = 5..20 units
// level from a point to stand on; ground = 0.25 down from there. Their hit shares are printed
// beside the peer's.
// Exit status 1 if a hit share is far from the peer's.

#include "base/rng.h"
#include "lib/pk3_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NUM_QUERIES = 20000, ROUNDS = 9, NUM_KINDS = 5 };

#define REFERENCE_ADD_NS 0.289    // a clock of 3.46 GHz
#define FAR              20000.0f // qu
#define MOST_APART       0.17     // greatest difference of the hit shares

typedef enum { BOX_SHORT, BOX_LONG, BOX_M500, BOX_GROUND, RAY_LONG } kind_t;

typedef struct {
    pk3_map_t map;
    const char *name;
    struct {
        double ns, hits; ///< 0 hits: not known
    } peer[NUM_KINDS];
} set_t;

static const char *const kind_names[NUM_KINDS] = {"brush_short", "brush_long", "brush_m500",
                                                  "brush_ground", "brush_ray_long"};

static const set_t sets[] = {
    {PK3_OA_DM2,
     "oa_dm2",
     {{564.0, 0.08}, {683.0, 0.68}, {543.0, 0.49}, {327.0, 1.0}, {503.0, 0.68}}},
    {PK3_CTF_INYARD,
     "ctf_inyard",
     {{524.0, 0.15}, {4735.0, 0.83}, {1272.0, 0.63}, {357.0, 1.0}, {1495.0, 0.81}}},
};

static const bounds_t player_box = {{-15.0f, -15.0f, -24.0f}, {15.0f, 15.0f, 32.0f}};
static const bounds_t point_box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};

typedef struct {
    vec3_t start[NUM_QUERIES], end[NUM_QUERIES];
    bounds_t box;
    double hits, mean, ns;
} queries_t;

typedef struct {
    cmap_t map;
    rng_t rng;
    queries_t kinds[NUM_KINDS];
} run_t;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static trace_t sweep(const cmap_t *map, const bounds_t *box, vec3_t start, vec3_t end) {
    const cm_object_t place = {.model = 0};
    return CM_BoxTrace(map, &place, start, end, box->mins, box->maxs);
}

/// Returns true if a sweep of the box far up or down is stopped.
static bool meets(const run_t *run, const bounds_t *box, vec3_t at, float up) {
    return sweep(&run->map, box, at, VectorAdd(at, Vector(0.0f, 0.0f, up))).fraction < 1.0f;
}

/// Returns a random point above something, with room for the box.
static vec3_t random_free(run_t *run, const bounds_t *box) {
    bounds_t all = run->map.models[0].bounds;
    for (;;) {
        float x = Rng_Range(&run->rng, all.mins.x, all.maxs.x);
        float y = Rng_Range(&run->rng, all.mins.y, all.maxs.y);
        vec3_t at = {x, y, Rng_Range(&run->rng, all.mins.z, all.maxs.z)};
        if (!sweep(&run->map, box, at, at).startsolid && meets(run, box, at, -FAR)) {
            return at;
        }
    }
}

/// Returns a random point to stand on, with something above it too: not on the roof of the map.
static vec3_t random_standing(run_t *run) {
    for (;;) {
        vec3_t at = random_free(run, &player_box);
        trace_t trace = sweep(&run->map, &player_box, at, Vector(at.x, at.y, at.z - FAR));
        if (trace.plane.normal.z > 0.7f && meets(run, &player_box, at, FAR)) {
            return trace.endpos;
        }
    }
}

static vec3_t random_direction(rng_t *rng) {
    for (;;) {
        float x = Rng_Range(rng, -1.0f, 1.0f);
        float y = Rng_Range(rng, -1.0f, 1.0f);
        vec3_t d = {x, y, Rng_Range(rng, -1.0f, 1.0f)};
        float length = VectorLength(d);
        if (length > 0.1f && length < 1.0f) {
            return VectorScale(d, 1.0f / length);
        }
    }
}

static void make_query(run_t *run, kind_t kind, vec3_t *start, vec3_t *end) {
    const bounds_t *box = &run->kinds[kind].box;
    vec3_t d = random_direction(&run->rng);
    switch (kind) {
    case BOX_LONG:
    case RAY_LONG:
        *start = random_free(run, box);
        *end = random_free(run, box);
        break;
    case BOX_M500:
        *start = random_free(run, box);
        *end = VectorMA(*start, 500.0f, d);
        break;
    case BOX_SHORT:
        *start = random_standing(run);
        d.z = 0.0f;
        *end = VectorMA(*start, Rng_Range(&run->rng, 5.0f, 20.0f) / VectorLength(d), d);
        break;
    case BOX_GROUND:
        *start = random_standing(run);
        *end = VectorAdd(*start, Vector(0.0f, 0.0f, -0.25f));
        break;
    }
}

static double time_kind(const run_t *run, queries_t *queries) {
    double sum = 0.0;
    double start = now_ns();
    for (int i = 0; i < NUM_QUERIES; i++) {
        sum += (double)sweep(&run->map, &queries->box, queries->start[i], queries->end[i]).fraction;
    }
    double ns = (now_ns() - start) / NUM_QUERIES;
    queries->ns = queries->ns == 0.0 || ns < queries->ns ? ns : queries->ns;
    return sum;
}

/// Returns false if the share of hits differs too much from the peer's.
static bool open_run(run_t *run, const set_t *set) {
    run->rng = (rng_t){1};
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        queries_t *queries = &run->kinds[kind];
        queries->box = kind == RAY_LONG ? point_box : player_box;
        int hits = 0;
        for (int i = 0; i < NUM_QUERIES; i++) {
            make_query(run, (kind_t)kind, &queries->start[i], &queries->end[i]);
            hits +=
                sweep(&run->map, &queries->box, queries->start[i], queries->end[i]).fraction < 1.0f;
        }
        queries->hits = (double)hits / NUM_QUERIES;
        queries->mean = time_kind(run, queries) / NUM_QUERIES;
        if (fabs(queries->hits - set->peer[kind].hits) > MOST_APART) {
            fprintf(stderr, "bench_brush: %s %s: hit share %.4f, expected about %.2f\n", set->name,
                    kind_names[kind], queries->hits, set->peer[kind].hits);
            return false;
        }
    }
    return true;
}

/// Returns the time of an addition, in a chain of additions that depend on each other.
static double time_add(void) {
    double start = now_ns();
    uint64_t sum = 1;
    uint64_t step = 3;
    for (int i = 0; i < 1000000; i++) {
        __asm__ volatile("" : "+r"(sum), "+r"(step)); // keeps the compiler from computing the sum
        sum += step;
        __asm__ volatile("" : "+r"(sum));
        sum += step;
        __asm__ volatile("" : "+r"(sum));
        sum += step;
        __asm__ volatile("" : "+r"(sum));
        sum += step;
    }
    return (now_ns() - start) / 4e6;
}

static bool bench_map(const set_t *set, double *sum) {
    run_t *run = calloc(1, sizeof *run);
    bool good = run != NULL;
    if (!good || !TestPk3_Load(set->map, &run->map)) {
        free(run);
        return good; // the set is skipped with a message
    }
    good = open_run(run, set);
    double add = time_add();
    for (int round = 0; good && round < ROUNDS; round++) {
        double ns = time_add();
        add = ns < add ? ns : add;
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            *sum += time_kind(run, &run->kinds[kind]);
        }
    }
    for (int kind = 0; good && kind < NUM_KINDS; kind++) {
        const queries_t *queries = &run->kinds[kind];
        printf("brush,%s.%s,%.1f,ns,ioquake3 scaled,%.1f\n", set->name, kind_names[kind],
               queries->ns, set->peer[kind].ns * add / REFERENCE_ADD_NS);
        printf("brush,%s.%s.hits,%.4f,share,ioquake3,%.2f\n", set->name, kind_names[kind],
               queries->hits, set->peer[kind].hits);
    }
    printf("brush,%s.calibration.add,%.4f,ns,reference machine,%.4f\n", set->name, add,
           REFERENCE_ADD_NS);
    CM_FreeMap(&run->map);
    free(run);
    return good;
}

int main(void) {
    double sum = 0.0;
    bool good = true;
    for (size_t i = 0; i < COUNTOF(sets); i++) {
        good = bench_map(&sets[i], &sum) && good;
    }
    return good && sum >= 0.0 ? 0 : 1;
}
