/// base/str.h - parses numbers strictly, and makes hostile text safe to print.
//
// Floor:   base. Bounded copies are strlcpy and strlcat of libbsd.

#ifndef EDICTD_BASE_STR_H
#define EDICTD_BASE_STR_H

#include "base/types.h"

#include <stddef.h>

EXTERN_C_BEGIN

/// Parses the whole text as a finite decimal number, with or without exponent; rejects hex, inf,
/// nan and blanks. Returns false and leaves *out unchanged if the text is invalid.
bool Str_ToFloat(const char *text, float *out);

/// Like Str_ToFloat, in double precision.
bool Str_ToDouble(const char *text, double *out);

/// Parses the whole text as a decimal integer in lo..hi. Returns false and leaves *out unchanged if
/// the text is invalid.
bool Str_ToInt(const char *text, int64_t lo, int64_t hi, int64_t *out);

/// Returns the length of the UTF-8 character at text[0..size), 1 to 4 bytes. Returns 0 for a
/// control character or invalid UTF-8.
size_t Str_CharBytes(const char *text, size_t size);

/// Copies `text` for a log line or a terminal. Escapes control characters and replaces invalid
/// bytes by U+FFFD. Cuts between characters if the copy does not fit in `size` bytes.
void Str_Printable(char *to, size_t size, const char *text);

/// Cleans a text that other players read, in place. Drops control characters, invalid bytes and
/// invisible characters, and replaces each run of blanks by one space.
void Str_Clean(char *text);

/// Removes an incomplete character from the end of a text that was cut to a number of bytes.
void Str_TrimCut(char *text);

EXTERN_C_END

#endif
