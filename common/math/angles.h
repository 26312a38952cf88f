/// math/angles.h - view angles and our own sine, cosine and arc tangent.
//
// Floor:   math.
// Units:   degrees. angles are {x = pitch, y = yaw, z = roll}; pitch > 0 looks down, yaw turns
//          counter-clockwise seen from above, 0 is +x.
// Repeat:  polynomials in double with +, - and * only: the same bits on every CPU. libm's
//          functions differ between versions and are not used in the simulation.

#ifndef EDICTD_MATH_ANGLES_H
#define EDICTD_MATH_ANGLES_H

#include "math/vec3.h"

/// Sine and cosine of an angle. Exact at multiples of 90; elsewhere the nearest float or its
/// neighbour. Any finite angle within +-2^30; outside, and for NaN, those of 0.
void SinCos(float degrees, float *sine, float *cosine);

/// The angle of (x, y) in (-180, 180]; 0 for (0, 0). Error below 1e-5 degrees.
float Atan2(float y, float x);

/// The three unit vectors of a view. Any may be NULL.
void AngleVectors(vec3_t angles, vec3_t *forward, vec3_t *right, vec3_t *up);

/// Pitch and yaw that look along v (roll 0); zero for a zero vector.
vec3_t VectorAngles(vec3_t v);

/// The angle in [0, 360).
float AngleMod(float degrees);

/// The angle in [-180, 180).
float AngleNormalize180(float degrees);

/// An angle as 16 bits on the wire: 65536 to a full turn.
uint16_t AngleToShort(float degrees);

/// The angle of AngleToShort, in [0, 360), exact in a float.
static inline float ShortToAngle(uint16_t angle) {
    return (float)angle * (360.0f / 65536.0f);
}

#endif
