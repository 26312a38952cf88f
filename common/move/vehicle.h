/// move/vehicle.h - gets a player into a vehicle and out of it, and to the controls of a pusher and
/// away, for the server and the client's prediction.
//
// A driver becomes the vehicle: the player has its box and moves with PM_DRIVING. At controls, a
// player stands on the pusher that carries them, with MOVETYPE_TOSS.
// Queries the world only through pm_world_t: trace and trace_brushes.
// Units:   qu, qu/s, degrees.
// Repeat:  the same player, vehicle and world give exactly the same result.

#ifndef EDICTD_MOVE_VEHICLE_H
#define EDICTD_MOVE_VEHICLE_H

#include "move/pmove.h"

/// A vehicle without driver.
typedef struct {
    vec3_t origin, velocity;
    vec3_t mins, maxs; ///< relative to origin
    float yaw;
} pm_vehicle_t;

/// Returns true if the use button went down in a sub-step. Call PM_NoteUse afterwards.
bool PM_PressesUse(const player_state_t *player, uint32_t buttons);

/// Notes in the player's flags whether the use button is held. Call it at the end of a sub-step.
void PM_NoteUse(player_state_t *player, uint32_t buttons);

/// Returns true if a player may get in: the boxes are near each other, no brush is between, and
/// the player does not fall fast.
bool PM_MayEnter(const player_state_t *player, const pm_vehicle_t *vehicle, const movevars_t *vars,
                 const pm_world_t *world);

/// Turns the player into the vehicle, in the air.
void PM_Enter(player_state_t *player, const pm_vehicle_t *vehicle);

/// Finds a place for a driver that gets out: left, right, back or front, first with ground, then
/// without; otherwise the roof. Returns false if there is no room.
bool PM_FindExit(const player_state_t *player, const movevars_t *vars, const pm_world_t *world,
                 vec3_t *place);

/// Returns the place of a driver that gets out without room: in the vehicle, feet at its bottom.
vec3_t PM_ExitInside(const player_state_t *player, const movevars_t *vars);

/// Puts the driver at `place`, in the air, as a walking player. Returns the vehicle that is left.
pm_vehicle_t PM_Leave(player_state_t *player, vec3_t place, const movevars_t *vars);

/// Returns true if a player who walks stands on an edict whose controls it may take.
bool PM_MayTakeControls(const player_state_t *player);

/// Puts the player at controls: it stands.
void PM_TakeControls(player_state_t *player);

/// Returns true if a player at controls leaves them by its buttons.
bool PM_LeavesControls(const player_state_t *player, uint32_t buttons);

/// Lets a player who stood at controls walk.
void PM_LeaveControls(player_state_t *player);

#endif
