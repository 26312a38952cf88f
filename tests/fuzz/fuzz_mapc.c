// fuzz_mapc.c - the map compiler fed with hostile sources, and with small maps made of the bytes.
//
// Input:      if the first byte is below 0x80, the source's text. Otherwise the bytes become planes
//             of brushes in a sealed room, eight bytes a plane, to exercise the geometry.
// Invariants: the loader accepts a compiled map and its entity text; the same source gives the same
//             bytes; each face is in its plane; a failure is a line that begins with the map's
//             name; a leak has points.

#include "base/assert.h"
#include "bsp/bsp.h"
#include "bsp/entity_text.h"
#include "bsp/faces.h"
#include "mapc/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUT_BYTES  4096 // more brushes take more time, but reach no other code
#define MAX_MADE_BYTES   (64 * 1024)
#define MEMORY_BYTES     ((size_t)192 << 20)
#define PLANE_BYTES      8
#define SIDES_PER_BRUSH  7
#define MAX_MADE_BRUSHES 8
#define MAX_CORNERS      60
#define FACE_EPSILON     0.1f // qu

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    int32_t lines;
    bool bad_line;
} heard_t;

static void take_line(void *context, const char *text) {
    heard_t *heard = context;
    heard->lines++;
    heard->bad_line |= strncmp(text, "fuzz.map:", 9) != 0;
}

typedef struct {
    char *bytes;
    size_t used;
} made_t;

__attribute__((format(printf, 2, 3))) static void add_text(made_t *made, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(made->bytes + made->used, MAX_MADE_BYTES - made->used, format, args);
    va_end(args);
    ASSERT(length >= 0 && (size_t)length < MAX_MADE_BYTES - made->used);
    made->used += (size_t)length;
}

static const char *const TEXTURES[] = {"stone", "clip",   "sky1",   "*water", "*lava",  "*slime1",
                                       "hint",  "origin", "ladder", "skip",   "!cur_0", "trigger"};
static const char *const CLASSES[] = {"func_group", "func_wall", "func_detail_illusionary",
                                      "trigger_once"};

/// Adds a side: three points near a corner of the brush's box.
static void add_side(made_t *made, const uint8_t *b, const char *texture) {
    const int x = (int8_t)b[0];
    const int y = (int8_t)b[1];
    const int z = (int8_t)b[2];
    const double fine = (double)b[7] / 64.0 - 2.0;
    add_text(made, "( %d %d %d ) ( %d %g %d ) ( %d %d %d ) %s 0 %d %d %g 1\n", x, y, z,
             x + (int8_t)b[3], (double)y + fine, z + (int8_t)b[4], x, y + (int8_t)b[5],
             z + (int8_t)b[6], texture, b[3], b[4], (double)(int8_t)b[5] / 16.0);
}

/// Adds a wall of the room: across axis 0..2, at the low or the high end.
static void add_wall(made_t *made, int axis, bool high) {
    int lo[3] = {-272, -272, -272};
    int hi[3] = {272, 272, 272};
    lo[axis] = high ? 256 : -272;
    hi[axis] = high ? 272 : -256;
    add_text(
        made,
        "{\n( %d 0 0 ) ( %d 1 0 ) ( %d 0 1 ) a 0 0 0 1 1\n( %d 0 0 ) ( %d 0 1 ) ( %d 1 0 ) a 0 0 "
        "0 1 1\n( 0 %d 0 ) ( 0 %d 1 ) ( 1 %d 0 ) a 0 0 0 1 1\n( 0 %d 0 ) ( 1 %d 0 ) ( 0 %d 1 ) "
        "a 0 0 0 1 1\n( 0 0 %d ) ( 1 0 %d ) ( 0 1 %d ) a 0 0 0 1 1\n( 0 0 %d ) ( 0 1 %d ) ( 1 0 "
        "%d ) a 0 0 0 1 1\n}\n",
        lo[0], lo[0], lo[0], hi[0], hi[0], hi[0], lo[1], lo[1], lo[1], hi[1], hi[1], hi[1], lo[2],
        lo[2], lo[2], hi[2], hi[2], hi[2]);
}

/// Makes a map of the bytes. Byte 0 tells which wall is missing and how many brushes entities get.
static void make_map(made_t *made, const uint8_t *data, size_t size) {
    add_text(made, "{\n\"classname\" \"worldspawn\"\n");
    for (int i = 0; i < 6; i++) {
        if (i != (data[0] & 15)) {
            add_wall(made, i / 2, (i & 1) != 0);
        }
    }
    size_t at = 1;
    for (int brush = 0; brush < MAX_MADE_BRUSHES && at + PLANE_BYTES <= size; brush++) {
        if (brush == ((data[0] >> 4) & 7)) {
            add_text(made, "}\n{\n\"classname\" \"%s\"\n", CLASSES[data[at] % 4]);
        }
        const char *texture = TEXTURES[data[at] % (sizeof TEXTURES / sizeof TEXTURES[0])];
        add_text(made, "{\n");
        for (int side = 0; side < SIDES_PER_BRUSH && at + PLANE_BYTES <= size; side++) {
            add_side(made, data + at, texture);
            at += PLANE_BYTES;
        }
        add_text(made, "}\n");
    }
    add_text(made, "}\n{\n\"classname\" \"light\"\n\"origin\" \"-250 -250 250\"\n}\n");
}

/// Checks that the faces can be read, and that each is in its plane.
static void check_faces(const mc_result_t *result) {
    bsp_faces_t faces;
    err_t err;
    bool good = Faces_Parse(&faces, "fuzz.bsp", result->bsp, result->bsp_size, &err);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
    }
    ASSERT(good);
    for (int32_t i = 0; i < faces.num_faces; i++) {
        const bsp_face_t *face = &faces.faces[i];
        ASSERT(face->num_vertices <= MAX_CORNERS && face->texinfo->texture->name[0]);
        for (int32_t k = 0; k < face->num_vertices; k++) {
            float d = DotProduct(face->vertices[k], face->plane.normal) - face->plane.dist;
            ASSERT(fabsf(d) < FACE_EPSILON);
        }
    }
    Faces_Free(&faces);
}

static void check_map(const mc_result_t *result) {
    cmap_t map;
    err_t err;
    check_faces(result);
    bool good = BSP_Parse(&map, "fuzz.bsp", result->bsp, result->bsp_size, &err);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
    }
    ASSERT(good);
    entity_parser_t parser = {map.entities, map.entities + map.entities_bytes, 1};
    static entity_def_t entity; // static because it is large
    entity_parse_t got;
    do {
        got = BSP_ParseEntity(&parser, &entity, &err);
        ASSERT(got != ENTITY_ERROR);
    } while (got == ENTITY_PARSED);
    CM_FreeMap(&map);
}

static mc_outcome_t compile(mc_result_t *result, const mc_options_t *options, const char *text,
                            size_t size) {
    heard_t heard = {0};
    mc_report_t report = {.line = take_line, .context = &heard, .name = "fuzz.map", .quiet = true};
    mc_outcome_t outcome = MC_Compile(result, options, &report, text, size);
    ASSERT(!heard.bad_line);
    ASSERT(outcome == MC_COMPILED || heard.lines > 0);
    ASSERT((outcome == MC_FAILED) == (result->bsp == NULL));
    ASSERT(outcome != MC_LEAKED || (result->leak_points != NULL && result->leak_size > 0));
    ASSERT(outcome != MC_COMPILED || result->leak_points == NULL);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > MAX_INPUT_BYTES) {
        return 0;
    }
    made_t made = {calloc(1, MAX_MADE_BYTES), 0};
    ASSERT(made.bytes);
    if (data[0] & 0x80) {
        make_map(&made, data, size);
    } else {
        memcpy(made.bytes, data, size);
        made.used = size;
    }
    mc_options_t options = {
        .halflife = (size & 1) != 0, .vis.fast = (size & 2) != 0, .memory_bytes = MEMORY_BYTES};
    mc_result_t one;
    mc_result_t two;
    mc_outcome_t outcome = compile(&one, &options, made.bytes, made.used);
    if (outcome != MC_FAILED) {
        check_map(&one);
    }
    if (size % 8 == 0) { // not always, because it takes as long as the rest
        ASSERT(compile(&two, &options, made.bytes, made.used) == outcome);
        ASSERT(one.bsp_size == two.bsp_size && one.leak_size == two.leak_size);
        ASSERT(one.bsp_size == 0 || memcmp(one.bsp, two.bsp, one.bsp_size) == 0);
        MC_FreeResult(&two);
    }
    MC_FreeResult(&one);
    free(made.bytes);
    return 0;
}
