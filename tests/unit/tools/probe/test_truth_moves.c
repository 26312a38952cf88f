// Tests of player moves against those of another engine, on maps of other authors.
//
// Each window of ten commands is tested alone, in each file and start class; then whole runs. Needs
// ../shared/data (format in its README); prints a message and skips if it is missing.

#include "bsp/bsp.h"
#include "lib/testing.h"
#include "probe/move.h"

#include <string.h>
#include <unistd.h>

#define DATA "../shared/data"

// Limits for a good window, and the share of windows that must be good.
#define WINDOW_QU      0.02
#define WINDOW_QU_S    0.1
#define WINDOW_SHARE   0.99
#define FINE_QU        0.001 // for the report only
#define RUN_MEDIAN_QU  0.1
#define RUN_EXPLAIN_QU 1.0

typedef struct {
    const char *name, *map;
} move_set_t;

static const move_set_t sets[] = {
    {"lqdm2", DATA "/bsp/lqdm2.bsp"},
    {"lqdm12", DATA "/bsp/lqdm12.bsp"},
    {"lq_e0m1", DATA "/bsp/lq_e0m1.bsp"},
    {"calib", DATA "/calib/calib.bsp"},
};
#define CALIB 3

enum { ROW_CLASS = 64, MAX_ROWS = 20000, MAX_CLASSES = 1000 };

/// Stores a row of the other engine's states, with this project's results for its window and its
/// run.
typedef struct {
    char traj[MAX_MOVE_NAME_BYTES];
    char start_class[ROW_CLASS]; // "mode:spot_class"
    char text[256];              // the state columns, to start the next window from
    int64_t cmd;
    vec3_t origin, velocity, start;
    int64_t onground, waterlevel;
    bool bmodels;
    player_state_t window, run;
} truth_row_t;

typedef struct {
    const move_set_t *set;
    cmap_t map;
    moves_t *moves;
    truth_row_t *rows; // MAX_ROWS
    size_t num_rows;
    size_t at; // next row to fill
    bool windows;
} truth_t;

static FILE *open_gz(const char *set, const char *kind) {
    char command[256];
    snprintf(command, sizeof command, "gzip -dc %s/moves/%s.%s.csv.gz", DATA, set, kind);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    return in;
}

static const char *const state_names[] = {
    "traj",       "cmd",       "x",         "y",         "z",
    "vx",         "vy",        "vz",        "onground",  "groundmodel",
    "waterlevel", "watertype", "jump_held", "jump_msec", "waterjumptime"};
enum { TRAJ, CMD, X, Y, Z, VX, VY, VZ, ONGROUND, GROUNDMODEL, WATERLEVEL, LAST_STATE = 14 };

static const move_start_t *start_of(const truth_t *truth, const char *traj) {
    for (int32_t i = 0; i < truth->moves->num_starts; i++) {
        if (strcmp(truth->moves->starts[i].traj, traj) == 0) {
            return &truth->moves->starts[i];
        }
    }
    fail_msg("%s: no start %s", truth->set->name, traj);
    return NULL;
}

static void read_row(truth_t *truth, const csv_t *csv, const int32_t *cols) {
    err_t err;
    assert_true(truth->num_rows < MAX_ROWS);
    truth_row_t *row = &truth->rows[truth->num_rows++];
    *row = (truth_row_t){0};
    snprintf(row->traj, sizeof row->traj, "%s", Csv_Text(csv, cols[TRAJ]));
    const move_start_t *start = start_of(truth, row->traj);
    row->bmodels = start->bmodels;
    row->start = start->player.origin;
    snprintf(row->start_class, sizeof row->start_class, "%s:%s",
             start->bmodels ? "bmodels" : "world", start->spot_class);
    for (int32_t i = X; i <= LAST_STATE; i++) {
        size_t length = strlen(row->text);
        snprintf(row->text + length, sizeof row->text - length, ",%s", Csv_Text(csv, cols[i]));
    }
    assert_true(Csv_Int(csv, cols[CMD], 0, 1000000, &row->cmd, &err));
    assert_true(Csv_Vector(csv, &cols[X], 65536.0f, &row->origin, &err));
    assert_true(Csv_Vector(csv, &cols[VX], 65536.0f, &row->velocity, &err));
    assert_true(Csv_Int(csv, cols[ONGROUND], 0, 1, &row->onground, &err));
    assert_true(Csv_Int(csv, cols[WATERLEVEL], 0, 3, &row->waterlevel, &err));
}

static void read_states(truth_t *truth) {
    err_t err;
    csv_t csv;
    int32_t cols[LAST_STATE + 1];
    FILE *in = open_gz(truth->set->name, "states");
    assert_true(Csv_Open(&csv, in, "states", &err));
    assert_true(Csv_Columns(&csv, state_names, LAST_STATE + 1, cols, &err));
    csv_read_t got;
    while ((got = Csv_Next(&csv, &err)) == CSV_ROW) {
        read_row(truth, &csv, cols);
    }
    assert_int_equal(got, CSV_END);
    pclose(in);
}

static void read_starts(truth_t *truth) {
    err_t err;
    FILE *in = open_gz(truth->set->name, "starts");
    if (!Moves_ReadStarts(truth->moves, in, "starts", &err)) {
        fail_msg("%s", err.text);
    }
    pclose(in);
}

/// Stores an answer. Answers come in the order of the commands, like the rows.
static bool take_answer(void *context, const move_start_t *start) {
    truth_t *truth = context;
    assert_true(truth->at < truth->num_rows);
    truth_row_t *row = &truth->rows[truth->at++];
    assert_int_equal(start->cmd, row->cmd);
    *(truth->windows ? &row->window : &row->run) = start->player;
    return true;
}

static void run_whole(truth_t *truth) {
    err_t err;
    FILE *in = open_gz(truth->set->name, "cmds");
    truth->at = 0;
    truth->windows = false;
    if (!Moves_Run(truth->moves, in, "cmds", take_answer, truth, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(truth->at, truth->num_rows);
    pclose(in);
}

/// Makes every window a start of its own, named TRAJ.ROW. The first window starts where its
/// trajectory does.
static void window_starts(truth_t *truth) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("traj,mode,x,y,z,vx,vy,vz,onground,groundmodel,waterlevel,watertype,jump_held,jump_msec,"
          "waterjumptime\n",
          out);
    for (size_t i = 0; i < truth->num_rows; i++) {
        const truth_row_t *row = &truth->rows[i];
        bool first = i == 0 || strcmp(row->traj, row[-1].traj) != 0;
        fprintf(out, "%s.%d,%s", row->traj, (int)(row->cmd / MOVE_ROW_CMDS),
                row->bmodels ? "bmodels" : "world");
        if (first) {
            vec3_t o = row->start;
            fprintf(out, ",%.9g,%.9g,%.9g,0,0,0,0,-1,0,-1,0,0,0\n", (double)o.x, (double)o.y,
                    (double)o.z);
        } else {
            fprintf(out, "%s\n", row[-1].text);
        }
    }
    fclose(out);
    Moves_Free(truth->moves);
    err_t err;
    FILE *in = fmemopen(text, size, "r");
    if (!Moves_ReadStarts(truth->moves, in, "windows", &err)) {
        fail_msg("%s", err.text);
    }
    fclose(in);
    free(text);
}

static char *window_cmds(const truth_t *truth, size_t *size) {
    err_t err;
    csv_t csv;
    char *text = NULL;
    FILE *in = open_gz(truth->set->name, "cmds");
    FILE *out = open_memstream(&text, size);
    assert_true(Csv_Open(&csv, in, "cmds", &err));
    assert_int_equal(Csv_Column(&csv, "traj"), 0);
    assert_int_equal(Csv_Column(&csv, "cmd"), 1);
    for (int32_t i = 0; i < csv.num_columns; i++) {
        fprintf(out, "%s%s", i ? "," : "", csv.names[i]);
    }
    while (Csv_Next(&csv, &err) == CSV_ROW) {
        fprintf(out, "\n%s.%d", Csv_Text(&csv, 0), atoi(Csv_Text(&csv, 1)) / MOVE_ROW_CMDS);
        for (int32_t i = 1; i < csv.num_columns; i++) {
            fprintf(out, ",%s", Csv_Text(&csv, i));
        }
    }
    fputc('\n', out);
    pclose(in);
    fclose(out);
    return text;
}

static void run_windows(truth_t *truth) {
    err_t err;
    size_t size;
    char *text = window_cmds(truth, &size);
    window_starts(truth);
    FILE *in = fmemopen(text, size, "r");
    truth->at = 0;
    truth->windows = true;
    if (!Moves_Run(truth->moves, in, "windows", take_answer, truth, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(truth->at, truth->num_rows);
    fclose(in);
    free(text);
}

static double distance(vec3_t a, vec3_t b) {
    return (double)VectorLength(VectorSubtract(a, b));
}

static bool within(const truth_row_t *row, const player_state_t *ours, double qu, double qu_s) {
    return distance(ours->origin, row->origin) <= qu &&
           distance(ours->velocity, row->velocity) <= qu_s &&
           ((ours->flags & PMF_ONGROUND) != 0) == (row->onground != 0) &&
           ours->waterlevel == row->waterlevel;
}

typedef struct {
    const char *name;
    int32_t good, all;
} class_t;

/// Returns the share of good windows of the worst start class. Prints each class that is not
/// perfect.
static double worst_class(const truth_t *truth, bool print) {
    static class_t classes[MAX_CLASSES];
    int32_t count = 0;
    int32_t at = 0;
    for (size_t i = 0; i < truth->num_rows; i++) {
        const truth_row_t *row = &truth->rows[i];
        if (count == 0 || strcmp(classes[at].name, row->start_class) != 0) {
            at = 0;
            while (at < count && strcmp(classes[at].name, row->start_class) != 0) {
                at++;
            }
        }
        if (at == count) {
            assert_true(count < MAX_CLASSES);
            classes[count++] = (class_t){row->start_class, 0, 0};
        }
        classes[at].all++;
        classes[at].good += within(row, &row->window, WINDOW_QU, WINDOW_QU_S);
    }
    double worst = 1.0;
    for (int32_t i = 0; i < count; i++) {
        double share = (double)classes[i].good / (double)classes[i].all;
        if (print && share < 1.0) {
            printf("%s: class %s: %d of %d windows\n", truth->set->name, classes[i].name,
                   classes[i].good, classes[i].all);
        }
        worst = share < worst ? share : worst;
    }
    return worst;
}

static double window_share(const truth_t *truth, double qu, double qu_s) {
    int32_t good = 0;
    for (size_t i = 0; i < truth->num_rows; i++) {
        good += within(&truth->rows[i], &truth->rows[i].window, qu, qu_s);
    }
    return (double)good / (double)truth->num_rows;
}

static void print_state(const char *who, vec3_t o, vec3_t v, int onground, int waterlevel) {
    printf("    %s %.4f %.4f %.4f  %.3f %.3f %.3f  ground %d water %d\n", who, (double)o.x,
           (double)o.y, (double)o.z, (double)v.x, (double)v.y, (double)v.z, onground, waterlevel);
}

static void print_window(const truth_t *truth, const truth_row_t *row) {
    const player_state_t *w = &row->window;
    printf("  %s traj %s (%s) cmds %d..%d\n", truth->set->name, row->traj, row->start_class,
           (int)row->cmd - MOVE_ROW_CMDS + 1, (int)row->cmd);
    print_state("theirs", row->origin, row->velocity, (int)row->onground, (int)row->waterlevel);
    print_state("ours  ", w->origin, w->velocity, (w->flags & PMF_ONGROUND) != 0, w->waterlevel);
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Returns the median end distance of whole runs. If a run ends far off, one of its windows must
/// differ by itself, which explains it and is printed.
static double run_median(const truth_t *truth, bool print) {
    double *ends = calloc(truth->num_rows, sizeof *ends);
    size_t count = 0;
    const truth_row_t *first_bad = NULL;
    for (size_t i = 0; i < truth->num_rows; i++) {
        const truth_row_t *row = &truth->rows[i];
        if (i == 0 || strcmp(row->traj, row[-1].traj) != 0) {
            first_bad = NULL;
        }
        if (!first_bad && !within(row, &row->window, FINE_QU, FINE_QU * 10.0)) {
            first_bad = row;
        }
        if (i + 1 < truth->num_rows && strcmp(row->traj, row[1].traj) == 0) {
            continue;
        }
        ends[count++] = distance(row->run.origin, row->origin);
        if (print && ends[count - 1] > RUN_EXPLAIN_QU) {
            printf("%s: run %s ends %.3f off; first differing window:\n", truth->set->name,
                   row->traj, ends[count - 1]);
            assert_non_null(first_bad);
            print_window(truth, first_bad);
        }
    }
    qsort(ends, count, sizeof *ends, compare_doubles);
    double median = ends[count / 2];
    if (print) {
        printf("%s: %zu runs, end distance median %.5f, 90 %% %.5f, largest %.5f\n",
               truth->set->name, count, median, ends[count * 9 / 10], ends[count - 1]);
    }
    free(ends);
    return median;
}

static bool data_is_there(void) {
    if (access(DATA "/moves/lqdm2.states.csv.gz", R_OK) == 0) {
        return true;
    }
    printf("SKIPPED: %s is not there: player moves are not compared with the ground truth\n", DATA);
    return false;
}

static void open_truth(truth_t *truth, const move_set_t *set) {
    err_t err;
    *truth = (truth_t){.set = set, .moves = calloc(1, sizeof(moves_t))};
    truth->rows = calloc(MAX_ROWS, sizeof *truth->rows);
    assert_true(truth->moves);
    assert_true(truth->rows);
    if (!BSP_Load(&truth->map, set->map, &err) || !Moves_Init(truth->moves, &truth->map, &err)) {
        fail_msg("%s", err.text);
    }
    read_starts(truth);
    read_states(truth);
}

static void close_truth(truth_t *truth) {
    Moves_Free(truth->moves);
    free(truth->moves);
    free(truth->rows);
    CM_FreeMap(&truth->map);
}

static void test_set(const move_set_t *set) {
    truth_t truth;
    if (!data_is_there()) {
        skip();
    }
    open_truth(&truth, set);
    run_whole(&truth);
    run_windows(&truth);
    double fine = window_share(&truth, FINE_QU, FINE_QU * 10.0);
    double share = window_share(&truth, WINDOW_QU, WINDOW_QU_S);
    printf("%s: %zu windows, %.3f %% within %g qu and %g qu/s, %.3f %% within %g and %g\n",
           set->name, truth.num_rows, share * 100.0, WINDOW_QU, WINDOW_QU_S, fine * 100.0, FINE_QU,
           FINE_QU * 10.0);
    double worst = worst_class(&truth, true);
    double median = run_median(&truth, true);
    for (size_t i = 0; i < truth.num_rows; i++) {
        if (!within(&truth.rows[i], &truth.rows[i].window, WINDOW_QU, WINDOW_QU_S)) {
            print_window(&truth, &truth.rows[i]);
        }
    }
    assert_true(share >= WINDOW_SHARE);
    assert_true(worst >= WINDOW_SHARE);
    assert_true(median <= RUN_MEDIAN_QU);
    close_truth(&truth);
}

static void test_lqdm2(void **state) {
    (void)state;
    test_set(&sets[0]);
}

static void test_lqdm12(void **state) {
    (void)state;
    test_set(&sets[1]);
}

static void test_lq_e0m1(void **state) {
    (void)state;
    test_set(&sets[2]);
}

static void test_calib(void **state) {
    (void)state;
    test_set(&sets[CALIB]);
}

// Tests moves by brushes instead of hulls, and on a map that has only brushes.
static void test_by_brushes(void **state) {
    (void)state;
    static const move_set_t brush_sets[] = {
        {"lqdm2", DATA "/bsp/lqdm2_brushonly.bsp"},
        {"lqdm12", DATA "/bsp/lqdm12.bsp"},
        {"lq_e0m1", DATA "/bsp/lq_e0m1.bsp"},
    };
    if (!data_is_there()) {
        skip();
    }
    for (size_t i = 0; i < COUNTOF(brush_sets); i++) {
        truth_t truth;
        open_truth(&truth, &brush_sets[i]);
        truth.moves->world.collide_with = CM_SOLIDS_BRUSHES;
        run_whole(&truth);
        run_windows(&truth);
        double share = window_share(&truth, WINDOW_QU, WINDOW_QU_S);
        double median = run_median(&truth, false);
        printf("%s by brushes: %.3f %% of %zu windows, median %.4f\n", brush_sets[i].map,
               share * 100.0, truth.num_rows, median);
        assert_true(share >= WINDOW_SHARE);
        assert_true(median <= RUN_MEDIAN_QU);
        close_truth(&truth);
    }
}

/// Returns the share of good windows of calib's worst class with other cvars or a spoiled world.
static double calib_with(const movevars_t *vars, pm_world_t (*spoil)(pm_world_t *)) {
    truth_t truth;
    open_truth(&truth, &sets[CALIB]);
    if (vars) {
        truth.moves->vars.sv_stepsize = vars->sv_stepsize;
    }
    pm_world_t inner = truth.moves->pm_worlds[0];
    if (spoil) {
        truth.moves->pm_worlds[0] = spoil(&inner);
    }
    run_windows(&truth);
    double worst = worst_class(&truth, false);
    printf("calib spoilt: %.3f %% of all windows good, %.1f %% in the worst class\n",
           window_share(&truth, WINDOW_QU, WINDOW_QU_S) * 100.0, worst * 100.0);
    close_truth(&truth);
    return worst;
}

static void test_calib_sees_wrong_steps(void **state) {
    (void)state;
    if (!data_is_there()) {
        skip();
    }
    movevars_t vars = MoveVars_Default();
    assert_true(calib_with(&vars, NULL) >= WINDOW_SHARE);
    vars.sv_stepsize = 17.0f;
    assert_true(calib_with(&vars, NULL) < WINDOW_SHARE);
    vars.sv_stepsize = 19.0f;
    assert_true(calib_with(&vars, NULL) < WINDOW_SHARE);
}

/// Traces as if the limit were 48 degrees: floors of 46 and 47 degrees become just flat enough.
static trace_t trace_steeper(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const pm_world_t *inner = context;
    trace_t trace = inner->trace(inner->context, start, mins, maxs, end);
    if (trace.plane.normal.z >= 0.67f && trace.plane.normal.z < 0.7f) {
        trace.plane.normal.z = 0.7f;
    }
    return trace;
}

/// Traces as if the limit were 42 degrees: floors of 43 to 45 degrees become too steep.
static trace_t trace_flatter(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const pm_world_t *inner = context;
    trace_t trace = inner->trace(inner->context, start, mins, maxs, end);
    if (trace.plane.normal.z >= 0.7f && trace.plane.normal.z < 0.74f) {
        trace.plane.normal.z = 0.699f;
    }
    return trace;
}

static contents_t contents_inside(void *context, vec3_t point) {
    const pm_world_t *inner = context;
    return inner->point_contents(inner->context, point);
}

static pm_world_t steeper(pm_world_t *inner) {
    return (pm_world_t){
        .context = inner, .trace = trace_steeper, .point_contents = contents_inside};
}

static pm_world_t flatter(pm_world_t *inner) {
    return (pm_world_t){
        .context = inner, .trace = trace_flatter, .point_contents = contents_inside};
}

static void test_calib_sees_wrong_slopes(void **state) {
    (void)state;
    if (!data_is_there()) {
        skip();
    }
    assert_true(calib_with(NULL, steeper) < WINDOW_SHARE);
    assert_true(calib_with(NULL, flatter) < WINDOW_SHARE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lqdm2),
        cmocka_unit_test(test_lqdm12),
        cmocka_unit_test(test_lq_e0m1),
        cmocka_unit_test(test_calib),
        cmocka_unit_test(test_by_brushes),
        cmocka_unit_test(test_calib_sees_wrong_steps),
        cmocka_unit_test(test_calib_sees_wrong_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
