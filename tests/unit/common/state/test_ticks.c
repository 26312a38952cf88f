// Tests of the ends of ticks: the rates that people use, odd rates, and long and negative times.

#include "lib/testing.h"

#include "base/rng.h"
#include "state/ticks.h"

#define NUM_TICKS 128000 // 1,000 s at 128 Hz, after which all repeats

static const float rates_hz[] = {20, 30,  60,  62.5f,   64,     72,
                                 77, 100, 128, 23.976f, 59.94f, 127.999f};

static void test_rates_are_millihertz(void **state) {
    (void)state;
    static const int32_t rates_mhz[] = {20000, 30000,  60000,  62500, 64000, 72000,
                                        77000, 100000, 128000, 23976, 59940, 127999};
    for (size_t i = 0; i < COUNTOF(rates_hz); i++) {
        assert_int_equal(Ticks_Rate(rates_hz[i]), rates_mhz[i]);
    }
}

// Tests all times of NUM_TICKS: ends, lengths, and both inverses.
static void check_ticks(int32_t rate_mhz) {
    int64_t end_ms = 0;
    int32_t most_ms = 0;
    const int64_t num_ticks = NUM_TICKS;
    for (int64_t tick = 0; tick < num_ticks; tick++) {
        int32_t length_ms = Ticks_LengthMs(rate_mhz, tick);
        assert_int_equal(Ticks_EndMs(rate_mhz, tick), end_ms);
        for (int64_t ms = end_ms; ms < end_ms + length_ms; ms++) {
            uint16_t frac = Ticks_Frac(rate_mhz, ms);
            assert_int_equal(Ticks_At(rate_mhz, ms), tick);
            assert_int_equal(Ticks_TimeMs(rate_mhz, tick, frac), ms);
        }
        end_ms += length_ms;
        assert_int_equal(end_ms, (tick + 1) * 1000000 / rate_mhz);
        most_ms = length_ms > most_ms ? length_ms : most_ms;
    }
    assert_int_equal(most_ms, Ticks_MaxMs(rate_mhz));
}

static void test_ends_do_not_drift(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(rates_hz); i++) {
        check_ticks(Ticks_Rate(rates_hz[i]));
    }
}

// Tests that 1,000 s hold a whole number of ticks, from the past to the last tick of the protocol.
static void test_periods(void **state) {
    (void)state;
    rng_t rng = {1};
    for (int32_t n = 0; n < 100000; n++) {
        int32_t rate_mhz = TICKS_MIN_RATE_MHZ +
                           (int32_t)Rng_Below(&rng, TICKS_MAX_RATE_MHZ - TICKS_MIN_RATE_MHZ + 1);
        int64_t periods = (int64_t)Rng_Below(&rng, 40000000) - 100;
        int64_t ticks = (int64_t)Rng_Below(&rng, (uint32_t)rate_mhz);
        int64_t count = periods * rate_mhz + ticks;
        int64_t end_ms = periods * 1000000 + ticks * 1000000 / rate_mhz;
        assert_int_equal(Ticks_EndMs(rate_mhz, count), end_ms);
        assert_int_equal(Ticks_At(rate_mhz, end_ms), count);
        assert_int_equal(Ticks_At(rate_mhz, end_ms - 1), count - 1);
        assert_in_range(Ticks_LengthMs(rate_mhz, count), 1000000 / rate_mhz, Ticks_MaxMs(rate_mhz));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_are_millihertz),
        cmocka_unit_test(test_ends_do_not_drift),
        cmocka_unit_test(test_periods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
