/// collide/segment.h - a part of a sweep, and how planes cut it. Private to collide/.
//
// Units:   qu; fractions of the whole sweep; shares of a segment.
// Repeat:  hull.c and box.c must cut alike, because a box is a hull of six planes.

#ifndef EDICTD_COLLIDE_SEGMENT_H
#define EDICTD_COLLIDE_SEGMENT_H

#include "collide/lanes.h"
#include "state/trace.h"

/// Share of a segment by which a stop in solid moves back.
#define CM_BACKUP_STEP 0.1f

/// Distance to a slanted plane below which rounding may confuse its sides, qu. Must be below
/// CM_DIST_EPSILON.
#define CM_GRAZING 0.015625f // qu

/// A point of a sweep: x, y, z, and its fraction of the whole sweep.
typedef union {
    lanes_t v;
    float f[4];
} sweep_point_t;

typedef struct {
    sweep_point_t p1, p2;
} segment_t;

static inline segment_t Segment_Whole(vec3_t start, vec3_t end) {
    return (segment_t){{{start.x, start.y, start.z, 0.0f}}, {{end.x, end.y, end.z, 1.0f}}};
}

static inline sweep_point_t Segment_At(const segment_t *segment, float share) {
    lanes_t shares = {share, share, share, share};
    return (sweep_point_t){segment->p1.v + shares * (segment->p2.v - segment->p1.v)};
}

/// Returns the share of a segment that ends CM_DIST_EPSILON before a plane. t1, t2: distances of
/// the ends to the plane, on different sides.
static inline float Segment_NearShare(float t1, float t2) {
    float share = (t1 < 0.0f ? t1 + CM_DIST_EPSILON : t1 - CM_DIST_EPSILON) / (t1 - t2);
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

#endif
