// bench_send.c - measures a whole server's tick with many players close together that all see each
// other. Uses the simulated network; measures CPU time of this process.

#include "lib/net_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SPACING   96
#define WARM_MS   2000
#define NUM_TICKS 300

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

// Does the same as TestNet_Step, and adds the time of the server's tick to *tick_ns.
static void step(test_net_t *net, int64_t *tick_ns) {
    net->now_ms += TEST_NET_STEP_MS;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    *tick_ns = 0;
    if (net->now_ms >= net->next_tick_ms) {
        int64_t start = cpu_ns();
        Server_Tick(net->server, net->now_ms);
        *tick_ns = cpu_ns() - start;
        net->next_tick_ms += Server_TickMs(net->server);
    }
    for (int32_t i = 0; i < net->num_clients; i++) {
        const cl_input_t input = {.forward = 320.0f,
                                  .yaw = (float)((net->now_ms / 3 + i * 37) % 360)};
        CL_SetInput(net->clients[i], &input);
        CL_Frame(net->clients[i], net->now_ms);
    }
}

static void measure(int32_t players) {
    static int64_t times[NUM_TICKS];
    test_net_t net;
    int64_t tick_ns = 0;
    int32_t count = 0;
    char name[32];
    const test_net_config_t config = {.seed = 1,
                                      .conditions = {.delay_ms = 25, .jitter_ms = 10},
                                      .max_clients = players,
                                      .map = hall(players)};
    TestNet_Init(&net, &config);
    for (int32_t i = 0; i < players; i++) {
        snprintf(name, sizeof name, "runner %d", i);
        TestNet_AddClient(&net, name);
    }
    if (!TestNet_WaitActive(&net, 20000)) {
        abort();
    }
    for (int64_t end = net.now_ms + WARM_MS; net.now_ms < end;) {
        step(&net, &tick_ns);
    }
    while (count < NUM_TICKS) {
        step(&net, &tick_ns);
        if (tick_ns > 0) {
            times[count++] = tick_ns;
        }
    }
    qsort(times, NUM_TICKS, sizeof *times, compare_times);
    printf("bench_send,%d players who see each other tick p50,%.0f,us,,\n", players,
           (double)times[NUM_TICKS / 2] / 1000.0);
    printf("bench_send,%d players who see each other tick p99,%.0f,us,,\n", players,
           (double)times[NUM_TICKS * 99 / 100] / 1000.0);
    TestNet_Free(&net);
}

int main(void) {
    measure(8);
    measure(32);
    measure(64);
    measure(128);
    return 0;
}
