/// mesh/soup.h - the triangles of a source file: corners welded, contents by material.
//
// Floor:   tool.
// Units:   qu, z up, counter-clockwise from the front.
// Memory:  ME_Import makes it, ME_FreeSoup frees it; a zeroed one may be freed.

#ifndef EDICTD_MESH_SOUP_H
#define EDICTD_MESH_SOUP_H

#include "base/err.h"
#include "math/vec3.h"
#include "mesh/rig.h"
#include "state/contents.h"

/// Triangles that deserve a warning: their number, and the position of the first in the file.
typedef struct {
    int32_t count;
    char place[160]; ///< "rock.obj:12", or "rock.gltf: mesh "rock": triangle 12"
} me_note_t;

typedef struct {
    vec3_t *vertices; ///< each position once, in the order of first use
    int32_t (*indices)[3];
    contents_t *contents; ///< of each triangle
    int32_t num_vertices, num_triangles;
    int32_t num_other;       ///< points and lines, left out
    int32_t num_by_material; ///< triangles left out because of their material (hint, origin)
    me_note_t flats;         ///< without area; Mesh_Build drops them
    me_note_t doubles;       ///< same corners and orientation as an earlier one; dropped
} me_soup_t;

typedef struct {
    double scale;      ///< qu for one unit of the file, above 0
    bool any_up, z_up; ///< any_up: by the format, y for glTF and z for OBJ
    float yaw;         ///< rotation about our z in degrees, counter-clockwise from above
    vec3_t move;       ///< then this offset, in qu
    bool no_triangles; ///< a model of bones alone
    me_rig_options_t rig;
} me_import_t;

/// Reads an .obj, .gltf or .glb file through libassimp: node transforms applied, z up, scaled.
/// `rig` may be NULL for triangles only; otherwise it receives a glTF file's bones, hitboxes and
/// animations. Meshes with a skin give no triangles, because those would not move with it; nodes
/// "hit_..." neither. Fails, with the position, if libassimp, ME_CheckObj, ME_CheckGltf or ME_Rig
/// does; if corners or coordinates are out of range; without triangles and bones; for more than
/// MAX_MESH_TRIANGLES.
bool ME_Import(me_soup_t *soup, me_rig_t *rig, const char *path, const me_import_t *options,
               err_t *err);

/// Joins vertices at the same position, and renumbers the triangles. False if out of memory.
bool ME_Weld(me_soup_t *soup);

/// Returns true for a triangle without area.
bool ME_IsFlat(const me_soup_t *soup, int32_t number);

/// Drops duplicate triangles of a welded soup, except flat ones. *first: the former number of the
/// first duplicate, or -1. False if out of memory.
bool ME_DropDoubles(me_soup_t *soup, int32_t *first);

/// More triangles than this in a cube of that size deserve a warning: each sweep there tests all of
/// them, and a walking player takes 2 ms of a tick.
#define ME_CROWD    4096
#define ME_CROWD_QU 32

/// Returns the largest number of triangle centres in one cell of a grid of ME_CROWD_QU, and the
/// cell's centre. Returns 0 for at most ME_CROWD, or if out of memory.
int32_t ME_Crowd(const me_soup_t *soup, vec3_t *at);

void ME_FreeSoup(me_soup_t *soup);

/// Checks the lines of an .obj file that become triangles, because libassimp reports no line.
/// Errors: "name:LINE: expected, found". Joins continued lines in `text`.
bool ME_CheckObj(const char *name, char *text, err_t *err);

/// Checks the references of a .gltf or .glb file to bytes and vertices: "name: accessor 3: ..." if
/// an accessor or its bufferView exceeds its buffer, `name: mesh 2 "crate": primitive 0:
/// triangle 5: ...` if an index has no vertex, also in meshes without a node. Buffers are read
/// from the folder of `path`. True for faults that only libassimp can detect.
bool ME_CheckGltf(const char *path, const uint8_t *bytes, size_t size, err_t *err);

/// Joins the lines of a text that end in a backslash with the lines after them.
void ME_JoinLines(char *text);

/// Returns the line of the nth face, from 0, with corners at all three of `places` (in the file's
/// space); the last if there are fewer, 0 without one or out of memory. `text` is checked and
/// joined.
int32_t ME_ObjFaceLine(const char *text, const dvec_t places[3], int32_t nth);

#endif
