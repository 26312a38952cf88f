/// mapc/grid.h - finds the brushes near a brush.
//
// Memory:  from the caller's pool.
// Repeat:  the same brushes give the same results in the same order.

#ifndef EDICTD_MAPC_GRID_H
#define EDICTD_MAPC_GRID_H

#include "mapc/brush.h"

#define MC_GRID_SIZE 64 // number of squares along x and along y

/// A grid of squares over the map, from above. Each square lists its brushes. The list `large` has
/// the brushes that overlap many squares.
typedef struct {
    const mc_brush_t *brushes;
    int32_t count;
    dbounds_t bounds;
    int32_t *starts;  ///< index of each square's first entry; MC_GRID_SIZE squared + 1
    int32_t *entries; ///< brush numbers, square by square
    int32_t *large;
    int32_t num_large;
    int32_t *seen; ///< per brush: number of the last query that returned it
    int32_t query;
} mc_grid_t;

void MC_MakeGrid(mc_grid_t *grid, mc_pool_t *pool, const mc_brush_t *brushes, int32_t count);

/// Finds the brushes with bounds within `margin` of brush `own`, without `own`. `out` must have
/// room for all brushes. Returns the number found.
int32_t MC_Neighbours(mc_grid_t *grid, int32_t own, double margin, const mc_brush_t **out);

/// Returns true if two boxes are within `margin` of each other.
bool MC_BoxesTouch(const dbounds_t *a, const dbounds_t *b, double margin);

#endif
