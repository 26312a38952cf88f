// Lines of sight between two players in small worlds.

#include "core/sight.h"

#include "lib/ibsp_fixture.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include "collide/cmap.h"
#include "collide/occluder.h"
#include "collide/vis.h"

#define HALF_HEIGHT 28.0f   // qu
#define FAR_QU      1000.0f // farther than all moves

static sight_body_t body_at(vec3_t eye, float half) {
    const vec3_t size = {half, half, HALF_HEIGHT};
    return (sight_body_t){.eye = eye, .box = {VectorSubtract(eye, size), VectorAdd(eye, size)}};
}

static bounds_t moves(float by) {
    return (bounds_t){Vector(-by, -by, 0.0f), Vector(by, by, 0.0f)};
}

// Sets the places of an eye, whose moves are in places->box.
static void limit(sight_places_t *places, const sight_body_t *body) {
    places->box = Sight_LimitMoves(body, &places->box);
    places->level = places->level > 0.0f ? places->level : FAR_QU;
}

// Tests the lines between two players. `query` has their moves instead of places.
static bool is_clear(sight_query_t *query, sight_body_t bodies[2]) {
    sight_query_t test = *query;
    test.max_steps = 48;
    for (int32_t i = 0; i < 2; i++) {
        Sight_FindWalls(&test, &bodies[i]);
        test.bodies[i] = &bodies[i];
        limit(&test.ahead[i], &bodies[i]);
        limit(&test.drift[i], &bodies[i]);
    }
    const bool is_clear = Sight_IsClear(&test);
    query->num_rays = test.num_rays;
    return is_clear;
}

// Builds a room with walls, which are brushes.
static void build(cmap_t *map, const test_block_t *walls, int32_t count, float height) {
    const test_map_t test = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, height}},
                             .blocks = walls,
                             .num_blocks = count,
                             .brush_list = true};
    assert_true(TestMap_Build(map, &test));
}

// Glass between two players is part of the world in Quake II and III maps.
static void test_glass_of_the_world(void **state) {
    (void)state;
    const uint32_t solid = 1, window = 2, translucent = 0x20000000; // of Quake II, of Quake III
    const struct {
        int32_t version;
        uint32_t flags;
        bool is_clear;
    } walls[] = {{38, solid, false},
                 {38, window, true},
                 {46, solid, false},
                 {46, solid | translucent, true}};
    for (size_t i = 0; i < COUNTOF(walls); i++) {
        const test_ibsp_brush_t wall = {.box = {{0.0f, -512.0f, -512.0f}, {32.0f, 512.0f, 512.0f}},
                                        .flags = walls[i].flags};
        const test_ibsp_t test = {
            .version = walls[i].version, .brushes = &wall, .num_brushes = 1, .num_models = 1};
        cmap_t map;
        assert_true(TestIbsp_Build(&map, &test));
        sight_query_t query = {.map = &map};
        sight_body_t bodies[2] = {body_at(Vector(-100.0f, 0.0f, 0.0f), 1.0f),
                                  body_at(Vector(100.0f, 0.0f, 0.0f), 1.0f)};
        assert_true(is_clear(&query, bodies) == walls[i].is_clear);
        CM_FreeMap(&map);
    }
}

// A brush model may be at two places. Lines are cut by both, as if they were two models.
static void test_a_model_twice(void **state) {
    (void)state;
    const bounds_t half = {{0, -100, 0}, {16, 100, 128}};
    const test_block_t walls[] = {
        {.box = half, .contents = CONTENTS_SOLID, .model = 1},
        {.box = half, .contents = CONTENTS_SOLID, .model = 2},
    };
    const test_map_t test = {.room = {{-1024, -1024, 0}, {1024, 1024, 128}},
                             .blocks = walls,
                             .num_blocks = COUNTOF(walls),
                             .brush_list = true};
    cmap_t map;
    assert_true(TestMap_Build(&map, &test));
    for (int32_t gap = 2; gap <= 30; gap++) {
        int32_t rays[2];
        bool clear[2];
        for (int32_t i = 0; i < 2; i++) {
            const float y = 200.0f + (float)gap;
            const sight_blocker_t blockers[] = {
                {half, {.model = 1}},
                {{{0, y - 100, 0}, {16, y + 100, 128}}, {.model = 1 + i, .origin = {0, y, 0}}}};
            sight_query_t query = {
                .map = &map, .blockers = blockers, .num_blockers = COUNTOF(blockers)};
            sight_body_t bodies[2] = {body_at(Vector(-400, 0, 64), 16),
                                      body_at(Vector(400, 50, 64), 16)};
            query.ahead[0].box = query.drift[1].box = moves(150.0f);
            clear[i] = is_clear(&query, bodies);
            rays[i] = query.num_rays;
        }
        assert_int_equal(rays[0], rays[1]);
        assert_int_equal(clear[0], clear[1]);
    }
    CM_FreeMap(&map);
}

// A player that may move sideways comes into sight at an end of its line. The world has no brushes.
static void test_all_of_a_line_is_tested(void **state) {
    (void)state;
    for (int32_t side = -1; side <= 1; side += 2) {
        const float ends[2] = {side > 0 ? -60.0f : -1024.0f, side > 0 ? 1024.0f : 60.0f};
        const test_block_t wall = {.box = {{300.0f, ends[0], 0.0f}, {316.0f, ends[1], 256.0f}},
                                   .contents = CONTENTS_SOLID};
        const test_map_t test = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 256.0f}},
                                 .blocks = &wall,
                                 .num_blocks = 1};
        cmap_t map;
        assert_true(TestMap_Build(&map, &test));
        const cm_object_t world = {.model = 0};
        assert_int_equal(CM_OccluderAt(&map, &world, Vector(308.0f, 0.0f, 64.0f)).brush, -1);
        sight_query_t query = {.map = &map};
        sight_body_t bodies[2] = {body_at(Vector(-400, 0, 64), 16),
                                  body_at(Vector(400, 0, 64), 16)};
        assert_false(is_clear(&query, bodies));
        query.drift[1].box = moves(100.0f);
        assert_true(is_clear(&query, bodies));
        CM_FreeMap(&map);
    }
}

// A wall beside a player ends its path to the left, and another one is before it. It comes into
// sight where it goes between them.
static void test_eyes_aslant(void **state) {
    (void)state;
    const test_block_t walls[] = {
        {.box = {{-500.0f, 50.0f, 0.0f}, {-360.0f, 400.0f, 256.0f}}, .contents = CONTENTS_SOLID},
        {.box = {{-200.0f, -1024.0f, 0.0f}, {-184.0f, 100.0f, 256.0f}},
         .contents = CONTENTS_SOLID}};
    const test_map_t test = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 256.0f}},
                             .blocks = walls,
                             .num_blocks = COUNTOF(walls)};
    cmap_t map;
    assert_true(TestMap_Build(&map, &test));
    sight_query_t query = {.map = &map};
    sight_body_t bodies[2] = {body_at(Vector(-400, 0, 64), 16), body_at(Vector(400, 0, 64), 16)};
    assert_false(is_clear(&query, bodies));
    query.ahead[0].box = moves(200.0f);
    assert_true(is_clear(&query, bodies));
    query.ahead[0].box = moves(100.0f); // not far enough
    assert_false(is_clear(&query, bodies));
    CM_FreeMap(&map);
}

// Tests the lines between two points in the middle of a room, which both may move along y.
static bool is_clear_aside(const cmap_t *map, float reach) {
    sight_query_t query = {.map = map};
    sight_body_t bodies[2] = {body_at(Vector(-400, 0, 64), 0), body_at(Vector(400, 0, 64), 0)};
    query.ahead[0].box = query.drift[1].box =
        (bounds_t){Vector(0.0f, -reach, 0.0f), Vector(0.0f, reach, 0.0f)};
    return is_clear(&query, bodies);
}

// Two walls have a slit of 4 qu each. To see through both, the eye must be at 41 and the target
// at -33, within a few units.
static void test_slits_are_found(void **state) {
    (void)state;
    const test_block_t walls[] = {
        {.box = {{-208, -1024, 0}, {-192, 20.5f, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{-208, 24.5f, 0}, {-192, 1024, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{192, -1024, 0}, {208, -16.5f, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{192, -12.5f, 0}, {208, 1024, 256}}, .contents = CONTENTS_SOLID}};
    cmap_t map;
    build(&map, walls, COUNTOF(walls), 256.0f);
    for (int32_t reach = 20; reach <= 220; reach += 40) {
        assert_true(is_clear_aside(&map, (float)reach) == (reach > 41));
    }
    CM_FreeMap(&map);
}

// Two long walls leave a gap of half a unit, which a player passes in a frame.
static void test_a_narrow_gap(void **state) {
    (void)state;
    const test_block_t walls[] = {
        {.box = {{-64, -1024, 0}, {64, 9.75f, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{-64, 10.25f, 0}, {64, 1024, 256}}, .contents = CONTENTS_SOLID}};
    cmap_t map;
    build(&map, walls, COUNTOF(walls), 256.0f);
    for (int32_t reach = 8; reach <= 40; reach += 32) {
        assert_true(is_clear_aside(&map, (float)reach) == (reach == 40));
    }
    CM_FreeMap(&map);
}

// A wall ends before a player. An eye that moves far enough to the side sees only the corner of its
// box that is behind: the line passes the front of the box outside of it.
static void test_far_corners(void **state) {
    (void)state;
    const test_block_t wall = {.box = {{100, -1024, 0}, {276, 20, 256}},
                               .contents = CONTENTS_SOLID};
    cmap_t map;
    build(&map, &wall, 1, 256.0f);
    for (int32_t reach = 20; reach <= 80; reach += 60) {
        sight_query_t query = {.map = &map};
        sight_body_t bodies[2] = {body_at(Vector(0, 0, 64), 4), body_at(Vector(300, 0, 64), 16)};
        query.ahead[0].box = (bounds_t){Vector(0, (float)-reach, 0), Vector(0, (float)reach, 0)};
        assert_true(is_clear(&query, bodies) == (reach == 80));
    }
    CM_FreeMap(&map);
}

// A player moves along a wall that stops it aslant, and comes into sight at the end of another one.
// Moves into the wall cost no rays.
static void test_moves_along_a_wall(void **state) {
    (void)state;
    const test_block_t walls[] = {
        {.box = {{-1024, -50, 0}, {1024, -30, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{60, 0, 0}, {76, 1024, 256}}, .contents = CONTENTS_SOLID}};
    cmap_t map;
    build(&map, walls, COUNTOF(walls), 256.0f);
    for (int32_t reach = 50; reach <= 100; reach += 50) {
        int32_t rays[2];
        for (int32_t i = 0; i < 2; i++) {
            sight_query_t query = {.map = &map};
            sight_body_t bodies[2] = {body_at(Vector(0, 0, 64), 4),
                                      body_at(Vector(96, 400, 64), 4)};
            query.ahead[0].box = moves((float)reach);
            query.ahead[0].box.mins.y = i == 0 ? -30.0f : (float)-reach;
            assert_true(is_clear(&query, bodies) == (reach == 100));
            rays[i] = query.num_rays;
        }
        assert_int_equal(rays[0], rays[1]);
    }
    CM_FreeMap(&map);
}

// A wall is beside the path of an eye. From places after it, the eye sees through a slit. Lines
// back from there meet the wall.
static void test_places_after_a_wall(void **state) {
    (void)state;
    const test_block_t walls[] = {
        {.box = {{40, 30, 0}, {44, 1024, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{200, -1024, 0}, {210, 46, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{200, 54, 0}, {210, 1024, 256}}, .contents = CONTENTS_SOLID}};
    cmap_t map;
    build(&map, walls, COUNTOF(walls), 256.0f);
    for (int32_t reach = 38; reach <= 118; reach += 80) {
        sight_query_t query = {.map = &map};
        sight_body_t bodies[2] = {body_at(Vector(0, 0, 64), 4), body_at(Vector(400, 50, 64), 2)};
        query.ahead[0].box = moves((float)reach);
        assert_true(is_clear(&query, bodies) == (reach == 118));
    }
    CM_FreeMap(&map);
}

// A player is on a ledge. An eye below sees it only after a jump past the side of a beam.
static void test_past_a_beam(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        {.box = {{100, -1024, 0}, {400, 1024, 180}}, .contents = CONTENTS_SOLID},
        {.box = {{-200, -30, 130}, {90, 30, 140}}, .contents = CONTENTS_SOLID}};
    cmap_t map;
    build(&map, blocks, COUNTOF(blocks), 512.0f);
    for (int32_t up = 20; up <= 194; up += 174) {
        sight_query_t query = {.map = &map};
        sight_body_t bodies[2] = {body_at(Vector(0, 0, 64), 4), body_at(Vector(350, 0, 208), 16)};
        query.ahead[0].box = moves(100.0f);
        query.ahead[0].box.maxs.z = (float)up;
        assert_true(is_clear(&query, bodies) == (up == 194));
    }
    CM_FreeMap(&map);
}

// The eye and the target are on a slope. The lower wall leaves the upper part of the target in
// sight, the higher one hides it.
static void test_a_slope(void **state) {
    (void)state;
    for (int32_t top = 111; top <= 123; top += 12) {
        const test_block_t wall = {.box = {{99, -1000, -1024}, {100, 1000, (float)top}},
                                   .contents = CONTENTS_SOLID};
        const test_map_t test = {
            .room = {{-1024.0f, -1024.0f, -1024.0f}, {1024.0f, 1024.0f, 1024.0f}},
            .blocks = &wall,
            .num_blocks = 1,
            .brush_list = true};
        cmap_t map;
        assert_true(TestMap_Build(&map, &test));
        sight_query_t query = {.map = &map};
        sight_body_t bodies[2] = {body_at(Vector(0, 0, 0), 16), body_at(Vector(300, 0, 300), 16)};
        bodies[0].box = (bounds_t){vec3_zero, vec3_zero};
        assert_true(is_clear(&query, bodies) == (top == 111));
        CM_FreeMap(&map);
    }
}

// A player may move 100 qu in all: along each axis, but not along two of them. The view past a
// wall's end is from a corner of the box of its moves.
static void test_corners_of_the_moves(void **state) {
    (void)state;
    const test_block_t wall = {.box = {{100, -1024, 0}, {101, 70, 256}},
                               .contents = CONTENTS_SOLID};
    cmap_t map;
    build(&map, &wall, 1, 256.0f);
    for (int32_t level = 100; level <= 142; level += 42) {
        sight_query_t query = {.map = &map};
        const float aslant = 400.0f * 0.7071f;
        sight_body_t bodies[2] = {body_at(Vector(0, 0, 64), 4),
                                  body_at(Vector(aslant, -aslant, 64), 4)};
        query.ahead[0].box = moves(100.0f);
        query.ahead[0].level = (float)level;
        assert_true(is_clear(&query, bodies) == (level == 142));
    }
    CM_FreeMap(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glass_of_the_world),
        cmocka_unit_test(test_a_model_twice),
        cmocka_unit_test(test_all_of_a_line_is_tested),
        cmocka_unit_test(test_eyes_aslant),
        cmocka_unit_test(test_slits_are_found),
        cmocka_unit_test(test_a_narrow_gap),
        cmocka_unit_test(test_far_corners),
        cmocka_unit_test(test_moves_along_a_wall),
        cmocka_unit_test(test_places_after_a_wall),
        cmocka_unit_test(test_past_a_beam),
        cmocka_unit_test(test_a_slope),
        cmocka_unit_test(test_corners_of_the_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
