/// math/angles.h - view angles, and a sine, cosine and arc tangent that are equal on all CPUs.
//
// Units:   degrees: {x = pitch, y = yaw, z = roll}. A positive pitch looks down. Yaw 0 is +x; yaw
//          turns counter-clockwise, seen from above.
// Repeat:  doubles with +, - and * only; equal on every CPU. The simulation must not use libm's
//          functions.

#ifndef EDICTD_MATH_ANGLES_H
#define EDICTD_MATH_ANGLES_H

#include "math/vec3.h"

EXTERN_C_BEGIN

/// Writes sine and cosine, exact at multiples of 90. An angle beyond +-2^30, or NaN, counts as 0.
void SinCos(float degrees, float *sine, float *cosine);

/// Returns the angle of (x, y) in (-180, 180]; 0 for (0, 0). The error is below 1e-5 degrees.
float Atan2(float y, float x);

/// Writes the unit vectors of a view. Pointers may be NULL.
void AngleVectors(vec3_t angles, vec3_t *forward, vec3_t *right, vec3_t *up);

/// Returns the angles that look along v; roll is 0. A zero vector gives zero.
vec3_t VectorAngles(vec3_t v);

/// Returns the angles of a rotation matrix with the columns forward, left and up. If forward is
/// vertical, the roll is 0.
vec3_t MatrixAngles(double m[3][3]);

/// Returns the angle modulo 360, in [0, 360).
float AngleMod(float degrees);

/// Returns the angle modulo 360, in [-180, 180).
float AngleNormalize180(float degrees);

/// Converts an angle to 16 bits: 65536 is a full turn.
uint16_t AngleToShort(float degrees);

/// Converts a 16-bit angle to degrees in [0, 360), exactly.
static inline float ShortToAngle(uint16_t angle) {
    return (float)angle * (360.0f / 65536.0f);
}

EXTERN_C_END

#endif
