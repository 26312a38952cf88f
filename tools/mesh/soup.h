/// mesh/soup.h - the triangles of a source file: equal vertices joined, contents from materials.
//
// Units:   qu, z up; triangles are counter-clockwise if seen from their front.
// Memory:  ME_Import allocates the arrays, ME_FreeSoup frees them. A zeroed me_soup_t may be freed.

#ifndef EDICTD_MESH_SOUP_H
#define EDICTD_MESH_SOUP_H

#include "base/err.h"
#include "math/vec3.h"
#include "mesh/rig.h"
#include "state/contents.h"

/// Triangles that deserve a warning: how many, and where the first is in the file.
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
    int32_t num_by_material; ///< triangles left out because of their material (hint, origin)
    me_note_t flats;         ///< triangles without area; Mesh_Build drops them
    me_note_t doubles; ///< dropped triangles that repeat an earlier one's corners and orientation
} me_soup_t;

typedef struct {
    double scale;      ///< qu per unit of the file, above 0
    bool any_up, z_up; ///< any_up: take the format's up axis (glTF: y, OBJ: z), not z_up
    float yaw;         ///< rotation about the model's z in degrees, counter-clockwise from above
    vec3_t move;       ///< offset after the rotation, in qu
    bool no_triangles; ///< import bones, hitboxes and animations only
    me_rig_options_t rig;
} me_import_t;

/// Reads an .obj, .gltf or .glb file through libassimp. Applies node transforms and the options.
/// `rig` (may be NULL) receives a glTF file's bones, hitboxes and animations. With a rig, a mesh
/// with a skin gives no triangles, because they would not move with its bones. Nodes named
/// "hit_..." give no triangles either. Fails if libassimp, ME_CheckObj, ME_CheckGltf or ME_Rig
/// fails, or if a corner or coordinate is out of range. Also fails if the file has neither
/// triangles nor bones, or more than MAX_MESH_TRIANGLES. Errors name the mesh and the triangle, or
/// the line of an .obj file.
bool ME_Import(me_soup_t *soup, me_rig_t *rig, const char *path, const me_import_t *options,
               err_t *err);

/// Joins vertices at the same position. Returns false if out of memory.
bool ME_Weld(me_soup_t *soup);

/// Returns true for a triangle without area.
bool ME_IsFlat(const me_soup_t *soup, int32_t number);

/// Drops duplicate triangles of a welded soup, except flat ones. *first: number of the first
/// duplicate before the call, or -1. Returns false if out of memory.
bool ME_DropDoubles(me_soup_t *soup, int32_t *first);

/// Maximum triangles in a cube with a side of ME_CROWD_QU without a warning. Each sweep in the cube
/// tests all of them, so a walking player then costs 2 ms per tick.
#define ME_CROWD    4096
#define ME_CROWD_QU 32

/// Returns the largest number of triangle centres in one cell of a grid of ME_CROWD_QU. *at: the
/// cell's centre. Returns 0 if the number is at most ME_CROWD, or if out of memory.
int32_t ME_Crowd(const me_soup_t *soup, vec3_t *at);

void ME_FreeSoup(me_soup_t *soup);

/// Checks the lines of an .obj file that become triangles, because libassimp reports no line.
/// Errors: "name:LINE: expected, found". Joins continued lines in `text`.
bool ME_CheckObj(const char *name, char *text, err_t *err);

/// Checks that every accessor of a .gltf or .glb file lies within its buffer and that every index
/// has a vertex. Also checks meshes that no node uses. Reads buffers from the folder of `path`.
/// Errors are `name: accessor 3: ...` or `name: mesh 2 "crate": primitive 0: triangle 5: ...`. Does
/// not check what libassimp checks: for such faults it returns true, and the import then fails.
bool ME_CheckGltf(const char *path, const uint8_t *bytes, size_t size, err_t *err);

/// Joins each line that ends in a backslash with the line after it.
void ME_JoinLines(char *text);

/// Returns the line of the nth face (from 0) with corners at all three `places`, in the file's
/// space. If there are fewer such faces, returns the line of the last, or 0 without any. Also
/// returns 0 if out of memory. `text` must have passed ME_CheckObj and ME_JoinLines.
int32_t ME_ObjFaceLine(const char *text, const dvec_t places[3], int32_t nth);

#endif
