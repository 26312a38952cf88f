#include "move/fit.h"

#include "base/assert.h"

#define MAX_CHAIN     16   // maximum boxes that push each other in a row
#define MAX_TRIES     64   // maximum steps to make room for one box
#define LONG_MOVE     4.0f // qu in a tick; a longer move may pass through a thin obstacle
#define MAX_PUSH_OFFS 2    // maximum times that one box is pushed off parts

/// A row of boxes, each in the path of the previous one.
typedef struct {
    int32_t numbers[MAX_CHAIN];
    vec3_t before[MAX_CHAIN];     ///< the origins before the boxes were shoved
    int32_t push_offs[MAX_CHAIN]; ///< times that each box was pushed off a part
    int32_t count;
    int32_t refused; ///< a box that was shoved and found no room; PM_FREE = none
} fit_chain_t;

// ---- tests and moves ----

static pm_fit_box_t box_of(const pm_fit_world_t *world, int32_t number) {
    return world->box(world->push.context, number);
}

static int32_t stuck_at(const pm_fit_world_t *world, int32_t number, vec3_t origin) {
    return world->stuck_at(world->push.context, number, origin);
}

static pm_pushed_t pushed_at(int32_t number, const pm_fit_box_t *box, vec3_t origin) {
    return (pm_pushed_t){number, origin, box->mins, box->maxs};
}

static void put(const pm_fit_world_t *world, int32_t number, vec3_t origin) {
    const vec3_t now = box_of(world, number).origin;
    if (!VectorCompare(now, origin)) {
        world->put(world->push.context, number, origin);
    }
}

static void note_hit(const pm_fit_world_t *world, int32_t number, int32_t other) {
    if (world->hit) {
        world->hit(world->push.context, number, other);
    }
}

void PM_PutThroughMap(const pm_fit_world_t *world, int32_t number, vec3_t from, vec3_t to) {
    const pm_fit_box_t box = box_of(world, number);
    const pm_pushed_t pushed = pushed_at(number, &box, from);
    bool is_hit;
    put(world, number, PM_PushThroughMap(&world->push, &pushed, to, &is_hit));
    if (is_hit) {
        note_hit(world, number, 0);
    }
}

// ---- making room ----

static bool try_at(const pm_fit_world_t *world, int32_t number, vec3_t origin) {
    if (stuck_at(world, number, origin) != PM_FREE) {
        return false;
    }
    put(world, number, origin);
    return true;
}

static bool try_raised(const pm_fit_world_t *world, int32_t number, int32_t part) {
    const pm_fit_box_t box = box_of(world, number);
    const pm_pushed_t pushed = pushed_at(number, &box, box.origin);
    vec3_t origin;
    if (!PM_RaiseOnto(&world->push, &pushed, part, &origin)) {
        return false;
    }
    put(world, number, origin);
    return true;
}

static bool try_nudges(const pm_fit_world_t *world, int32_t number) {
    static const float reaches[] = {0.125f, 0.5f, 1.0f, 2.0f};
    static const vec3_t directions[] = {{0, 0, 1}, {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},
                                        {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}, {0, 0, -1}};
    const vec3_t base = box_of(world, number).origin;
    for (size_t i = 0; i < COUNTOF(reaches); i++) {
        for (size_t k = 0; k < COUNTOF(directions); k++) {
            if (try_at(world, number, VectorMA(base, reaches[i], directions[k]))) {
                return true;
            }
        }
    }
    return false;
}

// Pushes a box off a part. Returns false if the box is not in the path of the part.
static bool push_off(const pm_fit_world_t *world, int32_t number, int32_t part) {
    const pm_fit_box_t box = box_of(world, number);
    const pm_pushed_t pushed = pushed_at(number, &box, box.origin);
    vec3_t to;
    if (!PM_PushAway(&world->push, &pushed, part, world->motion_of(world->push.context, part),
                     &to)) {
        return false;
    }
    PM_PutThroughMap(world, number, box.origin, to);
    return true;
}

// Returns true if the boxes are at least half an epsilon apart. The margin makes the result
// independent of rounding.
static bool are_apart(const pm_fit_box_t *box, vec3_t at, bounds_t other) {
    bounds_t own = BoundsOfSweep(at, at, box->mins, box->maxs, 0.5f * CM_DIST_EPSILON);
    return !BoundsTouch(own, other);
}

// Returns the shorter displacement out of the box along one axis.
static float exit_along(float mins, float maxs, float box_mins, float box_maxs) {
    float forward = box_maxs - mins + CM_DIST_EPSILON;
    float back = maxs - box_mins + CM_DIST_EPSILON;
    return forward < back ? forward : -back;
}

// Returns the nearest origin beside a box, along x or y. Boxes on a turning pusher stay
// axis-aligned, so their corners begin to overlap.
static vec3_t beside(const pm_fit_box_t *box, vec3_t at, bounds_t other) {
    vec3_t mins = VectorAdd(at, box->mins);
    vec3_t maxs = VectorAdd(at, box->maxs);
    float x = exit_along(mins.x, maxs.x, other.mins.x, other.maxs.x);
    float y = exit_along(mins.y, maxs.y, other.mins.y, other.maxs.y);
    return fabsf(x) < fabsf(y) ? Vector(at.x + x, at.y, at.z) : Vector(at.x, at.y + y, at.z);
}

// Pushes `other` out of `number`, which has moved into it. Returns false if `other` cannot move.
static bool shove(const pm_fit_world_t *world, int32_t number, int32_t other) {
    const pm_fit_box_t by = box_of(world, number);
    const pm_fit_box_t shoved = box_of(world, other);
    const vec3_t *before = world->origin_before(world->push.context, number);
    vec3_t delta = VectorSubtract(by.origin, before ? *before : by.origin);
    bounds_t box = {VectorAdd(by.origin, by.mins), VectorAdd(by.origin, by.maxs)};
    vec3_t from = shoved.origin;
    vec3_t far = PM_Beyond(from, VectorAdd(from, delta));
    trace_t trace = world->trace_box(box, far, from, shoved.mins, shoved.maxs);
    bool is_hit = !trace.startsolid && trace.fraction < 1.0f;
    vec3_t to = is_hit ? trace.endpos : VectorAdd(from, delta);
    if (!are_apart(&shoved, to, box)) {
        to = beside(&shoved, from, box);
    }
    world->note(world->push.context, other);
    PM_PutThroughMap(world, other, from, to);
    const vec3_t now = box_of(world, other).origin;
    return !VectorCompare(now, from);
}

// ---- chains ----

static bool can_be_shoved(const pm_fit_world_t *world, const fit_chain_t *chain, int32_t number) {
    if (number == chain->refused || chain->count == MAX_CHAIN || number == 0 ||
        !box_of(world, number).is_pushed) {
        return false;
    }
    for (int32_t i = 0; i < chain->count; i++) {
        if (chain->numbers[i] == number) {
            return false;
        }
    }
    return true;
}

static void extend(fit_chain_t *chain, int32_t number, vec3_t before) {
    ASSERT(chain->count < MAX_CHAIN);
    chain->numbers[chain->count] = number;
    chain->before[chain->count] = before;
    chain->push_offs[chain->count] = 0;
    chain->count++;
    chain->refused = PM_FREE;
}

static bool is_part(const pm_fit_world_t *world, int32_t number) {
    return number > 0 && world->motion_of(world->push.context, number) != NULL;
}

// Moves the last box of the chain, or `other`, which overlaps it. Returns false if both stay.
static bool make_room(const pm_fit_world_t *world, fit_chain_t *chain, int32_t other) {
    int32_t last = chain->numbers[chain->count - 1];
    if (is_part(world, other) && chain->push_offs[chain->count - 1]++ < MAX_PUSH_OFFS) {
        return try_raised(world, last, other) || push_off(world, last, other);
    }
    if (can_be_shoved(world, chain, other)) {
        vec3_t before = box_of(world, other).origin;
        if (shove(world, last, other)) {
            extend(chain, other, before);
            return true;
        }
        chain->refused = other;
    }
    return try_nudges(world, last);
}

// Puts a box back to where it was before the push. Returns false if a pusher or another moved box
// is there now.
static bool put_back(const pm_fit_world_t *world, int32_t number) {
    const vec3_t *before = world->origin_before(world->push.context, number);
    const pm_fit_box_t box = box_of(world, number);
    const vec3_t origin = before ? *before : box.origin;
    const int32_t other = stuck_at(world, number, origin);
    bool may_stay = other <= 0 || box.never_blocks;
    if (!may_stay) {
        const pm_fit_box_t found = box_of(world, other);
        bool was_stuck = !world->origin_before(world->push.context, other) && !found.is_pusher;
        may_stay = was_stuck || found.is_corpse;
    }
    if (may_stay) {
        put(world, number, origin);
    }
    return may_stay;
}

// Finds room for a moved box by pushing the boxes in the path. Returns false if there is no room.
static bool fit(const pm_fit_world_t *world, int32_t number) {
    fit_chain_t chain = {.count = 0};
    extend(&chain, number, box_of(world, number).origin);
    for (int32_t i = 0; i < MAX_TRIES; i++) {
        ASSERT(chain.count >= 1 && chain.count <= MAX_CHAIN);
        int32_t last = chain.numbers[chain.count - 1];
        int32_t other = stuck_at(world, last, box_of(world, last).origin);
        if (other == PM_FREE ||
            (other > 0 && other == chain.refused && box_of(world, other).is_corpse)) {
            if (--chain.count == 0) {
                return true;
            }
            chain.refused = last; // `last` has room now and must not be shoved again
            continue;
        }
        if (!is_part(world, other)) {
            note_hit(world, last, other);
        }
        if (make_room(world, &chain, other)) {
            continue;
        }
        if (chain.count == 1) {
            break;
        }
        put(world, last, chain.before[chain.count - 1]);
        chain.count--;
        chain.refused = last;
    }
    return put_back(world, number);
}

// Returns true if the part passed through the box in a long move. Otherwise a fast lift could leave
// a rider below.
static bool part_passed_through(const pm_fit_world_t *world, int32_t number, int32_t part) {
    const pm_fit_box_t box = box_of(world, number);
    const vec3_t *before = world->origin_before(world->push.context, number);
    const vec3_t from = before ? *before : box.origin;
    vec3_t carried = PM_CarryPoint(world->motion_of(world->push.context, part), from);
    if (VectorLength(VectorSubtract(carried, from)) < LONG_MOVE) {
        return false;
    }
    const pm_pushed_t pushed = pushed_at(number, &box, box.origin);
    trace_t trace = world->push.trace_part(world->push.context, part, &pushed,
                                           PM_Beyond(box.origin, carried), box.origin);
    return trace.fraction < 1.0f && !trace.startsolid;
}

static bool fit_or_block(const pm_fit_world_t *world, int32_t number, int32_t part) {
    return fit(world, number) &&
           (box_of(world, number).never_blocks || !part_passed_through(world, number, part));
}

// ---- riders and obstacles ----

void PM_CarryRider(const pm_fit_world_t *world, int32_t number, int32_t part) {
    const vec3_t *before = world->origin_before(world->push.context, number);
    const vec3_t from = before ? *before : box_of(world, number).origin;
    const pm_carry_t *by = world->motion_of(world->push.context, part);
    PM_PutThroughMap(world, number, from, PM_CarryPoint(by, from));
}

bool PM_FitRider(const pm_fit_world_t *world, int32_t number, int32_t part, int32_t ground) {
    if (!fit_or_block(world, number, part)) {
        return false;
    }
    // A tilted part may have opened a gap, because boxes do not turn.
    const pm_fit_box_t box = box_of(world, number);
    const pm_pushed_t pushed = pushed_at(number, &box, box.origin);
    vec3_t origin;
    if (world->motion_of(world->push.context, part)->is_tilted &&
        PM_LowerOnto(&world->push, &pushed, ground, &origin)) {
        put(world, number, origin);
    }
    return true;
}

// Moves the direct and indirect riders of a pushed box by the same displacement if there is room.
static void move_load(const pm_fit_world_t *world, int32_t number, vec3_t delta) {
    int32_t load[PM_MAX_LOAD];
    int32_t count = 0;
    for (int32_t next = 0;; next++) {
        const vec3_t was = VectorSubtract(box_of(world, number).origin, delta);
        count +=
            world->riders_of(world->push.context, number, was, &load[count], PM_MAX_LOAD - count);
        if (next >= count) {
            return;
        }
        number = load[next];
        const vec3_t from = box_of(world, number).origin;
        world->note(world->push.context, number);
        PM_PutThroughMap(world, number, from, VectorAdd(from, delta));
        const vec3_t now = box_of(world, number).origin;
        if (!VectorCompare(now, from) && stuck_at(world, number, now) != PM_FREE) {
            put(world, number, from);
        }
    }
}

bool PM_PushObstacle(const pm_fit_world_t *world, int32_t number, int32_t part, bool is_only) {
    const vec3_t was = box_of(world, number).origin;
    const bool is_pushed = push_off(world, number, part);
    if ((is_pushed || !is_only) && !fit_or_block(world, number, part)) {
        return false;
    }
    const vec3_t delta = VectorSubtract(box_of(world, number).origin, was);
    if (!VectorCompare(delta, vec3_zero)) {
        move_load(world, number, delta);
    }
    return true;
}
