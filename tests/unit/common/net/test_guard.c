// Tests of the guard, byte by byte. The datagrams are written here as common/net/README.md
// describes them, without the program's own constants.
#include "base/rng.h"
#include "lib/guard_fixture.h"

#include <string.h>

static uint32_t get_cookie(fixture_t *f) {
    uint8_t request[REQUEST_BYTES];
    write_request(request);
    assert_int_equal(ask(f, request, sizeof request), GUARD_REPLY);
    const uint8_t *r = f->verdict.reply;
    return (uint32_t)r[14] << 24 | (uint32_t)r[15] << 16 | (uint32_t)r[16] << 8 | r[17];
}

/// Returns the connectID of a cookie reply.
static uint32_t get_id(fixture_t *f) {
    (void)get_cookie(f);
    const uint8_t *r = f->verdict.reply;
    return (uint32_t)r[18] << 24 | (uint32_t)r[19] << 16 | (uint32_t)r[20] << 8 | r[21];
}

static void write_connect(uint8_t bytes[CONNECT_BYTES], uint32_t cookie) {
    static const uint8_t connect[CONNECT_BYTES] = {
        0x8f, 0xff,             // sent time follows; no session; no peer
        0x12, 0x34,             // sent time
        0xaa, 0xbb, 0xcc, 0xdd, // checksum, which ENet checks
        0x82, 0xff, 0x00, 0x01, // CONNECT, to be acknowledged; channel; sequence
        0x00, 0x00, 0xff, 0xff, // number of the peer at the client; sessions
        0x00, 0x00, 0x05, 0x70, // mtu 1392
        0x00, 0x01, 0x00, 0x00, // window
        0x00, 0x00, 0x00, 0x03, // channels
        0,    0,    0,    0,    // bandwidth in
        0,    0,    0,    0,    // bandwidth out
        0x00, 0x00, 0x13, 0x88, // throttle
        0,    0,    0,    2,    //
        0,    0,    0,    2,    //
        0x11, 0x22, 0x33, 0x44, // connectID
        0,    0,    0,    0,    // data: the cookie
    };
    memcpy(bytes, connect, CONNECT_BYTES);
    for (int32_t i = 0; i < 4; i++) {
        bytes[52 + i] = (uint8_t)(cookie >> (24 - 8 * i));
    }
}

static void test_cookie_reply(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint32_t cookie = get_cookie(f);
    static const uint8_t expected[14] = {0xff, 0xff, 0xff, 0xff, 'c',  'o',  'o',
                                         'k',  'i',  'e',  0xde, 0xad, 0xbe, 0xef};
    assert_int_equal(f->verdict.reply_size, 88);
    assert_memory_equal(f->verdict.reply, expected, sizeof expected);
    // The guard offers no seal; the transport writes its offer into the last 66 bytes.
    guard_offer_t offer = {.seal = 0};
    assert_memory_equal(f->verdict.reply + 22, &offer, 66);
    offer = (guard_offer_t){2, {10, {0xe0, [31] = 0xe1}, {0x50, [31] = 0x51}}};
    Guard_SetOffer(&f->verdict, &offer);
    assert_memory_equal(f->verdict.reply, expected, sizeof expected);
    assert_int_equal(f->verdict.reply[22], 2);
    assert_int_equal(f->verdict.reply[23], 10);
    assert_int_equal(f->verdict.reply[24], 0xe0);
    assert_int_equal(f->verdict.reply[55], 0xe1);
    assert_int_equal(f->verdict.reply[56], 0x50);
    assert_int_equal(f->verdict.reply[87], 0x51);
    assert_int_equal(cookie, Guard_Cookie(&f->guard, somebody.host, 10));
    uint32_t id = get_id(f);
    assert_int_equal(id, Guard_GivenID(&f->guard, somebody, 10));
    // The cookie depends on the host, the epoch and the key, not on the port; the connectID depends
    // on all four.
    f->from.port++;
    assert_int_equal(get_cookie(f), cookie);
    assert_int_not_equal(get_id(f), id);
    f->from.port--;
    f->from.host++;
    assert_int_not_equal(get_cookie(f), cookie);
    assert_int_not_equal(get_id(f), id);
    f->from = somebody;
    f->now_ms += GUARD_EPOCH_MS;
    assert_int_not_equal(get_cookie(f), cookie);
    assert_int_not_equal(get_id(f), id);
    f->now_ms -= GUARD_EPOCH_MS;
    memset(&f->buckets, 0, sizeof f->buckets);
    f->guard.key[15]++;
    assert_int_not_equal(get_cookie(f), cookie);
    assert_int_not_equal(get_id(f), id);
    free(f);
}

static void test_request_variants(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t request[200] = {0};
    write_request(request);
    for (size_t size = 0; size < sizeof request; size++) {
        guard_action_t action = ask(f, request, size);
        if (size == REQUEST_BYTES) {
            assert_int_equal(action, GUARD_REPLY);
        } else if (size >= 13) {
            assert_int_equal(action,
                             GUARD_DROP); // a request, but not padded or too long
            assert_int_equal(f->verdict.why, GUARD_BAD_OOB);
        } else if (size >= 5) {
            assert_int_equal(action, GUARD_OOB); // starts with another word
        } else {
            assert_int_equal(action, GUARD_DROP);
        }
    }
    request[13] = 1; // another version
    assert_dropped(f, request, REQUEST_BYTES, GUARD_BAD_OOB);
    // These are the guard's own answers: somebody forged the server's address.
    static const uint8_t cookie[18] = "\xff\xff\xff\xff"
                                      "cookie12345678";
    static const uint8_t refused[17] = "\xff\xff\xff\xff"
                                       "refused12345";
    assert_dropped(f, cookie, sizeof cookie, GUARD_BAD_OOB);
    assert_dropped(f, refused, sizeof refused, GUARD_BAD_OOB);
    free(f);
}

static void test_connect_passes(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t bytes[CONNECT_BYTES + 8] = {0};
    write_connect(bytes, get_cookie(f));
    assert_int_equal(ask(f, bytes, CONNECT_BYTES), GUARD_CONNECT);
    // ENet may append another command, which is allowed for an address with the right cookie.
    assert_int_equal(ask(f, bytes, CONNECT_BYTES + 8), GUARD_CONNECT);
    for (size_t size = 0; size < CONNECT_BYTES; size++) {
        assert_dropped(f, bytes, size, GUARD_SHORT);
    }
    guard_datagram_t in = {.data = bytes, .size = CONNECT_BYTES, .from = f->from};
    assert_int_equal(Guard_ConnectID(&f->guard, &in), 0x11223344u);
    uint8_t reply[GUARD_MAX_REPLY];
    assert_int_equal(Guard_Refuse(&f->guard, &in, NET_REASON_FULL, reply), 17);
    static const uint8_t expected[17] = {0xff, 0xff, 0xff, 0xff, 'r',  'e',  'f', 'u', 's',
                                         'e',  'd',  0x11, 0x22, 0x33, 0x44, 0,   3};
    assert_memory_equal(reply, expected, sizeof expected);
    // Without a checksum, every field is 4 bytes earlier.
    f->guard.has_checksum = false;
    memmove(bytes + 4, bytes + 8, 48);
    assert_int_equal(ask(f, bytes, 52), GUARD_CONNECT);
    assert_dropped(f, bytes, 51, GUARD_SHORT);
    free(f);
}

static void test_connect_every_bit(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t good[CONNECT_BYTES];
    write_connect(good, get_cookie(f));
    for (size_t byte = 0; byte < CONNECT_BYTES; byte++) {
        for (int32_t bit = 0; bit < 8; bit++) {
            uint8_t bytes[CONNECT_BYTES];
            memcpy(bytes, good, sizeof bytes);
            bytes[byte] ^= (uint8_t)(1 << bit);
            memset(&f->buckets, 0, sizeof f->buckets);
            guard_action_t action = ask(f, bytes, sizeof bytes);
            bool header = byte < 2;
            // Second case: an impossible peer number.
            bool command = byte == 8 || (byte == 12 && bit >= 4);
            bool channels = byte >= 24 && byte < 28;
            bool cookie = byte >= 52;
            if (cookie) {
                assert_int_equal(action, GUARD_DROP);
                assert_int_equal(f->verdict.why, GUARD_BAD_COOKIE);
            } else if (command || (channels && (byte < 27 || bit < 2))) {
                assert_int_equal(action, GUARD_DROP); // includes too few channels
                assert_int_equal(f->verdict.why, GUARD_BAD_CONNECT);
            } else if (header) {
                assert_int_not_equal(action, GUARD_CONNECT);
                // A changed bit in the peer number names a peer that does not exist.
                assert_int_equal(action, GUARD_DROP);
            } else {
                assert_int_equal(action, GUARD_CONNECT);
            }
        }
    }
    // A peer number at the client that ENet cannot have would spoil ENet's headers.
    good[12] = 0x0f;
    good[13] = 0xff;
    assert_dropped(f, good, sizeof good, GUARD_BAD_CONNECT);
    good[13] = 0xfe;
    assert_int_equal(ask(f, good, sizeof good), GUARD_CONNECT);
    free(f);
}

static void test_cookie_expires(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t bytes[CONNECT_BYTES];
    for (int64_t got_ms = 80000; got_ms < 88000; got_ms += 1999) {
        memset(&f->buckets, 0, sizeof f->buckets);
        f->now_ms = got_ms;
        write_connect(bytes, get_cookie(f));
        for (f->now_ms = got_ms; f->now_ms < 96000; f->now_ms += 500) {
            assert_int_equal(ask(f, bytes, sizeof bytes), GUARD_CONNECT);
        }
        f->now_ms = 95999;
        assert_int_equal(ask(f, bytes, sizeof bytes), GUARD_CONNECT);
        f->now_ms = 96000;
        assert_dropped(f, bytes, sizeof bytes, GUARD_BAD_COOKIE);
        f->now_ms = 79999; // a cookie is not valid before it was made
        memset(&f->buckets, 0, sizeof f->buckets);
        assert_dropped(f, bytes, sizeof bytes, GUARD_BAD_COOKIE);
    }
    // The cookie of another host is not valid.
    f->now_ms = 80000;
    memset(&f->buckets, 0, sizeof f->buckets);
    write_connect(bytes, get_cookie(f));
    f->from.host++;
    assert_dropped(f, bytes, sizeof bytes, GUARD_BAD_COOKIE);
    f->from.host--;
    f->from.port = 1; // another port of the same host is fine: bindings ask from another socket
    assert_int_equal(ask(f, bytes, sizeof bytes), GUARD_CONNECT);
    free(f);
}

static void test_sources(void **state) {
    (void)state;
    static const struct {
        uint32_t host;
        bool ok;
    } cases[] = {
        {0x00000000u, false}, {0x00ffffffu, false}, {0x01000000u, true},  {0x0a000001u, true},
        {0x7f000001u, true},  {0x7fffffffu, true},  {0xdfffffffu, true},  {0xe0000000u, false},
        {0xe0000001u, false}, {0xefffffffu, false}, {0xf0000000u, false}, {0xffffffffu, false},
    };
    fixture_t *f = new_fixture();
    uint8_t request[REQUEST_BYTES];
    write_request(request);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        f->from.host = cases[i].host;
        if (cases[i].ok) {
            assert_int_equal(ask(f, request, sizeof request), GUARD_REPLY);
        } else {
            assert_dropped(f, request, sizeof request, GUARD_MARTIAN);
        }
    }
    f->from = (netaddr_t){.host = somebody.host, .port = 0};
    assert_dropped(f, request, sizeof request, GUARD_PORT_ZERO);
    free(f);
}

static void test_datagrams_of_peers(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    static uint8_t bytes[65536];
    bytes[0] = 0x80; // peer 0, with a sent time
    for (size_t size = 0; size < 8; size++) {
        assert_dropped(f, bytes, size, GUARD_SHORT);
    }
    assert_int_equal(ask(f, bytes, 8), GUARD_PASS);
    assert_int_equal(ask(f, bytes, GUARD_MAX_DATAGRAM), GUARD_PASS);
    assert_dropped(f, bytes, GUARD_MAX_DATAGRAM + 1, GUARD_LONG);
    assert_dropped(f, bytes, sizeof bytes, GUARD_LONG);
    for (uint32_t peer = 0; peer <= 0xffe; peer++) {
        bytes[0] = (uint8_t)(0xb0 | peer >> 8);
        bytes[1] = (uint8_t)peer;
        if (peer < 32) {
            assert_int_equal(ask(f, bytes, 16), GUARD_PASS);
        } else {
            assert_dropped(f, bytes, 16, GUARD_NO_PEER);
        }
    }
    bytes[0] = 0x00; // without a sent time: 2 bytes of header and the checksum
    bytes[1] = 0x05;
    assert_dropped(f, bytes, 5, GUARD_SHORT);
    assert_int_equal(ask(f, bytes, 6), GUARD_PASS);
    bytes[0] = 0x40; // compressed
    assert_dropped(f, bytes, 16, GUARD_COMPRESSED);
    bytes[0] = 0xcf; // the two bytes that made ENet decompress SIZE_MAX - 1 bytes
    bytes[1] = 0xff;
    assert_dropped(f, bytes, 2, GUARD_COMPRESSED);
    // Test "no peer" with a session or without a sent time: ENet would take these for CONNECTs too.
    for (uint32_t flags = 0; flags < 16; flags++) {
        uint8_t connect[CONNECT_BYTES];
        write_connect(connect, get_cookie(f));
        connect[0] = (uint8_t)(flags << 4 | 0x0f);
        assert_int_equal(ask(f, connect, sizeof connect), flags == 8 ? GUARD_CONNECT : GUARD_DROP);
    }
    memset(bytes, 0xff, GUARD_MAX_OOB + 1);
    assert_int_equal(ask(f, bytes, GUARD_MAX_OOB), GUARD_OOB);
    assert_dropped(f, bytes, GUARD_MAX_OOB + 1, GUARD_LONG);
    free(f);
}

static void test_client_guard(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t connect[CONNECT_BYTES];
    uint8_t request[REQUEST_BYTES];
    write_connect(connect, get_cookie(f));
    write_request(request);
    f->guard.is_server = false;
    assert_dropped(f, connect, sizeof connect, GUARD_NOT_SERVER);
    assert_dropped(f, request, sizeof request, GUARD_NOT_SERVER);
    static const uint8_t cookie[18] = "\xff\xff\xff\xff"
                                      "cookie12345678";
    assert_int_equal(ask(f, cookie, sizeof cookie), GUARD_OOB);
    static const uint8_t data[8] = {0x80};
    assert_int_equal(ask(f, data, sizeof data), GUARD_PASS);
    free(f);
}

static int32_t count_replies(fixture_t *f, int32_t attempts) {
    uint8_t request[REQUEST_BYTES];
    int32_t replies = 0;
    write_request(request);
    for (int32_t i = 0; i < attempts; i++) {
        bool ok = ask(f, request, sizeof request) == GUARD_REPLY;
        replies += ok;
        assert_true(ok || f->verdict.why == GUARD_RATE);
    }
    return replies;
}

static void test_rate_limit(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    assert_int_equal(count_replies(f, 100000), GUARD_NETWORK_BURST);
    f->from.host ^= 0xff; // a neighbour in the same /24 uses the same bucket
    assert_int_equal(count_replies(f, 100), 0);
    f->now_ms += GUARD_NETWORK_COOKIE_US / 100;
    assert_int_equal(count_replies(f, 100), 10);
    f->now_ms += 100;
    assert_int_equal(count_replies(f, 10000), 100000 / GUARD_NETWORK_COOKIE_US);
    // Every other network gets replies, except the few that share a bucket.
    int32_t refused = 0;
    for (uint32_t net = 0; net < 1000; net++) {
        f->from.host = 0x0a000001u + (net << 8);
        refused += count_replies(f, 1) == 0;
    }
    assert_in_range(refused, 0, 3);
    // CONNECTs are counted separately: a flood of forged cookie requests does not stop a join.
    f->from = somebody;
    uint8_t connect[CONNECT_BYTES];
    write_connect(connect, Guard_Cookie(&f->guard, somebody.host, f->now_ms / GUARD_EPOCH_MS));
    assert_int_equal(ask(f, connect, sizeof connect), GUARD_CONNECT);
    // CONNECTs with a wrong cookie are limited too, so that a cookie cannot be guessed.
    int32_t looked_at = 0;
    write_connect(connect, 12345);
    for (int32_t i = 0; i < 100000; i++) {
        assert_int_equal(ask(f, connect, sizeof connect), GUARD_DROP);
        looked_at += f->verdict.why == GUARD_BAD_COOKIE;
    }
    assert_int_equal(looked_at, GUARD_NETWORK_BURST);
    // A bucket that has long been empty allows only one full burst.
    f->now_ms += 3600000;
    assert_int_equal(count_replies(f, 100000), GUARD_NETWORK_BURST);
    free(f);
}

/// Sends `requests` cookie requests and `connects` CONNECTs with wrong cookies, from random hosts
/// that differ in the bits of `mask`. Returns how many of the wrong cookies were read.
static int32_t flood(fixture_t *f, rng_t *rng, int32_t requests, int32_t connects, uint32_t mask) {
    uint8_t request[REQUEST_BYTES];
    uint8_t connect[CONNECT_BYTES];
    int32_t guesses = 0;
    write_request(request);
    for (int32_t i = 0; i < requests + connects; i++) {
        f->from = somebody;
        // Keep the first byte, so that no address is impossible.
        f->from.host ^= (uint32_t)Rng_Next(rng) & mask & 0x00ffffffu;
        if (i < requests) {
            ask(f, request, sizeof request);
        } else {
            write_connect(connect, (uint32_t)Rng_Next(rng));
            ask(f, connect, sizeof connect);
            guesses += f->verdict.why == GUARD_BAD_COOKIE;
        }
    }
    f->from = somebody;
    return guesses;
}

/// Requests a cookie during a flood, like a client, until it comes. Returns the ms it took.
static int32_t ms_to_cookie(fixture_t *f, rng_t *rng, int32_t requests, uint32_t mask) {
    int32_t ms = 0;
    uint8_t request[REQUEST_BYTES];
    for (write_request(request); ms < 5000; ms++, f->now_ms++) {
        int32_t before = (int32_t)Rng_Below(rng, (uint32_t)requests + 1);
        flood(f, rng, before, 0, mask);
        if (ms % 50 == 0 && ask(f, request, sizeof request) == GUARD_REPLY) {
            break;
        }
        flood(f, rng, requests - before, 0, mask);
    }
    return ms;
}

/// Tests 50,000 cookie requests per second from everywhere: only a limited number is answered, but
/// a client that repeats its request soon gets its answer.
static void test_flood_from_everywhere(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    rng_t rng = {.state = 7};
    int32_t answered = 0;
    uint8_t request[REQUEST_BYTES];
    write_request(request);
    for (int32_t i = 0; i < 50000; i++) {
        f->now_ms += i % 50 == 0;
        f->from.host = somebody.host ^ ((uint32_t)Rng_Next(&rng) & 0x00ffffffu);
        if (ask(f, request, sizeof request) == GUARD_REPLY) {
            answered++;
        } else {
            assert_true(f->verdict.why == GUARD_COOKIE_RATE || f->verdict.why == GUARD_RATE);
        }
    }
    assert_in_range(answered, 19000, 20000 + GUARD_TOTAL_BURST);
    int32_t worst = 0;
    for (int32_t i = 0; i < 40; i++) {
        worst = Q_MaxI(worst, ms_to_cookie(f, &rng, 50, 0xffffffffu));
    }
    assert_in_range(worst, 50, 1000);
    free(f);
}

/// Tests cookie requests and CONNECTs forged with the players' own /24: the cookie still comes at
/// once, and a CONNECT with the connectID that came with it passes.
static void test_flood_from_own_network(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    rng_t rng = {.state = 8};
    for (int32_t i = 0; i < 3000; i++) {
        f->now_ms++;
        flood(f, &rng, 2, i % 3 == 0, 0xff);
    }
    for (int32_t i = 0; i < 40; i++) {
        assert_in_range(ms_to_cookie(f, &rng, 2, 0xff), 0, 500);
        uint8_t connect[CONNECT_BYTES];
        write_connect(connect, Guard_Cookie(&f->guard, somebody.host, f->now_ms / GUARD_EPOCH_MS));
        assert_dropped(f, connect, sizeof connect, GUARD_RATE); // any connectID
        uint32_t id = Guard_GivenID(&f->guard, somebody, f->now_ms / GUARD_EPOCH_MS);
        for (int32_t k = 0; k < 3; k++) {
            connect[48 + k] = (uint8_t)(id >> (24 - 8 * k));
        }
        connect[51] = (uint8_t)i; // the bits that the client chooses
        assert_int_equal(ask(f, connect, sizeof connect), GUARD_CONNECT);
        connect[50] ^= 1;
        assert_dropped(f, connect, sizeof connect, GUARD_RATE);
        for (int32_t k = 0; k < 50; k++) {
            f->now_ms++;
            flood(f, &rng, 2, 1, 0xff);
        }
    }
    free(f);
}

/// Tests guesses from many networks: at most 1,000 wrong cookies per second are compared.
static void test_guesses_are_limited(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    rng_t rng = {.state = 9};
    int32_t guesses = 0;
    for (int32_t i = 0; i < 3000; i++) {
        f->now_ms++;
        guesses += flood(f, &rng, 0, 30, 0xffffffffu);
    }
    assert_in_range(guesses, 3000, 3000 + GUARD_TOTAL_BURST);
    assert_int_equal(f->verdict.why, GUARD_GUESS_RATE);
    free(f);
}

/// Tests random datagrams, most of them nearly right: the answer is never longer than the datagram,
/// and the same when repeated.
static void test_random(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    guard_buckets_t *before = malloc(sizeof *before);
    assert_non_null(before);
    rng_t rng = {.state = 20240};
    f->guard.is_sealing = true;
    uint8_t cookie_bytes[CONNECT_BYTES];
    int32_t seen[GUARD_OOB + 1] = {0};
    for (int32_t i = 0; i < 100000; i++) {
        uint8_t bytes[192];
        size_t size = Rng_Below(&rng, sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++) {
            bytes[k] = (uint8_t)Rng_Next(&rng);
        }
        f->now_ms += Rng_Below(&rng, 20);
        f->from.host = somebody.host ^ Rng_Below(&rng, 4) << 8;
        uint32_t kind = Rng_Below(&rng, 5);
        if (kind == 0) {
            write_request(bytes);
            size = REQUEST_BYTES;
        } else if (kind == 1) {
            uint32_t cookie = Guard_Cookie(&f->guard, f->from.host, f->now_ms / GUARD_EPOCH_MS);
            write_connect(cookie_bytes, cookie);
            memcpy(bytes, cookie_bytes, CONNECT_BYTES);
            size = CONNECT_BYTES;
        } else if (kind == 2) {
            write_sealed(f, bytes);
            size = SEALED_BYTES;
        } else if (kind == 3) {
            memset(bytes, 0xff, 4);
        } else {
            bytes[0] &= 0xf0;
        }
        if (Rng_Below(&rng, 2) == 0 && size > 0) {
            bytes[Rng_Below(&rng, (uint32_t)size)] = (uint8_t)Rng_Next(&rng);
        }
        bool repeat = i % 1000 == 0;
        if (repeat) {
            *before = f->buckets;
        }
        guard_action_t action = ask(f, bytes, size);
        seen[action]++;
        if (repeat) {
            guard_verdict_t first = f->verdict;
            f->buckets = *before;
            assert_int_equal(ask(f, bytes, size), action);
            assert_memory_equal(&first, &f->verdict, sizeof first);
        }
    }
    for (int32_t i = 0; i <= GUARD_OOB; i++) {
        assert_true(seen[i] > 100);
    }
    free(before);
    free(f);
}

static void test_texts(void **state) {
    (void)state;
    for (int32_t i = 0; i < GUARD_WHY_COUNT; i++) {
        assert_non_null(Guard_WhyText((guard_why_t)i));
        assert_string_not_equal(Guard_WhyText((guard_why_t)i), "unknown");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cookie_reply),
        cmocka_unit_test(test_request_variants),
        cmocka_unit_test(test_connect_passes),
        cmocka_unit_test(test_connect_every_bit),
        cmocka_unit_test(test_cookie_expires),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_datagrams_of_peers),
        cmocka_unit_test(test_client_guard),
        cmocka_unit_test(test_rate_limit),
        cmocka_unit_test(test_flood_from_everywhere),
        cmocka_unit_test(test_flood_from_own_network),
        cmocka_unit_test(test_guesses_are_limited),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
