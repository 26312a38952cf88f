// Hazards for players: lava, slime, drowning, falls.

#include "lib/arena_fixture.h"
#include "lib/testing.h"

static void set_up(test_world_t *test, vec3_t origin) {
    TestArena_Init(test, 2, NULL, NULL, NULL);
    TestArena_Join(test, 0, "ann", origin);
}

// Waterlevel 3 in lava: 24 points every 200 ms.
static void test_lava_burns(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, ARENA_LAVA);
    TestArena_Run(&test, 48, "");
    assert_int_equal(TestArena_Health(&test, 0), 76);
    TestArena_Run(&test, 192, "");
    assert_int_equal(TestArena_Health(&test, 0), 52);
    TestArena_Run(&test, 208, "");
    assert_int_equal(TestArena_Health(&test, 0), 28);
    assert_int_equal(TestArena_Run(&test, 800, "ann burned in lava"), 1);
    assert_int_equal(TestArena_Fields(&test, 0)->frags, -1);
    TestWorld_Free(&test);
}

static void test_slime_eats_slower_and_by_depth(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, ARENA_SLIME);
    TestArena_Run(&test, 992, "");
    assert_int_equal(TestArena_Health(&test, 0), 88);
    TestArena_Run(&test, 1008, "");
    assert_int_equal(TestArena_Health(&test, 0), 76);
    TestArena_Put(&test, 0, ARENA_WADE);
    TestArena_Run(&test, 1008, ""); // four points a second
    assert_int_equal(TestArena_Health(&test, 0), 72);
    TestWorld_Free(&test);
}

static void test_armour_takes_its_share_of_slime(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, ARENA_SLIME);
    TestArena_Fields(&test, 0)->armour = 100;
    TestArena_Fields(&test, 0)->armour_percent = 50;
    TestArena_Run(&test, 48, "");
    assert_int_equal(TestArena_Health(&test, 0), 94);
    assert_int_equal(TestArena_Fields(&test, 0)->armour, 94);
    TestWorld_Free(&test);
}

static void test_a_suit_keeps_all_liquids_off(void **state) {
    (void)state;
    static const vec3_t pools[] = {
        {300, -300, ARENA_FLOOR}, {300, 300, ARENA_FLOOR}, {-300, 300, ARENA_FLOOR}};
    for (size_t i = 0; i < COUNTOF(pools); i++) {
        test_world_t test;
        set_up(&test, pools[i]);
        TestArena_Fields(&test, 0)->power_ms[POWER_SUIT] = test.world->time_ms + 20000;
        TestArena_Run(&test, 19900, "");
        assert_int_equal(TestArena_Health(&test, 0), 100);
        TestWorld_Free(&test);
    }
}

// 12 s of air, then damage of 2, 4, 6, ... points a second. A breath restores all air and health.
static void test_no_air(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, ARENA_WATER);
    TestArena_Run(&test, 11900, "");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    TestArena_Run(&test, 208, "");
    assert_int_equal(TestArena_Health(&test, 0), 98);
    TestArena_Run(&test, 1008, "");
    assert_int_equal(TestArena_Health(&test, 0), 94);
    TestArena_Run(&test, 1008, "");
    assert_int_equal(TestArena_Health(&test, 0), 88);
    TestArena_Put(&test, 0, Vector(0, 0, ARENA_FLOOR));
    TestArena_Run(&test, 48, "");
    TestArena_Put(&test, 0, ARENA_WATER);
    TestArena_Run(&test, 11900, "");
    assert_int_equal(TestArena_Health(&test, 0), 88);
    TestArena_Run(&test, 208, "");
    assert_int_equal(TestArena_Health(&test, 0), 86);
    assert_int_equal(TestArena_Run(&test, 12000, "ann drowned"), 1);
    TestWorld_Free(&test);
}

// A corpse in water takes no damage; a respawned player has air.
static void test_the_drowned_do_not_go_on_drowning(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, ARENA_WATER);
    assert_int_equal(TestArena_Run(&test, 40000, "ann drowned"), 1);
    assert_int_equal(TestArena_Health(&test, 0), 100);
    assert_int_equal(TestArena_Fields(&test, 0)->deaths, 1);
    TestWorld_Free(&test);
}

// Returns the health after a fall from a height.
static int32_t fall_from(float height, float x, float y) {
    test_world_t test;
    set_up(&test, Vector(x, y, ARENA_FLOOR + height));
    TestArena_Run(&test, 3000, "");
    int32_t health = TestArena_Health(&test, 0);
    assert_true(World_Edict(test.world, 1)->origin.z < 200.0f);
    TestWorld_Free(&test);
    return health;
}

// A fall of 264 qu ends at sqrt(2 * 800 * 264) = 650 qu/s.
static void test_falls(void **state) {
    (void)state;
    assert_int_equal(fall_from(100, 0, 0), 100);
    assert_int_equal(fall_from(255, 0, 0), 100);
    assert_int_equal(fall_from(275, 0, 0), 95);
    assert_in_range(fall_from(800, 0, 0), 84, 86);     // 1131 qu/s
    assert_in_range(fall_from(1500, 0, 0), 76, 79);    // 1549 qu/s
    assert_int_equal(fall_from(1500, -300, 300), 100); // into water
}

// How usercmds are cut changes neither the duration nor the damage of a fall.
static void test_a_fall_does_not_depend_on_the_cut(void **state) {
    (void)state;
    int32_t health[2];
    for (int cut = 0; cut < 2; cut++) {
        test_world_t test;
        set_up(&test, Vector(0, 0, 1200));
        for (int i = 0; i < 200; i++) {
            for (int part = 0; part < (cut ? 4 : 1); part++) {
                TestWorld_Cmd(&test, 0, (usercmd_t){.msec = cut ? 4 : 16});
            }
            TestWorld_Tick(&test);
        }
        health[cut] = TestArena_Health(&test, 0);
        TestWorld_Free(&test);
    }
    assert_true(health[0] < 95);
    assert_int_equal(health[0], health[1]);
}

// A player that the game moves during a fall lands softly.
static void test_a_fall_ends_where_he_is_taken_away(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, Vector(0, 0, 1500));
    TestArena_Run(&test, 1504, "");
    assert_true(TestArena_Fields(&test, 0)->hazard.fall_speed > 1100.0f);
    TestArena_Put(&test, 0, Vector(0, 0, 60));
    TestArena_Run(&test, 16, "");
    assert_true(TestArena_Fields(&test, 0)->hazard.fall_speed < 50.0f);
    TestArena_Run(&test, 1000, "");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    TestWorld_Free(&test);
}

static void test_a_fall_can_kill(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, Vector(0, 0, 1200));
    World_Client(test.world, 0)->player.health = 5;
    assert_int_equal(TestArena_Run(&test, 2500, "ann fell and died"), 1);
    TestWorld_Free(&test);
}

// A world of triangles may have no floor. At the world's bounds a player dies, armour or not.
static void test_who_falls_out_of_the_world(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, Vector(0, 0, 60));
    TestArena_Fields(&test, 0)->armour = 200;
    TestArena_Fields(&test, 0)->power_ms[POWER_SHIELD] = 1000000;
    TestArena_Put(&test, 0, Vector(0, 0, 100 - MAX_WORLD_COORD));
    assert_int_equal(TestArena_Run(&test, 160, "ann fell out of the world"), 0);
    TestArena_Put(&test, 0, Vector(0, 0, 8 - MAX_WORLD_COORD));
    assert_int_equal(TestArena_Run(&test, 160, "ann fell out of the world"), 1);
    assert_true(TestArena_Health(&test, 0) <= 0);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lava_burns),
        cmocka_unit_test(test_slime_eats_slower_and_by_depth),
        cmocka_unit_test(test_armour_takes_its_share_of_slime),
        cmocka_unit_test(test_a_suit_keeps_all_liquids_off),
        cmocka_unit_test(test_no_air),
        cmocka_unit_test(test_the_drowned_do_not_go_on_drowning),
        cmocka_unit_test(test_falls),
        cmocka_unit_test(test_a_fall_does_not_depend_on_the_cut),
        cmocka_unit_test(test_a_fall_ends_where_he_is_taken_away),
        cmocka_unit_test(test_a_fall_can_kill),
        cmocka_unit_test(test_who_falls_out_of_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
