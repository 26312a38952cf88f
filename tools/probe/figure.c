#include "probe/figure.h"

#include "base/str.h"
#include "probe/probe.h"
#include "state/trace_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t colour;
} groups[NUM_HIT_GROUPS] = {
    [HIT_GENERIC] = {"generic", 0x8a8f98u},   [HIT_HEAD] = {"head", 0xf28e2bu},
    [HIT_CHEST] = {"chest", 0x4e79a7u},       [HIT_STOMACH] = {"stomach", 0x59a14fu},
    [HIT_LEFT_ARM] = {"left_arm", 0x76c7c2u}, [HIT_RIGHT_ARM] = {"right_arm", 0xb07aa1u},
    [HIT_LEFT_LEG] = {"left_leg", 0xedc948u}, [HIT_RIGHT_LEG] = {"right_leg", 0x9c755fu},
};

const char *Figure_GroupName(int32_t group) {
    return groups[Q_MaxI(0, Q_MinI(group, NUM_HIT_GROUPS - 1))].name;
}

uint32_t Figure_GroupColour(int32_t group) {
    return groups[Q_MaxI(0, Q_MinI(group, NUM_HIT_GROUPS - 1))].colour;
}

// ---- options ----

bool Figure_SetControllers(figure_t *figure, const char *text) {
    char words[MAX_CONTROLLERS][32] = {{0}};
    float values[MAX_CONTROLLERS] = {0};
    char rest = 0;
    int32_t count =
        sscanf(text, "%31s %31s %31s %31s %c", words[0], words[1], words[2], words[3], &rest);
    bool good = count >= 1 && count <= figure->model->num_controllers;
    for (int32_t i = 0; i < count && good; i++) {
        good = Str_ToFloat(words[i], &values[i]);
    }
    if (good) {
        memcpy(figure->request.controllers, values, sizeof values);
    }
    return good;
}

/// Reports an unknown animation and lists the animations of the first figure.
static bool fail_with_names(const figure_t *figure, const figure_options_t *options, err_t *err) {
    char names[320] = "";
    const model_t *model = figure->model;
    for (int32_t i = 0; i < model->num_animations; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : " ",
                 model->animations[i].name);
    }
    return Err_Set(err, "--animation: expected one of %.64s:%s; found \"%.64s\"", figure->name,
                   names, options->animation);
}

bool Figure_Apply(figure_t *figures, int32_t count, const figure_options_t *options, err_t *err) {
    bool is_known = !options->animation;
    bool is_controlled = !options->controllers;
    if (count == 0 && (options->animation || options->controllers || options->time_ms > 0.0f)) {
        return Err_Set(err, "--animation, --time, --controllers: expected a model with hitboxes, "
                            "found none");
    }
    for (int32_t i = 0; i < count; i++) {
        figure_t *figure = &figures[i];
        int32_t number =
            options->animation ? Model_FindAnimation(figure->model, options->animation) : -1;
        if (number >= 0) {
            figure->request.animations[0] = number;
            is_known = true;
        }
        if (options->controllers) {
            is_controlled = Figure_SetControllers(figure, options->controllers) || is_controlled;
        }
        figure->request.times_ms[0] = (int64_t)options->time_ms;
        Figure_Stand(figure);
    }
    if (!is_known) {
        return fail_with_names(&figures[0], options, err);
    }
    return is_controlled ||
           Err_Set(err, "--controllers: expected 1 to %d numbers for %.64s, found \"%.64s\"",
                   figures[0].model->num_controllers, figures[0].name, options->controllers);
}

// ---- poses ----

void Figure_Corners(const turned_box_t *box, vec3_t corners[8]) {
    for (uint32_t i = 0; i < 8; i++) {
        corners[i] = box->middle;
        for (int32_t axis = 0; axis < 3; axis++) {
            float half = VectorAxis(box->half, axis);
            corners[i] =
                VectorMA(corners[i], (i >> axis & 1u) != 0 ? half : -half, box->axes[axis]);
        }
    }
}

void Figure_Stand(figure_t *figure) {
    const model_t *model = figure->model;
    (void)Hitbox_PlaceAll(NULL, 0, model, &figure->request, &figure->place, figure->boxes);
    figure->bounds = (bounds_t){figure->place.origin, figure->place.origin};
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        vec3_t corners[8];
        Figure_Corners(&figure->boxes[i], corners);
        for (size_t k = 0; k < COUNTOF(corners); k++) {
            bounds_t corner = {corners[k], corners[k]};
            bool is_first = i == 0 && k == 0;
            figure->bounds = is_first ? corner : BoundsUnion(figure->bounds, corner);
        }
    }
}

// ---- sweeps ----

/// Returns the index of the box that the trace hit.
static int32_t find_box(const figure_t *figure, const trace_t *trace, vec3_t start, vec3_t end,
                        bounds_t swept) {
    for (int32_t i = 0; i < figure->model->num_hitboxes; i++) {
        const model_hitbox_t *one = &figure->model->hitboxes[i];
        trace_t again = CM_TurnedBoxTrace(&figure->boxes[i], start, end, swept.mins, swept.maxs);
        if (one->bone + 1 == trace->bone && again.fraction == trace->fraction &&
            (again.fraction < 1.0f || again.startsolid)) {
            return i;
        }
    }
    return 0;
}

figure_hit_t Figure_Sweep(const figure_t *figures, int32_t count, vec3_t start, vec3_t end,
                          bounds_t swept) {
    figure_hit_t hit = {.trace = Trace_Free(end)};
    for (int32_t i = 0; i < count; i++) {
        const figure_t *figure = &figures[i];
        bounds_t way = BoundsOfSweep(start, hit.trace.endpos, swept.mins, swept.maxs, 1.0f);
        if (!BoundsTouch(way, figure->bounds)) {
            continue;
        }
        trace_t trace = CM_PlacedTrace(figure->model, figure->boxes, start, end, swept);
        bool is_inside = trace.startsolid && !hit.figure;
        if (trace.fraction < hit.trace.fraction ||
            (trace.fraction == hit.trace.fraction && is_inside)) {
            hit = (figure_hit_t){trace, figure, find_box(figure, &trace, start, end, swept)};
        }
    }
    return hit;
}
