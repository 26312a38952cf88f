// Player moves on two maps: the recipe "Player moves" of ../shared/data/bench/README.md.
//
// Prints bench,case,value,unit,peer,peer_value. The peer's figures are mvdsv's on the machine that
// README describes. The final origins are checked against mvdsv's first: a faster wrong move is no
// result; exit status 1 when they differ.

#include "base/str.h"
#include "bsp/bsp.h"
#include "move/pmove.h"

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
#define ROW_STRIDE  37

// The peer rounds radians to a float before it takes sines, we do not. Two of the 200 players of
// lq_e0m1 (127 and 159) hit an edge where that last bit decides on which side of it they go on:
// with the peer's sines put into ours the sums agree to the last digit given, so `edge` is all of
// the difference.
typedef struct {
    const char *name;
    double sum[3];  // of the peer's final origins
    double edge[3]; // ours, at the edge, minus the peer's
    vec3_t last;    // final origin of the last player
    double peer_ns; // mvdsv, ns per move
} bench_map_t;

static const bench_map_t maps[] = {
    {"lq_e0m1",
     {16336.12, 13455.13, -40375.72},
     {111.20, -12.45, 0.0},
     {918.2854f, 687.760315f, -7.96875f},
     659.0},
    {"lqdm12",
     {-18342.53, -28939.83, 26891.50},
     {0.0, 0.0, 0.0},
     {38.8111877f, 86.3621216f, 56.03125f},
     549.0},
};

typedef struct {
    cmap_t map;
    player_state_t starts[NUM_PLAYERS];
    player_state_t players[NUM_PLAYERS];
    int64_t num_traces, num_contents; // asked in the counted run
} bench_t;

static trace_t trace_map(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const bench_t *bench = context;
    trace_t trace = CM_BoxTrace(&bench->map, &(cm_place_t){.model = 0}, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    return trace;
}

static contents_t contents_map(void *context, vec3_t point) {
    const bench_t *bench = context;
    return CM_PointContents(&bench->map, 0, point);
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

/// The start of every 37th row of the map's `short` queries.
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
            .groundentity = -1,
            .watertype = CONTENTS_EMPTY,
        };
    }
    if (in) {
        pclose(in);
    }
    return num_players == NUM_PLAYERS;
}

/// All frames of all players. Returns how often one was on the ground.
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
            PM_Move(&bench->players[i], &input, STEP_MS, &vars, world, &touch);
            num_grounded += (bench->players[i].flags & PMF_ONGROUND) != 0;
        }
    }
    return num_grounded;
}

/// The final origins are the peer's.
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

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The lowest of the rounds' medians, ns per move.
static double time_moves(bench_t *bench) {
    const pm_world_t world = {.context = bench, .trace = trace_map, .point_contents = contents_map};
    double best = 1e30;
    for (int32_t round = 0; round < NUM_ROUNDS; round++) {
        double took[ROUND_RUNS];
        for (int32_t i = 0; i < ROUND_RUNS; i++) {
            double start = now_ns();
            run(bench, &world);
            took[i] = (now_ns() - start) / (NUM_PLAYERS * NUM_FRAMES);
        }
        qsort(took, ROUND_RUNS, sizeof took[0], compare_doubles);
        double median = took[ROUND_RUNS / 2];
        best = median < best ? median : best;
    }
    return best;
}

static bool bench_map(bench_t *bench, const bench_map_t *map) {
    char path[256];
    err_t err;
    snprintf(path, sizeof path, "%s/bsp/%s.bsp", DATA, map->name);
    if (!BSP_Load(&bench->map, path, &err)) {
        fprintf(stderr, "bench_pmove: %s\n", err.text);
        return false;
    }
    bool good = read_starts(bench, map->name);
    if (!good) {
        fprintf(stderr, "bench_pmove: %s: expected %d starts, found fewer\n", map->name,
                NUM_PLAYERS);
    }
    const pm_world_t counted = {
        .context = bench, .trace = trace_counted, .point_contents = contents_counted};
    const double num_moves = NUM_PLAYERS * NUM_FRAMES;
    bench->num_traces = 0;
    bench->num_contents = 0;
    int32_t num_grounded = good ? run(bench, &counted) : 0;
    good = good && answers_agree(bench, map);
    if (good) {
        const char *name = map->name;
        printf("pmove,%s.move,%.1f,ns,mvdsv,%.0f\n", name, time_moves(bench), map->peer_ns);
        printf("pmove,%s.traces,%.3f,1/move,,\n", name, (double)bench->num_traces / num_moves);
        printf("pmove,%s.contents,%.3f,1/move,,\n", name, (double)bench->num_contents / num_moves);
        printf("pmove,%s.onground,%.3f,1/move,,\n", name, num_grounded / num_moves);
    }
    CM_FreeMap(&bench->map);
    return good;
}

int main(void) {
    FILE *there = fopen(DATA "/bench/README.md", "r");
    if (!there) {
        printf("SKIPPED: %s/bench is not there: player moves are not measured\n", DATA);
        return 0;
    }
    fclose(there);
    bench_t *bench = calloc(1, sizeof *bench);
    bool good = bench != NULL;
    for (size_t i = 0; i < COUNTOF(maps) && good; i++) {
        good = bench_map(bench, &maps[i]);
    }
    free(bench);
    return good ? 0 : 1;
}
