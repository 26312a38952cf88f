// Apart from map_fixture.c, because WebAssembly has no files in memory.

#include "base/assert.h"
#include "lib/map_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int TestMap_File(const test_map_t *test, char path[64]) {
    size_t size = 0;
    uint8_t *bytes = TestMap_Bytes(test, &size);
    int fd = memfd_create("map", MFD_CLOEXEC);
    ASSERT(bytes && fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    free(bytes);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}
