/// fuzz/check_model.h - the check that the fuzz targets of model files share.

#ifndef EDICTD_FUZZ_CHECK_MODEL_H
#define EDICTD_FUZZ_CHECK_MODEL_H

#include "base/assert.h"
#include "mesh/rig.h"
#include "model/emesh.h"
#include "model/emesh_write.h"
#include "model/pose.h"

#include <stdlib.h>

/// Returns options for the rig. `kind`: which options; `pick`: their values.
static inline me_rig_options_t rig_options(uint8_t kind, uint8_t pick) {
    static const char *const controllers[] = {"aim=head:turn_y:-30:30", "aim=a:move_x:0:4",
                                              "aim=hips:turn_q:0:1", "=::::"};
    static const char *const names[] = {"run", "wave", "look", "look.2"};
    me_rig_options_t options = {.hitboxes = (me_hitboxes_t)(kind % 3),
                                .fps = kind & 4 ? 1.0 + pick : 0.0};
    if (kind & 8) {
        options.controllers[options.num_controllers++] = controllers[pick % 4];
    }
    if (kind & 16) {
        options.once[options.num_once++] = names[pick / 4 % 4];
    }
    if (kind & 32) {
        options.only[options.num_only++] = names[pick / 16 % 4];
    }
    return options;
}

/// Checks that the model written and read again is the same, and that its bones stay
/// within `limit` qu on each axis.
static inline void check_model(const me_rig_t *rig, float limit) {
    model_t model = ME_ModelOf(rig);
    model_t read;
    emesh_section_t sections[3];
    uint8_t *owned[3];
    size_t size = 0;
    emesh_t file;
    err_t err = {""};
    int32_t count = Model_Sections(&model, sections, owned);
    ASSERT(count > 0);
    uint8_t *bytes = EMesh_Bytes(sections, count, &size);
    ASSERT(bytes && EMesh_Parse(&file, "fuzz", bytes, size, &err));
    ASSERT(Model_Read(&read, &file, "fuzz", &err));
    ASSERT(read.num_bones == model.num_bones && read.num_hitboxes == model.num_hitboxes &&
           read.num_animations == model.num_animations && read.num_frames == model.num_frames &&
           read.num_controllers == model.num_controllers);
    for (int32_t i = -1; i < read.num_animations; i++) {
        model_pose_t pose;
        const pose_request_t request = {.animations = {i, i}, .times_ms = {77, 777}, .blend = 0.5f};
        Pose_Evaluate(NULL, &read, &request, &pose);
        for (int32_t b = 0; b < read.num_bones; b++) {
            ASSERT(VectorWithin(pose.bones[b].origin, limit));
        }
    }
    free(bytes);
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
}

#endif
