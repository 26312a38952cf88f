/// collide/mesh/mesh_kernel.h - what every query of a mesh does with nodes and blocks, for as many lanes as
/// the file that includes it says by MESH_LANES. Inside of collide/ only.
//
// Floor:   collide.
// Units:   qu; the box's middle starts at 0 0 0, triangles are moved there.
// Repeat:  the same operations in the same order for every number of lanes; where boxes of the tree
//          are met other last bits do not matter.

#ifndef EDICTD_COLLIDE_MESH_KERNEL_H
#define EDICTD_COLLIDE_MESH_KERNEL_H

#include "base/assert.h"
#include "collide/float4.h"
#include "collide/mesh/mesh_lanes.h"
#include "collide/mesh/mesh_local.h"

/// Three numbers of each lane.
typedef struct {
    lanes_t x, y, z;
} lanes3_t;

/// Triangles as the box sees them: corners, edges (edge i from corner i to the next) and normals.
typedef struct {
    lanes3_t corners[3], edges[3], normal;
} facing_t;

/// How a triangle reaches along a direction: from lo to hi.
typedef struct {
    lanes_t lo, hi;
} span_t;

/// Numbers that no triangle comes near.
#define MESH_TINY 1e-30f
#define MESH_HUGE 1e30f

MESH_INLINE lanes3_t lanes3_load(const float from[3][MESH_WIDTH], int32_t lane) {
    return (lanes3_t){Lanes_Load(&from[0][lane]), Lanes_Load(&from[1][lane]),
                      Lanes_Load(&from[2][lane])};
}

MESH_INLINE lanes3_t lanes3_all(vec3_t v) {
    return (lanes3_t){Lanes_All(v.x), Lanes_All(v.y), Lanes_All(v.z)};
}

MESH_INLINE lanes3_t lanes3_subtract(lanes3_t a, lanes3_t b) {
    return (lanes3_t){a.x - b.x, a.y - b.y, a.z - b.z};
}

MESH_INLINE lanes_t lanes3_dot(lanes3_t a, lanes3_t b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

MESH_INLINE lanes3_t lanes3_abs(lanes3_t a) {
    return (lanes3_t){Lanes_Abs(a.x), Lanes_Abs(a.y), Lanes_Abs(a.z)};
}

/// From the mesh's space into the box's.
MESH_INLINE lanes3_t lanes3_turn(const mesh_query_t *q, lanes3_t v) {
    lanes3_t f = lanes3_all(q->axes[0]);
    lanes3_t l = lanes3_all(q->axes[1]);
    lanes3_t u = lanes3_all(q->axes[2]);
    return (lanes3_t){f.x * v.x + l.x * v.y + u.x * v.z, f.y * v.x + l.y * v.y + u.y * v.z,
                      f.z * v.x + l.z * v.y + u.z * v.z};
}

/// Edges are taken of the corners as they are stored: their differences are nearly exact there, and
/// no longer when the corners were moved.
MESH_INLINE void load_facing(facing_t *t, const mesh_query_t *q, const mesh_block_t *block,
                             int32_t lane, bool turned) {
    lanes3_t start = lanes3_all(q->start);
    lanes3_t stored[3];
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        stored[i] = lanes3_load(block->corners[i], lane);
        t->corners[i] = lanes3_subtract(stored[i], start);
    }
    t->normal = lanes3_load(block->normals, lane);
    if (turned) {
        MESH_UNROLL
        for (int32_t i = 0; i < 3; i++) {
            t->corners[i] = lanes3_turn(q, t->corners[i]);
        }
        t->normal = lanes3_turn(q, t->normal);
    }
    const lanes3_t *of = turned ? t->corners : stored;
    t->edges[0] = lanes3_subtract(of[1], of[0]);
    t->edges[1] = lanes3_subtract(of[2], of[1]);
    t->edges[2] = lanes3_subtract(of[0], of[2]);
}

MESH_INLINE lanes_t axis_of(lanes3_t v, int32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

MESH_INLINE span_t span_of(lanes_t a, lanes_t b) {
    return (span_t){Lanes_Min(a, b), Lanes_Max(a, b)};
}

MESH_INLINE span_t face_span(const facing_t *t, int32_t axis) {
    lanes_t a = axis_of(t->corners[0], axis);
    lanes_t b = axis_of(t->corners[1], axis);
    lanes_t c = axis_of(t->corners[2], axis);
    return (span_t){Lanes_Min(Lanes_Min(a, b), c), Lanes_Max(Lanes_Max(a, b), c)};
}

/// dot(v, cross(e, axis)): the cross of an edge with x is (0, ez, -ey), and so on around.
MESH_INLINE lanes_t along_cross(lanes3_t v, lanes3_t e, int32_t axis) {
    return axis == 0   ? v.y * e.z - v.z * e.y
           : axis == 1 ? v.z * e.x - v.x * e.z
                       : v.x * e.y - v.y * e.x;
}

/// How far a box of half size `half` reaches along the cross; abs_e: the edge, all positive. Along a
/// cross of parallel edges, which is 0, a little more than not at all: nothing is apart there.
MESH_INLINE lanes_t cross_reach(lanes3_t half, lanes3_t abs_e, int32_t axis) {
    lanes_t reach = axis == 0   ? half.y * abs_e.z + half.z * abs_e.y
                    : axis == 1 ? half.z * abs_e.x + half.x * abs_e.z
                                : half.x * abs_e.y + half.y * abs_e.x;
    return reach + Lanes_All(MESH_TINY);
}

/// Both ends of an edge lie at the same place along its cross with an axis; the third corner lies the
/// normal's part along that axis before it. Where corners were turned that is too coarse.
MESH_INLINE span_t cross_span(const facing_t *t, int32_t edge, int32_t axis, bool turned) {
    lanes_t p = along_cross(t->corners[edge], t->edges[edge], axis);
    lanes_t third = turned ? along_cross(t->corners[(edge + 2) % 3], t->edges[edge], axis)
                           : p - axis_of(t->normal, axis);
    return span_of(p, third);
}

// ---- the tree, for what moves ----

/// How a sweep meets the boxes of the tree: a face at x at x * inverse - in, or, of those it leaves
/// by, - out; rounded once or twice, as the CPU can. The boxes are wider for that than by the query's
/// margin, by which low and high are: more than all rounding, so no box is missed that holds a
/// triangle met by `low` and `high`.
typedef struct {
    float inverse[4], in[4], out[4];
    float low[4], high[4];   // the fourth of each is of no use
    int32_t near[3], far[3]; // rows of a node's bounds
} walk_t;

/// A direction's inverse is at most this: 0 * it is still 0.
#define MESH_MAX_INVERSE 1e20f

/// By this share of the margin boxes are wider for the walk: at least 5e-7 of the largest
/// coordinates' sum, where x * inverse - in and (x - low) * inverse are off by 4e-7 of it.
#define MESH_WALK_SHARE 0.25f

MESH_INLINE float4_t float4_of(vec3_t v) {
    return (float4_t){v.x, v.y, v.z, 0.0f};
}

/// A sweep from start by d of what reaches so far, and a margin. All axes at once, and no branches.
/// Returns the inverse of d.
MESH_INLINE float4_t prepare_walk(walk_t *walk, float4_t start, float4_t d, float4_t reach,
                                  float margin) {
    // By which of x, y, z go back: the rows met first, and those left by.
    static const uint8_t rows[8][6] = {{0, 1, 2, 3, 4, 5}, {3, 1, 2, 0, 4, 5}, {0, 4, 2, 3, 1, 5},
                                       {3, 4, 2, 0, 1, 5}, {0, 1, 5, 3, 4, 2}, {3, 1, 5, 0, 4, 2},
                                       {0, 4, 5, 3, 1, 2}, {3, 4, 5, 0, 1, 2}};
    float4_t least = Float4_All(1.0f / MESH_MAX_INVERSE);
    int4_t is_least = Float4_Max(d, -d) < least;
    d = Float4_Select(is_least, least, d);
    float4_t inverse = Float4_All(1.0f) / d;
    const uint8_t *row = rows[Float4_Bits(d < Float4_All(0.0f)) & 7];
    // The nearer face of a box is met with the sweep's farther side.
    int4_t signs = (int4_t)d & (int4_t)Float4_All(-0.0f);
    reach += Float4_All(margin);
    float4_t ahead = (float4_t)((int4_t)reach ^ signs);
    float4_t low = start + ahead;
    float4_t high = start - ahead;
    reach += Float4_All(margin * MESH_WALK_SHARE);
    ahead = (float4_t)((int4_t)reach ^ signs);
    float4_t in = (start + ahead) * inverse;
    float4_t out = (start - ahead) * inverse;
    // As numbers in memory: lanes of them would take the registers that blocks need.
    memcpy(walk->low, &low, sizeof low);
    memcpy(walk->inverse, &inverse, sizeof inverse);
    memcpy(walk->in, &in, sizeof in);
    memcpy(walk->out, &out, sizeof out);
    memcpy(walk->high, &high, sizeof high);
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        walk->near[i] = row[i];
        walk->far[i] = row[3 + i];
    }
    return inverse;
}

/// Children that wait, and where the sweep meets them. Packed stores write eight at once. How many
/// they are is kept beside it, where no store can change it: in a register.
typedef struct {
    int32_t children[MESH_STACK + MESH_WIDTH];
    float at[MESH_STACK + MESH_WIDTH];
} waiting_t;

/// Where a sweep enters and leaves the boxes of a node's children; what it leaves before it enters it
/// does not meet. Where it leaves them is of use to packed lanes only.
typedef struct {
    float enter[MESH_WIDTH], leave[MESH_WIDTH];
} passage_t;

/// Which children's boxes the sweep meets before q->enter: a bit for each lane.
MESH_INLINE uint32_t meet_node(const mesh_query_t *q, const walk_t *walk, const mesh_node_t *node,
                               passage_t *passage) {
    uint32_t met = 0;
    // Which of them is wanted is known late; they may lie in a cache line of their own.
    __builtin_prefetch(node->children);
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        lanes_t in[3];
        lanes_t out[3];
        MESH_UNROLL
        for (int32_t i = 0; i < 3; i++) {
            lanes_t near = Lanes_Load(&node->bounds[walk->near[i]][first]);
            lanes_t far = Lanes_Load(&node->bounds[walk->far[i]][first]);
            in[i] = Lanes_RoughlyLess(near, Lanes_All(walk->inverse[i]), Lanes_All(walk->in[i]));
            out[i] = Lanes_RoughlyLess(far, Lanes_All(walk->inverse[i]), Lanes_All(walk->out[i]));
        }
        lanes_t enter = Lanes_Max(Lanes_Max(in[0], in[1]), Lanes_Max(in[2], Lanes_All(0.0f)));
        lanes_t leave =
            Lanes_Min(Lanes_Min(out[0], out[1]), Lanes_Min(out[2], Lanes_All(q->enter)));
        Lanes_Store(&passage->enter[first], enter);
        if (MESH_PACKS) {
            Lanes_Store(&passage->leave[first], leave);
        }
        met |= Lanes_TestBits(Lanes_LessEqual(enter, leave)) << first;
    }
    return met;
}

#if MESH_PACKS

/// Two children or more: leaves all but the nearest waiting. Returns that.
MESH_INLINE int32_t take_nearest(waiting_t *waiting, int32_t *count, const mesh_node_t *node,
                                 const passage_t *passage, uint32_t met) {
    int32_t nearest = Lanes_Lowest(Lanes_Load(passage->enter), Lanes_Load(passage->leave));
    packing_t packing = Lanes_Packing(met & ~(1u << nearest));
    Lanes_StorePacked(&waiting->children[*count], node->children, packing);
    Lanes_StorePacked(&waiting->at[*count], passage->enter, packing);
    *count += __builtin_popcount(met) - 1;
    return node->children[nearest];
}

#else

MESH_INLINE int32_t take_nearest(waiting_t *waiting, int32_t *count, const mesh_node_t *node,
                                 const passage_t *passage, uint32_t met) {
    const float *at = passage->enter;
    int32_t nearest = __builtin_ctz(met);
    for (uint32_t others = met & (met - 1); others != 0; others &= others - 1) {
        int32_t lane = __builtin_ctz(others);
        bool swapped = at[lane] < at[nearest];
        int32_t far = swapped ? nearest : lane;
        nearest = swapped ? lane : nearest;
        waiting->children[*count] = node->children[far];
        waiting->at[(*count)++] = at[far];
    }
    return node->children[nearest];
}

#endif

/// Meshes of fewer blocks lie in a near cache.
enum { MESH_FAR_BLOCKS = 4096 };

/// What was left waiting last comes up first: in large meshes it lies in no cache that is near.
MESH_INLINE void fetch_ahead(const mesh_t *mesh, int32_t child) {
    const uint8_t *at = child >= 0 ? (const uint8_t *)&mesh->nodes[child]
                                   : (const uint8_t *)&mesh->blocks[-1 - child];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
    __builtin_prefetch(at + 192);
}

/// The nearest child of those that the sweep meets (at least one), all others are left waiting.
MESH_INLINE int32_t go_down(const mesh_t *mesh, waiting_t *waiting, int32_t *count,
                            const mesh_node_t *node, const passage_t *passage, uint32_t met) {
    if ((met & (met - 1)) == 0) {
        return node->children[__builtin_ctz(met)];
    }
    ASSERT(*count + MESH_WIDTH <= MESH_STACK);
    int32_t child = take_nearest(waiting, count, node, passage, met);
    if (mesh->num_blocks >= MESH_FAR_BLOCKS) {
        fetch_ahead(mesh, waiting->children[*count - 1]);
    }
    return child;
}

/// Goes down from a node to the nearest leaf that the sweep meets, and leaves what is farther
/// waiting. Returns the leaf (below 0), or MESH_NO_CHILD when nothing is met.
MESH_INLINE int32_t descend(const mesh_query_t *q, const walk_t *walk, waiting_t *waiting,
                            int32_t *count, int32_t child) {
    while (child >= 0) {
        const mesh_node_t *node = &q->mesh->nodes[child];
        passage_t passage;
        uint32_t met = meet_node(q, walk, node, &passage);
        if (met == 0) {
            return MESH_NO_CHILD;
        }
        child = go_down(q->mesh, waiting, count, node, &passage, met);
    }
    return child;
}

/// The next that waits and is not behind what was met; MESH_NO_CHILD when there is none.
MESH_INLINE int32_t next_waiting(const mesh_query_t *q, const waiting_t *waiting, int32_t *count) {
    while (*count > 0) {
        int32_t top = --*count;
        if (waiting->at[top] <= q->enter) {
            return waiting->children[top];
        }
    }
    return MESH_NO_CHILD;
}

// ---- a box that moves ----

/// When boxes and triangles overlap along all directions looked at so far.
typedef struct {
    lanes_t enter, leave; // fractions
    lanes_t chosen, axis; // the direction that counts as the one met, and when it is met
    lanes_mask_t outside;
    lanes_t bias;
} timing_t;

/// Cuts the time of overlap along one more direction; move: how far the box goes along it.
MESH_INLINE void cut_time(timing_t *time, span_t span, lanes_t reach, lanes_t move, int32_t axis) {
    lanes_t lo = span.lo - reach;
    lanes_t hi = span.hi + reach;
    lanes_t zero = Lanes_All(0.0f);
    lanes_mask_t still = Lanes_Abs(move) < Lanes_All(MESH_TINY);
    time->outside |= ((lo >= zero) & (lo >= move)) | ((hi <= zero) & (hi <= move));
    lanes_t inverse = Lanes_All(1.0f) / Lanes_Select(still, Lanes_All(MESH_TINY), move);
    span_t cut = span_of(lo * inverse, hi * inverse);
    lanes_t in = Lanes_Select(still, Lanes_All(-MESH_HUGE), cut.lo);
    lanes_t out = Lanes_Select(still, Lanes_All(MESH_HUGE), cut.hi);
    lanes_mask_t later = in > time->chosen + time->bias;
    time->enter = Lanes_Max(time->enter, in);
    time->leave = Lanes_Min(time->leave, out);
    time->chosen = Lanes_Select(later, in, time->chosen);
    time->axis = Lanes_Select(later, Lanes_All((float)axis), time->axis);
}

MESH_INLINE void time_overlap(timing_t *time, const mesh_query_t *q, const facing_t *t,
                              bool turned) {
    lanes3_t half = lanes3_all(q->half);
    lanes3_t move = lanes3_all(q->move);
    lanes_t zero = Lanes_All(0.0f);
    *time = (timing_t){.enter = Lanes_All(-MESH_HUGE),
                       .leave = Lanes_All(MESH_HUGE),
                       .chosen = Lanes_All(-MESH_HUGE),
                       .axis = zero,
                       .bias = Lanes_All(q->bias)};
    lanes_t p = lanes3_dot(t->normal, t->corners[0]);
    cut_time(time, (span_t){p, p}, lanes3_dot(half, lanes3_abs(t->normal)),
             lanes3_dot(t->normal, move), MESH_AXIS_NORMAL);
    MESH_UNROLL
    for (int32_t axis = 0; axis < 3; axis++) {
        cut_time(time, face_span(t, axis), axis_of(half, axis), axis_of(move, axis),
                 MESH_AXIS_FACE + axis);
    }
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes3_t abs_e = lanes3_abs(t->edges[i]);
        MESH_UNROLL
        for (int32_t axis = 0; axis < 3; axis++) {
            cut_time(time, cross_span(t, i, axis, turned), cross_reach(half, abs_e, axis),
                     along_cross(move, t->edges[i], axis), MESH_AXIS_CROSS + 3 * i + axis);
        }
    }
}

/// One lane that overlaps from enter to leave. True when the walk need not go on.
MESH_INLINE bool take_overlap(mesh_query_t *q, const mesh_block_t *block, int32_t lane, float enter,
                              float leave, float axis) {
    float from = q->from < 0.0f ? q->from : q->in_solid;
    if (enter < 0.0f || enter <= from) {
        if (leave <= 0.0f) {
            return false;
        }
        q->startsolid |= q->from < 0.0f;
        q->in_solid = leave > q->in_solid ? leave : q->in_solid;
        return q->from < 0.0f || q->in_solid > 1.0f;
    }
    int32_t triangle = block->triangles[lane];
    if (enter < q->enter || (enter == q->enter && (uint32_t)triangle < (uint32_t)q->triangle)) {
        q->enter = enter;
        q->triangle = triangle;
        q->block = block;
        q->lane = lane;
        q->axis = (int32_t)axis;
    }
    return false;
}

/// Which triangles a box, widened, may meet on its way as far as it is known to be free: a bit for
/// each lane.
MESH_INLINE uint32_t may_meet(const mesh_query_t *q, const facing_t *t, bool turned) {
    lanes3_t wide = lanes3_all(q->wide);
    lanes3_t move = lanes3_all(VectorScale(q->move, q->enter));
    lanes3_t abs_n = lanes3_abs(t->normal);
    lanes_t p = lanes3_dot(t->normal, t->corners[0]);
    lanes_t v = lanes3_dot(t->normal, move);
    lanes_t reach = lanes3_dot(wide, abs_n);
    lanes_mask_t apart = Lanes_Abs(p + p - v) > Lanes_Abs(v) + reach + reach;
    MESH_UNROLL
    for (int32_t axis = 0; axis < 3; axis++) {
        span_t span = face_span(t, axis);
        lanes_t d = axis_of(move, axis);
        lanes_t w = axis_of(wide, axis);
        apart |= Lanes_Abs(span.lo + span.hi - d) > (span.hi - span.lo) + Lanes_Abs(d) + w + w;
    }
    const uint32_t all = (1u << MESH_LANES) - 1;
    if (Lanes_Bits(apart) == all) {
        return 0;
    }
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes3_t e = t->edges[i];
        lanes3_t abs_e = lanes3_abs(e);
        MESH_UNROLL
        for (int32_t axis = 0; axis < 3; axis++) {
            v = along_cross(move, e, axis);
            reach = cross_reach(wide, abs_e, axis);
            if (turned) {
                span_t span = cross_span(t, i, axis, true);
                apart |= Lanes_Abs(span.lo + span.hi - v) >
                         (span.hi - span.lo) + Lanes_Abs(v) + reach + reach;
            } else {
                p = along_cross(t->corners[i], e, axis);
                apart |= Lanes_Abs(p + p - axis_of(t->normal, axis) - v) >
                         axis_of(abs_n, axis) + Lanes_Abs(v) + reach + reach;
            }
        }
    }
    return ~Lanes_Bits(apart) & all;
}

/// Lanes whose triangles stop this box: all of them, or those whose front it comes from.
MESH_INLINE uint32_t facing_lanes(const mesh_query_t *q, const facing_t *t) {
    lanes_t zero = Lanes_All(0.0f);
    return Lanes_Bits((lanes3_dot(t->normal, t->corners[0]) <= zero) &
                      (lanes3_dot(t->normal, lanes3_all(q->move)) <= zero));
}

MESH_INLINE void remember_close(mesh_query_t *q, const mesh_block_t *block) {
    int32_t last = q->num_close - 1;
    if (last >= 0 && last < MESH_MAX_CLOSE && q->close[last] == block) {
        return;
    }
    if (q->num_close < MESH_MAX_CLOSE) {
        q->close[q->num_close] = block;
    }
    q->num_close++;
}

/// Tries the triangles of a block. True when the walk need not go on.
MESH_INLINE bool sweep_block(mesh_query_t *q, const mesh_block_t *block, bool turned) {
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        facing_t t;
        load_facing(&t, q, block, first, turned);
        uint32_t lanes = may_meet(q, &t, turned);
        if (lanes != 0) {
            remember_close(q, block);
        }
        if (lanes != 0 && q->one_sided) {
            lanes &= facing_lanes(q, &t);
        }
        if (lanes == 0) {
            continue;
        }
        timing_t time;
        float enter[MESH_LANES];
        float leave[MESH_LANES];
        float axis[MESH_LANES];
        time_overlap(&time, q, &t, turned);
        uint32_t met = ~Lanes_Bits(time.outside) & Lanes_Bits(time.enter <= time.leave) & lanes;
        Lanes_Store(enter, time.enter);
        Lanes_Store(leave, time.leave);
        Lanes_Store(axis, time.axis);
        for (; met != 0; met &= met - 1) {
            int32_t lane = __builtin_ctz(met);
            if (block->triangles[first + lane] >= 0 &&
                take_overlap(q, block, first + lane, enter[lane], leave[lane], axis[lane])) {
                return true;
            }
        }
    }
    return false;
}

MESH_INLINE void sweep_tree(mesh_query_t *q, bool turned) {
    walk_t walk;
    waiting_t waiting;
    int32_t count = 0;
    float4_t start = float4_of(q->start);
    prepare_walk(&walk, start, float4_of(q->end) - start, float4_of(q->reach), q->margin);
    for (int32_t child = 0; child != MESH_NO_CHILD; child = next_waiting(q, &waiting, &count)) {
        int32_t leaf = descend(q, &walk, &waiting, &count, child);
        if (leaf != MESH_NO_CHILD && sweep_block(q, &q->mesh->blocks[-1 - leaf], turned)) {
            return;
        }
    }
}

MESH_TARGET static void sweep(mesh_query_t *q) {
    if (q->turned) {
        sweep_tree(q, true);
    } else {
        sweep_tree(q, false);
    }
}

#endif
