/// move/loose.h - moves a loose body: a crate, or a monster between its steps. For the server and
/// the client's prediction.
//
// Queries the world only through pm_world_t: trace, point_contents, volume and surface.
// Units:   qu, qu/s, seconds.
// Memory:  all state is in the pm_loose_t.
// Repeat:  the same state and world give exactly the same result.
// Source:  docs/physics.md; articles 000 and 001: 4 bumps, 5 planes, the crease of two planes, a
//          dead stop at three planes or when the velocity would turn back.

#ifndef EDICTD_MOVE_LOOSE_H
#define EDICTD_MOVE_LOOSE_H

#include "move/pmove.h"

typedef struct {
    vec3_t origin, velocity;
    vec3_t mins, maxs;  ///< relative to origin
    float gravity;      ///< factor of sv_gravity; 0 counts as 1
    float friction;     ///< factor of sv_friction, of a crate only; 0 counts as 1
    int32_t ground;     ///< edict below; 0 = the world, -1 = in the air
    int32_t waterlevel; ///< 0..3: feet, middle, near the top
    int32_t watertype;  ///< liquid at the feet, or CONTENTS_EMPTY
    bool is_crate;      ///< players push it, and it floats
    bool flies;         ///< no gravity, but friction in all directions
} pm_loose_t;

/// The world around one tick of a body.
typedef struct {
    const pm_world_t *world;
    const movevars_t *vars;
    float dt; ///< length of the tick
    void *context;
    /// Optional. Called for each hit; may change the velocity. Return false to end the move, with
    /// the body as it is.
    bool (*hit)(void *context, pm_loose_t *body, const trace_t *trace);
} pm_loose_run_t;

/// Sets waterlevel and watertype.
void PM_FindWater(pm_loose_t *body, const pm_world_t *world);

/// Returns the fraction of the body's height that is under water, [0, 1].
float PM_Submersion(const pm_loose_t *body, const pm_world_t *world);

/// Applies gravity, water and friction. Set ground and water before. A body that floats up loses
/// its ground.
void PM_LooseForces(pm_loose_t *body, const pm_loose_run_t *run);

/// Returns the velocity of the water around a body, except one that flies.
vec3_t PM_LooseCurrent(const pm_loose_t *body, const pm_loose_run_t *run);

/// What PM_LooseMove did.
typedef enum {
    PM_LOOSE_RESTS, ///< it has no speed, so it was not moved
    PM_LOOSE_MOVED,
    PM_LOOSE_ENDED ///< `hit` ended the move
} pm_loose_end_t;

/// Moves the body by its velocity, by what its ground carries (`by_ground`) and by the water.
/// `had_ground`: ground before PM_LooseForces.
pm_loose_end_t PM_LooseMove(pm_loose_t *body, int32_t had_ground, vec3_t by_ground,
                            const pm_loose_run_t *run);

/// The least that PM_Shove needs to know of a pushed crate.
typedef struct {
    bounds_t box; ///< in the world
    vec3_t velocity;
    float friction; ///< 0 counts as 1
} pm_shoved_t;

/// Lets a player walk a crate away. `box`: of the player. Sets speeds instead of adding them, so
/// the number of sub-steps does not matter. Returns true if the crate became faster.
bool PM_Shove(const player_state_t *player, vec3_t *velocity, bounds_t box, const usercmd_t *cmd,
              float max_speed, pm_shoved_t *crate);

#endif
