/// game/player.c - players: how they spawn, die and respawn.

#include "game/game.h"
#include "game/match.h"
#include "game/players.h"
#include "game/vehicles.h"
#include "math/angles.h"

#include <stdio.h>
#include <string.h>

#define RESPAWN_BUTTON_MS 1000 // time after a death from which a button respawns the player
#define RESPAWN_MS        3000 // a dead player respawns without input after this time
#define GIBS              3
#define GIB_MS            6000
#define GIB_HEALTH        40  // damage beyond the remaining health that leaves only gibs
#define SPAWN_RETRY_MS    100 // plus a random 0..100 ms, so that players do not all retry at once

// ---- life and death ----

static void choose_team(sv_context_t *sv, edict_t *player, player_fields_t *fields) {
    bool has_teams = Game_HasTeams(sv);
    if (!has_teams || fields->team == 0) {
        fields->team = has_teams ? Game_SmallerTeam(sv) : 0;
    }
    sv->engine->set_team(sv, player, fields->team);
}

void Game_Appear(sv_context_t *sv, edict_t *player, client_t *client, vec3_t place, vec3_t angles,
                 vec3_t velocity) {
    player_fields_t *fields = Game_PlayerFields(client);
    int32_t health = fields->brought;
    choose_team(sv, player, fields);
    player->solid = SOLID_SLIDEBOX;
    player->movetype = MOVETYPE_WALK;
    player->visibility = VISIBLE_ALL;
    player->think = GAME_CALLBACK(sv, Game_PlayerThink);
    player->effects = 0;
    Game_SetModel(sv, player, "players", "player");
    fields->brought = 0;
    sv->engine->set_pm_type(sv, player, PM_NORMAL);
    sv->engine->next_think(sv, player, 0);
    client->player.health = health > 0 ? health : PLAYER_HEALTH;
    Game_Fields(player)->hurt_ms = 0;
    if (health == 0) {
        Game_GiveStart(fields);
    }
    Game_ShowPowers(sv, player, client);
    sv->engine->teleport(sv, player, place, angles, velocity);
    Game_Show(sv, player, place, "spawn");
}

void Game_PutIntoWorld(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    vec3_t place = {0.0f, 0.0f, 0.0f};
    vec3_t angles = {0.0f, 0.0f, 0.0f};
    if (Game_Vars(sv)->end_ms != 0) {
        Game_Freeze(sv, player, client);
        return;
    }
    if (client->player.flags & PMF_DUCKED) {
        client->player.flags &= ~PMF_DUCKED;
        player->mins = sv->engine->player_box(sv).mins;
        player->maxs = sv->engine->player_box(sv).maxs;
    }
    int64_t now_ms = sv->engine->time_ms(sv);
    choose_team(sv, player, fields);
    bool found = now_ms >= fields->respawn_ms &&
                 Game_FindSpawn(sv, player, fields->team, fields->waiting != 0, &place, &angles);
    fields->waiting = found ? 0 : 1;
    if (found) {
        Game_Appear(sv, player, client, place, angles, vec3_zero);
        return;
    }
    int32_t spread_ms = Q_ToInt(sv->engine->random(sv) * SPAWN_RETRY_MS, 0, SPAWN_RETRY_MS);
    int64_t retry_ms = now_ms + SPAWN_RETRY_MS + spread_ms;
    player->solid = SOLID_NOT;
    player->movetype = MOVETYPE_WALK;
    player->visibility = VISIBLE_NOBODY;
    player->think = GAME_CALLBACK(sv, Game_PlayerThink);
    sv->engine->set_pm_type(sv, player, PM_FROZEN);
    sv->engine->next_think(sv, player, fields->respawn_ms > now_ms ? fields->respawn_ms : retry_ms);
}

static void throw_gibs(sv_context_t *sv, const edict_t *player) {
    for (int32_t i = 0; i < GIBS; i++) {
        edict_t *gib = sv->engine->spawn(sv);
        if (!gib) {
            return; // the engine counts failed spawns
        }
        float x = sv->engine->random(sv) - 0.5f;
        float y = sv->engine->random(sv) - 0.5f;
        gib->classname = sv->engine->string(sv, "gib");
        Game_SetModel(sv, gib, "corpses", "gib");
        gib->movetype = MOVETYPE_BOUNCE;
        gib->solid = SOLID_NOT;
        gib->origin = player->origin;
        gib->velocity = VectorAdd(player->velocity, Vector(400.0f * x, 400.0f * y, 300.0f));
        Game_After(sv, gib, GAME_CALLBACK(sv, Game_RemoveThink), GIB_MS);
        sv->engine->link(sv, gib, false);
    }
}

static void print_death(sv_context_t *sv, const client_t *victim, const client_t *killer,
                        const char *why) {
    char line[MAX_TEXT_BYTES];
    if (killer && killer != victim) {
        snprintf(line, sizeof line, "%s %s by %s", victim->name, why, killer->name);
    } else {
        snprintf(line, sizeof line, "%s %s%s", victim->name, why, killer ? " by his own hand" : "");
    }
    sv->engine->print(sv, EVENT_TO_ALL, line);
}

// Logs a kill, or a death that no other player caused.
static void log_death(sv_context_t *sv, const edict_t *player, const client_t *victim,
                      const edict_t *attacker, const char *why) {
    const client_t *killer = attacker ? sv->engine->client(sv, attacker) : NULL;
    bool is_kill = killer && killer != victim;
    const char *class = attacker && !killer ? sv->engine->text(sv, attacker->classname) : NULL;
    const log_field_t fields[] = {
        {.key = "cause", .text = why},
        {.key = class ? "attacker" : "weapon", .text = class ? class : Game_WeaponName(why)},
        {.key = "victim", .text = victim->name},
        {.key = "victim_slot", .number = sv->engine->slot(sv, player)}};
    sv->engine->log_event(sv, is_kill ? "kill" : "death", is_kill ? attacker : player, fields,
                          is_kill ? 4 : 2);
}

static void die(sv_context_t *sv, edict_t *player, client_t *client, edict_t *attacker,
                const char *why) {
    player_fields_t *fields = Game_PlayerFields(client);
    client_t *killer = attacker ? sv->engine->client(sv, attacker) : NULL;
    fields->respawn_ms = sv->engine->time_ms(sv) + RESPAWN_BUTTON_MS;
    Game_LeaveVehicle(sv, player, client, true);
    player->movetype = MOVETYPE_WALK;
    player->solid = SOLID_NOT;
    player->effects = 0;
    Game_SetModel(sv, player, "corpses", "player");
    sv->engine->set_pm_type(sv, player, PM_DEAD);
    sv->engine->link(sv, player, false);
    Game_Show(sv, player, player->origin, "death");
    print_death(sv, client, killer, why);
    log_death(sv, player, client, attacker, why);
    Game_Score(sv, client, killer);
    Game_DropFlag(sv, player, client);
    Game_DropBackpack(sv, player, fields);
    sv->engine->next_think(sv, player, sv->engine->time_ms(sv) + RESPAWN_MS);
}

// Returns the damage that armour and powerups leave. They do not reduce damage of PASSES_ALL
// (telefrags, falls out of the world).
static int32_t behind_armour(sv_context_t *sv, client_t *client, int32_t damage) {
    player_fields_t *fields = Game_PlayerFields(client);
    if (damage >= PASSES_ALL) {
        return damage;
    }
    if (fields->power_ms[POWER_SHIELD] > sv->engine->time_ms(sv)) {
        return 0;
    }
    int32_t saved = Q_ClampI((damage * fields->armour_percent + 99) / 100, 0, fields->armour);
    fields->armour -= saved;
    return damage - saved;
}

bool Game_IsAlive(sv_context_t *sv, const edict_t *edict) {
    const client_t *client = sv->engine->client(sv, edict);
    return client && !client->spectator && client->player.health > 0 &&
           (client->player.pm_type == PM_NORMAL || client->player.pm_type == PM_DRIVING);
}

void Game_HurtBy(sv_context_t *sv, edict_t *player, edict_t *attacker, int32_t damage,
                 const char *why) {
    client_t *client = sv->engine->client(sv, player);
    client_t *by = attacker ? sv->engine->client(sv, attacker) : NULL;
    bool over = Game_Vars(sv)->end_ms != 0;
    if (!client || client->spectator || client->player.health <= 0 || damage <= 0 || over ||
        (player->flags & FL_GODMODE) ||
        (by && damage < PASSES_ALL && Game_AreFriends(sv, client, by))) {
        return;
    }
    damage = by == client ? (damage + 1) / 2 : damage;
    int32_t left = behind_armour(sv, client, damage);
    bool gibbed = left >= client->player.health + GIB_HEALTH && left < PASSES_ALL;
    client->player.health -= Q_ClampI(left, 0, client->player.health);
    Game_Show(sv, player, player->origin, "pain");
    if (client->player.health <= 0) {
        if (gibbed) {
            throw_gibs(sv, player);
        }
        die(sv, player, client, attacker, why);
    }
}

void Game_Hurt(sv_context_t *sv, edict_t *player, int32_t damage, const char *why) {
    Game_HurtBy(sv, player, NULL, damage, why);
}

void Game_PlayerThink(sv_context_t *sv, edict_t *self) {
    client_t *client = sv->engine->client(sv, self);
    if (client && !client->spectator) {
        Game_PutIntoWorld(sv, self, client);
    }
}

// ---- callbacks of the engine ----

void Game_ClientJoin(sv_context_t *sv, edict_t *player, client_t *client) {
    char line[MAX_TEXT_BYTES];
    snprintf(line, sizeof line, "%s joined", client->name);
    sv->engine->print(sv, EVENT_TO_ALL, line);
    Game_ClampKept(Game_PlayerFields(client));
    *Game_PlayerFields(client) = (player_fields_t){.team = Game_PlayerFields(client)->team};
    if (Game_Vars(sv)->motd[0] != '\0') {
        sv->engine->print(sv, sv->engine->slot(sv, player), Game_Vars(sv)->motd);
    }
    if (client->spectator) {
        const edict_t *spot = Game_AnySpawn(sv);
        if (spot) {
            player->origin = spot->origin;
        }
        return;
    }
    Game_PutIntoWorld(sv, player, client);
}

void Game_ClientLeave(sv_context_t *sv, edict_t *player, client_t *client) {
    char line[MAX_TEXT_BYTES];
    Game_LeaveVehicle(sv, player, client, true);
    Game_DropFlag(sv, player, client);
    snprintf(line, sizeof line, "%s left", client->name);
    sv->engine->print(sv, EVENT_TO_ALL, line);
}

void Game_ClientStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms) {
    const player_fields_t *fields = Game_PlayerFields(client);
    bool is_dead = client->player.pm_type == PM_DEAD;
    bool wants = (cmd->buttons & (BUTTON_ATTACK | BUTTON_JUMP)) != 0;
    if (is_dead && wants && sv->engine->time_ms(sv) >= fields->respawn_ms) {
        Game_PutIntoWorld(sv, player, client);
        return;
    }
    if (Game_IsAlive(sv, player) && !Game_IsDriving(client)) {
        Game_WeaponStep(sv, player, client, cmd, step_ms);
    }
    if (step_ms > 0 && Game_IsAlive(sv, player)) { // the player's own explosion may have killed it
        Game_HazardStep(sv, player, client);
    }
    if (step_ms > 0 && Game_IsAlive(sv, player)) { // after a landing: no buggy breaks the fall
        Game_VehicleStep(sv, player, client, cmd);
    }
}

void Game_GiveUp(sv_context_t *sv, edict_t *player, client_t *client) {
    if (Game_IsAlive(sv, player)) {
        player->flags &= ~FL_GODMODE;
        Game_PlayerFields(client)->armour = 0;
        Game_PlayerFields(client)->power_ms[POWER_SHIELD] = 0;
        Game_Hurt(sv, player, client->player.health, "gave up");
    }
}

bool Game_ClientCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    if (strcmp(text, "kill") == 0) {
        Game_GiveUp(sv, player, client);
        return true;
    }
    if (strncmp(text, "give", 4) == 0 && (text[4] == ' ' || text[4] == '\0')) {
        Game_Give(sv, player, client, text + 4 + (text[4] == ' '));
        return true;
    }
    return Game_MatchCommand(sv, player, client, text);
}
