/// mapc/fragments.h - what the cells of a growing tree hold of each brush.
//
// Floor:   tool. brush, faces.
// Units:   qu.
// Memory:  the temp pool given; never changed after it was made.

#ifndef EDICTD_MAPC_FRAGMENTS_H
#define EDICTD_MAPC_FRAGMENTS_H

#include "mapc/faces.h"

/// A side of a fragment. `used`: a node above splits by its plane already.
typedef struct {
    planeref_t plane;
    bool used;
    const winding_t *winding;
} mc_fragment_side_t;

/// A part of a brush in a cell. A fragment all of whose sides are used fills its cell; it needs no
/// sides any more (num_sides 0).
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

/// One fragment for each brush.
mc_fragments_t MC_FragmentBrushes(mc_pool_t *pool, const mc_brush_t *brushes, int32_t num_brushes);

/// Deals the fragments of a cell to the two sides of a plane of the table.
void MC_SplitFragments(mc_pool_t *pool, const mc_planes_t *table, const mc_fragments_t *fragments,
                       int32_t plane, mc_fragments_t halves[2]);

/// Cuts one fragment by a plane of the table that it crosses. A half that rounding leaves without
/// shape is NULL.
void MC_SplitFragment(mc_pool_t *pool, const mc_planes_t *table, const mc_fragment_t *fragment,
                      int32_t plane, mc_fragment_t *halves[2]);

/// Where a fragment lies relative to a plane of the table; ON: it is thinner than the epsilon on both
/// sides.
mc_side_t MC_FragmentSide(const mc_planes_t *table, const mc_fragment_t *fragment, int32_t plane);

/// The strongest brush among those whose fragments fill the cell, or NULL.
const mc_brush_t *MC_FillingBrush(const mc_fragments_t *fragments);

/// Drops the fragments that are weaker than the brush that fills the cell.
void MC_DropWeaker(mc_fragments_t *fragments, const mc_brush_t *filling);

/// Settles a cell without surfaces in it: as nothing changes inside, the strongest fragment that is
/// more than a sliver stands for all of it. *winner is that fragment's brush (NULL: empty).
/// Where rounding lost a surface, so that the fragment ends inside the cell and nothing goes on behind
/// it: returns the plane it ends at, to be split by. Otherwise -1. *work counts comparisons.
int32_t MC_SettleCell(const mc_planes_t *table, const mc_fragments_t *fragments,
                      const mc_brush_t **winner, int64_t *work);

#endif
