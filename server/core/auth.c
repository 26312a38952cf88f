#include "core/auth.h"

#include "core/server_local.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG_BURST    5     // wrong passwords or tokens of one address at once
#define WRONG_EVERY_MS 10000 // interval of further wrong ones
#define PROXY_PLAYERS  10    // an exempt address may send as many wrong ones as 10 others

bool Auth_Init(auth_t *auth, const server_config_t *config, err_t *err) {
    *auth = (auth_t){.mode = config->auth, .ticket_s = config->ticket_s};
    if (!Token_ParseKeys(config->auth_keys ? config->auth_keys : "", &auth->keys, err)) {
        return false;
    }
    if (auth->mode != AUTH_TOKEN) {
        return true;
    }
    if (auth->keys.count == 0) {
        return Err_Set(err, "sv_auth token: expected sv_authkeys, the public keys that sign "
                            "tokens; \"edict-ctl key sign FILE\" makes one");
    }
    if (!config->ticket_key) {
        return Err_Set(err, "sv_auth token: expected sv_keyfile, because tokens name the public "
                            "key of the server; \"edict-ctl key new FILE\" makes one");
    }
    auth->ticket_key = sodium_init() >= 0 ? sodium_malloc(KEY_BYTES) : NULL;
    auth->used = calloc(AUTH_MAX_USED, sizeof *auth->used);
    if (!auth->ticket_key || !auth->used) {
        Auth_Free(auth);
        return Err_Set(err, "no memory for %d used tokens", AUTH_MAX_USED);
    }
    memcpy(auth->ticket_key, config->ticket_key, KEY_BYTES);
    return true;
}

void Auth_Free(auth_t *auth) {
    sodium_free(auth->ticket_key);
    free(auth->used);
    auth->ticket_key = NULL;
    auth->used = NULL;
}

// Finds the entry of a use that has not expired. *room receives an empty or expired entry, or NULL.
// Searches the whole table (10 us), because the signature took longer to check.
static used_token_t *find_use(const auth_t *auth, uint64_t use, used_token_t **room) {
    *room = NULL;
    for (int32_t i = 0; i < AUTH_MAX_USED; i++) {
        used_token_t *entry = &auth->used[i];
        if (entry->until_s <= auth->now_s) {
            *room = *room ? *room : entry;
        } else if (entry->use == use) {
            return entry;
        }
    }
    return NULL;
}

auth_result_t Auth_Check(const auth_t *auth, const char *text, const uint8_t server_key[KEY_BYTES],
                         token_t *token, err_t *err) {
    char server[KEY_TEXT_BYTES];
    used_token_t *room = NULL;
    *token = (token_t){.until_s = 0};
    if (text[0] == '\0') {
        Err_Set(err, "this server needs a token; ask its operator where to log in");
        return AUTH_REFUSED;
    }
    if (Ticket_IsOne(text)) {
        return Ticket_Read(text, auth->ticket_key, auth->now_s, token, err) ? AUTH_GOOD
                                                                            : AUTH_REFUSED;
    }
    Key_Format(server_key, server);
    if (!Token_Verify(text, &auth->keys, server, auth->now_s, token, err)) {
        return AUTH_REFUSED;
    }
    if (find_use(auth, token->use, &room)) {
        Err_Set(err, "the token was used before; join with a new one");
        return AUTH_REFUSED;
    }
    if (!room) {
        Err_Set(err, "the server cannot remember more tokens; try again in a minute");
        return AUTH_TABLE_FULL;
    }
    return AUTH_GOOD;
}

void Auth_Use(auth_t *auth, const token_t *token) {
    used_token_t *room = NULL;
    if (token->use != 0) {
        bool was_used = find_use(auth, token->use, &room) != NULL;
        ASSERT(!was_used && room); // Auth_Check refused it otherwise
        *room = (used_token_t){.use = token->use, .until_s = token->until_s};
    }
}

void Auth_Ticket(const auth_t *auth, const char *id, const char *name, char ticket[TICKET_BYTES]) {
    token_t next = {.until_s = auth->now_s + auth->ticket_s};
    ticket[0] = '\0';
    if (auth->mode == AUTH_TOKEN && id[0] != '\0' && auth->ticket_s > 0) {
        snprintf(next.id, sizeof next.id, "%s", id);
        snprintf(next.name, sizeof next.name, "%s", name);
        Ticket_Write(&next, auth->ticket_key, ticket);
    }
}

// ---- joins ----

// Refuses a join and charges the address for it. `text`: the reason.
static bool refuse_wrong(server_t *server, int32_t peer, net_reason_t reason, const char *text) {
    uint32_t host = server->sessions[peer].address.host;
    address_t *address = Addresses_Get(&server->addresses, host);
    int32_t players = Net_IsExempt(server->config.exempt, host) ? PROXY_PLAYERS : 1;
    Bucket_Add(&address->wrong_empty_ms, server->now_ms, WRONG_EVERY_MS / players);
    Session_Refuse(server, peer, reason, text);
    return false;
}

// Refuses a join if too many from its address were wrong.
static bool check_wrong_rate(server_t *server, int32_t peer, net_reason_t reason,
                             const char *text) {
    const address_t *address =
        Addresses_Get(&server->addresses, server->sessions[peer].address.host);
    if (Bucket_HasRoom(address->wrong_empty_ms, server->now_ms,
                       (WRONG_BURST - 1) * WRONG_EVERY_MS)) {
        return true;
    }
    Session_Refuse(server, peer, reason, text);
    return false;
}

static bool check_id(server_t *server, int32_t peer, const char *id) {
    const server_config_t *config = &server->config;
    if (config->allows && config->allows(config->allow_context, id) != NET_REASON_NONE) {
        Session_Refuse(server, peer, NET_REASON_BANNED, "you are banned from this server");
        return false;
    }
    return true;
}

static bool check_token(server_t *server, int32_t peer, const char *text, token_t *token) {
    transport_t *net = server->config.net;
    const uint8_t *server_key = net->server_key(net);
    err_t why = {{0}};
    if (!net->is_sealed(net, peer) || !server_key) {
        Session_Refuse(server, peer, NET_REASON_SEAL,
                       "this server needs a sealed session; use a client that seals");
        return false;
    }
    if (!check_wrong_rate(server, peer, NET_REASON_TOKEN,
                          "too many wrong tokens from your address; wait a minute")) {
        return false;
    }
    auth_result_t result = Auth_Check(&server->auth, text, server_key, token, &why);
    if (result == AUTH_TABLE_FULL) {
        server->stats.tokens_full++;
        Session_Refuse(server, peer, NET_REASON_TOKEN, why.text);
    }
    return result == AUTH_GOOD
               ? check_id(server, peer, token->id)
               : result == AUTH_REFUSED && refuse_wrong(server, peer, NET_REASON_TOKEN, why.text);
}

static bool check_password(server_t *server, int32_t peer, const char given[CTL_PASSWORD_BYTES]) {
    return server->password[0] == '\0' ||
           (check_wrong_rate(server, peer, NET_REASON_PASSWORD,
                             "too many wrong passwords from your address; wait a minute") &&
            (sodium_memcmp(given, server->password, CTL_PASSWORD_BYTES) == 0 ||
             refuse_wrong(server, peer, NET_REASON_PASSWORD,
                          given[0] == '\0' ? "this server needs a password" : "wrong password")));
}

bool Auth_Admit(server_t *server, int32_t peer, const ctl_hello_t *hello, const session_t *before,
                token_t *token) {
    char given[CTL_PASSWORD_BYTES] = {0};
    session_t *session = &server->sessions[peer];
    bool is_good = true;
    *token = (token_t){.until_s = 0};
    memcpy(given, hello->password, strlen(hello->password));
    session->is_bot = server->bot_password[0] != '\0' &&
                      sodium_memcmp(given, server->bot_password, sizeof given) == 0;
    if (session->is_bot) {
        return true;
    }
    if (server->auth.mode == AUTH_TOKEN) {
        is_good = before ? check_id(server, peer, before->id)
                         : check_token(server, peer, hello->token, token);
        server->stats.refused_token += is_good ? 0 : 1;
    } else if (server->auth.mode == AUTH_PASSWORD) {
        is_good = check_password(server, peer, given);
        server->stats.refused_password += is_good ? 0 : 1;
    }
    return is_good;
}

void Server_SetTime(server_t *server, int64_t now_s) {
    server->auth.now_s = now_s;
}

bool Server_SetAuth(server_t *server, const char *keys, int32_t ticket_s, err_t *err) {
    token_keys_t parsed;
    if (!Token_ParseKeys(keys, &parsed, err)) {
        return false;
    }
    if (server->auth.mode == AUTH_TOKEN && parsed.count == 0) {
        return Err_Set(err, "sv_authkeys: expected a public key, because sv_auth is token");
    }
    server->auth.keys = parsed;
    server->auth.ticket_s = ticket_s;
    return true;
}
