// Tests that a server whose ticks take too long sends fewer snapshots, and all again afterwards.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"

#include <math.h>
#include <string.h>

#define TICK_MS 16.0

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

// Parts of a tick, ms. Snapshots take all_ms if a tick carries those of every client.
typedef struct {
    double rest_ms, all_ms;
} load_t;

// Costs of sending: with every Nth tick, snapshots take all_ms * (shared + (1 - shared) / N^power)
// a tick. A power other than 1 is an error of the server's model. Loads vary from second to second
// by up to `noise`, as a share.
typedef struct {
    double power, noise, shared;
    uint32_t seed;
    // Counted:
    int32_t seconds, busy, changes;
    double snapshots; // as a share of those of every tick, summed over the seconds
} profile_t;

static test_net_t *new_net(uint64_t seed) {
    test_net_t *net = calloc(1, sizeof *net);
    assert_non_null(net);
    TestNet_Init(net, &(test_net_config_t){.seed = seed, .max_clients = 2, .map = &room});
    return net;
}

static void free_net(test_net_t *net) {
    TestNet_Free(net);
    free(net);
}

static int64_t ns_of(double ms) {
    return (int64_t)(ms * 1e6);
}

// Notes equal ticks for a second.
static void second(server_t *server, double took_ms, double sending_ms) {
    do {
        Server_NoteTick(server, ns_of(took_ms), ns_of(took_ms), ns_of(sending_ms));
    } while (server->tick_times.count > 0);
}

static double sending_ms(const profile_t *profile, load_t load, int32_t ticks) {
    return load.all_ms * (profile->shared + (1.0 - profile->shared) / pow(ticks, profile->power));
}

// Returns the shortest interval with which ticks take at most 75 % of their length. 13 would take
// 208 ms.
static int32_t shortest(const profile_t *profile, load_t load) {
    int32_t ticks = 1;
    while (ticks < 12 && load.rest_ms + sending_ms(profile, load, ticks) > 0.75 * TICK_MS) {
        ticks++;
    }
    return ticks;
}

static void run_load(server_t *server, profile_t *profile, int32_t seconds, load_t load) {
    for (int32_t i = 0; i < seconds; i++) {
        profile->seed = profile->seed * 1664525u + 1013904223u;
        const double random = (double)(profile->seed >> 8) / (1 << 23) - 1.0; // -1..1
        const double factor = 1.0 + profile->noise * random;
        const int32_t ticks = server->snapshot_ticks;
        const double sent_ms = sending_ms(profile, load, ticks) * factor;
        const double took_ms = load.rest_ms * factor + sent_ms;
        second(server, took_ms, sent_ms);
        profile->seconds++;
        profile->busy += took_ms > 0.9 * TICK_MS ? 1 : 0;
        profile->changes += server->snapshot_ticks != ticks ? 1 : 0;
        profile->snapshots += 1.0 / ticks;
    }
}

static const profile_t exact = {.power = 1.0}, noisy = {.power = 1.0, .noise = 0.05, .seed = 1},
                       flat = {.power = 0.8, .noise = 0.05, .seed = 2},
                       steep = {.power = 1.3, .noise = 0.05, .seed = 3};
static const profile_t *const profiles[] = {&exact, &noisy, &flat, &steep};

// Under constant overload, the world keeps the time, and clients receive what the server can
// afford, with an interval that stays.
static void test_overload(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(profiles); i++) {
        test_net_t *net = new_net(1);
        profile_t profile = *profiles[i];
        run_load(net->server, &profile, 600, (load_t){6.0, 20.0});
        assert_in_range(profile.busy, 1, 3);
        assert_in_range(profile.changes, 1, 4);
        assert_in_range(net->server->snapshot_ticks, 3, 6);
        free_net(net);
    }
}

// A load that would take too long without any snapshot leaves few of them.
static void test_hopeless_overload(void **state) {
    (void)state;
    test_net_t *net = new_net(2);
    profile_t profile = noisy;
    run_load(net->server, &profile, 60, (load_t){15.0, 5.0});
    assert_int_equal(net->server->snapshot_ticks, 12); // 13 would take 208 ms
    assert_int_equal(profile.changes, 4);
    run_load(net->server, &profile, 4, (load_t){3.0, 2.0});
    assert_int_equal(net->server->snapshot_ticks, 6);
    run_load(net->server, &profile, 3, (load_t){3.0, 2.0}); // after 7 s
    assert_int_equal(net->server->snapshot_ticks, 1);
    free_net(net);
}

// Snapshots that were too expensive during a burst, as of joins, come back after it if they need
// up to 75 % of the time. That takes few seconds and no try.
static void test_a_burst_of_joins(void **state) {
    (void)state;
    static const load_t after[] = {{0.5, 0.5}, {3.0, 6.0}, {6.0, 4.0}, {9.0, 2.0}};
    for (size_t i = 0; i < COUNTOF(after); i++) {
        for (size_t k = 0; k < COUNTOF(profiles); k++) {
            test_net_t *net = new_net(3);
            profile_t profile = *profiles[k];
            run_load(net->server, &profile, 5, after[i]);
            assert_int_equal(profile.changes, 0);
            run_load(net->server, &profile, 20, (load_t){12.0, 9.0});
            assert_true(net->server->snapshot_ticks > 1);
            profile.changes = profile.busy = 0;
            run_load(net->server, &profile, 20, after[i]);
            assert_int_equal(net->server->snapshot_ticks, 1);
            assert_in_range(profile.changes, 1, 4); // 12, 6, 3, 2, 1
            run_load(net->server, &profile, 580, after[i]);
            assert_in_range(profile.changes, 1, 4);
            assert_int_equal(profile.busy, 0);
            free_net(net);
        }
    }
}

// Cheap snapshots come back after a burst, even if the rest of a tick exceeds the goal alone.
static void test_cheap_snapshots(void **state) {
    (void)state;
    static const double rests_ms[] = {11.9, 12.1, 12.5};
    for (size_t i = 0; i < COUNTOF(rests_ms); i++) {
        test_net_t *net = new_net(10);
        profile_t profile = noisy;
        run_load(net->server, &profile, 20, (load_t){12.0, 9.0});
        assert_int_equal(net->server->snapshot_ticks, 12);
        run_load(net->server, &profile, 20, (load_t){rests_ms[i], 0.5});
        assert_int_equal(net->server->snapshot_ticks, 2);
        free_net(net);
    }
}

// The interval becomes shorter after four seconds in a row that could afford it, then at once, but
// at most to its half.
static void test_calm_seconds(void **state) {
    (void)state;
    test_net_t *net = new_net(11);
    second(net->server, 40.0, 20.0);
    second(net->server, 40.0, 20.0);
    for (int32_t i = 0; i < 13; i++) {
        assert_int_equal(net->server->snapshot_ticks, 4);
        second(net->server, i % 4 == 3 ? 13.0 : 2.0, 0.5);
    }
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(net->server->snapshot_ticks, 4);
        second(net->server, 2.0, 0.5);
    }
    assert_int_equal(net->server->snapshot_ticks, 2);
    second(net->server, 2.0, 0.5);
    assert_int_equal(net->server->snapshot_ticks, 1);
    free_net(net);
}

// Sets an interval that each of the last four seconds could afford, whichever was the busiest.
static void test_a_quiet_second(void **state) {
    (void)state;
    for (int32_t busiest = 0; busiest < 4; busiest++) {
        test_net_t *net = new_net(11);
        second(net->server, 40.0, 20.0);
        second(net->server, 40.0, 20.0);
        for (int32_t i = 0; i < 4; i++) {
            assert_int_equal(net->server->snapshot_ticks, 4);
            if (i == busiest) {
                second(net->server, 11.0, 3.0); // with every third tick, 12.0
            } else {
                second(net->server, 2.0, 0.5);
            }
        }
        assert_int_equal(net->server->snapshot_ticks, 3);
        for (int32_t i = 0; i < 5; i++) { // to 2 and 1
            second(net->server, 2.0, 0.5);
        }
        assert_int_equal(net->server->snapshot_ticks, 1);
        free_net(net);
    }
}

// Returns how often the interval changes in ten minutes of a load that varies by `noise` from one
// half of a second to the next. Every `period`th of them takes 1.3 times as long.
static int32_t changes_by(server_t *server, load_t load, double noise, int32_t period) {
    uint32_t seed = 7;
    int32_t changes = 0;
    for (int32_t half = 0; half < 1200; half++) {
        seed = seed * 1664525u + 1013904223u;
        const double factor = (1.0 + noise * ((double)(seed >> 8) / (1 << 23) - 1.0)) *
                              (period > 0 && half % period == 0 ? 1.3 : 1.0);
        for (int32_t i = 0; i < 32; i++) {
            const int32_t ticks = server->snapshot_ticks;
            const double sent_ms = load.all_ms * (0.16 + 0.84 / ticks) * factor;
            const int64_t took_ns = ns_of(load.rest_ms * factor + sent_ms);
            Server_NoteTick(server, took_ns, took_ns, ns_of(sent_ms));
            changes += server->snapshot_ticks != ticks ? 1 : 0;
        }
    }
    return changes;
}

// With much noise, or with peaks of half a second, the interval changes at most five times a
// minute.
static void test_uneven_load(void **state) {
    (void)state;
    static const struct {
        double noise;
        int32_t period;
    } rows[] = {{0.2, 0}, {0.05, 5}, {0.05, 8}};
    static const load_t loads[] = {{5.0, 16.0}, {6.6, 16.0}, {6.6, 12.0}, {8.0, 12.0}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        for (size_t k = 0; k < COUNTOF(loads); k++) {
            test_net_t *net = new_net(16);
            const int32_t changes =
                changes_by(net->server, loads[k], rows[i].noise, rows[i].period);
            assert_in_range(changes, 1, 50);
            free_net(net);
        }
    }
}

// Changes the interval only for a quarter more snapshots, or for all that the operator demands.
static void test_few_more_snapshots(void **state) {
    (void)state;
    static const struct {
        int32_t wanted, ticks;
        double took_ms;
    } rows[] = {{1, 12, 11.8}, {1, 12, 11.6}, {1, 9, 11.2}, {11, 11, 11.8}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        test_net_t *net = new_net(13);
        Server_SetHost(net->server, "few", net->folder, "", rows[i].wanted);
        net->server->snapshot_ticks = 12;
        for (int32_t k = 0; k < 4; k++) { // 3.0 becomes 3.27 with 11 ticks, 3.6 with 10, 4.0 with 9
            second(net->server, rows[i].took_ms - 0.3, 3.0);
        }
        assert_int_equal(net->server->snapshot_ticks, rows[i].ticks);
        free_net(net);
    }
}

// Overloads a server for 20 s, then runs a load of `full_ms` a tick for 600 s, 5 of it for sending.
static void run_after_a_burst(server_t *server, profile_t *profile, double full_ms) {
    run_load(server, profile, 20, (load_t){12.0, 9.0});
    assert_int_equal(server->snapshot_ticks, 12);
    profile->changes = profile->busy = profile->seconds = 0;
    profile->snapshots = 0.0;
    run_load(server, profile, 600, (load_t){full_ms - 5.0, 5.0});
}

// Snapshots that share half of their cost, as those of a crowd, come back after a burst as far as
// the server can afford them. With the shared part counted for each, every row keeps a longer
// interval.
static void test_shared_costs(void **state) {
    (void)state;
    for (double full_ms = 11.1; full_ms < 13.7; full_ms += 0.25) {
        test_net_t *net = new_net(9);
        profile_t profile = {.power = 1.0, .shared = 0.5};
        const int32_t ticks = shortest(&profile, (load_t){full_ms - 5.0, 5.0});
        run_after_a_burst(net->server, &profile, full_ms);
        assert_int_equal(net->server->snapshot_ticks, ticks);
        assert_true(profile.snapshots > 0.98 * profile.seconds / ticks);
        free_net(net);
    }
}

// The shared part is measured in the first second after a change, and only if someone received
// snapshots in it. Later seconds of another load do not count.
static void test_what_measures_shared_costs(void **state) {
    (void)state;
    static const double sending_ms[] = {6.0, 0.0, 12.0};
    static const float fixed[] = {0.0f, 0.0f, 0.5f};
    for (size_t i = 0; i < COUNTOF(fixed); i++) {
        test_net_t *net = new_net(12);
        second(net->server, 20.0, 12.0);
        assert_int_equal(net->server->snapshot_ticks, 2);
        assert_true(net->server->pace.fixed == 0.0f);
        second(net->server, 13.0, sending_ms[i]);
        assert_int_equal(net->server->snapshot_ticks, 2);
        assert_true(net->server->pace.fixed == fixed[i]);
        second(net->server, 13.0, 9.0);
        assert_true(net->server->pace.fixed == fixed[i]);
        free_net(net);
    }
}

// Shared costs unlike the server's model lengthen the interval by one tick at most, and it does not
// swing.
static void test_other_shared_costs(void **state) {
    (void)state;
    const profile_t shared[] = {{.power = 0.3}, {.power = 0.3, .noise = 0.05, .seed = 4}};
    for (size_t k = 0; k < COUNTOF(shared); k++) {
        for (double full_ms = 11.0; full_ms <= 15.0; full_ms += 0.25) {
            test_net_t *net = new_net(9);
            profile_t profile = shared[k];
            const int32_t ticks = shortest(&profile, (load_t){full_ms - 5.0, 5.0});
            run_after_a_burst(net->server, &profile, full_ms);
            assert_true(profile.changes <= 10);
            assert_int_equal(profile.busy, 0);
            assert_true(profile.snapshots > 0.95 * profile.seconds / Q_MinI(ticks + 1, 12));
            free_net(net);
        }
    }
}

// A second of slow ticks costs few snapshots.
static void test_a_short_burst(void **state) {
    (void)state;
    test_net_t *net = new_net(4);
    second(net->server, 40.0, 2.0);
    for (int32_t calm = 0; calm < 4; calm++) {
        assert_int_equal(net->server->snapshot_ticks, 2);
        second(net->server, 8.0, 1.0);
    }
    assert_int_equal(net->server->snapshot_ticks, 1);
    free_net(net);
}

// 1,000 clients join within 10 s, in a city and in one hall. Within 5 s after the last one, all
// receive nearly as many snapshots as the server can afford, and the interval stays.
static void test_a_crowd_joins(void **state) {
    (void)state;
    static const struct {
        double rest_ms, all_ms, shared;
    } crowds[] = {{6.6, 15.8, 0.16}, {5.5, 15.8, 0.16}, {4.8, 11.5, 0.16}, {5.5, 41.0, 0.04}};
    for (size_t i = 0; i < COUNTOF(crowds); i++) {
        test_net_t *net = new_net(14);
        profile_t profile = {.noise = 0.03, .seed = 5, .power = 1.0, .shared = crowds[i].shared};
        const load_t load = {crowds[i].rest_ms, crowds[i].all_ms};
        Server_SetHost(net->server, "crowd", net->folder, "", 3);
        for (int32_t k = 1; k <= 10; k++) { // each join costs
            run_load(net->server, &profile, 1,
                     (load_t){load.rest_ms * (0.1 * k + 0.8), load.all_ms * (0.1 * k + 0.2)});
        }
        assert_true(net->server->snapshot_ticks > 3);
        run_load(net->server, &profile, 5, load);
        const int32_t ticks = Q_MaxI(shortest(&profile, load), 3);
        assert_true(4 * net->server->snapshot_ticks <= 5 * ticks);
        profile.changes = profile.busy = 0;
        run_load(net->server, &profile, 600, load);
        assert_in_range(profile.changes, 0, 2);
        assert_int_equal(profile.busy, 0);
        free_net(net);
    }
}

// Near the limit, the interval does not swing between two values, whatever the noise. It stays 1
// if no second exceeds 85 %, becomes 2 if every second does, and never 3: with 2, none does. Only
// sending that costs less than the model expects may swing a little.
static void test_near_the_limit(void **state) {
    (void)state;
    for (double full_ms = 11.0; full_ms <= 15.0; full_ms += 0.25) {
        for (size_t k = 0; k < COUNTOF(profiles); k++) {
            test_net_t *net = new_net(5);
            profile_t profile = *profiles[k];
            const double least_ms = full_ms * (1.0 - profile.noise);
            const double most_ms = full_ms * (1.0 + profile.noise);
            run_load(net->server, &profile, 600, (load_t){full_ms - 6.0, 6.0});
            const double halved = 0.5 * profile.seconds;
            assert_in_range(profile.busy, 0, 1);
            assert_in_range(profile.changes, 0, profile.power > 1.0 ? 40 : 1);
            assert_true(profile.snapshots > halved);
            if (most_ms < 0.85 * TICK_MS) {
                assert_int_equal(profile.changes, 0);
            } else if (least_ms >= 0.85 * TICK_MS) {
                assert_int_equal(profile.changes, 1);
                assert_true(profile.snapshots < halved + 1.0);
            }
            free_net(net);
        }
    }
}

// While the load grows slowly, ticks are rarely slow, and each change lasts.
static void test_slow_growth(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNTOF(profiles); k++) {
        test_net_t *net = new_net(6);
        profile_t profile = *profiles[k];
        for (int32_t i = 0; i < 600; i++) {
            run_load(net->server, &profile, 1, (load_t){3.0 + 0.01 * i, 5.0 + 0.03 * i});
        }
        assert_in_range(profile.changes, 3, 8);
        assert_int_equal(profile.busy, 0);
        free_net(net);
    }
}

// The interval grows no more than necessary: in a crowd, entities wait for the next snapshots.
static void test_slightly_slow_ticks(void **state) {
    (void)state;
    test_net_t *net = new_net(7);
    Server_SetHost(net->server, "slow", net->folder, "", 3);
    second(net->server, 13.59, 9.0); // between 75 and 85 %
    assert_int_equal(net->server->snapshot_ticks, 3);
    second(net->server, 13.6, 6.5); // 85 %; with every fourth tick, 11.98
    assert_int_equal(net->server->snapshot_ticks, 4);
    second(net->server, 13.5, 9.0);
    assert_int_equal(net->server->snapshot_ticks, 4);
    free_net(net);
}

// Notes ticks for a second, which began `late_ms` after their deadlines.
static void late_second(server_t *server, double late_ms, double worked_ms) {
    for (int32_t i = 0; i < 63; i++) {
        Server_NoteTick(server, ns_of(late_ms + worked_ms), ns_of(worked_ms), ns_of(1.0));
    }
}

// A process that was stopped for 2 s catches up with five late ticks. They slow nothing down.
static void test_a_stopped_process(void **state) {
    (void)state;
    test_net_t *net = new_net(8);
    late_second(net->server, 0.0, 2.0);
    for (int32_t i = 0; i < 5; i++) {
        Server_NoteTick(net->server, ns_of(2000.0), ns_of(i == 0 ? 2000.0 : 2.0), ns_of(1.0));
    }
    late_second(net->server, 0.0, 2.0);
    assert_int_equal(net->server->snapshot_ticks, 1);
    assert_int_equal(net->server->stats.snapshots_slowed, 0);
    assert_int_equal(net->server->tick_times.worst, 20000);
    assert_int_equal(net->server->tick_times.mean, 69); // five of 64.0 ms and 58 of 2.0
    late_second(net->server, 0.0, 2.0);
    assert_int_equal(net->server->tick_times.mean, 20);
    assert_int_equal(net->server->tick_times.worst, 20);
    free_net(net);
}

// Ticks that wait for late ones do not cost more for it. Clients see that they are late.
static void test_late_ticks(void **state) {
    (void)state;
    test_net_t *net = new_net(15);
    late_second(net->server, 30.0, 13.5);
    assert_int_equal(net->server->snapshot_ticks, 1);
    assert_int_equal(net->server->tick_times.mean, 435);
    late_second(net->server, 0.0, 13.7);
    assert_int_equal(net->server->snapshot_ticks, 2);
    free_net(net);
}

static void count_line(void *context, log_level_t level, const char *line) {
    (void)level;
    *(int32_t *)context += strstr(line, "ticks take 40.0 ms of 16: clients receive") ? 1 : 0;
}

// A burst of slow seconds logs the cause once.
static void test_the_log_names_the_cause(void **state) {
    (void)state;
    test_net_t *net = new_net(11);
    int32_t lines = 0;
    net->log = (log_t){count_line, &lines, LOG_WARN};
    for (int32_t i = 0; i < 4; i++) {
        second(net->server, 40.0, 2.0);
    }
    assert_int_equal(net->server->stats.snapshots_slowed, 4);
    assert_int_equal(lines, 1);
    free_net(net);
}

// A view of the client names both snapshots around it, which are at most 15 ticks apart, and the
// client extrapolates for 200 ms.
static void test_views_span_two_snapshots(void **state) {
    (void)state;
    static const struct {
        float rate_hz;
        int32_t ticks;
    } rows[] = {{125.0f, 15}, {100.0f, 15}, {62.5f, 12}, {50.0f, 10}, {20.0f, 4}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        static test_net_t net;
        const test_net_config_t config = {
            .seed = 9, .max_clients = 2, .map = &room, .rate_hz = rows[i].rate_hz};
        TestNet_Init(&net, &config);
        for (int32_t k = 0; k < 6; k++) {
            second(net.server, 500.0, 400.0);
        }
        assert_int_equal(net.server->snapshot_ticks, rows[i].ticks);
        assert_true(UserCmd_Span(0, net.server->snapshot_ticks) >> 4 > 0);
        TestNet_Free(&net);
    }
}

// ---- with a client ----

// Runs seconds of ticks that take `took_ms` each, half of it for snapshots. Returns the snapshots
// of the last second.
static int32_t run(test_net_t *net, int32_t seconds, double took_ms) {
    const server_stats_t *stats = &net->server->stats;
    uint64_t before = 0;
    for (int32_t step_ms = 0; step_ms < 1000 * seconds; step_ms += TEST_NET_STEP_MS) {
        const uint64_t ticks = stats->ticks;
        if (step_ms == 1000 * (seconds - 1)) {
            before = stats->snapshots;
        }
        TestNet_Step(net);
        if (stats->ticks > ticks) {
            Server_NoteTick(net->server, ns_of(took_ms), ns_of(took_ms), ns_of(0.5 * took_ms));
        }
    }
    return (int32_t)(stats->snapshots - before);
}

static test_net_t *net_with_client(void) {
    test_net_t *net = new_net(10);
    TestNet_AddClient(net, "player");
    assert_true(TestNet_WaitActive(net, 3000));
    return net;
}

static void test_slow_ticks_carry_fewer_snapshots(void **state) {
    (void)state;
    test_net_t *net = net_with_client();
    assert_in_range(run(net, 3, 13.0), 62, 63); // of 16 ms
    assert_int_equal(net->server->stats.snapshots_slowed, 0);
    assert_in_range(run(net, 8, 30.0), 5, 6); // every 12th tick: 13 would take 208 ms
    assert_int_equal(net->server->stats.snapshots_slowed, 4);
    assert_in_range(run(net, 6, 13.0), 5, 6);   // above 75 %
    assert_in_range(run(net, 10, 1.5), 62, 63); // the first second was not calm throughout
    assert_int_equal(net->server->stats.snapshots_slowed, 4);
    free_net(net);
}

static void test_an_operator_who_wants_few_snapshots_keeps_them(void **state) {
    (void)state;
    test_net_t *net = net_with_client();
    Server_SetHost(net->server, "slow", net->folder, "", 3);
    assert_in_range(run(net, 3, 1.0), 20, 21);
    assert_in_range(run(net, 4, 90.0), 5, 6);
    Server_SetHost(net->server, "renamed", net->folder, "", 3); // as any change of a cvar
    assert_in_range(run(net, 1, 90.0), 5, 6);
    assert_in_range(run(net, 6, 1.0), 20, 21);
    Server_SetHost(net->server, "slow", net->folder, "", 15); // 240 ms already
    assert_in_range(run(net, 4, 90.0), 4, 5);
    free_net(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overload),
        cmocka_unit_test(test_hopeless_overload),
        cmocka_unit_test(test_a_burst_of_joins),
        cmocka_unit_test(test_cheap_snapshots),
        cmocka_unit_test(test_calm_seconds),
        cmocka_unit_test(test_a_quiet_second),
        cmocka_unit_test(test_uneven_load),
        cmocka_unit_test(test_few_more_snapshots),
        cmocka_unit_test(test_shared_costs),
        cmocka_unit_test(test_what_measures_shared_costs),
        cmocka_unit_test(test_other_shared_costs),
        cmocka_unit_test(test_a_short_burst),
        cmocka_unit_test(test_a_crowd_joins),
        cmocka_unit_test(test_near_the_limit),
        cmocka_unit_test(test_slow_growth),
        cmocka_unit_test(test_slightly_slow_ticks),
        cmocka_unit_test(test_a_stopped_process),
        cmocka_unit_test(test_late_ticks),
        cmocka_unit_test(test_the_log_names_the_cause),
        cmocka_unit_test(test_views_span_two_snapshots),
        cmocka_unit_test(test_slow_ticks_carry_fewer_snapshots),
        cmocka_unit_test(test_an_operator_who_wants_few_snapshots_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
