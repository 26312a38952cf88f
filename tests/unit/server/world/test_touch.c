// Triggers: order, removal and moves inside touches, recursion and storms.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

// ---- callbacks of the test's game; they record into world->game ----

#define MAX_NOTES 1024

typedef struct {
    int32_t count;
    uint16_t triggers[MAX_NOTES];
} notes_t;

static notes_t *notes_of(const sv_context_t *sv) {
    return (notes_t *)(void *)sv->world->game;
}

static void note_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)other;
    notes_t *notes = notes_of(sv);
    assert_null(trace);
    if (notes->count < MAX_NOTES) {
        notes->triggers[notes->count] = (uint16_t)World_EdictNumber(sv->world, self);
    }
    notes->count++;
}

static void remove_other_touch(sv_context_t *sv, edict_t *self, edict_t *other,
                               const trace_t *trace) {
    note_touch(sv, self, other, trace);
    SV_RemoveEdict(sv, other);
}

static void remove_self_touch(sv_context_t *sv, edict_t *self, edict_t *other,
                              const trace_t *trace) {
    note_touch(sv, self, other, trace);
    SV_RemoveEdict(sv, self);
}

static void remove_next_touch(sv_context_t *sv, edict_t *self, edict_t *other,
                              const trace_t *trace) {
    note_touch(sv, self, other, trace);
    SV_RemoveEdict(sv, World_Edict(sv->world, World_EdictNumber(sv->world, self) + 1));
}

static void teleport_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    note_touch(sv, self, other, trace);
    other->origin = Vector(900.0f, 900.0f, 900.0f);
    SV_LinkEdict(sv, other, true);
}

// Links the toucher at its position, so that it touches again.
static void again_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    note_touch(sv, self, other, trace);
    SV_LinkEdict(sv, other, true);
}

// Breaks a rule of games: another edict is in the slot of the one that was touched.
static void replace_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    note_touch(sv, self, other, trace);
    SV_FreeEdict(sv, other);
    edict_t *tenant = SV_SpawnEdict(sv);
    assert_ptr_equal(tenant, other);
    tenant->solid = SOLID_BBOX;
    SV_LinkEdict(sv, tenant, false);
}

static void some_think(sv_context_t *sv, edict_t *self) {
    (void)sv;
    (void)self;
}

static const callback_t functions[] = {
    {.name = "note", .touch = note_touch},
    {.name = "remove_other", .touch = remove_other_touch},
    {.name = "remove_self", .touch = remove_self_touch},
    {.name = "remove_next", .touch = remove_next_touch},
    {.name = "teleport", .touch = teleport_touch},
    {.name = "again", .touch = again_touch},
    {.name = "replace", .touch = replace_touch},
    {.name = "think", .think = some_think},
};

static void set_up(test_sim_t *sim, int32_t max_edicts) {
    TestSim_InitRoom(sim, max_edicts);
    TestSim_Bind(sim, functions, COUNTOF(functions));
}

static edict_t *add_trigger(test_sim_t *sim, const char *touch, vec3_t origin) {
    edict_t *trigger = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_TRIGGER, origin, 32.0f);
    trigger->touch = Callbacks_Find(sim->world, touch);
    SV_LinkEdict(&sim->sv, trigger, false);
    return trigger;
}

static edict_t *add_walker(test_sim_t *sim) {
    return TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_BBOX, (vec3_t){0.0f, 0.0f, 0.0f}, 8.0f);
}

// ---- tests ----

static void test_touches_in_index_order(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    for (int32_t i = 0; i < 10; i++) {
        add_trigger(&sim, "note", Vector((float)(i * 7 % 10), 0.0f, 0.0f));
    }
    add_trigger(&sim, "note", Vector(100.0f, 0.0f, 0.0f)); // out of reach
    SV_LinkEdict(&sim.sv, add_walker(&sim), false);
    assert_int_equal(notes_of(&sim.sv)->count, 0);
    SV_LinkEdict(&sim.sv, add_walker(&sim), true);
    assert_int_equal(notes_of(&sim.sv)->count, 10);
    for (int32_t i = 0; i < 10; i++) {
        assert_int_equal(notes_of(&sim.sv)->triggers[i], 2 + i);
    }
    TestSim_Free(&sim);
}

static void test_who_touches(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    edict_t *trigger = add_trigger(&sim, "note", (vec3_t){0.0f, 0.0f, 0.0f});
    edict_t *walker = add_walker(&sim);
    walker->solid = SOLID_NOT; // a non-solid edict neither stops nor touches
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, 0);
    walker->solid = SOLID_TRIGGER; // a trigger (an item) touches
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, 1);
    // It does not touch itself, and the item has no touch callback.
    SV_LinkEdict(&sim.sv, trigger, true);
    assert_int_equal(notes_of(&sim.sv)->count, 1);
    trigger->flags |= FL_PLAYERTOUCH;
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, 1);
    walker->flags |= FL_CLIENT;
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, 2);
    TestSim_Free(&sim);
}

static void test_removed_toucher_touches_no_more(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    add_trigger(&sim, "note", (vec3_t){0});
    add_trigger(&sim, "remove_other", (vec3_t){0});
    add_trigger(&sim, "note", (vec3_t){0});
    edict_t *walker = add_walker(&sim);
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, 2);
    assert_true(walker->flags & FL_KILLME);
    TestSim_Free(&sim);
}

static void test_removed_triggers_are_not_called(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    add_trigger(&sim, "remove_next", (vec3_t){0});
    add_trigger(&sim, "note", (vec3_t){0}); // removed before its turn
    add_trigger(&sim, "remove_self", (vec3_t){0});
    add_trigger(&sim, "note", (vec3_t){0});
    SV_LinkEdict(&sim.sv, add_walker(&sim), true);
    assert_int_equal(notes_of(&sim.sv)->count, 3);
    assert_int_equal(notes_of(&sim.sv)->triggers[1], 4);
    SV_FreeRemoved(&sim.sv);
    assert_int_equal(World_Edict(sim.world, 3)->inuse, 0);
    assert_int_equal(World_Edict(sim.world, 4)->inuse, 0);
    TestSim_Free(&sim);
}

static void test_teleported_away_touches_nothing_here(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    add_trigger(&sim, "teleport", (vec3_t){0});
    add_trigger(&sim, "note", (vec3_t){0});
    add_trigger(&sim, "note", Vector(900.0f, 900.0f, 900.0f));
    SV_LinkEdict(&sim.sv, add_walker(&sim), true);
    assert_int_equal(notes_of(&sim.sv)->count, 2);
    assert_int_equal(notes_of(&sim.sv)->triggers[1], 4); // the trigger at the destination
    TestSim_Free(&sim);
}

static void test_new_tenant_is_not_the_toucher(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    add_trigger(&sim, "replace", (vec3_t){0});
    add_trigger(&sim, "note", (vec3_t){0});
    SV_LinkEdict(&sim.sv, add_walker(&sim), true);
    assert_int_equal(notes_of(&sim.sv)->count, 1);
    TestSim_Free(&sim);
}

static void test_recursion_is_bounded(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    add_trigger(&sim, "again", (vec3_t){0});
    SV_LinkEdict(&sim.sv, add_walker(&sim), true);
    assert_int_equal(notes_of(&sim.sv)->count, MAX_TOUCH_DEPTH);
    assert_int_equal(sim.world->counters.touches_dropped, 1);
    assert_int_equal(sim.world->touch_depth, 0);
    TestSim_Free(&sim);
}

// 40 triggers touch all 40 again: 40^8 touches without a limit.
static void test_touches_of_a_tick_are_bounded(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 128);
    for (int32_t i = 0; i < 40; i++) {
        add_trigger(&sim, "again", (vec3_t){0});
    }
    edict_t *walker = add_walker(&sim);
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, MAX_TOUCHES_TICK);
    assert_true(sim.world->counters.touches_dropped > 0);
    if (!Test_IsSlow()) {
        TestSim_Tick(&sim);
        SV_LinkEdict(&sim.sv, walker, true); // the next tick has a limit of its own
        assert_int_equal(notes_of(&sim.sv)->count, 2 * MAX_TOUCHES_TICK);
    }
    TestSim_Free(&sim);
}

static void test_ten_thousand_triggers_in_one_spot(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 12000);
    for (int32_t i = 0; i < 10000; i++) {
        add_trigger(&sim, i % 2 ? "note" : "remove_self", (vec3_t){0});
    }
    edict_t *walker = add_walker(&sim);
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, MAX_TOUCHES);
    assert_int_equal(sim.world->counters.touches_dropped, 10000 - MAX_TOUCHES);
    for (int32_t i = 0; i < MAX_TOUCHES; i++) { // the lowest numbers, in order
        assert_int_equal(notes_of(&sim.sv)->triggers[i], 2 + i);
    }
    TestSim_Tick(&sim);
    SV_LinkEdict(&sim.sv, walker, true);
    assert_int_equal(notes_of(&sim.sv)->count, 2 * MAX_TOUCHES);
    TestSim_Free(&sim);
}

static void test_wrong_function_is_quarantined(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const int32_t wrong[] = {Callbacks_Find(sim.world, "think"), 255, 256, -1, INT32_MAX};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        edict_t *trigger = add_trigger(&sim, "note", (vec3_t){0});
        trigger->touch = wrong[i];
        SV_LinkEdict(&sim.sv, add_walker(&sim), true);
        assert_true(trigger->flags & FL_QUARANTINED);
        assert_int_equal(sim.world->counters.quarantined, i + 1);
    }
    TestSim_Free(&sim);
}

static void test_touch_wakes_both(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    edict_t *trigger = add_trigger(&sim, "note", (vec3_t){0});
    edict_t *walker = add_walker(&sim);
    SV_LinkEdict(&sim.sv, walker, false);
    for (int32_t tick = 0; tick < 3; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    SV_TouchLinks(&sim.sv, walker);
    int32_t first = World_NextActive(sim.world, -1);
    assert_int_equal(first, World_EdictNumber(sim.world, trigger));
    assert_int_equal(World_NextActive(sim.world, first), World_EdictNumber(sim.world, walker));
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touches_in_index_order),
        cmocka_unit_test(test_who_touches),
        cmocka_unit_test(test_removed_toucher_touches_no_more),
        cmocka_unit_test(test_removed_triggers_are_not_called),
        cmocka_unit_test(test_teleported_away_touches_nothing_here),
        cmocka_unit_test(test_new_tenant_is_not_the_toucher),
        cmocka_unit_test(test_recursion_is_bounded),
        cmocka_unit_test(test_touches_of_a_tick_are_bounded),
        cmocka_unit_test(test_ten_thousand_triggers_in_one_spot),
        cmocka_unit_test(test_wrong_function_is_quarantined),
        cmocka_unit_test(test_touch_wakes_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
