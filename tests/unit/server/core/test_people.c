// Players among each other: team chat, the list of players, spectators.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include "core/game_api.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a game whose players choose team and role by commands ----

static bool command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    if (strncmp(text, "team ", 5) == 0) {
        sv->engine->set_team(sv, player, atoi(text + 5));
        return true;
    }
    if (strcmp(text, "spectate") == 0 || strcmp(text, "play") == 0) {
        bool spectates = text[0] == 's';
        sv->engine->set_spectator(sv, player, spectates);
        player->movetype = spectates ? MOVETYPE_NOCLIP : MOVETYPE_WALK;
        player->solid = spectates ? SOLID_NOT : SOLID_SLIDEBOX;
        player->visibility = spectates ? VISIBLE_NOBODY : VISIBLE_ALL;
        sv->engine->link(sv, player, false);
        return true;
    }
    if (strcmp(text, "die") == 0) {
        client->player.health = 0;
        sv->engine->set_pm_type(sv, player, PM_DEAD);
        return true;
    }
    return false;
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv;
    client->player.health = 100;
    player->origin = Vector(64.0f * (float)sv->engine->number(sv, player) - 256.0f, 0.0f, 32.0f);
}

static const game_export_t people_game = {.api_version = GAME_API_VERSION,
                                          .name = "people",
                                          .client_command = command,
                                          .client_join = join};

static void serve(test_net_t *net) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {
        .seed = 1, .max_clients = 8, .map = &room, .game = &people_game};
    TestNet_Init(net, &config);
}

#define NUM_PEERS 5

typedef struct {
    test_net_t net;
    test_peer_t peers[NUM_PEERS];
} party_t;

static void run(party_t *party, int32_t ms) {
    for (int32_t at = 0; at < ms; at += 4 * NUM_PEERS) {
        for (int32_t i = 0; i < NUM_PEERS; i++) {
            TestPeer_Run(&party->peers[i], 4);
        }
    }
}

// Joins five players: two of team 1, one of team 2, a spectator of team 1, and one without a team.
static void begin(party_t *party) {
    static const char *const teams[NUM_PEERS] = {"team 1", "team 1", "team 2", "team 1", "team 0"};
    memset(party, 0, sizeof *party);
    serve(&party->net);
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        TestPeer_Join(&party->peers[i], &party->net, i, name);
        TestPeer_Text(&party->peers[i], CTL_COMMAND, teams[i]);
    }
    TestPeer_Text(&party->peers[3], CTL_COMMAND, "spectate");
    run(party, 200);
}

static void end(party_t *party) {
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        TestPeer_Free(&party->peers[i]);
    }
    TestNet_Free(&party->net);
}

// ---- team chat ----

static void say_team(test_peer_t *peer, const char *text) {
    control_msg_t msg = {.type = CTL_SAY, .u.text.team = true};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", text);
    TestPeer_Send(peer, &msg);
}

// Peer `from` says a line to its team. Returns a bit for each peer that received it.
static uint32_t hears(party_t *party, int32_t from) {
    uint32_t heard = 0;
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        party->peers[i].heard[CTL_CHAT] = 0;
    }
    say_team(&party->peers[from], "hold the door");
    run(party, 200);
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        const ctl_chat_t *chat = &party->peers[i].last[CTL_CHAT].u.chat;
        if (party->peers[i].heard[CTL_CHAT] > 0) {
            assert_true(chat->team);
            assert_int_equal(chat->slot, from);
            assert_string_equal(chat->text, "hold the door");
            heard |= 1u << i;
        }
    }
    return heard;
}

static void test_only_the_team_receives_team_chat(void **state) {
    (void)state;
    static party_t party;
    begin(&party);
    assert_int_equal(hears(&party, 0), 1u << 0 | 1u << 1); // not the spectator of the team
    assert_int_equal(hears(&party, 2), 1u << 2);
    assert_int_equal(hears(&party, 3), 1u << 3);
    assert_int_equal(hears(&party, 4), 1u << 4);
    TestPeer_Text(&party.peers[2], CTL_COMMAND, "team 0");
    TestPeer_Text(&party.peers[4], CTL_COMMAND, "spectate");
    run(&party, 2000);
    assert_int_equal(hears(&party, 2), 1u << 2);
    TestPeer_Text(&party.peers[4], CTL_COMMAND, "play");
    run(&party, 2000);
    assert_int_equal(hears(&party, 2), 1u << 2 | 1u << 4); // players without a team are one
    // A line to all is no line to a team.
    run(&party, 2000);
    TestPeer_Text(&party.peers[0], CTL_SAY, "hello");
    run(&party, 200);
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        assert_false(party.peers[i].last[CTL_CHAT].u.chat.team);
        assert_string_equal(party.peers[i].last[CTL_CHAT].u.chat.text, "hello");
    }
    end(&party);
}

// Team chat has the rates and mutes of chat, and is cleaned like chat.
static void test_team_chat_is_chat(void **state) {
    (void)state;
    static party_t party;
    begin(&party);
    party.peers[1].heard[CTL_CHAT] = 0;
    for (int32_t i = 0; i < 12; i++) {
        say_team(&party.peers[0], "spam");
    }
    run(&party, 200);
    assert_int_equal(party.peers[1].heard[CTL_CHAT], 4);
    run(&party, 8000);
    say_team(&party.peers[0], " a\xe2\x80\x8b  b ");
    run(&party, 200);
    assert_string_equal(party.peers[1].last[CTL_CHAT].u.chat.text, "a b");
    assert_true(Server_Mute(party.net.server, 0, 0, MUTE_THIS_MAP));
    party.peers[1].heard[CTL_CHAT] = 0;
    run(&party, 8000);
    say_team(&party.peers[0], "can you read me?");
    run(&party, 200);
    assert_int_equal(party.peers[1].heard[CTL_CHAT], 0);
    assert_non_null(strstr(party.peers[0].last[CTL_PRINT].u.text.text, "you are muted"));
    end(&party);
}

// A player sends a line to its team and leaves in the same tick: no other team receives the line.
static void test_a_line_of_a_leaving_player(void **state) {
    (void)state;
    static party_t party;
    begin(&party);
    for (int32_t i = 0; i < NUM_PEERS; i++) {
        party.peers[i].heard[CTL_CHAT] = 0;
    }
    say_team(&party.peers[0], "goodbye");
    TestPeer_Send(&party.peers[0], &(control_msg_t){.type = CTL_LEAVE});
    run(&party, 400);
    for (int32_t i = 2; i < NUM_PEERS; i++) {
        assert_int_equal(party.peers[i].heard[CTL_CHAT], 0);
    }
    end(&party);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_team_receives_team_chat),
        cmocka_unit_test(test_team_chat_is_chat),
        cmocka_unit_test(test_a_line_of_a_leaving_player),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
