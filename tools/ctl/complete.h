/// ctl/complete.h - completes the word before the cursor.
//
// Memory:  fixed; words beyond the limits are left out.

#ifndef EDICTD_CTL_COMPLETE_H
#define EDICTD_CTL_COMPLETE_H

#include "base/types.h"

#include <stddef.h>

#define WORDS_MAX   2048  // candidates
#define WORDS_BYTES 65536 // of all candidates
#define WORD_BYTES  256   // of the completed word

typedef enum {
    COMPLETE_NOTHING,
    COMPLETE_NAME, ///< a command or a cvar
    COMPLETE_CVAR,
    COMPLETE_MAP,
    COMPLETE_PLAYER
} complete_kind_t;

typedef struct {
    complete_kind_t kind;
    size_t start;    ///< offset of the word in the line, with its quotation mark
    bool quoted;     ///< the word starts with a quotation mark
    const char *end; ///< the cursor
    const char *prefix;
} complete_t;

/// Candidates.
typedef struct {
    int32_t count;
    size_t used;
    const char *list[WORDS_MAX];
    char text[WORDS_BYTES];
} words_t;

/// Returns what belongs at `cursor`, an offset in the line. The result points into `line`.
complete_t Complete_Parse(const char *line, size_t cursor);

/// Adds `length` bytes of `word`. Ignores a word with control characters or without room.
void Words_Add(words_t *words, const char *word, size_t length);

/// Keeps the words that begin with the prefix, without repetitions, in order.
void Words_Keep(words_t *words, const complete_t *at);

/// Writes the text that replaces the word: what all candidates have in common. A single candidate
/// is complete, with quotation marks if it needs them and a blank.
void Words_Common(const words_t *words, const complete_t *at, char text[WORD_BYTES]);

#endif
