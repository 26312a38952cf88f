/// bot/tap.h - writes results as TAP (Test Anything Protocol 13).
//
// Memory:  none; the stream is the caller's.

#ifndef EDICTD_BOT_TAP_H
#define EDICTD_BOT_TAP_H

#include "base/types.h"

#include <stdio.h>

typedef struct {
    FILE *out;
    bool quiet; ///< no version, no plan and no passed points
    int32_t planned;
    int32_t passed, failed;
} tap_t;

/// Starts the output with the version and the plan "1..planned".
void Tap_Plan(tap_t *tap, FILE *out, bool quiet, int32_t planned);

/// Writes the next test point. UTF-8 stays; '#', backslashes and control characters are escaped.
void Tap_Point(tap_t *tap, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Writes a comment, each of its lines after a "# ".
void Tap_Note(tap_t *tap, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Writes "# N passed, N failed"; planned points without a result count as failed.
void Tap_Summary(tap_t *tap);

/// Returns true if every planned test was reported and passed.
bool Tap_AllHeld(const tap_t *tap);

#endif
