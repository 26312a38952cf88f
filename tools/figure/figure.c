#include "figure/figure.h"

#include "base/assert.h"
#include "figure/build.h"
#include "math/angles.h"

#include <stdlib.h>

enum {
    PELVIS,
    SPINE,
    CHEST,
    HEAD,
    LEFT_ARM,
    LEFT_HAND,
    RIGHT_ARM,
    RIGHT_HAND,
    LEFT_THIGH,
    LEFT_SHIN,
    RIGHT_THIGH,
    RIGHT_SHIN,
    NUM_BONES
};

static const part_t parts[NUM_BONES] = {
    [PELVIS] = {"pelvis", -1, {0, 0, 0}, HIT_STOMACH, {{-6, -8, -5}, {6, 8, 4}}},
    [SPINE] = {"spine", PELVIS, {0, 0, 4}, HIT_STOMACH, {{-6, -8, 0}, {6, 8, 7}}},
    [CHEST] = {"chest", SPINE, {0, 0, 6}, HIT_CHEST, {{-7, -10, 0}, {7, 10, 11}}},
    [HEAD] = {"head", CHEST, {0, 0, 11}, HIT_HEAD, {{-5, -5, 1}, {6, 5, 11}}},
    [LEFT_ARM] = {"left arm", CHEST, {0, 12, 9}, HIT_LEFT_ARM, {{-3, -3, -10}, {3, 3, 2}}},
    [LEFT_HAND] = {"left hand", LEFT_ARM, {0, 0, -10}, HIT_LEFT_ARM, {{-3, -3, -11}, {3, 3, 1}}},
    [RIGHT_ARM] = {"right arm", CHEST, {0, -12, 9}, HIT_RIGHT_ARM, {{-3, -3, -10}, {3, 3, 2}}},
    [RIGHT_HAND] =
        {"right hand", RIGHT_ARM, {0, 0, -10}, HIT_RIGHT_ARM, {{-3, -3, -11}, {3, 3, 1}}},
    [LEFT_THIGH] = {"left thigh", PELVIS, {0, 5, -3}, HIT_LEFT_LEG, {{-5, -4, -11}, {5, 4, 2}}},
    [LEFT_SHIN] = {"left shin", LEFT_THIGH, {0, 0, -11}, HIT_LEFT_LEG, {{-4, -4, -10}, {7, 4, 1}}},
    [RIGHT_THIGH] = {"right thigh", PELVIS, {0, -5, -3}, HIT_RIGHT_LEG, {{-5, -4, -11}, {5, 4, 2}}},
    [RIGHT_SHIN] =
        {"right shin", RIGHT_THIGH, {0, 0, -11}, HIT_RIGHT_LEG, {{-4, -4, -10}, {7, 4, 1}}},
};

/// The figure at one time. Angles of limbs: degrees about the y axis, positive forward.
typedef struct {
    float lower, back;       ///< qu: the pelvis below and behind its bind position
    float lean, hunch;       ///< degrees: the spine forward; the chest forward, in addition
    float arms[2], hands[2]; ///< left, right
    float thighs[2], shins[2];
    float fall; ///< degrees: the whole figure tilts backwards
} stance_t;

static void add_frame(build_t *figure, const stance_t *stance) {
    model_key_t *keys = Build_Frame(figure);
    keys[PELVIS].place.z -= stance->lower;
    keys[PELVIS].place.x -= stance->back;
    keys[PELVIS].turn = Build_Pitch(stance->fall);
    keys[SPINE].turn = Build_Pitch(-stance->lean);
    keys[CHEST].turn = Build_Pitch(-stance->hunch);
    for (int32_t i = 0; i < 2; i++) {
        keys[i ? RIGHT_ARM : LEFT_ARM].turn = Build_Pitch(stance->arms[i]);
        keys[i ? RIGHT_HAND : LEFT_HAND].turn = Build_Pitch(stance->hands[i]);
        keys[i ? RIGHT_THIGH : LEFT_THIGH].turn = Build_Pitch(stance->thighs[i]);
        keys[i ? RIGHT_SHIN : LEFT_SHIN].turn = Build_Pitch(stance->shins[i]);
    }
}

static void make_stand(build_t *figure) {
    Build_Begin(figure, "stand", 250, true);
    for (int32_t i = 0; i < 8; i++) { // the spine and the arms move as the figure breathes
        float s = 0.0f;
        float c = 1.0f;
        SinCos(45.0f * (float)i, &s, &c);
        add_frame(
            figure,
            &(stance_t){.lean = 1.0f + s, .arms = {35.0f + s, 40.0f + s}, .hands = {50.0f, 45.0f}});
    }
}

static void make_run(build_t *figure) {
    Build_Begin(figure, "run", 50, true);
    for (int32_t i = 0; i < 12; i++) {
        float s = 0.0f;
        float c = 1.0f;
        SinCos(30.0f * (float)i, &s, &c);
        float left = c > 0.0f ? c : 0.0f; // a leg that swings forward is bent
        float right = c < 0.0f ? -c : 0.0f;
        add_frame(figure, &(stance_t){.lower = 1.0f + fabsf(s),
                                      .lean = 8.0f,
                                      .arms = {35.0f - 15.0f * s, 40.0f + 15.0f * s},
                                      .hands = {50.0f, 45.0f},
                                      .thighs = {35.0f * s, -35.0f * s},
                                      .shins = {-60.0f * left, -60.0f * right}});
    }
}

/// Makes the crouch. The figure must fit into the box of a ducked player, 28 qu high (Half-Life:
/// 36).
static void make_crouch(build_t *figure) {
    Build_Begin(figure, "crouch", 250, true);
    for (int32_t i = 0; i < 4; i++) {
        float s = 0.0f;
        float c = 1.0f;
        SinCos(90.0f * (float)i, &s, &c);
        add_frame(figure, &(stance_t){.lower = 16.0f,
                                      .back = 9.0f,
                                      .lean = 35.0f + s,
                                      .hunch = 35.0f,
                                      .arms = {20.0f, 25.0f},
                                      .hands = {78.0f, 73.0f},
                                      .thighs = {127.0f, 123.0f},
                                      .shins = {-115.0f, -113.0f}});
    }
}

static void make_die(build_t *figure) {
    Build_Begin(figure, "die", 80, false);
    for (int32_t i = 0; i <= 8; i++) {
        float share = (float)i / 8.0f;
        add_frame(figure, &(stance_t){.lower = 18.0f * share * share,
                                      .fall = 88.0f * share * share,
                                      .arms = {35.0f + 60.0f * share, 40.0f + 70.0f * share},
                                      .hands = {50.0f - 40.0f * share, 45.0f - 40.0f * share},
                                      .shins = {-20.0f * share, -10.0f * share}});
    }
}

uint8_t *Figure_Bytes(size_t *size) {
    build_t *figure = calloc(1, sizeof *figure);
    if (!figure) {
        return NULL;
    }
    figure->parts = parts;
    figure->num_parts = NUM_BONES;
    // Controller "aim": the view's pitch turns the chest about +y, down for positive angles.
    figure->controllers[0] = (model_controller_t){"aim", CHEST, MODEL_TURN_Y, -30.0f, 30.0f};
    // Controller "lift": raises the pelvis, if an entity's box ends less than 24 qu below its
    // origin.
    figure->controllers[1] = (model_controller_t){"lift", PELVIS, MODEL_MOVE_Z, 0.0f, 12.0f};
    figure->num_controllers = 2;
    // The animations must be in the order of figure_do_t.
    make_stand(figure);
    make_run(figure);
    make_crouch(figure);
    make_die(figure);
    ASSERT(figure->num_animations == FIGURE_ANIMATIONS);
    uint8_t *bytes = Build_Bytes(figure, size);
    free(figure);
    return bytes;
}
