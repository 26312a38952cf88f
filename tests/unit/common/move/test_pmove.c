// Tests of PM_Move on land and in the air: one test for each rule of the `quake` profile.

#include "base/limits.h"
#include "base/rng.h"
#include "lib/player_fixture.h"

#include <string.h>

static void test_input_from_cmd(void **state) {
    (void)state;
    usercmd_t cmd = {.pitch = 0xC000,
                     .yaw = 0x4000,
                     .forward = -400,
                     .side = 8191,
                     .up = 7,
                     .buttons = BUTTON_JUMP};
    pm_input_t input = PM_InputFromCmd(&cmd);
    assert_true(VectorCompare(input.angles, Vector(-90.0f, 90.0f, 0.0f)));
    assert_true(input.forward == -400.0f);
    assert_true(input.side == 8191.0f);
    assert_true(input.up == 7.0f);
    assert_int_equal(input.buttons, BUTTON_JUMP);
}

static void test_stands_still(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.origin.z = FLOOR_Z + 0.5f;
    step(&player, 0.0f, 0);
    assert_true(on_ground(&player));
    assert_int_equal(player.groundentity, 0);
    assert_near(player.origin.z, FLOOR_Z, 1e-4f); // was put down onto the floor
    vec3_t stood = player.origin;
    walk(&player, 0.0f, 400);
    assert_near(player.origin.z, stood.z, 1e-3f);
    assert_true(VectorCompare(player.velocity, Vector(0.0f, 0.0f, 0.0f)));
}

static void test_fast_rise_is_airborne(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.velocity.z = 180.5f;
    step(&player, 0.0f, 0);
    assert_false(on_ground(&player));
    player = stand_on_floor();
    player.velocity.z = 179.5f;
    step(&player, 0.0f, 0);
    assert_true(on_ground(&player));
}

static void test_top_speed(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    walk(&player, 400.0f, 2000);
    assert_near(player.velocity.x, 320.0f, 0.01f);
    // The very first step accelerates by 10 times the wished speed per second.
    player = stand_on_floor();
    step(&player, 200.0f, 0);
    assert_near(player.velocity.x, 200.0f * 10.0f * 0.008f, 1e-3f);
}

static void test_friction_stops(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.velocity.x = 320.0f;
    float speed = 320.0f;
    int32_t steps = 0;
    while (speed >= 1.0f) {
        step(&player, 0.0f, 0);
        float control = speed > 100.0f ? speed : 100.0f;
        speed -= control * 4.0f * 0.008f;
        speed = speed > 0.0f ? speed : 0.0f;
        assert_near(player.velocity.x, speed, 0.01f);
        steps++;
        assert_in_range(steps, 1, 100);
    }
    step(&player, 0.0f, 0);
    assert_true(player.velocity.x == 0.0f);
}

static void test_edge_friction(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    // The player's box extends 16 to each side, so the edge of the floor at x = 2048 carries the
    // player until 2064.
    player.origin.x = 2050.0f;
    player.velocity.x = 300.0f;
    step(&player, 0.0f, 0);
    assert_near(player.velocity.x, 300.0f * (1.0f - 2.0f * 4.0f * 0.008f), 0.01f);
    player = stand_on_floor();
    player.origin.x = 2040.0f;
    player.velocity.x = 300.0f;
    step(&player, 0.0f, 0);
    assert_near(player.velocity.x, 300.0f * (1.0f - 4.0f * 0.008f), 0.01f);
    // The box is swept at foot height: a drop counts from 58 below the feet.
    static const float drops[] = {56.0f, 60.0f};
    for (size_t i = 0; i < COUNTOF(drops); i++) {
        player = stand_on_floor();
        TestBrushes_Box(&room, Vector(2048, -2048, -200), Vector(4000, 2048, -drops[i]),
                        CONTENTS_SOLID);
        player.origin.x = 2050.0f;
        player.velocity.x = 300.0f;
        step(&player, 0.0f, 0);
        assert_near(player.velocity.x, 300.0f * (1.0f - (i == 0 ? 1.0f : 2.0f) * 4.0f * 0.008f),
                    0.01f);
    }
    // If the probe starts inside of a step ahead, this is no edge.
    player = stand_on_floor();
    TestBrushes_Box(&room, Vector(2048, -100, -64), Vector(2100, 100, 16), CONTENTS_SOLID);
    player.origin.x = 2031.5f;
    player.velocity.x = 10.0f;
    step(&player, 0.0f, 0);
    assert_near(player.velocity.x, 10.0f - 100.0f * 4.0f * 0.008f, 0.01f);
}

static void test_jump_height(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    float height = 0.0f;
    float speed = 270.0f;
    float peak = 0.0f;
    int32_t airborne_ms = 0;
    for (int32_t i = 0; i < 200 && (i == 0 || !on_ground(&player)); i++) {
        assert_near(player.origin.z - FLOOR_Z, height, 0.01f);
        step(&player, 0.0f, i == 0 ? BUTTON_JUMP : 0);
        speed -= 800.0f * 0.008f;
        height += speed * 0.008f;
        peak = height > peak ? height : peak;
        airborne_ms += STEP_MS;
    }
    assert_true(on_ground(&player));
    assert_near(peak, 44.5f, 0.1f);
    assert_int_equal(airborne_ms, 83 * STEP_MS);
}

static void test_jump_is_held(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    step(&player, 0.0f, BUTTON_JUMP);
    assert_true(player.flags & PMF_JUMP_HELD);
    assert_int_equal(player.jump_ms, STEP_MS);
    int32_t steps = 0;
    while (!on_ground(&player)) {
        step(&player, 0.0f, BUTTON_JUMP);
        assert_in_range(++steps, 1, 100);
    }
    assert_int_equal(player.jump_ms, 0);
    for (int32_t i = 0; i < 20; i++) { // the button is still down: stays on the ground
        step(&player, 0.0f, BUTTON_JUMP);
        assert_true(on_ground(&player));
    }
    step(&player, 0.0f, 0);
    assert_false(player.flags & PMF_JUMP_HELD);
    step(&player, 0.0f, BUTTON_JUMP);
    assert_false(on_ground(&player));
    // If the button is released and pressed again in the air, the player jumps on landing.
    step(&player, 0.0f, 0);
    float highest = player.velocity.z;
    for (int32_t i = 0; i < 100; i++) {
        step(&player, 0.0f, BUTTON_JUMP);
        highest = player.velocity.z > highest ? player.velocity.z : highest;
    }
    assert_near(highest, 270.0f - 6.4f, 0.01f);
}

static void test_jumps_in_a_row(void **state) {
    (void)state;
    // If the player is still on the ground within 50 ms of a jump (corners, stairs), holding the
    // button jumps again.
    player_state_t player = stand_on_floor();
    player.flags = PMF_JUMP_HELD;
    player.jump_ms = 42;
    step(&player, 0.0f, BUTTON_JUMP);
    assert_near(player.velocity.z, 270.0f - 6.4f, 0.01f);
    assert_int_equal(player.jump_ms, STEP_MS);
    player = stand_on_floor();
    player.flags = PMF_JUMP_HELD;
    player.jump_ms = 43; // 51 in this step: the 50 ms are over
    step(&player, 0.0f, BUTTON_JUMP);
    assert_true(on_ground(&player));
    assert_int_equal(player.jump_ms, 0);
}

static void test_hard_landing(void **state) {
    (void)state;
    // Friction acts on the whole velocity. A player that lands fast has lost the vertical part
    // before.
    player_state_t player = stand_on_floor();
    player.origin.z = FLOOR_Z + 0.5f;
    player.velocity = Vector(50.0f, 0.0f, -290.0f);
    step(&player, 0.0f, 0);
    assert_near(player.velocity.x, 50.0f * (1.0f - 4.0f * 0.008f), 0.01f);
    player = stand_on_floor();
    player.origin.z = FLOOR_Z + 0.5f;
    player.velocity = Vector(50.0f, 0.0f, -310.0f);
    step(&player, 0.0f, 0);
    assert_near(player.velocity.x, 50.0f - 100.0f * 4.0f * 0.008f, 0.01f);
}

static void test_jump_off_a_slope(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    TestBrushes_Ramp(&room, Vector(0, -512, 0), Vector(512, 512, 256));
    player.origin = Vector(256.0f, 0.0f, 128.0f + 24.0f + 8.0f + 0.1f);
    step(&player, 0.0f, 0);
    assert_true(on_ground(&player));
    // The velocity into the slope is clipped before the jump, because vz < 0.
    player.velocity = Vector(100.0f, 0.0f, -50.0f);
    step(&player, 0.0f, BUTTON_JUMP);
    vec3_t normal = VectorNormalize(Vector(-256.0f, 0.0f, 512.0f), NULL);
    vec3_t clipped = VectorMA(Vector(100.0f, 0.0f, -50.0f),
                              -DotProduct(Vector(100.0f, 0.0f, -50.0f), normal), normal);
    assert_near(player.velocity.z, clipped.z + 270.0f - 6.4f, 0.05f);
    assert_near(player.velocity.x, clipped.x, 0.05f);
    // Without falling, the velocity is not clipped.
    player.origin = Vector(256.0f, 0.0f, 128.0f + 24.0f + 8.0f + 0.1f);
    player.velocity = Vector(100.0f, 0.0f, 0.0f);
    player.flags = 0;
    player.jump_ms = 0;
    step(&player, 0.0f, BUTTON_JUMP);
    assert_near(player.velocity.z, 270.0f - 6.4f, 0.05f);
    assert_near(player.velocity.x, 100.0f, 0.05f);
    // A player that rises already adds this to the jump.
    player = stand_on_floor();
    player.origin.z = FLOOR_Z;
    player.velocity.z = 100.0f;
    step(&player, 0.0f, BUTTON_JUMP);
    assert_near(player.velocity.z, 370.0f - 6.4f, 0.01f);
}

static void test_air_control(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.origin.z = 400.0f;
    for (int32_t i = 0; i < 50; i++) {
        step(&player, 400.0f, 0);
        assert_true(player.velocity.x <= 30.01f);
    }
    assert_near(player.velocity.x, 30.0f, 0.01f);
    // Across the velocity, each direction may get 30 more, so it gets the full acceleration.
    player.velocity = Vector(0.0f, 500.0f, 0.0f);
    step(&player, 400.0f, 0);
    assert_near(player.velocity.x, 320.0f * 10.0f * 0.008f, 0.01f);
    assert_near(player.velocity.y, 500.0f, 0.01f);
}

static float climb(float height) {
    player_state_t player = stand_on_floor();
    TestBrushes_Box(&room, Vector(64, -512, 0), Vector(1024, 512, height), CONTENTS_SOLID);
    walk(&player, 400.0f, 1000);
    return player.origin.z - FLOOR_Z;
}

static void test_stairs(void **state) {
    (void)state;
    assert_near(climb(8.0f), 8.0f, 0.1f);
    assert_near(climb(17.0f), 17.0f, 0.1f);
    assert_near(climb(18.0f), 18.0f, 0.1f);
    assert_near(climb(18.25f), 0.0f, 0.1f);
    assert_near(climb(19.0f), 0.0f, 0.1f);
    // Climb a whole flight of stairs at full speed.
    player_state_t player = stand_on_floor();
    for (int32_t i = 0; i < 20; i++) {
        float at = 64.0f + 32.0f * (float)i;
        TestBrushes_Box(&room, Vector(at, -512, 0), Vector(1024, 512, 16.0f * (float)(i + 1)),
                        CONTENTS_SOLID);
    }
    walk(&player, 400.0f, 3000);
    assert_near(player.origin.z, FLOOR_Z + 320.0f, 0.1f);
    player.angles.y = 180.0f;
    walk(&player, 400.0f, 4000); // down again
    assert_near(player.origin.z, FLOOR_Z, 0.1f);
}

static void test_low_ceiling_stops_step(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    TestBrushes_Box(&room, Vector(64, -512, 0), Vector(1024, 512, 16), CONTENTS_SOLID);
    TestBrushes_Box(&room, Vector(-64, -512, 64), Vector(1024, 512, 128), CONTENTS_SOLID);
    walk(&player, 400.0f, 1000);
    assert_near(player.origin.z, FLOOR_Z, 0.1f);
    assert_true(player.origin.x < 48.0f);
}

/// Returns a player that was put down in the middle of a slope.
static player_state_t stand_on_slope(float degrees) {
    player_state_t player = stand_on_floor();
    float rise = 512.0f * tanf(degrees * 0.01745329f);
    TestBrushes_Ramp(&room, Vector(0, -512, 0), Vector(512, 512, rise));
    // The highest point of the slope below the box touches the box.
    player.origin.x = 256.0f;
    player.origin.z = rise * (256.0f + 16.0f) / 512.0f + 24.0f + 0.5f;
    return player;
}

static void test_slope_limit(void **state) {
    (void)state;
    // The limit 0.7 is the cosine of 45.57 degrees.
    static const float walked[] = {20.0f, 45.0f, 45.5f};
    static const float too_steep[] = {45.65f, 46.0f, 60.0f};
    for (size_t i = 0; i < COUNTOF(walked); i++) {
        player_state_t player = stand_on_slope(walked[i]);
        vec3_t start = player.origin;
        walk(&player, 0.0f, 400); // stands
        assert_true(on_ground(&player));
        assert_near(player.origin.x, start.x, 1e-3f);
        walk(&player, 400.0f, 400); // walks up and is always on the ground
        assert_true(on_ground(&player));
        assert_true(player.origin.x > start.x + 60.0f);
    }
    for (size_t i = 0; i < COUNTOF(too_steep); i++) {
        player_state_t player = stand_on_slope(too_steep[i]);
        vec3_t start = player.origin;
        for (int32_t j = 0; j < 50; j++) {
            step(&player, 0.0f, 0);
            assert_false(on_ground(&player));
        }
        assert_true(player.origin.x < start.x - 10.0f); // slides down
    }
}

static void test_no_step_onto_steep_slope(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    TestBrushes_Ramp(&room, Vector(64, -512, 0), Vector(576, 512, 1024));
    player.origin.x = 47.9f;
    player.velocity.x = 320.0f;
    step(&player, 400.0f, 0);
    // Over the step the speed would stay 320; sliding up the slope of 2 keeps a fifth of it.
    assert_near(player.velocity.x, 320.0f / 5.0f, 0.1f);
    assert_near(player.velocity.z, 320.0f * 2.0f / 5.0f, 0.1f);
}

static void test_slide_along_wall(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    TestBrushes_Box(&room, Vector(64, -2048, 0), Vector(128, 2048, 512), CONTENTS_SOLID);
    player.origin = Vector(47.9f, 0.0f, 200.0f);
    player.velocity = Vector(300.0f, 200.0f, 0.0f);
    step(&player, 0.0f, 0);
    assert_true(player.velocity.x == 0.0f);
    assert_near(player.velocity.y, 200.0f, 1e-3f);
    assert_true(player.origin.x <= 48.0f);
}

static void test_dead_stop_in_corner(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    TestBrushes_Box(&room, Vector(64, -2048, 0), Vector(128, 2048, 512), CONTENTS_SOLID);
    TestBrushes_Box(&room, Vector(-2048, 64, 0), Vector(2048, 128, 512), CONTENTS_SOLID);
    player.origin = Vector(47.0f, 47.0f, FLOOR_Z);
    player.velocity = Vector(300.0f, 290.0f, 0.0f);
    player.angles.y = 45.0f;
    walk(&player, 400.0f, 200);
    assert_near(player.velocity.x, 0.0f, 0.2f);
    assert_near(player.velocity.y, 0.0f, 0.2f);
    assert_true(player.origin.x <= 48.0f);
    assert_true(player.origin.y <= 48.0f);
    assert_true(player.origin.x > 47.9f);
    assert_true(player.origin.y > 47.9f);
}

/// Tests a flight into the crease between two walls that lean over.
static void test_crease(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    // The walls lean over the corner which they form: the only free direction is down along the
    // crease.
    test_brush_t *east =
        TestBrushes_Box(&room, Vector(0, -512, 100), Vector(512, 512, 600), CONTENTS_SOLID);
    TestBrushes_Cut(east, Vector(-1.0f, 0.0f, -1.0f), Vector(0.0f, 0.0f, 600.0f));
    test_brush_t *north =
        TestBrushes_Box(&room, Vector(-512, 0, 100), Vector(512, 512, 600), CONTENTS_SOLID);
    TestBrushes_Cut(north, Vector(0.0f, -1.0f, -1.0f), Vector(0.0f, 0.0f, 600.0f));
    // Grown by the box, the planes are at x + z = 600 and y + z = 600; fly into the crease from
    // below.
    player.origin = Vector(84.0f - 16.0f, 84.0f - 16.0f, 600.0f - 32.0f - 84.0f - 1.0f);
    player.velocity = Vector(300.0f, 300.0f, 206.4f);
    step(&player, 0.0f, 0);
    // The direction of the crease is the cross product of the normals. Its length is sin(60
    // degrees), which leaves 3/4 of the speed.
    vec3_t a = VectorNormalize(Vector(-1.0f, 0.0f, -1.0f), NULL);
    vec3_t b = VectorNormalize(Vector(0.0f, -1.0f, -1.0f), NULL);
    vec3_t crease = CrossProduct(a, b);
    vec3_t into = {300.0f, 300.0f, 200.0f};
    vec3_t expected = VectorScale(crease, DotProduct(crease, into));
    assert_near(player.velocity.x, expected.x, 0.1f);
    assert_near(player.velocity.y, expected.y, 0.1f);
    assert_near(player.velocity.z, expected.z, 0.1f);
}

static void test_spectator(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.pm_type = PM_SPECTATOR;
    player.angles.x = 45.0f;
    walk(&player, 8000.0f, 2000);
    assert_near(VectorLength(player.velocity), 500.0f, 1.0f);
    assert_true(player.origin.z < -100.0f);
    assert_true(player.origin.x > 400.0f); // through the floor
    assert_int_equal(player.groundentity, -1);
    assert_int_equal(room.num_traces + room.num_contents, 0); // the world was not queried
    walk(&player, 0.0f, 2000);
    assert_true(VectorCompare(player.velocity, Vector(0.0f, 0.0f, 0.0f)));
}

static void test_dead_takes_no_input(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.pm_type = PM_DEAD;
    player.origin.z = 100.0f;
    player.angles.y = 30.0f;
    pm_input_t input = {.angles = {10.0f, 90.0f, 0.0f}, .forward = 400.0f, .buttons = BUTTON_JUMP};
    pm_world_t world = TestBrushes_World(&room);
    for (int32_t i = 0; i < 200; i++) {
        PM_Move(&player, &input, STEP_MS, &vars, &world, &touch);
    }
    assert_true(on_ground(&player));
    assert_true(VectorCompare(player.velocity, Vector(0.0f, 0.0f, 0.0f)));
    assert_true(player.origin.x == 0.0f);
    assert_true(player.origin.y == 0.0f);
    assert_true(player.angles.y == 30.0f);
}

static void test_frozen_changes_nothing(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.pm_type = PM_FROZEN;
    player.origin.z = 100.0f;
    player.velocity.x = 100.0f;
    player_state_t before = player;
    walk(&player, 400.0f, 400);
    assert_memory_equal(&player, &before, sizeof player);
}

static void test_nudged_out_of_solid(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    pm_world_t world = TestBrushes_World(&room);
    player.origin.z = 24.0f - 0.1f;
    assert_false(PM_PositionIsFree(&player, &world));
    step(&player, 0.0f, 0);
    assert_true(PM_PositionIsFree(&player, &world));
    assert_near(player.origin.z, FLOOR_Z, 0.1f);
    // Deeper in the floor, the player is moved up by whole units.
    player = stand_on_floor();
    player.origin.z = 24.0f - 10.5f;
    step(&player, 0.0f, 0);
    assert_true(PM_PositionIsFree(&player, &world));
    assert_near(player.origin.z, 24.5f, 0.6f);
    // Too deep, the player stays where it is, at rest.
    player = stand_on_floor();
    player.origin.z = 24.0f - 30.0f;
    player.velocity.x = 100.0f;
    vec3_t stuck = player.origin;
    walk(&player, 400.0f, 80);
    assert_true(VectorCompare(player.origin, stuck));
    assert_true(VectorCompare(player.velocity, Vector(0.0f, 0.0f, 0.0f)));
    // Moving sideways by an eighth is tried before moving up.
    player = stand_on_floor();
    TestBrushes_Box(&room, Vector(64, -2048, 0), Vector(128, 2048, 512), CONTENTS_SOLID);
    player.origin.x = 48.1f;
    step(&player, 0.0f, 0);
    assert_near(player.origin.x, 48.1f - 0.125f, 1e-4f);
    assert_near(player.origin.z, FLOOR_Z, 1e-3f);
}

static void test_touches(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    TestBrushes_Box(&room, Vector(20, -64, 0), Vector(64, 64, 64), CONTENTS_SOLID)->entnum = 7;
    player.velocity.x = 320.0f;
    for (int32_t i = 0; i < 3; i++) {
        step(&player, 400.0f, 0);
    }
    assert_int_equal(touch.count, 2);
    assert_int_equal(touch.entnums[0], 0);
    assert_int_equal(touch.entnums[1], 7);
    assert_int_equal(touch.dropped, 0);
}

static void test_speed_is_bounded(void **state) {
    (void)state;
    player_state_t player = stand_on_floor();
    player.origin = Vector(0.0f, 0.0f, 30000.0f);
    player.velocity = Vector(1e30f, -1e30f, 0.0f);
    step(&player, 0.0f, 0);
    assert_true(player.velocity.x == 2000.0f);
    assert_true(player.velocity.y == -2000.0f);
    walk(&player, 0.0f, 4000);
    assert_true(player.velocity.z == -2000.0f);
}

static float hostile_float(rng_t *rng) {
    static const float odd[] = {0.0f,     -0.0f, 1e-40f, 1e30f,    -1e30f,     3e38f,
                                INFINITY, NAN,   -NAN,   65536.0f, -131072.0f, 1e-3f};
    return Rng_Below(rng, 4) == 0 ? Rng_Range(rng, -500.0f, 500.0f)
                                  : odd[Rng_Below(rng, COUNTOF(odd))];
}

static vec3_t hostile_vector(rng_t *rng) {
    float x = hostile_float(rng);
    float y = hostile_float(rng);
    return Vector(x, y, hostile_float(rng));
}

static void test_hostile_numbers(void **state) {
    (void)state;
    rng_t rng = {11};
    for (int32_t i = 0; i < 20000; i++) {
        player_state_t player = stand_on_floor();
        TestBrushes_Ramp(&room, Vector(0, -100, 0), Vector(200, 100, 150));
        TestBrushes_Box(&room, Vector(-200, -100, 0), Vector(0, 100, 90), CONTENTS_WATER);
        if (Rng_Below(&rng, 2)) {
            player.origin = hostile_vector(&rng);
        } else {
            player.origin.x = Rng_Range(&rng, -300.0f, 300.0f);
        }
        player.velocity = hostile_vector(&rng);
        player.pm_type = (int32_t)Rng_Below(&rng, PM_TYPE_COUNT + 1);
        player.waterjump_ms = (int32_t)Rng_Below(&rng, 3000);
        player.flags = Rng_Below(&rng, 8);
        pm_input_t input = {hostile_vector(&rng), hostile_float(&rng), hostile_float(&rng),
                            hostile_float(&rng), Rng_Below(&rng, 256)};
        bool placed = VectorWithin(player.origin, 2.0f * MAX_WORLD_COORD);
        bool frozen = player.pm_type == PM_FROZEN;
        pm_world_t world = TestBrushes_World(&room);
        PM_Move(&player, &input, 1 + (int32_t)Rng_Below(&rng, 100), &vars, &world, &touch);
        if (placed && !frozen) {
            assert_true(VectorWithin(player.origin, 2.1f * MAX_WORLD_COORD));
            assert_true(VectorWithin(player.velocity, 2000.0f));
            assert_true(VectorWithin(player.angles, 1e6f));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_from_cmd),
        cmocka_unit_test(test_stands_still),
        cmocka_unit_test(test_fast_rise_is_airborne),
        cmocka_unit_test(test_top_speed),
        cmocka_unit_test(test_friction_stops),
        cmocka_unit_test(test_edge_friction),
        cmocka_unit_test(test_jump_height),
        cmocka_unit_test(test_jump_is_held),
        cmocka_unit_test(test_jumps_in_a_row),
        cmocka_unit_test(test_hard_landing),
        cmocka_unit_test(test_jump_off_a_slope),
        cmocka_unit_test(test_air_control),
        cmocka_unit_test(test_stairs),
        cmocka_unit_test(test_low_ceiling_stops_step),
        cmocka_unit_test(test_slope_limit),
        cmocka_unit_test(test_no_step_onto_steep_slope),
        cmocka_unit_test(test_slide_along_wall),
        cmocka_unit_test(test_dead_stop_in_corner),
        cmocka_unit_test(test_crease),
        cmocka_unit_test(test_spectator),
        cmocka_unit_test(test_dead_takes_no_input),
        cmocka_unit_test(test_frozen_changes_nothing),
        cmocka_unit_test(test_nudged_out_of_solid),
        cmocka_unit_test(test_touches),
        cmocka_unit_test(test_speed_is_bounded),
        cmocka_unit_test(test_hostile_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
