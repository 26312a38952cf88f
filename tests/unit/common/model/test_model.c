// Skeletons, hitboxes and animations: reading, refused files, bone poses, the cache of bone poses.
#include "lib/golden_fixture.h"
#include "lib/model_fixture.h"
#include "lib/testing.h"
#include "model/emesh_write.h"
#include "model/hitbox.h"
#include "model/pose.h"

#include <stdlib.h>
#include <string.h>

static void test_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        test_model_t *test = TestModel_Make(seed, 1 + (int32_t)(seed * 7 % MAX_BONES), 9);
        const model_t *a = &test->model;
        const model_t *b = &test->read;
        size_t bones = (size_t)a->num_bones;
        assert_int_equal(b->num_bones, a->num_bones);
        assert_int_equal(b->num_frames, a->num_frames);
        assert_memory_equal(b->bones, a->bones, bones * sizeof *a->bones);
        assert_memory_equal(b->hitboxes, a->hitboxes, 9 * sizeof *a->hitboxes);
        assert_memory_equal(b->controllers, a->controllers,
                            MAX_CONTROLLERS * sizeof *a->controllers);
        assert_memory_equal(b->animations, a->animations, 4 * sizeof *a->animations);
        assert_memory_equal(b->keys, a->keys, bones * (size_t)a->num_frames * sizeof *a->keys);
        assert_int_equal(Model_FindAnimation(b, "animation 3"), 3);
        assert_int_equal(Model_FindAnimation(b, "animation 4"), -1);
        assert_int_equal(Model_FindController(b, "controller 2"), 2);
        TestModel_Free(test);
    }
}

/// Checks that the changed file is refused with this text.
static void refused(test_model_t *test, const char *expected) {
    err_t err = {""};
    model_t model;
    TestModel_Write(test);
    assert_false(Model_Read(&model, &test->file, "test", &err));
    assert_int_equal(model.num_bones, 0);
    if (!strstr(err.text, expected)) {
        fail_msg("expected \"%s\", found \"%s\"", expected, err.text);
    }
}

static void test_bad_files(void **state) {
    (void)state;
    test_model_t *test = TestModel_Make(7, 5, 3);
#define REFUSED(field, value, text)                                                                \
    do {                                                                                           \
        __typeof__(field) was = field;                                                             \
        field = value;                                                                             \
        refused(test, text);                                                                       \
        field = was;                                                                               \
    } while (0)
    REFUSED(test->bones[2].parent, 4,
            "test: skeleton: byte 176: bone 2: expected a parent -1..1, found 4");
    REFUSED(test->bones[2].parent, 2, "found 2");
    REFUSED(test->bones[1].parent, -2, "-1..0, found -2");
    REFUSED(test->bones[1].place.y, NAN, "expected coordinates within +-4096");
    REFUSED(test->bones[1].turn.w, 9.0f, "a unit quaternion");
    REFUSED(test->bones[1].turn.w, NAN, "a unit quaternion");
    REFUSED(test->bones[1].name[0], '\0', "expected a name of 1 to 31 bytes, found 0");
    REFUSED(test->bones[1].name[20], 'x', "expected 0 after the name, found 120");
    REFUSED(test->bones[1].name[5], '0',
            "expected unique names, found \"bone 0\" for numbers 0 and 1");
    REFUSED(test->controllers[0].bone, 5, "expected 0..4 for a controller's bone, found 5");
    REFUSED(test->controllers[0].move, 6, "expected 0..5 for a controller's move, found 6");
    REFUSED(test->controllers[0].min, NAN, "controller 0: expected");
    REFUSED(test->controllers[0].max, test->controllers[0].min - 1.0f, "controller 0: expected");
    REFUSED(test->hitboxes[1].bone, -1, "hitboxes: byte 48: expected 0..4 for a hitbox's bone");
    REFUSED(test->hitboxes[1].group, 8, "expected 0..7 for a hit group, found 8");
    REFUSED(test->hitboxes[1].box.mins.x, 90.0f, "hitbox 1: expected mins <= maxs, found (90 ");
    REFUSED(test->hitboxes[1].box.maxs.x, INFINITY, "expected coordinates within");
    REFUSED(test->animations[1].first_frame, 7, "expected its first frame to be 8, found 7");
    REFUSED(test->animations[1].num_frames, 25, "expected 1..24 frames of an animation, found 25");
    REFUSED(test->animations[3].num_frames, 7,
            "expected 31..31 frames, the sum over its animations");
    REFUSED(test->animations[1].frame_ms, 0, "expected 1..10000 ms per frame, found 0");
    REFUSED(test->animations[1].loops, 2, "expected 0..1 for loops, found 2");
    REFUSED(test->keys[50].turn.x, 3.0f, "a unit quaternion");
    REFUSED(test->keys[50].place.x, NAN, "expected coordinates within");
    REFUSED(test->model.num_bones, 4,
            "hitboxes: byte 48: expected 0..3 for a hitbox's bone, found 4");
#undef REFUSED
    TestModel_Free(test);
}

/// Tests the sections of a model in a wrong order, with one twice and one missing.
static void test_order_of_sections(void **state) {
    (void)state;
    static const struct {
        int32_t order[3], count;
        const char *why;
    } cases[] = {
        {{0, 1, 2}, 3, NULL},
        {{0, 2, 0}, 2, NULL},
        {{0, 0, 1}, 3, "skeleton: byte 0: expected one section of this kind, found two"},
        {{0, 1, 1}, 3, "hitboxes: byte 0: expected one section of this kind, found two"},
        {{0, 2, 1}, 3, "hitboxes: byte 0: expected this section before the animations"},
        {{1, 0, 2}, 3, "hitboxes: byte 0: expected a skeleton before this section, found none"}};
    test_model_t *test = TestModel_Make(7, 5, 3);
    emesh_section_t sections[3];
    uint8_t *owned[3];
    assert_int_equal(Model_Sections(&test->model, sections, owned), 3);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        emesh_section_t some[3];
        for (int n = 0; n < 3; n++) {
            some[n] = sections[cases[i].order[n]];
        }
        size_t size = 0;
        err_t err = {""};
        emesh_t file;
        model_t model;
        uint8_t *bytes = EMesh_Bytes(some, cases[i].count, &size);
        assert_true(EMesh_Parse(&file, "test", bytes, size, &err));
        assert_true(Model_Read(&model, &file, "test", &err) == !cases[i].why);
        assert_true(!cases[i].why || strstr(err.text, cases[i].why));
        free(bytes);
    }
    for (int n = 0; n < 3; n++) {
        free(owned[n]);
    }
    TestModel_Free(test);
}

static pose_request_t random_request(rng_t *rng) {
    pose_request_t request = {.blend = (float)Rng_Below(rng, 5) * 0.25f};
    for (int32_t i = 0; i < 2; i++) {
        request.animations[i] = (int32_t)Rng_Below(rng, 6) - 1;
        request.times_ms[i] = (int64_t)Rng_Below(rng, 2000) - 100;
    }
    for (int32_t i = 0; i < MAX_CONTROLLERS; i++) {
        request.controllers[i] = Rng_Range(rng, -40.0f, 40.0f);
    }
    return request;
}

static void test_cached_is_uncached(void **state) {
    (void)state;
    pose_cache_t *cache = calloc(1, sizeof *cache);
    test_model_t *a = TestModel_Make(3, 20, 3);
    test_model_t *b = TestModel_Make(4, 128, 3);
    model_pose_t *first = calloc(2, sizeof *first);
    rng_t rng = {99};
    for (int32_t i = 0; i < 20000; i++) {
        const model_t *model = Rng_Below(&rng, 2) ? &a->read : &b->read;
        pose_request_t request = random_request(&rng);
        size_t bytes = (size_t)model->num_bones * sizeof first->bones[0];
        Pose_Evaluate(NULL, model, &request, &first[0]);
        Pose_Evaluate(cache, model, &request, &first[1]);
        assert_memory_equal(&first[0], &first[1], bytes);
    }
    assert_true(cache->missed > 0);
    assert_true(cache->missed < cache->asked);
    free(first);
    free(cache);
    TestModel_Free(a);
    TestModel_Free(b);
}

/// Tests cached hitboxes of many entities that share a few slots, some queried repeatedly: they
/// must have the bits of new ones.
static void test_placed_is_placed_anew(void **state) {
    (void)state;
    pose_cache_t *cache = calloc(1, sizeof *cache);
    test_model_t *models[2] = {TestModel_Make(3, 20, 9), TestModel_Make(4, 40, 9)};
    rng_t rng = {100};
    pose_request_t request = random_request(&rng);
    cm_object_t place = {.angles = {0.0f, 0.0f, 0.0f}};
    uint32_t slot = 0;
    int32_t which = 0;
    for (int32_t i = 0; i < 20000; i++) {
        turned_box_t boxes[2][MAX_HITBOXES];
        uint32_t change = Rng_Below(&rng, 32); // mostly no change
        slot = change == 0 ? Rng_Below(&rng, 3 * PLACED_SLOTS) : slot;
        which = change == 1 ? 1 - which : which;
        request = change == 2 ? random_request(&rng) : request;
        request.controllers[0] = change == 3   ? Rng_Range(&rng, -40.0f, 40.0f)
                                 : change == 4 ? NAN
                                               : request.controllers[0];
        request.blend = change == 5 ? Rng_Range(&rng, 0.0f, 1.0f) : request.blend;
        place.origin.z = change == 6 ? Rng_Range(&rng, -900.0f, 900.0f) : place.origin.z;
        place.angles.y = change == 7 ? Rng_Range(&rng, -180.0f, 180.0f) : place.angles.y;
        place.origin.x = change == 8 ? -place.origin.x : place.origin.x;
        request.times_ms[0] += change == 9 ? (int64_t)Rng_Below(&rng, 20) : 0;
        const model_t *model = &models[which]->read;
        const turned_box_t *got = Hitbox_PlaceAll(cache, slot, model, &request, &place, boxes[0]);
        Hitbox_PlaceAll(NULL, slot, model, &request, &place, boxes[1]);
        assert_memory_equal(got, boxes[1], (size_t)model->num_hitboxes * sizeof *got);
    }
    assert_true(cache->placed_missed * 2 < cache->placed_asked);
    assert_true(cache->placed_missed > 3000);
    free(cache);
    TestModel_Free(models[0]);
    TestModel_Free(models[1]);
}

/// Tests a thousand entities in the same walk at the same time: the pose is computed once.
static void test_crowd(void **state) {
    (void)state;
    pose_cache_t *cache = calloc(1, sizeof *cache);
    test_model_t *test = TestModel_Make(3, 20, 3);
    model_pose_t pose;
    for (int32_t i = 0; i < 1000; i++) {
        pose_request_t request = {.animations = {1, 0}, .times_ms = {777 + i % 7, 0}};
        Pose_Evaluate(cache, &test->read, &request, &pose);
    }
    assert_int_equal(cache->asked, 1000);
    assert_int_equal(cache->missed, 1); // 777 to 783 are one step
    TestModel_Free(test);
    free(cache);
}

static void test_times(void **state) {
    (void)state;
    test_model_t *test = TestModel_Make(3, 6, 3);
    const model_t *model = &test->read;
    local_pose_t pose;
    // Animation 0 stays at its last frame, even if this is between two steps; animation 1 starts
    // again.
    Pose_Local(model, 0, Pose_Step(model, 0, 1000000), &pose);
    assert_true(VectorCompare(pose.bones[3].place, model->keys[7 * 6 + 3].place));
    Pose_Local(model, 0, Pose_Step(model, 0, -5), &pose);
    assert_true(VectorCompare(pose.bones[3].place, model->keys[3].place));
    assert_int_equal(Pose_Step(model, 1, 8 * 51 + 16), 2);
    assert_int_equal(Pose_Step(model, 1, INT64_MAX), Pose_Step(model, 1, INT64_MAX % (8 * 51)));
    Pose_Local(model, 0, 5, &pose); // 40 ms: exactly frame 2
    assert_true(VectorCompare(pose.bones[1].place, model->keys[2 * 6 + 1].place));
    TestModel_Free(test);
}

static void test_controllers(void **state) {
    (void)state;
    test_model_t *test = TestModel_Make(3, 3, 1);
    // Make an unturned chain along x; controller 0 turns bone 1 around z.
    for (int32_t i = 0; i < 3; i++) {
        test->bones[i].parent = i - 1;
        test->bones[i].place = Vector(i == 0 ? 0.0f : 10.0f, 0.0f, 0.0f);
        test->bones[i].turn = (quat_t){0.0f, 0.0f, 0.0f, 1.0f};
    }
    test->model.num_controllers = 2;
    test->controllers[0] = (model_controller_t){"turn", 1, MODEL_TURN_Z, -45.0f, 90.0f};
    test->controllers[1] = (model_controller_t){"lift", 0, MODEL_MOVE_Z, 0.0f, 5.0f};
    model_pose_t pose;
    pose_request_t request = {.animations = {-1, -1}, .controllers = {400.0f, 3.0f}};
    Pose_Evaluate(NULL, &test->model, &request, &pose);
    vec3_t at = VectorSubtract(pose.bones[2].origin, Vector(10.0f, 10.0f, 3.0f));
    assert_true(VectorLength(at) < 1e-5f);
    request.controllers[0] = NAN; // NaN is replaced by the lower limit
    Pose_Evaluate(NULL, &test->model, &request, &pose);
    float d = 10.0f * sqrtf(0.5f);
    at = VectorSubtract(pose.bones[2].origin, Vector(10.0f + d, -d, 3.0f));
    assert_true(VectorLength(at) < 1e-5f);
    TestModel_Free(test);
}

static void test_golden(void **state) {
    (void)state;
    test_golden_t golden = {0};
    test_model_t *test = TestModel_Make(11, 24, 3);
    rng_t rng = {5};
    model_pose_t pose;
    for (int32_t i = 0; i < 8; i++) {
        pose_request_t request = random_request(&rng);
        Pose_Evaluate(NULL, &test->read, &request, &pose);
        for (int32_t bone = 0; bone < 24; bone += 5) {
            TestGolden_Print(&golden, "%d %d", i, bone);
            TestGolden_Vector(&golden, "origin", pose.bones[bone].origin);
            TestGolden_Vector(&golden, "x", pose.bones[bone].axes[0]);
            TestGolden_Vector(&golden, "z", pose.bones[bone].axes[2]);
            TestGolden_Print(&golden, "\n");
        }
    }
    TestModel_Free(test);
    assert_true(TestGolden_Check(&golden, "pose.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_order_of_sections),
        cmocka_unit_test(test_cached_is_uncached),
        cmocka_unit_test(test_placed_is_placed_anew),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_controllers),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
