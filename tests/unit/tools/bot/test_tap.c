// Tests of the TAP output of edict-bot, compared byte by byte.

#include "bot/tap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    FILE *out;
    char *text;
    size_t size;
    tap_t tap;
} sheet_t;

static void open_sheet(sheet_t *sheet, bool quiet, int32_t planned) {
    sheet->out = open_memstream(&sheet->text, &sheet->size);
    assert_non_null(sheet->out);
    Tap_Plan(&sheet->tap, sheet->out, quiet, planned);
}

static void expect_sheet(sheet_t *sheet, const char *expected) {
    fclose(sheet->out);
    assert_string_equal(sheet->text, expected);
    free(sheet->text);
}

static void writes_points_and_notes(void **state) {
    (void)state;
    sheet_t sheet;
    open_sheet(&sheet, false, 2);
    Tap_Point(&sheet.tap, true, "%s bot %d", "walk.lua", 1);
    Tap_Note(&sheet.tap, "first\nsecond");
    assert_false(Tap_AllPassed(&sheet.tap));
    Tap_Point(&sheet.tap, true, "b");
    assert_true(Tap_AllPassed(&sheet.tap));
    Tap_Summary(&sheet.tap);
    expect_sheet(&sheet, "TAP version 13\n1..2\nok 1 - walk.lua bot 1\n# first\n# second\n"
                         "ok 2 - b\n# 2 passed, 0 failed\n");
}

static void a_failed_point_counts(void **state) {
    (void)state;
    sheet_t sheet;
    open_sheet(&sheet, false, 2);
    Tap_Point(&sheet.tap, false, "a");
    Tap_Point(&sheet.tap, true, "b");
    assert_false(Tap_AllPassed(&sheet.tap));
    Tap_Summary(&sheet.tap);
    expect_sheet(&sheet, "TAP version 13\n1..2\nnot ok 1 - a\nok 2 - b\n# 1 passed, 1 failed\n");
}

static void a_point_that_never_came_is_a_failure(void **state) {
    (void)state;
    sheet_t sheet;
    open_sheet(&sheet, false, 3);
    Tap_Point(&sheet.tap, true, "a");
    assert_false(Tap_AllPassed(&sheet.tap));
    Tap_Summary(&sheet.tap);
    expect_sheet(&sheet, "TAP version 13\n1..3\nok 1 - a\n# 1 passed, 2 failed\n");
}

static void quiet_writes_failures_only(void **state) {
    (void)state;
    sheet_t sheet;
    open_sheet(&sheet, true, 3);
    Tap_Point(&sheet.tap, true, "a");
    Tap_Point(&sheet.tap, false, "b");
    Tap_Point(&sheet.tap, true, "c");
    Tap_Summary(&sheet.tap);
    expect_sheet(&sheet, "not ok 2 - b\n# 2 passed, 1 failed\n");
}

// Tests that a description never becomes a directive ("# SKIP" makes a failed point pass), and that
// text of a script never becomes a line of its own.
static void hostile_text_stays_text(void **state) {
    (void)state;
    sheet_t sheet;
    open_sheet(&sheet, false, 2);
    Tap_Point(&sheet.tap, false, "%s", "a # SKIP\nok 2 - b \\ \033[2J\x80");
    Tap_Note(&sheet.tap, "%s", "x\r\n\nok 1\tz");
    expect_sheet(&sheet, "TAP version 13\n1..2\nnot ok 1 - a \\# SKIP\\\\nok 2 - b \\\\ "
                         "\\\\x1b[2J\xef\xbf\xbd\n"
                         "# x\\x0d\n# \n# ok 1\\tz\n");
}

static void utf8_stays(void **state) {
    (void)state;
    sheet_t sheet;
    open_sheet(&sheet, false, 1);
    Tap_Note(&sheet.tap, "bot 1: %s", "Żółw \xe6\xbc\xa2\xf0\x9f\x90\xa2");
    Tap_Point(&sheet.tap, true, "%s", "Jürgen #1");
    expect_sheet(&sheet, "TAP version 13\n1..1\n# bot 1: Żółw \xe6\xbc\xa2\xf0\x9f\x90\xa2\n"
                         "ok 1 - Jürgen \\#1\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_points_and_notes),
        cmocka_unit_test(a_failed_point_counts),
        cmocka_unit_test(a_point_that_never_came_is_a_failure),
        cmocka_unit_test(quiet_writes_failures_only),
        cmocka_unit_test(hostile_text_stays_text),
        cmocka_unit_test(utf8_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
