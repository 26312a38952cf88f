/// base/near_name.h - finds the known name that is most similar to a misspelled one.
//
// Memory:  none; near_name_t points to the caller's names.

#ifndef EDICTD_BASE_NEAR_NAME_H
#define EDICTD_BASE_NEAR_NAME_H

#include "base/types.h"

EXTERN_C_BEGIN

typedef struct {
    const char *text; ///< the misspelled name
    const char *name; ///< most similar name so far; NULL = none is similar enough
    int32_t distance; ///< number of letters to change, insert, omit or swap
} near_name_t;

/// Starts a search for `text`. A name is similar if at most one letter in four differs, at most 3.
near_name_t NearName_Start(const char *text);

/// Compares a name, ignoring case. Among equally similar names the first is kept.
void NearName_Look(near_name_t *best, const char *name);

/// Writes `; did you mean "NAME"?`, or "" if no name is similar. Returns `out`.
const char *NearName_Hint(const near_name_t *best, char *out, size_t bytes);

EXTERN_C_END

#endif
