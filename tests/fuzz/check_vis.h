/// fuzz/check_vis.h - the check of a map's visibility, which the fuzz targets of map files share.

#ifndef EDICTD_FUZZ_CHECK_VIS_H
#define EDICTD_FUZZ_CHECK_VIS_H

#include "base/assert.h"
#include "collide/vis.h"

/// Checks that a point's row has its cluster, and that a box around the point reaches it.
static inline void check_vis(const cmap_t *map, vec3_t point) {
    static uint8_t row[CM_MAX_PVS_BYTES];
    int32_t clusters[8];
    const vec3_t half = {16.0f, 16.0f, 16.0f};
    const bounds_t box = {VectorSubtract(point, half), VectorAdd(point, half)};
    int32_t cluster = CM_PointCluster(map, point);
    int32_t count = CM_BoxClusters(map, box, clusters, 8);
    ASSERT(CM_PVSBytes(map) <= sizeof row && count <= 8);
    ASSERT(cluster >= CM_NO_CLUSTER && cluster < CM_NumClusters(map));
    CM_AddPVS(map, cluster, row);
    if (cluster != CM_NO_CLUSTER) {
        bool is_reached = count == CM_ALL_CLUSTERS;
        for (int32_t i = 0; i < count; i++) {
            is_reached |= clusters[i] == cluster;
        }
        ASSERT(is_reached && CM_InPVS(row, cluster));
    }
}

#endif
