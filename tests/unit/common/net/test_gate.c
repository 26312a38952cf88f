// The command filter between real ENet hosts: hostile peers are dropped, honest ones never.
#include "base/limits.h"
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"
#include "net/wire.h"

#include <string.h>
#include <unistd.h>

/// Stores a server, a player and a connected attacker, all in virtual time.
typedef struct {
    udp_rig_t rig;
    transport_t *player, *attacker;
    int32_t attacker_number;
    uint8_t data[1400];
    size_t size;
    char log[2000];
    log_t sink;
} play_t;

static void collect(void *context, log_level_t level, const char *line) {
    char *text = context;
    (void)level;
    strlcat(text, line, 2000);
    strlcat(text, "\n", 2000);
}

static const ENetPeer *peer_of(const transport_t *client) {
    return ((const enet_transport_t *)client)->slots[0].peer;
}

static ENetPeer *peer_at_server(const play_t *play) {
    return &((enet_transport_t *)play->rig.server)->host->peers[play->attacker_number];
}

/// Starts a datagram from a peer to the other end.
static void begin(play_t *play, const ENetPeer *peer) {
    memset(play->data, 0, 8);
    Wire_WriteU16(play->data,
                  0x8000u | (uint32_t)peer->outgoingSessionID << 12 | peer->outgoingPeerID);
    play->size = 8;
}

static uint8_t *add(play_t *play, uint8_t byte, uint8_t channel, uint32_t sequence, size_t size) {
    uint8_t *at = play->data + play->size;
    memset(at, 0, size);
    at[0] = byte;
    at[1] = channel;
    Wire_WriteU16(at + 2, sequence);
    play->size += size;
    return at;
}

static void add_reliable(play_t *play, uint32_t sequence, size_t length) {
    Wire_WriteU16(add(play, 0x86, 0, sequence, 6 + length) + 4, (uint32_t)length);
}

static void add_ack(play_t *play, uint8_t channel, uint32_t sequence, uint32_t sent_ms) {
    uint8_t *at = add(play, 0x01, channel, sequence, 8);
    Wire_WriteU16(at + 4, sequence);
    Wire_WriteU16(at + 6, sent_ms & 0xffffu);
}

/// Sends the datagram from the attacker's own socket with a right checksum.
static void send_it(play_t *play) {
    Udp_Seal(play->data, play->size, 4, peer_of(play->attacker)->connectID);
    assert_true(
        Udp_Send(play->attacker->descriptor(play->attacker), play->rig.at, play->data, play->size));
}

static void open_play(play_t *play) {
    *play = (play_t){.sink = {.write = collect, .level = LOG_INFO}};
    play->sink.context = play->log;
    play->rig = UdpRig_Open((enet_transport_config_t){.log = &play->sink, .seal = NET_SEAL_OFF});
    play->player = UdpRig_Join(&play->rig, false);
    play->attacker = UdpRig_Join(&play->rig, false);
    play->attacker_number = play->rig.last_peer;
}

static void close_play(play_t *play) {
    // The player must not notice anything.
    UdpRig_Run(&play->rig, play->player, 10);
    int32_t messages = play->rig.messages;
    assert_true(play->player->send(play->player, 0, NET_CHANNEL_CONTROL, true, "still here", 10));
    UdpRig_Run(&play->rig, play->player, 100);
    assert_int_equal(play->rig.messages, messages + 1);
    play->attacker->destroy(play->attacker);
    play->player->destroy(play->player);
    play->rig.server->destroy(play->rig.server);
}

// --- breaches --------------------------------------------------------------------------------

/// Tests a breach: it frees the slot at once, and the sender gets the reason.
static void test_breach_drops_its_sender(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    begin(&play, peer_of(play.attacker));
    add(&play, 0x49, 0, 1, 8);
    send_it(&play);
    UdpRig_Poll(&play.rig);
    assert_int_equal(play.rig.left, 1);
    assert_int_equal(play.rig.last_peer, play.attacker_number);
    assert_int_equal(EnetTransport_SlotsUsed(play.rig.server), 1);
    assert_int_equal(Udp_Filtered(play.rig.server, FILTER_UNKNOWN), 1);
    assert_int_equal(play.rig.server->more->counters(play.rig.server).breaches, 1);
    uint64_t count = 0;
    uint64_t total = 0;
    int32_t num_reasons = 0;
    const char *why = NULL;
    while ((why = play.rig.server->more->drops(play.rig.server, num_reasons, &count)) != NULL) {
        total += strstr(why, "never uses") ? count : 0;
        num_reasons++;
    }
    assert_int_equal(total, 1);
    assert_int_equal(num_reasons, GUARD_WHY_COUNT + FILTER_WHY_COUNT + SEAL_WHY_COUNT);
    const char *line = strstr(play.log, "command that this protocol never uses");
    assert_non_null(line);
    assert_null(strstr(play.log, "(and 0 more")); // the first line of a burst
    assert_null(strstr(line + 1, "command that"));
    assert_non_null(strstr(play.log, "network: dropped peer 1 (127.0.0.1:"));
    net_event_t event;
    play.attacker->poll(play.attacker, play.rig.now_ms, &event);
    assert_int_equal(event.type, NET_LEFT);
    assert_int_equal(event.reason, NET_REASON_BAD_DATA);
    close_play(&play);
}

/// Tests datagrams from another address or with a wrong checksum: the filter must not judge the
/// peer by them.
static void test_forged_breaches(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    int fd = Udp_Open();
    for (int32_t i = 0; i < 100; i++) {
        begin(&play, peer_of(play.attacker));
        add(&play, 0x49, 0, 1, 8);
        Udp_Seal(play.data, play.size, 4, peer_of(play.attacker)->connectID);
        assert_true(Udp_Send(fd, play.rig.at, play.data, play.size)); // another port
        play.data[4] ^= 1;
        assert_true(
            Udp_Send(play.attacker->descriptor(play.attacker), play.rig.at, play.data, play.size));
        play.data[0] ^= 0x10; // another session
        Udp_Seal(play.data, play.size, 4, peer_of(play.attacker)->connectID);
        assert_true(
            Udp_Send(play.attacker->descriptor(play.attacker), play.rig.at, play.data, play.size));
        UdpRig_Poll(&play.rig);
    }
    assert_int_equal(play.rig.left, 0);
    assert_int_equal(Udp_Filtered(play.rig.server, FILTER_WRONG_PEER), 200);
    assert_int_equal(play.rig.server->more->counters(play.rig.server).strangers, 200);
    assert_int_equal(Udp_Filtered(play.rig.server, FILTER_CHECKSUM), 100);
    assert_int_equal(Udp_Filtered(play.rig.server, FILTER_UNKNOWN), 0);
    send_it(&play); // still with the wrong session
    play.data[0] ^= 0x10;
    send_it(&play); // now with the peer's session
    UdpRig_Poll(&play.rig);
    assert_int_equal(play.rig.left, 1);
    close(fd);
    close_play(&play);
}

/// Without a checksum anybody could forge the breach: it costs the datagram only.
static void test_breach_without_checksum(void **state) {
    (void)state;
    udp_rig_t rig =
        UdpRig_Open((enet_transport_config_t){.without_checksum = true, .seal = NET_SEAL_OFF});
    transport_t *client = UdpRig_Join(&rig, true);
    uint8_t bytes[12] = {0x80, 0, 0, 0, 0x49};
    Wire_WriteU16(bytes, 0x8000u | (uint32_t)peer_of(client)->outgoingSessionID << 12 |
                             peer_of(client)->outgoingPeerID);
    assert_true(Udp_Send(client->descriptor(client), rig.at, bytes, sizeof bytes));
    UdpRig_Poll(&rig);
    assert_int_equal(Udp_Filtered(rig.server, FILTER_UNKNOWN), 1);
    assert_int_equal(rig.left, 0);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// A datagram longer than any of a peer is dropped before its checksum is computed.
static void test_long_datagram(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    const size_t longest = ENET_MAX_MTU + 4; // ENet does not count the checksum
    for (size_t size = longest; size <= longest + 1; size++) {
        begin(&play, peer_of(play.attacker));
        add_reliable(&play, 1, size - 8 - 6);
        play.data[8 + 4] = 0; // the command is cut, so both are breaches if they are read
        send_it(&play);
        UdpRig_Poll(&play.rig);
        assert_int_equal(Udp_Filtered(play.rig.server, FILTER_LONG), size > longest ? 1 : 0);
        if (size == longest) {
            assert_int_equal(play.rig.left, 1);
            play.attacker->destroy(play.attacker);
            play.attacker = UdpRig_Join(&play.rig, false);
        }
    }
    assert_int_equal(play.rig.left, 1);
    close_play(&play);
}

// --- the attacks of a connected peer ---------------------------------------------------------

static size_t queue_length(ENetList *list) {
    return enet_list_size(list);
}

/// Tests the attack "Sort": messages of length 0 in descending order, so that ENet walks its whole
/// queue.
static void test_sort(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    size_t most = 0;
    for (int32_t i = 0; i < 2000; i++) {
        begin(&play, peer_of(play.attacker));
        for (int32_t n = 0; n < 32; n++) {
            bool is_reliable = i % 2 == 0;
            uint32_t sequence = 4000u - (uint32_t)(i * 32 + n) % 3999u;
            if (is_reliable) {
                add_reliable(&play, sequence, 0);
            } else {
                add(&play, 0x07, 0, sequence, 8);
            }
        }
        send_it(&play);
        if (i % 10 == 0) {
            UdpRig_Poll(&play.rig);
            ENetChannel *channel = &peer_at_server(&play)->channels[0];
            size_t waiting = queue_length(&channel->incomingReliableCommands);
            most = waiting > most ? waiting : most;
            assert_int_equal(queue_length(&channel->incomingUnreliableCommands), 0);
        }
    }
    assert_int_equal(most, FILTER_CLIENT_WINDOW - 1); // all numbers but the next one
    assert_int_equal(play.rig.left, 0);
    assert_true(Udp_Filtered(play.rig.server, FILTER_AHEAD) > 1000);
    assert_true(Udp_Filtered(play.rig.server, FILTER_EARLY) > 1000);
    close_play(&play);
}

/// Tests the attack "Exhaust": fragments that are never complete. The first fragment is a breach.
static void test_exhaust(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    size_t before = EnetMemory_Used();
    begin(&play, peer_of(play.attacker));
    uint8_t *at = add(&play, 0x88, 0, 2, 25);
    Wire_WriteU16(at + 4, 2);
    Wire_WriteU16(at + 6, 1);
    Wire_WriteU32(at + 8, 1048576);
    Wire_WriteU32(at + 16, 1);
    send_it(&play);
    UdpRig_Poll(&play.rig);
    assert_int_equal(play.rig.left, 1);
    assert_int_equal(Udp_Filtered(play.rig.server, FILTER_FRAGMENT), 1);
    assert_true(EnetMemory_Used() <= before);
    close_play(&play);
}

/// Tests the attack "Pings": more commands than ENet puts into a datagram.
static void test_pings(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    uint64_t before = play.rig.server->more->counters(play.rig.server).bytes_out;
    for (int32_t i = 0; i < 200; i++) {
        begin(&play, peer_of(play.attacker));
        for (int32_t n = 0; n < 32; n++) {
            add(&play, 0x85, 0xff, 9, 4);
        }
        send_it(&play);
        UdpRig_Poll(&play.rig);
    }
    // One second of replies may have the burst, the rate of a second, and a header each.
    uint64_t out = play.rig.server->more->counters(play.rig.server).bytes_out - before;
    assert_in_range(out, 1, (FILTER_REPEATS_BURST + FILTER_REPEATS_S) * 8 + 200 * 8);
    assert_int_equal(play.rig.left, 0);
    begin(&play, peer_of(play.attacker));
    for (int32_t n = 0; n < 300; n++) {
        add(&play, 0x85, 0xff, 9, 4);
    }
    send_it(&play);
    UdpRig_Poll(&play.rig);
    assert_int_equal(play.rig.left, 1);
    assert_int_equal(Udp_Filtered(play.rig.server, FILTER_COMMANDS), 1);
    close_play(&play);
}

/// Tests the attack "Replay": old acknowledgements do not change the round trip.
static void test_replay(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    transport_t *server = play.rig.server;
    for (int32_t i = 0; i < 100; i++) {
        server->send(server, play.attacker_number, NET_CHANNEL_CONTROL, true, "hello", 5);
        UdpRig_Run(&play.rig, play.attacker, 20);
    }
    int32_t rtt_ms = server->rtt_ms(server, play.attacker_number);
    uint32_t clock_ms = ((enet_transport_t *)server)->host->serviceTime;
    for (int32_t i = 0; i < 1000; i++) {
        begin(&play, peer_of(play.attacker));
        add_ack(&play, 0, (uint32_t)(i % 100 + 1), clock_ms - 9000);
        add_ack(&play, 0xff, 2, clock_ms - 9000);
        add_reliable(&play, 0xffff, 10);
        send_it(&play);
        UdpRig_Poll(&play.rig);
    }
    assert_int_equal(server->rtt_ms(server, play.attacker_number), rtt_ms);
    assert_int_equal(play.rig.left, 0);
    // An acknowledgement can raise the round trip to the timeout at most.
    server->send(server, play.attacker_number, NET_CHANNEL_CONTROL, true, "hello", 5);
    server->flush(server);
    for (int32_t i = 0; i < 2; i++) {
        begin(&play, peer_of(play.attacker));
        clock_ms = ((enet_transport_t *)server)->host->serviceTime;
        add_ack(&play, 0, 101, clock_ms - (i == 0 ? NET_TIMEOUT_MS + 100 : 5000));
        send_it(&play);
        UdpRig_Poll(&play.rig);
        assert_int_equal(server->rtt_ms(server, play.attacker_number) > rtt_ms, i == 1);
    }
    close_play(&play);
}

/// Tests that if ENet's memory is used up, only the peer that uses most of it is dropped.
static void test_shortage(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    static const uint8_t bytes[1000];
    transport_t *server = play.rig.server;
    for (int32_t i = 0; i < 100; i++) { // the attacker reads no message
        assert_true(server->send(server, play.attacker_number, NET_CHANNEL_CONTROL, true, bytes,
                                 sizeof bytes));
    }
    UdpRig_Run(&play.rig, play.player, 10);
    size_t before = EnetMemory_Used();
    EnetMemory_SetLimit(before + 100);
    for (int32_t i = 0; i < 40; i++) {
        play.player->send(play.player, 0, NET_CHANNEL_CONTROL, true, bytes, sizeof bytes);
        UdpRig_Run(&play.rig, play.player, 50);
    }
    EnetMemory_SetLimit(ENET_MEMORY_LIMIT);
    assert_int_equal(play.rig.left, 1);
    assert_int_equal(server->more->counters(server).hogs, 1);
    assert_true(EnetMemory_Used() < before - 80000);
    const char *line = strstr(play.log, "network: out of memory: ENet uses ");
    assert_non_null(line);
    assert_null(strstr(line + 20, "out of memory"));
    close_play(&play);
}

/// Tests the reserve of ENet's memory: sending may use it, receiving may not.
static void test_reserve(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    transport_t *server = play.rig.server;
    EnetMemory_SetLimit(EnetMemory_Used() + 1000); // less than 1/16
    int32_t messages = play.rig.messages;
    uint64_t failures = EnetMemory_Failures();
    assert_true(server->send(server, play.attacker_number, NET_CHANNEL_CONTROL, true, "out", 3));
    assert_int_equal(EnetMemory_Failures(), failures);
    begin(&play, peer_of(play.attacker));
    add_reliable(&play, 1, 10);
    send_it(&play);
    UdpRig_Poll(&play.rig);
    assert_int_equal(play.rig.messages, messages);
    assert_true(EnetMemory_Failures() > failures);
    EnetMemory_SetLimit(ENET_MEMORY_LIMIT);
    send_it(&play);
    UdpRig_Poll(&play.rig);
    assert_int_equal(play.rig.messages, messages + 1);
    assert_int_equal(play.rig.left, 0); // no peer uses much memory
    close_play(&play);
}

/// Tests that a peer cannot narrow the window for what is sent to it, neither by its CONNECT nor
/// later.
static void test_low_bandwidth(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    int fd = Udp_Open();
    uint8_t cookie[4];
    assert_true(UdpRig_AskCookie(&rig, fd, cookie));
    ENetAddress to = {.host = htonl(UDP_LOOPBACK), .port = rig.at.port};
    ENetHost *client = enet_host_create(NULL, 1, 3, 1000, 1000);
    client->checksum = enet_crc32;
    ENetPeer *peer = enet_host_connect(client, &to, 3, Wire_ReadU32(cookie));
    assert_non_null(peer);
    // A command that shares the datagram of the CONNECT does not keep it out.
    enet_peer_throttle_configure(peer, peer->packetThrottleInterval,
                                 peer->packetThrottleAcceleration,
                                 peer->packetThrottleDeceleration);
    for (int32_t i = 0; i < 400; i++) {
        ENetEvent event;
        UdpRig_Poll(&rig);
        enet_time_set((enet_uint32)rig.now_ms + 1000);
        while (enet_host_service(client, &event, 0) > 0) {
        }
        if (i == 200) {
            enet_host_bandwidth_limit(client, 500, 500);
            enet_peer_throttle_configure(peer, 1, 1, 32);
        }
    }
    const ENetHost *host = ((const enet_transport_t *)rig.server)->host;
    assert_int_equal(rig.connected, 1);
    assert_int_equal(host->peers[0].state, ENET_PEER_STATE_CONNECTED);
    assert_int_equal(host->peers[0].incomingBandwidth, 0);
    assert_int_equal(host->peers[0].windowSize, ENET_PROTOCOL_MAXIMUM_WINDOW_SIZE);
    assert_int_equal(host->peers[0].packetThrottleDeceleration, 0);
    assert_int_equal(host->bandwidthLimitedPeers, 0);
    enet_host_destroy(client);
    close(fd);
    rig.server->destroy(rig.server);
}

// --- a hostile server ------------------------------------------------------------------------

static void add_fragment(play_t *play, uint32_t start, uint32_t number) {
    uint8_t *at = add(play, 0x88, 0, start + number, 24 + 600);
    Wire_WriteU16(at + 4, start);
    Wire_WriteU16(at + 6, 600);
    Wire_WriteU32(at + 8, 2);
    Wire_WriteU32(at + 12, number);
    Wire_WriteU32(at + 16, 1200);
    Wire_WriteU32(at + 20, number * 600);
}

/// Sends a datagram in the server's name to the attacker's transport, which is the victim here.
static void send_as_server(play_t *play) {
    const ENetPeer *peer = peer_at_server(play);
    netaddr_t to = {.host = UDP_LOOPBACK, .port = EnetTransport_Port(play->attacker)};
    Udp_Seal(play->data, play->size, 4, peer->connectID);
    assert_true(
        Udp_Send(play->rig.server->descriptor(play->rig.server), to, play->data, play->size));
}

/// Tests a message whose number lies inside a set of fragments, which would stay in ENet for ever.
static void test_overlapping_messages(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    net_event_t event;
    for (int32_t i = 0; i < 4; i++) {
        begin(&play, peer_at_server(&play));
        if (i == 1) {
            add_reliable(&play, 2, 4);
        } else if (i == 3) {
            add(&play, 0x85, 0xff, 900, 4);
        } else {
            add_fragment(&play, 1, i == 0 ? 0 : 1);
        }
        send_as_server(&play);
        play.attacker->poll(play.attacker, play.rig.now_ms, &event);
        assert_int_equal(event.type, i < 2 ? NET_NONE : i == 2 ? NET_MESSAGE : NET_LEFT);
        while (i < 3 && event.type != NET_NONE) {
            play.attacker->poll(play.attacker, play.rig.now_ms, &event);
        }
    }
    assert_int_equal(event.reason, NET_REASON_BAD_DATA);
    assert_int_equal(Udp_Filtered(play.attacker, FILTER_OVERLAP), 1);
    close_play(&play);
}

/// Tests the memory of the client library: it stays within its limit, whatever a server sends.
static void test_server_sends_fragments(void **state) {
    (void)state;
    play_t play;
    open_play(&play);
    net_event_t event;
    size_t before = EnetMemory_Used();
    for (uint32_t start = 2; start < 4000; start += 2) {
        begin(&play, peer_at_server(&play));
        uint8_t *at = add(&play, 0x88, 0, start, 24 + 1024);
        Wire_WriteU16(at + 4, start);
        Wire_WriteU16(at + 6, 1024);
        Wire_WriteU32(at + 8, 8);
        Wire_WriteU32(at + 16, 8192);
        send_as_server(&play);
        UdpRig_Poll(&play.rig);
        play.player->poll(play.player, play.rig.now_ms, &event);
        play.attacker->poll(play.attacker, play.rig.now_ms, &event);
        assert_int_equal(event.type, NET_NONE);
    }
    size_t limit = ENET_CLIENT_WAITING_BYTES;
    assert_in_range(EnetMemory_Used() - before, limit - limit / 10, limit + limit / 10);
    close_play(&play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breach_drops_its_sender),
        cmocka_unit_test(test_forged_breaches),
        cmocka_unit_test(test_breach_without_checksum),
        cmocka_unit_test(test_long_datagram),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_exhaust),
        cmocka_unit_test(test_pings),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_shortage),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_low_bandwidth),
        cmocka_unit_test(test_overlapping_messages),
        cmocka_unit_test(test_server_sends_fragments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
