/// bsp/map_local.h - worlds made of a mesh, and meshes placed in a world. Private to bsp/.

#ifndef EDICTD_BSP_MAP_LOCAL_H
#define EDICTD_BSP_MAP_LOCAL_H

#include "bsp/map.h"
#include "collide/cmap.h"
#include "model/emesh.h"

/// Like Map_Load, into memory of the caller; CM_FreeMap frees its contents. A bad file leaves the
/// map zeroed.
bool Map_LoadInto(cmap_t *map, const char *path, err_t *err);

/// Makes a map whose model 0 is the mesh, and takes over the mesh's memory block. The entity text
/// comes from the .ent file, or is the default.
bool Map_FromMesh(cmap_t *map, const char *path, emesh_t *mesh, err_t *err);

/// Loads the meshes that the entity text names, as further models of the map.
bool Map_PlaceMeshes(cmap_t *map, const char *path, err_t *err);

/// Makes the map the owner of a block. If out of memory, returns false; the caller still owns it.
bool Map_KeepBlock(cmap_t *map, void *block);

/// Fills a model with the parts of a mesh file. `meshes` has room for the parts.
void Map_SetMesh(cmodel_t *model, mesh_t *meshes, const emesh_t *mesh);

#endif
