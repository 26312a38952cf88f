// A query of the history considers all edicts that its view shows there, and few others.

#include "base/rng.h"
#include "lib/range_fixture.h"
#include "lib/testing.h"
#include "world/bits.h"
#include "world/client.h"
#include "world/history.h"
#include "world/link.h"
#include "world/tick_time.h"
#include "world/unlag.h"

#include <stdlib.h>
#include <string.h>

static void count_visit(void *context, int32_t number) {
    (void)number;
    ++*(int32_t *)context;
}

// Returns the number of edicts that a query around a box considers.
static int32_t count_near(const world_t *world, int64_t from, int64_t to, bounds_t box) {
    const sweep_bounds_t sweep = Bounds_Sweep(vec3_zero, vec3_zero, box, HISTORY_MARGIN);
    int32_t visits = 0;
    History_Visit(world, from, to, &sweep, count_visit, &visits);
    return visits;
}

// A query considers no edict that was always far from its box, from the first tick on.
static void test_queries_skip_what_is_far(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    const world_t *world = range.sim.world;
    const bounds_t box = {{-50.0f, -50.0f, 50.0f}, {50.0f, 50.0f, 150.0f}};
    // The bounds of a diagonal contain the target; the diagonal passes it.
    const vec3_t ends[2] = {{-150.0f, -300.0f, 0.0f}, {500.0f, 1500.0f, 0.0f}};
    const sweep_bounds_t far = Bounds_Sweep(ends[0], ends[0], box, HISTORY_MARGIN);
    const sweep_bounds_t near = Bounds_Sweep(vec3_zero, vec3_zero, box, 50.0f);
    const sweep_bounds_t past = Bounds_Sweep(ends[0], ends[1], box, HISTORY_MARGIN);
    for (int32_t tick = 0; tick < 2 * HISTORY_PERIODS * History_Period(world); tick++) {
        int32_t visits = 0;
        TestRange_Link(&range, range.target, Vector(100.0f, tick % 2 ? 8.0f : 0.0f, 100.0f));
        TestSim_Tick(&range.sim);
        History_Visit(world, world->tick - 1, world->tick, &far, count_visit, &visits);
        History_Visit(world, world->tick - 1, world->tick, &past, count_visit, &visits);
        assert_int_equal(visits, 0);
        History_Visit(world, world->tick - 1, world->tick, &near, count_visit, &visits);
        assert_int_equal(visits, 1);
    }
    TestSim_Free(&range.sim);
}

// A query considers a moving edict only where it was about the time of the view.
static void test_queries_skip_other_times(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    const world_t *world = range.sim.world;
    TestRange_Run(&range, 200);
    for (int32_t i = 0; i < History_Period(world); i++) {
        for (int64_t age = 1; age < 30; age++) {
            const int64_t to = world->tick - age;
            for (int64_t other = world->tick - 40; other < world->tick; other++) {
                const float y = 8.0f * (float)(other - 1);
                const bounds_t box = {{99.0f, y, 99.0f}, {101.0f, y, 101.0f}};
                const int32_t count = count_near(world, to - 1, to, box);
                const bool is_far = llabs(to - other) > History_Period(world) + 4;
                assert_true(other != to || count == 1);
                assert_true(!is_far || count == 0);
            }
        }
        TestRange_Run(&range, 1);
    }
    TestSim_Free(&range.sim);
}

// ---- changes after a long rest ----

static void move_linked(test_range_t *range) {
    TestRange_Link(range, range->target, Vector(100.0f, 500.0f, 100.0f));
}

static void move_unlinked(test_range_t *range) {
    range->target->origin.y = 500.0f;
    World_MarkWritten(range->sim.world, range->target);
}

static void shrink(test_range_t *range) {
    const float half = TEST_RANGE_HALF / 2.0f;
    range->target->mins = Vector(-half, -half, -half);
    range->target->maxs = Vector(half, half, half);
    World_MarkWritten(range->sim.world, range->target);
}

static void shrink_and_move(test_range_t *range) {
    shrink(range);
    move_linked(range);
}

// Expects that all views from before a change hit the target where it rested, at both edges. The
// boxes of those periods must have the old state: until the change they were not needed.
static void expect_old_place(void (*change)(test_range_t *range), int32_t phase) {
    test_range_t range;
    TestRange_Init(&range, 300);
    const world_t *world = range.sim.world;
    for (int32_t i = 0; i < 2 * HISTORY_PERIODS * History_Period(world) + phase; i++) {
        TestSim_Tick(&range.sim);
    }
    assert_false(History_IsRecent(world, range.target));
    const int64_t rested = world->tick;
    change(&range);
    for (int32_t i = 0; i < 14; i++) {
        for (int64_t age = 1; age < 15; age++) {
            if (world->tick - age < rested) {
                TestRange_Look(&range, world->tick - age, 0);
                TestRange_ExpectAt(&range, 0.0f);
            }
        }
        TestSim_Tick(&range.sim);
        assert_true(History_IsRecent(world, range.target));
    }
    TestSim_Free(&range.sim);
}

static void test_views_from_before_a_change(void **state) {
    (void)state;
    for (int32_t phase = 0; phase <= 11; phase++) { // a period
        expect_old_place(move_linked, phase);
        expect_old_place(move_unlinked, phase);
        expect_old_place(shrink, phase);
        expect_old_place(shrink_and_move, phase);
    }
}

// ---- random edicts ----

#define MOVERS 100
#define TICKS  600
#define VIEWS  4 // of a tick

typedef struct {
    test_range_t range;
    edict_t *movers[MOVERS];
    edict_t *train;
    rng_t rng;
    uint64_t visited[2]; // a bit per edict
    int32_t num_shown, num_skipped;
} zoo_t;

static vec3_t any_place(rng_t *rng) {
    return Vector(Rng_Range(rng, -600.0f, 600.0f), Rng_Range(rng, -600.0f, 600.0f),
                  Rng_Range(rng, 100.0f, 300.0f));
}

static edict_t *spawn(zoo_t *zoo) {
    edict_t *edict =
        TestSim_Spawn(&zoo->range.sim, MOVETYPE_NONE, SOLID_BBOX, any_place(&zoo->rng), 16.0f);
    edict->velocity = Vector(0.5f, 0.5f, 0.0f);
    SV_LinkEdict(&zoo->range.sim.sv, edict, false);
    return edict;
}

static void board_or_leave(zoo_t *zoo, edict_t *edict) {
    const bool boards = !(edict->flags & FL_ONGROUND);
    edict->movetype = boards ? MOVETYPE_TOSS : MOVETYPE_NONE;
    SV_SetGround(&zoo->range.sim.sv, edict, boards ? zoo->train : NULL);
}

static void resize(edict_t *edict) {
    const float half = edict->maxs.z > 12.0f ? 8.0f : 16.0f;
    edict->mins = Vector(-half, -half, -half);
    edict->maxs = Vector(half, half, half);
}

// Moves an edict, lets it rest, teleports, resizes or replaces it, hides it, or puts it on a train.
static void change(zoo_t *zoo, edict_t **mover) {
    sv_context_t *sv = &zoo->range.sim.sv;
    edict_t *edict = *mover;
    const uint32_t choice = Rng_Below(&zoo->rng, 640);
    const bool moves = !VectorCompare(edict->velocity, vec3_zero);
    if (choice == 0) {
        SV_NoteTeleport(sv->world, edict);
        edict->origin = any_place(&zoo->rng);
    } else if (choice == 1) {
        resize(edict);
    } else if (choice == 2 || (choice < 40 && edict->solid == SOLID_NOT)) {
        edict->solid = edict->solid == SOLID_NOT ? SOLID_BBOX : SOLID_NOT;
    } else if (choice == 3) {
        board_or_leave(zoo, edict);
    } else if (choice == 4) {
        SV_RemoveEdict(sv, edict);
        *mover = spawn(zoo);
        return;
    } else if (choice < 12) {
        const vec3_t way = VectorSubtract(any_place(&zoo->rng), edict->origin);
        edict->velocity = VectorScale(way, choice == 5 ? 0.0f : 0.02f);
        edict->velocity.z = 0.0f;
    }
    if (choice <= 4 || moves) {
        edict->origin = VectorAdd(edict->origin, edict->velocity);
        SV_LinkEdict(sv, edict, false);
    }
}

static void note_visit(void *context, int32_t number) {
    Bits_Set(((zoo_t *)context)->visited, number);
}

static unlag_view_t any_view(zoo_t *zoo) {
    const world_t *world = zoo->range.sim.world;
    const int64_t age = Rng_Below(&zoo->rng, 25);
    const int64_t before = Rng_Below(&zoo->rng, 2) ? HISTORY_VIEW_TICKS - 1 : 1;
    const int64_t to = world->tick - age + Rng_Below(&zoo->rng, 15);
    const unlag_view_t view = {.from = world->tick - age - before,
                               .to = to < world->tick ? to : world->tick,
                               .time_ms = world->time_ms - age * World_TickMs(world),
                               .share = Rng_Float(&zoo->rng)};
    return view;
}

static float any_side(zoo_t *zoo, float min, float max) {
    return Rng_Below(&zoo->rng, 2) ? min : max;
}

// Expects that queries at a corner of each edict that a view shows consider it, or that it has
// rested since.
static void check_view(zoo_t *zoo) {
    const world_t *world = zoo->range.sim.world;
    const unlag_view_t view = any_view(zoo);
    unlag_shown_t shown;
    for (int32_t i = 0; i < MOVERS; i++) {
        const edict_t *edict = zoo->movers[i];
        if (!Unlag_Rewinds(edict) || !Unlag_Show(world, &view, edict, NULL, &shown)) {
            continue;
        }
        const bounds_t *box = &shown.box;
        const vec3_t corner = {any_side(zoo, box->mins.x, box->maxs.x),
                               any_side(zoo, box->mins.y, box->maxs.y),
                               any_side(zoo, box->mins.z, box->maxs.z)};
        const bounds_t point = {vec3_zero, vec3_zero};
        const bounds_t at_corner = BoundsOfSweep(corner, corner, vec3_zero, vec3_zero, 0.1f);
        const sweep_bounds_t sweep = Bounds_Sweep(corner, corner, point, HISTORY_MARGIN);
        memset(zoo->visited, 0, sizeof zoo->visited);
        History_Visit(world, view.from, view.to, &sweep, note_visit, zoo);
        const bool is_recent = History_IsRecent(world, edict);
        assert_int_equal(Bits_Get(zoo->visited, World_EdictNumber(world, edict)), is_recent);
        assert_true(is_recent || BoundsTouch(at_corner, (bounds_t){edict->absmin, edict->absmax}));
        zoo->num_shown++;
        for (int32_t k = 0; k < MOVERS; k++) {
            const int32_t number = World_EdictNumber(world, zoo->movers[k]);
            zoo->num_skipped += Bits_Get(zoo->visited, number) ? 0 : 1;
        }
    }
}

static void test_nothing_shown_is_skipped(void **state) {
    (void)state;
    zoo_t zoo = {.rng = {1}};
    TestRange_Init(&zoo.range, 110);
    test_sim_t *sim = &zoo.range.sim;
    sim->world->cvars.sv_maxunlag_ms = HISTORY_MAX_MS;
    zoo.train = TestSim_Spawn(sim, MOVETYPE_PUSH, SOLID_BBOX, Vector(0.0f, 0.0f, 60.0f), 30.0f);
    for (int32_t i = 0; i < MOVERS; i++) {
        zoo.movers[i] = spawn(&zoo);
    }
    for (int32_t tick = 0; tick < TICKS; tick++) {
        const float x = 4.0f * (float)abs(tick % 200 - 100) - 200.0f;
        TestRange_Link(&zoo.range, zoo.train, Vector(x, 0.0f, 60.0f));
        for (int32_t i = 0; i < MOVERS; i++) {
            change(&zoo, &zoo.movers[i]);
        }
        for (int32_t i = 0; i < 2 * VIEWS; i++) {
            check_view(&zoo); // also before the states of the tick are recorded
            if (i == VIEWS - 1) {
                TestSim_Tick(sim);
            }
        }
    }
    print_message("shown %d, skipped %d\n", zoo.num_shown, zoo.num_skipped);
    assert_true(zoo.num_shown > TICKS * VIEWS * MOVERS);
    assert_true(zoo.num_skipped > zoo.num_shown * (MOVERS * 3 / 4));
    assert_true(sim->world->counters.history_short > 0); // of views with lost states
    TestSim_Free(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries_skip_what_is_far),
        cmocka_unit_test(test_queries_skip_other_times),
        cmocka_unit_test(test_views_from_before_a_change),
        cmocka_unit_test(test_nothing_shown_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
