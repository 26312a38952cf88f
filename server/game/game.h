/// game/game.h - the reference game: what its files share.
//
// Floor:   game. Sees the engine only through core/game_api.h.
// Memory:  all state is in edict->game and client->game.

#ifndef EDICTD_GAME_GAME_H
#define EDICTD_GAME_GAME_H

#include "core/game_api.h"

/// The game's own part of an edict. The table in game.c says which map key sets which field.
typedef struct {
    int64_t until_ms; ///< a teleporter with a targetname works, another trigger rests until then
    edict_ref_t activator; ///< who set off what is delayed
    vec3_t movedir;        ///< unit vector a trigger pushes along
    vec3_t velocity;       ///< of a projectile at its start
    float wait;            ///< s until it works again; -1 = never
    float delay;           ///< s from being set off to firing
    float speed;
    float damage;
    int32_t spawnflags;
    int32_t message, killtarget; ///< string ids
    int32_t zero;
} fields_t;

_Static_assert(sizeof(fields_t) <= EDICT_GAME_BYTES, "fits into edict->game");
_Static_assert(offsetof(edict_t, game) % 8 == 0, "int64 fields are aligned");

/// The game's own part of a client.
typedef struct {
    int64_t respawn_ms;   ///< dead: may respawn from then on
    int64_t next_hurt_ms; ///< triggers hurt him again from then on
    int32_t waiting;      ///< 1 = found no free place to spawn yet
    int32_t zero;
} player_fields_t;

_Static_assert(sizeof(player_fields_t) <= CLIENT_GAME_BYTES, "fits into client->game");
_Static_assert(offsetof(client_t, game) % 8 == 0, "int64 fields are aligned");

/// The game's own part of the world.
typedef struct {
    int32_t use_depth; ///< targets firing targets at this moment
} game_vars_t;

#define PLAYER_HEALTH 100

static inline fields_t *Game_Fields(edict_t *edict) {
    return (fields_t *)(void *)edict->game;
}

static inline player_fields_t *Game_PlayerFields(client_t *client) {
    return (player_fields_t *)(void *)client->game;
}

static inline game_vars_t *Game_Vars(sv_context_t *sv) {
    return (game_vars_t *)(void *)sv->world->game;
}

// player.c
void Game_ClientJoin(sv_context_t *sv, edict_t *player, client_t *client);
void Game_ClientLeave(sv_context_t *sv, edict_t *player, client_t *client);
void Game_ClientStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms);
bool Game_ClientCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
/// Takes health from a player; `why` is told to everybody when he dies.
void Game_Hurt(sv_context_t *sv, edict_t *player, int32_t damage, const char *why);
void Game_PlayerThink(sv_context_t *sv, edict_t *self);

// targets.c
/// Fires what an edict targets: message to the activator, killtarget, then use of each target; after
/// its delay.
void Game_UseTargets(sv_context_t *sv, edict_t *self, edict_t *activator);
void Game_DelayedThink(sv_context_t *sv, edict_t *self);

// triggers.c
void Game_SpawnMultiple(sv_context_t *sv, edict_t *self);
void Game_SpawnOnce(sv_context_t *sv, edict_t *self);
void Game_SpawnPush(sv_context_t *sv, edict_t *self);
void Game_SpawnTeleport(sv_context_t *sv, edict_t *self);
void Game_SpawnHurt(sv_context_t *sv, edict_t *self);
void Game_MultipleTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
void Game_MultipleUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator);
void Game_PushTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
void Game_TeleportTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
void Game_TeleportUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator);
void Game_HurtTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);

// projectiles.c
void Game_SpawnBounceSource(sv_context_t *sv, edict_t *self);
void Game_SpawnFlySource(sv_context_t *sv, edict_t *self);
void Game_BounceSourceThink(sv_context_t *sv, edict_t *self);
void Game_FlySourceThink(sv_context_t *sv, edict_t *self);
void Game_BounceTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
void Game_FlyTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
void Game_RemoveThink(sv_context_t *sv, edict_t *self);

// brushes.c
void Game_SpawnWall(sv_context_t *sv, edict_t *self);
void Game_SpawnIllusionary(sv_context_t *sv, edict_t *self);
/// Sets a trigger's brush model up: touched, never solid. False (logged, removed) without a model.
bool Game_InitTrigger(sv_context_t *sv, edict_t *self);

/// The game's table.
const game_export_t *Game_Export(void);

#endif
