/// core/game_import.c - the engine's functions for the game, documented in game_api.h.

#include "core/core_local.h"
#include "math/angles.h"
#include "move/body.h"
#include "move/pmove.h"
#include "physics/actions.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/hitboxes.h"
#include "world/names.h"
#include "world/running.h"

#include <stdio.h>
#include <string.h>

#define MAX_LOG_FIELDS 16 // fields of an event; more are left out

static float import_random(sv_context_t *sv) {
    return Rng_Float(&sv->world->rng);
}

static int32_t import_callback(const sv_context_t *sv, const char *name) {
    int32_t id = Callbacks_Find(sv->world, name);
    if (id == 0) {
        Events_Log(sv->events, LOG_WARN, "game %s: callback \"%.64s\" is not in its table",
                   sv->game->name, name);
    }
    return id;
}

static void import_remove(sv_context_t *sv, edict_t *edict) {
    if (World_EdictNumber(sv->world, edict) <= sv->world->max_clients) {
        Events_Log(sv->events, LOG_WARN,
                   "the game may not remove edict %d, which is the world or a player",
                   World_EdictNumber(sv->world, edict));
        return;
    }
    SV_RemoveEdict(sv, edict);
}

static edict_t *import_deref(const sv_context_t *sv, edict_ref_t ref) {
    return World_Deref(sv->world, ref);
}

static edict_ref_t import_ref(const sv_context_t *sv, const edict_t *edict) {
    return World_Ref(sv->world, edict);
}

static edict_t *import_edict(const sv_context_t *sv, int32_t number) {
    if (number < 0 || number >= sv->world->num_edicts) {
        return NULL;
    }
    edict_t *edict = World_Edict(sv->world, number);
    return World_IsLive(edict) ? edict : NULL;
}

static int32_t import_number(const sv_context_t *sv, const edict_t *edict) {
    return World_EdictNumber(sv->world, edict);
}

static client_t *import_client(const sv_context_t *sv, const edict_t *edict) {
    return World_ClientOf(sv->world, edict);
}

static edict_t *import_player(const sv_context_t *sv, const client_t *client) {
    return World_Edict(sv->world, 1 + (int32_t)(client - World_Client(sv->world, 0)));
}

static int32_t import_slot(const sv_context_t *sv, const edict_t *edict) {
    return import_client(sv, edict) ? World_EdictNumber(sv->world, edict) - 1 : -1;
}

static client_t *import_client_of_slot(const sv_context_t *sv, int32_t slot) {
    bool exists = slot >= 0 && slot < sv->world->max_clients;
    return exists ? import_client(sv, World_Edict(sv->world, slot + 1)) : NULL;
}

static client_t *import_next_client(const sv_context_t *sv, const client_t *after) {
    int32_t slot = after ? (int32_t)(after - World_Client(sv->world, 0)) + 1 : 0;
    client_t *client = NULL;
    for (; !client && slot < sv->world->max_clients; slot++) {
        client = import_client_of_slot(sv, slot);
    }
    return client;
}

// Returns the next live edict whose string at `offset` is `name`.
static edict_t *find_string(const sv_context_t *sv, const edict_t *after, size_t offset,
                            const char *name) {
    int32_t start = after ? World_EdictNumber(sv->world, after) + 1 : 0;
    int32_t wanted = World_FindString(sv->world, name);
    for (int32_t i = start; wanted != 0 && i < sv->world->num_edicts; i++) {
        edict_t *edict = World_Edict(sv->world, i);
        int32_t id = 0;
        memcpy(&id, (const uint8_t *)edict + offset, sizeof id);
        if (id == wanted && World_IsLive(edict)) {
            return edict;
        }
    }
    return NULL;
}

static edict_t *import_find_target(const sv_context_t *sv, const edict_t *after, const char *name) {
    return find_string(sv, after, offsetof(edict_t, targetname), name);
}

static edict_t *import_find_class(const sv_context_t *sv, const edict_t *after, const char *name) {
    return find_string(sv, after, offsetof(edict_t, classname), name);
}

static void import_use(sv_context_t *sv, edict_t *edict, edict_t *other, edict_t *activator) {
    if (edict->use == 0 || !World_IsLive(edict)) {
        return;
    }
    const callback_t *callback = Callbacks_Get(sv->callbacks, edict->use);
    if (!callback || !callback->use) {
        SV_QuarantineEdict(sv, edict, "its use is not a use callback");
        return;
    }
    sv_running_t outer = SV_EnterGame(sv, "use", callback->name, edict);
    callback->use(sv, edict, other, activator);
    SV_LeaveGame(sv, outer);
    World_MarkWritten(sv->world, edict);
}

static bool import_set_model(sv_context_t *sv, edict_t *edict, int32_t model) {
    if (model < 1 || model >= CM_NumModels(sv->map)) {
        return false;
    }
    edict->model = model;
    edict->type = ENTITY_BRUSH;
    edict->mins = CM_ModelBounds(sv->map, model).mins;
    edict->maxs = CM_ModelBounds(sv->map, model).maxs;
    return true;
}

static void import_teleport(sv_context_t *sv, edict_t *edict, vec3_t origin, vec3_t angles,
                            vec3_t velocity) {
    if (!VectorWithin(origin, MAX_WORLD_COORD)) {
        Events_Log(sv->events, LOG_WARN,
                   "edict %d: teleport to a position outside the world refused",
                   World_EdictNumber(sv->world, edict));
        return;
    }
    edict->origin = origin;
    edict->oldorigin = origin;
    edict->angles = angles;
    edict->velocity = velocity;
    edict->flags &= ~FL_ONGROUND;
    edict->groundentity = (edict_ref_t){0, 0};
    client_t *client = import_client(sv, edict);
    if (client) {
        client->player.flags ^= PMF_TELEPORT;
        // Clients send absolute view angles. From now on the server adds this difference.
        client->player.delta_yaw = (uint16_t)(AngleToShort(angles.y) - client->last_cmd.yaw);
        client->player.angles = angles;
        SV_PlayerFromEdict(sv, edict);
    }
    SV_LinkEdict(sv, edict, false);
}

static void import_set_pm_type(sv_context_t *sv, edict_t *edict, int32_t pm_type) {
    client_t *client = import_client(sv, edict);
    if (client && !client->spectator && pm_type >= 0 && pm_type < PM_TYPE_COUNT) {
        client->player.pm_type = pm_type;
        client->player.steer = 0.0f;
        client->player.heading = pm_type == PM_DRIVING ? AngleMod(edict->angles.y) : 0.0f;
        if (pm_type == PM_DRIVING) { // a vehicle has a box of its own and cannot duck
            client->player.flags &= ~(PMF_DUCKED | PMF_DUCKING | PMF_ONLADDER);
            client->player.duck_ms = 0;
        }
    }
}

static bounds_t import_player_box(const sv_context_t *sv) {
    return PM_PlayerBox(&sv->world->cvars.move, false);
}

static vec3_t import_eyes(const sv_context_t *sv, const edict_t *edict) {
    const client_t *client = import_client(sv, edict);
    float height = client ? PM_ViewHeight(&client->player, &sv->world->cvars.move) : 0.0f;
    return VectorAdd(edict->origin, Vector(0.0f, 0.0f, height));
}

static trace_t import_trace(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                            bool monsters, const edict_t *pass) {
    return SV_Move(sv, start, mins, maxs, end, monsters ? MOVE_NORMAL : MOVE_NOMONSTERS, pass);
}

static trace_t import_trace_hitboxes(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs,
                                     vec3_t end, const edict_t *pass) {
    return SV_Move(sv, start, mins, maxs, end, MOVE_HITBOXES, pass);
}

static int32_t import_animation(const sv_context_t *sv, int32_t skeleton, const char *name) {
    const model_t *model = SV_SkeletonModel(sv, skeleton);
    return model ? Model_FindAnimation(model, name) : -1;
}

static int32_t import_area(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max) {
    return SV_AreaEdicts(sv->world, box, AREA_SOLID, list, max, NULL);
}

static int32_t import_area_triggers(const sv_context_t *sv, bounds_t box, int32_t *list,
                                    int32_t max) {
    return SV_AreaEdicts(sv->world, box, AREA_TRIGGERS, list, max, NULL);
}

static bool import_is_stuck(sv_context_t *sv, edict_t *edict) {
    return SV_TestEdictPosition(sv, edict) != NULL;
}

float SV_CvarValue(const sv_context_t *sv, const char *name) {
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    const cvar_def_t *def = Cvar_Find(defs, count, name);
    const uint8_t *values = (const uint8_t *)&sv->world->cvars;
    if (!def && sv->game) {
        def = Cvar_Find(sv->game->cvars.list, sv->game->cvars.count, name);
        values = sv->world->game;
    }
    if (!def) {
        return 0.0f;
    }
    const uint8_t *at = values + def->offset;
    int32_t whole = 0;
    float real = 0.0f;
    memcpy(&whole, at, sizeof whole);
    memcpy(&real, at, sizeof real);
    return def->type == CVAR_INT ? (float)whole : def->type == CVAR_FLOAT ? real : 0.0f;
}

static const char *import_cvar_text(const sv_context_t *sv, const char *name) {
    const cvar_def_t *def = Cvar_Find(sv->game->cvars.list, sv->game->cvars.count, name);
    return def && def->type == CVAR_STRING ? (const char *)sv->world->game + def->offset : "";
}

static void import_set_spectator(sv_context_t *sv, edict_t *edict, bool spectator) {
    client_t *client = import_client(sv, edict);
    if (client) {
        client->spectator = spectator;
        client->player.pm_type = spectator ? PM_SPECTATOR : PM_NORMAL;
    }
}

static void import_set_team(sv_context_t *sv, edict_t *edict, int32_t team) {
    client_t *client = import_client(sv, edict);
    if (client) {
        client->team = (uint16_t)Q_ClampI(team, 0, UINT16_MAX);
    }
}

static void import_change_map(sv_context_t *sv, const char *name) {
    Events_Add(sv->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 0, (vec3_t){0}, name);
}

static void import_change_map_at(sv_context_t *sv, const char *name, const char *landmark,
                                 vec3_t origin) {
    char text[MAX_TEXT_BYTES];
    snprintf(text, sizeof text, "%.*s %.*s", MAX_MAP_NAME_BYTES, name, MAX_LANDMARK_BYTES - 1,
             landmark);
    Events_Add(sv->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 2, origin, text);
}

static void import_next_map(sv_context_t *sv, const char *otherwise) {
    Events_Add(sv->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 1, (vec3_t){0}, otherwise);
}

static int32_t import_model_index(sv_context_t *sv, const char *name) {
    return Names_Index(sv, NAMES_MODELS, name);
}

static int32_t import_sound_index(sv_context_t *sv, const char *name) {
    return Names_Index(sv, NAMES_SOUNDS, name);
}

static int32_t import_effect_index(sv_context_t *sv, const char *name) {
    return Names_Index(sv, NAMES_EFFECTS, name);
}

static int32_t import_string(sv_context_t *sv, const char *text) {
    return World_String(sv->world, text);
}

static const char *import_text(const sv_context_t *sv, int32_t id) {
    return World_Text(sv->world, id);
}

static void import_print(sv_context_t *sv, int32_t client, const char *text) {
    Events_Add(sv->events, EVENT_PRINT, client, 0, (vec3_t){0}, text);
}

static void import_center_print(sv_context_t *sv, int32_t client, const char *text) {
    Events_Add(sv->events, EVENT_CENTERPRINT, client, 0, (vec3_t){0}, text);
}

static void import_sound(sv_context_t *sv, const edict_t *edict, int32_t number) {
    const game_event_t event = {.kind = GAME_SOUND,
                                .number = number,
                                .entity = World_EdictNumber(sv->world, edict),
                                .range = GAME_SOUND_RANGE,
                                .volume = 1.0f};
    SV_Emit(sv, &event, NULL, false);
}

static void import_log(sv_context_t *sv, log_level_t level, const char *text) {
    Events_Log(sv->events, (log_level_t)Q_ClampI((int32_t)level, LOG_ERROR, LOG_DEBUG), "%s", text);
}

static void import_log_event(sv_context_t *sv, const char *name, const edict_t *player,
                             const log_field_t *fields, int32_t count) {
    char line[MAX_TEXT_BYTES];
    log_field_t all[2 + MAX_LOG_FIELDS];
    const client_t *client = player ? import_client(sv, player) : NULL;
    int32_t used = 0;
    if (client) {
        all[used++] = (log_field_t){.key = "slot", .number = import_number(sv, player) - 1};
        all[used++] = (log_field_t){.key = "name", .text = client->name};
    }
    for (int32_t i = 0; i < count && i < MAX_LOG_FIELDS; i++) {
        all[used++] = fields[i];
    }
    Log_FormatEvent(line, sizeof line, name, all, used);
    Events_Log(sv->events, LOG_EVENT, "%s", line);
}

static void *import_world_vars(const sv_context_t *sv) {
    return sv->world->game;
}

static int32_t import_max_clients(const sv_context_t *sv) {
    return sv->world->max_clients;
}

static int32_t import_num_edicts(const sv_context_t *sv) {
    return sv->world->num_edicts;
}

static map_format_t import_map_format(const sv_context_t *sv) {
    const char *name = CM_Info(sv->map).format;
    return strcmp(name, "BSP30") == 0    ? MAP_HALFLIFE
           : strcmp(name, "IBSP38") == 0 ? MAP_QUAKE2
           : strcmp(name, "IBSP46") == 0 ? MAP_QUAKE3
                                         : MAP_QUAKE;
}

static int64_t import_tick_time_ms(const sv_context_t *sv) {
    return sv->world->time_ms;
}

static const char *import_info(const sv_context_t *sv, int32_t slot, const char *key) {
    int32_t number = SV_InfoKey(sv->game, key);
    if (number < 0 || slot < 0 || slot >= sv->world->max_clients) {
        return "";
    }
    const client_t *client = World_Client(sv->world, slot);
    return number == INFO_NAME ? client->name : client->infos[number - 1];
}

const game_import_t sv_game_import = {
    .time_ms = SV_Time,
    .random = import_random,
    .callback = import_callback,
    .spawn = SV_SpawnEdict,
    .spawn_class = SV_SpawnClass,
    .remove = import_remove,
    .deref = import_deref,
    .ref = import_ref,
    .edict = import_edict,
    .number = import_number,
    .client = import_client,
    .player = import_player,
    .slot = import_slot,
    .client_of_slot = import_client_of_slot,
    .next_client = import_next_client,
    .find_target = import_find_target,
    .find_class = import_find_class,
    .use = import_use,
    .link = SV_LinkEdict,
    .set_model = import_set_model,
    .next_think = SV_SetNextThink,
    .teleport = import_teleport,
    .set_pm_type = import_set_pm_type,
    .player_box = import_player_box,
    .eyes = import_eyes,
    .trace = import_trace,
    .contents = SV_PointContents,
    .area = import_area,
    .area_triggers = import_area_triggers,
    .in_radius = SV_EdictsInRadius,
    .is_stuck = import_is_stuck,
    .touches = SV_Touches,
    .pusher_time = SV_PusherTime,
    .pusher_pose = SV_PusherPose,
    .pusher_start = SV_PusherStart,
    .pusher_move_to = SV_PusherMoveTo,
    .pusher_stop = SV_PusherStop,
    .pusher_team = SV_PusherTeam,
    .pusher_glue = SV_PusherGlue,
    .pusher_unglue = SV_PusherUnglue,
    .follow = SV_Follow,
    .follow_bone = SV_FollowBone,
    .move_step = SV_MoveStep,
    .walk_move = SV_WalkMove,
    .step_direction = SV_StepDirection,
    .move_to_goal = SV_MoveToGoal,
    .move_to_point = SV_MoveToPoint,
    .strafe = SV_Strafe,
    .set_mover = SV_SetMover,
    .check_bottom = SV_CheckBottom,
    .change_yaw = SV_ChangeYaw,
    .align_angles = PM_AlignAngles,
    .set_spectator = import_set_spectator,
    .set_team = import_set_team,
    .change_map = import_change_map,
    .change_map_at = import_change_map_at,
    .next_map = import_next_map,
    .cvar = SV_CvarValue,
    .cvar_text = import_cvar_text,
    .set_cvar = SV_SetCvar,
    .model_index = import_model_index,
    .sound_index = import_sound_index,
    .effect_index = import_effect_index,
    .string = import_string,
    .text = import_text,
    .print = import_print,
    .center_print = import_center_print,
    .sound = import_sound,
    .effect = SV_EmitEffect,
    .event = SV_Emit,
    .reply = SV_Reply,
    .log = import_log,
    .log_event = import_log_event,
    .warn = SV_WarnEdict,
    .trace_hitboxes = import_trace_hitboxes,
    .animation = import_animation,
    .skeleton_box = SV_SkeletonBox,
    .world_vars = import_world_vars,
    .max_clients = import_max_clients,
    .num_edicts = import_num_edicts,
    .tick_time_ms = import_tick_time_ms,
    .map_format = import_map_format,
    .info = import_info,
};
