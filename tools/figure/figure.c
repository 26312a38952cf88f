#include "figure/figure.h"

#include "base/assert.h"
#include "base/types.h"
#include "math/angles.h"
#include "model/emesh_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum { MAX_FRAMES = 64 };

/// Bones are unturned in the bind pose: their spaces are the model's, elsewhere.
typedef struct {
    const char *name;
    int32_t parent;
    vec3_t place;
    int32_t group; ///< of its hitbox
    bounds_t box;
} part_t;

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

/// How the figure is at a moment: degrees that limbs are turned by about the y axis, positive
/// forward for what hangs (an arm goes up in front), and how far the pelvis is lower.
typedef struct {
    float lower, lean;       ///< qu; degrees that the spine leans forward
    float arms[2], hands[2]; ///< left, right
    float thighs[2], shins[2];
    float fall; ///< degrees that all of it falls backwards
} stance_t;

/// All that is made.
typedef struct {
    model_bone_t bones[NUM_BONES];
    model_hitbox_t hitboxes[NUM_BONES];
    model_controller_t controllers[1];
    model_animation_t animations[FIGURE_ANIMATIONS];
    model_key_t keys[MAX_FRAMES * NUM_BONES];
    int32_t num_frames;
} figure_t;

/// A turn about y: positive turns what points down forward, to +x.
static quat_t pitch(float degrees) {
    float s = 0.0f;
    float c = 1.0f;
    SinCos(-0.5f * degrees, &s, &c);
    return (quat_t){0.0f, s, 0.0f, c};
}

static void add_frame(figure_t *figure, const stance_t *stance) {
    ASSERT(figure->num_frames < MAX_FRAMES);
    model_key_t *keys = figure->keys + figure->num_frames++ * NUM_BONES;
    for (int32_t i = 0; i < NUM_BONES; i++) {
        keys[i] = (model_key_t){pitch(0.0f), parts[i].place};
    }
    keys[PELVIS].place.z -= stance->lower;
    keys[PELVIS].turn = pitch(stance->fall);
    keys[SPINE].turn = pitch(-stance->lean);
    for (int32_t i = 0; i < 2; i++) {
        keys[i ? RIGHT_ARM : LEFT_ARM].turn = pitch(stance->arms[i]);
        keys[i ? RIGHT_HAND : LEFT_HAND].turn = pitch(stance->hands[i]);
        keys[i ? RIGHT_THIGH : LEFT_THIGH].turn = pitch(stance->thighs[i]);
        keys[i ? RIGHT_SHIN : LEFT_SHIN].turn = pitch(stance->shins[i]);
    }
}

static void begin(figure_t *figure, figure_do_t which, const char *name, int32_t frame_ms,
                  bool loops) {
    model_animation_t *one = &figure->animations[which];
    *one = (model_animation_t){
        .first_frame = figure->num_frames, .frame_ms = frame_ms, .loops = loops ? 1 : 0};
    snprintf(one->name, sizeof one->name, "%s", name);
}

static void end(figure_t *figure, figure_do_t which) {
    figure->animations[which].num_frames =
        figure->num_frames - figure->animations[which].first_frame;
}

static void make_stand(figure_t *figure) {
    begin(figure, FIGURE_STAND, "stand", 250, true);
    for (int32_t i = 0; i < 8; i++) { // he breathes
        float s = 0.0f;
        float c = 1.0f;
        SinCos(45.0f * (float)i, &s, &c);
        add_frame(
            figure,
            &(stance_t){.lean = 1.0f + s, .arms = {35.0f + s, 40.0f + s}, .hands = {50.0f, 45.0f}});
    }
    end(figure, FIGURE_STAND);
}

static void make_run(figure_t *figure) {
    begin(figure, FIGURE_RUN, "run", 50, true);
    for (int32_t i = 0; i < 12; i++) {
        float s = 0.0f;
        float c = 1.0f;
        SinCos(30.0f * (float)i, &s, &c);
        float left = c > 0.0f ? c : 0.0f; // a leg on its way forward is bent
        float right = c < 0.0f ? -c : 0.0f;
        add_frame(figure, &(stance_t){.lower = 1.0f + fabsf(s),
                                      .lean = 8.0f,
                                      .arms = {35.0f - 15.0f * s, 40.0f + 15.0f * s},
                                      .hands = {50.0f, 45.0f},
                                      .thighs = {35.0f * s, -35.0f * s},
                                      .shins = {-60.0f * left, -60.0f * right}});
    }
    end(figure, FIGURE_RUN);
}

/// A ducked player is 18 above his middle in Half-Life sizes, 24 below and 4 above in the
/// others: the head is low.
static void make_crouch(figure_t *figure) {
    begin(figure, FIGURE_CROUCH, "crouch", 250, true);
    for (int32_t i = 0; i < 4; i++) {
        float s = 0.0f;
        float c = 1.0f;
        SinCos(90.0f * (float)i, &s, &c);
        add_frame(figure, &(stance_t){.lower = 15.0f,
                                      .lean = 40.0f + s,
                                      .arms = {60.0f, 65.0f},
                                      .hands = {40.0f, 35.0f},
                                      .thighs = {95.0f, 85.0f},
                                      .shins = {-125.0f, -115.0f}});
    }
    end(figure, FIGURE_CROUCH);
}

static void make_die(figure_t *figure) {
    begin(figure, FIGURE_DIE, "die", 80, false);
    for (int32_t i = 0; i <= 8; i++) {
        float share = (float)i / 8.0f;
        add_frame(figure, &(stance_t){.lower = 18.0f * share * share,
                                      .fall = 88.0f * share * share,
                                      .arms = {35.0f + 60.0f * share, 40.0f + 70.0f * share},
                                      .hands = {50.0f - 40.0f * share, 45.0f - 40.0f * share},
                                      .shins = {-20.0f * share, -10.0f * share}});
    }
    end(figure, FIGURE_DIE);
}

static void make(figure_t *figure) {
    for (int32_t i = 0; i < NUM_BONES; i++) {
        model_bone_t *bone = &figure->bones[i];
        snprintf(bone->name, sizeof bone->name, "%s", parts[i].name);
        bone->parent = parts[i].parent;
        bone->place = parts[i].place;
        bone->turn = pitch(0.0f);
        figure->hitboxes[i] = (model_hitbox_t){i, parts[i].group, parts[i].box};
    }
    // What he aims at: view angles turn down about +y, as they are.
    figure->controllers[0] = (model_controller_t){"aim", CHEST, MODEL_TURN_Y, -30.0f, 30.0f};
    make_stand(figure);
    make_run(figure);
    make_crouch(figure);
    make_die(figure);
}

uint8_t *Figure_Bytes(size_t *size) {
    emesh_section_t sections[3];
    uint8_t *owned[3];
    uint8_t *bytes = NULL;
    figure_t *figure = calloc(1, sizeof *figure);
    if (!figure) {
        return NULL;
    }
    make(figure);
    const model_t model = {.bones = figure->bones,
                           .controllers = figure->controllers,
                           .hitboxes = figure->hitboxes,
                           .animations = figure->animations,
                           .keys = figure->keys,
                           .num_bones = NUM_BONES,
                           .num_controllers = 1,
                           .num_hitboxes = NUM_BONES,
                           .num_animations = FIGURE_ANIMATIONS,
                           .num_frames = figure->num_frames};
    int32_t count = Model_Sections(&model, sections, owned);
    if (count > 0) {
        bytes = EMesh_Bytes(sections, count, size);
    }
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
    free(figure);
    return bytes;
}
