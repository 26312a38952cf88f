/// game/player.c - players: where they appear, how they die and come back.
//
// Floor:   game.

#include "game/game.h"
#include "math/angles.h"

#include <stdio.h>
#include <string.h>

#define MAX_SPAWN_POINTS  256
#define RESPAWN_BUTTON_MS 1000 // dead for so long, a button brings him back
#define RESPAWN_MS        3000 // ... and after this he comes back by himself
#define SPAWN_RETRY_MS    100  // and up to as much again, so that a waiting crowd comes bit by bit
#define SPAWN_RINGS       6
#define SPAWN_RING_STEP   40.0f // qu; players are 32 wide

// ---- a free place ----

static int32_t collect_spawns(sv_context_t *sv, const char *classname, int32_t *list) {
    int32_t count = 0;
    const edict_t *spot = NULL;
    while (count < MAX_SPAWN_POINTS &&
           (spot = sv->engine->find_class(sv, spot, classname)) != NULL) {
        list[count++] = sv->engine->number(sv, spot);
    }
    return count;
}

// Free: nothing solid there, and nothing solid between it and the spawn point itself.
static bool is_free(sv_context_t *sv, const edict_t *player, vec3_t from, vec3_t place) {
    trace_t way = sv->engine->trace(sv, from, player->mins, player->maxs, place, false, player);
    if (way.startsolid || way.fraction < 1.0f) {
        return false;
    }
    trace_t there = sv->engine->trace(sv, place, player->mins, player->maxs, place, true, player);
    return !there.startsolid;
}

// A place on a ring around a spawn point, so that a crowd that joins at once fits.
static bool find_place_around(sv_context_t *sv, const edict_t *player, vec3_t spot, vec3_t *place) {
    static const vec3_t around[8] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                     {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}};
    for (int32_t ring = 1; ring <= SPAWN_RINGS; ring++) {
        for (size_t i = 0; i < COUNTOF(around); i++) {
            *place = VectorMA(spot, SPAWN_RING_STEP * (float)ring, around[i]);
            if (is_free(sv, player, spot, *place)) {
                return true;
            }
        }
    }
    return false;
}

// The spawn points for players: their number, at most MAX_SPAWN_POINTS.
static int32_t collect_player_spawns(sv_context_t *sv, int32_t *list) {
    int32_t count = collect_spawns(sv, "info_player_deathmatch", list);
    return count > 0 ? count : collect_spawns(sv, "info_player_start", list);
}

// A spawn point that nobody stands on, from a random one on; only then a place beside one. Who
// waits already looks beside one point at a time: a crowd on a full map must not stop the server.
static bool find_spawn_place(sv_context_t *sv, const edict_t *player, bool waits, vec3_t *place,
                             vec3_t *angles) {
    int32_t list[MAX_SPAWN_POINTS];
    int32_t count = collect_player_spawns(sv, list);
    if (count == 0) {
        return false;
    }
    int32_t first = Q_ToInt(sv->engine->random(sv) * (float)count, 0, count - 1);
    int32_t tries = count + (waits ? 1 : count);
    for (int32_t i = 0; i < tries; i++) {
        const edict_t *spot = sv->engine->edict(sv, list[(first + i) % count]);
        vec3_t raised = VectorAdd(spot->origin, Vector(0.0f, 0.0f, 1.0f));
        *angles = Vector(0.0f, spot->angles.y, 0.0f);
        *place = raised;
        if (i < count ? is_free(sv, player, raised, raised)
                      : find_place_around(sv, player, raised, place)) {
            return true;
        }
    }
    return false;
}

// ---- life and death ----

static void put_into_world(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    vec3_t place = {0.0f, 0.0f, 0.0f};
    vec3_t angles = {0.0f, 0.0f, 0.0f};
    bool found = find_spawn_place(sv, player, fields->waiting != 0, &place, &angles);
    fields->waiting = found ? 0 : 1;
    player->solid = found ? SOLID_SLIDEBOX : SOLID_NOT;
    player->hidden = found ? 0 : 1;
    sv->engine->set_pm_type(sv, player, found ? PM_NORMAL : PM_FROZEN);
    player->think = GAME_CALLBACK(sv, Game_PlayerThink);
    if (!found) {
        int32_t spread_ms = Q_ToInt(sv->engine->random(sv) * SPAWN_RETRY_MS, 0, SPAWN_RETRY_MS);
        sv->engine->next_think(sv, player, sv->engine->time_ms(sv) + SPAWN_RETRY_MS + spread_ms);
        return;
    }
    sv->engine->next_think(sv, player, 0);
    client->player.health = PLAYER_HEALTH;
    fields->next_hurt_ms = 0;
    sv->engine->teleport(sv, player, place, angles, Vector(0.0f, 0.0f, 0.0f));
    sv->engine->effect(sv, player, place, "spawn");
}

static void die(sv_context_t *sv, edict_t *player, client_t *client, const char *why) {
    player_fields_t *fields = Game_PlayerFields(client);
    char line[MAX_TEXT_BYTES];
    fields->respawn_ms = sv->engine->time_ms(sv) + RESPAWN_BUTTON_MS;
    player->solid = SOLID_NOT;
    sv->engine->set_pm_type(sv, player, PM_DEAD);
    sv->engine->link(sv, player, false);
    sv->engine->effect(sv, player, player->origin, "death");
    snprintf(line, sizeof line, "%s %s", client->name, why);
    sv->engine->print(sv, EVENT_TO_ALL, line);
    sv->engine->next_think(sv, player, sv->engine->time_ms(sv) + RESPAWN_MS);
}

void Game_Hurt(sv_context_t *sv, edict_t *player, int32_t damage, const char *why) {
    client_t *client = sv->engine->client(sv, player);
    if (!client || client->spectator || client->player.health <= 0) {
        return;
    }
    client->player.health -= Q_ClampI(damage, 0, client->player.health);
    sv->engine->effect(sv, player, player->origin, "pain");
    if (client->player.health <= 0) {
        die(sv, player, client, why);
    }
}

void Game_PlayerThink(sv_context_t *sv, edict_t *self) {
    client_t *client = sv->engine->client(sv, self);
    if (client && !client->spectator) {
        put_into_world(sv, self, client);
    }
}

// ---- what the engine calls ----

void Game_ClientJoin(sv_context_t *sv, edict_t *player, client_t *client) {
    char line[MAX_TEXT_BYTES];
    snprintf(line, sizeof line, "%s joined", client->name);
    sv->engine->print(sv, EVENT_TO_ALL, line);
    if (client->spectator) {
        int32_t list[MAX_SPAWN_POINTS];
        if (collect_player_spawns(sv, list) > 0) {
            player->origin = sv->engine->edict(sv, list[0])->origin;
        }
        return;
    }
    put_into_world(sv, player, client);
}

void Game_ClientLeave(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)player;
    char line[MAX_TEXT_BYTES];
    snprintf(line, sizeof line, "%s left", client->name);
    sv->engine->print(sv, EVENT_TO_ALL, line);
}

void Game_ClientStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms) {
    (void)step_ms;
    const player_fields_t *fields = Game_PlayerFields(client);
    bool is_dead = client->player.pm_type == PM_DEAD;
    bool wants = (cmd->buttons & (BUTTON_ATTACK | BUTTON_JUMP)) != 0;
    if (is_dead && wants && sv->engine->time_ms(sv) >= fields->respawn_ms) {
        put_into_world(sv, player, client);
    }
}

bool Game_ClientCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    if (strcmp(text, "kill") == 0) {
        Game_Hurt(sv, player, client->player.health, "gave up");
        return true;
    }
    return false;
}
