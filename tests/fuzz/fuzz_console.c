// fuzz_console.c - any bytes as lines of the console or as a config file, with and without a
// server.
//
// Input:      u8 flags (1: a server runs, 2: as a file, 4: which is read again), then the text. A
//             slash becomes _, so that no line names a file outside of the working folder.
// Invariants: a refusal has a reason; every answer and log line is printable; cvars stay within
//             their ranges; the server still runs a tick.

#include "base/assert.h"
#include "base/str.h"
#include "game/game.h"
#include "lib/feed_fixture.h"
#include "ops/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_LINES 100

static void check_line(void *context, log_level_t level, const char *line) {
    size_t left = strlen(line);
    (void)context;
    ASSERT(level <= LOG_DEBUG && left < 2048);
    for (const char *at = line; left > 0;) {
        size_t length = Str_CharBytes(at, left);
        ASSERT(length > 0 && length <= left && (uint8_t)at[0] >= 0x20 && (uint8_t)at[0] != 0x7f);
        at += length;
        left -= length;
    }
}

static void check_values(const cvar_def_t *defs, int32_t count, const void *values) {
    char text[CVAR_STRING_BYTES];
    err_t err;
    for (int32_t i = 0; i < count; i++) {
        Cvar_Format(&defs[i], values, text, sizeof text);
        bool good = Cvar_Check(&defs[i], text, &err);
        ASSERT(good);
    }
}

static void check_cvars(const console_t *console) {
    int32_t count = 0;
    const cvar_def_t *defs = HostCvars_Defs(&count);
    check_values(defs, count, &console->host);
    defs = GameCvars_Defs(&count);
    check_values(defs, count, console->server ? Server_Cvars(console->server) : &console->game);
    const game_cvar_table_t *own = &Game_Export()->cvars;
    check_values(own->list, own->count,
                 console->server ? Server_GameValues(console->server) : console->game_values);
}

static void run_lines(console_t *console, char *text) {
    err_t err;
    for (int32_t i = 0; i < MAX_LINES && text; i++) {
        char *line = strsep(&text, "\n");
        err.text[0] = '\0';
        if (!Console_Line(console, line, &err)) {
            ASSERT(err.text[0] != '\0');
            Console_Error(console, &err);
        }
    }
}

static void run_file(console_t *console, const char *text, size_t size, bool again) {
    char path[64];
    err_t err = {""};
    int fd = memfd_create("config", MFD_CLOEXEC);
    ASSERT(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!(again ? Console_Reload(console, path, &err) : Console_Exec(console, path, &err))) {
        ASSERT(err.text[0] != '\0');
    }
    close(fd);
}

// Two players whom lines may kick, mute and ban.
static void join(test_feed_t *feed) {
    uint8_t bytes[MAX_MESSAGE_BYTES];
    for (int32_t peer = 0; peer < 2; peer++) {
        control_msg_t hello = {.type = CTL_HELLO};
        control_msg_t ready = {.type = CTL_READY};
        hello.u.hello.version = PROTO_VERSION;
        snprintf(hello.u.hello.name, sizeof hello.u.hello.name, "p%d", peer);
        TestFeed_Connect(feed, peer);
        TestFeed_Message(feed, peer, NET_CHANNEL_CONTROL, bytes, CTL_Write(&hello, bytes));
        ready.u.ready.epoch = feed->epoch;
        TestFeed_Message(feed, peer, NET_CHANNEL_CONTROL, bytes, CTL_Write(&ready, bytes));
    }
    TestFeed_Tick(feed, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static console_t console;
    static bans_t bans;
    static game_module_t module;
    static tick_stats_t ticks;
    test_feed_t feed = {.server = NULL};
    const log_t log = {check_line, NULL, LOG_DEBUG};
    err_t err;
    if (size < 1) {
        return 0;
    }
    uint8_t flags = data[0];
    char *text = malloc(size); // of exact size, with its NUL
    ASSERT(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == '/' ? '_' : text[i];
    }
    bans = (bans_t){.path = "", .now_s = 1000000000};
    module = (game_module_t){.game = Game_Export()};
    Console_Init(&console, &log);
    console.bans = &bans;
    console.ticks = &ticks;
    bool good = Console_SetGame(&console, &module, &err);
    ASSERT(good);
    if (flags & 1) {
        TestFeed_Init(&feed);
        join(&feed);
        console.server = feed.server;
    }
    if (flags & 2) {
        run_file(&console, text, size - 1, flags & 4);
    } else {
        run_lines(&console, text);
    }
    check_cvars(&console);
    if (console.server) {
        TestFeed_Tick(&feed, 2);
        TestFeed_Free(&feed);
    }
    Bans_Free(&bans);
    free(text);
    return 0;
}
