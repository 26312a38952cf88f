#include "ctl/editor.h"

#include "base/limits.h"
#include "ctl/complete.h"

#include <histedit.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define COLUMNS   78  // of a list of candidates
#define MAX_SHOWN 200 // candidates of a list

struct editor_s {
    session_t *session;
    EditLine *el;
    History *history;
    bool interrupted;
    char history_path[MAX_PATH_BYTES];
    char prompt[64];
    words_t words;
};

static editor_t *editor_of(EditLine *el) {
    editor_t *editor = NULL;
    el_get(el, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt(EditLine *el) {
    return editor_of(el)->prompt;
}

// Suspends the program, with the terminal as it was before.
static void suspend(EditLine *el) {
    el_set(el, EL_PREP_TERM, 0);
    Session_Suspend();
    el_set(el, EL_PREP_TERM, 1);
    el_set(el, EL_REFRESH);
}

// Reads a character of the terminal, as EL_GETCFN expects it. Ends the line if the server is gone.
static int read_char(EditLine *el, wchar_t *out) {
    editor_t *editor = editor_of(el);
    mbstate_t state = {0};
    char byte = '\0';
    for (;;) {
        switch (Session_Wait(editor->session, true, -1)) {
        case EVENT_RESIZE:
            el_resize(el);
            break;
        case EVENT_SUSPEND:
            suspend(el);
            break;
        case EVENT_INPUT:
            if (read(STDIN_FILENO, &byte, 1) != 1) {
                return 0;
            }
            size_t got = mbrtowc(out, &byte, 1, &state);
            if (got <= 1) {
                return 1;
            }
            if (got == (size_t)-1) { // not of the locale's encoding: skipped
                memset(&state, 0, sizeof state);
            }
            break;
        case EVENT_INTERRUPT:
            editor->interrupted = true;
            return 0;
        case EVENT_LINK:
        case EVENT_TIMEOUT:
            Session_Lose(editor->session);
            return 0;
        }
    }
}

// ---- completion ----

// Adds the first word of a line such as "arena (maps/arena.bsp)".
static void add_first_word(void *context, const char *text) {
    Words_Add(context, text, strcspn(text, " :"));
}

// Adds the names in the answer of "json status".
static void add_players(void *context, const char *text) {
    json_t *status = json_loads(text, 0, NULL);
    const json_t *client = NULL;
    size_t i = 0;
    json_array_foreach(json_object_get(status, "clients"), i, client) {
        const char *name = json_string_value(json_object_get(client, "name"));
        Words_Add(context, name ? name : "", name ? strlen(name) : 0);
    }
    json_decref(status);
}

// Queries the server for the candidates. Without an answer there are none.
static void load_words(editor_t *editor, complete_kind_t kind) {
    session_t *session = editor->session;
    words_t *words = &editor->words;
    err_t err;
    words->count = 0;
    words->used = 0;
    if (kind == COMPLETE_NAME) {
        Words_Add(words, "follow", strlen("follow"));
        Words_Add(words, "exit", strlen("exit"));
        (void)Session_Query(session, "cmdlist", add_first_word, words, &err);
    }
    if (kind == COMPLETE_NAME || kind == COMPLETE_CVAR) {
        (void)Session_Query(session, "cvarlist", add_first_word, words, &err);
    } else if (kind == COMPLETE_MAP) {
        (void)Session_Query(session, "maps", add_first_word, words, &err);
    } else if (kind == COMPLETE_PLAYER) {
        (void)Session_Query(session, "json status", add_players, words, &err);
    }
}

static void show_words(const words_t *words) {
    int width = 0;
    putchar('\n');
    for (int32_t i = 0; i < words->count && i < MAX_SHOWN; i++) {
        int length = (int)strlen(words->list[i]) + 2;
        if (width > 0 && width + length > COLUMNS) {
            putchar('\n');
            width = 0;
        }
        width += length;
        printf("%s  ", words->list[i]);
    }
    if (words->count > MAX_SHOWN) {
        printf("and %d more", words->count - MAX_SHOWN);
    }
    putchar('\n');
    fflush(stdout);
}

static unsigned char complete(EditLine *el, wint_t key) {
    editor_t *editor = editor_of(el);
    words_t *words = &editor->words;
    char line[LINK_COMMAND_MAX + 1], text[WORD_BYTES];
    const LineInfo *info = el_line(el);
    size_t cursor = (size_t)(info->cursor - info->buffer);
    (void)key;
    if (cursor >= sizeof line) {
        return CC_ERROR;
    }
    memcpy(line, info->buffer, cursor);
    line[cursor] = '\0';
    complete_t at = Complete_Parse(line, cursor);
    load_words(editor, at.kind);
    if (editor->session->link.fd < 0) {
        return CC_EOF; // the server is gone, or Ctrl-C ended the wait for it
    }
    Words_Keep(words, &at);
    if (words->count == 0) {
        return CC_REFRESH_BEEP;
    }
    Words_Common(words, &at, text);
    if (words->count > 1 && strlen(text) <= cursor - at.start) {
        show_words(words);
        return CC_REDISPLAY;
    }
    wchar_t wide[LINK_COMMAND_MAX + 1]; // libedit counts characters
    size_t characters = mbstowcs(wide, line + at.start, COUNTOF(wide));
    el_deletestr(el, characters == (size_t)-1 ? 0 : (int)characters);
    return el_insertstr(el, text) == 0 ? CC_REFRESH : CC_ERROR;
}

// ---- the editor ----

static void load_history(editor_t *editor) {
    const char *home = getenv("HOME");
    HistEvent event;
    if (!home || home[0] == '\0' ||
        snprintf(editor->history_path, sizeof editor->history_path, "%s/" HISTORY_FILE, home) >=
            (int)sizeof editor->history_path) {
        editor->history_path[0] = '\0';
    }
    history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
    history(editor->history, &event, H_SETUNIQUE, 1);
    if (editor->history_path[0] != '\0') {
        (void)history(editor->history, &event, H_LOAD, editor->history_path); // may not exist
    }
}

editor_t *Editor_Create(session_t *session) {
    editor_t *editor = calloc(1, sizeof *editor);
    if (!editor) {
        return NULL;
    }
    editor->session = session;
    editor->history = history_init();
    editor->el = el_init("edict-ctl", stdin, stdout, stderr);
    if (!editor->el || !editor->history) {
        Editor_Free(editor);
        return NULL;
    }
    load_history(editor);
    el_set(editor->el, EL_CLIENTDATA, editor);
    el_set(editor->el, EL_PROMPT, prompt);
    el_set(editor->el, EL_EDITOR, "emacs");
    el_set(editor->el, EL_HIST, history, editor->history);
    el_wset(editor->el, EL_ADDFN, L"edict-complete", L"completes a word", complete); // no copies
    el_set(editor->el, EL_BIND, "^I", "edict-complete", NULL);
    el_set(editor->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(editor->el, NULL); // the user's ~/.editrc
    el_set(editor->el, EL_GETCFN, read_char);
    return editor;
}

editor_read_t Editor_Read(editor_t *editor, const char **line) {
    HistEvent event;
    int count = 0;
    editor->interrupted = false;
    snprintf(editor->prompt, sizeof editor->prompt, "edictd:%d %s> ", editor->session->link.port,
             editor->session->link.role);
    el_set(editor->el, EL_PREP_TERM, 1); // before the prompt, which invites to type
    *line = el_gets(editor->el, &count);
    if (!*line || count <= 0) {
        bool interrupted = editor->interrupted || editor->session->is_interrupted;
        return interrupted && !editor->session->is_stopped ? EDITOR_INTERRUPTED : EDITOR_END;
    }
    if (!strchr(" \t\n", (*line)[0]) && !strstr(*line, "password")) { // a blank hides a line
        history(editor->history, &event, H_ENTER, *line);
    }
    return EDITOR_LINE;
}

void Editor_Free(editor_t *editor) {
    HistEvent event;
    if (!editor) {
        return;
    }
    if (editor->history && editor->history_path[0] != '\0') {
        (void)history(editor->history, &event, H_SAVE, editor->history_path); // a mode of 0600
    }
    if (editor->history) {
        history_end(editor->history);
    }
    if (editor->el) {
        el_end(editor->el);
    }
    free(editor);
}
