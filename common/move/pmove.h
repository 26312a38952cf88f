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

/// Volumes that a box touches.
typedef struct {
    bool ladder;          ///< true: ladder_normal is set
    vec3_t ladder_normal; ///< unit; away from the ladder, towards who climbs it
    vec3_t current;       ///< qu/s; sum of what the volumes carry along
} pm_volume_t;

/// What an edict that is stood on does.
typedef struct {
    vec3_t velocity; ///< qu/s; a conveyor carries along
    vec3_t
        moving_at;  ///< qu/s; how fast a pusher goes there: it carries by itself, but who leaves it
                    ///< takes this along (sv_pushermomentum)
    float friction; ///< multiplier of sv_friction; 0 counts as 1
} pm_surface_t;

/// The world as pmove sees it; the answers must not change during a step. `trace` stops at
/// everything solid to this player; `point_contents` is what fills a point (water, or solid of the
/// world and brush edicts).
typedef struct {
    void *context;
    trace_t (*trace)(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end);
    contents_t (*point_contents)(void *context, vec3_t point);
    /// Called before a step with the box that is going to move, so that a query cache can be filled
    /// around it. No result depends on it. NULL = no cache.
    void (*prefetch)(void *context, vec3_t origin, vec3_t mins, vec3_t maxs);
    /// What a box touches besides solids (ladders, moving water), by the true shapes.
    /// NULL = nothing.
    pm_volume_t (*volume)(void *context, vec3_t absmin, vec3_t absmax);
    /// What standing on an edict at a place does. NULL = nothing.
    pm_surface_t (*surface)(void *context, int32_t entnum, vec3_t at);
    /// What a box that stands there overlaps of what `trace` stops at, and of which edict (0 = the
    /// world) each contact is: at most `max`, deepest first. For MOVER_DROP (body.h) only; NULL = it
    /// cannot be used.
    int32_t (*overlap)(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                       int32_t max);
} pm_world_t;

/// What one step of pmove is told: a usercmd in floats.
typedef struct {
    vec3_t angles;           ///< degrees: pitch, yaw, roll
    float forward, side, up; ///< qu/s wished along the view
    uint32_t buttons;        ///< BUTTON_*
} pm_input_t;

/// The edicts a move bumped into, each once, in order.
typedef struct {
    int32_t entnums[PM_MAX_TOUCH];
    int32_t count;
    int32_t dropped; ///< bumped into beyond PM_MAX_TOUCH
} pm_touch_t;

/// A usercmd as an input: pitch in [-180, 180), yaw in [0, 360).
pm_input_t PM_InputFromCmd(const usercmd_t *cmd);

/// One step of `step_ms` (1..MAX_CMD_MSEC). `touch` gets what was bumped into or stood on.
/// Any input and velocity will do: NaN counts as 0, the rest is held within limits, and no speed
/// along an axis is above sv_maxvelocity before or after. A player further out than twice
/// MAX_WORLD_COORD is not moved: to put it back is the server's business.
/// Cost: about 4 traces and 3 contents.
void PM_Move(player_state_t *player, const pm_input_t *input, int32_t step_ms,
             const movevars_t *vars, const pm_world_t *world, pm_touch_t *touch);

/// Called after each sub-step (triggers, game hooks); it may change the player. `cmd` is the
/// command as this sub-step took it: msec its length, buttons all that were down in it, impulse 0
/// (an impulse belongs to the command: the caller takes it there, once). tick, view_tick and
/// view_frac are those of the command it ends in. False stops the rest of the command (the player
/// was removed).
typedef struct {
    void *context;
    bool (*after_step)(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch);
} pm_hooks_t;

/// Runs the first `msec` ms of a command (the caller may run the rest with another call, with the
/// same command) in sub-steps of vars->pm_step_ms; what is left below a sub-step stays in the
/// player. A sub-step takes view and movement of the command in which it ends and the OR of the
/// buttons of all it overlaps, so cutting the same input over time into other commands or calls
/// changes no bit. With pm_step_ms 0 it is one step of `msec`. hooks may be NULL.
void PM_RunCommand(player_state_t *player, const usercmd_t *cmd, int32_t msec,
                   const movevars_t *vars, const pm_world_t *world, const pm_hooks_t *hooks);

/// The box of a player: standing, or ducked.
bounds_t PM_PlayerBox(const movevars_t *vars, bool ducked);

/// Height of the eyes above the origin, on the way between standing and ducked too.
float PM_ViewHeight(const player_state_t *player, const movevars_t *vars);

/// True when the player's box is free of solid where it stands.
bool PM_PositionIsFree(const player_state_t *player, const pm_world_t *world);

#endif
