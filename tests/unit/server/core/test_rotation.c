// The operator's list of maps: the next map, missing maps, the end of a match.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "collide/cache.h"
#include "core/server_local.h"

#include <string.h>

typedef struct {
    test_net_t net;
    char text[8192]; ///< the log lines so far
} scene_t;

static const bounds_t room = {{-512, -512, 0}, {512, 512, 256}};

static void keep_line(void *context, log_level_t level, const char *line) {
    scene_t *scene = context;
    size_t used = strlen(scene->text);
    snprintf(scene->text + used, sizeof scene->text - used, "%s: %s\n", Log_LevelName(level), line);
}

// Starts a server on "testmap" with a list of maps. The maps b, c and exit exist, too.
static void set_up(scene_t *scene, const char *list) {
    static const char *const others[] = {"b", "c", "exit"};
    static const test_block_t block = {
        .box = {{400, 400, 0}, {500, 500, 64}}, .contents = CONTENTS_SOLID, .model = 1};
    const test_map_t map = {
        .room = room,
        .blocks = &block,
        .num_blocks = 1,
        .entities = "{ \"classname\" \"worldspawn\" }"
                    "{ \"classname\" \"info_player_start\" \"origin\" \"0 0 25\" }"
                    "{ \"classname\" \"trigger_changelevel\" \"model\" \"*1\" \"map\" \"exit\" }"};
    const test_net_config_t config = {.seed = 1, .max_clients = 4, .map = &map};
    memset(scene, 0, sizeof *scene);
    TestNet_Init(&scene->net, &config);
    scene->net.log = (log_t){keep_line, scene, LOG_INFO};
    for (size_t i = 0; i < COUNTOF(others); i++) {
        TestNet_WriteMap(&scene->net, &(test_map_t){.room = room, .name = others[i]}, others[i]);
    }
    Server_SetHost(scene->net.server, "test", scene->net.folder, list, 1);
}

static const char *map_of(const scene_t *scene) {
    return Server_Map(scene->net.server)->name;
}

static void next_is(scene_t *scene, const char *name) {
    err_t err = {{0}};
    scene->text[0] = '\0';
    if (!Server_NextMap(scene->net.server, &err)) {
        fail_msg("%s", err.text);
    }
    assert_string_equal(map_of(scene), name);
}

static int32_t count_in(const char *text, const char *part) {
    int32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

// Ends the match at once by its time limit, and waits until the next map starts.
static void end_match(scene_t *scene) {
    err_t err = {{0}};
    assert_true(Server_SetCvar(scene->net.server, "timelimit", "0.0001", &err));
    scene->text[0] = '\0';
    int64_t tick = Server_World(scene->net.server)->tick;
    int32_t ticks = 0;
    do {
        Server_Tick(scene->net.server, scene->net.now_ms += 16);
    } while (Server_World(scene->net.server)->tick == ++tick && ++ticks < 1000);
    assert_int_equal(ticks, 500); // 8 s of scores, then the next map
    assert_int_equal(Server_World(scene->net.server)->tick, 0);
}

static void test_words_of_a_list(void **state) {
    (void)state;
    char name[CVAR_STRING_BYTES];
    assert_int_equal(Rotation_Count(""), 0);
    assert_int_equal(Rotation_Count(" ,\t "), 0);
    assert_int_equal(Rotation_Count("a"), 1);
    assert_int_equal(Rotation_Count(" a, b\tc  d,"), 4);
    assert_true(Rotation_Entry(" a, b\tc  d,", 3, name));
    assert_string_equal(name, "d");
    assert_true(Rotation_Entry(" a, b\tc  d,", 0, name));
    assert_string_equal(name, "a");
    assert_false(Rotation_Entry(" a, b\tc  d,", 4, name));
    assert_false(Rotation_Entry("a", -1, name));
    char longest[CVAR_STRING_BYTES];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_true(Rotation_Entry(longest, 0, name));
    assert_string_equal(name, longest);
}

static void test_it_goes_round(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "testmap b c");
    next_is(&scene, "b"); // the map after the running one in the list
    next_is(&scene, "c");
    next_is(&scene, "testmap");
    next_is(&scene, "b");
    TestNet_Free(&scene.net);
}

static void test_a_name_may_come_twice(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "b c b testmap");
    static const char *const order[] = {"b", "c", "b", "testmap", "b", "c"};
    for (size_t i = 0; i < COUNTOF(order); i++) {
        next_is(&scene, order[i]);
    }
    TestNet_Free(&scene.net);
}

static void test_a_map_of_the_operators_moves_it(void **state) {
    (void)state;
    static scene_t scene;
    err_t err;
    set_up(&scene, "testmap b c");
    assert_true(Server_StartMap(scene.net.server, "c", &err));
    next_is(&scene, "testmap");
    assert_true(
        // Not in the list: the running map continues.
        Server_StartMap(scene.net.server, "exit", &err));
    next_is(&scene, "b");
    char path[128];
    snprintf(path, sizeof path, "%s/testmap.bsp", scene.net.folder); // by its path
    assert_true(Server_StartMap(scene.net.server, path, &err));
    next_is(&scene, "b");
    TestNet_Free(&scene.net);
}

// A map may be loaded at the address of the last one; caches of the old map must be emptied.
static void test_another_map_is_not_the_last_one(void **state) {
    (void)state;
    static scene_t scene;
    err_t err;
    set_up(&scene, "testmap b");
    server_t *server = scene.net.server;
    const int32_t last = server->config.max_clients - 1;
    assert_true(server->game.caches == server->caches);
    CM_CacheFill(&server->caches[last], server->map, CM_SOLIDS_AUTO, Vector(0.0f, 0.0f, 0.0f),
                 PM_PLAYER_MINS, PM_PLAYER_MAXS);
    assert_true(server->caches[last].is_filled);
    assert_true(Server_StartMap(server, "b", &err));
    assert_null(server->caches[last].map); // the next move begins it
    assert_true(server->game.caches == server->caches);
    TestNet_Free(&scene.net);
}

// A missing map is logged when the list is set and when its turn comes; the other maps are used.
static void test_what_is_missing_is_left_out(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "testmap nowhere ../../etc/passwd b");
    assert_int_equal(count_in(scene.text, "sv_maplist: map nowhere: no nowhere.bsp"), 1);
    next_is(&scene, "b");
    assert_int_equal(count_in(scene.text, "sv_maplist: map nowhere: no nowhere.bsp"), 1);
    assert_int_equal(count_in(scene.text, "skipped"), 2);
    next_is(&scene, "testmap");
    assert_int_equal(count_in(scene.text, "skipped"), 0);
    TestNet_Free(&scene.net);
}

static void test_nothing_of_it_is_there(void **state) {
    (void)state;
    static scene_t scene;
    err_t err = {{0}};
    set_up(&scene, "");
    const world_t *world = Server_World(scene.net.server);
    assert_false(Server_NextMap(scene.net.server, &err));
    assert_non_null(strstr(err.text, "sv_maplist is empty"));
    Server_SetHost(scene.net.server, "test", scene.net.folder, "gone lost", 1);
    assert_false(Server_NextMap(scene.net.server, &err));
    assert_non_null(strstr(err.text, "none of its 2 maps can be started"));
    assert_ptr_equal(Server_World(scene.net.server), world);
    Server_Tick(scene.net.server, 16);
    TestNet_Free(&scene.net);
}

static void test_the_end_of_a_match(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "testmap b c");
    end_match(&scene); // the list has priority over the map's own exit
    assert_string_equal(map_of(&scene), "b");
    end_match(&scene);
    assert_string_equal(map_of(&scene), "c");
    Server_SetHost(scene.net.server, "test", scene.net.folder, "", 1);
    end_match(&scene); // with neither a list nor an exit
    assert_string_equal(map_of(&scene), "c");
    Server_SetHost(scene.net.server, "test", scene.net.folder, "lost", 1);
    end_match(&scene);
    assert_string_equal(map_of(&scene), "c");
    assert_int_equal(count_in(scene.text, "map lost: no lost.bsp"), 1);
    assert_int_equal(count_in(scene.text, "none of its 1 maps"), 1);
    TestNet_Free(&scene.net);
}

static void test_without_a_list_the_maps_way_out_is_taken(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "");
    end_match(&scene);
    assert_string_equal(map_of(&scene), "exit");
    TestNet_Free(&scene.net);
}

// The game leaves the map through its exit, which leads to the list's map if the list has it or is
// empty.
static void leave_by(scene_t *scene, const char *name) {
    scene->text[0] = '\0';
    Events_Add(scene->net.server->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 0, (vec3_t){0}, name);
    Server_Tick(scene->net.server, scene->net.now_ms += 16);
}

static void test_an_exit_keeps_to_the_list(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene, "testmap b c");
    leave_by(&scene, "exit");
    assert_string_equal(map_of(&scene), "b");
    leave_by(&scene, "testmap"); // the list has this map and continues from there
    assert_string_equal(map_of(&scene), "testmap");
    leave_by(&scene, ""); // the same map again
    assert_string_equal(map_of(&scene), "testmap");
    leave_by(&scene, "../../etc/passwd");
    assert_string_equal(map_of(&scene), "b");
    Server_SetHost(scene.net.server, "test", scene.net.folder, "", 1);
    leave_by(&scene, "exit");
    assert_string_equal(map_of(&scene), "exit");
    Server_SetHost(scene.net.server, "test", scene.net.folder, "lost", 1);
    leave_by(&scene, "b"); // no map of the list exists
    assert_string_equal(map_of(&scene), "b");
    assert_true(Rotation_Has("a maps/b.bsp c", "b"));
    assert_true(Rotation_Has("a, b", "maps/b.bsp"));
    assert_false(Rotation_Has("a maps/b.bsp c", "bs"));
    assert_false(Rotation_Has("", "a"));
    assert_false(Rotation_Has("ab", "a"));
    assert_false(Rotation_Has("a", "ab"));
    TestNet_Free(&scene.net);
}

// Players stay connected through a change of map.
static void test_players_stay(void **state) {
    (void)state;
    static scene_t scene;
    err_t err;
    set_up(&scene, "testmap b c");
    TestNet_AddClient(&scene.net, "ann");
    assert_true(TestNet_WaitActive(&scene.net, 3000));
    for (int i = 0; i < 3; i++) {
        assert_true(Server_NextMap(scene.net.server, &err));
        for (int step = 0; step < 10; step++) {
            TestNet_Step(&scene.net);
        }
        assert_true(TestNet_WaitActive(&scene.net, 3000));
        assert_int_equal(World_Client(Server_World(scene.net.server), 0)->inuse, 1);
    }
    assert_int_equal(Server_NumPlayers(scene.net.server), 1);
    TestNet_Free(&scene.net);
}

// The start of a map logs unknown classes; the report of the world's counters must not repeat them.
static void test_unknown_classes_are_logged_once(void **state) {
    (void)state;
    static scene_t scene;
    err_t err = {{0}};
    set_up(&scene, "");
    TestNet_WriteMap(&scene.net,
                     &(test_map_t){.room = room,
                                   .name = "odd",
                                   .entities = "{ \"classname\" \"worldspawn\" }"
                                               "{ \"classname\" \"no_such_class\" }"},
                     "odd");
    scene.text[0] = '\0';
    assert_true(Server_StartMap(scene.net.server, "odd", &err));
    for (int32_t i = 0; i < 400; i++) {
        Server_Tick(scene.net.server, scene.net.now_ms += 16);
    }
    assert_int_equal(count_in(scene.text, "no_such_class (1)"), 1);
    assert_int_equal(count_in(scene.text, "map entities of unknown class"), 0);
    // The same for the brushes that the map's loader made.
    assert_int_equal(count_in(scene.text, "list in the file: recovered 6 brushes"), 1);
    TestNet_Free(&scene.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_a_list),
        cmocka_unit_test(test_it_goes_round),
        cmocka_unit_test(test_a_name_may_come_twice),
        cmocka_unit_test(test_a_map_of_the_operators_moves_it),
        cmocka_unit_test(test_another_map_is_not_the_last_one),
        cmocka_unit_test(test_what_is_missing_is_left_out),
        cmocka_unit_test(test_nothing_of_it_is_there),
        cmocka_unit_test(test_the_end_of_a_match),
        cmocka_unit_test(test_without_a_list_the_maps_way_out_is_taken),
        cmocka_unit_test(test_an_exit_keeps_to_the_list),
        cmocka_unit_test(test_players_stay),
        cmocka_unit_test(test_unknown_classes_are_logged_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
