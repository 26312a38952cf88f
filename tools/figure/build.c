#include "figure/build.h"

#include "base/assert.h"
#include "math/angles.h"
#include "model/emesh_write.h"

#include <stdio.h>
#include <stdlib.h>

quat_t Build_Pitch(float degrees) {
    float s = 0.0f;
    float c = 1.0f;
    SinCos(-0.5f * degrees, &s, &c);
    return (quat_t){0.0f, s, 0.0f, c};
}

quat_t Build_Roll(float degrees) {
    float s = 0.0f;
    float c = 1.0f;
    SinCos(0.5f * degrees, &s, &c);
    return (quat_t){s, 0.0f, 0.0f, c};
}

void Build_Begin(build_t *build, const char *name, int32_t frame_ms, bool loops) {
    ASSERT(build->num_animations < BUILD_ANIMATIONS);
    model_animation_t *one = &build->animations[build->num_animations++];
    *one = (model_animation_t){
        .first_frame = build->num_frames, .frame_ms = frame_ms, .loops = loops ? 1 : 0};
    snprintf(one->name, sizeof one->name, "%s", name);
}

model_key_t *Build_Frame(build_t *build) {
    ASSERT(build->num_frames < BUILD_FRAMES && build->num_animations > 0);
    model_key_t *keys = build->keys + build->num_frames++ * build->num_parts;
    build->animations[build->num_animations - 1].num_frames++;
    for (int32_t i = 0; i < build->num_parts; i++) {
        keys[i] = (model_key_t){Build_Pitch(0.0f), build->parts[i].place};
    }
    return keys;
}

uint8_t *Build_Bytes(const build_t *build, size_t *size) {
    model_bone_t bones[BUILD_BONES] = {0};
    model_hitbox_t hitboxes[BUILD_BONES];
    emesh_section_t sections[3];
    uint8_t *owned[3];
    uint8_t *bytes = NULL;
    ASSERT(build->num_parts <= BUILD_BONES);
    for (int32_t i = 0; i < build->num_parts; i++) {
        const part_t *part = &build->parts[i];
        snprintf(bones[i].name, sizeof bones[i].name, "%s", part->name);
        bones[i].parent = part->parent;
        bones[i].place = part->place;
        bones[i].turn = Build_Pitch(0.0f);
        hitboxes[i] = (model_hitbox_t){i, part->group, part->box};
    }
    const model_t model = {.bones = bones,
                           .controllers = build->controllers,
                           .hitboxes = hitboxes,
                           .animations = build->animations,
                           .keys = build->keys,
                           .num_bones = build->num_parts,
                           .num_controllers = build->num_controllers,
                           .num_hitboxes = build->num_parts,
                           .num_animations = build->num_animations,
                           .num_frames = build->num_frames};
    int32_t count = Model_Sections(&model, sections, owned);
    if (count > 0) {
        bytes = EMesh_Bytes(sections, count, size);
    }
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
    return bytes;
}
