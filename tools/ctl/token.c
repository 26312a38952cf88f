#include "ctl/token.h"

#include "base/option.h"
#include "base/str.h"
#include "net/key_file.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_ID    63
#define MAX_NAME  31
#define MAX_FOR_S 86400
#define JTI_BYTES 16
#define WRONG_USE 2

static const char token_help[] =
    "usage: edict-ctl token --key FILE --sub ID [OPTIONS] --server KEY...\n"
    "Prints a token with which a player joins a server that runs with sv_auth token.\n"
    "  -k, --key FILE    file of the signer's key (edict-ctl key sign FILE)\n"
    "  -s, --sub ID      id of the player: at most 63 characters without blanks\n"
    "  -S, --server KEY  public key of a server; more may follow\n"
    "  -n, --name NAME   name of the player (default: the player chooses)\n"
    "  -t, --ttl S       seconds until the token expires, 1..86400 (default: 60)\n"
    "  -h, --help        print this text\n"
    "  -V, --version     print the version\n";

static const program_t token_program = {
    "edict-ctl token", token_help, "k:s:S:n:t:hV",
    (const struct option[]){{"key", required_argument, NULL, 'k'},
                            {"sub", required_argument, NULL, 's'},
                            {"server", required_argument, NULL, 'S'},
                            {"name", required_argument, NULL, 'n'},
                            {"ttl", required_argument, NULL, 't'},
                            OPTION_END},
    WRONG_USE};

static const char key_help[] =
    "usage: edict-ctl key new FILE   makes the key of a server\n"
    "       edict-ctl key show FILE  prints the public key of a server (also: edict-ctl key FILE)\n"
    "       edict-ctl key sign FILE  prints a signer's public key; makes the file if it is "
    "missing\n"
    "Each prints a public key: clients expect that of a server, sv_authkeys that of a signer.\n"
    "  -h, --help     print this text\n"
    "  -V, --version  print the version\n";

static const program_t key_program = {"edict-ctl key", key_help, "hV",
                                      (const struct option[]){OPTION_END}, WRONG_USE};

static int fail(const program_t *program, const err_t *err) {
    fprintf(stderr, "%s: %s\n", program->name, err->text);
    return 1;
}

// ---- token ----

static bool check_order(const token_order_t *order, err_t *err) {
    size_t length = strlen(order->id);
    for (const char *at = order->id; *at != '\0'; at++) {
        length = *at > ' ' && *at <= '~' ? length : 0;
    }
    if (length == 0 || length > MAX_ID) {
        return Err_Set(err, "--sub: expected 1 to %d visible ASCII characters, found \"%s\"",
                       MAX_ID, order->id);
    }
    if (order->name && (order->name[0] == '\0' || strlen(order->name) > MAX_NAME)) {
        return Err_Set(err, "--name: expected 1 to %d bytes, found \"%s\"", MAX_NAME, order->name);
    }
    for (int32_t i = 0; i < order->num_servers; i++) {
        uint8_t key[KEY_BYTES];
        if (!Key_Parse("--server", order->servers[i], key, err)) {
            return false;
        }
    }
    return true;
}

static json_t *json_time(int64_t seconds) {
    time_t at = (time_t)seconds;
    struct tm parts;
    char text[32];
    gmtime_r(&at, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(text);
}

bool CtlToken_Make(const token_order_t *order, const uint8_t seed[PASETO_SEED_BYTES], int64_t now_s,
                   char token[PASETO_BYTES], err_t *err) {
    uint8_t random[JTI_BYTES];
    char jti[2 * JTI_BYTES + 1];
    if (!check_order(order, err)) {
        return false;
    }
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(jti, sizeof jti, random, sizeof random);
    json_t *servers = json_array();
    for (int32_t i = 0; i < order->num_servers; i++) {
        json_array_append_new(servers, json_string(order->servers[i]));
    }
    json_t *claims = json_pack("{s:s, s:s*, s:s, s:o, s:o, s:o}", "sub", order->id, "name",
                               order->name, "jti", jti, "iat", json_time(now_s), "exp",
                               json_time(now_s + order->for_s), "aud", servers);
    char *text = claims ? json_dumps(claims, JSON_COMPACT) : NULL;
    bool good =
        text ? Paseto_Sign(text, seed, token) ||
                   Err_Set(err, "the token is longer than %d characters: name fewer servers",
                           PASETO_BYTES - 1)
             : Err_Set(err, "--name: expected UTF-8, found \"%s\"", order->name ? order->name : "");
    free(text);
    json_decref(claims);
    return good;
}

static void add_server(token_order_t *order, const char *key) {
    if (order->num_servers == TOKEN_MAX_SERVERS) {
        Option_Fail(&token_program, "expected at most %d servers", TOKEN_MAX_SERVERS);
    }
    order->servers[order->num_servers++] = key;
}

int CtlToken_RunToken(int argc, char **argv) {
    token_order_t order = {.for_s = 60};
    uint8_t seed[PASETO_SEED_BYTES];
    char token[PASETO_BYTES];
    const char *path = NULL;
    err_t err;
    optind = 0;
    for (int option; (option = Option_Next(&token_program, argc, argv)) != -1;) {
        if (option == 'k') {
            path = optarg;
        } else if (option == 's') {
            order.id = optarg;
        } else if (option == 'n') {
            order.name = optarg;
        } else if (option == 't' && !Str_ToInt(optarg, 1, MAX_FOR_S, &order.for_s)) {
            Option_Fail(&token_program, "--ttl: expected 1..%d seconds, found \"%s\"", MAX_FOR_S,
                        optarg);
        } else if (option == 'S') {
            add_server(&order, optarg);
        }
    }
    while (optind < argc) {
        add_server(&order, argv[optind++]);
    }
    if (!path || !order.id || order.num_servers == 0) {
        Option_Fail(&token_program, "expected --key, --sub and --server");
    }
    if (sodium_init() < 0 || !KeyFile_Read(path, seed, &err)) {
        return fail(&token_program, &err);
    }
    bool good = CtlToken_Make(&order, seed, (int64_t)time(NULL), token, &err);
    sodium_memzero(seed, sizeof seed);
    if (!good) {
        return fail(&token_program, &err);
    }
    puts(token);
    return 0;
}

// ---- key ----

static void public_text(const uint8_t key[KEY_BYTES], bool is_signer, char text[KEY_TEXT_BYTES]) {
    uint8_t public_key[KEY_BYTES], secret[crypto_sign_SECRETKEYBYTES];
    if (is_signer) {
        crypto_sign_seed_keypair(public_key, secret, key);
        sodium_memzero(secret, sizeof secret);
    } else {
        crypto_scalarmult_base(public_key, key);
    }
    Key_Format(public_key, text);
}

void CtlToken_NewKey(uint8_t key[KEY_BYTES], bool is_signer, char text[KEY_TEXT_BYTES]) {
    do {
        randombytes_buf(key, KEY_BYTES);
        public_text(key, is_signer, text);
    } while (text[0] == '-');
}

int CtlToken_RunKey(int argc, char **argv) {
    uint8_t key[KEY_BYTES];
    err_t err;
    optind = 0;
    while (Option_Next(&key_program, argc, argv) != -1) {
    }
    const char *what = argc - optind == 2 ? argv[optind] : "show";
    const char *path = argc > optind ? argv[argc - 1] : "";
    bool is_new = strcmp(what, "new") == 0;
    bool is_signer = strcmp(what, "sign") == 0;
    if (argc - optind < 1 || argc - optind > 2 ||
        (!is_new && !is_signer && strcmp(what, "show") != 0)) {
        Option_Fail(&key_program, "expected new, show or sign, and a file");
    }
    if (sodium_init() < 0) {
        return 1;
    }
    char text[KEY_TEXT_BYTES];
    bool good = false;
    if (is_new || (is_signer && access(path, F_OK) != 0)) {
        CtlToken_NewKey(key, is_signer, text);
        good = KeyFile_Make(path, key, &err);
    } else if ((good = KeyFile_Read(path, key, &err))) {
        public_text(key, is_signer, text);
    }
    sodium_memzero(key, sizeof key);
    if (!good) {
        return fail(&key_program, &err);
    }
    puts(text);
    return 0;
}
