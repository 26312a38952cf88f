/// mapc/planes.h - the table of all planes of a map. Brushes and trees refer to planes by number.
//
// Units:   dist in qu.
// Memory:  from the pool passed to MC_InitPlanes.
// Repeat:  planes are numbered in the order of their first lookup.

#ifndef EDICTD_MAPC_PLANES_H
#define EDICTD_MAPC_PLANES_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// Maximum difference of the normals and of the distances of two planes that count as equal.
#define MC_NORMAL_EPSILON 1e-5
#define MC_DIST_EPSILON   0.01 // qu

/// A reference to a plane: 2 * number, + 1 if the plane is flipped.
typedef int32_t planeref_t;

typedef struct {
    dplane_t *planes; ///< flipped so that the largest normal component is positive
    int32_t *next;    ///< next plane of the same hash bucket; -1 = none
    size_t count, room, next_room;
    int32_t buckets[4096];
    mc_pool_t *pool;
} mc_planes_t;

void MC_InitPlanes(mc_planes_t *table, mc_pool_t *pool);

/// Finds or adds a plane. Makes a nearly axial normal exactly axial. Rounds the distance of an
/// axial plane to an integer if the difference is at most 1e-4.
planeref_t MC_FindPlane(mc_planes_t *table, dplane_t plane);

/// Returns the plane that a reference stands for.
static inline dplane_t MC_PlaneOf(const mc_planes_t *table, planeref_t ref) {
    dplane_t plane = table->planes[ref / 2];
    return ref & 1 ? DP_Flip(plane) : plane;
}

/// Returns 0, 1 or 2 for a normal along x, y or z. Otherwise returns 3, 4 or 5 for the nearest
/// axis.
int32_t MC_PlaneType(const dplane_t *plane);

#endif
