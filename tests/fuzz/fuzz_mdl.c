// fuzz_mdl.c - any bytes as a studio model of Half-Life, with any options.
//
// Input:      the file, and two bytes of options. The seeds are files that
//             tests/unit/tools/mesh/make_mdl.py wrote, each with several options.
// Invariants: a refusal has the file's name and leaves nothing allocated; the reader accepts an
//             accepted model, and its bones are at finite positions.

#include "base/assert.h"
#include "fuzz/check_model.h"
#include "mesh/mdl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t kind = size >= 2 ? data[size - 2] : 0;
    const me_rig_options_t options = rig_options(kind, size >= 2 ? data[size - 1] : 0);
    size -= size >= 2 ? 2 : 0;
    similar_t root = {{0.0, 0.0, 0.6, 0.8}, size % 2 ? 1.0 : 2.5, {1.0, 2.0, -36.0}};
    me_rig_t *rig = calloc(1, sizeof *rig);
    err_t err = {""};
    ASSERT(rig);
    const me_source_t source = {"fuzz.mdl", data, size};
    if (ME_ReadMdl(rig, &source, &root, &options, &err)) {
        check_model(rig, MAX_MODEL_COORD * MAX_BONES * 2.0f);
        ASSERT(options.hitboxes != ME_HITBOXES_NONE || rig->num_hitboxes == 0);
        ASSERT(options.num_controllers <= rig->num_controllers);
    } else {
        ASSERT(strncmp(err.text, "fuzz.mdl: ", 10) == 0 && !rig->keys && rig->num_bones == 0);
    }
    ME_FreeRig(rig);
    free(rig);
    return 0;
}
