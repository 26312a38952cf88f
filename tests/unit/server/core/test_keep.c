// Packed values of fields with FIELD_KEEP: each type, other worlds, other tables, damaged bytes.

#include "lib/testing.h"
#include "lib/world_fixture.h"

#include "core/core_local.h"
#include "core/game_tables.h"
#include "game/game.h"

#include <string.h>

typedef struct {
    int64_t ends_ms;
    int32_t score, not_kept;
    float part;
    vec3_t home;
    int32_t name, empty;
} kept_t;

#define KEPT(type, member, flags)                                                                  \
    { #member, type, (uint32_t)offsetof(kept_t, member), flags, NULL, 0, 0, 0 }

static const game_field_t list[] = {
    KEPT(FIELD_TIME, ends_ms, FIELD_KEEP), KEPT(FIELD_INT, score, FIELD_KEEP | FIELD_ALL),
    KEPT(FIELD_INT, not_kept, 0),          KEPT(FIELD_FLOAT, part, FIELD_KEEP),
    KEPT(FIELD_VECTOR, home, FIELD_KEEP),  KEPT(FIELD_STRING, name, FIELD_KEEP),
    KEPT(FIELD_STRING, empty, FIELD_KEEP),
};
static const game_fields_t fields = {list, (int32_t)COUNTOF(list)};

static const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}}};

typedef struct {
    test_world_t from, to;
    uint8_t bytes[KEEP_BYTES];
    int32_t count;
} scene_t;

// Packs a value of each type in one world, 1 s before ends_ms. The other world has other times and
// string ids.
static void set_up(scene_t *scene, const char *name) {
    memset(scene, 0, sizeof *scene);
    TestWorld_Init(&scene->from, &room, 1);
    TestWorld_Init(&scene->to, &room, 1);
    scene->from.world->time_ms = 5000;
    scene->to.world->time_ms = 300;
    World_String(scene->to.world, "another text, so that the ids differ");
    const kept_t from = {.ends_ms = 6000,
                         .score = -7,
                         .not_kept = 9,
                         .part = 0.25f,
                         .home = {1, 2, 3},
                         .name = World_String(scene->from.world, name)};
    scene->count = SV_PackKept(scene->from.world, &fields, (const uint8_t *)&from, scene->bytes);
    assert_true(scene->count > 0 && scene->count <= KEEP_BYTES);
}

static void tear_down(scene_t *scene) {
    TestWorld_Free(&scene->from);
    TestWorld_Free(&scene->to);
}

static kept_t unpack(scene_t *scene, const game_fields_t *as, int32_t count) {
    kept_t to = {0};
    SV_UnpackKept(scene->to.world, as, scene->bytes, count, (uint8_t *)&to);
    return to;
}

static void test_every_type(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "kettle");
    kept_t to = unpack(&scene, &fields, scene.count);
    assert_int_equal(to.ends_ms, 1300);
    assert_int_equal(to.score, -7);
    assert_int_equal(to.not_kept, 0);
    assert_true(to.part == 0.25f);
    assert_true(VectorCompare(to.home, Vector(1, 2, 3)));
    assert_string_equal(World_Text(scene.to.world, to.name), "kettle");
    assert_int_equal(to.empty, 0);
    tear_down(&scene);
}

static void test_long_texts_and_past_times(void **state) {
    (void)state;
    static scene_t scene;
    char text[200];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    set_up(&scene, text);
    assert_int_equal(strlen(World_Text(scene.to.world, unpack(&scene, &fields, scene.count).name)),
                     63);
    const kept_t late = {.ends_ms = 4999};
    scene.count = SV_PackKept(scene.from.world, &fields, (const uint8_t *)&late, scene.bytes);
    assert_int_equal(unpack(&scene, &fields, scene.count).ends_ms, 0);
    tear_down(&scene);
}

// A reloaded build may list the fields in another order, or keep fewer of them.
static void test_other_tables(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "kettle");
    game_field_t turned[COUNTOF(list)];
    for (size_t i = 0; i < COUNTOF(list); i++) {
        turned[i] = list[COUNTOF(list) - 1 - i];
    }
    const game_fields_t other = {turned, (int32_t)COUNTOF(list)};
    kept_t to = unpack(&scene, &other, scene.count);
    assert_int_equal(to.score, -7);
    assert_string_equal(World_Text(scene.to.world, to.name), "kettle");
    turned[COUNTOF(list) - 2].flags = FIELD_ALL; // the score is not kept any more
    to = unpack(&scene, &other, scene.count);
    assert_int_equal(to.ends_ms, 1300);
    assert_int_equal(to.score, 0);
    assert_int_equal(to.name, 0); // the bytes after an unknown field are not read
    tear_down(&scene);
}

// Any damage leaves the other members alone; the sanitizers watch the bounds.
static void test_damaged_bytes(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "kettle");
    const kept_t whole = unpack(&scene, &fields, scene.count);
    for (int32_t count = 0; count < scene.count; count++) {
        kept_t to = unpack(&scene, &fields, count);
        assert_true(to.ends_ms == 0 || to.ends_ms == whole.ends_ms);
        assert_true(to.score == 0 || to.score == whole.score);
        assert_int_equal(to.not_kept, 0);
    }
    for (int32_t i = 0; i < scene.count; i++) {
        uint8_t before = scene.bytes[i];
        scene.bytes[i] = 0xff;
        assert_int_equal(unpack(&scene, &fields, scene.count).not_kept, 0);
        scene.bytes[i] = before;
    }
    tear_down(&scene);
}

static void refuses(const game_field_t *field, int32_t count, const char *why) {
    game_export_t game = *Game_Export();
    err_t err = {{0}};
    game.client_fields = (game_fields_t){field, count};
    assert_false(SV_CheckGame(&game, &err));
    if (!strstr(err.text, why)) {
        fail_msg("expected \"%s\", found \"%s\"", why, err.text);
    }
}

static void test_refused_tables(void **state) {
    (void)state;
    static const game_field_t ref = {"x", FIELD_REF, 0, FIELD_KEEP, NULL, 0, 0, 0};
    static const game_field_t texts[] = {{"a", FIELD_STRING, 0, FIELD_KEEP, NULL, 0, 0, 0},
                                         {"b", FIELD_STRING, 4, FIELD_KEEP, NULL, 0, 0, 0},
                                         {"c", FIELD_STRING, 8, FIELD_KEEP, NULL, 0, 0, 0},
                                         {"d", FIELD_STRING, 12, FIELD_KEEP, NULL, 0, 0, 0}};
    const game_fields_t three = {texts, 3};
    refuses(&ref, 1, "client field \"x\": a ref cannot be kept");
    refuses(texts, 4, "client fields: FIELD_KEEP: expected at most 224 packed bytes");
    assert_int_equal(SV_KeepBytes(&three), 198);
    assert_true(SV_KeepBytes(&Game_Export()->client_fields) <= KEEP_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),     cmocka_unit_test(test_long_texts_and_past_times),
        cmocka_unit_test(test_other_tables),   cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_refused_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
