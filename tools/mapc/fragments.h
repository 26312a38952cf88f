/// mapc/fragments.h - splits brushes by the planes of a BSP tree. A fragment is the part of a brush
/// in one cell of the tree.
//
// Memory:  allocated from the caller's pool.

#ifndef EDICTD_MAPC_FRAGMENTS_H
#define EDICTD_MAPC_FRAGMENTS_H

#include "mapc/faces.h"

/// A side of a fragment. `used`: a node above the cell splits space by this plane.
typedef struct {
    planeref_t plane;
    bool used;
    const winding_t *winding;
} mc_fragment_side_t;

/// The part of a brush in a cell. A fragment that fills the cell has num_sides 0.
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

/// Splits all fragments by a plane. halves[0] receives the front parts, halves[1] the back parts.
void MC_SplitFragments(mc_pool_t *pool, const mc_planes_t *table, const mc_fragments_t *fragments,
                       int32_t plane, mc_fragments_t halves[2]);

/// Cuts a fragment by a plane of the table. A half without volume after rounding is NULL.
void MC_SplitFragment(mc_pool_t *pool, const mc_planes_t *table, const mc_fragment_t *fragment,
                      int32_t plane, mc_fragment_t *halves[2]);

/// Returns a fragment's side of plane number `plane`. MC_SIDE_ON: the whole fragment is within
/// MC_SPLIT_EPSILON of the plane.
mc_side_t MC_FragmentSide(const mc_planes_t *table, const mc_fragment_t *fragment, int32_t plane);

/// Returns the strongest brush that fills the cell, or NULL if none does.
const mc_brush_t *MC_FillingBrush(const mc_fragments_t *fragments);

/// Removes the fragments of all brushes that are weaker than `filling` (MC_IsStronger).
void MC_DropWeaker(mc_fragments_t *fragments, const mc_brush_t *filling);

/// Finds the brush that decides the contents of a cell. *winner: the brush, or NULL for an empty
/// cell. Returns -1, or a plane that must split the cell first. Adds the comparisons to *work.
int32_t MC_SettleCell(const mc_planes_t *table, const mc_fragments_t *fragments,
                      const mc_brush_t **winner, int64_t *work);

#endif
