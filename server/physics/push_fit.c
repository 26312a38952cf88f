/// physics/push_fit.c - moves the riders and obstacles of a push to where there is room.
//
// Source:  QuakeWorld, Quake II and Quake III first move an edict, then test it. If it does not
//          fit, they try its old position and small nudges before they crush it. Here an obstacle
//          moves only as far as needed (move/push.h), and pushes the edicts in its own path in
//          turn.

#include "collide/cmodel.h"
#include "physics/push_local.h"
#include "world/area.h"

#define MAX_CHAIN     16   // maximum edicts that push each other in a row
#define MAX_TRIES     64   // maximum steps to make room for one edict
#define LONG_MOVE     4.0f // qu in a tick; a longer move may pass through a thin obstacle
#define MAX_PUSH_OFFS 2    // maximum times that one edict is pushed off parts

/// A row of edicts, each in the path of the previous edict.
typedef struct {
    edict_t *edicts[MAX_CHAIN];
    vec3_t before[MAX_CHAIN];     ///< the edicts' origins before they were shoved
    int32_t push_offs[MAX_CHAIN]; ///< times that each edict was pushed off a part
    int32_t count;
    const edict_t *refused; ///< an edict that was shoved and found no room
} fit_chain_t;

// ---- tests and traces ----

static bool never_blocks(const edict_t *edict) {
    return (edict->flags & (FL_CORPSE | FL_ITEM)) || edict->solid == SOLID_NOT ||
           edict->solid == SOLID_TRIGGER;
}

// Returns the edict that `edict` would overlap at `origin`, or NULL.
static edict_t *stuck_at(push_t *push, const edict_t *edict, vec3_t origin) {
    bool is_soft = edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER;
    trace_t trace = SV_Move(push->sv, origin, edict->mins, edict->maxs, origin,
                            is_soft ? MOVE_NOMONSTERS : MOVE_NORMAL, edict);
    return trace.startsolid ? World_Edict(push->sv->world, Q_MaxI(trace.entnum, EDICT_WORLD))
                            : NULL;
}

static trace_t trace_map(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end) {
    const push_t *push = context;
    const cm_object_t object = {.solids = push->sv->world->cvars.move.sv_solids};
    return CM_BoxTrace(push->sv->map, &object, start, end, box->mins, box->maxs);
}

static trace_t trace_part(void *context, int32_t number, const pm_pushed_t *box, vec3_t start,
                          vec3_t end) {
    const push_t *push = context;
    const sv_context_t *sv = push->sv;
    const edict_t *part = World_Edict(sv->world, number);
    if (part->solid == SOLID_BSP && part->model >= 1 && part->model < CM_NumModels(sv->map)) {
        const cm_object_t object = {.model = part->model,
                                    .solids = sv->world->cvars.move.sv_solids,
                                    .origin = part->origin,
                                    .angles = part->angles};
        return CM_BoxTrace(sv->map, &object, start, end, box->mins, box->maxs);
    }
    bounds_t part_box = {VectorAdd(part->origin, part->mins), VectorAdd(part->origin, part->maxs)};
    return CM_BoxBoxTrace(part_box, start, end, box->mins, box->maxs);
}

static bool is_free(void *context, const pm_pushed_t *box, vec3_t origin) {
    push_t *push = context;
    return !stuck_at(push, World_Edict(push->sv->world, box->number), origin);
}

pm_push_world_t Push_World(push_t *push) {
    return (pm_push_world_t){push, trace_map, trace_part, is_free};
}

static pm_pushed_t pushed_at(const push_t *push, const edict_t *edict, vec3_t origin) {
    return (pm_pushed_t){World_EdictNumber(push->sv->world, edict), origin, edict->mins,
                         edict->maxs};
}

static void put(push_t *push, edict_t *edict, vec3_t origin) {
    if (!VectorCompare(edict->origin, origin)) {
        edict->origin = origin;
        SV_RelinkEdict(push->sv, edict);
    }
}

// Records an edict to touch when the push is complete.
static void note_hit(push_t *push, const edict_t *edict, const edict_t *other) {
    const world_t *world = push->sv->world;
    World_PushSave(world, World_EdictNumber(world, edict))->hit =
        1 + World_EdictNumber(world, other);
}

static void put_through_map(push_t *push, edict_t *edict, vec3_t from, vec3_t to) {
    const pm_pushed_t box = pushed_at(push, edict, from);
    bool is_hit;
    put(push, edict, PM_PushThroughMap(&push->world, &box, to, &is_hit));
    if (is_hit) {
        note_hit(push, edict, World_Edict(push->sv->world, EDICT_WORLD));
    }
}

// ---- making room ----

static bool try_at(push_t *push, edict_t *edict, vec3_t origin) {
    if (stuck_at(push, edict, origin)) {
        return false;
    }
    put(push, edict, origin);
    return true;
}

static bool try_raised(push_t *push, edict_t *edict, int32_t part) {
    const pm_pushed_t box = pushed_at(push, edict, edict->origin);
    vec3_t origin;
    if (!PM_RaiseOnto(&push->world, &box, part, &origin)) {
        return false;
    }
    put(push, edict, origin);
    return true;
}

static bool try_nudges(push_t *push, edict_t *edict) {
    static const float reaches[] = {0.125f, 0.5f, 1.0f, 2.0f};
    static const vec3_t directions[] = {{0, 0, 1}, {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},
                                        {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}, {0, 0, -1}};
    const vec3_t base = edict->origin;
    for (size_t i = 0; i < COUNTOF(reaches); i++) {
        for (size_t k = 0; k < COUNTOF(directions); k++) {
            if (try_at(push, edict, VectorMA(base, reaches[i], directions[k]))) {
                return true;
            }
        }
    }
    return false;
}

// Pushes an edict off a part. Returns false if the edict is not in the path of the part.
static bool push_off(push_t *push, edict_t *edict, int32_t part) {
    const pm_pushed_t box = pushed_at(push, edict, edict->origin);
    vec3_t to;
    if (!PM_PushAway(&push->world, &box, part, Push_CarryOf(push, part), &to)) {
        return false;
    }
    put_through_map(push, edict, box.origin, to);
    return true;
}

// Returns true if the boxes are at least half an epsilon apart. The margin makes the result
// independent of rounding.
static bool are_apart(const edict_t *edict, vec3_t at, bounds_t box) {
    bounds_t own = BoundsOfSweep(at, at, edict->mins, edict->maxs, 0.5f * CM_DIST_EPSILON);
    return !BoundsTouch(own, box);
}

// Returns the shorter displacement out of the box along one axis.
static float exit_along(float mins, float maxs, float box_mins, float box_maxs) {
    float forward = box_maxs - mins + CM_DIST_EPSILON;
    float back = maxs - box_mins + CM_DIST_EPSILON;
    return forward < back ? forward : -back;
}

// Returns the nearest origin beside a box, along x or y. Boxes on a turning pusher stay
// axis-aligned, so their corners begin to overlap.
static vec3_t beside(const edict_t *edict, vec3_t at, bounds_t box) {
    vec3_t mins = VectorAdd(at, edict->mins);
    vec3_t maxs = VectorAdd(at, edict->maxs);
    float x = exit_along(mins.x, maxs.x, box.mins.x, box.maxs.x);
    float y = exit_along(mins.y, maxs.y, box.mins.y, box.maxs.y);
    return fabsf(x) < fabsf(y) ? Vector(at.x + x, at.y, at.z) : Vector(at.x, at.y + y, at.z);
}

// Pushes `other` out of `edict`, which has moved into it. Returns false if `other` cannot move.
static bool shove(push_t *push, const edict_t *edict, edict_t *other) {
    world_t *world = push->sv->world;
    const push_save_t *save = World_PushSave(world, World_EdictNumber(world, edict));
    vec3_t delta = VectorSubtract(edict->origin, save->origin);
    bounds_t box = {VectorAdd(edict->origin, edict->mins), VectorAdd(edict->origin, edict->maxs)};
    vec3_t from = other->origin;
    vec3_t far = PM_Beyond(from, VectorAdd(from, delta));
    trace_t trace = CM_BoxBoxTrace(box, far, from, other->mins, other->maxs);
    bool is_hit = !trace.startsolid && trace.fraction < 1.0f;
    vec3_t to = is_hit ? trace.endpos : VectorAdd(from, delta);
    if (!are_apart(other, to, box)) {
        to = beside(other, from, box);
    }
    Push_Save(push, other);
    put_through_map(push, other, from, to);
    return !VectorCompare(other->origin, from);
}

// ---- chains ----

static bool can_be_shoved(const fit_chain_t *chain, const edict_t *edict) {
    if (edict == chain->refused || chain->count == MAX_CHAIN || !Push_IsPushed(edict)) {
        return false;
    }
    for (int32_t i = 0; i < chain->count; i++) {
        if (chain->edicts[i] == edict) {
            return false;
        }
    }
    return true;
}

static void extend(fit_chain_t *chain, edict_t *edict, vec3_t before) {
    ASSERT(chain->count < MAX_CHAIN);
    chain->edicts[chain->count] = edict;
    chain->before[chain->count] = before;
    chain->push_offs[chain->count] = 0;
    chain->count++;
    chain->refused = NULL;
}

// Moves the last edict of the chain, or `other`, which overlaps it. Returns false if both stay.
static bool make_room(push_t *push, fit_chain_t *chain, edict_t *other) {
    edict_t *last = chain->edicts[chain->count - 1];
    int32_t part = World_EdictNumber(push->sv->world, other);
    if (Push_IsPart(push, part) && chain->push_offs[chain->count - 1]++ < MAX_PUSH_OFFS) {
        return try_raised(push, last, part) || push_off(push, last, part);
    }
    vec3_t before = other->origin;
    if (can_be_shoved(chain, other)) {
        if (shove(push, last, other)) {
            extend(chain, other, before);
            return true;
        }
        chain->refused = other;
    }
    return try_nudges(push, last);
}

// Puts an edict back to where it was before the push. Returns false if a pusher or another moved
// edict is there now.
static bool put_back(push_t *push, edict_t *edict) {
    world_t *world = push->sv->world;
    const push_save_t *save = World_PushSave(world, World_EdictNumber(world, edict));
    const edict_t *other = stuck_at(push, edict, save->origin);
    bool was_stuck = other == World_Edict(world, EDICT_WORLD);
    if (other && !was_stuck) {
        const push_save_t *theirs = World_PushSave(world, World_EdictNumber(world, other));
        was_stuck = theirs->next == 0 && other->movetype != MOVETYPE_PUSH;
    }
    if (other && !was_stuck && !never_blocks(edict) && !(other->flags & FL_CORPSE)) {
        return false;
    }
    put(push, edict, save->origin);
    return true;
}

// Finds room for a moved edict by pushing the edicts in the path. Returns false if there is no
// room.
static bool fit(push_t *push, edict_t *edict) {
    fit_chain_t chain = {.count = 0};
    extend(&chain, edict, edict->origin);
    for (int32_t i = 0; i < MAX_TRIES; i++) {
        ASSERT(chain.count >= 1 && chain.count <= MAX_CHAIN);
        edict_t *last = chain.edicts[chain.count - 1];
        edict_t *other = stuck_at(push, last, last->origin);
        if (!other || (other->flags & FL_CORPSE && other == chain.refused)) {
            if (--chain.count == 0) {
                return true;
            }
            chain.refused = last; // `last` has room now and must not be shoved again
            continue;
        }
        if (!Push_IsPart(push, World_EdictNumber(push->sv->world, other))) {
            note_hit(push, last, other);
        }
        if (make_room(push, &chain, other)) {
            continue;
        }
        if (chain.count == 1) {
            break;
        }
        put(push, last, chain.before[chain.count - 1]);
        chain.count--;
        chain.refused = last;
    }
    return put_back(push, edict);
}

// Returns true if the part passed through the edict in a long move. Otherwise a fast lift could
// leave a rider below.
static bool part_passed_through(push_t *push, const edict_t *edict, int32_t part) {
    const push_save_t *save =
        World_PushSave(push->sv->world, World_EdictNumber(push->sv->world, edict));
    vec3_t carried = PM_CarryPoint(Push_CarryOf(push, part), save->origin);
    if (VectorLength(VectorSubtract(carried, save->origin)) < LONG_MOVE) {
        return false;
    }
    const pm_pushed_t box = pushed_at(push, edict, edict->origin);
    trace_t trace = trace_part(push, part, &box, PM_Beyond(box.origin, carried), box.origin);
    return trace.fraction < 1.0f && !trace.startsolid;
}

static bool fit_or_block(push_t *push, edict_t *edict, int32_t part) {
    if (fit(push, edict) && (never_blocks(edict) || !part_passed_through(push, edict, part))) {
        return true;
    }
    push->part = World_Edict(push->sv->world, part);
    push->obstacle = edict;
    return false;
}

// ---- riders ----

static void carry(push_t *push, edict_t *edict, push_save_t *save) {
    const pm_carry_t *by = Push_CarryOf(push, save->carrier);
    put_through_map(push, edict, save->origin, PM_CarryPoint(by, save->origin));
    if (!by->is_turned) {
        return;
    }
    edict->velocity = PM_CarryVector(by, edict->velocity);
    save->yaw_short = by->yaw_short;
    if (edict->flags & FL_CLIENT) {
        uint16_t yaw = (uint16_t)(AngleToShort(edict->angles.y) + (uint32_t)by->yaw_short);
        edict->angles.y = ShortToAngle(yaw);
    } else {
        float yaw = edict->angles.y + by->yaw;
        edict->angles.y = fabsf(yaw) > MAX_TURN ? AngleMod(yaw) : yaw;
    }
    World_MarkWritten(push->sv->world, edict);
}

// Lowers a rider onto its ground if the turn of a tilted part has opened a gap. Boxes do not turn.
static void lower(push_t *push, edict_t *edict, int32_t carrier) {
    const pm_pushed_t box = pushed_at(push, edict, edict->origin);
    vec3_t origin;
    if (Push_CarryOf(push, carrier)->is_tilted &&
        PM_LowerOnto(&push->world, &box, (int32_t)edict->groundentity.index, &origin)) {
        put(push, edict, origin);
    }
}

// Carries all riders before testing the first, so that riders do not block each other.
bool Push_CarryRiders(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        carry(push, World_Edict(world, i), World_PushSave(world, i));
    }
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        edict_t *edict = World_Edict(world, i);
        int32_t carrier = World_PushSave(world, i)->carrier;
        if (!fit_or_block(push, edict, carrier)) {
            return false;
        }
        lower(push, edict, carrier);
    }
    return true;
}

// ---- obstacles ----

/// The riders of an edict that is pushed, at most MAX_CHAIN; further riders stay behind.
typedef struct {
    push_t *push;
    const edict_t *ground; ///< whose riders are searched now: the edict, then each rider
    edict_t *list[MAX_CHAIN];
    int32_t count;
} load_t;

static void add_load(void *context, int32_t number) {
    load_t *load = context;
    const world_t *world = load->push->sv->world;
    edict_t *edict = World_Edict(world, number);
    bool rests =
        (edict->flags & FL_ONGROUND) && World_Deref(world, edict->groundentity) == load->ground;
    if (rests && Push_IsPushed(edict) && load->count < MAX_CHAIN &&
        World_PushSave(world, number)->carrier <= 0) {
        load->list[load->count++] = edict;
    }
}

// Moves the direct and indirect riders of a pushed edict by the same displacement if there is room.
static void move_riders(push_t *push, const edict_t *edict, vec3_t delta) {
    load_t load = {.push = push, .ground = edict};
    for (int32_t next = 0;; next++) {
        vec3_t from = VectorSubtract(load.ground->origin, delta);
        bounds_t box = BoundsOfSweep(from, from, load.ground->mins, load.ground->maxs, 2.0f);
        Area_Visit(push->sv->world, box, AREA_SOLID, add_load, &load);
        if (next >= load.count) {
            return;
        }
        edict_t *rider = load.list[next];
        vec3_t was = rider->origin;
        Push_Save(push, rider);
        put_through_map(push, rider, was, VectorAdd(was, delta));
        if (stuck_at(push, rider, rider->origin)) {
            put(push, rider, was);
        }
        load.ground = rider;
    }
}

// Pushes an obstacle out of the part that overlaps it. Other parts of the set may then overlap it.
static bool push_away(push_t *push, edict_t *edict, int32_t part) {
    vec3_t was = edict->origin;
    bool is_pushed = push_off(push, edict, part);
    if (!is_pushed && push->num_parts == 1) {
        return true;
    }
    if (!fit_or_block(push, edict, part)) {
        return false;
    }
    if (edict->solid >= SOLID_BBOX && !VectorCompare(edict->origin, was)) {
        move_riders(push, edict, VectorSubtract(edict->origin, was));
    }
    return true;
}

bool Push_MoveObstacles(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->saved.first; i > 0; i = World_PushSave(world, i)->next) {
        int32_t carrier = World_PushSave(world, i)->carrier;
        if (carrier < 0 && !push_away(push, World_Edict(world, i), -carrier)) {
            return false;
        }
    }
    return true;
}
