/// bsp/map_local.h - worlds that are a mesh, and meshes placed in a world. Private to bsp/.

#ifndef EDICTD_BSP_MAP_LOCAL_H
#define EDICTD_BSP_MAP_LOCAL_H

#include "bsp/map.h"
#include "collide/cmap.h"
#include "model/emesh.h"

/// Like Map_Load, but fills the caller's cmap_t, or zeroes it on failure. Free it with CM_FreeMap.
bool Map_LoadInto(cmap_t *map, const char *path, err_t *err);

/// Makes a map with the mesh as model 0, and takes ownership of the mesh's memory. Reads the
/// entities from the .ent file, if there is one. `files`: NULL = those of the disk.
bool Map_FromMesh(cmap_t *map, const file_reader_t *files, const char *path, emesh_t *mesh,
                  err_t *err);

/// Loads the meshes that entities name, and appends them to the models.
bool Map_PlaceMeshes(cmap_t *map, const file_reader_t *files, const char *path, err_t *err);

/// Moves the origin of each model that turns about its middle (map.h) into the middle.
bool Map_FindPivots(cmap_t *map, const char *path, err_t *err);

/// Gives a malloc'ed block to the map. If out of memory, returns false, and the caller keeps the
/// block.
bool Map_KeepBlock(cmap_t *map, void *block);

/// Fills a model with the meshes of `mesh`, a file that was read. `meshes`: space for
/// mesh->num_parts meshes, to which the model will point.
void Map_SetMesh(cmodel_t *model, mesh_t *meshes, const emesh_t *mesh);

#endif
