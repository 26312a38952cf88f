/// mapc/pieces.h - what the cells of a growing tree hold of each brush.
//
// Floor:   tool. brush, faces.
// Units:   qu.
// Memory:  the temp pool given; never changed after it was made.

#ifndef EDICTD_MAPC_PIECES_H
#define EDICTD_MAPC_PIECES_H

#include "mapc/faces.h"

/// A side of a piece. `used`: a node above splits by its plane already.
typedef struct {
    planeref_t plane;
    bool used;
    const winding_t *winding;
} mc_piece_side_t;

/// A part of a brush in a cell. A piece all of whose sides are used fills its cell; it needs no
/// sides any more (num_sides 0).
typedef struct {
    const mc_brush_t *brush;
    int32_t num_sides;
    dbounds_t bounds;
    mc_piece_side_t sides[];
} mc_piece_t;

/// The pieces of a cell.
typedef struct {
    mc_piece_t **pieces;
    int32_t count;
} mc_pieces_t;

/// One piece for each brush.
mc_pieces_t MC_PiecesOfBrushes(mc_pool_t *pool, const mc_brush_t *brushes, int32_t num_brushes);

/// Deals the pieces of a cell to the two sides of a plane of the table.
void MC_SplitPieces(mc_pool_t *pool, const mc_planes_t *table, const mc_pieces_t *pieces,
                    int32_t plane, mc_pieces_t halves[2]);

/// Cuts one piece by a plane of the table that it crosses. A half that rounding leaves without
/// shape is NULL.
void MC_SplitPiece(mc_pool_t *pool, const mc_planes_t *table, const mc_piece_t *piece,
                   int32_t plane, mc_piece_t *halves[2]);

/// Where a piece lies relative to a plane of the table; ON: it is thinner than the epsilon on both
/// sides.
mc_side_t MC_PieceSide(const mc_planes_t *table, const mc_piece_t *piece, int32_t plane);

/// The strongest brush among those whose pieces fill the cell, or NULL.
const mc_brush_t *MC_FillingBrush(const mc_pieces_t *pieces);

/// Drops the pieces that are weaker than the brush that fills the cell.
void MC_DropWeaker(mc_pieces_t *pieces, const mc_brush_t *filling);

/// Settles a cell without surfaces in it: as nothing changes inside, the strongest piece that is
/// more than a sliver stands for all of it. *winner is that piece's brush (NULL: empty).
/// Where rounding lost a surface, so that the piece ends inside the cell and nothing goes on behind
/// it: returns the plane it ends at, to be split by. Otherwise -1. *work counts comparisons.
int32_t MC_SettleCell(const mc_planes_t *table, const mc_pieces_t *pieces,
                      const mc_brush_t **winner, int64_t *work);

#endif
