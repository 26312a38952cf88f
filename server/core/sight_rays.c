#include "core/sight.h"

#include "collide/vis.h"

#include <math.h>
#include <string.h>

#define DEPTH         0.5f    // along a ray, where the brush is found that blocked it
#define STEP_QU       4.0f    // narrower sets of lines that no brush cuts are not halved
#define EYE           0.5f    // half the width of an eye
#define MIN_LENGTH    1.0f    // nearer players see each other
#define MIN_WIDTH     0.25f   // narrower gaps hide
#define MAX_CORNERS   12      // of a polygon
#define MAX_HALVINGS  4       // of lines that no brush cuts
#define MAX_HEIGHTS   9       // of lines
#define OUTER_HEIGHTS 5       // the middle one, and four that the others are between
#define NODE_RAYS     2       // a step of the search costs about as much as so many rays
#define MAX_FACES     32      // of a brush that cuts lines
#define STEEP         0.9f    // height / length of a line between players below each other
#define FRONT         1.3f    // lines start so far into the half of what the eye reaches
#define BACK          0.35f   // of that half: a step back along a line, to what the eye reaches
#define MAX_BACK      3       // steps back
#define FLAT          0.0001f // part of a normal that counts as none
#define SQRT_HALF     0.7071f

// A line along one axis: x is where it starts, y where it ends. Or a point of a brush: x is the
// part of a line before it, y its place along the axis.
typedef struct {
    float x, y;
} spot_t;

typedef struct {
    int32_t count; // of corners; it is convex
    spot_t at[MAX_CORNERS];
} polygon_t;

// Lines from one upright rectangle to another.
typedef struct {
    polygon_t across; // to the left
    int32_t num_heights;
    spot_t heights[MAX_HEIGHTS]; // along the other axis
} lines_t;

typedef struct {
    sight_query_t *query;
    vec3_t eye;
    vec3_t from, to; // middles of the rectangles
    vec3_t axes[2];  // of the rectangles: left, up
    float back;      // a step back from the first rectangle, in lengths of a line
    int32_t rays;    // that are left
    cm_occluder_t hit;
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
static bool is_occluded(test_t *test, vec3_t from, vec3_t to) {
    int32_t *occluders = test->query->occluders;
    for (int32_t i = 0; i < OCCLUDERS && occluders[i] > 0; i++) {
        const int32_t brush = occluders[i];
        test->hit = (cm_occluder_t){.brush = brush - 1};
        if (CM_Hides(test->query->map, &test->hit, from, to)) {
            occluders[i] = occluders[0];
            occluders[0] = brush;
            return true;
        }
    }
    return false;
}

static bool is_blocked_by_model(test_t *test, vec3_t from, vec3_t to) {
    sight_query_t *query = test->query;
    const bounds_t box = BoundsOfSweep(from, to, vec3_zero, vec3_zero, 1.0f);
    for (int32_t i = 0; i < query->num_blockers; i++) {
        const sight_blocker_t *blocker = &query->blockers[i];
        if (BoundsTouch(blocker->box, box)) {
            const trace_t trace =
                CM_BoxTrace(query->map, &blocker->object, from, to, vec3_zero, vec3_zero);
            if (trace.fraction < 1.0f) {
                const vec3_t toward = VectorNormalize(VectorSubtract(to, from), NULL);
                test->hit = CM_OccluderAt(query->map, &blocker->object,
                                          VectorMA(trace.endpos, DEPTH, toward));
                query->was_model = true;
                return true;
            }
        }
    }
    return false;
}

// Returns true if a ray is clear. Otherwise, sets test->hit to what blocked it, if that is a brush.
static bool is_clear(test_t *test, vec3_t from, vec3_t to) {
    sight_query_t *query = test->query;
    const cm_object_t world = {.model = 0};
    vec3_t end;
    if (is_occluded(test, from, to)) {
        return false;
    }
    test->hit.brush = -1;
    if (reaches(query, from, to, &end)) {
        return !is_blocked_by_model(test, from, to);
    }
    if (CM_IsSeeThrough(query->map, 0, BoundsOfSweep(end, end, vec3_zero, vec3_zero, 1.0f))) {
        return true; // glass; brushes after it are not tested
    }
    const vec3_t toward = VectorNormalize(VectorSubtract(to, from), NULL);
    test->hit = CM_OccluderAt(query->map, &world, VectorMA(end, DEPTH, toward));
    if (test->hit.brush >= 0) {
        memmove(&query->occluders[1], query->occluders,
                (OCCLUDERS - 1) * sizeof query->occluders[0]);
        query->occluders[0] = test->hit.brush + 1;
    }
    return false;
}

// ---- sets of lines ----

// Keeps the part of a polygon where a * x + b * y + c >= 0.
static void clip(polygon_t *polygon, float a, float b, float c) {
    float d[MAX_CORNERS];
    bool is_in = true;
    bool is_out = true;
    for (int32_t i = 0; i < polygon->count; i++) {
        d[i] = a * polygon->at[i].x + b * polygon->at[i].y + c;
        is_in = is_in && d[i] >= 0.0f;
        is_out = is_out && d[i] < 0.0f;
    }
    if (is_in || is_out) {
        polygon->count = is_in ? polygon->count : 0;
        return;
    }
    spot_t at[MAX_CORNERS];
    int32_t last = polygon->count - 1;
    int32_t count = 0;
    for (int32_t i = 0; i < polygon->count; last = i++) {
        const spot_t from = polygon->at[last];
        const spot_t to = polygon->at[i];
        if ((d[last] >= 0.0f) != (d[i] >= 0.0f) && count < MAX_CORNERS) {
            const float t = d[last] / (d[last] - d[i]);
            at[count++] = (spot_t){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        }
        if (d[i] >= 0.0f && count < MAX_CORNERS) {
            at[count++] = to;
        }
    }
    memcpy(polygon->at, at, (size_t)count * sizeof at[0]);
    polygon->count = count;
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

static void range_of(const polygon_t *polygon, spot_t *low, spot_t *high) {
    *low = *high = polygon->at[0];
    for (int32_t i = 1; i < polygon->count; i++) {
        const spot_t at = polygon->at[i];
        *low = (spot_t){at.x < low->x ? at.x : low->x, at.y < low->y ? at.y : low->y};
        *high = (spot_t){at.x > high->x ? at.x : high->x, at.y > high->y ? at.y : high->y};
    }
}

static spot_t middle_of(const polygon_t *polygon) {
    const float part = 1.0f / (float)polygon->count;
    spot_t sum = {0};
    for (int32_t i = 0; i < polygon->count; i++) {
        sum = (spot_t){sum.x + part * polygon->at[i].x, sum.y + part * polygon->at[i].y};
    }
    return sum;
}

// Inside: a * x + b * y + up * height + c >= 0.
typedef struct {
    float a, b, up, c;
} side_t;

static side_t side_of(const test_t *test, const brush_plane_t *face) {
    const vec3_t way = VectorSubtract(test->to, test->from);
    return (side_t){-DotProduct(face->normal, way), -DotProduct(face->normal, test->axes[0]),
                    -DotProduct(face->normal, test->axes[1]),
                    face->dist - DotProduct(face->normal, test->from)};
}

// Finds where the brush that blocked the last ray is solid at all of the first `count` heights. It
// is empty if the brush is not convex enough for that.
static polygon_t section_of(const test_t *test, const lines_t *lines, int32_t count) {
    brush_plane_t faces[MAX_FACES];
    side_t sides[MAX_FACES];
    int32_t num_sides = 0;
    count = count == MAX_HEIGHTS ? OUTER_HEIGHTS : count;
    float t[2] = {0.0f, 1.0f};
    const int32_t num_faces = CM_OccluderFaces(test->query->map, &test->hit, faces, MAX_FACES);
    for (int32_t i = 0; i < num_faces; i++) {
        const side_t side = side_of(test, &faces[i]);
        if (fabsf(side.b) > FLAT) {
            sides[num_sides++] = side;
            continue;
        }
        const int32_t num = fabsf(side.up) > FLAT ? count : 1; // floors and ends
        for (int32_t k = 0; k < num; k++) {
            const spot_t height = lines->heights[k];
            const float a = side.a + side.up * (height.y - height.x);
            const float c = side.c + side.up * height.x;
            t[0] = a > 0.0f && -c > t[0] * a ? -c / a : t[0];
            t[1] = a < 0.0f && -c > t[1] * a ? -c / a : t[1];
            t[1] = a == 0.0f && c < 0.0f ? -1.0f : t[1];
        }
    }
    spot_t low, high;
    range_of(&lines->across, &low, &high);
    const float right = low.x < low.y ? low.x : low.y;
    const float left = high.x > high.y ? high.x : high.y;
    polygon_t section = {4, {{t[0], right}, {t[1], right}, {t[1], left}, {t[0], left}}};
    section.count = num_faces > 0 && t[0] < t[1] ? 4 : 0;
    for (int32_t i = 0; i < num_sides && section.count > 0; i++) {
        const side_t *side = &sides[i];
        const int32_t num = fabsf(side->up) > FLAT ? count : 1;
        for (int32_t k = 0; k < num && section.count > 0; k++) {
            const spot_t height = lines->heights[k];
            clip(&section, side->a + side->up * (height.y - height.x), side->b,
                 side->c + side->up * height.x);
        }
    }
    return section;
}

// Splits lines into those that pass on both sides of the brush that blocked the last ray. Returns
// false if it blocks none of them at all of the first `count` heights.
static bool cut(const test_t *test, const lines_t *lines, int32_t count, polygon_t parts[2]) {
    const polygon_t section = section_of(test, lines, count);
    parts[0] = parts[1] = lines->across;
    if (section.count == 0) {
        return false;
    }
    for (int32_t i = 0; i < section.count; i++) {
        const float t = section.at[i].x;
        if (parts[0].count > 0) {
            clip(&parts[0], 1.0f - t, t, -section.at[i].y);
        }
        if (parts[1].count > 0) {
            clip(&parts[1], t - 1.0f, -t, section.at[i].y);
        }
    }
    return area_of(&parts[0]) + area_of(&parts[1]) < 0.99f * area_of(&lines->across);
}

// Splits a polygon at its middle, across its wider side. Returns false if it is too small.
static bool halve(const polygon_t *polygon, polygon_t parts[2]) {
    const spot_t middle = middle_of(polygon);
    spot_t low, high;
    range_of(polygon, &low, &high);
    const bool by_x = high.x - low.x >= high.y - low.y;
    for (int32_t i = 0; i < 2; i++) {
        const float sign = i == 0 ? 1.0f : -1.0f;
        parts[i] = *polygon;
        clip(&parts[i], by_x ? sign : 0.0f, by_x ? 0.0f : sign,
             -sign * (by_x ? middle.x : middle.y));
    }
    return high.x - low.x >= STEP_QU || high.y - low.y >= STEP_QU;
}

static bool is_narrow(const polygon_t *polygon) {
    spot_t low, high;
    if (polygon->count < 3) {
        return true;
    }
    range_of(polygon, &low, &high);
    const float widest = high.x - low.x > high.y - low.y ? high.x - low.x : high.y - low.y;
    return area_of(polygon) <= MIN_WIDTH * widest;
}

// ---- the search ----

static void ends_of(const test_t *test, spot_t across, spot_t height, vec3_t ends[2]) {
    ends[0] = VectorMA(VectorMA(test->from, across.x, test->axes[0]), height.x, test->axes[1]);
    ends[1] = VectorMA(VectorMA(test->to, across.y, test->axes[0]), height.y, test->axes[1]);
}

// Returns true if the eye may reach a clear line, before or after it starts.
static bool is_reached(test_t *test, const vec3_t ends[2]) {
    vec3_t stop;
    if (reaches(test->query, test->eye, ends[0], &stop) ||
        reaches(test->query, test->eye, VectorLerp(ends[0], ends[1], test->back), &stop)) {
        return true;
    }
    for (int32_t i = 1; i <= MAX_BACK; i++) {
        const vec3_t at = VectorLerp(ends[0], ends[1], (float)-i * test->back);
        if (!is_clear(test, at, ends[0])) {
            break;
        }
        if (reaches(test->query, test->eye, at, &stop)) {
            return true;
        }
    }
    test->hit.brush = -1;
    return false;
}

// Sorts the heights at which the brush that blocked a line blocks it to the front. Returns their
// number.
static int32_t sort_heights(const test_t *test, lines_t *lines, spot_t across) {
    int32_t count = 1;
    for (int32_t i = 1; i < lines->num_heights; i++) {
        const spot_t height = lines->heights[i];
        if (i == OUTER_HEIGHTS && count == i && lines->num_heights == MAX_HEIGHTS) {
            return MAX_HEIGHTS; // the others are between those
        }
        vec3_t ends[2];
        ends_of(test, across, height, ends);
        if (CM_Hides(test->query->map, &test->hit, ends[0], ends[1])) {
            lines->heights[i] = lines->heights[count];
            lines->heights[count++] = height;
        }
    }
    return count;
}

// Returns true if one of these lines is clear, or if too few rays are left to find out. The brush
// that blocks the middle one hides all that pass it; those to the left and to the right are left.
static bool sees(test_t *test, const lines_t *lines, int32_t halvings) {
    vec3_t ends[2];
    polygon_t parts[2];
    if (is_narrow(&lines->across)) {
        return false;
    }
    test->query->num_rays += NODE_RAYS;
    if (--test->rays < 0) {
        return test->query->is_long;
    }
    lines_t rest = *lines;
    const spot_t middle = middle_of(&lines->across);
    ends_of(test, middle, lines->heights[0], ends);
    if (is_clear(test, ends[0], ends[1]) && is_reached(test, ends)) {
        return true;
    }
    int32_t count = test->hit.brush < 0 ? 1 : sort_heights(test, &rest, middle);
    bool is_cut = test->hit.brush >= 0 && cut(test, &rest, count, parts);
    if (!is_cut && test->hit.brush >= 0 && count > 1) {
        count = 1;
        is_cut = cut(test, &rest, count, parts);
    }
    if (is_cut || (halvings < MAX_HALVINGS && halve(&rest.across, parts))) {
        lines_t part = rest;
        part.num_heights = count;
        for (int32_t i = 0; i < 2; i++) {
            part.across = parts[i];
            if (sees(test, &part, is_cut ? halvings : halvings + 1)) {
                return true;
            }
        }
    }
    rest.num_heights -= count;
    memmove(rest.heights, &rest.heights[count], (size_t)rest.num_heights * sizeof rest.heights[0]);
    return rest.num_heights > 0 && sees(test, &rest, halvings);
}

// Finds how far a body may move along an axis.
static void find_range(const sight_body_t *body, const bounds_t *moves, vec3_t axis,
                       float range[2]) {
    range[0] = range[1] = 0.0f;
    for (int32_t i = 0; i < SIGHT_WAYS; i++) {
        const vec3_t to = VectorMax(moves->mins, VectorMin(moves->maxs, body->ways[i]));
        const float at = DotProduct(to, axis);
        range[0] = at < range[0] ? at : range[0];
        range[1] = at > range[1] ? at : range[1];
    }
}

static float half_along(vec3_t half, vec3_t axis) {
    return fabsf(axis.x) * half.x + fabsf(axis.y) * half.y + fabsf(axis.z) * half.z;
}

// Returns true if player `from` may soon see the other.
static bool sees_soon(sight_query_t *query, int32_t from) {
    const sight_body_t *viewer = &query->bodies[from];
    const sight_body_t *other = &query->bodies[1 - from];
    const vec3_t middle = VectorScale(VectorAdd(other->box.mins, other->box.maxs), 0.5f);
    const vec3_t half = VectorSubtract(other->box.maxs, middle);
    float length, depth[2], side[2], height[2], drift[2];
    const vec3_t forward = VectorNormalize(VectorSubtract(middle, viewer->eye), &length);
    const bool is_steep = fabsf(forward.z) > STEEP;
    test_t test = {.query = query, .rays = query->max_rays, .eye = viewer->eye};
    test.axes[0] = is_steep ? Vector(1.0f, 0.0f, 0.0f)
                            : VectorNormalize(Vector(-forward.y, forward.x, 0.0f), NULL);
    test.axes[1] = is_steep ? Vector(0.0f, 1.0f, 0.0f) : Vector(0.0f, 0.0f, 1.0f);
    find_range(viewer, &viewer->ahead, forward, depth);
    find_range(viewer, &viewer->ahead, test.axes[0], side);
    find_range(viewer, &viewer->ahead, test.axes[1], height);
    find_range(other, &other->drift, test.axes[0], drift);
    const float deep = 0.5f * (depth[1] - depth[0]);
    const float start = fminf(depth[0] + FRONT * deep, 0.5f * length);
    const float end = length - half.x;
    if (end - start < MIN_LENGTH) {
        return true;
    }
    test.from = VectorMA(viewer->eye, start, forward);
    test.to = VectorMA(viewer->eye, end, forward);
    test.back = BACK * deep / (end - start);
    const float right = drift[0] - half_along(half, test.axes[0]);
    const float left = drift[1] + half_along(half, test.axes[0]);
    const float h = half_along(half, test.axes[1]);
    const lines_t lines = {.across = {4,
                                      {{side[0] - EYE, right},
                                       {side[1] + EYE, right},
                                       {side[1] + EYE, left},
                                       {side[0] - EYE, left}}},
                           .num_heights = MAX_HEIGHTS,
                           .heights = {{0.0f, 0.0f},
                                       {height[1], h},
                                       {height[0], -h},
                                       {height[1], -h},
                                       {height[0], h},
                                       {0.0f, h},
                                       {0.0f, -h},
                                       {height[1], 0.0f},
                                       {height[0], 0.0f}}};
    return sees(&test, &lines, 0);
}

void Sight_FindWays(sight_query_t *query, sight_body_t *body, float reach) {
    static const vec3_t ways[SIGHT_WAYS] = {
        {1.0f, 0.0f, 0.0f},           {SQRT_HALF, SQRT_HALF, 0.0f},   {0.0f, 1.0f, 0.0f},
        {-1.0f, 0.0f, 0.0f},          {-SQRT_HALF, SQRT_HALF, 0.0f},  {0.0f, -1.0f, 0.0f},
        {0.0f, 0.0f, 1.0f},           {-SQRT_HALF, -SQRT_HALF, 0.0f}, {0.0f, 0.0f, -1.0f},
        {SQRT_HALF, -SQRT_HALF, 0.0f}};
    for (int32_t i = 0; i < SIGHT_WAYS; i++) {
        vec3_t end;
        (void)reaches(query, body->eye, VectorMA(body->eye, reach, ways[i]), &end);
        body->ways[i] = VectorSubtract(end, body->eye);
    }
}

bool Sight_EyesMeet(sight_query_t *query) {
    test_t test = {.query = query};
    return is_clear(&test, query->bodies[0].eye, query->bodies[1].eye);
}

static bool is_in_solid(const sight_query_t *query, int32_t player) {
    const cm_object_t world = {.model = 0};
    return CM_Contents(query->map, &world, query->bodies[player].eye) == CONTENTS_SOLID;
}

bool Sight_IsClear(sight_query_t *query) {
    return is_in_solid(query, 0) || is_in_solid(query, 1) || sees_soon(query, 0) ||
           sees_soon(query, 1);
}
