/// game/classes.h - every class of map entities: its spawn function, the keys it uses, what it is.
//
// Floor:   game.
//
// A class without a function (NULL) is known and makes nothing. Keys that all of them take (origin,
// angle, angles, model, targetname, target) are not repeated; "name=value" is what a class has
// where a map says nothing. What game_spawn_t says of keys, flags and boxes holds here.

#ifndef EDICTD_GAME_CLASSES_H
#define EDICTD_GAME_CLASSES_H

#include "core/game_api.h"

#define FIRE_KEYS "delay message killtarget target2 target3 target4 target5 sounds"

#define DOOR_FLAGS                                                                                 \
    "1 starts open, 4 opens alone, 8 gold key, 16 silver key, 32 every use turns it round"
#define TRAIN_FLAGS   "8 takes the angles of its corners"
#define SPIKE_FLAGS   "1 twice the damage"
#define TRIGGER_FLAGS "1 only when fired"
#define BIG_FLAGS     "1 big box"

#define PLAYER_BOX "-16 -16 -24, 16 16 32"
#define ITEM_BOX   "-15 -15 0, 15 15 40"
#define CORNER_BOX "1 1 0, 31 31 40" // drawn from its corner
#define FLAG_BOX   "-15 -15 -15, 15 15 40"
#define DOG_BOX    "-16 -16 -24, 16 16 24"
#define WIZARD_BOX "-16 -16 -24, 16 16 32"
#define FISH_BOX   "-16 -16 -16, 16 16 16"
#define BUGGY_BOX  "-32 -32 -20, 32 32 20"

/// X(classname, spawn function, keys, spawnflags, box, help)
#define GAME_CLASSES(X)                                                                            \
    X("worldspawn", Game_SpawnWorld, "message", NULL, NULL, "the map itself")                      \
    X("func_door", Game_SpawnDoor,                                                                 \
      "speed=100 wait=3 lip=8 dmg=2 health team " FIRE_KEYS " movewith", DOOR_FLAGS, NULL,         \
      "slides along its angle")                                                                    \
    X("func_door_nzp", Game_SpawnBoughtDoor, "speed=100 lip=8 dmg=2 team " FIRE_KEYS " movewith",  \
      NULL, NULL, "opens for good: nobody pays here")                                              \
    X("func_door_rotating", Game_SpawnRotatingDoor,                                                \
      "speed=100 wait=3 dmg=2 health team " FIRE_KEYS " distance=90 movewith",                     \
      "1 starts open, 2 turns the other way, 4 opens alone, 8 can be walked through, 32 every "    \
      "use turns it round, 64 rolls, 128 pitches",                                                 \
      NULL, "swings on its hinge")                                                                 \
    X("func_door_secret", Game_SpawnSecretDoor,                                                    \
      "speed=50 wait=5 dmg=2 health team " FIRE_KEYS " t_width t_length movewith",                 \
      "1 opens once, 2 first to the left, 4 first down, 8 cannot be shot, 16 can be shot though "  \
      "it has a name",                                                                             \
      NULL, "steps back, then aside")                                                              \
    X("func_water", Game_SpawnWater, "speed=25 lip team " FIRE_KEYS " skin movewith",              \
      "1 starts open", NULL, "a liquid that may move like a door")                                 \
    X("func_button", Game_SpawnButton, "speed=40 wait=1 lip=4 health " FIRE_KEYS " movewith",      \
      NULL, NULL, "fires its target when pressed")                                                 \
    X("func_plat", Game_SpawnPlat, "speed=150 height lip=8 wait=3 dmg=1 sounds movewith",          \
      "1 starts from its bottom only", NULL, "a lift that is drawn at its top")                    \
    X("func_train", Game_SpawnTrain, "speed=100 dmg=2 sounds movewith", TRAIN_FLAGS, NULL,         \
      "goes along path_corners")                                                                   \
    X("misc_teleporttrain", Game_SpawnTrain, "speed=100 dmg=2 sounds", TRAIN_FLAGS, NULL,          \
      "the same, floating")                                                                        \
    X("func_rotating", Game_SpawnRotating, "speed=100 dmg=2 movewith",                             \
      "1 turns at once, 2 turns the other way, 4 about the x axis, 8 about the y axis", NULL,      \
      "turns about its origin brush")                                                              \
    X("func_pendulum", Game_SpawnPendulum, "speed=100 distance=90 dmg=2 movewith",                 \
      "1 swings at once, 64 about the x axis, 128 about the y axis", NULL,                         \
      "swings by distance degrees to either side")                                                 \
    X("func_bobbing", Game_SpawnBobbing, "speed=4 height=32 dmg=2 movewith",                       \
      "1 along the x axis, 2 along the y axis", NULL, "goes up and down, speed seconds a round")   \
    X("func_ladder", Game_SpawnLadder, "movewith", NULL, NULL, "is climbed")                       \
    X("func_conveyor", Game_SpawnConveyor, "speed=100 movewith", "1 starts off", NULL,             \
      "carries what stands on it")                                                                 \
    X("func_pushable", Game_SpawnPushable, "health friction gravity movewith", NULL, NULL,         \
      "a crate")                                                                                   \
    X("func_breakable", Game_SpawnBreakable, "health=20 " FIRE_KEYS " movewith",                   \
      "1 cannot be shot, 2 breaks when touched", NULL, "goes when it was hurt enough")             \
    X("func_wall", Game_SpawnWall, "movewith", NULL, NULL,                                         \
      "stands still; fired, it shows its other skin")                                              \
    X("func_static", Game_SpawnWall, "movewith", NULL, NULL, "stands still")                       \
    X("func_bossgate", Game_SpawnWall, "movewith", NULL, NULL, "stands still")                     \
    X("func_episodegate", Game_SpawnWall, "movewith", NULL, NULL, "stands still")                  \
    X("func_illusionary", Game_SpawnIllusionary, "movewith", NULL, NULL, "can be walked through")  \
    X("trigger_multiple", Game_SpawnMultiple, "wait=0.2 health " FIRE_KEYS " movewith",            \
      TRIGGER_FLAGS, NULL, "fires when touched")                                                   \
    X("trigger_once", Game_SpawnOnce, "health " FIRE_KEYS " movewith", TRIGGER_FLAGS, NULL,        \
      "fires once")                                                                                \
    X("trigger_interact", Game_SpawnInteract, "wait=0.2 " FIRE_KEYS " movewith", TRIGGER_FLAGS,    \
      NULL, "fires for who presses use in it")                                                     \
    X("trigger_activator", Game_SpawnOnce, FIRE_KEYS " movewith", TRIGGER_FLAGS, NULL,             \
      "fires once")                                                                                \
    X("trigger_secret", Game_SpawnSecretTrigger, FIRE_KEYS " movewith", TRIGGER_FLAGS, NULL,       \
      "counts a secret that was found")                                                            \
    X("trigger_relay", Game_SpawnRelay, FIRE_KEYS " movewith", NULL, NULL,                         \
      "fires when it is fired")                                                                    \
    X("trigger_counter", Game_SpawnCounter, "count=2 " FIRE_KEYS " movewith", "1 says nothing",    \
      NULL, "fires when it was fired count times")                                                 \
    X("trigger_push", Game_SpawnPush, "speed=1000 movewith", "1 only once", NULL,                  \
      "throws along its angle, or to its target")                                                  \
    X("trigger_teleport", Game_SpawnTeleport, "sounds delay killtarget movewith",                  \
      "1 players only", NULL, "takes to its target")                                               \
    X("trigger_hurt", Game_SpawnHurt, "dmg=5 movewith", NULL, NULL, "costs dmg a second")          \
    X("trigger_monsterjump", Game_SpawnMonsterJump, "speed=200 height=200 movewith", NULL, NULL,   \
      "throws monsters")                                                                           \
    X("trigger_gravity", Game_SpawnGravity, "gravity=1 movewith", NULL, NULL,                      \
      "changes a player's gravity")                                                                \
    X("trigger_changelevel", Game_SpawnChangeLevel, "map movewith", NULL, NULL,                    \
      "goes to the next map")                                                                      \
    X("trigger_setskill", Game_SpawnTriggerNothing, "message", NULL, NULL,                         \
      "there is no skill to set")                                                                  \
    X("trigger_onlyregistered", Game_SpawnMultiple, "wait=0.2 " FIRE_KEYS " movewith",             \
      TRIGGER_FLAGS, NULL, "fires when touched")                                                   \
    X("trap_spikeshooter", Game_SpawnSpikeShooter, NULL, SPIKE_FLAGS, NULL, "shoots when fired")   \
    X("trap_shooter", Game_SpawnShooter, "wait=1", SPIKE_FLAGS, NULL, "shoots all the time")       \
    X("misc_explobox", Game_SpawnExplobox, "health=20 dmg=160", NULL, "0 0 0, 32 32 64",           \
      "a box that blows up when shot")                                                             \
    X("misc_explobox2", Game_SpawnExplobox2, "health=15 dmg=160", NULL, "0 0 0, 32 32 32",         \
      "a smaller one")                                                                             \
    X("explosive_barrel", Game_SpawnExplobox, "health=20 dmg=160", NULL, "0 0 0, 32 32 64",        \
      "one like a barrel")                                                                         \
    X("misc_fireball", Game_SpawnFireballs, "speed=1000", NULL, NULL,                              \
      "balls of lava jump out of it")                                                              \
    X("event_lightning", Game_SpawnLightning, NULL, NULL, NULL, "lightning when fired")            \
    X("misc_buggy", Game_SpawnBuggy, NULL, NULL, BUGGY_BOX, "is driven by who presses use at it")  \
    X("projectile_bounce", Game_SpawnBounceSource, "velocity wait=2", NULL, NULL,                  \
      "throws bouncing things")                                                                    \
    X("projectile_fly", Game_SpawnFlySource, "velocity wait=2", NULL, NULL,                        \
      "throws flying things")                                                                      \
    X("monster_dog", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,                 \
      "walks and bites")                                                                           \
    X("monster_wizard", Game_SpawnMonster, "delay killtarget message", NULL, WIZARD_BOX,           \
      "flies and spits")                                                                           \
    X("monster_fish", Game_SpawnMonster, "delay killtarget message", NULL, FISH_BOX,               \
      "swims and bites")                                                                           \
    X("monster_army", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,                \
      "a monster (walks and bites)")                                                               \
    X("monster_boss", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,                \
      "a monster (walks and bites)")                                                               \
    X("monster_demon1", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,              \
      "a monster (walks and bites)")                                                               \
    X("monster_enforcer", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,            \
      "a monster (walks and bites)")                                                               \
    X("monster_hell_knight", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,         \
      "a monster (walks and bites)")                                                               \
    X("monster_knight", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,              \
      "a monster (walks and bites)")                                                               \
    X("monster_ogre", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,                \
      "a monster (walks and bites)")                                                               \
    X("monster_ogre_marksman", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,       \
      "a monster (walks and bites)")                                                               \
    X("monster_oldone", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,              \
      "a monster (walks and bites)")                                                               \
    X("monster_shalrath", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,            \
      "a monster (walks and bites)")                                                               \
    X("monster_shambler", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,            \
      "a monster (walks and bites)")                                                               \
    X("monster_tarbaby", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,             \
      "a monster (walks and bites)")                                                               \
    X("monster_zombie", Game_SpawnMonster, "delay killtarget message", NULL, DOG_BOX,              \
      "a monster (walks and bites)")                                                               \
    X("path_corner", Game_SpawnPoint, "wait speed bend", NULL, NULL,                               \
      "a stop of a train or patrol")                                                               \
    X("info_player_start", Game_SpawnPoint, NULL, NULL, PLAYER_BOX, "where a player appears")      \
    X("info_player_start2", NULL, NULL, NULL, PLAYER_BOX, "another episode's start")               \
    X("info_player_deathmatch", Game_SpawnPoint, NULL, NULL, PLAYER_BOX, "where players appear")   \
    X("info_player_coop", Game_SpawnPoint, NULL, NULL, PLAYER_BOX,                                 \
      "where players appear together")                                                             \
    X("info_player_1_spawn", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")    \
    X("info_player_2_spawn", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")    \
    X("info_player_3_spawn", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")    \
    X("info_player_4_spawn", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")    \
    X("info_player_nikolai", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")    \
    X("info_player_doctor", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")     \
    X("info_player_takeo", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")      \
    X("info_player_tank", Game_SpawnStart, NULL, NULL, PLAYER_BOX, "where a player appears")       \
    X("info_player_team1", Game_SpawnPoint, NULL, NULL, PLAYER_BOX, "where the red team appears")  \
    X("info_player_team2", Game_SpawnPoint, NULL, NULL, PLAYER_BOX, "where the blue team appears") \
    X("info_teleport_destination", Game_SpawnPoint, NULL, NULL, NULL, "where a teleporter leads")  \
    X("misc_teleporter_dest", Game_SpawnPoint, NULL, NULL, NULL, "where a teleporter leads")       \
    X("target_position", Game_SpawnPoint, NULL, NULL, NULL, "where a push leads")                  \
    X("info_intermission", Game_SpawnPoint, NULL, NULL, NULL, "what is seen between matches")      \
    X("info_notnull", Game_SpawnPoint, NULL, NULL, NULL, "a place with a name")                    \
    X("info_player_intermission", Game_SpawnPoint, NULL, NULL, NULL,                               \
      "what is seen between matches")                                                              \
    X("info_location", NULL, NULL, NULL, NULL, "the name of a place")                              \
    X("info_texlights", NULL, NULL, NULL, NULL, "for compilers")                                   \
    X("info_null", NULL, NULL, NULL, NULL, "a place for compilers")                                \
    X("target_push", Game_SpawnPushTarget, "speed=1000", NULL, NULL,                               \
      "throws who fires it along its angle, or to its target")                                     \
    X("target_teleporter", Game_SpawnTeleporter, NULL, NULL, NULL,                                 \
      "takes who fires it to its target")                                                          \
    X("target_relay", Game_SpawnRelay, FIRE_KEYS, NULL, NULL, "fires when it is fired")            \
    X("target_delay", Game_SpawnDelay, "wait=1 " FIRE_KEYS, NULL, NULL,                            \
      "fires wait seconds after it is fired")                                                      \
    X("target_remove_powerups", Game_SpawnRemovePowers, NULL, NULL, NULL,                          \
      "takes powers and flag of who fires it")                                                     \
    X("misc_portal_surface", NULL, NULL, NULL, NULL, "something to look at")                       \
    X("misc_portal_camera", NULL, NULL, NULL, NULL, "something to look at")                        \
    X("item_botroam", NULL, NULL, NULL, NULL, "for other games' bots")                             \
    X("info_camp", NULL, NULL, NULL, NULL, "for other games' bots")                                \
    X("light", Game_SpawnLight, NULL, NULL, NULL,                                                  \
      "for compilers; with a targetname it can be fired")                                          \
    X("light_environment", NULL, NULL, NULL, NULL, "for compilers")                                \
    X("light_spot", NULL, NULL, NULL, NULL, "for compilers")                                       \
    X("light_fluoro", NULL, NULL, NULL, NULL, "a lamp")                                            \
    X("light_fluorospark", NULL, NULL, NULL, NULL, "a lamp")                                       \
    X("light_globe", NULL, NULL, NULL, NULL, "a lamp")                                             \
    X("light_torch_small_walltorch", NULL, NULL, NULL, NULL, "a torch")                            \
    X("light_flame_large_yellow", NULL, NULL, NULL, NULL, "a flame")                               \
    X("light_flame_small_yellow", NULL, NULL, NULL, NULL, "a flame")                               \
    X("light_flame_small_white", NULL, NULL, NULL, NULL, "a flame")                                \
    X("ambient_comp_hum", NULL, NULL, NULL, NULL, "a sound")                                       \
    X("ambient_drip", NULL, NULL, NULL, NULL, "a sound")                                           \
    X("ambient_drone", NULL, NULL, NULL, NULL, "a sound")                                          \
    X("ambient_flouro_buzz", NULL, NULL, NULL, NULL, "a sound")                                    \
    X("ambient_light_buzz", NULL, NULL, NULL, NULL, "a sound")                                     \
    X("ambient_suck_wind", NULL, NULL, NULL, NULL, "a sound")                                      \
    X("ambient_swamp1", NULL, NULL, NULL, NULL, "a sound")                                         \
    X("ambient_swamp2", NULL, NULL, NULL, NULL, "a sound")                                         \
    X("ambient_thunder", NULL, NULL, NULL, NULL, "a sound")                                        \
    X("ambient_generic", NULL, NULL, NULL, NULL, "a sound")                                        \
    X("target_speaker", NULL, NULL, NULL, NULL, "a sound")                                         \
    X("target_location", NULL, NULL, NULL, NULL, "the name of a place")                            \
    X("air_bubbles", NULL, NULL, NULL, NULL, "bubbles")                                            \
    X("misc_model", Game_SpawnModel, "model animation controllers health " FIRE_KEYS, NULL, NULL,  \
      "something to look at; solid when it is an .emesh, and breaks when it has health")           \
    X("func_mesh", Game_SpawnWall, "model animation controllers movewith", NULL, NULL,             \
      "an .emesh that stands still")                                                               \
    X("func_detail", NULL, NULL, NULL, NULL, "for compilers")                                      \
    X("func_detail_wall", NULL, NULL, NULL, NULL, "for compilers")                                 \
    X("func_group", NULL, NULL, NULL, NULL, "for editors")                                         \
    X("place_model", NULL, NULL, NULL, NULL, "something to look at")                               \
    X("item_health", Game_SpawnItem, NULL, "1 rotten, 2 mega", CORNER_BOX,                         \
      "lies there until it is taken")                                                              \
    X("item_health_small", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")   \
    X("item_health_large", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")   \
    X("item_health_mega", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")    \
    X("item_armor1", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")         \
    X("item_armor2", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")         \
    X("item_armorInv", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")       \
    X("item_armor_shard", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")    \
    X("item_armor_combat", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")   \
    X("item_armor_body", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")     \
    X("item_shells", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "lies there until it is taken")  \
    X("item_spikes", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "lies there until it is taken")  \
    X("item_rockets", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "lies there until it is taken") \
    X("item_cells", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "lies there until it is taken")   \
    X("ammo_shells", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")         \
    X("ammo_nails", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")          \
    X("ammo_bullets", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")        \
    X("ammo_rockets", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")        \
    X("ammo_grenades", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")       \
    X("ammo_cells", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")          \
    X("ammo_lightning", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")      \
    X("ammo_slugs", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")          \
    X("ammo_belt", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")           \
    X("ammo_mines", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")          \
    X("ammo_bfg", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")            \
    X("item_artifact_super_damage", Game_SpawnItem, NULL, NULL, ITEM_BOX,                          \
      "lies there until it is taken")                                                              \
    X("item_quad", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")           \
    X("item_artifact_invulnerability", Game_SpawnItem, NULL, NULL, ITEM_BOX,                       \
      "lies there until it is taken")                                                              \
    X("item_artifact_invisibility", Game_SpawnItem, NULL, NULL, ITEM_BOX,                          \
      "lies there until it is taken")                                                              \
    X("item_artifact_envirosuit", Game_SpawnItem, NULL, NULL, ITEM_BOX,                            \
      "lies there until it is taken")                                                              \
    X("item_enviro", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")         \
    X("item_invis", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")          \
    X("item_key1", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")           \
    X("item_key2", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")           \
    X("weapon_shotgun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")      \
    X("weapon_supershotgun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken") \
    X("weapon_nailgun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")      \
    X("weapon_supernailgun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken") \
    X("weapon_grenadelauncher", Game_SpawnItem, NULL, NULL, ITEM_BOX,                              \
      "lies there until it is taken")                                                              \
    X("weapon_rocketlauncher", Game_SpawnItem, NULL, NULL, ITEM_BOX,                               \
      "lies there until it is taken")                                                              \
    X("weapon_lightning", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")    \
    X("weapon_plasmagun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")    \
    X("weapon_railgun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")      \
    X("weapon_chaingun", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")     \
    X("weapon_prox_launcher", Game_SpawnItem, NULL, NULL, ITEM_BOX,                                \
      "lies there until it is taken")                                                              \
    X("weapon_bfg", Game_SpawnItem, NULL, NULL, ITEM_BOX, "lies there until it is taken")          \
    X("item_flag_team1", Game_SpawnFlagRed, NULL, NULL, FLAG_BOX, "the flag of the red team")      \
    X("team_CTF_redflag", Game_SpawnFlagRed, NULL, NULL, FLAG_BOX, "the flag of the red team")     \
    X("item_flag_team2", Game_SpawnFlagBlue, NULL, NULL, FLAG_BOX, "the flag of the blue team")    \
    X("team_CTF_blueflag", Game_SpawnFlagBlue, NULL, NULL, FLAG_BOX, "the flag of the blue team")  \
    X("team_CTF_redspawn", Game_SpawnPoint, NULL, NULL, PLAYER_BOX, "where the red team appears")  \
    X("team_CTF_redplayer", Game_SpawnPoint, NULL, NULL, PLAYER_BOX, "where the red team appears") \
    X("team_CTF_bluespawn", Game_SpawnPoint, NULL, NULL, PLAYER_BOX,                               \
      "where the blue team appears")                                                               \
    X("team_CTF_blueplayer", Game_SpawnPoint, NULL, NULL, PLAYER_BOX,                              \
      "where the blue team appears")                                                               \
    X("func_detail_illusionary", Game_SpawnIllusionary, "movewith", NULL, NULL,                    \
      "can be walked through")

typedef void game_spawn_fn(sv_context_t *sv, edict_t *self);
game_spawn_fn Game_SpawnWorld, Game_SpawnPoint, Game_SpawnLight, Game_SpawnTriggerNothing;
game_spawn_fn Game_SpawnDoor, Game_SpawnRotatingDoor, Game_SpawnSecretDoor, Game_SpawnWater;
game_spawn_fn Game_SpawnButton, Game_SpawnPlat, Game_SpawnTrain, Game_SpawnRotating;
game_spawn_fn Game_SpawnPendulum, Game_SpawnBobbing, Game_SpawnLadder, Game_SpawnConveyor;
game_spawn_fn Game_SpawnPushable, Game_SpawnBreakable, Game_SpawnWall, Game_SpawnIllusionary;
game_spawn_fn Game_SpawnMultiple, Game_SpawnOnce, Game_SpawnSecretTrigger, Game_SpawnRelay;
game_spawn_fn Game_SpawnCounter, Game_SpawnPush, Game_SpawnTeleport, Game_SpawnHurt;
game_spawn_fn Game_SpawnMonsterJump, Game_SpawnGravity, Game_SpawnChangeLevel;
game_spawn_fn Game_SpawnSpikeShooter, Game_SpawnShooter, Game_SpawnFireballs, Game_SpawnLightning;
game_spawn_fn Game_SpawnBoughtDoor, Game_SpawnInteract, Game_SpawnStart, Game_SpawnExplobox;
game_spawn_fn Game_SpawnExplobox2, Game_SpawnModel, Game_SpawnPushTarget, Game_SpawnTeleporter;
game_spawn_fn Game_SpawnDelay, Game_SpawnRemovePowers;
game_spawn_fn Game_SpawnItem, Game_SpawnFlagRed, Game_SpawnFlagBlue;
game_spawn_fn Game_SpawnMonster, Game_SpawnBuggy;
game_spawn_fn Game_SpawnBounceSource, Game_SpawnFlySource;

#endif
