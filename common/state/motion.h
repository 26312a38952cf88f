/// state/motion.h - the motion record of a pusher. Record and time alone give the exact pose on
/// server and client.
//
// Units:   qu, degrees, ms of local time: world time less blocked time.
// Memory:  plain data without padding; is in the world block.

#ifndef EDICTD_STATE_MOTION_H
#define EDICTD_STATE_MOTION_H

#include "math/vec3.h"

typedef enum {
    MOTION_NONE,  ///< rests at the base pose
    MOTION_MOVE,  ///< moves from base by delta and delta_angles, then rests
    MOTION_SPIN,  ///< turns by delta_angles per duration, without end
    MOTION_SWING, ///< base + sine * delta, one period per duration
    MOTION_COUNT
} motion_kind_t;

/// Position and orientation.
typedef cl_pose_t pose_t;

/// A motion record. `base` is the base pose while the parent is at parent_base.
typedef struct {
    int64_t start_ms;    ///< local start time
    int32_t kind;        ///< motion_kind_t
    int32_t duration_ms; ///< above 0, except MOTION_NONE
    pose_t base;
    vec3_t delta;        ///< qu
    vec3_t delta_angles; ///< degrees
    vec3_t bend;         ///< MOTION_MOVE: offset of the path's middle
    int32_t parent;      ///< edict of the carrying pusher; 0 = none
    pose_t parent_base;
} motion_t;

/// The leg after a MOTION_MOVE: another MOTION_MOVE, from the pose that the first has then.
typedef struct {
    int64_t wait_ms;     ///< from the start of the first; 0 = there is no leg
    int32_t duration_ms; ///< above 0
    vec3_t delta, delta_angles, bend;
} leg_t;

static_assert(sizeof(leg_t) == 48, "leg_t must have no padding");
static_assert(sizeof(motion_t) == 104, "motion_t must have no padding");

#endif
