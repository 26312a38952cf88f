/// ops/console_local.h - declarations that the files of the console share.

#ifndef EDICTD_OPS_CONSOLE_LOCAL_H
#define EDICTD_OPS_CONSOLE_LOCAL_H

#include "ops/console.h"

typedef enum { CVARS_HOST, CVARS_ENGINE, CVARS_MODULE, CVAR_TABLES } cvar_table_t;

typedef struct {
    const cvar_def_t *defs;
    int32_t count;
    const void *in_force; // values in use now
    const void *wanted;   // values from the next tick, or (CVAR_LATCH) the next map on
} cvar_values_t;

/// Returns the loaded game, or NULL.
const game_export_t *Console_Game(const console_t *console);

/// Returns the game's command of this name, or NULL.
const game_command_t *Console_GameCommand(const console_t *console, const char *name);

/// Returns one of the three cvar tables: of the server, the simulation or the loaded game.
cvar_values_t Console_CvarTable(const console_t *console, cvar_table_t table);

/// Returns the cvar of this name, or NULL. *table receives its table.
const cvar_def_t *Console_FindCvar(const console_t *console, const char *name, cvar_table_t *table);

/// Prints a cvar: sv_gravity = "800" (default "800") [0..8000 qu/s2]: downward acceleration...
void Console_PrintCvar(console_t *console, const cvar_def_t *def, const cvar_values_t *values);

bool Console_SetCvar(console_t *console, const char *name, const char *value, err_t *err);

/// Runs a command in the next tick. Its answer follows then.
bool Console_RunInTick(console_t *console, const cmd_args_t *args, err_t *err);

/// Returns the role that a command needs.
role_t Console_RoleOf(const console_t *console, const cmd_args_t *args, const cmd_def_t *cmd);

/// Checks the role of the source. Counts and logs a command that it denies.
bool Console_MayRun(console_t *console, const cmd_args_t *args, role_t needed, err_t *err);

/// Logs a command that needs more than the role watch: its user, role and words, without secrets.
void Console_Audit(const console_t *console, const cmd_args_t *args, role_t needed, bool good);

/// Fails because of an unknown name; the error suggests the most similar known name.
bool Console_FailName(const console_t *console, const char *name, bool is_cvar, err_t *err);

/// Fails because a value, from word `first` on, has several words but no quotes.
bool Console_FailValues(const cmd_args_t *args, int32_t first, err_t *err);

// Commands that other files than console.c implement.
bool Console_RunSet(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunProfile(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunCvarlist(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunStatus(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunCounters(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunKick(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunBan(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunAllow(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunUnban(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunBans(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunMute(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunUnmute(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunPeers(void *context, const cmd_args_t *args, err_t *err);
bool Console_RunGame(void *context, const cmd_args_t *args, err_t *err);

#endif
