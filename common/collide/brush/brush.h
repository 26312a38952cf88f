/// collide/brush/brush.h - a model's convex brushes, and boxes of any size swept against them exactly.
//
// Floor:   collide. Built by brush_build.c, asked through cmodel.
// Units:   qu, in the model's own space unless a pose is taken.
// Memory:  views of arrays that somebody else owns; const after loading.
// Repeat:  bit-identical on every supported compiler (tests/golden/brush.txt).
// Source:  a box that moves without turning meets a brush where its middle meets their Minkowski
//          sum, whose faces have the normals of the brush's faces, of the box's faces, and of the
//          planes that an edge of the one and an edge of the other span.

#ifndef EDICTD_COLLIDE_BRUSH_H
#define EDICTD_COLLIDE_BRUSH_H

#include "collide/contact.h"
#include "collide/float4.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

/// Most sides of a brush beside its six axial ones.
#define MAX_BRUSH_SIDES 128

/// Most brushes of a map, all models together.
#define MAX_MAP_BRUSHES 262144

/// The inside of a plane is where dot(normal, p) < dist.
typedef struct {
    vec3_t normal;
    float dist;
} brush_plane_t;

typedef enum {
    /// A piece of a surface, as thin as nothing: stops only what comes from the front of its first
    /// plane or from the side; nothing is ever inside of it.
    BRUSH_FACET = 1,
    /// Sky that is solid to points as well (Quake II's and III's).
    BRUSH_STOPS_POINTS = 2
} brush_flags_t;

/// A convex brush: its bounds are six of its planes, the others lie in the list. Behind the faces
/// lie the bevels: planes that touch the brush along an edge, and that a box meets there.
typedef struct {
    bounds_t bounds;
    int16_t contents; ///< contents_t
    uint16_t flags;   ///< brush_flags_t
    int32_t first_plane, first_vertex, first_edge;
    uint16_t num_faces, num_planes; ///< faces, and faces with bevels
    uint16_t num_vertices, num_edges;
} cbrush_t;

_Static_assert(sizeof(cbrush_t) == 48, "no padding");

/// Four boxes side by side: bounds[axis] their lower, bounds[3 + axis] their upper faces.
/// children: >= 0 a node; < 0 brush -1 - child; BRUSH_NO_CHILD none.
typedef struct {
    float4_t bounds[6];
    int32_t children[4];
} brush_node_t;

#define BRUSH_NO_CHILD INT32_MIN

/// A model's brushes: a tree of boxes over arrays that all models of a map share.
typedef struct {
    const cbrush_t *brushes;
    const brush_plane_t *planes;
    const vec3_t *vertices; ///< corners of brushes
    const vec3_t *edges;    ///< unit vectors along edges, each direction of a brush once
    const brush_node_t *nodes;
    int32_t root;     ///< as a child
    bool exists;      ///< false: the map has no list for this model
    bool has_volumes; ///< it has brushes that are something to a point, but not solid
} brush_list_t;

/// What boxes and points (boxes of no size) collide with: sky and clip stop boxes only, but see
/// BRUSH_STOPS_POINTS.
static inline bool CM_IsBrushSolid(int32_t contents, bool for_point) {
    return contents == CONTENTS_SOLID ||
           (!for_point && (contents == CONTENTS_SKY || contents == CONTENTS_CLIP));
}

/// Sweeps a box, which is never turned, through the solid brushes of a model that stands at a pose.
/// All places are in the world. A box is taken at least BRUSH_MIN_WIDTH wide on every axis, unless it
/// starts so near to solid that it would be in it. It stops CM_DIST_EPSILON before the first plane it
/// meets, never in solid. One that starts in solid may leave it, and is stopped by the next after
/// that. contents is CONTENTS_SOLID when it never leaves it, else CONTENTS_EMPTY.
trace_t CM_BrushTrace(const brush_list_t *list, const cm_pose_t *pose, vec3_t start, vec3_t end,
                      vec3_t mins, vec3_t maxs);

/// True when the box overlaps the inside of a brush: of solid ones, or of any.
bool CM_BrushTouches(const brush_list_t *list, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                     vec3_t maxs, bool solid_only);

/// What stands at a point of the model's own space: of several, solid before lava, slime, water and
/// ladders. Clip and sky are nothing to a point.
contents_t CM_BrushContents(const brush_list_t *list, vec3_t point);

/// A brush of such contents whose inside a box overlaps, box and brush in the model's own space; of
/// several the first. NULL when there is none.
const cbrush_t *CM_BrushAround(const brush_list_t *list, bounds_t box, contents_t contents);

/// CM_Overlap of the solid brushes of a model: for each that the box overlaps, the face of it or of
/// the box through which the way out is shortest.
int32_t CM_BrushOverlap(const brush_list_t *list, const cm_pose_t *pose, bounds_t box,
                        cm_contact_t *contacts, int32_t max);

/// A box as wide as this does not fall through where two brushes share a face.
#define BRUSH_MIN_WIDTH 0.03125f // qu

#endif
