#include "core/token.h"

#include "base/assert.h"
#include "base/str.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define VARIANT       sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define TICKET_HEADER "ticket1."
#define TICKET_DOMAIN "edictd ticket 1"
#define HEADER_BYTES  (sizeof TICKET_HEADER - 1)
#define NONCE_BYTES   crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG_BYTES     crypto_aead_xchacha20poly1305_ietf_ABYTES

// Contents of a ticket, encrypted after its nonce.
typedef struct {
    int64_t until_s;
    char id[PLAYER_ID_BYTES];
    char name[MAX_NAME_BYTES];
} contents_t;

#define SEALED_BYTES (NONCE_BYTES + sizeof(contents_t) + TAG_BYTES)

_Static_assert(HEADER_BYTES + sodium_base64_ENCODED_LEN(SEALED_BYTES, VARIANT) <= TICKET_BYTES &&
                   TICKET_BYTES <= MAX_TEXT_BYTES,
               "a ticket fits in a text");

bool Token_IsId(const char *text) {
    size_t length = 0;
    while (text[length] > ' ' && text[length] <= '~') {
        length++;
    }
    return length > 0 && length < PLAYER_ID_BYTES && text[length] == '\0';
}

bool Token_ParseKeys(const char *text, token_keys_t *keys, err_t *err) {
    *keys = (token_keys_t){.count = 0};
    for (text += strspn(text, " \t"); *text != '\0'; text += strspn(text, " \t")) {
        char one[KEY_TEXT_BYTES + 1]; // above a key, to notice a longer one
        size_t length = strcspn(text, " \t");
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        if (keys->count == TOKEN_MAX_KEYS) {
            return Err_Set(err, "sv_authkeys: expected at most %d keys", TOKEN_MAX_KEYS);
        }
        if (!Key_Parse("sv_authkeys", one, keys->list[keys->count++], err)) {
            return false;
        }
        text += length;
    }
    return true;
}

// ---- claims ----

// Parses a time of RFC 3339 and skips its fraction of a second.
static bool parse_time(const char *text, int64_t *seconds) {
    struct tm tm = {0}, zone = {0};
    const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (at && *at == '.') {
        at += 1 + strspn(at + 1, "0123456789");
    }
    at = at ? strptime(at, "%z", &zone) : NULL;
    int day = tm.tm_mday;
    *seconds = (int64_t)timegm(&tm) - zone.tm_gmtoff;
    return at && *at == '\0' && tm.tm_mday == day; // false for a date such as February 31
}

// Copies a text claim of 1 to size - 1 bytes.
static bool take_text(const json_t *claims, const char *key, char *text, size_t size, err_t *err) {
    const json_t *claim = json_object_get(claims, key);
    size_t length = json_string_length(claim); // 0 for all but a string
    if (length == 0 || length >= size) {
        return Err_Set(err, "malformed token: expected %s, a text of 1 to %zu bytes", key,
                       size - 1);
    }
    memcpy(text, json_string_value(claim), length);
    memset(text + length, 0, size - length);
    return true;
}

// Reads a time. `def`: value if the claim is missing; negative = the claim is needed.
static bool take_time(const json_t *claims, const char *key, int64_t def, int64_t *seconds,
                      err_t *err) {
    const json_t *claim = json_object_get(claims, key);
    *seconds = def;
    if (!claim && def >= 0) {
        return true;
    }
    return (json_is_string(claim) && parse_time(json_string_value(claim), seconds)) ||
           Err_Set(err, "malformed token: expected %s, a time such as 2026-12-24T18:00:00Z", key);
}

static bool is_for(const json_t *audience, const char *server) {
    bool found = json_is_string(audience) && strcmp(json_string_value(audience), server) == 0;
    for (size_t i = 0; i < json_array_size(audience) && !found; i++) {
        const json_t *entry = json_array_get(audience, i);
        found = json_is_string(entry) && strcmp(json_string_value(entry), server) == 0;
    }
    return found;
}

static bool take_player(const json_t *claims, token_t *token, err_t *err) {
    char clean[MAX_NAME_BYTES];
    if (!take_text(claims, "sub", token->id, sizeof token->id, err)) {
        return false;
    }
    if (!Token_IsId(token->id)) {
        return Err_Set(err, "malformed token: expected sub of visible ASCII characters");
    }
    if (json_object_get(claims, "name") &&
        !take_text(claims, "name", token->name, sizeof token->name, err)) {
        return false;
    }
    memcpy(clean, token->name, sizeof clean);
    Str_Clean(clean);
    return strcmp(clean, token->name) == 0 ||
           Err_Set(err, "malformed token: expected name without control characters, and with "
                        "single blanks between words");
}

// Hashes with BLAKE2b, because a player must not find a jti that collides with another.
static uint64_t hash_use(const char *id, const char *jti) {
    uint8_t hash[crypto_generichash_BYTES_MIN];
    uint64_t use = 0;
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    crypto_generichash_update(&state, (const uint8_t *)id, strlen(id) + 1);
    crypto_generichash_update(&state, (const uint8_t *)jti, strlen(jti));
    crypto_generichash_final(&state, hash, sizeof hash);
    memcpy(&use, hash, sizeof use);
    return use;
}

static bool check_claims(const json_t *claims, const char *server, int64_t now_s, token_t *token,
                         err_t *err) {
    char jti[PLAYER_ID_BYTES];
    int64_t issued_s = 0, begins_s = 0;
    if (!json_is_object(claims)) {
        return Err_Set(err, "malformed token: expected claims, a JSON object");
    }
    if (!take_player(claims, token, err) || !take_text(claims, "jti", jti, sizeof jti, err) ||
        !take_time(claims, "exp", -1, &token->until_s, err) ||
        !take_time(claims, "iat", 0, &issued_s, err) ||
        !take_time(claims, "nbf", 0, &begins_s, err)) {
        return false;
    }
    token->use = hash_use(token->id, jti);
    if (!is_for(json_object_get(claims, "aud"), server)) {
        return Err_Set(err, "the token is not for this server");
    }
    if (now_s >= token->until_s) {
        return Err_Set(err, "the token expired %lld s ago", (long long)(now_s - token->until_s));
    }
    begins_s = issued_s > begins_s ? issued_s : begins_s;
    if (now_s < begins_s - TOKEN_SKEW_S) {
        return Err_Set(err, "the token is not valid for another %lld s",
                       (long long)(begins_s - TOKEN_SKEW_S - now_s));
    }
    return token->until_s - now_s <= TOKEN_LONGEST_S ||
           Err_Set(err, "the token is valid for more than %d h", TOKEN_LONGEST_S / 3600);
}

bool Token_Verify(const char *text, const token_keys_t *keys, const char *server, int64_t now_s,
                  token_t *token, err_t *err) {
    char message[PASETO_MESSAGE_BYTES];
    size_t size = 0;
    json_error_t fault;
    *token = (token_t){.until_s = 0};
    paseto_result_t result = Paseto_Open(text, keys->list, keys->count, message, &size);
    if (result != PASETO_GOOD) {
        return Err_Set(err, result == PASETO_MALFORMED
                                ? "malformed token: expected PASETO v4.public"
                                : "unknown signer: no key of this server has signed the token");
    }
    json_t *claims = json_loadb(message, size, JSON_REJECT_DUPLICATES, &fault);
    bool good = claims ? check_claims(claims, server, now_s, token, err)
                       : Err_Set(err, "malformed token: claims: %s", fault.text);
    json_decref(claims);
    if (!good) {
        *token = (token_t){.until_s = 0};
    }
    return good;
}

// ---- tickets ----

bool Ticket_IsOne(const char *text) {
    return strncmp(text, TICKET_HEADER, HEADER_BYTES) == 0;
}

void Ticket_Key(const uint8_t secret[KEY_BYTES], uint8_t key[KEY_BYTES]) {
    crypto_generichash(key, KEY_BYTES, (const uint8_t *)TICKET_DOMAIN, sizeof TICKET_DOMAIN - 1,
                       secret, KEY_BYTES);
}

void Ticket_Write(const token_t *token, const uint8_t key[KEY_BYTES], char ticket[TICKET_BYTES]) {
    uint8_t sealed[SEALED_BYTES];
    contents_t contents = {.until_s = token->until_s};
    memcpy(contents.id, token->id, sizeof contents.id);
    memcpy(contents.name, token->name, sizeof contents.name);
    // The nonce is a keyed hash of the contents, so that no other contents have the same.
    crypto_generichash(sealed, NONCE_BYTES, (const uint8_t *)&contents, sizeof contents, key,
                       KEY_BYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + NONCE_BYTES, NULL,
                                               (const uint8_t *)&contents, sizeof contents, NULL, 0,
                                               NULL, sealed, key);
    memcpy(ticket, TICKET_HEADER, HEADER_BYTES);
    sodium_bin2base64(ticket + HEADER_BYTES, TICKET_BYTES - HEADER_BYTES, sealed, sizeof sealed,
                      VARIANT);
}

bool Ticket_Read(const char *text, const uint8_t key[KEY_BYTES], int64_t now_s, token_t *token,
                 err_t *err) {
    uint8_t sealed[SEALED_BYTES];
    contents_t contents;
    size_t size = 0;
    *token = (token_t){.until_s = 0};
    if (!Ticket_IsOne(text) ||
        sodium_base642bin(sealed, sizeof sealed, text + HEADER_BYTES, strlen(text) - HEADER_BYTES,
                          NULL, &size, NULL, VARIANT) != 0 ||
        size != sizeof sealed) {
        return Err_Set(err, "malformed ticket");
    }
    if (crypto_aead_xchacha20poly1305_ietf_decrypt((uint8_t *)&contents, NULL, NULL,
                                                   sealed + NONCE_BYTES, size - NONCE_BYTES, NULL,
                                                   0, sealed, key) != 0) {
        return Err_Set(err, "the ticket is not of this server; join with a new token");
    }
    if (now_s >= contents.until_s) {
        return Err_Set(err, "the ticket expired %lld s ago; join with a new token",
                       (long long)(now_s - contents.until_s));
    }
    token->until_s = contents.until_s;
    memcpy(token->id, contents.id, sizeof token->id);
    memcpy(token->name, contents.name, sizeof token->name);
    return true;
}
