// The history: recorded states, for how long and in how much memory.

#include "lib/range_fixture.h"
#include "lib/testing.h"
#include "world/block.h"
#include "world/client.h"
#include "world/history.h"
#include "world/link.h"
#include "world/tick_time.h"
#include "world/unlag.h"

#include <string.h>

// ---- limits ----

#define CROWD (HISTORY_MAX_OTHERS + 500)

// More edicts than tracks: the rest is judged now, and counted. Tracks of edicts that rest are
// used again.
static void test_more_edicts_than_tracks(void **state) {
    (void)state;
    test_range_t range;
    static edict_t *crowd[CROWD];
    TestRange_Init(&range, CROWD + 100);
    world_t *world = range.sim.world;
    int32_t tracked = 0;
    for (int32_t i = 0; i < CROWD; i++) {
        crowd[i] = TestSim_Spawn(
            &range.sim, MOVETYPE_NONE, SOLID_BBOX,
            Vector(-900.0f, (float)(i % 100) * 16.0f - 800.0f, 10.0f + (float)(i / 100) * 14.0f),
            4.0f);
        SV_LinkEdict(&range.sim.sv, crowd[i], false);
    }
    TestSim_Tick(&range.sim);
    for (int32_t i = 0; i < CROWD; i++) {
        tracked += History_Track(world, crowd[i]) ? 1 : 0;
    }
    assert_int_equal(tracked, HISTORY_MAX_OTHERS - 1); // and the target
    assert_int_equal(world->counters.history_full, CROWD - tracked);
    assert_null(History_Track(world, crowd[CROWD - 1]));
    TestRange_Run(&range, 2 * HISTORY_PERIODS * History_Period(world));
    edict_t *last = crowd[CROWD - 1];
    const int32_t number = World_EdictNumber(world, last);
    TestRange_Look(&range, world->tick - 1, 0);
    const vec3_t start = {-950.0f, last->origin.y, last->origin.z};
    trace_t trace = SV_MoveUnlagged(&range.sim.sv, start, vec3_zero, vec3_zero,
                                    Vector(-850.0f, start.y, start.z), MOVE_NORMAL, range.shooter);
    assert_int_equal(trace.entnum, number); // it has no track
    for (int32_t i = 0; i < 4; i++) {
        TestRange_Link(&range, last, Vector(100.0f, -500.0f - 8.0f * (float)i, 100.0f));
        TestRange_Run(&range, 1);
    }
    assert_non_null(History_Track(world, last));
    err_t err;
    assert_true(World_Check(world, world->bytes, &err));
    TestRange_Look(&range, world->tick - 1, 0);
    assert_int_equal(TestRange_Shoot(&range, -516.0f + 3.5f, MOVE_NORMAL).entnum, number);
    TestSim_Free(&range.sim);
}

#define MOVERS 3000

static void count_visit(void *context, int32_t number) {
    (void)number;
    ++*(int32_t *)context;
}

static void move_crowd(test_range_t *range, edict_t *const *crowd, int32_t tick) {
    for (int32_t i = 0; i < MOVERS; i++) {
        TestRange_Link(range, crowd[i],
                       Vector(-300.0f + 4.0f * (float)(tick % 50),
                              -950.0f + 20.0f * (float)(i % 90), 20.0f + 20.0f * (float)(i / 90)));
    }
    TestSim_Tick(&range->sim);
}

// Expects that queries consider each edict of a crowd where a view shows it whose states are lost:
// where the oldest state left is.
static void expect_oldest_left(test_range_t *range, edict_t *const *crowd) {
    const world_t *world = range->sim.world;
    unlag_view_t view;
    unlag_shown_t shown;
    TestRange_Look(range, world->tick - 24, 0);
    assert_true(Unlag_View(world, range->shooter, &view));
    for (int32_t i = 0; i < MOVERS; i++) {
        int32_t visits = 0;
        assert_true(Unlag_Show(world, &view, crowd[i], NULL, &shown));
        const sweep_bounds_t sweep = Bounds_Sweep(shown.pose.origin, shown.pose.origin,
                                                  (bounds_t){vec3_zero, vec3_zero}, 0.0f);
        History_Visit(world, view.from, view.to, &sweep, count_visit, &visits);
        assert_int_equal(visits, 1);
    }
}

// 3,000 edicts that move in every tick are all judged at their places of then, for 16 ticks.
// Queries consider them where older views show them.
static void test_a_crowd_that_moves(void **state) {
    (void)state;
    test_range_t range;
    static edict_t *crowd[MOVERS];
    TestRange_Init(&range, 4096);
    world_t *world = range.sim.world;
    for (int32_t i = 0; i < MOVERS; i++) {
        crowd[i] =
            TestSim_Spawn(&range.sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 0.0f), 2.0f);
    }
    for (int32_t tick = 0; tick < 62; tick++) {
        move_crowd(&range, crowd, tick);
    }
    assert_int_equal(world->counters.history_full, 0);
    assert_true(world->counters.history_short > 0); // of views with lost snapshots
    unlag_view_t view;
    unlag_shown_t shown;
    for (int64_t back = 0; back < 16; back++) {
        TestRange_Look(&range, world->tick - back, 0);
        assert_true(Unlag_View(world, range.shooter, &view));
        for (int32_t i = 0; i < MOVERS; i++) {
            const float x = -300.0f + 4.0f * (float)((61 - back) % 50) - 2.0f;
            assert_true(Unlag_Show(world, &view, crowd[i], NULL, &shown));
            assert_true(shown.box.mins.x == x);
        }
    }
    world->cvars.sv_maxunlag_ms = HISTORY_MAX_MS;
    for (int32_t phase = 0; phase < History_Period(world); phase++) {
        expect_oldest_left(&range, crowd);
        move_crowd(&range, crowd, 62 + phase);
    }
    err_t err;
    assert_true(World_Check(world, world->bytes, &err));
    TestSim_Free(&range.sim);
}

// Returns the number of recorded states of an edict.
static int32_t count_states(const world_t *world, const edict_t *edict) {
    int32_t count = 0;
    const history_state_t *at = History_Track(world, edict);
    for (; at; at = History_Before(world, at)) {
        count++;
    }
    return count;
}

// An edict that rests costs no state, and is found as it was sent: rounded.
static void test_rest(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Link(&range, range.target, Vector(100.0f, 0.03f, 100.0f));
    for (int32_t i = 0; i < 300; i++) {
        TestSim_Tick(&range.sim);
    }
    assert_int_equal(count_states(range.sim.world, range.target), 1);
    TestRange_Look(&range, range.sim.world->tick - 3, 0);
    const int32_t number = World_EdictNumber(range.sim.world, range.target);
    assert_int_equal(TestRange_Shoot(&range, TEST_RANGE_HALF + 0.02f, MOVE_NORMAL).entnum,
                     EDICT_WORLD);
    assert_int_equal(TestRange_Shoot(&range, TEST_RANGE_HALF - 0.02f, MOVE_NORMAL).entnum, number);
    TestRange_Link(&range, range.target,
                   Vector(100.0f, 200.0f, 100.0f)); // stands up after a long rest
    TestRange_ExpectAt(&range, 0.0f);               // also in the same tick
    TestSim_Tick(&range.sim);
    TestRange_Look(&range, range.sim.world->tick - 1, 0x8000);
    TestRange_ExpectAt(&range, 100.0f);
    TestSim_Free(&range.sim);
}

// The log holds every view of sv_maxunlag_ms at each rate, and grows only as far as it must. With 0
// nothing is recorded.
static void test_length_of_the_log(void **state) {
    (void)state;
    static const float rates[] = {20.0f, 62.5f, 128.0f};
    for (size_t i = 0; i < COUNTOF(rates); i++) {
        test_range_t range;
        unlag_view_t view;
        unlag_shown_t shown;
        err_t err;
        TestRange_Init(&range, 2100);
        world_t *world = range.sim.world;
        world->cvars.sv_tickrate = rates[i];
        world->cvars.sv_maxunlag_ms = 400;
        TestRange_Run(&range, 250);
        const int32_t rate_mhz = World_TickRate(world);
        const int64_t oldest_ms = Ticks_EndMs(rate_mhz, world->tick) - 400;
        const int64_t oldest = Ticks_At(rate_mhz, oldest_ms + 50);
        TestRange_Look(&range, oldest, 0);
        World_Client(world, 0)->last_cmd.view_span = UserCmd_Span(14, 15);
        assert_true(Unlag_View(world, range.shooter, &view));
        assert_int_equal(view.from, oldest - 14);
        view.share = 0.0f;
        assert_true(Unlag_Show(world, &view, range.target, NULL, &shown));
        assert_true(shown.pose.origin.y == 8.0f * (float)(oldest - 15));
        assert_int_equal(world->counters.history_short, 0);
        assert_true(count_states(world, range.target) <= 3 * HISTORY_PAGE + 1);
        world->cvars.sv_maxunlag_ms = 0;
        TestRange_Run(&range, 2);
        assert_null(History_Track(world, range.target));
        assert_true(World_Check(world, world->bytes, &err));
        world->cvars.sv_maxunlag_ms = 250;
        TestRange_Run(&range, 2);
        assert_int_equal(count_states(world, range.target), 2);
        TestSim_Free(&range.sim);
    }
}

// An edict that was not solid in the view is not met, neither in the tick in which it becomes solid
// nor later.
static void test_became_solid(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    world_t *world = range.sim.world;
    TestSim_Tick(&range.sim);
    edict_t *ghost = TestSim_Spawn(&range.sim, MOVETYPE_NONE, SOLID_NOT,
                                   Vector(100.0f, -700.0f, 100.0f), TEST_RANGE_HALF);
    SV_LinkEdict(&range.sim.sv, ghost, false);
    for (int32_t i = 0; i < 4; i++) {
        TestSim_Tick(&range.sim);
    }
    const int64_t then = world->tick;
    ghost->solid = SOLID_BBOX;
    for (int32_t i = 0; i < 3; i++) {
        SV_LinkEdict(&range.sim.sv, ghost, false);
        TestRange_Look(&range, then - 1, 0);
        assert_int_equal(TestRange_Shoot(&range, -700.0f, MOVE_NORMAL).entnum, EDICT_WORLD);
        TestSim_Tick(&range.sim);
    }
    TestRange_Look(&range, then + 1, 0);
    assert_int_equal(TestRange_Shoot(&range, -700.0f, MOVE_NORMAL).entnum,
                     World_EdictNumber(world, ghost));
    TestSim_Free(&range.sim);
}

// ---- hostile blocks ----

// ---- riders that nothing writes ----

#define SPEED 4.0f // qu per tick of the train

static void put_on(sv_context_t *sv, edict_t *edict, const edict_t *ground, float x) {
    edict->origin = Vector(x, ground->origin.y, ground->absmax.z + edict->maxs.z);
    SV_SetGround(sv, edict, ground);
    SV_LinkEdict(sv, edict, false);
}

static edict_t *add_train(test_sim_t *sim) {
    edict_t *train =
        TestSim_Spawn(sim, MOVETYPE_PUSH, SOLID_BBOX, Vector(900.0f, -600.0f, 200.0f), 100.0f);
    SV_LinkEdict(&sim->sv, train, false);
    return train;
}

static void start(test_sim_t *sim, edict_t *train) {
    const motion_t motion = {.kind = MOTION_MOVE,
                             .duration_ms = World_TickMs(sim->world) * 100,
                             .base = {train->origin, train->angles},
                             .delta = {100.0f * SPEED, 0.0f, 0.0f}};
    assert_true(SV_PusherStart(&sim->sv, train, &motion));
}

// Returns the x at which a view that is `ticks` old shows an edict.
static float shown_x(const test_sim_t *sim, const edict_t *edict, int32_t ticks) {
    unlag_view_t view;
    unlag_shown_t shown;
    Unlag_SetAge(sim->world, &view, (int64_t)ticks * World_TickMs(sim->world));
    assert_true(Unlag_Show(sim->world, &view, edict, NULL, &shown));
    return shown.pose.origin.x;
}

// A wall stops a player that sends no usercmds; the train below moves on. Each snapshot has the
// player on the train, so clients show it where the train has carried it since. Queries consider it
// from the first tick on, also after a long rest.
static void test_a_rider_left_behind(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 300);
    test_sim_t *sim = &range.sim;
    edict_t *rider = range.shooter;
    edict_t *train = add_train(sim);
    const float wall = 1024.0f - TEST_RANGE_HALF - CM_DIST_EPSILON;
    World_Client(sim->world, 0)->inuse = 0;
    rider->movetype = MOVETYPE_WALK;
    rider->mins = range.target->mins;
    rider->maxs = range.target->maxs;
    put_on(&sim->sv, rider, train, wall);
    for (int32_t i = 0; i < 2 * HISTORY_PERIODS * History_Period(sim->world); i++) {
        TestSim_Tick(sim);
    }
    assert_false(History_IsRecent(sim->world, rider));
    start(sim, train);
    sim->world->time_ms += World_TickMs(sim->world);
    SV_Pushers(&sim->sv);
    assert_true(train->origin.x > 900.0f && rider->origin.x == wall);
    assert_true(History_IsRecent(sim->world, rider));
    sim->world->time_ms -= World_TickMs(sim->world);
    for (int32_t i = 0; i < 20; i++) {
        TestSim_Tick(sim);
    }
    for (int32_t back = 1; back < 10; back++) {
        assert_true(fabsf(shown_x(sim, rider, back) - wall - SPEED * (float)back) < 0.1f);
    }
    TestSim_Free(sim);
}

// A box on a crate on the train: the crate gets another ground, which nothing writes into the box.
static void test_a_rider_of_a_rider(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 300);
    test_sim_t *sim = &range.sim;
    edict_t *train = add_train(sim);
    edict_t *crate = TestSim_Spawn(sim, MOVETYPE_TOSS, SOLID_BBOX, vec3_zero, 20.0f);
    edict_t *box = TestSim_Spawn(sim, MOVETYPE_TOSS, SOLID_BBOX, vec3_zero, 16.0f);
    put_on(&sim->sv, crate, train, 850.0f);
    put_on(&sim->sv, box, crate, 850.0f);
    TestSim_Tick(sim);
    start(sim, train);
    for (int32_t i = 0; i < 10; i++) {
        TestSim_Tick(sim);
    }
    const float x = box->origin.x;
    assert_true(x > 850.0f && fabsf(shown_x(sim, box, 5) - x) < 0.1f);
    SV_SetGround(&sim->sv, crate, World_Edict(sim->world, EDICT_WORLD));
    World_MarkWritten(sim->world, crate);
    for (int32_t i = 0; i < 10; i++) {
        SV_RecordHistory(&sim->sv);
        World_TickHash(sim->world);
        sim->world->tick++;
        sim->world->time_ms += World_TickMs(sim->world);
        train->origin.x += SPEED;
        SV_LinkEdict(&sim->sv, train, false);
    }
    assert_true(fabsf(shown_x(sim, box, 5) - x) < 0.1f);
    TestSim_Free(sim);
}

// A game writes an impossible pose into the train. The bug was: it was recorded as the ground of
// riders, so the world was not valid any more. A shot that comes before the record is judged, too.
static void test_a_rider_of_an_impossible_pusher(void **state) {
    (void)state;
    const float bad[] = {1.0e30f, INFINITY, NAN};
    for (size_t i = 0; i < 2 * COUNTOF(bad); i++) {
        test_range_t range;
        err_t err = {""};
        TestRange_Init(&range, 300);
        test_sim_t *sim = &range.sim;
        edict_t *train = add_train(sim);
        edict_t *crate = TestSim_Spawn(sim, MOVETYPE_TOSS, SOLID_BBOX, vec3_zero, 20.0f);
        put_on(&sim->sv, crate, train, 850.0f);
        TestSim_Tick(sim);
        assert_ptr_equal(SV_ShownGround(sim->world, crate), train);
        *(i % 2 == 0 ? &train->angles.z : &train->origin.x) = bad[i / 2];
        World_MarkWritten(sim->world, train);
        assert_true(fabsf(shown_x(sim, crate, 1) - crate->origin.x) < 0.1f);
        SV_RecordHistory(&sim->sv);
        assert_null(SV_ShownGround(sim->world, crate));
        assert_true(History_Check(sim->world, &err));
        TestSim_Free(sim);
    }
}

static void test_check_refuses(void **state) {
    (void)state;
    test_range_t range;
    err_t err;
    TestRange_Init(&range, 300);
    TestRange_Run(&range, 200);
    world_t *w = range.sim.world;
    world_t *good = TestSim_Copy(&range.sim);
    history_head_t *head = (history_head_t *)((uintptr_t)w + w->ofs_history);
    history_page_t *pages = (history_page_t *)((uintptr_t)head + head->ofs_pages);
    history_state_t *tracks = (history_state_t *)((uintptr_t)head + head->ofs_tracks);
    history_state_t *log = (history_state_t *)((uintptr_t)head + head->ofs_log);
    uint16_t *numbers = (uint16_t *)((uintptr_t)head + head->ofs_numbers);
    uint64_t *recent = (uint64_t *)((uintptr_t)head + head->ofs_recent);
    uint64_t *riding = (uint64_t *)((uintptr_t)head + head->ofs_riding);
    const uint8_t other = 0x7f;
    struct {
        void *at;
        size_t size;
    } fields[] = {
        {&head->ofs_boxes, 8},  {&head->ofs_log, 8},
        {&head->num_tracks, 4}, {&head->used, 4},
        {&head->hand, 4},       {&head->is_empty, 4},
        {&head->num_pages, 4},  {&head->pages_used, 4},
        {&head->page, 4},       {&head->filled, 4},
        {&pages[1].next, 4},    {&numbers[2], 1},
        {&numbers[5], 2},       {&recent[3], 1}, // a bit of a free track
        {&riding[3], 1},        {&tracks[1].number, 4},
        {&tracks[1].older, 4},  {&tracks[1].ground_pose.origin.x, 4},
        {&log[70].older, 4},    {&log[70].ground_pose.angles.y, 4},
    };
    assert_true(World_Check(w, w->bytes, &err));
    for (size_t i = 0; i < COUNTOF(fields); i++) {
        memset(fields[i].at, other, fields[i].size);
        err.text[0] = '\0';
        assert_false(World_Check(w, good->bytes, &err));
        assert_true(err.text[0] != '\0');
        memcpy(w, good, good->bytes);
    }
    free(good);
    TestSim_Free(&range.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_edicts_than_tracks),
        cmocka_unit_test(test_a_crowd_that_moves),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_length_of_the_log),
        cmocka_unit_test(test_became_solid),
        cmocka_unit_test(test_a_rider_left_behind),
        cmocka_unit_test(test_a_rider_of_a_rider),
        cmocka_unit_test(test_a_rider_of_an_impossible_pusher),
        cmocka_unit_test(test_check_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
