/// probe/mark.h - draws entities, points and sweeps on top of an SVG picture.

#ifndef EDICTD_PROBE_MARK_H
#define EDICTD_PROBE_MARK_H

#include "probe/picture.h"
#include "probe/scene.h"

/// Draws brush entities as named boxes, teleporters with arrows to their destinations, push
/// triggers with the path of a thrown player, spawn points and projectiles.
void Mark_Things(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

/// Draws hitboxes in the colours of their groups, the farthest first. A slice shows their cuts.
void Mark_Figures(FILE *out, const picture_t *picture, const things_t *things);

/// Draws the rows of a table. Columns x,y,z give dots; sx,sy,sz,ex,ey,ez give sweeps with their end
/// and the hitbox that they hit. Writes the text of column `label`, or else of `id`, beside each.
/// If the rule has figures, also prints the hits to `answers`. Fails with "name:line: ...".
bool Mark_Points(FILE *out, const picture_t *picture, const sweep_rule_t *rule, FILE *answers,
                 csv_t *csv, err_t *err);

/// Draws a path through columns x,y,z. A new `traj` starts a new path. Fails with "name:line: ...".
bool Mark_Path(FILE *out, const picture_t *picture, csv_t *csv, err_t *err);

#endif
