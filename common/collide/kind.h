/// collide/kind.h - the functions that every kind of model implements. Private to collide/.
//
// A new kind needs a file with these functions and an entry in the list of cmodel.c.

#ifndef EDICTD_COLLIDE_KIND_H
#define EDICTD_COLLIDE_KIND_H

#include "collide/cache.h"
#include "collide/cmodel.h"

/// The functions of one kind of model.
typedef struct cm_kind_s {
    trace_t (*trace)(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);
    bool (*touches)(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                    vec3_t maxs);
    contents_t (*contents)(const cmap_t *map, const cm_object_t *object, vec3_t point);
    int32_t (*overlap)(const cmap_t *map, const cm_object_t *object, bounds_t box,
                       cm_contact_t *contacts, int32_t max);

    /// Caches the geometry near the box at `origin`, unless the cache still covers it.
    void (*cache_fill)(cm_cache_t *cache, vec3_t origin);
    /// Caches all geometry in `region`. Returns false if models of this kind have no such cache or
    /// there is too much geometry.
    bool (*cache_fill_region)(cm_cache_t *cache, bounds_t region);
    /// Writes the trace of cache->last to cache->last_trace. Returns false if the cache does not
    /// cover the sweep.
    bool (*cache_trace)(cm_cache_t *cache);
    /// Queries outside the region read the map.
    contents_t (*cache_contents)(const cm_cache_t *cache, vec3_t point);
    int32_t (*cache_overlap)(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                             int32_t max);
} cm_kind_t;

const cm_kind_t *CM_KindOf(const cmap_t *map, int32_t model);

extern const cm_kind_t CM_BspKind;  // bsp_model.c
extern const cm_kind_t CM_MeshKind; // mesh_model.c

#endif
