/// mapc/planes.h - the table of planes shared by brushes, hulls and models.
//
// Units:   dist in qu.
// Memory:  the pool given to MC_InitPlanes.
// Repeat:  planes are numbered in the order of their first lookup.

#ifndef EDICTD_MAPC_PLANES_H
#define EDICTD_MAPC_PLANES_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// Planes are equal if their normals and distances differ by at most this.
#define MC_NORMAL_EPSILON 1e-5
#define MC_DIST_EPSILON   0.01 // qu

/// A reference to a plane of the table: 2 * number, plus 1 if flipped. The largest component of a
/// stored normal is positive.
typedef int32_t planeref_t;

typedef struct {
    dplane_t *planes; ///< the largest normal component is positive
    int32_t *next;    ///< chain of the same hash bucket, -1 ends
    size_t count, room, next_room;
    int32_t buckets[4096];
    mc_pool_t *pool;
} mc_planes_t;

/// Initialises an empty table.
void MC_InitPlanes(mc_planes_t *table, mc_pool_t *pool);

/// Returns the nearest equal plane, or adds a new one. A normal within MC_NORMAL_EPSILON of an axis
/// becomes that axis; an axial distance within 1e-4 of an integer becomes that integer.
planeref_t MC_FindPlane(mc_planes_t *table, dplane_t plane);

/// Returns the plane of a reference, flipped if the reference is.
static inline dplane_t MC_PlaneOf(const mc_planes_t *table, planeref_t ref) {
    dplane_t plane = table->planes[ref / 2];
    return ref & 1 ? DP_Flip(plane) : plane;
}

/// Returns 0, 1 or 2 if the normal is that axis, otherwise 3, 4 or 5 for the nearest axis.
int32_t MC_PlaneType(const dplane_t *plane);

#endif
