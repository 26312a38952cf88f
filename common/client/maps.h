/// client/maps.h - the maps that clients predict on: found in folders, loaded once, shared.
//
// Floor:   client.
// Memory:  cl_maps_t owns the maps until it is destroyed, at most MAX_CLIENT_MAPS of them.

#ifndef EDICTD_CLIENT_MAPS_H
#define EDICTD_CLIENT_MAPS_H

#include "client/client.h"
#include "collide/cmodel.h"

#define MAX_CLIENT_MAPS 16

/// The map of that name and hash, loaded when need be. NULL with the reason: no such file in any
/// folder, a file that does not parse, another hash.
const cmap_t *CL_MapsFind(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err);

#endif
