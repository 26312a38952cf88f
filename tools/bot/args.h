/// bot/args.h - parses the command line of edict-bot.
//
// Memory:  strings point into argv.

#ifndef EDICTD_BOT_ARGS_H
#define EDICTD_BOT_ARGS_H

#include "base/err.h"
#include "edict/client.h"

#define BOT_MAX_COUNT    512   // clients in one process
#define BOT_MAX_LIMIT_S  86400 // maximum time limit: a day
#define BOT_DEFAULT_PORT 27500
#define BOT_MAX_REMOTE   32 // clients of a load on a server of another machine

typedef struct {
    cl_address_t server;
    cl_address_t local;     ///< the clients' own address; 0: any
    const char *password;   ///< NULL: none
    const char *tokens;     ///< file with a token per client, a line each; NULL = none
    const char *server_key; ///< public key that the server must have; NULL = any
    const char *network;    ///< see cl_net_config_t; NULL = none
    uint32_t seal;
    bool reconnects;
    int32_t count;        ///< 1..BOT_MAX_COUNT
    int32_t first;        ///< index of the first client
    int32_t limit_s;      ///< time limit of the run, s; a bot that still runs then fails; 0 = none;
                          ///< with `load`: the measured time, s, at least 1
    int32_t load;         ///< clients of a load, 0 = run a script
    int32_t join_s;       ///< load: time over which the clients join
    bool burst;           ///< load: all clients send at the same moment of a tick
    int64_t seed;         ///< 0 or more
    const char *download; ///< folder for maps that the server has; NULL = no downloads
    const char *maps;  ///< folders with maps for prediction, separated by ':'; NULL = no prediction
    const char *junit; ///< file that receives the results as JUnit XML; NULL = none
    bool quiet;        ///< prints only failures and the summary
    bool status;       ///< prints a status line to stderr every second
    bool until_eof;    ///< ends when standard input ends
    const char *script;
    const char *control;      ///< control socket or port for bot:console; NULL = none
    char *const *server_args; ///< of a server to start; NULL = `server` runs already
    int32_t num_server_args;
} bot_args_t;

/// Parses the command line. Returns false for a wrong value or a missing argument. Exits after
/// --help, --version and unknown options.
bool Args_Parse(int argc, char *const *argv, bot_args_t *out, err_t *err);

/// Checks that the map folders exist. `folders`: as in bot_args_t.maps. Returns false with the name
/// of the first missing folder.
bool Args_CheckFolders(const char *folders, err_t *err);

#endif
