/// probe/camera.h - draws the view of a camera in a map. Each pixel is one collision trace, so the
/// picture shows what stops a point or a box.
//
// Memory:  none; the caller owns the picture.

#ifndef EDICTD_PROBE_CAMERA_H
#define EDICTD_PROBE_CAMERA_H

#include "collide/cmodel.h"
#include "probe/image.h"
#include "probe/thing.h"

typedef struct {
    vec3_t eye, forward, right, up; ///< axes of unit length
    float scale;                    ///< pixels per qu at a distance of 1 qu
    float width, height;            ///< qu; everything above this height is hidden
    float cut_z;                    ///< box swept along each ray; if empty, a point is swept
    bounds_t box;                   ///< swept along each ray; empty: a point
    int32_t solids;                 ///< cm_solids_t
} camera_t;

/// Returns a camera at `eye` that looks at a point. `fov`: horizontal field of view, degrees.
camera_t Camera_LookAt(vec3_t eye, vec3_t at, float fov, const image_t *image);

/// Returns a camera that shows the whole box from above, at a slant.
camera_t Camera_Overview(bounds_t box, float fov, const image_t *image);

/// Draws the map, its brush entities, and hitboxes in the colours of their groups.
void Camera_Draw(const camera_t *camera, const cmap_t *map, const things_t *things, image_t *image);

/// Draws a line as a row of spots. Hidden parts are faint.
void Camera_Line(const camera_t *camera, image_t *image, vec3_t from, vec3_t to, float radius,
                 vec3_t colour);

/// Draws the visible edges of a rotated box.
void Camera_Box(const camera_t *camera, image_t *image, const turned_box_t *box, float radius,
                vec3_t colour);

#endif
