// Settings of players (USERINFO): checks, rates, names, the game's view, and what others receive.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include "base/hash.h"
#include "core/core_local.h"
#include "core/game_tables.h"
#include "world/block.h"

#include <stdio.h>
#include <string.h>

static void set(control_msg_t *msg, const char *key, const char *value) {
    ctl_infos_t *infos = &msg->u.userinfo;
    msg->type = CTL_USERINFO;
    snprintf(infos->list[infos->count].key, CTL_INFO_KEY_BYTES, "%s", key);
    snprintf(infos->list[infos->count++].value, MAX_INFO_BYTES, "%s", value);
}

static void send_info(test_peer_t *peer, const char *key, const char *value) {
    control_msg_t msg = {.type = CTL_USERINFO};
    set(&msg, key, value);
    TestPeer_Send(peer, &msg);
}

// Returns a setting in the last PLAYER_INFO that a peer received, or "".
static const char *seen(const test_peer_t *peer, const char *key) {
    const ctl_infos_t *infos = &peer->last[CTL_PLAYER_INFO].u.player_info.infos;
    for (int32_t i = 0; i < infos->count; i++) {
        if (strcmp(infos->list[i].key, key) == 0) {
            return infos->list[i].value;
        }
    }
    return "";
}

static const client_t *in_world(const test_net_t *net, int32_t slot) {
    return World_Client(Server_World(net->server), slot);
}

static void run_both(test_peer_t *ann, test_peer_t *eve, int32_t ms) {
    TestPeer_Run(eve, ms / 2);
    TestPeer_Run(ann, ms - ms / 2);
}

// ann has slot 0, eve slot 1.
static void test_a_setting_reaches_the_world_and_the_others(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, eve;
    TestPeer_ServeTwo(&net, &ann, &eve);
    int32_t slot = eve.last[CTL_WELCOME].u.welcome.slot;
    assert_string_equal(in_world(&net, slot)->infos[INFO_COLOUR - 1], "ffffff");
    run_both(&ann, &eve, 20);
    ann.heard[CTL_PLAYER_INFO] = 0;
    control_msg_t msg = {.type = CTL_USERINFO};
    set(&msg, "colour", "00fF80");
    set(&msg, "rate", "25000");
    set(&msg, "autoswitch",
        " \xe2\x80\x8b"
        "0 ");
    set(&msg, "name", " the \xe2\x80\x8b other   eve ");
    TestPeer_Send(&eve, &msg);
    run_both(&ann, &eve, 100);
    const ctl_player_info_t *info = &ann.last[CTL_PLAYER_INFO].u.player_info;
    assert_int_equal(ann.heard[CTL_PLAYER_INFO], 1);
    assert_int_equal(info->slot, slot);
    assert_string_equal(info->name, "the other eve");
    assert_string_equal(seen(&ann, "colour"), "00fF80");
    assert_string_equal(seen(&ann, "autoswitch"), "0");
    assert_string_equal(seen(&ann, "rate"), ""); // of no interest to others
    assert_string_equal(in_world(&net, slot)->name, "the other eve");
    assert_string_equal(in_world(&net, slot)->infos[INFO_COLOUR - 1], "00fF80");
    assert_string_equal(in_world(&net, slot)->infos[INFO_RATE - 1], "25000");
    assert_string_equal(in_world(&net, slot)->infos[INFO_GAME - 1], "0");
    // Repeat the message: nobody receives it again.
    TestPeer_Send(&eve, &msg);
    run_both(&ann, &eve, 100);
    assert_int_equal(ann.heard[CTL_PLAYER_INFO], 1);
    // A taken name gets a number.
    send_info(&eve, "name", "ann");
    run_both(&ann, &eve, 100);
    assert_string_equal(ann.last[CTL_PLAYER_INFO].u.player_info.name, "ann(1)");
    assert_string_equal(in_world(&net, slot)->name, "ann(1)");
    send_info(&ann, "name", "ann");
    run_both(&ann, &eve, 100);
    assert_string_equal(Server_PlayerName(net.server, 0), "ann");
    TestPeer_EndTwo(&net, &ann, &eve);
}

static void test_bad_values_are_refused_with_a_reason(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, eve;
    static const struct {
        const char *key, *value, *why;
    } bad[] = {
        {"", "x", "no setting \"\""},
        {"skin", "red", "no setting \"skin\""},
        {"Colour", "ff0000", "no setting \"Colour\""},
        {"colour", "red", "colour: expected six hexadecimal digits, found \"red\""},
        {"colour", "1234567", "colour: expected"},
        {"colour", "", "colour: expected"},
        {"rate", "-1", "rate: expected 0..1000000000 bytes/s"},
        {"rate", "0x10", "rate: expected"},
        {"rate", "99999999999999999999", "rate: expected"},
    };
    TestPeer_ServeTwo(&net, &ann, &eve);
    int32_t slot = eve.last[CTL_WELCOME].u.welcome.slot;
    uint64_t before =
        Hash_Bytes(in_world(&net, slot)->infos, sizeof in_world(&net, slot)->infos, 0);
    run_both(&ann, &eve, 20);
    ann.heard[CTL_PLAYER_INFO] = 0;
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        eve.last[CTL_PRINT].u.text.text[0] = '\0';
        send_info(&eve, bad[i].key, bad[i].value);
        run_both(&ann, &eve, 6000); // one reason per burst
        assert_non_null(strstr(eve.last[CTL_PRINT].u.text.text, bad[i].why));
    }
    // Blank names become "player N"; a message without settings does nothing.
    send_info(&eve, "name", " ");
    TestPeer_Send(&eve, &(control_msg_t){.type = CTL_USERINFO});
    run_both(&ann, &eve, 100);
    assert_string_equal(Server_PlayerName(net.server, slot), slot == 1 ? "player 2" : "player 1");
    assert_int_equal(ann.heard[CTL_PLAYER_INFO], 1);
    assert_false(eve.left);
    assert_int_equal(Hash_Bytes(in_world(&net, slot)->infos, sizeof in_world(&net, slot)->infos, 0),
                     before);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// The last of two values of a key holds.
static void test_a_key_twice(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, eve;
    TestPeer_ServeTwo(&net, &ann, &eve);
    control_msg_t msg = {.type = CTL_USERINFO};
    for (int32_t i = 0; i < MAX_INFO_KEYS; i++) {
        set(&msg, "colour", i % 2 ? "00ff00" : "ff0000");
    }
    run_both(&ann, &eve, 20);
    ann.heard[CTL_PLAYER_INFO] = 0;
    TestPeer_Send(&eve, &msg);
    run_both(&ann, &eve, 100);
    assert_int_equal(ann.heard[CTL_PLAYER_INFO], 1);
    assert_string_equal(seen(&ann, "colour"), "00ff00");
    TestPeer_EndTwo(&net, &ann, &eve);
}

// ---- messages that do not decode ----

static void send_bytes(test_peer_t *peer, const uint8_t *data, size_t size) {
    (void)peer->transport->send(peer->transport, peer->peer, NET_CHANNEL_CONTROL, true, data, size);
}

// Sends a USERINFO of one setting with these raw texts.
static void send_raw(test_peer_t *peer, const char *key, const char *value) {
    uint8_t data[256];
    msg_writer_t out = MSG_Writer(data, sizeof data);
    MSG_WriteBits(&out, CTL_USERINFO, 8);
    MSG_WriteBits(&out, 1, 5);
    const char *const texts[] = {key, value};
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        MSG_WriteBits(&out, (uint32_t)strlen(texts[i]), 16);
        for (const char *at = texts[i]; *at != '\0'; at++) {
            MSG_WriteBits(&out, (uint8_t)*at, 8);
        }
    }
    send_bytes(peer, data, MSG_Finish(&out));
}

static void expect_dropped(test_net_t *net, test_peer_t *eve, uint64_t bad_packets) {
    TestPeer_Run(eve, 400);
    assert_true(eve->left);
    assert_int_equal(eve->reason, NET_REASON_BAD_DATA);
    assert_int_equal(Server_Stats(net->server).bad_packets, bad_packets);
    TestPeer_Free(eve);
    TestPeer_Join(eve, net, 0, "eve");
}

static void test_what_does_not_decode_drops_only_its_sender(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, eve;
    char long_key[CTL_INFO_KEY_BYTES + 1], long_value[MAX_INFO_BYTES + 1];
    memset(long_key, 'k', sizeof long_key - 1);
    memset(long_value, 'v', sizeof long_value - 1);
    long_key[sizeof long_key - 1] = long_value[sizeof long_value - 1] = '\0';
    const char *const bad[][2] = {{"name", "two\nlines"}, {"name", "\x7f"},
                                  {"name", "\xc2\x85"},   {"name", "\xff\xfe"},
                                  {"name", "\xc0\xaf"},   {"name", "\xed\xa0\x80"},
                                  {"co\tlour", "ffffff"}, {long_key, "x"},
                                  {"name", long_value},   {"name", "cut \xe2\x80"}};
    TestPeer_ServeTwo(&net, &ann, &eve);
    uint64_t dropped = 0;
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        send_raw(&eve, bad[i][0], bad[i][1]);
        expect_dropped(&net, &eve, ++dropped);
    }
    for (uint32_t count = MAX_INFO_KEYS + 1; count < 32; count += 7) { // 17, 24, 31 settings
        const uint8_t many[] = {CTL_USERINFO, (uint8_t)count, 0};
        send_bytes(&eve, many, sizeof many);
        expect_dropped(&net, &eve, ++dropped);
    }
    assert_int_equal(ann.left, false);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// 64 KiB do not fit in a message of a client; the transport or the server refuses them.
static void test_64_kib(void **state) {
    (void)state;
    static test_net_t net;
    static uint8_t data[65536];
    test_peer_t ann, eve;
    TestPeer_ServeTwo(&net, &ann, &eve);
    msg_writer_t out = MSG_Writer(data, sizeof data);
    MSG_WriteBits(&out, CTL_USERINFO, 8);
    MSG_WriteBits(&out, 16, 5);
    MSG_WriteBits(&out, 65000, 16);
    memset(data + 4, 'a', sizeof data - 4);
    bool is_sent =
        eve.transport->send(eve.transport, eve.peer, NET_CHANNEL_CONTROL, true, data, sizeof data);
    run_both(&ann, &eve, 400);
    assert_true(!is_sent || eve.left);
    err_t err;
    control_msg_t msg;
    assert_false(CTL_Read(&msg, true, data, sizeof data, &err));
    assert_false(CTL_Read(&msg, true, data, MAX_REQUEST_BYTES, &err));
    assert_false(ann.left);
    TestPeer_EndTwo(&net, &ann, &eve);
}

// ---- rates ----

static void test_a_flood_of_settings(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, eve;
    TestPeer_ServeTwo(&net, &ann, &eve);
    ann.heard[CTL_PLAYER_INFO] = 0;
    for (int32_t i = 0; i < 300; i++) { // ten messages a second for 30 s
        control_msg_t msg = {.type = CTL_USERINFO};
        char colour[8];
        snprintf(colour, sizeof colour, "%06x", i);
        set(&msg, "colour", colour);
        TestPeer_Send(&eve, &msg);
        run_both(&ann, &eve, 100);
    }
    assert_true(ann.heard[CTL_PLAYER_INFO] >= 16 + 18);
    assert_true(ann.heard[CTL_PLAYER_INFO] <= 16 + 22); // one per 1.5 s after the burst
    assert_true(Server_Stats(net.server).floods > 200);
    // Names are lines that others read: four at once, then one per 1.5 s.
    ann.heard[CTL_PLAYER_INFO] = 0;
    for (int32_t i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "buy %d", i);
        send_info(&eve, "name", name);
        run_both(&ann, &eve, 100);
    }
    assert_true(ann.heard[CTL_PLAYER_INFO] >= 4 + 18);
    assert_true(ann.heard[CTL_PLAYER_INFO] <= 4 + 22);
    assert_false(eve.left);
    // Messages of 16 settings cost 16 texts each.
    run_both(&ann, &eve, 10000);
    uint64_t floods = Server_Stats(net.server).floods;
    for (int32_t i = 0; i < 10; i++) {
        control_msg_t msg = {.type = CTL_USERINFO};
        for (int32_t n = 0; n < MAX_INFO_KEYS; n++) {
            set(&msg, "rate", "1");
        }
        TestPeer_Send(&eve, &msg);
    }
    run_both(&ann, &eve, 100);
    assert_int_equal(Server_Stats(net.server).floods - floods, 9);
    run_both(&ann, &eve, 10000);
    for (int32_t i = 0; i < 30; i++) { // and empty ones cost one
        TestPeer_Send(&eve, &(control_msg_t){.type = CTL_USERINFO});
    }
    run_both(&ann, &eve, 100);
    assert_int_equal(Server_Stats(net.server).floods - floods, 19);
    TestPeer_EndTwo(&net, &ann, &eve);
}

static void test_a_muted_player_keeps_the_name(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, eve;
    TestPeer_ServeTwo(&net, &ann, &eve);
    int32_t slot = eve.last[CTL_WELCOME].u.welcome.slot;
    assert_true(Server_Mute(net.server, slot, 0x0a000900u, MUTE_THIS_MAP));
    send_info(&eve, "name", "buy gold");
    send_info(&eve, "colour", "112233");
    run_both(&ann, &eve, 200);
    assert_string_equal(Server_PlayerName(net.server, slot), "eve");
    assert_string_equal(in_world(&net, slot)->name, "eve");
    assert_string_equal(in_world(&net, slot)->infos[INFO_COLOUR - 1], "112233");
    TestPeer_EndTwo(&net, &ann, &eve);
}

// ---- the game ----

typedef struct {
    int32_t calls;
    char key[32];
} spy_vars_t;

static void spy(sv_context_t *sv, edict_t *player, client_t *client, const char *key) {
    spy_vars_t *vars = sv->engine->world_vars(sv);
    const char *hand = sv->engine->info(sv, sv->engine->slot(sv, player), "hand");
    vars->calls++;
    memset(vars->key, 0, sizeof vars->key);
    snprintf(vars->key, sizeof vars->key, "%s %.8s %.8s", key, hand, client->name);
}

static const game_info_t spy_infos[] = {{"hand", "right", "hand of the weapon"}};
static const game_export_t spy_game = {.api_version = GAME_API_VERSION,
                                       .name = "spy",
                                       .userinfo = spy_infos,
                                       .num_userinfo = 1,
                                       .client_info_changed = spy};

static void test_the_game_is_called(void **state) {
    (void)state;
    static test_net_t net;
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1, .max_clients = 2, .map = &room, .game = &spy_game};
    test_peer_t eve;
    TestNet_Init(&net, &config);
    const spy_vars_t *vars = (const void *)Server_World(net.server)->game;
    TestPeer_Connect(&eve, &net, 0);
    TestPeer_Hello(&eve, "eve");
    send_info(&eve, "hand", "left"); // before READY: the game receives it at the join
    TestPeer_Run(&eve, 100);
    assert_int_equal(vars->calls, 0);
    TestPeer_Ready(&eve, 0);
    TestPeer_Run(&eve, 100);
    assert_int_equal(vars->calls, 1);
    assert_string_equal(vars->key, "hand left eve");
    send_info(&eve, "name", "adam");
    TestPeer_Run(&eve, 100);
    assert_string_equal(vars->key, "name left adam");
    // After a change of map, the setting comes with the join again.
    err_t err;
    assert_true(Server_StartMap(net.server, "testmap", &err));
    vars = (const void *)Server_World(net.server)->game;
    TestPeer_Run(&eve, 100);
    TestPeer_Ready(&eve, 0);
    TestPeer_Run(&eve, 100);
    assert_int_equal(vars->calls, 1);
    assert_string_equal(vars->key, "hand left adam");
    assert_string_equal(in_world(&net, 0)->infos[INFO_COLOUR - 1], "ffffff");
    TestPeer_Free(&eve);
    TestNet_Free(&net);
}

// Another game keeps the settings that it has, too; its own ones have their defaults.
static void test_another_game(void **state) {
    (void)state;
    static test_net_t net;
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    static const game_info_t infos[] = {{"skin", "plain", ""}, {"hand", "right", ""}};
    const test_net_config_t config = {.seed = 1, .max_clients = 2, .map = &room, .game = &spy_game};
    game_export_t other = spy_game;
    test_peer_t ann, eve;
    err_t err;
    other.userinfo = infos;
    other.num_userinfo = COUNTOF(infos);
    TestNet_Init(&net, &config);
    TestPeer_Join(&ann, &net, 1, "ann");
    TestPeer_Join(&eve, &net, 0, "eve");
    send_info(&eve, "hand", "left");
    send_info(&eve, "colour", "010203");
    run_both(&ann, &eve, 100);
    assert_false(Server_SetGame(net.server, &other, false, &err)); // other numbers of settings
    assert_non_null(strstr(err.text, "\"hand\" is missing or has another number"));
    assert_true(Server_SetGame(net.server, &other, true, &err));
    run_both(&ann, &eve, 100);
    assert_string_equal(seen(&ann, "hand"), "left");
    assert_string_equal(seen(&ann, "skin"), "plain");
    assert_string_equal(seen(&ann, "colour"), "010203");
    TestPeer_Ready(&eve, 0);
    run_both(&ann, &eve, 100);
    assert_string_equal(in_world(&net, 1)->infos[INFO_GAME - 1], "plain");
    assert_string_equal(in_world(&net, 1)->infos[INFO_GAME], "left");
    TestPeer_EndTwo(&net, &ann, &eve);
}

static void expect_bad_game(const game_info_t *infos, int32_t count, const char *why) {
    err_t err;
    game_export_t game = spy_game;
    game.userinfo = infos;
    game.num_userinfo = count;
    assert_false(SV_CheckGame(&game, &err));
    assert_non_null(strstr(err.text, why));
}

static void test_tables_of_settings(void **state) {
    (void)state;
    game_info_t infos[MAX_GAME_INFOS + 1];
    char keys[COUNTOF(infos)][8];
    char text[MAX_INFO_BYTES + 1] = "";
    for (size_t i = 0; i < COUNTOF(infos); i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i);
        infos[i] = (game_info_t){keys[i], "", ""};
    }
    game_export_t game = spy_game;
    err_t err;
    game.userinfo = infos;
    game.num_userinfo = MAX_GAME_INFOS;
    assert_true(SV_CheckGame(&game, &err));
    assert_false(SV_SameLayout(&spy_game, &game, &err));
    assert_int_not_equal(SV_GameLayout(&spy_game), SV_GameLayout(&game));
    expect_bad_game(infos, MAX_GAME_INFOS + 1, "expected a list and a count of 0..11");
    expect_bad_game(NULL, 1, "no list");
    infos[2].key = "k1";
    expect_bad_game(infos, 3, "\"k1\" appears twice");
    infos[2].key = "rate";
    expect_bad_game(infos, 3, "\"rate\" appears twice, or is name, colour or rate");
    infos[2].key = "a b";
    expect_bad_game(infos, 3, "found \"a b\"");
    memset(text, 'x', MAX_INFO_BYTES);
    infos[2] = (game_info_t){"k2", text, ""};
    expect_bad_game(infos, 3, "a default below 64 bytes");
}

// ---- the client library ----

static bool next_info(cl_t *cl, cl_event_t *event) {
    while (CL_NextEvent(cl, event)) {
        if (event->type == CL_EVENT_INFO) {
            return true;
        }
    }
    return false;
}

static void run_net(test_net_t *net, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        TestNet_Step(net);
    }
}

static void test_the_client_library(void **state) {
    (void)state;
    static test_net_t net;
    cl_event_t event;
    err_t err;
    TestPeer_Serve(&net, 4);
    cl_t *ann = net.clients[TestNet_AddClient(&net, "ann")];
    assert_true(CL_SetInfo(ann, "colour", "010203", &err)); // sent after the HELLO
    assert_true(TestNet_WaitActive(&net, 2000));
    cl_t *eve = net.clients[TestNet_AddClient(&net, "eve")];
    assert_true(TestNet_WaitActive(&net, 2000));
    assert_string_equal(CL_Info(eve, CL_Slot(ann), "colour"), "010203");
    assert_string_equal(CL_Info(eve, CL_Slot(eve), "colour"), "ffffff");
    assert_string_equal(CL_Info(eve, CL_Slot(ann), "name"), "ann");
    assert_string_equal(CL_Info(eve, CL_Slot(ann), "nonsense"), "");
    assert_string_equal(CL_Info(eve, -1, "colour"), "");
    assert_string_equal(CL_Info(eve, PROTO_MAX_CLIENTS, "colour"), "");
    assert_true(CL_SetInfo(ann, "name", "anna", &err));
    run_net(&net, 200);
    assert_true(next_info(eve, &event));
    assert_string_equal(event.text, "anna");
    assert_string_equal(event.name, "ann");
    assert_int_equal(event.number, CL_Slot(ann));
    assert_string_equal(CL_PlayerName(eve, CL_Slot(ann)), "anna");
    char text[MAX_INFO_BYTES + 1];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(CL_SetInfo(ann, "colour", text, &err));
    assert_false(CL_SetInfo(ann, text, "x", &err));
    for (int32_t i = 2; i < MAX_INFO_KEYS; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", i);
        assert_true(CL_SetInfo(ann, key, "", &err));
    }
    assert_false(CL_SetInfo(ann, "one more", "", &err));
    assert_true(CL_SetInfo(ann, "colour", "ffffff", &err));
    TestNet_Free(&net);
}

// A player that spectates and plays in turns costs the others few messages. The last state arrives.
static void test_a_flood_of_spectating(void **state) {
    (void)state;
    static test_net_t net;
    cl_event_t event;
    cl_player_row_t rows[2];
    int32_t news = 0;
    TestPeer_Serve(&net, 4);
    (void)TestNet_AddClient(&net, "ann");
    cl_t *eve = net.clients[TestNet_AddClient(&net, "eve")];
    assert_true(TestNet_WaitActive(&net, 2000));
    for (int32_t i = 0; i <= 100; i++) {
        World_Client(Server_World(net.server), 0)->spectator = i % 2 == 0;
        run_net(&net, 100);
        while (next_info(eve, &event)) {
            news++;
        }
    }
    assert_in_range(news, 2, 16 + 10000 / 1500 + 1);
    run_net(&net, 3000);
    assert_int_equal(CL_Players(eve, rows, 2), 2);
    assert_true(rows[0].is_spectator);
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_setting_reaches_the_world_and_the_others),
        cmocka_unit_test(test_bad_values_are_refused_with_a_reason),
        cmocka_unit_test(test_a_key_twice),
        cmocka_unit_test(test_what_does_not_decode_drops_only_its_sender),
        cmocka_unit_test(test_64_kib),
        cmocka_unit_test(test_a_flood_of_settings),
        cmocka_unit_test(test_a_muted_player_keeps_the_name),
        cmocka_unit_test(test_the_game_is_called),
        cmocka_unit_test(test_another_game),
        cmocka_unit_test(test_tables_of_settings),
        cmocka_unit_test(test_the_client_library),
        cmocka_unit_test(test_a_flood_of_spectating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
