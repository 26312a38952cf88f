/// mapc/grid.h - finds the brushes near a brush.
//
// Memory:  the pool given.
// Repeat:  the order of neighbours depends on the brushes alone.

#ifndef EDICTD_MAPC_GRID_H
#define EDICTD_MAPC_GRID_H

#include "mapc/brush.h"

#define MC_GRID_SIZE 64 // squares along x and along y

/// Brushes by the squares of the floor plan that their boxes cover. Brushes that cover many squares
/// are in a separate list.
typedef struct {
    const mc_brush_t *brushes;
    int32_t count;
    dbounds_t bounds;
    int32_t *starts;  ///< index of each square's first entry; MC_GRID_SIZE squared + 1
    int32_t *entries; ///< numbers of brushes
    int32_t *large;
    int32_t num_large;
    int32_t *seen; ///< per brush: the last query that returned it
    int32_t query;
} mc_grid_t;

void MC_MakeGrid(mc_grid_t *grid, mc_pool_t *pool, const mc_brush_t *brushes, int32_t count);

/// Finds the brushes whose boxes come within `margin` of the box of brush `own`, without `own`.
/// `out` has room for all brushes. Returns their number.
int32_t MC_Neighbours(mc_grid_t *grid, int32_t own, double margin, const mc_brush_t **out);

/// True if two boxes come within `margin` of each other.
bool MC_BoxesTouch(const dbounds_t *a, const dbounds_t *b, double margin);

#endif
