// Tests of the movers of articles 002, 003 and 004: falling, steps, slopes, walls, corners,
// ceilings, thin walls at any speed, and random walks on a real map.

#include "base/rng.h"
#include "collide/cmap.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/body.h"

#include <string.h>

#define DT 0.016f

static const char *const names[MOVER_COUNT] = {"step", "ray", "sweep", "drop"};
static const bounds_t player = {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}};

// ---- the world ----

static trace_t world_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const cm_object_t place = {.model = 0, .solids = CM_SOLIDS_BRUSHES};
    trace_t trace = CM_BoxTrace(context, &place, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    return trace;
}

static contents_t world_contents(void *context, vec3_t point) {
    return CM_PointContents(context, 0, point);
}

static int32_t world_overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                             int32_t max) {
    memset(entnums, 0, (size_t)max * sizeof *entnums);
    const cm_object_t place = {.model = 0, .solids = CM_SOLIDS_BRUSHES};
    return CM_Overlap(context, &place, box, contacts, max);
}

typedef struct {
    cmap_t map;
    pm_world_t world;
    movevars_t vars;
} scene_t;

static movevars_t default_vars(void) {
#define VALUE(type, name, value, min, max, unit, help) .name = (type)value,
    return (movevars_t){MOVEVARS(VALUE)};
#undef VALUE
}

static void set_world(scene_t *scene) {
    scene->vars = default_vars();
    scene->world = (pm_world_t){.context = &scene->map,
                                .trace = world_trace,
                                .point_contents = world_contents,
                                .overlap = world_overlap};
}

/// Makes a room 2048 wide and 512 high with its floor at 0.
static void open_room(scene_t *scene, const test_block_t *blocks, int32_t count) {
    const test_map_t room = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 512.0f}},
                             .blocks = blocks,
                             .num_blocks = count,
                             .brush_list = true};
    *scene = (scene_t){0};
    assert_true(TestMap_Build(&scene->map, &room));
    set_world(scene);
}

static pm_body_t body_at(float x, float y, float feet) {
    return (pm_body_t){.origin = {x, y, feet + 24.0f + CM_DIST_EPSILON},
                       .mins = player.mins,
                       .maxs = player.maxs,
                       .up = {0.0f, 0.0f, 1.0f},
                       .ground = -1};
}

static bool overlaps(const scene_t *scene, const pm_body_t *body) {
    const cm_object_t place = {.model = 0, .solids = CM_SOLIDS_BRUSHES};
    return CM_BoxTrace(&scene->map, &place, body->origin, body->origin, body->mins, body->maxs)
        .startsolid;
}

static void go(const scene_t *scene, pm_body_t *body, pm_mover_t mover, vec3_t wish, int ticks) {
    for (int i = 0; i < ticks; i++) {
        body->velocity.x = wish.x;
        body->velocity.y = wish.y;
        PM_MoveBody(body, mover, DT, &scene->vars, &scene->world);
        if (mover != MOVER_RAY) {
            assert_false(overlaps(scene, body));
        }
    }
}

static float feet(const pm_body_t *body) {
    return body->origin.z + body->mins.z;
}

// ---- tests ----

static void test_falls_and_lands(void **state) {
    (void)state;
    scene_t scene;
    open_room(&scene, NULL, 0);
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(10.0f, 20.0f, 100.0f);
        go(&scene, &body, mover, (vec3_t){0}, 10);
        assert_int_equal(body.ground, -1);
        // Gravity 800 for 10 ticks, added before each move.
        assert_true(fabsf(feet(&body) - (100.03125f - 800.0f * DT * DT * 55.0f)) < 0.05f);
        go(&scene, &body, mover, (vec3_t){0}, 40);
        print_message("%s: lands at %g\n", names[mover], (double)feet(&body));
        assert_int_equal(body.ground, 0);
        assert_true(feet(&body) >= 0.0f);
        assert_true(feet(&body) < 0.1f);
        assert_true(body.velocity.z == 0.0f);
        assert_true(body.up.z == 1.0f);
        assert_true(body.origin.x == 10.0f);
        assert_true(body.origin.y == 20.0f);
    }
    CM_FreeMap(&scene.map);
}

/// Traces like world_trace, but gives every hit the normal of the steepest ground.
static trace_t steepest_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    trace_t trace = world_trace(context, start, mins, maxs, end);
    if (trace.fraction < 1.0f) {
        trace.plane.normal = Vector(sqrtf(1.0f - 0.7f * 0.7f), 0.0f, 0.7f);
    }
    return trace;
}

// Tests that a surface with normal.z = 0.7 is still ground.
static void test_lands_on_the_steepest_ground(void **state) {
    (void)state;
    scene_t scene;
    open_room(&scene, NULL, 0);
    scene.world.trace = steepest_trace;
    for (pm_mover_t mover = MOVER_RAY; mover <= MOVER_SWEEP; mover++) {
        pm_body_t body = body_at(0.0f, 0.0f, 10.0f);
        for (int32_t i = 0; i < 40 && body.ground < 0; i++) {
            PM_MoveBody(&body, mover, DT, &scene.vars, &scene.world);
        }
        assert_int_equal(body.ground, 0);
        assert_float_equal(body.origin.x, 0.0f, 0.0f);
    }
    CM_FreeMap(&scene.map);
}

// Tests steps (article 004): low ones are climbed without a jump, high ones stop a mover. The mover
// of article 003 jumps; the mover of article 002 is a point.
static void test_steps(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){100.0f, -1024.0f, 0.0f}, (vec3_t){1024.0f, 0.0f, 18.0f}),
        TestMap_Box((vec3_t){100.0f, 0.0f, 0.0f}, (vec3_t){1024.0f, 1024.0f, 19.0f}),
    };
    scene_t scene;
    open_room(&scene, blocks, 2);
    pm_body_t low = body_at(0.0f, -200.0f, 0.0f);
    go(&scene, &low, MOVER_DROP, Vector(320.0f, 0.0f, 0.0f), 60);
    assert_true(low.origin.x > 280.0f);
    assert_true(feet(&low) > 18.0f);
    assert_true(feet(&low) < 18.1f);
    pm_body_t high = body_at(0.0f, 200.0f, 0.0f);
    go(&scene, &high, MOVER_DROP, Vector(320.0f, 0.0f, 0.0f), 60);
    assert_true(high.origin.x < 84.0f);
    assert_true(feet(&high) < 0.1f);
    assert_true(high.bumped == 0);
    pm_body_t jumper = body_at(60.0f, 200.0f, 0.0f);
    go(&scene, &jumper, MOVER_SWEEP, Vector(320.0f, 0.0f, 0.0f), 20);
    assert_true(jumper.origin.x < 84.0f);
    assert_true(jumper.blocked.x == -1.0f);
    jumper.velocity.z = 270.0f;
    go(&scene, &jumper, MOVER_SWEEP, Vector(320.0f, 0.0f, 0.0f), 60);
    assert_true(jumper.origin.x > 200.0f);
    assert_true(feet(&jumper) > 19.0f);
    assert_true(jumper.ground == 0);
    CM_FreeMap(&scene.map);
}

// Tests the ray of a ray mover, which starts 1.0 above the ground (article 002). The mover passes
// over lower lips, if it walks and if it lands beside one, and stops at a wall beyond them.
static void test_ray_mover_passes_low_lips(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){100.0f, -200.0f, 0.0f}, (vec3_t){101.0f, 200.0f, 0.9f}),
        TestMap_Box((vec3_t){200.0f, -200.0f, 0.0f}, (vec3_t){400.0f, 200.0f, 0.9f}),
        TestMap_Box((vec3_t){500.0f, -200.0f, 0.0f}, (vec3_t){600.0f, 200.0f, 60.0f}),
    };
    scene_t scene;
    open_room(&scene, blocks, COUNTOF(blocks));
    static const float starts[] = {90.0f, 92.0f, 95.0f, 97.0f, 99.5f};
    for (size_t i = 0; i < COUNTOF(starts); i++) {
        pm_body_t body = body_at(starts[i], 0.0f, 0.0f);
        go(&scene, &body, MOVER_RAY, (vec3_t){0}, 1);
        assert_int_equal(body.ground, 0);
        for (int tick = 0; body.origin.x < 450.0f; tick++) {
            assert_true(tick < 100);
            go(&scene, &body, MOVER_RAY, Vector(300.0f, 0.0f, 0.0f), 1);
            assert_int_equal(body.bumped, -1);
        }
        go(&scene, &body, MOVER_RAY, Vector(300.0f, 0.0f, 0.0f), 60);
        assert_int_equal(body.bumped, 0);
        assert_true(body.origin.x < 500.0f);
    }
    CM_FreeMap(&scene.map);
}

static test_block_t ramp(float y, float run, float rise) {
    test_block_t block =
        TestMap_RampX((vec3_t){100.0f, y, 0.0f}, (vec3_t){100.0f + run, y + 400.0f, rise});
    return block;
}

// Tests slopes: all movers walk up 45.4 degrees but not 45.7, and none loses the ground
// while it walks down.
static void test_slopes(void **state) {
    (void)state;
    const test_block_t blocks[] = {ramp(-500.0f, 200.0f, 202.8f), ramp(100.0f, 200.0f, 204.9f),
                                   ramp(-1000.0f, 400.0f, 200.0f)};
    scene_t scene;
    open_room(&scene, blocks, 3);
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        pm_body_t walks = body_at(40.0f, -300.0f, 0.0f);
        go(&scene, &walks, mover, Vector(200.0f, 0.0f, 0.0f), 50);
        print_message("%s: %g up the slope of 45.4, ", names[mover], (double)feet(&walks));
        assert_true(feet(&walks) > 50.0f); // projecting the velocity shortens the path
        pm_body_t slips = body_at(40.0f, 300.0f, 0.0f);
        go(&scene, &slips, mover, Vector(200.0f, 0.0f, 0.0f), 50);
        print_message("%g up that of 45.7\n", (double)feet(&slips));
        assert_true(feet(&slips) < 8.0f);
        assert_true(slips.bumped == 0);
        pm_body_t down = body_at(40.0f, -800.0f, 0.0f);
        go(&scene, &down, mover, Vector(200.0f, 0.0f, 0.0f), 80);
        assert_true(feet(&down) > 70.0f);
        for (int i = 0; i < 60; i++) {
            go(&scene, &down, mover, Vector(-200.0f, 0.0f, 0.0f), 1);
            assert_int_equal(down.ground, 0);
        }
        assert_true(feet(&down) < 30.0f);
    }
    CM_FreeMap(&scene.map);
}

// Tests a walk along a wall at 30 degrees: a mover gets the projected part of the distance,
// whatever direction the wall faces.
static void test_slides_along_walls(void **state) {
    (void)state;
    scene_t scene;
    open_room(&scene, NULL, 0);
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        for (int turn = 0; turn < 4; turn++) {
            float sine;
            float cosine;
            SinCos(90.0f * (float)turn + 30.0f, &sine, &cosine);
            vec3_t wish = {200.0f * cosine, 200.0f * sine, 0.0f};
            vec3_t wall = turn == 0   ? Vector(1000.0f, 0.0f, 0.0f)
                          : turn == 1 ? Vector(0.0f, 1000.0f, 0.0f)
                          : turn == 2 ? Vector(-1000.0f, 0.0f, 0.0f)
                                      : Vector(0.0f, -1000.0f, 0.0f);
            pm_body_t body = body_at(wall.x, wall.y, 0.0f);
            go(&scene, &body, mover, wish, 20);
            vec3_t before = body.origin;
            go(&scene, &body, mover, wish, 50);
            vec3_t way = VectorSubtract(body.origin, before);
            float along = turn % 2 ? fabsf(way.x) : fabsf(way.y);
            assert_true(fabsf(along - 200.0f * 0.5f * 50.0f * DT) < 2.0f);
            assert_true(VectorWithin(body.origin, 1024.0f));
        }
        pm_body_t corner = body_at(990.0f, 980.0f, 0.0f);
        go(&scene, &corner, mover, Vector(200.0f, 150.0f, 0.0f), 60);
        assert_true(corner.origin.x > 1000.0f);
        assert_true(corner.origin.y > 1000.0f);
        go(&scene, &corner, mover, Vector(-200.0f, -150.0f, 0.0f), 60);
        // Leaves the corner again.
        assert_true(corner.origin.x < 900.0f);
        assert_true(corner.origin.y < 950.0f);
    }
    CM_FreeMap(&scene.map);
}

/// Moves end by a bit inside of each wall, on each side of it. Sums of the origin and the box round
/// such ends to the wall, which an overlap does not report.
static void test_ends_a_bit_inside_walls(void **state) {
    (void)state;
    scene_t scene;
    open_room(&scene, NULL, 0);
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        for (int32_t i = 0; i < 4 * 9; i++) {
            float end = 1008.0f;
            for (int32_t bits = 4; bits < i % 9; bits++) {
                end = nextafterf(end, INFINITY);
            }
            for (int32_t bits = 4; bits > i % 9; bits--) {
                end = nextafterf(end, 0.0f);
            }
            float sign = i / 9 % 2 ? -1.0f : 1.0f;
            pm_body_t body =
                i / 18 ? body_at(7.0f, sign * 1006.0f, 0.0f) : body_at(sign * 1006.0f, 7.0f, 0.0f);
            body.ground = 0;
            body.velocity = i / 18 ? Vector(0.5f, sign * (end - 1006.0f), 0.0f)
                                   : Vector(sign * (end - 1006.0f), 0.5f, 0.0f);
            PM_RunMover(&body, mover, 1.0f, &scene.vars, &scene.world);
            assert_false(overlaps(&scene, &body));
            assert_true(fabsf(body.origin.x) + fabsf(body.origin.y) > 1013.0f); // slides along
        }
    }
    CM_FreeMap(&scene.map);
}

static void test_ceilings_and_thin_walls(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){-200.0f, -200.0f, 80.0f}, (vec3_t){200.0f, 200.0f, 90.0f}),
        TestMap_Box((vec3_t){400.0f, -1024.0f, 0.0f}, (vec3_t){401.0f, 1024.0f, 512.0f}),
        TestMap_Box((vec3_t){-1024.0f, 500.0f, 0.0f}, (vec3_t){0.0f, 1024.0f, 1.0f}),
    };
    scene_t scene;
    open_room(&scene, blocks, 3);
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(0.0f, 0.0f, 0.0f);
        go(&scene, &body, mover, (vec3_t){0}, 5);
        body.velocity.z = 400.0f;
        go(&scene, &body, mover, Vector(50.0f, 0.0f, 0.0f), 6);
        assert_true(body.velocity.z <= 0.0f); // the head is at the ceiling
        go(&scene, &body, mover, Vector(50.0f, 0.0f, 0.0f), 40);
        assert_true(body.ground == 0);
        assert_true(feet(&body) < 0.1f);
        pm_body_t fast = body_at(300.0f, 300.0f, 0.0f);
        go(&scene, &fast, mover, Vector(2000.0f, 0.0f, 0.0f), 20);
        assert_true(fast.origin.x <= 384.0f);
        pm_body_t falls = body_at(-300.0f, 700.0f, 400.0f); // onto a plate 1 thick, at x = 2000
        falls.velocity.z = -2000.0f;
        go(&scene, &falls, mover, (vec3_t){0}, 30);
        assert_true(falls.ground == 0);
        assert_true(feet(&falls) >= 1.0f);
        assert_true(feet(&falls) < 1.2f);
    }
    CM_FreeMap(&scene.map);
}

// Tests a mover that is pressed into a wall while it falls: it goes on falling along the wall, and
// lands.
static void test_falls_along_walls(void **state) {
    (void)state;
    scene_t scene;
    open_room(&scene, NULL, 0);
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(1000.0f, 0.0f, 200.0f);
        float last = feet(&body);
        for (int i = 0; i < 60; i++) {
            go(&scene, &body, mover, Vector(300.0f, 100.0f, 0.0f), 1);
            assert_true(feet(&body) <= last + 0.1f);
            last = feet(&body);
        }
        print_message("%s: lands at %g %g\n", names[mover], (double)body.origin.x,
                      (double)feet(&body));
        assert_true(body.ground == 0);
        assert_true(feet(&body) >= 0.0f);
        assert_true(feet(&body) < 0.1f);
        assert_true(body.origin.x > 1000.0f);
        assert_true(body.origin.x < 1024.0f);
    }
    CM_FreeMap(&scene.map);
}

// Tests the same in a corner, and with a ceiling right above the mover's feet: it passes through no
// wall.
static void test_falls_in_corners(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){-50.0f, -50.0f, 10.5f}, (vec3_t){50.0f, 50.0f, 100.0f}),
        TestMap_Box((vec3_t){3.0f, -50.0f, 0.0f}, (vec3_t){5.0f, 50.0f, 11.0f})};
    scene_t scene;
    open_room(&scene, blocks, 2);
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(1000.0f, 1000.0f, 200.0f);
        go(&scene, &body, mover, Vector(300.0f, 200.0f, 0.0f), 80);
        assert_true(body.ground == 0);
        assert_true(feet(&body) < 0.1f);
    }
    pm_body_t body = body_at(0.0f, 0.0f, 10.0f);
    go(&scene, &body, MOVER_RAY, Vector(300.0f, 0.0f, 0.0f), 1);
    assert_true(body.origin.x < 3.0f);
    assert_true(feet(&body) < 10.0f);
    go(&scene, &body, MOVER_RAY, Vector(300.0f, 0.0f, 0.0f), 30);
    assert_true(body.origin.x < 3.0f);
    assert_true(body.ground == 0);
    CM_FreeMap(&scene.map);
}

// Tests the pitch and roll limits of a ray mover: along its path, and across it.
static void test_pitch_and_roll(void **state) {
    (void)state;
    const test_block_t blocks[] = {ramp(-200.0f, 400.0f, 150.0f)}; // 20.6 degrees along x
    scene_t scene;
    open_room(&scene, blocks, 1);
    static const struct {
        float pitch, roll;
        bool goes_up, goes_across;
    } cases[] = {{0.0f, 0.0f, true, true},
                 {15.0f, 0.0f, false, true},
                 {0.0f, 15.0f, true, false},
                 {25.0f, 25.0f, true, true}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        pm_body_t body = body_at(90.0f, 0.0f, 0.0f);
        body.max_pitch = cases[i].pitch;
        body.max_roll = cases[i].roll;
        go(&scene, &body, MOVER_RAY, Vector(200.0f, 0.0f, 0.0f), 40);
        assert_true((feet(&body) > 20.0f) == cases[i].goes_up);
        // Across the slope and slightly up it. Moving down is always allowed.
        body = body_at(300.0f, -100.0f, 75.0f);
        body.max_roll = cases[i].roll;
        body.max_pitch = cases[i].pitch;
        go(&scene, &body, MOVER_RAY, (vec3_t){0}, 10);
        go(&scene, &body, MOVER_RAY, Vector(10.0f, 200.0f, 0.0f), 40);
        assert_true((body.origin.y > 0.0f) == cases[i].goes_across);
    }
    CM_FreeMap(&scene.map);
}

// Tests a mover close below the ceiling: it stands and walks.
static void test_walks_below_ceilings(void **state) {
    (void)state;
    const test_block_t ceiling =
        TestMap_Box((vec3_t){-500.0f, -500.0f, 56.08f}, (vec3_t){500.0f, 500.0f, 80.0f});
    scene_t scene;
    open_room(&scene, &ceiling, 1);
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(0.0f, 0.0f, 0.01f);
        go(&scene, &body, mover, (vec3_t){0}, 5);
        for (int i = 0; i < 30; i++) {
            go(&scene, &body, mover, Vector(200.0f, 0.0f, 0.0f), 1);
            assert_int_equal(body.ground, 0);
        }
        assert_true(body.origin.x > 90.0f);
    }
    CM_FreeMap(&scene.map);
}

// Tests a mover lower than a step: it passes below a plate, not through it.
static void test_low_bodies_below_plates(void **state) {
    (void)state;
    const test_block_t plate =
        TestMap_Box((vec3_t){100.0f, -200.0f, 10.0f}, (vec3_t){300.0f, 200.0f, 12.0f});
    scene_t scene;
    open_room(&scene, &plate, 1);
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(40.0f, 0.0f, 0.0f);
        body.mins = Vector(-8.0f, -8.0f, -4.0f);
        body.maxs = Vector(8.0f, 8.0f, 4.0f);
        body.origin.z = 4.0f + CM_DIST_EPSILON;
        for (int i = 0; i < 100; i++) {
            go(&scene, &body, mover, Vector(200.0f, 0.0f, 0.0f), 1);
            assert_true(feet(&body) < 0.2f);
        }
        assert_true(body.origin.x > 300.0f);
    }
    CM_FreeMap(&scene.map);
}

static void test_aligns_with_the_ground(void **state) {
    (void)state;
    rng_t rng = {5};
    for (int i = 0; i < 1000; i++) {
        vec3_t up = {Rng_Range(&rng, -1.0f, 1.0f), Rng_Range(&rng, -1.0f, 1.0f),
                     Rng_Range(&rng, 0.7f, 2.0f)};
        up = VectorNormalize(up, NULL);
        float yaw = Rng_Range(&rng, -180.0f, 180.0f);
        vec3_t angles = PM_AlignAngles(yaw, up);
        vec3_t forward;
        vec3_t top;
        AngleVectors(angles, &forward, NULL, &top);
        assert_true(DotProduct(top, up) > 0.99999f);
        assert_true(fabsf(AngleNormalize180(Atan2(forward.y, forward.x) - yaw)) < 0.001f);
    }
    assert_true(PM_AlignAngles(90.0f, (vec3_t){0.0f, 0.0f, 0.0f}).x == 0.0f);
}

static void test_bad_input(void **state) {
    (void)state;
    scene_t scene;
    open_room(&scene, NULL, 0);
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        pm_body_t body = body_at(0.0f, 0.0f, 10.0f);
        body.velocity = Vector(NAN, INFINITY, -INFINITY);
        body.max_pitch = NAN;
        PM_MoveBody(&body, mover, DT, &scene.vars, &scene.world);
        assert_true(VectorWithin(body.origin, 1024.0f));
        assert_true(VectorWithin(body.velocity, 2000.0f));
    }
    CM_FreeMap(&scene.map);
}

// Tests random walks in a real map: a mover is never in a wall, never out of the map, never thrown
// up, and gets far. For a ray mover, the test looks at its foot.
static void test_random_ways(void **state) {
    (void)state;
    scene_t scene = {0};
    err_t err = {{0}};
    if (!BSP_Load(&scene.map, "../shared/data/bsp/lqdm2.bsp", &err)) {
        print_message("SKIPPED: %s\n", err.text);
        skip();
    }
    set_world(&scene);
    const int ticks = Test_IsLong() ? 1000000 : 30000;
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        rng_t rng = {7};
        pm_body_t body = {0};
        vec3_t wish = {0.0f, 0.0f, 0.0f};
        float moved = 0.0f;
        int starts = 0;
        for (int i = 0; i < ticks; i++) {
            if (i % 500 == 0) {
                do {
                    body = body_at(Rng_Range(&rng, -1500.0f, 1500.0f),
                                   Rng_Range(&rng, -1500.0f, 1500.0f),
                                   Rng_Range(&rng, -500.0f, 500.0f));
                } while (overlaps(&scene, &body) ||
                         CM_PointContents(&scene.map, 0, body.origin) == CONTENTS_SOLID);
                starts++;
            }
            if (Rng_Below(&rng, 40) == 0) {
                wish = Vector(Rng_Range(&rng, -400.0f, 400.0f), Rng_Range(&rng, -400.0f, 400.0f),
                              0.0f);
                body.velocity.z += body.ground >= 0 && Rng_Below(&rng, 2) ? 270.0f : 0.0f;
            }
            vec3_t before = body.origin;
            go(&scene, &body, mover, wish, 1);
            moved += VectorLength(VectorSubtract(body.origin, before));
            vec3_t at = body.origin;
            at.z += mover == MOVER_RAY ? body.mins.z : 0.0f;
            assert_true(CM_PointContents(&scene.map, 0, at) != CONTENTS_SOLID);
            assert_true(body.velocity.z <= 300.0f);
        }
        print_message("%s: %d ticks from %d places, %g qu a tick\n", names[mover], ticks, starts,
                      (double)(moved / (float)ticks));
        assert_true(moved / (float)ticks > 1.0f);
    }
    CM_FreeMap(&scene.map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_and_lands),
        cmocka_unit_test(test_lands_on_the_steepest_ground),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_ray_mover_passes_low_lips),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_slides_along_walls),
        cmocka_unit_test(test_ends_a_bit_inside_walls),
        cmocka_unit_test(test_ceilings_and_thin_walls),
        cmocka_unit_test(test_falls_along_walls),
        cmocka_unit_test(test_falls_in_corners),
        cmocka_unit_test(test_pitch_and_roll),
        cmocka_unit_test(test_walks_below_ceilings),
        cmocka_unit_test(test_low_bodies_below_plates),
        cmocka_unit_test(test_aligns_with_the_ground),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_random_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
