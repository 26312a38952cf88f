/// ctl/token.h - the commands `edict-ctl token` and `edict-ctl key`, which need no server.

#ifndef EDICTD_CTL_TOKEN_H
#define EDICTD_CTL_TOKEN_H

#include "base/err.h"
#include "net/key_text.h"
#include "net/paseto.h"

#define TOKEN_MAX_SERVERS 8 // more public keys do not fit in a token with long names

/// A player and the servers that a token is for.
typedef struct {
    const char *id;
    const char *name;                       ///< NULL = the player chooses
    const char *servers[TOKEN_MAX_SERVERS]; ///< public keys
    int32_t num_servers;
    int64_t for_s; ///< until it expires, 1..86400
} token_order_t;

/// Signs a token. `now_s`: wall time, s since 1970 (UTC).
bool CtlToken_Make(const token_order_t *order, const uint8_t seed[PASETO_SEED_BYTES], int64_t now_s,
                   char token[PASETO_BYTES], err_t *err);

/// Makes a random secret key and writes its public key as text. It does not start with '-', because
/// a command line would take that for an option.
void CtlToken_NewKey(uint8_t key[KEY_BYTES], bool is_signer, char text[KEY_TEXT_BYTES]);

/// Run the commands; argv[0] is their name. Return the exit status.
int CtlToken_RunToken(int argc, char **argv);
int CtlToken_RunKey(int argc, char **argv);

#endif
