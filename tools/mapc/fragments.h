/// mapc/fragments.h - splits brushes along the tree: the part of a brush in a cell is a fragment.
//
// Memory:  from the temp pool given; a fragment is not changed after creation.

#ifndef EDICTD_MAPC_FRAGMENTS_H
#define EDICTD_MAPC_FRAGMENTS_H

#include "mapc/faces.h"

/// A side of a fragment. `used`: a node above the cell already splits space by this plane.
typedef struct {
    planeref_t plane;
    bool used;
    const winding_t *winding;
} mc_fragment_side_t;

/// The part of a brush in a cell. If all its sides are used, it fills the cell and has no sides
/// (num_sides 0).
typedef struct {
    const mc_brush_t *brush;
    int32_t num_sides;
    dbounds_t bounds;
    mc_fragment_side_t sides[];
} mc_fragment_t;

typedef struct {
    mc_fragment_t **fragments;
    int32_t count;
} mc_fragments_t;

/// Makes a fragment of each whole brush.
mc_fragments_t MC_FragmentBrushes(mc_pool_t *pool, const mc_brush_t *brushes, int32_t num_brushes);

/// Sorts the fragments of a cell to the two sides of a plane, and cuts those that cross it.
void MC_SplitFragments(mc_pool_t *pool, const mc_planes_t *table, const mc_fragments_t *fragments,
                       int32_t plane, mc_fragments_t halves[2]);

/// Cuts a fragment by a plane of the table. A half without volume after rounding is NULL.
void MC_SplitFragment(mc_pool_t *pool, const mc_planes_t *table, const mc_fragment_t *fragment,
                      int32_t plane, mc_fragment_t *halves[2]);

/// Returns the position of a fragment relative to plane `plane` of the table: in front, behind, or
/// MC_SIDE_CROSS if the plane cuts it. MC_SIDE_ON: the whole fragment is within MC_SPLIT_EPSILON of
/// the plane.
mc_side_t MC_FragmentSide(const mc_planes_t *table, const mc_fragment_t *fragment, int32_t plane);

/// Returns the strongest brush that fills the cell, or NULL if none does.
const mc_brush_t *MC_FillingBrush(const mc_fragments_t *fragments);

/// Drops the fragments of all brushes that lose against `filling` (MC_IsStronger), which fills the
/// cell.
void MC_DropWeaker(mc_fragments_t *fragments, const mc_brush_t *filling);

/// Decides the contents of a cell without surfaces. *winner: the brush of the strongest fragment
/// that is not thin; NULL for an empty cell. Adds the comparisons made to *work. Returns -1 if the
/// contents are final. If rounding lost a surface inside the cell, returns the plane of that
/// surface; split the cell there.
int32_t MC_SettleCell(const mc_planes_t *table, const mc_fragments_t *fragments,
                      const mc_brush_t **winner, int64_t *work);

#endif
