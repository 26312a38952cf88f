/// math/angles.h - view angles, and a sine, cosine and arc tangent that are equal on all CPUs.
//
// Units:   degrees. Angles are {x = pitch, y = yaw, z = roll}. A positive pitch looks down. Yaw is
//          counter-clockwise, seen from above; yaw 0 looks along +x.
// Repeat:  the polynomials use only +, - and * on doubles, so every CPU gives the same result.
//          libm's functions differ between versions, so the simulation does not use them.

#ifndef EDICTD_MATH_ANGLES_H
#define EDICTD_MATH_ANGLES_H

#include "math/vec3.h"

EXTERN_C_BEGIN

/// Writes sine and cosine of an angle. They are exact at multiples of 90, otherwise the nearest
/// float or its neighbour. An angle beyond +-2^30, or NaN, counts as 0.
void SinCos(float degrees, float *sine, float *cosine);

/// Returns the angle of (x, y) in (-180, 180], or 0 for (0, 0). The error is below 1e-5 degrees.
float Atan2(float y, float x);

/// Writes the three unit vectors of a view. Each pointer may be NULL.
void AngleVectors(vec3_t angles, vec3_t *forward, vec3_t *right, vec3_t *up);

/// Returns the angles that look along v, with roll 0; zero for a zero vector.
vec3_t VectorAngles(vec3_t v);

/// Returns the same direction as an angle in [0, 360).
float AngleMod(float degrees);

/// Returns the same direction as an angle in [-180, 180).
float AngleNormalize180(float degrees);

/// Converts an angle to 16 bits: 65536 is a full turn.
uint16_t AngleToShort(float degrees);

/// Converts a 16-bit angle to degrees in [0, 360), exactly.
static inline float ShortToAngle(uint16_t angle) {
    return (float)angle * (360.0f / 65536.0f);
}

EXTERN_C_END

#endif
