/// client/maps.h - finds, loads and shares the maps for prediction.
//
// Memory:  cl_maps_t owns at most MAX_CLIENT_MAPS maps. It counts the users of each.

#ifndef EDICTD_CLIENT_MAPS_H
#define EDICTD_CLIENT_MAPS_H

#include "base/err.h"
#include "collide/cmodel.h"
#include "edict/client.h"

#define MAX_CLIENT_MAPS 16

/// Returns a loaded map, NULL if none has this name and hash. Pass it to CL_MapsRelease.
const cmap_t *CL_MapsFind(cl_maps_t *maps, const char *name, uint64_t hash);

/// Loads a map that CL_MapsFind does not find; forgets the oldest unused map if the list is full.
/// Returns NULL with the reason if the file is missing, invalid or has another hash. Also returns
/// NULL if all maps of the list are in use. Pass it to CL_MapsRelease.
const cmap_t *CL_MapsLoad(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err);

/// Returns the map that a client has loaded, NULL if none. Valid until its next CL_Frame.
const cmap_t *CL_LoadedMap(const cl_t *cl);

/// Returns true if downloaded maps may be stored.
bool CL_MapsCanStore(const cl_maps_t *maps);

/// Stores the files of a downloaded map, a pack of bsp/map_pack.h. Returns false with the reason.
bool CL_MapsStore(cl_maps_t *maps, uint64_t hash, const uint8_t *pack, size_t size, err_t *err);

/// Adds a map to the list, which owns it from now on, also after a failure. Returns NULL if all
/// maps of the list are in use. Pass it to CL_MapsRelease.
const cmap_t *CL_MapsAdd(cl_maps_t *maps, cmap_t *map, err_t *err);

/// Ends one use of a map. NULL is allowed.
void CL_MapsRelease(cl_maps_t *maps, const cmap_t *map);

#endif
