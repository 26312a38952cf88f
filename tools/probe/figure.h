/// probe/figure.h - models with bones in a picture: how they stand, what of them a sweep meets.
//
// Floor:   tools.
// Units:   qu, degrees, ms.
// Memory:  none of its own; a figure points to its model.

#ifndef EDICTD_PROBE_FIGURE_H
#define EDICTD_PROBE_FIGURE_H

#include "base/err.h"
#include "collide/cmodel.h"
#include "model/hitbox.h"

#define MAX_FIGURE_NAME_BYTES 64

/// What figures do, instead of what the map says.
typedef struct {
    const char *animation;   ///< by name; NULL = what the entity says, else the first
    const char *controllers; ///< numbers with blanks between; NULL = what the entity says, else 0
    float time_ms;           ///< since the animation began
} figure_options_t;

/// A model with bones where it stands.
typedef struct {
    const model_t *model;
    char name[MAX_FIGURE_NAME_BYTES]; ///< of the entity's class, or the file
    cm_place_t place;
    pose_request_t request;
    turned_box_t boxes[MAX_HITBOXES]; ///< in the world, by that
    bounds_t bounds;                  ///< of all of them
} figure_t;

/// A sweep, and what it met.
typedef struct {
    trace_t trace;
    const figure_t *figure; ///< NULL: the world, or nothing
    int32_t hitbox;         ///< of the figure's model
} figure_hit_t;

/// Takes --animation, --time or --controllers at argv[i] with the word behind it; returns how many
/// words, 0 = none of these, or without what belongs to it.
int Figure_TakeOption(int argc, char **argv, int i, figure_options_t *options);

/// Sets controllers from text: a number for each. False for more than there are, or no numbers.
bool Figure_SetControllers(figure_t *figure, const char *text);

/// Works out where the hitboxes are: boxes and bounds, from place and request.
void Figure_Stand(figure_t *figure);

/// Gives figures what the options say, and places them. An animation has to be one of some model,
/// and controllers have to be some model's; the others keep their own. False with what there is.
bool Figure_Apply(figure_t *figures, int32_t count, const figure_options_t *options, err_t *err);

/// The nearest hitbox of any of the figures that a box, or a point, meets on its way.
figure_hit_t Figure_Sweep(const figure_t *figures, int32_t count, vec3_t start, vec3_t end,
                          bounds_t swept);

/// The corners of a turned box: bit 0, 1, 2 of the index = the far end of axis 0, 1, 2.
void Figure_Corners(const turned_box_t *box, vec3_t corners[8]);

/// "head", "left_arm", ...
const char *Figure_GroupName(int32_t group);

/// The colour of a hit group, 0xRRGGBB.
uint32_t Figure_GroupColour(int32_t group);

#endif
