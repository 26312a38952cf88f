// Tests of the percentiles of the load program.

#include "bot/load_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static void rounds_percentiles_up(void **state) {
    (void)state;
    load_times_t *times = calloc(1, sizeof *times);
    assert_int_equal(LoadTimes_Percentile(times, 0.5), 0);
    for (int64_t i = 0; i < 1000; i++) {
        LoadTimes_Add(times, i * MS / 10);
    }
    assert_int_equal(LoadTimes_Percentile(times, 0.0), LOAD_STEP_NS);
    assert_int_equal(LoadTimes_Percentile(times, 0.5), 50 * MS + LOAD_STEP_NS);
    assert_int_equal(LoadTimes_Percentile(times, 0.99), 989 * MS / 10 + LOAD_STEP_NS);
    assert_int_equal(LoadTimes_Percentile(times, 1.0), 999 * MS / 10);
    free(times);
}

static void clamps_durations(void **state) {
    (void)state;
    load_times_t *times = calloc(1, sizeof *times);
    LoadTimes_Add(times, -5);
    assert_int_equal(LoadTimes_Percentile(times, 1.0), 0);
    LoadTimes_Add(times, 70000 * MS);
    assert_int_equal(LoadTimes_Percentile(times, 0.0), LOAD_STEP_NS);
    assert_int_equal(LoadTimes_Percentile(times, 1.0), 70000 * MS);
    free(times);
}

static void keeps_the_first_fault(void **state) {
    (void)state;
    load_stats_t *stats = calloc(1, sizeof *stats);
    LoadStats_Note(stats, "first");
    LoadStats_Note(stats, "second");
    assert_string_equal(stats->error, "first");
    free(stats);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_percentiles_up),
        cmocka_unit_test(clamps_durations),
        cmocka_unit_test(keeps_the_first_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
