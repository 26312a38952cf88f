// Tests of small maps: each goes through the whole compiler, and the result is loaded.

#include "bsp/entity_text.h"
#include "collide/brush/brush_build.h"
#include "map_text.h"

#include <math.h>

static const int ROOM[6] = {0, 0, 0, 512, 512, 256};

/// Writes a sealed room with a player in it, and leaves the world open for more brushes.
static void start_room(map_text_t *t, int skip) {
    t->used = 0;
    Text_Open(t, "worldspawn");
    Text_Room(t, ROOM, "stone", skip);
}

static void finish_room(map_text_t *t) {
    Text_Close(t);
    Text_Point(t, "info_player_start", 64, 64, 32);
}

static map_text_t text; // static because it is large

static void test_room(void **state) {
    (void)state;
    compiled_t c;
    start_room(&text, -1);
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_string_equal(c.said, "");
    assert_string_equal(c.map.format, "BSP29");
    assert_int_equal(c.map.num_models, 1);
    assert_int_equal(c.map.num_nodes, 6);
    assert_int_equal(c.map.num_leafs, 2);
    assert_int_equal(c.map.leafs[0].contents, CONTENTS_SOLID);
    assert_int_equal(CM_NumClusters(&c.map), 1);
    assert_int_equal(Contents_At(&c, 0, 0, 1, 1, 1), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 0, -1, 1, 1), CONTENTS_SOLID);
    // The outside is solid in every hull, near and far.
    for (int hull = 0; hull < 3; hull++) {
        assert_int_equal(Contents_At(&c, 0, hull, -100, 1, 1), CONTENTS_SOLID);
        assert_int_equal(Contents_At(&c, 0, hull, 9000, 9000, 9000), CONTENTS_SOLID);
    }
    // A hull's floor is at the origin of a standing box, its ceiling where the box bumps.
    assert_int_equal(Contents_At(&c, 0, 1, 16.1f, 16.1f, 24.1f), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 1, 16.1f, 16.1f, 23.9f), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 1, 15.9f, 16.1f, 24.1f), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 1, 256, 256, 256 - 32.1f), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 1, 256, 256, 256 - 31.9f), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 2, 32.1f, 32.1f, 24.1f), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 2, 31.9f, 32.1f, 24.1f), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 2, 256, 256, 256 - 63.9f), CONTENTS_SOLID);
    // The bounds are one unit smaller than the walls on each side, as engines expect.
    assert_true(c.map.models[0].bounds.mins.x == -15.0f);
    assert_true(c.map.models[0].bounds.maxs.z == 271.0f);
    Compile_Free(&c);
}

/// Tests rooms without entities: they become solid. If no entity is inside of any room, all rooms
/// stay.
static void test_unreached(void **state) {
    (void)state;
    compiled_t c;
    static const int other[6] = {1024, 0, 0, 1280, 256, 128};
    start_room(&text, -1);
    Text_Room(&text, other, "stone", -1);
    Text_Close(&text);
    size_t world = text.used;
    Text_Point(&text, "info_player_start", 64, 64, 32);
    Compile_Text(&c, &text, false);
    assert_int_equal(Contents_At(&c, 0, 0, 1100, 100, 64), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 1, 1100, 100, 64), CONTENTS_SOLID);
    Compile_Free(&c);
    Text_Point(&text, "light", 1100, 100, 64);
    Compile_Text(&c, &text, false);
    assert_int_equal(Contents_At(&c, 0, 0, 1100, 100, 64), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 1, 1100, 100, 64), CONTENTS_EMPTY);
    Compile_Free(&c);
    // If a teleport's destination is on the floor, its room is open to boxes too.
    text.used = world;
    Text_Point(&text, "info_player_start", 64, 64, 32);
    Text_Point(&text, "info_teleport_destination", 1100, 100, 0);
    Compile_Text(&c, &text, false);
    assert_int_equal(Contents_At(&c, 0, 1, 1100, 100, 64), CONTENTS_EMPTY);
    Compile_Free(&c);
    text.used = world;
    Compile_Text(&c, &text, false);
    assert_string_equal(c.said, "t.map:1: warning: no point entity is inside the map, so closed "
                                "spaces outside its rooms are not filled; place an entity such as "
                                "info_player_start in a room\n");
    assert_int_equal(Contents_At(&c, 0, 0, 1100, 100, 64), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 0, 800, 100, 64), CONTENTS_SOLID);
    Compile_Free(&c);
}

/// Tests each special texture in the world: its contents in hull 0, and whether it blocks hull 1.
static void test_world_textures(void **state) {
    (void)state;
    static const struct {
        const char *texture;
        contents_t point, box, half_point;
    } cases[] = {
        {"stone", CONTENTS_SOLID, CONTENTS_SOLID, CONTENTS_SOLID},
        {"skip", CONTENTS_SOLID, CONTENTS_SOLID, CONTENTS_SOLID},
        {"caulk", CONTENTS_SOLID, CONTENTS_SOLID, CONTENTS_SOLID},
        {"clip", CONTENTS_EMPTY, CONTENTS_SOLID, CONTENTS_EMPTY},
        {"CLIP", CONTENTS_EMPTY, CONTENTS_SOLID, CONTENTS_EMPTY},
        {"hint", CONTENTS_EMPTY, CONTENTS_EMPTY, CONTENTS_EMPTY},
        {"hintskip", CONTENTS_EMPTY, CONTENTS_EMPTY, CONTENTS_EMPTY},
        {"sky1", CONTENTS_SKY, CONTENTS_SOLID, CONTENTS_SKY},
        {"*water1", CONTENTS_WATER, CONTENTS_EMPTY, CONTENTS_WATER},
        {"*teleport", CONTENTS_WATER, CONTENTS_EMPTY, CONTENTS_WATER},
        {"*slime0", CONTENTS_SLIME, CONTENTS_EMPTY, CONTENTS_SLIME},
        {"*LAVA1", CONTENTS_LAVA, CONTENTS_EMPTY, CONTENTS_LAVA},
        {"ladder", CONTENTS_EMPTY, CONTENTS_EMPTY, CONTENTS_LADDER},
        {"!cur_90", CONTENTS_SOLID, CONTENTS_SOLID, CONTENTS_CURRENT_90},
    };
    static const int block[6] = {192, 192, 64, 320, 320, 192};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int half = 0; half < 2; half++) {
            compiled_t c;
            start_room(&text, -1);
            Text_Box(&text, block, cases[i].texture);
            finish_room(&text);
            Compile_Text(&c, &text, half == 1);
            contents_t box = cases[i].box;
            if (half && cases[i].half_point == CONTENTS_CURRENT_90) {
                box = CONTENTS_EMPTY;
            }
            assert_int_equal(Contents_At(&c, 0, 0, 256, 256, 128),
                             half ? cases[i].half_point : cases[i].point);
            assert_int_equal(Contents_At(&c, 0, 1, 256, 256, 128), box);
            assert_int_equal(Contents_At(&c, 0, 0, 188, 256, 128), CONTENTS_EMPTY);
            Compile_Free(&c);
        }
    }
}

/// Tests overlapping brushes: solid wins over sky, sky over liquids; of two liquids, the later one
/// in the map wins.
static void test_overlaps(void **state) {
    (void)state;
    compiled_t c;
    static const int pool[6] = {0, 0, 0, 512, 512, 64};
    static const int tub[6] = {100, 100, 0, 300, 300, 80};
    static const int rock[6] = {150, 150, -8, 200, 200, 100};
    start_room(&text, -1);
    Text_Box(&text, rock, "stone");
    Text_Box(&text, pool, "*water");
    Text_Box(&text, tub, "*lava");
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_int_equal(Contents_At(&c, 0, 0, 50, 50, 32), CONTENTS_WATER);
    assert_int_equal(Contents_At(&c, 0, 0, 250, 250, 32), CONTENTS_LAVA);
    assert_int_equal(Contents_At(&c, 0, 0, 250, 250, 72), CONTENTS_LAVA);
    assert_int_equal(Contents_At(&c, 0, 0, 175, 175, 32), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 0, 175, 175, 110), CONTENTS_EMPTY);
    Compile_Free(&c);
    start_room(&text, -1);
    Text_Box(&text, tub, "*lava");
    Text_Box(&text, pool, "*water");
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_int_equal(Contents_At(&c, 0, 0, 250, 250, 32), CONTENTS_WATER);
    assert_int_equal(Contents_At(&c, 0, 0, 250, 250, 72), CONTENTS_LAVA);
    Compile_Free(&c);
}

static const entity_def_t *find_entity(const compiled_t *c, const char *class, entity_def_t *out) {
    entity_parser_t parser = {c->map.entities, c->map.entities + c->map.entities_bytes, 1};
    err_t err;
    for (;;) {
        entity_parse_t got = BSP_ParseEntity(&parser, out, &err);
        assert_int_not_equal(got, ENTITY_ERROR);
        if (got == ENTITY_END) {
            return NULL;
        }
        const char *value = BSP_EntityValue(out, "classname");
        if (value && strcmp(value, class) == 0) {
            return out;
        }
    }
}

static void test_brush_entities(void **state) {
    (void)state;
    compiled_t c;
    static entity_def_t entity;
    static const int slab[6] = {100, 100, 50, 200, 200, 60};
    static const int portal[6] = {300, 300, 16, 310, 400, 128};
    static const int fence[6] = {400, 100, 16, 416, 200, 128};
    start_room(&text, -1);
    finish_room(&text);
    Text_Open(&text, "func_plat");
    Text_Add(&text, "\"model\" \"progs/old.mdl\"\n\"speed\" \"50\"\n");
    Text_Box(&text, slab, "metal");
    Text_Close(&text);
    Text_Open(&text, "trigger_teleport");
    Text_Box(&text, portal, "*teleport");
    Text_Close(&text);
    Text_Open(&text, "func_wall");
    Text_Box(&text, fence, "clip");
    Text_Close(&text);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.map.num_models, 4);
    // The models of entities are not part of the world.
    assert_int_equal(Contents_At(&c, 0, 0, 150, 150, 55), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 1, 150, 150, 55), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 1, 0, 150, 150, 55), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 1, 0, 150, 150, 61), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 1, 1, 150, 150, 83), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 1, 1, 150, 150, 85), CONTENTS_EMPTY);
    assert_true(c.map.models[1].bounds.mins.z == 51.0f);
    assert_true(c.map.models[1].bounds.maxs.x == 199.0f);
    // A trigger is solid, whatever its texture: the server asks whether a box is in it.
    assert_int_equal(Contents_At(&c, 2, 0, 305, 350, 64), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 3, 0, 408, 150, 64), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 3, 2, 408, 150, 64), CONTENTS_SOLID);
    assert_non_null(find_entity(&c, "func_plat", &entity));
    assert_string_equal(BSP_EntityValue(&entity, "model"), "*1");
    assert_string_equal(BSP_EntityValue(&entity, "speed"), "50");
    assert_non_null(find_entity(&c, "func_wall", &entity));
    assert_string_equal(BSP_EntityValue(&entity, "model"), "*3");
    Compile_Free(&c);
}

static void test_origin_brush(void **state) {
    (void)state;
    compiled_t c;
    static entity_def_t entity;
    static const int blade[6] = {200, 240, 100, 300, 260, 120};
    static const int axle[6] = {240, 240, 100, 260, 260, 120};
    start_room(&text, -1);
    finish_room(&text);
    Text_Open(&text, "func_rotating");
    Text_Add(&text, "\"origin\" \"1 2 3\"\n");
    Text_Box(&text, blade, "metal");
    Text_Box(&text, axle, "origin");
    Text_Close(&text);
    Compile_Text(&c, &text, true);
    assert_string_equal(c.map.format, "BSP30");
    assert_non_null(find_entity(&c, "func_rotating", &entity));
    assert_string_equal(BSP_EntityValue(&entity, "origin"), "250 250 110");
    assert_int_equal(Contents_At(&c, 1, 0, 0, 0, 0), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 1, 0, 49, 9, 9), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 1, 0, 51, 0, 0), CONTENTS_EMPTY);
    assert_true(c.map.models[1].bounds.mins.x == -49.0f);
    Compile_Free(&c);
}

/// Tests a turning entity without an origin brush: a warning, unless a key says that it is meant.
static void test_no_origin_brush(void **state) {
    (void)state;
    static const struct {
        const char *class, *key, *expected;
    } cases[] = {
        {"func_rotating", "",
         "t.map:56: warning: func_rotating: expected an ORIGIN brush, found none: it turns about "
         "its "
         "middle; add the brush, or the key \"turn_about\" \"middle\" or \"map\"\n"},
        {"func_rotating", "\"turn_about\" \"map\"\n", ""},
        {"func_rotating", "\"origin\" \"0 0 0\"\n", ""},
        {"func_door", "", ""},
    };
    static const int blade[6] = {200, 240, 100, 300, 260, 120};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        compiled_t c;
        start_room(&text, -1);
        finish_room(&text);
        Text_Open(&text, cases[i].class);
        Text_Add(&text, "%s", cases[i].key);
        Text_Box(&text, blade, "metal");
        Text_Close(&text);
        Compile_Text(&c, &text, false);
        assert_string_equal(c.said, cases[i].expected);
        Compile_Free(&c);
    }
}

/// Tests func_group and func_detail*: their brushes join the world, and the entities disappear.
static void test_world_joiners(void **state) {
    (void)state;
    static const struct {
        const char *class;
        contents_t expected;
    } cases[] = {
        {"func_group", CONTENTS_SOLID},
        {"func_detail", CONTENTS_SOLID},
        {"func_detail_wall", CONTENTS_SOLID},
        {"func_detail_fence", CONTENTS_SOLID},
        {"func_detail_illusionary", CONTENTS_EMPTY},
    };
    static const int block[6] = {192, 192, 64, 320, 320, 192};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static entity_def_t entity;
        compiled_t c;
        start_room(&text, -1);
        finish_room(&text);
        Text_Open(&text, cases[i].class);
        Text_Box(&text, block, "stone");
        Text_Close(&text);
        Compile_Text(&c, &text, false);
        assert_int_equal(c.map.num_models, 1);
        assert_int_equal(Contents_At(&c, 0, 0, 256, 256, 128), cases[i].expected);
        assert_int_equal(Contents_At(&c, 0, 1, 256, 256, 128), cases[i].expected);
        assert_null(find_entity(&c, cases[i].class, &entity));
        assert_non_null(find_entity(&c, "info_player_start", &entity));
        Compile_Free(&c);
    }
}

/// Tests layers omitted from export: they and their groups are not compiled.
static void test_omitted_layers(void **state) {
    (void)state;
    compiled_t c;
    static entity_def_t entity;
    static const int a[6] = {100, 100, 50, 150, 150, 60};
    static const int b[6] = {200, 100, 50, 250, 150, 60};
    start_room(&text, -1);
    finish_room(&text);
    Text_Open(&text, "func_group");
    Text_Add(&text, "\"_tb_type\" \"_tb_layer\"\n\"_tb_id\" \"7\"\n"
                    "\"_tb_layer_omit_from_export\" \"1\"\n");
    Text_Box(&text, a, "stone");
    Text_Close(&text);
    Text_Open(&text, "func_group");
    Text_Add(&text, "\"_tb_type\" \"_tb_group\"\n\"_tb_id\" \"8\"\n\"_tb_layer\" \"7\"\n");
    Text_Box(&text, b, "stone");
    Text_Close(&text);
    Text_Add(&text, "{\n\"classname\" \"light\"\n\"_tb_group\" \"8\"\n"
                    // Outside of the map: compiled, this would be a leak.
                    "\"origin\" \"9999 0 0\"\n}\n");
    Text_Add(&text, "{\n\"classname\" \"item_key1\"\n\"_tb_group\" \"9\"\n"
                    "\"origin\" \"64 64 40\"\n}\n");
    Compile_Text(&c, &text, false);
    assert_int_equal(Contents_At(&c, 0, 0, 125, 125, 55), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 0, 225, 125, 55), CONTENTS_EMPTY);
    assert_null(find_entity(&c, "light", &entity));
    assert_non_null(find_entity(&c, "item_key1", &entity));
    assert_null(BSP_EntityValue(&entity, "_tb_group"));
    Compile_Free(&c);
}

/// Tests brushes without volume: they are left out, with a warning that has their line number.
static void test_bad_brushes(void **state) {
    (void)state;
    static const struct {
        const char *brush, *said;
    } cases[] = {
        {"( 0 0 64 ) ( 0 64 64 ) ( 64 0 64 ) a 0 0 0 1 1\n",
         "t.map:51: warning: brush ignored: its 1 planes enclose no volume\n"},
        {"", "t.map:51: warning: brush ignored: its 0 planes enclose no volume\n"},
        {"( 0 0 0 ) ( 1 2 3 ) ( 2 4 6 ) a 0 0 0 1 1\n",
         "t.map:51: warning: brush ignored: its 0 planes enclose no volume\n"},
        {"( 32 0 0 ) ( 32 0 64 ) ( 32 64 0 ) a 0 0 0 1 1\n" // +x, but no -x
         "( 0 0 0 ) ( 0 0 64 ) ( 64 0 0 ) a 0 0 0 1 1\n"
         "( 0 64 0 ) ( 64 64 0 ) ( 0 64 64 ) a 0 0 0 1 1\n"
         "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) a 0 0 0 1 1\n"
         "( 0 0 64 ) ( 0 64 64 ) ( 64 0 64 ) a 0 0 0 1 1\n",
         "t.map:51: warning: brush ignored: it is open or reaches beyond +-65536; close or shrink "
         "it\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compiled_t c;
        start_room(&text, -1);
        Text_Add(&text, "{\n%s}\n", cases[i].brush);
        finish_room(&text);
        Compile_Text(&c, &text, false);
        assert_int_equal(c.outcome, MC_COMPILED);
        assert_string_equal(c.said, cases[i].said);
        Compile_Free(&c);
    }
}

/// Writes the text of a drum at (x, y): 128 sides, 126 of them upright. Returns its length.
static size_t drum(char *at, size_t size, double x, double y) {
    size_t used = (size_t)snprintf(at, size,
                                   "{\n( 0 0 16 ) ( 0 64 16 ) ( 64 0 16 ) a 0 0 0 1 1\n"
                                   "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) a 0 0 0 1 1\n");
    for (int i = 0; i < 126; i++) {
        double turn = 6.283185307179586 * i / 126;
        double px = x + 60 * cos(turn);
        double py = y + 60 * sin(turn);
        used += (size_t)snprintf(at + used, size - used,
                                 "( %.6f %.6f 0 ) ( %.6f %.6f 64 ) ( %.6f %.6f 0 ) a 0 0 0 1 1\n",
                                 px, py, px, py, px - 64 * sin(turn), py + 64 * cos(turn));
    }
    return used + (size_t)snprintf(at + used, size - used, "}\n");
}

/// Tests more drums than a server would load: the compiler refuses the first drum beyond the limit.
/// Each costs the square of its non-axial planes plus six. (test_geometry.c tests this check
/// alone.)
static void test_more_than_a_server_loads(void **state) {
    (void)state;
    if (!Test_IsLong()) {
        skip(); // takes four seconds
    }
    enum { DRUM_LINES = 130, SIDES = 126 + 6 - 2 };
    const int most = MAX_BRUSH_WORK / (SIDES * SIDES);
    size_t size = (size_t)(most + 40) * 16000;
    char *source = malloc(size);
    assert_non_null(source);
    size_t used = (size_t)snprintf(source, size, "{\n\"classname\" \"worldspawn\"\n");
    for (int i = 0; i < most + 20; i++) {
        used += drum(source + used, size - used, 130 * (i % 50), 130 * (i / 50));
    }
    used += (size_t)snprintf(source + used, size - used, "}\n");
    compiled_t c;
    mc_options_t options = {0};
    Compile_Bytes(&c, source, used, &options);
    free(source);
    print_message("%d drums fit: %s", most, c.said);
    assert_int_equal(c.outcome, MC_FAILED);
    int line = 0;
    assert_int_equal(
        sscanf(c.said, "t.map:%d: error: the brushes are too complex for servers", &line), 1);
    assert_true((line - 3) % DRUM_LINES == 0);
    assert_in_range((line - 3) / DRUM_LINES, most - 5, most);
    Compile_Free(&c);
}

static void test_warnings(void **state) {
    (void)state;
    static const int block[6] = {192, 192, 64, 320, 320, 192};
    compiled_t c;
    // A brush with one plane twice and two kinds of texture.
    start_room(&text, -1);
    Text_Box(&text, block, "*water");
    text.used -= 2;
    Text_Add(&text, "( 192 192 192 ) ( 192 320 192 ) ( 320 192 192 ) *water 0 0 0 1 1\n");
    Text_Add(&text, "( 192 192 190 ) ( 192 320 190 ) ( 320 192 190 ) stone 0 0 0 1 1\n}\n");
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_string_equal(
        c.said,
        "t.map:59: warning: textures \"stone\" and \"*water\" have different contents; the first "
        "side decides\n"
        "t.map:58: warning: another side of the brush has the same plane; side ignored\n");
    assert_int_equal(Contents_At(&c, 0, 0, 256, 256, 189), CONTENTS_WATER);
    assert_int_equal(Contents_At(&c, 0, 0, 256, 256, 191), CONTENTS_EMPTY);
    Compile_Free(&c);
    // Special names where they have no effect, an entity without a class, and a bad origin.
    start_room(&text, -1);
    Text_Box(&text, block, "origin");
    Text_Box(&text, block, "trigger");
    finish_room(&text);
    Text_Add(&text, "{\n\"a\" \"b\"\n}\n{\n\"classname\" \"light\"\n\"origin\" \"1 2\"\n}\n");
    Compile_Text(&c, &text, false);
    assert_int_equal(c.num_warnings, 4);
    assert_non_null(
        strstr(c.said, "t.map:51: warning: origin brush ignored: it works only in a brush entity"));
    assert_non_null(
        strstr(c.said, "t.map:59: warning: texture \"trigger\" in the world makes a solid wall"));
    assert_non_null(strstr(c.said, "t.map:72: warning: the entity has no key \"classname\""));
    assert_non_null(strstr(c.said,
                           "t.map:75: warning: origin of \"light\": expected three numbers, "
                           "found \"1 2\"; origin ignored"));
    assert_int_equal(Contents_At(&c, 0, 0, 256, 256, 128), CONTENTS_SOLID);
    Compile_Free(&c);
}

/// Tests keys that are too long for the server: they are refused, or dropped if only editors use
/// them.
static void test_long_keys(void **state) {
    (void)state;
    compiled_t c;
    static entity_def_t entity;
    static char longest[1100];
    memset(longest, 'x', sizeof longest - 1);
    start_room(&text, -1);
    Text_Add(&text, "\"wad\" \"%s\"\n", longest);
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_non_null(strstr(c.said, "t.map:51: warning: \"wad\" left out: expected a value below "
                                   "1024 bytes, found 1099"));
    assert_non_null(find_entity(&c, "worldspawn", &entity));
    assert_null(BSP_EntityValue(&entity, "wad"));
    Compile_Free(&c);
    start_room(&text, -1);
    Text_Add(&text, "\"message\" \"%s\"\n", longest);
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_FAILED);
    assert_non_null(strstr(c.said, "t.map:51: error: \"message\": expected a value below 1024"));
    Compile_Free(&c);
    start_room(&text, -1);
    for (int i = 0; i < 70; i++) {
        Text_Add(&text, "\"key%d\" \"1\"\n", i);
    }
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_FAILED);
    assert_non_null(strstr(c.said, "t.map:1: error: expected at most 64 keys of an entity"));
    Compile_Free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_unreached),
        cmocka_unit_test(test_world_textures),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_brush_entities),
        cmocka_unit_test(test_origin_brush),
        cmocka_unit_test(test_no_origin_brush),
        cmocka_unit_test(test_world_joiners),
        cmocka_unit_test(test_omitted_layers),
        cmocka_unit_test(test_bad_brushes),
        cmocka_unit_test(test_more_than_a_server_loads),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_long_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
