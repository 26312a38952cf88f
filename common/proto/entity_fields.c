#include "proto/entity_fields.h"

#include "base/assert.h"

#include <string.h>

typedef struct {
    size_t offset;
    uint32_t word; // the bit of changed_words
    entity_group_t group;
    entity_field_kind_t kind;
    int32_t lo, hi;
    int32_t k;
} entity_field_t;

#define FIELD_ROW(field, group, kind, lo, hi, k)                                                   \
    {offsetof(entity_state_t, field),                                                              \
     1u << (offsetof(entity_state_t, field) / 4),                                                  \
     group,                                                                                        \
     kind,                                                                                         \
     lo,                                                                                           \
     hi,                                                                                           \
     k},
static const entity_field_t fields[] = {ENTITY_FIELDS(FIELD_ROW)};
#undef FIELD_ROW

// Every word of entity_state_t stands in the table exactly once; the number is coded by the caller.
#define FIELD_WORD(field, group, kind, lo, hi, k) | 1u << (offsetof(entity_state_t, field) / 4)
#define FIELD_ONE(field, group, kind, lo, hi, k)  +1
_Static_assert((1u ENTITY_FIELDS(FIELD_WORD)) == (1u << (sizeof(entity_state_t) / 4)) - 1,
               "a field of entity_state_t is missing in ENTITY_FIELDS");
_Static_assert((1 ENTITY_FIELDS(FIELD_ONE)) == sizeof(entity_state_t) / 4,
               "a field stands twice in ENTITY_FIELDS");
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

bool Entity_Equal(const entity_state_t *a, const entity_state_t *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

bool Entity_Clamp(entity_state_t *state) {
    bool changed = false;
    for (size_t i = 0; i < COUNTOF(fields); i++) {
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
    return changed;
}

// What a field is expected to be: the same, or where the motion between both states carried the
// origin. `to` holds the velocity already.
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

static void write_field(msg_writer_t *msg, const entity_field_t *field, int32_t base,
                        int32_t value) {
    uint32_t difference = (uint32_t)value - (uint32_t)base;
    switch (field->kind) {
    case FIELD_DIFF:
    case FIELD_MOVED:
        MSG_WriteSigned(msg, (int32_t)difference, field->k);
        break;
    case FIELD_TURN:
        MSG_WriteSigned(msg, (int16_t)(uint16_t)difference, field->k);
        break;
    case FIELD_BITS:
        MSG_WriteVar(msg, (uint32_t)value ^ (uint32_t)base, field->k);
        break;
    }
}

// The value of a field; fails the message when it lies out of range.
static int32_t read_field(msg_reader_t *msg, const entity_field_t *field, int32_t base) {
    int64_t value = 0;
    switch (field->kind) {
    case FIELD_DIFF:
    case FIELD_MOVED:
        value = (int64_t)base + MSG_ReadSigned(msg, field->k);
        break;
    case FIELD_TURN: {
        int32_t turn = MSG_ReadSigned(msg, field->k);
        if (turn < INT16_MIN || turn > INT16_MAX) {
            MSG_Fail(msg);
        }
        value = (base + turn) & 0xffff;
        break;
    }
    case FIELD_BITS:
        value = (int32_t)((uint32_t)base ^ MSG_ReadVar(msg, field->k));
        break;
    }
    if (value < field->lo || value > field->hi) {
        MSG_Fail(msg);
        return field->lo;
    }
    return (int32_t)value;
}

// A bit for each word that differs.
static uint32_t changed_words(const entity_state_t *a, const entity_state_t *b) {
    uint32_t changed = 0;
    for (size_t i = 0; i < sizeof *a / 4; i++) {
        changed |= (get(a, i * 4) != get(b, i * 4) ? 1u : 0u) << i;
    }
    return changed;
}

// One past the last field of the group that starts at `first`; *words gets the group's bits.
static size_t group_end(size_t first, uint32_t *words) {
    size_t i = first;
    *words = 0;
    for (; i < COUNTOF(fields) && fields[i].group == fields[first].group; i++) {
        *words |= fields[i].word;
    }
    return i;
}

void Entity_Write(msg_writer_t *msg, const entity_state_t *from, const entity_state_t *to,
                  int32_t elapsed_ms) {
    uint32_t changed = changed_words(from, to);
    for (size_t first = 0, end = 0; first < COUNTOF(fields); first = end) {
        uint32_t words = 0;
        end = group_end(first, &words);
        MSG_WriteBool(msg, (changed & words) != 0);
        for (size_t i = first; i < end && (changed & words) != 0; i++) {
            bool differs = (changed & fields[i].word) != 0;
            if (fields[i].group >= GROUP_ANGLES) {
                MSG_WriteBool(msg, differs);
                if (!differs) {
                    continue;
                }
            }
            write_field(msg, &fields[i], expected(&fields[i], from, to, elapsed_ms),
                        get(to, fields[i].offset));
        }
    }
}

static void read_group(msg_reader_t *msg, size_t first, size_t end, const entity_state_t *from,
                       entity_state_t *to, int32_t elapsed_ms) {
    for (size_t i = first; i < end; i++) {
        bool own_bit = fields[i].group >= GROUP_ANGLES;
        if (own_bit && !MSG_ReadBool(msg)) {
            continue;
        }
        int32_t value = read_field(msg, &fields[i], expected(&fields[i], from, to, elapsed_ms));
        if (own_bit && value == get(from, fields[i].offset)) {
            MSG_Fail(msg); // a change that changes nothing
        }
        set(to, fields[i].offset, value);
    }
}

void Entity_Read(msg_reader_t *msg, const entity_state_t *from, entity_state_t *to,
                 int32_t elapsed_ms) {
    uint32_t said = 0; // groups that the message says to differ
    uint32_t words = 0;
    *to = *from;
    for (size_t first = 0, end = 0; first < COUNTOF(fields); first = end) {
        end = group_end(first, &words);
        if (MSG_ReadBool(msg)) {
            said |= words;
            read_group(msg, first, end, from, to, elapsed_ms);
        }
    }
    uint32_t changed = changed_words(from, to);
    for (size_t first = 0; first < COUNTOF(fields);) {
        first = group_end(first, &words);
        if ((said & words) != 0 && (changed & words) == 0) {
            MSG_Fail(msg); // a change that changes nothing
        }
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        if (to->maxs[axis] < to->mins[axis]) {
            MSG_Fail(msg);
        }
    }
}
