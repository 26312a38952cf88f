// Tests which connections may keep a peer: half-open ones, ones that do not join, silent ones.
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/admission.h"
#include "net/enet_local.h"

#include <string.h>
#include <unistd.h>

#define PLAYERS 4
#define SPARE   8
#define HOST(n) (0x7f000100u + (n)) // 127.0.1.n

static udp_rig_t open_rig(int32_t per_address) {
    return UdpRig_Open((enet_transport_config_t){
        .max_peers = PLAYERS + SPARE, .max_waiting = SPARE, .max_peers_per_address = per_address});
}

static void wait_ms(udp_rig_t *rig, int32_t ms) {
    for (int64_t end = rig->now_ms + ms; rig->now_ms < end;) {
        UdpRig_Poll(rig);
    }
}

/// Sends `count` CONNECTs with a valid cookie and never completes one. Returns the datagrams and
/// *bytes that come back within `ms`.
static int32_t half_open(udp_rig_t *rig, uint32_t host, int32_t count, int32_t ms, size_t *bytes) {
    uint8_t cookie[4];
    uint8_t connect[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    int fd = Udp_OpenAt(host);
    assert_true(UdpRig_AskCookie(rig, fd, cookie));
    for (int32_t i = 0; i < count; i++) {
        Udp_WriteConnect(connect, cookie, (uint8_t)i);
        assert_true(Udp_Send(fd, rig->at, connect, sizeof connect));
    }
    UdpRig_Poll(rig);
    wait_ms(rig, ms);
    size_t size = Udp_Hear(fd, reply, &replies);
    if (bytes) {
        *bytes = size;
    }
    close(fd);
    return replies;
}

static net_counters_t counters(const udp_rig_t *rig) {
    return rig->server->more->counters(rig->server);
}

static void collect(void *context, log_level_t level, const char *line) {
    (void)level;
    strlcat(context, line, 1000);
}

/// Tests that a CONNECT that waits for its turn may be repeated, and that the fourth of an address
/// is counted and logged.
static void test_turns(void **state) {
    (void)state;
    char text[1000] = "";
    const log_t log = {.write = collect, .context = text, .level = LOG_INFO};
    udp_rig_t rig = UdpRig_Open(
        (enet_transport_config_t){.max_peers = PLAYERS + SPARE, .max_waiting = SPARE, .log = &log});
    uint8_t cookie[4];
    uint8_t connect[56];
    int fd = Udp_OpenAt(HOST(1));
    assert_true(UdpRig_AskCookie(&rig, fd, cookie));
    for (uint8_t i = 0; i < 60; i++) { // 16 use up the turns, the next waits
        Udp_WriteConnect(connect, cookie, 0);
        assert_true(Udp_Send(fd, rig.at, connect, sizeof connect));
    }
    UdpRig_Poll(&rig);
    assert_int_equal(counters(&rig).crowded, 0);
    for (uint8_t i = 1; i <= 8; i++) {
        Udp_WriteConnect(connect, cookie, i);
        assert_true(Udp_Send(fd, rig.at, connect, sizeof connect));
    }
    UdpRig_Poll(&rig);
    assert_int_equal(counters(&rig).crowded, 6);
    assert_non_null(strstr(text, "from 127.0.1.1:"));
    assert_non_null(strstr(text, ": too many connections wait"));
    close(fd);
    rig.server->destroy(rig.server);
}

/// Tests that 60 CONNECTs from one address take 3 peers for 3 s, and get few replies.
static void test_half_open(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    size_t bytes = 0;
    int32_t replies = half_open(&rig, HOST(1), 60, 0, NULL);
    assert_in_range(replies, 0, 3);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 3);
    wait_ms(&rig, 100); // some waited for their turn
    assert_int_equal(counters(&rig).crowded, 57);
    wait_ms(&rig, ADMISSION_HALF_OPEN_MS - 300);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 3);
    wait_ms(&rig, 400);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 0);
    assert_int_equal(counters(&rig).half_open_expired, 3);
    assert_int_equal(rig.connected + rig.left, 0);
    // A single peer gets a VERIFY at once, after 0.5 s and after 1.5 s; 56 + 24 bytes came from it.
    replies = half_open(&rig, HOST(1), 1, 5000, &bytes);
    assert_in_range(replies, 2, 3);
    assert_in_range(bytes, 1, 160);
    rig.server->destroy(rig.server);
}

/// Tests CONNECTs from ten addresses: they take only the spare peers, and an honest client can
/// join.
static void test_half_open_from_many(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    for (uint32_t n = 0; n < 10; n++) {
        half_open(&rig, HOST(n), 10, 0, NULL);
        assert_in_range(EnetTransport_SlotsUsed(rig.server), 1, SPARE);
    }
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), SPARE);
    transport_t *client = UdpRig_ClientAt(HOST(99), false);
    err_t err = {""};
    assert_int_equal(client->connect(client, rig.at, &err), 0);
    assert_int_equal(UdpRig_Run(&rig, client, 1200), NET_CONNECTED);
    assert_in_range(EnetTransport_SlotsUsed(rig.server), SPARE, SPARE);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Ten addresses send CONNECTs without end, 1,000 a second in all. An honest client still connects
/// within half a second, because the address with most waiting peers loses one.
static void test_repeated_half_open(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = 30, .max_waiting = 16});
    int fds[10];
    uint8_t cookies[10][4];
    uint32_t salt = 0;
    for (uint32_t n = 0; n < 10; n++) {
        fds[n] = Udp_OpenAt(HOST(n));
        assert_true(UdpRig_AskCookie(&rig, fds[n], cookies[n]));
    }
    for (int32_t phase = 0; phase < 10; phase++) {
        transport_t *client = UdpRig_ClientAt(HOST(100 + (uint32_t)phase), false);
        err_t err = {""};
        net_event_t event = {.type = NET_NONE};
        for (int32_t polls = 0; event.type != NET_CONNECTED; polls++) {
            for (int32_t i = 0; i < 5; i++, salt++) {
                uint8_t connect[56];
                Udp_WriteConnect(connect, cookies[salt % 10], (uint8_t)(salt / 10));
                Udp_Send(fds[salt % 10], rig.at, connect, sizeof connect);
            }
            if (polls == 37 + phase) {
                assert_int_equal(client->connect(client, rig.at, &err), 0);
            }
            UdpRig_Poll(&rig); // advances 5 ms
            client->poll(client, rig.now_ms, &event);
            assert_true(polls < 137 + phase);
        }
        while (rig.connected <= phase) { // the player stays
            UdpRig_Poll(&rig);
            client->poll(client, rig.now_ms, &event);
        }
        rig.server->more->admit(rig.server, rig.last_peer, NET_TIMEOUT_MS);
        client->destroy(client);
    }
    assert_true(counters(&rig).yielded > 0);
    for (int32_t n = 0; n < 10; n++) {
        close(fds[n]);
    }
    rig.server->destroy(rig.server);
}

static net_reason_t judge_address(void *context, netaddr_t from) {
    return from.host == HOST(1) && *(const bool *)context ? NET_REASON_BANNED : NET_REASON_NONE;
}

/// Tests that a half-open connection does not pass a ban that follows its CONNECT.
static void test_ban_while_half_open(void **state) {
    (void)state;
    bool is_banned = false;
    udp_rig_t rig = UdpRig_Open(
        (enet_transport_config_t){.allows = judge_address, .allow_context = &is_banned});
    transport_t *client = UdpRig_ClientAt(HOST(1), false);
    err_t err = {""};
    net_event_t event = {.type = NET_NONE};
    assert_int_equal(client->connect(client, rig.at, &err), 0);
    while (EnetTransport_SlotsUsed(rig.server) == 0) {
        client->poll(client, rig.now_ms, &event);
        UdpRig_Poll(&rig);
    }
    assert_int_equal(rig.connected, 0);
    is_banned = true;
    assert_int_equal(UdpRig_Run(&rig, client, 1000), NET_LEFT);
    assert_int_equal(rig.connected, 0);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 0);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Tests connections that were not admitted: they are limited like half-open ones, unlike admitted
/// ones.
static void test_waiting_and_admitted(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    transport_t *clients[5];
    err_t err = {""};
    for (int32_t i = 0; i < 3; i++) {
        clients[i] = UdpRig_ClientAt(HOST(1), false);
        assert_int_equal(clients[i]->connect(clients[i], rig.at, &err), 0);
        assert_int_equal(UdpRig_Run(&rig, clients[i], 300), NET_CONNECTED);
        if (i == 0) {
            rig.server->more->admit(rig.server, rig.last_peer, NET_TIMEOUT_MS);
        }
    }
    // The third may wait; the fourth is refused until the third is admitted.
    for (int32_t i = 3; i < 5; i++) {
        clients[i] = UdpRig_ClientAt(HOST(1), false);
        assert_int_equal(clients[i]->connect(clients[i], rig.at, &err), 0);
        assert_int_equal(UdpRig_Run(&rig, clients[i], 300), i == 3 ? NET_CONNECTED : NET_NONE);
    }
    assert_true(counters(&rig).crowded > 0);
    rig.server->more->admit(rig.server, rig.last_peer, NET_TIMEOUT_MS);
    assert_int_equal(UdpRig_Run(&rig, clients[4], 4000), NET_CONNECTED); // the CONNECT is repeated
    for (int32_t i = 0; i < 5; i++) {
        clients[i]->destroy(clients[i]);
    }
    rig.server->destroy(rig.server);
}

/// Tests waiting peers of many addresses: the oldest makes room for a new one, and no player loses
/// its peer.
static void test_oldest_yields(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    transport_t *clients[PLAYERS + SPARE + 1];
    err_t err = {""};
    for (uint32_t i = 0; i < PLAYERS + SPARE; i++) {
        clients[i] = UdpRig_ClientAt(HOST(i), false);
        assert_int_equal(clients[i]->connect(clients[i], rig.at, &err), 0);
        assert_int_equal(UdpRig_Run(&rig, clients[i], 100), NET_CONNECTED);
        if (i < PLAYERS) {
            rig.server->more->admit(rig.server, rig.last_peer, NET_TIMEOUT_MS);
        }
    }
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), PLAYERS + SPARE);
    assert_int_equal(rig.left, 0);
    clients[PLAYERS + SPARE] = UdpRig_ClientAt(HOST(200), false);
    transport_t *last = clients[PLAYERS + SPARE];
    assert_int_equal(last->connect(last, rig.at, &err), 0);
    assert_int_equal(UdpRig_Run(&rig, last, 2000), NET_CONNECTED);
    assert_int_equal(rig.left, 1);
    assert_int_equal(rig.last_left, PLAYERS); // in the order of joining
    for (uint32_t i = 0; i <= PLAYERS + SPARE; i++) {
        clients[i]->destroy(clients[i]);
    }
    rig.server->destroy(rig.server);
}

static void test_one_address_many_connections(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(2);
    transport_t *clients[4];
    err_t err = {""};
    for (uint32_t i = 0; i < 4; i++) { // the limit is for one address, not for all of 127.0.0.1
        clients[i] = UdpRig_ClientAt(i < 3 ? HOST(1) : HOST(2), false);
        assert_int_equal(clients[i]->connect(clients[i], rig.at, &err), 0);
        assert_int_equal(UdpRig_Run(&rig, clients[i], 300), i == 2 ? NET_LEFT : NET_CONNECTED);
    }
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 3);
    assert_int_equal(rig.server->more->counters(rig.server).same_address, 1);
    for (int32_t i = 0; i < 4; i++) {
        clients[i]->destroy(clients[i]);
        clients[i] = UdpRig_Join(&rig, false);
    }
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 7);
    for (int32_t i = 0; i < 4; i++) {
        clients[i]->destroy(clients[i]);
    }
    rig.server->destroy(rig.server);
}

/// Opens a client and waits until it is connected and, if `admits`, admitted.
static transport_t *join_at(udp_rig_t *rig, uint32_t host, bool admits) {
    transport_t *client = UdpRig_ClientAt(host, false);
    err_t err = {""};
    assert_int_equal(client->connect(client, rig->at, &err), 0);
    assert_int_equal(UdpRig_Run(rig, client, 300), NET_CONNECTED);
    if (admits) {
        rig->server->more->admit(rig->server, rig->last_peer, NET_TIMEOUT_MS);
    }
    return client;
}

/// Tests a relay: its address has no limit of peers and of waiting peers, but its half-open peers
/// yield if no peer is free. The list may change at any time.
static void test_relay(void **state) {
    (void)state;
    netranges_t relays = {.count = 1, .list = {{HOST(1), 32}}};
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = PLAYERS + SPARE,
                                                          .max_waiting = SPARE,
                                                          .max_peers_per_address = 2,
                                                          .exempt = &relays});
    transport_t *clients[6];
    for (int32_t i = 0; i < 6; i++) {
        clients[i] = join_at(&rig, HOST(1), i < 1);
    }
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 6);
    half_open(&rig, HOST(1), 60, 200, NULL); // until none waits for its turn
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), PLAYERS + SPARE);
    transport_t *honest = join_at(&rig, HOST(2), true); // at once, although no peer was free
    transport_t *other = join_at(&rig, HOST(1), true);  // after ADMISSION_YIELD_MS
    for (int32_t i = 0; i < 6; i++) {
        clients[i]->destroy(clients[i]);
    }
    relays.count = 0;
    err_t err = {""};
    transport_t *late = UdpRig_ClientAt(HOST(1), false);
    assert_int_equal(late->connect(late, rig.at, &err), 0);
    assert_int_equal(UdpRig_Run(&rig, late, 300), NET_LEFT);
    assert_int_equal(counters(&rig).same_address, 1);
    honest->destroy(honest);
    other->destroy(other);
    late->destroy(late);
    rig.server->destroy(rig.server);
}

/// Tests that half-open connections count for the limit of their address until they expire, and
/// not for another address.
static void test_half_open_count_for_their_address(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(2);
    err_t err = {""};
    half_open(&rig, HOST(1), 2, 100, NULL);
    assert_int_equal(counters(&rig).same_address, 0);
    transport_t *refused = UdpRig_ClientAt(HOST(1), false);
    assert_int_equal(refused->connect(refused, rig.at, &err), 0);
    assert_int_equal(UdpRig_Run(&rig, refused, 300), NET_LEFT);
    assert_int_equal(counters(&rig).same_address, 1);
    transport_t *other = join_at(&rig, HOST(2), true);
    wait_ms(&rig, ADMISSION_HALF_OPEN_MS);
    assert_int_equal(counters(&rig).half_open_expired, 2);
    transport_t *later = join_at(&rig, HOST(1), true);
    refused->destroy(refused);
    other->destroy(other);
    later->destroy(later);
    rig.server->destroy(rig.server);
}

/// Tests the reason with which a client leaves. Only "timeout" is believed: the player then waits
/// for its client (sv_grace_ms), as it does if the client falls silent. Nothing is gained.
static void test_claimed_reasons(void **state) {
    (void)state;
    for (int32_t claim = 0; claim <= NET_REASON_COUNT; claim++) {
        udp_rig_t rig = open_rig(0);
        transport_t *client = join_at(&rig, HOST(1), true);
        enet_transport_t *net = (enet_transport_t *)client;
        enet_transport_t *outer = EnetSeam_Enter(net);
        enet_peer_disconnect_now(&net->host->peers[0], (enet_uint32)claim);
        EnetSeam_Leave(outer);
        client->flush(client);
        net_event_t event = {.type = NET_NONE};
        for (int64_t end = rig.now_ms + 300; event.type != NET_LEFT && rig.now_ms < end;) {
            rig.now_ms += 1;
            rig.server->poll(rig.server, rig.now_ms, &event);
        }
        assert_int_equal(event.type, NET_LEFT);
        assert_int_equal(event.reason, claim == NET_REASON_TIMEOUT ? claim : NET_REASON_LEFT);
        client->destroy(client);
        rig.server->destroy(rig.server);
    }
}

/// Tests that half-open connections are listed with address and age.
static void test_half_open_are_listed(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    int32_t found = 0;
    half_open(&rig, HOST(1), 2, 1000, NULL);
    for (int32_t peer = -1; peer <= PLAYERS + SPARE; peer++) {
        netaddr_t from = {0};
        int64_t age_ms = rig.server->more->half_open_ms(rig.server, peer, &from);
        assert_true(age_ms == -1 || (age_ms >= 900 && age_ms <= 1100 && from.host == HOST(1)));
        found += age_ms >= 0 ? 1 : 0;
    }
    assert_int_equal(found, 2);
    transport_t *client = join_at(&rig, HOST(2), false);
    netaddr_t from;
    assert_int_equal(rig.server->more->half_open_ms(rig.server, rig.last_peer, &from), -1);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Eight peers leave and never acknowledge it, while ten addresses send 1,000 CONNECTs a second.
/// Eight honest clients still join within 2 s.
static void test_leaving_peers_do_not_wait(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = 24, .max_waiting = 16});
    transport_t *leaving[8], *honest[8];
    uint8_t cookies[10][4];
    int fds[10];
    uint32_t salt = 0;
    int32_t joined = 0;
    bool has_joined[8] = {false};
    err_t err = {""};
    for (uint32_t n = 0; n < 10; n++) {
        fds[n] = Udp_OpenAt(HOST(n));
        assert_true(UdpRig_AskCookie(&rig, fds[n], cookies[n]));
    }
    for (uint32_t i = 0; i < 8; i++) {
        leaving[i] = join_at(&rig, HOST(50 + i), true);
    }
    for (int32_t i = 0; i < rig.connected; i++) { // peers 0..7; the clients are not polled any more
        rig.server->drop(rig.server, i, NET_REASON_KICKED);
    }
    for (uint32_t i = 0; i < 8; i++) {
        honest[i] = UdpRig_ClientAt(HOST(100 + i), false);
        assert_int_equal(honest[i]->connect(honest[i], rig.at, &err), 0);
    }
    for (int64_t end = rig.now_ms + 2000; rig.now_ms < end;) {
        for (int32_t i = 0; i < 5; i++, salt++) {
            uint8_t connect[56];
            Udp_WriteConnect(connect, cookies[salt % 10], (uint8_t)(salt / 10));
            Udp_Send(fds[salt % 10], rig.at, connect, sizeof connect);
        }
        int32_t before = rig.connected;
        UdpRig_Poll(&rig);
        if (rig.connected > before) {
            rig.server->more->admit(rig.server, rig.last_peer, NET_TIMEOUT_MS);
        }
        for (int32_t i = 0; i < 8; i++) {
            net_event_t event;
            honest[i]->poll(honest[i], rig.now_ms, &event);
            has_joined[i] = has_joined[i] || event.type == NET_CONNECTED;
        }
    }
    for (int32_t i = 0; i < 8; i++) {
        joined += has_joined[i] ? 1 : 0;
        leaving[i]->destroy(leaving[i]);
        honest[i]->destroy(honest[i]);
    }
    assert_int_equal(joined, 8);
    for (int32_t n = 0; n < 10; n++) {
        close(fds[n]);
    }
    rig.server->destroy(rig.server);
}

/// Tests the time limit of silent peers: it needs none of ENet's memory and lists, and a server
/// that pauses to load a map ends no connection.
static void test_silence(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    transport_t *client = UdpRig_Join(&rig, false);
    rig.now_ms += 25000; // the server was busy
    assert_int_equal(UdpRig_Run(&rig, client, 1000), NET_NONE);
    assert_int_equal(rig.left, 0);
    ENetPeer *peer = ((enet_transport_t *)rig.server)->slots[rig.last_peer].peer;
    for (int64_t end = rig.now_ms + NET_TIMEOUT_MS - 500; rig.now_ms < end;) {
        UdpRig_Poll(&rig);
        peer->earliestTimeout = 0; // pretends that ENet's own timers never end
    }
    assert_int_equal(rig.left, 0);
    wait_ms(&rig, 1000);
    assert_int_equal(rig.left, 1);
    assert_int_equal(counters(&rig).timeouts, 1);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 0);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// A player that loads a map may be silent for longer.
static void test_silence_of_a_loading_player(void **state) {
    (void)state;
    udp_rig_t rig = open_rig(0);
    transport_t *client = UdpRig_Join(&rig, false);
    rig.server->more->admit(rig.server, rig.last_peer, NET_BUSY_MS);
    wait_ms(&rig, NET_BUSY_MS - 1000);
    assert_int_equal(rig.left, 0);
    rig.server->more->admit(rig.server, rig.last_peer, NET_TIMEOUT_MS); // plays now
    wait_ms(&rig, 200);
    assert_int_equal(rig.left, 1);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_half_open),
        cmocka_unit_test(test_half_open_from_many),
        cmocka_unit_test(test_repeated_half_open),
        cmocka_unit_test(test_ban_while_half_open),
        cmocka_unit_test(test_waiting_and_admitted),
        cmocka_unit_test(test_oldest_yields),
        cmocka_unit_test(test_one_address_many_connections),
        cmocka_unit_test(test_relay),
        cmocka_unit_test(test_half_open_count_for_their_address),
        cmocka_unit_test(test_claimed_reasons),
        cmocka_unit_test(test_half_open_are_listed),
        cmocka_unit_test(test_leaving_peers_do_not_wait),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_silence_of_a_loading_player),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
