/// base/cmd.h - command lines: split into words, buffered, dispatched by a table.
//
// Floor:   base.
// Memory:  fixed buffers inside the structs.

#ifndef EDICTD_BASE_CMD_H
#define EDICTD_BASE_CMD_H

#include "base/err.h"
#include "base/limits.h"
#include "base/types.h"

/// A command line in words. argv[0] is the command; argv[argc] and beyond are "".
typedef struct {
    int32_t argc;
    const char *argv[MAX_CMD_ARGS];
    char text[MAX_CMD_LINE]; ///< the words, each with a NUL
} cmd_args_t;

/// Splits one line: words by blanks, "quoted words" whole, // starts a comment. False when it is
/// too long or has too many words.
bool Cmd_Split(const char *line, cmd_args_t *args, err_t *err);

/// Commands that wait, one line each, with where they came from for errors.
typedef struct {
    char text[MAX_CMDBUF_BYTES];
    size_t used;
} cmdbuf_t;

/// Appends one command line. False when the buffer is full: nothing was appended.
bool Cmd_Append(cmdbuf_t *buffer, const char *line, err_t *err);

/// Puts a text of many lines in front of everything that waits (a config file being executed).
bool Cmd_Insert(cmdbuf_t *buffer, const char *text, err_t *err);

/// Takes the next line out (up to a newline or an unquoted ';'); false when none waits.
bool Cmd_Next(cmdbuf_t *buffer, char line[MAX_CMD_LINE]);

/// A command of a console.
typedef struct {
    const char *name;
    const char *usage; ///< of the arguments, "" = none
    const char *help;
    int32_t min_args, max_args; ///< arguments behind the name; -1 = any
    bool (*run)(void *context, const cmd_args_t *args, err_t *err);
} cmd_def_t;

/// The definition of a name, or NULL.
const cmd_def_t *Cmd_Find(const cmd_def_t *defs, int32_t count, const char *name);

/// Checks the number of arguments and runs it. False with the reason ("usage: map NAME").
bool Cmd_Run(const cmd_def_t *def, void *context, const cmd_args_t *args, err_t *err);

#endif
