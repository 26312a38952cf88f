#include "collide/hull/cells.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_CELL_LOOKS = 1 << 12, // node visits to build one cell
    MAX_HULL_LOOKS = 1 << 23, // node visits to build all cells of a hull
    MAX_GROUPS = 1 << 16,     // groups of all cells of a hull
    MAX_SPLITS = 1 << 13,     // split cells of a hull
    MAX_LAYOUT_LANES = 24,    // planes of a cell before useless nodes are dropped (lay_node)
};

// ---- one cell ----

/// A cell under construction: its nodes and leaves.
typedef struct {
    const hull_t *hull;
    float slack; // nodes farther from the region are left out, qu
    int32_t *looks_left;
    bool fits;
    int32_t num_lanes, num_leafs;
    int32_t nodes[MAX_LAYOUT_LANES];
    uint32_t paths[MAX_LAYOUT_LANES + 1], fronts[MAX_LAYOUT_LANES + 1];
    int32_t contents[MAX_LAYOUT_LANES + 1];
} layout_t;

/// Returns the distance to a plane from which rounding and CM_GRAZING do not matter.
static float slack_of(bounds_t box) {
    const vec3_t far = VectorMax(box.maxs, VectorNegate(box.mins));
    return CM_GRAZING + 0.0625f + VectorLength(far) / 65536.0f;
}

/// Walks down from node `num`. Returns the first node whose plane cuts the box (`num` itself
/// counts), or the contents_t of the leaf that holds the whole box.
static int32_t first_cut(const layout_t *layout, int32_t num, const hull_box_t *box) {
    while (num >= 0 && --*layout->looks_left >= 0) {
        const clipnode_t *node = &layout->hull->nodes[num];
        const hull_span_t span = Hull_BoxSpan(node, layout->hull->planes, box);
        if (span.lo < layout->slack && span.hi >= -layout->slack) {
            break;
        }
        num = node->children[span.lo >= layout->slack ? 0 : 1];
    }
    return num;
}

static void lay_leaf(layout_t *layout, int32_t contents, uint32_t path, uint32_t front) {
    const int32_t leaf = layout->num_leafs++;
    layout->contents[leaf] = contents;
    layout->paths[leaf] = path;
    layout->fronts[leaf] = front;
    layout->fits = layout->fits && contents >= INT8_MIN;
}

/// Adds the nodes and leaves in the box below `num`. Recursion is at most num_lanes deep.
static void lay_node(layout_t *layout, int32_t num, hull_box_t box, uint32_t path, uint32_t front) {
    num = first_cut(layout, num, &box);
    layout->fits = layout->fits && *layout->looks_left >= 0 &&
                   (num < 0 || layout->num_lanes < MAX_LAYOUT_LANES);
    if (!layout->fits) {
        return;
    }
    if (num < 0) {
        lay_leaf(layout, num, path, front);
        return;
    }
    const clipnode_t *node = &layout->hull->nodes[num];
    const int32_t lane = layout->num_lanes++;
    const int32_t leaf = layout->num_leafs;
    const uint32_t bit = 1u << lane;
    hull_box_t back = box;
    layout->nodes[lane] = num;
    Hull_CutBox(node, layout->slack, &box, &back);
    lay_node(layout, node->children[0], box, path | bit, front | bit);
    lay_node(layout, node->children[1], back, path | bit, front);
    // Drop a node with the same contents on both sides. If rounding decides the side, CM_GroupCut
    // walks the tree instead.
    if (layout->fits && layout->num_lanes == lane + 1 &&
        layout->contents[leaf] == layout->contents[leaf + 1]) {
        layout->num_lanes = lane;
        layout->num_leafs = leaf;
        lay_leaf(layout, layout->contents[leaf], path, front);
    }
}

static int32_t write_groups(cell_group_t *groups, const layout_t *layout) {
    const int32_t num_groups = layout->num_lanes < GROUP_LANES ? 1 : 2;
    memset(groups, 0, (size_t)num_groups * sizeof *groups);
    groups->num_lanes = layout->num_lanes;
    for (int32_t i = 0; i < num_groups * GROUP_LANES; i++) {
        cell_group_t *group = &groups[i / GROUP_LANES];
        const int32_t at = i % GROUP_LANES;
        const bool is_leaf = i < layout->num_leafs;
        group->path[at] = (uint16_t)(is_leaf ? layout->paths[i] : 0);
        group->front[at] = (uint16_t)(is_leaf ? layout->fronts[i] : 1);
        group->contents[at] = (int8_t)(is_leaf ? layout->contents[i] : CONTENTS_EMPTY);
        plane_t plane = {.dist = -1.0f};
        if (i < layout->num_lanes) {
            const clipnode_t *node = &layout->hull->nodes[layout->nodes[i]];
            plane = layout->hull->planes[CM_ClipNodePlane(node)];
        }
        group->types[at] = (uint8_t)plane.type;
        plane4_t *planes = &group->planes[at / 4];
        planes->x[at % 4] = plane.normal.x;
        planes->y[at % 4] = plane.normal.y;
        planes->z[at % 4] = plane.normal.z;
        planes->dist[at % 4] = plane.dist;
    }
    return num_groups;
}

int32_t CM_LayOutCell(cell_group_t groups[MAX_CELL_GROUPS], const hull_t *hull, int32_t root,
                      bounds_t box, int32_t *looks_left) {
    layout_t layout = {
        .hull = hull, .slack = slack_of(box), .looks_left = looks_left, .fits = true};
    lay_node(&layout, root, Hull_Box(box), 0, 0);
    return layout.fits && layout.num_lanes <= MAX_CELL_LANES ? write_groups(groups, &layout) : 0;
}

// ---- the grid ----

typedef struct {
    const hull_t *hull;
    hull_cells_t cells;
    cell_ref_t *refs;
    cell_ref_t (*parts)[8];
    cell_group_t *groups;
    int32_t max_groups;
    int32_t *slots;     // hash table of the groups; CELL_NONE = free
    uint32_t num_slots; // a power of two above MAX_GROUPS
    int32_t looks_left;
} builder_t;

/// Returns the region of a cell or part. `from` (low corner) and `size` (side) are in cells.
static bounds_t region_of(const hull_cells_t *cells, vec3_t from, float size) {
    const vec3_t reach = {CELL_REACH, CELL_REACH, CELL_REACH};
    const vec3_t to = VectorAdd(from, Vector(size, size, size));
    return (bounds_t){VectorSubtract(VectorMA(cells->mins, cells->size, from), reach),
                      VectorAdd(VectorMA(cells->mins, cells->size, to), reach)};
}

static vec3_t part_mins(vec3_t cell, int32_t part) {
    return VectorAdd(cell, Vector(0.5f * (float)(part & 1), 0.5f * (float)(part >> 1 & 1),
                                  0.5f * (float)(part >> 2)));
}

/// Returns the slot with these groups, or a free slot.
static int32_t *find_slot(builder_t *builder, const cell_group_t *groups, size_t bytes) {
    for (uint32_t i = (uint32_t)Hash_Bytes(groups, bytes, 0);; i++) {
        int32_t *slot = &builder->slots[i & (builder->num_slots - 1)];
        if (*slot == CELL_NONE ||
            (size_t)(builder->cells.num_groups - *slot) * sizeof *groups >= bytes) {
            if (*slot == CELL_NONE || memcmp(&builder->groups[*slot], groups, bytes) == 0) {
                return slot;
            }
        }
    }
}

/// Stores groups once. Returns their index, or CELL_NONE without space.
static int32_t keep_groups(builder_t *builder, const cell_group_t *groups, int32_t count) {
    hull_cells_t *cells = &builder->cells;
    int32_t *slot = find_slot(builder, groups, (size_t)count * sizeof *groups);
    if (*slot != CELL_NONE) {
        return *slot;
    }
    if (cells->num_groups + count > builder->max_groups) {
        const int32_t more = Q_MinI(Q_MaxI(2 * builder->max_groups, 1024), MAX_GROUPS);
        cell_group_t *all = more >= cells->num_groups + count
                                ? realloc(builder->groups, (size_t)more * sizeof *all)
                                : NULL;
        if (!all) {
            return CELL_NONE;
        }
        builder->groups = all;
        builder->max_groups = more;
    }
    memcpy(&builder->groups[cells->num_groups], groups, (size_t)count * sizeof *groups);
    *slot = cells->num_groups;
    cells->num_groups += count;
    return *slot;
}

/// Builds the cell of `region` from the subtree `root`. *too_many: it has too many planes.
static cell_ref_t build_ref(builder_t *builder, int32_t root, bounds_t region, bool *too_many) {
    int32_t looks = Q_MinI(builder->looks_left, MAX_CELL_LOOKS);
    const int32_t before = looks;
    const layout_t top = {.hull = builder->hull, .slack = slack_of(region), .looks_left = &looks};
    const hull_box_t box = Hull_Box(region);
    cell_group_t groups[MAX_CELL_GROUPS];
    cell_ref_t ref = {.root = first_cut(&top, root, &box), .group = CELL_NONE};
    *too_many = false;
    if (looks > 0 && VectorWithin(region.mins, CELL_FARTHEST) &&
        VectorWithin(region.maxs, CELL_FARTHEST)) {
        const int32_t count = CM_LayOutCell(groups, builder->hull, ref.root, region, &looks);
        *too_many = count == 0;
        ref.group = count > 0 ? keep_groups(builder, groups, count) : CELL_NONE;
    }
    builder->looks_left -= before - Q_MaxI(looks, 0);
    return ref;
}

static cell_ref_t build_cell(builder_t *builder, int32_t root, vec3_t at) {
    hull_cells_t *cells = &builder->cells;
    bool too_many;
    cell_ref_t ref = build_ref(builder, root, region_of(cells, at, 1.0f), &too_many);
    if (too_many && cells->num_splits < MAX_SPLITS) {
        ref.group = CELL_IS_SPLIT + cells->num_splits;
        for (int32_t i = 0; i < 8; i++) {
            builder->parts[cells->num_splits][i] =
                build_ref(builder, ref.root, region_of(cells, part_mins(at, i), 0.5f), &too_many);
        }
        cells->num_splits++;
    }
    return ref;
}

static void build_hull(builder_t *builder) {
    const int32_t *count = builder->cells.count;
    cell_ref_t *ref = builder->refs;
    for (int32_t z = 0; z < count[2]; z++) {
        for (int32_t y = 0; y < count[1]; y++) {
            for (int32_t x = 0; x < count[0]; x++) {
                *ref++ =
                    build_cell(builder, builder->hull->root, Vector((float)x, (float)y, (float)z));
            }
        }
    }
}

static int32_t count_cells(hull_cells_t *cells, vec3_t extent) {
    const float extents[3] = {extent.x, extent.y, extent.z};
    int32_t all = 1;
    for (int32_t i = 0; i < 3; i++) {
        cells->count[i] = 1 + Q_ToInt(extents[i] / cells->size, 0, MAX_HULL_CELLS);
        all = all > MAX_HULL_CELLS / cells->count[i] ? MAX_HULL_CELLS + 1 : all * cells->count[i];
    }
    return all;
}

/// Chooses the size and number of cells, and allocates them.
static bool begin(builder_t *builder, const hull_t *hull, bounds_t bounds) {
    hull_cells_t *cells = &builder->cells;
    builder->hull = hull;
    builder->looks_left = MAX_HULL_LOOKS;
    cells->mins = bounds.mins;
    cells->size = CELL_SIZE;
    for (;;) {
        cells->num_cells = count_cells(cells, VectorSubtract(bounds.maxs, bounds.mins));
        if (cells->num_cells <= MAX_HULL_CELLS) {
            break;
        }
        cells->size *= 1.125f;
    }
    cells->scale = 1.0f / cells->size;
    builder->num_slots = 2 * MAX_GROUPS;
    builder->slots = malloc(builder->num_slots * sizeof *builder->slots);
    builder->refs = malloc((size_t)cells->num_cells * sizeof *builder->refs);
    builder->parts = malloc(MAX_SPLITS * sizeof *builder->parts);
    if (!builder->slots || !builder->refs || !builder->parts) {
        return false;
    }
    memset(builder->slots, 0xff, builder->num_slots * sizeof *builder->slots);
    return true;
}

static void *copy_to(arena_t *arena, const void *from, size_t count, size_t size) {
    void *to = Arena_Alloc(arena, count, size);
    ASSERT(to); // the arena has the exact size
    if (count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

/// Copies the cells into the map. Groups start at cache lines.
static hull_cells_t *finish(arena_t *arena, const builder_t *builder) {
    hull_cells_t *cells = copy_to(arena, &builder->cells, 1, sizeof *cells);
    cells->refs = copy_to(arena, builder->refs, (size_t)cells->num_cells, sizeof *cells->refs);
    cells->parts = copy_to(arena, builder->parts, (size_t)cells->num_splits, sizeof *cells->parts);
    uint8_t *groups = Arena_Alloc(arena, (size_t)cells->num_groups + 1, sizeof *cells->groups);
    ASSERT(groups);
    groups += -(uintptr_t)groups % 64;
    if (cells->num_groups > 0) {
        memcpy(groups, builder->groups, (size_t)cells->num_groups * sizeof *cells->groups);
    }
    cells->groups = (const cell_group_t *)(const void *)groups;
    return cells;
}

static size_t bytes_of(const hull_cells_t *cells) {
    return sizeof *cells + (size_t)cells->num_cells * sizeof *cells->refs +
           (size_t)cells->num_splits * sizeof *cells->parts +
           ((size_t)cells->num_groups + 1) * sizeof *cells->groups + 4 * 16;
}

static void release(builder_t *builder) {
    free(builder->slots);
    free(builder->refs);
    free(builder->parts);
    free(builder->groups);
}

bool CM_BuildCells(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, bounds_t bounds) {
    builder_t builders[MAX_MAP_HULLS] = {{.hull = NULL}};
    size_t bytes = 16;
    bool good = true;
    ASSERT(num_hulls <= MAX_MAP_HULLS);
    for (int32_t i = 0; i < num_hulls && good; i++) {
        if (hulls[i]->root >= 0) {
            good = begin(&builders[i], hulls[i], bounds);
            if (good) {
                build_hull(&builders[i]);
                bytes += bytes_of(&builders[i].cells);
            }
        }
    }
    good = good && Arena_Init(arena, bytes);
    for (int32_t i = 0; i < num_hulls; i++) {
        if (good && builders[i].hull) {
            hulls[i]->cells = finish(arena, &builders[i]);
        }
        release(&builders[i]);
    }
    return good;
}

const cell_ref_t *CM_CellAround(const hull_cells_t *cells, vec3_t p, bounds_t *region) {
    const vec3_t at = VectorScale(VectorSubtract(p, cells->mins), cells->scale);
    const int32_t *count = cells->count;
    const int32_t x = (int32_t)at.x;
    const int32_t y = (int32_t)at.y;
    const int32_t z = (int32_t)at.z;
    const cell_ref_t *ref = &cells->refs[(z * count[1] + y) * count[0] + x];
    const vec3_t cell = {(float)x, (float)y, (float)z};
    if (ref->group < CELL_IS_SPLIT) {
        *region = region_of(cells, cell, 1.0f);
        return ref;
    }
    const int32_t part = 4 * ((int32_t)(2.0f * at.z) & 1) + 2 * ((int32_t)(2.0f * at.y) & 1) +
                         ((int32_t)(2.0f * at.x) & 1);
    *region = region_of(cells, part_mins(cell, part), 0.5f);
    return &cells->parts[ref->group - CELL_IS_SPLIT][part];
}

// ---- a sweep ----

static inline uint32_t far_bits(lanes_t from, lanes_t to) {
    const lanes_t near = Lanes_All(CM_GRAZING);
    const lanes_t far = -near;
    return Lanes_Bits(((from >= near) | (from <= far)) & ((to >= near) | (to <= far)));
}

/// Returns one bit per plane farther than CM_GRAZING from both ends.
static inline uint32_t clear_of(const cell_group_t *groups, const lane_sides_t *from,
                                const lane_sides_t *to) {
    uint32_t bits = far_bits(from->t[0], to->t[0]) | far_bits(from->t[1], to->t[1]) << 4;
    if (Group_HasSecond(groups)) {
        bits |= far_bits(from->t[2], to->t[2]) << 8 | far_bits(from->t[3], to->t[3]) << 12;
    }
    return bits;
}

/// Returns the trace of a stop at a plane. `near`: contents before it.
static trace_t stop_at_lane(const cell_group_t *groups, uint32_t lane, const segment_t *whole,
                            float t1, float t2, int32_t near) {
    const cell_group_t *group = &groups[lane / GROUP_LANES];
    const plane4_t *planes = &group->planes[lane % GROUP_LANES / 4];
    const uint32_t at = lane % 4;
    const sweep_point_t stop = Segment_At(whole, Segment_NearShare(t1, t2));
    lanes_t plane = {planes->x[at], planes->y[at], planes->z[at], planes->dist[at]};
    plane = t1 >= 0.0f ? plane : Lanes_All(0.0f) - plane; // 0 - x avoids negative zeros
    return Group_Trace(&stop, plane, t1 >= 0.0f ? group->types[lane % GROUP_LANES] : PLANE_ANY,
                       near, false);
}

// Handles a sweep that one plane cuts, from an open leaf into one other leaf. Both ends are farther
// from all other planes than rounding errors. So the tree walk would cut only at this plane and
// give exactly the same result. Dropped nodes within a leaf change neither hit nor fraction. All
// other sweeps walk the tree.
trace_t CM_GroupCut(const cell_group_t *groups, hull_tree_t tree, const segment_t *whole,
                    const lane_sides_t *from, const lane_sides_t *to) {
    const uint32_t leaf1 = Group_Leaf(groups, from->front);
    const uint32_t leaf2 = Group_Leaf(groups, to->front);
    const uint32_t paths = Group_Path(groups, leaf1) | Group_Path(groups, leaf2);
    const uint32_t cuts = (from->front ^ to->front) & paths;
    const uint32_t unclear = paths & ~cuts & ~clear_of(groups, from, to);
    const int32_t near = Group_LeafContents(groups, leaf1);
    const int32_t far = Group_LeafContents(groups, leaf2);
    if ((cuts & (cuts - 1)) != 0 || unclear != 0 || near == CONTENTS_SOLID) {
        return CM_TraceTree(tree, whole);
    }
    if (far != CONTENTS_SOLID) {
        return Group_Trace(&whole->p2, Lanes_All(0.0f), 0, far, false);
    }
    const uint32_t lane = (uint32_t)__builtin_ctz(cuts);
    return stop_at_lane(groups, lane, whole, from->t[lane / 4][lane % 4], to->t[lane / 4][lane % 4],
                        near);
}
