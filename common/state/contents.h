/// state/contents.h - what fills a point: nothing, solid, water, ...
//
// Source:  the numbers of the map formats of Quake and Half-Life.

#ifndef EDICTD_STATE_CONTENTS_H
#define EDICTD_STATE_CONTENTS_H

#include <stdbool.h>

typedef enum {
    CONTENTS_EMPTY = -1,
    CONTENTS_SOLID = -2,
    CONTENTS_WATER = -3,
    CONTENTS_SLIME = -4,
    CONTENTS_LAVA = -5,
    CONTENTS_SKY = -6,
    CONTENTS_ORIGIN = -7,      // for map compilers only
    CONTENTS_CLIP = -8,        // brush lists only: stops boxes, not points
    CONTENTS_CURRENT_0 = -9,   // water that flows along +x
    CONTENTS_CURRENT_90 = -10, // along +y
    CONTENTS_CURRENT_180 = -11,
    CONTENTS_CURRENT_270 = -12,
    CONTENTS_CURRENT_UP = -13,
    CONTENTS_CURRENT_DOWN = -14,
    CONTENTS_TRANSLUCENT = -15, // stops nothing
    CONTENTS_LADDER = -16,
    CONTENTS_MONSTERCLIP = -17, // brush lists only: stops monsters
    CONTENTS_PUSH = -18,        // triggers only: throws the players that touch it
    CONTENTS_PUSH_ONCE = -19    // the same, then it is removed
} contents_t;

/// Returns true for a trigger that gives players its surface_velocity. It does not carry them.
static inline bool Contents_IsPad(int contents) {
    return contents == CONTENTS_PUSH || contents == CONTENTS_PUSH_ONCE;
}

#endif
