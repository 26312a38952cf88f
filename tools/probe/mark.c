#include "probe/mark.h"

#include <string.h>

#define GRAVITY       800.0f // default of sv_gravity, as in the reference game
#define FLIGHT_STEP_S 0.02f
#define FLIGHT_STEPS  150 // 3 s of flight
#define COORD_LIMIT   65536.0f
#define NEAR_SLICE    128.0f // qu; a slice shows point entities this near

#define MAX_BOX_POINTS 12 // 8 corners; a plane cuts at most 12 edges

static void put_box(FILE *out, const picture_t *picture, const thing_t *thing) {
    svg_point_t a = Picture_Point(picture, thing->bounds.mins);
    svg_point_t b = Picture_Point(picture, thing->bounds.maxs);
    svg_box_t box = {a.x, b.y, b.x - a.x, a.y - b.y};
    // Large boxes have no fill, because the fill of a large trigger would tint the whole picture.
    bool wide = box.width + box.height > Picture_Extent(picture);
    Svg_Rect(out, box, wide ? "wide" : thing->kind == THING_SOLID ? "solid" : "trigger");
}

static void put_name(FILE *out, const picture_t *picture, const thing_t *thing) {
    char text[2 * MAX_THING_NAME_BYTES + 8];
    const char *more = thing->target[0] ? thing->target : thing->targetname;
    snprintf(text, sizeof(text), "%s%s%s", thing->name, more[0] ? " " : "", more);
    svg_point_t at = Picture_Point(picture, Probe_ThingCentre(thing));
    at.x += Picture_Extent(picture) / 120.0;
    Svg_Text(out, at, text, "name");
}

static void put_arrow(FILE *out, const picture_t *picture, vec3_t from, vec3_t to) {
    svg_point_t a = Picture_Point(picture, from);
    svg_point_t b = Picture_Point(picture, to);
    Svg_Line(out, a, b, "arrow");
    Svg_Circle(out, b, Picture_Extent(picture) / 200.0, "tip");
}

/// Draws the path of a player that a push trigger throws: free flight until the box hits a floor.
static void put_flight(FILE *out, const picture_t *picture, const cmap_t *map,
                       const thing_t *thing) {
    const cm_object_t world = {.model = 0};
    bounds_t box = CM_HullSize(CM_Info(map).hullset, 1);
    vec3_t at = Probe_ThingCentre(thing);
    at.z = thing->bounds.mins.z - box.mins.z + 1.0f;
    vec3_t velocity = thing->velocity;
    for (int i = 0; i < FLIGHT_STEPS; i++) {
        velocity.z -= GRAVITY * FLIGHT_STEP_S;
        vec3_t next = VectorMA(at, FLIGHT_STEP_S, velocity);
        trace_t trace = CM_BoxTrace(map, &world, at, next, box.mins, box.maxs);
        Svg_Line(out, Picture_Point(picture, at), Picture_Point(picture, trace.endpos), "flight");
        if (trace.startsolid || trace.fraction < 1.0f) {
            // The box slides along a wall; a floor ends the flight.
            if (trace.startsolid || trace.plane.normal.z > 0.3f) {
                break;
            }
            float into = DotProduct(velocity, trace.plane.normal);
            velocity = VectorMA(velocity, -into, trace.plane.normal);
        }
        at = trace.endpos;
    }
    Svg_Circle(out, Picture_Point(picture, at), Picture_Extent(picture) / 200.0, "tip");
}

static void put_point_thing(FILE *out, const picture_t *picture, const thing_t *thing) {
    vec3_t at = thing->bounds.mins;
    double radius = Picture_Extent(picture) / 120.0;
    const char *css_class = thing->kind == THING_SPAWN         ? "spawn"
                            : thing->kind == THING_DESTINATION ? "exit"
                                                               : "shot";
    svg_point_t from = Picture_Point(picture, at);
    svg_point_t to = Picture_Point(picture, VectorMA(at, 0.5f, thing->velocity));
    Svg_Line(out, from, to, "look");
    Svg_Circle(out, from, radius, css_class);
}

static void put_thing(FILE *out, const picture_t *picture, const cmap_t *map,
                      const things_t *things, const thing_t *thing) {
    if (thing->kind == THING_SPAWN || thing->kind == THING_DESTINATION ||
        thing->kind == THING_PROJECTILE) {
        put_point_thing(out, picture, thing);
        return;
    }
    // The box would only repeat the cut brushes and triangles that such a slice shows.
    bool is_cut = picture->options.kind == PICTURE_SLICE && picture->options.hull < 0 &&
                  thing->kind == THING_SOLID;
    if (!is_cut) {
        put_box(out, picture, thing);
    }
    if (thing->kind == THING_TELEPORT) {
        const thing_t *exit = Probe_FindDestination(things, thing->target);
        if (exit) {
            put_arrow(out, picture, Probe_ThingCentre(thing), Probe_ThingCentre(exit));
        }
    } else if (thing->kind == THING_PUSH) {
        put_flight(out, picture, map, thing);
    }
}

/// Returns true if the picture shows the entity. A slice must cut the box or pass near the origin.
static bool is_shown(const picture_t *picture, const thing_t *thing) {
    const picture_options_t *options = &picture->options;
    vec3_t centre = Probe_ThingCentre(thing);
    for (int32_t axis = 0; axis < 3; axis++) {
        float at = VectorAxis(centre, axis);
        bool across = options->kind != PICTURE_PLAN && axis == options->axis;
        if (!across && (at < VectorAxis(options->window.mins, axis) ||
                        at > VectorAxis(options->window.maxs, axis))) {
            return false;
        }
    }
    float near = thing->model > 0 ? 0.0f : NEAR_SLICE;
    return options->kind != PICTURE_SLICE ||
           (VectorAxis(thing->bounds.mins, options->axis) - near <= options->at &&
            VectorAxis(thing->bounds.maxs, options->axis) + near >= options->at);
}

void Mark_Things(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things) {
    for (int32_t i = 0; i < things->count; i++) {
        if (is_shown(picture, &things->list[i])) {
            put_thing(out, picture, map, things, &things->list[i]);
        }
    }
    // Names come last, so that nothing covers them.
    for (int32_t i = 0; i < things->count; i++) {
        if (is_shown(picture, &things->list[i])) {
            put_name(out, picture, &things->list[i]);
        }
    }
}

// ---- hitboxes ----

/// Projects a box's corners, or the points where a slice cuts edges. Returns the number of points.
static int32_t points_of(const picture_t *picture, const turned_box_t *box,
                         svg_point_t points[MAX_BOX_POINTS]) {
    const picture_options_t *options = &picture->options;
    vec3_t corners[8];
    int32_t count = 0;
    Figure_Corners(box, corners);
    for (uint32_t i = 0; i < 8; i++) {
        if (options->kind != PICTURE_SLICE) {
            points[count++] = Picture_Point(picture, corners[i]);
            continue;
        }
        for (uint32_t bit = 1; bit < 8; bit <<= 1) {
            float from = VectorAxis(corners[i], options->axis) - options->at;
            float to = VectorAxis(corners[i | bit], options->axis) - options->at;
            if ((i & bit) == 0 && (from < 0.0f) != (to < 0.0f)) {
                vec3_t at = VectorLerp(corners[i], corners[i | bit], from / (from - to));
                points[count++] = Picture_Point(picture, at);
            }
        }
    }
    return count;
}

/// Returns a number above 0 if p is to the left of the line from a to b.
static double side_of(svg_point_t a, svg_point_t b, svg_point_t p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// Computes the convex outline of points (Andrew's monotone chain). Returns its number of corners.
static int32_t outline(svg_point_t *points, int32_t count, svg_point_t *around) {
    for (int32_t i = 1; i < count; i++) {
        svg_point_t p = points[i];
        int32_t k = i;
        for (;
             k > 0 && (points[k - 1].x > p.x || (points[k - 1].x == p.x && points[k - 1].y > p.y));
             k--) {
            points[k] = points[k - 1];
        }
        points[k] = p;
    }
    int32_t found = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        int32_t least = found + 1; // pops no corner of an earlier pass
        for (int32_t i = 0; i < count; i++) {
            svg_point_t p = points[pass == 0 ? i : count - 1 - i];
            while (found > least && side_of(around[found - 2], around[found - 1], p) <= 0.0) {
                found--;
            }
            around[found++] = p;
        }
        found--; // the last corner is also the first of the next pass
    }
    return found;
}

static void put_hitbox(FILE *out, const picture_t *picture, const turned_box_t *box,
                       const char *css_class) {
    svg_point_t points[MAX_BOX_POINTS];
    svg_point_t around[2 * MAX_BOX_POINTS];
    int32_t count = outline(points, points_of(picture, box, points), around);
    if (count > 2) {
        Svg_Polygon(out, around, count, css_class);
    }
}

/// Returns how near a box is to the viewer; larger is nearer.
static float nearness(const picture_t *picture, const turned_box_t *box) {
    float at = VectorAxis(box->middle, picture->options.axis);
    return picture->options.axis == 1 ? -at : at;
}

static void put_figure(FILE *out, const picture_t *picture, const figure_t *figure) {
    int32_t order[MAX_HITBOXES];
    for (int32_t i = 0; i < figure->model->num_hitboxes; i++) {
        int32_t k = i;
        float near = nearness(picture, &figure->boxes[i]);
        for (; k > 0 && nearness(picture, &figure->boxes[order[k - 1]]) > near; k--) {
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
    for (int32_t i = 0; i < figure->model->num_hitboxes; i++) {
        put_hitbox(out, picture, &figure->boxes[order[i]],
                   Figure_GroupName(figure->model->hitboxes[order[i]].group));
    }
}

void Mark_Figures(FILE *out, const picture_t *picture, const things_t *things) {
    for (int32_t i = 0; i < things->num_figures; i++) {
        const figure_t *figure = &things->figures[i];
        if (BoundsTouch(figure->bounds, picture->options.window)) {
            put_figure(out, picture, figure);
        }
    }
}

// ---- tables ----

typedef struct {
    FILE *out;
    const picture_t *picture;
    const csv_t *csv;
    const sweep_rule_t *rule; // NULL: draw no sweeps
    FILE *answers;
    int32_t cols[6], traj;
    bool is_path, has_last;
    vec3_t last; // last point of the path
    char last_traj[MAX_THING_NAME_BYTES];
} table_marks_t;

/// Draws a sweep up to the hit, the hit, and the rest as a dashed line.
static void mark_sweep(const table_marks_t *marks, vec3_t start, vec3_t end) {
    const picture_t *picture = marks->picture;
    figure_hit_t hit = Scene_Sweep(marks->rule, start, end);
    svg_point_t stop = Picture_Point(picture, hit.trace.endpos);
    if (hit.figure) {
        put_hitbox(marks->out, picture, &hit.figure->boxes[hit.hitbox], "hit");
    }
    Svg_Line(marks->out, Picture_Point(picture, start), stop, "sweep");
    if (hit.trace.fraction < 1.0f) {
        Svg_Line(marks->out, stop, Picture_Point(picture, end), "missed");
        Svg_Circle(marks->out, stop, Picture_Extent(picture) / 250.0, "stop");
    }
    if (hit.figure) {
        const model_hitbox_t *box = &hit.figure->model->hitboxes[hit.hitbox];
        char text[2 * MODEL_NAME_BYTES];
        snprintf(text, sizeof text, "%s: %s", Figure_GroupName(box->group),
                 hit.figure->model->bones[box->bone].name);
        stop.x += Picture_Extent(picture) / 120.0;
        Svg_Text(marks->out, stop, text, "name");
    }
    if (marks->rule->figures) {
        Scene_PrintHit(marks->answers, Scene_RowName(marks->csv), &hit);
    }
}

/// Draws a line from the previous row's point if both rows have the same text in column traj.
static void mark_path(table_marks_t *marks, vec3_t at) {
    const char *traj = marks->traj >= 0 ? Csv_Text(marks->csv, marks->traj) : "";
    if (marks->has_last && strcmp(traj, marks->last_traj) == 0) {
        Svg_Line(marks->out, Picture_Point(marks->picture, marks->last),
                 Picture_Point(marks->picture, at), "way");
    } else {
        Svg_Circle(marks->out, Picture_Point(marks->picture, at),
                   Picture_Extent(marks->picture) / 250.0, "tip");
    }
    strlcpy(marks->last_traj, traj, sizeof marks->last_traj);
    marks->last = at;
    marks->has_last = true;
}

static bool mark_row(table_marks_t *marks, err_t *err) {
    const picture_t *picture = marks->picture;
    const int32_t *cols = marks->cols;
    vec3_t start = {0};
    vec3_t end = {0};
    if (!Csv_Vector(marks->csv, &cols[0], COORD_LIMIT, &start, err) ||
        (cols[3] >= 0 && !Csv_Vector(marks->csv, &cols[3], COORD_LIMIT, &end, err))) {
        return false;
    }
    if (marks->is_path) {
        mark_path(marks, start);
        return true;
    }
    if (cols[3] >= 0) {
        mark_sweep(marks, start, end);
    }
    svg_point_t at = Picture_Point(picture, start);
    Svg_Circle(marks->out, at, Picture_Extent(picture) / 300.0, "dot");
    const char *name = Scene_RowName(marks->csv);
    if (name[0] != '\0') {
        at.x += Picture_Extent(picture) / 200.0;
        Svg_Text(marks->out, at, name, "name");
    }
    return true;
}

static bool mark_rows(table_marks_t *marks, csv_t *csv, err_t *err) {
    static const char *const dots[] = {"x", "y", "z"};
    static const char *const sweeps[] = {"sx", "sy", "sz", "ex", "ey", "ez"};
    bool is_dots = marks->is_path || Csv_Column(csv, "sx") < 0;
    marks->csv = csv;
    marks->cols[3] = -1;
    if (!Csv_Columns(csv, is_dots ? dots : sweeps, is_dots ? 3 : 6, marks->cols, err)) {
        return false;
    }
    marks->traj = Csv_Column(csv, "traj");
    if (!is_dots && marks->rule->figures) {
        Scene_PrintHeader(marks->answers);
    }
    csv_read_t got;
    while ((got = Csv_Next(csv, err)) == CSV_ROW) {
        if (!mark_row(marks, err)) {
            return false;
        }
    }
    return got == CSV_END;
}

bool Mark_Points(FILE *out, const picture_t *picture, const sweep_rule_t *rule, FILE *answers,
                 csv_t *csv, err_t *err) {
    table_marks_t marks = {.out = out, .picture = picture, .rule = rule, .answers = answers};
    return mark_rows(&marks, csv, err);
}

bool Mark_Path(FILE *out, const picture_t *picture, csv_t *csv, err_t *err) {
    table_marks_t marks = {.out = out, .picture = picture, .is_path = true};
    return mark_rows(&marks, csv, err);
}
