// Compares the seal with tests/protocol/seal_vectors.txt, which tests/protocol/seal.py reads, too.
// GOLDEN=1 writes the file.
#include "lib/golden_fixture.h"
#include "lib/testing.h"
#include "net/seal.h"

#include <sodium.h>
#include <string.h>

static void print_bytes(test_golden_t *golden, const char *name, const uint8_t *data, size_t size) {
    TestGolden_Print(golden, "%s ", name);
    for (size_t i = 0; i < size; i++) {
        TestGolden_Print(golden, "%02x", data[i]);
    }
    TestGolden_Print(golden, "\n");
}

static seal_pair_t print_pair(test_golden_t *golden, const char *name, uint8_t first) {
    seal_pair_t pair;
    for (size_t i = 0; i < SEAL_KEY_BYTES; i++) {
        pair.secret_key[i] = (uint8_t)(first + i);
    }
    Seal_CompletePair(&pair);
    char line[64];
    snprintf(line, sizeof line, "%s_secret", name);
    print_bytes(golden, line, pair.secret_key, SEAL_KEY_BYTES);
    snprintf(line, sizeof line, "%s_public", name);
    print_bytes(golden, line, pair.public_key, SEAL_KEY_BYTES);
    return pair;
}

/// Prints what an implementation computes on the path to its keys.
static void print_keys(test_golden_t *golden, const seal_pair_t *own, const seal_offer_t *offer,
                       const seal_connect_t *connect) {
    uint8_t input[13 + 5 * 32 + 8] = "edictd seal 1", keys[64];
    assert_int_equal(crypto_scalarmult(input + 13, own->secret_key, offer->server_public), 0);
    assert_int_equal(crypto_scalarmult(input + 45, own->secret_key, offer->epoch_public), 0);
    memcpy(input + 77, own->public_key, 32);
    memcpy(input + 109, offer->epoch_public, 32);
    memcpy(input + 141, offer->server_public, 32);
    for (int32_t i = 0; i < 4; i++) {
        input[173 + i] = (uint8_t)(connect->cookie >> (24 - 8 * i));
        input[177 + i] = (uint8_t)(connect->connect_id >> (24 - 8 * i));
    }
    crypto_generichash(keys, sizeof keys, input, sizeof input, NULL, 0);
    print_bytes(golden, "es", input + 13, 32);
    print_bytes(golden, "ee", input + 45, 32);
    print_bytes(golden, "key_to_server", keys, 32);
    print_bytes(golden, "key_to_client", keys + 32, 32);
}

/// Prints a datagram of `size` bytes, sealed with number `seq`.
static void print_datagram(test_golden_t *golden, seal_t *seal, const seal_connect_t *connect,
                           uint64_t seq, size_t size) {
    static const char *const directions[] = {"to_client", "to_server"};
    uint8_t plain[64], sealed[64 + SEAL_CONNECT_EXTRA];
    for (size_t i = 0; i < size; i++) {
        plain[i] = (uint8_t)((i * 5 + seq) & 0xbf);
    }
    seal->next_seq = seq;
    bool is_connect = connect && seq < 2;
    size_t sealed_size = is_connect ? Seal_WriteConnect(seal, connect, plain, size, sealed)
                                    : Seal_Write(seal, plain, size, sealed);
    TestGolden_Print(golden, "\n%s %llu\n", is_connect ? "connect" : directions[connect != NULL],
                     (unsigned long long)seq);
    print_bytes(golden, "plain", plain, size);
    print_bytes(golden, "sealed", sealed, sealed_size);
}

static void the_seal_equals_the_vectors(void **state) {
    (void)state;
    test_golden_t golden = {0};
    TestGolden_Print(&golden,
                     "# Test vectors of the seal, common/net/README.md. Bytes are in hex. The\n"
                     "# receiver gets the datagrams in this order, and each of them opens.\n");
    seal_pair_t server = print_pair(&golden, "server", 1);
    seal_pair_t epoch = print_pair(&golden, "epoch", 101);
    seal_pair_t client = print_pair(&golden, "client", 201);
    seal_offer_t offer = {.epoch = 77};
    seal_connect_t connect = {.epoch = 77, .cookie = 0x01020304, .connect_id = 0xa0b0c0d0};
    memcpy(offer.server_public, server.public_key, SEAL_KEY_BYTES);
    memcpy(offer.epoch_public, epoch.public_key, SEAL_KEY_BYTES);
    memcpy(connect.client_public, client.public_key, SEAL_KEY_BYTES);
    TestGolden_Print(&golden, "epoch %d\ncookie %u\nconnect_id %u\n", connect.epoch, connect.cookie,
                     connect.connect_id);
    print_keys(&golden, &client, &offer, &connect);

    seal_t up, down;
    assert_true(Seal_DeriveClient(&up, &client, &offer, &connect));
    assert_true(Seal_DeriveServer(&down, &server, &epoch, &connect));
    // The CONNECT and its repetition, reordered datagrams, the wrap of the low half.
    static const uint64_t up_seqs[] = {
        1, 0, 2, 5, 3, 0x80000000, 0xfffffffa, 0x100000001ull, 0xffffffff};
    for (size_t i = 0; i < sizeof up_seqs / sizeof *up_seqs; i++) {
        print_datagram(&golden, &up, &connect, up_seqs[i], i < 2 ? 56 : 2 + i * 3);
    }
    for (uint64_t seq = 0; seq < 3; seq++) {
        print_datagram(&golden, &down, NULL, seq, 12);
    }
    assert_true(TestGolden_Check(&golden, "../protocol/seal_vectors.txt"));
}

int main(void) {
    if (sodium_init() < 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_seal_equals_the_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
