/// collide/mesh_local.h - a query of a mesh under way, and who answers it. Inside of collide/ only.
//
// Floor:   collide.
// Units:   qu; fractions of the sweep.
// Memory:  one query on the stack of who asks.

#ifndef EDICTD_COLLIDE_MESH_LOCAL_H
#define EDICTD_COLLIDE_MESH_LOCAL_H

#include "collide/mesh_layout.h"

/// Places that wait on a walk: seven for each level, and the eight of the last.
enum { MESH_STACK = (MESH_WIDTH - 1) * MESH_MAX_DEPTH + MESH_WIDTH };

/// Directions along which a box and a triangle may be apart: the triangle's normal, the box's three
/// axes, then the cross of edge i with axis j is MESH_AXIS_CROSS + 3 * i + j.
enum { MESH_AXIS_NORMAL, MESH_AXIS_FACE, MESH_AXIS_CROSS = 4, NUM_MESH_AXES = 13 };

/// Blocks that a query remembers.
enum { MESH_MAX_CLOSE = 8 };

/// mesh_query_t.from of a sweep that is not in solid.
#define MESH_NOT_IN_SOLID (-1.0f)

/// A box and its way, and what it met.
typedef struct {
    const mesh_t *mesh;
    bool turned, one_sided;
    // In the mesh's space: the box's middle, the far end of its way, and how far the box reaches.
    vec3_t start, end, reach;
    // In the box's space, whose axes are the world's: where it goes (of a box that stands: back to
    // where it came from), and half of its size; and that widened by what rounding may hide.
    vec3_t move, half, wide;
    vec3_t axes[3]; // the mesh's axes in the world, when turned
    // For the boxes of the tree: see prepare in mesh.c.
    float inverse[4], low[4], high[4]; // the fourth of each is of no use
    int32_t near[4], far[4];
    // For rays: the axis along which it goes farthest and the two others, and the shear that makes
    // it run along that axis.
    int32_t ray_axes[3];
    float shear[3], ray_start[3]; // ray_start: along those axes
    float
        bias; // fraction: a direction that is met less later than this gives way to an earlier one
    float from; // up to here it is in solid; MESH_NOT_IN_SOLID: not
    // Answers.
    float enter;      // where it meets the first triangle after `from`; 1 when there is none
    int32_t triangle; // and which; -1 none
    const mesh_block_t *block;
    int32_t lane, axis; // where that triangle lies, and the direction it is met along
    float in_solid;     // up to here it is in solid, with what was found on this walk
    bool startsolid;    // the start overlaps a triangle
    // Blocks with a triangle that it met or passed so closely that rounding decides: more than
    // MESH_MAX_CLOSE are counted, not kept.
    int32_t num_close;
    const mesh_block_t *close[MESH_MAX_CLOSE];
} mesh_query_t;

/// Who answers: the same code for one, four or eight lanes (mesh_kernel.h).
typedef struct {
    /// The first triangle after query->from that the box meets, or, with from MESH_NOT_IN_SOLID,
    /// whether it starts overlapping one (then the walk ends at once).
    void (*sweep)(mesh_query_t *query);
    /// The same for a point.
    void (*ray)(mesh_query_t *query);
    /// True when the box, where it starts, overlaps a triangle.
    bool (*touches)(const mesh_query_t *query);
    /// The same, of these blocks only.
    bool (*touches_close)(const mesh_query_t *query, const mesh_block_t *const *blocks,
                          int32_t count);
    /// The contacts of the box where it starts; as CM_MeshOverlap.
    int32_t (*overlap)(const mesh_query_t *query, cm_contact_t *contacts, int32_t max);
    /// True when a line straight up from query->start crosses the triangles an odd number of times.
    bool (*inside)(const mesh_query_t *query);
} mesh_ops_t;

extern const mesh_ops_t CM_MeshOps4; // mesh_lanes4.c: for any CPU
#ifdef __x86_64__
extern const mesh_ops_t CM_MeshOps8; // mesh_lanes8.c: for CPUs with AVX2 and BMI2
#endif

/// The fastest that this CPU runs.
static inline const mesh_ops_t *CM_MeshOps(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        return &CM_MeshOps8;
    }
#endif
    return &CM_MeshOps4;
}

/// A query of a box where a mesh stands. `start` and `end` are the box's origin's.
void CM_MeshQuery(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose, bounds_t way,
                  bounds_t size);

/// The public questions, asked of any of the answerers: tests compare them.
mesh_hit_t CM_MeshSweepBy(const mesh_ops_t *ops, mesh_query_t *query, const cm_pose_t *pose);

/// The direction of one of the axes for a triangle of a block, as it stands in the world; unit.
vec3_t CM_MeshAxis(const mesh_query_t *query, const mesh_block_t *block, int32_t lane,
                   int32_t axis);

/// Deepest first, of equally deep ones the lower number first. Returns how many there are now.
int32_t CM_AddMeshContact(cm_contact_t *contacts, int32_t count, int32_t max,
                          const cm_contact_t *more);

#endif
