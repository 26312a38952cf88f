/// ops/console_show.c - the commands status and counters.

#include "net/key_text.h"
#include "ops/console_local.h"

#include <stdio.h>

static void print_counter(console_t *console, const char *name, uint64_t value, const char *help) {
    char line[256];
    snprintf(line, sizeof line, "%s %llu (%s)", name, (unsigned long long)value, help);
    Console_Answer(console, line);
}

static void print_net_counters(console_t *console) {
    char line[512];
    net_counters_t net = Server_NetCounters(console->server);
    snprintf(
        line, sizeof line,
        "network: received %llu packets (%llu bytes), sent %llu packets (%llu bytes); "
        "rejected before ENet %llu, cookie replies %llu; failed sends %llu, socket errors %llu, "
        "dropped by the kernel %llu, lost for lack of memory %llu",
        (unsigned long long)net.packets_in, (unsigned long long)net.bytes_in,
        (unsigned long long)net.packets_out, (unsigned long long)net.bytes_out,
        (unsigned long long)net.guard_dropped, (unsigned long long)net.guard_replied,
        (unsigned long long)net.send_failed, (unsigned long long)net.service_errors,
        (unsigned long long)net.kernel_dropped, (unsigned long long)net.no_memory);
    Console_Answer(console, line);
#define PRINT_NET(name, help) print_counter(console, #name, net.name, help);
    NET_COUNTERS(PRINT_NET)
#undef PRINT_NET
    uint64_t count = 0;
    const char *why = NULL;
    for (int32_t i = 0; (why = Server_NetDrops(console->server, i, &count)) != NULL; i++) {
        if (count > 0) {
            snprintf(line, sizeof line, "network: dropped %llu: %s", (unsigned long long)count,
                     why);
            Console_Answer(console, line);
        }
    }
}

bool Console_RunStatus(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    (void)args;
    char line[512];
    if (!console->server || !Server_World(console->server)) {
        return Err_Set(err, "status: no map is running yet");
    }
    const world_t *world = Server_World(console->server);
    const tick_stats_t *ticks = console->ticks;
    snprintf(line, sizeof line, "map %s  tick %lld  hash %016llx  edicts %d  clients %d of %d",
             CM_Info(Server_Map(console->server)).name, (long long)world->tick,
             (unsigned long long)world->tick_hash, world->num_edicts,
             Server_NumPlayers(console->server), console->host.sv_maxclients);
    Console_Answer(console, line);
    if (ticks) {
        char times[96] = "not measured yet";
        if (ticks->count > 0) {
            snprintf(times, sizeof times, "p50 %.3f  p99 %.3f  max %.3f",
                     (double)TickStats_Percentile(ticks, 0.5) / 1e6,
                     (double)TickStats_Percentile(ticks, 0.99) / 1e6,
                     (double)TickStats_Percentile(ticks, 1.0) / 1e6);
        }
        snprintf(line, sizeof line, "tick time ms: %s  overruns %llu  skipped %llu", times,
                 (unsigned long long)ticks->overruns, (unsigned long long)ticks->skipped);
        Console_Answer(console, line);
    }
    const uint8_t *key = Server_Key(console->server);
    if (key) {
        char text[KEY_TEXT_BYTES];
        Key_Format(key, text);
        snprintf(line, sizeof line, "seal %s  server key %s", console->host.sv_seal, text);
        Console_Answer(console, line);
    }
    if (Server_Describe(console->server, line, sizeof line)) {
        Console_Answer(console, line);
    }
    Server_PrintClients(console->server, Console_Answer, console);
    return true;
}

bool Console_RunCounters(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    (void)args;
    if (!console->server || !Server_World(console->server)) {
        return Err_Set(err, "counters: no map is running yet");
    }
    const world_counters_t *counters = &Server_World(console->server)->counters;
    server_stats_t stats = Server_Stats(console->server);
#define PRINT_COUNTER(name, help) print_counter(console, #name, counters->name, help);
#define PRINT_STAT(name, help)    print_counter(console, #name, stats.name, help);
    WORLD_COUNTERS(PRINT_COUNTER)
    SERVER_STATS(PRINT_STAT)
#define PRINT_CONTROL(name, help) print_counter(console, #name, console->counters.name, help);
    CONTROL_COUNTERS(PRINT_CONTROL)
    print_net_counters(console);
    return true;
}
