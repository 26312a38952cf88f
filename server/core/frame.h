/// core/frame.h - SV_Frame, the one function that changes a world.
//
// Repeat:  the same world and inputs give the same bits on every compiler and CPU.

#ifndef EDICTD_CORE_FRAME_H
#define EDICTD_CORE_FRAME_H

#include "collide/cmodel.h"
#include "core/game_api.h"
#include "core/inputs.h"
#include "model/model.h"
#include "world/events.h"
#include "world/world.h"

/// Connects a game to a world. SV_BindGame fills it.
typedef struct {
    const game_export_t *game;
    callback_binding_t callbacks;
    model_t models[MAX_GAME_MODELS + 1]; ///< views of the game's table; [0] is none
    int32_t num_models;                  ///< number of models, including [0]
    /// Cache of bone poses, owned by the caller; NULL = no cache, same results.
    struct pose_cache_s *poses;
    /// Query cache of each client slot's player, owned by the caller; NULL = none, same results.
    struct cm_cache_s *caches;
    /// Record of the running game function, owned by the caller; NULL = not recorded.
    struct sv_running_s *running;
    /// State of sv_gamecheck, owned by the caller, with room for the world's edicts; NULL = off.
    struct gamecheck_s *check;
    /// Text of the .map file, owned by the caller, for warnings about entities; NULL = unknown.
    const char *map_source;
} game_binding_t;

/// Checks a game and binds it to a world. Returns false if the game is faulty. Also returns false
/// if the world belongs to another game, or to a build with other fields or models.
bool SV_BindGame(world_t *world, const game_export_t *game, game_binding_t *binding, err_t *err);

/// Spawns the entities of a map into a new world. Logs entities of unknown class. Returns false if
/// out of memory or if the entity text does not parse.
bool SV_SpawnEntities(world_t *world, const cmap_t *map, const game_binding_t *game,
                      events_t *events, err_t *err);

/// Runs one tick. Reads only the arguments. Writes only `world` and `events`. Cannot fail.
void SV_Frame(world_t *world, const cmap_t *map, const game_binding_t *game, const inputs_t *inputs,
              events_t *events);

#endif
