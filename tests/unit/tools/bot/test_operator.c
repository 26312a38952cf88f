// Tests the console of a server that edict-bot started: answers, limits, and servers that fail. A
// shell script stands in for the server.

#include "bot/operator.h"
#include "lib/testing.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READY "echo 'edictd: listening on 0.0.0.0:4000, map x'\n"

static operator_t op;

static bool start(const char *script, netaddr_t *address, err_t *err) {
    char path[] = "/tmp/edictd-operator-XXXXXX";
    char *args[] = {"+map", "x y"};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fprintf(file, "#!/bin/sh\n[ \"$*\" = '-i -p 0 +map x y' ] && [ $# = 5 ] || exit 9\n%s", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    bool good = Operator_Start(&op, path, args, 2, address, err);
    unlink(path);
    return good;
}

// Runs a command to its end. Returns false with the reason.
static bool ask(int32_t bot, const char *command, err_t *err) {
    for (int32_t ms = 0; ms < 20000; ms++) {
        if (Operator_Run(&op, bot, command, err)) {
            return true;
        }
        if (err->text[0] != '\0') {
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("no answer to %s", command);
    return false;
}

static void test_bots_take_turns(void **state) {
    (void)state;
    netaddr_t address;
    err_t err;
    assert_true(start("echo not yet\n" READY "while read word rest; do\n"
                      "[ \"$word\" = much ] && yes 1234567 | head -n 10000\n"
                      "[ \"$word\" = echo ] && echo \"$rest\" || echo \"got $word $rest\"\ndone\n",
                      &address, &err));
    assert_int_equal(address.host, 0x7f000001);
    assert_int_equal(address.port, 4000);
    assert_false(Operator_Run(&op, 2, "first one", &err));
    assert_string_equal(err.text, "");
    assert_false(Operator_Run(&op, 1, "second", &err));
    Operator_Release(&op, 1); // it is the turn of bot 2: no effect
    assert_true(ask(2, "first one", &err));
    assert_string_equal(op.text, "got first one\n");
    assert_false(Operator_Run(&op, 1, "second", &err));
    Operator_Release(&op, 2);
    assert_false(Operator_Run(&op, 2, "much", &err)); // a bot that does not wait
    Operator_Release(&op, 2);
    assert_true(ask(1, "second", &err));
    assert_string_equal(op.text, "got second \n"); // not the answer before
    assert_int_equal(op.lost, 0);
    assert_true(kill(op.pid, SIGKILL) == 0);
    assert_false(Operator_Stop(&op, &err));
    assert_string_equal(err.text, "the server ended with signal 9");
    assert_true(Operator_Stop(&op, &err));
}

static void test_answers_are_bounded(void **state) {
    (void)state;
    netaddr_t address;
    err_t err;
    assert_true(start(READY "read word\nread word\nhead -c 3000 /dev/zero | tr '\\0' x\necho\n"
                            "yes 1234567 | head -n 10000\necho edict-bot-1\nread word\n"
                            "echo 'one more'\nexit 4\n",
                      &address, &err));
    assert_true(ask(1, "much", &err));
    assert_int_equal(strcspn(op.text, "\n"), OPERATOR_LINE - 1);
    assert_true(op.used < sizeof op.text);
    assert_true(op.used > sizeof op.text - 16);
    assert_int_equal(op.lost, 10000 - (op.used - OPERATOR_LINE) / 8);
    Operator_Release(&op, 1);
    assert_false(ask(1, "again", &err));
    assert_string_equal(err.text, "the server has ended");
    assert_false(Operator_Stop(&op, &err));
    assert_string_equal(err.text, "the server ended with exit status 4");
}

static void test_servers_that_do_not_start(void **state) {
    (void)state;
    netaddr_t address;
    err_t err = {""};
    assert_false(start("echo no map\nexit 1\n", &address, &err));
    assert_non_null(strstr(err.text, ": ended before it accepted clients: the server ended with "
                                     "exit status 1"));
    assert_int_equal(op.pid, 0);
    char *args[] = {"x"};
    assert_false(Operator_Start(&op, "/no/such/edictd", args, 1, &address, &err));
    assert_non_null(strstr(err.text, "/no/such/edictd: ended before it accepted clients"));
    assert_int_equal(op.out, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bots_take_turns),
        cmocka_unit_test(test_answers_are_bounded),
        cmocka_unit_test(test_servers_that_do_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
