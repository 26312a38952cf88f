// fuzz_download.c - any bytes as a downloaded map: as a zstd frame, and as the files in it.
//
// Input:      u8 kind (0 = files, 1 = a frame), u16 announced size, the bytes.
// Invariants: a refusal has a reason; a frame gives exactly the announced bytes; files have safe
//             paths, lie inside of the bytes and cover all of them.

#include "base/assert.h"
#include "base/unpack.h"
#include "bsp/map.h"
#include "bsp/map_pack.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_files(const uint8_t *pack, size_t size) {
    err_t err = {""};
    packed_file_t file;
    size_t at = 0;
    if (!MapPack_Check(pack, size, "m", &err)) {
        ASSERT(err.text[0] != '\0');
        return;
    }
    while (at < size) {
        const bool good = MapPack_Next(pack, size, &at, &file);
        ASSERT(good && at <= size && !Map_PathFault(file.path));
        ASSERT(file.data >= pack && file.data + file.size == pack + at);
    }
    cmap_t *map = MapPack_Load(pack, size, &err);
    ASSERT(map || err.text[0] != '\0');
    Map_Free(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) {
        return 0;
    }
    const size_t announced = data[1] | (size_t)data[2] << 8;
    err_t err = {""};
    if (data[0] % 2 == 0) {
        check_files(data + 3, size - 3);
        return 0;
    }
    uint8_t *pack = Unpack_Zstd(data + 3, size - 3, announced, &err);
    ASSERT(pack || err.text[0] != '\0');
    if (pack) {
        ASSERT(pack[announced] == 0);
        check_files(pack, announced);
    }
    free(pack);
    return 0;
}
