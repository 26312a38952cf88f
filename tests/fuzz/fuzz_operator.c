// fuzz_operator.c - any bytes from two connections to the control socket.
//
// Input:      pairs of u8 (bit 7: which connection, bit 6: run the socket after it, bit 5: end the
//             sending side, low bits: number of bytes) and that many bytes. A slash becomes _, so
//             that no line names a file outside of the working folder.
// Invariants: every line that comes back is printable and begins with = . ! or >; as many answers
//             end as lines were sent; afterwards, a new connection is greeted and answered.

#include "base/assert.h"
#include "base/str.h"
#include "lib/control_fixture.h"

#include "game/game.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    int fd;
    size_t used;
    int32_t ends; // answers that ended
    int32_t sent; // newlines sent
    char line[CONTROL_ANSWER + 64];
} end_t;

static void check_line(end_t *end) {
    ASSERT(strchr("=.!>e", end->line[0])); // e: the greeting
    end->ends += end->line[0] == '.' || end->line[0] == '!' ? 1 : 0;
    for (size_t i = 0; i < end->used;) {
        size_t length = Str_CharBytes(end->line + i, end->used - i);
        ASSERT(length > 0);
        i += length;
    }
}

static void take(end_t *end) {
    char bytes[16384];
    ssize_t got = 0;
    while ((got = recv(end->fd, bytes, sizeof bytes, 0)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] == '\n') {
                check_line(end);
                end->used = 0;
            } else {
                ASSERT(end->used < sizeof end->line);
                end->line[end->used++] = bytes[i];
            }
        }
    }
}

static void give(end_t *end, const uint8_t *data, size_t size) {
    char bytes[32];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = data[i] == '/' ? '_' : (char)data[i];
    }
    ssize_t sent = send(end->fd, bytes, size, MSG_NOSIGNAL); // fails after the sending side ended
    for (ssize_t i = 0; i < sent; i++) {
        end->sent += bytes[i] == '\n' ? 1 : 0;
    }
}

static void discard(void *context, log_level_t level, const char *line) {
    control_scene_t *at = context;
    at->sink.follow(at->sink.follow_context, level == LOG_EVENT, "line\n", 5);
    (void)line;
}

static void run_gaps(control_scene_t *at, end_t ends[2], int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        control_gap(at);
        take(&ends[0]);
        take(&ends[1]);
    }
}

// Makes a console and its socket once: the folder is left for the next run of the fuzzer.
static void open_once(control_scene_t *at) {
    static game_module_t module;
    static bans_t bans;
    err_t err;
    if (at->control) {
        return;
    }
    at->scene.log = (log_t){discard, at, LOG_DEBUG};
    Console_Init(&at->scene.console, &at->scene.log);
    module = (game_module_t){.game = Game_Export()};
    bans = (bans_t){.path = ""};
    at->scene.console.bans = &bans;
    control_ns = 1000000000;
    snprintf(at->path, sizeof at->path, "/tmp/edictd-fuzz-operator-%d", (int)getpid());
    bool good = Console_SetGame(&at->scene.console, &module, &err) && control_open(at, "", &err);
    ASSERT(good);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static control_scene_t at;
    static end_t ends[2];
    open_once(&at);
    for (int32_t i = 0; i < 2; i++) {
        ends[i] = (end_t){.fd = control_connect_to(at.path)};
        ASSERT(ends[i].fd >= 0);
    }
    run_gaps(&at, ends, 1);
    for (size_t i = 0; i + 1 < size;) {
        uint8_t head = data[i++];
        size_t count = head & 0x1f;
        count = count < size - i ? count : size - i;
        give(&ends[head >> 7], data + i, count);
        i += count;
        if (head & 0x40) {
            run_gaps(&at, ends, 1);
        }
        if (head & 0x20) {
            shutdown(ends[head >> 7].fd, SHUT_WR);
        }
    }
    run_gaps(&at, ends, (int32_t)size / CONTROL_LINES + 4);
    for (int32_t i = 0; i < 2; i++) { // the end of the sending side ends one more line
        ASSERT(ends[i].ends >= ends[i].sent && ends[i].ends <= ends[i].sent + 1);
        close(ends[i].fd);
    }
    control_gap(&at);
    end_t last = {.fd = control_connect_to(at.path)};
    control_gap(&at);
    give(&last, (const uint8_t *)"echo a\n", 7);
    control_gap(&at);
    take(&last);
    ASSERT(last.ends == 1);
    close(last.fd);
    control_gap(&at);
    return 0;
}
