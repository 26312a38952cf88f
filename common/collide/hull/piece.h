/// collide/hull/piece.h - the part of a hull's tree that matters inside of a box. Inside of collide/ only.
//
// Floor:   collide.
// Units:   qu.
// Memory:  the caller's.
// Repeat:  what stays inside of the box walks the same cuts through the piece as through the whole.

#ifndef EDICTD_COLLIDE_PIECE_H
#define EDICTD_COLLIDE_PIECE_H

#include "collide/hull/hull.h"
#include "math/bounds.h"

/// Root of a piece that did not fit.
#define PIECE_NONE INT32_MIN

/// A side of a node that was not looked at yet.
typedef struct {
    int32_t num;
    int32_t parent, side; // in the piece; -1: it is the root
    float mins[3], maxs[3];
} piece_side_t;

/// What is cut, and what it is cut into.
typedef struct {
    const clipnode_t *from;
    const plane_t *planes;
    int32_t root; // in from
    float slack;  // qu; nodes that are not farther from the box stay
    clipnode_t *nodes;
    int32_t max_nodes, num_nodes;
    piece_side_t *waiting; // back sides on the way down
    int32_t max_waiting;
    int32_t looks_left; // at nodes: a tree that shares its parts may have no end
} piece_cut_t;

/// More than this from a plane, rounding does not decide on which side of it something is, nor does
/// hull.c look twice; for places up to `largest` from the origin.
float CM_PieceSlack(float largest);

/// Copies the nodes whose planes cut a box, in the order in which they are met; children of the copies
/// are copies, or contents. Returns the root, or PIECE_NONE when they were too many.
int32_t CM_CutPiece(piece_cut_t *cut, bounds_t box);

#endif
