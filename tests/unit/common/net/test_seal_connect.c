// Tests of sealed CONNECTs made by hand, and of the log of drops.
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/wire.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

/// Requests a cookie and derives a seal, as a client does. Writes ENet's CONNECT to `inner`.
static seal_t start_by_hand(udp_rig_t *rig, int fd, seal_connect_t *connect, uint8_t inner[56]) {
    static const uint8_t request[96] = "\xff\xff\xff\xffgetcookie\x02";
    uint8_t reply[4096];
    int32_t count = 0;
    seal_pair_t own;
    seal_offer_t offer;
    seal_t seal;
    assert_true(Udp_Send(fd, rig->at, request, sizeof request));
    UdpRig_Poll(rig);
    assert_int_equal(Udp_Hear(fd, reply, &count), 88);
    assert_true(Seal_MakePair(&own));
    *connect = (seal_connect_t){.epoch = reply[23],
                                .cookie = Wire_ReadU32(reply + 14),
                                .connect_id = Wire_ReadU32(reply + 18)};
    memcpy(connect->client_public, own.public_key, 32);
    memcpy(&offer, reply + 23, sizeof offer);
    assert_true(Seal_DeriveClient(&seal, &own, &offer, connect));
    Udp_WriteConnect(inner, reply + 14, 0);
    Wire_WriteU32(inner + 48, connect->connect_id);
    Udp_Seal(inner, 56, 4, 0);
    return seal;
}

/// Tests that a sealed CONNECT may hold nothing but the CONNECT that its readable part announces.
static void test_contents_of_a_connect(void **state) {
    (void)state;
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){0});
    seal_connect_t connect;
    uint8_t good[56], bytes[56], sealed[56 + SEAL_CONNECT_EXTRA];
    int fd = Udp_Open();
    seal_t seal = start_by_hand(&rig, fd, &connect, good);
    // Flags, command, channels, connectID, cookie.
    static const size_t changed[] = {0, 8, 27, 48, 51, 52, 55};
    for (size_t i = 0; i < COUNTOF(changed); i++) {
        memcpy(bytes, good, sizeof bytes);
        bytes[changed[i]] ^= 0x01;
        Udp_Seal(bytes, sizeof bytes, 4, 0);
        size_t size = Seal_WriteConnect(&seal, &connect, bytes, sizeof bytes, sealed);
        assert_true(Udp_Send(fd, rig.at, sealed, size));
        UdpRig_Poll(&rig);
        assert_int_equal(Udp_Unsealed(rig.server, SEAL_MISMATCH), i + 1);
    }
    size_t size = Seal_WriteConnect(&seal, &connect, good, 40, sealed);
    assert_true(Udp_Send(fd, rig.at, sealed, size));
    UdpRig_Poll(&rig);
    assert_int_equal(Udp_Unsealed(rig.server, SEAL_MISMATCH), COUNTOF(changed) + 1);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 0);
    assert_true(sodium_is_zero((const uint8_t *)&((enet_transport_t *)rig.server)->seals[16],
                               sizeof(seal_t)));
    size = Seal_WriteConnect(&seal, &connect, good, sizeof good, sealed);
    assert_true(Udp_Send(fd, rig.at, sealed, size));
    UdpRig_Poll(&rig);
    assert_int_equal(EnetTransport_SlotsUsed(rig.server), 1);
    close(fd);
    rig.server->destroy(rig.server);
}

static void collect(void *context, log_level_t level, const char *line) {
    (void)level;
    strlcat(context, line, 1000);
}

/// Tests that drops leave one line in the log.
static void test_drops_are_logged(void **state) {
    (void)state;
    char text[1000] = "";
    log_t log = {.write = collect, .context = text, .level = LOG_INFO};
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.log = &log});
    transport_t *client = UdpRig_Join(&rig, false);
    for (int32_t i = 0; i < 8; i++) {
        const uint8_t bytes[16] = {(uint8_t)(0x80 | i % 4 << 4), (uint8_t)rig.last_peer};
        assert_true(Udp_Send(client->descriptor(client), rig.at, bytes, sizeof bytes));
    }
    UdpRig_Poll(&rig);
    const char *line = strstr(text, ": plain, for a peer that is sealed");
    assert_non_null(line);
    assert_null(strstr(line + 1, ": plain"));
    assert_int_equal(rig.server->more->counters(rig.server).seal_dropped, 2);
    assert_int_equal(rig.server->more->counters(rig.server).guard_dropped, 2);
    client->destroy(client);
    rig.server->destroy(rig.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents_of_a_connect),
        cmocka_unit_test(test_drops_are_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
