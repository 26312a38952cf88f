// Think callbacks: when and how often they run, the time they see, and what they may do to their
// own edict.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

#define MAX_NOTES 200

// Record of a test's thinks, stored in world->game.
typedef struct {
    int64_t times[MAX_NOTES];
    int32_t numbers[MAX_NOTES];
    int32_t count;
} notes_t;

static notes_t *notes_of(const test_sim_t *sim) {
    return (notes_t *)(void *)sim->world->game;
}

static void note(sv_context_t *sv, const edict_t *self) {
    notes_t *notes = (notes_t *)(void *)sv->world->game;
    if (notes->count < MAX_NOTES) {
        notes->times[notes->count] = SV_Time(sv);
        notes->numbers[notes->count] = World_EdictNumber(sv->world, self);
    }
    notes->count++;
}

static void once_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
}

static void every_3_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    SV_SetNextThink(sv, self, SV_Time(sv) + 3);
}

static void every_1_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    SV_SetNextThink(sv, self, SV_Time(sv) + 1);
}

static void past_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    SV_SetNextThink(sv, self, 1);
}

static void remove_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    SV_SetNextThink(sv, self, SV_Time(sv) + 1);
    SV_RemoveEdict(sv, self);
    SV_SetNextThink(sv, self, SV_Time(sv) + 1); // 1 ms after the current time
}

// Breaks a rule of games: another edict is in the slot when the think returns.
static void replace_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    SV_FreeEdict(sv, self);
    edict_t *tenant = SV_SpawnEdict(sv);
    assert_ptr_equal(tenant, self);
    tenant->movetype = MOVETYPE_TOSS;
    tenant->origin = Vector(0.0f, 0.0f, 500.0f);
    SV_LinkEdict(sv, tenant, false);
}

static void spawn_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    edict_t *child = SV_SpawnEdict(sv);
    child->think = Callbacks_Find(sv->world, "once");
    child->movetype = MOVETYPE_NOCLIP;
    child->velocity = Vector(1000.0f, 0.0f, 0.0f);
    SV_LinkEdict(sv, child, false);
    SV_SetNextThink(sv, child, SV_Time(sv)); // now, which means in the next tick
}

static void nan_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    self->velocity.x = NAN;
}

// Writes the field itself instead of calling SV_SetNextThink.
static void direct_think(sv_context_t *sv, edict_t *self) {
    note(sv, self);
    self->nextthink_ms = SV_Time(sv) + 50;
}

static void touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)self;
    (void)other;
    (void)trace;
}

static const callback_t functions[] = {
    {.name = "once", .think = once_think},       {.name = "every_3", .think = every_3_think},
    {.name = "every_1", .think = every_1_think}, {.name = "past", .think = past_think},
    {.name = "remove", .think = remove_think},   {.name = "replace", .think = replace_think},
    {.name = "spawn", .think = spawn_think},     {.name = "nan", .think = nan_think},
    {.name = "direct", .think = direct_think},   {.name = "touch", .touch = touch},
};

static edict_t *start(test_sim_t *sim, const char *name, int64_t time_ms) {
    TestSim_InitRoom(sim, 64);
    TestSim_Bind(sim, functions, COUNTOF(functions));
    TestSim_Tick(sim); // time 16
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_NOT, Vector(0.0f, 0.0f, 100.0f), 8.0f);
    edict->think = Callbacks_Find(sim->world, name);
    SV_SetNextThink(&sim->sv, edict, time_ms);
    TestSim_Tick(sim); // time 32: the edict was spawned in this tick, so it does not think yet
    assert_int_equal(notes_of(sim)->count, 0);
    return edict;
}

static void test_sees_its_own_time(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, "once", 75);
    TestSim_Tick(&sim); // 48
    TestSim_Tick(&sim); // 64
    assert_int_equal(notes_of(&sim)->count, 0);
    TestSim_Tick(&sim); // 80
    assert_int_equal(notes_of(&sim)->count, 1);
    assert_int_equal(notes_of(&sim)->times[0], 75);
    assert_int_equal(SV_Time(&sim.sv), 80);
    assert_int_equal(edict->nextthink_ms, 0);
    for (int32_t tick = 0; tick < 50; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(notes_of(&sim)->count, 1);
    assert_int_equal(World_NextActive(sim.world, -1), -1);
    TestSim_Free(&sim);
}

static void test_due_at_the_very_end_of_a_tick(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "once", 64);
    TestSim_Tick(&sim); // 48
    assert_int_equal(notes_of(&sim)->count, 0);
    TestSim_Tick(&sim); // 64
    assert_int_equal(notes_of(&sim)->count, 1);
    TestSim_Free(&sim);
}

static void test_runs_while_due(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "every_3", 40);
    for (int32_t tick = 0; tick < 10; tick++) {
        TestSim_Tick(&sim); // to 192
    }
    assert_int_equal(notes_of(&sim)->count, (192 - 40) / 3 + 1);
    for (int32_t i = 0; i < notes_of(&sim)->count; i++) {
        assert_int_equal(notes_of(&sim)->times[i], 40 + 3 * i);
    }
    assert_int_equal(sim.world->counters.thinks_over_budget, 0);
    TestSim_Free(&sim);
}

static void test_budget(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "every_1", 40);
    for (int32_t tick = 1; tick <= 10; tick++) {
        TestSim_Tick(&sim);
        assert_int_equal(notes_of(&sim)->count, tick * MAX_THINKS_TICK);
    }
    assert_int_equal(sim.world->counters.thinks_over_budget, 10);
    for (int32_t i = 0; i < notes_of(&sim)->count; i++) { // late, but no think is lost
        assert_int_equal(notes_of(&sim)->times[i], 40 + i);
    }
    TestSim_Free(&sim);
}

static void test_nextthink_in_the_past_does_not_hang(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, "past", 40);
    for (int32_t tick = 1; tick <= 5; tick++) {
        TestSim_Tick(&sim);
        assert_int_equal(notes_of(&sim)->count, tick * MAX_THINKS_TICK);
    }
    assert_int_equal(notes_of(&sim)->times[1], 1);
    SV_SetNextThink(&sim.sv, edict, -5); // never
    assert_int_equal(edict->nextthink_ms, 0);
    TestSim_Tick(&sim);
    assert_int_equal(notes_of(&sim)->count, 5 * MAX_THINKS_TICK);
    TestSim_Free(&sim);
}

static void test_removed_in_its_own_think(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, "remove", 40);
    edict->movetype = MOVETYPE_NOCLIP;
    edict->velocity = Vector(1000.0f, 0.0f, 0.0f);
    TestSim_Tick(&sim);
    assert_int_equal(notes_of(&sim)->count, 1); // the second think was not called
    assert_int_equal(edict->inuse, 0);          // removed at the end of the tick
    assert_int_equal(sim.world->num_timers, 0);
    for (int32_t tick = 0; tick < 5; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(notes_of(&sim)->count, 1);
    TestSim_Free(&sim);
}

static void test_replaced_in_its_own_think(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err;
    edict_t *edict = start(&sim, "replace", 40);
    TestSim_Tick(&sim);
    // The new edict in the slot did not move in the same tick.
    assert_true(edict->origin.z == 500.0f);
    TestSim_Tick(&sim);
    assert_true(edict->origin.z < 500.0f);
    assert_true(World_Check(sim.world, sim.world->bytes, &err));
    TestSim_Free(&sim);
}

static void test_spawned_acts_from_the_next_tick(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "spawn", 40);
    TestSim_Tick(&sim);
    assert_int_equal(notes_of(&sim)->count, 1);
    const edict_t *child = World_Edict(sim.world, 3);
    assert_int_equal(child->inuse, 1);
    assert_true(child->origin.x == 0.0f);
    TestSim_Tick(&sim);
    assert_int_equal(notes_of(&sim)->count, 2);
    assert_int_equal(notes_of(&sim)->numbers[1], 3);
    assert_int_equal(notes_of(&sim)->times[1], 40); // the time it was set for
    assert_true(child->origin.x == 16.0f);
    TestSim_Free(&sim);
}

static void test_in_index_order(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "once", 80);
    for (int32_t i = 0; i < 10; i++) {
        edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_NOT, (vec3_t){0}, 0.0f);
        edict->think = Callbacks_Find(sim.world, "once");
        SV_SetNextThink(&sim.sv, edict, 79 - i); // the last edict has the earliest time
    }
    for (int32_t tick = 0; tick < 3; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(notes_of(&sim)->count, 11);
    for (int32_t i = 0; i < 11; i++) {
        assert_int_equal(notes_of(&sim)->numbers[i], 2 + i);
    }
    TestSim_Free(&sim);
}

static void test_breaks_itself_in_its_think(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, "nan", 40);
    edict->movetype = MOVETYPE_NOCLIP;
    TestSim_Tick(&sim);
    assert_true(edict->flags & FL_QUARANTINED);
    assert_true(edict->velocity.x == 0.0f);
    TestSim_Free(&sim);
}

static void test_field_written_directly(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "direct", 40);
    for (int32_t tick = 0; tick < 20; tick++) {
        TestSim_Tick(&sim);
    }
    assert_true(notes_of(&sim)->count >= 5);
    for (int32_t i = 0; i < notes_of(&sim)->count; i++) {
        assert_int_equal(notes_of(&sim)->times[i], 40 + 50 * i);
    }
    TestSim_Free(&sim);
}

static void test_wrong_function_is_quarantined(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, "once", 40);
    edict->think = Callbacks_Find(sim.world, "touch");
    TestSim_Tick(&sim);
    assert_true(edict->flags & FL_QUARANTINED);
    TestSim_Free(&sim);
    edict = start(&sim, "once", 40);
    edict->think = 1 << 30;
    TestSim_Tick(&sim);
    assert_true(edict->flags & FL_QUARANTINED);
    TestSim_Free(&sim);
    edict = start(&sim, "once", 40);
    edict->think = 0; // 0: no callback runs
    TestSim_Tick(&sim);
    assert_false(edict->flags & FL_QUARANTINED);
    assert_int_equal(notes_of(&sim)->count, 0);
    assert_int_equal(edict->nextthink_ms, 0);
    TestSim_Free(&sim);
}

// A client's step runs the thinks of its player, one per tick. SV_Physics does not.
static void test_clients_are_not_visited(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, "once", 0);
    edict_t *player = SV_SpawnEdictAt(&sim.sv, 1);
    player->think = Callbacks_Find(sim.world, "every_1");
    player->movetype = MOVETYPE_NOCLIP;
    player->velocity = Vector(100.0f, 0.0f, 0.0f);
    SV_LinkEdict(&sim.sv, player, false);
    SV_SetNextThink(&sim.sv, player, 40);
    for (int32_t tick = 0; tick < 5; tick++) {
        TestSim_Tick(&sim);
    }
    assert_int_equal(notes_of(&sim)->count, 0);
    assert_true(player->origin.x == 0.0f);
    assert_true(SV_RunThink(&sim.sv, player, 1));
    assert_int_equal(notes_of(&sim)->count, 1);
    assert_int_equal(notes_of(&sim)->times[0], 40);
    assert_true(SV_RunThink(&sim.sv, player, 1));
    assert_int_equal(notes_of(&sim)->times[1], 41);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sees_its_own_time),
        cmocka_unit_test(test_due_at_the_very_end_of_a_tick),
        cmocka_unit_test(test_runs_while_due),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_nextthink_in_the_past_does_not_hang),
        cmocka_unit_test(test_removed_in_its_own_think),
        cmocka_unit_test(test_replaced_in_its_own_think),
        cmocka_unit_test(test_spawned_acts_from_the_next_tick),
        cmocka_unit_test(test_in_index_order),
        cmocka_unit_test(test_breaks_itself_in_its_think),
        cmocka_unit_test(test_field_written_directly),
        cmocka_unit_test(test_wrong_function_is_quarantined),
        cmocka_unit_test(test_clients_are_not_visited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
