// Prints the text of tests/golden/move.txt; with the argument "brush" that of brush.txt, with
// "mesh" mesh.txt, with move_types move_types.txt, with move_PROFILE that profile's file. Uses no
// test framework, because across.sh compiles it for other compilers and CPUs.

#include "lib/brush_runs_fixture.h"
#include "lib/mesh_runs_fixture.h"
#include "lib/scene_fixture.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    test_golden_t golden = {NULL, 0, 0};
    if (argc == 2 && strcmp(argv[1], "brush") == 0) {
        if (!TestBrushRuns_Print(&golden)) {
            return 1;
        }
    } else if (argc == 2 && strcmp(argv[1], "mesh") == 0) {
        if (!TestMeshRuns_Print(&golden, &CM_MeshOps4)) {
            return 1;
        }
    } else if (argc == 2 && strcmp(argv[1], "move_types") == 0) {
        TestScene_PrintTypes(&golden);
    } else if (argc == 2 && strncmp(argv[1], "move_", 5) == 0) {
        TestScene_PrintProfile(&golden, argv[1] + 5);
    } else {
        TestScene_PrintRuns(&golden);
    }
    return golden.text && fputs(golden.text, stdout) >= 0 ? 0 : 1;
}
