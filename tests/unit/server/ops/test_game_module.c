// Game modules: accepted, refused, and a match that continues while its game is replaced.

#include "lib/emesh_fixture.h"
#include "lib/golden_fixture.h"
#include "lib/model_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/file.h"
#include "ops/elf_size.h"
#include "ops/fgd.h"
#include "ops/game_module.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void path_of(const char *name, char path[512]) {
    snprintf(path, 512, "%s/%s.so", Test_BuildFolder(), name);
}

static game_module_t open_module(const char *name) {
    game_module_t module;
    err_t err = {{0}};
    char path[512];
    path_of(name, path);
    if (!GameModule_Load(&module, path, &err)) {
        fail_msg("%s", err.text);
    }
    return module;
}

static void expect_refused(const char *name, const char *reason) {
    game_module_t module;
    err_t err = {{0}};
    char path[512];
    path_of(name, path);
    assert_false(GameModule_Load(&module, path, &err));
    if (!strstr(err.text, reason) || !strstr(err.text, name)) {
        fail_msg("expected \"%s: ... %s\", found \"%s\"", name, reason, err.text);
    }
    assert_null(module.game);
}

static void test_what_is_refused(void **state) {
    (void)state;
    expect_refused("tests/modules/nothing_here", "");
    char old[64];
    snprintf(old, sizeof old, "interface version %d, found 1", GAME_API_VERSION);
    expect_refused("tests/modules/old", old);
    expect_refused("tests/modules/no_game", "expected the module to export Game_Export");
    game_module_t none = {0};
    GameModule_Unload(&none);
}

// A file that is cut off (by a full disk, or a build that is still writing) must not reach the
// loader, which would crash. Every shorter length is refused, and loading the whole file works
// afterwards.
static void test_a_cut_module_is_refused(void **state) {
    (void)state;
    static const size_t cuts[] = {0, 1, 4, 5, 63, 64, 100, 1000, 4095, 4096, 5000, 8192};
    game_module_t module;
    err_t err = {{0}};
    char path[512];
    size_t size = 0;
    path_of("tests/modules/tiny_one", path);
    uint8_t *data = File_Read(path, 64u << 20, &size, &err);
    assert_non_null(data);
    assert_true(Elf_IsWhole(data, size, &err));
    for (size_t cut = 0; cut < size; cut += cut < 4096 ? 1 : 61) {
        assert_false(Elf_IsWhole(data, cut, &err));
    }
    assert_false(Elf_IsWhole(data, size - 1, &err));
    char temp[] = "/tmp/edictd-cut.XXXXXX";
    int fd = mkstemp(temp);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < COUNTOF(cuts); i++) {
        assert_true(cuts[i] < size);
        assert_true(File_Write(temp, data, cuts[i], &err));
        assert_false(GameModule_Load(&module, temp, &err));
        assert_non_null(strstr(err.text, temp));
    }
    char wanted[64];
    snprintf(wanted, sizeof wanted, "expected a complete module, found 8192 of %zu bytes", size);
    assert_non_null(strstr(err.text, wanted));
    // The header claims more than any file contains.
    memset(data + 40, 0xff, 8); // e_shoff
    assert_false(Elf_IsWhole(data, size, &err));
    memset(data + 40, 0, 8);
    memset(data + 32, 0xff, 8); // e_phoff
    assert_false(Elf_IsWhole(data, size, &err));
    unlink(temp);
    free(data);
}

// ---- a running match ----

static const test_map_t room = {.room = {{-500, -500, 0}, {500, 500, 400}}};

static void start(test_net_t *net, const game_module_t *module) {
    TestNet_Init(
        net, &(test_net_config_t){.seed = 1, .max_clients = 4, .map = &room, .game = module->game});
    TestNet_AddClient(net, "ann");
    TestNet_AddClient(net, "bob");
    assert_true(TestNet_WaitActive(net, 10000));
}

static void run(test_net_t *net, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(net);
    }
}

static void expect_answer(test_net_t *net, const char *text) {
    cl_event_t event;
    while (CL_NextEvent(net->clients[0], &event)) {
    }
    assert_true(CL_Command(net->clients[0], "who"));
    run(net, 500);
    bool found = false;
    while (CL_NextEvent(net->clients[0], &event)) {
        found = found || (event.type == CL_EVENT_PRINT && strcmp(event.text, text) == 0);
        assert_int_not_equal(event.type, CL_EVENT_DROPPED);
    }
    if (!found) {
        fail_msg("nobody said \"%s\"", text);
    }
}

static int32_t thinks_of(const test_net_t *net) {
    int32_t thinks = 0;
    memcpy(&thinks, Server_World(net->server)->game, sizeof thinks);
    return thinks;
}

static void test_the_game_is_swapped_under_a_match(void **state) {
    (void)state;
    game_module_t one = open_module("tests/modules/tiny_one");
    game_module_t two = open_module("tests/modules/tiny_two");
    test_net_t net;
    err_t err;
    start(&net, &one);
    expect_answer(&net, "the first build");
    int64_t tick = Server_World(net.server)->tick;
    assert_true(Server_SetGame(net.server, two.game, false, &err));
    GameModule_Unload(&one); // the new module must not use the old one
    int32_t thinks = thinks_of(&net);
    expect_answer(&net, "the second build");
    assert_true(thinks_of(&net) > thinks);              // a think of the first build continues
    assert_true(Server_World(net.server)->tick > tick); // the world is the same
    assert_int_equal(CL_State(net.clients[1]), CL_ACTIVE);
    TestNet_Free(&net);
    GameModule_Unload(&two);
}

static void test_another_layout_needs_a_restart(void **state) {
    (void)state;
    game_module_t one = open_module("tests/modules/tiny_one");
    game_module_t fields = open_module("tests/modules/tiny_fields");
    game_module_t think = open_module("tests/modules/tiny_think");
    test_net_t net;
    err_t err;
    start(&net, &one);
    assert_false(Server_SetGame(net.server, fields.game, false, &err));
    assert_non_null(strstr(err.text, "\"extra\""));
    assert_false(Server_SetGame(net.server, think.game, false, &err));
    assert_non_null(
        strstr(err.text, "lacks callbacks that the running world uses: \"tiny_think\""));
    expect_answer(&net, "the first build"); // the first build continues
    assert_true(Server_SetGame(net.server, fields.game, true, &err));
    run(&net, 1000);
    // The client stays connected, in a new world.
    assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
    expect_answer(&net, "other fields");
    TestNet_Free(&net);
    GameModule_Unload(&one);
    GameModule_Unload(&fields);
    GameModule_Unload(&think);
}

static void test_cvars_and_numbers_of_a_game(void **state) {
    (void)state;
    game_module_t one = open_module("tests/modules/tiny_one");
    test_net_t net;
    err_t err;
    start(&net, &one);
    const world_t *world = Server_World(net.server);
    int32_t best = 0;
    memcpy(&best, world->game + 4, sizeof best);
    assert_int_equal(best, 3); // the default
    assert_false(Server_SetCvar(net.server, "tiny_best", "11", &err));
    assert_true(Server_SetCvar(net.server, "tiny_best", "9", &err));
    run(&net, 200);
    memcpy(&best, world->game + 4, sizeof best);
    assert_int_equal(best, 9);
    // Both clients know both public scores. A score that was not sent is unknown.
    cl_value_t value;
    assert_true(CL_PlayerField(net.clients[0], 1, "score", &value));
    assert_int_equal(value.number, 7);
    assert_true(CL_PlayerField(net.clients[1], 1, "score", &value));
    assert_int_equal(value.number, 7);
    assert_false(CL_PlayerField(net.clients[0], 0, "secret", &value));
    // The game restarts the map; its cvar keeps its value.
    assert_true(CL_Command(net.clients[0], "again"));
    run(&net, 1500);
    assert_true(Server_World(net.server)->tick < 200);
    memcpy(&best, Server_World(net.server)->game + 4, sizeof best);
    assert_int_equal(best, 9);
    assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
    TestNet_Free(&net);
    GameModule_Unload(&one);
}

// ---- models in files ----

static char folder[] = "/tmp/edictd-module-XXXXXX";

static void place(const char *name, char path[512]) {
    snprintf(path, 512, "%s/%s", folder, name);
}

/// Copies the module to the folder where its model will be.
static void copy_module(const char *name) {
    char from[512];
    char to[512];
    size_t size = 0;
    err_t err;
    path_of(name, from);
    place("game.so", to);
    uint8_t *data = File_Read(from, 64u << 20, &size, &err);
    assert_true(data);
    assert_true(File_Write(to, data, size, &err));
    free(data);
}

static void write_ogre(uint64_t seed, int32_t num_hitboxes) {
    char path[512];
    err_t err;
    test_model_t *model = TestModel_Make(seed, 8, num_hitboxes);
    place("models/ogre.emesh", path);
    assert_true(File_Write(path, model->bytes, model->size, &err));
    TestModel_Free(model);
}

static void expect_model_refused(const char *reason) {
    game_module_t module;
    err_t err = {{0}};
    char path[512];
    place("game.so", path);
    assert_false(GameModule_Load(&module, path, &err));
    if (!strstr(err.text, reason) || strncmp(err.text, path, strlen(path)) != 0) {
        fail_msg("expected \"%s: ... %s\", found \"%s\"", path, reason, err.text);
    }
    assert_null(module.game);
    assert_null(module.files);
}

static game_module_t open_copy_of_module(void) {
    game_module_t module;
    err_t err = {{0}};
    char path[512];
    place("game.so", path);
    if (!GameModule_Load(&module, path, &err)) {
        fail_msg("%s", err.text);
    }
    return module;
}

static void test_a_model_in_a_file(void **state) {
    (void)state;
    char path[512];
    char command[600];
    err_t err = {{0}};
    assert_non_null(mkdtemp(folder));
    copy_module("tests/modules/tiny_model");
    expect_model_refused("model \"ogre\", searched beside the module: ");
    expect_model_refused("/models/ogre.emesh: No such file or directory");
    place("models", path);
    assert_int_equal(mkdir(path, 0755), 0);
    place("models/ogre.emesh", path);
    assert_true(File_Write(path, "EMSHxxxx", 8, &err));
    expect_model_refused("models/ogre.emesh: byte 8: header: expected 64 bytes");
    built_mesh_t box;
    TestEmesh_Box(&box, (bounds_t){{-4, -4, -4}, {4, 4, 4}}, 0, CONTENTS_SOLID);
    TestEmesh_Write(path, &box, 1);
    expect_model_refused("models/ogre.emesh: expected bones, found none");
    write_ogre(1, 3);
    game_module_t one = open_copy_of_module();
    assert_string_equal(one.game->models[0].name, "ogre");
    assert_non_null(one.game->models[0].bytes);
    // A match continues with a build that has the same model, but not with one that has another.
    test_net_t net;
    start(&net, &one);
    uint64_t models = Server_World(net.server)->game_models;
    assert_true(models != 0);
    game_module_t same = open_copy_of_module();
    assert_true(Server_SetGame(net.server, same.game, false, &err));
    GameModule_Unload(&one);
    run(&net, 300);
    write_ogre(1, 4);
    game_module_t other = open_copy_of_module();
    assert_false(Server_SetGame(net.server, other.game, false, &err));
    assert_non_null(
        strstr(err.text, "model \"ogre\": expected the model of the running game (hash "));
    assert_non_null(strstr(err.text, "needs a restart of the map"));
    game_module_t none = open_module("tests/modules/tiny_one");
    assert_false(Server_SetGame(net.server, none.game, false, &err));
    assert_non_null(strstr(err.text, "expected 1 models, as the running game has, found 0"));
    expect_answer(&net, "a model"); // the old build continues
    assert_true(Server_SetGame(net.server, other.game, true, &err));
    GameModule_Unload(&same);
    run(&net, 1000);
    assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
    assert_true(Server_World(net.server)->game_models != models);
    TestNet_Free(&net);
    GameModule_Unload(&other);
    GameModule_Unload(&none);
    copy_module("tests/modules/tiny_outside");
    expect_model_refused("file \"../ogre.emesh\": expected a path without empty names");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// ---- the second user of the interface ----

static void keep_reply(void *context, const char *line) {
    snprintf(context, 100, "%s", line);
}

static void test_king_of_the_hill(void **state) {
    (void)state;
    static const test_map_t hill = {
        .room = {{-500, -500, 0}, {500, 500, 400}},
        .entities = "{ \"classname\" \"worldspawn\" }\n"
                    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 0 24\" }\n"
                    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"400 0 24\" }\n"};
    game_module_t koth = open_module("game_koth");
    test_net_t net;
    err_t err;
    TestNet_Init(
        &net, &(test_net_config_t){.seed = 1, .max_clients = 4, .map = &hill, .game = koth.game});
    assert_true(Server_SetCvar(net.server, "koth_limit", "6", &err));
    TestNet_AddClient(&net, "ann"); // on the hill
    TestNet_AddClient(&net, "bob"); // next to the hill
    assert_true(TestNet_WaitActive(&net, 10000));
    run(&net, 3500);
    cl_value_t ann, bob, king;
    assert_true(CL_PlayerField(net.clients[1], 0, "points", &ann));
    assert_true(CL_PlayerField(net.clients[1], 1, "points", &bob));
    assert_true(CL_WorldField(net.clients[1], "king", &king));
    assert_true(ann.number >= 2);
    assert_true(ann.number <= 5);
    assert_int_equal(bob.number, 0);
    assert_int_equal(king.number, 1);
    cmd_args_t args;
    char reply[100] = "";
    assert_true(Cmd_Split("koth_reset", &args, &err));
    assert_true(Server_Command(net.server, &args, keep_reply, reply, &err));
    run(&net, 100);
    assert_string_equal(reply, "all points are 0");
    assert_true(CL_PlayerField(net.clients[1], 0, "points", &ann));
    assert_true(ann.number <= 1);
    player_state_t self; // the engine's cheats work in a game without commands of its own
    assert_true(Server_SetCvar(net.server, "sv_cheats", "1", &err));
    run(&net, 100);
    assert_true(CL_Command(net.clients[1], "noclip"));
    run(&net, 100);
    assert_true(CL_Self(net.clients[1], &self));
    assert_true(self.movetype == MOVETYPE_NOCLIP);
    int64_t tick = Server_World(net.server)->tick;
    run(&net, 7000); // beyond the limit: a new round
    assert_true(Server_World(net.server)->tick < tick + 7000 / 16);
    cl_value_t round; // kept over the restart
    assert_true(CL_WorldField(net.clients[1], "round", &round) && round.number == 1);
    TestNet_Free(&net);
    GameModule_Unload(&koth);
}

// A player that was on the hill in one second must not count in the next second.
static void test_king_of_the_hill_forgets_all(void **state) {
    (void)state;
    game_module_t koth = open_module("game_koth");
    test_net_t net;
    TestNet_Init(
        &net, &(test_net_config_t){.seed = 1, .max_clients = 4, .map = &room, .game = koth.game});
    for (int32_t i = 0; i < 3; i++) {
        TestNet_AddClient(&net, "somebody");
    }
    assert_true(TestNet_WaitActive(&net, 10000));
    const world_t *world = Server_World(net.server); // a map without a hill
    for (int32_t slot = 0; slot < 3; slot++) {
        memcpy(World_Client(world, slot)->game + 4, &(int32_t){1}, 4);
    }
    run(&net, 1100);
    for (int32_t slot = 0; slot < 3; slot++) {
        const int32_t zero[2] = {0, 0};
        assert_memory_equal(World_Client(world, slot)->game, zero, sizeof zero);
    }
    TestNet_Free(&net);
    GameModule_Unload(&koth);
}

static void test_the_reference_game_as_a_module(void **state) {
    (void)state;
    game_module_t arena = open_module("game_arena");
    assert_string_equal(arena.game->name, "arena");
    test_net_t net;
    start(&net, &arena);
    assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
    char text[1 << 17];
    FILE *out = fmemopen(text, sizeof text, "w");
    Fgd_Write(out, arena.game);
    fclose(out);
    assert_non_null(strstr(text, ") = func_door : "));
    assert_non_null(strstr(text, "wait(float) : "));
    regex_t listed; // values in prose, such as "how it moves: step, ray or drop", are no choices
    assert_int_equal(regcomp(&listed,
                             "(string|integer)\\) : \"[^\"]*: [a-z]+(, [a-z]+)* or [a-z]+\"",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    assert_int_equal(regexec(&listed, "mover(string) : \"moves: step, ray or drop\"", 0, NULL, 0),
                     0);
    assert_int_equal(regexec(&listed, text, 0, NULL, 0), REG_NOMATCH);
    regfree(&listed);
    // The pack for the level editor has the same text.
    test_golden_t golden = {0};
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        TestGolden_Print(&golden, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    assert_true(TestGolden_Check(&golden, "../../maps/trenchbroom/edictd.fgd"));
    TestNet_Free(&net);
    GameModule_Unload(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_a_cut_module_is_refused),
        cmocka_unit_test(test_the_game_is_swapped_under_a_match),
        cmocka_unit_test(test_another_layout_needs_a_restart),
        cmocka_unit_test(test_cvars_and_numbers_of_a_game),
        cmocka_unit_test(test_a_model_in_a_file),
        cmocka_unit_test(test_king_of_the_hill),
        cmocka_unit_test(test_king_of_the_hill_forgets_all),
        cmocka_unit_test(test_the_reference_game_as_a_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
