// Occluders: boxes that grow over walls of several brushes, but not over gaps. In real maps, lines
// that a grown box hides are blocked.

#include "collide/occluder.h"

#include "base/rng.h"
#include "bsp/map_local.h"
#include "bsp/recover.h"
#include "collide/cmap.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <unistd.h>

#define MAX_COORD 1048576.0f // qu; of a map file

static const cm_object_t world = {.model = 0};

/// A room with a wall of three brushes at x = 0. `gap`: width of the last one's distance, qu.
static void build_wall(cmap_t *map, float gap, bool has_hull) {
    const test_block_t walls[] = {
        TestMap_Box(Vector(0, -256, 0), Vector(16, -64, 128)),
        TestMap_Box(Vector(0, -64, 0), Vector(16, 64, 128)),
        TestMap_Box(Vector(0, 64 + gap, 0), Vector(16, 256, 128)),
    };
    const test_map_t test = {.room = {Vector(-512, -256, 0), Vector(512, 256, 128)},
                             .blocks = walls,
                             .num_blocks = COUNTOF(walls),
                             .brush_list = true};
    assert_true(TestMap_Build(map, &test));
    map->brushes_only = !has_hull;
    CM_GrowOccluders(map);
    map->brushes_only = false;
}

static bool hides(const cmap_t *map, const cm_occluder_t *occluder, float y, float z) {
    return CM_Hides(map, occluder, Vector(-100, y, z), Vector(100, y, z));
}

static void test_walls_of_brushes(void **state) {
    (void)state;
    for (int32_t i = 0; i < 3; i++) {
        cmap_t map;
        build_wall(&map, i == 1 ? 4.0f : 0.0f, i != 2);
        const cm_occluder_t middle = CM_OccluderAt(&map, &world, Vector(8, 0, 64));
        assert_true(middle.brush >= 0);
        assert_true(hides(&map, &middle, 0, 64));
        assert_true(hides(&map, &middle, -200, 64) == (i != 2)); // of another brush
        assert_true(hides(&map, &middle, 200, 64) == (i == 0));
        assert_true(hides(&map, &middle, 66, 64) == (i == 0)); // the gap of the second map
        assert_true(hides(&map, &middle, 0, 200) == (i != 2)); // of the room's roof
        brush_plane_t faces[8];
        assert_int_equal(CM_OccluderFaces(&map, &middle, faces, COUNTOF(faces)), 6);
        assert_true(faces[0].dist == 16.0f && faces[3].dist == 0.0f); // not into the room
        CM_FreeMap(&map);
    }
}

// A brush with a slope stays as it is: a box would hide what is over the slope.
static void test_slopes(void **state) {
    (void)state;
    const test_block_t ramp = TestMap_RampX(Vector(0, -256, 0), Vector(128, 256, 128));
    const test_map_t test = {.room = {Vector(-512, -256, 0), Vector(512, 256, 256)},
                             .blocks = &ramp,
                             .num_blocks = 1,
                             .brush_list = true};
    cmap_t map;
    assert_true(TestMap_Build(&map, &test));
    CM_GrowOccluders(&map);
    const cm_occluder_t slope = CM_OccluderAt(&map, &world, Vector(100, 0, 10));
    assert_true(slope.brush >= 0);
    assert_true(CM_Hides(&map, &slope, Vector(32, -200, 16), Vector(32, 200, 16)));
    assert_false(CM_Hides(&map, &slope, Vector(32, -200, 40), Vector(32, 200, 40)));
    CM_FreeMap(&map);
}

// A line beside a panel that is thinner than the margin is not in it.
static void test_thin_panels(void **state) {
    (void)state;
    const test_block_t panel = TestMap_Box(Vector(0, -64, 0), Vector(0.125f, 64, 128));
    const test_map_t test = {.room = {Vector(-512, -256, 0), Vector(512, 256, 256)},
                             .blocks = &panel,
                             .num_blocks = 1,
                             .brush_list = true};
    cmap_t map;
    assert_true(TestMap_Build(&map, &test));
    CM_GrowOccluders(&map);
    const cm_occluder_t occluder = CM_OccluderAt(&map, &world, Vector(0.0625f, 0, 64));
    assert_true(occluder.brush >= 0);
    assert_false(CM_Hides(&map, &occluder, Vector(0.1875f, -200, 64), Vector(0.1875f, 200, 64)));
    assert_false(CM_Hides(&map, &occluder, Vector(-0.0625f, -200, 64), Vector(-0.125f, 200, 64)));
    CM_FreeMap(&map);
}

// A hostile map without nodes, whose only leaf is solid and huge, has many brushes.
static void test_work_is_bounded(void **state) {
    (void)state;
    cbrush_t *brushes = calloc(MAX_MAP_BRUSHES, sizeof *brushes);
    cmodel_t model = {
        .bounds = {{-MAX_COORD, -MAX_COORD, -MAX_COORD}, {MAX_COORD, MAX_COORD, MAX_COORD}}};
    cleaf_t leaf = {.contents = CONTENTS_SOLID};
    cmap_t map = {.models = &model,
                  .num_models = 1,
                  .leafs = &leaf,
                  .num_leafs = 1,
                  .leaf_root = -1,
                  .brushes = brushes,
                  .num_brushes = MAX_MAP_BRUSHES};
    assert_non_null(brushes);
    for (int32_t i = 0; i < MAX_MAP_BRUSHES; i++) {
        brushes[i].contents = CONTENTS_SOLID;
        brushes[i].bounds.maxs = Vector(1, 1, 1);
    }
    alarm(60); // without a bound, it takes minutes
    CM_GrowOccluders(&map);
    alarm(0);
    assert_true(BoundsContain(map.occluders[0], (bounds_t){{-9999, -9999, -9999}, {9, 9, 9}}));
    const bounds_t last = map.occluders[MAX_MAP_BRUSHES - 1]; // has no visits left
    assert_true(VectorCompare(last.mins, vec3_zero) && last.maxs.x == 1.0f);
    Arena_Free(&map.occluder_arena);
    free(brushes);
}

static vec3_t random_in(rng_t *rng, bounds_t box) {
    const float x = Rng_Range(rng, box.mins.x, box.maxs.x);
    const float y = Rng_Range(rng, box.mins.y, box.maxs.y);
    return Vector(x, y, Rng_Range(rng, box.mins.z, box.maxs.z));
}

/// Casts rays from random places, and draws lines to places around and after what they hit. Returns
/// the number of lines that the occluder there hides; none may be clear.
static int32_t check_lines(const cmap_t *map, rng_t *rng, int32_t rays) {
    const bounds_t box = CM_ModelBounds(map, 0);
    int32_t hidden = 0;
    for (int32_t i = 0; i < rays; i++) {
        const vec3_t from = random_in(rng, box);
        const trace_t ray =
            CM_BoxTrace(map, &world, from, random_in(rng, box), vec3_zero, vec3_zero);
        const vec3_t in = VectorMA(ray.endpos, -0.5f, ray.plane.normal);
        const cm_occluder_t at = CM_OccluderAt(map, &world, in);
        if (ray.startsolid || ray.fraction == 1.0f || at.brush < 0) {
            continue;
        }
        for (int32_t k = 0; k < 8; k++) {
            const vec3_t beyond = VectorLerp(from, in, Rng_Range(rng, 1.0f, 3.0f));
            const vec3_t to =
                VectorAdd(beyond, random_in(rng, (bounds_t){{-256, -256, -256}, {256, 256, 256}}));
            if (CM_Hides(map, &at, from, to)) {
                const trace_t line = CM_BoxTrace(map, &world, from, to, vec3_zero, vec3_zero);
                if (line.fraction == 1.0f) {
                    fail_msg("%s: brush %d hides the clear line (%g %g %g) to (%g %g %g)",
                             map->name, at.brush, (double)from.x, (double)from.y, (double)from.z,
                             (double)to.x, (double)to.y, (double)to.z);
                }
                hidden++;
            }
        }
    }
    return hidden;
}

/// Checks that random places in occluders are solid.
static void check_boxes(const cmap_t *map, rng_t *rng) {
    const vec3_t in = {OCCLUDER_MARGIN, OCCLUDER_MARGIN, OCCLUDER_MARGIN};
    for (int32_t i = 0; i < map->num_brushes; i++) {
        const bounds_t own = map->occluders[i];
        const bounds_t box = {VectorAdd(own.mins, in), VectorSubtract(own.maxs, in)};
        for (int32_t k = 0; k < 100; k++) {
            assert_int_equal(CM_Contents(map, &world, random_in(rng, box)), CONTENTS_SOLID);
        }
    }
}

// Random boxes touch, overlap, and leave gaps of 1 qu or more. No clear line may be hidden.
static void test_random_boxes(void **state) {
    (void)state;
    rng_t rng = {11};
    int32_t hidden = 0;
    for (int32_t i = 0; i < (Test_IsLong() ? 2000 : 40); i++) {
        test_block_t blocks[24];
        for (size_t k = 0; k < COUNTOF(blocks); k++) {
            const float x = (float)Rng_Below(&rng, 32) * 4.0f - 64.0f;
            const float y = (float)Rng_Below(&rng, 32) * 4.0f - 64.0f;
            const float z = (float)Rng_Below(&rng, 12) * 4.0f;
            const vec3_t size = {(float)(1 + Rng_Below(&rng, 40)), (float)(1 + Rng_Below(&rng, 40)),
                                 (float)(1 + Rng_Below(&rng, 30))};
            blocks[k] = TestMap_Box(Vector(x, y, z), VectorAdd(Vector(x, y, z), size));
        }
        const test_map_t test = {.room = {Vector(-128, -128, 0), Vector(128, 128, 96)},
                                 .blocks = blocks,
                                 .num_blocks = COUNTOF(blocks),
                                 .brush_list = i % 2 == 0};
        cmap_t map;
        assert_true(TestMap_Build(&map, &test));
        Map_RecoverBrushes(&map);
        CM_GrowOccluders(&map);
        check_boxes(&map, &rng);
        hidden += check_lines(&map, &rng, 500);
        CM_FreeMap(&map);
    }
    print_message("%d lines hidden\n", hidden);
    assert_true(hidden > 500);
}

static void test_real_maps(void **state) {
    (void)state;
    static const char *const maps[] = {"lqdm2", "lqdm4", "lqdm4_hl", "lqdm12", "lq_e0m1"};
    rng_t rng = {7};
    for (size_t i = 0; i < COUNTOF(maps); i++) {
        char path[200];
        cmap_t map;
        err_t err;
        snprintf(path, sizeof path, "../shared/data/bsp/%s.bsp", maps[i]);
        if (!Map_LoadInto(&map, path, &err)) {
            assert_int_not_equal(access(path, F_OK), 0);
            print_message("SKIPPED %s\n", err.text);
            return;
        }
        CM_GrowOccluders(&map);
        int32_t grown = 0;
        for (int32_t n = 0; n < map.num_brushes; n++) {
            const bounds_t bounds = map.brushes[n].bounds;
            assert_true(BoundsContain(map.occluders[n], bounds));
            grown += !BoundsContain(bounds, map.occluders[n]);
        }
        const int32_t hidden = check_lines(&map, &rng, Test_IsLong() ? 1000000 : 20000);
        print_message("%s: %d of %d brushes grew; %d lines hidden\n", map.name, grown,
                      map.num_brushes, hidden);
        assert_true(grown > map.num_brushes / 8 && hidden > 500);
        CM_FreeMap(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_of_brushes), cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_thin_panels),      cmocka_unit_test(test_work_is_bounded),
        cmocka_unit_test(test_random_boxes),     cmocka_unit_test(test_real_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
