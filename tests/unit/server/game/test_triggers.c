// The reference game: triggers, targets, deaths, spawn places.

#include "lib/test_course.h"
#include "lib/testing.h"

#include <string.h>

static int32_t count_events(const test_world_t *test, event_type_t type, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < test->events->count; i++) {
        count += test->events->list[i].type == type && !strcmp(test->events->list[i].text, text);
    }
    return count;
}

static void test_triggers_do_their_work(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    usercmd_t still = {.msec = COURSE_TICK_MS};

    TestCourse_Put(&test, Vector(-325, 100, 24.03125f));
    int32_t tripped = 0;
    for (int i = 0; i < 130; i++) { // just over 2 s in a trigger that waits 1 s
        TestWorld_Cmd(&test, 0, still);
        TestWorld_Tick(&test);
        tripped += count_events(&test, EVENT_PRINT, "tripped");
    }
    assert_int_equal(tripped, 3);

    TestCourse_Put(&test, Vector(-80, 0, 24.03125f));
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true(client->player.velocity.z > 350.0f); // 40 * 10, less gravity

    TestCourse_Put(&test, Vector(410, 300, 24.03125f));
    uint32_t before = client->player.flags & PMF_TELEPORT;
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true((client->player.flags & PMF_TELEPORT) != before);
    assert_true(fabsf(client->player.origin.x + 300.0f) < 10.0f);
    assert_true(client->player.velocity.y > 200.0f); // out of the exit, along its angle
    TestWorld_Cmd(&test, 0, still);
    TestWorld_Tick(&test);
    assert_true(client->player.angles.y == 90.0f); // the same command looks along the exit now

    TestCourse_Put(&test, Vector(-400, 350, 24.03125f));
    int32_t deaths = 0;
    for (int i = 0; i < 200; i++) { // 40 a second: dead after the third
        TestWorld_Cmd(&test, 0, still);
        TestWorld_Tick(&test);
        deaths += count_events(&test, EVENT_EFFECT, "death");
    }
    assert_int_equal(deaths, 1);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triggers_do_their_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
