/// model/emesh.h - reads .emesh files: meshes with their trees, skeleton, hitboxes, animations.
//
// Memory:  one block with the file's bytes; other pointers refer to it.
// Errors:  "file: byte N: object: expected, found".
//
//   | header: 64 bytes | directory: 32 bytes a section | section | section | ...
//   Each section starts at the next multiple of 64, after zeros. The file ends with the last
//   section. Little-endian, IEEE 754 floats.
//
//   header      0 "EMSH"   4 version u32   8 size of the file u64
//              16 checksum u64: XXH3 of all bytes from 24 on
//              24 number of sections u32  28 zero
//   directory   0 kind u32 4 zero u32      8 offset u64   16 bytes u64   24 zero
//   COLLISION   triangles of one contents; a model may have several sections
//               0 mesh_flags_t u32         4 contents_t i32
//               8 number of vertices, triangles, nodes, blocks i32
//              24 bounds: mins, maxs      48 zero
//              64 vertices: 12 bytes each (x, y, z)
//               .. triangles: 12 bytes each (three vertices, counter-clockwise from the front)
//               .. nodes: 224 bytes each, the first is the root    drawn in
//               .. blocks: 416 bytes each                          collide/mesh/mesh_layout.h
//               each array starts at the next multiple of 64 of the section
//   SKELETON, HITBOXES, ANIMATIONS: drawn in model.h; collision skips them.
//
// The same meshes give the same bytes. Every byte is checked.

#ifndef EDICTD_MODEL_EMESH_H
#define EDICTD_MODEL_EMESH_H

#include "base/err.h"
#include "base/file.h"
#include "collide/mesh/mesh.h"

EXTERN_C_BEGIN

#define EMESH_VERSION 1

/// Maximum size of a file, bytes.
#define MAX_EMESH_BYTES ((size_t)1 << 30)

/// Maximum number of sections of a file, and of COLLISION sections.
enum { MAX_EMESH_SECTIONS = 64, MAX_EMESH_PARTS = 16 };

typedef enum {
    EMESH_COLLISION = 1,
    EMESH_SKELETON = 2,
    EMESH_HITBOXES = 3,
    EMESH_ANIMATIONS = 4
} emesh_kind_t;

/// A section. `data` is 16-aligned.
typedef struct {
    int32_t kind; ///< emesh_kind_t
    const uint8_t *data;
    size_t bytes;
} emesh_section_t;

/// A parsed file. A zeroed struct may be freed.
typedef struct {
    uint8_t *block; ///< owned bytes of EMesh_Load; NULL after EMesh_Parse
    size_t size;    ///< size of the whole file, bytes
    uint64_t hash;  ///< hash of the whole file
    emesh_section_t sections[MAX_EMESH_SECTIONS];
    int32_t num_sections;
    mesh_t parts[MAX_EMESH_PARTS]; ///< meshes of the COLLISION sections, in order
    int32_t num_parts;
} emesh_t;

/// Parses and checks a file in place. `data`: 16-aligned, must outlive `file`. `name`: for errors.
bool EMesh_Parse(emesh_t *file, const char *name, const uint8_t *data, size_t size, err_t *err);

/// Reads and parses a file. Free it with EMesh_Free.
bool EMesh_Load(emesh_t *file, const char *path, err_t *err);

/// Like EMesh_Load. `files`: NULL = those of the disk.
bool EMesh_LoadFrom(emesh_t *file, const file_reader_t *files, const char *path, err_t *err);

void EMesh_Free(emesh_t *file);

/// Returns true if the bytes start with EMESH_MAGIC.
bool EMesh_IsOne(const uint8_t *data, size_t size);

EXTERN_C_END

#endif
