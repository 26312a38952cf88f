/// bsp/map_local.h - a world that is a mesh, and meshes in a world. Inside of bsp/ only.
//
// Floor:   bsp.

#ifndef EDICTD_BSP_MAP_LOCAL_H
#define EDICTD_BSP_MAP_LOCAL_H

#include "bsp/map.h"
#include "model/emesh.h"

/// Makes a map of a mesh: model 0 is all of it. The map gets the mesh's block. The entity text is
/// that of the side file, or the default one.
bool Map_FromMesh(cmap_t *map, const char *path, emesh_t *mesh, err_t *err);

/// Loads the meshes that the entity text names as further models of the map.
bool Map_PlaceMeshes(cmap_t *map, const char *path, err_t *err);

/// Gives the map a block to free. False: no memory; the block is still the caller's.
bool Map_KeepBlock(cmap_t *map, void *block);

/// Fills a model with the parts of a mesh file. `meshes` has room for the parts.
void Map_SetMesh(cmodel_t *model, mesh_t *meshes, const emesh_t *mesh);

#endif
