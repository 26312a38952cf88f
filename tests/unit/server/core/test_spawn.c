// Entity text becomes edicts: keys, bad values, unknown classes, skipped entities.

#include "lib/testing.h"
#include "lib/world_fixture.h"

#include "game/game.h"
#include "world/block.h"

#include <string.h>
#include <time.h>

static const test_block_t blocks[] = {
    {.box = {{-10, -20, 0}, {10, 20, 30}}, .contents = CONTENTS_SOLID, .model = 1},
};

// Builds a room with these entities after the worldspawn.
static void build(test_world_t *test, const char *entities) {
    char text[8192];
    snprintf(text, sizeof text, "{\n\"classname\" \"worldspawn\"\n}\n%s", entities);
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .entities = text,
                            .name = "room"};
    TestWorld_Init(test, &map, 4);
}

static edict_t *find(test_world_t *test, const char *classname) {
    for (int32_t i = 0; i < test->world->num_edicts; i++) {
        edict_t *edict = World_Edict(test->world, i);
        if (edict->inuse && strcmp(World_Text(test->world, edict->classname), classname) == 0) {
            return edict;
        }
    }
    return NULL;
}

static void test_keys_reach_the_edict(void **state) {
    (void)state;
    test_world_t test;
    build(&test,
          "{ \"classname\" \"trigger_multiple\" \"model\" \"*1\" \"targetname\" \"a\" "
          "\"target\" \"b\" \"wait\" \" 2.5 \" \"spawnflags\" \" 1.0\" \"message\" \"hello\" "
          "\"light\" \"300\" \"_tb_layer\" \"4\" }"
          "{ \"classname\" \"projectile_fly\" \"origin\" \"1.5 -2 3e1\" "
          "\"velocity\" \"0 600 -1\" \"angles\" \"10 20 30\" }");
    const edict_t *trigger = find(&test, "trigger_multiple");
    edict_t *source = find(&test, "projectile_fly");
    assert_true(trigger);
    assert_true(source);
    const fields_t *fields = Game_Fields(find(&test, "trigger_multiple"));
    assert_int_equal(trigger->model, 1);
    assert_int_equal(trigger->solid, SOLID_TRIGGER);
    assert_true(trigger->mins.x <= -10.0f);
    assert_true(trigger->maxs.z >= 30.0f);
    assert_string_equal(World_Text(test.world, trigger->targetname), "a");
    assert_string_equal(World_Text(test.world, trigger->target), "b");
    assert_string_equal(World_Text(test.world, fields->message), "hello");
    assert_true(fields->wait == 2.5f);
    assert_int_equal(fields->spawnflags, 1);
    assert_true(VectorCompare(source->origin, Vector(1.5f, -2.0f, 30.0f)));
    assert_true(VectorCompare(source->angles, Vector(10.0f, 20.0f, 30.0f)));
    assert_true(VectorCompare(Game_Fields(source)->velocity, Vector(0.0f, 600.0f, -1.0f)));
    assert_int_equal(test.events->count, 2); // no spawn point, no "b": logged once each
    TestWorld_Free(&test);
}

static void test_names_that_nothing_has_are_told(void **state) {
    (void)state;
    test_world_t test;
    build(&test,
          "{\"classname\" \"trigger_relay\"\n\"targetname\" \"a\"\n\"target\" \"lamp\"\n"
          "\"killtarget\" \"dor\" \"target2\" \"b\"}"
          "{\"classname\" \"trigger_relay\" \"targetname\" \"b\" \"target\" \"a\" "
          "\"target3\" \"\" \"message\" \"nothing\"}"
          "{\"classname\" \"info_null\" \"targetname\" \"lamp\" \"target\" \"spot\"}"
          "{\"classname\" \"trigger_relay\" \"targetname\" \"door\" \"spawnflags\" \"2048\"}");
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "room.bsp: entity 1 (trigger_relay): killtarget \"dor\" "
                                           "matches no entity's targetname"),
                     1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "matches no entity"), 1);
    TestWorld_Free(&test);
    char text[2000] = "";
    for (int i = 0; i < 20; i++) { // the first ones are logged one by one
        strlcat(text, "{\"classname\" \"trigger_relay\" \"target\" \"gone\"}", sizeof text);
    }
    build(&test, text);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "matches no entity"), 16);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "4 more keys match no entity's targetname"), 1);
    TestWorld_Free(&test);
}

static void test_misspelt_keys_are_told(void **state) {
    (void)state;
    test_world_t test;
    build(&test, "{\"classname\" \"trigger_multiple\"\n\"model\" \"*1\"\n\"wiat\" \"2\"\n"
                 "\"tragetname\" \"a\" \"mangle\" \"0 0 0\" \"target9\" \"b\" \"\" \"x\" "
                 "\"_lights\" \"4\" \"wait\" \"5\"}");
    assert_int_equal(
        TestWorld_CountEvents(
            &test, EVENT_LOG,
            "room.bsp: entity 1 (trigger_multiple at 0 0 15): unknown key \"wiat\" ignored; did "
            "you mean \"wait\"?"),
        1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "\"tragetname\" ignored; did you mean \"targetname\"?"),
                     1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "unknown key"), 2);
    assert_true(Game_Fields(find(&test, "trigger_multiple"))->wait == 5.0f);
    TestWorld_Free(&test);
    char text[2000] = "";
    for (int i = 0; i < 20; i++) { // the first ones are logged one by one
        strlcat(text, "{\"classname\" \"info_player_start\" \"angel\" \"9\"}", sizeof text);
    }
    build(&test, text);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "unknown key \"angel\""), 16);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "4 more unknown keys"), 1);
    TestWorld_Free(&test);
}

static void test_entities_without_effect_are_reported(void **state) {
    (void)state;
    static const char *const bads[][2] = {
        {"\"trigger_multiple\" \"model\" \"*1\"",
         "entity 1 (trigger_multiple at 0 0 15): has no target, killtarget or message"},
        {"\"trigger_relay\" \"targetname\" \"a\"", "(trigger_relay): has no target"},
        {"\"trigger_counter\" \"targetname\" \"a\"", "(trigger_counter): has no target"},
        {"\"func_plat\" \"model\" \"*1\" \"height\" \"-3\"",
         "(func_plat at 0 0 15): height: expected more than 0, found -3"},
        {"\"func_plat\" \"model\" \"*1\" \"lip\" \"30\"", "height: expected more than 0, found 0"},
        {"\"func_door\" \"model\" \"*1\" \"angle\" \"-1\" \"lip\" \"40\"",
         "lip: expected less than 30 (size along the path), found 40"},
        {"\"func_door\" \"model\" \"*1\" \"height\" \"99999\"", "height: expected -8192 to 8192"},
    };
    for (size_t i = 0; i < COUNTOF(bads); i++) {
        test_world_t test;
        char text[256];
        snprintf(text, sizeof text, "{\"classname\" %s}", bads[i][0]);
        build(&test, text);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, bads[i][1]), 1);
        TestWorld_Free(&test);
    }
    test_world_t test;
    build(&test, "{\"classname\" \"trigger_multiple\" \"model\" \"*1\" \"target3\" \"a\"}"
                 "{\"classname\" \"trigger_secret\" \"model\" \"*1\"}"
                 "{\"classname\" \"func_door\" \"model\" \"*1\" \"angle\" \"-1\" \"lip\" \"29\"}");
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "has no target"), 0);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "lip: "), 0);
    TestWorld_Free(&test);
}

static void test_repeated_keys_are_reported(void **state) {
    (void)state;
    test_world_t test;
    build(&test,
          "{\"classname\" \"trigger_multiple\" \"model\" \"*1\" \"wait\" \"2\" \"message\" \"a\" "
          "\"wait\" \"5\"}");
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "entity 1 (trigger_multiple at 0 0 15): key \"wait\" is "
                                           "given twice: \"2\" and \"5\""),
                     1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "twice"), 1);
    assert_true(Game_Fields(find(&test, "trigger_multiple"))->wait == 5.0f);
    TestWorld_Free(&test);
}

// Spawns the entities of a test's map again, with a .map file. Returns the number of logged events
// that contain `text`.
static int32_t spawn_with_source(test_world_t *test, const char *source, const char *text) {
    const world_params_t params = {.max_edicts = 64,
                                   .max_clients = 1,
                                   .map_hash = test->map.hash,
                                   .bounds = test->map.models[0].bounds};
    err_t err = {{0}};
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    game_binding_t game = test->game;
    assert_true(SV_BindGame(world, Game_Export(), &game, &err));
    game.map_source = source;
    Events_Clear(test->events);
    assert_true(SV_SpawnEntities(world, &test->map, &game, test->events, &err));
    free(world);
    return TestWorld_CountEvents(test, EVENT_LOG, text);
}

// The compiler drops the group and the light, so entity 2 of the map is entity 4 of its source.
static void test_the_line_in_the_source_is_named(void **state) {
    (void)state;
    test_world_t test;
    build(&test, "{\"classname\" \"info_null\"}{\"classname\" \"func_wall\" \"model\" \"*1\" "
                 "\"wait\" \"1\" \"wait\" \"2\"}");
    const char *source = "// { \"classname\" \"func_wall\"\n"
                         "{\n\"classname\" \"worldspawn\"\n{\n( 0 0 0 ) {b 0\n}\n}\n"
                         "{ \"classname\" \"func_group\" }\n{ \"classname\" \"info_null\" }\n"
                         "{\n\"wait\" \"1\"\n\"classname\" \"func_wall\"\n}\n";
    assert_int_equal(
        spawn_with_source(&test, source, "entity 2 (func_wall at 0 0 15; room.map:10): key"), 1);
    TestWorld_Free(&test);
}

// A label that read the whole source each time took seconds here, until the watchdog ended the
// server.
static void test_many_warnings_read_the_source_once(void **state) {
    (void)state;
    enum { SOURCE_BYTES = 8 << 20, NUM_ENTITIES = 120 };
    static char text[8000], source[SOURCE_BYTES + 256];
    for (int32_t i = 0; i < NUM_ENTITIES; i++) {
        strlcat(text, "{\"classname\" \"info_player_start\" \"a\" \"\" \"a\" \"\"}", sizeof text);
    }
    memset(source, '\n', SOURCE_BYTES);
    strlcat(source,
            "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" "
            "\"info_player_start\"\n}",
            sizeof source);
    test_world_t test;
    build(&test, text);
    clock_t begun = clock();
    assert_int_equal(spawn_with_source(&test, source, "room.map:8388612): key \"a\""), 1);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 1.0);
    TestWorld_Free(&test);
}

static void test_angle_is_a_yaw_or_up_or_down(void **state) {
    (void)state;
    static const struct {
        const char *value;
        vec3_t angles;
    } cases[] = {{"90", {0, 90, 0}}, {"-1", {-90, 0, 0}}, {"-2", {90, 0, 0}},
                 {"0", {0, 0, 0}},   {"-3", {0, -3, 0}},  {"west", {0, 0, 0}}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        char text[256];
        snprintf(text, sizeof text, "{\"classname\" \"info_player_start\" \"angle\" \"%s\"}",
                 cases[i].value);
        build(&test, text);
        assert_true(VectorCompare(find(&test, "info_player_start")->angles, cases[i].angles));
        assert_int_equal(
            TestWorld_CountEvents(&test, EVENT_LOG, "angle: expected a number, found \"west\""),
            i == 5);
        TestWorld_Free(&test);
    }
}

// Push triggers: angle -1 throws up, -2 down.
static void test_angles_give_the_direction_of_a_push(void **state) {
    (void)state;
    static const struct {
        const char *value;
        vec3_t movedir;
    } cases[] = {{"-1", {0, 0, 1}}, {"-2", {0, 0, -1}}, {"90", {0, 1, 0}}, {"180", {-1, 0, 0}}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        char text[256];
        snprintf(text, sizeof text,
                 "{\"classname\" \"trigger_push\" \"model\" \"*1\" \"angle\" \"%s\"}",
                 cases[i].value);
        build(&test, text);
        assert_true(
            VectorCompare(Game_Fields(find(&test, "trigger_push"))->movedir, cases[i].movedir));
        TestWorld_Free(&test);
    }
}

// Each message names the line, the key, the expected and the found value. The field stays 0.
static void test_bad_values_are_named_with_their_line(void **state) {
    (void)state;
    test_world_t test;
    build(&test, "{\n\"classname\" \"info_player_start\"\n\"origin\" \"1 2\"\n}\n"
                 "{\n\"classname\" \"info_player_start\"\n\"origin\" \"1 2 3 4\"\n}\n"
                 "{\n\"classname\" \"info_player_start\"\n\"origin\" \"70000 2 3\"\n}\n"
                 "{\n\"classname\" \"info_player_start\"\n\"origin\" \"nan 2 inf\"\n}\n"
                 "{\n\"classname\" \"func_wall\"\n\"model\" \"*7\"\n}\n"
                 "{\n\"classname\" \"func_wall\"\n\"model\" \"*0\"\n}\n"
                 "{\n\"classname\" \"trigger_hurt\"\n\"model\" \"*1\"\n\"dmg\" \"lots\"\n}\n");
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "room.bsp: entity 1 (info_player_start at 1 2): origin: "
                                           "expected three numbers within +-65536, "
                                           "found \"1 2\""),
                     1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "entity 2 (info_player_start at 1 2 3 4): origin: expected three"),
        1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "found \"70000 2 3\""), 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "found \"nan 2 inf\""), 1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "model: expected a brush model of this map, found \"*7\""),
        1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "model: expected a brush model of this map, found \"*0\""),
        1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "dmg: expected a number, found \"lots\""), 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "has no model of brushes or triangles and is left out"),
                     2);
    assert_null(find(&test, "func_wall"));
    assert_true(VectorCompare(find(&test, "info_player_start")->origin, Vector(0, 0, 0)));
    // The default of the class.
    assert_true(Game_Fields(find(&test, "trigger_hurt"))->damage == 5.0f);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

static int32_t count_level(const test_world_t *test, log_level_t level) {
    int32_t count = 0;
    for (int32_t i = 0; i < test->events->count; i++) {
        const event_t *event = &test->events->list[i];
        count += event->type == EVENT_LOG && event->level == level;
    }
    return count;
}

static void test_unknown_classes_are_named_once(void **state) {
    (void)state;
    test_world_t test;
    char text[8000];
    size_t used = 0;
    for (int i = 0; i < 5; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{\"classname\" \"monster_x\"}\n"
                                 "{\"classname\" \"item_x\" \"origin\" \"%d 2 3\"}\n",
                                 i);
    }
    for (int i = 0; i < 70; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "{\"classname\" \"c%d\"}\n", i);
    }
    snprintf(text + used, sizeof text - used,
             "{\"origin\" \"1 2 3\"}\n{\"classname\" \"info_null\"}");
    build(&test, text);
    assert_int_equal(test.world->counters.unknown_classes, 80);
    const char *line = "room: left out 80 entities of more than 64 classes unknown to game arena: "
                       "monster_x (5), item_x (5), c0 (1), c1 (1), ";
    const char *end = ", and more than 50 more; edictd -d lists the first 64";
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, line), 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, end), 1);
    assert_int_equal(count_level(&test, LOG_WARN), 3); // and two about other faults
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "entity 2 (item_x at 0 2 3): unknown class ignored, 5 in this map"),
        1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "unknown class ignored"), 64);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "; did you mean"), 0);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "(no classname at 1 2 3): expected a classname"),
        1);
    assert_null(find(&test, "info_null")); // a known class without an edict
    assert_int_equal(test.world->num_edicts, test.world->max_clients + 1);
    TestWorld_Free(&test);
    build(&test, "{\"classname\" \"x\"}{\"classname\" \"x\"}{\"classname\" \"func_wal\"}");
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "left out 3 entities of 2 classes unknown to game arena: "
                              "func_wal (1; did you mean \"func_wall\"?), x (2); edictd -d"),
        1);
    assert_int_equal(count_level(&test, LOG_WARN), 2); // and no spawn point
    TestWorld_Free(&test);
    build(&test, "{\"classname\" \"x\"}");
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "left out 1 entity of 1 class unknown to game"), 1);
    TestWorld_Free(&test);
}

static void test_single_player_entities_are_left_out(void **state) {
    (void)state;
    test_world_t test;
    build(&test, "{\"classname\" \"info_player_start\" \"spawnflags\" \"2048\"}"
                 "{\"classname\" \"trigger_hurt\" \"model\" \"*1\" \"spawnflags\" \"3840\"}"
                 "{\"classname\" \"info_player_deathmatch\" \"spawnflags\" \"1792\"}"
                 "{\"classname\" \"trigger_once\" \"model\" \"*1\" \"spawnflags\" \"soon\"}");
    assert_null(find(&test, "info_player_start"));
    assert_null(find(&test, "trigger_hurt"));
    assert_non_null(find(&test, "info_player_deathmatch")); // 256, 512, 1024: skills
    assert_non_null(find(&test, "trigger_once"));
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "2 entities for single player only"),
                     1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "spawnflags: expected a whole number, found \"soon\""),
                     1);
    TestWorld_Free(&test);
}

// Only the first entity may be worldspawn; its edict is edict 0.
static void test_only_the_first_entity_is_the_world(void **state) {
    (void)state;
    test_world_t test;
    build(&test, "{\"classname\" \"worldspawn\" \"targetname\" \"other\"}");
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "entity 1 (worldspawn): another worldspawn is ignored"),
                     1);
    assert_int_equal(test.world->num_edicts, test.world->max_clients + 1);
    assert_int_equal(World_Edict(test.world, EDICT_WORLD)->targetname, 0);
    TestWorld_Free(&test);

    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .entities =
                                "{\"classname\" \"info_player_start\" \"origin\" \"1 2 3\"}",
                            .name = "room"};
    TestWorld_Init(&test, &map, 4);
    const edict_t *start = find(&test, "info_player_start");
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "entity 0 (info_player_start at 1 2 3): expected worldspawn"),
        1);
    assert_true(start);
    assert_true(World_EdictNumber(test.world, start) > test.world->max_clients);
    assert_true(VectorCompare(start->origin, Vector(1, 2, 3)));
    TestWorld_Free(&test);
}

static void test_text_that_does_not_parse_is_refused(void **state) {
    (void)state;
    test_world_t test;
    game_binding_t game;
    err_t err = {{0}};
    build(&test, "");
    const world_params_t params = {.max_edicts = 64,
                                   .max_clients = 4,
                                   .seed = 1,
                                   .map_hash = test.map.hash,
                                   .bounds = test.map.models[0].bounds};
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    static const char broken[] = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"li";
    cmap_t map = test.map;
    char text[sizeof broken];
    memcpy(text, broken, sizeof broken);
    map.entities = text;
    map.entities_bytes = sizeof broken - 1;
    assert_true(SV_BindGame(world, Game_Export(), &game, &err));
    assert_false(SV_SpawnEntities(world, &map, &game, test.events, &err));
    assert_non_null(strstr(err.text, "room: entities: line 5"));
    free(world);
    TestWorld_Free(&test);
}

// More entities than edicts: the others are counted and logged once, and the world runs.
static void test_a_full_world_takes_what_fits(void **state) {
    (void)state;
    test_world_t test;
    static char text[65536];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"classname\" \"worldspawn\"}\n");
    for (int i = 0; i < 1200; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{\"classname\" \"info_player_start\"}\n");
    }
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}}, .entities = text};
    TestWorld_Init(&test, &map, 4); // 1024 edicts
    assert_int_equal(test.world->num_edicts, 1024);
    assert_int_equal(test.world->counters.edicts_full, 1200 - (1024 - 5));
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "no free edict"), 1);
    TestWorld_Tick(&test);
    TestWorld_Free(&test);
}

/// A map with more texts than the string table has room for: one warning, at the first entity that
/// loses one.
static void test_more_texts_than_room(void **state) {
    (void)state;
    test_world_t test;
    static char text[160000];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"classname\" \"worldspawn\"}\n");
    for (int i = 0; i < 800; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "{\"classname\" \"info_player_start\" \"targetname\" \"%0100d\"}\n", i);
    }
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}}, .entities = text};
    TestWorld_Init(&test, &map, 4);
    assert_true(test.world->counters.strings_full > 100);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "the string table is full"), 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "(info_player_start): the texts of its keys are lost"),
                     1);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_texts_than_room),
        cmocka_unit_test(test_keys_reach_the_edict),
        cmocka_unit_test(test_names_that_nothing_has_are_told),
        cmocka_unit_test(test_misspelt_keys_are_told),
        cmocka_unit_test(test_angle_is_a_yaw_or_up_or_down),
        cmocka_unit_test(test_angles_give_the_direction_of_a_push),
        cmocka_unit_test(test_entities_without_effect_are_reported),
        cmocka_unit_test(test_repeated_keys_are_reported),
        cmocka_unit_test(test_the_line_in_the_source_is_named),
        cmocka_unit_test(test_many_warnings_read_the_source_once),
        cmocka_unit_test(test_bad_values_are_named_with_their_line),
        cmocka_unit_test(test_unknown_classes_are_named_once),
        cmocka_unit_test(test_single_player_entities_are_left_out),
        cmocka_unit_test(test_only_the_first_entity_is_the_world),
        cmocka_unit_test(test_text_that_does_not_parse_is_refused),
        cmocka_unit_test(test_a_full_world_takes_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
