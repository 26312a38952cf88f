#include "proto/entity_fields.h"

#include "base/assert.h"

#include <string.h>

typedef struct {
    entity_field_kind_t kind;
    int32_t lo, hi;
    int32_t k;
} entity_field_t;

// Index of the word of a member.
#define WORD(member) (offsetof(entity_state_t, member) / 4)

// Rows by word of entity_state_t.
#define FIELD_ROW(field, kind, lo, hi, k) [WORD(field)] = {kind, lo, hi, k},
static const entity_field_t rows[] = {ENTITY_FIELDS(FIELD_ROW)};
#undef FIELD_ROW

#define FIRST_WORD                        WORD(velocity)
#define FIELD_ONE(field, kind, lo, hi, k) +1
_Static_assert(COUNTOF(rows) == WORD(fields) &&
                   (0 ENTITY_FIELDS(FIELD_ONE)) == WORD(fields) - FIRST_WORD,
               "ENTITY_FIELDS must list each word of entity_state_t once");
_Static_assert(FIRST_WORD == WORD(field_mask) + 1 && WORD(number) == 0, "other words come first");
#undef FIELD_ONE

// Orders of the first words if the older state says little about the new one, measured in crowds.
static const uint8_t old_orders[] = {7, 7, 4, 9, 9, 6, 11, 13, 11};

_Static_assert(WORD(angles) + 3 == FIRST_WORD + sizeof old_orders, "velocity, origin, angles");

// First words of the groups.
static const uint8_t starts[GROUP_COUNT + 1] = {
    [GROUP_VELOCITY] = WORD(velocity), [GROUP_ORIGIN] = WORD(origin),
    [GROUP_ANGLES] = WORD(angles),     [GROUP_BOX] = WORD(mins),
    [GROUP_WHAT] = WORD(generation),   [GROUP_MOTION] = WORD(contents),
    [GROUP_NEXT] = WORD(next_wait_ms), [GROUP_BONES] = WORD(animations),
    [GROUP_FIELDS] = WORD(fields),     [GROUP_COUNT] = sizeof(entity_state_t) / 4};

static int32_t get(const entity_state_t *state, size_t word) {
    int32_t value = 0;
    memcpy(&value, (const uint8_t *)state + word * 4, sizeof value);
    return value;
}

static void set(entity_state_t *state, size_t word, int32_t value) {
    memcpy((uint8_t *)state + word * 4, &value, sizeof value);
}

// Returns true if the words between the plain part and the fields are zero.
static bool is_simple(const entity_state_t *state) {
    return state->motion == ENTITY_NO_MOTION && state->skeleton == 0;
}

static const uint8_t *after_plain(const entity_state_t *state) {
    return (const uint8_t *)state + ENTITY_PLAIN_BYTES;
}

#define MOTION_BYTES (offsetof(entity_state_t, animations) - ENTITY_PLAIN_BYTES)
#define BONES_BYTES  (offsetof(entity_state_t, fields) - offsetof(entity_state_t, animations))

// Returns true if the rest of the motion record may differ: without a motion, it is zero.
static bool either_moves(const entity_state_t *a, const entity_state_t *b) {
    return a->motion != ENTITY_NO_MOTION || b->motion != ENTITY_NO_MOTION;
}

// Returns true if the bones may differ: without a skeleton, they are zero.
static bool either_has_bones(const entity_state_t *a, const entity_state_t *b) {
    return a->skeleton != 0 || b->skeleton != 0;
}

// Compares the words between the plain part and the fields.
static bool exact_differs(const entity_state_t *a, const entity_state_t *b) {
    return (either_moves(a, b) && memcmp(after_plain(a), after_plain(b), MOTION_BYTES)) ||
           (either_has_bones(a, b) && memcmp(a->animations, b->animations, BONES_BYTES));
}

// Compares only the fields that are not 0, which most states lack.
static bool fields_differ(const entity_state_t *a, const entity_state_t *b) {
    bool differ = a->field_mask != b->field_mask;
    for (uint32_t left = a->field_mask; left != 0 && !differ; left &= left - 1) {
        int32_t i = __builtin_ctz(left);
        differ = a->fields[i] != b->fields[i];
    }
    return differ;
}

bool Entity_Equal(const entity_state_t *a, const entity_state_t *b) {
    if (a->number >= MAX_EDICTS) {
        return a->number == b->number && !fields_differ(a, b);
    }
    return memcmp(a, b, ENTITY_PLAIN_BYTES) == 0 && !exact_differs(a, b) && !fields_differ(a, b);
}

void Entity_Copy(entity_state_t *to, const entity_state_t *from) {
    const bool has_motion = either_moves(from, to);
    const bool has_bones = either_has_bones(from, to);
    uint32_t left = to->field_mask | from->field_mask;
    memcpy(to, from, ENTITY_PLAIN_BYTES);
    if (has_motion) {
        memcpy((uint8_t *)to + ENTITY_PLAIN_BYTES, after_plain(from), MOTION_BYTES);
    }
    if (has_bones) {
        memcpy((uint8_t *)to + offsetof(entity_state_t, animations), from->animations, BONES_BYTES);
    }
    for (; left != 0; left &= left - 1) {
        int32_t i = __builtin_ctz(left);
        to->fields[i] = from->fields[i];
    }
}

static void clear(entity_state_t *state, size_t first, size_t end) {
    memset((uint8_t *)state + first * 4, 0, (end - first) * 4);
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
    clear(state, WORD(origin), WORD(mins));
}

void Entity_SetNext(entity_state_t *state, const leg_t *leg) {
    state->next_wait_ms = leg->wait_ms < INT32_MAX ? (int32_t)leg->wait_ms : INT32_MAX;
    state->next_duration_ms = leg->duration_ms;
    state->next_delta = leg->delta;
    state->next_delta_angles = leg->delta_angles;
    state->next_bend = leg->bend;
}

bool Entity_SetLoose(entity_state_t *state, const entity_loose_t *loose) {
    entity_state_t made = *state;
    made.motion = ENTITY_LOOSE;
    made.base.origin = loose->origin;
    made.delta = loose->velocity;
    made.bend.x = loose->gravity;
    made.base.angles.y = loose->is_vehicle ? loose->yaw : 0.0f;
    made.parent = loose->ground > 0 ? loose->ground : 0;
    made.duration_ms = (loose->ground >= 0 ? ENTITY_LOOSE_STANDS : 0) |
                       (loose->carries ? ENTITY_LOOSE_CARRIES : 0) |
                       (loose->is_vehicle ? ENTITY_LOOSE_VEHICLE : 0);
    if (state->motion != ENTITY_NO_MOTION || Entity_Clamp(&made)) {
        return false;
    }
    *state = made;
    return true;
}

void Entity_Follow(entity_state_t *state, int32_t leader, int32_t bone, pose_t offset) {
    clear(state, WORD(motion), WORD(animations));
    clear(state, WORD(velocity), WORD(mins));
    state->motion = ENTITY_FOLLOWS;
    state->parent = leader;
    state->bone = 1 + bone;
    state->base = offset;
}

bool Entity_SetDriven(entity_state_t *state, float gravity) {
    if (state->motion != ENTITY_FOLLOWS || state->bone != 0 ||
        !(fabsf(gravity) <= (float)ENTITY_MAX_DISTANCE)) {
        return false;
    }
    state->duration_ms = ENTITY_LOOSE_VEHICLE;
    state->bend.x = gravity;
    return true;
}

// Returns true if the words from `first` to before `end` are zero.
static bool all_zero(const entity_state_t *state, size_t first, size_t end) {
    int32_t bits = 0;
    for (size_t word = first; word < end; word++) {
        bits |= get(state, word);
    }
    return bits == 0;
}

static bool pose_within(const pose_t *pose) {
    return VectorWithin(pose->origin, (float)ENTITY_MAX_DISTANCE) &&
           VectorWithin(pose->angles, (float)ENTITY_MAX_TURN);
}

static bool loose_is_valid(const entity_state_t *state) {
    const int32_t bits = state->duration_ms;
    const int32_t all = ENTITY_LOOSE_STANDS | ENTITY_LOOSE_CARRIES | ENTITY_LOOSE_VEHICLE;
    return bits >= 0 && bits <= all && (state->parent == 0 || (bits & ENTITY_LOOSE_STANDS)) &&
           all_zero(state, WORD(start_lo), WORD(base)) &&
           all_zero(state, WORD(base.angles.x), WORD(base.angles.y)) &&
           ((bits & ENTITY_LOOSE_VEHICLE) ||
            all_zero(state, WORD(base.angles.y), WORD(base.angles.z))) &&
           all_zero(state, WORD(base.angles.z), WORD(delta)) &&
           all_zero(state, WORD(delta_angles), WORD(bend)) &&
           all_zero(state, WORD(bend.y), WORD(parent)) &&
           all_zero(state, WORD(parent_base), WORD(next_wait_ms));
}

// A follower uses the base, the parent and the bone, or as a vehicle the gravity.
static bool follower_is_valid(const entity_state_t *state) {
    const bool is_driven = state->duration_ms == ENTITY_LOOSE_VEHICLE && state->bone == 0;
    return state->parent != 0 && all_zero(state, WORD(velocity), WORD(origin)) &&
           (is_driven || (all_zero(state, WORD(duration_ms), WORD(start_lo)) &&
                          all_zero(state, WORD(bend), WORD(bend.y)))) &&
           all_zero(state, WORD(start_lo), WORD(base)) &&
           all_zero(state, WORD(delta), WORD(bend)) &&
           all_zero(state, WORD(bend.y), WORD(parent)) &&
           all_zero(state, WORD(parent_base), WORD(bone));
}

// Returns true if a state with this kind of motion may use all its words.
static bool words_fit_motion(const entity_state_t *state) {
    if (state->motion == ENTITY_FOLLOWS) {
        return follower_is_valid(state);
    }
    if (state->motion == ENTITY_LOOSE) {
        return loose_is_valid(state);
    }
    bool rests = state->motion == 1 + MOTION_NONE;
    if (rests ? !all_zero(state, WORD(duration_ms), WORD(base)) ||
                    !all_zero(state, WORD(delta), WORD(parent))
              : state->duration_ms < 1) {
        return false;
    }
    return state->bone == 0 && (state->parent != 0 || all_zero(state, WORD(parent), WORD(bone)));
}

static bool next_is_valid(const entity_state_t *state) {
    if (state->next_wait_ms == 0 || state->motion != 1 + MOTION_MOVE) {
        return all_zero(state, WORD(next_wait_ms), WORD(animations));
    }
    return state->next_duration_ms > 0 &&
           VectorWithin(state->next_delta, (float)ENTITY_MAX_DISTANCE) &&
           VectorWithin(state->next_bend, (float)ENTITY_MAX_DISTANCE) &&
           VectorWithin(state->next_delta_angles, (float)ENTITY_MAX_TURN);
}

static bool motion_is_valid(const entity_state_t *state) {
    if (state->motion == ENTITY_NO_MOTION) {
        return all_zero(state, WORD(motion), WORD(animations));
    }
    return words_fit_motion(state) && next_is_valid(state) && state->parent != state->number &&
           (state->motion == ENTITY_LOOSE || all_zero(state, WORD(origin), WORD(mins))) &&
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
    return all_zero(state, WORD(contents), WORD(animations)) ||
           (motion_is_valid(state) && surface_is_valid(state));
}

// ---- bones ----

void Entity_SetBones(entity_state_t *state, const entity_bones_t *bones) {
    const shown_bones_t shown = Shown_RoundBones(bones);
    clear(state, WORD(animations), WORD(fields));
    state->skeleton = shown.skeleton;
    state->anim_blend = shown.blend;
    for (int32_t i = 0; i < 2; i++) {
        const uint64_t start_ms = (uint64_t)shown.start_ms[i];
        state->animations[i] = shown.animations[i];
        state->anim_start_lo[i] = (int32_t)(uint32_t)start_ms;
        state->anim_start_hi[i] = (int32_t)(uint32_t)(start_ms >> 32);
    }
    memcpy(state->controllers, shown.controllers, sizeof state->controllers);
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

static bool is_in_range(const entity_state_t *state, size_t end) {
    bool is_out = false;
    for (size_t word = FIRST_WORD; word < end; word++) {
        const int32_t value = get(state, word);
        is_out |= (value < rows[word].lo) | (value > rows[word].hi);
    }
    return !is_out;
}

bool Entity_Clamp(entity_state_t *state) {
    // exact_part_is_valid tests the words after the plain part.
    size_t end = is_simple(state) ? ENTITY_PLAIN_BYTES / 4 : COUNTOF(rows);
    bool changed = !is_in_range(state, end);
    for (size_t word = FIRST_WORD; changed && word < end; word++) {
        set(state, word, Q_ClampI(get(state, word), rows[word].lo, rows[word].hi));
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        if (state->maxs[axis] < state->mins[axis]) {
            state->maxs[axis] = state->mins[axis];
            changed = true;
        }
    }
    if (!exact_part_is_valid(state)) {
        clear(state, WORD(contents), WORD(animations));
        changed = true;
    }
    if (state->skeleton == 0 && !all_zero(state, WORD(animations), WORD(fields))) {
        clear(state, WORD(animations), WORD(fields));
        changed = true;
    }
    return changed;
}

void Entity_ExpectedOrigin(const entity_state_t *from, const int32_t velocity[3],
                           int32_t elapsed_ms, int32_t origin[3]) {
    const int32_t factor = from->motion == ENTITY_NO_MOTION ? ENTITY_ORIGIN_SCALE * elapsed_ms : 0;
    ASSERT(elapsed_ms >= 0 && elapsed_ms <= ENTITY_EXPECT_MS);
    for (int32_t axis = 0; axis < 3; axis++) {
        int32_t offset = (from->velocity[axis] + velocity[axis]) * factor / 2000; // below 2^27
        origin[axis] = Q_ClampI(from->origin[axis] + offset, -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN);
    }
}

// Returns the order of a word's code.
static inline int32_t order_of(size_t word, const entity_coding_t *coding) {
    const bool is_old = coding->is_new || coding->elapsed_ms == ENTITY_EXPECT_MS;
    const size_t at = word - FIRST_WORD;
    return is_old && at < sizeof old_orders ? old_orders[at] : rows[word].k;
}

// Codes a word against `base`. A value out of range fails a reader.
CODED_TWICE void code_field(msg_t *msg, size_t word, int32_t base, int32_t *value,
                            const entity_coding_t *coding) {
    const entity_field_t *field = &rows[word];
    const int32_t k = order_of(word, coding);
    uint32_t bits = (uint32_t)*value ^ (uint32_t)base;
    int32_t step = (int32_t)((uint32_t)*value - (uint32_t)base);
    int64_t sum = 0;
    switch (field->kind) {
    case FIELD_DIFF:
        MSG_Signed(msg, &step, k);
        sum = (int64_t)base + step;
        break;
    case FIELD_TURN:
        step = (int16_t)(uint16_t)step;
        MSG_Signed(msg, &step, k);
        MSG_Check(msg, step >= INT16_MIN && step <= INT16_MAX);
        sum = (int32_t)((uint32_t)base + (uint32_t)step) & 0xffff;
        break;
    case FIELD_BITS:
        MSG_Var(msg, &bits, k);
        sum = (int32_t)((uint32_t)base ^ bits);
        break;
    case FIELD_WRAP:
        MSG_Signed(msg, &step, k);
        sum = (int32_t)((uint32_t)base + (uint32_t)step);
        break;
    case FIELD_REAL:
        MSG_Real(msg, value);
        sum = *value;
        break;
    }
    if (msg->in) {
        MSG_Check(msg, sum >= field->lo && sum <= field->hi);
        *value = msg->in->failed ? field->lo : (int32_t)sum;
    }
}

static bool words_differ(const entity_state_t *a, const entity_state_t *b, size_t first,
                         size_t end) {
    int32_t bits = 0;
    for (size_t word = first; word < end; word++) {
        bits |= get(a, word) ^ get(b, word);
    }
    return bits != 0;
}

static bool differs(int32_t group, const entity_state_t *a, const entity_state_t *b) {
    if (group == GROUP_FIELDS) {
        return fields_differ(a, b);
    }
    bool is_short = group == GROUP_MOTION && a->motion == b->motion && a->motion == 0;
    size_t end = is_short ? ENTITY_PLAIN_BYTES / 4 : starts[group + 1];
    return words_differ(a, b, starts[group], end);
}

// Returns true if a group from GROUP_BOX on differs.
static bool rest_differs(const entity_state_t *a, const entity_state_t *b) {
    return words_differ(a, b, WORD(mins), ENTITY_PLAIN_BYTES / 4) || exact_differs(a, b) ||
           fields_differ(a, b);
}

// has_group reads words of groups that must be coded before.
_Static_assert(GROUP_BONES > GROUP_WHAT && GROUP_NEXT > GROUP_MOTION, "coded before");

static bool has_group(const entity_state_t *to, int32_t group) {
    return (group != GROUP_BONES || to->skeleton != 0) &&
           (group != GROUP_NEXT || to->motion == 1 + MOTION_MOVE);
}

// Codes a group that differs. `now`: the new state. `read`: NULL while writing. While reading, both
// are the same state; copy `from` to it before the call.
CODED_TWICE void code_group(msg_t *msg, int32_t group, const entity_state_t *from,
                            const entity_state_t *now, entity_state_t *read,
                            const entity_coding_t *coding) {
    for (size_t word = starts[group]; word < starts[group + 1]; word++) {
        int32_t value = get(now, word);
        int32_t before = get(from, word);
        if (group >= GROUP_ANGLES) {
            bool changed = value != before;
            if (!MSG_Bool(msg, &changed)) {
                continue;
            }
        }
        code_field(msg, word, before, &value, coding);
        if (read) {
            MSG_Check(msg, group < GROUP_ANGLES || value != before);
            set(read, word, value);
        }
    }
}

CODED_TWICE bool write_group(msg_writer_t *msg, int32_t group, const entity_state_t *from,
                             const entity_state_t *to, const entity_coding_t *coding) {
    msg_t wire = MSG_Writing(msg);
    bool changed = differs(group, from, to);
    MSG_WriteBool(msg, changed);
    if (changed && group == GROUP_FIELDS) {
        Fields_Write(msg, coding->fields, from, to);
    } else if (changed) {
        code_group(&wire, group, from, to, NULL, coding);
    }
    return changed;
}

// Codes the origin against the expected one. `now` must have the new velocity. `read`: as in
// code_group. Returns true if it is not as expected.
CODED_TWICE bool code_origin(msg_t *msg, const entity_state_t *from, const entity_state_t *now,
                             entity_state_t *read, const entity_coding_t *coding) {
    int32_t expected[3], origin[3];
    Entity_ExpectedOrigin(from, now->velocity, coding->elapsed_ms, expected);
    memcpy(origin, msg->in ? expected : now->origin, sizeof origin);
    bool changed = memcmp(origin, expected, sizeof origin) != 0;
    if (MSG_Bool(msg, &changed)) {
        for (size_t axis = 0; axis < 3; axis++) {
            code_field(msg, WORD(origin) + axis, expected[axis], &origin[axis], coding);
        }
        MSG_Check(msg, memcmp(origin, expected, sizeof origin) != 0);
    }
    if (read) {
        memcpy(read->origin, origin, sizeof origin);
    }
    return changed;
}

bool Entity_Write(msg_writer_t *msg, const entity_state_t *from, const entity_state_t *to,
                  const entity_coding_t *coding) {
    msg_t wire = MSG_Writing(msg);
    bool any = write_group(msg, GROUP_VELOCITY, from, to, coding);
    any |= code_origin(&wire, from, to, NULL, coding);
    any |= write_group(msg, GROUP_ANGLES, from, to, coding);
    bool rest = rest_differs(from, to);
    MSG_WriteBool(msg, rest);
    for (int32_t group = GROUP_BOX; rest && group < GROUP_COUNT; group++) {
        if (has_group(to, group)) {
            (void)write_group(msg, group, from, to, coding);
        }
    }
    return any || rest;
}

// Reads the groups first..end-1. Returns true if any has changed.
static bool read_groups(msg_reader_t *msg, int32_t first, int32_t end, const entity_state_t *from,
                        entity_state_t *to, const entity_coding_t *coding) {
    msg_t wire = MSG_Reading(msg);
    bool any = false;
    for (int32_t group = first; group < end; group++) {
        if (!has_group(to, group)) {
            clear(to, starts[group], starts[group + 1]);
            continue;
        }
        if (!MSG_ReadBool(msg)) {
            continue;
        }
        any = true;
        if (group == GROUP_FIELDS) {
            Fields_Read(msg, coding->fields, from, to);
        } else {
            code_group(&wire, group, from, to, to, coding);
        }
        MSG_Check(&wire, differs(group, from, to));
    }
    return any;
}

bool Entity_Read(msg_reader_t *msg, const entity_state_t *from, entity_state_t *to,
                 const entity_coding_t *coding) {
    msg_t wire = MSG_Reading(msg);
    Entity_Copy(to, from);
    bool any = read_groups(msg, GROUP_VELOCITY, GROUP_ORIGIN, from, to, coding);
    any |= code_origin(&wire, from, to, to, coding);
    any |= read_groups(msg, GROUP_ANGLES, GROUP_BOX, from, to, coding);
    bool rest = MSG_ReadBool(msg);
    bool valid = !rest || read_groups(msg, GROUP_BOX, GROUP_COUNT, from, to, coding);
    for (int32_t axis = 0; axis < 3; axis++) {
        valid = valid && to->mins[axis] <= to->maxs[axis];
    }
    if (!valid || !exact_part_is_valid(to)) {
        MSG_Fail(msg);
    }
    return any || rest;
}
