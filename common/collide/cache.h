/// collide/cache.h - the query cache: geometry around one moving box, reused by its many queries.
//
// Memory:  a cache is plain data of its owner, 4 KiB, without allocation. It points into the map,
//          so empty it (CM_CacheBegin) before the map is freed.
// Repeat:  a query returns the same result with and without the cache.
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

/// A sweep as SIMD vectors of x, y, z, 0.
typedef struct {
    lanes_t start, end, mins, maxs;
} cm_sweep_t;

/// A cell of a hull and its region. The lanes of mins and maxs are x, y, z, and one that always
/// matches. mins > maxs means an empty region.
typedef struct {
    lanes_t mins, maxs;
    hull_cell_t cell;
    const hull_t *hull; ///< for queries outside of the region; NULL = query the map
} hull_region_t;

typedef struct {
    hull_region_t hull;   ///< cell of the moving box's hull
    hull_region_t points; ///< cell of hull 0, which points query
} hull_cache_t;

/// Cached geometry of a mesh map: triangles of the first mesh that stops boxes.
typedef struct {
    bounds_t origins; ///< no new fill is needed while the box's origin is in these bounds
    bool is_only;     ///< true if no other mesh of the map stops boxes
    bool has_volumes; ///< true if a mesh has an inside; otherwise every point is empty
    triangle_cache_t triangles;
} mesh_cache_t;

/// The query cache of one moving box. Only the functions of kind.h access the union.
typedef struct cm_cache_s {
    const cmap_t *map;
    int32_t solids; ///< sv_solids
    bool is_filled;
    const struct cm_kind_s *kind; ///< kind of model 0; valid if is_filled
    lanes_t mins, maxs;           ///< the moving box relative to its origin: x, y, z, 0
    cm_sweep_t last;              ///< the last sweep; start[3] is 1 if there is none
    trace_t last_trace; ///< result of `last`, because the next move often repeats that sweep
    lanes_t last_point; ///< the last point of CM_CacheContents; last_point[3] is 1 if there is none
    contents_t last_contents; ///< contents at `last_point`, because moves often repeat that query
    union {
        hull_cache_t hull; ///< MODEL_BSP
        mesh_cache_t mesh; ///< MODEL_MESH
    };
} cm_cache_t;

/// Empties the cache. Until CM_CacheFill fills it, every query reads model 0 of `map`.
void CM_CacheBegin(cm_cache_t *cache, const cmap_t *map, int32_t solids);

/// Fills the cache with the geometry near a box at `origin`. Returns at once if the cached geometry
/// is still near enough. Call CM_CacheBegin first. Boxes that collide with brushes are not cached.
void CM_CacheFill(cm_cache_t *cache, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
                  vec3_t maxs);

/// Fills the cache with all geometry in `region`. Returns false if the map has no meshes or the
/// region has too many triangles; do not use the cache then.
bool CM_CacheFillRegion(cm_cache_t *cache, const cmap_t *map, int32_t solids, bounds_t region);

/// Sweeps a box through the cache's map, like CM_BoxTrace of model 0 at 0 0 0.
trace_t CM_CacheTrace(cm_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Returns the contents at a point of the cache's map, like CM_PointContents of model 0.
contents_t CM_CacheContents(cm_cache_t *cache, vec3_t point);

/// Writes the contacts of a box with the cache's map, like CM_Overlap of model 0 at 0 0 0.
int32_t CM_CacheOverlap(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts, int32_t max);

static inline vec3_t CM_SweepVec(lanes_t v) {
    return (vec3_t){v[0], v[1], v[2]};
}

#endif
