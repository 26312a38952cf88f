/// model/emesh_write.h - writes .emesh files.
//
// Floor:   model. For tools and tests.
// Memory:  malloc'ed bytes that the caller frees.
// Repeat:  the same sections, the same bytes.

#ifndef EDICTD_MODEL_EMESH_WRITE_H
#define EDICTD_MODEL_EMESH_WRITE_H

#include "model/emesh.h"

/// A COLLISION section of a mesh. NULL: no memory.
uint8_t *EMesh_CollisionBytes(const mesh_t *mesh, size_t *bytes);

/// A file of up to MAX_EMESH_SECTIONS sections, in that order. NULL: no memory.
uint8_t *EMesh_Bytes(const emesh_section_t *sections, int32_t count, size_t *size);

/// A file of meshes alone: the parts of one model. NULL: no memory.
uint8_t *EMesh_MeshBytes(const mesh_t *parts, int32_t count, size_t *size);

/// Puts the size and the checksum into a file's bytes that were changed.
void EMesh_Seal(uint8_t *data, size_t size);

#endif
