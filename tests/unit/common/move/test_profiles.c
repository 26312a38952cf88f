// Tests of ducking, ladders, conveyors, currents, and of the profiles: the numbers of well-known
// engines.

#include "move/profiles.h"

#include "lib/player_fixture.h"

#include <string.h>

#define LADDER_X 200.0f

// Surface and volumes around the player in a test.
static struct {
    pm_volume_t volume;
    pm_surface_t surface;
    float ladder_top; // the ladder at LADDER_X ends for feet at this height
} around;

static pm_volume_t volume_at(void *context, vec3_t absmin, vec3_t absmax) {
    (void)context;
    pm_volume_t volume = around.volume;
    volume.ladder =
        absmax.x > LADDER_X - 8.0f && absmin.x < LADDER_X && absmin.z < around.ladder_top;
    volume.ladder_normal = Vector(-1.0f, 0.0f, 0.0f);
    return volume;
}

static pm_surface_t surface_at(void *context, int32_t entnum, vec3_t at) {
    (void)context;
    (void)at;
    return entnum > 0 ? around.surface : (pm_surface_t){.friction = 0.0f};
}

static player_state_t stand(const char *profile) {
    player_state_t player = stand_on_floor();
    memset(&around, 0, sizeof around);
    assert_true(PM_Profile(profile, &vars));
    bounds_t box = PM_PlayerBox(&vars, false);
    player.mins = box.mins;
    player.maxs = box.maxs;
    player.origin.z = CM_DIST_EPSILON - box.mins.z;
    return player;
}

static void go(player_state_t *player, const pm_input_t *input, int32_t ms) {
    pm_world_t world = TestBrushes_World(&room);
    world.volume = volume_at;
    world.surface = surface_at;
    for (int32_t i = 0; i < ms; i += STEP_MS) {
        PM_Move(player, input, STEP_MS, &vars, &world, &touch);
    }
}

static float feet(const player_state_t *player) {
    return player->origin.z + player->mins.z;
}

// ---- profiles ----

static void test_the_default_is_quake(void **state) {
    (void)state;
    movevars_t quake;
    const movevars_t defaults = MoveVars_Default();
    assert_true(PM_Profile("quake", &quake));
    assert_memory_equal(&quake, &defaults, sizeof quake);
    assert_false(PM_Profile("quake9", &quake));
    for (int32_t i = 0; PM_ProfileName(i); i++) {
        assert_true(PM_Profile(PM_ProfileName(i), &quake));
    }
}

typedef struct {
    const char *profile;
    float run;  // qu/s
    float jump; // qu, highest point of the feet
} runner_t;

// A jump in Quake II is as high as in Quake. In Half-Life it is 45 to the unit, because gravity is
// applied in two halves.
static const runner_t runners[] = {
    {"quake", 320.0f, 44.5f},
    {"quake2", 300.0f, 44.5f},
    {"halflife", 320.0f, 45.0f},
};

static void test_running_and_jumping(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(runners); i++) {
        player_state_t player = stand(runners[i].profile);
        const pm_input_t run = {.forward = 400.0f};
        go(&player, &run, 1500);
        assert_near(player.velocity.x, runners[i].run, 0.5f);
        player = stand(runners[i].profile);
        pm_input_t jump = {.buttons = BUTTON_JUMP};
        float top = 0.0f;
        for (int32_t ms = 0; ms < 800; ms += STEP_MS) {
            go(&player, &jump, STEP_MS);
            top = feet(&player) > top ? feet(&player) : top;
        }
        assert_near(top, runners[i].jump, 1.1f);
    }
}

// Tests stopping: above stopspeed the speed falls by speed * friction per second, below it by
// stopspeed * friction.
static void test_stopping(void **state) {
    (void)state;
    static const struct {
        const char *profile;
        float friction;
        float distance; // (v - 100) / friction + 100 / (2 * friction), minus half a step
    } cases[] = {{"quake", 4.0f, 66.2f}, {"quake2", 6.0f, 40.5f}, {"halflife", 4.0f, 66.2f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = stand(cases[i].profile);
        const pm_input_t nothing = {0};
        player.velocity.x = vars.sv_maxspeed;
        float expected = 0.0f;
        for (float speed = vars.sv_maxspeed; speed >= 1.0f;) {
            speed -= (speed > 100.0f ? speed : 100.0f) * cases[i].friction * 0.008f;
            expected += speed > 0.0f ? speed * 0.008f : 0.0f;
        }
        assert_near(expected, cases[i].distance, 1.0f);
        go(&player, &nothing, 1000);
        assert_true(player.velocity.x == 0.0f);
        assert_near(player.origin.x, expected, 0.02f);
    }
}

static void test_creeping(void **state) {
    (void)state;
    static const struct {
        const char *profile;
        float speed;
    } cases[] = {{"quake", 320.0f}, {"quake2", 100.0f}, {"halflife", 320.0f * 0.333f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = stand(cases[i].profile);
        const pm_input_t creep = {.forward = 400.0f, .buttons = BUTTON_DUCK};
        go(&player, &creep, 1800);
        assert_near(player.velocity.x, cases[i].speed, 0.5f);
    }
}

// Tests swimming deep in water: friction and acceleration are in balance at these speeds. A player
// without input sinks.
static void test_swimming(void **state) {
    (void)state;
    static const struct {
        const char *profile;
        float swim, sink;
    } cases[] = {
        // Acceleration adds 10 times the wished speed per second, up to the wished speed; then
        // friction takes its part of a step (12, 3 or 4 per second).
        {"quake", 224.0f * 10.0f / 12.0f, 60.0f * 0.7f * 10.0f / 12.0f},
        {"quake2", 150.0f, 30.0f},
        {"halflife", 256.0f, 48.0f},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = stand(cases[i].profile);
        TestBrushes_Box(&room, Vector(-2048, -2048, 0), Vector(2048, 2048, 1800), CONTENTS_WATER);
        player.origin = Vector(-1000.0f, 0.0f, 1000.0f);
        const pm_input_t ahead = {.forward = 400.0f};
        go(&player, &ahead, 2000);
        assert_int_equal(player.waterlevel, 3);
        assert_near(player.velocity.x, cases[i].swim, 3.0f);
        const pm_input_t nothing = {0};
        player.velocity = Vector(0.0f, 0.0f, 0.0f);
        go(&player, &nothing, 2000);
        assert_near(player.velocity.z, -cases[i].sink, 1.0f);
    }
}

// Tests jumping out of the water onto a bank 6 above it, with the two speeds of the profile.
static void test_jumping_out_of_water(void **state) {
    (void)state;
    static const struct {
        const char *profile;
        float up;
    } cases[] = {{"quake", 310.0f}, {"quake2", 350.0f}, {"halflife", 225.0f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = stand(cases[i].profile);
        TestBrushes_Box(&room, Vector(100, -512, 0), Vector(600, 512, 106), CONTENTS_SOLID);
        TestBrushes_Box(&room, Vector(-2048, -2048, 0), Vector(100, 2048, 100), CONTENTS_WATER);
        player.origin = Vector(83.0f, 0.0f, 100.1f); // the middle is not quite out of the water
        player.origin.z = 96.0f - (player.mins.z + player.maxs.z) * 0.5f;
        const pm_input_t ahead = {.forward = 400.0f};
        float most = 0.0f;
        for (int32_t ms = 0; ms < 1200; ms += STEP_MS) {
            go(&player, &ahead, STEP_MS);
            most = player.velocity.z > most ? player.velocity.z : most;
        }
        assert_near(most, cases[i].up, 7.0f); // minus the gravity of a step
        assert_true(player.origin.x > 110.0f);
        assert_near(feet(&player), 106.0f, 1.0f);
    }
}

static float speed_after_air(const char *profile) {
    player_state_t player = stand(profile);
    player.origin.z += 500.0f;
    const pm_input_t run = {.forward = 400.0f};
    go(&player, &run, 400);
    return player.velocity.x;
}

static void test_air_control(void **state) {
    (void)state;
    assert_near(speed_after_air("quake"), 30.0f, 0.1f);    // the limit
    assert_near(speed_after_air("halflife"), 30.0f, 0.1f); // the limit
    assert_near(speed_after_air("quake2"), 120.0f, 5.0f);  // 300 per second, for 0.4 s
}

static void test_the_bunny_cap(void **state) {
    (void)state;
    player_state_t player = stand("halflife");
    player.velocity.x = 800.0f;
    const pm_input_t jump = {.forward = 400.0f, .buttons = BUTTON_JUMP};
    go(&player, &jump, STEP_MS);
    assert_near(player.velocity.x, 1.7f * 320.0f * 0.65f, 5.0f);
    player = stand("quake");
    player.velocity.x = 800.0f;
    go(&player, &jump, STEP_MS);
    assert_true(player.velocity.x > 760.0f);
}

// ---- ducking ----

static void test_duck_at_once(void **state) {
    (void)state;
    player_state_t player = stand("quake2");
    const pm_input_t creep = {.forward = 400.0f, .buttons = BUTTON_DUCK};
    go(&player, &creep, STEP_MS);
    assert_true(player.flags & PMF_DUCKED);
    assert_true(player.maxs.z == 4.0f);
    assert_true(player.mins.z == -24.0f);
    assert_true(PM_ViewHeight(&player, &vars) == -2.0f);
    go(&player, &creep, 1000);
    assert_near(player.velocity.x, 100.0f, 1.0f);
    const pm_input_t nothing = {0};
    go(&player, &nothing, STEP_MS);
    assert_false(player.flags & PMF_DUCKED);
    assert_true(player.maxs.z == 32.0f);
}

static void test_duck_within_400_ms(void **state) {
    (void)state;
    player_state_t player = stand("halflife");
    const pm_input_t duck = {.buttons = BUTTON_DUCK};
    go(&player, &duck, 200);
    assert_true(player.flags & PMF_DUCKING);
    assert_false(player.flags & PMF_DUCKED);
    // Halfway from 28 to 12, minus the 18 by which the origin is about to go down.
    assert_near(PM_ViewHeight(&player, &vars), 11.0f, 0.5f);
    go(&player, &duck, 208);
    assert_true(player.flags & PMF_DUCKED);
    assert_near(feet(&player), 0.0f, 0.1f); // the feet have not moved
    assert_near(player.origin.z, 18.0f, 0.1f);
    const pm_input_t nothing = {0};
    go(&player, &nothing, 16);
    assert_near(player.origin.z, 36.0f, 0.1f);
    assert_near(feet(&player), 0.0f, 0.1f);
}

static void test_nobody_stands_up_into_something(void **state) {
    (void)state;
    static const char *const names[] = {"quake2", "halflife"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        player_state_t player = stand(names[i]);
        TestBrushes_Box(&room, Vector(100, -512, 40), Vector(400, 512, 200), CONTENTS_SOLID);
        const pm_input_t duck = {.buttons = BUTTON_DUCK};
        go(&player, &duck, 600);
        const pm_input_t creep = {.forward = 400.0f, .buttons = BUTTON_DUCK};
        go(&player, &creep, 2000);
        assert_true(player.origin.x > 130.0f); // under the ceiling
        const pm_input_t rest = {0};
        go(&player, &rest, 500);
        assert_true(player.flags & PMF_DUCKED); // cannot stand up
        const pm_input_t back = {.forward = -400.0f};
        go(&player, &back, 3000);
        assert_true(player.origin.x < 84.0f);
        assert_false(player.flags & PMF_DUCKED);
    }
}

// Tests ducking during a jump: it draws the feet up, over a box that a plain jump does not clear.
static void test_duck_jump(void **state) {
    (void)state;
    for (int32_t ducked = 0; ducked < 2; ducked++) {
        player_state_t player = stand("halflife");
        TestBrushes_Box(&room, Vector(80, -512, 0), Vector(600, 512, 56), CONTENTS_SOLID);
        const pm_input_t run = {.forward = 400.0f};
        go(&player, &run, 160);
        pm_input_t jump = {.forward = 400.0f, .buttons = BUTTON_JUMP};
        go(&player, &jump, STEP_MS);
        jump.buttons = ducked ? BUTTON_DUCK : 0;
        go(&player, &jump, 1200);
        assert_int_equal(player.origin.x > 100.0f, ducked);
    }
}

// Tests a Half-Life player on a Quake map: it has the box of Quake's player, whose middle stays in
// the air when the player ducks.
static void test_duck_jump_in_quakes_body(void **state) {
    (void)state;
    player_state_t player = stand("halflife");
    PM_FitBody(&vars, false);
    assert_true(vars.sv_standmins == -24.0f);
    assert_true(vars.sv_duckmaxs == 4.0f);
    player.mins.z = -24.0f;
    player.maxs.z = 32.0f;
    player.origin.z = 400.0f;
    const pm_input_t duck = {.buttons = BUTTON_DUCK};
    const pm_input_t nothing = {0};
    player_state_t falling = player;
    go(&player, &duck, STEP_MS);
    go(&falling, &nothing, STEP_MS);
    assert_near(feet(&player) - feet(&falling), 14.0f, 1e-3f); // half of 56 - 28
    go(&player, &nothing, STEP_MS);
    go(&falling, &nothing, STEP_MS);
    assert_near(player.origin.z, falling.origin.z, 1e-3f);
    assert_false(player.flags & PMF_DUCKED);
    // A box that was set by cvars stays, whatever the map.
    vars.sv_standmaxs = 40.0f;
    PM_FitBody(&vars, true);
    assert_true(vars.sv_standmins == -24.0f);
    assert_true(vars.sv_standmaxs == 40.0f);
    vars.sv_standmaxs = 32.0f;
    PM_FitBody(&vars, true);
    assert_true(vars.sv_standmins == -36.0f);
    assert_true(vars.sv_duckmaxs == 18.0f);
}

static void test_eyes_go_down_without_a_jolt(void **state) {
    (void)state;
    static const bool bodies[] = {false, true};
    for (size_t i = 0; i < COUNTOF(bodies); i++) {
        player_state_t player = stand("halflife");
        PM_FitBody(&vars, bodies[i]);
        bounds_t box = PM_PlayerBox(&vars, false);
        player.mins = box.mins;
        player.maxs = box.maxs;
        player.origin.z = CM_DIST_EPSILON - box.mins.z;
        const pm_input_t duck = {.buttons = BUTTON_DUCK};
        float eyes = player.origin.z + PM_ViewHeight(&player, &vars);
        for (int32_t ms = 0; ms < 500; ms += STEP_MS) {
            go(&player, &duck, STEP_MS);
            float now = player.origin.z + PM_ViewHeight(&player, &vars);
            assert_true(now <= eyes + 1e-3f);
            assert_true(now > eyes - 1.0f);
            eyes = now;
        }
        assert_true(player.flags & PMF_DUCKED);
    }
}

// ---- ladders ----

static void test_ladders(void **state) {
    (void)state;
    static const char *const names[] = {"quake", "quake2", "halflife"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        player_state_t player = stand(names[i]);
        TestBrushes_Box(&room, Vector(LADDER_X, -512, 0), Vector(2000, 512, 300), CONTENTS_SOLID);
        around.ladder_top = 300.0f;
        pm_input_t up = {.forward = 400.0f, .angles = {-30.0f, 0.0f, 0.0f}};
        go(&player, &up, 1200);
        assert_true(player.flags & PMF_ONLADDER);
        float from = player.origin.z;
        go(&player, &up, 400);
        float climbed = player.origin.z - from;
        assert_true(climbed > 60.0f);
        assert_true(climbed < 110.0f);
        const pm_input_t rest = {.angles = {-30.0f, 0.0f, 0.0f}};
        float held = player.origin.z;
        go(&player, &rest, 500);
        assert_near(player.origin.z, held, 0.1f); // does not slide down
        go(&player, &up, 2500);
        assert_true(player.origin.x > LADDER_X + 10.0f); // over the top
        assert_near(feet(&player), 300.0f, 1.0f);
    }
}

static void test_jumping_off_a_ladder(void **state) {
    (void)state;
    player_state_t player = stand("halflife");
    TestBrushes_Box(&room, Vector(LADDER_X, -512, 0), Vector(2000, 512, 300), CONTENTS_SOLID);
    around.ladder_top = 300.0f;
    pm_input_t up = {.forward = 400.0f, .angles = {-45.0f, 0.0f, 0.0f}};
    go(&player, &up, 1500);
    const pm_input_t jump = {.buttons = BUTTON_JUMP};
    go(&player, &jump, STEP_MS);
    assert_near(player.velocity.x, -270.0f, 0.1f);
    assert_false(player.flags & PMF_ONLADDER);
    // A short press is enough: the ladder does not catch the player again.
    const pm_input_t nothing = {0};
    go(&player, &nothing, 200);
    assert_false(player.flags & PMF_ONLADDER);
    assert_near(player.velocity.x, -270.0f, 0.1f);
}

static void test_climbing_speeds(void **state) {
    (void)state;
    static const struct {
        const char *profile;
        float pitch;
        uint32_t buttons;
        float up;
    } cases[] = {
        {"halflife", 0.0f, 0, 200.0f},   {"halflife", 0.0f, BUTTON_DUCK, 200.0f * 0.333f},
        {"halflife", 90.0f, 0, -200.0f}, {"quake2", -15.5f, 0, 200.0f},
        {"quake2", 15.5f, 0, -200.0f},   {"quake2", 0.0f, 0, 0.0f},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        player_state_t player = stand(cases[i].profile);
        around.ladder_top = 1000.0f;
        player.origin = Vector(LADDER_X - 20.0f, 0.0f, 500.0f);
        const pm_input_t climb = {
            .forward = 400.0f, .angles = {cases[i].pitch, 0.0f, 0.0f}, .buttons = cases[i].buttons};
        go(&player, &climb, STEP_MS);
        assert_true(player.flags & PMF_ONLADDER);
        assert_near(player.velocity.z, cases[i].up, 0.01f);
    }
}

// ---- conveyors and currents ----

static player_state_t stand_on(int32_t entnum) {
    player_state_t player = stand("quake");
    room.brushes[0].entnum = entnum;
    return player;
}

static void test_a_conveyor_carries(void **state) {
    (void)state;
    player_state_t player = stand_on(3);
    around.surface.velocity = Vector(0.0f, 100.0f, 0.0f);
    const pm_input_t nothing = {0};
    go(&player, &nothing, 1000);
    assert_near(player.origin.y, 100.0f, 1.0f);
    // The belt's speed is not the player's own velocity.
    assert_near(player.velocity.y, 0.0f, 1e-3f);
    const pm_input_t jump = {.buttons = BUTTON_JUMP};
    go(&player, &jump, STEP_MS);
    assert_near(player.velocity.y, 100.0f, 0.1f); // after the jump it is
}

static void test_hops_on_a_conveyor_do_not_add_up(void **state) {
    (void)state;
    player_state_t player = stand_on(3);
    around.surface.velocity = Vector(0.0f, 100.0f, 0.0f);
    int32_t hops = 0;
    for (int32_t i = 0; i < 600; i++) {
        const pm_input_t hop = {.buttons = i % 2 ? BUTTON_JUMP : 0};
        bool stood = on_ground(&player);
        go(&player, &hop, STEP_MS);
        hops += stood && !on_ground(&player);
        assert_true(fabsf(player.velocity.y) < 101.0f);
    }
    assert_true(hops >= 5);
}

static void test_a_pusher_gives_its_speed_once(void **state) {
    (void)state;
    player_state_t player = stand_on(3);
    const pm_input_t nothing = {0};
    go(&player, &nothing, 104); // at rest first
    around.surface.moving_at = Vector(120.0f, 0.0f, 80.0f);
    go(&player, &nothing, 504);
    assert_near(player.origin.x, 0.0f, 1e-3f); // the pusher itself carries the player
    assert_near(player.velocity.x, 0.0f, 1e-3f);
    const pm_input_t jump = {.buttons = BUTTON_JUMP};
    go(&player, &jump, STEP_MS);
    assert_near(player.velocity.x, 120.0f, 0.1f);
    assert_near(player.velocity.z, 270.0f + 80.0f - 6.4f, 0.1f);
    // The player lands on the pusher, and keeps its speed relative to it.
    go(&player, &nothing, 1200);
    assert_true(on_ground(&player));
    assert_near(player.velocity.x, 0.0f, 0.1f);
    vars.sv_pushermomentum = 0;
    go(&player, &jump, STEP_MS);
    assert_near(player.velocity.x, 0.0f, 0.1f);
}

// Tests that the cvar concerns only the pusher's speed: a belt that is carried by it gives its own
// speed in any case.
static void test_a_belt_on_a_pusher(void **state) {
    (void)state;
    for (int32_t keeps = 0; keeps < 2; keeps++) {
        player_state_t player = stand_on(3);
        vars.sv_pushermomentum = keeps;
        around.surface.velocity = Vector(0.0f, 100.0f, 0.0f);
        around.surface.moving_at = Vector(120.0f, 0.0f, 0.0f);
        const pm_input_t nothing = {0};
        go(&player, &nothing, 504);
        float x = player.velocity.x; // it had come from ground at rest
        const pm_input_t jump = {.buttons = BUTTON_JUMP};
        go(&player, &jump, STEP_MS);
        assert_near(player.velocity.x - x, keeps ? 120.0f : 0.0f, 0.1f);
        assert_near(player.velocity.y, 100.0f, 0.1f);
    }
}

static void test_slippery_ground(void **state) {
    (void)state;
    player_state_t player = stand_on(3);
    player.velocity.x = 300.0f;
    around.surface.friction = 0.1f;
    const pm_input_t nothing = {0};
    go(&player, &nothing, 400);
    assert_near(player.velocity.x, 300.0f * 0.852f, 8.0f); // e ^ -0.16
}

static void test_currents(void **state) {
    (void)state;
    player_state_t player = stand("quake");
    TestBrushes_Box(&room, Vector(-2000, -2000, 0), Vector(2000, 2000, 400), CONTENTS_CURRENT_90);
    player.origin.z = 200.0f;
    const pm_input_t nothing = {0};
    go(&player, &nothing, 800);
    assert_near(player.origin.y, 0.8f * 150.0f, 4.0f); // 50 for each of three levels
    assert_near(player.velocity.y, 0.0f, 0.5f);
}

static void test_gravity_of_a_player(void **state) {
    (void)state;
    player_state_t player = stand("quake");
    player.origin.z = 1000.0f;
    player.gravity = 0.25f;
    const pm_input_t nothing = {0};
    go(&player, &nothing, 400);
    assert_near(player.velocity.z, -0.25f * 800.0f * 0.4f, 0.5f);
}

/// Article 000, profile quake2: a player in solid, with no free position nearby, loses only its
/// vertical velocity.
static void test_the_slide_of_article_000(void **state) {
    (void)state;
    for (int32_t mode = 0; mode < 2; mode++) {
        player_state_t player = stand(mode == 0 ? "quake" : "quake2");
        assert_int_equal(vars.sv_slidemode, mode);
        vars.sv_gravity = 0.0f;
        const pm_input_t nothing = {0};
        TestBrushes_Box(&room, Vector(-200, -200, 0), Vector(200, 200, 400), CONTENTS_SOLID);
        player.origin = Vector(0.0f, 0.0f, 200.0f);
        player.velocity = Vector(100.0f, 20.0f, 300.0f);
        go(&player, &nothing, STEP_MS);
        assert_true(player.velocity.z == 0.0f);
        assert_true(player.velocity.x == (mode == 0 ? 0.0f : 100.0f));
        assert_true(player.velocity.y == (mode == 0 ? 0.0f : 20.0f));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_default_is_quake),
        cmocka_unit_test(test_running_and_jumping),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_creeping),
        cmocka_unit_test(test_swimming),
        cmocka_unit_test(test_jumping_out_of_water),
        cmocka_unit_test(test_air_control),
        cmocka_unit_test(test_the_bunny_cap),
        cmocka_unit_test(test_duck_at_once),
        cmocka_unit_test(test_duck_within_400_ms),
        cmocka_unit_test(test_nobody_stands_up_into_something),
        cmocka_unit_test(test_duck_jump),
        cmocka_unit_test(test_duck_jump_in_quakes_body),
        cmocka_unit_test(test_eyes_go_down_without_a_jolt),
        cmocka_unit_test(test_climbing_speeds),
        cmocka_unit_test(test_hops_on_a_conveyor_do_not_add_up),
        cmocka_unit_test(test_ladders),
        cmocka_unit_test(test_jumping_off_a_ladder),
        cmocka_unit_test(test_a_conveyor_carries),
        cmocka_unit_test(test_a_pusher_gives_its_speed_once),
        cmocka_unit_test(test_a_belt_on_a_pusher),
        cmocka_unit_test(test_slippery_ground),
        cmocka_unit_test(test_currents),
        cmocka_unit_test(test_gravity_of_a_player),
        cmocka_unit_test(test_the_slide_of_article_000),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
