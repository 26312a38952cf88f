#include "collide/hull/few.h"

enum { MAX_TREE_NODES = 64 };

/// What is known of a node before its children are laid out.
typedef struct {
    uint32_t way, front; // to it
} few_way_t;

static few_leafs_t *leafs_of(few_nodes_t *few, int32_t number) {
    return number < FEW_LANES ? &few->leafs : &few->more->leafs;
}

static void lay_leaf(few_nodes_t *few, int32_t leaf, few_way_t to, int32_t contents) {
    few_leafs_t *leafs = leafs_of(few, leaf);
    leafs->way[leaf % 8] = (uint16_t)to.way;
    leafs->front[leaf % 8] = (uint16_t)to.front;
    leafs->contents[leaf % 8] = (int8_t)contents;
}

static void lay_plane(few_nodes_t *few, int32_t lane, vec3_t normal, float dist) {
    few_planes_t *planes =
        lane < FEW_LANES ? &few->planes[lane / 4] : &few->more->planes[lane / 4 - 2];
    planes->x[lane % 4] = normal.x;
    planes->y[lane % 4] = normal.y;
    planes->z[lane % 4] = normal.z;
    planes->dist[lane % 4] = dist;
}

/// A node's number, or the contents that it has on both sides.
static inline int32_t reduced(const int32_t *nodes, int32_t num) {
    return num < 0 ? num : nodes[num];
}

/// Which nodes stay: with the same contents on both sides one changes no answer but for what rounds
/// otherwise, and that is asked of the tree (CM_FewCut). Returns how many do.
static int32_t reduce(hull_tree_t tree, int32_t num_nodes, int32_t *nodes) {
    int32_t stay = 0;
    for (int32_t i = num_nodes - 1; i >= 0; i--) {
        const int32_t front = reduced(nodes, tree.nodes[i].children[0]);
        const int32_t back = reduced(nodes, tree.nodes[i].children[1]);
        nodes[i] = front < 0 && front == back ? front : i;
        stay += nodes[i] >= 0;
    }
    return stay;
}

static void lay_nothing(few_nodes_t *few, int32_t num_lanes, int32_t num_leafs) {
    const int32_t end = num_lanes >= FEW_LANES ? 2 * FEW_LANES : FEW_LANES;
    for (int32_t i = num_lanes; i < end; i++) {
        lay_plane(few, i, (vec3_t){0.0f, 0.0f, 0.0f}, -1.0f);
    }
    for (int32_t i = num_leafs; i < end; i++) {
        lay_leaf(few, i, (few_way_t){0, 1}, CONTENTS_EMPTY);
    }
}

/// The nodes that stay, and the leafs behind them; how many of those. -1: a contents does not fit.
static int32_t lay_tree(few_nodes_t *few, hull_tree_t tree, int32_t num_nodes,
                        const int32_t *nodes) {
    few_way_t ways[MAX_TREE_NODES];
    int32_t num_leafs = 0;
    const int32_t root = reduced(nodes, tree.root);
    if (root < 0) {
        lay_leaf(few, num_leafs++, (few_way_t){0, 0}, root);
        return root < INT8_MIN ? -1 : num_leafs;
    }
    ways[root] = (few_way_t){0, 0};
    for (int32_t i = 0; i < num_nodes; i++) {
        const clipnode_t *node = &tree.nodes[i];
        if (nodes[i] < 0) {
            continue;
        }
        const int32_t lane = few->num_lanes++;
        const uint32_t bit = 1u << lane;
        lay_plane(few, lane, tree.planes[CM_ClipNodePlane(node)].normal, node->dist);
        leafs_of(few, lane)->nodes[lane % 8] = (uint8_t)i;
        for (int32_t side = 0; side < 2; side++) {
            const few_way_t to = {ways[i].way | bit, ways[i].front | (side == 0 ? bit : 0)};
            const int32_t child = reduced(nodes, node->children[side]);
            if (child >= 0) {
                ways[child] = to;
            } else if (child >= INT8_MIN) {
                lay_leaf(few, num_leafs++, to, child);
            } else {
                return -1;
            }
        }
    }
    return num_leafs;
}

bool CM_LayFew(few_nodes_t *few, hull_tree_t tree, int32_t num_nodes) {
    int32_t nodes[MAX_TREE_NODES];
    *few = (few_nodes_t){.root = tree.root, .num_lanes = FEW_NONE};
    if (num_nodes > MAX_TREE_NODES || reduce(tree, num_nodes, nodes) > MAX_FEW_NODES) {
        return false;
    }
    few->num_lanes = 0;
    const int32_t num_leafs = lay_tree(few, tree, num_nodes, nodes);
    if (num_leafs < 0) {
        few->num_lanes = FEW_NONE;
        return false;
    }
    lay_nothing(few, few->num_lanes, num_leafs);
    return true;
}

static inline uint32_t far_bits(float4_t from, float4_t to) {
    const float4_t near = Float4_All(CM_GRAZING);
    const float4_t far = -near;
    return Float4_Bits(((from >= near) | (from <= far)) & ((to >= near) | (to <= far)));
}

/// A bit for each plane that both ends are farther from than CM_GRAZING.
static inline uint32_t far_off(const few_nodes_t *few, const few_place_t *from,
                               const few_place_t *to) {
    uint32_t bits = far_bits(from->t[0], to->t[0]) | far_bits(from->t[1], to->t[1]) << 4;
    if (Few_IsLarge(few)) {
        bits |= far_bits(from->t[2], to->t[2]) << 8 | far_bits(from->t[3], to->t[3]) << 12;
    }
    return bits;
}

// What is answered here is a sweep that one plane cuts on its way, with open space before it and
// one leaf behind it. A walk comes to that node with the whole sweep, too, cuts it there, and
// nowhere else that matters: both ends are farther from all other planes on their ways than
// rounding, so every place between them is, and the two parts are walked down to the leafs of the
// ends. Cuts within a leaf, by nodes that were left out, change neither the share that is cut here
// nor what is met; and the stop, on the near side of all planes, lies in the leaf of the start. All
// else is walked. How far the ends are from the plane that is cut does not matter: either the stop
// is the start, or it is CM_DIST_EPSILON from the plane, which is far more than rounding.
trace_t CM_FewCut(const few_nodes_t *few, hull_tree_t tree, const segment_t *whole,
                  const few_place_t *from, const few_place_t *to) {
    const uint32_t leaf1 = Few_Leaf(few, from->front);
    const uint32_t leaf2 = Few_Leaf(few, to->front);
    const uint32_t ways = Few_Way(few, leaf1) | Few_Way(few, leaf2);
    const uint32_t cuts = (from->front ^ to->front) & ways;
    const uint32_t unclear = ways & ~cuts & ~far_off(few, from, to);
    const int32_t near = Few_LeafContents(few, leaf1);
    const int32_t far = Few_LeafContents(few, leaf2);
    if ((cuts & (cuts - 1)) != 0 || unclear != 0 || near == CONTENTS_SOLID) {
        return CM_TraceTree(tree, whole);
    }
    if (far != CONTENTS_SOLID) {
        return Few_Answer(&whole->p2, Float4_All(0.0f), 0, far, false);
    }
    const uint32_t lane = (uint32_t)__builtin_ctz(cuts);
    const uint8_t below = Few_Leafs(few, lane)->nodes[lane % FEW_LANES];
    const clipnode_t *node = &tree.nodes[tree.root + below];
    const plane_t *plane = &tree.planes[CM_ClipNodePlane(node)];
    const float t1 = from->t[lane / 4][lane % 4];
    const float t2 = to->t[lane / 4][lane % 4];
    const sweep_point_t stop = Segment_At(whole, Segment_NearShare(t1, t2));
    float4_t facing;
    __builtin_memcpy(&facing, plane, sizeof facing);
    // 0 - x rather than -x: no negative zeros in answers.
    facing = t1 >= 0.0f ? facing : Float4_All(0.0f) - facing;
    return Few_Answer(&stop, facing, t1 >= 0.0f ? plane->type : PLANE_ANY, near, false);
}
