// Tests of both transports: the promises of transport.h hold for the real one and the simulated
// one.
#include "lib/net_rig.h"
#include "lib/testing.h"
#include "net/enet_transport.h"

#include <string.h>

static bool is_sim_of(void **state) {
    return *(bool *)*state;
}

// --- the suite -------------------------------------------------------------------------------

static void test_connect_and_talk(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    netaddr_t at = rig.server->more->address(rig.server, peer);
    assert_int_equal(at.host, rig.is_sim ? 0x0a010000u + 1000 : 0x7f000001u);
    net_heard_t server = {0};
    net_heard_t client = {0};
    assert_true(rig.clients[0]->send(rig.clients[0], 0, NET_CHANNEL_CONTROL, true, "hello", 5));
    assert_true(rig.server->send(rig.server, peer, NET_CHANNEL_SNAPSHOT, false, "snap", 4));
    rig.clients[0]->flush(rig.clients[0]);
    rig.server->flush(rig.server);
    NetRig_Run(&rig, 100, &server, &client);
    assert_int_equal(server.messages, 1);
    assert_int_equal(server.size, 5);
    assert_memory_equal(server.data, "hello", 5);
    assert_int_equal(server.channel, NET_CHANNEL_CONTROL);
    assert_int_equal(client.messages, 1);
    assert_memory_equal(client.data, "snap", 4);
    assert_int_equal(client.channel, NET_CHANNEL_SNAPSHOT);
    // A message may be empty.
    server.messages = 0;
    assert_true(rig.clients[0]->send(rig.clients[0], 0, NET_CHANNEL_CONTROL, true, "", 0));
    NetRig_Run(&rig, 100, &server, &client);
    assert_int_equal(server.messages, 1);
    assert_int_equal(server.size, 0);
    NetRig_Run(&rig, 3000, NULL, NULL);
    assert_in_range(rig.server->rtt_ms(rig.server, peer), 0, 100);
    net_counters_t counters = rig.server->more->counters(rig.server);
    assert_true(counters.packets_in >= 4);
    assert_true(counters.packets_out >= 4);
    assert_true(counters.guard_replied >= 1);
    assert_int_equal(counters.service_errors, 0);
    NetRig_Close(&rig);
}

static void test_sizes(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    transport_t *server = rig.server;
    static uint8_t bytes[MAX_MESSAGE_BYTES + 1];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7 + 3);
    }
    assert_false(server->send(server, peer, NET_CHANNEL_CONTROL, true, bytes, sizeof bytes));
    assert_false(
        server->send(server, peer, NET_CHANNEL_SNAPSHOT, false, bytes, MAX_PACKET_BYTES + 1));
    assert_false(server->send(server, peer, NET_NUM_CHANNELS, true, bytes, 1));
    assert_false(server->send(server, peer + 1, NET_CHANNEL_CONTROL, true, bytes, 1));
    assert_false(server->send(server, -1, NET_CHANNEL_CONTROL, true, bytes, 1));
    assert_false(server->send(server, 4, NET_CHANNEL_CONTROL, true, bytes, 1));
    assert_int_equal(server->more->counters(server).send_failed, 6);
    net_heard_t client = {0};
    assert_true(server->send(server, peer, NET_CHANNEL_CONTROL, true, bytes, MAX_MESSAGE_BYTES));
    NetRig_Run(&rig, 200, NULL, &client);
    assert_int_equal(client.messages, 1);
    assert_int_equal(client.size, MAX_MESSAGE_BYTES);
    assert_memory_equal(client.data, bytes, MAX_MESSAGE_BYTES);
    uint64_t packets = server->more->counters(server).packets_out;
    assert_true(server->send(server, peer, NET_CHANNEL_SNAPSHOT, false, bytes, MAX_PACKET_BYTES));
    server->flush(server);
    // The longest packet is exactly one datagram and never becomes fragments.
    assert_int_equal(server->more->counters(server).packets_out, packets + 1);
    NetRig_Run(&rig, 200, NULL, &client);
    assert_int_equal(client.messages, 2);
    assert_int_equal(client.size, MAX_PACKET_BYTES);
    // A message of a client fits in one datagram, too.
    transport_t *other = rig.clients[0];
    net_heard_t heard = {0};
    assert_false(other->send(other, 0, NET_CHANNEL_CONTROL, true, bytes, MAX_REQUEST_BYTES + 1));
    assert_true(other->send(other, 0, NET_CHANNEL_CONTROL, true, bytes, MAX_REQUEST_BYTES));
    NetRig_Run(&rig, 200, &heard, NULL);
    assert_int_equal(heard.messages, 1);
    assert_int_equal(heard.size, MAX_REQUEST_BYTES);
    NetRig_Close(&rig);
}

static void test_reliable_in_order(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    uint32_t sent = 0;
    uint32_t expected = 0;
    for (int32_t step = 0; step < 1200; step++) {
        for (int32_t i = 0; i < 3 && sent < 3000; i++, sent++) {
            assert_true(
                rig.server->send(rig.server, peer, NET_CHANNEL_CONTROL, true, &sent, sizeof sent));
        }
        NetRig_Advance(&rig);
        net_heard_t server = {0};
        NetRig_Listen(&rig, rig.server, &server);
        net_event_t event;
        for (rig.clients[0]->poll(rig.clients[0], rig.now_ms, &event); event.type != NET_NONE;
             rig.clients[0]->poll(rig.clients[0], rig.now_ms, &event)) {
            assert_int_equal(event.type, NET_MESSAGE);
            assert_int_equal(event.size, sizeof expected);
            assert_memory_equal(event.data, &expected, sizeof expected);
            expected++;
        }
    }
    assert_int_equal(expected, 3000); // more than may be queued at once
    NetRig_Close(&rig);
}

static void test_drop_tells_why_after_the_rest(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    net_heard_t server = {0};
    net_heard_t client = {0};
    for (int32_t i = 0; i < 20; i++) {
        assert_true(
            rig.server->send(rig.server, peer, NET_CHANNEL_CONTROL, true, "last words", 10));
    }
    rig.server->drop(rig.server, peer, NET_REASON_KICKED);
    rig.server->drop(rig.server, peer, NET_REASON_SHUTDOWN); // the first reason counts
    assert_false(rig.server->send(rig.server, peer, NET_CHANNEL_CONTROL, true, "more", 4));
    // Messages of a dropped client are not delivered.
    assert_true(rig.clients[0]->send(rig.clients[0], 0, NET_CHANNEL_CONTROL, true, "what", 4));
    NetRig_Run(&rig, 1000, &server, &client);
    assert_int_equal(client.messages, 20);
    assert_int_equal(client.left, 1);
    assert_int_equal(client.reason, NET_REASON_KICKED);
    assert_int_equal(server.left, 1);
    assert_int_equal(server.reason, NET_REASON_KICKED);
    assert_int_equal(server.messages, 0);
    // Both ends may start again: the peer has the same number and a new connection.
    assert_int_equal(NetRig_Join(&rig, 0), peer);
    NetRig_Close(&rig);
}

static void test_client_leaves(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    net_heard_t server = {0};
    net_heard_t client = {0};
    assert_true(rig.clients[0]->send(rig.clients[0], 0, NET_CHANNEL_CONTROL, true, "bye", 3));
    rig.clients[0]->drop(rig.clients[0], 0, NET_REASON_LEFT);
    NetRig_Run(&rig, 1000, &server, &client);
    assert_int_equal(server.messages, 1);
    assert_int_equal(server.left, 1);
    assert_int_equal(server.last_peer, peer);
    assert_int_equal(server.reason, NET_REASON_LEFT);
    assert_int_equal(client.left, 1);
    assert_int_equal(client.reason, NET_REASON_LEFT);
    NetRig_Close(&rig);
}

static void test_client_gives_up(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    NetRig_Join(&rig, 0);
    net_heard_t server = {0};
    net_heard_t client = {0};
    rig.clients[0]->drop(rig.clients[0], 0, NET_REASON_TIMEOUT);
    NetRig_Run(&rig, 20, &server, &client);
    assert_int_equal(client.left, 1); // its only peer is free again
    assert_int_equal(client.reason, NET_REASON_TIMEOUT);
    assert_int_equal(rig.clients[0]->connect(rig.clients[0], rig.server_address, NULL), 0);
    NetRig_Run(&rig, 1000, &server, &client);
    assert_int_equal(server.reason, NET_REASON_TIMEOUT);
    assert_int_equal(server.left, 1);
    assert_int_equal(client.connected, 1);
    NetRig_Close(&rig);
}

static void test_timeout(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 2);
    int32_t peer = NetRig_Join(&rig, 0);
    NetRig_Join(&rig, 1);
    rig.clients[0]->destroy(rig.clients[0]); // the machine lost power: no goodbye
    rig.clients[0] = NULL;
    net_heard_t server = {0};
    NetRig_Run(&rig, NET_TIMEOUT_MS - 1500, &server, NULL);
    assert_int_equal(server.left, 0);
    NetRig_Run(&rig, 4000, &server, NULL);
    assert_int_equal(server.left, 1);
    assert_int_equal(server.last_peer, peer);
    assert_int_equal(server.reason, NET_REASON_TIMEOUT);
    assert_int_equal(rig.server->more->counters(rig.server).timeouts, 1);
    // The other client is not affected.
    assert_true(rig.clients[1]->send(rig.clients[1], 0, NET_CHANNEL_CONTROL, true, "here", 4));
    NetRig_Run(&rig, 200, &server, NULL);
    assert_int_equal(server.messages, 1);
    NetRig_Close(&rig);
}

static void test_server_vanishes(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    NetRig_Join(&rig, 0);
    rig.server->destroy(rig.server);
    rig.server = NULL;
    net_heard_t client = {0};
    NetRig_Run(&rig, 1000, NULL, &client);
    int64_t silence_ms = rig.clients[0]->silence_ms(rig.clients[0], 0);
    assert_in_range(silence_ms, 900, 1600); // since the last ping
    // The client waits longer, because the server may be loading a map.
    NetRig_Run(&rig, NET_BUSY_MS - 2000, NULL, &client);
    assert_int_equal(client.left, 0);
    NetRig_Run(&rig, 2000, NULL, &client);
    assert_int_equal(client.left, 1);
    assert_int_equal(client.reason, NET_REASON_TIMEOUT);
    NetRig_Close(&rig);
}

static void test_connect_in_vain(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    err_t err = {""};
    netaddr_t nobody = rig.is_sim ? (netaddr_t){.host = 0x0a000099u, .port = 9}
                                  : (netaddr_t){.host = 0x7f000001u, .port = 9};
    assert_int_equal(rig.clients[0]->connect(rig.clients[0], nobody, &err), 0);
    assert_int_equal(rig.clients[0]->connect(rig.clients[0], nobody, &err), -1);
    assert_non_null(strstr(err.text, "in use"));
    assert_int_equal(rig.clients[0]->connect(rig.clients[0], (netaddr_t){0}, &err), -1);
    net_heard_t client = {0};
    NetRig_Run(&rig, 9900, NULL, &client);
    assert_int_equal(client.left, 0);
    assert_in_range(rig.clients[0]->more->counters(rig.clients[0]).packets_out, 66, 73);
    NetRig_Run(&rig, 300, NULL, &client);
    assert_int_equal(client.left, 1);
    assert_int_equal(client.connected, 0);
    // A drop during the cookie exchange ends it at once.
    assert_int_equal(rig.clients[0]->connect(rig.clients[0], nobody, &err), 0);
    rig.clients[0]->drop(rig.clients[0], 0, NET_REASON_LEFT);
    NetRig_Run(&rig, 20, NULL, &client);
    assert_int_equal(client.left, 2);
    assert_int_equal(client.reason, NET_REASON_LEFT);
    NetRig_Close(&rig);
}

static void test_full(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 2, 3);
    NetRig_Join(&rig, 0);
    int32_t second = NetRig_Join(&rig, 1);
    err_t err = {""};
    static net_heard_t clients[NET_RIG_CLIENTS];
    memset(clients, 0, sizeof clients);
    assert_int_equal(rig.clients[2]->connect(rig.clients[2], rig.server_address, &err), 0);
    NetRig_Run(&rig, 500, NULL, clients);
    assert_int_equal(clients[2].left, 1);
    assert_int_equal(clients[2].reason, NET_REASON_FULL);
    assert_int_equal(clients[0].left + clients[1].left, 0);
    rig.clients[1]->drop(rig.clients[1], 0, NET_REASON_LEFT);
    NetRig_Run(&rig, 500, NULL, clients);
    assert_int_equal(NetRig_Join(&rig, 2), second);
    NetRig_Close(&rig);
}

static void test_overflow(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    static uint8_t bytes[8000];
    int32_t sent = 0;
    while (sent < 1000 &&
           rig.server->send(rig.server, peer, NET_CHANNEL_CONTROL, true, bytes, sizeof bytes)) {
        sent++;
    }
    assert_int_equal(sent, NET_MAX_QUEUED_BYTES / (int32_t)sizeof bytes);
    net_heard_t server = {0};
    net_heard_t client = {0};
    NetRig_Run(&rig, 2500, &server, &client);
    assert_int_equal(server.left, 1);
    assert_int_equal(server.reason, NET_REASON_OVERFLOW);
    assert_int_equal(client.left, 1);
    assert_int_equal(client.reason, NET_REASON_OVERFLOW);
    // Ten times the limit is fine if the queue is emptied in between.
    peer = NetRig_Join(&rig, 0);
    client.messages = 0;
    for (int32_t i = 0; i < 330; i++) {
        assert_true(
            rig.server->send(rig.server, peer, NET_CHANNEL_CONTROL, true, bytes, sizeof bytes));
        NetRig_Run(&rig, 60, &server, &client);
    }
    assert_int_equal(client.messages, 330);
    NetRig_Close(&rig);
}

static void test_goodbye_has_an_end(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    int32_t peer = NetRig_Join(&rig, 0);
    rig.clients[0]->destroy(rig.clients[0]);
    rig.clients[0] = NULL;
    assert_true(rig.server->send(rig.server, peer, NET_CHANNEL_CONTROL, true, "gone?", 5));
    rig.server->drop(rig.server, peer, NET_REASON_BAD_DATA);
    net_heard_t server = {0};
    NetRig_Run(&rig, NET_GOODBYE_MS - 100, &server, NULL);
    assert_int_equal(server.left, 0);
    NetRig_Run(&rig, 200, &server, NULL);
    assert_int_equal(server.left, 1);
    assert_int_equal(server.reason, NET_REASON_BAD_DATA);
    NetRig_Close(&rig);
}

static void test_out_of_band(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 1);
    net_heard_t server = {0};
    net_heard_t client = {0};
    static const char question[] = "\xff\xff\xff\xffhow many";
    transport_t *asker = rig.clients[0];
    assert_false(asker->more->send_oob(asker, rig.server_address, "plain", 5));
    assert_false(asker->more->send_oob(asker, rig.server_address, question, 4));
    assert_true(asker->more->send_oob(asker, rig.server_address, question, sizeof question - 1));
    NetRig_Run(&rig, 50, &server, &client);
    assert_int_equal(server.oob, 1);
    assert_int_equal(server.size, sizeof question - 1);
    assert_memory_equal(server.data, question, sizeof question - 1);
    assert_true(rig.server->more->send_oob(rig.server, server.from,
                                           "\xff\xff\xff\xff"
                                           "3",
                                           5));
    NetRig_Run(&rig, 50, &server, &client);
    assert_int_equal(client.oob, 1);
    assert_memory_equal(client.data + 4, "3", 1);
    assert_int_equal(client.from.port, rig.server_address.port);
    NetRig_Close(&rig);
}

static void test_many_connect_and_leave_at_once(void **state) {
    enum { MANY = NET_RIG_CLIENTS };
    net_rig_t rig = NetRig_Open(is_sim_of(state), MANY, MANY);
    err_t err = {""};
    net_heard_t server = {0};
    static net_heard_t clients[MANY];
    for (int32_t round = 0; round < 3; round++) {
        memset(&server, 0, sizeof server);
        memset(clients, 0, sizeof clients);
        for (int32_t i = 0; i < MANY; i++) {
            assert_int_equal(rig.clients[i]->connect(rig.clients[i], rig.server_address, &err), 0);
        }
        NetRig_Run(&rig, 1000, &server, clients);
        assert_int_equal(server.connected, MANY);
        for (int32_t i = 0; i < MANY; i++) {
            assert_int_equal(clients[i].connected, 1);
            rig.clients[i]->drop(rig.clients[i], 0, NET_REASON_LEFT);
        }
        NetRig_Run(&rig, 1000, &server, clients);
        assert_int_equal(server.left, MANY);
        for (int32_t i = 0; i < MANY; i++) {
            assert_int_equal(clients[i].left, 1);
        }
    }
    NetRig_Close(&rig);
}

static void test_drop_everybody(void **state) {
    enum { MANY = 32 };
    net_rig_t rig = NetRig_Open(is_sim_of(state), MANY, MANY);
    err_t err = {""};
    net_heard_t server = {0};
    static net_heard_t clients[MANY];
    memset(clients, 0, sizeof clients);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(rig.clients[i]->connect(rig.clients[i], rig.server_address, &err), 0);
    }
    NetRig_Run(&rig, 1000, &server, clients);
    assert_int_equal(server.connected, MANY);
    for (int32_t i = 0; i < MANY; i++) {
        rig.server->drop(rig.server, i, NET_REASON_SHUTDOWN);
    }
    NetRig_Run(&rig, 1000, &server, clients);
    assert_int_equal(server.left, MANY);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(clients[i].left, 1);
        assert_int_equal(clients[i].reason, NET_REASON_SHUTDOWN);
    }
    NetRig_Close(&rig);
}

static void test_two_servers(void **state) {
    net_rig_t rig = NetRig_Open(is_sim_of(state), 4, 2);
    net_rig_t other = rig; // same network and time, another server
    other.server = NULL;
    if (rig.is_sim) {
        netaddr_t at = {.host = 0x0a000002u, .port = 27500};
        other.server = SimNet_Transport(rig.sim, at, 4, true);
        other.server_address = at;
        assert_null(SimNet_Transport(rig.sim, at, 4, true));
    } else {
        other.server = NetRig_Make(&rig, 4, true, 0);
        other.server_address.port = EnetTransport_Port(other.server);
    }
    assert_non_null(other.server);
    err_t err = {""};
    net_heard_t heard[2] = {{0}, {0}};
    static net_heard_t clients[NET_RIG_CLIENTS];
    memset(clients, 0, sizeof clients);
    rig.clients[0]->connect(rig.clients[0], rig.server_address, &err);
    rig.clients[1]->connect(rig.clients[1], other.server_address, &err);
    for (int32_t i = 0; i < 200; i++) {
        NetRig_Run(&rig, NET_RIG_STEP_MS, &heard[0], clients);
        other.now_ms = rig.now_ms;
        NetRig_Listen(&other, other.server, &heard[1]);
    }
    assert_int_equal(heard[0].connected, 1);
    assert_int_equal(heard[1].connected, 1);
    assert_int_equal(clients[0].connected, 1);
    assert_int_equal(clients[1].connected, 1);
    other.server->destroy(other.server);
    NetRig_Close(&rig);
}

#define CASES(flag, suffix)                                                                        \
    {"connect_and_talk" suffix, test_connect_and_talk, NULL, NULL, flag},                          \
        {"sizes" suffix, test_sizes, NULL, NULL, flag},                                            \
        {"reliable_in_order" suffix, test_reliable_in_order, NULL, NULL, flag},                    \
        {"drop_tells_why" suffix, test_drop_tells_why_after_the_rest, NULL, NULL, flag},           \
        {"client_leaves" suffix, test_client_leaves, NULL, NULL, flag},                            \
        {"client_gives_up" suffix, test_client_gives_up, NULL, NULL, flag},                        \
        {"timeout" suffix, test_timeout, NULL, NULL, flag},                                        \
        {"server_vanishes" suffix, test_server_vanishes, NULL, NULL, flag},                        \
        {"connect_in_vain" suffix, test_connect_in_vain, NULL, NULL, flag},                        \
        {"full" suffix, test_full, NULL, NULL, flag},                                              \
        {"overflow" suffix, test_overflow, NULL, NULL, flag},                                      \
        {"goodbye_has_an_end" suffix, test_goodbye_has_an_end, NULL, NULL, flag},                  \
        {"out_of_band" suffix, test_out_of_band, NULL, NULL, flag},                                \
        {"many_at_once" suffix, test_many_connect_and_leave_at_once, NULL, NULL, flag},            \
        {"drop_everybody" suffix, test_drop_everybody, NULL, NULL, flag}, {                        \
        "two_servers" suffix, test_two_servers, NULL, NULL, flag                                   \
    }

int main(void) {
    static bool sim = true;
    static bool enet = false;
    const struct CMUnitTest tests[] = {CASES(&sim, " (simulated)"), CASES(&enet, " (enet)")};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
