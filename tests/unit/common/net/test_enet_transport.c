// Tests of the real transport: its cookie as an unmodified ENet client sees it, and its use of the
// host.
#include "base/limits.h"
#include "base/rng.h"
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

// --- the cookie ------------------------------------------------------------------------------

static void test_no_slot_without_cookie(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    int fd = Udp_Open();
    rng_t rng = {.state = 1};
    uint8_t bytes[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    for (int32_t i = 0; i < 5000; i++) {
        uint32_t guess = (uint32_t)Rng_Next(&rng);
        Udp_WriteConnect(bytes, (const uint8_t *)&guess, (uint8_t)i);
        Udp_Send(fd, host.at, bytes, sizeof bytes);
        if (i % 50 == 0) {
            UdpRig_Poll(&host);
            assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
        }
    }
    UdpRig_Poll(&host);
    assert_int_equal(Udp_Hear(fd, reply, &replies), 0);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    assert_int_equal(host.server->more->counters(host.server).packets_out, 0);
    assert_int_equal(host.server->more->counters(host.server).guard_dropped, 5000);
    assert_true(Udp_Dropped(host.server, GUARD_BAD_COOKIE) > 0);
    assert_true(Udp_Dropped(host.server, GUARD_RATE) > 0);
    // The flood used up the CONNECTs of its own network for a moment, not those of the server.
    UdpRig_Run(&host, host.server, 3000);
    transport_t *client = UdpRig_Join(&host, false);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

static void test_bytes_of_the_readme(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    int fd = Udp_Open();
    uint8_t cookie[4];
    uint8_t bytes[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    assert_true(UdpRig_AskCookie(&host, fd, cookie));
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    Udp_WriteConnect(bytes, cookie, 1);
    assert_true(Udp_Send(fd, host.at, bytes, sizeof bytes));
    UdpRig_Poll(&host);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    assert_true(Udp_Hear(fd, reply, &replies) >= 52);
    assert_int_equal(reply[8] & 0x0f, ENET_PROTOCOL_COMMAND_VERIFY_CONNECT);
    assert_int_equal(host.connected, 0); // not before the client has answered the VERIFY
    // ENet itself drops a CONNECT with a wrong checksum.
    Udp_WriteConnect(bytes, cookie, 2);
    bytes[4] ^= 1;
    Udp_Send(fd, host.at, bytes, sizeof bytes);
    UdpRig_Poll(&host);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    close(fd);
    host.server->destroy(host.server);
}

/// Tests a full server: if the CONNECT of the last slot's client arrives twice, it does not get "no
/// room"; the CONNECT of another client does.
static void test_connect_again_when_full(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){.max_peers = 1});
    int fd = Udp_Open();
    uint8_t cookie[4];
    uint8_t bytes[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    assert_true(UdpRig_AskCookie(&host, fd, cookie));
    for (int32_t i = 0; i < 3; i++) {
        Udp_WriteConnect(bytes, cookie, i < 2 ? 1 : 2);
        assert_true(Udp_Send(fd, host.at, bytes, sizeof bytes));
        UdpRig_Poll(&host);
        size_t size = Udp_Hear(fd, reply, &replies);
        assert_int_equal(size == 17 && memcmp(reply + 4, "refused", 7) == 0, i == 2);
        assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    }
    close(fd);
    host.server->destroy(host.server);
}

static net_reason_t allow_by_flag(void *context, netaddr_t from) {
    assert_int_equal(from.host, UDP_LOOPBACK);
    return *(const bool *)context ? NET_REASON_NONE : NET_REASON_BANNED;
}

/// Tests an address that is not allowed: it gets no slot, but a refusal with the reason, which is
/// shorter than its CONNECT. Without a cookie, no address is even checked.
static void test_an_address_that_is_not_allowed(void **state) {
    (void)state;
    bool is_allowed = false;
    udp_rig_t host = UdpRig_Open(
        (enet_transport_config_t){.allows = allow_by_flag, .allow_context = &is_allowed});
    int fd = Udp_Open();
    uint8_t cookie[4];
    uint8_t bytes[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    assert_true(UdpRig_AskCookie(&host, fd, cookie));
    const uint8_t wrong[4] = {(uint8_t)(cookie[0] ^ 1), cookie[1], cookie[2], cookie[3]};
    Udp_WriteConnect(bytes, wrong, 1);
    assert_true(Udp_Send(fd, host.at, bytes, sizeof bytes));
    UdpRig_Poll(&host);
    assert_int_equal(Udp_Hear(fd, reply, &replies), 0);
    assert_int_equal(host.server->more->counters(host.server).banned, 0);
    Udp_WriteConnect(bytes, cookie, 1);
    assert_true(Udp_Send(fd, host.at, bytes, sizeof bytes));
    UdpRig_Poll(&host);
    assert_int_equal(Udp_Hear(fd, reply, &replies), GUARD_REFUSAL_BYTES);
    assert_memory_equal(reply + 4, "refused", 7);
    assert_int_equal(reply[16], NET_REASON_BANNED);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    assert_int_equal(host.server->more->counters(host.server).banned, 1);
    is_allowed = true;
    Udp_WriteConnect(bytes, cookie, 2);
    assert_true(Udp_Send(fd, host.at, bytes, sizeof bytes));
    UdpRig_Poll(&host);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    close(fd);
    host.server->destroy(host.server);
}

/// The bug was: an address that was banned while its connection was half open came in.
static void test_banned_between_connect_and_acknowledgement(void **state) {
    (void)state;
    bool is_allowed = true;
    udp_rig_t host = UdpRig_Open(
        (enet_transport_config_t){.allows = allow_by_flag, .allow_context = &is_allowed});
    transport_t *client = UdpRig_Client(false);
    err_t err;
    assert_int_equal(client->connect(client, host.at, &err), 0);
    for (int32_t i = 0; i < 200 && EnetTransport_SlotsUsed(host.server) == 0; i++) {
        UdpRig_Run(&host, client, 5);
    }
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    assert_int_equal(host.connected, 0);
    is_allowed = false;
    assert_int_equal(UdpRig_Run(&host, client, 500), NET_LEFT);
    assert_int_equal(host.connected + host.left, 0);
    assert_int_equal(host.server->more->counters(host.server).banned, 1);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    client->destroy(client);
    is_allowed = true; // and the peer can be used again
    client = UdpRig_Join(&host, false);
    assert_int_equal(host.connected, 1);
    client->destroy(client);
    host.server->destroy(host.server);
}

static void test_unmodified_enet_client(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    ENetAddress to = {.host = htonl(UDP_LOOPBACK), .port = host.at.port};
    // The request comes from another socket of the same machine: the cookie is for the host, not
    // for the port.
    int fd = Udp_Open();
    uint8_t cookie[4];
    assert_true(UdpRig_AskCookie(&host, fd, cookie));
    uint32_t data = (uint32_t)cookie[0] << 24 | (uint32_t)cookie[1] << 16 |
                    (uint32_t)cookie[2] << 8 | cookie[3];
    for (int32_t good = 0; good < 2; good++) {
        ENetHost *client = enet_host_create(NULL, 1, 3, 0, 0);
        assert_non_null(client);
        client->checksum = enet_crc32;
        client->peers[0].mtu = 4096; // more than the path's MTU
        ENetPeer *peer = enet_host_connect(client, &to, 3, good ? data : data + 1);
        assert_non_null(peer);
        bool connected = false;
        for (int32_t i = 0; i < 100; i++) {
            ENetEvent event;
            UdpRig_Poll(&host);
            enet_time_set((enet_uint32)host.now_ms + 1000);
            while (enet_host_service(client, &event, 0) > 0) {
                connected |= event.type == ENET_EVENT_TYPE_CONNECT;
            }
        }
        assert_int_equal(connected, good == 1);
        assert_int_equal(host.connected, good);
        if (good) {
            // See docs/enet.md, "Client-chosen MTU" and "Throttle".
            const enet_transport_t *inside = (const enet_transport_t *)host.server;
            const ENetPeer *there = &inside->host->peers[host.last_peer];
            assert_int_equal(there->mtu, ENET_MAX_MTU);
            assert_int_equal(there->packetThrottleDeceleration, 0);
            assert_int_equal(there->timeoutMaximum, NET_BUSY_MS);
            assert_int_equal(peer->packetThrottleDeceleration,
                             0); // the client has received the setting
        }
        enet_host_destroy(client);
    }
    close(fd);
    host.server->destroy(host.server);
}

static void test_connect_ids_are_random(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    uint32_t ids[8];
    for (size_t i = 0; i < COUNTOF(ids); i++) {
        transport_t *client = UdpRig_Join(&host, false);
        ids[i] = ((const enet_transport_t *)client)->slots[0].peer->connectID;
        for (size_t k = 0; k < i; k++) {
            assert_true(ids[i] - ids[k] > 1000);
            assert_true(ids[k] - ids[i] > 1000);
        }
        client->destroy(client);
    }
    host.server->destroy(host.server);
}

/// Tests a client's first message: it may arrive in the same datagram as the end of the handshake.
static void test_first_message(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Client(false);
    net_event_t event = {.type = NET_NONE};
    assert_int_equal(client->connect(client, rig.at, NULL), 0);
    for (int32_t i = 0; i < 10 && event.type != NET_CONNECTED; i++) {
        client->poll(client, rig.now_ms, &event);
        UdpRig_Poll(&rig);
    }
    assert_int_equal(event.type, NET_CONNECTED);
    assert_int_equal(rig.connected, 0);
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "hello", 5));
    client->flush(client);
    UdpRig_Poll(&rig);
    assert_int_equal(rig.connected, 1);
    assert_int_equal(rig.messages, 1);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Whatever reason a client claims for its disconnect, the server's log must not repeat it.
static void test_reason_of_a_client(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    net_event_t event = {.type = NET_NONE};
    client->drop(client, 0, NET_REASON_BANNED);
    for (int32_t i = 0; i < 100 && event.type != NET_LEFT; i++) {
        net_event_t own;
        host.now_ms += 5;
        client->poll(client, host.now_ms, &own);
        client->flush(client);
        host.server->poll(host.server, host.now_ms, &event);
    }
    assert_int_equal(event.type, NET_LEFT);
    assert_int_equal(event.reason, NET_REASON_LEFT);
    client->destroy(client);
    host.server->destroy(host.server);
}

// --- forged goodbyes -------------------------------------------------------------------------

/// Sends goodbyes from the client's own address and port, like a forger, with every session number
/// but without the connectID. Returns whether the server accepted a goodbye.
static bool forge_goodbye(bool without_checksum) {
    udp_rig_t host = UdpRig_Open(
        (enet_transport_config_t){.without_checksum = without_checksum, .seal = NET_SEAL_OFF});
    transport_t *client = UdpRig_Join(&host, without_checksum);
    int fd = client->descriptor(client);
    for (uint32_t session = 0; session < 4; session++) {
        uint8_t bytes[16] = {0};
        size_t at = without_checksum ? 4 : 8;
        bytes[0] = (uint8_t)(0x80 | session << 4);
        bytes[1] = (uint8_t)host.last_peer;
        bytes[at] = ENET_PROTOCOL_COMMAND_DISCONNECT | 0x40;
        bytes[at + 1] = 0xff;
        if (!without_checksum) {
            Udp_Seal(bytes, sizeof bytes, 4, 0);
        }
        assert_true(Udp_Send(fd, host.at, bytes, at + 8));
        UdpRig_Poll(&host);
    }
    bool fell = host.left > 0;
    client->destroy(client);
    host.server->destroy(host.server);
    return fell;
}

static void test_forged_goodbye(void **state) {
    (void)state;
    assert_false(forge_goodbye(false));
    // Without checksums, the same bytes end the connection, so this test can fail.
    assert_true(forge_goodbye(true));
}

// --- the machine -----------------------------------------------------------------------------

static void test_port_in_use(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    enet_transport_config_t config = {.bind = host.at, .max_peers = 4, .is_server = true};
    err_t err = {""};
    char expected[128];
    assert_null(EnetTransport_Create(&config, &err));
    snprintf(expected, sizeof expected,
             "port %u/udp is already in use by another program: choose another with -p",
             (unsigned)host.at.port);
    assert_string_equal(err.text, expected);
    config.bind = (netaddr_t){.host = 0x08080808u, .port = 0};
    assert_null(EnetTransport_Create(&config, &err));
    assert_non_null(strstr(err.text, "8.8.8.8:0: this machine has no such address"));
    config.max_peers = 4096;
    assert_null(EnetTransport_Create(&config, &err));
    assert_non_null(strstr(err.text, "expected 1..4095 connections, found 4096"));
    config.max_peers = 0;
    assert_null(EnetTransport_Create(&config, &err));
    host.server->destroy(host.server);
}

static void test_out_of_memory(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    int fd = Udp_Open();
    uint64_t failures = EnetMemory_Failures();
    // Limit ENet's memory to its present size: every step that needs more fails, but nothing
    // breaks.
    int32_t lost = 0, peer = host.last_peer;
    for (size_t more = 0; more < 4000; more += 100) {
        if (host.left > lost) { // a lost control message costs the connection
            lost = host.left;
            EnetMemory_SetLimit(ENET_MEMORY_LIMIT);
            client->destroy(client);
            client = UdpRig_Join(&host, false);
            peer = host.last_peer;
        }
        EnetMemory_SetLimit(EnetMemory_Used() + more);
        for (int32_t i = 0; i < 20; i++) {
            host.server->send(host.server, peer, NET_CHANNEL_CONTROL, true, "0123456789", 10);
            host.server->send(host.server, peer, NET_CHANNEL_SNAPSHOT, false, "0123456789", 10);
            client->send(client, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
        }
        uint8_t cookie[4];
        uint8_t bytes[56];
        if (more % 1000 == 0 && UdpRig_AskCookie(&host, fd, cookie)) {
            Udp_WriteConnect(bytes, cookie, (uint8_t)(more / 100));
            Udp_Send(fd, host.at, bytes, sizeof bytes);
        }
        UdpRig_Run(&host, client, 20);
    }
    enet_transport_config_t config = {.bind = {.host = UDP_LOOPBACK}, .max_peers = 100};
    err_t err = {""};
    EnetMemory_SetLimit(EnetMemory_Used());
    assert_null(EnetTransport_Create(&config, &err));
    assert_non_null(strstr(err.text, "cannot create a host for 100 connections"));
    EnetMemory_SetLimit(ENET_MEMORY_LIMIT);
    assert_true(EnetMemory_Failures() > failures);
    assert_true(host.server->more->counters(host.server).no_memory > failures);
    assert_true(host.server->more->counters(host.server).send_failed > 0);
    assert_true(lost > 0);
    // With enough memory, the server works again.
    transport_t *other = UdpRig_Join(&host, false);
    int32_t messages = host.messages;
    UdpRig_Run(&host, client, 2000);
    assert_true(other->send(other, 0, NET_CHANNEL_CONTROL, true, "again", 5));
    UdpRig_Run(&host, other, 200);
    assert_true(host.messages > messages);
    other->destroy(other);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

/// Returns the round trip that a server measures, if it polls 20 ms after the acknowledgements.
static int32_t late_round_trip(bool is_real_time) {
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){.is_real_time = is_real_time});
    transport_t *client = UdpRig_Join(&host, false);
    const struct timespec wait = {.tv_nsec = 20000000};
    for (int32_t i = 0; i < 20; i++) {
        net_event_t event = {.type = NET_NONE};
        assert_true(host.server->send(host.server, 0, NET_CHANNEL_CONTROL, true, "hello", 5));
        host.server->flush(host.server);
        do {
            client->poll(client, host.now_ms, &event);
        } while (event.type != NET_NONE);
        if (is_real_time) {
            nanosleep(&wait, NULL);
        }
        host.now_ms += 15;
        UdpRig_Poll(&host); // 5 ms later
    }
    const int32_t rtt_ms = host.server->rtt_ms(host.server, 0);
    client->destroy(client);
    host.server->destroy(host.server);
    return rtt_ms;
}

/// Tests that waiting for the server's poll does not count if the kernel's times are known.
static void test_round_trip_without_the_wait(void **state) {
    (void)state;
    assert_in_range(late_round_trip(false), 10, 20);
    assert_in_range(late_round_trip(true), 1, 3);
}

/// Tests that a client's event tells how long its message waited for the poll.
static void test_wait_for_the_poll(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    const struct timespec wait = {.tv_nsec = 20000000};
    net_event_t event = {.type = NET_NONE};
    assert_true(host.server->send(host.server, 0, NET_CHANNEL_SNAPSHOT, false, "hello", 5));
    host.server->flush(host.server);
    nanosleep(&wait, NULL);
    host.now_ms += 20;
    client->poll(client, host.now_ms, &event);
    assert_int_equal(event.type, NET_MESSAGE);
    assert_in_range(event.waited_us, 20000, 500000);
    client->destroy(client);
    host.server->destroy(host.server);
}

/// Tests that each message has its own wait, if a poll reads several datagrams.
static void test_waits_of_two_messages(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    const struct timespec wait = {.tv_nsec = 20000000};
    int32_t waits[2] = {0};
    for (int32_t i = 0; i < 2; i++) {
        assert_true(host.server->send(host.server, 0, NET_CHANNEL_SNAPSHOT, false, "hello", 5));
        host.server->flush(host.server);
        nanosleep(&wait, NULL);
        host.now_ms += 20;
    }
    for (int32_t i = 0; i < 2; i++) {
        net_event_t event = {.type = NET_NONE};
        client->poll(client, host.now_ms, &event);
        assert_int_equal(event.type, NET_MESSAGE);
        waits[i] = event.waited_us;
    }
    assert_true(waits[0] >= waits[1] + 15000);
    client->destroy(client);
    host.server->destroy(host.server);
}

/// Pauses for a time that no caller's clock contains. Runs before the datagrams of a poll are read.
static bool pause_a_while(void *context) {
    const struct timespec wait = {.tv_nsec = 30000000};
    (void)context;
    nanosleep(&wait, NULL);
    return false;
}

/// Tests a process that the system pauses in a poll. ENet's clock must be that of the polls:
/// otherwise it runs ahead, then steps back, and acknowledgements of what was sent in between are
/// older than that.
static void test_pause_in_a_poll(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){.is_late = pause_a_while});
    transport_t *client = UdpRig_Join(&host, false);
    for (int32_t i = 0; i < 10; i++) {
        assert_true(host.server->send(host.server, 0, NET_CHANNEL_CONTROL, true, "hello", 5));
        UdpRig_Run(&host, client, 10);
    }
    assert_int_equal(Udp_Filtered(host.server, FILTER_STALE_ACK), 0);
    assert_int_equal(((enet_transport_t *)host.server)->slots[0].queued_messages, 0);
    client->destroy(client);
    host.server->destroy(host.server);
}

/// Tests that everything ENet allocated is freed.
static void test_no_leak(void **state) {
    (void)state;
    size_t before = EnetMemory_Used();
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    for (int32_t i = 0; i < 50; i++) {
        host.server->send(host.server, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
        client->send(client, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
    }
    UdpRig_Run(&host, client, 10);
    assert_true(EnetMemory_Used() > before);
    client->destroy(client);
    host.server->destroy(host.server);
    assert_int_equal(EnetMemory_Used(), before);
}

static void collect(void *context, log_level_t level, const char *line) {
    char *text = context;
    (void)level;
    strlcat(text, line, 1000);
    strlcat(text, "\n", 1000);
}

static void test_receive_buffer_is_reported(void **state) {
    (void)state;
    char text[1000] = "";
    log_t log = {.write = collect, .context = text, .level = LOG_DEBUG};
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){.log = &log});
    assert_non_null(strstr(text, "network: receive buffer is "));
    int fd = host.server->descriptor(host.server);
    int real = 0;
    socklen_t size = sizeof real;
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &real, &size), 0);
    assert_int_equal(atoi(strstr(text, "buffer is ") + 10), real / 2);
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    host.server->destroy(host.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_slot_without_cookie),
        cmocka_unit_test(test_bytes_of_the_readme),
        cmocka_unit_test(test_connect_again_when_full),
        cmocka_unit_test(test_an_address_that_is_not_allowed),
        cmocka_unit_test(test_banned_between_connect_and_acknowledgement),
        cmocka_unit_test(test_unmodified_enet_client),
        cmocka_unit_test(test_connect_ids_are_random),
        cmocka_unit_test(test_first_message),
        cmocka_unit_test(test_reason_of_a_client),
        cmocka_unit_test(test_forged_goodbye),
        cmocka_unit_test(test_port_in_use),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_round_trip_without_the_wait),
        cmocka_unit_test(test_wait_for_the_poll),
        cmocka_unit_test(test_waits_of_two_messages),
        cmocka_unit_test(test_pause_in_a_poll),
        cmocka_unit_test(test_no_leak),
        cmocka_unit_test(test_receive_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
