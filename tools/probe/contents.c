/// probe/contents.c - edict-probe contents: what fills the points of a table.
//
// Floor:   tools.

#include "bsp/bsp.h"
#include "probe/csv.h"
#include "probe/probe.h"

enum { COL_ID, COL_MODEL, COL_HULL, COL_X, COL_Y, COL_Z, NUM_COLS };

static const char *const column_names[NUM_COLS] = {"id", "model", "hull", "x", "y", "z"};

static bool answer_row(const cmap_t *map, const csv_t *csv, const int32_t cols[NUM_COLS],
                       err_t *err) {
    int64_t model = 0;
    int64_t hull = 0;
    vec3_t point = {0};
    if (!Csv_Int(csv, cols[COL_MODEL], 0, map->num_models - 1, &model, err) ||
        !Csv_Int(csv, cols[COL_HULL], 0, CM_NumHulls(map->hullset) - 1, &hull, err) ||
        !Csv_Vector(csv, &cols[COL_X], PROBE_MAX_COORD, &point, err)) {
        return false;
    }
    if (hull > 0 && !map->has_clip_hulls) {
        return Err_Set(err, "%s:%d: column hull: expected 0 on a map without clipnodes, found %d",
                       csv->name, csv->line, (int)hull);
    }
    contents_t contents = CM_HullPointContents(&map->models[model].hulls[hull], point);
    int32_t leaf = model == 0 && hull == 0 ? CM_PointLeaf(map, point) : -1;
    printf("%s,%d,%d\n", Csv_Text(csv, cols[COL_ID]), contents, leaf);
    return true;
}

static bool answer_all(const cmap_t *map, csv_t *csv, err_t *err) {
    int32_t cols[NUM_COLS];
    if (!Csv_Open(csv, stdin, "stdin", err) ||
        !Csv_Columns(csv, column_names, NUM_COLS, cols, err)) {
        return false;
    }
    puts("id,contents,leaf");
    for (;;) {
        csv_read_t got = Csv_Next(csv, err);
        if (got != CSV_ROW) {
            return got == CSV_END;
        }
        if (!answer_row(map, csv, cols, err)) {
            return false;
        }
    }
}

int Probe_Contents(int argc, char **argv) {
    if (argc != 2) {
        return PROBE_USAGE;
    }
    err_t err;
    cmap_t map;
    if (!BSP_Load(&map, argv[1], &err)) {
        return Probe_Fail("%s", err.text);
    }
    csv_t csv;
    bool good = answer_all(&map, &csv, &err);
    CM_FreeMap(&map);
    return good ? PROBE_OK : Probe_Fail("%s", err.text);
}
