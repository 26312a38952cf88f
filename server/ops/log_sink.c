#include "ops/log_sink.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMPLAIN_EVERY_MS 10000
#define LINE_BYTES        2304 // a line of 1,023 bytes that JSON doubles, and its frame

typedef struct {
    char text[LINE_BYTES]; ///< with its newline
    size_t used;
} line_t;

static void add(line_t *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Appends text; room for the newline and a NUL is left.
static void add(line_t *line, const char *format, ...) {
    size_t room = sizeof line->text - 1 - line->used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line->text + line->used, room, format, args);
    va_end(args);
    line->used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static int64_t wall_ms(char time_text[32]) {
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(time_text, 32, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(time_text + used, 32 - used, ".%03dZ", (int)(now.tv_nsec / 1000000));
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Returns the length of a value of an event: a JSON string, or all up to a blank.
static size_t value_length(const char *value) {
    size_t length = 1;
    if (value[0] != '"') {
        return strcspn(value, " ");
    }
    while (value[length] != '\0' && value[length] != '"') {
        length += value[length] == '\\' && value[length + 1] != '\0' ? 2 : 1;
    }
    return length + (value[length] == '"' ? 1 : 0);
}

// Appends an event that Log_FormatEvent wrote: "join slot=1" gives "event":"join","fields":{...}.
static void add_event(line_t *line, const char *event) {
    size_t length = strcspn(event, " ");
    const char *comma = "";
    add(line, "\"event\":\"%.*s\",\"fields\":{", (int)length, event);
    for (event += length; *event == ' '; comma = ",") {
        size_t key = strcspn(++event, "=");
        const char *value = event + key + (event[key] == '=' ? 1 : 0);
        length = value_length(value);
        add(line, "%s\"%.*s\":%.*s", comma, (int)key, event, (int)length, value);
        event = value + length;
    }
    add(line, "}");
}

// Makes a whole line. `time_text`: NULL = a text line has no time, but the program's name.
static void compose(line_t *line, bool is_json, const char *time_text, log_level_t level,
                    const char *text) {
    char quoted[LINE_BYTES - 128];
    line->used = 0;
    if (!is_json) {
        add(line, "%s %s: %s", time_text ? time_text : "edictd:", Log_LevelName(level), text);
    } else {
        add(line, "{\"time\":\"%s\",\"level\":\"%s\",", time_text, Log_LevelName(level));
        if (level == LOG_EVENT) {
            add_event(line, text);
        } else {
            Str_Quote(quoted, sizeof quoted, text);
            add(line, "\"event\":\"log\",\"fields\":{\"text\":%s}", quoted);
        }
        add(line, "}");
    }
    line->text[line->used++] = '\n';
}

// Writes each line by one call, so that lines of two processes do not mix.
static bool put_line(int fd, const line_t *line) {
    ssize_t put = write(fd, line->text, line->used);
    if (put >= 0 && (size_t)put < line->used) {
        errno = ENOSPC;
    }
    return put == (ssize_t)line->used;
}

// Writes to standard error. Counts and drops a line that the pipe or terminal has no room for.
static void put_stderr(log_sink_t *sink, const char *time_text, log_level_t level,
                       const char *text) {
    struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
    line_t line;
    time_text = sink->is_json ? time_text : NULL;
    if (poll(&room, 1, 0) != 0 && sink->unread > 0) {
        char lost[128];
        snprintf(lost, sizeof lost,
                 "%llu log lines were not written here, because nothing read standard error",
                 (unsigned long long)sink->unread);
        compose(&line, sink->is_json, time_text, LOG_WARN, lost);
        sink->unread = put_line(STDERR_FILENO, &line) ? 0 : sink->unread;
    }
    if (poll(&room, 1, 0) == 0) {
        sink->unread++;
    } else {
        compose(&line, sink->is_json, time_text, level, text);
        put_line(STDERR_FILENO, &line);
    }
}

static void write_line(void *context, log_level_t level, const char *text) {
    log_sink_t *sink = context;
    char time_text[32];
    line_t line;
    int64_t now_ms = wall_ms(time_text);
    put_stderr(sink, time_text, level, text);
    for (int32_t json = 0; sink->follow && json <= 1; json++) {
        compose(&line, json == 1, time_text, level, text);
        sink->follow(sink->follow_context, json == 1, line.text, line.used);
    }
    if (sink->fd < 0) {
        return;
    }
    compose(&line, sink->is_json, time_text, level, text);
    if (put_line(sink->fd, &line)) {
        return;
    }
    int why = errno;
    sink->lost++;
    if (Log_BurstAllows(&sink->burst, now_ms, COMPLAIN_EVERY_MS)) {
        char lost[512];
        snprintf(lost, sizeof lost, "%s: %s; %llu log lines lost so far, the server continues",
                 sink->path, strerror(why), (unsigned long long)sink->lost);
        put_stderr(sink, time_text, LOG_ERROR, lost);
    }
}

// Returns the reason why a file could not be opened.
static const char *why_not(int number) {
    return number == ELOOP ? "expected a file, found a symbolic link" : strerror(number);
}

bool LogSink_Open(log_sink_t *sink, const char *path, err_t *err) {
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW;
    *sink = (log_sink_t){.fd = -1};
    if (path[0] == '\0') {
        return true;
    }
    snprintf(sink->path, sizeof sink->path, "%s", path);
    sink->fd = open(path, flags | O_EXCL, 0640);
    sink->is_new = sink->fd >= 0;
    if (!sink->is_new && errno == EEXIST) {
        sink->fd = open(path, flags, 0640);
    }
    if (sink->fd < 0) {
        return Err_Set(err, "log_file %s: %s", path, why_not(errno));
    }
    return true;
}

bool LogSink_Check(const char *path, err_t *err) {
    const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
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
                       why_not(errno));
    }
    close(fd);
    return true;
}

void LogSink_GiveTo(const log_sink_t *sink, uid_t uid, gid_t gid) {
    if (sink->is_new && fchown(sink->fd, uid, gid) != 0) {
        return; // the user may own the folder; App_Confine warns otherwise
    }
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
