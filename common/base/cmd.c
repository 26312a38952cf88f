#include "base/cmd.h"

#include <string.h>

bool Cmd_Split(const char *line, cmd_args_t *args, err_t *err) {
    args->argc = 0;
    for (size_t i = 0; i < COUNTOF(args->argv); i++) {
        args->argv[i] = "";
    }
    if (strlen(line) >= sizeof args->text) {
        return Err_Set(err, "command line of %zu bytes, at most %zu are allowed", strlen(line),
                       sizeof args->text - 1);
    }
    char *to = args->text;
    const char *at = line;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '\0' || (at[0] == '/' && at[1] == '/')) {
            return true;
        }
        if (args->argc == MAX_CMD_ARGS - 1) {
            return Err_Set(err, "command with more than %d words", MAX_CMD_ARGS - 1);
        }
        bool quoted = *at == '"';
        at += quoted ? 1 : 0;
        size_t length = strcspn(at, quoted ? "\"" : " \t\r\n");
        args->argv[args->argc++] = to;
        memcpy(to, at, length);
        to += length;
        *to++ = '\0';
        at += length;
        at += quoted && *at == '"' ? 1 : 0;
    }
}

bool Cmd_Append(cmdbuf_t *buffer, const char *line, err_t *err) {
    size_t length = strlen(line);
    if (length >= MAX_CMD_LINE) {
        return Err_Set(err, "command line of %zu bytes, at most %d are allowed", length,
                       MAX_CMD_LINE - 1);
    }
    if (length + 1 > sizeof buffer->text - buffer->used) {
        return Err_Set(err, "command buffer is full (%zu bytes)", sizeof buffer->text);
    }
    memcpy(buffer->text + buffer->used, line, length);
    buffer->text[buffer->used + length] = '\n';
    buffer->used += length + 1;
    return true;
}

bool Cmd_Insert(cmdbuf_t *buffer, const char *text, err_t *err) {
    size_t length = strlen(text);
    if (length + 1 > sizeof buffer->text - buffer->used) {
        return Err_Set(err, "command buffer is full (%zu bytes)", sizeof buffer->text);
    }
    memmove(buffer->text + length + 1, buffer->text, buffer->used);
    memcpy(buffer->text, text, length);
    buffer->text[length] = '\n';
    buffer->used += length + 1;
    return true;
}

// The length of the first command: up to a newline, or a ';' that is neither quoted nor comment.
static size_t first_command(const char *text, size_t size) {
    bool quoted = false;
    bool comment = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '\n') {
            return i;
        }
        comment = comment || (!quoted && c == '/' && i + 1 < size && text[i + 1] == '/');
        quoted = quoted != (c == '"' && !comment);
        if (c == ';' && !quoted && !comment) {
            return i;
        }
    }
    return size;
}

bool Cmd_Next(cmdbuf_t *buffer, char line[MAX_CMD_LINE]) {
    while (buffer->used > 0) {
        size_t length = first_command(buffer->text, buffer->used);
        size_t kept = length < MAX_CMD_LINE - 1 ? length : MAX_CMD_LINE - 1;
        memcpy(line, buffer->text, kept);
        line[kept] = '\0';
        size_t taken = length < buffer->used ? length + 1 : length;
        buffer->used -= taken;
        memmove(buffer->text, buffer->text + taken, buffer->used);
        const char *first = line + strspn(line, " \t\r");
        if (*first != '\0' && !(first[0] == '/' && first[1] == '/')) {
            return true;
        }
    }
    return false;
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
