/// mapc/fragments.h - the parts of brushes in the cells of a growing tree.
//
// Memory:  the temp pool given; not changed after creation.

#ifndef EDICTD_MAPC_FRAGMENTS_H
#define EDICTD_MAPC_FRAGMENTS_H

#include "mapc/faces.h"

/// A side of a fragment. `used`: a node above already splits by its plane.
typedef struct {
    planeref_t plane;
    bool used;
    const winding_t *winding;
} mc_fragment_side_t;

/// The part of a brush in a cell. If all of its sides are used it fills the cell and has no sides
/// (num_sides 0).
typedef struct {
    const mc_brush_t *brush;
    int32_t num_sides;
    dbounds_t bounds;
    mc_fragment_side_t sides[];
} mc_fragment_t;

/// The fragments of a cell.
typedef struct {
    mc_fragment_t **fragments;
    int32_t count;
} mc_fragments_t;

/// Makes a fragment of each brush.
mc_fragments_t MC_FragmentBrushes(mc_pool_t *pool, const mc_brush_t *brushes, int32_t num_brushes);

/// Distributes the fragments of a cell to the two sides of a plane of the table.
void MC_SplitFragments(mc_pool_t *pool, const mc_planes_t *table, const mc_fragments_t *fragments,
                       int32_t plane, mc_fragments_t halves[2]);

/// Cuts a fragment by a plane of the table. A half is NULL if rounding leaves no volume.
void MC_SplitFragment(mc_pool_t *pool, const mc_planes_t *table, const mc_fragment_t *fragment,
                      int32_t plane, mc_fragment_t *halves[2]);

/// Returns the side of a plane of the table on which a fragment lies; ON if it is thinner than the
/// epsilon on both sides.
mc_side_t MC_FragmentSide(const mc_planes_t *table, const mc_fragment_t *fragment, int32_t plane);

/// Returns the strongest brush whose fragment fills the cell, or NULL.
const mc_brush_t *MC_FillingBrush(const mc_fragments_t *fragments);

/// Drops the fragments weaker than the brush that fills the cell.
void MC_DropWeaker(mc_fragments_t *fragments, const mc_brush_t *filling);

/// Decides the contents of a cell without surfaces: *winner is the brush of the strongest fragment
/// that is not thin, NULL if empty. If rounding lost a surface, so that the fragment ends inside
/// the cell, returns the plane where it ends, to split by; otherwise -1. *work counts comparisons.
int32_t MC_SettleCell(const mc_planes_t *table, const mc_fragments_t *fragments,
                      const mc_brush_t **winner, int64_t *work);

#endif
