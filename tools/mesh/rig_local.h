/// mesh/rig_local.h - functions and data that the files of ME_Rig share.
//
// Private to rig.c, nodes.c, bones.c, hit_nodes.c, hit_boxes.c, clips.c, sample.c.
// Memory:  ME_Rig allocates the arrays and frees them.

#ifndef EDICTD_TOOLS_MESH_RIG_LOCAL_H
#define EDICTD_TOOLS_MESH_RIG_LOCAL_H

#include "mesh/rig.h"

#include <assimp/scene.h>

/// Maximum number of nodes of a file.
#define MAX_RIG_NODES (1 << 20)

/// A node of the file. In arrays, a parent comes before its children.
typedef struct {
    const struct aiNode *node;
    int32_t parent; ///< -1 for the root
    int32_t bone;   ///< the node's bone, or -1
    int32_t group;  ///< hit_group_t of a node "hit_...", otherwise -1
    bool is_joint, is_moved;
    bool has_below; ///< a joint or a hitbox is below this node
} rig_node_t;

/// A bone under construction, in the file's units of length.
typedef struct {
    int32_t node;     ///< -1: the extra bone of a rotated hitbox
    similar_t before; ///< transform of the nodes above, up to the next bone or the root
    similar_t own;    ///< local transform of the node
    similar_t world;  ///< from the bone's space to model space
} rig_bone_t;

typedef struct {
    const char *name;
    const struct aiScene *scene;
    const place_t *root;
    const me_rig_options_t *options;
    rig_node_t *nodes;
    const rig_node_t **by_name; ///< the nodes sorted by name
    int32_t num_nodes;
    bool has_joints, has_hit_nodes;
    rig_bone_t bones[MAX_BONES];
    me_rig_t *rig;
    err_t *err;
} rigger_t;

/// Sets the error to "name: reason". Always returns false.
bool ME_RigFail(const rigger_t *rigger, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- nodes.c ----

/// Fills in rigger->nodes. Marks joints, animated nodes and hitboxes.
bool ME_ListNodes(rigger_t *rigger);

/// Returns the only node with this name. Otherwise returns NULL and sets an error that starts with
/// `who`.
rig_node_t *ME_NodeNamed(const rigger_t *rigger, const char *name, const char *who);

/// Returns the bone of a node or of the nearest ancestor, or -1.
int32_t ME_BoneAbove(const rigger_t *rigger, int32_t node);

// ---- bones.c ----

bool ME_MakeBones(rigger_t *rigger);

/// Copies a name. Truncates it to MODEL_NAME_BYTES and pads it with zeros.
void ME_CutName(char to[MODEL_NAME_BYTES], const char *name);

/// Adds a bone. Returns the number of the bone, or -1.
int32_t ME_AddBone(rigger_t *rigger, const char *name, int32_t parent, const rig_bone_t *bone);

/// Returns a bone's transform relative to the parent, without a parent to the model. `own`: local
/// transform of the bone's node.
model_key_t ME_KeyOf(const rigger_t *rigger, int32_t bone, const similar_t *own);

/// Returns the transform from a node's space to model space.
place_t ME_WorldPlace(const rigger_t *rigger, int32_t node);

place_t ME_PlaceOf(const struct aiMatrix4x4 *a);

// ---- hitboxes ----

/// Make hitboxes from named nodes (hit_nodes.c) and from vertices (hit_boxes.c).
bool ME_HitNodes(rigger_t *rigger);
bool ME_HitBoxes(rigger_t *rigger);

/// Adds a hitbox. Fails if the box has no volume, is out of range or is one too many.
bool ME_AddHitbox(rigger_t *rigger, const char *who, int32_t bone, int32_t group,
                  const dvec_t box[2]);

// ---- animations ----

/// The channels of an animation, by bone, and the times of the first and last key.
typedef struct {
    const struct aiAnimation *animation;
    const char *name; ///< for errors
    const struct aiNodeAnim *channels[MAX_BONES];
    double ms_a_tick;
    double first_ms, last_ms;
} clip_t;

/// Samples all animations into frames (clips.c).
bool ME_MakeAnimations(rigger_t *rigger);

/// Returns the transform of a bone's node at a time (sample.c).
similar_t ME_SampleBone(const rigger_t *rigger, const clip_t *clip, int32_t bone, double at_ms);

/// Checks the animation keys of one bone. Returns false with an error if they are invalid.
bool ME_CheckKeys(const rigger_t *rigger, const clip_t *clip, int32_t bone);

/// Checks that each --once names an animation.
bool ME_CheckOnce(const rigger_t *rigger);

bool ME_MakeControllers(rigger_t *rigger);

#endif
