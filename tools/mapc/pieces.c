#include "mapc/pieces.h"

#include <string.h>

/// A piece thinner than this decides nothing.
#define MC_SLIVER 0.1 // qu
/// How far behind a piece's side the next one must begin.
#define MC_BEYOND 0.05 // qu

static void bound_piece(mc_piece_t *piece) {
    piece->bounds = DB_Empty();
    for (int32_t i = 0; i < piece->num_sides; i++) {
        const winding_t *w = piece->sides[i].winding;
        for (int32_t k = 0; k < w->num_points; k++) {
            DB_AddPoint(&piece->bounds, w->points[k]);
        }
    }
}

static mc_piece_t *piece_of_brush(mc_pool_t *pool, const mc_brush_t *brush) {
    size_t sides = (size_t)brush->num_sides;
    mc_piece_t *piece = MC_Alloc(pool, 1, sizeof *piece + sides * sizeof(mc_piece_side_t));
    piece->brush = brush;
    piece->num_sides = brush->num_sides;
    piece->bounds = brush->bounds;
    for (int32_t i = 0; i < brush->num_sides; i++) {
        piece->sides[i] = (mc_piece_side_t){brush->sides[i].plane, false, brush->sides[i].winding};
    }
    return piece;
}

mc_pieces_t MC_PiecesOfBrushes(mc_pool_t *pool, const mc_brush_t *brushes, int32_t num_brushes) {
    mc_pieces_t all = {MC_Alloc(pool, (size_t)num_brushes, sizeof *all.pieces), num_brushes};
    for (int32_t i = 0; i < num_brushes; i++) {
        all.pieces[i] = piece_of_brush(pool, &brushes[i]);
    }
    return all;
}

static bool fills_cell(const mc_piece_t *piece) {
    return piece->num_sides == 0;
}

/// A piece all of whose sides are used needs them no more.
static mc_piece_t *settle(mc_pool_t *pool, mc_piece_t *piece) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        if (!piece->sides[i].used) {
            return piece;
        }
    }
    mc_piece_t *full = MC_Alloc(pool, 1, sizeof *full);
    full->brush = piece->brush;
    return full;
}

/// How far a piece reaches to both sides of a plane.
static void piece_range(const mc_piece_t *piece, const dplane_t *plane, double *lo, double *hi) {
    *lo = 1e30;
    *hi = -1e30;
    for (int32_t i = 0; i < piece->num_sides; i++) {
        double l;
        double h;
        MC_WindingRange(piece->sides[i].winding, plane, &l, &h);
        *lo = fmin(*lo, l);
        *hi = fmax(*hi, h);
    }
}

mc_side_t MC_PieceSide(const mc_planes_t *table, const mc_piece_t *piece, int32_t number) {
    dplane_t plane = table->planes[number];
    for (int32_t i = 0; i < piece->num_sides; i++) {
        if (piece->sides[i].plane / 2 == number) {
            return piece->sides[i].plane & 1 ? MC_SIDE_FRONT : MC_SIDE_BACK;
        }
    }
    double lo;
    double hi;
    DB_PlaneRange(&piece->bounds, &plane, &lo, &hi);
    // A box's range is exact for an axial plane and only an outer limit for others.
    if (MC_PlaneType(&plane) > 2 && lo < -MC_SPLIT_EPSILON && hi > MC_SPLIT_EPSILON) {
        piece_range(piece, &plane, &lo, &hi);
    }
    if (lo >= -MC_SPLIT_EPSILON) {
        return hi <= MC_SPLIT_EPSILON ? MC_SIDE_ON : MC_SIDE_FRONT;
    }
    return hi <= MC_SPLIT_EPSILON ? MC_SIDE_BACK : MC_SIDE_CROSS;
}

/// The same piece with the side in a plane marked used (a new one if there is one).
static mc_piece_t *mark_used(mc_pool_t *pool, mc_piece_t *piece, int32_t number) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        if (piece->sides[i].plane / 2 == number && !piece->sides[i].used) {
            size_t bytes = sizeof *piece + (size_t)piece->num_sides * sizeof(mc_piece_side_t);
            mc_piece_t *copy = MC_Alloc(pool, 1, bytes);
            memcpy(copy, piece, bytes);
            copy->sides[i].used = true;
            return settle(pool, copy);
        }
    }
    return piece;
}

/// The cut through a piece: the plane's polygon inside it, or NULL.
static const winding_t *cut_winding(mc_pool_t *pool, const mc_planes_t *table,
                                    const mc_piece_t *piece, const dplane_t *plane) {
    const winding_t *w = MC_PlaneWinding(pool, plane);
    for (int32_t i = 0; i < piece->num_sides && w; i++) {
        dplane_t side = MC_PlaneOf(table, piece->sides[i].plane);
        w = MC_ClipWinding(pool, w, &side, MC_BRUSH_EPSILON);
    }
    return w;
}

static void add_side(mc_piece_t *piece, planeref_t plane, bool used, const winding_t *winding) {
    piece->sides[piece->num_sides++] = (mc_piece_side_t){plane, used, winding};
}

void MC_SplitPiece(mc_pool_t *pool, const mc_planes_t *table, const mc_piece_t *piece,
                   int32_t number, mc_piece_t *halves[2]) {
    dplane_t plane = table->planes[number];
    const winding_t *cut = cut_winding(pool, table, piece, &plane);
    size_t bytes = sizeof *piece + ((size_t)piece->num_sides + 1) * sizeof(mc_piece_side_t);
    for (int32_t h = 0; h < 2; h++) {
        halves[h] = MC_Alloc(pool, 1, bytes);
        halves[h]->brush = piece->brush;
    }
    for (int32_t i = 0; i < piece->num_sides; i++) {
        const mc_piece_side_t *side = &piece->sides[i];
        const winding_t *parts[2];
        MC_SplitWinding(pool, side->winding, &plane, MC_BRUSH_EPSILON, parts);
        for (int32_t h = 0; h < 2; h++) {
            if (parts[h]) {
                add_side(halves[h], side->plane, side->used, parts[h]);
            }
        }
    }
    for (int32_t h = 0; h < 2; h++) {
        if (cut) {
            // The front half lies before the plane: its side there faces back.
            add_side(halves[h], number * 2 + (h == 0 ? 1 : 0), true, cut);
        }
        bound_piece(halves[h]);
        halves[h] = halves[h]->num_sides < 3 ? NULL : halves[h];
    }
}

void MC_SplitPieces(mc_pool_t *pool, const mc_planes_t *table, const mc_pieces_t *pieces,
                    int32_t plane, mc_pieces_t halves[2]) {
    for (int32_t h = 0; h < 2; h++) {
        halves[h].pieces = MC_Alloc(pool, (size_t)pieces->count, sizeof *halves[h].pieces);
        halves[h].count = 0;
    }
    for (int32_t i = 0; i < pieces->count; i++) {
        mc_piece_t *piece = pieces->pieces[i];
        mc_piece_t *parts[2] = {NULL, NULL};
        mc_side_t side = fills_cell(piece) ? MC_SIDE_CROSS : MC_PieceSide(table, piece, plane);
        if (fills_cell(piece)) {
            parts[0] = parts[1] = piece;
        } else if (side == MC_SIDE_CROSS) {
            MC_SplitPiece(pool, table, piece, plane, parts);
            parts[0] = parts[0] ? settle(pool, parts[0]) : NULL;
            parts[1] = parts[1] ? settle(pool, parts[1]) : NULL;
        } else if (side != MC_SIDE_ON) {
            parts[side == MC_SIDE_FRONT ? 0 : 1] = mark_used(pool, piece, plane);
        }
        for (int32_t h = 0; h < 2; h++) {
            if (parts[h]) {
                halves[h].pieces[halves[h].count++] = parts[h];
            }
        }
    }
}

const mc_brush_t *MC_FillingBrush(const mc_pieces_t *pieces) {
    const mc_brush_t *filling = NULL;
    for (int32_t i = 0; i < pieces->count; i++) {
        const mc_piece_t *piece = pieces->pieces[i];
        if (fills_cell(piece) && (!filling || MC_IsStronger(piece->brush, filling))) {
            filling = piece->brush;
        }
    }
    return filling;
}

void MC_DropWeaker(mc_pieces_t *pieces, const mc_brush_t *filling) {
    int32_t kept = 0;
    for (int32_t i = 0; i < pieces->count; i++) {
        if (!MC_IsStronger(filling, pieces->pieces[i]->brush)) {
            pieces->pieces[kept++] = pieces->pieces[i];
        }
    }
    pieces->count = kept;
}

/// A piece that is thin between one of its sides and what lies opposite.
static bool is_sliver(const mc_planes_t *table, const mc_piece_t *piece) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(table, piece->sides[i].plane);
        double lo;
        double hi;
        piece_range(piece, &plane, &lo, &hi);
        if (lo > -MC_SLIVER) {
            return true;
        }
    }
    return false;
}

static bool brush_holds(const mc_planes_t *table, const mc_brush_t *brush, dvec_t point) {
    for (int32_t i = 0; i < brush->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(table, brush->sides[i].plane);
        if (DP_Distance(&plane, point) > MC_SPLIT_EPSILON) {
            return false;
        }
    }
    return true;
}

/// The strongest brush of the cell at a point, or NULL.
static const mc_brush_t *brush_at(const mc_planes_t *table, const mc_pieces_t *pieces,
                                  dvec_t point) {
    const mc_brush_t *best = NULL;
    for (int32_t i = 0; i < pieces->count; i++) {
        const mc_piece_t *piece = pieces->pieces[i];
        if ((!best || MC_IsStronger(piece->brush, best)) &&
            (fills_cell(piece) || brush_holds(table, piece->brush, point))) {
            best = piece->brush;
        }
    }
    return best;
}

/// The plane of a side where the piece ends and something else begins, or -1.
static int32_t open_side(const mc_planes_t *table, const mc_pieces_t *pieces,
                         const mc_piece_t *piece) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        const mc_piece_side_t *side = &piece->sides[i];
        if (side->used || MC_WindingWidth(side->winding) < MC_SLIVER) {
            continue;
        }
        dvec_t normal = MC_PlaneOf(table, side->plane).normal;
        dvec_t beyond = DV_MA(MC_WindingCenter(side->winding), MC_BEYOND, normal);
        const mc_brush_t *next = brush_at(table, pieces, beyond);
        if (!next || next->contents != piece->brush->contents) {
            return side->plane / 2;
        }
    }
    return -1;
}

int32_t MC_SettleCell(const mc_planes_t *table, const mc_pieces_t *pieces,
                      const mc_brush_t **winner, int64_t *work) {
    const mc_piece_t *strongest = NULL;
    for (int32_t i = 0; i < pieces->count; i++) {
        const mc_piece_t *piece = pieces->pieces[i];
        if ((!strongest || MC_IsStronger(piece->brush, strongest->brush)) &&
            (fills_cell(piece) || !is_sliver(table, piece))) {
            strongest = piece;
        }
    }
    *winner = strongest ? strongest->brush : NULL;
    MC_CountWork(table->pool->fail, work, pieces->count);
    if (!strongest || fills_cell(strongest)) {
        return -1;
    }
    for (int32_t i = 0; i < pieces->count; i++) {
        const mc_piece_t *piece = pieces->pieces[i];
        MC_CountWork(table->pool->fail, work, (int64_t)pieces->count * piece->num_sides);
        bool same = piece->brush->contents == strongest->brush->contents;
        int32_t plane = same && !is_sliver(table, piece) ? open_side(table, pieces, piece) : -1;
        if (plane >= 0) {
            return plane;
        }
    }
    return -1;
}
