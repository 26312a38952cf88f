// Tests of a server's keys: epochs, replayed CONNECTs, and where the secrets are in memory.
#include "lib/testing.h"
#include "net/guard.h"
#include "net/seal_keys.h"

#include <sodium.h>
#include <string.h>

static seal_keys_t *new_keys(const uint8_t *secret) {
    err_t err = {{0}};
    seal_keys_t *keys = SealKeys_Create(secret, &err);
    assert_non_null(keys);
    return keys;
}

/// Returns a CONNECT of a client that has just received `offer`, and its pair.
static seal_connect_t new_connect(const seal_offer_t *offer, seal_pair_t *own) {
    assert_true(Seal_MakePair(own));
    seal_connect_t connect = {.epoch = offer->epoch, .cookie = 5, .connect_id = 6};
    memcpy(connect.client_public, own->public_key, SEAL_KEY_BYTES);
    return connect;
}

/// Returns the verdict about a CONNECT. An accepted one must have the client's keys.
static seal_why_t accept_why(seal_keys_t *keys, int64_t now_ms, const seal_connect_t *connect,
                             const seal_t *client) {
    seal_t seal;
    seal_why_t why = SEAL_FORGED;
    assert_true(SealKeys_Accept(keys, now_ms, connect, &seal, &why) == (why == SEAL_OK));
    if (why == SEAL_OK) {
        assert_memory_equal(seal.receive_key, client->send_key, SEAL_KEY_BYTES);
        assert_memory_equal(seal.send_key, client->receive_key, SEAL_KEY_BYTES);
    }
    return why;
}

static void a_secret_from_a_file_gives_the_same_server_key(void **state) {
    (void)state;
    uint8_t secret[32], public_key[32];
    memset(secret, 3, sizeof secret);
    crypto_scalarmult_base(public_key, secret);
    seal_keys_t *given = new_keys(secret), *made = new_keys(NULL), *other = new_keys(NULL);
    seal_offer_t offer = SealKeys_Public(given, 0);
    assert_memory_equal(offer.server_public, public_key, 32);
    assert_memory_not_equal(SealKeys_Public(made, 0).server_public,
                            SealKeys_Public(other, 0).server_public, 32);
    SealKeys_Destroy(given);
    SealKeys_Destroy(made);
    SealKeys_Destroy(other);
    SealKeys_Destroy(NULL);
}

static void an_epoch_key_is_valid_in_its_epoch_and_the_next(void **state) {
    (void)state;
    for (int64_t first = 254; first < 258; first++) { // the wire has its low 8 bits
        int64_t start_ms = first * GUARD_EPOCH_MS;
        seal_keys_t *keys = new_keys(NULL);
        seal_offer_t offer = SealKeys_Public(keys, start_ms);
        assert_int_equal(offer.epoch, first & 255);
        seal_offer_t again = SealKeys_Public(keys, start_ms + GUARD_EPOCH_MS - 1);
        assert_memory_equal(offer.epoch_public, again.epoch_public, 32);
        seal_pair_t own;
        seal_t client;
        seal_connect_t connect = new_connect(&offer, &own);
        assert_true(Seal_DeriveClient(&client, &own, &offer, &connect));
        assert_int_equal(accept_why(keys, start_ms, &connect, &client), SEAL_OK);

        seal_offer_t next = SealKeys_Public(keys, start_ms + GUARD_EPOCH_MS);
        assert_memory_not_equal(offer.epoch_public, next.epoch_public, 32);
        int64_t last_ms = start_ms + 2 * GUARD_EPOCH_MS - 1;
        assert_int_equal(accept_why(keys, last_ms, &connect, &client), SEAL_OK);
        assert_int_equal(accept_why(keys, last_ms + 1, &connect, &client), SEAL_EPOCH);
        // 256 epochs later the number is the same, the key is not.
        SealKeys_Public(keys, start_ms + 256 * GUARD_EPOCH_MS);
        seal_t seal;
        seal_why_t why;
        assert_true(SealKeys_Accept(keys, start_ms + 256 * GUARD_EPOCH_MS, &connect, &seal, &why));
        assert_memory_not_equal(seal.receive_key, client.send_key, 32);
        SealKeys_Destroy(keys);
    }
}

static void a_connect_for_an_epoch_without_key_is_refused(void **state) {
    (void)state;
    seal_keys_t *keys = new_keys(NULL);
    seal_pair_t own;
    for (int32_t epoch = 0; epoch < 256; epoch++) { // nobody asked for a key yet
        seal_offer_t offer = {.epoch = (uint8_t)epoch};
        seal_connect_t connect = new_connect(&offer, &own);
        assert_int_equal(accept_why(keys, 80000, &connect, NULL), SEAL_EPOCH);
    }
    seal_offer_t offer = SealKeys_Public(keys, 80000);
    seal_connect_t connect = new_connect(&offer, &own);
    memset(connect.client_public, 0, 32);
    assert_int_equal(accept_why(keys, 80000, &connect, NULL), SEAL_WEAK_KEY);
    SealKeys_Destroy(keys);
}

/// The memory of the keys, for a search. sodium_malloc puts a block at the end of its last page.
typedef struct {
    const uint8_t *start;
    size_t size;
} memory_t;

/// Returns the mapping around an address, and true if it is outside core dumps.
static bool is_not_dumped(const void *address, memory_t *memory) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    char line[512];
    bool is_inside = false, is_excluded = false;
    while (fgets(line, sizeof line, maps)) {
        unsigned long low = 0, high = 0;
        if (sscanf(line, "%lx-%lx ", &low, &high) == 2) {
            is_inside = (uintptr_t)address >= low && (uintptr_t)address < high;
            if (is_inside) {
                *memory = (memory_t){(const uint8_t *)low, high - low};
            }
        } else if (is_inside && strncmp(line, "VmFlags:", 8) == 0) {
            is_excluded = strstr(line, " dd") != NULL;
        }
    }
    fclose(maps);
    assert_non_null(memory->start);
    return is_excluded;
}

static void keys_are_outside_core_dumps(void **state) {
    (void)state;
    memory_t memory = {0};
    assert_false(is_not_dumped(&memory, &memory)); // the stack is in core dumps
    seal_keys_t *keys = new_keys(NULL);
    assert_true(is_not_dumped(keys, &memory));
    SealKeys_Destroy(keys);
    seal_t *seals = SealKeys_NewSeals(4095);
    assert_non_null(seals);
    static const seal_t erased;
    assert_true(is_not_dumped(seals, &memory));
    assert_true(is_not_dumped(seals + 4094, &memory));
    assert_memory_equal(seals, &erased, sizeof erased);
    assert_memory_equal(seals + 4094, &erased, sizeof erased);
    sodium_free(seals);
}

static void epoch_keys_are_erased_after_the_next_epoch(void **state) {
    (void)state;
    seal_keys_t *keys = new_keys(NULL);
    seal_offer_t offer = SealKeys_Public(keys, 0);
    memory_t memory = {0};
    is_not_dumped(keys, &memory);
    const uint8_t *pair = memmem(memory.start, memory.size, offer.epoch_public, 32);
    assert_non_null(pair); // a pair has its secret key after the public one
    uint8_t secret[32], check[32];
    memcpy(secret, pair + 32, 32);
    crypto_scalarmult_base(check, secret);
    assert_memory_equal(check, offer.epoch_public, 32);

    SealKeys_Advance(keys, 2 * GUARD_EPOCH_MS - 1);
    assert_non_null(memmem(memory.start, memory.size, secret, 32));
    SealKeys_Advance(keys, 2 * GUARD_EPOCH_MS);
    assert_null(memmem(memory.start, memory.size, secret, 32));
    assert_null(memmem(memory.start, memory.size, offer.epoch_public, 32));

    offer = SealKeys_Public(keys, 4 * GUARD_EPOCH_MS);
    assert_non_null(memmem(memory.start, memory.size, offer.epoch_public, 32));
    SealKeys_Public(keys, 7 * GUARD_EPOCH_MS); // a new key erases old ones, too
    assert_null(memmem(memory.start, memory.size, offer.epoch_public, 32));
    SealKeys_Destroy(keys);
}

static void an_accepted_connect_is_refused_as_long_as_its_key_lives(void **state) {
    (void)state;
    seal_keys_t *keys = new_keys(NULL);
    seal_offer_t offer = SealKeys_Public(keys, GUARD_EPOCH_MS - 1);
    seal_pair_t own;
    seal_t client;
    seal_connect_t connect = new_connect(&offer, &own);
    assert_true(Seal_DeriveClient(&client, &own, &offer, &connect));
    int64_t now_ms = GUARD_EPOCH_MS - 1;
    // Not remembered: an admission that failed may be repeated.
    assert_int_equal(accept_why(keys, now_ms, &connect, &client), SEAL_OK);
    assert_int_equal(accept_why(keys, now_ms, &connect, &client), SEAL_OK);
    SealKeys_Remember(keys, now_ms, &connect);
    for (; now_ms < 2 * GUARD_EPOCH_MS; now_ms += 500) {
        assert_int_equal(accept_why(keys, now_ms, &connect, &client), SEAL_REPEATED);
        connect.cookie++; // only the public key counts
    }
    assert_int_equal(accept_why(keys, 2 * GUARD_EPOCH_MS, &connect, &client), SEAL_EPOCH);
    SealKeys_Destroy(keys);
}

static void a_full_cache_refuses_until_entries_expire(void **state) {
    (void)state;
    seal_keys_t *keys = new_keys(NULL);
    seal_connect_t entry = {.epoch = 0};
    for (int64_t epoch = 0; epoch < 6; epoch++) { // the ring wraps
        int64_t now_ms = epoch * GUARD_EPOCH_MS;
        seal_offer_t offer = SealKeys_Public(keys, now_ms);
        seal_pair_t own;
        seal_t client;
        seal_connect_t fresh = new_connect(&offer, &own);
        assert_true(Seal_DeriveClient(&client, &own, &offer, &fresh));
        assert_int_equal(accept_why(keys, now_ms, &fresh, &client), SEAL_OK);
        if (epoch > 0) { // the newest of the epoch before is not expired
            entry.epoch = offer.epoch;
            assert_int_equal(accept_why(keys, now_ms, &entry, NULL), SEAL_REPEATED);
        }
        // Even epochs fill three quarters, odd ones the rest.
        for (int32_t i = 0; i < (epoch % 2 == 0 ? 3072 : 1024); i++) {
            memcpy(entry.client_public, &now_ms, sizeof now_ms);
            memcpy(entry.client_public + 8, &i, sizeof i);
            SealKeys_Remember(keys, now_ms, &entry);
        }
        seal_why_t why = epoch == 0 ? SEAL_OK : SEAL_CACHE_FULL;
        assert_int_equal(accept_why(keys, now_ms, &fresh, &client), why);
        assert_int_equal(accept_why(keys, now_ms + GUARD_EPOCH_MS - 1, &fresh, &client), why);
    }
    SealKeys_Destroy(keys);
}

int main(void) {
    if (sodium_init() < 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_from_a_file_gives_the_same_server_key),
        cmocka_unit_test(an_epoch_key_is_valid_in_its_epoch_and_the_next),
        cmocka_unit_test(a_connect_for_an_epoch_without_key_is_refused),
        cmocka_unit_test(keys_are_outside_core_dumps),
        cmocka_unit_test(epoch_keys_are_erased_after_the_next_epoch),
        cmocka_unit_test(an_accepted_connect_is_refused_as_long_as_its_key_lives),
        cmocka_unit_test(a_full_cache_refuses_until_entries_expire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
