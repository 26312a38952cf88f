/// probe/figure.h - models with bones in a picture: their bone poses, and sweeps against hitboxes.
//
// Units:   qu, degrees, ms.
// Memory:  none of its own; a figure points to its model.

#ifndef EDICTD_PROBE_FIGURE_H
#define EDICTD_PROBE_FIGURE_H

#include "base/err.h"
#include "collide/cmodel.h"
#include "model/hitbox.h"

#define MAX_FIGURE_NAME_BYTES 64

/// The animation to show instead of the one of the map.
typedef struct {
    const char *animation;   ///< name; NULL = the one of the entity, else the first
    const char *controllers; ///< numbers, separated by blanks; NULL = those of the entity, else 0
    float time_ms;           ///< since the animation began
} figure_options_t;

/// A model with bones at its position.
typedef struct {
    const model_t *model;
    char name[MAX_FIGURE_NAME_BYTES]; ///< of the entity's class, or the file
    cm_place_t place;
    pose_request_t request;
    turned_box_t boxes[MAX_HITBOXES]; ///< in world space
    bounds_t bounds;                  ///< of all boxes
} figure_t;

/// A sweep and the hitbox that it hit.
typedef struct {
    trace_t trace;
    const figure_t *figure; ///< NULL: the world, or nothing
    int32_t hitbox;         ///< of the figure's model
} figure_hit_t;

/// Sets the controllers from text, one number each. False: too many, or not numbers.
bool Figure_SetControllers(figure_t *figure, const char *text);

/// Computes boxes and bounds of the hitboxes from `place` and `request`.
void Figure_Stand(figure_t *figure);

/// Applies the options to the figures and computes their hitboxes. At least one model must have the
/// animation and the controllers; the other figures keep their own. False with the valid names.
bool Figure_Apply(figure_t *figures, int32_t count, const figure_options_t *options, err_t *err);

/// Returns the nearest hitbox of all figures that the sweep of a box or a point hits.
figure_hit_t Figure_Sweep(const figure_t *figures, int32_t count, vec3_t start, vec3_t end,
                          bounds_t swept);

/// Writes the corners of a turned box: bit 0, 1, 2 of the index = the far end of axis 0, 1, 2.
void Figure_Corners(const turned_box_t *box, vec3_t corners[8]);

/// Returns the name of a hit group: "head", "left_arm", ...
const char *Figure_GroupName(int32_t group);

/// Returns the colour of a hit group, 0xRRGGBB.
uint32_t Figure_GroupColour(int32_t group);

#endif
