/// game/classes.h - the classes of map entities: spawn function, keys, flags, box, help.
//
// A class without a function (NULL) is ignored. Every class also has the keys origin, angle,
// angles, model, targetname and target. game_spawn_t describes the columns.

#ifndef EDICTD_GAME_CLASSES_H
#define EDICTD_GAME_CLASSES_H

#include "game/game.h"

#define FIRE_KEYS "delay message killtarget target2 target3 target4 target5 sounds"

#define DOOR_FLAGS                                                                                 \
    "1 starts open, 4 opens alone, 8 gold key, 16 silver key, 32 every use reverses it"
#define TRAIN_FLAGS "8 takes the angles of its corners"
#define CHANGE_KEYS "train toptrack bottomtrack height rotation speed sounds movewith turn_about"
#define CHANGE_HELP                                                                                \
    "a lift for trains, drawn at its top; \"auto\": starts when the train reaches the end"
#define CHANGE_FLAGS                                                                               \
    "1 starts the train, 2 cuts the other track, 8 starts at the bottom, 16 only turns, "          \
    "64 rolls, 128 pitches"
#define SPIKE_FLAGS   "1 twice the damage"
#define TRIGGER_FLAGS "1 only when fired"
#define BIG_FLAGS     "1 big box"

#define PLAYER_BOX "-16 -16 -24, 16 16 32"
#define ITEM_BOX   "-15 -15 0, 15 15 40"
#define CORNER_BOX "1 1 0, 31 31 40" // origin in the lower corner, as the editor draws it
#define FLAG_BOX   "-15 -15 -15, 15 15 40"
#define DOG_BOX    "-16 -16 -24, 16 16 24"
#define WIZARD_BOX "-16 -16 -24, 16 16 32"
#define FISH_BOX   "-16 -16 -16, 16 16 16"
#define BUGGY_BOX  "-32 -32 -20, 32 32 20"

// clang-format off
/// Rows that many classes share: items, spawn points and destinations, monsters, ignored classes.
#define GAME_ITEM(X, name) X(name, Game_SpawnItem, NULL, NULL, ITEM_BOX, "an item")
#define GAME_POINT(X, name, function, box, help) X(name, function, NULL, NULL, box, help)
#define GAME_MONSTER(X, name, box, help)                                                           \
    X(name, Game_SpawnMonster, "delay killtarget message", NULL, box, help)
#define GAME_GROUND_MONSTER(X, name, help)                                                         \
    X(name, Game_SpawnMonster,                                                                     \
      "delay killtarget message mover max_pitch max_roll step_height upright", NULL, DOG_BOX, help)
#define GAME_WALKER(X, name) GAME_GROUND_MONSTER(X, name, "walks and bites")
#define GAME_START(X, name)                                                                        \
    GAME_POINT(X, name, Game_SpawnStart, PLAYER_BOX, "spawn point of a player")
#define GAME_IGNORED(X, name, help) X(name, NULL, NULL, NULL, NULL, help)

/// X(classname, spawn function, keys, spawnflags, box, help)
#define GAME_CLASSES(X)                                                                            \
    X("worldspawn", Game_SpawnWorld, "message flags_of", NULL, NULL, "the map itself")             \
    X("func_door", Game_SpawnDoor,                                                                 \
      "speed=100 wait=3 lip=8 dmg=2 health team " FIRE_KEYS " master movewith", DOOR_FLAGS, NULL,  \
      "a door; slides along its angle")                                                            \
    X("func_door_nzp", Game_SpawnBoughtDoor,                                                       \
      "speed=100 lip=8 dmg=2 team " FIRE_KEYS " movewith", NULL, NULL, "a door that opens "        \
      "once, for free")                                                                            \
    X("func_door_rotating", Game_SpawnRotatingDoor,                                                \
      "speed=100 wait=3 dmg=2 health team " FIRE_KEYS " distance=90 master movewith turn_about",   \
      "1 starts open, 2 turns backwards, 4 opens alone, 8 without collision, 32 every "            \
      "use reverses it, 64 rolls, 128 pitches", NULL, "a door; turns around its origin brush")     \
    X("func_door_secret", Game_SpawnSecretDoor,                                                    \
      "speed=50 wait=5 dmg=2 health team " FIRE_KEYS " t_width t_length movewith",                 \
      "1 opens once, 2 first to the left, 4 first down, 8 cannot be shot, 16 can be shot "         \
      "despite a targetname", NULL, "a door; moves back, then sideways")                           \
    X("func_water", Game_SpawnWater, "speed=25 lip team " FIRE_KEYS " skin movewith",              \
      "1 starts open", NULL, "a liquid; moves like a door when fired")                             \
    X("func_button", Game_SpawnButton,                                                             \
      "speed=40 wait=1 lip=4 health " FIRE_KEYS " changetarget master movewith",                   \
      "1 does not move, 32 toggles", NULL, "a button; fires when pressed")                         \
    X("func_rot_button", Game_SpawnRotButton,                                                      \
      "speed=40 wait=3 distance=90 health " FIRE_KEYS " changetarget master movewith turn_about",  \
      "1 does not move, 2 turns backwards, 32 toggles, 64 rolls, 128 pitches, 256 when touched",   \
      NULL, "a lever; fires when used")                                                            \
    X("func_plat", Game_SpawnPlat, "speed=150 height lip=8 wait=3 dmg=1 sounds movewith",          \
      "1 only players on it start it", NULL, "a lift; drawn at its top")                           \
    X("func_train", Game_SpawnTrain, "speed=100 dmg=2 sounds movewith", TRAIN_FLAGS, NULL,         \
      "a train; moves along path_corners")                                                         \
    X("misc_teleporttrain", Game_SpawnTrain, "speed=100 dmg=2 sounds", TRAIN_FLAGS, NULL,          \
      "decoration that moves along path_corners")                                                  \
    X("func_tracktrain", Game_SpawnTrackTrain,                                                     \
      "speed=64 startspeed wheels=50 height=4 bank dmg sounds movewith",                           \
      "1 stays level, 2 no driver, 4 forward only, 8 without collision", NULL,                     \
      "a train on path_tracks; use starts and stops it")                                           \
    X("func_traincontrols", Game_SpawnTrainControls, NULL, NULL, NULL,                             \
      "where the driver of a train stands")                                                        \
    X("path_track", Game_SpawnTrack, "altpath speed message netname",                              \
      "1 disabled, 2 fires once, 4 branch backwards, 8 ends the driver's control", NULL,           \
      "a point of a track; use switches its branch")                                               \
    X("func_trackchange", Game_SpawnTrackChange, CHANGE_KEYS, CHANGE_FLAGS, NULL, CHANGE_HELP)     \
    X("func_trackautochange", Game_SpawnTrackChange, CHANGE_KEYS, CHANGE_FLAGS, NULL, CHANGE_HELP) \
    X("func_platrot", Game_SpawnPlatRot,                                                           \
      "speed=150 height rotation lip=8 wait=3 dmg=1 sounds movewith",                              \
      "1 only players on it start it, 64 rolls, 128 pitches", NULL, "a lift that turns")           \
    X("momentary_rot_button", Game_SpawnMomentaryButton,                                           \
      "speed=100 distance=90 returnspeed dmg movewith turn_about",                                 \
      "1 a door of other valves, 2 only when fired, 16 returns, 64 rolls, 128 pitches", NULL,      \
      "a valve; turns while used")                                                                 \
    X("momentary_door", Game_SpawnMomentaryDoor, "lip dmg movewith", "1 starts open", NULL,        \
      "a door; follows a valve")                                                                   \
    X("func_rotating", Game_SpawnRotating, "speed=100 fanfriction=20 dmg=2 movewith turn_about",   \
      "1 turns at once, 2 turns backwards, 4 about the x axis, 8 about the y axis, "               \
      "16 gradually, 32 hurts, 64 without collision", NULL,                                        \
      "turns around its origin brush")                                                             \
    X("func_pendulum", Game_SpawnPendulum,                                                         \
      "speed=100 distance=90 damp dmg=2 movewith turn_about",                                      \
      "1 swings at once, 8 without collision, 16 returns, 64 rolls, 128 pitches", NULL,            \
      "swings by distance degrees to either side")                                                 \
    X("func_bobbing", Game_SpawnBobbing, "speed=4 height=32 dmg=2 movewith",                       \
      "1 along the x axis, 2 along the y axis", NULL,                                              \
      "moves up and down; speed = seconds a cycle")                                                \
    X("func_ladder", Game_SpawnLadder, "movewith", NULL, NULL, "a ladder")                         \
    X("func_friction", Game_SpawnFriction, "modifier=15 movewith", NULL, NULL,                     \
      "changes the friction inside")                                                               \
    X("func_conveyor", Game_SpawnConveyor, "speed=100 movewith",                                   \
      "1 starts off, 2 without collision", NULL,                                                   \
      "a conveyor; carries what is on it")                                                         \
    X("func_pushable", Game_SpawnPushable, "health friction gravity movewith", NULL, NULL,         \
      "a crate")                                                                                   \
    X("func_breakable", Game_SpawnBreakable, "health=20 " FIRE_KEYS " movewith",                   \
      "1 cannot be shot, 2 breaks when touched", NULL, "breaks when its health is used up")        \
    X("func_wall", Game_SpawnWall, "movewith", NULL, NULL, "a wall; firing it changes its skin")   \
    X("func_wall_toggle", Game_SpawnWallToggle, "movewith", "1 starts hidden", NULL,               \
      "a wall; firing it hides or shows it")                                                       \
    X("func_static", Game_SpawnWall, "movewith", NULL, NULL, "a wall")                             \
    X("func_bossgate", Game_SpawnWall, "movewith", NULL, NULL, "a wall")                           \
    X("func_episodegate", Game_SpawnWall, "movewith", NULL, NULL, "a wall")                        \
    X("func_monsterclip", Game_SpawnMonsterClip, NULL, NULL, NULL, "stops only monsters")          \
    X("func_illusionary", Game_SpawnIllusionary, "skin=0 movewith", NULL, NULL,                    \
      "a wall without collision")                                                                  \
    X("trigger_multiple", Game_SpawnMultiple, "wait=0.2 health " FIRE_KEYS " master movewith",     \
      TRIGGER_FLAGS, NULL, "fires when touched")                                                   \
    X("trigger_once", Game_SpawnOnce, "health " FIRE_KEYS " master movewith", TRIGGER_FLAGS, NULL, \
      "fires once")                                                                                \
    X("trigger_interact", Game_SpawnInteract, "wait=0.2 " FIRE_KEYS " movewith", TRIGGER_FLAGS,    \
      NULL, "fires when a player inside presses use")                                              \
    X("trigger_activator", Game_SpawnOnce, FIRE_KEYS " movewith", TRIGGER_FLAGS, NULL,             \
      "fires once")                                                                                \
    X("trigger_secret", Game_SpawnSecretTrigger, FIRE_KEYS " movewith", TRIGGER_FLAGS, NULL,       \
      "counts a secret and fires")                                                                 \
    X("trigger_relay", Game_SpawnRelay, FIRE_KEYS " triggerstate movewith", NULL, NULL,            \
      "fires its targets when fired")                                                              \
    X("multi_manager", Game_SpawnManager, NULL, NULL, NULL,                                        \
      "fires the targetnames that are its keys, after their values in seconds")                    \
    X("trigger_auto", Game_SpawnTriggerAuto, FIRE_KEYS " triggerstate", NULL, NULL,                \
      "fires when the map starts")                                                                 \
    X("trigger_counter", Game_SpawnCounter, "count=2 " FIRE_KEYS " movewith", "1 no messages",     \
      NULL, "fires after it was fired count times")                                                \
    X("multisource", Game_SpawnMultisource, FIRE_KEYS, NULL, NULL,                                 \
      "fires when all its sources are on")                                                         \
    X("trigger_push", Game_SpawnPush, "speed=1000 movewith", "1 only once, 2 starts off", NULL,    \
      "throws along its angle, or to its target")                                                  \
    X("trigger_teleport", Game_SpawnTeleport, "sounds delay killtarget master movewith",           \
      "1 players only, 4 also crates", NULL, "teleports to its target")                            \
    X("trigger_hurt", Game_SpawnHurt, "dmg=5 movewith", NULL, NULL, "hurts by dmg once a second")  \
    X("trigger_monsterjump", Game_SpawnMonsterJump, "speed=200 height=200 movewith", NULL,         \
      NULL, "makes monsters jump")                                                                 \
    X("trigger_gravity", Game_SpawnGravity, "gravity=1 movewith", NULL, NULL,                      \
      "changes a player's gravity")                                                                \
    X("trigger_changelevel", Game_SpawnChangeLevel,                                                \
      "map landmark changetarget changedelay movewith", "2 only when fired", NULL,                 \
      "starts another map; with a landmark, players keep their place and equipment")               \
    X("trigger_transition", Game_SpawnTransition, "movewith", NULL, NULL,                          \
      "only players inside keep their place at the landmark of its targetname")                    \
    GAME_POINT(X, "info_landmark", Game_SpawnPoint, NULL,                                          \
      "a point that two maps have in common, by its targetname")                                   \
    X("trigger_setskill", Game_SpawnTriggerNothing, "message", NULL, NULL,                         \
      "ignored: there are no skill levels")                                                        \
    X("trigger_onlyregistered", Game_SpawnMultiple, "wait=0.2 " FIRE_KEYS " movewith",             \
      TRIGGER_FLAGS, NULL, "fires when touched")                                                   \
    X("trap_spikeshooter", Game_SpawnSpikeShooter, NULL, SPIKE_FLAGS, NULL, "shoots when fired")   \
    X("trap_shooter", Game_SpawnShooter, "wait=1", SPIKE_FLAGS, NULL,                              \
      "shoots every wait seconds")                                                                 \
    X("misc_explobox", Game_SpawnExplobox, "health=20 dmg=160", NULL, "0 0 0, 32 32 64",           \
      "a box that explodes when shot")                                                             \
    X("misc_explobox2", Game_SpawnExplobox2, "health=15 dmg=160", NULL, "0 0 0, 32 32 32",         \
      "a box that explodes when shot")                                                             \
    X("explosive_barrel", Game_SpawnExplobox, "health=20 dmg=160", NULL, "0 0 0, 32 32 64",        \
      "a box that explodes when shot")                                                             \
    X("misc_fireball", Game_SpawnFireballs, "speed=1000", NULL, NULL, "throws balls of lava up")   \
    X("event_lightning", Game_SpawnLightning, NULL, NULL, NULL, "lightning when fired")            \
    X("misc_buggy", Game_SpawnBuggy, NULL, NULL, BUGGY_BOX,                                        \
      "a vehicle; the use button gets in and out")                                                 \
    X("projectile_bounce", Game_SpawnBounceSource, "velocity wait=2", NULL, NULL,                  \
      "launches bouncing projectiles")                                                             \
    X("projectile_fly", Game_SpawnFlySource, "velocity wait=2", NULL, NULL,                        \
      "launches flying projectiles")                                                               \
    GAME_WALKER(X, "monster_dog")                                                                  \
    GAME_MONSTER(X, "monster_wizard", WIZARD_BOX, "flies and spits")                               \
    GAME_MONSTER(X, "monster_fish", FISH_BOX, "swims and bites") GAME_WALKER(X, "monster_army")    \
    GAME_WALKER(X, "monster_boss") GAME_WALKER(X, "monster_demon1")                                \
    GAME_WALKER(X, "monster_enforcer") GAME_WALKER(X, "monster_hell_knight")                       \
    GAME_WALKER(X, "monster_knight") GAME_WALKER(X, "monster_ogre")                                \
    GAME_WALKER(X, "monster_ogre_marksman") GAME_WALKER(X, "monster_oldone")                       \
    GAME_WALKER(X, "monster_shalrath") GAME_WALKER(X, "monster_shambler")                          \
    GAME_WALKER(X, "monster_tarbaby") GAME_WALKER(X, "monster_zombie")                             \
    GAME_GROUND_MONSTER(X, "monster_crawler", "mover=ray; tilts with the terrain; bites")          \
    GAME_GROUND_MONSTER(X, "monster_guard", "mover=sweep; bites")                                  \
    GAME_GROUND_MONSTER(X, "monster_golem", "mover=drop; bites")                                   \
    X("path_corner", Game_SpawnPoint, "wait speed bend message",                                   \
      "1 waits until fired, 2 the train appears there, 4 fires message once", NULL,                \
      "a stop of a train or a monster; fires its message")                                         \
    GAME_POINT(X, "info_player_start", Game_SpawnPoint, PLAYER_BOX, "spawn point of a player")     \
    X("info_player_start2", NULL, NULL, NULL, PLAYER_BOX, "spawn point of another episode")        \
    GAME_POINT(X, "info_player_deathmatch", Game_SpawnPoint, PLAYER_BOX, "spawn point")            \
    GAME_POINT(X, "info_player_coop", Game_SpawnPoint, PLAYER_BOX, "spawn point")                  \
    GAME_START(X, "info_player_1_spawn") GAME_START(X, "info_player_2_spawn")                      \
    GAME_START(X, "info_player_3_spawn") GAME_START(X, "info_player_4_spawn")                      \
    GAME_START(X, "info_player_nikolai") GAME_START(X, "info_player_doctor")                       \
    GAME_START(X, "info_player_takeo") GAME_START(X, "info_player_tank")                           \
    GAME_POINT(X, "info_player_team1", Game_SpawnPoint, PLAYER_BOX,                                \
      "spawn point of the red team")                                                               \
    GAME_POINT(X, "info_player_team2", Game_SpawnPoint, PLAYER_BOX,                                \
      "spawn point of the blue team")                                                              \
    GAME_POINT(X, "info_teleport_destination", Game_SpawnPoint, NULL,                              \
      "destination of a teleporter")                                                               \
    GAME_POINT(X, "misc_teleporter_dest", Game_SpawnPoint, NULL, "destination of a teleporter")    \
    GAME_POINT(X, "target_position", Game_SpawnPoint, NULL, "target of a push")                    \
    GAME_POINT(X, "info_intermission", Game_SpawnPoint, NULL, "camera between matches")            \
    GAME_POINT(X, "info_notnull", Game_SpawnPoint, NULL, "a named position")                       \
    GAME_POINT(X, "info_player_intermission", Game_SpawnPoint, NULL, "camera between matches")     \
    GAME_IGNORED(X, "info_location", "name of a location")                                         \
    GAME_IGNORED(X, "info_texlights", "for compilers")                                             \
    GAME_IGNORED(X, "info_null", "for compilers")                                                  \
    X("target_push", Game_SpawnPushTarget, "speed=1000", NULL, NULL,                               \
      "throws its activator along its angle, or to its target")                                    \
    X("target_teleporter", Game_SpawnTeleporter, NULL, NULL, NULL,                                 \
      "teleports its activator to its target")                                                     \
    X("target_relay", Game_SpawnRelay, FIRE_KEYS, NULL, NULL, "fires its targets when fired")      \
    X("target_delay", Game_SpawnDelay, "wait=1 " FIRE_KEYS, NULL, NULL,                            \
      "fires wait seconds after it is fired")                                                      \
    X("target_remove_powerups", Game_SpawnRemovePowers, NULL, NULL, NULL,                          \
      "removes its activator's powerups and flag")                                                 \
    GAME_IGNORED(X, "misc_portal_surface", "decoration")                                           \
    GAME_IGNORED(X, "misc_portal_camera", "decoration")                                            \
    GAME_IGNORED(X, "item_botroam", "for bots of other games")                                     \
    GAME_IGNORED(X, "info_camp", "for bots of other games")                                        \
    X("light", Game_SpawnLight, NULL, NULL, NULL,                                                  \
      "for compilers; can be fired if it has a targetname")                                        \
    GAME_IGNORED(X, "light_environment", "for compilers")                                          \
    GAME_IGNORED(X, "light_spot", "for compilers") GAME_IGNORED(X, "light_fluoro", "decoration")   \
    GAME_IGNORED(X, "light_fluorospark", "decoration") GAME_IGNORED(X, "light_globe", "a lamp")    \
    GAME_IGNORED(X, "light_torch_small_walltorch", "decoration")                                   \
    GAME_IGNORED(X, "light_flame_large_yellow", "decoration")                                      \
    GAME_IGNORED(X, "light_flame_small_yellow", "decoration")                                      \
    GAME_IGNORED(X, "light_flame_small_white", "decoration")                                       \
    GAME_IGNORED(X, "ambient_comp_hum", "a sound") GAME_IGNORED(X, "ambient_drip", "a sound")      \
    GAME_IGNORED(X, "ambient_drone", "a sound") GAME_IGNORED(X, "ambient_flouro_buzz", "a sound")  \
    GAME_IGNORED(X, "ambient_light_buzz", "a sound")                                               \
    GAME_IGNORED(X, "ambient_suck_wind", "a sound") GAME_IGNORED(X, "ambient_swamp1", "a sound")   \
    GAME_IGNORED(X, "ambient_swamp2", "a sound") GAME_IGNORED(X, "ambient_thunder", "a sound")     \
    GAME_IGNORED(X, "ambient_generic", "a sound") GAME_IGNORED(X, "target_speaker", "a sound")     \
    GAME_IGNORED(X, "target_location", "name of a location")                                       \
    GAME_IGNORED(X, "air_bubbles", "decoration")                                                   \
    GAME_IGNORED(X, "env_beam", "decoration") GAME_IGNORED(X, "env_beverage", "decoration")        \
    GAME_IGNORED(X, "env_blood", "decoration") GAME_IGNORED(X, "env_bubbles", "decoration")        \
    GAME_IGNORED(X, "env_debris", "decoration") GAME_IGNORED(X, "env_explosion", "decoration")     \
    GAME_IGNORED(X, "env_fade", "decoration") GAME_IGNORED(X, "env_fog", "decoration")             \
    GAME_IGNORED(X, "env_funnel", "decoration") GAME_IGNORED(X, "env_global", "decoration")        \
    GAME_IGNORED(X, "env_glow", "decoration") GAME_IGNORED(X, "env_laser", "decoration")           \
    GAME_IGNORED(X, "env_lightning", "decoration") GAME_IGNORED(X, "env_message", "decoration")    \
    GAME_IGNORED(X, "env_rain", "decoration") GAME_IGNORED(X, "env_render", "decoration")          \
    GAME_IGNORED(X, "env_shake", "decoration") GAME_IGNORED(X, "env_shooter", "decoration")        \
    GAME_IGNORED(X, "env_smoker", "decoration") GAME_IGNORED(X, "env_snow", "decoration")          \
    GAME_IGNORED(X, "env_sound", "decoration") GAME_IGNORED(X, "env_spark", "decoration")          \
    GAME_IGNORED(X, "env_sprite", "decoration") GAME_IGNORED(X, "env_state", "decoration")         \
    GAME_IGNORED(X, "infodecal", "decoration") GAME_IGNORED(X, "cycler", "decoration")             \
    GAME_IGNORED(X, "cycler_sprite", "decoration")                                                 \
    GAME_IGNORED(X, "cycler_weapon", "decoration")                                                 \
    GAME_IGNORED(X, "cycler_wreckage", "decoration") GAME_IGNORED(X, "gibshooter", "decoration")   \
    GAME_IGNORED(X, "speaker", "decoration") GAME_IGNORED(X, "trigger_cdaudio", "decoration")      \
    GAME_IGNORED(X, "target_cdaudio", "decoration")                                                \
    GAME_IGNORED(X, "trigger_camera", "decoration") GAME_IGNORED(X, "info_target", "decoration")   \
    GAME_IGNORED(X, "info_node", "for monsters of Half-Life")                                      \
    GAME_IGNORED(X, "info_node_air", "for monsters of Half-Life")                                  \
    GAME_IGNORED(X, "game_text", "decoration")                                                     \
    X("misc_model", Game_SpawnModel, "model animation controllers health " FIRE_KEYS               \
      " movewith bone", NULL, NULL, "decoration; an .emesh is solid and breaks if it has health")  \
    X("func_mesh", Game_SpawnWall, "model animation controllers movewith", NULL, NULL,             \
      "a wall from an .emesh")                                                                     \
    GAME_IGNORED(X, "func_detail", "for compilers")                                                \
    GAME_IGNORED(X, "func_detail_wall", "for compilers")                                           \
    GAME_IGNORED(X, "func_group", "for compilers") GAME_IGNORED(X, "place_model", "decoration")    \
    X("item_health", Game_SpawnItem, NULL, "1 rotten, 2 mega", CORNER_BOX, "an item")              \
    GAME_ITEM(X, "item_health_small") GAME_ITEM(X, "item_health_large")                            \
    GAME_ITEM(X, "item_health_mega") GAME_ITEM(X, "item_armor1") GAME_ITEM(X, "item_armor2")       \
    GAME_ITEM(X, "item_armorInv") GAME_ITEM(X, "item_armor_shard")                                 \
    GAME_ITEM(X, "item_armor_combat") GAME_ITEM(X, "item_armor_body")                              \
    X("item_shells", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "an item")                       \
    X("item_spikes", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "an item")                       \
    X("item_rockets", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "an item")                      \
    X("item_cells", Game_SpawnItem, NULL, BIG_FLAGS, CORNER_BOX, "an item")                        \
    X("item_weapon", Game_SpawnItem, NULL, "1 shells, 2 rockets, 4 nails, 8 more", CORNER_BOX,     \
      "an item")                                                                                   \
    GAME_ITEM(X, "item_sigil") GAME_ITEM(X, "ammo_shells")                                         \
    GAME_ITEM(X, "ammo_nails") GAME_ITEM(X, "ammo_bullets")                                        \
    GAME_ITEM(X, "ammo_rockets") GAME_ITEM(X, "ammo_grenades") GAME_ITEM(X, "ammo_cells")          \
    GAME_ITEM(X, "ammo_lightning") GAME_ITEM(X, "ammo_slugs") GAME_ITEM(X, "ammo_belt")            \
    GAME_ITEM(X, "ammo_mines") GAME_ITEM(X, "ammo_bfg")                                            \
    GAME_ITEM(X, "item_artifact_super_damage") GAME_ITEM(X, "item_quad")                           \
    GAME_ITEM(X, "item_artifact_invulnerability") GAME_ITEM(X, "item_artifact_invisibility")       \
    GAME_ITEM(X, "item_artifact_envirosuit") GAME_ITEM(X, "item_enviro")                           \
    GAME_ITEM(X, "item_invis") GAME_ITEM(X, "item_key1") GAME_ITEM(X, "item_key2")                 \
    GAME_ITEM(X, "weapon_shotgun") GAME_ITEM(X, "weapon_supershotgun")                             \
    GAME_ITEM(X, "weapon_nailgun") GAME_ITEM(X, "weapon_supernailgun")                             \
    GAME_ITEM(X, "weapon_grenadelauncher") GAME_ITEM(X, "weapon_rocketlauncher")                   \
    GAME_ITEM(X, "weapon_lightning") GAME_ITEM(X, "weapon_plasmagun")                              \
    GAME_ITEM(X, "weapon_railgun") GAME_ITEM(X, "weapon_chaingun")                                 \
    GAME_ITEM(X, "weapon_prox_launcher") GAME_ITEM(X, "weapon_bfg")                                \
    X("item_flag_team1", Game_SpawnFlagRed, NULL, NULL, FLAG_BOX, "the flag of the red team")      \
    X("team_CTF_redflag", Game_SpawnFlagRed, NULL, NULL, FLAG_BOX, "the flag of the red team")     \
    X("item_flag_team2", Game_SpawnFlagBlue, NULL, NULL, FLAG_BOX, "the flag of the blue team")    \
    X("team_CTF_blueflag", Game_SpawnFlagBlue, NULL, NULL, FLAG_BOX, "the flag of the blue team")  \
    GAME_POINT(X, "team_CTF_redspawn", Game_SpawnPoint, PLAYER_BOX,                                \
      "spawn point of the red team")                                                               \
    GAME_POINT(X, "team_CTF_redplayer", Game_SpawnPoint, PLAYER_BOX,                               \
      "spawn point of the red team")                                                               \
    GAME_POINT(X, "team_CTF_bluespawn", Game_SpawnPoint, PLAYER_BOX,                               \
      "spawn point of the blue team")                                                              \
    GAME_POINT(X, "team_CTF_blueplayer", Game_SpawnPoint, PLAYER_BOX,                              \
      "spawn point of the blue team")                                                              \
    X("func_detail_illusionary", Game_SpawnIllusionary, "skin=0 movewith", NULL, NULL,             \
      "a wall without collision")
// clang-format on

#endif
