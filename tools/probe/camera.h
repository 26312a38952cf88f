/// probe/camera.h - looks at a map: a ray for every pixel, asked of the collision code itself, so
/// that what is seen is what stops a point or a box.
//
// Floor:   tools.
// Units:   qu, degrees.
// Memory:  none of its own.

#ifndef EDICTD_PROBE_CAMERA_H
#define EDICTD_PROBE_CAMERA_H

#include "collide/cmodel.h"
#include "probe/image.h"
#include "probe/thing.h"

typedef struct {
    vec3_t eye, forward, right, up; ///< axes of unit length
    float scale;                    ///< pixels of a qu at distance 1
    float width, height;            ///< pixels
    float cut_z;                    ///< what is higher is not seen
    bounds_t box;                   ///< that is swept along the rays: what it would touch
    int32_t solids;                 ///< cm_solids_t
} camera_t;

/// A camera at `eye` that looks at a point, fov degrees wide, for an image.
camera_t Camera_LookAt(vec3_t eye, vec3_t at, float fov, const image_t *image);

/// A camera that sees a box from above at a slant.
camera_t Camera_Overview(bounds_t box, float fov, const image_t *image);

/// Draws the map, its brush entities, and hitboxes in the colours of their groups.
void Camera_Draw(const camera_t *camera, const cmap_t *map, const things_t *things, image_t *image);

/// Draws a line of spots; what is hidden shows faintly.
void Camera_Line(const camera_t *camera, image_t *image, vec3_t from, vec3_t to, float radius,
                 vec3_t colour);

/// Draws those edges of a turned box that are not behind it.
void Camera_Box(const camera_t *camera, image_t *image, const turned_box_t *box, float radius,
                vec3_t colour);

#endif
