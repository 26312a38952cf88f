/// collide/kind.h - the functions that every kind of model implements. Private to collide/.
//
// A new kind is a file with a row of these functions, and an entry in cmodel.c's list.

#ifndef EDICTD_COLLIDE_KIND_H
#define EDICTD_COLLIDE_KIND_H

#include "collide/cache.h"
#include "collide/cmodel.h"

/// The functions of one kind of model. The first four implement CM_BoxTrace, CM_BoxTouches,
/// CM_Contents and CM_Overlap. The others query model 0 through the cache.
typedef struct cm_kind_s {
    trace_t (*trace)(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);
    bool (*touches)(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                    vec3_t maxs);
    contents_t (*contents)(const cmap_t *map, const cm_object_t *object, vec3_t point);
    int32_t (*overlap)(const cmap_t *map, const cm_object_t *object, bounds_t box,
                       cm_contact_t *contacts, int32_t max);

    /// Fills the cache with the geometry near its box at `origin`, or empties it. Keeps geometry
    /// that is still near enough.
    void (*cache_fill)(cm_cache_t *cache, vec3_t origin);
    /// Fills the cache with all geometry in `region`. Returns false if the kind cannot do this or
    /// if there is too much geometry.
    bool (*cache_fill_region)(cm_cache_t *cache, bounds_t region);
    /// Writes the trace of cache->last to cache->last_trace. Returns false if
    /// the sweep needs the map.
    bool (*cache_trace)(cm_cache_t *cache);
    /// Query the cache within its region, and the map outside of the region.
    contents_t (*cache_contents)(const cm_cache_t *cache, vec3_t point);
    int32_t (*cache_overlap)(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                             int32_t max);
} cm_kind_t;

const cm_kind_t *CM_KindOf(const cmap_t *map, int32_t model);

extern const cm_kind_t CM_BspKind;  // bsp_model.c
extern const cm_kind_t CM_MeshKind; // mesh_model.c

#endif
