#include "base/str.h"

#include "base/assert.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool Str_ToDouble(const char *text, double *out) {
    // Allow only decimal numbers, because strtod also accepts blanks, hex, inf and nan.
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= -DBL_MAX && value <= DBL_MAX)) {
        return false;
    }
    *out = value;
    return true;
}

bool Str_ToFloat(const char *text, float *out) {
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') {
        return false;
    }
    char *end = NULL;
    // Use strtof, because a cast of strtod's result rounds twice, which may change the last bit.
    float value = strtof(text, &end);
    if (end == text || *end != '\0' || !(value >= -FLT_MAX && value <= FLT_MAX)) {
        return false;
    }
    *out = value;
    return true;
}

bool Str_ToInt(const char *text, int64_t lo, int64_t hi, int64_t *out) {
    if (text[0] == '\0' || text[strspn(text, "0123456789+-")] != '\0') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < lo || value > hi) {
        return false;
    }
    *out = value;
    return true;
}

// Returns the length of a UTF-8 character by its first byte, or 0.
static size_t promised_bytes(uint8_t first) {
    if (first < 0x80) {
        return 1;
    }
    return first < 0xc0 || first > 0xf7 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

// Decodes a character without checks.
static uint32_t char_code(const char *text, size_t length) {
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        code = (code << 6) | (bytes[i] & 0x3f);
    }
    return code;
}

size_t Str_CharBytes(const char *text, size_t size) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = promised_bytes(bytes[0]);
    if (length <= 1) {
        return bytes[0] >= 0x20 && bytes[0] < 0x7f ? 1 : 0;
    }
    if (length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    uint32_t code = char_code(text, length);
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    bool control = code < 0xa0; // 0x80..0x9f; a control character below 0x80 has one byte
    return code < smallest[length] || code > 0x10ffff || surrogate || control ? 0 : length;
}

typedef struct {
    uint32_t first, last;
} char_range_t;

// Unicode's Default_Ignorable_Code_Point, and other invisible characters.
static const char_range_t invisible[] = {
    {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x2800, 0x2800},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x1bca0, 0x1bca3},
    {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

// Unicode's Space_Separator.
static const char_range_t blanks[] = {{0x20, 0x20},     {0xa0, 0xa0},     {0x1680, 0x1680},
                                      {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f},
                                      {0x3000, 0x3000}};

static bool is_in(const char_range_t *ranges, size_t count, uint32_t code) {
    for (size_t i = 0; i < count && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

void Str_Clean(char *text) {
    size_t used = 0;
    bool has_gap = false;
    const char *at = text;
    for (size_t left = strlen(text); left > 0;) {
        size_t length = Str_CharBytes(at, left);
        uint32_t code = length > 0 ? char_code(at, length) : 0;
        if (is_in(blanks, COUNTOF(blanks), code)) {
            has_gap = used > 0;
        } else if (length > 0 && !is_in(invisible, COUNTOF(invisible), code)) {
            if (has_gap) {
                text[used++] = ' '; // fits, because a blank was skipped before
                has_gap = false;
            }
            memmove(text + used, at, length);
            used += length;
        }
        at += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    text[used] = '\0';
}

void Str_TrimCut(char *text) {
    size_t length = strlen(text);
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        uint8_t byte = (uint8_t)text[length - back];
        if ((byte & 0xc0) != 0x80) {
            if (promised_bytes(byte) > back) {
                text[length - back] = '\0';
            }
            return;
        }
    }
}

// Writes the escape of the character at `text`: `length` bytes, 0 = not printable.
static void escape(char shown[16], const char *text, size_t length, bool is_json) {
    const char *control = is_json ? "\\u%04x" : "\\x%02x";
    uint8_t first = (uint8_t)*text;
    uint32_t code = length > 0 ? char_code(text, length) : first;
    if (length == 0 && (first == '\n' || first == '\t')) {
        memcpy(shown, first == '\n' ? "\\n" : "\\t", 3);
    } else if (length == 0 && first < 0x80) {
        snprintf(shown, 16, control, (unsigned)first);
    } else if (length == 0) {
        memcpy(shown, "\xef\xbf\xbd", 4); // U+FFFD
    } else if (is_json && code > 0xffff && is_in(invisible, COUNTOF(invisible), code)) {
        snprintf(shown, 16, "\\u%04x\\u%04x", 0xd7c0u + (code >> 10), 0xdc00u | (code & 0x3ff));
    } else if (is_json && is_in(invisible, COUNTOF(invisible), code)) {
        snprintf(shown, 16, control, code);
    } else {
        const size_t mark = is_json && (first == '"' || first == '\\') ? 1 : 0;
        shown[0] = '\\';
        memcpy(shown + mark, text, length); // most characters: snprintf is slow
        shown[mark + length] = '\0';
    }
}

// Appends the characters of `text` that fit, and a NUL. Returns the bytes used.
static size_t put_escaped(char *to, size_t used, size_t size, const char *text, bool is_json) {
    for (size_t left = strlen(text); left > 0;) {
        char shown[16];
        size_t length = Str_CharBytes(text, left);
        escape(shown, text, length, is_json);
        if (used + strlen(shown) >= size) {
            break;
        }
        memcpy(to + used, shown, strlen(shown));
        used += strlen(shown);
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    to[used] = '\0';
    return used;
}

void Str_Printable(char *to, size_t size, const char *text) {
    (void)put_escaped(to, 0, size, text, false);
}

void Str_Quote(char *to, size_t size, const char *text) {
    ASSERT(size >= 3);
    to[0] = '"';
    size_t used = put_escaped(to, 1, size - 1, text, true);
    memcpy(to + used, "\"", 2);
}
