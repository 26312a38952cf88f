// fuzz_mdl.c - any bytes as a studio model of Half-Life.
//
// Input:      the file. The seeds are from tests/unit/tools/mesh/make_mdl.py.
// Invariants: a refusal has the file's name and leaves nothing allocated; the reader accepts an
//             accepted model, and its bones are at finite positions.

#include "base/assert.h"
#include "fuzz/check_model.h"
#include "mesh/mdl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const me_rig_options_t options = {0};
    similar_t root = {{0.0, 0.0, 0.6, 0.8}, size % 2 ? 1.0 : 2.5, {1.0, 2.0, -36.0}};
    me_rig_t *rig = calloc(1, sizeof *rig);
    err_t err = {""};
    ASSERT(rig);
    const me_source_t source = {"fuzz.mdl", data, size};
    if (ME_ReadMdl(rig, &source, &root, &options, &err)) {
        check_model(rig, MAX_MODEL_COORD * MAX_BONES * 2.0f);
    } else {
        ASSERT(strncmp(err.text, "fuzz.mdl: ", 10) == 0 && !rig->keys && rig->num_bones == 0);
    }
    ME_FreeRig(rig);
    free(rig);
    return 0;
}
