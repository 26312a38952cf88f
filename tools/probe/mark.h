/// probe/mark.h - draws entities, points and sweeps on top of an SVG picture.

#ifndef EDICTD_PROBE_MARK_H
#define EDICTD_PROBE_MARK_H

#include "probe/picture.h"
#include "probe/scene.h"

/// Draws the entities of a map: brush entities, teleporters, push triggers, spawn points and
/// projectiles.
void Mark_Things(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

/// Draws the hitboxes of all models. A slice shows the cuts of the hitboxes.
void Mark_Figures(FILE *out, const picture_t *picture, const things_t *things);

/// Draws a table: a dot per row with columns x,y,z, or a sweep per row with columns sx,sy,sz,
/// ex,ey,ez. Writes column `label` or `id` beside it. If the rule has figures (models with
/// hitboxes), also prints each sweep's hit to `answers`.
bool Mark_Points(FILE *out, const picture_t *picture, const sweep_rule_t *rule, FILE *answers,
                 csv_t *csv, err_t *err);

/// Draws a path through columns x,y,z. A change in column `traj` starts a new path.
bool Mark_Path(FILE *out, const picture_t *picture, csv_t *csv, err_t *err);

#endif
