// Tests unreliable messages that do not pass ENet: the same bytes, the same order, the same limits.
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"

#include <string.h>

#define MAX_DIGITS 1000

static enet_transport_t *open_of(transport_t *net) {
    return (enet_transport_t *)net;
}

/// Polls the server once, without advancing time, and checks the message of peer 0.
static net_event_t expect(udp_rig_t *rig, uint8_t channel, const char *text) {
    net_event_t event;
    rig->server->poll(rig->server, rig->now_ms, &event);
    assert_int_equal(event.type, NET_MESSAGE);
    assert_int_equal(event.peer, 0);
    assert_int_equal(event.channel, channel);
    assert_int_equal(event.size, strlen(text));
    assert_memory_equal(event.data, text, event.size);
    return event;
}

static void send_cmd(transport_t *client, const char *text) {
    assert_true(client->send(client, 0, NET_CHANNEL_USERCMD, false, text, strlen(text)));
    client->flush(client);
}

static bool is_direct(const udp_rig_t *rig, const net_event_t *event) {
    const uint8_t *data = open_of(rig->server)->direct.data;
    return event->data >= data && event->data < data + sizeof open_of(rig->server)->direct.data;
}

/// Tests that a peer's messages are reported in the order of their datagrams, through ENet or not.
static void test_order(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    send_cmd(client, "one");
    send_cmd(client, "two");
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "ready", 5));
    client->flush(client);
    send_cmd(client, "three");
    rig.now_ms += 16;
    net_event_t event = expect(&rig, NET_CHANNEL_USERCMD, "one");
    assert_true(is_direct(&rig, &event));
    expect(&rig, NET_CHANNEL_USERCMD, "two");
    expect(&rig, NET_CHANNEL_CONTROL, "ready");
    event = expect(&rig, NET_CHANNEL_USERCMD, "three");
    assert_false(is_direct(&rig, &event));
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Sends `count` numbers, each of `digits` digits, and an old message. Expects that the first
/// `num_direct` do not pass ENet.
static void drain(int32_t count, int32_t digits, int32_t num_direct) {
    char text[MAX_DIGITS + 1];
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    ENetChannel *channel = &open_of(client)->slots[0].peer->channels[NET_CHANNEL_USERCMD];
    for (int32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%0*d", digits, i);
        send_cmd(client, text);
    }
    channel->outgoingUnreliableSequenceNumber -= 2;
    send_cmd(client, "old");
    rig.now_ms += 16;
    for (int32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%0*d", digits, i);
        net_event_t event = expect(&rig, NET_CHANNEL_USERCMD, text);
        assert_int_equal(is_direct(&rig, &event), i < num_direct);
    }
    net_event_t event;
    rig.server->poll(rig.server, rig.now_ms, &event);
    assert_int_equal(event.type, NET_NONE);
    assert_int_equal(Udp_Filtered(rig.server, FILTER_OLD), 1);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Tests more messages, and more bytes, than are taken in a drain.
static void test_many(void **state) {
    (void)state;
    const int32_t bytes = (int32_t)sizeof((enet_direct_t *)NULL)->data;
    drain(ENET_DIRECT_MESSAGES + 40, 1, ENET_DIRECT_MESSAGES);
    drain(40, MAX_DIGITS, bytes / MAX_DIGITS);
}

/// Tests that a dropped peer's messages are not reported.
static void test_dropped(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    send_cmd(client, "one");
    send_cmd(client, "two");
    rig.now_ms += 16;
    expect(&rig, NET_CHANNEL_USERCMD, "one");
    rig.server->drop(rig.server, 0, NET_REASON_KICKED);
    net_event_t event;
    rig.server->poll(rig.server, rig.now_ms, &event);
    assert_int_not_equal(event.type, NET_MESSAGE);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Tests an empty message, and two messages in one datagram, which pass ENet.
static void test_forms(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    send_cmd(client, "");
    ENetPeer *peer = open_of(client)->slots[0].peer;
    enet_peer_send(peer, NET_CHANNEL_USERCMD, enet_packet_create("one", 3, 0));
    enet_peer_send(peer, NET_CHANNEL_USERCMD, enet_packet_create("two", 3, 0));
    open_of(client)->has_queued = true;
    client->flush(client);
    rig.now_ms += 16;
    net_event_t event = expect(&rig, NET_CHANNEL_USERCMD, "");
    assert_true(is_direct(&rig, &event));
    event = expect(&rig, NET_CHANNEL_USERCMD, "one");
    assert_false(is_direct(&rig, &event));
    expect(&rig, NET_CHANNEL_USERCMD, "two");
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Tests that a drop is sent by a flush alone, and that a message may wait at the end.
static void test_end(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    send_cmd(client, "one");
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "ready", 5));
    client->flush(client);
    rig.now_ms += 16;
    expect(&rig, NET_CHANNEL_USERCMD, "one");
    assert_int_equal(open_of(rig.server)->later.type, ENET_EVENT_TYPE_RECEIVE);
    rig.server->drop(rig.server, 0, NET_REASON_KICKED);
    rig.server->flush(rig.server);
    net_event_t event;
    client->poll(client, rig.now_ms, &event);
    assert_int_equal(event.type, NET_LEFT);
    rig.server->destroy(rig.server);
    client->destroy(client);
}

/// Sends a message to peer 0, and returns the client's datagram.
static const uint8_t *receive(udp_rig_t *rig, transport_t *client, size_t *size) {
    net_event_t event;
    rig->server->flush(rig->server);
    client->poll(client, rig->now_ms, &event);
    assert_int_equal(event.type, NET_MESSAGE);
    *size = open_of(client)->batch.sizes[0];
    client->poll(client, rig->now_ms, &event);
    assert_int_equal(event.type, NET_NONE);
    return open_of(client)->batch.data[0];
}

/// Tests that ENet would send the same bytes.
static void test_bytes(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Client(false);
    client->set_seal(client, NET_SEAL_OFF, NULL);
    assert_int_equal(client->connect(client, rig.at, NULL), 0);
    assert_int_equal(UdpRig_Run(&rig, client, 300), NET_CONNECTED);
    UdpRig_Run(&rig, client, 2000);
    enet_transport_t *net = open_of(rig.server);
    uint8_t direct[64];
    size_t size = 0, direct_size = 0;
    ENetChannel *channel = &net->host->peers[0].channels[NET_CHANNEL_SNAPSHOT];
    channel->outgoingUnreliableSequenceNumber = 0x1234;
    rig.server->send(rig.server, 0, NET_CHANNEL_SNAPSHOT, false, "state", 5);
    assert_int_equal(net->out.count, 1);
    const uint8_t *data = receive(&rig, client, &direct_size);
    memcpy(direct, data, direct_size);
    // Send the same number through ENet. The client forgets that it has received the number.
    channel->outgoingUnreliableSequenceNumber = 0x1234;
    ENetPeer *receiver = open_of(client)->slots[0].peer;
    receiver->channels[NET_CHANNEL_SNAPSHOT].incomingUnreliableSequenceNumber = 0;
    enet_peer_send(&net->host->peers[0], NET_CHANNEL_SNAPSHOT, enet_packet_create("state", 5, 0));
    net->has_queued = true;
    data = receive(&rig, client, &size);
    assert_int_equal(size, direct_size);
    assert_memory_equal(data, direct, size);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),   cmocka_unit_test(test_many), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_dropped), cmocka_unit_test(test_end),  cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
