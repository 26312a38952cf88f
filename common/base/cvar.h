/// base/cvar.h - typed, ranged settings by name, over a struct that somebody else owns.
//
// Floor:   base.
// Memory:  a table of definitions (const) and the struct that holds the values; offsets join them.

#ifndef EDICTD_BASE_CVAR_H
#define EDICTD_BASE_CVAR_H

#include "base/err.h"
#include "base/types.h"

#define CVAR_STRING_BYTES 256 // a string value with its NUL

typedef enum { CVAR_INT, CVAR_FLOAT, CVAR_STRING } cvar_type_t;

#define CVAR_LATCH (1u << 0) // a change acts at the next map
#define CVAR_INIT  (1u << 1) // can be set on the command line and in the config, not later

/// int32_t, float or char[CVAR_STRING_BYTES] at `offset` of the values. min and max bound numbers;
/// max of a string is its most characters, 0 = as many as there is room for.
typedef struct cvar_def_s {
    const char *name;
    cvar_type_t type;
    uint32_t flags;
    const char *def; ///< default, as text
    double min, max;
    const char *unit; ///< "" = none
    const char *help;
    size_t offset;
} cvar_def_t;

/// The definition of a name (exact), or NULL.
const cvar_def_t *Cvar_Find(const cvar_def_t *defs, int32_t count, const char *name);

/// Sets a value from text: a whole number for ints, a number for floats, within min..max. Nothing
/// changes on "name: expected ..., found ...".
bool Cvar_Set(const cvar_def_t *def, void *values, const char *text, err_t *err);

/// Checks a text as Cvar_Set does, without setting.
bool Cvar_Check(const cvar_def_t *def, const char *text, err_t *err);

/// The value as text that Cvar_Set reads back to the same bits.
void Cvar_Format(const cvar_def_t *def, const void *values, char *text, size_t size);

/// Sets every value to its default.
void Cvar_Reset(const cvar_def_t *defs, int32_t count, void *values);

#endif
