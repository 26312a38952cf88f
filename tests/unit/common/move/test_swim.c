// Tests of PM_Move in water: one test for each rule of the `quake` profile.

#include "lib/player_fixture.h"

static player_state_t float_in(contents_t contents, float depth) {
    player_state_t player = stand_on_floor();
    TestBrushes_Box(&room, Vector(-512, -512, 0), Vector(512, 512, 256), contents);
    player.origin.z = 256.0f - depth;
    return player;
}

static void test_water_levels(void **state) {
    (void)state;
    static const struct {
        float depth; // qu, depth of the origin below the surface
        int32_t level;
    } cases[] = {{-24.0f, 0}, {-22.0f, 1}, {3.0f, 1}, {5.0f, 2}, {21.0f, 2}, {23.0f, 3}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = float_in(CONTENTS_SLIME, cases[i].depth);
        player.pm_type = PM_NORMAL;
        vars.sv_gravity = 0.0f;
        pm_input_t input = {.up = 1e-6f};
        pm_world_t world = TestBrushes_World(&room);
        PM_Move(&player, &input, 1, &vars, &world, &touch);
        assert_int_equal(player.waterlevel, cases[i].level);
        assert_int_equal(player.watertype, cases[i].level ? CONTENTS_SLIME : CONTENTS_EMPTY);
    }
}

static void test_swimming(void **state) {
    (void)state;
    player_state_t player = float_in(CONTENTS_WATER, 100.0f);
    walk(&player, 0.0f, 2000); // without input: sinks at 60 * 0.7 minus friction
    assert_true(player.velocity.z < -10.0f);
    assert_true(player.velocity.z > -42.0f);
    player = float_in(CONTENTS_WATER, 100.0f);
    walk(&player, 400.0f, 1000);
    assert_true(player.velocity.x > 100.0f);
    assert_true(player.velocity.x < 0.7f * 320.0f);
    assert_near(player.velocity.z, 0.0f, 1e-3f);
    player = float_in(CONTENTS_WATER, 100.0f);
    player.angles.x = -90.0f;
    walk(&player, 400.0f, 200);
    assert_true(player.velocity.z > 50.0f);
    // One step of water friction at level 3, with an input too small to matter.
    player = float_in(CONTENTS_WATER, 100.0f);
    player.velocity.x = 300.0f;
    step(&player, 1e-6f, 0);
    assert_near(player.velocity.x, 300.0f * (1.0f - 4.0f * 3.0f * 0.008f), 0.01f);
}

static void test_wading(void **state) {
    (void)state;
    // Steps are climbed on the bottom of the water, but not by a player that swims above it.
    player_state_t player = float_in(CONTENTS_WATER, 256.0f - FLOOR_Z);
    TestBrushes_Box(&room, Vector(64, -512, 0), Vector(512, 512, 16), CONTENTS_SOLID);
    walk(&player, 400.0f, 600);
    assert_near(player.origin.z, FLOOR_Z + 16.0f, 1.0f);
    player = float_in(CONTENTS_WATER, 256.0f - FLOOR_Z - 4.0f);
    TestBrushes_Box(&room, Vector(64, -512, 0), Vector(512, 512, 16), CONTENTS_SOLID);
    walk(&player, 400.0f, 600);
    assert_near(player.origin.z, FLOOR_Z + 4.0f, 0.1f);
    assert_near(player.origin.x, 48.0f, 0.1f);
}

static void test_step_never_ends_lower(void **state) {
    (void)state;
    // The player goes down one slope and into the next. A step would end below the start, so it
    // slides.
    player_state_t player = stand_on_floor();
    room.num_brushes = 0;
    test_brush_t *down =
        TestBrushes_Box(&room, Vector(-512, -512, -64), Vector(64, 512, 512), CONTENTS_SOLID);
    TestBrushes_Cut(down, Vector(0.375f, 0.0f, 1.0f), Vector(0.0f, 0.0f, 0.0f));
    TestBrushes_Ramp(&room, Vector(-100, -512, -12.5f), Vector(412, 512, 51.5f));
    TestBrushes_Box(&room, Vector(-512, -512, -64), Vector(512, 512, 500), CONTENTS_WATER);
    vars.sv_waterfriction = 0.0f;
    vec3_t along = VectorNormalize(Vector(1.0f, 0.0f, -0.375f), NULL);
    player.origin = Vector(-60.0f, 0.0f, (60.0f + 16.0f) * 0.375f + 24.1f);
    player.velocity = VectorScale(along, 160.0f);
    vec3_t before = player.velocity;
    for (int32_t i = 0; i < 100 && player.velocity.z < 0.0f; i++) {
        pm_input_t input = {.up = 1e-6f};
        pm_world_t world = TestBrushes_World(&room);
        PM_Move(&player, &input, STEP_MS, &vars, &world, &touch);
    }
    vec3_t normal = VectorNormalize(Vector(-0.125f, 0.0f, 1.0f), NULL);
    vec3_t clipped = VectorMA(before, -DotProduct(before, normal), normal);
    assert_near(player.velocity.x, clipped.x, 0.1f);
    assert_near(player.velocity.z, clipped.z, 0.1f);
}

static void test_swim_up(void **state) {
    (void)state;
    static const struct {
        contents_t contents;
        float speed;
    } cases[] = {{CONTENTS_WATER, 100.0f}, {CONTENTS_SLIME, 80.0f}, {CONTENTS_LAVA, 50.0f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = float_in(cases[i].contents, 100.0f);
        pm_input_t input = {.up = 1e-6f, .buttons = BUTTON_JUMP};
        pm_world_t world = TestBrushes_World(&room);
        PM_Move(&player, &input, STEP_MS, &vars, &world, &touch);
        assert_near(player.velocity.z, cases[i].speed * (1.0f - 4.0f * 3.0f * 0.008f), 0.01f);
        assert_false(player.flags & PMF_JUMP_HELD);
    }
}

static void test_water_jump(void **state) {
    (void)state;
    player_state_t player = float_in(CONTENTS_WATER, 6.0f);
    // Ahead is a bank 20 above the water: solid at 8 above the origin, open at 32 above it.
    TestBrushes_Box(&room, Vector(16.5f, -512, 0), Vector(512, 512, 256 + 20), CONTENTS_SOLID);
    step(&player, 400.0f, 0);
    assert_true(player.waterjump_ms > 0);
    assert_near(player.velocity.z, 310.0f, 1e-3f); // in the water gravity does not count
    assert_near(player.velocity.x, 50.0f, 1e-3f);
    int32_t left = player.waterjump_ms;
    step(&player, -400.0f, BUTTON_JUMP);
    assert_int_equal(player.waterjump_ms, left - STEP_MS);
    assert_near(player.velocity.x, 50.0f, 1e-3f); // the input has no effect
    int32_t steps = 0;
    while (!on_ground(&player)) {
        step(&player, 400.0f, 0);
        assert_in_range(++steps, 1, 200);
    }
    assert_near(player.origin.z, 256.0f + 20.0f + FLOOR_Z, 0.1f);
    assert_int_equal(player.waterjump_ms, 0);
    // A player that falls into the water does not jump out.
    player = float_in(CONTENTS_WATER, 6.0f);
    TestBrushes_Box(&room, Vector(16.5f, -512, 0), Vector(512, 512, 256 + 20), CONTENTS_SOLID);
    player.velocity.z = -181.0f;
    step(&player, 400.0f, 0);
    assert_int_equal(player.waterjump_ms, 0);
    // A player cannot jump out over a wall that is too high.
    player = float_in(CONTENTS_WATER, 6.0f);
    TestBrushes_Box(&room, Vector(16.5f, -512, 0), Vector(512, 512, 512), CONTENTS_SOLID);
    step(&player, 400.0f, 0);
    assert_int_equal(player.waterjump_ms, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_water_levels), cmocka_unit_test(test_swimming),
        cmocka_unit_test(test_wading),       cmocka_unit_test(test_step_never_ends_lower),
        cmocka_unit_test(test_swim_up),      cmocka_unit_test(test_water_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
