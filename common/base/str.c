#include "base/str.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool Str_ToDouble(const char *text, double *out) {
    // strtod also takes blanks, hex, inf and nan: allow only the letters of a decimal number.
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
    // strtof, not a cast of strtod: rounding twice would change the last bit of some numbers.
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

// Length that the first byte of a character promises; 0 for a byte that starts none.
static size_t promised_bytes(uint8_t first) {
    if (first < 0x80) {
        return 1;
    }
    return first < 0xc0 || first > 0xf7 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
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
    uint32_t code = bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = (code << 6) | (bytes[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    bool control = code < 0xa0; // 0x80..0x9f; smaller codes are overlong
    return code < smallest[length] || code > 0x10ffff || surrogate || control ? 0 : length;
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

void Str_Printable(char *to, size_t size, const char *text) {
    size_t used = 0;
    for (size_t left = strlen(text); left > 0;) {
        char shown[8] = "\xef\xbf\xbd"; // U+FFFD
        uint8_t first = (uint8_t)*text;
        size_t length = Str_CharBytes(text, left);
        if (length > 0) {
            memcpy(shown, text, length);
            shown[length] = '\0';
        } else if (first == '\n' || first == '\t') {
            memcpy(shown, first == '\n' ? "\\n" : "\\t", 3);
        } else if (first < 0x80) {
            snprintf(shown, sizeof shown, "\\x%02x", (unsigned)first);
        }
        if (used + strlen(shown) >= size) {
            break;
        }
        memcpy(to + used, shown, strlen(shown));
        used += strlen(shown);
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    to[used] = '\0';
}
