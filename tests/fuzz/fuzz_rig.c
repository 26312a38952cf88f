// fuzz_rig.c - scenes as libassimp could make them become bones, hitboxes and animations.
//
// Input:      a byte stream that gives a small tree of nodes, a mesh with a skin, another mesh,
//             animations and options; libassimp itself does not run.
// Invariants: a refusal is one line with the file's name; the reader accepts an accepted model,
//             byte for byte, and its bones are at finite positions.

#include "base/assert.h"
#include "fuzz/check_model.h"
#include "mesh/rig.h"

#include <assimp/scene.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_NODES = 12, MAX_CHANNELS = 6, MAX_KEYS = 6, MAX_VERTICES = 12, MAX_CLIPS = 3 };

/// Reads the input; reads past its end give zeros.
typedef struct {
    const uint8_t *data;
    size_t size, at;
} stream_t;

static uint8_t next(stream_t *in) {
    return in->at < in->size ? in->data[in->at++] : 0;
}

/// Returns mostly small numbers, sometimes any float.
static float next_float(stream_t *in) {
    uint8_t kind = next(in);
    if (kind >= 0xf0) {
        uint32_t bits = 0;
        float value;
        for (int i = 0; i < 4; i++) {
            bits = bits << 8 | next(in);
        }
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return ((float)kind - 64.0f) * 0.125f;
}

static struct aiVector3D next_vector(stream_t *in) {
    struct aiVector3D v;
    v.x = next_float(in);
    v.y = next_float(in);
    v.z = next_float(in);
    return v;
}

static void name(struct aiString *to, const char *text) {
    to->length = (ai_uint32)strlen(text);
    memcpy(to->data, text, strlen(text) + 1);
}

static const char *next_name(stream_t *in) {
    static const char *const names[] = {
        "hips",    "spine",     "head",        "hand.L",
        "thumb.L", "hit_head",  "hit_chest.1", "ROOT",
        "a",       "b",         "hit_nose",    "hit_left_leg",
        "",        "LeftUpLeg", "c",           "a name that is longer than thirty-one bytes"};
    return names[next(in) % COUNTOF(names)];
}

/// All that a scene is made of.
typedef struct {
    struct aiNode nodes[MAX_NODES], *children[MAX_NODES][MAX_NODES];
    unsigned mesh_numbers[MAX_NODES][1];
    struct aiMesh meshes[2], *mesh_list[2];
    struct aiVector3D vertices[2][MAX_VERTICES];
    struct aiBone bones[4], *bone_list[4];
    struct aiVertexWeight weights[4][MAX_VERTICES];
    struct aiAnimation clips[MAX_CLIPS], *clip_list[MAX_CLIPS];
    struct aiNodeAnim channels[MAX_CLIPS][MAX_CHANNELS], *channel_list[MAX_CLIPS][MAX_CHANNELS];
    struct aiVectorKey places[MAX_CLIPS][MAX_CHANNELS][MAX_KEYS];
    struct aiVectorKey scales[MAX_CLIPS][MAX_CHANNELS][MAX_KEYS];
    struct aiQuatKey turns[MAX_CLIPS][MAX_CHANNELS][MAX_KEYS];
    struct aiScene scene;
} made_t;

/// Returns a matrix that does nothing, moves, turns by a quarter, scales, or does anything.
static struct aiMatrix4x4 next_matrix(stream_t *in) {
    struct aiMatrix4x4 m = {.a1 = 1.0f, .b2 = 1.0f, .c3 = 1.0f, .d4 = 1.0f};
    uint8_t kind = next(in);
    if (kind & 1) {
        m.a4 = next_float(in);
        m.b4 = next_float(in);
        m.c4 = next_float(in);
    }
    if (kind & 2) {
        m.a1 = m.b2 = 0.0f;
        m.a2 = -1.0f;
        m.b1 = 1.0f;
    }
    if (kind & 4) {
        float scale = next_float(in);
        m.a1 *= scale;
        m.a2 *= scale;
        m.b1 *= scale;
        m.b2 *= scale;
        m.c3 *= scale;
    }
    if (kind >= 0xe0) {
        m.a2 = next_float(in);
        m.b3 = next_float(in);
        m.c1 = next_float(in);
    }
    return m;
}

static void make_nodes(stream_t *in, made_t *made) {
    int count = 1 + next(in) % MAX_NODES;
    for (int i = 0; i < count; i++) {
        struct aiNode *node = &made->nodes[i];
        struct aiNode *parent = i > 0 ? &made->nodes[next(in) % i] : NULL;
        name(&node->mName, next_name(in));
        node->mTransformation = next_matrix(in);
        node->mChildren = made->children[i];
        node->mMeshes = made->mesh_numbers[i];
        uint8_t mesh = next(in);
        if (mesh & 1) {
            node->mNumMeshes = 1;
            node->mMeshes[0] = mesh >> 1 & 1;
        }
        if (parent) {
            node->mParent = parent;
            parent->mChildren[parent->mNumChildren++] = node;
        }
    }
    made->scene.mRootNode = &made->nodes[0];
}

static void make_meshes(stream_t *in, made_t *made) {
    for (int i = 0; i < 2; i++) {
        struct aiMesh *mesh = &made->meshes[i];
        made->mesh_list[i] = mesh;
        name(&mesh->mName, "mesh");
        mesh->mVertices = made->vertices[i];
        mesh->mNumVertices = next(in) % (MAX_VERTICES + 1u);
        for (unsigned v = 0; v < mesh->mNumVertices; v++) {
            mesh->mVertices[v] = next_vector(in);
        }
    }
    made->meshes[0].mBones = made->bone_list;
    made->meshes[0].mNumBones = next(in) % 5u;
    for (unsigned b = 0; b < made->meshes[0].mNumBones; b++) {
        struct aiBone *bone = &made->bones[b];
        made->bone_list[b] = bone;
        name(&bone->mName, next_name(in));
        bone->mOffsetMatrix = next_matrix(in);
        bone->mWeights = made->weights[b];
        bone->mNumWeights = next(in) % (MAX_VERTICES + 1u);
        for (unsigned w = 0; w < bone->mNumWeights; w++) {
            uint8_t weight = next(in);
            bone->mWeights[w].mVertexId = weight == 0xff ? next(in) : w;
            bone->mWeights[w].mWeight = weight < 0xf0 ? 1.0f : next_float(in);
        }
    }
    made->scene.mMeshes = made->mesh_list;
    made->scene.mNumMeshes = 2;
}

static void make_keys(stream_t *in, made_t *made, int clip, int number) {
    struct aiNodeAnim *channel = &made->channels[clip][number];
    double place_time = 0.0;
    double turn_time = 0.0;
    channel->mPositionKeys = made->places[clip][number];
    channel->mRotationKeys = made->turns[clip][number];
    channel->mScalingKeys = made->scales[clip][number];
    channel->mNumPositionKeys = next(in) % (MAX_KEYS + 1u);
    channel->mNumRotationKeys = next(in) % (MAX_KEYS + 1u);
    channel->mNumScalingKeys = next(in) % 8 == 0 ? 1 : 0;
    for (unsigned i = 0; i < channel->mNumPositionKeys; i++) {
        float step = next_float(in);
        place_time += step > 0.0f ? 40.0 * (double)floorf(step) : (double)step;
        channel->mPositionKeys[i].mTime = place_time;
        channel->mPositionKeys[i].mValue = next_vector(in);
    }
    for (unsigned i = 0; i < channel->mNumRotationKeys; i++) {
        float s = next_float(in);
        turn_time += 40.0 * (double)(next(in) % 4);
        channel->mRotationKeys[i].mTime = turn_time;
        s = s >= -1.0f && s <= 1.0f ? s : 0.0f;
        channel->mRotationKeys[i].mValue = (struct aiQuaternion){
            next(in) == 0xff ? next_float(in) : sqrtf(1.0f - s * s), s, 0.0f, 0.0f};
    }
    if (channel->mNumScalingKeys > 0) {
        channel->mScalingKeys[0].mValue = next_vector(in);
    }
}

static void make_clips(stream_t *in, made_t *made) {
    unsigned count = next(in) % (MAX_CLIPS + 1u);
    for (unsigned i = 0; i < count; i++) {
        struct aiAnimation *clip = &made->clips[i];
        made->clip_list[i] = clip;
        name(&clip->mName, i == 0 ? "run" : i == 1 ? "die_once" : next_name(in));
        clip->mTicksPerSecond = 1000.0;
        clip->mChannels = made->channel_list[i];
        clip->mNumChannels = next(in) % (MAX_CHANNELS + 1u);
        for (unsigned c = 0; c < clip->mNumChannels; c++) {
            made->channel_list[i][c] = &made->channels[i][c];
            name(&made->channels[i][c].mNodeName, next_name(in));
            make_keys(in, made, (int)i, (int)c);
        }
    }
    made->scene.mAnimations = made->clip_list;
    made->scene.mNumAnimations = count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    stream_t in = {data, size, 0};
    made_t *made = calloc(1, sizeof *made);
    me_rig_t *rig = calloc(1, sizeof *rig);
    err_t err = {""};
    ASSERT(made && rig);
    make_nodes(&in, made);
    make_meshes(&in, made);
    make_clips(&in, made);
    uint8_t kind = next(&in);
    me_rig_options_t options = rig_options(kind, next(&in));
    const place_t root = {{{32, 0, 0, 0}, {0, 0, -32, 0}, {0, 32, 0, -24}}};
    if (!ME_Rig(rig, "fuzz.gltf", &made->scene, &root, &options, &err)) {
        ASSERT(strncmp(err.text, "fuzz.gltf: ", 11) == 0 && !strchr(err.text, '\n'));
        ASSERT(!rig->keys && rig->num_bones == 0);
    } else if (rig->num_bones > 0) {
        check_model(rig, MAX_MODEL_COORD * MAX_BONES);
    }
    ME_FreeRig(rig);
    free(rig);
    free(made);
    return 0;
}
