/// probe/table.h - answers a table of queries of a map row by row, from stdin to stdout.

#ifndef EDICTD_PROBE_TABLE_H
#define EDICTD_PROBE_TABLE_H

#include "collide/cmodel.h"
#include "collide/hull/hull.h"
#include "probe/csv.h"

/// The functions of one kind of table. `context` belongs to the caller.
typedef struct {
    const char *answer_header;
    /// Finds the columns after the header was read. Fails if a column is missing.
    bool (*open)(void *context, const csv_t *csv, err_t *err);
    /// Prints the answer to the current row. Returns false with the reason.
    bool (*answer)(void *context, const cmap_t *map, const csv_t *csv, err_t *err);
} probe_table_t;

/// Loads the map and answers all rows. Returns an exit status; errors go to stderr.
int Probe_AnswerTable(const char *map_path, const probe_table_t *table, void *context);

/// Reads the model of a row and, if `hull_column` is >= 0, its hull. Fails if the map lacks it.
bool Probe_ReadHull(const cmap_t *map, const csv_t *csv, int32_t model_column, int32_t hull_column,
                    const hull_t **hull, err_t *err);

/// Parses the value of --solids (auto, hulls or brushes) as a cm_solids_t.
bool Probe_ReadSolids(const char *text, int32_t *solids);

#endif
