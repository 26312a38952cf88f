/// bsp/recover_local.h - cells of a hull's tree. Private to recover.c and recover_clip.c.

#ifndef EDICTD_BSP_RECOVER_LOCAL_H
#define EDICTD_BSP_RECOVER_LOCAL_H

#include "collide/brush/convex.h"
#include "collide/cmap.h"

/// Maximum memory of a map's kept cells, MiB. Real maps need about 1 MiB. The brushes made of them
/// need less, so a server loads a hostile map in a small container.
#define MAX_RECOVER_MIB 64

/// Maximum work for a map: RECOVER_WORK_PER_NODE for each clip node, at most MAX_RECOVER_WORK. So a
/// hostile file is given up within seconds. The unit is a face or a corner of a cell that is
/// compared with a plane. Real maps need about 1,000 units a node.
#define MAX_RECOVER_WORK      (512 * 1024 * 1024)
#define RECOVER_WORK_PER_NODE (16 * 1024)

_Static_assert(MAX_RECOVER_MIB == 64, "the error text of Recover_Keep contains this number");
_Static_assert(RECOVER_WORK_PER_NODE == 16384, "as does that of Recover_Work");

/// Distance beyond the bounds of a model at which its outer cells end, qu.
#define RECOVER_MARGIN 64.0f

typedef struct {
    convex_t *shape;
    int32_t contents; ///< contents_t
} cell_t;

/// Recovery of one map. `fault`: NULL, or why it was given up.
typedef struct {
    const cmap_t *map;
    const hull_t *hull; ///< of the current tree
    brushes_t brushes;
    cell_t *cells;
    int32_t num_cells, room;
    int64_t bytes; ///< of all cells kept so far, also those already made into brushes
    int64_t work_left;
    const char *fault;
} recover_t;

/// Counts work. Returns false if the recovery is given up.
bool Recover_Work(recover_t *recover, int64_t work);

/// Cuts a cell, which it takes. parts[side] receives what is on each side, or NULL. Returns false
/// if the recovery is given up.
bool Recover_Cut(recover_t *recover, convex_t *shape, const side_t *plane, convex_t *parts[2]);

/// Keeps a cell, which it takes.
bool Recover_Keep(recover_t *recover, convex_t *shape, int32_t contents);

/// Replaces two kept cells by their union: *a receives it, *b NULL. Changes nothing if it is not
/// convex. Returns false if the recovery is given up.
bool Recover_JoinPair(recover_t *recover, convex_t **a, convex_t **b, const side_t *plane);

/// Joins the kept cells from `first` to `middle`, in front of a plane, with those behind it.
bool Recover_Join(recover_t *recover, int32_t first, int32_t middle, const side_t *plane);

/// Adds a brush; NULL as `moves` does not move its faces.
bool Recover_AddBrush(recover_t *recover, const cell_t *cell, const double *moves);

/// Frees the kept cells.
void Recover_Forget(recover_t *recover);

static inline side_t Recover_Plane(const hull_t *hull, const clipnode_t *node) {
    const plane_t *plane = &hull->planes[CM_ClipNodePlane(node)];
    return (side_t){DV_FromVector(plane->normal), (double)plane->dist};
}

/// Adds the clip brushes of a model. `first`: index of the model's first brush; all brushes from
/// there on are of this model.
bool Recover_Clip(recover_t *recover, const cmodel_t *model, int32_t first);

#endif
