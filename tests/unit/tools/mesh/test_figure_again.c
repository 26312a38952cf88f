// Tests of edict-mesh: the player's figure, written as glTF and compiled again, equals the original
// in bones, hitboxes, controllers, animations, and the results of sweeps.

#include "base/file.h"
#include "base/rng.h"
#include "game/figure_data.h"
#include "lib/testing.h"
#include "mesh/info.h"
#include "mesh/soup.h"
#include "model/emesh_write.h"
#include "model/hitbox.h"
#include "model/pose.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "examples/figure.gltf"; // made by tools/figure

/// Options for the figure, as in tools/mesh/README.md.
static const me_import_t as_told = {
    .scale = 32.0,
    .any_up = true,
    .rig = {.controllers = {"aim=chest:turn_y:-30:30", "lift=pelvis:move_z:0:12"},
            .num_controllers = 2}};

static me_rig_t *compile(const me_import_t *options) {
    me_soup_t soup;
    err_t err = {{0}};
    me_rig_t *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    if (!ME_Import(&soup, rig, source, options, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(soup.num_triangles, 0); // the body has a skin
    ME_FreeSoup(&soup);
    return rig;
}

static void free_rig(me_rig_t *rig) {
    ME_FreeRig(rig);
    free(rig);
}

static model_t direct(void) {
    emesh_t file;
    model_t model;
    err_t err = {{0}};
    assert_true(
        EMesh_Parse(&file, "figure", (const uint8_t *)game_figure, GAME_FIGURE_BYTES, &err));
    assert_true(Model_Read(&model, &file, "figure", &err));
    return model;
}

static bool is_near(float a, float b) {
    return fabsf(a - b) <= 2e-6f * (1.0f + fabsf(b));
}

static bool is_same_key(quat_t p, vec3_t a, quat_t q, vec3_t b) {
    return is_near(p.x, q.x) && is_near(p.y, q.y) && is_near(p.z, q.z) && is_near(p.w, q.w) &&
           is_near(a.x, b.x) && is_near(a.y, b.y) && is_near(a.z, b.z);
}

static bool is_same_box(bounds_t a, bounds_t b) {
    return is_near(a.mins.x, b.mins.x) && is_near(a.mins.y, b.mins.y) &&
           is_near(a.mins.z, b.mins.z) && is_near(a.maxs.x, b.maxs.x) &&
           is_near(a.maxs.y, b.maxs.y) && is_near(a.maxs.z, b.maxs.z);
}

static void test_the_same_model(void **state) {
    (void)state;
    me_rig_t *rig = compile(&as_told);
    const model_t a = ME_ModelOf(rig);
    const model_t b = direct();
    assert_int_equal(a.num_bones, b.num_bones);
    for (int32_t i = 0; i < b.num_bones; i++) {
        assert_string_equal(a.bones[i].name, b.bones[i].name);
        assert_int_equal(a.bones[i].parent, b.bones[i].parent);
        assert_true(
            is_same_key(a.bones[i].turn, a.bones[i].place, b.bones[i].turn, b.bones[i].place));
    }
    assert_int_equal(a.num_controllers, b.num_controllers);
    assert_memory_equal(a.controllers, b.controllers,
                        (size_t)b.num_controllers * sizeof *b.controllers);
    assert_int_equal(a.num_hitboxes, b.num_hitboxes);
    assert_false(rig->boxes_are_made);
    for (int32_t i = 0; i < b.num_hitboxes; i++) {
        assert_int_equal(a.hitboxes[i].bone, b.hitboxes[i].bone);
        assert_int_equal(a.hitboxes[i].group, b.hitboxes[i].group);
        assert_true(is_same_box(a.hitboxes[i].box, b.hitboxes[i].box));
    }
    assert_int_equal(a.num_animations, b.num_animations);
    assert_memory_equal(a.animations, b.animations,
                        (size_t)b.num_animations * sizeof *b.animations);
    assert_int_equal(a.num_frames, b.num_frames);
    for (int32_t i = 0; i < b.num_frames * b.num_bones; i++) {
        assert_true(is_same_key(a.keys[i].turn, a.keys[i].place, b.keys[i].turn, b.keys[i].place));
    }
    free_rig(rig);
}

/// Tests boxes made of the skin's vertices, without the nodes of hitboxes: they are the same boxes.
/// Their groups follow from the names, so the spine counts as chest.
static void test_the_same_boxes_of_vertices(void **state) {
    (void)state;
    static const char copy[] = "/tmp/edictd-figure-auto.gltf";
    me_import_t options = as_told;
    me_soup_t soup;
    err_t err = {{0}};
    size_t size = 0;
    char name[64];
    uint8_t *bytes = File_Read(source, 1 << 20, &size, &err);
    assert_non_null(bytes);
    for (char *at = strstr((char *)bytes, "\"hit_"); at; at = strstr(at + 1, "\"hit_")) {
        at[1] = 'b'; // "bit_head" is no hitbox
    }
    snprintf(name, sizeof name, "%s.%d.gltf", copy, (int)getpid());
    assert_true(File_Write(name, bytes, size, &err));
    free(bytes);
    me_rig_t *rig = calloc(1, sizeof *rig);
    bool good = ME_Import(&soup, rig, name, &options, &err);
    unlink(name);
    assert_true(good);
    const model_t b = direct();
    assert_true(rig->boxes_are_made);
    assert_int_equal(rig->num_hitboxes, b.num_hitboxes);
    for (int32_t i = 0; i < b.num_hitboxes; i++) {
        bounds_t made = rig->hitboxes[i].box;
        bounds_t box = b.hitboxes[i].box;
        vec3_t low = VectorSubtract(made.mins, box.mins);
        vec3_t high = VectorSubtract(made.maxs, box.maxs);
        assert_int_equal(rig->hitboxes[i].bone, i);
        assert_true(VectorWithin(low, 1e-4f));
        assert_true(VectorWithin(high, 1e-4f));
        bool is_spine = strcmp(rig->bones[i].name, "spine") == 0;
        assert_int_equal(rig->hitboxes[i].group, is_spine ? HIT_CHEST : b.hitboxes[i].group);
    }
    ME_FreeSoup(&soup);
    free_rig(rig);
}

/// Returns true if a sweep hits two boxes at one point, so that rounding decides which is nearer.
/// Each bone has one box.
static bool is_tie(const model_t *model, const model_pose_t *pose, const vec3_t ends[2],
                   bounds_t swept, const trace_t *other, const trace_t *expected) {
    const cm_pose_t nowhere = CM_MakePose(&(cm_object_t){0});
    if (other->bone == 0 || expected->bone == 0) {
        return false;
    }
    turned_box_t box = Hitbox_Place(model, pose, other->bone - 1, &nowhere);
    trace_t trace = CM_TurnedBoxTrace(&box, ends[0], ends[1], swept.mins, swept.maxs);
    return fabsf(trace.fraction - expected->fraction) <= 1e-5f;
}

static vec3_t random_point(rng_t *rng) {
    vec3_t p;
    p.x = Rng_Range(rng, -60.0f, 60.0f);
    p.y = Rng_Range(rng, -60.0f, 60.0f);
    p.z = Rng_Range(rng, -40.0f, 40.0f);
    return p;
}

static pose_request_t random_pose(rng_t *rng) {
    pose_request_t request = {.blend = Rng_Float(rng)};
    for (int32_t i = 0; i < 2; i++) {
        request.animations[i] = (int32_t)Rng_Below(rng, 4);
        request.times_ms[i] = Rng_Below(rng, 5000);
    }
    request.controllers[0] = Rng_Range(rng, -40.0f, 40.0f);
    request.controllers[1] = Rng_Range(rng, -1.0f, 13.0f);
    return request;
}

/// Runs the same sweeps on both models, in random bone poses. A model compiled with --yaw and
/// --move is hit in its new pose.
static void compare_sweeps(const me_import_t *options, const cm_object_t *stands, float slack) {
    static const cm_object_t nowhere = {0};
    me_rig_t *rig = compile(options);
    const model_t a = ME_ModelOf(rig);
    const model_t b = direct();
    const cm_pose_t at_a = CM_MakePose(stands);
    const cm_pose_t at_b = CM_MakePose(&nowhere);
    rng_t rng = {4711};
    int32_t hits = 0;
    int32_t ties = 0;
    const int32_t count = Test_IsLong() ? 400000 : 20000;
    for (int32_t i = 0; i < count; i++) {
        pose_request_t request = random_pose(&rng);
        const vec3_t start = random_point(&rng);
        const vec3_t ends[2] = {start, random_point(&rng)};
        model_pose_t pose_a;
        model_pose_t pose_b;
        float half = i % 2 ? 0.0f : Rng_Range(&rng, 0.0f, 4.0f);
        bounds_t swept = {{-half, -half, -half}, {half, half, half}};
        Pose_Evaluate(NULL, &a, &request, &pose_a);
        Pose_Evaluate(NULL, &b, &request, &pose_b);
        trace_t x = CM_HitboxTrace(&a, &pose_a, &at_a, ends[0], ends[1], swept);
        trace_t y = CM_HitboxTrace(&b, &pose_b, &at_b, ends[0], ends[1], swept);
        hits += y.fraction < 1.0f ? 1 : 0;
        bool same = x.hitgroup == y.hitgroup && x.bone == y.bone;
        ties += same ? 0 : 1;
        if ((!same && !is_tie(&b, &pose_b, ends, swept, &x, &y)) || x.startsolid != y.startsolid ||
            fabsf(x.fraction - y.fraction) > slack) {
            fail_msg("sweep %d: group %d bone %d at %g, expected group %d bone %d at %g", i,
                     x.hitgroup, x.bone, (double)x.fraction, y.hitgroup, y.bone,
                     (double)y.fraction);
        }
    }
    assert_true(hits > count / 10);
    assert_true(hits < count);
    assert_true(ties < hits / 20);
    free_rig(rig);
}

static void test_the_same_hits(void **state) {
    (void)state;
    compare_sweeps(&as_told, &(cm_object_t){0}, 1e-5f);
}

/// Tests --yaw and --move: they put the model elsewhere; turned back, it is hit as before.
static void test_the_same_hits_elsewhere(void **state) {
    (void)state;
    me_import_t options = as_told;
    options.yaw = 90.0f;
    options.move = Vector(10.0f, 20.0f, 30.0f);
    // A quarter turn back around z, and the new position of (10 20 30) back to zero.
    const cm_object_t stands = {.origin = {-20.0f, 10.0f, -30.0f}, .angles = {0.0f, -90.0f, 0.0f}};
    compare_sweeps(&options, &stands, 1e-4f);
}

// ---- output of --info ----

static void test_info(void **state) {
    (void)state;
    char name[64];
    char *text = NULL;
    size_t size = 0;
    err_t err = {{0}};
    snprintf(name, sizeof name, "/tmp/edictd-figure-%d.emesh", (int)getpid());
    assert_true(File_Write(name, game_figure, GAME_FIGURE_BYTES, &err));
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(ME_PrintInfo(out, name, &err));
    assert_int_equal(fclose(out), 0);
    unlink(name);
    static const char *const lines[] = {
        (" bytes\ntriangles: none\nbones: 12 (number, name, parent, position in the model, axes "
         "nearest to its x y z; ~ = over 8 degrees off)\n"),
        "\n    3 head                              2  (0 0 21)  +x +y +z\n",
        "\ncontrollers: 2\n    0 aim                             turn_y of chest, -30 to 30\n",
        "\n    1 lift                            move_z of pelvis, 0 to 12\nhitboxes: 12 (",
        "\n    3 head       head                            (-5 -5 1) to (6 5 11)\n",
        "\nanimations: 4, 33 frames in all\n",
        "\n    3 die                             0.64 s, 9 frames of 80 ms, once\n"};
    for (size_t i = 0; i < COUNTOF(lines); i++) {
        if (!strstr(text, lines[i])) {
            fail_msg("expected \"%s\" in:\n%s", lines[i], text);
        }
    }
    free(text);
    assert_false(ME_PrintInfo(stdout, "examples/figure.gltf", &err));
    assert_string_equal(err.text,
                        "examples/figure.gltf: byte 0: header: expected \"EMSH\"; this is not an "
                        ".emesh file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_model), cmocka_unit_test(test_the_same_boxes_of_vertices),
        cmocka_unit_test(test_the_same_hits),  cmocka_unit_test(test_the_same_hits_elsewhere),
        cmocka_unit_test(test_info),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
