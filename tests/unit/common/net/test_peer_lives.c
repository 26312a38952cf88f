// Tests of random joins and leaves on both transports. The events of each peer must be CONNECTED,
// messages of one client, LEFT, in this order. No event may belong to the previous client with the
// same number.
#include "base/rng.h"
#include "lib/net_rig.h"
#include "lib/testing.h"

#include <string.h>

#define SLOTS   3
#define CLIENTS 5
#define STEPS   (Test_IsLong() ? 1000000 : 30000)

typedef enum { AWAY, CONNECTING, CONNECTED, LEAVING } phase_t;

typedef struct {
    net_rig_t rig;
    rng_t rng;
    uint32_t life[CLIENTS]; // one number per client, raised at each try to connect
    phase_t phase[CLIENTS];
    bool is_there[SLOTS], is_dropped[SLOTS]; // state by the server's events
    uint32_t token[SLOTS];                   // number that this peer sends; 0 = nothing sent yet
    int32_t num_lives, num_messages, num_left;
    uint16_t next_port;
} play_t;

static void on_server_event(play_t *play, const net_event_t *event) {
    assert_in_range(event->peer, 0, SLOTS - 1);
    int32_t peer = event->peer;
    // Only a peer that is not there may connect; only a peer that is there may have other events.
    assert_int_equal(play->is_there[peer], event->type != NET_CONNECTED);
    if (event->type == NET_MESSAGE) {
        uint32_t said = 0;
        assert_false(play->is_dropped[peer]);
        assert_int_equal(event->size, sizeof said);
        memcpy(&said, event->data, sizeof said);
        assert_true(play->token[peer] == 0 || play->token[peer] == said);
        play->token[peer] = said;
        play->num_messages++;
        return;
    }
    play->is_there[peer] = event->type == NET_CONNECTED;
    play->is_dropped[peer] = false;
    play->token[peer] = 0;
    play->num_lives += event->type == NET_CONNECTED;
    play->num_left += event->type == NET_LEFT;
}

static void step_server(play_t *play) {
    net_event_t event;
    transport_t *server = play->rig.server;
    for (server->poll(server, play->rig.now_ms, &event); event.type != NET_NONE;
         server->poll(server, play->rig.now_ms, &event)) {
        on_server_event(play, &event);
    }
    int32_t victim = (int32_t)Rng_Below(&play->rng, SLOTS);
    if (Rng_Below(&play->rng, 200) == 0 && play->is_there[victim] && !play->is_dropped[victim]) {
        server->drop(server, victim, NET_REASON_KICKED);
        play->is_dropped[victim] = true;
    }
}

static void hear_client(play_t *play, int32_t i) {
    net_event_t event;
    transport_t *client = play->rig.clients[i];
    for (client->poll(client, play->rig.now_ms, &event); event.type != NET_NONE;
         client->poll(client, play->rig.now_ms, &event)) {
        assert_int_not_equal(play->phase[i], AWAY);
        if (event.type == NET_CONNECTED) {
            assert_int_equal(play->phase[i], CONNECTING);
            play->phase[i] = CONNECTED;
        } else if (event.type == NET_LEFT) {
            play->phase[i] = AWAY;
        } else {
            assert_true(false); // there is no such event while nobody is connected
        }
    }
}

static void act_client(play_t *play, int32_t i) {
    transport_t *client = play->rig.clients[i];
    uint32_t what = Rng_Below(&play->rng, 300);
    uint32_t word = ((uint32_t)i + 1) << 24 | play->life[i];
    err_t err = {""};
    if (play->phase[i] == AWAY && what < 30) {
        play->life[i]++;
        play->phase[i] = CONNECTING;
        assert_int_equal(client->connect(client, play->rig.server_address, &err), 0);
    } else if (play->phase[i] == CONNECTED && what < 60) {
        client->send(client, 0, (uint8_t)(what % 3), what < 30, &word, sizeof word);
    } else if ((play->phase[i] == CONNECTED || play->phase[i] == CONNECTING) && what == 60) {
        client->drop(client, 0, NET_REASON_LEFT);
        play->phase[i] = LEAVING;
    } else if (what == 61 && Rng_Below(&play->rng, 10) == 0) {
        // The client's machine fails, and another one starts.
        client->destroy(client);
        play->rig.clients[i] = NetRig_Make(&play->rig, 1, false, play->next_port++);
        assert_non_null(play->rig.clients[i]);
        play->phase[i] = AWAY;
    }
}

static void test_lives(void **state) {
    bool is_sim = *(bool *)*state;
    play_t play = {.rng = {.state = 2024}, .next_port = 5000};
    play.rig = NetRig_Open(is_sim, SLOTS, CLIENTS);
    if (is_sim) {
        SimNet_SetConditions(play.rig.sim, (sim_conditions_t){.loss = 0.05f,
                                                              .duplicate = 0.1f,
                                                              .reorder = 0.1f,
                                                              .delay_ms = 20,
                                                              .jitter_ms = 10});
    }
    for (int32_t step = 0; step < STEPS; step++) {
        NetRig_Advance(&play.rig);
        step_server(&play);
        for (int32_t i = 0; i < CLIENTS; i++) {
            hear_client(&play, i);
            act_client(&play, i);
        }
    }
    print_message("%d lives, %d ended, %d messages\n", play.num_lives, play.num_left,
                  play.num_messages);
    assert_true(play.num_lives > 50);
    assert_true(play.num_messages > 1000);
    assert_in_range(play.num_lives - play.num_left, 0, SLOTS);
    NetRig_Close(&play.rig);
}

int main(void) {
    static bool sim = true;
    static bool enet = false;
    const struct CMUnitTest tests[] = {
        {"lives (simulated)", test_lives, NULL, NULL, &sim},
        {"lives (enet)", test_lives, NULL, NULL, &enet},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
