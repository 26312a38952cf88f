/// state/motion.h - the motion record of a pusher, such as a door or lift. Its pose is computed
/// from this record and a time alone, so server and client compute exactly the same pose.
//
// Units:   qu, degrees, ms of the pusher's local time: world time less the time it was blocked.
// Memory:  plain data without padding; is in the world block.

#ifndef EDICTD_STATE_MOTION_H
#define EDICTD_STATE_MOTION_H

#include "math/vec3.h"

typedef enum {
    MOTION_NONE,  ///< rests at the base pose
    MOTION_MOVE,  ///< moves from the base by delta and delta_angles in the duration, then rests
    MOTION_SPIN,  ///< turns by delta_angles in each duration, without end
    MOTION_SWING, ///< swings about the base pose: base + sine * delta, one period per duration
    MOTION_COUNT
} motion_kind_t;

/// Position and orientation.
typedef struct {
    vec3_t origin, angles;
} pose_t;

/// A motion record. If another pusher carries this one, `base` is the base pose while that pusher
/// is at parent_base.
typedef struct {
    int64_t start_ms;    ///< local time at which the motion starts
    int32_t kind;        ///< motion_kind_t
    int32_t duration_ms; ///< above 0, except for MOTION_NONE
    pose_t base;
    vec3_t delta;        ///< qu
    vec3_t delta_angles; ///< degrees
    vec3_t bend;         ///< MOTION_MOVE: offset of the path's middle from the straight line
    int32_t parent;      ///< edict number of the pusher that carries this one; 0 = none
    pose_t parent_base;
} motion_t;

static_assert(sizeof(motion_t) == 104, "motion_t must have no padding");

#endif
