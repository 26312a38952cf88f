/// probe/figure.h - poses models with bones for a picture, and sweeps against their hitboxes.
//
// Units:   qu, degrees, ms.
// Memory:  none of its own; a figure points to its model.

#ifndef EDICTD_PROBE_FIGURE_H
#define EDICTD_PROBE_FIGURE_H

#include "base/err.h"
#include "collide/cmodel.h"
#include "model/hitbox.h"

#define MAX_FIGURE_NAME_BYTES 64

/// Options that replace the animation of the map's entity.
typedef struct {
    const char *animation;   ///< name; NULL: the entity's, or else the first animation
    const char *controllers; ///< numbers, separated by blanks; NULL: the entity's, or else 0
    float time_ms;           ///< since the animation began
} figure_options_t;

/// A model with bones at its position.
typedef struct {
    const model_t *model;
    char name[MAX_FIGURE_NAME_BYTES]; ///< the entity's class, or the file
    cm_object_t place;
    pose_request_t request;
    turned_box_t boxes[MAX_HITBOXES]; ///< in world space
    bounds_t bounds;                  ///< of all boxes
} figure_t;

/// A sweep and the hitbox that it hit.
typedef struct {
    trace_t trace;
    const figure_t *figure; ///< NULL: the sweep hit the world or nothing
    int32_t hitbox;         ///< of the figure's model
} figure_hit_t;

/// Sets the controllers from text, one number each. Returns false for too many or for no number.
bool Figure_SetControllers(figure_t *figure, const char *text);

/// Computes boxes and bounds of the hitboxes from `place` and `request`.
void Figure_Stand(figure_t *figure);

/// Applies the options to the figures and computes their hitboxes. At least one model must have the
/// animation and the controllers; the other figures keep their own. The error has the valid names.
bool Figure_Apply(figure_t *figures, int32_t count, const figure_options_t *options, err_t *err);

/// Returns the nearest hitbox of all figures that the sweep of a box or a point hits.
figure_hit_t Figure_Sweep(const figure_t *figures, int32_t count, vec3_t start, vec3_t end,
                          bounds_t swept);

/// Writes the corners of a turned box. Bit i of a corner's index is set at the far end of axis i.
void Figure_Corners(const turned_box_t *box, vec3_t corners[8]);

/// Returns the name of a hit group: "head", "left_arm", ...
const char *Figure_GroupName(int32_t group);

/// Returns the colour of a hit group, 0xRRGGBB.
uint32_t Figure_GroupColour(int32_t group);

#endif
