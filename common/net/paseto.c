#include "net/paseto.h"

#include "base/assert.h"

#include <sodium.h>
#include <string.h>

#define HEADER       "v4.public."
#define HEADER_BYTES (sizeof HEADER - 1)
#define VARIANT      sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define PARTS        4 // header, message, footer, implicit assertion

// The bytes that are signed: each part after its length.
typedef struct {
    uint8_t bytes[8 * (1 + PARTS) + PASETO_BYTES];
    size_t size;
} signed_t;

static void add_number(signed_t *text, uint64_t number) {
    for (int32_t i = 0; i < 8; i++) {
        text->bytes[text->size++] = (uint8_t)(number >> (8 * i));
    }
}

static void add_part(signed_t *text, const void *data, size_t size) {
    add_number(text, size);
    ASSERT(text->size + size <= sizeof text->bytes);
    memcpy(text->bytes + text->size, data, size);
    text->size += size;
}

static signed_t encode(const uint8_t *message, size_t size, const uint8_t *footer, size_t extra) {
    signed_t text = {.size = 0};
    add_number(&text, PARTS);
    add_part(&text, HEADER, HEADER_BYTES);
    add_part(&text, message, size);
    add_part(&text, footer, extra);
    add_part(&text, "", 0);
    return text;
}

paseto_result_t Paseto_Open(const char *token, const uint8_t (*keys)[PASETO_KEY_BYTES],
                            int32_t count, char message[PASETO_MESSAGE_BYTES], size_t *size) {
    uint8_t body[PASETO_BYTES], footer[PASETO_BYTES];
    size_t length = strlen(token), body_size = 0, footer_size = 0;
    *size = 0;
    if (length >= PASETO_BYTES || strncmp(token, HEADER, HEADER_BYTES) != 0) {
        return PASETO_MALFORMED;
    }
    token += HEADER_BYTES;
    const char *dot = strchr(token, '.');
    size_t first = dot ? (size_t)(dot - token) : length - HEADER_BYTES;
    const char *rest = dot ? dot + 1 : "";
    if (sodium_base642bin(body, sizeof body, token, first, NULL, &body_size, NULL, VARIANT) != 0 ||
        sodium_base642bin(footer, sizeof footer, rest, strlen(rest), NULL, &footer_size, NULL,
                          VARIANT) != 0 ||
        (dot && footer_size == 0) || body_size < crypto_sign_BYTES) {
        return PASETO_MALFORMED;
    }
    body_size -= crypto_sign_BYTES;
    const signed_t text = encode(body, body_size, footer, footer_size);
    for (int32_t i = 0; i < count; i++) {
        if (crypto_sign_verify_detached(body + body_size, text.bytes, text.size, keys[i]) == 0) {
            ASSERT(body_size < PASETO_MESSAGE_BYTES);
            memcpy(message, body, body_size);
            message[body_size] = '\0';
            *size = body_size;
            return PASETO_GOOD;
        }
    }
    return PASETO_UNKNOWN_SIGNER;
}

bool Paseto_Sign(const char *message, const uint8_t seed[PASETO_SEED_BYTES],
                 char token[PASETO_BYTES]) {
    uint8_t public_key[PASETO_KEY_BYTES], secret_key[crypto_sign_SECRETKEYBYTES];
    uint8_t body[PASETO_BYTES];
    size_t size = strlen(message);
    if (size + crypto_sign_BYTES > sizeof body ||
        HEADER_BYTES + sodium_base64_encoded_len(size + crypto_sign_BYTES, VARIANT) >
            PASETO_BYTES) {
        return false;
    }
    const signed_t text = encode((const uint8_t *)message, size, (const uint8_t *)"", 0);
    memcpy(body, message, size);
    crypto_sign_seed_keypair(public_key, secret_key, seed);
    crypto_sign_detached(body + size, NULL, text.bytes, text.size, secret_key);
    sodium_memzero(secret_key, sizeof secret_key);
    memcpy(token, HEADER, HEADER_BYTES);
    sodium_bin2base64(token + HEADER_BYTES, PASETO_BYTES - HEADER_BYTES, body,
                      size + crypto_sign_BYTES, VARIANT);
    return true;
}
