/// model/model.h - an animated model: bones, their hitboxes, animations, controllers.
//
// Units:   qu, ms; a bone's position and rotation are relative to its parent, a root's to the
//          model.
// Memory:  views of an .emesh file's bytes, which must outlive the model.
// Errors:  "file: skeleton: byte N: object: expected, found"; N counts from its start.
//
// Sections of an .emesh file (emesh.h), at most one of each, in this order; no gaps between arrays.
//
//   SKELETON     0 number of bones i32      4 number of controllers i32     8 zero
//               16 bones, 64 bytes each:    0 name, padded with zeros      32 parent i32, -1 = none
//                                          36 place: x y z                 48 turn: x y z w
//               .. controllers, 48 each:    0 name                         32 bone i32
//                                          36 model_move_t i32             40 min, max
//   HITBOXES     0 number of hitboxes i32   4 zero
//               16 hitboxes, 32 each:       0 bone i32                      4 hit_group_t i32
//                                           8 mins, maxs in the bone's space
//   ANIMATIONS   0 number of animations i32 4 frames of all i32             8 bones i32  12 zero
//               16 animations, 48 each:     0 name                         32 first frame i32
//                                          36 frames i32   40 ms a frame i32  44 1 = loops u32
//               .. frames: a key of 28 bytes for each bone: turn x y z w, place x y z

#ifndef EDICTD_MODEL_MODEL_H
#define EDICTD_MODEL_MODEL_H

#include "math/bounds.h"
#include "model/emesh.h"
#include "state/hit_group.h"

EXTERN_C_BEGIN

enum {
    MAX_BONES = 128,
    MAX_HITBOXES = 64,
    MAX_CONTROLLERS = 4,
    MAX_ANIMATIONS = 64,
    MAX_ANIMATION_FRAMES = 4096, ///< sum over all animations of a model
    MAX_FRAME_MS = 10000
};

#define MODEL_NAME_BYTES 32

/// Maximum absolute value of a coordinate, qu.
#define MAX_MODEL_COORD 4096.0f

/// How a controller moves a bone: along (qu) or about (degrees) a bone axis.
typedef enum {
    MODEL_MOVE_X,
    MODEL_MOVE_Y,
    MODEL_MOVE_Z,
    MODEL_TURN_X,
    MODEL_TURN_Y,
    MODEL_TURN_Z,
    NUM_MODEL_MOVES
} model_move_t;

/// A unit quaternion.
typedef struct {
    float x, y, z, w;
} quat_t;

typedef struct {
    char name[MODEL_NAME_BYTES];
    int32_t parent; ///< number of the parent, below this bone's; -1 = none
    vec3_t place;   ///< bind position, relative to the parent
    quat_t turn;    ///< bind rotation, relative to the parent
} model_bone_t;

/// A controller: moves or turns a bone within limits.
typedef struct {
    char name[MODEL_NAME_BYTES];
    int32_t bone;
    int32_t move; ///< model_move_t
    float min, max;
} model_controller_t;

typedef struct {
    int32_t bone;
    int32_t group; ///< hit_group_t
    bounds_t box;  ///< in the bone's space
} model_hitbox_t;

typedef struct {
    char name[MODEL_NAME_BYTES];
    int32_t first_frame, num_frames;
    int32_t frame_ms; ///< time from one frame to the next
    uint32_t loops;   ///< 1 = restarts after the last frame, 0 = stays at the last frame
} model_animation_t;

/// A bone's transform in its parent's space.
typedef struct {
    quat_t turn;
    vec3_t place;
} model_key_t;

typedef struct model_s {
    uint64_t hash; ///< hash of the three sections; equal = same model
    const model_bone_t *bones;
    const model_controller_t *controllers;
    const model_hitbox_t *hitboxes;
    const model_animation_t *animations;
    const model_key_t *keys; ///< num_bones keys per frame
    int32_t num_bones;       ///< 0 = the file has no skeleton
    int32_t num_controllers, num_hitboxes, num_animations, num_frames;
} model_t;

typedef struct {
    int32_t num_bones, num_controllers;
    uint8_t zero[8];
} model_skeleton_head_t;

typedef struct {
    int32_t num_hitboxes;
    uint8_t zero[12];
} model_hitboxes_head_t;

typedef struct {
    int32_t num_animations, num_frames, num_bones;
    uint8_t zero[4];
} model_animations_head_t;

static_assert(sizeof(model_bone_t) == 64 && sizeof(model_controller_t) == 48 &&
                  sizeof(model_hitbox_t) == 32 && sizeof(model_animation_t) == 48 &&
                  sizeof(model_key_t) == 28 && sizeof(model_skeleton_head_t) == 16 &&
                  sizeof(model_hitboxes_head_t) == 16 && sizeof(model_animations_head_t) == 16,
              "the structs must have no padding");

/// Checks skeleton, hitboxes and animations. `model` points into the file; without a skeleton it
/// has no bones. `name`: for errors.
bool Model_Read(model_t *model, const emesh_t *file, const char *name, err_t *err);

/// Return the number of the bone, animation or controller with this name, or -1.
int32_t Model_FindBone(const model_t *model, const char *name);
int32_t Model_FindAnimation(const model_t *model, const char *name);
int32_t Model_FindController(const model_t *model, const char *name);

/// Writes the model's sections for EMesh_Bytes. Returns the number of sections, or -1 if out of
/// memory. The caller frees owned[0..2] when the sections are no longer needed; after -1, nothing.
int32_t Model_Sections(const model_t *model, emesh_section_t sections[3], uint8_t *owned[3]);

EXTERN_C_END

#endif
