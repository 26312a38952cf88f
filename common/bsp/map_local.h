/// bsp/map_local.h - worlds that are a mesh, and meshes placed in a world. Private to bsp/.

#ifndef EDICTD_BSP_MAP_LOCAL_H
#define EDICTD_BSP_MAP_LOCAL_H

#include "bsp/map.h"
#include "collide/cmap.h"
#include "model/emesh.h"

/// Like Map_Load, but into the caller's cmap_t. CM_FreeMap frees its contents. On failure the map
/// is zeroed.
bool Map_LoadInto(cmap_t *map, const char *path, err_t *err);

/// Makes a map whose model 0 is the mesh, and takes ownership of the mesh's memory. The entity text
/// is that of the .ent file, or the default.
bool Map_FromMesh(cmap_t *map, const char *path, emesh_t *mesh, err_t *err);

/// Loads the meshes that the entity text names, and appends them to the map's models.
bool Map_PlaceMeshes(cmap_t *map, const char *path, err_t *err);

/// Makes the map own a block. If out of memory, returns false, and the caller still owns the block.
bool Map_KeepBlock(cmap_t *map, void *block);

/// Fills a model with the meshes of a file. `meshes` must have space for mesh->num_parts.
void Map_SetMesh(cmodel_t *model, mesh_t *meshes, const emesh_t *mesh);

#endif
