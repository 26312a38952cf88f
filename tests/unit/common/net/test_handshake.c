// Tests of the client's half of the cookie exchange: which answers it accepts, and when it repeats
// its request.
#include "lib/testing.h"
#include "net/handshake.h"

#include <string.h>

static const netaddr_t server = {.host = 0x0a000001u, .port = 27500};

static handshake_t asking(void) {
    handshake_t handshake;
    uint8_t request[GUARD_REQUEST_BYTES];
    static const uint8_t expected[96] = {0xff, 0xff, 0xff, 0xff, 'g', 'e',  't',  'c',  'o',
                                         'o',  'k',  'i',  'e',  2,   0xde, 0xad, 0xbe, 0xef};
    Handshake_Start(&handshake, server, 0xdeadbeefu);
    assert_int_equal(Handshake_Advance(&handshake, 1000), HANDSHAKE_ASK);
    Handshake_WriteRequest(&handshake, request);
    assert_memory_equal(request, expected, sizeof expected);
    return handshake;
}

static bool take(handshake_t *handshake, const uint8_t *bytes, size_t size, netaddr_t from,
                 handshake_cookie_t *out) {
    guard_datagram_t in = {.data = bytes, .size = size, .from = from, .now_ms = 1100};
    out->connect_id = 0;
    bool taken = Handshake_TakeCookie(handshake, &in, out);
    assert_int_equal(out->connect_id, taken ? 0xaabbccefu : 0); // the last byte is the nonce's
    return taken;
}

static void test_whom_it_believes(void **state) {
    (void)state;
    static const uint8_t good[88] = {0xff, 0xff, 0xff, 0xff, 'c',         'o',         'o',
                                     'k',  'i',  'e',  0xde, 0xad,        0xbe,        0xef,
                                     0x12, 0x34, 0x56, 0x78, 0xaa,        0xbb,        0xcc,
                                     0xdd, 2,    7,    0xe0, [55] = 0xe1, [56] = 0x50, [87] = 0x51};
    handshake_cookie_t cookie;
    handshake_t handshake = asking();
    netaddr_t other_host = {.host = server.host + 1, .port = server.port};
    netaddr_t other_port = {.host = server.host, .port = (uint16_t)(server.port + 1)};
    assert_false(take(&handshake, good, sizeof good, other_host, &cookie));
    assert_false(take(&handshake, good, sizeof good, other_port, &cookie));
    for (size_t size = 0; size < sizeof good; size++) {
        assert_false(take(&handshake, good, size, server, &cookie));
    }
    for (size_t byte = 0; byte < 14; byte++) {
        uint8_t bytes[sizeof good];
        memcpy(bytes, good, sizeof bytes);
        bytes[byte] ^= 0x10;
        assert_false(take(&handshake, bytes, sizeof bytes, server, &cookie));
    }
    assert_true(take(&handshake, good, sizeof good, server, &cookie));
    assert_int_equal(cookie.cookie, 0x12345678u);
    assert_int_equal(cookie.offer.seal, 2);
    assert_int_equal(cookie.offer.keys.epoch, 7);
    assert_memory_equal(cookie.offer.keys.epoch_public, good + 24, 32);
    assert_memory_equal(cookie.offer.keys.server_public, good + 56, 32);
    // Only the first cookie is accepted.
    assert_false(take(&handshake, good, sizeof good, server, &cookie));
}

static void test_refusal(void **state) {
    (void)state;
    static const uint8_t good[17] = {0xff, 0xff, 0xff, 0xff, 'r',  'e',  'f', 'u', 's',
                                     'e',  'd',  0x11, 0x22, 0x33, 0x44, 0,   3};
    handshake_t handshake = asking();
    guard_datagram_t in = {.data = good, .size = sizeof good, .from = server, .now_ms = 1200};
    net_reason_t reason = NET_REASON_NONE;
    assert_false(
        Handshake_TakeRefusal(&handshake, &in, 0x11223344u, &reason)); // no request was sent yet
    handshake.has_cookie = true;
    assert_false(Handshake_TakeRefusal(&handshake, &in, 0x11223345u, &reason));
    in.from.port++;
    assert_false(Handshake_TakeRefusal(&handshake, &in, 0x11223344u, &reason));
    in.from.port--;
    assert_true(Handshake_TakeRefusal(&handshake, &in, 0x11223344u, &reason));
    assert_int_equal(reason, NET_REASON_FULL);
    uint8_t unknown[17];
    memcpy(unknown, good, sizeof unknown);
    unknown[15] = 0xff;
    in.data = unknown;
    assert_true(Handshake_TakeRefusal(&handshake, &in, 0x11223344u, &reason));
    assert_int_equal(reason, NET_REASON_NONE);
    assert_true(Handshake_IsAnswer(&in));
    in.size--;
    assert_false(Handshake_IsAnswer(&in));
}

static void test_when(void **state) {
    (void)state;
    static const uint8_t good[88] = {0xff, 0xff, 0xff, 0xff, 'c', 'o', 'o', 'k',  'i',  'e',  0xde,
                                     0xad, 0xbe, 0xef, 0,    0,   0,   1,   0xaa, 0xbb, 0xcc, 0xdd};
    handshake_t handshake = asking(); // at 1000 ms
    handshake_cookie_t cookie;
    assert_int_equal(Handshake_Advance(&handshake, 1049), HANDSHAKE_WAIT);
    assert_int_equal(Handshake_Advance(&handshake, 1050), HANDSHAKE_ASK);
    assert_int_equal(Handshake_Advance(&handshake, 1051), HANDSHAKE_WAIT);
    // The datagram arrives at 1100.
    assert_true(take(&handshake, good, sizeof good, server, &cookie));
    assert_int_equal(Handshake_Advance(&handshake, 5099), HANDSHAKE_WAIT);
    assert_true(handshake.has_cookie);
    assert_int_equal(Handshake_Advance(&handshake, 5100), HANDSHAKE_ASK);
    assert_false(handshake.has_cookie);
    // The interval is now 250 ms.
    assert_int_equal(Handshake_Advance(&handshake, 5349), HANDSHAKE_WAIT);
    assert_int_equal(Handshake_Advance(&handshake, 5350), HANDSHAKE_ASK);
    assert_int_equal(Handshake_Advance(&handshake, 10999), HANDSHAKE_ASK);
    assert_int_equal(Handshake_Advance(&handshake, 11000), HANDSHAKE_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whom_it_believes),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
