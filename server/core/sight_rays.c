#include "core/sight.h"

#include "collide/occluder.h"
#include "core/polygon.h"

#include <math.h>
#include <string.h>

#define DEPTH        0.5f    // along a ray, where the brush is found that blocked it
#define STEP_QU      4.0f    // narrower sets of lines are not halved
#define EYE          0.5f    // half the width of an eye
#define MIN_LENGTH   1.0f    // nearer players see each other
#define MIN_WIDTH    0.3f    // narrower gaps hide
#define MIN_PART     0.02f   // of lines that are split off at an edge of a brush
#define HALVINGS     2       // of lines that the eye does not reach, or that no brush blocks
#define FAR_HALVINGS 3       // the same, with a long lead
#define NODE_RAYS    2       // a step of the search costs about as much as so many rays
#define MAX_FACES    32      // of a brush that cuts lines
#define NUM_SIDES    8       // brushes whose faces are kept
#define STEEP        0.9f    // height / length of a line between players below each other
#define FRONT        1.3f    // plane where lines start (sees_from)
#define FAR_FRONT    2.0f    // plane where lines start after a brush that the eye may pass
#define AFTER        0.9f    // place that is tested between a brush and the end of the moves
#define REACHES      5       // places of a clear line that the eye may reach
#define MAX_PART     4.0f    // of a line, to the far corners of a player
#define MARGIN       16.0f   // qu: maximum distance of a line from the eye's moves and the target
#define FLAT         0.0001f // part of a normal that counts as none

// Lines from one rectangle to another: all that are in both of these sets, by axis. A point of a
// set is a line along one axis: x is where it starts, y where it ends.
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
    const sight_body_t *other;
    vec3_t eye;
    vec3_t from, to;   // middles of the rectangles
    vec3_t axes[2];    // of the rectangles: left, up
    bounds_t moves;    // places that the eye may reach
    bounds_t drift;    // places that the eye of the other player may reach
    bounds_t target;   // places that the box of the other player may reach
    float level;       // maximum horizontal distance of the moves
    float drift_level; // maximum horizontal distance of the drift
    int32_t steps;     // that are left
    bool can_pass;     // the eye may pass a brush that blocked a line
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
static bool blocks_axis(test_t *test, const rect_t ranges[2], int32_t axis) {
    const sides_t *sides = sides_of(test);
    const rect_t *own = &ranges[axis];
    const rect_t *others = &ranges[1 - axis];
    float low[2] = {0.0f, 1.0f};
    float high[2] = {0.0f, 1.0f};
    for (int32_t i = 0; i < sides->count; i++) {
        const side_t *side = &sides->faces[i];
        const float by = side->by[axis];
        const float by_other = side->by[1 - axis];
        const point_t other = by_other > 0.0f ? others->low : others->high; // farthest outside
        const float along = side->along + by_other * (other.y - other.x);
        const float c = side->c + by_other * other.x;
        clip_line(low, along + by * (own->low.y - own->low.x), c + by * own->low.x);
        clip_line(high, along + by * (own->high.y - own->high.x), c + by * own->high.x);
    }
    return sides->count > 0 && low[0] < low[1] && high[0] < high[1];
}

static bool blocks_all(test_t *test, const rect_t ranges[2]) {
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
            const point_t other = others->at[k];
            const float a = side->along + by_other * (other.y - other.x);
            const float c = side->c + by_other * other.x;
            clip_line(t, a, c);
        }
    }
    const rect_t range = Polygon_Range(set);
    const float right = range.low.x < range.low.y ? range.low.x : range.low.y;
    const float left = range.high.x > range.high.y ? range.high.x : range.high.y;
    polygon_t section = {4, {{t[0], right}, {t[1], right}, {t[1], left}, {t[0], left}}};
    section.count = sides->count > 0 && t[0] < t[1] ? 4 : 0;
    for (int32_t i = 0; i < num_across && section.count > 0; i++) {
        const side_t *side = across[i];
        const float by_other = side->by[1 - axis];
        const int32_t num = fabsf(by_other) > FLAT ? others->count : 1;
        for (int32_t k = 0; k < num && section.count > 0; k++) {
            const point_t other = others->at[k];
            if (!Polygon_Clip(&section, side->along + by_other * (other.y - other.x),
                              side->by[axis], side->c + by_other * other.x)) {
                section.count = 0;
            }
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
    // The corners are counterclockwise: t grows along the lower edge and falls along the upper one.
    // Only the corners of its own edge bound the lines of a side.
    for (int32_t i = 0; i < section.count; i++) {
        const float t = section.at[i].x;
        const float before = section.at[i > 0 ? i - 1 : section.count - 1].x;
        const float after = section.at[i + 1 < section.count ? i + 1 : 0].x;
        if (sides[0]->count > 0 && (before > t || after < t)) {
            (void)Polygon_Clip(sides[0], 1.0f - t, t, -section.at[i].y);
        }
        if (sides[1]->count > 0 && (before < t || after > t)) {
            (void)Polygon_Clip(sides[1], t - 1.0f, -t, section.at[i].y);
        }
    }
    return Polygon_Area(sides[0]) + Polygon_Area(sides[1]) <
           0.99f * Polygon_Area(&lines->sets[axis]);
}

// Finds the corner of a brush that stands out on one side of a line. `sign`: the side, 1 or -1.
static point_t edge_of(const polygon_t *section, point_t line, float sign) {
    point_t edge = section->at[0];
    float most = 0.0f;
    for (int32_t i = 0; i < section->count; i++) {
        const point_t at = section->at[i];
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
    const polygon_t other = {1, {Polygon_Middle(&lines->sets[1 - axis])}};
    const polygon_t section = section_of(test, set, &other, axis);
    bool is_split = false;
    for (int32_t i = 0; i < 2 && section.count > 0; i++) {
        const float sign = i == 0 ? 1.0f : -1.0f;
        const point_t edge = edge_of(&section, Polygon_Middle(set), sign);
        const float a = sign * (1.0f - edge.x);
        const float b = sign * edge.x;
        polygon_t part = *set;
        (void)Polygon_Clip(&part, a, b, -sign * edge.y);
        const float size = part.count > 2 ? Polygon_Area(&part) / Polygon_Area(set) : 0.0f;
        if (fminf(size, 1.0f - size) > *least) {
            *least = fminf(size, 1.0f - size);
            parts[0] = parts[1] = *lines;
            parts[0].sets[axis] = part;
            (void)Polygon_Clip(&parts[1].sets[axis], -a, -b, sign * edge.y);
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

// Splits lines at the middle of the widest range of their starts, or also of their ends. Returns
// false if it is too small.
static bool halve(const lines_t *lines, bool by_start, lines_t parts[2]) {
    const rect_t r[2] = {Polygon_Range(&lines->sets[0]), Polygon_Range(&lines->sets[1])};
    const float widths[] = {r[0].high.x - r[0].low.x, r[1].high.x - r[1].low.x,
                            r[0].high.y - r[0].low.y, r[1].high.y - r[1].low.y};
    int32_t best = 0;
    for (int32_t i = 1; i < (by_start ? 2 : 4); i++) {
        best = widths[i] > widths[best] ? i : best;
    }
    const polygon_t *set = &lines->sets[best % 2];
    const point_t by = {best < 2 ? 1.0f : 0.0f, best < 2 ? 0.0f : 1.0f};
    const float at = by.x * Polygon_Middle(set).x + by.y * Polygon_Middle(set).y;
    parts[0] = parts[1] = *lines;
    (void)Polygon_Clip(&parts[0].sets[best % 2], by.x, by.y, -at);
    (void)Polygon_Clip(&parts[1].sets[best % 2], -by.x, -by.y, at);
    return widths[best] >= STEP_QU;
}

// ---- the search ----

// Keeps the part of a line, from t[0] to t[1], within so many qu of a box. Returns false if it is
// empty.
static bool meets(const bounds_t *box, float margin, const vec3_t ends[2], float t[2]) {
    const vec3_t way = VectorSubtract(ends[1], ends[0]);
    for (int32_t i = 0; i < 3; i++) {
        const float along = VectorAxis(way, i);
        clip_line(t, along, VectorAxis(ends[0], i) - VectorAxis(box->mins, i) + margin);
        clip_line(t, -along, VectorAxis(box->maxs, i) - VectorAxis(ends[0], i) + margin);
    }
    return t[0] < t[1];
}

// Returns true if a clear line passes within MARGIN of the other player, and the eye may reach it,
// before or after it starts. Tries places from the one nearest to the target.
static bool is_reached(test_t *test, const vec3_t ends[2]) {
    vec3_t stop;
    float t[2] = {-1.0f, 1.0f};
    float target[2] = {0.0f, MAX_PART};
    bool goes_on =
        meets(&test->moves, MARGIN, ends, t) && meets(&test->target, MARGIN, ends, target);
    if (goes_on && target[0] > 1.0f) {
        goes_on = is_clear(test, ends[1], VectorLerp(ends[0], ends[1], target[0]));
    }
    for (int32_t i = 0; i < REACHES && goes_on; i++) {
        const float part = t[1] + ((float)i + 0.5f) / (float)REACHES * (t[0] - t[1]);
        const vec3_t at = VectorLerp(ends[0], ends[1], part);
        goes_on = part >= 0.0f || is_clear(test, at, ends[0]);
        if (goes_on && reaches(test->query, test->eye, at, &stop)) {
            return true;
        }
    }
    return false;
}

// Notes whether the eye may reach places of the middle line after the brush that blocks it.
static void note_pass(test_t *test, const lines_t *lines, const vec3_t ends[2]) {
    if (test->can_pass) {
        return;
    }
    const sides_t *sides = sides_of(test);
    const point_t across = Polygon_Middle(&lines->sets[0]);
    const point_t height = Polygon_Middle(&lines->sets[1]);
    float t[2] = {0.0f, 1.0f};
    float brush[2] = {0.0f, 1.0f};
    for (int32_t i = 0; i < sides->count; i++) {
        const side_t *side = &sides->faces[i];
        clip_line(brush,
                  side->along + side->by[0] * (across.y - across.x) +
                      side->by[1] * (height.y - height.x),
                  side->c + side->by[0] * across.x + side->by[1] * height.x);
    }
    if (meets(&test->moves, MARGIN, ends, t) && brush[1] < t[1]) {
        const float after = brush[1] + AFTER * (t[1] - brush[1]);
        vec3_t stop;
        test->can_pass =
            reaches(test->query, test->eye, VectorLerp(ends[0], ends[1], after), &stop);
    }
}

// Finds the line in the middle of a set.
static void find_middle(const test_t *test, const lines_t *lines, vec3_t ends[2]) {
    const point_t across = Polygon_Middle(&lines->sets[0]);
    const point_t height = Polygon_Middle(&lines->sets[1]);
    ends[0] = VectorMA(VectorMA(test->from, across.x, test->axes[0]), height.x, test->axes[1]);
    ends[1] = VectorMA(VectorMA(test->to, across.y, test->axes[0]), height.y, test->axes[1]);
}

// Returns true if one of these lines is clear, or query->is_long if too few steps are left. The
// brush that blocks the middle one hides all that meet it; those on both sides of it are left.
static bool sees(test_t *test, const lines_t *lines, int32_t halvings) {
    vec3_t ends[2];
    lines_t parts[2];
    if (Polygon_IsNarrow(&lines->sets[0], MIN_WIDTH) ||
        Polygon_IsNarrow(&lines->sets[1], MIN_WIDTH)) {
        return false;
    }
    test->query->num_rays += NODE_RAYS;
    if (--test->steps < 0) {
        return test->query->is_long;
    }
    find_middle(test, lines, ends);
    const bool is_clear_line = is_clear(test, ends[0], ends[1]);
    if (is_clear_line && is_reached(test, ends)) {
        return true;
    }
    const bool is_brush = !is_clear_line && test->hit.brush >= 0;
    if (is_brush) {
        note_pass(test, lines, ends);
    }
    const bool is_cut = is_brush && (cut(test, lines, 0, parts) || cut(test, lines, 1, parts) ||
                                     split_best(test, lines, parts));
    if (!is_cut && (halvings <= (is_brush ? 1 : 0) || !halve(lines, is_clear_line, parts))) {
        return false;
    }
    halvings -= is_cut ? 0 : 1;
    return sees(test, &parts[0], halvings) || sees(test, &parts[1], halvings);
}

// Finds how far moves go from a place along an axis. `level`: their maximum horizontal distance.
static void find_range(const bounds_t *box, float level, vec3_t from, vec3_t axis, float range[2]) {
    const float most = level * sqrtf(axis.x * axis.x + axis.y * axis.y);
    float low[3], high[3];
    for (int32_t i = 0; i < 3; i++) {
        const float by = VectorAxis(axis, i);
        const float a = by * (VectorAxis(box->mins, i) - VectorAxis(from, i));
        const float b = by * (VectorAxis(box->maxs, i) - VectorAxis(from, i));
        low[i] = a < b ? a : b;
        high[i] = a < b ? b : a;
    }
    range[0] = fmaxf(low[0] + low[1], -most) + low[2];
    range[1] = fminf(high[0] + high[1], most) + high[2];
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

// Finds the lines between the moves of an eye and those of a box, along one axis.
static rect_t find_lines(const test_t *test, vec3_t across, float size, float thickness) {
    float starts[2], ends[2];
    find_range(&test->moves, test->level, test->eye, across, starts);
    find_range(&test->drift, test->drift_level, test->other->eye, across, ends);
    rect_t range = {{starts[0] - EYE, ends[0] - size}, {starts[1] + EYE, ends[1] + size}};
    range.low.y += fminf(range.low.x - range.low.y, 0.0f) * thickness; // to the far corners
    range.high.y += fmaxf(range.high.x - range.high.y, 0.0f) * thickness;
    return range;
}

// Searches the lines to a player that start on one plane across the moves of the eye. `front`:
// where the plane is, from 0 = farthest from the player to 2 = nearest.
static bool sees_from(test_t *test, float front) {
    const sight_body_t *other = test->other;
    const vec3_t middle = VectorScale(VectorAdd(other->box.mins, other->box.maxs), 0.5f);
    const vec3_t half = VectorSubtract(other->box.maxs, middle);
    float length, depth[2];
    const vec3_t forward = VectorNormalize(VectorSubtract(middle, test->eye), &length);
    const bool is_steep = fabsf(forward.z) > STEEP;
    vec3_t across[2];
    rect_t ranges[2];
    for (int32_t i = 0; i < NUM_SIDES; i++) {
        test->sides[i].of.brush = -1;
    }
    test->axes[0] = is_steep ? Vector(1.0f, 0.0f, 0.0f)
                             : VectorNormalize(Vector(-forward.y, forward.x, 0.0f), NULL);
    test->axes[1] = is_steep ? Vector(0.0f, 1.0f, 0.0f) : Vector(0.0f, 0.0f, 1.0f);
    find_across(test, forward, across);
    find_range(&test->moves, test->level, test->eye, forward, depth);
    const float deep = 0.5f * (depth[1] - depth[0]);
    const float start = fminf(depth[0] + front * deep, 0.5f * length);
    const float end = length - half.x;
    if (end - start < MIN_LENGTH) {
        return true;
    }
    test->from = VectorMA(test->eye, start, forward);
    test->to = VectorMA(test->eye, end, forward);
    const float thickness = 2.0f * half.x / (length + half.x - start);
    for (int32_t i = 0; i < 2; i++) {
        ranges[i] = find_lines(test, across[i], half_along(half, across[i]), thickness);
    }
    const lines_t lines = {{Polygon_Rectangle(&ranges[0]), Polygon_Rectangle(&ranges[1])}};
    test->hit = (cm_occluder_t){.brush = test->query->occluders[0] - 1}; // of the last test
    if (blocks_all(test, ranges)) {
        vec3_t ends[2];
        find_middle(test, &lines, ends);
        note_pass(test, &lines, ends);
        return false;
    }
    return sees(test, &lines, test->query->is_far ? FAR_HALVINGS : HALVINGS);
}

// Returns true if player `from` may soon see the other.
static bool sees_soon(sight_query_t *query, int32_t from) {
    const sight_body_t *other = query->bodies[1 - from];
    test_t test;
    test.query = query;
    test.other = other;
    test.steps = query->max_steps;
    test.can_pass = false;
    test.eye = query->bodies[from]->eye;
    test.moves = query->ahead[from].box;
    test.drift = query->drift[1 - from].box;
    test.level = query->ahead[from].level;
    test.drift_level = query->drift[1 - from].level;
    test.target =
        (bounds_t){VectorAdd(other->box.mins, VectorSubtract(test.drift.mins, other->eye)),
                   VectorAdd(other->box.maxs, VectorSubtract(test.drift.maxs, other->eye))};
    return sees_from(&test, FRONT) || (test.can_pass && sees_from(&test, FAR_FRONT));
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
