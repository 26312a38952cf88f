/// client/maps.h - finds, loads and shares the maps for prediction.
//
// Memory:  cl_maps_t owns at most MAX_CLIENT_MAPS maps until it is destroyed.

#ifndef EDICTD_CLIENT_MAPS_H
#define EDICTD_CLIENT_MAPS_H

#include "client/client.h"
#include "collide/cmodel.h"

#define MAX_CLIENT_MAPS 16

/// Returns the map with this name and hash, and loads it if necessary. Returns NULL with the reason
/// if the file is missing, invalid or has another hash.
const cmap_t *CL_MapsFind(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err);

#endif
