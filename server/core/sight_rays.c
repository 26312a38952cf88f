/// core/sight_rays.c - tests if two players may soon see each other.

#include "collide/vis.h"
#include "core/sight.h"

#include <string.h>

#define MAX_PAIR_BLOCKERS 32   // further brush models near a pair block nothing
#define STEP_QU           4.0f // between two rays to a line; more if the line is long
#define MAX_STEPS         16   // rays to a line
#define BISECTIONS        5    // to find the end of what a brush hides
#define SQRT_HALF         0.7071f

typedef struct {
    sight_query_t *query;
    int32_t hider; // brush that hid the last ray, or -1
    sight_blocker_t near[MAX_PAIR_BLOCKERS];
    int32_t num_near;
    vec3_t left; // of the line between the eyes
} test_t;

// Sweeps a point through the world.
static bool reaches(sight_query_t *query, vec3_t from, vec3_t to, vec3_t *end, vec3_t *normal) {
    const cm_object_t world = {.model = 0};
    query->num_rays++;
    trace_t trace = CM_BoxTrace(query->map, &world, from, to, vec3_zero, vec3_zero);
    *end = trace.startsolid ? from : trace.endpos;
    *normal = trace.plane.normal;
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
    vec3_t normal;
    if (is_occluded(query, from, to)) {
        test->hider = query->occluders[0] - 1;
        return false;
    }
    test->hider = -1;
    if (!reaches(query, from, to, &end, &normal)) {
        if (CM_IsSeeThrough(query->map, 0, BoundsOfSweep(end, end, vec3_zero, vec3_zero, 1.0f))) {
            return true; // whatever is behind the glass
        }
        const int32_t brush = CM_BrushAt(query->map, VectorSubtract(end, normal));
        if (brush >= 0) {
            memmove(&query->occluders[1], query->occluders,
                    (OCCLUDERS - 1) * sizeof query->occluders[0]);
            query->occluders[0] = brush + 1;
            test->hider = CM_BrushHides(query->map, brush, from, to) ? brush : -1;
        }
        return false;
    }
    const bounds_t box = BoundsOfSweep(from, to, vec3_zero, vec3_zero, 1.0f);
    for (int32_t i = 0; i < test->num_near; i++) {
        const sight_blocker_t *blocker = &test->near[i];
        if (BoundsTouch(blocker->box, box) &&
            CM_BoxTrace(test->query->map, &blocker->object, from, to, vec3_zero, vec3_zero)
                    .fraction < 1.0f) {
            test->query->was_model = true;
            return false;
        }
    }
    return true;
}

// Sweeps from an eye. Returns where it ends.
static vec3_t swept(test_t *test, vec3_t from, vec3_t to) {
    vec3_t end;
    vec3_t normal;
    (void)reaches(test->query, from, to, &end, &normal);
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

// Returns true if a brush hides a line from all points between two eyes.
static bool hides_line(const sight_query_t *query, vec3_t a, vec3_t b, const vec3_t line[2]) {
    for (int32_t i = 0; i < OCCLUDERS && query->occluders[i] > 0; i++) {
        const int32_t brush = query->occluders[i] - 1;
        if (CM_BrushHides(query->map, brush, a, line[0]) &&
            CM_BrushHides(query->map, brush, a, line[1]) &&
            CM_BrushHides(query->map, brush, b, line[0]) &&
            CM_BrushHides(query->map, brush, b, line[1])) {
            return true;
        }
    }
    return false;
}

// Returns true if a point of a line is in clear sight from a point between two eyes.
static bool sees_between(test_t *test, vec3_t a, vec3_t b, const vec3_t line[2]) {
    enum { PARTS = 4 };
    const vec3_t along = VectorSubtract(b, a);
    if (hides_line(test->query, a, b, line)) {
        return false;
    }
    for (int32_t i = 0; i < PARTS; i++) {
        const vec3_t from = VectorMA(a, (float)i / (float)PARTS, along);
        const vec3_t to = VectorMA(a, (float)(i + 1) / (float)PARTS, along);
        if (!hides_line(test->query, from, to, line) &&
            (sees_line(test, from, line) || sees_line(test, VectorLerp(from, to, 0.5f), line) ||
             (i == PARTS - 1 && sees_line(test, to, line)))) {
            return true;
        }
    }
    return false;
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
    vec3_t eyes[SIGHT_EYES];
    vec3_t lines[2][2];
    add_targets(test, other, other->drift, lines);
    add_eyes(test, &test->query->bodies[from], eyes);
    if (sees_between(test, eyes[0], eyes[1], lines[0]) ||
        sees_between(test, eyes[0], eyes[1], lines[1])) {
        return true;
    }
    for (int32_t i = 2; i < SIGHT_EYES; i++) {
        if (sees_lines(test, eyes[i], lines)) {
            return true;
        }
    }
    return false;
}

// Lists the blockers near a pair.
static void list_near(test_t *test) {
    const sight_query_t *query = test->query;
    const sight_body_t *a = &query->bodies[0];
    const sight_body_t *b = &query->bodies[1];
    const float margin = (a->reach > b->reach ? a->reach : b->reach) + a->half + b->half;
    bounds_t box = BoundsOfSweep(a->eye, b->eye, vec3_zero, vec3_zero, margin);
    box = BoundsUnion(box, BoundsOfSweep(a->feet, b->feet, vec3_zero, vec3_zero, margin));
    for (int32_t i = 0; i < query->num_blockers && test->num_near < MAX_PAIR_BLOCKERS; i++) {
        if (BoundsTouch(query->blockers[i].box, box)) {
            test->near[test->num_near++] = query->blockers[i];
        }
    }
}

static void begin(test_t *test, sight_query_t *query) {
    test->query = query;
    test->num_near = 0;
    list_near(test);
}

bool Sight_EyesMeet(sight_query_t *query) {
    test_t test;
    begin(&test, query);
    query->is_now = is_clear(&test, query->bodies[0].eye, query->bodies[1].eye);
    return query->is_now;
}

static bool is_in_solid(const sight_query_t *query, int32_t player) {
    const cm_object_t world = {.model = 0};
    return CM_Contents(query->map, &world, query->bodies[player].eye) == CONTENTS_SOLID;
}

bool Sight_IsClear(sight_query_t *query) {
    test_t test;
    const vec3_t along = VectorSubtract(query->bodies[1].eye, query->bodies[0].eye);
    begin(&test, query);
    test.left = VectorNormalize(Vector(-along.y, along.x, 0.0f), NULL);
    const bool is_clear = is_in_solid(query, 0) || is_in_solid(query, 1) || sees_soon(&test, 0) ||
                          sees_soon(&test, 1);
    query->is_now = is_clear && (sees_now(&test, 0) || sees_now(&test, 1));
    return is_clear;
}
