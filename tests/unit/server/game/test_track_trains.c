// func_tracktrain, path_track and func_traincontrols: a train follows its track smoothly, obeys
// path_tracks and its driver, and hostile tracks stop it with a warning.

#include "core/core_local.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TICK_MS 16

// A track along a straight, up a slope and around a corner.
#define TRACK                                                                                      \
    "{\"classname\" \"path_track\" \"targetname\" \"a\" \"target\" \"b\" "                         \
    "\"origin\" \"-300 -200 50\"}"                                                                 \
    "{\"classname\" \"path_track\" \"targetname\" \"b\" \"target\" \"c\" \"message\" \"bell\" "    \
    "\"origin\" \"0 -200 50\"}"                                                                    \
    "{\"classname\" \"path_track\" \"targetname\" \"c\" \"target\" \"d\" "                         \
    "\"origin\" \"200 -200 150\"}"                                                                 \
    "{\"classname\" \"path_track\" \"targetname\" \"d\" \"netname\" \"bell\" "                     \
    "\"origin\" \"200 200 150\"}"                                                                  \
    "{\"classname\" \"trigger_counter\" \"targetname\" \"bell\" \"target\" \"x\" "                 \
    "\"count\" \"9\"}"
#define TRAIN(keys)                                                                                \
    "{\"classname\" \"func_tracktrain\" \"model\" \"*1\" \"target\" \"a\" \"targetname\" \"t\" "   \
    "\"speed\" \"100\" " keys "}"

static void assert_near(float found, float expected, float within) {
    if (!(fabsf(found - expected) <= within)) {
        fail_msg("found %g, expected %g +- %g", (double)found, (double)expected, (double)within);
    }
}

static void assert_at(const edict_t *edict, float x, float y, float z) {
    assert_near(edict->origin.x, x, 0.02f);
    assert_near(edict->origin.y, y, 0.02f);
    assert_near(edict->origin.z, z, 0.02f);
}

static void use(test_world_t *test, edict_t *edict) {
    sv_context_t sv = TestMachines_Context(test);
    sv.engine->use(&sv, edict, World_Edict(test->world, 1), World_Edict(test->world, 1));
}

// Runs one tick with a command.
static void tick(test_world_t *test, usercmd_t cmd) {
    cmd.msec = TICK_MS;
    TestWorld_Cmd(test, 0, cmd);
    TestWorld_Tick(test);
}

static edict_t *start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    sv_context_t sv = TestMachines_Context(test);
    Game_Vars(&sv)->train_react_ms = 250;
    (void)TestMachines_Run(test, 400, NULL);
    return TestMachines_Class(test, "func_tracktrain");
}

// ---- the track ----

// Returns the distance of a point from the segment between two points.
static float off_segment(vec3_t point, vec3_t a, vec3_t b) {
    vec3_t way = VectorSubtract(b, a);
    float along = DotProduct(VectorSubtract(point, a), way) / DotProduct(way, way);
    vec3_t near = VectorMA(a, Q_ClampF(along, 0.0f, 1.0f), way);
    return VectorLength(VectorSubtract(point, near));
}

static float off_track(vec3_t origin) {
    static const vec3_t points[] = {
        {-300, -200, 54}, {0, -200, 54}, {200, -200, 154}, {200, 200, 154}};
    float best = 1e9f;
    for (int i = 0; i < 3; i++) {
        best = fminf(best, off_segment(origin, points[i], points[i + 1]));
    }
    return best;
}

static void test_it_follows_the_track_smoothly(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, TRACK TRAIN(""));
    assert_at(train, -300.0f, -200.0f, 54.0f); // waits to be fired
    use(&test, train);
    vec3_t before = train->angles;
    vec3_t was = train->origin;
    int32_t starts = 0;
    int64_t start_ms = -1;
    float turn = 0.0f;
    for (int32_t i = 0; i < 1200 && !(i > 10 && train->motion.kind == MOTION_NONE); i++) {
        tick(&test, (usercmd_t){0});
        assert_true(off_track(train->origin) < 0.9f); // corners are cut by at most 48 ms
        assert_true(VectorLength(VectorSubtract(train->origin, was)) < 1.8f); // 1.6 qu a tick
        for (int axis = 0; axis < 2; axis++) {
            float step = axis ? train->angles.y - before.y : train->angles.x - before.x;
            turn = fmaxf(turn, fabsf(step));
        }
        starts += train->motion.start_ms != start_ms ? 1 : 0;
        start_ms = train->motion.start_ms;
        before = train->angles;
        was = train->origin;
    }
    print_message("%d motion records for 924 qu; at most %g degrees a tick\n", starts,
                  (double)turn);
    assert_at(train, 200.0f, 200.0f, 154.0f);
    assert_near(train->angles.x, 0.0f, 0.01f);
    assert_near(train->angles.y, 90.0f, 0.01f);
    assert_true(turn < 6.0f); // 1.6 qu of 50: at most 1.8 degrees, 3 times as fast at 90 degrees
    assert_true(starts < 40);
    TestWorld_Free(&test);
}

static void test_it_pitches_on_a_slope(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, TRACK TRAIN("\"startspeed\" \"100\""));
    (void)TestMachines_Run(&test, 3900, NULL);
    assert_near(train->angles.x, -26.565f, 0.01f);
    assert_true(train->origin.z > 80.0f);
    TestWorld_Free(&test);
    train = start(&test, TRACK TRAIN("\"startspeed\" \"100\" \"spawnflags\" \"1\""));
    (void)TestMachines_Run(&test, 3900, NULL);
    assert_near(train->angles.x, 0.0f, 0.0f);
    assert_true(train->origin.z > 80.0f);
    TestWorld_Free(&test);
}

static void test_it_banks_in_a_turn(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, TRACK TRAIN("\"startspeed\" \"100\" \"bank\" \"10\""));
    float least = 0.0f;
    for (int i = 0; i < 700; i++) {
        tick(&test, (usercmd_t){0});
        least = fminf(least, train->angles.z);
        assert_true(train->angles.z <= 0.01f);
    }
    assert_near(least, -10.0f, 0.01f); // the left side goes down in a left turn
    assert_near(train->angles.z, 0.0f, 0.01f);
    TestWorld_Free(&test);
}

static void test_it_fires_what_it_passes(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, TRACK TRAIN(""));
    const fields_t *bell = Game_Fields(TestMachines_Named(&test, "bell"));
    use(&test, train);
    (void)TestMachines_Run(&test, 2900, NULL);
    assert_int_equal(bell->count, 9);
    (void)TestMachines_Run(&test, 200, NULL);
    assert_int_equal(bell->count, 8); // b
    (void)TestMachines_Run(&test, 5800, NULL);
    assert_int_equal(bell->count, 8);
    (void)TestMachines_Run(&test, 800, NULL);
    assert_int_equal(bell->count, 7); // the dead end
    TestWorld_Free(&test);
}

static void test_a_use_stops_it_anywhere(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, TRACK TRAIN(""));
    use(&test, train);
    (void)TestMachines_Run(&test, 1024, NULL);
    use(&test, train);
    (void)TestMachines_Run(&test, 16, NULL);
    vec3_t at = train->origin;
    assert_near(at.x, -300.0f + 102.4f, 2.0f);
    (void)TestMachines_Run(&test, 1024, NULL);
    assert_true(VectorCompare(train->origin, at));
    use(&test, train);
    (void)TestMachines_Run(&test, 1024, NULL);
    assert_near(train->origin.x, at.x + 102.4f, 2.0f);
    TestWorld_Free(&test);
}

#define POINT(name, target, origin, keys)                                                          \
    "{\"classname\" \"path_track\" \"targetname\" \"" name "\" \"target\" \"" target               \
    "\" \"origin\" \"" origin "\" " keys "}"

static void test_a_use_switches_the_branch(void **state) {
    (void)state;
    static const char *const track =
        POINT("a", "b", "-300 0 50", "") POINT("b", "c", "-100 0 50", "\"altpath\" \"e\"")
            POINT("c", "", "100 100 50", "") POINT("e", "", "100 -100 50", "") TRAIN("");
    for (int32_t switched = 0; switched < 3; switched++) {
        test_world_t test;
        edict_t *train = start(&test, track);
        for (int32_t i = 0; i < switched; i++) {
            use(&test, TestMachines_Named(&test, "b"));
        }
        use(&test, train);
        (void)TestMachines_Run(&test, 6000, NULL);
        assert_at(train, 100.0f, switched == 1 ? -100.0f : 100.0f, 54.0f);
        // It finds back from the branch.
        Game_Fields(train)->next_pace = Game_Fields(train)->wanted_pace = -100.0f;
        sv_context_t sv = TestMachines_Context(&test);
        Game_TrackTrainNext(&sv, train);
        (void)TestMachines_Run(&test, 6000, NULL);
        assert_at(train, -300.0f, 0.0f, 54.0f);
        TestWorld_Free(&test);
    }
}

static void test_a_disabled_track_is_the_end(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, POINT("a", "b", "-300 0 50", "") POINT("b", "c", "-100 0 50", "")
                                      POINT("c", "", "100 0 50", "\"spawnflags\" \"1\"") TRAIN(""));
    use(&test, train);
    (void)TestMachines_Run(&test, 6000, NULL);
    assert_at(train, -100.0f, 0.0f, 54.0f);
    use(&test, TestMachines_Named(&test, "c")); // enabled
    use(&test, train);
    (void)TestMachines_Run(&test, 6000, NULL);
    assert_at(train, 100.0f, 0.0f, 54.0f);
    TestWorld_Free(&test);
}

static void test_a_track_sets_the_speed(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = start(&test, POINT("a", "b", "-300 0 50", "")
                                      POINT("b", "c", "-200 0 50", "\"speed\" \"300\"")
                                          POINT("c", "", "300 0 50", "") TRAIN(""));
    use(&test, train);
    (void)TestMachines_Run(&test, 2000, NULL);
    assert_near(train->origin.x, 100.0f, 8.0f);
    TestWorld_Free(&test);
}

// ---- the driver ----

#define CONTROLS                                                                                   \
    "{\"classname\" \"func_traincontrols\" \"model\" \"*6\" \"target\" \"t\" "                     \
    "\"origin\" \"350 -250 0\"}" // *6 is 100 x 100 x 64 around (-350, 250)

// Puts the player on the train, which stands at the start of the track.
static edict_t *board(test_world_t *test, const char *keys) {
    char entities[4096];
    snprintf(entities, sizeof entities, "%s%s%s%s}", TRACK, CONTROLS,
             "{\"classname\" \"func_tracktrain\" \"model\" \"*1\" \"target\" \"a\" "
             "\"targetname\" \"t\" \"speed\" \"100\" ",
             keys);
    edict_t *train = start(test, entities);
    TestMachines_Put(test, Vector(-300.0f, -200.0f, 54.0f + 16.0f + 24.5f));
    (void)TestMachines_Run(test, 200, NULL);
    return train;
}

static void press(test_world_t *test, int16_t forward, uint8_t buttons) {
    tick(test, (usercmd_t){.forward = forward, .buttons = buttons});
    tick(test, (usercmd_t){0});
}

// Presses a key for a tick, and waits until the train has obeyed.
static void notch(test_world_t *test, int16_t forward) {
    press(test, forward, 0);
    (void)TestMachines_Run(test, 600, NULL);
}

static float pace_of(const edict_t *train) {
    return Game_Fields((edict_t *)(uintptr_t)train)->pace;
}

static void test_a_driver_has_quarters_of_the_speed(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "");
    const edict_t *player = World_Edict(test.world, 1);
    notch(&test, 300);
    assert_near(pace_of(train), 0.0f, 0.0f); // not at the controls yet
    press(&test, 0, BUTTON_USE);
    vec3_t seat = VectorSubtract(player->origin, train->origin);
    for (int32_t i = 1; i <= 5; i++) {
        notch(&test, 300);
        assert_near(pace_of(train), fminf(25.0f * (float)i, 100.0f), 0.0f);
        vec3_t now = VectorSubtract(player->origin, train->origin);
        float moved = VectorLength(VectorSubtract(now, seat));
        assert_true(i > 3 || moved < 0.05f); // on the straight, the driver does not walk
    }
    for (int32_t i = 0; i < 60; i++) {
        tick(&test, (usercmd_t){.forward = -300}); // a held key counts once
    }
    assert_near(pace_of(train), 75.0f, 0.0f);
    notch(&test, 300);
    assert_true(train->origin.x > -220.0f);
    for (int32_t i = 3; i >= -4; i--) {
        notch(&test, -300);
        assert_near(pace_of(train), 25.0f * (float)i, 0.0f);
    }
    press(&test, 0, BUTTON_USE); // leaves the controls
    tick(&test, (usercmd_t){.forward = 300});
    assert_near(pace_of(train), -100.0f, 0.0f);
    assert_int_equal(player->movetype, MOVETYPE_WALK);
    TestWorld_Free(&test);
}

// Clients need the time until a change of speed to receive the next leg.
static void test_a_lever_works_a_quarter_of_a_second_late(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "");
    press(&test, 0, BUTTON_USE);
    for (int32_t i = 0; i < 4; i++) {
        press(&test, 300, 0); // all within the time in which the train stands
    }
    (void)TestMachines_Run(&test, 80, NULL);
    assert_near(pace_of(train), 0.0f, 0.0f);
    assert_true(train->next.wait_ms > 0); // announced
    (void)TestMachines_Run(&test, 64, NULL);
    assert_near(pace_of(train), 25.0f, 0.0f); // the first key
    (void)TestMachines_Run(&test, 256, NULL);
    assert_near(pace_of(train), 100.0f, 0.0f); // all others
    press(&test, 0, BUTTON_USE);
    for (int32_t i = 0; i < 8; i++) { // nobody drives: the speed stays
        (void)TestMachines_Run(&test, 250, NULL);
        assert_near(pace_of(train), 100.0f, 0.0f);
    }
    TestWorld_Free(&test);
}

static void test_a_lever_may_work_sooner(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "");
    sv_context_t sv = TestMachines_Context(&test);
    Game_Vars(&sv)->train_react_ms = 48;
    (void)TestMachines_Run(&test, 256, NULL); // the present leg of a train that stands
    press(&test, 0, BUTTON_USE);
    press(&test, 300, 0);
    (void)TestMachines_Run(&test, 112, NULL);
    assert_near(pace_of(train), 25.0f, 0.0f);
    TestWorld_Free(&test);
}

// A driver that stops the train and leaves at once still stops it.
static void test_a_lever_works_without_its_driver(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "");
    press(&test, 0, BUTTON_USE);
    notch(&test, 300);
    press(&test, -300, 0);
    press(&test, 0, BUTTON_USE);
    assert_int_equal(World_Edict(test.world, 1)->movetype, MOVETYPE_WALK);
    assert_near(pace_of(train), 25.0f, 0.0f);
    (void)TestMachines_Run(&test, 700, NULL);
    assert_near(pace_of(train), 0.0f, 0.0f);
    assert_int_equal(train->motion.kind, MOTION_NONE);
    assert_int_equal(train->nextthink_ms, 0);
    TestWorld_Free(&test);
}

static void test_a_train_that_only_goes_forward(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "\"spawnflags\" \"4\"");
    press(&test, 0, BUTTON_USE);
    notch(&test, -300);
    assert_near(pace_of(train), 0.0f, 0.0f);
    notch(&test, 300);
    assert_near(pace_of(train), 25.0f, 0.0f);
    TestWorld_Free(&test);
}

static void test_a_train_without_driver(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "\"spawnflags\" \"2\"");
    press(&test, 0, BUTTON_USE);
    notch(&test, 300);
    assert_near(pace_of(train), 0.0f, 0.0f);
    TestWorld_Free(&test);
}

static edict_t *controls_of(test_world_t *test) {
    sv_context_t sv = TestMachines_Context(test);
    return sv.engine->find_class(&sv, NULL, "func_traincontrols");
}

// The controls show clients whether they are free, ride on the train, and are only for players that
// stand on it, inside of them.
static void test_the_controls(void **state) {
    (void)state;
    test_world_t test;
    edict_t *train = board(&test, "");
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *player = World_Edict(test.world, 1);
    const edict_t *controls = controls_of(&test);
    const vec3_t offset = VectorSubtract(controls->origin, train->origin);
    assert_int_equal(controls->solid, SOLID_TRIGGER);
    assert_int_equal(controls->contents, CONTENTS_CONTROLS);
    assert_ptr_equal(sv.engine->find_controls(&sv, player), controls);
    const vec3_t here = player->origin;
    player->origin.z += 200.0f; // above the controls
    assert_null(sv.engine->find_controls(&sv, player));
    player->origin = here;
    player->flags &= ~FL_ONGROUND;
    assert_null(sv.engine->find_controls(&sv, player));
    player->flags |= FL_ONGROUND;
    press(&test, 0, BUTTON_USE);
    assert_int_equal(controls->contents, CONTENTS_MANNED);
    assert_true(sv.engine->is_at_controls(&sv, player, controls));
    assert_null(sv.engine->find_controls(&sv, player));
    notch(&test, 300);
    assert_true(train->origin.x > -295.0f);
    assert_near(
        VectorLength(VectorSubtract(VectorSubtract(controls->origin, train->origin), offset)), 0.0f,
        0.01f);
    press(&test, 0, BUTTON_USE);
    assert_int_equal(controls->contents, CONTENTS_CONTROLS);
    press(&test, 0, BUTTON_USE);
    assert_int_equal(player->movetype, MOVETYPE_TOSS);
    TestWorld_Free(&test);
}

// A game may not put a player at controls that find_controls does not return.
static void test_controls_out_of_reach(void **state) {
    (void)state;
    test_world_t test;
    (void)board(&test, "");
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *player = World_Edict(test.world, 1), *controls = controls_of(&test);
    const edict_t there = *player;
    const player_state_t stands = World_Client(test.world, 0)->player;
    for (int32_t how = 0; how < 5; how++) {
        *player = there;
        World_Client(test.world, 0)->player = stands;
        player->origin.z += how == 0 ? 200.0f : 0.0f; // above the controls
        player->flags &= how == 1 ? ~FL_ONGROUND : ~0u;
        player->groundentity = how == 2 ? World_Ref(test.world, controls) : there.groundentity;
        player->movetype = how == 3 ? MOVETYPE_NOCLIP : there.movetype;
        test.world->time_ms += 60000; // each fault is a new burst
        Events_Clear(test.events);
        const bool is_at = sv.engine->take_controls(&sv, player, controls);
        assert_int_equal(is_at, how == 4);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "take_controls: "), !is_at);
        assert_int_equal(controls->contents, is_at ? CONTENTS_MANNED : CONTENTS_CONTROLS);
        assert_int_equal(player->movetype == MOVETYPE_TOSS, is_at);
    }
    TestWorld_Free(&test);
}

// A path_track takes the controls away, for good.
static void test_a_runaway_train(void **state) {
    (void)state;
    test_world_t test;
    char entities[4096];
    snprintf(entities, sizeof entities, "%s%s%s%s", POINT("a", "b", "-300 -200 50", ""),
             POINT("b", "c", "-280 -200 50", "\"spawnflags\" \"8\""),
             POINT("c", "", "300 -200 50", ""), CONTROLS TRAIN(""));
    edict_t *train = start(&test, entities);
    const edict_t *player = World_Edict(test.world, 1);
    TestMachines_Put(&test, Vector(-300.0f, -200.0f, 54.0f + 16.0f + 24.5f));
    (void)TestMachines_Run(&test, 200, NULL);
    press(&test, 0, BUTTON_USE);
    assert_int_equal(player->movetype, MOVETYPE_TOSS);
    notch(&test, 300);
    (void)TestMachines_Run(&test, 1500, NULL);
    assert_true(train->origin.x > -280.0f);
    assert_int_equal(player->movetype, MOVETYPE_WALK);
    assert_null(controls_of(&test));
    press(&test, 0, BUTTON_USE);
    assert_int_equal(player->movetype, MOVETYPE_WALK);
    assert_near(pace_of(train), 25.0f, 0.0f);
    TestWorld_Free(&test);
}

static void test_jumping_death_and_leaving_end_the_driving(void **state) {
    (void)state;
    for (int32_t how = 0; how < 3; how++) {
        test_world_t test;
        edict_t *train = board(&test, "");
        sv_context_t sv = TestMachines_Context(&test);
        edict_t *player = World_Edict(test.world, 1);
        press(&test, 0, BUTTON_USE);
        assert_int_equal(player->movetype, MOVETYPE_TOSS);
        assert_non_null(sv.engine->deref(&sv, Game_Fields(train)->activator));
        if (how == 0) {
            press(&test, 0, BUTTON_JUMP);
            assert_int_equal(player->movetype, MOVETYPE_WALK);
        } else if (how == 1) {
            Game_Hurt(&sv, player, 1000, "died");
            assert_int_equal(player->movetype, MOVETYPE_WALK);
        } else {
            Inputs_Add(test.inputs, INPUT_LEAVE, 0);
            TestWorld_Tick(&test);
        }
        assert_null(sv.engine->deref(&sv, Game_Fields(train)->activator));
        TestWorld_Free(&test);
    }
}

// ---- hostile tracks ----

static int32_t play(const char *entities, int32_t ms, const char *text) {
    test_world_t test;
    TestMachines_Init(&test, entities, 0);
    int32_t count = TestWorld_CountEvents(&test, EVENT_LOG, text);
    count += TestMachines_Run(&test, 400, text);
    Events_Clear(test.events);
    use(&test, TestMachines_Class(&test, "func_tracktrain"));
    count += TestWorld_CountEvents(&test, EVENT_LOG, text);
    count += TestMachines_Run(&test, ms, text);
    assert_int_equal(test.world->counters.quarantined, 0);
    assert_true(test.world->counters.thinks_over_budget < 8);
    TestWorld_Free(&test);
    return count;
}

static void test_faults_of_a_track_are_named(void **state) {
    (void)state;
    // A missing target; a path_track alone; a loop of length 0; targets that are no path_tracks.
    assert_int_equal(play(TRAIN(""), 500, "expected a path_track that leads to another"), 1);
    assert_int_equal(play(POINT("a", "", "0 0 9", "") TRAIN(""), 500,
                          "expected a path_track that leads to another"),
                     1);
    assert_int_equal(play(POINT("a", "b", "0 0 9", "") POINT("b", "a", "0 0 9", "") TRAIN(""), 2000,
                          "path_tracks at one position"),
                     1);
    assert_int_equal(play(POINT("a", "a", "0 0 9", "") TRAIN(""), 500,
                          "expected another path_track, found this one"),
                     1);
    assert_int_equal(play(POINT("a", "b", "0 0 9", "\"altpath\" \"a\"")
                              POINT("b", "", "90 0 9", "\"altpath\" \"t\"") TRAIN(""),
                          500, "expected another path_track"),
                     2);
    assert_int_equal(play("{\"classname\" \"func_traincontrols\" \"model\" \"*6\" \"target\" "
                          "\"nobody\"}" TRAIN(""),
                          500, "expected a func_tracktrain"),
                     1);
    assert_int_equal(play(POINT("a", "b", "0 0 9", "") POINT("b", "", "90 0 9", "")
                              TRAIN("\"wheels\" \"1e30\""),
                          500, "wheels: expected 1 to 4096"),
                     1);
}

// A track whose point fires the train itself, again and again.
static void test_tracks_that_fire_their_train(void **state) {
    (void)state;
    assert_int_equal(play(POINT("a", "b", "0 0 9", "\"message\" \"t\"")
                              POINT("b", "a", "8 0 9", "\"message\" \"t\" \"netname\" \"t\"")
                                  TRAIN("\"startspeed\" \"99\""),
                          4000, "quarantine"),
                     0);
}

static void test_any_numbers(void **state) {
    (void)state;
    static const char *const values[] = {"0", "-1", "-1000", "1e30", "1e-30", "-1e30", "99999"};
    for (size_t v = 0; v < COUNTOF(values); v++) {
        for (size_t far = 0; far < 2; far++) {
            char text[2048];
            const char *value = values[v];
            snprintf(text, sizeof text,
                     "{\"classname\" \"func_tracktrain\" \"model\" \"*1\" \"target\" \"a\" "
                     "\"speed\" \"%s\" \"startspeed\" \"%s\" \"wheels\" \"%s\" \"height\" \"%s\" "
                     "\"bank\" \"%s\" \"dmg\" \"%s\"}"
                     "{\"classname\" \"path_track\" \"targetname\" \"a\" \"target\" \"b\" "
                     "\"speed\" \"%s\" \"origin\" \"%s\"}"
                     "{\"classname\" \"path_track\" \"targetname\" \"b\" \"target\" \"a\" "
                     "\"speed\" \"%s\" \"origin\" \"90 0 9\"}",
                     value, value, value, value, value, value, value,
                     far ? "30000 -30000 30000" : "50 0 0", value);
            (void)play(text, 3000, "-");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_follows_the_track_smoothly),
        cmocka_unit_test(test_it_pitches_on_a_slope),
        cmocka_unit_test(test_it_banks_in_a_turn),
        cmocka_unit_test(test_it_fires_what_it_passes),
        cmocka_unit_test(test_a_use_stops_it_anywhere),
        cmocka_unit_test(test_a_use_switches_the_branch),
        cmocka_unit_test(test_a_disabled_track_is_the_end),
        cmocka_unit_test(test_a_track_sets_the_speed),
        cmocka_unit_test(test_a_driver_has_quarters_of_the_speed),
        cmocka_unit_test(test_a_lever_works_a_quarter_of_a_second_late),
        cmocka_unit_test(test_a_lever_may_work_sooner),
        cmocka_unit_test(test_a_lever_works_without_its_driver),
        cmocka_unit_test(test_a_train_that_only_goes_forward),
        cmocka_unit_test(test_a_train_without_driver),
        cmocka_unit_test(test_the_controls),
        cmocka_unit_test(test_controls_out_of_reach),
        cmocka_unit_test(test_a_runaway_train),
        cmocka_unit_test(test_jumping_death_and_leaving_end_the_driving),
        cmocka_unit_test(test_faults_of_a_track_are_named),
        cmocka_unit_test(test_tracks_that_fire_their_train),
        cmocka_unit_test(test_any_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
