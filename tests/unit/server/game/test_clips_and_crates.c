// Half-Life's brushes that stop monsters or are liquids, and its crates.

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

static void start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 320, NULL);
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
                (void)sv.engine->walk_move(&sv, monster, 0.0f, 8.0f, NULL);
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

// A train carries a crate, and the player that has just landed on it.
static void test_a_player_rides_on_a_crate(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"func_pushable\" \"model\" \"*6\"}"
                      "{\"classname\" \"func_train\" \"model\" \"*1\" \"target\" \"a\" "
                      "\"speed\" \"60\"}"
                      "{\"classname\" \"path_corner\" \"targetname\" \"a\" \"target\" \"b\" "
                      "\"origin\" \"-32 -32 80\"}"
                      "{\"classname\" \"path_corner\" \"targetname\" \"b\" \"target\" \"a\" "
                      "\"origin\" \"300 100 1\"}",
                      0);
    sv_context_t sv = TestMachines_Context(&test);
    const edict_t *player = World_Edict(test.world, 1);
    const edict_t *train = TestMachines_Class(&test, "func_train");
    edict_t *crate = TestMachines_Class(&test, "func_pushable");
    (void)TestMachines_Run(&test, 160, NULL);
    crate->origin = VectorAdd(train->origin, Vector(350.0f, -250.0f, 16.5f));
    crate->velocity.z = -10.0f; // wakes it
    sv.engine->link(&sv, crate, false);
    (void)TestMachines_Run(&test, 160, NULL);
    TestMachines_Put(&test, VectorAdd(crate->origin, Vector(-350.0f, 250.0f, 89.0f)));
    vec3_t on = vec3_zero;
    const vec3_t was = crate->origin;
    int32_t ridden = 0;
    for (int32_t i = 0; i < 100; i++) {
        TestWorld_Cmd(&test, 0, (usercmd_t){.msec = TICK_MS});
        TestWorld_Tick(&test);
        const vec3_t now = VectorSubtract(player->origin, crate->origin);
        const bool stands = World_Deref(test.world, player->groundentity) == crate;
        assert_true(stands || ridden == 0);
        if (ridden > 0) {
            assert_near(now.x, on.x, 0.001f);
            assert_near(now.y, on.y, 0.001f);
        }
        on = now;
        ridden += stands;
    }
    assert_true(ridden > 80 && crate->origin.x - was.x > 60.0f && crate->origin.z < was.z - 10.0f);
    TestWorld_Free(&test);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_monster_clip_stops_only_monsters),
        cmocka_unit_test(test_a_monster_clip_stops_nothing_else),
        cmocka_unit_test(test_friction_of_a_crate),
        cmocka_unit_test(test_crates_that_break),
        cmocka_unit_test(test_a_player_rides_on_a_crate),
        cmocka_unit_test(test_the_skin_of_an_illusion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
