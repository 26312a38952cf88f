/// base/err.h - the reason, in words, why data from outside was rejected.
//
// Memory:  the caller's; a reason longer than the text is cut.

#ifndef EDICTD_BASE_ERR_H
#define EDICTD_BASE_ERR_H

#include "base/types.h"

EXTERN_C_BEGIN

/// A reason: one line without newline; if possible, "file:line: expected ..., found ...".
typedef struct {
    char text[512];
} err_t;

/// Writes the reason and returns false, so that a check can `return Err_Set(...)`. err may be NULL.
/// The arguments may include err->text. Makes the text printable with Str_Printable.
bool Err_Set(err_t *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

EXTERN_C_END

#endif
