/// figure/dog.c - makes the dog. No part of it is more than 16 qu from its middle at any yaw.

#include "base/types.h"
#include "figure/build.h"
#include "figure/figure.h"
#include "math/angles.h"

#include <stdlib.h>

enum {
    BODY,
    HEAD,
    FRONT_LEFT_THIGH,
    FRONT_LEFT_SHIN,
    FRONT_RIGHT_THIGH,
    FRONT_RIGHT_SHIN,
    HIND_LEFT_THIGH,
    HIND_LEFT_SHIN,
    HIND_RIGHT_THIGH,
    HIND_RIGHT_SHIN,
    NUM_BONES
};

static const part_t parts[NUM_BONES] = {
    [BODY] = {"body", -1, {0, 0, 1}, HIT_CHEST, {{-11, -6, -7}, {8, 6, 7}}},
    [HEAD] = {"head", BODY, {7, 0, 6}, HIT_HEAD, {{-3, -4, -1}, {6, 4, 10}}},
    [FRONT_LEFT_THIGH] =
        {"front left thigh", BODY, {5, 4, -6}, HIT_LEFT_ARM, {{-3, -2, -9}, {3, 2, 1}}},
    [FRONT_LEFT_SHIN] = {"front left shin",
                         FRONT_LEFT_THIGH,
                         {0, 0, -9},
                         HIT_LEFT_ARM,
                         {{-2.5f, -2, -9}, {2.5f, 2, 1}}},
    [FRONT_RIGHT_THIGH] =
        {"front right thigh", BODY, {5, -4, -6}, HIT_RIGHT_ARM, {{-3, -2, -9}, {3, 2, 1}}},
    [FRONT_RIGHT_SHIN] = {"front right shin",
                          FRONT_RIGHT_THIGH,
                          {0, 0, -9},
                          HIT_RIGHT_ARM,
                          {{-2.5f, -2, -9}, {2.5f, 2, 1}}},
    [HIND_LEFT_THIGH] =
        {"hind left thigh", BODY, {-7, 4, -6}, HIT_LEFT_LEG, {{-3, -2, -9}, {3, 2, 1}}},
    [HIND_LEFT_SHIN] = {"hind left shin",
                        HIND_LEFT_THIGH,
                        {0, 0, -9},
                        HIT_LEFT_LEG,
                        {{-2.5f, -2, -9}, {2.5f, 2, 1}}},
    [HIND_RIGHT_THIGH] =
        {"hind right thigh", BODY, {-7, -4, -6}, HIT_RIGHT_LEG, {{-3, -2, -9}, {3, 2, 1}}},
    [HIND_RIGHT_SHIN] = {"hind right shin",
                         HIND_RIGHT_THIGH,
                         {0, 0, -9},
                         HIT_RIGHT_LEG,
                         {{-2.5f, -2, -9}, {2.5f, 2, 1}}},
};

/// Turns a leg forward and bends the knee, in degrees.
static void set_leg(model_key_t *keys, int32_t thigh, float forward, float bend) {
    keys[thigh].turn = Build_Pitch(forward);
    keys[thigh + 1].turn = Build_Pitch(-bend);
}

static void make_stand(build_t *dog) {
    Build_Begin(dog, "stand", 250, true);
    for (int32_t i = 0; i < 4; i++) { // the head nods as the dog breathes
        float s = 0.0f;
        float c = 1.0f;
        SinCos(90.0f * (float)i, &s, &c);
        model_key_t *keys = Build_Frame(dog);
        keys[HEAD].turn = Build_Pitch(2.0f * s);
    }
}

/// Makes the walk: diagonally opposite legs move together.
static void make_walk(build_t *dog) {
    Build_Begin(dog, "walk", 50, true);
    for (int32_t i = 0; i < 8; i++) {
        float s = 0.0f;
        float c = 1.0f;
        SinCos(45.0f * (float)i, &s, &c);
        float one = c > 0.0f ? 25.0f * c : 0.0f; // a leg that swings forward is bent
        float other = c < 0.0f ? -25.0f * c : 0.0f;
        model_key_t *keys = Build_Frame(dog);
        keys[HEAD].turn = Build_Pitch(3.0f * s);
        set_leg(keys, FRONT_LEFT_THIGH, 20.0f * s, one);
        set_leg(keys, HIND_RIGHT_THIGH, 20.0f * s, one);
        set_leg(keys, FRONT_RIGHT_THIGH, -20.0f * s, other);
        set_leg(keys, HIND_LEFT_THIGH, -20.0f * s, other);
    }
}

static void make_attack(build_t *dog) {
    static const float shares[] = {0.0f, 1.0f, 0.6f, 0.0f};
    Build_Begin(dog, "attack", 100, false);
    for (size_t i = 0; i < COUNTOF(shares); i++) { // the head moves forward and down
        float share = shares[i];
        model_key_t *keys = Build_Frame(dog);
        keys[BODY].place.x += 1.0f * share;
        keys[HEAD].turn = Build_Pitch(-20.0f * share);
        set_leg(keys, FRONT_LEFT_THIGH, 20.0f * share, 30.0f * share);
        set_leg(keys, FRONT_RIGHT_THIGH, 20.0f * share, 30.0f * share);
    }
}

static void make_die(build_t *dog) {
    Build_Begin(dog, "die", 80, false);
    for (int32_t i = 0; i <= 5; i++) {
        float share = (float)i / 5.0f;
        model_key_t *keys = Build_Frame(dog);
        keys[BODY].place.z -= 18.0f * share * share;
        keys[BODY].turn = Build_Roll(88.0f * share * share);
    }
}

uint8_t *Figure_DogBytes(size_t *size) {
    build_t *dog = calloc(1, sizeof *dog);
    if (!dog) {
        return NULL;
    }
    dog->parts = parts;
    dog->num_parts = NUM_BONES;
    make_stand(dog);
    make_walk(dog);
    make_attack(dog);
    make_die(dog);
    uint8_t *bytes = Build_Bytes(dog, size);
    free(dog);
    return bytes;
}
