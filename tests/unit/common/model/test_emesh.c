// Tests of EMesh_Parse: a written file reads back unchanged; every fault in a file is refused, with
// its offset.

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "lib/emesh_fixture.h"
#include "lib/testing.h"
#include "model/emesh_layout.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    uint8_t *bytes;
    size_t size;
} file_t;

/// Returns a box of stone and a box of water.
static file_t two_boxes(void) {
    built_mesh_t boxes[2];
    file_t file;
    TestEmesh_Box(&boxes[0], (bounds_t){{-8.0f, -8.0f, 0.0f}, {8.0f, 24.0f, 16.0f}}, 0,
                  CONTENTS_SOLID);
    TestEmesh_Box(&boxes[1], (bounds_t){{-64.0f, -64.0f, -8.0f}, {64.0f, 64.0f, 0.0f}}, MESH_VOLUME,
                  CONTENTS_WATER);
    file.bytes = EMesh_MeshBytes((mesh_t[2]){boxes[0].mesh, boxes[1].mesh}, 2, &file.size);
    assert_non_null(file.bytes);
    Mesh_Free(&boxes[0]);
    Mesh_Free(&boxes[1]);
    return file;
}

static file_t terrain(built_mesh_t *mesh) {
    file_t file;
    TestEmesh_Terrain(mesh);
    file.bytes = EMesh_MeshBytes(&mesh->mesh, 1, &file.size);
    assert_non_null(file.bytes);
    return file;
}

static void test_round_trip(void **state) {
    (void)state;
    built_mesh_t built;
    emesh_t file;
    err_t err;
    file_t out = terrain(&built);
    const mesh_t *was = &built.mesh;
    assert_true(EMesh_Parse(&file, "terrain", out.bytes, out.size, &err));
    assert_int_equal(file.num_parts, 1);
    assert_int_equal(file.num_sections, 1);
    assert_true(file.hash == Hash_Bytes(out.bytes, out.size, 0));
    const mesh_t *is = &file.parts[0];
    assert_int_equal(is->num_triangles, 32 * 32 * 2 + 32 * 4 * 2);
    assert_int_equal(is->num_vertices, was->num_vertices);
    assert_int_equal(is->num_nodes, was->num_nodes);
    assert_int_equal(is->num_blocks, was->num_blocks);
    assert_int_equal(is->contents, CONTENTS_SOLID);
    assert_memory_equal(&is->bounds, &was->bounds, sizeof is->bounds);
    assert_memory_equal(is->vertices, was->vertices,
                        (size_t)is->num_vertices * sizeof *is->vertices);
    assert_memory_equal(is->indices, was->indices, (size_t)is->num_triangles * sizeof *is->indices);
    assert_memory_equal(is->nodes, was->nodes, (size_t)is->num_nodes * sizeof *is->nodes);
    assert_memory_equal(is->blocks, was->blocks, (size_t)is->num_blocks * sizeof *is->blocks);
    // The arrays point into the file, and are aligned.
    assert_true((const uint8_t *)is->blocks > out.bytes);
    assert_true((const uint8_t *)is->blocks < out.bytes + out.size);
    assert_int_equal((uintptr_t)is->nodes & 15, 0);
    assert_int_equal((uintptr_t)is->blocks & 15, 0);
    EMesh_Free(&file);
    Mesh_Free(&built);
    free(out.bytes);
}

static void test_loads_a_file(void **state) {
    (void)state;
    char folder[] = "/tmp/edictd-emesh-XXXXXX";
    char path[64];
    emesh_t file;
    err_t err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/two.emesh", folder);
    file_t out = two_boxes();
    assert_true(File_Write(path, out.bytes, out.size, &err));
    assert_true(EMesh_Load(&file, path, &err));
    assert_int_equal(file.num_parts, 2);
    assert_int_equal((uintptr_t)file.parts[1].blocks % MESH_ALIGN, 0);
    assert_int_equal((uintptr_t)file.parts[1].nodes % MESH_ALIGN, 0);
    assert_int_equal(file.parts[0].contents, CONTENTS_SOLID);
    assert_int_equal(file.parts[1].contents, CONTENTS_WATER);
    assert_int_equal(file.parts[1].flags, MESH_VOLUME);
    EMesh_Free(&file);
    EMesh_Free(&file); // a zeroed file may be freed
    assert_true(File_Write(path, out.bytes, out.size - 1, &err));
    assert_false(EMesh_Load(&file, path, &err));
    assert_null(file.block);
    assert_non_null(strstr(err.text, "two.emesh: byte 8: header: expected the file's size"));
    unlink(path);
    assert_false(EMesh_Load(&file, path, &err));
    rmdir(folder);
    free(out.bytes);
}

static void put_u32(uint8_t *at, uint32_t value) {
    memcpy(at, &value, sizeof value);
}

static void put_float(uint8_t *at, float value) {
    memcpy(at, &value, sizeof value);
}

/// Offsets of the first mesh's section and its arrays, in the file of two boxes.
enum { SECTION = 128, VERTICES = SECTION + 64, INDICES = VERTICES + 128, NODES = INDICES + 192 };

typedef struct {
    size_t at;
    uint32_t value;
    const char *reason;
} lie_t;

/// The bits of two floats: not a number, and 2^125, which is too large.
#define BITS_NAN  0x7fc00000u
#define BITS_HUGE 0x7e000000u

static const lie_t lies[] = {
    {0, 0x21212121u, "byte 0: header: expected \"EMSH\""},
    {4, 2, "byte 4: header: expected version 1, found 2"},
    {24, 0, "byte 24: header: expected 1..64 sections, found 0"},
    {24, 65, "byte 24: header: expected 1..64 sections, found 65"},
    {24, 64, "section 0: expected a start at byte 2112"},
    {24, 3, "section 0: expected a start at byte 192"},
    {24, 1, "byte 96: expected 0"}, // the rest of the directory is unused
    {32, 1, "byte 32: expected 0"},
    {64, 5, "byte 64: section 0: expected a kind 1..4, found 5"},
    {64, 0, "byte 64: section 0: expected a kind 1..4, found 0"},
    {68, 1, "byte 64: section 0: expected 0 in unused fields, found 1 and 0"},
    {72, 192, "byte 64: section 0: expected a start at byte 128"},
    {80, 0x7fffffffu, "byte 64: section 0: expected 2147483647 bytes at 128, found"},
    {84, 0xffffffffu, "bytes at 128, found the file's end"},
    {SECTION, 4, "expected only flags in 0x3, found 0x4"},
    {SECTION + 4, (uint32_t)CONTENTS_EMPTY, "byte 132: mesh: expected contents"},
    {SECTION + 4, (uint32_t)CONTENTS_ORIGIN, "byte 132: mesh: expected contents"},
    {SECTION + 4, (uint32_t)-17, "byte 132: mesh: expected contents"},
    {SECTION + 8, 0x80000000u, "byte 136: mesh: expected counts of at least 0"},
    {SECTION + 8, 0x7fffffffu, "byte 128: mesh: 2147483647 vertices"},
    {SECTION + 20, 0x7fffffffu, "blocks need"},
    {SECTION + 12, 11, "byte 452: expected 0"},
    {SECTION + 24, BITS_NAN, "exceeds the node's box"},
    {SECTION + 24, 0xc4000000u, "byte 152: mesh: expected the bounds of its tree"},
    {SECTION + 48, 1, "byte 176: expected 0"},
    {VERTICES, BITS_NAN, "vertex 0: expected coordinates within"},
    {VERTICES + 12, BITS_HUGE, "vertex 1: expected coordinates within"},
    {VERTICES + 96, 1, "byte 288: expected 0"},
    {INDICES, 8, "triangle 0: expected vertices 0..7, found 8"},
    {INDICES, 0xffffffffu, "triangle 0: expected vertices 0..7, found -1"},
    {NODES, BITS_NAN, "node 0: the box of lane 0 is not within"},
    {NODES + 192, 0, "node 0: expected children 1..0"},
    {NODES + 192, 0xfffffff0u, "each in one node; found block 15"},
    {NODES + 192, (uint32_t)INT32_MIN, "lane 0 has a box but no child"},
};

/// Returns true if the text contains one of several words, which are separated by '|'.
static bool says(const char *text, const char *words) {
    char word[128];
    for (const char *at = words; *at != '\0';) {
        size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (strstr(text, word)) {
            return true;
        }
        at += length + (at[length] == '|' ? 1 : 0);
    }
    return false;
}

static void test_lies(void **state) {
    (void)state;
    file_t out = two_boxes();
    emesh_t file;
    assert_true(EMesh_Parse(&file, "x", out.bytes, out.size, NULL));
    assert_true((const uint8_t *)file.parts[0].nodes - out.bytes == NODES);
    for (size_t i = 0; i < COUNTOF(lies); i++) {
        uint8_t *lied = malloc(out.size);
        err_t err = {{0}};
        memcpy(lied, out.bytes, out.size);
        put_u32(lied + lies[i].at, lies[i].value);
        // Without a new checksum, a change of later bytes is refused because of the checksum.
        assert_false(EMesh_Parse(&file, "x", lied, out.size, &err));
        assert_true(lies[i].at < EMESH_SUMMED_FROM || strstr(err.text, "the file is damaged"));
        EMesh_Seal(lied, out.size);
        if (EMesh_Parse(&file, "x", lied, out.size, &err) || !says(err.text, lies[i].reason)) {
            fail_msg("lie %zu: expected \"%s\", found \"%s\"", i, lies[i].reason, err.text);
        }
        assert_int_equal(file.num_parts, 0);
        assert_true(strncmp(err.text, "x: byte ", 8) == 0);
        free(lied);
    }
    free(out.bytes);
}

/// Tests a section so long that its end wraps around to an offset inside the file.
static void test_bytes_that_wrap(void **state) {
    (void)state;
    file_t out = two_boxes();
    emesh_t file;
    err_t err = {{0}};
    put_u32(out.bytes + 80, 0xffffffffu);
    put_u32(out.bytes + 84, 0xffffffffu);
    EMesh_Seal(out.bytes, out.size);
    assert_false(EMesh_Parse(&file, "x", out.bytes, out.size, &err));
    assert_true(says(err.text, "section 0: expected 18446744073709551615 bytes at 128, found"));
    free(out.bytes);
}

/// Tests a vertex that is moved in the list but not in the blocks: the file is refused.
static void test_vertex_beyond_bounds(void **state) {
    (void)state;
    file_t out = two_boxes();
    emesh_t file;
    err_t err;
    put_float(out.bytes + VERTICES, -9.0f);
    EMesh_Seal(out.bytes, out.size);
    assert_false(EMesh_Parse(&file, "x", out.bytes, out.size, &err));
    assert_true(says(err.text, "is not vertex 0"));
    free(out.bytes);
}

static void test_every_length(void **state) {
    (void)state;
    file_t out = two_boxes();
    emesh_t file;
    for (size_t length = 0; length < out.size; length++) {
        // A block of its own: ASan sees each read beyond its end.
        uint8_t *part = malloc(length + 1);
        err_t err = {{0}};
        memcpy(part, out.bytes, length);
        assert_false(EMesh_Parse(&file, "x", part, length, &err));
        assert_true(strncmp(err.text, "x: byte ", 8) == 0);
        if (length >= sizeof(emesh_header_t)) {
            EMesh_Seal(part, length);
            assert_false(EMesh_Parse(&file, "x", part, length, &err));
        }
        free(part);
    }
    free(out.bytes);
}

/// Checks that an accepted file is written again with the same bytes.
static void check_canonical(const emesh_t *file, const uint8_t *bytes, size_t size) {
    size_t again_size = 0;
    uint8_t *again = EMesh_Bytes(file->sections, file->num_sections, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    free(again);
    if (file->num_parts != file->num_sections) {
        return; // one kind of section became another
    }
    again = EMesh_MeshBytes(file->parts, file->num_parts, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    free(again);
}

static void test_flips(void **state) {
    (void)state;
    file_t out = two_boxes();
    rng_t rng = {11};
    int32_t accepted = 0;
    emesh_t file;
    for (int32_t i = 0; i < 20000; i++) {
        err_t err = {{0}};
        size_t at = Rng_Below(&rng, (uint32_t)out.size);
        uint8_t bit = (uint8_t)(1u << Rng_Below(&rng, 8));
        out.bytes[at] ^= bit;
        EMesh_Seal(out.bytes, out.size);
        if (EMesh_Parse(&file, "x", out.bytes, out.size, &err)) {
            accepted++;
            check_canonical(&file, out.bytes, out.size);
        } else {
            assert_true(strncmp(err.text, "x: byte ", 8) == 0);
        }
        out.bytes[at] ^= bit;
    }
    EMesh_Seal(out.bytes, out.size);
    assert_true(EMesh_Parse(&file, "x", out.bytes, out.size, NULL));
    check_canonical(&file, out.bytes, out.size);
    // Only changes of contents, flags and sides may be accepted, and hardly any other bit.
    assert_in_range(accepted, 1, 400);
    free(out.bytes);
}

/// Tests sections of other kinds, which are returned unchanged; too many meshes are refused.
static void test_other_sections(void **state) {
    (void)state;
    built_mesh_t box;
    emesh_section_t sections[MAX_EMESH_PARTS + 1];
    TestEmesh_Box(&box, (bounds_t){{0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 3.0f}}, 0, CONTENTS_CLIP);
    size_t bytes = 0;
    size_t size = 0;
    uint8_t *mesh = EMesh_CollisionBytes(&box.mesh, &bytes);
    const uint8_t bones[5] = {1, 2, 3, 4, 5};
    sections[0] = (emesh_section_t){EMESH_SKELETON, bones, sizeof bones};
    sections[1] = (emesh_section_t){EMESH_COLLISION, mesh, bytes};
    sections[2] = (emesh_section_t){EMESH_HITBOXES, bones, 0};
    uint8_t *data = EMesh_Bytes(sections, 3, &size);
    emesh_t file;
    err_t err;
    assert_true(EMesh_Parse(&file, "x", data, size, &err));
    assert_int_equal(file.num_sections, 3);
    assert_int_equal(file.num_parts, 1);
    assert_int_equal(file.sections[0].bytes, 5);
    assert_memory_equal(file.sections[0].data, bones, 5);
    assert_int_equal(file.sections[2].bytes, 0);
    free(data);
    for (int32_t i = 0; i < MAX_EMESH_PARTS + 1; i++) {
        sections[i] = (emesh_section_t){EMESH_COLLISION, mesh, bytes};
    }
    data = EMesh_Bytes(sections, MAX_EMESH_PARTS + 1, &size);
    assert_false(EMesh_Parse(&file, "x", data, size, &err));
    assert_true(says(err.text, "section 16: expected at most 16 meshes, found more"));
    free(data);
    free(mesh);
    Mesh_Free(&box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_loads_a_file),
        cmocka_unit_test(test_bytes_that_wrap),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_vertex_beyond_bounds),
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_other_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
