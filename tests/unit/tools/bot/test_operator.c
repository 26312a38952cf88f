// Tests commands to a control socket, where a thread answers, and servers that fail. A shell script
// stands in for the server.

#include "bot/operator.h"
#include "lib/testing.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define READY "echo 'edictd: listening on 0.0.0.0:4000, map x'\n"

static operator_t op;

static bool start(const char *script, cl_address_t *address, err_t *err) {
    char path[] = "/tmp/edictd-operator-XXXXXX";
    char *args[] = {"+map", "x y"};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fprintf(file, "#!/bin/sh\n[ \"$*\" = '-p 0 +map x y' ] && [ $# = 4 ] || exit 9\n%s", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    bool good = Operator_Start(&op, path, args, 2, address, err);
    unlink(path);
    return good;
}

typedef struct {
    int listener;
    struct sockaddr_un address;
    pthread_t thread;
} fake_t;

// Answers one connection until the command "end".
static void *serve(void *context) {
    fake_t *fake = context;
    char line[1100];
    int fd = accept(fake->listener, NULL, NULL);
    FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
    fprintf(out, "edictd 0.0.0 4000 admin\n");
    while (fflush(out) == 0 && fgets(line, sizeof line, in) && strcmp(line, "end\n") != 0) {
        for (int32_t i = 0; strcmp(line, "much\n") == 0 && i < 10000; i++) {
            fprintf(out, "= 1234567\n");
        }
        if (strcmp(line, "bad\n") == 0) {
            fprintf(out, "= first\n! unknown\n");
        } else {
            fprintf(out, "> log\n\n= got %s=\n.\n", line);
        }
    }
    fclose(in);
    fclose(out);
    return NULL;
}

static void fake_start(fake_t *fake) {
    char folder[] = "/tmp/edictd-operator-XXXXXX";
    err_t err = {""};
    assert_non_null(mkdtemp(folder));
    fake->address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(fake->address.sun_path, sizeof fake->address.sun_path, "%s/x", folder);
    fake->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fake->listener, (struct sockaddr *)&fake->address, sizeof fake->address),
                     0);
    assert_int_equal(listen(fake->listener, 1), 0);
    assert_int_equal(pthread_create(&fake->thread, NULL, serve, fake), 0);
    if (!Operator_Connect(&op, fake->address.sun_path, &err)) {
        fail_msg("%s", err.text);
    }
    unlink(fake->address.sun_path);
    rmdir(folder);
}

static void fake_stop(fake_t *fake) {
    err_t err = {""};
    assert_true(Operator_Stop(&op, &err));
    assert_int_equal(pthread_join(fake->thread, NULL), 0);
    close(fake->listener);
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
    fake_t fake;
    err_t err;
    fake_start(&fake);
    assert_false(Operator_Run(&op, 2, "first one", &err));
    assert_string_equal(err.text, "");
    assert_false(Operator_Run(&op, 1, "second", &err));
    Operator_Release(&op, 1); // it is the turn of bot 2: no effect
    assert_true(ask(2, "first one", &err));
    assert_string_equal(op.text, "got first one\n\n");
    assert_false(Operator_Run(&op, 1, "second", &err));
    Operator_Release(&op, 2);
    assert_true(ask(2, "bad", &err));
    assert_string_equal(op.text, "first\nerror: unknown\n");
    Operator_Release(&op, 2);
    assert_false(Operator_Run(&op, 2, "much", &err)); // a bot that does not wait
    Operator_Release(&op, 2);
    assert_false(Operator_Run(&op, 2, "bad", &err));
    Operator_Release(&op, 2);
    assert_true(ask(1, "second", &err));
    assert_string_equal(op.text, "got second\n\n"); // not the answers before
    assert_int_equal(op.lost, 0);
    fake_stop(&fake);
}

static void test_answers_are_bounded(void **state) {
    (void)state;
    fake_t fake;
    err_t err;
    fake_start(&fake);
    assert_true(ask(1, "much", &err));
    assert_true(op.used < sizeof op.text);
    assert_true(op.used > sizeof op.text - 16);
    assert_int_equal(op.lost, 10001 - op.used / 8); // the last line, an empty one, fits
    Operator_Release(&op, 1);
    assert_false(ask(1, "end", &err));
    assert_string_equal(err.text, "the server has ended");
    Operator_Release(&op, 1);
    assert_false(ask(1, "again", &err));
    assert_string_equal(err.text, "the server has ended");
    fake_stop(&fake);
}

static void test_servers_without_a_socket(void **state) {
    (void)state;
    cl_address_t address;
    err_t err = {""};
    assert_true(
        start("echo not yet\n" READY "yes 1234567 | head -n 100000\nexit 4\n", &address, &err));
    assert_int_equal(address.host, 0x7f000001);
    assert_int_equal(address.port, 4000);
    assert_false(ask(1, "status", &err));
    assert_non_null(strstr(err.text, "/4000.sock"));
    assert_false(Operator_Stop(&op, &err));
    assert_true(start(READY "kill -9 $$\n", &address, &err));
    assert_false(Operator_Stop(&op, &err));
    assert_true(Operator_Stop(&op, &err));
    assert_false(Operator_Connect(&op, "/no/such/socket", &err));
    assert_string_equal(err.text,
                        "/no/such/socket: No such file or directory; no server listens there");
}

static void test_servers_that_do_not_start(void **state) {
    (void)state;
    cl_address_t address;
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
        cmocka_unit_test(test_servers_without_a_socket),
        cmocka_unit_test(test_servers_that_do_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
