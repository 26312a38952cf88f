/// mesh/soup.h - triangles as they come out of a source file: corners welded, contents by material.
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

/// Triangles that are worth a warning: how many, and where in the file the first of them stands.
typedef struct {
    int32_t count;
    char place[160]; ///< "rock.obj:12", or "rock.gltf: mesh "rock": triangle 12"
} me_note_t;

typedef struct {
    vec3_t *vertices; ///< each place once, in the order in which the file first uses them
    int32_t (*indices)[3];
    contents_t *contents; ///< of each triangle
    int32_t num_vertices, num_triangles;
    int32_t num_other;       ///< points and lines, left out
    int32_t num_by_material; ///< triangles left out because of their material (hint, origin)
    me_note_t flats;         ///< without area: a mesh leaves them out when it is built
    me_note_t doubles;       ///< the same corners the same way round as one before: left out
} me_soup_t;

typedef struct {
    double scale;      ///< qu for one unit of the file, above 0
    bool any_up, z_up; ///< any_up: by the format, y for glTF and z for OBJ
    float yaw;         ///< degrees that all is turned by about our z, counter-clockwise from above
    vec3_t move;       ///< qu that all is moved by after that
    bool no_triangles; ///< a model of bones alone
    me_rig_options_t rig;
} me_import_t;

/// Reads an .obj, .gltf or .glb file through libassimp: placed by its nodes, z up, scaled.
/// `rig` may be NULL: triangles only. With it a glTF file's bones, hitboxes and animations become
/// that, and meshes with a skin no triangles, for those would not move with it; nodes "hit_..."
/// never become triangles. Refused, with the place: what libassimp refuses, what ME_CheckObj or
/// ME_CheckGltf refuses, corners out of range, coordinates that are not finite or beyond
/// MAX_WORLD_COORD, neither triangles nor bones, more than MAX_MESH_TRIANGLES, what ME_Rig refuses.
bool ME_Import(me_soup_t *soup, me_rig_t *rig, const char *path, const me_import_t *options,
               err_t *err);

/// Makes one vertex of those at the same place, and renumbers the triangles. False: no memory.
bool ME_Weld(me_soup_t *soup);

/// True for a triangle without area.
bool ME_IsFlat(const me_soup_t *soup, int32_t number);

/// Leaves out what stands there twice in a welded soup, but for flat ones. *first: the number that
/// the first of those had, or -1. False: no memory.
bool ME_DropDoubles(me_soup_t *soup, int32_t *first);

/// More triangles than this in a cube of that size are worth a warning: each sweep there looks at
/// all of them, and a player who walks there takes 2 ms of a tick.
#define ME_CROWD    4096
#define ME_CROWD_QU 32

/// The most triangles that have their middles in one cell of a grid of ME_CROWD_QU, and that cell's
/// middle; 0 when that is no more than ME_CROWD, or there is no memory to look.
int32_t ME_Crowd(const me_soup_t *soup, vec3_t *at);

void ME_FreeSoup(me_soup_t *soup);

/// Checks the lines of an .obj that become triangles: libassimp says what is wrong, but not where.
/// "name:LINE: expected, found". Lines that a backslash joins are joined in `text`.
bool ME_CheckObj(const char *name, char *text, err_t *err);

/// Checks what a .gltf or .glb file says of bytes and vertices: "name: accessor 3: ..." where an
/// accessor or its bufferView reaches beyond what there is, `name: mesh 2 "crate": primitive 0:
/// triangle 5: ...` where an index is no vertex, also of a mesh that no node has. Buffers are read
/// from beside `path`. True as well for what only libassimp can refuse.
bool ME_CheckGltf(const char *path, const uint8_t *bytes, size_t size, err_t *err);

/// A backslash at the end of a line goes on with the next: joins those of a text.
void ME_JoinLines(char *text);

/// The line of the nth face, from 0, among whose corners are all three of `places` (as the file has
/// them): of fewer the last; 0 when there is none, or no memory. `text` is checked and joined.
int32_t ME_ObjFaceLine(const char *text, const dvec_t places[3], int32_t nth);

#endif
