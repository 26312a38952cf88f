/// probe/contents.c - edict-probe contents: prints the contents at the points of a table.

#include "probe/probe.h"
#include "probe/table.h"

enum { COL_ID, COL_MODEL, COL_HULL, COL_X, COL_Y, COL_Z, NUM_COLS };

static const char *const column_names[NUM_COLS] = {"id", "model", "hull", "x", "y", "z"};

static bool open_table(void *context, const csv_t *csv, err_t *err) {
    return Csv_Columns(csv, column_names, NUM_COLS, context, err);
}

static bool answer_row(void *context, const cmap_t *map, const csv_t *csv, err_t *err) {
    const int32_t *cols = context;
    const hull_t *hull = NULL;
    vec3_t point = {0};
    if (!Probe_ReadHull(map, csv, cols[COL_MODEL], cols[COL_HULL], &hull, err) ||
        !Csv_Vector(csv, &cols[COL_X], PROBE_MAX_COORD, &point, err)) {
        return false;
    }
    contents_t contents = CM_HullPointContents(hull, point);
    int32_t leaf = hull == CM_Hull(map, 0, 0) ? CM_PointLeaf(map, point) : -1;
    printf("%s,%d,%d\n", Csv_Text(csv, cols[COL_ID]), contents, leaf);
    return true;
}

int Probe_Contents(int argc, char **argv) {
    static const probe_table_t table = {"id,contents,leaf", open_table, answer_row};
    int32_t cols[NUM_COLS];
    return argc == 2 ? Probe_AnswerTable(argv[1], &table, cols) : PROBE_USAGE;
}
