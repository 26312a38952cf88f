// A map whose entities have models with bones, with whole server and clients on the simulated
// network. Clients load the same files, stand before a figure and shoot it. A monster with a model
// of the map arrives and is shot. Two runs give the same bits. A different model file makes a
// different map.

#include "core/server_local.h"
#include "game/figure_data.h"
#include "game/game.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "world/block.h"
#include "world/hitboxes.h"

#include <string.h>

#define FIGURE_X 200.0f
#define HEALTH   60

static const char entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 0 25\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 300 25\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/figure.emesh\"\n\"animation\" \"run\"\n"
    "\"origin\" \"200 0 24\"\n\"angle\" \"180\"\n\"health\" \"60\"\n\"target\" \"lamp\"\n}\n"
    "{\n\"classname\" \"light\"\n\"targetname\" \"lamp\"\n\"origin\" \"0 0 100\"\n}\n"
    "{\n\"classname\" \"monster_army\"\n\"model\" \"models/figure.emesh\"\n"
    "\"origin\" \"300 -300 25\"\n\"angle\" \"180\"\n}\n";

static bool has_dogs; // next map's file has dogs

static void write_map(const char *folder) {
    TestNet_WriteModels(folder, entities, has_dogs);
}

typedef struct {
    test_net_t net;
    sv_context_t sv;
} play_t;

static void start(play_t *play, bool monsters) {
    err_t err;
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net,
                 &(test_net_config_t){.seed = 5, .max_clients = 2, .write_map = write_map});
    server_t *server = play->net.server;
    assert_true(Server_SetCvar(server, "g_monsters", monsters ? "1" : "0", &err));
    assert_true(Server_StartMap(server, "testmap", &err));
    TestNet_AddClient(&play->net, "ann");
    TestNet_AddClient(&play->net, "bob");
    assert_true(TestNet_WaitActive(&play->net, 10000));
    assert_true(CL_HasMap(play->net.clients[0]));
    assert_true(CL_HasMap(play->net.clients[1]));
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
}

static edict_t *find(play_t *play, const char *classname) {
    return play->sv.engine->find_class(&play->sv, NULL, classname);
}

/// Ann holds this input for `ms`.
static void press(play_t *play, int32_t ms, const cl_input_t *input) {
    for (int64_t end = play->net.now_ms + ms; play->net.now_ms < end;) {
        player_state_t predicted;
        CL_SetInput(play->net.clients[0], input);
        TestNet_Step(&play->net);
        assert_true(CL_Predicted(play->net.clients[0], &predicted));
    }
}

static void put_ann(play_t *play, vec3_t at) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    edict_t *ann = World_Edict(play->sv.world, 1 + CL_Slot(play->net.clients[0]));
    play->sv.engine->teleport(&play->sv, ann, at, zero, zero);
}

static vec3_t place_of_ann(const play_t *play) {
    return World_Client(play->sv.world, CL_Slot(play->net.clients[0]))->player.origin;
}

/// Walks against the figure, then shoots it. Returns the hash of the world at the end.
static uint64_t play_once(void) {
    play_t play;
    start(&play, false);
    edict_t *figure = find(&play, "misc_model");
    const edict_t *lamp = find(&play, "light");
    assert_true(figure);
    assert_true(lamp);
    assert_true(!find(&play, "monster_army"));
    assert_int_equal(figure->skeleton, FIRST_MAP_SKELETON);
    assert_int_equal(figure->animations[0], FIGURE_DO_RUN);
    float side = figure->absmin.x;
    assert_true(side < FIGURE_X - 10.0f);
    assert_true(side > FIGURE_X - 40.0f);
    put_ann(&play, Vector(0.0f, 0.0f, 24.1f));
    press(&play, 2000, &(cl_input_t){.forward = 320.0f});
    // Her box stops at its box; linked boxes are 1 wider.
    assert_true(fabsf(place_of_ann(&play).x + 16.0f - (side + 1.0f)) < 0.1f);
    cl_stats_t stats;
    CL_Stats(play.net.clients[0], &stats);
    assert_true(stats.predictions > 50);
    assert_true(stats.mispredictions <= 1); // caused by the teleport
    // A shot over its shoulder, within its box, hits nothing.
    int32_t number = World_EdictNumber(play.sv.world, figure);
    put_ann(&play, Vector(90.0f, 0.0f, 24.1f)); // beyond the start of the shot
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    vec3_t from = {120.0f, figure->absmax.y - 2.0f, figure->absmax.z - 3.0f};
    vec3_t to = {400.0f, from.y, from.z};
    trace_t trace = play.sv.engine->trace(&play.sv, from, zero, zero, to, true, NULL);
    assert_int_equal(trace.entnum, number);
    trace = play.sv.engine->trace_hitboxes(&play.sv, from, zero, zero, to, NULL);
    assert_int_not_equal(trace.entnum, number);
    // At its middle, three or four shots kill.
    int32_t least = Game_Fields(figure)->health;
    assert_int_equal(least, HEALTH);
    for (int32_t i = 0; i < 400 && World_IsLive(figure); i++) {
        press(&play, 16, &(cl_input_t){.buttons = BUTTON_ATTACK, .pitch = 8.0f});
    }
    assert_null(find(&play, "misc_model"));
    assert_int_equal(lamp->effects & 1, 1);
    uint64_t hash = World_Hash(play.sv.world);
    TestNet_Free(&play.net);
    return hash;
}

static void test_a_figure_of_the_map(void **state) {
    (void)state;
    uint64_t hash = play_once();
    assert_true(play_once() == hash);
}

/// A monster uses its model's animations and dies of shots at its bones.
static void test_a_monster_of_the_map(void **state) {
    (void)state;
    play_t play;
    start(&play, true);
    edict_t *army = find(&play, "monster_army");
    assert_non_null(army);
    assert_int_equal(army->skeleton, FIRST_MAP_SKELETON); // not the dog that its class uses
    assert_int_equal(army->animations[0], FIGURE_DO_STAND);
    put_ann(&play, Vector(-100.0f, -300.0f, 24.1f));
    for (int32_t i = 0; i < 300 && army->animations[0] != FIGURE_DO_DIE; i++) {
        vec3_t delta = VectorSubtract(army->origin, place_of_ann(&play));
        vec3_t angles = VectorAngles(delta);
        press(&play, 16, &(cl_input_t){.buttons = BUTTON_ATTACK, .pitch = 5.0f, .yaw = angles.y});
    }
    assert_int_equal(army->animations[0], FIGURE_DO_DIE);
    assert_int_equal(army->solid, SOLID_NOT);
    TestNet_Free(&play.net);
}

/// The same map with a different model file has a different hash and a different world.
static void test_another_file_is_another_map(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int32_t i = 0; i < 2; i++) {
        play_t play;
        has_dogs = i == 1;
        start(&play, false);
        hashes[i] = play.net.server->map->hash;
        assert_true(play.sv.world->map_hash == hashes[i]);
        // A dog has no animation "run": the fault is logged and the first animation plays.
        assert_int_equal(find(&play, "misc_model")->animations[0], i == 1 ? 0 : FIGURE_DO_RUN);
        TestNet_Free(&play.net);
    }
    has_dogs = false;
    assert_true(hashes[0] != hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_figure_of_the_map),
        cmocka_unit_test(test_a_monster_of_the_map),
        cmocka_unit_test(test_another_file_is_another_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
