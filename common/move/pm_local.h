/// move/pm_local.h - types and functions that the files of pmove have in common.
//
// Units:   qu, qu/s; dt in seconds, whole times in ms.
// Memory:  one pm_step_t on the stack of PM_Move.

#ifndef EDICTD_MOVE_PM_LOCAL_H
#define EDICTD_MOVE_PM_LOCAL_H

#include "base/limits.h"
#include "move/pmove.h"

#define PM_MAX_CLIP_PLANES 5
#define PM_NUM_BUMPS       4         // obstacles handled in one slide
#define PM_MIN_STEP_NORMAL 0.7f      // minimum normal.z of ground; steeper planes are walls
#define PM_LEAVE_GROUND    180.0f    // qu/s; a player that rises faster is in the air
#define PM_HARD_LANDING    (-300.0f) // qu/s; a player that lands faster keeps no downward speed
#define PM_JUMP_COUNT_MS   50        // jump_ms returns to 0 this long after a jump

/// The state of one step.
typedef struct {
    player_state_t *player;
    const movevars_t *vars;
    const pm_world_t *world;
    pm_touch_t *touch;
    pm_input_t input;
    float dt;        ///< s
    int32_t step_ms; ///< dt in ms
    vec3_t forward, right;
    vec3_t ground_normal; ///< valid while PMF_ONGROUND
    pm_surface_t surface; ///< surface of the ground; zero in the air
    pm_volume_t volume;   ///< volumes that touch the player
    vec3_t carried; ///< velocity of conveyors and currents, qu/s; added only for this step's move
} pm_step_t;

static inline bool PM_OnGround(const pm_step_t *pm) {
    return (pm->player->flags & PMF_ONGROUND) != 0;
}

static inline void PM_SetAirborne(pm_step_t *pm) {
    pm->player->flags &= ~PMF_ONGROUND;
    pm->player->groundentity = -1;
}

/// Sweeps the player's box. A sweep that starts in solid does not move, even if it would leave the
/// solid.
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

void PM_CategorizeWater(pm_step_t *pm);

/// Finds water and ground at the player's origin, and lowers the player onto the ground. If the
/// ground trace starts in solid, puts the player in the air and returns false.
bool PM_CategorizePosition(pm_step_t *pm);

/// If the player's box is free at `origin`, moves the player there and returns true.
bool PM_TryOrigin(pm_step_t *pm, vec3_t origin);

/// Moves a player out of solid to a free position nearby, if there is one.
void PM_NudgePosition(pm_step_t *pm);

void PM_Friction(pm_step_t *pm);

/// Accelerates along wishdir until the speed in that direction is wishspeed.
void PM_Accelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed, float accelerate);

/// Accelerates in the air. The speed along wishdir reaches at most sv_airspeedcap, but the
/// acceleration is that of the whole wishspeed. sv_airmode may change this.
void PM_AirAccelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed);

/// Splits a wish into its direction, which is returned, and its speed, clamped to `limit`.
vec3_t PM_WishDirection(vec3_t wish, float limit, float *wishspeed);

/// Removes the component into a plane, times sv_overclip, from a velocity.
vec3_t PM_ClipVelocity(const pm_step_t *pm, vec3_t velocity, vec3_t normal);

/// Returns the downward speed that gravity adds in this step.
float PM_Fall(const pm_step_t *pm);

void PM_Duck(pm_step_t *pm);

/// Returns the factor by which ducking reduces the wished speed.
float PM_PostureScale(const pm_step_t *pm);

/// Climbs if the player touches a ladder. Returns true if the player is on a ladder afterwards.
bool PM_LadderMove(pm_step_t *pm);

/// Finds the conveyor, current or pusher that carries the player. If the player left a carrier,
/// adds its velocity to the player's own.
void PM_FindCarrier(pm_step_t *pm);

/// Adds the carrier's velocity to the player's own, because the player jumps off.
void PM_LeaveCarrier(pm_step_t *pm);

/// Moves by the velocity and slides along obstacles. `first`: the trace of the whole move, if the
/// caller has already computed it, otherwise NULL.
void PM_SlideMove(pm_step_t *pm, const trace_t *first);

/// Moves like PM_SlideMove, and also climbs steps of at most sv_stepsize.
void PM_StepSlideMove(pm_step_t *pm, const trace_t *first);

/// If the jump button is pressed, jumps or swims up. Counts waterjump_ms down.
void PM_CheckJump(pm_step_t *pm);

/// If there is an edge in front of the player, starts a jump out of the water.
void PM_CheckWaterJump(pm_step_t *pm);

void PM_WaterMove(pm_step_t *pm);

/// Moves along the ground: straight ahead if that path is free, otherwise by PM_StepSlideMove.
void PM_GroundMove(pm_step_t *pm);

/// Finds ground for a vehicle in a valley. If the plane below is too steep, uses its mean with the
/// next plane down the slope, as article 004 does (docs/physics.md).
void PM_FindFooting(pm_step_t *pm);

/// Moves the player as a vehicle, which rolls on the ground and falls in the air.
void PM_DriveMove(pm_step_t *pm);

/// Calls `move` with pm->carried added to the velocity, and subtracts it afterwards.
void PM_MoveCarried(pm_step_t *pm, void (*move)(pm_step_t *pm));

void PM_AirMove(pm_step_t *pm);

void PM_SpectatorMove(pm_step_t *pm);

#endif
