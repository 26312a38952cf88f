/// collide/brush/brush.h - the convex brushes of a model, and exact sweeps of boxes of any size.
//
// Built by brush_build.c, queried through cmodel.h.
// Units:   qu, in model space unless a function takes a pose.
// Memory:  views of the map's arrays, const after loading.
// Repeat:  bit-identical on every supported compiler (tests/golden/brush.txt).
// Source:  an unturned box hits a brush when its middle reaches the Minkowski sum of both.

#ifndef EDICTD_COLLIDE_BRUSH_H
#define EDICTD_COLLIDE_BRUSH_H

#include "collide/contact.h"
#include "collide/lanes.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

/// Maximum number of sides besides the six axial ones.
#define MAX_BRUSH_SIDES 128

#define MAX_MAP_BRUSHES 262144

/// A plane of a brush. Inside: dot(normal, p) < dist.
typedef struct {
    vec3_t normal;
    float dist;
} brush_plane_t;

typedef enum {
    /// A polygon without volume. Stops sweeps from the front of its first plane and from its edges.
    BRUSH_FACET = 1,
    /// Sky that also stops points.
    BRUSH_STOPS_POINTS = 2,
    /// Glass or a grate: stops points, but not sight.
    BRUSH_SEE_THROUGH = 4
} brush_flags_t;

/// A convex brush: bounds and planes. The planes are first faces that are not axial, then bevels
/// along edges.
typedef struct {
    bounds_t bounds;
    int16_t contents; ///< contents_t
    uint16_t flags;   ///< brush_flags_t
    int32_t first_plane, first_vertex, first_edge;
    uint16_t num_faces, num_planes; ///< num_planes includes the faces
    uint16_t num_vertices, num_edges;
} cbrush_t;

_Static_assert(sizeof(cbrush_t) == 48, "cbrush_t must have no padding");

/// A node with four children. bounds: four lower x, y, z, then four upper x, y, z. Child c < 0 is
/// brush -1 - c; BRUSH_NO_CHILD is none.
typedef struct {
    lanes_t bounds[6];
    int32_t children[4];
} brush_node_t;

#define BRUSH_NO_CHILD INT32_MIN

/// The brushes of a model, as a tree.
typedef struct brush_list_s {
    const cbrush_t *brushes;
    const brush_plane_t *planes;
    const vec3_t *vertices; ///< corners of the brushes
    const vec3_t *edges;    ///< unit vectors along edges; parallel edges of a brush share one
    const brush_node_t *nodes;
    int32_t root; ///< node or brush, coded like a child
    bool exists;  ///< false if the map has no list for this model
} brush_list_t;

/// Returns true if these contents stop a box, or a point if for_point is set. Ignores
/// BRUSH_STOPS_POINTS.
static inline bool CM_IsBrushSolid(int32_t contents, bool for_point) {
    return contents == CONTENTS_SOLID ||
           (!for_point && (contents == CONTENTS_SKY || contents == CONTENTS_CLIP));
}

/// Sweeps an axis-aligned box in world space. Stops CM_DIST_EPSILON before the first brush, never
/// in solid. If the sweep starts in solid and never leaves it, contents is CONTENTS_SOLID;
/// otherwise a point's contents are those of endpos. A box thinner than BRUSH_MIN_WIDTH is widened
/// to it. If the widened box starts in solid, the sweep uses the given box.
trace_t CM_BrushTrace(const brush_list_t *list, const cm_pose_t *pose, vec3_t start, vec3_t end,
                      vec3_t mins, vec3_t maxs);

/// Returns true if the box overlaps the inside of a brush, or of a solid brush if solid_only is
/// set.
bool CM_BrushTouches(const brush_list_t *list, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                     vec3_t maxs, bool solid_only);

/// Returns the contents at a point in model space: the first of solid, lava, slime, water and
/// ladder, otherwise empty.
contents_t CM_BrushContents(const brush_list_t *list, vec3_t point);

/// Returns a brush with these contents that overlaps a box in model space, or NULL.
const cbrush_t *CM_BrushAround(const brush_list_t *list, bounds_t box, contents_t contents);

/// Returns true if a box in model space may overlap a brush with BRUSH_SEE_THROUGH.
bool CM_BrushSeeThrough(const brush_list_t *list, bounds_t box);

/// Like CM_Overlap. Each overlapping solid brush gives one contact, at the face with the least
/// depth.
int32_t CM_BrushOverlap(const brush_list_t *list, const cm_pose_t *pose, bounds_t box,
                        cm_contact_t *contacts, int32_t max);

/// Minimum width of a swept box. Thinner boxes fall through where two brushes touch.
#define BRUSH_MIN_WIDTH 0.03125f // qu

#endif
