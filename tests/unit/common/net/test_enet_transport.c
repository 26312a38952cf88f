// The real transport against what the internet sends: plain sockets, forged and broken datagrams,
// and an unmodified ENet client that only knows README.md.
#include "base/limits.h"
#include "base/rng.h"
#include "lib/testing.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"

#include <fcntl.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>

#define LOOPBACK 0x7f000001u

typedef struct {
    transport_t *server;
    netaddr_t at;
    int64_t now_ms;
    int32_t connected, left, messages, oob;
    int32_t last_peer;
} host_t;

static host_t open_host(enet_transport_config_t config) {
    host_t host = {.now_ms = 100000};
    err_t err = {""};
    config.bind.host = LOOPBACK;
    config.is_server = true;
    config.max_peers = config.max_peers ? config.max_peers : 16;
    host.server = EnetTransport_Create(&config, &err);
    assert_string_equal(err.text, "");
    assert_non_null(host.server);
    host.at = (netaddr_t){.host = LOOPBACK, .port = EnetTransport_Port(host.server)};
    return host;
}

static void poll_host(host_t *host) {
    net_event_t event;
    host->now_ms += 5;
    for (host->server->poll(host->server, host->now_ms, &event); event.type != NET_NONE;
         host->server->poll(host->server, host->now_ms, &event)) {
        host->connected += event.type == NET_CONNECTED;
        host->left += event.type == NET_LEFT;
        host->messages += event.type == NET_MESSAGE;
        host->oob += event.type == NET_OOB;
        host->last_peer = event.peer;
    }
}

static transport_t *open_client(bool without_checksum) {
    err_t err = {""};
    enet_transport_config_t config = {
        .bind = {.host = LOOPBACK}, .max_peers = 1, .without_checksum = without_checksum};
    transport_t *client = EnetTransport_Create(&config, &err);
    assert_non_null(client);
    return client;
}

/// Runs both for a while; the last event of the client that was not a message.
static net_event_type_t run(host_t *host, transport_t *client, int32_t ms) {
    net_event_type_t last = NET_NONE;
    for (int64_t end = host->now_ms + ms; host->now_ms < end;) {
        poll_host(host);
        net_event_t event;
        for (client->poll(client, host->now_ms, &event); event.type != NET_NONE;
             client->poll(client, host->now_ms, &event)) {
            last = event.type == NET_MESSAGE ? last : event.type;
        }
    }
    return last;
}

static transport_t *join(host_t *host, bool without_checksum) {
    err_t err = {""};
    transport_t *client = open_client(without_checksum);
    assert_int_equal(client->connect(client, host->at, &err), 0);
    assert_int_equal(run(host, client, 300), NET_CONNECTED);
    return client;
}

/// A plain UDP socket on loopback, as anybody has one.
static int open_socket(void) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(LOOPBACK)};
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&any, sizeof any), 0);
    return fd;
}

static bool shoot(int fd, netaddr_t to, const void *data, size_t size) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(to.port), .sin_addr.s_addr = htonl(to.host)};
    return sendto(fd, data, size, 0, (const struct sockaddr *)&address, sizeof address) ==
           (ssize_t)size;
}

/// Bytes that came back, the last datagram in `data`.
static size_t hear(int fd, uint8_t data[4096], int32_t *num_datagrams) {
    size_t total = 0;
    ssize_t got = 0;
    uint8_t bytes[4096];
    while ((got = recv(fd, bytes, sizeof bytes, 0)) >= 0) {
        total += (size_t)got;
        ++*num_datagrams;
        memcpy(data, bytes, (size_t)got);
    }
    return total;
}

/// Puts the checksum of ENet in, as a sender does: the connectID stands in its place meanwhile.
static void seal(uint8_t *bytes, size_t size, size_t at, uint32_t connect_id) {
    memcpy(bytes + at, &connect_id, 4);
    ENetBuffer buffer = {.data = bytes, .dataLength = size};
    uint32_t sum = enet_crc32(&buffer, 1);
    memcpy(bytes + at, &sum, 4);
}

static void write_connect(uint8_t bytes[56], const uint8_t cookie[4], uint8_t salt) {
    static const uint8_t connect[56] = {0x8f, 0xff, 0,    0, 0, 0,    0, 0, 0x82, 0xff, 0, 1, 0,
                                        0,    0xff, 0xff, 0, 0, 0x10, 0, 0, 1,    0,    0, 0, 0,
                                        0,    3,    0,    0, 0, 0,    0, 0, 0,    0,    0, 0, 0x13,
                                        0x88, 0,    0,    0, 2, 0,    0, 0, 2,    9,    9, 9};
    memcpy(bytes, connect, 56);
    bytes[51] = salt;
    memcpy(bytes + 52, cookie, 4);
    seal(bytes, 56, 4, 0);
}

static bool ask_cookie(host_t *host, int fd, uint8_t cookie[4]) {
    static const uint8_t request[24] = "\xff\xff\xff\xff"
                                       "getcookie\x01"
                                       "abcd";
    uint8_t reply[4096];
    int32_t num = 0;
    assert_true(shoot(fd, host->at, request, sizeof request));
    poll_host(host);
    if (hear(fd, reply, &num) != 18) {
        return false;
    }
    assert_memory_equal(reply,
                        "\xff\xff\xff\xff"
                        "cookieabcd",
                        14);
    memcpy(cookie, reply + 14, 4);
    return true;
}

// --- the cookie ------------------------------------------------------------------------------

static void test_no_slot_without_cookie(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    int fd = open_socket();
    rng_t rng = {.state = 1};
    uint8_t bytes[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    for (int32_t i = 0; i < 5000; i++) {
        uint32_t guess = (uint32_t)Rng_Next(&rng);
        write_connect(bytes, (const uint8_t *)&guess, (uint8_t)i);
        shoot(fd, host.at, bytes, sizeof bytes);
        if (i % 50 == 0) {
            poll_host(&host);
            assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
        }
    }
    poll_host(&host);
    assert_int_equal(hear(fd, reply, &replies), 0);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    assert_int_equal(host.server->counters(host.server).packets_out, 0);
    assert_int_equal(host.server->counters(host.server).guard_dropped, 5000);
    assert_true(EnetTransport_Dropped(host.server, GUARD_BAD_COOKIE) > 0);
    assert_true(EnetTransport_Dropped(host.server, GUARD_RATE) > 0);
    // The flood used up its network's CONNECTs for a moment, not the server.
    run(&host, host.server, 3000);
    transport_t *client = join(&host, false);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

static void test_bytes_of_the_readme(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    int fd = open_socket();
    uint8_t cookie[4];
    uint8_t bytes[56];
    uint8_t reply[4096];
    int32_t replies = 0;
    assert_true(ask_cookie(&host, fd, cookie));
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    write_connect(bytes, cookie, 1);
    assert_true(shoot(fd, host.at, bytes, sizeof bytes));
    poll_host(&host);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    assert_true(hear(fd, reply, &replies) >= 52);
    assert_int_equal(reply[8] & 0x0f, ENET_PROTOCOL_COMMAND_VERIFY_CONNECT);
    assert_int_equal(host.connected, 0); // not before the other end has answered that
    // With the checksum wrong ENet itself does not take it.
    write_connect(bytes, cookie, 2);
    bytes[4] ^= 1;
    shoot(fd, host.at, bytes, sizeof bytes);
    poll_host(&host);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    close(fd);
    host.server->destroy(host.server);
}

static void test_unmodified_enet_client(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    ENetAddress to = {.host = htonl(LOOPBACK), .port = host.at.port};
    // Another socket of the same machine asks: the cookie is of the host, not of the port.
    int fd = open_socket();
    uint8_t cookie[4];
    assert_true(ask_cookie(&host, fd, cookie));
    uint32_t data = (uint32_t)cookie[0] << 24 | (uint32_t)cookie[1] << 16 |
                    (uint32_t)cookie[2] << 8 | cookie[3];
    for (int32_t good = 0; good < 2; good++) {
        ENetHost *client = enet_host_create(NULL, 1, 3, 0, 0);
        assert_non_null(client);
        client->checksum = enet_crc32;
        client->peers[0].mtu = 4096; // asks for more than the path has
        ENetPeer *peer = enet_host_connect(client, &to, 3, good ? data : data + 1);
        assert_non_null(peer);
        bool connected = false;
        for (int32_t i = 0; i < 100; i++) {
            ENetEvent event;
            poll_host(&host);
            enet_time_set((enet_uint32)host.now_ms + 1000);
            while (enet_host_service(client, &event, 0) > 0) {
                connected |= event.type == ENET_EVENT_TYPE_CONNECT;
            }
        }
        assert_int_equal(connected, good == 1);
        assert_int_equal(host.connected, good);
        if (good) {
            // A11 and A12, on the server's side of it.
            const enet_transport_t *inside = (const enet_transport_t *)host.server;
            const ENetPeer *there = &inside->host->peers[host.last_peer];
            assert_int_equal(there->mtu, ENET_MAX_MTU);
            assert_int_equal(there->packetThrottleDeceleration, 0);
            assert_int_equal(there->timeoutMaximum, NET_TIMEOUT_MS);
            assert_int_equal(peer->packetThrottleDeceleration, 0); // told to the client too
        }
        enet_host_destroy(client);
    }
    close(fd);
    host.server->destroy(host.server);
}

static void test_connect_ids_are_random(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    uint32_t ids[8];
    for (size_t i = 0; i < COUNTOF(ids); i++) {
        transport_t *client = join(&host, false);
        ids[i] = ((const enet_transport_t *)client)->slots[0].peer->connectID;
        for (size_t k = 0; k < i; k++) {
            assert_true(ids[i] - ids[k] > 1000 && ids[k] - ids[i] > 1000);
        }
        client->destroy(client);
    }
    host.server->destroy(host.server);
}

static void test_one_address_many_connections(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){.max_peers_per_address = 2});
    transport_t *clients[3] = {join(&host, false), join(&host, false), open_client(false)};
    err_t err = {""};
    assert_int_equal(clients[2]->connect(clients[2], host.at, &err), 0);
    assert_int_equal(run(&host, clients[2], 300), NET_LEFT);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 2);
    for (int32_t i = 0; i < 3; i++) {
        clients[i]->destroy(clients[i]);
    }
    host.server->destroy(host.server);
}

// --- storms ----------------------------------------------------------------------------------

static size_t nasty_datagram(rng_t *rng, uint8_t bytes[1500]) {
    static const uint8_t request[24] = "\xff\xff\xff\xff"
                                       "getcookie\x01"
                                       "abcd";
    size_t size = Rng_Below(rng, Rng_Below(rng, 20) == 0 ? 1500 : 80);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)Rng_Next(rng);
    }
    switch (Rng_Below(rng, 5)) {
    case 0:
        memcpy(bytes, request, 24);
        return 24;
    case 1:
        write_connect(bytes, bytes, (uint8_t)Rng_Next(rng));
        bytes[Rng_Below(rng, 56)] ^= (uint8_t)(1 << Rng_Below(rng, 8));
        return 56;
    case 2: // for a peer that exists
        if (size >= 12) {
            bytes[0] = 0x80 | (uint8_t)(Rng_Below(rng, 4) << 4);
            bytes[1] = (uint8_t)Rng_Below(rng, 3);
            bytes[8] &= 0x8f;
            seal(bytes, size, 4, 0);
        }
        return size;
    case 3:
        memset(bytes, 0xff, size < 4 ? size : 4);
        return size;
    default:
        return size;
    }
}

static void test_garbage_storm(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    transport_t *client = join(&host, false);
    int fd = open_socket();
    rng_t rng = {.state = 77};
    uint8_t bytes[1500];
    uint8_t reply[4096];
    int32_t replies = 0;
    size_t sent = 0;
    size_t heard = 0;
    int32_t num_empty = 0;
    uint64_t before = host.server->counters(host.server).packets_in;
    int32_t storm = Test_IsLong() ? 2000000 : 100000;
    for (int32_t i = 0; i < storm; i++) {
        size_t size = nasty_datagram(&rng, bytes);
        num_empty += size == 0; // ENet does not count those
        sent += shoot(fd, host.at, bytes, size) ? size : 0;
        if (i % 40 == 0) {
            poll_host(&host);
            heard += hear(fd, reply, &replies);
        }
    }
    run(&host, client, 1000);
    heard += hear(fd, reply, &replies);
    net_counters_t counters = host.server->counters(host.server);
    assert_true(replies > 0);
    assert_true(heard <= sent); // no amplification, whatever was asked
    assert_true(counters.packets_in - before >= (uint64_t)(storm - num_empty));
    assert_int_equal(counters.kernel_dropped, 0);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    assert_int_equal(host.left, 0);
    // And the one who plays still plays.
    int32_t messages = host.messages;
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "still here", 10));
    run(&host, client, 100);
    assert_int_equal(host.messages, messages + 1);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

/// Datagrams longer than ENet reads make enet_host_service give -1 and skip what follows (A8).
static void test_oversize(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    transport_t *client = join(&host, false);
    int fd = open_socket();
    static uint8_t huge[60000];
    static const size_t sizes[] = {4096, 4097, 5000, 60000};
    for (int32_t i = 0; i < 200; i++) {
        size_t size = sizes[i % 4];
        memset(huge, i % 3 == 0 ? 0xff : 0x80, sizeof huge);
        assert_true(shoot(fd, host.at, huge, size));
        assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "among them", 10));
        client->flush(client);
        poll_host(&host);
    }
    run(&host, client, 500);
    assert_int_equal(host.messages, 200);
    assert_int_equal(host.left, 0);
    assert_in_range(host.server->counters(host.server).service_errors, 100, 200);
    // A whole batch of them between two polls does not keep the rest waiting either.
    for (int32_t i = 0; i < 60; i++) {
        shoot(fd, host.at, huge, 5000);
    }
    client->send(client, 0, NET_CHANNEL_CONTROL, true, "behind them", 11);
    client->flush(client);
    poll_host(&host);
    assert_int_equal(host.messages, 201);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

/// ENet takes an empty datagram for "nothing more": what stands behind them must be read anyway.
static void test_empty_datagrams(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    transport_t *client = join(&host, false);
    int fd = open_socket();
    for (int32_t i = 0; i < 1000; i++) {
        assert_true(shoot(fd, host.at, "", 0));
    }
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "behind them", 11));
    client->flush(client);
    poll_host(&host);
    assert_int_equal(host.messages, 1);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

static uint16_t ip_sum(const uint8_t *bytes, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return htons((uint16_t)~sum);
}

/// Sources that only a raw socket can write. Each drew a slot and errors from a bare ENet (A8).
static void test_impossible_sources(void **state) {
    (void)state;
    int raw = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    if (raw < 0) {
        print_message("SKIPPED: forged sources need a raw socket (root)\n");
        skip();
    }
    host_t host = open_host((enet_transport_config_t){0});
    static const netaddr_t sources[] = {{.host = LOOPBACK, .port = 0},
                                        {.host = 0x7f000002u, .port = 0},
                                        {.host = 0x7f000003u, .port = 999}};
    uint8_t cookie[4];
    int fd = open_socket();
    assert_true(ask_cookie(&host, fd, cookie));
    for (int32_t i = 0; i < 30; i++) {
        netaddr_t from = sources[i % 3];
        struct {
            struct iphdr ip;
            struct udphdr udp;
            uint8_t connect[56];
        } packet = {.ip = {.ihl = 5, .version = 4, .ttl = 64, .protocol = IPPROTO_UDP}};
        packet.ip.tot_len = htons(sizeof packet);
        packet.ip.saddr = htonl(from.host);
        packet.ip.daddr = htonl(LOOPBACK);
        packet.ip.check = ip_sum((const uint8_t *)&packet.ip, sizeof packet.ip);
        packet.udp.source = htons(from.port);
        packet.udp.dest = htons(host.at.port);
        packet.udp.len = htons(sizeof packet.udp + sizeof packet.connect);
        write_connect(packet.connect, cookie, (uint8_t)i);
        assert_true(shoot(raw, host.at, &packet, sizeof packet));
        poll_host(&host);
    }
    assert_int_equal(EnetTransport_Dropped(host.server, GUARD_PORT_ZERO), 20);
    assert_int_equal(EnetTransport_Dropped(host.server, GUARD_BAD_COOKIE), 10);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    assert_int_equal(host.server->counters(host.server).service_errors, 0);
    close(raw);
    close(fd);
    host.server->destroy(host.server);
}

/// One value of time reads a bounded number of datagrams, so that a flood cannot hold the caller.
static void test_drain_is_bounded(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    int fd = open_socket();
    for (int32_t i = 0; i < 7000; i++) {
        shoot(fd, host.at, "\xcf\xff", 2);
    }
    poll_host(&host);
    uint64_t first = host.server->counters(host.server).packets_in;
    assert_in_range(first, NET_DRAIN_LIMIT, NET_DRAIN_LIMIT + 256);
    poll_host(&host);
    net_counters_t counters = host.server->counters(host.server);
    assert_int_equal(counters.packets_in + counters.kernel_dropped, 7000);
    assert_int_equal(counters.service_errors, 0);
    // What does not fit the kernel's buffer is lost, and known.
    for (int32_t i = 0; i < 60000; i++) {
        shoot(fd, host.at, "\xcf\xff", 2);
    }
    assert_true(host.server->counters(host.server).kernel_dropped > 1000);
    close(fd);
    host.server->destroy(host.server);
}

// --- forged goodbyes -------------------------------------------------------------------------

/// Sends goodbyes from the client's own address and port, as one who forges it would, with every
/// session number, but without knowing the connectID. Whether the server fell for it.
static bool forge_goodbye(bool without_checksum) {
    host_t host = open_host((enet_transport_config_t){.without_checksum = without_checksum});
    transport_t *client = join(&host, without_checksum);
    int fd = client->descriptor(client);
    for (uint32_t session = 0; session < 4; session++) {
        uint8_t bytes[16] = {0};
        size_t at = without_checksum ? 4 : 8;
        bytes[0] = (uint8_t)(0x80 | session << 4);
        bytes[1] = (uint8_t)host.last_peer;
        bytes[at] = ENET_PROTOCOL_COMMAND_DISCONNECT | 0x40;
        bytes[at + 1] = 0xff;
        if (!without_checksum) {
            seal(bytes, sizeof bytes, 4, 0);
        }
        assert_true(shoot(fd, host.at, bytes, at + 8));
        poll_host(&host);
    }
    bool fell = host.left > 0;
    client->destroy(client);
    host.server->destroy(host.server);
    return fell;
}

static void test_forged_goodbye(void **state) {
    (void)state;
    assert_false(forge_goodbye(false));
    // The same bytes do it when the checksum is off: this test would notice.
    assert_true(forge_goodbye(true));
}

// --- the machine -----------------------------------------------------------------------------

static void test_port_in_use(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
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
    host_t host = open_host((enet_transport_config_t){0});
    transport_t *client = join(&host, false);
    int fd = open_socket();
    uint64_t failures = EnetMemory_Failures();
    // ENet's memory is held at what it has now: every step that needs more fails, nothing breaks.
    for (size_t more = 0; more < 4000; more += 100) {
        EnetMemory_SetLimit(EnetMemory_Used() + more);
        for (int32_t i = 0; i < 20; i++) {
            host.server->send(host.server, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
            host.server->send(host.server, 0, NET_CHANNEL_SNAPSHOT, false, "0123456789", 10);
            client->send(client, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
        }
        uint8_t cookie[4];
        uint8_t bytes[56];
        if (more % 1000 == 0 && ask_cookie(&host, fd, cookie)) {
            write_connect(bytes, cookie, (uint8_t)(more / 100));
            shoot(fd, host.at, bytes, sizeof bytes);
        }
        run(&host, client, 20);
    }
    enet_transport_config_t config = {.bind = {.host = LOOPBACK}, .max_peers = 100};
    err_t err = {""};
    EnetMemory_SetLimit(EnetMemory_Used());
    assert_null(EnetTransport_Create(&config, &err));
    assert_non_null(strstr(err.text, "no memory"));
    EnetMemory_SetLimit(ENET_MEMORY_LIMIT);
    assert_true(EnetMemory_Failures() > failures);
    assert_true(host.server->counters(host.server).no_memory > failures);
    assert_true(host.server->counters(host.server).send_failed > 0);
    // With memory again, it goes on.
    transport_t *other = join(&host, false);
    int32_t messages = host.messages;
    run(&host, client, 2000);
    assert_true(other->send(other, 0, NET_CHANNEL_CONTROL, true, "again", 5));
    run(&host, other, 200);
    assert_true(host.messages > messages);
    other->destroy(other);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

/// Everything ENet took is given back.
static void test_no_leak(void **state) {
    (void)state;
    size_t before = EnetMemory_Used();
    host_t host = open_host((enet_transport_config_t){0});
    transport_t *client = join(&host, false);
    for (int32_t i = 0; i < 50; i++) {
        host.server->send(host.server, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
        client->send(client, 0, NET_CHANNEL_CONTROL, true, "0123456789", 10);
    }
    run(&host, client, 10);
    assert_true(EnetMemory_Used() > before);
    client->destroy(client);
    host.server->destroy(host.server);
    assert_int_equal(EnetMemory_Used(), before);
}

/// A10: a count of waiting bytes that only ever grew would shut a player out.
static void test_waiting_data_is_repaired(void **state) {
    (void)state;
    host_t host = open_host((enet_transport_config_t){0});
    transport_t *client = join(&host, false);
    ENetPeer *peer = ((enet_transport_t *)host.server)->slots[host.last_peer].peer;
    peer->totalWaitingData = peer->host->maximumWaitingData;
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "let me in", 9));
    run(&host, client, 50);
    assert_int_equal(host.messages, 0);
    host.server->flush(host.server);
    assert_int_equal(peer->totalWaitingData, 0);
    run(&host, client, 2000);
    assert_int_equal(host.messages, 1);
    client->destroy(client);
    host.server->destroy(host.server);
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
    host_t host = open_host((enet_transport_config_t){.log = &log});
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
        cmocka_unit_test(test_unmodified_enet_client),
        cmocka_unit_test(test_connect_ids_are_random),
        cmocka_unit_test(test_one_address_many_connections),
        cmocka_unit_test(test_garbage_storm),
        cmocka_unit_test(test_oversize),
        cmocka_unit_test(test_empty_datagrams),
        cmocka_unit_test(test_impossible_sources),
        cmocka_unit_test(test_drain_is_bounded),
        cmocka_unit_test(test_forged_goodbye),
        cmocka_unit_test(test_port_in_use),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_no_leak),
        cmocka_unit_test(test_waiting_data_is_repaired),
        cmocka_unit_test(test_receive_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
