// fuzz_obj.c - the text of an .obj file, as edict-mesh checks it before libassimp reads it.
//
// Input:      the text, up to its first zero.
// Invariants: a refusal is one line with the file's name; for an accepted text, every reported line
//             exists, and a second check gives the same result.

#include "base/assert.h"
#include "mesh/soup.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int32_t count_lines(const char *text) {
    int32_t lines = 1;
    for (; *text != '\0'; text++) {
        lines += *text == '\n' || *text == '\v' ? 1 : 0;
    }
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    err_t err = {{0}};
    char *text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (!ME_CheckObj("a.obj", text, &err)) {
        ASSERT(strncmp(err.text, "a.obj:", 6) == 0 && !strchr(err.text, '\n'));
        free(text);
        return 0;
    }
    int32_t lines = count_lines(text);
    for (int32_t i = 0; i < 4; i++) {
        // Each corner of a square may occur more than once.
        dvec_t places[3];
        for (int32_t j = 0; j < 3; j++) {
            places[j] = (dvec_t){(double)(i >> (j & 1) & 1), (double)(j == 1), 0.0};
        }
        int32_t line = ME_ObjFaceLine(text, places, i);
        ASSERT(line >= 0 && line <= lines && line == ME_ObjFaceLine(text, places, i));
    }
    free(text);
    return 0;
}
