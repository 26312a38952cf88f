#include "ctl/link.h"

#include "base/version.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void Link_Close(link_t *link) {
    if (link->fd >= 0) {
        close(link->fd);
    }
    link->fd = -1;
}

link_read_t Link_Read(link_t *link, char **line) {
    for (;;) {
        char *start = link->bytes + link->start;
        char *newline = memchr(start, '\n', link->end - link->start);
        if (newline) {
            *newline = '\0';
            *line = start;
            link->start += (size_t)(newline - start) + 1;
            return LINK_LINE;
        }
        memmove(link->bytes, start, link->end - link->start);
        link->end -= link->start;
        link->start = 0;
        ssize_t got = link->end < sizeof link->bytes && link->fd >= 0
                          ? recv(link->fd, link->bytes + link->end, sizeof link->bytes - link->end,
                                 MSG_DONTWAIT)
                          : 0;
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return LINK_NONE;
        }
        if (got <= 0) {
            return LINK_OVER;
        }
        link->end += (size_t)got;
    }
}

bool Link_Send(link_t *link, const char *command, err_t *err) {
    char line[LINK_COMMAND_MAX + 2];
    size_t length = strlen(command);
    if (length > LINK_COMMAND_MAX || strchr(command, '\n')) {
        return Err_Set(err, "expected a command of one line and at most %d bytes, found %zu bytes",
                       LINK_COMMAND_MAX, length);
    }
    snprintf(line, sizeof line, "%s\n", command);
    if (send(link->fd, line, length + 1, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)length + 1) {
        return true;
    }
    return Err_Set(err, "%s: the server %s", link->path,
                   errno == EAGAIN ? "reads no commands; it may be stopped" : "has ended");
}

// Waits for a line. Returns NULL with the reason.
static char *wait_line(link_t *link, err_t *err) {
    char *line = NULL;
    link_read_t got = LINK_NONE;
    while ((got = Link_Read(link, &line)) == LINK_NONE) {
        struct pollfd fd = {.fd = link->fd, .events = POLLIN};
        if (poll(&fd, 1, LINK_GREETING_MS) == 0) {
            Err_Set(err, "%s: the server sent nothing for %d s; it may be stopped", link->path,
                    LINK_GREETING_MS / 1000);
            return NULL;
        }
    }
    if (got == LINK_OVER) {
        Err_Set(err, "%s: the server closed the connection", link->path);
        return NULL;
    }
    return line;
}

// Reads the greeting, then lowers the rights.
static bool greet(link_t *link, const char *role, err_t *err) {
    char command[64];
    const char *line = wait_line(link, err);
    if (!line) {
        return false;
    }
    if (line[0] == '!') {
        return Err_Set(err, "%s: %s", link->path, line + strspn(line, "! "));
    }
    if (sscanf(line, "edictd %*31s %d %15[a-z]", &link->port, link->role) != 2) {
        return Err_Set(err,
                       "%s: expected \"edictd VERSION PORT ROLE\", found \"%.100s\": this is not "
                       "the control socket of an edictd " EDICTD_VERSION,
                       link->path, line);
    }
    if (!role) {
        return true;
    }
    snprintf(command, sizeof command, "role %s", role);
    line = Link_Send(link, command, err) ? wait_line(link, err) : NULL;
    snprintf(link->role, sizeof link->role, "%s", role);
    return line && (line[0] != '!' || Err_Set(err, "-r: %s", line + strspn(line, "! ")));
}

link_open_t Link_Open(link_t *link, const char *path, const char *role, err_t *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    link->fd = -1;
    link->start = link->end = 0;
    if (strlen(path) >= sizeof address.sun_path) {
        Err_Set(err, "%.120s...: expected a path of at most %zu bytes", path,
                sizeof address.sun_path - 1);
        return LINK_REFUSED;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    snprintf(link->path, sizeof link->path, "%s", path);
    link->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->fd < 0 || connect(link->fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int why = errno;
        Link_Close(link);
        bool is_denied = why == EACCES || why == EPERM;
        Err_Set(err, "%s: %s; %s", path, strerror(why),
                is_denied ? "try it as root or as the server's user, or get a role by ctl_users"
                          : "no server listens there");
        return is_denied ? LINK_REFUSED : LINK_ABSENT;
    }
    if (!greet(link, role, err)) {
        Link_Close(link);
        return LINK_REFUSED;
    }
    return LINK_OPEN;
}
