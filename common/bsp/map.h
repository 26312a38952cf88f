/// bsp/map.h - the one loader of a world, whatever its file is: a compiled map, or a mesh.
//
// Floor:   bsp.
// Units:   qu.
// Memory:  the cmap_t's own; CM_FreeMap frees it.
// Errors:  "file: ...: reason"; nothing else happens on a bad file.
// Repeat:  server and client that load the same files number the models alike: first the map's own,
//          then the placed meshes in the order in which the entity text first names them.
//
//     arena.bsp            its entities may say "model" "meshes/rock.emesh":
//     meshes/rock.emesh    a path below the folder of the map; each file is one more model
//     models/ogre.emesh    with bones: one more skeleton, too, or with no triangles just that
//
//     terrain.emesh        is model 0; its materials' contents are the world's
//     terrain.ent          entity text, which may place further meshes; without it: a worldspawn, and a
//                          start on top of the middle

#ifndef EDICTD_BSP_MAP_H
#define EDICTD_BSP_MAP_H

#include "base/err.h"
#include "collide/cmodel.h"

/// Loads a map by what is in the file, not by its ending, and every mesh that its entities place. A
/// mesh that is not there or is wrong refuses the map. map->hash covers the entity text of a mesh
/// world, and all placed meshes.
bool Map_Load(cmap_t *map, const char *path, err_t *err);

/// True for the value of a "model" key that names a mesh: it ends in ".emesh".
bool Map_IsMeshName(const char *value);

/// The number of the model that a "model" key names: "*3", or a placed mesh. -1: none of this map
/// (0, the world, is nobody's).
int32_t Map_FindModel(const cmap_t *map, const char *value);

/// Which of map->skeletons a "model" key names. -1: none.
int32_t Map_FindSkeleton(const cmap_t *map, const char *value);

/// Why a text is no path to a file below a folder (absolute, \ in it, a part that begins with a
/// dot), or NULL: it is one.
const char *Map_PathFault(const char *path);

#endif
