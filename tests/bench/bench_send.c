// bench_send.c - measures a whole server's tick: with many players close together who all see each
// other, or on a map, where they play as those of edict-bot --load do. Uses the simulated network;
// measures CPU time of this process.
//
// Arguments: MAP PLAYERS [TICKS [SNAPSHOT_TICKS]] run one case with a map file.
//
// Between the ticks of a real server, the CPU's caches lose most of what a tick needs. To count the
// cache lines of a tick, run this with callgrind, --toggle-collect=timed_tick* --cache-sim=yes, and
// NAP_KIB=3072: then the bench writes so much memory before each tick.

#include "bot/load_play.h"
#include "lib/net_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SPACING        96
#define WARM_MS        3000
#define MAP_WARM_MS    12000 // players spread over the map
#define NUM_TICKS      300
#define MAX_TICKS      10000
#define SNAPSHOT_TICKS 3
#define MAX_NAP_KIB    65536
#define CACHE_LINE     64 // bytes

static int64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static const test_map_t *hall(int32_t players) {
    static char text[32768];
    static test_map_t map;
    size_t used = (size_t)snprintf(text, sizeof text, "{ \"classname\" \"worldspawn\" }\n");
    for (int32_t i = 0; i < players; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"%d %d 24\" }\n",
            (i % 12) * SPACING - 528, (i / 12) * SPACING - 528);
    }
    map = (test_map_t){.room = {{-2048, -2048, 0}, {2048, 2048, 256}}, .entities = text};
    return &map;
}

// Writes NAP_KIB (environment) of memory, so that a tick finds nothing in the CPU's caches.
static void empty_caches(void) {
    static volatile uint8_t memory[MAX_NAP_KIB * 1024];
    const char *kib = getenv("NAP_KIB");
    const size_t size = (size_t)Q_ClampI(kib ? atoi(kib) : 0, 0, MAX_NAP_KIB) * 1024;
    for (size_t i = 0; i < 2 * size; i += CACHE_LINE) {
        memory[i % size]++;
    }
}

// Runs a tick and returns its CPU time, ns. Not inlined, so that profilers can find it.
__attribute__((noinline)) static int64_t timed_tick(test_net_t *net) {
    const int64_t start = cpu_ns();
    Server_Tick(net->server, net->now_ms);
    return cpu_ns() - start;
}

// Sets the next input of a client: turns around, or plays.
static void set_input(test_net_t *net, int32_t index, load_play_t *play, rng_t *rng) {
    const int64_t turn = net->now_ms / 3 + index * 37;
    const cl_input_t around = {.forward = LOAD_PLAY_SPEED, .yaw = (float)(turn % 360)};
    const cl_input_t input = play ? LoadPlay_Next(play, rng) : around;
    CL_SetInput(net->clients[index], &input);
}

// Does the same as TestNet_Step, with input. `plays`: of each client, or NULL. Sets *tick_ns, if
// not NULL, to the time of the tick.
static void step(test_net_t *net, load_play_t *plays, rng_t *rng, int64_t *tick_ns) {
    net->now_ms += TEST_NET_STEP_MS;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    const bool is_due = net->now_ms >= net->next_tick_ms;
    if (tick_ns) {
        empty_caches();
        *tick_ns = is_due ? timed_tick(net) : 0;
    } else if (is_due) {
        Server_Tick(net->server, net->now_ms);
    }
    if (is_due) {
        net->next_tick_ms += Server_TickMs(net->server);
    }
    for (int32_t i = 0; i < net->num_clients; i++) {
        if (is_due || !plays) {
            set_input(net, i, plays ? &plays[i] : NULL, rng);
        }
        CL_Frame(net->clients[i], net->now_ms);
    }
}

// Plays with an input generator if there is a map file, as over loopback.
static void measure(const char *map_file, int32_t players, int32_t num_ticks,
                    int32_t snapshot_ticks) {
    static int64_t times[MAX_TICKS];
    static load_play_t inputs[MAX_CLIENTS];
    static test_net_t net;
    load_play_t *plays = map_file ? inputs : NULL;
    rng_t rng = {.state = 1};
    int64_t tick_ns = 0;
    int32_t count = 0;
    char name[32];
    const sim_conditions_t far = {.delay_ms = 25, .jitter_ms = 10};
    const sim_conditions_t near = {.delay_ms = 2};
    const test_net_config_t config = {.seed = 1,
                                      .conditions = map_file ? near : far,
                                      .max_clients = players,
                                      .max_edicts = map_file ? MAX_EDICTS : 0,
                                      .map_file = map_file,
                                      .map = map_file ? NULL : hall(players)};
    TestNet_Init(&net, &config);
    Server_SetHost(net.server, "bench", "", "", snapshot_ticks);
    for (int32_t i = 0; i < players; i++) {
        snprintf(name, sizeof name, "runner %d", i);
        TestNet_AddClient(&net, name);
    }
    if (!TestNet_WaitActive(&net, 20000)) {
        abort();
    }
    for (int64_t end = net.now_ms + (map_file ? MAP_WARM_MS : WARM_MS); net.now_ms < end;) {
        step(&net, plays, &rng, NULL);
    }
    while (count < num_ticks) {
        step(&net, plays, &rng, &tick_ns);
        if (tick_ns > 0) {
            times[count++] = tick_ns;
        }
    }
    qsort(times, (size_t)num_ticks, sizeof *times, compare_times);
    for (int32_t percent = 50; percent <= 99; percent += 49) {
        printf("bench_send,%d players %s tick p%d,%.0f,us,,\n", players,
               map_file ? "on a map" : "who see each other", percent,
               (double)times[num_ticks * percent / 100] / 1000.0);
    }
    TestNet_Free(&net);
}

int main(int argc, char **argv) {
    if (argc >= 3) {
        measure(argv[1], atoi(argv[2]),
                argc > 3 ? Q_ClampI(atoi(argv[3]), 1, MAX_TICKS) : NUM_TICKS,
                argc > 4 ? atoi(argv[4]) : SNAPSHOT_TICKS);
        return 0;
    }
    for (int32_t players = 8; players <= 128; players *= 2) {
        measure(NULL, players, NUM_TICKS, 1);
    }
    return 0;
}
