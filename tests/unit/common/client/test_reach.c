// Routes on small maps: around walls, over a jump, around lava, through a teleporter, and none.

#include "bsp/map_local.h"
#include "client/reach.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define MAX_CORNERS 64

static const char *const spawn_only =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_start\" \"origin\" \"-200 0 24\" }\n";

typedef struct {
    cmap_t map;
    map_entities_t entities;
    reach_t reach;
    cl_corner_t corners[MAX_CORNERS];
} routes_on_t;

static routes_on_t *open_map(const test_map_t *map) {
    routes_on_t *on = calloc(1, sizeof *on);
    err_t err = {""};
    assert_non_null(on);
    assert_true(TestMap_Build(&on->map, map));
    assert_true(MapEntities_Read(&on->entities, &on->map, &err));
    assert_true(Reach_Explore(&on->reach, &on->map, &on->entities));
    return on;
}

static void close_map(routes_on_t *on) {
    Reach_Free(&on->reach);
    CM_FreeMap(&on->map);
    free(on);
}

// Returns the length of the route, 0 without one. *kinds receives a bit per kind of edge.
static float length_of(routes_on_t *on, vec3_t from, vec3_t to, int32_t *kinds) {
    int32_t count = Reach_Route(&on->reach, from, to, on->corners, MAX_CORNERS);
    float length = 0.0f;
    *kinds = 0;
    for (int32_t i = 0; i < count; i++) {
        vec3_t before = i == 0 ? from : on->corners[i - 1].origin;
        length += VectorLength(VectorSubtract(on->corners[i].origin, before));
        *kinds |= 1 << on->corners[i].kind;
    }
    if (count > 0) {
        assert_true(VectorLength(VectorSubtract(on->corners[count - 1].origin, to)) < 24.0f);
    }
    return length;
}

static void a_straight_route_has_one_corner(void **state) {
    (void)state;
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}}, .entities = spawn_only};
    routes_on_t *on = open_map(&room);
    const vec3_t from = {-192.0f, 0.0f, 24.0f}, to = {192.0f, 0.0f, 24.0f};
    assert_int_equal(Reach_Route(&on->reach, from, to, on->corners, MAX_CORNERS), 1);
    assert_true(fabsf(on->corners[0].yaw) < 0.1f);
    assert_int_equal(on->corners[0].kind, REACH_WALK);
    // A full list holds the first corners.
    const vec3_t aside = {192.0f, 96.0f, 24.0f};
    assert_int_equal(Reach_Route(&on->reach, from, aside, on->corners, 1), 1);
    assert_true(on->corners[0].origin.x < 191.0f);
    // Nothing is near a point outside.
    const vec3_t outside = {900.0f, 0.0f, 24.0f};
    assert_int_equal(Reach_Route(&on->reach, from, outside, on->corners, MAX_CORNERS), 0);
    close_map(on);
}

static void walls_are_walked_around_and_crates_jumped_on(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box(Vector(-16, -256, 0), Vector(16, 160, 256)), // leaves a gap in the north
        TestMap_Box(Vector(96, -256, 0), Vector(256, -96, 40))}; // too high for a step
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}},
                             .entities = spawn_only,
                             .blocks = blocks,
                             .num_blocks = COUNTOF(blocks)};
    routes_on_t *on = open_map(&room);
    const vec3_t west = {-192.0f, 0.0f, 24.0f}, east = {192.0f, 0.0f, 24.0f};
    const vec3_t crate = {192.0f, -192.0f, 64.0f};
    int32_t kinds;
    float length = length_of(on, west, east, &kinds);
    assert_true(length > 500.0f && length < 640.0f); // 384 through the wall
    assert_int_equal(kinds, 1 << REACH_WALK);
    assert_true(length_of(on, east, crate, &kinds) > 0.0f);
    assert_true(kinds & 1 << REACH_JUMP);
    close_map(on);
}

static void teleporters_lead_through_walls_and_lava_is_avoided(void **state) {
    (void)state;
    static const char *const entities =
        "{ \"classname\" \"worldspawn\" }\n"
        "{ \"classname\" \"info_player_start\" \"origin\" \"-200 0 24\" }\n"
        "{ \"classname\" \"trigger_teleport\" \"model\" \"*1\" \"target\" \"there\" }\n"
        "{ \"classname\" \"info_teleport_destination\" \"targetname\" \"there\""
        " \"origin\" \"200 -200 0\" }\n";
    test_block_t blocks[] = {
        TestMap_Box(Vector(-16, -256, 0), Vector(16, 256, 256)), // from wall to wall
        TestMap_Box(Vector(-112, 160, 0), Vector(-80, 224, 64)), // the teleporter
        TestMap_Box(Vector(64, -96, 0), Vector(256, -32, 64))};  // lava, with a path beside it
    blocks[1].model = 1;
    blocks[2].contents = CONTENTS_LAVA;
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}},
                             .entities = entities,
                             .blocks = blocks,
                             .num_blocks = COUNTOF(blocks)};
    routes_on_t *on = open_map(&room);
    const vec3_t west = {-192.0f, 0.0f, 24.0f}, east = {192.0f, 64.0f, 24.0f};
    int32_t kinds;
    assert_true(length_of(on, west, east, &kinds) > 0.0f);
    assert_true(kinds & 1 << REACH_CARRIED);
    for (int32_t i = 0; i < Reach_Route(&on->reach, west, east, on->corners, MAX_CORNERS); i++) {
        vec3_t at = on->corners[i].origin;
        assert_false(at.x > 65.0f && at.y > -95.0f && at.y < -33.0f);
    }
    assert_true(length_of(on, east, west, &kinds) == 0.0f); // there is no path back
    close_map(on);
}

// Returns a room with the models 1 and 2 of the entities.
static test_map_t room_with_models(test_block_t blocks[2], const char *entities) {
    blocks[0] = TestMap_Box(Vector(-112, 160, 0), Vector(-80, 224, 64));
    blocks[1] = TestMap_Box(Vector(64, 160, 0), Vector(96, 224, 64));
    blocks[0].model = 1;
    blocks[1].model = 2;
    return (test_map_t){.room = {{-256, -256, 0}, {256, 256, 256}},
                        .entities = entities,
                        .blocks = blocks,
                        .num_blocks = 2};
}

static void numbers_beyond_the_world_are_clamped(void **state) {
    (void)state;
    static const char *const entities =
        "{ \"classname\" \"worldspawn\" }\n"
        "{ \"classname\" \"info_player_start\" \"origin\" \"nan 1e30 -inf\" }\n"
        "{ \"classname\" \"info_player_start\" \"origin\" \"-200 0 24\" }\n"
        "{ \"classname\" \"trigger_push\" \"model\" \"*1\" \"speed\" \"3e38\" }\n"
        "{ \"classname\" \"func_door_rotating\" \"model\" \"*2\" \"spawnflags\" \"1e30\" }\n";
    test_block_t blocks[2];
    const test_map_t room = room_with_models(blocks, entities);
    routes_on_t *on = open_map(&room);
    for (int32_t i = 0; i < on->entities.count; i++) {
        assert_true(VectorWithin(on->entities.list[i].origin, MAX_WORLD_COORD));
        assert_true(VectorWithin(on->entities.list[i].throws, MAX_WORLD_COORD));
    }
    assert_false(on->entities.list[4].is_wall); // all flags: it rolls
    for (int32_t i = 0; i < on->reach.num_places; i++) {
        assert_true(VectorWithin(on->reach.places[i].origin, MAX_WORLD_COORD));
    }
    close_map(on);
}

static void pushers_and_pads_are_where_the_server_places_them(void **state) {
    (void)state;
    static const char *const entities =
        "{ \"classname\" \"worldspawn\" }\n"
        "{ \"classname\" \"trigger_push\" \"model\" \"*1\" \"angle\" \"-2\" }\n"
        "{ \"classname\" \"func_door_rotating\" \"model\" \"*2\" }\n";
    test_block_t blocks[2];
    const test_map_t room = room_with_models(blocks, entities);
    static map_entities_t read;
    cmap_t map;
    err_t err = {""};
    assert_true(TestMap_Build(&map, &room));
    assert_true(Map_FindPivots(&map, "room", &err));
    assert_true(MapEntities_Read(&read, &map, &err));
    assert_true(VectorCompare(read.list[1].throws, Vector(0.0f, 0.0f, -10000.0f)));
    assert_true(VectorCompare(read.list[2].wall_origin, Vector(80.0f, 192.0f, 32.0f)));
    assert_true(BoundsTouch(read.list[2].bounds, (bounds_t){{70, 170, 8}, {90, 210, 48}}));
    // The open door stands across its doorway.
    assert_false(Reach_IsFree(&map, &read, Vector(80.0f, 192.0f, 32.0f)));
    assert_true(Reach_IsFree(&map, &read, Vector(80.0f, 230.0f, 32.0f)));
    CM_FreeMap(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_route_has_one_corner),
        cmocka_unit_test(walls_are_walked_around_and_crates_jumped_on),
        cmocka_unit_test(teleporters_lead_through_walls_and_lava_is_avoided),
        cmocka_unit_test(numbers_beyond_the_world_are_clamped),
        cmocka_unit_test(pushers_and_pads_are_where_the_server_places_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
