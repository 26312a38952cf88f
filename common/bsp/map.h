/// bsp/map.h - loads a world from a compiled map or a mesh.
//
// Memory:  malloc'ed by Map_Load, freed by Map_Free.
// Errors:  "file: ...: reason".
// Repeat:  the same files give the same model numbers on server and client. First come the
//          map's own, then placed meshes in the order of their first mention in the entity text.
//
//     arena.bsp            entities with "model" "meshes/rock.emesh" place a mesh:
//     meshes/rock.emesh    a path below the folder of the map; each file is one more model
//     models/ogre.emesh    with bones: one more skeleton, with triangles also a model
//
//     terrain.emesh        is model 0, with the contents of its materials
//     terrain.ent          entity text, may place further meshes; default: a worldspawn, and a
//                          start on top of the middle

#ifndef EDICTD_BSP_MAP_H
#define EDICTD_BSP_MAP_H

#include "base/err.h"
#include "collide/cmodel.h"

struct model_s; // model/model.h

/// Loads a map, whose format is recognised by its first bytes, and every mesh that its entities
/// place. If a mesh is missing or bad, the map fails too. The map's hash covers the file, all
/// placed meshes, and the .ent file if the map itself is a mesh. Returns NULL with the reason.
cmap_t *Map_Load(const char *path, err_t *err);

/// Makes a map without solids and entities. Returns NULL if out of memory.
cmap_t *Map_MakeEmpty(const char *name, bounds_t bounds);

/// Frees a map. NULL may be freed.
void Map_Free(cmap_t *map);

/// Returns true if the value of a "model" key names a mesh file, which ends in ".emesh".
bool Map_IsMeshName(const char *value);

/// Returns the number of the model that a "model" key names ("*3", or a placed mesh), or -1 if the
/// map has no such model. Never returns 0, the world.
int32_t Map_FindModel(const cmap_t *map, const char *value);

/// Returns the index of the skeleton that a "model" key names, or -1.
int32_t Map_FindSkeleton(const cmap_t *map, const char *value);

/// Returns a skeleton by its number, or NULL if there is none. Skeletons are the placed files with
/// bones, in the order of first use.
const struct model_s *Map_Skeleton(const cmap_t *map, int32_t skeleton);

/// Returns the path of a skeleton's file, as in the entity text. The skeleton must exist.
const char *Map_SkeletonFile(const cmap_t *map, int32_t skeleton);

/// Returns NULL if the text is a relative path that stays below its folder. Otherwise returns the
/// reason: it is absolute, or contains a backslash or a name that starts with a dot.
const char *Map_PathFault(const char *path);

#endif
