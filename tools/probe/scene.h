/// probe/scene.h - the subject of a picture: a map with its entities, or one model with bones; and
/// sweeps through it.
//
// Memory:  malloc'ed by Scene_Open, freed by Scene_Close.

#ifndef EDICTD_PROBE_SCENE_H
#define EDICTD_PROBE_SCENE_H

#include "probe/csv.h"
#include "probe/thing.h"

typedef struct {
    cmap_t *map;
    things_t things;
    // Used if the scene is an .emesh file with bones.
    emesh_t file;
    model_t model;
} scene_t;

/// Loads any map. An .emesh file with hitboxes becomes a figure at 0 0 0; its triangles, if any,
/// are the world. Fails if there is nothing to show or the options match nothing.
scene_t *Scene_Open(const char *path, const figure_options_t *options, err_t *err);

void Scene_Close(scene_t *scene);

/// How the sweeps of a table are traced.
typedef struct {
    const cmap_t *map;
    bounds_t box; ///< the box to sweep
    int32_t solids;
    const things_t *figures; ///< figures whose hitboxes stop sweeps; NULL: the world only
} sweep_rule_t;

/// Returns the nearest hit of the world and the figures of the rule. The hitboxes are always
/// tested; the server tests the box of their entity first.
figure_hit_t Scene_Sweep(const sweep_rule_t *rule, vec3_t start, vec3_t end);

/// Prints the header of the result table, and the result of a sweep: the class hit, the hit group
/// and the bone (number and name); empty fields without a hit. `id`: the id of the row.
void Scene_PrintHeader(FILE *out);
void Scene_PrintHit(FILE *out, const char *id, const figure_hit_t *hit);

/// Returns a row's column `label`; without it `id`; without both "".
const char *Scene_RowName(const csv_t *csv);

#endif
