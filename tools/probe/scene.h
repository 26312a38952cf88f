/// probe/scene.h - what a picture shows: a map with its entities, or one model with bones, and how
/// the sweeps of a table go through it.
//
// Floor:   tools.
// Units:   qu.
// Memory:  malloc'ed by Scene_Open, freed by Scene_Close.

#ifndef EDICTD_PROBE_SCENE_H
#define EDICTD_PROBE_SCENE_H

#include "probe/csv.h"
#include "probe/thing.h"

typedef struct {
    cmap_t map;
    things_t things;
    // Of an .emesh file with bones that is shown for itself.
    emesh_t file;
    model_t model;
    cmodel_t nothing; ///< the map's only model, where the file has no triangles
    char entities[1]; ///< and its entity text
} scene_t;

/// Loads any map. An .emesh file with hitboxes is a figure at 0 0 0, and the world around it is its
/// triangles, or nothing. NULL (err) when there is nothing to show, or the options fit nothing.
scene_t *Scene_Open(const char *path, const figure_options_t *options, err_t *err);

void Scene_Close(scene_t *scene);

/// What the sweeps of a table meet.
typedef struct {
    const cmap_t *map;
    bounds_t box; ///< that is swept
    int32_t solids;
    const things_t *figures; ///< whose hitboxes are met; NULL: the world alone
} sweep_rule_t;

/// The nearest of the world and, by the rule, the figures. Hitboxes are met wherever they are: the
/// server asks for the box of their entity first.
figure_hit_t Scene_Sweep(const sweep_rule_t *rule, vec3_t start, vec3_t end);

/// Prints the header of the table of answers, and the answer to a sweep: what was met, its hit group
/// and its bone (number and name); nothing for what was not. `id` is that of the row.
void Scene_PrintHeader(FILE *out);
void Scene_PrintHit(FILE *out, const char *id, const figure_hit_t *hit);

/// The text of a row's column `label`, else `id`, else "".
const char *Scene_RowName(const csv_t *csv);

#endif
