/// collide/cache.h - the collision geometry around one moving box, reused by its many queries.
//
// Memory:  a cache is plain data of its owner, 4 KiB, without allocation. It points into the map:
//          empty it (CM_CacheBegin) before the map is freed.
// Repeat:  a cached query returns exactly the bits of the uncached one, whatever filled the cache.
//
//     +------- region ----+     A map with hulls: the hull's cell around the box (hull/cells.h).
//     |      |   o        |     A mesh: blocks of triangles near the box (triangle_cache.h).
//     |      |____________|     Queries within the region read the cache. All others, and those
//     |######|############|     that this kind of map does not cache, query the map.
//     +-------------------+

#ifndef EDICTD_COLLIDE_CACHE_H
#define EDICTD_COLLIDE_CACHE_H

#include "collide/cmodel.h"
#include "collide/hull/cells.h"
#include "collide/mesh/triangle_cache.h"

/// A sweep as vectors: x, y, z, 0 each.
typedef struct {
    lanes_t start, end, mins, maxs;
} cm_sweep_t;

/// A cell of a hull. Bounds: x, y, z, and any fraction. mins > maxs means an empty region.
typedef struct {
    lanes_t mins, maxs;
    hull_cell_t cell;
} hull_region_t;

/// The part of the cache for maps with hulls.
typedef struct {
    hull_region_t hull;   ///< of the moving box's hull
    hull_region_t points; ///< of hull 0
} hull_cache_t;

/// The part of the cache for mesh maps: triangles of the first mesh that stops boxes.
typedef struct {
    bounds_t origins; ///< origins of the box that need no new fill
    bool is_only;     ///< no other mesh stops boxes
    bool has_volumes; ///< a mesh has an inside; otherwise every point is empty
    triangle_cache_t triangles;
} mesh_cache_t;

/// The query cache of one moving box. Only the functions of kind.h read the last part.
typedef struct cm_cache_s {
    const cmap_t *map;
    int32_t solids; ///< sv_solids
    bool is_filled;
    const struct cm_kind_s *kind; ///< of model 0, once filled
    lanes_t mins, maxs;           ///< the box that moves: x, y, z, 0
    cm_sweep_t last;    ///< the last sweep; the fourth lane of its start is 1 while there is none
    trace_t last_trace; ///< its result: a move often starts with the last sweep of the one before
    union {
        hull_cache_t hull; ///< MODEL_BSP
        mesh_cache_t mesh; ///< MODEL_MESH
    };
} cm_cache_t;

/// Empties the cache: every query goes to model 0 of `map` until CM_CacheFill fills it.
void CM_CacheBegin(cm_cache_t *cache, const cmap_t *map, int32_t solids);

/// Makes the cache, which has begun, cover the next steps of a box at `origin`. Returns at once if
/// it already does; otherwise costs less than a short sweep through a hull, or about two through a
/// mesh. Boxes that collide with brushes are not cached.
void CM_CacheFill(cm_cache_t *cache, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
                  vec3_t maxs);

/// Makes the cache cover all queries within `region`, for callers with known bounds. Returns false
/// if the map is not made of meshes or the region holds too many triangles. The cache must not be
/// used then.
bool CM_CacheFillRegion(cm_cache_t *cache, const cmap_t *map, int32_t solids, bounds_t region);

/// Like CM_BoxTrace of model 0 at the map's origin, with the map and solids of the cache.
trace_t CM_CacheTrace(cm_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Like CM_PointContents of model 0.
contents_t CM_CacheContents(const cm_cache_t *cache, vec3_t point);

/// Like CM_Overlap of model 0 at the map's origin, with the map and solids of the cache.
int32_t CM_CacheOverlap(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts, int32_t max);

/// Returns a vector of a sweep as a vec3_t.
static inline vec3_t CM_SweepVec(lanes_t v) {
    return (vec3_t){v[0], v[1], v[2]};
}

#endif
