/// state/motion.h - the motion record of a pusher. Its pose is a pure function of this record and
/// its local time (PM_PusherPose), never accumulated. Server and client hold the same bits.
//
// Units:   qu, degrees, ms of the pusher's local time: world time less the time it was blocked.
// Memory:  plain data without padding; lies in the world block.

#ifndef EDICTD_STATE_MOTION_H
#define EDICTD_STATE_MOTION_H

#include "math/vec3.h"

typedef enum {
    MOTION_NONE,  ///< rests at its base
    MOTION_MOVE,  ///< moves from its base by delta and delta_angles in the duration, then rests
    MOTION_SPIN,  ///< turns by delta_angles in each duration, without end
    MOTION_SWING, ///< swings about its base: delta and delta_angles times the sine of the time,
                  ///< one whole swing in each duration
    MOTION_COUNT
} motion_kind_t;

/// Position and orientation.
typedef struct {
    vec3_t origin, angles;
} pose_t;

/// `base` is a pose in the world. For a pusher that rides on a parent, it is the pose while the
/// parent was at parent_base; the parent then carries it along.
typedef struct {
    int64_t start_ms;    ///< local time of its start
    int32_t kind;        ///< motion_kind_t
    int32_t duration_ms; ///< above 0, except with MOTION_NONE
    pose_t base;
    vec3_t delta;        ///< qu
    vec3_t delta_angles; ///< degrees
    vec3_t bend;         ///< MOTION_MOVE: offset of the middle of the path from the straight line
    int32_t parent;      ///< edict number of the pusher it rides on; 0 = none
    pose_t parent_base;
} motion_t;

static_assert(sizeof(motion_t) == 104, "no padding");

#endif
