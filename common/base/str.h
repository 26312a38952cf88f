/// base/str.h - parses numbers strictly, and makes hostile text safe to print.
//
// Bounded copies are strlcpy and strlcat of libbsd.

#ifndef EDICTD_BASE_STR_H
#define EDICTD_BASE_STR_H

#include "base/types.h"

#include <stddef.h>

EXTERN_C_BEGIN

/// Parses the whole text as a finite decimal number. Rejects hex, inf, nan and blanks. If the text
/// is invalid, returns false and leaves *out unchanged.
bool Str_ToFloat(const char *text, float *out);

/// Like Str_ToFloat, in double precision.
bool Str_ToDouble(const char *text, double *out);

/// Parses the whole text as a decimal integer in lo..hi. If the text is invalid, returns false and
/// leaves *out unchanged.
bool Str_ToInt(const char *text, int64_t lo, int64_t hi, int64_t *out);

/// Returns the length of the UTF-8 character at `text`, 1 to 4 bytes. Returns 0 for a control
/// character or invalid UTF-8.
size_t Str_CharBytes(const char *text, size_t size);

/// Copies `text` for a log line or a terminal. Escapes control characters and replaces invalid
/// bytes by U+FFFD. Cuts at a character if the copy exceeds `size` bytes.
void Str_Printable(char *to, size_t size, const char *text);

/// Writes `text` as a JSON string, with its quotes, on one line. Invisible and control characters
/// become \u and four digits, an invalid byte U+FFFD. Cuts the text at a character if the string
/// exceeds `size` bytes, at least 3.
void Str_Quote(char *to, size_t size, const char *text);

/// Cleans a player's text in place. Removes control, invalid and invisible characters. Replaces
/// each run of blanks by one space.
void Str_Clean(char *text);

/// Removes an incomplete UTF-8 character from the end of a text.
void Str_TrimCut(char *text);

EXTERN_C_END

#endif
