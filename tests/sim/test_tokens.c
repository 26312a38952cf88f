// Clients of the library with tokens: two servers of one signer, tickets after a restart, sessions
// that are not sealed.

#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include <string.h>

static const uint8_t ticket_keys[2][KEY_BYTES] = {{1}, {2}};
static const uint8_t server_keys[2][KEY_BYTES] = {{3}, {4}};

typedef struct {
    cl_t *cl;
    char ticket[MAX_TEXT_BYTES]; ///< as delivered; "" = none yet
    char reason[MAX_TEXT_BYTES]; ///< of the last drop
} guest_t;

static void start(test_net_t *net, int32_t server) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1,
                                      .max_clients = 4,
                                      .map = &room,
                                      .auth_keys = TEST_TOKEN_KEY,
                                      .ticket_key = ticket_keys[server]};
    TestNet_Init(net, &config);
    SimNet_SetSeal(net->sim, server_keys[server]);
}

static guest_t arrive(test_net_t *net) {
    const netaddr_t address = {0x0a000c00u, 4000, 0};
    transport_t *transport = SimNet_Transport(net->sim, address, 2, false);
    guest_t guest = {.cl = CL_Create(&(cl_config_t){.net = transport, .maps = net->maps})};
    assert_non_null(guest.cl);
    return guest;
}

// Joins and returns true if the client plays.
static bool plays(test_net_t *net, guest_t *guest) {
    cl_event_t event;
    assert_true(CL_Connect(guest->cl, net->address, "guest", false, NULL));
    for (int32_t i = 0; i < 1000 && CL_State(guest->cl) != CL_DISCONNECTED; i++) {
        TestNet_Step(net);
        CL_Frame(guest->cl, net->now_ms);
        while (CL_NextEvent(guest->cl, &event)) {
            if (event.type == CL_EVENT_TICKET) {
                snprintf(guest->ticket, sizeof guest->ticket, "%s", event.text);
            } else if (event.type == CL_EVENT_DROPPED) {
                snprintf(guest->reason, sizeof guest->reason, "%s", event.text);
            }
        }
        if (CL_State(guest->cl) == CL_ACTIVE) {
            return true;
        }
    }
    return false;
}

static void leave(test_net_t *net, guest_t *guest) {
    CL_Disconnect(guest->cl);
    CL_Frame(guest->cl, net->now_ms);
    for (int32_t i = 0; i < 300; i++) { // the transport is free again
        TestNet_Step(net);
        CL_Frame(guest->cl, net->now_ms);
    }
}

static void make_token(char text[PASETO_BYTES], int32_t server, const char *jti) {
    test_token_t player = {.id = "steam:1", .name = "Ann", .jti = jti, .for_s = 50};
    memcpy(player.server_key, server_keys[server], KEY_BYTES);
    TestToken_Make(&player, text);
}

// Starts a server and a client with a token for it.
static guest_t arrive_with_token(test_net_t *net, char token[PASETO_BYTES]) {
    start(net, 0);
    guest_t guest = arrive(net);
    make_token(token, 0, "1");
    assert_true(CL_SetToken(guest.cl, token, NULL));
    return guest;
}

static void end(test_net_t *net, guest_t *guest) {
    CL_Destroy(guest->cl);
    TestNet_Free(net);
}

static void test_a_client_joins_again_with_its_ticket(void **state) {
    (void)state;
    static test_net_t net;
    char token[PASETO_BYTES];
    guest_t guest = arrive_with_token(&net, token);
    assert_true(plays(&net, &guest));
    assert_string_equal(CL_PlayerName(guest.cl, CL_Slot(guest.cl)), "Ann");
    assert_non_null(strstr(guest.ticket, "ticket1."));
    leave(&net, &guest);
    assert_int_equal(Server_NumPlayers(net.server), 0);
    assert_true(plays(&net, &guest)); // with the ticket, which replaced the token
    assert_string_equal(CL_PlayerName(guest.cl, CL_Slot(guest.cl)), "Ann");
    leave(&net, &guest);
    assert_true(CL_SetToken(guest.cl, token, NULL));
    assert_false(plays(&net, &guest));
    assert_string_equal(guest.reason, "the token was used before; join with a new one");
    end(&net, &guest);
}

// A player who stays receives tickets, so that the newest one is valid after hours. So does one who
// joined with a ticket.
static void test_tickets_are_renewed(void **state) {
    (void)state;
    static test_net_t net;
    char token[PASETO_BYTES];
    err_t err = {{0}};
    guest_t guest = arrive_with_token(&net, token);
    assert_true(Server_SetAuth(net.server, TEST_TOKEN_KEY, 4, &err)); // s, until a ticket expires
    for (int32_t i = 0; i < 2; i++) {
        assert_true(plays(&net, &guest));
        for (int32_t second = 1; second <= 10; second++) {
            Server_SetTime(net.server, TEST_TOKEN_NOW + 20 * i + second);
            for (int64_t until_ms = net.now_ms + 1000; net.now_ms < until_ms;) {
                TestNet_Step(&net);
                CL_Frame(guest.cl, net.now_ms);
            }
        }
        leave(&net, &guest);
    }
    Server_SetTime(net.server, TEST_TOKEN_NOW + 60);
    assert_false(plays(&net, &guest));
    assert_non_null(strstr(guest.reason, "the ticket expired"));
    end(&net, &guest);
}

// A ticket opens the server that made it, also after a restart with the same key file.
static void test_tickets_and_tokens_of_two_servers(void **state) {
    (void)state;
    static test_net_t net;
    char token[PASETO_BYTES], ticket[MAX_TEXT_BYTES];
    make_token(token, 0, "1");
    for (int32_t i = 0; i < 3; i++) {
        int32_t server = i == 1 ? 1 : 0;
        start(&net, server);
        guest_t guest = arrive(&net);
        assert_true(CL_SetToken(guest.cl, i == 0 ? token : ticket, NULL));
        assert_int_equal(plays(&net, &guest), server == 0);
        if (i == 0) {
            snprintf(ticket, sizeof ticket, "%s", guest.ticket);
        } else if (i == 1) {
            assert_non_null(strstr(guest.reason, "the ticket is not of this server"));
            assert_true(CL_SetToken(guest.cl, token, NULL));
            assert_false(plays(&net, &guest));
            assert_string_equal(guest.reason, "the token is not for this server");
        }
        end(&net, &guest);
    }
}

static void test_a_plain_session_gets_no_token(void **state) {
    (void)state;
    static test_net_t net;
    char token[PASETO_BYTES];
    err_t err = {{0}};
    guest_t guest = arrive_with_token(&net, token);
    assert_true(CL_SetSeal(guest.cl, NET_SEAL_OFFERED, NULL, &err)); // any server, from now on
    assert_false(plays(&net, &guest));
    assert_non_null(strstr(guest.reason, "the token was not sent: it needs a sealed session and"));
    assert_true(CL_SetSeal(guest.cl, NET_SEAL_OFFERED, TEST_TOKEN_KEY, &err)); // any key here
    guest.reason[0] = '\0';
    SimNet_SetSeal(net.sim, NULL);
    assert_false(plays(&net, &guest));
    assert_non_null(strstr(guest.reason, "the token was not sent: it needs a sealed session and"));
    assert_false(CL_SetToken(guest.cl, token, &err)); // no key is expected any more
    assert_non_null(strstr(err.text, "needs the public key"));
    assert_true(CL_SetToken(guest.cl, "", &err));
    assert_false(plays(&net, &guest));
    assert_non_null(strstr(guest.reason, "needs a sealed session"));
    assert_int_equal(Server_Stats(net.server).joins, 0);
    end(&net, &guest);
}

static net_reason_t ban(void *context, const char *id) {
    (void)context;
    assert_string_equal(id, "steam:1");
    return NET_REASON_BANNED;
}

// Loses the network for 4 s, then runs until the client plays or its session has ended.
static void lose(test_net_t *net, guest_t *guest) {
    cl_event_t event;
    const netaddr_t address = {0x0a000c00u, 4000, 0};
    for (int32_t i = 0; i < 3000; i++) {
        SimNet_SetPartition(net->sim, TestNet_ServerAddress(), address, i < 1000);
        TestNet_Step(net);
        CL_Frame(guest->cl, net->now_ms);
        while (CL_NextEvent(guest->cl, &event)) {
            if (event.type == CL_EVENT_DROPPED) {
                snprintf(guest->reason, sizeof guest->reason, "%s", event.text);
            }
        }
    }
}

// A lost player returns with its rejoin key, although its token was used and it has no ticket. A
// ban of its id holds.
static void test_a_lost_player_needs_no_new_token(void **state) {
    (void)state;
    static test_net_t net;
    char token[PASETO_BYTES];
    err_t err = {{0}};
    guest_t guest = arrive_with_token(&net, token);
    Server_SetGrace(net.server, 10000);
    assert_true(Server_SetAuth(net.server, TEST_TOKEN_KEY, 0, &err)); // no tickets
    assert_true(plays(&net, &guest));
    assert_string_equal(guest.ticket, "");
    lose(&net, &guest);
    assert_int_equal(CL_State(guest.cl), CL_ACTIVE);
    assert_int_equal(Server_Stats(net.server).returns, 1);
    assert_int_equal(Server_Stats(net.server).joins, 1);
    assert_string_equal(Server_PlayerId(net.server, CL_Slot(guest.cl)), "steam:1");
    net.server->config.allows = ban;
    lose(&net, &guest);
    assert_string_equal(guest.reason, "you are banned from this server");
    assert_int_equal(Server_Stats(net.server).returns, 1);
    end(&net, &guest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_client_joins_again_with_its_ticket),
        cmocka_unit_test(test_tickets_are_renewed),
        cmocka_unit_test(test_tickets_and_tokens_of_two_servers),
        cmocka_unit_test(test_a_plain_session_gets_no_token),
        cmocka_unit_test(test_a_lost_player_needs_no_new_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
