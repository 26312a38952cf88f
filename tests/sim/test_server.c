// The whole server with a hundred clients in one process, on bad networks, in virtual time.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "math/vec3.h"
#include "world/block.h"

#include <string.h>

#define CLIENTS    100
#define SPACING    600 // of spawn points: a circle of diameter 204 may lie at any side of each
#define WARM_MS    3000
#define PREDICTING 8 // clients that compute their prediction every step
#define SECONDS    20
#define TURN_DEG_S 180.0f

static const sim_conditions_t clean = {0};
static const sim_conditions_t bad = {
    .loss = 0.05f, .duplicate = 0.05f, .reorder = 0.05f, .delay_ms = 80, .jitter_ms = 40};

// Builds a hall with a spawn point for every client.
static const test_map_t *hall(void) {
    static char text[16384];
    static test_map_t map;
    size_t used = (size_t)snprintf(text, sizeof text, "{ \"classname\" \"worldspawn\" }\n");
    for (int i = 0; i < CLIENTS; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"%d %d 24\" }\n",
            (i % 10) * SPACING - 2700, (i / 10) * SPACING - 2700);
    }
    map = (test_map_t){.room = {{-3072, -3072, 0}, {3072, 3072, 256}}, .entities = text};
    return &map;
}

typedef struct {
    float distance[CLIENTS]; ///< travelled while measured, qu
    uint64_t hash;
    uint64_t filled_ms, late;
    uint64_t mispredicted, predicted; ///< predicting clients only
    float error_max;
} outcome_t;

static void steer(test_net_t *net, int64_t start_ms) {
    player_state_t predicted;
    for (int32_t i = 0; i < Q_MinI(net->num_clients, PREDICTING); i++) {
        CL_Predicted(net->clients[i], &predicted);
    }
    for (int32_t i = 0; i < net->num_clients; i++) {
        float seconds = (float)(net->now_ms - start_ms) / 1000.0f;
        const cl_input_t input = {.forward = 320.0f, .yaw = (float)(i * 37) + TURN_DEG_S * seconds};
        CL_SetInput(net->clients[i], &input);
    }
}

static int32_t clients_playing(void) {
    return Test_IsSlow() ? 32 : CLIENTS;
}

static int32_t seconds_measured(void) {
    return Test_IsLong() ? 60 : 3;
}

static void play(test_net_t *net, outcome_t *outcome) {
    vec3_t last[CLIENTS];
    int64_t start_ms = net->now_ms;
    int64_t tick = -1;
    bool measuring = false;
    while (net->now_ms < start_ms + WARM_MS + seconds_measured() * 1000) {
        steer(net, start_ms);
        TestNet_Step(net);
        const world_t *world = Server_World(net->server);
        if (world->tick == tick || net->now_ms < start_ms + WARM_MS) {
            continue;
        }
        tick = world->tick;
        for (int32_t i = 0; i < net->num_clients; i++) {
            vec3_t at = World_Client(world, CL_Slot(net->clients[i]))->player.origin;
            if (measuring) {
                outcome->distance[i] += VectorLength(VectorSubtract(at, last[i]));
            }
            last[i] = at;
        }
        measuring = true;
    }
}

static outcome_t run(sim_conditions_t conditions, uint64_t seed, int32_t clients) {
    test_net_t net;
    outcome_t outcome = {0};
    char name[32];
    const test_net_config_t config = {
        .seed = seed, .conditions = conditions, .max_clients = clients, .map = hall()};
    TestNet_Init(&net, &config);
    for (int i = 0; i < clients; i++) {
        snprintf(name, sizeof name, "bot %d", i);
        TestNet_AddClient(&net, name);
    }
    assert_true(TestNet_WaitActive(&net, 20000)); // all clients are active
    play(&net, &outcome);
    for (int i = 0; i < clients; i++) {
        cl_stats_t stats;
        CL_Stats(net.clients[i], &stats);
        outcome.predicted += stats.predictions;
        outcome.mispredicted += stats.mispredictions;
        outcome.error_max =
            stats.error_max > outcome.error_max ? stats.error_max : outcome.error_max;
    }
    outcome.filled_ms = Server_World(net.server)->counters.filled_ms;
    outcome.late = Server_World(net.server)->counters.cmds_late;
    outcome.hash = World_Hash(Server_World(net.server));
    TestNet_Free(&net);
    return outcome;
}

static void test_hundred_clients_on_a_bad_network(void **state) {
    (void)state;
    outcome_t ideal = run(clean, 1, clients_playing());
    outcome_t real = run(bad, 1, clients_playing());
    float least = 1.0f;
    for (int i = 0; i < clients_playing(); i++) {
        assert_true(ideal.distance[i] > 250.0f * (float)seconds_measured());
        float share = real.distance[i] / ideal.distance[i];
        least = share < least ? share : least;
    }
    print_message("clean: %llu of %llu mispredicted, filled %llu ms; bad: %llu of %llu (at most "
                  "%.2f qu), filled %llu ms, late %llu; least share of distance %.4f\n",
                  (unsigned long long)ideal.mispredicted, (unsigned long long)ideal.predicted,
                  (unsigned long long)ideal.filled_ms, (unsigned long long)real.mispredicted,
                  (unsigned long long)real.predicted, (double)real.error_max,
                  (unsigned long long)real.filled_ms, (unsigned long long)real.late, (double)least);
    assert_true(least >= 0.99f);
    // A client predicts with the server's own code, so its prediction is exact to the bit.
    assert_true(ideal.predicted > 1000);
    assert_true(ideal.mispredicted * 100 <= ideal.predicted);
    assert_true(real.mispredicted * 100 <= real.predicted);
}

static void test_same_seed_same_hash(void **state) {
    (void)state;
    const int32_t clients = Test_IsSlow() ? 10 : 24;
    outcome_t a = run(bad, 5, clients);
    outcome_t b = run(bad, 5, clients);
    outcome_t other = run(bad, 6, clients);
    assert_true(a.hash == b.hash);
    assert_true(a.hash != other.hash);
}

static void test_thirty_two_leave_in_one_tick(void **state) {
    (void)state;
    test_net_t net;
    const test_net_config_t config = {
        .seed = 3, .conditions = clean, .max_clients = 40, .map = hall()};
    TestNet_Init(&net, &config);
    for (int i = 0; i < 40; i++) {
        TestNet_AddClient(&net, "leaver");
    }
    assert_true(TestNet_WaitActive(&net, 10000));
    for (int i = 0; i < 32; i++) {
        CL_Disconnect(net.clients[i]);
    }
    for (int i = 0; i < 250; i++) {
        TestNet_Step(&net);
    }
    assert_int_equal(Server_NumClients(net.server), 8);
    int32_t left = 0;
    cl_event_t event;
    while (CL_NextEvent(net.clients[39], &event)) {
        left += event.type == CL_EVENT_LEFT ? 1 : 0;
    }
    assert_int_equal(left, 32);
    entity_state_t others[64];
    assert_int_equal(CL_Entities(net.clients[39], others, 64), 7);
    for (int i = 0; i < 32; i++) { // and join again into the freed slots
        TestNet_AddClient(&net, "again");
    }
    for (int i = 0; i < 500; i++) {
        TestNet_Step(&net);
    }
    assert_int_equal(Server_NumClients(net.server), 40);
    TestNet_Free(&net);
}

static void test_a_full_server_says_so(void **state) {
    (void)state;
    test_net_t net;
    const test_net_config_t config = {
        .seed = 4, .conditions = clean, .max_clients = 2, .map = hall()};
    TestNet_Init(&net, &config);
    for (int i = 0; i < 3; i++) {
        TestNet_AddClient(&net, "one of three");
    }
    for (int i = 0; i < 500; i++) {
        TestNet_Step(&net);
    }
    int32_t refused = 0;
    for (int i = 0; i < 3; i++) {
        refused += CL_State(net.clients[i]) == CL_DISCONNECTED &&
                   strstr(CL_Reason(net.clients[i]), "full");
    }
    assert_int_equal(refused, 1);
    TestNet_Free(&net);
}

static void test_map_change_keeps_everybody(void **state) {
    (void)state;
    test_net_t net;
    err_t err;
    const test_net_config_t config = {
        .seed = 5, .conditions = bad, .max_clients = 16, .map = hall()};
    TestNet_Init(&net, &config);
    TestNet_WriteMap(&net,
                     &(test_map_t){.room = {{-600, -600, 0}, {600, 600, 256}}, .name = "second"},
                     "second");
    for (int i = 0; i < 16; i++) {
        TestNet_AddClient(&net, "stayer");
    }
    assert_true(TestNet_WaitActive(&net, 10000));
    assert_false(Server_StartMap(net.server, "no_such_map", &err)); // the old map continues
    assert_non_null(strstr(err.text, "no_such_map"));
    // The server has announced that it loads a map, so nobody leaves while it does not run.
    for (int i = 0; i < 1500; i++) {
        net.now_ms += TEST_NET_STEP_MS;
        SimNet_Advance(net.sim, net.now_ms);
        for (int k = 0; k < net.num_clients; k++) {
            CL_Frame(net.clients[k], net.now_ms);
        }
    }
    net.next_tick_ms = net.now_ms;
    assert_true(Server_StartMap(net.server, "second", &err));
    for (int i = 0; i < 1000; i++) {
        TestNet_Step(&net);
    }
    for (int i = 0; i < 16; i++) {
        player_state_t player;
        assert_int_equal(CL_State(net.clients[i]), CL_ACTIVE);
        assert_string_equal(CL_MapName(net.clients[i]), "second");
        assert_true(CL_HasMap(net.clients[i]));
        assert_true(CL_Self(net.clients[i], &player));
        assert_true(VectorWithin(player.origin, 600.0f));
    }
    TestNet_Free(&net);
}

// Bytes that do not decode cost only their sender, even before HELLO.
static void test_bad_bytes_drop_their_sender_only(void **state) {
    (void)state;
    test_net_t net;
    const test_net_config_t config = {
        .seed = 6, .conditions = clean, .max_clients = 4, .map = hall()};
    const netaddr_t server = {0x0a000001, 27500, 0};
    const netaddr_t own = {0x0a000901, 5000, 0};
    err_t err;
    TestNet_Init(&net, &config);
    TestNet_AddClient(&net, "honest");
    assert_true(TestNet_WaitActive(&net, 5000));
    rng_t rng = {6};
    for (uint8_t channel = 0; channel < NET_NUM_CHANNELS; channel++) {
        transport_t *evil = SimNet_Transport(net.sim, own, 1, false);
        int32_t peer = evil->connect(evil, server, &err);
        bool sent = false;
        bool left = false;
        for (int i = 0; i < 500 && !left; i++) {
            net_event_t event;
            uint8_t garbage[64];
            TestNet_Step(&net);
            evil->poll(evil, net.now_ms, &event);
            left = event.type == NET_LEFT;
            if (event.type == NET_CONNECTED && !sent) {
                for (size_t n = 0; n < sizeof garbage; n++) {
                    garbage[n] = (uint8_t)Rng_Next(&rng);
                }
                sent = evil->send(evil, peer, channel, channel == 0, garbage, sizeof garbage);
            }
        }
        assert_true(sent);
        assert_true(left);
        evil->destroy(evil);
    }
    assert_true(Server_Stats(net.server).bad_packets >= 3);
    assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
    TestNet_Free(&net);
}

static void test_two_servers_in_one_process(void **state) {
    (void)state;
    test_net_t a, b;
    const test_net_config_t config = {
        .seed = 7, .conditions = bad, .max_clients = 4, .map = hall()};
    TestNet_Init(&a, &config);
    TestNet_Init(&b, &config);
    for (int i = 0; i < 4; i++) {
        TestNet_AddClient(&a, "a");
        TestNet_AddClient(&b, "a");
    }
    for (int i = 0; i < 1500; i++) { // interleaved; neither world may see the other's actions
        TestNet_Step(&a);
        TestNet_Step(&b);
    }
    assert_true(World_Hash(Server_World(a.server)) == World_Hash(Server_World(b.server)));
    assert_true(Server_World(a.server)->tick > 100);
    TestNet_Free(&a);
    TestNet_Free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hundred_clients_on_a_bad_network),
        cmocka_unit_test(test_same_seed_same_hash),
        cmocka_unit_test(test_thirty_two_leave_in_one_tick),
        cmocka_unit_test(test_a_full_server_says_so),
        cmocka_unit_test(test_map_change_keeps_everybody),
        cmocka_unit_test(test_bad_bytes_drop_their_sender_only),
        cmocka_unit_test(test_two_servers_in_one_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
