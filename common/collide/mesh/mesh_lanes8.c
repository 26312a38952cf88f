/// collide/mesh/mesh_lanes8.c - queries of a mesh, eight lanes at a time, on CPUs with AVX2, BMI2
/// and FMA.
//
// Floor:   collide.
// Repeat:  the bits of the others; fused operations only where boxes of the tree are met (walk_t).

#ifdef __x86_64__

#define MESH_LANES  8
#define MESH_TARGET __attribute__((target("avx2,bmi2,fma")))

#include "collide/mesh/mesh_kernel_gather.h"

const mesh_ops_t CM_MeshOps8 = MESH_OPS;

#else
typedef int not_for_this_cpu_t; // C wants something in a file
#endif
