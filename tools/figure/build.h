/// figure/build.h - a model of boxes on bones, put together frame by frame.
//
// Floor:   tool.
// Units:   qu, degrees, ms.

#ifndef EDICTD_TOOLS_FIGURE_BUILD_H
#define EDICTD_TOOLS_FIGURE_BUILD_H

#include "model/model.h"

enum { BUILD_BONES = 16, BUILD_FRAMES = 64, BUILD_ANIMATIONS = 8 };

/// A bone with its hitbox. Bones are unturned in the bind pose: their spaces are the model's,
/// elsewhere.
typedef struct {
    const char *name;
    int32_t parent;
    vec3_t place;
    int32_t group; ///< of its hitbox
    bounds_t box;
} part_t;

/// All that is made. Zeroed but for the parts it is ready.
typedef struct {
    const part_t *parts;
    int32_t num_parts;
    model_controller_t controllers[MAX_CONTROLLERS];
    int32_t num_controllers;
    model_animation_t animations[BUILD_ANIMATIONS];
    int32_t num_animations;
    model_key_t keys[BUILD_FRAMES * BUILD_BONES];
    int32_t num_frames;
} build_t;

/// A turn about y: positive turns what points down forward, to +x.
quat_t Build_Pitch(float degrees);

/// A turn about x: positive lays it on its right side.
quat_t Build_Roll(float degrees);

/// Begins an animation; the frames that follow are its.
void Build_Begin(build_t *build, const char *name, int32_t frame_ms, bool loops);

/// A new frame: a key for each part, of the bind pose, to be changed.
model_key_t *Build_Frame(build_t *build);

/// All of it as an .emesh file: malloc'ed bytes. NULL: no memory.
uint8_t *Build_Bytes(const build_t *build, size_t *size);

#endif
