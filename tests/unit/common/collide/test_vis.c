// Visibility: rows of made files in the three ways to store them, lists that lie, and real maps.
//
// In real maps (../shared/data/bsp, two maps of Debian packages), the ends of random clear lines
// must see each other. EDICTD_LONG=1 draws 10^6 lines in each.

#include "collide/vis.h"

#include "lib/ibsp_fixture.h"
#include "lib/map_fixture.h"
#include "lib/pk3_fixture.h"
#include "lib/testing.h"
#include "lib/vis_fixture.h"

#include <string.h>
#include <unistd.h>

#define DATA "../shared/data/bsp/"

/// Lumps of the three families, and where their header lists them.
enum { Q1_HEAD = 4, Q1_VIS = 4, Q1_LEAFS = 10, Q1_MODELS = 14, Q1_LEAF_BYTES = 28 };
enum { IBSP_HEAD = 8, Q2_VIS = 3, Q2_LEAFS = 8, Q3_NODES = 3, Q3_LEAFS = 4, Q3_VIS = 16 };

static void put_i32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint32_t get_i32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/// The bytes of a map file. `head`: where the list of lumps starts.
typedef struct {
    uint8_t *bytes;
    size_t size, head;
} file_t;

static uint8_t *lump_at(const file_t *file, int32_t lump) {
    return file->bytes + get_i32(file->bytes + file->head + 8 * (size_t)lump);
}

/// Appends the bytes of a lump to the file.
static void add_lump(file_t *file, int32_t lump, const uint8_t *data, size_t size) {
    file->bytes = realloc(file->bytes, file->size + size);
    assert_non_null(file->bytes);
    memcpy(file->bytes + file->size, data, size);
    put_i32(file->bytes + file->head + 8 * (size_t)lump, (uint32_t)file->size);
    put_i32(file->bytes + file->head + 8 * (size_t)lump + 4, (uint32_t)size);
    file->size += size;
}

/// Loads the file, and frees its bytes.
static void load(cmap_t *map, file_t *file) {
    err_t err = {""};
    if (!BSP_Parse(map, "made.bsp", file->bytes, file->size, &err)) {
        fail_msg("%s", err.text);
    }
    free(file->bytes);
}

static const uint8_t q1_rows[] = {0x03, 0, 1, /**/ 0, 1, 0x40};

/// A room with a pool of water in one half and slime in the other: leafs 1, 2 and 3 of 15.
static file_t make_quake(void) {
    const test_block_t pools[] = {
        {.box = {{-100, -100, 0}, {0, 100, 50}}, .contents = CONTENTS_WATER},
        {.box = {{0, -100, 0}, {100, 100, 50}}, .contents = CONTENTS_SLIME},
    };
    const test_map_t test = {
        .room = {{-100, -100, 0}, {100, 100, 100}}, .blocks = pools, .num_blocks = 2};
    file_t file = {.head = Q1_HEAD};
    file.bytes = TestMap_Bytes(&test, &file.size);
    add_lump(&file, Q1_VIS, q1_rows, sizeof q1_rows);
    put_i32(lump_at(&file, Q1_MODELS) + 52, 15);
    uint8_t *leafs = lump_at(&file, Q1_LEAFS);
    put_i32(leafs + 1 * Q1_LEAF_BYTES + 4, 0);
    put_i32(leafs + 2 * Q1_LEAF_BYTES + 4, 0);
    put_i32(leafs + 3 * Q1_LEAF_BYTES + 4, 3);
    return file;
}

static const vec3_t in_air = {-50, 0, 75};
static const vec3_t in_water = {-50, 0, 25};
static const vec3_t in_slime = {50, 0, 25};
static const vec3_t in_wall = {-50, 0, -25};

/// Returns the row of a cluster as bits.
static uint32_t row_of(const cmap_t *map, int32_t cluster) {
    uint8_t row[4] = {0};
    assert_true(CM_PVSBytes(map) <= sizeof row);
    CM_AddPVS(map, cluster, row);
    return get_i32(row);
}

static void test_quake(void **state) {
    (void)state;
    cmap_t map;
    file_t file = make_quake();
    load(&map, &file);
    assert_string_equal(map.remark, "");
    assert_true(CM_HasVis(&map));
    assert_int_equal(CM_NumClusters(&map), 15);
    assert_int_equal(CM_PVSBytes(&map), 2);
    assert_int_equal(CM_PointCluster(&map, in_air), 0);
    assert_int_equal(CM_PointCluster(&map, in_water), 1);
    assert_int_equal(CM_PointCluster(&map, in_slime), 2);
    assert_int_equal(CM_PointCluster(&map, in_wall), CM_NO_CLUSTER);
    assert_int_equal(row_of(&map, 0), 0x0003);
    assert_int_equal(row_of(&map, 1), 0x0003);
    assert_int_equal(row_of(&map, 2), 0x4004); // its row, and itself
    assert_int_equal(row_of(&map, 3), 0xffff); // offset -1
    assert_int_equal(row_of(&map, CM_NO_CLUSTER), 0xffff);
    uint8_t both[2] = {0};
    CM_AddPVS(&map, 0, both);
    CM_AddPVS(&map, 2, both);
    assert_true(CM_InPVS(both, 1) && CM_InPVS(both, 2) && CM_InPVS(both, 14));
    assert_false(CM_InPVS(both, 3) || CM_InPVS(both, 13));
    CM_FreeMap(&map);
}

static int32_t box_clusters(const cmap_t *map, vec3_t middle, float half, int32_t max,
                            int32_t clusters[4]) {
    const vec3_t reach = {half, half, half};
    const bounds_t box = {VectorSubtract(middle, reach), VectorAdd(middle, reach)};
    return CM_BoxClusters(map, box, clusters, max);
}

static void test_boxes(void **state) {
    (void)state;
    cmap_t map;
    int32_t clusters[4];
    file_t file = make_quake();
    load(&map, &file);
    assert_int_equal(box_clusters(&map, in_water, 10, 4, clusters), 1);
    assert_int_equal(clusters[0], 1);
    assert_int_equal(box_clusters(&map, in_wall, 10, 4, clusters), 0);
    assert_int_equal(box_clusters(&map, in_slime, 10, 4, clusters), 1);
    assert_int_equal(clusters[0], 2);
    assert_int_equal(box_clusters(&map, in_air, 25, 4, clusters), 2); // touches the water
    assert_int_equal(clusters[0] + clusters[1], 0 + 1);
    assert_int_equal(box_clusters(&map, Vector(0, 0, 50), 200, 4, clusters), 3);
    assert_int_equal(box_clusters(&map, Vector(0, 0, 50), 200, 2, clusters), CM_ALL_CLUSTERS);
    CM_FreeMap(&map);
}

/// Checks that nothing is known of a map's visibility.
static void check_none(const cmap_t *map, vec3_t point) {
    int32_t clusters[4];
    assert_false(CM_HasVis(map));
    assert_int_equal(CM_NumClusters(map), 0);
    assert_int_equal(CM_PVSBytes(map), 0);
    assert_int_equal(CM_PointCluster(map, point), CM_NO_CLUSTER);
    assert_int_equal(box_clusters(map, point, 1, 4, clusters), CM_ALL_CLUSTERS);
    uint8_t row = 0;
    CM_AddPVS(map, CM_NO_CLUSTER, &row);
    assert_int_equal(row, 0); // a row has no bytes
}

static void test_no_visibility(void **state) {
    (void)state;
    cmap_t map;
    const test_map_t room = {.room = {{-100, -100, 0}, {100, 100, 100}}};
    assert_true(TestMap_Build(&map, &room));
    assert_string_equal(map.remark, "");
    check_none(&map, in_air);
    CM_FreeMap(&map);
}

/// A solid box; the tree of Quake II's fixture has one node, at its plane x = 100.
static const test_ibsp_brush_t ibsp_box = {.box = {{0, 0, 0}, {100, 100, 100}}, .flags = 1};
static const vec3_t ibsp_front = {150, 0, 0};
static const vec3_t ibsp_back = {50, 0, 150};

static const uint8_t q2_rows[] = {2, 0,  0, 0, /**/ 20, 0,  0, 0, 20, 0, 0,
                                  0, 21, 0, 0, 0,       21, 0, 0, 0,  1, 2};

static file_t make_ibsp(int32_t version) {
    const test_ibsp_t test = {
        .version = version, .brushes = &ibsp_box, .num_brushes = 1, .num_models = 1};
    file_t file = {.head = IBSP_HEAD};
    file.bytes = TestIbsp_Bytes(&test, &file.size);
    return file;
}

/// Leafs 1 and 2 are clusters 1 and 0, which do not see each other.
static file_t make_quake2(void) {
    file_t file = make_ibsp(38);
    add_lump(&file, Q2_VIS, q2_rows, sizeof q2_rows);
    uint8_t *leafs = lump_at(&file, Q2_LEAFS);
    leafs[4] = leafs[5] = 0xff;
    leafs[28 + 4] = 1;
    leafs[56 + 4] = 0;
    return file;
}

/// Leafs 0 and 1 are clusters 1 and 0. A row has 2 bytes, of which the second is not used.
static file_t make_quake3(void) {
    static const uint8_t rows[] = {2, 0, 0, 0, /**/ 2, 0, 0, 0, /**/ 1, 0, /**/ 2, 0};
    uint8_t node[36] = {0};
    uint8_t leafs[2 * 48] = {0};
    file_t file = make_ibsp(46);
    put_i32(node, 1);
    put_i32(node + 4, (uint32_t)-1);
    put_i32(node + 8, (uint32_t)-2);
    put_i32(leafs, 1);
    add_lump(&file, Q3_NODES, node, sizeof node);
    add_lump(&file, Q3_LEAFS, leafs, sizeof leafs);
    add_lump(&file, Q3_VIS, rows, sizeof rows);
    return file;
}

static void check_ibsp(file_t *file) {
    cmap_t map;
    load(&map, file);
    assert_string_equal(map.remark, "");
    assert_int_equal(CM_NumClusters(&map), 2);
    assert_int_equal(CM_PVSBytes(&map), 1);
    assert_int_equal(CM_PointCluster(&map, ibsp_front), 1);
    assert_int_equal(CM_PointCluster(&map, ibsp_back), 0);
    assert_int_equal(row_of(&map, 0), 1);
    assert_int_equal(row_of(&map, 1), 2);
    assert_int_equal(CM_PointContents(&map, 0, Vector(50, 50, 50)), CONTENTS_SOLID);
    CM_FreeMap(&map);
}

static void test_quake2_and_3(void **state) {
    (void)state;
    file_t quake2 = make_quake2();
    file_t quake3 = make_quake3();
    check_ibsp(&quake2);
    check_ibsp(&quake3);
}

/// One wrong byte: its offset in a lump, and a part of the remark.
typedef struct {
    file_t (*make)(void);
    int32_t lump;
    size_t at;
    uint8_t value;
    const char *remark;
} lie_t;

static const lie_t lies[] = {
    {make_quake, Q1_VIS, 2, 2, "visibility: cluster 0: expected a row that ends within its bits"},
    {make_quake, Q1_VIS, 2, 0, "cluster 0"}, // a run of no zeros
    {make_quake, Q1_VIS, 5, 0, "cluster 2"}, // the data end within a run
    {make_quake, Q1_LEAFS, 3 * Q1_LEAF_BYTES + 4, 5, "cluster 2"},
    {make_quake, Q1_LEAFS, 3 * Q1_LEAF_BYTES + 7, 0x7f, "leaf 3: expected -1 or an offset in the"},
    {make_quake, Q1_LEAFS, 3 * Q1_LEAF_BYTES + 7, 0x80, "leaf 3: expected -1 or an offset in the"},
    {make_quake, Q1_LEAFS, 3 * Q1_LEAF_BYTES + 4, 1, "rows that do not overlap"},
    {make_quake, Q1_MODELS, 52, 16, "expected 0..15 visible leafs, found 16"},
    {make_quake, Q1_MODELS, 55, 0x80, "expected 0..15 visible leafs, found -21"},
    {make_quake2, Q2_VIS, 0, 3, "found 3 clusters"},
    {make_quake2, Q2_VIS, 0, 200, "found 200 clusters"},
    {make_quake2, Q2_VIS, 3, 0x80, "clusters"},
    {make_quake2, Q2_VIS, 4, 4, "valid offsets of rows"}, // the lists themselves
    {make_quake2, Q2_VIS, 4, 22, "valid offsets of rows"},
    {make_quake2, Q2_VIS, 15, 0xff, "valid offsets of rows"},
    {make_quake2, Q2_VIS, 21, 0, "cluster 1"},
    {make_quake2, Q2_LEAFS, 28 + 4, 2, "valid clusters of leafs"},
    {make_quake3, Q3_VIS, 0, 3, "found 3 clusters"},
    {make_quake3, Q3_VIS, 0, 17, "found 17 clusters"},
    {make_quake3, Q3_VIS, 4, 3, "found 2 clusters"},
    {make_quake3, Q3_VIS, 4, 0, "found 2 clusters"},
    {make_quake3, Q3_VIS, 7, 0x80, "found 2 clusters"},
    {make_quake3, Q3_LEAFS, 0, 2, "valid clusters of leafs"},
    {make_quake3, Q3_NODES, 4, 0xfd, "valid planes and children"},
    {make_quake3, Q3_NODES, 3, 0x40, "valid planes and children"},
};

/// A lie costs the visibility, not the map.
static void test_lies(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(lies); i++) {
        cmap_t map;
        file_t file = lies[i].make();
        lump_at(&file, lies[i].lump)[lies[i].at] = lies[i].value;
        load(&map, &file);
        if (!strstr(map.remark, lies[i].remark)) {
            fail_msg("lie %zu: expected \"%s\", found \"%s\"", i, lies[i].remark, map.remark);
        }
        assert_non_null(strstr(map.remark, "no visibility"));
        check_none(&map, ibsp_front);
        CM_FreeMap(&map);
    }
}

/// A node that is its own child.
static void test_circle(void **state) {
    (void)state;
    cmap_t map;
    file_t file = make_quake3();
    put_i32(lump_at(&file, Q3_NODES) + 4, 0);
    load(&map, &file);
    assert_non_null(strstr(map.remark, "a tree of nodes without a loop"));
    check_none(&map, ibsp_front);
    CM_FreeMap(&map);
}

static void check_lines(cmap_t *map, int32_t least_clusters) {
    assert_string_equal(map->remark, "");
    assert_true(CM_NumClusters(map) >= least_clusters);
    TestVis_CheckLines(map);
    CM_FreeMap(map);
}

static void test_real_maps(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t clusters;
        int64_t total;
    } maps[] = {{"lqdm2", 122, 7504},      {"lqdm2_2psb", 122, 7504}, {"lqdm2_q2", 74, 2575},
                {"lqdm4", 548, 124875},    {"lqdm4_hl", 557, 126705}, {"lqdm9_bsp2", 273, 28048},
                {"lqdm11_q2", 178, 13037}, {"lq_e0m1", 853, 84730}};
    for (size_t i = 0; i < COUNTOF(maps); i++) {
        char path[200];
        cmap_t map;
        err_t err;
        snprintf(path, sizeof path, DATA "%s.bsp", maps[i].name);
        if (!BSP_Load(&map, path, &err)) {
            assert_int_not_equal(access(path, F_OK), 0);
            print_message("SKIPPED %s\n", err.text);
            return;
        }
        assert_int_equal(CM_NumClusters(&map), maps[i].clusters);
        assert_int_equal(TestVis_Total(&map), maps[i].total);
        check_lines(&map, 1);
    }
}

static void test_quake3_maps(void **state) {
    (void)state;
    for (int32_t i = PK3_AGGRESSOR; i <= PK3_WRACKDM17; i++) {
        cmap_t map;
        if (TestPk3_Load((pk3_map_t)i, &map)) {
            check_lines(&map, 300);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quake),         cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_no_visibility), cmocka_unit_test(test_quake2_and_3),
        cmocka_unit_test(test_lies),          cmocka_unit_test(test_circle),
        cmocka_unit_test(test_real_maps),     cmocka_unit_test(test_quake3_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
