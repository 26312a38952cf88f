/// base/str.h - strict parsing of numbers, and making hostile text safe to print.
//
// Floor:   base. Bounded copies are strlcpy and strlcat of libbsd.
// Memory:  none.

#ifndef EDICTD_BASE_STR_H
#define EDICTD_BASE_STR_H

#include "base/types.h"

/// The whole text as a finite decimal number (an exponent is fine; hex, inf, nan, blanks are not).
/// False and *out untouched when it is not one.
bool Str_ToFloat(const char *text, float *out);

/// As Str_ToFloat, in double precision.
bool Str_ToDouble(const char *text, double *out);

/// The whole text as a decimal integer within lo..hi. False and *out untouched otherwise.
bool Str_ToInt(const char *text, int64_t lo, int64_t hi, int64_t *out);

/// Replaces every byte outside 0x20..0x7e by '?', in place.
void Str_MakePrintable(char *text);

#endif
