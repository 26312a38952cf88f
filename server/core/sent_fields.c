#include "core/sent_fields.h"

#include <math.h>
#include <string.h>

static const sent_field_t engine_rows[SENT_NUM_ROWS] = {
#define SENT_ROW(name, type, lo, hi) {#name, type, 0, lo, hi, 0.0f},
    SENT_ENGINE_ROWS(SENT_ROW)
#undef SENT_ROW
};

const char *SentFields_RowName(int32_t row) {
    return engine_rows[row].name;
}

static int32_t to_int(float value) {
    return Q_ToInt(floorf(value + 0.5f), INT32_MIN, INT32_MAX);
}

static sent_field_t sent_field(const game_field_t *field) {
    static const uint8_t types[FIELD_TYPE_COUNT] = {[FIELD_INT] = SENT_INT,
                                                    [FIELD_FLOAT] = SENT_FLOAT,
                                                    [FIELD_STRING] = SENT_TEXT,
                                                    [FIELD_REF] = SENT_EDICT};
    sent_field_t sent = {.type = types[field->type]};
    memcpy(sent.name, field->name, strlen(field->name)); // SV_CheckGame bounds the name
    sent.flags = field->flags & FIELD_SCORE ? SENT_SCORE : 0;
    if (field->step > 0.0f) {
        sent.type = SENT_STEPS;
        sent.lo = to_int(field->min / field->step);
        sent.hi = to_int(field->max / field->step);
        sent.step = field->step;
    } else if (sent.type == SENT_INT) {
        bool has_range = field->min < field->max;
        sent.lo = has_range ? (int32_t)field->min : INT32_MIN;
        sent.hi = has_range ? (int32_t)field->max : INT32_MAX;
    }
    return sent;
}

// Returns true if a field of zeros is in its range, so that its word is 0.
static bool is_zero_sent(const game_field_t *field) {
    return !(field->min < field->max) || (field->min <= 0.0f && field->max >= 0.0f);
}

// Widens the range of bytes of edict_t.game by a field.
static void include_bytes(sent_tables_t *tables, const game_field_t *field) {
    const uint32_t size = field->type == FIELD_REF ? sizeof(edict_ref_t) : sizeof(int32_t);
    const uint32_t end = field->offset + size;
    const bool is_first = tables->edict_end == 0;
    if (is_first || tables->edict_first > field->offset) {
        tables->edict_first = field->offset;
    }
    tables->edict_end = tables->edict_end < end ? end : tables->edict_end;
}

void SentFields_List(const game_export_t *game, sent_tables_t *tables) {
    const game_fields_t *scopes[SCOPE_COUNT] = {[SCOPE_EDICT] = &game->edict_fields,
                                                [SCOPE_CLIENT] = &game->client_fields,
                                                [SCOPE_WORLD] = &game->world_fields};
    memset(tables, 0, sizeof *tables);
    memcpy(tables->schema.scopes[SCOPE_CLIENT].list, engine_rows, sizeof engine_rows);
    tables->schema.scopes[SCOPE_CLIENT].count = SENT_NUM_ROWS;
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        sent_fields_t *sent = &tables->schema.scopes[scope];
        for (int32_t i = 0; i < scopes[scope]->count; i++) {
            const game_field_t *field = &scopes[scope]->list[i];
            if (field->flags & FIELD_SENT) {
                if (scope == SCOPE_EDICT) {
                    include_bytes(tables, field);
                }
                tables->fields[scope][sent->count] = field;
                tables->texts[scope] |= (field->type == FIELD_STRING ? 1u : 0u) << sent->count;
                tables->zeros[scope] |= (is_zero_sent(field) ? 1u : 0u) << sent->count;
                sent->list[sent->count++] = sent_field(field);
            }
        }
    }
}
