/// figure/build.h - builds a model from bones, each with one box, and adds animation frames.
//
// Units:   qu, degrees, ms.

#ifndef EDICTD_TOOLS_FIGURE_BUILD_H
#define EDICTD_TOOLS_FIGURE_BUILD_H

#include "model/model.h"

enum { BUILD_BONES = 16, BUILD_FRAMES = 64, BUILD_ANIMATIONS = 8 };

/// A bone with a hitbox. In the bind pose, a bone has an offset and no rotation.
typedef struct {
    const char *name;
    int32_t parent;
    vec3_t place;  ///< position relative to the parent bone
    int32_t group; ///< hit group of the hitbox
    bounds_t box;
} part_t;

/// The model under construction. Set the parts; zero all other fields.
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

/// Returns a rotation about y; positive angles turn a downward vector forward, to +x.
quat_t Build_Pitch(float degrees);

/// Returns a rotation about x; positive angles roll to the right.
quat_t Build_Roll(float degrees);

/// Starts an animation. Add frames with Build_Frame.
void Build_Begin(build_t *build, const char *name, int32_t frame_ms, bool loops);

/// Adds a frame to the current animation. Returns the keys of all parts, to be set by the caller.
model_key_t *Build_Frame(build_t *build);

/// Returns the model as an .emesh file, which the caller frees; NULL if out of memory.
uint8_t *Build_Bytes(const build_t *build, size_t *size);

#endif
