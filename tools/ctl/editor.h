/// ctl/editor.h - edits lines in a terminal, with history and completion (libedit).
//
// Memory:  one editor at a time; it owns libedit's data.

#ifndef EDICTD_CTL_EDITOR_H
#define EDICTD_CTL_EDITOR_H

#include "ctl/session.h"

#define HISTORY_FILE  ".edictd_history" // in the user's home
#define HISTORY_LINES 1000

typedef struct editor_s editor_t;

typedef enum { EDITOR_LINE, EDITOR_INTERRUPTED, EDITOR_END } editor_read_t;

/// Returns an editor, or NULL if the terminal cannot be used or memory is out.
editor_t *Editor_Create(session_t *session);

/// Reads a line. *line is valid until the next call. Returns EDITOR_INTERRUPTED after Ctrl-C, and
/// EDITOR_END at the end of the input, after a signal, or if the server is gone.
editor_read_t Editor_Read(editor_t *editor, const char **line);

/// Saves the history and frees the editor. NULL is allowed.
void Editor_Free(editor_t *editor);

#endif
