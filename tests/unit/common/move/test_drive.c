// Tests of a player that is a vehicle: acceleration, brakes, turning circles, slides with the
// handbrake, slopes and steps, falling. Cutting usercmds otherwise changes no bit.

#include "lib/brushes_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/pmove.h"

#include <string.h>

static const vec3_t half = {32.0f, 32.0f, 20.0f};

typedef struct {
    test_brushes_t brushes;
    pm_world_t world;
    movevars_t vars;
    player_state_t car;
} scene_t;

static void open_field(scene_t *scene) {
    memset(scene, 0, sizeof *scene);
#define VALUE(type, name, value, min, max, unit, help) scene->vars.name = (type)value;
    MOVEVARS(VALUE)
#undef VALUE
    TestBrushes_Box(&scene->brushes, (vec3_t){-9000.0f, -9000.0f, -16.0f},
                    (vec3_t){9000.0f, 9000.0f, 0.0f}, CONTENTS_SOLID);
    scene->world = TestBrushes_World(&scene->brushes);
    scene->car = (player_state_t){.origin = {0.0f, 0.0f, 20.03125f},
                                  .mins = VectorNegate(half),
                                  .maxs = half,
                                  .pm_type = PM_DRIVING,
                                  .movetype = MOVETYPE_WALK,
                                  .groundentity = -1,
                                  .watertype = CONTENTS_EMPTY};
}

static void drive(scene_t *scene, int16_t forward, int16_t side, uint8_t buttons, int32_t ms) {
    for (; ms > 0; ms -= 16) {
        const usercmd_t cmd = {
            .msec = 16, .forward = forward, .side = side, .buttons = buttons, .yaw = 12345};
        PM_RunCommand(&scene->car, &cmd, 16, &scene->vars, &scene->world, NULL);
    }
}

static float speed(const scene_t *scene) {
    return VectorLength(scene->car.velocity);
}

static void test_engine_and_brakes(void **state) {
    (void)state;
    scene_t scene;
    open_field(&scene);
    drive(&scene, 320, 0, 0, 1000);
    assert_true(speed(&scene) > 400.0f);
    assert_true(speed(&scene) < 520.0f); // 500 minus 80 per second
    drive(&scene, 320, 0, 0, 4000);
    assert_true(fabsf(speed(&scene) - 640.0f) < 1.0f);
    assert_true(fabsf(scene.car.origin.y) < 0.01f); // goes straight on, wherever the driver looks
    vec3_t at = scene.car.origin;
    drive(&scene, -320, 0, 0, 496);
    assert_true(speed(&scene) < 20.0f);
    print_message("brakes from 640 within %g\n", (double)(scene.car.origin.x - at.x));
    drive(&scene, -320, 0, 0, 3008);
    assert_true(scene.car.velocity.x < -195.0f);
    assert_true(scene.car.velocity.x > -201.0f);
    drive(&scene, 0, 0, 0, 4000);
    assert_true(speed(&scene) == 0.0f);
}

// Tests a vehicle that was thrown: it rolls faster than its engine drives it, and slows down only
// by rolling friction. The handbrake wins over the throttle. In water the engine is off.
static void test_coasting(void **state) {
    (void)state;
    scene_t scene;
    open_field(&scene);
    drive(&scene, 0, 0, 0, 160);
    scene.car.velocity = Vector(900.0f, 0.0f, 0.0f);
    drive(&scene, 320, 0, 0, 160);
    assert_true(fabsf(scene.car.velocity.x - (900.0f - 0.16f * 80.0f)) < 1.0f);
    drive(&scene, 320, 0, BUTTON_JUMP, 160);
    assert_true(fabsf(scene.car.velocity.x - (900.0f - 0.16f * (80.0f + 580.0f))) < 2.0f);
    open_field(&scene);
    drive(&scene, 320, 0, BUTTON_JUMP, 1008);
    assert_true(speed(&scene) == 0.0f);
    TestBrushes_Box(&scene.brushes, (vec3_t){-500.0f, -500.0f, 0.0f},
                    (vec3_t){500.0f, 500.0f, 100.0f}, CONTENTS_WATER);
    drive(&scene, 320, 0, 0, 1008);
    assert_true(scene.car.waterlevel >= 2);
    assert_true(speed(&scene) < 1.0f);
}

// Tests turning circles: the radius is that of the single-track model, wheelbase / tan(wheel
// angle).
static void test_turning_circle(void **state) {
    (void)state;
    scene_t scene;
    open_field(&scene);
    drive(&scene, 100, 320, 0, 4000); // to the right: the yaw decreases
    float sine;
    float cosine;
    SinCos(scene.car.steer, &sine, &cosine);
    assert_true(scene.car.steer < -20.0f);
    assert_true(scene.car.steer > -32.0f);
    vec3_t least = scene.car.origin;
    vec3_t most = scene.car.origin;
    for (int i = 0; i < 400; i++) {
        drive(&scene, 100, 320, 0, 16);
        least = VectorMin(least, scene.car.origin);
        most = VectorMax(most, scene.car.origin);
    }
    float radius = -72.0f * cosine / sine;
    float found = 0.25f * (most.x - least.x + most.y - least.y);
    print_message("wheels at %g: radius %g, by the model %g\n", (double)scene.car.steer,
                  (double)found, (double)radius);
    assert_true(found > 0.9f * radius);
    assert_true(found < 1.25f * radius); // drifts slightly outwards
    vec3_t before = scene.car.velocity;
    drive(&scene, 100, -320, 0, 1008);
    assert_true(scene.car.steer > 20.0f);
    assert_true(!VectorCompare(before, scene.car.velocity));
}

static void test_handbrake_slides(void **state) {
    (void)state;
    float kept[2];
    for (int hand = 0; hand < 2; hand++) {
        scene_t scene;
        open_field(&scene);
        drive(&scene, 320, 0, 0, 3008);
        scene.car.heading = 90.0f;
        drive(&scene, 0, 0, hand ? BUTTON_JUMP : 0, 304);
        kept[hand] = fabsf(scene.car.velocity.x);
        drive(&scene, 0, 0, BUTTON_JUMP, 2000);
        assert_true(speed(&scene) < 40.0f);
    }
    print_message("sideways after 0.3 s: %g, with the handbrake %g\n", (double)kept[0],
                  (double)kept[1]);
    assert_true(kept[1] > 3.0f * kept[0]);
}

static void test_slopes_steps_and_walls(void **state) {
    (void)state;
    scene_t scene;
    open_field(&scene);
    TestBrushes_Box(&scene.brushes, (vec3_t){300.0f, -100.0f, 0.0f},
                    (vec3_t){900.0f, 100.0f, 18.0f}, CONTENTS_SOLID);
    TestBrushes_Ramp(&scene.brushes, (vec3_t){900.0f, -100.0f, 0.0f},
                     (vec3_t){1400.0f, 100.0f, 250.0f});
    drive(&scene, 320, 0, 0, 2400);
    print_message("after a step of 18 and a ramp: %g %g\n", (double)scene.car.origin.x,
                  (double)scene.car.origin.z);
    assert_true(scene.car.origin.x > 1000.0f);
    assert_true(scene.car.origin.z > 60.0f);
    drive(&scene, 320, 0, 0, 3000); // over the top and down again
    assert_true(scene.car.origin.x > 1400.0f);
    assert_true(scene.car.origin.z < 21.0f);
    assert_true(scene.car.flags & PMF_ONGROUND);

    open_field(&scene);
    TestBrushes_Box(&scene.brushes, (vec3_t){300.0f, -100.0f, 0.0f},
                    (vec3_t){400.0f, 100.0f, 100.0f}, CONTENTS_SOLID);
    drive(&scene, 320, 0, 0, 3000);
    assert_true(scene.car.origin.x <= 268.0f);
    assert_true(fabsf(scene.car.velocity.x) < 10.0f);
}

// Tests commands of any length, which must give the same bits; and numbers that no vehicle has.
static void test_cuts_and_bad_numbers(void **state) {
    (void)state;
    scene_t whole;
    scene_t cut;
    open_field(&whole);
    open_field(&cut);
    for (int i = 0; i < 100; i++) {
        usercmd_t cmd = {.msec = 48,
                         .forward = 320,
                         .side = (int16_t)(i % 7 * 100 - 300),
                         .buttons = i % 11 == 0 ? BUTTON_JUMP : 0};
        PM_RunCommand(&whole.car, &cmd, 48, &whole.vars, &whole.world, NULL);
        const int32_t parts[4] = {5, 20, 16, 7};
        for (int k = 0; k < 4; k++) {
            cmd.msec = (uint8_t)parts[k];
            PM_RunCommand(&cut.car, &cmd, parts[k], &cut.vars, &cut.world, NULL);
        }
        assert_memory_equal(&whole.car, &cut.car, sizeof whole.car);
    }
    whole.car.heading = NAN;
    whole.car.steer = INFINITY;
    drive(&whole, 320, 320, 0, 160);
    assert_true(fabsf(whole.car.heading) <= 360.0f);
    assert_true(fabsf(whole.car.steer) <= 32.0f);
    assert_true(VectorWithin(whole.car.origin, 9000.0f));
}

// Tests a valley with one side too steep to stand on. The box may be above that side while the
// wheels are on the other one, so the vehicle drives out again. On a steep side alone it slides
// down, whatever its engine does.
static void test_valleys(void **state) {
    (void)state;
    for (int32_t i = 0; i < 8; i++) {
        float lean = (float)i / 8.0f; // turn of the steep side, seen from above
        scene_t scene;
        open_field(&scene);
        scene.brushes.num_brushes = 0;
        test_brush_t *up = TestBrushes_Box(&scene.brushes, (vec3_t){-2000.0f, -2000.0f, -2000.0f},
                                           (vec3_t){2000.0f, 2000.0f, 0.0f}, CONTENTS_SOLID);
        TestBrushes_Cut(up, VectorNormalize(Vector(-0.72f, 0.1f * lean, 0.68f), NULL),
                        (vec3_t){600.0f, 0.0f, -267.0f});
        test_brush_t *down = TestBrushes_Box(&scene.brushes, (vec3_t){-2000.0f, -2000.0f, -2000.0f},
                                             (vec3_t){2000.0f, 2000.0f, 0.0f}, CONTENTS_SOLID);
        TestBrushes_Cut(down, VectorNormalize(Vector(0.4f, 0.0f, 0.9f), NULL), (vec3_t){0});
        drive(&scene, 320, 0, 0, 8000);
        vec3_t in = scene.car.origin;
        assert_true(in.x > 300.0f);
        assert_true(in.x < 600.0f);
        drive(&scene, -320, 0, 0, 3008);
        print_message("%d: from %g %g %g back to %g %g %g\n", i, (double)in.x, (double)in.y,
                      (double)in.z, (double)scene.car.origin.x, (double)scene.car.origin.y,
                      (double)scene.car.origin.z);
        assert_true(scene.car.origin.x < in.x - 200.0f);
    }
    scene_t scene;
    open_field(&scene);
    test_brush_t *up = TestBrushes_Box(&scene.brushes, (vec3_t){-2000.0f, -2000.0f, -2000.0f},
                                       (vec3_t){2000.0f, 2000.0f, 1000.0f}, CONTENTS_SOLID);
    TestBrushes_Cut(up, VectorNormalize(Vector(-0.72f, 0.0f, 0.68f), NULL),
                    (vec3_t){600.0f, 0.0f, 0.0f});
    scene.car.origin = Vector(900.0f, 0.0f, 400.0f);
    drive(&scene, 320, 0, 0, 4000);
    assert_true(scene.car.origin.x < 600.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engine_and_brakes),
        cmocka_unit_test(test_coasting),
        cmocka_unit_test(test_turning_circle),
        cmocka_unit_test(test_handbrake_slides),
        cmocka_unit_test(test_slopes_steps_and_walls),
        cmocka_unit_test(test_cuts_and_bad_numbers),
        cmocka_unit_test(test_valleys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
