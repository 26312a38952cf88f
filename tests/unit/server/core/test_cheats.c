// Cheats for mappers: each command, its refusal without sv_cheats, and the story of article 001.

#include "lib/course_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "game/game.h"
#include "game/players.h"

#include <stdio.h>
#include <string.h>

static test_world_t test;
static client_t *client;
static edict_t *player;

static int open_course(void **state) {
    (void)state;
    TestCourse_Open(&test);
    client = World_Client(test.world, 0);
    player = World_Edict(test.world, 1);
    test.world->cvars.sv_cheats = 1;
    return 0;
}

static int close_course(void **state) {
    (void)state;
    TestWorld_Free(&test);
    return 0;
}

static void run(usercmd_t cmd, int32_t ticks) {
    cmd.msec = COURSE_TICK_MS;
    for (int32_t i = 0; i < ticks; i++) {
        TestWorld_Cmd(&test, 0, cmd);
        TestWorld_Tick(&test);
    }
}

// Sends a command, runs a tick, and returns whether exactly one line answered with `answer`.
static bool answers(const char *command, const char *answer) {
    input_t *input = Inputs_Add(test.inputs, INPUT_TEXT, 0);
    snprintf(input->text, sizeof input->text, "%s", command);
    run((usercmd_t){0}, 1);
    return TestWorld_CountEvents(&test, EVENT_PRINT, answer) == 1;
}

static const char *const commands[] = {"noclip",          "fly",        "god",  "notarget",
                                       "setpos 0 300 64", "setpos 0 0", "give", "give all"};

// A hostile client: without sv_cheats no command, impulse or button changes what it may do.
static void test_all_are_refused_without_sv_cheats(void **state) {
    (void)state;
    test.world->cvars.sv_cheats = 0;
    const player_fields_t before = *Game_PlayerFields(client);
    const vec3_t at = player->origin;
    for (size_t i = 0; i < COUNTOF(commands); i++) {
        assert_true(answers(commands[i], ": needs sv_cheats 1 on the server"));
    }
    for (int32_t impulse = 0; impulse < 256; impulse++) {
        run((usercmd_t){.impulse = (uint8_t)impulse, .buttons = BUTTON_USE | BUTTON_DUCK}, 1);
        assert_int_equal(player->movetype, MOVETYPE_WALK);
        assert_int_equal(client->player.movetype, MOVETYPE_WALK);
    }
    assert_int_equal(player->flags & (FL_GODMODE | FL_NOTARGET), 0);
    assert_true(VectorCompare(player->origin, at));
    assert_int_equal(Game_PlayerFields(client)->weapons, before.weapons);
    assert_memory_equal(Game_PlayerFields(client)->ammo, before.ammo, sizeof before.ammo);
    assert_int_equal(client->player.health, 100);
}

static void test_movetypes_toggle(void **state) {
    (void)state;
    assert_true(answers("noclip", "noclip: on"));
    assert_int_equal(client->player.movetype, MOVETYPE_NOCLIP);
    assert_true(answers("fly", "fly: on"));
    assert_int_equal(client->player.movetype, MOVETYPE_FLY);
    assert_true(answers("fly", "fly: off"));
    assert_int_equal(client->player.movetype, MOVETYPE_WALK);
    assert_true(answers("noclip", "noclip: on"));
    assert_true(answers("noclip", "noclip: off"));
    assert_int_equal(client->player.movetype, MOVETYPE_WALK);
    for (int32_t i = 0; i < 4; i++) { // an argument sets, it does not toggle
        assert_true(answers(i < 2 ? "fly 1" : "fly 0", i < 2 ? "fly: on" : "fly: off"));
        assert_int_equal(player->movetype, i < 2 ? MOVETYPE_FLY : MOVETYPE_WALK);
        assert_true(answers(i < 2 ? "god 1" : "god  0", i < 2 ? "god: on" : "god: off"));
        assert_int_equal(player->flags & FL_GODMODE, i < 2 ? FL_GODMODE : 0);
    }
    assert_true(answers("noclip", "noclip: on"));
    assert_true(answers("fly 0", "fly: off"));
    assert_int_equal(player->movetype, MOVETYPE_NOCLIP);
    assert_true(answers("noclip yes", "noclip: expected 0, 1 or nothing, found \"yes\""));
    assert_true(answers("god 2", "god: expected 0, 1 or nothing, found \"2\""));
    assert_int_equal(player->flags & FL_GODMODE, 0);
    assert_true(answers("noclip 0", "noclip: off"));
    assert_true(answers("noclipper", "unknown command \"noclipper\""));
    assert_true(answers("noclip", "noclip: on"));
    assert_true(answers("kill", "gave up"));
    assert_int_equal(player->movetype, MOVETYPE_WALK); // a corpse falls
    assert_true(answers("fly", "fly: only a living player that the game lets move"));
}

// A player that the game froze, knocked out or seated does not get up by a cheat.
static void test_refused_while_the_game_holds_the_player(void **state) {
    (void)state;
    static const int32_t movetypes[] = {MOVETYPE_NONE, MOVETYPE_TOSS, MOVETYPE_FOLLOW};
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *seat = SV_SpawnEdict(&sv);
    seat->origin = player->origin;
    for (size_t i = 0; i < COUNTOF(movetypes); i++) {
        player->movetype = movetypes[i];
        if (movetypes[i] == MOVETYPE_FOLLOW) {
            assert_true(sv.engine->follow(&sv, player, seat, vec3_zero, vec3_zero));
        }
        assert_true(answers("fly", "fly: only a living player that the game lets move"));
        assert_true(answers("noclip", "noclip: only a living player that the game lets move"));
        assert_int_equal(player->movetype, movetypes[i]);
    }
}

// sv_cheats 0 ends what cheats gave, but not what the game gave.
static void test_sv_cheats_0_ends_cheats(void **state) {
    (void)state;
    assert_true(answers("god", "god: on"));
    assert_true(answers("notarget", "notarget: on"));
    for (int32_t i = 0; i < 2; i++) {
        test.world->cvars.sv_cheats = 1;
        assert_true(answers(i == 0 ? "noclip" : "fly", ": on"));
        test.world->cvars.sv_cheats = 0;
        run((usercmd_t){0}, 1);
        assert_int_equal(player->movetype, MOVETYPE_WALK);
        assert_int_equal(client->player.movetype, MOVETYPE_WALK);
        assert_int_equal(player->flags & (FL_GODMODE | FL_NOTARGET), 0);
    }
    player->movetype = MOVETYPE_FLY; // a game's jetpack and its protection
    player->flags |= FL_GODMODE;
    run((usercmd_t){0}, 2);
    assert_int_equal(player->movetype, MOVETYPE_FLY);
    assert_int_equal(player->flags & FL_GODMODE, FL_GODMODE);
}

static void test_god_takes_no_damage(void **state) {
    (void)state;
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    assert_true(answers("god", "god: on"));
    answers("setpos -400 350 24.1", "");
    run((usercmd_t){0}, 100);
    assert_int_equal(client->player.health, 100);
    Game_Hurt(&sv, player, PASSES_ALL, "was tested");
    assert_int_equal(client->player.health, 100);
    assert_true(answers("god", "god: off"));
    run((usercmd_t){0}, 100);
    assert_true(client->player.health < 100);
    assert_true(answers("god", "god: on"));
    assert_true(answers("kill", "gave up")); // the player's own wish
    assert_true(client->player.health <= 0);
}

static void test_give(void **state) {
    (void)state;
    player_fields_t *fields = Game_PlayerFields(client);
    assert_int_equal(fields->weapons & 1 << WEAPON_ROCKETS, 0);
    assert_true(answers("give weapon_rocketlauncher", "give: took weapon_rocketlauncher"));
    assert_int_equal(fields->weapons & 1 << WEAPON_ROCKETS, 1 << WEAPON_ROCKETS);
    assert_int_equal(fields->ammo[AMMO_ROCKETS], 5);
    assert_true(answers("give item_health_mega", "give: took item_health_mega"));
    assert_true(answers("give item_health", "give: item_health adds nothing to what"));
    assert_int_equal(client->player.health, 200);
    answers("give item_quad", "");
    assert_true(fields->power_ms[POWER_QUAD] > test.world->time_ms);
    static const char *const bad[] = {"item_lunch", ""};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        char command[32];
        char answer[128];
        snprintf(command, sizeof command, "give %s", bad[i]);
        snprintf(answer, sizeof answer,
                 "give: expected \"all\" or an item's class, found \"%s\"; "
                 "server/game/README.md lists the classes",
                 bad[i]);
        assert_true(answers(command, answer));
    }
    assert_true(answers("give all", "give: took everything but powerups"));
    assert_true(fields->weapons & 1 << WEAPON_LIGHTNING);
    assert_true(fields->weapons & 1 << WEAPON_GRENADES);
    assert_true(fields->ammo[AMMO_NAILS] == 200);
    assert_true(fields->armour == 200);
    assert_true(fields->power_ms[POWER_SHIELD] <= test.world->time_ms);
}

static void test_setpos(void **state) {
    (void)state;
    assert_true(answers("setpos 0 300 64 90", "setpos: moved to 0 300 64, yaw 90"));
    assert_true(player->origin.x == 0.0f);
    assert_true(player->origin.y == 300.0f);
    run((usercmd_t){.forward = 100}, 5);
    assert_true(fabsf(client->player.angles.y - 90.0f) < 0.01f);
    assert_true(answers("setpos 0 0 -40", "inside something solid"));
    assert_true(answers("noclip", "noclip: on"));
    answers("setpos 0 0 -40", "");
    assert_true(player->origin.z == -40.0f); // noclip players may be in solid
    static const char *const bad[] = {"setpos",           "setpos 1 2",      "setpos 1 2 nan",
                                      "setpos 1 2 1e9",   "setpos 1 2 3 x",  "setpos 1 2 3 nan",
                                      "setpos 1 2 3 4 5", "setpos 1 2 3 1e9"};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_true(answers(bad[i], "setpos: expected a position in the world"));
        assert_true(answers(bad[i], ", found \""));
        assert_true(player->origin.z == -40.0f);
    }
}

// Article 001: a player that flies out of the map and switches noclip off is put back to the place
// where it switched noclip on, and clients receive the sign not to interpolate.
static void test_the_story_of_article_001(void **state) {
    (void)state;
    run(TestCourse_Forward(COURSE_TICK_MS), 20);
    run((usercmd_t){0}, 60); // comes to rest
    const vec3_t start = player->origin;
    assert_true(answers("noclip", "noclip: on"));
    run((usercmd_t){.yaw = 32768, .forward = 400, .up = 100}, 100);
    assert_true(player->origin.x < -600.0f); // beyond the wall at x -500
    assert_true(VectorCompare(player->oldorigin, start));
    assert_int_equal(test.world->counters.unstuck, 0);
    uint32_t flags = client->player.flags;
    assert_true(answers("noclip", "noclip: off"));
    assert_true(VectorCompare(player->origin, start));
    assert_true(VectorCompare(client->player.origin, start));
    assert_int_equal(test.world->counters.unstuck, 1);
    assert_int_equal((client->player.flags - flags) & PMF_TELEPORT, PMF_TELEPORT_STEP);
    run(TestCourse_Forward(COURSE_TICK_MS), 20);
    assert_true(player->origin.x > start.x + 20.0f); // free to walk
    run((usercmd_t){0}, 60);
    const vec3_t second = player->origin;
    assert_true(answers("noclip", "noclip: on"));
    answers("setpos 0 300 -400", ""); // into solid
    assert_true(player->origin.z == -400.0f);
    assert_true(answers("noclip", "noclip: off"));
    assert_true(VectorCompare(player->origin, second));
    assert_int_equal(test.world->counters.unstuck, 2);
}

int main(void) {
#define ON_COURSE(name) cmocka_unit_test_setup_teardown(name, open_course, close_course)
    const struct CMUnitTest tests[] = {
        ON_COURSE(test_all_are_refused_without_sv_cheats),
        ON_COURSE(test_movetypes_toggle),
        ON_COURSE(test_refused_while_the_game_holds_the_player),
        ON_COURSE(test_sv_cheats_0_ends_cheats),
        ON_COURSE(test_god_takes_no_damage),
        ON_COURSE(test_give),
        ON_COURSE(test_setpos),
        ON_COURSE(test_the_story_of_article_001),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
