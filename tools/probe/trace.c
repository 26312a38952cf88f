/// probe/trace.c - edict-probe trace: sweeps of a table through a model's hull.
//
// Floor:   tools.

#include "bsp/bsp.h"
#include "probe/csv.h"
#include "probe/probe.h"

enum { COL_ID, COL_MODEL, COL_HULL, COL_SX, COL_SY, COL_SZ, COL_EX, COL_EY, COL_EZ, NUM_COLS };

static const char *const column_names[NUM_COLS] = {"id", "model", "hull", "sx", "sy",
                                                   "sz", "ex",    "ey",   "ez"};

static bool answer_row(const cmap_t *map, const csv_t *csv, const int32_t cols[NUM_COLS],
                       err_t *err) {
    int64_t model = 0;
    int64_t hull = 0;
    vec3_t start = {0};
    vec3_t end = {0};
    if (!Csv_Int(csv, cols[COL_MODEL], 0, map->num_models - 1, &model, err) ||
        !Csv_Int(csv, cols[COL_HULL], 0, CM_NumHulls(map->hullset) - 1, &hull, err) ||
        !Csv_Vector(csv, &cols[COL_SX], PROBE_MAX_COORD, &start, err) ||
        !Csv_Vector(csv, &cols[COL_EX], PROBE_MAX_COORD, &end, err)) {
        return false;
    }
    if (hull > 0 && !map->has_clip_hulls) {
        return Err_Set(err, "%s:%d: column hull: expected 0 on a map without clipnodes, found %d",
                       csv->name, csv->line, (int)hull);
    }
    trace_t trace = CM_HullTrace(&map->models[model].hulls[hull], start, end);
    printf("%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%d\n", Csv_Text(csv, cols[COL_ID]),
           (double)trace.fraction, (double)trace.endpos.x, (double)trace.endpos.y,
           (double)trace.endpos.z, (double)trace.plane.normal.x, (double)trace.plane.normal.y,
           (double)trace.plane.normal.z, trace.startsolid, trace.allsolid, trace.contents);
    return true;
}

static bool answer_all(const cmap_t *map, csv_t *csv, err_t *err) {
    int32_t cols[NUM_COLS];
    if (!Csv_Open(csv, stdin, "stdin", err) ||
        !Csv_Columns(csv, column_names, NUM_COLS, cols, err)) {
        return false;
    }
    puts("id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents");
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

int Probe_Trace(int argc, char **argv) {
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
