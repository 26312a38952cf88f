/// ops/starter.h - a small process that starts edict-bot for a server in its sandbox.
//
// The server forks it first of all, so that it has no socket, map or key in its memory. It receives
// one starter_setup_t before the server enters its sandbox. Later, the server can choose only how
// many bots play, and which folders they read maps from.
// Memory:  fixed.
// Life:    ends its bots and itself when the server's end of the socket closes, however the server
//          ends.

#ifndef EDICTD_OPS_STARTER_H
#define EDICTD_OPS_STARTER_H

#include "base/cvar.h"
#include "base/limits.h"
#include "ops/run_user.h"

#define BOT_LINE_BYTES 256
#define BOTS_GRACE_MS  3000 // for a bot to leave the server; then it is killed
#define BOTS_KEY_BYTES 16

typedef struct {
    int fd; ///< socket to the process; -1 = there is none
    pid_t pid;
} starter_t;

/// The settings that all bots share.
typedef struct {
    run_user_t user;
    char program[MAX_PATH_BYTES], script[MAX_PATH_BYTES];
    char to[32], from[32]; ///< addresses of the server and of the bots
    char password[2 * BOTS_KEY_BYTES + 1];
} starter_setup_t;

typedef enum { STARTER_START, STARTER_END, STARTER_KILL } starter_what_t;

typedef struct {
    starter_what_t what;
    int32_t index; ///< 0 to MAX_BOTS - 1
    int32_t seed;
    char folders[CVAR_STRING_BYTES]; ///< folders with maps; "" = the bot's default
} starter_order_t;

/// A bot that has ended, or could not be started.
typedef struct {
    int32_t index;
    int32_t fault;               ///< errno of the start; 0 = it ran
    int32_t status;              ///< as from waitpid
    char reason[BOT_LINE_BYTES]; ///< last telling line of the bots' output; "" = none
} starter_report_t;

/// Forks the process. Call before anything is opened. On failure, starter->fd is -1.
void Starter_Open(starter_t *starter);

/// Sends the only setup, or an order. Returns false if the process is not there.
bool Starter_Setup(const starter_t *starter, const starter_setup_t *setup);
bool Starter_Send(const starter_t *starter, const starter_order_t *order);

/// Returns the next report, or false if none has arrived. Sets starter->fd to -1 if the process has
/// ended.
bool Starter_Read(starter_t *starter, starter_report_t *report);

/// Waits until the bots and the process have ended, at most BOTS_GRACE_MS and a second.
void Starter_Close(starter_t *starter);

#endif
