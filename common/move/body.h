/// move/body.h - the movers of articles 002, 003 and 004: how a monster or a vehicle gets along that
/// does not walk as players do.
//
// Floor:   move. Knows the world only through pm_world_t.
// Units:   qu, qu/s, degrees; dt in seconds.
// Memory:  all state is in the pm_body_t.
// Repeat:  same state, same answers of the world = same bits.
// Source:  the articles' rules; what was put right in each stands in its file.

#ifndef EDICTD_MOVE_BODY_H
#define EDICTD_MOVE_BODY_H

#include "move/pmove.h"

typedef enum {
    MOVER_STEP,  ///< none of these: physics/step.c
    MOVER_RAY,   ///< article 002: a point on terrain, with limits for pitch and roll
    MOVER_SWEEP, ///< article 003: a box; a vertical, then a horizontal sweep, sliding
    MOVER_DROP,  ///< article 004: a box; four rays find the ground, overlaps lead along walls
    MOVER_COUNT
} pm_mover_t;

/// What is moved. Who steers it sets x and y of the velocity before each move, and z to jump.
typedef struct {
    vec3_t origin, velocity;
    vec3_t mins, maxs;         ///< MOVER_RAY moves the middle of the lower face
    float max_pitch, max_roll; ///< degrees, MOVER_RAY: steepest ground; 0 = 45.57 (normal.z 0.7)
    vec3_t up;                 ///< normal of the ground; 0 0 1 in the air
    int32_t ground;            ///< edict number stood on, 0 = the world; -1 = in the air
    vec3_t blocked;            ///< normal of what was in its way in this move; 0 0 0 = nothing
    int32_t bumped;            ///< edict number of that; -1 = nothing
} pm_body_t;

/// Moves a body by its velocity for dt: gravity in the air, then the mover's rules. It never ends
/// where it overlaps something solid, but where it stood so before.
/// mover: not MOVER_STEP. Bounds: sv_maxvelocity on each axis; NaN counts as 0.
void PM_MoveBody(pm_body_t *body, pm_mover_t mover, float dt, const movevars_t *vars,
                 const pm_world_t *world);

/// The angles of a body that faces `yaw` and stands on a plane.
vec3_t PM_AlignAngles(float yaw, vec3_t up);

#endif
