// Toss, bounce, fly and flymissile: one test per rule.

#include "lib/events_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

#define DT 0.016f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

// Touch callbacks of the test's game.
static void count_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)other;
    assert_non_null(trace);
    self->effects++;
}

static void remove_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    count_touch(sv, self, other, trace);
    SV_RemoveEdict(sv, self);
}

static void remove_other_touch(sv_context_t *sv, edict_t *self, edict_t *other,
                               const trace_t *trace) {
    count_touch(sv, self, other, trace);
    SV_RemoveEdict(sv, other);
}

static void trigger_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    self->effects++;
    SV_RemoveEdict(sv, other);
}

static void launch_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self;
    (void)trace;
    SV_SetGround(sv, other, NULL);
    other->velocity = Vector(0.0f, 0.0f, 300.0f);
}

static void away_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self;
    (void)trace;
    other->origin = Vector(0.0f, -500.0f, 800.0f);
    other->velocity = Vector(100.0f, 0.0f, 0.0f);
    SV_LinkEdict(sv, other, true);
}

static const callback_t functions[] = {
    {.name = "away", .touch = away_touch},
    {.name = "count", .touch = count_touch},
    {.name = "remove", .touch = remove_touch},
    {.name = "remove_other", .touch = remove_other_touch},
    {.name = "trigger", .touch = trigger_touch},
    {.name = "launch", .touch = launch_touch},
};

// A room with a pool at x > 500, 200 qu deep.
static void set_up(test_sim_t *sim) {
    const test_block_t blocks[] = {
        {.box = {{500.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 200.0f}}, .contents = CONTENTS_WATER},
        TestMap_RampX((vec3_t){-900.0f, -200.0f, 0.0f}, (vec3_t){-700.0f, 200.0f, 202.0f}),
        TestMap_RampX((vec3_t){-600.0f, -200.0f, 0.0f}, (vec3_t){-400.0f, 200.0f, 206.0f}),
        {.box = {{-32.0f, -32.0f, -32.0f}, {32.0f, 32.0f, 32.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks)};
    TestSim_Init(sim, &map, 64);
    TestSim_Bind(sim, functions, COUNTOF(functions));
}

// Adds an edict that can move in the next tick.
static edict_t *add(test_sim_t *sim, movetype_t movetype, vec3_t origin, vec3_t velocity) {
    edict_t *edict = TestSim_Spawn(sim, movetype, SOLID_BBOX, origin, 0.0f);
    edict->velocity = velocity;
    SV_LinkEdict(&sim->sv, edict, false);
    sim->world->tick++; // as if it was spawned in an earlier tick
    return edict;
}

static edict_t *add_box(test_sim_t *sim, vec3_t origin, const char *touch) {
    edict_t *box = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_BBOX, origin, 16.0f);
    box->touch = touch ? Callbacks_Find(sim->world, touch) : 0;
    SV_LinkEdict(&sim->sv, box, false);
    return box;
}

static void test_gravity(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    const struct {
        movetype_t movetype;
        float scale, expected;
    } cases[] = {
        {MOVETYPE_TOSS, 0.0f, 800.0f},     {MOVETYPE_TOSS, 1.0f, 800.0f},
        {MOVETYPE_TOSS, 0.5f, 400.0f},     {MOVETYPE_TOSS, -1.0f, -800.0f},
        {MOVETYPE_BOUNCE, 2.0f, 1600.0f},  {MOVETYPE_FLY, 2.0f, 0.0f},
        {MOVETYPE_FLYMISSILE, 0.0f, 0.0f},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        edict_t *edict =
            add(&sim, cases[i].movetype, Vector(0.0f, 0.0f, 500.0f), Vector(10.0f, 0.0f, 0.0f));
        edict->gravity = cases[i].scale;
        TestSim_Tick(&sim);
        // The velocity changes before the position (full Euler step).
        float v = -cases[i].expected * DT;
        assert_true(fabsf(edict->velocity.z - v) < 1e-4f);
        assert_true(fabsf(edict->origin.z - (500.0f + v * DT)) < 1e-4f);
        assert_true(fabsf(edict->origin.x - 10.0f * DT) < 1e-4f);
        SV_FreeEdict(&sim.sv, edict);
    }
    TestSim_Free(&sim);
}

static void test_turns_by_avelocity(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *edict = add(&sim, MOVETYPE_FLY, Vector(0.0f, 0.0f, 500.0f), zero);
    edict->avelocity = Vector(100.0f, -1000.0f, 0.0f);
    TestSim_Tick(&sim);
    assert_true(fabsf(edict->angles.x - 1.6f) < 1e-5f);
    assert_true(fabsf(edict->angles.y + 16.0f) < 1e-5f);
    for (int32_t tick = 0; tick < 2000; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(fabsf(edict->angles.y) <= 3600.0f);
    assert_true(VectorCompare(edict->origin, Vector(0.0f, 0.0f, 500.0f)));
    TestSim_Free(&sim);
}

static void test_overbounce(void **state) {
    (void)state;
    const vec3_t up = {0.0f, 0.0f, 1.0f};
    const vec3_t in = {100.0f, 0.0f, -200.0f};
    assert_true(VectorCompare(SV_ClipVelocity(in, up, 1.0f), Vector(100.0f, 0.0f, 0.0f)));
    assert_true(VectorCompare(SV_ClipVelocity(in, up, 1.5f), Vector(100.0f, 0.0f, 100.0f)));
    // A component below 0.1 becomes 0.
    assert_true(VectorCompare(SV_ClipVelocity(Vector(0.05f, -0.09f, 0.0f), up, 1.0f), zero));
}

// Edicts fall on a floor at about -400. A toss rests at once. A bounce returns with half its speed
// until it rises slower than 60.
static void test_rest_on_floors(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *toss = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 100.0f), Vector(50.0f, 0.0f, 0.0f));
    edict_t *bounce =
        add(&sim, MOVETYPE_BOUNCE, Vector(0.0f, 100.0f, 100.0f), Vector(50.0f, 0.0f, 0.0f));
    float before = 0.0f;
    while (bounce->velocity.z <= 0.0f) {
        before = bounce->velocity.z;
        TestSim_Tick(&sim);
    }
    float impact = before - 800.0f * DT; // gravity acts before the sweep
    assert_true(fabsf(bounce->velocity.z + impact * 0.5f) < 0.01f);
    assert_true(bounce->velocity.x == 50.0f);
    assert_false(bounce->flags & FL_ONGROUND);
    assert_true(toss->flags & FL_ONGROUND);
    assert_true(VectorCompare(toss->velocity, zero));
    assert_int_equal(toss->groundentity.index, EDICT_WORLD);
    float fastest_up = 0.0f;
    for (int32_t tick = 0; tick < 300 && !(bounce->flags & FL_ONGROUND); tick++) {
        float last = bounce->velocity.z;
        TestSim_Tick(&sim);
        fastest_up = last < 0.0f && bounce->velocity.z > 0.0f ? bounce->velocity.z : fastest_up;
    }
    assert_true(bounce->flags & FL_ONGROUND);
    assert_true(VectorCompare(bounce->velocity, zero));
    assert_true(fastest_up >= 60.0f);
    assert_true(fastest_up < 140.0f); // the last bounce was fast enough
    assert_true(fabsf(bounce->origin.z - 1.0f / 32.0f) < 0.01f);
    TestSim_Free(&sim);
}

// Normal z of the ramps: 0.7036 is a floor, 0.6966 is none.
static void test_slope_limit(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *gentle = add(&sim, MOVETYPE_TOSS, Vector(-800.0f, 0.0f, 300.0f), zero);
    edict_t *steep = add(&sim, MOVETYPE_TOSS, Vector(-500.0f, 0.0f, 300.0f), zero);
    for (int32_t tick = 0; tick < 300; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(gentle->origin.z > 80.0f);
    assert_true(gentle->flags & FL_ONGROUND);
    assert_true(steep->origin.z < 1.0f); // slid down to the floor
    assert_true(steep->origin.x < -590.0f);
    TestSim_Free(&sim);
}

// Fly and flymissile come to rest on floors as well, and slide along walls.
static void test_flyers(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *floor = add(&sim, MOVETYPE_FLY, Vector(0.0f, 0.0f, 10.0f), Vector(9.0f, 0.0f, -50.0f));
    edict_t *wall =
        add(&sim, MOVETYPE_FLY, Vector(0.0f, 1010.0f, 500.0f), Vector(100.0f, 100.0f, 0.0f));
    for (int32_t tick = 0; tick < 30; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(floor->flags & FL_ONGROUND);
    assert_true(wall->velocity.y == 0.0f);
    assert_true(wall->velocity.x == 100.0f);
    assert_true(wall->origin.x > 40.0f);
    TestSim_Free(&sim);
}

static void test_water_transition(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *edict =
        add(&sim, MOVETYPE_FLY, Vector(700.0f, 0.0f, 210.0f), Vector(0.0f, 0.0f, -500.0f));
    TestSim_Tick(&sim); // 202: out of the water, and the edict has noticed
    assert_int_equal(edict->watertype, CONTENTS_EMPTY);
    TestSim_Tick(&sim); // 194
    assert_int_equal(edict->watertype, CONTENTS_WATER);
    assert_int_equal(edict->waterlevel, 1);
    assert_true(edict->flags & FL_INWATER);
    assert_int_equal(TestEvents_Effects(sim.world, sim.events, "splash"), 1);
    assert_int_equal(sim.events->emissions[0].what.event.entity,
                     World_EdictNumber(sim.world, edict));
    TestSim_Tick(&sim);
    assert_int_equal(TestEvents_Effects(sim.world, sim.events, "splash"), 0);
    edict->velocity.z = 2000.0f;
    TestSim_Tick(&sim);
    assert_int_equal(edict->watertype, CONTENTS_EMPTY);
    assert_int_equal(edict->waterlevel, 0);
    assert_false(edict->flags & FL_INWATER);
    assert_int_equal(TestEvents_Effects(sim.world, sim.events, "splash"), 1);
    // An edict that appears in water makes no splash.
    add(&sim, MOVETYPE_FLY, Vector(700.0f, 50.0f, 100.0f), Vector(1.0f, 0.0f, 0.0f));
    TestSim_Tick(&sim);
    assert_int_equal(TestEvents_Effects(sim.world, sim.events, "splash"), 0);
    TestSim_Free(&sim);
}

static void test_both_are_touched(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *box = add_box(&sim, Vector(100.0f, 0.0f, 500.0f), "count");
    edict_t *shot =
        add(&sim, MOVETYPE_FLYMISSILE, Vector(0.0f, 0.0f, 500.0f), Vector(2000.0f, 0.0f, 0.0f));
    shot->touch = Callbacks_Find(sim.world, "count");
    for (int32_t tick = 0; tick < 3; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(box->effects, 1);
    assert_int_equal(shot->effects, 1);
    TestSim_Free(&sim);
}

// The edict that is touched first removes the second one, whose touch is then not called.
static void test_removed_in_touch(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    const char *names[] = {"remove", "remove_other"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        edict_t *box = add_box(&sim, Vector(100.0f, 0.0f, 500.0f), "count");
        edict_t *shot = add(&sim, MOVETYPE_FLYMISSILE, Vector(70.0f, 0.0f, 500.0f),
                            Vector(2000.0f, 0.0f, 0.0f));
        shot->touch = Callbacks_Find(sim.world, names[i]);
        edict_ref_t refs[2] = {World_Ref(sim.world, shot), World_Ref(sim.world, box)};
        TestSim_Tick(&sim);
        assert_null(World_Deref(sim.world, refs[i]));
        assert_non_null(World_Deref(sim.world, refs[1 - i]));
        assert_int_equal(World_Edict(sim.world, (int32_t)refs[1].index)->effects, 0);
        for (int32_t n = 0; n < 2; n++) {
            edict_t *left = World_Deref(sim.world, refs[n]);
            if (left) {
                SV_FreeEdict(&sim.sv, left);
            }
        }
    }
    TestSim_Free(&sim);
}

static void test_removed_by_a_trigger_on_the_way(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *trigger =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0.0f, 0.0f, 500.0f), 64.0f);
    trigger->touch = Callbacks_Find(sim.world, "trigger");
    SV_LinkEdict(&sim.sv, trigger, false);
    edict_t *shot =
        add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 600.0f), Vector(0.0f, 0.0f, -1900.0f));
    shot->touch = Callbacks_Find(sim.world, "count");
    edict_ref_t ref = World_Ref(sim.world, shot);
    for (int32_t tick = 0; tick < 5; tick++) {
        TestSim_Tick(&sim);
    }
    assert_null(World_Deref(sim.world, ref));
    assert_int_equal(trigger->effects, 1);
    TestSim_Free(&sim);
}

// A soft edict falls through players and rests only on brushes.
static void test_items_fall_through_boxes(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    add_box(&sim, Vector(0.0f, 0.0f, 100.0f), NULL);
    edict_t *item = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 200.0f), zero);
    edict_t *hard = add(&sim, MOVETYPE_TOSS, Vector(5.0f, 0.0f, 200.0f), zero);
    item->solid = SOLID_TRIGGER;
    SV_LinkEdict(&sim.sv, item, false);
    for (int32_t tick = 0; tick < 100; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(item->origin.z < 1.0f);
    assert_true(hard->origin.z > 116.0f);
    assert_true(hard->origin.z < 116.1f);
    TestSim_Free(&sim);
}

static void test_thrown_up_again_by_a_touch(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *edict = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 5.0f), zero);
    for (int32_t tick = 0; tick < 30; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    edict_t *pad = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, zero, 8.0f);
    pad->touch = Callbacks_Find(sim.world, "launch");
    SV_LinkEdict(&sim.sv, pad, false);
    SV_LinkEdict(&sim.sv, edict, true);
    TestSim_Tick(&sim);
    assert_true(edict->origin.z > 4.0f);
    TestSim_Free(&sim);
}

// A trigger on the floor teleports the edict in the tick in which it lands: it does not count as
// landed at the destination.
static void test_teleported_as_it_lands(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *trigger =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0.0f, 0.0f, -8.0f), 8.0f);
    trigger->touch = Callbacks_Find(sim.world, "away");
    SV_LinkEdict(&sim.sv, trigger, false);
    edict_t *edict =
        add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 20.0f), Vector(0.0f, 0.0f, -1900.0f));
    TestSim_Tick(&sim);
    assert_true(VectorCompare(edict->origin, Vector(0.0f, -500.0f, 800.0f)));
    assert_true(VectorCompare(edict->velocity, Vector(100.0f, 0.0f, 0.0f)));
    assert_false(edict->flags & FL_ONGROUND);
    TestSim_Tick(&sim);
    assert_true(edict->origin.z < 800.0f);
    assert_true(edict->origin.x > 1.0f);
    TestSim_Free(&sim);
}

// Unlinked edicts such as gibs block nothing and are on no list. They still fall when the brush
// under them vanishes, moves or becomes non-solid.
static void test_unlinked_things_lose_their_ground(void **state) {
    (void)state;
    for (int32_t way = 0; way < 3; way++) {
        test_sim_t sim;
        set_up(&sim);
        edict_t *lift =
            TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, Vector(0.0f, 0.0f, 300.0f), 32.0f);
        lift->model = 1;
        SV_LinkEdict(&sim.sv, lift, false);
        edict_t *gib = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 400.0f), zero);
        gib->solid = SOLID_NOT;
        SV_LinkEdict(&sim.sv, gib, false);
        for (int32_t tick = 0; tick < 60; tick++) {
            TestSim_Tick(&sim);
        }
        assert_true(gib->flags & FL_ONGROUND);
        assert_true(fabsf(gib->origin.z - 332.0f) < 0.1f);
        if (way == 0) {
            SV_RemoveEdict(&sim.sv, lift);
        } else if (way == 1) {
            lift->origin.x = 500.0f;
            SV_LinkEdict(&sim.sv, lift, false);
        } else {
            lift->solid = SOLID_NOT;
            SV_LinkEdict(&sim.sv, lift, false);
        }
        for (int32_t tick = 0; tick < 100; tick++) {
            TestSim_Tick(&sim);
        }
        assert_true(gib->flags & FL_ONGROUND);
        assert_true(gib->origin.z < 1.0f);
        assert_int_equal(World_NextActive(sim.world, -1), -1);
        TestSim_Free(&sim);
    }
}

// An edict inside another one stays, and moves on when the other one is removed.
static void test_stuck_in_a_box(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim);
    edict_t *box = add_box(&sim, Vector(0.0f, 0.0f, 500.0f), NULL);
    edict_t *edict = add(&sim, MOVETYPE_TOSS, Vector(0.0f, 0.0f, 500.0f), Vector(9.0f, 9.0f, 9.0f));
    for (int32_t tick = 0; tick < 10; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(VectorCompare(edict->origin, Vector(0.0f, 0.0f, 500.0f)));
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    SV_RemoveEdict(&sim.sv, box);
    for (int32_t tick = 0; tick < 10; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(edict->origin.z < 500.0f);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_turns_by_avelocity),
        cmocka_unit_test(test_overbounce),
        cmocka_unit_test(test_rest_on_floors),
        cmocka_unit_test(test_slope_limit),
        cmocka_unit_test(test_flyers),
        cmocka_unit_test(test_water_transition),
        cmocka_unit_test(test_both_are_touched),
        cmocka_unit_test(test_removed_in_touch),
        cmocka_unit_test(test_removed_by_a_trigger_on_the_way),
        cmocka_unit_test(test_items_fall_through_boxes),
        cmocka_unit_test(test_thrown_up_again_by_a_touch),
        cmocka_unit_test(test_teleported_as_it_lands),
        cmocka_unit_test(test_unlinked_things_lose_their_ground),
        cmocka_unit_test(test_stuck_in_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
