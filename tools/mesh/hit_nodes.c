/// mesh/hit_nodes.c - makes hitboxes from nodes such as "hit_head" and "hit_left_arm.001". A hitbox
/// belongs to the nearest bone above its node.

#include "mesh/rig_local.h"

#include <math.h>
#include <stdio.h>

/// Minimum side of a box, qu. A box with a shorter side has no volume and is rejected.
#define MIN_SIDE 1e-3

/// Two components of each axis of an aligned box are below this in the bone's space: 0.06 degrees.
#define ALIGNED 1e-3

static void set_part(dvec_t *v, int32_t axis, double value) {
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

bool ME_AddHitbox(rigger_t *rigger, const char *who, int32_t bone, int32_t group,
                  const dvec_t box[2]) {
    me_rig_t *rig = rigger->rig;
    dvec_t size = DV_Sub(box[1], box[0]);
    bounds_t bounds = {
        {(float)ME_Tidy(box[0].x), (float)ME_Tidy(box[0].y), (float)ME_Tidy(box[0].z)},
        {(float)ME_Tidy(box[1].x), (float)ME_Tidy(box[1].y), (float)ME_Tidy(box[1].z)}};
    if (!(size.x >= MIN_SIDE && size.y >= MIN_SIDE && size.z >= MIN_SIDE)) {
        return ME_RigFail(rigger, "%s: expected a box with a volume, found %g x %g x %g", who,
                          size.x, size.y, size.z);
    }
    if (!VectorWithin(bounds.mins, MAX_MODEL_COORD) ||
        !VectorWithin(bounds.maxs, MAX_MODEL_COORD)) {
        return ME_RigFail(
            rigger, "%s: expected a box within +-%g of its bone, found (%g %g %g) to (%g %g %g)",
            who, (double)MAX_MODEL_COORD, box[0].x, box[0].y, box[0].z, box[1].x, box[1].y,
            box[1].z);
    }
    if (rig->num_hitboxes == MAX_HITBOXES) {
        return ME_RigFail(rigger, "%s: expected at most %d hitboxes, found more", who,
                          MAX_HITBOXES);
    }
    rig->hitboxes[rig->num_hitboxes++] = (model_hitbox_t){bone, group, bounds};
    return true;
}

/// Computes the bounds of a node's vertices in the node's space.
static bool box_of_node(const rigger_t *rigger, const struct aiNode *node, const char *who,
                        dvec_t box[2]) {
    unsigned count = 0;
    for (unsigned m = 0; m < node->mNumMeshes; m++) {
        const struct aiMesh *mesh = rigger->scene->mMeshes[node->mMeshes[m]];
        if (mesh->mNumBones > 0) {
            return ME_RigFail(rigger, "%s: expected a mesh without a skin, found one with a skin",
                              who);
        }
        for (unsigned i = 0; i < mesh->mNumVertices; i++) {
            for (int32_t axis = 0; axis < 3; axis++) {
                const struct aiVector3D *v = &mesh->mVertices[i];
                double at = (double)(axis == 0 ? v->x : axis == 1 ? v->y : v->z);
                if (!isfinite(at)) {
                    return ME_RigFail(
                        rigger, "%s: vertex %u: expected finite coordinates, found %g", who, i, at);
                }
                bool first = count == 0;
                set_part(&box[0], axis, first ? at : fmin(at, DV_Axis(box[0], axis)));
                set_part(&box[1], axis, first ? at : fmax(at, DV_Axis(box[1], axis)));
            }
            count++;
        }
    }
    return count > 0 || ME_RigFail(rigger, "%s: expected a mesh, found none", who);
}

/// Returns the node's transform in the bone's space, in qu.
static place_t place_on_bone(const rigger_t *rigger, int32_t node, int32_t bone) {
    place_t world = ME_WorldPlace(rigger, node);
    similar_t rigid = rigger->bones[bone].world;
    similar_t turned = {rigid.turn, 1.0, {0, 0, 0}};
    rigid.scale = 1.0;
    place_t out;
    for (int32_t column = 0; column < 4; column++) {
        dvec_t v = {world.m[0][column], world.m[1][column], world.m[2][column]};
        v = ME_PointIn(column == 3 ? &rigid : &turned, v);
        out.m[0][column] = v.x;
        out.m[1][column] = v.y;
        out.m[2][column] = v.z;
    }
    return out;
}

/// Converts `box` to the bone's space. Returns false if the axes of box and bone are not parallel.
static bool align(const dvec_t axes[3], dvec_t at, dvec_t box[2]) {
    dvec_t out[2] = {{0}};
    for (int32_t to = 0; to < 3; to++) {
        int32_t from = -1;
        for (int32_t i = 0; i < 3; i++) {
            from = fabs(DV_Axis(axes[i], to)) > 0.9 ? i : from;
        }
        for (int32_t i = 0; i < 3; i++) {
            if (from < 0 || (i != from && fabs(DV_Axis(axes[i], to)) > ALIGNED)) {
                return false;
            }
        }
        bool same = DV_Axis(axes[from], to) > 0.0;
        double low = DV_Axis(box[0], from);
        double high = DV_Axis(box[1], from);
        set_part(&out[0], to, DV_Axis(at, to) + (same ? low : -high));
        set_part(&out[1], to, DV_Axis(at, to) + (same ? high : -low));
    }
    box[0] = out[0];
    box[1] = out[1];
    return true;
}

/// Adds a child bone for a box that is rotated relative to `bone`.
static int32_t add_holder(rigger_t *rigger, const char *name, int32_t bone, const dvec_t axes[3],
                          dvec_t at) {
    double unit = rigger->bones[bone].world.scale;
    const rig_bone_t holder = {
        .node = -1,
        .before = ME_NoSimilar(),
        .own = {ME_TurnOfAxes(axes), 1.0 / unit, {at.x / unit, at.y / unit, at.z / unit}}};
    return ME_AddBone(rigger, name, bone, &holder);
}

/// Makes the hitbox of a node. `bone`: the nearest bone above the node, or -1.
static bool make_hitbox(rigger_t *rigger, int32_t number, int32_t bone) {
    const rig_node_t *node = &rigger->nodes[number];
    const char *name = node->node->mName.data;
    char who[96];
    dvec_t box[2] = {{0}};
    dvec_t axes[3];
    double lengths[3];
    snprintf(who, sizeof who, "hitbox \"%.64s\"", name);
    if (bone < 0) {
        return ME_RigFail(rigger, "%s: expected a bone above the node, found none", who);
    }
    if (!box_of_node(rigger, node->node, who, box)) {
        return false;
    }
    place_t place = place_on_bone(rigger, number, bone);
    place_fault_t fault = ME_AxesOf(&place, axes, lengths);
    if (fault != PLACE_IS_SIMILAR) {
        return ME_RigFail(rigger, "%s: expected a node %s, found the scale %g %g %g", who,
                          ME_FaultText(fault), lengths[0], lengths[1], lengths[2]);
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        double a = DV_Axis(box[0], axis) * lengths[axis];
        double b = DV_Axis(box[1], axis) * lengths[axis];
        set_part(&box[0], axis, fmin(a, b));
        set_part(&box[1], axis, fmax(a, b));
    }
    dvec_t at = {place.m[0][3], place.m[1][3], place.m[2][3]};
    if (!align(axes, at, box)) {
        bone = add_holder(rigger, name, bone, axes, at);
    }
    return bone >= 0 && ME_AddHitbox(rigger, who, bone, node->group, box);
}

/// Makes all hitboxes of named nodes, sorted by bone, so that ties do not depend on the order in
/// the file.
bool ME_HitNodes(rigger_t *rigger) {
    int32_t nodes[MAX_HITBOXES];
    int32_t bones[MAX_HITBOXES];
    int32_t count = 0;
    for (int32_t i = 0; i < rigger->num_nodes; i++) {
        if (rigger->nodes[i].group < 0) {
            continue;
        }
        if (count == MAX_HITBOXES) {
            return ME_RigFail(rigger, "node \"%.64s\": expected at most %d hitboxes, found more",
                              rigger->nodes[i].node->mName.data, MAX_HITBOXES);
        }
        int32_t bone = ME_BoneAbove(rigger, rigger->nodes[i].parent);
        int32_t at = count++;
        for (; at > 0 && bones[at - 1] > bone; at--) {
            nodes[at] = nodes[at - 1];
            bones[at] = bones[at - 1];
        }
        nodes[at] = i;
        bones[at] = bone;
    }
    for (int32_t i = 0; i < count; i++) {
        if (!make_hitbox(rigger, nodes[i], bones[i])) {
            return false;
        }
    }
    return true;
}
