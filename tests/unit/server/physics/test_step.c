// MOVETYPE_STEP and the walking of monsters: steps, ledges, air, water, knocks, the chase.

#include "lib/events_fixture.h"
#include "lib/step_fixture.h"

#include "math/angles.h"
#include "world/block.h"

static int32_t walk(test_sim_t *sim, edict_t *edict, float yaw, int32_t steps) {
    int32_t done = 0;
    for (int32_t i = 0; i < steps; i++) {
        done += SV_WalkMove(&sim->sv, edict, yaw, 8.0f, NULL);
    }
    return done;
}

static void test_climbs_18_not_19(void **state) {
    (void)state;
    for (int32_t height = 16; height <= 20; height++) {
        test_sim_t sim;
        set_up(&sim, (float)height);
        edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 40.0f));
        walk(&sim, dog, 0.0f, 60);
        if (height <= 18) {
            assert_true(dog->origin.x > STEP_X + 100.0f);
            assert_true(fabsf(dog->origin.z - (float)height - 24.0f) < 0.1f);
            walk(&sim, dog, 180.0f, 60); // and down again
            assert_true(dog->origin.x < 100.0f);
            assert_true(fabsf(dog->origin.z - 24.0f) < 0.1f);
        } else {
            assert_true(dog->origin.x <= STEP_X - 15.9f);
            assert_true(dog->origin.x > STEP_X - 32.0f);
        }
        assert_null(SV_TestEdictPosition(&sim.sv, dog));
        TestSim_Free(&sim);
    }
}

static void test_refuses_a_ledge(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *dog = add_standing(&sim, Vector(-300.0f, 0.0f, 150.0f));
    walk(&sim, dog, 0.0f, 40);
    // The corner rule allows no part of its middle to hang over the edge.
    assert_true(dog->origin.x <= LEDGE_X - 16.0f + 0.1f);
    assert_true(dog->origin.x > LEDGE_X - 32.0f);
    assert_true(dog->flags & FL_ONGROUND);
    // A monster that is already on the edge may walk off, and falls.
    dog->flags |= FL_PARTIALGROUND;
    assert_true(walk(&sim, dog, 0.0f, 10) > 0);
    for (int32_t i = 0; i < 100; i++) {
        TestSim_Tick(&sim);
    }
    assert_true(fabsf(dog->origin.z - 24.0f) < 0.1f);
    assert_true(dog->flags & FL_ONGROUND);
    TestSim_Free(&sim);
}

// The corners are those of the box, which need not be around its origin.
static void test_corners_of_a_long_box(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *dog = add_standing(&sim, Vector(-300.0f, 0.0f, 150.0f));
    dog->origin.x = LEDGE_X - 20.0f;
    assert_true(SV_CheckBottom(&sim.sv, dog));
    dog->maxs.x = 60.0f;
    assert_false(SV_CheckBottom(&sim.sv, dog));
    dog->origin.x = LEDGE_X - 70.0f;
    assert_true(SV_CheckBottom(&sim.sv, dog));
    dog->maxs.x = 16.0f;
    dog->origin.y = 380.0f; // the ledge ends at 400
    assert_true(SV_CheckBottom(&sim.sv, dog));
    dog->maxs.y = 60.0f;
    assert_false(SV_CheckBottom(&sim.sv, dog));
    TestSim_Free(&sim);
}

static void test_long_steps_jump_over_nothing(void **state) {
    (void)state;
    const test_block_t wall =
        TestMap_Box((vec3_t){100.0f, -1024.0f, 0.0f}, (vec3_t){108.0f, 1024.0f, 300.0f});
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = &wall,
                            .num_blocks = 1};
    test_sim_t sim;
    TestSim_Init(&sim, &map, 16);
    edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 40.0f));
    assert_false(SV_WalkMove(&sim.sv, dog, 0.0f, 300.0f, NULL));
    assert_true(SV_WalkMove(&sim.sv, dog, 180.0f, 300.0f, NULL));
    TestSim_Free(&sim);
}

static void test_swims_and_flies(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *fish = add(&sim, Vector(0.0f, 800.0f, 100.0f), FL_SWIM);
    edict_t *bird = add(&sim, Vector(0.0f, 0.0f, 300.0f), FL_FLY);
    edict_t *goal = add_standing(&sim, Vector(600.0f, 300.0f, 60.0f));
    for (int32_t i = 0; i < 400; i++) {
        TestSim_Tick(&sim);
        SV_MoveToGoal(&sim.sv, fish, goal, 8.0f, NULL);
        SV_MoveToGoal(&sim.sv, bird, goal, 8.0f, NULL);
        assert_int_equal(SV_PointContents(&sim.sv, fish->origin), CONTENTS_WATER);
    }
    float above = bird->origin.z - goal->origin.z;
    assert_true(above > 20.0f);
    assert_true(above < 50.0f);
    assert_true(bird->absmin.x < goal->absmax.x + 9.0f);
    assert_true(bird->absmax.x > goal->absmin.x - 9.0f);
    assert_true(fish->origin.y > 500.0f);
    TestSim_Free(&sim);
}

static void test_knocked_it_flies_and_lands(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 40.0f));
    dog->velocity = Vector(-100.0f, 0.0f, 300.0f); // like the jump of a monster
    dog->flags &= ~FL_ONGROUND;
    dog->groundentity = (edict_ref_t){0, 0};
    SV_LinkEdict(&sim.sv, dog, false);
    int32_t landings = 0;
    float top = 0.0f;
    for (int32_t i = 0; i < 200; i++) {
        TestSim_Tick(&sim);
        landings += TestEvents_Effects(sim.world, sim.events, "land");
        top = dog->origin.z > top ? dog->origin.z : top;
    }
    // v * v / 2g = 56.25, less the effect of gravity in the first tick.
    assert_true(top > 24.0f + 50.0f);
    assert_true(top < 24.0f + 57.0f);
    assert_int_equal(landings, 1);
    assert_true(dog->flags & FL_ONGROUND);
    assert_true(VectorCompare(dog->velocity, zero));
    assert_true(dog->origin.x < -60.0f);
    assert_int_equal(World_NextActive(sim.world, -1), -1); // it rests and is not visited
    TestSim_Free(&sim);
}

// Flying and swimming monsters slow down by themselves; friction slows a walking monster.
static void test_a_knock_wears_off(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *bird = add(&sim, Vector(0.0f, 0.0f, 300.0f), FL_FLY);
    edict_t *fish = add(&sim, Vector(0.0f, 800.0f, 100.0f), FL_SWIM);
    edict_t *dog = add_standing(&sim, Vector(0.0f, -300.0f, 25.0f));
    bird->velocity = Vector(-100.0f, 0.0f, 200.0f);
    fish->velocity = Vector(50.0f, 50.0f, -30.0f);
    dog->velocity = Vector(0.0f, 250.0f, 0.0f);
    for (int32_t i = 0; i < 3; i++) {
        SV_WakeEdict(&sim.sv, World_Edict(sim.world, 2 + i));
    }
    vec3_t from[] = {bird->origin, fish->origin, dog->origin};
    for (int32_t i = 0; i < 150; i++) {
        TestSim_Tick(&sim);
        assert_true(dog->flags & FL_ONGROUND);
    }
    assert_true(bird->origin.z - from[0].z > 20.0f);
    assert_true(bird->origin.x - from[0].x < -10.0f);
    assert_true(fish->origin.x - from[1].x > 3.0f);
    assert_true(fish->origin.z < from[1].z - 1.5f);
    assert_true(dog->origin.y - from[2].y > 45.0f);
    assert_true(dog->origin.z == from[2].z);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

static void throw_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self;
    (void)trace;
    SV_SetGround(sv, other, NULL);
    other->velocity = Vector(-300.0f, 0.0f, 250.0f);
}

/// A conveyor changes nothing of the velocity that a trigger gives to its rider.
static void test_thrown_off_a_conveyor(void **state) {
    (void)state;
    static const callback_t functions[] = {{.name = "throw", .touch = throw_touch}};
    test_sim_t sim;
    set_up(&sim, 16.0f);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    edict_t *belt = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, Vector(0.0f, 0.0f, 16.0f), 64.0f);
    belt->model = 1;
    belt->surface_velocity = Vector(80.0f, 0.0f, 0.0f);
    SV_LinkEdict(&sim.sv, belt, false);
    edict_t *dog = add_standing(&sim, Vector(-60.0f, 0.0f, 58.0f));
    edict_t *trigger =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(30.0f, 0.0f, 50.0f), 4.0f);
    trigger->touch = Callbacks_Find(sim.world, "throw");
    SV_LinkEdict(&sim.sv, trigger, false);
    int32_t ticks = 0;
    while (dog->velocity.z <= 0.0f && ticks++ < 100) {
        TestSim_Tick(&sim);
    }
    assert_true(VectorCompare(dog->velocity, Vector(-300.0f, 0.0f, 250.0f)));
    TestSim_Tick(&sim);
    assert_true(dog->velocity.x == -300.0f);
    assert_true(dog->velocity.z > 200.0f);
    TestSim_Free(&sim);
}

// A monster on a belt slides along the wall at the belt's end, and gets no velocity of its own from
// that.
static void test_carried_against_a_wall(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 400.0f); // a wall at x = 200
    edict_t *belt =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, Vector(136.0f, 0.0f, 16.0f), 64.0f);
    belt->model = 1;
    belt->surface_velocity = Vector(80.0f, 10.0f, 0.0f);
    SV_LinkEdict(&sim.sv, belt, false);
    edict_t *dog = add_standing(&sim, Vector(100.0f, 0.0f, 58.0f));
    float y = dog->origin.y;
    for (int32_t i = 0; i < 125; i++) {
        TestSim_Tick(&sim);
        assert_true(VectorCompare(dog->velocity, zero));
        assert_true(dog->flags & FL_ONGROUND);
    }
    assert_true(dog->origin.x > 183.9f);
    assert_true(dog->origin.x < 184.0f);
    assert_true(fabsf(dog->origin.y - y - 20.0f) < 0.5f); // 2 s at 10 qu/s
    TestSim_Free(&sim);
}

/// A monster inside another edict rests and is not visited. It falls when that edict is removed.
static void test_stuck_in_another(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *a = add(&sim, Vector(0.0f, 0.0f, 300.0f), 0);
    edict_t *b = add(&sim, Vector(5.0f, 5.0f, 300.0f), 0);
    for (int32_t i = 0; i < 20; i++) {
        TestSim_Tick(&sim);
    }
    assert_true(a->origin.z == 300.0f);
    assert_true(b->origin.z == 300.0f);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    SV_RemoveEdict(&sim.sv, a);
    for (int32_t i = 0; i < 100; i++) {
        TestSim_Tick(&sim);
    }
    assert_true(fabsf(b->origin.z - 24.0f) < 0.1f);
    assert_true(b->flags & FL_ONGROUND);
    TestSim_Free(&sim);
}

/// Two monsters inside each other (after a teleport) walk apart, but not into a third one.
static void test_walks_out_of_another(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *a = add_standing(&sim, Vector(0.0f, 0.0f, 25.0f));
    edict_t *third = add_standing(&sim, Vector(60.0f, 0.0f, 25.0f));
    edict_t *b = add(&sim, Vector(5.0f, 3.0f, 24.1f), 0);
    edict_t *bird = add(&sim, Vector(-6.0f, 0.0f, 24.1f), FL_FLY);
    for (int32_t i = 0; i < 5; i++) {
        TestSim_Tick(&sim);
    }
    walk(&sim, b, 0.0f, 20);
    assert_true(b->origin.x > 11.0f);
    assert_true(b->origin.x <= 28.0f); // up to the third monster
    assert_true(walk(&sim, b, 90.0f, 20) == 20);
    assert_true(walk(&sim, bird, 270.0f, 20) == 20);
    assert_true(walk(&sim, a, 180.0f, 5) == 5);
    edict_t *all[] = {a, b, bird, third};
    for (size_t i = 0; i < COUNTOF(all); i++) {
        assert_null(SV_TestEdictPosition(&sim.sv, all[i]));
        assert_int_equal(all[i]->owner.generation, 0);
    }
    assert_true(b->flags & FL_ONGROUND);
    assert_true(fabsf(b->origin.z - 24.0f) < 0.2f);
    TestSim_Free(&sim);
}

static void test_spins_while_it_stands(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 30.0f));
    dog->avelocity = Vector(0.0f, 100.0f, 0.0f);
    SV_WakeEdict(&sim.sv, dog);
    for (int32_t i = 0; i < 100; i++) {
        TestSim_Tick(&sim);
    }
    assert_true(fabsf(dog->angles.y - 160.0f) < 0.1f);
    dog->avelocity.y = NAN;
    TestSim_Tick(&sim);
    assert_true(dog->flags & FL_QUARANTINED);
    TestSim_Free(&sim);
}

// A monster whose ground is removed falls, because the ground wakes it.
static void test_its_ground_goes(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    edict_t *plate =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, Vector(0.0f, 0.0f, 300.0f), 64.0f);
    plate->model = 1;
    SV_LinkEdict(&sim.sv, plate, false);
    edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 342.0f));
    for (int32_t i = 0; i < 5; i++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    plate->origin.x = 500.0f;
    SV_LinkEdict(&sim.sv, plate, false);
    for (int32_t i = 0; i < 100; i++) {
        TestSim_Tick(&sim);
    }
    assert_true(fabsf(dog->origin.z - 24.0f) < 0.1f);
    assert_true(dog->flags & FL_ONGROUND);
    TestSim_Free(&sim);
}

// Walks from corner to corner by SV_StepDirection, turning on the spot first.
static void test_walks_a_path(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 16.0f);
    const vec3_t corners[] = {
        {150.0f, 0.0f, 0.0f}, {150.0f, 300.0f, 0.0f}, {-150.0f, 300.0f, 0.0f}};
    edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 30.0f));
    dog->yaw_speed = 20.0f;
    for (size_t i = 0; i < COUNTOF(corners); i++) {
        int32_t steps = 0;
        vec3_t d = VectorSubtract(corners[i], dog->origin);
        while ((fabsf(d.x) > 8.0f || fabsf(d.y) > 8.0f) && steps++ < 200) {
            float x =
                fabsf(d.x) > 8.0f ? (d.x > 0.0f ? 0.0f : 180.0f) : (d.y > 0.0f ? 90.0f : 270.0f);
            vec3_t was = dog->origin;
            SV_StepDirection(&sim.sv, dog, x, 8.0f, NULL);
            float off = fabsf(AngleNormalize180(dog->angles.y - x));
            assert_true(off <= 45.1f || VectorCompare(was, dog->origin));
            TestSim_Tick(&sim);
            d = VectorSubtract(corners[i], dog->origin);
        }
        assert_true(steps < 100);
    }
    TestSim_Free(&sim);
}

static void set_up_wall(test_sim_t *sim) {
    const test_block_t wall =
        TestMap_Box((vec3_t){100.0f, -200.0f, 0.0f}, (vec3_t){116.0f, 200.0f, 300.0f});
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = &wall,
                            .num_blocks = 1};
    TestSim_Init(sim, &map, 16);
}

/// The chase goes around a wall in its path, and never into it. `to_point`: without a goal edict.
static void chase_around_wall(bool to_point) {
    int32_t reached = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        test_sim_t sim;
        set_up_wall(&sim);
        sim.world->rng.state = seed;
        edict_t *dog = add_standing(&sim, Vector(0.0f, 10.0f * (float)seed - 90.0f, 40.0f));
        const vec3_t point = {300.0f, 0.0f, 40.0f};
        edict_t *goal = to_point ? NULL : add_standing(&sim, point);
        for (int32_t i = 0; i < 1500; i++) {
            TestSim_Tick(&sim);
            if (to_point) {
                vec3_t was = dog->origin;
                float yaw = dog->angles.y;
                bool moved = SV_MoveToPoint(&sim.sv, dog, point, 10.0f, NULL);
                assert_true(!moved || !VectorCompare(was, dog->origin) || yaw != dog->angles.y);
            } else {
                SV_MoveToGoal(&sim.sv, dog, goal, 10.0f, NULL);
            }
            assert_null(SV_TestEdictPosition(&sim.sv, dog));
        }
        vec3_t d = VectorSubtract(point, dog->origin);
        reached += fabsf(d.x) < 60.0f && fabsf(d.y) < 60.0f;
        TestSim_Free(&sim);
    }
    print_message("the chase: %d of 20 reached their goal\n", reached);
    assert_true(reached >= 18);
}

static void test_the_chase_finds_its_way(void **state) {
    (void)state;
    chase_around_wall(false);
}

static void test_a_point_is_a_goal(void **state) {
    (void)state;
    chase_around_wall(true);
}

static void remove_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self;
    (void)trace;
    SV_RemoveEdict(sv, other);
}

// SV_MoveToPoint returns false for a monster that can neither move nor turn, has arrived below the
// point, or is removed by a trigger.
static void test_no_move_to_a_point(void **state) {
    (void)state;
    static const callback_t functions[] = {{.name = "remove", .touch = remove_touch}};
    test_sim_t sim;
    set_up_wall(&sim);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    edict_t *dog = add_standing(&sim, Vector(-400.0f, 0.0f, 40.0f));
    const vec3_t start = dog->origin;
    dog->angles.y = 22.0f; // no direction of a step
    dog->yaw_speed = 0.0f;
    int32_t moves = 0;
    for (int32_t i = 0; i < 100; i++) {
        vec3_t was = dog->origin;
        bool moved = SV_MoveToPoint(&sim.sv, dog, Vector(0.0f, -400.0f, 40.0f), 10.0f, NULL);
        assert_int_equal(moved, !VectorCompare(was, dog->origin));
        moves += moved;
    }
    assert_true(moves < 100);
    dog->origin = start;
    dog->yaw_speed = 360.0f;
    SV_LinkEdict(&sim.sv, dog, false);
    const vec3_t above = {-200.0f, 0.0f, 140.0f};
    int32_t steps = 0;
    while (SV_MoveToPoint(&sim.sv, dog, above, 10.0f, NULL)) {
        assert_true(steps++ < 100);
    }
    assert_true(fabsf(dog->origin.x - above.x) <= 28.0f);
    assert_true(fabsf(dog->origin.y - above.y) <= 28.0f);
    edict_t *trigger = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, dog->origin, 30.0f);
    trigger->touch = Callbacks_Find(sim.world, "remove");
    SV_LinkEdict(&sim.sv, trigger, false);
    assert_false(SV_MoveToPoint(&sim.sv, dog, start, 10.0f, NULL));
    assert_false(World_IsLive(dog));
    TestSim_Free(&sim);
}

// Walks straight to a point without turning, stops at the wall and does nothing at the point.
static void test_strafes_straight(void **state) {
    (void)state;
    test_sim_t sim;
    set_up_wall(&sim);
    edict_t *dog = add_standing(&sim, Vector(-200.0f, 0.0f, 40.0f));
    dog->angles.y = 90.0f;
    const vec3_t free_point = {0.0f, 100.0f, 40.0f};
    int32_t steps = 0;
    while (SV_Strafe(&sim.sv, dog, free_point, 10.0f, NULL)) {
        steps++;
        // A straight line from (-200, 0) to (0, 100).
        assert_true(fabsf(dog->origin.x - 2.0f * dog->origin.y + 200.0f) < 0.1f);
        assert_true(steps < 100);
    }
    assert_int_equal(steps, 23); // 223.6 qu by steps of 10
    assert_true(dog->origin.x == 0.0f);
    assert_true(dog->origin.y == 100.0f);
    assert_true(dog->angles.y == 90.0f);
    while (SV_Strafe(&sim.sv, dog, Vector(300.0f, 100.0f, 40.0f), 10.0f, NULL)) {
        assert_true(dog->absmax.x < 102.0f);
    }
    assert_true(dog->origin.x > 70.0f);
    assert_true(dog->origin.x < 84.0f);
    assert_false(SV_Strafe(&sim.sv, dog, Vector(NAN, 0.0f, 0.0f), 10.0f, NULL));
    assert_false(SV_MoveToPoint(&sim.sv, dog, Vector(0.0f, INFINITY, 0.0f), 10.0f, NULL));
    assert_false(SV_Strafe(&sim.sv, dog, zero, -1.0f, NULL));
    dog->flags &= ~FL_ONGROUND;
    assert_false(SV_Strafe(&sim.sv, dog, zero, 10.0f, NULL));
    assert_false(SV_MoveToPoint(&sim.sv, dog, zero, 10.0f, NULL));
    TestSim_Free(&sim);
}

static void test_turning(void **state) {
    (void)state;
    edict_t edict = {.angles = {0.0f, 350.0f, 0.0f}, .ideal_yaw = 20.0f, .yaw_speed = 20.0f};
    SV_ChangeYaw(&edict);
    assert_true(fabsf(AngleNormalize180(edict.angles.y - 10.0f)) < 0.01f);
    SV_ChangeYaw(&edict);
    assert_true(fabsf(edict.angles.y - 20.0f) < 0.01f);
    edict.ideal_yaw = 300.0f;
    SV_ChangeYaw(&edict);
    assert_true(fabsf(edict.angles.y) < 0.01f || fabsf(edict.angles.y - 360.0f) < 0.01f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_climbs_18_not_19),
        cmocka_unit_test(test_refuses_a_ledge),
        cmocka_unit_test(test_corners_of_a_long_box),
        cmocka_unit_test(test_long_steps_jump_over_nothing),
        cmocka_unit_test(test_swims_and_flies),
        cmocka_unit_test(test_knocked_it_flies_and_lands),
        cmocka_unit_test(test_a_knock_wears_off),
        cmocka_unit_test(test_thrown_off_a_conveyor),
        cmocka_unit_test(test_carried_against_a_wall),
        cmocka_unit_test(test_stuck_in_another),
        cmocka_unit_test(test_walks_out_of_another),
        cmocka_unit_test(test_spins_while_it_stands),
        cmocka_unit_test(test_its_ground_goes),
        cmocka_unit_test(test_walks_a_path),
        cmocka_unit_test(test_the_chase_finds_its_way),
        cmocka_unit_test(test_a_point_is_a_goal),
        cmocka_unit_test(test_no_move_to_a_point),
        cmocka_unit_test(test_strafes_straight),
        cmocka_unit_test(test_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
