/// bsp/visibility.c - checks the rows of a map's visibility.
//
// A row has a bit for each cluster. In the maps of Quake, Half-Life and Quake II, a byte 0 is
// followed by a count of zero bytes: 05 00 03 01 is 05 00 00 00 01.

#include "bsp/bsp_local.h"
#include "collide/cmap.h"

#include <stdlib.h>

/// Returns the bytes that a packed row of `row_bytes` takes in the file, or 0 if a run has no
/// length, or passes the end of the row or of the data.
static size_t packed_bytes(const uint8_t *data, size_t size, size_t row_bytes) {
    size_t used = 0;
    size_t n = 0;
    while (n < row_bytes) {
        size_t bytes = used < size && data[used] == 0 ? 2 : 1;
        size_t run = used + bytes > size ? 0 : bytes == 2 ? data[used + 1] : 1;
        if (run == 0) {
            return 0;
        }
        used += bytes;
        n += run;
    }
    return n == row_bytes ? used : 0;
}

/// Finds the first row that lies. `seen`: a bit for each byte of the data, zero. Rows may be
/// shared, but not overlap; this also limits the time of the check.
static int32_t find_lie(const cmap_t *map, uint8_t *seen, const char **why) {
    size_t total = 0;
    for (int32_t i = 0; i < map->num_clusters; i++) {
        int32_t start = map->vis_rows[i];
        if (start < 0 || (seen[start / 8] >> start % 8 & 1)) {
            continue;
        }
        seen[start / 8] = (uint8_t)(seen[start / 8] | 1u << start % 8);
        size_t rest = map->visdata_bytes - (size_t)start;
        size_t used = map->is_vis_packed
                          ? packed_bytes(map->visdata + start, rest, CM_PVSBytes(map))
                          : CM_PVSBytes(map);
        total += used;
        *why = used == 0 || used > rest     ? "a row that ends within its bits"
               : total > map->visdata_bytes ? "rows that do not overlap"
                                            : NULL;
        if (*why) {
            return i;
        }
    }
    return -1;
}

void Bsp_CheckVis(cmap_t *map, const bsp_file_t *file, int32_t lump) {
    const char *name = file->format->lumps[lump].name;
    uint8_t *seen = calloc(map->visdata_bytes / 8 + 1, 1);
    const char *why = NULL;
    int32_t lie = seen ? find_lie(map, seen, &why) : 0;
    if (!seen) {
        Lumps_Remark(file, name, "no memory to check it: no visibility");
    } else if (lie >= 0) {
        Lumps_Remark(file, name, "cluster %d: expected %s, found other: no visibility", lie, why);
    }
    free(seen);
    map->num_clusters = lie < 0 ? map->num_clusters : 0;
}
