// STEP edicts with a mover of their own: they fall, walk, collide, sleep and wake. An invalid mover
// quarantines only its edict.

#include "lib/ibsp_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "collide/contact.h"
#include "move/body.h"
#include "world/block.h"

static const bounds_t box = {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}};

static edict_t *add(test_sim_t *sim, pm_mover_t mover, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_STEP, SOLID_SLIDEBOX, origin, 0.0f);
    edict->mins = box.mins;
    edict->maxs = box.maxs;
    edict->mover = (int16_t)mover;
    edict->flags |= FL_MONSTER;
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static void run(test_sim_t *sim, edict_t *edict, float x, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        edict->velocity.x = x;
        SV_WakeEdict(&sim->sv, edict);
        TestSim_Tick(sim);
    }
}

static edict_t *touched_by[4];
static int32_t num_touches;

static void note_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)self;
    (void)trace;
    touched_by[num_touches++ % 4] = other;
}

static const callback_t callbacks[] = {{.name = "note_touch", .touch = note_touch}};

static void test_falls_walks_and_rests(void **state) {
    (void)state;
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        edict_t *edict = add(&sim, mover, Vector(0.0f, 0.0f, 200.0f));
        run(&sim, edict, 0.0f, 60);
        assert_true(edict->flags & FL_ONGROUND);
        assert_int_equal(edict->groundentity.index, EDICT_WORLD);
        assert_true(edict->origin.z >= 24.0f);
        assert_true(edict->origin.z < 24.1f);
        run(&sim, edict, 200.0f, 50);
        assert_true(fabsf(edict->origin.x - 200.0f * 50.0f * 0.016f) < 1.0f);
        edict->velocity.x = 0.0f;
        TestSim_Tick(&sim);
        TestSim_Tick(&sim);
        int32_t number = World_EdictNumber(sim.world, edict);
        assert_true(World_NextActive(sim.world, number - 1) != number); // asleep
        run(&sim, edict, 2000.0f, 100);                                 // to the wall of the room
        assert_true(edict->origin.x < 1024.0f);
        assert_true(edict->origin.x > 1000.0f);
        assert_int_equal(sim.world->counters.quarantined, 0);
        TestSim_Free(&sim);
    }
}

// Edicts block each other. Box movers stop at an edict, and can stand on it.
static void test_meets_other_edicts(void **state) {
    (void)state;
    for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        edict_t *other = add(&sim, MOVER_STEP, Vector(200.0f, 0.0f, 24.1f));
        edict_t *edict = add(&sim, mover, Vector(0.0f, 0.0f, 24.1f));
        run(&sim, edict, 200.0f, 80);
        assert_true(edict->origin.x <= 168.0f);
        assert_true(edict->origin.x > 160.0f);
        TestSim_Bind(&sim, callbacks, 1);
        edict_t *falls = add(&sim, mover, Vector(205.0f, 3.0f, 150.0f));
        falls->touch = Callbacks_Find(sim.world, "note_touch");
        num_touches = 0;
        run(&sim, falls, 0.0f, 60);
        assert_int_equal(num_touches, 1); // when it lands
        assert_ptr_equal(touched_by[0], other);
        assert_true(falls->flags & FL_ONGROUND);
        assert_int_equal(falls->groundentity.index, World_EdictNumber(sim.world, other));
        assert_true(fabsf(falls->origin.z - (other->origin.z + 56.0f)) < 0.1f);
        TestSim_Free(&sim);
    }
}

// Both touch callbacks receive the other edict, with any mover. An edict that is lifted onto
// another has it as ground.
static void test_tells_whom_it_meets(void **state) {
    (void)state;
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        TestSim_Bind(&sim, callbacks, 1);
        edict_t *other = add(&sim, MOVER_STEP, Vector(60.0f, 0.0f, 24.1f));
        edict_t *edict = add(&sim, mover, Vector(0.0f, 0.0f, 24.1f));
        edict->touch = Callbacks_Find(sim.world, "note_touch");
        num_touches = 0;
        touched_by[0] = NULL;
        for (int32_t i = 0; i < 20 && touched_by[0] != other; i++) {
            num_touches = 0;
            run(&sim, edict, 200.0f, 1);
        }
        assert_ptr_equal(touched_by[0], other);
        TestSim_Free(&sim);
    }
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *post = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(60.0f, 0.0f, 5.0f), 5.0f);
    SV_LinkEdict(&sim.sv, post, false);
    // It falls onto the other edict.
    edict_t *edict = add(&sim, MOVER_DROP, Vector(62.0f, 1.0f, 60.0f));
    run(&sim, edict, 0.0f, 30);
    assert_true(edict->origin.z > 34.0f);
    assert_true(edict->origin.z < 34.2f);
    assert_int_equal(edict->groundentity.index, World_EdictNumber(sim.world, post));
    TestSim_Free(&sim);
}

// An edict that is carried along a wall is no faster than its carrier, and stops with it.
static void test_carried_along_a_wall(void **state) {
    (void)state;
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        edict_t *belt =
            TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(950.0f, 0.0f, -72.0f), 90.0f);
        belt->surface_velocity = Vector(70.0f, 70.0f, 0.0f);
        SV_LinkEdict(&sim.sv, belt, false);
        edict_t *edict = add(&sim, mover, Vector(980.0f, -60.0f, 42.1f));
        for (int32_t i = 0; i < 80; i++) {
            SV_WakeEdict(&sim.sv, edict);
            vec3_t before = edict->origin;
            TestSim_Tick(&sim);
            assert_true(edict->origin.y - before.y < 1.2f); // 70 qu/s for 16 ms
        }
        assert_true(edict->origin.x > 1000.0f);
        assert_true(mover == MOVER_RAY || edict->origin.y > 0.0f);
        belt->surface_velocity = Vector(0.0f, 0.0f, 0.0f);
        TestSim_Tick(&sim);
        assert_true(VectorLength(edict->velocity) < 0.01f);
        edict->basevelocity = Vector(0.0f, 0.0f, -100.0f); // pushed into the floor
        SV_WakeEdict(&sim.sv, edict);
        TestSim_Tick(&sim);
        assert_true(edict->velocity.z <= 0.0f);
        assert_true(edict->flags & FL_ONGROUND);
        TestSim_Free(&sim);
    }
}

// If its ground is removed while it rests, or becomes non-solid, it falls.
static void test_ground_that_goes(void **state) {
    (void)state;
    for (int32_t i = 0; i < 2 * (MOVER_COUNT - MOVER_RAY); i++) {
        pm_mover_t mover = (pm_mover_t)(MOVER_RAY + i / 2);
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        edict_t *block =
            TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 40.0f), 40.0f);
        SV_LinkEdict(&sim.sv, block, false);
        edict_t *edict = add(&sim, mover, Vector(0.0f, 0.0f, 110.0f));
        run(&sim, edict, 0.0f, 40);
        for (int n = 0; n < 5; n++) {
            TestSim_Tick(&sim);
        }
        assert_int_equal(edict->groundentity.index, World_EdictNumber(sim.world, block));
        if (i % 2 == 0) {
            SV_RemoveEdict(&sim.sv, block);
        } else {
            block->solid = SOLID_NOT;
            SV_LinkEdict(&sim.sv, block, false);
        }
        for (int n = 0; n < 60; n++) {
            TestSim_Tick(&sim);
        }
        assert_true(edict->origin.z < 24.2f);
        assert_true(edict->groundentity.index == EDICT_WORLD);
        TestSim_Free(&sim);
    }
}

static void test_monster_clip(void **state) {
    (void)state;
    static const test_ibsp_brush_t brushes[] = {
        {.box = {{-500.0f, -500.0f, -16.0f}, {500.0f, 500.0f, 0.0f}}, .flags = 1},
        {.box = {{100.0f, -500.0f, 0.0f}, {110.0f, 500.0f, 100.0f}}, .flags = 0x20000}};
    const test_ibsp_t clipped = {
        .version = 38, .brushes = brushes, .num_brushes = 2, .num_models = 1};
    for (int32_t i = 0; i < 2; i++) {
        test_sim_t sim;
        TestSim_InitRoom(&sim, 64);
        CM_FreeMap(&sim.map);
        assert_true(TestIbsp_Build(&sim.map, &clipped));
        for (pm_mover_t mover = MOVER_SWEEP; mover < MOVER_COUNT; mover++) {
            edict_t *edict = add(&sim, mover, Vector(0.0f, 100.0f * (float)mover, 24.1f));
            edict->flags = i == 0 ? FL_MONSTER : 0;
            run(&sim, edict, 200.0f, 80);
            assert_true((edict->origin.x < 84.0f) == (i == 0));
        }
        TestSim_Free(&sim);
    }
}

static int32_t overlap(const test_sim_t *sim, bounds_t at, move_type_t type, const edict_t *pass,
                       cm_contact_t contacts[MAX_CONTACTS], int32_t entnums[MAX_CONTACTS]) {
    const sv_query_t query = {.pass = pass, .type = type};
    return SV_Overlap(&sim->sv, &query, at, contacts, entnums);
}

static void test_overlap(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *other = add(&sim, MOVER_STEP, Vector(0.0f, 0.0f, 124.0f));
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t entnums[MAX_CONTACTS];
    const bounds_t at = {{10.0f, -4.0f, 110.0f}, {30.0f, 4.0f, 130.0f}};
    assert_int_equal(overlap(&sim, at, MOVE_NORMAL, NULL, contacts, entnums), 1);
    assert_int_equal(entnums[0], World_EdictNumber(sim.world, other));
    assert_true(contacts[0].normal.x == 1.0f);
    assert_true(contacts[0].depth == 6.0f);
    assert_int_equal(overlap(&sim, at, MOVE_NORMAL, other, contacts, entnums), 0);
    assert_int_equal(overlap(&sim, at, MOVE_NOMONSTERS, NULL, contacts, entnums), 0);
    const bounds_t low = {{-10.0f, -10.0f, -3.0f}, {10.0f, 10.0f, 101.0f}};
    assert_int_equal(overlap(&sim, low, MOVE_NORMAL, NULL, contacts, entnums), 2);
    // The floor has the largest depth.
    assert_true(entnums[0] == 0);
    assert_true(fabsf(contacts[0].depth - 3.0f) < 0.1f);
    assert_true(entnums[1] != 0);
    assert_true(contacts[1].normal.z == -1.0f);
    assert_true(contacts[1].depth == 1.0f);
    // Its owner, and edicts that it owns, do not block it.
    edict_t *owned = add(&sim, MOVER_STEP, Vector(300.0f, 0.0f, 124.0f));
    owned->owner = World_Ref(sim.world, other);
    assert_int_equal(overlap(&sim, at, MOVE_NORMAL, owned, contacts, entnums), 0);
    const bounds_t beside = {{310.0f, -4.0f, 110.0f}, {330.0f, 4.0f, 130.0f}};
    assert_int_equal(overlap(&sim, beside, MOVE_NORMAL, other, contacts, entnums), 0);
    assert_int_equal(overlap(&sim, beside, MOVE_NORMAL, NULL, contacts, entnums), 1);
    // For equal depths, the lower edict number comes first, whichever was linked first.
    edict_t *left = add(&sim, MOVER_STEP, Vector(-300.0f, 0.0f, 124.0f));
    edict_t *right = add(&sim, MOVER_STEP, Vector(-260.0f, 0.0f, 124.0f));
    const bounds_t between = {{-285.0f, -4.0f, 110.0f}, {-275.0f, 4.0f, 130.0f}};
    for (int i = 0; i < 2; i++) {
        SV_LinkEdict(&sim.sv, i == 0 ? right : left, false);
        assert_int_equal(overlap(&sim, between, MOVE_NORMAL, NULL, contacts, entnums), 2);
        assert_true(contacts[0].depth == contacts[1].depth);
        assert_int_equal(entnums[0], World_EdictNumber(sim.world, left));
        assert_int_equal(entnums[1], World_EdictNumber(sim.world, right));
    }
    const bounds_t nowhere = {{NAN, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    assert_int_equal(overlap(&sim, nowhere, MOVE_NORMAL, NULL, contacts, entnums), 0);
    TestSim_Free(&sim);
}

static void test_impossible_mover(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *bad = add(&sim, (pm_mover_t)77, Vector(0.0f, 0.0f, 100.0f));
    edict_t *good = add(&sim, MOVER_DROP, Vector(200.0f, 0.0f, 100.0f));
    run(&sim, good, 0.0f, 60);
    assert_int_equal(sim.world->counters.quarantined, 1);
    assert_true(good->flags & FL_ONGROUND);
    assert_true(bad->origin.z == 100.0f);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_walks_and_rests),
        cmocka_unit_test(test_meets_other_edicts),
        cmocka_unit_test(test_tells_whom_it_meets),
        cmocka_unit_test(test_carried_along_a_wall),
        cmocka_unit_test(test_ground_that_goes),
        cmocka_unit_test(test_monster_clip),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_impossible_mover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
