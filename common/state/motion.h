/// state/motion.h - how a pusher moves: its pose is a pure function of this record and its local
/// time (PM_PusherPose), never accumulated. Server and client hold the same bits.
//
// Floor:   state.
// Units:   qu, degrees, ms of the pusher's local time (world time less what it stood blocked).
// Memory:  plain data without padding; lies in the world block.

#ifndef EDICTD_STATE_MOTION_H
#define EDICTD_STATE_MOTION_H

#include "math/vec3.h"

typedef enum {
    MOTION_NONE,  ///< stands at its base
    MOTION_MOVE,  ///< from its base by delta and delta_angles within the duration; then stays there
    MOTION_SPIN,  ///< turns by delta_angles in each duration, for ever
    MOTION_SWING, ///< to and fro about its base: delta, delta_angles times the sine of the time, a
                  ///< whole swing in each duration
    MOTION_COUNT
} motion_kind_t;

/// Where something is and how it is turned.
typedef struct {
    vec3_t origin, angles;
} pose_t;

/// The base pose is in the world, or, when it rides on a parent, in the world as it was when the
/// parent stood at parent_base: it is carried from there to where the parent is.
typedef struct {
    int64_t start_ms;    ///< local time it began at
    int32_t kind;        ///< motion_kind_t
    int32_t duration_ms; ///< > 0, unless MOTION_NONE
    pose_t base;
    vec3_t delta;        ///< qu
    vec3_t delta_angles; ///< degrees
    vec3_t bend;         ///< MOTION_MOVE: how far the way's middle lies off the straight line
    int32_t parent;      ///< edict number of the pusher it rides on; 0 = none
    pose_t parent_base;
} motion_t;

_Static_assert(sizeof(motion_t) == 104, "no padding");

#endif
