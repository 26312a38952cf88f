#include "model/pose.h"

#include "base/assert.h"
#include "base/types.h"
#include "math/angles.h"

#include <stddef.h>

// ---- rotations ----

static quat_t quat_multiply(quat_t a, quat_t b) {
    return (quat_t){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/// Blends along the shorter arc and normalizes. `share`: weight of b, [0, 1]. Returns a if the sum
/// is 0.
static quat_t quat_blend(quat_t a, quat_t b, float share) {
    float dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    float to = dot < 0.0f ? -share : share;
    float from = 1.0f - share;
    quat_t q = {a.x * from + b.x * to, a.y * from + b.y * to, a.z * from + b.z * to,
                a.w * from + b.w * to};
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 1e-6f)) {
        return a;
    }
    float scale = 1.0f / length;
    return (quat_t){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static model_key_t blend_keys(const model_key_t *a, const model_key_t *b, float share) {
    return (model_key_t){quat_blend(a->turn, b->turn, share),
                         VectorLerp(a->place, b->place, share)};
}

static void quat_axes(quat_t q, vec3_t axes[3]) {
    float x2 = q.x + q.x;
    float y2 = q.y + q.y;
    float z2 = q.z + q.z;
    axes[0] = Vector(1.0f - (q.y * y2 + q.z * z2), q.x * y2 + q.w * z2, q.x * z2 - q.w * y2);
    axes[1] = Vector(q.x * y2 - q.w * z2, 1.0f - (q.x * x2 + q.z * z2), q.y * z2 + q.w * x2);
    axes[2] = Vector(q.x * z2 + q.w * y2, q.y * z2 - q.w * x2, 1.0f - (q.x * x2 + q.y * y2));
}

// ---- one animation ----

static bool has_animation(const model_t *model, int32_t animation) {
    return animation >= 0 && animation < model->num_animations;
}

uint32_t Pose_Step(const model_t *model, int32_t animation, int64_t time_ms) {
    if (!has_animation(model, animation)) {
        return 0;
    }
    const model_animation_t *one = &model->animations[animation];
    int64_t at_ms = time_ms < 0 ? 0 : time_ms;
    if (one->loops) {
        at_ms %= (int64_t)one->num_frames * one->frame_ms;
    } else {
        int64_t last_ms = (int64_t)(one->num_frames - 1) * one->frame_ms;
        // Round up, so that the last step shows exactly the last frame.
        at_ms = at_ms >= last_ms ? last_ms + POSE_STEP_MS - 1 : at_ms;
    }
    return (uint32_t)(at_ms / POSE_STEP_MS);
}

void Pose_Local(const model_t *model, int32_t animation, uint32_t step, local_pose_t *pose) {
    int32_t count = model->num_bones;
    ASSERT(count <= MAX_BONES);
    if (!has_animation(model, animation)) {
        for (int32_t i = 0; i < count; i++) {
            pose->bones[i] = (model_key_t){model->bones[i].turn, model->bones[i].place};
        }
        return;
    }
    const model_animation_t *one = &model->animations[animation];
    int64_t at_ms = (int64_t)step * POSE_STEP_MS;
    int64_t frame = at_ms / one->frame_ms;
    int64_t rest_ms = at_ms - frame * one->frame_ms;
    int64_t last = one->num_frames - 1;
    if (frame >= last && !one->loops) {
        frame = last;
        rest_ms = 0;
    }
    frame = frame > last ? last : frame;
    int64_t next = frame < last ? frame + 1 : one->loops ? 0 : last;
    const model_key_t *from = model->keys + (size_t)(one->first_frame + frame) * (size_t)count;
    const model_key_t *to = model->keys + (size_t)(one->first_frame + next) * (size_t)count;
    float share = (float)(int32_t)rest_ms / (float)one->frame_ms;
    for (int32_t i = 0; i < count; i++) {
        pose->bones[i] = blend_keys(&from[i], &to[i], share);
    }
}

// ---- the cache ----

const local_pose_t *Pose_Cached(pose_cache_t *cache, const model_t *model, int32_t animation,
                                uint32_t step, local_pose_t *scratch) {
    if (!cache || !has_animation(model, animation)) {
        Pose_Local(model, animation, step, scratch);
        return scratch;
    }
    uint64_t mixed =
        (model->hash ^ ((uint64_t)step << 8 | (uint64_t)animation)) * UINT64_C(0x9E3779B97F4A7C15);
    pose_entry_t *set = cache->entries[(mixed >> 32) % POSE_CACHE_SETS];
    pose_entry_t *oldest = &set[0];
    uint32_t name = (uint32_t)animation + 1;
    uint64_t now = ++cache->asked;
    for (int32_t i = 0; i < POSE_CACHE_WAYS; i++) {
        pose_entry_t *entry = &set[i];
        if (entry->animation == name && entry->step == step && entry->model == model->hash) {
            entry->used = now;
            return &entry->pose;
        }
        oldest = entry->used < oldest->used ? entry : oldest;
    }
    cache->missed++;
    Pose_Local(model, animation, step, &oldest->pose);
    oldest->model = model->hash;
    oldest->animation = name;
    oldest->step = step;
    oldest->used = now;
    return &oldest->pose;
}

// ---- the whole pose ----

static void apply_controller(const model_controller_t *controller, float value, model_key_t *key) {
    float v = Q_ClampF(value, controller->min, controller->max);
    float s = 0.0f;
    float c = 1.0f;
    vec3_t axes[3];
    quat_axes(key->turn, axes);
    switch ((model_move_t)controller->move) {
    case MODEL_MOVE_X:
    case MODEL_MOVE_Y:
    case MODEL_MOVE_Z:
        key->place = VectorMA(key->place, v, axes[controller->move - MODEL_MOVE_X]);
        return;
    case MODEL_TURN_X:
    case MODEL_TURN_Y:
    case MODEL_TURN_Z:
        SinCos(0.5f * v, &s, &c);
        key->turn =
            quat_multiply(key->turn, (quat_t){controller->move == MODEL_TURN_X ? s : 0.0f,
                                              controller->move == MODEL_TURN_Y ? s : 0.0f,
                                              controller->move == MODEL_TURN_Z ? s : 0.0f, c});
        return;
    case NUM_MODEL_MOVES:
        break;
    }
    ASSERT(controller->move < NUM_MODEL_MOVES); // Model_Read checked it
}

static vec3_t turned(const vec3_t axes[3], vec3_t v) {
    return VectorMA(VectorMA(VectorScale(axes[0], v.x), v.y, axes[1]), v.z, axes[2]);
}

static void place_bones(const model_t *model, const local_pose_t *local, model_pose_t *pose) {
    for (int32_t i = 0; i < model->num_bones; i++) {
        const model_key_t *key = &local->bones[i];
        bone_matrix_t *bone = &pose->bones[i];
        int32_t parent = model->bones[i].parent;
        vec3_t own[3];
        quat_axes(key->turn, own);
        if (parent < 0) {
            *bone = (bone_matrix_t){{own[0], own[1], own[2]}, key->place};
            continue;
        }
        ASSERT(parent < i);
        const bone_matrix_t *up = &pose->bones[parent];
        for (int32_t axis = 0; axis < 3; axis++) {
            bone->axes[axis] = turned(up->axes, own[axis]);
        }
        bone->origin = VectorAdd(up->origin, turned(up->axes, key->place));
    }
}

void Pose_Evaluate(pose_cache_t *cache, const model_t *model, const pose_request_t *request,
                   model_pose_t *pose) {
    local_pose_t local;
    local_pose_t scratch;
    float blend = Q_ClampF(request->blend, 0.0f, 1.0f);
    // Skip an animation with weight 0.
    for (int32_t which = 0; which < 2; which++) {
        if (which == 0 ? blend == 1.0f : blend == 0.0f) {
            continue;
        }
        int32_t animation = request->animations[which];
        uint32_t step = Pose_Step(model, animation, request->times_ms[which]);
        const local_pose_t *one = Pose_Cached(cache, model, animation, step, &scratch);
        bool both = which == 1 && blend < 1.0f;
        for (int32_t i = 0; i < model->num_bones; i++) {
            local.bones[i] =
                both ? blend_keys(&local.bones[i], &one->bones[i], blend) : one->bones[i];
        }
    }
    for (int32_t i = 0; i < model->num_controllers; i++) {
        const model_controller_t *controller = &model->controllers[i];
        apply_controller(controller, request->controllers[i], &local.bones[controller->bone]);
    }
    place_bones(model, &local, pose);
}

pose_t Pose_OfBone(const bone_matrix_t *bone, const cm_pose_t *at) {
    double turn[3][3];
    for (int32_t axis = 0; axis < 3; axis++) {
        vec3_t v = CM_TurnToWorld(at, bone->axes[axis]);
        turn[0][axis] = (double)v.x;
        turn[1][axis] = (double)v.y;
        turn[2][axis] = (double)v.z;
    }
    return (pose_t){VectorAdd(at->origin, CM_TurnToWorld(at, bone->origin)), MatrixAngles(turn)};
}
