#include "ctl/input.h"

#include "ctl/editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN_BYTES (LINK_COMMAND_MAX + 2) // one more than a command, so that a cut is seen

// Reads a line without an editor. Returns like Editor_Read.
static editor_read_t read_plain(session_t *session, char line[PLAIN_BYTES]) {
    size_t used = 0;
    char byte = '\0';
    for (;;) {
        session_event_t event = Session_Wait(session, true, -1);
        if (event == EVENT_INTERRUPT) {
            return session->is_stopped ? EDITOR_END : EDITOR_INTERRUPTED;
        }
        if (event == EVENT_SUSPEND) {
            Session_Suspend();
        } else if (event == EVENT_LINK) {
            Session_Lose(session);
            return EDITOR_END;
        } else if (event == EVENT_INPUT) {
            bool is_end = read(STDIN_FILENO, &byte, 1) != 1;
            if (is_end || byte == '\n') {
                line[used] = '\0';
                return is_end && used == 0 ? EDITOR_END : EDITOR_LINE;
            }
            line[used] = byte;
            used += used < PLAIN_BYTES - 1 ? 1 : 0;
        }
    }
}

// Asks for a repetition of "quit", which people type to leave. Returns true if `line` may run.
static bool may_run(const char *line, bool *asked) {
    char word[8] = "";
    bool is_quit = sscanf(line, "%7s", word) == 1 && strcmp(word, "quit") == 0;
    if (is_quit && !*asked) {
        printf("\"quit\" ends the server: enter it again if you want that. "
               "\"exit\" or Ctrl-D leaves edict-ctl.\n");
        *asked = true;
        return false;
    }
    *asked = false;
    return true;
}

static bool is_exit(const char *line) {
    char word[8] = "";
    return sscanf(line, "%7s", word) == 1 && strcmp(word, "exit") == 0;
}

// Connects again after Ctrl-C has ended an answer or a log. Returns false if there is no server.
static bool is_connected(session_t *session) {
    err_t err;
    if (session->link.fd >= 0) {
        return true;
    }
    if (!session->is_interrupted || session->is_stopped) {
        return false;
    }
    session->is_interrupted = false;
    if (Session_Reopen(session, &err)) {
        return true;
    }
    fprintf(stderr, "edict-ctl: %s\n", err.text);
    return false;
}

// Runs the commands that are typed at a terminal.
static void converse(session_t *session) {
    const char *term = getenv("TERM");
    bool is_dumb = !isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0 || !*term;
    editor_t *editor = is_dumb ? NULL : Editor_Create(session);
    bool asked = false;
    char plain[PLAIN_BYTES];
    printf("%s: \"help\" lists the commands%s; Ctrl-D leaves\n", session->link.path,
           editor ? ", Tab completes" : "");
    while (is_connected(session)) {
        const char *line = plain;
        if (!editor) {
            printf("edictd:%d %s> ", session->link.port, session->link.role);
            fflush(stdout);
        }
        editor_read_t got = editor ? Editor_Read(editor, &line) : read_plain(session, plain);
        if (got == EDITOR_LINE && is_exit(line)) {
            break;
        }
        if (got == EDITOR_LINE && may_run(line, &asked)) {
            Session_RunLine(session, line);
        } else if (got != EDITOR_LINE) {
            putchar('\n');
        }
        if (got == EDITOR_END) {
            break;
        }
    }
    Editor_Free(editor);
}

void Input_Run(session_t *session) {
    char line[PLAIN_BYTES];
    if (isatty(STDIN_FILENO)) {
        converse(session);
        session->status = session->status == SESSION_FAILED ? SESSION_DONE : session->status;
        return;
    }
    while (session->link.fd >= 0) {
        editor_read_t got = read_plain(session, line);
        if (got == EDITOR_INTERRUPTED) {
            session->status = SESSION_FAILED;
        }
        if (got != EDITOR_LINE || is_exit(line)) {
            break;
        }
        Session_RunLine(session, line);
    }
}
