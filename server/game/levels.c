/// game/levels.c - ways to other maps: trigger_changelevel, info_landmark, trigger_transition, and
/// the players who arrive through a landmark.
//
// The fields with FIELD_KEEP in tables.c go along. A plain change of map keeps the team only.

#include "game/game.h"
#include "game/players.h"

#include <stdio.h>
#include <string.h>

#define EXIT_USE_ONLY 2       // spawnflag: works only as a target
#define MAX_KEPT      1000000 // largest number that survives a change of map
/// After an arrival, an exit ignores the player until the player was outside for this time.
/// Otherwise two exits that overlap would exchange the players for ever.
#define EXIT_QUIET_MS 1000
/// After an attempt to start its map, an exit is off for this time, and for EXIT_QUIET_MS after the
/// last touch. So a map that cannot start is tried rarely, and never again for a waiting player.
#define EXIT_RETRY_MS 5000

// Returns the next edict after `after` with this name and class, or NULL.
static edict_t *find_named(sv_context_t *sv, const edict_t *after, const char *name,
                           const char *classname) {
    edict_t *edict = sv->engine->find_target(sv, after, name);
    while (edict && strcmp(sv->engine->text(sv, edict->classname), classname) != 0) {
        edict = sv->engine->find_target(sv, edict, name);
    }
    return edict;
}

// Returns true if the player is inside a trigger_transition of the landmark, or if none exists.
static bool is_inside(sv_context_t *sv, const edict_t *player, const char *landmark) {
    const char *volume = "trigger_transition";
    const edict_t *at = find_named(sv, NULL, landmark, volume);
    bool inside = at == NULL;
    for (; at && !inside; at = find_named(sv, at, landmark, volume)) {
        inside = sv->engine->touches(sv, at, player);
    }
    return inside;
}

// Starts the exit's map. Notes which players go along with their position.
static void leave_map(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    game_vars_t *vars = Game_Vars(sv);
    int64_t now_ms = sv->engine->time_ms(sv);
    const char *map = sv->engine->text(sv, fields->map);
    const char *name = sv->engine->text(sv, fields->landmark);
    const edict_t *spot = find_named(sv, NULL, name, "info_landmark");
    bool is_off = now_ms < fields->until_ms;
    int64_t until_ms = now_ms + (is_off ? EXIT_QUIET_MS : EXIT_RETRY_MS);
    fields->until_ms = until_ms > fields->until_ms ? until_ms : fields->until_ms;
    if (is_off) {
        return;
    }
    if (name[0] == '\0') {
        sv->engine->change_map(sv, map);
        return;
    }
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        const edict_t *player = sv->engine->player(sv, client);
        Game_PlayerFields(client)->stays = spot && is_inside(sv, player, name) ? 0 : 1;
    }
    vars->change_target = fields->altpath;
    vars->change_ms = now_ms + Game_Ms(fields->delay);
    sv->engine->change_map_at(sv, map, name, spot ? spot->origin : vec3_zero);
}

void Game_ChangeLevelTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    client_t *client = sv->engine->client(sv, other);
    if (!client || client->player.health <= 0) {
        return;
    }
    player_fields_t *fields = Game_PlayerFields(client);
    int64_t now_ms = sv->engine->time_ms(sv);
    bool has_arrived = now_ms < fields->exit_ms;
    if (has_arrived) {
        fields->exit_ms = now_ms + EXIT_QUIET_MS;
    } else {
        leave_map(sv, self);
    }
}

void Game_ChangeLevelUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    leave_map(sv, self);
}

void Game_SpawnChangeLevel(sv_context_t *sv, edict_t *self) {
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    if (!(Game_Fields(self)->spawnflags & EXIT_USE_ONLY)) {
        self->touch = GAME_CALLBACK(sv, Game_ChangeLevelTouch);
    }
    self->use = GAME_CALLBACK(sv, Game_ChangeLevelUse);
    sv->engine->link(sv, self, false);
}

void Game_SpawnTransition(sv_context_t *sv, edict_t *self) {
    if (Game_InitTrigger(sv, self)) {
        sv->engine->link(sv, self, false);
    }
}

// ---- arrivals ----

// Fires the changetarget of the exit that led to this map, once. Only an arrival shows that the map
// is that of the exit, not another one of sv_maplist.
static void fire_arrival(sv_context_t *sv) {
    game_vars_t *vars = Game_Vars(sv);
    int64_t ms = vars->change_ms - sv->engine->time_ms(sv);
    if (vars->change_target && Game_FireLater(sv, vars->change_target, ms > 0 ? ms : 1)) {
        vars->change_target = 0;
    }
}

void Game_ClampKept(player_fields_t *fields) {
    fields->weapon = Q_ClampI(fields->weapon, WEAPON_AXE, WEAPON_COUNT - 1);
    fields->weapons &= (1 << WEAPON_COUNT) - (1 << WEAPON_AXE);
    for (int32_t i = 0; i < AMMO_COUNT; i++) {
        fields->ammo[i] = Q_ClampI(fields->ammo[i], 0, MAX_KEPT);
    }
    fields->armour = Q_ClampI(fields->armour, 0, MAX_KEPT);
    fields->armour_percent = Q_ClampI(fields->armour_percent, 0, 100);
    fields->frags = Q_ClampI(fields->frags, -MAX_KEPT, MAX_KEPT);
    fields->deaths = Q_ClampI(fields->deaths, 0, MAX_KEPT);
    fields->team = Q_ClampI(fields->team, 0, 2);
}

void Game_ClientArrive(sv_context_t *sv, edict_t *player, client_t *client, const arrival_t *from) {
    char line[MAX_TEXT_BYTES];
    player_fields_t *fields = Game_PlayerFields(client);
    const edict_t *spot = find_named(sv, NULL, from->landmark, "info_landmark");
    vec3_t place = spot ? VectorAdd(spot->origin, from->offset) : vec3_zero;
    bool stays = fields->stays != 0;
    bool goes = spot && !stays && VectorWithin(place, (float)MAX_WORLD_COORD);
    Game_ClampKept(fields);
    fire_arrival(sv);
    fields->stays = 0;
    fields->exit_ms = sv->engine->time_ms(sv) + EXIT_QUIET_MS;
    fields->brought = Q_ClampI(from->health, 0, MAX_KEPT);
    if (client->spectator) {
        spot = goes ? spot : Game_AnySpawn(sv);
        player->origin = goes ? place : spot ? spot->origin : player->origin;
        return;
    }
    bool is_alive = fields->brought > 0 && Game_Vars(sv)->end_ms == 0;
    if (is_alive && goes && Game_FindRoom(sv, player, &place)) {
        Game_Appear(sv, player, client, place, from->angles, from->velocity);
        return;
    }
    if (is_alive && !stays) {
        snprintf(line, sizeof line, "landmark \"%s\": %s, so %s appears at a spawn point",
                 from->landmark,
                 spot ? "no room nearby" : "this map has no info_landmark of that name",
                 client->name);
        sv->engine->log(sv, LOG_WARN, line);
    }
    Game_PutIntoWorld(sv, player, client);
}
