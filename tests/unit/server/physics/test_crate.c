// Crates (FL_PUSHABLE): they fall, stack, are shoved, slide to rest, ride conveyors and float.

#include "lib/events_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "state/player_state.h"
#include "world/block.h"
#include "world/client.h"

#define WATER_TOP 200.0f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

// Water at y > 500; a brush model of 128 x 128 x 8 for conveyors.
static void set_up(test_sim_t *sim) {
    const test_block_t blocks[] = {
        {.box = {{-1024.0f, 500.0f, 0.0f}, {1024.0f, 1024.0f, WATER_TOP}},
         .contents = CONTENTS_WATER},
        TestMap_Box((vec3_t){400.0f, -1024.0f, 0.0f}, (vec3_t){420.0f, 400.0f, 300.0f}),
        {.box = {{-128.0f, -128.0f, 0.0f}, {128.0f, 128.0f, 8.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks),
                            .brush_list = true};
    TestSim_Init(sim, &map, 64);
}

static edict_t *add_crate(test_sim_t *sim, vec3_t origin) {
    edict_t *crate = TestSim_Spawn(sim, MOVETYPE_STEP, SOLID_BBOX, origin, 24.0f);
    crate->flags |= FL_PUSHABLE;
    SV_LinkEdict(&sim->sv, crate, false);
    return crate;
}

static void run(test_sim_t *sim, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        TestSim_Tick(sim);
    }
}

static void test_fall_and_stack(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *crates[4];
    for (int32_t i = 0; i < 4; i++) {
        crates[i] = add_crate(&sim, Vector(3.0f * (float)i, 0.0f, 100.0f + 80.0f * (float)i));
    }
    run(&sim, 200);
    for (int32_t i = 0; i < 4; i++) {
        assert_true(crates[i]->flags & FL_ONGROUND);
        assert_true(fabsf(crates[i]->origin.z - 24.0f - 48.0f * (float)i) < 0.2f);
    }
    run(&sim, 2);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    SV_RemoveEdict(&sim.sv, crates[0]); // the crates above fall
    run(&sim, 100);
    assert_true(fabsf(crates[3]->origin.z - 24.0f - 96.0f) < 0.2f);
    TestSim_Free(&sim);
}

static bool any_stuck(test_sim_t *sim, edict_t *const *crates, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (SV_TestEdictPosition(&sim->sv, crates[i])) {
            return true;
        }
    }
    return false;
}

// A crate that is pushed away does not take the crates above along. They stay where they are,
// awake, until it is gone; then they fall as a stack, and rest.
static void test_shoved_out_from_under_a_stack(void **state) {
    (void)state;
    for (float speed = 20.0f; speed <= 120.0f; speed += 50.0f) {
        test_sim_t sim;
        set_up(&sim);
        edict_t *crates[4];
        for (int32_t i = 0; i < 4; i++) {
            crates[i] = add_crate(&sim, Vector(0.0f, 0.0f, 24.1f + 48.2f * (float)i));
        }
        run(&sim, 50);
        assert_int_equal(World_NextActive(sim.world, -1), -1);
        int32_t ticks = 0;
        while (crates[1]->origin.z > 71.0f && ticks++ < 300) {
            crates[0]->velocity.x = speed;
            SV_WakeEdict(&sim.sv, crates[0]);
            run(&sim, 1);
            assert_false(any_stuck(&sim, crates, 4));
            for (int32_t i = 1; i < 4; i++) {
                assert_true(crates[i]->origin.x == 0.0f);
                assert_true(crates[i]->velocity.x == 0.0f);
            }
        }
        assert_true(crates[0]->origin.x > 48.0f);
        assert_true(crates[0]->origin.x < 54.0f);
        for (int32_t i = 0; i < 60; i++) {
            run(&sim, 1);
            assert_false(any_stuck(&sim, crates, 4));
        }
        for (int32_t i = 0; i < 4; i++) {
            float height = 24.0f + 48.0f * (float)Q_MaxI(i - 1, 0);
            assert_true(crates[i]->flags & FL_ONGROUND);
            assert_true(VectorCompare(crates[i]->velocity, zero));
            assert_true(fabsf(crates[i]->origin.z - height) < 0.2f);
        }
        assert_int_equal(World_NextActive(sim.world, -1), -1);
        TestSim_Free(&sim);
    }
}

// Half-Life's rules halve the friction on a pusher, so a crate slides twice as far.
static float slide_on(int32_t rules, movetype_t movetype) {
    test_sim_t sim;
    set_up(&sim);
    sim.world->cvars.move.sv_tossrules = rules;
    edict_t *slab = TestSim_Spawn(&sim, movetype, SOLID_BSP, zero, 0.0f);
    slab->model = 1;
    slab->mins = sim.map.models[1].bounds.mins;
    slab->maxs = sim.map.models[1].bounds.maxs;
    SV_LinkEdict(&sim.sv, slab, false);
    edict_t *crate = add_crate(&sim, Vector(-60.0f, 0.0f, 33.0f));
    run(&sim, 30);
    crate->velocity.x = 100.0f;
    SV_WakeEdict(&sim.sv, crate);
    run(&sim, 100);
    assert_true(crate->flags & FL_ONGROUND);
    assert_true(VectorCompare(crate->velocity, zero));
    float way = crate->origin.x + 60.0f;
    TestSim_Free(&sim);
    return way;
}

static void test_slides_farther_on_a_pusher(void **state) {
    (void)state;
    float plain = slide_on(0, MOVETYPE_PUSH);
    assert_true(plain > 5.0f);
    assert_true(plain == slide_on(0, MOVETYPE_NONE));
    assert_true(plain == slide_on(1, MOVETYPE_NONE));
    float far = slide_on(1, MOVETYPE_PUSH);
    assert_true(far > 1.9f * plain);
    assert_true(far < 2.3f * plain);
}

static edict_t *add_player(test_sim_t *sim, vec3_t origin, float yaw, int16_t forward) {
    edict_t *player = SV_SpawnEdictAt(&sim->sv, 1);
    client_t *client = World_Client(sim->world, 0);
    player->movetype = MOVETYPE_WALK;
    player->solid = SOLID_SLIDEBOX;
    player->flags |= FL_CLIENT;
    player->origin = origin;
    player->mins = PM_PLAYER_MINS;
    player->maxs = PM_PLAYER_MAXS;
    SV_LinkEdict(&sim->sv, player, false);
    client->inuse = 1;
    client->player.angles.y = yaw;
    client->last_cmd.forward = forward;
    return player;
}

static void test_shoved_and_stopped(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *crate = add_crate(&sim, Vector(0.0f, 0.0f, 24.05f));
    edict_t *player = add_player(&sim, Vector(-41.0f, 0.0f, 24.05f), 0.0f, 320);
    run(&sim, 20);
    for (int32_t i = 0; i < 3; i++) { // repeating it changes nothing, because it sets a velocity
        SV_Impact(&sim.sv, player, crate, NULL);
    }
    assert_true(crate->velocity.x == 120.0f);
    assert_true(crate->velocity.y == 0.0f);
    run(&sim, 300);
    assert_true(VectorCompare(crate->velocity, zero));
    assert_true(crate->origin.x > 10.0f);
    float rest_x = crate->origin.x;
    // A player that walks away from the crate, or stands on it, does not push it.
    World_Client(sim.world, 0)->last_cmd.forward = -320;
    SV_Impact(&sim.sv, player, crate, NULL);
    World_Client(sim.world, 0)->last_cmd.forward = 320;
    player->origin = Vector(rest_x, 0.0f, 24.0f + 48.0f + 0.05f);
    SV_LinkEdict(&sim.sv, player, false);
    SV_Impact(&sim.sv, player, crate, NULL);
    assert_true(VectorCompare(crate->velocity, zero));
    // The crate stays in front of the wall.
    player->origin = Vector(rest_x - 60.0f, 0.0f, 24.05f);
    SV_LinkEdict(&sim.sv, player, false);
    for (int32_t i = 0; i < 2000; i++) {
        SV_Impact(&sim.sv, player, crate, NULL);
        TestSim_Tick(&sim);
    }
    assert_true(crate->origin.x <= 400.0f - 24.0f);
    assert_true(crate->origin.x > 400.0f - 25.0f);
    assert_null(SV_TestEdictPosition(&sim.sv, crate));
    TestSim_Free(&sim);
}

// If the crate is already as fast as the player, only the player changes: the tick hash must see
// that.
static void test_a_shoving_player_is_hashed(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *crate = add_crate(&sim, Vector(0.0f, 0.0f, 24.05f));
    edict_t *player = add_player(&sim, Vector(-41.0f, 0.0f, 24.05f), 0.0f, 320);
    run(&sim, 20);
    crate->velocity.x = 120.0f;
    World_TickHash(sim.world);
    uint64_t nothing = World_TickHash(sim.world);
    SV_Impact(&sim.sv, player, crate, NULL);
    assert_true(player->velocity.x == 120.0f);
    assert_true(crate->velocity.x == 120.0f);
    assert_true(World_TickHash(sim.world) != nothing);
    TestSim_Free(&sim);
}

static void test_never_into_a_player(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *crate = add_crate(&sim, Vector(0.0f, 0.0f, 24.05f));
    edict_t *player = add_player(&sim, Vector(60.0f, 0.0f, 24.05f), 0.0f, 0);
    run(&sim, 5);
    for (int32_t i = 0; i < 200; i++) {
        crate->velocity = Vector(100.0f, 0.0f, 0.0f);
        SV_WakeEdict(&sim.sv, crate);
        TestSim_Tick(&sim);
        assert_null(SV_TestEdictPosition(&sim.sv, player));
    }
    assert_true(crate->origin.x > 19.0f);
    assert_true(crate->origin.x <= 20.0f);
    TestSim_Free(&sim);
}

// A conveyor is no pusher: an edict that leaves it keeps its velocity, with any sv_pushermomentum.
static void go_on_a_conveyor(int32_t keeps, bool is_toss) {
    test_sim_t sim;
    set_up(&sim);
    sim.world->cvars.move.sv_pushermomentum = keeps;
    edict_t *belt = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, zero, 0.0f);
    belt->model = 1;
    belt->mins = sim.map.models[1].bounds.mins;
    belt->maxs = sim.map.models[1].bounds.maxs;
    belt->surface_velocity = Vector(50.0f, 0.0f, 0.0f);
    SV_LinkEdict(&sim.sv, belt, false);
    edict_t *crate = add_crate(&sim, Vector(-60.0f, 0.0f, 60.0f));
    crate->movetype = is_toss ? MOVETYPE_TOSS : MOVETYPE_STEP;
    run(&sim, 30);
    float from = crate->origin.x;
    run(&sim, 100);
    assert_true(fabsf(crate->origin.x - from - 50.0f * 1.6f) < 2.0f);
    for (int32_t i = 0; i < 300 && (crate->flags & FL_ONGROUND); i++) {
        run(&sim, 1);
    }
    assert_false(crate->flags & FL_ONGROUND);
    assert_true(fabsf(crate->velocity.x - 50.0f) < 0.1f);
    run(&sim, 200); // over the end of the conveyor, until it rests on the floor
    assert_true(crate->origin.x > 128.0f);
    assert_true(crate->origin.z < 25.0f);
    assert_true(VectorCompare(crate->velocity, zero));
    TestSim_Free(&sim);
}

static void test_on_a_conveyor(void **state) {
    (void)state;
    for (int32_t keeps = 0; keeps < 2; keeps++) {
        go_on_a_conveyor(keeps, false);
        go_on_a_conveyor(keeps, true);
    }
}

// A crate that is pushed off a train keeps the train's speed, unless sv_pushermomentum is 0.
static void test_off_a_train(void **state) {
    (void)state;
    for (int32_t keeps = 0; keeps < 2; keeps++) {
        test_sim_t sim;
        set_up(&sim);
        sim.world->cvars.move.sv_pushermomentum = keeps;
        edict_t *train =
            TestSim_Spawn(&sim, MOVETYPE_PUSH, SOLID_BSP, Vector(-800.0f, -500.0f, 300.0f), 0.0f);
        train->model = 1;
        train->mins = sim.map.models[1].bounds.mins;
        train->maxs = sim.map.models[1].bounds.maxs;
        SV_LinkEdict(&sim.sv, train, false);
        edict_t *crate = add_crate(&sim, Vector(-800.0f, -400.0f, 340.0f));
        run(&sim, 20);
        assert_true(crate->flags & FL_ONGROUND);
        SV_PusherMoveTo(&sim.sv, train, (pose_t){Vector(700.0f, -500.0f, 300.0f), zero}, 7500);
        run(&sim, 20);
        float ticks = 0.0f;
        while ((crate->flags & FL_ONGROUND) && ticks++ < 200.0f) {
            crate->velocity.y = 110.0f;
            SV_WakeEdict(&sim.sv, crate);
            run(&sim, 1);
        }
        assert_true(ticks > 5.0f);
        assert_true(fabsf(train->velocity.x - 200.0f) < 0.1f);
        assert_true(fabsf(crate->velocity.x - (keeps ? 200.0f : 0.0f)) < 0.1f);
        assert_true(crate->velocity.y > 90.0f);
        run(&sim, 200);
        assert_true(crate->flags & FL_ONGROUND);
        assert_true(crate->origin.z < 25.0f);
        TestSim_Free(&sim);
    }
}

// In flowing water a crate drifts in proportion to its depth. A monster on the bottom drifts like a
// player; a swimming monster does not drift.
static void test_drifts(void **state) {
    (void)state;
    const test_block_t river = {.box = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, WATER_TOP}},
                                .contents = CONTENTS_CURRENT_90};
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = &river,
                            .num_blocks = 1,
                            .brush_list = true};
    test_sim_t sim;
    TestSim_Init(&sim, &map, 16);
    edict_t *crate = add_crate(&sim, Vector(0.0f, 0.0f, WATER_TOP));
    edict_t *dog = add_crate(&sim, Vector(300.0f, 0.0f, 25.0f));
    edict_t *fish = add_crate(&sim, Vector(-300.0f, 0.0f, 100.0f));
    dog->flags = FL_MONSTER;
    fish->flags = FL_MONSTER | FL_SWIM;
    run(&sim, 100);
    float y = crate->origin.y;
    float dog_y = dog->origin.y;
    run(&sim, 60);
    float per_level = sim.world->cvars.move.sv_currentspeed * 60.0f * 0.016f;
    assert_true(fabsf(crate->origin.y - y - 1.5f * per_level) <
                1.0f); // half under water: between 1 and 2
    assert_true(dog->origin.y - dog_y > 2.9f * per_level);
    assert_true(dog->flags & FL_ONGROUND);
    assert_true(fish->origin.y == 0.0f);
    run(&sim, 1000); // to the end of the room, and not beyond
    assert_true(crate->origin.y > 999.0f);
    assert_true(crate->origin.y <= 1000.0f);
    assert_true(VectorCompare(crate->velocity, zero));
    TestSim_Free(&sim);
}

static void test_floats_half_under(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *crate = add_crate(&sim, Vector(0.0f, 700.0f, 400.0f));
    int32_t splashes = 0;
    for (int32_t i = 0; i < 600; i++) {
        TestSim_Tick(&sim);
        splashes += TestEvents_Effects(sim.world, sim.events, "splash");
    }
    assert_true(splashes >= 1);
    assert_true(fabsf(crate->origin.z - WATER_TOP) < 2.0f);
    float z = crate->origin.z;
    run(&sim, 300);
    assert_true(crate->origin.z == z);
    assert_true(crate->waterlevel > 0); // still water
    TestSim_Free(&sim);
}

// A crate that rises from a conveyor on the bottom is not carried. A crate that is too high in the
// water to float is carried.
static void test_a_conveyor_under_water(void **state) {
    (void)state;
    for (int32_t floats = 0; floats < 2; floats++) {
        test_sim_t sim;
        set_up(&sim);
        const float top = floats ? 20.0f : WATER_TOP - 12.0f; // a quarter of the crate is in water
        edict_t *belt =
            TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, Vector(0.0f, 700.0f, top - 8.0f), 0.0f);
        belt->model = 1;
        belt->mins = sim.map.models[1].bounds.mins;
        belt->maxs = sim.map.models[1].bounds.maxs;
        belt->surface_velocity = Vector(50.0f, 0.0f, 0.0f);
        SV_LinkEdict(&sim.sv, belt, false);
        edict_t *crate = add_crate(&sim, Vector(0.0f, 700.0f, top + 24.0f + CM_DIST_EPSILON));
        crate->flags |= FL_ONGROUND;
        crate->groundentity = World_Ref(sim.world, belt);
        run(&sim, 1); // it is spawned in this tick
        run(&sim, 1);
        if (floats) {
            assert_float_equal(crate->origin.x, 0.0f, 0.0f);
            assert_true(crate->velocity.z > 0.0f);
            assert_false(crate->flags & FL_ONGROUND);
        } else {
            assert_float_equal(crate->origin.x, 50.0f * 0.016f, 0.01f);
            assert_true(crate->flags & FL_ONGROUND);
        }
        TestSim_Free(&sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fall_and_stack),
        cmocka_unit_test(test_shoved_out_from_under_a_stack),
        cmocka_unit_test(test_slides_farther_on_a_pusher),
        cmocka_unit_test(test_shoved_and_stopped),
        cmocka_unit_test(test_a_shoving_player_is_hashed),
        cmocka_unit_test(test_never_into_a_player),
        cmocka_unit_test(test_on_a_conveyor),
        cmocka_unit_test(test_off_a_train),
        cmocka_unit_test(test_floats_half_under),
        cmocka_unit_test(test_drifts),
        cmocka_unit_test(test_a_conveyor_under_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
