// The control socket: lines, answers, roles, limits, the log for followers, and the audit.

#include "lib/control_fixture.h"

#include "base/version.h"

#include <sys/resource.h>

static control_scene_t at;

// ---- lines and answers ----

static void test_lines_are_answered(void **state) {
    (void)state;
    control_set_up(&at, "");
    int fd = control_connect_to(at.path);
    assert_string_equal(control_read(&at, fd), "edictd " EDICTD_VERSION " 27500 admin\n");
    assert_string_equal(control_ask(&at, fd, "echo two  words"), "= two words\n.\n");
    assert_string_equal(control_ask(&at, fd, ""), ".\n");
    assert_string_equal(control_ask(&at, fd, "echo a; echo b // and so on"), "= a\n= b\n.\n");
    assert_string_equal(control_ask(&at, fd, "echo a\necho b\r\nmpa"),
                        "= a\n.\n= b\n.\n! unknown command \"mpa\" (cmdlist lists them); did you "
                        "mean \"map\"?\n");
    assert_has(control_ask(&at, fd, "sv_gravity"), "= sv_gravity = \"800\" (default");
    control_write(fd, "echo in ");
    assert_string_equal(control_read(&at, fd), "");
    assert_string_equal(control_ask(&at, fd, "parts"), "= in parts\n.\n");
    assert_string_equal(control_ask(&at, fd, "echo \x1b[31m \xff"),
                        "= \\x1b[31m \xef\xbf\xbd\n.\n");
    assert_string_equal(at.scene.text, ""); // nothing was logged
    control_write(fd, "echo last");
    shutdown(fd, SHUT_WR); // ends the last line, too
    assert_string_equal(control_read(&at, fd), "= last\n.\n");
    assert_true(control_is_closed(fd));
    close(fd);
    control_tear_down(&at);
}

static void test_bad_lines_are_skipped(void **state) {
    (void)state;
    static char text[3000];
    static const char bad[] = "! expected a line of at most 1023 bytes without NUL bytes; it is "
                              "skipped\n";
    control_set_up(&at, "");
    int fd = control_join(&at);
    memset(text, 'x', sizeof text - 1);
    assert_string_equal(control_ask(&at, fd, text), bad);
    text[1024] = '\0';
    assert_string_equal(control_ask(&at, fd, text), bad);
    memcpy(text, "echo ", 5);
    text[1023] = '\0'; // the longest line
    assert_memory_equal(control_ask(&at, fd, text), "= xxx", 5);
    assert_int_equal(strlen(at.got), 2 + 1018 + 1 + 2);
    assert_int_equal(send(fd, "echo a\0b\n", 9, 0), 9);
    assert_string_equal(control_read(&at, fd), bad);
    assert_string_equal(control_ask(&at, fd, "echo fine"), "= fine\n.\n");
    close(fd);
    control_tear_down(&at);
}

static void test_json_answers(void **state) {
    (void)state;
    control_set_up(&at, "");
    int fd = control_join(&at);
    assert_string_equal(control_ask(&at, fd, "json echo a \xc3\xa4\x1b; echo '\\'"),
                        "= {\"lines\":[\"a \xc3\xa4\\u001b\",\"'\\\\'\"],\"ok\":true}\n.\n");
    assert_string_equal(control_ask(&at, fd, "json cmdlist zz"),
                        "= {\"lines\":[],\"ok\":false,\"error\":\"cmdlist: no command begins with "
                        "\\\"zz\\\"\"}\n! cmdlist: no command begins with \"zz\"\n");
    assert_has(control_ask(&at, fd, "json status"), "\"error\":\"status: no map is running yet\"}");
    assert_string_equal(control_ask(&at, fd, "json bans"),
                        "= {\"bans\":[],\"mutes\":[],\"ok\":true}\n.\n");
    assert_has(control_ask(&at, fd, "json cvarlist sv_gravity"),
               "= {\"cvars\":[{\"name\":\"sv_gravity\",\"type\":\"float\",\"value\":800.0,"
               "\"next\":800.0,\"default\":800.0,\"unit\":\"qu/s2\",");
    control_ask(&at, fd, "set sv_hostname \"caf\xff\"; set sv_password geheim");
    assert_has(control_ask(&at, fd, "json cvarlist sv_hostname"), "\"value\":\"caf\xef\xbf\xbd\"");
    assert_has(control_ask(&at, fd, "json cvarlist sv_password"), "\"value\":null,\"next\":null");
    assert_null(strstr(at.got, "geheim"));
    assert_has(control_ask(&at, fd, "json cvarlist nosuch"), "! cvarlist: no cvar begins with");
    assert_has(control_ask(&at, fd, "json"), "! usage: json COMMAND");
    assert_has(control_ask(&at, fd, "echo a; json status"), "! json: works only as the first");
    close(fd);
    control_tear_down(&at);
}

static void test_json_of_a_running_server(void **state) {
    (void)state;
    static tick_stats_t ticks;
    static bans_t bans;
    test_peer_t ann;
    control_set_up(&at, "");
    start_server(&at.scene);
    at.scene.console.ticks = &ticks;
    at.scene.console.bans = &bans;
    bans.path = "";
    TestPeer_Join(&ann, &at.scene.net, 0, "ann");
    TickStats_Add(&ticks, 1250000);
    int fd = control_join(&at);
    assert_has(control_ask(&at, fd, "json status"), "\"map\":\"testmap\",\"tick\":");
    assert_has(at.got, "\"players\":1,\"max_players\":4,\"match\":\"deathmatch: 0:0");
    assert_has(at.got,
               "\"ticks\":{\"p50_ms\":1.25,\"p99_ms\":1.25,\"max_ms\":1.25,\"overruns\":0,");
    assert_has(at.got, "\"seal\":\"offered\",\"server_key\":\"AAAAAAAAAAAAAAAA");
    assert_has(at.got, "\"clients\":[{\"slot\":0,\"name\":\"ann\",\"id\":null,\"address\":\"");
    assert_has(at.got, "\"follows\":null,\"fields\":{\"frags\":0,\"deaths\":0,");
    assert_has(at.got, "\"ok\":true}\n.\n");
    assert_has(control_ask(&at, fd, "json counters"), "\"joins\":1,");
    assert_has(at.got, "\"control_lines\":2,");
    assert_has(at.got, "\"packets_in\":");
    control_ask(&at, fd, "ban 192.0.2.0/24 flood; allow 192.0.2.7 1h; mute ann");
    assert_has(control_ask(&at, fd, "json bans"), "{\"allowed\":false,\"who\":\"192.0.2.0/24\","
                                                  "\"until\":null,\"reason\":\"flood\"}");
    assert_has(at.got, "{\"allowed\":true,\"who\":\"192.0.2.7\",\"until\":\"");
    assert_has(at.got, "\"mutes\":[\"muted ");
    assert_has(control_ask(&at, fd, "json bans flood"), "\"mutes\":[]");
    assert_string_equal(control_ask(&at, fd, "json peers"), "= {\"peers\":[],\"ok\":true}\n.\n");
    close(fd);
    TestPeer_Free(&ann);
    control_tear_down(&at);
}

// A command of the game is answered by the next tick. Others wait, so that no answer is mixed up.
static void test_answers_of_the_next_tick(void **state) {
    (void)state;
    test_peer_t ann;
    control_set_up(&at, "");
    start_server(&at.scene);
    TestPeer_Join(&ann, &at.scene.net, 0, "ann");
    int one = control_join(&at), two = control_join(&at);
    control_write(one, "echo one\nsv_gravity\n");
    assert_string_equal(control_read(&at, one), "");
    control_write(two, "json echo two\n");
    assert_string_equal(control_read(&at, two), "");
    for (int32_t i = 0; i < 8; i++) {
        TestNet_Step(&at.scene.net);
        control_gap(&at);
    }
    assert_has(control_read(&at, one), "= one\n.\n= sv_gravity = \"800\"");
    assert_string_equal(control_read(&at, two), "= {\"lines\":[\"two\"],\"ok\":true}\n.\n");
    control_write(one, "echo gone\n");
    control_gap(&at);
    close(one); // while its answer is open
    TestPeer_Run(&ann, 50);
    control_write(two, "sv_friction\n");
    assert_has(control_read(&at, two), "= sv_friction");
    close(two);
    TestPeer_Free(&ann);
    control_tear_down(&at);
}

// ---- roles and the audit ----

static void test_roles_are_given_up(void **state) {
    (void)state;
    static const char *const watched[] = {"cvarlist net_", "cmdlist",     "help",
                                          "bots",          "sv_password", "echo a",
                                          "bans",          "game",        "status"};
    static const char *const operated[] = {"say a",          "kick 1",  "ban 192.0.2.1", "mute 1",
                                           "unban 10.0.0.1", "bots 1",  "set bots 0",    "nextmap",
                                           "match_end",      "unmute 1"};
    static const char *const owned[] = {"set sv_gravity 1", "sv_gravity 1",    "quit",
                                        "exec nothing.cfg", "game reload",     "sv_profile quake",
                                        "set nosuch 1",     "set sv_maxspeed", "game fields"};
    static bans_t bans;
    bans.path = "";
    control_set_up(&at, "");
    start_server(&at.scene);
    at.scene.console.bans = &bans;
    int fd = control_join(&at);
    assert_string_equal(control_ask(&at, fd, "role operate"), ".\n");
    assert_has(control_ask(&at, fd, "role admin"), "! role: expected watch, operate or admin, at "
                                                   "most operate, found \"admin\"");
    for (size_t i = 0; i < COUNTOF(owned); i++) {
        assert_has(control_ask(&at, fd, owned[i]),
                   ": needs the role admin, and this connection has operate\n");
    }
    for (size_t i = 0; i < COUNTOF(operated); i++) {
        assert_null(strstr(control_ask(&at, fd, operated[i]), "needs the role"));
    }
    assert_string_equal(control_ask(&at, fd, "role watch"), ".\n");
    for (size_t i = 0; i < COUNTOF(operated); i++) {
        assert_has(control_ask(&at, fd, operated[i]),
                   ": needs the role operate, and this connection has watch\n");
    }
    for (size_t i = 0; i < COUNTOF(watched); i++) {
        assert_null(strstr(control_ask(&at, fd, watched[i]), "needs the role"));
        assert_true(at.got[0] != '\0');
    }
    assert_has(control_ask(&at, fd, "echo a; quit"), "! quit: needs the role admin");
    assert_has(control_ask(&at, fd, "json quit"), "! quit: needs the role admin");
    assert_has(control_ask(&at, fd, "role nobody"), "! role: expected watch");
    assert_false(at.scene.console.quit);
    assert_int_equal(at.scene.console.counters.control_denied,
                     COUNTOF(owned) + COUNTOF(operated) + 2);
    char denied[64];
    snprintf(denied, sizeof denied, " (uid %u), whose role is operate\n", (unsigned)geteuid());
    assert_has(at.scene.text, "warn: set: denied to ");
    assert_has(at.scene.text, denied);
    close(fd);
    control_tear_down(&at);
}

static void test_changes_are_audited(void **state) {
    (void)state;
    static const console_source_t typist = {
        .via = "stdin", .user = "ann", .uid = 1001, .role = ROLE_ADMIN};
    char line[300], *text = at.scene.text;
    err_t err;
    control_set_up(&at, "");
    write_config(&at.scene, "gravity.cfg", "set sv_gravity 600\n");
    int fd = control_join(&at);
    control_ask(&at, fd, "sv_gravity; cvarlist; echo set sv_gravity 1");
    assert_string_equal(text, "");
    control_ask(&at, fd, "set sv_gravity 700; sv_gravity heavy");
    assert_has(text, "via=\"socket\" ok=1 command=\"set sv_gravity 700\"\n");
    assert_has(text, "info: audit user=\"");
    assert_has(text, "role=\"admin\" via=\"socket\" ok=0 command=\"sv_gravity heavy\"\n");
    text[0] = '\0';
    control_ask(&at, fd,
                "sv_password geheim; set sv_password \"ge heim\"; set sv_password ge heim");
    assert_has(text, "ok=1 command=\"sv_password ***\"\n");
    assert_has(text, "ok=1 command=\"set sv_password ***\"\n");
    assert_has(text, "ok=0 command=\"set sv_password *** ***\"\n");
    assert_null(strstr(text, "heim"));
    text[0] = '\0';
    snprintf(line, sizeof line, "exec %s", path_of(&at.scene, "gravity.cfg"));
    assert_string_equal(control_ask(&at, fd, line), ".\n"); // audited once, not by line
    assert_has(text, "command=\"exec ");
    assert_null(strstr(text, "set sv_gravity 600"));
    text[0] = '\0';
    at.scene.console.source = &typist;
    assert_true(Console_Line(&at.scene.console, "set sv_gravity 5; sv_gravity", &err));
    at.scene.console.source = NULL;
    assert_has(text, "info: audit user=\"ann\" uid=1001 role=\"admin\" via=\"stdin\" ok=1 "
                     "command=\"set sv_gravity 5\"\n");
    text[0] = '\0';
    assert_true(Console_Line(&at.scene.console, "set sv_gravity 6", &err)); // of a config
    assert_string_equal(text, "");
    close(fd);
    control_tear_down(&at);
}

// ---- followers and slow readers ----

static void log_line(const char *text) {
    char line[300];
    snprintf(line, sizeof line, "time info: %s\n", text);
    at.sink.follow(at.sink.follow_context, false, line, strlen(line));
    snprintf(line, sizeof line, "{\"text\":\"%s\"}\n", text);
    at.sink.follow(at.sink.follow_context, true, line, strlen(line));
}

static void test_followers_receive_the_log(void **state) {
    (void)state;
    control_set_up(&at, "");
    int text = control_join(&at), json = control_join(&at), none = control_join(&at);
    log_line("before");
    assert_string_equal(control_ask(&at, text, "follow"), ".\n");
    assert_string_equal(control_ask(&at, json, "follow json"), ".\n");
    assert_has(control_ask(&at, none, "follow xml"), "! follow: expected json or nothing, found");
    log_line("one");
    log_line("two");
    assert_string_equal(control_read(&at, text), "> time info: one\n> time info: two\n");
    assert_string_equal(control_read(&at, json), "> {\"text\":\"one\"}\n> {\"text\":\"two\"}\n");
    assert_string_equal(control_read(&at, none), "");
    assert_string_equal(control_ask(&at, text, "echo still here"), "= still here\n.\n");
    close(text);
    close(json);
    control_gap(&at);
    log_line("three"); // the connections are gone
    close(none);
    control_tear_down(&at);
    assert_null(at.sink.follow);
}

static void test_slow_followers_lose_lines(void **state) {
    (void)state;
    char text[200] = "", expected[100];
    int32_t count = 0;
    control_set_up(&at, "");
    int fd = control_join(&at), other = control_join(&at);
    control_ask(&at, fd, "follow");
    control_ask(&at, other, "follow");
    memset(text, 'x', sizeof text - 1);
    for (; count < 4000; count++) { // more than the kernel and the server keep
        log_line(text);
        if (count % 10 == 0) {
            control_gap(&at);
            while (recv(other, at.got, sizeof at.got, 0) > 0) {
            }
        }
    }
    control_ns += 2 * CONTROL_STUCK_NS; // a follower is never closed
    control_read(&at, fd);
    int32_t seen = 0;
    for (const char *line = at.got; (line = strstr(line, "> time info: x")); line++) {
        seen++;
    }
    snprintf(expected, sizeof expected, "> %d log lines were not sent, because nothing read them\n",
             count - seen);
    assert_true(seen > 100 && seen < count);
    assert_has(at.got, expected);
    assert_int_equal(at.scene.console.counters.control_lost, count - seen);
    log_line("after");
    assert_string_equal(control_read(&at, fd), "> time info: after\n");
    assert_has(control_ask(&at, fd, "echo fine"), "= fine\n.\n");
    close(fd);
    close(other);
    control_tear_down(&at);
}

static void test_stuck_readers_are_closed(void **state) {
    (void)state;
    control_set_up(&at, "");
    int fd = control_join(&at), other = control_join(&at);
    for (int32_t i = 0; i < 400; i++) { // answers that nothing reads, until the server waits
        (void)!send(fd, "cvarlist\n", 9, MSG_NOSIGNAL);
        control_gap(&at);
    }
    uint64_t lines = at.scene.console.counters.control_lines;
    assert_true(lines < 300);
    for (int32_t i = 0; i < 100; i++) {
        control_gap(&at);
    }
    assert_int_equal(at.scene.console.counters.control_lines, lines);
    assert_string_equal(control_ask(&at, other, "echo fine"), "= fine\n.\n");
    assert_int_equal(at.scene.console.counters.control_stuck, 0);
    control_ns += CONTROL_STUCK_NS;
    control_gap(&at);
    assert_int_equal(at.scene.console.counters.control_stuck, 1);
    assert_true(control_is_closed(fd));
    assert_false(control_is_closed(other));
    close(fd);
    close(other);
    control_tear_down(&at);
}

// An answer that does not fit ends with an error instead of an end that looks complete.
static void test_answers_are_bounded(void **state) {
    (void)state;
    static bans_t bans;
    char line[400];
    char why[300];
    err_t err;
    control_set_up(&at, "");
    memset(why, 'w', sizeof why - 1);
    why[sizeof why - 1] = '\0';
    bans.path = "";
    at.scene.console.bans = &bans;
    for (int32_t i = 0; i < 4000; i++) {
        snprintf(line, sizeof line, "ban 10.0.%d.%d %s", i / 250, i % 250, why);
        assert_true(Console_Line(&at.scene.console, line, &err));
    }
    int fd = control_join(&at);
    assert_has(control_ask(&at, fd, "bans; bans; bans"), "= ban 10.0.0.1 forever");
    assert_has(at.got, "\n! the answer exceeds 1048576 bytes; ask for less\n");
    assert_true(strlen(at.got) <= CONTROL_ANSWER && strlen(at.got) > CONTROL_ANSWER / 2);
    assert_has(control_ask(&at, fd, "json bans; bans; bans"),
               "\"error\":\"the answer exceeds 1048576 bytes");
    assert_has(control_ask(&at, fd, "json cmdlist; bans; bans; bans"), "\"ok\":false,");
    assert_has(control_ask(&at, fd, "bans 10.0.7.77"), "= ban 10.0.7.77 forever wwww");
    close(fd);
    control_tear_down(&at);
}

// ---- bounds on time ----

static uint64_t lines_run(void) {
    return at.scene.console.counters.control_lines;
}

static void test_a_flood_is_bounded(void **state) {
    (void)state;
    control_set_up(&at, "");
    struct pollfd fds[CONTROL_PEERS + 1];
    int fd = control_join(&at), other = control_join(&at);
    for (int32_t i = 0; i < 100; i++) {
        control_write(fd, "echo\n");
    }
    control_ns += CONTROL_REFILL_NS;
    for (int32_t i = 0; i < 10; i++) {
        Control_Run(at.control, INT64_MAX); // more runs before the next tick change nothing
    }
    assert_int_equal(lines_run(), CONTROL_LINES);
    assert_int_equal(Control_Watch(at.control, fds), 2); // not the connection that floods
    assert_true(fds[1].fd != fd);
    assert_int_equal(Control_WakeNs(at.control, INT64_MAX), control_ns + CONTROL_REFILL_NS);
    assert_int_equal(Control_WakeNs(at.control, control_ns + 1), control_ns + 1);
    control_gap(&at);
    assert_int_equal(lines_run(), 2 * CONTROL_LINES);
    control_write(other, "echo other\n");
    control_gap(&at);
    assert_int_equal(lines_run(), 3 * CONTROL_LINES + 1);
    control_read(&at, fd);
    assert_int_equal(lines_run(), 101);
    assert_int_equal(Control_WakeNs(at.control, INT64_MAX), INT64_MAX);
    close(fd);
    close(other);
    control_tear_down(&at);
}

// Lines stop when their time is used up or a tick is due, but one always runs.
static void test_the_time_of_lines_is_bounded(void **state) {
    (void)state;
    control_set_up(&at, "");
    int fds[4];
    for (int32_t i = 0; i < 4; i++) {
        fds[i] = control_join(&at);
    }
    for (int32_t i = 0; i < 4; i++) {
        control_write(fds[i], "echo\necho\necho\necho\necho\necho\n");
    }
    control_ns += CONTROL_REFILL_NS;
    control_cost_ns = CONTROL_BUDGET_NS / 4; // each line takes a quarter of the time or more
    Control_Run(at.control, INT64_MAX);
    assert_true(lines_run() >= 1 && lines_run() <= 4);
    uint64_t before = lines_run();
    Control_Run(at.control, INT64_MAX);
    assert_int_equal(lines_run(), before);
    control_cost_ns = 0;
    control_ns += CONTROL_REFILL_NS;
    before = lines_run();
    Control_Run(at.control, control_ns); // a tick is due
    assert_int_equal(lines_run(), before + 1);
    Control_Run(at.control, control_ns);
    assert_int_equal(lines_run(), before + 1);
    for (int32_t i = 0; i < 4; i++) {
        control_read(&at, fds[i]);
        close(fds[i]);
    }
    assert_int_equal(lines_run(), 24);
    control_tear_down(&at);
}

// Watchers can use up the time of every turn.
static void test_admins_go_first(void **state) {
    (void)state;
    control_set_up(&at, "");
    int admin = control_join(&at), watchers[4];
    char got[64];
    for (int32_t i = 0; i < 4; i++) {
        watchers[i] = control_join(&at);
        control_write(watchers[i], "role watch\n");
        control_read(&at, watchers[i]);
    }
    for (int32_t turn = 0; turn < CONTROL_PEERS; turn++) {
        for (int32_t i = 0; i < 4; i++) {
            control_write(watchers[i], "echo watcher\n");
        }
        control_write(admin, "echo admin\n");
        control_ns += CONTROL_REFILL_NS;
        control_cost_ns = CONTROL_BUDGET_NS; // one line uses up the time
        Control_Run(at.control, INT64_MAX);
        control_cost_ns = 0;
        assert_int_equal(recv(admin, got, sizeof got, 0), strlen("= admin\n.\n"));
        for (int32_t i = 0; i < 4; i++) {
            control_read(&at, watchers[i]);
        }
    }
    for (int32_t i = 0; i < 4; i++) {
        close(watchers[i]);
    }
    close(admin);
    control_tear_down(&at);
}

static void test_connections_are_limited(void **state) {
    (void)state;
    int fds[CONTROL_PEERS + 1];
    control_set_up(&at, "");
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        fds[i] = control_join(&at);
    }
    fds[CONTROL_PEERS] = control_connect_to(at.path);
    assert_has(control_read(&at, fds[CONTROL_PEERS]), ": 16 connections are open, the maximum");
    assert_true(control_is_closed(fds[CONTROL_PEERS]));
    assert_int_equal(at.scene.console.counters.control_refused, 1);
    assert_int_equal(at.scene.console.counters.control_connections, CONTROL_PEERS);
    close(fds[CONTROL_PEERS]);
    close(fds[3]);
    control_gap(&at);
    fds[3] = control_join(&at);
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        close(fds[i]);
    }
    control_tear_down(&at);
}

// Without descriptors, the loop does not spin on a connection that it cannot accept.
static void test_descriptors_run_out(void **state) {
    (void)state;
    struct rlimit limit, none;
    struct pollfd fds[CONTROL_PEERS + 1];
    control_set_up(&at, "");
    int fd = control_connect_to(at.path);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    control_gap(&at);
    int32_t watched = Control_Watch(at.control, fds);
    int64_t wake_ns = Control_WakeNs(at.control, INT64_MAX);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(watched, 0);
    assert_int_equal(wake_ns, control_ns + CONTROL_REFILL_NS);
    assert_has(control_read(&at, fd), " 27500 admin\n");
    close(fd);
    control_tear_down(&at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_answered),
        cmocka_unit_test(test_bad_lines_are_skipped),
        cmocka_unit_test(test_json_answers),
        cmocka_unit_test(test_json_of_a_running_server),
        cmocka_unit_test(test_answers_of_the_next_tick),
        cmocka_unit_test(test_roles_are_given_up),
        cmocka_unit_test(test_changes_are_audited),
        cmocka_unit_test(test_followers_receive_the_log),
        cmocka_unit_test(test_slow_followers_lose_lines),
        cmocka_unit_test(test_stuck_readers_are_closed),
        cmocka_unit_test(test_answers_are_bounded),
        cmocka_unit_test(test_a_flood_is_bounded),
        cmocka_unit_test(test_the_time_of_lines_is_bounded),
        cmocka_unit_test(test_admins_go_first),
        cmocka_unit_test(test_connections_are_limited),
        cmocka_unit_test(test_descriptors_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
