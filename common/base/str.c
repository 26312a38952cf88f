#include "base/str.h"

#include <errno.h>
#include <float.h>
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

void Str_MakePrintable(char *text) {
    for (char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte > 0x7e) {
            *at = '?';
        }
    }
}
