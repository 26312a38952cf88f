// Pushers of every kind with riders and obstacles, compared with tests/golden/physics_push.txt to
// the last bit: once with hulls where they fit, once with brushes only.

#include "lib/golden_fixture.h"
#include "lib/pushers_fixture.h"

enum { LIFT, TRAIN, SPINNER, PENDULUM, GATE, GLUED, NUM_PUSHERS };
enum { ON_LIFT, ON_CRATE, ON_TRAIN, ON_SPINNER, IN_THE_WAY, ON_GLUED, NUM_OTHERS };

typedef struct {
    edict_t *pushers[NUM_PUSHERS], *others[NUM_OTHERS];
} scene_t;

static void start(edict_t *pusher, motion_kind_t kind, int32_t ms, vec3_t delta, vec3_t turn) {
    const motion_t motion = {.kind = (int32_t)kind,
                             .duration_ms = ms,
                             .base = {pusher->origin, pusher->angles},
                             .delta = delta,
                             .delta_angles = turn,
                             .bend = {0.0f, kind == MOTION_MOVE ? 30.0f : 0.0f, 0.0f}};
    assert_true(SV_PusherStart(&sim.sv, pusher, &motion));
}

static void place_all(scene_t *scene) {
    scene->pushers[LIFT] = spawn_pusher(PLATFORM, Vector(-400, -400, 16));
    scene->pushers[TRAIN] = spawn_pusher(PLATFORM, Vector(-200, -400, 116));
    scene->pushers[SPINNER] = spawn_pusher(PLATFORM, Vector(200, -300, 66));
    scene->pushers[PENDULUM] = spawn_pusher(DOOR, Vector(0, 300, 0));
    scene->pushers[GATE] = spawn_pusher(DOOR, Vector(-100, 100, 0));
    scene->pushers[GLUED] = spawn_pusher(PILLAR, Vector(230, -300, 66));
    scene->others[ON_LIFT] = spawn_crate(Vector(-400, -400, 16));
    scene->others[ON_CRATE] = spawn_walker(Vector(-395, -403, 48.0f + EPS));
    scene->others[ON_TRAIN] = spawn_walker(Vector(-190, -410, 116));
    scene->others[ON_SPINNER] = spawn_walker(Vector(170, -330, 66));
    scene->others[IN_THE_WAY] = spawn_crate(Vector(-60, 90, 0));
    scene->others[ON_GLUED] = spawn_crate(Vector(230, -300, 130));
    assert_true(SV_PusherGlue(&sim.sv, scene->pushers[GLUED], scene->pushers[SPINNER]));
}

static void start_all(const scene_t *scene) {
    start(scene->pushers[LIFT], MOTION_MOVE, 900, Vector(0, 0, 300), zero);
    start(scene->pushers[TRAIN], MOTION_MOVE, 1500, Vector(180, 60, 40), Vector(0, 70, 0));
    start(scene->pushers[SPINNER], MOTION_SPIN, 3000, zero, Vector(0, 360, 0));
    start(scene->pushers[PENDULUM], MOTION_SWING, 1100, zero, Vector(0, 0, 30));
    start(scene->pushers[GATE], MOTION_MOVE, 2000, Vector(480, 0, 0),
          zero); // the wall blocks the motion
    start(scene->pushers[GLUED], MOTION_SWING, 700, Vector(0, 0, 10), zero);
}

static void print_all(test_golden_t *golden, const scene_t *scene, int32_t tick) {
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        const edict_t *pusher = scene->pushers[i];
        TestGolden_Print(golden, "tick %d pusher %d", tick, i);
        TestGolden_Vector(golden, "at", pusher->origin);
        TestGolden_Vector(golden, "angles", pusher->angles);
        TestGolden_Vector(golden, "v", pusher->velocity);
        TestGolden_Print(golden, " lag %lld blocked %d\n", (long long)pusher->lag_ms,
                         pusher->effects);
    }
    for (int32_t i = 0; i < NUM_OTHERS; i++) {
        const edict_t *other = scene->others[i];
        TestGolden_Print(golden, "tick %d other %d", tick, i);
        TestGolden_Vector(golden, "at", other->origin);
        TestGolden_Vector(golden, "angles", other->angles);
        TestGolden_Vector(golden, "v", other->velocity);
        TestGolden_Print(golden, " flags %u ground %u\n", other->flags, other->groundentity.index);
    }
}

static void run(test_golden_t *golden, int32_t solids) {
    scene_t scene;
    sim.world->cvars.move.sv_solids = solids;
    place_all(&scene);
    ticks(10);
    start_all(&scene);
    TestGolden_Print(golden, "solids %d\n", solids);
    for (int32_t tick = 1; tick <= 250; tick++) {
        ticks(1);
        if (tick % 25 == 0) {
            print_all(golden, &scene, tick);
        }
    }
    // Checks that the scene contains the intended events.
    assert_true(scene.pushers[GATE]->effects > 0);
    assert_true(scene.pushers[LIFT]->effects == 0);
    assert_true(rests_on(scene.others[ON_CRATE], scene.others[ON_LIFT]));
    assert_true(rests_on(scene.others[ON_TRAIN], scene.pushers[TRAIN]));
    assert_true(rests_on(scene.others[ON_SPINNER], scene.pushers[SPINNER]));
}

static void test_pushers_are_golden(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    run(&golden, 0);
    TestSim_Free(&sim);
    setup(NULL);
    run(&golden, 2);
    assert_true(TestGolden_Check(&golden, "physics_push.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_pushers_are_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
