/// base/rng.h - seeded random numbers for simulation and tests (splitmix64). Not for secrets.
//
// Memory:  the caller's.
// Repeat:  the same seed gives the same numbers on every CPU.
// Source:  Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).

#ifndef EDICTD_BASE_RNG_H
#define EDICTD_BASE_RNG_H

#include "base/types.h"

typedef struct {
    uint64_t state;
} rng_t;

static inline uint64_t Rng_Next(rng_t *rng) {
    rng->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = rng->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// Returns an integer in 0..count-1. `count` must be at least 1.
static inline uint32_t Rng_Below(rng_t *rng, uint32_t count) {
    return (uint32_t)(((Rng_Next(rng) >> 32) * count) >> 32);
}

/// Returns a float in [0, 1), a multiple of 2^-24.
static inline float Rng_Float(rng_t *rng) {
    return (float)(Rng_Next(rng) >> 40) * (1.0f / 16777216.0f);
}

/// Returns a float in [lo, hi).
static inline float Rng_Range(rng_t *rng, float lo, float hi) {
    return lo + (hi - lo) * Rng_Float(rng);
}

#endif
