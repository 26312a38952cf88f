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
    int32_t num_by_material; ///< triangles left out because of their material, such as hint
    me_note_t flats;         ///< triangles without area; Mesh_Build drops them
    me_note_t doubles; ///< dropped triangles that repeat an earlier one's corners and orientation
} me_soup_t;

typedef struct {
    double scale;      ///< qu per unit of the file, above 0
    bool any_up, z_up; ///< any_up: use the up axis of the format (glTF: y, OBJ: z); ignore z_up
    float yaw;         ///< rotation about the model's z in degrees, counter-clockwise from above
    vec3_t move;       ///< offset after the rotation, in qu
    bool no_triangles; ///< import bones, hitboxes and animations only
    me_rig_options_t rig;
} me_import_t;

/// Reads an .obj, .gltf or .glb file. `rig` receives the bones, hitboxes and animations of a glTF
/// file; it may be NULL. With a rig, meshes that move with bones give no triangles. Fails if the
/// file is invalid, has neither triangles nor bones, or has more than MAX_MESH_TRIANGLES.
bool ME_Import(me_soup_t *soup, me_rig_t *rig, const char *path, const me_import_t *options,
               err_t *err);

/// Joins vertices at the same position. Returns false if out of memory.
bool ME_Weld(me_soup_t *soup);

/// Returns true for a triangle without area.
bool ME_IsFlat(const me_soup_t *soup, int32_t number);

/// Removes duplicate triangles after ME_Weld, except flat ones. *first: number of the first
/// duplicate before the call, or -1. Returns false if out of memory.
bool ME_DropDoubles(me_soup_t *soup, int32_t *first);

/// Maximum number of triangles in a cube with sides of ME_CROWD_QU without a warning. With more, a
/// player who walks there costs over 2 ms per tick.
#define ME_CROWD    4096
#define ME_CROWD_QU 32

/// Returns the number of triangles in the most crowded cube with sides of ME_CROWD_QU, and writes
/// its centre to *at. Returns 0 if the number is at most ME_CROWD, or if out of memory.
int32_t ME_Crowd(const me_soup_t *soup, vec3_t *at);

void ME_FreeSoup(me_soup_t *soup);

/// Checks the vertices and faces in the text of an .obj file. Errors have the line number. Calls
/// ME_JoinLines on `text`.
bool ME_CheckObj(const char *name, char *text, err_t *err);

/// Checks that every accessor of a .gltf or .glb file lies within its buffer, and that every index
/// has a vertex. Returns true for faults that libassimp reports.
bool ME_CheckGltf(const char *path, const uint8_t *bytes, size_t size, err_t *err);

/// Joins each line that ends in a backslash with the line after it.
void ME_JoinLines(char *text);

/// Returns the line of the nth face (from 0) with corners at all three `places`, or of the last
/// such face. Returns 0 if there is none, or if out of memory. Call ME_CheckObj on `text` first.
int32_t ME_ObjFaceLine(const char *text, const dvec_t places[3], int32_t nth);

#endif
