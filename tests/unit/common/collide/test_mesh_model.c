// A mesh as a model of a map: all questions of cmodel.h, unturned, turned and moved.

#include "collide/cmodel.h"
#include "collide/mesh_build.h"
#include "lib/testing.h"

// A block of 64 x 32 x 16 around the origin, closed, counter-clockwise from outside.
static const vec3_t corners[8] = {{-32, -16, -8}, {32, -16, -8}, {32, 16, -8}, {-32, 16, -8},
                                  {-32, -16, 8},  {32, -16, 8},  {32, 16, 8},  {-32, 16, 8}};
static const int32_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                     {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                     {1, 2, 6}, {1, 6, 5}, {3, 0, 4}, {3, 4, 7}};

typedef struct {
    built_mesh_t built;
    cmodel_t model;
    cmap_t map;
} block_t;

static void build(block_t *block, uint32_t flags, contents_t contents) {
    const mesh_source_t source = {corners, faces, 8, 12, flags, (int32_t)contents};
    err_t err = {{0}};
    if (!Mesh_Build(&block->built, &source, &err)) {
        fail_msg("%s", err.text);
    }
    block->model = (cmodel_t){
        .kind = MODEL_MESH, .mesh = &block->built.mesh, .bounds = block->built.mesh.bounds};
    block->map = (cmap_t){.models = &block->model, .num_models = 1};
}

static void test_sweeps(void **state) {
    (void)state;
    static block_t block;
    build(&block, 0, CONTENTS_SOLID);
    const vec3_t half = {4.0f, 4.0f, 4.0f};
    cm_place_t place = {.origin = {100.0f, 0.0f, 0.0f}};
    trace_t trace = CM_BoxTrace(&block.map, &place, Vector(0.0f, 0.0f, 0.0f),
                                Vector(200.0f, 0.0f, 0.0f), VectorNegate(half), half);
    assert_true(fabsf(trace.endpos.x - (64.0f - CM_DIST_EPSILON)) < 0.001f);
    assert_true(trace.plane.normal.x == -1.0f && !trace.startsolid);
    place.angles.y = 90.0f; // now 32 wide along x
    trace = CM_BoxTrace(&block.map, &place, Vector(0.0f, 0.0f, 0.0f), Vector(200.0f, 0.0f, 0.0f),
                        VectorNegate(half), half);
    assert_true(fabsf(trace.endpos.x - (80.0f - CM_DIST_EPSILON)) < 0.01f);
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    trace = CM_BoxTrace(&block.map, &place, Vector(100.0f, 0.0f, 50.0f),
                        Vector(100.0f, 0.0f, -50.0f), point, point);
    assert_true(fabsf(trace.endpos.z - 8.0f) < 0.1f && trace.plane.normal.z > 0.999f);
    Mesh_Free(&block.built);
}

static void test_touching_and_contents(void **state) {
    (void)state;
    static block_t block;
    build(&block, MESH_VOLUME, CONTENTS_WATER);
    const vec3_t half = {1.0f, 1.0f, 1.0f};
    const cm_place_t place = {.origin = {0.0f, 0.0f, 100.0f}, .angles = {0.0f, 45.0f, 0.0f}};
    assert_true(CM_BoxTouches(&block.map, &place, Vector(0.0f, 0.0f, 100.0f), VectorNegate(half),
                              half)); // inside, away from every triangle
    assert_true(
        CM_BoxTouches(&block.map, &place, Vector(20.0f, 20.0f, 100.0f), VectorNegate(half), half));
    assert_false(
        CM_BoxTouches(&block.map, &place, Vector(20.0f, -20.0f, 100.0f), VectorNegate(half), half));
    assert_int_equal(CM_Contents(&block.map, &place, Vector(20.0f, 20.0f, 104.0f)), CONTENTS_WATER);
    assert_int_equal(CM_Contents(&block.map, &place, Vector(20.0f, -20.0f, 104.0f)),
                     CONTENTS_EMPTY);
    Mesh_Free(&block.built);
}

static void test_overlap(void **state) {
    (void)state;
    static block_t block;
    build(&block, 0, CONTENTS_SOLID);
    const cm_place_t place = {.origin = {0.0f, 0.0f, 0.0f}};
    cm_contact_t contacts[MAX_CONTACTS];
    const bounds_t stands_in_top = {{-4.0f, -4.0f, 7.0f}, {4.0f, 4.0f, 20.0f}};
    int32_t count = CM_Overlap(&block.map, &place, stands_in_top, contacts, MAX_CONTACTS);
    assert_true(count > 0 && contacts[0].normal.z == 1.0f);
    assert_true(fabsf(contacts[0].depth - 1.0f) < 1e-5f);
    const bounds_t above = {{-4.0f, -4.0f, 8.5f}, {4.0f, 4.0f, 20.0f}};
    assert_int_equal(CM_Overlap(&block.map, &place, above, contacts, MAX_CONTACTS), 0);
    Mesh_Free(&block.built);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_touching_and_contents),
        cmocka_unit_test(test_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
