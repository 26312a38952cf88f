// Tests of boxes swept through the brushes of real maps, compared with exact geometry in double
// (../shared/data/brush). The same with brushes recovered from the hulls.

#include "base/file.h"
#include "bsp/bsp.h"
#include "bsp/recover.h"
#include "lib/testing.h"

#include <string.h>

#define DATA "../shared/data/"

// The fractions in the rows have nine decimal places; the engine's are floats.
#define FRACTION_TOLERANCE 2e-6
#define NORMAL_TOLERANCE   1e-3f

static const bounds_t boxes[] = {
    {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
    {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}},
    {{-32.0f, -32.0f, -24.0f}, {32.0f, 32.0f, 64.0f}},
    {{-16.0f, -16.0f, -18.0f}, {16.0f, 16.0f, 18.0f}},
    {{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}},
    {{-10.0f, -10.0f, -30.0f}, {10.0f, 10.0f, 40.0f}},
};

typedef struct {
    int id, model, box, contents, ss_exact, ss_grown, ss_shrunk;
    vec3_t start, end, normal;
    double exact, lo, hi;
} row_t;

/// Tells how to run the rows.
typedef struct {
    int32_t solids;
    int first_box;     ///< skips the rows of boxes before this one
    bool quarter_turn; ///< turns the model and the sweep by 90 degrees
    bool recovered;    ///< ignores the file's list, and sweeps that start outside the map
} asking_t;

typedef struct {
    int rows, hits, grown, starts, fraction_faults, start_faults, normal_faults, stuck,
        inexact_starts;
} tally_t;

static bool parse_row(const char *line, row_t *row) {
    return sscanf(line, "%d,%d,%d,%f,%f,%f,%f,%f,%f,%lf,%lf,%lf,%f,%f,%f,%d,%d,%d,%d", &row->id,
                  &row->model, &row->box, &row->start.x, &row->start.y, &row->start.z, &row->end.x,
                  &row->end.y, &row->end.z, &row->exact, &row->lo, &row->hi, &row->normal.x,
                  &row->normal.y, &row->normal.z, &row->contents, &row->ss_exact, &row->ss_grown,
                  &row->ss_shrunk) == 19;
}

/// Returns the vector of the row, turned by 90 degrees about z if asked for. All boxes are as wide
/// as deep.
static vec3_t turn(const asking_t *asking, vec3_t v) {
    return asking->quarter_turn ? Vector(0.0f - v.y, v.x, v.z) : v;
}

static void check_row(const cmap_t *map, const row_t *row, const asking_t *asking, tally_t *tally) {
    assert_true(row->box >= 0);
    assert_true(row->box < (int)COUNTOF(boxes));
    assert_true(row->model < map->num_models);
    bounds_t box = boxes[row->box];
    const contents_t outside = CM_HullPointContents(&map->models[row->model].hulls[0], row->start);
    if (asking->recovered && (outside == CONTENTS_SOLID || row->contents == CONTENTS_CLIP)) {
        return;
    }
    cm_object_t place = {.model = row->model,
                         .solids = asking->solids,
                         .angles = {0.0f, asking->quarter_turn ? 90.0f : 0.0f, 0.0f}};
    trace_t trace = CM_BoxTrace(map, &place, turn(asking, row->start), turn(asking, row->end),
                                box.mins, box.maxs);
    tally->rows++;
    tally->hits += row->exact < 1.0;
    tally->starts += row->ss_exact;
    tally->grown += row->ss_grown;
    tally->inexact_starts += trace.startsolid != row->ss_exact;
    if (row->ss_grown) {
        // Within 1/16 of solid, the row tells only whether the sweep starts inside.
        if (row->ss_shrunk ? !trace.startsolid : !row->ss_exact && trace.startsolid) {
            tally->start_faults++;
        }
        return;
    }
    if (trace.startsolid) {
        tally->start_faults++;
    }
    double fraction = (double)trace.fraction;
    if (fraction < row->lo - FRACTION_TOLERANCE || fraction > row->hi + FRACTION_TOLERANCE) {
        tally->fraction_faults++;
        print_message("%s row %d box %d: fraction %.9g, expected %.9g..%.9g\n", map->name, row->id,
                      row->box, fraction, row->lo, row->hi);
    } else if (row->exact < 1.0 && trace.fraction < 1.0f &&
               !VectorWithin(VectorSubtract(trace.plane.normal, turn(asking, row->normal)),
                             NORMAL_TOLERANCE)) {
        tally->normal_faults++;
        print_message("%s row %d box %d: normal %g %g %g, expected %g %g %g\n", map->name, row->id,
                      row->box, (double)trace.plane.normal.x, (double)trace.plane.normal.y,
                      (double)trace.plane.normal.z, (double)row->normal.x, (double)row->normal.y,
                      (double)row->normal.z);
    }
    trace_t again = CM_BoxTrace(map, &place, trace.endpos, trace.endpos, box.mins, box.maxs);
    tally->stuck += again.startsolid;
}

/// Loads a map, with its list or with recovered brushes. Returns false if it is missing.
static bool load(cmap_t *map, const char *path, bool recovered) {
    err_t err;
    size_t size = 0;
    uint8_t *data = File_Read(path, 1 << 26, &size, &err);
    if (!data) {
        print_message("SKIPPED %s\n", err.text);
        return false;
    }
    if (recovered) {
        uint8_t *name = memmem(data, size, "BRUSHLIST", 9);
        assert_non_null(name);
        name[0] = 'X';
    }
    assert_true(BSP_Parse(map, path, data, size, &err));
    free(data);
    if (recovered) {
        Map_RecoverBrushes(map);
    }
    for (int32_t i = 0; i < map->num_recovered; i++) {
        if (map->brushes[i].contents == CONTENTS_CLIP) {
            map->brushes[i].contents = CONTENTS_WATER; // clip brushes are not exact
        }
    }
    return true;
}

/// Returns false if the data is missing.
static bool check_map(const char *name, const asking_t *asking, tally_t *tally) {
    char text[300];
    char line[400];
    cmap_t map;
    snprintf(text, sizeof text, DATA "bsp/%s.bsp", name);
    if (!load(&map, text, asking->recovered)) {
        return false;
    }
    snprintf(text, sizeof text, "zcat " DATA "brush/%s.csv.gz", name);
    FILE *in = popen(text, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    while (fgets(line, sizeof line, in)) {
        row_t row;
        assert_true(parse_row(line, &row));
        if (row.box >= asking->first_box) {
            check_row(&map, &row, asking, tally);
        }
    }
    assert_int_equal(pclose(in), 0);
    CM_FreeMap(&map);
    return true;
}

static void check_maps(const asking_t *asking) {
    static const char *const names[] = {"lqdm2", "lqdm12", "lq_e0m1", "lqdm11_q2"};
    const size_t count = asking->recovered ? 3 : COUNTOF(names); // Quake II's have no hulls
    for (size_t i = 0; i < count; i++) {
        tally_t tally = {0};
        if (!check_map(names[i], asking, &tally)) {
            return;
        }
        print_message("%s: %d rows, %d hits, %d start in solid, %d within 1/16 of it; faults: %d "
                      "fractions, %d starts, %d normals, %d stuck after the stop; %d starts "
                      "against the exact answer\n",
                      names[i], tally.rows, tally.hits, tally.starts, tally.grown,
                      tally.fraction_faults, tally.start_faults, tally.normal_faults, tally.stuck,
                      tally.inexact_starts);
        assert_true(tally.rows > (asking->recovered ? 3000 : 4500));
        assert_true(tally.hits > 1500);
        assert_true(tally.starts > (asking->recovered ? 10 : 20));
        assert_int_equal(tally.fraction_faults, 0);
        assert_int_equal(tally.start_faults, 0);
        assert_int_equal(tally.normal_faults, 0);
        assert_int_equal(tally.stuck, 0);
        assert_int_equal(tally.inexact_starts, 0);
    }
}

static void test_brushes(void **state) {
    (void)state;
    check_maps(&(asking_t){.solids = CM_SOLIDS_BRUSHES});
}

// Tests boxes that fit no hull. Outside of the map hulls are solid, which the rows are not.
static void test_auto(void **state) {
    (void)state;
    check_maps(&(asking_t){.solids = CM_SOLIDS_AUTO, .first_box = 3});
}

static void test_quarter_turn(void **state) {
    (void)state;
    check_maps(&(asking_t){.solids = CM_SOLIDS_BRUSHES, .quarter_turn = true});
}

// Without points, which pass sky: behind sky is the solid outside of hull 0.
static void test_recovered(void **state) {
    (void)state;
    check_maps(&(asking_t){.solids = CM_SOLIDS_BRUSHES, .first_box = 1, .recovered = true});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brushes),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_quarter_turn),
        cmocka_unit_test(test_recovered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
