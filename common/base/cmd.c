#include "base/cmd.h"

#include <string.h>

bool Cmd_Split(const char *line, cmd_args_t *args, err_t *err) {
    args->argc = 0;
    for (size_t i = 0; i < COUNTOF(args->argv); i++) {
        args->argv[i] = "";
    }
    if (strlen(line) >= sizeof args->text) {
        return Err_Set(err, "expected a command of at most %zu bytes, found %zu",
                       sizeof args->text - 1, strlen(line));
    }
    char *to = args->text;
    const char *at = line;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '\0' || (at[0] == '/' && at[1] == '/')) {
            return true;
        }
        if (args->argc == MAX_CMD_ARGS - 1) {
            return Err_Set(err, "expected a command of at most %d words, found more",
                           MAX_CMD_ARGS - 1);
        }
        bool quoted = *at == '"';
        at += quoted ? 1 : 0;
        size_t length = strcspn(at, quoted ? "\"" : " \t\r\n");
        args->argv[args->argc++] = to;
        memcpy(to, at, length);
        to += length;
        *to++ = '\0';
        at += length;
        if (quoted && *at == '\0') {
            return Err_Set(err,
                           "expected a closing \" for the one after \"%.60s\", found the end of "
                           "the line",
                           args->argc > 1 ? args->argv[args->argc - 2] : "");
        }
        at += quoted ? 1 : 0;
    }
}

const char *Cmd_Next(const char *line, char command[MAX_CMD_LINE]) {
    bool quoted = false;
    bool in_word = false;
    size_t length = 0;
    while (line[length] != '\0' && (quoted || line[length] != ';')) {
        const char *at = line + length;
        if (quoted) {
            quoted = *at != '"';
        } else if (!in_word && at[0] == '/' && at[1] == '/') {
            length += strlen(at);
            break;
        } else {
            quoted = !in_word && *at == '"';
            in_word = !quoted && !strchr(" \t\r\n", *at);
        }
        length++;
    }
    size_t kept = length < MAX_CMD_LINE - 1 ? length : MAX_CMD_LINE - 1;
    memcpy(command, line, kept);
    command[kept] = '\0';
    return line[length] == ';' ? line + length + 1 : NULL;
}

static const char *const role_names[] = {"none", "watch", "operate", "admin"};

const char *Role_Name(role_t role) {
    return role_names[role];
}

role_t Role_Parse(const char *text) {
    role_t role = ROLE_ADMIN;
    while (role > ROLE_NONE && strcmp(text, role_names[role]) != 0) {
        role--;
    }
    return role;
}

const cmd_def_t *Cmd_Find(const cmd_def_t *defs, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(defs[i].name, name) == 0) {
            return &defs[i];
        }
    }
    return NULL;
}

bool Cmd_Run(const cmd_def_t *def, void *context, const cmd_args_t *args, err_t *err) {
    int32_t given = args->argc - 1;
    if (given < def->min_args || (def->max_args >= 0 && given > def->max_args)) {
        return Err_Set(err, "usage: %s%s%s", def->name, def->usage[0] ? " " : "", def->usage);
    }
    return def->run(context, args, err);
}
