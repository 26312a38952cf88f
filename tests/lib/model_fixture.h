/// model_fixture.h - generated models for tests: bones, hitboxes, animations, from a seed.

#ifndef EDICTD_TESTS_MODEL_FIXTURE_H
#define EDICTD_TESTS_MODEL_FIXTURE_H

#include "base/rng.h"
#include "model/model.h"

typedef struct {
    model_bone_t bones[MAX_BONES];
    model_controller_t controllers[MAX_CONTROLLERS];
    model_hitbox_t hitboxes[MAX_HITBOXES];
    model_animation_t animations[4];
    model_key_t keys[4 * 8 * MAX_BONES];
    model_t model;  ///< views of the arrays above
    uint8_t *bytes; ///< the same model as an .emesh file
    size_t size;
    emesh_t file; ///< parsed from bytes
    model_t read; ///< read from file
} test_model_t;

/// Returns a random rotation.
quat_t TestModel_Turn(rng_t *rng);

/// Makes a model of `num_bones` bones, writes it and reads it back. TestModel_Free frees it.
test_model_t *TestModel_Make(uint64_t seed, int32_t num_bones, int32_t num_hitboxes);

/// Writes the model into `bytes` again after a test changed its arrays, and parses the file.
void TestModel_Write(test_model_t *test);

void TestModel_Free(test_model_t *test);

#endif
