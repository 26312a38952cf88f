/// game/players.h - the game's part of a client; players, their equipment and spawn points.

#ifndef EDICTD_GAME_PLAYERS_H
#define EDICTD_GAME_PLAYERS_H

#include "game/game.h"

#define KEY_SILVER (1 << 0)
#define KEY_GOLD   (1 << 1)

typedef enum { AMMO_NONE, AMMO_SHELLS, AMMO_NAILS, AMMO_ROCKETS, AMMO_CELLS, AMMO_COUNT } ammo_t;

typedef enum {
    WEAPON_NONE,
    WEAPON_AXE, ///< from here on, the number of a weapon is the impulse that selects it
    WEAPON_SHOTGUN,
    WEAPON_SUPER_SHOTGUN,
    WEAPON_NAILGUN,
    WEAPON_SUPER_NAILGUN,
    WEAPON_GRENADES,
    WEAPON_ROCKETS,
    WEAPON_LIGHTNING,
    WEAPON_COUNT
} weapon_number_t;

typedef enum { POWER_QUAD, POWER_SHIELD, POWER_HIDDEN, POWER_SUIT, POWER_COUNT } power_t;

#define EFFECT_QUAD   (1 << 0) // edict->effects
#define EFFECT_SHIELD (1 << 1)
#define EFFECT_HIDDEN (1 << 2)
#define EFFECT_FLAG   (1 << 3)

/// The game's part of a client.
typedef struct {
    int64_t respawn_ms;            ///< earliest respawn of a dead player
    int64_t message_ms;            ///< earliest next message about a lock
    int64_t exit_ms;               ///< until then, exits to other maps ignore the player
    int64_t power_ms[POWER_COUNT]; ///< end of each powerup
    hazard_t hazard;
    int32_t waiting;   ///< 1 = waits for a free spawn point
    int32_t stays;     ///< 1 = leaves its position at the change of map
    int32_t brought;   ///< health from the map before, until the player appears; 0 = none
    int32_t keys;      ///< bits KEY_*
    int32_t refire_ms; ///< ms until the weapon is ready again
    int32_t weapon;    ///< weapon_number_t in hand
    int32_t weapons;   ///< bits 1 << weapon_number_t
    int32_t ammo[AMMO_COUNT];
    int32_t armour, armour_percent; ///< points; percentage of a hit that armour absorbs
    int32_t frags, deaths;
    int32_t team;          ///< 0 none, 1 red, 2 blue
    int32_t flag;          ///< team of the flag that the player holds, 0 = none
    int32_t forward_held;  ///< 1 forward, -1 back in the last sub-step
    vec3_t drive_velocity; ///< velocity after the last sub-step, qu/s
    edict_ref_t vehicle;   ///< the vehicle or train that the player drives
    edict_ref_t controls;  ///< of the train that it drives
} player_fields_t;

_Static_assert(sizeof(player_fields_t) <= CLIENT_GAME_BYTES, "fits into client->game");
_Static_assert(sizeof(player_fields_t) ==
                   3 * 8 + 8 * POWER_COUNT + sizeof(hazard_t) + 4 * (7 + AMMO_COUNT + 7) + 12 + 16,
               "no padding");
_Static_assert(offsetof(client_t, game) % 8 == 0, "int64 fields are aligned");

#define PLAYER_HEALTH 100

static inline player_fields_t *Game_PlayerFields(client_t *client) {
    return (player_fields_t *)(void *)client->game;
}

// player.c
void Game_ClientJoin(sv_context_t *sv, edict_t *player, client_t *client);
void Game_ClientLeave(sv_context_t *sv, edict_t *player, client_t *client);
void Game_ClientStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms);
bool Game_ClientCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
/// Makes a player appear: with its equipment and health from the map before, or with the starting
/// equipment.
void Game_Appear(sv_context_t *sv, edict_t *player, client_t *client, vec3_t place, vec3_t angles,
                 vec3_t velocity);
/// Kills the player who entered the `kill` command. Ignores armour.
void Game_GiveUp(sv_context_t *sv, edict_t *player, client_t *client);
/// Spawns a player at a spawn point with the starting equipment. Waits if no point is free. In a
/// match with teams, first assigns a team if the player has none.
void Game_PutIntoWorld(sv_context_t *sv, edict_t *player, client_t *client);

// spawn_points.c
/// Finds a random free spawn point, or else a free position beside a point. `waits`: tries the
/// positions beside only one point. Returns false if nothing is free.
bool Game_FindSpawn(sv_context_t *sv, const edict_t *player, int32_t team, bool waits,
                    vec3_t *place, vec3_t *angles);
/// Moves *place to a free position at, above or beside it. Returns false if there is none.
bool Game_FindRoom(sv_context_t *sv, const edict_t *player, vec3_t *place);
/// Logs the spawn points of the map that cannot be used, or that the map has none.
void Game_CheckSpawns(sv_context_t *sv);
/// Logs the monsters and buggies that start in something solid.
void Game_CheckStuck(sv_context_t *sv);
/// Returns any spawn point, or NULL.
const edict_t *Game_AnySpawn(sv_context_t *sv);

// levels.c
/// Clamps the values from the map before, which come from outside the world.
void Game_ClampKept(player_fields_t *fields);
/// Puts a player who arrives through a landmark into the world.
void Game_ClientArrive(sv_context_t *sv, edict_t *player, client_t *client, const arrival_t *from);

// figure.c
/// Sets a player's animation once a tick, from health, stance, speed and pitch.
void Game_Animate(sv_context_t *sv, edict_t *player, client_t *client);

// weapons.c
void Game_GiveStart(player_fields_t *fields);
/// Runs weapon changes and attacks over one sub-step.
void Game_WeaponStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms);
ammo_t Game_WeaponAmmo(int32_t weapon);
/// Returns the name of the weapon that kills with the text `why`; "" if none does.
const char *Game_WeaponName(const char *why);

// hazards.c
/// Applies lava, slime, drowning and falls to a living player after a sub-step.
void Game_HazardStep(sv_context_t *sv, edict_t *player, client_t *client);

// items.c
/// Runs the cheat `give`. `name`: the classname of an item, or "all" for everything but powerups.
void Game_Give(sv_context_t *sv, edict_t *player, client_t *client, const char *name);
/// Drops a backpack with the ammo of a dead player.
void Game_DropBackpack(sv_context_t *sv, edict_t *player, const player_fields_t *fields);

#endif
