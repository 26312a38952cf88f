#include "lib/model_fixture.h"

#include "base/assert.h"
#include "model/emesh_write.h"

#include <stdio.h>
#include <stdlib.h>

enum { ANIMATIONS = 4, FRAMES = 8 };

quat_t TestModel_Turn(rng_t *rng) {
    for (;;) {
        quat_t q = {Rng_Range(rng, -1.0f, 1.0f), Rng_Range(rng, -1.0f, 1.0f),
                    Rng_Range(rng, -1.0f, 1.0f), Rng_Range(rng, -1.0f, 1.0f)};
        float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        if (length > 0.1f && length < 1.0f) {
            return (quat_t){q.x / length, q.y / length, q.z / length, q.w / length};
        }
    }
}

static vec3_t random_vector(rng_t *rng, float from, float to) {
    float x = Rng_Range(rng, from, to);
    float y = Rng_Range(rng, from, to);
    return Vector(x, y, Rng_Range(rng, from, to));
}

static void fill(test_model_t *test, rng_t *rng) {
    model_t *model = &test->model;
    for (int32_t i = 0; i < model->num_bones; i++) {
        model_bone_t *bone = &test->bones[i];
        snprintf(bone->name, sizeof bone->name, "bone %d", i);
        bone->parent = i == 0 ? -1 : (int32_t)Rng_Below(rng, (uint32_t)i);
        bone->place = random_vector(rng, -8.0f, 8.0f);
        bone->turn = TestModel_Turn(rng);
    }
    for (int32_t i = 0; i < model->num_controllers; i++) {
        model_controller_t *one = &test->controllers[i];
        snprintf(one->name, sizeof one->name, "controller %d", i);
        one->bone = (int32_t)Rng_Below(rng, (uint32_t)model->num_bones);
        one->move = (int32_t)Rng_Below(rng, NUM_MODEL_MOVES);
        one->min = -20.0f;
        one->max = 30.0f;
    }
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        model_hitbox_t *one = &test->hitboxes[i];
        one->bone = (int32_t)Rng_Below(rng, (uint32_t)model->num_bones);
        one->group = (int32_t)Rng_Below(rng, NUM_HIT_GROUPS);
        one->box = (bounds_t){random_vector(rng, -5.0f, 0.0f), random_vector(rng, 0.0f, 5.0f)};
    }
    for (int32_t i = 0; i < ANIMATIONS; i++) {
        model_animation_t *one = &test->animations[i];
        snprintf(one->name, sizeof one->name, "animation %d", i);
        *one = (model_animation_t){.first_frame = i * FRAMES,
                                   .num_frames = FRAMES,
                                   .frame_ms = 20 + 31 * i,
                                   .loops = (uint32_t)i & 1u};
        snprintf(one->name, sizeof one->name, "animation %d", i);
    }
    for (int32_t i = 0; i < ANIMATIONS * FRAMES * model->num_bones; i++) {
        test->keys[i] = (model_key_t){TestModel_Turn(rng), random_vector(rng, -8.0f, 8.0f)};
    }
}

void TestModel_Write(test_model_t *test) {
    emesh_section_t sections[3];
    uint8_t *owned[3];
    err_t err = {""};
    free(test->bytes);
    int32_t count = Model_Sections(&test->model, sections, owned);
    ASSERT(count > 0);
    test->bytes = EMesh_Bytes(sections, count, &test->size);
    ASSERT(test->bytes);
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
    ASSERT(EMesh_Parse(&test->file, "test", test->bytes, test->size, &err));
}

test_model_t *TestModel_Make(uint64_t seed, int32_t num_bones, int32_t num_hitboxes) {
    test_model_t *test = calloc(1, sizeof *test);
    ASSERT(test);
    rng_t rng = {seed};
    err_t err = {""};
    test->model = (model_t){.bones = test->bones,
                            .controllers = test->controllers,
                            .hitboxes = test->hitboxes,
                            .animations = test->animations,
                            .keys = test->keys,
                            .num_bones = num_bones,
                            .num_controllers = MAX_CONTROLLERS,
                            .num_hitboxes = num_hitboxes,
                            .num_animations = ANIMATIONS,
                            .num_frames = ANIMATIONS * FRAMES};
    fill(test, &rng);
    TestModel_Write(test);
    bool good = Model_Read(&test->read, &test->file, "test", &err);
    ASSERT(good);
    return test;
}

void TestModel_Free(test_model_t *test) {
    free(test->bytes);
    free(test);
}
