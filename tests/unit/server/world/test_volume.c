// Data that pmove receives besides solids: turned ladders, streams, conveyors and lifts.

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "math/angles.h"
#include "move/pmove.h"
#include "move/profiles.h"
#include "world/link.h"
#include "world/volume.h"

enum { LADDER = 1, STREAM, BELT, LIFT, WOOD, STEP_MS = 8 };

static const test_block_t blocks[] = {
    {.box = {{-4, -32, 0}, {4, 32, 256}}, .contents = CONTENTS_WATER, .model = LADDER},
    {.box = {{-128, -16, 0}, {128, 16, 64}}, .contents = CONTENTS_WATER, .model = STREAM},
    {.box = {{-200, -200, -8}, {200, 200, 0}}, .contents = CONTENTS_SOLID, .model = BELT},
    {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = LIFT},
    {.box = {{-4, -32, 0}, {4, 32, 256}}, .contents = CONTENTS_SOLID, .model = WOOD},
};

static const test_map_t hall = {.room = {{-1024, -1024, 0}, {1024, 1024, 3000}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

static test_sim_t sim;

static int setup(void **state) {
    (void)state;
    TestSim_Init(&sim, &hall, 64);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    TestSim_Free(&sim);
    return 0;
}

static edict_t *add(int32_t model, solid_t solid, vec3_t origin, float yaw) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_PUSH, solid, origin, 0.0f);
    edict->model = model;
    edict->mins = sim.map.models[model].bounds.mins;
    edict->maxs = sim.map.models[model].bounds.maxs;
    edict->angles.y = yaw;
    edict->contents = model == LADDER || model == WOOD ? CONTENTS_LADDER
                      : model == STREAM                ? CONTENTS_WATER
                                                       : 0;
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

// ---- the world as a player sees it ----

static trace_t trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    return SV_Move(context, start, mins, maxs, end, MOVE_NORMAL, NULL);
}

static contents_t contents(void *context, vec3_t point) {
    return SV_PointContents(context, point);
}

static pm_volume_t volume(void *context, vec3_t absmin, vec3_t absmax) {
    return SV_VolumesOf(context, (bounds_t){absmin, absmax});
}

static pm_surface_t surface(void *context, int32_t entnum, vec3_t at) {
    return SV_SurfaceOf(context, entnum, at);
}

static player_state_t player_at(vec3_t origin) {
    return (player_state_t){.origin = origin,
                            .mins = PM_PLAYER_MINS,
                            .maxs = PM_PLAYER_MAXS,
                            .movetype = MOVETYPE_WALK,
                            .groundentity = -1,
                            .carrier = -1,
                            .watertype = CONTENTS_EMPTY};
}

static void go(player_state_t *player, const pm_input_t *input, int32_t ms) {
    const movevars_t vars = MoveVars_Default();
    const pm_world_t world = {.context = &sim.sv,
                              .trace = trace,
                              .point_contents = contents,
                              .volume = volume,
                              .surface = surface};
    pm_touch_t touch;
    for (int32_t i = 0; i < ms; i += STEP_MS) {
        PM_Move(player, input, STEP_MS, &vars, &world, &touch);
    }
}

// ---- ladders ----

/// A ladder at any yaw can be climbed where it is, from either side. The corners of the box around
/// it are not part of the ladder.
static void climb_ladders(int32_t model) {
    static const float yaws[] = {0.0f, 37.0f, 45.0f, 90.0f, 200.0f, 311.0f};
    const vec3_t small = {1.0f, 1.0f, 1.0f};
    for (size_t i = 0; i < COUNTOF(yaws); i++) {
        edict_t *ladder = add(model, SOLID_TRIGGER, Vector(100.0f, 200.0f, 0.0f), yaws[i]);
        vec3_t ahead;
        AngleVectors(Vector(0.0f, yaws[i], 0.0f), &ahead, NULL, NULL);
        for (int32_t side = -1; side <= 1; side += 2) {
            vec3_t way = VectorScale(ahead, (float)side);
            vec3_t start = VectorMA(Vector(100.0f, 200.0f, 24.1f), -60.0f, way);
            player_state_t player = player_at(start);
            bounds_t box = {VectorAdd(start, player.mins), VectorAdd(start, player.maxs)};
            assert_false(SV_VolumesOf(&sim.sv, box).ladder);
            const vec3_t near = VectorMA(Vector(100.0f, 200.0f, 100.0f), -4.5f, way);
            pm_volume_t found = SV_VolumesOf(
                &sim.sv, (bounds_t){VectorSubtract(near, small), VectorAdd(near, small)});
            assert_true(found.ladder);
            assert_true(DotProduct(found.ladder_normal, way) < -0.999f);
            const pm_input_t climb = {
                .forward = 400.0f,
                .angles = {0.0f, AngleMod(yaws[i] + (side < 0 ? 180.0f : 0.0f)), 0.0f}};
            go(&player, &climb, 600);
            assert_true(player.flags & PMF_ONLADDER);
            float from = player.origin.z;
            go(&player, &climb, 400);
            assert_true(fabsf(player.origin.z - from - 80.0f) < 1.0f); // 200 a second
        }
        // A corner of the box around the ladder that the turned ladder does not reach.
        bool leans = yaws[i] > 300.0f;
        vec3_t corner =
            Vector(ladder->absmin.x, leans ? ladder->absmax.y - 2.0f : ladder->absmin.y, 100.0f);
        pm_volume_t there =
            SV_VolumesOf(&sim.sv, (bounds_t){corner, VectorAdd(corner, Vector(2.0f, 2.0f, 2.0f))});
        assert_int_equal(there.ladder, yaws[i] == 0.0f || yaws[i] == 90.0f);
        SV_FreeEdict(&sim.sv, ladder);
    }
}

/// The ladder is made of water in the map, or of solid brushes.
static void test_ladders_at_any_yaw(void **state) {
    (void)state;
    climb_ladders(LADDER);
    climb_ladders(WOOD);
}

// ---- streams and belts ----

static void test_streams_add_up(void **state) {
    (void)state;
    edict_t *first = add(STREAM, SOLID_TRIGGER, Vector(0.0f, 0.0f, 0.0f), 30.0f);
    edict_t *second = add(STREAM, SOLID_TRIGGER, Vector(0.0f, 0.0f, 0.0f), 120.0f);
    first->surface_velocity = Vector(50.0f, 0.0f, 0.0f);
    second->surface_velocity = Vector(0.0f, -20.0f, 10.0f);
    const vec3_t half = {4.0f, 4.0f, 4.0f};
    static const struct {
        float along_first, along_second; // at the middle of the player
        vec3_t current;
    } cases[] = {
        {0.0f, 0.0f, {50.0f, -20.0f, 10.0f}},
        {100.0f, 0.0f, {50.0f, 0.0f, 0.0f}},
        {0.0f, 100.0f, {0.0f, -20.0f, 10.0f}},
        {60.0f, 60.0f, {0.0f, 0.0f, 0.0f}}, // in the boxes around both
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        vec3_t one, two;
        AngleVectors(Vector(0.0f, 30.0f, 0.0f), &one, NULL, NULL);
        AngleVectors(Vector(0.0f, 120.0f, 0.0f), &two, NULL, NULL);
        vec3_t at = VectorMA(VectorScale(one, cases[i].along_first), cases[i].along_second, two);
        at.z = 30.0f;
        pm_volume_t found =
            SV_VolumesOf(&sim.sv, (bounds_t){VectorSubtract(at, half), VectorAdd(at, half)});
        assert_true(VectorCompare(found.current, cases[i].current));
        assert_false(found.ladder);
    }
    // A player drifts with the stream. A stopped stream carries no player.
    player_state_t player = player_at(Vector(86.0f, 50.0f, 30.0f));
    const pm_input_t nothing = {0};
    go(&player, &nothing, 400);
    assert_true(player.origin.x > 86.0f + 15.0f);
    first->surface_velocity = Vector(0.0f, 0.0f, 0.0f);
    float stood = player.origin.x;
    go(&player, &nothing, 400);
    assert_true(player.origin.x < stood + 1.0f);
    SV_FreeEdict(&sim.sv, first);
    SV_FreeEdict(&sim.sv, second);
}

static void test_belts(void **state) {
    (void)state;
    edict_t *belt = add(BELT, SOLID_BSP, Vector(0.0f, 0.0f, 100.0f), 20.0f);
    belt->surface_velocity = Vector(0.0f, 100.0f, 0.0f);
    player_state_t player = player_at(Vector(0.0f, -50.0f, 124.1f));
    const pm_input_t nothing = {0};
    go(&player, &nothing, STEP_MS);
    assert_int_equal(player.groundentity, World_EdictNumber(sim.world, belt));
    go(&player, &nothing, 504); // a conveyor carries a player that lands on it
    float from = player.origin.y;
    go(&player, &nothing, 400);
    assert_true(fabsf(player.origin.y - from - 40.0f) < 0.5f);
    // After the end of the conveyor the player flies on with its velocity.
    go(&player, &nothing, 3000);
    assert_true(player.origin.z < 30.0f);
    assert_true(player.origin.y > 240.0f);
    SV_FreeEdict(&sim.sv, belt);
}

// ---- lifts ----

/// A player that rests on a lift does not move relative to it in any tick, however the lift moves.
static void test_still_on_a_lift(void **state) {
    (void)state;
    static const vec3_t ways[] = {
        {0.0f, 0.0f, 1500.0f}, {0.0f, 0.0f, -90.0f}, {700.0f, -333.0f, 1000.0f}};
    for (size_t i = 0; i < COUNTOF(ways); i++) {
        edict_t *lift = add(LIFT, SOLID_BSP, Vector(0.0f, 0.0f, 100.7f), 0.0f);
        edict_t *rider =
            TestSim_Spawn(&sim, MOVETYPE_WALK, SOLID_SLIDEBOX, Vector(3.1f, 7.3f, 124.8f), 0.0f);
        rider->mins = PM_PLAYER_MINS;
        rider->maxs = PM_PLAYER_MAXS;
        SV_LinkEdict(&sim.sv, rider, false);
        for (int32_t tick = 0; tick < 10; tick++) {
            TestSim_Tick(&sim);
        }
        const vec3_t stood = VectorSubtract(rider->origin, lift->origin);
        const pose_t to = {VectorAdd(lift->origin, ways[i]), lift->angles};
        assert_true(SV_PusherMoveTo(&sim.sv, lift, to, 8000));
        for (int32_t tick = 0; tick < 550; tick++) {
            SV_WakeEdict(&sim.sv, rider); // pmove runs in every tick
            TestSim_Tick(&sim);
            vec3_t stands = VectorSubtract(rider->origin, lift->origin);
            vec3_t off = VectorSubtract(stands, stood);
            assert_true(VectorWithin(off, 0.0002f)); // the last bit of a world coordinate
            assert_true(VectorCompare(rider->velocity, Vector(0.0f, 0.0f, 0.0f)));
            assert_int_equal(rider->groundentity.index, World_EdictNumber(sim.world, lift));
        }
        assert_true(VectorCompare(lift->origin, to.origin));
        SV_FreeEdict(&sim.sv, rider);
        SV_FreeEdict(&sim.sv, lift);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladders_at_any_yaw),
        cmocka_unit_test(test_streams_add_up),
        cmocka_unit_test(test_belts),
        cmocka_unit_test(test_still_on_a_lift),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
