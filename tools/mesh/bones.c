/// mesh/bones.c - chooses the nodes that become bones, and computes transforms.

#include "mesh/rig_local.h"

#include <stdio.h>
#include <string.h>

place_t ME_PlaceOf(const struct aiMatrix4x4 *a) {
    return (place_t){{{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4},
                      {(double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4},
                      {(double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}}};
}

place_t ME_WorldPlace(const rigger_t *rigger, int32_t node) {
    place_t place = ME_NoPlace();
    for (int32_t i = node; i >= 0; i = rigger->nodes[i].parent) {
        place_t own = ME_PlaceOf(&rigger->nodes[i].node->mTransformation);
        place = ME_Combine(&own, &place);
    }
    return ME_Combine(rigger->root, &place);
}

/// Computes a node's transform. Fails if the scale differs by axis, because bones have no scale.
static bool similar_of_node(const rigger_t *rigger, int32_t node, const char *bone,
                            similar_t *out) {
    double lengths[3];
    place_t place = ME_PlaceOf(&rigger->nodes[node].node->mTransformation);
    place_fault_t fault = ME_SimilarOf(&place, out, lengths);
    return fault == PLACE_IS_SIMILAR ||
           ME_RigFail(rigger,
                      "bone \"%.64s\": expected a node \"%.64s\" %s, found the scale %g %g %g",
                      bone, rigger->nodes[node].node->mName.data, ME_FaultText(fault), lengths[0],
                      lengths[1], lengths[2]);
}

static bool is_bone(const rigger_t *rigger, const rig_node_t *node) {
    if (node->group >= 0) {
        return false;
    }
    return node->is_joint || (node->is_moved && (!rigger->has_joints || node->has_below));
}

/// Marks the parents of hitboxes as bones, in files without a skin. Skips a parent that is a bone
/// or below a bone. Also skips "ROOT", which libassimp adds.
static void mark_holders(rigger_t *rigger) {
    for (int32_t i = 1; i < rigger->num_nodes; i++) {
        int32_t parent = rigger->nodes[i].parent;
        rig_node_t *holder = &rigger->nodes[parent];
        bool is_stand_in = parent == 0 && strcmp(holder->node->mName.data, "ROOT") == 0 &&
                           holder->node->mNumMeshes == 0;
        if (rigger->nodes[i].group < 0 || is_stand_in || holder->group >= 0) {
            continue;
        }
        bool below_bone = false;
        for (int32_t n = parent; n >= 0; n = rigger->nodes[n].parent) {
            below_bone = below_bone || is_bone(rigger, &rigger->nodes[n]);
        }
        holder->is_joint = holder->is_joint || !below_bone;
    }
}

void ME_CutName(char to[MODEL_NAME_BYTES], const char *name) {
    size_t length = strlen(name);
    if (length >= MODEL_NAME_BYTES) {
        length = MODEL_NAME_BYTES - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80) {
            length--; // never split a UTF-8 character
        }
    }
    memset(to, 0, MODEL_NAME_BYTES);
    memcpy(to, name, length);
}

/// Sets a bone's name, cut to the model's size. Fails if the name is empty or not unique.
static bool name_bone(const rigger_t *rigger, const char *name, model_bone_t *bone) {
    const me_rig_t *rig = rigger->rig;
    ME_CutName(bone->name, name);
    if (bone->name[0] == '\0') {
        return ME_RigFail(rigger, "a bone has no name; name each node that moves");
    }
    for (int32_t i = 0; i < rig->num_bones; i++) {
        if (strcmp(rig->bones[i].name, bone->name) == 0) {
            return ME_RigFail(rigger,
                              "bone \"%.64s\": expected names that differ in their first %d bytes, "
                              "found \"%s\" twice",
                              name, MODEL_NAME_BYTES - 1, bone->name);
        }
    }
    return true;
}

model_key_t ME_KeyOf(const rigger_t *rigger, int32_t bone, const similar_t *own) {
    const rig_bone_t *made = &rigger->bones[bone];
    int32_t parent = rigger->rig->bones[bone].parent;
    similar_t place = ME_CombineSimilar(&made->before, own);
    double unit = parent < 0 ? 1.0 : rigger->bones[parent].world.scale;
    turn_t q = place.turn;
    // q and -q are the same rotation. Choose w >= 0.
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    return (model_key_t){{(float)ME_Tidy(q.x * sign), (float)ME_Tidy(q.y * sign),
                          (float)ME_Tidy(q.z * sign), (float)ME_Tidy(q.w * sign)},
                         {(float)ME_Tidy(place.at.x * unit), (float)ME_Tidy(place.at.y * unit),
                          (float)ME_Tidy(place.at.z * unit)}};
}

int32_t ME_AddBone(rigger_t *rigger, const char *name, int32_t parent, const rig_bone_t *bone) {
    me_rig_t *rig = rigger->rig;
    if (rig->num_bones == MAX_BONES) {
        ME_RigFail(rigger,
                   "bone \"%.64s\": expected at most %d bones, found more (Blender exports fewer "
                   "with \"Deformation Bones Only\")",
                   name, MAX_BONES);
        return -1;
    }
    int32_t number = rig->num_bones;
    model_bone_t *one = &rig->bones[number];
    *one = (model_bone_t){.parent = parent};
    if (!name_bone(rigger, name, one)) {
        return -1;
    }
    rig_bone_t *made = &rigger->bones[number];
    *made = *bone;
    similar_t local = ME_CombineSimilar(&bone->before, &bone->own);
    made->world = parent < 0 ? local : ME_CombineSimilar(&rigger->bones[parent].world, &local);
    model_key_t key = ME_KeyOf(rigger, number, &bone->own);
    one->place = key.place;
    one->turn = key.turn;
    if (!VectorWithin(key.place, MAX_MODEL_COORD)) {
        ME_RigFail(rigger, "bone \"%.64s\": expected a position within +-%g, found %g %g %g", name,
                   (double)MAX_MODEL_COORD, (double)key.place.x, (double)key.place.y,
                   (double)key.place.z);
        return -1;
    }
    if (!(made->world.scale > 1e-9) || !(made->world.scale < 1e9)) {
        ME_RigFail(rigger, "bone \"%.64s\": expected a scale of 1e-9 to 1e9, found %g", name,
                   made->world.scale);
        return -1;
    }
    rig->num_bones++;
    return number;
}

/// Makes the bone of a node: combines the transforms from the node up to the next bone.
static bool make_bone(rigger_t *rigger, int32_t node) {
    const char *name = rigger->nodes[node].node->mName.data;
    double lengths[3];
    rig_bone_t bone = {.node = node, .before = ME_NoSimilar()};
    if (!similar_of_node(rigger, node, name, &bone.own)) {
        return false;
    }
    int32_t up = rigger->nodes[node].parent;
    for (; up >= 0 && rigger->nodes[up].bone < 0; up = rigger->nodes[up].parent) {
        similar_t folded;
        if (!similar_of_node(rigger, up, name, &folded)) {
            return false;
        }
        bone.before = ME_CombineSimilar(&folded, &bone.before);
    }
    int32_t parent = up < 0 ? -1 : rigger->nodes[up].bone;
    similar_t root;
    if (parent < 0) {
        if (ME_SimilarOf(rigger->root, &root, lengths) != PLACE_IS_SIMILAR) {
            return ME_RigFail(rigger, "root: expected the same scale on all axes, found %g %g %g",
                              lengths[0], lengths[1], lengths[2]);
        }
        bone.before = ME_CombineSimilar(&root, &bone.before);
    }
    rigger->nodes[node].bone = ME_AddBone(rigger, name, parent, &bone);
    return rigger->nodes[node].bone >= 0;
}

bool ME_MakeBones(rigger_t *rigger) {
    if (!rigger->has_joints) {
        mark_holders(rigger);
    }
    for (int32_t i = 0; i < rigger->num_nodes; i++) {
        if (is_bone(rigger, &rigger->nodes[i]) && !make_bone(rigger, i)) {
            return false;
        }
    }
    return true;
}
