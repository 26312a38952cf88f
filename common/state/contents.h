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
    CONTENTS_PUSH_ONCE = -19,   // the same, then it is removed
    CONTENTS_CONTROLS = -20,    // triggers only: controls of the pusher that carries it, free
    CONTENTS_MANNED = -21       // the same, with a player at them
} contents_t;

/// Returns true for a trigger that gives players its surface_velocity. It does not carry them.
static inline bool Contents_IsPad(int contents) {
    return contents == CONTENTS_PUSH || contents == CONTENTS_PUSH_ONCE;
}

/// Returns true for controls.
static inline bool Contents_IsControls(int contents) {
    return contents == CONTENTS_CONTROLS || contents == CONTENTS_MANNED;
}

/// Returns true for contents of a trigger that act on the movement of all that is inside.
static inline bool Contents_IsVolume(int contents) {
    return contents != 0 && !Contents_IsPad(contents) && !Contents_IsControls(contents);
}

#endif
