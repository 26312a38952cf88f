/// mesh/rig.h - makes a rig: the bones, hitboxes, animations and controllers of a model file.
//
// Reads a scene of libassimp, but calls no function of libassimp.
// Units:   qu, z up; ms.
// Memory:  ME_Rig allocates the keys, ME_FreeRig frees them. A zeroed me_rig_t may be freed.
// Repeat:  the same scene and options give the same rig.
//
//   bones       If the file has a skin: its joints, and animated nodes above joints or hitboxes.
//               Otherwise: all animated nodes, and the parents of hitboxes. Parents come before
//               their children.
//   axes        A bone has the axes of its node. The options for up axis and yaw turn only bones
//               without a parent.
//   hitboxes    Nodes with a mesh and a name "hit_GROUP...". If there are none: for each bone, a
//               box around the vertices that it moves most.

#ifndef EDICTD_TOOLS_MESH_RIG_H
#define EDICTD_TOOLS_MESH_RIG_H

#include "mesh/place.h"
#include "model/model.h"

struct aiScene;

typedef enum {
    ME_HITBOXES_AUTO,  ///< from named nodes; if there are none, a box for each bone
    ME_HITBOXES_NAMED, ///< from named nodes only
    ME_HITBOXES_NONE
} me_hitboxes_t;

#define ME_DEFAULT_FPS 20.0 // frames per second if the keys are not evenly spaced

/// Options of the rig. The texts must live as long as the options.
typedef struct {
    me_hitboxes_t hitboxes;
    double fps;                               ///< 0 = rate of the keys, or ME_DEFAULT_FPS
    const char *once[MAX_ANIMATIONS];         ///< names of animations that do not loop
    const char *controllers[MAX_CONTROLLERS]; ///< "NAME=BONE:turn_y:-60:60"
    const char *only[MAX_ANIMATIONS];         ///< .mdl: sequences to read; none = all
    int32_t num_once, num_controllers, num_only;
} me_rig_options_t;

/// The animations of a sequence with blends, in a .mdl file.
typedef struct {
    int32_t first, count; ///< animations
    float start, end;     ///< value of the first and of the last blend
} me_blend_t;

typedef struct {
    model_bone_t bones[MAX_BONES];
    model_controller_t controllers[MAX_CONTROLLERS];
    model_hitbox_t hitboxes[MAX_HITBOXES];
    model_animation_t animations[MAX_ANIMATIONS];
    model_key_t *keys; ///< num_bones keys per frame
    int32_t num_bones; ///< 0: nothing in the file moves or has hitboxes
    int32_t num_controllers, num_hitboxes, num_animations, num_frames;
    bool boxes_are_made;  ///< the hitboxes were computed from vertices
    int32_t num_flat;     ///< bones whose vertices are too close together for a box
    int32_t num_left_out; ///< animation channels that move no bone
    // Only .mdl:
    me_blend_t blends[MAX_ANIMATIONS];
    int32_t num_blends;
    int32_t num_controllers_out; ///< controllers left out: that of the mouth, or the fifth and up
    int32_t num_groups_unknown;  ///< hitboxes whose group is not a hit_group_t
    int32_t num_elsewhere;       ///< sequences left out, because their frames are in other files
    char elsewhere[64];          ///< the first of these files
} me_rig_t;

/// Makes the rig of a scene. `root`: transform from the file's space to model space, with one scale
/// for all axes. `name`: prefix of the errors. Fails if:
/// - a scale differs by axis or changes over time, or a number is too large or not finite;
/// - the rig exceeds a limit of model.h;
/// - a hitbox has no volume or no bone;
/// - a weight has no bone or no vertex;
/// - an option matches nothing in the file.
bool ME_Rig(me_rig_t *rig, const char *name, const struct aiScene *scene, const place_t *root,
            const me_rig_options_t *options, err_t *err);

void ME_FreeRig(me_rig_t *rig);

/// Returns a model_t whose pointers refer to the rig.
model_t ME_ModelOf(const me_rig_t *rig);

// ---- names ----

/// Returns the hit_group_t of a node such as "hit_head" or "Hit_Chest upper". Returns -1 if the
/// name does not start with "hit_", -2 if no group follows. Ignores case.
int32_t ME_GroupOfNode(const char *name);

/// Returns the hit_group_t of a bone name such as "upper_arm.L", or -1. Sets *part_of_parent if the
/// bone (a finger, a toe) shares the parent's hitbox.
int32_t ME_GroupOfBone(const char *name, bool *part_of_parent);

/// Returns the name of a hit group: "head", "left_arm", ...
const char *ME_GroupName(int32_t group);

/// Convert between number and name of a controller's motion, such as "turn_y". ME_MoveNamed returns
/// -1 for an unknown name.
const char *ME_MoveName(int32_t move);
int32_t ME_MoveNamed(const char *name);

#endif
