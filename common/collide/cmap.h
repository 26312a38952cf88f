/// collide/cmap.h - the fields of a loaded map. Private to collide/, bsp/ and tests.
//
// Filled by bsp/.
// Memory:  arenas own the arrays; CM_FreeMap frees them.

#ifndef EDICTD_COLLIDE_CMAP_H
#define EDICTD_COLLIDE_CMAP_H

#include "base/arena.h"
#include "base/limits.h"
#include "collide/brush/brush.h"
#include "collide/cmodel.h"
#include "collide/hull/hull.h"
#include "collide/mesh/mesh.h"
#include "collide/vis.h"

/// Kinds of geometry. Each has a row of functions (kind.h).
typedef enum {
    MODEL_BSP,  ///< hulls, brushes, or both
    MODEL_MESH, ///< triangles
    NUM_MODEL_KINDS
} model_kind_t;

/// A model: 0 is the world, n is submodel "*n". Models that entities place follow.
typedef struct {
    int32_t kind;            ///< model_kind_t
    int32_t num_more_meshes; ///< MODEL_MESH: further meshes, each with other contents
    const mesh_t *mesh;      ///< MODEL_MESH: the first mesh
    const char *file;        ///< path of the placed file; NULL = not placed
    bounds_t bounds;         ///< of the geometry, as in the file
    vec3_t pivot;            ///< origin of the model's space in the map (CM_ModelPivot)
    hull_t hulls[MAX_MAP_HULLS];
    brush_list_t brushes; ///< `exists` is false if the model has no brush list
} cmodel_t;

/// A node of the visible geometry. Child c < 0 is leaf -1 - c.
typedef struct {
    int32_t plane;
    int32_t children[2];
} cnode_t;

typedef struct {
    int32_t contents; ///< contents_t
    int32_t cluster;  ///< number in the visibility; CM_NO_CLUSTER = none
} cleaf_t;

struct model_s; // model/model.h

/// A loaded map; read only.
struct cmap_s {
    arena_t arena;
    arena_t cells_arena; ///< cells of the hulls
    arena_t brush_arena; ///< brushes and their trees
    arena_t occluder_arena;
    char name[MAX_MAP_NAME_BYTES]; ///< file name without folder and ending
    char format[8];       ///< "BSP29", "2PSB", "BSP2", "BSP30", "IBSP38", "IBSP46", "EMESH"
    char remark[240];     ///< parts of the file that the loader skipped, one line; "" = none
    uint64_t hash;        ///< hash of the file and the placed meshes
    arena_t meshes_arena; ///< only with meshes: models, mesh_t, names, skeletons
    void **mesh_blocks;   ///< malloc'ed list of malloc'ed blocks with the meshes' arrays
    int32_t num_mesh_blocks;
    hullset_t hullset;
    plane_t *planes;
    cnode_t *nodes;
    clipnode_t *clipnodes; ///< nodes of hull 0 (from `nodes`), then those of the file
    cleaf_t *leafs;
    cmodel_t *models;
    const struct model_s *skeletons;   ///< skeletons of placed files, in order of first use
    const char *const *skeleton_files; ///< path of each skeleton's file
    char *entities;                    ///< entity text, NUL-terminated
    uint8_t *visdata;                  ///< the visibility lump
    int32_t *vis_rows;                 ///< per cluster: offset of its row in visdata; -1 = sees all
    cbrush_t *brushes;                 ///< brushes of all models; see brush_list_t
    brush_plane_t *brush_planes;
    vec3_t *brush_vertices, *brush_edges;
    brush_node_t *brush_nodes;
    bounds_t *occluders; ///< by brush; NULL = their bounds (occluder.h)
    int32_t num_planes, num_nodes, num_clipnodes, num_leafs, num_models;
    int32_t num_brushes, num_brush_nodes, num_skeletons;
    int32_t num_recovered; ///< brushes that were made from the hulls (bsp/recover.h)
    int32_t num_clusters;  ///< 0 = the map has no visibility
    int32_t leaf_root;     ///< root of model 0 in `nodes`, or -1 - leaf
    /// False if the file has no clip nodes, so that boxes collide with brushes.
    bool has_clip_hulls;
    /// False if model 0 has no brushes. A map without hulls and brushes stops no box.
    bool has_brushes;
    /// True for Quake II and III: no hulls. The nodes only serve to find a point's leaf.
    bool brushes_only;
    bool is_vis_packed;                   ///< false for Quake III, whose rows have no runs of zeros
    bool has_ladders;                     ///< model 0 contains CONTENTS_LADDER
    size_t entities_bytes, visdata_bytes; ///< entities_bytes without the NUL
};

/// Returns true if model 0 contains CONTENTS_LADDER.
bool CM_FindLadders(const cmap_t *map);

/// Frees the arrays of a map and zeroes it. Does nothing for an all-zero map.
void CM_FreeMap(cmap_t *map);

#endif
