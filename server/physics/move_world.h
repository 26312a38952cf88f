/// physics/move_world.h - the world as common/move sees it around one edict.

#ifndef EDICTD_PHYSICS_MOVE_WORLD_H
#define EDICTD_PHYSICS_MOVE_WORLD_H

#include "move/pmove.h"
#include "physics/physics_local.h"

/// Context of SV_WorldForMove.
typedef struct {
    sv_context_t *sv;
    sv_query_t query;         ///< query.cache is NULL until prefetch fills `cache`
    struct cm_cache_s *cache; ///< NULL = never cached
} edict_world_t;

pm_world_t SV_WorldForMove(edict_world_t *context);

#endif
