/// mapc/output.h - collects the arrays of a compiled map, and writes the file.
//
// Memory:  from the caller's pool.
// Errors:  MC_FormatProblem returns the reason if the map is too large for a file format.

#ifndef EDICTD_MAPC_OUTPUT_H
#define EDICTD_MAPC_OUTPUT_H

#include "mapc/bytes.h"
#include "mapc/drawing.h"
#include "mapc/hull.h"
#include "mapc/tree.h"
#include "mapc/vis.h"

/// A node of hull 0 (child c < 0: leaf -1 - c) or a clip node (child c < 0: contents c).
typedef struct {
    int32_t plane; ///< number in the table of planes
    int32_t children[2];
    dbounds_t bounds;
    int32_t first_face, num_faces;
} mc_outnode_t;

typedef struct {
    dbounds_t bounds;
    int32_t headnodes[4];
    int32_t num_visleafs;
    int32_t first_face, num_faces;
} mc_outmodel_t;

typedef struct {
    mc_pool_t *pool;
    const mc_planes_t *table;
    mc_outnode_t *nodes, *clipnodes;
    mc_leaf_t *leafs;
    mc_outmodel_t *models;
    size_t num_nodes, num_clipnodes, num_leafs, num_models;
    size_t node_room, clipnode_room, leaf_room, model_room;
    mc_drawing_t drawing;
    mc_bytes_t vis; ///< the packed rows
} mc_output_t;

/// Starts an output with leaf 0, the solid outside.
void MC_InitOutput(mc_output_t *out, mc_pool_t *pool, const mc_planes_t *table);

/// Starts the next model.
void MC_AddModel(mc_output_t *out, const mc_model_t *model);

/// Appends a pruned tree as hull number `hull` of the current model.
void MC_AddTree(mc_output_t *out, const mc_tree_t *tree, int32_t hull);

/// Packs the visibility of the world, and sets the tree's vis_row. Call it before MC_AddTree.
void MC_PackVis(mc_output_t *out, const mc_vis_t *vis, mc_tree_t *tree);

/// Appends the faces of the current model. solid->tree: its pruned hull 0, which was added last.
void MC_DrawModel(mc_output_t *out, mc_pools_t *pools, const mc_solid_t *solid);

typedef enum { MC_FORMAT_BSP29, MC_FORMAT_BSP2, MC_FORMAT_BSP30 } mc_format_t;

/// Returns the reason why the map does not fit BSP29 or BSP30, or NULL if it fits.
const char *MC_FormatProblem(const mc_output_t *out, char *text, size_t size);

void MC_WriteBsp(mc_bytes_t *file, const mc_output_t *out, const mc_scene_t *scene,
                 mc_format_t format, const char *entities, size_t entities_size);

/// Writes the lump BRUSHLIST, which has the brushes of all models.
void MC_WriteBrushList(mc_bytes_t *bytes, const mc_planes_t *table, const mc_scene_t *scene);

/// Checks that a server can load the lump BRUSHLIST. Returns false and reports the first brush that
/// a server would reject.
bool MC_CheckBrushList(mc_report_t *report, const mc_planes_t *table, const mc_scene_t *scene);

#endif
