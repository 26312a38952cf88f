#include "lib/map_fixture.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUM_LUMPS = 15,
    HEADER_BYTES = 4 + NUM_LUMPS * 8,
    MAX_HULLS = 4,
    PLANES_A_BLOCK = 7, // six faces and a cut
    MAX_NODES = MAX_HULLS * PLANES_A_BLOCK * (TEST_MAP_MAX_BLOCKS + 1),
    NUM_LEAFS = 16, // one leaf for each contents
    FILE_BYTES = 1 << 20
};

typedef struct {
    int32_t plane, children[2];
} node_t;

/// Differences between the formats.
typedef struct {
    const char *name;
    const char *magic;
    bool wide_children, wide_bounds;
    hullset_t hullset;
} format_t;

static const format_t formats[] = {
    {"BSP29", "\x1d\0\0\0", false, false, HULLSET_QUAKE},
    {"2PSB", "2PSB", true, false, HULLSET_QUAKE},
    {"BSP2", "BSP2", true, true, HULLSET_QUAKE},
    {"BSP30", "\x1e\0\0\0", false, false, HULLSET_HALFLIFE},
};

typedef struct {
    const test_map_t *test;
    const format_t *format;
    plane_t planes[MAX_NODES];
    node_t nodes[MAX_NODES], clipnodes[MAX_NODES];
    int32_t num_planes, num_nodes, num_clipnodes;
    int32_t hull;   // hull being built
    bounds_t grown; // that hull's box
    uint8_t *bytes;
    size_t used;
} builder_t;

static void put_bytes(builder_t *b, const void *data, size_t size) {
    ASSERT(b->used + size <= FILE_BYTES);
    memcpy(b->bytes + b->used, data, size);
    b->used += size;
}

static void put_int(builder_t *b, int64_t value, size_t size) {
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
    put_bytes(b, bytes, size);
}

static void put_float(builder_t *b, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_int(b, bits, 4);
}

static void put_vector(builder_t *b, vec3_t v) {
    put_float(b, v.x);
    put_float(b, v.y);
    put_float(b, v.z);
}

/// Returns the child of a node: a leaf, or in clipnodes a contents.
static int32_t place(const builder_t *b, contents_t contents) {
    if (b->hull > 0) {
        return contents;
    }
    return -1 - (contents == CONTENTS_SOLID ? 0 : contents == CONTENTS_EMPTY ? 1 : -1 - contents);
}

static int32_t add_node(builder_t *b, vec3_t normal, float dist, int32_t front, int32_t back) {
    ASSERT(b->num_planes < MAX_NODES);
    b->planes[b->num_planes] = (plane_t){normal, dist, 0};
    node_t *nodes = b->hull == 0 ? b->nodes : b->clipnodes;
    int32_t *count = b->hull == 0 ? &b->num_nodes : &b->num_clipnodes;
    nodes[*count] = (node_t){b->num_planes++, {front, back}};
    return (*count)++;
}

static vec3_t axis_normal(int axis) {
    return Vector(axis == 0, axis == 1, axis == 2);
}

/// Returns how far a plane moves out so that the hull's box in front of it just touches it.
static float support(const builder_t *b, vec3_t normal) {
    float sum = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float n = VectorAxis(normal, axis);
        sum -= n * VectorAxis(n > 0.0f ? b->grown.mins : b->grown.maxs, axis);
    }
    return sum;
}

/// Adds the tree of one block; `outside` is the child around it.
static int32_t add_block(builder_t *b, const test_block_t *block, int32_t outside) {
    bool solid = block->contents == CONTENTS_SOLID || block->contents == CONTENTS_CLIP;
    if (b->hull == 0 ? block->contents == CONTENTS_CLIP : !solid) {
        return outside; // not in this hull
    }
    int32_t num = place(b, b->hull == 0 ? block->contents : CONTENTS_SOLID);
    if (!VectorCompare(block->cut_normal, Vector(0.0f, 0.0f, 0.0f))) {
        float dist = block->cut_dist + support(b, block->cut_normal);
        num = add_node(b, block->cut_normal, dist, outside, num);
    }
    for (int axis = 2; axis >= 0; axis--) {
        vec3_t normal = axis_normal(axis);
        float top = VectorAxis(block->box.maxs, axis) - VectorAxis(b->grown.mins, axis);
        float bottom = VectorAxis(block->box.mins, axis) - VectorAxis(b->grown.maxs, axis);
        num = add_node(b, normal, top, outside, num);
        num = add_node(b, normal, bottom, num, outside);
    }
    return num;
}

static int32_t add_room(builder_t *b, int32_t inside) {
    int32_t solid = place(b, CONTENTS_SOLID);
    int32_t num = inside;
    for (int axis = 2; axis >= 0; axis--) {
        vec3_t normal = axis_normal(axis);
        float top = VectorAxis(b->test->room.maxs, axis) - VectorAxis(b->grown.maxs, axis);
        float bottom = VectorAxis(b->test->room.mins, axis) - VectorAxis(b->grown.mins, axis);
        num = add_node(b, normal, top, solid, num);
        num = add_node(b, normal, bottom, num, solid);
    }
    return num;
}

/// Builds one hull of one model. Returns its head node.
static int32_t add_hull(builder_t *b, int32_t model, int32_t hull) {
    b->hull = hull;
    b->grown = CM_HullSize(b->format->hullset, hull);
    int32_t num = place(b, CONTENTS_EMPTY);
    for (int32_t i = b->test->num_blocks - 1; i >= 0; i--) {
        if (b->test->blocks[i].model == model) {
            num = add_block(b, &b->test->blocks[i], num);
        }
    }
    return model == 0 ? add_room(b, num) : num;
}

static bounds_t model_bounds(const test_map_t *test, int32_t model) {
    if (model == 0) {
        return test->room;
    }
    bounds_t all = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    bool first = true;
    for (int32_t i = 0; i < test->num_blocks; i++) {
        if (test->blocks[i].model == model) {
            all = first ? test->blocks[i].box : BoundsUnion(all, test->blocks[i].box);
            first = false;
        }
    }
    return all;
}

static void put_nodes(builder_t *b, bool clip) {
    const node_t *nodes = clip ? b->clipnodes : b->nodes;
    int32_t count = clip ? b->num_clipnodes : b->num_nodes;
    for (int32_t i = 0; i < count; i++) {
        put_int(b, nodes[i].plane, 4);
        for (int side = 0; side < 2; side++) {
            put_int(b, nodes[i].children[side], b->format->wide_children ? 4 : 2);
        }
        if (!clip) { // bounds, first face, number of faces: unused
            put_bytes(b, (uint8_t[24]){0}, b->format->wide_bounds ? 24 : 12);
            put_bytes(b, (uint8_t[8]){0}, b->format->wide_children ? 8 : 4);
        }
    }
}

static void put_leafs(builder_t *b) {
    for (int32_t i = 0; i < NUM_LEAFS; i++) {
        put_int(b, i == 0 ? CONTENTS_SOLID : i == 1 ? CONTENTS_EMPTY : -1 - i, 4);
        put_int(b, -1, 4);
        put_bytes(b, (uint8_t[24]){0}, b->format->wide_bounds ? 24 : 12);
        put_bytes(b, (uint8_t[8]){0}, b->format->wide_children ? 8 : 4);
        put_bytes(b, (uint8_t[4]){0}, 4);
    }
}

static void put_models(builder_t *b, int32_t heads[][MAX_HULLS], int32_t num_models) {
    for (int32_t model = 0; model < num_models; model++) {
        bounds_t bounds = model_bounds(b->test, model);
        put_vector(b, bounds.mins);
        put_vector(b, bounds.maxs);
        put_vector(b, Vector(0.0f, 0.0f, 0.0f));
        for (int32_t hull = 0; hull < MAX_HULLS; hull++) {
            put_int(b, heads[model][hull], 4);
        }
        put_bytes(b, (uint8_t[12]){0}, 12); // visible leafs, faces
    }
}

static void put_planes(builder_t *b) {
    for (int32_t i = 0; i < b->num_planes; i++) {
        put_vector(b, b->planes[i].normal);
        put_float(b, b->planes[i].dist);
        put_int(b, PlaneType(b->planes[i].normal), 4);
    }
}

static void put_entities(builder_t *b) {
    char text[256];
    vec3_t middle = VectorLerp(b->test->room.mins, b->test->room.maxs, 0.5f);
    snprintf(text, sizeof text,
             "{\n\"classname\" \"worldspawn\"\n}\n"
             "{\n\"classname\" \"info_player_start\"\n\"origin\" \"%g %g %g\"\n}\n",
             (double)middle.x, (double)middle.y, (double)middle.z);
    const char *entities = b->test->entities ? b->test->entities : text;
    put_bytes(b, entities, strlen(entities) + 1);
}

// ---- the brush list ----

#define WALL 64.0f // qu thick

static void put_brush(builder_t *b, const bounds_t *box, contents_t contents, bool is_cut,
                      vec3_t normal, float dist) {
    put_vector(b, box->mins);
    put_vector(b, box->maxs);
    put_int(b, contents, 2);
    put_int(b, is_cut, 2);
    if (is_cut) {
        put_vector(b, normal);
        put_float(b, dist);
    }
}

static bool is_cut(const test_block_t *block) {
    return !VectorCompare(block->cut_normal, Vector(0.0f, 0.0f, 0.0f));
}

static void put_walls(builder_t *b) {
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    const bounds_t *room = &b->test->room;
    vec3_t wall = {WALL, WALL, WALL};
    vec3_t mins = VectorSubtract(room->mins, wall);
    vec3_t maxs = VectorAdd(room->maxs, wall);
    for (int axis = 0; axis < 3; axis++) {
        vec3_t along = axis_normal(axis);
        float top = VectorAxis(room->maxs, axis) - VectorAxis(mins, axis);
        float bottom = VectorAxis(room->mins, axis) - VectorAxis(maxs, axis);
        bounds_t low = {mins, VectorMA(maxs, bottom, along)};
        bounds_t high = {VectorMA(mins, top, along), maxs};
        put_brush(b, &low, CONTENTS_SOLID, false, none, 0.0f);
        put_brush(b, &high, CONTENTS_SOLID, false, none, 0.0f);
    }
}

static void put_brush_list(builder_t *b, int32_t model) {
    int32_t brushes = model == 0 ? 6 : 0;
    int32_t planes = 0;
    for (int32_t i = 0; i < b->test->num_blocks; i++) {
        const test_block_t *block = &b->test->blocks[i];
        brushes += block->model == model;
        planes += block->model == model && is_cut(block);
    }
    put_int(b, 1, 4);
    put_int(b, model, 4);
    put_int(b, brushes, 4);
    put_int(b, planes, 4);
    if (model == 0) {
        put_walls(b);
    }
    for (int32_t i = 0; i < b->test->num_blocks; i++) {
        const test_block_t *block = &b->test->blocks[i];
        if (block->model == model) {
            put_brush(b, &block->box, block->contents, is_cut(block), block->cut_normal,
                      block->cut_dist);
        }
    }
}

static void put_appendix(builder_t *b, int32_t num_models) {
    while (b->used % 4 != 0) {
        put_int(b, 0, 1);
    }
    put_bytes(b, "BSPX", 4);
    put_int(b, 1, 4);
    put_bytes(b, "BRUSHLIST\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
    size_t sizes = b->used;
    put_bytes(b, (uint8_t[8]){0}, 8);
    size_t start = b->used;
    for (int32_t model = 0; model < num_models; model++) {
        if ((b->test->no_list >> model & 1) == 0) {
            put_brush_list(b, model);
        }
    }
    size_t end = b->used;
    b->used = sizes;
    put_int(b, (int64_t)start, 4);
    put_int(b, (int64_t)(end - start), 4);
    b->used = end;
}

// ---- the file ----

static void put_file(builder_t *b, int32_t heads[][MAX_HULLS], int32_t num_models) {
    put_bytes(b, b->format->magic, 4);
    put_bytes(b, (uint8_t[NUM_LUMPS * 8]){0}, NUM_LUMPS * 8);
    for (int lump = 0; lump < NUM_LUMPS; lump++) {
        size_t offset = b->used;
        if (lump == 0) {
            put_entities(b);
        } else if (lump == 1) {
            put_planes(b);
        } else if (lump == 5 || lump == 9) {
            put_nodes(b, lump == 9);
        } else if (lump == 10) {
            put_leafs(b);
        } else if (lump == 14) {
            put_models(b, heads, num_models);
        }
        size_t end = b->used;
        b->used = 4 + (size_t)lump * 8;
        put_int(b, (int64_t)offset, 4);
        put_int(b, (int64_t)(end - offset), 4);
        b->used = end;
    }
}

static const format_t *find_format(const char *name) {
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        if (strcmp(formats[i].name, name ? name : "BSP29") == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

uint8_t *TestMap_Bytes(const test_map_t *test, size_t *size) {
    int32_t heads[TEST_MAP_MAX_BLOCKS + 1][MAX_HULLS] = {{0}};
    int32_t num_models = 1;
    ASSERT(test->num_blocks <= TEST_MAP_MAX_BLOCKS);
    for (int32_t i = 0; i < test->num_blocks; i++) {
        ASSERT(test->blocks[i].model >= 0 && test->blocks[i].model <= TEST_MAP_MAX_BLOCKS);
        num_models = Q_MaxI(num_models, test->blocks[i].model + 1);
    }
    builder_t *b = calloc(1, sizeof *b);
    ASSERT(b && find_format(test->format));
    b->test = test;
    b->format = find_format(test->format);
    b->bytes = malloc(FILE_BYTES);
    ASSERT(b->bytes);
    for (int32_t model = 0; model < num_models; model++) {
        for (int32_t hull = 0; hull < CM_NumHulls(b->format->hullset); hull++) {
            heads[model][hull] = add_hull(b, model, hull);
        }
    }
    put_file(b, heads, num_models);
    if (test->brush_list) {
        put_appendix(b, num_models);
    }
    uint8_t *bytes = b->bytes;
    *size = b->used;
    free(b);
    return bytes;
}

bool TestMap_Build(cmap_t *map, const test_map_t *test) {
    size_t size = 0;
    uint8_t *bytes = TestMap_Bytes(test, &size);
    err_t err = {{0}};
    bool good = BSP_Parse(map, test->name ? test->name : "testmap", bytes, size, &err);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
    }
    free(bytes);
    return good;
}

test_block_t TestMap_RampX(vec3_t mins, vec3_t maxs) {
    vec3_t size = VectorSubtract(maxs, mins);
    vec3_t normal = VectorNormalize(Vector(-size.z, 0.0f, size.x), NULL);
    return (test_block_t){.box = {mins, maxs},
                          .contents = CONTENTS_SOLID,
                          .cut_normal = normal,
                          .cut_dist = DotProduct(normal, mins)};
}

test_block_t TestMap_Box(vec3_t mins, vec3_t maxs) {
    return (test_block_t){.box = {mins, maxs}, .contents = CONTENTS_SOLID};
}
