/// collide/hull/wide.h - a hull's tree with up to eight planes to a node, for sweeps through many of
/// them.
//
// Floor:   collide. Made by bsp/ at the end of loading, used by hull.c.
// Units:   qu, in the hull's own space; fractions of the sweep.
// Memory:  arrays in an arena of the map; const after loading.
// Repeat:  the bits of the walk through the hull's own nodes (hull_long.c), whatever the shape of
//          the tree and however many lanes the CPU has (tests/unit/common/collide/test_wide.c).
//
//     __|__________ a    The planes of a node are asked at once, one to a lane. On which side of
//       |b    s          each something lies is one bit of eight; a child is what has certain bits,
//     # |    /   | c     of the planes on the way to it: no branch has to be guessed on the way
//     --+---/----|       down. Where the sweep leaves a child is the lowest of the fractions at
//     d |##e#####|       which it crosses those planes. So it goes from child to child, node by
//                        node, in its own order.

#ifndef EDICTD_COLLIDE_WIDE_H
#define EDICTD_COLLIDE_WIDE_H

#include "base/arena.h"
#include "collide/hull/hull.h"
#include "math/bounds.h"

enum {
    WIDE_PLANES = 8,
    WIDE_CHILDREN = 9,     ///< at most
    WIDE_CHILD_LANES = 16, ///< those that are not there hold nothing
};

/// Most nodes of one hull (16 MiB); larger hulls have none, and are walked as they are.
#define MAX_WIDE_NODES 65536

/// A part of the hull's tree, its nodes in an order in which none comes before the one above it.
/// Lanes without a node have everything in front. A child is a node, or below 0 a contents_t.
//
//   byte 0              96          128       144        160       196     204   256
//        | 3 x 8 floats | 8 floats  | 16 x 8  | 16 x 8   | 9 x 32  | 8 x 8 |     |
//        | x, y, z      | dist      | way     | behind   | child   | type  |     |
typedef struct {
    float normal[3][WIDE_PLANES];
    float dist[WIDE_PLANES];
    uint8_t way[WIDE_CHILD_LANES];    ///< the planes on the way to each child, a bit each
    uint8_t behind[WIDE_CHILD_LANES]; ///< those of them that have the child behind
    int32_t child[WIDE_CHILDREN];
    uint8_t type[WIDE_PLANES]; ///< plane_type_t
    uint8_t unused[52];
} wide_node_t;

_Static_assert(sizeof(wide_node_t) == 256, "four cache lines");

/// Sweeps that go farther along an axis than longest_other are long, and cut as hull_long.c says:
/// farther than HULL_LONG, and than what a cell or a gather of the hull answers. Node 0 is the
/// root.
struct hull_wide {
    const wide_node_t *nodes; ///< at the start of a cache line
    int32_t num_nodes;
    float longest_other; ///< qu
};

#define HULL_LONG 128.0f // qu

/// Makes the wide trees of some hulls (those that a tree of no more than MAX_WIDE_NODES stands
/// behind) with nodes below num_nodes, after their cells; `bounds` is what they are likely to be
/// asked about. The arena must not be in use; it gets all memory. False when there is none: the
/// hulls are as they were.
bool CM_BuildWide(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, int32_t num_nodes,
                  bounds_t bounds);

#endif
