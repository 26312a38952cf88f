// Pushers and obstacles: an obstacle is pushed, or it blocks the pusher, and then the whole move is
// rolled back.

#include "lib/pushers_fixture.h"

#include "move/fit.h"

// ---- obstacles ----

static void test_door_pushes_just_so_far(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(-200, 0, 0));
    edict_t *walker = spawn_walker(Vector(-120, 0, 0));
    edict_t *crate = spawn_crate(Vector(-120, 48, 0));
    ticks(10);
    move_to(door, Vector(0, 0, 0), 0, 2000);
    ticks(140);
    assert_int_equal(door->effects, 0);
    assert_place(door->origin, 0, 0, 0, 0);
    assert_place(walker->origin, 24.0f + EPS, 0, 24.0f + EPS, 0.01f);
    assert_place(crate->origin, 24.0f + EPS, 48, 16.0f + EPS, 0.01f);
    assert_true(rests_on(crate, World_Edict(sim.world, EDICT_WORLD)));
}

static void test_things_push_each_other(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(-200, 0, 0));
    edict_t *row[3];
    for (int32_t i = 0; i < 3; i++) {
        row[i] = spawn_crate(Vector(-150.0f + 50.0f * (float)i, 0, 0));
    }
    ticks(10);
    move_to(door, Vector(0, 0, 0), 0, 2000);
    ticks(140);
    assert_int_equal(door->effects, 0);
    for (int32_t i = 0; i < 3; i++) {
        assert_true(fabsf(row[i]->origin.x - (24.0f + 32.0f * (float)i)) < 0.2f);
    }
}

static void test_what_stands_on_the_pushed_goes_along(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(-200, 0, 0));
    edict_t *crate = spawn_crate(Vector(-150, 0, 0));
    edict_t *upper = spawn_crate(Vector(-150, 0, 33));
    edict_t *walker = spawn_walker(Vector(-150, 0, 66));
    ticks(30);
    assert_true(rests_on(upper, crate));
    assert_true(rests_on(walker, upper));
    move_to(door, Vector(0, 0, 0), 0, 2000);
    ticks(140);
    assert_int_equal(door->effects, 0);
    assert_true(fabsf(crate->origin.x - 24.0f) < 0.2f);
    assert_true(fabsf(upper->origin.x - 24.0f) < 0.5f);
    assert_true(fabsf(walker->origin.x - 24.0f) < 0.5f);
    assert_true(rests_on(upper, crate));
    assert_true(rests_on(walker, upper));
}

// With more riders than fit, those with the lowest numbers go along, as clients predict.
static void test_the_first_riders_go_along(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(-200, 0, 0));
    edict_t *crate = spawn_crate(Vector(-140, 0, 0));
    edict_t *riders[PM_MAX_LOAD + 4];
    for (int32_t i = 0; i < PM_MAX_LOAD + 4; i++) {
        const float x = -152.0f + 6.0f * (float)(i % 5);
        riders[i] = spawn_crate(Vector(x, -9.0f + 6.0f * (float)(i / 5), 33));
        riders[i]->mins = Vector(-2, -2, -16);
        riders[i]->maxs = Vector(2, 2, 16);
        SV_LinkEdict(&sim.sv, riders[i], false);
    }
    ticks(30);
    float before[COUNTOF(riders)];
    for (size_t i = 0; i < COUNTOF(riders); i++) {
        assert_true(rests_on(riders[i], crate));
        before[i] = riders[i]->origin.x;
    }
    const float start = crate->origin.x;
    move_to(door, Vector(-162, 0, 0), 0, 1000);
    for (int32_t i = 0; i < 80 && crate->origin.x == start; i++) {
        ticks(1);
    }
    assert_true(crate->origin.x > start);
    for (size_t i = 0; i < COUNTOF(riders); i++) {
        assert_true((riders[i]->origin.x > before[i]) == (i < PM_MAX_LOAD));
    }
}

static void test_swinging_door_pushes(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(0, 0, 0));
    edict_t *walker = spawn_walker(Vector(40, 40, 0));
    ticks(5);
    // Counter-clockwise, the half at +y moves to -x; clockwise, to +x.
    move_to(door, zero, -80, 1500);
    ticks(110);
    assert_int_equal(door->effects, 0);
    assert_true(door->angles.y == -80.0f);
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
    assert_true(walker->origin.x > 40.0f || walker->origin.y < 40.0f);
}

static void test_pushed_twice_in_a_tick(void **state) {
    (void)state;
    edict_t *along_x = spawn_pusher(PILLAR, Vector(-100, 0, 0));
    edict_t *along_y = spawn_pusher(PILLAR, Vector(0, -100, 0));
    edict_t *crate = spawn_crate(Vector(0, 0, 0));
    SV_PusherTeam(&sim.sv, along_y, along_x);
    ticks(10);
    move_to(along_x, Vector(-8, 0, 0), 0, 1000);
    move_to(along_y, Vector(0, -8, 0), 0, 1000);
    ticks(80);
    assert_int_equal(along_x->effects + along_y->effects, 0);
    assert_place(crate->origin, 24.0f + EPS, 24.0f + EPS, 16.0f + EPS, 0.05f);
}

typedef struct {
    edict_t edicts[64];
    int32_t count;
} memory_t;

static memory_t remember(void) {
    memory_t memory = {.count = Q_MinI(sim.world->num_edicts, 64)};
    for (int32_t i = 0; i < memory.count; i++) {
        memory.edicts[i] = *World_Edict(sim.world, i);
    }
    return memory;
}

// A crate between a door and the wall, a walker in the path, and riders on a platform of the same
// team: not one bit of them changes.
static void test_blocked_set_rolls_back_completely(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(300, 0, 0));
    edict_t *platform = spawn_pusher(PLATFORM, Vector(0, 200, 16));
    edict_t *rider = spawn_walker(Vector(0, 200, 16));
    edict_t *pinned = spawn_crate(Vector(383.5f, 0, 0));
    edict_t *between = spawn_crate(Vector(340, 0, 0));
    (void)rider;
    (void)between;
    SV_PusherTeam(&sim.sv, door, platform);
    ticks(10);
    // From 300 + 8 to 400 - 32 - 32: far enough to trap both.
    move_to(door, Vector(390, 0, 0), 0, 1000);
    move_to(platform, Vector(0, 200, 316), 40, 1000);
    memory_t before = remember();
    int32_t moved = 0;
    for (int32_t i = 0; i < 120; i++) {
        ticks(1);
        if (door->effects > 0) {
            break;
        }
        moved++;
        before = remember();
    }
    assert_true(moved > 10);
    assert_true(door->effects == 1);
    assert_int_equal(platform->effects, 0); // called once, and only for the blocked pusher
    memory_t after = remember();
    for (int32_t i = 1; i < after.count; i++) {
        edict_t *a = &before.edicts[i];
        edict_t *b = &after.edicts[i];
        if (World_Edict(sim.world, i) == door || World_Edict(sim.world, i) == platform) {
            assert_int_equal(b->lag_ms - a->lag_ms, 16);
            b->lag_ms = a->lag_ms;
            b->velocity = a->velocity; // b is at rest in this tick
            b->avelocity = a->avelocity;
            b->pushed_velocity = a->pushed_velocity;
            b->pushed_avelocity = a->pushed_avelocity;
            b->effects = a->effects;
            memcpy(b->game, a->game, sizeof b->game);
        }
        assert_memory_equal(a, b, sizeof *a);
    }
    assert_place(door->velocity, 0, 0, 0, 0);
    for (int32_t i = 0; i < 50; i++) {
        ticks(1);
    }
    assert_int_equal(door->effects, 51); // once per tick
    // The path is free again: the door continues from where it was, with its team.
    SV_RemoveEdict(&sim.sv, pinned);
    SV_RemoveEdict(&sim.sv, between);
    vec3_t stood = door->origin;
    ticks(1);
    assert_true(door->origin.x > stood.x);
    assert_true(door->origin.x - stood.x < 2.0f);
    ticks(120);
    assert_place(door->origin, 390, 0, 0, 0);
    assert_place(platform->origin, 0, 200, 316, 0);
}

// A turning platform turns the velocity of its rider. When its set is blocked, the rider keeps
// every bit of the velocity, yaw and ground that it had before the tick.
static void test_blocked_turn_gives_the_velocity_back(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(300, 0, 0));
    edict_t *platform = spawn_pusher(PLATFORM, Vector(0, 200, 16));
    edict_t *rider = spawn_walker(Vector(20, 200, 16));
    edict_t *pinned = spawn_crate(Vector(383.5f, 0, 0));
    SV_PusherTeam(&sim.sv, door, platform);
    ticks(10);
    move_to(door, Vector(390, 0, 0), 0, 1000);
    move_to(platform, Vector(0, 200, 16), 90, 1000);
    for (int32_t i = 0; i < 120 && door->effects == 0; i++) {
        ticks(1);
    }
    assert_int_equal(door->effects, 1);
    assert_true(platform->angles.y > 10.0f);
    assert_true(rests_on(rider, platform));
    rider->velocity = Vector(100.0f, 50.0f, 0.0f);
    const edict_t before = *rider;
    sim.world->time_ms += 16;
    SV_Pushers(&sim.sv);
    assert_int_equal(door->effects, 2);
    assert_memory_equal(&before.velocity, &rider->velocity, sizeof rider->velocity);
    assert_memory_equal(&before.angles, &rider->angles, sizeof rider->angles);
    assert_memory_equal(&before.origin, &rider->origin, sizeof rider->origin);
    assert_int_equal(rider->flags, before.flags);
    assert_true(rests_on(rider, platform));
    // Without the obstacle, the same tick turns the platform.
    SV_RemoveEdict(&sim.sv, pinned);
    sim.world->time_ms += 16;
    SV_Pushers(&sim.sv);
    assert_int_equal(door->effects, 2);
    assert_true(rider->velocity.x < 99.9f);
    assert_true(rider->velocity.y > 50.1f);
    float speed = VectorLength(rider->velocity);
    assert_true(fabsf(speed - VectorLength(before.velocity)) < 1e-3f);
    sim.world->time_ms -= 32;
}

static void test_blocked_may_remove_or_reverse(void **state) {
    (void)state;
    edict_t *crusher = spawn_pusher(CEILING, Vector(0, 0, 300));
    edict_t *victim = spawn_walker(zero);
    edict_ref_t ref = World_Ref(sim.world, victim);
    crusher->blocked = Callbacks_Find(sim.world, "remove");
    ticks(5);
    move_to(crusher, Vector(0, 0, 10), 0, 1000);
    ticks(80);
    assert_int_equal(crusher->effects, 1);
    assert_null(World_Deref(sim.world, ref));
    assert_place(crusher->origin, 0, 0, 10, 0);
    // A door that reverses when it is blocked.
    edict_t *door = spawn_pusher(CEILING, Vector(200, 0, 300));
    door->blocked = Callbacks_Find(sim.world, "reverse");
    edict_t *walker = spawn_walker(Vector(200, 0, 0));
    ticks(5);
    move_to(door, Vector(200, 0, 10), 0, 1000);
    ticks(160);
    assert_int_equal(door->effects, 1);
    assert_place(door->origin, 0, 0, 300, 0);
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
}

static void test_low_ceiling_blocks_the_lift(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(-400, 400, 16));
    edict_t *below = spawn_walker(Vector(-400, 400, 16));
    ticks(10);
    move_to(lift, Vector(-400, 400, 60), 0, 500);
    ticks(100);
    assert_true(lift->effects > 60);
    assert_null(SV_TestEdictPosition(&sim.sv, below));
    assert_true(rests_on(below, lift));
    assert_true(lift->origin.z > 22.0f);
    assert_true(lift->origin.z < 24.0f); // 80 - 56 is just enough room for the player
    SV_RemoveEdict(&sim.sv, below);
    ticks(50);
    assert_place(lift->origin, -400, 400, 60, 0);
}

// Without a check, the lift would end above its rider's head in one tick.
static void test_fast_lift_does_not_go_through_its_rider(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(-400, 400, 16));
    edict_t *below = spawn_walker(Vector(-400, 400, 16));
    ticks(10);
    move_to(lift, Vector(-400, 400, 250), 0, 16);
    ticks(20);
    assert_int_equal(lift->effects, 20);
    assert_place(lift->origin, -400, 400, 16, 0);
    assert_true(rests_on(below, lift));
    // A fast pusher does not pass through an obstacle either.
    edict_t *crusher = spawn_pusher(CEILING, Vector(0, 0, 200));
    edict_t *walker = spawn_walker(zero);
    ticks(5);
    move_to(crusher, Vector(0, 0, -100), 0, 16);
    ticks(20);
    assert_int_equal(crusher->effects, 20);
    assert_place(walker->origin, 0, 0, 24, 0.1f);
}

static void test_soft_things_never_block(void **state) {
    (void)state;
    edict_t *crusher = spawn_pusher(CEILING, Vector(0, 0, 200));
    edict_t *corpse = spawn_walker(zero);
    corpse->flags |= FL_CORPSE;
    edict_t *item = spawn_crate(Vector(40, 40, 0));
    item->flags |= FL_ITEM;
    item->solid = SOLID_TRIGGER;
    SV_LinkEdict(&sim.sv, item, false);
    ticks(5);
    move_to(crusher, Vector(0, 0, 4), 0, 500);
    ticks(60);
    assert_int_equal(crusher->effects, 0);
    assert_place(crusher->origin, 0, 0, 4, 0);
    assert_true(World_IsLive(corpse));
    assert_true(World_IsLive(item));
}

static void test_rider_is_scraped_off_by_a_wall(void **state) {
    (void)state;
    edict_t *train = spawn_pusher(PLATFORM, Vector(0, -200, 100));
    edict_t *walker = spawn_walker(Vector(0, -200, 100));
    edict_t *wall = spawn_pusher(DOOR, Vector(120, -200, 101));
    (void)wall;
    ticks(5);
    move_to(train, Vector(300, -200, 100), 0, 3000);
    ticks(250);
    assert_int_equal(train->effects, 0);
    assert_place(train->origin, 300, -200, 100, 0);
    assert_true(walker->origin.x < 120.0f);
    assert_true(walker->origin.z < 30.0f); // the walker fell down behind the pusher
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
}

static void test_carried_riders_touch_triggers(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(0, 0, 16));
    edict_t *trigger = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0, 0, 200), 20.0f);
    trigger->touch = Callbacks_Find(sim.world, "trigger");
    SV_LinkEdict(&sim.sv, trigger, false);
    ticks(10);
    assert_int_equal(trigger->effects, 0);
    move_to(lift, Vector(0, 0, 300), 0, 1000);
    ticks(80);
    assert_true(trigger->effects > 5);
    assert_true(rests_on(crate, lift));
}

static void timer_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    edict_t *lift = World_Deref(sv->world, other->groundentity);
    if (self->effects++ == 0) {
        SV_SetNextThink(sv, lift, SV_PusherTime(sv, lift));
    }
}

// A think that is set during a push runs in the next tick.
static void test_a_touch_sets_the_timer_of_the_pusher(void **state) {
    (void)state;
    callback_t all[COUNTOF(functions) + 1];
    memcpy(all, functions, sizeof functions);
    all[COUNTOF(functions)] = (callback_t){.name = "timer", .touch = timer_touch};
    TestSim_Bind(&sim, all, COUNTOF(all));
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    spawn_crate(Vector(0, 0, 16));
    edict_t *trigger = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0, 0, 200), 20.0f);
    trigger->touch = Callbacks_Find(sim.world, "timer");
    lift->think = Callbacks_Find(sim.world, "think");
    SV_LinkEdict(&sim.sv, trigger, false);
    ticks(10);
    move_to(lift, Vector(0, 0, 300), 0, 1000);
    for (int32_t i = 0; i < 80 && trigger->effects == 0; i++) {
        ticks(1);
    }
    assert_int_equal(trigger->effects, 1);
    assert_int_equal(lift->effects, 0);
    ticks(1);
    assert_int_equal(lift->effects, 1);
}

static void test_riders_touch_what_they_are_carried_into(void **state) {
    (void)state;
    edict_t *train = spawn_pusher(PLATFORM, Vector(300, -200, 100));
    edict_t *crate = spawn_crate(Vector(300, -200, 100)); // the map's wall is at 400
    edict_t *other = spawn_crate(Vector(384, -130, 100));
    other->movetype = MOVETYPE_FLY;
    crate->touch = Callbacks_Find(sim.world, "trigger");
    ticks(5);
    int32_t landed = crate->effects;
    move_to(train, Vector(420, -200, 100), 0, 500);
    ticks(50);
    assert_int_equal(train->effects, 0);
    // At the wall, while the train continued below the crate.
    assert_true(crate->effects > landed + 5);
    assert_place(crate->origin, 384.0f - EPS, -200, 116, 0.1f);
    // Both touch callbacks also run for an edict.
    other->touch = Callbacks_Find(sim.world, "trigger");
    landed = crate->effects;
    move_to(train, Vector(420, -140, 100), 0, 500);
    ticks(50);
    assert_true(crate->effects > landed);
    assert_true(other->effects > 0);
}

static void test_what_is_never_pushed(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(-100, 0, 0));
    edict_t *none = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0, 0, 16), 16);
    edict_t *noclip = TestSim_Spawn(&sim, MOVETYPE_NOCLIP, SOLID_BBOX, Vector(0, 40, 16), 16);
    edict_t *pusher = spawn_pusher(PILLAR, Vector(0, -40, 0));
    SV_LinkEdict(&sim.sv, none, false);
    SV_LinkEdict(&sim.sv, noclip, false);
    ticks(2);
    move_to(door, Vector(100, 0, 0), 0, 500);
    ticks(50);
    assert_int_equal(door->effects, 0);
    assert_place(door->origin, 100, 0, 0, 0);
    assert_place(none->origin, 0, 0, 16, 0);
    assert_place(noclip->origin, 0, 40, 16, 0);
    assert_place(pusher->origin, 0, -40, 0, 0);
}

static void test_what_was_stuck_before_does_not_block(void **state) {
    (void)state;
    edict_t *door = spawn_pusher(DOOR, Vector(300, 0, 0));
    edict_t *crate = spawn_crate(Vector(395, 0, 0)); // half in the wall
    crate->movetype = MOVETYPE_FLY;
    ticks(2);
    move_to(door, Vector(390, 0, 0), 0, 500);
    ticks(50);
    assert_int_equal(door->effects, 0);
    assert_place(door->origin, 390, 0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_door_pushes_just_so_far),
        TEST(test_things_push_each_other),
        TEST(test_what_stands_on_the_pushed_goes_along),
        TEST(test_the_first_riders_go_along),
        TEST(test_swinging_door_pushes),
        TEST(test_pushed_twice_in_a_tick),
        TEST(test_blocked_set_rolls_back_completely),
        TEST(test_blocked_turn_gives_the_velocity_back),
        TEST(test_blocked_may_remove_or_reverse),
        TEST(test_low_ceiling_blocks_the_lift),
        TEST(test_fast_lift_does_not_go_through_its_rider),
        TEST(test_soft_things_never_block),
        TEST(test_rider_is_scraped_off_by_a_wall),
        TEST(test_carried_riders_touch_triggers),
        TEST(test_a_touch_sets_the_timer_of_the_pusher),
        TEST(test_riders_touch_what_they_are_carried_into),
        TEST(test_what_is_never_pushed),
        TEST(test_what_was_stuck_before_does_not_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
