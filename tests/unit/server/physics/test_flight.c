// Projectiles that start forward in time: how far they fly, what they meet on the path, and what
// the next tick meets.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "physics/actions.h"
#include "world/client.h"
#include "world/history.h"
#include "world/tick_time.h"

#define SPEED 1000.0f // qu/s

typedef struct {
    test_sim_t sim;
    edict_t *shooter, *target;
    const edict_t *missile;
} range_t;

static range_t range;   // callbacks carry no context
static int32_t touched; // number of the edict that the missile touched last; -1 = none

static void missile_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    if (self == range.missile) {
        touched = World_EdictNumber(sv->world, other);
        assert_true(other->solid != SOLID_TRIGGER);
    }
}

static void gate_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self, (void)trace;
    other->origin = Vector(0.0f, 0.0f, 900.0f);
    SV_LinkEdict(sv, other, false);
}

static const callback_t table[] = {{.name = "missile_touch", .touch = missile_touch},
                                   {.name = "gate_touch", .touch = gate_touch}};

// Runs ticks in which the target moves 32 qu along y. Its y is 32 * tick.
static void run(int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        TestSim_Tick(&range.sim);
        range.target->origin.y = 32.0f * (float)range.sim.world->tick;
        SV_LinkEdict(&range.sim.sv, range.target, false);
    }
}

static void init(void) {
    TestSim_InitRoom(&range.sim, 64);
    TestSim_Bind(&range.sim, table, COUNTOF(table));
    world_t *world = range.sim.world;
    World_Client(world, 0)->inuse = 1;
    range.shooter = SV_SpawnEdictAt(&range.sim.sv, 1);
    range.shooter->flags = FL_CLIENT;
    range.shooter->solid = SOLID_SLIDEBOX;
    range.shooter->origin = Vector(-500.0f, 0.0f, 100.0f);
    SV_LinkEdict(&range.sim.sv, range.shooter, false);
    range.target =
        TestSim_Spawn(&range.sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f), 16.0f);
    SV_LinkEdict(&range.sim.sv, range.target, false);
    touched = -1;
    run(20);
}

static void look(int64_t ticks_back) {
    usercmd_t *cmd = &World_Client(range.sim.world, 0)->last_cmd;
    cmd->view_tick = range.sim.world->tick - ticks_back;
    cmd->view_frac = 0;
    cmd->view_span = UserCmd_Span(0, 1);
}

static edict_t *launch(movetype_t movetype, vec3_t from) {
    edict_t *missile = TestSim_Spawn(&range.sim, movetype, SOLID_BBOX, from, 1.0f);
    missile->mins = missile->maxs = (vec3_t){0.0f, 0.0f, 0.0f};
    missile->velocity = Vector(SPEED, 0.0f, 0.0f);
    missile->owner = World_Ref(range.sim.world, range.shooter);
    missile->touch = 1;
    SV_LinkEdict(&range.sim.sv, missile, false);
    range.missile = missile;
    return missile;
}

static int32_t fly(edict_t *missile, int32_t max_ms) {
    return SV_FlyUnlagged(&range.sim.sv, missile, range.shooter, max_ms);
}

static void expect_x(const edict_t *missile, float x) {
    assert_true(fabsf(missile->origin.x - x) < 0.01f);
}

static void test_how_far(void **state) {
    (void)state;
    init();
    const vec3_t from = {-480.0f, -500.0f, 100.0f};
    edict_t *missile = launch(MOVETYPE_FLY, from);
    look(10);
    assert_int_equal(fly(missile, 400), 176); // 11 ticks of 16 ms
    expect_x(missile, -480.0f + 176.0f);
    missile = launch(MOVETYPE_FLY, from);
    assert_int_equal(fly(missile, 50), 50);
    expect_x(missile, -480.0f + 50.0f);
    missile = launch(MOVETYPE_FLY, from);
    assert_int_equal(fly(missile, 0), 0);
    look(19); // a lie: 304 ms
    assert_int_equal(fly(missile, 400), range.sim.world->cvars.sv_maxunlag_ms + 16);
    missile = launch(MOVETYPE_FLY, from);
    look(-5);
    assert_int_equal(fly(missile, 400), 16);
    missile = launch(MOVETYPE_FLY, from);
    range.sim.world->cvars.sv_maxunlag_ms = 0;
    look(10);
    assert_int_equal(fly(missile, 400), 0);
    expect_x(missile, -480.0f);
    assert_int_equal(touched, -1);
    TestSim_Free(&range.sim);
}

// Gravity in the forward flight adds up to that of as many ticks.
static void test_gravity(void **state) {
    (void)state;
    init();
    look(10);
    edict_t *missile = launch(MOVETYPE_BOUNCE, Vector(-480.0f, -500.0f, 500.0f));
    edict_t *usual = launch(MOVETYPE_BOUNCE, Vector(-480.0f, -500.0f, 500.0f));
    assert_int_equal(fly(missile, 400), 176);
    missile->movetype = MOVETYPE_NONE;
    run(12); // the edict does not move in the tick of its spawn
    assert_true(missile->velocity.z < -100.0f);
    assert_true(fabsf(missile->velocity.z - usual->velocity.z) < 0.01f);
    assert_true(fabsf(missile->origin.z - usual->origin.z) < 0.01f);
    expect_x(usual, missile->origin.x);
    TestSim_Free(&range.sim);
}

// The target crosses the path within the flight. It is met where it was at each time, not where it
// is, nor where the view of the launch showed it.
static void test_meets_what_was_there(void **state) {
    (void)state;
    init();
    const int32_t number = World_EdictNumber(range.sim.world, range.target);
    const float now_y = range.target->origin.y;
    const float at_y[] = {now_y - 32.0f * 5.0f, now_y, now_y - 32.0f * 11.0f};
    const movetype_t types[] = {MOVETYPE_FLY, MOVETYPE_BOUNCE, MOVETYPE_FLYMISSILE};
    for (size_t type = 0; type < COUNTOF(types); type++) {
        for (int32_t i = 0; i < 3; i++) {
            touched = -1;
            look(10);
            // Half of the flight from the target's side.
            edict_t *missile = launch(types[type], Vector(-16.0f - 80.0f, at_y[i], 110.0f));
            fly(missile, 400);
            assert_int_equal(touched, i == 0 ? number : -1);
            SV_FreeEdict(&range.sim.sv, missile);
        }
    }
    TestSim_Free(&range.sim);
}

// Walls and brushes stop the flight; the next tick touches them, once.
static void test_walls_wait_for_the_tick(void **state) {
    (void)state;
    init();
    look(10);
    edict_t *missile = launch(MOVETYPE_FLY, Vector(950.0f, -500.0f, 100.0f));
    assert_true(fly(missile, 400) < 100);
    assert_true(missile->origin.x > 1023.0f && missile->origin.x < 1024.0f);
    assert_int_equal(touched, -1);
    run(2);
    assert_int_equal(touched, EDICT_WORLD);
    TestSim_Free(&range.sim);
}

// A trigger on the path takes the missile elsewhere: its flight ends there.
static void test_triggers_on_the_path(void **state) {
    (void)state;
    init();
    look(10);
    edict_t *gate = TestSim_Spawn(&range.sim, MOVETYPE_NONE, SOLID_TRIGGER,
                                  Vector(-400.0f, -500.0f, 100.0f), 8.0f);
    gate->touch = 2;
    SV_LinkEdict(&range.sim.sv, gate, false);
    edict_t *missile = launch(MOVETYPE_FLY, Vector(-480.0f, -500.0f, 100.0f));
    fly(missile, 400);
    assert_true(VectorCompare(missile->origin, Vector(0.0f, 0.0f, 900.0f)));
    TestSim_Free(&range.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_far), cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_meets_what_was_there), cmocka_unit_test(test_walls_wait_for_the_tick),
        cmocka_unit_test(test_triggers_on_the_path)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
