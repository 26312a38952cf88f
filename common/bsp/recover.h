/// bsp/recover.h - makes brush lists for models of Quake's and Half-Life's maps that have none.
//
// Used by Map_Load and tests.
// Memory:  the map's brush_arena; temporary cells are freed before return.
// Errors:  the reason goes to map->remark, and those models keep their hulls only.
// Source:  each leaf of hull 0 is a convex cell, bounded by the planes of its path. Clip brushes
//          are where hull 1 is solid although no recovered brush overlaps its box.

#ifndef EDICTD_BSP_RECOVER_H
#define EDICTD_BSP_RECOVER_H

#include "collide/cmap.h"

/// Makes brushes from the hulls of the models without a brush list. Sets map->num_recovered.
void Map_RecoverBrushes(cmap_t *map);

#endif
