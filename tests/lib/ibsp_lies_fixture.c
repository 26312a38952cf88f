// TestIbsp_CheckLies. Separate from ibsp_fixture.c, which tests/golden/across.sh compiles without a
// test runner.

#include "lib/ibsp_fixture.h"

#include "bsp/bsp.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

void TestIbsp_CheckLies(const test_ibsp_t *test, const test_ibsp_lie_t *lies, size_t count) {
    size_t size = 0;
    uint8_t *bytes = TestIbsp_Bytes(test, &size);
    uint8_t *changed = malloc(size);
    assert_non_null(changed);
    for (size_t i = 0; i < count; i++) {
        cmap_t map;
        err_t err = {{0}};
        memcpy(changed, bytes, size);
        size_t at = lies[i].at + (lies[i].lump < 0 ? 0 : TestIbsp_Lump(bytes, lies[i].lump));
        for (int n = 0; n < 4; n++) {
            changed[at + (size_t)n] = (uint8_t)(lies[i].value >> (8 * n));
        }
        assert_false(BSP_Parse(&map, "x", changed, size, &err));
        if (strncmp(err.text, lies[i].reason, strlen(lies[i].reason)) != 0) {
            print_error("lie %zu: expected \"%s\", found \"%s\"\n", i, lies[i].reason, err.text);
            fail();
        }
        assert_null(map.arena.base);
    }
    free(changed);
    free(bytes);
}
