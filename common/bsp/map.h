/// bsp/map.h - loads a world from a compiled map or a mesh.
//
// Memory:  malloc'ed by Map_Load, freed by Map_Free.
// Errors:  "file: ...: reason".
// Repeat:  equal files give equal model numbers on server and client. The map's own models come
//          first, then placed meshes in entity order.
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
#include "base/file.h"
#include "collide/cmodel.h"

struct model_s; // model/model.h

/// Loads a map and every mesh that its entities place. Recognises the format by the first bytes.
/// Returns NULL with the reason if a file is missing or invalid. The map's hash covers all these
/// files.
cmap_t *Map_Load(const char *path, err_t *err);

/// Like Map_Load. `files`: NULL = those of the disk.
cmap_t *Map_LoadFrom(const file_reader_t *files, const char *path, err_t *err);

/// Makes a map without solids and entities, or NULL if out of memory.
cmap_t *Map_MakeEmpty(const char *name, bounds_t bounds);

/// Frees a map; NULL is allowed.
void Map_Free(cmap_t *map);

/// Returns true if a "model" key names a mesh: it ends in ".emesh".
bool Map_IsMeshName(const char *value);

/// Returns the number of the model that a "model" key names, such as "*3" or a placed mesh. Returns
/// -1 if there is none.
int32_t Map_FindModel(const cmap_t *map, const char *value);

/// Returns the index of the skeleton that a "model" key names, or -1.
int32_t Map_FindSkeleton(const cmap_t *map, const char *value);

/// Returns a skeleton, or NULL if there is no such number. Numbers follow the first use in the
/// entity text.
const struct model_s *Map_Skeleton(const cmap_t *map, int32_t skeleton);

/// Returns the path of a skeleton's file, as in the entity text.
const char *Map_SkeletonFile(const cmap_t *map, int32_t skeleton);

/// Returns true for a class of brush entities that turn: func_rotating, func_door_rotating, ...
///
/// An ORIGIN brush writes the key "origin". Without it, the space of such a model starts in the
/// model's middle (CM_ModelPivot), so that it turns there.
bool Map_IsTurningClass(const char *classname);

/// Values of the key "turn_about".
typedef enum { TURN_ABOUT_DEFAULT, TURN_ABOUT_MIDDLE, TURN_ABOUT_MAP, TURN_ABOUT_BAD } turn_about_t;

/// Returns the meaning of a value; NULL = the entity has no such key.
turn_about_t Map_TurnAbout(const char *value);

/// Returns NULL if a path is relative and stays in its folder, otherwise the reason. Rejects
/// backslashes and names that start with a dot.
const char *Map_PathFault(const char *path);

#endif
