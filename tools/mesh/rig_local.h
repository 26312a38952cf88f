/// mesh/rig_local.h - a rig being made: its nodes and bones, and the steps of ME_Rig.
//
// Floor:   tool. For rig.c, nodes.c, bones.c, hit_nodes.c, hit_boxes.c, clips.c, sample.c.
// Memory:  ME_Rig makes the arrays and frees them.

#ifndef EDICTD_TOOLS_MESH_RIG_LOCAL_H
#define EDICTD_TOOLS_MESH_RIG_LOCAL_H

#include "mesh/rig.h"

#include <assimp/scene.h>

/// Most nodes of a file.
#define MAX_RIG_NODES (1 << 20)

/// A node, its parent before it.
typedef struct {
    const struct aiNode *node;
    int32_t parent; ///< -1: the root
    int32_t bone;   ///< -1: it is none
    int32_t group;  ///< hit_group_t of a node "hit_..."; -1: it has another name
    bool is_joint, is_moved;
    bool has_below; ///< a joint or a hitbox hangs below it
} rig_node_t;

/// A bone while it is made. Its own space counts in the file's units there.
typedef struct {
    int32_t node;     ///< -1: it holds a hitbox that is turned
    similar_t before; ///< of folded nodes, from the parent bone's space or ours to the node's
    similar_t own;    ///< of the node
    similar_t world;  ///< from the bone's space to ours
} rig_bone_t;

/// A rig being made.
typedef struct {
    const char *name;
    const struct aiScene *scene;
    const place_t *root;
    const me_rig_options_t *options;
    rig_node_t *nodes;
    const rig_node_t **by_name; ///< sorted
    int32_t num_nodes;
    bool has_joints, has_hit_nodes;
    rig_bone_t bones[MAX_BONES];
    me_rig_t *rig;
    err_t *err;
} rigger_t;

/// Sets the error to "name: reason". Always false.
bool ME_RigFail(const rigger_t *rigger, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- nodes.c ----

/// Lists the nodes, and finds out which are joints, moved, or hitboxes.
bool ME_ListNodes(rigger_t *rigger);

/// The node of a name. NULL, with an error that begins with `who`: there is none, or two.
rig_node_t *ME_NodeNamed(const rigger_t *rigger, const char *name, const char *who);

/// The next bone from a node upwards, itself included; -1: none.
int32_t ME_BoneAbove(const rigger_t *rigger, int32_t node);

// ---- bones.c ----

bool ME_MakeBones(rigger_t *rigger);

/// As much of a name as a model has room for, zeros behind it.
void ME_CutName(char to[MODEL_NAME_BYTES], const char *name);

/// One more bone; its number, -1: refused. `who` goes into the errors.
int32_t ME_AddBone(rigger_t *rigger, const char *name, int32_t parent, const rig_bone_t *bone);

/// Where a bone is in its parent's space (a root in ours), with another transform of its node than
/// its own: in qu.
model_key_t ME_KeyOf(const rigger_t *rigger, int32_t bone, const similar_t *own);

/// Where a node is in our space, scaled as it likes.
place_t ME_WorldPlace(const rigger_t *rigger, int32_t node);

place_t ME_PlaceOf(const struct aiMatrix4x4 *a);

// ---- hitboxes ----

/// Those of nodes by name (hit_nodes.c), of vertices (hit_boxes.c).
bool ME_HitNodes(rigger_t *rigger);
bool ME_HitBoxes(rigger_t *rigger);

/// Refused: too many, without volume, out of range.
bool ME_AddHitbox(rigger_t *rigger, const char *who, int32_t bone, int32_t group,
                  const dvec_t box[2]);

// ---- animations ----

/// Channels of an animation by bone, and when its keys begin and end.
typedef struct {
    const struct aiAnimation *animation;
    const char *name; ///< for errors
    const struct aiNodeAnim *channels[MAX_BONES];
    double ms_a_tick;
    double first_ms, last_ms;
} clip_t;

/// All animations, cut to frames (clips.c).
bool ME_MakeAnimations(rigger_t *rigger);

/// The transform of a bone's node at a time (sample.c).
similar_t ME_SampleBone(const rigger_t *rigger, const clip_t *clip, int32_t bone, double at_ms);

/// Checks the keys of a bone: finite, in order, turns of length 1, scale as the node's.
bool ME_CheckKeys(const rigger_t *rigger, const clip_t *clip, int32_t bone);

bool ME_MakeControllers(rigger_t *rigger);

#endif
