// Strict number parsing, printable texts, error texts, log lines and log bursts.

#include "lib/testing.h"

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

static void test_numbers_are_strict(void **state) {
    (void)state;
    static const char *const bad[] = {"",     " 1",  "1 ",    "0x10", "inf", "nan", "1e",
                                      "1..2", "--1", "1e999", "1,5",  "abc", "+"};
    float real = 7.0f;
    double wide = 7.0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(Str_ToFloat(bad[i], &real));
        assert_false(Str_ToDouble(bad[i], &wide));
    }
    assert_true(real == 7.0f);
    assert_true(wide == 7.0);
    assert_true(Str_ToFloat("-1.5e2", &real));
    assert_true(real == -150.0f);
    assert_true(Str_ToFloat("0.1", &real));
    assert_true(real == 0.1f);
    // Halfway between two floats as a double: rounding twice would round in the wrong direction.
    assert_true(Str_ToFloat("1.00000017881393432617187499", &real));
    assert_true(real == 0x1.000002p+0f);
}

static void test_integers_have_ranges(void **state) {
    (void)state;
    int64_t out = 5;
    assert_false(Str_ToInt("11", 0, 10, &out));
    assert_false(Str_ToInt("1.0", 0, 10, &out));
    assert_false(Str_ToInt("99999999999999999999", INT64_MIN, INT64_MAX, &out));
    assert_int_equal(out, 5);
    assert_true(Str_ToInt("-3", -5, 10, &out));
    assert_int_equal(out, -3);
}

static void test_reasons_are_printable_and_cut(void **state) {
    (void)state;
    err_t err;
    char hostile[2000];
    memset(hostile, 'x', sizeof hostile - 1);
    hostile[0] = '\x1b';
    hostile[1] = '\n';
    hostile[sizeof hostile - 1] = '\0';
    assert_false(Err_Set(&err, "%s", hostile));
    assert_true(strlen(err.text) == sizeof err.text - 1);
    assert_memory_equal(err.text, "\\x1b\\nx", 7);
    assert_false(Err_Set(NULL, "nobody listens"));
    assert_false(Err_Set(&err, "file:%d: a reason", 7));
    assert_false(Err_Set(&err, "a longer head: %s (%s)", err.text, err.text)); // quotes itself
    assert_string_equal(err.text, "a longer head: file:7: a reason (file:7: a reason)");
}

// Tests that UTF-8 stays, a control character is escaped, an invalid byte is replaced, and no
// character is cut in two.
static void test_printable_texts(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"Zo\xc3\xab \xe2\x82\xac \xf0\x9f\x98\x80", "Zo\xc3\xab \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\tb\r\n\x7f", "a\\tb\\x0d\\n\\x7f"},
        {"\xff"
         "a\xc0\x80",
         "\xef\xbf\xbd"
         "a\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc2\x9b"
         "31m",
         "\xef\xbf\xbd\xef\xbf\xbd"
         "31m"}, // a terminal reads it as ESC [
    };
    char text[64];
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        Str_Printable(text, sizeof text, pairs[i][0]);
        assert_string_equal(text, pairs[i][1]);
    }
    Str_Printable(text, 5, "abc\xe2\x82\xac");
    assert_string_equal(text, "abc");
    Str_Printable(text, 4, "ab\n");
    assert_string_equal(text, "ab");
}

static void test_json_strings(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"Zo\xc3\xab \xf0\x9f\x98\x80", "\"Zo\xc3\xab \xf0\x9f\x98\x80\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\n\t\x1b\x7f", "\"\\n\\t\\u001b\\u007f\""},
        {"\xff\xc2\x85", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xe2\x80\xa8\xe2\x80\xae", "\"\\u2028\\u202e\""}, // a new line to some programs
        {"\xf3\xa0\x80\x81", "\"\\udb40\\udc01\""},
        {"", "\"\""},
    };
    char text[64];
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        Str_Quote(text, sizeof text, pairs[i][0]);
        assert_string_equal(text, pairs[i][1]);
    }
    Str_Quote(text, 6, "ab\"c"); // no escape is cut in two
    assert_string_equal(text, "\"ab\"");
    Str_Quote(text, 3, "a");
    assert_string_equal(text, "\"\"");
}

static void test_a_cut_character_is_removed(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"ab\xe2\x82", "ab"}, {"ab\xe2", "ab"},         {"ab\xe2\x82\xac", "ab\xe2\x82\xac"},
        {"\xf0\x9f\x98", ""}, {"\xc3\xab", "\xc3\xab"}, {"", ""},
        {"abc", "abc"},
    };
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", pairs[i][0]);
        Str_TrimCut(text);
        assert_string_equal(text, pairs[i][1]);
    }
    err_t err;
    char names[600] = "";
    for (size_t i = 0; i < 298; i++) {
        strlcat(names, "\xc3\xab", sizeof names);
    }
    Err_Set(&err, "%s", names);
    assert_int_equal(strlen(err.text), 510); // 255 whole characters of two bytes
}

static void keep_line(void *context, log_level_t level, const char *line) {
    snprintf(context, 64, "%s %s", Log_LevelName(level), line);
}

static void write_char(char text[5], uint32_t code) {
    static const uint8_t leads[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6) {
        text[i] = (char)(0x80 | (code & 0x3f));
    }
    text[0] = (char)(leads[length] | code);
    text[length] = '\0';
}

// Tests that every class of invisible characters is removed, from its first to its last character,
// and that the characters next to each class stay.
static void test_invisible_characters_go(void **state) {
    (void)state;
    static const uint32_t classes[][2] = {
        {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
        {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0x2800, 0x2800},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x1bca0, 0x1bca3},
        {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    char one[5], text[16], whole[16];
    for (size_t i = 0; i < COUNTOF(classes); i++) {
        for (uint32_t code = classes[i][0]; code <= classes[i][1]; code++) {
            write_char(one, code);
            snprintf(text, sizeof text, "%sbo%s%sb%s", one, one, one, one);
            Str_Clean(text);
            assert_string_equal(text, "bob");
        }
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t code = side ? classes[i][1] + 1 : classes[i][0] - 1;
            write_char(one, code);
            bool is_blank = code == 0x200a || code == 0x202f || code == 0x205f;
            snprintf(text, sizeof text, "bo%sb", one);
            snprintf(whole, sizeof whole, "bo%sb", is_blank ? " " : one);
            Str_Clean(text);
            assert_string_equal(text, whole);
        }
    }
}

static void test_blanks_are_joined_and_trimmed(void **state) {
    (void)state;
    static const uint32_t kinds[] = {0x20,   0xa0,   0x1680, 0x2000, 0x2005,
                                     0x200a, 0x202f, 0x205f, 0x3000};
    char one[5], text[64];
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        write_char(one, kinds[i]);
        snprintf(text, sizeof text, "%s %sold%s\xe2\x80\x8b%s bob%s", one, one, one, one, one);
        Str_Clean(text);
        assert_string_equal(text, "old bob");
        snprintf(text, sizeof text, "%s%s", one, one);
        Str_Clean(text);
        assert_string_equal(text, "");
    }
    static const char *const pairs[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80", "\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80"},
        {"a\tb\x1b\nc", "abc"},            // control characters
        {"a\xff\xc3(\xe2\x80", "a("},      // invalid bytes
        {"\xe2\x80\xae \xe2\x80\xae", ""}, // a blank between direction marks
    };
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        snprintf(text, sizeof text, "%s", pairs[i][0]);
        Str_Clean(text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static void test_log_levels_and_bursts(void **state) {
    (void)state;
    char line[64] = "";
    const log_t log = {keep_line, line, LOG_WARN};
    log_burst_t burst = {0};
    Log_Print(&log, LOG_INFO, "not this");
    assert_string_equal(line, "");
    Log_Print(&log, LOG_ERROR, "a\nb %d", 3);
    assert_string_equal(line, "error a\\nb 3");
    Log_Print(NULL, LOG_ERROR, "nobody listens");
    assert_true(Log_BurstAllows(&burst, 1000, 100));
    assert_string_equal(burst.more, "");
    assert_false(Log_BurstAllows(&burst, 1050, 100));
    assert_false(Log_BurstAllows(&burst, 1099, 100));
    assert_true(Log_BurstAllows(&burst, 1100, 100));
    assert_string_equal(burst.more, " (and 2 more since the last line)");
}

static void test_float_to_integer_is_total(void **state) {
    (void)state;
    assert_int_equal(Q_ToInt(NAN, -5, 5), -5);
    assert_int_equal(Q_ToInt(INFINITY, -5, 5), 5);
    assert_int_equal(Q_ToInt(-1e30f, -5, 5), -5);
    assert_int_equal(Q_ToInt(-2.9f, -5, 5), -2);
    assert_true(Q_ClampF(NAN, 1.0f, 2.0f) == 1.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_strict),
        cmocka_unit_test(test_integers_have_ranges),
        cmocka_unit_test(test_reasons_are_printable_and_cut),
        cmocka_unit_test(test_printable_texts),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_a_cut_character_is_removed),
        cmocka_unit_test(test_invisible_characters_go),
        cmocka_unit_test(test_blanks_are_joined_and_trimmed),
        cmocka_unit_test(test_log_levels_and_bursts),
        cmocka_unit_test(test_float_to_integer_is_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
