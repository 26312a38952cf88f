/// control_fixture.h - a console with a control socket in a folder of its own, and its clients.

#ifndef EDICTD_TESTS_CONTROL_FIXTURE_H
#define EDICTD_TESTS_CONTROL_FIXTURE_H

#include "lib/console_fixture.h"

#include "ops/control.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

typedef struct {
    scene_t scene;
    log_sink_t sink;
    control_t *control;
    char path[128];
    char got[CONTROL_ANSWER + 64 * 1024]; ///< what the last control_read returned
} control_scene_t;

// The clock of the control socket: each reading costs `control_cost_ns`.
static int64_t control_ns, control_cost_ns;

static inline int64_t control_clock(void) {
    control_ns += control_cost_ns;
    return control_ns;
}

static inline bool control_open(control_scene_t *at, const char *users, err_t *err) {
    return Control_Create(&(control_config_t){.path = at->path,
                                              .port = 27500,
                                              .users = users,
                                              .console = &at->scene.console,
                                              .sink = &at->sink,
                                              .log = &at->scene.log,
                                              .now_ns = control_clock},
                          &at->control, err);
}

static inline void control_set_up(control_scene_t *at, const char *users) {
    err_t err = {{0}};
    set_up(&at->scene);
    control_ns = 1000000000;
    control_cost_ns = 0;
    memset(&at->sink, 0, sizeof at->sink);
    snprintf(at->path, sizeof at->path, "%s/control", at->scene.folder);
    if (!control_open(at, users, &err)) {
        fail_msg("%s", err.text);
    }
}

static inline void control_tear_down(control_scene_t *at) {
    Control_Destroy(at->control);
    tear_down(&at->scene);
}

static inline int control_connect_to(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&name, sizeof name) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

// Runs the socket as the loop would between two ticks.
static inline void control_gap(control_scene_t *at) {
    control_ns += CONTROL_REFILL_NS;
    Control_Run(at->control, INT64_MAX);
}

// Returns what a client received. Runs the socket while more comes.
static inline const char *control_read(control_scene_t *at, int fd) {
    size_t used = 0;
    int32_t quiet = 0;
    while (quiet < 3) {
        control_gap(at);
        ssize_t size = recv(fd, at->got + used, sizeof at->got - 1 - used, 0);
        quiet = size > 0 ? 0 : quiet + 1;
        used += size > 0 ? (size_t)size : 0;
    }
    at->got[used] = '\0';
    return at->got;
}

static inline void control_write(int fd, const char *text) {
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

// Sends a line and returns the answer.
static inline const char *control_ask(control_scene_t *at, int fd, const char *line) {
    control_write(fd, line);
    control_write(fd, "\n");
    return control_read(at, fd);
}

// Connects and skips the greeting.
static inline int control_join(control_scene_t *at) {
    int fd = control_connect_to(at->path);
    assert_true(fd >= 0);
    assert_non_null(strstr(control_read(at, fd), " 27500 admin\n"));
    return fd;
}

// Returns true if the server has closed the connection.
static inline bool control_is_closed(int fd) {
    char byte = 0;
    ssize_t got = 1;
    while (got > 0) {
        got = recv(fd, &byte, 1, 0);
    }
    return got == 0 || errno == ECONNRESET;
}

#endif
