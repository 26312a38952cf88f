/// bsp/faces.h - reads what a map file has for drawing: faces, texture axes, textures.
//
// For tools and clients: no server loads faces, so a bad face never keeps a map from being played.
// Formats: BSP29, 2PSB, BSP2, BSP30; IBSP 38 without the textures' pixels. Of IBSP 46 nothing is
//          read: such a map has no faces here.
// Memory:  an arena; textures point into the bytes of the file.
// Errors:  "file: lump: reason"; the result is then zeroed.
//
// Records, little-endian; in 2PSB and BSP2 a (u16) has 32 bits:
//   vertex    | x | y | z |
//   edge      | vertex (u16) | vertex (u16) |                  no face uses edge 0
//   surfedge  | edge (i32) |                                   -n: edge n from its end to its start
//   face      | plane (u16) | side (u16) | first surfedge (i32) | surfedges (u16) | texinfo (u16)
//             | styles[4] (u8) | offset of light (i32), -1 = none |
//   texinfo   | s axis, offset | t axis, offset | texture (i32) | flags (i32) |
//   marksurface, of leafs | face (u16) |
//   textures  | count (i32) | offset of each in the lump (i32), -1 = missing | the textures
//   texture   | name[16] | width | height | offsets of 4 levels, 0 = missing | levels
//             | in BSP30 after level 3: 256 (u16) | 256 x red, green, blue |
// side 1 turns the plane round. Vertices run clockwise as seen from the front. Level n has
// (width >> n) x (height >> n) palette indices.

#ifndef EDICTD_BSP_FACES_H
#define EDICTD_BSP_FACES_H

#include "base/arena.h"
#include "base/err.h"
#include "math/plane.h"

#include <stddef.h>

#define MAX_TEXTURE_SIZE 8192 // texels along each side
#define TEXTURE_LEVELS   4

typedef struct {
    char name[33]; ///< "" = missing in the file
    int32_t width, height;
    const uint8_t *levels[TEXTURE_LEVELS]; ///< NULL = missing
    const uint8_t *palette;                ///< 256 x red, green, blue; NULL = Quake's palette
} bsp_texture_t;

/// Texture axes. Texel of a point p: dot(p, axes[0]) + offsets[0], dot(p, axes[1]) + offsets[1].
typedef struct {
    vec3_t axes[2];
    float offsets[2];
    const bsp_texture_t *texture;
} bsp_texinfo_t;

typedef struct {
    plane_t plane; ///< its normal points to the visible side
    const vec3_t *vertices;
    int32_t num_vertices;
    const bsp_texinfo_t *texinfo;
} bsp_face_t;

typedef struct {
    int32_t first_face, num_faces;
} bsp_model_faces_t;

typedef struct {
    const bsp_face_t *faces;
    const bsp_texture_t *textures;
    const bsp_model_faces_t *models; ///< faces of each model of the map
    int32_t num_faces, num_textures, num_models;
    arena_t arena;
    uint8_t *file; ///< bytes of the file, if Faces_Load read it
} bsp_faces_t;

/// Reads the faces of a map file. `data` must outlive the result. `name`: for errors.
bool Faces_Parse(bsp_faces_t *faces, const char *name, const uint8_t *data, size_t size,
                 err_t *err);

bool Faces_Load(bsp_faces_t *faces, const char *path, err_t *err);

void Faces_Free(bsp_faces_t *faces);

#endif
