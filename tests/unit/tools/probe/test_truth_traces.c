// Tests of sweeps and contents against the results of another engine on real maps
// (../shared/data/traces).

#include "bsp/bsp.h"
#include "lib/testing.h"
#include "probe/csv.h"

#include <string.h>

#define DATA "../shared/data/"

// Of 10,000 sweeps that start in the open, at least so many must agree.
enum { AGREE_OF_10000 = 9995 };
#define END_TOLERANCE    0.01f // qu, each coordinate
#define NORMAL_TOLERANCE 1e-3f

static const char *const map_names[] = {"lqdm2", "lqdm4_hl", "lqdm9_bsp2", "lqdm12", "lq_e0m1"};

/// Stores an engine's answer, from one row.
typedef struct {
    vec3_t end, normal;
    int64_t startsolid, allsolid;
} answer_t;

typedef struct {
    int64_t open, open_exceptions, solid, solid_exceptions, either;
} tally_t;

static FILE *open_zipped(const char *path) {
    char command[400];
    FILE *probe = fopen(path, "rb");
    if (!probe) {
        return NULL;
    }
    fclose(probe);
    snprintf(command, sizeof command, "zcat '%s'", path);
    return popen(command, "r");
}

static void must(bool good, const err_t *err) {
    if (!good) {
        print_error("%s\n", err->text);
        fail();
    }
}

static int64_t read_int(const csv_t *csv, const char *name) {
    err_t err;
    int64_t value = 0;
    must(Csv_Int(csv, Csv_Column(csv, name), -1000000, 1000000, &value, &err), &err);
    return value;
}

/// Reads three columns named PREFIX + x, y, z.
static vec3_t read_vector(const csv_t *csv, const char *prefix) {
    err_t err;
    int32_t columns[3];
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%c", prefix, "xyz"[i]);
        columns[i] = Csv_Column(csv, name);
        assert_true(columns[i] >= 0);
    }
    vec3_t v = {0};
    must(Csv_Vector(csv, columns, 1e9f, &v, &err), &err);
    return v;
}

static answer_t read_answer(const csv_t *csv, bool other) {
    return (answer_t){read_vector(csv, other ? "id_end" : "end"),
                      read_vector(csv, other ? "id_n" : "n"),
                      read_int(csv, other ? "id_startsolid" : "startsolid"),
                      read_int(csv, other ? "id_allsolid" : "allsolid")};
}

static bool near(vec3_t a, vec3_t b, float tolerance) {
    return VectorWithin(VectorSubtract(a, b), tolerance);
}

static bool agrees(const trace_t *trace, const answer_t *answer) {
    return near(trace->endpos, answer->end, END_TOLERANCE) &&
           near(trace->plane.normal, answer->normal, NORMAL_TOLERANCE) &&
           trace->startsolid == (answer->startsolid != 0) &&
           trace->allsolid == (answer->allsolid != 0);
}

static void check_row(const cmap_t *map, const csv_t *csv, tally_t *tally) {
    int64_t model = read_int(csv, "model");
    int64_t hull = read_int(csv, "hull");
    assert_true(model < map->num_models);
    assert_true(hull < CM_NumHulls(map->hullset));
    trace_t trace =
        CM_HullTrace(&map->models[model].hulls[hull], read_vector(csv, "s"), read_vector(csv, "e"));
    answer_t answer = read_answer(csv, false);
    if (answer.startsolid) {
        tally->solid++;
        tally->solid_exceptions += !trace.startsolid;
        return;
    }
    tally->open++;
    if (agrees(&trace, &answer)) {
        // If both engines agree, the contents at the end must be equal too.
        if (trace.contents != (contents_t)read_int(csv, "c_endpos")) {
            print_message("sweep %s: contents %d\n", Csv_Text(csv, 0), trace.contents);
            tally->open_exceptions++;
        }
        return;
    }
    if (Csv_Text(csv, Csv_Column(csv, "id_fraction"))[0] != '\0') {
        answer = read_answer(csv, true);
        if (agrees(&trace, &answer)) {
            tally->either++;
            return;
        }
    }
    tally->open_exceptions++;
    print_message("%s: sweep %s: end %.9g %.9g %.9g normal %g %g %g\n", map->name, Csv_Text(csv, 0),
                  (double)trace.endpos.x, (double)trace.endpos.y, (double)trace.endpos.z,
                  (double)trace.plane.normal.x, (double)trace.plane.normal.y,
                  (double)trace.plane.normal.z);
}

/// Opens a map and its table. Returns false if the data is missing.
static bool open_data(const char *name, const char *kind, cmap_t *map, FILE **table, csv_t *csv) {
    static char path[300]; // static because csv keeps the pointer
    err_t err;
    snprintf(path, sizeof path, DATA "traces/%s.%s.csv.gz", name, kind);
    *table = open_zipped(path);
    if (!*table) {
        print_message("SKIPPED %s: no such file\n", path);
        return false;
    }
    char map_path[300];
    snprintf(map_path, sizeof map_path, DATA "bsp/%s.bsp", name);
    must(BSP_Load(map, map_path, &err), &err);
    must(Csv_Open(csv, *table, path, &err), &err);
    return true;
}

static void test_traces(void **state) {
    (void)state;
    tally_t tally = {0};
    err_t err;
    csv_t csv;
    for (size_t i = 0; i < COUNTOF(map_names); i++) {
        cmap_t map;
        FILE *table = NULL;
        if (!open_data(map_names[i], "traces", &map, &table, &csv)) {
            return;
        }
        csv_read_t got = CSV_ROW;
        while ((got = Csv_Next(&csv, &err)) == CSV_ROW) {
            check_row(&map, &csv, &tally);
        }
        must(got == CSV_END, &err);
        assert_int_equal(pclose(table), 0);
        CM_FreeMap(&map);
    }
    print_message("%lld sweeps from the open: %lld exceptions, %lld more as the second engine; "
                  "%lld from solid: %lld exceptions\n",
                  (long long)tally.open, (long long)tally.open_exceptions, (long long)tally.either,
                  (long long)tally.solid, (long long)tally.solid_exceptions);
    assert_true(tally.open > 90000);
    assert_true(tally.solid > 6000);
    assert_true((tally.open - tally.open_exceptions) * 10000 >= tally.open * AGREE_OF_10000);
    assert_int_equal(tally.solid_exceptions, 0);
}

/// Compares the number of clusters that may be visible from a point; -1 = the point is in solid.
static void check_row_size(const cmap_t *map, vec3_t point, int64_t expected) {
    uint8_t row[CM_MAX_PVS_BYTES] = {0};
    int32_t cluster = CM_PointCluster(map, point);
    int64_t count = cluster == CM_NO_CLUSTER ? -1 : 0;
    if (cluster != CM_NO_CLUSTER) {
        CM_AddPVS(map, cluster, row);
    }
    for (int32_t i = 0; cluster != CM_NO_CLUSTER && i < CM_NumClusters(map); i++) {
        count += CM_InPVS(row, i);
    }
    assert_int_equal(count, expected);
}

static void test_contents(void **state) {
    (void)state;
    err_t err;
    csv_t csv;
    int64_t points = 0;
    int64_t leafs = 0;
    for (size_t i = 0; i < COUNTOF(map_names); i++) {
        cmap_t map;
        FILE *table = NULL;
        if (!open_data(map_names[i], "contents", &map, &table, &csv)) {
            return;
        }
        while (Csv_Next(&csv, &err) == CSV_ROW) {
            int64_t model = read_int(&csv, "model");
            int64_t hull = read_int(&csv, "hull");
            vec3_t point = read_vector(&csv, "");
            assert_int_equal(CM_HullPointContents(&map.models[model].hulls[hull], point),
                             read_int(&csv, "contents"));
            points++;
            if (model == 0 && hull == 0) {
                assert_int_equal(CM_PointLeaf(&map, point), read_int(&csv, "leaf"));
                check_row_size(&map, point, read_int(&csv, "pvs_leafs"));
                leafs++;
            }
        }
        assert_int_equal(pclose(table), 0);
        CM_FreeMap(&map);
    }
    print_message("%lld points, %lld of them with their leaf: no exceptions\n", (long long)points,
                  (long long)leafs);
    assert_int_equal(points, 30000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
