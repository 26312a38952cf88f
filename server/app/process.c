#include "app/process.h"

#include <errno.h>
#include <fcntl.h>
#include <libutil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

void Process_KeepTitle(process_t *process, int argc, char **argv) {
    process->shown = argv[0];
    process->shown_bytes = strlen(argv[0]);
    setproctitle_init(argc, argv, environ);
}

// Waits until the child has written a byte or has ended, then exits.
static _Noreturn void wait_for_child(pid_t child, int fd) {
    char byte = 0;
    int status = 0;
    ssize_t got = 0;
    do {
        got = read(fd, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1) {
        _exit(0);
    }
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
}

static bool go_background(process_t *process, err_t *err) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return Err_Set(err, "-b: no pipe: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child < 0) {
        return Err_Set(err, "-b: no second process: %s", strerror(errno));
    }
    close(ends[child == 0 ? 0 : 1]);
    if (child > 0) {
        wait_for_child(child, ends[0]);
    }
    process->parent_fd = ends[1];
    return true;
}

static bool open_pidfile(process_t *process, const char *path, err_t *err) {
    pid_t other = 0;
    process->pidfile = pidfile_open(path, 0644, &other);
    if (process->pidfile && pidfile_write(process->pidfile) == 0) {
        return true;
    }
    if (errno == EEXIST) {
        return Err_Set(err,
                       "--pidfile %.200s: the server with pid %d has this file; end it, or name "
                       "another file",
                       path, (int)other);
    }
    return Err_Set(err,
                   "--pidfile %.200s: %s; choose a file in an existing folder that edictd may "
                   "write",
                   path, strerror(errno));
}

// Connects to the socket of a service manager (sd_notify(3)).
static int open_notify(void) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = -1;
    size_t length = path ? strlen(path) : 0;
    if (length > 1 && length < sizeof name.sun_path) {
        memcpy(name.sun_path, path, length);
        name.sun_path[0] = path[0] == '@' ? '\0' : path[0];
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && connect(fd, (const struct sockaddr *)&name,
                               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) != 0) {
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

bool Process_Begin(process_t *process, const options_t *options, err_t *err) {
    bool serves = !options->check_only && !options->print_fgd;
    process->parent_fd = process->notify_fd = -1;
    closefrom(STDERR_FILENO + 1);
    do { // fills closed standard streams: otherwise a socket would take the place of one
        process->null_fd = open("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);
    } while (process->null_fd >= 0 && process->null_fd <= STDERR_FILENO);
    if (process->null_fd < 0) {
        return Err_Set(err, "/dev/null: %s", strerror(errno));
    }
    if (serves && options->background && !go_background(process, err)) {
        return false;
    }
    if (serves && options->pidfile && !open_pidfile(process, options->pidfile, err)) {
        return false;
    }
    process->notify_fd = serves ? open_notify() : -1;
    return true;
}

static void notify(const process_t *process, const char *text) {
    if (process->notify_fd >= 0 && write(process->notify_fd, text, strlen(text)) < 0) {
        return; // the socket is full; the next title replaces this one
    }
}

void Process_Ready(process_t *process) {
    notify(process, "READY=1");
    if (process->parent_fd < 0) {
        return;
    }
    setsid();
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        dup2(process->null_fd, fd);
    }
    if (write(process->parent_fd, "+", 1) == 1) {
        close(process->parent_fd);
        process->parent_fd = -1;
    }
}

void Process_SetTitle(process_t *process, const char *title) {
    if (strcmp(process->title, title) == 0) {
        return;
    }
    strlcpy(process->title, title, sizeof process->title);
    setproctitle("%s", title);
    if (strlen(process->shown) < process->shown_bytes) {
        process->shown[process->shown_bytes] = '\0'; // libbsd marks a short title by a full stop
    }
    char status[sizeof process->title + 8];
    snprintf(status, sizeof status, "STATUS=%s", title);
    notify(process, status);
}

void Process_End(process_t *process) {
    if (process->pidfile && ftruncate(pidfile_fileno(process->pidfile), 0) == 0) {
        pidfile_remove(process->pidfile); // in a folder of another user, the empty file stays
    }
}
