// bench_net.c - measures the guard and the transport, and a bare ENet host in the same run.
//
// Lines: bench,case,value,unit,peer,peer_value. Times are CPU time of this thread in the server's
// calls only. In both cases, 64 bare ENet hosts on loopback are the clients.

#include "base/assert.h"
#include "base/rng.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/wire.h"

#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NUM_PEERS   64
#define MOST_PEERS  1000
#define TICKS       2000
#define JOIN_TICKS  100
#define TICK_MS     16
#define DOWN_BYTES  200
#define UP_BYTES    60
#define FLOOD       20000
#define FLOOD_BATCH 200
#define GUARD_CALLS 4000000
#define LOOPBACK    0x7f000001u

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print(const char *name, double value, const char *unit, double bare) {
    if (bare >= 0.0) {
        printf("net,%s,%.3g,%s,bare_enet,%.3g\n", name, value, unit, bare);
    } else {
        printf("net,%s,%.3g,%s,,\n", name, value, unit);
    }
}

// ---- either server ----

/// Stores a transport, or a bare ENet host if net is NULL.
typedef struct {
    transport_t *net;
    ENetHost *host;
    uint16_t port;
    int64_t now_ms;
    int32_t num_messages, num_connected;
} server_t;

static server_t open_server(bool bare, int32_t max_peers) {
    server_t server = {.now_ms = 1000};
    err_t err = {""};
    enet_transport_config_t config = {
        .bind = {.host = LOOPBACK}, .max_peers = max_peers, .is_server = true};
    // The bare host is also made after a transport, so that ENet is initialised in the same way.
    // Its clock must not jump once it has peers.
    server.net = EnetTransport_Create(&config, &err);
    if (!server.net) {
        fprintf(stderr, "bench_net: %s\n", err.text);
        exit(1);
    }
    enet_time_set((enet_uint32)server.now_ms + 1000);
    server.port = EnetTransport_Port(server.net);
    if (bare) {
        server.net->destroy(server.net);
        server.net = NULL;
        ENetAddress at = {.host = htonl(LOOPBACK), .port = server.port};
        server.host = enet_host_create(&at, (size_t)max_peers, 3, 0, 0);
        ASSERT(server.host);
        server.host->checksum = enet_crc32;
    }
    return server;
}

static void close_server(server_t *server) {
    if (server->net) {
        server->net->destroy(server->net);
    } else {
        enet_host_destroy(server->host);
    }
}

static void poll_transport(server_t *server) {
    net_event_t event;
    for (server->net->poll(server->net, server->now_ms, &event); event.type != NET_NONE;
         server->net->poll(server->net, server->now_ms, &event)) {
        server->num_messages += event.type == NET_MESSAGE;
        server->num_connected += event.type == NET_CONNECTED;
    }
}

static void poll_bare(server_t *server) {
    ENetEvent event;
    enet_time_set((enet_uint32)server->now_ms + 1000);
    while (enet_host_service(server->host, &event, 0) > 0) {
        server->num_connected += event.type == ENET_EVENT_TYPE_CONNECT;
        if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            server->num_messages++;
            enet_packet_destroy(event.packet);
        }
    }
}

static void poll_server(server_t *server) {
    if (server->net) {
        poll_transport(server);
    } else {
        poll_bare(server);
    }
}

static void send_to_all(server_t *server, int32_t count) {
    static const uint8_t bytes[DOWN_BYTES];
    for (int32_t i = 0; i < count; i++) {
        if (server->net) {
            server->net->send(server->net, i, NET_CHANNEL_SNAPSHOT, false, bytes, sizeof bytes);
        } else {
            enet_peer_send(&server->host->peers[i], NET_CHANNEL_SNAPSHOT,
                           enet_packet_create(bytes, sizeof bytes, 0));
        }
    }
    if (server->net) {
        server->net->flush(server->net);
    } else {
        enet_host_flush(server->host);
    }
}

// ---- the load ----

static int open_socket(uint16_t port) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(LOOPBACK);
    ASSERT(fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0);
    return fd;
}

static uint32_t ask_cookie(server_t *server) {
    static const uint8_t request[GUARD_REQUEST_BYTES] = "\xff\xff\xff\xffgetcookie\x02";
    uint8_t reply[GUARD_COOKIE_BYTES] = {0};
    if (!server->net) {
        return 0;
    }
    int fd = open_socket(server->port);
    ASSERT(send(fd, request, sizeof request, 0) == (ssize_t)sizeof request);
    poll_server(server);
    ASSERT(recv(fd, reply, sizeof reply, 0) == GUARD_COOKIE_BYTES);
    close(fd);
    return (uint32_t)reply[14] << 24 | (uint32_t)reply[15] << 16 | (uint32_t)reply[16] << 8 |
           reply[17];
}

static void serve_client(ENetHost *client) {
    ENetEvent event;
    while (enet_host_service(client, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            enet_packet_destroy(event.packet);
        }
    }
}

/// Returns the server's microseconds per tick with 64 players.
static double run_traffic(bool bare, double *datagrams_s) {
    static const uint8_t bytes[UP_BYTES];
    server_t server = open_server(bare, NUM_PEERS);
    uint32_t cookie = ask_cookie(&server);
    ENetHost *clients[NUM_PEERS];
    ENetPeer *peers[NUM_PEERS];
    ENetAddress to = {.host = htonl(LOOPBACK), .port = server.port};
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        clients[i] = enet_host_create(NULL, 1, 3, 0, 0);
        ASSERT(clients[i]);
        clients[i]->checksum = enet_crc32;
        peers[i] = enet_host_connect(clients[i], &to, 3, cookie);
    }
    double spent_ns = 0.0;
    int32_t before = 0;
    for (int32_t tick = 0; tick < TICKS + 100; tick++) {
        server.now_ms += TICK_MS;
        for (int32_t i = 0; i < NUM_PEERS; i++) {
            if (tick >= 100) {
                enet_peer_send(peers[i], NET_CHANNEL_USERCMD,
                               enet_packet_create(bytes, sizeof bytes, 0));
            }
            serve_client(clients[i]);
        }
        before = tick == 100 ? server.num_messages : before;
        double start = cpu_ns();
        poll_server(&server);
        if (tick >= 100) {
            send_to_all(&server, NUM_PEERS);
            spent_ns += cpu_ns() - start;
        }
    }
    int32_t heard = server.num_messages - before;
    if (server.num_connected != NUM_PEERS || heard < NUM_PEERS * TICKS * 99 / 100) {
        fprintf(stderr, "bench_net: %d of %d connected, %d of %d messages arrived\n",
                server.num_connected, NUM_PEERS, heard, NUM_PEERS * TICKS);
        exit(1);
    }
    *datagrams_s = 2.0 * heard / (spent_ns / 1e9);
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        enet_host_destroy(clients[i]);
    }
    close_server(&server);
    return spent_ns / TICKS / 1000.0;
}

static void poll_client(transport_t *client, int64_t now_ms) {
    net_event_t event;
    do {
        client->poll(client, now_ms, &event);
    } while (event.type != NET_NONE);
}

/// Returns the server's microseconds per tick with `count` clients of the library.
static double run_library(net_seal_t seal, int32_t count) {
    static const uint8_t bytes[UP_BYTES];
    static transport_t *clients[MOST_PEERS];
    server_t server = open_server(false, count);
    netaddr_t at = {.host = LOOPBACK, .port = server.port};
    int32_t ticks = TICKS * NUM_PEERS / count;
    int32_t join_ticks = JOIN_TICKS + count / 4; // five a tick may join
    double spent_ns = 0.0;
    for (int32_t i = 0; i < count; i++) {
        clients[i] = UdpRig_Client(false);
        clients[i]->set_seal(clients[i], seal, NULL);
        ASSERT(clients[i]->connect(clients[i], at, NULL) == 0);
    }
    for (int32_t tick = 0; tick < ticks + join_ticks; tick++) {
        server.now_ms += TICK_MS;
        for (int32_t i = 0; i < count; i++) {
            if (tick >= join_ticks) {
                ASSERT(clients[i]->send(clients[i], 0, NET_CHANNEL_USERCMD, false, bytes,
                                        sizeof bytes));
            }
            poll_client(clients[i], server.now_ms);
        }
        double start = cpu_ns();
        poll_server(&server);
        if (tick >= join_ticks) {
            send_to_all(&server, count);
            spent_ns += cpu_ns() - start;
        }
    }
    ASSERT(server.num_connected == count && server.num_messages >= count * (ticks - 1));
    ASSERT(server.net->is_sealed(server.net, 0) == (seal != NET_SEAL_OFF));
    for (int32_t i = 0; i < count; i++) {
        clients[i]->destroy(clients[i]);
    }
    close_server(&server);
    return spent_ns / ticks / 1000.0;
}

/// Returns the nanoseconds per datagram of a flood that a watcher sends for a player: header and
/// address are right. `size` 0: sealed CONNECTs with a valid cookie, of random keys.
static double run_sealed_flood(size_t size) {
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    const ENetPeer *peer = ((const enet_transport_t *)client)->slots[0].peer;
    seal_connect_t connect = ((const enet_transport_t *)client)->slots[0].connect;
    int32_t count = size > 0 ? FLOOD : 1000; // the limit of CONNECTs
    uint8_t bytes[1500] = {0};
    double spent_ns = 0.0;
    for (int32_t sent = 0; sent < count; sent += FLOOD_BATCH) {
        for (int32_t i = 0; i < FLOOD_BATCH; i++) {
            int32_t id = sent + i;
            Wire_WriteU16(bytes,
                          0xc000u | (uint32_t)peer->outgoingSessionID << 12 | peer->outgoingPeerID);
            Wire_WriteU32(bytes + 2, 1000 + (uint32_t)id);
            if (size == 0) {
                seal_t seal = {.is_on = true};
                memcpy(connect.client_public, &id, sizeof id);
                (void)Seal_WriteConnect(&seal, &connect, bytes + 200, 56, bytes);
            }
            ASSERT(Udp_Send(client->descriptor(client), rig.at, bytes,
                            size > 0 ? size : 56 + SEAL_CONNECT_EXTRA));
        }
        double start = cpu_ns();
        UdpRig_Poll(&rig);
        spent_ns += cpu_ns() - start;
    }
    uint64_t count_dropped = rig.server->more->counters(rig.server).seal_dropped;
    ASSERT(rig.left == 0 &&
           (size == 0 || count_dropped == (uint64_t)count)); // few CONNECTs pass the door
    client->destroy(client);
    rig.server->destroy(rig.server);
    return spent_ns / count;
}

/// Returns the nanoseconds per forged CONNECT.
static double run_flood(bool bare, int32_t max_peers) {
    uint8_t bytes[56] = {0x8f, 0xff, 0, 0, 0, 0, 0, 0, 0x82, 0xff, 0, 1};
    server_t server = open_server(bare, max_peers);
    int fd = open_socket(server.port);
    double spent_ns = 0.0;
    bytes[18] = 5; // mtu
    bytes[27] = 3; // channels
    for (int32_t sent = 0; sent < FLOOD; sent += FLOOD_BATCH) {
        for (int32_t i = 0; i < FLOOD_BATCH; i++) {
            int32_t id = sent + i;
            memcpy(bytes + 48, &id, sizeof id);
            memset(bytes + 4, 0, 4);
            ENetBuffer buffer = {.data = bytes, .dataLength = sizeof bytes};
            uint32_t sum = enet_crc32(&buffer, 1);
            memcpy(bytes + 4, &sum, 4);
            ASSERT(send(fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes);
        }
        server.now_ms += 1;
        double start = cpu_ns();
        poll_server(&server);
        spent_ns += cpu_ns() - start;
        while (recv(fd, (uint8_t[512]){0}, 512, 0) >= 0) {
        }
    }
    close(fd);
    close_server(&server);
    return spent_ns / FLOOD;
}

/// Returns the nanoseconds per poll with nothing to do.
static double run_idle(bool bare, int32_t max_peers) {
    enum { POLLS = 20000 };
    server_t server = open_server(bare, max_peers);
    double start = cpu_ns();
    for (int32_t i = 0; i < POLLS; i++) {
        server.now_ms++;
        poll_server(&server);
    }
    double spent_ns = cpu_ns() - start;
    close_server(&server);
    return spent_ns / POLLS;
}

/// Returns the nanoseconds of the guard alone for one kind of datagram; each comes from another
/// /24.
static double run_guard(const uint8_t *data, size_t size) {
    static guard_buckets_t buckets;
    guard_t guard = {.key = {1}, .max_peers = 64, .is_server = true, .has_checksum = true};
    guard_verdict_t verdict;
    uint64_t sum = 0;
    memset(&buckets, 0, sizeof buckets);
    double start = cpu_ns();
    for (int32_t i = 0; i < GUARD_CALLS; i++) {
        guard_datagram_t in = {.data = data,
                               .size = size,
                               .from = {.host = 0x0a000000u + ((uint32_t)i << 8), .port = 4000},
                               .now_ms = i / 100};
        Guard_Check(&guard, &buckets, &in, &verdict);
        sum += verdict.reply_size + (uint64_t)verdict.action;
    }
    double spent_ns = cpu_ns() - start;
    ASSERT(sum < UINT64_MAX); // keeps the compiler from removing the loop
    return spent_ns / GUARD_CALLS;
}

/// Nanoseconds of the filter alone for one command of a full datagram; `byte` has no data.
static double run_filter(uint8_t byte, uint8_t channel, size_t size) {
    enum { CALLS = 100000 };
    static filter_t filter;
    uint64_t counts[FILTER_WHY_COUNT] = {0};
    uint8_t data[8 + 32 * 8] = {0x80};
    double start = cpu_ns();
    for (int32_t i = 0; i < CALLS; i++) {
        filter_link_t link = {.now_ms = 1000 * (int64_t)i, .from_client = true, .is_open = true};
        link.delivered[1] = byte == 0x86 ? (uint16_t)(i * 32) : 0;
        filter_datagram_t in = {.data = data, .size = 8 + 32 * size, .start = 8};
        for (uint32_t k = 0; k < 32; k++) {
            uint8_t *at = data + 8 + k * size;
            memset(at, 0, size);
            at[0] = byte;
            at[1] = channel;
            Wire_WriteU16(at + 2, byte == 0x07 ? 0 : (uint32_t)i * 32 + k + 1);
            Wire_WriteU16(at + 4, byte == 0x86 ? 0 : k + 1); // its length, or its number
        }
        (void)Filter_Check(&filter, &link, &in, counts);
    }
    return (cpu_ns() - start) / CALLS / 32;
}

/// Microseconds of a poll for the most expensive datagram that passes the filter: 32 messages,
/// for each of which ENet walks a full window. Acknowledgements and their sending are included.
static double run_walk(void) {
    enum { DATAGRAMS = 2000 };
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.seal = NET_SEAL_OFF});
    transport_t *client = UdpRig_Join(&rig, false);
    const ENetPeer *peer = ((const enet_transport_t *)client)->slots[0].peer;
    double spent_ns = 0.0;
    for (int32_t i = 0; i < DATAGRAMS; i++) {
        uint8_t data[8 + 32 * 6] = {0};
        Wire_WriteU16(data,
                      0x8000u | (uint32_t)peer->outgoingSessionID << 12 | peer->outgoingPeerID);
        for (uint32_t k = 0; k < 32; k++) {
            data[8 + 6 * k] = 0x86;
            Wire_WriteU16(data + 8 + 6 * k + 2,
                          i < 2 ? FILTER_CLIENT_WINDOW - 32 * (uint32_t)i - k : 2);
        }
        if (i == 1) {
            Wire_WriteU16(data + 8 + 6 * 31 + 2, 2); // the next expected message never arrives
        }
        Udp_Seal(data, sizeof data, 4, peer->connectID);
        ASSERT(Udp_Send(client->descriptor(client), rig.at, data, sizeof data));
        rig.now_ms += 95;
        double start = cpu_ns();
        UdpRig_Poll(&rig);
        spent_ns += cpu_ns() - start;
        net_event_t event;
        client->poll(client, rig.now_ms, &event);
    }
    ASSERT(rig.left == 0 && rig.messages == 0);
    client->destroy(client);
    rig.server->destroy(rig.server);
    return spent_ns / DATAGRAMS / 1000.0;
}

int main(void) {
    static const uint8_t data[64] = {0x80, 3};
    static const uint8_t request[GUARD_REQUEST_BYTES] = "\xff\xff\xff\xffgetcookie\x02";
    uint8_t connect_bytes[56] = {0x8f, 0xff, 0, 0, 0, 0, 0, 0, 0x82, 0xff, 0, 1};
    connect_bytes[27] = 3;
    print("guard_data", run_guard(data, sizeof data), "ns", -1.0);
    print("guard_cookie_request", run_guard(request, sizeof request), "ns", -1.0);
    print("guard_forged_connect", run_guard(connect_bytes, sizeof connect_bytes), "ns", -1.0);
    print("filter_ping", run_filter(0x85, 0xff, 4), "ns", -1.0);
    print("filter_unreliable", run_filter(0x07, 1, 8), "ns", -1.0);
    print("filter_reliable", run_filter(0x86, 1, 6), "ns", -1.0);
    print("datagram_of_32_in_a_full_window", run_walk(), "us", -1.0);
    double ours_s = 0.0;
    double bare_s = 0.0;
    double bare_us = run_traffic(true, &bare_s);
    double ours_us = run_traffic(false, &ours_s);
    print("tick_64_peers", ours_us, "us", bare_us);
    print("datagrams_64_peers", ours_s, "1/s", bare_s);
    print("tick_64_clients_plain", run_library(NET_SEAL_OFF, NUM_PEERS), "us", -1.0);
    print("tick_64_clients_sealed", run_library(NET_SEAL_OFFERED, NUM_PEERS), "us", -1.0);
    print("tick_512_clients_plain", run_library(NET_SEAL_OFF, 512), "us", -1.0);
    print("tick_512_clients_sealed", run_library(NET_SEAL_OFFERED, 512), "us", -1.0);
    print("tick_1000_clients_plain", run_library(NET_SEAL_OFF, MOST_PEERS), "us", -1.0);
    print("tick_1000_clients_sealed", run_library(NET_SEAL_OFFERED, MOST_PEERS), "us", -1.0);
    print("forged_sealed_datagram_60", run_sealed_flood(60), "ns", -1.0);
    print("forged_sealed_datagram_1300", run_sealed_flood(1300), "ns", -1.0);
    print("forged_sealed_connect", run_sealed_flood(0), "ns", -1.0);
    print("forged_connect_32_slots", run_flood(false, 32), "ns", run_flood(true, 32));
    print("forged_connect_4095_slots", run_flood(false, 4095), "ns", run_flood(true, 4095));
    print("idle_poll_32_slots", run_idle(false, 32), "ns", run_idle(true, 32));
    print("idle_poll_4095_slots", run_idle(false, 4095), "ns", run_idle(true, 4095));
    return 0;
}
