// Which snapshots a client may claim to have shown. A client that received what it acknowledged
// cannot move a target off its path by a false view_span.

#include "core/views.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "state/shown.h"

#define TICKS  400
#define CLAIMS 10000
#define BACK   32 // ticks before the newest that a claim names

// Returns where the target is: it turns back every 5 ticks of 8 qu.
static float path(int64_t tick) {
    const int64_t at = tick % 10;
    return 8.0f * (float)(at < 5 ? at : 10 - at);
}

// Returns how far from its path a target is judged.
static float gain_of(const usercmd_t *cmd) {
    const bool is_between = (cmd->view_span & 15) < cmd->view_span >> 4;
    const int64_t from = cmd->view_tick - (is_between ? cmd->view_span & 15 : 0);
    const int64_t to = is_between ? from + (cmd->view_span >> 4) : from + 1;
    const int64_t past = (cmd->view_tick - from) * 65536 + cmd->view_frac;
    const float share = Shown_Share(to - from, past);
    const float frac = (float)cmd->view_frac / 65536.0f;
    const float shown = path(from) + (path(to) - path(from)) * share;
    const float was =
        path(cmd->view_tick) + (path(cmd->view_tick + 1) - path(cmd->view_tick)) * frac;
    return fabsf(shown - was);
}

static usercmd_t claim(rng_t *rng, int64_t newest) {
    return (usercmd_t){.view_tick = newest - 1 - (int64_t)Rng_Below(rng, BACK),
                       .view_frac = (uint16_t)Rng_Next(rng),
                       .view_span = (uint8_t)Rng_Next(rng)};
}

// 10,000 claims of a client that acknowledges all snapshots, and of one that acknowledges none.
static void test_a_lie_gains_nothing(void **state) {
    (void)state;
    for (int32_t acks = 0; acks < 2; acks++) {
        rng_t rng = {7};
        views_t views = {0};
        int32_t allowed = 0;
        float best = 0.0f;
        float unchecked = 0.0f;
        for (int32_t i = 0; i < CLAIMS; i++) {
            const int64_t tick = i + 1;
            Views_Sent(&views, tick);
            if (acks) {
                Views_Acked(&views, tick);
            }
            usercmd_t cmd = claim(&rng, tick);
            if (tick <= 2 * BACK) {
                continue;
            }
            const float gain = gain_of(&cmd);
            unchecked = gain > unchecked ? gain : unchecked;
            if (!Views_Allow(&views, &cmd)) {
                cmd.view_span = 0;
            } else {
                allowed++;
            }
            best = gain_of(&cmd) > best ? gain_of(&cmd) : best;
        }
        print_message("%s: %d of %d claims allowed, off the path by up to %g qu, unchecked %g\n",
                      acks ? "acknowledges all" : "acknowledges none", allowed, CLAIMS,
                      (double)best, (double)unchecked);
        assert_true(unchecked > 20.0f);
        assert_true(best < 0.001f);
    }
}

// A client on a lossy network that shows what it received is always allowed.
static void test_the_truth_is_allowed(void **state) {
    (void)state;
    rng_t rng = {3};
    views_t views = {0};
    int64_t got[TICKS];
    int32_t count = 0;
    int32_t claims = 0;
    for (int64_t tick = 1; tick <= TICKS; tick++) {
        if (tick % 3 == 0) {
            continue; // no snapshot for this client
        }
        Views_Sent(&views, tick);
        if (Rng_Below(&rng, 3) > 0) {
            got[count++] = tick;
        }
        if (count == 0 || Rng_Below(&rng, 2)) {
            continue; // the packet is lost
        }
        Views_Acked(&views, got[count - 1]);
        for (int32_t i = count > 20 ? count - 20 : 0; i < count - 1; i++) {
            const int64_t gap = got[i + 1] - got[i];
            const int64_t age = (int64_t)Rng_Below(&rng, (uint32_t)gap);
            const usercmd_t cmd = {.view_tick = got[i] + age, .view_span = UserCmd_Span(age, gap)};
            assert_true(Views_Allow(&views, &cmd));
            claims++;
        }
    }
    assert_true(claims > 2000);
}

static bool bit(const uint64_t *words, int64_t age) {
    return (words[age / 64] >> (age % 64) & 1) != 0;
}

// The words remember the last 128 ticks of snapshots and acknowledgements, and no others, however
// far apart snapshots are.
static void test_the_last_ticks(void **state) {
    (void)state;
    enum { MOST = 64 * 2 * VIEWS_TICKS };
    static const int32_t gaps[] = {1, 2, 31, 62, 63, 64, 65, 66, 100, 126, 127, 128, 129, 200};
    static bool sent[MOST], acked[MOST];
    rng_t rng = {11};
    views_t views = {0};
    int64_t tick = 0;
    for (int32_t turn = 0;; turn++) {
        const bool is_short = turn % 20 > 0;
        tick +=
            is_short ? 1 + (int32_t)Rng_Below(&rng, 3) : gaps[turn / 20 % (int32_t)COUNTOF(gaps)];
        if (tick >= MOST) {
            break;
        }
        Views_Sent(&views, tick);
        sent[tick] = true;
        for (int32_t i = 0; i < 3; i++) {
            const int64_t age = (int64_t)Rng_Below(&rng, VIEWS_TICKS + 10);
            Views_Acked(&views, tick - age);
            if (age <= tick) {
                acked[tick - age] |= sent[tick - age] && age < VIEWS_TICKS;
            }
        }
        for (int64_t age = 0; age < VIEWS_TICKS; age++) {
            assert_int_equal(bit(views.sent, age), age <= tick && sent[tick - age]);
            assert_int_equal(bit(views.acked, age), age <= tick && acked[tick - age]);
        }
    }
    assert_true(tick >= MOST);
}

// Snapshots that were not sent, were skipped or are too old are refused.
static void test_refusals(void **state) {
    (void)state;
    views_t views = {0};
    Views_Sent(&views, 1000);
    Views_Sent(&views, 1003);
    Views_Sent(&views, 1006);
    usercmd_t cmd = {.view_tick = 1000, .view_span = UserCmd_Span(0, 6)};
    assert_false(Views_Allow(&views, &cmd)); // would have acknowledged it
    Views_Acked(&views, 1006);
    assert_true(Views_Allow(&views, &cmd));
    Views_Acked(&views, 1004); // was not sent
    assert_true(Views_Allow(&views, &cmd));
    Views_Acked(&views, 1003);
    assert_false(Views_Allow(&views, &cmd)); // it has that between them
    cmd.view_span = UserCmd_Span(0, 3);
    assert_true(Views_Allow(&views, &cmd));
    cmd.view_span = UserCmd_Span(0, 2);
    assert_false(Views_Allow(&views, &cmd));
    cmd.view_span = UserCmd_Span(1, 4);
    assert_false(Views_Allow(&views, &cmd));
    cmd.view_span = UserCmd_Span(3, 0);
    assert_true(Views_Allow(&views, &cmd));
    cmd.view_span = 15; // as old as can be, of a span without a second snapshot
    assert_true(Views_Allow(&views, &cmd));
    cmd = (usercmd_t){.view_tick = 1006, .view_span = UserCmd_Span(0, 1)};
    assert_false(Views_Allow(&views, &cmd)); // not sent yet
    cmd = (usercmd_t){.view_tick = 1000, .view_span = UserCmd_Span(0, 3)};
    Views_Sent(&views, 1000 + VIEWS_TICKS - 1);
    assert_true(Views_Allow(&views, &cmd));
    Views_Sent(&views, 1000 + VIEWS_TICKS);
    Views_Acked(&views, 1000 + VIEWS_TICKS);
    assert_false(Views_Allow(&views, &cmd)); // the first is too old
    Views_Sent(&views, 5000);
    const int64_t ticks[] = {0, 1, 4999, INT64_MAX};
    for (size_t i = 0; i < COUNTOF(ticks); i++) {
        Views_Acked(&views, ticks[i]);
    }
    assert_int_equal(views.acked[0] | views.acked[1], 0);
}

// A view before the first snapshot becomes that one; before any, it becomes none.
static void test_limits(void **state) {
    (void)state;
    views_t views = {0};
    usercmd_t cmd = {.view_tick = 900, .view_frac = 7, .view_span = UserCmd_Span(0, 1)};
    assert_false(Views_Limit(&views, &cmd));
    assert_int_equal(cmd.view_tick, 0);
    assert_int_equal(cmd.view_frac | cmd.view_span, 0);
    assert_true(Views_Limit(&views, &cmd)); // shows nothing
    Views_Sent(&views, 1000);
    Views_Sent(&views, 1001);
    Views_Acked(&views, 1001);
    assert_true(Views_Limit(&views, &cmd));
    cmd = (usercmd_t){.view_tick = 999, .view_frac = 0xffff};
    assert_false(Views_Limit(&views, &cmd));
    assert_int_equal(cmd.view_tick, 1000);
    assert_int_equal(cmd.view_frac, 0);
    cmd = (usercmd_t){.view_tick = 1000, .view_frac = 5, .view_span = UserCmd_Span(0, 1)};
    assert_true(Views_Limit(&views, &cmd));
    assert_int_equal(cmd.view_span, UserCmd_Span(0, 1));
    cmd.view_span = UserCmd_Span(0, 2);
    assert_false(Views_Limit(&views, &cmd));
    assert_int_equal(cmd.view_tick, 1000);
    assert_int_equal(cmd.view_frac, 5);
    assert_int_equal(cmd.view_span, 0);
}

// A server's first tick has a snapshot, too.
static void test_the_first_tick(void **state) {
    (void)state;
    views_t views = {0};
    usercmd_t cmd = {.view_tick = 1};
    assert_false(Views_Limit(&views, &cmd)); // not sent yet
    assert_int_equal(cmd.view_tick, 0);
    Views_Sent(&views, 1);
    Views_Sent(&views, 2);
    assert_int_equal(views.first, 1);
    cmd.view_tick = 1;
    assert_true(Views_Limit(&views, &cmd));
    assert_int_equal(cmd.view_tick, 1);
    assert_true(Views_IsOld(&cmd, 62500, 100, 250));
}

static void test_old_views(void **state) {
    (void)state;
    enum { RATE_MHZ = 62500 }; // ticks of 16 ms
    usercmd_t cmd = {.view_tick = 1000};
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1015, 250)); // 240 ms
    assert_true(Views_IsOld(&cmd, RATE_MHZ, 1016, 250));  // 256 ms
    cmd.tick = 1016;
    assert_true(Views_IsOld(&cmd, RATE_MHZ, 1015, 250)); // runs a tick later
    cmd.tick = INT64_MAX;
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1000 - 100, 250));
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1000, 250)); // shows the tick that runs next
    cmd.tick = 0;
    cmd.view_frac = 0x8000;
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1016, 250)); // 248 ms
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1100, 0));   // no lag compensation
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 900, 250));  // of the future
    cmd.view_tick = INT64_MAX;
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1100, 250));
    cmd.view_tick = 0;
    assert_false(Views_IsOld(&cmd, RATE_MHZ, 1100, 250)); // shows nothing
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lie_gains_nothing),
        cmocka_unit_test(test_the_truth_is_allowed),
        cmocka_unit_test(test_the_last_ticks),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_the_first_tick),
        cmocka_unit_test(test_old_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
