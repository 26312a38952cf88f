// Tests of the simulated network: its effects on datagrams, and that runs repeat exactly.
#include "base/hash.h"
#include "base/limits.h"
#include "base/rng.h"
#include "lib/sim_local.h"
#include "lib/testing.h"

#include <string.h>

#define SERVER_HOST 0x0a000001u
#define MAX_NODES   128

static const netaddr_t server_at = {.host = SERVER_HOST, .port = 27500};

typedef struct {
    sim_net_t *sim;
    int64_t now_ms;
    transport_t *server;
    transport_t *clients[MAX_NODES];
    int32_t num_clients;
} bench_net_t;

static netaddr_t client_at(int32_t i) {
    return (netaddr_t){.host = 0x0a010000u + (uint32_t)i, .port = 4000};
}

static bench_net_t open_net(uint64_t seed, sim_conditions_t conditions, int32_t num_clients) {
    bench_net_t net = {.num_clients = num_clients, .now_ms = 1000};
    net.sim = SimNet_Create(seed, conditions);
    assert_non_null(net.sim);
    SimNet_Advance(net.sim, net.now_ms);
    net.server = SimNet_Transport(net.sim, server_at, num_clients + 2, true);
    assert_non_null(net.server);
    err_t err = {""};
    for (int32_t i = 0; i < num_clients; i++) {
        net.clients[i] = SimNet_Transport(net.sim, client_at(i), 1, false);
        assert_non_null(net.clients[i]);
        assert_int_equal(net.clients[i]->connect(net.clients[i], server_at, &err), 0);
    }
    return net;
}

/// Polls a transport until it has no more events. Returns a hash of all events.
static uint64_t poll_all(bench_net_t *net, transport_t *at, uint64_t hash, int32_t count[5]) {
    net_event_t event;
    for (at->poll(at, net->now_ms, &event); event.type != NET_NONE;
         at->poll(at, net->now_ms, &event)) {
        int32_t words[5] = {(int32_t)event.type, event.peer, event.channel, (int32_t)event.reason,
                            (int32_t)event.size};
        hash = Hash_Bytes(words, sizeof words, hash);
        hash = event.size > 0 ? Hash_Bytes(event.data, event.size, hash) : hash;
        count[event.type]++;
    }
    return hash;
}

/// Runs a busy server for a short time: joins, commands, snapshots, chat, one client that leaves.
static uint64_t play(uint64_t seed, int32_t num_clients, int32_t steps, int32_t count[5]) {
    sim_conditions_t rough = {
        .loss = 0.05f, .duplicate = 0.02f, .reorder = 0.05f, .delay_ms = 80, .jitter_ms = 40};
    bench_net_t net = open_net(seed, rough, num_clients);
    uint64_t hash = 0;
    uint8_t packet[300] = {0};
    for (int32_t step = 0; step < steps; step++) {
        net.now_ms += 16;
        SimNet_Advance(net.sim, net.now_ms);
        hash = poll_all(&net, net.server, hash, count);
        memcpy(packet, &step, sizeof step);
        for (int32_t i = 0; i < num_clients; i++) {
            transport_t *client = net.clients[i];
            hash = poll_all(&net, client, hash, count);
            client->send(client, 0, NET_CHANNEL_USERCMD, false, packet, 60);
            net.server->send(net.server, i, NET_CHANNEL_SNAPSHOT, false, packet, sizeof packet);
            if (step % 50 == i % 50) {
                client->send(client, 0, NET_CHANNEL_CONTROL, true, packet, 40);
            }
        }
        if (step == steps / 2) {
            net.clients[0]->drop(net.clients[0], 0, NET_REASON_LEFT);
        }
    }
    SimNet_Destroy(net.sim);
    return hash;
}

static void test_same_seed_same_deliveries(void **state) {
    (void)state;
    int32_t first[5] = {0};
    int32_t second[5] = {0};
    int32_t third[5] = {0};
    uint64_t a = play(1, 20, 300, first);
    uint64_t b = play(1, 20, 300, second);
    uint64_t c = play(2, 20, 300, third);
    assert_true(a == b);
    assert_true(a != c);
    assert_memory_equal(first, second, sizeof first);
    assert_int_equal(first[NET_CONNECTED], 40); // 20 clients, seen by both ends
    assert_int_equal(first[NET_LEFT], 2);
}

static void test_hundred_clients(void **state) {
    (void)state;
    int32_t count[5] = {0};
    int32_t seconds = Test_IsLong() ? 180 : 10;
    play(3, 100, seconds * 1000 / 16, count);
    assert_int_equal(count[NET_CONNECTED], 200);
    assert_int_equal(count[NET_LEFT], 2);
    // About 125 messages per client and second were sent. Lost and overtaken ones are not counted.
    assert_true(count[NET_MESSAGE] > 100 * seconds * 125 * 80 / 100);
}

/// Counts raw datagrams from one address to another, and their delays.
typedef struct {
    int32_t arrived, twice, late, min_ms, max_ms;
} arrivals_t;

static arrivals_t shoot(sim_conditions_t conditions, int32_t shots) {
    bench_net_t net = open_net(99, conditions, 0);
    netaddr_t from = client_at(0);
    arrivals_t out = {.min_ms = INT32_MAX};
    int32_t newest = -1;
    int32_t before = -1;
    for (int32_t step = 0; step < shots + 1000; step++) {
        net.now_ms++;
        SimNet_Advance(net.sim, net.now_ms);
        // Each datagram has a new address, because the guard limits its answers to one network.
        if (step < shots) {
            uint8_t bytes[8] = {0xff, 0xff, 0xff, 0xff};
            memcpy(bytes + 4, &step, sizeof step);
            assert_true(SimNet_Inject(net.sim, from, server_at, bytes, sizeof bytes));
        }
        net_event_t event;
        for (net.server->poll(net.server, net.now_ms, &event); event.type != NET_NONE;
             net.server->poll(net.server, net.now_ms, &event)) {
            int32_t sent = 0;
            assert_int_equal(event.type, NET_OOB);
            memcpy(&sent, event.data + 4, sizeof sent);
            int32_t took = step - sent;
            out.arrived++;
            out.twice += sent == before;
            out.late += sent < newest;
            out.min_ms = Q_MinI(out.min_ms, took);
            out.max_ms = Q_MaxI(out.max_ms, took);
            newest = Q_MaxI(newest, sent);
            before = sent;
        }
        net.now_ms += 10; // lets the guard's buckets leak between shots
        SimNet_Advance(net.sim, net.now_ms);
    }
    SimNet_Destroy(net.sim);
    return out;
}

static void test_conditions(void **state) {
    (void)state;
    enum { SHOTS = 10000 };
    arrivals_t clean = shoot((sim_conditions_t){0}, SHOTS);
    assert_int_equal(clean.arrived, SHOTS);
    assert_int_equal(clean.late + clean.twice, 0);
    assert_int_equal(clean.max_ms, 1); // arrives in the next step
    arrivals_t lossy = shoot((sim_conditions_t){.loss = 0.05f}, SHOTS);
    assert_in_range(lossy.arrived, SHOTS * 94 / 100, SHOTS * 96 / 100);
    assert_int_equal(lossy.late + lossy.twice, 0);
    arrivals_t doubled = shoot((sim_conditions_t){.duplicate = 0.1f}, SHOTS);
    assert_in_range(doubled.arrived, SHOTS * 108 / 100, SHOTS * 112 / 100);
    // A step is 11 ms of virtual time.
    arrivals_t slow = shoot((sim_conditions_t){.delay_ms = 110, .jitter_ms = 55}, SHOTS);
    assert_int_equal(slow.arrived, SHOTS);
    assert_in_range(slow.min_ms, 5, 6);
    assert_in_range(slow.max_ms, 14, 16);
    assert_int_equal(slow.late, 0); // jitter alone keeps the order
    arrivals_t mixed = shoot((sim_conditions_t){.delay_ms = 110, .reorder = 0.1f}, SHOTS);
    assert_int_equal(mixed.arrived, SHOTS);
    assert_in_range(mixed.late, SHOTS * 7 / 100, SHOTS * 11 / 100);
}

/// Tests heavy loss and delay: reliable messages of every size arrive once and in order, and an
/// unreliable message never arrives after a newer one.
static void test_promises_in_bad_weather(void **state) {
    (void)state;
    sim_conditions_t awful = {
        .loss = 0.2f, .duplicate = 0.2f, .reorder = 0.2f, .delay_ms = 60, .jitter_ms = 50};
    bench_net_t net = open_net(5, awful, 1);
    uint32_t sent[3] = {0};
    uint32_t expected = 0;
    uint32_t newest = 0;
    uint32_t num_snapshots = 0;
    bool is_connected = false;
    static uint8_t message[MAX_MESSAGE_BYTES];
    rng_t sizes_out = {.state = 8};
    rng_t sizes_in = {.state = 8};
    for (int32_t step = 0; step < 20000; step++) {
        net.now_ms += 5;
        SimNet_Advance(net.sim, net.now_ms);
        net_event_t event;
        for (net.server->poll(net.server, net.now_ms, &event); event.type != NET_NONE;
             net.server->poll(net.server, net.now_ms, &event)) {
            assert_int_not_equal(event.type, NET_LEFT);
            is_connected |= event.type == NET_CONNECTED;
        }
        if (is_connected && step % 40 == 0 && step < 16000) {
            size_t size = 4 + Rng_Below(&sizes_out, Rng_Below(&sizes_out, 8) == 0 ? 8188 : 100);
            memset(message, (int)sent[0] & 0xff, size);
            memcpy(message, &sent[0], 4);
            assert_true(net.server->send(net.server, 0, NET_CHANNEL_CONTROL, true, message, size));
            sent[0]++;
        }
        if (is_connected) {
            sent[2]++;
            assert_true(net.server->send(net.server, 0, NET_CHANNEL_SNAPSHOT, false, &sent[2], 4));
        }
        transport_t *client = net.clients[0];
        for (client->poll(client, net.now_ms, &event); event.type != NET_NONE;
             client->poll(client, net.now_ms, &event)) {
            assert_int_not_equal(event.type, NET_LEFT);
            uint32_t number = 0;
            if (event.type != NET_MESSAGE) {
                continue;
            }
            memcpy(&number, event.data, 4);
            if (event.channel == NET_CHANNEL_SNAPSHOT) {
                assert_true(number > newest);
                newest = number;
                num_snapshots++;
                continue;
            }
            size_t size = 4 + Rng_Below(&sizes_in, Rng_Below(&sizes_in, 8) == 0 ? 8188 : 100);
            assert_int_equal(number, expected++);
            assert_int_equal(event.size, size);
            for (size_t i = 4; i < size; i++) {
                assert_int_equal(event.data[i], number & 0xff);
            }
        }
    }
    assert_true(sent[0] > 300);
    assert_int_equal(expected, sent[0]);
    assert_in_range(num_snapshots, sent[2] / 4, sent[2] * 8 / 10);
    SimNet_Destroy(net.sim);
}

static void test_partition(void **state) {
    (void)state;
    bench_net_t net = open_net(6, (sim_conditions_t){.delay_ms = 20}, 2);
    int32_t server[5] = {0};
    int32_t clients[2][5] = {{0}};
    // Both ends survive a cut of 5 s. After a longer cut, the server ends the connection at 10 s.
    // The client waits for 30 s, because its server may be loading a map.
    for (int32_t step = 0; step < 46000; step += 4) {
        net.now_ms += 4;
        SimNet_Advance(net.sim, net.now_ms);
        poll_all(&net, net.server, 0, server);
        poll_all(&net, net.clients[0], 0, clients[0]);
        poll_all(&net, net.clients[1], 0, clients[1]);
        if (step == 2000 || step == 12000) {
            assert_int_equal(server[NET_CONNECTED], 2);
            assert_int_equal(server[NET_LEFT], 0);
            SimNet_SetPartition(net.sim, server_at, client_at(0), true);
            net.server->send(net.server, 0, NET_CHANNEL_CONTROL, true, "are you there", 13);
        }
        if (step == 7000) {
            assert_int_equal(clients[0][NET_MESSAGE], 0);
            SimNet_SetPartition(net.sim, client_at(0), server_at, false);
        }
        if (step == 11000) {
            assert_int_equal(clients[0][NET_MESSAGE], 1);
        }
        if (step == 21900) {
            assert_int_equal(server[NET_LEFT] + clients[0][NET_LEFT], 0);
        }
        if (step == 24000 || step == 41900) {
            assert_int_equal(server[NET_LEFT], 1);
            assert_int_equal(clients[0][NET_LEFT], 0);
        }
    }
    assert_int_equal(server[NET_LEFT], 1);
    assert_int_equal(clients[0][NET_LEFT], 1);
    assert_int_equal(clients[1][NET_LEFT], 0);
    SimNet_SetPartition(net.sim, client_at(0), server_at, false);
    SimNet_Destroy(net.sim);
}

/// Tests a sender without the connectID: it can neither send nor disconnect in the name of a
/// client.
static void test_forged_datagrams(void **state) {
    (void)state;
    bench_net_t net = open_net(7, (sim_conditions_t){.delay_ms = 5}, 1);
    int32_t server[5] = {0};
    int32_t client[5] = {0};
    rng_t rng = {.state = 3};
    for (int32_t step = 0; step < 20000; step++) {
        net.now_ms += 1;
        SimNet_Advance(net.sim, net.now_ms);
        poll_all(&net, net.server, 0, server);
        poll_all(&net, net.clients[0], 0, client);
        if (step > 200) {
            uint8_t bytes[64];
            for (size_t i = 0; i < sizeof bytes; i++) {
                bytes[i] = (uint8_t)Rng_Next(&rng);
            }
            bytes[0] = 0x80;
            bytes[1] = 0;
            bytes[8] &= 7;
            size_t size = Rng_Below(&rng, sizeof bytes);
            SimNet_Inject(net.sim, client_at(0), server_at, bytes, size);
            SimNet_Inject(net.sim, server_at, client_at(0), bytes, size);
        }
    }
    assert_int_equal(server[NET_CONNECTED], 1);
    assert_int_equal(client[NET_CONNECTED], 1);
    assert_int_equal(server[NET_LEFT] + client[NET_LEFT], 0);
    assert_int_equal(server[NET_MESSAGE] + client[NET_MESSAGE], 0);
    SimNet_Destroy(net.sim);
}

/// Makes a datagram of a client that misbehaves but has a valid number and connectID. The other
/// bytes are random, close enough to valid values to get through.
static size_t mad_datagram(rng_t *rng, uint32_t number, uint32_t connect_id, uint8_t bytes[1400]) {
    for (size_t i = 0; i < 1400; i++) {
        bytes[i] = (uint8_t)Rng_Next(rng);
    }
    bytes[0] = 0x80;
    bytes[1] = (uint8_t)number;
    for (int32_t i = 0; i < 4; i++) {
        bytes[4 + i] = (uint8_t)(connect_id >> (24 - 8 * i));
    }
    bytes[8] %= 7; // any kind but the goodbye
    bytes[9] &= 3;
    memset(bytes + 14, 0, 3);
    return 16 + Rng_Below(rng, 1384);
}

static void test_hostile_client(void **state) {
    (void)state;
    bench_net_t net = open_net(8, (sim_conditions_t){.delay_ms = 5}, 3);
    int32_t server[5] = {0};
    int32_t clients[3][5] = {{0}};
    rng_t rng = {.state = 4};
    size_t most_waiting = 0;
    const sim_peer_t *mad = &((const sim_transport_t *)net.clients[2])->peers[0];
    for (int32_t step = 0; step < NET_BUSY_MS + 3000; step++) {
        SimNet_Advance(net.sim, ++net.now_ms);
        poll_all(&net, net.server, 0, server);
        poll_all(&net, net.clients[0], 0, clients[0]);
        poll_all(&net, net.clients[1], 0, clients[1]);
        if (clients[2][NET_CONNECTED] == 0) {
            poll_all(&net, net.clients[2], 0, clients[2]);
            continue;
        }
        // Now this client answers nothing and sends random data.
        uint8_t bytes[1400];
        size_t size = mad_datagram(&rng, mad->remote, mad->connect_id, bytes);
        SimNet_Inject(net.sim, client_at(2), server_at, bytes, size);
        const sim_peer_t *there = &((const sim_transport_t *)net.server)->peers[mad->remote];
        assert_in_range(there->waiting_bytes, 0, SIM_WAITING_BYTES);
        most_waiting = there->waiting_bytes > most_waiting ? there->waiting_bytes : most_waiting;
    }
    assert_true(most_waiting > SIM_WAITING_BYTES / 2);
    assert_int_equal(server[NET_CONNECTED], 3);
    assert_int_equal(server[NET_LEFT], 1); // only the client itself, which acknowledges nothing
    assert_true(server[NET_MESSAGE] > 100);
    assert_int_equal(clients[0][NET_LEFT] + clients[1][NET_LEFT], 0);
    assert_int_equal(clients[0][NET_MESSAGE] + clients[1][NET_MESSAGE], 0);
    SimNet_Destroy(net.sim);
}

/// Tests a flood: it fills the inbox, and the rest is counted as dropped by the kernel.
static void test_bounded(void **state) {
    (void)state;
    bench_net_t net = open_net(9, (sim_conditions_t){0}, 0);
    uint8_t bytes[64] = {0x80};
    for (int32_t i = 0; i < 20000; i++) {
        netaddr_t from = {.host = 0x0b000000u + (uint32_t)i, .port = 7};
        assert_true(SimNet_Inject(net.sim, from, server_at, bytes, sizeof bytes));
    }
    net.now_ms++;
    SimNet_Advance(net.sim, net.now_ms);
    int32_t count[5] = {0};
    poll_all(&net, net.server, 0, count);
    // At one time, only a limited number of datagrams is read.
    assert_int_equal(net.server->more->counters(net.server).packets_in, NET_DRAIN_LIMIT);
    for (int32_t i = 0; i < 3; i++) {
        SimNet_Advance(net.sim, ++net.now_ms);
        poll_all(&net, net.server, 0, count);
    }
    net_counters_t counters = net.server->more->counters(net.server);
    assert_int_equal(counters.packets_in + counters.kernel_dropped, 20000);
    assert_int_equal(counters.packets_in, 8192);
    // Many addresses do not make the table of links grow for ever, and no datagram is refused after
    // that.
    for (int32_t i = 0; i < 300000; i++) {
        netaddr_t from = {.host = 0x0c000000u + (uint32_t)i, .port = 7};
        assert_true(SimNet_Inject(net.sim, from, server_at, bytes, 8) || i > 200000);
        if (i % 4096 == 0) {
            SimNet_Advance(net.sim, ++net.now_ms);
        }
    }
    SimNet_Destroy(net.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_seed_same_deliveries),
        cmocka_unit_test(test_hundred_clients),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_promises_in_bad_weather),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_forged_datagrams),
        cmocka_unit_test(test_hostile_client),
        cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
