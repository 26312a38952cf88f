/// collide/mesh/mesh_triangle.h - triangles as SIMD vectors, one per lane, and their projections
/// onto the axes that may separate them from a box. Private to collide/mesh/.
//
// Units:   qu, relative to the box's centre before it moves.
// Repeat:  four and eight lanes compute exactly the same numbers.
// Source:  Akenine-Moeller: Fast 3D triangle-box overlap testing (2001).

#ifndef EDICTD_COLLIDE_MESH_TRIANGLE_H
#define EDICTD_COLLIDE_MESH_TRIANGLE_H

#include "collide/lanes.h"
#include "collide/mesh/mesh_query.h"

/// One 3-D vector per lane.
typedef struct {
    lanes_t x, y, z;
} lanes3_t;

/// Triangles in the box's space: corners, edges (edge i starts at corner i) and normals.
typedef struct {
    lanes3_t corners[3], edges[3], normal;
} triangle_lanes_t;

/// The intervals of triangles along an axis.
typedef struct {
    lanes_t lo, hi;
} span_t;

// Far below and far above every coordinate and length of a mesh.
#define MESH_TINY 1e-30f
#define MESH_HUGE 1e30f

LANES_INLINE lanes3_t lanes3_load(const float from[3][MESH_WIDTH], int32_t lane) {
    return (lanes3_t){Lanes_Load(&from[0][lane]), Lanes_Load(&from[1][lane]),
                      Lanes_Load(&from[2][lane])};
}

LANES_INLINE lanes3_t lanes3_all(vec3_t v) {
    return (lanes3_t){Lanes_All(v.x), Lanes_All(v.y), Lanes_All(v.z)};
}

LANES_INLINE lanes3_t lanes3_subtract(lanes3_t a, lanes3_t b) {
    return (lanes3_t){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE lanes_t lanes3_dot(lanes3_t a, lanes3_t b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE lanes3_t lanes3_abs(lanes3_t a) {
    return (lanes3_t){Lanes_Abs(a.x), Lanes_Abs(a.y), Lanes_Abs(a.z)};
}

/// Rotates from mesh to box space.
LANES_INLINE lanes3_t lanes3_turn(const mesh_query_t *q, lanes3_t v) {
    lanes3_t f = lanes3_all(q->axes[0]);
    lanes3_t l = lanes3_all(q->axes[1]);
    lanes3_t u = lanes3_all(q->axes[2]);
    return (lanes3_t){f.x * v.x + l.x * v.y + u.x * v.z, f.y * v.x + l.y * v.y + u.y * v.z,
                      f.z * v.x + l.z * v.y + u.z * v.z};
}

/// Loads triangles of a block from `lane` on. In an unturned mesh, edges come from the stored
/// corners, which is more exact.
LANES_INLINE void load_triangles(triangle_lanes_t *t, const mesh_query_t *q,
                                 const mesh_block_t *block, int32_t lane, bool turned) {
    lanes3_t start = lanes3_all(q->start);
    lanes3_t stored[3];
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        stored[i] = lanes3_load(block->corners[i], lane);
        t->corners[i] = lanes3_subtract(stored[i], start);
    }
    t->normal = lanes3_load(block->normals, lane);
    if (turned) {
        LANES_UNROLL
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

LANES_INLINE lanes_t axis_of(lanes3_t v, int32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

LANES_INLINE span_t span_of(lanes_t a, lanes_t b) {
    return (span_t){Lanes_Min(a, b), Lanes_Max(a, b)};
}

LANES_INLINE span_t face_span(const triangle_lanes_t *t, int32_t axis) {
    lanes_t a = axis_of(t->corners[0], axis);
    lanes_t b = axis_of(t->corners[1], axis);
    lanes_t c = axis_of(t->corners[2], axis);
    return (span_t){Lanes_Min(Lanes_Min(a, b), c), Lanes_Max(Lanes_Max(a, b), c)};
}

/// Returns dot(v, cross(e, axis)). For the x axis, cross(e, x) is (0, ez, -ey).
LANES_INLINE lanes_t along_cross(lanes3_t v, lanes3_t e, int32_t axis) {
    return axis == 0   ? v.y * e.z - v.z * e.y
           : axis == 1 ? v.z * e.x - v.x * e.z
                       : v.x * e.y - v.y * e.x;
}

/// Returns the support of a box along cross(edge, axis). `half`: half size. `abs_e`: absolute edge.
/// MESH_TINY keeps a zero product from separating.
LANES_INLINE lanes_t cross_reach(lanes3_t half, lanes3_t abs_e, int32_t axis) {
    lanes_t reach = axis == 0   ? half.y * abs_e.z + half.z * abs_e.y
                    : axis == 1 ? half.z * abs_e.x + half.x * abs_e.z
                                : half.x * abs_e.y + half.y * abs_e.x;
    return reach + Lanes_All(MESH_TINY);
}

/// Projects triangles onto cross(edge, axis). An unturned mesh uses the normal for the third
/// corner.
LANES_INLINE span_t cross_span(const triangle_lanes_t *t, int32_t edge, int32_t axis, bool turned) {
    lanes_t p = along_cross(t->corners[edge], t->edges[edge], axis);
    lanes_t third = turned ? along_cross(t->corners[(edge + 2) % 3], t->edges[edge], axis)
                           : p - axis_of(t->normal, axis);
    return span_of(p, third);
}

/// An axis that may separate box and triangles, of any length, which scales all members.
typedef struct {
    span_t span;         ///< of the triangles
    lanes_t reach, move; ///< support and motion of the box
} axis_lanes_t;

enum { MESH_NUM_AXES = MESH_AXIS_CROSS + 9 };

/// Projects triangles, and a box of half size `half` that moves by `move`.
LANES_INLINE axis_lanes_t project(const triangle_lanes_t *t, lanes3_t half, lanes3_t move,
                                  int32_t axis, bool turned) {
    if (axis == MESH_AXIS_NORMAL) {
        lanes_t p = lanes3_dot(t->normal, t->corners[0]);
        return (axis_lanes_t){
            {p, p}, lanes3_dot(half, lanes3_abs(t->normal)), lanes3_dot(t->normal, move)};
    }
    if (axis < MESH_AXIS_CROSS) {
        int32_t i = axis - MESH_AXIS_FACE;
        return (axis_lanes_t){face_span(t, i), axis_of(half, i), axis_of(move, i)};
    }
    int32_t edge = (axis - MESH_AXIS_CROSS) / 3;
    int32_t i = (axis - MESH_AXIS_CROSS) % 3;
    return (axis_lanes_t){cross_span(t, edge, i, turned),
                          cross_reach(half, lanes3_abs(t->edges[edge]), i),
                          along_cross(move, t->edges[edge], i)};
}

#endif
