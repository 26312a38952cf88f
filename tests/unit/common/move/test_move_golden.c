// Tests of runs through the hall, bit for bit: tests/golden/move.txt, move_types.txt of each client
// movetype, and move_PROFILE.txt of each profile with its extra features. tests/golden/across.sh
// compares the same files on other compilers and another CPU.

#include "lib/golden_fixture.h"
#include "lib/scene_fixture.h"
#include "lib/testing.h"
#include "move/profiles.h"

#include <stdio.h>

static void test_runs(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    TestScene_PrintRuns(&golden);
    assert_true(golden.bytes > 10000);
    assert_true(TestGolden_Check(&golden, "move.txt"));
}

static void test_profiles(void **state) {
    (void)state;
    for (int32_t i = 0; PM_ProfileName(i); i++) {
        char name[64];
        test_golden_t golden = {NULL, 0, 0};
        TestScene_PrintProfile(&golden, PM_ProfileName(i));
        assert_true(golden.bytes > 10000);
        snprintf(name, sizeof name, "move_%s.txt", PM_ProfileName(i));
        assert_true(TestGolden_Check(&golden, name));
    }
}

static void test_movetypes(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    TestScene_PrintTypes(&golden);
    assert_true(golden.bytes > 10000);
    assert_true(TestGolden_Check(&golden, "move_types.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_profiles),
                                       cmocka_unit_test(test_movetypes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
