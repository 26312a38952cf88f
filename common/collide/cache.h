/// collide/cache.h - the query cache: geometry near one moving box, for many queries.
//
// Memory:  4 KiB of plain data of the owner. It points into the map: empty it (CM_CacheBegin)
//          before freeing the map.
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

/// A sweep as vectors of x, y, z, 0.
typedef struct {
    lanes_t start, end, mins, maxs;
} cm_sweep_t;

/// A cell of a hull and its region. The last lanes of mins and maxs match always. mins > maxs means
/// an empty region.
typedef struct {
    lanes_t mins, maxs;
    hull_cell_t cell;
    const hull_t *hull; ///< for queries outside the region; NULL = query the map
} hull_region_t;

typedef struct {
    hull_region_t hull;   ///< cell of the moving box's hull
    hull_region_t points; ///< cell of hull 0, for points
} hull_cache_t;

/// Triangles of the first mesh that stops boxes.
typedef struct {
    bounds_t origins; ///< fill again when the box's origin leaves these bounds
    bool is_only;     ///< no other mesh of the map stops boxes
    bool has_volumes; ///< a mesh has an inside; otherwise every point is empty
    triangle_cache_t triangles;
} mesh_cache_t;

/// The query cache of one moving box. Access the union only through kind.h.
typedef struct cm_cache_s {
    const cmap_t *map;
    int32_t solids; ///< sv_solids
    bool is_filled;
    const struct cm_kind_s *kind; ///< kind of model 0; valid if is_filled
    lanes_t mins, maxs;           ///< the box relative to its origin: x, y, z, 0
    cm_sweep_t last;              ///< the last sweep; start[3] is 1 if there is none
    trace_t last_trace;           ///< result of `last`, which the next move often repeats
    lanes_t last_point;           ///< the last point; last_point[3] is 1 if there is none
    contents_t last_contents;     ///< contents at `last_point`
    union {
        hull_cache_t hull; ///< MODEL_BSP
        mesh_cache_t mesh; ///< MODEL_MESH
    };
} cm_cache_t;

/// Empties the cache: until CM_CacheFill, every query reads model 0 of `map`.
void CM_CacheBegin(cm_cache_t *cache, const cmap_t *map, int32_t solids);

/// Caches the geometry near a box at `origin`, unless the cache still covers it. Call CM_CacheBegin
/// first. Does not cache brushes.
void CM_CacheFill(cm_cache_t *cache, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
                  vec3_t maxs);

/// Caches all geometry in `region`. Returns false if the map has no meshes or the region has too
/// many triangles. Do not use the cache then.
bool CM_CacheFillRegion(cm_cache_t *cache, const cmap_t *map, int32_t solids, bounds_t region);

/// Like CM_BoxTrace of model 0.
trace_t CM_CacheTrace(cm_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Like CM_PointContents of model 0.
contents_t CM_CacheContents(cm_cache_t *cache, vec3_t point);

/// Like CM_Overlap of model 0.
int32_t CM_CacheOverlap(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts, int32_t max);

static inline vec3_t CM_SweepVec(lanes_t v) {
    return (vec3_t){v[0], v[1], v[2]};
}

#endif
