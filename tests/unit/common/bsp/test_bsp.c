// Tests of BSP_Parse: all formats give the same map; every fault in a file is reported with its
// reason.

#include "base/file.h"
#include "base/rng.h"
#include "bsp/bsp.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define DATA "../shared/data/"

enum {
    LUMP_ENTITIES,
    LUMP_PLANES,
    LUMP_NODES = 5,
    LUMP_CLIPNODES = 9,
    LUMP_LEAFS,
    LUMP_MODELS = 14
};

static const test_block_t room_blocks[] = {
    {.box = {{64.0f, -64.0f, 0.0f}, {128.0f, 64.0f, 64.0f}}, .contents = CONTENTS_SOLID},
    {.box = {{-200.0f, -100.0f, 0.0f}, {-100.0f, 100.0f, 50.0f}},
     .contents = CONTENTS_SOLID,
     .cut_normal = {-0.6f, 0.0f, 0.8f},
     .cut_dist = 120.0f},
    {.box = {{-256.0f, -256.0f, 0.0f}, {256.0f, 0.0f, 20.0f}}, .contents = CONTENTS_WATER},
    {.box = {{0.0f, 0.0f, 0.0f}, {8.0f, 8.0f, 8.0f}}, .contents = CONTENTS_SOLID, .model = 1},
};

static uint8_t *room_bytes(const char *format, size_t *size) {
    const test_map_t test = {.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                             .blocks = room_blocks,
                             .num_blocks = (int32_t)COUNTOF(room_blocks),
                             .format = format};
    return TestMap_Bytes(&test, size);
}

static uint32_t get_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint8_t *lump_at(uint8_t *bytes, int lump) {
    return bytes + get_u32(bytes + 4 + lump * 8);
}

static uint32_t lump_bytes(const uint8_t *bytes, int lump) {
    return get_u32(bytes + 8 + lump * 8);
}

/// Asks every hull of a loaded map some questions: each answer must come, and be within its limits.
static void ask_questions(const cmap_t *map, rng_t *rng, int count) {
    for (int i = 0; i < count; i++) {
        vec3_t start = {Rng_Range(rng, -600.0f, 600.0f), Rng_Range(rng, -600.0f, 600.0f),
                        Rng_Range(rng, -600.0f, 600.0f)};
        vec3_t end = {Rng_Range(rng, -600.0f, 600.0f), Rng_Range(rng, -600.0f, 600.0f),
                      Rng_Range(rng, -600.0f, 600.0f)};
        int32_t model = (int32_t)Rng_Below(rng, (uint32_t)map->num_models);
        int32_t hull = (int32_t)Rng_Below(rng, (uint32_t)CM_NumHulls(map->hullset));
        trace_t trace = CM_HullTrace(&map->models[model].hulls[hull], start, end);
        assert_true(trace.fraction >= 0.0f);
        assert_true(trace.fraction <= 1.0f);
        int32_t leaf = CM_PointLeaf(map, start);
        assert_true(leaf >= 0);
        assert_true(leaf < map->num_leafs);
    }
}

static void test_formats(void **state) {
    (void)state;
    const char *const formats[] = {"BSP29", "2PSB", "BSP2"};
    cmap_t maps[COUNTOF(formats)];
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        size_t size = 0;
        uint8_t *bytes = room_bytes(formats[i], &size);
        err_t err = {{0}};
        assert_true(BSP_Parse(&maps[i], "some/folder/room.bsp", bytes, size, &err));
        assert_string_equal(maps[i].name, "room");
        assert_string_equal(maps[i].format, formats[i]);
        assert_int_equal(maps[i].hullset, HULLSET_QUAKE);
        assert_int_equal(maps[i].num_models, 2);
        assert_true(maps[i].has_clip_hulls);
        assert_true(strncmp(maps[i].entities, "{\n\"classname\" \"worldspawn\"", 20) == 0);
        assert_int_equal(strlen(maps[i].entities), maps[i].entities_bytes);
        assert_true(maps[i].models[1].bounds.maxs.x == 8.0f);
        free(bytes);
    }
    assert_true(maps[0].hash != maps[1].hash);
    rng_t rng = {5};
    for (int i = 0; i < 3000; i++) {
        vec3_t start = {Rng_Range(&rng, -260.0f, 260.0f), Rng_Range(&rng, -260.0f, 260.0f),
                        Rng_Range(&rng, -10.0f, 260.0f)};
        vec3_t end = {Rng_Range(&rng, -260.0f, 260.0f), Rng_Range(&rng, -260.0f, 260.0f),
                      Rng_Range(&rng, -10.0f, 260.0f)};
        trace_t first = CM_HullTrace(&maps[0].models[0].hulls[i % 3], start, end);
        for (size_t k = 1; k < COUNTOF(formats); k++) {
            trace_t trace = CM_HullTrace(&maps[k].models[0].hulls[i % 3], start, end);
            assert_memory_equal(&trace.endpos, &first.endpos, sizeof trace.endpos);
            assert_int_equal(trace.contents, first.contents);
            assert_int_equal(CM_PointLeaf(&maps[k], start), CM_PointLeaf(&maps[0], start));
        }
    }
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        CM_FreeMap(&maps[i]);
    }
    size_t size = 0;
    uint8_t *bytes = room_bytes("BSP30", &size);
    err_t err = {{0}};
    cmap_t map;
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_int_equal(map.hullset, HULLSET_HALFLIFE);
    assert_true(map.models[0].hulls[3].clip_maxs.z == 18.0f);
    CM_FreeMap(&map);
    free(bytes);
}

/// Tests that the axis of a plane comes from its normal, not from the file's plane type.
static void test_plane_types(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = room_bytes("BSP29", &size);
    cmap_t good;
    cmap_t lied;
    err_t err = {{0}};
    assert_true(BSP_Parse(&good, "room", bytes, size, &err));
    for (uint32_t i = 0; i < lump_bytes(bytes, LUMP_PLANES); i += 20) {
        put_u32(lump_at(bytes, LUMP_PLANES) + i + 16, 0x7fffffff - i);
    }
    assert_true(BSP_Parse(&lied, "room", bytes, size, &err));
    assert_memory_equal(good.planes, lied.planes, (size_t)good.num_planes * sizeof *good.planes);
    int axial = 0;
    for (int32_t i = 0; i < good.num_planes; i++) {
        axial += good.planes[i].type == PLANE_Z;
    }
    assert_true(axial > 0);
    CM_FreeMap(&good);
    CM_FreeMap(&lied);
    free(bytes);
}

/// Describes one wrong number in a file: 4 bytes at an offset in a lump (lump -1: in the header).
typedef struct {
    int lump, offset;
    uint32_t value;
    const char *reason; // text of the error after "room.bsp: "
} lie_t;

static void check_lies(const char *format, const lie_t *lies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t size = 0;
        uint8_t *bytes = room_bytes(format, &size);
        uint8_t *at = lies[i].lump < 0 ? bytes : lump_at(bytes, lies[i].lump);
        put_u32(at + lies[i].offset, lies[i].value);
        cmap_t map;
        err_t err = {{0}};
        bool good = BSP_Parse(&map, "room.bsp", bytes, size, &err);
        if (good || strncmp(err.text, "room.bsp: ", 10) != 0 ||
            strncmp(err.text + 10, lies[i].reason, strlen(lies[i].reason)) != 0) {
            print_error("lie %zu: expected \"%s\", found \"%s\"\n", i, lies[i].reason, err.text);
            fail();
        }
        assert_null(map.arena.base);
        free(bytes);
    }
}

static void test_lies(void **state) {
    (void)state;
    const uint32_t minus_17 = (uint32_t)-17;
    const uint32_t nan = 0x7fc00000;
    const uint32_t infinity = 0x7f800000;
    const lie_t lies[] = {
        {-1, 0, 28,
         "header: expected BSP29, 2PSB, BSP2, BSP30, IBSP 38 or IBSP 46, found version 28"},
        {-1, 0, 0x50534249,
         "header: expected BSP29, 2PSB, BSP2, BSP30, IBSP 38 or IBSP 46, found IBSP"},
        {-1, 4 + LUMP_PLANES * 8, 0xfffffff0, "planes: expected "},
        {-1, 8 + LUMP_PLANES * 8, 0x7ffffff0, "planes: expected "},
        {-1, 8 + LUMP_PLANES * 8, 21, "planes: expected a multiple of 20 bytes, found 21"},
        {-1, 8 + LUMP_PLANES * 8, 0, "nodes: node 0: expected a plane 0..-1, found "},
        {-1, 4 + LUMP_LEAFS * 8, 8, "leafs: expected an offset after the header's 124 bytes"},
        {-1, 8 + LUMP_LEAFS * 8, 0, "leafs: expected at least 1 leaf, found none"},
        {-1, 8 + LUMP_MODELS * 8, 0, "models: expected 1..4096 models, found 0"},
        {-1, 8 + LUMP_NODES * 8, 0, "models: model 0: expected the root of hull 0 in -16..-1"},
        {LUMP_PLANES, 20, nan, "planes: plane 1: expected a normal of length 1, found (nan"},
        {LUMP_PLANES, 24, 0x40000000, "planes: plane 1: expected a normal of length 1"},
        {LUMP_PLANES, 32, infinity, "planes: plane 1: expected a distance within +-1.04858e+06"},
        {LUMP_PLANES, 32, nan, "planes: plane 1: expected a distance within +-1.04858e+06"},
        {LUMP_NODES, 44, 0x7fffffff, "nodes: node 1: expected a plane 0.."},
        {LUMP_NODES, 44, (uint32_t)-1, "nodes: node 1: expected a plane 0.."},
        {LUMP_NODES, 48, 0x7fffffff, "nodes: node 1: expected a child -16.."},
        {LUMP_NODES, 52, minus_17, "nodes: node 1: expected a child -16.."},
        {LUMP_CLIPNODES, 4, minus_17, "clipnodes: node 0: expected a child -16.."},
        {LUMP_CLIPNODES, 8, 0x10000, "clipnodes: node 0: expected a child -16.."},
        {LUMP_LEAFS, 44, 0, "leafs: leaf 1: expected contents -16..-1, found 0"},
        {LUMP_LEAFS, 44, minus_17, "leafs: leaf 1: expected contents -16..-1, found -17"},
        {LUMP_MODELS, 0, nan, "models: model 0: expected mins within"},
        {LUMP_MODELS, 64 + 24, infinity, "models: model 1: expected origin within"},
        {LUMP_MODELS, 64 + 36, 0x10000, "models: model 1: expected the root of hull 0 in -16.."},
        {LUMP_MODELS, 64 + 40, minus_17, "models: model 1: expected the root of hull 1 in -16.."},
        {LUMP_MODELS, 44, 0x10000, "models: model 0: expected the root of hull 2 in -16.."},
    };
    check_lies("BSP2", lies, COUNTOF(lies)); // BSP2: nodes and leafs have 44 bytes
}

/// Tests nodes that lead back to themselves, directly or over others, in each lump.
static void test_loops(void **state) {
    (void)state;
    const int lumps[] = {LUMP_NODES, LUMP_CLIPNODES};
    for (int i = 0; i < 2; i++) {
        const int record = i == 0 ? 44 : 12;
        for (int back = 0; back < 3; back++) {
            size_t size = 0;
            uint8_t *bytes = room_bytes("BSP2", &size);
            uint8_t *lump = lump_at(bytes, lumps[i]);
            // Children come before their parents in the file: node 3 leads to node 2 or an earlier
            // one.
            uint32_t culprit = 3;
            for (int k = 0; k <= back; k++) {
                uint32_t next = k == back ? 3 : culprit - 1;
                put_u32(lump + culprit * (uint32_t)record + 4, next);
                put_u32(lump + culprit * (uint32_t)record + 8, next);
                culprit = next;
            }
            cmap_t map;
            err_t err = {{0}};
            assert_false(BSP_Parse(&map, "room.bsp", bytes, size, &err));
            assert_non_null(
                strstr(err.text, i == 0 ? "room.bsp: nodes: node " : "room.bsp: clipnodes: node "));
            assert_non_null(strstr(err.text, "expected a tree, found a loop"));
            free(bytes);
        }
    }
}

/// Parses a file with one model and a chain of `length` clipnodes.
static bool parse_chain(int32_t length, err_t *err) {
    size_t size = 0;
    uint8_t *room = room_bytes("BSP2", &size);
    uint8_t *bytes = calloc(1, size + (size_t)length * 12);
    assert_non_null(bytes);
    memcpy(bytes, room, size);
    put_u32(bytes + 4 + LUMP_CLIPNODES * 8, (uint32_t)size);
    put_u32(bytes + 8 + LUMP_CLIPNODES * 8, (uint32_t)length * 12);
    for (int32_t i = 0; i < length; i++) {
        uint8_t *node = bytes + size + (size_t)i * 12;
        put_u32(node + 4, i + 1 < length ? (uint32_t)i + 1 : (uint32_t)CONTENTS_EMPTY);
        put_u32(node + 8, (uint32_t)CONTENTS_SOLID);
    }
    put_u32(lump_at(bytes, LUMP_MODELS) + 40, 0);
    put_u32(lump_at(bytes, LUMP_MODELS) + 44, (uint32_t)CONTENTS_EMPTY);
    put_u32(lump_at(bytes, LUMP_MODELS) + 64 + 40, (uint32_t)CONTENTS_EMPTY);
    put_u32(lump_at(bytes, LUMP_MODELS) + 64 + 44, 0);
    cmap_t map;
    bool good = BSP_Parse(&map, "chain", bytes, size + (size_t)length * 12, err);
    if (good) {
        rng_t rng = {1};
        assert_int_equal(map.models[0].hulls[2].root, CONTENTS_EMPTY);
        assert_int_equal(map.models[0].hulls[1].root, map.models[1].hulls[2].root);
        ask_questions(&map, &rng, 10);
    }
    CM_FreeMap(&map);
    free(room);
    free(bytes);
    return good;
}

static void test_depth(void **state) {
    (void)state;
    err_t err = {{0}};
    assert_true(parse_chain(MAX_HULL_DEPTH, &err));
    assert_false(parse_chain(MAX_HULL_DEPTH + 1, &err));
    assert_non_null(
        strstr(err.text, "chain: clipnodes: node 0: expected a depth of at most 1024 nodes"));
    assert_false(parse_chain(3000000, &err)); // no recursion, which would overflow the stack
    assert_non_null(strstr(err.text, "expected a depth of at most 1024 nodes"));
}

static void test_no_clip_hulls(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = room_bytes("BSP29", &size);
    put_u32(bytes + 8 + LUMP_CLIPNODES * 8, 0);
    for (int hull = 1; hull < 4; hull++) {
        put_u32(lump_at(bytes, LUMP_MODELS) + 36 + hull * 4, 0);
    }
    cmap_t map;
    err_t err = {{0}};
    assert_true(BSP_Parse(&map, "room", bytes, size, &err));
    assert_false(map.has_clip_hulls);
    assert_int_equal(map.models[0].hulls[1].root, CONTENTS_EMPTY);
    assert_int_equal(CM_PointContents(&map, 0, Vector(0.0f, 0.0f, -5.0f)), CONTENTS_SOLID);
    CM_FreeMap(&map);
    free(bytes);
}

static void test_names(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = room_bytes("BSP29", &size);
    char name[MAX_MAP_NAME_BYTES + 8] = "";
    for (int length = MAX_MAP_NAME_BYTES - 1; length <= MAX_MAP_NAME_BYTES; length++) {
        memset(name, 'n', (size_t)length);
        memcpy(name + length, ".bsp", sizeof ".bsp");
        cmap_t map;
        err_t err = {{0}};
        assert_int_equal(BSP_Parse(&map, name, bytes, size, &err), length < MAX_MAP_NAME_BYTES);
        CM_FreeMap(&map);
    }
    cmap_t map;
    err_t err = {{0}};
    assert_false(BSP_Parse(&map, "folder/", bytes, size, &err));
    assert_false(BSP_Load(&map, "no/such/map.bsp", &err));
    assert_string_equal(err.text, "no/such/map.bsp: No such file or directory");
    free(bytes);
}

/// Returns the end of the last lump. Bytes after it may be cut off, unless the file announces them.
static size_t needed_bytes(const uint8_t *bytes) {
    size_t needed = 124;
    for (int lump = 0; lump < 15; lump++) {
        size_t end = (size_t)get_u32(bytes + 4 + lump * 8) + lump_bytes(bytes, lump);
        needed = lump_bytes(bytes, lump) > 0 && end > needed ? end : needed;
    }
    return needed;
}

static void check_truncation(const uint8_t *bytes, size_t size, size_t length) {
    if (length > size) {
        return;
    }
    uint8_t *part = malloc(length + 1); // a block of its own: ASan sees each read beyond its end
    assert_non_null(part);
    memcpy(part, bytes, length);
    cmap_t map;
    err_t err = {{0}};
    bool good = BSP_Parse(&map, "cut.bsp", part, length, &err);
    size_t needed = needed_bytes(bytes);
    // A file cut in the middle of appended lumps either loads without them or is refused.
    bool is_announced = length < size && length >= ((needed + 3) & ~(size_t)3) + 8;
    assert_int_equal(good, length >= needed && !is_announced);
    assert_true(good || strncmp(err.text, "cut.bsp: ", 9) == 0);
    CM_FreeMap(&map);
    free(part);
}

static void truncate_everywhere(const uint8_t *bytes, size_t size) {
    for (size_t length = 0; length <= 130; length++) {
        check_truncation(bytes, size, length);
    }
    for (int lump = 0; lump < 15; lump++) {
        for (int delta = -1; delta <= 1; delta++) {
            size_t start = get_u32(bytes + 4 + lump * 8);
            check_truncation(bytes, size, start + (size_t)delta);
            check_truncation(bytes, size, start + lump_bytes(bytes, lump) + (size_t)delta);
        }
    }
    size_t stride = size / (Test_IsLong() ? 5000 : 200) + 1;
    for (size_t length = 0; length <= size; length += stride) {
        check_truncation(bytes, size, length);
    }
}

/// Flips bits, mostly in the lumps that are read. The map must load and answer, or the error must
/// give a reason.
static void flip_bytes(const uint8_t *bytes, size_t size, uint64_t seed, int rounds) {
    static const int lumps[] = {LUMP_PLANES, LUMP_NODES, LUMP_CLIPNODES, LUMP_LEAFS, LUMP_MODELS};
    rng_t rng = {seed};
    int loaded = 0;
    uint8_t *flipped = malloc(size);
    assert_non_null(flipped);
    for (int i = 0; i < rounds; i++) {
        memcpy(flipped, bytes, size);
        for (uint32_t flips = 1 + Rng_Below(&rng, 6); flips > 0; flips--) {
            int lump = lumps[Rng_Below(&rng, COUNTOF(lumps))];
            uint32_t range = lump_bytes(bytes, lump);
            size_t at = Rng_Below(&rng, 8) == 0
                            ? Rng_Below(&rng, 124)
                            : get_u32(bytes + 4 + lump * 8) + Rng_Below(&rng, range);
            flipped[at] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
        }
        cmap_t map;
        err_t err = {{0}};
        if (BSP_Parse(&map, "flip.bsp", flipped, size, &err)) {
            ask_questions(&map, &rng, 4);
            loaded++;
        } else {
            assert_true(strncmp(err.text, "flip.bsp: ", 10) == 0);
        }
        CM_FreeMap(&map);
    }
    free(flipped);
    print_message("seed %llu: %d of %d flipped maps loaded\n", (unsigned long long)seed, loaded,
                  rounds);
    assert_true(loaded > 0);
    assert_true(loaded < rounds);
}

static void test_damage(void **state) {
    (void)state;
    const int rounds = Test_IsLong() ? 100000 : Test_IsSlow() ? 600 : 1000;
    size_t size = 0;
    uint8_t *bytes = room_bytes("BSP29", &size);
    truncate_everywhere(bytes, size);
    flip_bytes(bytes, size, 1, rounds);
    free(bytes);
    err_t err = {{0}};
    bytes = File_Read(DATA "bsp/lqdm2.bsp", MAX_MAP_BYTES, &size, &err);
    if (!bytes) {
        print_message("SKIPPED damage to a real map: %s\n", err.text);
        return;
    }
    truncate_everywhere(bytes, size);
    flip_bytes(bytes, size, 2, rounds / 4);
    free(bytes);
}

static void test_real_maps(void **state) {
    (void)state;
    static const char *const names[] = {
        "bsp/lq_e0m1.bsp",  "bsp/lq_e0m9.bsp",    "bsp/lqdm11.bsp",          "bsp/lqdm12.bsp",
        "bsp/lqdm2.bsp",    "bsp/lqdm2_2psb.bsp", "bsp/lqdm2_brushonly.bsp", "bsp/lqdm4.bsp",
        "bsp/lqdm4_hl.bsp", "bsp/lqdm9.bsp",      "bsp/lqdm9_bsp2.bsp",      "calib/calib.bsp"};
    err_t err = {{0}};
    cmap_t map;
    if (!BSP_Load(&map, DATA "bsp/lqdm2.bsp", &err)) {
        print_message("SKIPPED real maps: %s\n", err.text);
        return;
    }
    CM_FreeMap(&map);
    rng_t rng = {9};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        char path[256];
        snprintf(path, sizeof path, DATA "%s", names[i]);
        if (!BSP_Load(&map, path, &err)) {
            print_error("%s\n", err.text);
            fail();
        }
        assert_int_equal(map.has_clip_hulls, strstr(path, "brushonly") == NULL);
        assert_true(map.leafs[0].contents == CONTENTS_SOLID);
        ask_questions(&map, &rng, 200);
        CM_FreeMap(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),   cmocka_unit_test(test_plane_types),
        cmocka_unit_test(test_lies),      cmocka_unit_test(test_loops),
        cmocka_unit_test(test_depth),     cmocka_unit_test(test_no_clip_hulls),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_damage),
        cmocka_unit_test(test_real_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
