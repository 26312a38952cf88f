/// mapc/grid.h - finds the brushes near a brush.
//
// Floor:   tool. brush.
// Units:   qu.
// Memory:  the pool given.
// Repeat:  neighbours come in an order that depends on the brushes alone.

#ifndef EDICTD_MAPC_GRID_H
#define EDICTD_MAPC_GRID_H

#include "mapc/brush.h"

#define MC_GRID_SIZE 64 // squares along x and along y

/// Brushes by the squares of the floor plan that their boxes cover; those that cover many are in a
/// list of their own.
typedef struct {
    const mc_brush_t *brushes;
    int32_t count;
    dbounds_t bounds;
    int32_t *starts;  ///< MC_GRID_SIZE squared and one: where each square's brushes begin
    int32_t *entries; ///< numbers of brushes
    int32_t *large;
    int32_t num_large;
    int32_t *seen; ///< per brush: the last query that met it
    int32_t query;
} mc_grid_t;

void MC_MakeGrid(mc_grid_t *grid, mc_pool_t *pool, const mc_brush_t *brushes, int32_t count);

/// The brushes whose boxes come within `margin` of brush number `own`'s, without itself. `out` has
/// room for all. Returns how many.
int32_t MC_Neighbours(mc_grid_t *grid, int32_t own, double margin, const mc_brush_t **out);

/// True when two boxes come within `margin` of each other.
bool MC_BoxesTouch(const dbounds_t *a, const dbounds_t *b, double margin);

#endif
