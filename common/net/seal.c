#include "net/seal.h"

#include "base/assert.h"
#include "net/wire.h"

#include <sodium.h>
#include <string.h>

_Static_assert(SEAL_KEY_BYTES == crypto_scalarmult_BYTES &&
                   SEAL_KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES,
               "all keys of the seal have one size");
_Static_assert(SEAL_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES,
               "SEAL_TAG_BYTES must be the size of a Poly1305 tag");

#define SEAL_HEADER_BYTES 6 // of a sealed datagram: ENet's first u16, sequence number
#define KEPT_BYTES        2 // ENet's first u16 stays readable: it names the peer

// Offsets in a sealed CONNECT.
#define WORD_AT       4
#define WORD          "sealed"
#define VERSION_AT    10
#define EPOCH_AT      11
#define COOKIE_AT     12
#define CONNECT_ID_AT 16
#define PUBLIC_KEY_AT 20
#define ADDRESS_AT    52
#define ADDRESS_BYTES 18
#define SEQUENCE_AT   70

bool Seal_MakePair(seal_pair_t *pair) {
    if (sodium_init() < 0) {
        return false;
    }
    randombytes_buf(pair->secret_key, sizeof pair->secret_key);
    Seal_CompletePair(pair);
    return true;
}

void Seal_CompletePair(seal_pair_t *pair) {
    crypto_scalarmult_base(pair->public_key, pair->secret_key);
}

/// Returns the key of one direction. XChaCha20-Poly1305 derives a subkey from its key and the first
/// 16 bytes of the nonce. Those are always zero here, so the subkey is derived once.
static void subkey(uint8_t key[SEAL_KEY_BYTES], const uint8_t *secret) {
    static const uint8_t zeros[crypto_core_hchacha20_INPUTBYTES];
    crypto_core_hchacha20(key, zeros, secret, NULL);
}

/// Derives both keys from the shared secrets es and ee.
static void derive(seal_t *seal, const uint8_t shared[2 * SEAL_KEY_BYTES],
                   const seal_offer_t *offer, const seal_connect_t *connect, bool is_client) {
    static const uint8_t label[13] = "edictd seal 1";
    uint8_t keys[2][SEAL_KEY_BYTES], numbers[8];
    Wire_WriteU32(numbers, connect->cookie);
    Wire_WriteU32(numbers + 4, connect->connect_id);
    crypto_generichash_state hash;
    crypto_generichash_init(&hash, NULL, 0, sizeof keys);
    crypto_generichash_update(&hash, label, sizeof label);
    crypto_generichash_update(&hash, shared, 2 * SEAL_KEY_BYTES);
    crypto_generichash_update(&hash, connect->client_public, SEAL_KEY_BYTES);
    crypto_generichash_update(&hash, offer->epoch_public, SEAL_KEY_BYTES);
    crypto_generichash_update(&hash, offer->server_public, SEAL_KEY_BYTES);
    crypto_generichash_update(&hash, numbers, sizeof numbers);
    crypto_generichash_final(&hash, keys[0], sizeof keys);
    subkey(seal->send_key, keys[is_client ? 0 : 1]);
    subkey(seal->receive_key, keys[is_client ? 1 : 0]);
    seal->is_on = true;
    sodium_memzero(keys, sizeof keys);
    sodium_memzero(&hash, sizeof hash);
}

bool Seal_DeriveClient(seal_t *seal, const seal_pair_t *own, const seal_offer_t *offer,
                       const seal_connect_t *connect) {
    sodium_memzero(seal, sizeof *seal);
    uint8_t shared[2 * SEAL_KEY_BYTES];
    bool is_good =
        crypto_scalarmult(shared, own->secret_key, offer->server_public) == 0 &&
        crypto_scalarmult(shared + SEAL_KEY_BYTES, own->secret_key, offer->epoch_public) == 0;
    if (is_good) {
        derive(seal, shared, offer, connect, true);
    }
    sodium_memzero(shared, sizeof shared);
    return is_good;
}

bool Seal_DeriveServer(seal_t *seal, const seal_pair_t *server, const seal_pair_t *epoch,
                       const seal_connect_t *connect) {
    sodium_memzero(seal, sizeof *seal);
    uint8_t shared[2 * SEAL_KEY_BYTES];
    bool is_good =
        crypto_scalarmult(shared, server->secret_key, connect->client_public) == 0 &&
        crypto_scalarmult(shared + SEAL_KEY_BYTES, epoch->secret_key, connect->client_public) == 0;
    if (is_good) {
        seal_offer_t offer;
        memcpy(offer.epoch_public, epoch->public_key, SEAL_KEY_BYTES);
        memcpy(offer.server_public, server->public_key, SEAL_KEY_BYTES);
        derive(seal, shared, &offer, connect, false);
    }
    sodium_memzero(shared, sizeof shared);
    return is_good;
}

/// The last 8 bytes of the nonce are the sequence number; the others are zero.
#define NONCE_BYTES crypto_aead_chacha20poly1305_ietf_NPUBBYTES

static void write_nonce(uint8_t nonce[NONCE_BYTES], uint64_t seq) {
    memset(nonce, 0, NONCE_BYTES);
    Wire_WriteU32(nonce + NONCE_BYTES - 8, (uint32_t)(seq >> 32));
    Wire_WriteU32(nonce + NONCE_BYTES - 4, (uint32_t)seq);
}

/// Encrypts `size` bytes to the place after a header, which the tag covers.
static void encrypt(seal_t *seal, uint8_t *out, size_t header_size, const uint8_t *data,
                    size_t size) {
    uint8_t nonce[NONCE_BYTES];
    write_nonce(nonce, seal->next_seq++);
    crypto_aead_chacha20poly1305_ietf_encrypt(out + header_size, NULL, data, size, out, header_size,
                                              NULL, nonce, seal->send_key);
}

size_t Seal_Write(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out) {
    ASSERT(seal->is_on && size >= KEPT_BYTES);
    if (seal->next_seq == UINT64_MAX) {
        return 0;
    }
    Wire_WriteU16(out, Wire_ReadU16(data) | WIRE_FLAG_COMPRESSED);
    Wire_WriteU32(out + KEPT_BYTES, (uint32_t)seal->next_seq);
    encrypt(seal, out, SEAL_HEADER_BYTES, data + KEPT_BYTES, size - KEPT_BYTES);
    return size + SEAL_EXTRA_BYTES;
}

size_t Seal_WriteConnect(seal_t *seal, const seal_connect_t *connect, const uint8_t *data,
                         size_t size, uint8_t *out) {
    ASSERT(seal->is_on);
    memset(out, 0xff, WIRE_OOB_BYTES);
    memcpy(out + WORD_AT, WORD, sizeof WORD - 1);
    out[VERSION_AT] = SEAL_VERSION;
    out[EPOCH_AT] = connect->epoch;
    Wire_WriteU32(out + COOKIE_AT, connect->cookie);
    Wire_WriteU32(out + CONNECT_ID_AT, connect->connect_id);
    memcpy(out + PUBLIC_KEY_AT, connect->client_public, SEAL_KEY_BYTES);
    memset(out + ADDRESS_AT, 0, ADDRESS_BYTES);
    Wire_WriteU32(out + SEQUENCE_AT, (uint32_t)seal->next_seq);
    encrypt(seal, out, SEAL_CONNECT_AT, data, size);
    return size + SEAL_CONNECT_EXTRA;
}

/// Returns SEAL_OK if `seq` was not opened yet, as far as the window shows.
static seal_why_t check_sequence(const seal_t *seal, uint64_t seq) {
    if (seq > seal->top_seq) {
        return SEAL_OK;
    }
    if (seal->top_seq - seq >= SEAL_WINDOW) {
        return SEAL_OLD;
    }
    return seal->window[seq % SEAL_WINDOW / 64] >> seq % 64 & 1 ? SEAL_REPLAYED : SEAL_OK;
}

/// Marks `seq` as opened, and advances the window if it is the newest.
static void mark(seal_t *seal, uint64_t seq) {
    if (seq > seal->top_seq) {
        uint64_t skipped = seq - seal->top_seq;
        for (uint64_t i = 0; i < skipped && i < SEAL_WINDOW; i++) {
            seal->window[(seq - i) % SEAL_WINDOW / 64] &= ~(1ull << (seq - i) % 64);
        }
        seal->top_seq = seq;
    }
    seal->window[seq % SEAL_WINDOW / 64] |= 1ull << seq % 64;
}

/// Opens the bytes after a header into `out`. Returns SEAL_OK, or the reason to drop the datagram.
static seal_why_t decrypt(seal_t *seal, uint64_t seq, const uint8_t *data, size_t size,
                          size_t header_size, uint8_t *out) {
    seal_why_t why = check_sequence(seal, seq);
    if (why != SEAL_OK) {
        return why;
    }
    uint8_t nonce[NONCE_BYTES];
    write_nonce(nonce, seq);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, data + header_size,
                                                  size - header_size, data, header_size, nonce,
                                                  seal->receive_key) != 0) {
        return SEAL_FORGED;
    }
    mark(seal, seq);
    return SEAL_OK;
}

size_t Seal_Open(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out, seal_why_t *why) {
    ASSERT(seal->is_on);
    *why = SEAL_SHORT;
    if (size < KEPT_BYTES + SEAL_EXTRA_BYTES) {
        return 0;
    }
    uint32_t header = Wire_ReadU16(data);
    if (!(header & WIRE_FLAG_COMPRESSED)) {
        *why = SEAL_PLAIN;
        return 0;
    }
    // The nearest number to the newest one whose low half is this.
    uint32_t ahead = Wire_ReadU32(data + KEPT_BYTES) - (uint32_t)seal->top_seq;
    uint64_t seq = seal->top_seq + (uint64_t)(int64_t)(int32_t)ahead;
    *why = decrypt(seal, seq, data, size, SEAL_HEADER_BYTES, out + KEPT_BYTES);
    if (*why != SEAL_OK) {
        return 0;
    }
    Wire_WriteU16(out, header & ~WIRE_FLAG_COMPRESSED);
    return size - SEAL_EXTRA_BYTES;
}

bool Seal_ReadConnect(const uint8_t *data, size_t size, seal_connect_t *connect) {
    if (size <= SEAL_CONNECT_EXTRA || Wire_ReadU32(data) != 0xffffffffu ||
        memcmp(data + WORD_AT, WORD, sizeof WORD - 1) != 0 || data[VERSION_AT] != SEAL_VERSION) {
        return false;
    }
    connect->epoch = data[EPOCH_AT];
    connect->cookie = Wire_ReadU32(data + COOKIE_AT);
    connect->connect_id = Wire_ReadU32(data + CONNECT_ID_AT);
    memcpy(connect->client_public, data + PUBLIC_KEY_AT, SEAL_KEY_BYTES);
    return true;
}

size_t Seal_OpenConnect(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out,
                        seal_why_t *why) {
    ASSERT(seal->is_on && size > SEAL_CONNECT_EXTRA);
    *why = decrypt(seal, Wire_ReadU32(data + SEQUENCE_AT), data, size, SEAL_CONNECT_AT, out);
    return *why == SEAL_OK ? size - SEAL_CONNECT_EXTRA : 0;
}

const char *Seal_WhyText(seal_why_t why) {
    static const char *const texts[SEAL_WHY_COUNT] = {
        [SEAL_OK] = "ok",
        [SEAL_SHORT] = "too short for a sealed datagram",
        [SEAL_PLAIN] = "plain, for a peer that is sealed",
        [SEAL_UNEXPECTED] = "sealed, for a peer that is not",
        [SEAL_OLD] = "sealed, but too old",
        [SEAL_REPLAYED] = "sealed, but received before",
        [SEAL_FORGED] = "sealed with another key, or changed",
        [SEAL_EPOCH] = "sealed connect for an expired key",
        [SEAL_WEAK_KEY] = "sealed connect with a weak public key",
        [SEAL_REPEATED] = "sealed connect that was accepted before",
        [SEAL_CACHE_FULL] = "sealed connect, but too many were accepted lately",
        [SEAL_MISMATCH] = "sealed connect with another cookie or connectID inside",
    };
    return why >= 0 && why < SEAL_WHY_COUNT ? texts[why] : "unknown";
}
