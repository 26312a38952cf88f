// Tests of edict-relay's tables and sockets, with plain UDP sockets on loopback in virtual time.
#include "lib/testing.h"

#include "lib/udp_rig.h"
#include "relay/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NUM_SENT 2000

typedef struct {
    int server; ///< a plain socket in place of the game server
    relay_t *relay;
    netaddr_t at; ///< the relay's listener
    int64_t now_ms;
} rig_t;

static rig_t open_rig(const char *network, uint64_t seed) {
    err_t err = {""};
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    rig_t rig = {.server = Udp_Open(), .now_ms = 1000};
    assert_int_equal(getsockname(rig.server, (struct sockaddr *)&address, &size), 0);
    const relay_config_t config = {
        .listen = {.host = UDP_LOOPBACK},
        .target = {.host = UDP_LOOPBACK, .port = ntohs(address.sin_port)},
        .network = network,
        .seed = seed};
    rig.relay = Relay_Create(&config, &err);
    assert_string_equal(err.text, "");
    rig.at = (netaddr_t){.host = UDP_LOOPBACK, .port = Relay_Port(rig.relay)};
    return rig;
}

static void close_rig(rig_t *rig) {
    Relay_Destroy(rig->relay);
    close(rig->server);
}

// Receives one datagram at the server. Returns its size, 0 = none.
static size_t hear(rig_t *rig, void *data, size_t size, struct sockaddr_in *from) {
    socklen_t length = sizeof *from;
    ssize_t got = recvfrom(rig->server, data, size, 0, (struct sockaddr *)from, &length);
    return got > 0 ? (size_t)got : 0;
}

static void step(rig_t *rig, int32_t ms) {
    rig->now_ms += ms;
    Relay_Step(rig->relay, rig->now_ms);
}

static void test_each_client_has_its_own_path(void **state) {
    (void)state;
    rig_t rig = open_rig("delay=20", 1);
    int clients[3];
    struct sockaddr_in from[3];
    uint8_t data[4096];
    int32_t count = 0;
    for (int32_t i = 0; i < 3; i++) {
        clients[i] = Udp_Open();
        assert_true(Udp_Send(clients[i], rig.at, &(uint8_t){(uint8_t)(10 + i)}, 1));
    }
    step(&rig, 1);
    assert_int_equal(Relay_PatienceMs(rig.relay, rig.now_ms), 20);
    step(&rig, 19);
    assert_int_equal(hear(&rig, data, sizeof data, &from[0]), 0); // nothing is early
    step(&rig, 1);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(hear(&rig, data, sizeof data, &from[i]), 1);
        assert_int_equal(data[0], 10 + i);
        assert_true(i == 0 || from[i].sin_port != from[i - 1].sin_port);
        data[0] = (uint8_t)(20 + i);
        assert_int_equal(
            sendto(rig.server, data, 1, 0, (struct sockaddr *)&from[i], sizeof from[i]), 1);
    }
    step(&rig, 0);
    step(&rig, 20);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(Udp_Hear(clients[i], data, &count), 1);
        assert_int_equal(data[0], 20 + i);
        close(clients[i]);
    }
    relay_stats_t stats = Relay_Stats(rig.relay);
    assert_int_equal(stats.clients, 3);
    assert_int_equal(stats.directions[RELAY_UP].delivered, 3);
    assert_int_equal(stats.directions[RELAY_DOWN].delivered, 3);
    assert_int_equal(stats.directions[RELAY_DOWN].bytes, 3);
    assert_int_equal(stats.waiting_bytes, 0);
    struct pollfd fds[RELAY_MAX_CLIENTS + 1];
    assert_int_equal(Relay_PollFds(rig.relay, fds), 4);
    close_rig(&rig);
}

// Only the server's answers pass: a stranger does not reach a client.
static void test_strangers_do_not_pass(void **state) {
    (void)state;
    rig_t rig = open_rig("loss=0", 1);
    struct sockaddr_in from;
    uint8_t data[4096];
    int32_t count = 0;
    int client = Udp_Open(), stranger = Udp_Open();
    assert_true(Udp_Send(client, rig.at, "a", 1));
    step(&rig, 1);
    assert_int_equal(hear(&rig, data, sizeof data, &from), 1);
    assert_true(Udp_Send(stranger, (netaddr_t){.host = UDP_LOOPBACK, .port = ntohs(from.sin_port)},
                         "b", 1));
    step(&rig, 1);
    assert_int_equal(Udp_Hear(client, data, &count), 0);
    close(client);
    close(stranger);
    close_rig(&rig);
}

// Sends numbered datagrams and writes when each arrived, 0 = never.
static void schedule(uint64_t seed, int64_t arrivals[NUM_SENT]) {
    rig_t rig = open_rig("train", seed);
    struct sockaddr_in from;
    int client = Udp_Open();
    memset(arrivals, 0, NUM_SENT * sizeof *arrivals);
    for (int32_t i = 0; i < NUM_SENT + 100; i++) {
        int32_t number = i;
        if (i < NUM_SENT) {
            assert_true(Udp_Send(client, rig.at, &number, sizeof number));
        }
        step(&rig, 16);
        while (hear(&rig, &number, sizeof number, &from) == sizeof number) {
            arrivals[number] = rig.now_ms;
        }
    }
    close(client);
    close_rig(&rig);
}

static void test_the_seed_gives_the_schedule(void **state) {
    (void)state;
    static int64_t first[NUM_SENT], again[NUM_SENT], other[NUM_SENT];
    int32_t lost = 0;
    schedule(7, first);
    schedule(7, again);
    schedule(8, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    for (int32_t i = 0; i < NUM_SENT; i++) {
        lost += first[i] == 0;
    }
    assert_in_range(lost, NUM_SENT / 100, NUM_SENT / 10); // the preset states 3.6 %
}

static void test_the_longest_idle_client_is_evicted(void **state) {
    (void)state;
    static int clients[RELAY_MAX_CLIENTS + 1];
    rig_t rig = open_rig("loss=0", 1);
    struct sockaddr_in from;
    uint8_t byte;
    for (int32_t i = 0; i <= RELAY_MAX_CLIENTS; i++) {
        clients[i] = Udp_Open();
        assert_true(clients[i] >= 0);
        assert_true(Udp_Send(clients[i], rig.at, "x", 1));
        step(&rig, 1);
        if (i == RELAY_MAX_CLIENTS - 1) { // now client 1 is the longest idle
            assert_true(Udp_Send(clients[0], rig.at, "x", 1));
            step(&rig, 1);
        }
    }
    relay_stats_t stats = Relay_Stats(rig.relay);
    assert_int_equal(stats.clients, RELAY_MAX_CLIENTS);
    assert_int_equal(stats.num_clients, RELAY_MAX_CLIENTS + 1);
    assert_int_equal(stats.evicted, 1);
    assert_int_equal(stats.directions[RELAY_UP].fate.taken, RELAY_MAX_CLIENTS + 2);
    while (hear(&rig, &byte, 1, &from) > 0) {
    }
    assert_true(Udp_Send(clients[0], rig.at, "x", 1)); // it still has its slot
    step(&rig, 1);
    assert_int_equal(Relay_Stats(rig.relay).evicted, 1);
    assert_true(Udp_Send(clients[1], rig.at, "x", 1)); // it gets a new one
    step(&rig, 1);
    assert_int_equal(Relay_Stats(rig.relay).evicted, 2);
    for (int32_t i = 0; i <= RELAY_MAX_CLIENTS; i++) {
        close(clients[i]);
    }
    close_rig(&rig);
}

static void test_memory_is_bounded(void **state) {
    (void)state;
    static const uint8_t data[60000];
    const uint64_t count = RELAY_MAX_BYTES / sizeof data + 20;
    rig_t rig = open_rig("delay=1000", 1);
    int client = Udp_Open();
    for (uint64_t i = 0; i < count; i++) {
        assert_true(Udp_Send(client, rig.at, data, sizeof data));
        step(&rig, 0);
    }
    relay_stats_t stats = Relay_Stats(rig.relay);
    assert_true(stats.waiting_bytes <= RELAY_MAX_BYTES);
    assert_true(stats.directions[RELAY_UP].unsent >= 20);
    assert_true(stats.directions[RELAY_UP].unsent < 25);
    step(&rig, 1000);
    assert_int_equal(Relay_Stats(rig.relay).waiting_bytes, 0);
    assert_true(Udp_Send(client, rig.at, data, 1)); // needs more memory than its byte
    step(&rig, 0);
    assert_true(Relay_Stats(rig.relay).waiting_bytes > 1 + sizeof(impair_datagram_t));
    step(&rig, 1000);
    assert_int_equal(Relay_Stats(rig.relay).waiting_bytes, 0);
    close(client);
    close_rig(&rig);
}

static void test_refuses_what_it_cannot_open(void **state) {
    (void)state;
    err_t err = {""};
    rig_t rig = open_rig("loss=0", 1);
    relay_config_t config = {.listen = rig.at, .target = rig.at, .network = "loss=0"};
    assert_null(Relay_Create(&config, &err));
    assert_non_null(strstr(err.text, "in use"));
    // Its own listener, by the same address and by any other of this machine.
    Relay_Destroy(rig.relay);
    rig.relay = NULL;
    assert_null(Relay_Create(&config, &err));
    assert_non_null(strstr(err.text, "the relay itself listens at port"));
    config.listen.host = 0;
    config.target.host = UDP_LOOPBACK + 1;
    assert_null(Relay_Create(&config, &err));
    assert_non_null(strstr(err.text, "the relay itself listens at port"));
    config.listen.host = UDP_LOOPBACK;
    config.target.host = 0; // the kernel sends this to UDP_LOOPBACK
    assert_null(Relay_Create(&config, &err));
    assert_non_null(strstr(err.text, "the relay itself listens at port"));
    config.target.host = UDP_LOOPBACK + 1;
    rig.relay = Relay_Create(&config, &err); // another address of this machine is no loop
    assert_non_null(rig.relay);
    config.network = "slow";
    assert_null(Relay_Create(&config, &err));
    assert_non_null(strstr(err.text, "one of dsl"));
    close_rig(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_client_has_its_own_path),
        cmocka_unit_test(test_strangers_do_not_pass),
        cmocka_unit_test(test_the_seed_gives_the_schedule),
        cmocka_unit_test(test_the_longest_idle_client_is_evicted),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_refuses_what_it_cannot_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
