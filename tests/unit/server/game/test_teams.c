// Teams: damage between players, spawn points, changes of team, the end of a match, the list of
// scores.

#include "lib/arena_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "game/players.h"

#include <string.h>

#define ROOM_LEFT  ((vec3_t){-100.0f, 0.0f, ARENA_FLOOR})
#define ROOM_RIGHT ((vec3_t){100.0f, 0.0f, ARENA_FLOOR})

static const char team_spots[] = "{ \"classname\" \"info_player_team1\" \"origin\" \"-450 0 25\" }"
                                 "{ \"classname\" \"team_CTF_bluespawn\" \"origin\" \"450 0 25\" }"
                                 "{ \"classname\" \"item_flag_team1\" \"origin\" \"-450 100 16\" }"
                                 "{ \"classname\" \"item_flag_team2\" \"origin\" \"450 100 16\" }";

static int32_t run_to_bob(test_world_t *test, const char *text) {
    int32_t count = 0;
    TestWorld_Tick(test);
    for (int32_t i = 0; i < test->events->count; i++) {
        const event_t *event = &test->events->list[i];
        count += event->type == EVENT_PRINT && event->client == 1 && strstr(event->text, text);
    }
    return count;
}

// Ann shoots at bob. Returns what bob lost of health and armour.
static int32_t shoot_bob(test_world_t *test, uint8_t weapon) {
    player_fields_t *ann = TestArena_Fields(test, 0);
    ann->weapons = (1 << WEAPON_COUNT) - 2;
    for (int i = 1; i < AMMO_COUNT; i++) {
        ann->ammo[i] = 100;
    }
    World_Client(test->world, 0)->player.health = 10000;
    World_Client(test->world, 1)->player.health = 10000;
    for (int i = 0; i < 60; i++) {
        TestArena_Put(test, 0, ROOM_LEFT);
        TestArena_Put(test, 1, weapon == WEAPON_AXE ? Vector(-60, 0, ARENA_FLOOR) : ROOM_RIGHT);
        TestArena_Press(test, 0, 16, BUTTON_ATTACK, weapon, "");
    }
    return 10000 - TestArena_Health(test, 1);
}

// With teamplay, no weapon hurts team mates. Without teams or teamplay, each weapon does.
static void test_friendly_fire(void **state) {
    (void)state;
    static const struct {
        int32_t teamplay, ann, bob;
        bool hurts;
    } cases[] = {{0, 1, 1, true},  {0, 0, 0, true}, {1, 1, 1, false},
                 {1, 2, 2, false}, {1, 1, 2, true}, {1, 0, 0, true}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        for (uint8_t weapon = WEAPON_AXE; weapon < WEAPON_COUNT; weapon++) {
            test_world_t test;
            TestArena_Init(&test, 2, NULL, NULL, NULL);
            TestArena_Join(&test, 0, "ann", ROOM_LEFT);
            TestArena_Join(&test, 1, "bob", ROOM_RIGHT);
            TestArena_Vars(&test)->teamplay = cases[i].teamplay;
            TestArena_Fields(&test, 0)->team = cases[i].ann;
            TestArena_Fields(&test, 1)->team = cases[i].bob;
            bool hurt = shoot_bob(&test, weapon) > 0;
            bool flies_over = weapon == WEAPON_GRENADES;
            assert_true(hurt == cases[i].hurts || (flies_over && !hurt));
            TestWorld_Free(&test);
        }
    }
}

// A rocket at one's own feet deals half of its damage, whatever the teams.
static void test_nobody_is_his_own_friend(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, NULL, NULL, NULL);
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Vars(&test)->teamplay = 1;
    player_fields_t *ann = TestArena_Fields(&test, 0);
    ann->team = 1;
    ann->weapons = 1 << WEAPON_ROCKETS;
    ann->ammo[AMMO_ROCKETS] = 1;
    usercmd_t cmd = {.msec = 16, .buttons = BUTTON_ATTACK, .impulse = WEAPON_ROCKETS};
    cmd.pitch = 0x4000 - 1; // straight down
    for (int i = 0; i < 10; i++) {
        TestWorld_Cmd(&test, 0, cmd);
        TestWorld_Tick(&test);
    }
    assert_in_range(TestArena_Health(&test, 0), 30, 65);
    TestWorld_Free(&test);
}

// A player without a team has no team mates, so the frag counts for the player alone.
static void test_scores_of_teams(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, NULL, NULL, NULL);
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Join(&test, 1, "bob", ROOM_RIGHT);
    TestArena_Vars(&test)->teamplay = 1;
    TestArena_Fields(&test, 0)->team = TestArena_Fields(&test, 1)->team = 1;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *ann = World_Edict(test.world, 1);
    edict_t *bob = World_Edict(test.world, 2);
    Game_HurtBy(&sv, bob, ann, 5000, "was hit");
    assert_int_equal(TestArena_Health(&test, 1), 100);
    Game_HurtBy(&sv, bob, ann, 50000, "was telefragged"); // two players cannot be at one position
    assert_int_equal(TestArena_Health(&test, 1), 0);
    assert_int_equal(TestArena_Fields(&test, 0)->frags, -1);
    assert_int_equal(TestArena_Fields(&test, 1)->frags, 0);
    assert_int_equal(TestArena_Fields(&test, 1)->deaths, 1);
    TestWorld_Free(&test);
}

static void test_each_team_appears_at_its_own_places(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 8, team_spots, "g_gametype", "1");
    for (int i = 0; i < 8; i++) {
        TestWorld_Join(&test, i, "one");
        TestWorld_Tick(&test);
        TestArena_Run(&test, 16, "");
        int32_t team = TestArena_Fields(&test, i)->team;
        assert_int_equal(team, i % 2 + 1); // the smaller team
        float x = World_Edict(test.world, i + 1)->origin.x;
        assert_true(team == 1 ? x < -200.0f : x > 200.0f);
    }
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 4000, "");
    assert_true(World_Edict(test.world, 1)->origin.x < -200.0f); // on the same side again
    TestWorld_Free(&test);
}

// If a map has no spawn points for teams, all players use the general ones.
static void test_teams_without_places_of_their_own(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, NULL, "g_gametype", "1");
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    TestArena_Run(&test, 16, "");
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_NORMAL);
    TestWorld_Free(&test);
}

static void test_changing_the_team(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, team_spots, "g_gametype", "1");
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Tell(&test, 0, "team blue");
    assert_int_equal(TestArena_Run(&test, 16, "ann is in the blue team now"), 1);
    assert_int_equal(TestArena_Fields(&test, 0)->team, 2);
    assert_int_equal(World_Client(test.world, 0)->player.pm_type,
                     PM_DEAD); // a team change is no escape from a fight
    assert_int_equal(TestArena_Fields(&test, 0)->frags, -1);
    TestArena_Tell(&test, 0, "team blue");
    assert_int_equal(TestArena_Run(&test, 16, "you are already in the blue team"), 1);
    TestArena_Run(&test, 3100, "");
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_NORMAL);
    assert_true(World_Edict(test.world, 1)->origin.x > 200.0f);
    TestWorld_Free(&test);
}

// Without teams, the command gives neither health nor another position.
static void test_no_teams_in_a_deathmatch(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, team_spots, NULL, NULL);
    TestArena_Join(&test, 0, "ann", Vector(0, -400, ARENA_FLOOR));
    World_Client(test.world, 0)->player.health = 7;
    TestArena_Tell(&test, 0, "team red");
    assert_int_equal(TestArena_Run(&test, 16, "this match has no teams"), 1);
    assert_int_equal(TestArena_Health(&test, 0), 7);
    assert_int_equal(TestArena_Fields(&test, 0)->team, 0);
    assert_true(World_Edict(test.world, 1)->origin.y == -400.0f);
    TestWorld_Free(&test);
}

// A player that becomes a spectator during a fight dies, and respawns in its team with the other
// dead players.
static void test_looking_on_is_no_way_out(void **state) {
    (void)state;
    for (int32_t dead = 0; dead < 2; dead++) {
        test_world_t test;
        TestArena_Init(&test, 2, NULL, "teamplay", "1");
        TestArena_Join(&test, 0, "ann", ROOM_LEFT);
        TestArena_Join(&test, 1, "bob", ROOM_RIGHT);
        assert_int_equal(TestArena_Fields(&test, 1)->team, 2);
        if (dead) {
            TestArena_Tell(&test, 1, "kill");
        }
        TestArena_Tell(&test, 1, "spectate");
        assert_int_equal(TestArena_Run(&test, 16, "bob gave up"), 1);
        assert_int_equal(TestArena_Fields(&test, 1)->deaths, 1);
        TestArena_Tell(&test, 1, "join");
        TestArena_Run(&test, 900, "");
        assert_int_equal(World_Client(test.world, 1)->player.pm_type, PM_FROZEN);
        assert_int_equal(World_Edict(test.world, 2)->solid, SOLID_NOT);
        TestArena_Run(&test, 200, "");
        assert_int_equal(World_Client(test.world, 1)->player.pm_type, PM_NORMAL);
        assert_int_equal(TestArena_Health(&test, 1), 100);
        assert_int_equal(TestArena_Fields(&test, 1)->team, 2);
        TestWorld_Free(&test);
    }
}

// With teamplay, a joining player enters the smaller team. If teamplay is switched on during a
// match, players get a team when they respawn.
static void test_teamplay_gives_teams(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 4, NULL, "teamplay", "1");
    for (int i = 0; i < 4; i++) {
        TestArena_Join(&test, i, "one", Vector(100.0f * (float)i - 150.0f, 0, ARENA_FLOOR));
        assert_int_equal(TestArena_Fields(&test, i)->team, i % 2 + 1);
    }
    TestWorld_Free(&test);
    TestArena_Init(&test, 2, NULL, NULL, NULL);
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    assert_int_equal(TestArena_Fields(&test, 0)->team, 0);
    TestArena_Vars(&test)->teamplay = 1;
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 3200, "");
    assert_int_equal(TestArena_Fields(&test, 0)->team, 1);
    TestWorld_Free(&test);
}

// Giving up after the end of the match costs no frag.
static void test_nothing_is_given_up_after_the_end(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, NULL, NULL, NULL);
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Fields(&test, 0)->armour = 50;
    TestArena_Fields(&test, 0)->frags = 5;
    TestArena_Vars(&test)->fraglimit = 5;
    TestArena_Run(&test, 32, "");
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 32, "");
    assert_int_equal(TestArena_Fields(&test, 0)->armour, 50);
    assert_int_equal(TestArena_Fields(&test, 0)->frags, 5);
    TestWorld_Free(&test);
}

// A dead player that changes its team gets a message, stays dead as long as other players, and
// spawns on the other side.
static void test_the_dead_change_the_team_too(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, team_spots, "g_gametype", "1");
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Tell(&test, 0, "kill");
    TestArena_Run(&test, 16, "");
    TestArena_Tell(&test, 0, "team red");
    assert_int_equal(TestArena_Run(&test, 16, "you are already in the red team"), 1);
    TestArena_Tell(&test, 0, "team blue");
    assert_int_equal(TestArena_Run(&test, 16, "ann is in the blue team now"), 1);
    TestArena_Run(&test, 2800, "");
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_DEAD);
    TestArena_Run(&test, 300, "");
    assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_NORMAL);
    assert_int_equal(TestArena_Fields(&test, 0)->team, 2);
    assert_true(World_Edict(test.world, 1)->origin.x > 200.0f);
    TestWorld_Free(&test);
}

static void test_every_command_is_answered(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, team_spots, "g_gametype", "1");
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Join(&test, 1, "bob", ROOM_RIGHT);
    TestArena_Tell(&test, 1, "join");
    assert_int_equal(run_to_bob(&test, "you are already playing"), 1);
    TestArena_Tell(&test, 1, "spectate");
    TestArena_Tell(&test, 1, "spectate");
    assert_int_equal(run_to_bob(&test, "you are already a spectator"), 1);
    TestArena_Tell(&test, 1, "team blue"); // the team it was in, so the player plays again
    TestWorld_Tick(&test);
    assert_int_equal(World_Client(test.world, 1)->spectator, 0);
    TestArena_Tell(&test, 1, "team green");
    assert_int_equal(run_to_bob(&test, "unknown command \"team green\""), 1);
    TestArena_Vars(&test)->capturelimit = 1;
    TestArena_Vars(&test)->captures[1] = 1;
    TestArena_Run(&test, 32, "");
    static const char *const lines[] = {"team red", "team blue", "join", "spectate"};
    for (size_t i = 0; i < COUNTOF(lines); i++) {
        TestArena_Tell(&test, 1, lines[i]);
        assert_int_equal(run_to_bob(&test, "the match is over"), 1);
        assert_int_equal(World_Client(test.world, 1)->player.pm_type, PM_FROZEN);
    }
    TestWorld_Free(&test);
}

static void test_the_capture_limit_ends_the_match(void **state) {
    (void)state;
    for (int32_t team = 1; team <= 2; team++) {
        test_world_t test;
        TestArena_Init(&test, 2, team_spots, "g_gametype", "1");
        TestArena_Join(&test, 0, "ann", ROOM_LEFT);
        TestArena_Vars(&test)->capturelimit = 2;
        TestArena_Fields(&test, 0)->team = team;
        for (int32_t i = 0; i < 2; i++) {
            assert_int_equal(TestArena_Run(&test, 1000, "capture limit"), 0);
            TestArena_Put(&test, 0, Vector(team == 1 ? 450 : -450, 100, ARENA_FLOOR));
            TestArena_Run(&test, 48, "");
            TestArena_Put(&test, 0, Vector(team == 1 ? -450 : 450, 100, ARENA_FLOOR));
            int32_t ended = TestArena_Run(&test, 48, "capture limit");
            assert_int_equal(ended, i); // the match ends at the second try
        }
        assert_int_equal(TestArena_Vars(&test)->captures[team], 2);
        assert_int_equal(World_Client(test.world, 0)->player.pm_type, PM_FROZEN);
        TestWorld_Free(&test);
    }
}

// The scores have a line for each player in any slot, and none for spectators.
static void test_scores_of_more_than_64(void **state) {
    (void)state;
    enum { CROWD = 200 };
    test_world_t test;
    TestArena_Init(&test, CROWD, NULL, NULL, NULL);
    for (int i = 0; i < CROWD; i++) {
        char name[MAX_NAME_BYTES];
        snprintf(name, sizeof name, "player %d", i);
        TestWorld_Join(&test, i, name);
    }
    TestWorld_Tick(&test);
    TestArena_Tell(&test, 1, "spectate");
    TestWorld_Tick(&test);
    TestArena_Tell(&test, 5, "score");
    TestWorld_Tick(&test);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, " deaths"), CROWD - 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "player 199: 0 frags"), 1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "player 1: "), 0);
    TestArena_Vars(&test)->fraglimit = 7;
    TestArena_Fields(&test, CROWD - 1)->frags = 7;
    TestWorld_Tick(&test);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "frag limit"), 1);
    assert_int_equal(
        TestWorld_CountEvents(
            &test, EVENT_LOG,
            "match_end slot=199 name=\"player 199\" reason=\"frag limit\" players=199 frags=7"),
        1);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_PRINT, "player 199: 7 frags"), 1);
    TestWorld_Free(&test);
}

// Both limits act at once if they are set during a match; 0 means no limit.
static void test_limits(void **state) {
    (void)state;
    test_world_t test;
    TestArena_Init(&test, 2, NULL, NULL, NULL);
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Fields(&test, 0)->frags = 9999;
    assert_int_equal(TestArena_Run(&test, 5000, "limit"), 0);
    TestArena_Vars(&test)->fraglimit = 10000;
    assert_int_equal(TestArena_Run(&test, 160, "limit"), 0);
    TestArena_Vars(&test)->fraglimit = 9999;
    assert_int_equal(TestArena_Run(&test, 160, "frag limit"), 1); // only once
    TestWorld_Free(&test);
    TestArena_Init(&test, 2, NULL, NULL, NULL);
    TestArena_Join(&test, 0, "ann", ROOM_LEFT);
    TestArena_Run(&test, 6000, "");
    TestArena_Vars(&test)->timelimit = 0.1f;
    assert_int_equal(TestArena_Run(&test, 160, "time limit"), 1);
    World_Client(test.world, 0)->player.health = 100;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    // Players cannot be hurt after the end.
    Game_Hurt(&sv, World_Edict(test.world, 1), 50, "was hurt");
    assert_int_equal(TestArena_Health(&test, 0), 100);
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friendly_fire),
        cmocka_unit_test(test_nobody_is_his_own_friend),
        cmocka_unit_test(test_scores_of_teams),
        cmocka_unit_test(test_each_team_appears_at_its_own_places),
        cmocka_unit_test(test_teams_without_places_of_their_own),
        cmocka_unit_test(test_changing_the_team),
        cmocka_unit_test(test_no_teams_in_a_deathmatch),
        cmocka_unit_test(test_looking_on_is_no_way_out),
        cmocka_unit_test(test_teamplay_gives_teams),
        cmocka_unit_test(test_nothing_is_given_up_after_the_end),
        cmocka_unit_test(test_the_dead_change_the_team_too),
        cmocka_unit_test(test_every_command_is_answered),
        cmocka_unit_test(test_the_capture_limit_ends_the_match),
        cmocka_unit_test(test_scores_of_more_than_64),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
