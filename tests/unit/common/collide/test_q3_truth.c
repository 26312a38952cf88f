// Boxes swept through Quake III maps, brushes and curved patches, against the results of another
// engine (../shared/data/q3). That engine stops 1/8 before a plane, this one 1/32: 3/32 of the 1/10
// that both may differ along the normal.
//
// If the two differ by more, exact geometry (lib/swept_fixture.h: corners, in double) decides. Our
// result must be right: the path is free, and the obstacle is 1/32 away. The other engine's result
// then has one of these faults:
//   it leads through something solid, or
//   it stops where nothing is near: at planes that a file has far outside their brush, and at
//   corners of patches that lack a bevel, or
//   it comes from its 1/8: a solid is that near, which the box would pass or meet elsewhere.

#include "lib/pk3_fixture.h"
#include "lib/swept_fixture.h"
#include "lib/testing.h"

#include <math.h>

#define DATA "../shared/data/q3/"

#define MOST_APART       0.1f // qu, distance of both results along the normal
#define NORMAL_TOLERANCE 1e-3f
#define LEAST_SHARE      0.999

// Tolerances of the exact geometry.
#define ROUNDING    0.003 // qu, error of floats at these coordinates
#define THEIR_SKIN  0.125 // qu, distance at which the other engine stops
#define FAR_FROM_IT 0.02  // qu, distance beyond the two above that is no rounding any more

static const bounds_t boxes[] = {
    // In the other engine, points are stopped by everything that stops players; here, only by
    // solid. So this is a box of almost no size instead of a point.
    {{-0.001f, -0.001f, -0.001f}, {0.001f, 0.001f, 0.001f}},
    {{-15.0f, -15.0f, -24.0f}, {15.0f, 15.0f, 32.0f}},
    {{-32.0f, -32.0f, -24.0f}, {32.0f, 32.0f, 64.0f}},
    {{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}},
    {{-15.0f, -15.0f, -24.0f}, {15.0f, 15.0f, 16.0f}},
};

typedef struct {
    int id, model, box, startsolid, allsolid, contents, pc_start;
    vec3_t start, end, endpos, normal;
    float fraction;
} row_t;

typedef struct {
    int rows, hits, starts, hit_faults, end_faults, normal_faults, start_faults, stuck;
    int ours_wrong;           // rows in which this engine is wrong
    int through, early, near; // rows in which the other engine is wrong, by fault
    // Rows in which only this engine stopped the point, as its box is 1/32 wider.
    int wide_points;
} tally_t;

static bool parse_row(const char *line, row_t *r) {
    return sscanf(line, "%d,%d,%d,%*[^,],%f,%f,%f,%f,%f,%f,%f,%f,%f,%f,%f,%f,%f,%d,%d,%d,%d",
                  &r->id, &r->model, &r->box, &r->start.x, &r->start.y, &r->start.z, &r->end.x,
                  &r->end.y, &r->end.z, &r->fraction, &r->endpos.x, &r->endpos.y, &r->endpos.z,
                  &r->normal.x, &r->normal.y, &r->normal.z, &r->startsolid, &r->allsolid,
                  &r->contents, &r->pc_start) == 20;
}

static void print_fault(const char *what, const row_t *row, const trace_t *t) {
    print_message("  %s: row %d model %d box %d: ss %d fraction %g at %g %g %g normal %g %g %g; "
                  "expected ss %d %g at %g %g %g normal %g %g %g\n",
                  what, row->id, row->model, row->box, t->startsolid, (double)t->fraction,
                  (double)t->endpos.x, (double)t->endpos.y, (double)t->endpos.z,
                  (double)t->plane.normal.x, (double)t->plane.normal.y, (double)t->plane.normal.z,
                  row->startsolid, (double)row->fraction, (double)row->endpos.x,
                  (double)row->endpos.y, (double)row->endpos.z, (double)row->normal.x,
                  (double)row->normal.y, (double)row->normal.z);
}

/// Decides by exact geometry which result is right if both differ in a row.
static void judge(const cmap_t *map, const row_t *row, const trace_t *t, tally_t *tally) {
    const brush_list_t *list = &map->models[row->model].brushes;
    bounds_t box = boxes[row->box];
    double least = (double)BRUSH_MIN_WIDTH;
    test_swept_t ours = TestSwept_Of(box, row->start, t->endpos, least);
    bool free = TestSwept_Enter(list, &ours, -ROUNDING) > 1.0;
    bool met =
        t->fraction == 1.0f || TestSwept_Gap(list, &ours) < (double)CM_DIST_EPSILON + ROUNDING;
    test_swept_t theirs = TestSwept_Of(box, row->start, row->endpos, 0.0);
    bool through = TestSwept_Enter(list, &theirs, -ROUNDING) <= 1.0;
    bool early =
        !through && row->fraction < 1.0f && TestSwept_Gap(list, &theirs) > THEIR_SKIN + FAR_FROM_IT;
    bool wide = !through && row->fraction == 1.0f;
    tally->ours_wrong += !free || !met;
    tally->through += through;
    tally->early += early;
    tally->wide_points += wide;
    tally->near += !through && !early && !wide;
    print_message("    ours %s; theirs %s\n", free && met ? "exact" : "WRONG",
                  through ? "leads through something"
                  : early ? "stops where nothing is near"
                  : wide  ? "is free"
                          : "stops at its 1/8");
}

static void check_row(const cmap_t *map, const row_t *row, tally_t *tally) {
    assert_true(row->box >= 0);
    assert_true(row->box < (int)COUNTOF(boxes));
    assert_true(row->model < map->num_models);
    bounds_t box = boxes[row->box];
    cm_object_t place = {.model = row->model};
    trace_t trace = CM_BoxTrace(map, &place, row->start, row->end, box.mins, box.maxs);
    tally->rows++;
    tally->starts += row->startsolid;
    tally->hits += row->fraction < 1.0f;
    if (row->startsolid || trace.startsolid) {
        bool fault = row->startsolid != trace.startsolid;
        tally->start_faults += fault;
        if (fault && tally->start_faults < 20) {
            print_fault("start", row, &trace);
        }
        return;
    }
    trace_t again = CM_BoxTrace(map, &place, trace.endpos, trace.endpos, box.mins, box.maxs);
    tally->stuck += again.startsolid;
    // If only one engine is stopped just before the end, compare the ends of both.
    vec3_t normal = row->fraction < 1.0f ? row->normal : trace.plane.normal;
    float apart = DotProduct(VectorSubtract(trace.endpos, row->endpos), normal);
    const char *fault = NULL;
    if (!(fabsf(apart) <= MOST_APART)) {
        bool one_only = (row->fraction < 1.0f) != (trace.fraction < 1.0f);
        fault = one_only ? "hit" : "end";
        tally->hit_faults += one_only;
        tally->end_faults += !one_only;
    } else if (row->fraction < 1.0f && trace.fraction < 1.0f &&
               !VectorWithin(VectorSubtract(trace.plane.normal, row->normal), NORMAL_TOLERANCE)) {
        fault = "normal";
        tally->normal_faults++;
    }
    if (fault) {
        print_fault(fault, row, &trace);
        judge(map, row, &trace, tally);
    }
}

static void check_map(pk3_map_t number, const char *name) {
    char text[300];
    char line[500];
    cmap_t map;
    snprintf(text, sizeof text, DATA "%s.csv.gz", name);
    FILE *there = fopen(text, "rb");
    if (!there) {
        print_message("SKIPPED: no %s\n", text);
        return;
    }
    fclose(there);
    if (!TestPk3_Load(number, &map)) {
        return;
    }
    snprintf(text, sizeof text, "zcat " DATA "%s.csv.gz", name);
    FILE *in = popen(text, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    tally_t tally = {0};
    while (fgets(line, sizeof line, in)) {
        row_t row;
        assert_true(parse_row(line, &row));
        check_row(&map, &row, &tally);
    }
    assert_int_equal(pclose(in), 0);
    CM_FreeMap(&map);
    print_message("%s: %d rows, %d hits, %d start in solid; faults: %d hit or not, %d ends, "
                  "%d normals, %d starts, %d stuck after the stop\n",
                  name, tally.rows, tally.hits, tally.starts, tally.hit_faults, tally.end_faults,
                  tally.normal_faults, tally.start_faults, tally.stuck);
    assert_true(tally.rows == 20000);
    assert_true(tally.hits > 5000);
    print_message("    by exact geometry ours is wrong in %d of them; the other's leads through "
                  "something in %d, stops where nothing is near in %d, comes of its 1/8 in %d, and "
                  "of our points' width in %d\n",
                  tally.ours_wrong, tally.through, tally.early, tally.near, tally.wide_points);
    double most = (1.0 - LEAST_SHARE) * tally.rows;
    assert_int_equal(tally.ours_wrong, 0);
    assert_true(tally.hit_faults + tally.end_faults - tally.through - tally.early <= most);
    assert_int_equal(tally.start_faults, 0);
    assert_true(tally.normal_faults <= most);
    assert_int_equal(tally.stuck, 0);
}

static void test_without_patches(void **state) {
    (void)state;
    check_map(PK3_AGGRESSOR, "aggressor");
}

static void test_with_patches(void **state) {
    (void)state;
    check_map(PK3_WRACKDM17, "wrackdm17");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_patches),
        cmocka_unit_test(test_with_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
