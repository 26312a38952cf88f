// Ladders of the world model: players climb them like ladder edicts, by brushes or by hull 0, with
// every profile that has ladders.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/pmove.h"
#include "move/profiles.h"
#include "world/volume.h"

enum { STEP_MS = 8 };

static test_sim_t sim;

static trace_t trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    return SV_Move(context, start, mins, maxs, end, MOVE_NORMAL, NULL);
}

static contents_t contents(void *context, vec3_t point) {
    return SV_PointContents(context, point);
}

static pm_volume_t volume(void *context, vec3_t absmin, vec3_t absmax) {
    return SV_VolumesOf(context, (bounds_t){absmin, absmax});
}

static void go(player_state_t *player, const movevars_t *vars, const pm_input_t *input,
               int32_t ms) {
    const pm_world_t world = {
        .context = &sim.sv, .trace = trace, .point_contents = contents, .volume = volume};
    pm_touch_t touch;
    for (int32_t i = 0; i < ms; i += STEP_MS) {
        PM_Move(player, input, STEP_MS, vars, &world, &touch);
    }
}

static bool ladder_at(vec3_t at, float size, vec3_t *normal) {
    const vec3_t half = {size, size, size};
    pm_volume_t found =
        SV_VolumesOf(&sim.sv, (bounds_t){VectorSubtract(at, half), VectorAdd(at, half)});
    *normal = found.ladder_normal;
    return found.ladder;
}

static player_state_t player_at(const movevars_t *vars, vec3_t feet) {
    bounds_t box = PM_PlayerBox(vars, false);
    return (player_state_t){.origin = Vector(feet.x, feet.y, feet.z - box.mins.z + 0.1f),
                            .mins = box.mins,
                            .maxs = box.maxs,
                            .movetype = MOVETYPE_WALK,
                            .groundentity = -1,
                            .carrier = -1,
                            .watertype = CONTENTS_EMPTY};
}

/// Walks on the spot into the ladder, with any view direction.
static void climb(const char *profile, bool halflife_hulls, float yaw, float dx, float dy) {
    movevars_t vars;
    assert_true(PM_Profile(profile, &vars));
    PM_FitBody(&vars, halflife_hulls);
    player_state_t player = player_at(&vars, Vector(300.0f - 60.0f * dx, -60.0f * dy, 0.0f));
    const pm_input_t input = {.angles = {-30.0f, yaw, 0.0f}, .forward = 400.0f};
    float from = player.origin.z;
    go(&player, &vars, &input, 900);
    assert_true(player.flags & PMF_ONLADDER);
    assert_true(player.origin.z > from + 100.0f);
    // A jump leaves the ladder, away from the player's side.
    player.flags &= ~PMF_JUMP_HELD;
    const pm_input_t jump = {.angles = {0.0f, yaw, 0.0f}, .buttons = BUTTON_JUMP};
    go(&player, &vars, &jump, STEP_MS);
    assert_false(player.flags & PMF_ONLADDER);
    assert_true(player.velocity.x * dx + player.velocity.y * dy < -200.0f);
}

/// Builds a board of 4 qu before each side of a pillar, 64 wide and 256 high.
static void test_map_of(bool brush_list, const char *format) {
    const test_block_t blocks[] = {
        TestMap_Box(Vector(284.0f, -16.0f, 0.0f), Vector(316.0f, 16.0f, 400.0f)),
        {.box = {{280.0f, -16.0f, 0.0f}, {320.0f, 16.0f, 256.0f}}, .contents = CONTENTS_LADDER},
        {.box = {{284.0f, -20.0f, 0.0f}, {316.0f, 20.0f, 256.0f}}, .contents = CONTENTS_LADDER},
    };
    const test_map_t map = {.room = {{-500.0f, -500.0f, 0.0f}, {500.0f, 500.0f, 512.0f}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .format = format,
                            .brush_list = brush_list};
    static const char *const profiles[] = {"quake", "quake2", "halflife"};
    TestSim_Init(&sim, &map, 8);
    assert_true(sim.map.has_ladders);
    bool halflife = sim.map.hullset == HULLSET_HALFLIFE;
    for (size_t i = 0; i < COUNTOF(profiles); i++) {
        climb(profiles[i], halflife, 0.0f, 1.0f, 0.0f);
        climb(profiles[i], halflife, 90.0f, 0.0f, 1.0f);
        climb(profiles[i], halflife, 180.0f, -1.0f, 0.0f);
        climb(profiles[i], halflife, 270.0f, 0.0f, -1.0f);
    }
    // Positions at the sides, and positions without a ladder: in front of it, above it.
    vec3_t normal;
    assert_true(ladder_at(Vector(270.0f, 0.0f, 100.0f), 12.0f, &normal));
    assert_true(normal.x == -1.0f);
    assert_true(normal.y == 0.0f);
    assert_true(normal.z == 0.0f);
    assert_true(ladder_at(Vector(300.0f, 30.0f, 100.0f), 12.0f, &normal));
    assert_true(normal.y == 1.0f);
    assert_true(normal.x == 0.0f);
    assert_false(ladder_at(Vector(266.0f, 0.0f, 100.0f), 12.0f, &normal));
    assert_false(ladder_at(Vector(270.0f, 0.0f, 272.0f), 12.0f, &normal));
    // With a profile without ladders the player stays at the bottom.
    movevars_t vars;
    assert_true(PM_Profile("quake", &vars));
    PM_FitBody(&vars, halflife);
    vars.sv_laddermode = 0;
    player_state_t player = player_at(&vars, Vector(240.0f, 0.0f, 0.0f));
    const pm_input_t input = {.forward = 400.0f};
    go(&player, &vars, &input, 800);
    assert_true(player.flags & PMF_ONGROUND);
    assert_true(!(player.flags & PMF_ONLADDER));
    TestSim_Free(&sim);
}

static void test_by_brushes(void **state) {
    (void)state;
    test_map_of(true, "BSP29");
    test_map_of(true, "BSP30");
}

static void test_by_hull(void **state) {
    (void)state;
    test_map_of(false, "BSP30");
    test_map_of(false, "BSP29");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_brushes),
        cmocka_unit_test(test_by_hull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
