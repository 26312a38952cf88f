// Tests of ControlPath: folders and names of control sockets.

#include "lib/testing.h"

#include "base/control_path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_root_has_its_folder_in_run(void **state) {
    (void)state;
    char folder[CONTROL_PATH_BYTES];
    if (geteuid() != 0) {
        skip();
    }
    assert_true(ControlPath_Folder(0, folder));
    assert_string_equal(folder, "/run/edictd");
    assert_false(ControlPath_Folder(1, folder));
}

// Checks the folders of a user without rights; as root in a child that becomes one.
static void check_user(void) {
    char folder[CONTROL_PATH_BYTES], expected[64], longest[200];
    setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
    assert_true(ControlPath_Folder(0, folder));
    assert_string_equal(folder, "/run/user/7/edictd");
    snprintf(expected, sizeof expected, "/tmp/edictd-%u", (unsigned)geteuid());
    assert_true(ControlPath_Folder(1, folder)); // of a server that was started without the variable
    assert_string_equal(folder, expected);
    assert_true(ControlPath_Folder(2, folder));
    assert_string_equal(folder, "/run/edictd");
    assert_false(ControlPath_Folder(3, folder));
    setenv("XDG_RUNTIME_DIR", "relative", 1);
    assert_true(ControlPath_Folder(0, folder));
    assert_string_equal(folder, expected);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    longest[0] = '/';
    setenv("XDG_RUNTIME_DIR", longest, 1); // a socket's path would not fit
    assert_true(ControlPath_Folder(0, folder));
    assert_string_equal(folder, expected);
    unsetenv("XDG_RUNTIME_DIR");
    assert_true(ControlPath_Folder(0, folder));
    assert_string_equal(folder, expected);
    assert_true(ControlPath_Folder(1, folder));
    assert_string_equal(folder, "/run/edictd");
    assert_false(ControlPath_Folder(2, folder));
}

static void test_users_have_theirs(void **state) {
    (void)state;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setresuid(12345, 12345, 12345) != 0) {
            _exit(2);
        }
        check_user();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_sockets_are_named_by_their_port(void **state) {
    (void)state;
    char path[CONTROL_PATH_BYTES], folder[CONTROL_PATH_BYTES];
    assert_true(ControlPath_Socket("/run/edictd", 65535, path));
    assert_string_equal(path, "/run/edictd/65535.sock");
    memset(folder, 'x', sizeof folder - 1);
    folder[sizeof folder - 1] = '\0';
    assert_false(ControlPath_Socket(folder, 1, path));
    assert_int_equal(ControlPath_Port("27500.sock"), 27500);
    static const char *const others[] = {"",           ".sock",      "0.sock", "65536.sock",
                                         "27500.lock", "27500sock",  "27500",  "27500.sock2",
                                         "-1.sock",    "x500.sock",  ".",      "..",
                                         "a.27500.so", "123456.sock"};
    for (size_t i = 0; i < COUNTOF(others); i++) {
        assert_int_equal(ControlPath_Port(others[i]), -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_has_its_folder_in_run),
        cmocka_unit_test(test_users_have_theirs),
        cmocka_unit_test(test_sockets_are_named_by_their_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
