// Tests of the main loop in virtual time: when it reads datagrams, and that a flood does not fill
// the kernel's buffer in between.
#include "app/app.h"
#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROOM       512  // small datagrams in the kernel's usual buffer of 208 KiB
#define CALL_NS    1000 // duration of each look at the clock
#define SECOND_NS  INT64_C(1000000000)
#define SETTLED_NS (SECOND_NS / 10) // the loop knows by then how many datagrams come

/// The kernel: its clock, and the socket's buffer.
static struct {
    bool is_virtual;
    int64_t now_ns, end_ns;
    int64_t rate;       ///< datagrams a second
    int64_t sent_ns;    ///< arrival of the last one
    int64_t oldest_ns;  ///< arrival of the oldest that waits
    int64_t counted_ns; ///< start of the counts below
    uint64_t waiting, read, readings, lost, longest_ns;
    signals_t *signals;
} kernel;

/// Advances the clock, and puts the datagrams that arrive into the buffer.
static void advance(int64_t until_ns) {
    const int64_t every_ns = kernel.rate > 0 ? SECOND_NS / kernel.rate : INT64_MAX / 2;
    while (kernel.sent_ns + every_ns <= until_ns) {
        kernel.sent_ns += every_ns;
        kernel.oldest_ns = kernel.waiting == 0 ? kernel.sent_ns : kernel.oldest_ns;
        if (kernel.waiting < ROOM) {
            kernel.waiting++;
        } else {
            kernel.lost += kernel.sent_ns >= kernel.counted_ns;
        }
    }
    kernel.now_ns = until_ns;
    if (kernel.is_virtual && kernel.now_ns >= kernel.end_ns) {
        kernel.signals->stop = 1;
    }
}

/// Replaces the system's function in this program and its libraries, as ppoll below.
int clock_gettime(clockid_t id, struct timespec *out) {
    if (id != CLOCK_MONOTONIC || !kernel.is_virtual) {
        return (int)syscall(SYS_clock_gettime, id, out);
    }
    advance(kernel.now_ns + CALL_NS);
    *out = (struct timespec){kernel.now_ns / SECOND_NS, kernel.now_ns % SECOND_NS};
    return 0;
}

static int wait_for(struct pollfd *fds, nfds_t count, const struct timespec *timeout) {
    const int64_t until_ns = kernel.now_ns + timeout->tv_sec * SECOND_NS + timeout->tv_nsec;
    const int64_t next_ns = kernel.rate > 0 ? kernel.sent_ns + SECOND_NS / kernel.rate : INT64_MAX;
    if (count == 0 || (kernel.waiting == 0 && next_ns > until_ns)) {
        advance(until_ns);
        return 0;
    }
    if (kernel.waiting == 0) {
        advance(next_ns);
    }
    fds[0].revents = POLLIN; // the loop has neither a control socket nor standard input
    return 1;
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    (void)mask;
    return wait_for(fds, count, timeout);
}

/// Optimised builds call this function in place of ppoll.
int checked_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                  const sigset_t *mask, size_t bytes) __asm__("__ppoll_chk");

int checked_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                  const sigset_t *mask, size_t bytes) {
    (void)mask;
    assert_true(count * sizeof *fds <= bytes);
    return wait_for(fds, count, timeout);
}

static int descriptor(transport_t *net) {
    (void)net;
    return 12345; // only ppoll above sees it
}

/// Reads all that waits: the loop calls this after each reading.
static void traffic(transport_t *net, cl_traffic_t *out) {
    (void)net;
    if (kernel.now_ns >= kernel.counted_ns) {
        const uint64_t waited_ns = (uint64_t)(kernel.now_ns - kernel.oldest_ns);
        kernel.readings++;
        if (kernel.waiting > 0 && waited_ns > kernel.longest_ns) {
            kernel.longest_ns = waited_ns;
        }
    }
    kernel.read += kernel.waiting;
    kernel.waiting = 0;
    *out = (cl_traffic_t){.packets_in = kernel.read};
}

/// Runs the loop for a second at a rate of datagrams, then the counts are those of this second.
static void run_loop(app_t *app, int64_t rate) {
    app->signals->stop = 0;
    kernel.rate = rate;
    kernel.sent_ns = kernel.now_ns;
    kernel.counted_ns = kernel.now_ns + SETTLED_NS;
    kernel.end_ns = kernel.counted_ns + SECOND_NS;
    kernel.lost = kernel.readings = kernel.longest_ns = 0;
    kernel.is_virtual = true;
    App_Loop(app);
    kernel.is_virtual = false;
}

/// A loop around a server, on which one client plays or none.
typedef struct {
    test_net_t net;
    test_peer_t peer;
    transport_t socket;
    signals_t signals;
    log_t log;
    app_t app;
} rig_t;

static rig_t *open_rig(bool has_client) {
    rig_t *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    TestPeer_Serve(&rig->net, 4);
    if (has_client) {
        TestPeer_Join(&rig->peer, &rig->net, 0, "ann");
    }
    rig->socket = (transport_t){.descriptor = descriptor, .traffic = traffic};
    Console_Init(&rig->app.console, &rig->log);
    rig->app.console.server = rig->net.server;
    rig->app.server = rig->net.server;
    rig->app.net = &rig->socket;
    rig->app.signals = &rig->signals;
    rig->app.title_at_ms = INT64_MAX; // the title of a test's process is not ours
    kernel.now_ns = rig->net.now_ms * 1000000;
    kernel.signals = &rig->signals;
    return rig;
}

static void close_rig(rig_t *rig) {
    if (rig->peer.transport) {
        TestPeer_Free(&rig->peer);
    }
    TestNet_Free(&rig->net);
    free(rig);
}

static void test_once_before_each_tick(void **state) {
    (void)state;
    rig_t *rig = open_rig(true);
    run_loop(&rig->app, 4000); // of 64 players
    assert_in_range(kernel.readings, 62, 64);
    assert_int_equal(kernel.lost, 0);
    assert_in_range(kernel.longest_ns, 0, 17000000);
    close_rig(rig);
}

/// Tests that a flood is read sooner. Between two ticks, 640 datagrams come.
static void test_flood(void **state) {
    (void)state;
    rig_t *rig = open_rig(true);
    run_loop(&rig->app, 40000);
    assert_int_equal(kernel.lost, 0);
    assert_in_range(kernel.readings, 124, 127);
    run_loop(&rig->app, 4000); // the flood is over
    assert_in_range(kernel.readings, 62, 64);
    close_rig(rig);
}

/// Tests that readings follow the number of datagrams: at 128 in a tick they become more often, in
/// each tick. If some ticks had only one, these would read twice as much and last longer.
static void test_rates(void **state) {
    (void)state;
    rig_t *rig = open_rig(true);
    for (int64_t rate = 6000; rate <= 60000; rate += 3000) {
        run_loop(&rig->app, rate);
        assert_int_equal(kernel.lost, 0);
        assert_in_range(kernel.readings, rate < 8000 ? 62 : 124, rate < 8000 ? 64 : 127);
    }
    close_rig(rig);
}

/// Tests that a first client is answered at once, in a flood also.
static void test_without_clients(void **state) {
    (void)state;
    rig_t *rig = open_rig(false);
    run_loop(&rig->app, 20);
    assert_in_range(kernel.readings, 20, 170); // those, and at most one for each 16 ms
    assert_in_range(kernel.longest_ns, 0, 100000);
    run_loop(&rig->app, 40000);
    assert_int_equal(kernel.lost, 0);
    assert_in_range(kernel.longest_ns, 0, 2100000);
    close_rig(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once_before_each_tick),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_without_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
