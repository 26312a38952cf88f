/// base/cmd.h - splits command lines into commands and words, and runs commands from a table.
//
// Memory:  fixed buffers inside the structs.

#ifndef EDICTD_BASE_CMD_H
#define EDICTD_BASE_CMD_H

#include "base/err.h"
#include "base/limits.h"
#include "base/types.h"

EXTERN_C_BEGIN

/// A command, split into words. argv[0] is its name; argv[argc] and later ones are "".
typedef struct {
    int32_t argc;
    const char *argv[MAX_CMD_ARGS];
    char text[MAX_CMD_LINE]; ///< the words, each terminated by a NUL
} cmd_args_t;

/// Splits one line at blanks. "Quoted words" stay whole. // at the start of a word starts a
/// comment. Returns false with the reason if the line is invalid.
bool Cmd_Split(const char *line, cmd_args_t *args, err_t *err);

/// Copies the first command of a line, up to an unquoted ';'. Cuts it to the buffer. Returns the
/// start of the next command, or NULL.
const char *Cmd_Next(const char *line, char command[MAX_CMD_LINE]);

/// Rights of a user; each role has those of the roles before it.
typedef enum { ROLE_NONE, ROLE_WATCH, ROLE_OPERATE, ROLE_ADMIN } role_t;

/// Returns "none", "watch", "operate" or "admin".
const char *Role_Name(role_t role);

/// Parses "watch", "operate" or "admin". Returns ROLE_NONE for other texts.
role_t Role_Parse(const char *text);

typedef struct {
    const char *name;
    const char *usage; ///< arguments, for the usage text; "" = none
    const char *help;
    int32_t min_args, max_args; ///< allowed number of arguments; max_args -1 = any
    bool (*run)(void *context, const cmd_args_t *args, err_t *err);
    role_t role; ///< least role that may run it
} cmd_def_t;

const cmd_def_t *Cmd_Find(const cmd_def_t *defs, int32_t count, const char *name);

/// Checks the number of arguments and runs the command. Returns false with the reason.
bool Cmd_Run(const cmd_def_t *def, void *context, const cmd_args_t *args, err_t *err);

EXTERN_C_END

#endif
