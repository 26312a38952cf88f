// Idle players: which ones count as idle, and when the server drops one.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define STEP_MS 32

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

static void build(test_net_t *net, int32_t max_clients) {
    const test_net_config_t config = {.seed = 1, .max_clients = max_clients, .map = &room};
    TestNet_Init(net, &config);
}

// Runs `count` peers for `ms`. Each repeats one usercmd; only the first `turns` peers change their
// view.
static void play_all(test_peer_t *peers, int32_t count, int32_t turns, int32_t ms) {
    static uint16_t seq = 0;
    for (int32_t at = 0; at < ms; at += count * STEP_MS) {
        for (int32_t i = 0; i < count; i++) {
            int64_t tick = Server_World(peers[i].net->server)->tick + 2;
            usercmd_packet_t packet = {
                .epoch = peers[i].last[CTL_MAP].u.map.epoch & 0xffu, .first_seq = seq, .count = 1};
            packet.cmds[0] = (usercmd_t){.tick = tick, .view_tick = tick, .msec = 16};
            packet.cmds[0].yaw = i < turns ? (uint16_t)(seq * 100) : 5000;
            uint8_t data[MAX_PACKET_BYTES];
            msg_writer_t msg = MSG_Writer(data, sizeof data);
            UserCmd_Write(&msg, &packet);
            transport_t *net = peers[i].transport;
            (void)net->send(net, peers[i].peer, NET_CHANNEL_USERCMD, false, data, MSG_Finish(&msg));
            TestPeer_Run(&peers[i], STEP_MS);
        }
        seq++;
    }
}

// A full server drops the player that has been idle longest, and only when another one joins.
static void test_idle_players_yield(void **state) {
    (void)state;
    static test_net_t net;
    static test_peer_t peers[4];
    build(&net, 3);
    Server_SetIdle(net.server, 30);
    for (int32_t i = 0; i < 3; i++) { // 0 plays, 1 is idle, 2 becomes idle later
        TestPeer_Join(&peers[i], &net, i, "player");
    }
    play_all(peers, 3, 3, 1000);
    play_all(peers, 3, 1, 29000);
    TestPeer_Connect(&peers[3], &net, 3);
    TestPeer_Hello(&peers[3], "too early");
    play_all(peers, 3, 1, 500);
    TestPeer_Run(&peers[3], 100);
    assert_int_equal(peers[3].heard[CTL_REFUSED], 1);
    TestPeer_Free(&peers[3]);
    TestPeer_Text(&peers[1], CTL_SAY, "still here"); // sending a text counts as activity
    play_all(peers, 3, 1, 3000);
    assert_int_equal(Server_NumPlayers(net.server), 3);
    TestPeer_Connect(&peers[3], &net, 4);
    TestPeer_Hello(&peers[3], "newcomer");
    play_all(peers, 3, 1, 500);
    TestPeer_Run(&peers[2], 100);
    TestPeer_Run(&peers[3], 100);
    assert_int_equal(peers[3].heard[CTL_WELCOME], 1);
    assert_int_equal(peers[3].last[CTL_WELCOME].u.welcome.slot, 2);
    assert_true(peers[2].left);
    assert_int_equal(peers[2].reason, NET_REASON_IDLE);
    assert_non_null(
        strstr(peers[2].last[CTL_GOODBYE].u.text.text, "another player needs the slot"));
    assert_false(peers[0].left);
    assert_false(peers[1].left);
    assert_int_equal(Server_Stats(net.server).idle_removed, 1);
    for (int32_t i = 0; i < 4; i++) {
        TestPeer_Free(&peers[i]);
    }
    TestNet_Free(&net);
}

// Connects and sends HELLO. Returns true if the peer receives a slot.
static bool gets_slot(test_net_t *net, test_peer_t *peer, int32_t number) {
    TestPeer_Connect(peer, net, number);
    TestPeer_Hello(peer, "again");
    TestPeer_Run(peer, 200);
    return peer->heard[CTL_WELCOME] == 1;
}

// An address cannot keep its slots by joining again: it receives no idle player's slot while one of
// its own players has done nothing since the join. Addresses in sv_proxies are exempt.
static void test_joining_again_keeps_no_slot(void **state) {
    (void)state;
    for (int32_t exempt = 0; exempt < 2; exempt++) {
        static test_net_t net;
        test_peer_t passive, idle, again, later;
        netranges_t relays = {.count = exempt, .list = {{0x0a000900u, 32}}}; // of peer 0
        const test_net_config_t config = {
            .seed = 1, .max_clients = 2, .map = &room, .exempt = &relays};
        TestNet_Init(&net, &config);
        Server_SetIdle(net.server, 5);
        TestPeer_Join(&idle, &net, 1, "idle");
        TestPeer_Join(&passive, &net, 0, "passive");
        TestPeer_Run(&idle, 6000);
        assert_int_equal(gets_slot(&net, &again, 100), exempt);
        assert_int_equal(Server_Stats(net.server).refused_full, 1 - exempt);
        TestPeer_Text(&passive, CTL_SAY, "hello"); // so it is an idle player like any other
        TestPeer_Run(&passive, 6000);
        assert_true(gets_slot(&net, &later, 200));
        TestPeer_Free(&passive);
        TestPeer_Free(&idle);
        TestPeer_Free(&again);
        TestPeer_Free(&later);
        TestNet_Free(&net);
    }
}

// Connects and sends HELLO with a password. Returns true if the peer receives a slot.
static bool gives_password(test_net_t *net, test_peer_t *peer, int32_t number, const char *text) {
    control_msg_t msg = {.type = CTL_HELLO};
    msg.u.hello.version = PROTO_VERSION;
    strlcpy(msg.u.hello.name, "somebody", sizeof msg.u.hello.name);
    strlcpy(msg.u.hello.password, text, sizeof msg.u.hello.password);
    TestPeer_Connect(peer, net, number);
    TestPeer_Send(peer, &msg);
    TestPeer_Run(peer, 200);
    return peer->heard[CTL_WELCOME] == 1;
}

// Bots join with their own password. On a full server the newest bot yields to a person, and a bot
// takes nobody's slot.
static void test_bots_yield_to_people(void **state) {
    (void)state;
    static test_net_t net;
    static test_peer_t bots[3], people[3];
    int32_t playing = -1;
    build(&net, 2);
    Server_SetIdle(net.server, 5);
    Server_SetPassword(net.server, "for people");
    assert_false(gives_password(&net, &bots[2], 9, "for bots")); // there are no bots yet
    TestPeer_Free(&bots[2]);
    Server_SetBotPassword(net.server, "for bots");
    assert_true(gives_password(&net, &bots[0], 0, "for bots"));
    assert_true(gives_password(&net, &bots[1], 1, "for bots"));
    assert_int_equal(Server_NumPeople(net.server, &playing), 0);
    assert_int_equal(playing, 0);
    assert_true(gives_password(&net, &people[0], 2, "for people"));
    TestPeer_Run(&bots[1], 100);
    assert_true(bots[1].left);
    assert_false(bots[0].left);
    assert_non_null(strstr(bots[1].last[CTL_GOODBYE].u.text.text, "a person needs the slot"));
    assert_int_equal(Server_NumPeople(net.server, &playing), 1);
    assert_int_equal(playing, 1);
    assert_true(gives_password(&net, &people[1], 3, "for people"));
    TestPeer_Run(&people[0], 6000); // both people are idle now
    assert_false(gives_password(&net, &bots[2], 4, "for bots"));
    assert_int_equal(Server_NumPeople(net.server, &playing), 2);
    assert_false(gives_password(&net, &people[2], 5, "for bots?"));
    for (int32_t i = 0; i < 3; i++) {
        TestPeer_Free(&bots[i]);
        TestPeer_Free(&people[i]);
    }
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_players_yield),
        cmocka_unit_test(test_joining_again_keeps_no_slot),
        cmocka_unit_test(test_bots_yield_to_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
