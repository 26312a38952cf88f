/// probe/move.h - moves players through a map by tables of starts and commands.
//
// Units:   qu, qu/s, degrees, ms.
// Memory:  a moves_t owns its arrays; the map stays the caller's and must outlive it.

#ifndef EDICTD_PROBE_MOVE_H
#define EDICTD_PROBE_MOVE_H

#include "base/limits.h"
#include "collide/cmodel.h"
#include "move/pmove.h"
#include "probe/csv.h"

#define MAX_MOVE_STARTS     1000000 // rows of a table of starts
#define MAX_MOVE_NAME_BYTES 48      // traj, spot_class with their NUL
#define MOVE_ROW_CMDS       10      // commands from one row of states to the next

/// A solid brush entity at its compiled position plus its "origin".
typedef struct {
    int32_t model;
    vec3_t origin;
    bounds_t bounds; ///< in world space
} move_solid_t;

/// The solids that players collide with: model 0 and, if wanted, solid brush entities.
typedef struct {
    const cmap_t *map;
    move_solid_t solids[MAX_MAP_MODELS];
    int32_t collide_with; ///< cm_solids_t
    int32_t num_solids;
} move_world_t;

/// One trajectory.
typedef struct {
    char traj[MAX_MOVE_NAME_BYTES];
    char spot_class[MAX_MOVE_NAME_BYTES]; ///< "" when the table has no such column
    bool bmodels;                         ///< collides with brush entities, too
    player_state_t player;                ///< the start, then the state after the commands so far
    int32_t num_cmds;                     ///< number of commands run so far
    int64_t cmd;                          ///< number of the last command, -1 before the first
    int32_t line;                         ///< line in the table of starts
} move_start_t;

/// State of one run.
typedef struct {
    move_world_t world;
    pm_world_t asks[2]; ///< trace functions for pmove: model 0 only, and with brush entities
    movevars_t vars;
    move_start_t *starts;
    int32_t num_starts;
    move_start_t **sorted; ///< the starts, sorted by name
    move_start_t *last;    ///< start of the last row, tried first; may be NULL
} moves_t;

/// Starts an empty run on a map with its brush entities. Uses the movement cvars with which the
/// reference tables were recorded: profile `quake`, one step per command, no speed limit.
/// groundentity and the entnums of traces are model numbers. Fails with "map: entities: line N:
/// ...".
bool Moves_Init(moves_t *moves, const cmap_t *map, err_t *err);

/// Finds the brush entities of a map that are solid. Called by Moves_Init.
bool Moves_InitWorld(moves_t *moves, const cmap_t *map, err_t *err);

/// Returns a player with the box of profile `quake`, at rest in the air.
player_state_t Moves_PlayerAt(vec3_t origin);

/// Reads a table of starts: traj,x,y,z and optionally mode (world, bmodels),
/// spot_class, vx,vy,vz, onground,groundmodel, waterlevel,watertype, jump_held,jump_msec,
/// waterjumptime (s). Each traj occurs once.
bool Moves_ReadStarts(moves_t *moves, FILE *in, const char *name, err_t *err);

/// Called after every tenth command of a start. Returning false stops the run.
typedef bool (*moves_row_t)(void *context, const move_start_t *start);

/// Runs a table of commands: traj,cmd,msec,pitch,yaw,forward,side,up,buttons; the command
/// numbers of a traj must ascend.
bool Moves_Run(moves_t *moves, FILE *in, const char *name, moves_row_t row, void *context,
               err_t *err);

/// Frees the arrays, not the map. A zeroed moves_t may be freed.
void Moves_Free(moves_t *moves);

#endif
