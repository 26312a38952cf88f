#include "lib/walk_fixture.h"

#include "base/file.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAP    "../shared/data/bsp/lq_e0m1.bsp"
#define POINTS "../shared/data/bench/lq_e0m1.h1.long.csv.gz"

enum { RUNS = 7, LUMP_PLANES = 1, LUMP_CLIPNODES = 9, LUMP_MODELS = 14, HEAD_1 = 40 };

static void *copy_lump(const uint8_t *bytes, int lump) {
    int32_t entry[2];
    memcpy(entry, bytes + 4 + lump * 8, sizeof entry);
    void *copy = malloc((size_t)entry[1]);
    if (!copy) {
        abort();
    }
    memcpy(copy, bytes + entry[0], (size_t)entry[1]);
    return copy;
}

static bool read_points(test_walk_t *walk) {
    char line[256];
    int count = 0;
    FILE *in = popen("gzip -dc " POINTS, "r");
    while (in && count < TEST_WALK_POINTS && fgets(line, sizeof line, in)) {
        vec3_t *p = &walk->points[count];
        count += sscanf(line, "%*d,%f,%f,%f", &p->x, &p->y, &p->z) == 3;
    }
    return in && pclose(in) == 0 && count == TEST_WALK_POINTS;
}

bool TestWalk_Open(test_walk_t *walk) {
    size_t size = 0;
    err_t err;
    *walk = (test_walk_t){.ns = 0.0};
    uint8_t *bytes = File_Read(MAP, MAX_MAP_BYTES, &size, &err);
    if (!bytes) {
        fprintf(stderr, "calibration: %s\n", err.text);
        return false;
    }
    walk->planes = copy_lump(bytes, LUMP_PLANES);
    walk->nodes = copy_lump(bytes, LUMP_CLIPNODES);
    uint8_t *models = copy_lump(bytes, LUMP_MODELS);
    memcpy(&walk->head, models + HEAD_1, sizeof walk->head);
    free(models);
    free(bytes);
    if (!read_points(walk)) {
        fprintf(stderr, "calibration: %s: no %d points\n", POINTS, TEST_WALK_POINTS);
        return false;
    }
    return true;
}

void TestWalk_Close(test_walk_t *walk) {
    free(walk->planes);
    free(walk->nodes);
}

static int64_t walk_all(const test_walk_t *walk) {
    int64_t sum = 0;
    for (int i = 0; i < TEST_WALK_POINTS; i++) {
        const float p[3] = {walk->points[i].x, walk->points[i].y, walk->points[i].z};
        int32_t num = walk->head;
        while (num >= 0) {
            const test_walk_plane_t *plane = &walk->planes[walk->nodes[num].plane];
            float d = plane->type < 3 ? p[plane->type] - plane->dist
                                      : plane->normal[0] * p[0] + plane->normal[1] * p[1] +
                                            plane->normal[2] * p[2] - plane->dist;
            if (d < 0.0f) {
                num = walk->nodes[num].children[1];
            } else {
                num = walk->nodes[num].children[0];
            }
        }
        sum += num;
    }
    return sum;
}

/// Uses the CPU time of this thread, so other work on the machine does not count.
static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void TestWalk_Run(test_walk_t *walk) {
    for (int r = 0; r < RUNS; r++) {
        double start = now_ns();
        int64_t sum = walk_all(walk);
        double ns = (now_ns() - start) / TEST_WALK_POINTS;
        // All starts are in empty space, so each walk ends in -1.
        if (sum != -TEST_WALK_POINTS) {
            fprintf(stderr, "calibration: %s: contents of %d expected, %lld found\n", MAP,
                    -TEST_WALK_POINTS, (long long)sum);
            abort();
        }
        walk->ns = walk->ns == 0.0 || ns < walk->ns ? ns : walk->ns;
    }
}
