// Prints what tests/golden/move.txt holds, without a test framework: across.sh compiles it for
// other compilers and CPUs.

#include "lib/test_scene.h"

#include <stdio.h>

int main(void) {
    test_golden_t golden = {NULL, 0, 0};
    TestScene_PrintRuns(&golden);
    return golden.text && fputs(golden.text, stdout) >= 0 ? 0 : 1;
}
