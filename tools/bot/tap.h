/// bot/tap.h - results as TAP (Test Anything Protocol 13): a plan, a line per test point, notes.
//
// Floor:   tools.
// Memory:  none; the stream is the caller's.

#ifndef EDICTD_BOT_TAP_H
#define EDICTD_BOT_TAP_H

#include "base/types.h"

#include <stdio.h>

typedef struct {
    FILE *out;
    bool quiet; ///< no plan, no points that held, no notes of theirs
    int32_t planned;
    int32_t passed, failed;
} tap_t;

/// Starts: writes the version and the plan "1..planned".
void Tap_Plan(tap_t *tap, FILE *out, bool quiet, int32_t planned);

/// The next test point. A '#' in the description is escaped, unprintable bytes become '?'.
void Tap_Point(tap_t *tap, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// A comment; each line of it gets its own "# ".
void Tap_Note(tap_t *tap, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The last words: "# N passed, N failed", with points that never came counted as failed.
void Tap_Summary(tap_t *tap);

/// All planned points came and held.
bool Tap_AllHeld(const tap_t *tap);

#endif
