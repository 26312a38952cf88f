/// collide/hull/cells.h - a grid over a hull that makes short sweeps fast.
//
// Built at the end of loading.
// Units:   qu, in hull space.
// Memory:  an arena of the map; const after loading.
// Repeat:  a sweep through a cell gives exactly the result of the whole hull.
//
//        |     |  m  |     |        A cell's region is the cell and CELL_REACH more on each side.
//     ---+-----+-----+-----+---     A sweep belongs to the cell that contains its middle (m).
//        |     |s~~~~e     |        A sweep is short if both ends are within the region.
//        |     |     |     |
//
//      0 ___|___ b      A cell stores the nodes that cut its region as lanes of vectors, and the
//     a |   1___ c      leaves between them. For each plane, one bit is the side on which a point
//       |   |     d     is. The point's leaf is the leaf whose path has these bits, so no branch
//                       depends on the point. A cell with too many nodes is split into eight parts.
//                       If a part has too many, the tree is walked from its first cut on.

#ifndef EDICTD_COLLIDE_HULL_CELLS_H
#define EDICTD_COLLIDE_HULL_CELLS_H

#include "base/arena.h"
#include "base/types.h"
#include "collide/hull/hull_local.h"
#include "math/bounds.h"

/// A sweep is short, so that its cell has all nodes it needs, if both ends are this close to its
/// middle along each axis.
#define CELL_REACH 24.0f // qu

/// Cells beyond this coordinate have no lanes, because of rounding errors.
#define CELL_FARTHEST 8192.0f // qu

/// Value of cell_ref_t.group for a cell without lanes.
#define CELL_NONE (-1)

/// Flag of cell_ref_t.group for a split cell; the rest is an index of parts[].
#define CELL_IS_SPLIT (1 << 30)

#define MAX_HULL_CELLS 65536 // larger maps have larger cells
#define CELL_SIZE      64.0f // qu

enum {
    GROUP_LANES = 8,     // planes or leaves of a group
    MAX_CELL_GROUPS = 2, // groups of a cell
    MAX_CELL_LANES = 15, // planes of a cell, with 16 leaves
};

/// Four planes. Every point is in front of an unused plane.
typedef struct {
    lanes_t x, y, z, dist;
} plane4_t;

typedef uint16_t lane_bits_t __attribute__((vector_size(16)));

/// Eight planes and eight leaves. An unused leaf matches no point. Bits 8 to 15 of `path` and
/// `front` are planes of a second group.
typedef struct {
    lane_bits_t path;   ///< per leaf: one bit per node above it
    lane_bits_t front;  ///< per leaf: set if the leaf is in front of the node
    int8_t contents[8]; ///< per leaf: contents_t
    int32_t num_lanes;  ///< planes of the cell, in the first group; 8 or more = two groups
    uint8_t types[8];   ///< per plane: plane_type_t
    int32_t unused[3];
    plane4_t planes[2];
} cell_group_t;

_Static_assert(sizeof(cell_group_t) == 192, "a group must fill three cache lines");

/// A cell, or a part of a split cell.
typedef struct {
    int32_t root;  ///< first node that cuts the region, or contents_t
    int32_t group; ///< first group, or CELL_NONE, or CELL_IS_SPLIT + index
} cell_ref_t;

/// The grid: cell (x, y, z) is refs[(z * count[1] + y) * count[0] + x]. Part (x, y, z) of a split
/// cell is parts[i][4 * z + 2 * y + x].
struct hull_cells {
    vec3_t mins; ///< low corner of cell 0
    float size;  ///< side of a cell
    float scale; ///< cells per qu
    int32_t count[3];
    int32_t num_cells, num_groups, num_splits;
    const cell_ref_t *refs;
    const cell_ref_t (*parts)[8];
    const cell_group_t *groups;
};

/// Builds the cells of hulls over `bounds` in an empty arena. If out of memory, returns false and
/// changes no hull.
bool CM_BuildCells(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, bounds_t bounds);

/// Stores the nodes below `root` that cut `box` as lanes. Returns the number of groups, or 0 if
/// there are too many. *looks_left: how many nodes may still be visited.
int32_t CM_LayOutCell(cell_group_t groups[MAX_CELL_GROUPS], const hull_t *hull, int32_t root,
                      bounds_t box, int32_t *looks_left);

/// Returns the cell at a point, or the nearest one, and its region.
const cell_ref_t *CM_CellAround(const hull_cells_t *cells, vec3_t p, bounds_t *region);

/// Position of a point relative to the planes of a cell.
typedef struct {
    lanes_t t[2 * MAX_CELL_GROUPS]; ///< distances; the last two only with two groups
    uint32_t front;                 ///< one bit per plane: the point is in front or on it
} lane_sides_t;

/// Like CM_GroupTrace, for a sweep that leaves its first leaf.
trace_t CM_GroupCut(const cell_group_t *groups, hull_tree_t tree, const segment_t *whole,
                    const lane_sides_t *from, const lane_sides_t *to);

/// Returns the cell or part at a point, or NULL outside the grid.
static inline const cell_ref_t *CM_CellAt(const hull_cells_t *cells, vec3_t p) {
    const float x = (p.x - cells->mins.x) * cells->scale;
    const float y = (p.y - cells->mins.y) * cells->scale;
    const float z = (p.z - cells->mins.z) * cells->scale;
    const int32_t *count = cells->count;
    if (!(x >= 0.0f && y >= 0.0f && z >= 0.0f && x < (float)count[0] && y < (float)count[1] &&
          z < (float)count[2])) {
        return NULL;
    }
    const int32_t at[3] = {(int32_t)x, (int32_t)y, (int32_t)z};
    const cell_ref_t *ref = &cells->refs[(at[2] * count[1] + at[1]) * count[0] + at[0]];
    if (ref->group >= CELL_IS_SPLIT) {
        const int32_t part = 4 * ((int32_t)(2.0f * z) & 1) + 2 * ((int32_t)(2.0f * y) & 1) +
                             ((int32_t)(2.0f * x) & 1);
        ref = &cells->parts[ref->group - CELL_IS_SPLIT][part];
    }
    return ref;
}

// ---- lanes ----

static inline bool Group_HasSecond(const cell_group_t *groups) {
    return groups->num_lanes >= GROUP_LANES;
}

/// Returns the distances to four planes. For axial planes, branches depend only on exact values.
static inline lanes_t Group_Distances(const plane4_t *planes, const sweep_point_t *p) {
    return Lanes_All(p->f[0]) * planes->x + Lanes_All(p->f[1]) * planes->y +
           Lanes_All(p->f[2]) * planes->z - planes->dist;
}

static inline uint32_t Group_FrontBits(const cell_group_t *group, const sweep_point_t *p,
                                       lanes_t t[2]) {
    const lanes_t zero = {0.0f, 0.0f, 0.0f, 0.0f};
    t[0] = Group_Distances(&group->planes[0], p);
    t[1] = Group_Distances(&group->planes[1], p);
    return Lanes_Bits(t[0] >= zero) | Lanes_Bits(t[1] >= zero) << 4;
}

static inline void Group_Sides(const cell_group_t *groups, const sweep_point_t *p,
                               lane_sides_t *sides) {
    sides->front = Group_FrontBits(&groups[0], p, sides->t);
    if (Group_HasSecond(groups)) {
        sides->front |= Group_FrontBits(&groups[1], p, sides->t + 2) << 8;
    }
}

/// Returns two bits for each of eight leaves, both set for the leaf with these front bits.
static inline uint32_t Group_Matches(const cell_group_t *group, uint32_t front) {
    const uint16_t f = (uint16_t)front;
    const lane_bits_t all = {f, f, f, f, f, f, f, f};
    const lane_bits_t is = (lane_bits_t)((all & group->path) == group->front);
#ifdef __SSE2__
    typedef char char16_t __attribute__((vector_size(16)));
    return (uint32_t)__builtin_ia32_pmovmskb128((char16_t)is);
#else
    uint32_t matches = 0;
    for (uint32_t i = 0; i < 8; i++) {
        matches |= (is[i] & 3u) << (2 * i);
    }
    return matches;
#endif
}

/// Returns the leaf with these front bits.
static inline uint32_t Group_Leaf(const cell_group_t *groups, uint32_t front) {
    uint32_t matches = Group_Matches(&groups[0], front);
    if (Group_HasSecond(groups)) {
        matches |= Group_Matches(&groups[1], front) << 16;
    }
    return (uint32_t)__builtin_ctz(matches) / 2;
}

static inline uint32_t Group_Path(const cell_group_t *groups, uint32_t leaf) {
    return groups[leaf / GROUP_LANES].path[leaf % GROUP_LANES];
}

static inline int32_t Group_LeafContents(const cell_group_t *groups, uint32_t leaf) {
    return groups[leaf / GROUP_LANES].contents[leaf % GROUP_LANES];
}

static inline contents_t CM_GroupContents(const cell_group_t *groups, const sweep_point_t *point) {
    lane_sides_t at;
    Group_Sides(groups, point, &at);
    return (contents_t)Group_LeafContents(groups, Group_Leaf(groups, at.front));
}

// Group_Trace stores a trace_t as three vectors, because a later vector copy would wait for narrow
// stores.
_Static_assert(offsetof(trace_t, fraction) == 0 && offsetof(trace_t, endpos) == 4 &&
                   offsetof(trace_t, plane) == 16 && offsetof(plane_t, dist) == 12 &&
                   offsetof(trace_t, plane.type) == 32 && offsetof(trace_t, contents) == 36 &&
                   offsetof(trace_t, entnum) == 40 && offsetof(trace_t, startsolid) == 44 &&
                   offsetof(trace_t, allsolid) == 45 && sizeof(trace_t) == 48,
               "Group_Trace writes this layout");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the two flags are the low bytes of a lane");

/// Returns a trace. `solid`: allsolid.
static inline trace_t Group_Trace(const sweep_point_t *stop, lanes_t plane, int32_t type,
                                  int32_t contents, bool solid) {
    const lanes_t end = {stop->f[3], stop->f[0], stop->f[1], stop->f[2]};
    const lanes_mask_t rest = {type, contents, TRACE_NOTHING, solid ? 0x0101 : 0};
    trace_t trace;
    __builtin_memcpy((char *)&trace, &end, 16);
    __builtin_memcpy((char *)&trace + 16, &plane, 16);
    __builtin_memcpy((char *)&trace + 32, &rest, 16);
    return trace;
}

/// Like CM_TraceTree, but tests the lanes of a cell. `tree`: the same nodes.
static inline trace_t CM_GroupTrace(const cell_group_t *groups, hull_tree_t tree,
                                    const segment_t *whole) {
    lane_sides_t from;
    lane_sides_t to;
    Group_Sides(groups, &whole->p1, &from);
    Group_Sides(groups, &whole->p2, &to);
    const uint32_t leaf = Group_Leaf(groups, from.front);
    if (((from.front ^ to.front) & Group_Path(groups, leaf)) != 0) {
        return CM_GroupCut(groups, tree, whole, &from, &to);
    }
    const int32_t contents = Group_LeafContents(groups, leaf);
    const bool solid = contents == CONTENTS_SOLID;
    return Group_Trace(solid ? &whole->p1 : &whole->p2, Lanes_All(0.0f), 0, contents, solid);
}

// ---- cells ----

/// A cell or part of a cell.
typedef struct {
    const cell_group_t *groups; ///< NULL = no lanes: walk the tree
    hull_tree_t tree;
} hull_cell_t;

static inline hull_cell_t CM_Cell(const hull_t *hull, const cell_ref_t *ref) {
    return (hull_cell_t){ref->group != CELL_NONE ? &hull->cells->groups[ref->group] : NULL,
                         {hull->nodes, hull->planes, ref->root}};
}

/// Like CM_TraceTree. The sweep must stay in the region.
static inline trace_t CM_CellTrace(const hull_cell_t *cell, const segment_t *whole) {
    return cell->groups ? CM_GroupTrace(cell->groups, cell->tree, whole)
                        : CM_TraceTree(cell->tree, whole);
}

/// Like CM_TreeContents. The point must be in the region.
static inline contents_t CM_CellContents(const hull_cell_t *cell, const sweep_point_t *point) {
    return cell->groups ? CM_GroupContents(cell->groups, point)
                        : CM_TreeContents(cell->tree, point);
}

#endif
