// Tests of the directory that compilers append to a map, and of its brush lists: accepted files,
// refused files and their error texts.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "bsp/recover.h"
#include "collide/brush/brush_build.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

/// Returns a room with six walls, a block and a ramp; model *1 is one box, *2 a block of water.
static uint8_t *room_bytes(size_t *size) {
    const test_block_t blocks[] = {
        TestMap_Box(Vector(64.0f, -64.0f, 0.0f), Vector(128.0f, 64.0f, 64.0f)),
        TestMap_RampX(Vector(-100.0f, -64.0f, 0.0f), Vector(0.0f, 64.0f, 64.0f)),
        {.box = {{-8.0f, -8.0f, -8.0f}, {8.0f, 8.0f, 8.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
        {.box = {{-8.0f, -8.0f, -8.0f}, {8.0f, 8.0f, 8.0f}},
         .contents = CONTENTS_WATER,
         .model = 2},
    };
    return TestMap_Bytes(&(test_map_t){.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                                       .blocks = blocks,
                                       .num_blocks = (int32_t)COUNTOF(blocks),
                                       .brush_list = true},
                         size);
}

static size_t find_bspx(const uint8_t *bytes, size_t size) {
    for (size_t at = 124; at + 4 <= size; at += 4) {
        if (memcmp(bytes + at, "BSPX", 4) == 0) {
            return at;
        }
    }
    fail();
    return 0;
}

static void put_u32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void test_loads(void **state) {
    (void)state;
    size_t size = 0;
    cmap_t map;
    err_t err = {{0}};
    uint8_t *bytes = room_bytes(&size);
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_true(map.has_brushes);
    assert_true(map.has_clip_hulls);
    assert_int_equal(map.num_brushes, 6 + 2 + 1 + 1);
    const cbrush_t *ramp = &map.brushes[7];
    assert_int_equal(ramp->num_faces, 1);
    // The ramp rises along x: its edges along y need no bevel.
    assert_int_equal(ramp->num_planes, 1);
    assert_int_equal(ramp->num_vertices, 6);
    assert_int_equal(ramp->num_edges, 4);
    assert_int_equal(map.brushes[8].num_planes, 0);
    assert_int_equal(map.brushes[8].num_vertices, 8);
    assert_int_equal(map.brushes[8].num_edges, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(map.models[i].brushes.exists);
    }
    CM_FreeMap(&map);
    // Without the appended directory, the map has no brushes.
    assert_true(BSP_Parse(&map, "room", bytes, find_bspx(bytes, size), &err));
    assert_false(map.has_brushes);
    assert_false(map.models[0].brushes.exists);
    assert_int_equal(map.num_brushes, 0);
    CM_FreeMap(&map);
    // A lump with another name is ignored.
    memcpy(bytes + find_bspx(bytes, size) + 8, "RGBLIGHTING", 12);
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_false(map.has_brushes);
    CM_FreeMap(&map);
    free(bytes);
}

/// Describes one wrong number: its offset in the directory, and the error text.
typedef struct {
    size_t at;
    uint32_t value;
    const char *reason;
} lie_t;

enum {
    AT_COUNT = 4,
    AT_OFFSET = 8 + 24,
    AT_BYTES = 8 + 28,
    LIST = 8 + 32,
    BRUSH = LIST + 16,
    RAMP = BRUSH + 7 * 28, // the eighth brush, after the walls and the block
    PLANE = RAMP + 28
};

static void test_lies(void **state) {
    (void)state;
    static const lie_t lies[] = {
        {AT_COUNT, 257, "x: BSPX: expected at most 256 lumps, found 257"},
        {AT_COUNT, 0xffffffff, "x: BSPX: expected at most 256 lumps, found 4294967295"},
        {AT_COUNT, 200, "x: BSPX: expected a directory of 200 lumps, found the file's end at "},
        {AT_OFFSET, 0xfffffff0, "x: BSPX: lump 0: expected "},
        {AT_BYTES, 0xfffffff0, "x: BSPX: lump 0: expected 4294967280 bytes at "},
        {AT_BYTES, 15, "x: BRUSHLIST: expected a list of 16 bytes or more, found 15"},
        {LIST, 2, "x: BRUSHLIST: expected version 1, found 2"},
        {LIST + 4, 3, "x: BRUSHLIST: expected a model 0..2, found 3"},
        {LIST + 4, 0xffffffff, "x: BRUSHLIST: expected a model 0..2, found -1"},
        {LIST + 4, 1, "x: BRUSHLIST: model 1: expected one list, found two"},
        {LIST + 8, 0x7fffffff, "x: BRUSHLIST: model 0: expected as many brushes as fit in "},
        {LIST + 8, 0x80000000, "x: BRUSHLIST: model 0: expected as many brushes as fit in "},
        {LIST + 12, 2, "x: BRUSHLIST: model 0: the list announces 1 more planes than it has"},
        {LIST + 12, 0, "x: BRUSHLIST: model 0 brush 7: expected at most 0 planes left "},
        {BRUSH, 0x7fc00000, "x: BRUSHLIST: model 0 brush 0: expected bounds within +-"},
        {BRUSH, 0x7f800000, "x: BRUSHLIST: model 0 brush 0: expected bounds within +-"},
        {BRUSH + 12, 0xff7fffff, "x: BRUSHLIST: model 0 brush 0: expected bounds within +-"},
        {BRUSH, 0x49000000, "x: BRUSHLIST: model 0 brush 0: expected mins <= maxs, found "},
        {RAMP + 24, 0x0001ffef,
         "x: BRUSHLIST: model 0 brush 7: expected contents of -16 or more, found -17"},
        {RAMP + 24, 0xfffffffe, "x: BRUSHLIST: model 0 brush 7: expected at most 128 planes, "},
        {PLANE, 0x7fc00000, "x: BRUSHLIST: model 0 brush 7: expected a normal of length 1, "},
        {PLANE, 0x40000000, "x: BRUSHLIST: model 0 brush 7: expected a normal of length 1, "},
        {PLANE + 12, 0x7f800000, "x: BRUSHLIST: model 0 brush 7: expected a plane distance "},
    };
    size_t size = 0;
    uint8_t *bytes = room_bytes(&size);
    size_t bspx = find_bspx(bytes, size);
    uint8_t *changed = malloc(size);
    assert_non_null(changed);
    for (size_t i = 0; i < COUNTOF(lies); i++) {
        cmap_t map;
        err_t err = {{0}};
        memcpy(changed, bytes, size);
        put_u32(changed + bspx + lies[i].at, lies[i].value);
        assert_false(BSP_Parse(&map, "x", changed, size, &err));
        if (strncmp(err.text, lies[i].reason, strlen(lies[i].reason)) != 0) {
            print_error("lie %zu: expected \"%s\", found \"%s\"\n", i, lies[i].reason, err.text);
            fail();
        }
        assert_null(map.arena.base);
    }
    free(changed);
    free(bytes);
}

static vec3_t random_vector(rng_t *rng) {
    float x = Rng_Range(rng, -300.0f, 300.0f);
    float y = Rng_Range(rng, -300.0f, 300.0f);
    return Vector(x, y, Rng_Range(rng, -300.0f, 300.0f));
}

/// Flips bits of the appended lumps. The map must load and answer, or the error must give a reason.
static void test_damage(void **state) {
    (void)state;
    const int rounds = Test_IsLong() ? 200000 : Test_IsSlow() ? 1000 : 4000;
    size_t size = 0;
    uint8_t *bytes = room_bytes(&size);
    size_t bspx = find_bspx(bytes, size);
    uint8_t *flipped = malloc(size);
    assert_non_null(flipped);
    rng_t rng = {21};
    int loaded = 0;
    for (int i = 0; i < rounds; i++) {
        cmap_t map;
        err_t err = {{0}};
        memcpy(flipped, bytes, size);
        for (uint32_t flips = 1 + Rng_Below(&rng, 4); flips > 0; flips--) {
            size_t at = bspx + Rng_Below(&rng, (uint32_t)(size - bspx));
            flipped[at] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
        }
        if (!BSP_Parse(&map, "x", flipped, size, &err)) {
            assert_true(strncmp(err.text, "x: B", 4) == 0);
            continue;
        }
        loaded++;
        for (int n = 0; n < 4; n++) {
            vec3_t start = random_vector(&rng);
            cm_object_t place = {.model = n % map.num_models,
                                 .solids = CM_SOLIDS_BRUSHES,
                                 .angles = {0.0f, (float)(n / 2) * 33.0f, 0.0f}};
            trace_t trace =
                CM_BoxTrace(&map, &place, start, Vector(0.0f, 0.0f, 40.0f),
                            Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 32.0f));
            assert_true(trace.fraction >= 0.0f);
            assert_true(trace.fraction <= 1.0f);
            assert_true(VectorWithin(trace.endpos, 301.0f));
        }
        CM_FreeMap(&map);
    }
    free(flipped);
    free(bytes);
    print_message("seed 21: %d of %d damaged maps loaded\n", loaded, rounds);
    assert_true(loaded > rounds / 10);
    assert_true(loaded < rounds);
}

// Tests planes that cut off a whole brush or nothing of it, and a brush without volume.
static void test_odd_brushes(void **state) {
    (void)state;
    size_t size = 0;
    cmap_t map;
    err_t err = {{0}};
    uint8_t *bytes = room_bytes(&size);
    size_t bspx = find_bspx(bytes, size);
    // -524288: the whole ramp is in front of the plane.
    put_u32(bytes + bspx + PLANE + 12, 0xc9000000);
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_int_equal(map.num_brushes, 9);
    assert_string_equal(map.remark, "room: BRUSHLIST: model 0 brush 7: no volume, left out");
    CM_FreeMap(&map);
    // Every point is behind the plane: a box remains.
    put_u32(bytes + bspx + PLANE + 12, 0x49000000);
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_int_equal(map.brushes[7].num_planes, 0);
    assert_string_equal(map.remark, "");
    CM_FreeMap(&map);
    memcpy(bytes + bspx + RAMP + 12, bytes + bspx + RAMP, 4); // thickness 0
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_int_equal(map.num_brushes, 9);
    CM_FreeMap(&map);
    bytes[bspx + RAMP + 24] = 0xff; // CONTENTS_EMPTY
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_int_equal(map.num_brushes, 9);
    CM_FreeMap(&map);
    free(bytes);
}

/// Tests the reasons for which a brush is too complex: each limit has its own text.
static void test_too_complex(void **state) {
    (void)state;
    static const brush_plane_t planes[MAX_BRUSH_SIDES + 1];
    const bounds_t box = {{0.0f, 0.0f, 0.0f}, {8.0f, 8.0f, 8.0f}};
    brushes_t many = {.brushes.count = MAX_MAP_BRUSHES};
    assert_int_equal(Brushes_Add(&many, box, CONTENTS_SOLID, NULL, 0), BRUSH_TOO_COMPLEX);
    assert_string_equal(Brushes_TooComplexText(&many), "the map has too many brushes and facets");
    brushes_t work = {.work = MAX_BRUSH_WORK};
    assert_int_equal(Brushes_Add(&work, box, CONTENTS_SOLID, NULL, 0), BRUSH_TOO_COMPLEX);
    assert_string_equal(Brushes_TooComplexText(&work), "the map's brushes have too many sides");
    brushes_t sides = {0};
    assert_int_equal(Brushes_Add(&sides, box, CONTENTS_SOLID, planes, MAX_BRUSH_SIDES + 1),
                     BRUSH_TOO_COMPLEX);
    assert_string_equal(Brushes_TooComplexText(&sides), "the brush has too many sides or corners");
}

// Sweeps a box of 18 along x at a model.
static trace_t sweep_at(const cmap_t *map, int32_t model, float x) {
    return CM_BoxTrace(map, &(cm_object_t){.model = model}, Vector(x, 0.0f, 1.0f),
                       Vector(x + 100.0f, 0.0f, 1.0f), Vector(-9.0f, -9.0f, 0.0f),
                       Vector(9.0f, 9.0f, 30.0f));
}

// A list for some models only: the others get recovered brushes, and the listed ones stay.
static void test_lists_of_some_models(void **state) {
    (void)state;
    test_block_t blocks[] = {
        TestMap_Box(Vector(60.0f, -64.0f, 0.0f), Vector(90.0f, 64.0f, 128.0f)),
        TestMap_Box(Vector(-60.0f, -64.0f, 0.0f), Vector(-30.0f, 64.0f, 96.0f)),
        TestMap_RampX(Vector(0.0f, 80.0f, 0.0f), Vector(50.0f, 120.0f, 50.0f))};
    blocks[1].model = 1;
    blocks[2].model = 2;
    for (uint32_t missing = 1; missing < 8; missing++) {
        cmap_t map;
        const test_map_t test = {.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                                 .blocks = blocks,
                                 .num_blocks = (int32_t)COUNTOF(blocks),
                                 .brush_list = true,
                                 .no_list = missing};
        assert_true(TestMap_Build(&map, &test));
        const int32_t listed = map.num_brushes;
        cbrush_t *before = calloc((size_t)listed + 1, sizeof *before);
        memcpy(before, map.brushes, (size_t)listed * sizeof *before);
        assert_int_equal(map.has_brushes, !(missing & 1));
        Map_RecoverBrushes(&map);
        assert_string_equal(map.remark, "");
        assert_true(map.has_brushes);
        assert_int_equal(map.num_brushes, 6 + 3);
        assert_int_equal(map.num_recovered, 6 + 3 - listed);
        assert_memory_equal(before, map.brushes, (size_t)listed * sizeof *before);
        for (int32_t i = 0; i < 3; i++) {
            assert_true(map.models[i].brushes.exists);
        }
        assert_true(fabsf(sweep_at(&map, 0, 0.0f).endpos.x - 51.0f) < 0.1f);
        assert_true(fabsf(sweep_at(&map, 1, -150.0f).endpos.x + 69.0f) < 0.1f);
        assert_true(sweep_at(&map, 2, -150.0f).fraction == 1.0f);
        free(before);
        CM_FreeMap(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),       cmocka_unit_test(test_lies),
        cmocka_unit_test(test_damage),      cmocka_unit_test(test_odd_brushes),
        cmocka_unit_test(test_too_complex), cmocka_unit_test(test_lists_of_some_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
