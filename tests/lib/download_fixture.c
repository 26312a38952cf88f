#include "lib/download_fixture.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/rng.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

const char *TestDownload_Map(int32_t bytes) {
    char from[256];
    size_t size = 0;
    err_t err;
    rng_t rng = {77};
    snprintf(from, sizeof from, "%s/maps/foundry.bsp", Test_BuildFolder());
    uint8_t *map = File_Read(from, 1 << 24, &size, &err);
    ASSERT(map);
    snprintf(path, sizeof path, "/tmp/edictd-download-%d.bsp", (int)getpid());
    FILE *file = fopen(path, "wb");
    ASSERT(file);
    fwrite(map, 1, size, file);
    for (int32_t i = 0; i < bytes; i++) {
        fputc((int)(Rng_Next(&rng) >> 56), file);
    }
    const int failed = fclose(file);
    ASSERT(failed == 0);
    free(map);
    return path;
}

void TestDownload_RemoveMap(void) {
    (void)remove(path);
}
