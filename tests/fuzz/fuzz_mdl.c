// fuzz_mdl.c - any bytes as a studio model of Half-Life.
//
// Input:      the file. The seeds are from tests/unit/tools/mesh/make_mdl.py.
// Invariants: a refusal has the file's name and leaves nothing allocated; the reader accepts an
//             accepted model, and its bones are at finite positions.

#include "base/assert.h"
#include "mesh/mdl.h"
#include "model/emesh_write.h"
#include "model/pose.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_model(const me_rig_t *rig) {
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
    for (int32_t i = -1; i < read.num_animations; i++) {
        model_pose_t pose;
        const pose_request_t request = {.animations = {i, -1}, .times_ms = {77, 0}, .blend = 0.5f};
        Pose_Evaluate(NULL, &read, &request, &pose);
        for (int32_t b = 0; b < read.num_bones; b++) {
            ASSERT(VectorWithin(pose.bones[b].origin, MAX_MODEL_COORD * MAX_BONES * 2.0f));
        }
    }
    free(bytes);
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const me_rig_options_t options = {0};
    similar_t root = {{0.0, 0.0, 0.6, 0.8}, size % 2 ? 1.0 : 2.5, {1.0, 2.0, -36.0}};
    me_rig_t *rig = calloc(1, sizeof *rig);
    err_t err = {""};
    ASSERT(rig);
    const me_source_t source = {"fuzz.mdl", data, size};
    if (ME_ReadMdl(rig, &source, &root, &options, &err)) {
        check_model(rig);
    } else {
        ASSERT(strncmp(err.text, "fuzz.mdl: ", 10) == 0 && !rig->keys && rig->num_bones == 0);
    }
    ME_FreeRig(rig);
    free(rig);
    return 0;
}
