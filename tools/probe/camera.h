/// probe/camera.h - draws a map as a camera sees it, with a collision trace per pixel.

#ifndef EDICTD_PROBE_CAMERA_H
#define EDICTD_PROBE_CAMERA_H

#include "collide/cmodel.h"
#include "probe/image.h"
#include "probe/thing.h"

typedef struct {
    vec3_t eye, forward, right, up; ///< axes of unit length
    float scale;                    ///< pixels per qu at a distance of 1 qu
    float width, height;            ///< size of the picture, pixels
    float cut_z;                    ///< hides everything above this z, qu
    bounds_t box;                   ///< box to sweep along each ray; empty = a point
    int32_t solids;                 ///< cm_solids_t
} camera_t;

/// Returns a camera at `eye` that looks at a point. `fov`: horizontal field of view, degrees.
camera_t Camera_LookAt(vec3_t eye, vec3_t at, float fov, const image_t *image);

/// Returns a camera that looks down at a slant and shows all of `box`.
camera_t Camera_Overview(bounds_t box, float fov, const image_t *image);

/// Draws the map, the brush entities and the hitboxes of models.
void Camera_Draw(const camera_t *camera, const cmap_t *map, const things_t *things, image_t *image);

/// Draws a line in the map. Parts behind a wall are faint. `radius`: half the width, pixels.
void Camera_Line(const camera_t *camera, image_t *image, vec3_t from, vec3_t to, float radius,
                 vec3_t colour);

/// Draws the visible edges of a rotated box.
void Camera_Box(const camera_t *camera, image_t *image, const turned_box_t *box, float radius,
                vec3_t colour);

#endif
