/// net/paseto.h - signed texts: PASETO v4.public with Ed25519 and an empty implicit assertion.
//
// A token is "v4.public.", then the base64url of the message and its 64 bytes of signature, then
// optionally "." and the base64url of a footer. The footer is signed, too.

#ifndef EDICTD_NET_PASETO_H
#define EDICTD_NET_PASETO_H

#include "base/types.h"

EXTERN_C_BEGIN

#define PASETO_BYTES         1025 // longest token with its NUL; fits in a HELLO
#define PASETO_MESSAGE_BYTES 768  // above the longest message of such a token, with a NUL
#define PASETO_KEY_BYTES     32   // Ed25519 public key
#define PASETO_SEED_BYTES    32   // Ed25519 secret seed

typedef enum { PASETO_GOOD, PASETO_MALFORMED, PASETO_UNKNOWN_SIGNER } paseto_result_t;

/// Writes the message of a token that one of `count` public keys has signed, with a NUL after it.
paseto_result_t Paseto_Open(const char *token, const uint8_t (*keys)[PASETO_KEY_BYTES],
                            int32_t count, char message[PASETO_MESSAGE_BYTES], size_t *size);

/// Writes a token without footer. Returns false if it would exceed PASETO_BYTES.
bool Paseto_Sign(const char *message, const uint8_t seed[PASETO_SEED_BYTES],
                 char token[PASETO_BYTES]);

EXTERN_C_END

#endif
