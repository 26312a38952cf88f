#include "lib/ibsp_fixture.h"

#include "base/assert.h"
#include "bsp/bsp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 20, SHADER_NAME = 64 };

typedef struct {
    const test_ibsp_t *test;
    uint8_t *bytes;
    size_t size;
    int32_t num_lumps, lump;
} builder_t;

static void put(builder_t *b, const void *data, size_t size) {
    ASSERT(b->size + size <= ROOM);
    memcpy(b->bytes + b->size, data, size);
    b->size += size;
}

static void put_i32(builder_t *b, int64_t value) {
    uint32_t u = (uint32_t)value;
    uint8_t bytes[4] = {(uint8_t)u, (uint8_t)(u >> 8), (uint8_t)(u >> 16), (uint8_t)(u >> 24)};
    put(b, bytes, 4);
}

static void put_u16(builder_t *b, int32_t value) {
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    put(b, bytes, 2);
}

static void put_float(builder_t *b, float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_i32(b, bits);
}

static void put_vector(builder_t *b, vec3_t v) {
    put_float(b, v.x);
    put_float(b, v.y);
    put_float(b, v.z);
}

static void put_zeros(builder_t *b, size_t count) {
    static const uint8_t zeros[128];
    ASSERT(count <= sizeof(zeros));
    put(b, zeros, count);
}

static bool is_quake2(const builder_t *b) {
    return b->test->version == 38;
}

/// Writes a name, padded with zeros.
static void put_name(builder_t *b, const char *name, size_t count) {
    size_t at = b->size;
    put_zeros(b, count);
    if (name) {
        memcpy(b->bytes + at, name, strnlen(name, count));
    }
}

static void put_at(builder_t *b, size_t at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        b->bytes[at + (size_t)i] = (uint8_t)(value >> (8 * i));
    }
}

/// Begins a lump; lumps with lower numbers that were not begun are empty.
static void begin_lump(builder_t *b, int32_t lump) {
    b->lump = lump;
    put_at(b, 8 + 8 * (size_t)lump, (uint32_t)b->size);
}

static void end_lump(builder_t *b) {
    size_t at = 8 + 8 * (size_t)b->lump;
    size_t begin = b->bytes[at] | (size_t)b->bytes[at + 1] << 8 | (size_t)b->bytes[at + 2] << 16;
    put_at(b, at + 4, (uint32_t)(b->size - begin));
    while (b->size % 4 != 0) {
        put_zeros(b, 1);
    }
}

static void put_plane(builder_t *b, vec3_t normal, float dist) {
    put_vector(b, normal);
    put_float(b, dist);
    if (is_quake2(b)) {
        put_i32(b, 0);
    }
}

/// Writes seven planes for each brush. The seventh is used only if the brush is cut.
static void put_planes(builder_t *b) {
    begin_lump(b, is_quake2(b) ? 1 : 2);
    for (int32_t i = 0; i < b->test->num_brushes; i++) {
        const test_ibsp_brush_t *brush = &b->test->brushes[i];
        put_plane(b, Vector(-1.0f, 0.0f, 0.0f), -brush->box.mins.x);
        put_plane(b, Vector(1.0f, 0.0f, 0.0f), brush->box.maxs.x);
        put_plane(b, Vector(0.0f, -1.0f, 0.0f), -brush->box.mins.y);
        put_plane(b, Vector(0.0f, 1.0f, 0.0f), brush->box.maxs.y);
        put_plane(b, Vector(0.0f, 0.0f, -1.0f), -brush->box.mins.z);
        put_plane(b, Vector(0.0f, 0.0f, 1.0f), brush->box.maxs.z);
        bool cut = VectorLength(brush->cut_normal) > 0.0f;
        put_plane(b, cut ? brush->cut_normal : Vector(0.0f, 0.0f, 1.0f),
                  cut ? brush->cut_dist : brush->box.maxs.z);
    }
    end_lump(b);
}

/// Returns true if a brush sets surface flags; then each brush has two surfaces for its sides.
static bool has_surfaces(const builder_t *b) {
    bool found = false;
    for (int32_t i = 0; i < b->test->num_brushes; i++) {
        found |= b->test->brushes[i].surface != 0;
    }
    return found;
}

/// Returns the texinfo (Quake II) or shader (Quake III) of a side.
static int32_t surface_of(const builder_t *b, int32_t brush, int32_t side) {
    int32_t first = is_quake2(b) ? 0 : b->test->num_brushes + b->test->num_patches;
    bool plain = side < b->test->brushes[brush].plain;
    return has_surfaces(b) ? first + 2 * brush + (plain ? 1 : 0) : 0;
}

static void put_brushes(builder_t *b) {
    begin_lump(b, is_quake2(b) ? 14 : 8);
    for (int32_t i = 0; i < b->test->num_brushes; i++) {
        put_i32(b, 7 * i);
        put_i32(b, 7);
        put_i32(b, is_quake2(b) ? (int64_t)b->test->brushes[i].flags : i);
    }
    end_lump(b);
    begin_lump(b, is_quake2(b) ? 15 : 9);
    for (int32_t i = 0; i < 7 * b->test->num_brushes; i++) {
        int32_t surface = surface_of(b, i / 7, i % 7);
        if (is_quake2(b)) {
            put_u16(b, i);
            put_u16(b, surface);
        } else {
            put_i32(b, i);
            put_i32(b, surface);
        }
    }
    end_lump(b);
}

static int32_t first_of(const builder_t *b, int32_t model) {
    int32_t first = 0;
    while (first < b->test->num_brushes && b->test->brushes[first].model < model) {
        first++;
    }
    return first;
}

static void put_bounds(builder_t *b, int32_t model) {
    bounds_t all = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    int32_t first = first_of(b, model);
    for (int32_t i = first; i < first_of(b, model + 1); i++) {
        bounds_t box = b->test->brushes[i].box;
        all = i == first ? box : BoundsUnion(all, box);
    }
    put_vector(b, all.mins);
    put_vector(b, all.maxs);
}

// ---- Quake II ----

static void put_texinfo(builder_t *b) {
    if (!has_surfaces(b)) {
        return;
    }
    begin_lump(b, 5);
    for (int32_t i = 0; i < 2 * b->test->num_brushes; i++) {
        const test_ibsp_brush_t *brush = &b->test->brushes[i / 2];
        put_zeros(b, 32);
        put_i32(b, (int64_t)(i % 2 == 0 ? brush->surface : brush->plain_surface));
        put_zeros(b, 4);
        put_name(b, i % 2 == 0 ? NULL : brush->plain_name, 32);
        put_zeros(b, 4);
    }
    end_lump(b);
}

/// Writes the trees: a node and two leafs that share the brushes for the world, a leaf for each
/// other model.
static void put_trees(builder_t *b) {
    begin_lump(b, 4);
    put_i32(b, 1);
    put_i32(b, -1 - 1);
    put_i32(b, -1 - 2);
    put_zeros(b, 16);
    end_lump(b);
    put_texinfo(b);
    begin_lump(b, 8);
    for (int32_t i = 0; i <= b->test->num_models + 1; i++) {
        int32_t model = i <= 2 ? 0 : i - 2;
        int32_t first = first_of(b, model);
        put_zeros(b, 24);
        put_u16(b, first);
        put_u16(b, i == 0 ? 0 : first_of(b, model + 1) - first);
    }
    end_lump(b);
    begin_lump(b, 10);
    for (int32_t i = 0; i < b->test->num_brushes; i++) {
        put_u16(b, i);
    }
    end_lump(b);
    begin_lump(b, 13);
    for (int32_t i = 0; i < b->test->num_models; i++) {
        put_bounds(b, i);
        put_vector(b, Vector(0.0f, 0.0f, 0.0f));
        put_i32(b, i == 0 ? 0 : -1 - (i + 2));
        put_zeros(b, 8);
    }
    end_lump(b);
}

// ---- Quake III ----

static void put_shader(builder_t *b, const char *name, uint32_t surface, uint32_t flags) {
    put_name(b, name, SHADER_NAME);
    put_i32(b, (int64_t)surface);
    put_i32(b, (int64_t)flags);
}

static void put_models(builder_t *b) {
    begin_lump(b, 7);
    for (int32_t i = 0; i < b->test->num_models; i++) {
        put_bounds(b, i);
        put_i32(b, 0);
        put_i32(b, i == 0 ? b->test->num_patches : 0);
        put_i32(b, first_of(b, i));
        put_i32(b, first_of(b, i + 1) - first_of(b, i));
    }
    end_lump(b);
}

static void put_patches(builder_t *b) {
    begin_lump(b, 10);
    for (int32_t i = 0; i < b->test->num_patches; i++) {
        const test_ibsp_patch_t *patch = &b->test->patches[i];
        for (int32_t n = 0; n < patch->width * patch->height; n++) {
            put_vector(b, patch->points[n]);
            put_zeros(b, 32);
        }
    }
    end_lump(b);
    begin_lump(b, 13);
    int32_t first = 0;
    for (int32_t i = 0; i < b->test->num_patches; i++) {
        const test_ibsp_patch_t *patch = &b->test->patches[i];
        put_i32(b, b->test->num_brushes + i);
        put_i32(b, -1);
        put_i32(b, 2);
        put_i32(b, first);
        put_i32(b, patch->width * patch->height);
        put_zeros(b, 76);
        put_i32(b, patch->width);
        put_i32(b, patch->height);
        first += patch->width * patch->height;
    }
    end_lump(b);
}

static void put_shaders(builder_t *b) {
    begin_lump(b, 1);
    for (int32_t i = 0; i < b->test->num_brushes; i++) {
        put_shader(b, NULL, 0, b->test->brushes[i].flags);
    }
    for (int32_t i = 0; i < b->test->num_patches; i++) {
        put_shader(b, NULL, 0, b->test->patches[i].flags);
    }
    for (int32_t i = 0; i < 2 * b->test->num_brushes && has_surfaces(b); i++) {
        const test_ibsp_brush_t *brush = &b->test->brushes[i / 2];
        put_shader(b, i % 2 == 0 ? NULL : brush->plain_name,
                   i % 2 == 0 ? brush->surface : brush->plain_surface, brush->flags);
    }
    end_lump(b);
}

// ---- the file ----

uint8_t *TestIbsp_Bytes(const test_ibsp_t *test, size_t *size) {
    builder_t b = {.test = test, .bytes = calloc(1, ROOM)};
    const char *entities = test->entities
                               ? test->entities
                               : "{ \"classname\" \"worldspawn\" }\n"
                                 "{ \"classname\" \"info_player_start\" \"origin\" \"0 0 32\" }\n";
    ASSERT(b.bytes);
    put(&b, "IBSP", 4);
    put_i32(&b, test->version);
    b.size += is_quake2(&b) ? 8 * 19 : 8 * 17;
    begin_lump(&b, 0);
    put(&b, entities, strlen(entities) + 1);
    end_lump(&b);
    if (!is_quake2(&b)) {
        put_shaders(&b);
    }
    put_planes(&b);
    if (is_quake2(&b)) {
        put_trees(&b);
        put_brushes(&b);
    } else {
        put_models(&b);
        put_brushes(&b);
        put_patches(&b);
    }
    *size = b.size;
    return b.bytes;
}

size_t TestIbsp_Lump(const uint8_t *bytes, int32_t lump) {
    const uint8_t *at = bytes + 8 + 8 * (size_t)lump;
    return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

bool TestIbsp_Build(cmap_t *map, const test_ibsp_t *test) {
    size_t size = 0;
    err_t err = {{0}};
    uint8_t *bytes = TestIbsp_Bytes(test, &size);
    bool good = BSP_Parse(map, "testmap", bytes, size, &err);
    free(bytes);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
    }
    return good;
}
