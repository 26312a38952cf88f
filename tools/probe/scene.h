/// probe/scene.h - loads a map or a model with bones, and sweeps points and boxes through it.
//
// Memory:  allocated by Scene_Open, freed by Scene_Close.

#ifndef EDICTD_PROBE_SCENE_H
#define EDICTD_PROBE_SCENE_H

#include "probe/csv.h"
#include "probe/probe.h"
#include "probe/thing.h"

typedef struct {
    cmap_t *map;
    things_t things;
    // The file and the model of a scene that is an .emesh file with bones.
    emesh_t file;
    model_t model;
} scene_t;

/// The arguments of the commands that show a scene.
typedef struct {
    const char *map, *out, *points, *path;
    float box; ///< 0, or the Quake hull that sweeps use
    bool hitboxes;
    figure_options_t figures;
} scene_args_t;

/// Parses the common arguments and `count` more options. Reports the first wrong argument and
/// returns false.
bool Scene_ReadArgs(scene_args_t *args, const probe_option_t *options, size_t count, int argc,
                    char **argv);

/// Reports the first value in `args` that is out of range and returns false.
bool Scene_CheckArgs(const scene_args_t *args, const char *command);

/// Loads a map or an .emesh file. Puts the model of an .emesh file at 0 0 0. Fails if there is
/// nothing to show, or if no model supports the options.
scene_t *Scene_Open(const char *path, const figure_options_t *options, err_t *err);

void Scene_Close(scene_t *scene);

/// Settings of a sweep: the box, and the objects that stop the box.
typedef struct {
    const cmap_t *map;
    bounds_t box; ///< box to sweep; empty = a point
    int32_t solids;
    const things_t *figures; ///< figures whose hitboxes stop sweeps; NULL = none
} sweep_rule_t;

sweep_rule_t Scene_Rule(const scene_t *scene, const scene_args_t *args);

/// Sweeps rule->box from `start` to `end`. Returns the first hit with the map or with a hitbox.
figure_hit_t Scene_Sweep(const sweep_rule_t *rule, vec3_t start, vec3_t end);

/// Print the header and one row of the table of hits: id, fraction, end position, class, hit group
/// and bone.
void Scene_PrintHeader(FILE *out);
void Scene_PrintHit(FILE *out, const char *id, const figure_hit_t *hit);

/// Returns the column `label` of the last row. Without one returns the column `id`, or "".
const char *Scene_RowName(const csv_t *csv);

#endif
