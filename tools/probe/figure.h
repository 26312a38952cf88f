/// probe/figure.h - figures: animated models in a map, whose hitboxes stop sweeps.
//
// Units:   qu, degrees, ms.
// Memory:  none; a figure points to its model.

#ifndef EDICTD_PROBE_FIGURE_H
#define EDICTD_PROBE_FIGURE_H

#include "base/err.h"
#include "collide/cmodel.h"
#include "model/hitbox.h"

#define MAX_FIGURE_NAME_BYTES 64

/// Command-line options that replace the animations of the map.
typedef struct {
    const char *animation;   ///< name; NULL = as in the map, or the first
    const char *controllers; ///< numbers, separated by blanks; NULL = as in the map, or 0
    float time_ms;           ///< time since the animation began
} figure_options_t;

/// A model with bones at a position in the world.
typedef struct {
    const model_t *model;
    char name[MAX_FIGURE_NAME_BYTES]; ///< class of the entity, or name of the file
    cm_object_t place;
    pose_request_t request;
    turned_box_t boxes[MAX_HITBOXES]; ///< in world space
    bounds_t bounds;                  ///< bounds of all boxes
} figure_t;

/// The result of a sweep against hitboxes.
typedef struct {
    trace_t trace;
    const figure_t *figure; ///< figure that was hit; NULL = the world or nothing
    int32_t hitbox;         ///< index of the hitbox in the figure's model
} figure_hit_t;

/// Sets the model's bone controllers from text such as "30 -10". Returns false for text that is no
/// list of numbers, or has too many.
bool Figure_SetControllers(figure_t *figure, const char *text);

/// Computes the hitboxes in world space. Call it after changing `place` or `request`.
void Figure_Stand(figure_t *figure);

/// Applies the options where possible and computes the hitboxes of all figures. Fails if an option
/// fits no figure.
bool Figure_Apply(figure_t *figures, int32_t count, const figure_options_t *options, err_t *err);

/// Sweeps a box from `start` to `end`. Returns the first hit with a hitbox of any figure.
figure_hit_t Figure_Sweep(const figure_t *figures, int32_t count, vec3_t start, vec3_t end,
                          bounds_t swept);

/// Writes the corners of a rotated box. Bit i of the index is 1 at the positive end of axis i.
void Figure_Corners(const turned_box_t *box, vec3_t corners[8]);

/// Returns the name of a hit group: "head", "left_arm", ...
const char *Figure_GroupName(int32_t group);

/// Returns the colour of a hit group, 0xRRGGBB.
uint32_t Figure_GroupColour(int32_t group);

#endif
