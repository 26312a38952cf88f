/// move/pm_local.h - what the files of pmove share with each other, and with nobody else.
//
// Floor:   move.
// Units:   qu, qu/s; dt in seconds, whole times in ms.
// Memory:  one pm_step_t on the stack of PM_Move; it does not outlive the call.

#ifndef EDICTD_MOVE_PM_LOCAL_H
#define EDICTD_MOVE_PM_LOCAL_H

#include "base/limits.h"
#include "move/pmove.h"

#define PM_MAX_CLIP_PLANES 5
#define PM_NUM_BUMPS       4
#define PM_MIN_STEP_NORMAL 0.7f      // a plane with less z is too steep to stand on (45.57 degrees)
#define PM_LEAVE_GROUND    180.0f    // qu/s; who rises faster is in the air
#define PM_HARD_LANDING    (-300.0f) // qu/s; who lands faster keeps no downward speed
#define PM_JUMP_COUNT_MS   50        // jump_ms starts over beyond this

/// One step being moved.
typedef struct {
    player_state_t *player;
    const movevars_t *vars;
    const pm_world_t *world;
    pm_touch_t *touch;
    pm_input_t input;
    float dt;        ///< s
    int32_t step_ms; ///< the same, ms
    vec3_t forward, right;
    vec3_t ground_normal; ///< of what the player stands on; only while PMF_ONGROUND
    pm_surface_t surface; ///< what that does; all zero while in the air
    pm_volume_t volume;   ///< what it is in
    vec3_t carried;       ///< qu/s; added to its velocity for this step's movement only
} pm_step_t;

static inline bool PM_OnGround(const pm_step_t *pm) {
    return (pm->player->flags & PMF_ONGROUND) != 0;
}

static inline void PM_SetAirborne(pm_step_t *pm) {
    pm->player->flags &= ~PMF_ONGROUND;
    pm->player->groundentity = -1;
}

/// Sweeps the player's box. A sweep that starts in solid has not moved: its fraction is 0 and its
/// endpos the start, even where it would leave the solid further on.
static inline trace_t PM_PlayerTrace(const pm_step_t *pm, vec3_t start, vec3_t end) {
    const player_state_t *player = pm->player;
    trace_t trace = pm->world->trace(pm->world->context, start, player->mins, player->maxs, end);
    if (trace.startsolid || trace.allsolid) {
        trace.fraction = 0.0f;
        trace.endpos = start;
    }
    return trace;
}

/// Remembers that the player bumped into an edict.
void PM_AddTouch(pm_step_t *pm, int32_t entnum);

/// Sets waterlevel and watertype.
void PM_CategorizeWater(pm_step_t *pm);

/// Finds water and ground where the player is, and lowers it onto the ground. False when it looked
/// for ground and found itself in solid: then it stands on nothing.
bool PM_CategorizePosition(pm_step_t *pm);

/// Moves a player that is in solid to a free place close by, if there is one.
void PM_NudgePosition(pm_step_t *pm);

/// Slows the player down by ground or water.
void PM_Friction(pm_step_t *pm);

/// Speeds up along wishdir until that component of the velocity is wishspeed.
void PM_Accelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed, float accelerate);

/// The same in the air: only sv_airspeedcap of wishspeed can be reached, as fast as all of it.
void PM_AirAccelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed);

/// Splits a wish into direction and speed, the speed held at most `limit`.
vec3_t PM_WishDirection(vec3_t wish, float limit, float *wishspeed);

/// The part of a velocity that does not go into a plane.
vec3_t PM_ClipVelocity(const pm_step_t *pm, vec3_t velocity, vec3_t normal);

/// What gravity adds to its downward speed in this step.
float PM_Fall(const pm_step_t *pm);

/// Ducks or stands up as the button says.
void PM_Duck(pm_step_t *pm);

/// Share of the wished speed that its posture allows.
float PM_PostureScale(const pm_step_t *pm);

/// Climbs when it is at a ladder. False when it is not on one (any more).
bool PM_LadderMove(pm_step_t *pm);

/// Finds out what carries it: conveyors, currents, pushers. What carried it until now and does no more
/// has given it its speed.
void PM_FindCarrier(pm_step_t *pm);

/// It has left the ground by itself in this step: the speed of what carried it is its own now.
void PM_LeaveCarrier(pm_step_t *pm);

/// Moves by the velocity, sliding along what is in the way. `first` is the sweep from the origin by
/// the whole velocity where the caller has it already, or NULL.
void PM_SlideMove(pm_step_t *pm, const trace_t *first);

/// The same along the ground, climbing steps up to sv_stepsize.
void PM_StepSlideMove(pm_step_t *pm, const trace_t *first);

/// Jumps, or swims up, when the button says so; counts waterjump_ms down.
void PM_CheckJump(pm_step_t *pm);

/// Starts a jump out of the water when there is an edge ahead.
void PM_CheckWaterJump(pm_step_t *pm);

/// Swims.
void PM_WaterMove(pm_step_t *pm);

/// Moves along the ground: straight on if nothing is in the way, else around and over it.
void PM_GroundMove(pm_step_t *pm);

/// A vehicle in a valley stands on both sides of it: where the plane below is too steep, but not it
/// and the next one taken together (article 004 averages them, too), that is ground. Not so for
/// those who walk: they slide.
void PM_FindFooting(pm_step_t *pm);

/// Rolls, or falls, as a vehicle.
void PM_DriveMove(pm_step_t *pm);

/// Moves with what carries it (pm->carried), too.
void PM_MoveCarried(pm_step_t *pm, void (*move)(pm_step_t *pm));

/// Walks on the ground, or falls.
void PM_AirMove(pm_step_t *pm);

/// Flies through everything.
void PM_SpectatorMove(pm_step_t *pm);

/// True for contents that are swum in.
static inline bool PM_IsLiquid(contents_t contents) {
    return (contents <= CONTENTS_WATER && contents >= CONTENTS_LAVA) ||
           (contents <= CONTENTS_CURRENT_0 && contents >= CONTENTS_CURRENT_DOWN);
}

#endif
