/// collide/cmodel.h - a loaded collision map and its queries: sweeps, overlaps, contents, leaves.
//
// Floor:   collide. Loaded by bsp/; queried by server/world, client/ and tools.
// Units:   qu; the model's own space, or the world's if a function takes an origin or pose.
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

/// The boxes of a map's hulls.
typedef enum {
    HULLSET_QUAKE,   ///< point; -16 -16 -24..16 16 32; -32 -32 -24..32 32 64
    HULLSET_HALFLIFE ///< point; +-16 +-16 +-36; +-32 +-32 +-32; +-16 +-16 +-18
} hullset_t;

/// The geometry of a model. Each kind has a row of functions (kind.h).
typedef enum {
    MODEL_BSP,  ///< hulls, brushes, or both
    MODEL_MESH, ///< triangles
    NUM_MODEL_KINDS
} model_kind_t;

/// A model. Model 0 is the world, n is the submodel "*n"; the models that a map places follow.
typedef struct {
    int32_t kind;            ///< model_kind_t
    int32_t num_more_meshes; ///< MODEL_MESH: meshes after the first, with other contents
    const mesh_t *mesh;      ///< MODEL_MESH: the first
    const char *file;        ///< path that entities place it by; NULL for the map's own models
    bounds_t bounds;
    vec3_t origin;
    hull_t hulls[MAX_MAP_HULLS];
    brush_list_t brushes; ///< exists is false if the map has no list for it
} cmodel_t;

/// A visible-geometry node: a child >= 0 is a node, a child < 0 is leaf -1 - child.
typedef struct {
    int32_t plane;
    int32_t children[2];
} cnode_t;

typedef struct {
    int32_t contents; ///< contents_t
    int32_t visofs;   ///< offset in visdata, -1 = sees everything
} cleaf_t;

struct model_s; // model/model.h

/// A loaded map. Read only.
typedef struct cmap_s {
    arena_t arena;
    arena_t cells_arena;           ///< cells of the hulls
    char name[MAX_MAP_NAME_BYTES]; ///< file name without folder and ending
    char format[8];       ///< "BSP29", "2PSB", "BSP2", "BSP30", "IBSP38", "IBSP46", "EMESH"
    char remark[240];     ///< parts of the file that were left out, one line; "" = none
    uint64_t hash;        ///< of the whole file and the meshes that it places
    arena_t meshes_arena; ///< maps with meshes: models, mesh_t, names, skeletons
    void **mesh_blocks;   ///< memory of the meshes' arrays, each malloc'ed, as is this list
    int32_t num_mesh_blocks;
    hullset_t hullset;
    plane_t *planes;
    cnode_t *nodes;
    clipnode_t *clipnodes; ///< hull 0's, made from the nodes, then the file's
    cleaf_t *leafs;
    cmodel_t *models;
    const struct model_s *skeletons;   ///< of placed files with bones, in order of first use;
                                       ///< bsp/map.h finds them by name
    const char *const *skeleton_files; ///< path of each, as in entities
    char *entities;                    ///< entity text, NUL-terminated
    uint8_t *visdata;
    cbrush_t *brushes; ///< of all models; brush_list_t selects a model's own
    brush_plane_t *brush_planes;
    vec3_t *brush_vertices, *brush_edges;
    brush_node_t *brush_nodes;
    int32_t num_planes, num_nodes, num_clipnodes, num_leafs, num_models;
    int32_t num_brushes, num_brush_nodes, num_skeletons;
    int32_t leaf_root; ///< of model 0 in nodes, or -1 - leaf
    /// False if the file has no clipnodes. Hulls 1 and up are then empty, and boxes collide with
    /// brushes for any sv_solids.
    bool has_clip_hulls;
    /// False if the file has no brush list for model 0. A map without hulls and brushes must not be
    /// played, because boxes fall through everything.
    bool has_brushes;
    /// True for maps of Quake II and III: no hulls, no nodes, one leaf, no visibility. Points query
    /// brushes, too.
    bool brushes_only;
    bool has_ladders;                     ///< model 0 may contain CONTENTS_LADDER
    size_t entities_bytes, visdata_bytes; ///< entities_bytes without the NUL
} cmap_t;

/// Returns true if the model is made of triangles, which have no hulls or brushes.
bool CM_IsMesh(const cmap_t *map, int32_t model);

/// Returns the number of hulls of a hull set: 3 for Quake, 4 for Half-Life.
int32_t CM_NumHulls(hullset_t hullset);

/// Returns the box of hull `hull` of the set.
bounds_t CM_HullSize(hullset_t hullset, int32_t hull);

/// Returns the hull for a box in a model, chosen by size as Quake does. The hull's origin is the
/// box's origin plus *offset. *fits is false if the hull's box has another size; the caller logs
/// that once per class. offset and fits may be NULL.
const hull_t *CM_HullForBox(const cmap_t *map, int32_t model, vec3_t mins, vec3_t maxs,
                            vec3_t *offset, bool *fits);

/// Sweeps an axis-aligned box through a model. A turned model with brushes is exact for any
/// `solids`; one with hulls only is approximate (docs/physics.md, "Collision"). endpos and plane
/// are in world space. entnum is TRACE_NOTHING, since only the caller knows the model's edict.
trace_t CM_BoxTrace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs);

/// Returns true if a box at `origin` overlaps anything but empty space of a model: a trigger,
/// ladder or water of any shape. Tests the brushes for any `solids`; without brushes the box's
/// hull, or hull 0 if that hull is all empty.
bool CM_BoxTouches(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                   vec3_t maxs);

/// Returns the unit normal of the side of a ladder model that faces a box which touches it. If that
/// is an upper or lower side, returns the level direction off the ladder. The model may be turned.
vec3_t CM_LadderNormal(const cmap_t *map, const cm_place_t *place, bounds_t box);

/// Returns true if a box touches a ladder of the map itself: CONTENTS_LADDER in model 0, by brushes
/// or else by hull 0. *normal is then the unit normal of the ladder's side that faces the box.
bool CM_WorldLadder(const cmap_t *map, bounds_t box, vec3_t *normal);

/// Computes has_ladders.
bool CM_FindLadders(const cmap_t *map);

/// Returns the contents of a model at a point of the world.
contents_t CM_Contents(const cmap_t *map, const cm_place_t *place, vec3_t point);

/// Writes the contacts of a box with the solids of a model, deepest first: the deepest `max`, at
/// most MAX_CONTACTS. Returns their number. A hull gives one: the nearest plane with free space
/// after it.
int32_t CM_Overlap(const cmap_t *map, const cm_place_t *place, bounds_t box, cm_contact_t *contacts,
                   int32_t max);

/// Returns true if this box is swept through brushes or triangles of unturned models, not a hull.
bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs);

/// Sweeps a box through the box `target` (an edict without a model), which is in world space.
/// The contents inside the target are CONTENTS_SOLID.
trace_t CM_BoxBoxTrace(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Merges the trace of one more object into the total. The nearer hit wins; on a tie, the first.
/// startsolid is kept. A trace that starts in solid and hits nothing afterwards replaces a total
/// without a hit, so that entnum names the solid.
void CM_CombineTrace(trace_t *total, const trace_t *next);

/// Returns the contents of an unturned and unmoved model at a point.
contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point);

/// Returns the leaf of model 0 that contains a point; 0 is the solid outside. A point exactly on a
/// plane counts as behind it.
int32_t CM_PointLeaf(const cmap_t *map, vec3_t point);

/// Returns the bounds, in the world, of a box of a model at this origin and these angles.
bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs);

/// Frees a map that bsp/ loaded. A zeroed map may be freed.
void CM_FreeMap(cmap_t *map);

#endif
