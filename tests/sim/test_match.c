// A deathmatch of bots that do nothing but go for the nearest player and shoot: kills, scores,
// respawns in free places, and the same match again from the same seed.

#include "lib/testing.h"

#include "base/rng.h"
#include "bsp/bsp.h"
#include "core/core_local.h"
#include "game/game.h"
#include "math/angles.h"
#include "world/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAYERS 16
#define TICK_MS 16

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    int32_t kills, spawns, stuck, changes;
} match_t;

static int32_t match_ticks(void) {
    return (getenv("EDICTD_LONG") ? 600000 : 30000) / TICK_MS;
}

static bool load_map(cmap_t *map) {
    const char *build = getenv("BUILD");
    char path[512];
    err_t err;
    snprintf(path, sizeof path, "%s/maps/foundry.bsp", build ? build : "build");
    if (!BSP_Load(map, path, &err)) {
        print_message("SKIPPED: %s\n", err.text);
        return false;
    }
    return true;
}

static void start(match_t *match, int32_t gametype, int32_t fraglimit) {
    err_t err = {{0}};
    const world_params_t params = {.max_edicts = 2048,
                                   .max_clients = PLAYERS,
                                   .seed = 7,
                                   .map_hash = match->map.hash,
                                   .bounds = match->map.models[0].bounds};
    match->world = World_Init(malloc(World_Bytes(&params)), &params);
    match->inputs = calloc(1, sizeof *match->inputs);
    match->events = calloc(1, sizeof *match->events);
    match->rng = (rng_t){7};
    assert_true(SV_BindGame(match->world, Game_Export(), &match->game, &err));
    game_vars_t *vars = (game_vars_t *)(void *)match->world->game;
    vars->gametype = gametype;
    vars->fraglimit = fraglimit;
    assert_true(SV_SpawnEntities(match->world, &match->map, &match->game, match->events, &err));
    for (int32_t i = 0; i < PLAYERS; i++) {
        input_t *input = Inputs_Add(match->inputs, INPUT_JOIN, i);
        snprintf(input->text, sizeof input->text, "p%d", i);
    }
}

static void stop(match_t *match) {
    free(match->world);
    free(match->inputs);
    free(match->events);
}

static const edict_t *nearest(const match_t *match, int32_t slot) {
    const edict_t *self = World_Edict(match->world, slot + 1);
    const edict_t *best = NULL;
    float best_distance = 0.0f;
    for (int32_t i = 0; i < PLAYERS; i++) {
        const edict_t *other = World_Edict(match->world, i + 1);
        float distance = VectorLength(VectorSubtract(other->origin, self->origin));
        if (i != slot && other->solid == SOLID_SLIDEBOX && (!best || distance < best_distance)) {
            best = other;
            best_distance = distance;
        }
    }
    return best;
}

static usercmd_t fight(match_t *match, int32_t slot) {
    const edict_t *self = World_Edict(match->world, slot + 1);
    const client_t *client = World_Client(match->world, slot);
    const edict_t *enemy = nearest(match, slot);
    vec3_t to = enemy ? VectorSubtract(enemy->origin, self->origin) : Vector(1.0f, 0.0f, 0.0f);
    vec3_t view = VectorAngles(to);
    bool shuffles = Rng_Below(&match->rng, 4) == 0;
    return (usercmd_t){
        .tick = match->world->tick,
        .msec = TICK_MS,
        // The server adds what teleporters and turning platforms turned him by.
        .yaw = (uint16_t)(AngleToShort(view.y) - client->player.delta_yaw),
        .pitch = AngleToShort(view.x),
        .forward = 320,
        .side = (int16_t)(shuffles ? 320 : -320),
        .buttons = (uint8_t)(BUTTON_ATTACK | (Rng_Below(&match->rng, 30) == 0 ? BUTTON_JUMP : 0))};
}

static void note_events(match_t *match) {
    for (int32_t i = 0; i < match->events->count; i++) {
        const event_t *event = &match->events->list[i];
        match->kills += event->type == EVENT_EFFECT && strcmp(event->text, "death") == 0;
        match->spawns += event->type == EVENT_EFFECT && strcmp(event->text, "spawn") == 0;
        match->changes += event->type == EVENT_CHANGEMAP;
    }
}

static void look_at_players(match_t *match) {
    sv_context_t sv = SV_Context(match->world, &match->map, &match->game, match->events);
    for (int32_t i = 0; i < PLAYERS; i++) {
        edict_t *player = World_Edict(match->world, i + 1);
        if (player->solid == SOLID_SLIDEBOX && SV_TestEdictPosition(&sv, player)) {
            match->stuck++;
        }
    }
}

static void play(match_t *match, int32_t ticks) {
    for (int32_t t = 0; t < ticks; t++) {
        match->events->count = 0;
        for (int32_t i = 0; i < PLAYERS && match->world->tick > 0; i++) {
            Inputs_Add(match->inputs, INPUT_USERCMD, i)->cmd = fight(match, i);
        }
        SV_Frame(match->world, &match->map, &match->game, match->inputs, match->events);
        Inputs_Clear(match->inputs);
        note_events(match);
        look_at_players(match);
    }
}

static int32_t sum_of_deaths(const match_t *match) {
    int32_t sum = 0;
    for (int32_t i = 0; i < PLAYERS; i++) {
        sum += Game_PlayerFields(World_Client(match->world, i))->deaths;
    }
    return sum;
}

static int32_t most_frags(const match_t *match) {
    int32_t most = 0;
    for (int32_t i = 0; i < PLAYERS; i++) {
        most = Q_MaxI(most, Game_PlayerFields(World_Client(match->world, i))->frags);
    }
    return most;
}

static void test_a_deathmatch(void **state) {
    (void)state;
    match_t match = {.kills = 0};
    if (!load_map(&match.map)) {
        skip();
    }
    uint64_t hashes[2];
    for (int32_t round = 0; round < 2; round++) {
        match.kills = match.spawns = match.stuck = match.changes = 0;
        start(&match, 0, 0);
        play(&match, match_ticks());
        hashes[round] = World_Hash(match.world);
        print_message("deathmatch: %d kills, %d spawns, best %d frags, %d stuck, %d put back\n",
                      match.kills, match.spawns, most_frags(&match), match.stuck,
                      (int)match.world->counters.unstuck);
        assert_true(match.kills > 20);
        assert_int_equal(sum_of_deaths(&match), match.kills);
        assert_true(match.spawns >= match.kills); // all but the last dead came back
        assert_true(most_frags(&match) > 1);
        assert_int_equal(match.world->counters.quarantined, 0);
        assert_int_equal(match.stuck, 0);
        stop(&match);
    }
    assert_true(hashes[0] == hashes[1]); // the same seed, the same match
    CM_FreeMap(&match.map);
}

static void test_the_frag_limit_ends_it(void **state) {
    (void)state;
    match_t match = {.kills = 0};
    if (!load_map(&match.map)) {
        skip();
    }
    start(&match, 0, 2);
    play(&match, 60000 / TICK_MS);
    assert_true(match.changes >= 1);
    assert_true(most_frags(&match) >= 2);
    stop(&match);
    CM_FreeMap(&match.map);
}

static void test_two_teams(void **state) {
    (void)state;
    match_t match = {.kills = 0};
    if (!load_map(&match.map)) {
        skip();
    }
    start(&match, 1, 0);
    play(&match, 5000 / TICK_MS);
    int32_t teams[3] = {0};
    for (int32_t i = 0; i < PLAYERS; i++) {
        teams[Q_ClampI(Game_PlayerFields(World_Client(match.world, i))->team, 0, 2)]++;
    }
    assert_int_equal(teams[1], PLAYERS / 2);
    assert_int_equal(teams[2], PLAYERS / 2);
    assert_int_equal(match.world->counters.quarantined, 0);
    stop(&match);
    CM_FreeMap(&match.map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_deathmatch),
        cmocka_unit_test(test_the_frag_limit_ends_it),
        cmocka_unit_test(test_two_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
