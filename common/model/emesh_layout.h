/// model/emesh_layout.h - the structs of an .emesh file, which emesh.h draws.
//
// Private to model/ and tests.
// Memory:  fixed-size little-endian fields, no padding.

#ifndef EDICTD_MODEL_EMESH_LAYOUT_H
#define EDICTD_MODEL_EMESH_LAYOUT_H

#include "collide/mesh/mesh_layout.h"
#include "model/emesh.h"

#define EMESH_MAGIC "EMSH"

/// Alignment of sections and arrays.
#define EMESH_ALIGN ((size_t)64)

/// The checksum covers all bytes from this offset on.
#define EMESH_SUMMED_FROM ((size_t)24)

typedef struct {
    char magic[4];
    uint32_t version;
    uint64_t size;
    uint64_t checksum;
    uint32_t num_sections;
    uint8_t zero[36];
} emesh_header_t;

typedef struct {
    uint32_t kind;
    uint32_t zero1;
    uint64_t offset;
    uint64_t bytes;
    uint64_t zero2;
} emesh_entry_t;

typedef struct {
    uint32_t flags;
    int32_t contents;
    int32_t num_vertices, num_triangles, num_nodes, num_blocks;
    bounds_t bounds;
    uint8_t zero[16];
} emesh_collision_t;

/// Offsets of the arrays of a COLLISION section.
typedef struct {
    size_t vertices, indices, nodes, blocks, end;
} emesh_arrays_t;

static_assert(sizeof(emesh_header_t) == 64 && sizeof(emesh_entry_t) == 32 &&
                  sizeof(emesh_collision_t) == 64 && sizeof(vec3_t) == 12,
              "the structs must have no padding");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are used without conversion");

static inline size_t EMesh_Align(size_t at) {
    return (at + EMESH_ALIGN - 1) / EMESH_ALIGN * EMESH_ALIGN;
}

/// Computes the offsets of the arrays. Counts must be >= 0; the sum cannot overflow.
static inline emesh_arrays_t EMesh_Arrays(const emesh_collision_t *head) {
    emesh_arrays_t at = {.vertices = sizeof *head};
    at.indices = EMesh_Align(at.vertices + (size_t)head->num_vertices * sizeof(vec3_t));
    at.nodes = EMesh_Align(at.indices + (size_t)head->num_triangles * sizeof(int32_t[3]));
    at.blocks = EMesh_Align(at.nodes + (size_t)head->num_nodes * sizeof(mesh_node_t));
    at.end = at.blocks + (size_t)head->num_blocks * sizeof(mesh_block_t);
    return at;
}

#endif
