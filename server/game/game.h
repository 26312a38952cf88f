/// game/game.h - the reference game: what its files share.
//
// Floor:   game. Sees the engine only through core/game_api.h.
// Memory:  all state is in edict->game, client->game and world->game.

#ifndef EDICTD_GAME_GAME_H
#define EDICTD_GAME_GAME_H

#include "core/game_api.h"
#include "game/callbacks.h"
#include "game/classes.h"

/// Where a door, plat, button is. A pusher is drawn at its bottom (closed), a plat at its top.
typedef enum { PUSHER_AT_BOTTOM, PUSHER_GOING_UP, PUSHER_AT_TOP, PUSHER_GOING_DOWN } pusher_state_t;

/// The game's own part of an edict: every field has its line in tables.c, which also says which
/// map key sets it.
typedef struct {
    int64_t until_ms; ///< a teleporter with a targetname works, another trigger rests until then
    edict_ref_t activator; ///< who set off what is delayed or moves
    edict_ref_t master;  ///< of a linked door: the first of its group; of a field: its door or plat
    edict_ref_t chain;   ///< the next door of the group
    vec3_t movedir;      ///< unit vector a trigger pushes along, a pusher goes along
    vec3_t velocity;     ///< of a projectile at its start
    vec3_t pos1, pos2;   ///< of a pusher at its bottom and top
    vec3_t turn1, turn2; ///< and its angles there
    vec3_t bend;         ///< of the way to a path corner: how far its middle is off the line
    float wait;          ///< s until it works or goes back again; -1 = never
    float delay;         ///< s from being set off to firing
    float speed;
    float damage;
    float lip, height, distance, t_width, t_length, gravity, friction;
    int32_t spawnflags;
    int32_t message, killtarget, movewith, map; ///< string ids
    int32_t more_targets[4];                    ///< string ids: target2 .. target5
    int32_t team;               ///< string id: doors of one team open together, wherever they are
    int32_t health, max_health; ///< what can be shot: what is left of it
    int32_t count;              ///< a counter's
    int32_t state;              ///< pusher_state_t; a secret door's step
    int32_t skin;               ///< contents_t of a func_water
    int32_t sounds;             ///< which set of sounds it makes; 0 = the usual
    int64_t hurt_ms;            ///< what trigger_hurts took of it counts until then
    int32_t hurt_taken;         ///< the most that one of them took until then
    int32_t zero;
} fields_t;

_Static_assert(sizeof(fields_t) <= EDICT_GAME_BYTES, "fits into edict->game");
_Static_assert(sizeof(fields_t) % 8 == 0, "no padding at the end");
_Static_assert(offsetof(edict_t, game) % 8 == 0, "int64 fields are aligned");

#define KEY_SILVER (1 << 0)
#define KEY_GOLD   (1 << 1)

typedef enum { AMMO_NONE, AMMO_SHELLS, AMMO_NAILS, AMMO_ROCKETS, AMMO_CELLS, AMMO_COUNT } ammo_t;

typedef enum {
    WEAPON_NONE,
    WEAPON_AXE, ///< from here on the impulse that takes it in hand
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

/// The game's own part of a client.
typedef struct {
    int64_t respawn_ms;            ///< dead: may respawn from then on
    int64_t message_ms;            ///< told about a locked door: again from then on
    int64_t power_ms[POWER_COUNT]; ///< a powerup works until then
    int64_t burn_ms;               ///< lava and slime hurt again from then on
    int64_t drown_ms;              ///< no air hurts from then on; 0 = he has some
    int32_t waiting;               ///< 1 = found no free place to spawn yet
    int32_t keys;                  ///< KEY_*
    int32_t refire_ms;             ///< until the weapon is ready again
    int32_t weapon;                ///< weapon_number_t in hand
    int32_t weapons;               ///< bits 1 << weapon_number_t
    int32_t ammo[AMMO_COUNT];
    int32_t armour, armour_percent; ///< points, and how much of a hit they take
    int32_t frags, deaths;
    int32_t team;          ///< 0 none, 1 red, 2 blue
    int32_t flag;          ///< team of the flag he carries, 0 = none
    int32_t drown_hurt;    ///< what no air took the last time
    int32_t use_held;      ///< 1 = the use button was down in the last sub-step
    float fall_speed;      ///< qu/s downwards after the last sub-step
    vec3_t drive_velocity; ///< after the last sub-step
    edict_ref_t vehicle;   ///< that he drives
} player_fields_t;

_Static_assert(sizeof(player_fields_t) <= CLIENT_GAME_BYTES, "fits into client->game");
_Static_assert(sizeof(player_fields_t) ==
                   2 * 8 + 8 * POWER_COUNT + 2 * 8 + 4 * (5 + AMMO_COUNT + 9) + 12 + 8,
               "no padding");
_Static_assert(offsetof(client_t, game) % 8 == 0, "int64 fields are aligned");

/// The game's own part of the world.
typedef struct {
    int64_t uses_ms;   ///< time that uses_done counts in
    int32_t use_depth; ///< targets firing targets at this moment
    int32_t uses_done; ///< targets fired in this tick
    int32_t said_uses; ///< 1 = it was logged that they are too many
    int32_t total_secrets, found_secrets;
    int32_t captures[3]; ///< of team 1 and 2
    int32_t tried_next;  ///< 1 = the match is over and the next map was asked for
    int32_t cheats;      ///< sv_cheats, a cvar
    int64_t end_ms;      ///< the match is over: the map changes then; 0 = it goes on
    int32_t fraglimit, capturelimit, gametype, weaponstay, teamplay, monsters; ///< cvars
    float timelimit;                                                           ///< cvar, minutes
    char motd[CVAR_STRING_BYTES]; ///< cvar: told to who joins
} game_vars_t;

_Static_assert(sizeof(game_vars_t) <= WORLD_GAME_BYTES, "fits into world->game");

#define PLAYER_HEALTH 100
#define PASSES_ALL    10000 // damage that nothing saves from

static inline fields_t *Game_Fields(edict_t *edict) {
    return (fields_t *)(void *)edict->game;
}

static inline player_fields_t *Game_PlayerFields(client_t *client) {
    return (player_fields_t *)(void *)client->game;
}

static inline game_vars_t *Game_Vars(sv_context_t *sv) {
    return (game_vars_t *)(void *)sv->world->game;
}

/// Seconds of a map key as whole ms, 0..10^9.
static inline int64_t Game_Ms(float seconds) {
    return Q_ToInt(seconds * 1000.0f, 0, 1000000000);
}

// player.c
void Game_ClientJoin(sv_context_t *sv, edict_t *player, client_t *client);
void Game_ClientLeave(sv_context_t *sv, edict_t *player, client_t *client);
void Game_ClientStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms);
bool Game_ClientCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
/// Takes health from a player; `why` is told to everybody when he dies.
void Game_Hurt(sv_context_t *sv, edict_t *player, int32_t damage, const char *why);
/// He gives up: dead at once, whatever he wears. Nothing when he does not live.
void Game_GiveUp(sv_context_t *sv, edict_t *player, client_t *client);
/// The same as Game_Hurt by somebody (NULL = nobody), who gets the frag.
void Game_HurtBy(sv_context_t *sv, edict_t *player, edict_t *attacker, int32_t damage,
                 const char *why);
/// Puts a client who plays at a spawn point, with what he starts with; later when he has to wait for
/// that, or there is no room. In a match with teams he gets one if he has none.
void Game_PutIntoWorld(sv_context_t *sv, edict_t *player, client_t *client);
/// He lives and plays, on foot or driving.
bool Game_IsAlive(sv_context_t *sv, const edict_t *edict);

// spawn_points.c
/// A free spawn point, from a random one on; only then a place beside one. `waits`: looks beside
/// one point only. False when there is none.
bool Game_FindSpawn(sv_context_t *sv, const edict_t *player, int32_t team, bool waits,
                    vec3_t *place, vec3_t *angles);
/// Says once a map what of its spawn points is not used, or that there are none.
void Game_CheckSpawns(sv_context_t *sv);
/// Says once a map which monsters and buggies begin in something solid.
void Game_CheckStuck(sv_context_t *sv);
/// Any spawn point, or NULL.
const edict_t *Game_AnySpawn(sv_context_t *sv);

// figure.c
/// What a player's bones do, once a tick: by whether he lives, is ducked, moves, and where he aims.
void Game_Animate(sv_context_t *sv, edict_t *player, client_t *client);

// weapons.c
/// What a player carries when he appears.
void Game_GiveStart(player_fields_t *fields);
/// Weapon switch and attack over one sub-step.
void Game_WeaponStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms);
/// A missile that flew into the sky of the map is gone without a trace: true.
bool Game_VanishInSky(sv_context_t *sv, edict_t *self, const edict_t *other, const trace_t *trace);
/// The ammo a weapon uses.
ammo_t Game_WeaponAmmo(int32_t weapon);

// hazards.c
/// After a sub-step of one who lives: lava, slime, no air, landings.
void Game_HazardStep(sv_context_t *sv, edict_t *player, client_t *client);

// items.c
/// What the dead carried lies there for a while.
void Game_DropBackpack(sv_context_t *sv, edict_t *player, const player_fields_t *fields);

// ctf.c
/// Two teams and their flags are played.
bool Game_IsCtf(sv_context_t *sv);
/// The flag that a player carries, if any, goes home.
void Game_ReturnFlag(sv_context_t *sv, edict_t *player, client_t *client);
/// The flag that a player carries, if any, falls to the floor.
void Game_DropFlag(sv_context_t *sv, edict_t *player, client_t *client);
/// The team with fewer players, 1 or 2.
int32_t Game_SmallerTeam(sv_context_t *sv);

// vehicles.c
bool Game_IsDriving(const client_t *client);
/// After a sub-step of one who lives: getting in and out.
void Game_VehicleStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd);
/// A driver gets out; the vehicle stays. Without room for it he stays in, and is told, unless he must.
/// Nothing for others.
void Game_LeaveVehicle(sv_context_t *sv, edict_t *driver, client_t *client, bool must);
/// Once a tick: vehicles with drivers lean as the ground does.
void Game_LeanVehicles(sv_context_t *sv);

// monsters.c
/// Takes health from a monster; whoever did it becomes its enemy.
void Game_HurtMonster(sv_context_t *sv, edict_t *self, edict_t *attacker, int32_t damage);

// deathmatch.c
/// Once a tick: limits, the end of the match, the next map.
void Game_Frame(sv_context_t *sv);
/// Counts a death, and a frag for who did it.
void Game_Score(sv_context_t *sv, client_t *victim, client_t *killer);
/// This match has teams: capture the flag, or teamplay.
bool Game_HasTeams(sv_context_t *sv);
/// Players of one team that do not hurt each other.
bool Game_AreFriends(sv_context_t *sv, const client_t *a, const client_t *b);
/// What he sees when the match is over.
void Game_Freeze(sv_context_t *sv, edict_t *player, client_t *client);
/// What is played, how long, and up to what: for the operator's status.
void Game_Describe(sv_context_t *sv, char *line, size_t bytes);

/// Commands "spectate", "join", "team red", "team blue", "score". False: another one.
bool Game_MatchCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text);

// near.c
#define NEAR_LISTED 512 // so many are found by the area tree; among more, all edicts are looked at

/// Solid edicts near a box: a walk over them, in the order of their numbers.
typedef struct {
    bounds_t box;
    int32_t list[NEAR_LISTED];
    int32_t count, at;
    bool all; ///< every edict is looked at, not the list
} near_t;

near_t Game_NearStart(sv_context_t *sv, bounds_t box);
/// The next one that is solid and lives at this moment, or NULL.
edict_t *Game_NearNext(sv_context_t *sv, near_t *near);

// damage.c
/// Hurts anything: a player, or what has health. At 0 it is used by its attacker (doors, buttons,
/// triggers, crates, walls that break: their use function says what happens).
void Game_Damage(sv_context_t *sv, edict_t *target, edict_t *attacker, int32_t damage,
                 const char *why);

/// Hurts everything around a place that it can see: `damage` in the middle, half of it at a distance
/// of `damage` qu, nothing further out than that and 40 qu more. `spared` (may be NULL) has got his
/// share already.
void Game_RadiusDamage(sv_context_t *sv, edict_t *source, edict_t *attacker, const edict_t *spared,
                       int32_t damage, const char *why);

/// Pushes a player or monster away from a place, as a hit of so much damage does.
void Game_Knock(sv_context_t *sv, edict_t *target, vec3_t from, int32_t damage);

// pads.c
/// Logs pushes and teleporters that lead nowhere.
void Game_CheckPads(sv_context_t *sv);

// targets.c
/// Fires what an edict targets: message to the activator, killtarget, then use of each target; after
/// its delay.
void Game_UseTargets(sv_context_t *sv, edict_t *self, edict_t *activator);
/// A line for a player in the middle of his screen, at most every 2 s. Nothing for others.
void Game_Tell(sv_context_t *sv, edict_t *player, const char *text);

// brushes.c
/// A brush entity without a brush model is logged and removed: false.
bool Game_HasModel(sv_context_t *sv, edict_t *self);
/// It is met by this box: a model that the map names for it is only looked at, or has hitboxes.
void Game_BeBox(edict_t *self, vec3_t mins, vec3_t maxs);
/// Sets a trigger's brush model up: touched, never solid. False without a model.
bool Game_InitTrigger(sv_context_t *sv, edict_t *self);

// pushers.c
/// Sets a pusher's brush model up: solid, moved by its motion record. False without a model.
bool Game_InitPusher(sv_context_t *sv, edict_t *self);
/// Turns its angles into the direction it goes along; they are 0 then.
void Game_SetMovedir(edict_t *self);
/// How far a pusher goes along its movedir: its size there less the lip.
float Game_MoveDistance(const edict_t *self);
/// Goes to a pose at a speed (qu/s, or degrees/s when it only turns), then calls a think.
void Game_MoveTo(sv_context_t *sv, edict_t *self, pose_t to, float speed, int32_t think);
/// A think of a pusher in so many seconds of its own time; never when negative.
void Game_ThinkIn(sv_context_t *sv, edict_t *self, float seconds, int32_t think);
/// An invisible box that is touched on behalf of a pusher, and moves with what that rides on.
edict_t *Game_SpawnField(sv_context_t *sv, edict_t *pusher, bounds_t box, int32_t touch);
/// Once all entities are there: linked doors, and what rides on what.
void Game_JoinPushers(sv_context_t *sv);

/// A sound of it, out of the set that its key `sounds` names.
void Game_Sound(sv_context_t *sv, edict_t *self, const char *name);

// doors.c
/// Joins doors that touch to groups, and spawns the fields that open them.
void Game_LinkDoors(sv_context_t *sv);

// traps.c
/// A spike along a direction.
void Game_ShootSpike(sv_context_t *sv, edict_t *owner, vec3_t from, vec3_t direction);

// game.c
void Game_MapStarted(sv_context_t *sv);

// tables.c
/// The game's table.
__attribute__((visibility("default"))) const game_export_t *Game_Export(void);

#endif
