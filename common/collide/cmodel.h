/// collide/cmodel.h - a loaded collision map and the questions asked of it: sweeps, contents, leafs.
//
// Floor:   collide. Loaded by bsp/, asked by server/world, client/ and tools.
// Units:   qu; a model's own space unless an origin is taken.
// Memory:  one arena owns everything; const after loading, shared by any number of worlds.
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_COLLIDE_CMODEL_H
#define EDICTD_COLLIDE_CMODEL_H

#include "base/arena.h"
#include "base/limits.h"
#include "collide/brush/brush.h"
#include "collide/contact.h"
#include "collide/hull/hull.h"
#include "collide/mesh/mesh.h"
#include "collide/pose.h"
#include "math/bounds.h"

/// Which boxes a map's hulls hold.
typedef enum {
    HULLSET_QUAKE,   ///< point; -16 -16 -24..16 16 32; -32 -32 -24..32 32 64
    HULLSET_HALFLIFE ///< point; +-16 +-16 +-36; +-32 +-32 +-32; +-16 +-16 +-18
} hullset_t;

/// What a model is made of. A row of questions stands behind each (kind.h).
typedef enum {
    MODEL_BSP,  ///< hulls, brushes, or both
    MODEL_MESH, ///< triangles
    NUM_MODEL_KINDS
} model_kind_t;

/// Model 0 is the world, n is the submodel "*n"; behind those of the map file stand what it places.
typedef struct {
    int32_t kind;            ///< model_kind_t
    int32_t num_more_meshes; ///< MODEL_MESH: meshes behind the first, of other contents
    const mesh_t *mesh;      ///< MODEL_MESH: the first
    const char *file;        ///< of what the map places: how entities name it; else NULL
    bounds_t bounds;
    vec3_t origin;
    hull_t hulls[MAX_MAP_HULLS];
    brush_list_t brushes; ///< those of the map's BRUSHLIST; exists is false where it has none
} cmodel_t;

/// A visible-geometry node: a child >= 0 is a node, a child < 0 is leaf -1 - child.
typedef struct {
    int32_t plane;
    int32_t children[2];
} cnode_t;

typedef struct {
    int32_t contents; ///< contents_t
    int32_t visofs;   ///< into visdata, -1 = sees everything
} cleaf_t;

struct model_s; // model/model.h

/// A loaded map. Read only.
typedef struct cmap_s {
    arena_t arena;
    arena_t cells_arena;           ///< of the hulls' cells
    char name[MAX_MAP_NAME_BYTES]; ///< file name without folder and ending
    char format[8];       ///< "BSP29", "2PSB", "BSP2", "BSP30", "IBSP38", "IBSP46", "EMESH"
    char remark[240];     ///< what of the file was left out, one line; "" = nothing
    uint64_t hash;        ///< of the whole file, and of the meshes that it places
    arena_t meshes_arena; ///< of maps with meshes: models, mesh_t, names, skeletons
    void **mesh_blocks;   ///< what the meshes' arrays lie in, each malloc'ed, and this list
    int32_t num_mesh_blocks;
    hullset_t hullset;
    plane_t *planes;
    cnode_t *nodes;
    clipnode_t *clipnodes; ///< hull 0's, made from the nodes, then the file's
    cleaf_t *leafs;
    cmodel_t *models;
    const struct model_s *skeletons;   ///< of placed files with bones, in the order of their
                                       ///< first naming; bsp/map.h finds them by name
    const char *const *skeleton_files; ///< how entities name each
    char *entities;                    ///< entity text, NUL-terminated
    uint8_t *visdata;
    cbrush_t *brushes; ///< of all models; each model's brush_list_t leads to its own
    brush_plane_t *brush_planes;
    vec3_t *brush_vertices, *brush_edges;
    brush_node_t *brush_nodes;
    int32_t num_planes, num_nodes, num_clipnodes, num_leafs, num_models;
    int32_t num_brushes, num_brush_nodes, num_skeletons;
    int32_t leaf_root; ///< of model 0 in nodes, or -1 - leaf
    /// False when the file holds no clipnodes: hulls 1 and up are then empty, and boxes collide with
    /// brushes whatever sv_solids says.
    bool has_clip_hulls;
    /// False when the file has no brush list for model 0. A map with neither must not be played:
    /// boxes fall through everything.
    bool has_brushes;
    /// Quake II's and III's maps: they have no hulls at all, no nodes, one leaf, no visibility. Points
    /// ask the brushes, too.
    bool brushes_only;
    bool has_ladders;                     ///< model 0 may hold CONTENTS_LADDER somewhere
    size_t entities_bytes, visdata_bytes; ///< entities_bytes without the NUL
} cmap_t;

/// Number of hulls of a hull set: 3 for Quake's, 4 for Half-Life's.
int32_t CM_NumHulls(hullset_t hullset);

/// The box that hull `hull` of the set is made for.
bounds_t CM_HullSize(hullset_t hullset, int32_t hull);

/// The hull that a box is swept with in a model: chosen by the box's size as the field does.
/// *offset is added to the box's origin to get the hull's. *fits is false when the hull's box is
/// not the box asked for (its width or height differ): the caller logs that once per class.
/// offset and fits may be NULL.
const hull_t *CM_HullForBox(const cmap_t *map, int32_t model, vec3_t mins, vec3_t maxs,
                            vec3_t *offset, bool *fits);

/// Sweeps a box through a model. The box is never turned; a turned model is met exactly where it has
/// brushes, whatever `solids` says, and otherwise as README.md says under "Turned models". endpos and
/// plane are in world space. entnum stays TRACE_NOTHING: the caller knows whose model it is.
trace_t CM_BoxTrace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs);

/// True when a box that stands at `origin` overlaps what is not empty in a model: the test of a
/// trigger, ladder or water of any shape. Asks the brushes, whatever `solids` says; of a model
/// without brushes its hull, and hull 0 where that hull is all empty.
bool CM_BoxTouches(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                   vec3_t maxs);

/// Which way is off a ladder (a model of any shape, turned or not) for who touches it with a box:
/// the normal of the side that faces him, level where that is an upper or lower one. Unit length.
vec3_t CM_LadderNormal(const cmap_t *map, const cm_place_t *place, bounds_t box);

/// True when a box touches a ladder of the map itself (CONTENTS_LADDER in model 0, by its brushes,
/// else by hull 0): *normal is then that of its side that faces the box. Unit length.
bool CM_WorldLadder(const cmap_t *map, bounds_t box, vec3_t *normal);

/// What has_ladders should be.
bool CM_FindLadders(const cmap_t *map);

/// Contents of a model at a point of the world.
contents_t CM_Contents(const cmap_t *map, const cm_place_t *place, vec3_t point);

/// Where a box overlaps what is solid in a model, deepest first: at most `max` contacts, and no more
/// than MAX_CONTACTS; of more the deepest. Returns how many. A hull gives one: the plane nearest to the box behind which it is free.
int32_t CM_Overlap(const cmap_t *map, const cm_place_t *place, bounds_t box, cm_contact_t *contacts,
                   int32_t max);

/// True when sweeps of this box through unturned models go by brushes, where the model has them, or
/// by triangles: no hull stands for the box.
bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs);

/// Sweeps a box through another box (an edict without brushes): mins/maxs of the target are in
/// world space. Contents inside the target: CONTENTS_SOLID.
trace_t CM_BoxBoxTrace(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Folds the trace of one more thing into the total: the nearer one wins, of two equally near the
/// first. startsolid sticks. A trace that starts in solid and hits nothing afterwards replaces a
/// total that hit nothing, so that entnum says what is stuck in what.
void CM_CombineTrace(trace_t *total, const trace_t *next);

/// Contents of a model, unturned and unmoved, at a point.
contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point);

/// The leaf of model 0 that holds a point; 0 is the solid outside. A point exactly on a plane is
/// behind it.
int32_t CM_PointLeaf(const cmap_t *map, vec3_t point);

/// The box around a box of a model's space as the model stands; without angles it is only moved.
bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs);

/// Frees a map that bsp/ loaded. A zeroed map may be freed.
void CM_FreeMap(cmap_t *map);

#endif
