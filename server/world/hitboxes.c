#include "world/hitboxes.h"

_Static_assert(COUNTOF(((edict_t *)NULL)->controllers) == MAX_CONTROLLERS, "one for each");

const model_t *SV_Skeleton(const sv_context_t *sv, const edict_t *edict) {
    if (edict->skeleton < 1 || edict->skeleton >= sv->num_models) {
        return NULL;
    }
    const model_t *model = &sv->models[edict->skeleton];
    return model->num_hitboxes > 0 ? model : NULL;
}

cm_pose_t SV_SkeletonPlace(const edict_t *edict) {
    vec3_t upright = {0.0f, edict->angles.y, 0.0f};
    const cm_place_t place = {.origin = edict->origin,
                              .angles = edict->flags & FL_CLIENT ? upright : edict->angles};
    return CM_MakePose(&place);
}

// The game may have written any time: none is before the beginning, and nothing overflows.
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

trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept) {
    model_pose_t pose;
    pose_request_t request = SV_SkeletonRequest(sv->world, edict);
    cm_pose_t at = SV_SkeletonPlace(edict);
    Pose_Evaluate(sv->poses, model, &request, &pose);
    return CM_HitboxTrace(model, &pose, &at, start, end, swept);
}
