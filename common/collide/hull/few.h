/// collide/hull/few.h - a tree of a few nodes, laid side by side. Inside of collide/ only.
//
// Floor:   collide.
// Units:   qu.
// Memory:  a view of lines that cells own.
// Repeat:  the bits of the walk through the tree (hull.c).
//
//      0 ___|___ b      All planes are asked at once, four to a vector; on which side of each
//     a |   1___ c      something is, is one bit of sixteen. A leaf holds what has its bits, of the
//       |   |     d     nodes on the way down to it: so no branch has to be guessed, as each one of
//                       a walk has.

#ifndef EDICTD_COLLIDE_FEW_H
#define EDICTD_COLLIDE_FEW_H

#include "collide/hull/hull_local.h"

/// No farther out along an axis, rounding is less than CM_GRAZING: a coordinate is off by 1/4096 at
/// most, a distance to a plane by another 1/256, at the ends of a sweep and between them.
#define FEW_FARTHEST 8192.0f // qu

enum {
    FEW_LANES = 8,      // of the first part, and of the second
    MAX_FEW_NODES = 15, // with 16 leafs
    FEW_NONE = 255,     // num_lanes of what is not laid out
};

/// Four planes. A lane without one has everything in front.
typedef struct {
    float4_t x, y, z, dist;
} few_planes_t;

typedef uint16_t few_bits_t __attribute__((vector_size(16)));

/// Eight leafs; places without one hold nothing. Lanes and leafs have no order in common.
typedef struct {
    few_bits_t way;     ///< to each leaf: a bit for the lane of each node on it
    few_bits_t front;   ///< those of them that have the leaf in front
    int8_t contents[8]; ///< contents_t
    uint8_t nodes[8];   ///< of eight lanes, counted from the root
} few_leafs_t;

/// Lanes and leafs 8 to 15.
typedef struct {
    few_planes_t planes[2];
    few_leafs_t leafs;
    uint8_t unused[16];
} few_more_t;

/// A tree laid out, in lines of 64 bytes: three, and as many more where it has more than 7 nodes.
typedef struct {
    few_leafs_t leafs;
    int32_t root;      ///< of the tree, which stands parents first; or a contents_t
    uint8_t num_lanes; ///< FEW_NONE: there is nothing but root
    bool is_near;      ///< for places within FEW_FARTHEST
    uint8_t unused[10];
    few_planes_t planes[2];
    few_more_t more[];
} few_nodes_t;

_Static_assert(sizeof(few_nodes_t) == 192 && sizeof(few_more_t) == 192, "three lines each");

/// On which side of the planes something is.
typedef struct {
    float4_t t[4];  ///< distances to them; the last two only where there are more
    uint32_t front; ///< a bit for each plane that has it in front, or on it
} few_place_t;

/// Lays out a tree whose nodes stand parents first, as CM_CutPiece leaves them, for places within
/// FEW_FARTHEST; `few` has room for `more`. Nodes with the same on both sides are left out. False
/// when there are too many: num_lanes is FEW_NONE then, and root the tree's.
bool CM_LayFew(few_nodes_t *few, hull_tree_t tree, int32_t num_nodes);

/// CM_FewTrace of a sweep that a plane cuts on the way to where it starts.
trace_t CM_FewCut(const few_nodes_t *few, hull_tree_t tree, const segment_t *whole,
                  const few_place_t *from, const few_place_t *to);

static inline bool Few_IsLarge(const few_nodes_t *few) {
    return few->num_lanes >= FEW_LANES;
}

/// Distances to axial planes have the bits of the one subtraction of a walk: the other products are
/// zeros, which change nothing but the sign of a zero, and that decides nothing.
static inline float4_t Few_Distances(const few_planes_t *planes, const sweep_point_t *p) {
    return Float4_All(p->f[0]) * planes->x + Float4_All(p->f[1]) * planes->y +
           Float4_All(p->f[2]) * planes->z - planes->dist;
}

static inline uint32_t Few_LookAt(const few_planes_t planes[2], const sweep_point_t *p,
                                  float4_t t[2]) {
    const float4_t zero = {0.0f, 0.0f, 0.0f, 0.0f};
    t[0] = Few_Distances(&planes[0], p);
    t[1] = Few_Distances(&planes[1], p);
    return Float4_Bits(t[0] >= zero) | Float4_Bits(t[1] >= zero) << 4;
}

/// The leafs of eight that hold what has these bits: two bits each.
static inline uint32_t Few_Met(const few_leafs_t *leafs, uint32_t front) {
    const uint16_t f = (uint16_t)front;
    const few_bits_t all = {f, f, f, f, f, f, f, f};
    const few_bits_t is = (few_bits_t)((all & leafs->way) == leafs->front);
#ifdef __SSE2__
    typedef char char16_t __attribute__((vector_size(16)));
    return (uint32_t)__builtin_ia32_pmovmskb128((char16_t)is);
#else
    uint32_t met = 0;
    for (uint32_t i = 0; i < 8; i++) {
        met |= (is[i] & 3u) << (2 * i);
    }
    return met;
#endif
}

/// One leaf holds it.
static inline uint32_t Few_Leaf(const few_nodes_t *few, uint32_t front) {
    uint32_t met = Few_Met(&few->leafs, front);
    if (Few_IsLarge(few)) {
        met |= Few_Met(&few->more->leafs, front) << 16;
    }
    return (uint32_t)__builtin_ctz(met) / 2;
}

/// Those that leaf, or lane, `number` is of.
static inline const few_leafs_t *Few_Leafs(const few_nodes_t *few, uint32_t number) {
    return number < FEW_LANES ? &few->leafs : &few->more->leafs;
}

static inline uint32_t Few_Way(const few_nodes_t *few, uint32_t leaf) {
    return Few_Leafs(few, leaf)->way[leaf % FEW_LANES];
}

static inline int32_t Few_LeafContents(const few_nodes_t *few, uint32_t leaf) {
    return Few_Leafs(few, leaf)->contents[leaf % FEW_LANES];
}

static inline void Few_Look(const few_nodes_t *few, const sweep_point_t *p, few_place_t *place) {
    place->front = Few_LookAt(few->planes, p, place->t);
    if (Few_IsLarge(few)) {
        place->front |= Few_LookAt(few->more->planes, p, place->t + 2) << 8;
    }
}

/// As CM_TreeContents.
static inline contents_t CM_FewContents(const few_nodes_t *few, const sweep_point_t *point) {
    few_place_t at;
    Few_Look(few, point, &at);
    return (contents_t)Few_LeafContents(few, Few_Leaf(few, at.front));
}

// A trace_t is three vectors: fraction and endpos; the plane; and the rest. Written as such they
// can be read and copied as such: a wide load of what was stored in parts has to wait for it.
_Static_assert(offsetof(trace_t, fraction) == 0 && offsetof(trace_t, endpos) == 4 &&
                   offsetof(trace_t, plane) == 16 && offsetof(plane_t, dist) == 12 &&
                   offsetof(trace_t, plane.type) == 32 && offsetof(trace_t, contents) == 36 &&
                   offsetof(trace_t, entnum) == 40 && offsetof(trace_t, startsolid) == 44 &&
                   offsetof(trace_t, allsolid) == 45 && sizeof(trace_t) == 48,
               "as Few_Answer writes it");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "and its flags");

/// solid: that the start is, and all of the sweep.
static inline trace_t Few_Answer(const sweep_point_t *stop, float4_t plane, int32_t type,
                                 int32_t contents, bool solid) {
    const float4_t place = {stop->f[3], stop->f[0], stop->f[1], stop->f[2]};
    const int4_t rest = {type, contents, TRACE_NOTHING, solid ? 0x0101 : 0};
    trace_t trace;
    __builtin_memcpy((char *)&trace, &place, 16);
    __builtin_memcpy((char *)&trace + 16, &plane, 16);
    __builtin_memcpy((char *)&trace + 32, &rest, 16);
    return trace;
}

/// As CM_TraceTree; `tree` is what was laid out.
static inline trace_t CM_FewTrace(const few_nodes_t *few, hull_tree_t tree,
                                  const segment_t *whole) {
    few_place_t from;
    few_place_t to;
    Few_Look(few, &whole->p1, &from);
    Few_Look(few, &whole->p2, &to);
    const uint32_t leaf = Few_Leaf(few, from.front);
    if (((from.front ^ to.front) & Few_Way(few, leaf)) != 0) {
        return CM_FewCut(few, tree, whole, &from, &to);
    }
    const int32_t contents = Few_LeafContents(few, leaf);
    const bool solid = contents == CONTENTS_SOLID;
    return Few_Answer(solid ? &whole->p1 : &whole->p2, Float4_All(0.0f), 0, contents, solid);
}

#endif
