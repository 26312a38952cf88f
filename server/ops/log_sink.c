#include "ops/log_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define COMPLAIN_EVERY_MS 10000

static int64_t wall_ms(struct timespec *now) {
    clock_gettime(CLOCK_REALTIME, now);
    return (int64_t)now->tv_sec * 1000 + now->tv_nsec / 1000000;
}

// Writes each line by one call, so that lines of two processes do not mix.
static bool put_line(int fd, const char *head, const char *line) {
    char text[1200];
    int length = snprintf(text, sizeof text, "%s%s\n", head, line);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    ssize_t put = write(fd, text, size);
    if (put >= 0 && (size_t)put < size) {
        errno = ENOSPC;
    }
    return put == (ssize_t)size;
}

// Writes to standard error. Counts and drops a line that the pipe or terminal has no room for.
static void put_stderr(log_sink_t *sink, const char *head, const char *line) {
    struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&room, 1, 0) != 0 && sink->unread > 0) {
        char text[128];
        snprintf(text, sizeof text,
                 "%llu log lines were not written here, because nothing read standard error",
                 (unsigned long long)sink->unread);
        sink->unread = put_line(STDERR_FILENO, "edictd: warn: ", text) ? 0 : sink->unread;
    }
    if (poll(&room, 1, 0) == 0) {
        sink->unread++;
    } else {
        put_line(STDERR_FILENO, head, line);
    }
}

static void write_line(void *context, log_level_t level, const char *line) {
    log_sink_t *sink = context;
    struct timespec now;
    struct tm utc;
    char head[64];
    int64_t now_ms = wall_ms(&now);
    snprintf(head, sizeof head, "edictd: %s: ", Log_LevelName(level));
    put_stderr(sink, head, line);
    if (sink->fd < 0) {
        return;
    }
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(head, sizeof head, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(head + used, sizeof head - used, ".%03dZ %s: ", (int)(now_ms % 1000),
             Log_LevelName(level));
    if (put_line(sink->fd, head, line)) {
        return;
    }
    int why = errno;
    sink->lost++;
    if (Log_BurstAllows(&sink->burst, now_ms, COMPLAIN_EVERY_MS)) {
        char text[512];
        snprintf(text, sizeof text, "%s: %s; %llu log lines lost so far, the server continues",
                 sink->path, strerror(why), (unsigned long long)sink->lost);
        put_stderr(sink, "edictd: error: ", text);
    }
}

bool LogSink_Open(log_sink_t *sink, const char *path, err_t *err) {
    *sink = (log_sink_t){.fd = -1};
    if (path[0] == '\0') {
        return true;
    }
    snprintf(sink->path, sizeof sink->path, "%s", path);
    sink->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
    if (sink->fd < 0) {
        return Err_Set(err, "log_file %s: %s", path, strerror(errno));
    }
    return true;
}

bool LogSink_Check(const char *path, err_t *err) {
    const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    if (path[0] == '\0') {
        return true;
    }
    int fd = open(path, flags);
    if (fd < 0 && errno == ENOENT) { // only creating the file shows that it can be written
        fd = open(path, flags | O_CREAT | O_EXCL, 0640);
        if (fd >= 0) {
            unlink(path);
        }
    }
    if (fd < 0) {
        return Err_Set(err, "log_file %s: %s; choose a file that edictd may write", path,
                       strerror(errno));
    }
    close(fd);
    return true;
}

bool LogSink_Reopen(log_sink_t *sink, err_t *err) {
    log_sink_t next;
    if (sink->path[0] == '\0') {
        return true;
    }
    if (!LogSink_Open(&next, sink->path, err)) {
        return false;
    }
    if (sink->fd >= 0) {
        close(sink->fd);
    }
    sink->fd = next.fd;
    return true;
}

log_t LogSink_Log(log_sink_t *sink, log_level_t level) {
    return (log_t){.write = write_line, .context = sink, .level = level};
}

void LogSink_Close(log_sink_t *sink) {
    if (sink->fd >= 0) {
        close(sink->fd);
        sink->fd = -1;
    }
}
