// Tests of Faces_Parse: all formats give the same faces; every fault is reported with its reason,
// and no fault of a face stops the map from being loaded for play.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "bsp/faces.h"
#include "bsp/lumps.h"
#include "lib/faces_fixture.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define DATA "../shared/data/bsp/"

static const char *const formats[] = {"BSP29", "2PSB", "BSP2", "BSP30"};

static const test_faces_t boxes[] = {
    {.box = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
     .inside = true,
     .texture = "wall",
     .colour = 7},
    {.box = {{-32.0f, -32.0f, 0.0f}, {32.0f, 16.0f, 64.0f}}, .texture = NULL},
    {.box = {{0.0f, 0.0f, 0.0f}, {8.0f, 8.0f, 8.0f}}, .model = 1, .texture = "door", .colour = 9},
};

static uint8_t *room_bytes(const char *format, size_t *size) {
    const test_block_t block = {.box = boxes[2].box, .contents = CONTENTS_SOLID, .model = 1};
    const test_map_t test = {
        .room = boxes[0].box, .blocks = &block, .num_blocks = 1, .format = format};
    return TestFaces_Add(TestMap_Bytes(&test, size), size, boxes, COUNTOF(boxes));
}

/// Returns twice the area of a face as a vector along its normal, from vertices that run clockwise
/// as seen from the front.
static vec3_t double_area(const bsp_face_t *face) {
    vec3_t sum = {0.0f, 0.0f, 0.0f};
    for (int32_t i = 2; i < face->num_vertices; i++) {
        vec3_t a = VectorSubtract(face->vertices[i - 1], face->vertices[0]);
        vec3_t b = VectorSubtract(face->vertices[i], face->vertices[0]);
        sum = VectorAdd(sum, CrossProduct(b, a));
    }
    return sum;
}

/// Checks that every face lies in its plane and is wound as the format demands. Returns the sum of
/// the areas.
static double check_faces(const bsp_faces_t *faces) {
    double area = 0.0;
    for (int32_t i = 0; i < faces->num_faces; i++) {
        const bsp_face_t *face = &faces->faces[i];
        for (int32_t k = 0; k < face->num_vertices; k++) {
            assert_true(fabsf(PlaneDiff(face->vertices[k], &face->plane)) < 0.01f);
        }
        float twice = DotProduct(double_area(face), face->plane.normal);
        assert_true(twice > 0.0f);
        area += 0.5 * (double)twice;
    }
    return area;
}

static void test_formats(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        size_t size = 0;
        uint8_t *bytes = room_bytes(formats[i], &size);
        bsp_faces_t faces;
        err_t err = {{0}};
        assert_true(Faces_Parse(&faces, "room.bsp", bytes, size, &err));
        assert_int_equal(faces.num_faces, 18);
        assert_int_equal(faces.num_models, 2);
        assert_int_equal(faces.models[0].num_faces, 12);
        assert_int_equal(faces.models[1].first_face, 12);
        assert_int_equal(faces.models[1].num_faces, 6);
        double expected =
            2.0 * 512 * 512 + 4.0 * 512 * 256 + 2.0 * (64 * 48 + 64 * 64 + 48 * 64) + 6.0 * 64;
        assert_true(check_faces(&faces) == expected);
        // A face of a room looks into the room.
        assert_true(faces.faces[0].plane.normal.x == 1.0f);
        assert_true(faces.faces[0].plane.dist == -256.0f);
        assert_true(faces.faces[6].plane.normal.x == -1.0f);
        const bsp_texture_t *wall = faces.faces[0].texinfo->texture;
        assert_string_equal(wall->name, "wall");
        assert_int_equal(wall->width, TEST_FACES_SIZE);
        for (int32_t level = 0; level < TEXTURE_LEVELS; level++) {
            assert_int_equal(wall->levels[level][0], 7);
        }
        assert_int_equal(wall->palette != NULL, strcmp(formats[i], "BSP30") == 0);
        assert_true(!wall->palette || wall->palette[3 * 7 + 2] == 21);
        assert_string_equal(faces.faces[6].texinfo->texture->name, "");
        assert_true(faces.faces[0].texinfo->offsets[1] == -4.0f);
        Faces_Free(&faces);
        assert_null(faces.faces);
        free(bytes);
    }
}

/// Describes one wrong number: 4 bytes at an offset in a lump, or in a lump's entry in the header.
typedef struct {
    bsp_lump_t lump;
    int offset; // in the lump; -8 = the entry's offset, -4 = the entry's size
    uint32_t value;
    const char *reason; // text of the error after "room.bsp: "
} lie_t;

static void put_u32(uint8_t *at, uint32_t value) {
    memcpy(at, &value, sizeof value);
}

static void test_lies(void **state) {
    (void)state;
    const uint32_t nan = 0x7fc00000;
    const uint32_t lowest = 0x80000000;
    // BSP2: faces have 28 bytes, edges 8
    const lie_t lies[] = {
        {LUMP_FACES, -4, 29, "faces: expected a multiple of 28 bytes, found 29"},
        {LUMP_FACES, -4, 28, "faces: expected a range within 0..0, found 12 from 0 (of 0)"},
        {LUMP_EDGES, -4, 12, "edges: expected a multiple of 8 bytes, found 12"},
        {LUMP_EDGES, -4, 0, "surfedges: surfedge 0: expected an edge 0..-1, found 1"},
        {LUMP_VERTEXES, -4, 13, "vertexes: expected a multiple of 12 bytes, found 13"},
        {LUMP_SURFEDGES, -4, 5, "surfedges: expected a multiple of 4 bytes, found 5"},
        {LUMP_TEXINFO, -4, 39, "texinfo: expected a multiple of 40 bytes, found 39"},
        {LUMP_TEXINFO, -4, 0, "faces: face 0: expected a texinfo 0..-1, found 0"},
        {LUMP_TEXTURES, -4, 0, "texinfo: texinfo 0: expected a texture 0..-1, found 0"},
        {LUMP_TEXTURES, -4, 8, "textures: 3 textures do not fit in 8 bytes"},
        {LUMP_TEXTURES, 0, 0x40000000, "textures: 1073741824 textures do not fit in"},
        {LUMP_TEXTURES, 4, 0x7fffffff, "textures: texture 0: expected an offset within"},
        {LUMP_TEXTURES, 4, (uint32_t)-2, "textures: texture 0: expected an offset within"},
        {LUMP_TEXTURES, 32, 0, "textures: texture 0 (wall): expected 1..8192 texels per side"},
        {LUMP_TEXTURES, 36, 8193, "textures: texture 0 (wall): expected 1..8192 texels per side"},
        {LUMP_TEXTURES, 40, 39, "textures: texture 0 (wall): level 0: expected 256 bytes within"},
        {LUMP_TEXTURES, 52, 0x7fffffff, "textures: texture 0 (wall): level 3: expected 4 bytes"},
        {LUMP_TEXINFO, 32, 3, "texinfo: texinfo 0: expected a texture 0..2, found 3"},
        {LUMP_TEXINFO, 40 + 12, nan, "texinfo: texinfo 1: expected axes and offsets within"},
        {LUMP_TEXINFO, 40 + 16, nan, "texinfo: texinfo 1: expected axes and offsets within"},
        {LUMP_FACES, 0, 0x7fffffff, "faces: face 0: expected a plane 0.."},
        {LUMP_FACES, 0, lowest, "faces: face 0: expected a plane 0.."},
        {LUMP_FACES, 8, lowest, "surfedges: expected a range within 0..71, found 4 from -2147"},
        {LUMP_FACES, 8, 69, "surfedges: expected a range within 0..71, found 4 from 69 (of 0)"},
        {LUMP_FACES, 12, 2, "faces: face 0: expected 3 surfedges or more"},
        {LUMP_FACES, 12, lowest, "surfedges: expected a range within 0..71, found -2147483648"},
        {LUMP_FACES, 12, 72, "faces: face 1: expected 3 surfedges or more, each of one face"},
        {LUMP_FACES, 16, lowest, "faces: face 0: expected a texinfo 0..2, found -2147483648"},
        {LUMP_SURFEDGES, 0, lowest, "surfedges: surfedge 0: expected an edge 0..72, found 2147"},
        {LUMP_SURFEDGES, 4, 73, "surfedges: surfedge 1: expected an edge 0..72, found 73"},
        {LUMP_EDGES, 8, lowest, "edges: edge 1: expected a vertex 0..23, found -2147483648"},
        {LUMP_EDGES, 8, 24, "edges: edge 1: expected a vertex 0..23, found 24"},
        {LUMP_VERTEXES, 0, nan, "vertexes: vertex 0: expected x, y, z within"},
        {LUMP_VERTEXES, 4, 0x7f800000, "vertexes: vertex 0: expected x, y, z within"},
        {LUMP_MODELS, 56, lowest, "faces: expected a range within 0..17, found 12 from -2147"},
        {LUMP_MODELS, 60, 19, "faces: expected a range within 0..17, found 19 from 0 (of 0)"},
    };
    for (size_t i = 0; i < COUNTOF(lies); i++) {
        size_t size = 0;
        uint8_t *bytes = room_bytes("BSP2", &size);
        uint8_t *entry = bytes + 4 + (size_t)lies[i].lump * 8;
        put_u32(lies[i].offset < 0 ? entry + 8 + lies[i].offset
                                   : bytes + Lumps_U32(entry) + lies[i].offset,
                lies[i].value);
        bsp_faces_t faces;
        err_t err = {{0}};
        bool good = Faces_Parse(&faces, "room.bsp", bytes, size, &err);
        if (good || strncmp(err.text, "room.bsp: ", 10) != 0 ||
            strncmp(err.text + 10, lies[i].reason, strlen(lies[i].reason)) != 0) {
            fail_msg("lie %zu: expected \"%s\", found \"%s\"", i, lies[i].reason, err.text);
        }
        assert_null(faces.arena.base);
        cmap_t map;
        if (!BSP_Parse(&map, "room.bsp", bytes, size, &err)) {
            fail_msg("lie %zu (%s) stops the server: %s", i, lies[i].reason, err.text);
        }
        CM_FreeMap(&map);
        free(bytes);
    }
}

// Tests that flipped bits and cut files give faces within the file's limits, or an error.
static void test_damage(void **state) {
    (void)state;
    rng_t rng = {5};
    for (int i = 0; i < (Test_IsSlow() ? 300 : 3000); i++) {
        size_t size = 0;
        uint8_t *bytes = room_bytes(formats[Rng_Below(&rng, COUNTOF(formats))], &size);
        for (int k = 0; k < 3; k++) {
            bytes[Rng_Below(&rng, (uint32_t)size)] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
        }
        size_t length = Rng_Below(&rng, 4) == 0 ? Rng_Below(&rng, (uint32_t)size) : size;
        uint8_t *part = malloc(length + 1); // a block of its own: ASan sees reads beyond its end
        assert_non_null(part);
        memcpy(part, bytes, length);
        bsp_faces_t faces;
        err_t err = {{0}};
        bool good = Faces_Parse(&faces, "cut.bsp", part, length, &err);
        assert_true(good || strncmp(err.text, "cut.bsp: ", 9) == 0);
        Faces_Free(&faces);
        free(part);
        free(bytes);
    }
}

// Tests maps of another compiler. The same map has the same faces in each format.
static void test_real_maps(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t num_faces, num_textures;
    } maps[] = {{"lqdm2.bsp", 770, 8},     {"lqdm2_2psb.bsp", 770, 8},
                {"lqdm9.bsp", 1811, 7},    {"lqdm9_bsp2.bsp", 1811, 7},
                {"lqdm4_hl.bsp", 2799, 7}, {"lqdm11_q2.bsp", 1851, 61}};
    double areas[COUNTOF(maps)];
    for (size_t i = 0; i < COUNTOF(maps); i++) {
        char path[64];
        snprintf(path, sizeof path, DATA "%s", maps[i].name);
        bsp_faces_t faces;
        err_t err = {{0}};
        if (!Faces_Load(&faces, path, &err)) {
            print_message("SKIPPED real maps: %s\n", err.text);
            skip();
        }
        assert_int_equal(faces.num_faces, maps[i].num_faces);
        assert_int_equal(faces.num_textures, maps[i].num_textures);
        areas[i] = check_faces(&faces);
        Faces_Free(&faces);
    }
    assert_true(areas[0] == areas[1] && areas[2] == areas[3] && areas[0] > 1e6);
}

static void test_quake3_and_no_file(void **state) {
    (void)state;
    uint8_t bytes[8 + 17 * 8] = "IBSP\x2e";
    bsp_faces_t faces;
    err_t err = {{0}};
    assert_true(Faces_Parse(&faces, "q3.bsp", bytes, sizeof bytes, &err));
    assert_int_equal(faces.num_faces, 0);
    Faces_Free(&faces);
    assert_false(Faces_Load(&faces, "no/such/map.bsp", &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_real_maps),
        cmocka_unit_test(test_quake3_and_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
