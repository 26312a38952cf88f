/// core/sent_fields.h - the fields that clients receive: how they are coded, and their values.
//
// Scopes:  edict, client and world fields of the game. In the client scope, rows of the engine come
//          first.

#ifndef EDICTD_CORE_SENT_FIELDS_H
#define EDICTD_CORE_SENT_FIELDS_H

#include "core/game_api.h"
#include "proto/fields.h"

/// Rows of the engine in the client scope: X(name, type, lowest, highest).
#define SENT_ENGINE_ROWS(X)                                                                        \
    X(ping, SENT_INT, 0, 32767)                                                                    \
    X(team, SENT_INT, INT32_MIN, INT32_MAX)                                                        \
    X(spectator, SENT_INT, 0, 1)

typedef enum {
#define SENT_ROW(name, type, lo, hi) SENT_ROW_##name,
    SENT_ENGINE_ROWS(SENT_ROW)
#undef SENT_ROW
        SENT_NUM_ROWS
} sent_row_t;

/// Returns the name of a row of the engine, 0..SENT_NUM_ROWS-1.
const char *SentFields_RowName(int32_t row);

/// Sent fields of a game. `fields` points into the game's tables.
typedef struct {
    field_schema_t schema;
    const game_field_t *fields[SCOPE_COUNT][MAX_SENT_FIELDS]; ///< NULL = a row of the engine
    uint32_t texts[SCOPE_COUNT];                              ///< bit i is set for a SENT_TEXT
    uint32_t zeros[SCOPE_COUNT];     ///< bit i is set if the word of a field of zeros is 0
    uint32_t edict_first, edict_end; ///< bytes of edict_t.game that hold the sent fields of edicts
} sent_tables_t;

/// Lists the sent fields of a game that has passed SV_CheckGame.
void SentFields_List(const game_export_t *game, sent_tables_t *tables);

#endif
