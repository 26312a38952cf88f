#include "proto/fields.h"

#include "base/assert.h"

#include <math.h>

#define INT_K 4

int32_t Fields_Lowest(const sent_field_t *field) {
    return field->type == SENT_TEXT || field->type == SENT_EDICT ? 0 : field->lo;
}

int32_t Fields_Highest(const sent_field_t *field) {
    return field->type == SENT_TEXT    ? NAMES_MAX - 1
           : field->type == SENT_EDICT ? MAX_EDICTS - 1
                                       : field->hi;
}

static bool is_finite(int32_t bits) {
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value);
}

static int32_t clamped(const sent_field_t *field, int32_t word) {
    if (field->type == SENT_FLOAT) {
        return is_finite(word) ? word : 0;
    }
    return word == 0 ? 0 : Q_ClampI(word, Fields_Lowest(field), Fields_Highest(field));
}

bool Fields_Clamp(const sent_fields_t *scope, entity_state_t *state) {
    bool changed = false;
    uint32_t left = state->field_mask;
    while (left != 0) {
        int32_t i = __builtin_ctz(left);
        int32_t word = i < scope->count ? clamped(&scope->list[i], state->fields[i]) : 0;
        changed = changed || word != state->fields[i];
        Fields_Set(state, i, word);
        left &= left - 1;
    }
    return changed;
}

// Codes the fields that differ. `read`: NULL while writing. While reading, it is `now`.
CODED_TWICE void code_fields(msg_t *msg, const sent_fields_t *scope, const entity_state_t *from,
                             const entity_state_t *now, entity_state_t *read) {
    for (int32_t i = 0; i < scope->count; i++) {
        const sent_field_t *field = &scope->list[i];
        int32_t word = now->fields[i];
        bool changed = word != from->fields[i];
        if (!MSG_Bool(msg, &changed)) {
            continue;
        }
        if (field->type == SENT_FLOAT) {
            MSG_Real(msg, &word);
        } else {
            int32_t step = (int32_t)((uint32_t)word - (uint32_t)from->fields[i]);
            MSG_Signed(msg, &step, INT_K);
            word = (int32_t)((uint32_t)from->fields[i] + (uint32_t)step);
        }
        MSG_Check(msg, clamped(field, word) == word);
        if (read) {
            MSG_Check(msg, word != from->fields[i]);
            Fields_Set(read, i, word);
        }
    }
}

void Fields_Write(msg_writer_t *msg, const sent_fields_t *scope, const entity_state_t *from,
                  const entity_state_t *to) {
    msg_t wire = MSG_Writing(msg);
    code_fields(&wire, scope, from, to, NULL);
}

void Fields_Read(msg_reader_t *msg, const sent_fields_t *scope, const entity_state_t *from,
                 entity_state_t *to) {
    msg_t wire = MSG_Reading(msg);
    code_fields(&wire, scope, from, to, to);
}
