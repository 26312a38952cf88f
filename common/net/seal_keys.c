#include "net/seal_keys.h"

#include "base/assert.h"
#include "net/guard.h"

#include <sodium.h>
#include <string.h>

/// The key pair of one epoch; all zero if it was erased.
typedef struct {
    seal_pair_t pair;
    int64_t epoch;
} epoch_key_t;

/// A CONNECT that was accepted.
typedef struct {
    uint64_t hash;         ///< of the client's public key
    int64_t expires_epoch; ///< its epoch key has expired
} accepted_t;

struct seal_keys_s {
    seal_pair_t server;
    epoch_key_t epochs[2]; ///< by epoch % 2
    uint8_t hash_key[crypto_shorthash_KEYBYTES];
    accepted_t accepted[SEAL_MAX_ACCEPTED]; ///< a ring, oldest first
    int32_t first, count;                   ///< the oldest one in the ring, and how many
};

/// Returns zeroed memory outside core dumps: libsodium locks it if the system allows.
static void *new_secret(size_t count, size_t size) {
    void *memory = sodium_init() < 0 ? NULL : sodium_allocarray(count, size);
    if (memory) {
        sodium_memzero(memory, count * size);
    }
    return memory;
}

seal_t *SealKeys_NewSeals(int32_t count) {
    return new_secret((size_t)count, sizeof(seal_t));
}

seal_keys_t *SealKeys_Create(const uint8_t *secret, err_t *err) {
    seal_keys_t *keys = new_secret(1, sizeof *keys);
    if (!keys) {
        Err_Set(err, "network: no memory for keys, or libsodium finds no source of randomness");
        return NULL;
    }
    keys->epochs[0].epoch = keys->epochs[1].epoch = INT64_MIN;
    randombytes_buf(keys->hash_key, sizeof keys->hash_key);
    if (secret) {
        memcpy(keys->server.secret_key, secret, SEAL_KEY_BYTES);
        Seal_CompletePair(&keys->server);
    } else {
        Seal_MakePair(&keys->server);
    }
    return keys;
}

void SealKeys_Destroy(seal_keys_t *keys) {
    sodium_free(keys);
}

void SealKeys_Advance(seal_keys_t *keys, int64_t now_ms) {
    int64_t epoch = now_ms / GUARD_EPOCH_MS;
    for (int32_t i = 0; i < 2; i++) {
        epoch_key_t *key = &keys->epochs[i];
        if (key->epoch != INT64_MIN && key->epoch < epoch - 1) {
            sodium_memzero(key, sizeof *key);
            key->epoch = INT64_MIN;
        }
    }
    while (keys->count > 0 && keys->accepted[keys->first].expires_epoch <= epoch) {
        keys->first = (keys->first + 1) % SEAL_MAX_ACCEPTED;
        keys->count--;
    }
}

seal_offer_t SealKeys_Public(seal_keys_t *keys, int64_t now_ms) {
    SealKeys_Advance(keys, now_ms);
    int64_t epoch = now_ms / GUARD_EPOCH_MS;
    epoch_key_t *key = &keys->epochs[epoch & 1];
    if (key->epoch != epoch) {
        Seal_MakePair(&key->pair);
        key->epoch = epoch;
    }
    seal_offer_t offer = {.epoch = (uint8_t)epoch};
    memcpy(offer.epoch_public, key->pair.public_key, SEAL_KEY_BYTES);
    memcpy(offer.server_public, keys->server.public_key, SEAL_KEY_BYTES);
    return offer;
}

static uint64_t hash_of(const seal_keys_t *keys, const seal_connect_t *connect) {
    uint8_t bytes[crypto_shorthash_BYTES];
    crypto_shorthash(bytes, connect->client_public, SEAL_KEY_BYTES, keys->hash_key);
    uint64_t hash = 0;
    memcpy(&hash, bytes, sizeof hash);
    return hash;
}

static bool was_accepted(const seal_keys_t *keys, const seal_connect_t *connect) {
    uint64_t hash = hash_of(keys, connect);
    for (int32_t i = 0; i < keys->count; i++) {
        if (keys->accepted[(keys->first + i) % SEAL_MAX_ACCEPTED].hash == hash) {
            return true;
        }
    }
    return false;
}

bool SealKeys_Accept(seal_keys_t *keys, int64_t now_ms, const seal_connect_t *connect, seal_t *seal,
                     seal_why_t *why) {
    SealKeys_Advance(keys, now_ms);
    // The epoch is one of the last two, so its lowest bit names it.
    const epoch_key_t *key = &keys->epochs[connect->epoch & 1];
    if (key->epoch == INT64_MIN || (uint8_t)key->epoch != connect->epoch) {
        *why = SEAL_EPOCH;
    } else if (was_accepted(keys, connect)) {
        *why = SEAL_REPEATED;
    } else if (keys->count == SEAL_MAX_ACCEPTED) {
        *why = SEAL_CACHE_FULL;
    } else if (!Seal_DeriveServer(seal, &keys->server, &key->pair, connect)) {
        *why = SEAL_WEAK_KEY;
    } else {
        *why = SEAL_OK;
    }
    return *why == SEAL_OK;
}

void SealKeys_Remember(seal_keys_t *keys, int64_t now_ms, const seal_connect_t *connect) {
    ASSERT(keys->count < SEAL_MAX_ACCEPTED); // SealKeys_Accept found room
    int32_t at = (keys->first + keys->count++) % SEAL_MAX_ACCEPTED;
    // The newest key that it can name ends with the next epoch.
    keys->accepted[at] = (accepted_t){hash_of(keys, connect), now_ms / GUARD_EPOCH_MS + 2};
}
