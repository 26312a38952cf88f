// Commands about players: finding a player, kick, mute, bans and their file, the password.

#include "lib/console_fixture.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void join_three(scene_t *scene, test_peer_t peers[3]) {
    static const char *const names[] = {"ann", "anna", "old bob"};
    set_up(scene);
    start_server(scene);
    scene->console.bans = calloc(1, sizeof *scene->console.bans);
    assert_non_null(scene->console.bans);
    scene->console.bans->path = "";
    scene->console.bans->now_s = 1800000000; // 2027-01-15T08:00:00Z
    for (int32_t i = 0; i < 3; i++) {
        TestPeer_Join(&peers[i], &scene->net, i, names[i]);
    }
}

static void end_three(scene_t *scene, test_peer_t peers[3]) {
    for (int32_t i = 0; i < 3; i++) {
        TestPeer_Free(&peers[i]);
    }
    Bans_Free(scene->console.bans);
    free(scene->console.bans);
    tear_down(scene);
}

static void run_three(test_peer_t peers[3], int32_t ms) {
    for (int32_t at = 0; at < ms; at += 60) {
        for (int32_t i = 0; i < 3; i++) {
            TestPeer_Run(&peers[i], 20);
        }
    }
}

// A player is found by slot, by name, by a part of the name that no other player has, or by
// address. Otherwise the candidates are listed.
static void test_players_are_found(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t peers[3];
    join_three(&scene, peers);
    assert_has(fails(&scene, "mute an"),
               "mute: \"an\" matches 2 players: 0 ann, 1 anna; use a slot or a whole name");
    assert_has(fails(&scene, "mute carl"),
               "mute: expected the slot, name or address of a player, found \"carl\"; players: "
               "0 ann, 1 anna, 2 old bob");
    assert_has(fails(&scene, "mute 3"), "found \"3\"");
    assert_has(fails(&scene, "mute 10.0.9.0/24"),
               "mute: expected one player or address, found the range \"10.0.9.0/24\"");
    assert_has(fails(&scene, "mute 10.0.9.999"), "mute: expected an IPv4 address or range");
    assert_has(fails(&scene, "mute ann 30"), "mute: expected a time such as 30m, 12h or 7d");
    assert_has(fails(&scene, "mute ann often"),
               "mute: expected a time such as 30m, or nothing, found \"often\"");
    assert_string_equal(says(&scene, "mute ann 30m; mute OLD; mute 10.0.9.1"),
                        "info: muted ann (slot 0, 10.0.9.0) for 30m\n"
                        "info: muted old bob (slot 2, 10.0.9.2) until the map changes\n"
                        "info: muted 10.0.9.1 until the map changes\n");
    assert_has(says(&scene, "status"), "  muted  frags 0");
    TestPeer_Run(&peers[0], 2000);
    assert_has(says(&scene, "bans"), "info: no bans\ninfo: muted 10.0.9.0 for 1798 more s\n");
    assert_has(scene.text, "info: muted 10.0.9.2 until the map changes\n");
    for (int32_t i = 0; i < 3; i++) {
        assert_true(peers[i].connected);
        assert_true(!peers[i].left);
        char slot[32];
        snprintf(slot, sizeof slot, "unmute %d", i);
        assert_has(says(&scene, slot), "info: unmuted ");
    }
    assert_null(strstr(says(&scene, "status"), "muted"));
    assert_string_equal(says(&scene, "bans"), "info: no bans\n");
    assert_has(says(&scene, "peers"), "every connection has joined");
    end_three(&scene, peers);
}

static void test_kick_with_a_reason(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t peers[3];
    join_three(&scene, peers);
    assert_string_equal(
        says(&scene, "kick \"old bob\" too  much lag; kick 10.0.9.0/31"),
        "info: kicked old bob (slot 2, 10.0.9.2) (clients dropped: 1): too much lag\n"
        "info: kicked 10.0.9.0/31 (clients dropped: 2)\n");
    assert_has(fails(&scene, "kick 10.0.9.0/31"), "kick: nobody is connected from 10.0.9.0/31");
    run_three(peers, 1000);
    for (int32_t i = 0; i < 3; i++) {
        assert_true(peers[i].left);
        assert_int_equal(peers[i].reason, NET_REASON_KICKED);
        assert_string_equal(peers[i].last[CTL_GOODBYE].u.text.text,
                            i == 2 ? "kicked by the operator: too much lag"
                                   : "kicked by the operator");
    }
    assert_has(fails(&scene, "kick ann"), "found \"ann\"; nobody plays");
    end_three(&scene, peers);
}

static void test_bans(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t peers[3];
    join_three(&scene, peers);
    bans_t *bans = scene.console.bans;
    assert_has(says(&scene, "bans"), "no bans");
    assert_has(says(&scene, "ban ann 2h floods the chat"),
               "ban 10.0.9.0 2027-01-15T10:00:00Z floods the chat (clients dropped: 1); lasts "
               "only until the server ends, because sv_banfile is empty");
    assert_has(says(&scene, "allow \"old bob\""), "allow 10.0.9.2 forever; lasts only");
    assert_has(says(&scene, "ban 10.0.0.0/8"), "ban 10.0.0.0/8 forever (clients dropped: 1");
    run_three(peers, 1000);
    assert_true(peers[0].left);
    assert_true(peers[1].left);
    assert_true(!peers[2].left);
    assert_int_equal(peers[0].reason, NET_REASON_BANNED);
    assert_string_equal(peers[0].last[CTL_GOODBYE].u.text.text,
                        "banned until 2027-01-15T10:00:00Z: floods the chat");
    assert_string_equal(peers[1].last[CTL_GOODBYE].u.text.text, "banned");
    assert_string_equal(says(&scene, "bans"), "info: ban 10.0.0.0/8 forever\n"
                                              "info: ban 10.0.9.0 2027-01-15T10:00:00Z floods the "
                                              "chat\ninfo: allow 10.0.9.2 forever\n");
    assert_string_equal(says(&scene, "bans allow"), "info: allow 10.0.9.2 forever\n");
    assert_has(fails(&scene, "unban 10.0.9.1"),
               "unban: no entry 10.0.9.1, but the entry 10.0.0.0/8 covers it; \"unban 10.0.0.0/8\" "
               "removes that entry, \"allow 10.0.9.1\" exempts this address");
    assert_has(fails(&scene, "unban 11.0.9.1"), "unban: no entry 11.0.9.1 (bans lists them)");
    assert_has(fails(&scene, "unban ann"), "expected an IPv4 address or range");
    assert_has(fails(&scene, "ban ann 30"), "ban: expected the slot, name or address of a player");
    assert_has(fails(&scene, "ban old bob 30m spams"),
               "ban: expected TIME right after WHO, found \"30m\" after \"bob\"; put names with "
               "blanks in quotes");
    static const char *const mistyped[] = {"30", "2h30m x", "1H x", "0m", "90x x"};
    for (size_t i = 0; i < sizeof mistyped / sizeof mistyped[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "ban 10.0.9.1 %s", mistyped[i]);
        assert_has(fails(&scene, line), "ban: expected a time such as 30m, 12h or 7d");
    }
    says(&scene, "unban 10.0.0.0/8; unban 10.0.9.0/32; unban 10.0.9.2");
    assert_int_equal(bans->count, 0);
    scene.console.reloading = true; // a config says what must be gone, at the start and at SIGHUP
    assert_has(says(&scene, "unban 11.0.9.1"), "info: unban 11.0.9.1");
    assert_int_equal(bans->count, 0);
    scene.console.reloading = false;
    end_three(&scene, peers);
}

// Joins with a token, whose player id and jti are given.
static void join_as(scene_t *scene, test_peer_t *peer, int32_t number, const char *id,
                    const char *jti) {
    control_msg_t msg = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION};
    TestToken_Make(&(test_token_t){.id = id, .jti = jti, .for_s = 50}, msg.u.hello.token);
    TestPeer_Connect(peer, &scene->net, number);
    TestPeer_Send(peer, &msg);
    TestPeer_Run(peer, 200);
}

static void test_player_ids(void **state) {
    (void)state;
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    static scene_t scene;
    static bans_t bans;
    test_peer_t ann, bob, again;
    const uint8_t key[KEY_BYTES] = {1};
    const test_net_config_t config = {.seed = 1,
                                      .max_clients = 4,
                                      .map = &room,
                                      .auth_keys = TEST_TOKEN_KEY,
                                      .ticket_key = key,
                                      .allows = Bans_AllowId,
                                      .allow_context = &bans};
    set_up(&scene);
    TestNet_Init(&scene.net, &config);
    scene.console.server = scene.net.server;
    scene.console.host.sv_maxclients = 4;
    scene.console.bans = &bans;
    bans.path = "";
    join_as(&scene, &ann, 0, "ann", "1");
    join_as(&scene, &bob, 1, "bob", "1");
    assert_has(says(&scene, "status"), "  id ann");
    assert_has(says(&scene, "kick id:ann"), "info: kicked player 1 (slot 0, 10.0.9.0)");
    assert_has(fails(&scene, "kick id:ann"), "kick: no player with the id \"ann\" is here");
    assert_has(says(&scene, "mute id:bob"), "info: muted player 2 (slot 1, 10.0.9.1)");
    assert_has(fails(&scene, "mute id:eve"), "mute: no player with the id \"eve\" is here");
    assert_has(fails(&scene, "allow id:bob"), "allow: expected an address or range");
    assert_has(fails(&scene, "ban id:"), "ban: expected a player id");
    assert_has(says(&scene, "ban id:bob cheats; ban id:eve"),
               "info: ban id:bob forever cheats (clients dropped: 1)");
    TestPeer_Run(&bob, 1000);
    assert_true(bob.left);
    join_as(&scene, &again, 2, "bob", "2"); // from another address
    assert_int_equal(again.heard[CTL_WELCOME], 0);
    assert_string_equal(again.last[CTL_REFUSED].u.refused.text, "you are banned from this server");
    TestPeer_Free(&again);
    assert_has(says(&scene, "bans"), "info: ban id:bob forever cheats\ninfo: ban id:eve forever\n");
    assert_has(fails(&scene, "unban id:carl"), "unban: no entry id:carl");
    assert_has(says(&scene, "unban id:bob"), "info: unban id:bob");
    join_as(&scene, &again, 3, "bob", "2"); // the refused join left the token unused
    assert_int_equal(again.heard[CTL_WELCOME], 1);
    ban_t ban = {.until_s = 0};
    assert_true(Ban_ParseWho("id:bob", &ban, NULL) && Bans_Set(&bans, &ban));
    Console_ReloadBans(&scene.console);
    TestPeer_Run(&again, 1000);
    assert_true(again.left);
    TestPeer_Free(&again);
    TestPeer_Free(&ann);
    TestPeer_Free(&bob);
    Bans_Free(&bans);
    tear_down(&scene);
}

// A command does not lose changes that were made to the file by hand. A full disk is reported.
static void test_bans_are_saved(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t peers[3];
    char path[128], other[160];
    size_t size = 0;
    join_three(&scene, peers);
    snprintf(path, sizeof path, "%s", path_of(&scene, "bans"));
    snprintf(other, sizeof other, "%s.tmp", path);
    scene.console.bans->path = path;
    says(&scene, "ban 192.0.2.1");
    write_config(&scene, "bans", "# by hand\nban 192.0.2.2 forever\n");
    says(&scene, "ban 192.0.2.3");
    char *text = (char *)File_Read(path, 4096, &size, NULL);
    assert_string_equal(text, "# by hand\nban 192.0.2.2 forever\nban 192.0.2.3 forever\n");
    free(text);
    assert_int_equal(mkdir(other, 0700), 0); // File_Write writes there first
    assert_has(fails(&scene, "ban anna"), "in force, but not saved: ");
    assert_has(says(&scene, "bans"), "ban 10.0.9.1 forever");
    assert_has(fails(&scene, "unban 192.0.2.2"), "in force, but not saved: ");
    assert_null(strstr(says(&scene, "bans"), "192.0.2.2"));
    assert_int_equal(rmdir(other), 0);
    says(&scene, "ban 192.0.2.4"); // the file can be written again
    text = (char *)File_Read(path, 4096, &size, NULL);
    assert_string_equal(text, "# by hand\nban 10.0.9.1 forever\nban 192.0.2.3 forever\n"
                              "ban 192.0.2.4 forever\n");
    free(text);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_has(fails(&scene, "ban 192.0.2.5"), "in force, but not saved: ");
    assert_int_equal(rmdir(other), 0);
    Console_ReloadBans(&scene.console); // saves the ban, because the file can be written again
    text = (char *)File_Read(path, 4096, &size, NULL);
    assert_has(text, "ban 192.0.2.4 forever\nban 192.0.2.5 forever\n");
    free(text);
    write_config(&scene, "bans", "ban 10.0.9.0 forever\nnonsense\n");
    scene.text[0] = '\0';
    Console_ReloadBans(&scene.console);
    assert_has(scene.text, "/bans:2: expected \"ban\" or \"allow\", found \"nonsense\"");
    run_three(peers, 1000);
    assert_true(peers[0].left);
    assert_true(peers[1].left);
    assert_true(!peers[2].left);
    assert_int_equal(scene.console.bans->count, 1);
    end_three(&scene, peers);
}

// ban, allow and unban work in a config, before the server and the ban file are there.
static void test_bans_before_the_start(void **state) {
    (void)state;
    static scene_t scene;
    static bans_t bans;
    char path[128];
    size_t size = 0;
    set_up(&scene);
    snprintf(path, sizeof path, "%s", path_of(&scene, "bans"));
    write_config(&scene, "bans", "ban 192.0.2.1 forever\nban 192.0.2.2 forever\n");
    bans = (bans_t){.path = path, .now_s = 1800000000};
    scene.console.bans = &bans;
    says(&scene, "ban 192.0.2.3 2h spam; unban 192.0.2.1; allow 10.0.0.0/8");
    assert_has(scene.text,
               "info: ban 192.0.2.3 2027-01-15T10:00:00Z spam\ninfo: unban 192.0.2.1\n");
    assert_has(fails(&scene, "ban ann"),
               "ban: expected an address or range before the start, found \"ann\"");
    assert_has(fails(&scene, "kick 192.0.2.3"), "kick: no server is running yet");
    assert_has(fails(&scene, "mute 192.0.2.3"), "mute: no server is running yet");
    assert_true(Console_LoadBans(&scene.console, true)); // as edictd -n: writes nothing
    char *text = (char *)File_Read(path, 4096, &size, NULL);
    assert_string_equal(text, "ban 192.0.2.1 forever\nban 192.0.2.2 forever\n");
    free(text);
    assert_true(Console_LoadBans(&scene.console, false));
    text = (char *)File_Read(path, 4096, &size, NULL);
    assert_string_equal(text, "allow 10.0.0.0/8 forever\nban 192.0.2.2 forever\n"
                              "ban 192.0.2.3 2027-01-15T10:00:00Z spam\n");
    free(text);
    assert_has(scene.text, "3 entries");
    write_config(&scene, "bans", "ban x\n");
    assert_true(Console_LoadBans(&scene.console, false));
    assert_has(scene.text, "1 faulty line has no effect; it stays in the file");
    assert_false(Console_LoadBans(&scene.console, true));
    assert_has(scene.text, "correct the lines above");
    bans.path = "/nonexistent/bans";
    assert_false(Console_LoadBans(&scene.console, true));
    assert_has(scene.text, "edictd cannot write into the folder: No such file");
    Bans_Free(&bans);
    tear_down(&scene);
}

// sv_proxies is parsed when it is set; a faulty entry changes nothing.
static void test_proxies(void **state) {
    (void)state;
    static scene_t scene;
    set_up(&scene);
    assert_true(Net_IsExempt(&scene.console.proxies, 0x7f000001u));
    says(&scene, "sv_proxies \"10.0.0.7 192.0.2.0/24\"");
    assert_int_equal(scene.console.proxies.count, 2);
    assert_has(fails(&scene, "sv_proxies \"10.0.0.8 10.0.0.300\""),
               "sv_proxies: expected an IPv4 address or range such as 192.0.2.7 or 192.0.2.0/24, "
               "found \"10.0.0.300\"");
    assert_has(says(&scene, "sv_proxies"), "sv_proxies = \"10.0.0.7 192.0.2.0/24\"");
    assert_int_equal(scene.console.proxies.count, 2);
    tear_down(&scene);
}

// No command and no error prints the password.
static void test_the_password_is_hidden(void **state) {
    (void)state;
    static scene_t scene;
    test_peer_t ann;
    set_up(&scene);
    start_server(&scene);
    assert_has(says(&scene, "sv_password"), "sv_password = \"\" (default \"\"): ");
    says(&scene, "set sv_password sesame");
    assert_string_equal(scene.text, "");
    assert_has(says(&scene, "sv_password; cvarlist; status; counters; help sv_pass"),
               "sv_password = \"(hidden)\" (default \"\"): ");
    assert_null(strstr(scene.text, "sesame"));
    assert_has(fails(&scene, "set sv_password sesame street"), "found \"(hidden)\"");
    assert_has(fails(&scene, "sv_password sesame street"), "found \"(hidden)\"");
    assert_null(strstr(fails(&scene, "set sv_password \"sesame"), "sesame"));
    assert_null(strstr(scene.text, "sesame"));
    char line[128] = "set sv_password ";
    memset(line + 16, 'x', 64);
    assert_has(fails(&scene, line), "sv_password: expected at most 63 characters, found 64");
    TestPeer_Connect(&ann, &scene.net, 0);
    TestPeer_Hello(&ann, "ann");
    TestPeer_Run(&ann, 1000);
    assert_string_equal(ann.last[CTL_REFUSED].u.refused.text, "this server needs a password");
    assert_has(says(&scene, "status"),
               "joins refused: banned 0  full 0  same address 0  password 1  token 0  rate 0");
    TestPeer_Free(&ann);
    tear_down(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_players_are_found),
        cmocka_unit_test(test_kick_with_a_reason),
        cmocka_unit_test(test_bans),
        cmocka_unit_test(test_player_ids),
        cmocka_unit_test(test_bans_are_saved),
        cmocka_unit_test(test_bans_before_the_start),
        cmocka_unit_test(test_proxies),
        cmocka_unit_test(test_the_password_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
