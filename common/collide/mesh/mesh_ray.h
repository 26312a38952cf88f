/// collide/mesh/mesh_ray.h - tests a moving point against the triangles of a block. Private to
/// collide/mesh/.
//
// Units:   qu, the mesh's space; fractions of the motion.
// Source:  Woop, Benthin, Wald: Watertight ray/triangle intersection (2013).

#ifndef EDICTD_COLLIDE_MESH_RAY_H
#define EDICTD_COLLIDE_MESH_RAY_H

#include "collide/mesh/mesh_triangle.h"
#include "collide/mesh/mesh_walk.h"

/// A ray, and the shear that aligns it with its largest axis, axes[2].
typedef struct {
    float from[3], d[3];
    int32_t axes[3];
    float start[3], shear[3]; // in the order of `axes`
} ray_t;

static inline void prepare_ray(ray_t *ray, const mesh_query_t *q, const walk_t *walk) {
    const vec3_t d = VectorSubtract(q->end, q->start);
    const float from[3] = {q->start.x, q->start.y, q->start.z};
    const float to[3] = {d.x, d.y, d.z};
    float x = fabsf(d.x);
    float y = fabsf(d.y);
    float z = fabsf(d.z);
    // The bits of the index are the results of x < y, x < z and y < z.
    static const uint8_t largest[8] = {0, 1, 2, 1, 0, 2, 2, 2};
    static const uint8_t cycle[6] = {0, 1, 2, 0, 1, 2};
    int32_t last = largest[(x < y) | (x < z) << 1 | (y < z) << 2];
    float along = walk->inverse[last];
    memcpy(ray->from, from, sizeof from);
    memcpy(ray->d, to, sizeof to);
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        int32_t axis = cycle[last + 1 + i];
        ray->axes[i] = axis;
        ray->start[i] = from[axis];
        ray->shear[i] = i == 2 ? along : to[axis] * along;
    }
}

/// Returns one bit per triangle that the line crosses, and the fractions. A line never passes
/// between triangles that share an edge.
LANES_INLINE uint32_t cross_lanes(const ray_t *ray, const mesh_block_t *block, int32_t first,
                                  lanes_t *at) {
    const lanes_t zero = Lanes_All(0.0f);
    const lanes_t sx = Lanes_All(ray->shear[0]);
    const lanes_t sy = Lanes_All(ray->shear[1]);
    lanes3_t c[3];
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes_t v[3];
        LANES_UNROLL
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
    // The line crosses the triangle if u, v and w have one sign and the triangle is not edge-on.
    lanes_mask_t inside =
        (zero <= Lanes_Min(Lanes_Min(u, v), w)) | (Lanes_Max(Lanes_Max(u, v), w) <= zero);
    uint32_t hit = Lanes_Bits(inside & (zero < Lanes_Abs(det)));
    if (hit != 0) {
        *at = (u * c[0].z + v * c[1].z + w * c[2].z) * Lanes_All(ray->shear[2]) / det;
    }
    return hit;
}

/// Returns the fractions of the hits with the triangles' planes, which are more exact than `at`.
/// Keeps `at` if they differ by 1e-4: the ray is then nearly parallel. Clamps to the triangle's
/// box, so that the order of the walk changes nothing. `along`: motion * normal.
LANES_INLINE lanes_t refined(const ray_t *ray, const walk_t *walk, const mesh_block_t *block,
                             int32_t first, lanes_t at, lanes_t along) {
    lanes_t apart[3];
    lanes_t enter = Lanes_All(-MESH_HUGE);
    lanes_t leave = Lanes_All(MESH_HUGE);
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        apart[i] = (Lanes_Load(&block->corners[0][i][first]) - Lanes_All(ray->from[i])) *
                   Lanes_Load(&block->normals[i][first]);
    }
    lanes_t exact = (apart[0] + apart[1] + apart[2]) / along;
    at = Lanes_Select(Lanes_Abs(exact - at) < Lanes_All(1e-4f), exact, at);
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lanes_t low = Lanes_All(walk->low[i]);
        lanes_t high = Lanes_All(walk->high[i]);
        lanes_t inverse = Lanes_All(walk->inverse[i]);
        lanes_t a = Lanes_Load(&block->corners[0][i][first]);
        lanes_t b = Lanes_Load(&block->corners[1][i][first]);
        lanes_t c = Lanes_Load(&block->corners[2][i][first]);
        lanes_t lo = Lanes_Min(Lanes_Min(a, b), c);
        lanes_t hi = Lanes_Max(Lanes_Max(a, b), c);
        lanes_mask_t back = inverse < Lanes_All(0.0f);
        enter = Lanes_Max(enter, (Lanes_Select(back, hi, lo) - low) * inverse);
        leave = Lanes_Min(leave, (Lanes_Select(back, lo, hi) - high) * inverse);
    }
    at = Lanes_Min(leave, Lanes_Max(enter, at));
    return Lanes_Select(enter <= leave, at, Lanes_All(MESH_HUGE));
}

#endif
