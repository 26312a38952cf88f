/// move/body.h - the ray, sweep and drop movers of articles 002 to 004 (docs/physics.md), for
/// monsters and vehicles.
//
// Queries the world only through pm_world_t.
// Units:   qu, qu/s, degrees; dt in seconds.
// Memory:  all state is in the pm_body_t.
// Repeat:  the same state and world give exactly the same result.
// Source:  the articles, with corrections (see each file).

#ifndef EDICTD_MOVE_BODY_H
#define EDICTD_MOVE_BODY_H

#include "move/pmove.h"

typedef enum {
    MOVER_STEP,  ///< no mover: server/physics/step.c moves the edict
    MOVER_RAY,   ///< article 002: moves a point over terrain; limits pitch and roll
    MOVER_SWEEP, ///< article 003: sweeps a box vertically, then horizontally, and slides
    MOVER_DROP,  ///< article 004: drops a box onto ground found by four rays; slides along contacts
    MOVER_COUNT
} pm_mover_t;

/// The moved body. Set x and y of `velocity` to steer; an upward z jumps.
typedef struct {
    vec3_t origin, velocity;
    vec3_t mins, maxs;         ///< relative to origin; MOVER_RAY moves the middle of the underside
    float max_pitch, max_roll; ///< MOVER_RAY: steepest ground, degrees; 0 = 45.57 (normal.z 0.7)
    float step_height;         ///< qu; 0 = RAY: 1, SWEEP: no steps, DROP: sv_stepsize
    vec3_t up;                 ///< normal of the ground, or 0 0 1 in the air
    int32_t ground;            ///< edict under the body, 0 = the world, -1 = in the air
    vec3_t blocked;            ///< normal of the obstacle that blocked this move; 0 0 0 = none
    int32_t bumped;            ///< edict number of that obstacle; -1 = none
} pm_body_t;

/// Moves a body for dt seconds, with gravity in the air. `mover`: not MOVER_STEP. Never ends in
/// solid unless it starts there. Clamps the speed per axis to sv_maxvelocity; NaN becomes 0.
void PM_MoveBody(pm_body_t *body, pm_mover_t mover, float dt, const movevars_t *vars,
                 const pm_world_t *world);

/// Like PM_MoveBody, but without gravity and clamps. A body with an upward velocity must be in the
/// air.
void PM_RunMover(pm_body_t *body, pm_mover_t mover, float dt, const movevars_t *vars,
                 const pm_world_t *world);

/// Returns the angles of a body with this yaw on a plane with normal `up`.
vec3_t PM_AlignAngles(float yaw, vec3_t up);

#endif
