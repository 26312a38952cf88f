/// model/pose.h - computes bone poses: animations, blending, controllers, matrices.
//
// Units:   qu, ms.
// Memory:  none; a pose_cache_t has a fixed size.
// Repeat:  bit-identical on every compiler, with and without cache.

#ifndef EDICTD_MODEL_POSE_H
#define EDICTD_MODEL_POSE_H

#include "collide/pose.h"
#include "model/model.h"
#include "state/motion.h"

EXTERN_C_BEGIN

/// Bone poses are computed only at multiples of this time, ms; other times are rounded down.
enum { POSE_STEP_MS = 8 };

/// Transforms of all bones, relative to their parents.
typedef struct {
    model_key_t bones[MAX_BONES];
} local_pose_t;

/// Axes and origin of a bone in model space.
typedef struct {
    vec3_t axes[3], origin;
} bone_matrix_t;

typedef struct {
    bone_matrix_t bones[MAX_BONES];
} model_pose_t;

/// Inputs of a bone pose.
typedef struct {
    int32_t animations[2]; ///< numbers; out of range = bind pose
    int64_t times_ms[2];   ///< time since each animation started; negative counts as 0
    float blend;           ///< weight of the second animation, [0, 1]
    float controllers[MAX_CONTROLLERS];
} pose_request_t;

enum { POSE_CACHE_WAYS = 4, POSE_CACHE_SETS = 64 };

typedef struct {
    uint64_t model;     ///< hash of the model
    uint32_t animation; ///< number + 1; 0 = the entry is empty
    uint32_t step;
    uint64_t used; ///< cache->asked at the last use
    local_pose_t pose;
} pose_entry_t;

typedef struct {
    vec3_t middle;
    vec3_t axes[3]; ///< orthogonal unit vectors
    vec3_t half;    ///< half size along each of the axes
} turned_box_t;

enum { PLACED_SLOTS = 64 };

/// Everything that determines an entity's hitboxes.
typedef struct {
    uint64_t model; ///< hash of the model
    int32_t animations[2];
    uint32_t steps[2];
    float blend;
    float controllers[MAX_CONTROLLERS];
    vec3_t origin, angles;
    uint32_t is_set; ///< 0 = the entry is empty
} placed_key_t;

static_assert(sizeof(placed_key_t) == 8 + 4 * (4 + 1 + MAX_CONTROLLERS + 6 + 1),
              "placed_key_t must have no padding");

/// The last hitboxes of a slot, so that several shots in a tick compute them once.
typedef struct {
    placed_key_t key;
    turned_box_t boxes[MAX_HITBOXES];
} placed_entry_t;

/// A cache of bone poses and hitboxes; zeroed = empty. Changes no result.
typedef struct pose_cache_s {
    uint64_t asked, missed; ///< number of requested and of computed poses
    pose_entry_t entries[POSE_CACHE_SETS][POSE_CACHE_WAYS];
    uint64_t placed_asked, placed_missed;
    placed_entry_t placed[PLACED_SLOTS];
} pose_cache_t;

/// Converts the playing time to steps of POSE_STEP_MS, wrapped or clamped to the animation. Returns
/// 0 for an unknown animation.
uint32_t Pose_Step(const model_t *model, int32_t animation, int64_t time_ms);

/// Computes the bone pose of an animation at a step. An unknown animation gives the bind pose.
void Pose_Local(const model_t *model, int32_t animation, uint32_t step, local_pose_t *pose);

/// Like Pose_Local, but looks in a cache first. `cache`: NULL = use `scratch`. The result is valid
/// until the next call.
const local_pose_t *Pose_Cached(pose_cache_t *cache, const model_t *model, int32_t animation,
                                uint32_t step, local_pose_t *scratch);

/// Computes the transforms of all bones in model space. `cache` may be NULL.
void Pose_Evaluate(pose_cache_t *cache, const model_t *model, const pose_request_t *request,
                   model_pose_t *pose);

/// Returns the pose in the world of a bone of a model at `at`.
pose_t Pose_OfBone(const bone_matrix_t *bone, const cm_pose_t *at);

EXTERN_C_END

#endif
