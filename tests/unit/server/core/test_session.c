// Sessions: hostile orders of messages, map changes at any moment, floods, limits.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define LATER INT64_MAX // there is no tick before this time

static const client_t *slot_of(const test_net_t *net, int32_t slot) {
    return World_Client(Server_World(net->server), slot);
}

static void test_a_second_hello_changes_nothing(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    TestPeer_Serve(&net, 4);
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Hello(&peer, "ann");
    TestPeer_Hello(&peer, "eve");
    TestPeer_Run(&peer, 100);
    TestPeer_Hello(&peer, "eve");
    TestPeer_Ready(&peer, 0);
    TestPeer_Hello(&peer, "eve");
    TestPeer_Ready(&peer, 0);
    TestPeer_Run(&peer, 100);
    assert_int_equal(peer.heard[CTL_WELCOME], 1);
    assert_int_equal(peer.heard[CTL_MAP], 1);
    assert_string_equal(slot_of(&net, 0)->name, "ann");
    assert_int_equal(slot_of(&net, 1)->inuse, 0);
    assert_int_equal(Server_Stats(net.server).joins, 1);
    assert_int_equal(Server_Stats(net.server).stale_packets, 4); // three hellos and a ready
    assert_false(peer.left);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// A dropped client receives the reason.
static void test_hello_comes_first(void **state) {
    (void)state;
    static const control_type_t types[] = {CTL_READY, CTL_SAY, CTL_COMMAND};
    for (size_t i = 0; i < COUNTOF(types); i++) {
        static test_net_t net;
        test_peer_t peer;
        TestPeer_Serve(&net, 4);
        TestPeer_Connect(&peer, &net, 0);
        TestPeer_Text(&peer, types[i], "x");
        TestPeer_Run(&peer, 3000);
        assert_true(peer.left);
        assert_int_equal(peer.reason, NET_REASON_BAD_DATA);
        assert_non_null(
            strstr(peer.last[CTL_GOODBYE].u.text.text, "the first message must be HELLO"));
        assert_int_equal(Server_NumClients(net.server), 0);
        TestPeer_Free(&peer);
        TestNet_Free(&net);
    }
}

static void test_another_version_is_refused(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    TestPeer_Serve(&net, 4);
    TestPeer_Connect(&peer, &net, 0);
    const control_msg_t hello = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION + 7};
    TestPeer_Send(&peer, &hello);
    TestPeer_Run(&peer, 3000);
    assert_true(peer.left);
    assert_int_equal(peer.reason, NET_REASON_VERSION);
    assert_int_equal(peer.last[CTL_REFUSED].u.refused.version, PROTO_VERSION);
    char spoken[32];
    snprintf(spoken, sizeof spoken, "your client uses %d", PROTO_VERSION + 7);
    assert_non_null(strstr(peer.last[CTL_REFUSED].u.refused.text, spoken));
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_leaving_while_loading_frees_the_slot(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer, other;
    TestPeer_Serve(&net, 1);
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Hello(&peer, "ann");
    TestPeer_Run(&peer, 100);
    TestPeer_Send(&peer, &(control_msg_t){.type = CTL_LEAVE});
    TestPeer_Run(&peer, 100);
    assert_int_equal(peer.heard[CTL_GOODBYE], 1);
    assert_int_equal(slot_of(&net, 0)->inuse, 0);
    TestPeer_Join(&other, &net, 1, "bob");
    assert_string_equal(slot_of(&net, 0)->name, "bob");
    TestPeer_Free(&peer);
    TestPeer_Free(&other);
    TestNet_Free(&net);
}

// A READY for the previous map is ignored.
static void test_map_change_while_joining(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    err_t err;
    TestPeer_Serve(&net, 4);
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Hello(&peer, "ann");
    TestPeer_Run(&peer, 100);
    assert_true(Server_StartMap(net.server, "second", &err));
    TestPeer_Ready(&peer, 1);
    TestPeer_Run(&peer, 100);
    assert_int_equal(peer.heard[CTL_MAP], 2);
    assert_int_equal(peer.snapshots, 0);
    assert_int_equal(slot_of(&net, 0)->inuse, 0);
    TestPeer_Ready(&peer, 2);
    TestPeer_Run(&peer, 100);
    assert_true(peer.snapshots > 0);
    assert_int_equal(slot_of(&net, 0)->inuse, 1);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// The map changes twice between a join and the tick that would run it.
static void test_map_change_between_ready_and_tick(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    err_t err;
    TestPeer_Serve(&net, 4);
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Hello(&peer, "ann");
    TestPeer_Run(&peer, 100);
    net.next_tick_ms = LATER;
    TestPeer_Ready(&peer, 0);
    TestPeer_Run(&peer, 100);
    assert_true(Server_StartMap(net.server, "second", &err));
    assert_true(Server_StartMap(net.server, "testmap", &err));
    TestPeer_Run(&peer, 100);
    net.next_tick_ms = net.now_ms;
    TestPeer_Run(&peer, 100);
    assert_int_equal(peer.heard[CTL_MAP], 3);
    assert_int_equal(slot_of(&net, 0)->inuse, 0);
    TestPeer_Ready(&peer, 0);
    TestPeer_Run(&peer, 100);
    assert_int_equal(slot_of(&net, 0)->inuse, 1);
    TestPeer_Send(&peer, &(control_msg_t){.type = CTL_LEAVE});
    TestPeer_Run(&peer, 100);
    assert_int_equal(slot_of(&net, 0)->inuse, 0);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// Before one tick, a client leaves, another takes its slot, plays and leaves, and a third one takes
// the slot.
static void test_a_slot_used_three_times_in_a_tick(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peers[3];
    TestPeer_Serve(&net, 1);
    TestPeer_Join(&peers[0], &net, 0, "ann");
    uint32_t generation = World_Edict(Server_World(net.server), 1)->generation;
    for (int i = 1; i < 3; i++) {
        TestPeer_Connect(&peers[i], &net, i);
    }
    net.next_tick_ms = LATER;
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            TestPeer_Hello(&peers[i], i == 1 ? "bob" : "cid");
            TestPeer_Run(&peers[i], 20);
            TestPeer_Ready(&peers[i], 0);
            TestPeer_Run(&peers[i], 20);
            TestPeer_Cmds(&peers[i], 0, 1, 0);
        }
        if (i < 2) {
            TestPeer_Send(&peers[i], &(control_msg_t){.type = CTL_LEAVE});
        }
        TestPeer_Run(&peers[i], 20);
    }
    net.next_tick_ms = net.now_ms;
    TestPeer_Run(&peers[2], TEST_NET_STEP_MS);
    assert_string_equal(slot_of(&net, 0)->name, "cid");
    assert_int_equal(World_Edict(Server_World(net.server), 1)->generation, generation + 2);
    TestPeer_Run(&peers[2], 100);
    assert_true(peers[2].snapshots > 0);
    for (int i = 0; i < 3; i++) {
        TestPeer_Free(&peers[i]);
    }
    TestNet_Free(&net);
}

// Ignores commands before the join, commands of another map, and numbers that were received before.
static void test_commands_that_do_not_count(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    TestPeer_Serve(&net, 4);
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Cmds(&peer, 0, 2, 5);
    TestPeer_Hello(&peer, "ann");
    TestPeer_Run(&peer, 100);
    TestPeer_Cmds(&peer, 0, 2, 5);
    TestPeer_Ready(&peer, 0);
    TestPeer_Run(&peer, 100);
    assert_int_equal(Server_Stats(net.server).stale_packets, 2);
    assert_int_equal(slot_of(&net, 0)->queue_count, 0);
    int64_t ahead = Server_World(net.server)->tick + 40;
    TestPeer_Cmds(&peer, 0, 4, ahead);
    TestPeer_Cmds(&peer, 2, 4, ahead);
    TestPeer_Run(&peer, 100);
    assert_int_equal(slot_of(&net, 0)->queue_count, 6);
    assert_int_equal(Server_Stats(net.server).duplicate_cmds, 2);
    peer.last[CTL_MAP].u.map.epoch++;
    TestPeer_Cmds(&peer, 6, 4, ahead);
    TestPeer_Run(&peer, 100);
    assert_int_equal(Server_Stats(net.server).stale_packets, 3);
    assert_false(peer.left);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// A thousand commands at once, and commands for far ticks, affect only their sender.
static void test_a_flood_of_commands(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t eve, ann;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&eve, &net, 0, "eve");
    TestPeer_Join(&ann, &net, 1, "ann");
    net.next_tick_ms = LATER;
    for (int i = 0; i < 32; i++) {
        TestPeer_Cmds(&eve, (uint16_t)(i * 32), 32, Server_World(net.server)->tick);
    }
    TestPeer_Run(&eve, 40);
    TestPeer_Cmds(&ann, 0, 4, Server_World(net.server)->tick);
    TestPeer_Run(&ann, 40);
    net.next_tick_ms = net.now_ms;
    TestPeer_Run(&ann, TEST_NET_STEP_MS);
    assert_int_equal(Server_Stats(net.server).floods, 1024 - MAX_CMD_QUEUE);
    assert_int_equal(Server_World(net.server)->counters.inputs_dropped, 0);
    assert_int_equal(slot_of(&net, 1)->ran_ms, 4 * 16);
    assert_int_equal(slot_of(&net, 0)->ran_ms, MAX_CMD_QUEUE * 16);
    assert_false(eve.left);
    TestPeer_EndTwo(&net, &ann, &eve);
}

static void run_both(test_peer_t *a, test_peer_t *b, int32_t ms) {
    for (int32_t at = 0; at < ms; at += 100) {
        TestPeer_Run(a, 52);
        TestPeer_Run(b, 48);
    }
}

static void test_silence_ends(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t mute, loading;
    TestPeer_Serve(&net, 4);
    TestPeer_Connect(&mute, &net, 0);
    TestPeer_Connect(&loading, &net, 1);
    TestPeer_Hello(&loading, "ann");
    run_both(&mute, &loading, 4500);
    assert_int_equal(Server_NumClients(net.server), 2);
    assert_int_equal(Server_NumPlayers(net.server), 1);
    run_both(&mute, &loading, 3000);
    assert_true(mute.left);
    assert_non_null(strstr(mute.last[CTL_GOODBYE].u.text.text, "the client sent no HELLO in time"));
    run_both(&mute, &loading, 52000);
    assert_false(loading.left);
    run_both(&mute, &loading, 5000);
    assert_true(loading.left);
    assert_non_null(
        strstr(loading.last[CTL_GOODBYE].u.text.text, "the client took too long to load the map"));
    assert_int_equal(Server_NumClients(net.server), 0);
    TestPeer_Free(&mute);
    TestPeer_Free(&loading);
    TestNet_Free(&net);
}

static void test_unknown_words_are_counted(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    TestPeer_Serve(&net, 3);
    TestPeer_Connect(&peer, &net, 0);
    static const uint8_t word[9] = "\xff\xff\xff\xffhello";
    for (int32_t i = 0; i < 3; i++) {
        assert_true(
            peer.transport->more->send_oob(peer.transport, TestNet_ServerAddress(), word, 9));
    }
    TestPeer_Run(&peer, 100);
    assert_int_equal(Server_Stats(net.server).unknown_oob, 3);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

// ---- the operator ----

// A cvar that changes in the next tick is already in the MAP message of a client that joins before
// it.
static void test_a_joiner_gets_the_movevars_of_his_first_tick(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, bob;
    err_t err;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&ann, &net, 0, "ann");
    TestPeer_Connect(&bob, &net, 1);
    net.next_tick_ms = LATER;
    assert_true(Server_SetCvar(net.server, "sv_gravity", "400", &err));
    assert_true(Server_SetCvar(net.server, "pm_step_ms", "4", &err)); // at the next map
    TestPeer_Hello(&bob, "bob");
    TestPeer_Run(&bob, 100);
    TestPeer_Run(&ann, 8);
    assert_true(ann.last[CTL_MOVEVARS].u.movevars.vars.sv_gravity == 400.0f);
    assert_int_equal(ann.last[CTL_MOVEVARS].u.movevars.vars.pm_step_ms, 8);
    assert_true(bob.last[CTL_MAP].u.map.vars.sv_gravity == 400.0f);
    assert_int_equal(bob.last[CTL_MAP].u.map.vars.pm_step_ms, 8);
    net.next_tick_ms = net.now_ms;
    TestPeer_Run(&ann, 100);
    assert_true(Server_World(net.server)->cvars.move.sv_gravity == 400.0f);
    assert_int_equal(Server_World(net.server)->cvars.move.pm_step_ms, 8);
    assert_true(Server_StartMap(net.server, "second", &err));
    assert_int_equal(Server_World(net.server)->cvars.move.pm_step_ms, 4);
    TestPeer_Free(&ann);
    TestPeer_Free(&bob);
    TestNet_Free(&net);
}

// However a number is written, server and world get the same value.
static void test_a_cvar_written_at_length(void **state) {
    (void)state;
    static test_net_t net;
    err_t err;
    TestPeer_Serve(&net, 4);
    const char *value =
        "0.000000000000000000000000000000000000000000000000000000000000000000500e66";
    assert_true(Server_SetCvar(net.server, "sv_friction", value, &err));
    Server_Tick(net.server, 0);
    assert_true(Server_Cvars(net.server)->move.sv_friction == 0.5f);
    assert_true(Server_World(net.server)->cvars.move.sv_friction == 0.5f);
    assert_false(Server_SetCvar(net.server, "sv_friction", "much", &err));
    assert_false(Server_SetCvar(net.server, "sv_fiction", "1", &err));
    assert_true(Server_Cvars(net.server)->move.sv_friction == 0.5f);
    TestNet_Free(&net);
}

// More inputs than a tick takes give an error, and no change is half done.
static void test_a_cvar_that_finds_no_room(void **state) {
    (void)state;
    static test_net_t net;
    err_t err;
    TestPeer_Serve(&net, 4);
    for (int i = 0; i < MAX_INPUTS; i++) {
        Server_Say(net.server, "filling");
    }
    assert_false(Server_SetCvar(net.server, "sv_gravity", "100", &err));
    assert_non_null(strstr(err.text, "too many inputs"));
    assert_true(Server_Cvars(net.server)->move.sv_gravity == 800.0f);
    Server_Tick(net.server, 0);
    assert_true(Server_World(net.server)->counters.inputs_dropped > 0);
    assert_true(Server_SetCvar(net.server, "sv_gravity", "100", &err));
    TestNet_Free(&net);
}

// Clients receive the chat line of the console input "say ...; map ...".
static void test_what_was_said_outlives_the_map(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann;
    err_t err;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&ann, &net, 0, "ann");
    TestPeer_Run(&ann, 100);
    Server_Say(net.server, "next: second");
    TestPeer_Text(&ann, CTL_SAY, "oh no");
    assert_true(Server_StartMap(net.server, "second", &err));
    ann.heard[CTL_CHAT] = 0;
    TestPeer_Run(&ann, 100);
    assert_int_equal(ann.heard[CTL_CHAT], 1);
    assert_int_equal(ann.last[CTL_CHAT].u.chat.slot, -1); // the operator
    assert_string_equal(ann.last[CTL_CHAT].u.chat.text, "next: second");
    assert_false(ann.left);
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

static void test_kick_and_shutdown(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, bob;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&ann, &net, 0, "ann");
    TestPeer_Join(&bob, &net, 1, "bob");
    assert_false(Server_Kick(net.server, -1, "x"));
    assert_false(Server_Kick(net.server, 2, "x"));
    assert_false(Server_Kick(net.server, 256, "x"));
    assert_true(Server_Kick(net.server, 0, "because"));
    assert_false(Server_Kick(net.server, 0, "again"));
    TestPeer_Run(&ann, 3000);
    assert_string_equal(ann.last[CTL_GOODBYE].u.text.text, "because");
    assert_int_equal(ann.reason, NET_REASON_KICKED);
    assert_int_equal(slot_of(&net, 0)->inuse, 0);
    Server_Shutdown(net.server, "good night");
    Server_Shutdown(net.server, "twice");
    TestPeer_Run(&bob, 3000);
    assert_string_equal(bob.last[CTL_GOODBYE].u.text.text, "good night");
    assert_int_equal(bob.reason, NET_REASON_SHUTDOWN);
    assert_int_equal(Server_NumClients(net.server), 0);
    TestPeer_Free(&ann);
    TestPeer_Free(&bob);
    TestNet_Free(&net);
}

// The bug was: a client that connected during the shutdown got a slot, but no further message.
static void test_no_joins_during_the_shutdown(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    TestPeer_Serve(&net, 4);
    Server_Shutdown(net.server, "good night");
    TestPeer_Connect(&peer, &net, 0);
    TestPeer_Hello(&peer, "late");
    TestPeer_Run(&peer, 3000);
    assert_int_equal(peer.heard[CTL_WELCOME], 0);
    assert_int_equal(peer.heard[CTL_REFUSED], 1);
    assert_string_equal(peer.last[CTL_REFUSED].u.refused.text, "the server is shutting down");
    assert_int_equal(peer.reason, NET_REASON_SHUTDOWN);
    assert_int_equal(Server_NumClients(net.server), 0);
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_names_are_unique_and_not_blank(void **state) {
    (void)state;
    // 31 bytes, the maximum: a suffix must not cut a character in two.
    static const char longest[] = "\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab"
                                  "\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab\xc3\xab!";
    static const char *const wanted[] = {"bob",        "bob",      "bob(1)", "",
                                         "  \xc2\xa0", "player 5", longest,  longest};
    char last[MAX_NAME_BYTES];
    snprintf(last, sizeof last, "%.28s(1)", longest);
    const char *const given[] = {"bob",      "bob(1)",      "bob(1)(1)", "player 4",
                                 "player 5", "player 5(1)", longest,     last};
    static test_net_t net;
    test_peer_t peers[COUNTOF(wanted)];
    TestPeer_Serve(&net, COUNTOF(wanted));
    for (int32_t i = 0; i < (int32_t)COUNTOF(wanted); i++) {
        TestPeer_Join(&peers[i], &net, i, wanted[i]);
        assert_string_equal(slot_of(&net, i)->name, given[i]);
        assert_string_equal(peers[i].last[CTL_PLAYER_INFO].u.player_info.name, given[i]);
    }
    for (size_t i = 0; i < COUNTOF(wanted); i++) {
        TestPeer_Free(&peers[i]);
    }
    TestNet_Free(&net);
}

// A state that the wire format cannot express is clamped, counted, and logged once.
static void test_states_that_cannot_be_told(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t ann, bob;
    TestPeer_Serve(&net, 4);
    TestPeer_Join(&ann, &net, 0, "ann");
    TestPeer_Join(&bob, &net, 1, "bob");
    TestPeer_Run(&ann, 100);
    assert_int_equal(Server_Stats(net.server).states_clamped, 0);
    World_Edict(Server_World(net.server), 2)->type = 30000;
    TestPeer_Run(&ann, 100);
    assert_true(Server_Stats(net.server).states_clamped > 0);
    assert_false(ann.left);
    assert_false(bob.left);
    TestPeer_Free(&ann);
    TestPeer_Free(&bob);
    TestNet_Free(&net);
}

static void test_what_cannot_be_created(void **state) {
    (void)state;
    err_t err;
    const server_config_t good = {
        .max_clients = 8, .max_edicts = 64, .snapshot_ticks = 1, .hostname = "", .map_path = ""};
    server_config_t config = good;
    config.snapshot_ticks = 33;
    assert_null(Server_Create(&config, &err));
    assert_non_null(strstr(err.text, "sv_snapshot_ticks 33: expected 1..32"));
    config = good;
    config.max_edicts = 8;
    assert_null(Server_Create(&config, &err));
    assert_non_null(strstr(err.text, "sv_maxedicts 8: expected 9..65536"));
    config = good;
    config.max_clients = 1025;
    config.max_edicts = 2000;
    assert_null(Server_Create(&config, &err));
    assert_non_null(strstr(err.text, "sv_maxclients 1025: expected 1..1024"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_second_hello_changes_nothing),
        cmocka_unit_test(test_hello_comes_first),
        cmocka_unit_test(test_another_version_is_refused),
        cmocka_unit_test(test_leaving_while_loading_frees_the_slot),
        cmocka_unit_test(test_map_change_while_joining),
        cmocka_unit_test(test_map_change_between_ready_and_tick),
        cmocka_unit_test(test_a_slot_used_three_times_in_a_tick),
        cmocka_unit_test(test_commands_that_do_not_count),
        cmocka_unit_test(test_a_flood_of_commands),
        cmocka_unit_test(test_silence_ends),
        cmocka_unit_test(test_unknown_words_are_counted),
        cmocka_unit_test(test_a_joiner_gets_the_movevars_of_his_first_tick),
        cmocka_unit_test(test_a_cvar_written_at_length),
        cmocka_unit_test(test_a_cvar_that_finds_no_room),
        cmocka_unit_test(test_what_was_said_outlives_the_map),
        cmocka_unit_test(test_kick_and_shutdown),
        cmocka_unit_test(test_no_joins_during_the_shutdown),
        cmocka_unit_test(test_names_are_unique_and_not_blank),
        cmocka_unit_test(test_states_that_cannot_be_told),
        cmocka_unit_test(test_what_cannot_be_created),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
