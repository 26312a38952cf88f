// Tests ranges of addresses and lists of them.
#include "lib/testing.h"
#include "net/ranges.h"

#include <string.h>

#define HOST(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

static void test_lists(void **state) {
    (void)state;
    netranges_t ranges = {.count = 7};
    err_t err = {""};
    assert_true(Net_ParseRanges("  192.0.2.7\t10.1.2.3/8 ", &ranges, &err));
    assert_int_equal(ranges.count, 2);
    assert_true(Net_IsExempt(&ranges, HOST(192, 0, 2, 7)));
    assert_true(Net_IsExempt(&ranges, HOST(10, 255, 0, 1)));
    assert_false(Net_IsExempt(&ranges, HOST(192, 0, 2, 6)));
    assert_false(Net_IsExempt(&ranges, HOST(127, 0, 0, 1)));
    // A fault names the entry, and the list stays.
    static const char *const bad[] = {"10.0.0.1 relay", "relay 10.0.0.1", "10.0.0.1/33 10.0.0.2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(Net_ParseRanges(bad[i], &ranges, &err));
        assert_non_null(strstr(err.text, i < 2 ? "found \"relay\"" : "found \"10.0.0.1/33\""));
        assert_int_equal(ranges.count, 2);
    }
    assert_true(Net_ParseRanges("", &ranges, &err));
    assert_false(Net_IsExempt(&ranges, HOST(127, 0, 0, 1)));
    assert_true(Net_IsExempt(NULL, HOST(127, 0, 0, 1)));
    assert_false(Net_IsExempt(NULL, HOST(127, 0, 0, 2)));
}

static void test_lists_are_bounded(void **state) {
    (void)state;
    netranges_t ranges;
    err_t err = {""};
    char text[2048] = "";
    for (int32_t i = 0; i < NET_MAX_RANGES; i++) {
        strcat(text, "1.2.3.4 ");
    }
    assert_true(Net_ParseRanges(text, &ranges, &err));
    assert_int_equal(ranges.count, NET_MAX_RANGES);
    strcat(text, "5.6.7.8");
    assert_false(Net_ParseRanges(text, &ranges, &err));
    assert_string_equal(err.text, "expected at most 32 ranges; \"5.6.7.8\" is one too many");
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(Net_ParseRanges(text, &ranges, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_lists_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
