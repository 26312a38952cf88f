// Tests of sealed sessions over UDP on loopback: joins of all kinds, and a watcher of the wire that
// replays and forges.
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/wire.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEEN 4096

/// A wire between a client and the server, whose watcher sees every datagram.
typedef struct {
    udp_rig_t rig;
    transport_t *client;
    int near, far;      ///< sockets towards the client and towards the server
    bool loses_connect; ///< loses the next sealed CONNECT
    bool holds;         ///< keeps the client's datagrams
    int32_t count;
    struct {
        bool to_server;
        size_t size;
        uint8_t bytes[1500];
    } seen[MAX_SEEN];
} wire_t;

static const uint8_t secret[32] = {1, 2, 3, 4, 5, 6, 7, 8};

static netaddr_t address_of(int fd) {
    struct sockaddr_in name;
    socklen_t size = sizeof name;
    assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &size), 0);
    return (netaddr_t){.host = UDP_LOOPBACK, .port = ntohs(name.sin_port)};
}

static void send_to(wire_t *wire, bool to_server, const uint8_t *bytes, size_t size) {
    netaddr_t client = {.host = UDP_LOOPBACK, .port = EnetTransport_Port(wire->client)};
    assert_true(Udp_Send(to_server ? wire->far : wire->near, to_server ? wire->rig.at : client,
                         bytes, size));
}

/// Moves the datagrams that wait in one direction.
static void forward(wire_t *wire, bool to_server) {
    uint8_t bytes[1500];
    ssize_t size = 0;
    while ((size = recv(to_server ? wire->near : wire->far, bytes, sizeof bytes, 0)) > 0) {
        assert_true(wire->count < MAX_SEEN);
        wire->seen[wire->count].to_server = to_server;
        wire->seen[wire->count].size = (size_t)size;
        memcpy(wire->seen[wire->count++].bytes, bytes, (size_t)size);
        if (to_server && wire->loses_connect && memcmp(bytes + 4, "sealed", 6) == 0) {
            wire->loses_connect = false;
        } else if (!to_server || !wire->holds) {
            send_to(wire, to_server, bytes, (size_t)size);
        }
    }
}

/// Runs both ends. Returns the client's last event that was not a message; *messages counts those.
static net_event_type_t run(wire_t *wire, int32_t ms, int32_t *messages) {
    net_event_type_t last = NET_NONE;
    for (int64_t end = wire->rig.now_ms + ms; wire->rig.now_ms < end;) {
        net_event_t event;
        forward(wire, true);
        UdpRig_Poll(&wire->rig);
        forward(wire, false);
        for (wire->client->poll(wire->client, wire->rig.now_ms, &event); event.type != NET_NONE;
             wire->client->poll(wire->client, wire->rig.now_ms, &event)) {
            last = event.type == NET_MESSAGE ? last : event.type;
            *messages += event.type == NET_MESSAGE;
        }
    }
    return last;
}

/// Connects a client through the wire.
static wire_t *open_wire(net_seal_t seal, bool loses_connect) {
    int32_t messages = 0;
    wire_t *wire = calloc(1, sizeof *wire);
    assert_non_null(wire);
    wire->rig = UdpRig_Open((enet_transport_config_t){.secret_key = secret});
    wire->client = UdpRig_Client(false);
    wire->near = Udp_Open();
    wire->far = Udp_Open();
    wire->loses_connect = loses_connect;
    wire->client->set_seal(wire->client, seal, NULL);
    assert_int_equal(wire->client->connect(wire->client, address_of(wire->near), NULL), 0);
    assert_int_equal(run(wire, 1500, &messages), NET_CONNECTED);
    assert_int_equal(wire->rig.connected, 1);
    return wire;
}

static void close_wire(wire_t *wire) {
    close(wire->near);
    close(wire->far);
    wire->client->destroy(wire->client);
    wire->rig.server->destroy(wire->rig.server);
    free(wire);
}

/// Returns the ENet peer of the client at the server.
static const ENetPeer *server_peer(const wire_t *wire) {
    const enet_transport_t *net = (const enet_transport_t *)wire->rig.server;
    return &net->host->peers[wire->rig.last_peer];
}

/// Sends some messages both ways.
static void talk(wire_t *wire, int32_t count) {
    transport_t *server = wire->rig.server;
    int32_t heard = 0, before = wire->rig.messages;
    for (int32_t i = 0; i < count; i++) {
        assert_true(wire->client->send(wire->client, 0, 0, true, &i, sizeof i));
        assert_true(server->send(server, wire->rig.last_peer, 0, true, &i, sizeof i));
        assert_int_equal(run(wire, 5, &heard), NET_NONE);
    }
    assert_int_equal(run(wire, 200, &heard), NET_NONE);
    assert_int_equal(heard, count);
    assert_int_equal(wire->rig.messages, before + count);
}

static udp_rig_t open_server(net_seal_t seal) {
    return UdpRig_Open((enet_transport_config_t){.seal = seal, .secret_key = secret});
}

static void close_both(udp_rig_t *rig, transport_t *client) {
    client->destroy(client);
    rig->server->destroy(rig->server);
}

/// Connects a client. Returns NET_REASON_COUNT if it got in, otherwise the reason.
static net_reason_t join(udp_rig_t *rig, transport_t *client, net_seal_t seal, const uint8_t *key) {
    net_event_t event;
    client->set_seal(client, seal, key);
    assert_int_equal(client->connect(client, rig->at, NULL), 0);
    for (int32_t ms = 0; ms < 12000; ms += 5) {
        UdpRig_Poll(rig);
        client->poll(client, rig->now_ms, &event);
        if (event.type == NET_CONNECTED || event.type == NET_LEFT) {
            return event.type == NET_CONNECTED ? NET_REASON_COUNT : event.reason;
        }
    }
    fail_msg("neither connected nor refused");
    return NET_REASON_NONE;
}

/// Tests that a message passes in both directions.
static void assert_talks(udp_rig_t *rig, transport_t *client) {
    net_event_t event;
    int32_t before = rig->messages, heard = 0;
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "up", 2));
    assert_true(rig->server->send(rig->server, rig->last_peer, 2, false, "down", 4));
    for (int32_t ms = 0; ms < 1000; ms += 5) {
        UdpRig_Poll(rig);
        for (client->poll(client, rig->now_ms, &event); event.type != NET_NONE;
             client->poll(client, rig->now_ms, &event)) {
            heard += event.type == NET_MESSAGE && memcmp(event.data, "down", 4) == 0;
        }
    }
    assert_int_equal(rig->messages, before + 1);
    assert_int_equal(heard, 1);
}

/// Tests every pair of modes: which client gets in, which reason another one receives, and whether
/// the session is sealed.
static void test_modes(void **state) {
    (void)state;
    static const struct {
        net_seal_t server, client;
        net_reason_t reason; ///< NET_REASON_COUNT = connected
        bool is_sealed;
    } cases[] = {
        {NET_SEAL_OFFERED, NET_SEAL_OFFERED, NET_REASON_COUNT, true},
        {NET_SEAL_OFFERED, NET_SEAL_REQUIRED, NET_REASON_COUNT, true},
        {NET_SEAL_OFFERED, NET_SEAL_OFF, NET_REASON_COUNT, false},
        {NET_SEAL_REQUIRED, NET_SEAL_OFFERED, NET_REASON_COUNT, true},
        {NET_SEAL_REQUIRED, NET_SEAL_OFF, NET_REASON_SEAL, false},
        {NET_SEAL_OFF, NET_SEAL_OFFERED, NET_REASON_COUNT, false},
        {NET_SEAL_OFF, NET_SEAL_OFF, NET_REASON_COUNT, false},
        {NET_SEAL_OFF, NET_SEAL_REQUIRED, NET_REASON_NO_SEAL, false},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        udp_rig_t rig = open_server(cases[i].server);
        transport_t *client = UdpRig_Client(false);
        assert_int_equal(join(&rig, client, cases[i].client, NULL), cases[i].reason);
        assert_int_equal(client->is_sealed(client, 0), cases[i].is_sealed);
        UdpRig_Run(&rig, client, 50);
        assert_int_equal(rig.connected, cases[i].reason == NET_REASON_COUNT);
        if (rig.connected) {
            assert_int_equal(rig.server->is_sealed(rig.server, rig.last_peer), cases[i].is_sealed);
            assert_talks(&rig, client);
        }
        assert_int_equal(rig.server->more->counters(rig.server).seal_dropped, 0);
        close_both(&rig, client);
    }
}

/// Tests that a plain ENet client, which does not read the offer, is refused with the reason.
static void test_plain_connect_is_refused(void **state) {
    (void)state;
    udp_rig_t rig = open_server(NET_SEAL_REQUIRED);
    int fd = Udp_Open();
    int32_t replies = 0;
    uint8_t cookie[4], bytes[56], reply[4096];
    assert_true(UdpRig_AskCookie(&rig, fd, cookie));
    Udp_WriteConnect(bytes, cookie, 1);
    assert_true(Udp_Send(fd, rig.at, bytes, sizeof bytes));
    UdpRig_Poll(&rig);
    assert_int_equal(Udp_Hear(fd, reply, &replies), GUARD_REFUSAL_BYTES);
    assert_int_equal(reply[16], NET_REASON_SEAL);
    assert_int_equal(rig.server->more->counters(rig.server).plain, 1);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 0);
    close(fd);
    rig.server->destroy(rig.server);
}

static void test_expected_key(void **state) {
    (void)state;
    udp_rig_t rig = open_server(NET_SEAL_OFFERED);
    uint8_t key[32];
    crypto_scalarmult_base(key, secret);
    assert_memory_equal(rig.server->server_key(rig.server), key, 32);
    transport_t *client = UdpRig_Client(false);
    assert_int_equal(join(&rig, client, NET_SEAL_OFFERED, key), NET_REASON_COUNT);
    assert_true(client->is_sealed(client, 0));
    assert_memory_equal(client->server_key(client), key, 32);
    client->destroy(client);
    client = UdpRig_Client(false);
    key[31] ^= 1;
    assert_int_equal(join(&rig, client, NET_SEAL_OFFERED, key), NET_REASON_KEY);
    close_both(&rig, client);
    // An expected key requires the seal, and a server without it has no key.
    rig = open_server(NET_SEAL_OFF);
    client = UdpRig_Client(false);
    assert_null(rig.server->server_key(rig.server));
    assert_int_equal(join(&rig, client, NET_SEAL_OFFERED, key), NET_REASON_NO_SEAL);
    close_both(&rig, client);
}

// --- the watcher -----------------------------------------------------------------------------

/// Tests that a replay of everything, in both directions, changes nothing: no message, no end, and
/// no sign of life.
static void test_replay(void **state) {
    (void)state;
    wire_t *wire = open_wire(NET_SEAL_OFFERED, false);
    talk(wire, 20);
    int32_t count = wire->count, heard = 0, messages = wire->rig.messages;
    int64_t heard_ms = wire->rig.now_ms;
    transport_t *server = wire->rig.server;
    net_event_t event;
    int32_t peer = wire->rig.last_peer;
    assert_in_range(server->silence_ms(server, peer), 0, 500);
    for (int32_t round = 0; round < 30; round++) {
        for (int32_t i = 0; i < count; i++) {
            send_to(wire, wire->seen[i].to_server, wire->seen[i].bytes, wire->seen[i].size);
        }
        UdpRig_Poll(&wire->rig); // the client's own datagrams do not arrive meanwhile
        wire->rig.now_ms += 20;
        for (wire->client->poll(wire->client, wire->rig.now_ms, &event); event.type != NET_NONE;
             wire->client->poll(wire->client, wire->rig.now_ms, &event)) {
            heard++;
        }
    }
    assert_int_equal(heard, 0);
    assert_int_equal(wire->rig.messages, messages);
    assert_int_equal(wire->rig.connected, 1);
    assert_int_equal(wire->rig.left, 0);
    assert_true(server->silence_ms(server, peer) >= wire->rig.now_ms - heard_ms);
    assert_true(Udp_Unsealed(server, SEAL_REPLAYED) > 100);
    assert_int_equal(Udp_Unsealed(server, SEAL_REPEATED), 30);
    assert_true(Udp_Unsealed(wire->client, SEAL_REPLAYED) > 100);
    assert_int_equal(Udp_Unsealed(server, SEAL_FORGED), 0);
    talk(wire, 5);
    close_wire(wire);
}

/// Sends what a watcher can build: header, session and connectID are right. `how`: 0 plain, 1 with
/// the flag of the seal.
static void forge(wire_t *wire, bool to_server, const uint8_t *command, size_t size, int how) {
    const ENetPeer *own = ((const enet_transport_t *)wire->client)->slots[0].peer;
    const ENetPeer *peer = to_server ? own : server_peer(wire);
    uint8_t bytes[64] = {0};
    Wire_WriteU16(bytes, 0x8000u | (uint32_t)peer->outgoingSessionID << 12 | peer->outgoingPeerID);
    memcpy(bytes + 8, command, size);
    Udp_Seal(bytes, size + 8, 4, peer->connectID);
    bytes[0] |= how == 1 ? 0x40 : 0;
    send_to(wire, to_server, bytes, how == 1 ? sizeof bytes : size + 8);
}

/// Forges acknowledgements of everything, pings and disconnects. Returns true if a peer left.
static bool forge_all(wire_t *wire) {
    static const uint8_t goodbye[8] = {0x44, 0xff}, ping[4] = {0x85, 0xff, 0, 99};
    int32_t heard = 0;
    for (int how = 1; how >= 0; how--) {
        for (int32_t i = 0; i < 2; i++) {
            for (uint8_t sequence = 0; sequence < 64; sequence++) {
                const uint8_t ack[8] = {0x01, 0, 0, 0, 0, sequence};
                forge(wire, i == 0, ack, sizeof ack, how);
            }
            forge(wire, i == 0, ping, sizeof ping, how);
            forge(wire, i == 0, goodbye, sizeof goodbye, how);
        }
        if (run(wire, 50, &heard) == NET_LEFT) {
            return true;
        }
    }
    return wire->rig.left > 0;
}

static void test_forged(void **state) {
    (void)state;
    wire_t *wire = open_wire(NET_SEAL_OFFERED, false);
    // The watcher reads the connectID in the sealed CONNECT.
    const uint8_t *connect = NULL;
    for (int32_t i = 0; i < wire->count && !connect; i++) {
        connect = memcmp(wire->seen[i].bytes + 4, "sealed", 6) == 0 ? wire->seen[i].bytes : NULL;
    }
    assert_non_null(connect);
    assert_int_equal(htonl(Wire_ReadU32(connect + 16)), server_peer(wire)->connectID);
    assert_false(forge_all(wire));
    for (int32_t i = 0; i < 2; i++) {
        transport_t *end = i == 0 ? wire->rig.server : wire->client;
        assert_int_equal(Udp_Unsealed(end, SEAL_PLAIN), 66);
        // A forged sequence number is random: it may be one that was seen or is too old.
        assert_int_equal(Udp_Unsealed(end, SEAL_FORGED) + Udp_Unsealed(end, SEAL_REPLAYED) +
                             Udp_Unsealed(end, SEAL_OLD),
                         66);
        assert_true(Udp_Unsealed(end, SEAL_FORGED) > 33);
        assert_int_equal(end->more->counters(end).seal_dropped, 132);
    }
    talk(wire, 5);
    close_wire(wire);
    // Without the seal, the same bytes end the session.
    wire = open_wire(NET_SEAL_OFF, false);
    assert_true(forge_all(wire));
    assert_int_equal(wire->rig.left, 1);
    assert_int_equal(Udp_Unsealed(wire->rig.server, SEAL_UNEXPECTED), 66);
    close_wire(wire);
}

/// Tests that the seal protects a session without checksum, which a forged goodbye would end.
static void test_without_checksum(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.without_checksum = true});
    transport_t *client = UdpRig_Join(&rig, true);
    assert_true(client->is_sealed(client, 0));
    for (uint32_t flags = 0x80; flags < 0x100; flags += 0x10) {
        const uint8_t goodbye[40] = {(uint8_t)flags, (uint8_t)rig.last_peer, 0, 0, 0x44, 0xff};
        assert_true(Udp_Send(client->descriptor(client), rig.at, goodbye, 12));
        assert_true(Udp_Send(client->descriptor(client), rig.at, goodbye, sizeof goodbye));
        UdpRig_Poll(&rig);
    }
    assert_int_equal(rig.left, 0);
    assert_talks(&rig, client);
    close_both(&rig, client);
}

/// Tests that a datagram with any bit changed, or cut, is dropped; then that the original arrives.
static void test_changed(void **state) {
    (void)state;
    wire_t *wire = open_wire(NET_SEAL_OFFERED, false);
    int32_t heard = 0, first = wire->count, messages = wire->rig.messages;
    wire->holds = true;
    assert_true(wire->client->send(wire->client, 0, 0, true, "held back", 9));
    (void)run(wire, 10, &heard);
    assert_true(wire->count > first);
    size_t size = wire->seen[first].size;
    uint8_t bytes[1500];
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(bytes, wire->seen[first].bytes, size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        send_to(wire, true, bytes, size);
        send_to(wire, true, wire->seen[first].bytes, bit / 8);
    }
    UdpRig_Poll(&wire->rig);
    assert_int_equal(wire->rig.messages, messages);
    assert_int_equal(wire->rig.left, 0);
    send_to(wire, true, wire->seen[first].bytes, size);
    UdpRig_Poll(&wire->rig);
    assert_int_equal(wire->rig.messages, messages + 1);
    close_wire(wire);
}

/// Tests that datagrams of an earlier session, also its CONNECT, are worthless in the next.
static void test_other_session(void **state) {
    (void)state;
    wire_t *wire = open_wire(NET_SEAL_OFFERED, false);
    int32_t heard = 0;
    talk(wire, 20);
    int32_t count = wire->count, peer = wire->rig.last_peer;
    wire->client->drop(wire->client, 0, NET_REASON_LEFT);
    assert_int_equal(run(wire, 200, &heard), NET_LEFT);
    assert_int_equal(wire->rig.left, 1);
    assert_int_equal(wire->client->connect(wire->client, address_of(wire->near), NULL), 0);
    assert_int_equal(run(wire, 200, &heard), NET_CONNECTED);
    assert_int_equal(wire->rig.last_peer, peer);
    int32_t messages = wire->rig.messages;
    for (int32_t i = 0; i < count; i++) {
        send_to(wire, wire->seen[i].to_server, wire->seen[i].bytes, wire->seen[i].size);
    }
    assert_int_equal(run(wire, 100, &heard), NET_NONE);
    assert_int_equal(heard, 0);
    assert_int_equal(wire->rig.messages, messages);
    assert_int_equal(wire->rig.connected, 2);
    assert_int_equal(wire->rig.left, 1);
    assert_int_equal(Udp_Unsealed(wire->rig.server, SEAL_REPEATED), 1);
    talk(wire, 5);
    close_wire(wire);
}

// --- joins -----------------------------------------------------------------------------------

static void test_lost_connect(void **state) {
    (void)state;
    wire_t *wire = open_wire(NET_SEAL_REQUIRED, true);
    assert_false(wire->loses_connect);
    assert_true(wire->client->is_sealed(wire->client, 0));
    talk(wire, 5);
    close_wire(wire);
}

/// Tests joins that start in one epoch of keys and end in the next.
static void test_epochs(void **state) {
    (void)state;
    for (int64_t before_ms = 0; before_ms <= 40; before_ms += 5) {
        udp_rig_t rig = open_server(NET_SEAL_REQUIRED);
        transport_t *client = UdpRig_Client(false);
        rig.now_ms = 13 * GUARD_EPOCH_MS - before_ms;
        assert_int_equal(join(&rig, client, NET_SEAL_REQUIRED, NULL), NET_REASON_COUNT);
        UdpRig_Run(&rig, client, 50);
        assert_talks(&rig, client);
        close_both(&rig, client);
    }
}

/// Tests that a restarted server with the same key file is the same server, and that datagrams of
/// the old session do nothing.
static void test_restart(void **state) {
    (void)state;
    uint8_t key[32];
    err_t err = {""};
    crypto_scalarmult_base(key, secret);
    udp_rig_t rig = open_server(NET_SEAL_OFFERED);
    transport_t *client = UdpRig_Client(false);
    assert_int_equal(join(&rig, client, NET_SEAL_OFFERED, key), NET_REASON_COUNT);
    rig.server->destroy(rig.server);
    enet_transport_config_t config = {
        .bind = rig.at, .is_server = true, .max_peers = 4, .secret_key = secret};
    rig.server = EnetTransport_Create(&config, &err);
    assert_non_null(rig.server);
    assert_true(client->send(client, 0, 0, true, "hello?", 6));
    UdpRig_Run(&rig, client, 100);
    assert_int_equal(rig.messages, 0);
    assert_true(rig.server->more->counters(rig.server).strangers > 0);
    client->destroy(client);
    client = UdpRig_Client(false);
    assert_int_equal(join(&rig, client, NET_SEAL_OFFERED, key), NET_REASON_COUNT);
    UdpRig_Run(&rig, client, 50);
    assert_talks(&rig, client);
    close_both(&rig, client);
}

static void test_full_server(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = 1});
    transport_t *client = UdpRig_Client(false), *other = UdpRig_Client(false);
    assert_int_equal(join(&rig, client, NET_SEAL_REQUIRED, NULL), NET_REASON_COUNT);
    assert_int_equal(join(&rig, other, NET_SEAL_REQUIRED, NULL), NET_REASON_FULL);
    other->destroy(other);
    close_both(&rig, client);
}

static bool is_erased(transport_t *net, int32_t peer) {
    return sodium_is_zero((const uint8_t *)&((enet_transport_t *)net)->seals[peer], sizeof(seal_t));
}

/// Tests that both ends erase the keys of a session that has ended.
static void test_keys_are_erased(void **state) {
    (void)state;
    udp_rig_t rig = open_server(NET_SEAL_OFFERED);
    transport_t *client = UdpRig_Join(&rig, false);
    int32_t peer = rig.last_peer;
    assert_false(is_erased(client, 0));
    assert_true(is_erased(client, 1)); // that of the CONNECT
    assert_false(is_erased(rig.server, peer));
    assert_true(is_erased(rig.server, 16));
    client->drop(client, 0, NET_REASON_LEFT);
    assert_int_equal(UdpRig_Run(&rig, client, 400), NET_LEFT);
    assert_int_equal(rig.left, 1);
    assert_true(is_erased(client, 0));
    assert_true(is_erased(rig.server, peer));
    // A plain client may have the same peer afterwards.
    assert_int_equal(join(&rig, client, NET_SEAL_OFF, NULL), NET_REASON_COUNT);
    UdpRig_Run(&rig, client, 50);
    assert_int_equal(rig.last_peer, peer);
    assert_false(rig.server->is_sealed(rig.server, peer));
    assert_talks(&rig, client);
    close_both(&rig, client);
}

/// Tests that the largest datagrams of a long message pass tunnels: 1,396 bytes with the seal.
static void test_longest_datagram(void **state) {
    (void)state;
    static const uint8_t bytes[MAX_MESSAGE_BYTES];
    wire_t *wire = open_wire(NET_SEAL_OFFERED, false);
    transport_t *server = wire->rig.server;
    int32_t heard = 0;
    size_t longest = 0;
    assert_true(server->send(server, wire->rig.last_peer, 0, true, bytes, sizeof bytes));
    (void)run(wire, 500, &heard);
    assert_int_equal(heard, 1);
    for (int32_t i = 0; i < wire->count; i++) {
        longest = wire->seen[i].size > longest ? wire->seen[i].size : longest;
    }
    assert_in_range(longest, 1300, 1396);
    close_wire(wire);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),           cmocka_unit_test(test_plain_connect_is_refused),
        cmocka_unit_test(test_expected_key),    cmocka_unit_test(test_replay),
        cmocka_unit_test(test_forged),          cmocka_unit_test(test_without_checksum),
        cmocka_unit_test(test_changed),         cmocka_unit_test(test_other_session),
        cmocka_unit_test(test_lost_connect),    cmocka_unit_test(test_epochs),
        cmocka_unit_test(test_restart),         cmocka_unit_test(test_full_server),
        cmocka_unit_test(test_keys_are_erased), cmocka_unit_test(test_longest_datagram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
