// Shots judged where the shooter's client showed the target: what was recorded, and how old a view
// may be.

#include "lib/model_fixture.h"
#include "lib/range_fixture.h"
#include "lib/testing.h"
#include "world/block.h"
#include "world/client.h"
#include "world/hitboxes.h"
#include "world/move.h"
#include "world/names.h"
#include "world/tick_time.h"
#include "world/unlag.h"

#include <string.h>

static void test_every_tick_and_between(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 40);
    const int64_t now = range.sim.world->tick;
    for (int64_t tick = now - 15; tick < now; tick++) {
        TestRange_Look(&range, tick, 0);
        TestRange_ExpectAt(&range, 8.0f * (float)(tick - 1));
        TestRange_Look(&range, tick, 0x4000);
        TestRange_ExpectAt(&range, 8.0f * (float)(tick - 1) + 2.0f);
    }
    TestRange_Look(&range, now, 0);
    TestRange_ExpectAt(&range,
                       8.0f * (float)(now - 1)); // the last snapshot, not the change after it
    World_Client(range.sim.world, 0)->inuse = 0;
    TestSim_Free(&range.sim);
}

// Snapshots were lost around the view: the client shows the line between those that it has.
static void test_lost_snapshots(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 20);
    TestRange_Link(&range, range.target, Vector(100.0f, 0.0f, 100.0f)); // turns back
    TestSim_Tick(&range.sim);
    TestRange_Link(&range, range.target, Vector(100.0f, 40.0f, 100.0f));
    TestSim_Tick(&range.sim);
    TestSim_Tick(&range.sim);
    const int64_t turn = range.sim.world->tick - 2; // snapshots: turn - 1 at 152, turn at 0, 40, 40
    usercmd_t *cmd = &World_Client(range.sim.world, 0)->last_cmd;
    TestRange_Look(&range, turn, 0);
    TestRange_ExpectAt(&range, 0.0f);
    cmd->view_span = UserCmd_Span(1, 2);
    TestRange_ExpectAt(&range, (8.0f * (float)(turn - 2) + 40.0f) / 2.0f);
    cmd->view_span = 0; // extrapolates: judged where the target was
    cmd->view_frac = 0x8000;
    TestRange_ExpectAt(&range, 20.0f);
    assert_int_equal(UserCmd_Span(0, 16), 0);
    assert_int_equal(UserCmd_Span(-1, 1), 0);
    TestSim_Free(&range.sim);
}

// A weapon that winds up fires in a think, some ticks after the usercmd that last named a view. The
// view stays, and stops at sv_maxunlag_ms.
static void test_a_view_grows_old(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 40);
    const int64_t view = range.sim.world->tick - 5;
    TestRange_Look(&range, view, 0);
    for (int32_t i = 0; i < 40; i++) {
        TestRange_Run(&range, 1);
        const int64_t now = range.sim.world->tick;
        const float oldest = 8.0f * (float)(now - 1) - 125.0f; // 250 of 16 ms
        const float shown = 8.0f * (float)(view - 1);
        TestRange_ExpectAt(&range, shown > oldest ? shown : oldest);
    }
    TestSim_Free(&range.sim);
}

// Whatever view a client claims, it reaches no further back than sv_maxunlag_ms, nor ahead.
static void test_a_lie_gains_nothing(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 40);
    world_t *world = range.sim.world;
    const int64_t now = world->tick;
    const int64_t lies[] = {1, 2, now - 16, INT64_C(1) << 41, INT64_MAX};
    world->cvars.sv_maxunlag_ms = 160;
    for (size_t i = 0; i < COUNTOF(lies); i++) {
        TestRange_Look(&range, lies[i], 0xffff);
        TestRange_ExpectAt(&range, 8.0f * (float)(lies[i] < now ? now - 11 : now - 1));
    }
    TestRange_Look(&range, now - 10, 0);
    World_Client(world, 0)->last_cmd.view_span = UserCmd_Span(15, 1); // shown 14 ticks after both
    TestRange_ExpectAt(&range, 8.0f * (float)(now - 11));
    TestRange_Look(&range, 0, 0); // shows nothing yet
    TestRange_ExpectAt(&range, 8.0f * (float)now);
    TestRange_Look(&range, INT64_MIN, 0); // of a hostile block
    TestRange_ExpectAt(&range, 8.0f * (float)now);
    TestRange_Look(&range, now - 5, 0);
    world->cvars.sv_maxunlag_ms = 0;
    TestRange_ExpectAt(&range, 8.0f * (float)now);
    TestSim_Tick(&range.sim); // forgets all, so that no old state seems to have lasted
    world->cvars.sv_maxunlag_ms = 250;
    TestRange_ExpectAt(&range, 8.0f * (float)now);
    const edict_t *other = range.target; // no client
    assert_int_equal(SV_MoveUnlagged(&range.sim.sv, Vector(100.0f, -300.0f, 100.0f), vec3_zero,
                                     vec3_zero, Vector(100.0f, 1100.0f, 100.0f), MOVE_NORMAL, other)
                         .entnum,
                     EDICT_WORLD);
    TestSim_Free(&range.sim);
}

// A target that died, was removed, was spawned or jumped between the view and now; a pusher.
static void test_what_happened_since(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 20);
    world_t *world = range.sim.world;
    const int32_t number = World_EdictNumber(world, range.target);
    const int64_t before = world->tick;
    range.target->solid = SOLID_NOT; // dies
    TestRange_Run(&range, 2);
    TestRange_Look(&range, before, 0);
    assert_int_equal(TestRange_Shoot(&range, 8.0f * (float)(before - 1), MOVE_NORMAL).entnum,
                     EDICT_WORLD);
    range.target->solid = SOLID_BBOX; // lives again
    TestRange_Run(&range, 4);
    assert_int_equal(TestRange_Shoot(&range, 8.0f * (float)(before - 1), MOVE_NORMAL).entnum,
                     EDICT_WORLD);
    TestRange_Look(&range, world->tick, 0);
    TestRange_ExpectAt(&range, 8.0f * (float)(world->tick - 1));
    // Teleports: met where it was shown, and only there.
    const int64_t there = world->tick;
    TestSim_Tick(&range.sim);
    TestRange_Link(&range, range.target, Vector(100.0f, -900.0f, 100.0f));
    TestSim_Tick(&range.sim);
    TestSim_Tick(&range.sim);
    TestRange_Look(&range, there, 0);
    TestRange_ExpectAt(&range, 8.0f * (float)(there - 1));
    assert_int_equal(TestRange_Shoot(&range, -900.0f, MOVE_NORMAL).entnum, EDICT_WORLD);
    TestRange_Look(&range, world->tick, 0);
    TestRange_ExpectAt(&range, -900.0f);
    // A pusher is judged now.
    range.target->movetype = MOVETYPE_PUSH;
    TestRange_Look(&range, there, 0);
    TestRange_ExpectAt(&range, -900.0f);
    range.target->movetype = MOVETYPE_NONE;
    // Removed: not met. Spawned: met from its first snapshot on.
    SV_FreeEdict(&range.sim.sv, range.target);
    assert_int_equal(TestRange_Shoot(&range, 8.0f * (float)(there - 1), MOVE_NORMAL).entnum,
                     EDICT_WORLD);
    TestSim_Tick(&range.sim);
    range.target = TestSim_Spawn(&range.sim, MOVETYPE_NONE, SOLID_BBOX,
                                 Vector(100.0f, 0.0f, 100.0f), TEST_RANGE_HALF);
    assert_int_equal(World_EdictNumber(world, range.target), number);
    SV_LinkEdict(&range.sim.sv, range.target, false);
    TestSim_Tick(&range.sim);
    TestRange_Look(&range, world->tick, 0);
    TestRange_ExpectAt(&range, 0.0f);
    TestRange_Look(&range, world->tick - 1, 0); // the next snapshot has it
    TestRange_ExpectAt(&range, 0.0f);
    TestRange_Look(&range, world->tick - 2, 0);
    assert_int_equal(TestRange_Shoot(&range, 0.0f, MOVE_NORMAL).entnum, EDICT_WORLD);
    TestSim_Free(&range.sim);
}

// ---- everything that makes the shape of a target ----

#define RAYS  48
#define TICKS 120

static void change_all(test_range_t *range, rng_t *rng, int64_t now_ms) {
    edict_t *edict = range->target;
    const bool ducks = Rng_Below(rng, 3) == 0;
    edict->origin = Vector((float)Rng_Below(rng, 320) / 16.0f, (float)Rng_Below(rng, 320) / 16.0f,
                           100.0f + (float)Rng_Below(rng, 320) / 16.0f);
    edict->angles.y = ShortToAngle((uint16_t)Rng_Next(rng));
    edict->mins = Vector(-150.0f, -150.0f, -90.0f);
    edict->maxs = Vector(150.0f, 150.0f, ducks ? 4.0f : 150.0f);
    SV_LinkEdict(&range->sim.sv, edict, false);
    if (Rng_Below(rng, 3) > 0) {
        return;
    }
    // Clients show new bones from the start of their animation on.
    edict->skeleton = 1 + (int32_t)Rng_Below(rng, 2);
    for (int32_t i = 0; i < 2; i++) {
        edict->animations[i] = (int32_t)Rng_Below(rng, 3);
        edict->anim_start_ms[i] = now_ms - (i == 0 ? 0 : (int64_t)Rng_Below(rng, 500));
    }
    edict->anim_blend = (float)Rng_Below(rng, 256) / 255.0f;
    for (int32_t i = 0; i < MAX_CONTROLLERS; i++) {
        edict->controllers[i] = (float)Rng_Below(rng, 640) / 32.0f;
    }
}

static void ray(int32_t i, vec3_t *start, vec3_t *end) {
    rng_t rng = {(uint64_t)i + 7};
    *start = Vector(-300.0f, Rng_Range(&rng, -20.0f, 40.0f), Rng_Range(&rng, 80.0f, 140.0f));
    *end = Vector(400.0f, Rng_Range(&rng, -20.0f, 40.0f), Rng_Range(&rng, 80.0f, 140.0f));
}

// The trace against an earlier tick gives the bits of a trace in that tick, whatever has changed
// since: position, angles, box height, animation, blend, controllers, model.
static void test_the_shape_of_then(void **state) {
    (void)state;
    static trace_t then[TICKS][RAYS];
    test_range_t range;
    rng_t rng = {99};
    TestRange_Init(&range, 2100);
    test_model_t *models[2] = {TestModel_Make(3, 6, 6), TestModel_Make(4, 8, 5)};
    const model_t table[] = {{0}, models[0]->read, models[1]->read};
    range.sim.sv.models = table;
    range.sim.sv.num_models = 3;
    world_t *world = range.sim.world;
    int32_t hits = 0;
    int32_t differ = 0;
    for (int32_t tick = 0; tick < TICKS; tick++) {
        change_all(&range, &rng, world->time_ms + World_TickMs(world));
        TestSim_Tick(&range.sim);
        for (int32_t i = 0; i < RAYS; i++) {
            vec3_t start, end;
            ray(i, &start, &end);
            then[tick][i] = SV_Move(&range.sim.sv, start, vec3_zero, vec3_zero, end, MOVE_HITBOXES,
                                    range.shooter);
            for (int32_t back = 0; back <= 15 && back <= tick; back += 5) {
                TestRange_Look(&range, world->tick - back, 0);
                const trace_t found = SV_MoveUnlagged(&range.sim.sv, start, vec3_zero, vec3_zero,
                                                      end, MOVE_HITBOXES, range.shooter);
                assert_memory_equal(&found, &then[tick - back][i], sizeof found);
                hits += found.bone > 0;
                differ += memcmp(&found, &then[tick][i], sizeof found) != 0;
            }
        }
    }

    assert_true(hits > 1000);
    assert_true(differ > 1000);
    TestModel_Free(models[0]);
    TestModel_Free(models[1]);
    TestSim_Free(&range.sim);
}

// ---- events ----

// A game that registers the effect receives where each hit was judged, and how far from now.
static void test_events(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 20);
    world_t *world = range.sim.world;
    events_t *events = range.sim.events;
    const int64_t now = world->tick;
    const float y = 8.0f * (float)(now - 6);
    TestRange_Look(&range, now - 5, 0);
    const int32_t number = World_EdictNumber(world, range.target);
    assert_int_equal(TestRange_Shoot(&range, y, MOVE_NORMAL).entnum, number);
    assert_int_equal(events->num_emissions, 0);
    const int32_t effect = Names_Index(&range.sim.sv, NAMES_EFFECTS, UNLAG_EFFECT);
    assert_int_equal(TestRange_Shoot(&range, y + 100.0f, MOVE_NORMAL).entnum, EDICT_WORLD);
    assert_int_equal(events->num_emissions, 0); // met nothing
    assert_int_equal(TestRange_Shoot(&range, y, MOVE_NORMAL).entnum, number);
    assert_int_equal(events->num_emissions, 1);
    const game_event_t *event = &events->emissions[0].what.event;
    assert_int_equal(event->kind, GAME_EFFECT);
    assert_int_equal(event->number, effect);
    assert_int_equal(event->entity, number);
    assert_true(VectorCompare(event->origin, Vector(100.0f, y, 100.0f)));
    const int32_t want[4] = {1, 0, 6 * 8 * ENTITY_ORIGIN_SCALE, 0};
    assert_memory_equal(event->args, want, sizeof want);
    TestRange_Look(&range, 0, 0); // judged now
    assert_int_equal(TestRange_Shoot(&range, 8.0f * (float)now, MOVE_NORMAL).entnum, number);
    assert_int_equal(events->num_emissions, 1);
    TestSim_Free(&range.sim);
}

// ---- areas ----

// A blow or a blast asks which edicts it reaches in the view.
static void test_areas(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    TestRange_Run(&range, 40);
    world_t *world = range.sim.world;
    const edict_t *rests =
        TestSim_Spawn(&range.sim, MOVETYPE_NONE, SOLID_BBOX, Vector(100.0f, 0.0f, 300.0f), 8.0f);
    SV_LinkEdict(&range.sim.sv, World_Edict(world, World_EdictNumber(world, rests)), false);
    TestRange_Run(&range, 10);
    const int64_t tick = world->tick - 9;
    const float y = 8.0f * (float)(tick - 1);
    const bounds_t box = {{90.0f, y - TEST_RANGE_HALF - 5.0f, 0.0f},
                          {110.0f, y - TEST_RANGE_HALF + 0.5f, 400.0f}};
    unlag_view_t view;
    int32_t list[4];
    TestRange_Look(&range, tick, 0);
    assert_true(Unlag_View(world, range.shooter, &view));
    assert_int_equal(Unlag_AreaEdicts(world, &view, box, list, 4), 1);
    assert_int_equal(list[0], World_EdictNumber(world, range.target));
    assert_int_equal(SV_AreaEdicts(world, box, AREA_SOLID, list, 4, NULL), 0);
    unlag_shown_t shown;
    assert_true(Unlag_Show(world, &view, range.target, NULL, &shown));
    assert_true(shown.box.mins.y == y - TEST_RANGE_HALF && shown.box.maxs.z == 116.0f);
    const bounds_t all = {{-1000.0f, -1000.0f, 0.0f}, {1000.0f, 1000.0f, 1000.0f}};
    assert_int_equal(Unlag_AreaEdicts(world, &view, all, list, 4), 3);
    assert_true(list[0] == 1 && list[1] == 2 && list[2] == 3);
    assert_int_equal(Unlag_AreaEdicts(world, &view, all, list, 2), 2);
    assert_true(list[0] == 1 && list[1] == 2);
    assert_int_equal(Unlag_AreaEdicts(world, &view, all, list, 0), 0);
    TestSim_Free(&range.sim);
}

// A target that turns a corner as a period ends, while a snapshot is lost, is shown off its path.
static void test_corner_between_periods(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    world_t *world = range.sim.world;
    const vec3_t path[] = {
        {100.0f, 0.0f, 100.0f}, {100.0f, 150.0f, 100.0f}, {300.0f, 150.0f, 100.0f}};
    while (world->tick < History_Period(world) - 2) {
        TestSim_Tick(&range.sim);
    }
    for (size_t i = 0; i < COUNTOF(path); i++) {
        TestRange_Link(&range, range.target, path[i]);
        TestSim_Tick(&range.sim);
    }
    TestRange_Look(&range, world->tick - 1, 0);
    World_Client(world, 0)->last_cmd.view_span = UserCmd_Span(1, 2);
    const bounds_t middle = {{195.0f, 70.0f, 95.0f}, {205.0f, 80.0f, 105.0f}};
    unlag_view_t view;
    int32_t number = 0;
    assert_true(Unlag_View(world, range.shooter, &view));
    assert_int_equal(Unlag_AreaEdicts(world, &view, middle, &number, 1), 1);
    assert_int_equal(number, World_EdictNumber(world, range.target));
    TestSim_Free(&range.sim);
}

// ---- movers ----

// Unvanquished 162, and a target behind a door that closed meanwhile: pushers stop a shot at their
// current place, not at that of the view. The shooter has teleported since, and shoots from its new
// place.
static void test_doors_and_lifts_are_of_now(void **state) {
    (void)state;
    test_range_t range;
    TestRange_Init(&range, 2100);
    edict_t *door =
        TestSim_Spawn(&range.sim, MOVETYPE_PUSH, SOLID_BBOX, Vector(0.0f, 600.0f, 100.0f), 300.0f);
    SV_LinkEdict(&range.sim.sv, door, false);
    TestRange_Run(&range, 20); // open
    const int64_t open = range.sim.world->tick;
    const float y = 8.0f * (float)(open - 1);
    const int32_t target = World_EdictNumber(range.sim.world, range.target);
    TestRange_Link(&range, range.shooter, Vector(-500.0f, -500.0f, 500.0f));
    TestRange_Look(&range, open, 0);
    assert_int_equal(TestRange_Shoot(&range, y, MOVE_NORMAL).entnum, target);
    TestRange_Link(&range, door, Vector(-200.0f, 0.0f, 100.0f)); // closes
    door->maxs.x = 100.0f;
    SV_LinkEdict(&range.sim.sv, door, false);
    TestRange_Run(&range, 3);
    TestRange_Look(&range, open, 0);
    const trace_t trace =
        SV_MoveUnlagged(&range.sim.sv, Vector(-600.0f, y, 100.0f), vec3_zero, vec3_zero,
                        Vector(1100.0f, y, 100.0f), MOVE_NORMAL, range.shooter);
    assert_int_equal(trace.entnum, World_EdictNumber(range.sim.world, door));
    TestRange_Link(&range, door,
                   Vector(0.0f, 600.0f, 100.0f)); // opens: it stopped the shot in the view
    TestRange_Look(&range, open + 3, 0);
    TestRange_Run(&range, 1);
    assert_int_equal(TestRange_Shoot(&range, 8.0f * (float)(open + 2), MOVE_NORMAL).entnum, target);
    TestSim_Free(&range.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tick_and_between),
        cmocka_unit_test(test_lost_snapshots),
        cmocka_unit_test(test_a_view_grows_old),
        cmocka_unit_test(test_a_lie_gains_nothing),
        cmocka_unit_test(test_what_happened_since),
        cmocka_unit_test(test_the_shape_of_then),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_corner_between_periods),
        cmocka_unit_test(test_doors_and_lifts_are_of_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
