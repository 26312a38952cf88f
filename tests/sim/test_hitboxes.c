// Shots at players whose bones move: hit positions and times. The world is the same with and
// without a cache of bone poses.
#include "lib/arena_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "world/hitboxes.h"
#include "world/link.h"

#include "core/core_local.h"
#include "game/figure_data.h"
#include "game/players.h"
#include "world/block.h"
#include "world/move.h"

#include <string.h>

enum { SHOOTER = 0, RUNNER = 1 };

#define HEAD_BONE 3 // bone of the figure

static edict_t *runner_of(const test_world_t *test) {
    return World_Edict(test->world, RUNNER + 1);
}

/// Runs a tick in which the runner runs along +y, ducked or not, looking at `pitch`.
static void run_tick(test_world_t *test, int16_t forward, uint8_t buttons, float pitch) {
    TestWorld_Cmd(test, SHOOTER, (usercmd_t){.msec = ARENA_TICK_MS});
    TestWorld_Cmd(test, RUNNER,
                  (usercmd_t){.msec = ARENA_TICK_MS,
                              .yaw = AngleToShort(90.0f),
                              .pitch = AngleToShort(pitch),
                              .buttons = buttons,
                              .forward = forward});
    TestWorld_Tick(test);
}

static void init(test_world_t *test) {
    TestArena_Init(test, 2, NULL, NULL, NULL);
    TestArena_Join(test, SHOOTER, "ann", Vector(-200.0f, 0.0f, ARENA_FLOOR));
    TestArena_Join(test, RUNNER, "bob", Vector(100.0f, -300.0f, ARENA_FLOOR));
}

/// Returns the current box of a hitbox of the runner.
static turned_box_t box_of(test_world_t *test, int32_t hitbox) {
    const edict_t *edict = runner_of(test);
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    const model_t *model = SV_Skeleton(&sv, edict);
    assert_non_null(model);
    pose_request_t request = SV_SkeletonRequest(test->world, edict);
    cm_pose_t at = SV_SkeletonPlace(edict);
    model_pose_t pose;
    Pose_Evaluate(NULL, model, &request, &pose);
    return Hitbox_Place(model, &pose, hitbox, &at);
}

/// Shoots from the shooter's side through a point.
static trace_t shoot_at(test_world_t *test, vec3_t target, move_type_t type) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    vec3_t from = {-200.0f, target.y, target.z};
    vec3_t to = {300.0f, target.y, target.z};
    return SV_Move(&sv, from, zero, zero, to, type, World_Edict(test->world, SHOOTER + 1));
}

/// The head of a running player is where its bones put it in that tick, and no longer half a second
/// later.
static void test_running_head(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    int32_t lower = 0;
    vec3_t heads[100];
    float heights[2] = {1000.0f, -1000.0f};
    for (int32_t i = 0; i < 100; i++) {
        run_tick(&test, 320, 0, 0.0f);
        turned_box_t head = box_of(&test, HEAD_BONE);
        heads[i] = head.middle;
        trace_t trace = shoot_at(&test, head.middle, MOVE_HITBOXES);
        assert_int_equal(trace.entnum, RUNNER + 1);
        assert_int_equal(trace.hitgroup, HIT_HEAD);
        assert_int_equal(trace.bone, HEAD_BONE + 1);
        float z = head.middle.z - runner_of(&test)->origin.z;
        heights[0] = z < heights[0] ? z : heights[0];
        heights[1] = z > heights[1] ? z : heights[1];
        trace = shoot_at(&test, Vector(0.0f, head.middle.y, head.middle.z + 9.0f), MOVE_HITBOXES);
        assert_int_not_equal(trace.hitgroup, HIT_HEAD);
        trace = shoot_at(&test, box_of(&test, 8).middle, MOVE_HITBOXES);
        lower += trace.hitgroup == HIT_LEFT_LEG || trace.hitgroup == HIT_RIGHT_LEG;
        if (i >= 50 && runner_of(&test)->velocity.y > 100.0f) {
            trace = shoot_at(&test, heads[i - 30], MOVE_HITBOXES);
            assert_int_equal(trace.entnum, TRACE_NOTHING); // the head has moved on
            assert_int_equal(trace.bone, 0);
        }
    }
    assert_true(lower > 90);
    assert_true(heights[1] - heights[0] > 0.5f); // the head bobs as the player runs
    assert_int_equal(runner_of(&test)->animations[0], 1);
    TestWorld_Free(&test);
}

/// A shot between the arm and the edge of the box hits the box but no hitbox.
static void test_beside_the_body(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    for (int32_t i = 0; i < 60; i++) {
        run_tick(&test, 0, 0, 0.0f);
    }
    vec3_t corner = VectorAdd(runner_of(&test)->origin, Vector(0.0f, 15.0f, 28.0f));
    assert_int_equal(shoot_at(&test, corner, MOVE_NORMAL).entnum, RUNNER + 1);
    assert_int_equal(shoot_at(&test, corner, MOVE_HITBOXES).entnum, TRACE_NOTHING);
    assert_int_equal(shoot_at(&test, corner, MOVE_NORMAL).hitgroup, 0);
    // Looking down tilts the chest, and the head with it.
    vec3_t before = box_of(&test, HEAD_BONE).middle;
    run_tick(&test, 0, 0, 30.0f);
    run_tick(&test, 0, 0, 30.0f);
    vec3_t after = box_of(&test, HEAD_BONE).middle;
    assert_true(after.y - before.y > 5.0f);
    assert_true(after.z < before.z - 1.0f);
    // Any value that a game writes there is safe.
    edict_t *edict = runner_of(&test);
    edict->controllers[0] = NAN;
    edict->anim_blend = NAN;
    edict->animations[0] = INT32_MAX;
    edict->animations[1] = INT32_MIN;
    edict->anim_start_ms[0] = INT64_MIN;
    edict->anim_start_ms[1] = INT64_MAX;
    assert_int_equal(shoot_at(&test, edict->origin, MOVE_HITBOXES).entnum, RUNNER + 1);
    edict->skeleton = INT32_MAX; // no such model: uses the box
    assert_int_equal(shoot_at(&test, corner, MOVE_HITBOXES).entnum, RUNNER + 1);
    TestWorld_Free(&test);
}

/// Returns the damage of a bolt that hits this hitbox.
static int32_t bolt_at(int32_t hitbox) {
    test_world_t test;
    init(&test);
    for (int32_t i = 0; i < 30; i++) {
        run_tick(&test, 0, 0, 0.0f);
    }
    player_fields_t *ann = TestArena_Fields(&test, SHOOTER);
    ann->weapons = (1 << WEAPON_COUNT) - 2;
    ann->weapon = WEAPON_LIGHTNING;
    ann->ammo[AMMO_CELLS] = 10;
    TestArena_Put(&test, SHOOTER, Vector(-50.0f, -300.0f, ARENA_FLOOR));
    vec3_t eye = VectorAdd(Vector(-50.0f, -300.0f, ARENA_FLOOR), Vector(0.0f, 0.0f, 22.0f));
    vec3_t angles = VectorAngles(VectorSubtract(box_of(&test, hitbox).middle, eye));
    int32_t before = TestArena_Health(&test, RUNNER);
    TestWorld_Cmd(&test, SHOOTER,
                  (usercmd_t){.msec = ARENA_TICK_MS,
                              .buttons = BUTTON_ATTACK,
                              .pitch = AngleToShort(angles.x),
                              .yaw = AngleToShort(angles.y)});
    TestWorld_Cmd(&test, RUNNER, (usercmd_t){.msec = ARENA_TICK_MS, .yaw = AngleToShort(90.0f)});
    TestWorld_Tick(&test);
    int32_t took = before - TestArena_Health(&test, RUNNER);
    TestWorld_Free(&test);
    return took;
}

static void test_heads_count_more(void **state) {
    (void)state;
    assert_int_equal(bolt_at(HEAD_BONE), 60);
    assert_int_equal(bolt_at(0), 30);
    assert_int_equal(bolt_at(8), 22); // three quarters of 30
}

/// A ducked player whose box reaches less far down, as in Half-Life, still has its feet on the
/// floor.
static void test_feet_of_who_ducks(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *edict = runner_of(&test);
    client_t *client = World_Client(test.world, RUNNER);
    edict->mins.z = -18.0f;
    client->player.flags |= PMF_DUCKED;
    Game_Animate(&sv, edict, client);
    assert_true(edict->controllers[1] == 6.0f);
    client->player.flags &= ~PMF_DUCKED;
    Game_Animate(&sv, edict, client);
    assert_true(edict->controllers[1] == 0.0f);
    TestWorld_Free(&test);
}

/// The animation follows from the player's state. Spectators and drivers have no figure.
static void test_what_a_figure_does(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *edict = runner_of(&test);
    client_t *client = World_Client(test.world, RUNNER);
    edict->velocity = Vector(0.0f, 200.0f, 0.0f);
    Game_Animate(&sv, edict, client);
    assert_int_equal(edict->animations[0], FIGURE_DO_RUN);
    client->player.health = 0; // death wins over every other state
    Game_Animate(&sv, edict, client);
    assert_int_equal(edict->animations[0], FIGURE_DO_DIE);
    assert_int_equal(edict->animations[1], FIGURE_DO_RUN);
    client->player.health = 100;
    client->player.pm_type = PM_DRIVING;
    Game_Animate(&sv, edict, client);
    assert_int_equal(edict->skeleton, 0);
    client->player.pm_type = PM_NORMAL;
    Game_Animate(&sv, edict, client);
    assert_int_equal(edict->skeleton, FIGURE_MODEL);
    client->spectator = 1;
    Game_Animate(&sv, edict, client);
    assert_int_equal(edict->skeleton, 0);
    TestWorld_Free(&test);
}

/// The world has the same bits with and without a cache of bone poses.
static void test_memory_changes_nothing(void **state) {
    (void)state;
    pose_cache_t *cache = calloc(1, sizeof *cache);
    uint64_t hashes[2];
    for (int32_t n = 0; n < 2; n++) {
        test_world_t test;
        init(&test);
        test.game.poses = n ? cache : NULL;
        player_fields_t *ann = TestArena_Fields(&test, SHOOTER);
        ann->ammo[AMMO_SHELLS] = 100;
        for (int32_t i = 0; i < 200; i++) {
            vec3_t delta = VectorSubtract(runner_of(&test)->origin,
                                          World_Edict(test.world, SHOOTER + 1)->origin);
            TestWorld_Cmd(&test, SHOOTER,
                          (usercmd_t){.msec = ARENA_TICK_MS,
                                      .buttons = BUTTON_ATTACK,
                                      .yaw = AngleToShort(VectorAngles(delta).y)});
            TestWorld_Cmd(&test, RUNNER,
                          (usercmd_t){.msec = ARENA_TICK_MS,
                                      .yaw = AngleToShort(90.0f),
                                      .forward = 200,
                                      .buttons = i % 50 < 10 ? BUTTON_DUCK : 0});
            TestWorld_Tick(&test);
        }
        hashes[n] = World_Hash(test.world);
        assert_true(n == 0 ||
                    (cache->placed_asked > 10 && cache->placed_missed < cache->placed_asked));
        TestWorld_Free(&test);
    }
    assert_int_equal(hashes[0], hashes[1]);
    free(cache);
}

/// Runs a player past the shooter, who then fires at the chest of 8 ticks ago. Returns the damage.
/// `is_shown`: false = the shooter's client has shown nothing, so that shots meet the present.
static int32_t shot_at_then(int32_t weapon, bool is_shown, bool is_dead) {
    test_world_t test;
    vec3_t chest = {0.0f, 0.0f, 0.0f};
    int64_t then = 0;
    init(&test);
    player_fields_t *ann = TestArena_Fields(&test, SHOOTER);
    for (int32_t i = 0; i < 48; i++) {
        run_tick(&test, 320, 0, 0.0f);
        if (i == 39) {
            chest = box_of(&test, 0).middle;
            then = test.world->tick;
        }
    }
    ann->weapons = (1 << WEAPON_COUNT) - 2;
    ann->weapon = weapon;
    ann->ammo[AMMO_CELLS] = 10;
    const vec3_t place = {chest.x - 50.0f, chest.y, ARENA_FLOOR};
    TestArena_Put(&test, SHOOTER, place);
    if (is_dead) {
        TestArena_Tell(&test, SHOOTER, "kill");
    }
    const vec3_t eye = VectorAdd(place, Vector(0.0f, 0.0f, 22.0f));
    const vec3_t angles = VectorAngles(VectorSubtract(chest, eye));
    const int32_t before = TestArena_Health(&test, RUNNER);
    TestWorld_Cmd(&test, SHOOTER,
                  (usercmd_t){.msec = ARENA_TICK_MS,
                              .view_tick = is_shown ? then : 0,
                              .view_span = UserCmd_Span(0, 1),
                              .buttons = BUTTON_ATTACK,
                              .pitch = AngleToShort(angles.x),
                              .yaw = AngleToShort(angles.y)});
    TestWorld_Cmd(&test, RUNNER,
                  (usercmd_t){.msec = ARENA_TICK_MS, .yaw = AngleToShort(90.0f), .forward = 320});
    TestWorld_Tick(&test);
    const int32_t took = before - TestArena_Health(&test, RUNNER);
    TestWorld_Free(&test);
    return took;
}

/// Weapons and the axe of the reference game meet what the shooter's client showed. A dead player
/// does not shoot.
static void test_weapons_meet_what_was_shown(void **state) {
    (void)state;
    assert_int_equal(shot_at_then(WEAPON_LIGHTNING, true, false), 30);
    assert_int_equal(shot_at_then(WEAPON_LIGHTNING, false, false), 0);
    assert_int_equal(shot_at_then(WEAPON_LIGHTNING, true, true), 0);
    assert_int_equal(shot_at_then(WEAPON_AXE, true, false), 20);
    assert_int_equal(shot_at_then(WEAPON_AXE, false, false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_running_head),
        cmocka_unit_test(test_beside_the_body),
        cmocka_unit_test(test_heads_count_more),
        cmocka_unit_test(test_feet_of_who_ducks),
        cmocka_unit_test(test_what_a_figure_does),
        cmocka_unit_test(test_memory_changes_nothing),
        cmocka_unit_test(test_weapons_meet_what_was_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
