// Percentiles of tick times over the latest ticks.

#include "lib/testing.h"

#include "ops/tick_stats.h"

static void test_nothing_yet(void **state) {
    (void)state;
    static tick_stats_t stats;
    stats = (tick_stats_t){0};
    assert_int_equal(TickStats_Percentile(&stats, 0.5), 0);
    TickStats_Add(&stats, 700);
    assert_int_equal(TickStats_Percentile(&stats, 0.0), 700);
    assert_int_equal(TickStats_Percentile(&stats, 0.5), 700);
    assert_int_equal(TickStats_Percentile(&stats, 1.0), 700);
}

static void test_percentiles_in_any_order(void **state) {
    (void)state;
    static tick_stats_t stats;
    stats = (tick_stats_t){0};
    for (int i = 0; i < 101; i++) {
        TickStats_Add(&stats, (i * 37) % 101); // 0..100, mixed
    }
    assert_int_equal(TickStats_Percentile(&stats, 0.0), 0);
    assert_int_equal(TickStats_Percentile(&stats, 0.5), 50);
    assert_int_equal(TickStats_Percentile(&stats, 0.99), 99);
    assert_int_equal(TickStats_Percentile(&stats, 1.0), 100);
    assert_int_equal(stats.count, 101);
}

static void test_old_ticks_are_forgotten(void **state) {
    (void)state;
    static tick_stats_t stats;
    stats = (tick_stats_t){0};
    for (int i = 0; i < TICK_STATS_KEPT; i++) {
        TickStats_Add(&stats, 1000000);
    }
    for (int i = 0; i < TICK_STATS_KEPT - 1; i++) {
        TickStats_Add(&stats, 5);
    }
    assert_int_equal(TickStats_Percentile(&stats, 0.5), 5);
    assert_int_equal(TickStats_Percentile(&stats, 1.0), 1000000);
    TickStats_Add(&stats, 5);
    assert_int_equal(TickStats_Percentile(&stats, 1.0), 5);
}

static void test_times_beyond_all_ticks_are_held(void **state) {
    (void)state;
    static tick_stats_t stats;
    stats = (tick_stats_t){0};
    TickStats_Add(&stats, -5);
    assert_int_equal(TickStats_Percentile(&stats, 1.0), 0);
    TickStats_Add(&stats, INT64_MAX);
    assert_true(TickStats_Percentile(&stats, 1.0) == UINT32_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_yet),
        cmocka_unit_test(test_percentiles_in_any_order),
        cmocka_unit_test(test_old_ticks_are_forgotten),
        cmocka_unit_test(test_times_beyond_all_ticks_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
