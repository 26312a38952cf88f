// fuzz_token.c - any text as a token, as signed claims, or as a ticket.
//
// Input:      u8 kind (0 = token or ticket, 1 = claims that get a good signature, 2 = times: the
//             text becomes exp), then the text up to a NUL.
// Invariants: a refusal has a reason and no player. An accepted player has a valid id and name and
//             a time in range, and its ticket comes back equal.

#include "base/assert.h"
#include "core/token.h"

#include <stdio.h>
#include <string.h>

#define NOW    INT64_C(1795438800) // 2026-11-23T13:00:00Z
#define SERVER "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1-f4CBgoM"
#define SIGNER "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg" // of the seed 0, 1, ... 31

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t ticket_key[KEY_BYTES] = {1};

static void check(bool good, const token_t *token, const err_t *err) {
    static const token_t none;
    char ticket[TICKET_BYTES];
    token_t again;
    if (!good) {
        ASSERT(err->text[0] != '\0' && memcmp(token, &none, sizeof none) == 0);
        return;
    }
    size_t length = strnlen(token->id, sizeof token->id);
    ASSERT(length > 0 && length < sizeof token->id);
    ASSERT(memchr(token->name, '\0', sizeof token->name));
    for (size_t i = 0; i < length; i++) {
        ASSERT(token->id[i] > ' ' && token->id[i] <= '~');
    }
    ASSERT(token->until_s > NOW && token->until_s <= NOW + TOKEN_LONGEST_S);
    Ticket_Write(token, ticket_key, ticket);
    bool is_back = Ticket_Read(ticket, ticket_key, NOW, &again, NULL);
    ASSERT(is_back && strcmp(again.id, token->id) == 0 && strcmp(again.name, token->name) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[2048], claims[PASETO_MESSAGE_BYTES], signed_text[PASETO_BYTES];
    uint8_t seed[PASETO_SEED_BYTES];
    token_keys_t keys;
    token_t token;
    err_t err = {""};
    if (size < 1 || size > sizeof text) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (size_t i = 0; i < sizeof seed; i++) {
        seed[i] = (uint8_t)i;
    }
    bool good = Token_ParseKeys(SIGNER, &keys, &err);
    ASSERT(good);
    if (data[0] % 3 == 0) {
        (void)Token_ParseKeys(text, &(token_keys_t){0}, &err);
        good = Ticket_Read(text, ticket_key, NOW, &token, &err);
        check(good, &token, &err);
        good = Token_Verify(text, &keys, SERVER, NOW, &token, &err);
        check(good, &token, &err);
        return 0;
    }
    snprintf(claims, sizeof claims,
             data[0] % 3 == 1 ? "%.700s"
                              : "{\"sub\":\"b\",\"jti\":\"1\",\"aud\":\"" SERVER
                                "\",\"exp\":\"%.500s\"}",
             text);
    if (Paseto_Sign(claims, seed, signed_text)) {
        good = Token_Verify(signed_text, &keys, SERVER, NOW, &token, &err);
        check(good, &token, &err);
    }
    return 0;
}
