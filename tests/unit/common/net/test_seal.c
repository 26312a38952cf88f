// Tests of the seal: what opens, what does not, and the window of sequence numbers.
#include "base/rng.h"
#include "lib/testing.h"
#include "net/seal.h"

#include <sodium.h>
#include <string.h>

/// Both ends of a session.
typedef struct {
    seal_pair_t own, server, epoch;
    seal_offer_t offer;
    seal_connect_t connect;
    seal_t client_seal, server_seal;
} session_t;

static void fill_pair(seal_pair_t *pair, uint8_t salt) {
    memset(pair->secret_key, salt, sizeof pair->secret_key);
    Seal_CompletePair(pair);
}

static session_t *new_session(uint8_t salt) {
    session_t *s = calloc(1, sizeof *s);
    assert_non_null(s);
    fill_pair(&s->own, salt);
    fill_pair(&s->server, (uint8_t)(salt + 1));
    fill_pair(&s->epoch, (uint8_t)(salt + 2));
    s->offer.epoch = 77;
    memcpy(s->offer.epoch_public, s->epoch.public_key, SEAL_KEY_BYTES);
    memcpy(s->offer.server_public, s->server.public_key, SEAL_KEY_BYTES);
    s->connect = (seal_connect_t){.epoch = 77, .cookie = 0x01020304, .connect_id = 0xa0b0c0d0};
    memcpy(s->connect.client_public, s->own.public_key, SEAL_KEY_BYTES);
    assert_true(Seal_DeriveClient(&s->client_seal, &s->own, &s->offer, &s->connect));
    assert_true(Seal_DeriveServer(&s->server_seal, &s->server, &s->epoch, &s->connect));
    return s;
}

/// Opens an exact copy on the heap, so that ASan sees each access beyond its end.
static size_t open_copy(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out,
                        seal_why_t *why) {
    uint8_t *copy = malloc(size + (size == 0));
    uint8_t *opened = malloc(size + 1);
    assert_non_null(copy);
    assert_non_null(opened);
    memcpy(copy, data, size);
    size_t opened_size = Seal_Open(seal, copy, size, opened, why);
    assert_true((opened_size > 0) == (*why == SEAL_OK));
    if (opened_size > 0) {
        memcpy(out, opened, opened_size);
    }
    free(copy);
    free(opened);
    return opened_size;
}

/// Opens a datagram and returns the reason.
static seal_why_t open_why(seal_t *seal, const uint8_t *data, size_t size) {
    uint8_t out[1500];
    seal_why_t why = SEAL_OK;
    open_copy(seal, data, size, out, &why);
    return why;
}

#define PLAIN_BYTES 40

static void fill_plain(uint8_t plain[PLAIN_BYTES], uint8_t salt) {
    for (size_t i = 0; i < PLAIN_BYTES; i++) {
        plain[i] = (uint8_t)(i * 7 + salt);
    }
    plain[0] &= 0xbf; // the flag "compressed" is never set in a plain datagram
}

/// Seals a datagram with sequence number `seq`, as a sender that skipped some does.
static size_t write_seq(seal_t *seal, uint64_t seq, uint8_t *out) {
    uint8_t plain[PLAIN_BYTES];
    fill_plain(plain, (uint8_t)seq);
    seal->next_seq = seq;
    return Seal_Write(seal, plain, sizeof plain, out);
}

static void both_directions_round_trip_at_every_size(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t plain[1372], sealed[1392], opened[1392];
    for (size_t i = 0; i < sizeof plain; i++) {
        plain[i] = (uint8_t)(i * 31 & 0xbf);
    }
    for (size_t size = 2; size <= sizeof plain; size++) {
        for (int32_t back = 0; back < 2; back++) {
            seal_t *from = back ? &s->server_seal : &s->client_seal;
            seal_t *to = back ? &s->client_seal : &s->server_seal;
            seal_why_t why = SEAL_FORGED;
            assert_int_equal(Seal_Write(from, plain, size, sealed), size + 20);
            assert_int_equal(open_copy(to, sealed, size + 20, opened, &why), size);
            assert_memory_equal(opened, plain, size);
        }
    }
    free(s);
}

static void a_sealed_datagram_shows_header_and_sequence_only(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t plain[PLAIN_BYTES], sealed[PLAIN_BYTES + 20];
    fill_plain(plain, 3);
    plain[0] = 0x9f;
    plain[1] = 0xfe;
    s->client_seal.next_seq = 0x1234567890abcdefull;
    Seal_Write(&s->client_seal, plain, sizeof plain, sealed);
    static const uint8_t expected[6] = {0xdf, 0xfe, 0x90, 0xab, 0xcd, 0xef};
    assert_memory_equal(sealed, expected, 6);
    for (size_t i = 6; i + 4 <= sizeof sealed; i++) {
        assert_null(memmem(plain + 2, sizeof plain - 2, sealed + i, 4));
    }
    free(s);
}

static void every_changed_bit_is_refused_and_changes_nothing(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t sealed[PLAIN_BYTES + 20];
    write_seq(&s->client_seal, 5, sealed);
    for (size_t bit = 0; bit < sizeof sealed * 8; bit++) {
        seal_t before = s->server_seal;
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        seal_why_t why = open_why(&s->server_seal, sealed, sizeof sealed);
        assert_int_equal(why, bit == 6 ? SEAL_PLAIN : SEAL_FORGED); // bit 6 is the flag
        assert_memory_equal(&before, &s->server_seal, sizeof before);
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t size = 0; size < sizeof sealed; size++) {
        assert_int_equal(open_why(&s->server_seal, sealed, size),
                         size < 22 ? SEAL_SHORT : SEAL_FORGED);
    }
    assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_OK);
    free(s);
}

static void a_datagram_opens_once_and_in_its_direction_only(void **state) {
    (void)state;
    session_t *s = new_session(10);
    session_t *other = new_session(90);
    uint8_t sealed[PLAIN_BYTES + 20];
    write_seq(&s->client_seal, 0, sealed);
    assert_int_equal(open_why(&s->client_seal, sealed, sizeof sealed), SEAL_FORGED);
    assert_int_equal(open_why(&other->server_seal, sealed, sizeof sealed), SEAL_FORGED);
    assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_OK);
    assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_REPLAYED);
    free(other);
    free(s);
}

static void datagrams_may_be_reordered_within_the_window(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t sealed[PLAIN_BYTES + 20];
    write_seq(&s->client_seal, 1000, sealed);
    assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_OK);
    for (uint64_t age = 255; age > 0; age--) {
        write_seq(&s->client_seal, 1000 - age, sealed);
        assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_OK);
        assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_REPLAYED);
    }
    write_seq(&s->client_seal, 1000 - 256, sealed);
    assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_OLD);
    assert_int_equal(s->server_seal.top_seq, 1000);
    free(s);
}

/// The window must answer like a list of all numbers that were opened.
static void the_window_equals_a_list_of_numbers(void **state) {
    (void)state;
    session_t *s = new_session(10);
    static bool was_opened[20000];
    memset(was_opened, 0, sizeof was_opened);
    rng_t rng = {11};
    uint8_t sealed[PLAIN_BYTES + 20];
    uint64_t top = 0;
    for (int32_t i = 0; i < 8000; i++) {
        uint64_t ahead = Rng_Below(&rng, 64) == 0 ? Rng_Below(&rng, 700) : Rng_Below(&rng, 4);
        uint64_t back = Rng_Below(&rng, 3) == 0 ? Rng_Below(&rng, 300) : 0;
        uint64_t seq = top + ahead > back ? top + ahead - back : 0;
        if (seq >= 20000) {
            break;
        }
        write_seq(&s->client_seal, seq, sealed);
        seal_why_t why = seq + 256 <= top ? SEAL_OLD : was_opened[seq] ? SEAL_REPLAYED : SEAL_OK;
        assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), why);
        was_opened[seq] |= why == SEAL_OK;
        top = seq > top ? seq : top;
        assert_int_equal(s->server_seal.top_seq, top);
    }
    assert_true(top > 3000);
    free(s);
}

static void the_upper_half_of_the_sequence_is_rebuilt(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t sealed[PLAIN_BYTES + 20];
    static const uint64_t seqs[] = {
        0x7fffffff,     0xfffffff0,     0x100000005ull, // forward across 2^32
        0xffffffff,                                     // and back within the window
        0x100000000ull, 0x180000004ull, 0x1ffffffffull, 0x200000000ull, 0x27fffffffull,
    };
    for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++) {
        write_seq(&s->client_seal, seqs[i], sealed);
        assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_OK);
    }
    // The same low half, 2^32 earlier, is another number.
    write_seq(&s->client_seal, 0x17fffffffull, sealed);
    assert_int_equal(open_why(&s->server_seal, sealed, sizeof sealed), SEAL_REPLAYED);
    free(s);
}

static void no_sequence_number_is_used_twice(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t plain[PLAIN_BYTES], sealed[PLAIN_BYTES + 90];
    fill_plain(plain, 0);
    for (uint64_t i = 0; i < 300; i++) { // a repeated CONNECT counts like all others
        size_t size = i < 3 ? Seal_WriteConnect(&s->client_seal, &s->connect, plain, 40, sealed)
                            : Seal_Write(&s->client_seal, plain, 40, sealed);
        size_t at = i < 3 ? 70 : 2;
        assert_int_equal(size, i < 3 ? 130 : 60);
        assert_int_equal(sealed[at + 2] << 8 | sealed[at + 3], i);
    }
    s->client_seal.next_seq = UINT64_MAX - 1;
    assert_int_equal(Seal_Write(&s->client_seal, plain, sizeof plain, sealed), 60);
    assert_int_equal(Seal_Write(&s->client_seal, plain, sizeof plain, sealed), 0);
    assert_int_equal(Seal_Write(&s->client_seal, plain, sizeof plain, sealed), 0);
    free(s);
}

static void a_connect_opens_with_its_header_only(void **state) {
    (void)state;
    session_t *s = new_session(10);
    uint8_t plain[PLAIN_BYTES], sealed[PLAIN_BYTES + 90], opened[PLAIN_BYTES];
    fill_plain(plain, 9);
    s->client_seal.next_seq = 2; // the third CONNECT of a client that got no answer
    assert_int_equal(Seal_WriteConnect(&s->client_seal, &s->connect, plain, 40, sealed), 130);
    static const uint8_t head[20] = {0xff, 0xff, 0xff, 0xff, 's', 'e', 'a',  'l',  'e',  'd',
                                     1,    77,   1,    2,    3,   4,   0xa0, 0xb0, 0xc0, 0xd0};
    static const uint8_t tail[22] = {[21] = 2}; // reported address, sequence number
    assert_memory_equal(sealed, head, 20);
    assert_memory_equal(sealed + 20, s->own.public_key, 32);
    assert_memory_equal(sealed + 52, tail, 22);

    seal_connect_t read;
    seal_why_t why = SEAL_OK;
    for (size_t bit = 0; bit < sizeof sealed * 8; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (Seal_ReadConnect(sealed, sizeof sealed, &read)) {
            assert_true(bit >= 11 * 8);
            seal_t seal;
            // The server derives its keys from the changed header.
            if (Seal_DeriveServer(&seal, &s->server, &s->epoch, &read)) {
                assert_int_equal(Seal_OpenConnect(&seal, sealed, sizeof sealed, opened, &why), 0);
                assert_int_equal(why, SEAL_FORGED);
            }
        } else {
            assert_true(bit < 11 * 8);
        }
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t size = 0; size <= 90; size++) {
        assert_false(Seal_ReadConnect(sealed, size, &read));
    }
    assert_true(Seal_ReadConnect(sealed, sizeof sealed, &read));
    assert_int_equal(read.epoch, 77);
    assert_int_equal(read.cookie, s->connect.cookie);
    assert_int_equal(read.connect_id, s->connect.connect_id);
    assert_memory_equal(read.client_public, s->own.public_key, 32);
    assert_int_equal(Seal_OpenConnect(&s->server_seal, sealed, 130, opened, &why), 40);
    assert_memory_equal(opened, plain, 40);
    assert_int_equal(Seal_OpenConnect(&s->server_seal, sealed, 130, opened, &why), 0);
    assert_int_equal(why, SEAL_REPLAYED);
    free(s);
}

static void keys_depend_on_every_input(void **state) {
    (void)state;
    session_t *s = new_session(10);
    seal_t seal;
    for (int32_t i = 0; i < 5; i++) {
        seal_pair_t server = s->server, epoch = s->epoch;
        seal_connect_t connect = s->connect;
        connect.cookie += i == 0;
        connect.connect_id += i == 1;
        connect.client_public[31] ^= i == 2 ? 0x80 : 0; // X25519 ignores the highest bit
        if (i == 3) {
            fill_pair(&server, 50);
        } else if (i == 4) {
            fill_pair(&epoch, 60);
        }
        assert_true(Seal_DeriveServer(&seal, &server, &epoch, &connect));
        assert_memory_not_equal(seal.send_key, s->server_seal.send_key, 32);
        assert_memory_not_equal(seal.receive_key, s->server_seal.receive_key, 32);
    }
    assert_memory_equal(s->client_seal.send_key, s->server_seal.receive_key, 32);
    assert_memory_equal(s->client_seal.receive_key, s->server_seal.send_key, 32);
    assert_memory_not_equal(s->client_seal.send_key, s->client_seal.receive_key, 32);
    free(s);
}

static void weak_public_keys_are_refused(void **state) {
    (void)state;
    static const uint8_t weak[][32] = {{0}, {1}}; // points of small order: the secret is zero
    static const uint8_t erased[sizeof(seal_t)];
    session_t *s = new_session(10);
    for (size_t i = 0; i < 2; i++) {
        seal_connect_t connect = s->connect;
        memcpy(connect.client_public, weak[i], 32);
        assert_false(Seal_DeriveServer(&s->server_seal, &s->server, &s->epoch, &connect));
        assert_memory_equal(&s->server_seal, erased, sizeof erased);
        for (int32_t which = 0; which < 2; which++) {
            seal_offer_t offer = s->offer;
            memcpy(which ? offer.epoch_public : offer.server_public, weak[i], 32);
            assert_false(Seal_DeriveClient(&s->client_seal, &s->own, &offer, &s->connect));
            assert_memory_equal(&s->client_seal, erased, sizeof erased);
        }
    }
    free(s);
}

static void every_reason_has_its_own_text(void **state) {
    (void)state;
    for (int32_t i = 0; i < SEAL_WHY_COUNT; i++) {
        for (int32_t k = 0; k < i; k++) {
            assert_string_not_equal(Seal_WhyText((seal_why_t)i), Seal_WhyText((seal_why_t)k));
        }
    }
    assert_string_equal(Seal_WhyText(SEAL_WHY_COUNT), "unknown");
}

int main(void) {
    if (sodium_init() < 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_directions_round_trip_at_every_size),
        cmocka_unit_test(a_sealed_datagram_shows_header_and_sequence_only),
        cmocka_unit_test(every_changed_bit_is_refused_and_changes_nothing),
        cmocka_unit_test(a_datagram_opens_once_and_in_its_direction_only),
        cmocka_unit_test(datagrams_may_be_reordered_within_the_window),
        cmocka_unit_test(the_window_equals_a_list_of_numbers),
        cmocka_unit_test(the_upper_half_of_the_sequence_is_rebuilt),
        cmocka_unit_test(no_sequence_number_is_used_twice),
        cmocka_unit_test(a_connect_opens_with_its_header_only),
        cmocka_unit_test(keys_depend_on_every_input),
        cmocka_unit_test(weak_public_keys_are_refused),
        cmocka_unit_test(every_reason_has_its_own_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
