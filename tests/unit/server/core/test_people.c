// Players among each other: team chat, the list of players, spectators.

#include "lib/peer_fixture.h"
#include "lib/spectate_fixture.h"
#include "lib/testing.h"

#include "core/game_api.h"
#include "math/angles.h"
#include "world/block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a game whose players choose team and role by commands ----

static bool command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    if (strncmp(text, "team ", 5) == 0) {
        sv->engine->set_team(sv, player, atoi(text + 5));
        return true;
    }
    if (strncmp(text, "points ", 7) == 0) {
        int32_t points = atoi(text + 7);
        memcpy(client->game, &points, sizeof points);
        return true;
    }
    if (TestSpectate_Command(sv, player, text)) {
        return true;
    }
    if (strcmp(text, "die") == 0 || strcmp(text, "rise") == 0) {
        client->player.health = text[0] == 'd' ? 0 : 100;
        sv->engine->set_pm_type(sv, player, text[0] == 'd' ? PM_DEAD : PM_NORMAL);
        return true;
    }
    return false;
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    client->player.health = 100;
    memcpy(client->game + 4, &(int32_t){10 + sv->engine->number(sv, player)}, 4);
    player->origin = Vector(64.0f * (float)sv->engine->number(sv, player) - 256.0f, 0.0f, 32.0f);
}

typedef struct {
    uint32_t touched; ///< bit n: edict n touched the trigger
} people_vars_t;

static void note_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self, (void)trace;
    people_vars_t *vars = sv->engine->world_vars(sv);
    vars->touched |= 1u << sv->engine->number(sv, other);
}

// Spawns a trigger that fills the room, and an edict that team 2 sees, but not its client 2.
static void map_started(sv_context_t *sv) {
    edict_t *trigger = sv->engine->spawn(sv);
    edict_t *secret = sv->engine->spawn(sv);
    trigger->solid = SOLID_TRIGGER;
    trigger->mins = Vector(-512.0f, -512.0f, -64.0f);
    trigger->maxs = Vector(512.0f, 512.0f, 256.0f);
    trigger->touch = sv->engine->callback(sv, "note_touch");
    trigger->visibility = VISIBLE_NOBODY;
    secret->visibility = VISIBLE_TEAM;
    secret->visible_to = 2;
    sv->engine->link(sv, trigger, false);
    sv->engine->link(sv, secret, false);
}

static const callback_t callbacks[] = {{.name = "note_touch", .touch = note_touch}};
static const game_field_t client_fields[] = {
    {.name = "points", .type = FIELD_INT, .flags = FIELD_ALL | FIELD_SCORE},
    {.name = "ammo", .type = FIELD_INT, .offset = 4, .flags = FIELD_OWNER}};
static const game_export_t people_game = {.api_version = GAME_API_VERSION,
                                          .name = "people",
                                          .callbacks = callbacks,
                                          .num_callbacks = 1,
                                          .client_fields = {client_fields, 2},
                                          .map_started = map_started,
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

// ---- spectators ----

#define NUM_CLIENTS 4

// Starts a server with four clients in slots 0..3: two of team 1, one of team 2, a spectator.
static void begin_watch(test_net_t *net, const char *spectate, const char *team) {
    static const char *const names[NUM_CLIENTS] = {"a", "b", "c", "eye"};
    err_t err;
    memset(net, 0, sizeof *net);
    serve(net);
    assert_true(Server_SetCvar(net->server, "sv_spectate", spectate, &err));
    for (int32_t i = 0; i < NUM_CLIENTS; i++) {
        (void)TestNet_AddClient(net, names[i]);
        assert_true(TestNet_WaitActive(net, 2000));
        assert_int_equal(CL_Slot(net->clients[i]), i);
        CL_Command(net->clients[i], i == 3 ? team : i == 2 ? "team 2" : "team 1");
    }
    CL_Command(net->clients[3], "spectate");
}

// Runs all clients, which predict in each step. The first two walk in circles, the spectator pushes
// all its keys.
static void run_watch(test_net_t *net, int32_t ms) {
    player_state_t player;
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        float turn = AngleMod(0.2f * (float)net->now_ms);
        cl_input_t walk = {.forward = 200.0f, .yaw = turn, .pitch = turn / 9.0f};
        cl_input_t fly = {.forward = 300.0f, .side = -300.0f, .up = 100.0f, .yaw = 45.0f};
        fly.buttons = BUTTON_JUMP | BUTTON_ATTACK;
        for (int32_t i = 0; i < 2; i++) {
            CL_SetInput(net->clients[i], &walk);
        }
        CL_SetInput(net->clients[3], &fly);
        TestNet_Step(net);
        for (int32_t i = 0; i < net->num_clients; i++) {
            (void)CL_Predicted(net->clients[i], &player);
        }
    }
}

// Sends a command and runs until it has an effect. Returns the slot that the spectator follows.
static int32_t after(test_net_t *net, int32_t client, const char *text) {
    CL_Command(net->clients[client], text);
    run_watch(net, 400);
    return CL_Followed(net->clients[3]);
}

// Returns a bit for each player, and for the secret of team 2 (bit 31), among the entities of the
// spectator's newest snapshot.
static uint32_t shown_to(const test_net_t *net, int32_t client) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    uint32_t shown = 0;
    int32_t count = CL_Entities(net->clients[client], list, MAX_SNAPSHOT_ENTS);
    for (int32_t i = 0; i < count; i++) {
        bool is_player = list[i].type == ENTITY_PLAYER;
        shown |= 1u << (is_player ? list[i].number - 1 : 31);
    }
    return shown;
}

#define SECRET (1u << 31)

// Returns the ammo of a player as the spectator receives it.
static int32_t ammo_of(const test_net_t *net, int32_t slot) {
    cl_value_t value;
    assert_true(CL_PlayerField(net->clients[3], slot, "ammo", &value));
    return value.number;
}

static uint64_t mispredictions(const test_net_t *net) {
    cl_stats_t stats;
    CL_Stats(net->clients[3], &stats);
    assert_true(stats.predictions > 0);
    return stats.mispredictions;
}

static void test_the_eyes_of_a_followed_player(void **state) {
    (void)state;
    static test_net_t net;
    begin_watch(&net, "2", "team 0");
    run_watch(&net, 400);
    cl_t *eye = net.clients[3];
    const world_t *world = Server_World(net.server);
    const people_vars_t *vars = (const void *)world->game;
    assert_int_equal(CL_Followed(eye), -1);
    assert_int_equal(after(&net, 3, "follow 1"), 1);
    assert_int_equal(shown_to(&net, 3), 1u << 0 | 1u << 1 | 1u << 2); // like client 1, and itself
    assert_int_equal(ammo_of(&net, 1), 12);                           // a field of that player only
    assert_int_equal(ammo_of(&net, 2), 0);
    float path = 0.0f, gap = 0.0f;
    vec3_t last = World_Edict(world, 2)->origin;
    for (int32_t i = 0; i < 500; i++) {
        player_state_t self, shown;
        run_watch(&net, TEST_NET_STEP_MS);
        assert_true(CL_Self(eye, &self));
        assert_true(CL_Predicted(eye, &shown));
        const client_t *watched = World_Client(world, 1);
        if (CL_ServerTick(eye) == world->tick) { // the very state of the server
            player_state_t same = watched->player;
            same.flags |= PMF_WATCHED;
            same.carrier = 2;
            assert_memory_equal(&self, &same, sizeof same);
        }
        pose_t pose;
        int64_t tick;
        uint16_t frac;
        assert_true(CL_ViewTime(eye, &tick, &frac));
        assert_true(CL_EntityPose(eye, 2, tick, frac, &pose));
        gap = fmaxf(gap, VectorLength(VectorSubtract(pose.origin, shown.origin)));
        path += VectorLength(VectorSubtract(shown.origin, last));
        last = shown.origin;
        // A client's own edict is in the snapshot too, without pose.
        const edict_t *own = World_Edict(world, 4);
        assert_true(VectorCompare(own->origin, World_Edict(world, 2)->origin));
        assert_int_equal(own->solid, SOLID_NOT);
    }
    assert_true(path > 300.0f); // it moved, and smoothly: in steps of at most 4 ms
    assert_true(gap < 0.13f);   // half of an entity's unit per axis
    assert_int_equal(vars->touched & 1u << 2, 1u << 2);
    assert_int_equal(vars->touched >> 4 & 1u, 0);
    vec3_t at = World_Edict(world, 2)->origin;
    CL_Command(eye, "follow off");
    run_watch(&net, 100);
    assert_int_equal(CL_Followed(eye), -1);
    assert_int_equal(ammo_of(&net, 1), 0);
    player_state_t self;
    assert_true(CL_Self(eye, &self));
    assert_true(VectorLength(VectorSubtract(self.origin, at)) < 100.0f); // it flies on from there
    run_watch(&net, 1000);
    assert_int_equal(mispredictions(&net), 0);
    assert_int_equal(vars->touched >> 4 & 1u, 0);
    TestNet_Free(&net);
}

static void test_following_ends(void **state) {
    (void)state;
    static test_net_t net;
    err_t err;
    begin_watch(&net, "2", "team 0");
    run_watch(&net, 400);
    assert_int_equal(after(&net, 3, "follow next"), 0);
    assert_int_equal(after(&net, 3, "follow next"), 1);
    assert_int_equal(after(&net, 3, "follow next"), 2);
    assert_int_equal(after(&net, 3, "follow next"), 0);
    assert_int_equal(after(&net, 0, "die"), -1);
    assert_int_equal(after(&net, 3, "follow 0"), -1);
    assert_int_equal(after(&net, 3, "follow next"), 1);
    assert_int_equal(after(&net, 1, "spectate"), -1);
    assert_int_equal(after(&net, 3, "follow 2"), 2);
    assert_int_equal(after(&net, 3, "follow 3"), 2); // itself: refused, and nothing changes
    assert_int_equal(after(&net, 3, "follow 99"), 2);
    assert_int_equal(after(&net, 3, "follow -1"), 2);
    assert_int_equal(after(&net, 3, "follow"), 2);
    assert_int_equal(after(&net, 3, "follow 2 2"), 2);
    assert_int_equal(after(&net, 3, "following"), 2);
    edict_t *watched = World_Edict(Server_World(net.server), 3);
    watched->visibility = VISIBLE_NOBODY; // nothing of it may be sent
    assert_int_equal(after(&net, 3, "follow 2"), -1);
    watched->visibility = VISIBLE_BUT_CLIENT; // does not see itself
    watched->visible_to = 2;
    assert_int_equal(after(&net, 3, "follow 2"), 2);
    CL_Disconnect(net.clients[2]);
    run_watch(&net, 400);
    assert_int_equal(CL_Followed(net.clients[3]), -1);
    assert_int_equal(after(&net, 3, "follow next"), -1);
    assert_int_equal(after(&net, 0, "rise"), -1);
    assert_int_equal(after(&net, 3, "follow next"), 0);
    assert_true(Server_SetCvar(net.server, "sv_spectate", "0", &err));
    run_watch(&net, 400);
    assert_int_equal(CL_Followed(net.clients[3]), -1);
    assert_int_equal(mispredictions(&net), 0);
    TestNet_Free(&net);
}

// sv_spectate 1: a spectator follows its own team, receives what the followed player receives, and
// no player otherwise.
static void test_own_team_only(void **state) {
    (void)state;
    static test_net_t net;
    begin_watch(&net, "1", "team 1");
    run_watch(&net, 400);
    assert_int_equal(shown_to(&net, 3), 0);
    assert_int_equal(after(&net, 3, "follow 2"), -1);
    assert_int_equal(after(&net, 3, "follow 0"), 0);
    assert_int_equal(shown_to(&net, 3), 1u << 0 | 1u << 1 | 1u << 2);
    assert_int_equal(after(&net, 3, "follow 2"), 0);
    assert_int_equal(after(&net, 3, "follow next"), 1);
    assert_int_equal(after(&net, 3, "follow next"), 0);
    assert_int_equal(after(&net, 0, "team 2"), -1); // in this very tick
    assert_int_equal(shown_to(&net, 3), 0);
    // With another team, it sees that team's secret through its player's eyes only.
    assert_int_equal(after(&net, 3, "team 2"), -1);
    assert_int_equal(shown_to(&net, 3), 0);
    assert_int_equal(after(&net, 3, "follow 2"), 2);
    assert_int_equal(shown_to(&net, 3), 1u << 0 | 1u << 1 | 1u << 2 | SECRET);
    // Without a team there is nobody to follow, not even players without a team.
    assert_int_equal(after(&net, 3, "team 0"), -1);
    assert_int_equal(after(&net, 2, "team 0"), -1);
    assert_int_equal(after(&net, 3, "follow next"), -1);
    assert_int_equal(after(&net, 3, "follow 2"), -1);
    assert_int_equal(mispredictions(&net), 0);
    TestNet_Free(&net);
}

static void test_no_spectators(void **state) {
    (void)state;
    static test_net_t net;
    err_t err;
    begin_watch(&net, "0", "team 1");
    run_watch(&net, 400);
    assert_int_equal(after(&net, 3, "follow 0"), -1);
    assert_int_equal(after(&net, 3, "follow next"), -1);
    assert_int_equal(shown_to(&net, 3), 0); // the game made it a spectator, and it sees no players
    TestNet_Free(&net);
    test_peer_t peer;
    serve(&net);
    assert_true(Server_SetCvar(net.server, "sv_spectate", "0", &err));
    TestPeer_Connect(&peer, &net, 0);
    control_msg_t msg = {.type = CTL_HELLO};
    msg.u.hello = (ctl_hello_t){.version = PROTO_VERSION, .spectator = true, .name = "eye"};
    TestPeer_Send(&peer, &msg);
    TestPeer_Run(&peer, 200);
    assert_string_equal(peer.last[CTL_REFUSED].u.refused.text,
                        "this server has no spectators; join as a player");
    TestPeer_Free(&peer);
    TestPeer_Join(&peer, &net, 1, "a player");
    TestPeer_Free(&peer);
    TestNet_Free(&net);
}

static void test_the_list_of_players(void **state) {
    (void)state;
    static test_net_t net;
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1,
                                      .max_clients = 8,
                                      .map = &room,
                                      .game = &people_game,
                                      .conditions = {.delay_ms = 30}};
    cl_player_row_t rows[8];
    memset(&net, 0, sizeof net);
    TestNet_Init(&net, &config);
    Server_SetHost(net.server, "people", net.folder, "", 2); // every second tick
    for (int32_t i = 0; i < 3; i++) {
        (void)TestNet_AddClient(&net, i == 0 ? "a" : i == 1 ? "b" : "c");
        assert_true(TestNet_WaitActive(&net, 3000));
    }
    CL_Command(net.clients[0], "team 2");
    CL_Command(net.clients[1], "points -7");
    CL_Command(net.clients[2], "spectate");
    for (int32_t ms = 0; ms < 3000; ms += TEST_NET_STEP_MS) {
        TestNet_Step(&net);
    }
    for (int32_t i = 0; i < 3; i++) { // each client has the same list
        assert_int_equal(CL_Players(net.clients[i], rows, 8), 3);
        assert_string_equal(rows[0].name, "a");
        assert_string_equal(rows[2].name, "c");
        assert_int_equal(rows[0].team, 2);
        assert_int_equal(rows[1].team, 0);
        assert_int_equal(rows[0].score, 0);
        assert_int_equal(rows[1].score, -7);
        assert_false(rows[1].is_spectator);
        assert_true(rows[2].is_spectator);
        for (int32_t row = 0; row < 3; row++) {
            assert_int_equal(rows[row].slot, row);
            assert_true(rows[row].ping_ms >= 60);
            assert_true(rows[row].ping_ms <= 80); // and one step of the simulation each time
        }
    }
    assert_int_equal(CL_Players(net.clients[0], rows, 2), 2);
    assert_int_equal(CL_Players(net.clients[0], rows, 0), 0);
    CL_Disconnect(net.clients[0]);
    for (int32_t ms = 0; ms < 400; ms += TEST_NET_STEP_MS) {
        TestNet_Step(&net);
    }
    assert_int_equal(CL_Players(net.clients[0], rows, 8), 0);
    assert_int_equal(CL_Players(net.clients[1], rows, 8), 2);
    assert_int_equal(rows[0].slot, 1);
    TestNet_Free(&net);
}

static void note_line(void *context, const char *line) {
    char *text = context;
    strlcat(text, line, 2048);
    strlcat(text, "\n", 2048);
}

static void test_the_operators_list(void **state) {
    (void)state;
    static test_net_t net;
    char text[2048] = "";
    begin_watch(&net, "2", "team 0");
    run_watch(&net, 400);
    assert_int_equal(after(&net, 3, "follow 2"), 2);
    CL_Command(net.clients[0], "team 0");
    run_watch(&net, 200);
    Server_PrintClients(net.server, note_line, text);
    assert_non_null(strstr(text, "over credit 0 ms  points 0\n"));
    assert_non_null(strstr(text, "over credit 0 ms  team 2  points 0\n"));
    assert_non_null(strstr(text, "over credit 0 ms  spectator  follows slot 2  points 0\n"));
    TestNet_Free(&net);
}

// The dead follow living players of their team, and no others, even with sv_spectate 2.
static void test_the_dead(void **state) {
    (void)state;
    static test_net_t net;
    begin_watch(&net, "2", "team 1");
    CL_Command(net.clients[3], "play");
    run_watch(&net, 400);
    assert_int_equal(after(&net, 3, "follow 0"), -1); // it lives
    assert_int_equal(after(&net, 3, "die"), -1);
    vec3_t corpse = World_Edict(Server_World(net.server), 4)->origin;
    uint64_t before = mispredictions(&net); // a client does not predict its death
    assert_int_equal(after(&net, 3, "follow 2"), -1);
    assert_int_equal(after(&net, 3, "follow 1"), 1);
    const edict_t *own = World_Edict(Server_World(net.server), 4);
    assert_true(VectorLength(VectorSubtract(own->origin, corpse)) < 64.0f); // it stays behind
    assert_int_equal(mispredictions(&net), before);
    assert_int_equal(after(&net, 3, "rise"), -1);
    player_state_t self;
    assert_true(CL_Self(net.clients[3], &self));
    assert_true(VectorLength(VectorSubtract(self.origin, own->origin)) < 16.0f);
    TestNet_Free(&net);
}

// A flood of follow commands changes views at most at the rate of texts, and no client is dropped.
static void test_a_flood_of_follow_commands(void **state) {
    (void)state;
    static test_net_t net;
    begin_watch(&net, "1", "team 1");
    run_watch(&net, 400);
    for (int32_t i = 0; i < 3000; i++) {
        char text[MAX_TEXT_BYTES];
        snprintf(text, sizeof text, "follow %d", i % 5 - 1);
        if (i % 7 == 0) {
            memset(text, '9', sizeof text - 1);
            memcpy(text, "follow ", 7);
            text[sizeof text - 1] = '\0';
        }
        (void)CL_Command(net.clients[3], i % 3 == 0 ? "follow next" : text);
        if (i % 20 == 0) {
            run_watch(&net, 20);
        }
        assert_int_not_equal(CL_Followed(net.clients[3]), 2);
    }
    run_watch(&net, 1000);
    for (int32_t i = 0; i < NUM_CLIENTS; i++) {
        assert_int_equal(CL_State(net.clients[i]), CL_ACTIVE);
    }
    const world_t *world = Server_World(net.server);
    err_t err;
    assert_true(World_Check(world, world->bytes, &err));
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_team_receives_team_chat),
        cmocka_unit_test(test_team_chat_is_chat),
        cmocka_unit_test(test_a_line_of_a_leaving_player),
        cmocka_unit_test(test_the_eyes_of_a_followed_player),
        cmocka_unit_test(test_following_ends),
        cmocka_unit_test(test_own_team_only),
        cmocka_unit_test(test_no_spectators),
        cmocka_unit_test(test_the_list_of_players),
        cmocka_unit_test(test_the_operators_list),
        cmocka_unit_test(test_the_dead),
        cmocka_unit_test(test_a_flood_of_follow_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
