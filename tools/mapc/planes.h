/// mapc/planes.h - the table of planes that brushes, hulls and models use in common.
//
// Units:   dist in qu.
// Memory:  the pool given to MC_InitPlanes.
// Repeat:  planes are numbered in the order of their first lookup.

#ifndef EDICTD_MAPC_PLANES_H
#define EDICTD_MAPC_PLANES_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// Maximum differences of each normal component and of the distance of equal planes.
#define MC_NORMAL_EPSILON 1e-5
#define MC_DIST_EPSILON   0.01 // qu

/// A plane of the table and its direction: 2 * number, plus 1 if the plane is flipped.
typedef int32_t planeref_t;

typedef struct {
    dplane_t *planes; ///< flipped so that the largest normal component is positive
    int32_t *next;    ///< next plane of the same hash bucket; -1: none
    size_t count, room, next_room;
    int32_t buckets[4096];
    mc_pool_t *pool;
} mc_planes_t;

void MC_InitPlanes(mc_planes_t *table, mc_pool_t *pool);

/// Returns the plane of the table that is equal to `plane`, or adds it. A normal within
/// MC_NORMAL_EPSILON of an axis first becomes that axis; its distance is then rounded if it is
/// within 1e-4 of an integer.
planeref_t MC_FindPlane(mc_planes_t *table, dplane_t plane);

/// Returns the plane of a reference, flipped if the reference has the flag.
static inline dplane_t MC_PlaneOf(const mc_planes_t *table, planeref_t ref) {
    dplane_t plane = table->planes[ref / 2];
    return ref & 1 ? DP_Flip(plane) : plane;
}

/// Returns 0, 1 or 2 if the normal is the x, y or z axis; otherwise 3, 4 or 5 for the nearest axis.
int32_t MC_PlaneType(const dplane_t *plane);

#endif
