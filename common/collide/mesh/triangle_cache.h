/// collide/mesh/triangle_cache.h - a cache of a mesh's triangles near one moving box.
//
// Units:   qu; the mesh must be at 0 0 0, unturned.
// Memory:  3.2 KiB of plain data of the owner. It points into the mesh.
// Repeat:  a cached query gives exactly the uncached result.
//
//     +---- region -----+     The cache lists the blocks of the tree that have triangles in the
//     |  __/\__   o     |     region, usually two to five, and the bounds of those triangles.
//     |_/      \________|     Queries within the region read the blocks whose bounds they touch;
//     +-----------------+     all other queries walk the tree.

#ifndef EDICTD_COLLIDE_TRIANGLE_CACHE_H
#define EDICTD_COLLIDE_TRIANGLE_CACHE_H

#include "collide/mesh/mesh_layout.h"

enum { MAX_CACHED_BLOCKS = 16 };

typedef struct {
    const mesh_t *mesh;
    bounds_t region; ///< mins > maxs = empty
    int32_t num_blocks;
    const mesh_block_t *blocks[MAX_CACHED_BLOCKS];
    float bounds[MAX_CACHED_BLOCKS][6][MESH_WIDTH]; ///< widened bounds of triangles, as in nodes
} triangle_cache_t;

/// Empties the cache: until CM_FillTriangleCache, queries walk the tree.
void CM_EmptyTriangleCache(triangle_cache_t *cache, const mesh_t *mesh);

/// Caches the triangles in a region. If they do not fit, empties the cache and returns false.
bool CM_FillTriangleCache(triangle_cache_t *cache, const mesh_t *mesh, bounds_t region);

// Like the queries of mesh.h, for the cached mesh.

mesh_hit_t CM_CachedMeshSweep(const triangle_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins,
                              vec3_t maxs);
trace_t CM_CachedMeshTrace(const triangle_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins,
                           vec3_t maxs);
int32_t CM_CachedMeshOverlap(const triangle_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                             int32_t max);

#endif
