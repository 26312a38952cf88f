// Each powerup: its effect, its duration, and its loss at death.

#include "lib/arena_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define TAKES_MS 64
#define LASTS_MS 30000

static const char item[] = "{ \"classname\" \"%s\" \"origin\" \"0 400 8\" }";

// Ann has just taken the powerup; bob stands in front of her.
static void set_up(test_world_t *test, const char *classname) {
    char entities[128];
    snprintf(entities, sizeof entities, item, classname);
    TestArena_Init(test, 2, entities, NULL, NULL);
    TestArena_Join(test, 1, "bob", Vector(100, 0, ARENA_FLOOR));
    TestArena_Join(test, 0, "ann", Vector(0, 400, ARENA_FLOOR));
    TestArena_Run(test, TAKES_MS, "");
    assert_int_equal(TestArena_Find(test, classname)->visibility, VISIBLE_NOBODY);
    TestArena_Put(test, 0, Vector(-100, 0, ARENA_FLOOR));
    TestArena_Run(test, 16, "");
}

static int32_t effects_of(const test_world_t *test, int32_t slot) {
    return World_Edict(test->world, slot + 1)->effects;
}

// Ann hits bob with the axe. Returns the damage.
static int32_t axe_bob(test_world_t *test) {
    World_Client(test->world, 1)->player.health = 500;
    TestArena_Put(test, 0, Vector(-20, 0, ARENA_FLOOR));
    TestArena_Put(test, 1, Vector(20, 0, ARENA_FLOOR));
    TestArena_Run(test, 512, ""); // until the weapon is ready
    TestArena_Put(test, 1, Vector(20, 0, ARENA_FLOOR));
    TestArena_Press(test, 0, 16, BUTTON_ATTACK, WEAPON_AXE, "");
    return 500 - TestArena_Health(test, 1);
}

static void test_quad_damage_is_four_times(void **state) {
    (void)state;
    static const char *const names[] = {"item_artifact_super_damage", "item_quad"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        test_world_t test;
        set_up(&test, names[i]);
        assert_int_equal(effects_of(&test, 0), EFFECT_QUAD);
        assert_int_equal(axe_bob(&test), 80);
        TestArena_Run(&test, LASTS_MS, "");
        assert_int_equal(effects_of(&test, 0), 0);
        assert_int_equal(axe_bob(&test), 20);
        TestWorld_Free(&test);
    }
}

static void test_a_shield_takes_everything(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, "item_artifact_invulnerability");
    assert_int_equal(effects_of(&test, 0), EFFECT_SHIELD);
    TestArena_Fields(&test, 1)->power_ms[POWER_QUAD] = INT64_MAX / 2;
    TestArena_Put(&test, 0, ARENA_LAVA);
    TestArena_Run(&test, 2000, "");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    TestArena_Put(&test, 0, Vector(0, 0, 1500));
    TestArena_Run(&test, 2500, "");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    TestArena_Tell(&test, 0, "kill"); // damage by oneself is not blocked
    assert_int_equal(TestArena_Run(&test, 16, "ann gave up"), 1);
    TestWorld_Free(&test);
}

static void test_a_shield_ends(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, "item_artifact_invulnerability");
    TestArena_Run(&test, LASTS_MS - 500, "");
    assert_int_equal(effects_of(&test, 0), EFFECT_SHIELD);
    TestArena_Run(&test, 500, "");
    assert_int_equal(effects_of(&test, 0), 0);
    TestArena_Put(&test, 0, ARENA_LAVA);
    TestArena_Run(&test, 48, "");
    assert_int_equal(TestArena_Health(&test, 0), 76);
    TestWorld_Free(&test);
}

static void test_who_is_hidden_is_marked_so(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, "item_artifact_invisibility");
    assert_int_equal(effects_of(&test, 0), EFFECT_HIDDEN);
    TestArena_Run(&test, LASTS_MS - 500, "");
    assert_int_equal(effects_of(&test, 0), EFFECT_HIDDEN);
    TestArena_Run(&test, 500, "");
    assert_int_equal(effects_of(&test, 0), 0);
    TestWorld_Free(&test);
}

static void test_a_suit_ends_in_the_slime(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, "item_artifact_envirosuit");
    assert_int_equal(effects_of(&test, 0), 0);
    TestArena_Put(&test, 0, ARENA_SLIME);
    TestArena_Run(&test, LASTS_MS - 500, "");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    TestArena_Run(&test, 1008, "");
    assert_int_equal(TestArena_Health(&test, 0), 88);
    TestWorld_Free(&test);
}

static void test_two_at_once_end_apart(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2,
                   "{ \"classname\" \"item_quad\" \"origin\" \"0 400 8\" }"
                   "{ \"classname\" \"item_artifact_invisibility\" \"origin\" \"0 -400 8\" }",
                   NULL, NULL);
    TestArena_Join(&test, 0, "ann", Vector(0, 400, ARENA_FLOOR));
    TestArena_Run(&test, 10000, "");
    TestArena_Put(&test, 0, Vector(0, -400, ARENA_FLOOR));
    TestArena_Run(&test, 64, "");
    assert_int_equal(effects_of(&test, 0), EFFECT_QUAD | EFFECT_HIDDEN);
    TestArena_Run(&test, 20000, "");
    assert_int_equal(effects_of(&test, 0), EFFECT_HIDDEN);
    TestArena_Run(&test, 10000, "");
    assert_int_equal(effects_of(&test, 0), 0);
    TestWorld_Free(&test);
}

static void test_death_takes_them(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, "item_quad");
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 16, "");
    assert_int_equal(effects_of(&test, 0), 0);
    TestArena_Run(&test, 3100, "");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    assert_int_equal(axe_bob(&test), 20);
    TestWorld_Free(&test);
}

// Items reappear after their time: 60 s and 300 s.
static void test_they_lie_there_again(void **state) {
    (void)state;
    static const struct {
        const char *classname;
        int32_t again_ms;
    } items[] = {{"item_quad", 60000},
                 {"item_artifact_envirosuit", 60000},
                 {"item_artifact_invulnerability", 300000}};
    for (size_t i = 0; i < COUNTOF(items); i++) {
        test_world_t test;
        set_up(&test, items[i].classname);
        const edict_t *lies = TestArena_Find(&test, items[i].classname);
        TestArena_Run(&test, items[i].again_ms - 500, "");
        assert_int_equal(lies->visibility, VISIBLE_NOBODY);
        TestArena_Run(&test, 500, "");
        assert_int_equal(lies->visibility, VISIBLE_ALL);
        assert_int_equal(lies->solid, SOLID_TRIGGER);
        TestWorld_Free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quad_damage_is_four_times),
        cmocka_unit_test(test_a_shield_takes_everything),
        cmocka_unit_test(test_a_shield_ends),
        cmocka_unit_test(test_who_is_hidden_is_marked_so),
        cmocka_unit_test(test_a_suit_ends_in_the_slime),
        cmocka_unit_test(test_two_at_once_end_apart),
        cmocka_unit_test(test_death_takes_them),
        cmocka_unit_test(test_they_lie_there_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
