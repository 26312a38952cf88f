/// bot/args.h - the command line of edict-bot.
//
// Floor:   tools.
// Memory:  texts point into argv.

#ifndef EDICTD_BOT_ARGS_H
#define EDICTD_BOT_ARGS_H

#include "base/err.h"
#include "net/transport.h"

#define BOT_MAX_COUNT    512   // clients in one process: one socket each
#define BOT_MAX_LIMIT_S  86400 // a day
#define BOT_DEFAULT_PORT 27500

#define BOT_USAGE                                                                                  \
    "edict-bot -c HOST:PORT [-n COUNT] [-t SECONDS] [-S SEED] [-m FOLDERS] [-q] [--status] "       \
    "script.lua"

typedef struct {
    netaddr_t server;
    int32_t count;    ///< 1..BOT_MAX_COUNT
    int32_t limit_s;  ///< seconds after which a bot that still runs has failed
    int64_t seed;     ///< 0 or more
    const char *maps; ///< folders with maps to predict on, ':' between; NULL = none
    bool quiet;       ///< only failures and the summary
    bool status;      ///< a live line on the terminal
    bool help;        ///< -h was given; nothing else is checked
    const char *script;
} bot_args_t;

/// Reads the command line. False with the reason: an unknown option, a value out of range, a
/// missing server or script.
bool Args_Parse(int argc, char *const *argv, bot_args_t *out, err_t *err);

/// Looks for the folders of -m (NULL is fine). False with the name of one that is none: bots would
/// play on without predicting.
bool Args_CheckFolders(const char *folders, err_t *err);

#endif
