// The operator's commands of a game, cvars that the game sets, and values that survive a change of
// map: with and without clients, over a reload, from damaged inputs.

#include "lib/console_fixture.h"

#include "core/server_local.h"
#include "world/block.h"

#include <string.h>

#define ANN 0

typedef struct {
    int32_t laps; ///< cvar
    float pace;   ///< cvar
    int32_t late; ///< cvar, CVAR_LATCH
    char title[CVAR_STRING_BYTES];
    int32_t round, lost; ///< kept, not kept
    int64_t ends_ms;     ///< kept
    int32_t winner;      ///< kept text
    int32_t at_start;    ///< round when the map started
    int32_t runs;        ///< commands that ran
} race_t;

typedef struct {
    int32_t wins, legs; ///< kept, not kept
    int32_t at_join;    ///< wins when the client joined
} runner_t;

static race_t *race_of(const sv_context_t *sv) {
    return (race_t *)sv->engine->world_vars(sv);
}

static runner_t *runner_of(client_t *client) {
    return (runner_t *)(void *)client->game;
}

static void map_started(sv_context_t *sv) {
    race_t *race = race_of(sv);
    race->at_start = race->round;
    if (race->round == 7) {
        race->laps = 8; // a cvar set before the first tick
    }
}

static void spawn_start(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->visibility = VISIBLE_NOBODY;
}

static void client_join(sv_context_t *sv, edict_t *player, client_t *client) {
    player->origin = sv->engine->find_class(sv, NULL, "info_player_start")->origin;
    runner_of(client)->at_join = runner_of(client)->wins;
}

static void run_echo(sv_context_t *sv, int32_t argc, const char *const *argv) {
    for (int32_t i = 0; i <= argc; i++) {
        sv->engine->reply(sv, "%d <%s>", i, argv[i]);
    }
    assert_string_equal(sv->running->kind, "command"); // for the report of a crash
    assert_string_equal(sv->running->name, "yell");
    race_of(sv)->runs++;
}

static void run_cvar(sv_context_t *sv, int32_t argc, const char *const *argv) {
    char zeros[300] = "";
    (void)argc;
    memset(zeros, '0', sizeof zeros - 1);
    bool is_long = strcmp(argv[2], "long") == 0;
    bool good = sv->engine->set_cvar(sv, argv[1], is_long ? zeros : argv[2]);
    sv->engine->reply(sv, "%s: laps %d", good ? "set" : "refused", race_of(sv)->laps);
}

// Writes the words of cvars without set_cvar.
static void run_write(sv_context_t *sv, int32_t argc, const char *const *argv) {
    race_t *race = race_of(sv);
    (void)argc;
    race->laps = argv[1][0] == 'b' ? 1000000 : 5;
    memset(race->title, argv[1][0] == 'b' ? 'x' : 0, sizeof race->title);
}

static void run_keep(sv_context_t *sv, int32_t argc, const char *const *argv) {
    race_t *race = race_of(sv);
    (void)argc, (void)argv;
    race->round = 7;
    race->lost = 7;
    race->ends_ms = sv->engine->time_ms(sv) + 60000;
    race->winner = sv->engine->string(sv, "ann");
    edict_t *edict = sv->engine->edict(sv, ANN + 1);
    client_t *client = edict ? sv->engine->client(sv, edict) : NULL;
    if (client) {
        *runner_of(client) = (runner_t){.wins = 3, .legs = 3};
    }
}

static void run_again(sv_context_t *sv, int32_t argc, const char *const *argv) {
    (void)argc, (void)argv;
    sv->engine->change_map(sv, "");
}

static const game_command_t commands[] = {
    {"yell", "[WORD]...", "replies each word", 0, -1, run_echo},
    {"race_set", "NAME VALUE", "sets a cvar", 2, 2, run_cvar},
    {"race_write", "good|bad", "writes cvars", 1, 1, run_write},
    {"race_keep", "", "sets fields", 0, 0, run_keep},
    {"race_again", "", "starts the map again", 0, 0, run_again},
    {"echo62", "", "needs all words that fit", 62, 62, run_echo},
};
static const cvar_def_t cvars[] = {
    {"laps", CVAR_INT, 0, "3", 1, 9, "", "laps of a race", offsetof(race_t, laps)},
    {"pace", CVAR_FLOAT, 0, "1", 0, 2, "", "a factor", offsetof(race_t, pace)},
    {"late", CVAR_INT, CVAR_LATCH, "1", 0, 9, "", "a latched number", offsetof(race_t, late)},
    {"title", CVAR_STRING, 0, "relay", 0, 20, "", "a text", offsetof(race_t, title)},
};
#define FIELD(type, owner, member, flags)                                                          \
    { #member, type, (uint32_t)offsetof(owner, member), flags, NULL, 0, 0, 0 }
static const game_field_t world_fields[] = {
    FIELD(FIELD_INT, race_t, round, FIELD_KEEP),     FIELD(FIELD_INT, race_t, lost, 0),
    FIELD(FIELD_TIME, race_t, ends_ms, FIELD_KEEP),  FIELD(FIELD_INT, race_t, at_start, 0),
    FIELD(FIELD_STRING, race_t, winner, FIELD_KEEP), FIELD(FIELD_INT, race_t, runs, 0)};
static const game_field_t client_fields[] = {FIELD(FIELD_INT, runner_t, wins, FIELD_KEEP),
                                             FIELD(FIELD_INT, runner_t, legs, 0),
                                             FIELD(FIELD_INT, runner_t, at_join, 0)};
static const game_spawn_t spawns[] = {{.classname = "worldspawn"},
                                      {.classname = "info_player_start", .spawn = spawn_start}};
static const game_export_t race = {
    .api_version = GAME_API_VERSION,
    .name = "race",
    .client_fields = {client_fields, (int32_t)COUNTOF(client_fields)},
    .world_fields = {world_fields, (int32_t)COUNTOF(world_fields)},
    .cvars = {cvars, (int32_t)COUNTOF(cvars)},
    .spawns = spawns,
    .num_spawns = (int32_t)COUNTOF(spawns),
    .commands = commands,
    .num_commands = (int32_t)COUNTOF(commands),
    .map_started = map_started,
    .client_join = client_join,
};

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}},
                                .entities = "{ \"classname\" \"worldspawn\" }"
                                            "{ \"classname\" \"info_player_start\" }"};

// Starts the race, with ann in it if `has_client`.
static void start_race(scene_t *scene, bool has_client) {
    static game_module_t module;
    err_t err;
    module = (game_module_t){.game = &race};
    set_up(scene);
    assert_true(Console_SetGame(&scene->console, &module, &err));
    TestNet_Init(&scene->net,
                 &(test_net_config_t){.seed = 1, .max_clients = 4, .map = &room, .game = &race});
    scene->net.log = scene->log;
    TestNet_WriteMap(&scene->net, &(test_map_t){.room = room.room, .entities = room.entities},
                     "second");
    scene->console.server = scene->net.server;
    if (has_client) {
        TestNet_AddClient(&scene->net, "ann");
        assert_true(TestNet_WaitActive(&scene->net, 10000));
    }
}

static void run_ms(scene_t *scene, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&scene->net);
    }
}

static const race_t *running(const scene_t *scene) {
    return (const race_t *)(const void *)Server_World(scene->net.server)->game;
}

static runner_t *runner(const scene_t *scene) {
    return runner_of(World_Client(Server_World(scene->net.server), ANN));
}

// ---- commands ----

static void test_commands_are_listed(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    assert_has(says(&scene, "cmdlist race_s"),
               "info: race_set NAME VALUE: sets a cvar (of the game)\n");
    assert_has(says(&scene, "cmdlist"), "race_keep: sets fields (of the game)\n");
    assert_has(scene.text, "kick WHO [REASON]: drops a player");
    assert_has(says(&scene, "help yell"), "yell [WORD]...: replies each word (of the game)\n");
    assert_has(says(&scene, "game"), " 6 commands, 4 cvars,");
    assert_has(fails(&scene, "race_st x y"), "; did you mean \"race_set\"?");
    assert_has(fails(&scene, "set yell 1"), "yell is a command: write \"yell 1\"");
    assert_has(fails(&scene, "race_keep now"), "usage: race_keep");
    assert_has(fails(&scene, "race_set laps"), "usage: race_set NAME VALUE");
    scene.console.server = NULL;
    assert_has(fails(&scene, "yell"), "yell: no server is running yet");
    assert_has(says(&scene, "cmdlist yell"), "replies each word");
    scene.console.server = scene.net.server;
    assert_int_equal(running(&scene)->runs, 0);
    tear_down(&scene);
}

// Without clients, the server ticks for the command only.
static void test_a_command_runs_without_clients(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    int64_t tick = Server_World(scene.net.server)->tick;
    assert_string_equal(says(&scene, "yell"), "info: 0 <yell>\ninfo: 1 <>\n");
    assert_string_equal(says(&scene, "yell \"two words; one // of them\"   three\t\"\" a\"b"),
                        "info: 0 <yell>\ninfo: 1 <two words; one // of them>\n"
                        "info: 2 <three>\ninfo: 3 <>\ninfo: 4 <a\"b>\ninfo: 5 <>\n");
    assert_string_equal(says(&scene, "yell 1; yell 2"),
                        "info: 0 <yell>\ninfo: 1 <1>\ninfo: 2 <>\n"
                        "info: 0 <yell>\ninfo: 1 <2>\ninfo: 2 <>\n");
    assert_string_equal(says(&scene, "yell \"\033[2J\xff\""),
                        "info: 0 <yell>\ninfo: 1 <\\x1b[2J\xef\xbf\xbd>\ninfo: 2 <>\n");
    assert_int_equal(running(&scene)->runs, 5);
    assert_null(Server_Running(scene.net.server)->kind);
    assert_int_equal(Server_World(scene.net.server)->tick, tick + 5);
    tear_down(&scene);
}

static void test_words_are_bounded(void **state) {
    (void)state;
    static scene_t scene;
    char line[400] = "yell ";
    start_race(&scene, false);
    memset(line + 5, 'x', 250);
    assert_has(says(&scene, line), "xxx>");
    line[255] = 'x';
    assert_has(fails(&scene, line),
               "yell: expected words of at most 256 bytes together, found 257");
    for (int32_t i = 0; i < 63; i++) {
        snprintf(line + 5 + 2 * i, 3, " %d", i % 10);
    }
    assert_has(fails(&scene, line), "expected a command of at most 63 words");
    line[5 + 2 * 62] = '\0';
    assert_has(says(&scene, line), "info: 62 <1>\ninfo: 63 <>\n");
    tear_down(&scene);
}

static void test_a_command_runs_in_the_next_tick(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, true);
    assert_string_equal(says(&scene, "laps 4; race_set laps 5; yell 1; laps"),
                        "info: laps = \"3\", \"4\" from the next tick on (default \"3\") [1..9]: "
                        "laps of a race\n");
    run_ms(&scene, 40);
    assert_has(scene.text, "info: set: laps 5\ninfo: 0 <yell>\ninfo: 1 <1>\n"); // in order
    assert_int_equal(running(&scene)->laps, 5);
    says(&scene, "yell 2; map second"); // waits for the new map
    run_ms(&scene, 40);
    assert_has(scene.text, "<2>");
    assert_int_equal(running(&scene)->runs, 1);
    says(&scene, "race_again");
    uint32_t map_tick = (uint32_t)Server_World(scene.net.server)->tick;
    run_ms(&scene, 40);
    assert_true((uint32_t)Server_World(scene.net.server)->tick < map_tick + 2);
    assert_int_equal(running(&scene)->runs, 0);
    tear_down(&scene);
}

static void expect_refused(const game_export_t *game, const char *reason) {
    static scene_t scene;
    game_module_t module = {.game = game};
    err_t err = {{0}};
    set_up(&scene);
    assert_false(Console_SetGame(&scene.console, &module, &err));
    if (!strstr(err.text, reason)) {
        fail_msg("expected \"%s\", found \"%s\"", reason, err.text);
    }
    tear_down(&scene);
}

static void expect_command_refused(game_command_t command, const char *reason) {
    game_export_t game = race;
    const game_command_t list[] = {commands[0], command};
    game.commands = list;
    game.num_commands = 2;
    expect_refused(&game, reason);
}

static void test_faulty_tables_are_refused(void **state) {
    (void)state;
    game_export_t game = race;
    game.commands = NULL;
    expect_refused(&game, "game race: commands: expected a list and a count of 0 or more, found "
                          "count 6 and no list");
    game.num_commands = -1;
    expect_refused(&game, "found count -1");
    expect_command_refused(
        (game_command_t){"a b", "", "", 0, 0, run_echo},
        "command 1: expected a name of 1..31 letters, digits and _, found \"a b\"");
    expect_command_refused((game_command_t){NULL, "", "", 0, 0, run_echo}, "command 1: expected");
    expect_command_refused((game_command_t){"x", "", "", 0, 0, NULL},
                           "command \"x\": expected usage, help and a function, found NULL");
    expect_command_refused((game_command_t){"x", NULL, "", 0, 0, run_echo}, "found NULL");
    expect_command_refused((game_command_t){"x", "", NULL, 0, 0, run_echo}, "found NULL");
    expect_command_refused((game_command_t){"x", "", "", -1, 0, run_echo},
                           "command \"x\": expected 0..62 arguments");
    expect_command_refused((game_command_t){"x", "", "", 63, 63, run_echo}, "found 63..63");
    expect_command_refused((game_command_t){"x", "", "", 1, 0, run_echo}, "found 1..0");
    expect_command_refused((game_command_t){"x", "", "", 0, -2, run_echo}, "found 0..-2");
    expect_command_refused((game_command_t){"yell", "", "", 0, 0, run_echo},
                           "command \"yell\" appears twice in the table");
    expect_command_refused((game_command_t){"laps", "", "", 0, 0, run_echo},
                           "command \"laps\": a cvar has that name; rename the command");
    expect_command_refused((game_command_t){"sv_gravity", "", "", 0, 0, run_echo},
                           "command \"sv_gravity\": a cvar has that name");
    expect_command_refused((game_command_t){"kick", "", "", 0, 0, run_echo},
                           "game race: command \"kick\": the server has a command of that name");
    expect_command_refused((game_command_t){"net_port", "", "", 0, 0, run_echo},
                           "command \"net_port\": the server has a cvar of that name");
    game = race;
    cvar_def_t status = cvars[0];
    status.name = "status";
    game.cvars = (game_cvar_table_t){&status, 1};
    expect_refused(&game, "cvar \"status\": the server has a command of that name");
}

// A replay or a faulty host may contain any bytes.
static void test_damaged_inputs(void **state) {
    (void)state;
    static scene_t scene;
    static const struct {
        int32_t value;
        const char *text;
        int32_t bytes;
        int32_t runs;
    } rows[] = {{1, "yell", 5, 1},  {2, "yell\0a", 7, 1}, {0, "yell", 5, 0},
                {-1, "yell", 5, 0}, {99, "yell", 5, 0},   {1, "dance", 6, 0},
                {1, "", 1, 0},      {63, "yell", 5, 1},   {2, "laps\0a", 7, 0}};
    start_race(&scene, false);
    server_t *server = scene.net.server;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        int32_t before = running(&scene)->runs;
        input_t *input = Inputs_Add(server->inputs, INPUT_COMMAND, -1);
        input->value = rows[i].value;
        memcpy(input->text, rows[i].text, (size_t)rows[i].bytes);
        scene.text[0] = '\0';
        Server_Settle(server);
        assert_int_equal(running(&scene)->runs, before + rows[i].runs);
    }
    int32_t before = running(&scene)->runs;
    input_t *input = Inputs_Add(server->inputs, INPUT_COMMAND, -1);
    input->value = 2;
    memset(input->text, 'x', sizeof input->text);
    memcpy(input->text, "yell", 5); // the second word has no NUL
    Server_Settle(server);
    assert_int_equal(running(&scene)->runs, before);
    tear_down(&scene);
}

// ---- cvars that the game sets ----

static void test_the_operator_sees_what_the_game_sets(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    assert_has(says(&scene, "race_set laps 5"), "info: set: laps 5\n");
    assert_has(says(&scene, "laps"), "laps = \"5\" (default \"3\") [1..9]: laps of a race");
    assert_has(says(&scene, "cvarlist la"), "laps = \"5\" (default");
    says(&scene, "laps 3; race_set title \"two words\"");
    assert_has(says(&scene, "title; laps"), "title = \"two words\" (default \"relay\")");
    assert_has(scene.text, "laps = \"3\" (default"); // the operator's value after the game's
    says(&scene, "race_set laps 5; race_set pace 0.1; laps 3; race_set laps 6; map second");
    assert_has(says(&scene, "laps; pace; title"), "laps = \"6\" (default");
    assert_has(scene.text, "pace = \"0.100000001\" (default");
    assert_has(scene.text, "title = \"two words\" (default");
    assert_int_equal(running(&scene)->laps, 6);
    tear_down(&scene);
}

// Like says, in a new burst of faults.
static const char *says_anew(scene_t *scene, const char *line) {
    memset(&scene->console.server->events->faults, 0, sizeof scene->console.server->events->faults);
    return says(scene, line);
}

static void test_what_set_cvar_refuses(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    assert_has(says_anew(&scene, "race_set laps 10"),
               "warn: command \"race_set\": set_cvar: laps: expected a whole number in 1..9, found "
               "\"10\"\n");
    assert_has(scene.text, "info: refused: laps 3\n");
    assert_has(says_anew(&scene, "race_set lap 1"),
               "set_cvar: lap: no cvar of the game or the simulation\n");
    assert_has(says_anew(&scene, "race_set net_port 1"), "set_cvar: net_port: no cvar of the");
    assert_has(says_anew(&scene, "race_set title \"a text that is too long\""),
               "title: expected at most 20 characters");
    assert_has(says_anew(&scene, "race_set sv_gravity long"), "refused: laps 3");
    assert_has(scene.text, "sv_gravity: the value is too long");
    assert_has(says(&scene, "laps; title"), "laps = \"3\" (default");
    assert_has(scene.text, "title = \"relay\" (default");
    tear_down(&scene);
}

static void test_cvars_that_wait(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    says(&scene, "race_set late 2; race_set sv_gravity 300"); // settled without clients
    assert_int_equal(running(&scene)->late, 1);
    assert_has(says(&scene, "late; sv_gravity"), "late = \"1\", \"2\" from the next map on");
    assert_has(scene.text, "sv_gravity = \"300\" (default \"800\")");
    says(&scene, "map second");
    assert_int_equal(running(&scene)->late, 2);
    assert_has(says(&scene, "late; sv_gravity"), "late = \"2\" (default \"1\")");
    assert_has(scene.text, "sv_gravity = \"300\" (default \"800\")");
    tear_down(&scene);
}

// Clients predict with the value of each tick.
static void test_clients_receive_gravity(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t ann;
    start_race(&scene, false);
    TestPeer_Join(&ann, &scene.net, 0, "ann");
    says(&scene, "race_set sv_gravity 300");
    TestPeer_Run(&ann, 100);
    assert_int_equal(ann.heard[CTL_MOVEVARS], 1);
    assert_true(ann.last[CTL_MOVEVARS].u.movevars.vars.sv_gravity == 300.0f);
    assert_true(Server_World(scene.net.server)->cvars.move.sv_gravity == 300.0f);
    TestPeer_Free(&ann);
    tear_down(&scene);
}

// The word of a cvar in world_vars, without set_cvar.
static void test_written_words(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    says(&scene, "race_write good");
    assert_has(says(&scene, "laps; title"), "laps = \"5\" (default");
    assert_has(scene.text, "title = \"\" (default");
    says(&scene, "title here; laps 5; race_write bad");
    assert_has(scene.text,
               "warn: the game wrote a value to its cvar that is not valid, and the old "
               "value returns: laps: expected a whole number in 1..9, found "
               "\"1000000\"");
    assert_has(says(&scene, "laps; title"), "laps = \"5\" (default");
    assert_has(scene.text, "title = \"here\" (default");
    says(&scene, "race_write good; map second");
    assert_int_equal(running(&scene)->laps, 5);
    tear_down(&scene);
}

// ---- kept state ----

static void expect_kept(const scene_t *scene, const char *map) {
    const world_t *world = Server_World(scene->net.server);
    const race_t *now = running(scene);
    assert_string_equal(CM_Info(Server_Map(scene->net.server)).name, map);
    assert_int_equal(now->round, 7);
    assert_int_equal(now->at_start, 7); // known before the first tick
    assert_int_equal(now->lost, 0);
    assert_true(now->ends_ms > 50000 && now->ends_ms <= 60000 + world->time_ms);
    assert_string_equal(World_Text(world, now->winner), "ann");
    assert_int_equal(now->laps, 8); // set by map_started
}

static void test_fields_survive_a_change_of_map(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, true);
    run_ms(&scene, 1000); // the new world's time is another
    says(&scene, "race_keep");
    run_ms(&scene, 40);
    says(&scene, "map second");
    expect_kept(&scene, "second");
    assert_has(says(&scene, "laps"), "laps = \"8\" (default");
    run_ms(&scene, 1000);
    expect_kept(&scene, "second");
    assert_int_equal(runner(&scene)->wins, 3);
    assert_int_equal(runner(&scene)->at_join, 3); // known in client_join
    assert_int_equal(runner(&scene)->legs, 0);
    says(&scene, "race_again"); // by the game
    run_ms(&scene, 1000);
    expect_kept(&scene, "second");
    assert_int_equal(runner(&scene)->wins, 3);
    tear_down(&scene);
}

// Two changes of map without a tick between them, and without clients.
static void test_fields_survive_maps_without_ticks(void **state) {
    (void)state;
    static scene_t scene;
    start_race(&scene, false);
    says(&scene, "race_keep");
    says(&scene, "map second; map testmap");
    assert_int_equal(Server_World(scene.net.server)->tick, 0);
    expect_kept(&scene, "testmap");
    tear_down(&scene);
}

// ---- the reference game ----

static void test_the_operator_ends_a_match(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    start_server(&scene);
    TestNet_AddClient(&scene.net, "ann");
    assert_true(TestNet_WaitActive(&scene.net, 10000));
    assert_has(says(&scene, "cmdlist match"), "match_end: ends the match");
    says(&scene, "match_end; match_end");
    run_ms(&scene, 1000);
    assert_has(scene.text, "info: the match is over already\n");
    assert_has(says(&scene, "status"), "over: the next map comes in ");
    says(&scene, "match_restart");
    run_ms(&scene, 1000);
    assert_has(says(&scene, "status"), "map testmap");
    assert_has(scene.text, "deathmatch: 0:0");
    assert_null(strstr(scene.text, "over: "));
    tear_down(&scene);
}

// ---- reload ----

static void copy_module(const scene_t *scene, const char *name) {
    char path[512];
    size_t size = 0;
    err_t err;
    snprintf(path, sizeof path, "%s/tests/modules/%s.so", Test_BuildFolder(), name);
    uint8_t *bytes = File_Read(path, 64u << 20, &size, &err);
    assert_non_null(bytes);
    assert_true(File_Write(path_of(scene, "game.so"), bytes, size, &err));
    free(bytes);
}

// A reload keeps, adds and removes commands, and keeps what the game set. A command that waits for
// the tick when its game goes is skipped.
static void test_commands_are_reloaded(void **state) {
    (void)state;
    static scene_t scene;
    game_module_t module;
    err_t err = {{0}};
    set_up(&scene);
    copy_module(&scene, "tiny_one");
    assert_true(GameModule_Load(&module, path_of(&scene, "game.so"), &err));
    assert_true(Console_SetGame(&scene.console, &module, &err));
    TestNet_Init(&scene.net, &(test_net_config_t){
                                 .seed = 1, .max_clients = 4, .map = &room, .game = module.game});
    scene.net.log = scene.log;
    scene.console.server = scene.net.server;
    assert_has(says(&scene, "cmdlist tiny"), "tiny_ask");
    assert_has(scene.text, "tiny_first");
    assert_has(says(&scene, "tiny_ask 6; tiny_best"), "info: the first build\n");
    assert_has(scene.text, "tiny_best = \"6\" (default");
    copy_module(&scene, "tiny_two");
    says(&scene, "game reload");
    assert_has(says(&scene, "cmdlist tiny"), "tiny_ask");
    assert_has(scene.text, "tiny_second");
    assert_null(strstr(scene.text, "tiny_first"));
    assert_has(says(&scene, "tiny_best"), "tiny_best = \"6\" (default");
    assert_has(says(&scene, "tiny_ask 7"), "info: the second build\n");
    assert_has(fails(&scene, "tiny_first"), "unknown command \"tiny_first\"");
    copy_module(&scene, "tiny_fields"); // other fields: the map restarts
    assert_has(fails(&scene, "game reload"), "use \"game reload restart\"");
    assert_has(says(&scene, "tiny_second"), "info: the second build\n");
    TestNet_AddClient(&scene.net, "ann");
    assert_true(TestNet_WaitActive(&scene.net, 10000));
    says(&scene, "tiny_ask 8"); // the client plays, so it waits for the tick
    run_ms(&scene, 40);
    says(&scene, "tiny_second; game reload restart");
    run_ms(&scene, 40);
    assert_has(scene.text,
               "warn: command \"tiny_second\" skipped: the game does not have it, or not with 0");
    assert_has(says(&scene, "tiny_best"), "tiny_best = \"8\" (default");
    tear_down(&scene);
    GameModule_Unload(&module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_are_listed),
        cmocka_unit_test(test_a_command_runs_without_clients),
        cmocka_unit_test(test_words_are_bounded),
        cmocka_unit_test(test_a_command_runs_in_the_next_tick),
        cmocka_unit_test(test_faulty_tables_are_refused),
        cmocka_unit_test(test_damaged_inputs),
        cmocka_unit_test(test_the_operator_sees_what_the_game_sets),
        cmocka_unit_test(test_what_set_cvar_refuses),
        cmocka_unit_test(test_cvars_that_wait),
        cmocka_unit_test(test_clients_receive_gravity),
        cmocka_unit_test(test_written_words),
        cmocka_unit_test(test_fields_survive_a_change_of_map),
        cmocka_unit_test(test_fields_survive_maps_without_ticks),
        cmocka_unit_test(test_the_operator_ends_a_match),
        cmocka_unit_test(test_commands_are_reloaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
