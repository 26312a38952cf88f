/// probe/move.h - moves players through a map. One table lists where players start, another lists
/// their commands.
//
// Units:   qu, qu/s, degrees, ms.
// Memory:  a moves_t owns the arrays. The map must outlive the moves_t.

#ifndef EDICTD_PROBE_MOVE_H
#define EDICTD_PROBE_MOVE_H

#include "base/limits.h"
#include "collide/cmodel.h"
#include "move/pmove.h"
#include "probe/csv.h"

#define MAX_MOVE_STARTS     1000000 // maximum rows of a table of starts
#define MAX_MOVE_NAME_BYTES 48      // bytes of traj or spot_class with the NUL
#define MOVE_ROW_CMDS       10      // commands from one row of results to the next

/// A solid brush entity. `origin`: offset of the model.
typedef struct {
    int32_t model;
    vec3_t origin;
    bounds_t bounds; ///< in world space
} move_solid_t;

/// The solids that players collide with: model 0, and in mode "bmodels" also brush entities.
typedef struct {
    const cmap_t *map;
    move_solid_t solids[MAX_MAP_MODELS];
    int32_t collide_with; ///< cm_solids_t
    int32_t num_solids;
} move_world_t;

/// One player: a row of the table of starts, and the player's state while the commands run.
typedef struct {
    char traj[MAX_MOVE_NAME_BYTES];
    char spot_class[MAX_MOVE_NAME_BYTES]; ///< "" if the table has no such column
    bool bmodels;                         ///< also collides with brush entities
    player_state_t player;                ///< state after the commands that have run
    int32_t num_cmds;                     ///< number of commands that have run
    int64_t cmd;                          ///< number of the last command; -1 = none has run
    int32_t line;                         ///< line of the start in the table of starts
} move_start_t;

/// All players and the map they move in.
typedef struct {
    move_world_t world;
    pm_world_t
        pm_worlds[2]; ///< trace functions for pmove: [0] model 0 only, [1] with brush entities
    movevars_t vars;
    move_start_t *starts;
    int32_t num_starts;
    move_start_t **sorted; ///< sorted by name
    move_start_t *last;    ///< start that the last row used, tried first; may be NULL
} moves_t;

/// Prepares a run without players. Uses the movement cvars of profile `quake`, one step per command
/// and no speed limit. Fails if the entity text is invalid.
bool Moves_Init(moves_t *moves, const cmap_t *map, err_t *err);

/// Finds the solid brush entities of a map. Moves_Init calls it.
bool Moves_InitWorld(moves_t *moves, const cmap_t *map, err_t *err);

/// Returns a player with the box of profile `quake`, at rest in the air.
player_state_t Moves_PlayerAt(vec3_t origin);

/// Reads the table of starts. Columns: traj (a unique name),x,y,z. Optional columns: mode (world
/// or bmodels), spot_class,vx,vy,vz,onground,groundmodel,waterlevel,watertype,jump_held,jump_msec,
/// waterjumptime (s).
bool Moves_ReadStarts(moves_t *moves, FILE *in, const char *name, err_t *err);

/// Receives a player after every MOVE_ROW_CMDS commands. Returns false to stop the run.
typedef bool (*moves_row_t)(void *context, const move_start_t *start);

/// Runs the table of commands. Columns: traj,cmd,msec,pitch,yaw,forward,side,up,buttons. The
/// numbers in `cmd` must ascend for each player.
bool Moves_Run(moves_t *moves, FILE *in, const char *name, moves_row_t row, void *context,
               err_t *err);

/// Frees the arrays, but not the map. A zeroed moves_t may be freed.
void Moves_Free(moves_t *moves);

#endif
