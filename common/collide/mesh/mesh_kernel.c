/// collide/mesh/mesh_kernel.c - the inner loops of mesh queries: sweeps, overlap and inside tests,
/// cache fills.
//
// Units:   qu; fractions of the sweep.
// Repeat:  bit-identical with four lanes and with eight.
//
// Compiled with LANES 4 and, on x86-64, with LANES 8 for AVX2.

#include "collide/contact.h"
#include "collide/mesh/mesh_ray.h"
#include "state/contents.h"

// ---- sweeps of boxes ----

/// The interval of the sweep with overlap along all tested axes.
typedef struct {
    lanes_t enter, leave; // fractions
    lanes_t axis,
        axis_reached; // the axis of the hit, and its fraction
    lanes_mask_t outside;
    lanes_t bias;
} timing_t;

/// Clips the interval to the overlap along an axis. `move`: motion along it.
LANES_INLINE void clip_time(timing_t *time, span_t span, lanes_t reach, lanes_t move,
                            int32_t axis) {
    lanes_t lo = span.lo - reach;
    lanes_t hi = span.hi + reach;
    lanes_t zero = Lanes_All(0.0f);
    lanes_mask_t still = Lanes_Abs(move) < Lanes_All(MESH_TINY);
    time->outside |= ((lo >= zero) & (lo >= move)) | ((hi <= zero) & (hi <= move));
    lanes_t inverse = Lanes_All(1.0f) / Lanes_Select(still, Lanes_All(MESH_TINY), move);
    span_t clip = span_of(lo * inverse, hi * inverse);
    lanes_t in = Lanes_Select(still, Lanes_All(-MESH_HUGE), clip.lo);
    lanes_t out = Lanes_Select(still, Lanes_All(MESH_HUGE), clip.hi);
    lanes_mask_t later = in > time->axis_reached + time->bias;
    time->enter = Lanes_Max(time->enter, in);
    time->leave = Lanes_Min(time->leave, out);
    time->axis_reached = Lanes_Select(later, in, time->axis_reached);
    time->axis = Lanes_Select(later, Lanes_All((float)axis), time->axis);
}

LANES_INLINE void time_overlap(timing_t *time, const mesh_query_t *q, const triangle_lanes_t *t,
                               bool turned) {
    lanes3_t half = lanes3_all(q->half);
    lanes3_t move = lanes3_all(q->move);
    *time = (timing_t){.enter = Lanes_All(-MESH_HUGE),
                       .leave = Lanes_All(MESH_HUGE),
                       .axis_reached = Lanes_All(-MESH_HUGE),
                       .bias = Lanes_All(q->bias)};
    LANES_UNROLL
    for (int32_t i = 0; i < MESH_NUM_AXES; i++) {
        axis_lanes_t axis = project(t, half, move, i, turned);
        clip_time(time, axis.span, axis.reach, axis.move, i);
    }
}

/// Records an overlap from `enter` to `leave`. Returns true if the walk can stop.
LANES_INLINE bool record_overlap(mesh_query_t *q, const mesh_block_t *block, int32_t lane,
                                 float enter, float leave, float axis) {
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

/// Returns one bit per triangle that the widened box may hit before q->enter.
LANES_INLINE uint32_t may_hit(const mesh_query_t *q, const triangle_lanes_t *t, bool turned) {
    lanes3_t wide = lanes3_all(q->wide);
    lanes3_t move = lanes3_all(VectorScale(q->move, q->enter));
    const uint32_t all = (1u << LANES) - 1;
    lanes_mask_t apart = {0};
    LANES_UNROLL
    for (int32_t i = 0; i < MESH_NUM_AXES; i++) {
        if (i == MESH_AXIS_CROSS && Lanes_Bits(apart) == all) {
            return 0;
        }
        axis_lanes_t axis = project(t, wide, move, i, turned);
        apart |= Lanes_Abs(axis.span.lo + axis.span.hi - axis.move) >
                 (axis.span.hi - axis.span.lo) + Lanes_Abs(axis.move) + axis.reach + axis.reach;
    }
    return ~Lanes_Bits(apart) & all;
}

/// Returns one bit per triangle whose front faces the start and the motion.
LANES_INLINE uint32_t facing_lanes(const mesh_query_t *q, const triangle_lanes_t *t) {
    lanes_t zero = Lanes_All(0.0f);
    return Lanes_Bits((lanes3_dot(t->normal, t->corners[0]) <= zero) &
                      (lanes3_dot(t->normal, lanes3_all(q->move)) <= zero));
}

/// Sweeps the box against a block. Returns true if the walk can stop.
LANES_INLINE bool sweep_block(mesh_query_t *q, const mesh_block_t *block, bool turned) {
    for (int32_t first = 0; first < MESH_WIDTH; first += LANES) {
        triangle_lanes_t t;
        load_triangles(&t, q, block, first, turned);
        uint32_t lanes = may_hit(q, &t, turned);
        q->is_close |= lanes != 0;
        if (lanes != 0 && q->one_sided) {
            lanes &= facing_lanes(q, &t);
        }
        if (lanes == 0) {
            continue;
        }
        timing_t time;
        float enter[LANES];
        float leave[LANES];
        float axis[LANES];
        time_overlap(&time, q, &t, turned);
        uint32_t hit = ~Lanes_Bits(time.outside) & Lanes_Bits(time.enter <= time.leave) & lanes;
        Lanes_Store(enter, time.enter);
        Lanes_Store(leave, time.leave);
        Lanes_Store(axis, time.axis);
        for (; hit != 0; hit &= hit - 1) {
            int32_t lane = __builtin_ctz(hit);
            if (block->triangles[first + lane] >= 0 &&
                record_overlap(q, block, first + lane, enter[lane], leave[lane], axis[lane])) {
                return true;
            }
        }
    }
    return false;
}

// ---- sweeps of points ----

LANES_INLINE void ray_block(mesh_query_t *q, const ray_t *ray, const walk_t *walk,
                            const mesh_block_t *block) {
    const lanes_t zero = Lanes_All(0.0f);
    // Prefetch now: after a hit it would be too late.
    __builtin_prefetch(&block->normals[1][0]);
    __builtin_prefetch(&block->triangles[0]);
    for (int32_t first = 0; first < MESH_WIDTH; first += LANES) {
        lanes_t at;
        uint32_t hit = cross_lanes(ray, block, first, &at);
        if (hit == 0) {
            continue;
        }
        lanes_t along = Lanes_All(ray->d[0]) * Lanes_Load(&block->normals[0][first]) +
                        Lanes_All(ray->d[1]) * Lanes_Load(&block->normals[1][first]) +
                        Lanes_All(ray->d[2]) * Lanes_Load(&block->normals[2][first]);
        if (q->one_sided) {
            hit &= ~Lanes_Bits(zero < along);
        }
        float enter[LANES];
        at = refined(ray, walk, block, first, at, along);
        Lanes_Store(enter, at);
        hit &= Lanes_Bits((zero <= at) & (at <= Lanes_All(q->enter)));
        for (; hit != 0; hit &= hit - 1) {
            int32_t lane = __builtin_ctz(hit);
            if (block->triangles[first + lane] >= 0) {
                record_overlap(q, block, first + lane, enter[lane], enter[lane],
                               (float)MESH_AXIS_NORMAL);
            }
        }
    }
}

// ---- both ----

/// Sweeps a point (with `ray`) or box through the blocks, nearest first.
LANES_INLINE void sweep_tree(mesh_query_t *q, const walk_t *walk, const ray_t *ray, bool turned) {
    const mesh_t *mesh = q->mesh;
    walk_stack_t stack;
    // The lowest element of the stack ends the walk.
    stack.children[0] = MESH_NO_CHILD;
    stack.enter[0] = 0.0f;
    int32_t count = 1;
    int32_t child = 0;
    while (true) {
        while (child >= 0) {
            const mesh_node_t *node = &mesh->nodes[child];
            passage_t passage;
            uint32_t hit = pass_node(q, walk, node, &passage);
            child = hit != 0 ? take_nearest(&stack, &count, node, &passage, hit)
                             : stack.children[--count];
        }
        if (child == MESH_NO_CHILD) {
            return;
        }
        float before = q->enter;
        if (ray) {
            ray_block(q, ray, walk, &mesh->blocks[-1 - child]);
        } else if (sweep_block(q, &mesh->blocks[-1 - child], turned)) {
            return;
        }
        if (q->enter != before) {
            count = drop_after(&stack, count, q->enter);
        }
        child = stack.children[--count];
    }
}

static __attribute__((noinline)) void sweep_cached(mesh_query_t *q, const walk_t *walk,
                                                   const ray_t *ray) {
    box_walk_t blocks;
    const bounds_t swept = {VectorSubtract(VectorMin(q->start, q->end), q->half),
                            VectorAdd(VectorMax(q->start, q->end), q->half)};
    start_box_walk(&blocks, q->mesh, q->cache, swept);
    const mesh_block_t *block = next_block(&blocks);
    for (; block; block = next_block(&blocks)) {
        if (ray) {
            ray_block(q, ray, walk, block);
        } else if (sweep_block(q, block, false)) {
            return;
        }
    }
}

static void sweep_point(mesh_query_t *q) {
    walk_t walk;
    ray_t ray;
    prepare_walk(&walk, q);
    prepare_ray(&ray, q, &walk);
    if (q->cache) {
        sweep_cached(q, &walk, &ray);
    } else {
        sweep_tree(q, &walk, &ray, false);
    }
}

static void sweep_box(mesh_query_t *q) {
    walk_t walk;
    if (q->cache) {
        sweep_cached(q, NULL, NULL);
        return;
    }
    prepare_walk(&walk, q);
    if (q->turned) {
        sweep_tree(q, &walk, NULL, true);
    } else {
        sweep_tree(q, &walk, NULL, false);
    }
}

static void sweep(mesh_query_t *q) {
    if (!q->is_point) {
        sweep_box(q);
    } else if (!VectorCompare(q->start, q->end)) {
        sweep_point(q);
    }
}

// ---- resting boxes ----

/// Returns one bit per triangle that overlaps the box; touching is no overlap. A one-sided triangle
/// counts only if the centre is in front of it, now and at the start of the trace.
LANES_INLINE uint32_t overlapped(const mesh_query_t *q, const triangle_lanes_t *t, bool turned) {
    lanes3_t half = lanes3_all(q->half);
    lanes_t zero = Lanes_All(0.0f);
    const uint32_t all = (1u << LANES) - 1;
    lanes_mask_t apart = {0};
    if (q->one_sided) {
        // One-sided triangles need the centre in front, now and at the start of the trace.
        lanes_t p = lanes3_dot(t->normal, t->corners[0]);
        apart = (zero < p) | (zero < p - lanes3_dot(t->normal, lanes3_all(q->move)));
    }
    LANES_UNROLL
    for (int32_t i = 0; i < MESH_NUM_AXES; i++) {
        if (i == MESH_AXIS_CROSS && Lanes_Bits(apart) == all) {
            return 0;
        }
        axis_lanes_t axis = project(t, half, half, i, turned);
        apart |= (zero <= axis.span.lo - axis.reach) | (axis.span.hi + axis.reach <= zero);
    }
    return ~Lanes_Bits(apart) & all;
}

/// A later axis wins only below this fraction of the earlier depth.
#define CLEARLY_SHORTER 0.9f

/// The smallest depth of each triangle over the tested axes, squared.
typedef struct {
    lanes_t depth2, axis, sign;
} exit_t;

/// Computes the smaller depth of the two directions of an axis. Stores it if it is below
/// CLEARLY_SHORTER times the stored depth. `length2`: squared length of the axis.
LANES_INLINE void try_exit(exit_t *out, span_t span, lanes_t reach, lanes_t length2, int32_t axis) {
    lanes_t forward = span.hi + reach;
    lanes_t back = reach - span.lo;
    lanes_mask_t goes_back = back < forward;
    lanes_t depth = Lanes_Select(goes_back, back, forward);
    lanes_mask_t none = length2 < Lanes_All(MESH_TINY);
    lanes_t depth2 = depth * depth / Lanes_Select(none, Lanes_All(MESH_TINY), length2);
    depth2 = Lanes_Select(none, Lanes_All(MESH_HUGE), depth2);
    lanes_mask_t better = depth2 < out->depth2 * Lanes_All(CLEARLY_SHORTER * CLEARLY_SHORTER);
    lanes_t sign = Lanes_Select(goes_back, Lanes_All(-1.0f), Lanes_All(1.0f));
    out->depth2 = Lanes_Select(better, depth2, out->depth2);
    out->axis = Lanes_Select(better, Lanes_All((float)axis), out->axis);
    out->sign = Lanes_Select(better, sign, out->sign);
}

/// Returns the squared length of an axis; 0 if the axis is only rounding error.
LANES_INLINE lanes_t squared_length(const triangle_lanes_t *t, int32_t axis) {
    if (axis == MESH_AXIS_NORMAL) {
        return lanes3_dot(t->normal, t->normal);
    }
    if (axis < MESH_AXIS_CROSS) {
        return Lanes_All(1.0f);
    }
    lanes3_t edge = t->edges[(axis - MESH_AXIS_CROSS) / 3];
    lanes_t length2 = lanes3_dot(edge, edge);
    lanes_t along = axis_of(edge, (axis - MESH_AXIS_CROSS) % 3);
    lanes_t cross2 = length2 - along * along;
    // The cross product of nearly parallel axes is only rounding error.
    lanes_mask_t noise = cross2 < length2 * Lanes_All(1e-6f);
    return Lanes_Select(noise, Lanes_All(0.0f), cross2);
}

LANES_INLINE void find_exits(exit_t *out, const mesh_query_t *q, const triangle_lanes_t *t,
                             bool turned) {
    lanes3_t half = lanes3_all(q->half);
    *out = (exit_t){.depth2 = Lanes_All(MESH_HUGE)};
    LANES_UNROLL
    for (int32_t i = 0; i < MESH_NUM_AXES; i++) {
        axis_lanes_t axis = project(t, half, half, i, turned);
        try_exit(out, axis.span, axis.reach, squared_length(t, i), i);
    }
}

typedef struct {
    cm_contact_t *contacts;
    int32_t count, max;
} contact_list_t;

/// Inserts the contacts of the triangles in `hit`.
LANES_INLINE void add_contacts(contact_list_t *list, const mesh_query_t *q,
                               const mesh_block_t *block, int32_t first, uint32_t hit,
                               const exit_t *out) {
    float depth2[LANES];
    float axis[LANES];
    float sign[LANES];
    Lanes_Store(depth2, out->depth2);
    Lanes_Store(axis, out->axis);
    Lanes_Store(sign, out->sign);
    for (; hit != 0; hit &= hit - 1) {
        int32_t lane = __builtin_ctz(hit);
        cm_contact_t contact = {.depth = sqrtf(depth2[lane]),
                                .surface = block->triangles[first + lane]};
        if (contact.surface >= 0) {
            vec3_t n = CM_MeshAxis(q, block, first + lane, (int32_t)axis[lane]);
            // Add 0 to remove negative zeros.
            contact.normal = VectorMA(Vector(0.0f, 0.0f, 0.0f), sign[lane], n);
            list->count = CM_AddContact(list->contacts, list->count, list->max, &contact, true);
        }
    }
}

LANES_INLINE int32_t overlap_blocks(const mesh_query_t *q, bool turned, cm_contact_t *contacts,
                                    int32_t max) {
    // Bounds of the resting box in the mesh's space, widened by the possible rounding.
    vec3_t reach = VectorAdd(q->reach, VectorSubtract(q->wide, q->half));
    box_walk_t walk;
    contact_list_t list = {contacts, 0, max};
    start_box_walk(&walk, q->mesh, q->cache,
                   (bounds_t){VectorSubtract(q->start, reach), VectorAdd(q->start, reach)});
    const mesh_block_t *block = next_block(&walk);
    for (; block; block = next_block(&walk)) {
        for (int32_t first = 0; first < MESH_WIDTH; first += LANES) {
            triangle_lanes_t t;
            load_triangles(&t, q, block, first, turned);
            uint32_t hit = overlapped(q, &t, turned);
            if (hit != 0 && max == 0) {
                return 1; // unused lanes copy the first triangle
            }
            if (hit != 0) {
                exit_t out;
                find_exits(&out, q, &t, turned);
                add_contacts(&list, q, block, first, hit, &out);
            }
        }
    }
    return list.count;
}

static int32_t overlap(const mesh_query_t *q, cm_contact_t *contacts, int32_t max) {
    if (q->is_point) {
        return 0;
    }
    return q->turned ? overlap_blocks(q, true, contacts, max)
                     : overlap_blocks(q, false, contacts, max);
}

// ---- inside ----

/// Returns true if a line along x crosses the edge, seen from above. Both triangles at an edge get
/// the same result.
LANES_INLINE bool crosses_edge(vec3_t p, vec3_t a, vec3_t b) {
    if ((a.y > p.y) == (b.y > p.y)) {
        return false;
    }
    vec3_t lo = a.y < b.y ? a : b;
    vec3_t hi = a.y < b.y ? b : a;
    double side = ((double)hi.x - (double)lo.x) * ((double)p.y - (double)lo.y) -
                  ((double)p.x - (double)lo.x) * ((double)hi.y - (double)lo.y);
    return side > 0.0;
}

/// Returns true if a line up from the point crosses a triangle.
LANES_INLINE bool crosses_triangle(vec3_t p, vec3_t a, vec3_t b, vec3_t c) {
    if (!(crosses_edge(p, a, b) ^ crosses_edge(p, b, c) ^ crosses_edge(p, c, a))) {
        return false;
    }
    dvec_t from = DV_FromVector(a);
    dvec_t n = DV_Cross(DV_Sub(DV_FromVector(b), from), DV_Sub(DV_FromVector(c), from));
    // The normal points up if n.z > 0; n.z is not 0 here.
    double below = DV_Dot(n, DV_Sub(DV_FromVector(p), from));
    return n.z > 0.0 ? below < 0.0 : below > 0.0;
}

static bool inside(const mesh_query_t *q) {
    vec3_t p = q->start;
    box_walk_t walk;
    start_box_walk(&walk, q->mesh, NULL, (bounds_t){p, {p.x, p.y, MESH_HUGE / 2.0f}});
    bool odd = false;
    const mesh_block_t *block = next_block(&walk);
    for (; block; block = next_block(&walk)) {
        for (int32_t i = 0; i < MESH_WIDTH && block->triangles[i] >= 0; i++) {
            const float(*c)[3][MESH_WIDTH] = block->corners;
            odd ^= crosses_triangle(p, Vector(c[0][0][i], c[0][1][i], c[0][2][i]),
                                    Vector(c[1][0][i], c[1][1][i], c[1][2][i]),
                                    Vector(c[2][0][i], c[2][1][i], c[2][2][i]));
        }
    }
    return odd;
}

// ---- filling a cache ----

/// Writes the bounds of a block's triangles, plus a margin, as in nodes.
LANES_INLINE void bound_triangles(float bounds[6][MESH_WIDTH], const mesh_block_t *block,
                                  float margin) {
    for (int32_t first = 0; first < MESH_WIDTH; first += LANES) {
        LANES_UNROLL
        for (int32_t axis = 0; axis < 3; axis++) {
            lanes_t a = Lanes_Load(&block->corners[0][axis][first]);
            lanes_t b = Lanes_Load(&block->corners[1][axis][first]);
            lanes_t c = Lanes_Load(&block->corners[2][axis][first]);
            lanes_t lo = Lanes_Min(Lanes_Min(a, b), c) - Lanes_All(margin);
            lanes_t hi = Lanes_Max(Lanes_Max(a, b), c) + Lanes_All(margin);
            Lanes_Store(&bounds[axis][first], lo);
            Lanes_Store(&bounds[axis + 3][first], hi);
        }
    }
}

static bool collect(triangle_cache_t *cache, bounds_t region, float margin) {
    const vec3_t wide = {margin, margin, margin};
    box_walk_t walk;
    cache->num_blocks = 0;
    start_box_walk(&walk, cache->mesh, NULL,
                   (bounds_t){VectorSubtract(region.mins, wide), VectorAdd(region.maxs, wide)});
    const mesh_block_t *block = next_block(&walk);
    for (; block; block = next_block(&walk)) {
        int32_t n = cache->num_blocks;
        if (n == MAX_CACHED_BLOCKS) {
            return false;
        }
        bound_triangles(cache->bounds[n], block, margin);
        cache->blocks[n] = block;
        cache->num_blocks +=
            touch_boxes((const float(*)[MESH_WIDTH])cache->bounds[n], &region) != 0;
    }
    return true;
}

#if LANES == 8
const mesh_ops_t CM_MeshOps8 =
#else
const mesh_ops_t CM_MeshOps4 =
#endif
    {.sweep = sweep, .overlap = overlap, .inside = inside, .collect = collect};
