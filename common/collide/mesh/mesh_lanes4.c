/// collide/mesh/mesh_lanes4.c - queries of a mesh, four lanes at a time, on any CPU.
//
// Floor:   collide.
// Repeat:  the bits of the others; no fused operations.

#define MESH_LANES 4

#include "collide/mesh/mesh_kernel_gather.h"

const mesh_ops_t CM_MeshOps4 = MESH_OPS;
