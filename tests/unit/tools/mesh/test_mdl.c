// Half-Life's studio models. make_mdl.py writes them byte by byte, with the poses of their bones,
// which the poses of the rig must equal. Every kind of damage is an error.

#include "base/file.h"
#include "lib/testing.h"
#include "mesh/mdl.h"
#include "mesh/soup.h"
#include "model/emesh_write.h"
#include "model/hitbox.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/edictd-mdl-XXXXXX";

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    char command[128];
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(command, sizeof command, "python3 tests/unit/tools/mesh/make_mdl.py %s", folder);
    return system(command);
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/// A model that went through an .emesh file.
typedef struct {
    me_rig_t *rig;
    uint8_t *bytes;
    emesh_t file;
    model_t model;
} loaded_t;

static void load(loaded_t *out, const char *path, const me_import_t *options) {
    me_soup_t soup;
    err_t err = {""};
    emesh_section_t sections[3];
    uint8_t *owned[3];
    size_t size = 0;
    *out = (loaded_t){.rig = calloc(1, sizeof *out->rig)};
    assert_non_null(out->rig);
    if (!ME_Import(&soup, out->rig, path, options, &err)) {
        fail_msg("%s", err.text);
    }
    model_t model = ME_ModelOf(out->rig);
    int32_t count = Model_Sections(&model, sections, owned);
    assert_true(count > 0);
    out->bytes = EMesh_Bytes(sections, count, &size);
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
    assert_true(EMesh_Parse(&out->file, "test", out->bytes, size, &err));
    if (!Model_Read(&out->model, &out->file, "test", &err)) {
        fail_msg("%s", err.text);
    }
}

static void unload(loaded_t *loaded) {
    if (loaded->rig) {
        ME_FreeRig(loaded->rig);
    }
    free(loaded->rig);
    free(loaded->bytes);
    *loaded = (loaded_t){0};
}

static void expect_near(vec3_t found, const float *expected, float within, const char *line) {
    vec3_t v = {expected[0], expected[1], expected[2]};
    if (!(VectorLength(VectorSubtract(found, v)) <= within)) {
        fail_msg("found %g %g %g, expected %s", (double)found.x, (double)found.y, (double)found.z,
                 line);
    }
}

/// Returns the request for a line "pose ANIMATION FRAME SECOND WEIGHT".
static pose_request_t request_of(const model_t *model, const char *line) {
    char first[32], second[32];
    int frame = 0;
    pose_request_t request = {.animations = {-1, -1}};
    assert_int_equal(sscanf(line, "pose %31s %d %31s %f", first, &frame, second, &request.blend),
                     4);
    request.animations[0] = Model_FindAnimation(model, first);
    request.animations[1] = Model_FindAnimation(model, second);
    assert_int_equal(request.animations[0] < 0, first[0] == '-');
    assert_int_equal(request.animations[1] < 0, second[0] == '-');
    for (int32_t i = 0; i < 2 && request.animations[0] >= 0; i++) {
        request.times_ms[i] = frame * model->animations[request.animations[0]].frame_ms;
    }
    return request;
}

static void check_bone(const model_t *model, const model_pose_t *pose, const char *line) {
    char name[32];
    float n[12];
    assert_int_equal(sscanf(line, "bone %31s %f %f %f %f %f %f %f %f %f %f %f %f", name, &n[0],
                            &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10],
                            &n[11]),
                     13);
    int32_t number = Model_FindBone(model, name);
    assert_true(number >= 0);
    const bone_matrix_t *bone = &pose->bones[number];
    expect_near(bone->origin, n, 1e-3f, line);
    for (int32_t axis = 0; axis < 3; axis++) {
        expect_near(bone->axes[axis], n + 3 + 3 * axis, 1e-5f, line);
    }
}

/// The article's bone-by-bone trace: a shot that starts in front of a hitbox stops at its face, or
/// at a hitbox of another bone before it.
static void check_shot(const model_t *model, const model_pose_t *pose, const char *line) {
    const cm_object_t place = {0};
    const bounds_t point = {vec3_zero, vec3_zero};
    cm_pose_t at = CM_MakePose(&place);
    char name[32];
    int number = 0;
    int group = 0;
    float n[7];
    assert_int_equal(sscanf(line, "shot %d %31s %d %f %f %f %f %f %f %f", &number, name, &group,
                            &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]),
                     10);
    vec3_t start = {n[0], n[1], n[2]};
    vec3_t end = {n[3], n[4], n[5]};
    model_t alone = *model;
    alone.hitboxes += number;
    alone.num_hitboxes = 1;
    trace_t trace = CM_HitboxTrace(&alone, pose, &at, start, end, point);
    assert_int_equal(trace.bone, Model_FindBone(model, name) + 1); // 0 = none
    assert_int_equal(trace.hitgroup, group);
    float length = VectorLength(VectorSubtract(end, start));
    assert_true(fabsf(trace.fraction - n[6]) * length < CM_DIST_EPSILON + 1e-3f);
    trace_t all = CM_HitboxTrace(model, pose, &at, start, end, point);
    assert_true(all.fraction < trace.fraction || all.bone == trace.bone);
}

/// Every bone has the pose that the script computed: the bind pose, all frames, controllers at
/// their limits, blends, and models that were scaled, turned and moved.
static void test_poses(void **state) {
    (void)state;
    char line[256];
    loaded_t loaded = {0};
    pose_request_t request = {0};
    model_pose_t pose;
    bool is_posed = false;
    int32_t bones = 0;
    int32_t shots = 0;
    FILE *file = fopen(path_of("poses.txt"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char name[64];
        float value = 0.0f;
        me_import_t options = {.any_up = true};
        if (sscanf(line, "model %63s %lf %f %f %f %f", name, &options.scale, &options.yaw,
                   &options.move.x, &options.move.y, &options.move.z) == 6) {
            unload(&loaded);
            load(&loaded, path_of(name), &options);
        } else if (strncmp(line, "pose", 4) == 0) {
            request = request_of(&loaded.model, line);
            is_posed = false;
        } else if (sscanf(line, "set %63s %f", name, &value) == 2) {
            int32_t number = Model_FindController(&loaded.model, name);
            if (number >= 0) {
                request.controllers[number] = value;
            } else {
                fail_msg("no controller %s", name);
            }
        } else {
            if (!is_posed) {
                Pose_Evaluate(NULL, &loaded.model, &request, &pose);
                is_posed = true;
            }
            if (line[0] == 'b') {
                check_bone(&loaded.model, &pose, line);
                bones++;
            } else if (line[0] == 's') {
                check_shot(&loaded.model, &pose, line);
                shots++;
            }
        }
    }
    fclose(file);
    unload(&loaded);
    print_message("%d poses of bones, %d shots\n", bones, shots);
    assert_true(bones > 150);
    assert_true(shots > 150);
}

static void test_parts(void **state) {
    (void)state;
    const me_import_t options = {.scale = 1.0, .any_up = true};
    loaded_t loaded;
    load(&loaded, path_of("arm.mdl"), &options);
    const model_t *arm = &loaded.model;
    assert_int_equal(arm->num_controllers, 4); // the fifth moves the mouth
    assert_int_equal(loaded.rig->num_controllers_out, 1);
    assert_string_equal(arm->controllers[0].name, "upper.turn_z"); // by their numbers
    assert_true(arm->controllers[0].min == -45.0f);
    assert_true(arm->controllers[0].max == 45.0f);
    assert_int_equal(arm->num_animations, 2);
    assert_int_equal(arm->animations[0].loops, 1);
    assert_int_equal(arm->animations[0].num_frames, 4); // the fifth frame repeats the first
    assert_int_equal(arm->animations[1].frame_ms, 32);
    assert_int_equal(arm->hitboxes[1].group, HIT_LEFT_ARM);
    unload(&loaded);
    load(&loaded, path_of("walk.mdl"), &options);
    assert_int_equal(loaded.model.num_animations, 3);
    assert_string_equal(loaded.model.animations[1].name, "look.2");
    assert_int_equal(loaded.model.hitboxes[2].group, HIT_GENERIC);
    assert_int_equal(loaded.rig->num_groups_unknown, 1);
    assert_int_equal(loaded.rig->num_elsewhere, 1);
    assert_string_equal(loaded.rig->elsewhere, "walk01.mdl");
    assert_int_equal(loaded.rig->num_blends, 1);
    assert_true(loaded.rig->blends[0].start == -45.0f);
    assert_true(loaded.rig->blends[0].end == 45.0f);
    unload(&loaded);
}

static void test_options(void **state) {
    (void)state;
    loaded_t loaded;
    me_import_t options = {
        .scale = 1.0, .any_up = true, .rig = {.only = {"wave"}, .num_only = 1, .fps = 10.0}};
    options.rig.once[options.rig.num_once++] = "wave";
    options.rig.controllers[options.rig.num_controllers++] = "aim=upper:turn_x:-10:10";
    options.rig.hitboxes = ME_HITBOXES_NONE;
    load(&loaded, path_of("arm.mdl"), &options);
    assert_int_equal(loaded.model.num_bones, 3); // no controllers of the file, so no extra bones
    assert_int_equal(loaded.model.num_animations, 1);
    assert_int_equal(loaded.model.animations[0].loops, 0);
    assert_int_equal(loaded.model.animations[0].frame_ms, 100);
    assert_int_equal(loaded.model.num_controllers, 1);
    assert_int_equal(loaded.model.num_hitboxes, 0);
    unload(&loaded);
}

// ---- damage ----

enum { BONES = 244, BONE = 112 }; // arm.mdl: 3 bones, 5 controllers, 3 hitboxes, 2 sequences

#define CONTROLLERS (BONES + 3 * BONE)
#define HITBOXES    (CONTROLLERS + 5 * 24)
#define SEQUENCES   (HITBOXES + 3 * 32)
#define ANIMATION   (SEQUENCES + 2 * 176 + 104)

typedef struct {
    size_t at;
    int32_t value; ///< written there
    const char *expected;
} fault_t;

static const fault_t faults[] = {
    {0, 0x51534449, "byte 0: expected a model, found a sequence group"}, // IDSQ
    {0, 1, "byte 0: header: expected \"IDST\""},
    {4, 44, "byte 4: header: expected version 10 (Half-Life), found 44"},
    {140, 0, "byte 140: header: expected bones, found 0"},
    {140, 129, "expected 0..128 bones, found 129"},
    {140, 100, "byte 244: expected 100 bones, 11200 bytes, within the file's"},
    {144, -4, "byte -4: expected 3 bones"},
    {144, 0x7fffffff, "byte 2147483647: expected 3 bones"},
    {148, 9, "expected 0..8 controllers, found 9"},
    {152, 1440, "byte 1440: expected 5 controllers"},
    {156, -1, "expected 0..64 hitboxes, found -1"},
    {164, 2049, "expected 0..2048 sequences, found 2049"},
    {168, 1300, "byte 1300: expected 2 sequences"},
    {172, 257, "expected 0..256 sequence groups, found 257"},
    {176, -1, "byte -1: expected 1 sequence groups"},
    {BONES, 0, "byte 244: bone 0: expected a unique name, found \"\""},
    {BONES + 32, 0, "byte 276: bone 0: expected a parent -1..-1, found 0"},
    {BONES + BONE + 32, -2, "bone 1: expected a parent -1..0, found -2"},
    {BONES + 64, 0x7fc00000, "byte 308: bone 0: channel 0: expected a number within +-1e+07"},
    {BONES + 64, 0x4a000000, "bone 0: expected a position within +-4096"},
    {CONTROLLERS, 3, "controller 0: expected a bone 0..2, found 3"},
    {CONTROLLERS + 4, 3, "controller 0: expected a type 1, 2, 4, 8, 16 or 32, found 0x3"},
    {CONTROLLERS + 4, 64, "controller 0: expected a type 1, 2, 4, 8, 16 or 32, found 0x40"},
    {CONTROLLERS + 4, 16, "controller 0: expected bone 2 to name it in channel 4, found -1 there"},
    {CONTROLLERS + 8, 0x7f800000, "controller 0: expected limits within +-360, found inf"},
    {HITBOXES, -1, "hitbox 0: expected a bone 0..2, found -1"},
    {HITBOXES + 8, 0x41000000, "hitbox 0: expected mins < maxs within +-4096, found 8"},
    {HITBOXES + 8, 0x7fc00000, "hitbox 0: expected mins < maxs within +-4096"},
    {SEQUENCES, 0, "sequence 0: expected a label, found none"},
    {SEQUENCES + 32, 0, "sequence \"wave\": expected fps above 0 and at most 1000, found 0"},
    {SEQUENCES + 32, 0x7fc00000, "sequence \"wave\": expected fps above 0 and at most 1000"},
    {SEQUENCES + 56, 0, "sequence \"wave\": expected 1..4096 frames, found 0"},
    {SEQUENCES + 56, 5000, "sequence \"wave\": expected 1..4096 frames, found 5000"},
    {SEQUENCES + 176 + 56, 4093, "\"point\": expected at most 64 animations and 4096 frames"},
    {SEQUENCES + 120, 0, "sequence \"wave\": expected 1..16 blends, found 0"},
    {SEQUENCES + 124, -99999, "offsets of a bone's frames: expected 12 bytes within"},
    {SEQUENCES + 124, 0x7fffffff, "byte 2147483647: offsets of a bone's frames"},
    {SEQUENCES + 156, 1, "sequence \"wave\": expected a sequence group 0..0, found 1"},
    {ANIMATION, 0x00ffffff, "span of frames: expected"},
    {ANIMATION + 36, 0x0, "span of frames: expected 1 to 0 numbers for 0 frames, found 0"},
    {ANIMATION + 36, 0x0203, "span of frames: expected 1 to 2 numbers for 2 frames, found 3"},
};

/// Reads bytes from a block of exactly their size, so that a sanitizer sees a read beyond them.
static bool read_copy(const uint8_t *bytes, size_t size, err_t *err) {
    const me_rig_options_t options = {0};
    similar_t root = ME_NoSimilar();
    me_rig_t *rig = calloc(1, sizeof *rig);
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_true(rig);
    assert_true(copy);
    memcpy(copy, bytes, size);
    const me_source_t source = {"x.mdl", copy, size};
    bool good = ME_ReadMdl(rig, &source, &root, &options, err);
    assert_true(good || rig->keys == NULL);
    ME_FreeRig(rig);
    free(rig);
    free(copy);
    return good;
}

static void test_faults(void **state) {
    (void)state;
    err_t err = {""};
    size_t size = 0;
    uint8_t *bytes = File_Read(path_of("arm.mdl"), 65536, &size, &err);
    assert_non_null(bytes);
    assert_true(read_copy(bytes, size, &err));
    for (size_t i = 0; i < COUNTOF(faults); i++) {
        const fault_t *fault = &faults[i];
        uint8_t old[4];
        memcpy(old, bytes + fault->at, 4);
        memcpy(bytes + fault->at, &fault->value, 4);
        err.text[0] = '\0';
        if (read_copy(bytes, size, &err) || !strstr(err.text, fault->expected) ||
            strncmp(err.text, "x.mdl: byte ", 12) != 0) {
            fail_msg("fault %zu: found \"%s\", expected \"%s\"", i, err.text, fault->expected);
        }
        memcpy(bytes + fault->at, old, 4);
    }
    // A file that ends early is refused, wherever it ends: its last bytes are frames.
    for (size_t end = 0; end < size; end++) {
        assert_false(read_copy(bytes, end, &err));
        assert_true(strncmp(err.text, "x.mdl: byte ", 12) == 0);
    }
    free(bytes);
}

static void refuses(const char *name, const me_import_t *options, bool bones,
                    const char *expected) {
    me_soup_t soup;
    err_t err = {""};
    me_rig_t *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    assert_false(ME_Import(&soup, bones ? rig : NULL, path_of(name), options, &err));
    if (!strstr(err.text, expected)) {
        fail_msg("found \"%s\", expected \"%s\"", err.text, expected);
    }
    free(rig);
}

static void test_bad_options(void **state) {
    (void)state;
    me_import_t options = {.scale = 1.0, .any_up = true};
    refuses("arm.mdl", &options, false,
            "--no-bones: expected triangles, but a .mdl gives only bones");
    options.rig.only[options.rig.num_only++] = "wawe";
    refuses("arm.mdl", &options, true, "--only: expected a sequence of the file, found \"wawe\"");
    refuses("arm.obj", &options, true, "--only needs a .mdl file");
    options.rig = (me_rig_options_t){.once = {"run"}, .num_once = 1};
    refuses("arm.mdl", &options, true, "--once: expected an animation of the file, found \"run\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poses),       cmocka_unit_test(test_parts),
        cmocka_unit_test(test_options),     cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
