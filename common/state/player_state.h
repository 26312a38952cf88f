/// state/player_state.h - the state of a player, which pmove changes and the client predicts.
//
// Memory:  plain data without padding, in the world block.

#ifndef EDICTD_STATE_PLAYER_STATE_H
#define EDICTD_STATE_PLAYER_STATE_H

#include "math/vec3.h"
#include "state/movetype.h"

typedef enum {
    PM_NORMAL,    ///< moves by its movetype
    PM_SPECTATOR, ///< flies through everything
    PM_DEAD,      ///< moves by its movetype, but ignores input
    PM_FROZEN,    ///< does not move at all, nor does its view
    PM_DRIVING,   ///< is a vehicle; view and heading are independent
    PM_TYPE_COUNT
} pm_type_t;

#define PMF_JUMP_HELD (1u << 0) // the jump button is held since the last jump
#define PMF_ONGROUND  (1u << 1)
#define PMF_DUCKED    (1u << 3) // has the ducked box
#define PMF_DUCKING   (1u << 4) // is ducking, with the standing box
#define PMF_ONLADDER  (1u << 5)
#define PMF_WATCHED   (1u << 6)  // the state of another player, edict `carrier`; in snapshots only
#define PMF_USE_HELD  (1u << 7)  // the use button was held in the last sub-step
#define PMF_TELEPORT  (63u << 8) // counts teleports; do not interpolate between two counts

#define PMF_TELEPORT_STEP (1u << 8)

/// Adds 1 to the counter in the bits `mask`, of which `step` is the lowest. 0 follows its maximum.
static inline uint32_t Flags_Count(uint32_t flags, uint32_t mask, uint32_t step) {
    return (flags & ~mask) | ((flags + step) & mask);
}

typedef cl_player_state_t player_state_t;

static_assert(sizeof(player_state_t) == 140, "player_state_t must have no padding");

/// The player's box in the `quake` profile; feet 24 qu below the origin.
#define PM_PLAYER_MINS Vector(-16.0f, -16.0f, -24.0f)
#define PM_PLAYER_MAXS Vector(16.0f, 16.0f, 32.0f)
#define PM_VIEW_HEIGHT 22.0f // qu above the origin

#endif
