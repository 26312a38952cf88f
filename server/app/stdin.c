/// app/stdin.c - runs the lines of standard input as commands.

#include "app/app.h"

#include <errno.h>
#include <unistd.h>

void App_RunLine(app_t *app, const char *line) {
    err_t err;
    if (!Console_Line(&app->console, line, &err)) {
        Console_Error(&app->console, &err);
    }
    App_ApplyCvars(app);
}

static void end_line(app_t *app) {
    err_t err;
    if (app->line_used == sizeof app->line) {
        Err_Set(&err, "standard input: a line of more than %zu bytes is skipped",
                sizeof app->line - 1);
        Console_Error(&app->console, &err);
    } else if (app->line_used > 0) {
        app->line[app->line_used] = '\0';
        const console_source_t *source =
            app->console.source; // whose answer the next tick completes
        app->console.source = &app->typist;
        App_RunLine(app, app->line);
        app->console.source = source;
    }
    app->line_used = 0;
}

void App_ReadStdin(app_t *app) {
    char bytes[512];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got <= 0) {
        app->options.read_stdin = got < 0 && (errno == EINTR || errno == EAGAIN);
        if (got == 0) {
            end_line(app);
        }
        return;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] == '\n') {
            end_line(app);
        } else if (app->line_used < sizeof app->line) {
            app->line[app->line_used++] = bytes[i]; // end_line skips a line that fills the buffer
        }
    }
}
