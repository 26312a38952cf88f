/// collide/segment.h - a piece of a sweep, and how planes cut it. Inside of collide/ only.
//
// Floor:   collide.
// Units:   qu; fractions of the whole sweep; shares of a segment.
// Repeat:  hull.c and box.c must cut alike: a box is a hull of six planes.

#ifndef EDICTD_COLLIDE_SEGMENT_H
#define EDICTD_COLLIDE_SEGMENT_H

#include "state/trace.h"

/// How much of the cut segment a stop goes back at a time while it is still in solid.
#define CM_BACKUP_STEP 0.1f

/// From p1 at fraction f1 of the sweep to p2 at fraction f2. Arrays: planes index the axis.
typedef struct {
    float p1[3], f1;
    float p2[3], f2;
} segment_t;

/// The share of a segment that ends CM_DIST_EPSILON on the near side of a plane, [0, 1]. t1 and t2
/// are the distances of its ends to the plane; they lie on different sides.
static inline float Segment_NearShare(float t1, float t2) {
    float share = (t1 < 0.0f ? t1 + CM_DIST_EPSILON : t1 - CM_DIST_EPSILON) / (t1 - t2);
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

/// Sets the end of *part to where `share` of `whole` ends.
static inline void Segment_End(segment_t *part, const segment_t *whole, float share) {
    part->f2 = whole->f1 + (whole->f2 - whole->f1) * share;
    part->p2[0] = whole->p1[0] + share * (whole->p2[0] - whole->p1[0]);
    part->p2[1] = whole->p1[1] + share * (whole->p2[1] - whole->p1[1]);
    part->p2[2] = whole->p1[2] + share * (whole->p2[2] - whole->p1[2]);
}

#endif
