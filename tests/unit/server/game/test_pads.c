// The reference game: jump pads and teleporters as Quake III's maps use them.

#include "core/core_local.h"
#include "game/game.h"
#include "game/players.h"
#include "lib/machines_fixture.h"
#include "lib/testing.h"

#include <string.h>

static void start(test_world_t *test, const char *entities) {
    TestMachines_Init(test, entities, 0);
    (void)TestMachines_Run(test, 64, NULL);
}

// Returns the highest position of the player within `ms`.
static vec3_t highest(test_world_t *test, int32_t ms) {
    const edict_t *ann = World_Edict(test->world, 1);
    vec3_t most = ann->origin;
    for (int32_t at = 0; at < ms; at += 16) {
        (void)TestMachines_Run(test, 16, NULL);
        most = ann->origin.z > most.z ? ann->origin : most;
    }
    return most;
}

// The pad's middle is at (-350, 250, 32). The player leaves the pad later, and higher.
static void test_a_push_leads_to_its_target(void **state) {
    (void)state;
    static const char *const targets[] = {"target_position", "target_push", "info_notnull"};
    for (size_t i = 0; i < COUNTOF(targets); i++) {
        for (int32_t gravity = 400; gravity <= 800; gravity += 400) {
            char text[512];
            snprintf(text, sizeof text,
                     "{\"classname\" \"trigger_push\" \"model\" \"*6\" \"target\" \"up\"}"
                     "{\"classname\" \"%s\" \"targetname\" \"up\" \"origin\" \"100 100 300\"}",
                     targets[i]);
            test_world_t test;
            start(&test, text);
            input_t *input = Inputs_Add(test.inputs, INPUT_CVAR, 0);
            snprintf(input->text, sizeof input->text, "sv_gravity %d", gravity);
            TestWorld_Tick(&test);
            TestMachines_Put(&test, Vector(-350.0f, 250.0f, 40.0f));
            vec3_t top = highest(&test, 3000);
            print_message("%s, gravity %d: highest at %g %g %g\n", targets[i], gravity,
                          (double)top.x, (double)top.y, (double)top.z);
            // The player leaves the pad later and higher than its middle.
            assert_true(top.z > 300.0f - 8.0f);
            assert_true(top.z < 300.0f + 80.0f);
            assert_true(fabsf(top.x - 100.0f) < 60.0f);
            assert_true(fabsf(top.y - 100.0f) < 30.0f);
            TestWorld_Free(&test);
        }
    }
}

static void test_a_push_to_nowhere_is_reported_and_throws_nobody(void **state) {
    (void)state;
    test_world_t test;
    TestMachines_Init(&test,
                      "{\"classname\" \"trigger_push\" \"model\" \"*6\" \"target\" \"up\"}"
                      "{\"classname\" \"trigger_push\" \"model\" \"*7\" \"angle\" \"-1\"}",
                      0);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG,
                                           "leads nowhere: no entity has the targetname \"up\""),
                     1);
    (void)TestMachines_Run(&test, 64, NULL);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    assert_true(highest(&test, 300).z < 25.0f);
    // The pad does not throw along the floor.
    assert_true(World_Edict(test.world, 1)->origin.x == -350.0f);
    TestMachines_Put(&test, Vector(-350.0f, -250.0f, 24.03125f));
    assert_true(highest(&test, 300).z > 100.0f);
    TestWorld_Free(&test);
}

// Quake's teleport destinations are on the floor, Quake III's at the middle of a player.
static void test_destinations_of_both_kinds(void **state) {
    (void)state;
    static const struct {
        const char *classname;
        float raise;
    } cases[] = {{"info_teleport_destination", 27.0f},
                 {"misc_teleporter_dest", 1.0f},
                 {"target_position", 1.0f},
                 {"target_teleporter", 1.0f}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"classname\" \"trigger_teleport\" \"model\" \"*6\" \"target\" \"there\"}"
                 "{\"classname\" \"%s\" \"targetname\" \"there\" \"origin\" \"300 300 200\" "
                 "\"angle\" \"90\"}",
                 cases[i].classname);
        test_world_t test;
        start(&test, text);
        TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
        (void)TestMachines_Run(&test, 16, NULL);
        const edict_t *ann = World_Edict(test.world, 1);
        assert_true(ann->origin.x > 299.0f);
        assert_true(ann->velocity.y > 250.0f);
        assert_float_equal(ann->origin.z, 200.0f + cases[i].raise, 1.0f);
        TestWorld_Free(&test);
    }
}

static void test_fired_they_work_on_who_fired_them(void **state) {
    (void)state;
    const char *text =
        "{\"classname\" \"trigger_once\" \"model\" \"*6\" \"target\" \"fly\"}"
        "{\"classname\" \"target_push\" \"targetname\" \"fly\" \"angle\" \"-1\" "
        "\"speed\" \"500\"}"
        "{\"classname\" \"trigger_once\" \"model\" \"*7\" \"target\" \"soon\"}"
        "{\"classname\" \"target_delay\" \"targetname\" \"soon\" \"wait\" \"0.5\" "
        "\"target\" \"go\"}"
        "{\"classname\" \"target_teleporter\" \"targetname\" \"go\" \"target\" \"there\"}"
        "{\"classname\" \"misc_teleporter_dest\" \"targetname\" \"there\" "
        "\"origin\" \"300 -300 64\"}";
    test_world_t test;
    start(&test, text);
    const edict_t *ann = World_Edict(test.world, 1);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    (void)TestMachines_Run(&test, 16, NULL);
    assert_true(ann->velocity.z > 450.0f);
    TestMachines_Put(&test, Vector(-350.0f, -250.0f, 24.03125f));
    (void)TestMachines_Run(&test, 400, NULL);
    assert_true(ann->origin.x < -300.0f);
    (void)TestMachines_Run(&test, 200, NULL);
    assert_true(ann->origin.x > 290.0f);
    assert_true(ann->origin.y < -290.0f);
    TestWorld_Free(&test);
}

// A fired teleporter ignores dead players, players in solid, and other edicts.
static void test_fired_they_leave_others_where_they_are(void **state) {
    (void)state;
    const char *text = "{\"classname\" \"target_push\" \"targetname\" \"fly\" \"angle\" \"-1\"}"
                       "{\"classname\" \"target_teleporter\" \"targetname\" \"go\" \"target\" "
                       "\"there\"}"
                       "{\"classname\" \"misc_teleporter_dest\" \"targetname\" \"there\" "
                       "\"origin\" \"300 -300 64\"}";
    test_world_t test;
    start(&test, text);
    sv_context_t sv = TestMachines_Context(&test);
    edict_t *push = TestMachines_Named(&test, "fly");
    edict_t *teleporter = TestMachines_Named(&test, "go");
    edict_t *ann = World_Edict(test.world, 1);
    client_t *client = World_Client(test.world, 0);
    vec3_t before = ann->origin;
    client->player.pm_type = PM_DRIVING;
    sv.engine->use(&sv, teleporter, push, ann);
    sv.engine->use(&sv, teleporter, push, NULL);
    sv.engine->use(&sv, teleporter, push, push);
    assert_true(VectorCompare(ann->origin, before));
    client->player.pm_type = PM_NORMAL;
    client->player.health = 0;
    sv.engine->use(&sv, push, teleporter, ann);
    sv.engine->use(&sv, push, teleporter, NULL);
    sv.engine->use(&sv, push, teleporter, teleporter);
    assert_true(ann->velocity.z <= 0.0f);
    assert_true(teleporter->velocity.z == 0.0f);
    client->player.health = 100;
    sv.engine->use(&sv, push, teleporter, ann);
    assert_true(ann->velocity.z > 900.0f);
    sv.engine->use(&sv, teleporter, push, ann);
    assert_true(ann->origin.x > 290.0f);
    assert_true(ann->origin.y < -290.0f);
    TestWorld_Free(&test);
}

static void test_powers_are_taken(void **state) {
    (void)state;
    test_world_t test;
    start(&test, "{\"classname\" \"trigger_multiple\" \"model\" \"*6\" \"target\" \"none\"}"
                 "{\"classname\" \"target_remove_powerups\" \"targetname\" \"none\"}"
                 "{\"classname\" \"item_enviro\" \"origin\" \"-350 -250 16\"}"
                 "{\"classname\" \"weapon_chaingun\" \"origin\" \"-350 -250 16\"}");
    player_fields_t *ann = Game_PlayerFields(World_Client(test.world, 0));
    TestMachines_Put(&test, Vector(-350.0f, -250.0f, 24.03125f));
    (void)TestMachines_Run(&test, 400, NULL);
    assert_true(ann->power_ms[POWER_SUIT] > test.world->time_ms);
    assert_true((ann->weapons & 1 << WEAPON_SUPER_NAILGUN) != 0);
    TestMachines_Put(&test, Vector(-350.0f, 250.0f, 24.03125f));
    (void)TestMachines_Run(&test, 32, NULL);
    assert_true(ann->power_ms[POWER_SUIT] == 0);
    assert_true((ann->weapons & 1 << WEAPON_SUPER_NAILGUN) != 0);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_push_leads_to_its_target),
        cmocka_unit_test(test_a_push_to_nowhere_is_reported_and_throws_nobody),
        cmocka_unit_test(test_destinations_of_both_kinds),
        cmocka_unit_test(test_fired_they_work_on_who_fired_them),
        cmocka_unit_test(test_fired_they_leave_others_where_they_are),
        cmocka_unit_test(test_powers_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
