#include "mapc/planes.h"

#include "base/assert.h"

#define MC_MAX_PLANES     (1 << 20)
#define MC_SNAP_DIST      1e-4
#define MC_TIE            1e-4
#define MC_BUCKET_SIZE_QU 0.25

void MC_InitPlanes(mc_planes_t *table, mc_pool_t *pool) {
    *table = (mc_planes_t){.pool = pool};
    for (size_t i = 0; i < COUNTOF(table->buckets); i++) {
        table->buckets[i] = -1;
    }
}

static int32_t largest_axis(dvec_t n) {
    double ax = fabs(n.x);
    double ay = fabs(n.y);
    double az = fabs(n.z);
    // The first of equal components counts as the largest. Otherwise rounding would decide the
    // sign.
    return ax + MC_TIE >= ay && ax + MC_TIE >= az ? 0 : ay + MC_TIE >= az ? 1 : 2;
}

int32_t MC_PlaneType(const dplane_t *plane) {
    int32_t axis = largest_axis(plane->normal);
    return fabs(DV_Axis(plane->normal, axis)) == 1.0 ? axis : axis + 3;
}

static dplane_t snap_plane(dplane_t plane) {
    int32_t axis = largest_axis(plane.normal);
    double along = DV_Axis(plane.normal, axis);
    dvec_t snapped = DV_AxisVector(axis, along < 0.0 ? -1.0 : 1.0);
    dvec_t off = DV_Sub(plane.normal, snapped);
    if (fabs(off.x) > MC_NORMAL_EPSILON || fabs(off.y) > MC_NORMAL_EPSILON ||
        fabs(off.z) > MC_NORMAL_EPSILON) {
        return plane;
    }
    plane.normal = snapped;
    double whole = floor(plane.dist + 0.5);
    if (fabs(plane.dist - whole) < MC_SNAP_DIST) {
        plane.dist = whole;
    }
    return plane;
}

static bool same_plane(const dplane_t *a, const dplane_t *b) {
    return fabs(a->dist - b->dist) <= MC_DIST_EPSILON &&
           fabs(a->normal.x - b->normal.x) <= MC_NORMAL_EPSILON &&
           fabs(a->normal.y - b->normal.y) <= MC_NORMAL_EPSILON &&
           fabs(a->normal.z - b->normal.z) <= MC_NORMAL_EPSILON;
}

static uint32_t bucket_of(double dist, int32_t neighbour) {
    // Distances are below a few 10^6, so the cell number fits; the offset keeps it positive.
    int64_t cell = (int64_t)floor(fabs(dist) / MC_BUCKET_SIZE_QU) + 1 + neighbour;
    return (uint32_t)((uint64_t)cell % 4096);
}

planeref_t MC_FindPlane(mc_planes_t *table, dplane_t plane) {
    ASSERT(isfinite(plane.dist) && fabs(plane.dist) < 1e9);
    plane = snap_plane(plane);
    int32_t flipped = DV_Axis(plane.normal, largest_axis(plane.normal)) < 0.0 ? 1 : 0;
    if (flipped) {
        plane = DP_Flip(plane);
    }
    // Adding 0 turns -0 into 0. Otherwise files with equal planes could differ.
    plane.normal = DV_Add(plane.normal, DV(0.0, 0.0, 0.0));
    plane.dist += 0.0;
    for (int32_t neighbour = -1; neighbour <= 1; neighbour++) {
        int32_t i = table->buckets[bucket_of(plane.dist, neighbour)];
        for (; i >= 0; i = table->next[i]) {
            if (same_plane(&table->planes[i], &plane)) {
                return i * 2 + flipped;
            }
        }
    }
    if (table->count >= MC_MAX_PLANES) {
        MC_Fail(table->pool->fail, "the map has more than %d planes; simplify it", MC_MAX_PLANES);
    }
    table->planes =
        MC_Grow(table->pool, table->planes, table->count, &table->room, sizeof *table->planes);
    table->next =
        MC_Grow(table->pool, table->next, table->count, &table->next_room, sizeof *table->next);
    int32_t number = (int32_t)table->count++;
    uint32_t bucket = bucket_of(plane.dist, 0);
    table->planes[number] = plane;
    table->next[number] = table->buckets[bucket];
    table->buckets[bucket] = number;
    return number * 2 + flipped;
}
