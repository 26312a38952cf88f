/// state/player_state.h - the state of a player that pmove reads and writes. Its owner receives it
/// bit-exact and predicts from it.
//
// Memory:  plain data without padding; lies in the world block.

#ifndef EDICTD_STATE_PLAYER_STATE_H
#define EDICTD_STATE_PLAYER_STATE_H

#include "math/vec3.h"

typedef enum {
    PM_NORMAL,    ///< walks, swims, falls
    PM_SPECTATOR, ///< flies through everything
    PM_DEAD,      ///< falls, takes no input
    PM_FROZEN,    ///< does not move at all
    PM_DRIVING,   ///< drives a vehicle: has its box; view and heading differ
    PM_TYPE_COUNT
} pm_type_t;

#define PMF_JUMP_HELD (1u << 0) // jump is held since the last jump; no new jump
#define PMF_ONGROUND  (1u << 1)
#define PMF_TELEPORT  (1u << 2) // toggles at each teleport; do not interpolate across it
#define PMF_DUCKED    (1u << 3) // has the ducked box
#define PMF_DUCKING   (1u << 4) // is ducking down, still with the standing box
#define PMF_ONLADDER  (1u << 5)

typedef struct {
    vec3_t origin;         ///< qu
    vec3_t velocity;       ///< qu/s
    vec3_t mins, maxs;     ///< qu, the box around origin
    vec3_t angles;         ///< degrees, view of the last sub-step
    int32_t pm_type;       ///< pm_type_t
    uint32_t flags;        ///< PMF_*
    int32_t groundentity;  ///< edict stood on, 0 = world, -1 = in the air
    int32_t waterlevel;    ///< 0 none, 1 feet, 2 waist, 3 eyes
    int32_t watertype;     ///< contents_t at the feet
    int32_t waterjump_ms;  ///< ms left of jumping out of water
    int32_t jump_ms;       ///< ms since the last jump, counted only as long as pmove needs it
    int32_t step_ms;       ///< time not moved yet; less than a sub-step
    uint32_t step_buttons; ///< OR of the buttons held during step_ms
    int32_t delta_yaw;     ///< 0..65535, added to the yaw of each command; set by teleports
    float gravity;         ///< multiplier of sv_gravity; 0 counts as 1
    vec3_t basevelocity;   ///< qu/s, of the carrier; added to its own velocity when it leaves
    int32_t carrier;       ///< edict that gives basevelocity, 0 = world, -1 = in the air
    int32_t duck_ms;       ///< ms since it began to duck
    float heading,
        steer;      ///< degrees, PM_DRIVING: direction of the vehicle; of its wheels, + is left
    int32_t health; ///< for display; 0 or less is dead
} player_state_t;

static_assert(sizeof(player_state_t) == 136, "no padding");

/// The player's box of the `quake` profile: origin at the belly.
#define PM_PLAYER_MINS Vector(-16.0f, -16.0f, -24.0f)
#define PM_PLAYER_MAXS Vector(16.0f, 16.0f, 32.0f)
#define PM_VIEW_HEIGHT 22.0f // qu above the origin

#endif
