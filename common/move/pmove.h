/// move/pmove.h - moves one player: the same code on the server and in the client's prediction.
//
// Floor:   move. Knows the world only through pm_world_t.
// Units:   qu, qu/s, degrees, ms.
// Memory:  all state is in the player_state_t; nothing is kept between calls.
// Repeat:  same state, same input, same answers of the world = same bits.

#ifndef EDICTD_MOVE_PMOVE_H
#define EDICTD_MOVE_PMOVE_H

#include "math/bounds.h"
#include "state/contact.h"
#include "state/movevars.h"
#include "state/player_state.h"
#include "state/trace.h"
#include "state/usercmd.h"

#define PM_MAX_TOUCH 32

/// All volumes that a box touches, combined.
typedef struct {
    bool ladder;          ///< true: ladder_normal is set
    vec3_t ladder_normal; ///< unit; from the ladder towards the climber
    vec3_t current;       ///< qu/s; sum of the volumes' currents
} pm_volume_t;

/// The surface of the edict that a player stands on.
typedef struct {
    vec3_t velocity;  ///< qu/s; of a conveyor
    vec3_t moving_at; ///< qu/s; velocity of a pusher at this point. The pusher carries its riders
                      ///< itself; a player who leaves it keeps this velocity (sv_pushermomentum)
    float friction;   ///< multiplier of sv_friction; 0 counts as 1
} pm_surface_t;

/// The world, as callbacks. Results must not change during a step. Optional callbacks may be NULL.
typedef struct {
    void *context;
    /// Sweeps a box; it stops at everything that is solid to this player.
    trace_t (*trace)(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end);
    /// Returns the contents at a point: a liquid, or solid of the world and of brush edicts.
    contents_t (*point_contents)(void *context, vec3_t point);
    /// Optional. Called before a step with the box that is going to move, so that the world can
    /// fill a query cache around it. No result may depend on the cache.
    void (*prefetch)(void *context, vec3_t origin, vec3_t mins, vec3_t maxs);
    /// Optional. Returns the volumes (ladders, moving water) that a box touches, by their true
    /// shapes.
    pm_volume_t (*volume)(void *context, vec3_t absmin, vec3_t absmax);
    /// Optional. Returns the surface of edict `entnum` at a point.
    pm_surface_t (*surface)(void *context, int32_t entnum, vec3_t at);
    /// For MOVER_DROP only (body.h), which requires it. Writes the contacts of a resting box with
    /// everything that stops `trace`, and the edict of each contact (0 = the world): at most `max`,
    /// deepest first. Returns how many.
    int32_t (*overlap)(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                       int32_t max);
} pm_world_t;

/// The input of one step: a usercmd in floats.
typedef struct {
    vec3_t angles;           ///< degrees: pitch, yaw, roll
    float forward, side, up; ///< qu/s wished along the view
    uint32_t buttons;        ///< BUTTON_*
} pm_input_t;

/// The edicts that a move bumped into or came to stand on, each once, in order.
typedef struct {
    int32_t entnums[PM_MAX_TOUCH];
    int32_t count;
    int32_t dropped; ///< further edicts, beyond PM_MAX_TOUCH
} pm_touch_t;

/// Converts a usercmd to an input: pitch in [-180, 180), yaw in [0, 360).
pm_input_t PM_InputFromCmd(const usercmd_t *cmd);

/// Moves the player by one step of `step_ms` (1..MAX_CMD_MSEC). Accepts any input and velocity: NaN
/// counts as 0, other values are clamped. Before and after the step no speed along an axis is above
/// sv_maxvelocity. A player farther out than twice MAX_WORLD_COORD is not moved.
/// Cost: about 4 traces and 3 contents queries.
void PM_Move(player_state_t *player, const pm_input_t *input, int32_t step_ms,
             const movevars_t *vars, const pm_world_t *world, pm_touch_t *touch);

/// Called after each sub-step for triggers and game hooks; it may change the player. `cmd` is the
/// command as this sub-step used it: msec is the sub-step's length, buttons holds every button that
/// was down in it, impulse is 0 (the caller handles an impulse once per command). tick, view_tick
/// and view_frac come from the command in which the sub-step ends. Returns false to stop the rest
/// of the command, because the player was removed.
typedef struct {
    void *context;
    bool (*after_step)(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch);
} pm_hooks_t;

/// Runs the first `msec` ms of a command in sub-steps of vars->pm_step_ms; another call with the
/// same command may run the rest. Time shorter than a sub-step stays in the player for the next
/// call. A sub-step uses view and movement of the command in which it ends, and the OR of the
/// buttons of all commands it overlaps. So the same input over time, cut into other commands or
/// calls, gives the same bits. With pm_step_ms 0 the command is one step of `msec`. hooks may be
/// NULL.
void PM_RunCommand(player_state_t *player, const usercmd_t *cmd, int32_t msec,
                   const movevars_t *vars, const pm_world_t *world, const pm_hooks_t *hooks);

/// Returns the box of a player, standing or ducked.
bounds_t PM_PlayerBox(const movevars_t *vars, bool ducked);

/// Returns the height of the eyes above the origin, also while the player is ducking down.
float PM_ViewHeight(const player_state_t *player, const movevars_t *vars);

/// Returns true when the player's box overlaps nothing solid at its origin.
bool PM_PositionIsFree(const player_state_t *player, const pm_world_t *world);

#endif
