/// relay/main.c - edict-relay: a bad network between any client and a server.

#include "base/limits.h"
#include "base/option.h"
#include "base/str.h"
#include "edict/client.h"
#include "relay/relay.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_PORT 27500
#define LOOPBACK     0x7f000001u
#define STATUS_MS    1000

static const char help[] =
    "usage: edict-relay -l [ADDRESS:]PORT -t HOST[:PORT] [--network CONDITIONS] [--seed SEED]\n"
    "  -l [ADDRESS:]PORT  where clients connect; the address is 127.0.0.1 by default\n"
    "  -t HOST[:PORT]     the server: an IPv4 address or a host name (default port 27500)\n"
    "  --network CONDITIONS  PRESET or KEY=VALUE, joined by ',' (default: a perfect network)\n"
    "                presets: " NET_PRESETS "\n"
    "                in %: loss, burst, duplicate, reorder; datagrams: burst-length;\n"
    "                in ms: delay, jitter, queue, outage, outage-every; in kbit/s: rate;\n"
    "                \"up-\" or \"down-\" before a key sets one direction only\n"
    "  --seed SEED   the same seed gives the same losses and delays (default 1)\n"
    "  -h, --help    print this text\n"
    "  -V, --version  print the version\n"
    "Ends at SIGINT or SIGTERM, and prints what happened to the datagrams.\n";

static const program_t program = {"edict-relay", help, "l:t:hV",
                                  (const struct option[]){{"network", required_argument, NULL, 'N'},
                                                          {"seed", required_argument, NULL, 'S'},
                                                          OPTION_END},
                                  2};

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Reads -l: a port, or an address and a port.
static bool read_listen(const char *text, netaddr_t *out, err_t *err) {
    int64_t port = 0;
    if (strchr(text, ':')) {
        return Net_ParseAddress(text, 0, out, err);
    }
    if (!Str_ToInt(text, 0, UINT16_MAX, &port)) {
        return Err_Set(err, "-l: expected PORT or ADDRESS:PORT, found \"%s\"", text);
    }
    *out = (netaddr_t){.host = LOOPBACK, .port = (uint16_t)port};
    return true;
}

static void parse(int argc, char **argv, relay_config_t *out) {
    err_t err = {""};
    bool has_listen = false, has_target = false, good = true;
    *out = (relay_config_t){.network = "loss=0", .seed = 1};
    for (int option; good && (option = Option_Next(&program, argc, argv)) != -1;) {
        int64_t seed = 1;
        if (option == 'l') {
            has_listen = true;
            good = read_listen(optarg, &out->listen, &err);
        } else if (option == 't') {
            has_target = true;
            good = CL_Resolve(optarg, DEFAULT_PORT, &out->target, &err);
        } else if (option == 'N') {
            net_conditions_t conditions;
            out->network = optarg;
            good = Net_Conditions(optarg, 0, &conditions, &err);
        } else {
            good = Str_ToInt(optarg, 0, INT64_MAX, &seed) ||
                   Err_Set(&err, "--seed: expected a whole number from 0 on, found \"%s\"", optarg);
            out->seed = (uint64_t)seed;
        }
    }
    if (!good) {
        Option_Fail(&program, "%s", err.text);
    }
    if (!has_listen || !has_target || optind < argc) {
        Option_Fail(&program, "expected -l PORT and -t HOST:PORT, and no further words");
    }
}

static double percent_lost(const impair_counters_t *fate) {
    uint64_t lost = fate->lost + fate->jammed + fate->overflowed;
    return fate->taken > 0 ? 100.0 * (double)lost / (double)fate->taken : 0.0;
}

static void show_status(const relay_t *relay, int64_t elapsed_ms) {
    relay_stats_t stats = Relay_Stats(relay);
    const relay_counters_t *up = &stats.directions[RELAY_UP], *down = &stats.directions[RELAY_DOWN];
    fprintf(stderr,
            "\r%" PRId64 " s  %d clients  up %" PRIu64 ", lost %.1f %%  down %" PRIu64
            ", lost %.1f %%  %zu KiB wait\033[K",
            elapsed_ms / 1000, stats.clients, up->fate.taken, percent_lost(&up->fate),
            down->fate.taken, percent_lost(&down->fate), stats.waiting_bytes >> 10);
    fflush(stderr);
}

static void print_direction(const char *name, const relay_counters_t *counters) {
    const impair_counters_t *fate = &counters->fate;
    printf("%s: %" PRIu64 " datagrams, %" PRIu64 " bytes; %" PRIu64 " delivered, %" PRIu64
           " lost, %" PRIu64 " dropped by the queue, %" PRIu64 " duplicated, %" PRIu64
           " reordered, %" PRIu64 " refused\n",
           name, fate->taken, counters->bytes, counters->delivered, fate->lost, fate->jammed,
           fate->duplicated, fate->reordered, fate->overflowed + counters->unsent);
}

static void run(relay_t *relay, int signals) {
    struct pollfd fds[RELAY_MAX_CLIENTS + 2];
    bool is_terminal = isatty(STDERR_FILENO) == 1;
    int64_t start_ms = clock_ms(), next_status_ms = start_ms + STATUS_MS;
    for (;;) {
        int64_t now_ms = clock_ms();
        Relay_Step(relay, now_ms);
        if (is_terminal && now_ms >= next_status_ms) {
            show_status(relay, now_ms - start_ms);
            next_status_ms = now_ms + STATUS_MS;
        }
        nfds_t count = Relay_PollFds(relay, fds);
        fds[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
        if (poll(fds, count, Relay_PatienceMs(relay, clock_ms())) > 0 &&
            fds[count - 1].revents != 0) {
            break;
        }
    }
    if (is_terminal) {
        fputc('\n', stderr);
    }
}

int main(int argc, char **argv) {
    relay_config_t config;
    err_t err = {""};
    char from[32], to[32];
    sigset_t set;
    parse(argc, argv, &config);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    relay_t *relay = signals >= 0 ? Relay_Create(&config, &err) : NULL;
    if (!relay) {
        fprintf(stderr, "edict-relay: %s\n", signals < 0 ? strerror(errno) : err.text);
        return 1;
    }
    config.listen.port = Relay_Port(relay);
    Net_FormatAddress(config.listen, from, sizeof from);
    Net_FormatAddress(config.target, to, sizeof to);
    printf("edict-relay: %s to %s, network %s, seed %" PRIu64 "\n", from, to, config.network,
           config.seed);
    fflush(stdout);
    run(relay, signals);
    relay_stats_t stats = Relay_Stats(relay);
    printf("clients: %" PRIu64 ", of which %" PRIu64 " lost their slot to others\n",
           stats.num_clients, stats.evicted);
    print_direction("up", &stats.directions[RELAY_UP]);
    print_direction("down", &stats.directions[RELAY_DOWN]);
    Relay_Destroy(relay);
    return fflush(stdout) == 0 ? 0 : 1;
}
