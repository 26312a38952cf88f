/// collide/occluder.h - brushes that hide places from others.
//
// Except in maps of Quake II and III, the occluder of a brush with six axial faces is a box: the
// brush's bounds, grown as long as everything in it is solid. Compilers and bsp/recover.c cut walls
// into small brushes; a grown box hides what many of them hide together.
//
// Memory:  boxes belong to the map; the server makes them once, when it loads the map.

#ifndef EDICTD_COLLIDE_OCCLUDER_H
#define EDICTD_COLLIDE_OCCLUDER_H

#include "collide/brush/brush.h"
#include "collide/cmodel.h"

#define OCCLUDER_MARGIN 0.25f // qu; recovered brushes may be larger than the hull by that

/// A brush that hides places. brush -1 = none.
typedef struct {
    int32_t model;
    int32_t brush; ///< index in the brush list of the model
    vec3_t origin; ///< of the model in the world
} cm_occluder_t;

/// Grows the boxes of the world's brushes, for programs that call CM_Hides often. Before, and
/// without memory, brushes hide as far as their bounds. Costs 6 to 13 us a brush.
/// After about 0.1 s, further brushes keep their bounds.
void CM_GrowOccluders(cmap_t *map);

/// Returns the solid brush of an object at or near a point; none if the object is turned.
cm_occluder_t CM_OccluderAt(const cmap_t *map, const cm_object_t *object, vec3_t point);

/// Returns true if a line passes through an occluder, deeper than OCCLUDER_MARGIN.
bool CM_Hides(const cmap_t *map, const cm_occluder_t *occluder, vec3_t from, vec3_t to);

/// Writes the planes of an occluder in world space. Returns their number; 0 if there are more than
/// `max`.
int32_t CM_OccluderFaces(const cmap_t *map, const cm_occluder_t *occluder, brush_plane_t *faces,
                         int32_t max);

#endif
