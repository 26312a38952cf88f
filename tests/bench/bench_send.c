// bench_send.c - measures a whole server's tick: with many players close together who all see each
// other, and with more of them in the rooms and halls of a large map. Uses the simulated network;
// measures CPU time of this process.
//
// Arguments: MAP PLAYERS [TICKS] run one case with a map file and 20.8 snapshots a second.

#include "lib/net_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SPACING        96
#define WARM_MS        3000
#define NUM_TICKS      300
#define SNAPSHOT_TICKS 3

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

// Runs a tick and returns its CPU time, ns. Not inlined, so that profilers can find it.
__attribute__((noinline)) static int64_t timed_tick(test_net_t *net) {
    const int64_t start = cpu_ns();
    Server_Tick(net->server, net->now_ms);
    return cpu_ns() - start;
}

// Does the same as TestNet_Step, with input. Sets *tick_ns, if not NULL, to the time of the tick.
static void step(test_net_t *net, bool is_fight, int64_t *tick_ns) {
    net->now_ms += TEST_NET_STEP_MS;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    const bool is_due = net->now_ms >= net->next_tick_ms;
    if (tick_ns) {
        *tick_ns = is_due ? timed_tick(net) : 0;
    } else if (is_due) {
        Server_Tick(net->server, net->now_ms);
    }
    if (is_due) {
        net->next_tick_ms += Server_TickMs(net->server);
    }
    for (int32_t i = 0; i < net->num_clients; i++) {
        const int64_t turn = net->now_ms / 3 + i * 37;
        const bool fights = is_fight && turn / 200 % 5 < 2;
        const cl_input_t input = {.forward = 320.0f,
                                  .yaw = (float)(turn % 360),
                                  .buttons = fights ? CL_BUTTON_ATTACK : 0};
        CL_SetInput(net->clients[i], &input);
        CL_Frame(net->clients[i], net->now_ms);
    }
}

static void measure(const char *map_file, int32_t players, int32_t num_ticks) {
    static int64_t times[NUM_TICKS];
    static test_net_t net;
    int64_t tick_ns = 0;
    int32_t count = 0;
    char name[32];
    const test_net_config_t config = {.seed = 1,
                                      .conditions = {.delay_ms = 25, .jitter_ms = 10},
                                      .max_clients = players,
                                      .max_edicts = map_file ? MAX_EDICTS : 0,
                                      .map_file = map_file,
                                      .map = map_file ? NULL : hall(players)};
    TestNet_Init(&net, &config);
    if (map_file) {
        Server_SetHost(net.server, "bench", "", "", SNAPSHOT_TICKS);
    }
    for (int32_t i = 0; i < players; i++) {
        snprintf(name, sizeof name, "runner %d", i);
        TestNet_AddClient(&net, name);
    }
    if (!TestNet_WaitActive(&net, 20000)) {
        abort();
    }
    for (int64_t end = net.now_ms + WARM_MS; net.now_ms < end;) {
        step(&net, map_file != NULL, NULL);
    }
    while (count < num_ticks) {
        step(&net, map_file != NULL, &tick_ns);
        if (tick_ns > 0) {
            times[count++] = tick_ns;
        }
    }
    qsort(times, (size_t)num_ticks, sizeof *times, compare_times);
    printf("bench_send,%d players %s tick p50,%.0f,us,,\n", players,
           map_file ? "in a city" : "who see each other", (double)times[num_ticks / 2] / 1000.0);
    printf("bench_send,%d players %s tick p99,%.0f,us,,\n", players,
           map_file ? "in a city" : "who see each other",
           (double)times[num_ticks * 99 / 100] / 1000.0);
    TestNet_Free(&net);
}

int main(int argc, char **argv) {
    if (argc >= 3) {
        measure(argv[1], atoi(argv[2]), argc > 3 ? Q_MinI(atoi(argv[3]), NUM_TICKS) : NUM_TICKS);
        return 0;
    }
    measure(NULL, 8, NUM_TICKS);
    measure(NULL, 32, NUM_TICKS);
    measure(NULL, 64, NUM_TICKS);
    measure(NULL, 128, NUM_TICKS);
    return 0;
}
