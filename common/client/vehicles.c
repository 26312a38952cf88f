/// client/vehicles.c - the player at controls and in vehicles, in the world of prediction.
//
// Source:  server/core/import_vehicle.c, and Game_VehicleStep of server/game/vehicles.c.

#include "client/world_local.h"
#include "move/vehicle.h"

static void get_out(cl_world_t *world, player_state_t *player, const pm_world_t *move) {
    vec3_t place;
    cl_crate_t *driven = NULL;
    for (int32_t i = 0; i < world->num_crates && !driven; i++) {
        driven = Client_CrateIsSolid(world, &world->crates[i]) ? NULL : &world->crates[i];
    }
    if (!PM_FindExit(player, world->vars, move, &place)) {
        return;
    }
    const pm_vehicle_t left = PM_Leave(player, place, world->vars);
    if (driven) {
        driven->body.origin = left.origin;
        driven->body.velocity = left.velocity;
        driven->body.ground = -1;
        driven->yaw = left.yaw;
        Client_PutCrate(world, driven, true);
    }
}

static void get_in(cl_world_t *world, player_state_t *player, const pm_world_t *move) {
    for (int32_t i = 0; i < world->num_crates; i++) {
        cl_crate_t *crate = &world->crates[i];
        const pm_loose_t *body = &crate->body;
        const pm_vehicle_t vehicle = {body->origin, body->velocity, body->mins, body->maxs,
                                      crate->yaw};
        if (crate->is_vehicle && Client_CrateIsSolid(world, crate) &&
            PM_MayEnter(player, &vehicle, world->vars, move)) {
            PM_Enter(player, &vehicle);
            Client_PutCrate(world, crate, false);
            return;
        }
    }
}

// Returns true if the player was at controls, or is now.
static bool use_controls(cl_world_t *world, player_state_t *player, uint32_t buttons) {
    const int32_t pusher = player->flags & PMF_ONGROUND ? player->groundentity : -1;
    const bool is_driver = player->pm_type == PM_NORMAL && player->movetype == MOVETYPE_TOSS;
    cl_solid_t *controls = NULL;
    if (is_driver && PM_LeavesControls(player, buttons)) {
        controls = Client_FindControls(world, CONTENTS_MANNED, pusher, player->origin);
        if (controls) {
            controls->contents = CONTENTS_CONTROLS;
            PM_LeaveControls(player);
        }
    } else if (PM_PressesUse(player, buttons) && PM_MayTakeControls(player)) {
        controls = Client_FindControls(world, CONTENTS_CONTROLS, pusher, player->origin);
        if (controls) {
            controls->contents = CONTENTS_MANNED;
            PM_TakeControls(player);
        }
    }
    return is_driver || controls;
}

void Client_UseVehicle(cl_world_t *world, player_state_t *player, uint32_t buttons) {
    if (!use_controls(world, player, buttons) && PM_PressesUse(player, buttons)) {
        const pm_world_t move = Client_WorldForMove(world);
        if (player->pm_type == PM_DRIVING) {
            get_out(world, player, &move);
        } else {
            get_in(world, player, &move);
        }
    }
    PM_NoteUse(player, buttons);
}
