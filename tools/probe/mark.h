/// probe/mark.h - draws what stands on the ground of a picture: entities, points and sweeps.
//
// Floor:   tools.

#ifndef EDICTD_PROBE_MARK_H
#define EDICTD_PROBE_MARK_H

#include "probe/picture.h"
#include "probe/scene.h"

/// Brush entities as boxes with names, teleporters with arrows to their destinations, push pads
/// with the way they throw a player, spawns and projectiles.
void Mark_Things(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

/// Hitboxes in the colours of their groups: all of each, or in a slice what it cuts. Low ones first.
void Mark_Figures(FILE *out, const picture_t *picture, const things_t *things);

/// The rows of a table: columns x,y,z are dots; sx,sy,sz,ex,ey,ez are sweeps by a rule, where they
/// stop, and what hitbox they meet. A column `label`, else `id`, is written beside each. What sweeps
/// meet is printed to `answers`, when the rule has figures. False with "name:line: ...".
bool Mark_Points(FILE *out, const picture_t *picture, const sweep_rule_t *rule, FILE *answers,
                 csv_t *csv, err_t *err);

/// Columns x,y,z: a way from row to row; one of other `traj` begins anew. False as above.
bool Mark_Path(FILE *out, const picture_t *picture, csv_t *csv, err_t *err);

#endif
