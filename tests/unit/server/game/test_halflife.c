// Smaller classes of Half-Life's maps: lifts that turn, valves and their doors, damped pendulums,
// walls that vanish, triggers that fire by themselves.

#include "core/core_local.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"

#include <math.h>
#include <stdio.h>

#define TICK_MS 16

static void assert_near(float found, float expected, float within) {
    if (!(fabsf(found - expected) <= within)) {
        fail_msg("found %g, expected %g +- %g", (double)found, (double)expected, (double)within);
    }
}

static void use(test_world_t *test, edict_t *edict) {
    sv_context_t sv = TestMachines_Context(test);
    sv.engine->use(&sv, edict, World_Edict(test->world, 1), World_Edict(test->world, 1));
}

static void start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 320, NULL);
}

// Runs ticks in which the player holds buttons.
static void hold(test_world_t *test, uint8_t buttons, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TICK_MS) {
        TestWorld_Cmd(test, 0, (usercmd_t){.msec = TICK_MS, .buttons = buttons});
        TestWorld_Tick(test);
    }
}

static void test_a_lift_turns_on_its_way(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"func_platrot\" \"model\" \"*1\" \"origin\" \"0 0 100\" "
                 "\"height\" \"100\" \"rotation\" \"90\" \"speed\" \"100\" \"wait\" \"2\"}");
    edict_t *plat = TestMachines_Class(&test, "func_platrot");
    assert_near(plat->origin.z, 0.0f, 0.01f);
    TestMachines_Put(&test, Vector(0.0f, 0.0f, 40.1f)); // on it
    (void)TestMachines_Run(&test, 500, NULL);
    assert_near(plat->angles.y, plat->origin.z * 0.9f, 0.1f);
    assert_true(plat->angles.y > 20.0f && plat->angles.y < 60.0f);
    (void)TestMachines_Run(&test, 800, NULL);
    assert_near(plat->origin.z, 100.0f, 0.01f);
    assert_near(plat->angles.y, 90.0f, 0.01f);
    assert_near(World_Edict(test.world, 1)->origin.z, 140.0f, 0.2f); // the rider
    TestMachines_Put(&test, Vector(-400.0f, 0.0f, 24.03125f));
    (void)TestMachines_Run(&test, 4000, NULL);
    assert_near(plat->origin.z, 0.0f, 0.01f);
    assert_near(plat->angles.y, 0.0f, 0.01f);
    TestWorld_Free(&test);
}

// ---- valves ----

#define VALVE(keys)                                                                                \
    "{\"classname\" \"momentary_rot_button\" \"model\" \"*4\" \"target\" \"d\" "                   \
    "\"targetname\" \"v\" \"distance\" \"180\" \"speed\" \"90\" " keys "}"                         \
    "{\"classname\" \"momentary_door\" \"model\" \"*5\" \"targetname\" \"d\" "                     \
    "\"angle\" \"-1\" \"lip\" \"-4\"}" // moves up by 100

static void start_valve(test_world_t *test, const char *entities) {
    start(test, entities);
    TestMachines_Put(test, Vector(204.0f, 60.0f, 24.03125f)); // beside *4
    (void)TestMachines_Run(test, 160, NULL);
}

static void test_a_door_follows_its_valve(void **state) {
    (void)state;
    test_world_t test;
    start_valve(&test, VALVE(""));
    edict_t *valve = TestMachines_Class(&test, "momentary_rot_button");
    edict_t *door = TestMachines_Class(&test, "momentary_door");
    hold(&test, BUTTON_USE, 800);
    (void)TestMachines_Run(&test, 320, NULL);
    float half = valve->angles.y;
    assert_near(half, 76.0f, 8.0f); // 0.8 s of 90 degrees/s, and at most 0.1 s more
    assert_near(door->origin.z, half / 180.0f * 100.0f, 0.5f);
    (void)TestMachines_Run(&test, 640, NULL);
    assert_near(valve->angles.y, half, 0.0f); // it stays
    hold(&test, BUTTON_USE, 480);             // another use turns it back
    (void)TestMachines_Run(&test, 320, NULL);
    assert_true(valve->angles.y < half - 30.0f);
    assert_near(door->origin.z, valve->angles.y / 180.0f * 100.0f, 0.5f);
    (void)TestMachines_Run(&test, 320, NULL);
    hold(&test, BUTTON_USE, 3000); // to the end, not beyond
    assert_near(valve->angles.y, 180.0f, 0.01f);
    assert_near(door->origin.z, 100.0f, 0.01f);
    hold(&test, 0, 200);
    hold(&test, BUTTON_USE, 3000);
    assert_near(valve->angles.y, 0.0f, 0.01f);
    assert_near(door->origin.z, 0.0f, 0.01f);
    TestWorld_Free(&test);
}

// A valve with flag 1 is a door that turns with another valve of its target.
static void test_a_valve_that_is_a_door(void **state) {
    (void)state;
    test_world_t test;
    start_valve(&test, VALVE("") "{\"classname\" \"momentary_rot_button\" \"model\" \"*1\" "
                                 "\"targetname\" \"w\" \"target\" \"d\" \"distance\" \"-90\" "
                                 "\"spawnflags\" \"1\"}");
    const edict_t *valve = TestMachines_Named(&test, "v");
    const edict_t *wing = TestMachines_Named(&test, "w");
    hold(&test, BUTTON_USE, 800);
    (void)TestMachines_Run(&test, 320, NULL);
    assert_near(valve->angles.y, 76.0f, 8.0f);
    assert_near(wing->angles.y, -0.5f * valve->angles.y, 0.1f);
    float was = wing->angles.y;
    TestMachines_Put(&test, Vector(60.0f, 0.0f, 24.03125f)); // beside the door only
    hold(&test, BUTTON_USE, 320);
    assert_near(wing->angles.y, was, 0.0f);
    TestWorld_Free(&test);
}

static void test_a_valve_returns(void **state) {
    (void)state;
    test_world_t test;
    start_valve(&test, VALVE("\"spawnflags\" \"16\" \"returnspeed\" \"45\""));
    edict_t *valve = TestMachines_Class(&test, "momentary_rot_button");
    hold(&test, BUTTON_USE, 1000);
    float most = valve->angles.y;
    assert_near(most, 90.0f, 4.0f);
    hold(&test, 0, 1120);
    assert_near(valve->angles.y, most + 9.0f - 46.0f, 4.0f); // it turns for 0.1 s more first
    hold(&test, 0, 3000);
    assert_near(valve->angles.y, 0.0f, 0.01f);
    assert_near(TestMachines_Class(&test, "momentary_door")->origin.z, 0.0f, 0.01f);
    TestWorld_Free(&test);
}

static void test_a_valve_that_only_targets_turn(void **state) {
    (void)state;
    test_world_t test;
    start_valve(&test, VALVE("\"spawnflags\" \"2\""));
    edict_t *valve = TestMachines_Class(&test, "momentary_rot_button");
    hold(&test, BUTTON_USE, 500);
    assert_near(valve->angles.y, 0.0f, 0.0f);
    use(&test, valve);
    (void)TestMachines_Run(&test, 320, NULL);
    assert_near(valve->angles.y, 9.0f, 3.0f);                  // 0.1 s
    TestMachines_Put(&test, Vector(-400.0f, 0.0f, 24.03125f)); // too far away
    hold(&test, BUTTON_USE, 500);
    assert_near(valve->angles.y, 9.0f, 3.0f);
    TestWorld_Free(&test);
}

static void test_a_door_that_starts_open(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"momentary_door\" \"model\" \"*5\" \"angle\" \"-1\" \"lip\" "
                 "\"-4\" \"spawnflags\" \"1\"}");
    assert_near(TestMachines_Class(&test, "momentary_door")->origin.z, 100.0f, 0.01f);
    TestWorld_Free(&test);
}

// ---- levers ----

#define LEVER(keys)                                                                                \
    "{\"classname\" \"func_rot_button\" \"model\" \"*4\" \"targetname\" \"l\" \"speed\" \"90\" "   \
    "\"target\" \"c\" \"turn_about\" \"middle\" " keys "}"                                         \
    "{\"classname\" \"trigger_counter\" \"targetname\" \"c\" \"count\" \"99\" \"target\" \"x\"}"

static void test_a_lever_turns_and_returns(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        vec3_t turned;
    } rows[] = {{LEVER(""), {0, 90, 0}},
                {LEVER("\"distance\" \"45\""), {0, 45, 0}},
                {LEVER("\"spawnflags\" \"1\""), {0, 0, 0}},
                {LEVER("\"spawnflags\" \"2\""), {0, -90, 0}},
                {LEVER("\"spawnflags\" \"64\""), {0, 0, 90}},
                {LEVER("\"spawnflags\" \"128\""), {90, 0, 0}}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        test_world_t test;
        start(&test, rows[i].keys);
        edict_t *lever = TestMachines_Named(&test, "l");
        const fields_t *counter = Game_Fields(TestMachines_Named(&test, "c"));
        use(&test, lever);
        (void)TestMachines_Run(&test, 1200, NULL); // it waits 3 s
        assert_true(VectorLength(VectorSubtract(lever->angles, rows[i].turned)) < 0.01f);
        assert_int_equal(counter->count, 98);
        (void)TestMachines_Run(&test, 5000, NULL);
        assert_true(VectorLength(lever->angles) < 0.01f);
        assert_int_equal(counter->count, 98);
        TestWorld_Free(&test);
    }
}

// A lever is used, touched (flag 256), or shot; flag 32 keeps it turned.
static void test_who_moves_a_lever(void **state) {
    (void)state;
    static const char *const rows[] = {LEVER(""), LEVER("\"spawnflags\" \"256\""),
                                       LEVER("\"health\" \"5\""), LEVER("\"spawnflags\" \"32\"")};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        test_world_t test;
        start(&test, rows[i]);
        sv_context_t sv = TestMachines_Context(&test);
        edict_t *lever = TestMachines_Named(&test, "l");
        TestMachines_Put(&test, Vector(170.0f, 0.0f, 24.03125f));
        for (int32_t t = 0; t < 30; t++) { // walks against it
            TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .forward = 300});
            TestWorld_Tick(&test);
        }
        assert_int_equal(lever->angles.y > 0.0f, i == 1);
        hold(&test, BUTTON_USE, 320);
        assert_int_equal(lever->angles.y > 0.0f, i != 2);
        Game_Damage(&sv, lever, World_Edict(test.world, 1), 5, "was shot");
        (void)TestMachines_Run(&test, 2000, NULL);
        assert_near(lever->angles.y, 90.0f, 0.01f);
        (void)TestMachines_Run(&test, 6000, NULL);
        assert_near(lever->angles.y, i == 3 ? 90.0f : 0.0f, 0.01f);
        TestWorld_Free(&test);
    }
}

static void test_a_lever_with_a_master(void **state) {
    (void)state;
    test_world_t test;
    start(&test, LEVER("\"master\" \"m\"") "{\"classname\" \"multisource\" \"targetname\" \"m\"}"
                                           "{\"classname\" \"trigger_relay\" \"targetname\" "
                                           "\"s\" \"target\" \"m\"}");
    edict_t *lever = TestMachines_Named(&test, "l");
    for (int32_t on = 0; on < 2; on++) {
        use(&test, lever);
        (void)TestMachines_Run(&test, 500, NULL);
        assert_int_equal(lever->angles.y > 0.0f, on);
        use(&test, TestMachines_Named(&test, "s"));
    }
    TestWorld_Free(&test);
}

// Its changetarget becomes the target of the relay that it fires.
static void test_a_button_changes_a_target(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"func_button\" \"model\" \"*4\" \"targetname\" \"b\" "
                 "\"target\" \"r\" \"changetarget\" \"new\"}"
                 "{\"classname\" \"trigger_relay\" \"targetname\" \"r\" \"target\" \"old\"}"
                 "{\"classname\" \"trigger_counter\" \"targetname\" \"old\" \"count\" \"9\" "
                 "\"target\" \"x\"}"
                 "{\"classname\" \"trigger_counter\" \"targetname\" \"new\" \"count\" \"9\" "
                 "\"target\" \"x\"}");
    use(&test, TestMachines_Named(&test, "r"));
    assert_int_equal(Game_Fields(TestMachines_Named(&test, "old"))->count, 8);
    use(&test, TestMachines_Named(&test, "b"));
    (void)TestMachines_Run(&test, 1000, NULL);
    assert_int_equal(Game_Fields(TestMachines_Named(&test, "old"))->count, 8);
    assert_int_equal(Game_Fields(TestMachines_Named(&test, "new"))->count, 8);
    TestWorld_Free(&test);
}

// ---- pendulum, wall, conveyor, trigger ----

static void test_a_damped_pendulum_comes_to_rest(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"func_pendulum\" \"model\" \"*1\" \"origin\" \"0 0 200\" "
                 "\"damp\" \"100\" \"distance\" \"40\" \"speed\" \"120\" \"spawnflags\" \"1\" "
                 "\"turn_about\" \"map\"}");
    edict_t *pendulum = TestMachines_Class(&test, "func_pendulum");
    float swings[3] = {0};
    float most_step = 0.0f;
    for (int32_t i = 0; i < 3; i++) {
        float was = pendulum->angles.y;
        for (int32_t t = 0; t < 4000; t += TICK_MS) {
            (void)TestMachines_Run(&test, TICK_MS, NULL);
            swings[i] = fmaxf(swings[i], fabsf(pendulum->angles.y));
            most_step = fmaxf(most_step, fabsf(pendulum->angles.y - was));
            was = pendulum->angles.y;
        }
    }
    assert_near(swings[0], 40.0f, 0.1f);
    assert_true(swings[1] < 33.0f && swings[2] < swings[1] && swings[2] > 5.0f);
    assert_true(most_step < 120.0f * 0.0165f); // no jump
    (void)TestMachines_Run(&test, 60000, NULL);
    assert_int_equal(pendulum->motion.kind, MOTION_NONE);
    assert_near(pendulum->angles.y, 0.0f, 1.0f);
    TestWorld_Free(&test);
}

static void test_a_pendulum_that_returns(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"func_pendulum\" \"model\" \"*1\" \"origin\" \"0 0 200\" "
                 "\"distance\" \"40\" \"speed\" \"80\" \"spawnflags\" \"16\" "
                 "\"targetname\" \"p\" \"angles\" \"0 10 0\" \"turn_about\" \"map\"}");
    edict_t *pendulum = TestMachines_Class(&test, "func_pendulum");
    for (int32_t i = 0; i < 2; i++) {
        use(&test, pendulum);
        (void)TestMachines_Run(&test, 800, NULL); // a quarter of its period
        assert_near(pendulum->angles.y, 50.0f, 1.0f);
        use(&test, pendulum);
        (void)TestMachines_Run(&test, 240, NULL);
        assert_near(pendulum->angles.y, 31.0f, 5.0f);
        (void)TestMachines_Run(&test, 800, NULL);
        assert_near(pendulum->angles.y, 10.0f, 0.01f);
    }
    TestWorld_Free(&test);
}

// ---- func_rotating ----

#define FAN(keys)                                                                                  \
    "{\"classname\" \"func_rotating\" \"model\" \"*1\" \"origin\" \"0 0 100\" \"speed\" \"100\" "  \
    "\"targetname\" \"f\" \"turn_about\" \"map\" " keys "}"

// Returns the speed of a fan, degrees/s.
static float turn_speed(test_world_t *test, const edict_t *fan) {
    float was = fan->angles.y;
    (void)TestMachines_Run(test, TICK_MS, NULL);
    return AngleNormalize180(fan->angles.y - was) / 0.016f;
}

static void test_a_fan_gains_speed(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        float friction;
    } rows[] = {{FAN("\"spawnflags\" \"16\""), 20.0f},
                {FAN("\"spawnflags\" \"16\" \"fanfriction\" \"5\""), 5.0f},
                {FAN("\"spawnflags\" \"16\" \"fanfriction\" \"101\""), 20.0f}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        test_world_t test;
        start(&test, rows[i].keys);
        edict_t *fan = TestMachines_Class(&test, "func_rotating");
        for (int32_t on = 1; on >= 0; on--) {
            use(&test, fan);
            (void)TestMachines_Run(&test, 250, NULL); // three steps
            float changed = rows[i].friction * 3.0f;
            assert_near(turn_speed(&test, fan), on ? changed : 100.0f - changed, 1.0f);
            (void)TestMachines_Run(&test, 2000, NULL);
            assert_near(turn_speed(&test, fan), on ? 100.0f : 0.0f, 1.0f);
        }
        TestWorld_Free(&test);
    }
}

// A fan that rides on another turns on from its angle when its speed changes.
static void test_a_fan_on_a_fan(void **state) {
    (void)state;
    test_world_t test;
    start(&test,
          FAN("\"spawnflags\" \"17\" \"movewith\" \"g\"") "{\"classname\" \"func_rotating\" "
                                                          "\"model\" \"*5\" \"targetname\" \"g\" "
                                                          "\"turn_about\" \"map\"}");
    edict_t *fan = TestMachines_Named(&test, "f");
    (void)TestMachines_Run(&test, 2000, NULL);
    use(&test, fan);
    for (int32_t i = 0; i < 40; i++) {
        float speed = turn_speed(&test, fan);
        assert_true(speed >= -0.1f && speed <= 101.0f);
    }
    assert_int_equal(fan->motion.kind, MOTION_NONE);
    TestWorld_Free(&test);
}

static void test_fans_that_hurt_or_let_through(void **state) {
    (void)state;
    static const int32_t all[] = {0, 1, 32, 33}; // 32 hurts, if it turns
    for (size_t i = 0; i < COUNTOF(all); i++) {
        char text[256];
        test_world_t test;
        snprintf(text, sizeof text,
                 "{\"classname\" \"func_rotating\" \"model\" \"*5\" \"speed\" \"1\" \"dmg\" "
                 "\"7\" \"turn_about\" \"middle\" \"spawnflags\" \"%d\"}",
                 all[i]);
        start(&test, text);
        TestMachines_Put(&test, Vector(-230.0f, 0.0f, 24.03125f));
        for (int32_t t = 0; t < 30; t++) { // walks against it
            TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .forward = 300});
            TestWorld_Tick(&test);
        }
        assert_int_equal(World_Client(test.world, 0)->player.health, all[i] == 33 ? 93 : 100);
        TestWorld_Free(&test);
    }
    test_world_t test;
    start(&test, FAN("\"spawnflags\" \"64\""));
    assert_int_equal(TestMachines_Class(&test, "func_rotating")->solid, SOLID_NOT);
    TestWorld_Free(&test);
}

static void test_a_wall_vanishes_and_returns(void **state) {
    (void)state;
    for (int32_t hidden = 0; hidden < 2; hidden++) {
        test_world_t test;
        start(&test, hidden ? "{\"classname\" \"func_wall_toggle\" \"model\" \"*5\" "
                              "\"spawnflags\" \"1\"}"
                            : "{\"classname\" \"func_wall_toggle\" \"model\" \"*5\"}");
        edict_t *wall = TestMachines_Class(&test, "func_wall_toggle");
        sv_context_t sv = TestMachines_Context(&test);
        const vec3_t zero = {0.0f, 0.0f, 0.0f};
        for (int32_t i = hidden; i < hidden + 4; i++) {
            trace_t trace = sv.engine->trace(&sv, Vector(-300.0f, 0.0f, 50.0f), zero, zero,
                                             Vector(-100.0f, 0.0f, 50.0f), true, NULL);
            assert_int_equal(trace.fraction < 1.0f, i % 2 == 0);
            assert_int_equal(wall->visibility, i % 2 ? VISIBLE_NOBODY : VISIBLE_ALL);
            use(&test, wall);
        }
        TestWorld_Free(&test);
    }
}

static void test_a_conveyor_without_collision(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"func_conveyor\" \"model\" \"*5\" \"spawnflags\" \"2\"}");
    assert_int_equal(TestMachines_Class(&test, "func_conveyor")->solid, SOLID_NOT);
    TestWorld_Free(&test);
}

static void test_a_trigger_fires_by_itself(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"trigger_auto\" \"target\" \"c\"}"
                      "{\"classname\" \"trigger_auto\" \"target\" \"c\" \"delay\" \"1\"}"
                      "{\"classname\" \"trigger_counter\" \"targetname\" \"c\" \"count\" \"9\" "
                      "\"target\" \"x\"}",
                      0);
    (void)TestMachines_Run(&test, 640, NULL);
    const fields_t *counter = Game_Fields(TestMachines_Named(&test, "c"));
    assert_int_equal(counter->count, 8);
    (void)TestMachines_Run(&test, 2000, NULL);
    assert_int_equal(counter->count, 7);
    TestWorld_Free(&test);
}

static void test_a_manager_fires_each_target_in_time(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"multi_manager\" \"targetname\" \"m\" \"a\" \"0\" \"a#1\" \"1\" "
                 "\"b\" \"0.5\" \"m\" \"2\" \"_light\" \"3\"}"
                 "{\"classname\" \"trigger_counter\" \"targetname\" \"a\" \"count\" \"9\" "
                 "\"target\" \"x\"}"
                 "{\"classname\" \"trigger_counter\" \"targetname\" \"b\" \"count\" \"9\" "
                 "\"target\" \"x\"}");
    const fields_t *a = Game_Fields(TestMachines_Named(&test, "a"));
    const fields_t *b = Game_Fields(TestMachines_Named(&test, "b"));
    use(&test, TestMachines_Named(&test, "m"));
    assert_int_equal(a->count, 8);
    (void)TestMachines_Run(&test, 320, NULL);
    assert_int_equal(b->count, 9);
    (void)TestMachines_Run(&test, 320, NULL);
    assert_int_equal(b->count, 8);
    assert_int_equal(a->count, 8);
    (void)TestMachines_Run(&test, 640, NULL);
    assert_int_equal(a->count, 7);
    (void)TestMachines_Run(&test, 1000, NULL); // it has fired itself
    assert_int_equal(a->count, 6);
    TestWorld_Free(&test);
}

// A manager with a bad value, one without targets, and two that fire each other at once.
static void test_managers_with_faults(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"multi_manager\" \"door\" \"soon\"}"
                      "{\"classname\" \"multi_manager\" \"targetname\" \"a\" \"b\" \"0\"}"
                      "{\"classname\" \"multi_manager\" \"targetname\" \"b\" \"a\" \"-1e30\"}",
                      0);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "expected a delay in seconds"), 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "has no key that names a target"), 1);
    (void)TestMachines_Run(&test, 160, NULL);
    use(&test, TestMachines_Named(&test, "a"));
    (void)TestMachines_Run(&test, 640, NULL);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

// Each part counts as a fired target, also when nothing has its name: searches are bounded, too.
static void test_parts_of_managers_are_counted(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"multi_manager\" \"targetname\" \"m\" \"nothing\" \"0\" "
                 "\"nobody\" \"0\" \"nobody#1\" \"0\"}");
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    Game_Vars(&sv)->uses_done = 0;
    use(&test, TestMachines_Named(&test, "m"));
    assert_int_equal(Game_Vars(&sv)->uses_done, 3);
    TestWorld_Free(&test);
}

static void test_decoration_is_accepted_in_silence(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"env_sprite\"}{\"classname\" \"infodecal\"}"
                      "{\"classname\" \"cycler\"}{\"classname\" \"env_glow\"}",
                      0);
    assert_int_equal(test.world->counters.unknown_classes, 0);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "unknown"), 0);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lift_turns_on_its_way),
        cmocka_unit_test(test_a_door_follows_its_valve),
        cmocka_unit_test(test_a_valve_that_is_a_door),
        cmocka_unit_test(test_a_valve_returns),
        cmocka_unit_test(test_a_valve_that_only_targets_turn),
        cmocka_unit_test(test_a_door_that_starts_open),
        cmocka_unit_test(test_a_lever_turns_and_returns),
        cmocka_unit_test(test_who_moves_a_lever),
        cmocka_unit_test(test_a_lever_with_a_master),
        cmocka_unit_test(test_a_button_changes_a_target),
        cmocka_unit_test(test_a_damped_pendulum_comes_to_rest),
        cmocka_unit_test(test_a_pendulum_that_returns),
        cmocka_unit_test(test_a_fan_gains_speed),
        cmocka_unit_test(test_a_fan_on_a_fan),
        cmocka_unit_test(test_fans_that_hurt_or_let_through),
        cmocka_unit_test(test_a_wall_vanishes_and_returns),
        cmocka_unit_test(test_a_conveyor_without_collision),
        cmocka_unit_test(test_a_trigger_fires_by_itself),
        cmocka_unit_test(test_a_manager_fires_each_target_in_time),
        cmocka_unit_test(test_managers_with_faults),
        cmocka_unit_test(test_parts_of_managers_are_counted),
        cmocka_unit_test(test_decoration_is_accepted_in_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
