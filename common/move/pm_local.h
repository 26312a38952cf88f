/// move/pm_local.h - private declarations of pmove's files.
//
// Units:   qu, qu/s; dt in seconds, whole times in ms.
// Memory:  one pm_step_t on the stack of PM_Move; it does not outlive the call.

#ifndef EDICTD_MOVE_PM_LOCAL_H
#define EDICTD_MOVE_PM_LOCAL_H

#include "base/limits.h"
#include "move/pmove.h"

#define PM_MAX_CLIP_PLANES 5
#define PM_NUM_BUMPS       4
#define PM_MIN_STEP_NORMAL 0.7f      // a plane with less z is too steep to stand on (45.57 degrees)
#define PM_LEAVE_GROUND    180.0f    // qu/s; a player that rises faster is in the air
#define PM_HARD_LANDING    (-300.0f) // qu/s; a player that lands faster keeps no downward speed
#define PM_JUMP_COUNT_MS   50        // jump_ms returns to 0 after this time

/// The state of one step.
typedef struct {
    player_state_t *player;
    const movevars_t *vars;
    const pm_world_t *world;
    pm_touch_t *touch;
    pm_input_t input;
    float dt;        ///< s
    int32_t step_ms; ///< ms; dt as an integer
    vec3_t forward, right;
    vec3_t ground_normal; ///< valid while PMF_ONGROUND
    pm_surface_t surface; ///< of the ground; all zero while in the air
    pm_volume_t volume;   ///< volumes around the player
    vec3_t carried;       ///< qu/s; conveyors and currents, added for this step's move only
} pm_step_t;

static inline bool PM_OnGround(const pm_step_t *pm) {
    return (pm->player->flags & PMF_ONGROUND) != 0;
}

static inline void PM_SetAirborne(pm_step_t *pm) {
    pm->player->flags &= ~PMF_ONGROUND;
    pm->player->groundentity = -1;
}

/// Sweeps the player's box. If the start is solid, the sweep does not move: fraction is 0 and
/// endpos is the start, even where the sweep would leave the solid.
static inline trace_t PM_PlayerTrace(const pm_step_t *pm, vec3_t start, vec3_t end) {
    const player_state_t *player = pm->player;
    trace_t trace = pm->world->trace(pm->world->context, start, player->mins, player->maxs, end);
    if (trace.startsolid || trace.allsolid) {
        trace.fraction = 0.0f;
        trace.endpos = start;
    }
    return trace;
}

/// Adds an edict to the touch list, once.
void PM_AddTouch(pm_step_t *pm, int32_t entnum);

/// Sets waterlevel and watertype.
void PM_CategorizeWater(pm_step_t *pm);

/// Finds water and ground at the player's origin, and lowers the player onto the ground. Returns
/// false when the ground trace starts in solid; the player then stands on nothing.
bool PM_CategorizePosition(pm_step_t *pm);

/// Moves the player to `origin` if its box is free there; else returns false.
bool PM_TryOrigin(pm_step_t *pm, vec3_t origin);

/// Moves a player that is in solid to a free position nearby, if there is one.
void PM_NudgePosition(pm_step_t *pm);

/// Slows the player down by ground or water friction.
void PM_Friction(pm_step_t *pm);

/// Accelerates along wishdir until that component of the velocity is wishspeed.
void PM_Accelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed, float accelerate);

/// Accelerates in the air: the component along wishdir reaches at most sv_airspeedcap (unless
/// sv_airmode says otherwise), with the acceleration of the whole wishspeed.
void PM_AirAccelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed);

/// Splits a wish into direction (returned) and speed, clamped to `limit`.
vec3_t PM_WishDirection(vec3_t wish, float limit, float *wishspeed);

/// Returns the velocity without its component into a plane, times sv_overclip.
vec3_t PM_ClipVelocity(const pm_step_t *pm, vec3_t velocity, vec3_t normal);

/// Returns the downward speed that gravity adds in this step.
float PM_Fall(const pm_step_t *pm);

/// Ducks or stands up by the duck button.
void PM_Duck(pm_step_t *pm);

/// Returns the factor of the wished speed for the player's posture.
float PM_PostureScale(const pm_step_t *pm);

/// Climbs if the player is at a ladder. Returns false when it is not on one after this call.
bool PM_LadderMove(pm_step_t *pm);

/// Finds the conveyors, currents and pushers that carry the player. A carrier that it has left adds
/// its velocity to the player's own.
void PM_FindCarrier(pm_step_t *pm);

/// Makes the carrier's velocity the player's own, because the player left the ground by itself.
void PM_LeaveCarrier(pm_step_t *pm);

/// Moves by the velocity and slides along obstacles. `first`: the sweep by the whole velocity if
/// the caller has it already, else NULL.
void PM_SlideMove(pm_step_t *pm, const trace_t *first);

/// Moves as PM_SlideMove does, and also climbs steps up to sv_stepsize.
void PM_StepSlideMove(pm_step_t *pm, const trace_t *first);

/// Jumps, or swims up, by the jump button; counts waterjump_ms down.
void PM_CheckJump(pm_step_t *pm);

/// Starts a jump out of the water if there is an edge ahead.
void PM_CheckWaterJump(pm_step_t *pm);

/// Moves a swimming player.
void PM_WaterMove(pm_step_t *pm);

/// Moves along the ground: straight ahead if that is free, else by PM_StepSlideMove.
void PM_GroundMove(pm_step_t *pm);

/// Finds ground for a vehicle in a valley: if the plane below is too steep, but the mean of it and
/// of the next plane down the slope is not, the vehicle stands. (Article 004 averages planes as
/// well; docs/physics.md.) A player on foot slides instead.
void PM_FindFooting(pm_step_t *pm);

/// Moves the player as a vehicle: it rolls on the ground and falls in the air.
void PM_DriveMove(pm_step_t *pm);

/// Calls `move` with pm->carried added to the velocity, and subtracts it again afterwards.
void PM_MoveCarried(pm_step_t *pm, void (*move)(pm_step_t *pm));

/// Walks on the ground, or falls.
void PM_AirMove(pm_step_t *pm);

/// Moves a spectator.
void PM_SpectatorMove(pm_step_t *pm);

#endif
