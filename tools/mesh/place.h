/// mesh/place.h - transforms (rotation, scale and position) in double precision.
//
// Units:   the caller's.
// Repeat:  bit-identical on every CPU; uses only + - * / and square roots.

#ifndef EDICTD_TOOLS_MESH_PLACE_H
#define EDICTD_TOOLS_MESH_PLACE_H

#include "math/dvec.h"

typedef struct {
    double x, y, z, w;
} turn_t;

/// An affine transform. The columns are the three axes and the origin.
typedef struct {
    double m[3][4];
} place_t;

/// A transform with orthogonal axes of equal length. It rotates, then scales, then moves.
typedef struct {
    turn_t turn;
    double scale;
    dvec_t at;
} similar_t;

/// The reason why a transform cannot be a similar_t.
typedef enum {
    PLACE_IS_SIMILAR,
    PLACE_NOT_FINITE,
    PLACE_FLAT,      ///< an axis is shorter than 1e-9
    PLACE_STRETCHED, ///< axes have different lengths
    PLACE_SHEARED,   ///< axes are not orthogonal
    PLACE_MIRRORED
} place_fault_t;

/// Returns v, or 0 if v is nearly 0.
double ME_Tidy(double v);

/// Return the identity transform.
place_t ME_NoPlace(void);
similar_t ME_NoSimilar(void);

/// Return the transform that applies `inner` first, then `outer`.
place_t ME_Combine(const place_t *outer, const place_t *inner);
similar_t ME_CombineSimilar(const similar_t *outer, const similar_t *inner);

dvec_t ME_PointOf(const place_t *place, dvec_t p);

/// Applies a transform to a point. ME_PointIn applies the inverse.
dvec_t ME_PointOut(const similar_t *place, dvec_t p);
dvec_t ME_PointIn(const similar_t *place, dvec_t p);

/// Splits a transform into unit axes and lengths. If the transform mirrors, the third length is
/// negative.
place_fault_t ME_AxesOf(const place_t *place, dvec_t axes[3], double lengths[3]);

/// Converts a transform to a similar_t. Writes the lengths of the axes to `lengths`.
place_fault_t ME_SimilarOf(const place_t *place, similar_t *out, double lengths[3]);

/// Returns the end of an error message that begins with "expected a node ".
const char *ME_FaultText(place_fault_t fault);

/// Returns the rotation that turns the world's axes into `axes`, which are orthogonal unit vectors.
turn_t ME_TurnOfAxes(const dvec_t axes[3]);

turn_t ME_TurnBy(turn_t outer, turn_t inner);
dvec_t ME_Turned(turn_t turn, dvec_t v);

/// Interpolates between two rotations along the shorter arc. `share`: 0 returns a, 1 returns b.
turn_t ME_TurnBetween(turn_t a, turn_t b, double share);

/// Normalizes a quaternion. Returns false if the length is not within 0.9..1.1.
bool ME_TurnIsUnit(turn_t *turn);

#endif
