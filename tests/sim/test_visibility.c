// Edicts that not every client may see: nothing of them is sent to the others, for each visibility,
// also when it changes during play, and for followers.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "client/cl_local.h"
#include "core/server_local.h"
#include "math/angles.h"
#include "physics/actions.h"

#include <string.h>

#define CLIENTS 3
#define NEWS_MS 400 // longer than the round trip

static const test_block_t blocks[] = {
    {.box = {{-96, -96, -16}, {96, 96, 0}}, .contents = CONTENTS_SOLID, .model = 1}};

static const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 512}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .entities = "{\n\"classname\" \"worldspawn\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"300 300 30\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"-300 300 30\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"-300 -300 30\"\n}\n",
                               .brush_list = true};

typedef struct {
    test_net_t net;
    sv_context_t sv;
} play_t;

// Clients 0 and 2 are in team 1, client 1 is in team 2.
static void start(play_t *play, sim_conditions_t conditions) {
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net,
                 &(test_net_config_t){
                     .seed = 4, .conditions = conditions, .max_clients = CLIENTS, .map = &map});
    for (int32_t i = 0; i < CLIENTS; i++) {
        TestNet_AddClient(&play->net, "player");
        assert_true(TestNet_WaitActive(&play->net, 10000));
    }
    server_t *server = play->net.server;
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < CLIENTS; i++) {
        play->sv.engine->set_team(&play->sv, World_Edict(server->world, i + 1), 1 + i % 2);
    }
}

static void run(play_t *play, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
    }
}

static edict_t *add(play_t *play, vec3_t origin) {
    edict_t *edict = play->sv.engine->spawn(&play->sv);
    assert_non_null(edict);
    edict->origin = origin;
    edict->modelindex = 7;
    play->sv.engine->link(&play->sv, edict, false);
    return edict;
}

// Returns which clients have the edict: bit i = client i.
static int32_t seen_by(const play_t *play, const edict_t *edict) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    int32_t seen = 0;
    for (int32_t i = 0; i < CLIENTS; i++) {
        int32_t count = CL_Entities(play->net.clients[i], list, MAX_SNAPSHOT_ENTS);
        for (int32_t j = 0; j < count; j++) {
            bool is_it = list[j].number == World_EdictNumber(play->sv.world, edict);
            seen |= is_it ? 1 << CL_Slot(play->net.clients[i]) : 0;
            assert_true(!is_it || list[j].model == 7);
        }
    }
    return seen;
}

typedef struct {
    int16_t visibility;
    uint16_t visible_to;
    int32_t seen; ///< clients that see it
} case_t;

static const case_t cases[] = {
    {VISIBLE_ALL, 0, 7},     {VISIBLE_NOBODY, 0, 0},     {VISIBLE_CLIENT, 0, 1},
    {VISIBLE_CLIENT, 2, 4},  {VISIBLE_BUT_CLIENT, 1, 5}, {VISIBLE_TEAM, 1, 5},
    {VISIBLE_TEAM, 2, 2},    {VISIBLE_TEAM, 0, 0},       {VISIBLE_TEAM, 3, 0},
    {VISIBLE_CLIENT, 99, 0}, {VISIBLE_CLIENT, 65535, 0}, {VISIBLE_BUT_CLIENT, 65535, 7},
    {INT16_MAX, 0, 0},       {INT16_MIN, 0, 0},
};

// Each visibility follows each other one during play.
static void test_each_visibility(void **state) {
    (void)state;
    play_t play;
    start(&play, (sim_conditions_t){.delay_ms = 50, .jitter_ms = 20, .loss = 0.05f});
    edict_t *edict = add(&play, Vector(0.0f, 0.0f, 50.0f));
    for (size_t i = 0; i < COUNTOF(cases) * COUNTOF(cases); i++) {
        const case_t *now = &cases[i % 2 ? i % COUNTOF(cases) : i / COUNTOF(cases)];
        edict->visibility = now->visibility;
        edict->visible_to = now->visible_to;
        run(&play, NEWS_MS);
        assert_int_equal(seen_by(&play, edict), now->seen);
    }
    TestNet_Free(&play.net);
}

// A client that changes its team gains and loses edicts.
static void test_a_change_of_team(void **state) {
    (void)state;
    play_t play;
    start(&play, (sim_conditions_t){.delay_ms = 50});
    edict_t *edict = add(&play, Vector(0.0f, 0.0f, 50.0f));
    edict->visibility = VISIBLE_TEAM;
    edict->visible_to = 2;
    static const int32_t seen[] = {2, 3, 2, 2, 2};
    static const int32_t teams[] = {1, 2, 0, -5, 70000};
    for (size_t i = 0; i < COUNTOF(teams); i++) {
        play.sv.engine->set_team(&play.sv, World_Edict(play.sv.world, 1), teams[i]);
        run(&play, NEWS_MS);
        assert_int_equal(seen_by(&play, edict), seen[i]);
    }
    TestNet_Free(&play.net);
}

// A follower is seen by clients that may see it and all of its leaders.
static void test_followers(void **state) {
    (void)state;
    play_t play;
    start(&play, (sim_conditions_t){.delay_ms = 20});
    edict_t *leader = add(&play, Vector(0.0f, 0.0f, 50.0f));
    edict_t *second = add(&play, Vector(0.0f, 0.0f, 80.0f));
    edict_t *third = add(&play, Vector(0.0f, 0.0f, 90.0f));
    const vec3_t up = Vector(0.0f, 0.0f, 20.0f);
    assert_true(SV_Follow(&play.sv, second, leader, up, vec3_zero));
    assert_true(SV_Follow(&play.sv, third, second, up, vec3_zero));
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        leader->visibility = cases[i].visibility;
        leader->visible_to = cases[i].visible_to;
        run(&play, NEWS_MS);
        assert_int_equal(seen_by(&play, leader), cases[i].seen);
        assert_int_equal(seen_by(&play, third), cases[i].seen);
    }
    leader->visibility = VISIBLE_TEAM;
    leader->visible_to = 1;
    second->visibility = VISIBLE_BUT_CLIENT; // as a weapon in the hand of client 0
    second->visible_to = 0;
    run(&play, NEWS_MS);
    assert_int_equal(seen_by(&play, leader), 5);
    assert_int_equal(seen_by(&play, second), 4);
    assert_int_equal(seen_by(&play, third), 4);
    SV_RemoveEdict(&play.sv, leader); // the second follows nothing then
    run(&play, NEWS_MS);
    assert_int_equal(seen_by(&play, third), 6);
    TestNet_Free(&play.net);
}

// Returns the bytes of the snapshots of two seconds, with an edict that nobody may see or
// without it.
static uint64_t bytes_with(bool has_edict) {
    play_t play;
    start(&play, (sim_conditions_t){0});
    edict_t *edict = has_edict ? add(&play, Vector(0.0f, 0.0f, 50.0f)) : NULL;
    if (edict) {
        edict->visibility = VISIBLE_NOBODY;
    }
    run(&play, NEWS_MS);
    const uint64_t before = Server_Stats(play.net.server).snapshot_bytes;
    for (int32_t i = 0; i < 2000 / TEST_NET_STEP_MS; i++) {
        if (edict) { // not one bit of all that changes is sent
            edict->origin.x = (float)(i % 100);
            edict->effects = i;
            edict->model = edict->modelindex = i;
            edict->type = (int16_t)(i % ENTITY_TYPE_COUNT);
        }
        TestNet_Step(&play.net);
    }
    const uint64_t bytes = Server_Stats(play.net.server).snapshot_bytes - before;
    TestNet_Free(&play.net);
    return bytes;
}

static void test_not_a_bit_is_sent(void **state) {
    (void)state;
    assert_true(bytes_with(true) == bytes_with(false));
}

// Clients that may not see a pusher under another one receive its movement and nothing else.
// Clients that may not see a volume receive its shape.
static void test_what_prediction_needs(void **state) {
    (void)state;
    play_t play;
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    start(&play, (sim_conditions_t){0});
    edict_t *edicts[3];
    for (int32_t i = 0; i < 3; i++) { // a pusher, a pusher on it, a volume
        edicts[i] = add(&play, Vector(0.0f, 0.0f, 50.0f));
        assert_true(play.sv.engine->set_model(&play.sv, edicts[i], 1));
        edicts[i]->effects = 5;
        edicts[i]->movetype = i < 2 ? MOVETYPE_PUSH : MOVETYPE_NONE;
        edicts[i]->solid = i < 2 ? SOLID_BSP : SOLID_TRIGGER;
        edicts[i]->contents = i < 2 ? 0 : CONTENTS_WATER;
        edicts[i]->visibility = i == 1 ? VISIBLE_ALL : VISIBLE_CLIENT;
        edicts[i]->visible_to = 0;
        play.sv.engine->link(&play.sv, edicts[i], false);
    }
    assert_true(play.sv.engine->pusher_glue(&play.sv, edicts[1], edicts[0]));
    run(&play, NEWS_MS);
    for (int32_t i = 0; i < CLIENTS; i++) {
        bool sees = CL_Slot(play.net.clients[i]) == 0;
        int32_t found = 0;
        int32_t count = CL_Entities(play.net.clients[i], list, MAX_SNAPSHOT_ENTS);
        for (int32_t j = 0; j < count; j++) {
            const entity_state_t *state_of = &list[j];
            if (state_of->number == World_EdictNumber(play.sv.world, edicts[0])) {
                found++;
                assert_int_equal(state_of->model, sees ? 1 : 0);
                assert_int_equal(state_of->solid, sees ? SOLID_BSP : SOLID_NOT);
                assert_int_equal(state_of->effects, sees ? 5 : 0);
                assert_int_not_equal(state_of->motion, ENTITY_NO_MOTION);
            } else if (state_of->number == World_EdictNumber(play.sv.world, edicts[2])) {
                found++;
                assert_int_equal(state_of->contents, CONTENTS_WATER);
                assert_int_equal(state_of->model, 1);
                assert_int_equal(state_of->effects, sees ? 5 : 0);
            }
        }
        assert_int_equal(found, 2);
    }
    TestNet_Free(&play.net);
}

// A player on an edict that it may not see stands on the world, as far as its client knows.
static void test_the_ground_is_hidden_too(void **state) {
    (void)state;
    play_t play;
    start(&play, (sim_conditions_t){0});
    edict_t *floor = add(&play, Vector(0.0f, 0.0f, 50.0f));
    const int32_t number = World_EdictNumber(play.sv.world, floor);
    assert_true(play.sv.engine->set_model(&play.sv, floor, 1));
    floor->movetype = MOVETYPE_PUSH;
    floor->solid = SOLID_BSP;
    play.sv.engine->link(&play.sv, floor, false);
    for (int32_t i = 0; i < CLIENTS; i++) {
        edict_t *player = World_Edict(play.sv.world, i + 1);
        player->origin = Vector(-64.0f + 64.0f * (float)i, 0.0f, 74.0f);
        SV_PlayerFromEdict(&play.sv, player);
        play.sv.engine->link(&play.sv, player, false);
    }
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        floor->visibility = cases[i].visibility;
        floor->visible_to = cases[i].visible_to;
        run(&play, NEWS_MS);
        for (int32_t n = 0; n < CLIENTS; n++) {
            const cl_t *cl = play.net.clients[n];
            const int32_t slot = CL_Slot(cl);
            const player_state_t *is = &World_Client(play.sv.world, slot)->player;
            const player_state_t *has = &Client_Newest(cl)->player;
            const int32_t known = cases[i].seen >> slot & 1 ? number : 0;
            assert_int_equal(is->groundentity, number);
            assert_int_equal(is->carrier, number);
            assert_int_equal(has->groundentity, known);
            assert_int_equal(has->carrier, known);
        }
    }
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_visibility),
                                       cmocka_unit_test(test_a_change_of_team),
                                       cmocka_unit_test(test_followers),
                                       cmocka_unit_test(test_not_a_bit_is_sent),
                                       cmocka_unit_test(test_what_prediction_needs),
                                       cmocka_unit_test(test_the_ground_is_hidden_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
