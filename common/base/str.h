/// base/str.h - parses numbers strictly, and makes hostile text safe to print.
//
// Floor:   base. Bounded copies are strlcpy and strlcat of libbsd.

#ifndef EDICTD_BASE_STR_H
#define EDICTD_BASE_STR_H

#include "base/types.h"

#include <stddef.h>

EXTERN_C_BEGIN

/// Parses the whole text as a finite decimal number, with or without exponent; rejects hex, inf,
/// nan and blanks. On failure returns false and leaves *out unchanged.
bool Str_ToFloat(const char *text, float *out);

/// Like Str_ToFloat, in double precision.
bool Str_ToDouble(const char *text, double *out);

/// Parses the whole text as a decimal integer within lo..hi. On failure returns false and leaves
/// *out unchanged.
bool Str_ToInt(const char *text, int64_t lo, int64_t hi, int64_t *out);

/// Returns the bytes of the character at text[0..size): 1 to 4 for valid UTF-8, 0 for a control
/// character or a byte that does not start valid UTF-8.
size_t Str_CharBytes(const char *text, size_t size);

/// Copies `text` for a log line or a terminal: UTF-8 stays, a control character is escaped (\n,
/// \x1b), an invalid byte becomes U+FFFD. A copy that does not fit into `size` bytes is cut between
/// characters; a character that ends in the middle is left out.
void Str_Printable(char *to, size_t size, const char *text);

/// Makes a text that other players read visible, in place. Drops control characters, invalid bytes
/// and characters without a shape, such as joiners, direction marks and fillers. Every run of blanks
/// of any kind becomes one space; blanks at both ends go.
void Str_Clean(char *text);

/// Removes the bytes of a character that a copy cut in the middle, at the end of `text`.
void Str_TrimCut(char *text);

EXTERN_C_END

#endif
