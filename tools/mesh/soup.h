/// mesh/soup.h - reads the triangles of a model file. A soup is a list of triangles.
//
// Units:   qu, z up; triangles are counter-clockwise if seen from their front.
// Memory:  ME_Import allocates the arrays, ME_FreeSoup frees them. A zeroed me_soup_t may be freed.

#ifndef EDICTD_MESH_SOUP_H
#define EDICTD_MESH_SOUP_H

#include "base/err.h"
#include "math/vec3.h"
#include "mesh/rig.h"
#include "state/contents.h"

/// A count of faulty triangles, and the position of the first in the file.
typedef struct {
    int32_t count;
    char place[160]; ///< "rock.obj:12", or "rock.gltf: mesh "rock": triangle 12"
} me_note_t;

typedef struct {
    vec3_t *vertices; ///< each position once, in the order of first use
    int32_t (*indices)[3];
    contents_t *contents; ///< one per triangle
    int32_t num_vertices, num_triangles;
    int32_t num_other;       ///< number of points and lines, which are left out
    int32_t num_by_material; ///< triangles left out because of a material such as hint
    me_note_t flats;         ///< triangles without area; Mesh_Build drops them
    me_note_t doubles; ///< dropped triangles that repeat an earlier one's corners and orientation
} me_soup_t;

typedef struct {
    double scale;      ///< qu per unit of the file, above 0
    bool any_up, z_up; ///< any_up: use the format's up axis, not z_up
    float yaw;         ///< rotation about the model's z in degrees, counter-clockwise from above
    vec3_t move;       ///< offset after the rotation, in qu
    bool no_triangles; ///< import bones, hitboxes and animations only
    me_rig_options_t rig;
} me_import_t;

/// Reads an .obj, .gltf or .glb file. `rig` (may be NULL) receives bones, hitboxes and animations.
/// With a rig, meshes that move with bones give no triangles. Fails if the file is invalid, has
/// more than MAX_MESH_TRIANGLES, or has neither triangles nor bones.
bool ME_Import(me_soup_t *soup, me_rig_t *rig, const char *path, const me_import_t *options,
               err_t *err);

/// Joins vertices at the same position. Returns false if out of memory.
bool ME_Weld(me_soup_t *soup);

/// Returns true for a triangle without area.
bool ME_IsFlat(const me_soup_t *soup, int32_t number);

/// Removes duplicate triangles that have an area. Call ME_Weld first. *first: number of the first
/// duplicate before the call, or -1. Returns false if out of memory.
bool ME_DropDoubles(me_soup_t *soup, int32_t *first);

/// If a cube with edges of ME_CROWD_QU has more than ME_CROWD triangles, a player there costs over
/// 2 ms per tick.
#define ME_CROWD    4096
#define ME_CROWD_QU 32 // qu

/// Returns the number of triangles in the most crowded of these cubes. *at receives the cube's
/// centre. Returns 0 if no cube has more than ME_CROWD triangles, or if out of memory.
int32_t ME_Crowd(const me_soup_t *soup, vec3_t *at);

void ME_FreeSoup(me_soup_t *soup);

/// Checks the vertices and faces in the text of an .obj file. Errors have the line number. Calls
/// ME_JoinLines on `text`.
bool ME_CheckObj(const char *name, char *text, err_t *err);

/// Checks a .gltf or .glb file: each accessor is within the buffer, each index has a vertex. Leaves
/// other faults to libassimp.
bool ME_CheckGltf(const char *path, const uint8_t *bytes, size_t size, err_t *err);

/// Joins each line that ends in a backslash with the line after it.
void ME_JoinLines(char *text);

/// Returns the line of face `nth` (from 0) among the faces with corners at all three `places`, or
/// of the last such face. Returns 0 on failure. Call ME_CheckObj first.
int32_t ME_ObjFaceLine(const char *text, const dvec_t places[3], int32_t nth);

#endif
