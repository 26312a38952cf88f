// Texts of players: rates, mutes, the password, names that look alike, and the lists of peers.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include "core/addresses.h"

#include <string.h>

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

static void say(test_peer_t *peer, const char *text, int32_t times) {
    for (int32_t i = 0; i < times; i++) {
        TestPeer_Text(peer, CTL_SAY, text);
    }
}

// Runs both clients for `ms` and returns how many chat lines `ann` received meanwhile.
static int32_t heard_by(test_peer_t *ann, test_peer_t *eve, int32_t ms) {
    ann->heard[CTL_CHAT] = 0;
    for (int32_t at = 0; at < ms; at += 100) {
        TestPeer_Run(eve, 48);
        TestPeer_Run(ann, 52);
    }
    return ann->heard[CTL_CHAT];
}

// ---- rates ----

static void test_a_person_types_this_fast(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&eve, &net, 0, "eve");
    TestPeer_Join(&ann, &net, 1, "ann");
    TestPeer_Run(&eve, 100);
    say(&eve, "buy", 12);
    eve.heard[CTL_PRINT] = 0;
    assert_int_equal(heard_by(&ann, &eve, 400), 4); // the burst that is sent at once
    assert_int_equal(eve.heard[CTL_PRINT], 1);      // one refusal for the burst
    assert_string_equal(eve.last[CTL_PRINT].u.text.text,
                        "not sent: you write too fast; wait a few seconds");
    assert_int_equal(Server_Stats(net.server).floods, 8);
    int32_t heard = 0;
    for (int32_t i = 0; i < 150; i++) { // ten lines a second for 15 s
        say(&eve, "buy", 1);
        heard += heard_by(&ann, &eve, 100);
    }
    assert_true(heard >= 9);
    assert_true(heard <= 11); // one per 1.5 s
    assert_true(eve.heard[CTL_PRINT] >= 3);
    assert_true(eve.heard[CTL_PRINT] <= 5);
    assert_false(eve.left);
    heard_by(&ann, &eve, 7000);
    char wall[MAX_TEXT_BYTES];
    memset(wall, 'x', sizeof wall - 1);
    wall[sizeof wall - 1] = '\0';
    heard = 0;
    for (int32_t i = 0; i < 300; i++) { // a long line costs more time
        say(&eve, wall, 1);
        heard += heard_by(&ann, &eve, 100);
    }
    assert_true(heard >= 4);
    assert_true(heard <= 6); // 6.4 s each
    TestPeer_EndTwo(&net, &ann, &eve);
}

// Eight clients send ten lines a second each. Each costs the others as much as one typing player.
static void test_a_crowd_of_flooders(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peers[8], ann;
    TestPeer_Serve(&net, 12);
    TestPeer_Join(&ann, &net, 20, "ann");
    for (int32_t i = 0; i < 8; i++) {
        TestPeer_Join(&peers[i], &net, i, "eve");
    }
    ann.heard[CTL_CHAT] = 0;
    for (int32_t i = 0; i < 150; i++) {
        for (int32_t n = 0; n < 8; n++) {
            say(&peers[n], "buy", 1);
            TestPeer_Run(&peers[n], 12);
        }
        TestPeer_Run(&ann, 4);
    }
    int32_t expected = 8 * (4 + 10);
    assert_true(ann.heard[CTL_CHAT] >= expected - 8);
    assert_true(ann.heard[CTL_CHAT] <= expected + 8);
    for (int32_t i = 0; i < 8; i++) {
        TestPeer_Free(&peers[i]);
    }
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

static void leave(test_peer_t *peer) {
    TestPeer_Send(peer, &(control_msg_t){.type = CTL_LEAVE});
    TestPeer_Run(peer, 200);
    TestPeer_Free(peer);
}

// A client that leaves and joins again does not get a new burst.
static void test_a_rejoin_is_no_new_burst(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_ServeTwo(&net, &ann, &eve);
    say(&eve, "buy", 8);
    assert_int_equal(heard_by(&ann, &eve, 200), 4);
    leave(&eve);
    TestPeer_Join(&eve, &net, 0, "eva");
    say(&eve, "buy", 8);
    assert_true(heard_by(&ann, &eve, 200) <= 1);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// Joins are lines that others read, too: one address gets 32 at once, then one per 2 s.
static void test_joins_have_a_rate(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&ann, &net, 1, "ann");
    int32_t refused = 0;
    for (int32_t i = 0; i < 60; i++) {
        TestPeer_Connect(&eve, &net, 0);
        TestPeer_Hello(&eve, "eve");
        TestPeer_Run(&eve, 40);
        refused += eve.heard[CTL_REFUSED];
        if (eve.heard[CTL_REFUSED] > 0) {
            assert_non_null(strstr(eve.last[CTL_REFUSED].u.refused.text, "too many joins"));
        }
        leave(&eve);
    }
    assert_true(refused >= 15);
    assert_true(refused <= 25); // 60 joins took about 16 s
    assert_int_equal(Server_Stats(net.server).refused_rate, refused);
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

// Joins that fail use up nothing: neither those at a full server nor those with a wrong password.
static void test_failed_joins_have_no_rate(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_Serve(&net, 1);
    TestPeer_Join(&ann, &net, 1, "ann");
    for (int32_t i = 0; i < 60; i++) {
        TestPeer_Connect(&eve, &net, 0);
        TestPeer_Hello(&eve, "eve");
        TestPeer_Run(&eve, 100);
        assert_string_equal(eve.last[CTL_REFUSED].u.refused.text, "the server is full");
        leave(&eve);
        TestPeer_Run(&ann, 10);
    }
    assert_int_equal(Server_Stats(net.server).refused_rate, 0);
    leave(&ann);
    TestPeer_Join(&eve, &net, 0, "eve");
    TestPeer_Free(&eve);
    TestNet_Free(&net);
}

// The address of a relay joins at any rate, and a mute of one of its players is not for the others.
static void test_a_relay(void **state) {
    (void)state;
    static test_net_t net;
    netranges_t relays = {.count = 1, .list = {{0x0a000900u, 32}}}; // of peer 0
    const test_net_config_t config = {.seed = 1, .max_clients = 4, .map = &room, .exempt = &relays};
    test_peer_t eve, ann;
    TestNet_Init(&net, &config);
    TestPeer_Join(&ann, &net, 1, "ann");
    for (int32_t i = 0; i < 60; i++) {
        TestPeer_Join(&eve, &net, 0, "eve");
        leave(&eve);
        TestPeer_Run(&ann, 10);
    }
    TestPeer_Join(&eve, &net, 0, "eve");
    assert_true(Server_Mute(net.server, 1, 0x0a000900u, MUTE_THIS_MAP));
    say(&eve, "buy", 1);
    assert_int_equal(heard_by(&ann, &eve, 400), 0);
    leave(&eve);
    TestPeer_Join(&eve, &net, 0, "bob");
    say(&eve, "hello", 1);
    assert_int_equal(heard_by(&ann, &eve, 400), 1);
    leave(&eve);
    Server_SetPassword(net.server, "sesame");
    for (int32_t i = 0; i < 30; i++) {
        TestPeer_Connect(&eve, &net, 0);
        TestPeer_Hello(&eve, "eve");
        TestPeer_Run(&eve, 100);
        assert_string_equal(eve.last[CTL_REFUSED].u.refused.text, "this server needs a password");
        leave(&eve);
    }
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

// Commands whose answer everybody reads count as lines.
static void test_commands_that_others_read(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    err_t err;
    TestPeer_ServeTwo(&net, &ann, &eve);
    assert_true(Server_SetCvar(net.server, "teamplay", "1", &err));
    TestPeer_Run(&eve, 1000);
    TestPeer_Run(&ann, 100);
    ann.heard[CTL_PRINT] = 0;
    for (int32_t i = 0; i < 100; i++) { // 10 s
        TestPeer_Text(&eve, CTL_COMMAND, i % 2 == 0 ? "team red" : "team blue");
        TestPeer_Run(&eve, 48);
        TestPeer_Run(&ann, 52);
    }
    assert_true(ann.heard[CTL_PRINT] >= 4);
    assert_true(ann.heard[CTL_PRINT] <= 12);
    assert_true(Server_Stats(net.server).floods > 10);
    assert_false(eve.left);
    eve.heard[CTL_PRINT] = 0;
    for (int32_t i = 0; i < 10; i++) { // answers to the client alone are not limited
        TestPeer_Text(&eve, CTL_COMMAND, "dance");
    }
    TestPeer_Run(&eve, 200);
    assert_true(eve.heard[CTL_PRINT] >= 10);
    heard_by(&ann, &eve, 10000);
    assert_true(Server_Mute(net.server, 1, Server_PlayerAddress(net.server, 1).host, 0));
    ann.heard[CTL_PRINT] = 0;
    TestPeer_Text(&eve, CTL_COMMAND, "team red"); // a mute holds for them, too
    TestPeer_Run(&eve, 300);
    TestPeer_Run(&ann, 100);
    assert_int_equal(ann.heard[CTL_PRINT], 0);
    assert_true(Server_Stats(net.server).muted_lines > 0);
    assert_string_equal(eve.last[CTL_PRINT].u.text.text,
                        "not sent: you are muted until the map changes");
    TestPeer_EndTwo(&net, &ann, &eve);
}

// Messages that a session needs are never limited.
static void test_texts_do_not_block_a_session(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve;
    err_t err;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&eve, &net, 0, "eve");
    TestPeer_Run(&eve, 100);
    assert_true(Server_StartMap(net.server, "second", &err));
    for (int i = 0; i < 100; i++) {
        TestPeer_Text(&eve, CTL_COMMAND, "buy");
    }
    TestPeer_Ready(&eve, 2);
    TestPeer_Run(&eve, 100);
    assert_int_equal(World_Client(Server_World(net.server), 0)->inuse, 1);
    eve.heard[CTL_PRINT] = 0;
    for (int i = 0; i < 100; i++) {
        TestPeer_Text(&eve, CTL_COMMAND, "buy");
    }
    TestPeer_Run(&eve, 200);
    assert_true(eve.heard[CTL_PRINT] >= 20);
    assert_true(eve.heard[CTL_PRINT] <= 25);
    TestPeer_Send(&eve, &(control_msg_t){.type = CTL_LEAVE});
    TestPeer_Run(&eve, 100);
    assert_int_equal(World_Client(Server_World(net.server), 0)->inuse, 0);
    TestPeer_Free(&eve);
    TestNet_Free(&net);
}

static void test_chat_is_cleaned(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&eve, &net, 0, "eve");
    TestPeer_Join(&ann, &net, 1, "ann");
    say(&eve, " \xe2\x80\xae hello \xe2\x80\x8b  \xc2\xad you ", 1);
    assert_int_equal(heard_by(&ann, &eve, 200), 1);
    assert_string_equal(ann.last[CTL_CHAT].u.chat.text, "hello you");
    say(&eve, "\xe2\xa0\x80\xe3\x80\x80", 1); // only blank characters
    assert_int_equal(heard_by(&ann, &eve, 200), 0);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// ---- mutes ----

static void test_mute(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    err_t err;
    TestPeer_ServeTwo(&net, &ann, &eve);
    uint32_t host = Server_PlayerAddress(net.server, 1).host;
    assert_string_equal(Server_PlayerName(net.server, 1), "eve");
    assert_true(Server_Mute(net.server, 1, host, MUTE_THIS_MAP));
    eve.heard[CTL_PRINT] = 0;
    say(&eve, "buy", 10);
    say(&ann, "I speak", 1);
    assert_int_equal(heard_by(&ann, &eve, 400), 1);
    assert_int_equal(eve.heard[CTL_PRINT], 1);
    assert_string_equal(eve.last[CTL_PRINT].u.text.text,
                        "not sent: you are muted until the map changes");
    assert_int_equal(Server_Stats(net.server).muted_lines, 10);
    leave(&eve);
    TestPeer_Join(&eve, &net, 0, "eva"); // under another name
    say(&eve, "buy", 1);
    assert_int_equal(heard_by(&ann, &eve, 400), 0);
    assert_true(Server_StartMap(net.server, "second", &err)); // ends the mute
    TestPeer_Run(&eve, 100);
    TestPeer_Run(&ann, 100);
    TestPeer_Ready(&eve, 0);
    TestPeer_Ready(&ann, 0);
    TestPeer_Run(&eve, 200);
    say(&eve, "back", 1);
    assert_int_equal(heard_by(&ann, &eve, 400), 1);
    leave(&eve);
    TestPeer_Join(&eve, &net, 0, "eve");
    say(&eve, "back", 1);
    assert_int_equal(heard_by(&ann, &eve, 400), 1);
    TestPeer_EndTwo(&net, &ann, &eve);
}

static void test_a_mute_for_a_time(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    err_t err;
    TestPeer_ServeTwo(&net, &ann, &eve);
    uint32_t host = Server_PlayerAddress(net.server, 1).host;
    assert_true(Server_Mute(net.server, -1, host, 60000)); // by address
    assert_true(Server_StartMap(net.server, "second", &err));
    TestPeer_Run(&eve, 100);
    TestPeer_Run(&ann, 100);
    TestPeer_Ready(&eve, 0);
    TestPeer_Ready(&ann, 0);
    TestPeer_Run(&eve, 200);
    say(&eve, "buy", 1);
    assert_int_equal(heard_by(&ann, &eve, 300), 0); // a map change does not end this mute
    assert_non_null(strstr(eve.last[CTL_PRINT].u.text.text, "not sent: you are muted for "));
    heard_by(&ann, &eve, 60000);
    say(&eve, "back", 1);
    assert_int_equal(heard_by(&ann, &eve, 300), 1);
    assert_true(Server_Mute(net.server, 1, host, 60000));
    assert_true(Server_Mute(net.server, 1, host, MUTE_END));
    say(&eve, "back", 1);
    assert_int_equal(heard_by(&ann, &eve, 300), 1);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// ---- the password ----

// Tries to join with a password, NULL = none. Returns the refusal, or "" if the client plays.
static const char *try_password(test_net_t *net, int32_t number, const char *password) {
    static char text[MAX_TEXT_BYTES];
    test_peer_t peer;
    control_msg_t msg = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION};
    snprintf(msg.u.hello.name, sizeof msg.u.hello.name, "ann");
    snprintf(msg.u.hello.password, sizeof msg.u.hello.password, "%s", password ? password : "");
    TestPeer_Connect(&peer, net, number);
    TestPeer_Send(&peer, &msg);
    TestPeer_Run(&peer, 200);
    snprintf(text, sizeof text, "%s", peer.last[CTL_REFUSED].u.refused.text);
    assert_int_equal(peer.heard[CTL_WELCOME], text[0] == '\0');
    if (text[0] != '\0') {
        TestPeer_Run(&peer, 1000);
        assert_int_equal(peer.reason, NET_REASON_PASSWORD);
    }
    leave(&peer);
    return text;
}

static void test_password(void **state) {
    (void)state;
    static test_net_t net;
    char longest[CTL_PASSWORD_BYTES];
    TestPeer_Serve(&net, 4);
    assert_string_equal(try_password(&net, 0, "any"), ""); // no password is needed
    Server_SetPassword(net.server, "sesame");
    assert_string_equal(try_password(&net, 0, NULL), "this server needs a password");
    assert_string_equal(try_password(&net, 0, "sesam"), "wrong password");
    assert_string_equal(try_password(&net, 0, "sesame2"), "wrong password");
    assert_string_equal(try_password(&net, 0, "sesame"), "");
    assert_int_equal(Server_Stats(net.server).refused_password, 3);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    Server_SetPassword(net.server, longest);
    assert_string_equal(try_password(&net, 1, longest), "");
    longest[sizeof longest - 2] = 'y';
    assert_string_equal(try_password(&net, 1, longest), "wrong password");
    Server_SetPassword(net.server, "");
    assert_string_equal(try_password(&net, 1, NULL), "");
    TestNet_Free(&net);
}

// Guessing: five wrong ones at once, then one per ten seconds, per address.
static void test_guessing_passwords(void **state) {
    (void)state;
    static test_net_t net;
    TestPeer_Serve(&net, 4);
    Server_SetPassword(net.server, "sesame");
    for (int32_t i = 0; i < 5; i++) {
        assert_string_equal(try_password(&net, 0, "guess"), "wrong password");
    }
    const char *limited = "too many wrong passwords from your address; wait a minute";
    assert_string_equal(try_password(&net, 0, "guess"), limited);
    // The limit hides whether this password is right.
    assert_string_equal(try_password(&net, 0, "sesame"), limited);
    assert_string_equal(try_password(&net, 1, "sesame"), ""); // others are not affected
    test_peer_t ann;
    TestPeer_Connect(&ann, &net, 2);
    TestPeer_Run(&ann, 9000); // drops the idle connection at its own time
    assert_string_equal(try_password(&net, 0, "sesame"), "");
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

// ---- names ----

static void test_names_that_look_alike(void **state) {
    (void)state;
    static const char *const invisible[] = {"\xc2\xad",     "\xcd\x8f",         "\xd8\x9c",
                                            "\xe1\x85\x9f", "\xe1\x9e\xb4",     "\xe1\xa0\x8e",
                                            "\xe2\x80\x8b", "\xe2\x80\xa8",     "\xe2\x80\xae",
                                            "\xe2\x81\xa0", "\xe2\xa0\x80",     "\xe3\x85\xa4",
                                            "\xef\xb8\x8f", "\xef\xbb\xbf",     "\xef\xbe\xa0",
                                            "\xef\xbf\xb9", "\xf3\xa0\x80\x81", " ",
                                            "\xc2\xa0",     "\xe3\x80\x80"};
    static test_net_t net;
    test_peer_t bob, other;
    char name[MAX_NAME_BYTES];
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&bob, &net, 100, "old bob");
    for (int32_t i = 0; i < (int32_t)COUNTOF(invisible); i++) {
        const char *one = invisible[i];
        snprintf(name, sizeof name, "%sold%s %s %sbob%s", one, one, one, one, one);
        if (i >= (int32_t)COUNTOF(invisible) - 3) {
            snprintf(name, sizeof name, "%sold%s%sbob%s", one, one, one, one); // blanks
        }
        TestPeer_Join(&other, &net, i, name);
        assert_string_equal(Server_PlayerName(net.server, 1), "old bob(1)");
        leave(&other);
        TestPeer_Run(&bob, 100);
        snprintf(name, sizeof name, "%s%s", one, one);
        TestPeer_Join(&other, &net, i, name);
        assert_string_equal(Server_PlayerName(net.server, 1), "player 2");
        leave(&other);
    }
    TestPeer_Free(&bob);
    TestNet_Free(&net);
}

// ---- lists ----

static void keep_line(void *context, const char *line) {
    strlcat(context, line, 1024);
    strlcat(context, "\n", 1024);
}

static void test_peers_that_have_not_joined(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    char text[1024] = "";
    TestPeer_Serve(&net, 4);
    Server_PrintPeers(net.server, keep_line, text);
    assert_string_equal(text, "every connection has joined\n");
    TestPeer_Join(&ann, &net, 1, "ann");
    TestPeer_Connect(&eve, &net, 0);
    TestPeer_Run(&eve, 3100);
    text[0] = '\0';
    Server_PrintPeers(net.server, keep_line, text);
    assert_non_null(strstr(text, "10.0.9.0:5000"));
    assert_non_null(strstr(text, "connected 3 s  received 0 bytes  has not joined\n"));
    assert_null(strstr(text, "10.0.9.1"));
    text[0] = '\0';
    Server_PrintClients(net.server, keep_line, text);
    assert_non_null(strstr(
        text, "joins refused: banned 0  full 0  same address 0  password 0  token 0  rate 0  "
              "not sealed 0; not joined "
              "yet 1, half-open 0\n"));
    assert_non_null(strstr(text, "ann                  10.0.9.1:5000"));
    TestPeer_EndTwo(&net, &ann, &eve);
}

static net_reason_t reject(void *host, netaddr_t from) {
    return from.host == *(const uint32_t *)host ? NET_REASON_BANNED : NET_REASON_NONE;
}

static void test_drop_where(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&ann, &net, 1, "ann");
    TestPeer_Connect(&eve, &net, 0); // never joins
    TestPeer_Run(&eve, 100);
    uint32_t host = 0x0a000900u;
    assert_int_equal(Server_DropWhere(net.server, reject, &host, "banned: spam"), 1);
    TestPeer_Run(&eve, 1000);
    assert_true(eve.left);
    assert_int_equal(eve.reason, NET_REASON_BANNED);
    assert_string_equal(eve.last[CTL_GOODBYE].u.text.text, "banned: spam");
    assert_int_equal(Server_DropWhere(net.server, reject, &host, "banned: spam"), 0);
    TestPeer_Run(&ann, 500);
    assert_false(ann.left);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// ---- the table of addresses ----

static void test_a_full_book(void **state) {
    (void)state;
    static addresses_t book;
    for (uint32_t i = 1; i <= MAX_MUTED_ADDRESSES; i++) {
        assert_true(Addresses_Mute(&book, i, i % 2 ? MUTED_THIS_MAP : 5000 + i, 0));
    }
    assert_false(Addresses_Mute(&book, 9999, MUTED_THIS_MAP, 0));
    assert_true(Addresses_Mute(&book, 7, 6000, 0));     // this address is muted already
    for (uint32_t i = 0; i < 10 * MAX_ADDRESSES; i++) { // other addresses come and go
        Addresses_Get(&book, 1000000 + i)->chat_empty_ms = 100;
    }
    for (uint32_t i = 1; i <= MAX_MUTED_ADDRESSES; i++) {
        assert_true(Addresses_Get(&book, i)->muted_until_ms > 0);
    }
    Addresses_MapChanged(&book);
    assert_int_equal(Addresses_Get(&book, 1)->muted_until_ms, 0);
    assert_int_equal(Addresses_Get(&book, 2)->muted_until_ms, 5002);
    assert_true(Addresses_Mute(&book, 9999, MUTED_THIS_MAP, 0));
    // The entry whose limits end first is replaced.
    memset(&book, 0, sizeof book);
    for (uint32_t i = 1; i <= MAX_ADDRESSES; i++) {
        Addresses_Get(&book, i)->wrong_empty_ms = i == 200 ? 5 : 1000 + i;
    }
    Addresses_Get(&book, 9999)->joins_empty_ms = 50000;
    assert_int_equal(Addresses_Get(&book, 199)->wrong_empty_ms, 1199);
    assert_int_equal(Addresses_Get(&book, 200)->wrong_empty_ms, 0);
}

static void test_buckets(void **state) {
    (void)state;
    int64_t bucket = 0;
    assert_true(Bucket_Charge(&bucket, 1000, 10, 20));
    assert_true(Bucket_Charge(&bucket, 1000, 10, 20));
    assert_true(Bucket_Charge(&bucket, 1000, 10, 20));
    assert_false(Bucket_Charge(&bucket, 1000, 10, 20));
    assert_int_equal(bucket, 1030);
    assert_false(Bucket_Charge(&bucket, 1009, 10, 20));
    assert_true(Bucket_Charge(&bucket, 1010, 10, 20));
    assert_true(Bucket_Charge(&bucket, 9000, 10, 20));
    assert_int_equal(bucket, 9010);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_person_types_this_fast),
        cmocka_unit_test(test_a_crowd_of_flooders),
        cmocka_unit_test(test_a_rejoin_is_no_new_burst),
        cmocka_unit_test(test_joins_have_a_rate),
        cmocka_unit_test(test_failed_joins_have_no_rate),
        cmocka_unit_test(test_a_relay),
        cmocka_unit_test(test_commands_that_others_read),
        cmocka_unit_test(test_texts_do_not_block_a_session),
        cmocka_unit_test(test_chat_is_cleaned),
        cmocka_unit_test(test_mute),
        cmocka_unit_test(test_a_mute_for_a_time),
        cmocka_unit_test(test_password),
        cmocka_unit_test(test_guessing_passwords),
        cmocka_unit_test(test_names_that_look_alike),
        cmocka_unit_test(test_peers_that_have_not_joined),
        cmocka_unit_test(test_drop_where),
        cmocka_unit_test(test_a_full_book),
        cmocka_unit_test(test_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
