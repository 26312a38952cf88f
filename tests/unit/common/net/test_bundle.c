// Tests of bundles: the control messages of a server, several in one packet of ENet.
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"

#include <string.h>

/// Tests that messages of all sizes arrive once, in order, and few packets carry them.
static void test_in_order(void **state) {
    (void)state;
    enum { COUNT = 600 };
    static uint8_t bytes[MAX_MESSAGE_BYTES];
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    for (int32_t i = 0; i < COUNT; i++) {
        size_t size = i % 200 == 150 ? MAX_MESSAGE_BYTES : (size_t)(i * 7 % 40);
        memset(bytes, i & 0xff, size);
        assert_true(rig.server->send(rig.server, 0, NET_CHANNEL_CONTROL, true, bytes, size));
    }
    assert_in_range(((const enet_transport_t *)rig.server)->slots[0].queued_messages, 1,
                    COUNT / 20);
    rig.server->send(rig.server, 0, NET_CHANNEL_SNAPSHOT, false, "state", 5);
    rig.server->flush(rig.server);
    net_event_t event;
    for (int32_t i = 0; i < COUNT; i++) {
        client->poll(client, rig.now_ms, &event);
        assert_int_equal(event.type, NET_MESSAGE);
        assert_int_equal(event.channel, NET_CHANNEL_CONTROL);
        assert_int_equal(event.size, i % 200 == 150 ? MAX_MESSAGE_BYTES : i * 7 % 40);
        assert_true(event.size == 0 || event.data[event.size - 1] == (uint8_t)i);
    }
    client->poll(client, rig.now_ms, &event);
    assert_int_equal(event.channel, NET_CHANNEL_SNAPSHOT);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Tests that a peer receives the goodbye that was sent just before its drop, and that a new peer
/// receives nothing of the old one.
static void test_ends(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = 1});
    net_event_t event;
    for (int32_t round = 0; round < 2; round++) {
        transport_t *client = UdpRig_Join(&rig, false);
        rig.server->send(rig.server, 0, NET_CHANNEL_CONTROL, true, "goodbye", 7);
        rig.server->drop(rig.server, 0, NET_REASON_KICKED);
        assert_false(rig.server->send(rig.server, 0, NET_CHANNEL_CONTROL, true, "late", 4));
        rig.server->flush(rig.server);
        client->poll(client, rig.now_ms, &event);
        assert_int_equal(event.type, NET_MESSAGE);
        assert_memory_equal(event.data, "goodbye", 7);
        assert_int_equal(UdpRig_Run(&rig, client, 300), NET_LEFT);
        client->destroy(client);
    }
    transport_t *client = UdpRig_Join(&rig, false);
    rig.server->send(rig.server, 0, NET_CHANNEL_CONTROL, true, "lost", 4);
    EnetSlot_Gone((enet_transport_t *)rig.server, ((enet_transport_t *)rig.server)->slots,
                  NET_REASON_TIMEOUT);
    assert_int_equal(((enet_transport_t *)rig.server)->num_bundled, 0);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

/// Tests bundles that lie about a length: they cost the connection. Nothing is read beyond them.
static void test_broken(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size, good;
    } rows[] = {{"\0", 1, 0}, {"\0\x02x", 3, 0}, {"\0\x01x\xff\xffyy", 7, 1}, {"\0\0\0", 3, 1}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
        transport_t *client = UdpRig_Join(&rig, false);
        enet_transport_t *net = (enet_transport_t *)rig.server;
        enet_peer_send(&net->host->peers[0], NET_CHANNEL_CONTROL,
                       enet_packet_create(rows[i].bytes, rows[i].size, ENET_PACKET_FLAG_RELIABLE));
        net->has_queued = true;
        rig.server->flush(rig.server);
        net_event_t event;
        for (size_t k = 0; k < rows[i].good; k++) {
            client->poll(client, rig.now_ms, &event);
            assert_int_equal(event.type, NET_MESSAGE);
        }
        client->poll(client, rig.now_ms, &event);
        assert_int_equal(event.type, NET_LEFT);
        assert_int_equal(event.reason, NET_REASON_BAD_DATA);
        client->destroy(client);
        rig.server->destroy(rig.server);
    }
}

/// Tests that a bundle that ENet has no memory for costs the connection: its client would miss
/// messages.
static void test_no_memory(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    transport_t *client = UdpRig_Join(&rig, false);
    assert_true(rig.server->send(rig.server, 0, NET_CHANNEL_CONTROL, true, "lost", 4));
    EnetMemory_SetLimit(EnetMemory_Used());
    rig.server->flush(rig.server);
    EnetMemory_SetLimit(ENET_MEMORY_LIMIT);
    assert_int_equal(UdpRig_Run(&rig, client, NET_GOODBYE_MS + 100), NET_LEFT);
    assert_int_equal(rig.left, 1);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
