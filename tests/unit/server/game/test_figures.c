// Measures how much of the game's models is outside of the boxes that a shot must hit first; those
// parts cannot be hit. Uses random points in all hitboxes, in all frames of each animation, at all
// yaws.

#include "base/rng.h"
#include "collide/cmap.h"
#include "game/figure_data.h"
#include "game/game.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "model/hitbox.h"

enum { YAWS = 16, POINTS = 4 };

typedef struct {
    const char *what;
    int32_t model;
    const char *animation;
    bounds_t box;
    float lift; // the figure's second controller
    float most; // points outside, of 100
} fit_t;

static const bounds_t standing = {{-16, -16, -24}, {16, 16, 32}};
static const bounds_t tall = {{-16, -16, -36}, {16, 16, 36}};

static void read_model(int32_t number, model_t *model) {
    const game_model_t *one = &Game_Export()->models[number - 1];
    emesh_t file;
    err_t err;
    assert_true(EMesh_Parse(&file, one->name, one->bytes, one->size, &err));
    assert_true(Model_Read(model, &file, one->name, &err));
}

static float volume_of(const model_hitbox_t *box) {
    vec3_t size = VectorSubtract(box->box.maxs, box->box.mins);
    return size.x * size.y * size.z;
}

/// Each box counts by its volume.
static float share_outside(const fit_t *fit) {
    model_t model;
    model_pose_t pose;
    rng_t rng = {1};
    float all = 0.0f;
    float outside = 0.0f;
    read_model(fit->model, &model);
    int32_t number = Model_FindAnimation(&model, fit->animation);
    assert_true(number >= 0);
    const model_animation_t *one = &model.animations[number];
    for (int32_t ms = 0; ms < one->num_frames * one->frame_ms; ms += POSE_STEP_MS) {
        const pose_request_t request = {
            .animations = {number, number}, .times_ms = {ms, 0}, .controllers = {0.0f, fit->lift}};
        Pose_Evaluate(NULL, &model, &request, &pose);
        for (int32_t i = 0; i < YAWS * model.num_hitboxes * POINTS; i++) {
            int32_t hitbox = i / POINTS % model.num_hitboxes;
            const cm_object_t place = {.angles = {0.0f, 360.0f / YAWS * (float)(i % YAWS), 0.0f}};
            cm_pose_t at = CM_MakePose(&place);
            turned_box_t box = Hitbox_Place(&model, &pose, hitbox, &at);
            vec3_t point = box.middle;
            for (int32_t axis = 0; axis < 3; axis++) {
                const float half[3] = {box.half.x, box.half.y, box.half.z};
                point = VectorMA(point, Rng_Range(&rng, -half[axis], half[axis]), box.axes[axis]);
            }
            float weight = volume_of(&model.hitboxes[hitbox]);
            bool is_in = VectorCompare(VectorMax(point, fit->box.mins), point) &&
                         VectorCompare(VectorMin(point, fit->box.maxs), point);
            all += weight;
            outside += is_in ? 0.0f : weight;
        }
    }
    return 100.0f * outside / all;
}

static void test_boxes_hold_their_models(void **state) {
    (void)state;
    static const bounds_t ducked = {{-16, -16, -24}, {16, 16, 4}};
    static const bounds_t low = {{-16, -16, -18}, {16, 16, 18}};
    static const bounds_t dog = {{-16, -16, -24}, {16, 16, 24}};
    const fit_t fits[] = {
        {"player stands", FIGURE_MODEL, "stand", standing, 0.0f, 3.0f},
        {"player runs", FIGURE_MODEL, "run", standing, 0.0f, 4.0f},
        {"player crouches", FIGURE_MODEL, "crouch", ducked, 0.0f, 1.0f},
        {"Half-Life player stands", FIGURE_MODEL, "stand", tall, 0.0f, 3.0f},
        {"Half-Life player runs", FIGURE_MODEL, "run", tall, 0.0f, 4.0f},
        {"Half-Life player crouches", FIGURE_MODEL, "crouch", low, 6.0f, 1.0f},
        {"dog stands", DOG_MODEL, "stand", dog, 0.0f, 0.1f},
        {"dog walks", DOG_MODEL, "walk", dog, 0.0f, 0.1f},
        {"dog attacks", DOG_MODEL, "attack", dog, 0.0f, 0.1f},
    };
    for (size_t i = 0; i < COUNTOF(fits); i++) {
        float share = share_outside(&fits[i]);
        print_message("%s: %.2f %% stick out\n", fits[i].what, (double)share);
        assert_true(share <= fits[i].most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_hold_their_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
