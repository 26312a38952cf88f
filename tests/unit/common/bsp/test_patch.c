// Tests of curved patches of Quake III maps: the brushes made of them, the sweeps stopped by them,
// refused patches.

#include "bsp/bsp.h"
#include "lib/ibsp_fixture.h"
#include "lib/testing.h"

#include <string.h>

enum { SOLID = 1, WATER = 32, PLAYERCLIP = 0x10000 };

enum { PATCH_SIDE = 5 };

/// Makes a quarter of a pipe with radius 64 around the y axis. It rises from the floor at x = 64 to
/// the wall at x = 128, and the wall goes on up to z = 192. The length is 256.
static void make_ramp(vec3_t points[PATCH_SIDE * 3]) {
    static const float line[PATCH_SIDE][2] = {
        {64.0f, 0.0f}, {128.0f, 0.0f}, {128.0f, 64.0f}, {128.0f, 128.0f}, {128.0f, 192.0f}};
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < PATCH_SIDE; i++) {
            points[row * PATCH_SIDE + i] =
                Vector(line[i][0], 128.0f * (float)(row - 1), line[i][1]);
        }
    }
}

static bool build_patches(cmap_t *map, const test_ibsp_patch_t *patches, int32_t count) {
    static const test_ibsp_brush_t far = {
        .box = {{-512.0f, -512.0f, -16.0f}, {512.0f, 512.0f, 0.0f}}, .flags = SOLID};
    const test_ibsp_t test = {.version = 46,
                              .brushes = &far,
                              .num_brushes = 1,
                              .num_models = 1,
                              .patches = patches,
                              .num_patches = count};
    return TestIbsp_Build(map, &test);
}

/// Sweeps a box of half side `size` along x, 16 above the floor.
static trace_t along(const cmap_t *map, float from, float to, float size) {
    const cm_object_t place = {.model = 0};
    vec3_t half = {size, size, size};
    return CM_BoxTrace(map, &place, Vector(from, 0.0f, 16.0f), Vector(to, 0.0f, 16.0f),
                       VectorNegate(half), half);
}

static void test_patch(void **state) {
    (void)state;
    cmap_t map;
    vec3_t points[PATCH_SIDE * 3];
    make_ramp(points);
    test_ibsp_patch_t patch = {points, PATCH_SIDE, 3, SOLID};
    assert_true(build_patches(&map, &patch, 1));
    // The middle of the curve is 22.6 away from its chord, so the curve becomes two pieces. The
    // straight span and the rows are one piece each.
    assert_int_equal(map.num_brushes, 1 + 3);
    // The curve is split at (64, 0), (112, 16), (128, 64). At z = 16 a point meets the corner of
    // both pieces.
    trace_t trace = along(&map, 0.0f, 200.0f, 0.0f);
    assert_true(fabsf(trace.endpos.x - 112.0f) < 0.2f);
    assert_true(trace.plane.normal.x < -0.2f);
    // The lower edge of a box meets the first piece, which is z = (x - 64) / 3.
    trace = along(&map, 0.0f, 200.0f, 8.0f);
    assert_true(fabsf(trace.endpos.x - (64.0f + 24.0f - 8.0f)) < 0.2f);
    assert_true(fabsf(trace.plane.normal.z - 3.0f * -trace.plane.normal.x) < 0.001f);
    // From behind, the patch stops nothing; no point is inside it.
    const cm_object_t place = {.model = 0};
    vec3_t half = {8.0f, 8.0f, 8.0f};
    trace = CM_BoxTrace(&map, &place, Vector(200.0f, 0.0f, 150.0f), Vector(20.0f, 0.0f, 150.0f),
                        VectorNegate(half), half);
    assert_true(trace.fraction == 1.0f);
    assert_false(trace.startsolid);
    trace = CM_BoxTrace(&map, &place, Vector(130.0f, 0.0f, 150.0f), Vector(20.0f, 0.0f, 150.0f),
                        VectorNegate(half), half);
    assert_true(trace.fraction == 1.0f);
    assert_false(trace.startsolid);
    assert_int_equal(CM_PointContents(&map, 0, Vector(112.0f, 0.0f, 16.0f)), CONTENTS_EMPTY);
    // A box that is in front of the patch only by rounding is stopped.
    trace = CM_BoxTrace(&map, &place, Vector(120.001f, 0.0f, 150.0f), Vector(140.0f, 0.0f, 150.0f),
                        VectorNegate(half), half);
    assert_true(trace.fraction == 0.0f);
    assert_false(trace.startsolid);
    trace = CM_BoxTrace(&map, &place, Vector(120.001f, 0.0f, 150.0f),
                        Vector(120.001f, 50.0f, 150.0f), VectorNegate(half), half);
    assert_true(trace.fraction == 1.0f);
    // A contact pushes a box out to the front of the patch.
    cm_contact_t contacts[4];
    const bounds_t box = {Vector(115.0f, -8.0f, 142.0f), Vector(131.0f, 8.0f, 158.0f)};
    assert_int_equal(CM_Overlap(&map, &place, box, contacts, 4), 1);
    assert_true(contacts[0].normal.x < -0.999f);
    assert_true(fabsf(contacts[0].depth - 3.0f) < 0.001f);
    // Near the middle of the first piece: behind it, then in front of it.
    for (int i = 0; i < 2; i++) {
        vec3_t at = {100.0f, 0.0f, i == 0 ? 10.0f : 14.0f};
        const bounds_t small = {VectorSubtract(at, Vector(4.0f, 4.0f, 4.0f)),
                                VectorAdd(at, Vector(4.0f, 4.0f, 4.0f))};
        assert_int_equal(CM_Overlap(&map, &place, small, contacts, 4), i);
        assert_true(i == 0 || (contacts[0].normal.z > 0.9f && contacts[0].normal.x < -0.3f));
    }
    CM_FreeMap(&map);
    patch.flags = WATER;
    assert_true(build_patches(&map, &patch, 1));
    assert_int_equal(map.num_brushes, 1); // water has no surface that stops a box
    CM_FreeMap(&map);
    patch.flags = PLAYERCLIP;
    assert_true(build_patches(&map, &patch, 1));
    assert_true(along(&map, 0.0f, 200.0f, 8.0f).fraction < 1.0f);
    assert_true(along(&map, 0.0f, 200.0f, 0.0f).fraction == 1.0f);
    CM_FreeMap(&map);
}

/// Tests a flat patch: with a corner that turns inwards it is two facets, without one it is one.
static void test_concave_patches(void **state) {
    (void)state;
    static const vec3_t corners[3][4] = {
        {{0.0f, 0.0f, 64.0f},
         {100.0f, 0.0f, 64.0f},
         {100.0f, 100.0f, 64.0f},
         {0.0f, 100.0f, 64.0f}},
        {{0.0f, 0.0f, 64.0f}, {100.0f, 0.0f, 64.0f}, {30.0f, 30.0f, 64.0f}, {0.0f, 100.0f, 64.0f}},
        {{70.0f, 70.0f, 64.0f},
         {100.0f, 0.0f, 64.0f},
         {100.0f, 100.0f, 64.0f},
         {0.0f, 100.0f, 64.0f}}};
    for (int i = 0; i < 3; i++) {
        cmap_t map;
        vec3_t points[9];
        for (int n = 0; n < 9; n++) {
            float share = 0.5f * (float)(n % 3);
            vec3_t low = VectorLerp(corners[i][0], corners[i][1], share);
            vec3_t high = VectorLerp(corners[i][3], corners[i][2], share);
            points[n] = VectorLerp(low, high, 0.5f * (float)(n / 3));
        }
        const test_ibsp_patch_t patch = {points, 3, 3, SOLID};
        assert_true(build_patches(&map, &patch, 1));
        assert_int_equal(map.num_brushes, 1 + (i == 0 ? 1 : 2));
        CM_FreeMap(&map);
    }
}

/// Tests patches that are not surfaces: if all points are equal or on one line, the patch has no
/// facets; a patch that bends too often is refused.
static void test_odd_patches(void **state) {
    (void)state;
    cmap_t map;
    vec3_t points[129 * 3];
    for (int i = 0; i < 9; i++) {
        points[i] = Vector(32.0f * (float)(i % 3), 0.0f, 0.0f);
    }
    test_ibsp_patch_t patch = {points, 3, 3, SOLID};
    assert_true(build_patches(&map, &patch, 1));
    assert_int_equal(map.num_brushes, 1);
    CM_FreeMap(&map);
    for (int i = 0; i < 129 * 3; i++) {
        int column = i % 129;
        points[i] =
            Vector((float)column, 64.0f * (float)(i / 129), column % 2 == 0 ? 0.0f : 60000.0f);
    }
    patch.width = 129;
    const test_ibsp_brush_t brush = {.box = {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 32.0f}},
                                     .flags = SOLID};
    const test_ibsp_t test = {.version = 46,
                              .brushes = &brush,
                              .num_brushes = 1,
                              .num_models = 1,
                              .patches = &patch,
                              .num_patches = 1};
    size_t size = 0;
    err_t err;
    uint8_t *bytes = TestIbsp_Bytes(&test, &size);
    assert_false(BSP_Parse(&map, "x", bytes, size, &err));
    assert_non_null(
        strstr(err.text, "x: surfaces: surface 0: its curve needs more than 257 points"));
    free(bytes);
}

static void test_patch_lies(void **state) {
    (void)state;
    static const test_ibsp_lie_t lies[] = {
        {7, 24, 1,
         "x: models: model 0: expected surfaces within 0..0, found a range of 1 that starts at 1"},
        {7, 28, 2,
         "x: models: model 0: expected surfaces within 0..0, found a range of 2 that starts at 0"},
        {13, 0, 2, "x: surfaces: record 0: expected a shader 0..1, found 2"},
        {13, 12, 1,
         "x: surfaces: surface 0: expected vertices within 0..14, found a range of 15 that starts "
         "at 1"},
        {13, 12, 0xffffffff,
         "x: surfaces: surface 0: expected vertices within 0..14, found a range of 15"},
        {13, 16, 14, "x: surfaces: surface 0: expected 15 vertices for a patch of"},
        {13, 96, 4, "x: surfaces: surface 0: expected a patch with odd sides 3..129, found"},
        {13, 96, 0xffffffff,
         "x: surfaces: surface 0: expected a patch with odd sides 3..129, found"},
        {13, 100, 1, "x: surfaces: surface 0: expected a patch with odd sides 3..129, found"},
        {13, 100, 131, "x: surfaces: surface 0: expected a patch with odd sides 3..129, found"},
        {10, 44, 0x7fc00000, "x: vertexes: vertex 1: expected coordinates within +-"},
        {10, 48, 0x7f800000, "x: vertexes: vertex 1: expected coordinates within +-"},
    };
    vec3_t points[PATCH_SIDE * 3];
    make_ramp(points);
    const test_ibsp_patch_t patch = {points, PATCH_SIDE, 3, SOLID};
    const test_ibsp_brush_t brush = {.box = {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 32.0f}},
                                     .flags = SOLID};
    TestIbsp_CheckLies(&(test_ibsp_t){.version = 46,
                                      .brushes = &brush,
                                      .num_brushes = 1,
                                      .num_models = 1,
                                      .patches = &patch,
                                      .num_patches = 1},
                       lies, COUNTOF(lies));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_concave_patches),
        cmocka_unit_test(test_odd_patches),
        cmocka_unit_test(test_patch_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
