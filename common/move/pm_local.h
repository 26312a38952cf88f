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
    pm_volume_t volume;   ///< volumes that the player touches
    vec3_t carried;       ///< conveyors and currents, qu/s; added for this step's move only
} pm_step_t;

static inline bool PM_OnGround(const pm_step_t *pm) {
    return (pm->player->flags & PMF_ONGROUND) != 0;
}

static inline void PM_SetAirborne(pm_step_t *pm) {
    pm->player->flags &= ~PMF_ONGROUND;
    pm->player->groundentity = -1;
}

/// Sweeps the player's box. A sweep that starts in solid does not move.
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

/// Puts the player in the air and ends its jumps.
void PM_Float(pm_step_t *pm);

/// Finds water and ground, and moves the player out of solid.
void PM_FindPosition(pm_step_t *pm);

/// Like PM_FindPosition, but without ground: for players that fly or rise.
void PM_FindFreePosition(pm_step_t *pm);

/// Finds water and ground, and lowers the player onto the ground. If the ground trace starts in
/// solid, clears the ground and returns false.
bool PM_CategorizePosition(pm_step_t *pm);

/// Moves the player to `origin` and returns true, if the box is free there.
bool PM_TryOrigin(pm_step_t *pm, vec3_t origin);

/// Moves a player out of solid to a free position nearby, if any.
void PM_NudgePosition(pm_step_t *pm);

void PM_Friction(pm_step_t *pm);

/// Accelerates until the speed along wishdir is wishspeed.
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

/// Climbs on a touched ladder. Returns true if the player is on a ladder afterwards.
bool PM_LadderMove(pm_step_t *pm);

/// Finds the carrier: a conveyor, current or pusher. A player that leaves a carrier keeps its
/// velocity.
void PM_FindCarrier(pm_step_t *pm);

/// Adds the carrier's velocity to that of a player who jumps off.
void PM_LeaveCarrier(pm_step_t *pm);

/// Moves by the velocity and slides along obstacles. `first`: the trace of the whole move, if the
/// caller has computed it, otherwise NULL.
void PM_SlideMove(pm_step_t *pm, const trace_t *first);

/// Like PM_SlideMove, but climbs steps of at most sv_stepsize.
void PM_StepSlideMove(pm_step_t *pm, const trace_t *first);

/// Jumps or swims up while the button is pressed. Counts waterjump_ms down.
void PM_CheckJump(pm_step_t *pm);

/// Starts a jump out of the water at an edge.
void PM_CheckWaterJump(pm_step_t *pm);

void PM_WaterMove(pm_step_t *pm);

/// Moves along the ground: straight ahead if that path is free, otherwise by PM_StepSlideMove.
void PM_GroundMove(pm_step_t *pm);

/// Finds ground for a vehicle in a valley. On too steep a plane, uses its mean with the next plane
/// downhill (docs/physics.md, article 004).
void PM_FindFooting(pm_step_t *pm);

/// Rolls a vehicle on the ground; it falls in the air.
void PM_DriveMove(pm_step_t *pm);

/// Calls `move` with pm->carried added to the velocity, and subtracts it afterwards.
void PM_MoveCarried(pm_step_t *pm, void (*move)(pm_step_t *pm));

void PM_AirMove(pm_step_t *pm);

/// Moves a spectator, or a player with MOVETYPE_NOCLIP.
void PM_SpectatorMove(pm_step_t *pm);

/// Moves a player with MOVETYPE_FLY: swims through air and water.
void PM_FlyMove(pm_step_t *pm);

/// Moves a player with MOVETYPE_TOSS: falls without control and comes to rest on floors.
void PM_TossMove(pm_step_t *pm);

#endif
