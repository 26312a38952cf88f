/// bot/tap.h - writes results as TAP (Test Anything Protocol 13).

#ifndef EDICTD_BOT_TAP_H
#define EDICTD_BOT_TAP_H

#include "base/types.h"

#include <stdio.h>

/// An output stream and the counts of test results.
typedef struct {
    FILE *out;
    bool quiet;      ///< omits the version, the plan and passed points
    int32_t planned; ///< number of test points in the plan
    int32_t passed, failed;
} tap_t;

/// Starts the output with the version and the plan "1..planned".
void Tap_Plan(tap_t *tap, FILE *out, bool quiet, int32_t planned);

/// Writes the next result: "ok N - TEXT" or "not ok N - TEXT". Escapes special characters.
void Tap_Point(tap_t *tap, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Writes a comment. Each line of the text follows a "# ".
void Tap_Note(tap_t *tap, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Writes "# N passed, N failed". Results that are missing count as failed.
void Tap_Summary(tap_t *tap);

/// Returns true if every planned test point was written and passed.
bool Tap_AllPassed(const tap_t *tap);

#endif
