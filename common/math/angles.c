#include "math/angles.h"

#include <string.h>

#define LARGEST_ANGLE 1073741824.0f // 2^30; larger floats are at least 128 degrees apart
#define DEG_TO_RAD    0.017453292519943295769

// Returns the sine in [-45, 45] degrees, by a Taylor series with an error below 2e-15.
static double sine_of_eighth(double rad) {
    double s = rad * rad;
    double p = 1.0 / 6227020800.0;
    p = p * s - 1.0 / 39916800.0;
    p = p * s + 1.0 / 362880.0;
    p = p * s - 1.0 / 5040.0;
    p = p * s + 1.0 / 120.0;
    p = p * s - 1.0 / 6.0;
    return rad + rad * s * p;
}

static double cosine_of_eighth(double rad) {
    double s = rad * rad;
    double p = 1.0 / 479001600.0;
    p = p * s - 1.0 / 3628800.0;
    p = p * s + 1.0 / 40320.0;
    p = p * s - 1.0 / 720.0;
    p = p * s + 1.0 / 24.0;
    p = p * s - 0.5;
    return 1.0 + s * p;
}

void SinCos(float degrees, float *sine, float *cosine) {
    if (degrees == 0.0f) { // frequent: the roll of a view, and angles at rest
        *sine = 0.0f;
        *cosine = 1.0f;
        return;
    }
    if (!(fabsf(degrees) <= LARGEST_ANGLE)) {
        degrees = 0.0f;
    }
    // Reduce in degrees, where the remainder of a quarter turn is exact. The product with 1/90
    // selects the same quarter as a division.
    double turn = (double)degrees;
    int64_t quarters = (int64_t)(turn * (1.0 / 90.0) + (turn < 0.0 ? -0.5 : 0.5));
    double rad = (turn - (double)quarters * 90.0) * DEG_TO_RAD;
    float s = (float)sine_of_eighth(rad);
    float c = (float)cosine_of_eighth(rad);
    // Each quarter turn swaps sine and cosine and flips a sign. Bit operations avoid branches,
    // which the CPU mispredicts.
    uint32_t sine_bits;
    uint32_t cosine_bits;
    memcpy(&sine_bits, &s, sizeof s);
    memcpy(&cosine_bits, &c, sizeof c);
    const uint32_t quarter = (uint32_t)quarters & 3;
    const uint32_t swapped = (sine_bits ^ cosine_bits) & (0u - (quarter & 1));
    sine_bits = (sine_bits ^ swapped) ^ (quarter >> 1) << 31;
    cosine_bits = (cosine_bits ^ swapped) ^ (quarter >> 1 ^ (quarter & 1)) << 31;
    memcpy(sine, &sine_bits, sizeof s);
    memcpy(cosine, &cosine_bits, sizeof c);
}

// Returns the arc tangent of x in [0, 1]. Above 1/4, atan(x) = atan(1/2) + atan(t) with t = (x -
// 1/2) / (1 + x/2).
static double arc_tangent_unit(double x) {
    const double atan_half = 0.46364760900080611621;
    double base = 0.0;
    double t = x;
    if (x > 0.25) {
        base = atan_half;
        t = (x - 0.5) / (1.0 + 0.5 * x);
    }
    double s = t * t;
    double sum = 0.0;
    for (int32_t k = 27; k >= 1; k -= 2) {
        sum = 1.0 / (double)k - s * sum;
    }
    return base + t * sum;
}

float Atan2(float y, float x) {
    double ax = fabs((double)x);
    double ay = fabs((double)y);
    if (!(ax > 0.0) && !(ay > 0.0)) {
        return 0.0f;
    }
    double degrees = ay <= ax ? arc_tangent_unit(ay / ax) / DEG_TO_RAD
                              : 90.0 - arc_tangent_unit(ax / ay) / DEG_TO_RAD;
    if (x < 0.0f) {
        degrees = 180.0 - degrees;
    }
    return (float)(y < 0.0f ? -degrees : degrees);
}

void AngleVectors(vec3_t angles, vec3_t *forward, vec3_t *right, vec3_t *up) {
    float sp, cp, sy, cy, sr, cr;
    SinCos(angles.x, &sp, &cp);
    SinCos(angles.y, &sy, &cy);
    SinCos(angles.z, &sr, &cr);
    if (forward) {
        *forward = Vector(cp * cy, cp * sy, -sp);
    }
    if (right) {
        *right = Vector(cr * sy - sr * sp * cy, -(cr * cy) - sr * sp * sy, -(sr * cp));
    }
    if (up) {
        *up = Vector(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp);
    }
}

vec3_t MatrixAngles(double m[3][3]) {
    float flat = sqrtf((float)(m[0][0] * m[0][0] + m[1][0] * m[1][0]));
    float pitch = Atan2((float)-m[2][0], flat);
    if (flat < 1e-6f) {
        return Vector(pitch, Atan2((float)-m[0][1], (float)m[1][1]), 0.0f);
    }
    return Vector(pitch, Atan2((float)m[1][0], (float)m[0][0]),
                  Atan2((float)m[2][1], (float)m[2][2]));
}

vec3_t VectorAngles(vec3_t v) {
    float flat = sqrtf(v.x * v.x + v.y * v.y);
    return Vector(-Atan2(v.z, flat), Atan2(v.y, v.x), 0.0f);
}

float AngleMod(float degrees) {
    if (!(fabsf(degrees) <= LARGEST_ANGLE)) {
        return 0.0f;
    }
    float turned = degrees - 360.0f * floorf(degrees / 360.0f);
    return turned >= 360.0f || turned < 0.0f ? 0.0f : turned;
}

float AngleNormalize180(float degrees) {
    float turned = AngleMod(degrees);
    return turned >= 180.0f ? turned - 360.0f : turned;
}

uint16_t AngleToShort(float degrees) {
    return (uint16_t)(Q_ToInt(AngleMod(degrees) * (65536.0f / 360.0f) + 0.5f, 0, 65536) & 0xffff);
}
