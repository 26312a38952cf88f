/// collide/mesh/mesh_gather.h - the triangles around a pusher, looked up once for the many questions of
/// its moves.
//
// Floor:   collide.
// Units:   qu, the mesh's own space: for meshes that are not moved or turned.
// Memory:  a gather is plain data of its caller's, 3.4 KiB, good for as long as the mesh is; no
//          allocation.
// Repeat:  who asks a gather gets the bits that he would get from the mesh, however it was made.
//
//     +---- the box ----+     The blocks of the tree that have triangles in the box are remembered,
//     |  __/\__   o     |     usually two to five, and the boxes of their triangles. What stays in
//     |_/      \________|     the box is asked of the blocks one of whose triangles it comes near;
//     +-----------------+     all else, and what does not fit, of the tree.

#ifndef EDICTD_COLLIDE_MESH_GATHER_H
#define EDICTD_COLLIDE_MESH_GATHER_H

#include "collide/float4.h"
#include "collide/mesh/mesh_layout.h"

enum { MAX_GATHER_BLOCKS = 16 };

typedef struct mesh_gather_t {
    const mesh_t *mesh;
    bounds_t box;        ///< what stays inside is asked of the blocks; inside out: nothing is
    float4_t mins, maxs; ///< the same; the fourth is 0
    int32_t num_blocks;  ///< in the box
    const mesh_block_t *blocks[MAX_GATHER_BLOCKS];
    /// Of their triangles, side by side as in nodes; wider by what rounding may hide.
    float bounds[MAX_GATHER_BLOCKS][6][MESH_WIDTH];
} mesh_gather_t;

/// An empty gather: all is asked of the mesh. It must begin anew before the mesh is freed.
void CM_MeshGatherBegin(mesh_gather_t *gather, const mesh_t *mesh);

/// Collects what lies in a box. Costs about as much as two short sweeps. False: more than fits;
/// then the gather is empty. The gather has begun (CM_MeshGatherBegin).
bool CM_MeshGather(mesh_gather_t *gather, const mesh_t *mesh, bounds_t box);

// As the questions of mesh.h, of a mesh that stands at 0 0 0.

mesh_hit_t CM_MeshGatherSweep(const mesh_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins,
                              vec3_t maxs);
trace_t CM_MeshGatherTrace(const mesh_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins,
                           vec3_t maxs);
bool CM_MeshGatherTouches(const mesh_gather_t *gather, vec3_t origin, vec3_t mins, vec3_t maxs);
int32_t CM_MeshGatherOverlap(const mesh_gather_t *gather, bounds_t box, cm_contact_t *contacts,
                             int32_t max);

#endif
