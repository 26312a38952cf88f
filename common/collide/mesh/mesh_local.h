/// collide/mesh/mesh_local.h - a query of a mesh under way, and who answers it. Inside of collide/ only.
//
// Floor:   collide.
// Units:   qu; fractions of the sweep.
// Memory:  one query on the stack of who asks.

#ifndef EDICTD_COLLIDE_MESH_LOCAL_H
#define EDICTD_COLLIDE_MESH_LOCAL_H

#include "collide/float4.h"
#include "collide/mesh/mesh_layout.h"

/// Places that wait on a walk: seven for each level, and the eight of the last.
enum { MESH_STACK = (MESH_WIDTH - 1) * MESH_MAX_DEPTH + MESH_WIDTH };

/// Directions along which a box and a triangle may be apart: the triangle's normal, the box's three
/// axes, then the cross of edge i with axis j is MESH_AXIS_CROSS + 3 * i + j.
enum { MESH_AXIS_NORMAL, MESH_AXIS_FACE, MESH_AXIS_CROSS = 4, NUM_MESH_AXES = 13 };

/// Boxes of the tree are this much wider for the walk, and by this share of the largest coordinate:
/// rounding never loses a triangle.
#define MESH_TREE_MARGIN       0.015625f // qu
#define MESH_TREE_MARGIN_SHARE 2e-6f

/// Blocks that a query remembers.
enum { MESH_MAX_CLOSE = 8 };

/// Triangles met that a query of a gather remembers.
enum { MESH_MAX_MET = 24 };

/// A triangle that a sweep overlaps from enter to leave, and the direction it is met along.
typedef struct {
    const mesh_block_t *block;
    int32_t lane;
    float enter, leave, axis;
} mesh_met_t;

/// mesh_query_t.from of a sweep that is not in solid.
#define MESH_NOT_IN_SOLID (-1.0f)

/// A box and its way, and what it met.
typedef struct {
    const mesh_t *mesh;
    // Where not NULL, only these blocks of it are asked (mesh_gather.h); a bit for each.
    const struct mesh_gather_t *gather;
    uint32_t near_blocks;
    bool turned, one_sided;
    // In the mesh's space: the box's middle, the far end of its way, and how far the box reaches.
    vec3_t start, end, reach;
    // In the box's space, whose axes are the world's: where it goes (of a box that stands: back to
    // where it came from), and half of its size; and that widened by what rounding may hide.
    vec3_t move, half, wide;
    vec3_t axes[3]; // the mesh's axes in the world, when turned
    float margin;   // boxes of the tree are this much wider for a sweep
    // Fraction: a direction that is met less later than this gives way to an earlier one.
    float bias;
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
    // Of a gather: what is met on all of the way, found once; -1: not yet; more than MESH_MAX_MET are
    // looked for each time.
    int32_t num_met, num_met_close;
    mesh_met_t met[MESH_MAX_MET];
} mesh_query_t;

/// Who answers: the same code for one, four or eight lanes (mesh_kernel.h).
typedef struct {
    /// The first triangle after query->from that the box meets, or, with from MESH_NOT_IN_SOLID,
    /// whether it starts overlapping one (then the walk ends at once).
    void (*sweep)(mesh_query_t *query);
    /// The same for a point.
    void (*ray)(mesh_query_t *query);
    /// What a point meets on its way through an unturned mesh, in the mesh's space; the fourth of each
    /// is 0. The same as of a query, which takes a fourth of a ray's time to make and to read.
    mesh_hit_t (*cast)(const mesh_t *mesh, float4_t start, float4_t end);
    /// True when the box, where it starts, overlaps a triangle.
    bool (*touches)(const mesh_query_t *query);
    /// The same, of these blocks only.
    bool (*touches_close)(const mesh_query_t *query, const mesh_block_t *const *blocks,
                          int32_t count);
    /// The contacts of the box where it starts; as CM_MeshOverlap.
    int32_t (*overlap)(const mesh_query_t *query, cm_contact_t *contacts, int32_t max);
    /// True when a line straight up from query->start crosses the triangles an odd number of times.
    bool (*inside)(const mesh_query_t *query);
    /// The blocks of gather->mesh that have triangles in a box wider by a margin. False: they are more
    /// than fit.
    bool (*collect)(struct mesh_gather_t *gather, bounds_t box, float margin);
    /// The blocks of a gather one of whose triangles a box comes near: a bit for each.
    uint32_t (*near)(const struct mesh_gather_t *gather, const bounds_t *box);
    /// As those above, of the blocks query->near_blocks of query->gather; for unturned meshes.
    void (*sweep_near)(mesh_query_t *query);
    void (*ray_near)(mesh_query_t *query);
    bool (*touches_near)(const mesh_query_t *query);
    int32_t (*overlap_near)(const mesh_query_t *query, cm_contact_t *contacts, int32_t max);
} mesh_ops_t;

extern const mesh_ops_t CM_MeshOps4; // mesh_lanes4.c: for any CPU
#ifdef __x86_64__
extern const mesh_ops_t CM_MeshOps8;      // mesh_lanes8.c: for CPUs with AVX2, BMI2 and FMA
extern const mesh_ops_t CM_MeshOps8Masks; // mesh_lanes8m.c: and AVX-512
#endif

/// The fastest that this CPU runs.
static inline const mesh_ops_t *CM_MeshOps(void) {
#ifdef __x86_64__
    // A CPU that has these three also has what they build on.
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
        return &CM_MeshOps8Masks;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma")) {
        return &CM_MeshOps8;
    }
#endif
    return &CM_MeshOps4;
}

/// A query of a box where a mesh stands. `start` and `end` are the box's origin's.
/// (Bounds that are handed over by value are copied in memory: longer than all of the rest takes.)
void CM_MeshQuery(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose,
                  const bounds_t *way, const bounds_t *size);

/// The same of a box that stands.
void CM_MeshStand(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin,
                  const bounds_t *size);

/// CM_MeshTrace with a query that was made of `way` and `size`.
trace_t CM_MeshTraceBy(mesh_query_t *query, const cm_pose_t *pose, const bounds_t *way,
                       const bounds_t *size);

/// A query of a point.
static inline bool CM_MeshIsPoint(const mesh_query_t *query) {
    return VectorCompare(query->half, Vector(0.0f, 0.0f, 0.0f));
}

/// Only these blocks of a gather of the query's mesh are asked.
static inline void CM_MeshAskNear(mesh_query_t *query, const struct mesh_gather_t *gather,
                                  uint32_t near_blocks) {
    query->gather = gather;
    query->near_blocks = near_blocks;
    query->num_met = -1;
}

/// The public questions, asked of any of the answerers: tests compare them.
mesh_hit_t CM_MeshSweepBy(const mesh_ops_t *ops, mesh_query_t *query, const cm_pose_t *pose);

/// The direction of one of the axes for a triangle of a block, as it stands in the world; unit.
vec3_t CM_MeshAxis(const mesh_query_t *query, const mesh_block_t *block, int32_t lane,
                   int32_t axis);

/// Deepest first, of equally deep ones the lower number first. Returns how many there are now.
int32_t CM_AddMeshContact(cm_contact_t *contacts, int32_t count, int32_t max,
                          const cm_contact_t *more);

#endif
