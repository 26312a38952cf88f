#include "lib/faces_fixture.h"

#include "base/assert.h"
#include "bsp/lumps.h"

#include <stdlib.h>
#include <string.h>

enum { MORE_BYTES = 1 << 18, CORNERS = 4, MIPTEX_BYTES = 40, AT_FIRST_FACE = 56 };

typedef struct {
    uint8_t *bytes;
    size_t used;
    bool wide, has_palette;
    const test_faces_t *boxes;
    int32_t count;
} builder_t;

static void put_bytes(builder_t *b, const void *data, size_t size) {
    memcpy(b->bytes + b->used, data, size);
    b->used += size;
}

static void put_int(builder_t *b, int64_t value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        b->bytes[b->used++] = (uint8_t)((uint64_t)value >> (8 * i));
    }
}

/// Writes a field that is wider in 2PSB and BSP2.
static void put_index(builder_t *b, int64_t value) {
    put_int(b, value, b->wide ? 4 : 2);
}

static void put_float(builder_t *b, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_int(b, bits, 4);
}

static void patch(builder_t *b, size_t at, int64_t value) {
    size_t used = b->used;
    b->used = at;
    put_int(b, value, 4);
    b->used = used;
}

static float edge_of(const test_faces_t *box, int32_t axis, bool high) {
    return VectorAxis(high ? box->box.maxs : box->box.mins, axis);
}

/// Returns the number, 0 to 7, of a corner of a face, clockwise as seen from outside the box.
static uint32_t corner(int32_t axis, bool high, int32_t number) {
    static const uint32_t round[CORNERS][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const uint32_t *at = round[high ? CORNERS - 1 - number : number];
    return (uint32_t)high << axis | at[0] << (axis + 1) % 3 | at[1] << (axis + 2) % 3;
}

static void put_planes(builder_t *b) {
    for (int32_t i = 0; i < b->count * TEST_FACES_BOX; i++) {
        int32_t axis = i % 6 / 2;
        for (int32_t k = 0; k < 3; k++) {
            put_float(b, k == axis ? 1.0f : 0.0f);
        }
        put_float(b, edge_of(&b->boxes[i / TEST_FACES_BOX], axis, i % 2 != 0));
        put_int(b, axis, 4);
    }
}

static void put_vertexes(builder_t *b) {
    for (int32_t i = 0; i < b->count * 8; i++) {
        for (int32_t axis = 0; axis < 3; axis++) {
            put_float(b, edge_of(&b->boxes[i / 8], axis, (i >> axis & 1) != 0));
        }
    }
}

/// Returns corner `number` of a face: the number of its vertex.
static int32_t vertex_of(const builder_t *b, int32_t face, int32_t number) {
    int32_t box = face / TEST_FACES_BOX;
    int32_t turned = b->boxes[box].inside ? CORNERS - number : number;
    return box * 8 + (int32_t)corner(face % 6 / 2, face % 2 != 0, turned % CORNERS);
}

/// Writes an edge for each corner of each face. Every second edge is turned round.
static void put_edges(builder_t *b) {
    put_index(b, 0);
    put_index(b, 0);
    for (int32_t i = 0; i < b->count * TEST_FACES_BOX_CORNERS; i++) {
        put_index(b, vertex_of(b, i / CORNERS, i % CORNERS + i % 2));
        put_index(b, vertex_of(b, i / CORNERS, i % CORNERS + 1 - i % 2));
    }
}

static void put_surfedges(builder_t *b) {
    for (int32_t i = 1; i <= b->count * TEST_FACES_BOX_CORNERS; i++) {
        put_int(b, i % 2 != 0 ? i : -i, 4);
    }
}

static void put_faces(builder_t *b, int32_t first_plane) {
    for (int32_t i = 0; i < b->count * TEST_FACES_BOX; i++) {
        const test_faces_t *box = &b->boxes[i / TEST_FACES_BOX];
        put_index(b, first_plane + i);
        put_index(b, (i % 2 != 0) == box->inside); // the plane's normal is positive
        put_int(b, i * CORNERS, 4);
        put_index(b, CORNERS);
        put_index(b, i / TEST_FACES_BOX); // texinfo
        put_int(b, 0xffffffff, 4);
        put_int(b, -1, 4);
    }
}

static void put_texinfo(builder_t *b) {
    for (int32_t i = 0; i < b->count; i++) {
        const float axes[8] = {1.0f, 0.0f, 0.0f, 4.0f, 0.0f, 0.0f, 1.0f, -4.0f};
        for (size_t k = 0; k < COUNTOF(axes); k++) {
            put_float(b, axes[k]);
        }
        put_int(b, i, 4);
        put_int(b, 0, 4);
    }
}

static void put_texture(builder_t *b, const test_faces_t *box) {
    char name[16] = "";
    strlcpy(name, box->texture, sizeof name);
    put_bytes(b, name, sizeof name);
    put_int(b, TEST_FACES_SIZE, 4);
    put_int(b, TEST_FACES_SIZE, 4);
    size_t texels = 0;
    for (int32_t i = 0; i < 4; i++) {
        put_int(b, (int64_t)(MIPTEX_BYTES + texels), 4);
        texels += (size_t)(TEST_FACES_SIZE >> i) * (TEST_FACES_SIZE >> i);
    }
    memset(b->bytes + b->used, box->colour, texels);
    b->used += texels;
    if (b->has_palette) {
        put_int(b, 256, 2);
        for (int32_t i = 0; i < 3 * 256; i++) {
            put_int(b, i / 3 * (i % 3 + 1), 1);
        }
        put_int(b, 0, 2);
    }
}

static void put_textures(builder_t *b) {
    size_t start = b->used;
    put_int(b, b->count, 4);
    b->used += 4 * (size_t)b->count;
    for (int32_t i = 0; i < b->count; i++) {
        bool is_there = b->boxes[i].texture != NULL;
        patch(b, start + 4 + 4 * (size_t)i, is_there ? (int64_t)(b->used - start) : -1);
        if (is_there) {
            put_texture(b, &b->boxes[i]);
        }
    }
}

static void set_models(builder_t *b) {
    size_t models = Lumps_U32(b->bytes + 4 + LUMP_MODELS * 8);
    for (int32_t i = 0; i < b->count; i++) {
        uint8_t *at = b->bytes + models + 64 * (size_t)b->boxes[i].model + AT_FIRST_FACE;
        int32_t faces = Lumps_I32(at + 4);
        patch(b, (size_t)(at - b->bytes), faces == 0 ? i * TEST_FACES_BOX : Lumps_I32(at));
        patch(b, (size_t)(at + 4 - b->bytes), faces + TEST_FACES_BOX);
    }
}

uint8_t *TestFaces_Add(uint8_t *bytes, size_t *size, const test_faces_t *boxes, int32_t count) {
    ASSERT(count <= TEST_FACES_MAX_BOXES);
    builder_t b = {.bytes = calloc(1, *size + MORE_BYTES),
                   .used = *size,
                   .wide = bytes[3] != 0,
                   .has_palette = bytes[0] == 30,
                   .boxes = boxes,
                   .count = count};
    ASSERT(b.bytes);
    memcpy(b.bytes, bytes, *size);
    size_t planes = Lumps_U32(bytes + 4 + LUMP_PLANES * 8);
    size_t planes_bytes = Lumps_U32(bytes + 8 + LUMP_PLANES * 8);
    const bsp_lump_t lumps[] = {LUMP_PLANES, LUMP_VERTEXES, LUMP_EDGES,   LUMP_SURFEDGES,
                                LUMP_FACES,  LUMP_TEXINFO,  LUMP_TEXTURES};
    for (size_t i = 0; i < COUNTOF(lumps); i++) {
        size_t start = b.used;
        switch (lumps[i]) {
        case LUMP_PLANES:
            put_bytes(&b, bytes + planes, planes_bytes);
            put_planes(&b);
            break;
        case LUMP_VERTEXES:
            put_vertexes(&b);
            break;
        case LUMP_EDGES:
            put_edges(&b);
            break;
        case LUMP_SURFEDGES:
            put_surfedges(&b);
            break;
        case LUMP_FACES:
            put_faces(&b, (int32_t)(planes_bytes / 20));
            break;
        case LUMP_TEXINFO:
            put_texinfo(&b);
            break;
        default:
            put_textures(&b);
            break;
        }
        patch(&b, 4 + (size_t)lumps[i] * 8, (int64_t)start);
        patch(&b, 8 + (size_t)lumps[i] * 8, (int64_t)(b.used - start));
    }
    set_models(&b);
    free(bytes);
    *size = b.used;
    return b.bytes;
}
