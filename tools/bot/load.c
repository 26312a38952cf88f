// The loop wakes LOAD_SOCKETS times a tick and reads what has arrived. It never sleeps on a socket:
// the server would pay for waking it with each datagram.

#include "bot/load.h"

#include "bot/load_client.h"
#include "bot/squad.h"

#include <linux/sock_diag.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_NS    INT64_C(1000000000)
#define SETTLE_NS    (10 * SECOND_NS) // before the measurement, at most a quarter of it
#define JOIN_GRACE_S 20               // time for the last join
#define GOODBYE_NS   (SECOND_NS / 5)  // time to leave
#define LOOPBACK     (127u << 24)

typedef struct {
    const bot_args_t *args;
    load_stats_t stats;
    load_client_t *clients;
    int32_t count, connected; ///< clients; those that started to connect
    cl_transport_t *nets[LOAD_SOCKETS];
    load_client_t **of_peer[LOAD_SOCKETS]; ///< by peer
    int32_t num_nets, peers_each;
    struct pollfd fds[LOAD_SOCKETS + 1]; ///< the last: signals
    int64_t start_ns, due_ns;
    int64_t joined_ns; ///< time from the first connect to the last join
    uint64_t step;
    bool is_over;
} load_t;

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

// ---- create ----

static bool create_net(load_t *load, int32_t k, err_t *err) {
    const bot_args_t *args = load->args;
    cl_net_config_t config = {.local = args->local, .max_peers = load->peers_each};
    if (args->server.host >> 24 == 127 && config.local.host == 0) {
        config.local.host = LOOPBACK | (uint32_t)(k + 1) << 16 | 1; // 127.k+1.0.1
    }
    load->nets[k] = CL_NetCreate(&config, err);
    load->of_peer[k] = calloc((size_t)load->peers_each, sizeof(load_client_t *));
    if (!load->nets[k] || !load->of_peer[k]) {
        return load->nets[k] == NULL ? false : Err_Set(err, "out of memory");
    }
    load->nets[k]->set_seal(load->nets[k], args->seal, NULL);
    load->fds[k] =
        (struct pollfd){.fd = load->nets[k]->descriptor(load->nets[k]), .events = POLLIN};
    return true;
}

static bool create(load_t *load, err_t *err) {
    const bot_args_t *args = load->args;
    load->count = args->load;
    load->num_nets = Q_MinI(load->count, LOAD_SOCKETS);
    load->peers_each = (load->count + load->num_nets - 1) / load->num_nets;
    load->clients = calloc((size_t)load->count, sizeof *load->clients);
    if (!load->clients) {
        return Err_Set(err, "out of memory for %d clients", load->count);
    }
    for (int32_t k = 0; k < load->num_nets; k++) {
        if (!create_net(load, k, err)) {
            return false;
        }
    }
    for (int32_t i = 0; i < load->count; i++) {
        load_client_t *client = &load->clients[i];
        uint64_t seed = (uint64_t)args->seed + (uint64_t)i * 7919;
        if (!LoadClient_Create(client, load->nets[i % load->num_nets], &load->stats, seed)) {
            return Err_Set(err, "out of memory for %d clients", load->count);
        }
        if (args->password && !CL_SetPassword(client->cl, args->password, err)) {
            return false;
        }
    }
    return true;
}

static void destroy(load_t *load) {
    for (int32_t i = 0; load->clients && i < load->count; i++) {
        CL_Destroy(load->clients[i].cl);
    }
    for (int32_t k = 0; k < load->num_nets; k++) {
        if (load->nets[k]) {
            load->nets[k]->destroy(load->nets[k]);
        }
        free(load->of_peer[k]);
    }
    free(load->clients);
    free(load);
}

// ---- the loop ----

// Starts the connections that are due.
static void connect_due(load_t *load, int64_t now_ns) {
    const bot_args_t *args = load->args;
    int64_t share_ns = (int64_t)args->join_s * SECOND_NS / load->count;
    while (load->connected < load->count && now_ns - load->start_ns >= load->connected * share_ns) {
        err_t err;
        char name[CL_NAME_BYTES];
        int32_t k = load->connected % load->num_nets;
        load_client_t *client = &load->clients[load->connected];
        snprintf(name, sizeof name, "load%d", load->connected++);
        if (CL_Connect(client->cl, args->server, name, false, &err)) {
            load->of_peer[k][client->peer] = client;
        } else {
            LoadClient_Lose(client, err.text);
        }
    }
}

// Receives what arrived at a socket.
static void receive(load_t *load, int32_t k) {
    cl_transport_t *net = load->nets[k];
    cl_net_event_t event;
    const int64_t due_ms = load->due_ns / 1000000;
    for (net->poll(net, due_ms, &event); event.type != CL_NET_NONE;
         net->poll(net, due_ms, &event)) {
        load_client_t *client = event.peer >= 0 ? load->of_peer[k][event.peer] : NULL;
        if (client) {
            client->event = event;
            LoadClient_Frame(client, due_ms);
        }
    }
}

// Sleeps until the next step.
static void next_step(load_t *load) {
    int32_t rate_mhz = CL_TickRate(load->clients[0].cl);
    int64_t tick_ns = 1000 * SECOND_NS / (rate_mhz > 0 ? rate_mhz : 62500);
    load->due_ns += tick_ns / LOAD_SOCKETS;
    load->step++;
    int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (now_ns < load->due_ns) {
        const struct timespec until = {load->due_ns / SECOND_NS, load->due_ns % SECOND_NS};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        LoadTimes_Add(&load->stats.timer, clock_ns(CLOCK_MONOTONIC) - load->due_ns);
        now_ns = load->due_ns;
    }
    LoadTimes_Add(&load->stats.behind, now_ns - load->due_ns);
    if (now_ns - load->due_ns > tick_ns) {
        load->due_ns = now_ns; // too much load: do not try to catch up
    }
}

// Runs one step: receives, connects, and sends the commands of the sockets whose moment it is.
static void run_step(load_t *load) {
    next_step(load);
    int32_t phase = (int32_t)(load->step % LOAD_SOCKETS);
    bool is_ready = poll(load->fds, (nfds_t)load->num_nets + 1, 0) > 0;
    load->is_over = load->is_over || (is_ready && load->fds[load->num_nets].revents != 0);
    connect_due(load, clock_ns(CLOCK_MONOTONIC));
    for (int32_t k = 0; k < load->num_nets; k++) {
        bool is_turn = phase == (load->args->burst ? 0 : k * LOAD_SOCKETS / load->num_nets);
        if (is_turn || (is_ready && load->fds[k].revents != 0)) {
            receive(load, k);
        }
        for (int32_t i = k; is_turn && i < load->count; i += load->num_nets) {
            LoadClient_Frame(&load->clients[i], load->due_ns / 1000000);
        }
        if (is_turn) {
            load->nets[k]->flush(load->nets[k]);
        }
    }
}

static int32_t count_active(const load_t *load) {
    int32_t count = 0;
    for (int32_t i = 0; i < load->count; i++) {
        count += CL_State(load->clients[i].cl) == CL_ACTIVE ? 1 : 0;
    }
    return count;
}

static void run_for(load_t *load, int64_t ns) {
    int64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ns;
    while (!load->is_over && clock_ns(CLOCK_MONOTONIC) < end_ns) {
        run_step(load);
    }
}

// Runs until every client plays or is gone.
static void join(load_t *load) {
    int64_t end_ns = load->start_ns + (load->args->join_s + JOIN_GRACE_S) * SECOND_NS;
    int32_t waiting = load->count;
    while (!load->is_over && waiting > 0 && clock_ns(CLOCK_MONOTONIC) < end_ns) {
        run_step(load);
        waiting = load->count - count_active(load) - (int32_t)load->stats.left;
    }
    load->joined_ns = clock_ns(CLOCK_MONOTONIC) - load->start_ns;
    if (waiting > 0) {
        LoadStats_Note(&load->stats, "a client received no snapshot in time");
    }
}

static void leave(load_t *load) {
    for (int32_t i = 0; i < load->count; i++) {
        CL_Disconnect(load->clients[i].cl);
        load->clients[i].is_gone = true;
    }
    load->is_over = false;
    run_for(load, GOODBYE_NS);
}

// ---- the result ----

// Totals before or after the measurement.
typedef struct {
    int64_t ns, cpu_ns;
    cl_traffic_t net;
    uint64_t kernel_dropped;
} totals_t;

// Returns how many datagrams the kernel dropped for lack of space; 0 if unknown.
static uint64_t kernel_drops(int fd) {
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size) == 0 ? info[SK_MEMINFO_DROPS] : 0;
}

static totals_t totals_of(const load_t *load) {
    totals_t out = {.ns = clock_ns(CLOCK_MONOTONIC), .cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
    for (int32_t k = 0; k < load->num_nets; k++) {
        cl_traffic_t net;
        load->nets[k]->traffic(load->nets[k], &net);
        out.net.bytes_in += net.bytes_in;
        out.net.bytes_out += net.bytes_out;
        out.net.packets_in += net.packets_in;
        out.net.packets_out += net.packets_out;
        out.kernel_dropped += kernel_drops(load->fds[k].fd);
    }
    return out;
}

// Returns what the clients counted in the measurement. *fewest: snapshots of the last client.
static cl_stats_t counted(const load_t *load, uint64_t *fewest) {
    cl_stats_t sum = {.snapshots = 0};
    *fewest = UINT64_MAX;
    for (int32_t i = 0; i < load->count; i++) {
        const cl_stats_t *before = &load->clients[i].before;
        cl_stats_t now;
        CL_Stats(load->clients[i].cl, &now);
        const uint64_t snapshots = now.snapshots - before->snapshots;
        *fewest = snapshots < *fewest ? snapshots : *fewest;
        sum.snapshots += snapshots;
        sum.snapshots_stale += now.snapshots_stale - before->snapshots_stale;
        sum.snapshot_bytes += now.snapshot_bytes - before->snapshot_bytes;
        sum.cmd_packets += now.cmd_packets - before->cmd_packets;
    }
    return sum;
}

static void row(const char *name, double value, const char *unit) {
    printf("load,%s,%.6g,%s\n", name, value, unit);
}

static void rows_of_times(const char *name, const load_times_t *times) {
    static const struct {
        const char *name;
        double share;
    } shares[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}};
    for (size_t i = 0; i < COUNTOF(shares); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s %s", name, shares[i].name);
        row(text, (double)LoadTimes_Percentile(times, shares[i].share) / 1e6, "ms");
    }
}

static void print_result(const load_t *load, const totals_t *from, const totals_t *to) {
    const load_stats_t *stats = &load->stats;
    double seconds = (double)(to->ns - from->ns) / 1e9;
    double each = 1.0 / seconds / load->count;
    uint64_t fewest = 0;
    const cl_stats_t sum = counted(load, &fewest);
    row("snapshots", (double)sum.snapshots * each, "1/s per client");
    row("snapshots of the last client", (double)fewest / seconds, "1/s");
    rows_of_times("interval", &stats->intervals);
    rows_of_times("timer lateness", &stats->timer);
    rows_of_times("own delay", &stats->behind);
    row("received", (double)(to->net.bytes_in - from->net.bytes_in) * each, "B/s per client");
    row("sent", (double)(to->net.bytes_out - from->net.bytes_out) * each, "B/s per client");
    row("datagrams received", (double)(to->net.packets_in - from->net.packets_in) * each,
        "1/s per client");
    row("datagrams sent", (double)(to->net.packets_out - from->net.packets_out) * each,
        "1/s per client");
    row("commands", (double)sum.cmd_packets * each, "1/s per client");
    double one = sum.snapshots > 0 ? 1.0 / (double)sum.snapshots : 0.0;
    row("bytes of a snapshot", (double)sum.snapshot_bytes * one, "B");
    one = stats->counted > 0 ? 1.0 / (double)stats->counted : 0.0;
    row("entities of a snapshot", (double)stats->entities * one, "");
    row("snapshots ignored", (double)sum.snapshots_stale, "");
    row("lost in the kernel", (double)(to->kernel_dropped - from->kernel_dropped), "");
    row("CPU", (double)(to->cpu_ns - from->cpu_ns) / (double)(to->ns - from->ns) * 100.0,
        "% of a core");
    row("clients lost", (double)stats->left, "");
    row("decode errors", (double)stats->errors, "");
}

// Forgets what was counted before the measurement, except faults.
static void reset_stats(load_t *load) {
    load_stats_t *stats = &load->stats;
    memset(&stats->intervals, 0, sizeof stats->intervals);
    memset(&stats->timer, 0, sizeof stats->timer);
    memset(&stats->behind, 0, sizeof stats->behind);
    stats->counted = stats->entities = 0;
    for (int32_t i = 0; i < load->count; i++) {
        CL_Stats(load->clients[i].cl, &load->clients[i].before);
    }
}

static int measure(load_t *load) {
    load->start_ns = load->due_ns = clock_ns(CLOCK_MONOTONIC);
    join(load);
    int32_t in = count_active(load);
    int64_t measured_ns = load->args->limit_s * SECOND_NS;
    run_for(load, measured_ns / 4 < SETTLE_NS ? measured_ns / 4 : SETTLE_NS);
    row("clients in", in, "");
    row("time to join", (double)load->joined_ns / 1e9, "s");
    fflush(stdout); // scripts wait for these lines
    reset_stats(load);
    totals_t from = totals_of(load);
    run_for(load, measured_ns);
    totals_t to = totals_of(load);
    print_result(load, &from, &to);
    leave(load);
    if (load->stats.error[0] != '\0') {
        fprintf(stderr, "edict-bot: %s\n", load->stats.error);
    }
    bool is_good = in == load->count && load->stats.left == 0;
    return is_good ? EXIT_PASSED : in > 0 ? EXIT_SCRIPT_FAILED : EXIT_NO_SERVER;
}

int Load_Run(const bot_args_t *args, int signals) {
    err_t err = {""};
    load_t *load = calloc(1, sizeof *load);
    int status = EXIT_NO_SERVER;
    if (!load) {
        fprintf(stderr, "edict-bot: out of memory\n");
        return status;
    }
    load->args = args;
    if (create(load, &err)) {
        load->fds[load->num_nets] = (struct pollfd){.fd = signals, .events = POLLIN};
        status = measure(load);
    } else {
        fprintf(stderr, "edict-bot: %s\n", err.text);
    }
    destroy(load);
    return status;
}
