/// game/game.c - the start of a map: checks the entities, and joins doors and glued pushers.

#include "game/game.h"
#include "base/assert.h"
#include "game/players.h"
#include "game/pushers.h"
#include "game/vehicles.h"

#include <stdio.h>

#define MAX_STUCK_LOGGED 8 // stuck entities logged one by one; more are only counted

int32_t Game_Callback(const sv_context_t *sv, const char *name) {
    int32_t id = sv->engine->callback(sv, name);
    ASSERT(id > 0);
    return id;
}

// Keeps the edict of a spawn point or destination, which other code finds by name.
void Game_SpawnPoint(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->visibility = VISIBLE_NOBODY;
}

// Makes a spawn point that other games reserve for one player serve every player.
void Game_SpawnStart(sv_context_t *sv, edict_t *self) {
    self->classname = sv->engine->string(sv, "info_player_deathmatch");
    Game_SpawnPoint(sv, self);
}

void Game_Play(sv_context_t *sv, const edict_t *edict, const char *name) {
    sv->engine->sound(sv, edict, sv->engine->sound_index(sv, name));
}

void Game_Show(sv_context_t *sv, const edict_t *edict, vec3_t origin, const char *name) {
    sv->engine->effect(sv, edict, origin, sv->engine->effect_index(sv, name));
}

void Game_RegisterNames(sv_context_t *sv) {
    static const char *const sounds[] = {
        "axe",        "backpack",     "bite",           "bounce",          "buggy_in",  "buggy_out",
        "button",     "door_start",   "door_stop",      "grenadelauncher", "lightning", "nailgun",
        "plat_start", "plat_stop",    "rocketlauncher", "shotgun",         "sight",     "spike",
        "spit",       "supernailgun", "supershotgun",   "train_start",     "train_stop"};
    static const char *const effects[] = {
        "bounce", "break",     "death",       "explode",      "flag",          "gib",  "hit",
        "item",   "light_off", "light_on",    "lightning",    "monster_death", "pain", "spawn",
        "spike",  "spit",      "teleport_in", "teleport_out", "trigger"};
    for (size_t i = 0; i < COUNTOF(sounds); i++) {
        sv->engine->sound_index(sv, sounds[i]);
    }
    for (size_t i = 0; i < COUNTOF(effects); i++) {
        sv->engine->effect_index(sv, effects[i]);
    }
}

void Game_CheckStuck(sv_context_t *sv) {
    char line[MAX_TEXT_BYTES];
    const int32_t drives = GAME_CALLBACK(sv, Game_BuggyThink);
    int32_t stuck = 0;
    for (int32_t i = 1; i < sv->engine->num_edicts(sv); i++) {
        const edict_t *self = sv->engine->edict(sv, i);
        if (!self || !(self->flags & FL_MONSTER || self->think == drives) ||
            !sv->engine->trace(sv, self->origin, self->mins, self->maxs, self->origin, false, self)
                 .startsolid ||
            stuck++ >= MAX_STUCK_LOGGED) {
            continue;
        }
        sv->engine->warn(sv, self, "starts in something solid, so it cannot move");
    }
    if (stuck > MAX_STUCK_LOGGED) {
        snprintf(line, sizeof line, "%d more monsters or buggies start in something solid",
                 stuck - MAX_STUCK_LOGGED);
        sv->engine->log(sv, LOG_WARN, line);
    }
}

// Logs mistakes of the map when it starts, and what it lacks.
static void check_map(sv_context_t *sv) {
    char line[MAX_TEXT_BYTES];
    int32_t left_out = Game_Vars(sv)->left_out;
    if (left_out > 0) {
        snprintf(line, sizeof line,
                 "%d monster%s left out: g_monsters is 0; set g_monsters 1 and start the map again",
                 left_out, left_out == 1 ? "" : "s");
        sv->engine->log(sv, LOG_INFO, line);
    }
    Game_CheckPads(sv);
    Game_CheckSpawns(sv);
    Game_CheckStuck(sv);
}

void Game_MapStarted(sv_context_t *sv) {
    check_map(sv);
    Game_CountSources(sv);
    Game_LinkDoors(sv);
    Game_LinkTracks(sv);
    Game_JoinControls(sv);
    Game_JoinPushers(sv);
}
