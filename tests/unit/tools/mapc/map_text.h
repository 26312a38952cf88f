/// map_text.h - writes small .map sources into a buffer, compiles them and loads the result.
//
// Tests only; each test program has its own copy of these static functions.

#ifndef EDICTD_TESTS_MAP_TEXT_H
#define EDICTD_TESTS_MAP_TEXT_H

#include "bsp/bsp.h"
#include "lib/testing.h"
#include "mapc/compile.h"

#include <string.h>

/// Stores a source that is being written.
typedef struct {
    char text[1 << 16];
    size_t used;
} map_text_t;

__attribute__((format(printf, 2, 3))) static inline void Text_Add(map_text_t *t, const char *format,
                                                                  ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(t->text + t->used, sizeof t->text - t->used, format, args);
    va_end(args);
    assert_true(length >= 0);
    assert_true((size_t)length < sizeof t->text - t->used);
    t->used += (size_t)length;
}

/// Writes { "classname" "..." without the closing brace.
static inline void Text_Open(map_text_t *t, const char *class) {
    Text_Add(t, "{\n\"classname\" \"%s\"\n", class);
}

static inline void Text_Close(map_text_t *t) {
    Text_Add(t, "}\n");
}

/// Writes a brush entity of one box.
static inline void Text_Box(map_text_t *t, const int box[6], const char *texture) {
    int x = box[0];
    int y = box[1];
    int z = box[2];
    int X = box[3];
    int Y = box[4];
    int Z = box[5];
    const int sides[6][9] = {{x, y, z, x, Y, z, x, y, Z}, {X, y, z, X, y, Z, X, Y, z},
                             {x, y, z, x, y, Z, X, y, z}, {x, Y, z, X, Y, z, x, Y, Z},
                             {x, y, z, X, y, z, x, Y, z}, {x, y, Z, x, Y, Z, X, y, Z}};
    Text_Add(t, "{\n");
    for (int i = 0; i < 6; i++) {
        const int *p = sides[i];
        Text_Add(t, "( %d %d %d ) ( %d %d %d ) ( %d %d %d ) %s 0 0 0 1 1\n", p[0], p[1], p[2], p[3],
                 p[4], p[5], p[6], p[7], p[8], texture);
    }
    Text_Add(t, "}\n");
}

/// Writes six walls, 16 thick, around a room, without wall `skip` (0..5: -x +x -y +y -z +z; -1:
/// none).
static inline void Text_Room(map_text_t *t, const int box[6], const char *texture, int skip) {
    const int w = 16;
    for (int i = 0; i < 6; i++) {
        int wall[6] = {box[0] - w, box[1] - w, box[2] - w, box[3] + w, box[4] + w, box[5] + w};
        int axis = i / 2;
        if (i & 1) {
            wall[axis] = box[axis + 3];
        } else {
            wall[axis + 3] = box[axis];
        }
        if (i != skip) {
            Text_Box(t, wall, texture);
        }
    }
}

static inline void Text_Point(map_text_t *t, const char *class, int x, int y, int z) {
    Text_Open(t, class);
    Text_Add(t, "\"origin\" \"%d %d %d\"\n", x, y, z);
    Text_Close(t);
}

/// Stores the result of a compilation.
typedef struct {
    mc_outcome_t outcome;
    mc_result_t result;
    int32_t num_warnings;
    char said[1 << 14]; ///< all lines, each with a newline
    cmap_t map;         ///< loaded if a .bsp was made
} compiled_t;

static inline void take_line(void *context, const char *text) {
    compiled_t *c = context;
    strlcat(c->said, text, sizeof c->said);
    strlcat(c->said, "\n", sizeof c->said);
}

static inline void Compile_Bytes(compiled_t *c, const char *text, size_t size,
                                 const mc_options_t *options) {
    *c = (compiled_t){0};
    mc_report_t report = {.line = take_line, .context = c, .name = "t.map", .quiet = true};
    c->outcome = MC_Compile(&c->result, options, &report, text, size);
    c->num_warnings = report.num_warnings;
    if (c->result.bsp) {
        err_t err;
        if (!BSP_Parse(&c->map, "t.bsp", c->result.bsp, c->result.bsp_size, &err)) {
            fail_msg("%s", err.text);
        }
    }
}

static inline void Compile_Text(compiled_t *c, const map_text_t *t, bool halflife) {
    mc_options_t options = {.halflife = halflife};
    Compile_Bytes(c, t->text, t->used, &options);
}

static inline void Compile_Free(compiled_t *c) {
    CM_FreeMap(&c->map);
    MC_FreeResult(&c->result);
}

/// Returns the contents of a hull of a model at a point.
static inline contents_t Contents_At(const compiled_t *c, int model, int hull, float x, float y,
                                     float z) {
    assert_non_null(c->result.bsp);
    assert_true(model < c->map.num_models);
    return CM_HullPointContents(&c->map.models[model].hulls[hull], Vector(x, y, z));
}

#endif
