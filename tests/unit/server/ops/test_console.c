// The console: commands, cvars, config files, before and during a running server.

#include "lib/console_fixture.h"

#include "core/server_local.h"
#include "game/game.h"
#include "world/gamecheck.h"

static void test_cvars_are_shown_and_set(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    assert_has(says(&scene, "sv_gravity"),
               "info: sv_gravity = \"800\" (default \"800\") [0..8000 qu/s2]: downward");
    assert_string_equal(says(&scene, "set sv_gravity 100; sv_friction 5 // and so on"), "");
    assert_true(scene.console.game.move.sv_gravity == 100.0f);
    assert_true(scene.console.game.move.sv_friction == 5.0f);
    assert_has(says(&scene, "set sv_hostname \"a; b\"; sv_hostname"), "sv_hostname = \"a; b\"");
    assert_has(says(&scene, "pm_step_ms"), "next map");
    assert_has(says(&scene, "net_port 0; net_port"), "set only at the start");
    assert_has(fails(&scene, "sv_gravity heavy"),
               "sv_gravity: expected a number in 0..8000 qu/s2, found \"heavy\"");
    assert_has(fails(&scene, "set sv_gravity 9000"), "expected a number in 0..8000");
    assert_has(fails(&scene, "set sv_levity 1"), "sv_levity: no such cvar (cvarlist lists them)");
    assert_has(fails(&scene, "set sv_gravty 1"), "; did you mean \"sv_gravity\"?");
    assert_has(fails(&scene, "sv_tick_ms 16"),
               "unknown command \"sv_tick_ms\" (cmdlist lists them); set sv_tickrate to 1000 / "
               "sv_tick_ms");
    assert_has(fails(&scene, "set sv_tick_ms 16"), "set sv_tickrate to 1000 / sv_tick_ms");
    assert_has(fails(&scene, "noclip"),
               "noclip is a command of clients: a player enters it, or a script of edict-bot calls "
               "bot:command(\"noclip\"); it needs sv_cheats 1");
    assert_has(fails(&scene, "setpos 0 0 0"), "setpos is a command of clients");
    assert_has(fails(&scene, "set god 1"), "god is a command of clients");
    assert_has(fails(&scene, "mpa second"), "; did you mean \"map\"?");
    assert_has(fails(&scene, "sv_gravity 1 2"),
               "sv_gravity: expected one value, found \"1 2\" (put text with blanks in quotes)");
    assert_has(fails(&scene, "set sv_gravity 15 min"),
               "sv_gravity: expected one value, found \"15 min\" (put text with blanks in quotes)");
    assert_has(fails(&scene, "set sv_profile quake2"),
               "sv_profile is a command: write \"sv_profile quake2\"");
    assert_has(fails(&scene, "set sv_gravity"), "usage: set NAME VALUE");
    assert_true(scene.console.game.move.sv_gravity == 100.0f);
    tear_down(&scene);
}

static void test_profiles(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    const movevars_t *vars = &scene.console.game.move;
    says(&scene, "sv_maxvelocity 3000; pm_step_ms 4; sv_gravity 700; sv_profile halflife");
    assert_true(vars->sv_gravity == 800.0f);
    assert_true(vars->sv_jumpspeed == 268.32816f);
    assert_int_equal(vars->sv_duckmode, 2);
    assert_int_equal(vars->sv_tossrules, 1);
    assert_true(vars->sv_standmins == -24.0f); // from the map's hulls
    assert_true(vars->sv_maxvelocity == 3000.0f);
    assert_true(vars->pm_step_ms == 4);
    says(&scene, "sv_profile quake2");
    assert_true(vars->sv_maxspeed == 300.0f);
    assert_true(vars->sv_jumpspeed == 270.0f);
    assert_int_equal(vars->sv_tossrules, 0);
    assert_has(fails(&scene, "sv_profile doom"),
               "sv_profile: expected quake, quake2, halflife, sweep or drop, found \"doom\"");
    says(&scene, "sv_profile quake");
    movevars_t expected = MoveVars_Default();
    expected.sv_maxvelocity = 3000.0f;
    expected.pm_step_ms = 4;
    assert_memory_equal(vars, &expected, sizeof expected);
    tear_down(&scene);
}

static void test_lists(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    assert_has(says(&scene, "cvarlist net_"), "net_port");
    assert_null(strstr(scene.text, "sv_gravity"));
    assert_has(says(&scene, "cvarlist"), "sv_gravity");
    assert_has(scene.text, "log_level");
    assert_has(fails(&scene, "cvarlist cl_"), "cvarlist: no cvar begins with \"cl_\"");
    assert_has(says(&scene, "cmdlist"), "kick WHO [REASON]: drops a player");
    assert_has(says(&scene, "help"), "kick WHO [REASON]: drops a player");
    assert_has(scene.text, "nextmap: starts the next");
    assert_string_equal(
        says(&scene, "help ki"),
        "info: kick WHO [REASON]: drops a player by slot, name, address or id:PLAYER; "
        "status lists them\n");
    assert_has(says(&scene, "help sv_gravity"), "[0..8000 qu/s2]");
    assert_has(fails(&scene, "help dance"), "help: no command and no cvar begins with \"dance\"");
    assert_has(fails(&scene, "cmdlist x"), "cmdlist: no command begins with \"x\"");
    assert_string_equal(says(&scene, ""), "");
    assert_string_equal(says(&scene, " ; ;; // nothing"), "");
    tear_down(&scene);
}

static void test_maps_are_listed(void **state) {
    (void)state;
    static scene_t scene;
    char line[600];
    set_up(&scene);
    snprintf(line, sizeof line, "set sv_mappath \"/nowhere:%s\"", scene.folder);
    says(&scene, line);
    assert_has(fails(&scene, "maps"), "maps: no map begins with \"\" in the folders");
    write_config(&scene, "zig.bsp", "");
    write_config(&scene, "hill.emesh", "");
    write_config(&scene, "zag.map", "");
    const char *text = says(&scene, "maps");
    assert_has(text, "zig (");
    assert_has(text, "/zig.bsp)");
    assert_true(strstr(text, "hill ("));
    assert_true(strstr(text, "hill (") < strstr(text, "zig ("));
    assert_null(strstr(text, "zag"));
    assert_null(strstr(says(&scene, "maps z"), "hill"));
    assert_has(fails(&scene, "maps y"), "begins with \"y\"");
    tear_down(&scene);
}

static void test_what_needs_a_server_says_so(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    assert_has(fails(&scene, "status"), "status: no map is running yet");
    assert_has(fails(&scene, "counters"), "counters: no map is running yet");
    assert_has(fails(&scene, "say hello"), "say: no server is running yet");
    assert_has(fails(&scene, "kick 0"), "kick: no server is running yet");
    assert_has(fails(&scene, "dance"), "unknown command \"dance\" (cmdlist lists them)");
    assert_has(fails(&scene, "nextmap"), "nextmap: no map is running yet");
    says(&scene, "map first; map second");
    assert_string_equal(scene.console.start_map, "second");
    char line[600] = "map ";
    memset(line + 4, 'x', 300);
    assert_has(fails(&scene, line), "map: expected a name of at most 255 bytes, found 300");
    assert_false(scene.console.quit);
    says(&scene, "quit");
    assert_true(scene.console.quit);
    tear_down(&scene);
}

// ---- under a running server ----

static void test_a_running_server_is_steered(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t ann;
    static tick_stats_t ticks;
    set_up(&scene);
    start_server(&scene);
    scene.console.ticks = &ticks;
    TestPeer_Join(&ann, &scene.net, 0, "ann");
    assert_has(says(&scene, "status"), "map testmap  tick ");
    assert_has(scene.text, "clients 1 of 4");
    assert_has(scene.text, "tick time ms: not measured yet  overruns 0");
    assert_has(scene.text, "slot   0  ann");
    assert_has(scene.text, "over credit 0 ms  frags 0  deaths 0");
    assert_has(scene.text, "deathmatch: 0:00 played\n"); // no limits are set
    says(&scene, "fraglimit 20; timelimit 1.5");
    TestPeer_Run(&ann, 3000);
    TickStats_Add(&ticks, 1234000);
    assert_has(says(&scene, "status"), "tick time ms: p50 1.234  p99 1.234  max 1.234  overruns 0");
    assert_has(scene.text, "deathmatch: 0:03 played, 1:27 left, fraglimit 20 (20 left)\n");
    says(&scene, "fraglimit 0; timelimit 0");
    assert_has(says(&scene, "counters"), "joins 1");
    assert_has(scene.text, "network: received ");
    says(&scene, "say two  words \"and  more\"");
    TestPeer_Run(&ann, 100);
    assert_string_equal(ann.last[CTL_CHAT].u.chat.text, "two words and  more");
    says(&scene, "set sv_gravity 300");
    assert_has(says(&scene, "sv_gravity"), "\"800\", \"300\" from the next tick on (default");
    TestPeer_Run(&ann, 100);
    assert_has(says(&scene, "sv_gravity"), "sv_gravity = \"300\" (default");
    assert_true(Server_World(scene.net.server)->cvars.move.sv_gravity == 300.0f);
    says(&scene, "sv_profile quake2"); // takes effect in one tick, and is sent to clients
    TestPeer_Run(&ann, 100);
    assert_true(Server_World(scene.net.server)->cvars.move.sv_friction == 6.0f);
    assert_int_equal(Server_World(scene.net.server)->cvars.move.sv_laddermode, 2);
    assert_int_equal(ann.last[CTL_MOVEVARS].u.movevars.vars.sv_laddermode, 2);
    says(&scene, "map second");
    TestPeer_Run(&ann, 100);
    assert_string_equal(ann.last[CTL_MAP].u.map.name, "second");
    assert_has(fails(&scene, "map third"), "map third: no third.bsp");
    assert_has(says(&scene, "status"), "map second");
    assert_has(fails(&scene, "nextmap"), "sv_maplist is empty");
    says(&scene, "set sv_maplist \"testmap second\"");
    says(&scene, "nextmap");
    TestPeer_Run(&ann, 100);
    assert_string_equal(ann.last[CTL_MAP].u.map.name, "testmap");
    says(&scene, "sv_maplist third");
    assert_has(fails(&scene, "nextmap"), "none of its 1 maps can be started");
    TestPeer_Free(&ann);
    tear_down(&scene);
}

static void describe_well(sv_context_t *sv, char *line, size_t bytes) {
    (void)sv;
    memset(line, 'x', bytes); // a value that is far too long
}

static void describe_badly(sv_context_t *sv, char *line, size_t bytes) {
    sv->world->time_ms++;
    snprintf(line, bytes, "so it stands");
}

// The text that a game returns about its match is cut to a limit, and must not change the world.
static void test_what_a_game_says_of_itself(void **state) {
    (void)state;
    static scene_t scene;
    err_t err = {{0}};
    game_export_t game = *Game_Export();
    set_up(&scene);
    start_server(&scene);
    scene.net.log = scene.log;
    game.describe = describe_well;
    assert_true(Server_SetGame(scene.net.server, &game, false, &err));
    assert_has(says(&scene, "status"), "xxxxxxxx\n");
    assert_null(strstr(scene.text, "changed the world"));
    game.describe = describe_badly;
    assert_has(says(&scene, "status"), "so it stands\n");
    assert_has(scene.text, "describe changed the world");
    game.describe = NULL;
    assert_null(strstr(says(&scene, "status"), "so it stands"));
    tear_down(&scene);
}

static void test_kick_wants_a_player(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t ann;
    set_up(&scene);
    start_server(&scene);
    TestPeer_Join(&ann, &scene.net, 0, "ann");
    static const char *const none[] = {"\"\"", "\" 0\"", "0x0", "1",
                                       "-1",   "bob",    "256", "4294967296"};
    for (size_t i = 0; i < COUNTOF(none); i++) {
        char line[64];
        snprintf(line, sizeof line, "kick %s", none[i]);
        assert_has(fails(&scene, line), "kick: expected the slot, name or address of a player");
        assert_has(fails(&scene, line), "; players: 0 ann");
    }
    TestPeer_Run(&ann, 100);
    assert_false(ann.left);
    says(&scene, "kick 0");
    TestPeer_Run(&ann, 3000);
    assert_true(ann.left);
    TestPeer_Free(&ann);
    tear_down(&scene);
}

// Host cvars that may change while the server runs act at once. The others report that they cannot.
static void test_host_cvars_under_a_server(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t ann;
    set_up(&scene);
    start_server(&scene);
    says(&scene, "set sv_hostname \"new name\"");
    TestPeer_Join(&ann, &scene.net, 0, "ann");
    assert_string_equal(ann.last[CTL_WELCOME].u.welcome.server, "new name");
    says(&scene, "set sv_mappath /nowhere");
    assert_has(fails(&scene, "map second"), "/nowhere");
    says(&scene, "set sv_snapshot_ticks 10");
    ann.snapshots = 0;
    TestPeer_Run(&ann, 1600);
    assert_true(ann.snapshots >= 9);
    assert_true(ann.snapshots <= 11);
    says(&scene, "set sv_maxclients 4; set sv_maxclients 04"); // the same value
    assert_has(fails(&scene, "set sv_maxclients 8"),
               "sv_maxclients: can be set only when the server starts");
    assert_has(fails(&scene, "set sv_maxclients many"), "expected a whole number");
    assert_int_equal(scene.console.host.sv_maxclients, 4);
    TestPeer_Free(&ann);
    tear_down(&scene);
}

// ---- config files ----

static void test_configs_run_line_by_line(void **state) {
    (void)state;
    static scene_t scene;
    err_t err = {{0}};
    set_up(&scene);
    write_config(&scene, "a.cfg", "// a config\r\nset sv_gravity 1; set sv_friction 2\r\n\nmap m");
    assert_true(Console_Exec(&scene.console, path_of(&scene, "a.cfg"), &err));
    assert_true(scene.console.game.move.sv_gravity == 1.0f);
    assert_true(scene.console.game.move.sv_friction == 2.0f);
    assert_string_equal(scene.console.start_map, "m");
    write_config(&scene, "b.cfg", "set sv_gravity 5\nset sv_friction much\nset sv_gravity 6\n");
    assert_false(Console_Exec(&scene.console, path_of(&scene, "b.cfg"), &err));
    assert_has(scene.text, "/b.cfg:2: sv_friction: expected a number");
    assert_has(err.text, "/b.cfg: 1 faulty line, listed above; the other lines were run");
    assert_true(scene.console.game.move.sv_gravity == 6.0f);
    char text[512];
    snprintf(text, sizeof text, "\nexec %s\n", path_of(&scene, "b.cfg"));
    write_config(&scene, "c.cfg", text);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "c.cfg"), &err));
    assert_has(scene.text, "/c.cfg:2: ");
    assert_has(scene.text, "/b.cfg:2: sv_friction");
    snprintf(text, sizeof text, "exec %s", path_of(&scene, "d.cfg"));
    write_config(&scene, "d.cfg", text);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "d.cfg"), &err));
    assert_has(scene.text, "execute each other more than 8 deep");
    assert_int_equal(scene.console.exec_depth, 0);
    tear_down(&scene);
}

// The bug was: only the first faulty line of a config was reported.
static void test_every_faulty_line_is_reported(void **state) {
    (void)state;
    static scene_t scene;
    char text[16384] = "";
    err_t err = {{0}};
    set_up(&scene);
    write_config(&scene, "a.cfg",
                 "set sv_gravity heavy\nset sv_friction 2\nset sv_levity 1\n"
                 "set sv_hostname \"my server // the name\n");
    assert_false(Console_Exec(&scene.console, path_of(&scene, "a.cfg"), &err));
    assert_has(scene.text, "error: /tmp/");
    assert_has(scene.text, "/a.cfg:1: sv_gravity: expected a number in 0..8000 qu/s2, found");
    assert_has(scene.text, "/a.cfg:3: sv_levity: no such cvar");
    assert_has(scene.text, "/a.cfg:4: expected a closing \" for the one after \"sv_hostname\"");
    assert_has(err.text, "/a.cfg: 3 faulty lines, listed above; the other lines were run");
    assert_true(scene.console.game.move.sv_friction == 2.0f);
    // A file that executes itself twice per line would run 2^8 times.
    scene.text[0] = '\0';
    for (int32_t i = 0; i < 100; i++) {
        strlcat(text, "exec ", sizeof text);
        strlcat(text, path_of(&scene, "b.cfg"), sizeof text);
        strlcat(text, "\n", sizeof text);
    }
    write_config(&scene, "b.cfg", text);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "b.cfg"), &err));
    assert_has(err.text, "the rest was skipped");
    tear_down(&scene);
}

// The bug was: the cvars of an idle server showed a new value that was not yet used, because no
// tick ran.
static void test_cvars_of_an_idle_server_are_in_force(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    start_server(&scene);
    assert_has(says(&scene, "fraglimit 20; timelimit 1.5; status"),
               "left, fraglimit 20 (20 left)\n");
    says(&scene, "set sv_gravity 300");
    assert_true(Server_World(scene.net.server)->cvars.move.sv_gravity == 300.0f);
    assert_has(says(&scene, "set sv_tickrate 72; sv_tickrate"),
               "sv_tickrate = \"62.5\", \"72\" from the next map on (default \"62.5\")");
    assert_has(says(&scene, "map second; sv_tickrate"), "sv_tickrate = \"72\" (default");
    // Checks the time left of a map on which no tick has run.
    assert_has(says(&scene, "status"), "0:00 played, 1:30 left, fraglimit 20 (20 left)\n");
    tear_down(&scene);
}

static void test_files_that_are_no_configs(void **state) {
    (void)state;
    static scene_t scene;
    static char text[3000];
    err_t err = {{0}};
    set_up(&scene);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "none.cfg"), &err));
    assert_has(err.text, "none.cfg: No such file");
    assert_false(Console_Exec(&scene.console, scene.folder, &err));
    assert_has(err.text, "not a regular file");
    assert_true(File_Write(path_of(&scene, "nul.cfg"), "set a\0b", 7, &err));
    assert_false(Console_Exec(&scene.console, path_of(&scene, "nul.cfg"), &err));
    assert_has(err.text, "found a NUL byte");
    memset(text, 'x', sizeof text - 1);
    write_config(&scene, "long.cfg", text);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "long.cfg"), &err));
    assert_has(scene.text, "long.cfg:1: expected a line of at most 1023 bytes, found 2999");
    memset(text, ' ', sizeof text - 1);
    for (size_t i = 0; i < 2000; i += 2) {
        text[i] = 'w';
        text[i + 1] = i == 1000 ? '\n' : ' ';
    }
    write_config(&scene, "words.cfg", text);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "words.cfg"), &err));
    assert_has(scene.text, "words.cfg:1: expected a command of at most 63 words, found more");
    tear_down(&scene);
}

// SIGHUP reads the config file again: values from the command line stay, the map continues, all
// other lines act.
static void test_a_config_that_is_read_again(void **state) {
    (void)state;
    static scene_t scene;
    err_t err = {{0}};
    set_up(&scene);
    start_server(&scene);
    write_config(
        &scene, "server.cfg",
        "set sv_maxclients 16\nset net_port 27500\nmap second\nset sv_gravity 200\nnextmap\n");
    assert_true(Console_Reload(&scene.console, path_of(&scene, "server.cfg"), &err));
    assert_has(scene.text, "warn: sv_maxclients stays \"4\": it can be set only when the server");
    assert_null(strstr(scene.text, "net_port"));
    assert_has(scene.text, "map: skipped");
    assert_has(scene.text, "nextmap: skipped");
    assert_string_equal(Server_Map(scene.net.server)->name, "testmap");
    assert_true(Server_Cvars(scene.net.server)->move.sv_gravity == 200.0f);
    assert_false(scene.console.reloading);
    assert_false(Console_Exec(&scene.console, path_of(&scene, "server.cfg"), &err));
    assert_has(scene.text, "server.cfg:1: sv_maxclients: can be set only when the server starts");
    write_config(&scene, "server.cfg", "set sv_gravity 300\nset sv_gravity light\n");
    assert_false(Console_Reload(&scene.console, path_of(&scene, "server.cfg"), &err));
    assert_has(scene.text, "server.cfg:2: sv_gravity: expected");
    assert_false(scene.console.reloading);
    tear_down(&scene);
}

/// The reported game is the game of the running world: its layout and models.
static void test_the_game_is_told(void **state) {
    (void)state;
    static scene_t scene;
    err_t err;
    char wanted[80];
    game_module_t module = {.game = Game_Export()};
    set_up(&scene);
    assert_true(Console_SetGame(&scene.console, &module, &err));
    start_server(&scene);
    const world_t *world = Server_World(scene.net.server);
    snprintf(wanted, sizeof wanted, " cvars, 2 models, layout %016llx, models %016llx\n",
             (unsigned long long)world->game_layout, (unsigned long long)world->game_models);
    assert_has(says(&scene, "game"), "info: game arena (built in): ");
    assert_has(says(&scene, "game"), wanted);
    assert_true(world->game_models != 0);
    assert_has(fails(&scene, "game reload"), "the game is built in");
    tear_down(&scene);
}

/// sv_gamecheck may change while the server runs, and stays on with the next map.
static void test_the_check_of_the_game(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    start_server(&scene);
    const server_t *server = scene.net.server;
    assert_null(server->game.check);
    says(&scene, "set sv_gamecheck 1");
    assert_non_null(server->game.check);
    Server_Tick(scene.net.server, 16);
    assert_ptr_equal(server->game.check->world, server->world);
    says(&scene, "map second");
    assert_ptr_equal(server->game.check, server->check);
    assert_ptr_equal(server->check->world, server->world);
    fails(&scene, "map nowhere");
    Server_Tick(scene.net.server, 32);
    assert_ptr_equal(server->check->world, server->world);
    says(&scene, "set sv_gamecheck 0");
    assert_null(server->game.check);
    Server_Tick(scene.net.server, 48);
    tear_down(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_check_of_the_game),
        cmocka_unit_test(test_cvars_are_shown_and_set),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_maps_are_listed),
        cmocka_unit_test(test_what_needs_a_server_says_so),
        cmocka_unit_test(test_the_game_is_told),
        cmocka_unit_test(test_a_running_server_is_steered),
        cmocka_unit_test(test_what_a_game_says_of_itself),
        cmocka_unit_test(test_kick_wants_a_player),
        cmocka_unit_test(test_host_cvars_under_a_server),
        cmocka_unit_test(test_configs_run_line_by_line),
        cmocka_unit_test(test_every_faulty_line_is_reported),
        cmocka_unit_test(test_cvars_of_an_idle_server_are_in_force),
        cmocka_unit_test(test_files_that_are_no_configs),
        cmocka_unit_test(test_a_config_that_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
