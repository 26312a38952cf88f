/// client/models.c - models with bones, for programs that draw them.

#include "client/cl_local.h"
#include "model/emesh.h"
#include "model/pose.h"

#include <stdlib.h>
#include <string.h>

#define FILE_ALIGNMENT 64 // of the sections, which the model points into

static_assert((int)CL_MAX_BONES == (int)MAX_BONES && sizeof(cl_bone_t) == sizeof(bone_matrix_t),
              "a bone as edict/client.h has it");

/// A model and the bytes that it points into. The model is the first member.
typedef struct {
    model_t model;
    emesh_t file;
    void *bytes;
} owned_model_t;

cl_model_t *CL_ModelRead(const char *name, const void *data, size_t size, cl_err_t *err) {
    owned_model_t *owned = size <= MAX_EMESH_BYTES ? calloc(1, sizeof *owned) : NULL;
    size_t room = (size + FILE_ALIGNMENT) / FILE_ALIGNMENT * FILE_ALIGNMENT;
    if (!owned || !(owned->bytes = aligned_alloc(FILE_ALIGNMENT, room))) {
        free(owned);
        Err_Set(err, "%s: no memory for a model of %zu bytes", name, size);
        return NULL;
    }
    memcpy(owned->bytes, data, size);
    bool is_good = EMesh_Parse(&owned->file, name, owned->bytes, size, err) &&
                   Model_Read(&owned->model, &owned->file, name, err);
    if (is_good && owned->model.num_bones > 0) {
        return &owned->model;
    }
    if (is_good) {
        Err_Set(err, "%s: expected a model with bones, found none", name);
    }
    CL_ModelFree(&owned->model);
    return NULL;
}

void CL_ModelFree(cl_model_t *model) {
    owned_model_t *owned = (owned_model_t *)model;
    if (owned) {
        EMesh_Free(&owned->file);
        free(owned->bytes);
        free(owned);
    }
}

uint64_t CL_ModelHash(const cl_model_t *model) {
    return model->hash;
}

int32_t CL_ModelBones(const cl_model_t *model) {
    return model->num_bones;
}

const char *CL_ModelBone(const cl_model_t *model, int32_t bone, int32_t *parent) {
    bool is_one = bone >= 0 && bone < model->num_bones;
    if (parent) {
        *parent = is_one ? model->bones[bone].parent : -1;
    }
    return is_one ? model->bones[bone].name : "";
}

const char *CL_ModelAnimation(const cl_model_t *model, int32_t animation, int32_t *length_ms) {
    bool is_one = animation >= 0 && animation < model->num_animations;
    const model_animation_t *found = is_one ? &model->animations[animation] : NULL;
    if (length_ms) {
        *length_ms = found ? found->num_frames * found->frame_ms : 0;
    }
    return found ? found->name : "";
}

void CL_ModelPose(const cl_model_t *model, const cl_bones_t *bones, cl_bone_t list[CL_MAX_BONES]) {
    const pose_request_t request = {
        .animations = {bones->animations[0], bones->animations[1]},
        .times_ms = {bones->times_ms[0], bones->times_ms[1]},
        .blend = bones->blend,
        .controllers = {bones->controllers[0], bones->controllers[1], bones->controllers[2],
                        bones->controllers[3]},
    };
    model_pose_t pose;
    Pose_Evaluate(NULL, model, &request, &pose);
    memcpy(list, pose.bones, (size_t)model->num_bones * sizeof list[0]);
}
