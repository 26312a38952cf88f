/// mesh/place.h - places, turns and scales of a file's nodes, in double.
//
// Floor:   tool.
// Units:   whatever the caller counts in.
// Memory:  none.
// Repeat:  + - * / and square roots only: the same bits on every CPU.

#ifndef EDICTD_TOOLS_MESH_PLACE_H
#define EDICTD_TOOLS_MESH_PLACE_H

#include "base/types.h"

typedef struct {
    double x, y, z;
} dvec_t;

/// A unit quaternion.
typedef struct {
    double x, y, z, w;
} turn_t;

/// Any place: three axes and an origin as columns of three rows.
typedef struct {
    double m[3][4];
} place_t;

/// A place whose axes stand at right angles and are scaled alike: turned, scaled, then moved.
typedef struct {
    turn_t turn;
    double scale;
    dvec_t at;
} similar_t;

/// Why a place is no similar_t.
typedef enum {
    PLACE_IS_SIMILAR,
    PLACE_NOT_FINITE,
    PLACE_FLAT,      ///< an axis has no length
    PLACE_STRETCHED, ///< axes have different lengths
    PLACE_SHEARED,   ///< axes do not stand at right angles
    PLACE_MIRRORED
} place_fault_t;

/// 0 for what is nearly 0: the rounding of floats that a file had.
double ME_Tidy(double v);

/// Where nothing is moved.
place_t ME_NoPlace(void);
similar_t ME_NoSimilar(void);

/// What `inner` has, seen from outside of `outer`.
place_t ME_Combine(const place_t *outer, const place_t *inner);
similar_t ME_CombineSimilar(const similar_t *outer, const similar_t *inner);

dvec_t ME_PointOf(const place_t *place, dvec_t p);

/// A point in the place's space as one outside, and the way back.
dvec_t ME_PointOut(const similar_t *place, dvec_t p);
dvec_t ME_PointIn(const similar_t *place, dvec_t p);

/// The axes of a place as unit vectors and their lengths, below 0 for the last one of a mirrored
/// place; together they turn. Lengths may differ. PLACE_FLAT, PLACE_SHEARED, PLACE_NOT_FINITE
/// otherwise; `lengths` are set in any case.
place_fault_t ME_AxesOf(const place_t *place, dvec_t axes[3], double lengths[3]);

/// The place as a similar_t. `lengths` are those of its axes, for errors.
place_fault_t ME_SimilarOf(const place_t *place, similar_t *out, double lengths[3]);

/// What is wrong, in words that go on "expected a node ...".
const char *ME_FaultText(place_fault_t fault);

/// The turn that has the world's axes at these, which stand at right angles and are of length 1.
turn_t ME_TurnOfAxes(const dvec_t axes[3]);

turn_t ME_TurnBy(turn_t outer, turn_t inner);
dvec_t ME_Turned(turn_t turn, dvec_t v);

/// Part of the shorter way from a to b at an even pace, as glTF wants it; share in [0, 1].
turn_t ME_TurnBetween(turn_t a, turn_t b, double share);

/// Makes its length 1; false: its length is further from that than a tenth, or it is not finite.
bool ME_TurnIsUnit(turn_t *turn);

static inline double ME_Dot(dvec_t a, dvec_t b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

#endif
