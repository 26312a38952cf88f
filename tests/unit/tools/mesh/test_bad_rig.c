// Tests of edict-mesh: glTF files whose bones, hitboxes or animations are refused, each with one
// line that names the spot; scenes that no file gives, but the library might; crashes of the
// library.

#include "gltf_text.h"
#include "lib/testing.h"
#include "mesh/guard.h"

#include <assimp/scene.h>
#include <math.h>
#include <signal.h>

// ---- files ----

#define RIG    "{\"name\":\"rig\",\"children\":[1]},"
#define HIPS   "{\"name\":\"hips\",\"children\":[2]},"
#define HEAD   "{\"name\":\"head\",\"translation\":[0,1,0]},"
#define BODY   "{\"name\":\"body\",\"mesh\":0,\"skin\":0}"
#define HOLDER "{\"name\":\"hips\",\"children\":[2,4]},"

#define CHANNEL(node, output, target)                                                              \
    "{\"name\":\"run\",\"samplers\":[{\"input\":5,\"output\":" #output "}],\"channels\":["         \
    "{\"sampler\":0,\"target\":{\"node\":" #node ",\"path\":\"" target "\"}}]}"

/// Stores the changed part of the text; NULL: the default.
typedef struct {
    const char *nodes, *joints, *animations, *scene, *reason;
} bad_text_t;

static const bad_text_t bad_texts[] = {
    // Nodes in a loop, and missing nodes.
    {RIG "{\"name\":\"hips\",\"children\":[2]},{\"name\":\"head\",\"children\":[1]}," BODY, NULL,
     NULL, NULL, "Object at index 1 in array \"nodes\" has recursive reference to itself"},
    {RIG "{\"name\":\"hips\",\"children\":[2,9]}," HEAD BODY, NULL, NULL, NULL,
     "Array index 9 is out of bounds (4) for \"nodes\""},
    {NULL, "1,9", NULL, NULL, "Array index 9 is out of bounds (4) for \"nodes\""},
    {NULL, NULL, CHANNEL(7, 6, "rotation"), NULL,
     "Array index 7 is out of bounds (4) for \"nodes\""},
    // Names that are missing, or used twice.
    {RIG HIPS "{\"name\":\"hips\"}," BODY, NULL, NULL, NULL,
     "mesh \"skinned\": skin: expected one node \"hips\", found two with that name"},
    {RIG "{\"name\":\"hips\"}," HEAD BODY, NULL, NULL, NULL,
     "mesh \"skinned\": skin: expected a node of the scene, found \"head\""},
    {RIG "{\"name\":\"hips\"}," HEAD BODY, "1,1", NULL, NULL,
     "animation \"run\": expected a node of the scene, found \"head\""},
    {RIG "{\"name\":\"a name that is longer than 31 bytes\",\"children\":[2]},"
         "{\"name\":\"a name that is longer than 31 bites\"}," BODY,
     NULL, NULL, NULL,
     "bone \"a name that is longer than 31 bites\": expected names that differ in their first 31 "
     "bytes, found \"a name that is longer than 31 b\" twice"},
    // Scales.
    {RIG "{\"name\":\"hips\",\"scale\":[1,1,2],\"children\":[2]}," HEAD BODY, NULL, NULL, NULL,
     "bone \"hips\": expected a node \"hips\" with the same scale on all axes, found the scale 1 1 "
     "2"},
    {"{\"name\":\"rig\",\"scale\":[1,0,1],\"children\":[1]}," HIPS HEAD BODY, NULL, NULL, NULL,
     "bone \"hips\": expected a node \"rig\" with a scale above 0, found the scale 1 0 1"},
    {RIG "{\"name\":\"hips\",\"scale\":[-1,1,1],\"children\":[2]}," HEAD BODY, NULL, NULL, NULL,
     "bone \"hips\": expected a node \"hips\" that is not mirrored"},
    {RIG "{\"name\":\"hips\",\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1],\"children\":[2]}," HEAD
         BODY,
     NULL, NULL, NULL, "bone \"hips\": expected a node \"hips\" with axes at right angles"},
    {RIG "{\"name\":\"hips\",\"translation\":[0,5000,0],\"children\":[2]}," HEAD BODY, NULL, NULL,
     NULL, "bone \"hips\": expected a position within +-4096, found 0 0 5000"},
    // Hitboxes.
    {RIG HOLDER HEAD BODY ",{\"name\":\"hit_hed\",\"mesh\":1}", NULL, NULL, NULL,
     "node \"hit_hed\": expected hit_ followed by generic, head, chest, stomach, left_arm"},
    {RIG HOLDER HEAD BODY ",{\"name\":\"hit_head\"}", NULL, NULL, NULL,
     "hitbox \"hit_head\": expected a mesh, found none"},
    {RIG HOLDER HEAD BODY ",{\"name\":\"hit_head\",\"mesh\":1,\"scale\":[1,0.000001,1]}", NULL,
     NULL, NULL, "hitbox \"hit_head\": expected a box with a volume, found 2 x 2e-06 x 2"},
    {RIG HOLDER HEAD BODY ",{\"name\":\"hit_head\",\"mesh\":1,\"scale\":[1,0,1]}", NULL, NULL, NULL,
     "hitbox \"hit_head\": expected a node with a scale above 0"},
    {RIG HOLDER HEAD BODY ",{\"name\":\"hit_head\",\"mesh\":1,\"scale\":[1,9999,1]}", NULL, NULL,
     NULL, "hitbox \"hit_head\": expected a box within +-4096 of its bone"},
    {RIG HOLDER HEAD BODY ",{\"name\":\"x\",\"scale\":[1,2,1],\"children\":[5]},"
                          "{\"name\":\"hit_head\",\"mesh\":1,\"rotation\":[0,0,0.38268343,"
                          "0.92387953]}",
     NULL, NULL, NULL, "hitbox \"hit_head\": expected a node with axes at right angles"},
    {RIG HIPS HEAD BODY ",{\"name\":\"hit_head\",\"mesh\":1}", NULL, NULL, "0,3,4",
     "hitbox \"hit_head\": expected a bone above the node, found none"},
    {RIG HIPS HEAD "{\"name\":\"hit_head\",\"mesh\":0,\"skin\":0}", NULL, NULL, NULL,
     "hitbox \"hit_head\": expected a bone above the node, found none"},
    {RIG HOLDER HEAD "{\"name\":\"body\"},{\"name\":\"hit_head\",\"mesh\":0,\"skin\":0}", NULL,
     NULL, NULL, "hitbox \"hit_head\": expected a mesh without a skin, found one with a skin"},
    {RIG HIPS "{\"name\":\"hit_head\",\"mesh\":1}," BODY, NULL, NULL, NULL,
     "hitbox \"hit_head\": expected a node that is no bone, found one that is"},
    {RIG HOLDER HEAD BODY ",{\"name\":\"hit_head\",\"mesh\":1}", NULL, CHANNEL(4, 6, "rotation"),
     NULL, "hitbox \"hit_head\": expected a node that is not animated, found one that is"},
    // Animations.
    {NULL, NULL, CHANNEL(2, 6, "rotation") "," CHANNEL(1, 6, "rotation"), NULL,
     "animation \"run\": expected a unique name, found it twice"},
    {NULL, NULL, CHANNEL(2, 77, "rotation"), NULL,
     "Array index 77 is out of bounds (9) for \"accessors\""},
    {NULL, NULL,
     "{\"name\":\"run\",\"samplers\":[{\"input\":5,\"output\":6}],\"channels\":[{\"sampler\":3,"
     "\"target\":{\"node\":2,\"path\":\"rotation\"}}]}",
     NULL, "animation \"run\": expected channels with keys, found none"},
    {NULL, NULL,
     "{\"name\":\"run\",\"samplers\":[{\"input\":5,\"output\":4}],\"channels\":[{\"sampler\":0,"
     "\"target\":{\"node\":2,\"path\":\"rotation\"}}]}",
     NULL, "expected a value for each key: "},
    {NULL, NULL,
     "{\"name\":\"a name that is longer than 31 bytes\",\"samplers\":[{\"input\":5,\"output\":6}],"
     "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}",
     NULL,
     "animation \"a name that is longer than 31 bytes\": expected a name of at most 31 bytes"},
    {NULL, NULL, CHANNEL(2, 8, "scale"), NULL,
     "animation \"run\": bone \"head\": at 500 ms: expected the node's scale, 1 on "
     "all axes, found 1 1 2"},
};

static void expect_refusal(size_t row, const gltf_text_t *gltf, const me_import_t *options,
                           const char *reason) {
    made_t *made = calloc(1, sizeof *made);
    assert_non_null(made);
    if (Gltf_Import(made, gltf, options) || !strstr(made->err.text, reason)) {
        fail_msg("%zu: expected \"%s\", found \"%s\"", row, reason, made->err.text);
    }
    assert_non_null(strstr(made->err.text, "x.gltf: ")); // one line, which names the file
    assert_null(strchr(made->err.text, '\n'));
    assert_null(made->rig.keys);
    assert_null(made->soup.vertices);
    free(made);
}

static void test_bad_texts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(bad_texts); i++) {
        const bad_text_t *bad = &bad_texts[i];
        gltf_text_t gltf = Gltf_Default();
        gltf.data.scales[1][2] = 2.0f;
        gltf.nodes = bad->nodes ? bad->nodes : gltf.nodes;
        gltf.joints = bad->joints ? bad->joints : gltf.joints;
        gltf.animations = bad->animations ? bad->animations : gltf.animations;
        gltf.scene = bad->scene ? bad->scene : gltf.scene;
        expect_refusal(i, &gltf, &gltf_plain, bad->reason);
    }
}

// ---- numbers ----

/// Tests bad numbers: the error has the spot.
static void test_bad_numbers(void **state) {
    (void)state;
    gltf_text_t gltf = Gltf_Default();
    gltf.animations = CHANNEL(2, 6, "rotation");
    gltf.data.times[1] = NAN;
    expect_refusal(0, &gltf, &gltf_plain,
                   "animation \"run\": bone \"head\": at nan ms: expected "
                   "ascending key times from 0 to");
    gltf.data.times[1] = 9.0f;
    expect_refusal(1, &gltf, &gltf_plain,
                   "bone \"head\": at 1000 ms: expected ascending key times");
    gltf.data.times[1] = -1.0f;
    expect_refusal(2, &gltf, &gltf_plain,
                   "bone \"head\": at -1000 ms: expected ascending key times");
    gltf.data.times[1] = 0.5f;
    gltf.data.times[2] = 1e30f;
    expect_refusal(3, &gltf, &gltf_plain,
                   "bone \"head\": at 1e+33 ms: expected ascending key times");
    gltf.data.times[2] = 1.0f;
    gltf.data.turns[2][1] = NAN;
    expect_refusal(4, &gltf, &gltf_plain,
                   "bone \"head\": at 1000 ms: expected a unit quaternion, found 0 nan 0 1");
    gltf.data.turns[2][1] = 1.0f;
    expect_refusal(5, &gltf, &gltf_plain, "expected a unit quaternion, found 0 1 0 1");
    gltf.animations = CHANNEL(2, 7, "translation");
    gltf.data.places[0][0] = INFINITY;
    expect_refusal(6, &gltf, &gltf_plain,
                   "bone \"head\": at 0 ms: expected a position within +-1e+07, found inf 0 0");
    gltf.data.places[0][0] = 5000.0f;
    expect_refusal(7, &gltf, &gltf_plain,
                   "bone \"head\": at 0 ms: expected a position within +-4096, found 5000 0 0");
    gltf = Gltf_Default();
    gltf.data.corners[3][1] = NAN;
    expect_refusal(8, &gltf, &gltf_plain,
                   "mesh \"skinned\": vertex 3: expected coordinates within "
                   "+-4096 on its bone, found nan");
    gltf.nodes = RIG HOLDER HEAD BODY ",{\"name\":\"hit_head\",\"mesh\":1}";
    expect_refusal(9, &gltf, &gltf_plain,
                   "hitbox \"hit_head\": vertex 3: expected finite coordinates, found nan");
}

/// Tests weights of bones that the skin does not have, of no bone, and too large weights.
static void test_bad_weights(void **state) {
    (void)state;
    gltf_text_t gltf = Gltf_Default();
    gltf.data.joints[5][0] = 7;
    expect_refusal(0, &gltf, &gltf_plain,
                   "mesh \"skinned\": vertex 5: expected bone weights with a "
                   "sum of 1, found 0");
    gltf = Gltf_Default();
    gltf.data.weights[2][0] = 0.2f;
    expect_refusal(1, &gltf, &gltf_plain,
                   "vertex 2: expected bone weights with a sum of 1, "
                   "found 0.2");
    gltf.data.weights[2][0] = 3.0f;
    expect_refusal(2, &gltf, &gltf_plain, "vertex 2: expected a weight of 0 to 1, found 3");
    gltf.data.weights[2][0] = NAN; // libassimp treats it as no weight
    expect_refusal(3, &gltf, &gltf_plain, "vertex 2: expected bone weights");
}

// ---- too many ----

/// Writes nodes {"name":"NAME0"...},..., each the child of the node before.
static char *many_nodes(const char *head, const char *name, int count) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(head, out);
    for (int i = 0; i < count; i++) {
        fprintf(out, ",{\"name\":\"%s%d\",\"mesh\":1}", name, i);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/// Returns `before`, then "4,5,6,...", and `behind`.
static char *listed(const char *before, int from, int count, const char *behind) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(before, out);
    for (int i = from; i < from + count; i++) {
        fprintf(out, "%s%d", i > from ? "," : "", i);
    }
    fputs(behind, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_too_many(void **state) {
    (void)state;
    gltf_text_t gltf = Gltf_Default();
    // One node more than 128 bones: nodes that an animation moves.
    char *head = listed("{\"name\":\"rig\",\"children\":[", 1, 129, "]}");
    char *nodes = many_nodes(head, "bone", 129);
    char *moved = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&moved, &size);
    assert_non_null(out);
    fputs("{\"name\":\"run\",\"samplers\":[{\"input\":5,\"output\":6}],\"channels\":[", out);
    for (int i = 1; i <= 129; i++) {
        fprintf(out, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"rotation\"}}",
                i > 1 ? "," : "", i);
    }
    fputs("]}", out);
    assert_int_equal(fclose(out), 0);
    gltf.nodes = nodes;
    gltf.joints = NULL;
    gltf.scene = "0";
    gltf.animations = moved;
    expect_refusal(0, &gltf, &gltf_plain,
                   "bone \"bone128\": expected at most 128 bones, found "
                   "more");
    free(head);
    free(nodes);
    free(moved);
    // One hitbox more than 64.
    gltf = Gltf_Default();
    head = listed("{\"name\":\"rig\",\"children\":[1]},{\"name\":\"hips\",\"children\":[2,", 4, 65,
                  "]}," HEAD BODY);
    nodes = many_nodes(head, "hit_head", 65);
    gltf.nodes = nodes;
    expect_refusal(1, &gltf, &gltf_plain,
                   "node \"hit_head64\": expected at most 64 hitboxes, found more");
    free(head);
    free(nodes);
}

static void test_too_many_animations(void **state) {
    (void)state;
    gltf_text_t gltf = Gltf_Default();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (int i = 0; i < 65; i++) {
        fprintf(out,
                "%s{\"name\":\"a%d\",\"samplers\":[{\"input\":5,\"output\":6}],\"channels\":["
                "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}",
                i > 0 ? "," : "", i);
    }
    assert_int_equal(fclose(out), 0);
    gltf.animations = text;
    expect_refusal(0, &gltf, &gltf_plain, "expected at most 64 animations, found 65");
    free(text);
    gltf = Gltf_Default();
    gltf.data.times[2] = 300.0f;
    expect_refusal(1, &gltf, &gltf_plain,
                   "animation \"run\": expected at most 4096 frames in all animations, found more");
    gltf.data.times[2] = 4e7f; // larger than any allowed time
    expect_refusal(2, &gltf, &gltf_plain, "at 4e+10 ms: expected ascending key times");
}

static void test_bad_options(void **state) {
    (void)state;
    gltf_text_t gltf = Gltf_Default();
    me_import_t options = gltf_plain;
    options.rig.once[0] = "die";
    options.rig.num_once = 1;
    expect_refusal(0, &gltf, &options, "--once: expected an animation of the file, found \"die\"");
    gltf.joints = NULL;
    gltf.animations = NULL;
    gltf.nodes = "{\"name\":\"a\",\"mesh\":1},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"d\"}";
    options = gltf_plain;
    options.no_triangles = true;
    expect_refusal(1, &gltf, &options, "expected bones, found none");
    gltf.nodes = "{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"d\"}";
    expect_refusal(2, &gltf, &gltf_plain, "expected triangles, found none");
}

// ---- scenes that no file gives ----

/// Stores a root with one joint and one mesh of four vertices.
typedef struct {
    struct aiNode root, joint, *children[1];
    struct aiVector3D vertices[4];
    struct aiVertexWeight weights[4];
    struct aiBone bone, *bones[1];
    struct aiMesh mesh, *meshes[1];
    unsigned mesh_of_root[1];
    struct aiScene scene;
} scene_t;

static const struct aiMatrix4x4 unmoved = {.a1 = 1.0f, .b2 = 1.0f, .c3 = 1.0f, .d4 = 1.0f};

static void name(struct aiString *to, const char *text) {
    to->length = (ai_uint32)strlen(text);
    memcpy(to->data, text, strlen(text) + 1);
}

static void make_scene(scene_t *scene) {
    *scene = (scene_t){0};
    name(&scene->root.mName, "root");
    name(&scene->joint.mName, "joint");
    name(&scene->bone.mName, "joint");
    name(&scene->mesh.mName, "mesh");
    scene->root.mTransformation = scene->joint.mTransformation = unmoved;
    scene->bone.mOffsetMatrix = unmoved;
    scene->children[0] = &scene->joint;
    scene->root.mChildren = scene->children;
    scene->root.mNumChildren = 1;
    scene->root.mMeshes = scene->mesh_of_root;
    scene->root.mNumMeshes = 1;
    scene->joint.mParent = &scene->root;
    scene->bones[0] = &scene->bone;
    scene->bone.mWeights = scene->weights;
    scene->bone.mNumWeights = 4;
    scene->mesh.mBones = scene->bones;
    scene->mesh.mNumBones = 1;
    scene->mesh.mVertices = scene->vertices;
    scene->mesh.mNumVertices = 4;
    scene->meshes[0] = &scene->mesh;
    scene->scene.mRootNode = &scene->root;
    scene->scene.mMeshes = scene->meshes;
    scene->scene.mNumMeshes = 1;
    for (unsigned i = 0; i < 4; i++) {
        scene->weights[i] = (struct aiVertexWeight){i, 1.0f};
        scene->vertices[i] =
            (struct aiVector3D){i & 1 ? 9.0f : 0.0f, i & 2 ? 9.0f : 0.0f, (float)i};
    }
}

static void test_bad_scenes(void **state) {
    (void)state;
    scene_t *scene = calloc(1, sizeof *scene);
    me_rig_t *rig = calloc(1, sizeof *rig);
    const me_rig_options_t options = {.hitboxes = ME_HITBOXES_AUTO};
    const place_t root = ME_NoPlace();
    err_t err = {{0}};
    make_scene(scene);
    assert_true(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_int_equal(rig->num_hitboxes, 1);
    ME_FreeRig(rig);
    scene->weights[2].mVertexId = 4;
    assert_false(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_string_equal(err.text, "s: mesh \"mesh\": bone \"joint\": expected weights of vertices "
                                  "0..3, found 4");
    make_scene(scene);
    scene->weights[1].mWeight = NAN;
    assert_false(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_string_equal(err.text, "s: mesh \"mesh\": vertex 1: expected a weight of 0 to 1, found "
                                  "nan");
    make_scene(scene);
    name(&scene->joint.mName, "");
    name(&scene->bone.mName, "");
    assert_false(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_string_equal(err.text, "s: a bone has no name; name each node that moves");
    make_scene(scene);
    scene->joint.mTransformation.b4 = NAN;
    assert_false(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_string_equal(err.text,
                        "s: bone \"joint\": expected a node \"joint\" with a finite transform, "
                        "found the scale 1 1 1");
    // libassimp merges all channels of a node into one, so two channels come only from this scene.
    make_scene(scene);
    struct aiVectorKey key = {0};
    struct aiNodeAnim channel = {.mNumPositionKeys = 1, .mPositionKeys = &key};
    struct aiNodeAnim *channels[2] = {&channel, &channel};
    struct aiAnimation animation = {.mChannels = channels, .mNumChannels = 1};
    struct aiAnimation *animations[1] = {&animation};
    name(&channel.mNodeName, "joint");
    name(&animation.mName, "run");
    scene->scene.mAnimations = animations;
    scene->scene.mNumAnimations = 1;
    assert_true(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_int_equal(rig->num_animations, 1);
    ME_FreeRig(rig);
    animation.mNumChannels = 2;
    assert_false(ME_Rig(rig, "s", &scene->scene, &root, &options, &err));
    assert_string_equal(err.text, "s: animation \"run\": bone \"joint\": expected one channel, "
                                  "found two");
    free(scene);
    free(rig);
}

// ---- crashes ----

static int job(void *context) {
    int what = *(const int *)context;
    if (what < 0) {
        raise(SIGKILL);
    }
    return what;
}

static void test_guard(void **state) {
    (void)state;
    int number = -1;
    int status = 3;
    assert_int_equal(ME_Guard(job, &status, &number), 3);
    assert_int_equal(number, 0);
    status = -1;
    assert_int_equal(ME_Guard(job, &status, &number), -1);
    assert_int_equal(number, SIGKILL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_texts),           cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bad_weights),         cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_too_many_animations), cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_scenes),          cmocka_unit_test(test_guard),
    };
    return cmocka_run_group_tests(tests, Gltf_MakeFolder, Gltf_RemoveFolder);
}
