// The process that starts bots: what it accepts, what it reports, and that it ends.

#include "lib/testing.h"

#include "ops/starter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    starter_t starter;
    char folder[64];
    starter_setup_t setup;
} scene_t;

// A program that writes a line and its arguments, then waits for the end of its standard input.
static scene_t set_up(const char *commands) {
    scene_t scene = {.folder = "/tmp/edictd-starter-XXXXXX"};
    assert_non_null(mkdtemp(scene.folder));
    Starter_Open(&scene.starter);
    assert_true(scene.starter.fd >= 0);
    snprintf(scene.setup.program, sizeof scene.setup.program, "%s/bot", scene.folder);
    strlcpy(scene.setup.script, "SCRIPT", sizeof scene.setup.script);
    strlcpy(scene.setup.to, "127.0.0.1:1", sizeof scene.setup.to);
    strlcpy(scene.setup.from, "127.0.0.2", sizeof scene.setup.from);
    strlcpy(scene.setup.password, "secret", sizeof scene.setup.password);
    FILE *file = fopen(scene.setup.program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", commands);
    fclose(file);
    assert_int_equal(chmod(scene.setup.program, 0755), 0);
    return scene;
}

static void tear_down(scene_t *scene) {
    char command[128];
    Starter_Close(&scene->starter);
    assert_int_equal(scene->starter.fd, -1);
    snprintf(command, sizeof command, "rm -r %s", scene->folder);
    assert_int_equal(system(command), 0);
}

static void order(scene_t *scene, starter_what_t what, int32_t index) {
    assert_true(Starter_Send(&scene->starter, &(starter_order_t){.what = what, .index = index}));
}

static starter_report_t next_report(scene_t *scene) {
    starter_report_t report;
    struct pollfd fd = {.fd = scene->starter.fd, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 60000), 1);
    assert_true(Starter_Read(&scene->starter, &report));
    return report;
}

static void test_a_bot_is_started_and_reported(void **state) {
    (void)state;
    scene_t scene = set_up("echo \"$* $EDICT_PASSWORD\"; exit 7");
    assert_true(Starter_Setup(&scene.starter, &scene.setup));
    order(&scene, STARTER_START, 4);
    starter_report_t report = next_report(&scene);
    assert_int_equal(report.index, 4);
    assert_int_equal(report.fault, 0);
    assert_int_equal(WEXITSTATUS(report.status), 7);
    assert_string_equal(report.reason, "-q -t 0 --until-eof -c 127.0.0.1:1 -b 127.0.0.2 -i 5 -S 0 "
                                       "SCRIPT secret");
    tear_down(&scene);
}

static void test_bots_are_ended_and_killed(void **state) {
    (void)state;
    scene_t scene = set_up("cat >/dev/null"); // until the end of its standard input
    assert_true(Starter_Setup(&scene.starter, &scene.setup));
    order(&scene, STARTER_START, 0);
    order(&scene, STARTER_START, 0); // it runs already
    order(&scene, STARTER_START, 63);
    order(&scene, STARTER_KILL, 63);
    starter_report_t report = next_report(&scene);
    assert_int_equal(report.index, 63);
    assert_int_equal(WTERMSIG(report.status), SIGKILL);
    order(&scene, STARTER_END, 0);
    report = next_report(&scene);
    assert_int_equal(report.index, 0);
    assert_int_equal(WTERMSIG(report.status), SIGTERM);
    order(&scene, STARTER_START, 1);
    tear_down(&scene); // ends it
}

static void test_what_is_not_accepted(void **state) {
    (void)state;
    scene_t scene = set_up("exit 1");
    order(&scene, STARTER_START, 0); // before the setup
    assert_true(Starter_Setup(&scene.starter, &scene.setup));
    starter_setup_t other = scene.setup;
    strlcpy(other.program, "/bin/false", sizeof other.program);
    unlink(scene.setup.program);
    assert_true(Starter_Setup(&scene.starter, &other)); // a second setup
    order(&scene, STARTER_START, -1);
    order(&scene, STARTER_START, 64);
    order(&scene, STARTER_END, 5); // there is none
    assert_int_equal(send(scene.starter.fd, "short", 5, 0), 5);
    order(&scene, STARTER_START, 2);
    starter_report_t report = next_report(&scene);
    assert_int_equal(report.index, 2);
    assert_int_equal(report.fault, ENOENT);
    assert_non_null(strstr(report.reason, "/bot: No such file or directory"));
    tear_down(&scene);
}

static void test_a_process_that_has_ended(void **state) {
    (void)state;
    scene_t scene = set_up("exit 1");
    starter_report_t report;
    struct pollfd fd = {.fd = scene.starter.fd, .events = POLLIN};
    kill(scene.starter.pid, SIGKILL);
    assert_int_equal(poll(&fd, 1, 60000), 1);
    assert_false(Starter_Read(&scene.starter, &report));
    assert_int_equal(scene.starter.fd, -1);
    assert_int_equal(waitpid(scene.starter.pid, NULL, 0), scene.starter.pid);
    assert_false(Starter_Setup(&scene.starter, &scene.setup));
    tear_down(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bot_is_started_and_reported),
        cmocka_unit_test(test_bots_are_ended_and_killed),
        cmocka_unit_test(test_what_is_not_accepted),
        cmocka_unit_test(test_a_process_that_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
