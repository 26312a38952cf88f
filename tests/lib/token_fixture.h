/// token_fixture.h - tokens of a signer whose secret the tests know.

#ifndef EDICTD_TESTS_TOKEN_FIXTURE_H
#define EDICTD_TESTS_TOKEN_FIXTURE_H

#include "base/assert.h"
#include "core/token.h"

#include <sodium.h>
#include <stdio.h>

#define TEST_TOKEN_NOW  INT64_C(1795438800)                           // 2026-11-23T13:00:00Z
#define TEST_TOKEN_KEY  "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg" // of the seed 0, 1, ... 31
#define TEST_TOKEN_KEY2 "ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ" // of the seed 1, 2, ... 32

/// A player for whom a token is signed.
typedef struct {
    const char *id;
    const char *name; ///< NULL = none
    const char *jti;
    int32_t for_s;          ///< from TEST_TOKEN_NOW until it expires, at most a minute
    uint8_t server_key[32]; ///< public key of the server
    int32_t signer;         ///< 0 or 1: TEST_TOKEN_KEY or TEST_TOKEN_KEY2
} test_token_t;

/// Signs any claims.
static inline void TestToken_Sign(const char *claims, int32_t signer, char token[PASETO_BYTES]) {
    uint8_t seed[PASETO_SEED_BYTES];
    for (size_t i = 0; i < sizeof seed; i++) {
        seed[i] = (uint8_t)(i + (size_t)signer);
    }
    bool fits = Paseto_Sign(claims, seed, token);
    ASSERT(fits);
}

static inline void TestToken_Make(const test_token_t *player, char token[PASETO_BYTES]) {
    char claims[PASETO_MESSAGE_BYTES], server[64], name[64] = "";
    sodium_bin2base64(server, sizeof server, player->server_key, sizeof player->server_key,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    if (player->name) {
        snprintf(name, sizeof name, ",\"name\":\"%s\"", player->name);
    }
    snprintf(claims, sizeof claims,
             "{\"sub\":\"%s\",\"jti\":\"%s\",\"aud\":\"%s\",\"exp\":\"2026-11-23T13:00:%02dZ\"%s}",
             player->id, player->jti, server, player->for_s, name);
    TestToken_Sign(claims, player->signer, token);
}

#endif
