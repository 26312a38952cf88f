/// core/import_vehicle.c - the functions of game_import_t for vehicles and controls. Clients
/// predict them by the same rules, move/vehicle.h.

#include "collide/cmodel.h"
#include "core/import_local.h"
#include "move/body.h"
#include "move/vehicle.h"
#include "physics/actions.h"
#include "world/area.h"
#include "world/faults.h"
#include "world/link.h"
#include "world/move.h"
#include "world/pushers.h"
#include "world/shape.h"

#define MAX_REACH 64.0f // qu; more than PM_MayEnter allows

// ---- the world of move/vehicle.h ----

/// A search of a player.
typedef struct {
    sv_context_t *sv;
    const edict_t *player;
    const client_t *client;
    pm_world_t world;
    int32_t found; ///< number of a vehicle or controls; INT32_MAX = none
} search_t;

static trace_t trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const search_t *search = context;
    return SV_Move(search->sv, start, mins, maxs, end, MOVE_NORMAL, search->player);
}

static trace_t trace_brushes(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const search_t *search = context;
    return SV_Move(search->sv, start, mins, maxs, end, MOVE_NOMONSTERS, search->player);
}

// Brings the client's player up to date with its edict.
static void begin(search_t *search, sv_context_t *sv, edict_t *player) {
    SV_PlayerFromEdict(sv, player);
    *search = (search_t){.sv = sv,
                         .player = player,
                         .client = World_ClientOf(sv->world, player),
                         .world = {.trace = trace, .trace_brushes = trace_brushes},
                         .found = INT32_MAX};
    search->world.context = search;
}

// ---- the functions ----

bool SV_IsVehicle(const edict_t *edict) {
    return (edict->flags & FL_VEHICLE) &&
           !(edict->flags & (FL_PUSHABLE | FL_FLY | FL_SWIM | FL_CLIENT)) && World_IsLive(edict) &&
           edict->movetype == MOVETYPE_STEP && edict->mover == MOVER_STEP &&
           (edict->solid == SOLID_BBOX || edict->solid == SOLID_SLIDEBOX);
}

static pm_vehicle_t vehicle_of(const edict_t *edict) {
    return (pm_vehicle_t){edict->origin, edict->velocity, edict->mins, edict->maxs,
                          edict->angles.y};
}

static void note_vehicle(void *context, int32_t number) {
    search_t *search = context;
    const edict_t *edict = World_Edict(search->sv->world, number);
    const pm_vehicle_t vehicle = vehicle_of(edict);
    if (number < search->found && SV_IsVehicle(edict) &&
        PM_MayEnter(&search->client->player, &vehicle, &search->sv->world->cvars.move,
                    &search->world)) {
        search->found = number;
    }
}

edict_t *Import_FindVehicle(sv_context_t *sv, const edict_t *player) {
    search_t search;
    if (!Import_Client(sv, "find_vehicle", player)) {
        return NULL;
    }
    begin(&search, sv, World_Edict(sv->world, World_EdictNumber(sv->world, player)));
    const bounds_t around =
        BoundsOfSweep(player->origin, player->origin, player->mins, player->maxs, MAX_REACH);
    Area_Visit(sv->world, around, AREA_SOLID, note_vehicle, &search);
    return search.found != INT32_MAX ? World_Edict(sv->world, search.found) : NULL;
}

static void put_player(sv_context_t *sv, edict_t *edict, const player_state_t *player) {
    SV_EdictFromPlayer(sv, edict, player);
    edict->movetype = player->movetype;
    SV_LinkEdict(sv, edict, false);
}

bool Import_EnterVehicle(sv_context_t *sv, edict_t *player, edict_t *vehicle) {
    const char *function = "enter_vehicle";
    client_t *client = Import_Client(sv, function, player);
    if (!client || !Import_Entity(sv, function, vehicle)) {
        return false;
    }
    if (!SV_IsVehicle(vehicle)) {
        SV_ReportFault(sv, function,
                       "expected a solid box with FL_VEHICLE and MOVETYPE_STEP, found edict %d "
                       "(%.40s)",
                       World_EdictNumber(sv->world, vehicle),
                       World_Text(sv->world, vehicle->classname));
        return false;
    }
    const pm_vehicle_t entered = vehicle_of(vehicle);
    const vec3_t lean = {vehicle->angles.x, 0.0f, vehicle->angles.z};
    SV_PlayerFromEdict(sv, player);
    PM_Enter(&client->player, &entered);
    vehicle->solid = SOLID_NOT;
    (void)SV_Follow(sv, vehicle, player, vec3_zero, lean);
    SV_LinkEdict(sv, vehicle, false);
    put_player(sv, player, &client->player);
    return true;
}

// Puts a vehicle where its driver left it. Returns false if it follows no edict.
static bool release(sv_context_t *sv, edict_t *vehicle, const pm_vehicle_t *left) {
    if (!vehicle || vehicle->movetype != MOVETYPE_FOLLOW) {
        return false;
    }
    const vec3_t angles = {vehicle->follow_angles.x, left->yaw, vehicle->follow_angles.z};
    (void)SV_Follow(sv, vehicle, NULL, vec3_zero, vec3_zero);
    vehicle->movetype = MOVETYPE_STEP;
    vehicle->solid = SOLID_BBOX;
    vehicle->origin = left->origin;
    vehicle->velocity = left->velocity;
    vehicle->angles = angles;
    return true;
}

bool Import_LeaveVehicle(sv_context_t *sv, edict_t *player, edict_t *vehicle, bool must) {
    const char *function = "leave_vehicle";
    client_t *client = Import_Client(sv, function, player);
    search_t search;
    vec3_t place;
    if (!client || !Import_MayBeNull(sv, function, vehicle)) {
        return false;
    }
    if (vehicle && World_Deref(sv->world, vehicle->aiment) != player) {
        SV_ReportFault(
            sv, function,
            "expected the vehicle that player %d drives, or NULL, found edict %d (%.40s)",
            World_EdictNumber(sv->world, player), World_EdictNumber(sv->world, vehicle),
            World_Text(sv->world, vehicle->classname));
        vehicle = NULL;
    }
    begin(&search, sv, player);
    const movevars_t *vars = &sv->world->cvars.move;
    if (!PM_FindExit(&client->player, vars, &search.world, &place)) {
        if (!must) {
            return false;
        }
        place = PM_ExitInside(&client->player, vars);
    }
    const pm_vehicle_t left = PM_Leave(&client->player, place, vars);
    const bool is_left = release(sv, vehicle, &left);
    put_player(sv, player, &client->player);
    if (is_left) {
        SV_LinkEdict(sv, vehicle, false);
    }
    return true;
}

// ---- controls ----

static bool are_controls(const sv_context_t *sv, const edict_t *edict) {
    return World_IsLive(edict) && edict->solid == SOLID_TRIGGER &&
           Contents_IsControls(edict->contents) && edict->movetype == MOVETYPE_PUSH &&
           World_IsBrushModel(sv, edict);
}

// Returns true if the player's origin is in the controls, and its ground carries them.
static bool is_at(const sv_context_t *sv, const edict_t *player, const edict_t *controls) {
    const edict_t *pusher = Pushers_Parent(sv->world, controls);
    if (!are_controls(sv, controls) || !pusher || !(player->flags & FL_ONGROUND) ||
        World_Deref(sv->world, player->groundentity) != pusher) {
        return false;
    }
    const cm_object_t object = World_Object(sv, controls);
    return CM_BoxTouches(sv->map, &object, player->origin, vec3_zero, vec3_zero);
}

static void note_controls(void *context, int32_t number) {
    search_t *search = context;
    const edict_t *edict = World_Edict(search->sv->world, number);
    if (number < search->found && edict->contents == CONTENTS_CONTROLS &&
        is_at(search->sv, search->player, edict)) {
        search->found = number;
    }
}

edict_t *Import_FindControls(sv_context_t *sv, const edict_t *player) {
    search_t search;
    if (!Import_Client(sv, "find_controls", player)) {
        return NULL;
    }
    begin(&search, sv, World_Edict(sv->world, World_EdictNumber(sv->world, player)));
    if (!PM_MayTakeControls(&search.client->player)) {
        return NULL;
    }
    Area_Visit(sv->world, (bounds_t){player->origin, player->origin}, AREA_TRIGGERS, note_controls,
               &search);
    return search.found != INT32_MAX ? World_Edict(sv->world, search.found) : NULL;
}

bool Import_IsAtControls(sv_context_t *sv, const edict_t *player, const edict_t *controls) {
    const char *function = "is_at_controls";
    return Import_Client(sv, function, player) && Import_Entity(sv, function, controls) &&
           is_at(sv, player, controls);
}

bool Import_TakeControls(sv_context_t *sv, edict_t *player, edict_t *controls) {
    const char *function = "take_controls";
    client_t *client = Import_Client(sv, function, player);
    if (!client || !Import_Entity(sv, function, controls)) {
        return false;
    }
    if (!are_controls(sv, controls) || controls->contents != CONTENTS_CONTROLS) {
        SV_ReportFault(sv, function,
                       "expected a trigger with MOVETYPE_PUSH, a brush model and "
                       "CONTENTS_CONTROLS, found edict %d (%.40s)",
                       World_EdictNumber(sv->world, controls),
                       World_Text(sv->world, controls->classname));
        return false;
    }
    SV_PlayerFromEdict(sv, player);
    if (!PM_MayTakeControls(&client->player) || !is_at(sv, player, controls)) {
        SV_ReportFault(sv, function,
                       "expected a player that stands on the pusher of controls %d (%.40s) and "
                       "inside these controls, found edict %d at %g %g %g",
                       World_EdictNumber(sv->world, controls),
                       World_Text(sv->world, controls->classname),
                       World_EdictNumber(sv->world, player), (double)player->origin.x,
                       (double)player->origin.y, (double)player->origin.z);
        return false;
    }
    PM_TakeControls(&client->player);
    controls->contents = CONTENTS_MANNED;
    World_MarkWritten(sv->world, controls);
    put_player(sv, player, &client->player);
    return true;
}

void Import_LeaveControls(sv_context_t *sv, edict_t *player, edict_t *controls) {
    const char *function = "leave_controls";
    client_t *client = Import_Client(sv, function, player);
    if (!client || !Import_MayBeNull(sv, function, controls)) {
        return;
    }
    if (controls && controls->contents == CONTENTS_MANNED) {
        controls->contents = CONTENTS_CONTROLS;
        World_MarkWritten(sv->world, controls);
    }
    SV_PlayerFromEdict(sv, player);
    PM_LeaveControls(&client->player);
    put_player(sv, player, &client->player);
}
