/// collide/mesh/mesh_walk.h - visits the leaves along a motion, nearest first, or the leaves at a
/// resting box. Private to collide/mesh/.
//
// Units:   qu, mesh space; fractions of the motion.
// Repeat:  rounding changes only the order of the walk.

#ifndef EDICTD_COLLIDE_MESH_WALK_H
#define EDICTD_COLLIDE_MESH_WALK_H

#include "base/assert.h"
#include "collide/lanes.h"
#include "collide/mesh/mesh_query.h"

#include <math.h>

/// A motion, per axis. It crosses a node's face at x at the fraction x * inverse - in or - out.
/// Triangle tests use (x - low) * inverse and (x - high) * inverse, which round differently. So
/// `in` and `out` are widened by MESH_WALK_SHARE to lose no hit.
typedef struct {
    float inverse[3], in[3], out[3], low[3], high[3];
    int32_t enter[3], leave[3]; // index of the row in a node's bounds
} walk_t;

/// Minimum absolute component of a motion, so that inverse is finite.
#define MESH_LEAST_MOTION 1e-20f

/// Extra width of `in` and `out`, as a share of the margin. At least 5e-7 of the largest
/// coordinates; rounding differs by at most 4e-7.
#define MESH_WALK_SHARE 0.25f

static inline void prepare_walk(walk_t *walk, const mesh_query_t *q) {
    const float start[3] = {q->start.x, q->start.y, q->start.z};
    const float end[3] = {q->end.x, q->end.y, q->end.z};
    const float half[3] = {q->reach.x, q->reach.y, q->reach.z};
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        float d = end[i] - start[i];
        d = fabsf(d) < MESH_LEAST_MOTION ? MESH_LEAST_MOTION : d;
        // Use arithmetic instead of branches, because directions are hard to predict. The leading
        // side of the moving box reaches the nearer face.
        int32_t back = d < 0.0f;
        float sign = (float)(1 - 2 * back);
        float reach = half[i] + q->margin;
        float wide = sign * (reach + q->margin * MESH_WALK_SHARE);
        reach *= sign;
        walk->inverse[i] = 1.0f / d;
        walk->low[i] = start[i] + reach;
        walk->high[i] = start[i] - reach;
        walk->in[i] = (start[i] + wide) * walk->inverse[i];
        walk->out[i] = (start[i] - wide) * walk->inverse[i];
        walk->enter[i] = i + 3 * back;
        walk->leave[i] = i + 3 - 3 * back;
    }
}

/// Children to visit, and where the motion enters them. MESH_WIDTH spare elements allow packed
/// stores.
typedef struct {
    int32_t children[MESH_STACK + MESH_WIDTH];
    float enter[MESH_STACK + MESH_WIDTH];
} walk_stack_t;

/// Fractions at which the motion enters and leaves each child. enter > leave is a miss.
typedef struct {
    float enter[MESH_WIDTH], leave[MESH_WIDTH];
} passage_t;

/// Returns one bit per child that the motion enters before the first hit so far.
LANES_INLINE uint32_t pass_node(const mesh_query_t *q, const walk_t *walk, const mesh_node_t *node,
                                passage_t *passage) {
    uint32_t hit = 0;
    __builtin_prefetch(node->children); // often not in the cache lines of the bounds
    for (int32_t first = 0; first < MESH_WIDTH; first += LANES) {
        lanes_t in[3];
        lanes_t out[3];
        LANES_UNROLL
        for (int32_t i = 0; i < 3; i++) {
            lanes_t inverse = Lanes_All(walk->inverse[i]);
            in[i] = Lanes_MultiplySubtract(Lanes_Load(&node->bounds[walk->enter[i]][first]),
                                           inverse, Lanes_All(walk->in[i]));
            out[i] = Lanes_MultiplySubtract(Lanes_Load(&node->bounds[walk->leave[i]][first]),
                                            inverse, Lanes_All(walk->out[i]));
        }
        lanes_t enter = Lanes_Max(Lanes_Max(in[0], in[1]), Lanes_Max(in[2], Lanes_All(0.0f)));
        lanes_t leave =
            Lanes_Min(Lanes_Min(out[0], out[1]), Lanes_Min(out[2], Lanes_All(q->enter)));
        Lanes_Store(&passage->enter[first], enter);
        Lanes_Store(&passage->leave[first], leave);
        hit |= Lanes_Bits(enter <= leave) << first;
    }
    return hit;
}

/// Returns the nearest child in `hit` (not 0) and pushes the others.
LANES_INLINE int32_t take_nearest(walk_stack_t *stack, int32_t *count, const mesh_node_t *node,
                                  const passage_t *passage, uint32_t hit) {
    if ((hit & (hit - 1)) == 0) {
        return node->children[__builtin_ctz(hit)];
    }
    ASSERT(*count + MESH_WIDTH <= MESH_STACK);
#if LANES == 8
    int32_t nearest = Lanes_Lowest(Lanes_Load(passage->enter), Lanes_Load(passage->leave));
    __m256i packing = Lanes_Packing(hit & ~(1u << nearest));
    Lanes_StorePacked(&stack->children[*count], node->children, packing);
    Lanes_StorePacked(&stack->enter[*count], passage->enter, packing);
    *count += __builtin_popcount(hit) - 1;
#else
    int32_t nearest = __builtin_ctz(hit);
    for (uint32_t others = hit & (hit - 1); others != 0; others &= others - 1) {
        int32_t lane = __builtin_ctz(others);
        bool is_nearer = passage->enter[lane] < passage->enter[nearest];
        int32_t farther = is_nearer ? nearest : lane;
        nearest = is_nearer ? lane : nearest;
        stack->children[*count] = node->children[farther];
        stack->enter[(*count)++] = passage->enter[farther];
    }
#endif
    return node->children[nearest];
}

/// Drops children entered after fraction `enter`. Returns how many remain.
LANES_INLINE int32_t drop_after(walk_stack_t *stack, int32_t count, float enter) {
    int32_t kept = 0;
    for (int32_t first = 0; first < count; first += LANES) {
        int32_t left = count - first;
        uint32_t used = left < LANES ? (1u << left) - 1 : (1u << LANES) - 1;
        used &= Lanes_Bits(Lanes_Load(&stack->enter[first]) <= Lanes_All(enter));
#if LANES == 8
        __m256i packing = Lanes_Packing(used);
        Lanes_StorePacked(&stack->children[kept], &stack->children[first], packing);
        Lanes_StorePacked(&stack->enter[kept], &stack->enter[first], packing);
        kept += __builtin_popcount(used);
#else
        for (; used != 0; used &= used - 1) {
            stack->children[kept] = stack->children[first + __builtin_ctz(used)];
            stack->enter[kept++] = stack->enter[first + __builtin_ctz(used)];
        }
#endif
    }
    return kept;
}

// ---- resting boxes ----

/// A walk through blocks that touch a box.
typedef struct {
    const mesh_t *mesh;
    const triangle_cache_t *cache; ///< NULL = walk the tree
    bounds_t box;
    int32_t next;  ///< next block of the cache
    int32_t count; ///< children on the stack
    int32_t children[MESH_STACK + MESH_WIDTH];
} box_walk_t;

/// Returns one bit per box of a node that touches `box`.
LANES_INLINE uint32_t touch_boxes(const float b[6][MESH_WIDTH], const bounds_t *box) {
    uint32_t hit = 0;
    for (int32_t first = 0; first < MESH_WIDTH; first += LANES) {
        lanes_mask_t x = (Lanes_Load(&b[0][first]) <= Lanes_All(box->maxs.x)) &
                         (Lanes_Load(&b[3][first]) >= Lanes_All(box->mins.x));
        lanes_mask_t y = (Lanes_Load(&b[1][first]) <= Lanes_All(box->maxs.y)) &
                         (Lanes_Load(&b[4][first]) >= Lanes_All(box->mins.y));
        lanes_mask_t z = (Lanes_Load(&b[2][first]) <= Lanes_All(box->maxs.z)) &
                         (Lanes_Load(&b[5][first]) >= Lanes_All(box->mins.z));
        hit |= Lanes_Bits(x & y & z) << first;
    }
    return hit;
}

LANES_INLINE void start_box_walk(box_walk_t *walk, const mesh_t *mesh,
                                 const triangle_cache_t *cache, bounds_t box) {
    walk->mesh = mesh;
    walk->cache = cache;
    walk->box = box;
    walk->next = 0;
    walk->children[0] = 0;
    walk->count = 1;
}

/// Pushes the children of a node that touch the box.
LANES_INLINE void push_touched(box_walk_t *walk, const mesh_node_t *node) {
    uint32_t hit = touch_boxes(node->bounds, &walk->box);
    ASSERT(walk->count + MESH_WIDTH <= MESH_STACK);
#if LANES == 8
    Lanes_StorePacked(&walk->children[walk->count], node->children, Lanes_Packing(hit));
    walk->count += __builtin_popcount(hit);
#else
    for (; hit != 0; hit &= hit - 1) {
        walk->children[walk->count++] = node->children[__builtin_ctz(hit)];
    }
#endif
}

LANES_INLINE const mesh_block_t *next_block(box_walk_t *walk) {
    const triangle_cache_t *cache = walk->cache;
    while (cache && walk->next < cache->num_blocks) {
        int32_t i = walk->next++;
        if (touch_boxes(cache->bounds[i], &walk->box) != 0) {
            return cache->blocks[i];
        }
    }
    while (!cache && walk->count > 0) {
        int32_t child = walk->children[--walk->count];
        if (child < 0) {
            return &walk->mesh->blocks[-1 - child];
        }
        push_touched(walk, &walk->mesh->nodes[child]);
    }
    return NULL;
}

#endif
