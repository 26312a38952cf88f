/// client/fields.c - the fields that the game sends for entities, players and the world.

#include "client/cl_local.h"

#include <float.h>
#include <string.h>

static const sent_fields_t *fields_of(const cl_t *cl, cl_scope_t scope) {
    static const sent_fields_t none;
    return (uint32_t)scope <= CL_SCOPE_WORLD ? &cl->schema.scopes[scope] : &none;
}

int32_t CL_NumFields(const cl_t *cl, cl_scope_t scope) {
    return fields_of(cl, scope)->count;
}

const char *CL_Field(const cl_t *cl, cl_scope_t scope, int32_t index) {
    const sent_fields_t *fields = fields_of(cl, scope);
    return index >= 0 && index < fields->count ? fields->list[index].name : "";
}

const char *CL_ScoreField(const cl_t *cl) {
    const sent_fields_t *fields = fields_of(cl, CL_SCOPE_PLAYER);
    for (int32_t i = 0; i < fields->count; i++) {
        if (fields->list[i].flags & SENT_SCORE) {
            return fields->list[i].name;
        }
    }
    return "";
}

static cl_value_t value_of(const cl_t *cl, const sent_field_t *field, int32_t word) {
    cl_value_t value = {.type = CL_VALUE_INT, .number = word, .real = (float)word, .text = ""};
    if (field->type == SENT_FLOAT) {
        value.type = CL_VALUE_FLOAT;
        memcpy(&value.real, &word, sizeof value.real);
        value.number = Q_ToInt(value.real, INT32_MIN, INT32_MAX);
    } else if (field->type == SENT_STEPS) {
        value.type = CL_VALUE_FLOAT;
        value.real = Q_ClampF((float)word * field->step, -FLT_MAX, FLT_MAX);
        value.number = Q_ToInt(value.real, INT32_MIN, INT32_MAX);
    } else if (field->type == SENT_TEXT) {
        value.type = CL_VALUE_TEXT;
        value.text = Client_Name(cl, NAMES_TEXTS, word);
    } else if (field->type == SENT_EDICT) {
        value.type = CL_VALUE_ENTITY;
    }
    return value;
}

// Writes a field of a record. A record or word that the snapshot lacks is 0.
static bool field_of(const cl_t *cl, int32_t number, const char *name, cl_value_t *value) {
    const sent_fields_t *fields = &cl->schema.scopes[Fields_Scope(number)];
    const snapshot_t *newest = Client_Newest(cl);
    const entity_state_t *state =
        newest ? SnapshotRing_Record(cl->ring, newest->tick, number, NULL) : NULL;
    for (int32_t i = 0; i < fields->count; i++) {
        if (strcmp(fields->list[i].name, name) == 0) {
            *value = value_of(cl, &fields->list[i], state ? state->fields[i] : 0);
            return true;
        }
    }
    return false;
}

bool CL_EntityField(const cl_t *cl, int32_t number, const char *name, cl_value_t *value) {
    return number > 0 && number < MAX_EDICTS && field_of(cl, number, name, value);
}

bool CL_PlayerField(const cl_t *cl, int32_t slot, const char *name, cl_value_t *value) {
    return slot >= 0 && slot < PROTO_MAX_CLIENTS && field_of(cl, RECORD_CLIENT(slot), name, value);
}

bool CL_WorldField(const cl_t *cl, const char *name, cl_value_t *value) {
    return field_of(cl, RECORD_WORLD, name, value);
}
