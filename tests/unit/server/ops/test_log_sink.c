// Log lines: their targets and format, and a file that cannot be written.

#include "lib/testing.h"

#include "base/file.h"
#include "ops/log_sink.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static int saved_stderr;

// Standard error is written to a file while a test runs.
static int set_up(void **state) {
    (void)state;
    char path[128];
    snprintf(folder, sizeof folder, "/tmp/edictd-log-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/stderr", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    saved_stderr = dup(STDERR_FILENO);
    assert_true(fd >= 0);
    assert_true(saved_stderr >= 0);
    assert_true(dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    close(fd);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char command[128];
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static char *content(const char *name) {
    char path[128];
    size_t size = 0;
    err_t err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = (char *)File_Read(path, 1 << 20, &size, &err);
    assert_non_null(text);
    return text;
}

static int32_t count_lines(const char *text, const char *part) {
    int32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

static void test_lines_go_to_both(void **state) {
    (void)state;
    char path[128];
    log_sink_t sink;
    err_t err;
    snprintf(path, sizeof path, "%s/log", folder);
    assert_true(LogSink_Open(&sink, path, &err));
    log_t log = LogSink_Log(&sink, LOG_INFO);
    Log_Print(&log, LOG_WARN, "%d bottles\nof \x1b[31m", 99);
    Log_Print(&log, LOG_DEBUG, "nobody sees this");
    LogSink_Close(&sink);
    LogSink_Close(&sink);                         // closing twice is allowed
    assert_true(LogSink_Open(&sink, path, &err)); // appends to the existing text
    Log_Print(&log, LOG_ERROR, "second");
    LogSink_Close(&sink);
    char *text = content("log");
    int year, month, day, hour, minute, second, milli, end = 0;
    assert_int_equal(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ %n", &year, &month, &day, &hour,
                            &minute, &second, &milli, &end),
                     7);
    assert_true(year >= 2024);
    assert_true(end == 25);
    static const char line[] = "warn: 99 bottles\\nof \\x1b[31m\n";
    assert_memory_equal(text + end, line, strlen(line));
    assert_int_equal(count_lines(text, "\n"), 2);
    assert_non_null(strstr(text, "Z error: second\n"));
    free(text);
    text = content("stderr");
    assert_non_null(strstr(text, "edictd: warn: 99 bottles\\nof \\x1b[31m\n"));
    assert_null(strstr(text, "nobody"));
    free(text);
}

static void test_json(void **state) {
    (void)state;
    char path[128];
    log_sink_t sink;
    err_t err;
    snprintf(path, sizeof path, "%s/json", folder);
    assert_true(LogSink_Open(&sink, path, &err));
    log_t log = LogSink_Log(&sink, LOG_INFO);
    const log_field_t fields[] = {{.key = "slot", .number = -1},
                                  {.key = "name", .text = "a \" b\\=,\n"},
                                  {.key = "text", .text = ""}};
    sink.is_json = true;
    Log_Event(&log, "join", fields, 3);
    Log_Event(&log, "bare", NULL, 0);
    Log_Print(&log, LOG_WARN, "a \"quoted\"\nline of %s", "\xff");
    char longest[1100];
    memset(longest, '"', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    Log_Print(&log, LOG_INFO, "%s", longest);
    log.level = LOG_WARN;
    Log_Event(&log, "hidden", NULL, 0);
    LogSink_Close(&sink);
    char *text = content("json");
    char *lines[5] = {NULL}, *rest = text;
    for (int32_t i = 0; i < 5; i++) {
        lines[i] = strsep(&rest, "\n");
        assert_non_null(lines[i]);
        assert_true(i == 4 || strncmp(lines[i], "{\"time\":\"20", 11) == 0);
    }
    static const char *const ends[] = {
        "Z\",\"level\":\"info\",\"event\":\"join\",\"fields\":{\"slot\":-1,"
        "\"name\":\"a \\\" b\\\\=,\\n\",\"text\":\"\"}}",
        "Z\",\"level\":\"info\",\"event\":\"bare\",\"fields\":{}}",
        "Z\",\"level\":\"warn\",\"event\":\"log\",\"fields\":"
        "{\"text\":\"a \\\"quoted\\\"\\\\nline of \xef\xbf\xbd\"}}"};
    for (int32_t i = 0; i < 3; i++) {
        assert_string_equal(lines[i] + strlen("{\"time\":\"2026-11-23T09:55:23.123"), ends[i]);
    }
    assert_int_equal(count_lines(lines[3], "\\\""), 1023);
    assert_string_equal(lines[3] + strlen(lines[3]) - 5, "\\\"\"}}");
    assert_string_equal(lines[4], "");
    free(text);
    text = content("stderr");
    assert_non_null(strstr(text, ",\"event\":\"join\",\"fields\":{\"slot\":-1,"));
    assert_null(strstr(text, "edictd:"));
    free(text);
}

static void test_without_a_file(void **state) {
    (void)state;
    log_sink_t sink;
    err_t err;
    assert_true(LogSink_Open(&sink, "", &err));
    assert_int_equal(sink.fd, -1);
    log_t log = LogSink_Log(&sink, LOG_DEBUG);
    Log_Print(&log, LOG_DEBUG, "to stderr only");
    assert_int_equal(sink.lost, 0);
    LogSink_Close(&sink);
    assert_false(LogSink_Open(&sink, "/no/such/folder/log", &err));
    assert_non_null(strstr(err.text, "log_file /no/such/folder/log: No such file"));
    assert_false(LogSink_Open(&sink, folder, &err));
    assert_non_null(strstr(err.text, "directory"));
}

// With a full disk, the fault is logged once and counted, and lines still reach standard error.
static void test_a_full_disk(void **state) {
    (void)state;
    log_sink_t sink;
    err_t err;
    assert_true(LogSink_Open(&sink, "/dev/full", &err));
    log_t log = LogSink_Log(&sink, LOG_INFO);
    for (int i = 0; i < 50; i++) {
        Log_Print(&log, LOG_INFO, "line %d", i);
    }
    assert_int_equal(sink.lost, 50);
    LogSink_Close(&sink);
    char *text = content("stderr");
    assert_int_equal(count_lines(text, "/dev/full: No space left on device; 1 log lines lost"), 1);
    assert_int_equal(count_lines(text, "log lines lost"), 1);
    assert_int_equal(count_lines(text, "edictd: info: line "), 50);
    free(text);
}

// Fills the pipe whose writing end is `fd`.
static void fill(int fd) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int full = open(path, O_WRONLY | O_NONBLOCK); // only this description does not block
    assert_true(full >= 0);
    for (size_t size = 4096; size > 0; size = size > 1 ? 1 : 0) {
        static const char zeros[4096];
        while (write(full, zeros, size) > 0) {
        }
    }
    close(full);
}

// Nobody reads standard error: a line is lost instead of stopping the server, and the number of
// lost lines is reported once there is room again.
static void test_a_full_pipe(void **state) {
    (void)state;
    char path[128];
    char text[70000];
    int ends[2];
    log_sink_t sink;
    err_t err;
    snprintf(path, sizeof path, "%s/log", folder);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    assert_true(LogSink_Open(&sink, path, &err));
    log_t log = LogSink_Log(&sink, LOG_INFO);
    fill(STDERR_FILENO);
    alarm(10);
    for (int i = 0; i < 50; i++) {
        Log_Print(&log, LOG_INFO, "line %d", i);
    }
    alarm(0);
    assert_int_equal(sink.unread, 50);
    assert_true(read(ends[0], text, sizeof text) > 0);
    Log_Print(&log, LOG_INFO, "after");
    Log_Print(&log, LOG_INFO, "and more");
    assert_int_equal(sink.unread, 0);
    dup2(saved_stderr, STDERR_FILENO);
    close(ends[1]);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    assert_true(size > 0);
    text[size] = '\0';
    assert_string_equal(text, "edictd: warn: 50 log lines were not written here, because nothing "
                              "read standard error\n"
                              "edictd: info: after\nedictd: info: and more\n");
    LogSink_Close(&sink);
    char *file = content("log");
    assert_int_equal(count_lines(file, " info: line "), 50);
    free(file);
}

// A line is written at once and keeps its end, however long it is.
static void test_long_lines_keep_their_end(void **state) {
    (void)state;
    char path[128];
    char line[3000];
    log_sink_t sink;
    err_t err;
    snprintf(path, sizeof path, "%s/long", folder);
    assert_true(LogSink_Open(&sink, path, &err));
    log_t log = LogSink_Log(&sink, LOG_INFO);
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    Log_Print(&log, LOG_INFO, "%s", line);
    Log_Print(&log, LOG_INFO, "next");
    LogSink_Close(&sink);
    char *text = content("long");
    assert_int_equal(count_lines(text, "\n"), 2);
    assert_true(strlen(text) > 1000);
    assert_true(strlen(text) < 1200);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines_go_to_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_full_disk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_full_pipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_lines_keep_their_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
