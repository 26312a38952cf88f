/// probe/camera.h - draws a map as a camera sees it: its faces, or a collision trace per pixel.

#ifndef EDICTD_PROBE_CAMERA_H
#define EDICTD_PROBE_CAMERA_H

#include "bsp/faces.h"
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
    const bsp_faces_t *faces;       ///< faces to draw; NULL = the surfaces that stop the box
} camera_t;

extern const vec3_t camera_background;

/// Returns a camera at `eye` that looks at a point. `fov`: horizontal field of view, degrees.
camera_t Camera_LookAt(vec3_t eye, vec3_t at, float fov, const image_t *image);

/// Returns a camera that looks down at a slant and shows all of `box`.
camera_t Camera_Overview(bounds_t box, float fov, const image_t *image);

/// Draws the map, the brush entities and the hitboxes of models.
void Camera_Draw(const camera_t *camera, const cmap_t *map, const things_t *things, image_t *image);

/// Returns the colour of a surface without a texture, by its slope and the liquid before it.
vec3_t Camera_Material(const cmap_t *map, vec3_t at, vec3_t normal, bool is_entity);

/// Returns a colour as it looks at a point of a surface: lit by the sun, and fainter far away.
vec3_t Camera_Shade(const camera_t *camera, vec3_t colour, vec3_t at, vec3_t normal);

/// Draws a line in the map. Parts behind a wall are faint. `radius`: half the width, pixels.
void Camera_Line(const camera_t *camera, image_t *image, vec3_t from, vec3_t to, float radius,
                 vec3_t colour);

/// Draws the visible edges of a rotated box.
void Camera_Box(const camera_t *camera, image_t *image, const turned_box_t *box, float radius,
                vec3_t colour);

#endif
