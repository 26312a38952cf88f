/// bot/args.h - the command line of edict-bot.
//
// Memory:  strings point into argv.

#ifndef EDICTD_BOT_ARGS_H
#define EDICTD_BOT_ARGS_H

#include "base/err.h"
#include "net/transport.h"

#define BOT_MAX_COUNT    512   // clients in one process: one socket each
#define BOT_MAX_LIMIT_S  86400 // a day
#define BOT_DEFAULT_PORT 27500

typedef struct {
    netaddr_t server;
    int32_t count;     ///< 1..BOT_MAX_COUNT
    int32_t limit_s;   ///< a bot that still runs after this time has failed
    int64_t seed;      ///< 0 or more
    const char *maps;  ///< folders with maps for prediction, separated by ':'; NULL = none
    const char *junit; ///< file for the results as JUnit XML; NULL = none
    bool quiet;        ///< only failures and the summary
    bool status;       ///< a status line on stderr
    const char *script;
} bot_args_t;

/// Reads the command line. False with the reason for a value out of range, or a missing server or
/// script. Exits after --help, --version and options that do not exist.
bool Args_Parse(int argc, char *const *argv, bot_args_t *out, err_t *err);

/// Checks that the folders of -m exist (NULL passes). False with the name of the first that does
/// not, because bots would run without prediction.
bool Args_CheckFolders(const char *folders, err_t *err);

#endif
