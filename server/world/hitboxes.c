#include "world/hitboxes.h"

#include "bsp/map.h"
#include "world/tick_time.h"

#include <string.h>

#define MAX_START_MS (INT64_C(1) << 48) // ms; a game may write any time, clamped to this

_Static_assert(COUNTOF(((edict_t *)NULL)->controllers) == MAX_CONTROLLERS, "same count");

const model_t *SV_SkeletonModel(const sv_context_t *sv, int32_t number) {
    if (number >= FIRST_MAP_SKELETON) {
        return Map_Skeleton(sv->map, number - FIRST_MAP_SKELETON);
    }
    return number >= 1 && number < sv->num_models ? &sv->models[number] : NULL;
}

const model_t *SV_Skeleton(const sv_context_t *sv, const edict_t *edict) {
    const model_t *model = SV_SkeletonModel(sv, edict->skeleton);
    return model && model->num_hitboxes > 0 ? model : NULL;
}

static cm_object_t object_of(const edict_t *edict) {
    vec3_t upright = {0.0f, edict->angles.y, 0.0f};
    return (cm_object_t){.origin = edict->origin,
                         .angles = edict->flags & FL_CLIENT ? upright : edict->angles};
}

cm_pose_t SV_SkeletonPlace(const edict_t *edict) {
    cm_object_t object = object_of(edict);
    return CM_MakePose(&object);
}

// Returns the time since start_ms, in 0..now_ms: a game may write any start time.
static int64_t time_since(int64_t now_ms, int64_t start_ms) {
    return start_ms >= now_ms ? 0 : start_ms < 0 ? now_ms : now_ms - start_ms;
}

pose_request_t SV_SkeletonRequest(const world_t *world, const edict_t *edict) {
    pose_request_t request = {.blend = edict->anim_blend};
    for (int32_t i = 0; i < 2; i++) {
        request.animations[i] = edict->animations[i];
        request.times_ms[i] = time_since(world->time_ms, edict->anim_start_ms[i]);
    }
    for (int32_t i = 0; i < MAX_CONTROLLERS; i++) {
        request.controllers[i] = edict->controllers[i];
    }
    return request;
}

int64_t SV_ShownShift(const world_t *world, int64_t tick) {
    return Ticks_EndMs(World_TickRate(world), tick) - world->time_ms;
}

entity_bones_t SV_ShownBones(const edict_t *edict, int64_t shift_ms) {
    entity_bones_t bones = {.skeleton = edict->skeleton, .blend = edict->anim_blend};
    for (int32_t i = 0; i < 2; i++) {
        const int64_t start_ms = edict->anim_start_ms[i] < 0 ? 0 : edict->anim_start_ms[i];
        bones.animations[i] = edict->animations[i];
        bones.start_ms[i] = start_ms < MAX_START_MS ? start_ms + shift_ms : MAX_START_MS;
    }
    memcpy(bones.controllers, edict->controllers, sizeof bones.controllers);
    return bones;
}

trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept) {
    turned_box_t scratch[MAX_HITBOXES];
    pose_request_t request = SV_SkeletonRequest(sv->world, edict);
    cm_object_t object = object_of(edict);
    uint32_t slot = (uint32_t)World_EdictNumber(sv->world, edict);
    const turned_box_t *boxes = Hitbox_PlaceAll(sv->poses, slot, model, &request, &object, scratch);
    return CM_PlacedTrace(model, boxes, start, end, swept);
}

// ---- the pose of a bone ----

bool SV_BonePose(const sv_context_t *sv, const edict_t *edict, const char *name, pose_t *out) {
    const model_t *model = SV_SkeletonModel(sv, edict->skeleton);
    int32_t number = model ? Model_FindBone(model, name) : -1;
    if (number < 0) {
        return false;
    }
    pose_request_t request = SV_SkeletonRequest(sv->world, edict);
    model_pose_t pose;
    Pose_Evaluate(sv->poses, model, &request, &pose);
    cm_pose_t at = SV_SkeletonPlace(edict);
    *out = Pose_OfBone(&pose.bones[number], &at);
    return true;
}

// ---- the box of a skeleton ----

#define BOX_MOMENTS 64   // maximum samples of an animation
#define BOX_MARGIN  1.0f // qu, for the times between samples

static void add_pose(const model_t *model, const pose_request_t *request, const cm_pose_t *at,
                     bounds_t *box) {
    model_pose_t pose;
    Pose_Evaluate(NULL, model, request, &pose);
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        turned_box_t one = Hitbox_Place(model, &pose, i, at);
        vec3_t reach = {fabsf(one.axes[0].x) * one.half.x + fabsf(one.axes[1].x) * one.half.y +
                            fabsf(one.axes[2].x) * one.half.z,
                        fabsf(one.axes[0].y) * one.half.x + fabsf(one.axes[1].y) * one.half.y +
                            fabsf(one.axes[2].y) * one.half.z,
                        fabsf(one.axes[0].z) * one.half.x + fabsf(one.axes[1].z) * one.half.y +
                            fabsf(one.axes[2].z) * one.half.z};
        box->mins = VectorMin(box->mins, VectorSubtract(one.middle, reach));
        box->maxs = VectorMax(box->maxs, VectorAdd(one.middle, reach));
    }
}

bool SV_SkeletonBox(const sv_context_t *sv, const edict_t *edict, bounds_t *box) {
    const model_t *model = SV_Skeleton(sv, edict);
    if (!model) {
        return false;
    }
    pose_request_t request = SV_SkeletonRequest(sv->world, edict);
    cm_pose_t at = SV_SkeletonPlace(edict);
    at.origin = Vector(0.0f, 0.0f, 0.0f);
    request.blend = 0.0f;
    int32_t which = request.animations[0];
    bool has_one = which >= 0 && which < model->num_animations;
    const model_animation_t *one = has_one ? &model->animations[which] : NULL;
    int64_t length_ms = one ? (int64_t)one->num_frames * one->frame_ms : 0;
    const vec3_t far = {MAX_WORLD_COORD, MAX_WORLD_COORD, MAX_WORLD_COORD};
    *box = (bounds_t){far, VectorNegate(far)};
    // Bone poses change every POSE_STEP_MS, so take at most one sample per step.
    int64_t steps = length_ms / POSE_STEP_MS + 1;
    int64_t moments = steps < BOX_MOMENTS ? steps : BOX_MOMENTS;
    for (int64_t i = 0; i < moments; i++) {
        request.times_ms[0] = length_ms * i / moments;
        add_pose(model, &request, &at, box);
    }
    const vec3_t margin = {BOX_MARGIN, BOX_MARGIN, BOX_MARGIN};
    vec3_t lo = VectorSubtract(box->mins, margin);
    vec3_t hi = VectorAdd(box->maxs, margin);
    // Round outwards to whole qu, which the protocol sends without rounding.
    *box = (bounds_t){{floorf(lo.x), floorf(lo.y), floorf(lo.z)},
                      {ceilf(hi.x), ceilf(hi.y), ceilf(hi.z)}};
    return true;
}
