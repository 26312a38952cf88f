/// collide/mesh/mesh_kernel_ray.h - the queries of points that move; see mesh_kernel.h. Inside of
/// collide/ only.
//
// Floor:   collide.

#ifndef EDICTD_COLLIDE_MESH_KERNEL_RAY_H
#define EDICTD_COLLIDE_MESH_KERNEL_RAY_H

#include "collide/mesh/mesh_kernel.h"

/// A ray: where it starts and how far it goes; and along which axes: the one along which it goes
/// farthest is the last. The shear makes it run along that one.
typedef struct {
    walk_t walk;
    float from[4], d[4];
    int32_t axes[3];
    float start[3], shear[3]; // along those axes
} ray_t;

MESH_INLINE void aim_ray(ray_t *ray, float4_t from, float4_t to, float margin) {
    // By which of x < y, x < z, y < z hold of how far it goes: the axis, and the two after it.
    static const uint8_t orders[8][4] = {{1, 2, 0}, {2, 0, 1}, {1, 2, 0}, {2, 0, 1},
                                         {1, 2, 0}, {2, 0, 1}, {0, 1, 2}, {0, 1, 2}};
    float4_t d = to - from;
    float inverses[4];
    float4_t inverse = prepare_walk(&ray->walk, from, d, Float4_All(0.0f), margin);
    memcpy(inverses, &inverse, sizeof inverses);
    memcpy(ray->from, &from, sizeof from);
    memcpy(ray->d, &d, sizeof d);
    float x = fabsf(d[0]);
    float y = fabsf(d[1]);
    float z = fabsf(d[2]);
    const uint8_t *order = orders[(x < y) | (x < z) << 1 | (y < z) << 2];
    float along = inverses[order[2]];
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        ray->axes[i] = order[i];
        ray->start[i] = ray->from[order[i]];
        ray->shear[i] = i == 2 ? along : ray->d[order[i]] * along;
    }
}

MESH_INLINE void prepare_ray(ray_t *ray, const mesh_query_t *q) {
    aim_ray(ray, float4_of(q->start), float4_of(q->end), q->margin);
}

/// Which triangles the ray's line crosses, and at which fractions: Woop, Benthin, Wald: Watertight
/// ray/triangle intersection (2013). Triangles that share an edge see the same value of it with the
/// other sign: none lets it through.
MESH_INLINE uint32_t cross_lanes(const ray_t *ray, const mesh_block_t *block, int32_t first,
                                 lanes_t *at) {
    const lanes_t zero = Lanes_All(0.0f);
    const lanes_t sx = Lanes_All(ray->shear[0]);
    const lanes_t sy = Lanes_All(ray->shear[1]);
    lanes3_t c[3];
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes_t v[3];
        MESH_UNROLL
        for (int32_t k = 0; k < 3; k++) {
            int32_t axis = ray->axes[k];
            v[k] = Lanes_Load(&block->corners[i][axis][first]) - Lanes_All(ray->start[k]);
        }
        c[i] = (lanes3_t){v[0] - sx * v[2], v[1] - sy * v[2], v[2]};
    }
    lanes_t u = c[2].x * c[1].y - c[2].y * c[1].x;
    lanes_t v = c[0].x * c[2].y - c[0].y * c[2].x;
    lanes_t w = c[1].x * c[0].y - c[1].y * c[0].x;
    lanes_t det = u + v + w;
    // All on one side, and not flat as the ray sees them.
    lanes_test_t inside = Lanes_LessEqual(zero, Lanes_Min(Lanes_Min(u, v), w)) |
                          Lanes_LessEqual(Lanes_Max(Lanes_Max(u, v), w), zero);
    uint32_t met = Lanes_TestBits(inside & Lanes_Less(zero, Lanes_Abs(det)));
    if (met != 0) {
        *at = (u * c[0].z + v * c[1].z + w * c[2].z) * Lanes_All(ray->shear[2]) / det;
    }
    return met;
}

/// Where the ray meets the triangles' planes, which is more exact than `at`, or that when the two
/// differ: nearly along the plane. But only while the ray is in the triangle's own box by the tree's
/// arithmetic: so neither the order in which nodes are walked can matter, nor who else is asked.
MESH_INLINE lanes_t refined(const ray_t *ray, const mesh_block_t *block, int32_t first, lanes_t at,
                            lanes_t along) {
    lanes_t apart[3];
    lanes_t enter = Lanes_All(-MESH_HUGE);
    lanes_t leave = Lanes_All(MESH_HUGE);
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        apart[i] = (Lanes_Load(&block->corners[0][i][first]) - Lanes_All(ray->from[i])) *
                   Lanes_Load(&block->normals[i][first]);
    }
    lanes_t exact = (apart[0] + apart[1] + apart[2]) / along;
    at = Lanes_Choose(Lanes_Less(Lanes_Abs(exact - at), Lanes_All(1e-4f)), exact, at);
    MESH_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes_t low = Lanes_All(ray->walk.low[i]);
        lanes_t high = Lanes_All(ray->walk.high[i]);
        lanes_t inverse = Lanes_All(ray->walk.inverse[i]);
        lanes_t a = Lanes_Load(&block->corners[0][i][first]);
        lanes_t b = Lanes_Load(&block->corners[1][i][first]);
        lanes_t c = Lanes_Load(&block->corners[2][i][first]);
        lanes_t lo = Lanes_Min(Lanes_Min(a, b), c);
        lanes_t hi = Lanes_Max(Lanes_Max(a, b), c);
        lanes_test_t back = Lanes_Less(inverse, Lanes_All(0.0f));
        enter = Lanes_Max(enter, (Lanes_Choose(back, hi, lo) - low) * inverse);
        leave = Lanes_Min(leave, (Lanes_Choose(back, lo, hi) - high) * inverse);
    }
    at = Lanes_Min(leave, Lanes_Max(enter, at));
    return Lanes_Choose(Lanes_LessEqual(enter, leave), at, Lanes_All(MESH_HUGE));
}

/// Tries the triangles of a block.
MESH_INLINE void ray_block(mesh_query_t *q, const ray_t *ray, const mesh_block_t *block) {
    const lanes_t zero = Lanes_All(0.0f);
    // What is only looked at when there is a hit.
    __builtin_prefetch(&block->normals[1][0]);
    __builtin_prefetch(&block->triangles[0]);
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        lanes_t at;
        uint32_t met = cross_lanes(ray, block, first, &at);
        if (met == 0) {
            continue;
        }
        // How far the point goes along the normals.
        lanes_t along = Lanes_All(ray->d[0]) * Lanes_Load(&block->normals[0][first]) +
                        Lanes_All(ray->d[1]) * Lanes_Load(&block->normals[1][first]) +
                        Lanes_All(ray->d[2]) * Lanes_Load(&block->normals[2][first]);
        if (q->one_sided) {
            met &= ~Lanes_TestBits(Lanes_Less(zero, along));
        }
        float enter[MESH_LANES];
        at = refined(ray, block, first, at, along);
        Lanes_Store(enter, at);
        met &= Lanes_TestBits(Lanes_LessEqual(zero, at) & Lanes_LessEqual(at, Lanes_All(q->enter)));
        for (; met != 0; met &= met - 1) {
            int32_t lane = __builtin_ctz(met);
            if (block->triangles[first + lane] >= 0) {
                take_overlap(q, block, first + lane, enter[lane], enter[lane],
                             (float)MESH_AXIS_NORMAL);
            }
        }
    }
}

/// Leaves out what waits behind the hit. Returns how many are left.
MESH_INLINE int32_t drop_behind(waiting_t *waiting, int32_t count, float enter) {
    int32_t kept = 0;
#if MESH_PACKS
    for (int32_t first = 0; first < count; first += MESH_WIDTH) {
        int32_t left = count - first;
        uint32_t used = left < MESH_WIDTH ? (1u << left) - 1 : (1u << MESH_WIDTH) - 1;
        lanes_t at = Lanes_Load(&waiting->at[first]);
        used &= Lanes_TestBits(Lanes_LessEqual(at, Lanes_All(enter)));
        packing_t packing = Lanes_Packing(used);
        Lanes_StorePacked(&waiting->children[kept], &waiting->children[first], packing);
        Lanes_StorePacked(&waiting->at[kept], &waiting->at[first], packing);
        kept += __builtin_popcount(used);
    }
#else
    for (int32_t i = 0; i < count; i++) {
        waiting->children[kept] = waiting->children[i];
        waiting->at[kept] = waiting->at[i];
        kept += waiting->at[i] <= enter;
    }
#endif
    return kept;
}

/// Asks the tree. Nothing that waits is behind what was met.
MESH_INLINE void ray_tree(mesh_query_t *q, const ray_t *ray) {
    const mesh_t *mesh = q->mesh;
    waiting_t waiting;
    // Below all others: what comes up when nothing waits.
    waiting.children[0] = MESH_NO_CHILD;
    waiting.at[0] = 0.0f;
    int32_t count = 1;
    int32_t child = 0;
    while (true) {
        while (child >= 0) {
            const mesh_node_t *node = &mesh->nodes[child];
            passage_t passage;
            uint32_t met = meet_node(q, &ray->walk, node, &passage);
            // A branch: that it is guessed saves more than a wrong guess costs.
            child = met != 0 ? go_down(mesh, &waiting, &count, node, &passage, met)
                             : waiting.children[--count];
        }
        if (child == MESH_NO_CHILD) {
            return;
        }
        float before = q->enter;
        ray_block(q, ray, &mesh->blocks[-1 - child]);
        if (q->enter != before) {
            count = drop_behind(&waiting, count, q->enter);
        }
        child = waiting.children[--count];
    }
}

MESH_TARGET static void ray(mesh_query_t *q) {
    ray_t ray;
    prepare_ray(&ray, q);
    ray_tree(q, &ray);
}

MESH_INLINE float largest_of(float4_t v) {
    float x = fabsf(v[0]);
    float y = fabsf(v[1]);
    float z = fabsf(v[2]);
    float xy = x > y ? x : y;
    return xy > z ? xy : z;
}

/// The normal of the triangle that was met, against the motion, by the operations of met_normal in
/// mesh.c.
MESH_INLINE vec3_t normal_against(const mesh_query_t *q, const ray_t *ray) {
    const mesh_block_t *block = q->block;
    float4_t n = {block->normals[0][q->lane], block->normals[1][q->lane],
                  block->normals[2][q->lane], 0.0f};
    float4_t p = n * n;
    n = n / Float4_All(sqrtf(p[0] + p[1] + p[2]));
    float4_t d;
    memcpy(&d, ray->d, sizeof d);
    p = n * d;
    // Half of all point along the motion: no branch. 0 + x: no negative zeros in answers.
    int4_t along = Float4_All(p[0] + p[1] + p[2]) > Float4_All(0.0f);
    int4_t turned = along & (int4_t)Float4_All(-0.0f);
    n = Float4_All(0.0f) + (float4_t)((int4_t)n ^ turned);
    return Vector(n[0], n[1], n[2]);
}

MESH_TARGET static mesh_hit_t cast(const mesh_t *mesh, float4_t start, float4_t end) {
    ray_t ray;
    mesh_query_t q;
    q.mesh = mesh;
    q.one_sided = (mesh->flags & MESH_ONE_SIDED) != 0;
    q.from = MESH_NOT_IN_SOLID;
    q.in_solid = MESH_NOT_IN_SOLID;
    q.startsolid = false;
    q.enter = 1.0f;
    q.triangle = -1;
    q.block = mesh->blocks;
    q.lane = 0;
    if (Float4_Bits(start == end) != 15) {
        float far = largest_of(start) + largest_of(end);
        aim_ray(&ray, start, end, MESH_TREE_MARGIN + MESH_TREE_MARGIN_SHARE * far);
        ray_tree(&q, &ray);
    }
    if (q.triangle < 0) {
        return (mesh_hit_t){.fraction = 1.0f, .triangle = -1};
    }
    return (mesh_hit_t){
        .fraction = q.enter, .normal = normal_against(&q, &ray), .triangle = q.triangle};
}

#endif
