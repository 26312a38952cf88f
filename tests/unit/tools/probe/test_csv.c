// Tests of Csv_Open and Csv_Next: rows by header name, and a line number for every fault.

#include "lib/testing.h"
#include "probe/csv.h"

#include <string.h>

static csv_t csv;
static FILE *in;

/// Opens a table from `bytes` bytes of text.
static bool open_bytes(const char *text, size_t bytes, err_t *err) {
    in = tmpfile();
    assert_non_null(in);
    assert_int_equal(fwrite(text, 1, bytes, in), bytes);
    rewind(in);
    return Csv_Open(&csv, in, "t.csv", err);
}

static bool open_text(const char *text, err_t *err) {
    return open_bytes(text, strlen(text), err);
}

static void test_rows(void **state) {
    (void)state;
    err_t err;
    assert_true(open_text("id,x,more,y,z\r\n7,1.5,ignored,-2e1,3\r\n\r\n8,0,,1,2", &err));
    assert_int_equal(Csv_Column(&csv, "y"), 3);
    assert_int_equal(Csv_Column(&csv, "Y"), -1);
    const char *const names[] = {"x", "y", "z"};
    int32_t columns[3];
    assert_true(Csv_Columns(&csv, names, 3, columns, &err));
    assert_int_equal(Csv_Next(&csv, &err), CSV_ROW);
    vec3_t v;
    assert_true(Csv_Vector(&csv, columns, 100.0f, &v, &err));
    assert_true(v.x == 1.5f);
    assert_true(v.y == -20.0f);
    assert_true(v.z == 3.0f);
    int64_t id = 0;
    assert_true(Csv_Int(&csv, 0, 0, 9, &id, &err));
    assert_int_equal(id, 7);
    assert_int_equal(Csv_Next(&csv, &err), CSV_ROW);
    assert_int_equal(csv.line, 4); // the empty line counts; the last line needs no newline
    assert_string_equal(Csv_Text(&csv, 2), "");
    assert_int_equal(Csv_Next(&csv, &err), CSV_END);
    assert_int_equal(Csv_Next(&csv, &err), CSV_END);
    fclose(in);
}

static void test_headers(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "t.csv:1: expected a header line, found an empty file"},
        {"a,,b\n", "t.csv:1: expected a name for column 2, found none"},
        {"a,b,a\n", "t.csv:1: expected each column once, found a twice"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        err_t err = {{0}};
        assert_false(open_text(cases[i][0], &err));
        assert_string_equal(err.text, cases[i][1]);
        fclose(in);
    }
    char wide[MAX_CSV_COLUMNS * 4 + 8] = "c0";
    for (int i = 1; i <= MAX_CSV_COLUMNS; i++) {
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), ",%02x", i);
    }
    err_t err = {{0}};
    assert_false(open_text(wide, &err));
    assert_string_equal(err.text, "t.csv:1: expected at most 64 columns, found more");
    fclose(in);
    assert_true(open_text("a,b\n", &err));
    const char *const names[] = {"a", "c"};
    int32_t columns[2];
    assert_false(Csv_Columns(&csv, names, 2, columns, &err));
    assert_string_equal(err.text, "t.csv:1: expected a column c, found none");
    fclose(in);
}

/// Expects that the second row of a table is refused with this reason.
static void assert_bad_row(const char *row, size_t bytes, const char *reason) {
    static char text[3 * MAX_CSV_LINE_BYTES];
    err_t err = {{0}};
    memcpy(text, "a,b\n1,2\n", 8);
    memcpy(text + 8, row, bytes);
    assert_true(open_bytes(text, 8 + bytes, &err));
    assert_int_equal(Csv_Next(&csv, &err), CSV_ROW);
    assert_int_equal(Csv_Next(&csv, &err), CSV_ERROR);
    assert_string_equal(err.text, reason);
    fclose(in);
}

static void test_bad_rows(void **state) {
    (void)state;
    assert_bad_row("1\n", 2, "t.csv:3: expected 2 fields, found 1");
    assert_bad_row("1,2,3\n", 6, "t.csv:3: expected 2 fields, found 3");
    assert_bad_row("1,\0\n", 4, "t.csv:3: expected text, found a NUL byte");
    static char line[2 * MAX_CSV_LINE_BYTES];
    memset(line, '1', sizeof line);
    assert_bad_row(line, sizeof line, "t.csv:3: expected at most 4094 bytes, found a longer line");
    memset(line, ',', sizeof line);
    assert_bad_row(line, 1000, "t.csv:3: expected 2 fields, found more than 64");
}

static void test_bad_fields(void **state) {
    (void)state;
    err_t err = {{0}};
    assert_true(open_text("a,b,c\nnan,1e,7.5\n", &err));
    assert_int_equal(Csv_Next(&csv, &err), CSV_ROW);
    float f = 0.0f;
    int64_t i = 0;
    vec3_t v;
    assert_false(Csv_Float(&csv, 0, &f, &err));
    assert_string_equal(err.text, "t.csv:2: column a: expected a number, found \"nan\"");
    assert_false(Csv_Float(&csv, 1, &f, &err));
    assert_string_equal(err.text, "t.csv:2: column b: expected a number, found \"1e\"");
    assert_false(Csv_Int(&csv, 2, -1, 9, &i, &err));
    assert_string_equal(err.text,
                        "t.csv:2: column c: expected a whole number -1..9, found \"7.5\"");
    assert_false(Csv_Vector(&csv, (int32_t[3]){2, 2, 2}, 7.0f, &v, &err));
    assert_string_equal(err.text, "t.csv:2: column c: expected a number within +-7, found \"7.5\"");
    fclose(in);
}

static void test_points(void **state) { // a leak, as compilers write it: no header, no commas
    (void)state;
    err_t err;
    in = tmpfile();
    assert_non_null(in);
    fputs("1 2 -3\n4.5 5 6\n7 8\n", in);
    rewind(in);
    assert_true(Csv_Open(&csv, in, "my.pts", &err));
    static const char *const names[] = {"x", "y", "z"};
    int32_t columns[3];
    assert_true(Csv_Columns(&csv, names, 3, columns, &err));
    vec3_t v;
    assert_int_equal(Csv_Next(&csv, &err), CSV_ROW);
    assert_true(Csv_Vector(&csv, columns, 100.0f, &v, &err));
    assert_true(v.x == 1.0f);
    assert_true(v.y == 2.0f);
    assert_true(v.z == -3.0f);
    assert_int_equal(Csv_Next(&csv, &err), CSV_ROW);
    assert_true(Csv_Vector(&csv, columns, 100.0f, &v, &err));
    assert_true(v.x == 4.5f);
    assert_true(v.y == 5.0f);
    assert_true(v.z == 6.0f);
    assert_int_equal(Csv_Next(&csv, &err), CSV_ERROR);
    assert_non_null(strstr(err.text, "my.pts:3: "));
    fclose(in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_headers),
        cmocka_unit_test(test_bad_rows), cmocka_unit_test(test_bad_fields),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
