#include "mapc/paths.h"

#include <stdio.h>
#include <string.h>

/// Writes the first `length` bytes of a path, followed by an ending.
static bool join(const char *path, size_t length, const char *ending, char out[MAX_PATH_BYTES],
                 err_t *err) {
    int written = snprintf(out, MAX_PATH_BYTES, "%.*s%s", (int)length, path, ending);
    return (written > 0 && written < MAX_PATH_BYTES) ||
           Err_Set(err, "%.400s%s: expected an output path of 1..%d bytes, found %d", path, ending,
                   MAX_PATH_BYTES - 1, written);
}

bool MC_OutputPaths(const char *input, const char *output, mc_paths_t *paths, err_t *err) {
    const char *path = output ? output : input;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = strlen(path);
    if (output) {
        bool is_bsp = dot && dot != name && strcmp(dot, ".bsp") == 0;
        if (name[0] == '\0' || (dot && !is_bsp)) {
            return Err_Set(
                err, "-o: expected a name that ends in .bsp or has no ending, found \"%.400s\"",
                output);
        }
        length -= is_bsp ? strlen(".bsp") : 0;
    } else if (dot && dot != name && strcmp(dot, ".map") == 0) {
        length -= strlen(".map");
    }
    return join(path, length, ".bsp", paths->bsp, err) &&
           join(path, length, ".pts", paths->pts, err);
}
