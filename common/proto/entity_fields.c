#include "proto/entity_fields.h"

#include "base/assert.h"

#include <string.h>

#define MAX_WHOLE (1 << 20) // largest whole number that has a short code as a float

typedef struct {
    size_t offset;
    entity_group_t group;
    entity_field_kind_t kind;
    int32_t lo, hi;
    int32_t k;
} entity_field_t;

#define FIELD_ROW(field, group, kind, lo, hi, k)                                                   \
    {offsetof(entity_state_t, field), group, kind, lo, hi, k},
static const entity_field_t fields[] = {ENTITY_FIELDS(FIELD_ROW)};
#undef FIELD_ROW

// The table must list each word of entity_state_t once, except the number.
#define FIELD_WORD(field, group, kind, lo, hi, k)                                                  \
    | UINT64_C(1) << (offsetof(entity_state_t, field) / 4)
#define FIELD_ONE(field, group, kind, lo, hi, k) +1
_Static_assert((UINT64_C(1) ENTITY_FIELDS(FIELD_WORD)) ==
                   UINT64_MAX >> (64 - offsetof(entity_state_t, classname) / 4),
               "a field of entity_state_t is missing in ENTITY_FIELDS");
_Static_assert((1 ENTITY_FIELDS(FIELD_ONE)) == offsetof(entity_state_t, classname) / 4,
               "a field is listed twice in ENTITY_FIELDS");
_Static_assert(offsetof(entity_state_t, number) == 0, "the number is the first word");
#undef FIELD_WORD
#undef FIELD_ONE

static int32_t get(const entity_state_t *state, size_t offset) {
    int32_t value = 0;
    memcpy(&value, (const uint8_t *)state + offset, sizeof value);
    return value;
}

static void set(entity_state_t *state, size_t offset, int32_t value) {
    memcpy((uint8_t *)state + offset, &value, sizeof value);
}

#define MOTION_AT offsetof(entity_state_t, contents)
#define BONES_AT  offsetof(entity_state_t, animations)

bool Entity_Equal(const entity_state_t *a, const entity_state_t *b) {
    return memcmp(a, b, ENTITY_PLAIN_BYTES) == 0 &&
           (Entity_IsPlain(a) ||
            memcmp((const uint8_t *)a + ENTITY_PLAIN_BYTES, (const uint8_t *)b + ENTITY_PLAIN_BYTES,
                   sizeof *a - ENTITY_PLAIN_BYTES) == 0);
}

// ---- the record ----

motion_t Entity_Motion(const entity_state_t *state) {
    uint64_t start_ms = (uint64_t)(uint32_t)state->start_hi << 32 | (uint32_t)state->start_lo;
    return (motion_t){.start_ms = (int64_t)start_ms,
                      .kind = state->motion - 1,
                      .duration_ms = state->duration_ms,
                      .base = state->base,
                      .delta = state->delta,
                      .delta_angles = state->delta_angles,
                      .bend = state->bend,
                      .parent = state->parent,
                      .parent_base = state->parent_base};
}

void Entity_SetMotion(entity_state_t *state, const motion_t *motion, int64_t start_ms) {
    state->motion = 1 + motion->kind;
    state->base = motion->base;
    if (motion->kind != MOTION_NONE) {
        state->duration_ms = motion->duration_ms;
        state->start_lo = (int32_t)(uint32_t)start_ms;
        state->start_hi = (int32_t)(uint32_t)((uint64_t)start_ms >> 32);
        state->delta = motion->delta;
        state->delta_angles = motion->delta_angles;
        state->bend = motion->bend;
    }
    if (motion->parent != 0) {
        state->parent = motion->parent;
        state->parent_base = motion->parent_base;
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        state->origin[axis] = 0;
        state->angles[axis] = 0;
    }
}

// Returns true if all words in first..last are zero.
static bool all_zero(const entity_state_t *state, size_t first, size_t last) {
    int32_t bits = 0;
    for (size_t at = first; at < last; at += 4) {
        bits |= get(state, at);
    }
    return bits == 0;
}

static bool pose_within(const pose_t *pose) {
    return VectorWithin(pose->origin, (float)ENTITY_MAX_DISTANCE) &&
           VectorWithin(pose->angles, (float)ENTITY_MAX_TURN);
}

static bool motion_is_valid(const entity_state_t *state) {
    const size_t kind = offsetof(entity_state_t, motion);
    const size_t duration = offsetof(entity_state_t, duration_ms);
    const size_t base = offsetof(entity_state_t, base);
    const size_t delta = offsetof(entity_state_t, delta);
    const size_t parent = offsetof(entity_state_t, parent);
    if (state->motion == ENTITY_NO_MOTION) {
        return all_zero(state, kind, BONES_AT);
    }
    bool stands = state->motion == 1 + MOTION_NONE;
    if (stands ? !all_zero(state, duration, base) || !all_zero(state, delta, parent)
               : state->duration_ms < 1) {
        return false;
    }
    if (state->parent == 0 ? !all_zero(state, parent, BONES_AT) : state->parent == state->number) {
        return false;
    }
    return all_zero(state, offsetof(entity_state_t, origin), offsetof(entity_state_t, velocity)) &&
           all_zero(state, offsetof(entity_state_t, angles), offsetof(entity_state_t, mins)) &&
           pose_within(&state->base) && pose_within(&state->parent_base) &&
           VectorWithin(state->delta, (float)ENTITY_MAX_DISTANCE) &&
           VectorWithin(state->bend, (float)ENTITY_MAX_DISTANCE) &&
           VectorWithin(state->delta_angles, (float)ENTITY_MAX_TURN);
}

static bool surface_is_valid(const entity_state_t *state) {
    return VectorWithin(state->surface_velocity, (float)ENTITY_MAX_VELOCITY) &&
           state->friction >= 0.0f && state->friction <= (float)ENTITY_MAX_FRICTION;
}

// Returns true if motion record and surface are valid. Most states have neither.
static bool exact_part_is_valid(const entity_state_t *state) {
    return all_zero(state, MOTION_AT, BONES_AT) ||
           (motion_is_valid(state) && surface_is_valid(state));
}

static void clear_bones(entity_state_t *state) {
    memset((uint8_t *)state + BONES_AT, 0, sizeof *state - BONES_AT);
}

static void clear_exact_part(entity_state_t *state) {
    memset((uint8_t *)state + MOTION_AT, 0, BONES_AT - MOTION_AT);
}

// ---- bones ----

static int32_t to_wire(float value, float scale, int32_t lo, int32_t hi) {
    return Q_ToInt(floorf(value * scale + 0.5f), lo, hi);
}

void Entity_SetBones(entity_state_t *state, const entity_bones_t *bones) {
    clear_bones(state);
    state->skeleton = (uint16_t)Q_ClampI(bones->skeleton, 0, ENTITY_MAX_SKELETON);
    if (state->skeleton == 0) {
        return;
    }
    state->anim_blend = to_wire(bones->blend, (float)ENTITY_BLEND_SCALE, 0, ENTITY_BLEND_SCALE);
    for (int32_t i = 0; i < 2; i++) {
        int32_t number = bones->animations[i];
        bool counts = i == 0 || state->anim_blend > 0;
        if (counts && number >= 0 && number < ENTITY_MAX_ANIMATIONS) {
            uint64_t start_ms = (uint64_t)bones->start_ms[i];
            state->animations[i] = 1 + number;
            state->anim_start_lo[i] = (int32_t)(uint32_t)start_ms;
            state->anim_start_hi[i] = (int32_t)(uint32_t)(start_ms >> 32);
        }
    }
    for (int32_t i = 0; i < 4; i++) {
        state->controllers[i] = to_wire(bones->controllers[i], (float)ENTITY_CONTROLLER_SCALE,
                                        -ENTITY_MAX_CONTROLLER, ENTITY_MAX_CONTROLLER);
    }
}

entity_bones_t Entity_Bones(const entity_state_t *state) {
    entity_bones_t bones = {.skeleton = state->skeleton,
                            .blend = (float)state->anim_blend / (float)ENTITY_BLEND_SCALE};
    for (int32_t i = 0; i < 2; i++) {
        uint64_t high = (uint32_t)state->anim_start_hi[i];
        bones.animations[i] = state->animations[i] - 1;
        bones.start_ms[i] = (int64_t)(high << 32 | (uint32_t)state->anim_start_lo[i]);
    }
    for (int32_t i = 0; i < 4; i++) {
        bones.controllers[i] = (float)state->controllers[i] / (float)ENTITY_CONTROLLER_SCALE;
    }
    return bones;
}

// ---- fields ----

#define NUM_PLAIN_FIELDS (ENTITY_PLAIN_BYTES / 4 - 1) // without the number, which is no field

bool Entity_Clamp(entity_state_t *state) {
    bool changed = false;
    // exact_part_is_valid tests the words after the plain part.
    size_t count = Entity_IsPlain(state) ? NUM_PLAIN_FIELDS : COUNTOF(fields);
    for (size_t i = 0; i < count; i++) {
        int32_t value = get(state, fields[i].offset);
        int32_t held = Q_ClampI(value, fields[i].lo, fields[i].hi);
        if (held != value) {
            set(state, fields[i].offset, held);
            changed = true;
        }
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        if (state->maxs[axis] < state->mins[axis]) {
            state->maxs[axis] = state->mins[axis];
            changed = true;
        }
    }
    if (!exact_part_is_valid(state)) {
        clear_exact_part(state);
        changed = true;
    }
    if (state->skeleton == 0 && !all_zero(state, BONES_AT, sizeof *state)) {
        clear_bones(state);
        changed = true;
    }
    return changed;
}

// Returns the value against which a field is coded: the old value, or an origin moved by the mean
// velocity. `to` must have the new velocity.
static int32_t expected(const entity_field_t *field, const entity_state_t *from,
                        const entity_state_t *to, int32_t elapsed_ms) {
    int32_t value = get(from, field->offset);
    if (field->kind == FIELD_MOVED) {
        size_t axis = (field->offset - offsetof(entity_state_t, origin)) / sizeof(int32_t);
        int64_t twice = (int64_t)from->velocity[axis] + to->velocity[axis];
        value += (int32_t)(twice * ENTITY_ORIGIN_SCALE * elapsed_ms / 2000); // below 2^24
    }
    return value;
}

// Returns true for a whole number with a short code, and *whole.
static bool is_whole(int32_t bits, int32_t *whole) {
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    if (!(fabsf(value) <= (float)MAX_WHOLE)) {
        return false;
    }
    *whole = Q_ToInt(value, -MAX_WHOLE, MAX_WHOLE);
    float again = (float)*whole;
    return memcmp(&again, &bits, sizeof again) == 0;
}

// Codes a float: short for whole numbers, otherwise 32 bits.
CODED_TWICE void code_float(msg_t *msg, int32_t *bits, int32_t k) {
    int32_t whole = 0;
    bool short_code = is_whole(*bits, &whole);
    if (MSG_Bool(msg, &short_code)) {
        MSG_Signed(msg, &whole, k);
        MSG_Check(msg, whole >= -MAX_WHOLE && whole <= MAX_WHOLE);
        float value = (float)whole;
        memcpy(bits, &value, sizeof value);
    } else {
        uint32_t raw = (uint32_t)*bits;
        MSG_Bits(msg, &raw, 32);
        *bits = (int32_t)raw;
        MSG_Check(msg, !is_whole(*bits, &whole));
    }
}

// Codes a field against `base`. A value out of range fails a reader.
CODED_TWICE void code_field(msg_t *msg, const entity_field_t *field, int32_t base, int32_t *value) {
    uint32_t bits = (uint32_t)*value ^ (uint32_t)base;
    int32_t step = (int32_t)((uint32_t)*value - (uint32_t)base);
    int64_t sum = 0;
    switch (field->kind) {
    case FIELD_DIFF:
    case FIELD_MOVED:
        MSG_Signed(msg, &step, field->k);
        sum = (int64_t)base + step;
        break;
    case FIELD_TURN:
        step = (int16_t)(uint16_t)step;
        MSG_Signed(msg, &step, field->k);
        MSG_Check(msg, step >= INT16_MIN && step <= INT16_MAX);
        sum = (int32_t)((uint32_t)base + (uint32_t)step) & 0xffff;
        break;
    case FIELD_BITS:
        MSG_Var(msg, &bits, field->k);
        sum = (int32_t)((uint32_t)base ^ bits);
        break;
    case FIELD_WRAP:
        MSG_Signed(msg, &step, field->k);
        sum = (int32_t)((uint32_t)base + (uint32_t)step);
        break;
    case FIELD_REAL:
        code_float(msg, value, field->k);
        sum = *value;
        break;
    }
    if (msg->in) {
        MSG_Check(msg, sum >= field->lo && sum <= field->hi);
        *value = msg->in->failed ? field->lo : (int32_t)sum;
    }
}

// A group: the range of its fields in the table, and its words in entity_state_t.
typedef struct {
    uint8_t first, end;
    uint8_t word, words;
} entity_span_t;

#define SPAN(first, end, member)                                                                   \
    { first, end, offsetof(entity_state_t, member) / 4, (end) - (first) }

static const entity_span_t spans[GROUP_COUNT] = {
    [GROUP_VELOCITY] = SPAN(0, 3, velocity), [GROUP_ORIGIN] = SPAN(3, 6, origin),
    [GROUP_ANGLES] = SPAN(6, 9, angles),     [GROUP_BOX] = SPAN(9, 15, mins),
    [GROUP_WHAT] = SPAN(15, 21, generation), [GROUP_MOTION] = SPAN(21, 52, contents),
    [GROUP_BONES] = SPAN(52, 63, animations)};

_Static_assert(COUNTOF(fields) == 63, "the spans must cover the whole table");

static bool differs(const entity_span_t *span, const entity_state_t *a, const entity_state_t *b) {
    const size_t at = (size_t)span->word * 4;
    size_t words = span->words;
    if (span == &spans[GROUP_MOTION]) {
        words = (ENTITY_PLAIN_BYTES - at) / 4;
        if (a->motion != ENTITY_NO_MOTION || b->motion != ENTITY_NO_MOTION) {
            return memcmp((const uint8_t *)a + at, (const uint8_t *)b + at, BONES_AT - at) != 0;
        }
    }
    int32_t bits = 0;
    for (size_t i = 0; i < words; i++) {
        bits |= get(a, at + i * 4) ^ get(b, at + i * 4);
    }
    return bits != 0;
}

// has_group reads the skeleton in GROUP_WHAT, which must be coded before GROUP_BONES.
_Static_assert(GROUP_BONES > GROUP_WHAT && GROUP_BONES + 1 == GROUP_COUNT,
               "GROUP_WHAT is coded before GROUP_BONES");

static bool has_group(const entity_state_t *to, int32_t group) {
    return group != GROUP_BONES || to->skeleton != 0;
}

// Codes a group that differs. `now`: the new state. `read`: NULL while writing. While reading, both
// are the same state; copy `from` to it before the call.
CODED_TWICE void code_group(msg_t *msg, const entity_span_t *span, const entity_state_t *from,
                            const entity_state_t *now, entity_state_t *read, int32_t elapsed_ms) {
    for (size_t i = span->first; i < span->end; i++) {
        const entity_field_t *field = &fields[i];
        int32_t value = get(now, field->offset);
        int32_t before = get(from, field->offset);
        if (field->group >= GROUP_ANGLES) {
            bool changed = value != before;
            if (!MSG_Bool(msg, &changed)) {
                continue;
            }
        }
        code_field(msg, field, expected(field, from, now, elapsed_ms), &value);
        if (read) {
            MSG_Check(msg, field->group < GROUP_ANGLES || value != before);
            set(read, field->offset, value);
        }
    }
}

void Entity_Write(msg_writer_t *msg, const entity_state_t *from, const entity_state_t *to,
                  int32_t elapsed_ms) {
    msg_t wire = MSG_Writing(msg);
    for (int32_t group = 0; group < GROUP_COUNT && has_group(to, group); group++) {
        bool changed = differs(&spans[group], from, to);
        if (MSG_Bool(&wire, &changed)) {
            code_group(&wire, &spans[group], from, to, NULL, elapsed_ms);
        }
    }
}

void Entity_Read(msg_reader_t *msg, const entity_state_t *from, entity_state_t *to,
                 int32_t elapsed_ms) {
    msg_t wire = MSG_Reading(msg);
    *to = *from;
    for (int32_t group = 0; group < GROUP_COUNT; group++) {
        if (!has_group(to, group)) {
            clear_bones(to);
            break;
        }
        bool changed = false;
        if (MSG_Bool(&wire, &changed)) {
            code_group(&wire, &spans[group], from, to, to, elapsed_ms);
            MSG_Check(&wire, differs(&spans[group], from, to));
        }
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        MSG_Check(&wire, to->mins[axis] <= to->maxs[axis]);
    }
    MSG_Check(&wire, exact_part_is_valid(to));
}
