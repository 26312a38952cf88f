/// ops/config_file.c - the console's lines out of files.
//
// Floor:   ops.

#include "base/file.h"
#include "base/limits.h"
#include "ops/console.h"

#include <stdlib.h>
#include <string.h>

static bool exec_text(console_t *console, const char *path, const char *text, err_t *err) {
    int32_t number = 0;
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char line[MAX_CMD_LINE];
        err_t why;
        number++;
        if (length >= sizeof line) {
            return Err_Set(err, "%s:%d: a line of %zu bytes, at most %d are allowed", path, number,
                           length, MAX_CMD_LINE - 1);
        }
        memcpy(line, at, length);
        line[length] = '\0';
        if (!Console_Line(console, line, &why)) {
            const char *rest = console->server && console->exec_depth == 1
                                   ? "; what stands before it is in force, the rest is not"
                                   : "";
            return Err_Set(err, "%s:%d: %.400s%s", path, number, why.text, rest);
        }
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    return true;
}

bool Console_Exec(console_t *console, const char *path, err_t *err) {
    size_t size = 0;
    if (console->exec_depth >= MAX_EXEC_DEPTH) {
        return Err_Set(err, "exec %s: config files execute each other more than %d deep", path,
                       MAX_EXEC_DEPTH);
    }
    uint8_t *text = File_Read(path, MAX_CONFIG_BYTES, &size, err);
    if (!text) {
        return false;
    }
    bool good =
        memchr(text, 0, size) ? Err_Set(err, "%s: expected text, found a NUL byte", path) : true;
    console->exec_depth++;
    good = good && exec_text(console, path, (const char *)text, err);
    console->exec_depth--;
    free(text);
    return good;
}

bool Console_Reload(console_t *console, const char *path, err_t *err) {
    console->reloading = console->server != NULL;
    bool good = Console_Exec(console, path, err);
    console->reloading = false;
    return good;
}
