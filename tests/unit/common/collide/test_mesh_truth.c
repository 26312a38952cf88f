// Tests of boxes and points swept against triangles of real meshes, compared with exact geometry in
// double (../shared/data/mesh).

#include "lib/mesh_fixture.h"
#include "lib/testing.h"
#include "state/contents.h"

#define DATA "../shared/data/mesh/"

// The fractions in the rows have nine decimal places; the engine's are floats.
#define FRACTION_TOLERANCE 2e-6
#define NORMAL_TOLERANCE   1e-3f

typedef struct {
    int id, triangle, ss_exact, ss_grown;
    vec3_t half, start, end, normal;
    double exact, lo, hi;
} row_t;

typedef struct {
    int rows, points, hits, starts, grown, fraction_faults, start_faults, normals, normal_faults;
} tally_t;

static bool parse_row(const char *line, row_t *row) {
    return sscanf(line, "%d,%f,%f,%f,%f,%f,%f,%f,%f,%f,%lf,%lf,%lf,%d,%f,%f,%f,%d,%d", &row->id,
                  &row->half.x, &row->half.y, &row->half.z, &row->start.x, &row->start.y,
                  &row->start.z, &row->end.x, &row->end.y, &row->end.z, &row->exact, &row->lo,
                  &row->hi, &row->triangle, &row->normal.x, &row->normal.y, &row->normal.z,
                  &row->ss_exact, &row->ss_grown) == 19;
}

/// Poses in which the rows are run: unturned, or turned by 90 degrees around z and moved.
static const cm_pose_t unturned = {.origin = {0.0f, 0.0f, 0.0f}};
static const cm_pose_t quarter = {
    .axes = {{0.0f, 1.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}}, .turned = true};

static vec3_t turn(const cm_pose_t *pose, vec3_t v) {
    return pose->turned ? Vector(0.0f - v.y, v.x, v.z) : v;
}

static void check_row(const mesh_t *mesh, const cm_pose_t *pose, const row_t *row, tally_t *tally) {
    vec3_t half = pose->turned ? Vector(row->half.y, row->half.x, row->half.z) : row->half;
    mesh_hit_t hit = CM_MeshSweep(mesh, pose, turn(pose, row->start), turn(pose, row->end),
                                  VectorNegate(half), half);
    tally->rows++;
    tally->points += VectorCompare(half, Vector(0.0f, 0.0f, 0.0f));
    tally->hits += row->exact < 1.0;
    tally->starts += row->ss_exact;
    tally->grown += row->ss_grown;
    if (hit.startsolid != row->ss_exact) {
        tally->start_faults++;
        print_message("row %d: startsolid %d, expected %d (grown %d)\n", row->id, hit.startsolid,
                      row->ss_exact, row->ss_grown);
    }
    double fraction = (double)hit.fraction;
    if (fraction < row->lo - FRACTION_TOLERANCE || fraction > row->hi + FRACTION_TOLERANCE) {
        tally->fraction_faults++;
        print_message("row %d: fraction %.9g, expected %.9g..%.9g\n", row->id, fraction, row->lo,
                      row->hi);
    } else if (row->exact < 1.0 && hit.fraction < 1.0f && !hit.startsolid && !row->ss_grown) {
        tally->normals++;
        tally->normal_faults +=
            !VectorWithin(VectorSubtract(hit.normal, turn(pose, row->normal)), NORMAL_TOLERANCE);
    }
}

/// Returns false if the data is missing.
static bool check_mesh(const char *name, const cm_pose_t *pose, tally_t *tally) {
    char text[300];
    char line[500];
    test_mesh_t source = {0};
    snprintf(text, sizeof text, DATA "%s.obj", name);
    if (!TestMesh_ReadObj(&source, text)) {
        print_message("SKIPPED: no %s\n", text);
        return false;
    }
    built_mesh_t built = TestMesh_Build(&source, 0, CONTENTS_SOLID);
    snprintf(text, sizeof text, "zcat " DATA "%s.sweeps.csv.gz", name);
    FILE *in = popen(text, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    while (fgets(line, sizeof line, in)) {
        row_t row;
        assert_true(parse_row(line, &row));
        check_row(&built.mesh, pose, &row, tally);
    }
    assert_int_equal(pclose(in), 0);
    Mesh_Free(&built);
    TestMesh_Free(&source);
    return true;
}

static void check_meshes(const cm_pose_t *pose) {
    static const char *const names[] = {"conveyor", "stairs", "test_map01"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        tally_t t = {0};
        if (!check_mesh(names[i], pose, &t)) {
            return;
        }
        print_message("%s: %d rows, %d points, %d hits, %d start in it, %d nearly; faults: %d "
                      "fractions, %d starts, %d of %d normals\n",
                      names[i], t.rows, t.points, t.hits, t.starts, t.grown, t.fraction_faults,
                      t.start_faults, t.normal_faults, t.normals);
        assert_true(t.rows == 5000);
        assert_true(t.points > 500);
        assert_true(t.hits > 1000);
        assert_true(t.starts > 100);
        assert_int_equal(t.fraction_faults, 0);
        assert_int_equal(t.start_faults, 0);
        // If two triangles are met at once, the row may have the other one's normal.
        assert_true(t.normal_faults * 50 < t.normals);
    }
}

static void test_sweeps(void **state) {
    (void)state;
    check_meshes(&unturned);
}

static void test_quarter_turn(void **state) {
    (void)state;
    check_meshes(&quarter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_quarter_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
