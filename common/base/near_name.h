/// base/near_name.h - finds the known name that is most similar to a misspelled one.
//
// Memory:  near_name_t points to the caller's names.

#ifndef EDICTD_BASE_NEAR_NAME_H
#define EDICTD_BASE_NEAR_NAME_H

#include "base/types.h"

EXTERN_C_BEGIN

typedef struct {
    const char *text; ///< the misspelled name
    const char *name; ///< most similar name so far, or NULL
    int32_t distance; ///< letters to change, insert, omit or swap
} near_name_t;

/// Starts a search for `text`. A similar name differs in at most (letters + 1) / 4 letters, and at
/// most 3.
near_name_t NearName_Start(const char *text);

/// Compares a name with `text`, ignoring case. The first of the most similar names wins.
void NearName_Look(near_name_t *best, const char *name);

/// Writes `; did you mean "NAME"?`, or "" if no name is similar. Returns `out`.
const char *NearName_Hint(const near_name_t *best, char *out, size_t bytes);

EXTERN_C_END

#endif
