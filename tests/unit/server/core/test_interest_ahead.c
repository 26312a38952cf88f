// Edicts that move into view are received before, and so is what is visible from the exit of a
// teleporter that a player touches. A hidden leader is received with its follower. Checked by the
// visibility of a real map.

#include "core/interest.h"

#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "lib/vis_fixture.h"

#include "base/rng.h"
#include "collide/vis.h"
#include "core/sight.h"
#include "world/link.h"

#include <stdio.h>
#include <string.h>

#define PLACES      500
#define PING_MS     200
#define RUN_QU      64.0f   // in 200 ms at 320 qu/s
#define SHOT_SPEED  1500.0f // qu/s
#define SHOT_QU     150.0f  // in 100 ms
#define MIN_CHECKED 20      // places that are hidden now and visible from the lead, or hidden

typedef struct {
    test_net_t net;
    server_t *server;
    sv_context_t sv;
    rng_t rng;
    edict_t *shot;
} play_t;

static void begin(play_t *play) {
    char path[512];
    memset(play, 0, sizeof *play);
    snprintf(path, sizeof path, "%s/maps/arena.bsp", Test_BuildFolder());
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 3, .max_clients = 2, .map_file = path});
    for (int32_t i = 0; i < 2; i++) {
        TestNet_AddClient(&play->net, "player");
    }
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->server = play->net.server;
    Server_SetCullLos(play->server, false); // only the map's visibility hides players
    play->sv = SV_Context(play->server->world, play->server->map, &play->server->game,
                          play->server->events);
    play->server->sessions[play->server->peer_of_slot[0]].ping_ms = PING_MS;
    play->server->sessions[play->server->peer_of_slot[1]].ping_ms = 0; // the longer one counts
    play->rng = (rng_t){7};
    play->shot = play->sv.engine->spawn(&play->sv);
    play->shot->type = ENTITY_PROJECTILE;
    play->shot->movetype = MOVETYPE_NONE;
}

static float within(play_t *play, float limit) {
    return limit * ((float)Rng_Below(&play->rng, 2001) / 1000.0f - 1.0f);
}

static vec3_t near(play_t *play, vec3_t place, float limit) {
    return VectorAdd(place, Vector(within(play, limit), within(play, limit), within(play, 40.0f)));
}

// Returns true if a box that contains the edict and all places within `by` of it may be visible
// from the player in slot 0.
static bool in_sight(const play_t *play, const edict_t *edict, float by) {
    const edict_t *eye = World_Edict(play->server->world, 1);
    const bounds_t from = BoundsOfSweep(eye->origin, eye->origin, eye->mins, eye->maxs, 0.0f);
    const bounds_t to = BoundsOfSweep(edict->origin, edict->origin, edict->mins, edict->maxs, by);
    return TestVis_Sees(play->server->map, from, to);
}

static bool receives(play_t *play, int32_t number) {
    static int32_t list[4096];
    turn_t turn = {0};
    server_t *server = play->server;
    const session_t *session = &server->sessions[server->peer_of_slot[0]];
    const int32_t count = Interest_List(server, session, 0, &turn, list);
    for (int32_t i = 0; i < count; i++) {
        if (server->states[list[i]].number == number) {
            return true;
        }
    }
    return false;
}

typedef struct {
    int32_t ahead;  // received, though not visible from where it is
    int32_t hidden; // not received
} counts_t;

static void check(play_t *play, const edict_t *edict, float by, counts_t *counts) {
    const bool is_received = receives(play, World_EdictNumber(play->server->world, edict));
    assert_true(is_received || !in_sight(play, edict, by));
    counts->ahead += is_received && in_sight(play, edict, by) && !in_sight(play, edict, 0.0f);
    counts->hidden += is_received ? 0 : 1;
}

static void test_edicts_that_move_into_view(void **state) {
    (void)state;
    play_t play;
    begin(&play);
    counts_t players = {0}, shots = {0};
    const edict_t *spot = NULL, *other = NULL;
    edict_t *player = World_Edict(play.server->world, 2);
    for (int32_t i = 0; i < PLACES; i++) {
        if (i % 16 == 0) {
            spot = play.sv.engine->find_class(&play.sv, spot, "info_player_deathmatch");
            World_Edict(play.server->world, 1)->origin = spot ? spot->origin : vec3_zero;
        }
        other = play.sv.engine->find_class(&play.sv, other, "info_player_deathmatch");
        player->origin = near(&play, other ? other->origin : vec3_zero, 300.0f);
        player->velocity = vec3_zero;
        play.shot->origin = near(&play, other ? other->origin : vec3_zero, 300.0f);
        play.shot->velocity = Vector(i % 2 ? SHOT_SPEED : 0.0f, i % 2 ? 0.0f : SHOT_SPEED, 0.0f);
        SV_LinkEdict(&play.sv, player, false);
        SV_LinkEdict(&play.sv, play.shot, false);
        SendStates_Build(play.server);
        Interest_Tick(play.server);
        check(&play, player, RUN_QU, &players);
        check(&play, play.shot, SHOT_QU, &shots);
    }
    print_message("players: %d ahead, %d hidden; projectiles: %d ahead, %d hidden\n", players.ahead,
                  players.hidden, shots.ahead, shots.hidden);
    assert_true(players.ahead > MIN_CHECKED && players.hidden > MIN_CHECKED);
    assert_true(shots.ahead > MIN_CHECKED && shots.hidden > MIN_CHECKED);
    TestNet_Free(&play.net);
}

static void test_exits(void **state) {
    (void)state;
    play_t play;
    int32_t hidden = 0;
    begin(&play);
    for (int32_t ms = 0; ms < 1000; ms += TEST_NET_STEP_MS) { // the server finds the triggers
        TestNet_Step(&play.net);
    }
    edict_t *player = World_Edict(play.server->world, 1);
    const edict_t *trigger = NULL;
    while ((trigger = play.sv.engine->find_class(&play.sv, trigger, "trigger_teleport"))) {
        const char *target = World_Text(play.server->world, trigger->target);
        const edict_t *exit = play.sv.engine->find_target(&play.sv, NULL, target);
        assert_non_null(exit);
        player->origin = VectorScale(VectorAdd(trigger->absmin, trigger->absmax), 0.5f);
        player->velocity = vec3_zero;
        SV_LinkEdict(&play.sv, player, false);
        play.shot->origin = exit->origin;
        SV_LinkEdict(&play.sv, play.shot, false);
        SendStates_Build(play.server);
        Interest_Tick(play.server);
        assert_true(receives(&play, World_EdictNumber(play.server->world, play.shot)));
        hidden += in_sight(&play, play.shot, 0.0f) ? 0 : 1;
    }
    print_message("%d exits are not visible from their teleporters\n", hidden);
    assert_true(hidden > 0);
    TestNet_Free(&play.net);
}

// A client places a follower by its leader.
static void test_leaders_out_of_view(void **state) {
    (void)state;
    play_t play;
    int32_t hidden = 0;
    begin(&play);
    edict_t *player = World_Edict(play.server->world, 1);
    edict_t *leader = play.sv.engine->spawn(&play.sv);
    leader->type = ENTITY_PROJECTILE;
    const int32_t number = World_EdictNumber(play.server->world, leader);
    const edict_t *spot = NULL;
    while ((spot = play.sv.engine->find_class(&play.sv, spot, "info_player_deathmatch"))) {
        leader->origin = spot->origin;
        SV_LinkEdict(&play.sv, leader, false);
        play.shot->movetype = MOVETYPE_NONE;
        play.shot->origin = player->origin;
        SV_LinkEdict(&play.sv, play.shot, false);
        SendStates_Build(play.server);
        Interest_Tick(play.server);
        const bool is_hidden = !receives(&play, number);
        const vec3_t offset = VectorSubtract(player->origin, spot->origin);
        assert_true(play.sv.engine->follow(&play.sv, play.shot, leader, offset, vec3_zero));
        SendStates_Build(play.server);
        Interest_Tick(play.server);
        assert_true(receives(&play, World_EdictNumber(play.server->world, play.shot)));
        assert_true(receives(&play, number));
        hidden += is_hidden ? 1 : 0;
    }
    assert_true(hidden > 0);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edicts_that_move_into_view),
        cmocka_unit_test(test_exits),
        cmocka_unit_test(test_leaders_out_of_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
