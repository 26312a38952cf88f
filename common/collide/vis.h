/// collide/vis.h - which parts of a map can be seen from which: the potentially visible set (PVS).
//
//   point --tree--> leaf --> cluster --> row: one bit for each cluster that may be visible
//
// Memory:  the caller's rows of CM_PVSBytes, at most CM_MAX_PVS_BYTES; nothing is allocated.
// Source:  stored in the file by the map's compiler. Quake and Half-Life: cluster n is leaf n + 1.
//
// A map without visibility has no clusters: a row has no bytes, and everything may be visible.

#ifndef EDICTD_COLLIDE_VIS_H
#define EDICTD_COLLIDE_VIS_H

#include "collide/cmodel.h"

#define CM_NO_CLUSTER    (-1)  // of a point in solid, and of every point without visibility
#define CM_ALL_CLUSTERS  (-1)  // of a box that reaches too many clusters
#define CM_MAX_CLUSTERS  65536 // a map with more is loaded without its visibility
#define CM_MAX_PVS_BYTES (CM_MAX_CLUSTERS / 8)

/// Returns false if everything may be visible from everywhere.
bool CM_HasVis(const cmap_t *map);

int32_t CM_NumClusters(const cmap_t *map);

/// Returns the size of a row; 0 without visibility.
size_t CM_PVSBytes(const cmap_t *map);

/// Returns the cluster at a point, or CM_NO_CLUSTER.
int32_t CM_PointCluster(const cmap_t *map, vec3_t point);

/// Adds the clusters that may be visible from a cluster, with that cluster, to a row. From
/// CM_NO_CLUSTER, all are.
void CM_AddPVS(const cmap_t *map, int32_t cluster, uint8_t *row);

/// Returns true if a cluster, not CM_NO_CLUSTER, is in a row.
static inline bool CM_InPVS(const uint8_t *row, int32_t cluster) {
    return row[cluster / 8] >> cluster % 8 & 1;
}

/// Writes all clusters that a box reaches or touches, and perhaps others near it, each once.
/// Returns their number.
/// `max`: capacity of `clusters`. Returns CM_ALL_CLUSTERS if there are more, or without visibility.
int32_t CM_BoxClusters(const cmap_t *map, bounds_t box, int32_t *clusters, int32_t max);

/// Returns true if all leaves that a box reaches are solid. Takes the nodes and leaves that it
/// visits from *visits_left, and returns false if none are left.
bool CM_IsBoxSolid(const cmap_t *map, bounds_t box, int32_t *visits_left);

#endif
