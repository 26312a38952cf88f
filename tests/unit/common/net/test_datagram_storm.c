// Tests of the real transport against hostile traffic: floods of broken, forged and empty
// datagrams.
#include "base/rng.h"
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

static size_t nasty_datagram(rng_t *rng, uint8_t bytes[1500]) {
    static const uint8_t request[96] = "\xff\xff\xff\xff"
                                       "getcookie\x02"
                                       "abcd";
    size_t size = Rng_Below(rng, Rng_Below(rng, 20) == 0 ? 1500 : 80);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)Rng_Next(rng);
    }
    switch (Rng_Below(rng, 5)) {
    case 0:
        memcpy(bytes, request, sizeof request);
        return sizeof request;
    case 1:
        Udp_WriteConnect(bytes, bytes, (uint8_t)Rng_Next(rng));
        bytes[Rng_Below(rng, 56)] ^= (uint8_t)(1 << Rng_Below(rng, 8));
        return 56;
    case 2: // for an existing peer
        if (size >= 12) {
            bytes[0] = 0x80 | (uint8_t)(Rng_Below(rng, 4) << 4);
            bytes[1] = (uint8_t)Rng_Below(rng, 3);
            bytes[8] &= 0x8f;
            Udp_Seal(bytes, size, 4, 0);
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
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    int fd = Udp_Open();
    rng_t rng = {.state = 77};
    uint8_t bytes[1500];
    uint8_t reply[4096];
    int32_t replies = 0;
    size_t sent = 0;
    size_t heard = 0;
    uint64_t before = host.server->more->counters(host.server).packets_in;
    int32_t storm = Test_IsLong() ? 2000000 : 100000;
    for (int32_t i = 0; i < storm; i++) {
        size_t size = nasty_datagram(&rng, bytes);
        sent += Udp_Send(fd, host.at, bytes, size) ? size : 0;
        if (i % 40 == 0) {
            UdpRig_Run(&host, client, 5);
            heard += Udp_Hear(fd, reply, &replies);
        }
    }
    UdpRig_Run(&host, client, 1000);
    heard += Udp_Hear(fd, reply, &replies);
    net_counters_t counters = host.server->more->counters(host.server);
    assert_true(replies > 0);
    assert_true(heard <= sent); // never more bytes than received
    assert_true(counters.packets_in - before >= (uint64_t)storm);
    assert_int_equal(counters.kernel_dropped, 0);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 1);
    assert_int_equal(host.left, 0);
    // The connected client still plays.
    int32_t messages = host.messages;
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "still here", 10));
    UdpRig_Run(&host, client, 100);
    assert_int_equal(host.messages, messages + 1);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

/// Writes random commands of ENet. Most have a legal form, so that they reach ENet.
static size_t mad_datagram(rng_t *rng, const ENetPeer *peer, const ENetPeer *at_server,
                           uint8_t bytes[600]) {
    static const uint8_t legal[] = {0x86, 0x86, 0x86, 0x07, 0x07, 0x85, 0x8a, 0x8b, 0x01};
    // Offset of the length in a command that carries data, by number of the command.
    static const uint8_t length_at[16] = {0, 0, 0, 0, 0, 0, 4, 6, 6, 6, 0, 0, 6};
    size_t size = 8;
    for (size_t i = 2; i < 600; i++) {
        bytes[i] = (uint8_t)Rng_Next(rng);
    }
    bytes[0] = (uint8_t)(0x80 | peer->outgoingSessionID << 4);
    bytes[1] = (uint8_t)peer->outgoingPeerID;
    for (uint32_t i = Rng_Below(rng, 4) + 1; i > 0 && size < 400; i--) {
        uint8_t *command = bytes + size;
        bool is_wild = Rng_Below(rng, 100) == 0;
        command[0] = is_wild ? command[0] : legal[Rng_Below(rng, COUNTOF(legal))];
        uint32_t kind = command[0] & 0x0f;
        command[1] = length_at[kind] || kind == 1 ? (uint8_t)Rng_Below(rng, is_wild ? 5 : 3) : 0xff;
        if (!is_wild && length_at[kind] && at_server->channelCount == NET_NUM_CHANNELS) {
            const ENetChannel *channel = &at_server->channels[command[1]];
            uint32_t near = channel->incomingReliableSequenceNumber + Rng_Below(rng, 3);
            command[2] = (uint8_t)(near >> 8);
            command[3] = (uint8_t)near;
        }
        size += kind < ENET_PROTOCOL_COMMAND_COUNT ? enet_protocol_command_size((uint8_t)kind) : 4;
        if (length_at[kind] && Rng_Below(rng, 100) != 0) {
            uint32_t length = Rng_Below(rng, 60);
            command[length_at[kind]] = 0;
            command[length_at[kind] + 1] = (uint8_t)length;
            size += length;
        }
    }
    Udp_Seal(bytes, size, 4, peer->connectID);
    return size;
}

/// Tests a player that sends random commands with right checksums, so that the filter judges each
/// of them. It may lose its connection; the server and the other players must notice nothing but
/// traffic.
static void test_mad_player(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){.max_peers = 64, .seal = NET_SEAL_OFF});
    transport_t *player = UdpRig_Join(&host, false);
    int32_t player_number = host.last_peer;
    rng_t rng = {.state = 5};
    int32_t storm = Test_IsLong() ? 500000 : 40000;
    int32_t num_joins = 0;
    int32_t num_left = 0;
    size_t most = 0;
    transport_t *mad = NULL;
    size_t before = EnetMemory_Used();
    for (int32_t i = 0; i < storm; i++) {
        // The player connects again if its connection ended, or after a while.
        const ENetPeer *peer = mad ? ((const enet_transport_t *)mad)->slots[0].peer : NULL;
        if (!peer || host.left > num_left || i % 5000 == 0) {
            num_left = host.left;
            if (mad) {
                mad->destroy(mad);
            }
            mad = UdpRig_Join(&host, false);
            peer = ((const enet_transport_t *)mad)->slots[0].peer;
            num_joins++;
        }
        uint8_t bytes[600];
        const ENetHost *server = ((const enet_transport_t *)host.server)->host;
        size_t size = mad_datagram(&rng, peer, &server->peers[peer->outgoingPeerID], bytes);
        Udp_Send(mad->descriptor(mad), host.at, bytes, size);
        if (i % 20 == 0) {
            UdpRig_Poll(&host);
            net_event_t event;
            mad->poll(mad, host.now_ms, &event);
            player->poll(player, host.now_ms, &event);
        }
        most = EnetMemory_Used() > most ? EnetMemory_Used() : most;
    }
    print_message("%d joins, %d messages, %zu bytes at most\n", num_joins, host.messages,
                  most - before);
    assert_true(host.messages > storm / 40);
    assert_true(most - before < (size_t)8 * 1024 * 1024);
    mad->destroy(mad);
    UdpRig_Run(&host, player, 50);
    int32_t messages = host.messages;
    assert_true(player->send(player, 0, NET_CHANNEL_CONTROL, true, "still here", 10));
    UdpRig_Run(&host, player, 200);
    assert_int_equal(host.messages, messages + 1);
    assert_int_equal(host.server->more->address(host.server, player_number).port,
                     EnetTransport_Port(player));
    player->destroy(player);
    host.server->destroy(host.server);
}

/// Tests datagrams that would make enet_host_service return -1: docs/enet.md, "Oversize datagrams".
static void test_oversize(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    int fd = Udp_Open();
    static uint8_t huge[60000];
    static const size_t sizes[] = {4096, 4097, 5000, 60000};
    for (int32_t i = 0; i < 200; i++) {
        size_t size = sizes[i % 4];
        memset(huge, i % 3 == 0 ? 0xff : 0x80, sizeof huge);
        assert_true(Udp_Send(fd, host.at, huge, size));
        assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "among them", 10));
        client->flush(client);
        UdpRig_Poll(&host);
    }
    UdpRig_Run(&host, client, 500);
    assert_int_equal(host.messages, 200);
    assert_int_equal(host.left, 0);
    // 150 are longer than 4,096 bytes; 17 are out-of-band and longer than GUARD_MAX_OOB.
    assert_int_equal(Udp_Dropped(host.server, GUARD_LONG), 167);
    assert_int_equal(host.server->more->counters(host.server).service_errors, 0);
    // A whole batch of such datagrams between two polls does not delay the datagrams behind them.
    for (int32_t i = 0; i < 20; i++) {
        Udp_Send(fd, host.at, huge, 5000);
    }
    client->send(client, 0, NET_CHANNEL_CONTROL, true, "behind them", 11);
    client->flush(client);
    UdpRig_Poll(&host);
    assert_int_equal(host.messages, 201);
    client->destroy(client);
    close(fd);
    host.server->destroy(host.server);
}

/// Tests empty datagrams, which ENet would take for "nothing more": the transport drops and counts
/// them.
static void test_empty_datagrams(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&host, false);
    int fd = Udp_Open();
    for (int32_t i = 0; i < 300; i++) {
        assert_true(Udp_Send(fd, host.at, "", 0));
    }
    assert_true(client->send(client, 0, NET_CHANNEL_CONTROL, true, "behind them", 11));
    client->flush(client);
    UdpRig_Poll(&host);
    assert_int_equal(host.messages, 1);
    assert_int_equal(Udp_Dropped(host.server, GUARD_SHORT), 300);
    assert_int_equal(host.server->more->counters(host.server).empty, 300);
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

/// Tests source addresses that only a raw socket can forge: docs/enet.md, "Unsendable peers".
static void test_impossible_sources(void **state) {
    (void)state;
    int raw = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    if (raw < 0) {
        print_message("SKIPPED: forged sources need a raw socket (root)\n");
        skip();
    }
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    static const netaddr_t sources[] = {{.host = UDP_LOOPBACK, .port = 0},
                                        {.host = 0x7f000002u, .port = 0},
                                        {.host = 0x7f000003u, .port = 999}};
    uint8_t cookie[4];
    int fd = Udp_Open();
    assert_true(UdpRig_AskCookie(&host, fd, cookie));
    for (int32_t i = 0; i < 30; i++) {
        netaddr_t from = sources[i % 3];
        struct {
            struct iphdr ip;
            struct udphdr udp;
            uint8_t connect[56];
        } packet = {.ip = {.ihl = 5, .version = 4, .ttl = 64, .protocol = IPPROTO_UDP}};
        packet.ip.tot_len = htons(sizeof packet);
        packet.ip.saddr = htonl(from.host);
        packet.ip.daddr = htonl(UDP_LOOPBACK);
        packet.ip.check = ip_sum((const uint8_t *)&packet.ip, sizeof packet.ip);
        packet.udp.source = htons(from.port);
        packet.udp.dest = htons(host.at.port);
        packet.udp.len = htons(sizeof packet.udp + sizeof packet.connect);
        Udp_WriteConnect(packet.connect, cookie, (uint8_t)i);
        assert_true(Udp_Send(raw, host.at, &packet, sizeof packet));
        UdpRig_Poll(&host);
    }
    assert_int_equal(Udp_Dropped(host.server, GUARD_PORT_ZERO), 20);
    assert_int_equal(Udp_Dropped(host.server, GUARD_BAD_COOKIE), 10);
    assert_int_equal(EnetTransport_SlotsUsed(host.server), 0);
    assert_int_equal(host.server->more->counters(host.server).service_errors, 0);
    close(raw);
    close(fd);
    host.server->destroy(host.server);
}

/// Tests that the transport reads a limited number of datagrams per poll, so that a flood cannot
/// delay the caller for long.
static void test_drain_is_bounded(void **state) {
    (void)state;
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){0});
    int fd = Udp_Open();
    // Send 200 at a time, which fit in any kernel's buffer, with the clock stopped.
    for (int32_t i = 0; i < 6000; i++) {
        net_event_t event;
        Udp_Send(fd, host.at, "\xcf\xff", 2);
        if (i % 200 == 199) {
            host.server->poll(host.server, host.now_ms, &event);
            assert_int_equal(event.type, NET_NONE);
        }
    }
    uint64_t first = host.server->more->counters(host.server).packets_in;
    assert_in_range(first, NET_DRAIN_LIMIT, NET_DRAIN_LIMIT + 256);
    UdpRig_Poll(&host);
    net_counters_t counters = host.server->more->counters(host.server);
    assert_true(counters.packets_in > first + 200);
    assert_int_equal(counters.packets_in + counters.kernel_dropped, 6000);
    assert_int_equal(counters.service_errors, 0);
    // Datagrams that do not fit in the kernel's buffer are lost and counted.
    for (int32_t i = 0; i < 60000; i++) {
        Udp_Send(fd, host.at, "\xcf\xff", 2);
    }
    assert_true(host.server->more->counters(host.server).kernel_dropped > 1000);
    close(fd);
    host.server->destroy(host.server);
}

static bool is_over(void *context) {
    return --*(int32_t *)context < 0;
}

/// Tests the time limit of the owner: after it, poll leaves the rest in the kernel until the next
/// turn.
static void test_drain_ends_when_late(void **state) {
    (void)state;
    int32_t left = 9;
    udp_rig_t host =
        UdpRig_Open((enet_transport_config_t){.is_late = is_over, .late_context = &left});
    int fd = Udp_Open();
    for (int32_t i = 0; i < 2000; i++) {
        Udp_Send(fd, host.at, "\xcf\xff", 2);
    }
    left = 2; // number of batches that may be read
    UdpRig_Poll(&host);
    net_counters_t counters = host.server->more->counters(host.server);
    assert_int_equal(counters.guard_dropped, 2 * ENET_BATCH);
    assert_int_equal(counters.drains_cut, 1);
    left = 100;
    for (int32_t i = 0; i < 3; i++) { // no new turn without a later time
        net_event_t event;
        host.server->poll(host.server, host.now_ms, &event);
        assert_int_equal(event.type, NET_NONE);
    }
    assert_int_equal(host.server->more->counters(host.server).guard_dropped,
                     counters.guard_dropped);
    UdpRig_Poll(&host);
    counters = host.server->more->counters(host.server);
    assert_int_equal(counters.guard_dropped, 2000);
    assert_int_equal(counters.drains_cut, 1);
    close(fd);
    host.server->destroy(host.server);
}

static void collect(void *context, log_level_t level, const char *line) {
    char *text = context;
    (void)level;
    strlcat(text, line, 1000);
    strlcat(text, "\n", 1000);
}

/// Tests that noise and a flood of joins give one log line each per burst, not one per datagram.
static void test_floods_are_logged_once(void **state) {
    (void)state;
    char text[1000] = "";
    log_t log = {.write = collect, .context = text, .level = LOG_INFO};
    udp_rig_t host = UdpRig_Open((enet_transport_config_t){.log = &log});
    int fd = Udp_Open();
    static const uint8_t request[96] = "\xff\xff\xff\xff"
                                       "getcookie\x02";
    for (int32_t i = 0; i < 2000; i++) {
        Udp_Send(fd, host.at, "\xcf\xff", 2);
        Udp_Send(fd, host.at, request, sizeof request);
        if (i % 100 == 0) {
            UdpRig_Poll(&host);
        }
    }
    UdpRig_Poll(&host);
    const char *noise = strstr(text, ": compressed");
    const char *crowd = strstr(text, ": too many from its network");
    assert_null(strstr(text, "(and ")); // the first lines of their bursts
    assert_non_null(noise);
    assert_non_null(crowd);
    assert_null(strstr(noise + 1, ": compressed"));
    assert_null(strstr(crowd + 1, ": too many"));
    UdpRig_Run(&host, host.server, 6000);
    Udp_Send(fd, host.at, "\xcf\xff", 2);
    UdpRig_Poll(&host);
    assert_non_null(strstr(text, ": compressed (and 1999 more since the last line)"));
    close(fd);
    host.server->destroy(host.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_garbage_storm),
        cmocka_unit_test(test_mad_player),
        cmocka_unit_test(test_oversize),
        cmocka_unit_test(test_empty_datagrams),
        cmocka_unit_test(test_impossible_sources),
        cmocka_unit_test(test_drain_is_bounded),
        cmocka_unit_test(test_drain_ends_when_late),
        cmocka_unit_test(test_floods_are_logged_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
