/// game/classes.h - every class of map entities: its spawn function, the keys it uses, what it is.
//
// Floor:   game.
//
// A class without a function (NULL) is known and makes nothing. Keys that all brush entities take
// (origin, angle, angles, model, targetname, target, movewith, parent) are not repeated.

#ifndef EDICTD_GAME_CLASSES_H
#define EDICTD_GAME_CLASSES_H

#include "core/game_api.h"

#define FIRE_KEYS "delay message killtarget target2 target3 target4 target5 sounds spawnflags"
#define DOOR_KEYS "speed wait lip dmg health team " FIRE_KEYS

/// X(classname, spawn function, keys, help)
#define GAME_CLASSES(X)                                                                            \
    X("worldspawn", Game_SpawnWorld, "message", "the map itself")                                  \
    X("func_door", Game_SpawnDoor, DOOR_KEYS, "slides along its angle")                            \
    X("func_door_nzp", Game_SpawnBoughtDoor, DOOR_KEYS, "opens for good: nobody pays here")        \
    X("func_door_rotating", Game_SpawnRotatingDoor, DOOR_KEYS " distance", "swings on its hinge")  \
    X("func_door_secret", Game_SpawnSecretDoor, DOOR_KEYS " t_width t_length",                     \
      "steps back, then aside")                                                                    \
    X("func_water", Game_SpawnWater, DOOR_KEYS " skin", "a liquid that may move like a door")      \
    X("func_button", Game_SpawnButton, DOOR_KEYS, "fires its target when pressed")                 \
    X("func_plat", Game_SpawnPlat, "speed height lip wait dmg sounds spawnflags",                  \
      "a lift that is drawn at its top")                                                           \
    X("func_train", Game_SpawnTrain, "speed dmg sounds spawnflags", "goes along path_corners")     \
    X("misc_teleporttrain", Game_SpawnTrain, "speed dmg sounds spawnflags", "the same, floating")  \
    X("func_rotating", Game_SpawnRotating, "speed dmg spawnflags", "turns about its origin brush") \
    X("func_pendulum", Game_SpawnPendulum, "speed distance dmg spawnflags",                        \
      "swings by distance degrees to either side")                                                 \
    X("func_bobbing", Game_SpawnBobbing, "speed height dmg spawnflags",                            \
      "goes up and down, speed seconds a round")                                                   \
    X("func_ladder", Game_SpawnLadder, NULL, "is climbed")                                         \
    X("func_conveyor", Game_SpawnConveyor, "speed spawnflags", "carries what stands on it")        \
    X("func_pushable", Game_SpawnPushable, "health friction gravity", "a crate")                   \
    X("func_breakable", Game_SpawnBreakable, "health " FIRE_KEYS, "goes when it was hurt enough")  \
    X("func_wall", Game_SpawnWall, NULL, "stands still; fired, it shows its other skin")           \
    X("func_static", Game_SpawnWall, NULL, "stands still")                                         \
    X("func_bossgate", Game_SpawnWall, NULL, "stands still")                                       \
    X("func_episodegate", Game_SpawnWall, NULL, "stands still")                                    \
    X("func_illusionary", Game_SpawnIllusionary, NULL, "can be walked through")                    \
    X("trigger_multiple", Game_SpawnMultiple, "wait health " FIRE_KEYS, "fires when touched")      \
    X("trigger_once", Game_SpawnOnce, "health " FIRE_KEYS, "fires once")                           \
    X("trigger_interact", Game_SpawnInteract, "wait " FIRE_KEYS,                                   \
      "fires for who presses use in it")                                                           \
    X("trigger_activator", Game_SpawnOnce, FIRE_KEYS, "fires once")                                \
    X("trigger_secret", Game_SpawnSecretTrigger, FIRE_KEYS, "counts a secret that was found")      \
    X("trigger_relay", Game_SpawnRelay, FIRE_KEYS, "fires when it is fired")                       \
    X("trigger_counter", Game_SpawnCounter, "count " FIRE_KEYS,                                    \
      "fires when it was fired count times")                                                       \
    X("trigger_push", Game_SpawnPush, "speed spawnflags",                                          \
      "throws along its angle, or to its target")                                                  \
    X("trigger_teleport", Game_SpawnTeleport, "spawnflags sounds delay killtarget",                \
      "takes to its target")                                                                       \
    X("trigger_hurt", Game_SpawnHurt, "dmg spawnflags", "costs dmg a second")                      \
    X("trigger_monsterjump", Game_SpawnMonsterJump, "speed height", "throws monsters")             \
    X("trigger_gravity", Game_SpawnGravity, "gravity", "changes a player's gravity")               \
    X("trigger_changelevel", Game_SpawnChangeLevel, "map spawnflags", "goes to the next map")      \
    X("trigger_setskill", Game_SpawnTriggerNothing, "message", "there is no skill to set")         \
    X("trigger_onlyregistered", Game_SpawnMultiple, "wait " FIRE_KEYS, "fires when touched")       \
    X("trap_spikeshooter", Game_SpawnSpikeShooter, "spawnflags", "shoots when fired")              \
    X("trap_shooter", Game_SpawnShooter, "wait spawnflags", "shoots all the time")                 \
    X("misc_explobox", Game_SpawnExplobox, "health dmg", "a box that blows up when shot")          \
    X("misc_explobox2", Game_SpawnExplobox2, "health dmg", "a smaller one")                        \
    X("explosive_barrel", Game_SpawnExplobox, "health dmg", "one like a barrel")                   \
    X("misc_fireball", Game_SpawnFireballs, "speed", "balls of lava jump out of it")               \
    X("event_lightning", Game_SpawnLightning, NULL, "lightning when fired")                        \
    X("misc_buggy", Game_SpawnBuggy, NULL, "is driven by who presses use at it")                   \
    X("projectile_bounce", Game_SpawnBounceSource, "velocity wait", "throws bouncing things")      \
    X("projectile_fly", Game_SpawnFlySource, "velocity wait", "throws flying things")              \
    X("monster_dog", Game_SpawnMonster, "delay killtarget message", "walks and bites")             \
    X("monster_wizard", Game_SpawnMonster, "delay killtarget message", "flies and spits")          \
    X("monster_fish", Game_SpawnMonster, "delay killtarget message", "swims and bites")            \
    X("monster_army", Game_SpawnMonster, "delay killtarget message",                               \
      "a monster (walks and bites)")                                                               \
    X("monster_boss", Game_SpawnMonster, "delay killtarget message",                               \
      "a monster (walks and bites)")                                                               \
    X("monster_demon1", Game_SpawnMonster, "delay killtarget message",                             \
      "a monster (walks and bites)")                                                               \
    X("monster_enforcer", Game_SpawnMonster, "delay killtarget message",                           \
      "a monster (walks and bites)")                                                               \
    X("monster_hell_knight", Game_SpawnMonster, "delay killtarget message",                        \
      "a monster (walks and bites)")                                                               \
    X("monster_knight", Game_SpawnMonster, "delay killtarget message",                             \
      "a monster (walks and bites)")                                                               \
    X("monster_ogre", Game_SpawnMonster, "delay killtarget message",                               \
      "a monster (walks and bites)")                                                               \
    X("monster_ogre_marksman", Game_SpawnMonster, "delay killtarget message",                      \
      "a monster (walks and bites)")                                                               \
    X("monster_oldone", Game_SpawnMonster, "delay killtarget message",                             \
      "a monster (walks and bites)")                                                               \
    X("monster_shalrath", Game_SpawnMonster, "delay killtarget message",                           \
      "a monster (walks and bites)")                                                               \
    X("monster_shambler", Game_SpawnMonster, "delay killtarget message",                           \
      "a monster (walks and bites)")                                                               \
    X("monster_tarbaby", Game_SpawnMonster, "delay killtarget message",                            \
      "a monster (walks and bites)")                                                               \
    X("monster_zombie", Game_SpawnMonster, "delay killtarget message",                             \
      "a monster (walks and bites)")                                                               \
    X("path_corner", Game_SpawnPoint, "wait speed bend spawnflags", "a stop of a train or patrol") \
    X("info_player_start", Game_SpawnPoint, NULL, "where a player appears")                        \
    X("info_player_start2", NULL, NULL, "another episode's start")                                 \
    X("info_player_deathmatch", Game_SpawnPoint, NULL, "where players appear")                     \
    X("info_player_coop", Game_SpawnPoint, NULL, "where players appear together")                  \
    X("info_player_1_spawn", Game_SpawnStart, NULL, "where a player appears")                      \
    X("info_player_2_spawn", Game_SpawnStart, NULL, "where a player appears")                      \
    X("info_player_3_spawn", Game_SpawnStart, NULL, "where a player appears")                      \
    X("info_player_4_spawn", Game_SpawnStart, NULL, "where a player appears")                      \
    X("info_player_nikolai", Game_SpawnStart, NULL, "where a player appears")                      \
    X("info_player_doctor", Game_SpawnStart, NULL, "where a player appears")                       \
    X("info_player_takeo", Game_SpawnStart, NULL, "where a player appears")                        \
    X("info_player_tank", Game_SpawnStart, NULL, "where a player appears")                         \
    X("info_player_team1", Game_SpawnPoint, NULL, "where the red team appears")                    \
    X("info_player_team2", Game_SpawnPoint, NULL, "where the blue team appears")                   \
    X("info_teleport_destination", Game_SpawnPoint, NULL, "where a teleporter leads")              \
    X("misc_teleporter_dest", Game_SpawnPoint, NULL, "where a teleporter leads")                   \
    X("target_position", Game_SpawnPoint, NULL, "where a push leads")                              \
    X("info_intermission", Game_SpawnPoint, NULL, "what is seen between matches")                  \
    X("info_notnull", Game_SpawnPoint, NULL, "a place with a name")                                \
    X("info_player_intermission", Game_SpawnPoint, NULL, "what is seen between matches")           \
    X("info_location", NULL, NULL, "the name of a place")                                          \
    X("info_texlights", NULL, NULL, "for compilers")                                               \
    X("info_null", NULL, NULL, "a place for compilers")                                            \
    X("light", Game_SpawnLight, NULL, "for compilers; with a targetname it can be fired")          \
    X("light_environment", NULL, NULL, "for compilers")                                            \
    X("light_spot", NULL, NULL, "for compilers")                                                   \
    X("light_fluoro", NULL, NULL, "a lamp")                                                        \
    X("light_fluorospark", NULL, NULL, "a lamp")                                                   \
    X("light_globe", NULL, NULL, "a lamp")                                                         \
    X("light_torch_small_walltorch", NULL, NULL, "a torch")                                        \
    X("light_flame_large_yellow", NULL, NULL, "a flame")                                           \
    X("light_flame_small_yellow", NULL, NULL, "a flame")                                           \
    X("light_flame_small_white", NULL, NULL, "a flame")                                            \
    X("ambient_comp_hum", NULL, NULL, "a sound")                                                   \
    X("ambient_drip", NULL, NULL, "a sound")                                                       \
    X("ambient_drone", NULL, NULL, "a sound")                                                      \
    X("ambient_flouro_buzz", NULL, NULL, "a sound")                                                \
    X("ambient_light_buzz", NULL, NULL, "a sound")                                                 \
    X("ambient_suck_wind", NULL, NULL, "a sound")                                                  \
    X("ambient_swamp1", NULL, NULL, "a sound")                                                     \
    X("ambient_swamp2", NULL, NULL, "a sound")                                                     \
    X("ambient_thunder", NULL, NULL, "a sound")                                                    \
    X("ambient_generic", NULL, NULL, "a sound")                                                    \
    X("target_speaker", NULL, NULL, "a sound")                                                     \
    X("target_location", NULL, NULL, "the name of a place")                                        \
    X("air_bubbles", NULL, NULL, "bubbles")                                                        \
    X("misc_model", Game_SpawnModel, "model", "something to look at; solid when it is an .emesh")  \
    X("func_mesh", Game_SpawnWall, "model", "an .emesh that stands still")                         \
    X("func_detail", NULL, NULL, "for compilers")                                                  \
    X("func_detail_wall", NULL, NULL, "for compilers")                                             \
    X("func_group", NULL, NULL, "for editors")                                                     \
    X("place_model", NULL, NULL, "something to look at")                                           \
    X("item_health", Game_SpawnItem, "spawnflags", "lies there until it is taken")                 \
    X("item_health_small", Game_SpawnItem, NULL, "lies there until it is taken")                   \
    X("item_health_large", Game_SpawnItem, NULL, "lies there until it is taken")                   \
    X("item_health_mega", Game_SpawnItem, NULL, "lies there until it is taken")                    \
    X("item_armor1", Game_SpawnItem, NULL, "lies there until it is taken")                         \
    X("item_armor2", Game_SpawnItem, NULL, "lies there until it is taken")                         \
    X("item_armorInv", Game_SpawnItem, NULL, "lies there until it is taken")                       \
    X("item_armor_shard", Game_SpawnItem, NULL, "lies there until it is taken")                    \
    X("item_armor_combat", Game_SpawnItem, NULL, "lies there until it is taken")                   \
    X("item_armor_body", Game_SpawnItem, NULL, "lies there until it is taken")                     \
    X("item_shells", Game_SpawnItem, "spawnflags", "lies there until it is taken")                 \
    X("item_spikes", Game_SpawnItem, "spawnflags", "lies there until it is taken")                 \
    X("item_rockets", Game_SpawnItem, "spawnflags", "lies there until it is taken")                \
    X("item_cells", Game_SpawnItem, "spawnflags", "lies there until it is taken")                  \
    X("ammo_shells", Game_SpawnItem, NULL, "lies there until it is taken")                         \
    X("ammo_nails", Game_SpawnItem, NULL, "lies there until it is taken")                          \
    X("ammo_bullets", Game_SpawnItem, NULL, "lies there until it is taken")                        \
    X("ammo_rockets", Game_SpawnItem, NULL, "lies there until it is taken")                        \
    X("ammo_grenades", Game_SpawnItem, NULL, "lies there until it is taken")                       \
    X("ammo_cells", Game_SpawnItem, NULL, "lies there until it is taken")                          \
    X("ammo_lightning", Game_SpawnItem, NULL, "lies there until it is taken")                      \
    X("ammo_slugs", Game_SpawnItem, NULL, "lies there until it is taken")                          \
    X("item_artifact_super_damage", Game_SpawnItem, NULL, "lies there until it is taken")          \
    X("item_quad", Game_SpawnItem, NULL, "lies there until it is taken")                           \
    X("item_artifact_invulnerability", Game_SpawnItem, NULL, "lies there until it is taken")       \
    X("item_artifact_invisibility", Game_SpawnItem, NULL, "lies there until it is taken")          \
    X("item_artifact_envirosuit", Game_SpawnItem, NULL, "lies there until it is taken")            \
    X("item_key1", Game_SpawnItem, NULL, "lies there until it is taken")                           \
    X("item_key2", Game_SpawnItem, NULL, "lies there until it is taken")                           \
    X("weapon_shotgun", Game_SpawnItem, NULL, "lies there until it is taken")                      \
    X("weapon_supershotgun", Game_SpawnItem, NULL, "lies there until it is taken")                 \
    X("weapon_nailgun", Game_SpawnItem, NULL, "lies there until it is taken")                      \
    X("weapon_supernailgun", Game_SpawnItem, NULL, "lies there until it is taken")                 \
    X("weapon_grenadelauncher", Game_SpawnItem, NULL, "lies there until it is taken")              \
    X("weapon_rocketlauncher", Game_SpawnItem, NULL, "lies there until it is taken")               \
    X("weapon_lightning", Game_SpawnItem, NULL, "lies there until it is taken")                    \
    X("weapon_plasmagun", Game_SpawnItem, NULL, "lies there until it is taken")                    \
    X("weapon_railgun", Game_SpawnItem, NULL, "lies there until it is taken")                      \
    X("item_flag_team1", Game_SpawnFlagRed, NULL, "the flag of the red team")                      \
    X("team_CTF_redflag", Game_SpawnFlagRed, NULL, "the flag of the red team")                     \
    X("item_flag_team2", Game_SpawnFlagBlue, NULL, "the flag of the blue team")                    \
    X("team_CTF_blueflag", Game_SpawnFlagBlue, NULL, "the flag of the blue team")                  \
    X("team_CTF_redspawn", Game_SpawnPoint, NULL, "where the red team appears")                    \
    X("team_CTF_redplayer", Game_SpawnPoint, NULL, "where the red team appears")                   \
    X("team_CTF_bluespawn", Game_SpawnPoint, NULL, "where the blue team appears")                  \
    X("team_CTF_blueplayer", Game_SpawnPoint, NULL, "where the blue team appears")                 \
    X("func_detail_illusionary", Game_SpawnIllusionary, NULL, "can be walked through")

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
game_spawn_fn Game_SpawnExplobox2, Game_SpawnModel;
game_spawn_fn Game_SpawnItem, Game_SpawnFlagRed, Game_SpawnFlagBlue;
game_spawn_fn Game_SpawnMonster, Game_SpawnBuggy;
game_spawn_fn Game_SpawnBounceSource, Game_SpawnFlySource;

#endif
