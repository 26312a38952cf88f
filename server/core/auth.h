/// core/auth.h - checks tokens and tickets of joins, and remembers the tokens that were used.
//
// Units:   seconds since 1970 (UTC).

#ifndef EDICTD_CORE_AUTH_H
#define EDICTD_CORE_AUTH_H

#include "core/server.h"
#include "core/token.h"

#define AUTH_MAX_USED 16384 // tokens that were used and have not expired; further ones are refused

typedef struct {
    uint64_t use;    ///< token_t.use
    int64_t until_s; ///< when the token expires; 0 = empty
} used_token_t;

typedef struct {
    auth_mode_t mode;
    token_keys_t keys;
    int32_t ticket_s;    ///< time until a ticket expires; 0 = no tickets
    int64_t now_s;       ///< wall time
    uint8_t *ticket_key; ///< owned, kept out of core dumps; NULL without AUTH_TOKEN
    used_token_t *used;  ///< owned; NULL without AUTH_TOKEN
} auth_t;

/// Sets mode, keys and tickets of a server. Returns false if AUTH_TOKEN lacks a key.
bool Auth_Init(auth_t *auth, const server_config_t *config, err_t *err);
void Auth_Free(auth_t *auth);

typedef enum { AUTH_GOOD, AUTH_REFUSED, AUTH_TABLE_FULL } auth_result_t;

/// Checks a token or ticket. `server_key`: public key of this server.
auth_result_t Auth_Check(const auth_t *auth, const char *text, const uint8_t server_key[KEY_BYTES],
                         token_t *token, err_t *err);

/// Remembers that a good token was used. Does nothing for a ticket.
void Auth_Use(auth_t *auth, const token_t *token);

/// Writes a ticket for a player whose token was good. `name`: "" = the player chooses. Writes "" if
/// there are no tickets.
void Auth_Ticket(const auth_t *auth, const char *id, const char *name, char ticket[TICKET_BYTES]);

#endif
