// Smaller classes of Half-Life's maps: lifts that turn, valves and their doors, damped pendulums,
// walls that vanish, triggers that fire by themselves.

#include "core/core_local.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"
#include "world/move.h"

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

// ---- monster clip ----

// Returns how far a box of 32 comes from x -300 towards x -100, through *5 at x -200..-184.
static float sweep(test_world_t *test, const edict_t *pass, float half) {
    sv_context_t sv = TestMachines_Context(test);
    const vec3_t maxs = {half, half, half};
    trace_t trace = sv.engine->trace(&sv, Vector(-300.0f, 0.0f, 50.0f), VectorNegate(maxs), maxs,
                                     Vector(-100.0f, 0.0f, 50.0f), true, pass);
    return trace.endpos.x;
}

static edict_t *put_monster(test_world_t *test, const char *mover) {
    const mover_limits_t limits = {.step_height = 18.0f};
    sv_context_t sv = TestMachines_Context(test);
    edict_t *monster = sv.engine->spawn(&sv);
    monster->movetype = MOVETYPE_STEP;
    monster->solid = SOLID_SLIDEBOX;
    monster->flags |= FL_MONSTER;
    Game_BeBox(monster, Vector(-16.0f, -16.0f, -24.0f), Vector(16.0f, 16.0f, 24.0f));
    monster->origin = Vector(-300.0f, 0.0f, 24.03125f);
    assert_true(sv.engine->set_mover(&sv, monster, mover, &limits));
    sv.engine->link(&sv, monster, false);
    (void)TestMachines_Run(test, 320, NULL); // finds its ground
    return monster;
}

static void test_a_monster_clip_stops_only_monsters(void **state) {
    (void)state;
    static const char *const movers[] = {"step", "ray", "sweep", "drop"};
    for (size_t i = 0; i < COUNTOF(movers); i++) {
        for (int32_t clip = 0; clip < 2; clip++) {
            test_world_t test;
            start(&test, clip ? "{\"classname\" \"func_monsterclip\" \"model\" \"*5\"}" : "");
            sv_context_t sv = TestMachines_Context(&test);
            edict_t *monster = put_monster(&test, movers[i]);
            for (int32_t step = 0; step < 30; step++) {
                (void)sv.engine->walk_move(&sv, monster, 0.0f, 8.0f);
            }
            float x = monster->origin.x;
            if (clip ? x > -215.9f || x < -232.0f : x < -100.0f) {
                fail_msg("mover %s, clip %d: walks to %g", movers[i], clip, (double)x);
            }
            TestWorld_Free(&test);
        }
    }
}

static void test_a_monster_clip_stops_nothing_else(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"func_monsterclip\" \"model\" \"*5\"}");
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *player = World_Edict(test.world, 1);
    edict_t *monster = put_monster(&test, "step");
    monster->origin = Vector(-450.0f, 300.0f, 24.03125f);
    sv.engine->link(&sv, monster, false);
    assert_near(sweep(&test, monster, 16.0f), -216.0f, 0.1f);
    assert_near(sweep(&test, monster, 0.0f), -100.0f, 0.0f); // its sight
    assert_near(sweep(&test, player, 16.0f), -100.0f, 0.0f);
    assert_near(sweep(&test, NULL, 16.0f), -100.0f, 0.0f); // a missile
    assert_int_equal(sv.engine->contents(&sv, Vector(-192.0f, 0.0f, 50.0f)), CONTENTS_EMPTY);
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t entnums[MAX_CONTACTS];
    const bounds_t box = {{-210.0f, -8.0f, 40.0f}, {-190.0f, 8.0f, 60.0f}};
    for (int32_t i = 0; i < 2; i++) {
        const sv_query_t query = {.pass = i ? monster : player};
        assert_int_equal(SV_Overlap(&sv, &query, box, contacts, entnums) > 0, i);
    }
    TestMachines_Put(&test, Vector(-300.0f, 0.0f, 24.03125f));
    for (int32_t i = 0; i < 80; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .forward = 300});
        TestWorld_Tick(&test);
    }
    assert_true(player->origin.x > -100.0f); // walked through
    TestWorld_Free(&test);
}

// ---- crates ----

// Returns how far a player shoves the crate *6 in 1 s, and how far it then slides.
static float shove(const char *format, const char *keys, float *slides) {
    char text[256];
    test_world_t test;
    snprintf(text, sizeof text, "{\"classname\" \"func_pushable\" \"model\" \"*6\" %s}", keys);
    TestMachines_InitAs(&test, format, "", text);
    (void)TestMachines_Run(&test, 320, NULL);
    TestMachines_Put(&test, Vector(-420.0f, 250.0f, 40.0f));
    for (int32_t i = 0; i < 64; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS, .forward = 320});
        TestWorld_Tick(&test);
    }
    edict_t *crate = TestMachines_Class(&test, "func_pushable");
    float shoved = crate->origin.x;
    TestMachines_Put(&test, Vector(-400.0f, 0.0f, 40.0f));
    crate->velocity = Vector(100.0f, 0.0f, 0.0f);
    sv_context_t sv = TestMachines_Context(&test);
    sv.engine->link(&sv, crate, false);
    (void)TestMachines_Run(&test, 2000, NULL);
    *slides = crate->origin.x - shoved;
    TestWorld_Free(&test);
    return shoved;
}

static void test_friction_of_a_crate(void **state) {
    (void)state;
    float plain_slide, slide, other;
    float plain = shove("BSP29", "", &plain_slide);
    float heavy = shove("BSP29", "\"friction\" \"4\"", &slide);
    print_message("shoved %g, slides %g; with friction 4: %g, %g\n", (double)plain,
                  (double)plain_slide, (double)heavy, (double)slide);
    assert_true(plain > 50.0f && heavy < 0.4f * plain && heavy > 5.0f);
    assert_true(slide < 0.4f * plain_slide);
    (void)shove("BSP29", "\"friction\" \"0.25\"", &slide);
    assert_true(slide > 2.0f * plain_slide);
    // Half-Life's 50 is the usual friction.
    plain = shove("BSP30", "", &plain_slide);
    assert_near(shove("BSP30", "\"friction\" \"50\"", &slide), plain, 0.0f);
    assert_near(slide, plain_slide, 0.0f);
    heavy = shove("BSP30", "\"friction\" \"200\"", &slide);
    assert_true(heavy < 0.4f * plain && slide < 0.4f * plain_slide);
    (void)shove("BSP30", "\"friction\" \"400\"", &slide);
    assert_near(shove("BSP30", "\"friction\" \"1e9\"", &other), // the limit
                shove("BSP30", "\"friction\" \"400\"", &slide), 0.0f);
}

static void test_crates_that_break(void **state) {
    (void)state;
    for (int32_t i = 0; i < 4; i++) {
        test_world_t test;
        TestMachines_InitAs(&test, i < 2 ? "BSP29" : "BSP30", "",
                            i % 2 ? "{\"classname\" \"func_pushable\" \"model\" \"*6\" "
                                    "\"health\" \"10\" \"spawnflags\" \"128\"}"
                                  : "{\"classname\" \"func_pushable\" \"model\" \"*6\" "
                                    "\"health\" \"10\"}");
        sv_context_t sv = TestMachines_Context(&test);
        edict_t *crate = TestMachines_Class(&test, "func_pushable");
        (void)TestMachines_Run(&test, 64, NULL);
        Game_Damage(&sv, crate, NULL, 20, "was shot");
        (void)TestMachines_Run(&test, 64, NULL);
        assert_int_equal(World_IsLive(crate), i == 2); // Half-Life without the flag
        TestWorld_Free(&test);
    }
}

static void test_the_skin_of_an_illusion(void **state) {
    (void)state;
    static const struct {
        const char *skin;
        int32_t contents;
    } rows[] = {{"0", CONTENTS_EMPTY},
                {"-3", CONTENTS_WATER},
                {"-5", CONTENTS_LAVA},
                {"-2", CONTENTS_EMPTY},
                {"7", CONTENTS_EMPTY}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        char text[128];
        test_world_t test;
        snprintf(text, sizeof text,
                 "{\"classname\" \"func_illusionary\" \"model\" \"*6\" \"skin\" \"%s\"}",
                 rows[i].skin);
        start(&test, text);
        sv_context_t sv = TestMachines_Context(&test);
        assert_int_equal(sv.engine->contents(&sv, Vector(-350.0f, 250.0f, 30.0f)),
                         rows[i].contents);
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
        cmocka_unit_test(test_a_valve_returns),
        cmocka_unit_test(test_a_valve_that_only_targets_turn),
        cmocka_unit_test(test_a_door_that_starts_open),
        cmocka_unit_test(test_a_damped_pendulum_comes_to_rest),
        cmocka_unit_test(test_a_wall_vanishes_and_returns),
        cmocka_unit_test(test_a_monster_clip_stops_only_monsters),
        cmocka_unit_test(test_a_monster_clip_stops_nothing_else),
        cmocka_unit_test(test_friction_of_a_crate),
        cmocka_unit_test(test_crates_that_break),
        cmocka_unit_test(test_the_skin_of_an_illusion),
        cmocka_unit_test(test_a_conveyor_without_collision),
        cmocka_unit_test(test_a_trigger_fires_by_itself),
        cmocka_unit_test(test_a_manager_fires_each_target_in_time),
        cmocka_unit_test(test_managers_with_faults),
        cmocka_unit_test(test_parts_of_managers_are_counted),
        cmocka_unit_test(test_decoration_is_accepted_in_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
