// Tests of edict-probe trace and contents, as a shell runs them: a map file, stdin, stdout, exit
// status.

#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "probe/probe.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char map_path[] = P_tmpdir "/edict-probe-XXXXXX.bsp";

static int make_map(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box(Vector(64.0f, -64.0f, 0.0f), Vector(128.0f, 64.0f, 64.0f)),
        {.box = {{-128.0f, -128.0f, 0.0f}, {0.0f, 128.0f, 16.0f}}, .contents = CONTENTS_WATER}};
    size_t size = 0;
    uint8_t *bytes =
        TestMap_Bytes(&(test_map_t){.room = {{-128.0f, -128.0f, 0.0f}, {256.0f, 128.0f, 128.0f}},
                                    .blocks = blocks,
                                    .num_blocks = (int32_t)COUNTOF(blocks),
                                    .brush_list = true},
                      &size);
    int fd = mkstemps(map_path, 4);
    bool good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0;
    free(bytes);
    return good ? 0 : 1;
}

static int remove_map(void **state) {
    (void)state;
    return unlink(map_path);
}

typedef struct {
    int status;
    char out[2048], errors[2048];
} result_t;

static void read_back(FILE *file, char *text, size_t bytes) {
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

/// Runs a command in a process of its own, with up to two further arguments (NULL: none).
static result_t run_with(int (*command)(int, char **), const char *map, const char *word1,
                         const char *word2, const char *input) {
    result_t result = {0};
    FILE *in = tmpfile();
    FILE *out = tmpfile();
    FILE *errors = tmpfile();
    assert_true(in);
    assert_true(out);
    assert_true(errors);
    fputs(input, in);
    rewind(in);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char name[] = "probe";
        char path[256];
        snprintf(path, sizeof path, "%s", map ? map : "");
        char words[2][32];
        snprintf(words[0], sizeof words[0], "%s", word1 ? word1 : "");
        snprintf(words[1], sizeof words[1], "%s", word2 ? word2 : "");
        char *argv[] = {name, path, words[0], words[1], NULL};
        dup2(fileno(in), STDIN_FILENO);
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(errors), STDERR_FILENO);
        int status = command(!map ? 1 : !word1 ? 2 : !word2 ? 3 : 4, argv);
        fflush(NULL);
        _exit(status);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    result.status = WEXITSTATUS(status);
    read_back(out, result.out, sizeof result.out);
    read_back(errors, result.errors, sizeof result.errors);
    fclose(in);
    return result;
}

static result_t run(int (*command)(int, char **), const char *map, const char *input) {
    return run_with(command, map, NULL, NULL, input);
}

static void test_trace(void **state) {
    (void)state;
    result_t result = run(Probe_Trace, map_path,
                          "kind,ez,ey,ex,sz,sy,sx,hull,model,id\n"
                          "a,32,0,96,32,0,32,0,0,7\n"
                          "b,40,0,40,40,0,-40,1,0,eight\n"
                          "c,32,1,80,32,0,70,0,0,9\n"
                          "d,10,0,-50,32,0,-50,0,0,10\n");
    assert_int_equal(result.status, PROBE_OK);
    assert_string_equal(result.errors, "");
    assert_string_equal(result.out,
                        "id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents\n"
                        "7,0.499511719,63.96875,0,32,-1,0,0,0,0,-1\n"
                        "eight,1,40,0,40,0,0,0,0,0,-1\n"
                        "9,0,70,0,32,0,0,0,1,1,-2\n"
                        "10,1,-50,0,10,0,0,0,0,0,-3\n");
}

static const char *const header =
    "id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents\n";

static void check_trace(const char *solids, const char *input, const char *answers) {
    char expected[1024];
    result_t result = run_with(Probe_Trace, map_path, solids ? "--solids" : NULL, solids, input);
    assert_string_equal(result.errors, "");
    assert_int_equal(result.status, PROBE_OK);
    snprintf(expected, sizeof expected, "%s%s", header, answers);
    assert_string_equal(result.out, expected);
}

// Tests where a box stops: where its own side meets the block at x = 64. A hull stops where the
// hull's side does, and is aligned to the mins of the box.
static void test_trace_boxes(void **state) {
    (void)state;
    static const char *const corners = "id,model,minx,miny,minz,maxx,maxy,maxz,sx,sy,sz,ex,ey,ez\n"
                                       "1,0,-4,-4,-4,4,4,4,0,0,32,64,0,32\n"
                                       "2,0,-16,-16,-24,16,16,32,0,0,32,64,0,32\n";
    check_trace("hulls", corners,
                "1,0.562011719,35.96875,0,32,-1,0,0,0,0,-1\n"
                "2,0.749511719,47.96875,0,32,-1,0,0,0,0,-1\n");
    check_trace(NULL, corners,
                "1,0.937011719,59.96875,0,32,-1,0,0,0,0,-1\n"
                "2,0.749511719,47.96875,0,32,-1,0,0,0,0,-1\n");
    check_trace("brushes",
                "id,model,box,hull,sx,sy,sz,ex,ey,ez,more\n"
                "a,0,4,x,0,0,32,64,0,32,x\nb,0,1,x,0,0,32,64,0,32,x\nc,0,0,x,96,0,96,96,0,32,x\n",
                "a,0.937011719,59.96875,0,32,-1,0,0,0,0,-1\n"
                "b,0.749511719,47.96875,0,32,-1,0,0,0,0,-1\n"
                "c,0.499267578,96,0,64.046875,0,0,1,0,0,-1\n");
    check_trace("brushes", "id,model,hull,sx,sy,sz,ex,ey,ez\n1,0,1,0,0,32,64,0,32\n",
                "1,0.749511719,47.96875,0,32,-1,0,0,0,0,-1\n");
}

// Turned by 90 degrees, the block at x 64..128 is at y 64..128.
static void test_trace_places(void **state) {
    (void)state;
    check_trace(NULL,
                "id,model,box,sx,sy,sz,ex,ey,ez,pitch,yaw,roll,ox,oy,oz\n"
                "1,0,4,0,0,32,0,64,32,0,90,0,0,0,0\n"
                "2,0,4,1000,0,32,1000,64,32,0,90,0,1000,0,0\n"
                "3,0,1,0,0,32,0,64,32,0,90,0,0,0,0\n",
                "1,0.937011719,0,59.96875,32,0,-1,0,0,0,-1\n"
                "2,0.937011719,1000,59.96875,32,0,-1,0,0,0,-1\n"
                "3,0.749511719,0,47.96875,32,0,-1,0,0,0,-1\n");
}

static void test_trace_table_refusals(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"id,model,sx,sy,sz,ex,ey,ez\n",
         "edict-probe: stdin:1: expected a column hull or box, or minx..maxz, found none\n"},
        {"id,model,minx,miny,minz,sx,sy,sz,ex,ey,ez\n",
         "edict-probe: stdin:1: expected both minx..minz and maxx..maxz, found only minx..minz\n"},
        {"id,model,minx,miny,sx,sy,sz,ex,ey,ez\n",
         "edict-probe: stdin:1: expected a column minz, found none\n"},
        {"id,model,hull,sx,sy,sz,ex,ey,ez,pitch,yaw,roll\n",
         "edict-probe: stdin:1: the columns hull and ox..roll cannot be combined without --solids "
         "auto|hulls|brushes\n"},
        {"id,model,box,sx,sy,sz,ex,ey,ez\n1,0,6,0,0,0,0,0,0\n",
         "edict-probe: stdin:2: column box: expected a whole number 0..5, found \"6\"\n"},
        {"id,model,minx,miny,minz,maxx,maxy,maxz,sx,sy,sz,ex,ey,ez\n1,0,1,1,1,2,0,2,0,0,0,0,0,0\n",
         "edict-probe: stdin:2: expected minx..minz below maxx..maxz, found a higher min\n"},
        {"id,model,box,sx,sy,sz,ex,ey,ez,pitch,yaw,roll\n1,0,4,0,0,0,0,0,0,0,1e9,0\n",
         "edict-probe: stdin:2: column yaw: expected a number within +-36000, found \"1e9\"\n"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        result_t result = run(Probe_Trace, map_path, cases[i][0]);
        assert_string_equal(result.errors, cases[i][1]);
        assert_int_equal(result.status, PROBE_FAIL);
    }
    assert_int_equal(run_with(Probe_Trace, map_path, "--solids", NULL, "").status, PROBE_USAGE);
    assert_int_equal(run_with(Probe_Trace, map_path, "--solids", "some", "").status, PROBE_USAGE);
    assert_int_equal(run_with(Probe_Trace, map_path, "another", NULL, "").status, PROBE_USAGE);
}

static void test_contents(void **state) {
    (void)state;
    result_t result = run(Probe_Contents, map_path,
                          "id,model,hull,x,y,z,more\n"
                          "1,0,0,-5,0,5,x\n2,0,0,100,0,5,x\n3,0,1,-60,0,30,x\n4,0,0,-5,0,16,\n");
    assert_int_equal(result.status, PROBE_OK);
    // Leaf 0 is solid. On the water's surface, the contents are those above it, the leaf is the
    // water's.
    assert_string_equal(result.out, "id,contents,leaf\n1,-3,2\n2,-2,0\n3,-1,-1\n4,-1,2\n");
}

static void test_refusals(void **state) {
    (void)state;
    static const char *const hull_header = "id,model,hull,sx,sy,sz,ex,ey,ez\n";
    static const char *const cases[][2] = {
        {"", "edict-probe: stdin:1: expected a header line, found an empty file\n"},
        {"id,model,hull,sx,sy,sz,ex,ey\n",
         "edict-probe: stdin:1: expected a column ez, found none\n"},
        {"1,1,0,0,0,0,0,0,0\n",
         "edict-probe: stdin:2: column model: expected a whole number 0..0, found \"1\"\n"},
        {"1,0,3,0,0,0,0,0,0\n",
         "edict-probe: stdin:2: column hull: expected a whole number 0..2, found \"3\"\n"},
        {"1,0,0,0,0,1e9,0,0,0\n", "edict-probe: stdin:2: column sz: expected a number within "
                                  "+-1.04858e+06, found \"1e9\"\n"},
        {"1,0,0,0,0,0,0,0,x\n",
         "edict-probe: stdin:2: column ez: expected a number, found \"x\"\n"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char input[256];
        snprintf(input, sizeof input, "%s%s", i < 2 ? "" : hull_header, cases[i][0]);
        result_t result = run(Probe_Trace, map_path, input);
        assert_int_equal(result.status, PROBE_FAIL);
        assert_string_equal(result.errors, cases[i][1]);
    }
    assert_int_equal(run(Probe_Trace, NULL, "").status, PROBE_USAGE);
    assert_int_equal(run(Probe_Contents, NULL, "").status, PROBE_USAGE);
    result_t result = run(Probe_Contents, "no/such.bsp", "");
    assert_int_equal(result.status, PROBE_FAIL);
    assert_string_equal(result.errors, "edict-probe: no/such.bsp: No such file or directory\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),        cmocka_unit_test(test_trace_boxes),
        cmocka_unit_test(test_trace_places), cmocka_unit_test(test_trace_table_refusals),
        cmocka_unit_test(test_contents),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_map, remove_map);
}
