/// collide/mesh/mesh_lanes8m.c - queries of a mesh, eight lanes at a time, on CPUs with the masks
/// of AVX-512, for which each function is compiled; no vector is longer than in mesh_lanes8.c.
//
// Floor:   collide.
// Repeat:  the bits of the others; fused operations only where boxes of the tree are met (walk_t).

#ifdef __x86_64__

#define MESH_LANES  8
#define MESH_MASKS  1
#define MESH_TARGET __attribute__((target("avx2,bmi2,fma,avx512f,avx512vl,avx512dq,avx512bw")))

#include "collide/mesh/mesh_kernel_gather.h"

const mesh_ops_t CM_MeshOps8Masks = MESH_OPS;

#else
typedef int not_for_this_cpu_t; // C wants something in a file
#endif
