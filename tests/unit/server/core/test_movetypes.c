// The movetypes of clients in the tick: what each touches, how it moves, and which numbers a game
// cannot give to a player. tests/sim/test_movetypes.c compares server and prediction.

#include "lib/course_fixture.h"
#include "lib/events_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "physics/actions.h"
#include "world/block.h"

static test_world_t test;
static client_t *client;
static edict_t *player;

static int open_course(void **state) {
    (void)state;
    TestCourse_Open(&test);
    client = World_Client(test.world, 0);
    player = World_Edict(test.world, 1);
    return 0;
}

static int close_course(void **state) {
    err_t err;
    (void)state;
    assert_true(World_Check(test.world, test.world->bytes, &err));
    TestWorld_Free(&test);
    return 0;
}

static void put(movetype_t movetype, vec3_t origin, vec3_t velocity) {
    TestCourse_Put(&test, origin);
    player->velocity = velocity;
    player->flags &= ~FL_ONGROUND;
    player->movetype = (int32_t)movetype;
}

static void run(usercmd_t cmd, int32_t ticks) {
    cmd.msec = COURSE_TICK_MS;
    for (int32_t i = 0; i < ticks; i++) {
        TestWorld_Cmd(&test, 0, cmd);
        TestWorld_Tick(&test);
    }
}

static const usercmd_t idle = {.msec = COURSE_TICK_MS};
static const vec3_t in_the_open = {-400.0f, 100.0f, 100.0f};
static const vec3_t in_the_field = {-400.0f, 350.0f, 24.03125f};

static void test_noclip_passes_everything_and_touches_nothing(void **state) {
    (void)state;
    put(MOVETYPE_NOCLIP, in_the_field, vec3_zero);
    run(idle, 40);
    assert_int_equal(client->player.health, 100);
    int32_t before = client->player.delta_yaw;
    put(MOVETYPE_NOCLIP, Vector(300.0f, 0.0f, 60.0f), vec3_zero);
    run(TestCourse_Forward(COURSE_TICK_MS), 60); // through the teleporter and the wall
    assert_true(player->origin.x > 560.0f);
    assert_int_equal(client->player.delta_yaw, before); // not teleported
    assert_int_equal(client->player.movetype, MOVETYPE_NOCLIP);
    assert_int_equal(test.world->counters.unstuck, 0);
    run(idle, 200); // it stops, and does not fall
    assert_true(VectorCompare(player->velocity, vec3_zero));
    assert_true(fabsf(player->origin.z - 60.0f) < 0.001f);
}

static void test_fly_hovers_rises_and_collides(void **state) {
    (void)state;
    put(MOVETYPE_FLY, in_the_open, vec3_zero);
    run(idle, 50);
    assert_true(VectorCompare(player->origin, in_the_open));
    run((usercmd_t){.up = 300}, 20);
    assert_true(player->origin.z > 130.0f);
    assert_true(player->origin.z < 250.0f);
    float high = player->origin.z;
    run((usercmd_t){.buttons = BUTTON_JUMP}, 20); // the jump button rises too
    assert_true(player->origin.z > high + 30.0f);
    run((usercmd_t){.yaw = 32768, .forward = 400}, 100);
    assert_true(player->origin.x > -485.0f);
    assert_true(player->origin.x < -483.0f); // at the wall
    assert_int_equal(player->flags & FL_ONGROUND, 0);
    run((usercmd_t){.pitch = 16384, .forward = 400}, 200); // looks and flies down
    assert_true(player->origin.z < 25.0f);
    assert_int_equal(player->flags & FL_ONGROUND, 0); // never rests
    put(MOVETYPE_FLY, in_the_field, vec3_zero);
    run(idle, 40);
    assert_true(client->player.health < 100); // touches triggers
}

static void test_toss_falls_without_control(void **state) {
    (void)state;
    put(MOVETYPE_TOSS, in_the_open, Vector(0.0f, 100.0f, 200.0f));
    run((usercmd_t){.yaw = 1000, .forward = 400, .side = 400, .buttons = BUTTON_JUMP}, 100);
    assert_true(fabsf(player->origin.x + 400.0f) < 0.001f);
    assert_true(player->origin.y > 130.0f);
    assert_true(player->origin.y < 250.0f);
    assert_true(fabsf(player->origin.z - 24.03125f) < 0.1f);
    assert_true(VectorCompare(player->velocity, vec3_zero));
    assert_true(player->flags & FL_ONGROUND);
    vec3_t rest = player->origin;
    run(TestCourse_Forward(COURSE_TICK_MS), 50);
    assert_true(VectorCompare(player->origin, rest));
    player->velocity = Vector(50.0f, 0.0f, 150.0f); // a knock: it flies on
    run(idle, 5);
    assert_true(player->origin.z > rest.z + 5.0f);
    run(idle, 100);
    assert_true(player->origin.x > rest.x + 10.0f);
    assert_true(player->flags & FL_ONGROUND);
    put(MOVETYPE_TOSS, in_the_field, vec3_zero);
    run(idle, 40);
    assert_true(client->player.health < 100);
}

static void test_none_freezes_but_turns_and_shoots(void **state) {
    (void)state;
    put(MOVETYPE_NONE, in_the_open, Vector(100.0f, 0.0f, 0.0f));
    run((usercmd_t){.yaw = 16384, .forward = 400, .buttons = BUTTON_ATTACK}, 60);
    assert_true(VectorCompare(player->origin, in_the_open));
    assert_true(fabsf(client->player.angles.y - 90.0f) < 0.01f);
    int32_t shots = 0;
    for (int32_t i = 0; i < 60; i++) {
        run((usercmd_t){.buttons = BUTTON_ATTACK}, 1);
        shots += TestEvents_Effects(test.world, test.events, "");
    }
    assert_true(shots > 0);
    put(MOVETYPE_WALK, in_the_open, vec3_zero);
    run(idle, 60);
    assert_true(player->flags & FL_ONGROUND);
}

// Sets a movetype and runs a tick. Returns the number of log lines about it.
static int32_t lines_for(int32_t movetype) {
    player->movetype = movetype;
    run(TestCourse_Forward(COURSE_TICK_MS), 1);
    return TestWorld_CountEvents(&test, EVENT_LOG, "movetype ");
}

static void test_push_is_refused(void **state) {
    (void)state;
    static const movetype_t refused[] = {MOVETYPE_PUSH, MOVETYPE_STEP, MOVETYPE_BOUNCE,
                                         MOVETYPE_FLYMISSILE, MOVETYPE_BOUNCEMISSILE};
    vec3_t at = player->origin;
    assert_int_equal(lines_for(MOVETYPE_PUSH), 1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "movetype 9 is not for clients; it keeps "), 1);
    for (int32_t i = 0; i < 100; i++) { // one line a burst
        assert_int_equal(lines_for((int32_t)refused[(size_t)i % COUNTOF(refused)]), 0);
        assert_int_equal(player->movetype, MOVETYPE_WALK);
        assert_int_equal(client->player.movetype, MOVETYPE_WALK);
    }
    assert_true(player->origin.x > at.x + 50.0f); // walked all the time
    run(idle, 400);
    assert_int_equal(lines_for(MOVETYPE_PUSH), 1); // the next burst
    put(MOVETYPE_FLY, in_the_open, vec3_zero);
    run(idle, 10);
    lines_for(MOVETYPE_PUSH);
    assert_int_equal(player->movetype, MOVETYPE_FLY); // keeps the one it had
}

// A game may write the movetype into the client's player state too.
static void test_a_kept_movetype_is_checked(void **state) {
    (void)state;
    static const int32_t wrong[] = {MOVETYPE_PUSH, MOVETYPE_COUNT, -1};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        client->player.movetype = wrong[i];
        lines_for(MOVETYPE_PUSH);
        assert_int_equal(player->movetype, MOVETYPE_NONE);
        assert_int_equal(client->player.movetype, MOVETYPE_NONE);
        put(MOVETYPE_WALK, in_the_open, vec3_zero);
        run(idle, 1);
        assert_int_equal(client->player.movetype, MOVETYPE_WALK);
    }
}

static void test_impossible_numbers_count_as_none(void **state) {
    (void)state;
    static const int32_t wrong[] = {77, -1, MOVETYPE_COUNT, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        put(MOVETYPE_WALK, in_the_open, vec3_zero);
        player->movetype = wrong[i];
        run(TestCourse_Forward(COURSE_TICK_MS), 1);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "does not exist"), 1);
        for (int32_t n = 0; n < 30; n++) {
            run(TestCourse_Forward(COURSE_TICK_MS), 1);
            assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, ""), 0);
        }
        assert_int_equal(client->inuse, 1);
        assert_int_equal(player->flags & FL_QUARANTINED, 0);
        assert_int_equal(player->movetype, MOVETYPE_NONE);
        assert_true(VectorCompare(player->origin, in_the_open));
        put(MOVETYPE_WALK, in_the_open, vec3_zero);
        run(idle, 400);
        assert_true(player->flags & FL_ONGROUND); // moves again
    }
}

// A game that writes PUSH and starts a motion: the edict never runs as a pusher.
static void test_a_client_never_runs_as_a_pusher(void **state) {
    (void)state;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    vec3_t at = player->origin;
    for (int32_t i = 0; i < 20; i++) {
        player->movetype = MOVETYPE_PUSH;
        assert_false(
            SV_PusherMoveTo(&sv, player, (pose_t){{0.0f, 0.0f, 200.0f}, {0.0f, 0.0f, 0.0f}}, 50));
        TestWorld_Tick(&test); // no usercmds: nothing else moves it
        assert_true(VectorCompare(player->origin, at));
    }
    assert_int_equal(player->motion.kind, MOTION_NONE);
}

// A game that writes PUSH and a motion record itself, and wakes the edict: the check before the
// pushers finds it.
static void test_a_written_motion_does_not_run(void **state) {
    (void)state;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    vec3_t at = player->origin;
    player->movetype = MOVETYPE_PUSH;
    player->motion = (motion_t){.kind = MOTION_MOVE,
                                .base = {player->origin, vec3_zero},
                                .delta = {0.0f, 0.0f, 200.0f},
                                .start_ms = test.world->time_ms,
                                .duration_ms = 100};
    SV_WakeEdict(&sv, player);
    for (int32_t i = 0; i < 5; i++) {
        TestWorld_Tick(&test);
        assert_true(VectorCompare(player->origin, at));
    }
}

static void write_77(sv_context_t *sv, edict_t *edict, client_t *at) {
    (void)sv, (void)at;
    edict->movetype = 77;
}

// A client's think writes the movetype: the check before the commands of the same tick finds it.
static void test_a_think_that_writes_a_movetype(void **state) {
    (void)state;
    game_export_t game = *test.game.game;
    game.client_think = write_77;
    test.game.game = &game;
    vec3_t at = player->origin;
    run(TestCourse_Forward(COURSE_TICK_MS), 1);
    assert_int_equal(player->movetype, MOVETYPE_NONE);
    assert_int_equal(client->player.movetype, MOVETYPE_NONE);
    assert_true(VectorCompare(player->origin, at));
}

// A client cannot be glued or teamed either, in any role.
static void test_a_client_joins_no_set(void **state) {
    (void)state;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *lift = sv.engine->spawn(&sv);
    lift->movetype = MOVETYPE_PUSH;
    player->movetype = MOVETYPE_PUSH;
    assert_false(SV_PusherGlue(&sv, lift, player));
    assert_false(SV_PusherGlue(&sv, player, lift));
    SV_PusherTeam(&sv, player, lift);
    SV_PusherTeam(&sv, lift, player);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "no clients"), 1); // one burst
    assert_int_equal(player->pusher_set, 0);
    assert_int_equal(lift->pusher_set, 0);
    player->movetype = MOVETYPE_WALK;
    assert_true(SV_Follow(&sv, player, lift, vec3_zero, vec3_zero));
}

static void test_follow_keeps_the_view(void **state) {
    (void)state;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *seat = sv.engine->spawn(&sv);
    seat->origin = in_the_open;
    seat->angles.y = 90.0f;
    sv.engine->link(&sv, seat, false);
    assert_true(SV_Follow(&sv, player, seat, Vector(10.0f, 0.0f, 40.0f), vec3_zero));
    const usercmd_t looks = {.yaw = 32768, .forward = 400, .buttons = BUTTON_JUMP};
    run(looks, 3);
    const vec3_t expected = {in_the_open.x, in_the_open.y + 10.0f, in_the_open.z + 40.0f};
    assert_true(VectorLength(VectorSubtract(player->origin, expected)) < 0.01f);
    assert_true(VectorCompare(player->origin, client->player.origin));
    assert_int_equal(client->player.movetype, MOVETYPE_FOLLOW);
    assert_int_equal(client->player.carrier, World_EdictNumber(test.world, seat));
    assert_true(fabsf(player->angles.y - 180.0f) < 0.01f);
    seat->origin.y = 3.0e5f; // outside the world: the player stays, and stays connected
    run(looks, 3);
    assert_int_equal(player->flags & FL_QUARANTINED, 0);
    assert_int_equal(client->inuse, 1);
    sv.engine->remove(&sv, seat);
    run(idle, 100);
    assert_int_equal(player->movetype, MOVETYPE_WALK); // never left without control
    assert_true(player->flags & FL_ONGROUND);
}

int main(void) {
#define ON_COURSE(name) cmocka_unit_test_setup_teardown(name, open_course, close_course)
    const struct CMUnitTest tests[] = {
        ON_COURSE(test_noclip_passes_everything_and_touches_nothing),
        ON_COURSE(test_fly_hovers_rises_and_collides),
        ON_COURSE(test_toss_falls_without_control),
        ON_COURSE(test_none_freezes_but_turns_and_shoots),
        ON_COURSE(test_push_is_refused),
        ON_COURSE(test_a_kept_movetype_is_checked),
        ON_COURSE(test_impossible_numbers_count_as_none),
        ON_COURSE(test_a_client_never_runs_as_a_pusher),
        ON_COURSE(test_a_written_motion_does_not_run),
        ON_COURSE(test_a_think_that_writes_a_movetype),
        ON_COURSE(test_a_client_joins_no_set),
        ON_COURSE(test_follow_keeps_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
