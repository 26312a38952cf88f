/// probe/scene.h - loads the subject of a picture, a map with its entities or one model with bones,
/// and sweeps points and boxes through it.
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

/// Loads a map. An .emesh file with hitboxes becomes a figure at 0 0 0; its triangles, if any, are
/// the world. Fails if the file has nothing to show or no figure matches the options.
scene_t *Scene_Open(const char *path, const figure_options_t *options, err_t *err);

void Scene_Close(scene_t *scene);

/// How to trace the sweeps of a table.
typedef struct {
    const cmap_t *map;
    bounds_t box; ///< box to sweep; empty: a point
    int32_t solids;
    const things_t *figures; ///< their hitboxes stop sweeps; NULL: only the world does
} sweep_rule_t;

/// Returns the nearest hit of the world and of the rule's figures. Every hitbox is tested; the
/// server first tests the box of the entity.
figure_hit_t Scene_Sweep(const sweep_rule_t *rule, vec3_t start, vec3_t end);

/// Print the header of the result table, and a row for a sweep: the class that was hit, the hit
/// group and the bone (number and name). Without a hit these columns are empty. `id`: the row's id.
void Scene_PrintHeader(FILE *out);
void Scene_PrintHit(FILE *out, const char *id, const figure_hit_t *hit);

/// Returns the text of the last row's column `label`, or else `id`, or else "".
const char *Scene_RowName(const csv_t *csv);

#endif
