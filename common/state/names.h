/// state/names.h - the tables of names that clients receive. Snapshots and events have numbers.
//
// Number 0 means none. A number keeps its name until the next map.

#ifndef EDICTD_STATE_NAMES_H
#define EDICTD_STATE_NAMES_H

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

typedef enum {
    NAMES_MODELS,  ///< edict->modelindex
    NAMES_SOUNDS,  ///< registered by the game, like models and effects
    NAMES_EFFECTS, ///< effects and other events
    NAMES_CLASSES, ///< of the edicts that were sent
    NAMES_TEXTS,   ///< values of string fields that were sent
    NAMES_TABLES
} names_table_t;

/// Number of tables that the game registers. The server makes the others.
#define NAMES_OF_GAME 3

#define NAME_TEXT_BYTES 64 // size of a name with its NUL

/// Bytes that a name counts towards a limit: as on the wire.
static inline int32_t Names_Cost(const char *name) {
    return (int32_t)strlen(name) + 2;
}

/// Returns true for 1 to 63 bytes of UTF-8 without control characters.
static inline bool Names_IsValid(const char *name) {
    const size_t length = strnlen(name, NAME_TEXT_BYTES);
    size_t at = 0;
    for (size_t bytes = 1; at < length && bytes > 0; at += bytes) {
        bytes = Str_CharBytes(name + at, length - at);
    }
    return at > 0 && at == length && length < NAME_TEXT_BYTES;
}

#endif
