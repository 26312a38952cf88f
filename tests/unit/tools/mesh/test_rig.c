// Tests of edict-mesh: bones, hitboxes and animations of glTF files: results and refused files.

#include "gltf_text.h"
#include "lib/testing.h"
#include "model/emesh_write.h"
#include "model/hitbox.h"
#include "model/pose.h"

#include <math.h>

static void expect_import(made_t *made, const gltf_text_t *gltf, const me_import_t *options) {
    if (!Gltf_Import(made, gltf, options)) {
        fail_msg("%s", made->err.text);
    }
    // Check that the reader accepts the tool's models.
    model_t model = ME_ModelOf(&made->rig);
    emesh_section_t sections[3];
    uint8_t *owned[3];
    size_t size = 0;
    int32_t count = Model_Sections(&model, sections, owned);
    assert_true(count >= 0);
    uint8_t *bytes = count > 0 ? EMesh_Bytes(sections, count, &size) : NULL;
    emesh_t file;
    if (bytes && (!EMesh_Parse(&file, "made", bytes, size, &made->err) ||
                  !Model_Read(&model, &file, "made", &made->err))) {
        fail_msg("%s", made->err.text);
    }
    free(bytes);
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
}

static bool is_near(vec3_t a, float x, float y, float z) {
    return fabsf(a.x - x) < 1e-4f && fabsf(a.y - y) < 1e-4f && fabsf(a.z - z) < 1e-4f;
}

static void check_near(vec3_t v, float x, float y, float z, int line) {
    if (!is_near(v, x, y, z)) {
        fail_msg("line %d: expected %g %g %g, found %g %g %g", line, (double)x, (double)y,
                 (double)z, (double)v.x, (double)v.y, (double)v.z);
    }
}

#define assert_near(v, ...) check_near(v, __VA_ARGS__, __LINE__)

/// Computes where the model's bones are in an animation (-1: the bind pose) after some ms.
static void pose(const me_rig_t *rig, int32_t animation, int64_t time_ms, model_pose_t *out) {
    const model_t model = ME_ModelOf(rig);
    const pose_request_t request = {.animations = {animation, -1}, .times_ms = {time_ms, 0}};
    Pose_Evaluate(NULL, &model, &request, out);
}

static void test_bones_of_a_skin(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    model_pose_t at;
    gltf_text_t gltf = Gltf_Default();
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_bones, 2);
    assert_string_equal(made->rig.bones[0].name, "hips");
    assert_string_equal(made->rig.bones[1].name, "head");
    assert_int_equal(made->rig.bones[0].parent, -1);
    assert_int_equal(made->rig.bones[1].parent, 0);
    assert_int_equal(made->soup.num_triangles, 0); // the triangles would not move with the bones
    pose(&made->rig, -1, 0, &at);
    assert_near(at.bones[1].origin, 0, 0, 1);
    assert_near(at.bones[1].axes[1], 0, 0, 1); // the file's y points up
    assert_near(at.bones[1].axes[2], 0, -1, 0);
    assert_near(made->rig.bones[1].place, 0, 1, 0); // the bone's own axes are the file's axes
    Gltf_Free(made);
    // Without bones, the skin's triangles are like any others. Without triangles, there is no mesh.
    me_import_t alone = gltf_plain;
    alone.no_triangles = true;
    gltf.nodes = "{\"name\":\"rig\",\"children\":[1]},{\"name\":\"hips\",\"children\":[2]},"
                 "{\"name\":\"head\",\"translation\":[0,1,0]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0},"
                 "{\"name\":\"base\",\"translation\":[9,0,0],\"mesh\":1}";
    gltf.scene = "0,3,4";
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->soup.num_triangles, 12);
    Gltf_Free(made);
    expect_import(made, &gltf, &alone);
    assert_int_equal(made->soup.num_triangles, 0);
    assert_int_equal(made->rig.num_bones, 2);
    Gltf_Free(made);
    char *text = Gltf_Text(&gltf);
    assert_true(Gltf_ImportAs(&made->soup, NULL, text, &gltf_plain, &made->err));
    free(text);
    assert_int_equal(made->soup.num_triangles, 24);
    Gltf_Free(made);
    gltf = Gltf_Default();
    // Scaled, turned and moved. A node above the bones and a node between them are folded in.
    gltf.nodes = "{\"name\":\"rig\",\"scale\":[0.5,0.5,0.5],\"translation\":[3,0,0],"
                 "\"children\":[1]},"
                 "{\"name\":\"hips\",\"translation\":[0,2,0],\"children\":[4]},"
                 "{\"name\":\"head\",\"translation\":[0,1,0]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0},"
                 "{\"name\":\"neck\",\"scale\":[4,4,4],\"translation\":[0,0,1],"
                 "\"rotation\":[0,0,0.70710678,0.70710678],\"children\":[2]}";
    const me_import_t options = {
        .scale = 10.0, .any_up = true, .yaw = 90.0f, .move = {100.0f, 0.0f, -24.0f}};
    expect_import(made, &gltf, &options);
    assert_int_equal(made->rig.num_bones, 2);
    pose(&made->rig, -1, 0, &at);
    // hips: (3 1 0) in the file; times 10 with z up: (30 0 10); yaw: (0 30 10); then moved.
    assert_near(at.bones[0].origin, 100, 30, -14);
    // head: (0 0 1) on the hips, plus 4 times (-1 0 0): (-4 0 1); half of it is (-2 0 0.5).
    assert_near(at.bones[1].origin, 105, 10, -14);
    Gltf_Free(made);
    free(made);
}

/// Tests moved nodes: above joints, such a node is a bone. Elsewhere it is not, and is reported.
static void test_moved_nodes_of_a_skin(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    gltf.animations = TURN_OF(0) ",{\"name\":\"walk\",\"samplers\":[{\"input\":5,\"output\":6}],"
                                 "\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,\"path\":"
                                 "\"rotation\"}}]}";
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_bones, 3);
    assert_string_equal(made->rig.bones[0].name, "rig");
    assert_int_equal(made->rig.num_animations, 1); // walk moves no bone
    assert_int_equal(made->rig.num_left_out, 1);
    Gltf_Free(made);
    // The long name of a skipped animation must not spoil the next one's name.
    gltf.animations = "{\"name\":\"look_around\",\"samplers\":[{\"input\":5,\"output\":6}],"
                      "\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,\"path\":"
                      "\"rotation\"}}]}," TURN_OF(0);
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_animations, 1);
    assert_string_equal(made->rig.animations[0].name, "run");
    Gltf_Free(made);
    free(made);
}

/// Tests a file without a skin: animated nodes and nodes with hitboxes are bones. Triangles stay.
static void test_bones_without_a_skin(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    gltf.joints = NULL;
    gltf.scene = "0,3";
    gltf.nodes = "{\"name\":\"mill\",\"children\":[1,2]},"
                 "{\"name\":\"wall\",\"translation\":[0,0,7],\"mesh\":1},"
                 "{\"name\":\"sails\",\"translation\":[0,5,0],\"mesh\":1},"
                 "{\"name\":\"crate\",\"mesh\":1,\"children\":[4]},"
                 "{\"name\":\"hit_generic\",\"mesh\":1}";
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_bones, 2);
    assert_string_equal(made->rig.bones[0].name, "sails");
    assert_string_equal(made->rig.bones[1].name, "crate");
    assert_int_equal(made->rig.num_hitboxes, 1);
    assert_int_equal(made->rig.hitboxes[0].bone, 1);
    assert_int_equal(made->soup.num_triangles, 36);
    Gltf_Free(made);
    // If nothing moves, the file has only triangles.
    gltf.animations = NULL;
    gltf.nodes =
        "{\"name\":\"mill\",\"mesh\":1},{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}";
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_bones, 0);
    assert_int_equal(made->soup.num_triangles, 12);
    Gltf_Free(made);
    free(made);
}

// ---- hitboxes ----

/// Tests the box around the skin's vertices that follow a bone, in the bone's space.
static void test_boxes_of_vertices(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    const me_import_t options = {.scale = 10.0, .any_up = true};
    for (int i = 0; i < 8; i++) { // the upper half follows the head, with a few lower corners
        gltf.data.joints[i][0] = (i & 2) || i == 0 ? 1 : 0;
    }
    gltf.data.corners[0][1] = -0.5f;
    expect_import(made, &gltf, &options);
    assert_true(made->rig.boxes_are_made);
    // hips: corners 1, 4, 5 are in one plane, so they have no box.
    assert_int_equal(made->rig.num_flat, 1);
    assert_int_equal(made->rig.num_hitboxes, 1);
    const model_hitbox_t *head = &made->rig.hitboxes[0];
    assert_int_equal(head->bone, 1);
    assert_int_equal(head->group, HIT_HEAD);
    assert_near(head->box.mins, -10, -15, -10); // y = -0.5, with the head at 1
    assert_near(head->box.maxs, 10, 0, 10);
    Gltf_Free(made);
    // The greater weight decides: 0.4 or 0.6. Without the option, no box is made.
    gltf = Gltf_Default();
    for (int i = 0; i < 8; i++) {
        gltf.data.joints[i][1] = 1;
        gltf.data.joints[i][0] = 0;
        gltf.data.weights[i][0] = 0.4f;
        gltf.data.weights[i][1] = 0.6f;
    }
    expect_import(made, &gltf, &options);
    assert_int_equal(made->rig.num_hitboxes, 1);
    assert_int_equal(made->rig.hitboxes[0].bone, 1);
    Gltf_Free(made);
    me_import_t none = options;
    none.rig.hitboxes = ME_HITBOXES_NAMED;
    expect_import(made, &gltf, &none);
    assert_int_equal(made->rig.num_hitboxes, 0);
    Gltf_Free(made);
    // A finger is part of its hand: a node without a known name belongs to its parent.
    gltf.nodes = "{\"name\":\"rig\",\"children\":[1]},"
                 "{\"name\":\"hand_l\",\"children\":[2]},"
                 "{\"name\":\"thumb_01_l\",\"translation\":[0,1,0]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0}";
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_hitboxes, 1);
    assert_int_equal(made->rig.hitboxes[0].bone, 0);
    assert_int_equal(made->rig.hitboxes[0].group, HIT_LEFT_ARM);
    assert_near(made->rig.hitboxes[0].box.maxs, 1, 1, 1);
    Gltf_Free(made);
    free(made);
}

#define WITH_HITBOX(node)                                                                          \
    "{\"name\":\"rig\",\"scale\":[0.5,0.5,0.5],\"children\":[1]},"                                 \
    "{\"name\":\"hips\",\"rotation\":[0.5,0.5,0.5,0.5],\"children\":[2,4]},"                       \
    "{\"name\":\"head\",\"translation\":[0,1,0]},"                                                 \
    "{\"name\":\"body\",\"mesh\":0,\"skin\":0}," node

/// Tests boxes of nodes: straight, quarter-turned and mirrored ones are on the bone itself.
static void test_boxes_of_nodes(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    const me_import_t options = {.scale = 10.0, .any_up = true};
    gltf.nodes = WITH_HITBOX("{\"name\":\"Hit_Stomach.001\",\"mesh\":1,"
                             "\"translation\":[1,2,3],\"scale\":[1,2,4]}");
    expect_import(made, &gltf, &options);
    assert_int_equal(made->rig.num_bones, 2);
    assert_int_equal(made->rig.num_hitboxes, 1);
    assert_false(made->rig.boxes_are_made);
    assert_int_equal(made->rig.hitboxes[0].group, HIT_STOMACH);
    assert_near(made->rig.hitboxes[0].box.mins, 0, 0, -5); // times 0.5 and 10
    assert_near(made->rig.hitboxes[0].box.maxs, 10, 20, 35);
    Gltf_Free(made);
    gltf.nodes = WITH_HITBOX("{\"name\":\"hit_left_leg\",\"mesh\":1,\"translation\":[1,2,3],"
                             "\"scale\":[-1,2,4],\"rotation\":[0,0,0.70710678,0.70710678]}");
    expect_import(made, &gltf, &options);
    assert_int_equal(made->rig.num_bones, 2);
    assert_int_equal(made->rig.hitboxes[0].group, HIT_LEFT_LEG);
    assert_near(made->rig.hitboxes[0].box.mins, -5, 5, -5);
    assert_near(made->rig.hitboxes[0].box.maxs, 15, 15, 35);
    Gltf_Free(made);
    free(made);
}

/// Tests a turned box: it has a bone of its own, and is where it was modelled.
static void test_turned_box(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    model_pose_t at;
    gltf_text_t gltf = Gltf_Default();
    const me_import_t options = {.scale = 10.0, .any_up = true};
    for (int i = 0; i < 3; i++) {
        gltf.data.times[i] = 0.4f * (float)i;
    }
    // An eighth of a turn around z, below the head, which is turned like the hips.
    gltf.nodes = "{\"name\":\"rig\",\"scale\":[0.5,0.5,0.5],\"children\":[1]},"
                 "{\"name\":\"hips\",\"rotation\":[0.5,0.5,0.5,0.5],\"children\":[2]},"
                 "{\"name\":\"head\",\"translation\":[0,1,0],\"children\":[4]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0},"
                 "{\"name\":\"hit_head\",\"mesh\":1,\"translation\":[0,0,2],\"scale\":[1,1,3],"
                 "\"rotation\":[0,0,0.38268343,0.92387953]}";
    expect_import(made, &gltf, &options);
    assert_int_equal(made->rig.num_bones, 3);
    assert_string_equal(made->rig.bones[2].name, "hit_head");
    assert_int_equal(made->rig.bones[2].parent, 1);
    assert_int_equal(made->rig.hitboxes[0].bone, 2);
    assert_near(made->rig.hitboxes[0].box.maxs, 5, 5, 15);
    // (0 0 2) on the head, plus (1 1 1) turned (x to y to z to x), plus hips (2 0 1); times 5 with
    // z up.
    pose(&made->rig, -1, 0, &at);
    assert_near(at.bones[1].origin, 0, -5, 0);
    assert_near(at.bones[2].origin, 10, -5, 0);
    assert_near(at.bones[2].axes[2], 1, 0, 0);
    assert_true(fabsf(DotProduct(at.bones[2].axes[0], at.bones[1].axes[0]) - 0.70710678f) < 1e-4f);
    // After a quarter turn of the head, the box has turned with it.
    pose(&made->rig, 0, 400, &at);
    assert_near(at.bones[1].axes[2], 0, 1, 0);
    assert_near(at.bones[2].origin, 0, 5, 0);
    Gltf_Free(made);
    free(made);
}

// ---- animations ----

static void test_frames(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    model_pose_t at;
    // Steps of 0.5 s are too long for frames, so 20 frames per second are made. The last key equals
    // the first.
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.num_animations, 1);
    const model_animation_t *one = &made->rig.animations[0];
    assert_string_equal(one->name, "run");
    assert_int_equal(one->frame_ms, 50);
    assert_int_equal(one->num_frames, 20);
    assert_int_equal(one->loops, 1);
    pose(&made->rig, 0, 248, &at); // near the middle of a quarter turn of constant speed
    float angle = atan2f(at.bones[1].axes[1].y, at.bones[1].axes[1].z) * 57.29578f;
    assert_true(fabsf(fabsf(angle) - 90.0f * 248.0f / 500.0f) < 0.05f);
    pose(&made->rig, 0, 200, &at);
    angle = atan2f(at.bones[1].axes[1].y, at.bones[1].axes[1].z) * 57.29578f;
    assert_true(fabsf(fabsf(angle) - 36.0f) < 1e-3f);
    Gltf_Free(made);
    // Even steps of 80 ms are the frames. They start late, as in Blender's files.
    for (int i = 0; i < 3; i++) {
        gltf.data.times[i] = 0.0416667f + 0.08f * (float)i;
    }
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.animations[0].frame_ms, 80);
    assert_int_equal(made->rig.animations[0].num_frames, 2);
    assert_true(fabsf(made->rig.keys[3].turn.x - 0.70710678f) < 1e-6f);
    Gltf_Free(made);
    // A negated quaternion is the same rotation and gives the same numbers.
    gltf.data.turns[1][0] = gltf.data.turns[1][3] = -0.70710678f;
    expect_import(made, &gltf, &gltf_plain);
    assert_true(fabsf(made->rig.keys[3].turn.x - 0.70710678f) < 1e-6f);
    assert_true(made->rig.keys[3].turn.w > 0.0f);
    gltf.data.turns[1][0] = gltf.data.turns[1][3] = 0.70710678f;
    Gltf_Free(made);
    // A requested frame rate replaces the file's steps; "_once" keeps the last key.
    gltf.animations = "{\"name\":\"die_once\",\"samplers\":[{\"input\":5,\"output\":6},"
                      "{\"input\":5,\"output\":7}],\"channels\":["
                      "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
                      "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"translation\"}}]}";
    gltf.data.places[2][1] = -7.0f;
    me_import_t options = gltf_plain;
    options.rig.fps = 25.0;
    expect_import(made, &gltf, &options);
    assert_string_equal(made->rig.animations[0].name, "die");
    assert_int_equal(made->rig.animations[0].loops, 0);
    assert_int_equal(made->rig.animations[0].frame_ms, 40);
    assert_int_equal(made->rig.animations[0].num_frames, 5);
    assert_near(made->rig.keys[8].place, 0, 0, -7);
    assert_near(made->rig.keys[6].place, 0, 0, -3.5f);
    Gltf_Free(made);
    free(made);
}

/// Tests lengths that are no multiple of a frame, an animation of one pose, --once, and scales of a
/// node.
static void test_odd_frames(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    me_import_t options = gltf_plain;
    options.rig.once[0] = "run";
    options.rig.num_once = 1;
    gltf.data.times[1] = 0.3f;
    gltf.data.times[2] = 1.033f;
    expect_import(made, &gltf, &options);
    const model_animation_t *one = &made->rig.animations[0];
    int32_t length_ms = (one->num_frames - 1) * one->frame_ms;
    assert_int_equal(one->loops, 0);
    assert_in_range(length_ms, 1031, 1035);
    assert_in_range(one->frame_ms, 38, 62);
    Gltf_Free(made);
    // A loop whose last key differs from its first keeps the last key.
    memcpy(gltf.data.turns[2], gltf.data.turns[1], sizeof gltf.data.turns[1]);
    gltf.data.times[1] = 0.1f;
    gltf.data.times[2] = 0.2f;
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.animations[0].num_frames, 3);
    Gltf_Free(made);
    gltf.data.times[1] = gltf.data.times[2] = 0.0f; // all keys at one time: one pose
    expect_import(made, &gltf, &gltf_plain);
    assert_int_equal(made->rig.animations[0].num_frames, 1);
    Gltf_Free(made);
    // A scale that equals the node's own in all keys changes nothing.
    gltf = Gltf_Default();
    gltf.nodes = "{\"name\":\"rig\",\"children\":[1]},"
                 "{\"name\":\"hips\",\"scale\":[2,2,2],\"children\":[2]},"
                 "{\"name\":\"head\",\"translation\":[0,1,0]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0}";
    gltf.animations = "{\"samplers\":[{\"input\":5,\"output\":8}],\"channels\":["
                      "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}}]}";
    for (int i = 0; i < 9; i++) {
        gltf.data.scales[i / 3][i % 3] = 2.0f;
    }
    expect_import(made, &gltf, &gltf_plain);
    assert_string_equal(made->rig.animations[0].name, "animation_0");
    assert_near(made->rig.keys[1].place, 0, 2, 0);
    Gltf_Free(made);
    free(made);
}

static void test_controllers(void **state) {
    (void)state;
    made_t *made = calloc(1, sizeof *made);
    gltf_text_t gltf = Gltf_Default();
    gltf.nodes = "{\"name\":\"rig\",\"children\":[1]},"
                 "{\"name\":\"mixamorig:hips\",\"children\":[2]},"
                 "{\"name\":\"head\",\"translation\":[0,1,0]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0}";
    me_import_t options = gltf_plain;
    options.rig.controllers[0] = "turn=mixamorig:hips:turn_y:-60:60.5";
    options.rig.controllers[1] = "stretch=head:move_x:0:4";
    options.rig.num_controllers = 2;
    expect_import(made, &gltf, &options);
    assert_int_equal(made->rig.num_controllers, 2);
    const model_controller_t *one = made->rig.controllers;
    assert_string_equal(one[0].name, "turn");
    assert_int_equal(one[0].bone, 0);
    assert_int_equal(one[0].move, MODEL_TURN_Y);
    assert_true(one[0].min == -60.0f);
    assert_true(one[0].max == 60.5f);
    assert_string_equal(one[1].name, "stretch");
    assert_int_equal(one[1].bone, 1);
    assert_int_equal(one[1].move, MODEL_MOVE_X);
    Gltf_Free(made);
    // Long names are cut, in the model and in messages, but not inside of a character.
    gltf.nodes = "{\"name\":\"rig\",\"children\":[1]},"
                 "{\"name\":\"hips\",\"children\":[2]},"
                 "{\"name\":\"pinky-finger-phalanx-intermedi\303\244r\",\"translation\":[0,1,0]},"
                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0}";
    options.rig.controllers[0] = "bend=pinky-finger-phalanx-intermedi\303\244r:turn_x:0:9";
    options.rig.num_controllers = 1;
    expect_import(made, &gltf, &options);
    assert_string_equal(made->rig.bones[1].name, "pinky-finger-phalanx-intermedi");
    assert_int_equal(made->rig.controllers[0].bone, 1);
    Gltf_Free(made);
    gltf = Gltf_Default();
    options.rig.num_controllers = 2;
    static const char *const bad[][2] = {
        {"aim", "expected NAME=BONE:MOVE:MIN:MAX"},
        {"aim=head", "expected NAME=BONE:MOVE:MIN:MAX"},
        {"=head:turn_x:0:1", "expected NAME=BONE:MOVE:MIN:MAX"},
        {"aim=head:turn_q:0:1", "expected NAME=BONE:MOVE:MIN:MAX"},
        {"aim=head:turn_x:0:nan", "expected NAME=BONE:MOVE:MIN:MAX"},
        {"a_name_that_is_longer_than_31_bytes=head:turn_x:0:1", "expected NAME=BONE"},
        {"aim=neck:turn_x:0:1", "expected a bone of the model, found \"neck\""},
        {"aim=haed:turn_x:0:1", "found \"haed\"; did you mean \"head\"?"},
        {"aim=head:turn_x:1:0", "expected -360 <= MIN <= MAX <= 360, found 1 and 0"},
        {"aim=head:turn_x:0:400", "expected -360 <= MIN <= MAX <= 360, found 0 and 400"},
        {"stretch=head:turn_x:0:1", "expected a unique name"}};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        options.rig.controllers[0] = options.rig.controllers[1];
        options.rig.controllers[1] = bad[i][0];
        options.rig.controllers[0] = "stretch=head:move_x:0:4";
        if (Gltf_Import(made, &gltf, &options) || !strstr(made->err.text, bad[i][1])) {
            fail_msg("\"%s\": \"%s\"", bad[i][0], made->err.text);
        }
        assert_non_null(strstr(made->err.text, "x.gltf: --controller"));
    }
    free(made);
}

// ---- names ----

static void test_names_of_nodes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t group;
    } rows[] = {{"hit_head", HIT_HEAD},
                {"HIT_Left_Arm.001", HIT_LEFT_ARM},
                {"hit_left_leg2", HIT_LEFT_LEG},
                {"hit_right_arm_upper", HIT_RIGHT_ARM},
                {"hit_chest plate", HIT_CHEST},
                {"hit_generic", HIT_GENERIC},
                {"hit_heads", -2},
                {"hit_", -2},
                {"hit_arm", -2},
                {"hitman", -1},
                {"hi", -1},
                {"", -1}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        if (ME_GroupOfNode(rows[i].name) != rows[i].group) {
            fail_msg("%s: %d", rows[i].name, ME_GroupOfNode(rows[i].name));
        }
    }
    for (int32_t i = 0; i < NUM_HIT_GROUPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "hit_%s", ME_GroupName(i));
        assert_int_equal(ME_GroupOfNode(name), i);
    }
    for (int32_t i = 0; i < NUM_MODEL_MOVES; i++) {
        assert_int_equal(ME_MoveNamed(ME_MoveName(i)), i);
    }
    assert_int_equal(ME_MoveNamed("none"), -1);
    assert_string_equal(ME_GroupName(NUM_HIT_GROUPS), "none");
}

/// Tests names as in Mixamo, Rigify, Half-Life, Source, Unreal, DAZ, and as people write them.
static void test_names_of_bones(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t group;
        bool part;
    } rows[] = {
        {"mixamorig:Hips", HIT_STOMACH, false},
        {"mixamorig:Spine1", HIT_CHEST, false},
        {"mixamorig:Neck", HIT_HEAD, false},
        {"mixamorig:LeftShoulder", HIT_LEFT_ARM, false},
        {"mixamorig:RightForeArm", HIT_RIGHT_ARM, false},
        {"mixamorig:LeftHandThumb1", HIT_LEFT_ARM, true},
        {"mixamorig:RightUpLeg", HIT_RIGHT_LEG, false},
        {"mixamorig:LeftToeBase", -1, true},
        {"mixamorig:HeadTop_End", HIT_HEAD, true},
        {"DEF-thigh.L.001", HIT_LEFT_LEG, false},
        {"DEF-upper_arm.R", HIT_RIGHT_ARM, false},
        {"f_index.01.R", -1, true},
        {"Bip01 L Calf", HIT_LEFT_LEG, false},
        {"Bip01 R UpperArm", HIT_RIGHT_ARM, false},
        {"Bip01 Pelvis", HIT_STOMACH, false},
        {"Bip01", -1, false},
        {"ValveBiped.Bip01_L_Clavicle", HIT_LEFT_ARM, false},
        {"upperarm_twist_01_l", HIT_LEFT_ARM, true},
        {"lowerarm_l", HIT_LEFT_ARM, false},
        {"calf_r", HIT_RIGHT_LEG, false},
        {"lShldr", HIT_LEFT_ARM, false},
        {"rThigh", HIT_RIGHT_LEG, false},
        {"left thigh", HIT_LEFT_LEG, false},
        {"leftforearm", HIT_LEFT_ARM, false},
        {"RIGHT_FOOT", HIT_RIGHT_LEG, false},
        {"LeftHip", HIT_LEFT_LEG, false},
        {"hip", HIT_STOMACH, false},
        {"Armature", -1, false},
        {"leg_3", HIT_GENERIC, false},
        {"tail", -1, false},
        {"", -1, false},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        bool part = false;
        int32_t group = ME_GroupOfBone(rows[i].name, &part);
        if (group != rows[i].group || part != rows[i].part) {
            fail_msg("%s: %s, part %d", rows[i].name, ME_GroupName(group), part);
        }
    }
}

// ---- places ----

static void test_places(void **state) {
    (void)state;
    place_t place = ME_NoPlace();
    similar_t similar;
    double lengths[3];
    assert_int_equal(ME_SimilarOf(&place, &similar, lengths), PLACE_IS_SIMILAR);
    place.m[0][0] = 1.01;
    assert_int_equal(ME_SimilarOf(&place, &similar, lengths), PLACE_STRETCHED);
    place.m[0][0] = -1.0;
    assert_int_equal(ME_SimilarOf(&place, &similar, lengths), PLACE_MIRRORED);
    place.m[0][0] = 0.0;
    assert_int_equal(ME_SimilarOf(&place, &similar, lengths), PLACE_FLAT);
    place.m[0][0] = 1.0;
    place.m[1][0] = 0.1;
    assert_int_equal(ME_SimilarOf(&place, &similar, lengths), PLACE_SHEARED);
    place.m[1][0] = 0.0;
    place.m[2][3] = (double)NAN;
    assert_int_equal(ME_SimilarOf(&place, &similar, lengths), PLACE_NOT_FINITE);
    // Turns of all kinds are converted to axes and back; halfway between two turns, the angle is
    // half.
    for (int32_t i = 1; i < 200; i++) {
        double a = 0.37 * i;
        turn_t q = {sin(a), cos(a * 1.7), sin(a * 2.3), cos(a * 3.1)};
        double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        q = (turn_t){q.x / length, q.y / length, q.z / length, q.w / length};
        dvec_t axes[3] = {ME_Turned(q, (dvec_t){1, 0, 0}), ME_Turned(q, (dvec_t){0, 1, 0}),
                          ME_Turned(q, (dvec_t){0, 0, 1})};
        turn_t p = ME_TurnOfAxes(axes);
        assert_true(fabs(fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w) - 1.0) < 1e-9);
        double angle = 0.015 * i; // up to nearly half a turn
        turn_t to = {0, 0, sin(angle / 2), cos(angle / 2)};
        turn_t part = ME_TurnBetween((turn_t){0, 0, 0, 1}, to, 0.3);
        assert_true(fabs(part.z - sin(angle * 0.15)) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bones_of_a_skin),
        cmocka_unit_test(test_moved_nodes_of_a_skin),
        cmocka_unit_test(test_bones_without_a_skin),
        cmocka_unit_test(test_boxes_of_vertices),
        cmocka_unit_test(test_boxes_of_nodes),
        cmocka_unit_test(test_turned_box),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_odd_frames),
        cmocka_unit_test(test_controllers),
        cmocka_unit_test(test_names_of_nodes),
        cmocka_unit_test(test_names_of_bones),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, Gltf_MakeFolder, Gltf_RemoveFolder);
}
