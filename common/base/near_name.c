#include "base/near_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LETTERS = 48, MAX_DISTANCE = 3 };

near_name_t NearName_Start(const char *text) {
    size_t wrong = (strlen(text) + 1) / 4;
    return (near_name_t){text, NULL, 1 + (wrong < MAX_DISTANCE ? (int32_t)wrong : MAX_DISTANCE)};
}

static int letter(const char *text, size_t at) {
    return tolower((unsigned char)text[at]);
}

// Returns the Damerau-Levenshtein distance of two short texts.
static int32_t distance(const char *a, const char *b) {
    size_t a_letters = strlen(a);
    size_t b_letters = strlen(b);
    int32_t rows[3][MAX_LETTERS + 1];
    if (a_letters > MAX_LETTERS || b_letters > MAX_LETTERS) {
        return INT32_MAX;
    }
    for (size_t j = 0; j <= b_letters; j++) {
        rows[0][j] = (int32_t)j;
    }
    for (size_t i = 1; i <= a_letters; i++) {
        int32_t *row = rows[i % 3];
        const int32_t *before = rows[(i + 2) % 3];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= b_letters; j++) {
            bool same = letter(a, i - 1) == letter(b, j - 1);
            row[j] = Q_MinI(before[j - 1] + (same ? 0 : 1), Q_MinI(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && letter(a, i - 1) == letter(b, j - 2) &&
                letter(a, i - 2) == letter(b, j - 1)) {
                row[j] = Q_MinI(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a_letters % 3][b_letters];
}

void NearName_Look(near_name_t *best, const char *name) {
    int32_t now = distance(best->text, name);
    if (now < best->distance) {
        best->distance = now;
        best->name = name;
    }
}

const char *NearName_Hint(const near_name_t *best, char *out, size_t bytes) {
    out[0] = '\0';
    if (best->name) {
        snprintf(out, bytes, "; did you mean \"%.63s\"?", best->name);
    }
    return out;
}
