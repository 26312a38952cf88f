/// mesh/hit_boxes.c - makes a hitbox for each bone, around the vertices with the largest weight
/// there.
//
// For files without nodes "hit_...".

#include "mesh/rig_local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Minimum side of a box, qu. Thinner boxes are dropped.
#define MIN_SIDE 0.05

/// Valid sum of a vertex's weights. It may be below 1, because libassimp reads only four weights.
#define MIN_WEIGHTS 0.5f
#define MAX_WEIGHTS 1.05f

/// The boxes of all bones under construction.
typedef struct {
    dvec_t box[MAX_BONES][2];
    int32_t count[MAX_BONES];
    int32_t keeper[MAX_BONES]; ///< bone whose box takes the vertices (a finger: the hand)
    int32_t group[MAX_BONES];
} boxes_t;

static void name_bones(const me_rig_t *rig, boxes_t *boxes) {
    for (int32_t i = 0; i < rig->num_bones; i++) {
        bool is_part = false;
        int32_t parent = rig->bones[i].parent;
        int32_t group = ME_GroupOfBone(rig->bones[i].name, &is_part);
        is_part = is_part && parent >= 0;
        boxes->keeper[i] = is_part ? boxes->keeper[parent] : i;
        // A bone whose name implies no group has the parent's group.
        boxes->group[i] = group >= 0 ? group : parent >= 0 ? boxes->group[parent] : HIT_GENERIC;
    }
}

static void grow(const rigger_t *rigger, boxes_t *boxes, int32_t bone, dvec_t world) {
    int32_t keeper = boxes->keeper[bone];
    similar_t place = rigger->bones[keeper].world;
    place.scale = 1.0; // hitboxes are in qu, not in the file's units
    dvec_t at = ME_PointIn(&place, world);
    dvec_t *box = boxes->box[keeper];
    if (boxes->count[keeper]++ == 0) {
        box[0] = box[1] = at;
    }
    box[0] = (dvec_t){fmin(box[0].x, at.x), fmin(box[0].y, at.y), fmin(box[0].z, at.z)};
    box[1] = (dvec_t){fmax(box[1].x, at.x), fmax(box[1].y, at.y), fmax(box[1].z, at.z)};
}

static dvec_t vertex_of(const struct aiMesh *mesh, unsigned i) {
    const struct aiVector3D *v = &mesh->mVertices[i];
    return (dvec_t){(double)v->x, (double)v->y, (double)v->z};
}

static bool check_point(const rigger_t *rigger, const struct aiMesh *mesh, unsigned vertex,
                        dvec_t at) {
    double limit = (double)MAX_MODEL_COORD;
    return (fabs(at.x) <= limit && fabs(at.y) <= limit && fabs(at.z) <= limit) ||
           ME_RigFail(rigger,
                      "mesh \"%.64s\": vertex %u: expected coordinates within +-%g on its bone, "
                      "found %g %g %g",
                      mesh->mName.data, vertex, limit, at.x, at.y, at.z);
}

// ---- meshes with a skin ----

/// The joint that has the largest weight on a vertex.
typedef struct {
    int32_t joint;   ///< number in the mesh, or -1
    float most, sum; ///< the largest weight; the sum of all weights
} pull_t;

static bool pull_vertices(const rigger_t *rigger, const struct aiMesh *mesh, pull_t *pulls) {
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *joint = mesh->mBones[b];
        for (unsigned i = 0; i < joint->mNumWeights; i++) {
            const struct aiVertexWeight *w = &joint->mWeights[i];
            if (w->mVertexId >= mesh->mNumVertices) {
                return ME_RigFail(rigger,
                                  "mesh \"%.64s\": bone \"%.64s\": expected weights of vertices "
                                  "0..%u, found %u",
                                  mesh->mName.data, joint->mName.data, mesh->mNumVertices - 1,
                                  w->mVertexId);
            }
            if (!(w->mWeight >= 0.0f && w->mWeight <= MAX_WEIGHTS)) {
                return ME_RigFail(
                    rigger, "mesh \"%.64s\": vertex %u: expected a weight of 0 to 1, found %g",
                    mesh->mName.data, w->mVertexId, (double)w->mWeight);
            }
            pull_t *pull = &pulls[w->mVertexId];
            pull->sum += w->mWeight;
            if (w->mWeight > pull->most) {
                pull->most = w->mWeight;
                pull->joint = (int32_t)b;
            }
        }
    }
    return true;
}

/// Returns the bones of a mesh's joints. Returns NULL if out of memory, or with an error if a node
/// is missing.
static int32_t *bones_of_joints(const rigger_t *rigger, const struct aiMesh *mesh) {
    int32_t *bones = malloc((size_t)mesh->mNumBones * sizeof *bones);
    for (unsigned b = 0; bones && b < mesh->mNumBones; b++) {
        const rig_node_t *node = ME_NodeNamed(rigger, mesh->mBones[b]->mName.data, "skin");
        if (!node) {
            free(bones);
            return NULL;
        }
        bones[b] = node->bone;
    }
    return bones;
}

/// Adds each vertex of a skin to the box of the bone with the largest weight.
static bool take_vertices(const rigger_t *rigger, const struct aiMesh *mesh, const pull_t *pulls,
                          const int32_t *bones, boxes_t *boxes) {
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const pull_t *pull = &pulls[i];
        if (pull->joint < 0 || !(pull->sum >= MIN_WEIGHTS && pull->sum <= MAX_WEIGHTS)) {
            return ME_RigFail(rigger,
                              "mesh \"%.64s\": vertex %u: expected bone weights with a sum of 1,"
                              " found %g",
                              mesh->mName.data, i, (double)pull->sum);
        }
        int32_t bone = bones[pull->joint];
        place_t offset = ME_PlaceOf(&mesh->mBones[pull->joint]->mOffsetMatrix);
        dvec_t on_bone = ME_PointOf(&offset, vertex_of(mesh, i));
        const similar_t *world = &rigger->bones[bone].world;
        double unit = world->scale;
        if (!check_point(rigger, mesh, i, DV_Scale(on_bone, unit))) {
            return false;
        }
        grow(rigger, boxes, bone, ME_PointOut(world, on_bone));
    }
    return true;
}

static bool take_skin(const rigger_t *rigger, const struct aiMesh *mesh, boxes_t *boxes) {
    pull_t *pulls = calloc((size_t)mesh->mNumVertices + 1, sizeof *pulls);
    int32_t *bones = pulls ? bones_of_joints(rigger, mesh) : NULL;
    if (!bones) {
        free(pulls);
        return ME_RigFail(rigger, "mesh \"%.64s\": no memory for %u vertices", mesh->mName.data,
                          mesh->mNumVertices);
    }
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        pulls[i] = (pull_t){-1, 0.0f, 0.0f};
    }
    bool good =
        pull_vertices(rigger, mesh, pulls) && take_vertices(rigger, mesh, pulls, bones, boxes);
    free(pulls);
    free(bones);
    return good;
}

// ---- all meshes ----

/// Adds the vertices of a mesh without a skin to the box of the nearest bone above the node.
static bool take_stiff(const rigger_t *rigger, const struct aiMesh *mesh, int32_t node,
                       boxes_t *boxes) {
    int32_t bone = ME_BoneAbove(rigger, node);
    place_t place = ME_WorldPlace(rigger, node);
    for (unsigned i = 0; bone >= 0 && i < mesh->mNumVertices; i++) {
        dvec_t at = ME_PointOf(&place, vertex_of(mesh, i));
        if (!check_point(rigger, mesh, i, at)) {
            return false;
        }
        grow(rigger, boxes, bone, at);
    }
    return true;
}

static bool take_all(const rigger_t *rigger, boxes_t *boxes) {
    for (int32_t i = 0; i < rigger->num_nodes; i++) {
        const struct aiNode *node = rigger->nodes[i].node;
        for (unsigned m = 0; m < node->mNumMeshes; m++) {
            const struct aiMesh *mesh = rigger->scene->mMeshes[node->mMeshes[m]];
            if (!(mesh->mNumBones > 0 ? take_skin(rigger, mesh, boxes)
                                      : take_stiff(rigger, mesh, i, boxes))) {
                return false;
            }
        }
    }
    return true;
}

static bool add_all(rigger_t *rigger, const boxes_t *boxes) {
    me_rig_t *rig = rigger->rig;
    for (int32_t i = 0; i < rig->num_bones; i++) {
        char who[96];
        const dvec_t *box = boxes->box[i];
        if (boxes->count[i] == 0) {
            continue;
        }
        if (box[1].x - box[0].x < MIN_SIDE || box[1].y - box[0].y < MIN_SIDE ||
            box[1].z - box[0].z < MIN_SIDE) {
            rig->num_flat++;
            continue;
        }
        snprintf(who, sizeof who, "hitbox of bone \"%.64s\"", rig->bones[i].name);
        if (!ME_AddHitbox(rigger, who, i, boxes->group[i], box)) {
            return false;
        }
    }
    rig->boxes_are_made = rig->num_hitboxes > 0;
    return true;
}

bool ME_HitBoxes(rigger_t *rigger) {
    boxes_t *boxes = calloc(1, sizeof *boxes);
    if (!boxes) {
        return ME_RigFail(rigger, "out of memory for hitboxes");
    }
    name_bones(rigger->rig, boxes);
    bool good = take_all(rigger, boxes) && add_all(rigger, boxes);
    free(boxes);
    return good;
}
