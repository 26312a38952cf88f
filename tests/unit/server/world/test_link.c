// Linking: boxes, kinds, ground edicts, and edicts that cannot be linked.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/area.h"

#include <string.h>

static const bounds_t everything = {{-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f}};

static int32_t count_linked(const test_sim_t *sim, area_kind_t kind) {
    int32_t list[64];
    return SV_AreaEdicts(sim->world, everything, kind, list, 64, NULL);
}

static void test_linked_box(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(10.0f, 20.0f, 30.0f), 4.0f);
    SV_LinkEdict(&sim.sv, edict, false);
    assert_true(VectorCompare(edict->absmin, Vector(5.0f, 15.0f, 25.0f)));
    assert_true(VectorCompare(edict->absmax, Vector(15.0f, 25.0f, 35.0f)));
    edict->flags |= FL_ITEM;
    SV_LinkEdict(&sim.sv, edict, false);
    assert_true(VectorCompare(edict->absmin, Vector(-9.0f, 1.0f, 25.0f)));
    assert_true(VectorCompare(edict->absmax, Vector(29.0f, 39.0f, 35.0f)));
    TestSim_Free(&sim);
}

static void test_kinds_are_kept_apart(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, (vec3_t){0}, 4.0f);
    const struct {
        solid_t solid;
        int32_t solids, triggers;
    } cases[] = {{SOLID_BBOX, 1, 0},     {SOLID_TRIGGER, 0, 1}, {SOLID_SLIDEBOX, 1, 0},
                 {SOLID_NOT, 0, 0},      {SOLID_TRIGGER, 0, 1}, {SOLID_TRIGGER, 0, 1},
                 {SOLID_SLIDEBOX, 1, 0}, {SOLID_BBOX, 1, 0},    {SOLID_NOT, 0, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        edict->solid = (int32_t)cases[i].solid;
        SV_LinkEdict(&sim.sv, edict, false);
        assert_int_equal(count_linked(&sim, AREA_SOLID), cases[i].solids);
        assert_int_equal(count_linked(&sim, AREA_TRIGGERS), cases[i].triggers);
    }
    edict->solid = SOLID_BBOX;
    SV_LinkEdict(&sim.sv, edict, false);
    SV_UnlinkEdict(&sim.sv, edict);
    SV_UnlinkEdict(&sim.sv, edict);
    assert_int_equal(count_linked(&sim, AREA_SOLID), 0);
    TestSim_Free(&sim);
}

// Each impossible value that a game can write quarantines only that edict, with a log line.
static void test_impossible_values_are_quarantined(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    for (int32_t i = 0; i < 10; i++) {
        edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, (vec3_t){0}, 4.0f);
        edict->classname = World_String(sim.world, "broken_thing");
        SV_LinkEdict(&sim.sv, edict, false);
        SV_SetNextThink(&sim.sv, edict, 7);
        switch (i) {
        case 0:
            edict->origin.y = NAN;
            break;
        case 1:
            edict->origin.x = -70000.0f;
            break;
        case 2:
            edict->mins.x = INFINITY;
            break;
        case 3:
            edict->maxs.z = edict->mins.z - 1.0f;
            break;
        case 4:
            edict->solid = 99;
            break;
        case 5:
            edict->solid = -1;
            break;
        case 6:
            edict->solid = SOLID_BSP; // without a model
            break;
        case 7:
            edict->solid = SOLID_BSP;
            edict->model = 4000000;
            break;
        case 8:
            edict->solid = SOLID_BSP;
            edict->model = -1;
            break;
        default:
            edict->maxs.x = NAN;
            break;
        }
        SV_LinkEdict(&sim.sv, edict, true);
        assert_true(edict->flags & FL_QUARANTINED);
        assert_false(Area_IsLinked(sim.world, World_EdictNumber(sim.world, edict)));
        assert_int_equal(edict->nextthink_ms, 0);
        assert_true(VectorWithin(edict->origin, 1e9f)); // no NaN stays in the block
        assert_true(VectorWithin(edict->mins, 1e9f));
        assert_true(VectorWithin(edict->maxs, 1e9f));
        assert_int_equal(sim.world->counters.quarantined, i + 1);
        assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "edict"), i + 1);
    }
    assert_non_null(strstr(sim.events->list[0].text, "broken_thing"));
    assert_int_equal(count_linked(&sim, AREA_SOLID), 0);
    TestSim_Tick(&sim);
    TestSim_Tick(&sim);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

// ---- ground edicts ----

typedef struct {
    test_sim_t sim;
    edict_t *crate, *lower, *upper;
} pile_t;

// A crate on the floor, a small box on the crate, and another box on that box.
static void build_stack(pile_t *s) {
    TestSim_InitRoom(&s->sim, 16);
    s->crate = TestSim_Spawn(&s->sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 40.0f), 40.0f);
    s->lower = TestSim_Spawn(&s->sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f), 8.0f);
    s->upper = TestSim_Spawn(&s->sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(0.0f, 0.0f, 130.0f), 8.0f);
    SV_LinkEdict(&s->sim.sv, s->crate, false);
    SV_LinkEdict(&s->sim.sv, s->lower, false);
    SV_LinkEdict(&s->sim.sv, s->upper, false);
    for (int32_t tick = 0; tick < 60; tick++) {
        TestSim_Tick(&s->sim);
    }
    assert_true(s->lower->flags & FL_ONGROUND);
    assert_true(s->upper->flags & FL_ONGROUND);
    assert_int_equal(s->lower->groundentity.index, World_EdictNumber(s->sim.world, s->crate));
    assert_int_equal(s->upper->groundentity.index, World_EdictNumber(s->sim.world, s->lower));
    assert_int_equal(World_NextActive(s->sim.world, -1), -1);
}

static void fall_to_the_floor(pile_t *s) {
    for (int32_t tick = 0; tick < 120; tick++) {
        TestSim_Tick(&s->sim);
    }
    assert_true(s->lower->flags & FL_ONGROUND);
    assert_int_equal(s->lower->groundentity.index, EDICT_WORLD);
    assert_true(fabsf(s->lower->origin.z - 8.0f) < 0.1f);
    assert_true(fabsf(s->upper->origin.z - 24.0f) < 0.1f);
    assert_int_equal(s->upper->groundentity.index, World_EdictNumber(s->sim.world, s->lower));
    assert_int_equal(World_NextActive(s->sim.world, -1), -1);
    TestSim_Free(&s->sim);
}

static void test_rest_ends_when_ground_is_removed(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    SV_RemoveEdict(&s.sim.sv, s.crate);
    assert_false(s.lower->flags & FL_ONGROUND);
    fall_to_the_floor(&s);
}

static void test_rest_ends_when_ground_is_freed(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    SV_FreeEdict(&s.sim.sv, s.crate);
    fall_to_the_floor(&s);
}

static void test_rest_ends_when_ground_moves(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    s.crate->origin.x = 500.0f;
    SV_LinkEdict(&s.sim.sv, s.crate, false);
    fall_to_the_floor(&s);
}

static void test_rest_ends_when_ground_goes_soft(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    s.crate->solid = SOLID_NOT;
    SV_LinkEdict(&s.sim.sv, s.crate, false);
    fall_to_the_floor(&s);
}

static void test_rest_ends_when_ground_becomes_a_trigger(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    s.crate->solid = SOLID_TRIGGER;
    SV_LinkEdict(&s.sim.sv, s.crate, false);
    fall_to_the_floor(&s);
}

static void test_rest_ends_when_ground_is_quarantined(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    s.crate->origin.x = NAN;
    SV_LinkEdict(&s.sim.sv, s.crate, false);
    fall_to_the_floor(&s);
}

static void test_relink_in_place_wakes_nobody(void **state) {
    (void)state;
    pile_t s;
    build_stack(&s);
    SV_LinkEdict(&s.sim.sv, s.crate, false);
    assert_true(s.lower->flags & FL_ONGROUND);
    assert_true(s.upper->flags & FL_ONGROUND);
    TestSim_Free(&s.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linked_box),
        cmocka_unit_test(test_kinds_are_kept_apart),
        cmocka_unit_test(test_impossible_values_are_quarantined),
        cmocka_unit_test(test_rest_ends_when_ground_is_removed),
        cmocka_unit_test(test_rest_ends_when_ground_is_freed),
        cmocka_unit_test(test_rest_ends_when_ground_moves),
        cmocka_unit_test(test_rest_ends_when_ground_goes_soft),
        cmocka_unit_test(test_rest_ends_when_ground_becomes_a_trigger),
        cmocka_unit_test(test_rest_ends_when_ground_is_quarantined),
        cmocka_unit_test(test_relink_in_place_wakes_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
