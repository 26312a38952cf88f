/// physics/push_fit.c - puts what a push moves where there is room for it.
//
// Floor:   physics.
// Units:   qu.
// Source:  the field's rules (QuakeWorld, Quake II, Quake III): teleport, then test; small nudges
//          before anything is crushed; what is free at its old place stays there. Ours: what is in
//          the way is met exactly, by sweeping it back from where the rigid motion would take it,
//          so that it moves just as far as it must; what is in the way of that is pushed, too.

#include "collide/cmodel.h"
#include "physics/push_local.h"
#include "world/area.h"

#define MAX_CHAIN      16   // things that push each other in a row
#define MAX_TRIES      64   // looks at one chain
#define LONG_STEP      4.0f // qu in a tick
#define MAX_RAISED_OFF 2    // times that one thing is put against parts

/// Things in a row, each in the way of the one before.
typedef struct {
    edict_t *things[MAX_CHAIN];
    vec3_t before[MAX_CHAIN]; ///< where each was before it was shoved
    int32_t count;
    int32_t num_met;        ///< times that the last was put against a part
    const edict_t *refused; ///< it was shoved and found no room
} fit_chain_t;

// ---- looking ----

static bool never_blocks(const edict_t *edict) {
    return (edict->flags & (FL_CORPSE | FL_ITEM)) || edict->solid == SOLID_NOT ||
           edict->solid == SOLID_TRIGGER;
}

// What it is inside of at a place, or NULL.
static edict_t *stuck_at(push_t *push, const edict_t *edict, vec3_t origin) {
    bool is_soft = edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER;
    trace_t trace = SV_Move(push->sv, origin, edict->mins, edict->maxs, origin,
                            is_soft ? MOVE_NOMONSTERS : MOVE_NORMAL, edict);
    return trace.startsolid ? World_Edict(push->sv->world, Q_MaxI(trace.entnum, EDICT_WORLD))
                            : NULL;
}

static trace_t trace_map(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end) {
    const push_t *push = context;
    const cm_place_t place = {.solids = push->sv->world->cvars.move.sv_solids};
    return CM_BoxTrace(push->sv->map, &place, start, end, box->mins, box->maxs);
}

static trace_t trace_part(void *context, int32_t number, const pm_pushed_t *box, vec3_t start,
                          vec3_t end) {
    const push_t *push = context;
    const sv_context_t *sv = push->sv;
    const edict_t *part = World_Edict(sv->world, number);
    if (part->solid == SOLID_BSP && part->model >= 1 && part->model < sv->map->num_models) {
        const cm_place_t place = {.model = part->model,
                                  .solids = sv->world->cvars.move.sv_solids,
                                  .origin = part->origin,
                                  .angles = part->angles};
        return CM_BoxTrace(sv->map, &place, start, end, box->mins, box->maxs);
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

// What it ran into is told when everything stands where it should.
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

static bool is_moved_part(push_t *push, const edict_t *edict) {
    int32_t number = World_EdictNumber(push->sv->world, edict);
    return number > 0 && World_PushSave(push->sv->world, number)->carrier == number;
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
    static const vec3_t ways[] = {{0, 0, 1}, {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},
                                  {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}, {0, 0, -1}};
    const vec3_t base = edict->origin;
    for (size_t i = 0; i < COUNTOF(reaches); i++) {
        for (size_t k = 0; k < COUNTOF(ways); k++) {
            if (try_at(push, edict, VectorMA(base, reaches[i], ways[k]))) {
                return true;
            }
        }
    }
    return false;
}

// Puts an edict just so far off a part that it touches. False when the part is not in its way.
static bool push_off(push_t *push, edict_t *edict, int32_t part) {
    const pm_pushed_t box = pushed_at(push, edict, edict->origin);
    vec3_t to;
    if (!PM_PushAway(&push->world, &box, part, Push_CarryOf(push, part), &to)) {
        return false;
    }
    put_through_map(push, edict, box.origin, to);
    return true;
}

// Two boxes that touch may be inside each other for one and beside each other for the other, by the
// last bit: an epsilon apart is apart for both.
static bool are_apart(const edict_t *edict, vec3_t at, bounds_t box) {
    bounds_t own = BoundsOfSweep(at, at, edict->mins, edict->maxs, 0.5f * CM_DIST_EPSILON);
    return !BoundsTouch(own, box);
}

// The shorter way out along one axis.
static float way_out(float mins, float maxs, float box_mins, float box_maxs) {
    float on = box_maxs - mins + CM_DIST_EPSILON;
    float back = maxs - box_mins + CM_DIST_EPSILON;
    return on < back ? on : -back;
}

// Sideways out of a box, along x or y, whichever is nearer. Boxes that ride on what turns do not
// turn: they come into each other at the corners, and none of them is to blame.
static vec3_t beside(const edict_t *edict, vec3_t at, bounds_t box) {
    vec3_t mins = VectorAdd(at, edict->mins);
    vec3_t maxs = VectorAdd(at, edict->maxs);
    float x = way_out(mins.x, maxs.x, box.mins.x, box.maxs.x);
    float y = way_out(mins.y, maxs.y, box.mins.y, box.maxs.y);
    return fabsf(x) < fabsf(y) ? Vector(at.x + x, at.y, at.z) : Vector(at.x, at.y + y, at.z);
}

// Pushes `other` out of `edict`, which has moved into it.
static bool shove(push_t *push, const edict_t *edict, edict_t *other) {
    world_t *world = push->sv->world;
    const push_save_t *save = World_PushSave(world, World_EdictNumber(world, edict));
    vec3_t way = VectorSubtract(edict->origin, save->origin);
    bounds_t box = {VectorAdd(edict->origin, edict->mins), VectorAdd(edict->origin, edict->maxs)};
    vec3_t from = other->origin;
    vec3_t far = PM_Beyond(from, VectorAdd(from, way));
    trace_t trace = CM_BoxBoxTrace(box, far, from, other->mins, other->maxs);
    bool is_met = !trace.startsolid && trace.fraction < 1.0f;
    vec3_t to = is_met ? trace.endpos : VectorAdd(from, way);
    if (!are_apart(other, to, box)) {
        to = beside(other, from, box);
    }
    Push_Save(push, other);
    put_through_map(push, other, from, to);
    return !VectorCompare(other->origin, from);
}

// ---- one after the other ----

static bool can_be_shoved(const fit_chain_t *chain, const edict_t *edict) {
    if (edict == chain->refused || chain->count == MAX_CHAIN || edict->movetype == MOVETYPE_NONE ||
        edict->movetype == MOVETYPE_NOCLIP || edict->movetype == MOVETYPE_PUSH ||
        edict->movetype == MOVETYPE_FOLLOW) {
        return false;
    }
    for (int32_t i = 0; i < chain->count; i++) {
        if (chain->things[i] == edict) {
            return false;
        }
    }
    return true;
}

static void extend(fit_chain_t *chain, edict_t *edict, vec3_t before) {
    chain->things[chain->count] = edict;
    chain->before[chain->count] = before;
    chain->count++;
    chain->num_met = 0;
    chain->refused = NULL;
}

// The last of the chain is inside `other`: something that changes that, or false.
static bool make_room(push_t *push, fit_chain_t *chain, edict_t *other) {
    edict_t *last = chain->things[chain->count - 1];
    if (is_moved_part(push, other) && chain->num_met++ < MAX_RAISED_OFF) {
        int32_t part = World_EdictNumber(push->sv->world, other);
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

// Where it was before the push, when it is free there of all that has moved.
static bool stays(push_t *push, edict_t *edict) {
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

// Finds room for what has just been moved, pushing what is in its way. False: there is none.
static bool fit(push_t *push, edict_t *edict) {
    fit_chain_t chain = {.count = 0};
    extend(&chain, edict, edict->origin);
    for (int32_t i = 0; i < MAX_TRIES; i++) {
        edict_t *last = chain.things[chain.count - 1];
        edict_t *other = stuck_at(push, last, last->origin);
        if (!other || (other->flags & FL_CORPSE && other == chain.refused)) {
            if (--chain.count == 0) {
                return true;
            }
            chain.refused = last; // it has room now: once is enough
            chain.num_met = MAX_RAISED_OFF;
            continue;
        }
        if (!is_moved_part(push, other)) {
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
        chain.num_met = MAX_RAISED_OFF;
        chain.refused = last;
    }
    return stays(push, edict);
}

// A step long enough to pass a thin thing is swept: a lift does not go through its rider to leave
// him below.
static bool was_gone_through(push_t *push, const edict_t *edict, int32_t part) {
    const push_save_t *save =
        World_PushSave(push->sv->world, World_EdictNumber(push->sv->world, edict));
    vec3_t carried = PM_CarryPoint(Push_CarryOf(push, part), save->origin);
    if (VectorLength(VectorSubtract(carried, save->origin)) < LONG_STEP) {
        return false;
    }
    const pm_pushed_t box = pushed_at(push, edict, edict->origin);
    trace_t trace = trace_part(push, part, &box, PM_Beyond(box.origin, carried), box.origin);
    return trace.fraction < 1.0f && !trace.startsolid;
}

static bool fit_or_block(push_t *push, edict_t *edict, int32_t part) {
    if (fit(push, edict) && (never_blocks(edict) || !was_gone_through(push, edict, part))) {
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

// All go first: what rides together is not in each other's way.
bool Push_CarryRiders(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        carry(push, World_Edict(world, i), World_PushSave(world, i));
    }
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        if (!fit_or_block(push, World_Edict(world, i), World_PushSave(world, i)->carrier)) {
            return false;
        }
    }
    return true;
}

// ---- obstacles ----

/// What rests on something that is pushed, a few at most: the rest slides off.
typedef struct {
    push_t *push;
    const edict_t *pushed;
    const edict_t *ground; ///< it, or what rests on it
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

// It goes along where there is room, and what rests on it in turn.
static void take_along(push_t *push, const edict_t *edict, vec3_t way) {
    load_t load = {.push = push, .pushed = edict, .ground = edict};
    for (int32_t next = 0;; next++) {
        vec3_t from = VectorSubtract(load.ground->origin, way);
        bounds_t box = BoundsOfSweep(from, from, load.ground->mins, load.ground->maxs, 2.0f);
        Area_Visit(push->sv->world, box, AREA_SOLID, add_load, &load);
        if (next >= load.count) {
            return;
        }
        edict_t *thing = load.list[next];
        vec3_t was = thing->origin;
        Push_Save(push, thing);
        put_through_map(push, thing, was, VectorAdd(was, way));
        if (stuck_at(push, thing, thing->origin)) {
            put(push, thing, was);
        }
        load.ground = thing;
    }
}

// One part is met exactly; of several, any may be in the way.
static bool push_away(push_t *push, edict_t *edict, int32_t part) {
    vec3_t was = edict->origin;
    bool is_met = push_off(push, edict, part);
    if (!is_met && push->num_parts == 1) {
        return true;
    }
    if (!fit_or_block(push, edict, part)) {
        return false;
    }
    if (edict->solid >= SOLID_BBOX && !VectorCompare(edict->origin, was)) {
        take_along(push, edict, VectorSubtract(edict->origin, was));
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
