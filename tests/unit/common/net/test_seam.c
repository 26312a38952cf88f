// Tests of ENet between this program's socket functions: ENet's own hosts still work, and no socket
// error reaches ENet.
#include "base/rng.h"
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_step_s; ///< what the system clock is ahead
static int32_t num_calls;    ///< of sendmmsg

/// Counts the calls of the system's function.
int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
    num_calls++;
    return (int)syscall(SYS_sendmmsg, fd, messages, count, flags);
}

/// Replaces the system's function in this program and its libraries.
int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec + clock_step_s, now.tv_nsec / 1000};
    return 0;
}

static ENetHost *open_bare(uint16_t *port) {
    ENetAddress any = {.host = htonl(UDP_LOOPBACK)};
    ENetHost *host = enet_host_create(&any, 4, 2, 0, 0);
    assert_non_null(host);
    assert_int_equal(enet_socket_get_address(host->socket, &any), 0);
    *port = any.port;
    return host;
}

/// Tests a host program that uses ENet for itself: its sockets must behave as with ENet's own
/// functions.
static void test_foreign_hosts(void **state) {
    (void)state;
    uint16_t port = 0;
    uint16_t unused = 0;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0}); // initialises ENet
    ENetHost *server = open_bare(&port);
    ENetHost *client = open_bare(&unused);
    ENetAddress to = {.host = htonl(UDP_LOOPBACK), .port = port};
    ENetPeer *peer = enet_host_connect(client, &to, 2, 0);
    ENetEvent event;
    int32_t num_connected = 0;
    int32_t num_messages = 0;
    for (int32_t i = 0; i < 200; i++) {
        UdpRig_Poll(&rig);
        enet_time_set((enet_uint32)rig.now_ms + 1000);
        while (enet_host_service(client, &event, 0) > 0) {
            num_connected += event.type == ENET_EVENT_TYPE_CONNECT;
        }
        while (enet_host_service(server, &event, 0) > 0) {
            if (event.type == ENET_EVENT_TYPE_RECEIVE) {
                num_messages += memcmp(event.packet->data, "bare", 4) == 0;
                enet_packet_destroy(event.packet);
            }
        }
        if (i == 100) {
            enet_peer_send(peer, 0, enet_packet_create("bare", 4, ENET_PACKET_FLAG_RELIABLE));
        }
    }
    assert_int_equal(num_connected, 1);
    assert_int_equal(num_messages, 1);
    // The guard does not judge these sockets, and ENet reports their errors as usual.
    static const uint8_t huge[5000];
    int fd = Udp_Open();
    netaddr_t at = {.host = UDP_LOOPBACK, .port = port};
    assert_true(Udp_Send(fd, at, huge, sizeof huge));
    assert_int_equal(enet_host_service(server, &event, 0), -1);
    assert_int_equal(enet_host_service(server, &event, 0), 0);
    to.port = 0; // the kernel refuses to send to port 0
    ENetBuffer buffer = {.data = "x", .dataLength = 1};
    assert_int_equal(enet_socket_send(server->socket, &to, &buffer, 1), -1);
    assert_int_equal(rig.server->more->counters(rig.server).packets_in, 0);
    close(fd);
    enet_host_destroy(client);
    enet_host_destroy(server);
    rig.server->destroy(rig.server);
}

/// Tests that our checksum is ENet's, whatever the sizes of the pieces and their alignment.
static void test_checksum_is_enets(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    const enet_transport_t *net = (const enet_transport_t *)rig.server;
    rng_t rng = {7};
    uint8_t bytes[5000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)Rng_Below(&rng, 256);
    }
    static const uint32_t sizes[] = {9, 500, 4900}; // more than a datagram takes the tables
    for (int32_t i = 0; i < 2000; i++) {
        ENetBuffer pieces[3];
        for (int32_t k = 0; k < 3; k++) {
            pieces[k] = (ENetBuffer){.data = bytes + Rng_Below(&rng, 100),
                                     .dataLength = Rng_Below(&rng, sizes[i % 3])};
        }
        assert_int_equal(EnetSum_Of(net, pieces, 3), enet_crc32(pieces, 3));
    }
    rig.server->destroy(rig.server);
}

/// Tests a peer that cannot be reached: the peers after it are served as usual; docs/enet.md,
/// "Unsendable peers".
static void test_unsendable_peer(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *lost = UdpRig_Join(&rig, false);
    int32_t lost_number = rig.last_peer;
    transport_t *player = UdpRig_Join(&rig, false);
    int32_t number = rig.last_peer;
    assert_true(lost_number < number);
    ((enet_transport_t *)rig.server)->host->peers[lost_number].address.port = 0;
    uint64_t failed = rig.server->more->counters(rig.server).send_failed;
    rig.server->send(rig.server, lost_number, NET_CHANNEL_SNAPSHOT, false, "state", 5);
    rig.server->send(rig.server, number, NET_CHANNEL_SNAPSHOT, false, "state", 5);
    rig.server->flush(rig.server);
    net_event_t event;
    player->poll(player, rig.now_ms, &event);
    assert_int_equal(event.type, NET_MESSAGE);
    assert_int_equal(rig.server->more->counters(rig.server).send_failed, failed + 1);
    lost->destroy(lost);
    player->destroy(player);
    rig.server->destroy(rig.server);
}

/// Tests that few system calls send a tick's datagrams, and that each arrives whole.
static void test_batches(void **state) {
    (void)state;
    enum { PLAYERS = 40, LONG = 8000, CALLS = PLAYERS * (LONG / ENET_MAX_MTU + 2) / 30 };
    static uint8_t bytes[LONG];
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = PLAYERS});
    transport_t *players[PLAYERS];
    for (int32_t i = 0; i < PLAYERS; i++) {
        players[i] = UdpRig_Client(false);
        players[i]->connect(players[i], rig.at, NULL);
    }
    for (int32_t i = 0; i < 1000 && rig.connected < PLAYERS; i++) {
        net_event_t event;
        UdpRig_Poll(&rig);
        players[i % PLAYERS]->poll(players[i % PLAYERS], rig.now_ms, &event);
    }
    for (size_t size = 200; size <= LONG; size += LONG - 200) {
        num_calls = 0;
        for (int32_t i = 0; i < PLAYERS; i++) {
            bytes[0] = (uint8_t)i;
            rig.server->send(rig.server, i, NET_CHANNEL_CONTROL, true, bytes, size);
        }
        rig.server->flush(rig.server);
        assert_in_range(num_calls, 1, size == LONG ? CALLS : 1);
        for (int32_t i = 0; i < PLAYERS; i++) {
            net_event_t event;
            players[i]->poll(players[i], rig.now_ms, &event);
            assert_int_equal(event.type, NET_MESSAGE);
            assert_int_equal(event.size, size);
            assert_int_equal(event.data[0], i);
            players[i]->poll(players[i], rig.now_ms, &event);
            assert_int_equal(event.type, NET_NONE);
        }
        UdpRig_Poll(&rig);
    }
    for (int32_t i = 0; i < PLAYERS; i++) {
        players[i]->destroy(players[i]);
    }
    rig.server->destroy(rig.server);
}

/// Tests that every datagram is counted once, in both directions, with its bytes.
static void test_counters(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *player = UdpRig_Join(&rig, false);
    UdpRig_Run(&rig, player, 100);
    net_counters_t there = rig.server->more->counters(rig.server);
    net_counters_t here = player->more->counters(player);
    assert_true(here.packets_out >= 3);
    assert_true(here.packets_in >= 3);
    assert_int_equal(there.packets_in, here.packets_out);
    assert_int_equal(there.bytes_in, here.bytes_out);
    assert_int_equal(there.packets_out, here.packets_in);
    assert_int_equal(there.bytes_out, here.bytes_in);
    player->destroy(player);
    rig.server->destroy(rig.server);
}

/// Tests steps of the system clock between the calls of one tick; docs/enet.md, "Clock".
static void test_clock_steps(void **state) {
    (void)state;
    static const int64_t steps_s[] = {3600, -7200, 315360000, -5, 40};
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *player = UdpRig_Join(&rig, false);
    for (size_t i = 0; i < COUNTOF(steps_s); i++) {
        rig.server->send(rig.server, rig.last_peer, NET_CHANNEL_CONTROL, true, "hello", 5);
        rig.server->send(rig.server, rig.last_peer, NET_CHANNEL_SNAPSHOT, false, "state", 5);
        clock_step_s += steps_s[i];
        rig.server->flush(rig.server);
        net_event_t event;
        player->poll(player, rig.now_ms, &event);
        assert_int_equal(event.type, NET_MESSAGE);
        assert_int_equal(UdpRig_Run(&rig, player, 500), NET_NONE);
    }
    assert_int_equal(rig.left, 0);
    clock_step_s = 0;
    player->destroy(player);
    rig.server->destroy(rig.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_hosts),   cmocka_unit_test(test_checksum_is_enets),
        cmocka_unit_test(test_unsendable_peer), cmocka_unit_test(test_clock_steps),
        cmocka_unit_test(test_counters),        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
