// sv_tossrules 1, bounce missiles, and conveyors under both rules.

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include <math.h>

#define DT 0.016f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

// A room with a belt of 256 x 128 x 8 as model 1, and a steep ramp.
static void set_up(test_sim_t *sim, int32_t rules) {
    const test_block_t blocks[] = {
        TestMap_RampX((vec3_t){500.0f, -200.0f, 0.0f}, (vec3_t){700.0f, 200.0f, 100.0f}),
        {.box = {{-128.0f, -64.0f, 0.0f}, {128.0f, 64.0f, 8.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks),
                            .brush_list = true};
    TestSim_Init(sim, &map, 64);
    sim->world->cvars.move.sv_tossrules = rules;
}

// Adds an edict that can move in the next tick.
static edict_t *add(test_sim_t *sim, movetype_t movetype, vec3_t origin, vec3_t velocity) {
    edict_t *edict = TestSim_Spawn(sim, movetype, SOLID_BBOX, origin, 4.0f);
    edict->velocity = velocity;
    SV_LinkEdict(&sim->sv, edict, false);
    sim->world->tick++; // as if it was spawned in an earlier tick
    return edict;
}

static edict_t *add_belt(test_sim_t *sim, vec3_t speed) {
    edict_t *belt = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_BSP, zero, 0.0f);
    belt->model = 1;
    belt->mins = sim->map.models[1].bounds.mins;
    belt->maxs = sim->map.models[1].bounds.maxs;
    belt->surface_velocity = speed;
    SV_LinkEdict(&sim->sv, belt, false);
    return belt;
}

static void run(test_sim_t *sim, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        TestSim_Tick(sim);
    }
}

// edict->bounce is the share of the speed into a wall with which an edict leaves it, by both rules.
// Other values, and movetypes that do not bounce, keep what the rules say.
static void test_own_bounce(void **state) {
    (void)state;
    const struct {
        movetype_t movetype;
        float bounce, share;
    } cases[] = {{MOVETYPE_BOUNCE, 0.0f, 0.5f},
                 {MOVETYPE_BOUNCE, 0.25f, 0.25f},
                 {MOVETYPE_BOUNCE, 0.95f, 0.95f},
                 {MOVETYPE_BOUNCE, 2.0f, 2.0f},
                 {MOVETYPE_BOUNCE, 2.1f, 0.5f},
                 {MOVETYPE_BOUNCE, -1.0f, 0.5f},
                 {MOVETYPE_BOUNCE, NAN, 0.5f},
                 {MOVETYPE_BOUNCE, INFINITY, 0.5f},
                 {MOVETYPE_BOUNCEMISSILE, 0.0f, 1.0f},
                 {MOVETYPE_BOUNCEMISSILE, 0.25f, 0.25f},
                 {MOVETYPE_BOUNCEMISSILE, 0.001f, 0.0f},
                 {MOVETYPE_FLY, 0.95f, 0.0f},
                 {MOVETYPE_TOSS, 0.95f, 0.0f}};
    for (size_t i = 0; i < 2 * COUNTOF(cases); i++) {
        test_sim_t sim;
        set_up(&sim, (int32_t)(i % 2));
        edict_t *ball = add(&sim, cases[i / 2].movetype, Vector(960.0f, 0.0f, 500.0f), zero);
        ball->velocity = Vector(400.0f, 0.0f, 100.0f);
        ball->bounce = cases[i / 2].bounce;
        ball->friction = i % 4 < 2 ? 0.0f : 0.5f;
        for (int32_t ticks = 0; ball->velocity.x == 400.0f && ticks < 20; ticks++) {
            TestSim_Tick(&sim);
        }
        assert_true(fabsf(ball->velocity.x + 400.0f * cases[i / 2].share) < 0.5f);
        TestSim_Free(&sim);
    }
}

// The edict's own friction gives the fraction of the falling speed that it bounces with.
static void test_overbounce_is_two_less_friction(void **state) {
    (void)state;
    const struct {
        float friction, share;
    } cases[] = {{0.0f, 0.5f}, {0.2f, 0.8f}, {0.5f, 0.5f}, {0.9f, 0.1f}, {5.0f, 0.5f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_sim_t sim;
        set_up(&sim, 1);
        edict_t *ball = add(&sim, MOVETYPE_BOUNCE, Vector(0.0f, 0.0f, 200.0f), zero);
        ball->velocity.x = 50.0f; // too fast to rest where it hits
        ball->friction = cases[i].friction;
        float before = 0.0f;
        int32_t ticks = 0;
        while (ball->velocity.z <= 0.0f && !(ball->flags & FL_ONGROUND) && ticks++ < 200) {
            before = ball->velocity.z;
            TestSim_Tick(&sim);
        }
        float impact = before - 800.0f * DT;
        assert_true(impact < -400.0f);
        assert_true(fabsf(ball->velocity.z + impact * cases[i].share) < 0.01f);
        assert_true(ball->velocity.x == 50.0f);
        TestSim_Free(&sim);
    }
}

// Below 30 qu/s it rests. Above, it rolls until it is slower.
static void test_rests_when_slow_and_rolls_when_fast(void **state) {
    (void)state;
    for (int32_t speed = 10; speed <= 80; speed += 10) {
        test_sim_t sim;
        set_up(&sim, 1);
        edict_t *ball = add(&sim, MOVETYPE_BOUNCE, Vector(0.0f, 0.0f, 4.0f + 1.0f / 32.0f),
                            Vector((float)speed, 0.0f, 0.0f));
        ball->friction = 0.9f;
        run(&sim, 100);
        assert_true(ball->flags & FL_ONGROUND);
        assert_true(ball->origin.z < 4.1f);
        if (speed < 30) {
            assert_true(VectorCompare(ball->velocity, zero));
            assert_true(ball->origin.x < 5.0f);
            assert_int_equal(World_NextActive(sim.world, -1), -1);
        } else {
            assert_true(ball->velocity.x == (float)speed);
            assert_true(ball->velocity.z == 0.0f);
            // 1.6 s at its speed, less the tenth that every second sweep loses.
            float way = 1.6f * (float)speed;
            assert_true(ball->origin.x > 0.88f * way);
            assert_true(ball->origin.x <= way);
        }
        TestSim_Free(&sim);
    }
}

static void test_toss_rests_at_once(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 1);
    edict_t *toss = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 60.0f), Vector(300.0f, 0.0f, 0.0f));
    edict_t *slope = add(&sim, MOVETYPE_TOSS, Vector(600.0f, 0.0f, 100.0f), zero);
    run(&sim, 60);
    assert_true(toss->flags & FL_ONGROUND);
    assert_true(VectorCompare(toss->velocity, zero));
    assert_true(slope->flags & FL_ONGROUND);
    assert_true(slope->origin.z > 50.0f);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

// An edict at rest on the ground moves when it is given a velocity, unlike under Quake's rules.
static void test_rising_leaves_the_ground(void **state) {
    (void)state;
    for (int32_t rules = 0; rules < 2; rules++) {
        test_sim_t sim;
        set_up(&sim, rules);
        edict_t *toss = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 10.0f), zero);
        run(&sim, 30);
        assert_true(toss->flags & FL_ONGROUND);
        toss->velocity = Vector(0.0f, 0.0f, 200.0f);
        SV_WakeEdict(&sim.sv, toss);
        run(&sim, 3);
        assert_true(rules ? toss->origin.z > 10.0f : toss->origin.z < 4.1f);
        TestSim_Free(&sim);
    }
}

// On a monster nothing rests for good: it falls as soon as the monster is gone.
static void test_not_on_monsters(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 1);
    edict_t *ogre = add(&sim, MOVETYPE_NONE, Vector(0.0f, 0.0f, 50.0f), zero);
    ogre->flags |= FL_MONSTER;
    edict_t *toss = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 100.0f), zero);
    run(&sim, 50);
    assert_true(fabsf(toss->origin.z - 58.0f) < 0.1f);
    assert_true(World_NextActive(sim.world, -1) >= 0); // it is visited again and again
    ogre->solid = SOLID_NOT;                           // as a game does that forgets to link it
    run(&sim, 50);
    assert_true(toss->origin.z < 4.1f);
    TestSim_Free(&sim);
}

// A basevelocity carries for one tick and is not part of the edict's own velocity.
static void test_basevelocity(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 1);
    edict_t *toss = add(&sim, MOVETYPE_FLY, Vector(0.0f, 0.0f, 500.0f), Vector(0.0f, 10.0f, 0.0f));
    toss->basevelocity = Vector(100.0f, 0.0f, 0.0f);
    run(&sim, 10);
    assert_true(fabsf(toss->origin.x - 100.0f * DT) < 1e-3f);
    assert_true(fabsf(toss->origin.y - 100.0f * DT) < 1e-3f);
    assert_true(VectorCompare(toss->velocity, Vector(0.0f, 10.0f, 0.0f)));
    toss->basevelocity.x = INFINITY; // an impossible value: it is removed
    run(&sim, 1);
    assert_true(toss->flags & FL_QUARANTINED);
    TestSim_Free(&sim);
}

static void test_spins_die_down(void **state) {
    (void)state;
    for (int32_t rules = 0; rules < 2; rules++) {
        test_sim_t sim;
        set_up(&sim, rules);
        edict_t *gib = add(&sim, MOVETYPE_BOUNCE, Vector(0.0f, 0.0f, 900.0f), zero);
        edict_t *fly = add(&sim, MOVETYPE_FLY, Vector(0.0f, 100.0f, 900.0f), zero);
        gib->gravity = 0.01f;
        gib->avelocity = fly->avelocity = Vector(0.0f, 600.0f, 0.0f);
        run(&sim, 100);
        assert_true(fly->avelocity.y == 600.0f);
        assert_true(rules ? gib->avelocity.y < 300.0f && gib->avelocity.y > 200.0f
                          : gib->avelocity.y == 600.0f);
        run(&sim, 1000);
        assert_true(!rules || gib->avelocity.y == 0.0f);
        TestSim_Free(&sim);
    }
}

// Inside solid, an edict has no velocity, no spin, and is not visited.
static void test_allsolid_stops_it(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 1);
    edict_t *ball =
        add(&sim, MOVETYPE_BOUNCE, Vector(0.0f, 0.0f, -50.0f), Vector(90.0f, 0.0f, 50.0f));
    ball->avelocity = Vector(1.0f, 2.0f, 3.0f);
    run(&sim, 3);
    assert_true(VectorCompare(ball->velocity, zero));
    assert_true(VectorCompare(ball->avelocity, zero));
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

// A bounce missile is as fast after a hundred walls as at the start, under both rules; it has no
// gravity.
static void test_bounce_missile_loses_nothing(void **state) {
    (void)state;
    for (int32_t rules = 0; rules < 2; rules++) {
        test_sim_t sim;
        set_up(&sim, rules);
        edict_t *shot = add(&sim, MOVETYPE_BOUNCEMISSILE, Vector(0.0f, -500.0f, 300.0f),
                            Vector(900.0f, 430.0f, 370.0f));
        float speed = VectorLength(shot->velocity);
        int32_t turns = 0;
        for (int32_t i = 0; i < 4000; i++) {
            vec3_t velocity = shot->velocity;
            TestSim_Tick(&sim);
            turns += !VectorCompare(velocity, shot->velocity);
            assert_true(VectorWithin(shot->origin, 1024.0f));
            assert_true(shot->origin.z > 3.9f);
        }
        assert_true(turns > 50);
        assert_true(fabsf(VectorLength(shot->velocity) - speed) < 0.5f);
        TestSim_Free(&sim);
    }
}

// A slow missile bounces off the floor under Quake's rules, and rests under Half-Life's.
static void test_slow_bounce_missile(void **state) {
    (void)state;
    for (int32_t rules = 0; rules < 2; rules++) {
        test_sim_t sim;
        set_up(&sim, rules);
        edict_t *shot = add(&sim, MOVETYPE_BOUNCEMISSILE, Vector(0.0f, 0.0f, 10.0f),
                            Vector(0.0f, 5.0f, -20.0f));
        run(&sim, 100);
        assert_true(rules ? VectorCompare(shot->velocity, zero) : shot->velocity.z == 20.0f);
        TestSim_Free(&sim);
    }
}

// A conveyor carries the edict over its end with its speed; then the edict comes to rest on the
// floor.
static void test_conveyor_carries(void **state) {
    (void)state;
    for (int32_t rules = 0; rules < 2; rules++) {
        test_sim_t sim;
        set_up(&sim, rules);
        add_belt(&sim, Vector(50.0f, 0.0f, 0.0f));
        edict_t *item = add(&sim, MOVETYPE_TOSS, Vector(-60.0f, 0.0f, 30.0f), zero);
        item->solid = SOLID_TRIGGER;
        SV_LinkEdict(&sim.sv, item, false);
        run(&sim, 40);
        assert_true(item->flags & FL_ONGROUND);
        vec3_t from = item->origin;
        run(&sim, 100);
        assert_true(fabsf(item->origin.x - from.x - 50.0f * 1.6f) < 0.5f);
        assert_true(fabsf(item->origin.z - from.z) < 0.01f);
        assert_true(item->origin.y == from.y);
        run(&sim, 400);
        assert_true(item->origin.x > 132.0f);
        assert_true(item->origin.x < 150.0f);
        assert_true(item->origin.z < 4.1f);
        assert_int_equal(World_NextActive(sim.world, -1), -1);
        TestSim_Free(&sim);
    }
}

// An edict asleep on a conveyor wakes when the conveyor starts, and sleeps again when it stops.
static void test_conveyor_starts_and_stops(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 0);
    edict_t *belt = add_belt(&sim, zero);
    edict_t *item = add(&sim, MOVETYPE_TOSS, Vector(-100.0f, 0.0f, 30.0f), zero);
    edict_t *crate = add(&sim, MOVETYPE_STEP, Vector(-100.0f, 30.0f, 30.0f), zero);
    run(&sim, 50);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    belt->surface_velocity = Vector(0.0f, -20.0f, 0.0f);
    SV_LinkEdict(&sim.sv, belt, false);
    run(&sim, 50);
    assert_true(item->origin.y < -10.0f);
    assert_true(crate->origin.y < 20.0f);
    belt->surface_velocity = zero;
    SV_LinkEdict(&sim.sv, belt, false);
    run(&sim, 20);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

// A conveyor with a wall at its end, with an obstacle, and with a NaN velocity.
static void test_conveyor_against_something(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 0);
    edict_t *belt = add_belt(&sim, Vector(200.0f, 0.0f, 0.0f));
    edict_t *post = add(&sim, MOVETYPE_NONE, Vector(60.0f, 0.0f, 12.0f), zero);
    edict_t *item = add(&sim, MOVETYPE_TOSS, Vector(-60.0f, 0.0f, 20.0f), zero);
    run(&sim, 150);
    assert_true(item->origin.x > 51.0f);
    assert_true(item->origin.x < 52.0f);
    assert_null(SV_TestEdictPosition(&sim.sv, item));
    SV_RemoveEdict(&sim.sv, post);
    run(&sim, 10);
    assert_true(item->origin.x > 60.0f);
    belt->surface_velocity.y = INFINITY;
    run(&sim, 10);
    assert_true(World_IsLive(item));
    assert_true(item->flags & FL_ONGROUND);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_bounce),
        cmocka_unit_test(test_overbounce_is_two_less_friction),
        cmocka_unit_test(test_rests_when_slow_and_rolls_when_fast),
        cmocka_unit_test(test_toss_rests_at_once),
        cmocka_unit_test(test_rising_leaves_the_ground),
        cmocka_unit_test(test_not_on_monsters),
        cmocka_unit_test(test_basevelocity),
        cmocka_unit_test(test_spins_die_down),
        cmocka_unit_test(test_allsolid_stops_it),
        cmocka_unit_test(test_bounce_missile_loses_nothing),
        cmocka_unit_test(test_slow_bounce_missile),
        cmocka_unit_test(test_conveyor_carries),
        cmocka_unit_test(test_conveyor_starts_and_stops),
        cmocka_unit_test(test_conveyor_against_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
