/// ops/config_file.c - runs config files and reports all faulty lines.

#include "base/file.h"
#include "base/limits.h"
#include "ops/console.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FAULTS 50 // maximum faulty lines in one run

static bool run_line(console_t *console, const char *at, size_t length, err_t *err) {
    char line[MAX_CMD_LINE];
    if (length >= sizeof line) {
        return Err_Set(err, "expected a line of at most %d bytes, found %zu", MAX_CMD_LINE - 1,
                       length);
    }
    memcpy(line, at, length);
    line[length] = '\0';
    return Console_Line(console, line, err);
}

static bool exec_text(console_t *console, const char *path, const char *text, err_t *err) {
    int32_t number = 0;
    int32_t faults = 0;
    for (const char *at = text; *at != '\0' && console->faults < MAX_FAULTS;) {
        size_t length = strcspn(at, "\n");
        err_t why = {{0}};
        number++;
        if (!run_line(console, at, length, &why)) {
            Err_Set(&why, "%s:%d: %.400s", path, number, why.text);
            Console_Error(console, &why);
            console->faults++;
            faults++;
        }
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    return faults == 0 || Err_Set(err, "%s: %d faulty line%s, listed above; %s", path, faults,
                                  faults > 1 ? "s" : "",
                                  console->faults < MAX_FAULTS ? "the other lines were run"
                                                               : "the rest was skipped");
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
    console->faults = console->exec_depth == 0 ? 0 : console->faults;
    console->exec_depth++;
    bool good = memchr(text, 0, size) ? Err_Set(err, "%s: expected text, found a NUL byte", path)
                                      : exec_text(console, path, (const char *)text, err);
    console->exec_depth--;
    free(text);
    return good;
}

bool Console_Reload(console_t *console, const char *path, err_t *err) {
    const console_source_t *source = console->source;
    console->source = NULL;
    console->reloading = console->server != NULL;
    bool good = Console_Exec(console, path, err);
    console->reloading = false;
    console->source = source;
    return good;
}
