// Timers of edicts besides the think: order, times, limits, and the pool in the world block.

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "world/block.h"
#include "world/edict_timers.h"

#include <string.h>

#define MAX_NOTES 400

// The callbacks that ran, as a text: a letter each, and the time.
typedef struct {
    char names[MAX_NOTES];
    int64_t times[MAX_NOTES];
    int32_t count;
} notes_t;

static notes_t notes;

static void note(const sv_context_t *sv, char name) {
    assert_true(notes.count < MAX_NOTES - 1);
    notes.names[notes.count] = name;
    notes.times[notes.count++] = SV_Time(sv);
}

static void think(sv_context_t *sv, edict_t *self) {
    (void)self;
    note(sv, 't');
}

static void a_timer(sv_context_t *sv, edict_t *self) {
    (void)self;
    note(sv, 'a');
}

static void b_timer(sv_context_t *sv, edict_t *self) {
    (void)self;
    note(sv, 'b');
}

static void c_timer(sv_context_t *sv, edict_t *self) {
    (void)self;
    note(sv, 'c');
}

static int32_t id_of(const sv_context_t *sv, const char *name) {
    return Callbacks_Find(sv->world, name);
}

// Sets itself again and again, 1 ms later.
static void again_timer(sv_context_t *sv, edict_t *self) {
    note(sv, 'g');
    SV_SetTimer(sv, self, id_of(sv, "again"), SV_Time(sv) + 1);
}

static void remove_timer(sv_context_t *sv, edict_t *self) {
    note(sv, 'r');
    SV_RemoveEdict(sv, self);
    assert_false(SV_SetTimer(sv, self, id_of(sv, "a"), SV_Time(sv) + 1));
}

static void touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv, (void)self, (void)other, (void)trace;
}

static const callback_t functions[] = {
    {.name = "think", .think = think},       {.name = "a", .think = a_timer},
    {.name = "b", .think = b_timer},         {.name = "c", .think = c_timer},
    {.name = "again", .think = again_timer}, {.name = "remove", .think = remove_timer},
    {.name = "touch", .touch = touch},
};

static void set(test_sim_t *sim, edict_t *edict, const char *name, int64_t time_ms) {
    assert_true(SV_SetTimer(&sim->sv, edict, id_of(&sim->sv, name), time_ms));
}

// Starts at 32 ms, with an edict that may act.
static edict_t *start(test_sim_t *sim, int32_t max_edicts) {
    memset(&notes, 0, sizeof notes);
    TestSim_InitRoom(sim, max_edicts);
    TestSim_Bind(sim, functions, COUNTOF(functions));
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 99.0f), 8.0f);
    edict->think = id_of(&sim->sv, "think");
    edict->classname = World_String(sim->world, "clock");
    SV_LinkEdict(&sim->sv, edict, false);
    TestSim_Tick(sim);
    TestSim_Tick(sim);
    return edict;
}

static void run_until(test_sim_t *sim, int64_t time_ms) {
    while (sim->world->time_ms < time_ms) {
        TestSim_Tick(sim);
    }
}

static void expect(const test_sim_t *sim, const char *names) {
    err_t err = {{0}};
    notes.names[notes.count] = '\0';
    assert_string_equal(notes.names, names);
    if (!World_Check(sim->world, sim->world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
}

static void test_each_runs_once_at_its_time(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, 64);
    set(&sim, edict, "b", 300);
    set(&sim, edict, "a", 101);
    set(&sim, edict, "c", 205);
    SV_SetNextThink(&sim.sv, edict, 150);
    run_until(&sim, 96);
    expect(&sim, "");
    assert_int_equal(World_NextActive(sim.world, -1), -1); // the edict rests until then
    run_until(&sim, 112);
    expect(&sim, "a");
    run_until(&sim, 1000);
    expect(&sim, "atcb");
    static const int64_t times[] = {101, 150, 205, 300};
    assert_memory_equal(notes.times, times, sizeof times);
    assert_int_equal(edict->timers, 0);
    assert_int_equal(sim.world->num_timers, 0);
    TestSim_Free(&sim);
}

// The hash of a tick covers the timers of the edicts that it has written.
static void test_the_tick_hash_covers_time_and_callback(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, 64);
    uint64_t hashes[3];
    for (int32_t i = 0; i < 3; i++) {
        SV_SetTimer(&sim.sv, edict, id_of(&sim.sv, "a"), 0);
        SV_SetTimer(&sim.sv, edict, id_of(&sim.sv, "b"), 0);
        set(&sim, edict, i == 2 ? "b" : "a", i == 0 ? 300 : 301);
        hashes[i] = World_TickHash(sim.world);
    }
    assert_true(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
    TestSim_Free(&sim);
}

// In one tick, the order is that of the times; at equal times the think, then as they were set.
static void test_order_in_a_tick(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, 64);
    set(&sim, edict, "c", 205);
    set(&sim, edict, "a", 200);
    set(&sim, edict, "b", 205);
    SV_SetNextThink(&sim.sv, edict, 205);
    run_until(&sim, 208);
    expect(&sim, "atcb");
    set(&sim, edict, "a", 301);
    set(&sim, edict, "b", 301);
    set(&sim, edict, "c", 301);
    set(&sim, edict, "a", 301); // set again: now the last
    run_until(&sim, 320);
    expect(&sim, "atcbbca");
    TestSim_Free(&sim);
}

static void test_set_again_and_ended(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, 64);
    set(&sim, edict, "a", 100);
    set(&sim, edict, "b", 100);
    set(&sim, edict, "a", 300);
    set(&sim, edict, "b", 0);
    set(&sim, edict, "c", -5); // none to end
    run_until(&sim, 200);
    expect(&sim, "");
    run_until(&sim, 400);
    expect(&sim, "a");
    assert_int_equal(notes.times[0], 300);
    set(&sim, edict, "b", 100); // in the past: in the next tick
    TestSim_Tick(&sim);
    expect(&sim, "ab");
    TestSim_Free(&sim);
}

static void test_a_budget_of_their_own(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, 64);
    set(&sim, edict, "again", 40);
    run_until(&sim, 48);
    assert_int_equal(notes.count, MAX_THINKS_TICK);
    assert_int_equal(sim.world->counters.thinks_over_budget, 1);
    SV_SetNextThink(&sim.sv, edict, 60); // runs in its tick nevertheless
    run_until(&sim, 64);
    assert_int_equal(notes.count, 2 * MAX_THINKS_TICK + 1);
    assert_non_null(memchr(notes.names, 't', (size_t)notes.count));
    // A client's step runs one think and its timers.
    edict_t *player = SV_SpawnEdictAt(&sim.sv, 1);
    player->think = edict->think;
    SV_SetNextThink(&sim.sv, player, 50);
    set(&sim, player, "a", 50);
    set(&sim, player, "b", 40);
    notes.count = 0;
    assert_true(SV_RunThink(&sim.sv, player, 1));
    expect(&sim, "bta");
    TestSim_Free(&sim);
}

static void test_end_with_the_edict(void **state) {
    (void)state;
    for (int32_t how = 0; how < 4; how++) {
        test_sim_t sim;
        edict_t *edict = start(&sim, 64);
        set(&sim, edict, "a", 100);
        set(&sim, edict, "b", 110);
        set(&sim, edict, "remove", how == 0 ? 60 : 1000);
        if (how == 1) {
            SV_RemoveEdict(&sim.sv, edict);
        } else if (how == 2) {
            SV_QuarantineEdict(&sim.sv, edict, "a test");
        } else if (how == 3) {
            SV_FreeEdict(&sim.sv, edict);
        }
        assert_int_equal(edict->timers == 0, how > 0);
        run_until(&sim, 64);
        assert_int_equal(edict->timers, 0);
        if (how != 2) {
            assert_ptr_equal(SV_SpawnEdict(&sim.sv), edict); // whose timers are none
        }
        run_until(&sim, 1200);
        expect(&sim, how == 0 ? "r" : "");
        TestSim_Free(&sim);
    }
}

// A timer of a pusher is in its local time, as its thinks are.
static void test_pushers(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *lift = start(&sim, 64);
    lift->movetype = MOVETYPE_PUSH;
    lift->lag_ms = 50;
    set(&sim, lift, "a", 100);
    SV_SetNextThink(&sim.sv, lift, 100);
    run_until(&sim, 144);
    expect(&sim, "");
    run_until(&sim, 160);
    expect(&sim, "ta");
    assert_int_equal(notes.times[1], 150);
    TestSim_Free(&sim);
}

static void test_refused(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *edict = start(&sim, 64);
    const int32_t bad[] = {0, -1, id_of(&sim.sv, "touch"), 99, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_false(SV_SetTimer(&sim.sv, edict, bad[i], 100));
    }
    assert_int_equal(
        TestSim_CountEvents(&sim, EVENT_LOG,
                            "timer: expected the id of a think callback, found 0 (no callback)"),
        1);
    assert_int_equal(sim.events->count, 1);
    SV_RemoveEdict(&sim.sv, edict);
    assert_false(SV_SetTimer(&sim.sv, edict, id_of(&sim.sv, "a"), 100));
    assert_int_equal(
        TestSim_CountEvents(&sim, EVENT_LOG, "timer: expected a live edict, found edict "), 1);
    assert_int_equal(edict->timers, 0);
    TestSim_Free(&sim);
}

// A full pool refuses with one line a burst, and changes nothing; freed timers serve again.
static void test_all_in_use(void **state) {
    (void)state;
    test_sim_t sim;
    start(&sim, 16);
    edict_t *edicts[13];
    static const char *const names[] = {"a", "b", "c", "again", "remove"};
    int32_t count = 0;
    for (size_t i = 0; i < COUNTOF(edicts); i++) {
        edicts[i] = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_NOT, (vec3_t){0}, 0.0f);
        for (size_t k = 0; k < COUNTOF(names); k++) {
            count += SV_SetTimer(&sim.sv, edicts[i], id_of(&sim.sv, names[k]), 5000) ? 1 : 0;
        }
    }
    assert_int_equal(count, World_MaxTimers(16));
    assert_int_equal(count, 64);
    assert_int_equal(sim.world->counters.timers_full, 1);
    assert_false(SV_SetTimer(&sim.sv, edicts[12], 99, 6000)); // another fault: a line of its own
    for (int32_t i = 0; i < 10; i++) {
        assert_false(SV_SetTimer(&sim.sv, edicts[12], id_of(&sim.sv, "remove"), 6000));
    }
    assert_int_equal(sim.world->counters.timers_full, 11);
    assert_int_equal(sim.events->count, 2);
    assert_int_equal(
        TestSim_CountEvents(&sim, EVENT_LOG,
                            "timer: expected a free timer, found all in use, for edict 15 ()"),
        1);
    set(&sim, edicts[12], "a", 6000); // one that it has
    SV_RemoveEdict(&sim.sv, edicts[0]);
    set(&sim, edicts[12], "remove", 6000);
    expect(&sim, "");
    assert_int_equal(World_MaxTimers(MAX_EDICTS), MAX_EDICT_TIMERS);
    TestSim_Free(&sim);
}

// Random calls on few edicts against a plain list of what must run.
static void test_random(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err = {{0}};
    start(&sim, 20);
    rng_t rng = {11};
    static const char *const names[] = {"a", "b", "c"};
    int64_t due[20][3] = {{0}};
    for (int32_t round = 0; round < 3000; round++) {
        int32_t number = 2 + (int32_t)Rng_Below(&rng, 18);
        edict_t *edict = World_Edict(sim.world, number);
        if (!edict->inuse) {
            edict = SV_SpawnEdict(&sim.sv);
            number = World_EdictNumber(sim.world, edict);
        }
        uint32_t k = Rng_Below(&rng, 3);
        uint32_t what = Rng_Below(&rng, 12);
        int64_t time_ms = sim.world->time_ms + 20 + (int64_t)Rng_Below(&rng, 400);
        if (what == 0) {
            SV_FreeEdict(&sim.sv, edict);
            memset(due[number], 0, sizeof due[number]);
        } else if (what < 10) {
            due[number][k] = what == 1 ? 0 : time_ms;
            set(&sim, edict, names[k], due[number][k]);
        } else {
            notes.count = 0;
            TestSim_Tick(&sim);
            int32_t expected = 0;
            for (int32_t i = 0; i < 60; i++) {
                int64_t *at = &due[i / 3][i % 3];
                expected += *at > 0 && *at <= sim.world->time_ms ? 1 : 0;
                *at = *at <= sim.world->time_ms ? 0 : *at;
            }
            assert_int_equal(notes.count, expected);
        }
        if (!World_Check(sim.world, sim.world->bytes, &err)) {
            fail_msg("round %d: %s", round, err.text);
        }
    }
    TestSim_Free(&sim);
}

static void test_check_finds_faults(void **state) {
    (void)state;
    for (int32_t fault = 0; fault < 14; fault++) {
        test_sim_t sim;
        err_t err = {{0}};
        edict_t *edict = start(&sim, 64);
        edict_t *other = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_NOT, (vec3_t){0}, 0.0f);
        set(&sim, edict, "a", 100);
        set(&sim, edict, "b", 100);
        set(&sim, other, "a", 100);
        set(&sim, other, "b", 100);
        set(&sim, other, "b", 0); // timer 4 is free
        expect(&sim, "");
        edict_timer_t *first = World_EdictTimer(sim.world, 1);
        edict_timer_t *free_one = World_EdictTimer(sim.world, 4);
        int32_t *const words[] = {&edict->timers,
                                  &edict->timers,
                                  &edict->timers,
                                  &other->timers,
                                  &first->next,
                                  &first->next,
                                  &first->think,
                                  &first->think,
                                  &free_one->next,
                                  &free_one->think,
                                  &sim.world->timers_used,
                                  &sim.world->timers_used,
                                  &sim.world->timers_free,
                                  &World_Edict(sim.world, 40)->timers};
        static const int32_t values[] = {-1, 5, 0, 1, 1, 70000, 0, 99, 4, 1, 3, 9000, 3, 1};
        *words[fault] = values[fault];
        if (World_Check(sim.world, sim.world->bytes, &err)) {
            fail_msg("fault %d is not found", fault);
        }
        TestSim_Free(&sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_runs_once_at_its_time),
        cmocka_unit_test(test_the_tick_hash_covers_time_and_callback),
        cmocka_unit_test(test_order_in_a_tick),
        cmocka_unit_test(test_set_again_and_ended),
        cmocka_unit_test(test_a_budget_of_their_own),
        cmocka_unit_test(test_end_with_the_edict),
        cmocka_unit_test(test_pushers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_all_in_use),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_check_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
