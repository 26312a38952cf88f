#include "core/sight.h"

#include "collide/occluder.h"

#include <math.h>
#include <string.h>

#define DEPTH        0.5f    // along a ray, where the brush is found that blocked it
#define STEP_QU      4.0f    // narrower sets of lines that no brush cuts are not halved
#define EYE          0.5f    // half the width of an eye
#define MIN_LENGTH   1.0f    // nearer players see each other
#define MIN_WIDTH    0.75f   // narrower gaps hide
#define MAX_CORNERS  12      // of a polygon
#define MIN_PART     0.02f   // of lines that are split off at an edge of a brush
#define MAX_HALVINGS 4       // of lines that no brush cuts
#define NODE_RAYS    2       // a step of the search costs about as much as so many rays
#define MAX_FACES    32      // of a brush that cuts lines
#define NUM_SIDES    8       // brushes whose faces are kept
#define STEEP        0.9f    // height / length of a line between players below each other
#define FRONT        1.3f    // lines start so far into the half of what the eye reaches
#define FAR_FRONT    1.7f    // of query->is_far
#define BACK         0.35f   // of that half: a step back along a line, to what the eye reaches
#define MAX_BACK     3       // steps back
#define FLAT         0.0001f // part of a normal that counts as none
#define SQRT_HALF    0.7071f

// A line along one axis: x is where it starts, y where it ends. Or a point of a brush: x is the
// part of a line before it, y its place along the axis.
typedef struct {
    float x, y;
} spot_t;

typedef struct {
    spot_t low, high;
} range_t;

typedef struct {
    int32_t count; // of corners; it is convex
    spot_t at[MAX_CORNERS];
} polygon_t;

// Lines from one rectangle to another: all that are in both of these sets, by axis.
typedef struct {
    polygon_t sets[2];
} lines_t;

// A face of a brush, for points `x` of a line, at `y` along the axes. Inside: along * x + by[0] *
// y[0] + by[1] * y[1] + c >= 0.
typedef struct {
    float along, by[2], c;
} side_t;

typedef struct {
    cm_occluder_t of;
    int32_t count;
    side_t faces[MAX_FACES];
} sides_t;

typedef struct {
    sight_query_t *query;
    vec3_t eye;
    vec3_t from, to; // middles of the rectangles
    vec3_t axes[2];  // of the rectangles: left, up
    float back;      // a step back from the first rectangle, in lengths of a line
    int32_t rays;    // that are left
    cm_occluder_t hit;
    sides_t sides[NUM_SIDES]; // of brushes, by number
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

static range_t range_of(const polygon_t *polygon) {
    range_t range = {polygon->at[0], polygon->at[0]};
    for (int32_t i = 1; i < polygon->count; i++) {
        const spot_t at = polygon->at[i];
        range.low.x = at.x < range.low.x ? at.x : range.low.x;
        range.low.y = at.y < range.low.y ? at.y : range.low.y;
        range.high.x = at.x > range.high.x ? at.x : range.high.x;
        range.high.y = at.y > range.high.y ? at.y : range.high.y;
    }
    return range;
}

static polygon_t rectangle_of(const range_t *range) {
    const spot_t low = range->low;
    const spot_t high = range->high;
    return (polygon_t){4, {low, {high.x, low.y}, high, {low.x, high.y}}};
}

static spot_t middle_of(const polygon_t *polygon) {
    const float part = 1.0f / (float)polygon->count;
    spot_t sum = {0};
    for (int32_t i = 0; i < polygon->count; i++) {
        sum = (spot_t){sum.x + part * polygon->at[i].x, sum.y + part * polygon->at[i].y};
    }
    return sum;
}

// Returns the faces of the brush that blocked the last ray.
static const sides_t *sides_of(test_t *test) {
    brush_plane_t faces[MAX_FACES];
    const cm_occluder_t *hit = &test->hit;
    sides_t *sides = &test->sides[(uint32_t)hit->brush % NUM_SIDES];
    if (sides->of.brush == hit->brush && sides->of.model == hit->model &&
        VectorCompare(sides->of.origin, hit->origin)) {
        return sides;
    }
    const vec3_t way = VectorSubtract(test->to, test->from);
    sides->of = *hit;
    sides->count = CM_OccluderFaces(test->query->map, hit, faces, MAX_FACES);
    for (int32_t i = 0; i < sides->count; i++) {
        const vec3_t in = VectorScale(faces[i].normal, -1.0f);
        sides->faces[i] = (side_t){DotProduct(in, way),
                                   {DotProduct(in, test->axes[0]), DotProduct(in, test->axes[1])},
                                   faces[i].dist + DotProduct(in, test->from)};
    }
    return sides;
}

// Keeps the part of a line, from t[0] to t[1], where along * t + c >= 0.
static inline void clip_line(float t[2], float along, float c) {
    t[0] = along > 0.0f && -c > t[0] * along ? -c / along : t[0];
    t[1] = along < 0.0f && -c > t[1] * along ? -c / along : t[1];
    t[1] = along == 0.0f && c < 0.0f ? -1.0f : t[1];
}

// Returns true if the brush that blocked the last ray is in all lines between two rectangles. Looks
// along one axis: the outermost lines must be in the brush somewhere, together with all lines of
// the other axis.
static bool blocks_axis(test_t *test, const range_t ranges[2], int32_t axis) {
    const sides_t *sides = sides_of(test);
    const range_t *own = &ranges[axis];
    const range_t *others = &ranges[1 - axis];
    float low[2] = {0.0f, 1.0f};
    float high[2] = {0.0f, 1.0f};
    for (int32_t i = 0; i < sides->count; i++) {
        const side_t *side = &sides->faces[i];
        const float by = side->by[axis];
        const float by_other = side->by[1 - axis];
        const spot_t other = by_other > 0.0f ? others->low : others->high; // farthest outside
        const float along = side->along + by_other * (other.y - other.x);
        const float c = side->c + by_other * other.x;
        clip_line(low, along + by * (own->low.y - own->low.x), c + by * own->low.x);
        clip_line(high, along + by * (own->high.y - own->high.x), c + by * own->high.x);
    }
    return sides->count > 0 && low[0] < low[1] && high[0] < high[1];
}

static bool blocks_all(test_t *test, const range_t ranges[2]) {
    return test->hit.brush >= 0 && (blocks_axis(test, ranges, 0) || blocks_axis(test, ranges, 1));
}

// Finds where along an axis the brush that blocked the last ray is solid for all lines of the other
// axis. A brush is convex: it is, if it is solid for the corners of their set.
static polygon_t section_of(test_t *test, const polygon_t *set, const polygon_t *others,
                            int32_t axis) {
    const sides_t *sides = sides_of(test);
    const side_t *across[MAX_FACES];
    int32_t num_across = 0;
    float t[2] = {0.0f, 1.0f};
    for (int32_t i = 0; i < sides->count; i++) {
        const side_t *side = &sides->faces[i];
        const float by_other = side->by[1 - axis];
        if (fabsf(side->by[axis]) > FLAT) {
            across[num_across++] = side;
            continue;
        }
        const int32_t num = fabsf(by_other) > FLAT ? others->count : 1; // floors and ends
        for (int32_t k = 0; k < num; k++) {
            const spot_t other = others->at[k];
            const float a = side->along + by_other * (other.y - other.x);
            const float c = side->c + by_other * other.x;
            clip_line(t, a, c);
        }
    }
    const range_t range = range_of(set);
    const float right = range.low.x < range.low.y ? range.low.x : range.low.y;
    const float left = range.high.x > range.high.y ? range.high.x : range.high.y;
    polygon_t section = {4, {{t[0], right}, {t[1], right}, {t[1], left}, {t[0], left}}};
    section.count = sides->count > 0 && t[0] < t[1] ? 4 : 0;
    for (int32_t i = 0; i < num_across && section.count > 0; i++) {
        const side_t *side = across[i];
        const float by_other = side->by[1 - axis];
        const int32_t num = fabsf(by_other) > FLAT ? others->count : 1;
        for (int32_t k = 0; k < num && section.count > 0; k++) {
            const spot_t other = others->at[k];
            clip(&section, side->along + by_other * (other.y - other.x), side->by[axis],
                 side->c + by_other * other.x);
        }
    }
    return section;
}

// Splits lines along an axis into those that pass on both sides of the brush that blocked the last
// ray. Returns false if it blocks none.
static bool cut(test_t *test, const lines_t *lines, int32_t axis, lines_t parts[2]) {
    const polygon_t section = section_of(test, &lines->sets[axis], &lines->sets[1 - axis], axis);
    if (section.count == 0) {
        return false;
    }
    polygon_t *sides[2] = {&parts[0].sets[axis], &parts[1].sets[axis]};
    parts[0] = parts[1] = *lines;
    for (int32_t i = 0; i < section.count; i++) {
        const float t = section.at[i].x;
        if (sides[0]->count > 0) {
            clip(sides[0], 1.0f - t, t, -section.at[i].y);
        }
        if (sides[1]->count > 0) {
            clip(sides[1], t - 1.0f, -t, section.at[i].y);
        }
    }
    return area_of(sides[0]) + area_of(sides[1]) < 0.99f * area_of(&lines->sets[axis]);
}

// Finds the corner of a brush that stands out on one side of a line. `sign`: the side, 1 or -1.
static spot_t edge_of(const polygon_t *section, spot_t line, float sign) {
    spot_t edge = section->at[0];
    float most = 0.0f;
    for (int32_t i = 0; i < section->count; i++) {
        const spot_t at = section->at[i];
        const float out = sign * (at.y - (1.0f - at.x) * line.x - at.x * line.y);
        if (i == 0 || out > most) {
            edge = at;
            most = out;
        }
    }
    return edge;
}

// Splits lines along an axis at an edge of the brush that blocked the last ray, which is the middle
// one. The lines that pass it come first. Returns false if both parts are not larger than `*least`.
static bool split(test_t *test, const lines_t *lines, int32_t axis, lines_t parts[2],
                  float *least) {
    const polygon_t *set = &lines->sets[axis];
    const polygon_t other = {1, {middle_of(&lines->sets[1 - axis])}};
    const polygon_t section = section_of(test, set, &other, axis);
    bool is_split = false;
    for (int32_t i = 0; i < 2 && section.count > 0; i++) {
        const float sign = i == 0 ? 1.0f : -1.0f;
        const spot_t edge = edge_of(&section, middle_of(set), sign);
        const float a = sign * (1.0f - edge.x);
        const float b = sign * edge.x;
        polygon_t part = *set;
        clip(&part, a, b, -sign * edge.y);
        const float size = part.count > 2 ? area_of(&part) / area_of(set) : 0.0f;
        if (fminf(size, 1.0f - size) > *least) {
            *least = fminf(size, 1.0f - size);
            parts[0] = parts[1] = *lines;
            parts[0].sets[axis] = part;
            clip(&parts[1].sets[axis], -a, -b, sign * edge.y);
            is_split = true;
        }
    }
    return is_split;
}

// Splits lines at the edge of the brush that leaves the largest parts. Returns false if no edge
// leaves enough.
static bool split_best(test_t *test, const lines_t *lines, lines_t parts[2]) {
    float least = MIN_PART;
    const bool by_height = split(test, lines, 1, parts, &least);
    return split(test, lines, 0, parts, &least) || by_height;
}

static float width_of(const range_t *range) {
    const float x = range->high.x - range->low.x;
    const float y = range->high.y - range->low.y;
    return x > y ? x : y;
}

// Splits lines at the middle of the wider set. Returns false if both are too small.
static bool halve(const lines_t *lines, const range_t ranges[2], lines_t parts[2]) {
    const int32_t axis = width_of(&ranges[1]) > width_of(&ranges[0]) ? 1 : 0;
    const range_t *range = &ranges[axis];
    const spot_t middle = middle_of(&lines->sets[axis]);
    const bool by_x = range->high.x - range->low.x >= range->high.y - range->low.y;
    for (int32_t i = 0; i < 2; i++) {
        const float sign = i == 0 ? 1.0f : -1.0f;
        parts[i] = *lines;
        clip(&parts[i].sets[axis], by_x ? sign : 0.0f, by_x ? 0.0f : sign,
             -sign * (by_x ? middle.x : middle.y));
    }
    return width_of(range) >= STEP_QU;
}

// Finds the range of a set. Returns true if the set is narrow.
static bool is_narrow(const polygon_t *set, range_t *range) {
    if (set->count < 3) {
        return true;
    }
    *range = range_of(set);
    return area_of(set) <= MIN_WIDTH * width_of(range);
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

// Returns true if one of these lines is clear, or query->is_long if too few rays are left. The
// brush that blocks the middle one hides all that meet it; those on both sides of it are left.
static bool sees(test_t *test, const lines_t *lines, int32_t halvings) {
    vec3_t ends[2];
    lines_t parts[2];
    range_t ranges[2];
    if (is_narrow(&lines->sets[0], &ranges[0]) || is_narrow(&lines->sets[1], &ranges[1])) {
        return false;
    }
    test->query->num_rays += NODE_RAYS;
    if (--test->rays < 0) {
        return test->query->is_long;
    }
    ends_of(test, middle_of(&lines->sets[0]), middle_of(&lines->sets[1]), ends);
    if (is_clear(test, ends[0], ends[1]) && is_reached(test, ends)) {
        return true;
    }
    const bool is_cut =
        test->hit.brush >= 0 && (cut(test, lines, 0, parts) || cut(test, lines, 1, parts) ||
                                 split_best(test, lines, parts));
    if (!is_cut && (halvings >= MAX_HALVINGS || !halve(lines, ranges, parts))) {
        return false;
    }
    halvings += is_cut ? 0 : 1;
    return sees(test, &parts[0], halvings) || sees(test, &parts[1], halvings);
}

static void clamp_all(float *to, const float *ends, float start, float low, float high) {
    for (int32_t i = 0; i < SIGHT_WAYS; i++) {
        to[i] = Q_ClampF(ends[i] - start, low, high);
    }
}

// Limits the moves of a body to its ways.
static void limit_moves(const sight_body_t *body, const bounds_t *limits, sight_ways_t *moves) {
    clamp_all(moves->x, body->ways.x, body->eye.x, limits->mins.x, limits->maxs.x);
    clamp_all(moves->y, body->ways.y, body->eye.y, limits->mins.y, limits->maxs.y);
    moves->low = Q_ClampF(body->ways.low - body->eye.z, limits->mins.z, limits->maxs.z);
    moves->high = Q_ClampF(body->ways.high - body->eye.z, limits->mins.z, limits->maxs.z);
}

// Finds how far moves go along an axis.
static void find_range(const sight_ways_t *moves, vec3_t axis, float range[2]) {
    float low[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float high[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < SIGHT_WAYS; i += 4) {
        for (int32_t k = 0; k < 4; k++) { // a SIMD vector
            const float at = moves->x[i + k] * axis.x + moves->y[i + k] * axis.y;
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    }
    range[0] = range[1] = 0.0f;
    for (int32_t k = 0; k < 4; k++) {
        range[0] = low[k] < range[0] ? low[k] : range[0];
        range[1] = high[k] > range[1] ? high[k] : range[1];
    }
    range[0] += axis.z * (axis.z > 0.0f ? moves->low : moves->high);
    range[1] += axis.z * (axis.z > 0.0f ? moves->high : moves->low);
}

static float half_along(vec3_t half, vec3_t axis) {
    return fabsf(axis.x) * half.x + fabsf(axis.y) * half.y + fabsf(axis.z) * half.z;
}

// Shears the axes along `forward`: the product of a move and across[i] is the part of the move
// along axes[i]. On a slope, a step back along a line also raises or lowers it.
static void find_across(const test_t *test, vec3_t forward, vec3_t across[2]) {
    const vec3_t normal = CrossProduct(test->axes[0], test->axes[1]);
    const float part = DotProduct(normal, forward);
    for (int32_t i = 0; i < 2; i++) {
        across[i] = VectorMA(test->axes[i], -DotProduct(test->axes[i], forward) / part, normal);
    }
}

// Returns true if player `from` may soon see the other.
static bool sees_soon(sight_query_t *query, int32_t from) {
    const sight_body_t *viewer = query->bodies[from];
    const sight_body_t *other = query->bodies[1 - from];
    const vec3_t middle = VectorScale(VectorAdd(other->box.mins, other->box.maxs), 0.5f);
    const vec3_t half = VectorSubtract(other->box.maxs, middle);
    float length, depth[2], side[2], height[2], drift[2], rise[2];
    const vec3_t forward = VectorNormalize(VectorSubtract(middle, viewer->eye), &length);
    const bool is_steep = fabsf(forward.z) > STEEP;
    vec3_t across[2];
    sight_ways_t moves;
    test_t test;
    test.query = query;
    test.rays = query->max_rays;
    test.eye = viewer->eye;
    for (int32_t i = 0; i < NUM_SIDES; i++) {
        test.sides[i].of.brush = -1;
    }
    test.axes[0] = is_steep ? Vector(1.0f, 0.0f, 0.0f)
                            : VectorNormalize(Vector(-forward.y, forward.x, 0.0f), NULL);
    test.axes[1] = is_steep ? Vector(0.0f, 1.0f, 0.0f) : Vector(0.0f, 0.0f, 1.0f);
    find_across(&test, forward, across);
    limit_moves(viewer, &query->ahead[from], &moves);
    find_range(&moves, forward, depth);
    find_range(&moves, across[0], side);
    find_range(&moves, across[1], height);
    limit_moves(other, &query->drift[1 - from], &moves);
    find_range(&moves, across[0], drift);
    find_range(&moves, across[1], rise);
    const float deep = 0.5f * (depth[1] - depth[0]);
    const float front = query->is_far ? FAR_FRONT : FRONT;
    const float start = fminf(depth[0] + front * deep, 0.5f * length);
    const float end = length - half.x;
    if (end - start < MIN_LENGTH) {
        return true;
    }
    test.from = VectorMA(viewer->eye, start, forward);
    test.to = VectorMA(viewer->eye, end, forward);
    test.back = BACK * deep / (end - start);
    const float right = drift[0] - half_along(half, test.axes[0]);
    const float left = drift[1] + half_along(half, test.axes[0]);
    const float bottom = rise[0] - half_along(half, test.axes[1]);
    const float top = rise[1] + half_along(half, test.axes[1]);
    const range_t ranges[2] = {{{side[0] - EYE, right}, {side[1] + EYE, left}},
                               {{height[0] - EYE, bottom}, {height[1] + EYE, top}}};
    const lines_t lines = {{rectangle_of(&ranges[0]), rectangle_of(&ranges[1])}};
    test.hit = (cm_occluder_t){.brush = query->occluders[0] - 1}; // of the last test
    return !blocks_all(&test, ranges) && sees(&test, &lines, 0);
}

void Sight_FindWays(sight_query_t *query, sight_body_t *body, float reach) {
    static const vec3_t ways[SIGHT_WAYS] = {{1.0f, 0.0f, 0.0f},
                                            {SQRT_HALF, SQRT_HALF, 0.0f},
                                            {0.0f, 1.0f, 0.0f},
                                            {-1.0f, 0.0f, 0.0f},
                                            {-SQRT_HALF, SQRT_HALF, 0.0f},
                                            {0.0f, -1.0f, 0.0f},
                                            {SQRT_HALF, -SQRT_HALF, 0.0f},
                                            {-SQRT_HALF, -SQRT_HALF, 0.0f}};
    const cm_object_t world = {.model = 0};
    vec3_t end;
    for (int32_t i = 0; i < SIGHT_WAYS; i++) {
        (void)reaches(query, body->eye, VectorMA(body->eye, reach, ways[i]), &end);
        body->ways.x[i] = end.x;
        body->ways.y[i] = end.y;
    }
    (void)reaches(query, body->eye, VectorAdd(body->eye, Vector(0.0f, 0.0f, -reach)), &end);
    body->ways.low = end.z;
    (void)reaches(query, body->eye, VectorAdd(body->eye, Vector(0.0f, 0.0f, reach)), &end);
    body->ways.high = end.z;
    body->in_solid = CM_Contents(query->map, &world, body->eye) == CONTENTS_SOLID;
}

bool Sight_EyesMeet(sight_query_t *query) {
    test_t test;
    test.query = query;
    return is_clear(&test, query->bodies[0]->eye, query->bodies[1]->eye);
}

bool Sight_SeesSoon(sight_query_t *query) {
    return sees_soon(query, 0);
}

bool Sight_IsClear(sight_query_t *query) {
    return query->bodies[0]->in_solid || query->bodies[1]->in_solid || sees_soon(query, 0) ||
           sees_soon(query, 1);
}
