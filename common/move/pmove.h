/// move/pmove.h - moves one player, on the server and in the client's prediction.
//
// Queries the world only through pm_world_t.
// Units:   qu, qu/s, degrees, ms.
// Memory:  all state is in the player_state_t.
// Repeat:  the same state, input and world give exactly the same result.

#ifndef EDICTD_MOVE_PMOVE_H
#define EDICTD_MOVE_PMOVE_H

#include "math/bounds.h"
#include "state/contact.h"
#include "state/movevars.h"
#include "state/player_state.h"
#include "state/trace.h"
#include "state/usercmd.h"

#define PM_MAX_TOUCH 32 // edicts reported per move

/// All volumes that a box touches, as one.
typedef struct {
    bool ladder;          ///< a ladder is touched; ladder_normal is set
    vec3_t ladder_normal; ///< unit vector from ladder to climber
    vec3_t current;       ///< sum of the volumes' velocities, qu/s
    float friction;       ///< factor of sv_friction on the ground; 0 counts as 1
} pm_volume_t;

typedef struct {
    vec3_t velocity;  ///< velocity of a conveyor, qu/s
    vec3_t moving_at; ///< velocity of the pusher here, qu/s; kept on leaving (sv_pushermomentum)
    float friction;   ///< factor of sv_friction; 0 counts as 1
    bool is_pusher;   ///< the edict has MOVETYPE_PUSH
} pm_surface_t;

/// The world as callbacks. Results must not change during a step. Optional callbacks may be NULL.
typedef struct {
    void *context;
    /// Sweeps a box against everything solid to this player.
    trace_t (*trace)(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end);
    /// For move/vehicle.h only. Sweeps a box against the map and brush models.
    trace_t (*trace_brushes)(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end);
    /// Returns the contents at a point: solid of the world or a brush edict, or liquid.
    contents_t (*point_contents)(void *context, vec3_t point);
    /// Optional; called before a step, to fill a query cache.
    void (*prefetch)(void *context, vec3_t origin, vec3_t mins, vec3_t maxs);
    /// Optional. Returns the volumes (ladders, moving water) that a box touches.
    pm_volume_t (*volume)(void *context, vec3_t absmin, vec3_t absmax);
    /// Optional. Returns the surface of edict `entnum` at a point.
    pm_surface_t (*surface)(void *context, int32_t entnum, vec3_t at);
    /// For MOVER_DROP only. Writes at most `max` contacts of a resting box, deepest first, and the
    /// edict of each (0 = the world). Returns their number.
    int32_t (*overlap)(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                       int32_t max);
} pm_world_t;

/// The input of one step: a usercmd in floats.
typedef struct {
    vec3_t angles;           ///< pitch, yaw and roll of the view, degrees
    float forward, side, up; ///< wished speed along the view, qu/s
    uint32_t buttons;        ///< BUTTON_*
} pm_input_t;

/// The edicts that a move hit or landed on, once each.
typedef struct {
    int32_t entnums[PM_MAX_TOUCH];
    int32_t count;
    int32_t dropped; ///< edicts beyond PM_MAX_TOUCH
} pm_touch_t;

/// Converts a usercmd: pitch to [-180, 180), yaw to [0, 360).
pm_input_t PM_InputFromCmd(const usercmd_t *cmd);

/// Moves the player for `step_ms` ms, 1..MAX_CMD_MSEC. Clamps invalid input and velocity; NaN
/// becomes 0. Limits the speed per axis to sv_maxvelocity. Never moves a player beyond 2 *
/// MAX_WORLD_COORD.
void PM_Move(player_state_t *player, const pm_input_t *input, int32_t step_ms,
             const movevars_t *vars, const pm_world_t *world, pm_touch_t *touch);

/// A hook called after each sub-step, for triggers and the game. It may change the player. Return
/// false to stop the command. In `cmd`, msec is the sub-step's length, buttons has every button
/// pressed in it, and impulse is 0.
typedef struct {
    void *context;
    bool (*after_step)(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch);
} pm_hooks_t;

/// Runs the first `msec` ms of a command in sub-steps of vars->pm_step_ms. Time shorter
/// than a sub-step waits for the next call, so the result does not depend on how time is divided
/// into commands. If pm_step_ms is 0, runs one step. hooks may be NULL.
void PM_RunCommand(player_state_t *player, const usercmd_t *cmd, int32_t msec,
                   const movevars_t *vars, const pm_world_t *world, const pm_hooks_t *hooks);

bounds_t PM_PlayerBox(const movevars_t *vars, bool ducked);

/// Returns the height of the eyes above the origin.
float PM_ViewHeight(const player_state_t *player, const movevars_t *vars);

/// Returns true if the player's box overlaps nothing solid.
bool PM_PositionIsFree(const player_state_t *player, const pm_world_t *world);

#endif
