/// mesh/names.c - derives hit groups from the names of nodes and bones.

#include "mesh/rig.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const groups[NUM_HIT_GROUPS] = {
    [HIT_GENERIC] = "generic",   [HIT_HEAD] = "head",           [HIT_CHEST] = "chest",
    [HIT_STOMACH] = "stomach",   [HIT_LEFT_ARM] = "left_arm",   [HIT_RIGHT_ARM] = "right_arm",
    [HIT_LEFT_LEG] = "left_leg", [HIT_RIGHT_LEG] = "right_leg",
};

static const char *const moves[NUM_MODEL_MOVES] = {
    [MODEL_MOVE_X] = "move_x", [MODEL_MOVE_Y] = "move_y", [MODEL_MOVE_Z] = "move_z",
    [MODEL_TURN_X] = "turn_x", [MODEL_TURN_Y] = "turn_y", [MODEL_TURN_Z] = "turn_z",
};

const char *ME_GroupName(int32_t group) {
    return group >= 0 && group < NUM_HIT_GROUPS ? groups[group] : "none";
}

const char *ME_MoveName(int32_t move) {
    return move >= 0 && move < NUM_MODEL_MOVES ? moves[move] : "none";
}

int32_t ME_MoveNamed(const char *name) {
    for (int32_t i = 0; i < NUM_MODEL_MOVES; i++) {
        if (strcmp(moves[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t ME_GroupOfNode(const char *name) {
    if (strncasecmp(name, "hit_", 4) != 0) {
        return -1;
    }
    const char *rest = name + 4;
    for (int32_t i = 0; i < NUM_HIT_GROUPS; i++) {
        size_t length = strlen(groups[i]);
        if (strncasecmp(rest, groups[i], length) == 0 && !isalpha((unsigned char)rest[length])) {
            return i;
        }
    }
    return -2;
}

// ---- bones of the usual rigs ----

enum { MAX_WORDS = 16, MAX_WORD_BYTES = 24 };

/// A name's words in lower case: "LeftUpLeg" and "upper_arm.L" have three each.
typedef struct {
    char words[MAX_WORDS][MAX_WORD_BYTES];
    int32_t count;
} words_t;

/// Returns true if a new word starts at name[i]: a capital after a small letter, or the last of
/// several capitals before a small letter ("LThigh" is L Thigh).
static bool is_seam(const char *name, size_t i) {
    unsigned char before = (unsigned char)name[i - 1];
    unsigned char here = (unsigned char)name[i];
    unsigned char after = (unsigned char)name[i + 1];
    return isupper(here) && (islower(before) || (isupper(before) && islower(after)));
}

/// Adds the word name[from..to) in lower case. Splits off a leading "left" or "right".
static void add_word(words_t *words, const char *name, size_t from, size_t to) {
    if (to <= from || words->count == MAX_WORDS) {
        return;
    }
    char *word = words->words[words->count++];
    size_t length = to - from < MAX_WORD_BYTES - 1 ? to - from : MAX_WORD_BYTES - 1;
    for (size_t i = 0; i < length; i++) {
        word[i] = (char)tolower((unsigned char)name[from + i]);
    }
    word[length] = '\0';
    size_t side = strncmp(word, "left", 4) == 0 ? 4 : strncmp(word, "right", 5) == 0 ? 5 : 0;
    if (side > 0 && length > side && words->count < MAX_WORDS) {
        memmove(words->words[words->count++], word + side, length - side + 1);
        word[side] = '\0';
    }
}

static void split(words_t *words, const char *name) {
    size_t from = 0;
    size_t i = 0;
    words->count = 0;
    for (; name[i] != '\0'; i++) {
        if (!isalpha((unsigned char)name[i])) {
            add_word(words, name, from, i);
            from = i + 1;
        } else if (i > from && is_seam(name, i)) {
            add_word(words, name, from, i);
            from = i;
        }
    }
    add_word(words, name, from, i);
}

/// Returns true if a word is in `list`. `endings`: a word may also end in an entry ("forearm").
static bool has_word(const words_t *words, const char *const *list, bool endings) {
    for (int32_t i = 0; i < words->count; i++) {
        size_t length = strlen(words->words[i]);
        for (int32_t n = 0; list[n]; n++) {
            size_t end = strlen(list[n]);
            if (strcmp(words->words[i], list[n]) == 0 ||
                (endings && end >= 3 && length > end &&
                 strcmp(words->words[i] + length - end, list[n]) == 0)) {
                return true;
            }
        }
    }
    return false;
}

static const char *const left_words[] = {"l", "left", "lft", NULL};
static const char *const right_words[] = {"r", "right", "rgt", NULL};
static const char *const small_words[] = {
    "thumb", "index", "middle", "ring",  "pinky", "pinkie", "little", "finger",     "fingers",
    "toe",   "toes",  "ball",   "eye",   "eyes",  "eyelid", "lid",    "eyebrow",    "brow",
    "lip",   "lips",  "tongue", "teeth", "ear",   "nose",   "cheek",  "chin",       "jaw",
    "hair",  "twist", "roll",   "nub",   "tip",   "end",    "palm",   "metacarpal", NULL};
static const char *const arm_words[] = {"arm",      "hand",   "wrist", "elbow", "shoulder",
                                        "clavicle", "collar", "shldr", NULL};
static const char *const leg_words[] = {"leg",  "thigh", "calf",  "shin",  "foot",
                                        "knee", "ankle", "femur", "tibia", NULL};
static const char *const head_words[] = {"head", "neck", "skull", "face", NULL};
static const char *const chest_words[] = {"chest", "spine",  "torso",  "rib",
                                          "ribs",  "breast", "thorax", NULL};
static const char *const belly_words[] = {"stomach", "abdomen", "belly", "pelvis",
                                          "hip",     "hips",    "waist", NULL};

int32_t ME_GroupOfBone(const char *name, bool *part_of_parent) {
    words_t words;
    split(&words, name);
    bool left = has_word(&words, left_words, false);
    bool right = !left && has_word(&words, right_words, false);
    bool has_side = left || right;
    *part_of_parent = has_word(&words, small_words, false);
    // In some rigs "LeftHip" is a thigh; "Hips" never is.
    static const char *const hip_words[] = {"hip", NULL};
    if (has_word(&words, leg_words, true) || (has_side && has_word(&words, hip_words, false))) {
        return left ? HIT_LEFT_LEG : right ? HIT_RIGHT_LEG : HIT_GENERIC;
    }
    if (has_word(&words, arm_words, true)) {
        return left ? HIT_LEFT_ARM : right ? HIT_RIGHT_ARM : HIT_GENERIC;
    }
    if (has_word(&words, head_words, true)) {
        return HIT_HEAD;
    }
    if (has_word(&words, belly_words, true)) {
        return HIT_STOMACH;
    }
    return has_word(&words, chest_words, true) ? HIT_CHEST : -1;
}
