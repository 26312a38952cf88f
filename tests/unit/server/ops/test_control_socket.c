// The file of the control socket, and who may connect: two user ids, where the test runs as root.

#include "lib/control_fixture.h"

#include "ops/control_local.h"

#include <sys/wait.h>

#define STRANGER 12345 // a user id without a name

static control_scene_t at;

// ---- the file ----

static void test_the_file_belongs_to_one_server(void **state) {
    (void)state;
    struct stat info;
    err_t err = {{0}};
    control_set_up(&at, "");
    control_t *first = at.control;
    assert_int_equal(lstat(at.path, &info), 0);
    assert_int_equal(info.st_mode, S_IFSOCK | 0600);
    assert_false(control_open(&at, "", &err)); // it lives
    assert_has(err.text, "net_control: ");
    assert_has(err.text, "/control: another server uses it; end that server or choose another");
    at.control = first;
    close(control_join(&at));
    assert_int_equal(unlink(at.path), 0); // a second server may take the name then
    assert_true(control_open(&at, "root=watch", &err));
    assert_int_equal(lstat(at.path, &info), 0);
    assert_int_equal(info.st_mode, S_IFSOCK | 0666);
    Control_Destroy(first); // which leaves the file of the second
    assert_int_equal(lstat(at.path, &info), 0);
    Control_Destroy(at.control);
    assert_int_equal(lstat(at.path, &info), -1);
    Control_Destroy(NULL); // is allowed
    tear_down(&at.scene);
}

static void test_a_stale_file_is_replaced(void **state) {
    (void)state;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    err_t err = {{0}};
    control_set_up(&at, "");
    Control_Destroy(at.control);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memcpy(name.sun_path, at.path, strlen(at.path) + 1);
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    close(fd); // as after a crash: the file is left
    assert_true(control_open(&at, "", &err));
    close(control_join(&at));
    Control_Destroy(at.control);
    write_config(&at.scene, "control", "not a socket");
    assert_false(control_open(&at, "", &err));
    assert_has(err.text, "expected a socket or nothing, found another file; remove it");
    assert_int_equal(unlink(at.path), 0);
    assert_int_equal(symlink("/etc/passwd", at.path), 0);
    assert_false(control_open(&at, "", &err));
    assert_has(err.text, "found another file");
    tear_down(&at.scene);
}

static void test_paths(void **state) {
    (void)state;
    control_socket_t made;
    char longest[CVAR_STRING_BYTES], before[256];
    struct stat info;
    err_t err = {{0}};
    control_set_up(&at, "");
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[150] = '\0';
    assert_false(ControlSocket_Open(&made, longest, 1, false, &err));
    assert_has(err.text, ": expected a path of at most 107 bytes, found 150");
    assert_false(ControlSocket_Open(&made, "/no/such/folder/sock", 1, false, &err));
    assert_has(err.text, "net_control: /no/such/folder/sock: No such file");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(at.scene.folder), 0);
    assert_true(ControlSocket_Open(&made, "relative", 1, false, &err));
    assert_int_equal(chdir(before), 0);
    assert_int_equal(lstat(path_of(&at.scene, "relative"), &info), 0);
    ControlSocket_Close(&made); // which finds it from another folder
    assert_int_equal(lstat(path_of(&at.scene, "relative"), &info), -1);
    snprintf(at.path, sizeof at.path, "off");
    control_t *first = at.control;
    assert_true(control_open(&at, "", &err));
    assert_null(at.control);
    Control_Destroy(first);
    tear_down(&at.scene);
}

// Runs a function in a child, as a user without rights.
static void as_stranger(void (*function)(const char *folder), const char *folder) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        bool is_root = geteuid() == 0;
        if (is_root && (chown(folder, STRANGER, STRANGER) != 0 ||
                        setresgid(STRANGER, STRANGER, STRANGER) != 0 ||
                        setresuid(STRANGER, STRANGER, STRANGER) != 0)) {
            _exit(2);
        }
        function(folder);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void check_folders(const char *folder) {
    char own[200], path[200];
    control_socket_t made;
    struct stat info;
    err_t err = {{0}};
    snprintf(own, sizeof own, "%s/edictd", folder);
    snprintf(path, sizeof path, "%s/27500.sock", own);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    assert_true(ControlSocket_Open(&made, "auto", 27500, false, &err));
    assert_string_equal(made.path, path);
    assert_int_equal(lstat(own, &info), 0);
    assert_int_equal(info.st_mode, S_IFDIR | 0700);
    ControlSocket_Close(&made);
    assert_int_equal(chmod(own, 0770), 0);
    assert_false(ControlSocket_Open(&made, "auto", 27500, false, &err));
    assert_has(err.text, "expected a folder that only this user may write, found one that others");
    assert_int_equal(rmdir(own), 0);
    assert_int_equal(symlink(folder, own), 0); // a folder that another user chose
    assert_false(ControlSocket_Open(&made, "auto", 27500, false, &err));
    assert_has(err.text, "found no folder; remove it");
}

static void test_the_folder_of_auto_is_safe(void **state) {
    (void)state;
    set_up(&at.scene);
    as_stranger(check_folders, at.scene.folder);
    tear_down(&at.scene);
}

static void check_foreign_folder(const char *folder) {
    control_socket_t made;
    err_t err = {{0}};
    setenv("XDG_RUNTIME_DIR", folder, 1);
    assert_false(ControlSocket_Open(&made, "auto", 27500, false, &err));
    assert_has(err.text, "found a folder of another user; remove it");
}

static void test_a_folder_of_another_user_is_refused(void **state) {
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    set_up(&at.scene);
    assert_int_equal(mkdir(path_of(&at.scene, "edictd"), 0700), 0); // owned by root
    as_stranger(check_foreign_folder, at.scene.folder);
    tear_down(&at.scene);
}

// Without a place for the socket, "auto" warns, and a fault of ctl_users refuses.
static void check_auto(const char *folder) {
    char own[200];
    err_t err = {{0}};
    setenv("XDG_RUNTIME_DIR", folder, 1);
    snprintf(own, sizeof own, "%s/edictd", folder);
    snprintf(at.path, sizeof at.path, "auto");
    assert_int_equal(symlink("/etc", own), 0);
    assert_true(control_open(&at, "", &err));
    assert_null(at.control);
    assert_has(at.scene.text, "found no folder; remove it; there is no control socket\n");
    assert_false(control_open(&at, "nobody=king", &err));
    assert_int_equal(unlink(own), 0);
    assert_true(control_open(&at, "", &err));
    assert_non_null(at.control);
    Control_Destroy(at.control);
}

static void test_auto_lets_the_server_start(void **state) {
    (void)state;
    control_set_up(&at, "");
    as_stranger(check_auto, at.scene.folder);
    control_tear_down(&at);
}

// ---- users ----

static void test_users_are_parsed(void **state) {
    (void)state;
    control_users_t users;
    err_t err = {{0}};
    char many[CVAR_STRING_BYTES] = "";
    assert_true(ControlUsers_Parse("", &users, &err));
    assert_int_equal(users.count, 0);
    assert_true(ControlUsers_Parse("  root=watch \t 12345=operate nobody=admin ", &users, &err));
    assert_int_equal(users.count, 3);
    assert_int_equal(users.list[0].uid, 0);
    assert_int_equal(users.list[0].role, ROLE_WATCH);
    assert_string_equal(users.list[0].name, "root");
    assert_int_equal(users.list[1].uid, 12345);
    assert_int_equal(users.list[1].role, ROLE_OPERATE);
    assert_string_equal(users.list[2].name, "nobody");
    static const char *const bad[] = {
        "root",     "root=",     "root=king",   "=watch",        "no such=1",
        "-1=watch", "root=none", "root==watch", "no_one_=watch", "4294967295=watch"};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        err.text[0] = '\0';
        assert_false(Control_CheckUsers(bad[i], &err));
        assert_has(err.text, "ctl_users: ");
    }
    assert_false(Control_CheckUsers("no_one_=watch", &err));
    assert_has(err.text, "this machine has no user \"no_one_\"; add it or correct the name");
    for (int32_t i = 0; i < CONTROL_USERS; i++) {
        strlcat(many, "1=watch ", sizeof many);
    }
    assert_true(Control_CheckUsers(many, &err));
    strlcat(many, "1=watch", sizeof many);
    assert_false(Control_CheckUsers(many, &err));
    assert_has(err.text, "expected at most 16 users");
}

// Connects as the user STRANGER. The socket keeps the user id of this moment.
static int join_as(uid_t uid) {
    assert_int_equal(seteuid(uid), 0);
    int fd = control_connect_to(at.path);
    assert_int_equal(seteuid(0), 0);
    return fd;
}

static int join_as_stranger(void) {
    return join_as(STRANGER);
}

static void test_users_without_a_role_are_refused(void **state) {
    (void)state;
    char text[100];
    if (geteuid() != 0) {
        skip();
    }
    control_set_up(&at, "");
    assert_int_equal(chmod(at.scene.folder, 0755), 0);
    assert_int_equal(join_as_stranger(), -1); // mode 0600
    Control_Destroy(at.control);
    assert_true(control_open(&at, "54321=admin", NULL));
    snprintf(text, sizeof text, "uid %d has no role: the operator adds it to ctl_users", STRANGER);
    for (int32_t i = 0; i < 30; i++) {
        int fd = join_as_stranger();
        assert_true(fd >= 0);
        control_write(fd, "quit\n");
        assert_has(control_read(&at, fd), text);
        assert_memory_equal(at.got, "! uid ", 6);
        assert_true(control_is_closed(fd));
        close(fd);
    }
    assert_false(at.scene.console.quit);
    assert_int_equal(at.scene.console.counters.control_refused, 30);
    assert_has(at.scene.text, "warn: control socket: uid 12345 has no role");
    assert_null(strstr(strstr(at.scene.text, "no role") + 1, "no role")); // one line for a burst
    control_tear_down(&at);
}

static void test_users_have_their_roles(void **state) {
    (void)state;
    int fds[CONTROL_PEERS];
    if (geteuid() != 0) {
        skip();
    }
    control_set_up(&at, "");
    Control_Destroy(at.control);
    assert_int_equal(chmod(at.scene.folder, 0755), 0);
    assert_true(control_open(&at, "nobody=admin 12345=operate 12346=watch 12347=watch", NULL));
    for (int32_t i = 0; i < CONTROL_GUESTS; i++) {
        fds[i] = join_as(i < CONTROL_OWN ? STRANGER : STRANGER + 1);
        assert_has(control_read(&at, fds[i]), i < CONTROL_OWN ? " operate\n" : " 27500 watch\n");
        if (i == CONTROL_OWN - 1) { // the rest is for others
            int more = join_as_stranger();
            assert_has(control_read(&at, more), "! 12345: 6 of your connections are open");
            close(more);
        }
    }
    int fd = join_as(STRANGER + 2); // the rest is for admins
    assert_has(control_read(&at, fd), "! 12347: 12 connections are open, the maximum");
    close(fd);
    fd = control_join(&at);
    assert_string_equal(control_ask(&at, fds[0], "bots 3"), ".\n");
    assert_has(at.scene.text, "audit user=\"12345\" uid=12345 role=\"operate\" via=\"socket\"");
    assert_has(control_ask(&at, fds[0], "quit"), "! quit: needs the role admin");
    assert_has(control_ask(&at, fds[0], "role admin"), "! role: expected");
    close(fd);
    for (int32_t i = 0; i < CONTROL_GUESTS; i++) {
        close(fds[i]);
    }
    control_tear_down(&at);
}

// A former server with the new user's rights may replace the socket before it is given away.
static void test_only_the_socket_is_given_away(void **state) {
    (void)state;
    struct stat info;
    char other[200];
    if (geteuid() != 0) {
        skip();
    }
    control_set_up(&at, "");
    Control_GiveTo(at.control, STRANGER, STRANGER);
    assert_int_equal(stat(at.path, &info), 0);
    assert_int_equal(info.st_uid, STRANGER);
    snprintf(other, sizeof other, "%s/other", at.scene.folder);
    int fd = open(other, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(rename(other, at.path), 0);
    Control_GiveTo(at.control, STRANGER, STRANGER);
    assert_int_equal(stat(at.path, &info), 0);
    assert_int_equal(info.st_uid, 0);
    assert_has(at.scene.text, "cannot be given to the user");
    assert_int_equal(unlink(at.path), 0);
    control_tear_down(&at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_file_belongs_to_one_server),
        cmocka_unit_test(test_a_stale_file_is_replaced),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_the_folder_of_auto_is_safe),
        cmocka_unit_test(test_a_folder_of_another_user_is_refused),
        cmocka_unit_test(test_auto_lets_the_server_start),
        cmocka_unit_test(test_users_are_parsed),
        cmocka_unit_test(test_users_without_a_role_are_refused),
        cmocka_unit_test(test_users_have_their_roles),
        cmocka_unit_test(test_only_the_socket_is_given_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
