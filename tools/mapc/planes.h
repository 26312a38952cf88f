/// mapc/planes.h - the one table of planes that brushes, hulls and models share.
//
// Floor:   tool. geom, pool.
// Units:   dist in qu.
// Memory:  the pool it was made with.
// Repeat:  planes are numbered in the order they are first asked for.

#ifndef EDICTD_MAPC_PLANES_H
#define EDICTD_MAPC_PLANES_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// Two planes are one when their normals and distances differ by no more.
#define MC_NORMAL_EPSILON 1e-5
#define MC_DIST_EPSILON   0.01 // qu

/// A plane of the table, as seen from a brush side. Even: as stored (the largest component of the
/// normal is positive); odd: flipped. Number of the stored plane: ref / 2.
typedef int32_t planeref_t;

typedef struct {
    dplane_t *planes; ///< only those whose largest normal component is positive
    int32_t *next;    ///< chain of the same hash bucket, -1 ends
    size_t count, room, next_room;
    int32_t buckets[4096];
    mc_pool_t *pool;
} mc_planes_t;

/// Makes the table empty.
void MC_InitPlanes(mc_planes_t *table, mc_pool_t *pool);

/// The plane nearest to the one asked for, or a new one. A normal within MC_NORMAL_EPSILON of an
/// axis becomes that axis, and an axial distance within 1e-4 of an integer becomes it.
planeref_t MC_FindPlane(mc_planes_t *table, dplane_t plane);

/// The plane of a reference, flipped if that says so.
static inline dplane_t MC_PlaneOf(const mc_planes_t *table, planeref_t ref) {
    dplane_t plane = table->planes[ref / 2];
    return ref & 1 ? DP_Flip(plane) : plane;
}

/// 0, 1, 2 when the normal is that axis, else 3, 4, 5 for the axis it is nearest to.
int32_t MC_PlaneType(const dplane_t *plane);

#endif
