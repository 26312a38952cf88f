/// proto/fields.h - the schema of the game's own fields: which words of an edict, a client and the
/// world are sent, and how.
//
// A word is entity_state_t.fields[i] of row i. Info records (RECORD_CLIENT, RECORD_WORLD) have the
// fields of clients and of the world.
// Units:   as the row says.

#ifndef EDICTD_PROTO_FIELDS_H
#define EDICTD_PROTO_FIELDS_H

#include "proto/msg.h"
#include "state/entity_state.h"

/// Size of a field's name with its NUL.
#define SENT_NAME_BYTES 32

typedef enum {
    SENT_INT,   ///< an integer in lo..hi
    SENT_FLOAT, ///< the bits of a finite float
    SENT_STEPS, ///< a float: round(value / step), in lo..hi
    SENT_TEXT,  ///< number in the table of texts; 0 = ""
    SENT_EDICT, ///< edict number; 0 = none
    SENT_TYPE_COUNT
} sent_type_t;

/// Flag of the client field that is the score in lists of players.
#define SENT_SCORE 1

typedef enum { SCOPE_EDICT, SCOPE_CLIENT, SCOPE_WORLD, SCOPE_COUNT } field_scope_t;

typedef struct {
    char name[SENT_NAME_BYTES];
    uint8_t type;   ///< sent_type_t
    uint8_t flags;  ///< SENT_SCORE
    int32_t lo, hi; ///< range of the word, for SENT_INT and SENT_STEPS
    float step;     ///< SENT_STEPS: above 0
} sent_field_t;

typedef struct {
    int32_t count; ///< 0..MAX_SENT_FIELDS
    sent_field_t list[MAX_SENT_FIELDS];
} sent_fields_t;

/// All fields of a game. A zeroed schema has none.
typedef struct {
    sent_fields_t scopes[SCOPE_COUNT]; ///< by field_scope_t
} field_schema_t;

/// Returns the scope of a record's number.
static inline field_scope_t Fields_Scope(int32_t number) {
    return number < MAX_EDICTS ? SCOPE_EDICT : number < RECORD_WORLD ? SCOPE_CLIENT : SCOPE_WORLD;
}

/// Sets fields[i] and the mask.
static inline void Fields_Set(entity_state_t *state, int32_t i, int32_t word) {
    uint32_t bit = UINT32_C(1) << i;
    state->fields[i] = word;
    state->field_mask = word != 0 ? state->field_mask | bit : state->field_mask & ~bit;
}

/// Returns the range of a word, for all types except SENT_FLOAT. Outside it, 0 means not sent.
int32_t Fields_Lowest(const sent_field_t *field);
int32_t Fields_Highest(const sent_field_t *field);

/// Clamps the fields; a float that is not finite becomes 0, as do fields that the scope lacks.
/// Returns true if it changed anything.
bool Fields_Clamp(const sent_fields_t *scope, entity_state_t *state);

/// Writes the fields that differ. All fields of `to` must be in range.
void Fields_Write(msg_writer_t *msg, const sent_fields_t *scope, const entity_state_t *from,
                  const entity_state_t *to);

/// Reads what Fields_Write wrote into *to, whose fields must be those of `from`. Fails the message
/// if a value is out of range, or coded though unchanged.
void Fields_Read(msg_reader_t *msg, const sent_fields_t *scope, const entity_state_t *from,
                 entity_state_t *to);

#endif
