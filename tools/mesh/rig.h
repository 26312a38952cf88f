/// mesh/rig.h - what moves in a model file: bones, hitboxes on them, animations, controllers.
//
// Floor:   tool. Works on what libassimp made of a file, and calls nothing of it.
// Units:   qu, z up; ms.
// Memory:  ME_Rig makes the keys, ME_FreeRig frees them; a zeroed one may be freed.
// Repeat:  the same scene and options, the same rig.
//
//   bones       the joints of skins, and moved nodes that joints or hitboxes hang from; without a
//               skin: all nodes that an animation moves, and those that hold hitboxes. Parents come
//               before children, in the order of the file. Nodes between two bones are folded in.
//   a bone's    axes are those of its node: turning up to z, yaw and scale happen above the roots.
//   hitboxes    nodes "hit_GROUP..." with a mesh below a bone; or, when there are none, a box for
//               each bone around the vertices that follow it most.

#ifndef EDICTD_TOOLS_MESH_RIG_H
#define EDICTD_TOOLS_MESH_RIG_H

#include "mesh/place.h"
#include "model/model.h"

struct aiScene;

typedef enum {
    ME_HITBOXES_AUTO,  ///< nodes by name where there are some, else a box for each bone
    ME_HITBOXES_NAMED, ///< nodes by name
    ME_HITBOXES_NONE
} me_hitboxes_t;

#define ME_DEFAULT_FPS 20.0

/// Options of the rig. Texts are borrowed.
typedef struct {
    me_hitboxes_t hitboxes;
    double fps;                               ///< 0: the keys' own, or ME_DEFAULT_FPS; see clips.c
    const char *once[MAX_ANIMATIONS];         ///< names of animations that do not loop
    const char *controllers[MAX_CONTROLLERS]; ///< "NAME=BONE:turn_y:-60:60"
    int32_t num_once, num_controllers;
} me_rig_options_t;

typedef struct {
    model_bone_t bones[MAX_BONES];
    model_controller_t controllers[MAX_CONTROLLERS];
    model_hitbox_t hitboxes[MAX_HITBOXES];
    model_animation_t animations[MAX_ANIMATIONS];
    model_key_t *keys; ///< num_bones for each frame
    int32_t num_bones; ///< 0: nothing in the file moves or has hitboxes
    int32_t num_controllers, num_hitboxes, num_animations, num_frames;
    bool boxes_are_made;  ///< hitboxes are computed from vertices
    int32_t num_flat;     ///< bones whose vertices make no box
    int32_t num_left_out; ///< animation channels that move no bone
} me_rig_t;

/// Makes the rig of a scene. `root`: the transform from the file's space to ours, scaled alike
/// along all axes. `name` starts the errors: "name: bone \"hand\": expected, found". Fails for:
/// - a name used by a bone or animation that two nodes have;
/// - scales that differ by axis or change over time, and numbers that are too large or not finite;
/// - more than the limits of model.h;
/// - hitboxes without volume or bone;
/// - weights without a bone or vertex;
/// - options that match nothing.
bool ME_Rig(me_rig_t *rig, const char *name, const struct aiScene *scene, const place_t *root,
            const me_rig_options_t *options, err_t *err);

void ME_FreeRig(me_rig_t *rig);

/// Returns a view of a rig.
model_t ME_ModelOf(const me_rig_t *rig);

// ---- names ----

/// Returns the hit_group_t of a node "hit_head", "hit_left_arm.001", "Hit_Chest upper". Returns -1
/// if the name does not start with "hit_", -2 if no known group follows. Case does not matter.
int32_t ME_GroupOfNode(const char *name);

/// Returns the hit_group_t that a bone's name implies: "mixamorig:LeftUpLeg", "upper_arm.L", "Bip01
/// R Calf", "spine_02"; otherwise -1. *part_of_parent: a finger, toe, twist bone or part of a face.
int32_t ME_GroupOfBone(const char *name, bool *part_of_parent);

/// Returns "head", "left_arm", ...
const char *ME_GroupName(int32_t group);

/// Return "turn_y", ...; and the number of such a name, or -1.
const char *ME_MoveName(int32_t move);
int32_t ME_MoveNamed(const char *name);

#endif
