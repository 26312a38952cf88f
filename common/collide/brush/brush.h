/// collide/brush/brush.h - the convex brushes of a model, and exact sweeps of boxes of any size.
//
// Floor:   collide. Built by brush_build.c, queried through cmodel.h.
// Units:   qu, in the model's own space unless a pose is taken.
// Memory:  views of arrays that the map owns; const after loading.
// Repeat:  bit-identical on every supported compiler (tests/golden/brush.txt).
// Source:  an unturned box hits a brush where its middle hits their Minkowski sum. The sum's faces
//          have the normals of the brush's faces, of the box's faces, and of the cross products of
//          their edges.

#ifndef EDICTD_COLLIDE_BRUSH_H
#define EDICTD_COLLIDE_BRUSH_H

#include "collide/contact.h"
#include "collide/lanes.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

/// Maximum number of a brush's sides in addition to its six axial ones.
#define MAX_BRUSH_SIDES 128

#define MAX_MAP_BRUSHES 262144

/// A plane of a brush. Points with dot(normal, p) < dist are inside.
typedef struct {
    vec3_t normal;
    float dist;
} brush_plane_t;

typedef enum {
    /// A flat polygon without volume. It stops sweeps that come from the front of its first plane
    /// or from its sides. Nothing is ever inside it.
    BRUSH_FACET = 1,
    /// Sky that also stops points (Quake II and III).
    BRUSH_STOPS_POINTS = 2
} brush_flags_t;

/// A convex brush: its bounds and a list of more planes. The list has the other faces first, then
/// bevels: planes along edges, so that boxes hit the edges.
typedef struct {
    bounds_t bounds;
    int16_t contents; ///< contents_t
    uint16_t flags;   ///< brush_flags_t
    int32_t first_plane, first_vertex, first_edge;
    uint16_t num_faces, num_planes; ///< number of faces; number of faces and bevels
    uint16_t num_vertices, num_edges;
} cbrush_t;

_Static_assert(sizeof(cbrush_t) == 48, "cbrush_t must have no padding");

/// A node with four children. bounds[axis] are the lower faces of their boxes, bounds[3 + axis] the
/// upper ones. children[i] >= 0 is a node, < 0 is brush -1 - children[i], BRUSH_NO_CHILD is none.
typedef struct {
    lanes_t bounds[6];
    int32_t children[4];
} brush_node_t;

#define BRUSH_NO_CHILD INT32_MIN

/// A model's brushes: a tree of boxes over arrays that all models of a map use.
typedef struct brush_list_s {
    const cbrush_t *brushes;
    const brush_plane_t *planes;
    const vec3_t *vertices; ///< corners of the brushes
    const vec3_t *edges;    ///< unit vectors along edges, each direction of a brush once
    const brush_node_t *nodes;
    int32_t root;     ///< coded like a child of a node
    bool exists;      ///< false if the map has no list for this model
    bool has_volumes; ///< true if brushes have contents that do not stop sweeps (water, ladder)
} brush_list_t;

/// Returns true if these contents stop a box or, if for_point is set, a point. Sky and clip stop
/// boxes only, except that sky with BRUSH_STOPS_POINTS stops points too.
static inline bool CM_IsBrushSolid(int32_t contents, bool for_point) {
    return contents == CONTENTS_SOLID ||
           (!for_point && (contents == CONTENTS_SKY || contents == CONTENTS_CLIP));
}

/// Sweeps an axis-aligned box, in world space, through the solid brushes of a model. Stops
/// CM_DIST_EPSILON before the first brush, and never in solid. A sweep that starts in solid may
/// leave it; if it does not, contents is CONTENTS_SOLID. A box thinner than BRUSH_MIN_WIDTH is
/// swept as if it had this width, unless it then starts in solid.
trace_t CM_BrushTrace(const brush_list_t *list, const cm_pose_t *pose, vec3_t start, vec3_t end,
                      vec3_t mins, vec3_t maxs);

/// Returns true if the box overlaps the inside of a brush. solid_only: tests only solid brushes.
bool CM_BrushTouches(const brush_list_t *list, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                     vec3_t maxs, bool solid_only);

/// Returns the contents at a point in the model's space. If brushes overlap, the first of solid,
/// lava, slime, water and ladder counts. Clip and sky do not count.
contents_t CM_BrushContents(const brush_list_t *list, vec3_t point);

/// Returns the first brush with these contents that overlaps a box in the model's space, or NULL.
const cbrush_t *CM_BrushAround(const brush_list_t *list, bounds_t box, contents_t contents);

/// Implements CM_Overlap for the solid brushes of a model. Each overlapping brush gives one
/// contact, at the face of the brush or of the box with the least penetration depth.
int32_t CM_BrushOverlap(const brush_list_t *list, const cm_pose_t *pose, bounds_t box,
                        cm_contact_t *contacts, int32_t max);

/// Minimum width of a swept box. A thinner box could fall through where two brushes touch.
#define BRUSH_MIN_WIDTH 0.03125f // qu

#endif
