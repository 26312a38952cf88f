/// move/pmove.h - moves one player: the same code on the server and in the client's prediction.
//
// Floor:   move. Queries the world only through pm_world_t.
// Units:   qu, qu/s, degrees, ms.
// Memory:  all state is in the player_state_t.
// Repeat:  the same state, input and answers of the world give exactly the same result.

#ifndef EDICTD_MOVE_PMOVE_H
#define EDICTD_MOVE_PMOVE_H

#include "math/bounds.h"
#include "state/contact.h"
#include "state/movevars.h"
#include "state/player_state.h"
#include "state/trace.h"
#include "state/usercmd.h"

#define PM_MAX_TOUCH 32 // edicts reported per move

/// All volumes that a box touches, combined into one.
typedef struct {
    bool ladder;          ///< true if a ladder is among them; ladder_normal is then set
    vec3_t ladder_normal; ///< unit vector from the ladder towards the climber
    vec3_t current;       ///< sum of the volumes' velocities, qu/s
} pm_volume_t;

typedef struct {
    vec3_t velocity;  ///< velocity of a conveyor, qu/s
    vec3_t moving_at; ///< velocity of the pusher at this point, qu/s; it carries its riders itself,
                      ///< but a player who leaves it keeps this velocity (sv_pushermomentum)
    float friction;   ///< factor of sv_friction; 0 counts as 1
} pm_surface_t;

/// The world as callbacks. Their results must not change during a step. Optional ones may be NULL.
typedef struct {
    void *context;
    /// Sweeps a box against everything that is solid to this player.
    trace_t (*trace)(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end);
    /// Returns the contents at a point: solid of the world or a brush edict, or a liquid.
    contents_t (*point_contents)(void *context, vec3_t point);
    /// Optional; called before a step. Prepares a query cache around the box that will move.
    void (*prefetch)(void *context, vec3_t origin, vec3_t mins, vec3_t maxs);
    /// Optional. Returns the volumes (ladders, moving water) whose exact shapes a box touches.
    pm_volume_t (*volume)(void *context, vec3_t absmin, vec3_t absmax);
    /// Optional. Returns the surface of edict `entnum` at a point.
    pm_surface_t (*surface)(void *context, int32_t entnum, vec3_t at);
    /// Needed only for MOVER_DROP (body.h). Writes the contacts of a resting box, deepest first,
    /// and the edict of each (0 = the world). Writes at most `max` and returns their number.
    int32_t (*overlap)(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                       int32_t max);
} pm_world_t;

/// The input of one step: a usercmd in floats.
typedef struct {
    vec3_t angles;           ///< pitch, yaw and roll of the view, degrees
    float forward, side, up; ///< wished speed along the view, qu/s
    uint32_t buttons;        ///< BUTTON_*
} pm_input_t;

/// The edicts that a move hit or landed on, each once, in order.
typedef struct {
    int32_t entnums[PM_MAX_TOUCH];
    int32_t count;
    int32_t dropped; ///< edicts left out beyond PM_MAX_TOUCH
} pm_touch_t;

/// Converts a usercmd to an input: pitch in [-180, 180), yaw in [0, 360).
pm_input_t PM_InputFromCmd(const usercmd_t *cmd);

/// Moves the player by one step of `step_ms` (1..MAX_CMD_MSEC). Clamps invalid input and velocity;
/// NaN becomes 0. Limits the speed along each axis to sv_maxvelocity. Does not move a player beyond
/// 2 * MAX_WORLD_COORD.
void PM_Move(player_state_t *player, const pm_input_t *input, int32_t step_ms,
             const movevars_t *vars, const pm_world_t *world, pm_touch_t *touch);

/// A hook called after each sub-step, for triggers and the game; it may change the player. Returns
/// false to stop the rest of the command. `cmd` is the command as the sub-step used it, but msec is
/// the sub-step's length, buttons has all buttons pressed in it, and impulse is 0.
typedef struct {
    void *context;
    bool (*after_step)(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch);
} pm_hooks_t;

/// Runs the first `msec` ms of a command in sub-steps of vars->pm_step_ms. Time shorter than a
/// sub-step is left for the next call, so the result does not depend on how time is divided into
/// commands. If pm_step_ms is 0, runs one step of `msec`. hooks may be NULL.
void PM_RunCommand(player_state_t *player, const usercmd_t *cmd, int32_t msec,
                   const movevars_t *vars, const pm_world_t *world, const pm_hooks_t *hooks);

bounds_t PM_PlayerBox(const movevars_t *vars, bool ducked);

/// Returns the height of the eyes above the origin, also during a duck.
float PM_ViewHeight(const player_state_t *player, const movevars_t *vars);

/// Returns true if the player's box at its origin overlaps nothing solid.
bool PM_PositionIsFree(const player_state_t *player, const pm_world_t *world);

#endif
