/// model/emesh_write.h - writes .emesh files.
//
// For tools and tests.
// Memory:  each function that returns bytes allocates them with malloc; the caller frees them.
// Repeat:  the same sections give the same bytes.

#ifndef EDICTD_MODEL_EMESH_WRITE_H
#define EDICTD_MODEL_EMESH_WRITE_H

#include "model/emesh.h"

/// Returns the content of an EMESH_COLLISION section for a mesh, or NULL if out of memory.
uint8_t *EMesh_CollisionBytes(const mesh_t *mesh, size_t *bytes);

/// Returns the bytes of a file with at most MAX_EMESH_SECTIONS sections, or NULL if out of memory.
uint8_t *EMesh_Bytes(const emesh_section_t *sections, int32_t count, size_t *size);

/// Returns the bytes of a file with these meshes, or NULL if out of memory.
uint8_t *EMesh_MeshBytes(const mesh_t *parts, int32_t count, size_t *size);

/// Updates the size and checksum in a file's bytes after a change.
void EMesh_Seal(uint8_t *data, size_t size);

#endif
