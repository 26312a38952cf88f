/// game/game.h - private declarations of the reference game.
//
// Includes only core/game_api.h of the engine.
// Memory:  all state is in edict->game, client->game and world_vars.

#ifndef EDICTD_GAME_GAME_H
#define EDICTD_GAME_GAME_H

#include "core/game_api.h"
#include "game/callbacks.h"

/// State of a door, plat or button. Bottom: a closed door, a lowered plat.
typedef enum { PUSHER_AT_BOTTOM, PUSHER_GOING_UP, PUSHER_AT_TOP, PUSHER_GOING_DOWN } pusher_state_t;

#define HAZARD_BURN  (1u << 0) // lava and slime
#define HAZARD_DROWN (1u << 1)
#define HAZARD_FALL  (1u << 2)
#define HAZARD_ALL   (HAZARD_BURN | HAZARD_DROWN | HAZARD_FALL)

/// State of the hazards of the world for a player or monster.
typedef struct {
    int64_t burn_ms;    ///< earliest next damage by lava or slime
    int64_t drown_ms;   ///< next damage by drowning; 0 = it has air
    int32_t drown_hurt; ///< last damage by drowning
    float fall_speed;   ///< of a player: qu/s downwards after the last step
} hazard_t;

/// The game's part of an edict. Every field has a line in tables.c.
typedef struct {
    int64_t until_ms;      ///< end of the time in which a teleporter works or a trigger is idle
    edict_ref_t activator; ///< edict that fired this edict
    edict_ref_t master;    ///< of a linked door: first door of the group; of a field: door or plat
    edict_ref_t chain;     ///< the next door of the group
    vec3_t movedir;        ///< unit vector: direction of a push or of a pusher's movement
    vec3_t velocity;       ///< initial velocity of a projectile
    vec3_t pos1, pos2;     ///< origins of a pusher at the bottom and top
    vec3_t turn1, turn2;   ///< angles of a pusher at the bottom and top
    vec3_t bend;           ///< path corner: offset of the middle of the path to it
    float wait;            ///< s until the entity works or returns again; -1 = never
    float delay;           ///< s from activation to firing
    float speed;
    float damage;
    float lip, height, distance, t_width, t_length, gravity, friction;
    int32_t spawnflags;
    int32_t message, killtarget, movewith, map; ///< string ids
    int32_t more_targets[4];                    ///< string ids: target2 .. target5
    int32_t team;                               ///< string id: doors of one team open together
    int32_t health, max_health; ///< health left, and at the start; 0 = cannot be shot
    int32_t count;              ///< uses left of a counter
    int32_t state;              ///< pusher_state_t; step of a secret door
    int32_t skin;               ///< contents_t of a func_water
    int32_t sounds;             ///< set of sounds; 0 = default
    int64_t hurt_ms;            ///< until then, a trigger_hurt only adds damage above hurt_taken
    int32_t hurt_taken;         ///< largest damage of a trigger_hurt until hurt_ms
    int32_t bone;               ///< string id: bone of the movewith entity's model
    hazard_t hazard;            ///< of a monster
    float wheels;               ///< track train: distance between the axles, qu
    float bank;                 ///< track train: roll in turns, degrees
    float pace;                 ///< track train: present speed, qu/s; below 0 = backwards
    float track_from, track_to; ///< track train: distances after `master` of the present motion
    int32_t altpath, netname;   ///< string ids: branch of a path_track; fired at its dead end
    int32_t reserved;           ///< always 0, no padding
    int32_t mover;              ///< string id: mover of a monster; 0 = that of its class
    float max_pitch, max_roll;  ///< of the mover, degrees; 0 = default
    float step_height;          ///< of the mover, qu; 0 = default
    int32_t upright;            ///< 1 = the mover does not tilt it
    int32_t landmark;           ///< string id: info_landmark of an exit to another map
} fields_t;

_Static_assert(sizeof(fields_t) <= EDICT_GAME_BYTES, "fits into edict->game");
_Static_assert(sizeof(fields_t) % 8 == 0, "no padding at the end");
_Static_assert(offsetof(fields_t, hazard) == offsetof(fields_t, bone) + 4, "no padding");
_Static_assert(offsetof(edict_t, game) % 8 == 0, "int64 fields are aligned");

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

#define HELD_USE     (1 << 0) // use_held
#define HELD_FORWARD (1 << 1)
#define HELD_BACK    (1 << 2)

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
    int32_t use_held;      ///< bits HELD_*: buttons that were down in the last sub-step
    vec3_t drive_velocity; ///< velocity after the last sub-step, qu/s
    edict_ref_t vehicle;   ///< the vehicle or train that the player drives
} player_fields_t;

_Static_assert(sizeof(player_fields_t) <= CLIENT_GAME_BYTES, "fits into client->game");
_Static_assert(sizeof(player_fields_t) ==
                   3 * 8 + 8 * POWER_COUNT + sizeof(hazard_t) + 4 * (7 + AMMO_COUNT + 7) + 12 + 8,
               "no padding");
_Static_assert(offsetof(client_t, game) % 8 == 0, "int64 fields are aligned");

/// The game's part of the world.
typedef struct {
    int64_t uses_ms;   ///< time that uses_done belongs to
    int32_t use_depth; ///< nesting of targets that fire targets
    int32_t uses_done; ///< targets fired in this tick
    int32_t said_uses; ///< 1 = the limit of fired targets was logged
    int32_t total_secrets, found_secrets;
    int32_t captures[3];   ///< captured flags, by team; [0] is unused
    int32_t tried_next;    ///< 1 = the match is over and the next map was requested
    int32_t left;          ///< 1 = an exit to another map was used
    int32_t change_target; ///< string id: what an exit of the map before fires here
    int64_t change_ms;     ///< when it fires
    int64_t end_ms;        ///< end of the display of scores; 0 = the match continues
    int32_t fraglimit, capturelimit, gametype, weaponstay, teamplay, monsters; ///< cvars
    float timelimit;                                                           ///< cvar, minutes
    char motd[CVAR_STRING_BYTES]; ///< cvar: shown to joining players
} game_vars_t;

_Static_assert(sizeof(game_vars_t) <= WORLD_GAME_BYTES, "fits into world_vars");

#define PLAYER_HEALTH 100
#define PASSES_ALL    10000 // damage that ignores armour and powerups

static inline fields_t *Game_Fields(edict_t *edict) {
    return (fields_t *)(void *)edict->game;
}

static inline player_fields_t *Game_PlayerFields(client_t *client) {
    return (player_fields_t *)(void *)client->game;
}

static inline game_vars_t *Game_Vars(sv_context_t *sv) {
    return (game_vars_t *)sv->engine->world_vars(sv);
}

/// Converts seconds to whole ms, clamped to 0..10^9.
static inline int64_t Game_Ms(float seconds) {
    return Q_ToInt(seconds * 1000.0f, 0, 1000000000);
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
/// Takes health from a player. `why`: text after the player's name in the line about a death.
void Game_Hurt(sv_context_t *sv, edict_t *player, int32_t damage, const char *why);
/// Kills the player who entered the `kill` command. Ignores armour.
void Game_GiveUp(sv_context_t *sv, edict_t *player, client_t *client);
/// Like Game_Hurt, with an attacker (may be NULL) who scores if the player dies.
void Game_HurtBy(sv_context_t *sv, edict_t *player, edict_t *attacker, int32_t damage,
                 const char *why);
/// Spawns a player at a spawn point with the starting equipment. Waits if no point is free. In a
/// match with teams, first assigns a team if the player has none.
void Game_PutIntoWorld(sv_context_t *sv, edict_t *player, client_t *client);
/// Returns true for a living player, on foot or driving.
bool Game_IsAlive(sv_context_t *sv, const edict_t *edict);

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
/// Puts a player who arrives through a landmark into the world.
void Game_ClientArrive(sv_context_t *sv, edict_t *player, client_t *client, const arrival_t *from);
/// Fires the changetarget of the exit that led to this map, once.
void Game_FireArrival(sv_context_t *sv);

// figure.c
/// Sets a player's animation once a tick, from health, stance, speed and pitch.
void Game_Animate(sv_context_t *sv, edict_t *player, client_t *client);

// projectiles.c
/// Spawns a point-sized projectile that is removed after life_ms. The caller sets the motion and
/// links the edict. Returns NULL if no edict is free.
edict_t *Game_SpawnProjectile(sv_context_t *sv, const edict_t *owner, const char *classname,
                              movetype_t movetype, int32_t life_ms);

// weapons.c
void Game_GiveStart(player_fields_t *fields);
/// Runs weapon changes and attacks over one sub-step.
void Game_WeaponStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms);
/// If a missile flew into the sky, removes it without an explosion and returns true.
bool Game_VanishInSky(sv_context_t *sv, edict_t *self, const edict_t *other, const trace_t *trace);
ammo_t Game_WeaponAmmo(int32_t weapon);

// hazards.c
/// Applies lava, slime, drowning and falls to a living player after a sub-step.
void Game_HazardStep(sv_context_t *sv, edict_t *player, client_t *client);
/// Applies HAZARD_* to a monster. Returns false if the monster died.
bool Game_MonsterHazards(sv_context_t *sv, edict_t *self, uint32_t hazards);

// items.c
/// Drops a backpack with the ammo of a dead player.
/// Runs the cheat `give`. `name`: the classname of an item, or "all" for everything but powerups.
void Game_Give(sv_context_t *sv, edict_t *player, client_t *client, const char *name);

void Game_DropBackpack(sv_context_t *sv, edict_t *player, const player_fields_t *fields);

// ctf.c
bool Game_IsCtf(sv_context_t *sv);
/// Returns the flag that a player holds, if any, to the home position.
void Game_ReturnFlag(sv_context_t *sv, edict_t *player, client_t *client);
/// Drops the flag that a player holds, if any, to the floor.
void Game_DropFlag(sv_context_t *sv, edict_t *player, client_t *client);
/// Returns the team with fewer players, 1 or 2.
int32_t Game_SmallerTeam(sv_context_t *sv);

// vehicles.c
bool Game_IsDriving(const client_t *client);
/// Lets a living player get in or out of a vehicle after a sub-step.
void Game_VehicleStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd);
/// Takes a driver out of the vehicle. Without room beside the vehicle, the driver stays inside and
/// receives a message, unless `must` is true. Does nothing to other players.
void Game_LeaveVehicle(sv_context_t *sv, edict_t *driver, client_t *client, bool must);
/// Tilts vehicles with drivers to the slope of the ground, once a tick.
void Game_LeanVehicles(sv_context_t *sv);

// monsters.c
/// Takes health from a monster. The attacker becomes the monster's enemy.
void Game_HurtMonster(sv_context_t *sv, edict_t *self, edict_t *attacker, int32_t damage);

// deathmatch.c
/// Shows the effects of a player's running powerups, and ends the others.
void Game_ShowPowers(sv_context_t *sv, edict_t *player, client_t *client);
/// Tests the limits, ends the match and starts the next map; called once a tick.
void Game_Frame(sv_context_t *sv);
/// Counts a death, and a frag for the killer.
void Game_Score(sv_context_t *sv, client_t *victim, client_t *killer);
/// Returns true in a match with teams: capture the flag, or teamplay.
bool Game_HasTeams(sv_context_t *sv);
/// Returns true for two players of one team, in a match with teams.
bool Game_AreFriends(sv_context_t *sv, const client_t *a, const client_t *b);
/// Freezes a player when the match is over.
void Game_Freeze(sv_context_t *sv, edict_t *player, client_t *client);
/// Writes game type, time and limits for the operator's `status`.
void Game_Describe(sv_context_t *sv, char *line, size_t bytes);

/// Runs "spectate", "join", "team red", "team blue" and "score". Returns false for other commands.
bool Game_MatchCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text);

// damage.c
/// Takes health from a player, monster, door, button or similar edict. At health 0, calls the use
/// callback of a door, button or similar edict.
void Game_Damage(sv_context_t *sv, edict_t *target, edict_t *attacker, int32_t damage,
                 const char *why);

/// Hurts everything visible around `source`. `damage`: at the centre of `source`, less farther
/// away. Does not hurt `spared` (may be NULL).
void Game_RadiusDamage(sv_context_t *sv, edict_t *source, edict_t *attacker, const edict_t *spared,
                       int32_t damage, const char *why);

/// Pushes a player or monster away from `from`. A larger damage pushes harder.
void Game_Knock(sv_context_t *sv, edict_t *target, vec3_t from, int32_t damage);

// pads.c
/// Logs pushes and teleporters that lead nowhere.
void Game_CheckPads(sv_context_t *sv);

// tracks.c
/// Links path_tracks to each other. Call after all entities are spawned.
void Game_LinkTracks(sv_context_t *sv);

// track_trains.c
/// Gives the volumes of func_traincontrols to their trains, and removes them.
void Game_JoinControls(sv_context_t *sv);
/// Lets a living player take or leave the controls of a train after a sub-step, and drive it.
/// `pressed`: the use button went down. Returns true if the player is or was at the controls.
bool Game_TrainStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                    bool pressed);
/// Takes a player from the controls of a train. Does nothing to other players.
void Game_LeaveControls(sv_context_t *sv, edict_t *player, client_t *client);

// momentary.c
/// Uses the valve near a player that holds the use button.
void Game_HoldUse(sv_context_t *sv, edict_t *player);

// targets.c
/// Makes a key of a multi_manager one of its targets. Returns false for other classes.
bool Game_OtherKey(sv_context_t *sv, edict_t *self, const char *key, const char *value);
/// Calls the use callbacks of all entities with a targetname (a string id; 0 = none).
void Game_FireName(sv_context_t *sv, edict_t *self, edict_t *activator, int32_t name);
/// Reports a trigger, relay or counter that has no effect: no target, killtarget or message.
void Game_CheckTarget(sv_context_t *sv, const edict_t *self);

/// After the edict's delay, calls the use callbacks of the targets, shows the message to
/// `activator` and removes the killtargets.
void Game_UseTargets(sv_context_t *sv, edict_t *self, edict_t *activator);
/// Shows a player a line in the middle of the screen, at most every 2 s. Ignores other edicts.
void Game_CenterPrint(sv_context_t *sv, edict_t *player, const char *text);

// brushes.c
/// Logs and removes a brush entity without a brush model, and returns false.
bool Game_HasModel(sv_context_t *sv, edict_t *self);
/// Sets the edict's shape to a box.
void Game_BeBox(edict_t *self, vec3_t mins, vec3_t maxs);
/// Sets up the brush model of a trigger: touched, never solid. Returns false without a model.
bool Game_InitTrigger(sv_context_t *sv, edict_t *self);

// pushers.c
/// Sets up a solid pusher with a brush model. Returns false without a model.
bool Game_InitPusher(sv_context_t *sv, edict_t *self);
/// Sets movedir from the angles, then clears the angles.
void Game_SetMovedir(edict_t *self);
/// Returns the distance of a pusher's movement: the size along movedir minus lip.
float Game_MoveDistance(const edict_t *self);
/// Returns the fraction of the present MOTION_MOVE that is done; 1 without one.
float Game_ShareDone(sv_context_t *sv, const edict_t *self);
/// Returns the pose of a pusher's own MOTION_MOVE, as if the pusher that carries it had not moved.
pose_t Game_PresentPose(sv_context_t *sv, const edict_t *self);
/// Returns `degrees` as angles about the x axis (`rolls`), y axis (`pitches`) or z axis.
vec3_t Game_Axis(bool rolls, bool pitches, float degrees);
/// Moves a pusher to a pose, then calls the think callback `think`. `speed`: qu/s, or degrees/s for
/// a pure rotation.
void Game_MoveTo(sv_context_t *sv, edict_t *self, pose_t to, float speed, int32_t think);
/// Calls the think callback `think` after `seconds` of a pusher's local time; negative = never.
void Game_ThinkIn(sv_context_t *sv, edict_t *self, float seconds, int32_t think);
/// Spawns an invisible trigger that starts a pusher when touched. Both ride on the same parent.
edict_t *Game_SpawnField(sv_context_t *sv, edict_t *pusher, bounds_t box, int32_t touch);
/// Links doors and attaches pushers to parents. Call after all entities are spawned.
void Game_JoinPushers(sv_context_t *sv);

/// Plays a sound from the set that the entity's key `sounds` selects.
void Game_Sound(sv_context_t *sv, edict_t *self, const char *name);

// doors.c
/// Joins touching doors into groups and spawns the invisible triggers that open doors.
void Game_LinkDoors(sv_context_t *sv);

// traps.c
void Game_ShootSpike(sv_context_t *sv, edict_t *owner, vec3_t from, vec3_t direction);

// game.c
void Game_MapStarted(sv_context_t *sv);

// The spawn function of each class in classes.h.
typedef void game_spawn_fn(sv_context_t *sv, edict_t *self);
game_spawn_fn Game_SpawnWorld, Game_SpawnPoint, Game_SpawnLight, Game_SpawnTriggerNothing;
game_spawn_fn Game_SpawnDoor, Game_SpawnRotatingDoor, Game_SpawnSecretDoor, Game_SpawnWater;
game_spawn_fn Game_SpawnButton, Game_SpawnPlat, Game_SpawnTrain, Game_SpawnRotating;
game_spawn_fn Game_SpawnPendulum, Game_SpawnBobbing, Game_SpawnLadder, Game_SpawnConveyor;
game_spawn_fn Game_SpawnPushable, Game_SpawnBreakable, Game_SpawnWall, Game_SpawnIllusionary;
game_spawn_fn Game_SpawnMultiple, Game_SpawnOnce, Game_SpawnSecretTrigger, Game_SpawnRelay;
game_spawn_fn Game_SpawnCounter, Game_SpawnPush, Game_SpawnTeleport, Game_SpawnHurt;
game_spawn_fn Game_SpawnMonsterJump, Game_SpawnGravity, Game_SpawnChangeLevel, Game_SpawnTransition;
game_spawn_fn Game_SpawnSpikeShooter, Game_SpawnShooter, Game_SpawnFireballs, Game_SpawnLightning;
game_spawn_fn Game_SpawnBoughtDoor, Game_SpawnInteract, Game_SpawnStart, Game_SpawnExplobox;
game_spawn_fn Game_SpawnExplobox2, Game_SpawnModel, Game_SpawnPushTarget, Game_SpawnTeleporter;
game_spawn_fn Game_SpawnDelay, Game_SpawnRemovePowers, Game_SpawnFriction;
game_spawn_fn Game_SpawnMomentaryButton, Game_SpawnMomentaryDoor, Game_SpawnPlatRot;
game_spawn_fn Game_SpawnWallToggle, Game_SpawnTriggerAuto;
game_spawn_fn Game_SpawnManager;
game_spawn_fn Game_SpawnTrack, Game_SpawnTrackTrain, Game_SpawnTrainControls;
game_spawn_fn Game_SpawnItem, Game_SpawnFlagRed, Game_SpawnFlagBlue;
game_spawn_fn Game_SpawnMonster, Game_SpawnBuggy;
game_spawn_fn Game_SpawnBounceSource, Game_SpawnFlySource;

// tables.c
__attribute__((visibility("default"))) const game_export_t *Game_Export(void);

#endif
