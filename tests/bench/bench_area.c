// bench_area.c - measures the area tree against a plain grid, with the same boxes and queries in
// the same run.
//
// Scene and peer are described in the benchmark data's README: n boxes in 8,192 x 8,192 x 1,024,
// and 20,000 queries with cubes of side 100. The plain grid, which is the peer on every line, has
// 64 x 64 x 8 cells of 128 units with doubly linked lists of indices and nothing else. Exit status
// 1 if tree and grid find different boxes, or the sums of the hits differ from the scene's.

#include "base/rng.h"
#include "collide/cmap.h"
#include "world/area_local.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NUM_QUERIES 20000
#define PASSES      25
#define NUM_SLICES  40
#define SLICE       (NUM_QUERIES / NUM_SLICES)
#define MAX_BOXES   65536
#define QUERY_HALF  50.0f
#define GRID_XY     64
#define GRID_Z      8
#define GRID_CELL   128.0f

static const vec3_t box_mins = {-16.0f, -16.0f, -24.0f};
static const vec3_t box_maxs = {16.0f, 16.0f, 32.0f};

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// ---- the scene ----

typedef struct {
    int32_t count;
    vec3_t origins[MAX_BOXES];
    vec3_t centers[NUM_QUERIES];
} scene_t;

static float eighths(uint32_t below, int32_t minus, rng_t *rng) {
    return (float)((int32_t)Rng_Below(rng, below) - minus) / 8.0f;
}

static void make_scene(scene_t *scene, int32_t count) {
    rng_t rng = {(uint64_t)(3 + count)};
    scene->count = count;
    for (int32_t i = 0; i < count; i++) {
        float x = eighths(65536, 32768, &rng);
        float y = eighths(65536, 32768, &rng);
        scene->origins[i] = Vector(x, y, eighths(8192, 4096, &rng));
    }
    for (int32_t i = 0; i < NUM_QUERIES; i++) {
        vec3_t at = scene->origins[Rng_Below(&rng, (uint32_t)count)];
        float x = eighths(320, 160, &rng);
        float y = eighths(320, 160, &rng);
        scene->centers[i] = VectorAdd(at, Vector(x, y, eighths(320, 160, &rng)));
    }
}

static bounds_t query_box(const scene_t *scene, int32_t i) {
    vec3_t half = {QUERY_HALF, QUERY_HALF, QUERY_HALF};
    return (bounds_t){VectorSubtract(scene->centers[i], half), VectorAdd(scene->centers[i], half)};
}

// ---- the peer: a bare grid ----

typedef struct {
    int32_t heads[GRID_XY * GRID_XY * GRID_Z];
    int32_t next[MAX_BOXES], prev[MAX_BOXES], cells[MAX_BOXES];
    bounds_t boxes[MAX_BOXES];
} grid_t;

static int32_t grid_axis(float v, float origin, int32_t count) {
    return Q_ClampI((int32_t)((v - origin) * (1.0f / GRID_CELL)), 0, count - 1);
}

static int32_t grid_cell(vec3_t at) {
    int32_t x = grid_axis(at.x, -4096.0f, GRID_XY);
    int32_t y = grid_axis(at.y, -4096.0f, GRID_XY);
    return (grid_axis(at.z, -512.0f, GRID_Z) * GRID_XY + y) * GRID_XY + x;
}

static void grid_move(grid_t *grid, int32_t i, vec3_t origin) {
    int32_t cell = grid_cell(origin);
    grid->boxes[i] = (bounds_t){VectorAdd(origin, box_mins), VectorAdd(origin, box_maxs)};
    if (grid->cells[i] == cell) {
        return;
    }
    if (grid->cells[i] >= 0) {
        if (grid->next[i] >= 0) {
            grid->prev[grid->next[i]] = grid->prev[i];
        }
        if (grid->prev[i] >= 0) {
            grid->next[grid->prev[i]] = grid->next[i];
        } else {
            grid->heads[grid->cells[i]] = grid->next[i];
        }
    }
    grid->cells[i] = cell;
    grid->prev[i] = -1;
    grid->next[i] = grid->heads[cell];
    if (grid->next[i] >= 0) {
        grid->prev[grid->next[i]] = i;
    }
    grid->heads[cell] = i;
}

static void grid_fill(grid_t *grid, const scene_t *scene) {
    memset(grid->heads, 0xff, sizeof grid->heads);
    memset(grid->cells, 0xff, sizeof grid->cells);
    for (int32_t i = 0; i < scene->count; i++) {
        grid_move(grid, i, scene->origins[i]);
    }
}

static int32_t grid_query(const grid_t *grid, bounds_t box, int32_t *list) {
    int32_t count = 0;
    int32_t x0 = grid_axis(box.mins.x - 16.0f, -4096.0f, GRID_XY);
    int32_t x1 = grid_axis(box.maxs.x + 16.0f, -4096.0f, GRID_XY);
    int32_t y0 = grid_axis(box.mins.y - 16.0f, -4096.0f, GRID_XY);
    int32_t y1 = grid_axis(box.maxs.y + 16.0f, -4096.0f, GRID_XY);
    int32_t z0 = grid_axis(box.mins.z - 32.0f, -512.0f, GRID_Z);
    int32_t z1 = grid_axis(box.maxs.z + 24.0f, -512.0f, GRID_Z);
    for (int32_t z = z0; z <= z1; z++) {
        for (int32_t y = y0; y <= y1; y++) {
            for (int32_t x = x0; x <= x1; x++) {
                int32_t i = grid->heads[(z * GRID_XY + y) * GRID_XY + x];
                for (; i >= 0; i = grid->next[i]) {
                    if (BoundsTouch(grid->boxes[i], box)) {
                        list[count++] = i;
                    }
                }
            }
        }
    }
    return count;
}

// ---- ours: a world ----

typedef struct {
    world_t *world;
    cmap_t map; // empty: no edict here is a brush model
    sv_context_t sv;
    int32_t first; ///< edict of box 0; box n is edict first + n
    int32_t count;
} ours_t;

static void ours_init(ours_t *ours, int32_t max_edicts) {
    const world_params_t params = {
        .max_edicts = max_edicts,
        .max_clients = 1,
        .seed = 1,
        .bounds = {{-4096.0f, -4096.0f, -512.0f}, {4096.0f, 4096.0f, 512.0f}}};
    memset(ours, 0, sizeof *ours);
    ours->world = World_Init(aligned_alloc(64, World_Bytes(&params)), &params);
    ours->sv = (sv_context_t){.world = ours->world, .map = &ours->map};
    SV_SpawnEdictAt(&ours->sv, 1);
    ours->first = 1;
}

// Fills the world with the boxes. Linking widens an edict's box by 1, so the edict's box is 1
// smaller than the scene's.
static void ours_fill(ours_t *ours, const scene_t *scene) {
    const vec3_t one = {1.0f, 1.0f, 1.0f};
    for (int32_t i = 0; i < ours->count; i++) {
        edict_t *edict = i == 0 ? World_Edict(ours->world, 1) : SV_SpawnEdict(&ours->sv);
        edict->solid = SOLID_BBOX;
        edict->mins = VectorAdd(box_mins, one);
        edict->maxs = VectorSubtract(box_maxs, one);
        edict->origin = scene->origins[i];
        SV_LinkEdict(&ours->sv, edict, false);
    }
    World_TickHash(ours->world); // ends the writes of this tick
}

// ---- checks ----

static bool same_answers(const ours_t *ours, const grid_t *grid, const scene_t *scene,
                         double *per_query) {
    static int32_t a[MAX_BOXES], b[MAX_BOXES];
    int64_t total = 0;
    for (int32_t q = 0; q < NUM_QUERIES; q++) {
        int32_t na =
            SV_AreaEdicts(ours->world, query_box(scene, q), AREA_SOLID, a, MAX_BOXES, NULL);
        int32_t nb = grid_query(grid, query_box(scene, q), b);
        int32_t known = 0;
        total += nb;
        for (int32_t i = 0; i < nb; i++) {
            known += b[i] < ours->count ? 1 : 0;
        }
        if (na != known) {
            return false;
        }
        for (int32_t i = 0; i < na; i++) {
            bounds_t box = grid->boxes[a[i] - ours->first];
            if (!BoundsTouch(box, query_box(scene, q)) || (i > 0 && a[i] <= a[i - 1])) {
                return false;
            }
        }
    }
    *per_query = (double)total / NUM_QUERIES;
    return true;
}

// ---- measuring ----

typedef struct {
    double lowest, median, peer_lowest, peer_median;
} result_t;

static void report(const char *name, int32_t count, const result_t *r) {
    printf("area,%s_%d_lowest,%.1f,ns,bare_grid,%.1f\n", name, count, r->lowest, r->peer_lowest);
    printf("area,%s_%d_median,%.1f,ns,bare_grid,%.1f\n", name, count, r->median, r->peer_median);
    printf("area,%s_%d_ratio,%.2f,x,bare_grid,1.00\n", name, count, r->lowest / r->peer_lowest);
}

// Runs all queries once in order, and stores the time of each slice of them.
static void time_queries(const ours_t *ours, const grid_t *grid, const scene_t *scene,
                         double *slices) {
    static int32_t list[MAX_BOXES];
    volatile int64_t sink = 0;
    for (int32_t s = 0; s < NUM_SLICES; s++) {
        int64_t found = 0;
        double start = now_ns();
        for (int32_t q = s * SLICE; q < (s + 1) * SLICE; q++) {
            bounds_t box = query_box(scene, q);
            found += ours ? SV_AreaEdicts(ours->world, box, AREA_SOLID, list, MAX_BOXES, NULL)
                          : grid_query(grid, box, list);
        }
        slices[s] = (now_ns() - start) / SLICE;
        sink += found;
    }
}

// Takes the lowest value and the median of each slice over all passes. So a process that interrupts
// a pass spoils only a slice.
static void fold(double passes[PASSES][NUM_SLICES], double *lowest, double *median) {
    double column[PASSES];
    *lowest = 0.0;
    *median = 0.0;
    for (int32_t s = 0; s < NUM_SLICES; s++) {
        for (int32_t i = 0; i < PASSES; i++) {
            column[i] = passes[i][s];
        }
        qsort(column, PASSES, sizeof(double), compare_double);
        *lowest += column[0] / NUM_SLICES;
        *median += column[PASSES / 2] / NUM_SLICES;
    }
}

static void bench_queries(const ours_t *ours, const grid_t *grid, const scene_t *scene) {
    static double a[PASSES][NUM_SLICES], b[PASSES][NUM_SLICES];
    result_t result;
    for (int32_t i = 0; i < PASSES; i++) {
        time_queries(ours, NULL, scene, a[i]);
        time_queries(NULL, grid, scene, b[i]);
    }
    fold(a, &result.lowest, &result.median);
    fold(b, &result.peer_lowest, &result.peer_median);
    report("query", scene->count, &result);
}

static void link_edict(ours_t *ours, int32_t i, vec3_t origin) {
    edict_t *edict = World_Edict(ours->world, ours->first + i);
    edict->origin = origin;
    SV_LinkEdict(&ours->sv, edict, false);
}

// Times only the tree's part of a link, because the plain grid has nothing more.
static void link_area(ours_t *ours, int32_t i, vec3_t origin) {
    area_link(ours->world, ours->first + i, VectorAdd(origin, box_mins),
              VectorAdd(origin, box_maxs), AREA_SOLID);
}

static inline __attribute__((always_inline)) void
time_moves(ours_t *ours, const scene_t *scene, double *slices,
           void (*link)(ours_t *, int32_t, vec3_t)) {
    int32_t slice = ours->count / NUM_SLICES;
    for (int32_t s = 0; s < NUM_SLICES; s++) {
        double start = now_ns();
        for (int32_t i = s * slice; i < (s + 1) * slice; i++) {
            link(ours, i, scene->origins[i]);
        }
        slices[s] = (now_ns() - start) / slice;
    }
}

static void time_grid(grid_t *grid, const scene_t *scene, double *slices) {
    int32_t slice = scene->count / NUM_SLICES;
    for (int32_t s = 0; s < NUM_SLICES; s++) {
        double start = now_ns();
        for (int32_t i = s * slice; i < (s + 1) * slice; i++) {
            grid_move(grid, i, scene->origins[i]);
        }
        slices[s] = (now_ns() - start) / slice;
    }
}

static void move_scene(scene_t *scene, float step, rng_t *rng) {
    for (int32_t i = 0; i < scene->count; i++) {
        float x = Rng_Range(rng, -step, step);
        vec3_t by = {x, Rng_Range(rng, -step, step), 0.0f};
        scene->origins[i] = VectorAdd(scene->origins[i], by);
    }
}

// Moves every box in index order by a step; step 0 links it again at the same position. Measures
// the tree's part alone, then all of SV_LinkEdict: checks, linked box, marks.
static void bench_moves(ours_t *ours, grid_t *grid, scene_t *scene, float step) {
    static double part[PASSES][NUM_SLICES], whole[PASSES][NUM_SLICES], bare[PASSES][NUM_SLICES];
    result_t result;
    rng_t rng = {7};
    for (int32_t pass = 0; pass < PASSES; pass++) {
        move_scene(scene, step, &rng);
        time_moves(ours, scene, part[pass], link_area);
        time_grid(grid, scene, bare[pass]);
        move_scene(scene, step, &rng);
        time_moves(ours, scene, whole[pass], link_edict);
        grid_fill(grid, scene);
        World_TickHash(ours->world);
    }
    fold(bare, &result.peer_lowest, &result.peer_median);
    fold(part, &result.lowest, &result.median);
    report(step > 0.0f ? "relink_10" : "relink_in_place", scene->count, &result);
    fold(whole, &result.lowest, &result.median);
    report(step > 0.0f ? "linkedict_10" : "linkedict_in_place", scene->count, &result);
}

static bool bench_scene(int32_t count, double expected_hits) {
    static scene_t scene;
    static grid_t grid;
    ours_t ours;
    double per_query = 0.0;
    make_scene(&scene, count);
    grid_fill(&grid, &scene);
    ours_init(&ours, Q_MinI(count + 1, MAX_EDICTS));
    // Edict 0 is the map, so 65,536 boxes would be one too many.
    ours.count = ours.world->max_edicts - 1;
    ours_fill(&ours, &scene);
    bool good = same_answers(&ours, &grid, &scene, &per_query);
    good = good && per_query > expected_hits - 0.00006 && per_query < expected_hits + 0.00006;
    printf("area,hits_%d,%.4f,boxes/query,recipe,%.4f\n", count, per_query, expected_hits);
    if (!good) {
        fprintf(stderr, "bench_area: %d boxes: wrong answers\n", count);
        return false;
    }
    bench_queries(&ours, &grid, &scene);
    bench_moves(&ours, &grid, &scene, 0.0f);
    bench_moves(&ours, &grid, &scene, 10.0f);
    printf("area,block_%d,%.1f,MB,,\n", count, (double)ours.world->bytes / 1e6);
    free(ours.world);
    return true;
}

// ---- nasty scenes ----

// Adds a map-wide trigger and a few hundred boxes of every size to 4,096 small ones.
static void bench_large(void) {
    static scene_t scene;
    static int32_t list[MAX_BOXES];
    ours_t ours;
    make_scene(&scene, 4096);
    ours_init(&ours, 8192);
    ours.count = 4096;
    ours_fill(&ours, &scene);
    rng_t rng = {11};
    for (int32_t i = 0; i < 400; i++) {
        edict_t *edict = SV_SpawnEdict(&ours.sv);
        float half = i == 0 ? 9000.0f : Rng_Range(&rng, 20.0f, 600.0f);
        edict->solid = i == 0 ? SOLID_TRIGGER : SOLID_BBOX;
        edict->mins = Vector(-half, -half, -half);
        edict->maxs = Vector(half, half, half);
        edict->origin = i == 0 ? Vector(0.0f, 0.0f, 0.0f) : scene.centers[i];
        SV_LinkEdict(&ours.sv, edict, false);
    }
    static double passes[PASSES][NUM_SLICES];
    double lowest = 0.0;
    double median = 0.0;
    for (int32_t i = 0; i < PASSES; i++) {
        time_queries(&ours, NULL, &scene, passes[i]);
    }
    fold(passes, &lowest, &median);
    int64_t found = 0;
    for (int32_t q = 0; q < NUM_QUERIES; q++) {
        found += SV_AreaEdicts(ours.world, query_box(&scene, q), AREA_SOLID, list, MAX_BOXES, NULL);
    }
    printf("area,query_4096_with_400_large_lowest,%.1f,ns,,\n", lowest);
    printf("area,query_4096_with_400_large_found,%.1f,boxes/query,,\n",
           (double)found / NUM_QUERIES);
    free(ours.world);
}

static void bench_one_spot(void) {
    static int32_t list[MAX_BOXES];
    const int32_t count = 60000;
    ours_t ours;
    ours_init(&ours, MAX_EDICTS);
    double start = now_ns();
    for (int32_t i = 0; i < count; i++) {
        edict_t *edict = SV_SpawnEdict(&ours.sv);
        edict->solid = SOLID_BBOX;
        SV_LinkEdict(&ours.sv, edict, false);
    }
    printf("area,spot_60000_spawn_and_link,%.1f,ns,,\n", (now_ns() - start) / count);
    World_TickHash(ours.world);
    start = now_ns();
    for (int32_t i = 0; i < count; i++) {
        SV_LinkEdict(&ours.sv, World_Edict(ours.world, 2 + i), false);
    }
    printf("area,spot_60000_relink,%.1f,ns,,\n", (now_ns() - start) / count);
    start = now_ns();
    bounds_t here = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
    int32_t found = 0;
    for (int32_t i = 0; i < 100; i++) {
        found = SV_AreaEdicts(ours.world, here, AREA_SOLID, list, 1024, NULL);
    }
    printf("area,spot_60000_query_%d,%.0f,ns,,\n", found, (now_ns() - start) / 100);
    start = now_ns();
    for (int32_t i = 0; i < count; i++) {
        SV_UnlinkEdict(&ours.sv, World_Edict(ours.world, 2 + i * 7 % count));
    }
    printf("area,spot_60000_unlink,%.1f,ns,,\n", (now_ns() - start) / count);
    free(ours.world);
}

int main(void) {
    bool good = bench_scene(600, 1.0088) && bench_scene(4096, 1.1494) && bench_scene(65536, 3.4583);
    bench_large();
    bench_one_spot();
    return good ? 0 : 1;
}
