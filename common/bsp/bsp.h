/// bsp/bsp.h - loads compiled maps into a cmap_t: Quake's BSP29, 2PSB and BSP2, Half-Life's BSP30,
/// Quake II's IBSP 38, Quake III's IBSP 46.
//
// Memory:  the arena of the cmap_t; the file's bytes are not kept.
// Errors:  "name: lump: expected, found"; the map is then zeroed.

#ifndef EDICTD_BSP_BSP_H
#define EDICTD_BSP_BSP_H

#include "base/err.h"
#include "collide/cmap.h"

/// Parses and checks the bytes of a map file. `name`: name of the map, for errors.
bool BSP_Parse(cmap_t *map, const char *name, const uint8_t *data, size_t size, err_t *err);

bool BSP_Load(cmap_t *map, const char *path, err_t *err);

#endif
