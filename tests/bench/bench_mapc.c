// bench_mapc.c - measures the map compiler: its time, the size of its trees, and the speed of
// sweeps in them.
//
// The peer is the other compiler whose files are in the data: the size of its trees, and the same
// sweeps on its map in the same run. Without the data, only the generated map is measured.

#include "base/file.h"
#include "base/limits.h"
#include "base/rng.h"
#include "bsp/bsp.h"
#include "mapc/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DATA_DIR   "../shared/data/"
#define ROUNDS     5
#define SWEEPS     20000
#define GRID_BOXES 24 // boxes along x and y of the generated map
#define MAX_SOURCE (1 << 20)

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, compare_double);
    return values[ROUNDS / 2];
}

static void print_line(const char *name, const char *what, double value, const char *unit,
                       double peer) {
    printf("mapc,%s %s,%.2f,%s,", name, what, value, unit);
    if (peer >= 0.0) {
        printf("qbsp,%.2f", peer);
    } else {
        printf(",");
    }
    printf("\n");
}

static void say(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "%s\n", text);
}

/// Compiles a map ROUNDS times, and returns the last one in *map. Returns false if it does not
/// compile.
static bool time_compile(const char *name, const char *text, size_t size, cmap_t *map) {
    double times[ROUNDS];
    mc_result_t result = {0};
    for (int i = 0; i < ROUNDS; i++) {
        MC_FreeResult(&result);
        mc_options_t options = {0};
        mc_report_t report = {.line = say, .name = name, .quiet = true};
        double start = now_ms();
        if (MC_Compile(&result, &options, &report, text, size) != MC_COMPILED) {
            return false;
        }
        times[i] = now_ms() - start;
    }
    print_line(name, "compile", median(times), "ms", -1.0);
    err_t err;
    bool good = BSP_Parse(map, "bench.bsp", result.bsp, result.bsp_size, &err);
    MC_FreeResult(&result);
    return good;
}

/// Returns the number of nodes of all hulls and models, as loaded.
static double hull_nodes(const cmap_t *map) {
    return (double)map->num_clipnodes;
}

/// Returns the nanoseconds of a sweep through hull 1 between random points; *sum keeps the compiler
/// from removing the sweeps.
static double time_sweeps(const cmap_t *map, bounds_t box, float *sum) {
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        rng_t rng = {7};
        double start = now_ms();
        for (int i = 0; i < SWEEPS; i++) {
            vec3_t p[2];
            for (int k = 0; k < 2; k++) {
                p[k].x = Rng_Range(&rng, box.mins.x, box.maxs.x);
                p[k].y = Rng_Range(&rng, box.mins.y, box.maxs.y);
                p[k].z = Rng_Range(&rng, box.mins.z, box.maxs.z);
            }
            vec3_t end = VectorMA(p[0], 0.1f, VectorSubtract(p[1], p[0]));
            *sum += CM_HullTrace(&map->models[0].hulls[1], p[0], end).fraction;
        }
        times[round] = (now_ms() - start) * 1e6 / SWEEPS;
    }
    return median(times);
}

static int bench_file(const char *source, const char *compiled) {
    char path[256];
    err_t err;
    cmap_t ours;
    cmap_t theirs;
    size_t size;
    snprintf(path, sizeof path, DATA_DIR "%s", compiled);
    if (access(path, R_OK) != 0) {
        return 0;
    }
    if (!BSP_Load(&theirs, path, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    snprintf(path, sizeof path, DATA_DIR "%s", source);
    char *text = (char *)File_Read(path, MAX_MAP_BYTES, &size, &err);
    const char *name = theirs.name;
    if (!text || !time_compile(name, text, size, &ours)) {
        return 1;
    }
    free(text);
    print_line(name, "hull nodes", hull_nodes(&ours), "count", hull_nodes(&theirs));
    float sum[2] = {0.0f, 0.0f};
    bounds_t box = theirs.models[0].bounds;
    double mine = time_sweeps(&ours, box, &sum[0]);
    double peer = time_sweeps(&theirs, box, &sum[1]);
    print_line(name, "hull 1 sweep", mine, "ns", peer);
    CM_FreeMap(&ours);
    CM_FreeMap(&theirs);
    // Both compilers have the same map, so the same sweeps must end at about the same points.
    return sum[0] - sum[1] > 10.0f || sum[1] - sum[0] > 10.0f ? 1 : 0;
}

static size_t add_box(char *text, size_t used, const int b[6]) {
    const int s[6][9] = {{b[0], b[1], b[2], b[0], b[4], b[2], b[0], b[1], b[5]},
                         {b[3], b[1], b[2], b[3], b[1], b[5], b[3], b[4], b[2]},
                         {b[0], b[1], b[2], b[0], b[1], b[5], b[3], b[1], b[2]},
                         {b[0], b[4], b[2], b[3], b[4], b[2], b[0], b[4], b[5]},
                         {b[0], b[1], b[2], b[3], b[1], b[2], b[0], b[4], b[2]},
                         {b[0], b[1], b[5], b[0], b[4], b[5], b[3], b[1], b[5]}};
    used += (size_t)snprintf(text + used, MAX_SOURCE - used, "{\n");
    for (int i = 0; i < 6; i++) {
        const int *p = s[i];
        used += (size_t)snprintf(text + used, MAX_SOURCE - used,
                                 "( %d %d %d ) ( %d %d %d ) ( %d %d %d ) a 0 0 0 1 1\n", p[0], p[1],
                                 p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
    }
    return used + (size_t)snprintf(text + used, MAX_SOURCE - used, "}\n");
}

/// Measures a generated hall with a box of its own height in every square.
static int bench_generated(void) {
    char *text = malloc(MAX_SOURCE);
    if (!text) {
        return 1;
    }
    const int width = GRID_BOXES * 128;
    const int walls[6][6] = {
        {-16, -16, -16, 0, width + 16, 528},        {width, -16, -16, width + 16, width + 16, 528},
        {-16, -16, -16, width + 16, 0, 528},        {-16, width, -16, width + 16, width + 16, 528},
        {-16, -16, -16, width + 16, width + 16, 0}, {-16, -16, 512, width + 16, width + 16, 528}};
    size_t used = (size_t)snprintf(text, MAX_SOURCE, "{\n\"classname\" \"worldspawn\"\n");
    for (int i = 0; i < 6; i++) {
        used = add_box(text, used, walls[i]);
    }
    rng_t rng = {1};
    for (int i = 0; i < GRID_BOXES * GRID_BOXES; i++) {
        int x = i % GRID_BOXES * 128 + 8 * (int)Rng_Below(&rng, 8);
        int y = i / GRID_BOXES * 128 + 8 * (int)Rng_Below(&rng, 8);
        const int box[6] = {x, y, 0, x + 64, y + 64, 16 + 8 * (int)Rng_Below(&rng, 30)};
        used = add_box(text, used, box);
    }
    used += (size_t)snprintf(text + used, MAX_SOURCE - used,
                             "}\n{\n\"classname\" \"light\"\n\"origin\" \"64 64 480\"\n}\n");
    cmap_t map;
    bool good = time_compile("boxes", text, used, &map);
    if (good) {
        print_line("boxes", "hull nodes", hull_nodes(&map), "count", -1.0);
        CM_FreeMap(&map);
    }
    free(text);
    return good ? 0 : 1;
}

int main(void) {
    int failed = bench_generated();
    failed |= bench_file("map/lqdm2.map", "bsp/lqdm2.bsp");
    failed |= bench_file("map/lqdm4.map", "bsp/lqdm4.bsp");
    failed |= bench_file("map/lqdm9.map", "bsp/lqdm9.bsp");
    failed |= bench_file("map/lqdm11.map", "bsp/lqdm11.bsp");
    failed |= bench_file("map/lqdm12.map", "bsp/lqdm12.bsp");
    failed |= bench_file("map/lq_e0m1.map", "bsp/lq_e0m1.bsp");
    return failed;
}
