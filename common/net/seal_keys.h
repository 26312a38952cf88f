/// net/seal_keys.h - a server's keys, and which sealed CONNECTs it accepted.
//
// Units:   ms of the caller's monotonic clock.
// Memory:  created once, outside core dumps.
//
//   server key:  from the key file, as long as its owner wants
//   epoch key:   random, for GUARD_EPOCH_MS; valid in its epoch and the next, then erased. A
//                session that was recorded earlier can no longer be opened by anybody.

#ifndef EDICTD_NET_SEAL_KEYS_H
#define EDICTD_NET_SEAL_KEYS_H

#include "base/err.h"
#include "net/seal.h"

EXTERN_C_BEGIN

#define SEAL_MAX_ACCEPTED 4096 // CONNECTs accepted in two epochs; further ones are dropped

typedef struct seal_keys_s seal_keys_t;

/// Creates the keys of a server. `secret`: SEAL_KEY_BYTES, or NULL for random ones. Returns NULL
/// with the reason.
seal_keys_t *SealKeys_Create(const uint8_t *secret, err_t *err);

/// Erases and frees the keys. NULL is allowed.
void SealKeys_Destroy(seal_keys_t *keys);

/// Erases expired epoch keys. Call it at each poll; the other functions do it, too.
void SealKeys_Advance(seal_keys_t *keys, int64_t now_ms);

/// Returns the public keys of now. Makes a new epoch key if needed (25 us).
seal_offer_t SealKeys_Public(seal_keys_t *keys, int64_t now_ms);

/// Derives the seal of a CONNECT, whose cookie was checked before (70 us). Returns false, with the
/// reason, if it must be dropped.
bool SealKeys_Accept(seal_keys_t *keys, int64_t now_ms, const seal_connect_t *connect, seal_t *seal,
                     seal_why_t *why);

/// Remembers a CONNECT that opened and was admitted: SealKeys_Accept rejects it from now on.
void SealKeys_Remember(seal_keys_t *keys, int64_t now_ms, const seal_connect_t *connect);

/// Returns `count` erased seals outside core dumps, or NULL. Free them with sodium_free.
seal_t *SealKeys_NewSeals(int32_t count);

EXTERN_C_END

#endif
