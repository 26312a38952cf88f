#include "lib/golden_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(test_golden_t *golden, const char *text, size_t bytes) {
    if (golden->bytes + bytes + 1 > golden->room) {
        golden->room = (golden->bytes + bytes + 1) * 2;
        golden->text = realloc(golden->text, golden->room);
        if (!golden->text) {
            abort();
        }
    }
    memcpy(golden->text + golden->bytes, text, bytes);
    golden->bytes += bytes;
    golden->text[golden->bytes] = '\0';
}

void TestGolden_Print(test_golden_t *golden, const char *format, ...) {
    char line[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof line) {
        abort();
    }
    add(golden, line, (size_t)length);
}

void TestGolden_Vector(test_golden_t *golden, const char *name, vec3_t v) {
    TestGolden_Print(golden, " %s %a %a %a", name, (double)v.x, (double)v.y, (double)v.z);
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    test_golden_t all = {NULL, 0, 0};
    char part[4096];
    size_t got = 0;
    add(&all, "", 0);
    while ((got = fread(part, 1, sizeof part, file)) > 0) {
        add(&all, part, got);
    }
    fclose(file);
    return all.text;
}

static void print_difference(const char *path, const char *expected, const char *found) {
    int line = 1;
    while (*expected && *expected == *found) {
        line += *expected == '\n' ? 1 : 0;
        expected++;
        found++;
    }
    fprintf(stderr, "%s:%d: expected \"%.60s\", found \"%.60s\"\n", path, line, expected, found);
}

static bool write_all(const test_golden_t *golden, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return false;
    }
    bool good = fwrite(golden->text, 1, golden->bytes, file) == golden->bytes;
    return fclose(file) == 0 && good;
}

bool TestGolden_Check(test_golden_t *golden, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s", name);
    const char *remake = getenv("GOLDEN");
    bool good = false;
    if (remake && remake[0] == '1') {
        good = write_all(golden, path);
    } else {
        char *expected = read_all(path);
        good = expected && golden->text && strcmp(expected, golden->text) == 0;
        if (!good) {
            print_difference(path, expected ? expected : "", golden->text ? golden->text : "");
        }
        free(expected);
    }
    free(golden->text);
    *golden = (test_golden_t){NULL, 0, 0};
    return good;
}
