// func_trackchange and func_trackautochange: a platform takes a train with its riders to another
// track, and turns it around.

#include "core/core_local.h"
#include "game/pushers.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "world/block.h"

#include <math.h>
#include <stdio.h>

#define TICK_MS 16

// The platform *6 is 100 x 100 around (-350, 250), its upper side at 64. The lower track leads to
// it from a over m to b; the upper track leads away from c to d. "top" is where the map draws the
// platform, which is the lower end here.
#define POINT(name, next, at)                                                                      \
    "{\"classname\" \"path_track\" \"targetname\" \"" name "\" \"target\" \"" next                 \
    "\" \"origin\" \"" at "\"}"
#define TRACKS                                                                                     \
    POINT("a", "m", "-100 250 70")                                                                 \
    POINT("m", "b", "-250 250 70")                                                                 \
    POINT("b", "", "-350 250 70") POINT("c", "d", "-350 250 170") POINT("d", "", "-100 250 170")
#define TRAIN                                                                                      \
    "{\"classname\" \"func_tracktrain\" \"model\" \"*1\" \"target\" \"a\" \"targetname\" \"t\" "   \
    "\"turn_about\" \"map\" \"speed\" \"100\"}"
#define PLATFORM(classname, keys)                                                                  \
    "{\"classname\" \"" classname "\" \"model\" \"*6\" \"targetname\" \"p\" \"train\" \"t\" "      \
    "\"toptrack\" \"b\" \"bottomtrack\" \"c\" \"speed\" \"100\" \"height\" \"-100\" "              \
    "\"turn_about\" \"middle\" " keys "}"

static void assert_at(const edict_t *edict, float x, float y, float z) {
    vec3_t off = VectorSubtract(edict->origin, Vector(x, y, z));
    if (!(VectorLength(off) < 0.1f)) {
        fail_msg("at %g %g %g, expected %g %g %g", (double)edict->origin.x, (double)edict->origin.y,
                 (double)edict->origin.z, (double)x, (double)y, (double)z);
    }
}

static void use(test_world_t *test, const char *name) {
    sv_context_t sv = TestMachines_Context(test);
    edict_t *player = World_Edict(test->world, 1);
    sv.engine->use(&sv, TestMachines_Named(test, name), player, player);
}

static void run(test_world_t *test, int32_t ms) {
    (void)TestMachines_Run(test, ms, NULL);
    err_t err = {{0}};
    if (!World_Check(test->world, test->world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
}

static void start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    assert_int_equal(TestWorld_CountEvents(test, EVENT_LOG, ""), 0);
    run(test, 400);
}

static void test_it_carries_a_train_and_its_riders(void **state) {
    (void)state;
    test_world_t test;
    start(&test, TRACKS TRAIN PLATFORM("func_trackchange", "\"rotation\" \"180\""));
    const edict_t *train = TestMachines_Named(&test, "t");
    const edict_t *platform = TestMachines_Named(&test, "p");
    const edict_t *player = World_Edict(test.world, 1);
    assert_at(platform, -350.0f, 250.0f, 32.0f);
    use(&test, "t");
    run(&test, 3000);
    assert_at(train, -350.0f, 250.0f, 74.0f);
    TestMachines_Put(&test, Vector(-340.0f, 250.0f, 114.2f)); // on the train
    run(&test, 320);
    assert_at(platform, -350.0f, 250.0f, 32.0f); // waits to be fired
    use(&test, "p");
    run(&test, 500);
    assert_true(train->origin.z > 110.0f && train->origin.z < 140.0f);
    use(&test, "t"); // a train that is carried does not start
    use(&test, "p"); // and a platform that moves does not turn back
    run(&test, 700);
    assert_at(platform, -350.0f, 250.0f, 132.0f);
    assert_at(train, -350.0f, 250.0f, 174.0f);
    assert_true(fabsf(AngleNormalize180(train->angles.y)) < 0.1f); // it was 180
    assert_true(fabsf(player->origin.z - 214.0f) < 0.3f);
    assert_true(fabsf(player->origin.x + 360.0f) < 0.5f); // the other side of the middle
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    use(&test, "t");
    run(&test, 3000);
    assert_at(train, -100.0f, 250.0f, 174.0f);
    assert_true(fabsf(player->origin.x + 110.0f) < 1.0f); // it is still on the train
    use(&test, "p");                                      // back, alone
    run(&test, 1200);
    assert_at(platform, -350.0f, 250.0f, 32.0f);
    assert_at(train, -100.0f, 250.0f, 174.0f);
    TestWorld_Free(&test);
}

static void test_an_automatic_platform(void **state) {
    (void)state;
    for (int32_t starts = 0; starts < 2; starts++) {
        test_world_t test;
        start(&test, starts ? TRACKS TRAIN PLATFORM("func_trackautochange",
                                                    "\"rotation\" \"180\" \"spawnflags\" \"1\"")
                            : TRACKS TRAIN PLATFORM("func_trackautochange", ""));
        use(&test, "t");
        run(&test, 8000);
        assert_at(TestMachines_Named(&test, "p"), -350.0f, 250.0f, 132.0f);
        assert_at(TestMachines_Named(&test, "t"), starts ? -100.0f : -350.0f, 250.0f, 174.0f);
        TestWorld_Free(&test);
    }
}

// With flag 2, a train stops before the shaft while the platform is at the other end (flag 8).
static void test_a_track_ends_without_its_platform(void **state) {
    (void)state;
    for (int32_t relinks = 0; relinks < 2; relinks++) {
        test_world_t test;
        start(&test, relinks ? TRACKS TRAIN PLATFORM("func_trackchange", "\"spawnflags\" \"10\"")
                             : TRACKS TRAIN PLATFORM("func_trackchange", "\"spawnflags\" \"8\""));
        const edict_t *train = TestMachines_Named(&test, "t");
        assert_at(TestMachines_Named(&test, "p"), -350.0f, 250.0f, 132.0f);
        use(&test, "t");
        run(&test, 4000);
        assert_at(train, relinks ? -250.0f : -350.0f, 250.0f, 74.0f);
        use(&test, "p"); // comes alone: the train is at the other track
        run(&test, 1200);
        assert_at(TestMachines_Named(&test, "p"), -350.0f, 250.0f, 32.0f);
        if (relinks) {
            use(&test, "t");
            run(&test, 2000);
        }
        assert_at(train, -350.0f, 250.0f, 74.0f);
        use(&test, "p");
        run(&test, 1200);
        assert_at(train, -350.0f, 250.0f, 174.0f);
        TestWorld_Free(&test);
    }
}

static void test_one_that_only_turns(void **state) {
    (void)state;
    static const struct {
        const char *flags;
        vec3_t angles;
    } rows[] = {{"16", {0, 90, 0}}, {"80", {0, 0, 90}}, {"144", {90, 0, 0}}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        char text[2048];
        test_world_t test;
        snprintf(text, sizeof text,
                 PLATFORM("func_trackchange", "\"rotation\" \"90\" \"spawnflags\" \"%s\"") TRACKS,
                 rows[i].flags);
        TestMachines_Init(&test, text, 0); // warns: there is no train
        run(&test, 400);
        use(&test, "p");
        run(&test, 1000);
        const edict_t *platform = TestMachines_Named(&test, "p");
        assert_at(platform, -350.0f, 250.0f, 32.0f);
        vec3_t off = VectorSubtract(platform->angles, rows[i].angles);
        assert_true(VectorLength(off) < 0.1f);
        TestWorld_Free(&test);
    }
}

// A train that moves onto the platform holds it; wrong keys leave it an ordinary lift.
static void test_trains_that_are_not_aboard(void **state) {
    (void)state;
    test_world_t test;
    start(&test, TRACKS TRAIN PLATFORM("func_trackchange", ""));
    const edict_t *platform = TestMachines_Named(&test, "p");
    use(&test, "t");
    run(&test, 2300); // over it, and still moving
    use(&test, "p");
    run(&test, 160);
    assert_at(platform, -350.0f, 250.0f, 32.0f);
    TestWorld_Free(&test);
    static const char *const bad[] = {"\"train\" \"a\"", "\"train\" \"nobody\"",
                                      "\"toptrack\" \"t\"", "\"bottomtrack\" \"p\"",
                                      "\"toptrack\" \"\" \"bottomtrack\" \"\" \"train\" \"\""};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        char text[2048];
        snprintf(text, sizeof text, TRACKS TRAIN PLATFORM("func_trackchange", "%s"), bad[i]);
        TestMachines_Init(&test, text, 0);
        run(&test, 400);
        use(&test, "t");
        run(&test, 3000);
        float was = TestMachines_Named(&test, "p")->origin.z;
        use(&test, "p");
        run(&test, 1200);
        assert_true(fabsf(TestMachines_Named(&test, "p")->origin.z - was) > 99.0f);
        assert_at(TestMachines_Named(&test, "t"), -350.0f, 250.0f, 74.0f);
        TestWorld_Free(&test);
    }
}

// The track that the platform leads to is removed during the ride, or the train is.
static void test_what_is_removed_during_the_ride(void **state) {
    (void)state;
    static const char *const names[] = {"c", "t", "p"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        test_world_t test;
        start(&test, TRACKS TRAIN PLATFORM("func_trackchange", "\"spawnflags\" \"3\""));
        use(&test, "t");
        run(&test, 3000);
        use(&test, "p");
        run(&test, 500);
        sv_context_t sv = TestMachines_Context(&test);
        sv.engine->remove(&sv, TestMachines_Named(&test, names[i]));
        int32_t warned = TestMachines_Run(&test, 2000, "expected a path_track that leads");
        run(&test, 160);
        assert_int_equal(warned, i == 0 ? 1 : 0);
        assert_int_equal(test.world->counters.quarantined, 0);
        TestWorld_Free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_carries_a_train_and_its_riders),
        cmocka_unit_test(test_an_automatic_platform),
        cmocka_unit_test(test_a_track_ends_without_its_platform),
        cmocka_unit_test(test_one_that_only_turns),
        cmocka_unit_test(test_trains_that_are_not_aboard),
        cmocka_unit_test(test_what_is_removed_during_the_ride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
