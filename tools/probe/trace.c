/// probe/trace.c - edict-probe trace: sweeps the rows of a table through a model.

#include "probe/probe.h"
#include "probe/table.h"

#define MAX_ANGLE 36000.0f // degrees

enum { COL_ID, COL_MODEL, COL_SX, COL_SY, COL_SZ, COL_EX, COL_EY, COL_EZ, NUM_COLS };

static const char *const column_names[NUM_COLS] = {"id", "model", "sx", "sy",
                                                   "sz", "ex",    "ey", "ez"};

/// Three columns of a table, which may be missing.
typedef struct {
    const char *names[3];
    int32_t columns[3]; ///< column numbers; columns[0] < 0 if the columns are missing
} triple_t;

/// The shape to sweep: a hull, a box by number, or a box by corners.
typedef enum { SHAPE_HULL, SHAPE_NUMBER, SHAPE_CORNERS } shape_t;

typedef struct {
    int32_t solids; ///< cm_solids_t
    bool is_solids_given;
    shape_t shape;
    int32_t shape_column; ///< number of column hull or box
    int32_t columns[NUM_COLS];
    triple_t mins, maxs, origin, angles;
} trace_table_t;

/// The boxes that column `box` selects.
static const bounds_t boxes[] = {
    {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
    {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}},
    {{-32.0f, -32.0f, -24.0f}, {32.0f, 32.0f, 64.0f}},
    {{-16.0f, -16.0f, -18.0f}, {16.0f, 16.0f, 18.0f}},
    {{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}},
    {{-10.0f, -10.0f, -30.0f}, {10.0f, 10.0f, 40.0f}},
};

// ---- columns ----

/// Finds three columns. Fails if only one or two exist.
static bool find_triple(const csv_t *csv, triple_t *triple, err_t *err) {
    for (int i = 0; i < 3; i++) {
        if (Csv_Column(csv, triple->names[i]) >= 0) {
            return Csv_Columns(csv, triple->names, 3, triple->columns, err);
        }
    }
    triple->columns[0] = -1;
    return true;
}

static bool find_shape(trace_table_t *table, const csv_t *csv, err_t *err) {
    int32_t box = Csv_Column(csv, "box");
    int32_t hull = Csv_Column(csv, "hull");
    bool has_corners = table->mins.columns[0] >= 0;
    if (has_corners != (table->maxs.columns[0] >= 0)) {
        return Err_Set(err, "%s:1: expected both minx..minz and maxx..maxz, found only %s",
                       csv->name, has_corners ? "minx..minz" : "maxx..maxz");
    }
    table->shape = has_corners ? SHAPE_CORNERS : box >= 0 ? SHAPE_NUMBER : SHAPE_HULL;
    table->shape_column = box >= 0 ? box : hull;
    if (table->shape == SHAPE_HULL && hull < 0) {
        return Err_Set(err, "%s:1: expected a column hull or box, or minx..maxz, found none",
                       csv->name);
    }
    bool is_placed = table->origin.columns[0] >= 0 || table->angles.columns[0] >= 0;
    if (table->shape == SHAPE_HULL && is_placed && !table->is_solids_given) {
        return Err_Set(err,
                       "%s:1: the columns hull and ox..roll cannot be combined without --solids "
                       "auto|hulls|brushes",
                       csv->name);
    }
    return true;
}

static bool open_table(void *context, const csv_t *csv, err_t *err) {
    trace_table_t *table = context;
    return Csv_Columns(csv, column_names, NUM_COLS, table->columns, err) &&
           find_triple(csv, &table->mins, err) && find_triple(csv, &table->maxs, err) &&
           find_triple(csv, &table->origin, err) && find_triple(csv, &table->angles, err) &&
           find_shape(table, csv, err);
}

// ---- rows ----

static bool read_triple(const csv_t *csv, const triple_t *triple, float limit, vec3_t *out,
                        err_t *err) {
    return triple->columns[0] < 0 || Csv_Vector(csv, triple->columns, limit, out, err);
}

/// Computes the box of a row from corners or number.
static bool read_box(const trace_table_t *table, const cmap_t *map, const csv_t *csv, bounds_t *box,
                     err_t *err) {
    int64_t number = 0;
    if (table->shape == SHAPE_CORNERS) {
        if (!read_triple(csv, &table->mins, PROBE_MAX_COORD, &box->mins, err) ||
            !read_triple(csv, &table->maxs, PROBE_MAX_COORD, &box->maxs, err)) {
            return false;
        }
        return (box->mins.x <= box->maxs.x && box->mins.y <= box->maxs.y &&
                box->mins.z <= box->maxs.z) ||
               Err_Set(err, "%s:%d: expected minx..minz below maxx..maxz, found a higher min",
                       csv->name, csv->line);
    }
    bool is_hull = table->shape == SHAPE_HULL;
    int64_t most = is_hull ? CM_NumHulls(CM_Info(map).hullset) - 1 : (int64_t)COUNTOF(boxes) - 1;
    if (!Csv_Int(csv, table->shape_column, 0, most, &number, err)) {
        return false;
    }
    *box = is_hull ? CM_HullSize(CM_Info(map).hullset, (int32_t)number) : boxes[number];
    return true;
}

static void print_answer(const trace_table_t *table, const csv_t *csv, const trace_t *trace) {
    printf("%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%d\n",
           Csv_Text(csv, table->columns[COL_ID]), (double)trace->fraction, (double)trace->endpos.x,
           (double)trace->endpos.y, (double)trace->endpos.z, (double)trace->plane.normal.x,
           (double)trace->plane.normal.y, (double)trace->plane.normal.z, trace->startsolid,
           trace->allsolid, trace->contents);
}

static bool sweep_box(const trace_table_t *table, const cmap_t *map, const csv_t *csv,
                      trace_t *trace, err_t *err) {
    int64_t model = 0;
    bounds_t box = {0};
    cm_object_t place = {.solids = table->solids};
    vec3_t start = {0};
    vec3_t end = {0};
    if (!Csv_Int(csv, table->columns[COL_MODEL], 0, CM_NumModels(map) - 1, &model, err) ||
        !Csv_Vector(csv, &table->columns[COL_SX], PROBE_MAX_COORD, &start, err) ||
        !Csv_Vector(csv, &table->columns[COL_EX], PROBE_MAX_COORD, &end, err) ||
        !read_box(table, map, csv, &box, err) ||
        !read_triple(csv, &table->origin, PROBE_MAX_COORD, &place.origin, err) ||
        !read_triple(csv, &table->angles, MAX_ANGLE, &place.angles, err)) {
        return false;
    }
    place.model = (int32_t)model;
    bool is_bsp = !CM_IsMesh(map, (int32_t)model);
    if (is_bsp && !CM_Info(map).stops_boxes && !VectorCompare(box.mins, box.maxs)) {
        return Err_Set(err, "%s:%d: expected a point, found a box; the map has no hulls or brushes",
                       csv->name, csv->line);
    }
    *trace = CM_BoxTrace(map, &place, start, end, box.mins, box.maxs);
    return true;
}

static bool sweep_hull(const trace_table_t *table, const cmap_t *map, const csv_t *csv,
                       trace_t *trace, err_t *err) {
    const hull_t *hull = NULL;
    vec3_t start = {0};
    vec3_t end = {0};
    if (!Probe_ReadHull(map, csv, table->columns[COL_MODEL], table->shape_column, &hull, err) ||
        !Csv_Vector(csv, &table->columns[COL_SX], PROBE_MAX_COORD, &start, err) ||
        !Csv_Vector(csv, &table->columns[COL_EX], PROBE_MAX_COORD, &end, err)) {
        return false;
    }
    *trace = CM_HullTrace(hull, start, end);
    return true;
}

static bool answer_row(void *context, const cmap_t *map, const csv_t *csv, err_t *err) {
    const trace_table_t *table = context;
    trace_t trace = {0};
    bool is_hull = table->shape == SHAPE_HULL && !table->is_solids_given;
    if (!(is_hull ? sweep_hull(table, map, csv, &trace, err)
                  : sweep_box(table, map, csv, &trace, err))) {
        return false;
    }
    print_answer(table, csv, &trace);
    return true;
}

// ---- the command ----

int Probe_Trace(int argc, char **argv) {
    static const probe_table_t kind = {
        "id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents", open_table, answer_row};
    trace_table_t table = {.mins = {.names = {"minx", "miny", "minz"}},
                           .maxs = {.names = {"maxx", "maxy", "maxz"}},
                           .origin = {.names = {"ox", "oy", "oz"}},
                           .angles = {.names = {"pitch", "yaw", "roll"}}};
    const char *map = NULL, *solids = "auto";
    const probe_option_t options[] = {{"MAP", &map, NULL, 0, NULL},
                                      {"--solids", &solids, NULL, 0, &table.is_solids_given}};
    bool good = Probe_ReadOptions(options, COUNTOF(options), argc, argv) &&
                Probe_ReadSolids(solids, &table.solids);
    return good ? Probe_AnswerTable(map, &kind, &table) : PROBE_USAGE;
}
