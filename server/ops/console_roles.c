/// ops/console_roles.c - which role a command needs, and the audit of commands.

#include "base/str.h"
#include "ops/console_local.h"

#include <string.h>

#define DENIED_EVERY_MS 5000 // minimum interval between two log lines of denied commands

role_t Console_RoleOf(const console_t *console, const cmd_args_t *args, const cmd_def_t *cmd) {
    cvar_table_t table;
    const char *name = args->argv[0];
    if (cmd && strcmp(name, "game") == 0 && args->argc > 1) {
        return ROLE_ADMIN;
    }
    if (cmd && strcmp(name, "set") == 0 && strcmp(args->argv[1], "bots") == 0) {
        return ROLE_OPERATE;
    }
    if (cmd) {
        return cmd->role;
    }
    if (Console_GameCommand(console, name) || strcmp(name, "bots") == 0) {
        return args->argc == 1 && strcmp(name, "bots") == 0 ? ROLE_WATCH : ROLE_OPERATE;
    }
    return args->argc > 1 && Console_FindCvar(console, name, &table) ? ROLE_ADMIN : ROLE_WATCH;
}

// Joins the words of a command. Words after the name of a secret cvar become ***.
static void describe(const console_t *console, const cmd_args_t *args, char text[MAX_CMD_LINE]) {
    cvar_table_t table;
    bool is_secret = false;
    text[0] = '\0';
    for (int32_t i = 0; i < args->argc; i++) {
        const cvar_def_t *def = Console_FindCvar(console, args->argv[i], &table);
        strlcat(text, i > 0 ? " " : "", MAX_CMD_LINE);
        strlcat(text, is_secret ? "***" : args->argv[i], MAX_CMD_LINE);
        is_secret = is_secret || (def && (def->flags & CVAR_SECRET));
    }
}

bool Console_MayRun(console_t *console, const cmd_args_t *args, role_t needed, err_t *err) {
    const console_source_t *source = console->source;
    if (!source || source->role >= needed) {
        return true;
    }
    console->counters.control_denied++;
    if (Log_BurstAllows(&console->denied, console->bans ? console->bans->now_s * 1000 : 0,
                        DENIED_EVERY_MS)) {
        Log_Print(console->log, LOG_WARN, "%s: denied to %s (uid %lld), whose role is %s%s",
                  args->argv[0], source->user, (long long)source->uid, Role_Name(source->role),
                  console->denied.more);
    }
    return Err_Set(err, "%.64s: needs the role %s, and this connection has %s", args->argv[0],
                   Role_Name(needed), Role_Name(source->role));
}

void Console_Audit(const console_t *console, const cmd_args_t *args, role_t needed, bool good) {
    const console_source_t *source = console->source;
    char text[MAX_CMD_LINE];
    if (!source || needed < ROLE_OPERATE || console->exec_depth > 0) {
        return;
    }
    describe(console, args, text);
    const log_field_t fields[] = {{.key = "user", .text = source->user},
                                  {.key = "uid", .number = source->uid},
                                  {.key = "role", .text = Role_Name(source->role)},
                                  {.key = "via", .text = source->via},
                                  {.key = "ok", .number = good},
                                  {.key = "command", .text = text}};
    Log_Event(console->log, "audit", fields, (int32_t)COUNTOF(fields));
}
