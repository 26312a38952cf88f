/// game/game.c - the reference game's tables: callbacks, fields, classes.
//
// Floor:   game.

#include "game/game.h"

#include <stdio.h>

static const callback_t game_callbacks[] = {
    {.name = "player_think", .think = Game_PlayerThink},
    {.name = "delayed_think", .think = Game_DelayedThink},
    {.name = "remove_think", .think = Game_RemoveThink},
    {.name = "multiple_touch", .touch = Game_MultipleTouch},
    {.name = "multiple_use", .use = Game_MultipleUse},
    {.name = "push_touch", .touch = Game_PushTouch},
    {.name = "teleport_touch", .touch = Game_TeleportTouch},
    {.name = "teleport_use", .use = Game_TeleportUse},
    {.name = "hurt_touch", .touch = Game_HurtTouch},
    {.name = "bounce_source_think", .think = Game_BounceSourceThink},
    {.name = "fly_source_think", .think = Game_FlySourceThink},
    {.name = "bounce_touch", .touch = Game_BounceTouch},
    {.name = "fly_touch", .touch = Game_FlyTouch},
};

static const game_field_t game_fields[] = {
    {"spawnflags", FIELD_INT, offsetof(fields_t, spawnflags), FIELD_KEY, NULL},
    {"message", FIELD_STRING, offsetof(fields_t, message), FIELD_KEY, NULL},
    {"killtarget", FIELD_STRING, offsetof(fields_t, killtarget), FIELD_KEY, NULL},
    {"wait", FIELD_FLOAT, offsetof(fields_t, wait), FIELD_KEY, NULL},
    {"delay", FIELD_FLOAT, offsetof(fields_t, delay), FIELD_KEY, NULL},
    {"speed", FIELD_FLOAT, offsetof(fields_t, speed), FIELD_KEY, NULL},
    {"dmg", FIELD_FLOAT, offsetof(fields_t, damage), FIELD_KEY, NULL},
    {"velocity", FIELD_VECTOR, offsetof(fields_t, velocity), FIELD_KEY, NULL},
};

// A class without a spawn function is known and makes nothing: spawn points, lights and
// destinations that are looked up by name keep their edict through spawn_point.
static void spawn_point(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->hidden = 1;
}

static void spawn_world(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->solid = SOLID_BSP;
    self->hidden = 1;
}

static const game_spawn_t game_spawns[] = {
    {"worldspawn", spawn_world, NULL, NULL},
    {"info_player_start", spawn_point, NULL, NULL},
    {"info_player_deathmatch", spawn_point, NULL, NULL},
    {"info_teleport_destination", spawn_point, NULL, NULL},
    {"trigger_multiple", Game_SpawnMultiple, NULL, NULL},
    {"trigger_once", Game_SpawnOnce, NULL, NULL},
    {"trigger_push", Game_SpawnPush, NULL, NULL},
    {"trigger_teleport", Game_SpawnTeleport, NULL, NULL},
    {"trigger_hurt", Game_SpawnHurt, NULL, NULL},
    {"func_wall", Game_SpawnWall, NULL, NULL},
    {"func_illusionary", Game_SpawnIllusionary, NULL, NULL},
    {"projectile_bounce", Game_SpawnBounceSource, NULL, NULL},
    {"projectile_fly", Game_SpawnFlySource, NULL, NULL},
    {"light", NULL, NULL, NULL},
};

static void check_teleporter(sv_context_t *sv, const edict_t *edict) {
    char line[MAX_TEXT_BYTES];
    const char *name = sv->engine->text(sv, edict->target);
    if (!sv->engine->find_target(sv, NULL, name)) {
        snprintf(line, sizeof line, "trigger_teleport %d: no entity has the targetname \"%.64s\"",
                 sv->engine->number(sv, edict), name);
        sv->engine->log(sv, LOG_WARN, line);
    }
}

// What a mapper forgot is said once, when the map starts.
static void check_map(sv_context_t *sv) {
    const edict_t *edict = NULL;
    while ((edict = sv->engine->find_class(sv, edict, "trigger_teleport")) != NULL) {
        check_teleporter(sv, edict);
    }
    if (!sv->engine->find_class(sv, NULL, "info_player_deathmatch") &&
        !sv->engine->find_class(sv, NULL, "info_player_start")) {
        sv->engine->log(sv, LOG_WARN,
                        "no info_player_start and no info_player_deathmatch: nobody "
                        "can appear on this map");
    }
}

const game_export_t *Game_Export(void) {
    static const game_export_t table = {
        .api_version = GAME_API_VERSION,
        .name = "arena",
        .callbacks = game_callbacks,
        .num_callbacks = (int32_t)COUNTOF(game_callbacks),
        .edict_fields = {game_fields, (int32_t)COUNTOF(game_fields)},
        .spawns = game_spawns,
        .num_spawns = (int32_t)COUNTOF(game_spawns),
        .map_started = check_map,
        .client_join = Game_ClientJoin,
        .client_leave = Game_ClientLeave,
        .client_step = Game_ClientStep,
        .client_command = Game_ClientCommand,
    };
    return &table;
}
