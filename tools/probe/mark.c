#include "probe/mark.h"

#include <string.h>

#define GRAVITY       800.0f // sv_gravity's default: a throw is shown as the reference game has it
#define FLIGHT_STEP_S 0.02f
#define FLIGHT_STEPS  150 // 3 s
#define COORD_LIMIT   65536.0f

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

/// A thrown player's way: free flight of hull 1 until it meets something.
static void put_flight(FILE *out, const picture_t *picture, const cmap_t *map,
                       const thing_t *thing) {
    const hull_t *hull = &map->models[0].hulls[1];
    vec3_t at = Probe_ThingCentre(thing);
    at.z = thing->bounds.mins.z - hull->clip_mins.z + 1.0f;
    vec3_t velocity = thing->velocity;
    for (int i = 0; i < FLIGHT_STEPS; i++) {
        velocity.z -= GRAVITY * FLIGHT_STEP_S;
        vec3_t next = VectorMA(at, FLIGHT_STEP_S, velocity);
        trace_t trace = CM_HullTrace(hull, at, next);
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
    put_box(out, picture, thing);
    if (thing->kind == THING_TELEPORT) {
        const thing_t *exit = Probe_FindDestination(things, thing->target);
        if (exit) {
            put_arrow(out, picture, Probe_ThingCentre(thing), Probe_ThingCentre(exit));
        }
    } else if (thing->kind == THING_PUSH) {
        put_flight(out, picture, map, thing);
    }
}

static bool is_shown(const picture_t *picture, const thing_t *thing) {
    float z = Probe_ThingCentre(thing).z;
    return z >= picture->options.z_min && z <= picture->options.z_max;
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

static bool mark_row(FILE *out, const picture_t *picture, const csv_t *csv, const int32_t cols[7],
                     err_t *err) {
    vec3_t start = {0};
    vec3_t end = {0};
    if (!Csv_Vector(csv, &cols[0], COORD_LIMIT, &start, err) ||
        (cols[3] >= 0 && !Csv_Vector(csv, &cols[3], COORD_LIMIT, &end, err))) {
        return false;
    }
    svg_point_t at = Picture_Point(picture, start);
    if (cols[3] >= 0) {
        Svg_Line(out, at, Picture_Point(picture, end), "sweep");
    }
    Svg_Circle(out, at, Picture_Extent(picture) / 300.0, "dot");
    if (cols[6] >= 0) {
        at.x += Picture_Extent(picture) / 200.0;
        Svg_Text(out, at, Csv_Text(csv, cols[6]), "name");
    }
    return true;
}

bool Mark_Points(FILE *out, const picture_t *picture, csv_t *csv, err_t *err) {
    static const char *const dots[] = {"x", "y", "z"};
    static const char *const sweeps[] = {"sx", "sy", "sz", "ex", "ey", "ez"};
    int32_t cols[7] = {-1, -1, -1, -1, -1, -1, -1};
    bool is_dots = Csv_Column(csv, "sx") < 0;
    if (!(is_dots ? Csv_Columns(csv, dots, 3, cols, err)
                  : Csv_Columns(csv, sweeps, 6, cols, err))) {
        return false;
    }
    int32_t label = Csv_Column(csv, "label");
    cols[6] = label >= 0 ? label : Csv_Column(csv, "id");
    for (;;) {
        csv_read_t got = Csv_Next(csv, err);
        if (got != CSV_ROW) {
            return got == CSV_END;
        }
        if (!mark_row(out, picture, csv, cols, err)) {
            return false;
        }
    }
}
