/// base/cvar.h - settings with name, type and range, whose values are in a struct of the caller.
//
// Memory:  a const table of definitions; each has the offset of its value in the struct.

#ifndef EDICTD_BASE_CVAR_H
#define EDICTD_BASE_CVAR_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

#define CVAR_STRING_BYTES 256 // size of a string value, with its NUL

typedef enum { CVAR_INT, CVAR_FLOAT, CVAR_STRING } cvar_type_t;

#define CVAR_LATCH  (1u << 0) // a change takes effect at the next map
#define CVAR_INIT   (1u << 1) // can only be set on the command line and in the config
#define CVAR_SECRET (1u << 2) // the value is not shown

/// A cvar. Its value is an int32_t, a float or a char[CVAR_STRING_BYTES] at `offset`. `min` and
/// `max` limit numbers; `max` also limits the length of a string (0 = the buffer).
typedef struct cvar_def_s {
    const char *name;
    cvar_type_t type;
    uint32_t flags;
    const char *def; ///< default, as text
    double min, max;
    const char *unit; ///< "" = none; of a string: its possible values, as "text|json"
    const char *help;
    size_t offset;
} cvar_def_t;

/// Returns the definition with this name (case matters), or NULL.
const cvar_def_t *Cvar_Find(const cvar_def_t *defs, int32_t count, const char *name);

/// Sets a value from text. If the text is invalid or out of range, changes nothing and returns
/// false with "name: expected ..., found ...".
bool Cvar_Set(const cvar_def_t *def, void *values, const char *text, err_t *err);

/// Like Cvar_Set, but only checks the text.
bool Cvar_Check(const cvar_def_t *def, const char *text, err_t *err);

/// Writes a value as text that Cvar_Set converts back to the same bits.
void Cvar_Format(const cvar_def_t *def, const void *values, char *text, size_t size);

void Cvar_Reset(const cvar_def_t *defs, int32_t count, void *values);

EXTERN_C_END

#endif
