/// core/game_import.c - the engine's functions for the game, documented in game_api.h.

#include "core/game_tables.h"
#include "core/import_local.h"
#include "math/angles.h"
#include "move/body.h"
#include "move/pmove.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/faults.h"
#include "world/history.h"
#include "world/hitboxes.h"
#include "world/names.h"
#include "world/pushers.h"
#include "world/running.h"

#include <stdio.h>
#include <string.h>

static float import_random(sv_context_t *sv) {
    return Rng_Float(&sv->world->rng);
}

static int32_t import_callback(const sv_context_t *sv, const char *name) {
    const char *function = "callback";
    int32_t id = Import_Given(sv, function, "a name", name) ? Callbacks_Find(sv->world, name) : 0;
    if (id == 0 && name) {
        SV_ReportFault(sv, function, "expected a name of the game's table, found \"%.64s\"", name);
    }
    return id;
}

static void import_remove(sv_context_t *sv, edict_t *edict) {
    const char *function = "remove";
    if (!Import_Entity(sv, function, edict)) {
        return;
    }
    if (World_ClientOf(sv->world, edict)) {
        SV_ReportFault(sv, function, "expected no client's edict, found edict %d",
                       World_EdictNumber(sv->world, edict));
        return;
    }
    SV_RemoveEdict(sv, edict);
}

static edict_t *import_deref(const sv_context_t *sv, edict_ref_t ref) {
    return World_Deref(sv->world, ref);
}

static edict_ref_t import_ref(const sv_context_t *sv, const edict_t *edict) {
    return Import_Edict(sv, "ref", edict) ? World_Ref(sv->world, edict) : (edict_ref_t){0, 0};
}

static edict_t *import_edict(const sv_context_t *sv, int32_t number) {
    if (!Import_Range(sv, "edict", "number", number, 0, sv->world->max_edicts - 1)) {
        return NULL;
    }
    edict_t *edict = World_Edict(sv->world, number); // zero if it was never in use
    return World_IsLive(edict) ? edict : NULL;
}

static int32_t import_number(const sv_context_t *sv, const edict_t *edict) {
    return Import_Edict(sv, "number", edict) ? World_EdictNumber(sv->world, edict) : 0;
}

static client_t *import_client(const sv_context_t *sv, const edict_t *edict) {
    return Import_Edict(sv, "client", edict) ? World_ClientOf(sv->world, edict) : NULL;
}

static edict_t *import_player(const sv_context_t *sv, const client_t *client) {
    const int32_t slot = Import_Slot(sv, "player", client);
    return slot >= 0 ? World_Edict(sv->world, 1 + slot) : NULL;
}

static int32_t import_slot(const sv_context_t *sv, const edict_t *edict) {
    bool good = Import_Edict(sv, "slot", edict) && World_ClientOf(sv->world, edict);
    return good ? World_EdictNumber(sv->world, edict) - 1 : -1;
}

static client_t *import_client_of_slot(const sv_context_t *sv, int32_t slot) {
    bool exists = slot >= 0 && slot < sv->world->max_clients;
    return exists ? World_ClientOf(sv->world, World_Edict(sv->world, slot + 1)) : NULL;
}

static client_t *import_next_client(const sv_context_t *sv, const client_t *after) {
    int32_t slot = after ? Import_Slot(sv, "next_client", after) + 1 : 0;
    client_t *client = NULL;
    if (after && slot == 0) {
        return NULL; // a bad pointer
    }
    for (; !client && slot < sv->world->max_clients; slot++) {
        client = import_client_of_slot(sv, slot);
    }
    return client;
}

// Returns the next live edict whose string at `offset` is `name`.
static edict_t *find_string(const sv_context_t *sv, const char *function, const edict_t *after,
                            size_t offset, const char *name) {
    if (!Import_MayBeNull(sv, function, after) || !Import_Given(sv, function, "a name", name)) {
        return NULL;
    }
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
    return find_string(sv, "find_target", after, offsetof(edict_t, targetname), name);
}

static edict_t *import_find_class(const sv_context_t *sv, const edict_t *after, const char *name) {
    return find_string(sv, "find_class", after, offsetof(edict_t, classname), name);
}

// Counts one more use. Returns false if a limit is reached, so that no chain of uses fills the
// stack or the tick.
static bool take_use(sv_context_t *sv, const edict_t *edict) {
    const bool is_deep = sv->use_depth >= GAME_USE_DEPTH;
    if (is_deep || sv->uses_done >= GAME_USES_TICK) {
        SV_ReportFault(
            sv, "use", "expected at most %d uses %s, found one more, of edict %d (%.40s)",
            is_deep ? GAME_USE_DEPTH : GAME_USES_TICK, is_deep ? "inside each other" : "in a tick",
            World_EdictNumber(sv->world, edict), World_Text(sv->world, edict->classname));
        return false;
    }
    sv->uses_done++;
    return true;
}

static void import_use(sv_context_t *sv, edict_t *edict, edict_t *other, edict_t *activator) {
    const char *function = "use";
    if (!Import_Edict(sv, function, edict) || !Import_Edict(sv, function, other) ||
        !Import_MayBeNull(sv, function, activator) || edict->use == 0 || !World_IsLive(edict)) {
        return;
    }
    const callback_t *callback = Callbacks_Get(sv->callbacks, edict->use);
    if (!callback || !callback->use) {
        SV_QuarantineEdict(sv, edict, "its use is not a use callback");
        return;
    }
    if (!take_use(sv, edict)) {
        return;
    }
    sv->use_depth++;
    sv_running_t outer = SV_EnterGame(sv, function, callback->name, edict);
    callback->use(sv, edict, other, activator);
    SV_LeaveGame(sv, outer);
    sv->use_depth--;
    World_MarkWritten(sv->world, edict);
}

static void import_link(sv_context_t *sv, edict_t *edict, bool touch_triggers) {
    if (Import_Entity(sv, "link", edict)) {
        SV_LinkEdict(sv, edict, touch_triggers);
    }
}

static bool import_set_model(sv_context_t *sv, edict_t *edict, int32_t model) {
    const char *function = "set_model";
    if (!Import_Entity(sv, function, edict) ||
        !Import_Range(sv, function, "brush model", model, 1, CM_NumModels(sv->map) - 1)) {
        return false;
    }
    edict->model = model;
    edict->type = ENTITY_BRUSH;
    edict->mins = CM_ModelBounds(sv->map, model).mins;
    edict->maxs = CM_ModelBounds(sv->map, model).maxs;
    return true;
}

// Logs a time in the past: the think runs as soon as possible, or never if the time is negative.
static void check_time(const sv_context_t *sv, const char *function, const edict_t *edict,
                       int64_t time_ms) {
    const int64_t now_ms = SV_Time(sv) - World_PusherLag(edict);
    if (time_ms != 0 && time_ms < now_ms) {
        SV_ReportFault(sv, function,
                       "expected 0 or a time from %lld ms on, found %lld ms for edict %d (%.40s)",
                       (long long)now_ms, (long long)time_ms, World_EdictNumber(sv->world, edict),
                       World_Text(sv->world, edict->classname));
    }
}

static void import_next_think(sv_context_t *sv, edict_t *edict, int64_t time_ms) {
    if (Import_Entity(sv, "next_think", edict)) {
        check_time(sv, "next_think", edict, time_ms);
        SV_SetNextThink(sv, edict, time_ms);
    }
}

static bool import_timer(sv_context_t *sv, edict_t *edict, int32_t callback, int64_t time_ms) {
    if (!Import_Entity(sv, "timer", edict)) {
        return false;
    }
    check_time(sv, "timer", edict, time_ms);
    return SV_SetTimer(sv, edict, callback, time_ms);
}

static void import_teleport(sv_context_t *sv, edict_t *edict, vec3_t origin, vec3_t angles,
                            vec3_t velocity) {
    const char *function = "teleport";
    if (!Import_Entity(sv, function, edict) || !Import_Vector(sv, function, "angles", angles) ||
        !Import_Vector(sv, function, "velocity", velocity)) {
        return;
    }
    if (!VectorWithin(origin, MAX_WORLD_COORD)) {
        SV_ReportFault(sv, function, "expected a position inside the world, found %g %g %g",
                       (double)origin.x, (double)origin.y, (double)origin.z);
        return;
    }
    edict->origin = origin;
    edict->oldorigin = origin;
    edict->angles = angles;
    edict->velocity = velocity;
    edict->flags &= ~FL_ONGROUND;
    edict->groundentity = (edict_ref_t){0, 0};
    client_t *client = World_ClientOf(sv->world, edict);
    SV_NoteTeleport(sv->world, edict);
    if (client) {
        // Clients send absolute view angles. From now on the server adds this difference.
        client->player.delta_yaw = (uint16_t)(AngleToShort(angles.y) - client->last_cmd.yaw);
        client->player.angles = angles;
        SV_PlayerFromEdict(sv, edict);
    }
    SV_LinkEdict(sv, edict, false);
}

static void import_set_pm_type(sv_context_t *sv, edict_t *edict, int32_t pm_type) {
    const char *function = "set_pm_type";
    client_t *client = Import_Client(sv, function, edict);
    if (client && Import_Range(sv, function, "type", pm_type, 0, PM_TYPE_COUNT - 1) &&
        !client->spectator) {
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
    if (!Import_Edict(sv, "eyes", edict)) {
        return vec3_zero;
    }
    const client_t *client = World_ClientOf(sv->world, edict);
    float height = client ? PM_ViewHeight(&client->player, &sv->world->cvars.move) : 0.0f;
    return VectorAdd(edict->origin, Vector(0.0f, 0.0f, height));
}

static int32_t import_animation(const sv_context_t *sv, int32_t skeleton, const char *name) {
    const char *function = "animation";
    if (!Import_Given(sv, function, "a name", name)) {
        return -1;
    }
    const model_t *model = SV_SkeletonModel(sv, skeleton);
    if (!model && skeleton != 0) {
        SV_ReportFault(sv, function, "expected the number of a model, found %d", skeleton);
    }
    return model ? Model_FindAnimation(model, name) : -1;
}

static bool import_skeleton_box(const sv_context_t *sv, const edict_t *edict, bounds_t *box) {
    const char *function = "skeleton_box";
    return Import_Edict(sv, function, edict) && Import_Given(sv, function, "a box", box) &&
           SV_SkeletonBox(sv, edict, box);
}

static float import_cvar(const sv_context_t *sv, const char *name) {
    bool is_own = false;
    if (!Import_Given(sv, "cvar", "a name", name)) {
        return 0.0f;
    }
    const cvar_def_t *def = SV_FindCvar(sv->game, name, &is_own);
    if (!def || def->type == CVAR_STRING) {
        SV_ReportFault(sv, "cvar", "expected a gameplay cvar with a number, found \"%.64s\"", name);
        return 0.0f;
    }
    const void *values = is_own ? (const void *)sv->world->game : &sv->world->cvars;
    int32_t whole = 0;
    float real = 0.0f;
    memcpy(&whole, (const uint8_t *)values + def->offset, sizeof whole);
    memcpy(&real, &whole, sizeof real);
    return def->type == CVAR_INT ? (float)whole : real;
}

static const char *import_cvar_text(const sv_context_t *sv, const char *name) {
    const char *function = "cvar_text";
    if (!Import_Given(sv, function, "a name", name)) {
        return "";
    }
    const cvar_def_t *def = Cvar_Find(sv->game->cvars.list, sv->game->cvars.count, name);
    if (!def || def->type != CVAR_STRING) {
        SV_ReportFault(sv, function, "expected a text cvar of the game, found \"%.64s\"", name);
        return "";
    }
    return (const char *)sv->world->game + def->offset;
}

static void import_set_spectator(sv_context_t *sv, edict_t *edict, bool spectator) {
    client_t *client = Import_Client(sv, "set_spectator", edict);
    if (client) {
        client->spectator = spectator;
        client->player.pm_type = spectator ? PM_SPECTATOR : PM_NORMAL;
    }
}

static void import_set_team(sv_context_t *sv, edict_t *edict, int32_t team) {
    const char *function = "set_team";
    client_t *client = Import_Client(sv, function, edict);
    if (client) {
        (void)Import_Range(sv, function, "team", team, 0, UINT16_MAX); // clamped
        client->team = (uint16_t)Q_ClampI(team, 0, UINT16_MAX);
    }
}

static void import_change_map(sv_context_t *sv, const char *name) {
    if (Import_Given(sv, "change_map", "a map's name", name)) {
        Events_Add(sv->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 0, (vec3_t){0}, name);
    }
}

static void import_change_map_at(sv_context_t *sv, const char *name, const char *landmark,
                                 vec3_t origin) {
    const char *function = "change_map_at";
    char text[MAX_TEXT_BYTES];
    if (!Import_Given(sv, function, "a map's name", name) ||
        !Import_Given(sv, function, "a landmark's name", landmark) ||
        !Import_Vector(sv, function, "origin", origin)) {
        return;
    }
    snprintf(text, sizeof text, "%.*s %.*s", MAX_MAP_NAME_BYTES, name, MAX_LANDMARK_BYTES - 1,
             landmark);
    Events_Add(sv->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 2, origin, text);
}

static void import_next_map(sv_context_t *sv, const char *otherwise) {
    if (Import_Given(sv, "next_map", "a map's name", otherwise)) {
        Events_Add(sv->events, EVENT_CHANGEMAP, EVENT_TO_ALL, 1, (vec3_t){0}, otherwise);
    }
}

static int32_t import_model_index(sv_context_t *sv, const char *name) {
    bool good = Import_Given(sv, "model_index", "a name", name);
    return good ? Names_Index(sv, NAMES_MODELS, name) : 0;
}

static int32_t import_sound_index(sv_context_t *sv, const char *name) {
    bool good = Import_Given(sv, "sound_index", "a name", name);
    return good ? Names_Index(sv, NAMES_SOUNDS, name) : 0;
}

static int32_t import_effect_index(sv_context_t *sv, const char *name) {
    bool good = Import_Given(sv, "effect_index", "a name", name);
    return good ? Names_Index(sv, NAMES_EFFECTS, name) : 0;
}

static int32_t import_string(sv_context_t *sv, const char *text) {
    const char *function = "string";
    int32_t id = Import_Given(sv, function, "a text", text) ? World_String(sv->world, text) : 0;
    if (id == 0 && text && text[0] != '\0') {
        SV_ReportFault(sv, function, "expected texts of %d bytes in all, no room for \"%.64s\"",
                       MAX_STRINGS_BYTES, text);
    }
    return id;
}

static const char *import_text(const sv_context_t *sv, int32_t id) {
    bool good = Import_Range(sv, "text", "id", id, 0, sv->world->strings_bytes - 1);
    return good ? World_Text(sv->world, id) : "";
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
    const char *function = "info";
    if (!Import_Range(sv, function, "slot", slot, 0, sv->world->max_clients - 1) ||
        !Import_Given(sv, function, "a key", key)) {
        return "";
    }
    int32_t number = SV_InfoKey(sv->game, key);
    if (number < 0) {
        SV_ReportFault(sv, function, "expected a setting of players, found \"%.64s\"", key);
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
    .link = import_link,
    .set_model = import_set_model,
    .next_think = import_next_think,
    .timer = import_timer,
    .teleport = import_teleport,
    .set_pm_type = import_set_pm_type,
    .player_box = import_player_box,
    .eyes = import_eyes,
    .trace = Import_Trace,
    .contents = Import_Contents,
    .area = Import_Area,
    .area_triggers = Import_AreaTriggers,
    .in_radius = Import_InRadius,
    .is_stuck = Import_IsStuck,
    .touches = Import_Touches,
    .pusher_time = Import_PusherTime,
    .pusher_pose = Import_PusherPose,
    .pusher_start = Import_PusherStart,
    .pusher_next = Import_PusherNext,
    .pusher_move_to = Import_PusherMoveTo,
    .pusher_stop = Import_PusherStop,
    .pusher_team = Import_PusherTeam,
    .pusher_glue = Import_PusherGlue,
    .pusher_unglue = Import_PusherUnglue,
    .follow = Import_Follow,
    .follow_bone = Import_FollowBone,
    .move_step = Import_MoveStep,
    .walk_move = Import_WalkMove,
    .step_direction = Import_StepDirection,
    .move_to_goal = Import_MoveToGoal,
    .move_to_point = Import_MoveToPoint,
    .strafe = Import_Strafe,
    .set_mover = Import_SetMover,
    .check_bottom = Import_CheckBottom,
    .change_yaw = Import_ChangeYaw,
    .align_angles = Import_AlignAngles,
    .find_vehicle = Import_FindVehicle,
    .enter_vehicle = Import_EnterVehicle,
    .leave_vehicle = Import_LeaveVehicle,
    .find_controls = Import_FindControls,
    .is_at_controls = Import_IsAtControls,
    .take_controls = Import_TakeControls,
    .leave_controls = Import_LeaveControls,
    .set_spectator = import_set_spectator,
    .set_team = import_set_team,
    .change_map = import_change_map,
    .change_map_at = import_change_map_at,
    .next_map = import_next_map,
    .cvar = import_cvar,
    .cvar_text = import_cvar_text,
    .set_cvar = SV_SetCvar,
    .model_index = import_model_index,
    .sound_index = import_sound_index,
    .effect_index = import_effect_index,
    .string = import_string,
    .text = import_text,
    .print = Import_Print,
    .center_print = Import_CenterPrint,
    .sound = Import_Sound,
    .effect = Import_Effect,
    .event = Import_Event,
    .reply = SV_Reply,
    .log = Import_Log,
    .log_event = Import_LogEvent,
    .warn = Import_Warn,
    .trace_hitboxes = Import_TraceHitboxes,
    .trace_unlagged = Import_TraceUnlagged,
    .area_unlagged = Import_AreaUnlagged,
    .box_unlagged = Import_BoxUnlagged,
    .fly_unlagged = Import_FlyUnlagged,
    .animation = import_animation,
    .skeleton_box = import_skeleton_box,
    .world_vars = import_world_vars,
    .max_clients = import_max_clients,
    .num_edicts = import_num_edicts,
    .tick_time_ms = import_tick_time_ms,
    .map_format = import_map_format,
    .info = import_info,
};
