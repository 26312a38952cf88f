// bench_pmove.c - measures moves of players on two maps; ../shared/data/bench/README.md, "Player
// moves", has the recipe.
//
// Prints bench,case,value,unit,peer,peer_value. The peer's figures are those of mvdsv on the
// machine described there, scaled by the speed of a plain walk, which is measured in the same
// rounds (lib/walk_fixture.h). First, the final origins are compared with mvdsv's, and moves with
// caches with moves without, bit by bit: a faster wrong move is no result. Exit status 1 if they
// differ.
//
// move,pmove_mesh_level: the same players on the triangles of lq_e0m1, which have no liquids; the
// peer is box3d's mover on them, which has fewer rules.
//
// trace,NAME.hull1_cached: all sweeps of these moves in their order, with a cache for each move.
// The answers are compared with the uncached ones first.

#include "base/str.h"
#include "bsp/bsp.h"
#include "collide/cache.h"
#include "lib/mesh_fixture.h"
#include "lib/walk_fixture.h"
#include "move/pmove.h"
#include "state/trace_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DATA        "../shared/data"
#define NUM_PLAYERS 200
#define NUM_FRAMES  120
#define NUM_ROUNDS  9
#define ROUND_RUNS  5
#define STEP_MS     17
#define MAX_SWEEPS  (NUM_PLAYERS * NUM_FRAMES * 8)
#define ROW_STRIDE  37

// Stores the peer's results on one map.
//
// The peer rounds radians to a float before it computes sines; this project does not. Two of the
// 200 players of lq_e0m1 (127 and 159) hit an edge where this last bit decides on which side they
// go on. With the peer's sines, the sums agree to the last digit, so `edge` is the whole
// difference.
typedef struct {
    const char *name;
    double sum[3];        // sum of the peer's final origins
    double edge[3];       // sum of these two players' final origins, minus the peer's
    vec3_t last;          // final origin of the last player
    double peer_ns;       // mvdsv, ns per move
    double peer_trace_ns; // mvdsv, ns per short sweep through hull 1
} bench_map_t;

static const bench_map_t maps[] = {
    {"lq_e0m1",
     {16336.12, 13455.13, -40375.72},
     {111.20, -12.45, 0.0},
     {918.2854f, 687.760315f, -7.96875f},
     659.0,
     100.0},
    {"lqdm12",
     {-18342.53, -28939.83, 26891.50},
     {0.0, 0.0, 0.0},
     {38.8111877f, 86.3621216f, 56.03125f},
     549.0,
     84.5},
};

/// Records a sweep of a move, or the fill of the cache before its sweeps.
typedef struct {
    vec3_t start, end;
    int32_t player;
    bool is_fill;
} sweep_t;

typedef struct {
    cmap_t map;
    sweep_t *sweeps;
    int32_t num_sweeps;
    player_state_t starts[NUM_PLAYERS];
    player_state_t players[NUM_PLAYERS];
    cm_cache_t caches[NUM_PLAYERS];   // one for each player, as in a server
    int32_t moving;                   // player that moves now
    int64_t num_traces, num_contents; // counted in the first run
} bench_t;

static trace_t trace_map(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const bench_t *bench = context;
    trace_t trace = CM_BoxTrace(&bench->map, &(cm_object_t){.model = 0}, start, end, mins, maxs);
    Trace_SetEntnum(&trace, 0);
    return trace;
}

static contents_t contents_map(void *context, vec3_t point) {
    const bench_t *bench = context;
    return CM_PointContents(&bench->map, 0, point);
}

static trace_t trace_cached(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    bench_t *bench = context;
    trace_t trace = CM_CacheTrace(&bench->caches[bench->moving], start, end, mins, maxs);
    Trace_SetEntnum(&trace, 0);
    return trace;
}

static contents_t contents_cached(void *context, vec3_t point) {
    bench_t *bench = context;
    return CM_CacheContents(&bench->caches[bench->moving], point);
}

static void prefetch(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    bench_t *bench = context;
    CM_CacheFill(&bench->caches[bench->moving], &bench->map, CM_SOLIDS_AUTO, origin, mins, maxs);
}

static trace_t trace_recorded(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    bench_t *bench = context;
    if (bench->num_sweeps < MAX_SWEEPS) {
        bench->sweeps[bench->num_sweeps++] = (sweep_t){start, end, bench->moving, false};
    }
    return trace_map(context, start, mins, maxs, end);
}

/// Records the fill of the cache before the first sweep of a move.
static void prefetch_recorded(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    bench_t *bench = context;
    (void)mins;
    (void)maxs;
    if (bench->num_sweeps < MAX_SWEEPS) {
        bench->sweeps[bench->num_sweeps++] = (sweep_t){origin, origin, bench->moving, true};
    }
}

static trace_t trace_counted(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    bench_t *bench = context;
    bench->num_traces++;
    return trace_map(context, start, mins, maxs, end);
}

static contents_t contents_counted(void *context, vec3_t point) {
    bench_t *bench = context;
    bench->num_contents++;
    return contents_map(context, point);
}

/// Reads the starts of the players from every 37th row of the map's `short` queries.
static bool read_starts(bench_t *bench, const char *name) {
    char command[256];
    char line[512];
    snprintf(command, sizeof command, "gzip -dc %s/bench/%s.h1.short.csv.gz", DATA, name);
    FILE *in = popen(command, "r");
    int32_t num_players = 0;
    for (int32_t row = -1; in && num_players < NUM_PLAYERS && fgets(line, sizeof line, in); row++) {
        if (row < 0 || row % ROW_STRIDE != 0) {
            continue;
        }
        float v[3];
        char *at = strchr(line, ',');
        for (int32_t i = 0; i < 3 && at; i++) {
            char *end = strchr(at + 1, ',');
            if (!end) {
                break;
            }
            *end = '\0';
            if (!Str_ToFloat(at + 1, &v[i])) {
                break;
            }
            *end = ',';
            at = end;
        }
        bench->starts[num_players++] = (player_state_t){
            .origin = Vector(v[0], v[1], v[2]),
            .mins = PM_PLAYER_MINS,
            .maxs = PM_PLAYER_MAXS,
            .movetype = MOVETYPE_WALK,
            .groundentity = -1,
            .watertype = CONTENTS_EMPTY,
        };
    }
    if (in) {
        pclose(in);
    }
    return num_players == NUM_PLAYERS;
}

/// Runs all frames of all players. Returns how often a player was on the ground.
static int32_t run(bench_t *bench, const pm_world_t *world) {
    movevars_t vars = MoveVars_Default();
    pm_touch_t touch;
    int32_t num_grounded = 0;
    int32_t yaws[NUM_PLAYERS];
    vars.sv_maxvelocity = 10000.0f; // the peer's moves have no limit
    memcpy(bench->players, bench->starts, sizeof bench->players);
    for (int32_t i = 0; i < NUM_PLAYERS; i++) {
        yaws[i] = i * 137 % 360;
    }
    for (int32_t f = 0; f < NUM_FRAMES; f++) {
        for (int32_t i = 0; i < NUM_PLAYERS; i++) {
            if (f % 30 == 29) {
                yaws[i] = (i * 137 + (f + 1) / 30 * 73) % 360;
            }
            pm_input_t input = {
                .angles = Vector(0.0f, (float)yaws[i], 0.0f),
                .forward = 400.0f,
                .buttons = f % 60 == 15 ? BUTTON_JUMP : 0,
            };
            bench->moving = i;
            PM_Move(&bench->players[i], &input, STEP_MS, &vars, world, &touch);
            num_grounded += (bench->players[i].flags & PMF_ONGROUND) != 0;
        }
    }
    return num_grounded;
}

/// Returns true if the final origins equal the peer's.
static bool answers_agree(const bench_t *bench, const bench_map_t *expected) {
    double sum[3] = {0};
    for (int32_t i = 0; i < NUM_PLAYERS; i++) {
        sum[0] += (double)bench->players[i].origin.x;
        sum[1] += (double)bench->players[i].origin.y;
        sum[2] += (double)bench->players[i].origin.z;
    }
    vec3_t last = bench->players[NUM_PLAYERS - 1].origin;
    bool good = VectorLength(VectorSubtract(last, expected->last)) < 0.01f;
    for (int32_t i = 0; i < 3; i++) {
        double off = sum[i] - expected->sum[i] - expected->edge[i];
        good = good && off > -0.05 && off < 0.05;
    }
    if (!good) {
        fprintf(stderr,
                "bench_pmove: %s: expected final origins %.2f %.2f %.2f, last %.4f %.4f %.4f; "
                "found %.2f %.2f %.2f, last %.4f %.4f %.4f\n",
                expected->name, expected->sum[0], expected->sum[1], expected->sum[2],
                (double)expected->last.x, (double)expected->last.y, (double)expected->last.z,
                sum[0], sum[1], sum[2], (double)last.x, (double)last.y, (double)last.z);
    }
    return good;
}

/// Returns the CPU time of this thread, so that other work on the machine does not count.
static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double took[ROUND_RUNS]) {
    qsort(took, ROUND_RUNS, sizeof took[0], compare_doubles);
    return took[ROUND_RUNS / 2];
}

/// Returns the median of some runs, in ns per move.
static double time_moves(bench_t *bench, const pm_world_t *world) {
    double took[ROUND_RUNS];
    for (int32_t i = 0; i < ROUND_RUNS; i++) {
        double start = now_ns();
        run(bench, world);
        took[i] = (now_ns() - start) / (NUM_PLAYERS * NUM_FRAMES);
    }
    return median_of(took);
}

// ---- the sweeps of the moves ----

typedef struct {
    int32_t count, hits;
    double fractions;
} answers_t;

static answers_t ask_sweeps(bench_t *bench, bool cached) {
    const vec3_t mins = PM_PLAYER_MINS;
    const vec3_t maxs = PM_PLAYER_MAXS;
    answers_t answers = {0};
    for (int32_t i = 0; i < bench->num_sweeps; i++) {
        const sweep_t *sweep = &bench->sweeps[i];
        bench->moving = sweep->player;
        if (sweep->is_fill && cached) {
            prefetch(bench, sweep->start, mins, maxs);
        }
        if (!sweep->is_fill) {
            trace_t trace = cached ? trace_cached(bench, sweep->start, mins, maxs, sweep->end)
                                   : trace_map(bench, sweep->start, mins, maxs, sweep->end);
            answers.hits += trace.fraction < 1.0f;
            answers.fractions += (double)trace.fraction;
            answers.count++;
        }
    }
    return answers;
}

static double time_sweeps(bench_t *bench, bool cached) {
    double took[ROUND_RUNS];
    for (int32_t i = 0; i < ROUND_RUNS; i++) {
        double start = now_ns();
        answers_t answers = ask_sweeps(bench, cached);
        took[i] = (now_ns() - start) / answers.count;
    }
    return median_of(took);
}

// ---- one map ----

static bool open_map(bench_t *bench, const bench_map_t *map) {
    char path[256];
    err_t err;
    snprintf(path, sizeof path, "%s/bsp/%s.bsp", DATA, map->name);
    for (int32_t i = 0; i < NUM_PLAYERS; i++) {
        CM_CacheBegin(&bench->caches[i], &bench->map, CM_SOLIDS_AUTO);
    }
    if (!BSP_Load(&bench->map, path, &err)) {
        fprintf(stderr, "bench_pmove: %s\n", err.text);
        return false;
    }
    if (!read_starts(bench, map->name)) {
        fprintf(stderr, "bench_pmove: %s: expected %d starts, found fewer\n", map->name,
                NUM_PLAYERS);
        return false;
    }
    return true;
}

/// Checks that plain and cached moves and sweeps equal the peer's.
static bool check_map(bench_t *bench, const bench_map_t *map, const pm_world_t *cached) {
    const pm_world_t recorded = {.context = bench,
                                 .trace = trace_recorded,
                                 .point_contents = contents_map,
                                 .prefetch = prefetch_recorded};
    static player_state_t plain[NUM_PLAYERS];
    bench->num_sweeps = 0;
    run(bench, &recorded);
    memcpy(plain, bench->players, sizeof plain);
    if (!answers_agree(bench, map)) {
        return false;
    }
    run(bench, cached);
    answers_t a = ask_sweeps(bench, false);
    answers_t b = ask_sweeps(bench, true);
    if (memcmp(plain, bench->players, sizeof plain) != 0 || bench->num_sweeps == MAX_SWEEPS ||
        a.count != b.count || a.hits != b.hits || a.fractions != b.fractions) {
        fprintf(stderr, "bench_pmove: %s: cached moves or sweeps differ from plain ones\n",
                map->name);
        return false;
    }
    return true;
}

typedef struct {
    double plain, cached, sweeps_plain, sweeps_cached;
} times_t;

static void keep_lowest(double *lowest, double value) {
    *lowest = *lowest == 0.0 || value < *lowest ? value : *lowest;
}

static bool bench_map(bench_t *bench, const bench_map_t *map, test_walk_t *walk) {
    const pm_world_t plain = {.context = bench, .trace = trace_map, .point_contents = contents_map};
    const pm_world_t cached = {.context = bench,
                               .trace = trace_cached,
                               .point_contents = contents_cached,
                               .prefetch = prefetch};
    const pm_world_t counted = {
        .context = bench, .trace = trace_counted, .point_contents = contents_counted};
    const double num_moves = NUM_PLAYERS * NUM_FRAMES;
    const char *name = map->name;
    times_t times = {0};
    if (!open_map(bench, map) || !check_map(bench, map, &cached)) {
        CM_FreeMap(&bench->map);
        return false;
    }
    for (int32_t round = 0; round < NUM_ROUNDS; round++) {
        TestWalk_Run(walk);
        keep_lowest(&times.plain, time_moves(bench, &plain));
        keep_lowest(&times.cached, time_moves(bench, &cached));
        keep_lowest(&times.sweeps_plain, time_sweeps(bench, false));
        keep_lowest(&times.sweeps_cached, time_sweeps(bench, true));
    }
    bench->num_traces = 0;
    bench->num_contents = 0;
    int32_t num_grounded = run(bench, &counted);
    answers_t answers = ask_sweeps(bench, true);
    const double scale = TestWalk_Scale(walk);
    printf("move,%s.pmove_bsp,%.1f,ns,mvdsv scaled,%.1f\n", name, times.cached,
           map->peer_ns * scale);
    printf("move,%s.pmove_bsp.ratio,%.3f,,mvdsv,1\n", name, times.cached / (map->peer_ns * scale));
    printf("move,%s.pmove_bsp_plain,%.1f,ns,mvdsv scaled,%.1f\n", name, times.plain,
           map->peer_ns * scale);
    printf("trace,%s.hull1_cached,%.1f,ns,mvdsv h1.short scaled,%.1f\n", name, times.sweeps_cached,
           map->peer_trace_ns * scale);
    printf("trace,%s.hull1_cached.ratio,%.3f,,mvdsv,1\n", name,
           times.sweeps_cached / (map->peer_trace_ns * scale));
    printf("trace,%s.hull1_cached_plain,%.1f,ns,mvdsv h1.short scaled,%.1f\n", name,
           times.sweeps_plain, map->peer_trace_ns * scale);
    printf("trace,%s.hull1_cached.hits,%.4f,share,,\n", name, (double)answers.hits / answers.count);
    printf("trace,%s.hull1_cached.mean_fraction,%.6f,,,\n", name,
           answers.fractions / answers.count);
    printf("move,%s.traces,%.3f,1/move,,\n", name, (double)bench->num_traces / num_moves);
    printf("move,%s.contents,%.3f,1/move,,\n", name, (double)bench->num_contents / num_moves);
    printf("move,%s.onground,%.3f,1/move,,\n", name, num_grounded / num_moves);
    CM_FreeMap(&bench->map);
    return true;
}

// ---- triangles ----

#define PEER_MESH_MOVE_NS 3500.0
#define MESH_MOST_APART                                                                            \
    0.06 // of the share of moves that end on ground, from the map's: liquids are left out

/// Opens the triangles of the level as the whole world. The players start where they stand in the
/// map.
static bool open_level(bench_t *bench, built_mesh_t *built, cmodel_t *model) {
    test_mesh_t source = {0};
    if (!open_map(bench, &maps[0])) {
        return false;
    }
    const pm_world_t plain = {.context = bench, .trace = trace_map, .point_contents = contents_map};
    double on_map = run(bench, &plain);
    CM_FreeMap(&bench->map);
    if (!TestMesh_ReadObj(&source, DATA "/bench/level.obj.gz")) {
        fprintf(stderr, "bench_pmove: no level.obj.gz\n");
        return false;
    }
    *built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    TestMesh_Free(&source);
    *model = (cmodel_t){.kind = MODEL_MESH, .mesh = &built->mesh, .bounds = built->mesh.bounds};
    bench->map = (cmap_t){.models = model, .num_models = 1};
    double apart = (run(bench, &plain) - on_map) / (NUM_PLAYERS * NUM_FRAMES);
    if (apart > MESH_MOST_APART || apart < -MESH_MOST_APART) {
        fprintf(stderr,
                "bench_pmove: level: %.3f more of the moves than on the map end on ground\n",
                apart);
        return false;
    }
    return true;
}

/// Checks that moves with caches give the same bits as moves without.
static bool moves_agree(bench_t *bench, const pm_world_t *plain, const pm_world_t *cached,
                        const char *name) {
    static player_state_t expected[NUM_PLAYERS];
    run(bench, plain);
    memcpy(expected, bench->players, sizeof expected);
    for (int32_t i = 0; i < NUM_PLAYERS; i++) {
        CM_CacheBegin(&bench->caches[i], &bench->map, CM_SOLIDS_AUTO);
    }
    run(bench, cached);
    if (memcmp(expected, bench->players, sizeof expected) != 0) {
        fprintf(stderr, "bench_pmove: %s: cached moves differ from plain ones\n", name);
        return false;
    }
    return true;
}

static bool bench_level(bench_t *bench, test_walk_t *walk) {
    const pm_world_t plain = {.context = bench, .trace = trace_map, .point_contents = contents_map};
    built_mesh_t built;
    cmodel_t model;
    const pm_world_t cached = {.context = bench,
                               .trace = trace_cached,
                               .point_contents = contents_cached,
                               .prefetch = prefetch};
    times_t times = {0};
    if (!open_level(bench, &built, &model) || !moves_agree(bench, &plain, &cached, "level")) {
        return false;
    }
    for (int32_t round = 0; round < NUM_ROUNDS; round++) {
        TestWalk_Run(walk);
        keep_lowest(&times.plain, time_moves(bench, &plain));
        keep_lowest(&times.cached, time_moves(bench, &cached));
    }
    const double scale = TestWalk_Scale(walk);
    printf("move,pmove_mesh_level,%.1f,ns,box3d mover scaled,%.1f\n", times.cached,
           PEER_MESH_MOVE_NS * scale);
    printf("move,pmove_mesh_level.here_by_scale,%.1f,ns,,\n", times.cached / scale);
    printf("move,pmove_mesh_level_plain,%.1f,ns,box3d mover scaled,%.1f\n", times.plain,
           PEER_MESH_MOVE_NS * scale);
    Mesh_Free(&built);
    return true;
}

int main(void) {
    FILE *there = fopen(DATA "/bench/README.md", "r");
    if (!there) {
        printf("SKIPPED: %s/bench is not there: player moves are not measured\n", DATA);
        return 0;
    }
    fclose(there);
    bench_t *bench = calloc(1, sizeof *bench);
    test_walk_t *walk = calloc(1, sizeof *walk);
    sweep_t *sweeps = calloc(MAX_SWEEPS, sizeof *sweeps);
    bool good = bench && walk && sweeps && TestWalk_Open(walk);
    for (size_t i = 0; i < COUNTOF(maps) && good; i++) {
        bench->sweeps = sweeps;
        good = bench_map(bench, &maps[i], walk);
    }
    good = good && bench_level(bench, walk);
    if (walk) {
        TestWalk_Close(walk);
    }
    free(sweeps);
    free(walk);
    free(bench);
    return good ? 0 : 1;
}
