// The ban list: ranges, spans and times, the longest prefix, expiry, and the file on bad disks.

#include "lib/testing.h"

#include "base/file.h"
#include "base/rng.h"
#include "ops/bans.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1800000000) // 2027-01-15T08:00:00Z

typedef struct {
    bans_t bans;
    char folder[64];
    char path[96];
    char text[8192]; ///< log lines so far
    log_t log;
} scene_t;

static void keep_line(void *context, log_level_t level, const char *line) {
    scene_t *scene = context;
    size_t used = strlen(scene->text);
    snprintf(scene->text + used, sizeof scene->text - used, "%s: %s\n", Log_LevelName(level), line);
}

static scene_t *set_up(void) {
    scene_t *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    snprintf(scene->folder, sizeof scene->folder, "/tmp/edictd-bans-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    snprintf(scene->path, sizeof scene->path, "%s/bans", scene->folder);
    scene->bans.path = scene->path;
    scene->bans.now_s = NOW;
    scene->log = (log_t){keep_line, scene, LOG_INFO};
    return scene;
}

static void tear_down(scene_t *scene) {
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", scene->folder, scene->folder);
    assert_int_equal(system(command), 0);
    Bans_Free(&scene->bans);
    free(scene);
}

static void write_file(const scene_t *scene, const char *text) {
    err_t err;
    assert_true(File_Write(scene->path, text, strlen(text), &err));
}

static char *read_file(const scene_t *scene) {
    size_t size = 0;
    return (char *)File_Read(scene->path, MAX_BAN_BYTES, &size, NULL);
}

static uint32_t host_of(const char *text) {
    ban_t ban;
    assert_true(Net_ParseRange(text, &ban.range, NULL));
    return ban.range.host;
}

static void put(bans_t *bans, const char *line) {
    ban_t ban;
    err_t err = {{0}};
    if (!Ban_ParseLine(line, &ban, &err)) {
        fail_msg("%s: %s", line, err.text);
    }
    assert_true(Bans_Set(bans, &ban));
}

static bool allows(bans_t *bans, const char *host) {
    return Bans_Allow(bans, (netaddr_t){.host = host_of(host), .port = 7}) == NET_REASON_NONE;
}

static void test_ranges(void **state) {
    (void)state;
    static const char *const good[][2] = {{"192.0.2.7", "192.0.2.7"},
                                          {"192.0.2.7/32", "192.0.2.7"},
                                          {"192.0.2.7/24", "192.0.2.0/24"},
                                          {"192.0.2.255/31", "192.0.2.254/31"},
                                          {"255.255.255.255/0", "0.0.0.0/0"}};
    static const char *const bad[] = {
        "",           "192.0.2",      "192.0.2.7/33",  "192.0.2.7/",    "192.0.2.7/-1", "/24",
        "192.0.2.7:", "192.0.2.7:80", "192.0.2.256",   "192.0.2.7/24x", "localhost",    "::1",
        "1.2.3.4.5",  "01.2.3.4",     "192.0.2.7/+24", "192.0.2.7/ 24", "1.2.3.4 "};
    for (size_t i = 0; i < COUNTOF(good); i++) {
        ban_t ban = {0};
        char text[24];
        assert_true(Net_ParseRange(good[i][0], &ban.range, NULL));
        Net_FormatRange(ban.range, text);
        assert_string_equal(text, good[i][1]);
    }
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        ban_t ban = {0};
        err_t err;
        if (Net_ParseRange(bad[i], &ban.range, &err)) {
            fail_msg("\"%s\" is taken", bad[i]);
        }
        assert_non_null(strstr(err.text, "expected an IPv4 address or range"));
    }
}

static void test_spans(void **state) {
    (void)state;
    static const char *const bad[] = {"",   "5",   "m",   "-5m",     "+5m",
                                      "0m", "5 m", "5mm", "100000s", "1.5h"};
    int64_t seconds = 0;
    assert_true(Ban_ParseSpan("90s", &seconds));
    assert_true(seconds == 90);
    assert_true(Ban_ParseSpan("30m", &seconds));
    assert_true(seconds == 1800);
    assert_true(Ban_ParseSpan("12h", &seconds));
    assert_true(seconds == 43200);
    assert_true(Ban_ParseSpan("7d", &seconds));
    assert_true(seconds == 604800);
    assert_true(Ban_ParseSpan("99999w", &seconds));
    assert_true(seconds == INT64_C(99999) * 604800);
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_false(Ban_ParseSpan(bad[i], &seconds));
    }
}

static void test_lines(void **state) {
    (void)state;
    static const char *const good[][2] = {
        {"ban 192.0.2.7 forever", NULL},
        {"ban 192.0.2.0/24 2026-12-24T18:00:00Z floods the chat", NULL},
        {"allow 10.0.0.0/8 9999-12-31T23:59:59Z", NULL},
        {"ban id:17 forever", NULL},
        {"ban id:steam:id:76561198 2026-12-24T18:00:00Z cheats", NULL},
        {"  ban\t192.0.2.7  forever   a \xe2\x80\xae b \r", "ban 192.0.2.7 forever a b"},
    };
    static const char *const bad[][2] = {
        {"", "expected \"ban\" or \"allow\", found \"\""},
        {"deny 1.2.3.4 forever", "found \"deny\""},
        {"ban", "expected an IPv4 address or range"},
        {"ban id: forever", "expected a player id of 1 to 63 visible characters"},
        {"ban id:\xc3\xa4 forever", "expected a player id of 1 to 63 visible characters"},
        {"ban id:1234567890123456789012345678901234567890123456789012345678901234 forever",
         "expected a player id of 1 to 63 visible characters"},
        {"ban ID:17 forever", "expected an IPv4 address or range"},
        {"allow id:17 forever", "expected an address or range after \"allow\""},
        {"ban 1.2.3.4/0000000000000000000000000000000000000000000000000000000000000000000000000033 "
         "forever",
         "expected an IPv4 address or range"},
        {"ban 1.2.3.4", "expected \"forever\" or a time"},
        {"ban 1.2.3.4 2026-02-31T00:00:00Z", "expected \"forever\" or a time"},
        {"ban 1.2.3.4 2026-12-24", "expected \"forever\" or a time"},
        {"ban 1.2.3.4 2026-12-24T18:00:00+", "expected \"forever\" or a time"},
        {"ban 1.2.3.4 1969-12-31T23:59:59Z", "expected \"forever\" or a time"},
        {"ban 1.2.3.4 1970-01-01T00:00:00Z", "expected \"forever\" or a time"},
    };
    ban_t ban;
    char line[BAN_LINE_BYTES];
    for (size_t i = 0; i < COUNTOF(good); i++) {
        assert_true(Ban_ParseLine(good[i][0], &ban, NULL));
        Ban_FormatLine(&ban, line);
        assert_string_equal(line, good[i][1] ? good[i][1] : good[i][0]);
    }
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        err_t err = {{0}};
        assert_false(Ban_ParseLine(bad[i][0], &ban, &err));
        assert_non_null(strstr(err.text, bad[i][1]));
    }
    memset(line, 'x', sizeof line - 1);
    memset(line + 100, ' ', 150); // the cut is in the gap
    line[250] = 'y';
    memcpy(line, "ban 0.0.0.0/0 forever ", 22);
    line[sizeof line - 1] = '\0';
    assert_true(Ban_ParseLine(line, &ban, NULL));
    assert_int_equal(strlen(ban.reason), 78);
    memset(line, 'x', sizeof line - 1);
    line[44 + BAN_REASON - 2] = ' '; // the last character that fits
    memcpy(line, "ban 255.255.255.255/31 9999-12-31T23:59:59Z ", 44);
    line[sizeof line - 1] = '\0';
    assert_true(Ban_ParseLine(line, &ban, NULL)); // a long reason is cut, so that the line fits
    assert_int_equal(strlen(ban.reason), BAN_REASON - 2);
    Ban_FormatLine(&ban, line);
    ban_t again;
    assert_true(Ban_ParseLine(line, &again, NULL));
    assert_memory_equal(&again, &ban, sizeof ban);
}

static void test_the_longest_prefix_decides(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    assert_true(allows(bans, "192.0.2.7"));
    put(bans, "ban 192.0.2.0/24 forever");
    put(bans, "allow 192.0.2.0/28 forever");
    put(bans, "ban 192.0.2.7 forever");
    assert_false(allows(bans, "192.0.2.255"));
    assert_true(allows(bans, "192.0.2.15"));
    assert_true(allows(bans, "192.0.3.0"));
    assert_false(allows(bans, "192.0.2.7"));
    put(bans, "ban 0.0.0.0/0 forever"); // only the guests below may join
    assert_false(allows(bans, "198.51.100.1"));
    assert_true(allows(bans, "192.0.2.15"));
    put(bans, "allow 0.0.0.0/0 forever"); // replaces the entry
    assert_true(allows(bans, "198.51.100.1"));
    assert_int_equal(bans->count, 4);
    assert_false(Bans_Remove(bans, &(ban_t){.range = {host_of("192.0.2.7"), 31}}));
    assert_true(Bans_Remove(bans, &(ban_t){.range = {host_of("192.0.2.7"), 32}}));
    assert_false(Bans_Remove(bans, &(ban_t){.range = {host_of("192.0.2.7"), 32}}));
    assert_true(allows(bans, "192.0.2.7"));
    assert_true(Bans_Save(bans, NULL));
    assert_int_equal(bans->count, 3);
    tear_down(scene);
}

static void test_expiry(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    ban_t ban = {.range = {host_of("192.0.2.7"), 32}, .until_s = NOW + 60};
    assert_true(Bans_Set(bans, &ban));
    put(bans, "allow 192.0.2.0/24 forever");
    assert_false(allows(bans, "192.0.2.7"));
    bans->now_s = NOW + 59;
    assert_false(allows(bans, "192.0.2.7"));
    bans->now_s = NOW + 60; // the shorter prefix decides from now on
    assert_true(allows(bans, "192.0.2.7"));
    assert_ptr_equal(Bans_Find(bans, ban.range.host), &bans->list[0]);
    assert_true(Bans_Save(bans, NULL));
    assert_int_equal(bans->count, 1);
    tear_down(scene);
}

static void test_player_ids(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    put(bans, "ban id:bob forever");
    put(bans, "ban 0.0.0.0/0 forever");
    put(bans, "ban id:ann forever");
    put(bans, "ban 255.255.255.255 forever");
    put(bans, "ban id:bob forever again"); // replaces the entry
    assert_int_equal(bans->count, 4);
    assert_int_equal(Bans_AllowId(bans, "bob"), NET_REASON_BANNED);
    assert_int_equal(Bans_AllowId(bans, "ann"), NET_REASON_BANNED);
    assert_int_equal(Bans_AllowId(bans, "bo"), NET_REASON_NONE);
    assert_int_equal(Bans_AllowId(bans, ""), NET_REASON_NONE);
    ban_t ban = {.until_s = NOW + 60};
    assert_true(Ban_ParseWho("id:ann", &ban, NULL));
    assert_true(Bans_Set(bans, &ban));
    bans->now_s = NOW + 60;
    assert_int_equal(Bans_AllowId(bans, "ann"), NET_REASON_NONE);
    assert_true(Ban_ParseWho("id:bob", &ban, NULL));
    assert_true(Bans_Remove(bans, &ban));
    assert_false(Bans_Remove(bans, &ban));
    assert_int_equal(Bans_AllowId(bans, "bob"), NET_REASON_NONE);
    tear_down(scene);
}

// Compares with a search through all entries, for random ranges that contain each other.
static void test_find_is_right_for_random_lists(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    rng_t rng = {3};
    for (int32_t i = 0; i < 20000; i++) {
        ban_t ban = {.range.bits = (int32_t)Rng_Below(&rng, 33),
                     .is_allowed = Rng_Below(&rng, 2) == 1};
        uint32_t mask = ban.range.bits == 0 ? 0 : UINT32_MAX << (32 - ban.range.bits);
        ban.range.host = (0xc0000200u | Rng_Below(&rng, 0x4ff)) & mask;
        ban.until_s = Rng_Below(&rng, 3) == 0 ? NOW - 5 + Rng_Below(&rng, 10) : 0;
        if (Rng_Below(&rng, 3) == 0) {
            Bans_Remove(bans, &ban);
        } else {
            assert_true(Bans_Set(bans, &ban));
        }
        uint32_t host = 0xc0000200u | Rng_Below(&rng, 0x4ff);
        const ban_t *best = NULL;
        for (int32_t n = 0; n < bans->count; n++) {
            const ban_t *at = &bans->list[n];
            uint32_t network = at->range.bits == 0 ? 0 : UINT32_MAX << (32 - at->range.bits);
            bool is_over = at->is_removed || (at->until_s != 0 && at->until_s <= NOW);
            if ((host & network) == at->range.host && !is_over &&
                (!best || at->range.bits > best->range.bits)) {
                best = at;
            }
            assert_true(
                n == 0 || at[-1].range.bits < at->range.bits ||
                (at[-1].range.bits == at->range.bits && at[-1].range.host < at->range.host));
        }
        assert_ptr_equal(Bans_Find(bans, host), best);
    }
    tear_down(scene);
}

static void test_the_list_is_bounded(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    for (uint32_t i = 0; i <= MAX_BANS; i++) {
        const ban_t ban = {.range = {0x0a000000u + i, 32}};
        assert_int_equal(Bans_Set(bans, &ban), i < MAX_BANS);
    }
    const ban_t again = {.range = {0x0a000000u, 32}, .is_allowed = true};
    assert_true(Bans_Set(bans, &again)); // replaces the entry
    assert_true(Bans_Save(bans, NULL));
    char *text = read_file(scene);
    char *longer = malloc(strlen(text) + 64);
    assert_non_null(longer);
    sprintf(longer, "%sban 192.0.2.7 forever\n", text);
    write_file(scene, longer);
    assert_true(Bans_Load(bans, &scene->log, NULL));
    assert_int_equal(bans->count, MAX_BANS);
    assert_non_null(
        strstr(scene->text, ":4099: expected at most 4096 entries")); // two lines of comment
    assert_true(Bans_Save(bans, NULL));
    free(text);
    text = read_file(scene);
    assert_non_null(strstr(text, "\nban 192.0.2.7 forever\n"));
    free(longer);
    free(text);
    tear_down(scene);
}

// ---- the file ----

static int32_t count_of(const char *text, const char *part) {
    int32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

// A file of another kind does not flood the log.
static void test_faults_are_logged_up_to_a_number(void **state) {
    (void)state;
    scene_t *scene = set_up();
    char text[4096] = "";
    for (int32_t i = 0; i < 100; i++) {
        strlcat(text, "addip 30 192.0.2.7\n", sizeof text);
    }
    write_file(scene, text);
    assert_true(Bans_Load(&scene->bans, &scene->log, NULL));
    assert_int_equal(count_of(scene->text, "found \"addip\""), 20);
    assert_non_null(strstr(scene->text, "100 faulty lines have no effect"));
    tear_down(scene);
}

static void test_the_file_keeps_what_it_has(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    assert_true(Bans_Load(bans, &scene->log, NULL)); // the file does not exist yet
    put(bans, "ban 192.0.2.7 forever spam");
    assert_true(Bans_Save(bans, NULL));
    struct stat info;
    assert_true(stat(scene->path, &info) == 0);
    assert_true((info.st_mode & 07777) == 0600);
    char *text = read_file(scene);
    assert_non_null(strstr(text, "# The bans of edictd."));
    assert_non_null(strstr(text, "\nban 192.0.2.7 forever spam\n"));
    free(text);
    write_file(scene, "# mine\nban 192.0.2.7 forver typo\n\nallow 192.0.2.8 forever\n"
                      "ban 10.0.0.1 2001-01-01T00:00:00Z over\nnonsense");
    assert_true(Bans_Load(bans, &scene->log, NULL));
    char expected[512];
    snprintf(expected, sizeof expected,
             "error: %s:2: expected \"forever\" or a time such as 2026-12-24T18:00:00Z, found "
             "\"forver\"\nerror: %s:6: expected \"ban\" or \"allow\", found \"nonsense\"\n"
             "error: %s: 2 faulty lines have no effect; they stay in the file\n",
             scene->path, scene->path, scene->path);
    assert_string_equal(scene->text, expected);
    assert_int_equal(bans->count, 1); // the earlier entry is no longer in the file
    put(bans, "ban 10.0.0.0/8 forever");
    assert_true(Bans_Save(bans, NULL));
    text = read_file(scene);
    assert_string_equal(text, "# mine\nban 192.0.2.7 forver typo\n\nnonsense\n"
                              "ban 10.0.0.0/8 forever\nallow 192.0.2.8 forever\n");
    free(text);
    tear_down(scene);
}

// In a folder of others, the file that is written first could be a link to any file of this user.
static void test_a_link_is_not_followed(void **state) {
    (void)state;
    scene_t *scene = set_up();
    char other[128], victim[128];
    struct stat info;
    snprintf(other, sizeof other, "%s.tmp", scene->path);
    snprintf(victim, sizeof victim, "%s.victim", scene->path);
    assert_int_equal(symlink(victim, other), 0);
    put(&scene->bans, "ban 192.0.2.7 forever");
    assert_true(Bans_Save(&scene->bans, NULL));
    assert_int_not_equal(stat(victim, &info), 0);
    char *text = read_file(scene);
    assert_non_null(strstr(text, "192.0.2.7"));
    free(text);
    tear_down(scene);
}

// A write fails in the middle of the file: the old file stays, and the list in memory is used.
static void test_a_full_disk(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    struct rlimit limit;
    err_t err = {{0}};
    put(bans, "ban 192.0.2.7 forever old");
    assert_true(Bans_Save(bans, NULL));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    put(bans, "ban 192.0.2.8 forever new");
    put(bans, "ban 198.51.100.0/24 forever new");
    put(bans, "ban 203.0.113.1 forever old");
    assert_true(Bans_Remove(bans, &(ban_t){.range = {host_of("203.0.113.1"), 32}}));
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 64, .rlim_max = limit.rlim_max});
    assert_false(Bans_Save(bans, &err));
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_non_null(strstr(err.text, "File too large"));
    assert_true(bans->is_unsaved);
    assert_false(allows(bans, "192.0.2.8"));
    char *text = read_file(scene);
    assert_non_null(strstr(text, "192.0.2.7 forever old"));
    assert_null(strstr(text, "192.0.2.8"));
    free(text);
    // The file is read again when the disk has room: the new entry stays, and the next write has
    // both.
    write_file(scene, "ban 192.0.2.9 forever by hand\nallow 192.0.2.8 forever\n"
                      "ban 203.0.113.1 forever old\n");
    assert_true(Bans_Load(bans, &scene->log, NULL));
    assert_false(allows(bans, "192.0.2.8"));
    assert_false(allows(bans, "192.0.2.9"));
    assert_false(allows(bans, "198.51.100.7"));
    assert_true(allows(bans, "203.0.113.1")); // the removal stays, too
    assert_true(allows(bans, "192.0.2.7"));
    assert_true(Bans_Save(bans, &err));
    assert_false(bans->is_unsaved);
    text = read_file(scene);
    assert_string_equal(text, "ban 198.51.100.0/24 forever new\nban 192.0.2.8 forever new\n"
                              "ban 192.0.2.9 forever by hand\n");
    free(text);
    tear_down(scene);
}

static void test_a_folder_that_cannot_be_written(void **state) {
    (void)state;
    scene_t *scene = set_up();
    char path[128];
    err_t err = {{0}};
    snprintf(path, sizeof path, "%s/nowhere/bans", scene->folder);
    scene->bans.path = path;
    put(&scene->bans, "ban 192.0.2.7 forever");
    assert_false(Bans_Save(&scene->bans, &err));
    assert_non_null(strstr(err.text, "nowhere/bans"));
    assert_false(allows(&scene->bans, "192.0.2.7"));
    scene->bans.path = ""; // the list is not saved
    assert_true(Bans_Save(&scene->bans, &err));
    assert_true(Bans_Load(&scene->bans, NULL, &err));
    assert_false(allows(&scene->bans, "192.0.2.7"));
    tear_down(scene);
}

// A file that cannot be read is not overwritten. The list in memory stays.
static void test_a_file_that_cannot_be_read(void **state) {
    (void)state;
    scene_t *scene = set_up();
    bans_t *bans = &scene->bans;
    err_t err = {{0}};
    put(bans, "ban 192.0.2.7 forever");
    assert_true(Bans_Save(bans, NULL));
    assert_int_equal(unlink(scene->path), 0);
    assert_int_equal(mkdir(scene->path, 0700), 0);
    assert_false(Bans_Load(bans, &scene->log, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    assert_false(allows(bans, "192.0.2.7"));
    assert_false(Bans_Save(bans, &err));
    assert_non_null(strstr(err.text, "could not be read"));
    assert_int_equal(rmdir(scene->path), 0);
    assert_true(File_Write(scene->path, "ban 192.0.2.9 forever\n\0", 23, NULL));
    assert_false(Bans_Load(bans, &scene->log, &err));
    assert_non_null(strstr(err.text, "found a NUL byte"));
    assert_false(Bans_Save(bans, &err));
    write_file(scene, "ban 192.0.2.9 forever\n");
    assert_true(Bans_Load(bans, &scene->log, &err));
    assert_true(Bans_Save(bans, &err));
    assert_true(allows(bans, "192.0.2.7"));
    tear_down(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_the_longest_prefix_decides),
        cmocka_unit_test(test_expiry),
        cmocka_unit_test(test_player_ids),
        cmocka_unit_test(test_find_is_right_for_random_lists),
        cmocka_unit_test(test_the_list_is_bounded),
        cmocka_unit_test(test_faults_are_logged_up_to_a_number),
        cmocka_unit_test(test_the_file_keeps_what_it_has),
        cmocka_unit_test(test_a_link_is_not_followed),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_a_folder_that_cannot_be_written),
        cmocka_unit_test(test_a_file_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
