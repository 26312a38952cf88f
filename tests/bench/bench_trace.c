// bench_trace.c - sweeps boxes through the hulls of real maps, with another engine's figures for
// the same queries; and through the brushes of these maps, with the hulls' figures.
//
// The last lines are the time of recovering the brushes of a map, and its limit.
//
// Lines: bench,case,value,unit,peer,peer_value, in ns per sweep, the lowest of several rounds. The
// benchmark data's README describes the queries and the peer's figures, which were measured on
// another machine: they are scaled by the speed of a plain walk down hull 1, which is measured in
// each round (lib/walk_fixture.h). As there, a round runs a set three times and keeps the median.
// Exit status 1 if the share of hits or the mean fraction differs from the README's: a faster wrong
// sweep is no result.

#include "base/file.h"
#include "base/rng.h"
#include "bsp/bsp.h"
#include "bsp/recover.h"
#include "lib/walk_fixture.h"
#include "math/angles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DATA "../shared/data/"

enum { NUM_QUERIES = 20000, ROUNDS = 11, RUNS = 3, NUM_BOXES = 1000 };

/// Stores a query file, and the README's figures for it.
typedef struct {
    const char *map, *name; ///< of the file
    const char *shown;
    int32_t hull;
    double hits, mean_fraction, peer_ns;
} set_t;

static const set_t sets[] = {
    {"lq_e0m1", "h1.short", "hull1_short", 1, 0.1373, 0.887223, 100.0},
    {"lq_e0m1", "h1.ground", "hull1_ground", 1, 1.0, 0.002389, 106.0},
    {"lq_e0m1", "h1.long", "hull1_long", 1, 0.9145, 0.217290, 286.0},
    {"lq_e0m1", "h1.m500", "hull1_m500", 1, 0.9579, 0.332743, 253.0},
    {"lq_e0m1", "h0.ray_long", "hull0_ray_long", 0, 0.9104, 0.243653, 271.0},
    {"lq_e0m1", "h0.ray_short", "hull0_ray_short", 0, 0.1416, 0.928725, 111.0},
    {"lqdm12", "h1.short", "hull1_short", 1, 0.0593, 0.969907, 84.5},
    {"lqdm12", "h1.ground", "hull1_ground", 1, 1.0, 0.0, 94.5},
    {"lqdm12", "h1.long", "hull1_long", 1, 0.9015, 0.290464, 256.0},
    {"lqdm12", "h1.m500", "hull1_m500", 1, 0.9798, 0.301729, 226.0},
    {"lqdm12", "h0.ray_long", "hull0_ray_long", 0, 0.8794, 0.347287, 256.0},
    {"lqdm12", "h0.ray_short", "hull0_ray_short", 0, 0.1579, 0.919970, 95.1},
};

typedef struct {
    vec3_t start[NUM_QUERIES], end[NUM_QUERIES];
    cmap_t map;
    const hull_t *hull;
    double trace_ns, contents_ns;
    double hits, mean_fraction; // of our answers
} run_t;

/// Returns the CPU time of this thread, so that other work on the machine does not count.
static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void keep_lowest(double *lowest, double value) {
    *lowest = *lowest == 0.0 || value < *lowest ? value : *lowest;
}

static double median(const double took[RUNS]) {
    double lo = took[0] < took[1] ? took[0] : took[1];
    double hi = took[0] < took[1] ? took[1] : took[0];
    return took[2] < lo ? lo : took[2] > hi ? hi : took[2];
}

// ---- brushes ----

/// Names the queries of a hull to run on the brushes; `hull_set` is the hull's index in sets[].
typedef struct {
    const char *name;
    size_t hull_set;
    bool fits;       ///< true: the hull's own box; false: half as wide and high, which fits no hull
    float yaw;       ///< degrees, turn of the map and the queries about z
    double most_off; ///< limit of the mean fraction's difference from the hull's; 0: not compared
} brush_set_t;

static const brush_set_t brush_sets[] = {
    {"lq_e0m1.brush_short", 0, true, 0.0f, 0.002},
    {"lq_e0m1.brush_ground", 1, true, 0.0f, 0.002},
    {"lq_e0m1.brush_long", 2, true, 0.0f, 0.002},
    {"lq_e0m1.brush_m500", 3, true, 0.0f, 0.002},
    {"lqdm12.brush_short", 6, true, 0.0f, 0.002},
    {"lqdm12.brush_ground", 7, true, 0.0f, 0.002},
    {"lqdm12.brush_long", 8, true, 0.0f, 0.002},
    {"lqdm12.brush_m500", 9, true, 0.0f, 0.002},
    {"lq_e0m1.brush_other_box_short", 0, false, 0.0f, 0.0},
    {"lq_e0m1.brush_other_box_long", 2, false, 0.0f, 0.0},
    {"lq_e0m1.brush_turned_90_short", 0, true, 90.0f, 0.002},
    {"lq_e0m1.brush_turned_37_short", 0, true, 37.0f, 0.0},
    {"lq_e0m1.brush_turned_37_long", 2, true, 37.0f, 0.0},
};

static const bounds_t player_box = {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}};
static const bounds_t other_box = {{-8.0f, -8.0f, -12.0f}, {8.0f, 8.0f, 16.0f}};

typedef struct {
    const run_t *run;
    cm_object_t place;
    bounds_t box;
    vec3_t start[NUM_QUERIES], end[NUM_QUERIES];
    double ns;
} brush_run_t;

static vec3_t turned(vec3_t v, float yaw) {
    float s;
    float c;
    SinCos(yaw, &s, &c);
    return Vector(v.x * c - v.y * s, v.x * s + v.y * c, v.z);
}

static double time_brushes(brush_run_t *run) {
    double sum = 0.0;
    double start = now_ns();
    for (int i = 0; i < NUM_QUERIES; i++) {
        sum += (double)CM_BoxTrace(&run->run->map, &run->place, run->start[i], run->end[i],
                                   run->box.mins, run->box.maxs)
                   .fraction;
    }
    keep_lowest(&run->ns, (now_ns() - start) / NUM_QUERIES);
    return sum;
}

/// Returns false if the answers differ too much from the hull's.
static bool open_brushes(brush_run_t *run, const brush_set_t *set, const run_t *runs) {
    run->run = &runs[set->hull_set];
    run->place = (cm_object_t){.solids = CM_SOLIDS_BRUSHES, .angles = {0.0f, set->yaw, 0.0f}};
    run->box = set->fits ? player_box : other_box;
    for (int i = 0; i < NUM_QUERIES; i++) {
        run->start[i] = turned(run->run->start[i], set->yaw);
        run->end[i] = turned(run->run->end[i], set->yaw);
    }
    double mean = time_brushes(run) / NUM_QUERIES;
    double hull_mean = sets[set->hull_set].mean_fraction;
    if (set->most_off > 0.0 && fabs(mean - hull_mean) > set->most_off) {
        fprintf(stderr, "bench_trace: %s: mean %.6f, expected about the hull's %.6f\n", set->name,
                mean, hull_mean);
        return false;
    }
    return true;
}

static void print_brushes(const brush_run_t *brushes, const run_t *runs) {
    for (size_t i = 0; i < COUNTOF(brush_sets); i++) {
        size_t hull_set = brush_sets[i].hull_set;
        printf("trace,%s,%.1f,ns,hull,%.1f\n", brush_sets[i].name, brushes[i].ns,
               runs[hull_set].trace_ns);
    }
}

// ---- the sweeps ----

static bool read_queries(run_t *run, const set_t *set) {
    char command[256];
    char line[256];
    snprintf(command, sizeof command, "zcat " DATA "bench/%s.%s.csv.gz", set->map, set->name);
    FILE *in = popen(command, "r");
    int count = 0;
    while (in && count < NUM_QUERIES && fgets(line, sizeof line, in)) {
        vec3_t *s = &run->start[count];
        vec3_t *e = &run->end[count];
        count +=
            sscanf(line, "%*d,%f,%f,%f,%f,%f,%f", &s->x, &s->y, &s->z, &e->x, &e->y, &e->z) == 6;
    }
    return in && pclose(in) == 0 && count == NUM_QUERIES;
}

static bool open_run(run_t *run, const set_t *set) {
    char path[256];
    err_t err;
    snprintf(path, sizeof path, DATA "bsp/%s.bsp", set->map);
    if (!BSP_Load(&run->map, path, &err)) {
        fprintf(stderr, "bench_trace: %s\n", err.text);
        return false;
    }
    run->hull = &run->map.models[0].hulls[set->hull];
    if (!read_queries(run, set)) {
        fprintf(stderr, "bench_trace: %s.%s: no %d queries\n", set->map, set->name, NUM_QUERIES);
        return false;
    }
    return true;
}

/// Returns true if the answers equal the README's, to its number of digits.
static bool check_answers(run_t *run, const set_t *set) {
    int hits = 0;
    double sum = 0.0;
    for (int i = 0; i < NUM_QUERIES; i++) {
        trace_t trace = CM_HullTrace(run->hull, run->start[i], run->end[i]);
        hits += trace.fraction < 1.0f;
        sum += (double)trace.fraction;
    }
    double share = (double)hits / NUM_QUERIES;
    double mean = sum / NUM_QUERIES;
    run->hits = share;
    run->mean_fraction = mean;
    if (fabs(share - set->hits) > 0.000051 || fabs(mean - set->mean_fraction) > 0.000001) {
        fprintf(stderr, "bench_trace: %s.%s: hits %.4f mean %.6f, expected %.4f and %.6f\n",
                set->map, set->name, share, mean, set->hits, set->mean_fraction);
        return false;
    }
    return true;
}

static double time_run(run_t *run) {
    double sum = 0.0;
    double took[RUNS];
    for (int r = 0; r < RUNS; r++) {
        double start = now_ns();
        for (int i = 0; i < NUM_QUERIES; i++) {
            sum += (double)CM_HullTrace(run->hull, run->start[i], run->end[i]).fraction;
        }
        took[r] = (now_ns() - start) / NUM_QUERIES;
    }
    keep_lowest(&run->trace_ns, median(took));
    double start = now_ns();
    for (int i = 0; i < NUM_QUERIES; i++) {
        sum += (double)CM_HullPointContents(run->hull, run->start[i]);
    }
    keep_lowest(&run->contents_ns, (now_ns() - start) / NUM_QUERIES);
    return sum;
}

/// Measures boxes against boxes around them, as edicts meet each other.
static double time_boxes(const run_t *run, double *sum) {
    static bounds_t boxes[NUM_BOXES];
    rng_t rng = {1};
    for (int i = 0; i < NUM_BOXES; i++) {
        vec3_t at = VectorLerp(run->start[i], run->end[i], Rng_Float(&rng));
        boxes[i] = (bounds_t){VectorAdd(at, Vector(-16.0f, -16.0f, -24.0f)),
                              VectorAdd(at, Vector(16.0f, 16.0f, 32.0f))};
    }
    double start = now_ns();
    for (int i = 0; i < NUM_BOXES; i++) {
        *sum += (double)CM_BoxBoxTrace(boxes[i], run->start[i], run->end[i],
                                       Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 32.0f))
                    .fraction;
    }
    return (now_ns() - start) / NUM_BOXES;
}

/// Prints what the recovery of brushes adds to the load of lq_e0m1 without its brush list.
static bool bench_recovery(void) {
    double least_ns = 0.0;
    int32_t count = 0;
    size_t size = 0;
    err_t err = {{0}};
    uint8_t *data = File_Read(DATA "bsp/lq_e0m1.bsp", MAX_MAP_BYTES, &size, &err);
    uint8_t *list = data ? memmem(data, size, "BRUSHLIST", 9) : NULL;
    if (list) {
        list[0] = 'X';
    }
    for (int round = 0; data && round < RUNS; round++) {
        cmap_t map;
        if (!BSP_Parse(&map, "lq_e0m1", data, size, &err)) {
            break;
        }
        double start = now_ns();
        Map_RecoverBrushes(&map);
        keep_lowest(&least_ns, now_ns() - start);
        count = map.num_recovered;
        CM_FreeMap(&map);
    }
    free(data);
    if (count == 0) {
        fprintf(stderr, "bench_trace: no brushes recovered: %s\n", err.text);
        return false;
    }
    printf("trace,lq_e0m1.recover_brushes,%.1f,ms,limit,150\n", least_ns / 1e6);
    printf("trace,lq_e0m1.recover_brushes.ratio,%.3f,,limit,1\n", least_ns / 150e6);
    return true;
}

static void print_results(const run_t *runs, const test_walk_t *walk, double box_ns) {
    double scale = TestWalk_Scale(walk);
    printf("trace,calibration.walk_hull1,%.1f,ns,reference machine,%.1f\n", walk->ns,
           TEST_WALK_REFERENCE_NS);
    for (size_t i = 0; i < COUNTOF(sets); i++) {
        const set_t *set = &sets[i];
        double peer_ns = set->peer_ns * scale;
        printf("trace,%s.%s,%.1f,ns,mvdsv scaled,%.1f\n", set->map, set->shown, runs[i].trace_ns,
               peer_ns);
        printf("trace,%s.%s.ratio,%.3f,,mvdsv,1\n", set->map, set->shown,
               runs[i].trace_ns / peer_ns);
        printf("trace,%s.%s.hits,%.4f,share,mvdsv,%.4f\n", set->map, set->shown, runs[i].hits,
               set->hits);
        printf("trace,%s.%s.mean_fraction,%.6f,,mvdsv,%.6f\n", set->map, set->shown,
               runs[i].mean_fraction, set->mean_fraction);
    }
    for (size_t i = 0; i < COUNTOF(sets); i++) {
        printf("trace,%s.%s.contents_at_start,%.1f,ns,,\n", sets[i].map, sets[i].shown,
               runs[i].contents_ns);
    }
    printf("trace,box_box,%.1f,ns,,\n", box_ns);
}

int main(void) {
    FILE *probe = fopen(DATA "bench/README.md", "rb");
    if (!probe) {
        fprintf(stderr, "bench_trace: SKIPPED: no " DATA "bench\n");
        return 0;
    }
    fclose(probe);
    run_t *runs = calloc(COUNTOF(sets), sizeof *runs);
    test_walk_t *walk = calloc(1, sizeof *walk);
    brush_run_t *brushes = calloc(COUNTOF(brush_sets), sizeof *brushes);
    bool good = runs && walk && brushes;
    for (size_t i = 0; good && i < COUNTOF(sets); i++) {
        good = open_run(&runs[i], &sets[i]) && check_answers(&runs[i], &sets[i]);
    }
    for (size_t i = 0; good && i < COUNTOF(brush_sets); i++) {
        good = open_brushes(&brushes[i], &brush_sets[i], runs);
    }
    good = good && TestWalk_Open(walk);
    double sum = 0.0;
    double box_ns = 0.0;
    for (int round = 0; good && round < ROUNDS; round++) {
        TestWalk_Run(walk);
        for (size_t i = 0; i < COUNTOF(sets); i++) {
            sum += time_run(&runs[i]);
        }
        for (size_t i = 0; i < COUNTOF(brush_sets); i++) {
            sum += time_brushes(&brushes[i]);
        }
        keep_lowest(&box_ns, time_boxes(&runs[0], &sum));
    }
    if (good && sum != 0.0) {
        print_results(runs, walk, box_ns);
        print_brushes(brushes, runs);
        good = bench_recovery();
    }
    for (size_t i = 0; runs && i < COUNTOF(sets); i++) {
        CM_FreeMap(&runs[i].map);
    }
    if (walk) {
        TestWalk_Close(walk);
    }
    free(walk);
    free(brushes);
    free(runs);
    return good ? 0 : 1;
}
