/// collide/mesh/mesh_kernel_stand.h - the queries of boxes that stand still; see mesh_kernel.h. Inside of
/// collide/ only.
//
// Floor:   collide.

#ifndef EDICTD_COLLIDE_MESH_KERNEL_STAND_H
#define EDICTD_COLLIDE_MESH_KERNEL_STAND_H

#include "collide/mesh/mesh_kernel_ray.h"
#include "state/contents.h"

/// Children that wait. Packed stores write eight at once.
typedef struct {
    int32_t children[MESH_STACK + MESH_WIDTH];
    int32_t count;
} touched_t;

/// Which of eight boxes, as they lie in nodes, a box touches: a bit for each lane.
MESH_INLINE uint32_t touch_boxes(const float b[6][MESH_WIDTH], const bounds_t *box) {
    uint32_t met = 0;
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        lanes_mask_t x = Lanes_AtMost(Lanes_Load(&b[0][first]), Lanes_All(box->maxs.x)) &
                         Lanes_AtMost(Lanes_All(box->mins.x), Lanes_Load(&b[3][first]));
        lanes_mask_t y = Lanes_AtMost(Lanes_Load(&b[1][first]), Lanes_All(box->maxs.y)) &
                         Lanes_AtMost(Lanes_All(box->mins.y), Lanes_Load(&b[4][first]));
        lanes_mask_t z = Lanes_AtMost(Lanes_Load(&b[2][first]), Lanes_All(box->maxs.z)) &
                         Lanes_AtMost(Lanes_All(box->mins.z), Lanes_Load(&b[5][first]));
        met |= Lanes_Bits(x & y & z) << first;
    }
    return met;
}

/// Goes down to a leaf that the box touches, and leaves the others waiting. Returns the leaf (below
/// 0), or MESH_NO_CHILD when there is none.
MESH_INLINE int32_t next_touched(const mesh_query_t *q, const bounds_t *box, touched_t *touched) {
    while (touched->count > 0) {
        int32_t child = touched->children[--touched->count];
        while (child >= 0) {
            const mesh_node_t *node = &q->mesh->nodes[child];
            __builtin_prefetch(node->children);
            uint32_t met = touch_boxes(node->bounds, box);
            if (met == 0) {
                break;
            }
            child = node->children[__builtin_ctz(met)];
            met &= met - 1;
            ASSERT(touched->count + MESH_WIDTH <= MESH_STACK);
#if MESH_PACKS
            Lanes_StorePacked(&touched->children[touched->count], node->children,
                              Lanes_Packing(met));
            touched->count += __builtin_popcount(met);
#else
            for (; met != 0; met &= met - 1) {
                touched->children[touched->count++] = node->children[__builtin_ctz(met)];
            }
#endif
        }
        if (child < 0) {
            return child;
        }
    }
    return MESH_NO_CHILD;
}

MESH_INLINE void start_touching(touched_t *touched) {
    touched->children[0] = 0;
    touched->count = 1;
}

/// The box around the standing box in the mesh's space, wider than rounding.
MESH_INLINE bounds_t standing_bounds(const mesh_query_t *q) {
    vec3_t wide = VectorSubtract(q->wide, q->half);
    vec3_t reach = VectorAdd(q->reach, wide);
    return (bounds_t){VectorSubtract(q->start, reach), VectorAdd(q->start, reach)};
}

/// Which triangles overlap the standing box: a bit for each lane. The same compares as a sweep makes
/// of its start.
MESH_INLINE uint32_t overlapped(const mesh_query_t *q, const facing_t *t, bool turned) {
    lanes3_t half = lanes3_all(q->half);
    lanes_t zero = Lanes_All(0.0f);
    lanes_t p = lanes3_dot(t->normal, t->corners[0]);
    lanes_t reach = lanes3_dot(half, lanes3_abs(t->normal));
    lanes_mask_t apart = Lanes_AtMost(zero, p - reach) | Lanes_AtMost(p + reach, zero);
    if (q->one_sided) {
        // The middle is behind it, or was where the box came from.
        apart |= Lanes_Below(zero, p) |
                 Lanes_Below(zero, p - lanes3_dot(t->normal, lanes3_all(q->move)));
    }
    MESH_UNROLL
    for (int32_t axis = 0; axis < 3; axis++) {
        span_t span = face_span(t, axis);
        apart |= Lanes_AtMost(zero, span.lo - axis_of(half, axis)) |
                 Lanes_AtMost(span.hi + axis_of(half, axis), zero);
    }
    const uint32_t all = (1u << MESH_LANES) - 1;
    if (Lanes_Bits(apart) == all) {
        return 0;
    }
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes3_t abs_e = lanes3_abs(t->edges[i]);
        MESH_UNROLL
        for (int32_t axis = 0; axis < 3; axis++) {
            span_t span = cross_span(t, i, axis, turned);
            reach = cross_reach(half, abs_e, axis);
            apart |= Lanes_AtMost(zero, span.lo - reach) | Lanes_AtMost(span.hi + reach, zero);
        }
    }
    return ~Lanes_Bits(apart) & all;
}

MESH_INLINE bool touches_block(const mesh_query_t *q, const mesh_block_t *block, bool turned) {
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        facing_t t;
        load_facing(&t, q, block, first, turned);
        // Lanes that only fill up are copies of the first, which counts.
        if (overlapped(q, &t, turned) != 0) {
            return true;
        }
    }
    return false;
}

MESH_INLINE bool touches_tree(const mesh_query_t *q, bool turned) {
    const bounds_t box = standing_bounds(q);
    touched_t touched;
    start_touching(&touched);
    int32_t leaf = next_touched(q, &box, &touched);
    for (; leaf != MESH_NO_CHILD; leaf = next_touched(q, &box, &touched)) {
        if (touches_block(q, &q->mesh->blocks[-1 - leaf], turned)) {
            return true;
        }
    }
    return false;
}

MESH_TARGET static bool touches(const mesh_query_t *q) {
    return q->turned ? touches_tree(q, true) : touches_tree(q, false);
}

MESH_TARGET static bool touches_close(const mesh_query_t *q, const mesh_block_t *const *blocks,
                                      int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (touches_block(q, blocks[i], q->turned)) {
            return true;
        }
    }
    return false;
}

// ---- contacts ----

/// Another way out is taken instead of an earlier one when it is shorter than this share of it.
#define CLEARLY_SHORTER 0.9f

/// The ways out of triangles so far. Depths are squared: lengths of directions are, too.
typedef struct {
    lanes_t depth2, axis, sign;
} ways_out_t;

/// Tries one direction, of a squared length, in both senses.
MESH_INLINE void try_ways(ways_out_t *out, span_t span, lanes_t reach, lanes_t length2,
                          int32_t axis) {
    lanes_t ahead = span.hi + reach;
    lanes_t back = reach - span.lo;
    lanes_mask_t goes_back = back < ahead;
    lanes_t depth = Lanes_Select(goes_back, back, ahead);
    lanes_mask_t none = length2 < Lanes_All(MESH_TINY);
    lanes_t depth2 = depth * depth / Lanes_Select(none, Lanes_All(MESH_TINY), length2);
    depth2 = Lanes_Select(none, Lanes_All(MESH_HUGE), depth2);
    lanes_mask_t better = depth2 < out->depth2 * Lanes_All(CLEARLY_SHORTER * CLEARLY_SHORTER);
    out->depth2 = Lanes_Select(better, depth2, out->depth2);
    out->axis = Lanes_Select(better, Lanes_All((float)axis), out->axis);
    out->sign =
        Lanes_Select(better, Lanes_Select(goes_back, Lanes_All(-1.0f), Lanes_All(1.0f)), out->sign);
}

MESH_INLINE void find_ways_out(ways_out_t *out, const mesh_query_t *q, const facing_t *t,
                               bool turned) {
    lanes3_t half = lanes3_all(q->half);
    lanes_t p = lanes3_dot(t->normal, t->corners[0]);
    lanes_t reach = lanes3_dot(half, lanes3_abs(t->normal));
    *out = (ways_out_t){.depth2 = Lanes_All(MESH_HUGE)};
    try_ways(out, (span_t){p, p}, reach, lanes3_dot(t->normal, t->normal), MESH_AXIS_NORMAL);
    MESH_UNROLL
    for (int32_t axis = 0; axis < 3; axis++) {
        try_ways(out, face_span(t, axis), axis_of(half, axis), Lanes_All(1.0f),
                 MESH_AXIS_FACE + axis);
    }
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes3_t abs_e = lanes3_abs(t->edges[i]);
        lanes_t length2 = lanes3_dot(t->edges[i], t->edges[i]);
        MESH_UNROLL
        for (int32_t axis = 0; axis < 3; axis++) {
            lanes_t along = axis_of(t->edges[i], axis);
            lanes_t cross2 = length2 - along * along;
            // Nearly parallel: the direction is noise.
            lanes_mask_t noise = cross2 < length2 * Lanes_All(1e-6f);
            try_ways(out, cross_span(t, i, axis, turned), cross_reach(half, abs_e, axis),
                     Lanes_Select(noise, Lanes_All(0.0f), cross2), MESH_AXIS_CROSS + 3 * i + axis);
        }
    }
}

MESH_INLINE int32_t block_contacts(const mesh_query_t *q, const mesh_block_t *block, bool turned,
                                   cm_contact_t *contacts, int32_t count, int32_t max) {
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        facing_t t;
        load_facing(&t, q, block, first, turned);
        uint32_t met = overlapped(q, &t, turned);
        if (met == 0) {
            continue;
        }
        ways_out_t out;
        float depth2[MESH_LANES];
        float axis[MESH_LANES];
        float sign[MESH_LANES];
        find_ways_out(&out, q, &t, turned);
        Lanes_Store(depth2, out.depth2);
        Lanes_Store(axis, out.axis);
        Lanes_Store(sign, out.sign);
        for (; met != 0; met &= met - 1) {
            int32_t lane = __builtin_ctz(met);
            cm_contact_t contact = {.depth = sqrtf(depth2[lane]),
                                    .surface = block->triangles[first + lane]};
            if (contact.surface >= 0) {
                vec3_t n = CM_MeshAxis(q, block, first + lane, (int32_t)axis[lane]);
                // 0 + x: no negative zeros in answers.
                contact.normal = VectorMA(Vector(0.0f, 0.0f, 0.0f), sign[lane], n);
                count = CM_AddMeshContact(contacts, count, max, &contact);
            }
        }
    }
    return count;
}

MESH_INLINE int32_t tree_contacts(const mesh_query_t *q, bool turned, cm_contact_t *contacts,
                                  int32_t max) {
    const bounds_t box = standing_bounds(q);
    touched_t touched;
    int32_t count = 0;
    start_touching(&touched);
    int32_t leaf = next_touched(q, &box, &touched);
    for (; leaf != MESH_NO_CHILD; leaf = next_touched(q, &box, &touched)) {
        count = block_contacts(q, &q->mesh->blocks[-1 - leaf], turned, contacts, count, max);
    }
    return count;
}

MESH_TARGET static int32_t overlap(const mesh_query_t *q, cm_contact_t *contacts, int32_t max) {
    return q->turned ? tree_contacts(q, true, contacts, max)
                     : tree_contacts(q, false, contacts, max);
}

// ---- inside ----

/// True when, seen from above, a line from the point along x crosses the edge: counted once for each
/// edge, and the same for both triangles that share it, whatever rounding does.
MESH_INLINE bool crosses_edge(vec3_t p, vec3_t a, vec3_t b) {
    if ((a.y > p.y) == (b.y > p.y)) {
        return false;
    }
    vec3_t lo = a.y < b.y ? a : b;
    vec3_t hi = a.y < b.y ? b : a;
    double side = ((double)hi.x - (double)lo.x) * ((double)p.y - (double)lo.y) -
                  ((double)p.x - (double)lo.x) * ((double)hi.y - (double)lo.y);
    return side > 0.0;
}

/// True when a line straight up from the point crosses a triangle.
MESH_INLINE bool crosses_triangle(vec3_t p, vec3_t a, vec3_t b, vec3_t c) {
    if (!(crosses_edge(p, a, b) ^ crosses_edge(p, b, c) ^ crosses_edge(p, c, a))) {
        return false;
    }
    double ux = (double)b.x - (double)a.x;
    double uy = (double)b.y - (double)a.y;
    double uz = (double)b.z - (double)a.z;
    double vx = (double)c.x - (double)a.x;
    double vy = (double)c.y - (double)a.y;
    double vz = (double)c.z - (double)a.z;
    double nx = uy * vz - uz * vy;
    double ny = uz * vx - ux * vz;
    double nz = ux * vy - uy * vx;
    // Above where the triangle's plane is: nz is not 0, or no line would cross it seen from above.
    double below = nx * ((double)p.x - (double)a.x) + ny * ((double)p.y - (double)a.y) +
                   nz * ((double)p.z - (double)a.z);
    return nz > 0.0 ? below < 0.0 : below > 0.0;
}

MESH_TARGET static bool inside(const mesh_query_t *q) {
    vec3_t p = q->start;
    const bounds_t line = {p, {p.x, p.y, MESH_HUGE / 2.0f}};
    touched_t touched;
    start_touching(&touched);
    bool odd = false;
    int32_t leaf = next_touched(q, &line, &touched);
    for (; leaf != MESH_NO_CHILD; leaf = next_touched(q, &line, &touched)) {
        const mesh_block_t *block = &q->mesh->blocks[-1 - leaf];
        for (int32_t i = 0; i < MESH_WIDTH && block->triangles[i] >= 0; i++) {
            const float(*c)[3][MESH_WIDTH] = block->corners;
            odd ^= crosses_triangle(p, Vector(c[0][0][i], c[0][1][i], c[0][2][i]),
                                    Vector(c[1][0][i], c[1][1][i], c[1][2][i]),
                                    Vector(c[2][0][i], c[2][1][i], c[2][2][i]));
        }
    }
    return odd;
}

#endif
