// Skies: points can enter those of Quake maps; those of Quake II and Quake III are solid brushes
// with a flag. Tests where a sweep stops, the sky flag of its trace, and that missiles vanish.

#include "game/game.h"
#include "lib/events_fixture.h"
#include "lib/ibsp_fixture.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"
#include "world/block.h"

#include <string.h>

enum { SOLID = 1, SKY = 4, NODRAW = 0x80, NUM_KINDS = 3 };

// Missiles fly along x into the wall at 500, and along -x into the wall at -500.
static const char entities[] =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_start\" \"origin\" \"-400 0 24\" }\n"
    "{ \"classname\" \"projectile_fly\" \"origin\" \"0 0 64\" \"velocity\" \"1000 0 0\" "
    "\"wait\" \"-1\" }\n"
    "{ \"classname\" \"projectile_fly\" \"origin\" \"0 64 64\" \"velocity\" \"-1000 0 0\" "
    "\"wait\" \"-1\" }\n";

// Builds a room whose wall at x 500 is sky in front of solid.
static void build_quake(cmap_t *map) {
    static const test_block_t sky[] = {
        {.box = {{500, -500, 0}, {540, 500, 400}}, .contents = CONTENTS_SKY}};
    const test_map_t test = {.room = {{-500, -500, 0}, {540, 500, 400}},
                             .blocks = sky,
                             .num_blocks = 1,
                             .entities = entities,
                             .brush_list = true};
    assert_true(TestMap_Build(map, &test));
}

// Builds the same room from brushes. `plain`: number of the sky's sides with the surface `name`
// instead of sky.
static void build_ibsp(cmap_t *map, int32_t version, int32_t plain, uint32_t plain_surface,
                       const char *plain_name) {
    const test_ibsp_brush_t walls[] = {
        {.box = {{-540, -540, -40}, {540, 540, 0}}, .flags = SOLID},
        {.box = {{-540, -540, 400}, {540, 540, 440}}, .flags = SOLID},
        {.box = {{-540, -540, 0}, {540, -500, 400}}, .flags = SOLID},
        {.box = {{-540, 500, 0}, {540, 540, 400}}, .flags = SOLID},
        {.box = {{-540, -500, 0}, {-500, 500, 400}}, .flags = SOLID},
        {.box = {{500, -500, 0}, {540, 500, 400}},
         .flags = SOLID,
         .surface = SKY,
         .plain = plain,
         .plain_surface = plain_surface,
         .plain_name = plain_name},
    };
    const test_ibsp_t test = {.version = version,
                              .brushes = walls,
                              .num_brushes = (int32_t)COUNTOF(walls),
                              .num_models = 1,
                              .entities = entities};
    assert_true(TestIbsp_Build(map, &test));
}

static void build(cmap_t *map, int32_t kind) {
    if (kind == 0) {
        build_quake(map);
    } else {
        build_ibsp(map, kind == 1 ? 38 : 46, 3, NODRAW, NULL);
    }
}

static void test_what_is_in_the_sky(void **state) {
    (void)state;
    const cm_object_t world = {.model = 0, .solids = CM_SOLIDS_BRUSHES};
    const vec3_t none = {0, 0, 0};
    for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
        cmap_t map;
        memset(&map, 0, sizeof map);
        build(&map, kind);
        assert_int_equal(CM_PointContents(&map, 0, Vector(520, 0, 64)), CONTENTS_SKY);
        assert_int_equal(CM_PointContents(&map, 0, Vector(499, 0, 64)), CONTENTS_EMPTY);
        assert_int_equal(CM_PointContents(&map, 0, Vector(-520, 0, 64)), CONTENTS_SOLID);
        // A player's box stops at the sky. A point enters the sky of a Quake map.
        trace_t box = CM_BoxTrace(&map, &world, Vector(0, 0, 64), Vector(600, 0, 64),
                                  Vector(-16, -16, -24), Vector(16, 16, 32));
        assert_float_equal(box.endpos.x, 484.0f - 0.03125f, 0.001f);
        trace_t point = CM_BoxTrace(&map, &world, Vector(0, 0, 64), Vector(600, 0, 64), none, none);
        assert_float_equal(point.endpos.x, (kind == 0 ? 540.0f : 500.0f) - 0.03125f, 0.02f);
        CM_FreeMap(&map);
    }
}

// A wall with sky on some of its sides is still a wall. Brushes that the compiler added to a sky
// are not.
static void test_walls_with_sky_on_them_are_walls(void **state) {
    (void)state;
    for (int32_t version = 38; version <= 46; version += 8) {
        cmap_t map;
        memset(&map, 0, sizeof map);
        build_ibsp(&map, version, 3, 0, "no");
        assert_int_equal(CM_PointContents(&map, 0, Vector(520, 0, 64)), CONTENTS_SOLID);
        CM_FreeMap(&map);
        memset(&map, 0, sizeof map);
        build_ibsp(&map, version, 7, NODRAW, NULL);
        assert_int_equal(CM_PointContents(&map, 0, Vector(520, 0, 64)), CONTENTS_SOLID);
        CM_FreeMap(&map);
        memset(&map, 0, sizeof map);
        build_ibsp(&map, version, 3, 0, "noshader");
        assert_int_equal(CM_PointContents(&map, 0, Vector(520, 0, 64)), CONTENTS_SKY);
        CM_FreeMap(&map);
    }
}

static void test_missiles_vanish_in_the_sky(void **state) {
    (void)state;
    for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
        test_world_t test;
        memset(&test, 0, sizeof test);
        build(&test.map, kind);
        TestWorld_Start(&test, 256, 2, NULL, NULL);
        int32_t explosions = 0;
        int32_t flying = 0;
        for (int32_t i = 0; i < 100; i++) {
            TestWorld_Tick(&test);
            explosions += TestEvents_Effects(test.world, test.events, "explode");
            flying = 0;
            for (int32_t n = 1; n < test.world->num_edicts; n++) {
                const edict_t *edict = World_Edict(test.world, n);
                flying += edict->inuse && edict->type == ENTITY_PROJECTILE;
            }
            assert_true(i != 45 || flying == 2);
        }
        assert_int_equal(flying, 0);
        assert_int_equal(explosions, 1); // the missile at the other wall
        TestWorld_Free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_in_the_sky),
        cmocka_unit_test(test_walls_with_sky_on_them_are_walls),
        cmocka_unit_test(test_missiles_vanish_in_the_sky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
