// Pushers and their riders: stacks, velocities, thinks on local time.

#include "core/core_local.h"
#include "lib/pushers_fixture.h"
#include "world/client.h"

// ---- riders ----

static void test_lift_carries_up_and_down(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *walker = spawn_walker(Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(40, 40, 16));
    ticks(10);
    assert_true(rests_on(walker, lift));
    assert_true(rests_on(crate, lift));
    float above = walker->origin.z - lift->origin.z;
    float crate_above = crate->origin.z - lift->origin.z;
    static const struct {
        float z;
        int32_t ms;
    } trips[] = {{300, 2000}, {16, 500}, {400, 400}, {16, 10000}, {320, 1}, {16, 0}};
    for (size_t i = 0; i < COUNTOF(trips); i++) {
        move_to(lift, Vector(0, 0, trips[i].z), 0, trips[i].ms);
        for (int32_t t = 0; t * 16 < trips[i].ms + 64; t++) {
            ticks(1);
            assert_true(rests_on(walker, lift));
            assert_true(rests_on(crate, lift));
            assert_true(fabsf(walker->origin.z - lift->origin.z - above) < 1e-3f);
            assert_true(fabsf(crate->origin.z - lift->origin.z - crate_above) < 1e-3f);
            assert_true(walker->origin.x == 0.0f);
            assert_true(walker->origin.y == 0.0f);
        }
        assert_true(lift->origin.z == trips[i].z);
        assert_true(VectorCompare(lift->velocity, zero));
    }
    assert_int_equal(lift->effects, 0);
}

static void test_speed_is_of_the_tick(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    ticks(1);
    move_to(lift, Vector(0, 0, 176), 90, 1600);
    ticks(20);
    assert_place(lift->velocity, 0, 0, 100, 0.01f);
    assert_place(lift->avelocity, 0, 56.25f, 0, 0.01f);
    ticks(90);
    assert_place(lift->velocity, 0, 0, 0, 0);
    assert_place(lift->avelocity, 0, 0, 0, 0);
}

static void test_resting_pusher_is_not_awake(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    int32_t number = World_EdictNumber(sim.world, lift);
    ticks(3);
    assert_false((World_PusherBits(sim.world)[number / 64] >> (number % 64)) & 1);
    move_to(lift, Vector(0, 0, 32), 0, 100);
    assert_true((World_PusherBits(sim.world)[number / 64] >> (number % 64)) & 1);
    ticks(10);
    assert_false((World_PusherBits(sim.world)[number / 64] >> (number % 64)) & 1);
}

static void test_sleeping_rider_stays_asleep(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(20, 0, 16));
    edict_t *other = spawn_crate(Vector(-300, 0, 0));
    ticks(10);
    move_to(lift, Vector(0, 0, 200), 0, 1000);
    for (int32_t i = 0; i < 80; i++) {
        ticks(1);
        assert_int_equal(World_NextActive(sim.world, 0), -1);
        assert_true(rests_on(crate, lift));
    }
    assert_place(crate->origin, 20, 0, 216, 0.1f);
    assert_place(other->origin, -300, 0, 16, 0.1f);
}

static void test_turning_platform_carries_and_turns(void **state) {
    (void)state;
    edict_t *platform = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *walker = spawn_walker(Vector(40, 0, 16));
    edict_t *crate = spawn_crate(Vector(-40, 0, 16));
    ticks(10);
    vec3_t crate_was = crate->angles;
    move_to(platform, platform->origin, 90, 1000);
    ticks(80);
    assert_int_equal(platform->effects, 0);
    assert_place(walker->origin, 0, 40, 40, 0.1f);
    assert_place(crate->origin, 0, -40, 32, 0.1f);
    assert_true(fabsf(crate->angles.y - crate_was.y - 90.0f) < 1e-3f);
    assert_true(rests_on(walker, platform));
    assert_true(rests_on(crate, platform));
}

static void test_stack_of_three_rides(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *stack[3];
    for (int32_t i = 0; i < 3; i++) {
        stack[i] = spawn_crate(Vector(0, 0, 16.0f + 33.0f * (float)i));
    }
    edict_t *walker = spawn_walker(Vector(0, 0, 16 + 99));
    ticks(40);
    assert_true(rests_on(stack[0], lift));
    assert_true(rests_on(stack[1], stack[0]));
    assert_true(rests_on(stack[2], stack[1]));
    assert_true(rests_on(walker, stack[2]));
    float above = walker->origin.z - lift->origin.z;
    move_to(lift, Vector(64, 0, 216), 0, 800);
    for (int32_t i = 0; i < 60; i++) {
        ticks(1);
        assert_true(rests_on(stack[0], lift));
        assert_true(rests_on(stack[1], stack[0]));
        assert_true(rests_on(stack[2], stack[1]));
        assert_true(rests_on(walker, stack[2]));
    }
    assert_true(fabsf(walker->origin.z - lift->origin.z - above) < 1e-3f);
    assert_true(fabsf(walker->origin.x - 64.0f) < 1e-3f);
    move_to(lift, Vector(0, 0, 16), 0, 300);
    ticks(30);
    assert_true(rests_on(walker, stack[2]));
    assert_true(fabsf(walker->origin.z - lift->origin.z - above) < 1e-3f);
}

// A dead player is not solid, so it is not in the area tree, although its slot is a client's.
static void test_dead_player_rides(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *player = SV_SpawnEdictAt(&sim.sv, 1);
    player->movetype = MOVETYPE_WALK;
    player->flags = FL_CLIENT;
    World_Client(sim.world, 0)->inuse = 1;
    player->mins = PM_PLAYER_MINS;
    player->maxs = PM_PLAYER_MAXS;
    player->origin = Vector(10, 10, 40.0f + EPS);
    SV_LinkEdict(&sim.sv, player, false);
    ticks(2);
    SV_SetGround(&sim.sv, player, lift); // this test runs no usercmds
    move_to(lift, Vector(0, 50, 216), 90, 1000);
    ticks(80);
    assert_int_equal(lift->effects, 0);
    assert_place(player->origin, -10, 60, 240, 0.1f);
    assert_int_equal(World_Client(sim.world, 0)->player.delta_yaw, 16384);
    assert_true(rests_on(player, lift));
}

// A gib blocks nothing and is not linked; its ground carries it along.
static void test_what_is_not_linked_goes_along(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *gib = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_NOT, Vector(20, 10, 30), 4.0f);
    SV_LinkEdict(&sim.sv, gib, false);
    ticks(30);
    assert_true(rests_on(gib, lift));
    float above = gib->origin.z - lift->origin.z;
    move_to(lift, Vector(50, 0, 316), 0, 600);
    ticks(60);
    assert_true(rests_on(gib, lift));
    assert_true(fabsf(gib->origin.z - lift->origin.z - above) < 0.01f);
    assert_true(fabsf(gib->origin.x - 70.0f) < 0.01f);
    move_to(lift, Vector(0, 0, 16), 0, 400);
    ticks(60);
    assert_true(rests_on(gib, lift));
    assert_true(fabsf(gib->origin.z - lift->origin.z - above) < 0.01f);
}

// Small edicts stand on the pusher as densely as they fit.
static void test_three_hundred_riders(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *riders[300];
    for (int32_t i = 0; i < 300; i++) {
        vec3_t at = {-58.0f + 6.5f * (float)(i % 18), -58.0f + 6.5f * (float)(i / 18), 20.0f};
        riders[i] = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, at, 3.0f);
        SV_LinkEdict(&sim.sv, riders[i], false);
    }
    ticks(20);
    move_to(lift, Vector(-32, 16, 300), 0, 1000);
    ticks(80);
    assert_int_equal(lift->effects, 0);
    for (int32_t i = 0; i < 300; i++) {
        assert_true(rests_on(riders[i], lift));
        assert_place(riders[i]->origin, -90.0f + 6.5f * (float)(i % 18),
                     -42.0f + 6.5f * (float)(i / 18), 303.0f, 0.1f);
    }
}

// ---- time ----

static void test_thinks_on_local_time(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(-400, 400, 16));
    edict_t *below = spawn_walker(Vector(-400, 400, 16));
    lift->think = Callbacks_Find(sim.world, "think");
    lift->blocked = 0;
    ticks(10);
    move_to(lift, Vector(-400, 400, 60), 0, 500);
    int64_t due = SV_PusherTime(&sim.sv, lift) + 500 - 3;
    SV_SetNextThink(&sim.sv, lift, due);
    ticks(100);
    assert_int_equal(lift->effects, 0); // blocked, so its time stands still
    assert_true(lift->lag_ms > 1000);
    int64_t lag_ms = lift->lag_ms;
    SV_RemoveEdict(&sim.sv, below);
    ticks(50);
    int64_t times[2];
    memcpy(times, lift->game + 8, sizeof times);
    assert_int_equal(lift->effects, 1);
    assert_true(times[0] == due);
    assert_true(times[1] == due + lift->lag_ms);
    assert_true(lift->lag_ms - lag_ms <= 16);
}

static void hop_think(sv_context_t *sv, edict_t *self) {
    self->effects++;
    float x = self->origin.x > 0.0f ? -50.0f : 50.0f;
    SV_PusherMoveTo(sv, self, (pose_t){{x, 0.0f, 100.0f}, {0, 0, 0}}, 333);
    SV_SetNextThink(sv, self, SV_PusherTime(sv, self) + 333);
}

// Legs of the train end between ticks: no time is lost at the corners.
static void test_train_keeps_its_timetable(void **state) {
    (void)state;
    static const callback_t table[] = {{.name = "hop", .think = hop_think}};
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    callback_t all[COUNTOF(functions) + 1];
    memcpy(all, functions, sizeof functions);
    all[COUNTOF(functions)] = table[0];
    TestSim_Bind(&sim, all, COUNTOF(all));
    edict_t *train = spawn_pusher(PLATFORM, Vector(-50, 0, 100));
    edict_t *walker = spawn_walker(Vector(-50, 0, 100));
    train->think = Callbacks_Find(sim.world, "hop");
    ticks(5);
    int64_t start = sim.world->time_ms + 5;
    SV_SetNextThink(&sim.sv, train, start);
    for (int32_t i = 0; i < 1000; i++) {
        ticks(1);
        int64_t t = sim.world->time_ms - start;
        int64_t leg = t / 333;
        float share = (float)(t % 333) / 333.0f;
        float expected = leg % 2 == 0 ? -50.0f + 100.0f * share : 50.0f - 100.0f * share;
        assert_place(train->origin, expected, 0, 100, 0.01f);
        assert_true(fabsf(walker->origin.x - train->origin.x) < 0.01f);
        assert_true(rests_on(walker, train));
    }
    assert_true(train->effects == (int32_t)((sim.world->time_ms - start) / 333 + 1));
}

// Returns the number of log lines with a text among the present events.
static int32_t logged(const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < sim.events->count; i++) {
        const event_t *event = &sim.events->list[i];
        count += event->type == EVENT_LOG && strstr(event->text, text);
    }
    return count;
}

// Returns the number of refused velocities that `count` ticks log.
static int32_t refused(int32_t count) {
    memset(&sim.events->faults, 0, sizeof sim.events->faults); // a new burst
    int32_t lines = 0;
    for (int32_t i = 0; i < count; i++) {
        ticks(1);
        lines += logged("a velocity does not move");
    }
    return lines;
}

static void write_speed(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->velocity = Vector(0, 0, 75);
    self->avelocity = Vector(0, NAN, 0);
}

static void write_speed_used(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    (void)activator;
    write_speed(sv, self);
}

// Writes the velocity of the ground, whose push carried `other` into the trigger.
static void write_speed_touched(sv_context_t *sv, edict_t *self, edict_t *other,
                                const trace_t *trace) {
    (void)trace;
    edict_t *ground = World_Deref(sv->world, other->groundentity);
    if (self->effects++ == 0 && ground) {
        write_speed(sv, ground);
    }
}

static edict_t *bind_writers(void) {
    static const callback_t writers[] = {{.name = "write", .think = write_speed},
                                         {.name = "use", .use = write_speed_used},
                                         {.name = "touch", .touch = write_speed_touched}};
    static callback_t all[COUNTOF(functions) + COUNTOF(writers)];
    memcpy(all, functions, sizeof functions);
    memcpy(all + COUNTOF(functions), writers, sizeof writers);
    TestSim_Bind(&sim, all, COUNTOF(all));
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    lift->think = Callbacks_Find(sim.world, "write");
    lift->use = Callbacks_Find(sim.world, "use");
    return lift;
}

// A velocity that a game writes into a resting pusher moves nothing. It is logged once, and removed
// before anything reads it.
static void test_velocities_written_at_rest_are_refused(void **state) {
    (void)state;
    edict_t *lift = bind_writers();
    edict_t *walker = spawn_walker(Vector(0, 0, 16));
    ticks(10);
    const vec3_t at = walker->origin;
    for (int32_t i = 0; i < 3; i++) {
        SV_SetNextThink(&sim.sv, lift, i == 0 ? sim.world->time_ms + 10 : 0);
        if (i > 0) {
            sv_game_import.use(&sim.sv, lift, walker, walker);
        }
        assert_int_equal(refused(1), 1);
        assert_place(lift->velocity, 0, 0, 0, 0);
        assert_place(lift->avelocity, 0, 0, 0, 0);
        assert_int_equal(refused(20), 0);
        assert_place(lift->origin, 0, 0, 16, 0);
        assert_place(walker->origin, at.x, at.y, at.z, 0);
        assert_true(rests_on(walker, lift));
    }
}

// In a ride too: the pusher keeps the speed of its motion.
static void test_velocities_written_in_a_ride_are_refused(void **state) {
    (void)state;
    edict_t *lift = bind_writers();
    edict_t *walker = spawn_walker(Vector(0, 0, 16));
    ticks(10);
    move_to(lift, Vector(0, 0, 176), 90, 1600);
    assert_int_equal(refused(20), 0);
    for (int32_t i = 0; i < 4; i++) { // its own think, early to late in the tick
        SV_SetNextThink(&sim.sv, lift, sim.world->time_ms + 1 + 5 * i);
        assert_int_equal(refused(1), 1);
        assert_place(lift->velocity, 0, 0, 100, 0.01f);
        assert_place(lift->avelocity, 0, 56.25f, 0, 0.01f);
        assert_int_equal(refused(2), 0);
    }
    sv_game_import.use(&sim.sv, lift, walker, walker);
    assert_int_equal(refused(1), 1);
    assert_place(lift->velocity, 0, 0, 100, 0.01f);
    edict_t *trigger = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, walker->origin, 40.0f);
    trigger->touch = Callbacks_Find(sim.world, "touch");
    SV_LinkEdict(&sim.sv, trigger, false);
    assert_int_equal(refused(2), 1);
    assert_true(trigger->effects > 0);
    assert_place(lift->velocity, 0, 0, 100, 0.01f);
    assert_int_equal(refused(100), 0);
    assert_place(lift->origin, 0, 0, 176, 0);
    assert_place(lift->angles, 0, 90, 0, 0);
    assert_place(lift->velocity, 0, 0, 0, 0);
    assert_true(rests_on(walker, lift));
}

static void test_bad_records_are_refused(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    motion_t good = {.kind = MOTION_MOVE, .duration_ms = 100, .base = {{0, 0, 16}, {0}}};
    motion_t bad = good;
    assert_true(SV_PusherStart(&sim.sv, lift, &good));
    bad.duration_ms = 0;
    assert_false(SV_PusherStart(&sim.sv, lift, &bad));
    bad = good;
    bad.kind = MOTION_COUNT;
    assert_false(SV_PusherStart(&sim.sv, lift, &bad));
    bad = good;
    bad.delta.x = NAN;
    assert_false(SV_PusherStart(&sim.sv, lift, &bad));
    bad = good;
    bad.delta_angles.y = INFINITY;
    assert_false(SV_PusherStart(&sim.sv, lift, &bad));
    // An announcement: each refusal is reported and keeps the one before.
    assert_true(SV_PusherNext(&sim.sv, lift, &good, 100));
    memset(&sim.events->faults, 0, sizeof sim.events->faults);
    assert_false(SV_PusherNext(&sim.sv, lift, &good, 0));
    assert_false(SV_PusherNext(&sim.sv, lift, &bad, 100));
    bad = good;
    bad.kind = MOTION_SPIN;
    assert_false(SV_PusherNext(&sim.sv, lift, &bad, 100));
    assert_int_equal(logged("refused to announce a motion"), 1); // one line per burst
    assert_int_equal(lift->next.wait_ms, 100);
    // A pusher with a target outside the world is quarantined; nothing else changes.
    good.delta = Vector(0, 0, 100000);
    assert_true(SV_PusherStart(&sim.sv, lift, &good));
    ticks(20);
    assert_true(lift->flags & FL_QUARANTINED);
    // A motion with no distance and no duration.
    edict_t *still = spawn_pusher(PLATFORM, Vector(100, 0, 16));
    ticks(1);
    move_to(still, still->origin, 0, 0);
    ticks(5);
    move_to(still, still->origin, 0, -5);
    ticks(5);
    assert_place(still->origin, 100, 0, 16, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_lift_carries_up_and_down),
        TEST(test_speed_is_of_the_tick),
        TEST(test_resting_pusher_is_not_awake),
        TEST(test_sleeping_rider_stays_asleep),
        TEST(test_turning_platform_carries_and_turns),
        TEST(test_stack_of_three_rides),
        TEST(test_dead_player_rides),
        TEST(test_what_is_not_linked_goes_along),
        TEST(test_three_hundred_riders),
        TEST(test_thinks_on_local_time),
        TEST(test_train_keeps_its_timetable),
        TEST(test_velocities_written_at_rest_are_refused),
        TEST(test_velocities_written_in_a_ride_are_refused),
        TEST(test_bad_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
