/// client/pushes.c - moves the pushers of the world of prediction by a tick: they carry and push
/// the player and crates.
//
// Source:  server/physics: pusher.c, push.c, push_near.c; docs/physics.md.
// Not predicted: what the game does about a blocked pusher, and other players in its path.

#include "client/world_local.h"

#include "math/angles.h"
#include "move/fit.h"
#include "move/meet.h"
#include "state/movetype.h"
#include "state/ticks.h"

#include <string.h>

#define MAX_BODIES (1 + CL_MAX_CRATES) // body 0 is the player, the others are crates
#define MAX_TURN   3600.0f             // degrees; the server reduces larger yaws of vehicles

/// A box that a push may move.
typedef struct {
    bool is_noted;
    vec3_t before;   ///< origin before the push, if noted
    int32_t carrier; ///< number of the part that carries it; 0 = none
    int32_t near;    ///< number of the first part that moved near it; 0 = none
} body_t;

/// The push of one set of pushers. Each pusher that moved is a part.
typedef struct {
    cl_world_t *world;
    player_state_t *player;
    body_t bodies[MAX_BODIES];
    int32_t riders[MAX_BODIES]; ///< indexes of bodies, in the order in which they are carried
    int32_t num_riders;
    int32_t num_bodies; ///< noted
    int32_t num_parts;
    int32_t first; ///< index of the first solid of the set
    int32_t part;  ///< number of the part whose motion is in `motion`; 0 = none
    pm_carry_t motion;
} push_t;

// ---- bodies ----

static int32_t number_of(const push_t *push, int32_t body) {
    const cl_world_t *world = push->world;
    return body == 0 ? world->own : world->list[world->crates[body - 1].index].number;
}

// Returns the index of the body with this number, or -1.
static int32_t body_of(const push_t *push, int32_t number) {
    const cl_world_t *world = push->world;
    const cl_solid_t *solid = number > 0 ? Client_FindSolid(world, number) : NULL;
    return number == world->own ? 0 : solid && solid->crate > 0 ? solid->crate : -1;
}

static bool is_soft(const push_t *push, int32_t body) {
    return body == 0 ? push->world->own_solid <= SOLID_TRIGGER
                     : !Client_CrateIsSolid(push->world, &push->world->crates[body - 1]);
}

static bool is_pushed(const push_t *push, int32_t body) {
    return body == 0
               ? push->player->pm_type != PM_SPECTATOR && MoveType_IsPushed(push->player->movetype)
               : !is_soft(push, body);
}

static vec3_t origin_of(const push_t *push, int32_t body) {
    return body == 0 ? push->player->origin : push->world->crates[body - 1].body.origin;
}

static bounds_t linked_box(const push_t *push, int32_t body) {
    const player_state_t *player = push->player;
    const bounds_t own = {VectorAdd(player->origin, player->mins),
                          VectorAdd(player->origin, player->maxs)};
    return body == 0 ? PM_LinkedBox(own)
                     : push->world->list[push->world->crates[body - 1].index].linked;
}

// Returns the number of the ground, -1 in the air.
static int32_t ground_of(const push_t *push, int32_t body) {
    const player_state_t *player = push->player;
    if (body > 0) {
        return push->world->crates[body - 1].body.ground;
    }
    return player->flags & PMF_ONGROUND ? player->groundentity : -1;
}

// ---- the world of move/fit.h ----

static const cl_solid_t *part_of(const push_t *push, int32_t number) {
    const cl_solid_t *solid = number > 0 ? Client_FindSolid(push->world, number) : NULL;
    return solid && solid->is_moved ? solid : NULL;
}

static trace_t trace_map(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end) {
    const push_t *push = context;
    const cm_object_t map = {.model = 0, .solids = push->world->vars->sv_solids};
    return CM_BoxTrace(push->world->map, &map, start, end, box->mins, box->maxs);
}

static trace_t trace_part(void *context, int32_t number, const pm_pushed_t *box, vec3_t start,
                          vec3_t end) {
    const push_t *push = context;
    const cl_solid_t *solid = Client_FindSolid(push->world, number);
    const bounds_t bounds = {box->mins, box->maxs};
    return solid ? Client_TraceSolid(push->world, solid, bounds, start, end)
                 : (trace_t){.fraction = 1.0f, .endpos = end, .entnum = TRACE_NOTHING};
}

static pm_fit_box_t fit_box(void *context, int32_t number) {
    const push_t *push = context;
    const cl_world_t *world = push->world;
    const int32_t body = body_of(push, number);
    if (body == 0) {
        return (pm_fit_box_t){.origin = push->player->origin,
                              .mins = push->player->mins,
                              .maxs = push->player->maxs,
                              .is_pushed = is_pushed(push, body),
                              .never_blocks = is_soft(push, body)};
    }
    if (body > 0) {
        const pm_loose_t *crate = &world->crates[body - 1].body;
        return (pm_fit_box_t){.origin = crate->origin,
                              .mins = crate->mins,
                              .maxs = crate->maxs,
                              .is_pushed = is_pushed(push, body)};
    }
    const cl_solid_t *solid = number > 0 ? Client_FindSolid(world, number) : NULL;
    return (pm_fit_box_t){.is_pusher = solid && solid->solid == SOLID_BSP};
}

static int32_t stuck_at(void *context, int32_t number, vec3_t origin) {
    push_t *push = context;
    const int32_t body = body_of(push, number);
    if (body < 0) {
        return PM_FREE;
    }
    if (body > 0) {
        Client_BeginAs(push->world, &push->world->crates[body - 1], push->player);
    }
    const pm_world_t move = Client_WorldForMove(push->world);
    const pm_fit_box_t box = fit_box(push, number);
    const trace_t trace = is_soft(push, body)
                              ? move.trace_brushes(move.context, origin, box.mins, box.maxs, origin)
                              : move.trace(move.context, origin, box.mins, box.maxs, origin);
    Client_EndAs(push->world);
    return trace.startsolid ? Q_MaxI(trace.entnum, 0) : PM_FREE;
}

static bool is_free(void *context, const pm_pushed_t *box, vec3_t origin) {
    return stuck_at(context, box->number, origin) == PM_FREE;
}

static void put(void *context, int32_t number, vec3_t origin) {
    push_t *push = context;
    const int32_t body = body_of(push, number);
    if (body == 0) {
        push->player->origin = origin;
    } else if (body > 0) {
        cl_crate_t *crate = &push->world->crates[body - 1];
        crate->body.origin = origin;
        (void)Client_LinkCrate(push->world, crate);
    }
}

static const pm_carry_t *motion_of(void *context, int32_t number) {
    push_t *push = context;
    const cl_solid_t *part = part_of(push, number);
    if (part && push->part != number) {
        push->motion = PM_Carry(part->before, part->pose);
        push->part = number;
    }
    return part ? &push->motion : NULL;
}

static const vec3_t *origin_before(void *context, int32_t number) {
    const push_t *push = context;
    const int32_t body = body_of(push, number);
    return body >= 0 && push->bodies[body].is_noted ? &push->bodies[body].before : NULL;
}

static void note(void *context, int32_t number) {
    push_t *push = context;
    const int32_t body = body_of(push, number);
    if (body >= 0 && !push->bodies[body].is_noted) {
        push->bodies[body].is_noted = true;
        push->num_bodies++;
        push->bodies[body].before = origin_of(push, body);
    }
}

static int32_t riders_of(void *context, int32_t number, vec3_t origin, int32_t *list, int32_t max) {
    const push_t *push = context;
    const int32_t last = is_soft(push, body_of(push, number)) ? -1 : push->world->num_crates;
    int32_t count = 0;
    (void)origin;
    for (int32_t body = 0; body <= last && count < max; body++) {
        if (ground_of(push, body) == number && push->bodies[body].carrier == 0 &&
            is_pushed(push, body) && !is_soft(push, body)) {
            list[count++] = number_of(push, body);
        }
    }
    return count;
}

static pm_fit_world_t world_of(push_t *push) {
    return (pm_fit_world_t){.push = {push, trace_map, trace_part, is_free},
                            .box = fit_box,
                            .stuck_at = stuck_at,
                            .put = put,
                            .trace_box = CM_BoxBoxTrace,
                            .motion_of = motion_of,
                            .origin_before = origin_before,
                            .note = note,
                            .riders_of = riders_of};
}

// ---- riders and obstacles ----

static void add_rider(push_t *push, int32_t body, int32_t carrier) {
    note(push, number_of(push, body));
    if (push->bodies[body].carrier == 0) {
        push->bodies[body].carrier = carrier;
        push->riders[push->num_riders++] = body;
    }
}

// Finds the bodies near the path of a part: its riders, and obstacles.
static void find_near(push_t *push, const cl_solid_t *part) {
    const bounds_t path = part->path;
    const bounds_t around =
        BoundsOfSweep(vec3_zero, vec3_zero, path.mins, path.maxs, CL_PUSH_MARGIN);
    for (int32_t body = 0; body <= push->world->num_crates; body++) {
        if (!is_pushed(push, body)) {
            continue;
        }
        const bool rides = ground_of(push, body) == part->number;
        const bool is_near = BoundsTouch(around, linked_box(push, body));
        if (rides && (is_near || is_soft(push, body))) {
            add_rider(push, body, part->number);
        } else if (is_near && !is_soft(push, body) && !push->bodies[body].is_noted) {
            note(push, number_of(push, body));
            push->bodies[body].near = part->number;
        }
    }
}

// Adds what rests on riders, and so on.
static void find_stacks(push_t *push) {
    for (int32_t i = 0; i < push->num_riders; i++) {
        const int32_t rider = push->riders[i];
        for (int32_t body = 0; body <= push->world->num_crates; body++) {
            if (body != rider && !is_soft(push, rider) && is_pushed(push, body) &&
                ground_of(push, body) == number_of(push, rider)) {
                add_rider(push, body, push->bodies[rider].carrier);
            }
        }
    }
}

static void carry(push_t *push, const pm_fit_world_t *world, int32_t body) {
    const int32_t part = push->bodies[body].carrier;
    const pm_carry_t by = *motion_of(push, part);
    PM_CarryRider(world, number_of(push, body), part);
    if (!by.is_turned) {
        return;
    }
    if (body == 0) {
        const vec3_t origin = push->player->origin;
        PM_CarryPlayer(&by, push->player);
        push->player->origin = origin;
        return;
    }
    cl_crate_t *crate = &push->world->crates[body - 1];
    crate->body.velocity = PM_CarryVector(&by, crate->body.velocity);
    crate->yaw += by.yaw;
    crate->yaw = fabsf(crate->yaw) > MAX_TURN ? AngleMod(crate->yaw) : crate->yaw;
}

// Moves riders and obstacles. Returns false if a part is blocked.
static bool move_bodies(push_t *push) {
    const pm_fit_world_t world = world_of(push);
    for (int32_t i = 0; i < push->num_riders; i++) {
        carry(push, &world, push->riders[i]);
    }
    for (int32_t i = 0; i < push->num_riders; i++) {
        const int32_t body = push->riders[i];
        if (!PM_FitRider(&world, number_of(push, body), push->bodies[body].carrier,
                         ground_of(push, body))) {
            return false;
        }
    }
    for (int32_t body = 0; body <= push->world->num_crates; body++) {
        const body_t *pushed = &push->bodies[body];
        if (pushed->carrier == 0 && pushed->near > 0 &&
            !PM_PushObstacle(&world, number_of(push, body), pushed->near, push->num_parts == 1)) {
            return false;
        }
    }
    return true;
}

// ---- the end of a push ----

// Wakes a body that was pushed or only partly carried, to find ground again.
static void wake_moved(push_t *push, int32_t body) {
    const body_t *moved = &push->bodies[body];
    const vec3_t now = origin_of(push, body);
    const bool is_moved = !VectorCompare(now, moved->before);
    if (!moved->is_noted || (moved->carrier == 0 && !is_moved)) {
        return;
    }
    const pm_carry_t *by = moved->carrier > 0 ? motion_of(push, moved->carrier) : NULL;
    if (by) {
        const vec3_t to = PM_CarryPoint(by, moved->before);
        if (VectorCompare(now, to)) {
            return;
        }
    }
    Client_WakeRiders(push->world, number_of(push, body), push->player);
    if (body > 0) {
        push->world->crates[body - 1].body.ground = -1;
    }
}

static void commit(push_t *push) {
    for (int32_t body = 0; body <= push->world->num_crates; body++) {
        wake_moved(push, body);
    }
    for (int32_t body = 0; body <= push->world->num_crates; body++) {
        const vec3_t now = origin_of(push, body);
        if (!push->bodies[body].is_noted || VectorCompare(now, push->bodies[body].before)) {
            continue;
        }
        if (body == 0) {
            Client_WorldTouch(push->world, push->player);
        } else {
            Client_TouchCratePads(push->world, &push->world->crates[body - 1]);
        }
    }
}

// ---- a tick ----

// Moves the solids of a set from one time to another, but at most to a corner between both. Returns
// the number of those that moved.
static int32_t move_parts(cl_world_t *world, int32_t first, int64_t from_ms, int64_t to_ms) {
    int32_t count = 0;
    for (int32_t i = first; i >= 0; i = world->list[i].next_of_set) {
        cl_solid_t *solid = &world->list[i];
        const bounds_t was = solid->linked;
        solid->before = solid->pose;
        solid->pose = Client_PoseInWorld(world, i, from_ms, to_ms);
        solid->is_moved = !VectorCompare(solid->before.origin, solid->pose.origin) ||
                          !VectorCompare(solid->before.angles, solid->pose.angles);
        if (solid->is_moved) {
            Client_FindBox(world, solid);
            solid->path = BoundsUnion(was, solid->linked);
            count++;
        }
    }
    return count;
}

// Carries other players and monsters on the parts of a set, or puts them back. Otherwise the player
// would be carried into riders before it. Their own collisions are not predicted.
static void carry_others(cl_world_t *world, bool back) {
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *other = &world->list[i];
        const cl_solid_t *part = other->ground > 0 ? Client_FindSolid(world, other->ground) : NULL;
        if (!part || !part->is_moved) {
            continue;
        }
        if (back) {
            other->pose = other->before;
        } else {
            const pm_carry_t by = PM_Carry(part->before, part->pose);
            other->before = other->pose;
            other->pose.origin = PM_CarryPoint(&by, other->pose.origin);
        }
        Client_FindBox(world, other);
    }
}

static int64_t later(int64_t start_ms, int32_t by_ms) {
    return (int64_t)((uint64_t)start_ms + (uint64_t)by_ms);
}

static void end_parts(const push_t *push) {
    cl_world_t *world = push->world;
    const float dt = (float)Ticks_LengthMs(world->rate_mhz, world->tick - 1) / 1000.0f;
    for (int32_t i = push->first; i >= 0; i = world->list[i].next_of_set) {
        cl_solid_t *solid = &world->list[i];
        if (solid->is_moved) {
            PM_AddPusherSpeed(solid->before, solid->pose, dt, &solid->velocity, &solid->avelocity);
            solid->is_moved = false;
        }
    }
}

// Puts the parts of a blocked set back, and delays their motions.
static void delay(const push_t *push) {
    cl_world_t *world = push->world;
    carry_others(world, true);
    const int32_t tick_ms = Ticks_LengthMs(world->rate_mhz, world->tick - 1);
    for (int32_t i = push->first; i >= 0; i = world->list[i].next_of_set) {
        cl_solid_t *solid = &world->list[i];
        solid->motion.start_ms = later(solid->motion.start_ms, tick_ms);
        solid->next.start_ms = later(solid->next.start_ms, tick_ms);
        if (solid->is_moved) {
            solid->pose = solid->before;
            solid->is_moved = false;
            Client_FindBox(world, solid);
        }
    }
}

// Moves riders and obstacles, or nothing if a part is blocked. Returns false then.
static bool push_bodies(push_t *push) {
    cl_world_t *world = push->world;
    const player_state_t player = *push->player;
    cl_crate_t crates[CL_MAX_CRATES];
    memcpy(crates, world->crates, (size_t)world->num_crates * sizeof *crates);
    if (move_bodies(push)) {
        commit(push);
        return true;
    }
    *push->player = player;
    memcpy(world->crates, crates, (size_t)world->num_crates * sizeof *crates);
    for (int32_t i = 0; i < world->num_crates; i++) {
        (void)Client_LinkCrate(world, &world->crates[i]);
    }
    delay(push);
    return false;
}

static void begin(push_t *push, cl_world_t *world, player_state_t *player, int32_t first) {
    push->world = world;
    push->player = player;
    push->first = first;
    push->num_riders = push->num_bodies = push->part = 0;
    for (int32_t body = 0; body <= world->num_crates; body++) {
        push->bodies[body] = (body_t){.is_noted = false};
    }
}

// Pushes a set. Returns false if it is blocked.
static bool push_set(cl_world_t *world, player_state_t *player, int32_t first, int64_t from_ms,
                     int64_t to_ms) {
    push_t push; // large, but only the used bodies are ever written
    push.num_parts = move_parts(world, first, from_ms, to_ms);
    if (push.num_parts == 0) {
        return true;
    }
    carry_others(world, false);
    begin(&push, world, player, first);
    for (int32_t i = first; i >= 0; i = world->list[i].next_of_set) {
        if (world->list[i].is_moved && Client_Stops(world, &world->list[i])) {
            find_near(&push, &world->list[i]);
        }
    }
    find_stacks(&push);
    bool goes = push.num_bodies == 0 || push_bodies(&push);
    end_parts(&push);
    return goes;
}

static bool has_corner(const cl_world_t *world, int32_t first, int64_t from_ms, int64_t to_ms) {
    bool found = false;
    for (int32_t i = first; i >= 0; i = world->list[i].next_of_set) {
        found = found || Client_HasCorner(&world->list[i], from_ms, to_ms);
    }
    return found;
}

void Client_WorldNextTick(cl_world_t *world, player_state_t *player) {
    if (world->has_run) {
        Client_RunCrates(world, player);
    }
    world->has_run = true;
    const int64_t from_ms = Ticks_EndMs(world->rate_mhz, world->tick);
    const int64_t to_ms = Ticks_EndMs(world->rate_mhz, ++world->tick);
    for (int32_t i = 0; i < world->count; i++) {
        world->list[i].velocity = world->list[i].avelocity = vec3_zero;
    }
    for (int32_t i = 0; i < world->count; i++) {
        const int32_t first = world->list[i].first_of_set;
        if (first < 0) {
            continue;
        }
        const bool is_at_corner = has_corner(world, first, from_ms, to_ms);
        const bool goes = push_set(world, player, first, from_ms, to_ms);
        if (goes && is_at_corner) { // as on the server: one push to the corner, one beyond
            (void)push_set(world, player, first, to_ms, to_ms);
        }
    }
}
