/// client/maps.h - finds and loads the maps for prediction; clients share them.
//
// Memory:  cl_maps_t owns at most MAX_CLIENT_MAPS maps until it is destroyed.

#ifndef EDICTD_CLIENT_MAPS_H
#define EDICTD_CLIENT_MAPS_H

#include "client/client.h"
#include "collide/cmodel.h"

#define MAX_CLIENT_MAPS 16

/// Returns the map of that name and hash, and loads it if necessary. Returns NULL with the reason:
/// no such file, a file that does not parse, or another hash.
const cmap_t *CL_MapsFind(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err);

#endif
