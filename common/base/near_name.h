/// base/near_name.h - finds the known name nearest to a misspelled one, for "did you mean".
//
// Memory:  none; near_name_t points to the caller's names.

#ifndef EDICTD_BASE_NEAR_NAME_H
#define EDICTD_BASE_NEAR_NAME_H

#include "base/types.h"

EXTERN_C_BEGIN

typedef struct {
    const char *text; ///< the misspelled name
    const char *name; ///< the nearest so far; NULL = none is near enough
    int32_t distance; ///< letters to change, insert, omit or swap
} near_name_t;

/// Starts a search for `text`. A name is near if at most one letter in four is wrong, at most 3.
near_name_t NearName_Start(const char *text);

/// Compares one name, ignoring case. Among equally near names the first is kept.
void NearName_Look(near_name_t *best, const char *name);

/// Writes `; did you mean "NAME"?`, or nothing if no name is near. Returns `out`.
const char *NearName_Hint(const near_name_t *best, char *out, size_t bytes);

EXTERN_C_END

#endif
