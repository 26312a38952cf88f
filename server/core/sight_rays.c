/// core/sight_rays.c - tests if two players may soon see each other.

#include "collide/brush/brush.h"
#include "collide/vis.h"
#include "core/sight.h"

#include <math.h>
#include <string.h>

#define STEP_QU      4.0f  // between two rays to a line; more if the line is long
#define MAX_STEPS    16    // rays to a line
#define BISECTIONS   5     // to find the end of what a brush hides
#define DEPTH        0.5f  // along a ray, where the brush is found that blocked it
#define EYE          0.5f  // half the width of an eye
#define MIN_LENGTH   1.0f  // nearer players see each other
#define MIN_WIDTH    0.25f // narrower gaps hide
#define MAX_CORNERS  16
#define MAX_RAYS     48 // to all lines in a plane; then, one counts as clear
#define MAX_HALVINGS 4  // of lines that no brush blocks as a whole
#define SQRT_HALF    0.7071f

// A line of sight in a plane: x is where it starts, y where it ends, both to the left. Or a point
// of a brush in that plane: x is forward, y to the left.
typedef struct {
    float x, y;
} spot_t;

typedef struct {
    int32_t count; // of corners; it is convex
    spot_t at[MAX_CORNERS];
} polygon_t;

typedef struct {
    vec3_t origin, forward; // forward has length 1
    float length;           // of the lines, forward
    int32_t rays;           // that are left
} sight_plane_t;

typedef struct {
    sight_query_t *query;
    int32_t hit;   // brush that blocked the last ray, or -1
    int32_t hider; // the same, if it does so deeper than its margin
    vec3_t left;   // of the line between the eyes
} test_t;

// Sweeps a point through the world.
static bool reaches(sight_query_t *query, vec3_t from, vec3_t to, vec3_t *end) {
    const cm_object_t world = {.model = 0};
    query->num_rays++;
    trace_t trace = CM_BoxTrace(query->map, &world, from, to, vec3_zero, vec3_zero);
    *end = trace.startsolid ? from : trace.endpos;
    return trace.fraction >= 1.0f && !trace.startsolid;
}

// Returns true if a brush that blocked another ray blocks this one. Moves it to the front.
static bool is_occluded(sight_query_t *query, vec3_t from, vec3_t to) {
    for (int32_t i = 0; i < OCCLUDERS && query->occluders[i] > 0; i++) {
        const int32_t brush = query->occluders[i];
        if (CM_BrushHides(query->map, brush - 1, from, to)) {
            query->occluders[i] = query->occluders[0];
            query->occluders[0] = brush;
            return true;
        }
    }
    return false;
}

static bool is_clear(test_t *test, vec3_t from, vec3_t to) {
    sight_query_t *query = test->query;
    vec3_t end;
    if (is_occluded(query, from, to)) {
        test->hider = test->hit = query->occluders[0] - 1;
        return false;
    }
    test->hider = test->hit = -1;
    if (!reaches(query, from, to, &end)) {
        if (CM_IsSeeThrough(query->map, 0, BoundsOfSweep(end, end, vec3_zero, vec3_zero, 1.0f))) {
            return true; // glass; brushes after it are not tested
        }
        const vec3_t toward = VectorNormalize(VectorSubtract(to, from), NULL);
        const int32_t brush = CM_BrushAt(query->map, VectorMA(end, DEPTH, toward));
        test->hit = brush;
        if (brush >= 0) {
            memmove(&query->occluders[1], query->occluders,
                    (OCCLUDERS - 1) * sizeof query->occluders[0]);
            query->occluders[0] = brush + 1;
            test->hider = CM_BrushHides(query->map, brush, from, to) ? brush : -1;
        }
        return false;
    }
    const bounds_t box = BoundsOfSweep(from, to, vec3_zero, vec3_zero, 1.0f);
    for (int32_t i = 0; i < query->num_blockers; i++) {
        const sight_blocker_t *blocker = &query->blockers[i];
        if (BoundsTouch(blocker->box, box) &&
            CM_BoxTrace(query->map, &blocker->object, from, to, vec3_zero, vec3_zero).fraction <
                1.0f) {
            query->was_model = true;
            return false;
        }
    }
    return true;
}

// Sweeps from an eye. Returns where it ends.
static vec3_t swept(test_t *test, vec3_t from, vec3_t to) {
    vec3_t end;
    (void)reaches(test->query, from, to, &end);
    return end;
}

// Finds where the eye of a player may be: on the line from eyes[0] to eyes[1], and at the others,
// the last four aslant.
static void add_eyes(test_t *test, const sight_body_t *body, vec3_t eyes[SIGHT_EYES]) {
    const vec3_t eye = body->eye;
    const float ahead = body->speed > 0.0f ? body->reach / body->speed : 0.0f;
    eyes[0] = swept(test, eye, VectorMA(eye, body->reach, test->left));
    eyes[1] = swept(test, eye, VectorMA(eye, -body->reach, test->left));
    eyes[2] = swept(test, eye, Vector(eye.x, eye.y, eye.z + body->reach));
    eyes[3] = swept(test, eye, VectorMA(eye, ahead, body->velocity));
    eyes[4] = swept(test, eyes[3], VectorSubtract(eyes[3], Vector(0.0f, 0.0f, body->reach)));
    const vec3_t left = VectorScale(test->left, body->reach * SQRT_HALF);
    for (int32_t i = 0; i < 4; i++) {
        const float aside = i % 2 ? 1.0f : -1.0f;
        const float along = i / 2 ? 1.0f : -1.0f;
        eyes[5 + i] = swept(test, eye,
                            Vector(eye.x + aside * left.x + along * left.y,
                                   eye.y + aside * left.y - along * left.x, eye.z));
    }
}

// Finds the ends of two lines through a player, at the height of its eye and of its feet.
static void add_targets(test_t *test, const sight_body_t *body, float drift, vec3_t lines[2][2]) {
    for (int32_t i = 0; i < 2; i++) {
        const float to = body->half + drift;
        const vec3_t end = VectorMA(body->eye, i == 0 ? to : -to, test->left);
        lines[0][i] = drift > 0.0f ? swept(test, body->eye, end) : end; // the box is free
        lines[1][i] = Vector(lines[0][i].x, lines[0][i].y, body->feet.z);
    }
}

// Returns true if a point of a line is in clear sight from an eye. A brush hides a range of the
// line, because it is convex: where it ends, the next ray is tested.
static bool sees_line(test_t *test, vec3_t eye, const vec3_t line[2]) {
    sight_query_t *query = test->query;
    const float length = VectorLength(VectorSubtract(line[1], line[0]));
    const float step = fmaxf(STEP_QU / (length + STEP_QU), 1.0f / (float)(MAX_STEPS - 1));
    float at = 0.0f;
    for (int32_t i = 0; i < MAX_STEPS && at <= 1.0f; i++) {
        const vec3_t to = VectorLerp(line[0], line[1], at);
        if (is_clear(test, eye, to)) {
            return true;
        }
        const int32_t brush = test->hider;
        float end = 1.0f;
        if (brush >= 0) {
            float low = at;
            if (CM_BrushHides(query->map, brush, eye, line[1])) {
                return false;
            }
            for (int32_t k = 0; k < BISECTIONS; k++) {
                const float middle = 0.5f * (low + end);
                bool hides =
                    CM_BrushHides(query->map, brush, eye, VectorLerp(line[0], line[1], middle));
                low = hides ? middle : low;
                end = hides ? end : middle;
            }
        }
        at = brush < 0 ? at + step : end;
    }
    return false;
}

// Keeps the part of a polygon where a * x + b * y + c >= 0. Returns false and keeps all of it if it
// gets too many corners.
static bool clip(polygon_t *polygon, float a, float b, float c) {
    const polygon_t whole = *polygon;
    spot_t from = whole.at[whole.count > 0 ? whole.count - 1 : 0];
    float before = a * from.x + b * from.y + c;
    polygon->count = 0;
    for (int32_t i = 0; i < whole.count; i++) {
        const spot_t to = whole.at[i];
        const float now = a * to.x + b * to.y + c;
        if (polygon->count + 2 > MAX_CORNERS) {
            *polygon = whole;
            return false;
        }
        if ((before >= 0.0f) != (now >= 0.0f)) {
            const float t = before / (before - now);
            polygon->at[polygon->count++] =
                (spot_t){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        }
        if (now >= 0.0f) {
            polygon->at[polygon->count++] = to;
        }
        from = to;
        before = now;
    }
    return true;
}

static float area_of(const polygon_t *polygon) {
    float sum = 0.0f;
    for (int32_t i = 2; i < polygon->count; i++) {
        const spot_t o = polygon->at[0];
        const spot_t a = polygon->at[i - 1];
        const spot_t b = polygon->at[i];
        sum += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    }
    return 0.5f * fabsf(sum);
}

// Finds the section of a brush in a plane. It is empty if it has too many corners.
static polygon_t section_of(const test_t *test, const sight_plane_t *plane, const bounds_t *range) {
    const brush_list_t *list = CM_Brushes(test->query->map, 0);
    const cbrush_t *brush = &list->brushes[test->hit];
    const float right = fminf(range->mins.x, range->mins.y);
    const float left = fmaxf(range->maxs.x, range->maxs.y);
    polygon_t section = {
        4, {{0.0f, right}, {plane->length, right}, {plane->length, left}, {0.0f, left}}};
    for (int32_t i = 0; i < 6 + brush->num_faces; i++) {
        const float sign = i < 3 ? 1.0f : -1.0f;
        const vec3_t axial = {i % 3 == 0 ? sign : 0.0f, i % 3 == 1 ? sign : 0.0f,
                              i % 3 == 2 ? sign : 0.0f};
        const float dist =
            sign * VectorAxis(i < 3 ? brush->bounds.maxs : brush->bounds.mins, i % 3);
        const brush_plane_t face =
            i < 6 ? (brush_plane_t){axial, dist} : list->planes[brush->first_plane + i - 6];
        if (!clip(&section, -DotProduct(face.normal, plane->forward),
                  -DotProduct(face.normal, test->left),
                  face.dist - DotProduct(face.normal, plane->origin))) {
            return (polygon_t){0};
        }
    }
    return section;
}

// Splits lines into those that pass on both sides of the brush that blocked the last ray. Returns
// false if it blocks none of them.
static bool cut(const test_t *test, const sight_plane_t *plane, const bounds_t *range,
                polygon_t parts[2]) {
    const float area = area_of(&parts[0]);
    if (test->hit < 0) {
        return false;
    }
    const polygon_t section = section_of(test, plane, range);
    for (int32_t i = 0; i < section.count; i++) {
        const float t = section.at[i].x / plane->length;
        (void)clip(&parts[0], 1.0f - t, t, -section.at[i].y);
        (void)clip(&parts[1], t - 1.0f, -t, section.at[i].y);
    }
    return section.count > 0 && area_of(&parts[0]) + area_of(&parts[1]) < 0.99f * area;
}

// Returns true if one of these lines is clear. The brush that blocks the middle one hides all that
// pass it.
static bool sees_in_plane(test_t *test, sight_plane_t *plane, const polygon_t *lines,
                          int32_t halvings) {
    bounds_t range = {{INFINITY, INFINITY, 0.0f}, {-INFINITY, -INFINITY, 0.0f}};
    vec3_t middle = vec3_zero;
    for (int32_t i = 0; i < lines->count; i++) {
        const vec3_t at = {lines->at[i].x, lines->at[i].y, 0.0f};
        range = (bounds_t){VectorMin(range.mins, at), VectorMax(range.maxs, at)};
        middle = VectorMA(middle, 1.0f / (float)lines->count, at);
    }
    const vec3_t size = VectorSubtract(range.maxs, range.mins);
    const bool by_x = size.x >= size.y;
    const float widest = by_x ? size.x : size.y;
    if (lines->count < 3 || area_of(lines) <= MIN_WIDTH * widest) {
        return false;
    }
    const vec3_t from = VectorMA(plane->origin, middle.x, test->left);
    const vec3_t ahead = VectorMA(plane->origin, plane->length, plane->forward);
    if (--plane->rays < 0 || is_clear(test, from, VectorMA(ahead, middle.y, test->left))) {
        return true;
    }
    polygon_t parts[2] = {*lines, *lines};
    if (!cut(test, plane, &range, parts)) {
        if (halvings == MAX_HALVINGS || widest < STEP_QU) {
            return false;
        }
        halvings++;
        for (int32_t i = 0; i < 2; i++) {
            const float sign = i == 0 ? 1.0f : -1.0f;
            parts[i] = *lines;
            (void)clip(&parts[i], by_x ? sign : 0.0f, by_x ? 0.0f : sign,
                       -sign * (by_x ? middle.x : middle.y));
        }
    }
    return sees_in_plane(test, plane, &parts[0], halvings) ||
           sees_in_plane(test, plane, &parts[1], halvings);
}

// Returns true if a point of a line is in clear sight from a point between two others, all to the
// left or right of an eye.
static bool sees_between(test_t *test, vec3_t eye, const vec3_t ends[2], const vec3_t line[2]) {
    float x[2];
    float y[2];
    for (int32_t i = 0; i < 2; i++) { // ends[0] is the left one
        x[1 - i] = DotProduct(VectorSubtract(ends[i], eye), test->left) + (i == 0 ? EYE : -EYE);
        y[1 - i] = DotProduct(VectorSubtract(line[i], eye), test->left);
    }
    sight_plane_t plane = {.origin = eye, .rays = MAX_RAYS};
    const vec3_t ahead = VectorMA(line[0], -y[1], test->left);
    plane.forward = VectorNormalize(VectorSubtract(ahead, eye), &plane.length);
    const polygon_t lines = {4, {{x[0], y[0]}, {x[1], y[0]}, {x[1], y[1]}, {x[0], y[1]}}};
    return plane.length < MIN_LENGTH || sees_in_plane(test, &plane, &lines, 0);
}

static bool sees_lines(test_t *test, vec3_t eye, vec3_t lines[2][2]) {
    return sees_line(test, eye, lines[0]) || sees_line(test, eye, lines[1]);
}

// Returns true if player `from` sees the other without any movement.
static bool sees_now(test_t *test, int32_t from) {
    vec3_t lines[2][2];
    add_targets(test, &test->query->bodies[1 - from], 0.0f, lines);
    return sees_lines(test, test->query->bodies[from].eye, lines);
}

// Returns true if player `from` may soon see the other.
static bool sees_soon(test_t *test, int32_t from) {
    const sight_body_t *other = &test->query->bodies[1 - from];
    const vec3_t eye = test->query->bodies[from].eye;
    vec3_t eyes[SIGHT_EYES];
    vec3_t lines[2][2];
    add_targets(test, other, other->drift, lines);
    add_eyes(test, &test->query->bodies[from], eyes);
    if (sees_between(test, eye, eyes, lines[0]) || sees_between(test, eye, eyes, lines[1])) {
        return true;
    }
    for (int32_t i = 2; i < SIGHT_EYES; i++) {
        if (sees_lines(test, eyes[i], lines)) {
            return true;
        }
    }
    return false;
}

bool Sight_EyesMeet(sight_query_t *query) {
    test_t test = {.query = query};
    query->is_now = is_clear(&test, query->bodies[0].eye, query->bodies[1].eye);
    return query->is_now;
}

static bool is_in_solid(const sight_query_t *query, int32_t player) {
    const cm_object_t world = {.model = 0};
    return CM_Contents(query->map, &world, query->bodies[player].eye) == CONTENTS_SOLID;
}

bool Sight_IsClear(sight_query_t *query) {
    test_t test = {.query = query};
    const vec3_t along = VectorSubtract(query->bodies[1].eye, query->bodies[0].eye);
    test.left = VectorNormalize(Vector(-along.y, along.x, 0.0f), NULL);
    const bool is_clear = is_in_solid(query, 0) || is_in_solid(query, 1) || sees_soon(&test, 0) ||
                          sees_soon(&test, 1);
    query->is_now = is_clear && (sees_now(&test, 0) || sees_now(&test, 1));
    return is_clear;
}
