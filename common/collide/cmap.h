/// collide/cmap.h - the fields of a loaded map. Private to collide/, bsp/ and tests.
//
// Floor:   collide, filled by bsp/; all others read it through cmodel.h and bsp/map.h.
// Memory:  arenas own everything; CM_FreeMap frees them, not the cmap_t.

#ifndef EDICTD_COLLIDE_CMAP_H
#define EDICTD_COLLIDE_CMAP_H

#include "base/arena.h"
#include "base/limits.h"
#include "collide/brush/brush.h"
#include "collide/cmodel.h"
#include "collide/hull/hull.h"
#include "collide/mesh/mesh.h"

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
struct cmap_s {
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
};

/// Computes has_ladders.
bool CM_FindLadders(const cmap_t *map);

/// Frees what a map owns and zeroes it. A zeroed map may be freed.
void CM_FreeMap(cmap_t *map);

#endif
