/// base/err.h - the reason, in words, why data from outside was rejected.
//
// Memory:  the caller's. Longer reasons are cut.

#ifndef EDICTD_BASE_ERR_H
#define EDICTD_BASE_ERR_H

#include "base/types.h"
#include "edict/types.h"

EXTERN_C_BEGIN

/// One line without newline; if possible, "file:line: expected ..., found ...".
typedef cl_err_t err_t;

/// Writes a reason in printable text and returns false. `err` may be NULL. The arguments may
/// include err->text.
bool Err_Set(err_t *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

EXTERN_C_END

#endif
