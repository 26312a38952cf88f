// Clients that lose the network and return by themselves to their player, and others that may not.

#include "client/cl_local.h"
#include "core/server_local.h"
#include "game/players.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

#define ANN      0
#define BOB      1
#define GRACE_MS 10000
#define CLIENTS  16

typedef struct {
    test_net_t net;
    int32_t events[CLIENTS][CL_EVENT_DROPPED + 1]; ///< received, by type
    char reason[CLIENTS][MAX_TEXT_BYTES];          ///< of the last drop or loss
} lossy_t;

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

static void step(lossy_t *play) {
    cl_event_t event;
    TestNet_Step(&play->net);
    for (int32_t i = 0; i < play->net.num_clients; i++) {
        while (CL_NextEvent(play->net.clients[i], &event)) {
            play->events[i][event.type]++;
            if (event.type == CL_EVENT_DROPPED || event.type == CL_EVENT_RECONNECTING) {
                snprintf(play->reason[i], sizeof play->reason[i], "%s", event.text);
            }
        }
    }
}

static void run(lossy_t *play, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        step(play);
    }
}

// Runs until client n has received an event of this type. Returns false after limit_ms.
static bool wait_for(lossy_t *play, int32_t n, cl_event_type_t type, int32_t limit_ms) {
    for (int32_t at = 0; at < limit_ms && play->events[n][type] == 0; at += TEST_NET_STEP_MS) {
        step(play);
    }
    return play->events[n][type] > 0;
}

static bool wait_active(lossy_t *play, int32_t n, int32_t limit_ms) {
    for (int32_t at = 0; at < limit_ms && CL_State(play->net.clients[n]) != CL_ACTIVE;
         at += TEST_NET_STEP_MS) {
        step(play);
    }
    return CL_State(play->net.clients[n]) == CL_ACTIVE;
}

static void start(lossy_t *play, int32_t max_clients, int32_t delay_ms) {
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 5,
                                                  .conditions = {.delay_ms = delay_ms},
                                                  .max_clients = max_clients,
                                                  .map = &room});
    Server_SetGrace(play->net.server, GRACE_MS);
    TestNet_AddClient(&play->net, "ann");
    TestNet_AddClient(&play->net, "bob");
    assert_true(wait_active(play, ANN, 5000) && wait_active(play, BOB, 5000));
    run(play, 1000);
}

static void cut(lossy_t *play, int32_t n, bool is_cut) {
    const netaddr_t address = {0x0a000100u + (uint32_t)n, 4000, 0};
    SimNet_SetPartition(play->net.sim, TestNet_ServerAddress(), address, is_cut);
}

static client_t *player(const lossy_t *play, int32_t slot) {
    return World_Client(Server_World(play->net.server), slot);
}

static server_stats_t stats(const lossy_t *play) {
    return Server_Stats(play->net.server);
}

static bool is_lost(const lossy_t *play, int32_t slot) {
    server_client_t client;
    return Server_Client(play->net.server, slot, &client) && client.is_lost;
}

static void set_frags(const lossy_t *play, int32_t slot, int32_t frags) {
    ((player_fields_t *)(void *)player(play, slot)->game)->frags = frags;
}

static int32_t frags(const lossy_t *play, int32_t slot) {
    return ((player_fields_t *)(void *)player(play, slot)->game)->frags;
}

// Walks on for 2 s. Returns the number of mispredictions.
static uint64_t mispredicted(lossy_t *play, int32_t n) {
    cl_stats_t before, after;
    CL_Stats(play->net.clients[n], &before);
    CL_SetInput(play->net.clients[n], &(cl_input_t){.forward = 200.0f, .yaw = 45.0f});
    for (int32_t at = 0; at < 2000; at += TEST_NET_STEP_MS) {
        player_state_t self;
        assert_true(CL_Predicted(play->net.clients[n], &self));
        step(play);
    }
    CL_Stats(play->net.clients[n], &after);
    assert_true(after.predictions > before.predictions + 50);
    assert_int_equal(after.filled_ms - before.filled_ms, 0);
    return after.mispredictions - before.mispredictions;
}

// The network fails for 1, 3, 8 and 15 s. The client is silent after 2.8 s, and the server notices
// after 10 s.
static void test_a_client_returns_to_its_player(void **state) {
    static const int32_t lost_ms[] = {1000, 3000, 8000, 15000};
    (void)state;
    for (size_t i = 0; i < COUNTOF(lost_ms); i++) {
        static lossy_t play;
        start(&play, 4, 50);
        Server_SetGrace(play.net.server, 20000);
        const cl_t *ann = play.net.clients[ANN];
        const int32_t slot = CL_Slot(ann);
        const bool is_noticed = lost_ms[i] > 10000;
        const bool is_short = lost_ms[i] < 2800;
        // The new grace is in the next WELCOME only; the client tries for 10 s otherwise.
        play.net.clients[ANN]->back.grace_ms = 20000;
        set_frags(&play, slot, 7);
        const uint32_t generation =
            World_Edict(Server_World(play.net.server), slot + 1)->generation;
        const vec3_t before = player(&play, slot)->player.origin;
        cut(&play, ANN, true);
        run(&play, lost_ms[i]);
        assert_int_equal(CL_State(ann), is_short ? CL_ACTIVE : CL_RECONNECTING);
        assert_int_equal(is_lost(&play, slot), is_noticed);
        assert_int_equal(play.events[BOB][CL_EVENT_LOST], is_noticed);
        cl_player_row_t row;
        assert_true(CL_Player(play.net.clients[BOB], slot, &row) && row.is_lost == is_noticed);
        assert_int_equal(CL_Slot(ann), slot);
        player_state_t self;
        assert_true(CL_Self(ann, &self)); // the last view stays
        cut(&play, ANN, false);
        assert_true(is_short || wait_for(&play, ANN, CL_EVENT_RETURNED, 9000));
        assert_true(wait_active(&play, ANN, 2000));
        run(&play, 1000);
        assert_int_equal(CL_Slot(ann), slot);
        assert_int_equal(frags(&play, slot), 7);
        assert_int_equal(World_Edict(Server_World(play.net.server), slot + 1)->generation,
                         generation);
        const vec3_t after = player(&play, slot)->player.origin;
        assert_memory_equal(&after, &before, sizeof after);
        assert_int_equal(mispredicted(&play, ANN), 0);
        assert_int_equal(stats(&play).joins, 2);
        assert_int_equal(stats(&play).leaves, 0);
        assert_int_equal(stats(&play).lost, is_noticed);
        assert_int_equal(stats(&play).returns, !is_short);
        assert_int_equal(play.events[BOB][CL_EVENT_BACK], is_noticed);
        assert_int_equal(play.events[ANN][CL_EVENT_CONNECTED], 1);
        assert_int_equal(play.events[ANN][CL_EVENT_RECONNECTING], !is_short);
        assert_int_equal(play.events[ANN][CL_EVENT_MAP], 1); // it is still the same map
        assert_int_equal(play.events[ANN][CL_EVENT_ACTIVE], is_short ? 1 : 2);
        assert_int_equal(play.events[ANN][CL_EVENT_JOINED], 2); // both, at the first join only
        assert_int_equal(play.events[BOB][CL_EVENT_LEFT], 0);
        assert_string_equal(CL_Reason(ann), "");
        TestNet_Free(&play.net);
    }
}

// A player who is shot while it waits returns as a corpse, and one who left meanwhile is gone.
static void test_the_match_goes_on_meanwhile(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 20);
    cut(&play, ANN, true);
    run(&play, 4000);
    CL_Disconnect(play.net.clients[BOB]);
    player(&play, CL_Slot(play.net.clients[ANN]))->player.health = 40;
    run(&play, 500);
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 5000));
    assert_true(wait_active(&play, ANN, 2000));
    run(&play, 200);
    player_state_t self;
    assert_true(CL_Self(play.net.clients[ANN], &self));
    assert_int_equal(self.health, 40);
    assert_int_equal(play.events[ANN][CL_EVENT_LEFT], 1);
    assert_string_equal(CL_PlayerName(play.net.clients[ANN], 1), "");
    TestNet_Free(&play.net);
}

static void test_the_grace_ends(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 20);
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    cut(&play, ANN, true);
    run(&play, 13500);
    assert_true(is_lost(&play, slot)); // since 10 s
    assert_int_equal(CL_State(play.net.clients[ANN]), CL_DISCONNECTED);
    assert_string_equal(play.reason[ANN], "the server sent nothing for 2800 ms, and no attempt to "
                                          "reconnect succeeded within 10000 ms");
    assert_true(player(&play, slot)->inuse);
    run(&play, 7500);
    assert_false(is_lost(&play, slot));
    assert_false(player(&play, slot)->inuse);
    assert_int_equal(Server_NumPlayers(play.net.server), 1);
    assert_int_equal(Server_NumClients(play.net.server), 1);
    assert_int_equal(play.events[BOB][CL_EVENT_LEFT], 1);
    assert_int_equal(stats(&play).leaves, 1);
    TestNet_Free(&play.net);
}

// Without grace, or if the client wishes it, a lost connection ends the session as before.
static void test_reconnecting_can_be_off(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 20);
    Server_SetGrace(play.net.server, 0);
    play.net.clients[ANN]->config.no_reconnect = true;
    cut(&play, ANN, true);
    run(&play, 3000);
    assert_int_equal(CL_State(play.net.clients[ANN]), CL_DISCONNECTED);
    assert_int_equal(play.events[ANN][CL_EVENT_RECONNECTING], 0);
    run(&play, 8000);
    assert_int_equal(Server_NumPlayers(play.net.server), 1);
    assert_int_equal(stats(&play).lost, 0);
    const int32_t cat = TestNet_AddClient(&play.net, "cat"); // has no key
    assert_true(wait_active(&play, cat, 2000));
    assert_int_equal(play.net.clients[cat]->back.key.words[0], 0);
    cut(&play, cat, true);
    run(&play, 3000);
    assert_int_equal(CL_State(play.net.clients[cat]), CL_DISCONNECTED);
    TestNet_Free(&play.net);
}

// Adds a client that gives a key in its first HELLO.
static int32_t add_thief(lossy_t *play, rejoin_key_t key) {
    const int32_t n = TestNet_AddClient(&play->net, "eve");
    cl_t *eve = play->net.clients[n];
    eve->state = CL_RECONNECTING;
    eve->back.key = key;
    eve->back.end_ms = eve->deadline_ms = play->net.now_ms + 60000;
    return n;
}

// A wrong or old key opens nothing: the client joins as another player, or not at all.
static void test_a_thief_gets_no_player(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 3, 20);
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    const rejoin_key_t old = play.net.clients[ANN]->back.key;
    cut(&play, ANN, true);
    run(&play, 5000);
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 5000));
    assert_true(wait_active(&play, ANN, 2000));
    run(&play, 200);
    const rejoin_key_t now = play.net.clients[ANN]->back.key;
    assert_memory_not_equal(&now, &old, sizeof now);
    const int32_t eve = add_thief(&play, old); // ann has used it
    assert_true(wait_active(&play, eve, 3000));
    assert_int_not_equal(CL_Slot(play.net.clients[eve]), slot);
    assert_int_equal(play.events[eve][CL_EVENT_CONNECTED], 1);
    rejoin_key_t wrong = now;
    wrong.words[1] ^= UINT64_C(1) << 63;
    const int32_t mallory = add_thief(&play, wrong); // the server is full
    assert_true(wait_for(&play, mallory, CL_EVENT_DROPPED, 3000));
    assert_string_equal(play.reason[mallory], "the server is full");
    assert_int_equal(CL_State(play.net.clients[ANN]), CL_ACTIVE);
    assert_int_equal(stats(&play).returns, 1);
    TestNet_Free(&play.net);
}

// A key that came sealed opens nothing in a plain session, and the client does not send it there.
static void test_a_sealed_key_needs_the_seal(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 20);
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    const rejoin_key_t key = play.net.clients[ANN]->back.key;
    SimNet_SetSeal(play.net.sim, NULL);
    const int32_t eve = add_thief(&play, key);
    assert_true(wait_active(&play, eve, 3000));
    assert_int_not_equal(CL_Slot(play.net.clients[eve]), slot);
    cut(&play, ANN, true);
    run(&play, 4000);
    cut(&play, ANN, false);
    assert_true(wait_active(&play, ANN, 9000));
    assert_int_equal(stats(&play).returns, 0);
    assert_int_equal(play.events[ANN][CL_EVENT_CONNECTED], 2);
    TestNet_Free(&play.net);
}

static void count_lost(void *context, const char *line) {
    *(int32_t *)context += strstr(line, "ann ") && strstr(line, "  lost the connection") ? 1 : 0;
}

// The slot of a lost player stays reserved.
static void test_a_full_server_keeps_the_slot(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 2, 20);
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    cut(&play, ANN, true);
    play.net.clients[ANN]->back.grace_ms = 20000;
    run(&play, 11000);
    assert_true(is_lost(&play, slot));
    int32_t lines = 0;
    Server_PrintClients(play.net.server, count_lost, &lines);
    assert_int_equal(lines, 1);
    const int32_t cat = TestNet_AddClient(&play.net, "cat");
    assert_true(wait_for(&play, cat, CL_EVENT_DROPPED, 3000));
    assert_string_equal(play.reason[cat], "the server is full");
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 9000));
    assert_int_equal(CL_Slot(play.net.clients[ANN]), slot);
    TestNet_Free(&play.net);
}

// The answer to a HELLO is lost: the key that the client still has opens its player again.
static void test_a_welcome_is_lost(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 50);
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    cut(&play, ANN, true);
    run(&play, 3000);
    cut(&play, ANN, false);
    for (int32_t i = 0; i < 5000 && stats(&play).returns == 0; i++) {
        step(&play);
    }
    assert_int_equal(CL_State(play.net.clients[ANN]), CL_RECONNECTING);
    cut(&play, ANN, true); // the WELCOME is on its path
    run(&play, 2500);
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 6000));
    assert_true(wait_active(&play, ANN, 2000));
    assert_int_equal(CL_Slot(play.net.clients[ANN]), slot);
    assert_int_equal(stats(&play).joins, 2);
    assert_int_equal(Server_NumPlayers(play.net.server), 2);
    run(&play, 3000);
    assert_int_equal(Server_NumClients(play.net.server), 2);
    assert_int_equal(CL_State(play.net.clients[ANN]), CL_ACTIVE);
    TestNet_Free(&play.net);
}

// Two clients return at once, and so does somebody with the key of one of them: one player, one
// client.
static void test_two_return_at_once(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 20);
    const int32_t slots[] = {CL_Slot(play.net.clients[ANN]), CL_Slot(play.net.clients[BOB])};
    cut(&play, ANN, true);
    cut(&play, BOB, true);
    run(&play, 4000);
    cut(&play, ANN, false);
    cut(&play, BOB, false);
    const int32_t eve = add_thief(&play, play.net.clients[ANN]->back.key);
    run(&play, 6000);
    assert_int_equal(CL_State(play.net.clients[BOB]), CL_ACTIVE);
    assert_int_equal(CL_Slot(play.net.clients[BOB]), slots[BOB]);
    int32_t owners = 0;
    for (int32_t i = 0; i < 3; i++) {
        const cl_t *cl = play.net.clients[i == 2 ? eve : i];
        owners += CL_State(cl) == CL_ACTIVE && CL_Slot(cl) == slots[ANN] ? 1 : 0;
    }
    assert_int_equal(owners, 1);
    int32_t active = 0;
    for (int32_t peer = 0; peer < play.net.server->num_sessions; peer++) {
        active += play.net.server->sessions[peer].state == SESSION_ACTIVE ? 1 : 0;
    }
    assert_int_equal(active, Server_NumPlayers(play.net.server));
    TestNet_Free(&play.net);
}

// The map changes while a player waits: it returns to the new map with what a change keeps.
static void test_the_map_changes_meanwhile(void **state) {
    (void)state;
    static lossy_t play;
    err_t err = {{0}};
    start(&play, 2, 20);
    TestNet_WriteMap(&play.net, &room, "next");
    play.net.clients[ANN]->back.grace_ms = 20000;
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    cut(&play, ANN, true);
    run(&play, 11000);
    assert_true(is_lost(&play, slot));
    assert_true(Server_StartMap(play.net.server, "next", &err));
    run(&play, 1000);
    assert_true(is_lost(&play, slot));
    assert_false(player(&play, slot)->inuse); // joins the new world when the client has loaded it
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 9000));
    assert_true(wait_active(&play, ANN, 2000));
    assert_int_equal(CL_Slot(play.net.clients[ANN]), slot);
    assert_string_equal(CL_MapName(play.net.clients[ANN]), "next");
    assert_int_equal(play.events[ANN][CL_EVENT_MAP], 2);
    assert_true(player(&play, slot)->inuse);
    assert_int_equal(stats(&play).joins, 2);
    // Another one waits while the map changes, and does not return.
    cut(&play, BOB, true);
    run(&play, 11000);
    assert_true(Server_StartMap(play.net.server, "testmap", &err));
    run(&play, 12000);
    assert_int_equal(Server_NumPlayers(play.net.server), 1);
    TestNet_Free(&play.net);
}

// The game makes a lost player a spectator, and then a player again right before the map changes:
// the others learn of both.
static void test_a_lost_player_becomes_a_spectator(void **state) {
    (void)state;
    static lossy_t play;
    cl_player_row_t row;
    err_t err = {{0}};
    start(&play, 4, 20);
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    play.net.clients[ANN]->back.grace_ms = 20000;
    cut(&play, ANN, true);
    run(&play, 11000);
    assert_true(is_lost(&play, slot));
    player(&play, slot)->spectator = 1;
    run(&play, 1000);
    assert_true(CL_Player(play.net.clients[BOB], slot, &row));
    assert_true(row.is_lost && row.is_spectator);
    player(&play, slot)->spectator = 0;
    assert_true(Server_StartMap(play.net.server, "testmap", &err));
    run(&play, 1000);
    assert_true(CL_Player(play.net.clients[BOB], slot, &row));
    assert_true(row.is_lost && !row.is_spectator);
    const int32_t cat = TestNet_AddClient(&play.net, "cat");
    assert_true(wait_active(&play, cat, 2000));
    assert_true(CL_Player(play.net.clients[cat], slot, &row) && !row.is_spectator);
    TestNet_Free(&play.net);
}

// A kick, a ban of the address and a new password end the wait or the return.
static void test_the_operator_has_the_last_word(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 4, 20);
    play.net.clients[ANN]->back.grace_ms = play.net.clients[BOB]->back.grace_ms = 20000;
    const int32_t slot = CL_Slot(play.net.clients[ANN]);
    cut(&play, ANN, true);
    cut(&play, BOB, true);
    run(&play, 11000);
    assert_true(Server_Kick(play.net.server, slot, "begone"));
    run(&play, 100);
    assert_false(player(&play, slot)->inuse);
    assert_int_equal(Server_NumPlayers(play.net.server), 1);
    Server_SetPassword(play.net.server, "secret");
    cut(&play, BOB, false);
    assert_true(wait_for(&play, BOB, CL_EVENT_DROPPED, 9000));
    assert_string_equal(play.reason[BOB], "this server needs a password");
    Server_SetPassword(play.net.server, "");
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_CONNECTED, 9000)); // as a new player
    run(&play, 10000);
    assert_int_equal(play.events[ANN][CL_EVENT_RETURNED], 0);
    assert_int_equal(Server_NumPlayers(play.net.server), 1);
    TestNet_Free(&play.net);
}

// Bots have no key. At most 8 players of one address wait.
static void test_who_does_not_wait(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 16, 5);
    Server_SetBotPassword(play.net.server, "beep");
    const int32_t bot = TestNet_AddClient(&play.net, "bot");
    assert_true(CL_SetPassword(play.net.clients[bot], "beep", NULL));
    assert_true(wait_active(&play, bot, 2000));
    assert_int_equal(play.net.clients[bot]->back.grace_ms, 0);
    Server_SetBotPassword(play.net.server, "");
    while (play.net.num_clients < 12) {
        assert_true(wait_active(&play, TestNet_AddClient(&play.net, "many"), 2000));
    }
    run(&play, 100);
    int32_t waiting = 0;
    for (int32_t peer = 0; peer < 16 + SERVER_SPARE_PEERS; peer++) {
        play.net.server->sessions[peer].address.host = 0x0a000001u;
    }
    for (int32_t i = 0; i < 12; i++) {
        cut(&play, i, true);
    }
    run(&play, 11000);
    for (int32_t slot = 0; slot < 16; slot++) {
        waiting += is_lost(&play, slot) ? 1 : 0;
    }
    assert_int_equal(waiting, 8);
    assert_int_equal(Server_NumPlayers(play.net.server), 8);
    assert_int_equal(stats(&play).lost, 8);
    assert_int_equal(stats(&play).lost_above, 3); // of 12, and a bot
    TestNet_Free(&play.net);
}

// Waiting players count for sv_maxperaddress, but do not bar their own clients.
static void test_the_waiting_count_for_their_address(void **state) {
    (void)state;
    static lossy_t play;
    start(&play, 8, 20);
    play.net.server->config.max_per_address = 2;
    play.net.clients[ANN]->back.grace_ms = 20000;
    cut(&play, ANN, true);
    run(&play, 11000);
    for (int32_t peer = 0; peer < 2 * 8 + SERVER_SPARE_PEERS; peer++) {
        play.net.server->sessions[peer].address.host = 0x0a000102u; // of the next client
    }
    const int32_t cat = TestNet_AddClient(&play.net, "cat");
    assert_true(wait_for(&play, cat, CL_EVENT_DROPPED, 3000));
    assert_string_equal(play.reason[cat],
                        "too many players of your address, with those who wait for their clients");
    assert_int_equal(stats(&play).refused_waiting, 1);
    cut(&play, ANN, false);
    assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 9000));
    TestNet_Free(&play.net);
}

// With sv_input_timeout_ms 0, a tick fills no missing time, but the player of a lost client falls.
static void test_a_waiting_player_falls(void **state) {
    (void)state;
    for (int32_t timeout_ms = 0; timeout_ms <= 100; timeout_ms += 100) {
        static lossy_t play;
        err_t err;
        start(&play, 4, 20);
        const int32_t slot = CL_Slot(play.net.clients[ANN]);
        play.net.clients[ANN]->back.grace_ms = 20000;
        assert_true(Server_SetCvar(play.net.server, "sv_input_timeout_ms",
                                   timeout_ms > 0 ? "100" : "0", &err));
        CL_SetInput(play.net.clients[ANN], &(cl_input_t){.yaw = 30.0f, .buttons = CL_BUTTON_JUMP});
        while (player(&play, slot)->player.velocity.z <= 100.0f) {
            step(&play);
        }
        cut(&play, ANN, true);
        run(&play, 12000);
        assert_true(is_lost(&play, slot));
        const player_state_t still = player(&play, slot)->player;
        assert_true((still.flags & PMF_ONGROUND) && VectorLength(still.velocity) == 0.0f);
        cut(&play, ANN, false);
        assert_true(wait_for(&play, ANN, CL_EVENT_RETURNED, 9000));
        assert_true(wait_active(&play, ANN, 2000));
        run(&play, 1000);
        assert_int_equal(mispredicted(&play, ANN), 0);
        TestNet_Free(&play.net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_client_returns_to_its_player),
        cmocka_unit_test(test_the_match_goes_on_meanwhile),
        cmocka_unit_test(test_the_grace_ends),
        cmocka_unit_test(test_reconnecting_can_be_off),
        cmocka_unit_test(test_a_thief_gets_no_player),
        cmocka_unit_test(test_a_sealed_key_needs_the_seal),
        cmocka_unit_test(test_a_full_server_keeps_the_slot),
        cmocka_unit_test(test_a_welcome_is_lost),
        cmocka_unit_test(test_two_return_at_once),
        cmocka_unit_test(test_the_map_changes_meanwhile),
        cmocka_unit_test(test_a_lost_player_becomes_a_spectator),
        cmocka_unit_test(test_the_operator_has_the_last_word),
        cmocka_unit_test(test_who_does_not_wait),
        cmocka_unit_test(test_the_waiting_count_for_their_address),
        cmocka_unit_test(test_a_waiting_player_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
