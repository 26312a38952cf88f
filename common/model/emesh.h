/// model/emesh.h - the .emesh file: meshes with their trees, and what else a model consists of.
//
// Floor:   model.
// Units:   qu.
// Memory:  one block, the file's bytes; everything else are views of it.
// Errors:  "file: byte N: what: expected, found"; nothing else happens on a bad file.
//
//   | header: 64 bytes | directory: 32 bytes a section | section | section | ...
//   each section begins at the next multiple of 64; what lies between is zero; the last byte of the
//   last section is the file's last. Little-endian, floats as IEEE 754 has them.
//
//   header      0 "EMSH"   4 version u32   8 size of the file u64
//              16 checksum u64: XXH3 of all bytes from 24 on
//              24 number of sections u32  28 zero
//   directory   0 kind u32 4 zero u32      8 where u64    16 bytes u64   24 zero
//   COLLISION   triangles of one contents; several sections make one model
//               0 mesh_flags_t u32         4 contents_t i32
//               8 number of vertices, triangles, nodes, blocks i32
//              24 bounds: mins, maxs      48 zero
//              64 vertices: 12 bytes each (x, y, z)
//               .. triangles: 12 bytes each (three vertices, counter-clockwise from the front)
//               .. nodes: 224 bytes each, the first is the root    collide/mesh/mesh_layout.h
//               .. blocks: 416 bytes each                          has them drawn
//               each array begins at the next multiple of 64 of the section
//   SKELETON, HITBOXES, ANIMATIONS have files of their own in this folder; who wants only to collide
//   passes over them.
//
// The same meshes make the same bytes, and what is accepted here is written again as it was: there
// is nothing in a file that no check looks at.

#ifndef EDICTD_MODEL_EMESH_H
#define EDICTD_MODEL_EMESH_H

#include "base/err.h"
#include "collide/mesh/mesh.h"

EXTERN_C_BEGIN

#define EMESH_VERSION 1

/// Largest file: MAX_MESH_TRIANGLES with their tree need about half of it.
#define MAX_EMESH_BYTES ((size_t)1 << 30)

/// Most sections of a file, and of these most with triangles.
enum { MAX_EMESH_SECTIONS = 64, MAX_EMESH_PARTS = 16 };

typedef enum {
    EMESH_COLLISION = 1,
    EMESH_SKELETON = 2,
    EMESH_HITBOXES = 3,
    EMESH_ANIMATIONS = 4
} emesh_kind_t;

/// A section's bytes, 16-aligned.
typedef struct {
    int32_t kind; ///< emesh_kind_t
    const uint8_t *data;
    size_t bytes;
} emesh_section_t;

/// A file that was read. A zeroed one may be freed.
typedef struct {
    uint8_t *block; ///< the file, when it was loaded; NULL when it was parsed where it lies
    size_t size;    ///< of the whole file, in bytes
    uint64_t hash;  ///< of the whole file
    emesh_section_t sections[MAX_EMESH_SECTIONS];
    int32_t num_sections;
    mesh_t parts[MAX_EMESH_PARTS]; ///< of the COLLISION sections, in order
    int32_t num_parts;
} emesh_t;

/// Reads a file's bytes where they lie: they must be 16-aligned and stay as long as the views. Every
/// offset, count, index and number is checked, and the meshes' trees with Mesh_Check. `name` goes
/// into the errors. Kinds beyond emesh_kind_t are refused.
bool EMesh_Parse(emesh_t *file, const char *name, const uint8_t *data, size_t size, err_t *err);

/// Reads and parses a file. It is read, once, into the block in which it is used, and not mapped:
/// whoever cuts a mapped file short kills, by SIGBUS, all who look at it. EMesh_Free frees it.
bool EMesh_Load(emesh_t *file, const char *path, err_t *err);

void EMesh_Free(emesh_t *file);

/// True when bytes begin as an .emesh file does.
bool EMesh_IsOne(const uint8_t *data, size_t size);

EXTERN_C_END

#endif
