// Tables of models, sounds and effects: numbers, limits, bad names, untrusted blocks.

#include "world/names.h"

#include "lib/testing.h"
#include "world/block.h"
#include "world/events.h"

#include <string.h>

static const world_params_t params = {.max_edicts = 8, .max_clients = 1};

typedef struct {
    sv_context_t sv;
    events_t *events;
} scene_t;

static void start(scene_t *scene) {
    scene->events = calloc(1, sizeof *scene->events);
    scene->sv = (sv_context_t){.world = World_Init(malloc(World_Bytes(&params)), &params),
                               .events = scene->events};
}

static void end(scene_t *scene) {
    err_t err;
    if (!World_Check(scene->sv.world, scene->sv.world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
    free(scene->sv.world);
    free(scene->events);
}

static int32_t logged(const scene_t *scene, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < scene->events->count; i++) {
        count += strstr(scene->events->list[i].text, text) ? 1 : 0;
    }
    return count;
}

static void test_numbers(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "items/quad"), 1);
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "items/suit"), 2);
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "items/quad"), 1);
    assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, "items/quad"), 1);
    assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, "door"), 2);
    assert_int_equal(Names_Index(&scene.sv, NAMES_EFFECTS, "items/suit"), 1);
    assert_int_equal(scene.sv.world->name_bytes, 3 * 12 + 6 + 12);
    assert_int_equal(scene.events->count, 0);
    end(&scene);
}

/// A game that registers 100,000 models costs itself numbers and one log line a burst. Its names do
/// not fill the string table.
static void test_a_hundred_thousand_models(void **state) {
    (void)state;
    scene_t scene;
    char name[NAME_TEXT_BYTES];
    start(&scene);
    for (int32_t i = 1; i <= 100000; i++) {
        snprintf(name, sizeof name, "models/thing%d", i);
        assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, name), i < NAMES_MAX ? i : 0);
    }
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "models/thing7"), 7);
    assert_int_equal(scene.sv.world->counters.names_refused, 100000 - (NAMES_MAX - 1));
    assert_int_equal(scene.sv.world->counters.strings_full, 0);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "model \"models/thing1024\""), 1);
    scene.sv.world->time_ms += 4999;
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "quiet"), 0);
    assert_int_equal(scene.events->count, 1);
    scene.sv.world->time_ms += 1;
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "loud"), 0);
    assert_int_equal(logged(&scene, "\"loud\""), 1);
    end(&scene);
}

static void test_all_bytes(void **state) {
    (void)state;
    scene_t scene;
    char name[NAME_TEXT_BYTES];
    int32_t count = 0;
    start(&scene);
    do {
        snprintf(name, sizeof name, "%063d", ++count);
    } while (Names_Index(&scene.sv, (names_table_t)(count % NAMES_OF_GAME), name) != 0);
    assert_int_equal(count - 1, NAMES_GAME_BYTES / 65);
    assert_int_equal(logged(&scene, "24576 bytes"), 1);
    end(&scene);
}

static void test_bad_names(void **state) {
    (void)state;
    static const char *const bad[] = {"", "a\nb", "\x7f", "\xc2\x85", "\xff", "cut\xc3", "a\tb"};
    char name[301];
    scene_t scene;
    start(&scene);
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, bad[i]), 0);
    }
    static const size_t lengths[] = {64, 300};
    for (size_t i = 0; i < COUNTOF(lengths); i++) {
        memset(name, 'x', sizeof name);
        name[lengths[i]] = '\0';
        assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, name), 0);
        (void)World_String(scene.sv.world, name); // also if the text is in the string table
        assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, name), 0);
    }
    name[63] = '\0';
    assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, name), 1);
    assert_int_equal(Names_Index(&scene.sv, NAMES_SOUNDS, "\xc3\xbc"), 2);
    assert_int_equal(scene.events->count, 1);
    end(&scene);
}

static void test_full_string_table(void **state) {
    (void)state;
    char name[32];
    scene_t scene;
    start(&scene);
    for (int32_t i = 0; scene.sv.world->counters.strings_full == 0; i++) {
        snprintf(name, sizeof name, "%d", i);
        (void)World_String(scene.sv.world, name);
    }
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "models/a"), 0);
    assert_int_equal(logged(&scene, "string table is full"), 1);
    assert_int_equal(Names_Index(&scene.sv, NAMES_MODELS, "7"), 1);
    end(&scene);
}

static void test_untrusted_blocks(void **state) {
    (void)state;
    scene_t scene;
    err_t err;
    start(&scene);
    world_t *world = scene.sv.world;
    (void)Names_Index(&scene.sv, NAMES_MODELS, "abcdef");
    (void)Names_Index(&scene.sv, NAMES_MODELS, "b");
    const uint16_t id = world->name_ids[NAMES_MODELS][1];
    const struct {
        uint16_t id;
        int32_t count, bytes;
    } cases[] = {{id, 3, 11},         {id, -1, 11}, {id, NAMES_MAX, 11}, {id + 1, 2, 10},
                 {UINT16_MAX, 2, 11}, {0, 2, 11},   {id, 2, 10},         {id, 1, 8}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        world->name_ids[NAMES_MODELS][1] = cases[i].id;
        world->name_counts[NAMES_MODELS] = cases[i].count;
        world->name_bytes = cases[i].bytes;
        world->name_hash = Names_Hash(world);
        err.text[0] = '\0';
        assert_false(Names_Check(world, &err));
        assert_non_null(strstr(err.text, "world: names:"));
    }
    world->name_ids[NAMES_MODELS][1] = id;
    world->name_counts[NAMES_MODELS] = 2;
    world->name_bytes = 11;
    world->name_hash = Names_Hash(world) + 1;
    assert_false(Names_Check(world, &err));
    world->name_hash--;
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),           cmocka_unit_test(test_a_hundred_thousand_models),
        cmocka_unit_test(test_all_bytes),         cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_full_string_table), cmocka_unit_test(test_untrusted_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
