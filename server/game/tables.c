/// game/tables.c - the table of the game for the engine: callbacks, classes, fields, map keys.

#include "game/classes.h"
#include "game/figure_data.h"
#include "game/game.h"
#include "game/match.h"
#include "game/players.h"

_Static_assert(sizeof(fields_t) <= EDICT_GAME_BYTES, "fits into edict->game");
_Static_assert(sizeof(fields_t) % 8 == 0, "no padding at the end");
_Static_assert(offsetof(fields_t, hazard) == offsetof(fields_t, bone) + 4, "no padding");
_Static_assert(offsetof(edict_t, game) % 8 == 0, "int64 fields are aligned");
_Static_assert(sizeof(game_vars_t) <= WORLD_GAME_BYTES, "fits into world_vars");

#define KEY(name, type, member, help)                                                              \
    { name, type, (uint32_t)offsetof(fields_t, member), FIELD_KEY, help, 0, 0, 0 }
#define SENT_KEY(name, member, help)                                                               \
    { name, FIELD_INT, (uint32_t)offsetof(fields_t, member), FIELD_KEY | FIELD_ALL, help, 0, 0, 0 }
#define NAMES(name, member, help)                                                                  \
    {                                                                                              \
        name, FIELD_STRING, (uint32_t)offsetof(fields_t, member), FIELD_KEY | FIELD_NAMES, help,   \
            0, 0, 0                                                                                \
    }
#define FIELD(type, member)                                                                        \
    { #member, type, (uint32_t)offsetof(fields_t, member), 0, NULL, 0, 0, 0 }

static const game_field_t edict_fields[] = {
    KEY("spawnflags", FIELD_INT, spawnflags, "sum of the flags of the class"),
    KEY("message", FIELD_STRING, message, "text shown to the activator"),
    NAMES("killtarget", killtarget, "targetname of entities to remove when it fires"),
    NAMES("target2", more_targets[0], "targetname of more entities to fire"),
    NAMES("target3", more_targets[1], "targetname of more entities to fire"),
    NAMES("target4", more_targets[2], "targetname of more entities to fire"),
    NAMES("target5", more_targets[3], "targetname of more entities to fire"),
    KEY("team", FIELD_STRING, team, "doors of one team open together"),
    NAMES("movewith", movewith, "targetname of the pusher that carries it"),
    NAMES("parent", movewith, "another name of movewith"),
    KEY("bone", FIELD_STRING, bone, "with movewith: bone of that entity's model that carries it"),
    KEY("map", FIELD_STRING, map, "name of a map"),
    KEY("triggerstate", FIELD_STRING, map,
        "2 switches its targets, 0 switches them off, 1 switches them on"),
    KEY("flags_of", FIELD_STRING, map,
        "quake Quake's spawnflags | halflife Half-Life's spawnflags"),
    NAMES("landmark", landmark, "targetname of an info_landmark in this map and in that of `map`"),
    KEY("changetarget", FIELD_STRING, altpath,
        "exit: targetname of entities of `map` to fire there; button: new target of its target"),
    KEY("changedelay", FIELD_FLOAT, delay, "seconds until changetarget fires"),
    KEY("wait", FIELD_FLOAT, wait, "seconds until it works again or returns; -1 = never"),
    KEY("delay", FIELD_FLOAT, delay, "seconds from activation to firing"),
    KEY("speed", FIELD_FLOAT, speed, "qu or degrees a second"),
    KEY("dmg", FIELD_FLOAT, damage, "damage to edicts that block it or are inside it"),
    KEY("lip", FIELD_FLOAT, lip, "qu that stay visible when it is open"),
    KEY("height", FIELD_FLOAT, height, "height that it rises, throws, or is above its track, qu"),
    KEY("distance", FIELD_FLOAT, distance, "angle of its turn, degrees"),
    KEY("t_width", FIELD_FLOAT, t_width, "distance that a secret door moves back, qu"),
    KEY("t_length", FIELD_FLOAT, t_length,
        "distance that a secret door moves sideways after moving back, qu"),
    KEY("gravity", FIELD_FLOAT, gravity, "multiplier of gravity"),
    KEY("friction", FIELD_FLOAT, friction, "multiplier of friction"),
    KEY("modifier", FIELD_FLOAT, friction, "percent of the usual friction"),
    KEY("velocity", FIELD_VECTOR, velocity, "initial velocity of a projectile, qu/s"),
    KEY("bend", FIELD_VECTOR, bend,
        "bends the path to this corner: offset of its middle from the straight line, X Y Z"),
    SENT_KEY("health", health, "damage until it breaks or fires; 0 = cannot be shot"),
    KEY("count", FIELD_INT, count, "how often it must be fired before it fires its targets"),
    KEY("sounds", FIELD_INT, sounds, "number of the set of sounds"),
    SENT_KEY("skin", skin, "-3 water, -4 slime, -5 lava, 0 no liquid"), // the team of a flag
    KEY("wheels", FIELD_FLOAT, wheels, "from the rear axle, its origin, to the front axle, qu"),
    KEY("bank", FIELD_FLOAT, bank, "degrees that a train leans in turns of 30 degrees or more"),
    KEY("startspeed", FIELD_FLOAT, lip, "speed at the start of the map; 0 = waits to be fired"),
    KEY("rotation", FIELD_FLOAT, distance, "degrees that it turns over its travel"),
    KEY("damp", FIELD_FLOAT, wheels, "loss of a pendulum's swing, thousandths a second"),
    KEY("fanfriction", FIELD_FLOAT, wheels, "percent of the speed that it gains or loses in 0.1 s"),
    KEY("returnspeed", FIELD_FLOAT, bank, "speed of an automatic return, degrees a second"),
    NAMES("master", lock, "targetname of the multisource that must be on"),
    NAMES("altpath", altpath, "targetname of the path_track that the branch leads to"),
    NAMES("netname", netname, "targetname of entities to fire when a train reaches a dead end"),
    NAMES("train", landmark, "targetname of the func_tracktrain that it carries"),
    NAMES("toptrack", altpath, "targetname of the path_track at its upper end"),
    NAMES("bottomtrack", netname, "targetname of the path_track at its lower end"),
    {"pace", FIELD_FLOAT, (uint32_t)offsetof(fields_t, pace), FIELD_ALL, NULL, -4096, 4096, 1},
    FIELD(FIELD_FLOAT, next_pace),
    FIELD(FIELD_FLOAT, wanted_pace),
    FIELD(FIELD_FLOAT, track_from),
    FIELD(FIELD_FLOAT, track_to),
    KEY("mover", FIELD_STRING, mover, "step | ray | sweep | drop"),
    KEY("max_pitch", FIELD_FLOAT, max_pitch, "mover ray: steepest ground along its path, degrees"),
    KEY("max_roll", FIELD_FLOAT, max_roll, "mover ray: steepest ground across its path, degrees"),
    KEY("step_height", FIELD_FLOAT, step_height, "highest step, qu"),
    KEY("upright", FIELD_INT, upright, "0 tilts on slopes, 1 stays upright (mover ray)"),
    FIELD(FIELD_TIME, until_ms),
    FIELD(FIELD_REF, activator),
    {"first", FIELD_REF, (uint32_t)offsetof(fields_t, master), 0, NULL, 0, 0, 0},
    FIELD(FIELD_REF, chain),
    FIELD(FIELD_VECTOR, movedir),
    FIELD(FIELD_VECTOR, pos1),
    FIELD(FIELD_VECTOR, pos2),
    FIELD(FIELD_VECTOR, turn1),
    FIELD(FIELD_VECTOR, turn2),
    {"max_health", FIELD_INT, (uint32_t)offsetof(fields_t, max_health), FIELD_ALL, NULL, 0, 0, 0},
    {"state", FIELD_INT, (uint32_t)offsetof(fields_t, state), FIELD_ALL, NULL, 0, 0, 0},
    FIELD(FIELD_TIME, hurt_ms),
    FIELD(FIELD_INT, hurt_taken),
    {"burn_ms", FIELD_TIME, (uint32_t)offsetof(fields_t, hazard.burn_ms), 0, NULL, 0, 0, 0},
    {"drown_ms", FIELD_TIME, (uint32_t)offsetof(fields_t, hazard.drown_ms), 0, NULL, 0, 0, 0},
    {"drown_hurt", FIELD_INT, (uint32_t)offsetof(fields_t, hazard.drown_hurt), 0, NULL, 0, 0, 0},
};

#define PLAYER(type, member, flags)                                                                \
    { #member, type, (uint32_t)offsetof(player_fields_t, member), flags, NULL, 0, 0, 0 }

#define PLAYER_NAMED(name, type, member, flags)                                                    \
    { name, type, (uint32_t)offsetof(player_fields_t, member), flags, NULL, 0, 0, 0 }

static const game_field_t client_fields[] = {
    PLAYER(FIELD_TIME, respawn_ms, 0),
    PLAYER(FIELD_TIME, message_ms, 0),
    PLAYER(FIELD_TIME, exit_ms, 0),
    PLAYER(FIELD_INT, stays, FIELD_KEEP),
    PLAYER(FIELD_INT, brought, 0),
    PLAYER(FIELD_INT, waiting, 0),
    PLAYER(FIELD_INT, keys, FIELD_OWNER),
    PLAYER_NAMED("quad_ms", FIELD_TIME, power_ms[POWER_QUAD], FIELD_KEEP),
    PLAYER_NAMED("shield_ms", FIELD_TIME, power_ms[POWER_SHIELD], FIELD_KEEP),
    PLAYER_NAMED("hidden_ms", FIELD_TIME, power_ms[POWER_HIDDEN], FIELD_KEEP),
    PLAYER_NAMED("suit_ms", FIELD_TIME, power_ms[POWER_SUIT], FIELD_KEEP),
    PLAYER_NAMED("burn_ms", FIELD_TIME, hazard.burn_ms, 0),
    PLAYER_NAMED("drown_ms", FIELD_TIME, hazard.drown_ms, 0),
    PLAYER(FIELD_INT, refire_ms, 0),
    PLAYER(FIELD_INT, weapons, FIELD_OWNER | FIELD_KEEP),
    PLAYER_NAMED("shells", FIELD_INT, ammo[AMMO_SHELLS], FIELD_OWNER | FIELD_KEEP),
    PLAYER_NAMED("nails", FIELD_INT, ammo[AMMO_NAILS], FIELD_OWNER | FIELD_KEEP),
    PLAYER_NAMED("rockets", FIELD_INT, ammo[AMMO_ROCKETS], FIELD_OWNER | FIELD_KEEP),
    PLAYER_NAMED("cells", FIELD_INT, ammo[AMMO_CELLS], FIELD_OWNER | FIELD_KEEP),
    PLAYER(FIELD_INT, armour, FIELD_TEAM | FIELD_KEEP),
    PLAYER(FIELD_INT, armour_percent, FIELD_KEEP),
    PLAYER(FIELD_INT, frags, FIELD_ALL | FIELD_SCORE | FIELD_KEEP),
    PLAYER(FIELD_INT, deaths, FIELD_ALL | FIELD_KEEP),
    PLAYER(FIELD_INT, weapon, FIELD_ALL | FIELD_KEEP),
    PLAYER(FIELD_INT, team, FIELD_KEEP), // the engine sends it
    PLAYER(FIELD_INT, flag, FIELD_ALL),
    PLAYER_NAMED("drown_hurt", FIELD_INT, hazard.drown_hurt, 0),
    PLAYER(FIELD_INT, forward_held, 0),
    PLAYER_NAMED("fall_speed", FIELD_FLOAT, hazard.fall_speed, 0),
    PLAYER(FIELD_VECTOR, drive_velocity, 0),
    PLAYER(FIELD_REF, vehicle, FIELD_ALL),
    PLAYER(FIELD_REF, controls, 0),
};

#define GLOBAL(type, member)                                                                       \
    { #member, type, (uint32_t)offsetof(game_vars_t, member), 0, NULL, 0, 0, 0 }

#define SENT(type, name, member)                                                                   \
    { name, type, (uint32_t)offsetof(game_vars_t, member), FIELD_ALL, NULL, 0, 0, 0 }

static const game_field_t world_fields[] = {
    GLOBAL(FIELD_TIME, uses_ms),
    GLOBAL(FIELD_INT, use_depth),
    GLOBAL(FIELD_INT, uses_done),
    GLOBAL(FIELD_INT, use_state),
    GLOBAL(FIELD_INT, said_uses),
    SENT(FIELD_INT, "total_secrets", total_secrets),
    SENT(FIELD_INT, "found_secrets", found_secrets),
    SENT(FIELD_STRING, "mode", mode),
    SENT(FIELD_INT, "time_left", time_left),
    GLOBAL(FIELD_INT, left_out),
    SENT(FIELD_INT, "red_captures", captures[1]),
    SENT(FIELD_INT, "blue_captures", captures[2]),
    GLOBAL(FIELD_INT, tried_next),
    {"change_target", FIELD_STRING, (uint32_t)offsetof(game_vars_t, change_target), FIELD_KEEP,
     NULL, 0, 0, 0},
    {"change_ms", FIELD_TIME, (uint32_t)offsetof(game_vars_t, change_ms), FIELD_KEEP, NULL, 0, 0,
     0},
    GLOBAL(FIELD_TIME, end_ms),
    GLOBAL(FIELD_TIME, spawns_ms),
    GLOBAL(FIELD_INT, spawn_tests),
};

#define NUMBER(name, def, max, help)                                                               \
    { #name, CVAR_INT, 0, def, 0, max, "", help, offsetof(game_vars_t, name) }

static const cvar_def_t game_cvars[] = {
    NUMBER(fraglimit, "0", 10000, "frags that end the match; 0 = none"),
    NUMBER(capturelimit, "0", 1000, "captured flags that end the match; 0 = none"),
    {"timelimit", CVAR_FLOAT, 0, "0", 0, 10000, "min", "length of a match; 0 = no limit",
     offsetof(game_vars_t, timelimit)},
    {"g_gametype", CVAR_INT, CVAR_LATCH, "0", 0, 1, "", "0 deathmatch, 1 capture the flag",
     offsetof(game_vars_t, gametype)},
    {"g_weaponstay", CVAR_INT, 0, "0", 0, 1, "",
     "1 = weapons stay when they are taken; each player can take each weapon once",
     offsetof(game_vars_t, weaponstay)},
    {"g_monsters", CVAR_INT, CVAR_LATCH, "0", 0, 1, "", "1 = monsters of the map are spawned",
     offsetof(game_vars_t, monsters)},
    {"g_projectile_unlag", CVAR_INT, 0, "0", 0, 400, "ms",
     "projectiles start forward in time by the age of the shooter's view, at most this; 0 = off",
     offsetof(game_vars_t, projectile_unlag)},
    {"g_train_react_ms", CVAR_INT, 0, "250", 16, 1000, "ms",
     "from a driver's key to the change of speed; exact for clients whose round trip is shorter",
     offsetof(game_vars_t, train_react_ms)},
    NUMBER(teamplay, "0", 1, "1 = players of one team do not hurt each other"),
    {"g_motd", CVAR_STRING, 0, "", 0, GAME_CVAR_MAX_TEXT, "",
     "line of text for each player that joins", offsetof(game_vars_t, motd)},
};

static const callback_t game_callbacks[] = {
#define THINK_ROW(function)   {.name = #function, .think = function},
#define TOUCH_ROW(function)   {.name = #function, .touch = function},
#define USE_ROW(function)     {.name = #function, .use = function},
#define BLOCKED_ROW(function) {.name = #function, .blocked = function},
    GAME_THINKS(THINK_ROW) GAME_TOUCHES(TOUCH_ROW) GAME_USES(USE_ROW) GAME_BLOCKEDS(BLOCKED_ROW)
#undef THINK_ROW
#undef TOUCH_ROW
#undef USE_ROW
#undef BLOCKED_ROW
};

static const game_spawn_t game_spawns[] = {
#define SPAWN_ROW(classname, function, keys, flags, box, help)                                     \
    {classname, function, keys, help, flags, box},
    GAME_CLASSES(SPAWN_ROW)
#undef SPAWN_ROW
};

static const game_model_t models[] = {
    [FIGURE_MODEL - 1] = {"figure", (const uint8_t *)game_figure, GAME_FIGURE_BYTES, NULL},
    [DOG_MODEL - 1] = {"dog", (const uint8_t *)game_dog, GAME_DOG_BYTES, NULL}};

static const game_info_t userinfo[] = {
    {"autoswitch", "1", "0 = a new weapon is not taken in hand"},
};

static const game_command_t commands[] = {
    {"match_end", "", "ends the match, as a limit does", 0, 0, Game_EndMatch},
    {"match_restart", "", "starts the match again on this map", 0, 0, Game_RestartMatch},
};

const game_export_t *Game_Export(void) {
    static const game_export_t table = {
        .api_version = GAME_API_VERSION,
        .name = "arena",
        .callbacks = game_callbacks,
        .num_callbacks = (int32_t)COUNTOF(game_callbacks),
        .edict_fields = {edict_fields, (int32_t)COUNTOF(edict_fields)},
        .client_fields = {client_fields, (int32_t)COUNTOF(client_fields)},
        .world_fields = {world_fields, (int32_t)COUNTOF(world_fields)},
        .cvars = {game_cvars, (int32_t)COUNTOF(game_cvars)},
        .spawns = game_spawns,
        .num_spawns = (int32_t)COUNTOF(game_spawns),
        .map_started = Game_MapStarted,
        .client_join = Game_ClientJoin,
        .client_arrive = Game_ClientArrive,
        .client_leave = Game_ClientLeave,
        .client_step = Game_ClientStep,
        .frame = Game_Frame,
        .client_command = Game_ClientCommand,
        .describe = Game_Describe,
        .other_key = Game_OtherKey,
        .client_think = Game_Animate,
        .models = models,
        .num_models = (int32_t)COUNTOF(models),
        .userinfo = userinfo,
        .num_userinfo = (int32_t)COUNTOF(userinfo),
        .commands = commands,
        .num_commands = (int32_t)COUNTOF(commands),
        .exit_of = Game_ExitOf,
    };
    return &table;
}
