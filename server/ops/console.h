/// ops/console.h - command lines: from the command line, config files and standard input.
//
// Floor:   ops.
// Memory:  the console_t is the caller's; it owns nothing.

#ifndef EDICTD_OPS_CONSOLE_H
#define EDICTD_OPS_CONSOLE_H

#include "base/cmd.h"
#include "core/server.h"
#include "ops/game_module.h"
#include "ops/host_cvars.h"
#include "ops/tick_stats.h"

typedef struct {
    server_t *server;      ///< NULL while starting up
    host_cvars_t host;     ///< of the daemon
    game_cvars_t game;     ///< while starting up; afterwards the server's count
    game_module_t *module; ///< the game; the caller's
    _Alignas(8) uint8_t game_values[WORLD_GAME_BYTES]; ///< its own cvars, while starting up
    char start_map[CVAR_STRING_BYTES];                 ///< "map NAME" while starting up
    int32_t exec_depth;                                ///< config files executing each other
    bool reloading;                                    ///< the config of the start is read again
    bool quit;                                         ///< somebody said quit
    bool echo;                                         ///< answers go to standard output, too
    const tick_stats_t *ticks;
    const log_t *log;
} console_t;

/// Defaults; nothing runs yet, and there is no game.
void Console_Init(console_t *console, const log_t *log);

/// Before the first command: the game whose cvars and module the console knows. False when a cvar of
/// it has the name of one of the daemon.
bool Console_SetGame(console_t *console, game_module_t *module, err_t *err);

/// Runs the commands of one line (';' between them). False with the reason at the first wrong one.
bool Console_Line(console_t *console, const char *line, err_t *err);

/// Runs every line of a file. False with "file:line: reason" at the first that is wrong; the lines
/// before it hold.
bool Console_Exec(console_t *console, const char *path, err_t *err);

/// The same for the config of the start, read again under a running server: what may be set only at
/// the start stays as it is (which is logged), and map lines are left out.
bool Console_Reload(console_t *console, const char *path, err_t *err);

/// Shows an error where the answers go, and in the log.
void Console_Error(const console_t *console, const err_t *err);

#endif
