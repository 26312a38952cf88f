/// probe/scene.h - loads a map with its entities, or one model with bones, and sweeps points and
/// boxes through it.
//
// Memory:  allocated by Scene_Open, freed by Scene_Close.

#ifndef EDICTD_PROBE_SCENE_H
#define EDICTD_PROBE_SCENE_H

#include "probe/csv.h"
#include "probe/thing.h"

typedef struct {
    cmap_t *map;
    things_t things;
    // The file and the model of a scene that is an .emesh file with bones.
    emesh_t file;
    model_t model;
} scene_t;

/// Loads a map or an .emesh file. The model of an .emesh file stands at 0 0 0. Fails if the file
/// has nothing to show, or if no model supports the options.
scene_t *Scene_Open(const char *path, const figure_options_t *options, err_t *err);

void Scene_Close(scene_t *scene);

/// Settings of a sweep: its box, and the objects that stop it.
typedef struct {
    const cmap_t *map;
    bounds_t box; ///< box to sweep; empty: a point
    int32_t solids;
    const things_t *figures; ///< their hitboxes stop sweeps; NULL: only the world does
} sweep_rule_t;

/// Sweeps rule->box from `start` to `end`. Returns the first hit with the map or with a hitbox.
figure_hit_t Scene_Sweep(const sweep_rule_t *rule, vec3_t start, vec3_t end);

/// Print the table of hits: its header, and one row. A row has the id, the trace's fraction and end
/// position, and the class, hit group and bone that were hit.
void Scene_PrintHeader(FILE *out);
void Scene_PrintHit(FILE *out, const char *id, const figure_hit_t *hit);

/// Returns the column `label` of the last row. Without one returns the column `id`, or "".
const char *Scene_RowName(const csv_t *csv);

#endif
