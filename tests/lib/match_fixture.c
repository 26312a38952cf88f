#include "lib/match_fixture.h"

#include "lib/events_fixture.h"
#include "lib/testing.h"

#include "bsp/bsp.h"
#include "core/core_local.h"
#include "game/players.h"
#include "math/angles.h"
#include "move/pmove.h"
#include "move/profiles.h"
#include "world/link.h"
#include "world/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MATCH_SEED 7
#define PEACE_MS   8000 // with monsters: no player shoots before this
#define PEACEFUL   4    // with monsters: one player in this many shoots

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test match: %s\n", what);
        abort();
    }
}

static bool load_map(cmap_t *map, const char *name) {
    char path[512];
    err_t err;
    name = name ? name : "foundry";
    if (strchr(name, '/')) {
        snprintf(path, sizeof path, "%s", name);
    } else {
        snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(), name);
    }
    if (access(path, R_OK) != 0) {
        printf("SKIPPED: %s is not there\n", path);
        return false;
    }
    must(BSP_Load(map, path, &err), err.text);
    return true;
}

bool TestMatch_Start(test_match_t *match, const test_match_config_t *config) {
    err_t err = {{0}};
    *match = (test_match_t){.rng = {MATCH_SEED}, .monsters = config->monsters};
    if (!load_map(&match->map, config->map)) {
        return false;
    }
    const world_params_t params = {.max_edicts = 2048,
                                   .max_clients = MATCH_PLAYERS,
                                   .seed = MATCH_SEED,
                                   .map_hash = match->map.hash,
                                   .bounds = match->map.models[0].bounds};
    match->world = World_Init(malloc(World_Bytes(&params)), &params);
    match->inputs = calloc(1, sizeof *match->inputs);
    match->events = calloc(1, sizeof *match->events);
    must(match->world && match->inputs && match->events, "out of memory");
    must(!config->profile || PM_Profile(config->profile, &match->world->cvars.move), "no profile");
    PM_FitBody(&match->world->cvars.move, match->map.hullset == HULLSET_HALFLIFE);
    must(SV_BindGame(match->world, Game_Export(), &match->game, &err), err.text);
    game_vars_t *vars = (game_vars_t *)(void *)match->world->game;
    vars->gametype = config->gametype;
    vars->fraglimit = config->fraglimit;
    vars->monsters = config->monsters;
    vars->teamplay = config->monsters;
    must(SV_SpawnEntities(match->world, &match->map, &match->game, match->events, &err), err.text);
    for (int32_t i = 0; i < MATCH_PLAYERS; i++) {
        input_t *input = Inputs_Add(match->inputs, INPUT_JOIN, i);
        snprintf(input->text, sizeof input->text, "p%d", i);
    }
    return true;
}

void TestMatch_Free(test_match_t *match) {
    CM_FreeMap(&match->map);
    free(match->world);
    free(match->inputs);
    free(match->events);
}

sv_context_t TestMatch_Context(test_match_t *match) {
    return SV_Context(match->world, &match->map, &match->game, match->events);
}

// ---- inputs ----

static bool is_enemy(const test_match_t *match, int32_t number) {
    const edict_t *edict = World_Edict(match->world, number);
    bool fights = match->monsters ? (edict->flags & FL_MONSTER) != 0 : number <= MATCH_PLAYERS;
    return edict->inuse && fights && edict->solid == SOLID_SLIDEBOX;
}

static const edict_t *nearest(const test_match_t *match, int32_t slot) {
    const edict_t *self = World_Edict(match->world, slot + 1);
    const edict_t *best = NULL;
    float best_distance = 0.0f;
    int32_t count = match->monsters ? match->world->num_edicts : MATCH_PLAYERS + 1;
    for (int32_t i = 1; i < count; i++) {
        const edict_t *other = World_Edict(match->world, i);
        float distance = VectorLength(VectorSubtract(other->origin, self->origin));
        if (i != slot + 1 && is_enemy(match, i) && (!best || distance < best_distance)) {
            best = other;
            best_distance = distance;
        }
    }
    return best;
}

static usercmd_t fight(test_match_t *match, int32_t slot) {
    const edict_t *self = World_Edict(match->world, slot + 1);
    const client_t *client = World_Client(match->world, slot);
    const edict_t *enemy = nearest(match, slot);
    vec3_t to = enemy ? VectorSubtract(enemy->origin, self->origin) : Vector(1.0f, 0.0f, 0.0f);
    vec3_t view = VectorAngles(to);
    bool shuffles = Rng_Below(&match->rng, 4) == 0;
    bool shoots = !match->monsters || (slot % PEACEFUL == 0 && match->world->time_ms > PEACE_MS);
    return (usercmd_t){.tick = match->world->tick,
                       .msec = MATCH_TICK_MS,
                       // The server adds the angle of teleporters and turning platforms.
                       .yaw = (uint16_t)(AngleToShort(view.y) - client->player.delta_yaw),
                       .pitch = AngleToShort(view.x),
                       .forward = 320,
                       .side = (int16_t)(shuffles ? 320 : -320),
                       .buttons = (uint8_t)((shoots ? BUTTON_ATTACK : 0) |
                                            (Rng_Below(&match->rng, 30) == 0 ? BUTTON_JUMP : 0))};
}

// ---- counts ----

static void note_events(test_match_t *match) {
    match->kills += TestEvents_Effects(match->world, match->events, "death");
    match->spawns += TestEvents_Effects(match->world, match->events, "spawn");
    for (int32_t i = 0; i < match->events->count; i++) {
        const event_t *event = &match->events->list[i];
        match->changes += event->type == EVENT_CHANGEMAP;
    }
}

static void look_at_players(test_match_t *match) {
    sv_context_t sv = TestMatch_Context(match);
    for (int32_t i = 0; i < MATCH_PLAYERS; i++) {
        edict_t *player = World_Edict(match->world, i + 1);
        if (player->solid == SOLID_SLIDEBOX && SV_TestEdictPosition(&sv, player)) {
            match->stuck++;
        }
    }
}

void TestMatch_Play(test_match_t *match, int32_t ticks) {
    for (int32_t t = 0; t < ticks; t++) {
        Events_Clear(match->events);
        for (int32_t i = 0; i < MATCH_PLAYERS && match->world->tick > 0; i++) {
            Inputs_Add(match->inputs, INPUT_USERCMD, i)->cmd = fight(match, i);
        }
        SV_Frame(match->world, &match->map, &match->game, match->inputs, match->events);
        Inputs_Clear(match->inputs);
        note_events(match);
        for (int32_t i = 0; i < MATCH_PLAYERS && match->monsters; i++) {
            Game_PlayerFields(World_Client(match->world, i))->team = 1;
        }
        look_at_players(match);
    }
}

int32_t TestMatch_Deaths(const test_match_t *match) {
    int32_t sum = 0;
    for (int32_t i = 0; i < MATCH_PLAYERS; i++) {
        sum += Game_PlayerFields(World_Client(match->world, i))->deaths;
    }
    return sum;
}

int32_t TestMatch_MostFrags(const test_match_t *match) {
    int32_t most = 0;
    for (int32_t i = 0; i < MATCH_PLAYERS; i++) {
        most = Q_MaxI(most, Game_PlayerFields(World_Client(match->world, i))->frags);
    }
    return most;
}
