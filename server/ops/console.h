/// ops/console.h - runs commands from the command line, config files and standard input.
//
// Memory:  the caller owns the console_t; the console owns nothing.

#ifndef EDICTD_OPS_CONSOLE_H
#define EDICTD_OPS_CONSOLE_H

#include "base/cmd.h"
#include "core/server.h"
#include "ops/bans.h"
#include "ops/game_module.h"
#include "ops/host_cvars.h"
#include "ops/tick_stats.h"

/// Where the commands of a line come from, and where their answers go.
typedef struct {
    const char *via; ///< "socket" or "stdin", for the audit
    const char *user;
    int64_t uid;
    role_t role;
    void (*answer)(void *context, const char *line); ///< NULL: see console_t.echo
    void *context;
} console_source_t;

/// X(name, help): counters of the control socket.
#define CONTROL_COUNTERS(X)                                                                        \
    X(control_connections, "connections to the control socket")                                    \
    X(control_refused, "connections to the control socket refused: no right, or too many")         \
    X(control_lines, "lines received on the control socket")                                       \
    X(control_denied, "commands denied because the role was too low")                              \
    X(control_lost, "log lines that were not sent to slow readers of the control socket")          \
    X(control_stuck, "connections to the control socket closed because nothing read the answer")

typedef struct {
#define CONTROL_FIELD(name, help) uint64_t name;
    CONTROL_COUNTERS(CONTROL_FIELD)
#undef CONTROL_FIELD
} control_counters_t;

typedef struct {
    server_t *server;      ///< NULL while starting up
    host_cvars_t host;     ///< cvars of the daemon
    game_cvars_t game;     ///< simulation cvars, until the server starts
    game_module_t *module; ///< the game; owned by the caller
    _Alignas(8) uint8_t game_values[WORLD_GAME_BYTES]; ///< the game's own cvars, like `game`
    netranges_t proxies;                               ///< sv_proxies; the network reads it
    char start_map[CVAR_STRING_BYTES];                 ///< "map NAME" while starting up
    int32_t exec_depth;                                ///< nesting depth of `exec`
    int32_t faults;      ///< faulty lines of the running config and of the files that it executes
    bool reloading;      ///< Console_Reload is running
    bool quit;           ///< the quit command was given
    uint64_t asked_tick; ///< ticks that had run when a command for the next tick was given, plus 1
    const console_source_t *source; ///< NULL: a config or command line, with every right
    control_counters_t counters;
    log_burst_t denied;
    bool echo; ///< commands print to standard output instead of the log
    const tick_stats_t *ticks;
    bans_t *bans; ///< owned by the caller, who sets bans->now_s
    const log_t *log;
} console_t;

/// Creates a console with default cvars, without server and game.
void Console_Init(console_t *console, const log_t *log);

/// Returns true for a command of the server.
bool Console_IsCommand(const char *name);

/// Sets the game. Call before the first command. Returns false if a table of the game is faulty, or
/// if a cvar or command of the game has the name of one of the server.
bool Console_SetGame(console_t *console, game_module_t *module, err_t *err);

/// Runs the commands of one line, separated by ';'. Returns false with the reason at a fault.
bool Console_Line(console_t *console, const char *line, err_t *err);

/// Returns the answer to a command as a JSON object, which the caller frees. Returns NULL if it
/// fails, with the reason, or if the command has no such answer, with the reason "".
char *Console_Json(console_t *console, const char *line, err_t *err);

/// Runs every line of a file. Reports each faulty line as "file:line: reason" and continues.
/// Returns false with a summary if a line was faulty.
bool Console_Exec(console_t *console, const char *path, err_t *err);

/// Runs the start-up config again while the server runs. Logs and keeps the cvars that can be set
/// only at the start. Skips map commands.
bool Console_Reload(console_t *console, const char *path, err_t *err);

/// Returns true if a command waits for the next tick, which will answer it.
bool Console_IsWaiting(const console_t *console);

/// Writes one line of a command's output: to the source, to standard output if console->echo is
/// set, or otherwise to the log. `context`: the console.
void Console_Answer(void *context, const char *line);

/// Joins the words of a command from `first` on, separated by single blanks.
void Console_JoinWords(const cmd_args_t *args, int32_t first, char *text, size_t bytes);

/// Reads the file of the ban list, then saves bans that config files set before. With `check_only`,
/// saves nothing, but also checks the lines and the folder. Returns false after logging the reason.
bool Console_LoadBans(console_t *console, bool check_only);

/// Reads the file of the ban list again, and drops the clients that it bans.
void Console_ReloadBans(console_t *console);

/// Reports an error, to standard output if the server runs with console->echo, else to the log.
void Console_Error(const console_t *console, const err_t *err);

#endif
