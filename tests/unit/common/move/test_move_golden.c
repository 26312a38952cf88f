// Runs through the hall, bit for bit: tests/golden/move.txt. tests/golden/across.sh compares the
// same file with other compilers and another CPU.

#include "lib/test_golden.h"
#include "lib/test_scene.h"
#include "lib/testing.h"

static void test_runs(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    TestScene_PrintRuns(&golden);
    assert_true(golden.bytes > 10000);
    assert_true(TestGolden_Check(&golden, "move.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
