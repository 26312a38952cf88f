/// probe/table.h - answers a table of queries row by row, from stdin to stdout.

#ifndef EDICTD_PROBE_TABLE_H
#define EDICTD_PROBE_TABLE_H

#include "collide/cmodel.h"
#include "collide/hull/hull.h"
#include "probe/csv.h"

/// Callbacks for one kind of table. `context`: the pointer passed to Probe_AnswerTable.
typedef struct {
    const char *answer_header;
    /// Finds the columns that it needs. Returns false if one is missing.
    bool (*open)(void *context, const csv_t *csv, err_t *err);
    /// Prints the answer to the current row. Returns false with the reason.
    bool (*answer)(void *context, const cmap_t *map, const csv_t *csv, err_t *err);
} probe_table_t;

/// Loads the map and prints an answer for each row of stdin. Returns an exit status.
int Probe_AnswerTable(const char *map_path, const probe_table_t *table, void *context);

/// Finds the hull that two columns of the last row name. Fails if the map lacks the hull.
bool Probe_ReadHull(const cmap_t *map, const csv_t *csv, int32_t model_column, int32_t hull_column,
                    const hull_t **hull, err_t *err);

/// Parses "auto", "hulls" or "brushes" to a cm_solids_t. Returns false for any other text.
bool Probe_ReadSolids(const char *text, int32_t *solids);

#endif
