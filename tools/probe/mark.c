#include "probe/mark.h"

#include <string.h>

#define GRAVITY       800.0f // sv_gravity's default: a throw is shown as the reference game has it
#define FLIGHT_STEP_S 0.02f
#define FLIGHT_STEPS  150 // 3 s
#define COORD_LIMIT   65536.0f
#define NEAR_SLICE    128.0f // qu

static void put_box(FILE *out, const picture_t *picture, const thing_t *thing) {
    svg_point_t a = Picture_Point(picture, thing->bounds.mins);
    svg_point_t b = Picture_Point(picture, thing->bounds.maxs);
    svg_box_t box = {a.x, b.y, b.x - a.x, a.y - b.y};
    // A trigger over half the map would tint everything.
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

/// A thrown player's way: free flight of his box until it meets something.
static void put_flight(FILE *out, const picture_t *picture, const cmap_t *map,
                       const thing_t *thing) {
    const cm_place_t world = {.model = 0};
    bounds_t box = CM_HullSize(map->hullset, 1);
    vec3_t at = Probe_ThingCentre(thing);
    at.z = thing->bounds.mins.z - box.mins.z + 1.0f;
    vec3_t velocity = thing->velocity;
    for (int i = 0; i < FLIGHT_STEPS; i++) {
        velocity.z -= GRAVITY * FLIGHT_STEP_S;
        vec3_t next = VectorMA(at, FLIGHT_STEP_S, velocity);
        trace_t trace = CM_BoxTrace(map, &world, at, next, box.mins, box.maxs);
        Svg_Line(out, Picture_Point(picture, at), Picture_Point(picture, trace.endpos), "flight");
        if (trace.startsolid || trace.fraction < 1.0f) {
            // A wall on the way up is slid along; a floor ends the flight.
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
    // The cut through what is solid is drawn already, where the map has it.
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

/// In a slice what it cuts, and points that are near to it.
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
    // Names last: nothing covers them.
    for (int32_t i = 0; i < things->count; i++) {
        if (is_shown(picture, &things->list[i])) {
            put_name(out, picture, &things->list[i]);
        }
    }
}

/// A table being drawn.
typedef struct {
    FILE *out;
    const picture_t *picture;
    const cmap_t *map;
    const csv_t *csv;
    bounds_t box; // that is swept
    int32_t cols[7], traj;
    bool is_path, has_last;
    vec3_t last; // of a path
    char last_traj[MAX_THING_NAME_BYTES];
} table_marks_t;

/// A sweep as far as it comes, and what it does not reach.
static void mark_sweep(const table_marks_t *marks, vec3_t start, vec3_t end) {
    const picture_t *picture = marks->picture;
    const cm_place_t world = {.model = 0};
    trace_t trace = CM_BoxTrace(marks->map, &world, start, end, marks->box.mins, marks->box.maxs);
    svg_point_t stop = Picture_Point(picture, trace.endpos);
    Svg_Line(marks->out, Picture_Point(picture, start), stop, "sweep");
    if (trace.fraction < 1.0f) {
        Svg_Line(marks->out, stop, Picture_Point(picture, end), "missed");
        Svg_Circle(marks->out, stop, Picture_Extent(picture) / 250.0, "stop");
    }
}

/// A path goes on from the row before, when that has the same number in the column traj.
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
    if (cols[6] >= 0) {
        at.x += Picture_Extent(picture) / 200.0;
        Svg_Text(marks->out, at, Csv_Text(marks->csv, cols[6]), "name");
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
    int32_t label = Csv_Column(csv, "label");
    marks->cols[6] = label >= 0 ? label : Csv_Column(csv, "id");
    marks->traj = Csv_Column(csv, "traj");
    for (;;) {
        csv_read_t got = Csv_Next(csv, err);
        if (got != CSV_ROW) {
            return got == CSV_END;
        }
        if (!mark_row(marks, err)) {
            return false;
        }
    }
}

bool Mark_Points(FILE *out, const picture_t *picture, const cmap_t *map, bounds_t box, csv_t *csv,
                 err_t *err) {
    table_marks_t marks = {.out = out, .picture = picture, .map = map, .box = box};
    return mark_rows(&marks, csv, err);
}

bool Mark_Path(FILE *out, const picture_t *picture, csv_t *csv, err_t *err) {
    table_marks_t marks = {.out = out, .picture = picture, .is_path = true};
    return mark_rows(&marks, csv, err);
}
