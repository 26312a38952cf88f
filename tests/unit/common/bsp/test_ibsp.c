// Tests of maps of Quake II and III: accepted files and their contents, errors of refused files.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "collide/brush/brush_build.h"
#include "lib/ibsp_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"

#include <string.h>

#define DATA "../shared/data/"

enum {
    SOLID = 1,
    WINDOW = 2,
    LAVA = 8,
    SLIME = 16,
    WATER = 32,
    MIST = 64, // in Quake III: fog
    PLAYERCLIP = 0x10000,
    MONSTERCLIP = 0x20000,
    CURRENT_90 = 0x80000, // in Quake III: a jump pad
    CURRENT_DOWN = 0x800000,
    DETAIL = 0x8000000,
    LADDER = 0x20000000
};

#define CELL(n)                                                                                    \
    {                                                                                              \
        {-16.0f + 64.0f * (float)(n), -16.0f, 0.0f}, {                                             \
            16.0f + 64.0f * (float)(n), 16.0f, 32.0f                                               \
        }                                                                                          \
    }

/// One brush of each kind, 64 units apart along x. Model *1 is a wedge whose slope rises along x.
static const test_ibsp_brush_t brushes[] = {
    {.box = CELL(0), .flags = SOLID | DETAIL},
    {.box = CELL(1), .flags = PLAYERCLIP},
    {.box = CELL(2), .flags = WATER},
    {.box = CELL(3), .flags = SLIME | WATER},
    {.box = CELL(4), .flags = LAVA | SLIME | DETAIL},
    {.box = CELL(5), .flags = MIST},
    {.box = CELL(6), .flags = MONSTERCLIP},
    {.box = CELL(7), .flags = WATER | CURRENT_90},
    {.box = CELL(8), .flags = WATER | CURRENT_DOWN},
    {.box = CELL(9), .flags = WATER | PLAYERCLIP},
    {.box = CELL(10), .flags = WINDOW},
    {.box = CELL(11), .flags = LADDER},
    {.box = CELL(12), .flags = SOLID | WATER},
    {.box = {{-64.0f, -64.0f, 0.0f}, {64.0f, 64.0f, 128.0f}},
     .flags = SOLID,
     .model = 1,
     .cut_normal = {-0.70710678f, 0.0f, 0.70710678f},
     .cut_dist = 45.2548340f},
};

static test_ibsp_t room(int32_t version) {
    return (test_ibsp_t){.version = version,
                         .brushes = brushes,
                         .num_brushes = (int32_t)COUNTOF(brushes),
                         .num_models = 2};
}

static bool stops(const cmap_t *map, int cell, vec3_t mins, vec3_t maxs) {
    cm_object_t place = {.model = 0};
    vec3_t start = {64.0f * (float)cell, -64.0f, 16.0f};
    vec3_t end = {64.0f * (float)cell, 64.0f, 16.0f};
    return CM_BoxTrace(map, &place, start, end, mins, maxs).fraction < 1.0f;
}

static void check_contents(const cmap_t *map, bool is_quake2) {
    const contents_t expected[] = {
        CONTENTS_SOLID,
        CONTENTS_EMPTY,
        CONTENTS_WATER,
        CONTENTS_SLIME,
        CONTENTS_LAVA,
        CONTENTS_EMPTY,
        CONTENTS_EMPTY,
        is_quake2 ? CONTENTS_CURRENT_90 : CONTENTS_WATER,
        is_quake2 ? CONTENTS_CURRENT_DOWN : CONTENTS_WATER,
        CONTENTS_WATER,
        is_quake2 ? CONTENTS_SOLID : CONTENTS_EMPTY,
        is_quake2 ? CONTENTS_LADDER : CONTENTS_EMPTY,
        CONTENTS_SOLID,
    };
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < (int)COUNTOF(expected); i++) {
        vec3_t at = {64.0f * (float)i, 0.0f, 16.0f};
        assert_int_equal(CM_PointContents(map, 0, at), expected[i]);
        assert_int_equal(CM_PointContents(map, 0, VectorAdd(at, Vector(20.0f, 0.0f, 0.0f))),
                         CONTENTS_EMPTY);
        bool is_solid = expected[i] == CONTENTS_SOLID;
        // Sweeps a point that ends at `at`.
        const cm_object_t place = {.model = 0};
        trace_t trace =
            CM_BoxTrace(map, &place, VectorAdd(at, Vector(0.0f, 0.0f, 40.0f)), at, none, none);
        assert_int_equal(trace.contents, is_solid ? CONTENTS_EMPTY : expected[i]);
        assert_int_equal(stops(map, i, none, none), is_solid);
        assert_int_equal(stops(map, i, Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 32.0f)),
                         is_solid || i == 1 || i == 9);
    }
}

static void check_wedge(const cmap_t *map) {
    cm_object_t place = {.model = 1, .origin = {0.0f, 0.0f, 1000.0f}};
    trace_t trace =
        CM_BoxTrace(map, &place, Vector(0.0f, 0.0f, 1200.0f), Vector(0.0f, 0.0f, 1000.0f),
                    Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 32.0f));
    // Above the middle of the box, the slope is at height 64. It is 16 higher at the box's lower
    // edge: the box gets from 1200 - 24 down to 1080.
    assert_true(fabsf(trace.endpos.z - (1080.0f + 24.0f + 1.4142f * CM_DIST_EPSILON)) < 0.001f);
    assert_true(trace.plane.normal.z > 0.7f);
    assert_true(trace.plane.normal.x < -0.7f);
    assert_int_equal(CM_Contents(map, &place, Vector(32.0f, 0.0f, 1090.0f)), CONTENTS_SOLID);
    assert_int_equal(CM_Contents(map, &place, Vector(-32.0f, 0.0f, 1090.0f)), CONTENTS_EMPTY);
}

static void check_room(int32_t version, const char *format) {
    cmap_t map;
    test_ibsp_t test = room(version);
    assert_true(TestIbsp_Build(&map, &test));
    assert_string_equal(map.format, format);
    assert_true(map.brushes_only);
    assert_true(map.has_brushes);
    assert_false(map.has_clip_hulls);
    assert_int_equal(map.num_models, 2);
    assert_non_null(strstr(map.entities, "info_player_start"));
    check_contents(&map, version == 38);
    check_wedge(&map);
    assert_int_equal(CM_PointLeaf(&map, Vector(0.0f, 0.0f, 0.0f)), 0);
    vec3_t offset;
    bool fits = false;
    CM_HullForBox(&map, 0, Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 32.0f), &offset,
                  &fits);
    assert_true(fits); // brush maps have no hulls, so any box fits
    CM_FreeMap(&map);
}

static void test_quake2(void **state) {
    (void)state;
    check_room(38, "IBSP38");
}

static void test_quake3(void **state) {
    (void)state;
    check_room(46, "IBSP46");
}

static void check_lies(int32_t version, const test_ibsp_lie_t *lies, size_t count) {
    test_ibsp_t test = room(version);
    TestIbsp_CheckLies(&test, lies, count);
}

static const uint32_t nan_bits = 0x7fc00000, minus_1 = 0xffffffff;
#define LEAFS   "x: leafs: leaf 1: expected leafbrushes within 0..13, found a range of "
#define BRUSHES "x: models: model 0: expected brushes within 0..13, found a range of "
#define SIDES   "x: brushes: brush 0: expected sides within 0..97, found a range of "

static void test_quake2_lies(void **state) {
    (void)state;
    const test_ibsp_lie_t lies[] = {
        {-1, 4, 39, "x: header: expected BSP29, 2PSB, BSP2, BSP30, IBSP 38 or IBSP 46, found IBSP"},
        {-1, 8 + 8, 159, "x: planes: expected an offset after the header's 160 bytes, found 159"},
        {-1, 8 + 8 + 4, 0x7ffffff0, "x: planes: expected 2147483632 bytes at "},
        {-1, 8 + 8 + 4, 30, "x: planes: expected a multiple of 20 bytes, found 30"},
        {-1, 8 + 8 + 4, 0, "x: brushsides: side 0: expected a plane 0..-1, found 0"},
        {-1, 8 + 13 * 8 + 4, 0, "x: models: expected 1..4096 models, found 0"},
        {1, 0, nan_bits, "x: planes: plane 0: expected a normal of length 1, found "},
        {1, 12, nan_bits, "x: planes: plane 0: expected a distance within +-"},
        {1, 12, 0x49c00000, "x: planes: plane 0: expected a distance within +-"},
        {4, 4, 0, "x: nodes: node 0: expected one path to it, found two"},
        {4, 4, 1, "x: nodes: node 0: expected a child -4..0, found 1"},
        {4, 8, (uint32_t)-5, "x: nodes: node 0: expected a child -4..0, found -5"},
        {8, 28 + 24, 0x00020000 | 13, LEAFS "2 "},
        {8, 28 + 24, 0xffff0000, LEAFS "65535"},
        {10, 0, 14, "x: leafbrushes: leafbrush 0: expected a brush 0..13, found 14"},
        {13, 36, 1, "x: models: model 0: expected the root in -4..0, found 1"},
        {13, 36, (uint32_t)-5, "x: models: model 0: expected the root in -4..0, found -5"},
        {13, 48 + 36, 0, "x: nodes: node 0: expected one path to it, found two"},
        {13, 0, nan_bits, "x: models: model 0: expected mins within +-"},
        {13, 48 + 24, nan_bits, "x: models: model 1: expected origin within +-"},
        {14, 0, 92, SIDES "7 that starts at 92"},
        {14, 0, minus_1, SIDES "7 that starts at -1"},
        {14, 4, minus_1, SIDES "-1 that starts at 0"},
        {14, 4, 99, SIDES "99 that starts at 0"},
        {14, 4, 5, "x: brushes: brush 0: expected a closed brush, found an open one"},
        {14, 4, 0, "x: brushes: brush 0: expected a closed brush, found an open one"},
        {15, 0, 98, "x: brushsides: side 0: expected a plane 0..97, found 98"},
    };
    check_lies(38, lies, COUNTOF(lies));
}

static void test_quake3_lies(void **state) {
    (void)state;
    const test_ibsp_lie_t lies[] = {
        {-1, 8 + 2 * 8, 143, "x: planes: expected an offset after the header's 144 bytes"},
        {-1, 8 + 8 + 4, 0, "x: brushes: record 0: expected a shader 0..-1, found 0"},
        {-1, 8 + 7 * 8 + 4, 0, "x: models: expected 1..4096 models, found 0"},
        {2, 0, nan_bits, "x: planes: plane 0: expected a normal of length 1, found "},
        {7, 32, minus_1, BRUSHES "13 that starts at -1"},
        {7, 36, 15, BRUSHES "15 that starts at 0"},
        {7, 40 + 36, 0x7fffffff, "x: models: model 1: expected brushes within 0..13, found "},
        {7, 0, nan_bits, "x: models: model 0: expected mins within +-"},
        {8, 0, 92, SIDES "7 that starts at 92"},
        {8, 8, 14, "x: brushes: record 0: expected a shader 0..13, found 14"},
        {8, 8, minus_1, "x: brushes: record 0: expected a shader 0..13, found -1"},
        {9, 0, 98, "x: brushsides: side 0: expected a plane 0..97, found 98"},
        {9, 8, minus_1, "x: brushsides: side 1: expected a plane 0..97, found -1"},
    };
    check_lies(46, lies, COUNTOF(lies));
}

static void test_flat_brushes(void **state) {
    (void)state;
    cmap_t map;
    test_ibsp_brush_t some[4];
    for (int i = 0; i < 4; i++) {
        some[i] = brushes[0];
    }
    some[1].box.maxs.z = some[1].box.mins.z; // thickness 0
    some[3].cut_normal = Vector(0.0f, 0.0f, 1.0f);
    some[3].cut_dist = -10.0f; // the whole brush is in front of a plane
    const test_ibsp_t test = {.version = 46, .brushes = some, .num_brushes = 4, .num_models = 1};
    assert_true(TestIbsp_Build(&map, &test));
    assert_int_equal(map.num_brushes, 2);
    assert_string_equal(map.remark,
                        "testmap: brushes: brush 1: no volume, left out (and 1 more like it)");
    CM_FreeMap(&map);
}

/// Tests brushes with as many sides as a brush may have: a file with many of them must be refused,
/// because loading it would take minutes.
static void test_too_many_sides(void **state) {
    (void)state;
    brush_plane_t planes[MAX_BRUSH_SIDES];
    brushes_t all = {0};
    const bounds_t bounds = {{-110.0f, -110.0f, -110.0f}, {110.0f, 110.0f, 110.0f}};
    for (int i = 0; i < MAX_BRUSH_SIDES; i++) {
        float z = 1.0f - ((float)i + 0.5f) / (0.5f * (float)MAX_BRUSH_SIDES);
        float s;
        float c;
        SinCos((float)i * 137.508f, &s, &c);
        float r = sqrtf(1.0f - z * z);
        planes[i] = (brush_plane_t){Vector(r * c, r * s, z), 100.0f};
    }
    assert_int_equal(Brushes_Add(&all, bounds, CONTENTS_SOLID, planes, MAX_BRUSH_SIDES),
                     BRUSH_ADDED);
    const cbrush_t *ball = all.brushes.data;
    assert_int_equal(ball->num_faces, MAX_BRUSH_SIDES);
    // Euler's formula: corners + faces = edges + 2. Each corner has three edges.
    assert_int_equal(ball->num_vertices, 2 * MAX_BRUSH_SIDES - 4);
    assert_int_equal(ball->num_edges, 3 * MAX_BRUSH_SIDES - 6);
    // Adding 2,000 such brushes compares 36 million pairs of sides. Room is left for ten.
    all.work = MAX_BRUSH_WORK - 10 * (MAX_BRUSH_SIDES + 6) * (MAX_BRUSH_SIDES + 6);
    int added = 0;
    while (Brushes_Add(&all, bounds, CONTENTS_SOLID, planes, MAX_BRUSH_SIDES) == BRUSH_ADDED) {
        added++;
    }
    assert_int_equal(added, 10);
    Brushes_Free(&all);
}

// Tests several planes with the same axis, in any order: the nearest one limits the brush.
static void test_looser_planes(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        cmap_t map;
        const test_ibsp_brush_t brush = {.box = CELL(0),
                                         .flags = SOLID,
                                         .cut_normal = {i == 0 ? -1.0f : 1.0f, 0.0f, 0.0f},
                                         .cut_dist = 64.0f};
        const test_ibsp_t test = {
            .version = 46, .brushes = &brush, .num_brushes = 1, .num_models = 1};
        assert_true(TestIbsp_Build(&map, &test));
        assert_int_equal(CM_PointContents(&map, 0, Vector(-15.0f, 0.0f, 16.0f)), CONTENTS_SOLID);
        assert_int_equal(CM_PointContents(&map, 0, Vector(-17.0f, 0.0f, 16.0f)), CONTENTS_EMPTY);
        assert_int_equal(CM_PointContents(&map, 0, Vector(15.0f, 0.0f, 16.0f)), CONTENTS_SOLID);
        assert_int_equal(CM_PointContents(&map, 0, Vector(17.0f, 0.0f, 16.0f)), CONTENTS_EMPTY);
        CM_FreeMap(&map);
    }
}

// Tests that the first of two brushes counts if a sweep or a touch meets both at once, wherever
// they are in the tree.
static void test_first_of_two(void **state) {
    (void)state;
    static const test_ibsp_brush_t walls[2] = {
        {.box = {{64.0f, -200.0f, 0.0f}, {96.0f, 200.0f, 64.0f}}, .flags = SOLID},
        {.box = {{-200.0f, 64.0f, 0.0f}, {200.0f, 96.0f, 64.0f}}, .flags = SOLID}};
    static const test_ibsp_brush_t ladders[2] = {
        {.box = {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 64.0f}}, .flags = LADDER},
        {.box = {{16.0f, -48.0f, 0.0f}, {48.0f, -16.0f, 64.0f}}, .flags = LADDER}};
    for (int i = 0; i < 2; i++) {
        cmap_t map;
        const test_ibsp_brush_t two[2] = {walls[i], walls[1 - i]};
        const test_ibsp_t test = {.version = 38, .brushes = two, .num_brushes = 2, .num_models = 1};
        assert_true(TestIbsp_Build(&map, &test));
        const cm_object_t place = {.model = 0};
        const vec3_t half = {8.0f, 8.0f, 8.0f};
        trace_t trace = CM_BoxTrace(&map, &place, Vector(0.0f, 0.0f, 32.0f),
                                    Vector(100.0f, 100.0f, 32.0f), VectorNegate(half), half);
        assert_true(trace.plane.normal.x == (i == 0 ? -1.0f : 0.0f));
        assert_true(trace.plane.normal.y == (i == 0 ? 0.0f : -1.0f));
        CM_FreeMap(&map);
        const test_ibsp_brush_t both[2] = {ladders[i], ladders[1 - i]};
        const test_ibsp_t climbed = {
            .version = 38, .brushes = both, .num_brushes = 2, .num_models = 1};
        assert_true(TestIbsp_Build(&map, &climbed));
        vec3_t normal;
        const bounds_t box = {{15.5f, -16.5f, 8.0f}, {40.0f, 8.0f, 60.0f}};
        assert_true(CM_WorldLadder(&map, box, &normal));
        assert_true(normal.x == (i == 0 ? 1.0f : 0.0f));
        assert_true(normal.y == (i == 0 ? 0.0f : 1.0f));
        CM_FreeMap(&map);
    }
}

// Tests hundreds of brushes with the same box: the tree must not get deeper than a walk allows.
static void test_all_in_one_place(void **state) {
    (void)state;
    enum { MANY_ALIKE = 1500 };
    cmap_t map;
    test_ibsp_brush_t *alike = malloc(MANY_ALIKE * sizeof *alike);
    assert_non_null(alike);
    for (int i = 0; i < MANY_ALIKE; i++) {
        alike[i] = (test_ibsp_brush_t){.box = CELL(0), .flags = SOLID};
    }
    const test_ibsp_t test = {
        .version = 46, .brushes = alike, .num_brushes = MANY_ALIKE, .num_models = 1};
    assert_true(TestIbsp_Build(&map, &test));
    assert_int_equal(map.num_brushes, MANY_ALIKE);
    assert_true(stops(&map, 0, Vector(-8.0f, -8.0f, -8.0f), Vector(8.0f, 8.0f, 8.0f)));
    assert_int_equal(CM_PointContents(&map, 0, Vector(0.0f, 0.0f, 16.0f)), CONTENTS_SOLID);
    const cm_object_t place = {.model = 0};
    cm_contact_t contacts[8];
    const bounds_t box = {{-4.0f, -4.0f, 31.0f}, {4.0f, 4.0f, 40.0f}};
    assert_int_equal(CM_Overlap(&map, &place, box, contacts, 8), 8);
    CM_FreeMap(&map);
    free(alike);
}

static void set_word(uint8_t *at, uint32_t word) {
    memcpy(at, &word, sizeof word);
}

enum { MANY = 9000, MANY_MODELS = 4096 };

/// Returns a small file with MANY brushes that have the same axial sides, in each of `num_models`
/// models. If `num_sides` is 0, each model has MANY surfaces instead. The contents are of no known
/// kind.
static uint8_t *endless_file(int32_t num_models, int32_t num_sides, size_t *size) {
    static const float planes[6][4] = {{1.0f, 0.0f, 0.0f, 16.0f}, {-1.0f, 0.0f, 0.0f, 16.0f},
                                       {0.0f, 1.0f, 0.0f, 16.0f}, {0.0f, -1.0f, 0.0f, 16.0f},
                                       {0.0f, 0.0f, 1.0f, 16.0f}, {0.0f, 0.0f, -1.0f, 16.0f}};
    const struct {
        int32_t lump, bytes;
    } lumps[] = {{1, 72},        {2, sizeof planes}, {7, 40 * num_models},
                 {8, 12 * MANY}, {9, 8 * MANY},      {13, 104 * MANY}};
    size_t end = 144;
    uint8_t *bytes = calloc(1, end + 72 + sizeof planes + 40 * MANY_MODELS + 124 * MANY);
    assert_non_null(bytes);
    memcpy(bytes, "IBSP", 4);
    set_word(bytes + 4, 46);
    for (size_t i = 0; i < COUNTOF(lumps); i++) {
        set_word(bytes + 8 + lumps[i].lump * 8, (uint32_t)end);
        set_word(bytes + 12 + lumps[i].lump * 8, (uint32_t)lumps[i].bytes);
        end += (size_t)lumps[i].bytes;
    }
    memcpy(bytes + TestIbsp_Lump(bytes, 2), planes, sizeof planes);
    for (int i = 0; i < num_models; i++) {
        uint8_t *model = bytes + TestIbsp_Lump(bytes, 7) + i * 40;
        set_word(model + 28, num_sides == 0 ? MANY : 0);
        set_word(model + 36, num_sides > 0 ? MANY : 0);
    }
    for (int i = 0; i < MANY; i++) {
        set_word(bytes + TestIbsp_Lump(bytes, 8) + i * 12 + 4, (uint32_t)num_sides);
        set_word(bytes + TestIbsp_Lump(bytes, 9) + i * 8, (uint32_t)i % 6);
    }
    *size = end;
    return bytes;
}

/// Tests files of a megabyte that would take hours to read because they use the same sides, brushes
/// or surfaces again and again.
static void test_endless_reading(void **state) {
    (void)state;
    const struct {
        int32_t num_models, num_sides;
        const char *why;
    } files[] = {{1, 8, ""},
                 {1, 3000, ""},
                 {2, 3000, "x: brushes: record 2"},
                 {MANY_MODELS, MANY, "x: brushes: record 3"},
                 {MANY_MODELS, 1, "x: brushes: record"},
                 {MANY_MODELS, 0, "x: surfaces: record"}};
    for (size_t i = 0; i < COUNTOF(files); i++) {
        cmap_t map;
        size_t size = 0;
        err_t err = {{0}};
        uint8_t *bytes = endless_file(files[i].num_models, files[i].num_sides, &size);
        bool good = BSP_Parse(&map, "x", bytes, size, &err);
        assert_true(good == (files[i].why[0] == '\0'));
        assert_ptr_equal(strstr(err.text, files[i].why), err.text);
        CM_FreeMap(&map);
        free(bytes);
    }
}

// Tests brushes and leafs that two models of a Quake II map share: they belong to both models. A
// file that shares them too often is refused.
static void test_shared_leafs(void **state) {
    (void)state;
    cmap_t map;
    size_t size = 0;
    err_t err = {{0}};
    test_ibsp_t test = room(38);
    uint8_t *bytes = TestIbsp_Bytes(&test, &size);
    set_word(bytes + TestIbsp_Lump(bytes, 8) + 3 * 28 + 24, 0x00010000); // model *1: only brush 0
    assert_true(BSP_Parse(&map, "x", bytes, size, &err));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(CM_PointContents(&map, i, Vector(0.0f, 0.0f, 16.0f)), CONTENTS_SOLID);
    }
    CM_FreeMap(&map);
    // Model *1: the leaf of the world.
    set_word(bytes + TestIbsp_Lump(bytes, 13) + 48 + 36, (uint32_t)-2);
    assert_true(BSP_Parse(&map, "x", bytes, size, &err));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(CM_PointContents(&map, i, Vector(128.0f, 0.0f, 16.0f)), CONTENTS_WATER);
    }
    CM_FreeMap(&map);
    free(bytes);
    test.num_brushes--; // leave only the brushes of the world
    for (int num_models = 10; num_models <= 40; num_models += 30) {
        test.num_models = num_models;
        bytes = TestIbsp_Bytes(&test, &size);
        for (int i = 1; i < num_models; i++) {
            set_word(bytes + TestIbsp_Lump(bytes, 13) + i * 48 + 36, (uint32_t)-2);
        }
        bool good = BSP_Parse(&map, "x", bytes, size, &err);
        assert_true(good == (num_models == 10));
        assert_true(good || strstr(err.text, "expected each of 13 leafbrushes in at most 16 leaf"));
        CM_FreeMap(&map);
        free(bytes);
    }
}

// Tests a solid ladder, as in Quake II: a player in front of it climbs it.
static void check_ladder(int32_t version) {
    cmap_t map;
    size_t size = 0;
    err_t err;
    const test_ibsp_brush_t brush = {.box = CELL(0), .flags = SOLID | LADDER};
    const test_ibsp_t test = {
        .version = version, .brushes = &brush, .num_brushes = 1, .num_models = 1};
    uint8_t *bytes = TestIbsp_Bytes(&test, &size);
    if (version == 46) {
        bytes[TestIbsp_Lump(bytes, 1) + 64] = 8; // flags of the shader's surface
    }
    assert_true(BSP_Parse(&map, "x", bytes, size, &err));
    assert_int_equal(CM_PointContents(&map, 0, Vector(0.0f, 0.0f, 16.0f)), CONTENTS_SOLID);
    vec3_t normal;
    // The player's box, 1 unit wider.
    bounds_t box = {Vector(15.5f, -8.0f, 8.0f), Vector(40.0f, 8.0f, 60.0f)};
    assert_true(CM_WorldLadder(&map, box, &normal));
    assert_true(VectorCompare(normal, Vector(1.0f, 0.0f, 0.0f)));
    box.mins.x = 16.5f;
    assert_false(CM_WorldLadder(&map, box, &normal));
    CM_FreeMap(&map);
    if (version == 46) {
        bytes[TestIbsp_Lump(bytes, 1) + 64] = 0; // only translucent
        assert_true(BSP_Parse(&map, "x", bytes, size, &err));
        assert_false(map.has_ladders);
        CM_FreeMap(&map);
    }
    free(bytes);
}

static void test_ladders(void **state) {
    (void)state;
    check_ladder(38);
    check_ladder(46);
}

static void test_monster_clip(void **state) {
    (void)state;
    cmap_t map;
    test_ibsp_t test = room(38);
    assert_true(TestIbsp_Build(&map, &test));
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 2; i++) {
        const cm_object_t place = {.for_monster = i == 1};
        vec3_t start = {64.0f * 6.0f, -64.0f, 16.0f};
        vec3_t end = {64.0f * 6.0f, 64.0f, 16.0f};
        trace_t trace = CM_BoxTrace(&map, &place, start, end, Vector(-16.0f, -16.0f, -24.0f),
                                    Vector(16.0f, 16.0f, 40.0f));
        assert_int_equal(trace.fraction < 1.0f, i == 1);
        assert_true(CM_BoxTrace(&map, &place, start, end, none, none).fraction == 1.0f);
        cm_contact_t contacts[4];
        vec3_t in = {64.0f * 6.0f, 0.0f, 31.0f};
        const bounds_t box = {in, VectorAdd(in, Vector(8.0f, 8.0f, 8.0f))};
        assert_int_equal(CM_Overlap(&map, &place, box, contacts, 4), i == 1);
        assert_true(i == 0 || (contacts[0].normal.z == 1.0f && contacts[0].depth == 1.0f));
    }
    CM_FreeMap(&map);
}

static vec3_t random_vector(rng_t *rng) {
    float x = Rng_Range(rng, -200.0f, 900.0f);
    float y = Rng_Range(rng, -100.0f, 100.0f);
    return Vector(x, y, Rng_Range(rng, -100.0f, 100.0f));
}

/// Flips bits. The map must load and answer, or the error must give a reason.
static int damage(const uint8_t *bytes, size_t size, int rounds, rng_t *rng) {
    int loaded = 0;
    uint8_t *flipped = malloc(size);
    assert_non_null(flipped);
    for (int i = 0; i < rounds; i++) {
        cmap_t map;
        err_t err = {{0}};
        memcpy(flipped, bytes, size);
        for (uint32_t flips = 1 + Rng_Below(rng, 4); flips > 0; flips--) {
            flipped[8 + Rng_Below(rng, (uint32_t)(size - 8))] ^= (uint8_t)(1u << Rng_Below(rng, 8));
        }
        if (!BSP_Parse(&map, "x", flipped, size, &err)) {
            assert_true(strncmp(err.text, "x: ", 3) == 0);
            continue;
        }
        loaded++;
        for (int n = 0; n < 4; n++) {
            cm_object_t place = {.model = n % map.num_models};
            trace_t trace =
                CM_BoxTrace(&map, &place, random_vector(rng), random_vector(rng),
                            Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 32.0f));
            assert_true(trace.fraction >= 0.0f);
            assert_true(trace.fraction <= 1.0f);
            CM_PointContents(&map, 0, trace.endpos);
        }
        CM_FreeMap(&map);
    }
    free(flipped);
    return loaded;
}

static void test_damage(void **state) {
    (void)state;
    const int rounds = Test_IsLong() ? 200000 : Test_IsSlow() ? 1000 : 3000;
    rng_t rng = {31};
    for (int32_t version = 38; version <= 46; version += 8) {
        size_t size = 0;
        test_ibsp_t test = room(version);
        uint8_t *bytes = TestIbsp_Bytes(&test, &size);
        int loaded = damage(bytes, size, rounds, &rng);
        print_message("seed 31, IBSP %d: %d of %d damaged maps loaded\n", version, loaded, rounds);
        assert_true(loaded > rounds / 10);
        assert_true(loaded < rounds);
        free(bytes);
    }
}

static void test_real_maps(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int models, brushes;
    } maps[] = {{"lqdm2_q2", 6, 130}, {"lqdm11_q2", 4, 388}};
    for (size_t i = 0; i < COUNTOF(maps); i++) {
        char path[200];
        cmap_t map;
        err_t err;
        snprintf(path, sizeof path, DATA "bsp/%s.bsp", maps[i].name);
        if (!BSP_Load(&map, path, &err)) {
            FILE *there = fopen(path, "rb");
            assert_null(there);
            print_message("SKIPPED %s\n", err.text);
            return;
        }
        assert_int_equal(map.num_models, maps[i].models);
        assert_int_equal(map.num_brushes, maps[i].brushes);
        assert_true(map.brushes_only);
        CM_FreeMap(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quake2),          cmocka_unit_test(test_quake3),
        cmocka_unit_test(test_quake2_lies),     cmocka_unit_test(test_quake3_lies),
        cmocka_unit_test(test_flat_brushes),    cmocka_unit_test(test_too_many_sides),
        cmocka_unit_test(test_endless_reading), cmocka_unit_test(test_looser_planes),
        cmocka_unit_test(test_first_of_two),    cmocka_unit_test(test_all_in_one_place),
        cmocka_unit_test(test_shared_leafs),    cmocka_unit_test(test_ladders),
        cmocka_unit_test(test_monster_clip),

        cmocka_unit_test(test_damage),          cmocka_unit_test(test_real_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
