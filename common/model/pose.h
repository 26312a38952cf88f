/// model/pose.h - where a model's bones are at a time: animations, blended, controllers, matrices.
//
// Floor:   model.
// Units:   qu, ms.
// Memory:  none is allocated; a pose_cache_t is its owner's, of fixed size.
// Repeat:  bit-identical on every compiler, and whether a cache has it or not: the time is
//          cut to steps of POSE_STEP_MS before anything is worked out; what a cache keeps is
//          all that there is.

#ifndef EDICTD_MODEL_POSE_H
#define EDICTD_MODEL_POSE_H

#include "collide/pose.h"
#include "model/model.h"

EXTERN_C_BEGIN

/// Poses are those of times that are multiples of this.
enum { POSE_STEP_MS = 8 };

/// Where all bones are in their parents' spaces.
typedef struct {
    model_key_t bones[MAX_BONES];
} local_pose_t;

/// Where a bone is in the model's space. The axes are its own; a point's coordinates in the bone's
/// space are the products with them, so that this is the inverse matrix, too.
typedef struct {
    vec3_t axes[3], origin;
} bone_matrix_t;

typedef struct {
    bone_matrix_t bones[MAX_BONES];
} model_pose_t;

/// What a model does.
typedef struct {
    int32_t animations[2]; ///< out of range: the bind pose
    int64_t times_ms[2];   ///< since each began; negative counts as 0
    float blend;           ///< share of the second, [0, 1]
    float controllers[MAX_CONTROLLERS];
} pose_request_t;

enum { POSE_CACHE_WAYS = 4, POSE_CACHE_SETS = 64 };

typedef struct {
    uint64_t model;     ///< its hash
    uint32_t animation; ///< + 1; 0 = nothing is kept here
    uint32_t step;
    uint64_t used; ///< the count of questions when it was last asked for
    local_pose_t pose;
} pose_entry_t;

/// A box that is turned in any way.
typedef struct {
    vec3_t middle;
    vec3_t axes[3]; ///< of length 1, each at right angles to the others
    vec3_t half;    ///< along each axis
} turned_box_t;

enum { PLACED_SLOTS = 64 };

/// All that hitboxes as they stand follow from.
typedef struct {
    uint64_t model; ///< its hash
    int32_t animations[2];
    uint32_t steps[2];
    float blend;
    float controllers[MAX_CONTROLLERS];
    vec3_t origin, angles;
    uint32_t is_set; ///< 0 = nothing is kept here
} placed_key_t;

static_assert(sizeof(placed_key_t) == 8 + 4 * (4 + 1 + MAX_CONTROLLERS + 6 + 1), "no padding");

/// Hitboxes as they were last placed for one who asks: several shots at him in a tick place them
/// once.
typedef struct {
    placed_key_t key;
    turned_box_t boxes[MAX_HITBOXES];
} placed_entry_t;

/// Local poses by model, animation and step, and hitboxes as they stand: memory of pure functions.
/// All zero is empty. No part of the world: what it holds changes no answer.
typedef struct pose_cache_s {
    uint64_t asked, missed; ///< local poses, for who wants to know
    pose_entry_t entries[POSE_CACHE_SETS][POSE_CACHE_WAYS];
    uint64_t placed_asked, placed_missed;
    placed_entry_t placed[PLACED_SLOTS];
} pose_cache_t;

/// Which step of an animation a time is: the time in the loop, or up to the last frame, in
/// POSE_STEP_MS. 0 where there is no such animation.
uint32_t Pose_Step(const model_t *model, int32_t animation, int64_t time_ms);

/// The bones of an animation at a step; those of the bind pose where there is no such animation.
void Pose_Local(const model_t *model, int32_t animation, uint32_t step, local_pose_t *pose);

/// The same from a cache, which may be NULL: then `scratch` gets it. The answer is good until the
/// next call.
const local_pose_t *Pose_Cached(pose_cache_t *cache, const model_t *model, int32_t animation,
                                uint32_t step, local_pose_t *scratch);

/// All bones in the model's space. `cache` may be NULL.
void Pose_Evaluate(pose_cache_t *cache, const model_t *model, const pose_request_t *request,
                   model_pose_t *pose);

EXTERN_C_END

#endif
