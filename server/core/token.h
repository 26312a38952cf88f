/// core/token.h - connect tokens, which the operator's backend signs, and session tickets, which
/// the server makes. docs/tokens.md is the guide.
//
// Units:   seconds since 1970 (UTC); the caller passes the wall time.
// Errors:  a refusal gives the player one line with the reason.

#ifndef EDICTD_CORE_TOKEN_H
#define EDICTD_CORE_TOKEN_H

#include "base/err.h"
#include "base/limits.h"
#include "net/key_text.h"
#include "net/paseto.h"

#define PLAYER_ID_BYTES 64          // player id with its NUL
#define TOKEN_MAX_KEYS  4           // signers at once: two, and two that replace them
#define TOKEN_LONGEST_S (24 * 3600) // until a token expires; longer ones would fill the table
#define TOKEN_SKEW_S    30          // by which the backend's clock may be fast
#define TICKET_BYTES    256         // above the length of a ticket; fits in a text

/// A player as a token or ticket names it.
typedef struct {
    char id[PLAYER_ID_BYTES];  ///< claim sub: 1..63 visible ASCII characters
    char name[MAX_NAME_BYTES]; ///< "" = the player chooses
    int64_t until_s;           ///< the token or ticket is valid before
    uint64_t use;              ///< hash of jti and id, to find a second use; 0 for a ticket
} token_t;

/// Public keys that a server accepts.
typedef struct {
    int32_t count;
    uint8_t list[TOKEN_MAX_KEYS][PASETO_KEY_BYTES];
} token_keys_t;

/// Returns true for 1 to PLAYER_ID_BYTES - 1 visible ASCII characters.
bool Token_IsId(const char *text);

/// Parses up to TOKEN_MAX_KEYS keys of 43 base64url characters, separated by blanks.
bool Token_ParseKeys(const char *text, token_keys_t *keys, err_t *err);

/// Verifies a token for the server with the public key `server`, 43 base64url characters. Does not
/// test whether the token was used before.
bool Token_Verify(const char *text, const token_keys_t *keys, const char *server, int64_t now_s,
                  token_t *token, err_t *err);

/// Returns true if a text is a ticket, by its first characters.
bool Ticket_IsOne(const char *text);

/// Derives the key of tickets from the secret key of a server.
void Ticket_Key(const uint8_t secret[KEY_BYTES], uint8_t key[KEY_BYTES]);

/// Writes a ticket. Equal contents give an equal ticket.
void Ticket_Write(const token_t *token, const uint8_t key[KEY_BYTES], char ticket[TICKET_BYTES]);

/// Reads a ticket that Ticket_Write wrote with the same key.
bool Ticket_Read(const char *text, const uint8_t key[KEY_BYTES], int64_t now_s, token_t *token,
                 err_t *err);

#endif
