/// net/seal.h - encrypts and authenticates the datagrams between a client and a server.
//
// Position: guard, seal, filter, ENet. README.md, "The seal", draws every byte.
// Memory:   the caller's. seal_t and seal_pair_t hold secrets: sodium_malloc keeps them out of core
//           dumps, sodium_memzero erases them.

#ifndef EDICTD_NET_SEAL_H
#define EDICTD_NET_SEAL_H

#include "base/types.h"

EXTERN_C_BEGIN

#define SEAL_KEY_BYTES     32 // X25519 keys, and the keys of both directions
#define SEAL_TAG_BYTES     16
#define SEAL_EXTRA_BYTES   20  // a sealed datagram is that much longer
#define SEAL_CONNECT_AT    74  // a sealed CONNECT: encrypted from here
#define SEAL_CONNECT_EXTRA 90  // a sealed CONNECT is that much longer
#define SEAL_WINDOW        256 // datagrams that may arrive in any order
#define SEAL_VERSION       1   // of the sealed CONNECT

/// The seal of one peer: keys and sequence numbers of both directions.
typedef struct {
    uint8_t send_key[SEAL_KEY_BYTES], receive_key[SEAL_KEY_BYTES];
    uint64_t next_seq;                 ///< of the next datagram to send
    uint64_t top_seq;                  ///< highest sequence number that was opened
    uint64_t window[SEAL_WINDOW / 64]; ///< bit seq % SEAL_WINDOW: opened; up to top_seq
    bool is_on;                        ///< the keys are derived
} seal_t;

/// An X25519 key pair.
typedef struct {
    uint8_t public_key[SEAL_KEY_BYTES], secret_key[SEAL_KEY_BYTES];
} seal_pair_t;

/// The keys that a server offers in its cookie reply.
typedef struct {
    uint8_t epoch; ///< low 8 bits of the key epoch
    uint8_t epoch_public[SEAL_KEY_BYTES], server_public[SEAL_KEY_BYTES];
} seal_offer_t;

/// The readable part of a sealed CONNECT.
typedef struct {
    uint8_t epoch; ///< repeated from the offer
    uint32_t cookie, connect_id;
    uint8_t client_public[SEAL_KEY_BYTES]; ///< made for this session only
} seal_connect_t;

/// Reasons to drop a datagram.
typedef enum {
    SEAL_OK,
    SEAL_SHORT,      ///< too short for header and tag
    SEAL_PLAIN,      ///< not sealed, for a peer that is
    SEAL_UNEXPECTED, ///< sealed, for a peer that is not
    SEAL_OLD,        ///< more than SEAL_WINDOW behind the newest
    SEAL_REPLAYED,   ///< opened before
    SEAL_FORGED,     ///< does not open
    SEAL_EPOCH,      ///< a CONNECT for an expired epoch key
    SEAL_WEAK_KEY,   ///< a CONNECT whose public key makes the secret predictable
    SEAL_REPEATED,   ///< a CONNECT whose public key was accepted before
    SEAL_CACHE_FULL, ///< no room to remember another CONNECT
    SEAL_MISMATCH,   ///< a CONNECT whose inner cookie or connectID differs from the outer one
    SEAL_WHY_COUNT
} seal_why_t;

/// Makes a random key pair. Returns false if libsodium cannot start.
bool Seal_MakePair(seal_pair_t *pair);

/// Computes the public key of pair->secret_key.
void Seal_CompletePair(seal_pair_t *pair);

/// Derives the keys of a session, at a client from its own pair. Returns false, with *seal erased,
/// if a public key of the offer makes the secret predictable. connect->client_public must be
/// own->public_key.
bool Seal_DeriveClient(seal_t *seal, const seal_pair_t *own, const seal_offer_t *offer,
                       const seal_connect_t *connect);

/// Like Seal_DeriveClient, at a server.
bool Seal_DeriveServer(seal_t *seal, const seal_pair_t *server, const seal_pair_t *epoch,
                       const seal_connect_t *connect);

/// Seals ENet's datagram of at least 2 bytes into out[size + SEAL_EXTRA_BYTES], which must not
/// overlap. Returns the size, or 0 after the last sequence number.
size_t Seal_Write(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out);

/// Opens a sealed datagram into out[size - SEAL_EXTRA_BYTES], which must not overlap. Returns the
/// size, or 0 with the reason to drop it. Only a datagram that opens changes `seal`.
size_t Seal_Open(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out, seal_why_t *why);

/// Seals ENet's CONNECT into out[size + SEAL_CONNECT_EXTRA]. Returns the size. A repeated CONNECT
/// must be sealed again.
size_t Seal_WriteConnect(seal_t *seal, const seal_connect_t *connect, const uint8_t *data,
                         size_t size, uint8_t *out);

/// Reads the readable part. Returns false if the datagram is no sealed CONNECT of SEAL_VERSION.
bool Seal_ReadConnect(const uint8_t *data, size_t size, seal_connect_t *connect);

/// Opens a sealed CONNECT that Seal_ReadConnect read, like Seal_Open. The caller compares cookie
/// and connectID with the inner ones.
size_t Seal_OpenConnect(seal_t *seal, const uint8_t *data, size_t size, uint8_t *out,
                        seal_why_t *why);

/// Returns a reason in words.
const char *Seal_WhyText(seal_why_t why);

EXTERN_C_END

#endif
