// Tests of the usercmd clock against a model of a server's queue of commands.

#include "lib/testing.h"

#include "base/rng.h"
#include "client/clock.h"

#include <string.h>

#define TICK_MS    16
#define RATE_MHZ   62500
#define MAX_FLYING 512
#define TIMEOUT_MS 100 // the server fills in time if no command came for so long
#define NUM_TICKS  4000

static const int32_t rates_mhz[] = {20000, 30000, 60000,  62500, 64000,
                                    72000, 77000, 100000, 128000};
#define NUM_RATES ((int32_t)COUNTOF(rates_mhz))

// Stores a command or a snapshot that was sent and has not arrived yet.
typedef struct {
    int64_t arrives_ms;
    int64_t tick; // tick of the command
    snapshot_t snapshot;
} flying_t;

typedef struct {
    rng_t rng;
    int32_t rate_mhz;
    int32_t delay_ms, jitter_ms;  // for one direction
    int64_t stops_ms, goes_on_ms; // when the server runs neither ticks nor reads packets
    cl_clock_t clock;
    flying_t up[MAX_FLYING], down[MAX_FLYING];
    int32_t num_up, num_down;
    bool jumped; // the clock, since the last command
    // State of the server. A packet also brings all commands before its own.
    int64_t ticks_run, newest_cmd, done_tick;
    int32_t starved_ms;
    uint32_t filled_ms;
    // Results counted by the model.
    int64_t made_ms, first_tick, last_tick, skipped;
    int32_t late_ticks, filled_late_ms;
} model_t;

// Returns when a packet sent now arrives, or never for 1 in 20 packets.
static int64_t arrival(model_t *m, int64_t now_ms) {
    int64_t jitter = (int64_t)Rng_Below(&m->rng, (uint32_t)(2 * m->jitter_ms + 1)) - m->jitter_ms;
    bool lost = m->jitter_ms > 0 && Rng_Below(&m->rng, 20) == 0;
    return lost ? INT64_MAX : now_ms + m->delay_ms + jitter;
}

static void fly(flying_t *list, int32_t *count, flying_t what) {
    if (what.arrives_ms < INT64_MAX) {
        assert_true(*count < MAX_FLYING);
        list[(*count)++] = what;
    }
}

static model_t *new_model(int32_t rate_mhz) {
    model_t *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->rate_mhz = rate_mhz;
    return m;
}

static int64_t next_tick(cl_clock_t *clock) {
    uint8_t msec = 0;
    int64_t begun_ms = clock->made_ms;
    int64_t tick = Clock_NextTick(clock, &msec);
    assert_int_equal(clock->made_ms - begun_ms, msec);
    return tick;
}

static void server_tick(model_t *m, int64_t now_ms, bool judged) {
    int64_t tick = m->ticks_run++;
    int32_t tick_ms = Ticks_LengthMs(m->rate_mhz, tick);
    int64_t last = m->newest_cmd < tick ? m->newest_cmd : tick;
    bool ran = last > m->done_tick;
    m->done_tick = ran ? last : m->done_tick;
    m->starved_ms = ran ? 0 : m->starved_ms + tick_ms;
    if (m->first_tick > 0 && m->starved_ms >= TIMEOUT_MS) {
        m->filled_ms += (uint32_t)tick_ms;
        m->filled_late_ms += judged ? tick_ms : 0;
    }
    m->late_ticks += judged && m->done_tick < tick ? 1 : 0;
    int64_t waiting_ms =
        Ticks_EndMs(m->rate_mhz, m->newest_cmd + 1) - Ticks_EndMs(m->rate_mhz, m->done_tick + 1);
    fly(m->down, &m->num_down,
        (flying_t){.arrives_ms = arrival(m, now_ms),
                   .snapshot = {.tick = m->ticks_run,
                                .cmd_tick = m->done_tick,
                                .cmd_ran_ms = Ticks_LengthMs(m->rate_mhz, m->done_tick),
                                .cmd_queued_ms = (int32_t)waiting_ms,
                                .filled_ms = m->filled_ms}});
}

static void client_frame(model_t *m, int64_t now_ms) {
    int32_t skipped = 0;
    int32_t due = Clock_Due(&m->clock, now_ms, &skipped);
    m->skipped += skipped;
    for (int32_t i = 0; i < due; i++) {
        int64_t begun_ms = m->clock.made_ms;
        int64_t tick = next_tick(&m->clock);
        assert_int_equal(m->clock.made_ms, Ticks_EndMs(m->rate_mhz, tick + 1));
        assert_true(m->first_tick == 0 || skipped > 0 || m->jumped || tick == m->last_tick + 1);
        m->jumped = false;
        m->first_tick = m->first_tick == 0 ? tick : m->first_tick;
        m->last_tick = tick;
        m->made_ms += m->clock.made_ms - begun_ms;
        fly(m->up, &m->num_up, (flying_t){.arrives_ms = arrival(m, now_ms), .tick = tick});
    }
}

// Removes a packet that has arrived from the list, and returns it in `out`.
static bool receive(flying_t *list, int32_t *count, int64_t now_ms, flying_t *out) {
    for (int32_t i = 0; i < *count; i++) {
        if (list[i].arrives_ms <= now_ms) {
            *out = list[i];
            list[i] = list[--*count];
            return true;
        }
    }
    return false;
}

static void run_model(model_t *m, int32_t settle_ticks) {
    flying_t got;
    int64_t newest = 0;
    int64_t ticks = 0;
    Clock_Reset(&m->clock, m->rate_mhz, 0);
    m->ticks_run = 1000;
    m->done_tick = m->newest_cmd = 999;
    for (int64_t now_ms = 0; now_ms < NUM_TICKS * TICK_MS; now_ms++) {
        bool runs = now_ms < m->stops_ms || now_ms >= m->goes_on_ms;
        while (runs && receive(m->up, &m->num_up, now_ms, &got)) {
            // A server refuses commands that are too far ahead.
            if (got.tick > m->newest_cmd && got.tick <= m->ticks_run + MAX_CMD_QUEUE) {
                m->newest_cmd = got.tick;
            }
        }
        if (now_ms >= Ticks_EndMs(m->rate_mhz, ticks)) {
            ticks++;
            if (runs) {
                server_tick(m, now_ms, ticks > settle_ticks + 1);
            }
        }
        while (receive(m->down, &m->num_down, now_ms, &got)) {
            if (got.snapshot.tick > newest) {
                newest = got.snapshot.tick;
                m->jumped |= Clock_Snapshot(&m->clock, &got.snapshot, now_ms, 2 * m->delay_ms);
            }
        }
        client_frame(m, now_ms);
    }
}

static void test_commands_come_in_time(void **state) {
    (void)state;
    static const struct {
        int32_t delay_ms, jitter_ms, late_ticks_max, lead_ms_max;
    } cases[] = {
        {0, 0, 0, 40}, {5, 2, 20, 60}, {80, 0, 0, 40}, {80, 40, 20, 120}, {300, 20, 20, 80}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        model_t *m = new_model(RATE_MHZ);
        m->rng.state = i + 1;
        m->delay_ms = cases[i].delay_ms;
        m->jitter_ms = cases[i].jitter_ms;
        run_model(m, 300);
        print_message("delay %d +- %d ms: %d of %d ticks late, lead %d ms\n", m->delay_ms,
                      m->jitter_ms, m->late_ticks, NUM_TICKS - 300, m->clock.lead_ms);
        assert_true(m->late_ticks <= cases[i].late_ticks_max);
        assert_int_equal(m->filled_late_ms, 0); // the server filled in no time
        assert_int_equal(m->skipped, 0);
        assert_true(m->clock.lead_ms <= cases[i].lead_ms_max);
        // The commands leave no gap in time.
        assert_int_equal(m->made_ms, (m->last_tick - m->first_tick + 1) * TICK_MS);
        free(m);
    }
}

// Tests ticks whose lengths differ: each command has its tick's length and comes in time.
static void test_commands_come_in_time_at_every_rate(void **state) {
    (void)state;
    for (int32_t i = 0; i < 2 * NUM_RATES; i++) {
        model_t *m = new_model(rates_mhz[i / 2]);
        int32_t tick_ms = Ticks_MaxMs(m->rate_mhz);
        m->delay_ms = i % 2 == 0 ? 3 : 80;
        run_model(m, 300);
        print_message("%d mHz, delay %d ms: %d ticks late, lead %d ms\n", m->rate_mhz, m->delay_ms,
                      m->late_ticks, m->clock.lead_ms);
        assert_int_equal(m->late_ticks, 0);
        assert_int_equal(m->filled_late_ms, 0);
        assert_int_equal(m->skipped, 0);
        assert_true(m->clock.lead_ms >= 0);
        assert_true(m->clock.lead_ms <= 5 * tick_ms / 2);
        assert_int_equal(m->made_ms, Ticks_EndMs(m->rate_mhz, m->last_tick + 1) -
                                         Ticks_EndMs(m->rate_mhz, m->first_tick));
        free(m);
    }
}

// Commands of one length on a network with a delay of WAY_MS in each direction.
enum { WAY_MS = 100, LATEST = 1024 };
typedef struct {
    cl_clock_t clock;
    int32_t cmd_ms, made, ran;
    int64_t cmd_tick; // tick of the last command that ran
    int64_t arrives_ms[LATEST];
    int64_t ticks[LATEST];
    snapshot_t sent[LATEST];
    int64_t sent_ms[LATEST];
    int64_t seen; // snapshots that arrived
} long_cmds_t;

static void make_long(long_cmds_t *l, int64_t now_ms) {
    int32_t skipped = 0;
    for (int32_t due = Clock_Due(&l->clock, now_ms, &skipped); due > 0; due--, l->made++) {
        l->arrives_ms[l->made % LATEST] = now_ms + WAY_MS;
        l->ticks[l->made % LATEST] = next_tick(&l->clock);
    }
}

// Runs the server's tick `tick`: the commands that are due.
static void run_long(long_cmds_t *l, int64_t tick, int64_t now_ms) {
    int32_t waiting = 0;
    for (int32_t n = l->ran; n < l->made && l->arrives_ms[n % LATEST] <= now_ms; n++) {
        bool is_due = l->ticks[n % LATEST] <= tick;
        l->cmd_tick = is_due ? l->ticks[n % LATEST] : l->cmd_tick;
        l->ran += is_due ? 1 : 0;
        waiting += is_due ? 0 : 1;
    }
    l->sent_ms[tick % LATEST] = now_ms;
    l->sent[tick % LATEST] = (snapshot_t){.tick = tick + 1,
                                          .cmd_tick = l->cmd_tick,
                                          .cmd_ran_ms = l->cmd_ms,
                                          .cmd_queued_ms = waiting * l->cmd_ms};
}

// Tests commands that are longer than a tick, so that some ticks have no command: this must not
// shift the clock, however long a session is.
static void check_long_commands(int32_t rate_mhz, int32_t cmd_ms) {
    static long_cmds_t l;
    int64_t tick = 0;
    int64_t most_ms = 0;
    int32_t tick_ms = Ticks_MaxMs(rate_mhz);
    l = (long_cmds_t){.cmd_ms = cmd_ms};
    Clock_Reset(&l.clock, rate_mhz, cmd_ms);
    for (int64_t now_ms = 0; now_ms < 120000; now_ms++) {
        make_long(&l, now_ms);
        if (now_ms == Ticks_EndMs(rate_mhz, tick)) {
            run_long(&l, tick, now_ms);
            tick++;
        }
        for (; l.seen < tick && l.sent_ms[l.seen % LATEST] + WAY_MS <= now_ms; l.seen++) {
            (void)Clock_Snapshot(&l.clock, &l.sent[l.seen % LATEST], now_ms, 2 * WAY_MS);
        }
        int64_t ahead_ms = l.clock.made_ms - now_ms;
        most_ms = now_ms > 5000 && ahead_ms > most_ms ? ahead_ms : most_ms;
    }
    print_message("%d mHz, commands of %d ms: at most %lld ms ahead\n", rate_mhz, cmd_ms,
                  (long long)most_ms);
    assert_true(most_ms > WAY_MS);
    assert_true(most_ms < WAY_MS + 4 * tick_ms + 2 * cmd_ms);
    assert_true(l.made - l.ran <= 1 + (WAY_MS + 4 * tick_ms + 2 * cmd_ms) / cmd_ms);
}

static void test_long_commands_do_not_run_away(void **state) {
    (void)state;
    static const int32_t lengths_ms[] = {16, 17, 33, 50, 100};
    for (size_t i = 0; i < COUNTOF(lengths_ms); i++) {
        for (int32_t r = 0; r < NUM_RATES; r++) {
            check_long_commands(rates_mhz[r], lengths_ms[i]);
        }
    }
}

// Tests a server that stops for a while and then drops the ticks that it missed: the clock must
// notice that it is too far ahead, although the server reports missing commands.
static void test_a_pause_of_the_server(void **state) {
    (void)state;
    static const int32_t pauses_ms[] = {300, 900, 1100, 2000, 4000, 10000};
    static const int32_t delays_ms[] = {0, 80, 300};
    enum { STOPS_MS = 8000, HEALS_MS = 4000 };
    for (size_t i = 0; i < COUNTOF(pauses_ms) * COUNTOF(delays_ms); i++) {
        model_t *m = new_model(RATE_MHZ);
        m->delay_ms = delays_ms[i / COUNTOF(pauses_ms)];
        m->stops_ms = STOPS_MS;
        m->goes_on_ms = STOPS_MS + pauses_ms[i % COUNTOF(pauses_ms)];
        run_model(m, (int32_t)(m->goes_on_ms + HEALS_MS) / TICK_MS);
        print_message("pause of %d ms, delay %d ms: %d ticks late, filled %d ms, lead %d ms\n",
                      pauses_ms[i % COUNTOF(pauses_ms)], m->delay_ms, m->late_ticks,
                      m->filled_late_ms, m->clock.lead_ms);
        assert_int_equal(m->late_ticks, 0);
        assert_int_equal(m->filled_late_ms, 0);
        assert_true(m->clock.lead_ms <= 40);
        free(m);
    }
}

static snapshot_t in_time(int64_t tick, int32_t queued_ms) {
    return (snapshot_t){
        .tick = tick, .cmd_tick = tick - 1, .cmd_ran_ms = TICK_MS, .cmd_queued_ms = queued_ms};
}

static int32_t due_at(cl_clock_t *clock, int64_t now_ms) {
    int32_t skipped = 0;
    int32_t due = Clock_Due(clock, now_ms, &skipped);
    for (int32_t i = 0; i < due; i++) {
        (void)next_tick(clock);
    }
    return due;
}

static void test_starts_a_round_trip_ahead(void **state) {
    (void)state;
    cl_clock_t clock;
    int32_t skipped = -1;
    Clock_Reset(&clock, RATE_MHZ, 0);
    // No command is due before the first snapshot.
    assert_int_equal(Clock_Due(&clock, 5000, &skipped), 0);
    snapshot_t first = in_time(500, 0);
    assert_true(Clock_Snapshot(&clock, &first, 5000, 80));
    assert_int_equal(Clock_Due(&clock, 5000, &skipped), 1);
    assert_int_equal(next_tick(&clock), 507); // 80 + 32 ms are 7 ticks
    assert_int_equal(Clock_Due(&clock, 5015, &skipped), 0);
    assert_int_equal(Clock_Due(&clock, 5016, &skipped), 1);
    assert_int_equal(next_tick(&clock), 508);
}

static void test_commands_of_any_length_fill_the_ticks(void **state) {
    (void)state;
    for (int32_t cmd_ms = 1; cmd_ms <= MAX_CMD_MSEC; cmd_ms++) {
        cl_clock_t clock;
        snapshot_t first = in_time(100, 0);
        int64_t made_ms = 0;
        Clock_Reset(&clock, RATE_MHZ, cmd_ms);
        (void)Clock_Snapshot(&clock, &first, 0, 0);
        int64_t start_ms = 102 * TICK_MS; // the clock is two ticks ahead
        for (int64_t now_ms = 0; now_ms < 2000; now_ms += 5) {
            int32_t skipped = 0;
            for (int32_t due = Clock_Due(&clock, now_ms, &skipped); due > 0; due--) {
                made_ms += cmd_ms;
                // The next tick is the tick in which the command's time ends.
                assert_int_equal(next_tick(&clock), (start_ms + made_ms - 1) / TICK_MS);
            }
            assert_int_equal(skipped, 0);
        }
        assert_true(made_ms > 2000 - cmd_ms - 5);
        assert_true(made_ms <= 2000 + cmd_ms);
    }
}

static void test_late_commands_move_it_ahead_once(void **state) {
    (void)state;
    cl_clock_t clock;
    Clock_Reset(&clock, RATE_MHZ, 0);
    snapshot_t snapshot = in_time(100, 0);
    (void)Clock_Snapshot(&clock, &snapshot, 0, 0);
    for (int64_t now_ms = 0; now_ms < 10 * TICK_MS; now_ms += TICK_MS) {
        assert_int_equal(due_at(&clock, now_ms), 1); // commands of ticks 102 to 111
    }
    snapshot = in_time(110, 0);
    snapshot.cmd_tick = 106; // the newest command is three ticks late
    assert_false(Clock_Snapshot(&clock, &snapshot, 160, 0));
    assert_int_equal(due_at(&clock, 160), 5); // the usual command, the three missing, one spare
    // The next snapshots cannot show an effect yet, so they do not count as late again.
    for (int64_t tick = 111; tick <= 112; tick++) {
        snapshot.tick = tick;
        snapshot.cmd_tick = tick - 4;
        (void)Clock_Snapshot(&clock, &snapshot, 160 + (tick - 110) * TICK_MS, 0);
        assert_int_equal(due_at(&clock, 160 + (tick - 110) * TICK_MS), 1);
    }
}

static void test_too_early_commands_come_back_slowly(void **state) {
    (void)state;
    cl_clock_t clock;
    Clock_Reset(&clock, RATE_MHZ, 0);
    snapshot_t snapshot = in_time(100, 0);
    (void)Clock_Snapshot(&clock, &snapshot, 0, 0);
    int64_t start_ms = clock.shift_ms;
    for (int64_t tick = 101; tick < 600; tick++) {
        int64_t now_ms = (tick - 100) * TICK_MS;
        int64_t shift_ms = clock.shift_ms;
        int32_t spare_ms = 112 + (int32_t)(shift_ms - start_ms);
        snapshot = in_time(tick, spare_ms);
        (void)Clock_Snapshot(&clock, &snapshot, now_ms, 0);
        (void)due_at(&clock, now_ms);
        // The clock takes back at most half of the excess at once, and always keeps one spare tick.
        assert_true(2 * (shift_ms - clock.shift_ms) <= Q_MaxI(spare_ms - 2 * TICK_MS + 2, 0));
    }
    int64_t left_ms = 112 + clock.shift_ms - start_ms;
    assert_true(left_ms >= TICK_MS);
    assert_true(left_ms < 2 * TICK_MS);
}

static void test_a_pause_of_the_program_is_skipped(void **state) {
    (void)state;
    cl_clock_t clock;
    int32_t skipped = 0;
    Clock_Reset(&clock, RATE_MHZ, 0);
    snapshot_t snapshot = in_time(100, 0);
    (void)Clock_Snapshot(&clock, &snapshot, 0, 0);
    assert_int_equal(due_at(&clock, 0), 1); // command of tick 102
    assert_int_equal(Clock_Due(&clock, 1600, &skipped), 1);
    assert_int_equal(skipped, 99);
    assert_int_equal(next_tick(&clock), 202);
    // A short pause is made up for.
    assert_int_equal(Clock_Due(&clock, 1600 + 160, &skipped), 10);
    assert_int_equal(skipped, 0);
}

static void test_a_silent_server_gets_no_commands(void **state) {
    (void)state;
    cl_clock_t clock;
    int32_t skipped = 0;
    int32_t made = 0;
    Clock_Reset(&clock, RATE_MHZ, 0);
    snapshot_t snapshot = in_time(100, 0);
    (void)Clock_Snapshot(&clock, &snapshot, 0, 0);
    for (int64_t now_ms = 0; now_ms < 60000; now_ms += 4) {
        made += due_at(&clock, now_ms);
    }
    assert_true(made > 250);
    assert_true(made < 350); // commands of the first 5 s only
    // When the server sends again, the clock starts anew at the server's tick.
    snapshot = in_time(101, 0);
    assert_true(Clock_Snapshot(&clock, &snapshot, 60000, 0));
    assert_int_equal(Clock_Due(&clock, 60000, &skipped), 1);
    assert_int_equal(next_tick(&clock), 103);
    snapshot = in_time(1000000, 0);
    assert_true(Clock_Snapshot(&clock, &snapshot, 60016, 0));
    assert_int_equal(next_tick(&clock), 1000002);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_come_in_time),
        cmocka_unit_test(test_commands_come_in_time_at_every_rate),
        cmocka_unit_test(test_long_commands_do_not_run_away),
        cmocka_unit_test(test_starts_a_round_trip_ahead),
        cmocka_unit_test(test_commands_of_any_length_fill_the_ticks),
        cmocka_unit_test(test_late_commands_move_it_ahead_once),
        cmocka_unit_test(test_too_early_commands_come_back_slowly),
        cmocka_unit_test(test_a_pause_of_the_program_is_skipped),
        cmocka_unit_test(test_a_silent_server_gets_no_commands),
        cmocka_unit_test(test_a_pause_of_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
