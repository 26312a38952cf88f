#include "model/model.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Maximum deviation of a quaternion's squared length from 1.
#define TURN_SLACK 1e-3f

typedef struct {
    const char *file, *what;
    const emesh_section_t *section;
    err_t *err;
} reader_t;

/// Sets the error to "file: section: byte N: reason" and returns false.
static bool fail(const reader_t *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const reader_t *reader, size_t at, const char *format, ...) {
    char reason[384];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(reader->err, "%s: %s: byte %zu: %s", reader->file, reader->what, at, reason);
}

static size_t byte_of(const reader_t *reader, const void *at) {
    return (size_t)((const uint8_t *)at - reader->section->data);
}

// ---- parts of all sections ----

static bool check_head(const reader_t *reader, size_t bytes) {
    return reader->section->bytes >= bytes ||
           fail(reader, 0, "expected at least %zu bytes, found %zu", bytes, reader->section->bytes);
}

static bool check_zero(const reader_t *reader, const uint8_t *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (from[i] != 0) {
            return fail(reader, byte_of(reader, from + i), "expected 0, found %d", from[i]);
        }
    }
    return true;
}

static bool check_count(const reader_t *reader, size_t at, const char *of, int32_t found,
                        int32_t min, int32_t max) {
    return (found >= min && found <= max) ||
           fail(reader, at, "expected %d..%d %s, found %d", min, max, of, found);
}

static bool check_size(const reader_t *reader, size_t bytes) {
    return reader->section->bytes == bytes ||
           fail(reader, 0, "expected %zu bytes for the counts of the section, found %zu", bytes,
                reader->section->bytes);
}

/// Checks that a name is terminated, zero-padded and unique.
static bool check_name(const reader_t *reader, const char *name, int32_t number, size_t stride) {
    size_t at = byte_of(reader, name);
    size_t length = strnlen(name, MODEL_NAME_BYTES);
    if (length == 0 || length == MODEL_NAME_BYTES) {
        return fail(reader, at, "expected a name of 1 to %d bytes, found %zu", MODEL_NAME_BYTES - 1,
                    length);
    }
    for (size_t i = length; i < MODEL_NAME_BYTES; i++) {
        if (name[i] != '\0') {
            return fail(reader, at + i, "expected 0 after the name, found %d",
                        (int)(unsigned char)name[i]);
        }
    }
    for (int32_t i = 0; i < number; i++) {
        const char *other = name - (size_t)(number - i) * stride;
        if (strcmp(other, name) == 0) {
            return fail(reader, at, "expected unique names, found \"%s\" for numbers %d and %d",
                        name, i, number);
        }
    }
    return true;
}

static bool check_place(const reader_t *reader, const vec3_t *place) {
    return VectorWithin(*place, MAX_MODEL_COORD) ||
           fail(reader, byte_of(reader, place), "expected coordinates within +-%g, found %g %g %g",
                (double)MAX_MODEL_COORD, (double)place->x, (double)place->y, (double)place->z);
}

static bool check_turn(const reader_t *reader, const quat_t *q) {
    float length = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;
    return fabsf(length - 1.0f) <= TURN_SLACK ||
           fail(reader, byte_of(reader, q), "expected a unit quaternion, found %g %g %g %g",
                (double)q->x, (double)q->y, (double)q->z, (double)q->w);
}

// ---- the sections ----

static bool check_bone(const reader_t *reader, const model_t *model, int32_t number) {
    const model_bone_t *bone = &model->bones[number];
    if (bone->parent < -1 || bone->parent >= number) {
        return fail(reader, byte_of(reader, &bone->parent),
                    "bone %d: expected a parent -1..%d, found %d", number, number - 1,
                    bone->parent);
    }
    return check_name(reader, bone->name, number, sizeof *bone) &&
           check_place(reader, &bone->place) && check_turn(reader, &bone->turn);
}

static bool check_controller(const reader_t *reader, const model_t *model, int32_t number) {
    const model_controller_t *one = &model->controllers[number];
    float limit = one->move >= MODEL_TURN_X ? 360.0f : MAX_MODEL_COORD;
    if (!(one->min >= -limit && one->min <= one->max && one->max <= limit)) {
        return fail(reader, byte_of(reader, &one->min),
                    "controller %d: expected %g <= min <= max <= %g, found %g and %g", number,
                    (double)-limit, (double)limit, (double)one->min, (double)one->max);
    }
    return check_name(reader, one->name, number, sizeof *one) &&
           check_count(reader, byte_of(reader, &one->bone), "for a controller's bone", one->bone, 0,
                       model->num_bones - 1) &&
           check_count(reader, byte_of(reader, &one->move), "for a controller's move", one->move, 0,
                       NUM_MODEL_MOVES - 1);
}

static bool read_skeleton(const reader_t *reader, model_t *model) {
    model_skeleton_head_t head;
    if (!check_head(reader, sizeof head)) {
        return false;
    }
    memcpy(&head, reader->section->data, sizeof head);
    size_t bones = (size_t)(uint32_t)head.num_bones * sizeof(model_bone_t);
    size_t controllers = (size_t)(uint32_t)head.num_controllers * sizeof(model_controller_t);
    if (!check_count(reader, 0, "bones", head.num_bones, 1, MAX_BONES) ||
        !check_count(reader, 4, "controllers", head.num_controllers, 0, MAX_CONTROLLERS) ||
        !check_zero(reader, reader->section->data + 8, sizeof head.zero) ||
        !check_size(reader, sizeof head + bones + controllers)) {
        return false;
    }
    const void *first = reader->section->data + sizeof head;
    const void *second = reader->section->data + sizeof head + bones;
    model->bones = first;
    model->controllers = second;
    model->num_bones = head.num_bones;
    model->num_controllers = head.num_controllers;
    for (int32_t i = 0; i < model->num_bones; i++) {
        if (!check_bone(reader, model, i)) {
            return false;
        }
    }
    for (int32_t i = 0; i < model->num_controllers; i++) {
        if (!check_controller(reader, model, i)) {
            return false;
        }
    }
    return true;
}

static bool check_hitbox(const reader_t *reader, const model_t *model, int32_t number) {
    const model_hitbox_t *one = &model->hitboxes[number];
    const vec3_t *lo = &one->box.mins;
    const vec3_t *hi = &one->box.maxs;
    return check_count(reader, byte_of(reader, &one->bone), "for a hitbox's bone", one->bone, 0,
                       model->num_bones - 1) &&
           check_count(reader, byte_of(reader, &one->group), "for a hit group", one->group, 0,
                       NUM_HIT_GROUPS - 1) &&
           check_place(reader, lo) && check_place(reader, hi) &&
           ((lo->x <= hi->x && lo->y <= hi->y && lo->z <= hi->z) ||
            fail(reader, byte_of(reader, lo),
                 "hitbox %d: expected mins <= maxs, found (%g %g %g)..(%g %g %g)", number,
                 (double)lo->x, (double)lo->y, (double)lo->z, (double)hi->x, (double)hi->y,
                 (double)hi->z));
}

static bool read_hitboxes(const reader_t *reader, model_t *model) {
    model_hitboxes_head_t head;
    if (!check_head(reader, sizeof head)) {
        return false;
    }
    memcpy(&head, reader->section->data, sizeof head);
    size_t boxes = (size_t)(uint32_t)head.num_hitboxes * sizeof(model_hitbox_t);
    if (!check_count(reader, 0, "hitboxes", head.num_hitboxes, 1, MAX_HITBOXES) ||
        !check_zero(reader, reader->section->data + 4, sizeof head.zero) ||
        !check_size(reader, sizeof head + boxes)) {
        return false;
    }
    const void *first = reader->section->data + sizeof head;
    model->hitboxes = first;
    model->num_hitboxes = head.num_hitboxes;
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        if (!check_hitbox(reader, model, i)) {
            return false;
        }
    }
    return true;
}

/// Checks an animation. Animations must use all frames in order.
static bool check_animation(const reader_t *reader, const model_t *model, int32_t number,
                            int32_t *next_frame) {
    const model_animation_t *one = &model->animations[number];
    if (one->first_frame != *next_frame) {
        return fail(reader, byte_of(reader, &one->first_frame),
                    "animation %d: expected its first frame to be %d, found %d", number,
                    *next_frame, one->first_frame);
    }
    if (!check_name(reader, one->name, number, sizeof *one) ||
        !check_count(reader, byte_of(reader, &one->num_frames), "frames of an animation",
                     one->num_frames, 1, model->num_frames - *next_frame) ||
        !check_count(reader, byte_of(reader, &one->frame_ms), "ms per frame", one->frame_ms, 1,
                     MAX_FRAME_MS) ||
        !check_count(reader, byte_of(reader, &one->loops), "for loops", (int32_t)one->loops, 0,
                     1)) {
        return false;
    }
    *next_frame += one->num_frames;
    return true;
}

static bool check_keys(const reader_t *reader, const model_t *model) {
    int32_t count = model->num_frames * model->num_bones;
    for (int32_t i = 0; i < count; i++) {
        const model_key_t *key = &model->keys[i];
        if (!check_turn(reader, &key->turn) || !check_place(reader, &key->place)) {
            return false;
        }
    }
    return true;
}

static bool read_animations(const reader_t *reader, model_t *model) {
    model_animations_head_t head;
    if (!check_head(reader, sizeof head)) {
        return false;
    }
    memcpy(&head, reader->section->data, sizeof head);
    if (!check_count(reader, 0, "animations", head.num_animations, 1, MAX_ANIMATIONS) ||
        !check_count(reader, 4, "frames", head.num_frames, 1, MAX_ANIMATION_FRAMES) ||
        !check_count(reader, 8, "bones, the number in the skeleton,", head.num_bones,
                     model->num_bones, model->num_bones) ||
        !check_zero(reader, reader->section->data + 12, sizeof head.zero)) {
        return false;
    }
    size_t animations = (size_t)head.num_animations * sizeof(model_animation_t);
    size_t keys = (size_t)head.num_frames * (size_t)head.num_bones * sizeof(model_key_t);
    if (!check_size(reader, sizeof head + animations + keys)) {
        return false;
    }
    const void *first = reader->section->data + sizeof head;
    const void *second = reader->section->data + sizeof head + animations;
    model->animations = first;
    model->keys = second;
    model->num_animations = head.num_animations;
    model->num_frames = head.num_frames;
    int32_t frame = 0;
    for (int32_t i = 0; i < model->num_animations; i++) {
        if (!check_animation(reader, model, i, &frame)) {
            return false;
        }
    }
    return check_count(reader, 4, "frames, the sum over its animations,", head.num_frames, frame,
                       frame) &&
           check_keys(reader, model);
}

static bool read_section(const reader_t *reader, int32_t kind, model_t *model) {
    if (kind != EMESH_SKELETON && model->num_bones == 0) {
        return fail(reader, 0, "expected a skeleton before this section, found none");
    }
    model->hash =
        Hash_Bytes(reader->section->data, reader->section->bytes, model->hash + (uint64_t)kind);
    return kind == EMESH_SKELETON   ? read_skeleton(reader, model)
           : kind == EMESH_HITBOXES ? read_hitboxes(reader, model)
                                    : read_animations(reader, model);
}

bool Model_Read(model_t *model, const emesh_t *file, const char *name, err_t *err) {
    static const char *const names[] = {[EMESH_SKELETON] = "skeleton",
                                        [EMESH_HITBOXES] = "hitboxes",
                                        [EMESH_ANIMATIONS] = "animations"};
    int32_t last = EMESH_COLLISION;
    *model = (model_t){0};
    for (int32_t i = 0; i < file->num_sections; i++) {
        const emesh_section_t *section = &file->sections[i];
        if (section->kind == EMESH_COLLISION) {
            continue;
        }
        const reader_t reader = {name, names[section->kind], section, err};
        bool good = section->kind > last ||
                    (section->kind == last
                         ? fail(&reader, 0, "expected one section of this kind, found two")
                         : fail(&reader, 0, "expected this section before the %s", names[last]));
        if (!good || !read_section(&reader, section->kind, model)) {
            *model = (model_t){0};
            return false;
        }
        last = section->kind;
    }
    return true;
}

/// Returns the number of the struct whose name, its first field, is `name`, or -1.
static int32_t find_name(const void *list, size_t stride, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp((const char *)list + (size_t)i * stride, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t Model_FindBone(const model_t *model, const char *name) {
    return find_name(model->bones, sizeof *model->bones, model->num_bones, name);
}

int32_t Model_FindAnimation(const model_t *model, const char *name) {
    return find_name(model->animations, sizeof *model->animations, model->num_animations, name);
}

int32_t Model_FindController(const model_t *model, const char *name) {
    return find_name(model->controllers, sizeof *model->controllers, model->num_controllers, name);
}

// ---- writing ----

/// A section to write: its head and two arrays.
typedef struct {
    int32_t kind;
    const void *head, *first, *second;
    size_t first_bytes, second_bytes;
} piece_t;

_Static_assert(sizeof(model_skeleton_head_t) == 16, "all heads must have the same size");

static bool write_section(const piece_t *piece, emesh_section_t *section, uint8_t **owned) {
    const size_t head = sizeof(model_skeleton_head_t);
    size_t bytes = head + piece->first_bytes + piece->second_bytes;
    uint8_t *data = malloc(bytes);
    *owned = data;
    if (!data) {
        return false;
    }
    memcpy(data, piece->head, head);
    memcpy(data + head, piece->first, piece->first_bytes);
    if (piece->second_bytes > 0) {
        memcpy(data + head + piece->first_bytes, piece->second, piece->second_bytes);
    }
    *section = (emesh_section_t){.kind = piece->kind, .data = data, .bytes = bytes};
    return true;
}

int32_t Model_Sections(const model_t *model, emesh_section_t sections[3], uint8_t *owned[3]) {
    const model_skeleton_head_t skeleton = {model->num_bones, model->num_controllers, {0}};
    const model_hitboxes_head_t hitboxes = {model->num_hitboxes, {0}};
    const model_animations_head_t animations = {
        model->num_animations, model->num_frames, model->num_bones, {0}};
    size_t keys = (size_t)model->num_frames * (size_t)model->num_bones;
    const piece_t pieces[3] = {{EMESH_SKELETON, &skeleton, model->bones, model->controllers,
                                (size_t)model->num_bones * sizeof *model->bones,
                                (size_t)model->num_controllers * sizeof *model->controllers},
                               {EMESH_HITBOXES, &hitboxes, model->hitboxes, NULL,
                                (size_t)model->num_hitboxes * sizeof *model->hitboxes, 0},
                               {EMESH_ANIMATIONS, &animations, model->animations, model->keys,
                                (size_t)model->num_animations * sizeof *model->animations,
                                keys * sizeof *model->keys}};
    int32_t count = 0;
    owned[0] = owned[1] = owned[2] = NULL;
    for (int32_t i = 0; i < 3; i++) {
        if (pieces[i].first_bytes == 0) {
            continue;
        }
        if (!write_section(&pieces[i], &sections[count], &owned[count])) {
            for (int32_t n = 0; n < count; n++) {
                free(owned[n]);
            }
            return -1;
        }
        count++;
    }
    return count;
}
