// bench_crowd.c - measures SV_Frame with up to 1,000 players of the reference game who walk, turn,
// jump and shoot in a large map: rooms and halls, or one open hall. CPU time, without network.
//
// Arguments: MAP PLAYERS [TICKS] run one case and also print the hash of its last tick.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "collide/cache.h"
#include "collide/cmap.h"
#include "core/core_local.h"
#include "game/game.h"
#include "lib/testing.h"
#include "world/block.h"
#include "world/hitboxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICK_MS         16
#define WARM_TICKS      190 // 3 s
#define NUM_TICKS       500
#define MAX_TICKS       10000
#define MAX_EDICTS_HERE 8192

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    usercmd_t cmds[MAX_CLIENTS];
} crowd_t;

static double cpu_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "bench_crowd: %s\n", what);
        abort();
    }
}

static void start(crowd_t *crowd, const char *map, int32_t players) {
    char path[512];
    err_t err = {{0}};
    *crowd = (crowd_t){.rng = {7}};
    snprintf(path, sizeof path, "%s/crowd/%s.bsp", Test_BuildFolder(), map);
    must(BSP_Load(&crowd->map, path, &err), err.text);
    const world_params_t params = {.max_edicts = MAX_EDICTS_HERE,
                                   .max_clients = players,
                                   .seed = 7,
                                   .map_hash = crowd->map.hash,
                                   .bounds = crowd->map.models[0].bounds};
    crowd->world = World_Init(malloc(World_Bytes(&params)), &params);
    crowd->inputs = calloc(1, sizeof *crowd->inputs);
    crowd->events = calloc(1, sizeof *crowd->events);
    must(SV_BindGame(crowd->world, Game_Export(), &crowd->game, &err), err.text);
    crowd->game.caches = calloc((size_t)players, sizeof *crowd->game.caches);
    crowd->game.poses = calloc(1, sizeof *crowd->game.poses);
    must(crowd->game.caches && crowd->game.poses, "out of memory");
    must(SV_SpawnEntities(crowd->world, &crowd->map, &crowd->game, crowd->events, &err), err.text);
    for (int32_t i = 0; i < players; i++) {
        input_t *input = Inputs_Add(crowd->inputs, INPUT_JOIN, i);
        snprintf(input->text, sizeof input->text, "p%d", i);
    }
}

static void end(crowd_t *crowd) {
    CM_FreeMap(&crowd->map);
    free(crowd->world);
    free(crowd->inputs);
    free(crowd->events);
    free(crowd->game.caches);
    free(crowd->game.poses);
}

// Returns the next command of a player: it runs ahead, turns now and then, and holds the trigger
// half of the time.
static usercmd_t next_command(crowd_t *crowd, int32_t slot) {
    usercmd_t *cmd = &crowd->cmds[slot];
    rng_t *rng = &crowd->rng;
    if (Rng_Below(rng, 32) == 0) {
        cmd->forward = Rng_Below(rng, 8) == 0 ? -320 : 320;
        cmd->side = (int16_t)((int32_t)Rng_Below(rng, 3) * 320 - 320);
        cmd->up = (int16_t)((int32_t)Rng_Below(rng, 1024) - 512); // the rate of turning
        cmd->buttons = Rng_Below(rng, 2) == 0 ? BUTTON_ATTACK : 0;
    }
    cmd->yaw = (uint16_t)(cmd->yaw + cmd->up);
    usercmd_t now = *cmd;
    now.tick = crowd->world->tick;
    now.msec = TICK_MS;
    now.up = 0;
    now.buttons |= Rng_Below(rng, 30) == 0 ? BUTTON_JUMP : 0;
    now.impulse = Rng_Below(rng, 200) == 0 ? (uint8_t)(1 + Rng_Below(rng, 8)) : 0;
    return now;
}

// Runs one tick and returns its CPU time, us.
static double tick(crowd_t *crowd) {
    world_t *world = crowd->world;
    Events_Clear(crowd->events);
    for (int32_t i = 0; i < world->max_clients && world->tick > 0; i++) {
        Inputs_Add(crowd->inputs, INPUT_USERCMD, i)->cmd = next_command(crowd, i);
    }
    double before = cpu_us();
    SV_Frame(world, &crowd->map, &crowd->game, crowd->inputs, crowd->events);
    double after = cpu_us();
    Inputs_Clear(crowd->inputs);
    return after - before;
}

static void measure(const char *map, int32_t players, int32_t ticks, bool is_single) {
    static crowd_t crowd;
    static double times[MAX_TICKS];
    double sum = 0.0;
    int32_t alive = 0;
    start(&crowd, map, players);
    double join = tick(&crowd);
    for (int32_t i = 0; i < WARM_TICKS; i++) {
        tick(&crowd);
    }
    for (int32_t i = 0; i < ticks; i++) {
        times[i] = tick(&crowd);
        sum += times[i];
    }
    for (int32_t i = 0; i < players; i++) {
        alive += World_Client(crowd.world, i)->player.pm_type == PM_NORMAL ? 1 : 0;
    }
    qsort(times, (size_t)ticks, sizeof *times, compare_double);
    const struct {
        const char *name;
        double us;
    } rows[] = {{"tick mean", sum / ticks},
                {"tick p50", times[ticks / 2]},
                {"tick p99", times[ticks * 99 / 100]},
                {"tick max", times[ticks - 1]},
                {"tick in which all join", join}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        printf("bench_crowd,%s %d players %s,%.0f,us,,\n", map, players, rows[i].name, rows[i].us);
    }
    if (is_single) {
        printf("bench_crowd,%s %d players alive,%d,,,\n", map, players, alive);
        printf("bench_crowd,%s hash %016llx,,,,\n", map,
               (unsigned long long)crowd.world->tick_hash);
    }
    end(&crowd);
}

int main(int argc, char **argv) {
    static const char *const maps[] = {"city", "hall"};
    static const int32_t players[] = {32, 128, 512, 1000};
    if (argc >= 3) {
        measure(argv[1], atoi(argv[2]),
                argc > 3 ? Q_ClampI(atoi(argv[3]), 1, MAX_TICKS) : NUM_TICKS, true);
        return 0;
    }
    for (size_t i = 0; i < COUNTOF(maps); i++) {
        for (size_t k = 0; k < COUNTOF(players); k++) {
            measure(maps[i], players[k], NUM_TICKS, false);
        }
    }
    return 0;
}
