/// game/game.h - private declarations of the reference game.
//
// Includes only core/game_api.h of the engine.
// Memory:  all state is in edict->game, client->game and world_vars.

#ifndef EDICTD_GAME_GAME_H
#define EDICTD_GAME_GAME_H

#include "core/game_api.h"
#include "game/callbacks.h"

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
    int64_t until_ms; ///< end of the time in which a teleporter works or a trigger or exit is idle
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
    float lip, height, distance;
    union {
        float t_width;     ///< secret door: distance back, qu
        float wanted_pace; ///< track train: speed after the next leg, qu/s
    };
    union {
        float t_length;  ///< secret door: distance sideways, qu
        float next_pace; ///< track train: speed of the next leg, which clients may know already
    };
    float gravity, friction;
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
    int32_t hurt_taken;         ///< largest damage of a trigger_hurt until hurt_ms; of a source of
                                ///< multisources: bit i = its i-th target is switched on
    int32_t bone;               ///< string id: bone of the movewith entity's model
    hazard_t hazard;            ///< of a monster
    float wheels;               ///< track train: distance between the axles, qu
    float bank;                 ///< track train: roll in turns, degrees
    float pace;                 ///< track train: present speed, qu/s; below 0 = backwards
    float track_from, track_to; ///< track train: distances after `master` of the present motion
    int32_t altpath, netname;   ///< string ids: branch of a path_track; fired at its dead end
    int32_t lock;               ///< string id: multisource that must be on
    int32_t mover;              ///< string id: mover of a monster; 0 = that of its class
    float max_pitch, max_roll;  ///< of the mover, degrees; 0 = default
    float step_height;          ///< of the mover, qu; 0 = default
    int32_t upright;            ///< 1 = the mover does not tilt it
    int32_t landmark;           ///< string id: info_landmark of an exit to another map
} fields_t;

/// The game's part of the world.
typedef struct {
    int64_t uses_ms;   ///< time that uses_done belongs to
    int32_t use_depth; ///< nesting of targets that fire targets
    int32_t uses_done; ///< targets fired in this tick
    int32_t use_state; ///< what the present firing does to its targets, by a key triggerstate
    int32_t said_uses; ///< 1 = the limit of fired targets was logged
    int32_t total_secrets, found_secrets;
    int32_t left_out;      ///< monsters of the map without an edict, because g_monsters is 0
    int32_t captures[3];   ///< captured flags, by team; [0] is unused
    int32_t tried_next;    ///< 1 = the match is over and the next map was requested
    int32_t change_target; ///< string id: what an exit fires in the next map
    int32_t mode;          ///< string id: name of the game type
    int32_t time_left;     ///< seconds until the time limit; 0 = there is none
    int64_t change_ms;     ///< when it fires
    int64_t spawns_ms;     ///< time that spawn_tests belongs to
    int64_t end_ms;        ///< end of the display of scores; 0 = the match continues
    int32_t fraglimit, capturelimit, gametype, weaponstay, teamplay, monsters; ///< cvars
    int32_t projectile_unlag;                                                  ///< cvar, ms
    int32_t train_react_ms;                                                    ///< cvar
    float timelimit;                                                           ///< cvar, minutes
    int32_t spawn_tests;          ///< positions that spawning players have tested in this tick
    char motd[CVAR_STRING_BYTES]; ///< cvar: shown to joining players
} game_vars_t;

#define PASSES_ALL 10000 // damage that ignores armour and powerups

static inline fields_t *Game_Fields(edict_t *edict) {
    return (fields_t *)(void *)edict->game;
}

static inline const fields_t *Game_ConstFields(const edict_t *edict) {
    return (const fields_t *)(const void *)edict->game;
}

static inline game_vars_t *Game_Vars(sv_context_t *sv) {
    return (game_vars_t *)sv->engine->world_vars(sv);
}

/// Converts seconds to whole ms, clamped to 0..10^9.
static inline int64_t Game_Ms(float seconds) {
    return Q_ToInt(seconds * 1000.0f, 0, 1000000000);
}

/// Calls the think callback `think` of an edict after `ms`; for a pusher, of its local time.
static inline void Game_After(sv_context_t *sv, edict_t *self, int32_t think, int64_t ms) {
    self->think = think;
    sv->engine->next_think(sv, self, sv->engine->pusher_time(sv, self) + ms);
}

/// Returns a handle to an edict; none for NULL.
static inline edict_ref_t Game_RefTo(sv_context_t *sv, const edict_t *edict) {
    return edict ? sv->engine->ref(sv, edict) : (edict_ref_t){0, 0};
}

/// Sweeps a point against the map and brush models.
static inline trace_t Game_Ray(sv_context_t *sv, vec3_t from, vec3_t to, const edict_t *pass) {
    return sv->engine->trace(sv, from, vec3_zero, vec3_zero, to, false, pass);
}

// player.c
/// Takes health from a player. `why`: text after the player's name in the line about a death.
void Game_Hurt(sv_context_t *sv, edict_t *player, int32_t damage, const char *why);
/// Like Game_Hurt, with an attacker (may be NULL) who scores if the player dies.
void Game_HurtBy(sv_context_t *sv, edict_t *player, edict_t *attacker, int32_t damage,
                 const char *why);
/// Returns true for a living player, on foot or driving.
bool Game_IsAlive(sv_context_t *sv, const edict_t *edict);

// projectiles.c
/// Spawns a point-sized projectile that is removed after life_ms. The caller sets the motion and
/// links the edict. Returns NULL if no edict is free.
edict_t *Game_SpawnProjectile(sv_context_t *sv, const edict_t *owner, const char *classname,
                              movetype_t movetype, int32_t life_ms);
/// If a missile flew into the sky, removes it without an explosion and returns true.
bool Game_VanishInSky(sv_context_t *sv, edict_t *self, const edict_t *other, const trace_t *trace);

// hazards.c
/// Applies HAZARD_* to a monster. Returns false if the monster died.
bool Game_MonsterHazards(sv_context_t *sv, edict_t *self, uint32_t hazards);

// monsters.c
/// Takes health from a monster. The attacker becomes the monster's enemy.
void Game_HurtMonster(sv_context_t *sv, edict_t *self, edict_t *attacker, int32_t damage);

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
/// Writes where a trigger_teleport leads. Returns false for other triggers.
bool Game_ExitOf(sv_context_t *sv, const edict_t *trigger, game_exit_t *exit);

// targets.c
/// Spawns an edict that fires `target` (a string id) after `ms`. Returns NULL if none is free.
edict_t *Game_FireLater(sv_context_t *sv, int32_t target, int64_t ms);
/// Makes a key of a multi_manager one of its targets. Returns false for other classes.
bool Game_OtherKey(sv_context_t *sv, edict_t *self, const char *key, const char *value);
/// Calls the use callbacks of all entities with a targetname (a string id; 0 = none).
void Game_FireName(sv_context_t *sv, edict_t *self, edict_t *activator, int32_t name);
/// Returns false if the present firing only turns on what is on already, or off what is off.
bool Game_Switches(sv_context_t *sv, bool is_on);
/// Reports a trigger, relay or counter that has no effect: no target, killtarget or message.
void Game_CheckTarget(sv_context_t *sv, const edict_t *self);

/// Counts the sources of multisources. Call after all entities are spawned.
void Game_CountSources(sv_context_t *sv);
/// Returns true if the multisource that the key `master` names is off.
bool Game_IsLocked(sv_context_t *sv, const edict_t *self);

/// Counts a fired target. Returns false beyond the limit of a tick, which ends chains that fire
/// themselves.
bool Game_MayUse(sv_context_t *sv, const edict_t *self);
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
/// Sets the model that clients draw: the folder and a class without its first word. "items" and
/// "item_quad" give "items/quad".
void Game_SetModel(sv_context_t *sv, edict_t *self, const char *folder, const char *classname);
/// Sets up the brush model of a trigger: touched, never solid. Returns false without a model.
bool Game_InitTrigger(sv_context_t *sv, edict_t *self);

// traps.c
void Game_ShootSpike(sv_context_t *sv, edict_t *owner, vec3_t from, vec3_t direction);

// spawnflags.c
/// A spawnflag of a class: its bit in each kind of map, and the bit that the class tests. 0 = the
/// map has no such flag; negative = set if the flag is absent.
typedef struct {
    int32_t quake, halflife, means;
} flag_t;

/// Tested bit: a player nearby works the entity with the use button.
#define FLAG_BY_HAND (1 << 30)

/// Replaces an edict's spawnflags by the bits that they mean in this map.
void Game_ReadFlags(sv_context_t *sv, edict_t *self, const flag_t *flags, size_t count);
/// Returns true if spawnflags and defaults are Half-Life's.
bool Game_IsHalfLife(sv_context_t *sv);
/// Returns `value`, or if it is 0, the default of the kind of map.
float Game_Default(sv_context_t *sv, float value, float quake, float halflife);

// game.c
void Game_MapStarted(sv_context_t *sv);
/// Registers the names of sounds and effects, so that clients receive them before the first use.
void Game_RegisterNames(sv_context_t *sv);
/// Plays a sound at an edict.
void Game_Play(sv_context_t *sv, const edict_t *edict, const char *name);
/// Shows an effect of an edict.
void Game_Show(sv_context_t *sv, const edict_t *edict, vec3_t origin, const char *name);

// The spawn function of each class in classes.h.
typedef void game_spawn_fn(sv_context_t *sv, edict_t *self);
game_spawn_fn Game_SpawnWorld, Game_SpawnPoint, Game_SpawnLight, Game_SpawnTriggerNothing;
game_spawn_fn Game_SpawnDoor, Game_SpawnRotatingDoor, Game_SpawnSecretDoor, Game_SpawnWater;
game_spawn_fn Game_SpawnButton, Game_SpawnRotButton, Game_SpawnPlat, Game_SpawnTrain,
    Game_SpawnRotating;
game_spawn_fn Game_SpawnPendulum, Game_SpawnBobbing, Game_SpawnLadder, Game_SpawnConveyor;
game_spawn_fn Game_SpawnPushable, Game_SpawnBreakable, Game_SpawnWall, Game_SpawnIllusionary;
game_spawn_fn Game_SpawnMultiple, Game_SpawnOnce, Game_SpawnSecretTrigger, Game_SpawnRelay;
game_spawn_fn Game_SpawnCounter, Game_SpawnPush, Game_SpawnTeleport, Game_SpawnHurt;
game_spawn_fn Game_SpawnMonsterJump, Game_SpawnGravity, Game_SpawnChangeLevel, Game_SpawnTransition;
game_spawn_fn Game_SpawnSpikeShooter, Game_SpawnShooter, Game_SpawnFireballs, Game_SpawnLightning;
game_spawn_fn Game_SpawnBoughtDoor, Game_SpawnInteract, Game_SpawnStart, Game_SpawnExplobox;
game_spawn_fn Game_SpawnExplobox2, Game_SpawnModel, Game_SpawnPushTarget, Game_SpawnTeleporter;
game_spawn_fn Game_SpawnDelay, Game_SpawnRemovePowers, Game_SpawnFriction, Game_SpawnMultisource;
game_spawn_fn Game_SpawnMomentaryButton, Game_SpawnMomentaryDoor, Game_SpawnPlatRot;
game_spawn_fn Game_SpawnWallToggle, Game_SpawnMonsterClip, Game_SpawnTriggerAuto;
game_spawn_fn Game_SpawnManager;
game_spawn_fn Game_SpawnTrackChange, Game_SpawnTrack, Game_SpawnTrackTrain, Game_SpawnTrainControls;
game_spawn_fn Game_SpawnItem, Game_SpawnFlagRed, Game_SpawnFlagBlue;
game_spawn_fn Game_SpawnMonster, Game_SpawnBuggy;
game_spawn_fn Game_SpawnBounceSource, Game_SpawnFlySource;

// tables.c
__attribute__((visibility("default"))) const game_export_t *Game_Export(void);

#endif
