/// world/bits.h - sets of edict numbers: a bit per edict.
//
// Memory:  the caller's array of Bits_Words(count) words, usually a part of the world block.

#ifndef EDICTD_WORLD_BITS_H
#define EDICTD_WORLD_BITS_H

#include "base/types.h"

static inline int32_t Bits_Words(int32_t count) {
    return (count + 63) / 64;
}

static inline bool Bits_Get(const uint64_t *words, int32_t number) {
    return (words[number >> 6] >> (number & 63)) & 1u;
}

static inline void Bits_Set(uint64_t *words, int32_t number) {
    words[number >> 6] |= UINT64_C(1) << (number & 63);
}

static inline void Bits_Clear(uint64_t *words, int32_t number) {
    words[number >> 6] &= ~(UINT64_C(1) << (number & 63));
}

/// Returns the position of the lowest set bit of a word that is not 0.
static inline int32_t Bits_Lowest(uint64_t word) {
    return __builtin_ctzll(word);
}

/// Returns the lowest number in the set above `after` (-1 or more) and below `count`, or -1.
static inline int32_t Bits_Next(const uint64_t *words, int32_t after, int32_t count) {
    int32_t first = after + 1;
    if (first >= count) {
        return -1;
    }
    int32_t word = first >> 6;
    uint64_t left = words[word] & (~UINT64_C(0) << (first & 63));
    while (left == 0) {
        if (++word >= Bits_Words(count)) {
            return -1;
        }
        left = words[word];
    }
    int32_t found = word * 64 + Bits_Lowest(left);
    return found < count ? found : -1;
}

#endif
