// Tests of the output paths of edict-mapc.

#include "lib/testing.h"
#include "mapc/paths.h"

#include <string.h>

static void test_paths(void **state) {
    (void)state;
    static const struct {
        const char *input, *output, *bsp, *pts; // bsp NULL: refused
    } cases[] = {
        {"maps/a.map", NULL, "maps/a.bsp", "maps/a.pts"},
        {"a.b/c", NULL, "a.b/c.bsp", "a.b/c.pts"},
        {"a.v2.map", NULL, "a.v2.bsp", "a.v2.pts"},
        {"a.txt", NULL, "a.txt.bsp", "a.txt.pts"},
        {"a.map", "out.bsp", "out.bsp", "out.pts"},
        {"a.map", "b.c/out", "b.c/out.bsp", "b.c/out.pts"},
        {"a.map", "b/a.v2.bsp", "b/a.v2.bsp", "b/a.v2.pts"},
        {"a.map", "out.xyz", NULL, NULL},
        {"a.map", "a.map", NULL, NULL},
        {"a.map", "b/a.v2", NULL, NULL},
        {"a.map", "out.BSP", NULL, NULL},
        {"a.map", "out.", NULL, NULL},
        {"a.map", ".bsp", NULL, NULL},
        {"a.map", "b/", NULL, NULL},
        {"a.map", "", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mc_paths_t paths = {{0}, {0}};
        err_t err = {{0}};
        bool good = MC_OutputPaths(cases[i].input, cases[i].output, &paths, &err);
        print_message("%s -o %s: %s\n", cases[i].input,
                      cases[i].output ? cases[i].output : "(none)", good ? paths.bsp : err.text);
        assert_int_equal(good, cases[i].bsp != NULL);
        if (good) {
            assert_string_equal(paths.bsp, cases[i].bsp);
            assert_string_equal(paths.pts, cases[i].pts);
        } else {
            assert_non_null(strstr(err.text, "-o: expected a name that ends in .bsp"));
            assert_non_null(strstr(err.text, cases[i].output));
        }
    }
}

static void test_long_path(void **state) {
    (void)state;
    char path[MAX_PATH_BYTES];
    mc_paths_t paths;
    err_t err = {{0}};
    memset(path, 'a', sizeof path);
    // As long as a path may be, but without room for an extension.
    strlcpy(path + sizeof path - 4, "abc", 4);
    assert_false(MC_OutputPaths("a.map", path, &paths, &err));
    assert_non_null(strstr(err.text, "aaa.bsp: expected an output path of 1.."));
    path[sizeof path - 5] = '\0';
    assert_true(MC_OutputPaths("a.map", path, &paths, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_long_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
