#include "probe/table.h"

#include "bsp/map.h"
#include "probe/probe.h"

#include <string.h>

static bool answer_rows(const cmap_t *map, const probe_table_t *table, void *context, csv_t *csv,
                        err_t *err) {
    if (!Csv_Open(csv, stdin, "stdin", err) || !table->open(context, csv, err)) {
        return false;
    }
    puts(table->answer_header);
    csv_read_t got;
    while ((got = Csv_Next(csv, err)) == CSV_ROW) {
        if (!table->answer(context, map, csv, err)) {
            return false;
        }
    }
    return got == CSV_END;
}

int Probe_AnswerTable(const char *map_path, const probe_table_t *table, void *context) {
    err_t err;
    csv_t csv;
    cmap_t *map = Map_Load(map_path, &err);
    if (!map) {
        return Probe_Fail("%s", err.text);
    }
    bool good = answer_rows(map, table, context, &csv, &err);
    Map_Free(map);
    return good ? PROBE_OK : Probe_Fail("%s", err.text);
}

bool Probe_ReadHull(const cmap_t *map, const csv_t *csv, int32_t model_column, int32_t hull_column,
                    const hull_t **hull, err_t *err) {
    int64_t model = 0;
    int64_t number = 0;
    if (!Csv_Int(csv, model_column, 0, CM_NumModels(map) - 1, &model, err) ||
        !Csv_Int(csv, hull_column, 0, CM_NumHulls(CM_Info(map).hullset) - 1, &number, err)) {
        return false;
    }
    if (CM_IsMesh(map, (int32_t)model)) {
        return Err_Set(err, "%s:%d: column model: expected a model with hulls, found a mesh",
                       csv->name, csv->line);
    }
    if (number > 0 && !CM_Info(map).has_clip_hulls) {
        return Err_Set(err, "%s:%d: column hull: expected 0 on a map without clipnodes, found %d",
                       csv->name, csv->line, (int)number);
    }
    *hull = CM_Hull(map, (int32_t)model, (int32_t)number);
    return true;
}

bool Probe_ReadSolids(const char *text, int32_t *solids) {
    static const char *const names[] = {
        [CM_SOLIDS_AUTO] = "auto", [CM_SOLIDS_HULLS] = "hulls", [CM_SOLIDS_BRUSHES] = "brushes"};
    for (int32_t i = 0; i < (int32_t)COUNTOF(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *solids = i;
            return true;
        }
    }
    return false;
}
