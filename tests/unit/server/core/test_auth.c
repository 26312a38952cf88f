// Joins with tokens and tickets: reuse, replaced sessions, forced names, refusals, rates.

#include "base/rng.h"
#include "core/server_local.h"
#include "lib/peer_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

static const uint8_t ticket_key[KEY_BYTES] = {7};

static void serve(test_net_t *net, int32_t max_clients) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1,
                                      .max_clients = max_clients,
                                      .map = &room,
                                      .auth_keys = TEST_TOKEN_KEY,
                                      .ticket_key = ticket_key};
    TestNet_Init(net, &config);
}

// Connects a peer and sends HELLO with a token or ticket.
static void hello(test_peer_t *peer, test_net_t *net, int32_t number, const char *token) {
    control_msg_t msg = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION};
    snprintf(msg.u.hello.name, sizeof msg.u.hello.name, "own name");
    snprintf(msg.u.hello.token, sizeof msg.u.hello.token, "%s", token);
    TestPeer_Connect(peer, net, number);
    TestPeer_Send(peer, &msg);
    TestPeer_Run(peer, 100);
}

// Joins with a token that has `id` as player id and as jti.
static void join(test_peer_t *peer, test_net_t *net, int32_t number, const char *id) {
    char token[PASETO_BYTES];
    TestToken_Make(&(test_token_t){.id = id, .jti = id, .for_s = 50}, token);
    hello(peer, net, number, token);
    assert_int_equal(peer->heard[CTL_WELCOME], 1);
    TestPeer_Ready(peer, 0);
    TestPeer_Run(peer, 100);
}

static void assert_refused(test_net_t *net, int32_t number, const char *token, const char *why) {
    test_peer_t peer;
    uint64_t refused = Server_Stats(net->server).refused_token;
    hello(&peer, net, number, token);
    TestPeer_Run(&peer, 1000);
    assert_int_equal(peer.heard[CTL_WELCOME], 0);
    if (!strstr(peer.last[CTL_REFUSED].u.refused.text, why)) {
        fail_msg("expected \"%s\", found \"%s\"", why, peer.last[CTL_REFUSED].u.refused.text);
    }
    assert_true(peer.left && peer.reason == NET_REASON_TOKEN);
    assert_int_equal(Server_Stats(net->server).refused_token, refused + 1);
    TestPeer_Free(&peer);
}

static void test_a_token_names_the_player(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    char token[PASETO_BYTES];
    serve(&net, 4);
    TestToken_Make(&(test_token_t){.id = "steam:1", .name = "Ann", .jti = "1", .for_s = 50}, token);
    hello(&peer, &net, 0, token);
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    assert_int_equal(peer.heard[CTL_TICKET], 1);
    assert_string_equal(Server_PlayerId(net.server, 0), "steam:1");
    assert_string_equal(Server_PlayerName(net.server, 0), "Ann");
    assert_string_equal(Server_PlayerId(net.server, 1), "");
    control_msg_t rename = {.type = CTL_USERINFO, .u.userinfo.count = 1};
    snprintf(rename.u.userinfo.list[0].key, CTL_INFO_KEY_BYTES, "name");
    snprintf(rename.u.userinfo.list[0].value, MAX_INFO_BYTES, "Eve");
    TestPeer_Send(&peer, &rename);
    TestPeer_Run(&peer, 100);
    assert_string_equal(Server_PlayerName(net.server, 0), "Ann");
    assert_string_equal(peer.last[CTL_PRINT].u.text.text,
                        "not set: your name is that of your token");
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_a_token_without_name(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    serve(&net, 4);
    join(&peer, &net, 0, "ann");
    assert_string_equal(Server_PlayerName(net.server, 0), "own name");
    control_msg_t rename = {.type = CTL_USERINFO, .u.userinfo.count = 1};
    snprintf(rename.u.userinfo.list[0].key, CTL_INFO_KEY_BYTES, "name");
    snprintf(rename.u.userinfo.list[0].value, MAX_INFO_BYTES, "Eve");
    TestPeer_Send(&peer, &rename);
    TestPeer_Run(&peer, 100);
    assert_string_equal(Server_PlayerName(net.server, 0), "Eve");
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_refusals_say_why(void **state) {
    (void)state;
    static test_net_t net;
    char token[PASETO_BYTES];
    serve(&net, 4);
    assert_refused(&net, 0, "", "this server needs a token");
    assert_refused(&net, 1, "sesame", "malformed token");
    assert_refused(&net, 2, "ticket1.AAAA", "malformed ticket");
    test_token_t player = {.id = "ann", .jti = "1", .for_s = 50, .signer = 1};
    TestToken_Make(&player, token);
    assert_refused(&net, 3, token, "unknown signer");
    player = (test_token_t){.id = "ann", .jti = "1", .for_s = 0};
    TestToken_Make(&player, token);
    assert_refused(&net, 4, token, "expired 0 s ago");
    player = (test_token_t){.id = "ann", .jti = "1", .for_s = 50, .server_key = {1}};
    TestToken_Make(&player, token);
    assert_refused(&net, 5, token, "not for this server");
    TestToken_Sign("{\"sub\":\"ann\"}", 0, token);
    assert_refused(&net, 6, token, "malformed token: expected jti");
    assert_int_equal(Server_NumPlayers(net.server), 0);
    TestNet_Free(&net);
}

static void test_a_token_is_used_once(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    char token[PASETO_BYTES];
    serve(&net, 4);
    join(&peer, &net, 0, "ann");
    TestToken_Make(&(test_token_t){.id = "ann", .jti = "ann", .for_s = 50}, token);
    assert_refused(&net, 1, token, "used before");
    assert_false(peer.left); // the refused join did not replace the player
    Server_SetTime(net.server, TEST_TOKEN_NOW + 49);
    assert_refused(&net, 2, token, "used before");
    Server_SetTime(net.server, TEST_TOKEN_NOW + 50);
    assert_refused(&net, 3, token, "expired");
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// A join that failed for another reason leaves the token as it was.
static void test_a_full_server_uses_up_no_token(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, bob;
    char token[PASETO_BYTES];
    serve(&net, 1);
    join(&ann, &net, 0, "ann");
    TestToken_Make(&(test_token_t){.id = "bob", .jti = "1", .for_s = 50}, token);
    hello(&bob, &net, 1, token);
    assert_string_equal(bob.last[CTL_REFUSED].u.refused.text, "the server is full");
    TestPeer_Free(&bob);
    assert_true(Server_Kick(net.server, 0, "make room"));
    hello(&bob, &net, 2, token);
    assert_int_equal(bob.heard[CTL_WELCOME], 1);
    TestPeer_Free(&bob);
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

static void test_a_ticket_joins_again(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer, again;
    char token[PASETO_BYTES], ticket[TICKET_BYTES];
    serve(&net, 4);
    TestToken_Make(&(test_token_t){.id = "steam:1", .name = "Ann", .jti = "1", .for_s = 5}, token);
    hello(&peer, &net, 0, token);
    snprintf(ticket, sizeof ticket, "%s", peer.last[CTL_TICKET].u.text.text);
    Server_SetTime(net.server, TEST_TOKEN_NOW + 3599);
    hello(&again, &net, 1, ticket);
    assert_int_equal(again.heard[CTL_WELCOME], 1);
    assert_int_equal(again.heard[CTL_TICKET], 1); // a newer one
    TestPeer_Run(&peer, 1000);
    assert_true(peer.left);
    assert_string_equal(Server_PlayerName(net.server, 0), "Ann");
    assert_string_equal(Server_PlayerId(net.server, 0), "steam:1");
    TestPeer_Free(&peer);
    TestPeer_Free(&again);
    Server_SetTime(net.server, TEST_TOKEN_NOW + 3600);
    assert_refused(&net, 2, ticket, "the ticket expired 0 s ago");
    ticket[20] = ticket[20] == 'A' ? 'B' : 'A';
    assert_refused(&net, 3, ticket, "not of this server");
    TestNet_Free(&net);
}

// A name that somebody else had at the first join is not taken away for good.
static void test_a_ticket_keeps_the_name_of_the_token(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t other, peer;
    char token[PASETO_BYTES];
    serve(&net, 4);
    TestToken_Make(&(test_token_t){.id = "bob", .name = "Ann", .jti = "1", .for_s = 5}, token);
    hello(&other, &net, 0, token);
    TestToken_Make(&(test_token_t){.id = "ann", .name = "Ann", .jti = "1", .for_s = 5}, token);
    hello(&peer, &net, 1, token);
    assert_string_equal(Server_PlayerName(net.server, 1), "Ann(1)");
    assert_true(Server_Kick(net.server, 0, "leaves"));
    assert_true(Server_Kick(net.server, 1, "leaves"));
    snprintf(token, sizeof token, "%s", peer.last[CTL_TICKET].u.text.text);
    TestPeer_Free(&other);
    TestPeer_Free(&peer);
    hello(&peer, &net, 2, token);
    assert_string_equal(Server_PlayerName(net.server, 0), "Ann");
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_without_tickets(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    serve(&net, 4);
    assert_true(Server_SetAuth(net.server, TEST_TOKEN_KEY, 0, NULL));
    join(&peer, &net, 0, "ann");
    assert_int_equal(peer.heard[CTL_TICKET], 0);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_a_second_join_replaces_the_first(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t first, other, second;
    char token[PASETO_BYTES];
    serve(&net, 2); // full: the replaced session gives its slot
    join(&first, &net, 0, "ann");
    join(&other, &net, 1, "bob");
    TestToken_Make(&(test_token_t){.id = "ann", .jti = "2", .for_s = 50}, token);
    hello(&second, &net, 2, token);
    assert_int_equal(second.heard[CTL_WELCOME], 1);
    TestPeer_Run(&first, 1000);
    TestPeer_Run(&other, 100);
    assert_true(first.left && first.reason == NET_REASON_KICKED);
    assert_string_equal(first.last[CTL_GOODBYE].u.text.text, "you have joined again elsewhere");
    assert_false(other.left);
    assert_int_equal(Server_NumPlayers(net.server), 2);
    assert_string_equal(Server_PlayerId(net.server, 0), "ann");
    TestPeer_Ready(&second, 0);
    TestPeer_Run(&second, 200);
    assert_true(second.snapshots > 0);
    TestPeer_Free(&first);
    TestPeer_Free(&other);
    TestPeer_Free(&second);
    TestNet_Free(&net);
}

static void test_a_plain_session_is_refused(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    char token[PASETO_BYTES];
    serve(&net, 4);
    SimNet_SetSeal(net.sim, NULL);
    TestToken_Make(&(test_token_t){.id = "ann", .jti = "1", .for_s = 50}, token);
    hello(&peer, &net, 0, token);
    TestPeer_Run(&peer, 1000);
    assert_true(peer.left && peer.reason == NET_REASON_SEAL);
    assert_non_null(strstr(peer.last[CTL_REFUSED].u.refused.text, "needs a sealed session"));
    TestPeer_Free(&peer);
    SimNet_SetSeal(net.sim, (const uint8_t[32]){0});
    hello(&peer, &net, 1, token); // the token was not used up
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_rate_of_wrong_tokens(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    char token[PASETO_BYTES];
    serve(&net, 4);
    for (int32_t i = 0; i < 5; i++) {
        assert_refused(&net, i * 100, "v4.public.AAAA", "malformed token");
    }
    TestToken_Make(&(test_token_t){.id = "ann", .jti = "1", .for_s = 50}, token);
    assert_refused(&net, 500, token, "too many wrong tokens from your address");
    join(&peer, &net, 1, "bob"); // another address
    TestPeer_Run(&peer, 10000);
    TestPeer_Free(&peer);
    hello(&peer, &net, 600, token); // good ones cost nothing
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_rotation_of_keys(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    char old[PASETO_BYTES], new[PASETO_BYTES];
    err_t err = {{0}};
    serve(&net, 4);
    TestToken_Make(&(test_token_t){.id = "ann", .jti = "1", .for_s = 50}, old);
    TestToken_Make(&(test_token_t){.id = "bob", .jti = "1", .for_s = 50, .signer = 1}, new);
    assert_refused(&net, 0, new, "unknown signer");
    assert_false(Server_SetAuth(net.server, "nonsense", 3600, &err));
    assert_non_null(strstr(err.text, "sv_authkeys: expected 43 characters"));
    assert_false(Server_SetAuth(net.server, " ", 3600, &err));
    assert_non_null(strstr(err.text, "sv_authkeys: expected a public key"));
    assert_true(Server_SetAuth(net.server, TEST_TOKEN_KEY " " TEST_TOKEN_KEY2, 3600, &err));
    hello(&peer, &net, 1, new);
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    TestPeer_Free(&peer);
    assert_true(Server_SetAuth(net.server, TEST_TOKEN_KEY2, 3600, &err));
    assert_refused(&net, 2, old, "unknown signer");
    TestNet_Free(&net);
}

static void test_bots_need_no_token(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    control_msg_t msg = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION};
    serve(&net, 4);
    Server_SetBotPassword(net.server, "beep");
    SimNet_SetSeal(net.sim, NULL);
    snprintf(msg.u.hello.password, sizeof msg.u.hello.password, "beep");
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Send(&peer, &msg);
    TestPeer_Run(&peer, 100);
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    assert_int_equal(peer.heard[CTL_TICKET], 0);
    assert_string_equal(Server_PlayerId(net.server, 0), "");
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// Returns the number of slots with a player id.
static int32_t count_id(const test_net_t *net, const char *id) {
    int32_t count = 0;
    for (int32_t slot = 0; slot < 4; slot++) {
        count += strcmp(Server_PlayerId(net->server, slot), id) == 0 ? 1 : 0;
    }
    return count;
}

// Clients of three ids join, load, play and leave in any order, also while the map changes. The
// newest session of an id is the only one.
static void test_random_orders(void **state) {
    (void)state;
    static const char *const ids[] = {"ann", "bob", "eve"};
    static test_net_t net;
    static test_peer_t peers[60];
    rng_t rng = {11};
    const int32_t rounds = Test_IsSlow() ? 20 : 60;
    serve(&net, 4);
    for (int32_t i = 0; i < rounds; i++) {
        char ticket[TICKET_BYTES];
        token_t player = {.until_s = TEST_TOKEN_NOW + 100};
        const char *id = ids[Rng_Below(&rng, COUNTOF(ids))];
        snprintf(player.id, sizeof player.id, "%s", id);
        Ticket_Write(&player, ticket_key, ticket);
        hello(&peers[i], &net, i, ticket);
        assert_int_equal(peers[i].heard[CTL_WELCOME], 1);
        assert_int_equal(count_id(&net, id), 1);
        if (Rng_Below(&rng, 3) > 0) {
            TestPeer_Ready(&peers[i], 0);
        }
        TestPeer_Run(&peers[i], (int32_t)Rng_Below(&rng, 200));
        if (Rng_Below(&rng, 8) == 0) {
            assert_true(Server_StartMap(net.server, "testmap", NULL));
        }
        if (Rng_Below(&rng, 4) == 0) {
            TestPeer_Send(&peers[i], &(control_msg_t){.type = CTL_LEAVE});
            TestPeer_Run(&peers[i], 100);
            assert_int_equal(count_id(&net, id), 0);
        }
        assert_true(Server_NumPlayers(net.server) <= (int32_t)COUNTOF(ids));
        err_t err;
        if (!World_Check(Server_World(net.server), Server_World(net.server)->bytes, &err)) {
            fail_msg("%s", err.text);
        }
    }
    for (int32_t i = 0; i < rounds; i++) {
        TestPeer_Free(&peers[i]);
    }
    TestNet_Free(&net);
}

// ---- the table of used tokens ----

static auth_t make_auth(void) {
    const server_config_t config = {
        .auth = AUTH_TOKEN, .auth_keys = TEST_TOKEN_KEY, .ticket_key = ticket_key};
    auth_t auth;
    assert_true(Auth_Init(&auth, &config, NULL));
    auth.now_s = TEST_TOKEN_NOW;
    return auth;
}

static auth_result_t check(const auth_t *auth, const char *jti, int32_t for_s, token_t *token) {
    char text[PASETO_BYTES];
    err_t err;
    TestToken_Make(&(test_token_t){.id = "ann", .jti = jti, .for_s = for_s}, text);
    return Auth_Check(auth, text, (const uint8_t[32]){0}, token, &err);
}

static void test_a_full_table_refuses(void **state) {
    (void)state;
    auth_t auth = make_auth();
    token_t token;
    assert_int_equal(check(&auth, "first", 10, &token), AUTH_GOOD);
    Auth_Use(&auth, &token);
    for (uint64_t i = 1; i < AUTH_MAX_USED; i++) {
        auth.used[i] = (used_token_t){.use = i, .until_s = TEST_TOKEN_NOW + 30};
    }
    assert_int_equal(check(&auth, "first", 10, &token), AUTH_REFUSED); // still found
    assert_int_equal(check(&auth, "more", 50, &token), AUTH_TABLE_FULL);
    auth.now_s += 10; // the first has expired
    assert_int_equal(check(&auth, "more", 50, &token), AUTH_GOOD);
    Auth_Use(&auth, &token);
    assert_int_equal(check(&auth, "more", 50, &token), AUTH_REFUSED);
    assert_int_equal(check(&auth, "third", 50, &token), AUTH_TABLE_FULL);
    auth.now_s += 20; // all but one have
    assert_int_equal(check(&auth, "more", 50, &token), AUTH_REFUSED);
    assert_int_equal(check(&auth, "third", 50, &token), AUTH_GOOD);
    Auth_Free(&auth);
}

// A full table costs the address of the player nothing.
static void test_a_full_table_is_counted(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    char token[PASETO_BYTES];
    serve(&net, 4);
    for (uint64_t i = 0; i < AUTH_MAX_USED; i++) {
        net.server->auth.used[i] = (used_token_t){.use = i, .until_s = TEST_TOKEN_NOW + 30};
    }
    TestToken_Make(&(test_token_t){.id = "ann", .jti = "1", .for_s = 50}, token);
    for (int32_t i = 1; i <= 7; i++) {
        assert_refused(&net, i * 100, token, "cannot remember more tokens");
        assert_int_equal(Server_Stats(net.server).tokens_full, i);
        assert_int_equal(Server_Stats(net.server).refused, i);
    }
    Server_SetTime(net.server, TEST_TOKEN_NOW + 30);
    hello(&peer, &net, 0, token);
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_start_needs_keys(void **state) {
    (void)state;
    err_t err = {{0}};
    auth_t auth;
    server_config_t config = {.auth = AUTH_TOKEN, .ticket_key = ticket_key};
    assert_false(Auth_Init(&auth, &config, &err));
    assert_non_null(strstr(err.text, "expected sv_authkeys"));
    assert_non_null(strstr(err.text, "edict-ctl key sign FILE"));
    config = (server_config_t){.auth = AUTH_TOKEN, .auth_keys = TEST_TOKEN_KEY};
    assert_false(Auth_Init(&auth, &config, &err));
    assert_non_null(strstr(err.text, "expected sv_keyfile"));
    assert_non_null(strstr(err.text, "edict-ctl key new FILE"));
    config = (server_config_t){.auth = AUTH_OPEN, .auth_keys = "x"};
    assert_false(Auth_Init(&auth, &config, &err));
    config.auth_keys = NULL;
    assert_true(Auth_Init(&auth, &config, &err));
    Auth_Free(&auth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_token_names_the_player),
        cmocka_unit_test(test_a_token_without_name),
        cmocka_unit_test(test_refusals_say_why),
        cmocka_unit_test(test_a_token_is_used_once),
        cmocka_unit_test(test_a_full_server_uses_up_no_token),
        cmocka_unit_test(test_a_ticket_joins_again),
        cmocka_unit_test(test_a_ticket_keeps_the_name_of_the_token),
        cmocka_unit_test(test_without_tickets),
        cmocka_unit_test(test_a_second_join_replaces_the_first),
        cmocka_unit_test(test_a_plain_session_is_refused),
        cmocka_unit_test(test_rate_of_wrong_tokens),
        cmocka_unit_test(test_rotation_of_keys),
        cmocka_unit_test(test_bots_need_no_token),
        cmocka_unit_test(test_random_orders),
        cmocka_unit_test(test_a_full_table_refuses),
        cmocka_unit_test(test_a_full_table_is_counted),
        cmocka_unit_test(test_start_needs_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
