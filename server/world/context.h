/// world/context.h - the context that every function of the simulation and the game receives.
//
// Memory:  on the stack, for one tick. The context owns nothing.

#ifndef EDICTD_WORLD_CONTEXT_H
#define EDICTD_WORLD_CONTEXT_H

#include "world/callbacks.h"

typedef struct world_s world_t; // world/world.h

/// Bytes of the world that belong to the game.
#define WORLD_GAME_BYTES 4096

/// The world, the map, the game, and where to write events.
struct sv_context_s {
    world_t *world;
    const struct cmap_s *map; ///< cmap_t, collide/cmodel.h
    const struct callback_binding_s *callbacks;
    struct events_s *events;            ///< events_t; may be NULL
    const struct game_import_s *engine; ///< functions that the game may call; set by core/
    const struct game_export_s *game;   ///< the game's table; set by core/
    const struct model_s *models;    ///< model_t of the game's table; [0] is none. NULL = no models
    int32_t num_models;              ///< number of models, including [0]
    struct pose_cache_s *poses;      ///< cache of bone poses; NULL = none, same results
    struct map_entity_s *map_entity; ///< map entity that is spawned now; set by core/
    struct sv_running_s *running;    ///< world/running.h; NULL = not recorded
    struct cm_cache_s *caches;       ///< query cache of each client slot; NULL = none, same results
    struct gamecheck_s *check;       ///< world/gamecheck.h; NULL = off, same results
    float tick_seconds;              ///< length of the current tick
    int32_t spawn_depth;             ///< nesting of spawn_class
    int32_t use_depth;               ///< nesting of running uses
    int32_t uses_done;               ///< uses in this tick
    uint32_t num_links;              ///< changes of the area tree
};

#endif
