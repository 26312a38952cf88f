/// base/near_name.h - "did you mean": which of some names is nearest to one that is none of them.
//
// Floor:   base.
// Memory:  none; names must stay while they are looked at.

#ifndef EDICTD_BASE_NEAR_NAME_H
#define EDICTD_BASE_NEAR_NAME_H

#include "base/types.h"

typedef struct {
    const char *text; ///< what was written
    const char *name; ///< the nearest so far; NULL: none is near enough
    int32_t distance; ///< letters to change, insert, leave out or swap
} near_name_t;

/// A search for `text`: a name is near when about one letter in four is wrong, at most 3.
near_name_t NearName_Start(const char *text);

/// Looks at one name; of equally near ones the first is kept. Case does not matter.
void NearName_Look(near_name_t *best, const char *name);

/// Writes `; did you mean "NAME"?`, or nothing where none is near. Returns `out`.
const char *NearName_Hint(const near_name_t *best, char *out, size_t bytes);

#endif
