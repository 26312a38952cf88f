/// state/player_state.h - all that pmove reads and writes of a player. It travels bit-exact to its
/// owner, so that prediction goes on from the server's very bits.
//
// Floor:   state.
// Memory:  plain data without padding; lies in the world block.

#ifndef EDICTD_STATE_PLAYER_STATE_H
#define EDICTD_STATE_PLAYER_STATE_H

#include "math/vec3.h"

typedef enum {
    PM_NORMAL,    ///< walks, swims, falls
    PM_SPECTATOR, ///< flies through everything
    PM_DEAD,      ///< falls, takes no input
    PM_FROZEN,    ///< does not move at all
    PM_DRIVING,   ///< is a vehicle: its box is that, view and heading are two things
    PM_TYPE_COUNT
} pm_type_t;

#define PMF_JUMP_HELD (1u << 0) // jump is still down since the last jump: no new one
#define PMF_ONGROUND  (1u << 1)
#define PMF_TELEPORT  (1u << 2) // toggles at each teleport: do not interpolate across
#define PMF_DUCKED    (1u << 3) // has the ducked box
#define PMF_DUCKING   (1u << 4) // on the way down, still with the standing box
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
    int32_t jump_ms;       ///< ms since the last jump, as long as the field's engines count it
    int32_t step_ms;       ///< time not yet moved: less than a sub-step
    uint32_t step_buttons; ///< OR of the buttons held during step_ms
    int32_t
        delta_yaw; ///< 0..65535, AngleToShort added to the yaw of every command: a teleport's turn
    float gravity; ///< multiplier of sv_gravity; 0 counts as 1
    vec3_t basevelocity; ///< qu/s; of what carries it: its own on leaving that
    int32_t carrier;     ///< edict number basevelocity belongs to, 0 = the world, -1 = in the air
    int32_t duck_ms;     ///< ms it has been ducking down
    float heading,
        steer;      ///< degrees, PM_DRIVING: where the vehicle heads; its wheels, + to the left
    int32_t health; ///< for the owner's display; 0 or less is dead
} player_state_t;

_Static_assert(sizeof(player_state_t) == 136, "no padding");

/// The player's box of the `quake` profile: origin at the belly.
#define PM_PLAYER_MINS ((vec3_t){-16.0f, -16.0f, -24.0f})
#define PM_PLAYER_MAXS ((vec3_t){16.0f, 16.0f, 32.0f})
#define PM_VIEW_HEIGHT 22.0f // qu above the origin

#endif
