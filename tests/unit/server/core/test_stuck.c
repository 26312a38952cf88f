// Players in solid: the tick moves them back to their last free position, with every profile.

#include "lib/course_fixture.h"
#include "lib/testing.h"

#include "move/profiles.h"

typedef struct {
    test_world_t test;
    client_t *client;
    edict_t *edict;
} scene_t;

static const vec3_t wall = {-560.0f, 40.0f, 100.0f}; // deep in the wall at x -500

// Opens a scene with one player on the floor of the course, under a profile's rules.
static void open_scene(scene_t *scene, const char *profile) {
    TestCourse_Init(&scene->test);
    assert_true(PM_Profile(profile, &scene->test.world->cvars.move));
    TestWorld_Join(&scene->test, 0, "ann");
    for (int i = 0; i < 40; i++) {
        TestWorld_Tick(&scene->test);
    }
    scene->client = World_Client(scene->test.world, 0);
    scene->edict = World_Edict(scene->test.world, 1);
    assert_true(scene->client->player.flags & PMF_ONGROUND);
    assert_true(VectorCompare(scene->edict->oldorigin, scene->edict->origin));
}

static void command(scene_t *scene) {
    TestWorld_Cmd(&scene->test, 0, (usercmd_t){.msec = COURSE_TICK_MS});
    TestWorld_Tick(&scene->test);
}

// Article 001: a player that leaves noclip inside a wall returns to its last good position,
// oldorigin.
static void test_leaving_noclip_in_a_wall(void **state) {
    (void)state;
    for (int32_t i = 0; PM_ProfileName(i); i++) {
        scene_t scene;
        open_scene(&scene, PM_ProfileName(i));
        const vec3_t stood = scene.edict->origin;
        scene.edict->movetype = MOVETYPE_NOCLIP;
        for (int n = 0; n < 5; n++) {
            scene.edict->origin = wall;
            command(&scene);
        }
        assert_true(VectorCompare(scene.edict->origin, wall)); // noclip players may be in solid
        assert_true(VectorCompare(scene.edict->oldorigin, stood));
        assert_int_equal(scene.test.world->counters.unstuck, 0);
        scene.edict->movetype = MOVETYPE_WALK;
        command(&scene);
        assert_true(VectorCompare(scene.edict->origin, stood));
        assert_true(VectorCompare(scene.client->player.origin, stood));
        assert_int_equal(scene.test.world->counters.unstuck, 1);
        for (int n = 0; n < 20; n++) { // the player can walk away
            TestWorld_Cmd(&scene.test, 0, TestCourse_Forward(COURSE_TICK_MS));
            TestWorld_Tick(&scene.test);
        }
        assert_true(scene.edict->origin.x > stood.x + 20.0f);
        assert_true(VectorCompare(scene.edict->oldorigin, scene.edict->origin));
        assert_int_equal(scene.test.world->counters.unstuck, 1);
        TestWorld_Free(&scene.test);
    }
}

// If no position is free, the player stays where it is. oldorigin changes only at a free position.
static void test_no_place_is_free(void **state) {
    (void)state;
    for (int32_t i = 0; PM_ProfileName(i); i++) {
        scene_t scene;
        open_scene(&scene, PM_ProfileName(i));
        const vec3_t stood = scene.edict->origin;
        TestCourse_Put(&scene.test, wall);
        scene.edict->oldorigin = wall;
        for (int n = 0; n < 10; n++) {
            command(&scene);
            assert_true(VectorCompare(scene.edict->origin, wall));
        }
        assert_int_equal(scene.test.world->counters.unstuck, 0);
        scene.edict->oldorigin = stood;
        command(&scene);
        assert_true(VectorCompare(scene.edict->origin, stood));
        assert_int_equal(scene.test.world->counters.unstuck, 1);
        TestWorld_Free(&scene.test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaving_noclip_in_a_wall),
        cmocka_unit_test(test_no_place_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
