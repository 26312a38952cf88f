// Weapons, items, scores, the end of a match, capture the flag.

#include "lib/testing.h"
#include "lib/world_fixture.h"

#include "core/frame.h"
#include "game/game.h"
#include "game/players.h"
#include "math/angles.h"

#include <string.h>

#define TICK_MS 16

static const char entities[] =
    "{ \"classname\" \"worldspawn\" }"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-200 0 25\" }"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"200 0 25\" }"
    "{ \"classname\" \"item_armor2\" \"origin\" \"0 300 8\" }"
    "{ \"classname\" \"weapon_rocketlauncher\" \"origin\" \"0 -300 8\" }"
    "{ \"classname\" \"item_artifact_super_damage\" \"origin\" \"300 300 8\" }"
    "{ \"classname\" \"item_flag_team1\" \"origin\" \"-400 -400 16\" }"
    "{ \"classname\" \"item_flag_team2\" \"origin\" \"400 -400 16\" }"
    "{ \"classname\" \"trigger_changelevel\" \"model\" \"*1\" \"map\" \"next\" }";

static const test_block_t blocks[] = {
    {.box = {{-500, 400, 200}, {-400, 500, 256}}, .contents = CONTENTS_SOLID, .model = 1}};

static const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 256}},
                               .blocks = blocks,
                               .num_blocks = 1,
                               .entities = entities};

static player_fields_t *fields_of(test_world_t *test, int32_t slot) {
    return Game_PlayerFields(World_Client(test->world, slot));
}

static game_vars_t *vars_of(test_world_t *test) {
    return (game_vars_t *)(void *)test->world->game;
}

static void put(test_world_t *test, int32_t slot, vec3_t origin) {
    World_Edict(test->world, slot + 1)->origin = origin;
    World_Client(test->world, slot)->player.origin = origin;
    World_Edict(test->world, slot + 1)->velocity = Vector(0, 0, 0);
}

static void tell(test_world_t *test, int32_t slot, const char *text) {
    input_t *input = Inputs_Add(test->inputs, INPUT_TEXT, slot);
    snprintf(input->text, sizeof input->text, "%s", text);
}

// Runs `ms` with player 0 pressing buttons, yaw 0. Returns how many events match.
static int32_t run(test_world_t *test, int32_t ms, uint8_t buttons, uint8_t impulse,
                   const char *print) {
    int32_t count = 0;
    for (int32_t at = 0; at < ms; at += TICK_MS) {
        TestWorld_Cmd(test, 0,
                      (usercmd_t){.msec = TICK_MS, .buttons = buttons, .impulse = impulse});
        TestWorld_Tick(test);
        count += TestWorld_CountEvents(test, EVENT_PRINT, print);
    }
    return count;
}

static void init(test_world_t *test) {
    TestWorld_Init(test, &map, 4);
    TestWorld_Join(test, 0, "ann");
    TestWorld_Join(test, 1, "bob");
    TestWorld_Tick(test);
    put(test, 0, Vector(-100, 0, 24.03f));
    put(test, 1, Vector(100, 0, 24.03f));
}

static void test_every_weapon_kills_what_is_in_front(void **state) {
    (void)state;
    for (uint8_t weapon = WEAPON_AXE; weapon < WEAPON_COUNT; weapon++) {
        test_world_t test;
        init(&test);
        player_fields_t *ann = fields_of(&test, 0);
        ann->weapons = (1 << WEAPON_COUNT) - 2;
        for (int i = 1; i < AMMO_COUNT; i++) {
            ann->ammo[i] = 100;
        }
        if (weapon == WEAPON_AXE) {
            put(&test, 1, Vector(-50, 0, 24.03f));
        }
        int32_t deaths = 0;
        int32_t waited_ms = 0;
        for (; waited_ms < 8000 && deaths == 0; waited_ms += TICK_MS) {
            // Moves a player that was knocked back into sight again. A grenade first rises.
            float at = weapon == WEAPON_AXE ? -50.0f : weapon == WEAPON_GRENADES ? 200.0f : 100.0f;
            put(&test, 1, Vector(at, 0, 24.03f));
            deaths = run(&test, TICK_MS, BUTTON_ATTACK, weapon, "by ann");
        }
        print_message("weapon %d kills in %d ms\n", weapon, waited_ms);
        assert_int_equal(deaths, 1);
        static const char *const names[WEAPON_COUNT] = {
            "",         "axe",          "shotgun",         "supershotgun",
            "nailgun",  "supernailgun", "grenadelauncher", "rocketlauncher",
            "lightning"};
        char line[128];
        snprintf(line, sizeof line, "weapon=\"%s\" victim=\"bob\" victim_slot=1", names[weapon]);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, line), 1);
        assert_int_equal(
            TestWorld_CountEvents(&test, EVENT_LOG, "kill slot=0 name=\"ann\" cause=\"was "), 1);
        assert_int_equal(ann->weapon, weapon);
        assert_int_equal(ann->frags, 1);
        assert_int_equal(fields_of(&test, 1)->deaths, 1);
        TestWorld_Free(&test);
    }
}

// A rocket deals 110 on a direct hit, four times that with quad damage, and less to players beside.
static void test_a_rocket_hits_harder_than_it_splashes(void **state) {
    (void)state;
    for (int quad = 0; quad < 2; quad++) {
        test_world_t test;
        init(&test);
        TestWorld_Join(&test, 2, "eve");
        TestWorld_Tick(&test);
        fields_of(&test, 0)->weapons = 1 << WEAPON_ROCKETS;
        fields_of(&test, 0)->ammo[AMMO_ROCKETS] = 1;
        fields_of(&test, 0)->power_ms[POWER_QUAD] = quad ? 1000000 : 0;
        World_Client(test.world, 1)->player.health = 500;
        World_Client(test.world, 2)->player.health = 500;
        put(&test, 1, Vector(100, 0, 24.03f));
        put(&test, 2, Vector(100, 80, 24.03f));
        run(&test, 400, BUTTON_ATTACK, WEAPON_ROCKETS, "");
        int32_t beside = 500 - World_Client(test.world, 2)->player.health;
        print_message("quad %d: direct 110, beside %d\n", quad, beside);
        assert_int_equal(World_Client(test.world, 1)->player.health, quad ? 60 : 390);
        assert_true(beside > (quad ? 420 : 60));
        assert_true(beside < (quad ? 480 : 90));
        TestWorld_Free(&test);
    }
}

// The rate of fire depends on time only, not on how the input is cut into commands.
static void test_refire_does_not_depend_on_the_cut(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int cut = 0; cut < 2; cut++) {
        test_world_t test;
        init(&test);
        for (int i = 0; i < 200; i++) {
            for (int part = 0; part < (cut ? 4 : 1); part++) {
                TestWorld_Cmd(&test, 0,
                              (usercmd_t){.msec = cut ? 4 : 16, .buttons = BUTTON_ATTACK});
            }
            TestWorld_Tick(&test);
        }
        hashes[cut] = (uint64_t)fields_of(&test, 0)->ammo[AMMO_SHELLS] << 32 |
                      (uint32_t)World_Client(test.world, 1)->player.health;
        assert_true(fields_of(&test, 0)->ammo[AMMO_SHELLS] < 25);
        TestWorld_Free(&test);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void test_armour_takes_its_share(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    put(&test, 0, Vector(0, 300, 24.03f));
    run(&test, 64, 0, 0, "");
    assert_int_equal(fields_of(&test, 0)->armour, 150);
    const edict_t *armour = NULL;
    for (int32_t i = 1; i < test.world->num_edicts; i++) {
        const edict_t *edict = World_Edict(test.world, i);
        if (strcmp(World_Text(test.world, edict->classname), "item_armor2") == 0) {
            armour = edict;
        }
    }
    assert_non_null(armour);
    assert_int_equal(armour->visibility, VISIBLE_NOBODY);
    put(&test, 0, Vector(-100, 0, 24.03f));
    run(&test, 19500, 0, 0, "");
    assert_int_equal(armour->visibility, VISIBLE_NOBODY);
    run(&test, 1000, 0, 0, "");
    assert_int_equal(armour->visibility, VISIBLE_ALL);
    TestWorld_Free(&test);
}

static void test_weapons_and_powerups_are_taken(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    put(&test, 0, Vector(0, -300, 24.03f));
    run(&test, 64, 0, 0, "");
    assert_int_equal(fields_of(&test, 0)->weapon, WEAPON_ROCKETS);
    assert_int_equal(fields_of(&test, 0)->ammo[AMMO_ROCKETS], 5);
    put(&test, 0, Vector(300, 300, 24.03f));
    run(&test, 64, 0, 0, "");
    const edict_t *ann = World_Edict(test.world, 1);
    assert_int_equal(ann->effects & EFFECT_QUAD, EFFECT_QUAD);
    run(&test, 30100, 0, 0, "");
    assert_int_equal(ann->effects & EFFECT_QUAD, 0);
    TestWorld_Free(&test);
}

static void test_the_frag_limit_ends_the_match(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    vars_of(&test)->fraglimit = 3;
    fields_of(&test, 0)->frags = 3;
    assert_int_equal(run(&test, TICK_MS, 0, 0, "frag limit"), 1);
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_FROZEN);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "ann: 3 frags"), 1);
    int32_t changes = 0;
    for (int i = 0; i < 510; i++) {
        run(&test, TICK_MS, BUTTON_ATTACK, 0, "");
        changes += TestWorld_CountEvents(&test, EVENT_CHANGEMAP, "next");
    }
    assert_int_equal(changes, 1);
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_FROZEN);
    TestWorld_Free(&test);
}

static void test_the_time_limit_ends_the_match(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    vars_of(&test)->timelimit = 0.05f;
    assert_int_equal(run(&test, 2900, 0, 0, "time limit"), 0);
    assert_int_equal(run(&test, 200, 0, 0, "time limit"), 1);
    TestWorld_Free(&test);
}

// A shot starts at the eyes, so a ducked player shoots from lower.
static void test_who_ducks_shoots_lower(void **state) {
    (void)state;
    float height[2];
    for (int ducks = 0; ducks < 2; ducks++) {
        test_world_t test;
        init(&test);
        test.world->cvars.move.sv_duckmode = 1;
        put(&test, 1, Vector(-300, -300, 24.03f));
        fields_of(&test, 0)->weapon = WEAPON_ROCKETS;
        fields_of(&test, 0)->weapons = 1 << WEAPON_ROCKETS;
        fields_of(&test, 0)->ammo[AMMO_ROCKETS] = 5;
        uint8_t buttons = ducks ? BUTTON_DUCK : 0;
        run(&test, 1008, buttons, 0, "");
        run(&test, 16, buttons | BUTTON_ATTACK, 0, "");
        const edict_t *missile = NULL;
        for (int32_t i = 1; i < test.world->num_edicts; i++) {
            const edict_t *edict = World_Edict(test.world, i);
            missile = World_IsLive(edict) && edict->type == ENTITY_PROJECTILE ? edict : missile;
        }
        assert_non_null(missile);
        height[ducks] = missile->origin.z - World_Edict(test.world, 1)->origin.z;
        TestWorld_Free(&test);
    }
    assert_true(fabsf(height[0] - 22.0f) < 0.01f);
    assert_true(fabsf(height[1] + 2.0f) < 0.01f);
}

static void test_looking_on_and_coming_back(void **state) {
    (void)state;
    test_world_t test;
    init(&test);
    tell(&test, 0, "spectate");
    run(&test, 64, BUTTON_ATTACK, 0, "");
    const client_t *ann = World_Client(test.world, 0);
    assert_int_equal(ann->spectator, 1);
    assert_int_equal(ann->player.pm_type, PM_SPECTATOR);
    assert_int_equal(World_Edict(test.world, 1)->solid, SOLID_NOT);
    tell(&test, 0, "join");
    run(&test, 1100, 0, 0, ""); // the player respawns
    assert_int_equal(ann->spectator, 0);
    assert_int_equal(ann->player.pm_type, PM_NORMAL);
    assert_int_equal(World_Edict(test.world, 1)->solid, SOLID_SLIDEBOX);
    TestWorld_Free(&test);
}

// Red brings the blue flag home, then dies with the next one, which blue returns.
static void test_a_flag_from_base_to_base(void **state) {
    (void)state;
    test_world_t test;
    TestWorld_InitGame(&test, &map, 4, "g_gametype", "1");
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Join(&test, 1, "bob");
    TestWorld_Tick(&test);
    assert_int_equal(fields_of(&test, 0)->team, 1);
    assert_int_equal(fields_of(&test, 1)->team, 2);
    put(&test, 1, Vector(0, 100, 24.03f));
    put(&test, 0, Vector(400, -400, 24.03f));
    assert_int_equal(run(&test, 48, 0, 0, "ann took the blue flag"), 1);
    assert_int_equal(fields_of(&test, 0)->flag, 2);
    put(&test, 0, Vector(-400, -400, 24.03f));
    assert_int_equal(run(&test, 48, 0, 0, "ann captured the blue flag"), 1);
    assert_int_equal(vars_of(&test)->captures[1], 1);
    assert_int_equal(fields_of(&test, 0)->frags, 5);
    assert_int_equal(fields_of(&test, 0)->flag, 0);
    put(&test, 0, Vector(400, -400, 24.03f));
    assert_int_equal(run(&test, 48, 0, 0, "ann took the blue flag"), 1);
    put(&test, 0, Vector(0, 0, 24.03f));
    run(&test, 48, 0, 0, "");
    tell(&test, 0, "kill");
    assert_int_equal(run(&test, 16, 0, 0, "ann lost the blue flag"), 1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "flag_lost slot=0 name=\"ann\" flag=\"blue\" red=1 blue=0"),
        1);
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG,
                              "death slot=0 name=\"ann\" cause=\"gave up\" weapon=\"\""),
        1);
    run(&test, 320, 0, 0, ""); // the flag falls
    put(&test, 1, Vector(0, 0, 24.03f));
    assert_int_equal(run(&test, 48, 0, 0, "bob returned the blue flag"), 1);
    assert_int_equal(vars_of(&test)->captures[2], 0);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_weapon_kills_what_is_in_front),
        cmocka_unit_test(test_a_rocket_hits_harder_than_it_splashes),
        cmocka_unit_test(test_refire_does_not_depend_on_the_cut),
        cmocka_unit_test(test_armour_takes_its_share),
        cmocka_unit_test(test_weapons_and_powerups_are_taken),
        cmocka_unit_test(test_the_frag_limit_ends_the_match),
        cmocka_unit_test(test_the_time_limit_ends_the_match),
        cmocka_unit_test(test_a_flag_from_base_to_base),
        cmocka_unit_test(test_who_ducks_shoots_lower),
        cmocka_unit_test(test_looking_on_and_coming_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
