// Keys and flags of Half-Life's maps: friction, masters, buttons, doors, pads.

#include "core/core_local.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include <math.h>
#include <stdio.h>

#define TICK_MS 16

static void start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 320, NULL);
}

static edict_t *player_of(test_world_t *test) {
    return World_Edict(test->world, 1);
}

// ---- friction ----

// Returns the speed of a player that started at 300 qu/s inside the model *6, after 160 ms.
static float speed_inside(const char *entities) {
    test_world_t test;
    start(&test, entities);
    TestMachines_Put(&test, Vector(-350.0f, 230.0f, 24.03125f));
    (void)TestMachines_Run(&test, 160, NULL);
    player_of(&test)->velocity = Vector(0.0f, 300.0f, 0.0f);
    (void)TestMachines_Run(&test, 160, NULL);
    float speed = player_of(&test)->velocity.y;
    assert_int_equal(player_of(&test)->waterlevel, 0);
    TestWorld_Free(&test);
    return speed;
}

#define FRICTION(keys) "{\"classname\" \"func_friction\" \"model\" \"*6\" " keys "}"

static void test_friction_inside_a_volume(void **state) {
    (void)state;
    float plain = speed_inside("");
    float ice = speed_inside(FRICTION("\"modifier\" \"15\""));
    float mud = speed_inside(FRICTION("\"modifier\" \"300\""));
    print_message("after 160 ms: %g on ice, %g on the floor, %g in mud\n", (double)ice,
                  (double)plain, (double)mud);
    assert_true(plain < 200.0f && ice > 250.0f && mud < 50.0f);
    assert_true(speed_inside(FRICTION("")) == ice); // the default
    assert_true(speed_inside(FRICTION("\"modifier\" \"100\"")) == plain);
    // The smallest factor of several counts.
    assert_true(speed_inside(FRICTION("\"modifier\" \"300\"") FRICTION("")) == ice);
    static const char *const bad[] = {"0", "-15", "1e30", "10001", "nan"};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        char text[256];
        snprintf(text, sizeof text, FRICTION("\"modifier\" \"%s\""), bad[i]);
        assert_true(speed_inside(text) == ice);
    }
}

// Returns how far a crate slides that starts at 200 qu/s.
static float slide(const char *entities) {
    test_world_t test;
    start(&test, entities);
    edict_t *crate = TestMachines_Class(&test, "func_pushable");
    sv_context_t sv = TestMachines_Context(&test);
    crate->velocity = Vector(100.0f, 0.0f, 0.0f);
    sv.engine->link(&sv, crate, false);
    (void)TestMachines_Run(&test, 2000, NULL);
    float way = crate->origin.x;
    TestWorld_Free(&test);
    return way;
}

static void test_a_crate_slides_on_ice(void **state) {
    (void)state;
    const char *crate = "{\"classname\" \"func_pushable\" \"model\" \"*6\"}";
    char text[512];
    snprintf(text, sizeof text, "%s" FRICTION("\"modifier\" \"25\""), crate);
    float plain = slide(crate);
    float ice = slide(text);
    print_message("a crate slides %g qu, on ice %g qu\n", (double)plain, (double)ice);
    assert_true(plain > 1.0f && ice > 1.5f * plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_inside_a_volume),
        cmocka_unit_test(test_a_crate_slides_on_ice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
