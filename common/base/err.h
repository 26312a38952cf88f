/// base/err.h - the reason why data from outside was refused, in words.
//
// Memory:  the caller's; a reason longer than the text is cut.

#ifndef EDICTD_BASE_ERR_H
#define EDICTD_BASE_ERR_H

#include "base/types.h"

EXTERN_C_BEGIN

/// One line without newline, where it fits as "file:line: expected ..., found ...".
typedef struct {
    char text[512];
} err_t;

/// Writes the reason (err may be NULL). Always returns false, so that a check reads `return
/// Err_Set(err, ...)`. The arguments may quote err->text itself. The text is made printable by
/// `Str_Printable`, because reasons quote hostile input and end in logs and terminals.
bool Err_Set(err_t *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

EXTERN_C_END

#endif
