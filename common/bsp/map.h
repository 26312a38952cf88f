/// bsp/map.h - loads a world from a compiled map or a mesh.
//
// Units:   qu.
// Memory:  the cmap_t's own; CM_FreeMap frees it.
// Errors:  "file: ...: reason"; a bad file leaves the map zeroed.
// Repeat:  the same files give the same model numbers on server and client: first the map's own,
//          then placed meshes in the order of their first mention in the entity text.
//
//     arena.bsp            entities with "model" "meshes/rock.emesh" place a mesh:
//     meshes/rock.emesh    a path below the folder of the map; each file is one more model
//     models/ogre.emesh    with bones: one more skeleton, with triangles also a model
//
//     terrain.emesh        is model 0, with the contents of its materials
//     terrain.ent          entity text, may place further meshes; default: a worldspawn, and a
// start
//                          on top of the middle

#ifndef EDICTD_BSP_MAP_H
#define EDICTD_BSP_MAP_H

#include "base/err.h"
#include "collide/cmodel.h"

/// Loads a map, recognised by its first bytes, and every mesh that its entities place. A missing or
/// bad mesh fails the whole map. map->hash covers the map, the entity text of a mesh world and all
/// placed meshes.
bool Map_Load(cmap_t *map, const char *path, err_t *err);

/// Returns true if the value of a "model" key names a mesh: it ends in ".emesh".
bool Map_IsMeshName(const char *value);

/// Returns the number of the model that a "model" key names: "*3", or a placed mesh. -1 if the map
/// has no such model; never 0, the world.
int32_t Map_FindModel(const cmap_t *map, const char *value);

/// Returns the index of the skeleton that a "model" key names, or -1.
int32_t Map_FindSkeleton(const cmap_t *map, const char *value);

/// Returns NULL if the text is a path to a file below a folder, otherwise the reason: absolute, has
/// a \, or a part that starts with a dot.
const char *Map_PathFault(const char *path);

#endif
